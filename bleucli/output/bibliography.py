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

# By the names of built-in scores, for `_describe`
_PAPERS = {
    "BLEU": citations.BLEU,
    "TER": citations.TER,
    "WER": citations.EDIT_DISTANCE,
    "CER": citations.EDIT_DISTANCE,
    "Self-BLEU": citations.SELF_BLEU,
}


class Use(NamedTuple):
    """What is used in scoring and has to be cited.

    scores: for each score, what its metric says of it, and what its signature says; the name of a built-in metric's
    score stands for what that metric says. method: the paired test, "bs" or "ar"; None without a test. corrected:
    whether its p-values are corrected for the number of pairs. intervals: whether scores or differences have intervals.
    distinct: whether distinct n-grams are counted.
    """

    scores: Sequence[tuple[Description | str, Mapping[str, str]]]
    method: str | None = None
    corrected: bool = False
    intervals: bool = False
    distinct: bool = False


def find_use(results: Results, layout: Layout) -> Use:
    """Return what was used for the results that a layout prints."""
    rows = results.systems if results.pairs else results.systems[:1]  # language pairs differ in tokenizers
    records = [record for row in rows for record in row.scores]
    return Use(
        [(record.description, record.signature.info) for record in records],
        None if results.test is None else results.test.method,
        bool(results.rankings) or layout.bold_best,
        shows_intervals(results, layout),
        any(record.shares for record in records),
    )


def papers(use: Use) -> list[Paper]:
    """Return what to cite, in the order in which it was used."""
    candidates: list[Paper | None] = []
    descriptions = [_describe(one, info) if isinstance(one, str) else one for one, info in use.scores]
    for description in descriptions:
        candidates.append(description.paper)
        candidates.append(citations.DISTINCT if use.distinct else None)
        candidates += description.papers
    candidates.append(citations.SACREBLEU if any(one.follows_sacrebleu for one in descriptions) else None)
    if use.method is not None:
        candidates.append(citations.TESTS[use.method])
        candidates.append(citations.STEP_DOWN if use.corrected else None)
    if use.intervals:
        candidates.append(citations.BOOTSTRAP)
    return [paper for paper in dict.fromkeys(candidates) if paper is not None]


def bibtex(use: Use) -> str:
    """Return BibTeX entries for what to cite, the last one for the tool."""
    version = next((info["version"] for _, info in use.scores if "version" in info), "")
    note = [("note", f"Version {version.removeprefix('bleucli-')}")] if version else []
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


def _describe(name: str, info: Mapping[str, str]) -> Description:
    """Return what a built-in metric cites, by the name of its score.

    Only for `bleu --cite`, which makes no scores and gives names. Whoever has the metric gives what it says itself.
    """
    if name.startswith("chrF"):
        paper: Paper | None = citations.CHRF_WORDS if name.endswith("+") else citations.CHRF
    else:
        paper = _PAPERS.get(name)
    follows = paper not in (None, citations.EDIT_DISTANCE) and "empty" not in info
    if paper not in (citations.BLEU, citations.SELF_BLEU):
        return Description(paper, follows_sacrebleu=follows)
    tokenizer, smooth = citations.find_tokenizer(info.get("tok", "")), info.get("smooth", "")
    is_own = tokenizer is None or tokenizer.start == "spm-" or smooth.startswith(("add-one", "chen-cherry"))
    cites_smoothing = smooth.startswith(("chen-cherry", "floor", "add-k"))
    papers = [*(tokenizer.papers if tokenizer else ()), *([citations.SMOOTHING] if cites_smoothing else [])]
    return Description(paper, papers=papers, follows_sacrebleu=follows and not is_own)
