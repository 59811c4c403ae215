"""Whatever a system is called, programs that read a format can read the output, and get the name back."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from importlib.util import find_spec

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sample_results import HOSTILE, one, paired, ranked

from bleucli.output import FORMATS, documents, json_text, paper, render
from bleucli.output.layout import Layout, marked_names
from bleucli.prose.markup import visible
from bleucli.results import Verdict

SPECIAL = "\\`*_{}[]<>()#+-.!|&~$@:;,'\"=%^?/ \t\n\r\x00\x1b\x85\u2028\u00a0\u3000e\u0301系aiv1"
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.text(SPECIAL, min_size=1, max_size=12)
THREE = st.lists(NAMES, min_size=3, max_size=3, unique=True)
BOLD = Layout(bold_best=True)


def reader(package):
    """Skip a test where the package that reads a format is not installed; the extra `test` has it."""
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed (pip install .[test])")


def words(text):
    """Return text as readers return it: white space is one space, and there is none at either end."""
    return " ".join(text.split())


def marked(names):
    """Return the names that formats for readers show after a test."""
    return marked_names(paired(names))


@given(THREE)
def test_comma_separated_values_give_names_back(names):
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.reader(io.StringIO(render(paired(names), Layout(), name), newline=""), delimiter=delimiter))
        assert [row[:2] for row in rows[:2]] == [["system", "baseline"], [visible(names[0]), "true"]]
        assert [row[0] for row in rows] == ["system", *map(visible, names)]
        assert {len(row) for row in rows} == {len(rows[0])}


@given(THREE)
def test_json_gives_names_back(names):
    assert [system["system"] for system in json.loads(render(paired(names), Layout(), "json"))] == marked(names)


# --- HTML


class Cells(HTMLParser):
    """Collects the texts of a table's cells, row by row, and demands that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.rows = []
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += text


@given(THREE)
@example((HOSTILE, "<script>", "&amp;"))
def test_html_gives_names_back_and_is_closed(names):
    cells = Cells()
    cells.feed(render(paired(names), BOLD, "html"))
    cells.close()
    assert cells.open == []
    assert [words(row[0]) for row in cells.rows] == ["System", *(words(visible(name)) for name in marked(names))]
    assert {len(row) for row in cells.rows} == {3}


# --- JUnit


def failed(made):
    """Return results in which every score has passed one gate and failed another."""
    verdicts = [
        Verdict(system.name, score, gate, failure)
        for system in made.systems
        for score in system.scores
        for gate, failure in (("--fail-under 1.0", ""), ("--max-drop 2%", f"{system.name}: {score.name} <& fell"))
    ]
    return made._replace(verdicts=verdicts)


def unescaped(name):
    r"""Return a name as a report shows it: visible, with bytes that are not UTF-8 as \xe9."""
    return visible(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


ANY_NAMES = st.lists(NAMES | st.text(min_size=1, max_size=5), min_size=3, max_size=3, unique=True)


@given(ANY_NAMES)
@example((HOSTILE, "]]><!--&amp;'\"", "\x00\x0b\ufffe\uffff\ud800"))
@example(("caf\udce9.txt", "\udc9b\udcff", "\t \r\n\x85\u2028"))
def test_a_report_of_gates_is_xml_that_gives_names_back(names):
    for made in (failed(paired(names)), paired(names)):
        document = render(made, BOLD, "junit").encode()
        assert document.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        root = ElementTree.fromstring(document)
        assert [suite.get("name") for suite in root] == [unescaped(name) for name in names]
        cases = [case for suite in root for case in suite]
        shown = [unescaped(name) for name in names for _ in range(len(cases) // 3)]
        assert [case.get("classname") for case in cases] == shown
        assert all(case.get("name").startswith(("BLEU", "TER")) for case in cases)
        assert all(case.find("system-out").text.strip() for case in cases)
        failures = list(root.iter("failure"))
        assert len(failures) == int(root.get("failures")) == len(cases) // 2 * bool(made.verdicts)
        assert all(failure.text == failure.get("message") for failure in failures)


@reader("junitparser")
@given(ANY_NAMES)
def test_a_reader_of_junit_sees_cases_and_failures(names):
    from junitparser import Failure, JUnitXml

    report = JUnitXml.fromstring(render(failed(paired(names)), BOLD, "junit").encode())
    assert (report.tests, report.failures, report.errors, report.skipped) == (12, 6, 0, 0)
    for suite, name in zip(report, names, strict=True):
        assert suite.name == unescaped(name)
        assert (suite.tests, suite.failures) == (4, 2)
        cases = list(suite)
        assert [case.classname for case in cases] == [unescaped(name)] * 4
        assert [[type(result) for result in case.result] for case in cases] == [[], [Failure]] * 2
        assert all("<& fell" in result.message for case in cases for result in case.result)


# --- Markdown


@given(THREE)
@example((HOSTILE, "|", "\\|"))
def test_markdown_has_one_row_per_system_and_no_other_column(names):
    lines = render(paired(names), BOLD, "markdown").split("\n")
    rows = lines[: lines.index("")]
    assert len(rows) == 2 + len(names)
    for row in rows:
        assert len(re.findall(r"(?:\\.|[^|\\])*\|", row)) == 4, "an unescaped bar"


@given(NAMES)
def test_markdown_escapes_can_be_undone(name):
    escaped = paper.escape_markdown(name)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped) == name
    assert not re.search(r"(?<!\\)[*_`<>|\[\]~$&]", re.sub(r"\\\\", "", escaped))


@reader("markdown_it")
@given(THREE)
@example(("`a`", "a\\", "*a* **b** ~~c~~ [x](y) <b> &lt; ![i](j)"))
def test_a_reader_of_markdown_sees_the_names(names):
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    cells = Cells()
    cells.feed(parser.render(render(paired(names), BOLD, "markdown")))
    assert [words(row[0]) for row in cells.rows] == ["System", *(words(visible(name)) for name in marked(names))]
    assert {len(row) for row in cells.rows} == {3}


# --- reStructuredText


@pytest.mark.slow
@reader("docutils")
@given(THREE)
@example(("- a", "1. a", "a::"))
@example((".. a", "====", "a_ |b|_ `c`_ [d]_"))
@example(("系统", "e\u0301", "\\"))
@example(("\\" * 5, "(" * 5, "   "))
@example(("か\u3099き\u3099", "\U00016ff0", "e\u0301\u302a"))  # wide combining marks count as one column
def test_a_reader_of_rst_sees_the_names(names):
    from docutils import nodes
    from docutils.core import publish_doctree

    for made in (paired(names), ranked(names), one(name=names[0])):
        text = render(made, BOLD, "rst")
        settings = {"report_level": 2, "halt_level": 2, "warning_stream": False, "smart_quotes": False}
        table = next(iter(publish_doctree(text, settings_overrides=settings).findall(nodes.table)))
        rows = [[words(cell.astext()) for cell in row.findall(nodes.entry)] for row in table.findall(nodes.row)]
        assert [row[0] for row in rows] == ["System", *(words(visible(name)) for name in marked_names(made))]
        assert all(row[1] for row in rows)


# --- LaTeX

_UNDONE = {
    **{written: character for character, written in documents._ESCAPES.items()},
    "{*}": "*",
}
_TOKEN = re.compile("|".join([*map(re.escape, sorted(_UNDONE, key=len, reverse=True)), r"[^\\{}$&#%_^~\[\]<>|\"`']"]))


def read_latex(text):
    """Undo the escapes; an unescaped character with a meaning in LaTeX is an error."""
    found, end = "", 0
    text = re.sub(r"([-,])\{\}(?=\1)", r"\1", text)
    while end < len(text):
        match = _TOKEN.match(text, end)
        assert match, f"{text[end]!r} is not escaped in {text!r}"
        found, end = found + _UNDONE.get(match[0], match[0]), match.end()
    return found


@given(NAMES)
@example(HOSTILE)
@example("--,,---")
def test_latex_escapes_can_be_undone(name):
    shown = visible(name)
    escaped = documents.escape_latex(shown)
    known = "".join(
        character
        if character.isascii() or character in documents._LETTERS or character in "±μ"
        else f"U+{ord(character):04X}"
        for character in unicodedata.normalize("NFC", shown)
    )
    assert read_latex(escaped) == known
    assert set(escaped) - documents._LETTERS <= set(map(chr, range(0x20, 0x7F)))
    assert not escaped.startswith(("*", "["))


@given(THREE)
def test_latex_has_one_row_per_system(names):
    table = render(paired(names), BOLD, "latex").split("\n\\midrule\n")[1].split("\n\\bottomrule")[0]
    rows = table.split("\n")
    assert len(rows) == len(names)
    assert all(row.endswith(" \\\\") and len(re.findall(r"(?<!\\)&", row)) == 2 for row in rows)


# --- all


@given(THREE)
def test_no_format_refuses_a_name(names):
    for name in FORMATS:
        for made in (paired(names), ranked(names), one(name=names[0])):
            assert render(made, BOLD, name).encode().endswith(b"\n")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text(SPECIAL)
KEYS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text(SPECIAL)


@given(
    st.recursive(SCALARS, lambda item: st.lists(item) | st.tuples(item) | st.dictionaries(KEYS, item), max_leaves=20),
    st.sampled_from([None, 1, 4]),
)
@example({"a": [], "b": {}, "c": [{"d": (1, 2.5)}]}, 1)
@example({1: float("nan"), "1": float("inf"), None: -0.0, False: 1e22}, 4)
def test_json_is_what_the_standard_library_writes(value, indent):
    assert json_text._format(value, indent) == json.dumps(value, indent=indent, ensure_ascii=False)
