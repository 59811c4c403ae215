"""The command: what is asked for, and how every failure ends."""

from collections.abc import Sequence

from bleucli.cli.delivery import deliver, refuse_overwriting
from bleucli.cli.streams import Environment
from bleucli.errors import BleuError, Note, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from bleucli.cli.options import Options


class Status:
    """Exit status of the command; 1 means that a gate failed and nothing else."""  # an enumeration takes time to make

    FINE = 0
    GATE_FAILED = 1
    ERROR = 2
    FAULT = 70  # EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130
    PIPE_CLOSED = 141


def run(words: Sequence[str], environment: Environment) -> int:
    """Do what the words behind the command's name ask for; every failure becomes one line on stderr and a status."""
    try:
        return _run(words, environment)
    except (Exception, KeyboardInterrupt) as error:
        return end(error, environment)


def end(error: BaseException, environment: Environment) -> int:
    """Say in a line why the command ends, if that needs saying, and return its status."""
    if _is_behind(error, KeyboardInterrupt):
        return Status.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return Status.PIPE_CLOSED
    if isinstance(error, BleuError):
        environment.say("error", str(error))
        return Status.ERROR
    if _is_behind(error, MemoryError):
        environment.say(
            "error", "out of memory: texts or options ask for more than there is; try shorter lines or fewer threads"
        )
        return Status.ERROR
    environment.say_fault(error)
    return Status.FAULT


def _is_behind(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Return whether an error is of a kind, or was made of one: modules in C and libraries may raise their own."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _run(words: Sequence[str], environment: Environment) -> int:
    """Choose the mode; each imports what it takes, so that --version is there at once."""
    if list(words) in (["--version"], ["-V"]):  # the parser, and the metrics that it asks, would take most of the time
        deliver([_version()], None, environment)
        return Status.FINE
    from bleucli.cli.arguments import parse

    options = parse(words)
    if options.output == "":
        raise UsageError("--output is empty; name a file")
    refuse_overwriting(options.output, _files_read(options))
    if options.mirror is None and not options.allow_http:
        return _answer(options, environment)
    from bleucli.testsets import cache

    with cache.use_mirror(options.mirror), cache.allow_http(options.allow_http):
        return _answer(options, environment)


def _files_read(options: "Options") -> "Iterator[str]":
    """Give the files that options and environment name and that this mode, or another one, reads."""
    yield from options.refs
    yield from options.input or ()
    yield from filter(None, (options.baseline, _own_registry(options)))
    tokenizer = options.of_metric("bleu").get("tokenize", "")
    if tokenizer.startswith("spm:"):
        yield tokenizer.removeprefix("spm:")


def _own_registry(options: "Options") -> str:
    from bleucli.testsets import cache

    return cache.registry() if options.registry is None else str(options.registry)


def _answer(options: "Options", environment: Environment) -> int:
    if options.help:
        from bleucli.cli.arguments import parser

        deliver([parser().format_help()], options.output, environment)
        return Status.FINE
    import warnings

    with warnings.catch_warnings():
        warnings.showwarning = lambda warning, *_: _warn(warning, options, environment)
        return _answer_mode(options, environment)


def _answer_mode(options: "Options", environment: Environment) -> int:
    """Do what may take a while, and may warn."""
    from bleucli.cli.arguments import MODES, mode_of

    mode = mode_of(options)
    if not mode:
        from bleucli.cli import scoring

        return Status.FINE if scoring.score(options, environment) else Status.GATE_FAILED
    if options.given - MODES[mode] - {mode}:
        from bleucli.cli import values

        values.check(options)
    if mode == "version":
        deliver([_version()], options.output, environment)
    elif mode == "list_tokenizers":
        deliver([_tokenizer_list()], options.output, environment)
    else:
        from bleucli.cli import testset_modes

        deliver(testset_modes.answer(options), options.output, environment)
    if options.given - {mode}:
        from bleucli.cli import effects

        for line in effects.of_mode(options, mode):
            _warn(line, options, environment)
    return Status.FINE


def _warn(warning: Warning | str, options: "Options", environment: Environment) -> None:
    if not options.quiet:
        environment.say("note" if isinstance(warning, Note) else "warning", str(warning))


def _version() -> str:
    from bleucli import kernels
    from bleucli._version import __version__

    return f"bleu {__version__} ({kernels.live} kernels)\n"


def _tokenizer_list() -> str:
    from bleucli import tokenizers

    rows = list(tokenizers.listing())
    names, abouts, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "".join(f"{name:<{names}}  {about:<{abouts}}  {state}\n" for name, about, state in rows)
