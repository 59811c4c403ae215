"""Explanations as a few kinds of blocks, and their form as text and as HTML.

- `Heading`, `Paragraph`, `Formula`, `Code`, `Words`, `Table`, `Alignment`: the blocks
- `as_text`, `as_html`: a sequence of blocks for a terminal, or for a page
- `show_numbers`: numbers with the digits that a reader needs

A role says what a piece of text means, and each form decides how that looks: "good" speaks for the output, "bad"
against it; "match" is for words that both texts have, "missing" for those that only the references have; "heading" is a
heading, and "" anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter

from bleucli.prose.markup import escape_html, visible
from bleucli.prose.theme import COLOURS
from bleucli.records import NamedTuple

WIDTH = 80  # columns of a terminal of unknown width
_INDENT = "  "
_NARROW = 16  # the fewest columns for text in a table, however wide its other columns are
_READABLE = 100  # more columns of prose tire the eye
_NOTHING = "·"  # where a word is missing
_MOST_DECIMALS = 30  # smaller numbers are shown with exponents
_COLOURED = ("good", "bad", "missing")  # roles that have a colour of their name


class Heading(NamedTuple):
    """The line above the blocks that follow."""

    text: str
    role: str = "heading"


class Paragraph(NamedTuple):
    """Sentences."""

    text: str


class Formula(NamedTuple):
    """Lines that keep their spaces; a line that is too long continues below the text after its equals sign."""

    lines: Sequence[str]


class Code(NamedTuple):
    """Lines to copy, such as commands, which are never broken."""

    lines: Sequence[str]


class Words(NamedTuple):
    """Words in a row after a label, each with its role; note: the text after them."""

    label: str
    words: Sequence[tuple[str, str]]
    note: str = ""


class Table(NamedTuple):
    """Rows under a header, each with its role."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    roles: Sequence[str]
    texts: Sequence[int]  # the columns that are aligned left; in a table that is too wide, they wrap, the last first


class Alignment(NamedTuple):
    """Two texts, word below word; columns: both words, "" where one is missing, the edit, and the role."""

    labels: tuple[str, str]
    columns: Sequence[tuple[str, str, str, str]]


Block = Heading | Paragraph | Formula | Code | Words | Table | Alignment
Paint = Callable[[str, str], str]


# --- text


def as_text(blocks: Sequence[Block], width: int = WIDTH, paint: Paint | None = None) -> str:
    """Return blocks as lines of at most `width` columns, unless a word is longer; paint: colours by role.

    >>> print(as_text([Heading("Lengths"), Paragraph("The output has 2 tokens.")], 20), end="")
    Lengths
      The output has 2
      tokens.
    """
    paint = paint or (lambda _, text: text)
    lines: list[str] = []
    previous: object = None
    for block in blocks:
        neighbours = (Heading, Words) if isinstance(block, Words) else Heading
        if previous is not None and (isinstance(block, Heading) or not isinstance(previous, neighbours)):
            lines.append("")
        inner = width - len(_INDENT)
        if isinstance(block, Heading):
            lines += [paint(block.role, line) for line in _wrap(visible(block.text), width)]
        elif isinstance(block, Paragraph):
            # A word that is too long, such as a signature, stays whole and is not indented, so that it can be copied
            lines_of_text = _wrap(visible(block.text), min(inner, _READABLE))
            lines += [line if _columns(line) > inner else _INDENT + line for line in lines_of_text]
        elif isinstance(block, Formula):
            lines += [_INDENT + part for line in block.lines for part in _formula_lines(visible(line), inner)]
        elif isinstance(block, Code):
            lines += [_INDENT + visible(line) for line in block.lines]
        else:
            render = {Words: _words_lines, Table: _table_lines, Alignment: _alignment_lines}[type(block)]
            lines += [(_INDENT + line).rstrip() for line in render(block, inner, paint)]  # type: ignore[operator]
        previous = block
    return "".join(f"{line}\n" for line in lines)


def _formula_lines(line: str, width: int) -> Iterator[str]:
    """Wrap what follows the equals sign of a line.

    >>> list(_formula_lines("P = 0.25 × 0.5", 10))
    ['P = 0.25 ×', '    0.5']
    """
    start = line.find("= ") + len("= ") if "= " in line else 0
    for number, part in enumerate(_wrap(line[start:], width - start)):
        yield (" " * start if number else line[:start]) + part


def _words_lines(block: Words, width: int, paint: Paint) -> Iterator[str]:
    label = f"{visible(block.label)}  "
    line, column = label, _columns(label)
    note = [(visible(block.note), "")] if block.note else []
    for number, (word, role) in enumerate([*((visible(word), role) for word, role in block.words), *note]):
        size = _columns(word)
        if number and column + 1 + size > width:
            yield line
            line, column = " " * _columns(label), _columns(label)
        elif number:
            line, column = line + " ", column + 1
        line, column = line + paint(role, word), column + size
    yield line


def _table_lines(table: Table, width: int, paint: Paint) -> Iterator[str]:
    cells = [[visible(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(_columns, column)) for column in zip(*cells, strict=True)]
    for column in reversed(table.texts):
        excess = sum(widths) + len(_INDENT) * (len(widths) - 1) - width
        widths[column] = max(widths[column] - max(0, excess), min(widths[column], _NARROW))
    for row, role in zip(cells, ("heading", *table.roles), strict=True):
        wrapped = [_wrap(cell, widths[column]) if column in table.texts else [cell] for column, cell in enumerate(row)]
        for texts in zip_longest(*wrapped, fillvalue=""):
            padded = []
            for column, text in enumerate(texts):
                space = " " * (widths[column] - _columns(text))
                padded.append(text + space if column in table.texts else space + text)
            yield paint(role, _INDENT.join(padded).rstrip())


def _alignment_lines(block: Alignment, width: int, paint: Paint) -> Iterator[str]:
    margin = max(map(_columns, block.labels))
    row: list[tuple[list[str], int, str]] = []
    column = margin
    for *texts, role in block.columns:
        cells = [visible(text) for text in texts]
        size = max(map(_columns, cells))
        if row and column + len(_INDENT) + size > width:
            yield from _row_lines(block.labels, margin, row, paint)
            yield ""
            row, column = [], margin
        row.append((cells, size, role))
        column += len(_INDENT) + size
    yield from _row_lines(block.labels, margin, row, paint)


def _row_lines(
    labels: Sequence[str], margin: int, row: Sequence[tuple[list[str], int, str]], paint: Paint
) -> Iterator[str]:
    """Give the three lines of some columns: both texts, and the edits."""
    for number, label in enumerate((*labels, "")):
        if not any(texts[number] for texts, _, _ in row):  # there are no edits
            continue
        line = label + " " * (margin - _columns(label))
        for texts, size, role in row:
            text = texts[number] or ("" if number == len(labels) else _NOTHING)
            line += _INDENT + paint(role, text) + " " * (size - _columns(text))
        yield line


def _wrap(text: str, width: int) -> list[str]:
    """Break text at spaces; a longer word stays whole.

    >>> _wrap("the cat sat", 7), _wrap("", 7)
    (['the cat', 'sat'], [''])
    """
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and _columns(lines[-1]) + 1 + _columns(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def _columns(text: str) -> int:
    """Return how many terminal columns a text takes.

    >>> _columns("cat"), _columns("猫"), _columns("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


# --- HTML


def as_html(blocks: Sequence[Block], level: int = 4, themed: bool = False) -> str:
    r"""Return blocks as a fragment for an HTML page, in ASCII; level: that of the headings.

    themed: the page has the style sheet of `theme.py`, which defines the classes; otherwise, the fragment has its few
    styles as attributes. A page may set the custom properties --bleu-good, --bleu-bad and --bleu-missing to colours of
    its own.

    >>> print(as_html([Paragraph("a < b")], themed=True), end="")
    <div class="bleu-explanation">
    <p>a &lt; b</p>
    </div>
    """
    looks, styles = (_THEMED, []) if themed else (_STYLED, [_dark_style()])
    parts = [part for block in blocks for part in _html_lines(block, level, looks)]
    return "\n".join(['<div class="bleu-explanation">', *styles, *parts, "</div>"]) + "\n"


def _dark_style() -> str:
    """Return the colours of dark pages; browsers ignore rules that they do not know."""
    ours = ".bleu-explanation"
    either = "".join(f"--bleu-{role}:light-dark({','.join(COLOURS[role])});" for role in _COLOURED)
    always = "".join(f"--bleu-{role}:{COLOURS[role][1]};" for role in _COLOURED)
    pages = f'[data-jp-theme-light="false"] {ours},.vscode-dark {ours}'
    return f"<style>@supports(color:light-dark(red,red)){{{ours}{{{either}}}}}{pages}{{{always}}}</style>"


class _Looks(NamedTuple):
    """HTML attributes, each with a leading space."""

    paragraph: str
    formula: str
    words: str
    stack: str
    cells: Mapping[tuple[str, bool], str]  # by tag, and by whether the column is text
    roles: Mapping[str, str]  # a role that is not listed looks like plain text


_WRAPPING = "overflow-wrap:anywhere"
_UNDERLINED = ";text-decoration:underline"
_STYLED = _Looks(
    f' style="{_WRAPPING}"',
    ' style="font-family:monospace;overflow-x:auto"',
    ' style="margin:0.3em 0"',
    ' style="display:inline-block;text-align:center;margin:0 0.4em 0.4em 0"',
    {
        (tag, is_text): f' style="text-align:{"left" if is_text else "right"};padding:0 0.6em;{wrapping}"'
        for tag, wrapping in (("th", "white-space:nowrap"), ("td", _WRAPPING))
        for is_text in (False, True)
    },
    {
        role: f' style="color:var(--bleu-{colour},{COLOURS[colour][0]}){line}"'
        for role, colour, line in (*((role, role, "") for role in _COLOURED), ("match", "good", _UNDERLINED))
    },
)
_THEMED = _Looks(
    *("", "", "", ' class="stack"'),
    {(tag, is_text): ' class="text"' * is_text for tag in ("th", "td") for is_text in (False, True)},
    {role: f' class="{role}"' for role in _STYLED.roles},
)


def _html_lines(block: Block, level: int, looks: _Looks) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"<h{level}{looks.roles.get(block.role, '')}>{escape_html(block.text)}</h{level}>"
    elif isinstance(block, Paragraph):
        yield f"<p{looks.paragraph}>{escape_html(block.text)}</p>"
    elif isinstance(block, Formula | Code):
        yield f"<pre{looks.formula}>" + "\n".join(map(escape_html, block.lines)) + "</pre>"
    elif isinstance(block, Words):
        runs = groupby(block.words, key=itemgetter(1))
        words = " ".join(_span(" ".join(word for word, _ in run), role, looks) for role, run in runs)
        note = f" <i>{escape_html(block.note)}</i>" if block.note else ""
        yield f"<p{looks.words}><b>{escape_html(block.label.strip())}</b> {words}{note}</p>"
    elif isinstance(block, Table):
        yield "<table>"
        rows = zip(("th", *("td" for _ in block.rows)), (block.header, *block.rows), ("", *block.roles), strict=True)
        for tag, row, role in rows:
            cells = []
            for column, text in enumerate(row):
                cell = tag if text else "td"  # a cell without text is not a header
                cells.append(f"<{cell}{looks.cells[tag, column in block.texts]}>{escape_html(text)}</{cell}>")
            yield f"<tr{looks.roles.get(role, '')}>{''.join(cells)}</tr>"
        yield "</table>"
    else:
        texts = (text for above, below, *_ in block.columns for text in (above, below))
        yield '<p dir="rtl">' if _runs_right_to_left(texts) else "<p>"
        yield _stack(looks, *(f"<b>{escape_html(label.strip())}</b>" for label in block.labels), "")
        for above, below, operation, role in block.columns:
            spans = (_span(text or _NOTHING, role, looks) for text in (above, below))
            yield _stack(looks, *spans, escape_html(operation))
        yield "</p>"


def _runs_right_to_left(words: Iterable[str]) -> bool:
    """Return whether the first letter that has a direction is of a right-to-left script, such as Hebrew or Arabic.

    >>> _runs_right_to_left(["7", "\u05e9", "a"]), _runs_right_to_left(["a", "\u05e9"])
    (True, False)
    """
    from unicodedata import bidirectional

    directions = (bidirectional(sign) for word in words for sign in word)
    return next((one for one in directions if one in ("L", "R", "AL")), "L") != "L"


def _stack(looks: _Looks, *lines: str) -> str:
    """Return lines stacked within a row."""
    return f"<span{looks.stack}>{'<br>'.join(line or '&#160;' for line in lines)}</span>"


def _span(text: str, role: str, looks: _Looks) -> str:
    return f"<span{looks.roles[role]}>{escape_html(text)}</span>" if role in looks.roles else escape_html(text)


# --- numbers


def show_numbers(numbers: Sequence[float], holds: Callable[[Sequence[float]], bool], least: int = 4) -> list[str]:
    """Return numbers with the fewest decimals, at least `least`, for which a statement about them is true.

    holds: whether the statement is true of the numbers as shown, such as that their product rounds to the score.

    >>> show_numbers([2 / 3, 0.5], lambda shown: f"{1000 * shown[0] * shown[1]:.1f}" == "333.3")
    ['0.6667', '0.5000']
    >>> show_numbers([2 / 3, 0.5], lambda shown: f"{1000 * shown[0] * shown[1]:.2f}" == "333.33")
    ['0.66667', '0.50000']
    """
    for decimals in range(least, _MOST_DECIMALS):
        digits = [f"{number:.{decimals}f}" for number in numbers]
        if holds([float(number) for number in digits]):
            return digits
    return [f"{number:.17g}" for number in numbers]  # 17 digits identify any double
