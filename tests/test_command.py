"""The command's answers, against strings written by hand.

The pair of `conftest`: 7 of 9 words match, 3 of 7 pairs, 2 of 5 triples, 1 of 3 quadruples, and the system is longer
than the reference. So BLEU is (7/9 * 3/7 * 2/5 * 1/3) ** (1/4) = 0.459149769... The first segment has 5/6, 3/5, 2/4,
1/3 (0.53728...), the second 2/3, 0/2, 0/1, of which `exp` makes 2/3, 1/4, 1/4 (0.34668...).
"""

import io
import json
import math
import os
import re
import subprocess
import sys
import time
import warnings
from contextlib import suppress

import colorama
import pytest
from conftest import process_environment, warnings_in

import bleucli
from bleucli import evaluate, kernels
from bleucli.cli.arguments import parse, parser
from bleucli.errors import Note, UsageError

VERSION = f"bleucli-{bleucli.__version__}"
SIGNATURE = f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{VERSION}"
SHORT_SIGNATURE = f"#:1|c:mixed|e:no|tok:13a|s:exp|v:{VERSION}"
SEGMENT_SIGNATURE = SIGNATURE.replace("eff:no", "eff:yes")
VERBOSE = "77.8/42.9/40.0/33.3 (BP = 1.000 ratio = 1.125 hyp_len = 9 ref_len = 8)"
VERBOSE_1 = "83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"
VERBOSE_2 = "66.7/25.0/25.0/0.0 (BP = 1.000 ratio = 1.500 hyp_len = 3 ref_len = 2)"
PERFECT = "100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)"

TEXT = f"BLEU|{SIGNATURE} = 45.9 {VERBOSE}\n"
JSON = f"""{{
 "name": "BLEU",
 "score": 45.9,
 "signature": "{SIGNATURE}",
 "verbose_score": "{VERBOSE}",
 "nrefs": "1",
 "case": "mixed",
 "eff": "no",
 "tok": "13a",
 "smooth": "exp",
 "version": "{VERSION}"
}}
"""
TABLE = f"""\
╒══════════╤════════╕
│   System │  BLEU  │
╞══════════╪════════╡
│  sys.txt │  45.9  │
├──────────┼────────┤
│  ref.txt │ 100.0  │
╘══════════╧════════╛

-----------------
Metric signatures
-----------------
 - BLEU       {SIGNATURE}
"""
JSON_OF_TWO = f"""[
    {{
        "system": "sys.txt",
        "BLEU": {{
            "name": "BLEU",
            "score": 45.9,
            "signature": "{SIGNATURE}",
            "verbose_score": "{VERBOSE}",
            "nrefs": "1",
            "case": "mixed",
            "eff": "no",
            "tok": "13a",
            "smooth": "exp",
            "version": "{VERSION}"
        }}
    }},
    {{
        "system": "ref.txt",
        "BLEU": {{
            "name": "BLEU",
            "score": 100.0,
            "signature": "{SIGNATURE}",
            "verbose_score": "{PERFECT}",
            "nrefs": "1",
            "case": "mixed",
            "eff": "no",
            "tok": "13a",
            "smooth": "exp",
            "version": "{VERSION}"
        }}
    }}
]
"""
SEGMENTS = f"""\
BLEU|{SEGMENT_SIGNATURE} = 53.7 {VERBOSE_1}
BLEU|{SEGMENT_SIGNATURE} = 34.7 {VERBOSE_2}
"""


class Slow(io.RawIOBase):
    """A stream that gives one byte at a time, like a pipe with a slow writer."""

    def __init__(self, data):
        self.rest = data

    def readable(self):
        return True

    def read(self, size=-1):
        piece, self.rest = self.rest[:1], self.rest[1:]
        return piece


@pytest.fixture
def pair(pair):
    """Leave out notes, which have tests of their own."""
    return ("-q", *pair)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("bleucli.textfiles._BLOCK_BYTES", 16)


# --- one system


def test_json_is_the_default(run, pair):
    assert run(*pair) == (0, JSON, "")


def test_json_is_an_object_with_the_signature_keys_in_order(run, pair):
    assert run(*pair, "-f", "json") == (0, JSON, "")
    keys = ["name", "score", "signature", "verbose_score", "nrefs", "case", "eff", "tok", "smooth", "version"]
    assert list(json.loads(JSON)) == keys


def test_text_is_one_line(run, pair):
    assert run(*pair, "-f", "text") == (0, TEXT, "")


def test_short_changes_the_signature_of_text(run, pair):
    assert run(*pair, "-f", "text", "-sh") == (0, f"BLEU|{SHORT_SIGNATURE} = 45.9 {VERBOSE}\n", "")


def test_short_does_not_change_json(run, pair):
    assert run(*pair, "--short") == (0, JSON, "")


@pytest.mark.parametrize("form", [(), ("-f", "text"), ("-f", "json")])
def test_score_only_is_the_number_alone(run, pair, form):
    assert run(*pair, "-b", *form) == (0, "45.9\n", "")


@pytest.mark.parametrize(("width", "score"), [("0", "46"), ("1", "45.9"), ("2", "45.91"), ("6", "45.914977")])
def test_width_is_the_number_of_decimals_of_the_score_and_of_nothing_else(run, pair, width, score):
    assert run(*pair, "-b", "-w", width).out == f"{score}\n"
    assert run(*pair, "-f", "text", "-w", width).out == f"BLEU|{SIGNATURE} = {score} {VERBOSE}\n"
    assert json.loads(run(*pair, "-w", width).out)["score"] == float(score)
    assert json.loads(run(*pair, "-w", width).out)["verbose_score"] == VERBOSE


def test_text_prints_all_decimals_and_json_a_number(run, pair):
    words = ("-q", "ref.txt", "-i", "ref.txt", "-w", "3")
    assert run(*words, "-f", "text").out == f"BLEU|{SIGNATURE} = 100.000 {PERFECT}\n"
    assert ' "score": 100.0,\n' in run(*words).out


def test_a_thousand_decimals_can_be_had(run, pair):
    assert len(run(*pair, "-b", "-w", "1000").out) == len("45.\n") + 1000


def test_options_of_bleu_reach_the_score_and_the_signature(run, write):
    write("ref.txt", "The cat\n")
    write("sys.txt", "the dog\n")
    words = ("ref.txt", "-i", "sys.txt", "-f", "text", "-lc", "-tok", "none", "-s", "floor", "-sv", "0.125")
    # 1/2 and 0.125/1
    signature = f"nrefs:1|case:lc|eff:no|tok:none|smooth:floor[0.125]|ngram:2|version:{VERSION}"
    line = f"BLEU|{signature} = 25.0 50.0/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 2 ref_len = 2)\n"
    assert run(*words, "--max-ngram-order", "2").out == line


def test_a_metric_named_twice_is_computed_once(run, pair):
    assert run(*pair, "-m", "bleu", "bleu") == (0, JSON, "")


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_json_holds_no_infinity_however_strong_the_smoothing(run, write, method):
    write("ref.txt", "a b c d e\n")
    write("sys.txt", "a x b y c\n")
    words = ("ref.txt", "-i", "sys.txt", "-q", "-s", method, "-sv")
    answer = run(*words, "1e100")
    assert answer.status == 0
    assert math.isfinite(json.loads(answer.out, parse_constant=pytest.fail)["score"])
    assert run(*words, "1e101")[:2] == (2, "")


# --- several systems


def test_several_systems_make_a_table(run, pair):
    assert run(*pair, "ref.txt", "-f", "text") == (0, TABLE, "")


def test_short_changes_the_signatures_under_a_table(run, pair):
    assert run(*pair, "ref.txt", "-f", "text", "-sh") == (0, TABLE.replace(SIGNATURE, SHORT_SIGNATURE), "")


def test_a_table_has_as_many_decimals_as_asked_for(run, pair):
    out = run(*pair, "ref.txt", "-f", "text", "-w", "3").out
    assert "│  sys.txt │ 45.915  │\n" in out
    assert "│  ref.txt │ 100.000 │\n" in out


def test_several_systems_in_json_are_an_array_of_objects(run, pair):
    assert run(*pair, "ref.txt", "-f", "json") == (0, JSON_OF_TWO, "")
    assert run(*pair, "ref.txt") == (0, JSON_OF_TWO, "")


def test_systems_are_named_as_they_were_given(run, pair):
    systems = json.loads(run(*pair, "./ref.txt", "-f", "json").out)
    assert [system["system"] for system in systems] == ["sys.txt", "./ref.txt"]


def test_columns_of_standard_input_are_numbered_systems(run, write):
    write("ref.txt", "the cat sat on the mat\nhello world\n")
    columns = b"the cat sat on a mat\tthe cat sat on the mat\nhello there world\thello world\n"
    table = TABLE.replace(" sys.txt", "System 1").replace(" ref.txt", "System 2")
    assert run("-q", "ref.txt", "-f", "text", stdin=columns) == (0, table, "")
    names = [system["system"] for system in json.loads(run("ref.txt", "-f", "json", stdin=columns).out)]
    assert names == ["System 1", "System 2"]


def test_a_trailing_empty_column_is_a_system_of_its_own(run, write):
    write("ref.txt", "a\nb\n")
    systems = json.loads(run("ref.txt", "-f", "json", "-tok", "none", stdin=b"a\t\nb\t\n").out)
    assert [system["system"] for system in systems] == ["System 1", "System 2"]
    assert "hyp_len = 0" in systems[1]["BLEU"]["verbose_score"]


def test_tabs_of_a_named_file_are_white_space(run, write):
    write("ref.txt", "a b c d\n")
    write("sys.txt", "a\tb\tc\td\n")
    for source in ("sys.txt", "-"):
        assert run("ref.txt", "-i", source, "-b", stdin=b"a\tb\tc\td\n")[:2] == (0, "100.0\n")


# --- a score a segment


def test_sentence_level_is_a_line_of_text_a_segment(run, pair):
    assert run(*pair, "-sl") == (0, SEGMENTS, "")
    assert run(*pair, "-sl", "-f", "text") == (0, SEGMENTS, "")
    assert run("ref.txt", "-sl", stdin=b"the cat sat on a mat\nhello there world") == (0, SEGMENTS, "")


def test_sentence_level_with_short_signatures(run, pair):
    out = run(*pair, "-sl", "-sh").out
    assert out == SEGMENTS.replace(SEGMENT_SIGNATURE, SHORT_SIGNATURE.replace("e:no", "e:yes"))


@pytest.mark.parametrize("form", [(), ("-f", "text"), ("-f", "json")])
def test_sentence_level_with_score_only_is_a_number_a_line(run, pair, form):
    assert run(*pair, "-sl", "-b", "-w", "2", *form) == (0, "53.73\n34.67\n", "")


def test_sentence_level_in_json_is_json_lines(run, pair):
    answer = run(*pair, "-sl", "-f", "json")
    first, second = map(json.loads, answer.out.splitlines())
    assert (first["score"], first["verbose_score"]) == (53.7, VERBOSE_1)
    assert (second["score"], second["signature"], second["eff"]) == (34.7, SEGMENT_SIGNATURE, "yes")
    assert list(first) == list(json.loads(JSON))


def test_sentence_level_counts_the_references_of_each_segment(run, pair, write):
    write("more.txt", "hello cat\n\n")
    words = ("ref.txt", "more.txt", "-i", "sys.txt", "-f", "json", "--skip-empty-refs")
    lines = run(*words, "-sl").out.splitlines()
    assert [json.loads(line)["nrefs"] for line in lines] == ["2", "1"]
    assert json.loads(run(*words).out)["nrefs"] == "var"


# --- where text comes from


def test_standard_input_is_the_system(run, pair):
    with open("sys.txt", "rb") as file:
        assert run("ref.txt", stdin=file) == (0, JSON, "")


def test_no_file_is_read_where_standard_input_is_the_system(run, pair):
    os.unlink("sys.txt")
    assert run("ref.txt", stdin=b"the cat sat on a mat\nhello there world\n") == (0, JSON, "")


@pytest.mark.parametrize("words", [("ref.txt",), ("ref.txt", "-i", "-")])
def test_a_pipe_may_be_slow(run, write, words):
    write("ref.txt", "où est le chat\nhello world\n")
    answer = run("-q", *words, "-b", stdin=Slow("où est le chat\nhello world\n".encode()))
    assert answer == (0, "100.0\n", "")


def test_a_process_waits_for_a_slow_pipe(start, pair):
    process = start("ref.txt", "-b", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for piece in (b"the c", b"at sat on a ma", b"t\nhello the", b"re world"):
        process.stdin.write(piece)
        process.stdin.flush()
        time.sleep(0.02)
    assert process.communicate(timeout=60) == (b"45.9\n", b"")
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_does_not_block_is_waited_for_all_the_same(start, folder):
    os.mkfifo("system")
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    process = start("-q", "-", "-i", "system", "-b", stdin=ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(ours)
    with open("system", "wb") as system:  # goes on when the other side is opened; the reference is read next
        system.write(b"the cat sat on a mat\nhello there world\n")
    for piece in (b"the cat sat on the mat\nhel", b"lo world\n"):
        time.sleep(0.1)
        try:
            os.write(theirs, piece)
        except BrokenPipeError:
            break
    os.close(theirs)
    assert process.communicate(timeout=60) == (b"45.9\n", b"")


def test_a_dash_behind_i_is_standard_input(run, pair):
    assert run("-q", "ref.txt", "-i", "-", stdin=b"the cat sat on a mat\nhello there world\n") == (0, JSON, "")


def test_a_dash_as_reference_is_standard_input(run, pair):
    assert run("-q", "-", "-i", "sys.txt", stdin=b"the cat sat on the mat\nhello world\n") == (0, JSON, "")


def test_standard_input_may_be_one_of_several_systems(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", "-", "-f", "json", stdin=b"a\nb\n")
    assert [system["system"] for system in json.loads(answer.out)] == ["sys.txt", "standard input"]


def test_named_pipes_are_read_once(command, pair):
    line = 'mkfifo r s; cat ref.txt >r & cat sys.txt >s & exec "$@"'
    assert command("-q", "r", "-i", "s", "-b", shell=line) == (0, "45.9\n", "")


def test_references_may_stand_behind_two_dashes(run, pair):
    assert run("-q", "-b", "-i", "sys.txt", "--", "ref.txt") == (0, "45.9\n", "")


def test_several_references_are_counted(run, pair, write):
    write("ref2.txt", "the cat sat on a mat\nhello there world\n")
    answer = run("ref.txt", "ref2.txt", "-i", "sys.txt", "-f", "text")
    assert answer.out.startswith(f"BLEU|{SIGNATURE.replace('nrefs:1', 'nrefs:2')} = 100.0 ")


def test_a_reference_file_is_split_on_tabs(run, pair, write):
    write("refs.tsv", "the cat sat on the mat\tthe cat sat on a mat \r\nhello world\thello there world\r\n")
    answer = run("refs.tsv", "-nr", "2", "-i", "sys.txt", "-f", "text")
    assert answer.out.startswith(f"BLEU|{SIGNATURE.replace('nrefs:1', 'nrefs:2')} = 100.0 ")


def test_a_trailing_empty_column_is_an_empty_reference(run, pair, write):
    write("refs.tsv", "the cat sat on the mat\t\nhello world\t\n")
    assert json.loads(run("refs.tsv", "-nr", "2", "-i", "sys.txt").out)["nrefs"] == "2"
    assert json.loads(run("refs.tsv", "-nr", "2", "-i", "sys.txt", "--skip-empty-refs").out)["nrefs"] == "1"


def test_one_reference_column_is_the_whole_line(run, write):
    write("ref.txt", "a\tb\tc\td\n")
    assert run("-q", "ref.txt", "-nr", "1", "-b", stdin=b"a b c d\n") == (0, "100.0\n", "")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "utf-8-sig", "gb18030", "cp1252"])
def test_all_text_is_in_the_encoding_that_was_named(run, write, encoding):
    lines = "où est le chèvre\nça va très bien\n"
    write("ref.txt", lines.encode(encoding))
    assert run("-q", "ref.txt", "-b", "-e", encoding, stdin=lines.encode(encoding)) == (0, "100.0\n", "")


def test_the_encoding_of_the_text_is_not_guessed(run, write):
    write("ref.txt", "é é é é\n")
    assert run("ref.txt", "-b", "-e", "latin-1", stdin="é é é é\n".encode("latin-1")).out != "100.0\n"


# --- notes


def test_which_file_is_which_is_noted_where_several_are_given(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", terminal=True)
    assert answer == (0, JSON, "bleu: note: reference ref.txt, 2 segments; system sys.txt\n")


def test_notes_go_to_terminals_only_so_that_nobody_needs_quiet(run, command, pair):
    assert run("ref.txt", "-i", "sys.txt") == (0, JSON, "")
    assert command("ref.txt", "-i", "sys.txt", shell='exec "$@" 2>&1') == (0, JSON, "")
    assert command("ref.txt", "-i", "sys.txt", shell='exec "$@" 2>&-') == (0, JSON, "")
    assert run("ref.txt", "-i", "sys.txt", "-q", terminal=True) == (0, JSON, "")


def test_warnings_go_everywhere(run, pair):
    for terminal in (False, True):
        assert len(warnings_in(run("ref.txt", "-i", "sys.txt", "-cw", "2", terminal=terminal))) == 1


# --- warnings that are errors

STRICT = {
    "option without effect": ("ref.txt", "-i", "sys.txt", "-cw", "2"),
    "texts": ("ref.txt", "-i", "ref.txt"),
    "metric": ("ref.txt", "-i", "sys.txt", "-m", "bleu", "ter", "-lc"),
    "segments": ("ref.txt", "-i", "marked.txt", "-sl"),
    "gate that fails": ("ref.txt", "-i", "ref.txt", "--fail-under", "101"),
    "mode": ("--list-tokenizers", "-w", "2"),
}


@pytest.mark.parametrize("words", STRICT.values(), ids=STRICT)
def test_strict_makes_any_warning_an_error_and_holds_the_answer_back(run, pair, write, words):
    write("marked.txt", "the cat sat on a mat\nhello there world\n".encode("utf-8-sig"))
    write("out.txt", "old\n")
    loose = run(*words)
    assert loose.status == ("--fail-under" in words)
    (warning,) = warnings_in(loose)
    told = "bleu: error: 1 warning, and --strict allows none; fix the warnings, or leave out --strict"
    for terminal in (False, True):
        assert run(*words, "--strict", terminal=terminal) == (2, "", f"{warning}\n{told}\n")
    assert run(*words, "--strict", "-o", "out.txt").status == run(*words, "--strict", "-o", "new.txt").status == 2
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == "old\n"
    assert not os.path.exists("new.txt")


def test_strict_counts_the_warnings(run, pair):
    answer = run("ref.txt", "-i", "ref.txt", "-cw", "2", "--strict")
    assert len(warnings_in(answer)) == 2
    assert "bleu: error: 2 warnings, and --strict allows none; " in answer.err


def test_strict_counts_what_python_warns_of(run, pair, monkeypatch):
    def score(*words, **more):
        warnings.warn("odd", stacklevel=1)
        warnings.warn("harmless", Note, stacklevel=1)
        return really(*words, **more)

    really = evaluate.score_systems
    monkeypatch.setattr(evaluate, "score_systems", score)
    assert run("ref.txt", "-i", "sys.txt").status == 0
    answer = run("ref.txt", "-i", "sys.txt", "--strict")
    assert (answer.status, answer.out) == (2, "")
    first, second = answer.err.splitlines()
    assert first == "bleu: warning: odd"
    assert second.startswith("bleu: error: 1 warning, and")


@pytest.mark.parametrize("words", [("ref.txt", "-i", "sys.txt"), ("ref.txt", "-i", "sys.txt", "-sl"), ("--list",)])
def test_strict_changes_nothing_where_nothing_is_warned_of(run, pair, words):
    for terminal in (False, True):
        assert run(*words, "--strict", terminal=terminal) == run(*words, terminal=terminal)
    assert run(*words, "--strict").status == 0
    assert run("ref.txt", "-i", "sys.txt", "--strict", "--fail-under", "46").status == 1


def test_strict_and_quiet_contradict_each_other(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", "--strict", "-q")
    told = "bleu: error: --strict turns warnings into errors, and --quiet hides them; leave out one of the two\n"
    assert answer == (2, "", told)


def test_quiet_leaves_warnings_out(run, pair, write):
    write("ref.txt", "the cat sat on the mat\nhello world\n".encode("utf-8-sig"))
    assert run("ref.txt", "-i", "sys.txt", "-e", "utf-8-sig").out == JSON
    quiet, loud = (run("ref.txt", "-i", "sys.txt", *extra) for extra in (("-q",), ()))
    assert quiet == (0, loud.out, "")
    assert warnings_in(loud)


def test_quiet_does_not_hide_errors(run, pair):
    answer = run("nofile", "-i", "sys.txt", "-q")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bleu: error: ")


def test_a_hundred_hypotheses_that_end_in_a_lone_period_are_warned_of(run, write):
    write("ref.txt", "It is so.\n" * 120)
    write("sys.txt", "It is so .\n" * 100 + "It is so.\n" * 20)
    answer = run("ref.txt", "-i", "sys.txt", "-b")
    assert (answer.status, answer.out) == (0, "100.0\n")
    (warning,) = [line for line in warnings_in(answer) if "' .'" in line]
    assert warning.startswith("bleu: warning: sys.txt: 100 hypotheses end in ' .'")
    assert "--force" in warning


@pytest.mark.parametrize(("count", "extra"), [(99, ()), (100, ("--force",)), (100, ("-q",))])
def test_fewer_tokenized_hypotheses_or_force_or_quiet_are_not_warned_of(run, write, count, extra):
    write("ref.txt", "It is so.\n" * 120)
    write("sys.txt", "It is so .\n" * count + "It is so.\n" * (120 - count))
    answer = run("ref.txt", "-i", "sys.txt", "-b", *extra)
    assert answer[:2] == (0, "100.0\n")
    assert "' .'" not in answer.err


def test_each_tokenized_system_is_warned_of_by_its_name(run, write, small_blocks):
    write("ref.txt", "It is so.\n" * 100)
    columns = b"It is so .\tIt is so.\tIt is so .  \n" * 100
    warnings = [line for line in warnings_in(run("ref.txt", stdin=columns)) if "' .'" in line]
    assert [line.split(":")[2] for line in warnings] == [" System 1", " System 3"]


# --- gates


@pytest.mark.parametrize("bound", ["-1", "0", "45.9", "45.914976"])
def test_a_score_that_is_not_under_the_bound_passes(run, pair, bound):
    assert run(*pair, "--fail-under", bound) == (0, JSON, "")


@pytest.mark.parametrize("bound", ["45.915", "46", "100.1", "1e9"])
def test_a_score_under_the_bound_is_printed_and_fails(run, pair, bound):
    answer = run(*pair, "--fail-under", bound)
    assert (answer.status, answer.out) == (1, JSON)
    assert answer.err.startswith("bleu: error: sys.txt: BLEU 45.914976")
    assert answer.err.count("\n") == 1


def test_a_score_at_the_bound_passes(run, pair):
    assert run("-q", "ref.txt", "-i", "ref.txt", "-b", "--fail-under", "100") == (0, "100.0\n", "")


def test_a_failed_gate_shows_enough_digits_to_tell_score_and_bound_apart(run, pair):
    score = bleucli.corpus_bleu(
        ["the cat sat on a mat", "hello there world"], [["the cat sat on the mat", "hello world"]]
    ).score
    bound = math.nextafter(score, 101)
    line = run(*pair, "--fail-under", repr(bound)).err
    assert repr(score) in line
    assert repr(bound) in line
    assert run(*pair, "--fail-under", repr(score)).status == 0


def test_one_system_under_the_bound_is_enough_to_fail(run, pair):
    answer = run("-q", "ref.txt", "-i", "ref.txt", "sys.txt", "--fail-under", "50")
    assert answer.status == 1
    assert "sys.txt: BLEU" in answer.err
    assert "ref.txt: BLEU" not in answer.err


def test_every_system_under_the_bound_is_named(run, pair):
    lines = run("-q", "ref.txt", "-i", "ref.txt", "sys.txt", "--fail-under", "101").err.splitlines()
    assert [line.split(":")[2] for line in lines] == [" ref.txt", " sys.txt"]


def test_a_failed_gate_writes_no_output_file(run, pair, write):
    assert run(*pair, "--fail-under", "46", "-o", "out.txt").status == 1
    assert not os.path.exists("out.txt")
    write("out.txt", "old\n")
    assert run(*pair, "--fail-under", "46", "-o", "out.txt").status == 1
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == "old\n"
    assert run(*pair, "--fail-under", "45", "-o", "out.txt") == (0, "", "")
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == JSON


def test_quiet_does_not_hide_a_failed_gate(run, pair):
    answer = run(*pair, "--fail-under", "46", "-q")
    assert answer.status == 1
    assert answer.err.startswith("bleu: error: sys.txt: BLEU")


# --- threads


@pytest.mark.parametrize(
    "jobs", ["3", *(pytest.param(jobs, marks=pytest.mark.slow) for jobs in ("0", "1", "2", "100"))]
)
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-f", "text", "-tok", "char"), ("-i", "sys.txt", "ref2.txt")])
def test_threads_do_not_change_the_answer(run, write, small_blocks, jobs, extra):
    write("ref.txt", "".join(f"the {n} cats sat on {n % 7} mats .\n" for n in range(300)))
    write("ref2.txt", "".join(f"{n} cats sat on the {n % 5} mats\n" for n in range(300)))
    write("sys.txt", "".join(f"the {n} cats sat on the {n % 3} mats .\n" for n in range(300)))
    words = ("ref.txt", "ref2.txt", *(() if "-i" in extra else ("-i", "sys.txt")), *extra)
    answer = run(*words)
    assert answer.status == 0
    assert run(*words, "-J", jobs) == answer


# --- options

# sacreBLEU 2.6.0's short options
SHORT_OPTIONS = (
    *("-t", "-l", "-ol", "-i", "-nr", "-e", "-m", "-sl", "-s", "-sv", "-tok", "-lc", "-cc", "-cw", "-ci", "-cin"),
    *("-par", "-pbs", "-parn", "-pbsn", "-j", "-q", "-sh", "-b", "-w", "-d", "-nc", "-f", "-h", "-V"),
)
# The long options of sacreBLEU 2.6.0, by `sacrebleu --help`; their abbreviations go before ours
SACREBLEU_OPTIONS = [
    "--help",
    "--citation",
    "--cite",
    "--list",
    "--test-set",
    "--language-pair",
    "--origlang",
    "--subset",
    "--download",
    "--echo",
    "--input",
    "--num-refs",
    "--encoding",
    "--metrics",
    "--sentence-level",
    "--version",
    "--smooth-method",
    "--smooth-value",
    "--tokenize",
    "--lowercase",
    "--force",
    "--chrf-char-order",
    "--chrf-word-order",
    "--chrf-beta",
    "--chrf-whitespace",
    "--chrf-lowercase",
    "--chrf-eps-smoothing",
    "--ter-case-sensitive",
    "--ter-asian-support",
    "--ter-no-punct",
    "--ter-normalized",
    "--confidence",
    "--confidence-n",
    "--paired-ar",
    "--paired-bs",
    "--paired-ar-n",
    "--paired-bs-n",
    "--paired-jobs",
    "--quiet",
    "--short",
    "--score-only",
    "--width",
    "--detail",
    "--no-color",
    "--format",
]
KNOWN = {name for action in parser()._actions for name in action.option_strings}
BUILT = [option for option in SACREBLEU_OPTIONS if option in KNOWN]


def values_for(option):
    """Return words that an option takes and that are not its default."""
    action = next(action for action in parser()._actions if option in action.option_strings)
    if action.nargs == 0:
        return []
    value = list(action.choices)[-1] if action.choices else {int: "7", float: "0.5"}.get(action.type, "latin-1")
    return [value, value] if action.nargs == "+" else [value]


def unique_abbreviations(option):
    """List the beginnings of an option of sacreBLEU that no other one shares, the shortest first."""
    beginnings = [option[:end] for end in range(len("--") + 1, len(option) + 1)]
    meant = {name: [other for other in SACREBLEU_OPTIONS if other.startswith(name)] for name in beginnings}
    return [name for name in beginnings if meant[name] == [option] or name == option]


@pytest.mark.parametrize("option", BUILT)
def test_unique_abbreviations_of_sacrebleus_options_keep_their_meaning(option):
    values = values_for(option)
    in_full = parse([option, *values])
    assert in_full != parse([])
    for abbreviation in unique_abbreviations(option):
        assert parse([abbreviation, *values]) == in_full
        if len(values) == 1:
            assert parse([f"{abbreviation}={values[0]}"]) == in_full


def test_the_shortest_abbreviations_are_those_of_sacrebleu():
    shortest = {option: unique_abbreviations(option)[0] for option in BUILT}
    assert shortest.items() >= {
        ("--help", "--h"),
        ("--input", "--i"),
        ("--num-refs", "--nu"),
        ("--encoding", "--en"),
        ("--metrics", "--m"),
        ("--sentence-level", "--se"),
        ("--version", "--v"),
        ("--smooth-method", "--smooth-m"),
        ("--smooth-value", "--smooth-v"),
        ("--tokenize", "--to"),
        ("--lowercase", "--lo"),
        ("--force", "--forc"),
        ("--quiet", "--q"),
        ("--short", "--sh"),
        ("--score-only", "--sc"),
        ("--width", "--w"),
        ("--format", "--form"),
    }


@pytest.mark.parametrize("option", BUILT)
def test_ambiguous_abbreviations_are_refused(option):
    first = len(unique_abbreviations(option)[0])
    ends = [end for end in range(len("--") + 1, first) if option[:end] not in KNOWN]
    for end in ends:
        with pytest.raises(UsageError, match=f"{option[:end]} could mean .*{option}"):
            parse([option[:end], *values_for(option)])


def test_the_list_of_sacrebleus_options_is_complete():
    pytest.importorskip("sacrebleu")
    done = subprocess.run([sys.executable, "-m", "sacrebleu", "--help"], capture_output=True, text=True)
    usages = [line.strip() for line in done.stdout.splitlines() if line.startswith("  -")]
    names = {word.strip(",") for line in usages for word in line.split("  ")[0].split() if word.startswith("-")}
    assert names == {*SACREBLEU_OPTIONS, *SHORT_OPTIONS}


def test_every_option_of_sacrebleu_exists():
    assert {*SACREBLEU_OPTIONS, *SHORT_OPTIONS} <= set(KNOWN)


def test_an_abbreviation_that_means_nothing_or_much_is_refused(run, pair):
    for word in ("--ori", "--su", "--d", "-n", "-to"):
        answer = run(*pair, word, "13a")
        assert (answer.status, answer.out) == (2, "")
        assert re.fullmatch(rf"bleu: error: .*(?<![\w/-]){word}.*\n", answer.err)


@pytest.mark.parametrize("word", ["-V", "--version"])
def test_version_names_the_live_kernels(run, word):
    assert run(word) == (0, f"bleu {bleucli.__version__} ({kernels.live} kernels)\n", "")


@pytest.mark.parametrize("word", ["python", "reference"])  # as they were called once
def test_the_python_kernels_can_be_asked_for(command, word):
    answer = command("-V", variables={"BLEU_KERNELS": word})
    assert answer == (0, f"bleu {bleucli.__version__} (python kernels)\n", "")


@pytest.mark.parametrize("extra", [(), ("-f", "text"), ("ref.txt",), ("-sl",), ("-w", "-1"), ("--fail-under", "46")])
def test_python_dash_m_bleucli_answers_as_the_function_does(run, command, pair, extra):
    assert command(*pair, *extra) == run(*pair, *extra)


# --- the environment


@pytest.mark.parametrize(
    ("ours", "theirs", "asked", "expected"),
    [
        ("text", None, (), TEXT),
        (None, "text", (), TEXT),
        ("json", "text", (), JSON),
        ("text", "json", (), TEXT),
        ("", "text", (), TEXT),
        ("", "", (), JSON),
        ("text", "text", ("-f", "json"), JSON),
        ("json", "json", ("-f", "text"), TEXT),
        ("xml", None, ("-f", "text"), TEXT),
        ("text", "xml", (), TEXT),
    ],
)
def test_an_explicit_format_wins_over_ours_and_ours_over_sacrebleus(run, pair, ours, theirs, asked, expected):
    variables = {"BLEU_FORMAT": ours, "SACREBLEU_FORMAT": theirs}
    given = {name: value for name, value in variables.items() if value is not None}
    assert run(*pair, *asked, variables=given) == (0, expected, "")


def test_the_format_of_the_environment_holds_for_several_systems(run, pair):
    assert run(*pair, "ref.txt", variables={"BLEU_FORMAT": "json"}) == (0, JSON_OF_TWO, "")


def test_the_process_sees_the_environment(command, pair):
    assert command(*pair, variables={"SACREBLEU_FORMAT": "text"}) == (0, TEXT, "")


def on_terminal(run, *words, variables=()):
    """Return what a run says on stderr where that is a terminal."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    with open(follower, "wb", buffering=0) as stderr:
        run(*words, stderr=stderr, variables=variables)
    said = b""
    with suppress(OSError):  # a terminal's way to say that all was read
        while piece := os.read(leader, 10000):
            said += piece
    os.close(leader)
    return said.decode()


def test_errors_are_red_and_warnings_yellow_on_a_terminal(run, pair, write):
    write("ref.txt", b"\xef\xbb\xbfthe cat sat on the mat\nhello world\n")
    assert on_terminal(run, "nofile", "-i", "sys.txt").startswith("bleu: \033[31merror\033[0m: cannot read nofile")
    assert "bleu: \033[33mwarning\033[0m: ref.txt starts with" in on_terminal(run, "ref.txt", "-i", "sys.txt")


class Terminal(io.BytesIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("platform", "told"), [("win32", True), ("linux", False)])
def test_a_windows_console_is_told_to_show_colours_where_there_are_some(run, pair, monkeypatch, platform, told):
    calls = []
    monkeypatch.setattr(colorama, "just_fix_windows_console", lambda: calls.append(True))
    monkeypatch.setattr(sys, "platform", platform)
    for words, streams in (
        (("nofile",), {"stderr": Terminal()}),
        ((*pair, "-ci", "-f", "text"), {"stdout": Terminal()}),
    ):
        calls.clear()
        run(*words, **streams)
        assert bool(calls) is told
        assert b"\033[" in next(iter(streams.values())).getvalue()
    calls.clear()
    run("nofile", stderr=Terminal(), variables={"NO_COLOR": "1"})
    run(*pair, stdout=Terminal(), variables={"NO_COLOR": "1"})
    run(*pair, "-nc", stdout=Terminal())
    run(*pair, "-ci", "-f", "text")
    assert not calls


def test_colours_are_imported_only_where_they_are_shown(command, pair):
    program = (
        "import io, sys; from bleucli.cli import commands, streams;"
        " environment = streams.Environment(None, io.BytesIO(), io.BytesIO(), {});"
        " sys.exit(commands.run(sys.argv[1:], environment) or 'colorama' in sys.modules)"
    )
    for words in ((), ("-b",), ("ref.txt", "-f", "text"), ("-ci", "-f", "text")):
        done = subprocess.run([sys.executable, "-c", program, *pair, *words], env=process_environment({}), check=False)
        assert done.returncode == 0, words


def test_no_color_turns_colour_off(run, pair):
    said = on_terminal(run, "nofile", "-i", "sys.txt", variables={"NO_COLOR": "1"})
    assert said.startswith("bleu: error: cannot read nofile")


def test_what_is_no_terminal_gets_no_colour(run, pair):
    assert "\033" not in run("nofile", "-i", "sys.txt").err


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"LC_ALL": "POSIX"}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}, marks=pytest.mark.slow),
    ],
)
def test_text_and_names_are_utf_8_whatever_the_locale(command, pair, locale):
    os.rename("ref.txt", "références.txt")
    os.rename("sys.txt", "système.txt")
    answer = command("-q", "références.txt", "-i", "système.txt", "références.txt", "-f", "text", variables=locale)
    assert (answer.status, answer.err) == (0, "")
    assert "│    système.txt │  45.9  │\n" in answer.out
    answer = command("références.txt", "-i", "système.txt", "références.txt", "-f", "json", variables=locale)
    assert [system["system"] for system in json.loads(answer.out)] == ["système.txt", "références.txt"]
    answer = command("-q", "références.txt", "-i", "système.txt", "-o", "résultat.txt", variables=locale)
    assert answer == (0, "", "")
    assert os.path.exists("résultat.txt")
    answer = command("niña.txt", "-i", "système.txt", variables=locale)
    assert answer.err.startswith("bleu: error: cannot read niña.txt: ")
    answer = command("références.txt", "-i", "système.txt", "--größe", variables=locale)
    assert "--größe" in answer.err


@pytest.fixture
def odd_name(pair):
    name = b"syst\xe8me.txt"
    try:
        os.rename(b"sys.txt", name)
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    return name


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C"}, marks=pytest.mark.slow),
    ],
)
def test_file_names_that_are_not_utf_8_pass_through(command, odd_name, locale):
    shown = odd_name.decode("utf-8", "surrogateescape")
    for form in ("text", "json"):
        answer = command("-q", "ref.txt", "-i", odd_name, "ref.txt", "-f", form, variables=locale)
        assert (answer.status, answer.err) == (0, "")
        assert shown in answer.out
    assert command(b"no\xff", "-i", odd_name, variables=locale).err.startswith("bleu: error: cannot read no\udcff: ")
    assert command("-q", "ref.txt", "-i", odd_name, "-b", "-o", b"out\xff", variables=locale) == (0, "", "")
    with open(b"out\xff", "rb") as file:
        assert file.read() == b"45.9\n"
