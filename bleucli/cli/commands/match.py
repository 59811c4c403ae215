"""`bleu match NUMBER`: which settings give a number."""

from __future__ import annotations

from contextlib import suppress
from shlex import join, quote

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.options import OPTIONS, Option, target_language
from bleucli.cli.sources import names_of, text_arguments
from bleucli.cli.sources.paths import find_pipe, find_systems
from bleucli.cli.streams import Environment, shown
from bleucli.errors import LengthError, UsageError
from bleucli.output import EXPLANATION_FORMATS
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import is_jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.streams import Messages
    from bleucli.match import Inputs

COMMAND = Command(
    ("bleu match NUMBER REF... -i SYSTEM [options]", "bleu match NUMBER -t SET -l PAIR -i SYSTEM [options]"),
    "Find the settings that give a published number.",
    take(
        *("refs", "test_set", "registry", "mirror", "allow_http", "language_pair", "no_color", "output", *MESSAGES),
        number=Option("[NUMBER]", "the number as it was printed, such as 27.3; write it before the references"),
        input=OPTIONS["input"]._replace(spelling="--input -i SYSTEM", help="the system's output", once=True),
        metrics=OPTIONS["metrics"]._replace(
            help="which scores it may be (default: bleu chrf ter)", choices=("bleu", "chrf", "ter")
        ),
        scale=OPTIONS["scale"]._replace(
            help="what a perfect score is, 100 or 1 (default: 1 for a number up to 1, else 100)", idle=None
        ),
        format=OPTIONS["format"]._replace(help="%(choices)s (default: text)", choices=EXPLANATION_FORMATS),
    ),
    ("number", "input", "test_set", "language_pair", "metrics", "scale", "format", "output"),
    metrics=(),
)


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print the settings that give the number; return False if none does."""
    from bleucli.match import METRICS_MATCHED, check_number, match_corpus

    if options.number is None:
        raise UsageError("no number is given; write bleu match 27.3 REF -i SYSTEM")
    check_number(options.number)
    remedy = f"write bleu match {options.number.strip()} REF -i SYSTEM"
    if options.input is None:
        raise UsageError(f"no system is named; {remedy}")
    if not options.refs and options.test_set is None:
        raise UsageError(f"no references are named; {remedy}")
    options = options.replace(input=[options.input])
    options, _ = pipeline.prepare(options, messages)
    options = options.replace(input=find_systems(text_arguments(options)))
    if len(options.input) > 1:
        raise UsageError(f"-i has a pattern for {len(options.input)} files; name one system")
    form = pipeline.choose_explanation_format(options, environment, "settings")
    _refuse_unsuited([*options.refs, *options.input])
    idle = request.find_idle(options, 1, form)
    source = pipeline.open_texts(options, environment)
    corpus = source.corpus()
    with pipeline.watch(options, environment) as progress:
        try:
            matches = match_corpus(
                corpus,
                options.number,
                _inputs_of(options, corpus.reference_names()),
                metrics=options.metrics or METRICS_MATCHED,
                language=target_language(options.language_pair),
                scale=options.scale,
                progress=lambda done: progress("segments", done, 0),
            )
        except LengthError as error:
            raise source.explain(error) from None
    hints = [*idle, *source.hints]
    messages.hold_back(hints)
    pipeline.deliver_explanations([matches], options.replace(scale=None), environment, form)
    for hint in hints:
        messages.warn(hint)
    return bool(matches.matches)


def _refuse_unsuited(paths: Sequence[str]) -> None:
    """Refuse texts that cannot be read again, and files that the other programs cannot read."""
    for path in paths:
        if path == "-" or find_pipe(path) is not None:
            raise UsageError("bleu match prints commands that read the texts again; save them in files, and name these")
        if is_jsonl(path):
            raise UsageError(f"{shown(path)} is JSON Lines, which other programs do not read; give text files")
        if TextFile(shown(path), path).is_packed():
            raise UsageError(f"{shown(path)} is packed, and other programs do not unpack it; unpack it first")
        with suppress(OSError), open(path, "rb") as file:  # reading the text reports other errors
            try:
                file.read().decode()
            except UnicodeDecodeError:
                raise UsageError(
                    f"{shown(path)} is not UTF-8, which the other programs expect; convert it first: iconv -f ENCODING"
                    " -t UTF-8"
                ) from None


def _inputs_of(options: Options, names: Sequence[str]) -> Inputs:
    """Return what commands call the texts; names: those of the references."""
    from bleucli.match import Inputs

    (system,) = options.input
    if options.test_set is None:
        return Inputs(options.refs, options.refs, [""] * len(options.refs), system)
    which = ["-t", options.test_set, "-l", options.language_pair]
    if options.registry is not None:
        which += ["--registry", options.registry]
    # With several references, a name ends in that of the field, such as `ref:A`
    fields = [name.rpartition(" ")[2] for name in names] if len(names) > 1 else ["ref"]
    files = [f"{field.replace(':', '.')}.txt" for field in fields]
    made_by = [
        f"bleu {join([*which, '--echo', field])} > {quote(file)}" for field, file in zip(fields, files, strict=True)
    ]
    language = target_language(options.language_pair)
    return Inputs(which, files, made_by, system, list(names_of(options).items()), language)
