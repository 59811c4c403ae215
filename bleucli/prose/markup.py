r"""Text for people to read: characters that are invisible or could control a terminal are written as escapes.

These are control characters (C0, DEL, C1, also as single bytes of a name that is not UTF-8), separators of lines and
paragraphs, overrides of the writing direction, lone surrogates, and what Unicode promises never to make a character.
Marks that text needs, such as joiners in Persian names and in emoji, stay.

- `visible`: text in one line; `readable`: the same without bytes, for files that must be valid UTF-8
- `escape_html`: text between tags; `html_table`: a table, for notebooks; `text_table`: the same as text
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from re import Match

# The last two code points of each plane, which Unicode never assigns
_NEVER = "".join(chr(last - 1) + chr(last) for last in range(0xFFFF, 0x110000, 0x10000))
# For character classes of regular expressions. These are compiled when they are first needed, because that takes time.
# JSON escapes the first range by itself.
C0 = "\x00-\x1f"
UNSEEN = f"\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef{_NEVER}"
_NOT_TEXT = f"[{C0}{UNSEEN}\ud800-\udc9f\udd00-\udfff]"  # the other surrogates are bytes that are not UTF-8
_BYTES = "[\udc80-\udcff]+"  # Python's form of bytes that are not in the locale's encoding
_BYTES_LIKE_C1 = range(0xDC80, 0xDCA0)


def visible(text: str) -> str:
    r"""Return text in one line; characters that are not text are shown as Python's escapes.

    >>> print(visible("a\nb.txt"), visible("\x1b[31mred"))
    a\nb.txt \x1b[31mred
    """
    if text.isprintable():
        return text
    import re

    # If the locale's encoding is not UTF-8, even valid UTF-8 in names arrives as single bytes: decode it first
    code = "utf-8", "surrogateescape"
    return re.sub(_NOT_TEXT, _escape, re.sub(_BYTES, lambda match: match[0].encode(*code).decode(*code), text))


def _escape(match: Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if code in _BYTES_LIKE_C1 else repr(match[0])[1:-1]


def readable(text: str) -> str:
    r"""Return text in one line, with bytes that are not UTF-8 escaped, too.

    >>> print(readable("caf\udce9"), readable("a\nb"))
    caf\xe9 a\nb
    """
    return visible(text).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def escape_html(text: str) -> str:
    r"""Return text escaped for HTML, between tags or in quotes, in ASCII, so that any page can hold it.

    Bytes of a name that are not UTF-8 are escaped.

    >>> print(escape_html("<é>\x07"), escape_html("caf\udce9"))
    &lt;&#233;&gt;\x07 caf\xe9
    """
    import html

    return html.escape(readable(text)).encode("ascii", "xmlcharrefreplace").decode()


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[tuple[str, str]] = ()) -> str:
    """Return a table for a notebook; all arguments are plain text.

    notes: lines under the table: each is a text and the code that follows it, or "".

    >>> html_table(["BLEU"], [["50 < 60"]], [("BLEU:", "nrefs:1")])
    '<table><tr><th>BLEU</th></tr><tr><td>50 &lt; 60</td></tr></table><div>BLEU: <code>nrefs:1</code></div>'
    """
    lines = ["".join(f"<th>{escape_html(cell)}</th>" for cell in header)]
    lines += ["".join(f"<td>{escape_html(cell)}</td>" for cell in row) for row in rows]
    below = [
        f"<div>{escape_html(text)}" + f" <code>{escape_html(code)}</code>" * bool(code) + "</div>"
        for text, code in notes
    ]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>" + "".join(below)


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[tuple[str, str]] = ()) -> str:
    """Return the table of `html_table` as text: the first column to the left, all others to the right.

    >>> print(text_table(["System", "BLEU"], [["ours", "50.00"], ["yours", "5.00"]], [("BLEU:", "nrefs:1")]))
    System   BLEU
    ------  -----
    ours    50.00
    yours    5.00
    <BLANKLINE>
    BLEU: nrefs:1
    """
    table = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    table.insert(1, ["-" * width for width in widths])
    lines = []
    for first, *rest in table:
        cells = [f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    below = [f"{visible(text)} {code}".rstrip() for text, code in notes]
    return "\n".join([*lines, *([""] if below else []), *below])
