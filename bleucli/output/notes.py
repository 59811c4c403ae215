"""The notes under a table: how systems were tested, and the signatures.

- `sections`: at length, under headings, for the full style of text; `wrap`: its lines
- `brief`: the test in a sentence or two, and what the cells show
- `signatures`, `signatures_of`: those of all metrics or of one; where they differ between systems, one for each system
- `as_list`: `brief` and `signatures` as a list
- `tell_averages`, `tell_means`: what the averages of language pairs are, and how they were resampled
"""

from __future__ import annotations

from bleucli.output.layout import Layout
from bleucli.phrases import join_words, tell_count
from bleucli.prose.markup import visible
from bleucli.results import (
    FEWEST_SEGMENTS,
    SIGNIFICANT,
    TESTS,
    UNITS,
    Results,
    Test,
    name_row,
    tell_power,
    tell_references,
)
from bleucli.results.naming import name_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# How p-values come about, by method; the unit is a segment or a document
_P_VALUES = {
    "bs": (
        "p = (c + 1) / ({trials} + 1), where c is the number of resamples in which the absolute difference exceeds its"
        " mean over all resamples by more than the observed difference. A resample draws as many {unit}s as there are,"
        " with replacement, the same ones for every system."
    ),
    "ar": (
        "p = (c + 1) / ({trials} + 1), where c is the number of trials in which the absolute difference is larger than"
        " the observed one. In each {unit}, a trial exchanges the two outputs with a probability of 1/2."
    ),
}
# How they come about for what sacreBLEU does not have
_OWN_P_VALUES = {
    "bs": "For {averages}metrics that sacreBLEU lacks, p is at least 2/2^n where systems differ in n {unit}s.",
    "ar": (
        "For {averages}metrics that sacreBLEU lacks, c also counts trials with exactly the observed difference,"
        " and p is at least 2/2^n where systems differ in n {unit}s."
    ),
}
_MEANING = (
    "A star says that, by chance alone, the difference would seldom be larger. A difference without a star may be real,"
    " too."
)
_WIDTH = 79  # of sentences; signatures stay on one line, so that users can copy them

_INTERVALS = "In parentheses: the mean of the resamples' scores ± half the width of their 95% interval."
_HALF_WIDTHS = "After ±: half the width of the 95% bootstrap interval."
_IDENTICAL = "Identical: every segment has the same counts as in the baseline."
# By test, why a difference with a small p-value of sacreBLEU's may not be significant
_DOUBTS = {
    "ar": f"p is above {SIGNIFICANT} if trials with exactly the observed difference count",
    "bs": f"no difference in fewer than {FEWEST_SEGMENTS} {{unit}}s can be significant",
}
_RANKS = (
    "from 1 + the number of systems that are significantly better to the number of systems that are not"
    " significantly worse."
)
# By test, how averages over language pairs are resampled
_MEANS = {
    "ar": "Averages are tested, too: the outputs of each language pair are exchanged independently of those of the"
    " others.",
    "bs": "Averages are resampled, too: the segments of each language pair are drawn independently of those of the"
    " others.",
}
_NOT_CORRECTED = "not corrected for the number of tests"
_CORRECTED = "corrected for the number of pairs by step-down max-T (Romano & Wolf 2005)"
_CLUSTERS = "Systems in different clusters differ significantly; some in the same cluster may differ, too."
_BEST = f"Bold: the best score of a {{}}, and those that a test of all pairs, {_CORRECTED}, cannot distinguish from it."
_STARS = "Stars rest on p-values that are not corrected, so a score may be both starred and bold."
_DAGGERS = "Daggers rest on p-values that are not corrected, so a bold score may have one, too."


def sections(results: Results, layout: Layout) -> list[str]:
    """Return the test, if one was done, and the signatures, each under its heading, without a newline at the end."""
    parts = []
    if results.test is not None:
        parts.append((_name_test(results.test), wrap(" - ", _explain_test(results, layout))))
    elif results.pairs and (sentences := brief(results, layout)):
        parts.append(("Language pairs", [f" - {sentence}" for sentence in sentences]))
    lines = [f" - {name:<10} {signature}" for name, signature in signatures(results, layout)]
    parts.append(("Metric signatures", lines))
    rules = ["-" * len(heading) for heading, _ in parts]
    return ["\n".join([rule, heading, rule, *lines]) for rule, (heading, lines) in zip(rules, parts, strict=True)]


def wrap(mark: str, sentences: Sequence[str]) -> list[str]:
    """Return sentences as items of a list that fit a terminal; mark: what each begins with."""
    from textwrap import fill

    indent = " " * len(mark)
    return [
        fill(f"{mark}{sentence}", _WIDTH, subsequent_indent=indent, break_on_hyphens=False) for sentence in sentences
    ]


def _name_test(test: Test) -> str:
    name, trial = TESTS[test.method]
    unit = "" if test.unit == "segment" else f" of {UNITS[test.unit]}s"
    return f"{name}{unit}, {tell_count(test.trials, trial)}"


def signatures(results: Results, layout: Layout) -> list[tuple[str, str]]:
    """Return name and signature of each metric; where the systems' signatures differ, one for each system."""
    numbers = range(len(results.systems[0].scores))
    return [pair for number in numbers for pair in signatures_of(results, number, layout)]


def signatures_of(results: Results, number: int, layout: Layout) -> list[tuple[str, str]]:
    """Return the same for one metric; number: its index.

    In a matrix, each signature has the pairs that share it, and in a test of groups, the group.
    """
    name = results.systems[0].scores[number].name
    if not results.pairs and len(groups := results.groups()) > 1:
        return [
            (f"{one}, {visible(name_row('', group.systems[0].labels).strip())}" if one == name else one, signature)
            for group in groups
            for one, signature in signatures_of(group, number, layout)
        ]
    formats = [system.scores[number].signature.format(layout.short) for system in results.systems]
    if len(set(formats)) == 1:
        return [(name, formats[0])]
    if not results.pairs:
        return [(f"{name}, {visible(system.name)}", one) for system, one in zip(results.systems, formats, strict=True)]
    pairs_of: dict[str, dict[str, None]] = {}
    for row, signature in zip(results.systems, formats, strict=True):
        pairs_of.setdefault(signature, {})[row.pair] = None
    return [(f"{name}, {visible(', '.join(pairs))}", signature) for signature, pairs in pairs_of.items()]


def brief(results: Results, layout: Layout) -> list[str]:
    """Return sentences, not escaped, that say what the figures of a table mean; none if these are plain scores."""
    records = [record for system in results.systems for record in system.scores]
    is_full = layout.style == "full"
    sentences = []
    if results.has_baseline() and results.test is not None:
        mark = "† marks p ≤ 0.05" if results.pairs else "* marks p ≤ 0.05"
        baseline = _tell_baseline(results)
        sentences.append(
            f"{_name_test(results.test)}: each system is compared with {baseline}; {mark}, {_NOT_CORRECTED}."
        )
    elif results.test is not None:
        sentences.append(
            f"{_name_test(results.test)}: every system is compared with every other; systems differ at p ≤ 0.05,"
            f" {_CORRECTED}."
        )
    sentences += [*tell_means(results), *_tell_doubts(results)]
    if results.rankings:
        has_tables = is_full and not results.pairs
        start = "Ranks: " if has_tables else "In parentheses: the cluster, then the ranks, "
        sentences += [start + _RANKS, _CLUSTERS]
    elif is_full and any(record.identical for record in records):
        sentences.append(_IDENTICAL)
    if results.test is not None and layout.bold_best:
        best = _BEST.format("column" if results.pairs else "metric")
        mark = _DAGGERS if results.pairs else _STARS
        sentences.append(best if results.rankings else f"{best} {mark}")
    if layout.style != "stars" and any(record.interval for record in records):
        sentences.append(_INTERVALS if is_full else _HALF_WIDTHS)
    if layout.difference and (not results.pairs or results.averages):
        sentences.append(_tell_difference(results))
        sentences += agreements(results, layout)
    # Under a table of language pairs, these sentences would take more room than the table
    for place, _ in enumerate(() if results.pairs else results.systems[0].scores):
        for group in results.groups():
            names = [visible(system.name) for system in group.systems]
            powers = [
                tell_power(record, names, at, layout.of(record).width + 1)
                for at, record in enumerate(one.scores[place] for one in group.systems)
            ]
            sentences += filter(None, powers)
    return sentences + tell_averages(results)


def agreements(results: Results, layout: Layout) -> list[str]:
    """Return how often people agree with the order of each system and the baseline: a sentence for each metric."""
    from bleucli.results import citations
    from bleucli.results.citations import tell_share

    if results.pairs or len(results.groups()) > 1 or results.segments == 1:
        return []
    sentences = []
    for place, first in enumerate(results.systems[0].scores):
        shares = []
        for system in results.systems:
            difference = system.scores[place].difference
            points = 0.0 if difference is None else difference.value * 100 / layout.scale
            share = system.scores[place].agreement(points)
            if share is not None:
                shares.append(f"{visible(system.name)} {tell_share(share)}")
        if shares:
            source = citations.cite([citations.AGREEMENT])
            baseline = "the first system" if results.rankings else "the baseline"
            sentences.append(
                f"Where two systems differ as much by {first.name} as each of these and {baseline}, people agree with"
                f" their order{source}: {', '.join(shares)}."
            )
    return sentences


def tell_means(results: Results) -> list[str]:
    """Return how averages over language pairs were resampled, in a sentence; none if they were not."""
    methods = [key for mean in results.averages for key in mean.scores[0].signature.info if key in _MEANS]
    if methods == ["ar"]:  # of a single system, which is compared with none
        return []
    return [_MEANS[key] for key in dict.fromkeys(methods)]


def tell_averages(results: Results) -> list[str]:
    """Return what the averages of several language pairs are, in sentences; none without such averages."""
    if len(results.pairs) < 2:
        return []
    if not results.averages:
        return ["There are no averages, because no system has a score for every language pair."]
    sentences = [
        f"The average is the mean over the {len(results.pairs)} language pairs, for systems with output for each."
    ]
    for record in results.averages[0].scores:
        tokenizers = str(record.signature.info.get("tok", "")).split(",")
        if len(tokenizers) > 1:
            mixture = join_words(tokenizers)
            sentences.append(f"The average {record.name} mixes scores by different tokenizers: {mixture}.")
    if references := tell_references(results.systems):
        sentences.append(
            f"The averages mix language pairs with different numbers of references: {visible(references)}."
        )
    return sentences


def _tell_doubts(results: Results) -> list[str]:
    """Return a sentence about the differences that are significant only by sacreBLEU's p-values."""
    doubtful = [
        (f"{visible(system.name)} by {record.name}", record)
        for system in results.systems
        for record in system.scores
        if _is_significant(record.sacrebleu_p_value) and not record.differs
    ]
    if results.test is None or results.rankings or not doubtful:
        return []
    names = join_words([name for name, _ in doubtful])
    mark = "dagger" if results.pairs else "star"
    reason = _DOUBTS[results.test.method].format(unit=UNITS[results.test.unit])
    if any(_is_significant(record.p_value) for _, record in doubtful):  # a format that prints sacreBLEU's p-values
        return [f"{names}: the {mark} follows sacreBLEU, but the difference is not significant, because {reason}."]
    return [f"{names}: no {mark} here, unlike in sacreBLEU, because {reason}."]


def _is_significant(p_value: float | None) -> bool:
    return p_value is not None and p_value <= SIGNIFICANT


def _tell_baseline(results: Results) -> str:
    """Return the baseline with its name, unless it is a column of standard input, which is only called "Baseline".

    >>> from bleucli.results import SystemResult
    >>> _tell_baseline(Results([SystemResult("a.txt", [])], 0, []))
    'the baseline, a.txt'
    """
    name = results.systems[0].bare_name
    return "the baseline" if name == name_column(0) else f"the baseline, {visible(name)}"


def _tell_difference(results: Results) -> str:
    baseline = _tell_baseline(results)
    if results.rankings:
        baseline = f"the first system, {visible(results.systems[0].bare_name)}"
    sentence = f"Δ: the difference from {baseline}"
    records = [record for system in results.systems for record in system.scores]
    if any(record.difference is not None and record.difference.low is not None for record in records):
        sentence += "; in brackets, its 95% interval by bootstrap"
    return f"{sentence}."


def _explain_test(results: Results, layout: Layout) -> list[str]:
    """Return `brief`; for a test against a baseline also how its p-values come about, and what they mean."""
    first, *remainder = brief(results, layout)
    if results.test is None or results.rankings:
        return [first, *remainder]
    method, trials, unit = results.test
    records = [record for group in results.groups() for system in group.systems[1:] for record in system.scores]
    sentences = [_P_VALUES[method]]
    if any(record.sacrebleu_p_value is None for record in records) or results.averages:
        sentences.append(_OWN_P_VALUES[method])
    averages = "averages, " if results.averages else ""
    sentences = [sentence.format(trials=trials, unit=UNITS[unit], averages=averages) for sentence in sentences]
    return [first, *sentences, _MEANING.replace("star", "dagger") if results.pairs else _MEANING, *remainder]


def as_list(results: Results, layout: Layout, escape: Callable[[str], str], quote: str) -> str:
    """Return the notes and the signatures as a list, for formats that mark items with "- ".

    escape: turns plain text into text of the format. quote: the mark before and after a signature.
    """
    notes = [f"- {escape(sentence)}" for sentence in brief(results, layout)]
    notes += [f"- {escape(name)}: {quote}{signature}{quote}" for name, signature in signatures(results, layout)]
    return "\n".join(notes)
