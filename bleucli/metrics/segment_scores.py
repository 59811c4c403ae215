"""Scores of segments that something else has computed, such as COMET or people: a system's score is their mean.

- `SegmentScores`: such scores as a metric, which reads its rows instead of counting them
- `Column`: those of one system
- `read_name`: their name, and whether higher is better, if the name says so; `is_higher_better`: what numbers show
- `of_mapping`: an argument `scores` of the library's calls, as metrics
- `of_object`: a metric of another library that scores segments, as such scores; `is_foreign` recognizes one
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import fsum, isfinite, isnan

from bleucli.counting import References
from bleucli.errors import BleuError, InputTypeError, Note, UsageError
from bleucli.kernels import reference_counts
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.base import Metric
from bleucli.metrics.options import Option
from bleucli.metrics.score import Score
from bleucli.phrases import SHOWN_CHARACTERS, tell_count, tell_ids, tell_place
from bleucli.prose.markup import readable
from bleucli.records import NamedTuple
from bleucli.results import segments
from bleucli.results.signature import ELSEWHERE, VERSION, Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting.corpus import Joining

    Key = tuple[str, ...]

    class ForeignMetric(Protocol):
        """A metric of another library."""

        @property
        def name(self) -> str:
            """What its scores are called."""

        @property
        def higher_is_better(self) -> bool:
            """Whether higher scores are better."""

    class SegmentMetric(ForeignMetric, Protocol):
        """One that scores single segments."""

        def segment_scores(self, hypotheses: list[str], references: list[list[str | None]]) -> Iterable[float]:
            """Return one score per segment, for n hypotheses and streams of n references."""

    class CorpusMetric(ForeignMetric, Protocol):
        """One that scores whole systems."""

        def corpus_score(self, hypotheses: list[str], references: list[list[str | None]]) -> Any:
            """Return the score of n hypotheses for streams of n references: a number, or an object with `score`."""


# The name of scores that come without texts, and need none
NAME = "score"
# Sums of larger numbers might not be finite
LARGEST = 1e100
# How the names of scores begin of which lower ones are better, unless they are published as negative numbers
_ERRORS = ("metricx", "mqm", "hter", "ter", "wer", "cer", "per", "edit")
# What tables and metric cards call something else, besides the names of metrics
_TAKEN = frozenset(
    (NAME, "system", "pair", "segment", "segments", "baseline", "metric", "signature", "version", "items")
)
# What a name cannot contain: it stands in options, signatures and columns
_MARKS = frozenset("=,:|\"'`")
_DIRECTIONS = {"higher": True, "lower": False}


class Column(NamedTuple):
    """The scores of one system: rows of a sum and the number of its terms, one row per segment.

    label: what errors call them. is_alone: whether they come without those of other systems. If items are joined by
    their ids, scores without ids are then in the order of the system's own lines; otherwise, in that of the first
    reference. ids: by kind, the ids of the scores; none if they are paired with segments by position. fault: what is
    wrong with ids that number segments, or "". is_sorted: whether ids show that the scores are in the order of the
    segments, or that they are not; None if they show neither. texts: the outputs that were scored, if they are known.
    """

    label: str
    rows: SegmentStats
    is_alone: bool = True
    ids: Mapping[int, Sequence[str]] = {}
    fault: str = ""
    is_sorted: bool | None = None
    texts: Sequence[str] = ()


class SegmentScores(Metric[Score]):
    """The mean of the scores of segments that something else has computed.

    Everything that follows counting treats them like any other metric.

    columns: those of each system, by its name; empty if rows come from a file of statistics.

    >>> comet = SegmentScores("COMET", {"A": column_of("a.comet", [0.5, 0.25])})
    >>> comet.score_from_stats((0.75, 2)).score, str(comet.signature(1, 1)).partition("|version")[0]
    (0.375, 'scores:higher')
    """

    name = NAME
    options = (Option("higher_is_better", bool, True, key=ELSEWHERE, words=("lower", "higher")),)
    # There are no published p-values to agree with, and coarse scores, such as human ratings, often tie
    counts_ties = True
    in_percent = False
    fractions = frozenset({"sum"})
    fewest_references = 0
    _signs_only_settings = False

    def __init__(
        self, name: str = NAME, columns: Mapping[str, Column] | None = None, higher_is_better: bool = True
    ) -> None:
        super().__init__()
        self.name = name
        self.higher_is_better = self.check("higher_is_better", higher_is_better)
        self._columns = columns or {}
        self._joining: Joining | None = None
        self._places: dict[str, _Places] = {}
        self._is_noted = False
        # By system and first segment of a block, how many texts are not those that were scored
        self._others: dict[tuple[str, int], int] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Statistics hold their metric, and should be small when they are pickled
        return vars(self) | {"_columns": {}, "_joining": None, "_places": {}, "_others": {}}

    def prepare(self, segments: Segments) -> Segments:
        """Return the texts unchanged: nothing reads them."""
        return segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Refuse to count texts.

        Raises:
            BleuError: always.
        """
        raise BleuError(f"{self.name} cannot be counted from texts; its scores come from elsewhere")

    def prepare_references(self, streams: Sequence[Segments], start: int = 0) -> References:
        """Return references as they are: only their number counts."""
        fewest, most, _ = reference_counts(streams)
        return References(streams, fewest, most)

    def block_stats(self, hypotheses: Segments, references: References, start: int, name: str) -> SegmentStats:
        """Return the rows of a block of segments of a system; a document has the sum of those of its segments.

        Where there are fewer scores than segments, empty rows take their place, until `check_count` knows how many.
        """
        bounds = references.bounds
        begin, end = (bounds[0], bounds[-1]) if bounds else (start, start + len(hypotheses))
        column = self._columns[name]
        if (places := self._places_of(name)) is not None and self._joining is not None:
            rows = places.take(column.rows, self._joining.ids, begin, end)
        elif self._joining is not None and self._joining.lines:
            lines = self._joining.lines[name if column.is_alone else ""]
            _check_number(column, lines.length)
            rows = column.rows.take(lines.places[begin:end])
        else:
            rows = column.rows[begin:end]
            if len(column.texts) == len(column.rows) and not bounds:
                pairs = zip(hypotheses, column.texts[begin:end], strict=False)
                self._others[name, begin] = sum((one or "").split() != other.split() for one, other in pairs)
        if missing := end - begin - len(rows):
            rows += SegmentStats(memoryview(array("d", (0.0, 1.0)) * missing), 2)
        if not bounds:
            return rows
        sums = array("d")
        for first, last in pairwise(bounds):
            sums.extend(self.sum_rows(rows[first - begin : last - begin]))
        return SegmentStats(memoryview(sums), 2)

    def rename(self, names: Mapping[str, str]) -> SegmentScores:
        """Return these scores with other names of systems; names: those here, by the others."""
        return SegmentScores(self.name, {new: self._columns[old] for new, old in names.items()}, self.higher_is_better)

    def has_errors(self) -> bool:
        """Return whether scores of which lower ones are better are above 0 somewhere."""
        return not self.higher_is_better and any(total for of in self._columns.values() for total, _ in of.rows)

    def take(self, name: str, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return rows of a system by their indexes."""
        import numpy as np

        rows: NDArray[np.float64] = np.asarray(self._columns[name].rows)[places]
        return rows

    def follow(self, joining: Joining) -> None:
        """Take scores by the ids of the items that are joined, or from where these come from."""
        self._joining = joining
        joining.keeps_ids = joining.keeps_ids or any(column.ids for column in self._columns.values())

    def _places_of(self, name: str) -> _Places | None:
        """Return where the scores of a system are by their ids; None if they are paired with items by position."""
        column, ids = self._columns[name], self._joining.ids if self._joining is not None else ()
        kinds = [kind for kind, of_kind in enumerate(ids) if of_kind and of_kind[0]]
        if not kinds or not column.ids:
            return None
        if name not in self._places:
            pairs = [(kind, kind) for kind in kinds if kind in column.ids]
            if len(kinds) == len(column.ids) == 1:  # the ids may be the same even if their names are not
                pairs = list(zip(kinds, column.ids, strict=True))
            keys = list(zip(*(column.ids[own] for _, own in pairs), strict=True))
            self._places[name] = _Places(keys, [kind for kind, _ in pairs])
        return self._places[name]

    def check_count(self, segments: int) -> None:
        """Refuse scores of other segments, or of another number of segments, than were counted."""
        joining = self._joining
        for name, column in self._columns.items():
            if (places := self._places_of(name)) is not None and joining is not None:
                places.check(column.label, joining)
                continue
            lines = joining.lines if joining is not None else {}
            length = lines[name if column.is_alone else ""].length if lines else segments
            if column.is_sorted is False or (column.fault and len(column.rows) == length):
                raise BleuError(
                    f"{column.label} {column.fault or 'has ids that are not in order'}, so its scores cannot be paired"
                    " with segments; number the segments from 0 or 1, or delete the ids if the scores are in order"
                )
            _check_number(column, length)
            others = sum(count for (system, _), count in self._others.items() if system == name)
            if 2 * others > segments:
                from bleucli.results.hints import warn

                warn(
                    f"{column.label} has other outputs than {name} has in {others} of {segments} segments; check that"
                    " these scores are its own, and in its order"
                )
            if column.ids and column.is_sorted is None and not self._is_noted:
                from bleucli.results.hints import warn

                self._is_noted = True
                note = "has ids, but the texts have none, so scores are paired with segments by their position"
                warn(f"{column.label} {note}", Note)

    def sum_rows(self, rows: SegmentStats) -> tuple[int | float, ...]:
        """Return the sum of each column, exact before it is rounded."""
        return fsum(rows.data[::2]), fsum(rows.data[1::2])

    def configuration(self) -> object:
        """Return a value that differs between scores that cannot be added."""
        return type(self), self.name, self.higher_is_better

    def signature_fields(self) -> list[tuple[str, str]]:
        """Return whether higher is better; nothing for scores without a name of their own."""
        return [] if self.name == NAME else super().signature_fields()

    def _sign(self, nrefs: str, sampling: Sequence[tuple[str, str]]) -> Signature:
        return Signature([*sampling, *self.signature_fields(), ("version", VERSION)], self.name)

    def column_names(self) -> list[str]:
        """Return the names of the columns in files: the sum of scores, and the number of its terms."""
        return ["sum", "count"]

    def score_from_stats(self, sums: Sequence[int | float]) -> Score:
        """Return the mean."""
        score = Score()
        score.name, score.score = self.name, sums[0] / sums[1]
        return score

    def score_columns(self, rows: SegmentStats) -> segments.SegmentScores:
        """Return the mean of each row in columns."""
        return segments.SegmentScores(self.name, [total / count for total, count in rows])

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the mean of each row of sums."""
        import numpy as np

        totals, counts = np.asarray(sums).T
        means: NDArray[np.float64] = totals / counts
        return means


class _Places:
    """Where the scores of items are, by the ids of both.

    WMT's names of documents have parts before the id that its scores have: `en-cs_#_news_#_d7` stands for `d7`.

    keys: the ids of the scores: for each, one of each kind that both sides have. kinds: these kinds, by their positions
    among the ids of items.

    >>> places = _Places([("d7",), ("d8",)], [0])
    >>> places.find(("en_#_d8",)), places.find(("xd8",))
    (1, None)
    """

    def __init__(self, keys: Sequence[Key], kinds: Sequence[int]) -> None:
        self._keys, self._kinds = keys, kinds
        self._rows = {key: row for row, key in enumerate(keys)}

    def find(self, key: Key) -> int | None:
        """Return the index of the score of an item."""
        if (row := self._rows.get(key)) is not None or len(key) != 1:
            return row
        (text,) = key
        ends = (text[place + 1 :] for place, character in enumerate(text) if not character.isalnum())
        return next((row for end in ends if (row := self._rows.get((end,))) is not None), None)

    def _are_in_order(self, keys: Sequence[Key], start: int) -> bool:
        """Return whether items have the same ids as the scores from `start` on."""
        own = self._keys[start : start + len(keys)]
        return own == keys or (
            len(own) == len(keys)
            and all(
                key == of_score or self.find(key) == self._rows[of_score]
                for key, of_score in zip(keys, own, strict=True)
            )
        )

    def take(self, rows: SegmentStats, ids: Sequence[Sequence[str]], start: int, end: int) -> SegmentStats:
        """Return the rows of some items; any row where there is no score, which `check` refuses later."""
        keys = list(zip(*(ids[kind][start:end] for kind in self._kinds), strict=True))
        if not keys or self._are_in_order(keys, start):
            return rows[start:end]
        return rows.take([self.find(key) or 0 for key in keys])

    def check(self, label: str, joining: Joining) -> None:
        """Refuse scores whose ids are not those of the items that were counted."""
        if not self._kinds:
            raise BleuError(
                f"{label} has other ids than the texts; give the fields of ids the same name in both, or delete the ids"
                " if scores are in the order of the segments"
            )
        keys = list(zip(*(joining.ids[kind] for kind in self._kinds), strict=True))
        if len(keys) == len(self._keys) and self._are_in_order(keys, 0):
            return
        if gap := next((number for number, key in enumerate(keys, 1) if "" in key), 0):
            raise BleuError(
                tell_place("segment", gap - 1), f" has no id to find its score in {label} by; give each segment an id"
            )
        places = {key: self.find(key) for key in keys}
        missing = [key for key, row in places.items() if row is None]
        if len(missing) == len(places):
            ours, theirs = ("/".join(of[0])[:SHOWN_CHARACTERS] for of in (self._keys, keys))
            raise BleuError(
                f"{label} has no id in common with the texts: {ours!r} is the first there, but {theirs!r} here; give"
                " both the same ids, or delete those of the scores if these are in the order of the segments"
            )
        for of, who in ((self._keys, label), (keys, "the texts")):
            if double := [key for key, count in Counter(of).items() if count > 1]:
                has = "has" if who == label else "have"
                raise BleuError(
                    f"{who} {has} {tell_ids(map('/'.join, double))} more than once, so scores cannot be joined with"
                    " segments, which have another order; give each an id of its own"
                )
        if missing:
            raise BleuError(f"{label} lacks {tell_ids(map('/'.join, missing))}, which the texts have; add the scores")
        rows = Counter(places.values())
        if shared := [key for key, row in places.items() if rows[row] > 1]:  # ids that end alike
            raise BleuError(f"{label} has the same score for {tell_ids(map('/'.join, shared))}; give each its own")
        others = [self.find(tuple(ids[kind] for kind in self._kinds)) for ids in joining.left_out]
        used = {*places.values(), *others}
        unknown = [key for row, key in enumerate(self._keys) if row not in used]
        if unknown and not joining.partial:
            raise BleuError(f"{label} has {tell_ids(map('/'.join, unknown))}, which the texts lack; delete the scores")


def _check_number(column: Column, segments: int) -> None:
    if len(column.rows) != segments:
        why = f"; it {column.fault}" if column.fault else ""
        raise BleuError(
            f"{column.label} has {tell_count(len(column.rows), 'score')}, but there are"
            f" {tell_count(segments, 'segment')}{why}; give one score per segment"
        )


def column_of(label: str, scores: Iterable[object]) -> Column:
    """Return the scores of one system; of several scores of a segment, in a list, the sum and their number count.

    label: what errors call them.

    >>> list(column_of("a.comet", [0.5, [1, 2]]).rows)
    [(0.5, 1.0), (3.0, 2.0)]
    """
    items: list[Any] = list(scores)
    rows = array("d", (0.0, 1.0)) * len(items)
    if _are_plain(items):
        rows[::2] = array("d", items)
        return Column(label, SegmentStats(memoryview(rows), 2))
    for segment, item in enumerate(items):
        numbers = item if isinstance(item, list | tuple) else (item,)
        if not numbers:
            raise BleuError(f"{label}: ", tell_place("segment", segment), f" has no score; {_GIVE}")
        total = 0.0
        for number in numbers:
            total += _check(number, label, segment)
        rows[2 * segment], rows[2 * segment + 1] = total, len(numbers)
    return Column(label, SegmentStats(memoryview(rows), 2))


_GIVE = "give each segment a score, or leave the segment out of all files"


def _are_plain(items: Sequence[Any]) -> bool:
    """Return whether all items are numbers that need no closer look."""
    try:
        numbers = array("d", items)
    except (TypeError, OverflowError):
        return False
    return bool(numbers) and isfinite(sum(numbers)) and min(numbers) >= -LARGEST and max(numbers) <= LARGEST


def _check(number: Any, label: str, segment: int) -> float:
    try:
        value = float("nan") if number is None else float(number)
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None or isinstance(number, str | bytes):
        place = tell_place("segment", segment)
        raise InputTypeError(f"{label}: ", place, f" has {number!r:.40}, which is not a number; give one per segment")
    if isnan(value):
        raise BleuError(f"{label}: the score of ", tell_place("segment", segment), f" is missing; {_GIVE}")
    if abs(value) > LARGEST:
        place = tell_place("segment", segment)
        raise BleuError(f"{label}: ", place, f" has {value}; expected a number from -1e100 to 1e100")
    return value


# --- names and directions


def read_name(word: str) -> tuple[str, bool | None]:
    """Return the name of scores, and whether higher is better; None if the word does not say so.

    >>> read_name("COMET"), read_name("my errors:lower")
    (('COMET', None), ('my errors', False))
    """
    from bleucli.metrics import find_name

    name, colon, direction = word.partition(":")
    if colon and direction not in _DIRECTIONS:
        raise UsageError(f"scores {word!r:.60}; after a colon, expected lower or higher: {name}:lower")
    if not name.strip() or name != name.strip() or _MARKS & {*name}:
        raise UsageError(f"scores {word!r:.60}; expected a name such as COMET or COMET:lower, without = , | and quotes")
    if find_name(name) or name.lower() in _TAKEN:
        raise UsageError(f"scores {name!r}: this name has another meaning here; choose another, such as {name}-other")
    return name, _DIRECTIONS.get(direction)


def counts_errors(name: str) -> bool:
    """Return whether scores of this name count errors, as far as that is known."""
    return name.lower().startswith(_ERRORS)


def is_higher_better(name: str, columns: Iterable[Column]) -> bool:
    """Return whether higher scores of this name are better, as far as that is known; by default, they are.

    MetricX and MQM count errors, but WMT publishes them as negative numbers, of which higher ones are better.

    >>> is_higher_better("MetricX-24", [column_of("", [3.5])]), is_higher_better("MetricX-24", [column_of("", [-3.5])])
    (False, True)
    """
    if not counts_errors(name):
        return True
    totals = [total for column in columns for total, _ in column.rows]
    lowest, highest = min(totals, default=0.0), max(totals, default=0.0)
    if lowest < 0 < highest:
        raise UsageError(
            f"scores {name!r}: some are above 0 and some below, so it is not clear which way is better; write"
            f" {name}:lower or {name}:higher"
        )
    return lowest < 0


def make(word: str, columns: Mapping[str, Column]) -> SegmentScores:
    """Return scores as a metric; word: their name, perhaps with a direction. columns: those of each system."""
    name, higher = read_name(word)
    return SegmentScores(
        readable(name), columns, is_higher_better(name, columns.values()) if higher is None else higher
    )


def check_names(names: Sequence[str]) -> None:
    """Refuse scores that have the name of others, in upper or lower case."""
    lower = [name.lower() for name in names]
    twice = next((name for name in names if lower.count(name.lower()) > 1), "")
    if twice:
        raise UsageError(f"scores {twice!r}: other scores already have this name; choose another")


# --- arguments of Python


def of_mapping(scores: object, systems: Sequence[str]) -> list[SegmentScores]:
    """Return an argument `scores` as metrics.

    scores: for each name, such as "COMET" or "TER2:lower", n numbers for each system: by the systems' names, or one
    list per system, in their order. None for no scores.

    >>> [metric.name for metric in of_mapping({"COMET": {"A": [0.5]}}, ["A"])]
    ['COMET']
    """
    if scores is None:
        return []
    if not isinstance(scores, Mapping) or not all(isinstance(name, str) and name for name in scores):
        raise InputTypeError('scores: expected segment scores by tool; write {"COMET": {"system": [...], ...}}')
    return [make(word, _columns_of(word, columns, systems)) for word, columns in scores.items()]


def _columns_of(word: str, columns: Any, systems: Sequence[str]) -> dict[str, Column]:
    def is_list(value: object) -> bool:
        return hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)

    name = word.partition(":")[0]
    if not isinstance(columns, Mapping):
        if not is_list(columns) or not all(map(is_list, columns)):
            raise InputTypeError(
                f"the scores of {name} are not lists of numbers; give lists of numbers by the names of the systems"
            )
        if len(columns) != len(systems):
            raise BleuError(f"there are {tell_count(len(systems), 'system')}; give one list of scores per system")
        columns = dict(zip(systems, columns, strict=True))
    if missing := next((system for system in systems if system not in columns), ""):
        raise BleuError(f"scores[{name!r}] has no {missing!r}; give the scores of each system")
    if unknown := next((str(system) for system in columns if system not in systems), ""):
        raise BleuError(f"scores[{name!r}] has {unknown!r}, which is not a system; choose from {', '.join(systems)}")
    wrong = next((system for system in systems if not is_list(columns[system])), "")
    if wrong:
        raise InputTypeError(f"scores[{name!r}][{wrong!r}] is not a list; give one number per segment")
    return {system: column_of(f"scores[{name!r}][{system!r}]", columns[system]) for system in systems}


# --- metrics of other libraries


def is_foreign(metric: object) -> bool:
    """Return whether an object is a metric of another library: it has a name, a direction, and scores segments or all.

    >>> is_foreign("bleu"), is_foreign(3)
    (False, False)
    """
    has_scores = callable(getattr(metric, "segment_scores", None)) or callable(getattr(metric, "corpus_score", None))
    return has_scores and not isinstance(metric, Metric | type)


def describe_foreign(metric: Any) -> tuple[str, bool]:
    """Return the name of a metric of another library, and whether higher is better."""
    for attribute, kind, remedy in (("name", str, "a name"), ("higher_is_better", bool, "True or False")):
        if not isinstance(getattr(metric, attribute, None), kind):
            raise InputTypeError(f"metric {metric!r:.60} has no {attribute}; set {attribute} to {remedy}")
    name, _ = read_name(metric.name)
    return name, metric.higher_is_better


def of_object(
    metric: SegmentMetric, systems: Mapping[str, list[str]], references: list[list[str | None]]
) -> SegmentScores:
    """Return the scores that a metric of another library gives the segments of each system.

    references: streams, each of n strings or None.
    """
    name, higher = describe_foreign(metric)
    columns = {}
    for system, texts in systems.items():
        # Copies, since the metric may change what it gets, and others score the same texts
        scores = metric.segment_scores(list(texts), [list(stream) for stream in references])
        if not isinstance(scores, Iterable):
            raise InputTypeError(f"segment_scores of {name} returned {scores!r:.40}; give one number per segment")
        column = column_of(f"{name} of {system}", scores)
        if len(column.rows) != len(texts):
            count = tell_count(len(column.rows), "score")
            raise BleuError(f"{column.label}: segment_scores returned {count} for {tell_count(len(texts), 'segment')}")
        columns[system] = column
    return SegmentScores(readable(name), columns, higher)
