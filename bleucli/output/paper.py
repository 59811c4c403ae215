"""Markdown, and what to write about scores in a paper: table, sentences, facts, what to cite.

- `render_markdown`: tables, and a list that explains the figures and gives the signatures
- `render`: tables, and all that is to be written, also in Markdown
- `sentences`: how the scores were made and tested, as prose, in plain text
- `facts`, `facts_of`: the same as a list, of all scores and of one metric's
- `Use`, `find_use`: what is used in scoring and has to be cited; `papers`, `bibtex`: what to cite for that
- `cite`: the same for finished results, from Python

Every statement follows from signatures and results. What is said of a metric's settings, and cited for it, comes from
the metric itself (`ScoreRecord.description`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bleucli.output import notes
from bleucli.output.grids import Grid, Markup, grids, pad, width
from bleucli.output.layout import Layout, check_results
from bleucli.phrases import join_words, tell_count
from bleucli.prose.markup import visible
from bleucli.records import NamedTuple
from bleucli.results import TESTS, UNITS, Description, Results, ScoreRecord, citations
from bleucli.results.citations import Paper
from bleucli.results.signature import ELSEWHERE

# --- Markdown

# What has a special meaning within a line (GitHub Flavored Markdown 0.29; $ is GitHub's mathematics)
_SPECIAL_IN_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&$]")


def render_markdown(results: Results, layout: Layout) -> str:
    """Return tables in Markdown, as GitHub reads it, and the list."""
    blocks = [*_tables(results, layout), notes.as_list(results, layout, escape_markdown, "`")]
    return "\n\n".join(blocks) + "\n"


def _tables(results: Results, layout: Layout) -> list[str]:
    """Return the tables, each under its title if it needs one."""
    tables = grids(results, layout, Markup(escape_markdown, "**{}**".format, " "))
    return [f"{escape_markdown(grid.title)}\n\n{_pipe_table(grid)}".removeprefix("\n\n") for grid in tables]


def _pipe_table(grid: Grid) -> str:
    lines = [line for row in pad(grid) for line in row]
    first, *others = map(width, lines[0])
    name = f":{'-' * (first + 1)}" if grid.align == "left" else f"{'-' * (first + 1)}:"
    rule = "|".join([name, *(f":{'-' * size}:" for size in others)])
    header, *rows = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([header, f"|{rule}|", *rows])


def escape_markdown(text: str) -> str:
    r"""Return text escaped for a line of Markdown.

    >>> print(escape_markdown("a_b|c"))
    a\_b\|c
    """
    return _SPECIAL_IN_MARKDOWN.sub(r"\\\g<0>", text)


# --- a paper


def render(results: Results, layout: Layout) -> str:
    """Return the tables of `markdown`, then sections."""

    def section(heading: str, lines: Iterable[str]) -> str:
        return "\n".join([f"### {heading}\n", *lines])

    escape = escape_markdown
    below = "\n".join(f"- {escape(sentence)}" for sentence in notes.brief(results, layout))
    blocks = [*_tables(results, layout), *([below] if below else [])]
    blocks.append(section("What to write", map(escape, sentences(results, layout))))
    items = [f"- {label}: {escape(text)}" for label, text in facts(results, layout)]
    for number, record in enumerate(results.systems[0].scores):
        items.append(f"- {escape(record.name)}")
        for name, signature in notes.signatures_of(results, number, layout):
            items.append(f"  - Signature{escape(name.removeprefix(record.name))}: `{signature}`")
        items += [f"  - {label}: {escape(text)}" for label, text in facts_of(results, number)]
    blocks.append(section("How the scores were made", items))
    references = [f"- {escape(paper.full)}" for paper in papers(find_use(results, layout))]
    scores = results.systems[0].scores
    references += [f"- {escape(one.name)}: {_UNKNOWN}" for one in scores if ELSEWHERE in one.signature.info]
    if test_set := scores[0].signature.info.get("test"):
        references.append(f"- the test set: `bleu -t {test_set} --cite` prints its paper, if one is known")
    if references:
        blocks.append(section("What to cite", references))
    return "\n\n".join(blocks) + "\n"


# --- prose

# What has to be added about scores from elsewhere
_UNKNOWN = "the metric's paper, model and version"


def sentences(results: Results, layout: Layout) -> list[str]:
    """Return sentences for a paper, without line breaks, even in systems' names."""
    if results.pairs:
        return list(_sentences_about_pairs(results, layout))
    records = results.systems[0].scores
    info = records[0].signature.info
    if "nrefs" not in info:  # they come from another tool
        lines = [f"Scores are means over {tell_count(results.segments, 'segment')}, computed with {_name_tool(info)}."]
    else:
        metrics = [_cite_metric(record) for record in records if record.scale is None]
        sizes = [tell_count(results.segments, "segment")] if results.segments else []  # not known of tables of scores
        texts = " of ".join([*sizes, *([_tell_test_set(info)] if "test" in info else [])])
        data = f"{f' on {texts}' if texts else ''} with {_tell_references(info)}"
        if comparison := _tell_comparison(results):
            metrics.append(f"distinct n-grams of orders 1 to {len(records[0].shares)} ({citations.DISTINCT.short})")
            data = ""
        lines = [f"We report {join_words(metrics)}{data}, computed with {_name_tool(info)}{_tell_sacrebleu(records)}."]
        lines += [f"Each text is scored against {comparison}."] if comparison else []
        lines += filter(None, map(_tell_settings, records))
        lines += [_tell_elsewhere(record) for record in records if record.scale is not None]
    if layout.scale != 100:
        lines.append(f"{_tell_range(records)}.")
    return [*lines, *_tell_sampling(results, layout)]


def _tell_elsewhere(record: ScoreRecord) -> str:
    """Return a sentence about scores from elsewhere, with room for what only the author knows."""
    return f"{record.name} is the mean of the scores of segments, computed with [{_UNKNOWN}]."


def _cite_metric(record: ScoreRecord) -> str:
    paper = record.description.paper
    return f"{record.name} ({paper.short})" if paper else record.name


def _tell_range(records: Sequence[ScoreRecord]) -> str:
    """Say the range of scores that are not in percent."""
    has_errors = any(record.higher_is_better is False and record.scale is None for record in records)
    return f"Scores range from 0 to 1{'; error rates may be higher' if has_errors else ''}"


def _tell_settings(record: ScoreRecord) -> str:
    """Return how a metric was set, in a sentence; "" if it says nothing about that."""
    description = record.description
    parts = [f"is {description.case}"] if description.case else []
    parts += [f"uses {join_words(description.uses)}"] if description.uses else []
    return f"{record.name} {' and '.join(parts)}." if parts else ""


def _tell_sampling(results: Results, layout: Layout) -> Iterator[str]:
    """Say how scores were resampled and tested; nothing if they were not."""
    records = results.systems[0].scores
    info = records[0].signature.info
    if results.test is not None:
        name, trial = TESTS[results.test.method]
        citation = citations.cite([citations.TESTS[results.test.method]])
        unit = "" if results.test.unit == "segment" else f" of whole {UNITS[results.test.unit]}s"
        test = f"{name}{citation}{unit} with {tell_count(results.test.trials, trial)}{_tell_seed(info, ' and ')}"
        if results.rankings:
            correction = f"corrected for the number of pairs by step-down max-T ({citations.STEP_DOWN.short})"
            yield f"{test} compared every system with every other; p-values are {correction}."
        else:
            names = results.names or [system.bare_name for system in results.groups()[0].systems]
            baseline, *systems = map(visible, names)
            opponent = systems[0] if len(systems) == 1 else "every other system"
            yield f"{test} compared {opponent} with {baseline}; p-values are not corrected for multiple comparisons."
    if shows_intervals(results, layout):
        resamples = tell_count(int(info["bs"]), "bootstrap resample") if "bs" in info else "bootstrap resamples"
        seed = "" if results.test is not None else _tell_seed(info, " with ")
        unit = f" of whole {UNITS[info['unit']]}s" if "unit" in info else ""
        yield f"Confidence intervals (95%) are from {resamples}{unit} ({citations.BOOTSTRAP.short}){seed}."


def _tell_seed(info: dict[str, str], joint: str) -> str:
    if "seed" not in info:
        return ""
    return joint + ("no fixed seed" if info["seed"] == "none" else f"seed {info['seed']}")


def _name_tool(info: dict[str, str]) -> str:
    return info.get("version", "bleucli").replace("-", " ", 1)


def _tell_sacrebleu(records: Sequence[ScoreRecord]) -> str:
    """Return for which metrics the tool follows sacreBLEU: those whose settings sacreBLEU has, too."""
    own = [record for record in records if record.scale is None]
    alike = [record.name for record in own if record.description.follows_sacrebleu]
    if not alike:
        return ""
    only = "" if len(alike) == len(own) else f" for {join_words(alike)}"
    return f", which follows sacreBLEU ({citations.SACREBLEU.short}){only}"


def _tell_references(info: dict[str, str]) -> str:
    number = info.get("nrefs", "")
    phrase = {"var": "varying numbers of references", "1": "one reference each"}.get(
        number, f"{number} references each"
    )
    return f"{phrase}, without empty ones" if info.get("empty") == "missing" else phrase


def _tell_comparison(results: Results) -> str:
    """Return against how many others each text is scored, if texts are compared with each other; else ""."""
    if not results.systems[0].scores[0].shares:
        return ""
    numbers = {system.scores[0].signature.info["nrefs"] for system in results.systems}
    if "var" in numbers:
        return "the others of its group"
    counts = sorted(map(int, numbers))
    return f"{counts[0]} to {counts[-1]} others" if len(counts) > 1 else tell_count(counts[0], "other")


def _tell_test_set(info: dict[str, str]) -> str:
    """Return the test set and which part of it was scored.

    >>> _tell_test_set({"test": "wmt17", "lang": "en-de", "origlang": "non-en"})
    'wmt17 (en-de; only segments not first written in en)'
    """
    parts = [info["lang"]] if "lang" in info else []
    if "origlang" in info:
        origlang = info["origlang"]
        condition = (
            f"not first written in {origlang[4:]}" if origlang.startswith("non-") else f"first written in {origlang}"
        )
        parts.append(f"only segments {condition}")
    if "subset" in info:
        parts.append(f"only the subset {info['subset']}")
    return info["test"].replace(",", " and ") + (f" ({'; '.join(parts)})" if parts else "")


# --- language pairs


def _sentences_about_pairs(results: Results, layout: Layout) -> Iterator[str]:
    records = results.systems[0].scores
    metrics = join_words([_cite_metric(record) for record in records if record.scale is None])
    tool = f"{_name_tool(records[0].signature.info)}{_tell_sacrebleu(records)}"
    parts = _by_pair(results)
    yield f"We report {metrics} on {tell_count(len(parts), 'language pair')}, computed with {tool}."
    references = [(pair, _tell_references(of.systems[0].scores[0].signature.info)) for pair, of in parts]
    for phrase, pairs in _group_pairs(references):
        of_pairs = f" of {pairs}" if pairs else ""
        yield f"Each segment{of_pairs} has {phrase.removesuffix(' each').replace(' each,', ',')}."
    for number in range(len(records)):
        settings = [(pair, _tell_settings(of.systems[0].scores[number])) for pair, of in parts]
        for phrase, pairs in _group_pairs((pair, phrase) for pair, phrase in settings if phrase):
            yield f"For {pairs}, {phrase}" if pairs else phrase
    yield from (_tell_elsewhere(record) for record in records if record.scale is not None)
    if layout.scale != 100:
        yield f"{_tell_range(records)}."
    yield from notes.tell_averages(results)[:1]
    yield from _tell_sampling(results, layout)
    yield from notes.tell_means(results)


def _by_pair(results: Results) -> list[tuple[str, Results]]:
    """Return each language pair that has scores, with its results."""
    rows = [(pair, [row for row in results.systems if row.pair == pair]) for pair in results.pairs]
    return [(pair, Results(of, of[0].segments or 0, [], results.test, results.rankings)) for pair, of in rows if of]


def _group_pairs(texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each text about language pairs with the pairs that it holds for; "" if it holds for all.

    >>> _group_pairs([("en-de", "one"), ("en-zh", "two"), ("en-fr", "one")])
    [('one', 'en-de and en-fr'), ('two', 'en-zh')]
    """
    pairs_of: dict[str, list[str]] = {}
    for pair, text in texts:
        pairs_of.setdefault(text, []).append(visible(pair))
    return [(text, "" if len(pairs_of) == 1 else join_words(pairs)) for text, pairs in pairs_of.items()]


def _group_facts(facts_by_pair: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> list[tuple[str, str]]:
    """Return facts of language pairs; where they differ, the labels name the pairs."""
    facts_of_label: dict[str, list[tuple[str, str]]] = {}
    for pair, pair_facts in facts_by_pair:
        for label, text in pair_facts:
            facts_of_label.setdefault(label, []).append((pair, text))
    return [
        (f"{label}, {pairs}" if pairs else label, text)
        for label, pair_texts in facts_of_label.items()
        for text, pairs in _group_pairs(pair_texts)
    ]


# --- lists


def facts(results: Results, layout: Layout) -> list[tuple[str, str]]:
    """Return the facts that hold for all scores, each with a label."""
    if results.pairs:
        parts = _by_pair(results)
        pairs = visible(", ".join(pair for pair, _ in parts))
        entries = _group_facts((pair, facts(of, layout)) for pair, of in parts)
        if len(parts) > 1:
            entries = [("Segments of each pair" if label == "Segments" else label, text) for label, text in entries]
        return [("Language pairs", pairs), *entries]
    records = results.systems[0].scores
    info = records[0].signature.info
    entries = [("Tool", f"{_name_tool(info)}{_tell_sacrebleu(records)}")]
    if comparison := _tell_comparison(results):
        return [*entries, ("Compared", f"each text with {comparison}")]
    entries.append(("Segments", str(results.segments)))
    if "nrefs" in info:
        entries.append(("References", _tell_references(info)))
        entries.append(("Test set", _tell_test_set(info) if "test" in info else "your own files; describe them"))
    if layout.scale != 100:
        entries.append(("Scale", _tell_range(records)))
    sampling = [*([] if results.test is not None else ["Not tested."]), *_tell_sampling(results, layout)]
    return [*entries, ("Significance", " ".join(sampling))]


def facts_of(results: Results, number: int) -> list[tuple[str, str]]:
    """Return the facts that hold for the scores by one metric, each with a label; number: of the metric, from 0."""
    if results.pairs:
        return _group_facts((pair, facts_of(of, number)) for pair, of in _by_pair(results))
    # All systems have the same settings, but whether n-grams match depends on their texts
    counts = [system.scores[number].figures.counts for system in results.systems]
    matched = all(some and all(some) for some in counts)
    description = results.systems[0].scores[number].description
    return [(fact.label, fact.text + fact.if_matched * matched) for fact in description.facts]


# --- what to cite


class Use(NamedTuple):
    """What is used in scoring and has to be cited."""

    scores: Sequence[Description]  # for each score, what its metric says of it
    version: str = ""  # that of the tool, as signatures have it; "" if unknown
    method: str | None = None  # the paired test, "bs" or "ar"; None without a test
    corrected: bool = False  # its p-values are corrected for the number of pairs
    intervals: bool = False  # scores or differences have intervals
    distinct: bool = False  # distinct n-grams are counted
    agreement: bool = False  # it is said how often people agree with a difference


def find_use(results: Results, layout: Layout) -> Use:
    """Return what was used for the results that a layout prints."""
    rows = results.systems if results.pairs else results.systems[:1]  # language pairs differ in tokenizers
    records = [record for row in rows for record in row.scores]
    return Use(
        [record.description for record in records],
        next((record.signature.info["version"] for record in records if "version" in record.signature.info), ""),
        None if results.test is None else results.test.method,
        bool(results.rankings) or layout.bold_best,
        shows_intervals(results, layout),
        any(record.shares for record in records),
        layout.difference and bool(notes.agreements(results, layout)),
    )


def papers(use: Use) -> list[Paper]:
    """Return what to cite, in the order in which it was used."""
    candidates: list[Paper | None] = []
    for description in use.scores:
        candidates += [description.paper, citations.DISTINCT if use.distinct else None, *description.papers]
    candidates.append(citations.SACREBLEU if any(one.follows_sacrebleu for one in use.scores) else None)
    if use.method is not None:
        candidates.append(citations.TESTS[use.method])
        candidates.append(citations.STEP_DOWN if use.corrected else None)
    if use.intervals:
        candidates.append(citations.BOOTSTRAP)
    candidates.append(citations.AGREEMENT if use.agreement else None)
    return [paper for paper in dict.fromkeys(candidates) if paper is not None]


def bibtex(use: Use) -> str:
    """Return BibTeX entries for what to cite, the last one for the tool."""
    fields = {"author": "{The bleucli developers}", "title": "{bleucli}"}
    if use.version:
        fields["note"] = f"Version {use.version.removeprefix('bleucli-')}"
    tool = "\n".join(["@misc{bleucli,", *(f"  {name} = {{{value}}}," for name, value in fields.items()), "}"])
    return "\n\n".join([*(paper.bibtex for paper in papers(use)), tool]) + "\n"


def cite(results: Results, *, bold_best: bool = False) -> str:
    """Return what to cite for results: metrics, tokenizers, tests and the tool, as BibTeX.

    Args:
        results: results of at least one system, as `bleucli.evaluate_systems` returns them.
        bold_best: whether your table shows the best scores in bold; if systems were tested, this rests on a test of all
            pairs, whose correction is then cited.

    Raises:
        BleuError: the results have no system.
        InputTypeError: `results` are not results.

    >>> from bleucli import cite, evaluate_systems
    >>> results = evaluate_systems({"ours": ["a b c d"]}, [["a b c e"]], ["bleu", "ter"])
    >>> [line for line in cite(results).splitlines() if line.startswith("@")]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['@inproceedings{papineni-etal-2002-bleu,', '@inproceedings{snover-etal-2006-study,',
     '@inproceedings{post-2018-call,', '@misc{bleucli,']
    """
    check_results(results)
    return bibtex(find_use(results, Layout(bold_best=bold_best)))


def shows_intervals(results: Results, layout: Layout) -> bool:
    """Return whether a table has intervals: of scores, or of differences, which use the same resamples."""
    is_shown = layout.style != "stars" or layout.difference
    return is_shown and any(record.interval for record in results.systems[0].scores)
