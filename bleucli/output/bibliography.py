"""What scores cite: metrics, tokenizers, smoothing, tests and the tool.

- `Use`, `find_use`: what is used in scoring and has to be cited
- `papers`, `bibtex`: what to cite
- `cite`: the same for finished results
- `find_paper`, `find_tokenizer`, `cites_smoothing`, `follows_sacrebleu`: what a score cites, by its name and signature
- `compares_texts`, `shows_intervals`: what a score was made from, and whether a table has intervals
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.output import citations
from bleucli.output.citations import Paper, Tokenizer
from bleucli.output.layout import Layout, check_results
from bleucli.records import NamedTuple
from bleucli.results import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Use(NamedTuple):
    """What is used in scoring and has to be cited.

    scores: the name and the signature of each score. method: the paired test, "bs" or "ar"; None without a test.
    corrected: whether its p-values are corrected for the number of pairs. intervals: whether scores or differences have
    intervals. distinct: whether distinct n-grams are counted.
    """

    scores: Sequence[tuple[str, Mapping[str, str]]]
    method: str | None = None
    corrected: bool = False
    intervals: bool = False
    distinct: bool = False


def find_use(results: Results, layout: Layout) -> Use:
    """Return what was used for the results that a layout prints."""
    rows = results.systems[:1] if results.matrix is None else results.systems  # language pairs differ in tokenizers
    records = [record for row in rows for record in row.scores]
    return Use(
        [(record.name, record.signature.info) for record in records],
        None if results.test is None else results.test.method,
        bool(results.rankings) or layout.bold_best,
        shows_intervals(results, layout),
        any(record.shares for record in records),
    )


def papers(use: Use) -> list[Paper]:
    """Return what to cite, in the order in which it was used."""
    found: list[Paper | None] = []
    for name, info in use.scores:
        found.append(find_paper(name, info))
        found.append(citations.DISTINCT if use.distinct else None)
        if "smooth" in info:
            tokenizer = find_tokenizer(info)
            found += tokenizer.papers if tokenizer else ()
            found.append(citations.SMOOTHING if cites_smoothing(info) else None)
    found.append(citations.SACREBLEU if any(follows_sacrebleu(*one) for one in use.scores) else None)
    if use.method is not None:
        found.append(citations.TESTS[use.method])
        found.append(citations.STEP_DOWN if use.corrected else None)
    if use.intervals:
        found.append(citations.BOOTSTRAP)
    return [paper for paper in dict.fromkeys(found) if paper is not None]


def bibtex(use: Use) -> str:
    """Return BibTeX entries for what to cite, the last one for the tool."""
    version = next((info["version"] for _, info in use.scores if "version" in info), "")
    noted = [("note", f"Version {version.removeprefix('bleucli-')}")] if version else []
    tool = citations.write_entry(
        "misc", "bleucli", [("author", "{The bleucli developers}"), ("title", "{bleucli}"), *noted]
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


def follows_sacrebleu(name: str, info: Mapping[str, str]) -> bool:
    """Return whether sacreBLEU has this metric with these settings; Self-BLEU counts as BLEU."""
    tokenizer = find_tokenizer(info)
    # sacreBLEU has no custom tokenizers, lacks some kinds of smoothing, and does not skip empty references
    is_foreign = "smooth" in info and (tokenizer is None or tokenizer.start == "spm-")
    own = info.get("smooth", "").startswith(("add-one", "chen-cherry")) or is_foreign
    paper = find_paper(name, info)
    return paper is not None and paper is not citations.EDIT_DISTANCE and not own and "empty" not in info


def compares_texts(info: Mapping[str, str]) -> bool:
    """Return whether a score was made from texts, not from the scores of another tool."""
    return "nrefs" in info


def find_paper(name: str, info: Mapping[str, str]) -> Paper | None:
    """Return the paper of a metric, by the name of its score; None for the scores of another tool."""
    if not compares_texts(info):
        return None
    return next((paper for pattern, paper in citations.METRICS if pattern.match(name)), None)


def find_tokenizer(info: Mapping[str, str]) -> Tokenizer | None:
    """Return the tokenizer of a BLEU score, if it is a known one."""
    signed = info.get("tok", "") if "smooth" in info else ""
    return next(
        (
            one
            for one in citations.TOKENIZERS
            if signed == one.start or (one.start.endswith("-") and signed.startswith(one.start))
        ),
        None,
    )


def cites_smoothing(info: Mapping[str, str]) -> bool:
    """Return whether a smoothing is one that Chen & Cherry name or compare, other than the default."""
    return info.get("smooth", "").startswith(("chen-cherry", "floor", "add-k"))
