"""What is explained to people: a few kinds of blocks, and their forms as text and as HTML.

- `Heading`, `Paragraph`, `Formula`, `Words`, `Table`, `Alignment`: the blocks
- `as_text`, `as_html`: a sequence of them, for a terminal and for a page

A role says what something is, and a form how that looks: "good" for what counts in favour of the output, "bad" for what
counts against it, "missing" for what only the references have, "heading", and "" for anything else.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter

from bleucli.markup import escape_html, visible
from bleucli.records import NamedTuple

WIDTH = 80  # columns of a terminal of which nobody knows how wide it is
_INDENT = "  "
_NARROW = 16  # columns that text in a table keeps, however wide the others are
_READABLE = 100  # more columns of prose tire the eye
_NOTHING = "·"  # where a word is missing
# Readable on light and on dark pages
_COLOURS = {"good": "#2a9d4a", "bad": "#e5484d", "missing": "#b7791f"}


class Heading(NamedTuple):
    """The line over the blocks that follow."""

    text: str


class Paragraph(NamedTuple):
    """Sentences."""

    text: str


class Formula(NamedTuple):
    """Lines that stay as they are."""

    lines: Sequence[str]


class Words(NamedTuple):
    """Words in a row behind a label, each with its role; note: what stands behind them."""

    label: str
    words: Sequence[tuple[str, str]]
    note: str = ""


class Table(NamedTuple):
    """Rows under a header, each with its role.

    texts: the columns that are set flush left; in text, the last of them is as wide as there is room for.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    roles: Sequence[str]
    texts: Sequence[int]


class Alignment(NamedTuple):
    """Two texts word under word; columns: the word of each, "" where it has none, what was done to it, and its role."""

    labels: tuple[str, str]
    columns: Sequence[tuple[str, str, str, str]]


Block = Heading | Paragraph | Formula | Words | Table | Alignment
Paint = Callable[[str, str], str]


def _leave_unpainted(_role: str, text: str) -> str:
    return text


# --- text


def as_text(blocks: Sequence[Block], width: int = WIDTH, paint: Paint | None = None) -> str:
    """Return blocks as lines of at most `width` columns where their words allow that; paint: colours by role.

    >>> print(as_text([Heading("Lengths"), Paragraph("The output has 2 tokens.")], 20), end="")
    Lengths
      The output has 2
      tokens.
    """
    paint = paint or _leave_unpainted
    lines: list[str] = []
    previous: object = None
    for block in blocks:
        joined = (Heading, Words) if isinstance(block, Words) else Heading
        if previous is not None and (isinstance(block, Heading) or not isinstance(previous, joined)):
            lines.append("")
        inner = width - len(_INDENT)
        if isinstance(block, Heading):
            lines += [paint("heading", line) for line in _wrap(visible(block.text), width)]
        elif isinstance(block, Paragraph):
            lines += [_INDENT + line for line in _wrap(visible(block.text), min(inner, _READABLE))]
        elif isinstance(block, Formula):
            lines += [_INDENT + visible(line) for line in block.lines]
        else:
            render = {Words: _words_lines, Table: _table_lines, Alignment: _alignment_lines}[type(block)]
            lines += [(_INDENT + line).rstrip() for line in render(block, inner, paint)]  # type: ignore[operator]
        previous = block
    return "".join(f"{line}\n" for line in lines)


def _words_lines(block: Words, width: int, paint: Paint) -> Iterator[str]:
    label = f"{visible(block.label)}  "
    line, used = label, _columns(label)
    note = [(visible(block.note), "")] if block.note else []
    for number, (word, role) in enumerate([*((visible(word), role) for word, role in block.words), *note]):
        size = _columns(word)
        if number and used + 1 + size > width:
            yield line
            line, used = " " * _columns(label), _columns(label)
        elif number:
            line, used = line + " ", used + 1
        line, used = line + paint(role, word), used + size
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
    used = margin
    for *texts, role in block.columns:
        shown = [visible(text) for text in texts]
        size = max(map(_columns, shown))
        if row and used + len(_INDENT) + size > width:
            yield from _row_lines(block.labels, margin, row, paint)
            yield ""
            row, used = [], margin
        row.append((shown, size, role))
        used += len(_INDENT) + size
    yield from _row_lines(block.labels, margin, row, paint)


def _row_lines(
    labels: Sequence[str], margin: int, row: Sequence[tuple[list[str], int, str]], paint: Paint
) -> Iterator[str]:
    """Give the three lines of some columns: both texts, and what was done."""
    for number, label in enumerate((*labels, "")):
        if not any(texts[number] for texts, _, _ in row):  # nothing was done
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
    """Return how many columns of a terminal a text takes.

    >>> _columns("cat"), _columns("猫"), _columns("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


# --- HTML


def as_html(blocks: Sequence[Block], level: int = 4, themed: bool = False) -> str:
    r"""Return blocks as a piece for a page, in ASCII.

    Args:
        blocks: what is to be shown.
        level: of the headings.
        themed: the page has the style sheet of `theme.py`, which tells classes their looks; else the piece brings its
            few styles along, as attributes.

    >>> as_html([Paragraph("a < b")])
    '<div class="bleu-explanation">\n<p>a &lt; b</p>\n</div>\n'
    """
    looks = _THEMED if themed else _STYLED
    parts = [part for block in blocks for part in _html_lines(block, level, looks)]
    return "\n".join(['<div class="bleu-explanation">', *parts, "</div>"]) + "\n"


class _Looks(NamedTuple):
    """Attributes, each with the space before it: of rows of words, cells of numbers and of text, stacks, and roles."""

    words: str
    number: str
    text: str
    stack: str
    roles: Mapping[str, str]


_STYLED = _Looks(
    ' style="margin:0.3em 0"',
    ' style="text-align:right;padding:0 0.6em"',
    ' style="text-align:left;padding:0 0.6em"',
    ' style="display:inline-block;text-align:center;margin:0 0.4em 0.4em 0"',
    {role: f' style="color:{colour}"' for role, colour in _COLOURS.items()},
)
_THEMED = _Looks("", "", ' class="text"', ' class="stack"', {role: f' class="{role}"' for role in _COLOURS})


def _html_lines(block: Block, level: int, looks: _Looks) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"<h{level}>{escape_html(block.text)}</h{level}>"
    elif isinstance(block, Paragraph):
        yield f"<p>{escape_html(block.text)}</p>"
    elif isinstance(block, Formula):
        yield "<pre>" + "\n".join(map(escape_html, block.lines)) + "</pre>"
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
                look = looks.text if column in block.texts else looks.number
                cell = tag if text or looks is _STYLED else "td"  # a header without text is none
                cells.append(f"<{cell}{look}>{escape_html(text)}</{cell}>")
            yield f"<tr{looks.roles.get(role, '')}>{''.join(cells)}</tr>"
        yield "</table>"
    else:
        yield "<p>"
        yield _stack(looks, *(f"<b>{escape_html(label.strip())}</b>" for label in block.labels), "")
        for above, below, done, role in block.columns:
            shown = (_span(text or _NOTHING, role, looks) for text in (above, below))
            yield _stack(looks, *shown, escape_html(done))
        yield "</p>"


def _stack(looks: _Looks, *lines: str) -> str:
    """Return lines one over the other, within a row."""
    shown = "<br>".join(line or "&#160;" for line in lines)
    return f"<span{looks.stack}>{shown}</span>"


def _span(text: str, role: str, looks: _Looks) -> str:
    return f"<span{looks.roles[role]}>{escape_html(text)}</span>" if role in looks.roles else escape_html(text)
