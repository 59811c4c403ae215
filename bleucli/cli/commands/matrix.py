"""`bleu matrix FILE`: score many language pairs in one table."""

from __future__ import annotations

from bleucli.cli.commands import Command, take
from bleucli.cli.options import Option
from bleucli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.streams import Environment

COMMAND = Command(
    ("bleu matrix FILE [options]",),
    "Score many language pairs in one table.",
    take(
        *("encoding", "keep_going", "mirror", "allow_http", "cite", "metrics", "jobs"),
        *("confidence", "confidence_n", "paired_jobs"),
        *("format", "width", "scale", "short", "bold_best", "style", "sort", "caption", "label"),
        *("no_color", "quiet", "output", "append", "fail_under", "strict", "annotate", "help"),
        matrix=Option((), "a TOML file with patterns for references and systems", nargs="?", metavar="FILE"),
    ),
    ("matrix", "metrics", "keep_going", "format", "bold_best", "sort", "confidence", "fail_under", "output"),
)


def run(options: Options, environment: Environment, messages: Messages, words: Sequence[str]) -> bool:
    """Score all pairs, and return whether all gates were passed.

    Raises:
        UsageError: no file is named.
    """
    if options.matrix is None:
        raise UsageError("no file is named; write bleu matrix FILE, with a TOML file that says where the texts are")
    from bleucli.cli import scoring

    return scoring.score(options, environment, messages, words)
