"""The commands: `bleu` by itself scores, and each other job has a name, which is the first word.

- `SCORE`: what scoring takes
- `command_of`: what any command takes, by its name; `find`: the function that does its job

What `bleu report` takes is `REPORT` in its module, and `report` does its job.
"""

from __future__ import annotations

from bleucli.cli.options import GROUPS, Option
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.streams import Environment, Messages

    # Does what the options ask for; returns False for the exit status 1
    Run = Callable[[Options, Environment, Messages], bool]

# The modules by the names of the commands
MODULES = {
    "check": "explain",
    "count": "count",
    "diversity": "diversity",
    "explain": "explain",
    "match": "explain",
    "matrix": "matrix",
    "plot": "pages",
    "report": "pages",
    "testsets": "testsets",
    "serve": "pages",
    "versus-sacrebleu": "versus",
}
# Where texts come from; the others under this heading are for scores
TEXTS = (
    *(name for name in GROUPS["what to score"] if name not in ("keep_going", "stats", "by", "engine")),
    *("test_set", "registry", "mirror", "allow_http"),
)
# How they are scored, and what systems are called
SCORED = ("metrics", "jobs", "language_pair", "like", "names", "name_by")
# How they are resampled
TESTS = ("confidence_n", "paired_bs", "paired_ar", "paired_bs_n", "paired_ar_n", "paired_jobs", "unit")
# What is said beside the answer; every command has these options
MESSAGES = ("quiet", "strict", "annotate", "help")


class Command(NamedTuple):
    """What a command takes.

    usage: one line for each way to write it. about: one sentence. options: the records by heading and name. often: the
    options that a short page shows. metrics: those whose options it takes, too; None for all. ending: what follows the
    options on a short page.
    """

    usage: Sequence[str]
    about: str
    options: Mapping[str, Mapping[str, Option]]
    often: Sequence[str]
    metrics: Sequence[str] | None = None
    ending: str = ""

    def records(self) -> dict[str, Option]:
        """Return all options by their names."""
        return {name: option for group in self.options.values() for name, option in group.items()}


def take(*names: str, **own: Option) -> dict[str, dict[str, Option]]:
    """Return the options of these names under their headings, in the order of the help.

    own: options that only this command has, or words otherwise; they are what it is about, so they come first.
    """
    groups: dict[str, dict[str, Option]] = {"what to do": own} if own else {}
    for heading, options in GROUPS.items():
        group = {name: option for name, option in options.items() if name in names and name not in own}
        if group:
            groups[heading] = group
    return groups


SCORE = Command(
    ("bleu REF... [-i SYSTEM...] [options]", "cat SYSTEM | bleu REF... [options]"),
    "Score translations or generated text against references, as sacreBLEU does.",
    GROUPS,
    (
        *("input", "metrics", "test_set", "language_pair", "format", "score_only", "confidence", "paired_ar", "like"),
        "output",
    ),
    ending="""\
examples:
  cat sys.txt | bleu ref.txt                            score a system's output
  bleu ref.txt -i a.txt b.txt -m bleu chrf --paired-ar  test b against a
  bleu explain ref.txt -i a.txt --line 3                explain one score
  bleu -t wmt22 -l en-de -i sys.txt -f text             score on a test set

more: bleu --help all (every option), --list (test sets), --list-tokenizers
""",
)


def command_of(name: str) -> Command:
    """Return what a command takes; name: "" for scoring."""
    command: Command = _of_module(name, name.upper()) if name else SCORE
    return command


def find(name: str) -> Run:
    """Return the function that does the job of a command that has a name."""
    run: Run = _of_module(name, name)
    return run


def _of_module(name: str, word: str) -> Any:
    module = __import__(f"bleucli.cli.commands.{MODULES[name]}", fromlist=["*"])
    return getattr(module, word.replace("-", "_"))
