"""Renderers, each of which turns finished results into text.

- `layout`: how scores are printed
- `FORMATS`: each `Format` by its name, with what it can show
- `render`: results in one of them; only the modules of that format are imported
- `segment_renderer`: a function that renders the score of a segment as a line
- `render_table`: a table for papers and pages, from Python
- `TABLES`, `WITH_CAPTIONS`, `names_by_path`, `shows_bold`: some of what `FORMATS` says, by name
- `lines`, `json_text`: one score per line or one object; `tables`: several systems as text
- `jsonl_text`: everything that is known about a score, in one line
- `latex`, `markdown`, `html_text`, `rst`, `csv_text`: tables for documents and programs
- `junit`: a report of gates
- `card`: the fields of a metric card
- `paper`: what to write about scores in a paper
- `scale`: scores from 0 to 1 instead of 100
- `colours`: colours and bold on a terminal
- `grids`, `explanation`: the cells of a table and the notes under it, in any format
- `matrices`: tables of language pairs
- `publication`: what a paper says about scores, in any format; `bibliography`: what it cites
"""

from __future__ import annotations

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bleucli.errors import BleuError
    from bleucli.output.layout import Layout
    from bleucli.results import Results, ScoreRecord


class Format(NamedTuple):
    """What a format can show, and how it is rendered. Each default holds for most formats.

    Attributes:
        render: the function that renders results, by its full name.
        render_one: that for a single system, if it is another one.
        of_sacrebleu: sacreBLEU has the format, too. Such a format calls systems by the paths of their files unless
            other names are asked for, and in full style prints sacreBLEU's p-values.
        is_table: it is a table for people.
        bold: when it has bold type: "always", "coloured" (on a terminal with colours) or "never".
        captions: tables have captions and labels.
        styles, sorts: tables have several styles; systems can be sorted.
        shortens: signatures can have short keys.
        scale, rescales: what a perfect score is unless another scale is asked for; whether one can be.
        rounds, rounds_tests: scores are rounded; so are those of a paired test.
        names_one: a single system is printed with its name.
        bare_lists: bare scores by several metrics are a list in this format, not one number per line.
        details: it shows scores of parts of a test set.
        groups: it shows groups of segments.
        segments: it shows scores of single segments.
        render_segment: the function that renders one of these as a line, by its full name, where a line needs no more
            than the score.
        appends: an answer can be added to a file of earlier ones.
        reports_gates: it has only the scores that gates judge, under the names that gates use, and shows what failed.
            So failures do not withhold it.
        by_row: it has one row or object for each language pair and system, not a table of systems by pairs.
        by_metric: when scores are told apart only by the names of their metrics: "always", "several" (if there are
            several systems) or "never".
        by_system: systems are told apart only by their names.
    """

    render: str
    render_one: str = ""
    of_sacrebleu: bool = False
    is_table: bool = False
    bold: str = "never"
    captions: bool = False
    styles: bool = False
    sorts: bool = False
    shortens: bool = True
    scale: int = 100
    rescales: bool = True
    rounds: bool = True
    rounds_tests: bool = True
    names_one: bool = True
    bare_lists: bool = False
    details: bool = False
    groups: bool = True
    segments: bool = False
    render_segment: str = ""
    appends: bool = False
    reports_gates: bool = False
    by_row: bool = False
    by_metric: str = "never"
    by_system: bool = False

    @property
    def names_by_path(self) -> bool:
        """Whether it calls systems by the paths of their files, not by file names, unless other names are asked for."""
        return self.of_sacrebleu

    @property
    def tabulates_one(self) -> bool:
        """Whether a single system is printed in the same way as several."""
        return not self.render_one

    def shows_bold(self, colour: bool) -> bool:
        """Return whether it has bold type; colour: whether it is printed on a terminal with colours."""
        return self.bold == "always" or (self.bold == "coloured" and colour)


# What several formats have in common: tables for documents, and rows or objects for programs
_TABLE = Format("", is_table=True, bold="always", styles=True, sorts=True)
_ROWS = Format("", shortens=False, by_row=True)
# By name
FORMATS = {
    "json": _ROWS._replace(
        render="bleucli.output.json_text.render_systems",
        render_one="bleucli.output.json_text.render",
        of_sacrebleu=True,
        rounds_tests=False,
        names_one=False,
        bare_lists=True,
        details=True,
        segments=True,
        render_segment="bleucli.output.json_text.score_line",
        by_metric="several",
    ),
    "jsonl": _ROWS._replace(
        render="bleucli.output.jsonl_text.render",
        rescales=False,
        rounds=False,
        rounds_tests=False,
        details=True,
        segments=True,
        appends=True,
    ),
    "text": _TABLE._replace(
        render="bleucli.output.tables.render",
        render_one="bleucli.output.lines.render",
        of_sacrebleu=True,
        bold="coloured",
        names_one=False,
        details=True,
        segments=True,
        render_segment="bleucli.output.lines.score_line",
    ),
    "latex": _TABLE._replace(render="bleucli.output.latex.render", of_sacrebleu=True, captions=True),
    "markdown": _TABLE._replace(render="bleucli.output.markdown.render"),
    "html": _TABLE._replace(render="bleucli.output.html_text.render", captions=True),
    "rst": _TABLE._replace(render="bleucli.output.rst.render", captions=True),
    "csv": _ROWS._replace(render="bleucli.output.csv_text.render", sorts=True, by_metric="always"),
    "tsv": _ROWS._replace(render="bleucli.output.csv_text.render_tabs", sorts=True, by_metric="always"),
    "junit": Format("bleucli.output.junit.render", reports_gates=True, by_system=True),
    "card": _ROWS._replace(
        render="bleucli.output.card.render", scale=1, names_one=False, by_metric="always", by_system=True
    ),
    "paper": Format("bleucli.output.paper.render", bold="always", styles=True, sorts=True, groups=False),
}
# Formats that print a table for people, and those whose tables have captions
TABLES = tuple(name for name, form in FORMATS.items() if form.is_table)
WITH_CAPTIONS = tuple(name for name, form in FORMATS.items() if form.captions)


def shows_bold(name: str, colour: bool) -> bool:
    """Return whether a format has bold type; text has it on a terminal with colours."""
    return FORMATS[name].shows_bold(colour)


def names_by_path(name: str) -> bool:
    """Return whether a format, by default, calls systems by the paths of their files rather than by file names."""
    return FORMATS[name].names_by_path


def render(results: Results, layout: Layout, name: str = "json") -> str:
    """Return results as text in one of `FORMATS`, by default JSON.

    `layout.score_only` has an effect only on a single system, as in sacreBLEU. With it, json lists the numbers of
    several metrics; all other formats, and json with one metric, print one number per line.

    Raises:
        BleuError: the format tells metrics or systems apart by their names, but two have the same one.
    """
    from importlib import import_module

    form = FORMATS[name]
    if form.of_sacrebleu and layout.style == "full":
        results = results.with_sacrebleu_p_values()
    if layout.scale != 100 and form.rescales:
        from bleucli.output.scale import rescale

        results = rescale(results, layout.scale)
    if results.matrix is not None:
        from bleucli.output import matrices

        if layout.sort is not None:
            results, layout = matrices.sort(results, results.matrix, layout.sort), layout._replace(sort=None)
        if form.by_row:
            results = results.with_averages()
    is_one = results.matrix is None and len(results.systems) + len(results.unscored) == 1
    if is_one and layout.score_only and not (form.bare_lists and len(results.systems[0].scores) > 1):
        form = FORMATS["text"]
    if form.by_metric == "always" or (form.by_metric == "several" and not is_one):
        _check_names(results, name)
    if form.by_system:
        _check_systems(results, name)
    module, _, function = (form.render_one if is_one and form.render_one else form.render).rpartition(".")
    return str(getattr(import_module(module), function)(results, layout))


def segment_renderer(name: str) -> Callable[[ScoreRecord, Layout], str]:
    """Return the function that renders the score of a segment in a format; in text, if the format has none."""
    from importlib import import_module

    module, _, function = (FORMATS[name].render_segment or FORMATS["text"].render_segment).rpartition(".")
    render: Callable[[ScoreRecord, Layout], str] = getattr(import_module(module), function)
    return render


def _check_names(results: Results, name: str) -> None:
    names = [record.name for record in results.systems[0].scores] if results.systems else []
    if len(set(names)) < len(names):
        from bleucli.errors import BleuError

        twice = next(one for one in names if names.count(one) > 1)
        raise BleuError(
            f"more than one metric is called {twice}, but {name} tells metrics apart by their names; score with one,"
            " then with the other"
        )


def _check_systems(results: Results, name: str) -> None:
    names = [system.name for system in results.systems]
    if len(set(names)) < len(names):
        from bleucli.errors import BleuError

        twice = next(one for one in names if names.count(one) > 1)
        # Systems have names of their own, but groups with missing and with empty values, for example, do not
        raise BleuError(
            f"more than one group is called {twice}, but {name} tells groups apart by their names; choose another"
            " format, or give the groups other values"
        )


def _find_place(sort: str, names: list[str]) -> int:
    from bleucli.errors import BleuError

    places = [place for place, name in enumerate(names) if name.lower() == str(sort).lower()]
    if not places:
        raise BleuError(f"sort={sort!r:.40}; expected one of {', '.join(dict.fromkeys(names))}")
    if len(places) > 1:
        name = names[places[0]]
        raise BleuError(f"sort={sort!r}, but more than one metric is called {name}; leave sort out, or score with one")
    return places[0]


def _knows_best(results: Results) -> bool:
    """Return whether the best scores of tested results are marked: a test of all pairs has found them."""
    return any(record.best for system in results.systems for record in system.scores)


def _refusal(fault: str, remedy: str) -> BleuError:
    from bleucli.errors import BleuError

    return BleuError(f"{fault}; expected {remedy}")


def _check_caption(name: str, caption: str, label: str) -> None:
    from bleucli.output.layout import is_label

    if (caption or label) and name not in WITH_CAPTIONS:
        raise _refusal(f"{'caption' if caption else 'label'}=... for {name}", f"one of {', '.join(WITH_CAPTIONS)}")
    if not isinstance(caption, str) or (caption and not caption.strip()):
        raise _refusal(f"caption={caption!r:.40}", "a text that is not blank")
    if label and not (caption and isinstance(label, str) and is_label(label)):
        raise _refusal(
            f"label={label!r}", "a caption, and a label such as tab:bleu: a letter, then letters, digits and : . _ -"
        )


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
    from bleucli.output.layout import STYLES, Layout, check_results
    from bleucli.results import DECIMALS, mark_best

    check_results(results)
    if name not in TABLES:
        raise _refusal(f"name={name!r}", f"one of {', '.join(TABLES)}")
    if style not in STYLES:
        raise _refusal(f"style={style!r}", f"one of {', '.join(STYLES)}")
    if (style == "stars" or difference) and results.test is None:
        raise _refusal("style='stars'" if style == "stars" else "difference=True", "results of a paired test")
    _check_caption(name, caption, label)
    if bold_best and not shows_bold(name, colour=False):
        raise _refusal(
            f"bold_best=True for {name}", f"one of {', '.join(one for one in TABLES if shows_bold(one, colour=False))}"
        )
    if bold_best and results.test is not None and not _knows_best(results):
        raise _refusal(
            "bold_best=True after a test against a baseline", "results of evaluate_systems(..., bold_best=True)"
        )
    if isinstance(scale, bool) or scale not in tuple(DECIMALS):  # a list has no hash
        raise _refusal(f"scale={scale!r:.40}", "100, or 1 for scores from 0 to 1")
    width = DECIMALS[scale] if width is None else width
    place = None if sort is None else _find_place(sort, [record.name for record in results.systems[0].scores])
    if isinstance(width, bool) or not isinstance(width, int) or not 0 <= width <= 1000:
        raise _refusal(f"width={width!r:.40}", "a number of decimals from 0 to 1000")
    if bold_best and results.test is None and results.matrix is None:  # a test or a matrix has marked the best already
        results = mark_best(results)
    layout = Layout(
        width,
        short,
        bold_best=bold_best,
        scale=scale,
        style=style,
        sort=place,
        difference=difference,
        caption=caption,
        label=label,
    )
    return render(results, layout, name)
