"""Every segment, by every system and metric, as a table.

- `Table`: how it is laid out
- `render_csv`, `render_tsv`, `render_lines` (JSON Lines), `render_parquet`: each takes blocks of segments, and
  gives the table piece by piece: memory holds one block

A wide table has a row for each segment, and a column for each system and metric, such as `KIT BLEU`. A long one has a
row for each score, with columns `segment`, `system`, `metric` and `score`. Both have columns of labels, and of texts if
the blocks have them. Scores are exact: whoever reads them as doubles gets the numbers that were computed.

A long line of JSON Lines is that of a score, as `bleucli.output.json_text` describes it. A wide one is an object with
`segment`, with `labels` and `references` if there are any, and with `systems`, which holds an object for each system:
its scores by the names of the metrics, and its `output`.
"""

from __future__ import annotations

from array import array
from io import BytesIO, StringIO
from itertools import chain

from bleucli.errors import BleuError
from bleucli.output.json_text import dump_line, segment_pieces
from bleucli.prose.markup import visible
from bleucli.records import NamedTuple
from bleucli.results import Run, in_scale, run_item
from bleucli.results.segments import SegmentBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Columns = list[tuple[str, Sequence[Any]]]

# The fewest rows that are written to Parquet at once, unless there are texts
_ROWS = 1 << 16
# What ends the lines of scores but the last one, which says what is known about the run
_NO_RUN = f", {dump_line(run_item(None, 0, None))[1:]}\n"


class Table(NamedTuple):
    """How segments are laid out as a table."""

    wide: bool  # one row per segment, not one per score
    width: int | None = None  # the number of decimals in csv and tsv; None for exact numbers
    scale: int = 100  # what a perfect score is in csv and tsv, 100 or 1
    # Both are asked once all segments have been read: what is known about the run, which only long JSON Lines have, and
    # the signatures of the metrics by their names, which are in the metadata of Parquet
    run: Callable[[], Run] | None = None
    signatures: Mapping[str, str] = {}


def render_csv(blocks: Iterable[SegmentBlock], table: Table, delimiter: str = ",") -> Iterator[str]:
    """Give a header, then the rows of each block; control characters in names and labels are written as escapes."""
    import csv

    class Rows(StringIO):
        """What a writer that ends rows with CR and LF writes, as it quotes both characters, with LF at the end."""

        def write(self, row: str) -> int:
            return super().write(f"{row[:-2]}\n")

    header: list[str] = []
    for block in blocks:
        clean = block._replace(
            systems=list(map(visible, block.systems)),
            labels={name: [one and visible(one) for one in labels] for name, labels in block.labels.items()},
        )
        columns = _columns(clean, table, [_figures(of_system, table) for of_system in block.scores])
        # Only texts may have a carriage return
        text = Rows(newline="") if block.outputs else StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n" if block.outputs else "\n")
        header = _check_header([visible(name) for name, _ in columns], header, writer.writerow)
        writer.writerows(zip(*[column for _, column in columns], strict=True))
        yield text.getvalue()


def render_tsv(blocks: Iterable[SegmentBlock], table: Table) -> Iterator[str]:
    """Give the same with tabs between the columns."""
    return render_csv(blocks, table, "\t")


def render_parquet(blocks: Iterable[SegmentBlock], table: Table) -> Iterator[bytes]:
    """Give the bytes of a Parquet file; segments are integers, scores doubles, all else is text."""
    from bleucli.optional_deps import load

    pa = load("pyarrow", "arrow")
    sink = _Sink()
    writer: Any = None
    header: list[str] = []
    waiting: list[Any] = []
    for texts in blocks:
        # Parquet refuses bytes of file names that are not UTF-8
        names = [name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in texts.systems]
        block = texts._replace(systems=names)
        columns = _columns(block, table, [[one.scores for one in of_system] for of_system in block.scores])
        header = _check_header([name for name, _ in columns], header)
        scores = {"score"} if not table.wide else {name for name, _ in _score_columns(block, block.scores)}
        types = [
            pa.int64() if name == "segment" else pa.float64() if name in scores else pa.string() for name in header
        ]
        arrays = [pa.array(list(column), kind) for (_, column), kind in zip(columns, types, strict=True)]
        waiting.append(pa.Table.from_arrays(arrays, names=header))
        if block.outputs or sum(map(len, waiting)) >= _ROWS:
            writer = _write(writer, sink, waiting)
            yield sink.take()
    writer = _write(writer, sink, waiting)
    if writer is not None:
        writer.add_key_value_metadata({"signatures": dump_line(dict(table.signatures))})
        writer.close()
    yield sink.take()


def _write(writer: Any, sink: _Sink, waiting: list[Any]) -> Any:
    """Write the tables that wait, and forget them; return the writer, which the first ones make."""
    if waiting:
        from bleucli.optional_deps import load

        whole = load("pyarrow", "arrow").concat_tables(waiting)
        writer = writer or load("pyarrow.parquet", "arrow").ParquetWriter(sink, whole.schema)
        writer.write_table(whole)
        waiting.clear()
    return writer


class _Sink(BytesIO):
    """A file that is only written to, and whose new bytes can be taken."""

    _before = 0  # the bytes that were taken

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._before + super().tell()

    def close(self) -> None:
        """Do nothing: the bytes are taken afterwards."""

    def take(self) -> bytes:
        """Return the bytes that were written since the last call."""
        data = self.getvalue()
        self._before += len(data)
        self.seek(0)
        self.truncate()
        return data


# --- columns


def _columns(block: SegmentBlock, table: Table, scores: Sequence[Sequence[Sequence[Any]]]) -> Columns:
    """Return the columns of a block, each with its name; scores: for each system, those by each metric, as printed."""
    references = [
        (f"reference {number}" if len(block.references) > 1 else "reference", texts)
        for number, texts in enumerate(block.references, 1)
    ]
    columns: Columns = [("segment", block.numbers), *block.labels.items(), *references]
    if table.wide:
        of_systems = iter(_score_columns(block, scores))
        for place, name in enumerate(block.systems):
            columns += [(name, block.outputs[place])] if block.outputs else []
            columns += [next(of_systems) for _ in scores[place]]
        return columns

    def alternate(columns: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the first values of all columns, then the second ones, and so on."""
        return list(chain.from_iterable(zip(*columns, strict=True)))

    names = [one.name for one in block.scores[0]]
    each = len(block.systems) * len(names)
    columns = [(name, [value for value in column for _ in range(each)]) for name, column in columns]
    columns.append(("system", [name for name in block.systems for _ in names] * len(block.numbers)))
    if block.outputs:
        columns.append(("output", alternate([texts for texts in block.outputs for _ in names])))
    columns.append(("metric", names * (len(block.systems) * len(block.numbers))))
    return [*columns, ("score", alternate([column for of_system in scores for column in of_system]))]


def _score_columns(block: SegmentBlock, scores: Sequence[Sequence[Any]]) -> Columns:
    """Return the columns of scores of a wide table, in the order of the systems and metrics."""
    return [
        (f"{name} {one.name}", column)
        for name, of_system, columns in zip(block.systems, block.scores, scores, strict=True)
        for one, column in zip(of_system, columns, strict=True)
    ]


def _figures(scores: Sequence[Any], table: Table) -> list[Sequence[Any]]:
    """Return the scores of a system by each metric as csv has them; scores from elsewhere keep their scale."""
    columns: list[Sequence[Any]] = []
    for one in scores:
        numbers = one.scores
        if table.scale != 100 and one.scale is None:
            numbers = [in_scale(number, table.scale) for number in numbers]
        columns.append(numbers if table.width is None else [f"{number:z.{table.width}f}" for number in numbers])
    return columns


def _check_header(names: list[str], header: list[str], write: Callable[[list[str]], object] | None = None) -> list[str]:
    """Return the names of the columns, after writing them if they are the first ones."""
    if header:
        if names != header:
            raise BleuError(
                "the number of references changes from one segment to another, which a table cannot show; choose -f"
                " jsonl, or leave out --texts"
            )
        return header
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise BleuError(f"the table would have two columns {twice!r}; name the systems otherwise with --names")
    if write is not None:
        write(names)
    return names


# --- JSON Lines


def render_lines(blocks: Iterable[SegmentBlock], table: Table) -> Iterator[str | bytes]:
    """Give the lines of each block: wide ones, or one for each score, the last of which says what the run was."""
    if table.wide:
        for block in blocks:
            lines = zip(_heads(block), zip(*_objects(block), strict=True), strict=True)
            yield "".join(f'{{{head}, "systems": {{{", ".join(systems)}}}}}\n' for head, systems in lines)
        return
    from bleucli import kernels

    held = b""
    for block in blocks:
        if held:
            yield held
        numbers, pieces = array("q", block.numbers), []
        for name, scores in zip(block.systems, block.scores, strict=True):
            for one in scores:
                pieces += [*segment_pieces(one, numbers, name), _NO_RUN.encode()]
        held = kernels.render_rows(pieces)
    if held and table.run is not None:
        run = dump_line(run_item(table.run(), 0, None))[1:]
        held = held.removesuffix(_NO_RUN.encode()) + f", {run}\n".encode()
    yield held


def _heads(block: SegmentBlock) -> Iterator[str]:
    """Give what a wide line says of each segment besides its scores."""
    keys: list[Iterable[str]] = []
    if block.labels:
        rows = zip(*block.labels.values(), strict=True)
        keys.append(f', "labels": {dump_line(dict(zip(block.labels, row, strict=True)))}' for row in rows)
    if block.references:
        rows = zip(*block.references, strict=True)
        keys.append(f', "references": {dump_line([text for text in row if text is not None])}' for row in rows)
    facts = list(map("".join, zip(*keys, strict=True)))
    for number, fact in zip(block.numbers, facts or [""] * len(block.numbers), strict=True):
        yield f'"segment": {number}{fact}'


def _objects(block: SegmentBlock) -> Iterator[list[str]]:
    """Give for each system the keys that wide lines have of it: its name, with an object."""
    for place, (name, scores) in enumerate(zip(block.systems, block.scores, strict=True)):
        template = ", ".join(f"{dump_line(one.name)}: %r" for one in scores).replace('"%', '"%%')
        numbers = zip(*(one.scores for one in scores), strict=True)
        objects = map(template.__mod__, numbers)
        start = f"{dump_line(name)}: {{"
        if block.outputs:
            texts = map(dump_line, block.outputs[place])
            yield [f'{start}"output": {text}, {rest}}}' for text, rest in zip(texts, objects, strict=True)]
        else:
            yield [f"{start}{rest}}}" for rest in objects]
