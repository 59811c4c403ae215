"""Self-BLEU (Zhu et al. 2018) and distinct n-grams (Li et al. 2016): how much texts differ from one another.

`self_bleu` measures texts, or groups of them, such as the samples for one prompt; `measure` does so with a given
metric. Each text is scored against all others of its group, in time linear in their size.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import fsum

from bleucli import kernels
from bleucli.counting.threads import count_threads, in_order
from bleucli.errors import BleuError, InputTypeError, SegmentError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import find_metric
from bleucli.metrics.bleu import BLEU
from bleucli.phrases import tell_count, tell_place
from bleucli.prose.markup import html_table
from bleucli.records import NamedTuple
from bleucli.results import Description, ScoreRecord
from bleucli.results.hints import Hint
from bleucli.results.signature import Signature
from bleucli.text import Segments, blocks_of_strings, refuse_unordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "Self-BLEU"
# Distinct n-grams are reported up to this order
DISTINCT_ORDER = 4
# If more than one text in twenty is too short, a hint says so
_SHORT_FEW = 20
_SHORT_HINT = (
    "{} match others but have fewer than {} tokens, so their score is 0, as if they were different; choose a lower {}"
)
_LISTS = (list, tuple)
# The number of texts that a thread counts at a time
_SHARE = 4096


class Group(NamedTuple):
    """How much the texts of a group differ.

    name: "" if there is only one group. samples: its number of texts. score: the mean of their scores. distinct: by
    order, the share of different n-grams among all; None if there are none.
    """

    name: str
    samples: int
    score: float
    distinct: Sequence[float | None]


class SelfBLEU(NamedTuple):
    """How much texts differ, as `self_bleu` returns it: the lower the score, the more they differ.

    Attributes:
        score: the mean over the groups, in percent.
        distinct: for each order from 1 to 4, the share of distinct n-grams, from 0 to 1: the mean over the groups that
            have n-grams of that order; None if no group has.
        groups: the groups, each with `name`, `samples` (the number of texts), `score` and `distinct`.
        scores: the score of each text, in percent, in the order of the texts.
        signature: how the score was made.
        hints: what a user should know about the texts.

    >>> from bleucli import self_bleu
    >>> diversity = self_bleu(["the cat sat on the mat", "the cat sat on a mat", "it rains"])
    >>> [round(score, 1) for score in diversity.scores], [round(share, 2) for share in diversity.distinct]
    ([53.7, 53.7, 0.0], [0.57, 0.73, 0.75, 0.83])
    """

    score: float
    distinct: Sequence[float | None]
    groups: Sequence[Group]
    scores: Sequence[float]
    signature: Signature
    hints: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of the score."""
        return NAME

    @property
    def verbose(self) -> str:
        """The text after the score in a line: distinct n-grams by order, and the number of texts."""
        shares = "/".join("-" if share is None else f"{share:.3f}" for share in self.distinct)
        groups = f" groups = {len(self.groups)}" if len(self.groups) > 1 or self.groups[0].name else ""
        return f"distinct-1..{DISTINCT_ORDER} = {shares} (samples = {len(self.scores)}{groups})"

    def record(self) -> ScoreRecord:
        """Return the score in the form that renderers take."""
        shares = [(f"distinct-{order}", share) for order, share in enumerate(self.distinct, 1)]
        return ScoreRecord(NAME, self.score, self.verbose, self.signature, None, shares=shares, describe=describe)

    def __str__(self) -> str:
        return f"{NAME} = {self.score:.2f} {self.verbose}"

    def _repr_html_(self) -> str:
        header = [NAME, *(f"distinct-{order}" for order in range(1, DISTINCT_ORDER + 1)), "samples", "groups"]
        shares = ["-" if share is None else f"{share:.3f}" for share in self.distinct]
        row = [f"{self.score:.2f}", *shares, str(len(self.scores)), str(len(self.groups))]
        return html_table(header, [row], [(f"{NAME}:", str(self.signature))])


def describe(info: Mapping[str, str]) -> Description:
    """Return what a paper may say of self-BLEU, and has to cite for it; info: what its signature says."""
    from bleucli.results import citations

    return BLEU.describe(info)._replace(paper=citations.SELF_BLEU)


def self_bleu(
    samples: Iterable[str] | Iterable[Sequence[str]],
    groups: Iterable[Hashable] | None = None,
    *,
    jobs: int = 1,
    **options: Any,
) -> SelfBLEU:
    """Measure how much texts differ.

    Args:
        samples: n strings; or a list of lists of strings, each a group of its own, such as the samples of a model for
            one prompt.
        groups: for each string, or for each list, the name of its group, such as the prompt; None if all strings are
            one group.
        jobs: the number of threads, 0 for all usable processors; it never changes a score. One thread counts a whole
            group, so a single group uses only one.
        options: those of `BLEU`.

    Returns:
        The mean over the groups, from 0 (the texts have nothing in common) to 100 (all are the same). In a group, each
        text is scored with all others as its references, and the mean of these scores counts (Zhu et al. 2018). Also,
        for orders 1 to 4, the share of different n-grams among all n-grams of a group, from 0 to 1 (Li et al. 2016).

    Raises:
        BleuError: a group has a single text; or the numbers of texts and groups differ.
        InputTypeError: something other than strings.

    >>> print(self_bleu(["the cat sat on the mat", "the cat sat on a mat", "it rains"]))
    Self-BLEU = 35.82 distinct-1..4 = 0.571/0.727/0.750/0.833 (samples = 3)
    >>> by_prompt = self_bleu(["a b c d", "a b c d", "e f g h", "f g h e"], groups=["p", "p", "q", "q"])
    >>> [(group.name, round(group.score, 1)) for group in by_prompt.groups]
    [('p', 100.0), ('q', 63.9)]
    >>> self_bleu([["a b c d", "a b c d"], ["e f g h", "f g h e"]]).score == by_prompt.score
    True
    """
    metric = find_metric("bleu", options)
    assert isinstance(metric, BLEU)
    jobs = count_threads(jobs)
    labels = None if groups is None else _check_labels(groups)
    texts: Iterable[Any] = samples
    if isinstance(samples, Iterator):  # its first item shows whether it gives strings or lists
        # Copies, because the iterator may use one list for all groups
        texts = samples = [list(one) if isinstance(one, list) else one for one in samples]
    if isinstance(samples, _LISTS) and samples and isinstance(samples[0], _LISTS):
        texts, labels = _flatten(samples, labels)
    result = measure(metric, blocks_of_strings(texts, "sample"), labels, jobs=jobs)
    metric.tell([*result.hints, *metric.advice])
    return result


def measure(
    metric: BLEU,
    blocks: Iterable[Segments],
    labels: Sequence[Hashable] | None = None,
    name: str = "samples",
    *,
    jobs: int = 1,
) -> SelfBLEU:
    """Measure how much texts differ.

    labels: that of each text's group; None if all texts are one group. name: what errors call the texts.
    """
    if metric.skip_empty_refs:
        raise BleuError(f"self-BLEU has no references of its own; leave {metric.spell('skip_empty_refs')} out")
    signs: list[tuple[int, ...]] = []
    # Block by block, since texts may be hundreds of megabytes
    texts = Segments.join(_prepare(metric, blocks, name, jobs, signs))
    members = _members(len(texts), labels, name)
    # Texts are counted once for both measures; the score then skips the orders that only distinct n-grams need
    order = max(metric.counted_order, DISTINCT_ORDER)
    by_group = texts if labels is None else texts.take([index for group in members.values() for index in group])
    stats, distinct = _count(by_group, array("q", map(len, members.values())), order, jobs)
    columns = [*range(2 + metric.counted_order), *range(2 + order, 2 + order + metric.counted_order)]
    is_whole = metric.counted_order == order
    scores = [metric.score_from_stats(row if is_whole else [row[n] for n in columns]).score for row in stats]
    groups, start = [], 0
    for (label, group), different in zip(members.items(), distinct, strict=True):
        end = start + len(group)
        shares = _divide(different[:DISTINCT_ORDER], stats[start:end])
        groups.append(Group("" if labels is None else str(label), len(group), _mean(scores[start:end]), tuple(shares)))
        start = end
    in_order_of_texts = [0.0] * len(texts)
    for place, score in zip((index for group in members.values() for index in group), scores, strict=True):
        in_order_of_texts[place] = score
    by_order = ([share for group in groups if (share := group.distinct[n]) is not None] for n in range(DISTINCT_ORDER))
    references = [group.samples - 1 for group in groups]
    return SelfBLEU(
        _mean([group.score for group in groups]),
        tuple(_mean(shares) if shares else None for shares in by_order),
        tuple(groups),
        tuple(in_order_of_texts),
        Signature(metric.signature(min(references), max(references)), NAME),
        (*metric.text_hints(tuple(map(sum, zip(*signs, strict=True)))), *_hints(metric, stats, scores)),
    )


# --- input


def _check_labels(groups: object) -> list[Hashable]:
    refuse_unordered(groups, "groups")
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        raise InputTypeError("groups: expected a list that names a group for each text")
    labels = list(getattr(groups, "to_pylist", lambda: groups)())  # items of pyarrow are not Python objects
    for number, label in enumerate(labels):
        if _is_missing(label):
            raise InputTypeError("groups: ", tell_place("label", number), f" is {label}; name one group for each text")
    return labels


def _is_missing(label: object) -> bool:
    """Return whether this is None, or what NumPy and pandas have in its place; NaN and NaT differ from themselves.

    >>> _is_missing(float("nan")), _is_missing(0)
    (True, False)
    """
    if label is None:
        return True
    try:
        return bool(label != label)
    except TypeError:  # pandas.NA, which equals nothing and differs from nothing
        return True
    except ValueError:  # an array
        return False


def _flatten(lists: Sequence[Any], labels: Sequence[Hashable] | None) -> tuple[list[str], list[Hashable]]:
    """Return the texts of all lists, and for each of them the label of its list; by default, the list's number."""
    if labels is not None and len(labels) != len(lists):
        raise BleuError(
            f"samples: {tell_count(len(lists), 'list')}, but groups for {len(labels)}; name one group for each list"
        )
    texts: list[str] = []
    names: list[Hashable] = []
    for number, (samples, label) in enumerate(zip(lists, labels or range(1, len(lists) + 1), strict=True)):
        if not isinstance(samples, _LISTS):
            raise InputTypeError(
                "samples: ",
                tell_place("item", number),
                f" is of type {type(samples).__name__}, but others are lists; give either strings or lists",
            )
        if not samples:
            raise BleuError(
                "samples: ", tell_place("list", number), " is empty; give at least two texts for each group"
            )
        texts += samples
        names += [label] * len(samples)
    return texts, names


def _prepare(
    metric: BLEU, blocks: Iterable[Segments], name: str, jobs: int, signs: list[tuple[int, ...]]
) -> Iterator[Segments]:
    """Give blocks of texts, prepared, and add the signs that hints are made from."""

    def prepare(item: tuple[int, Segments]) -> tuple[Segments, tuple[int, ...]]:
        start, block = item
        _, _, missing = kernels.reference_counts([block])
        if missing >= 0:
            raise InputTypeError(
                tell_place("sample", start + missing), " is None; give a string, an empty one for no output"
            )
        try:
            return metric.prepare(metric.make_alike(block)), metric.observe(block)
        except SegmentError as error:
            raise error.locate(start, name) from None

    def with_starts() -> Iterator[tuple[int, Segments]]:
        start = 0
        for block in blocks:
            yield start, block
            start += len(block)

    for _, (texts, sums) in in_order(prepare, with_starts(), jobs):
        signs.append(sums)
        yield texts


def _count(texts: Segments, sizes: array[int], order: int, jobs: int) -> tuple[SegmentStats, SegmentStats]:
    """Return the result of `kernels.group_stats`, with the work divided among threads: groups are independent."""
    shares = []
    share, start, end = array("q"), 0, 0
    for size in sizes:
        share.append(size)
        end += size
        if end - start >= _SHARE or end == len(texts):
            shares.append((texts[start:end], share))
            share, start = array("q"), end
    results = [result for _, result in in_order(lambda part: kernels.group_stats(*part, order), shares, jobs)]
    stats, distinct = zip(*results, strict=True)
    return SegmentStats.join(stats), SegmentStats.join(distinct)


def _members(count: int, labels: Sequence[Hashable] | None, name: str) -> Mapping[Hashable, Sequence[int]]:
    """Return the indexes of the texts of each group, in the order in which the groups first occur."""
    if labels is not None and len(labels) != count:
        raise BleuError(f"{name}: {count} texts, but groups for {len(labels)}; name one group for each text")
    by_label: dict[Hashable, list[int]] = {}
    try:
        for index, label in enumerate(labels or ()):
            by_label.setdefault(label, []).append(index)
    except TypeError:
        raise InputTypeError("groups: expected labels that can be compared, such as strings or numbers") from None
    members: Mapping[Hashable, Sequence[int]] = by_label or {"": range(count)}
    for label, group in members.items():
        if len(group) < 2:
            where = f"{name}, group {label}" if labels else name
            raise BleuError(
                f"{where}: {tell_count(len(group), 'text')}; self-BLEU compares texts, so give at least two"
            )
    return members


# --- results


def _divide(different: Sequence[float], rows: SegmentStats) -> list[float | None]:
    """Return the share of different n-grams among all that the rows count, by order; None if there are none."""
    order = rows.columns // 2 - 1
    totals = [sum(rows.data[2 + order + n :: rows.columns]) for n in range(len(different))]
    return [count / total if total else None for count, total in zip(different, totals, strict=True)]


def _hints(metric: BLEU, rows: SegmentStats, scores: Sequence[float]) -> Iterator[str]:
    """Warn about texts that score 0 only because they are short, although they match others."""
    # The columns of matches of order 1, and of all n-grams of order N
    longest = rows.columns // 2 + metric.max_ngram_order
    hits, totals = rows.data[2 :: rows.columns], rows.data[longest :: rows.columns]
    cases = zip(scores, hits, totals, strict=True)
    short = sum(not score and bool(matches) and not total for score, matches, total in cases)
    if short * _SHORT_FEW > len(scores):
        order = metric.spell("max_ngram_order")
        how = metric.max_ngram_order, order
        text = _SHORT_HINT.format(f"{short} of {tell_count(len(scores), 'text')}", *how)
        yield Hint(text, _SHORT_HINT.format("many texts", *how), short=short, texts=len(scores))


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
