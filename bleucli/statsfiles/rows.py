"""Rows of files of statistics: how they are grouped, which segments they belong to, and what they add up to.

- `check_numbers`: checks that columns hold numbers that can be added up
- `check_counts`: checks that texts can have such counts
- `split`: groups the rows of a table by the values of some columns
- `Places`: records which segments have been read
- `Tally`: the sums or rows of one system
- `check_references`: checks that systems were counted against the same references
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import BleuError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.phrases import Turn, tell_place
from bleucli.records import NamedTuple
from bleucli.statsfiles.layout import REFERENCES, SEGMENT, Shard, label_of
from bleucli.statsfiles.reading import AGAIN
from bleucli.text.buffers import to_arrow, to_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


# Arrow's sums wrap around above this, without an error
_LARGEST_TOTAL = 2**63 - 1
# Sums of counts and numbers of segments: up to this, whole numbers are exact in floating point
_LARGEST_SUM = 2**53 - 1
# Counts in a segment: no text has as many n-grams, and no resample of smaller ones exceeds 64 bits
_LARGEST_COUNT = 2**31 - 1
# The largest values of columns that are not added up
_MOST = {SEGMENT: _LARGEST_SUM, REFERENCES: _LARGEST_COUNT, "refs_min": _LARGEST_COUNT, "refs_max": _LARGEST_COUNT}
# Fractions, which may be negative, such as scores from elsewhere: sums of larger ones might not be finite
_LARGEST_FRACTION = 1e100


def check_numbers(table: pa.Table, fractions: Mapping[str, bool], path: str, start: int = 0) -> pa.Table:
    """Return a table whose whole numbers are integers, even if another program has changed their type.

    Args:
        table: the statistics of segments; or, if there is a column `segments`, sums.
        fractions: the columns of numbers, and whether each may hold fractions and negative numbers.
        path: the path of the file, for errors.
        start: the index in the file of the table's first row, for errors.

    Raises:
        BleuError: a column has gaps, or holds something other than finite numbers; or a column of whole numbers holds
            a negative one, or one that is too large to add up.
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    largest = _LARGEST_SUM if "segments" in table.column_names else _LARGEST_COUNT
    for name, is_fraction in fractions.items():
        place = table.column_names.index(name)
        column = table.column(place)
        if column.null_count:
            raise BleuError(f"the column {name} of {path} has gaps; ", AGAIN)
        # Differences of unsigned integers would never be negative, so rows in another order would look sorted
        is_known = pa.types.is_floating(column.type) if is_fraction else pa.types.is_signed_integer(column.type)
        if not is_known:
            try:
                column = column.cast(pa.float64(), safe=False) if is_fraction else column.cast(pa.int64())
            except pa.ArrowException:
                expected = "numbers" if is_fraction else "whole numbers below 2^63"
                raise BleuError(
                    f"the column {name} of {path} has values of type {column.type} that are not {expected}; ", AGAIN
                ) from None
            table = table.set_column(place, name, column)
        if not len(column):
            continue
        numbers = to_numpy(column)
        most = _LARGEST_FRACTION if is_fraction else _MOST.get(name, min(largest, _LARGEST_TOTAL // len(column)))
        least = -most if is_fraction else 0
        # Without a sign, negative numbers are the largest, so that whole numbers are read once. NaN is below nothing.
        unsigned = numbers if is_fraction else numbers.view(f"u{numbers.itemsize}")
        if not (unsigned.max() <= most and (not is_fraction or numbers.min() >= least)):
            row = int(np.argmin((least <= numbers) & (numbers <= most)))
            number = numbers[row].item()
            kind = (
                "negative" if number < 0 and not is_fraction else "too large" if abs(number) < np.inf else "not finite"
            )
            where = tell_place("row", start + row)
            raise BleuError(f"the column {name} of {path} has {number} in ", where, f", which is {kind}; ", AGAIN)
    return table


def check_counts(table: pa.Table, metrics: Mapping[str, Metric], path: str, start: int = 0) -> None:
    """Refuse rows that no texts can have, such as those with more matches than n-grams.

    Args:
        table: the statistics, which `check_numbers` has accepted.
        metrics: the metrics that counted, by their names in the file.
        path: the path of the file, for errors.
        start: the index in the file of the table's first row, for errors.

    Raises:
        BleuError: there is such a row; the error names the first.
    """
    for what, rows in _find_impossible(table, metrics) if len(table) else ():
        if rows.any():
            where = tell_place("row", start + int(rows.argmax()))
            raise BleuError(f"{path} has {what} in ", where, ", which cannot be; ", AGAIN)


def _find_impossible(table: pa.Table, metrics: Mapping[str, Metric]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Give what cannot be, and the rows in which it is so."""
    is_summed = "segments" in table.column_names
    least, most = ("refs_min", "refs_max") if is_summed else (REFERENCES, REFERENCES)
    fewest, references = to_numpy(table.column(least)), to_numpy(table.column(most))
    needed = max(metric.fewest_references for metric in metrics.values())
    yield f"{least} below {needed}", fewest < needed
    if is_summed:
        yield f"{least} above {most}", fewest > references
        yield "segments below 1", to_numpy(table.column("segments")) < 1
    for name, metric in metrics.items():
        columns = {column: to_numpy(table.column(f"{name}.{column}")) for column in metric.column_names()}
        for what, rows in metric.find_impossible(columns, references):
            yield f"{name} with {what}", rows


class Rows(NamedTuple):
    """Rows of a table that have the same values in some columns: these values, and the other columns."""

    values: tuple[Any, ...]
    table: pa.Table


def split(table: pa.Table, keys: Sequence[str]) -> Iterator[Rows]:
    """Give the rows of a table, grouped by the values of keys; a key without a column is None in all rows."""
    pa, compute = load("pyarrow", "arrow"), load("pyarrow.compute", "arrow")
    import numpy as np

    if not len(table):
        return
    others = table.select([name for name in table.column_names if name not in keys])
    values: list[list[Any]] = []
    codes: list[NDArray[np.int64] | None] = []  # None where all rows have the same value
    for key in keys:
        if key not in table.column_names:
            values.append([None])
            codes.append(None)
            continue
        column = table.column(key).combine_chunks()
        coded = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
        known = [*map(label_of, coded.dictionary.to_pylist()), None]  # the last code is that of rows without a value
        bounds = compute.min_max(coded.indices.fill_null(len(known) - 1) if coded.null_count else coded.indices)
        if bounds["min"] == bounds["max"]:
            values.append([known[bounds["min"].as_py()]])
            codes.append(None)
        else:
            places = to_numpy(coded.indices.fill_null(len(known) - 1) if coded.null_count else coded.indices)
            values.append(known)
            codes.append(places.astype(np.int64))
    if all(of is None for of in codes):
        yield Rows(tuple(of[0] for of in values), others)
        return
    whole = np.zeros(len(table), np.int64)
    for of_key, known in zip(codes, values, strict=True):
        if of_key is not None:  # numbered again after each key, so that the numbers cannot overflow
            _, whole = np.unique(whole * len(known) + of_key, return_inverse=True)
    order = np.argsort(whole, kind="stable")  # so rows keep their order within a group
    starts = np.flatnonzero(np.diff(whole[order], prepend=-1))
    groups = [order[a:b] for a, b in zip(starts, [*starts[1:], len(order)], strict=True)]
    for rows in sorted(groups, key=lambda rows: int(rows[0])):  # in order of first appearance
        first = int(rows[0])
        found = tuple(known[0 if of is None else int(of[first])] for of, known in zip(codes, values, strict=True))
        yield Rows(found, others.take(to_arrow(rows)))


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
        """Refuse segments that occur twice or are missing.

        Raises:
            BleuError: a segment is repeated or missing; the error names the first one.
        """
        ends: dict[tuple[Any, ...], dict[str, int]] = {}
        for whose, runs in self._runs.items():
            runs.sort()
            name = _tell_place(whose)
            done, before = 0, ""
            for start, end, path in runs:
                if start < done:
                    raise BleuError(
                        tell_place("segment", start),
                        f" of {name} occurs twice ({before}, {path}); name each shard once, and number its segments"
                        " when it is saved (",
                        Turn("first=...", "--first-line"),
                        ")",
                    )
                if start > done:
                    told = f" of {name} {_are(start - done)} missing; name all shards"
                    raise BleuError(_tell_range(done, start), told, self._tell_namesakes(whose))
                done, before = end, path
            ends.setdefault(whose[1:], {})[whose[0]] = done
        systems = list(dict.fromkeys(whose[0] for whose in self._runs))
        for where, found in ends.items():
            most = max(found, key=found.__getitem__)
            for system in systems:
                if found.get(system, 0) != found[most]:
                    start, end = found.get(system, 0), found[most]
                    raise BleuError(
                        _tell_range(start, end),
                        f" of {_tell_place((system, *where))} {_are(end - start)} missing, but {most} has"
                        f" {'it' if end - start == 1 else 'them'}; give the same segments of all systems",
                    )

    def _tell_namesakes(self, whose: tuple[Any, ...]) -> str:
        """Suggest one name for systems that share no segment: they may be shards of one, named after their files."""
        system, *place = whose
        for (other, *there), runs in self._runs.items():
            both = sorted([*runs, *self._runs[whose]])
            if other != system and there == place and all(one[1] <= next_[0] for one, next_ in pairwise(both)):
                same = f", or if {other} is the same system, save both "
                return Turn(f"{same}under one name", f"{same}with the same --names")
        return ""


def _tell_place(whose: tuple[Any, ...]) -> str:
    """Return the name of a system, with the place that its segments belong to."""
    system, *places = whose
    told = "/".join(str(place) for place in places if place is not None)
    return f"{system} in {told}" if told else str(system)


def _tell_range(start: int, end: int) -> Turn:
    return tell_place("segment", start) if end - start == 1 else tell_place("segments", start, end - 1)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


class Tally:
    """What was read about one system: its sums, or its rows by place."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = metrics
        self._totals = [CorpusStats(metric) for metric in metrics.values()]
        self._blocks: dict[Any, list[tuple[NDArray[np.int64], NDArray[np.int32], list[SegmentStats]]]] = {}

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
            if max(self._totals[place].sums) > _LARGEST_TOTAL:
                raise BleuError(f"the sums of {name} are too large for 64 bits; read fewer files together")

    def add_rows(self, where: object, table: pa.Table) -> None:
        """Keep rows of segments; where: the place that these belong to."""
        rows = [
            SegmentStats.from_arrow(table.select([f"{name}.{column}" for column in metric.column_names()]))
            for name, metric in self._metrics.items()
        ]
        nrefs = to_numpy(table.column(REFERENCES))
        self._blocks.setdefault(where, []).append((to_numpy(table.column(SEGMENT)), nrefs, rows))

    def stats(self, places: Sequence[object]) -> list[CorpusStats]:
        """Return the statistics, one per metric; rows are sorted by place, as `places` lists them, then by segment."""
        import numpy as np

        if not self._blocks:
            return self._totals
        whole = [CorpusStats(metric) for metric in self._metrics.values()]
        for place in places:
            blocks = self._blocks.get(place)
            if blocks is None:
                continue
            segments = np.concatenate([block[0] for block in blocks])
            order = None if (np.diff(segments) > 0).all() else np.argsort(segments, kind="stable")
            nrefs = np.concatenate([block[1] for block in blocks])
            counts = array("i", (nrefs if order is None else nrefs[order]).astype(np.int32).tobytes())
            for number, metric in enumerate(self._metrics.values()):
                rows = SegmentStats.join([block[2][number] for block in blocks])
                if order is not None:
                    rows = rows.take(order.tolist())
                whole[number] += CorpusStats.of_rows(metric, rows, counts)
        return whole


# --- tests of several systems


def check_references(counted: Sequence[SystemStats], shards: Sequence[Shard] = ()) -> None:
    """Refuse systems whose references are known to differ: a paired test of their scores would mean nothing.

    Args:
        counted: systems with rows.
        shards: the texts that the rows were made from.

    Raises:
        BleuError: references differ; the error names the first segment where they do.
    """
    import numpy as np

    first, *others = counted
    digests: dict[tuple[int, int], dict[str, Sequence[str]]] = {}
    for shard in shards:
        if shard.references:
            digests.setdefault((shard.first, shard.rows), {})[shard.system] = sorted(shard.references)
    for system in others:
        by_file = [
            start
            for (start, _), of in digests.items()
            if first.name in of and system.name in of and of[first.name] != of[system.name]
        ]
        places = []
        for one, other in zip(first.stats, system.stats, strict=True):
            if one.rows is None or other.rows is None:
                continue
            ours, theirs = np.asarray(one.rows), np.asarray(other.rows)
            counts = np.asarray(one.nrefs), np.asarray(other.nrefs)
            assert isinstance(one.metric, Metric)
            # With a single reference, these columns depend on it alone (see `Metric.column_names`)
            of_reference = [n for n, name in enumerate(one.metric.column_names()) if name.startswith("ref")]
            differs = (ours[:, of_reference] != theirs[:, of_reference]).any(axis=1) & (counts[0] == 1)
            places += np.flatnonzero(differs | (counts[0] != counts[1]))[:1].tolist()
        if places or by_file:
            start = min([*places, *by_file])
            how = "" if places else ", according to the SHA-256 of their files"
            raise BleuError(
                f"the references of {first.name} and {system.name} differ, starting at ",
                tell_place("segment", start),
                f"{how}; a paired test needs the same references",
            )
