"""The mode of --versus-sacrebleu: sacreBLEU and bleu on the same texts, numbers and times side by side."""

import os
import subprocess
import sys
from time import perf_counter

from bleucli.alias import folder
from bleucli.cli import conflicts
from bleucli.cli.streams import Environment
from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.testsets.cache import cache_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bleucli.cli.options import Options

_FLAG = "--versus-sacrebleu"
# Decimals to which scores are compared. Means and intervals of resamples are not compared: sacreBLEU computes them in
# single precision.
_DECIMALS = "9"


class Run(NamedTuple):
    """What one of the two commands found: numbers by name, and how many seconds it took."""

    numbers: "dict[str, float]"
    seconds: float


def compare(options: "Options", environment: Environment, words: "Sequence[str]") -> tuple[str, bool]:
    """Return a table of what both commands find, and whether they agree.

    Raises:
        BleuError: sacreBLEU is not installed, or it refuses the options.
        UsageError: an option that decides how the answer is printed is given.
    """
    conflicts.check(options)
    version = _find_version()
    # Abbreviations of the flag are left out too, but not - and --; --vers and shorter ones mean --version
    given = [word for word in words if not (len(word) > len("--ve") and _FLAG.startswith(word))]
    how = ["-b", "-w", _DECIMALS] if options.sentence_level else ["-f", "json", "-w", _DECIMALS]
    is_piped = options.input is None and environment.stdin is not None
    stdin = environment.stdin.read() if is_piped and environment.stdin is not None else b""
    theirs = _run("sacrebleu", [*given, *how], stdin, options.sentence_level)
    ours = _run("bleucli", [*given, *how], stdin, options.sentence_level)
    return "".join(_tell(version, theirs, ours)), theirs.numbers == ours.numbers


def _find_version() -> str:
    """Return the version of the installed sacreBLEU.

    Raises:
        BleuError: it is not installed, or another distribution uses its name.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("sacrebleu")
    except PackageNotFoundError:
        found = ""
    if not found or "+bleucli" in found:
        there = f"; what is installed is {found}, which is bleucli itself" if found else ""
        raise BleuError(f"{_FLAG} needs sacreBLEU beside bleucli{there}; type: pip install sacrebleu==2.6.0")
    return found


def _run(module: str, words: "Sequence[str]", stdin: bytes, by_segment: bool) -> Run:
    """Run one of the commands."""
    # Without our folder that --sacrebleu-path names, in which bleucli is called sacrebleu
    path = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place and place != folder()]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(path), "SACREBLEU": cache_directory()}
    start = perf_counter()
    done = subprocess.run(  # noqa: S603 # the words of the command line
        [sys.executable, "-m", module, *words], input=stdin, capture_output=True, env=variables, check=False
    )
    seconds = perf_counter() - start
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"status {done.returncode}"]
        raise BleuError(f"{'sacreBLEU' if module == 'sacrebleu' else 'bleu'} refuses this: {told[-1]}")
    text = done.stdout.decode()
    return Run(_numbers_of_segments(text) if by_segment else _numbers(text), seconds)


def _numbers_of_segments(text: str) -> "dict[str, float]":
    r"""Return the bare scores of segments, by line.

    >>> _numbers_of_segments("1.5\n2.5\n")
    {'line 1': 1.5, 'line 2': 2.5}
    """
    return {f"line {number}": float(line) for number, line in enumerate(text.splitlines(), 1)}


def _numbers(text: str) -> "dict[str, float]":
    """Return the scores in the JSON of either command, by name, or by system and name where there are several systems.

    >>> _numbers('{"name": "BLEU", "score": 26.1}')
    {'BLEU': 26.1}
    >>> _numbers('[{"system": "a", "BLEU": "26.1"}]') == _numbers('[{"system": "a", "BLEU": {"score": 26.1}}]')
    True
    """
    import json

    found = json.loads(text)
    numbers: dict[str, float] = {}
    for row in found if isinstance(found, list) else [found]:
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


def _tell(version: str, theirs: Run, ours: Run) -> "Iterator[str]":
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
