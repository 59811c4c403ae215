"""The mode of --sentence-level: one score per segment, of one system by one metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from bleucli.cli import pipeline, request
from bleucli.cli.delivery import deliver, spool
from bleucli.cli.streams import Environment, encode
from bleucli.errors import UsageError
from bleucli.output import segment_renderer
from bleucli.output.scale import rescale_record
from bleucli.results import Run, ScoreRecord
from bleucli.scoring import score_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.provenance import Provenance
    from bleucli.cli.sources import Rows


def print_segments(
    options: Options,
    source: Rows,
    environment: Environment,
    messages: Messages,
    provenance: Provenance | None,
) -> None:
    """Score one system's segments by one metric, and print one line per segment.

    Raises:
        BleuError: there are several systems or metrics, the texts are wrong, or the answer cannot be written.
    """
    metrics = pipeline.metrics_of(options, source)
    if len(metrics) != 1 or len(source.systems) != 1:
        raise UsageError("--sentence-level takes one system and one metric; leave out the others")
    request.format_of(options, environment)  # called to refuse a wrong format; only the option turns segments into JSON
    render = segment_renderer(options.format or "text")
    blocks, selection = source.blocks(metrics[0], request.count_threads(options.jobs)), source.selection()
    records = pipeline.sign(score_rows(blocks, selection), source.texts())
    layout = request.layout_of(options, environment, "text")
    first = next(records)  # its signature is that of all segments, except for nrefs
    counts: dict[str, int] = {}  # number of segments by number of references
    hints = request.find_idle(options, 1, options.format or "text", True)

    # The answer is written only after its last line is made, so an error after the loop still holds it back
    def tally() -> Iterator[ScoreRecord]:
        for record in chain((first,), records):
            nrefs = dict(record.signature)["nrefs"]
            counts[nrefs] = counts.get(nrefs, 0) + 1
            yield record
        signature = dict(first.signature) | _nrefs(counts)
        request.check_like(options, signature)
        hints.extend([*source.hints(), *request.find_differences(signature, options)])
        messages.hold_back(hints)

    if provenance is None:
        lines: Iterator[str] = (render(rescale_record(record, layout.scale), layout) for record in tally())
    else:
        indexes = None if selection is None else selection.chosen
        lines = _lines_of_segments(tally(), indexes, source, provenance)
    deliver(lines, options.output, environment, options.append)
    request.note_files(source.overview, sum(counts.values()), options, messages)
    request.note_texts(dict(first.signature) | _nrefs(counts), options, messages)
    for hint in hints:
        messages.warn(hint)


def _lines_of_segments(
    records: Iterator[ScoreRecord], lines: Sequence[int] | None, source: Rows, provenance: Provenance
) -> Iterator[str]:
    """Give the lines of jsonl; each ends with what is known about the texts after all of them have been read."""
    from bleucli.output import jsonl_text

    (system,) = source.systems.names("jsonl")
    indexes: Iterable[int] = count() if lines is None else lines
    numbered = zip(records, indexes, strict=False)  # the records come first, so that zip reads them to their end
    heads = (jsonl_text.segment_head(record, index + 1, system) for record, index in numbered)
    with spool(map(encode, heads)) as file:
        systems, references = source.inputs()
        yield from jsonl_text.with_run(map(bytes.decode, file), provenance.of(Run(list(systems.values()), references)))


def _nrefs(counts: Mapping[str, int]) -> dict[str, str]:
    """Return what a corpus signature says about segments with these numbers of references."""
    return {"nrefs": next(iter(counts)) if len(counts) == 1 else "var"}
