"""What scores cite: metrics, tokenizers, smoothing, tests and the tool.

- `Use`, `find_use`: what is used in scoring and has to be cited
- `papers`, `bibtex`: what to cite
- `cite`: the same for finished results
- `compares_texts`, `shows_intervals`: what a score was made from, and whether a table has intervals
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.output.layout import Layout, check_results
from bleucli.records import NamedTuple
from bleucli.results import Description, Results, citations
from bleucli.results.citations import Paper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Use(NamedTuple):
    """What is used in scoring and has to be cited.

    scores: for each score, what its metric says of it. version: that of the tool, as signatures have it; "" if unknown.
    method: the paired test, "bs" or "ar"; None without a test. corrected: whether its p-values are corrected for the
    number of pairs. intervals: whether scores or differences have intervals. distinct: whether distinct n-grams are
    counted.
    """

    scores: Sequence[Description]
    version: str = ""
    method: str | None = None
    corrected: bool = False
    intervals: bool = False
    distinct: bool = False


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
    return [paper for paper in dict.fromkeys(candidates) if paper is not None]


def bibtex(use: Use) -> str:
    """Return BibTeX entries for what to cite, the last one for the tool."""
    note = [("note", f"Version {use.version.removeprefix('bleucli-')}")] if use.version else []
    tool = citations.write_entry(
        "misc", "bleucli", [("author", "{The bleucli developers}"), ("title", "{bleucli}"), *note]
    )
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


def compares_texts(info: Mapping[str, str]) -> bool:
    """Return whether a score was made from texts, not from the scores of another tool."""
    return "nrefs" in info
