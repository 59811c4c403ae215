"""The short page of a command: the options that most people need, in 80 columns and fewer than 50 lines."""

from __future__ import annotations

from bleucli.cli import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.arguments import Parser
    from bleucli.cli.commands import Command


def first_screen(parser: Parser, command: Command, name: str) -> str:
    """Return the page of `--help`; name: that of the command, "" for scoring, whose page lists the others."""
    page = parser._get_formatter()
    page.add_usage(parser.usage, [], [])
    page.add_text(parser.description)
    page.start_section("often used")
    actions = {action.dest: action for action in parser._actions}
    page.add_arguments([actions[option] for option in command.often])
    page.end_section()
    text = f"{page.format_help()}\n"
    if name:
        return f"{text}more: bleu {name} --help all\n\n{parser.epilog}\n"
    return f"{text}{_list_commands()}\n{command.ending}\n{parser.epilog}\n"


def _list_commands() -> str:
    """Return what the other commands are for; bleu COMMAND --help says more of each."""
    lines = [f"  bleu {name:<20} {commands.command_of(name).about}\n" for name in commands.MODULES]
    return f"commands, each with its own --help:\n{''.join(lines)}"
