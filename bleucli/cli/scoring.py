"""Scoring: prepare what the options ask for, and hand it to the mode that scores and prints."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bleucli import kernels
from bleucli.cli import request
from bleucli.cli.arguments import has_gates
from bleucli.cli.delivery import tell_withheld
from bleucli.cli.streams import Environment
from bleucli.cli.texts import Texts, names_of
from bleucli.errors import BleuError, LengthError
from bleucli.phrases import tell_count
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bleucli.cli.gating import Gates
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.provenance import Provenance
    from bleucli.cli.reporting import Reporting
    from bleucli.cli.saving import Saving
    from bleucli.scale.statsfiles import Statistics

# Seconds of scoring with slow kernels that are not worth a note
_PATIENCE = 2.0


def score(
    options: Options,
    environment: Environment,
    messages: Messages,
    words: Sequence[str],
    answer: Callable[[Options, Texts, Environment, Messages], None] | None = None,
) -> bool:
    """Score and print; return whether all gates were passed.

    Args:
        options: what is asked for.
        environment: the world around the command.
        messages: the notes and warnings of this run.
        words: the words of the command line, for formats that show it.
        answer: prints something about the texts other than their scores.

    Raises:
        BleuError: something is wrong with options or texts, or the answer cannot be written.
    """
    start = read_clocks()
    options, statistics = _read_statistics(check(options, messages))
    gates = _gates(options, environment)
    saving = _saving(options, words)
    reporting = _reporting(options, environment, words)
    asked = provenance(options, environment, words)
    # Each of these records the checksums of the files, or compares them with earlier ones
    hashed = any(one is not None for one in (asked, options.baseline, saving, options.report))
    texts = _open_texts(options, environment, hashed, statistics, words)
    try:
        if not options.keep_going:
            texts.check_lengths()
        passed = True
        if answer is not None:
            answer(options, texts, environment, messages)
        elif options.sentence_level:
            from bleucli.cli import segment_scoring

            segment_scoring.print_segments(options, texts, environment, messages, asked, saving)
        else:
            from bleucli.cli import system_scoring

            passed = system_scoring.print_systems(
                options, texts, environment, messages, asked, gates, saving, reporting
            )
    except LengthError as error:
        raise texts.explain(error) from None
    note_slowness(start, messages)
    if texts.failures:
        is_withheld = options.output is not None and request.format_of(options, environment) != "junit"
        told = f"{tell_count(texts.count_unscored(), texts.unit)} could not be scored (see above)"
        raise BleuError(f"{told}; {tell_withheld(options.output, options.append)}" if is_withheld else told)
    return passed


def check(options: Options, messages: Messages) -> Options:
    """Return the options with what the signature of --like says.

    Raises:
        BleuError: options have wrong values or cannot be combined, or --like names other texts.
    """
    request.check(options)
    if any(getattr(options, name) is not None for name in ("report", "plot", "add_scores", "plot_kind", "plot_width")):
        from bleucli.cli import reporting

        reporting.check(options)
    if options.like is None:
        return options
    from bleucli.cli import like

    published = options.like
    options = like.follow(options, published)
    for note in like.unused(published):
        messages.note(note)
    request.check_like(options, dict(Signature([]).with_texts(names_of(options).items())))  # before any download
    return options


def provenance(options: Options, environment: Environment, words: Sequence[str]) -> Provenance | None:
    """Return what lines of jsonl say about the run, if these are asked for.

    Raises:
        BleuError: lines are to be added to what is not a history.
    """
    asked = None
    if request.is_jsonl(options, environment):
        from bleucli.cli.provenance import Provenance

        asked = Provenance(words, environment)
    request.check_append(options, asked is not None)
    return asked


def _read_statistics(options: Options) -> tuple[Options, Statistics | None]:
    """Return the options, with the metrics in the files of --stats if none are named, and what these files hold."""
    if options.stats is None:
        return options, None
    from bleucli.cli import stored

    statistics = stored.read(options.stats)
    return stored.follow(options, statistics), statistics


def _gates(options: Options, environment: Environment) -> Gates | None:
    """Return the gates that are asked for, if any."""
    if not has_gates(options):
        return None
    from bleucli.cli.gating import Gates

    return Gates(
        options, request.names_printed(options), request.scale_of(options, request.format_of(options, environment))
    )


def _saving(options: Options, words: Sequence[str]) -> Saving | None:
    """Return what saves statistics, if that is asked for; `words` are those of the command line."""
    if options.save_stats is None and options.save_sums is None:
        return None
    from bleucli.cli.saving import Saving

    return Saving(options, words)


def _reporting(options: Options, environment: Environment, words: Sequence[str]) -> Reporting | None:
    """Return what makes a page or a figure, if that is asked for; `words` are those of the command line."""
    if options.report is None and options.plot is None:
        return None
    from bleucli.cli.reporting import Reporting

    return Reporting(options, environment, words)


def _open_texts(
    options: Options,
    environment: Environment,
    hashed: bool,
    statistics: Statistics | None,
    words: Sequence[str],
) -> Texts:
    """Return the texts, unread; refuse texts that --like does not name, if this is known already.

    statistics: what takes the place of the texts, if anything. words: those of the command line.
    """
    if statistics is not None:
        from bleucli.cli.stored import StoredTexts

        return StoredTexts(options, statistics)
    if options.matrix is not None:
        from bleucli.cli.matrixed import MatrixTexts

        return MatrixTexts(options, environment, hashed)
    if options.engine is not None:
        from bleucli.cli.engined import EnginedTexts

        return EnginedTexts(options, words)
    if options.table is not None:
        from bleucli.cli.tabled import TabledTexts

        return TabledTexts(options)
    if options.test_set is None:
        texts = Texts(options, environment, hashed)
    else:
        from bleucli.cli.testset_texts import TestSetTexts

        texts = TestSetTexts(options, environment, hashed)
    # If empty references are skipped, segments may have fewer references than there are files
    if options.like is not None and not options.skip_empty_refs and "empty" not in options.like.info:
        nrefs = texts.reference_count()
        request.check_like(options, {} if nrefs is None else {"nrefs": str(nrefs)})
    return texts


def note_slowness(start: tuple[float, float], messages: Messages) -> None:
    """Note why the kernels are slow, if that was noticeable; `start` is what the clocks showed at the start."""
    # The shorter time counts: waiting for a pipe or a download takes no processor time, and threads together take more
    # processor time than the user waits
    if kernels.reason and min(now - then for now, then in zip(read_clocks(), start, strict=True)) > _PATIENCE:
        messages.note(f"this was slow: {kernels.reason}")


def read_clocks() -> tuple[float, float]:
    """Return the seconds of wall-clock time and of processor time."""
    return time.monotonic(), time.process_time()
