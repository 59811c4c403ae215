"""Renderers, each of which turns finished results into text.

- `FORMATS`: each `Format` by its name, with what it can show
- `render`: results in one of them; only the modules of that format are imported
- `segment_renderer`: a function that renders the scores of segments, each in a line; `segment_tabulator`: all of them,
  by all systems and metrics, as a table
- `render_explanations`: explanations of scores
- `render_table`: a table for papers and pages, from Python
- `layout`: how scores are printed, in which order, on which scale
- `text`, `json_text`: one score, or several systems
- `documents`: tables for HTML, reStructuredText and LaTeX
- `paper`: tables in Markdown, what to write in a paper, and to cite
- `cells`: tables for programs, and a report of gates
- `grids`, `notes`: the cells of a table for people and the notes under it, in any format
"""

from __future__ import annotations

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol

    from bleucli.output.layout import Layout
    from bleucli.output.segments import Table
    from bleucli.prose.blocks import Block
    from bleucli.results import Results
    from bleucli.results.segments import SegmentBlock, SegmentScores

    class Explained(Protocol):
        """An explanation to show, as blocks or as data."""

        def tell(self, width: int, short: bool) -> Sequence[Block]:
            """Return the blocks; width: decimals of scores, short: short keys in signatures."""

        def as_data(self) -> dict[str, Any]:
            """Return everything as dictionaries, lists, numbers and strings."""


class Format(NamedTuple):
    """What a format can show, and how it is rendered; functions are given by their full names."""

    render: str  # the function that renders results
    render_one: str = ""  # that for a single system, if it is another one
    # sacreBLEU has the format, too: it calls systems by the paths of their files unless other names are asked for, and
    # in full style prints sacreBLEU's p-values
    of_sacrebleu: bool = False
    is_table: bool = False  # a table for people
    bold: str = "never"  # when it has bold type: "always", "coloured" (on a terminal with colours) or "never"
    captions: bool = False  # tables have captions and labels
    styles: bool = False  # tables have several styles
    sorts: bool = False  # systems can be sorted
    shortens: bool = True  # signatures can have short keys
    scale: int = 100  # what a perfect score is unless another scale is asked for
    rescales: bool = True  # whether one can be
    rounds: bool = True  # scores are rounded
    rounds_tests: bool = True  # so are those of a paired test
    names_one: bool = True  # a single system is printed with its name
    bare_lists: bool = False  # bare scores by several metrics are a list in this format, not one number per line
    details: bool = False  # it shows scores of parts of a test set
    groups: bool = True  # it shows groups of segments
    segments: bool = False  # it shows scores of single segments
    render_segments: str = ""  # the function for some of these as lines, where a line needs no more than the score
    segment_table: str = ""  # the function for all segments, by all systems and metrics, as a table
    appends: bool = False  # an answer can be added to a file of earlier ones
    # It has only the scores that gates judge, under the names that gates use, and shows what failed: failures do not
    # withhold it
    reports_gates: bool = False
    by_row: bool = False  # one row or object for each language pair and system, not a table of systems by pairs
    # When scores are told apart only by the names of their metrics: "always", "several" (if there are several systems)
    # or "never"
    by_metric: str = "never"
    by_system: bool = False  # systems are told apart only by their names

    @property
    def tabulates_one(self) -> bool:
        """Whether a single system is printed in the same way as several."""
        return not self.render_one

    def shows_bold(self, colour: bool = False) -> bool:
        """Return whether it has bold type; colour: whether it is printed on a terminal with colours."""
        return self.bold == "always" or (self.bold == "coloured" and colour)


# What several formats have in common: tables for documents, and rows or objects for programs
_TABLE = Format("", is_table=True, bold="always", styles=True, sorts=True)
_ROWS = Format("", shortens=False, by_row=True)
_CSV = _ROWS._replace(
    render="bleucli.output.cells.render_csv",
    segment_table="bleucli.output.segments.render_csv",
    sorts=True,
    by_metric="always",
)
# By name
FORMATS = {
    "json": _ROWS._replace(
        render="bleucli.output.json_text.render",
        render_one="bleucli.output.json_text.render_one",
        of_sacrebleu=True,
        rounds_tests=False,
        names_one=False,
        bare_lists=True,
        details=True,
        segments=True,
        render_segments="bleucli.output.json_text.score_lines",
        by_metric="several",
    ),
    "jsonl": _ROWS._replace(
        render="bleucli.output.json_text.render_lines",
        rescales=False,
        rounds=False,
        rounds_tests=False,
        details=True,
        segments=True,
        segment_table="bleucli.output.segments.render_lines",
        appends=True,
    ),
    "text": _TABLE._replace(
        render="bleucli.output.text.render",
        render_one="bleucli.output.text.render_one",
        of_sacrebleu=True,
        bold="coloured",
        names_one=False,
        details=True,
        segments=True,
        render_segments="bleucli.output.text.score_lines",
    ),
    "latex": _TABLE._replace(render="bleucli.output.documents.render_latex", of_sacrebleu=True, captions=True),
    "markdown": _TABLE._replace(render="bleucli.output.paper.render_markdown"),
    "html": _TABLE._replace(render="bleucli.output.documents.render_html", captions=True),
    "rst": _TABLE._replace(render="bleucli.output.documents.render_rst", captions=True),
    "csv": _CSV,
    "tsv": _CSV._replace(render="bleucli.output.cells.render_tsv", segment_table="bleucli.output.segments.render_tsv"),
    "junit": Format("bleucli.output.cells.render_junit", reports_gates=True, by_system=True),
    "card": _ROWS._replace(
        render="bleucli.output.json_text.render_card", scale=1, names_one=False, by_metric="always", by_system=True
    ),
    "paper": Format("bleucli.output.paper.render", bold="always", styles=True, sorts=True, groups=False),
}
# Those that only show segments
SEGMENT_FORMATS = {
    "parquet": _ROWS._replace(
        rescales=False, rounds=False, segments=True, segment_table="bleucli.output.segments.render_parquet"
    ),
}


def render(results: Results, layout: Layout, name: str = "json") -> str:
    """Return results as text in one of `FORMATS`, by default JSON.

    `layout.score_only` has an effect only on a single system, as in sacreBLEU. With it, json lists the numbers of
    several metrics; all other formats, and json with one metric, print one number per line.
    """
    form = FORMATS[name]
    if form.of_sacrebleu and layout.style == "full":
        results = results.with_sacrebleu_p_values()
    if layout.scale != 100 and form.rescales:
        from bleucli.output.layout import rescale

        results = rescale(results, layout.scale)
    if results.pairs:
        from bleucli.output.layout import sort_pairs

        if layout.sort is not None:
            results, layout = sort_pairs(results, layout.sort), layout._replace(sort=None)
        if form.by_row:
            results = results.with_averages()
    is_one = not results.pairs and len(results.systems) + len(results.unscored) == 1
    if is_one and layout.score_only and not (form.bare_lists and len(results.systems[0].scores) > 1):
        form = FORMATS["text"]
    if form.by_metric == "always" or (form.by_metric == "several" and not is_one):
        names = [record.name for record in results.systems[0].scores] if results.systems else []
        _check_names(names, "metric", name, "score with one, then with the other")
    # Systems have names of their own, but not groups with missing and with empty values, for example
    if form.by_system:
        names = [system.name for system in results.systems]
        _check_names(names, "group", name, "choose another format, or give the groups other values")
    text: str = _load(form.render_one if is_one and form.render_one else form.render)(results, layout)
    return text


def _load(function: str) -> Any:
    """Return a function of this package by its full name."""
    module, _, name = function.rpartition(".")
    return getattr(__import__(module, fromlist=[name]), name)


def _check_names(names: Sequence[str], noun: str, form: str, remedy: str) -> None:
    if twice := next((name for name in names if names.count(name) > 1), ""):
        from bleucli.errors import BleuError

        raise BleuError(
            f"more than one {noun} is called {twice}, but {form} tells {noun}s apart by their names; {remedy}"
        )


def segment_renderer(name: str) -> Callable[[SegmentScores, Layout], str | bytes]:
    """Return the function that renders the scores of segments in a format; in text, if the format has none."""
    function: Any = _load(FORMATS[name].render_segments or FORMATS["text"].render_segments)
    return function  # type: ignore[no-any-return]


def segment_tabulator(name: str) -> Callable[[Iterable[SegmentBlock], Table], Iterator[str | bytes]] | None:
    """Return the function that renders segments as a table in a format; None if the format has no such table."""
    form = FORMATS.get(name) or SEGMENT_FORMATS[name]
    return _load(form.segment_table) if form.segment_table else None


# --- explanations

EXPLANATION_FORMATS = ("text", "html", "json")
# Of text on a terminal
_COLOURS = {"heading": "cyan", "good": "green", "bad": "red", "missing": "yellow"}


def render_explanations(
    explanations: Sequence[Explained], layout: Layout, name: str, columns: int | None = None
) -> str:
    """Return explanations in one of `EXPLANATION_FORMATS`; in json, several are an array.

    columns: the width of text; None for 80.
    """
    if name == "json":
        from bleucli.output.json_text import dump

        data = [one.as_data() for one in explanations]
        return dump(data[0] if len(data) == 1 else data, 1) + "\n"
    from bleucli.prose.blocks import WIDTH, as_html, as_text
    from bleucli.prose.theme import paint, underline

    def paint_role(role: str, text: str) -> str:
        if role == "match":
            return underline(paint(_COLOURS["good"], text))
        return paint(_COLOURS[role], text) if role in _COLOURS and text else text

    answers = [one.tell(layout.width, layout.short) for one in explanations]
    if name == "html":
        return "".join(map(as_html, answers))
    return "\n".join(as_text(blocks, columns or WIDTH, paint_role if layout.colour else None) for blocks in answers)


# --- tables from Python


def render_table(
    results: Results,
    name: str = "markdown",
    *,
    style: str = "full",
    sort: str | None = None,
    difference: bool = False,
    bold_best: bool = False,
    caption: str = "",
    label: str = "",
    width: int | None = None,
    scale: int = 100,
    short: bool = False,
) -> str:
    r"""Return a table, for a paper or a page, of results such as `bleucli.evaluate_systems` returns.

    Args:
        results: of at least one system.
        name: text, latex, markdown, html or rst.
        style: "full", "compact" (`59.4±1.1*`) or "stars" (`59.4*`).
        sort: the name of a score, such as BLEU or chrF2, in upper or lower case, to sort the systems by, best first; a
            test's baseline stays on top.
        difference: also print each score's difference from the baseline's score, with its interval if there is one.
        bold_best: print the best score of each metric in bold; not in text. If the systems were tested, also those that
            a test of all pairs cannot distinguish from the best. After a test against a baseline, this needs results of
            `evaluate_systems(..., bold_best=True)`.
        caption: the caption of the table, in latex, html and rst.
        label: the name by which a document refers to the table; it needs a caption.
        width: the number of decimals; None for 1, or for 3 if the scale is 1.
        scale: what a perfect score is, 100 or 1.
        short: use short keys in signatures.

    Raises:
        BleuError: an argument has an invalid value, the results lack a test that it needs, or `sort` is the name of
            more than one score.
        InputTypeError: `results` are not results.

    >>> from bleucli import evaluate_systems, render_table
    >>> results = evaluate_systems({"weak": ["a b c x"], "fair": ["a b c d"]}, [["a b c d e"]])
    >>> print(render_table(results, style="compact", sort="BLEU").partition("\n\n")[0])
    | System   |  BLEU ↑  |
    |:---------|:--------:|
    | fair     |   77.9   |
    | weak     |   46.3   |
    """
    from bleucli.errors import BleuError
    from bleucli.output.layout import STYLES, Layout, check_results, is_label
    from bleucli.results import DECIMALS, mark_best

    def expect(condition: bool, fault: str, expected: str | Iterable[str]) -> None:
        if not condition:
            choices = expected if isinstance(expected, str) else f"one of {', '.join(expected)}"
            raise BleuError(f"{fault}; expected {choices}")

    check_results(results)
    tables = {one: form for one, form in FORMATS.items() if form.is_table}
    expect(name in tables, f"name={name!r}", tables)
    expect(style in STYLES, f"style={style!r}", STYLES)
    if style == "stars" or difference:
        fault = "style='stars'" if style == "stars" else "difference=True"
        expect(results.test is not None, fault, "results of a paired test")
    if caption or label:
        choices = [one for one, form in tables.items() if form.captions]
        expect(name in choices, f"{'caption' if caption else 'label'}=... for {name}", choices)
    is_text = isinstance(caption, str) and (not caption or bool(caption.strip()))
    expect(is_text, f"caption={caption!r:.40}", "a text that is not blank")
    if label:
        remedy = "a caption, and a label such as tab:bleu: a letter, then letters, digits and : . _ -"
        expect(bool(caption) and isinstance(label, str) and is_label(label), f"label={label!r}", remedy)
    if bold_best:
        choices = [one for one, form in tables.items() if form.shows_bold()]
        expect(name in choices, f"bold_best=True for {name}", choices)
        # In a test, the best are marked only if all pairs were tested for that
        is_marked = any(record.best for system in results.systems for record in system.scores)
        fault, remedy = "bold_best=True after a test against a baseline", "evaluate_systems(..., bold_best=True)"
        expect(results.test is None or is_marked, fault, f"results of {remedy}")
    is_scale = not isinstance(scale, bool) and scale in tuple(DECIMALS)  # a list has no hash
    expect(is_scale, f"scale={scale!r:.40}", "100, or 1 for scores from 0 to 1")
    place = None
    if sort is not None:
        names = [record.name for record in results.systems[0].scores]
        places = [number for number, one in enumerate(names) if one.lower() == str(sort).lower()]
        expect(bool(places), f"sort={sort!r:.40}", dict.fromkeys(names))
        place = places[0]
        if len(places) > 1:
            twice = f"sort={sort!r}, but more than one metric is called {names[place]}"
            raise BleuError(f"{twice}; leave sort out, or score with one")
    width = DECIMALS[scale] if width is None else width
    is_width = isinstance(width, int) and not isinstance(width, bool) and 0 <= width <= 1000
    expect(is_width, f"width={width!r:.40}", "a number of decimals from 0 to 1000")
    if bold_best and results.test is None and not results.pairs:  # the best of each language pair are marked already
        results = mark_best(results)
    look = Layout(width, short, bold_best=bold_best, scale=scale, style=style, sort=place, difference=difference)
    return render(results, look._replace(caption=caption, label=label), name)
