"""The way in: choosing the command, and ending every failure with one line and a status."""

from __future__ import annotations

import os

from bleucli.cli.streams import Environment, Messages, deliver, deliver_with, protect, shown
from bleucli.errors import BleuError, UsageError
from bleucli.text.wholefiles import descriptor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bleucli.cli.options import Options

    Command = Callable[[Options, Environment, Messages], bool]


class Status:
    """Exit status of the command."""  # creating an Enum takes too long

    FINE = 0
    GATE_FAILED = 1  # or a check; no setting gives a number; sacreBLEU's numbers differ
    ERROR = 2
    FAULT = 70  # EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # what shells report after SIGINT
    PIPE_CLOSED = 141  # what shells report after SIGPIPE


def run(words: Sequence[str], environment: Environment) -> int:
    """Do what the words after the command's name ask for. Every failure becomes one line on stderr and a status."""
    try:
        options = _read(words, environment)
        if options is None:
            return Status.FINE
        import warnings

        messages = Messages(environment, options.quiet, options.strict)
        with warnings.catch_warnings():
            warnings.showwarning = lambda warning, *_: messages.hear(warning)
            command = _find_command(options, messages)
            if options.mirror is None and not options.allow_http:
                passed = command(options, environment, messages)
            else:
                from bleucli.testsets import cache

                with cache.use(options.mirror, options.allow_http):
                    passed = command(options, environment, messages)
        return Status.FINE if passed else Status.GATE_FAILED
    except (Exception, KeyboardInterrupt) as error:
        return end(error, environment)


def end(error: BaseException, environment: Environment) -> int:
    """Say in one line why the command ends, if that needs saying, and return its status."""
    if _is_behind(error, KeyboardInterrupt):
        return Status.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return Status.PIPE_CLOSED
    if isinstance(error, BleuError):
        environment.say("error", error.in_command())
        return Status.ERROR
    if _is_behind(error, MemoryError):
        environment.say(
            "error",
            "out of memory: the texts or options need more than this machine has; try shorter lines or fewer threads",
        )
        return Status.ERROR
    environment.say_fault(error)
    return Status.FAULT


def _is_behind(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Return whether an error, or one that caused it, is of a kind: libraries may wrap errors in their own."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _read(words: Sequence[str], environment: Environment) -> Options | None:
    """Return the options; None if a page of help, or the version, was all that was asked for."""
    # Answered before anything else: making the parser and importing the metrics would take most of the time
    if list(words) in (["--version"], ["-V"]):
        deliver([_version()], None, environment)
        return None
    from bleucli.cli import commands
    from bleucli.cli.arguments import asks_for_annotations, mode_of, parse

    environment.annotates = asks_for_annotations(words)
    name = words[0] if words and words[0] in commands.MODULES else ""
    options = parse(words[1:] if name else words, name).replace(words=words)
    environment.annotates = options.annotate is not None
    if options.append and (options.help or mode_of(options)):
        raise UsageError("--append adds scores to a history, but this mode has none to add; leave it out")
    if options.output is not None:
        _check_output(options)
    if options.help:
        from bleucli.cli.parser import first_screen, parser

        top = parser(name)
        # --help has no value, so argparse reads `all` as a file
        asks_for_all = words[-1] == "all" and words[-2] in ("--help", "-h")
        page = top.format_help() if asks_for_all else first_screen(top, name)
        deliver([page], options.output, environment)
        return None
    if options.strict and options.quiet:
        raise UsageError("--strict turns warnings into errors, and --quiet hides them; leave out one of the two")
    test_set = options.test_set or options.download
    if test_set and options.language_pair is not None:
        from bleucli.testsets import registry

        pair = registry.load(options.registry).spell_pair(test_set.partition(",")[0], options.language_pair)
        options = options.replace(language_pair=pair)
    return options


def _check_output(options: Options) -> None:
    """Refuse to write a file that the options or the environment name as an input."""
    path = str(options.output)
    descriptor = descriptor_of(path)  # checked before a file of our own gets its number
    try:
        if descriptor is not None:
            os.fstat(descriptor)
    except (OSError, OverflowError):
        raise UsageError(
            f"cannot write {shown(path)}: descriptor {descriptor} is not open; name an open one, or a file, with"
            " --output"
        ) from None
    protect(path, _inputs(options))


def _inputs(options: Options) -> Iterator[str]:
    """Give the files that the options and the environment name as inputs, whichever mode reads them.

    Patterns in --input stay as they are: `files.Files` replaces them with files, and protects these.
    """
    from bleucli.cli.commands import command_of
    from bleucli.testsets import cache

    # Merging may replace a statistics file with the file that has all rows
    is_merged = options.command == "count" and not options.sums
    tables, statistics = options.table or (), () if is_merged else options.stats or ()
    if tables or statistics:
        from bleucli.scale.files import PARQUET, find_files
        from bleucli.scale.tables import IPC

        yield from find_files(map(shown, tables), (*PARQUET, *IPC))
        yield from find_files(map(shown, statistics))
    yield from options.refs
    yield from options.input or ()
    if options.registry is None:
        yield from filter(None, [cache.registry()])
    # Scores are compared with a history, then added to it
    special = {"output", "scores", "table", "stats", *(["baseline"] if options.append else [])}
    for name, option in command_of(options.command).records().items():
        if "FILE" in option.metavar and name not in special and options.has(name):
            value = getattr(options, name)
            yield from value if isinstance(value, list) else [value]
    if options.scores:
        from bleucli.cli.sources import score_arguments

        yield from (path for _, files in score_arguments(options).columns for path, _ in files)
    # The models that tokenizers read
    from bleucli.tokenizers import find_model

    signature = {} if options.like is None else options.like.info
    names = (options.of_metric("bleu").get("tokenize"), signature.get("tok"))
    yield from filter(None, map(find_model, filter(None, names)))


def _find_command(options: Options, messages: Messages) -> Command:
    """Return the function that does what the options ask for. Each imports only what it needs."""
    from bleucli.cli.arguments import mode_of

    if mode_of(options):
        return _answer_mode
    if not options.command:
        from bleucli.cli import scoring

        return scoring.run
    from bleucli.cli import commands

    if os.path.lexists(options.command):
        path = os.path.join(".", options.command)
        messages.note(f"{options.command} is the command here; for the file of that name, write {path}")
    return commands.find(options.command)


def _answer_mode(options: Options, environment: Environment, messages: Messages) -> bool:
    """Answer a question other than what the scores are, and return True."""
    from bleucli.cli.arguments import mode_of

    mode, idle = mode_of(options), []
    if options.given != {mode}:
        from bleucli.cli import request

        request.check_values(options)
        idle = request.idle_in_mode(options, mode)
    answer: Iterable[str]
    if mode == "version":
        answer = [_version()]
    elif mode == "list_tokenizers":
        from bleucli import tokenizers

        rows = list(tokenizers.listing())
        widest, longest, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
        answer = (f"{name:<{widest}}  {about:<{longest}}  {state}\n" for name, about, state in rows)
    elif mode == "sacrebleu_path":
        from bleucli.alias import folder

        answer = [f"{folder()}\n"]
    elif mode == "cite":
        from bleucli.cli.commands import testsets

        answer = [testsets.cite(options)]
    else:
        from bleucli.cli.commands import testsets

        answer = testsets.answer(options)
    deliver_with(idle, answer, options.output, environment, messages)
    return True


def _version() -> str:
    from bleucli import kernels
    from bleucli._version import __version__

    return f"bleu {__version__} ({kernels.live} kernels)\n"
