"""`bleu testsets [NAME]`: list test sets, their language pairs and fields, or download them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.delivery import deliver
from bleucli.cli.options import OPTIONS, Option, Options
from bleucli.cli.streams import Environment, Messages
from bleucli.errors import UsageError

COMMAND = Command(
    ("bleu testsets [NAME] [--download] [-l xx-YY]",),
    "List test sets, or download them.",
    take(
        *("registry", "mirror", "allow_http", "output", *MESSAGES),
        test_set=Option("[NAME]", "the test set whose language pairs and fields to list; none: list all test sets"),
        language_pair=OPTIONS["language_pair"]._replace(help="only this language pair, or the test sets that have it"),
        fetch=Option("--download", "download it, or only the language pair of -l"),
    ),
    ("test_set", "fetch", "language_pair", "registry", "output"),
    metrics=(),
)


def run(options: Options, environment: Environment, messages: Messages, words: Sequence[str]) -> bool:
    """Print the list, or download; return True."""
    from bleucli.cli import testset_modes

    name = options.test_set
    if name == "":
        raise UsageError("NAME is empty; name a test set, see bleu testsets")
    if options.fetch and name is None:
        raise UsageError("--download needs the name of a test set; see bleu testsets")
    request = options.replace(test_set=None, download=name) if options.fetch else options.replace(list=True)

    def answer() -> Iterator[str]:
        yield from testset_modes.answer(request)
        messages.hold_back(())  # downloads may have caused warnings

    deliver(answer(), options.output, environment)
    return True
