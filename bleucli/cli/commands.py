"""What the command does, a short function a mode."""

import os
from collections.abc import Iterator, Sequence
from enum import IntEnum

from bleucli import evaluate, hints, kernels, tokenizers
from bleucli._version import __version__
from bleucli.cli import like
from bleucli.cli.arguments import FORMATS, METRIC_ARGUMENTS, parse, parser
from bleucli.cli.streams import Environment, deliver, shown
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.evaluate import Source
from bleucli.jsonlines import Fields, JsonLines, fields_named, is_jsonl
from bleucli.metrics import METRICS, Metric
from bleucli.output import Layout
from bleucli.results import Results
from bleucli.signature import Signature
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_MOST_JOBS = 1024
# From so many segments on, the reference kernels take seconds
_MANY_SEGMENTS = 2000


class Status(IntEnum):
    """Exit status of the command."""

    FINE = 0
    GATE_FAILED = 1
    ERROR = 2
    INTERRUPTED = 130
    PIPE_CLOSED = 141


def run(words: Sequence[str], environment: Environment) -> Status:
    """Do what the words behind the command's name ask for; every failure becomes one line on stderr and a status."""
    try:
        return _run(words, environment)
    except BleuError as error:
        environment.say("error", str(error))
    except MemoryError:
        environment.say("error", "out of memory: a single line, or --max-ngram-order, is too large for this machine")
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except BrokenPipeError:
        return Status.PIPE_CLOSED
    return Status.ERROR


def _run(words: Sequence[str], environment: Environment) -> Status:
    options = parse(words)
    if options.help:
        return _print(parser().format_help(), options, environment)
    if options.version:
        return _print(f"bleu {__version__} ({kernels.live} kernels)\n", options, environment)
    if options.list_tokenizers:
        return _print(_tokenizer_list(), options, environment)
    _check(options)
    texts = _Texts(options, environment)
    try:
        if options.sentence_level:
            return _print_segments(options, texts, environment)
        return _print_systems(options, texts, environment)
    except LengthError as error:
        raise texts.explained(error) from None


def _print(answer: str, options: "Namespace", environment: Environment) -> Status:
    deliver([answer], options.output, environment)
    return Status.FINE


# --- what is asked for


def _check(options: "Namespace") -> None:
    """Refuse options that have no such value or do not go together."""
    if not options.refs and not any(_is_jsonl(path, options) for path in options.input or ["-"]):
        raise UsageError("no references were given; name the reference file first: bleu ref.txt -i system.txt")
    if not 0 <= options.width <= 1000:
        raise UsageError(f"--width {options.width}; expected a number of decimals from 0 to 1000")
    if not 0 <= options.jobs <= _MOST_JOBS:
        raise UsageError(
            f"--jobs {options.jobs}; expected 1 to {_MOST_JOBS} threads, or 0 for as many as there are processors"
        )
    if options.num_refs is not None and not 1 <= options.num_refs <= 1000:
        raise UsageError(f"--num-refs {options.num_refs}; expected a number from 1 to 1000")
    if options.num_refs is not None and len(options.refs) != 1:
        raise UsageError(f"--num-refs splits one reference file on tabs; {len(options.refs)} files were given")
    if options.fail_under is not None and options.fail_under != options.fail_under:
        raise UsageError("--fail-under nan; expected a score")
    if options.sentence_level and options.fail_under is not None:
        raise UsageError("--fail-under needs a corpus's score; leave out --sentence-level")
    if options.like is not None:
        options.like = Signature.parse(options.like)
    if options.output == "":
        raise UsageError("--output is empty; name a file")


def _format(options: "Namespace", environment: Environment) -> str | None:
    """Return the format that was asked for, if any: by the option, else by the environment."""
    if options.format:
        return str(options.format)
    for variable in ("BLEU_FORMAT", "SACREBLEU_FORMAT"):
        value = environment.variables.get(variable)
        if value and value not in FORMATS:
            raise UsageError(f"{variable} is {value!r}; expected one of {', '.join(FORMATS)}")
        if value:
            return value
    return None


def _layout(options: "Namespace") -> Layout:
    return Layout(options.width, options.short, options.score_only)


def _metrics(options: "Namespace") -> list[Metric]:
    """Make the metrics that were asked for, each once, in the order in which they are printed."""
    if options.like is not None:
        like.take_over(options, options.like)
    wanted = [name for name in METRICS if name in options.metrics]
    made = [
        METRICS[name](skip_empty_refs=options.skip_empty_refs, **METRIC_ARGUMENTS[name](options)) for name in wanted
    ]
    for metric in made if options.like is not None else ():
        like.check(metric, options.like)
    return made


def _tokenizer_list() -> str:
    rows = list(tokenizers.listing())
    names, abouts, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "".join(f"{name:<{names}}  {about:<{abouts}}  {state}\n" for name, about, state in rows)


def _threads(jobs: int) -> int:
    return jobs or os.cpu_count() or 1


# --- texts


class _Texts:
    """The text files of one run: systems and references."""

    def __init__(self, options: "Namespace", environment: Environment) -> None:
        self._environment = environment
        self._stdin_taken = False
        paths = options.input or ["-"]
        repeated = {path for path in paths if paths.count(path) > 1}
        if repeated:
            raise UsageError(f"system {shown(min(repeated))} was given twice; name each system once")
        split = None if options.input is None else 0
        columns = options.num_refs or 0
        self._fields = Fields() if options.jsonl_fields is None else fields_named(options.jsonl_fields)
        self._references = [self._read(path, options, columns, hypotheses=False) for path in options.refs]
        first = next((path for path in paths if _is_jsonl(path, options)), None)
        own = not options.refs
        self._systems = [self._read(path, options, split, references=own, demanded=path == first) for path in paths]
        self._check_jsonl_options(options)
        _refuse_overwriting(options.output, [*options.refs, *paths])

    def _read(self, path: str, options: "Namespace", columns: int | None, **wanted: bool) -> TextFile | JsonLines:
        file = self._open(path, options, columns)
        return JsonLines(file, self._fields, **wanted) if _is_jsonl(path, options) else file

    def _check_jsonl_options(self, options: "Namespace") -> None:
        if options.num_refs is not None and isinstance(self._references[0], JsonLines):
            raise UsageError(f"--num-refs splits a text file; {self._references[0].name} is JSON Lines")
        if options.jsonl and not self._stdin_taken:
            raise UsageError("--jsonl is about standard input, which is not read; name other files .jsonl or .ndjson")
        files = (*self._references, *self._systems)
        if options.jsonl_fields is not None and not any(isinstance(file, JsonLines) for file in files):
            raise UsageError("--jsonl-fields, but no JSON Lines are read; name files .jsonl or .ndjson, or add --jsonl")

    def _open(self, path: str, options: "Namespace", columns: int | None) -> TextFile:
        if path != "-":
            return TextFile(shown(path), path, encoding=options.encoding, columns=columns)
        stdin = self._environment.stdin
        if self._stdin_taken:
            raise UsageError("standard input can be read once only; give files for the others")
        if stdin is None:
            raise BleuError("standard input is closed; pipe the system's output in, or name it with -i")
        if stdin.isatty():
            raise BleuError(
                "nothing was piped in; expected the system's output on standard input: cat system.txt | bleu ref.txt"
            )
        self._stdin_taken = True
        return TextFile("standard input", stream=stdin, encoding=options.encoding, columns=columns)

    def references(self) -> list[Source]:
        """Return the reference streams; those last that may come in different numbers."""
        return [Source(file.name, [file.name] * file.columns(), file.blocks()) for file in self._ordered_references()]

    def _ordered_references(self) -> list[TextFile | JsonLines]:
        return sorted(self._references, key=lambda file: isinstance(file, JsonLines))

    def systems(self) -> list[Source]:
        """Return the systems, those on standard input numbered if there are several."""
        return [Source(file.name, _system_names(file), file.blocks(), _own_references(file)) for file in self._systems]

    def which_is_which(self, segments: int) -> str:
        """Return a line that tells references and systems apart."""
        references = ", ".join([file.name for file in self._references] or self._own_references()[:1])
        systems = ", ".join(file.name for file in self._systems)
        many = "s" if len(self._references) > 1 else "", "s" if len(self._systems) > 1 else ""
        return f"reference{many[0]} {references}, {segments} segments; system{many[1]} {systems}"

    def _own_references(self) -> list[str]:
        return [name for file in self._systems if (name := _own_references(file))]

    def explained(self, error: LengthError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments, where it can be seen in plain text."""
        files = [*self._systems, *self._ordered_references()]
        longer, shorter = files[error.longest], files[error.shortest]
        if isinstance(longer, JsonLines) or isinstance(shorter, JsonLines):
            return error
        more, fewer = longer.read_again(), shorter.read_again()
        if more is None or fewer is None or len(more) <= len(fewer):
            return error
        cause = hints.mismatch_cause((longer.name, shorter.name), more, fewer)
        return BleuError(f"{error}; likely cause: {cause}") if cause else error

    def hints(self) -> list[str]:
        """Return what is to be said of the files, once they were read."""
        return [hint for file in (*self._references, *self._systems) for hint in file.hints]


def _is_jsonl(path: str, options: "Namespace") -> bool:
    return bool(options.jsonl) if path == "-" else is_jsonl(path)


def _own_references(file: TextFile | JsonLines) -> str:
    """Return what to call the references that a system brings along, or ""."""
    return f"{file.name} (references)" if isinstance(file, JsonLines) and file.with_references else ""


def _system_names(file: TextFile | JsonLines) -> list[str]:
    count = file.columns()
    return [file.name] if count == 1 else [f"System {number}" for number in range(1, count + 1)]


def _refuse_overwriting(output: str | None, inputs: Sequence[str]) -> None:
    if output is None or not os.path.isfile(output):
        return
    for path in inputs:
        if path != "-" and os.path.exists(path) and os.path.samefile(path, output):
            raise UsageError(f"--output {shown(output)} is also read; name another file")


# --- modes


def _print_segments(options: "Namespace", texts: _Texts, environment: Environment) -> Status:
    from bleucli.output import json_text, text

    metrics = _metrics(options)
    systems = texts.systems()
    if len(metrics) != 1 or sum(len(source.names) for source in systems) != 1:
        raise UsageError("--sentence-level takes one system and one metric")
    _format(options, environment)  # refuses a wrong one; only the option makes JSON of segments
    render = json_text.score_line if options.format == "json" else text.score_line
    records = evaluate.score_segments(systems[0], texts.references(), metrics[0], _threads(options.jobs))
    layout = _layout(options)
    deliver((render(record, layout) for record in records), options.output, environment)
    _warn(texts.hints(), options, environment)
    return Status.FINE


def _print_systems(options: "Namespace", texts: _Texts, environment: Environment) -> Status:
    chosen = _format(options, environment)
    results = evaluate.score_systems(texts.systems(), texts.references(), _metrics(options), _threads(options.jobs))
    failures = list(_gate_failures(results, options.fail_under))
    if not failures or options.output is None:
        deliver([_rendered(results, chosen, _layout(options))], options.output, environment)
    if len(options.refs) + len(options.input or []) > 1:
        _note(texts.which_is_which(results.segments), options, environment)
    for note in like.notes(results.systems[0].scores[0], options.like) if options.like is not None else ():
        _note(note, options, environment)
    hints = [*texts.hints(), *results.hints]
    if options.lowercase and len(results.systems[0].scores) > 1:
        hints.append("-lc is BLEU's alone; chrF has --chrf-lowercase, TER lowercases unless --ter-case-sensitive")
    if kernels.reason and results.segments >= _MANY_SEGMENTS:
        hints.append(f"this was slow: {kernels.reason}")
    _warn(hints, options, environment)
    for failure in failures:
        environment.say("error", failure)
    return Status.GATE_FAILED if failures else Status.FINE


def _rendered(results: Results, chosen: str | None, layout: Layout) -> str:
    """Render with the modules that this takes, and no others."""
    if len(results.systems) > 1 and chosen != "json":
        from bleucli.output import tables

        return tables.render(results, layout)
    if chosen == "text" or (layout.score_only and len(results.systems[0].scores) == len(results.systems) == 1):
        from bleucli.output import text

        return text.render(results, layout)
    from bleucli.output import json_text

    return json_text.render(results, layout) if len(results.systems) == 1 else json_text.render_systems(results, layout)


def _gate_failures(results: Results, bound: float | None) -> Iterator[str]:
    """Name the systems whose first score, unrounded, is on the wrong side of the bound."""
    if bound is None:
        return
    for system in results.systems:
        first = system.scores[0]
        if first.score < bound if first.higher_is_better else first.score > bound:
            worse = "under" if first.higher_is_better else "over"
            yield f"{system.name}: {first.name} {first.score!r} is {worse} {bound!r} (--fail-under)"


def _note(text: str, options: "Namespace", environment: Environment) -> None:
    if not options.quiet:
        environment.say("note", text)


def _warn(hints: Sequence[str], options: "Namespace", environment: Environment) -> None:
    for hint in hints:
        if not options.quiet:
            environment.say("warning", hint)
