r"""Colours and bold of text on a terminal; imported only where they are shown, because importing colorama takes time.

>>> paint("red", "p = 0.2")
'\x1b[31mp = 0.2\x1b[0m'
"""

from __future__ import annotations

from colorama import Fore, Style

# The colours of sacreBLEU 2.6.0 on a terminal
CODES = {"cyan": Fore.CYAN, "yellow": Fore.YELLOW, "red": Fore.RED, "green": Fore.GREEN, "reset": Style.RESET_ALL}


def paint(colour: str, text: str) -> str:
    """Return text in one of the colours of `CODES`; text after it has the terminal's default colour."""
    return f"{CODES[colour]}{text}{CODES['reset']}"


def bold(text: str) -> str:
    """Return bold text; it keeps the colour of the text around it."""
    return f"{Style.BRIGHT}{text}{Style.NORMAL}"


def underline(text: str) -> str:
    """Return underlined text; it keeps its colour."""
    return f"\x1b[4m{text}\x1b[24m"
