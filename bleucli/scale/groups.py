"""Rows of several files of statistics: which segments they belong to, and what they add up to.

- `Places`: records which segments have been read
- `Tally`: the sums or rows of one system
- `check_references`: checks that systems were counted against the same references
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise

from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import BleuError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.phrases import Turn, tell_place
from bleucli.scale.files import LARGEST_TOTAL
from bleucli.scale.layout import REFERENCES, SEGMENT, Shard
from bleucli.text.buffers import to_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class Places:
    """Which segments of each system have been read; each must occur exactly once."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Any, ...], list[tuple[int, int, str]]] = {}

    def add(self, whose: tuple[Any, ...], segments: NDArray[np.int64], path: str) -> None:
        """Record segments; whose: their system, then their place, such as the test set; path: the file with them."""
        import numpy as np

        runs = self._runs.setdefault(whose, [])
        first, last = int(segments[0]), int(segments[-1])
        if last - first == len(segments) - 1 and bool((np.diff(segments) == 1).all()):  # nearly always
            runs.append((first, last + 1, path))
            return
        segments = np.sort(segments)
        # A run starts at the first segment, after a gap, and at a repeated segment, which `check` then refuses
        starts = np.flatnonzero(np.diff(segments, prepend=segments[0] - 2) != 1)
        for a, b in zip(starts, [*starts[1:], len(segments)], strict=True):
            runs.append((int(segments[a]), int(segments[b - 1]) + 1, path))

    def check(self) -> None:
        """Refuse segments that occur twice or are missing."""
        ends: dict[tuple[Any, ...], dict[str, int]] = {}
        for whose, runs in self._runs.items():
            runs.sort()
            name = _tell_place(whose)
            length, before = 0, ""
            for start, end, path in runs:
                if start < length:
                    raise BleuError(
                        tell_place("segment", start),
                        f" of {name} occurs twice ({before}, {path}); name each shard once, and number its segments"
                        " when it is saved (",
                        Turn("first=...", "--first-line"),
                        ")",
                    )
                if start > length:
                    rest = f" of {name} {_are(start - length)} missing; name all shards"
                    raise BleuError(_tell_range(length, start), rest, self._tell_namesakes(whose))
                length, before = end, path
            ends.setdefault(whose[1:], {})[whose[0]] = length
        systems = list(dict.fromkeys(whose[0] for whose in self._runs))
        for where, ends_of in ends.items():
            most = max(ends_of, key=ends_of.__getitem__)
            for system in systems:
                if ends_of.get(system, 0) != ends_of[most]:
                    start, end = ends_of.get(system, 0), ends_of[most]
                    raise BleuError(
                        _tell_range(start, end),
                        f" of {_tell_place((system, *where))} {_are(end - start)} missing, but {most} has"
                        f" {'it' if end - start == 1 else 'them'}; give the same segments of all systems",
                    )

    def _tell_namesakes(self, whose: tuple[Any, ...]) -> str:
        """Suggest one name for systems that share no segment: they may be shards of one, named after their files."""
        system, *place = whose
        for (other, *there), runs in self._runs.items():
            together = sorted([*runs, *self._runs[whose]])
            if other != system and there == place and all(one[1] <= next_[0] for one, next_ in pairwise(together)):
                advice = f", or if {other} is the same system, save both "
                return Turn(f"{advice}under one name", f"{advice}with the same --names")
        return ""


def _tell_place(whose: tuple[Any, ...]) -> str:
    """Return the name of a system, with the place that its segments belong to."""
    system, *places = whose
    where = "/".join(str(place) for place in places if place is not None)
    return f"{system} in {where}" if where else str(system)


def _tell_range(start: int, end: int) -> Turn:
    return tell_place("segment", start) if end - start == 1 else tell_place("segments", start, end - 1)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


class Tally:
    """What was read about one system: its sums, or its rows by place."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = metrics
        self._totals = [CorpusStats(metric) for metric in metrics.values()]
        # By place: the segments, how many references they have, their rows by metric, and their documents
        self._blocks: dict[Any, list[tuple[NDArray[np.int64], NDArray[np.int32], list[SegmentStats], list[Any]]]] = {}

    def add_sums(self, table: pa.Table) -> None:
        """Add up the rows of a table; each belongs to a segment, or to a group of segments."""
        compute = load("pyarrow.compute", "arrow")
        least, most = ("refs_min", "refs_max") if "segments" in table.column_names else (REFERENCES, REFERENCES)
        segments = compute.sum(table.column("segments")).as_py() if "segments" in table.column_names else len(table)
        fewest, largest = compute.min(table.column(least)).as_py(), compute.max(table.column(most)).as_py()
        for place, (name, metric) in enumerate(self._metrics.items()):
            sums = [compute.sum(table.column(f"{name}.{column}")).as_py() for column in metric.column_names()]
            numbers = tuple(
                float(one) if column in metric.fractions else int(one)
                for one, column in zip(sums, metric.column_names(), strict=True)
            )
            self._totals[place] += CorpusStats(metric, segments, numbers, fewest, largest, (), None)
            if max(self._totals[place].sums) > LARGEST_TOTAL:
                raise BleuError(f"the sums of {name} are too large for 64 bits; read fewer files together")

    def add_rows(self, where: object, table: pa.Table, documents: Sequence[Any]) -> None:
        """Keep rows of segments; where: the place that these belong to. documents: those of the segments, if known."""
        rows = [
            SegmentStats.from_arrow(table.select([f"{name}.{column}" for column in metric.column_names()]))
            for name, metric in self._metrics.items()
        ]
        nrefs = to_numpy(table.column(REFERENCES))
        self._blocks.setdefault(where, []).append(
            (to_numpy(table.column(SEGMENT)), nrefs, rows, [(where, document) for document in documents])
        )

    def stats(self, places: Sequence[object]) -> tuple[list[CorpusStats], list[tuple[Any, Any]]]:
        """Return the statistics, one per metric, and the documents of the segments, each with its place.

        Rows are sorted by place, as `places` lists them, then by segment.
        """
        import numpy as np

        if not self._blocks:
            return self._totals, []
        documents: list[tuple[Any, Any]] = []
        whole = [CorpusStats(metric) for metric in self._metrics.values()]
        for place in places:
            blocks = self._blocks.get(place)
            if blocks is None:
                continue
            segments = np.concatenate([block[0] for block in blocks])
            order = None if (np.diff(segments) > 0).all() else np.argsort(segments, kind="stable")
            nrefs = np.concatenate([block[1] for block in blocks])
            of_place = [document for block in blocks for document in block[3]]
            documents += of_place if order is None else [of_place[n] for n in order.tolist() if of_place]
            counts = array("i", (nrefs if order is None else nrefs[order]).astype(np.int32).tobytes())
            for number, metric in enumerate(self._metrics.values()):
                rows = SegmentStats.join([block[2][number] for block in blocks])
                if order is not None:
                    rows = rows.take(order.tolist())
                whole[number] += CorpusStats.of_rows(metric, rows, counts)
        return whole, documents


# --- tests of several systems


def check_references(systems: Sequence[SystemStats], shards: Sequence[Shard] = ()) -> None:
    """Refuse systems whose references are known to differ: a paired test of their scores would mean nothing.

    Args:
        systems: the systems, with rows.
        shards: the texts that the rows were made from.
    """
    import numpy as np

    first, *rest = systems
    digests: dict[tuple[int, int], dict[str, Sequence[str]]] = {}
    for shard in shards:
        if shard.references:
            digests.setdefault((shard.first, shard.rows), {})[shard.system] = sorted(shard.references)
    for system in rest:
        by_file = [
            start
            for (start, _), of in digests.items()
            if first.name in of and system.name in of and of[first.name] != of[system.name]
        ]
        places = []
        for one, other in zip(first.stats, system.stats, strict=True):
            if one.rows is None or other.rows is None:
                continue
            rows, other_rows = np.asarray(one.rows), np.asarray(other.rows)
            counts = np.asarray(one.nrefs), np.asarray(other.nrefs)
            assert isinstance(one.metric, Metric)
            # With a single reference, these columns depend on it alone (see `Metric.column_names`)
            of_reference = [n for n, name in enumerate(one.metric.column_names()) if name.startswith("ref")]
            differs = (rows[:, of_reference] != other_rows[:, of_reference]).any(axis=1) & (counts[0] == 1)
            places += np.flatnonzero(differs | (counts[0] != counts[1]))[:1].tolist()
        if places or by_file:
            start = min([*places, *by_file])
            how = "" if places else ", according to the SHA-256 of their files"
            raise BleuError(
                f"the references of {first.name} and {system.name} differ, starting at ",
                tell_place("segment", start),
                f"{how}; a paired test needs the same references",
            )
