"""Self-BLEU (Zhu et al. 2018) and distinct n-grams (Li et al. 2016): how much several texts for one purpose differ.

`self_bleu` measures texts, or groups of them, such as the samples for one prompt; `measure` does so with a metric at
hand. Each text is scored against all others of its group, in time linear in their size.
"""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import fsum

from bleucli import kernels
from bleucli.corpus import refuse_missing
from bleucli.errors import BleuError, InputTypeError, SegmentError
from bleucli.markup import html_table
from bleucli.metrics.bleu import BLEU
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.segments import Segments, blocks_of_strings
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "Self-BLEU"
# Distinct n-grams are reported up to this order
DISTINCT_ORDER = 4


class Group(NamedTuple):
    """How much the texts of a group differ.

    name: "" if there is but one group. samples: how many texts it has. score: the mean of their scores. distinct: by
    order, different n-grams over all n-grams; None where there is no n-gram.
    """

    name: str
    samples: int
    score: float
    distinct: Sequence[float | None]


class SelfBLEU(NamedTuple):
    """How much texts differ: the lower, the more.

    score: the mean over the groups, in percent. distinct: the same of their distinct n-grams, from 0 to 1, of those
    groups that have n-grams; None if none has. scores: of each text, in the order in which they were given.
    """

    score: float
    distinct: Sequence[float | None]
    groups: Sequence[Group]
    scores: Sequence[float]
    signature: Signature

    @property
    def name(self) -> str:
        """What the score is called."""
        return NAME

    @property
    def verbose(self) -> str:
        """What stands behind the score in a line: distinct n-grams by order, and how many texts there are."""
        shares = "/".join("-" if share is None else f"{share:.3f}" for share in self.distinct)
        groups = f" groups = {len(self.groups)}" if self.groups[0].name else ""
        return f"distinct-1..{DISTINCT_ORDER} = {shares} (samples = {len(self.scores)}{groups})"

    def __str__(self) -> str:
        return f"{NAME} = {self.score:.2f} {self.verbose}"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        header = [NAME, *(f"distinct-{order}" for order in range(1, DISTINCT_ORDER + 1)), "samples", "groups"]
        shares = ["-" if share is None else f"{share:.3f}" for share in self.distinct]
        row = [f"{self.score:.2f}", *shares, str(len(self.scores)), str(len(self.groups))]
        return html_table(header, [row], [(f"{NAME}:", str(self.signature))])


def self_bleu(samples: Iterable[str], groups: Iterable[Hashable] | None = None, **options: "Any") -> SelfBLEU:
    """Measure how much texts differ.

    Args:
        samples: n strings.
        groups: for each of them, what tells its group from others, such as its prompt; None if they are one group.
        options: those of `BLEU`.

    Raises:
        BleuError: a group has a single text; or the numbers of texts and groups differ.
        InputTypeError: something else than strings.

    >>> print(self_bleu(["the cat sat on the mat", "the cat sat on a mat", "it rains"]))
    Self-BLEU = 35.82 distinct-1..4 = 0.571/0.727/0.750/0.833 (samples = 3)
    >>> by_prompt = self_bleu(["a b c d", "a b c d", "x y", "y z"], groups=["p", "p", "q", "q"])
    >>> [(group.name, round(group.score, 1)) for group in by_prompt.groups]
    [('p', 100.0), ('q', 0.0)]
    """
    labels = None if groups is None else list(groups)
    return measure(BLEU(**options), blocks_of_strings(samples, "sample"), labels)


def measure(
    metric: BLEU, blocks: Iterable[Segments], labels: Sequence[Hashable] | None = None, name: str = "samples"
) -> SelfBLEU:
    """Measure how much texts differ; blocks: of them. metric, labels: as `self_bleu` makes them. name: for errors.

    Raises:
        BleuError: as `self_bleu`; or the metric leaves out empty references.
    """
    if metric.skip_empty_refs:
        raise BleuError(f"self-BLEU has no references of its own; leave {metric.spell('skip_empty_refs')} out")
    texts = Segments.join(list(_prepare(metric, blocks, name)))
    members = _members(len(texts), labels, name)
    order = max(metric.counted_order, DISTINCT_ORDER)
    arranged = texts if labels is None else texts.take([index for group in members.values() for index in group])
    stats, distinct = kernels.group_stats(arranged, array("q", map(len, members.values())), order)
    rows = list(stats)
    columns = _columns(order, metric.counted_order)
    scores = [metric.score_from_stats([row[column] for column in columns]).score for row in rows]
    found, start = [], 0
    for (label, group), different in zip(members.items(), distinct, strict=True):
        end = start + len(group)
        totals = list(map(sum, zip(*rows[start:end], strict=True)))[2 + order :]
        shares = [count / total if total else None for count, total in zip(different, totals, strict=False)]
        found.append(Group("" if labels is None else str(label), len(group), _mean(scores[start:end]), shares))
        start = end
    return SelfBLEU(
        _mean([group.score for group in found]),
        [_mean_of_known([group.distinct[n] for group in found]) for n in range(DISTINCT_ORDER)],
        found,
        _put_back(scores, members.values()),
        _sign(metric, found),
    )


def _prepare(metric: BLEU, blocks: Iterable[Segments], name: str) -> Iterator[Segments]:
    start = 0
    for block in blocks:
        refuse_missing(block, start)
        try:
            yield metric.prepare(block)
        except SegmentError as error:
            raise error.locate(start, name) from None
        start += len(block)


def _members(count: int, labels: Sequence[Hashable] | None, name: str) -> dict[Hashable, list[int]]:
    """Return the indexes of the texts of each group, in the order in which the groups are first met.

    Raises:
        BleuError: there are not as many labels as texts, or a group has a single text.
    """
    if labels is not None and len(labels) != count:
        raise BleuError(f"{name}: {count} texts, but groups for {len(labels)}; name one group for each text")
    members: dict[Hashable, list[int]] = {} if labels is not None else {"": list(range(count))}
    try:
        for index, label in enumerate(labels or ()):
            members.setdefault(label, []).append(index)
    except TypeError:
        raise InputTypeError("groups: expected what can be compared, such as strings or numbers") from None
    for label, group in members.items():
        if len(group) < 2:
            where = name if labels is None else f"{name}, group {label}"
            raise BleuError(
                f"{where}: {tell_count(len(group), 'text')}; self-BLEU compares texts, so give at least two"
            )
    return members


def _columns(order: int, counted: int) -> list[int]:
    """Return the columns of a row up to `counted`, of one up to `order`.

    >>> _columns(3, 2)
    [0, 1, 2, 3, 5, 6]
    """
    return [*range(2 + counted), *range(2 + order, 2 + order + counted)]


def _put_back(scores: Sequence[float], members: Iterable[Iterable[int]]) -> list[float]:
    places = [index for group in members for index in group]
    found = [0.0] * len(places)
    for place, score in zip(places, scores, strict=True):
        found[place] = score
    return found


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _mean(known) if known else None


def _sign(metric: BLEU, groups: Sequence[Group]) -> Signature:
    sizes = [group.samples - 1 for group in groups]
    return Signature(metric.signature(min(sizes), max(sizes)), NAME)
