"""The commands: `bleu` by itself scores, and each other job has a name, which is the first word.

- `SCORE`: what scoring takes
- `command_of`: what any command takes, by its name; `find`: its module

Each module has `COMMAND`, which says what the command takes, and `run`, which does it.
"""

from __future__ import annotations

from bleucli.cli.options import GROUPS, Option
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from bleucli.cli.options import Options
    from bleucli.cli.streams import Environment, Messages

    class Module(Protocol):
        """The module of a command."""

        COMMAND: Command

        def run(self, options: Options, environment: Environment, messages: Messages) -> bool:
            """Do what the options ask for; return False for the exit status 1."""


# The modules by the names of the commands
MODULES = {
    **{
        name: name
        for name in ("check", "count", "diversity", "explain", "match", "matrix", "plot", "report", "testsets", "serve")
    },
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
    return find(name).COMMAND if name else SCORE


def find(name: str) -> Module:
    """Return the module of a command that has a name."""
    module: Module = __import__(f"bleucli.cli.commands.{MODULES[name]}", fromlist=["COMMAND"])
    return module
