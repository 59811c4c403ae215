"""How much of a score, and of a difference, is typography: the same texts scored with it alike.

- `with_variants`: each metric, the one that makes typography alike as well, and the one that also ignores case
- `in_threes`: what these three counted
- `Alike`: what such a metric measures; `measure` computes it
- `tell_score`, `tell_difference`: the same in sentences
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.counting import CorpusStats
from bleucli.metrics.base import Metric
from bleucli.prose.blocks import Block, Heading, Paragraph
from bleucli.records import NamedTuple
from bleucli.results import show_p
from bleucli.significance.comparison import Sampling, compare_two
from bleucli.significance.resampling import TRIALS
from bleucli.text.typography import KINDS, TYPOGRAPHY

_STEPS = (",".join(TYPOGRAPHY), ",".join(KINDS))
_MARKS = "quotation marks, dashes, spaces and the like made alike in outputs and references"
# What sentences say of each step first, with how to score that way; and after another step
_FIRST = (
    f"With {_MARKS} (--normalize typography; in Python normalize='typography')",
    f"With {_MARKS} and case ignored (--normalize typography,case; in Python normalize='typography,case')",
)
_AS_WELL = "With case ignored as well"


class Alike(NamedTuple):
    """The scores of one or two systems with some kinds of characters alike.

    kinds: which, as in signatures. scores: of each system, in percent. p_value: that of the difference between two
    systems; None for one.
    """

    kinds: str
    scores: Sequence[float]
    p_value: float | None


def with_variants(metrics: Sequence[Metric]) -> list[Metric]:
    """Return each metric, followed by one that makes typography alike, and one that ignores case as well."""
    return [one for metric in metrics for one in (metric, *map(metric.normalizing, _STEPS))]


def in_threes(stats: Sequence[CorpusStats]) -> Iterator[tuple[CorpusStats, tuple[CorpusStats, CorpusStats]]]:
    """Give what each metric counted, and what its two variants counted, from the statistics of `with_variants`."""
    return zip(stats[::3], zip(stats[1::3], stats[2::3], strict=True), strict=True)


def measure(systems: Sequence[Sequence[CorpusStats]], sampling: Sampling | None = None) -> list[Alike]:
    """Return what the variants of a metric measure.

    systems: for each of one or two systems, what its variants counted; with rows, if there are two.
    """
    answers = []
    for stats in zip(*systems, strict=True):
        p_value = compare_two(stats[0], stats[1], sampling) if sampling is not None else None
        kinds = stats[0].metric.signature_fields()
        answers.append(Alike(dict(kinds)["normalize"], tuple(float(one.score().score) for one in stats), p_value))
    return answers


def tell_score(name: str, score: float, steps: Sequence[Alike], width: int) -> Iterator[Block]:
    """Say how much of a score is typography and case; nothing if no step changes it as it is texts.

    steps: typography alike; then case ignored as well. width: the decimals of scores.
    """
    texts = [(f"{score:.{width}f}", "")]
    for step in steps:
        (number,) = step.scores
        gap = f"{abs(number - score):.{width}f} points {'more' if number > score else 'less'}"
        texts.append((f"{number:.{width}f}", f", {gap} than as written"))
    yield from _tell(_sentences(name, texts))


def tell_difference(
    name: str, scores: Sequence[float], p_value: float, steps: Sequence[Alike], width: int
) -> Iterator[Block]:
    """Say how much of a difference is typography and case; nothing if no step changes a score as it is texts.

    scores, p_value: of two systems whose texts are as they are; steps, width: as for `tell_score`.
    """
    texts = []
    for (one, other), certainty in ((scores, p_value), *((step.scores, step.p_value or 0.0) for step in steps)):
        difference = f": the difference is {other - one:+z.{width}f} ({show_p(certainty)})"
        texts.append((f"{one:.{width}f} and {other:.{width}f}", difference))
    sentences = _sentences(name, texts)
    if sentences:
        as_written = texts[0][1].removeprefix(": the difference is ")
        sentences[0] = f"{sentences[0][:-1]} instead of {as_written}."
        sentences.append(f"The p-values are those of paired approximate randomization with {TRIALS} trials.")
    yield from _tell(sentences)


def _sentences(name: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """Say what each step changes; texts: scores, and what follows them, as they are and after each step."""
    sentences: list[str] = []
    for (before, _), (after, remark), first in zip(texts, texts[1:], _FIRST, strict=False):
        if after != before:
            sentences.append(f"{_AS_WELL if sentences else first}, {name} is {after}{remark}.")
    return sentences


def _tell(sentences: Sequence[str]) -> Iterator[Block]:
    if sentences:
        yield Heading("Typography and case")
        yield Paragraph(" ".join(sentences))
