"""`bleu versus-sacrebleu`: sacreBLEU and bleu on the same texts, numbers and times side by side."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from bleucli.alias import folder
from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, MODULES, TESTS, Command, take
from bleucli.cli.options import flag_of, flags_of
from bleucli.cli.sources import text_arguments
from bleucli.cli.sources.files import find_pipe, find_systems
from bleucli.cli.streams import Environment, deliver_with, shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS
from bleucli.phrases import tell_count
from bleucli.reading.jsonlines import is_jsonl
from bleucli.records import NamedTuple
from bleucli.testsets.cache import cache_directories
from bleucli.testsets.cache import folder as testset_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.streams import Messages

VERSUS_SACREBLEU = Command(
    ("bleu versus-sacrebleu REF... [-i SYSTEM...] [options]",),
    "Compare numbers and times with sacreBLEU.",
    take(
        *("refs", "input", "num_refs", "encoding", "test_set", "language_pair", "origlang", "subset", "metrics"),
        *("sentence_level", "confidence", *TESTS, "jobs", "output", *MESSAGES),
    ),
    ("refs", "input", "test_set", "language_pair", "metrics", "sentence_level", "paired_ar", "paired_bs", "output"),
)
# What is not handed on to both
_OF_OURS = ("refs", "input", "jobs", "quiet", "output", "strict", "annotate")
# Decimals to which scores are compared. Means and intervals of resamples are not compared: sacreBLEU computes them in
# single precision.
_DECIMALS = "9"
_WARNING = "bleu: warning: "


class Run(NamedTuple):
    """What one of the two commands gave: numbers by name, how many seconds it took, and the warnings of ours."""

    numbers: dict[str, float]
    seconds: float
    warnings: Sequence[str] = ()


def versus_sacrebleu(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print a table of what both commands find, pass on the warnings of ours, and return whether both agree."""
    shared_options = {name for metric in METRICS for name, option in flags_of(metric).items() if not option.ours}
    for name in sorted(options.given - shared_options - set(VERSUS_SACREBLEU.records())):
        raise UsageError(f"sacreBLEU has no {flag_of(name)}, so there is nothing to compare; leave it out")
    request.refuse_conflicts(options)
    version = _find_version()
    pipeline.open_texts(options, environment)  # refuses a terminal as input, and an output that would replace a text
    is_piped = options.input in (None, ["-"])
    stdin = environment.stdin.read() if is_piped and environment.stdin is not None else b""
    systems = [] if is_piped else find_systems(text_arguments(options))
    for path in (*options.refs, *systems):
        if is_jsonl(path):
            raise UsageError(f"{shown(path)} is JSON Lines, which sacreBLEU reads as plain text; give text files")
        if find_pipe(path) is not None:
            raise UsageError(f"{shown(path)} is a pipe, which only one of both commands could read; give files")
    shared = _words(options, systems)
    jobs = [] if options.jobs is None else [f"--jobs={options.jobs}"]
    cache = _choose_cache(options.test_set)
    # Ours first, because it says better what is wrong with the texts
    ours = _run("bleucli", [*shared, *jobs], stdin, options.sentence_level, cache)
    theirs = _run("sacrebleu", shared, stdin, options.sentence_level, cache)
    deliver_with(ours.warnings, _tell(version, theirs, ours), options.output, environment, messages)
    return theirs.numbers == ours.numbers


def _words(options: Options, systems: Sequence[str]) -> list[str]:
    """Return the words for both commands: texts, options that decide the numbers, and the form of the answer."""
    words = [_path(name) for name in options.refs]
    if systems:
        words += ["--input", *map(_path, systems)]
    for name in sorted(set(VERSUS_SACREBLEU.records()).difference(_OF_OURS) & options.given):
        words += _flag(flag_of(name), getattr(options, name))
    for metric, arguments in options.of_metrics.items():
        for option in flags_of(metric).values():
            if option.name in arguments:
                words += _flag(option.flags[0], arguments[option.name])
    return [*words, *(["-b"] if options.sentence_level else ["-f", "json"]), "-w", _DECIMALS]


def _path(name: str) -> str:
    """Return a path that is read neither as an option nor as the name of a command."""
    return os.path.join(".", name) if (name[:1] == "-" and name != "-") or name in MODULES else name


def _flag(flag: str, value: Any) -> list[str]:
    """Return the words that give a value to an option.

    >>> _flag("--lowercase", True), _flag("--metrics", ["bleu", "ter"]), _flag("--confidence-n", 20)
    (['--lowercase'], ['--metrics', 'bleu', 'ter'], ['--confidence-n=20'])
    """
    if value is True:
        return [flag]
    return [flag, *value] if isinstance(value, list) else [f"{flag}={value}"]


def _find_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        release = version("sacrebleu")
    except PackageNotFoundError:
        release = ""
    if not release or "+bleucli" in release:
        remark = f"; what is installed is {release}, which is bleucli itself" if release else ""
        raise BleuError(
            f"bleu versus-sacrebleu needs sacreBLEU beside bleucli{remark}; type: pip install sacrebleu==2.6.0"
        )
    return release


def _choose_cache(test_sets: str | None) -> str:
    """Return the cache that has the test sets, or else the one that is written to: sacreBLEU reads only one."""
    caches = cache_directories()
    names = (test_sets or "").split(",")
    return next(
        (cache for cache in caches if all(os.path.isdir(testset_folder(name, cache)) for name in names)), caches[0]
    )


def _run(module: str, words: Sequence[str], stdin: bytes, by_segment: bool, cache: str) -> Run:
    import subprocess

    # Without our folder that --sacrebleu-path names, in which bleucli is called sacrebleu
    path = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place and place != folder()]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(path), "SACREBLEU": cache}
    variables.pop("SACREBLEU_FORMAT", None)  # in sacreBLEU, it overrides -f
    start = perf_counter()
    process = subprocess.run(  # noqa: S603 # the words of the command line
        [sys.executable, "-m", module, *words], input=stdin, capture_output=True, env=variables, check=False
    )
    seconds = perf_counter() - start
    lines = process.stderr.decode("utf-8", "surrogateescape").strip().splitlines()
    if process.returncode:
        reason = lines[-1].removeprefix("bleu: error: ") if lines else f"status {process.returncode}"
        raise BleuError(f"{'sacreBLEU' if module == 'sacrebleu' else 'bleu'} refuses this: {reason}")
    text = process.stdout.decode()
    warnings = [line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)]
    if by_segment:  # bare scores, one per line
        numbers = {f"line {number}": float(line) for number, line in enumerate(text.splitlines(), 1)}
    else:
        numbers = _numbers(text)
    return Run(numbers, seconds, warnings)


def _numbers(text: str) -> dict[str, float]:
    """Return the scores in the JSON of either command, by name, or by system and name where there are several systems.

    >>> _numbers('{"name": "BLEU", "score": 26.1}')
    {'BLEU': 26.1}
    >>> _numbers('[{"system": "a", "BLEU": "26.1"}]') == _numbers('[{"system": "a", "BLEU": {"score": 26.1}}]')
    True
    """
    import json

    content = json.loads(text)
    numbers: dict[str, float] = {}
    for row in content if isinstance(content, list) else [content]:
        if "system" not in row:
            numbers[row["name"]] = row["score"]
            continue
        for name, value in row.items():
            if name == "system":
                continue
            score = value["score"] if isinstance(value, dict) else float(str(value).split()[0])
            numbers[f"{row['system']} {name}"] = score
            if isinstance(value, dict) and value.get("p_value") is not None:
                numbers[f"{row['system']} {name} p"] = value["p_value"]
    return numbers


def _tell(version: str, theirs: Run, ours: Run) -> Iterator[str]:
    """Give the lines of the table; if many segments are equal, only their number is given."""
    from bleucli._version import __version__

    names = [*theirs.numbers, *(name for name in ours.numbers if name not in theirs.numbers)]
    different = [name for name in names if theirs.numbers.get(name) != ours.numbers.get(name)]
    listed = different if names and names[0].startswith("line ") else names
    rows = [("", f"sacreBLEU {version}", f"bleu {__version__}", "")]
    for name in listed:
        one, other = (f"{run.numbers[name]:.9g}" if name in run.numbers else "-" for run in (theirs, ours))
        rows.append((name, one, other, "differs" if name in different else ""))
    faster = f"{theirs.seconds / ours.seconds:.1f} times"
    rows.append(("time", f"{theirs.seconds:.2f} s", f"{ours.seconds:.2f} s", faster))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, one, other, remark in rows:
        yield f"{name:<{widths[0]}}  {one:>{widths[1]}}  {other:>{widths[2]}}  {remark}".rstrip() + "\n"
    count = f"{tell_count(len(names), 'score')}, compared with {_DECIMALS} decimals"
    yield f"\n{count}: {f'{len(different)} differ' if different else 'all equal'}\n"
