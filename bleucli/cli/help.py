"""The first screen of help: the options that most people need, and examples, in 80 columns and 40 lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.parser import Parser

_FIRST = (
    *("input", "metrics", "test_set", "language_pair", "format", "score_only", "confidence", "paired_ar", "like"),
    "output",
)
_EXAMPLES = """\
examples:
  cat sys.txt | bleu ref.txt                            score a system's output
  bleu ref.txt -i a.txt b.txt -m bleu chrf --paired-ar  test b against a
  bleu ref.txt -i a.txt --explain --line 3              explain one score
  bleu -t wmt22 -l en-de -i sys.txt -f text             score on a test set

more:
  bleu --help all          every option
  bleu --list              test sets; with -l en-de, those with that pair
  bleu --list-tokenizers   tokenizers, what they are for and what they need
"""


def first_screen(parser: Parser) -> str:
    """Return the page of `--help`."""
    page = parser._get_formatter()
    page.add_usage(parser.usage, [], [])
    page.add_text(parser.description)
    page.start_section("often used")
    actions = {action.dest: action for action in parser._actions}
    page.add_arguments([actions[name] for name in _FIRST])
    page.end_section()
    return f"{page.format_help()}\n{_EXAMPLES}\n{parser.epilog}\n"
