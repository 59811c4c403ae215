"""The native kernels against the python ones, function by function; the python ones are the definition."""

from __future__ import annotations

import importlib.util
import inspect
import mmap
import os
import random
import runpy
import shutil
import string
import subprocess
import sys
import tempfile
import time
import tracemalloc
import unicodedata
from array import array
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from threading import Event

import numpy
import pytest
import ter_pairs
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import FRAGMENTS, SPACES, corpora, enough, examples, texts

from bleucli import BLEU, kernels
from bleucli.errors import FieldCountError
from bleucli.kernels import python, sources, stopping
from bleucli.kernels.stats import SegmentStats
from bleucli.text import Segments

native, why_not = kernels._load_native()
if native is None:
    pytest.skip(f"nothing to compare: {why_not}", allow_module_level=True)

FUNCTIONS = python.__all__
PARAMETERS = {name: list(inspect.signature(getattr(python, name)).parameters) for name in FUNCTIONS}
# Arguments of functions other than texts; a kernel whose parameters are all listed is tested without further code
VALUES = {
    "columns": 0,
    "classes": bytes(0x110000),
    "ending": b"c",
    "max_order": 4,
    "char_order": 6,
    "word_order": 2,
    "beta": 2,
    "whitespace": False,
    "eps_smoothing": False,
    "characters": False,
    "weights": None,
    "smooth_method": "exp",
    "smooth_value": 0.0,
    "effective_order": False,
}
# Functions that count, and their arguments after hypotheses and references
LAST_ARGUMENTS = {
    name: tuple(VALUES[parameter] for parameter in names[2:])
    for name, names in PARAMETERS.items()
    if names[:2] == ["hypotheses", "references"] and not name.startswith("pairwise_")
}
OF_ONE_STREAM = [
    name
    for name, names in PARAMETERS.items()
    if names == ["segments"] and inspect.signature(getattr(python, name)).return_annotation == "Segments"
]
ONLY_IN_TEST_BUILDS = {"fail_allocation", "live_allocations", "stop_at"}

columns_of_texts = st.lists(st.none() | texts, max_size=6).map(Segments.from_strings)


def both(name, *arguments):
    """Return what the native and the python function of that name return, errors as their type and text."""
    return [answer(getattr(module, name), *arguments) for module in (native, python)]


def answer(function, *arguments):
    try:
        return plain(function(*arguments))
    except UnicodeDecodeError as error:
        return "UnicodeDecodeError", error.encoding, error.object, error.start, error.end, error.reason
    except FieldCountError as error:
        return "FieldCountError", error.line, error.fields, str(error)


def plain(value):
    """Return a result in a form that can be compared."""
    if isinstance(value, Segments):
        return list(value)
    if isinstance(value, SegmentStats):
        return value.columns, value.data.format, list(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def assert_alike(name, *arguments):
    found, expected = both(name, *arguments)
    assert found == expected


def bounds(*numbers):
    return array("q", numbers).tobytes()


def calls(name, segments, sound):
    """Return the arguments of a function with `segments` in each place where Segments belong, `sound` in the others."""
    places = {
        "segments": (sound, [segments]),
        "texts": (sound, [segments]),
        "groups": (array("q", [len(sound)]), []),
        "stats": (sound, [segments]),
        "hypotheses": (sound, [segments]),
        "references": ([sound], [[segments], [sound, segments]]),
        "sizes": (array("q", [len(sound), len(sound)]), []),
        "scores": (array("d", bytes(8 * len(sound) ** 2)), []),
    }
    if name.startswith("pairwise_"):
        places["references"] = places["hypotheses"]
    names = PARAMETERS[name]
    usual = [places[parameter][0] if parameter in places else VALUES[parameter] for parameter in names]
    return [
        (*usual[:index], given, *usual[index + 1 :])
        for index, parameter in enumerate(names)
        if parameter in places
        for given in places[parameter][1]
    ]


# see also test_resampling_kernels
TAKE_SEGMENTS = [
    name
    for name in FUNCTIONS
    if not {"Segments", "Sequence[Segments]"}.isdisjoint(inspect.get_annotations(getattr(python, name)).values())
]


# --- what the kernels are


def test_both_kernels_have_the_same_functions():
    found = {name for name in dir(native) if callable(getattr(native, name)) and not name.startswith("_")}
    assert found - ONLY_IN_TEST_BUILDS == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_summary_are_those_in_python(name):
    found, expected = getattr(native, name), getattr(python, name)
    parameters = [
        [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
        for function in (found, expected)
    ]
    assert parameters[0] == parameters[1]
    assert found.__doc__.splitlines()[0] == expected.__doc__.splitlines()[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_positional_only(name):
    parameters = inspect.signature(getattr(python, name)).parameters
    for module in (native, python):
        with pytest.raises(TypeError):
            getattr(module, name)(**dict.fromkeys(parameters))


# --- how the kernels are loaded


def test_there_is_no_function_before_the_module_is_executed():
    module = importlib.util.module_from_spec(importlib.util.find_spec("bleucli.kernels._native"))
    assert not any(hasattr(module, name) for name in FUNCTIONS)


INTERRUPTED = """
import importlib.machinery, importlib.util, sys
sys.path.insert(0, {root!r})
import bleucli.errors, bleucli.text, bleucli.kernels.stats, bleucli.kernels.python
del sys.modules[{name!r}]
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
loader = importlib.machinery.ExtensionFileLoader("bleucli.kernels._native", {path!r})
module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
try:
    loader.exec_module(module)
except KeyboardInterrupt:
    print("interrupted", hasattr(module, "tokenize_char"))
"""


@pytest.mark.parametrize("name", ["bleucli.text", "bleucli.kernels.stats", "bleucli.errors"])
def test_ctrl_c_while_the_module_is_loaded_is_ctrl_c(name, root):
    code = INTERRUPTED.format(root=root, name=name, path=native.__file__)
    environment = os.environ | {"BLEU_KERNELS": "python"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("interrupted False\n", "")


def test_kernels_that_were_built_from_other_sources_are_refused(monkeypatch):
    monkeypatch.setattr(sources, "checksum", lambda: "00000000")
    module, why = kernels._load_native()
    assert module is None
    assert "do not match the C sources" in why


def test_any_change_of_a_source_changes_the_checksum_but_not_its_line_ends(tmp_path):
    shutil.copytree(os.path.dirname(kernels.__file__), tmp_path, dirs_exist_ok=True)
    checksum = runpy.run_path(str(tmp_path / "sources.py"))["checksum"]
    file = tmp_path / "native" / "ter.c"
    text = file.read_bytes()
    assert checksum() == native._checksum
    file.write_bytes(text.replace(b"\n", b"\r\n"))
    assert checksum() == native._checksum
    file.write_bytes(text + b"\n")
    assert checksum() != native._checksum
    file.write_bytes(text)
    file.rename(file.with_name("ter_edits.c"))
    assert checksum() != native._checksum


INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
import sys
sys.path.insert(0, {root!r})
import bleucli.kernels as kernels
from bleucli.text import Segments
text = [Segments.from_strings(["the cat"])]
print(kernels.live, kernels.reason, list(kernels.ngram_stats(text[0], text, 2)), flush=True)
'''
for _ in range(2):  # with locks of their own from Python 3.12 on
    interpreter = interpreters.create()
    failure = interpreters.run_string(interpreter, code)
    assert failure is None, failure
    interpreters.destroy(interpreter)
"""


def test_subinterpreters_have_native_kernels_too(root):
    environment = os.environ | {"BLEU_KERNELS": "auto"}
    code = INTERPRETERS.format(root=root)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("native  [(2, 2, 2, 1, 2, 1)]\n" * 2, "")


# --- lines

lines = st.lists(st.one_of(texts, st.sampled_from(["\t", "\n", "\r\n", "\t\t", "a\tb", " \n", "\x85"])), max_size=12)
invalid_utf8 = st.sampled_from(
    [
        *(b"\x80", b"\xbf", b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf"),
        *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xff"),
        *(b"\xc3", b"\xe2\x82", b"\xe2", b"\xf0\x9f", b"\xf0\x9f\x98", b"\xe2\x28\xa1", b"\xf0\x28\x8c\xbc", b"\xfe"),
    ]
)
broken_lines = st.lists(
    st.one_of(texts.map(str.encode), invalid_utf8, st.binary(max_size=4), st.sampled_from([b"\n", b"\t"])), max_size=8
).map(b"".join)


@given(data=st.binary() | lines.map(lambda pieces: "".join(pieces).encode()))
@examples(50)
@example(b"\n" * 70000)
def test_count_line_ends(data):
    assert_alike("count_line_ends", data)


@given(pieces=lines, columns=st.integers(0, 3))
@examples(150)
@example(["\n"], 1)
@example(["a\tb\nc"], 2)
@example([], 2)
def test_split_lines(pieces, columns):
    assert_alike("split_lines", "".join(pieces).encode(), columns)


@given(rows=st.lists(st.lists(texts.map(lambda text: text.translate({9: " ", 10: " "})), min_size=3, max_size=3)))
@examples(50)
def test_split_lines_of_regular_columns(rows):
    data = "".join("\t".join(row) + "\n" for row in rows).encode()
    found, expected = both("split_lines", data, 3)
    assert found == expected == [[row[column].rstrip() for row in rows] for column in range(3)]


@given(data=broken_lines, columns=st.integers(0, 2))
@examples(250)
def test_split_lines_of_bytes_that_may_not_be_utf8(data, columns):
    assert_alike("split_lines", data, columns)


def test_split_lines_of_every_two_byte_sequence_and_many_longer_ones():
    edges = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
    for head in range(0x100):
        for second in (*range(0x70, 0xD0), 0xFF):
            assert_alike("split_lines", bytes([0x61, head, second]))
    for head, tail in product(range(0xC0, 0x100), product(edges, repeat=3)):
        assert_alike("split_lines", bytes([head, *tail]))
    before = "東京".encode()  # of three bytes, too
    for character in product(range(0xE0, 0xF0), range(0x70, 0xD0), edges):
        assert_alike("split_lines", before + bytes(character))


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_chinese_of_more_bytes_than_are_read_at_once(shift):
    text = "a" * shift + "東" * 30_000 + "\u3000。b" + "京" * 30_000
    assert_alike("split_lines", text.encode())
    assert_alike("split_lines", text.encode()[:-1])
    assert_alike("tokenize_zh", Segments.from_strings([text, text[1:]]))


@given(text=texts, cut=st.integers(1, 4))
@examples(100)
def test_split_lines_of_cut_text(text, cut):
    assert_alike("split_lines", f"a\n{text}😀".encode()[:-cut])


def test_split_lines_shares_the_data_between_columns():
    data = b"a\tb\nc\td\n"
    for module in (native, python):
        assert all(column.data is data for column in module.split_lines(data, 2))


@pytest.mark.parametrize("data", [b"a\tb\nc\n", b"a\n", b"a\tb\tc\n", b"\n", b"a\tb\n\n", b"a\tb\n\t\t"])
def test_split_lines_names_the_line_with_another_number_of_fields(data):
    found, expected = both("split_lines", data, 2)
    assert found == expected
    assert found[0] == "FieldCountError"


@pytest.mark.parametrize("space", SPACES)
def test_trailing_white_space_is_that_of_python(space):
    data = f"a{space}b{space}{space}\n".encode()
    assert_alike("split_lines", data)
    assert_alike("strip_trailing", Segments.from_strings([f"{space}a{space}{space}", space, ""]))


@pytest.mark.parametrize("end", [0x10000, pytest.param(0x110000, marks=pytest.mark.slow)], ids=hex)
def test_trailing_white_space_of_every_code_point_is_that_of_python(end):
    characters = [f"a{chr(code)}" for code in range(end) if not 0xD800 <= code < 0xE000]
    found = native.strip_trailing(Segments.from_strings(characters))
    stripped = [index for index, text in enumerate(found) if text == "a"]
    assert stripped == [index for index, text in enumerate(characters) if text.rstrip() == "a"]


# --- one stream


@pytest.mark.parametrize("name", OF_ONE_STREAM)
@given(segments=columns_of_texts)
@examples(120)
@example(Segments(b"", b""))
@example(Segments.from_strings([None, "", None]))
def test_functions_of_one_stream(name, segments):
    assert_alike(name, segments)


@pytest.mark.parametrize("name", OF_ONE_STREAM)
@given(segments=columns_of_texts, start=st.integers(0, 6), stop=st.integers(0, 6))
@examples(60)
def test_functions_of_slices(name, segments, start, stop):
    found, expected = both(name, segments[start:stop])
    assert found == expected == answer(getattr(python, name), Segments.from_strings(list(segments)[start:stop]))


@pytest.mark.parametrize("name", OF_ONE_STREAM)
def test_functions_of_texts_that_overlap_leave_gaps_and_go_backwards(name):
    data = "the cat 中文. 5-5 \n".encode()
    assert_alike(
        name, Segments(data, bounds(4, 7, 0, 7, -1, -1, 8, 14, 3, 3, 0, 0, len(data), len(data), 0, len(data)))
    )


@pytest.mark.parametrize("name", OF_ONE_STREAM)
def test_functions_of_every_two_fragments(name):
    assert_alike(name, Segments.from_strings([left + right for left, right in product(FRAGMENTS, repeat=2)]))


@pytest.mark.parametrize("name", OF_ONE_STREAM)
def test_functions_of_one_long_text(name):
    dice = random.Random(1)
    assert_alike(name, Segments.from_strings(["".join(dice.choices(FRAGMENTS, k=50_000)), None, ""]))


@pytest.fixture(scope="module")
def classes():
    """Return the general categories as `tokenize_intl` takes them."""
    numbers = {"N": 1, "P": 2, "S": 3}
    return bytes(numbers.get(unicodedata.category(chr(code))[0], 0) for code in range(0x110000))


@given(segments=columns_of_texts)
@examples(100)
def test_tokenize_intl(classes, segments):
    assert_alike("tokenize_intl", segments, classes)


@given(segments=columns_of_texts, known=st.text())
@examples(100)
def test_unclassified_characters(segments, known):
    classes = bytearray(0x110000)
    for character in known:
        classes[ord(character)] = 1
    assert_alike("unclassified_characters", segments, classes)


@pytest.mark.parametrize("module", [native, pytest.param(python, marks=pytest.mark.slow)], ids=["native", "python"])
def test_all_characters_are_unclassified_until_they_have_a_class(module):
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    texts, classes = Segments.from_strings([every[::-1], None, "aa"]), bytearray(0x110000)
    assert module.unclassified_characters(texts, classes) == every
    for code in range(0, 0x110000, 2):
        classes[code] = 1 + code % 255
    assert module.unclassified_characters(texts, classes) == "".join(c for c in every if ord(c) % 2)


def test_tokenize_intl_of_every_two_fragments(classes):
    assert_alike("tokenize_intl", Segments.from_strings(list(map("".join, product(FRAGMENTS, repeat=2)))), classes)


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize("name", ["tokenize_intl", "unclassified_characters"])
@pytest.mark.parametrize("count", [0, 0x10FFFF, 0x110001])
def test_another_number_of_classes_is_refused(module, name, count):
    with pytest.raises(ValueError, match="classes"):
        getattr(module, name)(Segments.from_strings(["a"]), bytes(count))


@given(segments=columns_of_texts, ending=st.one_of(texts, st.sampled_from([" .", ".", "", "\n"])).map(str.encode))
@examples(100)
@example(Segments.from_strings(["a .", "."]), b" .")
@example(Segments.from_strings(["é", "\xa9"]), b"\xa9")
def test_count_ending(segments, ending):
    assert_alike("count_ending", segments, ending)


# --- references


@given(
    drawn=st.integers(0, 5).flatmap(
        lambda n: st.lists(st.lists(st.none() | st.just("a"), min_size=n, max_size=n), min_size=1, max_size=4)
    )
)
@examples(100)
def test_reference_counts(drawn):
    assert_alike("reference_counts", [Segments.from_strings(stream) for stream in drawn])
    assert_alike("reference_counts", tuple(Segments.from_strings(stream) for stream in drawn))


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
def test_streams_of_different_lengths_are_refused(module):
    one, two = Segments.from_strings(["a"]), Segments.from_strings(["a", "b"])
    with pytest.raises(ValueError, match="different lengths"):
        module.reference_counts([one, two])
    for name, extra in LAST_ARGUMENTS.items():
        for arguments in ((one, [two]), (two, [two, one]), (two, [one, one])):
            with pytest.raises(ValueError, match="different lengths"):
                getattr(module, name)(*arguments, *extra)


# --- n-grams


@given(corpus=corpora(max_streams=4), order=st.integers(1, 9))
@examples(150)
def test_ngram_stats(corpus, order):
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    assert_alike("ngram_stats", Segments.from_strings(corpus.hypotheses), streams, order)


two_flags = st.tuples(st.booleans(), st.booleans())
few_letters = st.lists(st.sampled_from("aaab"), max_size=30).map(" ".join)


@given(
    hypotheses=st.lists(st.none() | few_letters, min_size=2, max_size=2),
    streams=st.lists(st.lists(st.none() | few_letters, min_size=2, max_size=2), max_size=5),
    order=st.integers(1, 12),
)
@examples(150)
def test_ngram_stats_of_repetitive_texts(hypotheses, streams, order):
    assert_alike(
        "ngram_stats", Segments.from_strings(hypotheses), [Segments.from_strings(stream) for stream in streams], order
    )


letters_or_words = st.lists(st.sampled_from("abcdéß東 "), max_size=30) | st.lists(st.sampled_from(["ab", "c", "def"]))


@given(pairs=st.lists(st.tuples(*[letters_or_words.map(" ".join)] * 2), min_size=2, max_size=9))
@examples(150)
def test_ngram_stats_of_single_letters_next_to_words(pairs):
    hypotheses, references = (Segments.from_strings(texts) for texts in zip(*pairs, strict=True))
    assert_alike("ngram_stats", hypotheses, [references], 4)
    assert_alike("ngram_stats", references, [hypotheses, references], 4)


@given(corpus=corpora(), start=st.integers(0, 4), stop=st.integers(0, 4))
@examples(60)
def test_ngram_stats_of_slices(corpus, start, stop):
    hypotheses = Segments.from_strings(corpus.hypotheses)
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    whole = list(native.ngram_stats(hypotheses, streams, 3))
    part = native.ngram_stats(hypotheses[start:stop], [stream[start:stop] for stream in streams], 3)
    assert list(part) == whole[start:stop]
    assert_alike("ngram_stats", hypotheses[start:stop], [stream[start:stop] for stream in streams], 3)


def sentence(dice, words, length):
    return " ".join(dice.choices(words, k=length))


@pytest.mark.parametrize("alphabet", [1, 2, 50, 20_000])
@pytest.mark.parametrize("order", [1, 4, 9])
@pytest.mark.parametrize("size", [3_000, pytest.param(12_000, marks=pytest.mark.slow)])
def test_ngram_stats_of_long_segments(alphabet, order, size):
    dice = random.Random(alphabet)
    words = [f"w{number}" for number in range(alphabet)]
    hypotheses = Segments.from_strings([sentence(dice, words, size), "w1 w2", None])
    streams = [[sentence(dice, words, length), "w2 w1", "w1"] for length in (size - 1000, size + 3000)]
    assert_alike("ngram_stats", hypotheses, [Segments.from_strings(stream) for stream in streams], order)


def test_ngram_stats_of_long_tokens_that_differ_at_one_place():
    tokens = ["x" * 5_000 + letter + "x" * 5_000 for letter in "abcdefgh"]
    hypotheses = Segments.from_strings([" ".join(tokens), " ".join(tokens[::-1])])
    assert_alike("ngram_stats", hypotheses, [Segments.from_strings([" ".join(tokens[1:])] * 2)], 4)


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0e", "\x1b", "\x1c", " ", "!", "\x7f", "é", "\x85", "\u2003", "東"]
)
def test_ngram_stats_of_characters_at_every_place_of_eight_bytes(character):
    for place in range(20):
        text = "abcdefghijklmnopqrstu"[:place] + character + "vwxyz" * (place % 4)
        texts = Segments.from_strings([text, f"{text} {text}", f"{text}{character}\t{text}"])
        assert_alike("ngram_stats", texts, [texts], 2)


def test_ngram_stats_of_many_references():
    dice = random.Random(2)
    words = list("abcdef")
    hypotheses = Segments.from_strings([sentence(dice, words, dice.randrange(30)) for _ in range(20)])
    streams = [
        Segments.from_strings([dice.choice([None, sentence(dice, words, dice.randrange(30))]) for _ in range(20)])
        for _ in range(200)
    ]
    assert_alike("ngram_stats", hypotheses, streams, 6)
    assert_alike("reference_counts", streams)


@pytest.mark.parametrize("order", [20, 100, 1000])
def test_ngram_stats_of_large_orders(order):
    dice = random.Random(order)
    hypotheses = Segments.from_strings([sentence(dice, "ab", 60), sentence(dice, "a", 150), "", "a"])
    streams = [Segments.from_strings([sentence(dice, "ab", 60), sentence(dice, "a", 120), "a", None])]
    assert_alike("ngram_stats", hypotheses, streams, order)


def test_ngram_stats_of_many_segments_do_not_leak_into_each_other():
    dice = random.Random(3)
    words = [f"{number}" for number in range(8)]
    hypotheses = Segments.from_strings([sentence(dice, words, dice.randrange(12)) for _ in range(3000)])
    streams = [
        Segments.from_strings([sentence(dice, words, dice.randrange(12)) for _ in range(3000)]) for _ in range(2)
    ]
    assert_alike("ngram_stats", hypotheses, streams, 4)


def test_ngram_stats_without_references_or_segments():
    nothing = Segments(b"", b"")
    assert_alike("ngram_stats", Segments.from_strings(["a b", None]), [], 2)
    assert_alike("ngram_stats", nothing, [nothing], 2)
    assert_alike("reference_counts", [nothing, nothing])


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize("order", [0, -1])
def test_ngram_stats_refuse_an_order_under_1(module, order):
    with pytest.raises(ValueError, match="max_order"):
        module.ngram_stats(Segments.from_strings(["a"]), [Segments.from_strings(["a"])], order)


# --- n-grams of groups


@given(texts=columns_of_texts, ends=st.lists(st.integers(0, 6), max_size=3), order=st.integers(1, 6))
@examples(150)
def test_group_stats(texts, ends, order):
    ends = sorted(min(end, len(texts)) for end in ends)
    groups = array("q", [end - start for start, end in zip([0, *ends], [*ends, len(texts)], strict=True)])
    assert_alike("group_stats", texts, groups, order)


@given(texts=st.lists(st.text("ab ", max_size=12), min_size=2, max_size=7), order=st.integers(1, 4))
@examples(150)
@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
def test_group_stats_are_those_against_all_others(module, texts, order):
    rows, distinct = module.group_stats(Segments.from_strings(texts), array("q", [len(texts)]), order)
    for index, text in enumerate(texts):
        others = [Segments.from_strings([other]) for other in texts[:index] + texts[index + 1 :]]
        assert rows[index : index + 1] == python.ngram_stats(Segments.from_strings([text]), others, order)
    for size in range(1, order + 1):
        found = {
            tuple(tokens[at : at + size]) for tokens in map(str.split, texts) for at in range(len(tokens) - size + 1)
        }
        assert distinct[0][size - 1] == len(found)


@pytest.mark.slow
def test_group_stats_of_many_long_texts():
    dice = random.Random(9)
    texts = Segments.from_strings([" ".join(dice.choices("abcdefghij", k=dice.randrange(300))) for _ in range(300)])
    assert_alike("group_stats", texts, array("q", [1, 99, 0, 200]), 5)
    assert_alike("group_stats", texts[:0], array("q"), 2)
    assert_alike("group_stats", texts[:3], array("q", [3]), 400)


@pytest.mark.parametrize("sizes", [[1], [3], [2, 1], [-1, 3], [2**62, 2**62]])
@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
def test_group_stats_refuse_groups_that_are_not_all_texts(module, sizes):
    with pytest.raises(ValueError, match="groups do not add up to the number of texts"):
        module.group_stats(Segments.from_strings(["a", "b"]), array("q", sizes), 2)
    with pytest.raises(ValueError, match="max_order 0; expected at least 1"):
        module.group_stats(Segments.from_strings(["a", "b"]), array("q", [2]), 0)


# --- what chrF counts

orders_of_chrf = st.tuples(st.integers(0, 8), st.integers(0, 4)).filter(any)
betas = st.integers(0, 5) | st.floats(-4, 4) | st.sampled_from([1e-200, 1e8, 10**30, 1e154, True])


@given(corpus=corpora(max_streams=4), orders=orders_of_chrf, beta=betas, flags=two_flags)
@examples(200)
def test_chrf_stats(corpus, orders, beta, flags):
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    assert_alike("chrf_stats", Segments.from_strings(corpus.hypotheses), streams, *orders, beta, *flags)


@given(
    hypotheses=st.lists(st.none() | texts, min_size=3, max_size=3),
    streams=st.lists(st.lists(st.none() | texts, min_size=3, max_size=3), max_size=4),
    orders=orders_of_chrf,
    flags=two_flags,
)
@examples(150)
def test_chrf_stats_of_arbitrary_and_missing_texts(hypotheses, streams, orders, flags):
    columns = [Segments.from_strings(stream) for stream in streams]
    assert_alike("chrf_stats", Segments.from_strings(hypotheses), columns, *orders, 2, *flags)


few_characters = st.text("aab .(", max_size=25)


@given(
    hypotheses=st.lists(few_characters, min_size=2, max_size=2),
    streams=st.lists(st.lists(st.none() | few_characters, min_size=2, max_size=2), max_size=6),
    orders=st.tuples(st.integers(0, 12), st.integers(1, 8)),
    beta=betas,
    flags=two_flags,
)
@examples(200)
def test_chrf_stats_of_repetitive_texts_whose_references_tie(hypotheses, streams, orders, beta, flags):
    columns = [Segments.from_strings(stream) for stream in streams]
    assert_alike("chrf_stats", Segments.from_strings(hypotheses), columns, *orders, beta, *flags)


@given(corpus=corpora(), start=st.integers(0, 4), stop=st.integers(0, 4))
@examples(60)
def test_chrf_and_ter_stats_of_slices(corpus, start, stop):
    hypotheses = Segments.from_strings(corpus.hypotheses)
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    for name in ("chrf_stats", "ter_stats", "ter_kinds"):
        whole = list(getattr(native, name)(hypotheses, streams, *LAST_ARGUMENTS[name]))
        parts = hypotheses[start:stop], [stream[start:stop] for stream in streams], *LAST_ARGUMENTS[name]
        assert list(getattr(native, name)(*parts)) == whole[start:stop]
        assert_alike(name, *parts)


@pytest.mark.parametrize("fragments", [FRAGMENTS[::4], pytest.param(FRAGMENTS, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("orders", [(6, 2), (0, 3)])
def test_chrf_stats_of_every_two_fragments(orders, fragments):
    hypotheses = Segments.from_strings([left + right for left, right in product(fragments, repeat=2)])
    streams = [Segments.from_strings([f"{right} {left}" for left, right in product(fragments, repeat=2)])]
    assert_alike("chrf_stats", hypotheses, streams, *orders, 2, True, False)


@pytest.mark.parametrize("alphabet", ["a", "ab", "abcdefgh ", "".join(map(chr, range(0x4E00, 0x9000)))])
@pytest.mark.parametrize("whitespace", [False, True])
def test_chrf_stats_of_long_segments(alphabet, whitespace):
    dice = random.Random(len(alphabet))
    hypotheses = Segments.from_strings(["".join(dice.choices(alphabet, k=9_000)), "ab", None])
    streams = [["".join(dice.choices(alphabet, k=length)), "ba", "a"] for length in (8_000, 11_000)]
    columns = [Segments.from_strings(stream) for stream in streams]
    assert_alike("chrf_stats", hypotheses, columns, 6, 2, 2, whitespace, False)


@pytest.mark.parametrize("different", [253, 254, 255, 256])
@pytest.mark.parametrize("order", [6, 7, 8])
def test_chrf_stats_where_characters_are_just_few_enough_to_be_sorted(different, order):
    dice = random.Random(different)
    alphabet = [chr(0x21 + code) for code in range(different)]
    start, end = "".join(alphabet), "".join(dice.choices(alphabet, k=300))
    streams = [Segments.from_strings([text]) for text in (start + end, end + start, "é" + end + "é", end[:5])]
    assert_alike("chrf_stats", Segments.from_strings([end + start]), streams, order, order, 2, True, False)


@pytest.mark.parametrize("size", [15_999, 16_000, 16_001])
def test_chrf_stats_where_texts_are_just_short_enough_to_be_sorted(size):
    dice = random.Random(size)
    hypothesis = "a" * size
    for reference in (hypothesis, "b" * size, "".join(dice.choices("ab", k=size))):
        columns = [Segments.from_strings([text]) for text in (hypothesis, reference)]
        assert_alike("chrf_stats", columns[0], [columns[1]], 6, 0, 2, False, False)


@pytest.mark.parametrize("repeats", [0, 1, 15, 16, 17, 40, 3_000])
@pytest.mark.parametrize("order", [1, 4, 7])
def test_ngram_stats_with_few_and_with_many_repetitions(repeats, order):
    dice = random.Random(repeats)
    words = [f"w{number}" for number in range(repeats % 240)] + ["the"] * repeats + ["a", "b"] * 2
    streams = [words, words[3:] + words[:3], dice.sample(words, len(words)), ["other", *words[::-1]] * 2]
    hypothesis, *references = (Segments.from_strings([" ".join(stream)]) for stream in streams)
    for reference in references:
        assert_alike("ngram_stats", hypothesis, [reference], order)
        assert_alike("ngram_stats", reference, [hypothesis], order)


# getrusage would include the peak of the process that started this one
GROWTH = """
from bleucli import kernels
from bleucli.text import Segments
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
segments = Segments.from_strings(["the quick brown fox jumps over the lazy dog " * 100_000])
before = peak()
kernels.chrf_stats(segments, [segments], 6, 0, 2, False, False)
print((peak() - before) / len(segments.data))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system has no /proc")
def test_chrf_stats_of_a_long_segment_take_little_memory_per_byte():
    answered = subprocess.run(
        [sys.executable, "-c", GROWTH], env=os.environ | {"BLEU_KERNELS": "native"}, capture_output=True, check=True
    )
    assert 8 < float(answered.stdout) < 50  # tables as large as the text took 82


@pytest.mark.parametrize("orders", [(100, 0), (1, 100), pytest.param((300, 300), marks=pytest.mark.slow)])
def test_chrf_stats_of_large_orders(orders):
    dice = random.Random(orders[0])
    hypotheses = Segments.from_strings([sentence(dice, "ab", 60), sentence(dice, "a", 120), "", "a", "ab" * 60])
    streams = [Segments.from_strings([sentence(dice, "ab", 60), sentence(dice, "a", 110), "a", None, "ba" * 60])]
    for flags in product((False, True), repeat=2):
        assert_alike("chrf_stats", hypotheses, streams, *orders, 2, *flags)


@pytest.mark.parametrize("alphabet", ["ab ", "the cat.(", "".join(FRAGMENTS)])
def test_chrf_and_ter_stats_of_many_segments_do_not_leak_into_each_other(alphabet):
    dice = random.Random(5)
    hypotheses, *streams = (
        Segments.from_strings(
            [dice.choice([None, "", *["".join(dice.choices(alphabet, k=dice.randrange(30)))] * 8]) for _ in range(500)]
        )
        for _ in range(3)
    )
    for name in ("chrf_stats", "ter_stats", "ter_kinds"):
        assert_alike(name, hypotheses, streams, *LAST_ARGUMENTS[name])


def test_chrf_and_ter_stats_of_many_references():
    dice = random.Random(6)
    hypotheses, *streams = (
        Segments.from_strings([dice.choice([None, sentence(dice, "abcd", dice.randrange(9))]) for _ in range(12)])
        for _ in range(120)
    )
    for name in ("chrf_stats", "ter_stats", "ter_kinds"):
        assert_alike(name, hypotheses, streams, *LAST_ARGUMENTS[name])


def test_chrf_and_ter_stats_without_references_or_segments():
    nothing = Segments(b"", b"")
    empty, references = Segments.from_strings([None, "", None]), [Segments.from_strings(["a", "", None])]
    for name in ("chrf_stats", "ter_stats", "ter_kinds"):
        assert_alike(name, Segments.from_strings(["a b", None, ""]), [], *LAST_ARGUMENTS[name])
        assert_alike(name, nothing, [nothing], *LAST_ARGUMENTS[name])
        assert_alike(name, nothing, [], *LAST_ARGUMENTS[name])
        assert_alike(name, empty, references, *LAST_ARGUMENTS[name])


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize("orders", [(0, 0), (-1, 2), (6, -1), (-1, -1)])
def test_chrf_stats_refuse_impossible_orders(module, orders):
    with pytest.raises(ValueError, match="orders"):
        module.chrf_stats(Segments.from_strings(["a"]), [Segments.from_strings(["a"])], *orders, 2, False, False)


@pytest.mark.parametrize("beta", [float("inf"), float("-inf"), float("nan"), 1e200, -(10**200), 10**400, "2", None, 1j])
def test_chrf_stats_refuse_a_beta_whose_square_is_not_finite(beta):
    segments = Segments.from_strings(["a"])
    raised = []
    for module in (native, python):
        with pytest.raises((ValueError, TypeError, OverflowError)) as caught:
            module.chrf_stats(segments, [segments], 6, 0, beta, False, False)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]


# --- scores of pairs


def score_pairs(name, hypotheses, references, sizes, weights, *options):
    """Return the scores of both kernels, as bytes: equal ones are equal to the last bit."""
    pairs = sum(n * m for n, m in zip(sizes[::2], sizes[1::2], strict=True))
    found = []
    for module in (native, python):
        room = array("d", [-1.0]) * (pairs if weights is None else len(hypotheses))
        scores = getattr(module, name)(hypotheses, references, array("q", sizes), weights, room, *options)
        assert scores is room
        found.append(scores)
    return found


def assert_pairs_alike(*arguments):
    found, expected = score_pairs(*arguments)
    assert found.tobytes() == expected.tobytes()


OPTIONS_OF_PAIRS = {
    "pairwise_bleu": st.tuples(
        st.integers(1, 6),
        st.sampled_from(["exp", "floor", "add-k", "none"]),
        st.sampled_from([0, 0.1, 1, 2.5]),
        st.booleans(),
    ),
    "pairwise_chrf": st.tuples(orders_of_chrf, betas, two_flags).map(lambda drawn: (*drawn[0], drawn[1], *drawn[2])),
}
shapes_of_groups = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=3)


@pytest.mark.parametrize("name", OPTIONS_OF_PAIRS)
@given(data=st.data())
@examples(300)
def test_scores_of_pairs(name, data):
    pool = data.draw(st.lists(st.none() | texts | st.text("ab. ", max_size=12), min_size=1, max_size=5))
    shapes, is_one = data.draw(shapes_of_groups), data.draw(st.booleans())
    sizes = [size for n, m in shapes for size in (n, n if is_one else m)]
    sides = [
        Segments.from_strings(data.draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count)))
        for count in (sum(sizes[::2]), sum(sizes[1::2]))
    ]
    left, right = [sides[0]] * 2 if is_one else sides
    weights = data.draw(st.none() | st.lists(st.floats(0, 1), min_size=len(right), max_size=len(right)))
    weights = None if weights is None else array("d", weights)
    assert_pairs_alike(name, left, right, sizes, weights, *data.draw(OPTIONS_OF_PAIRS[name]))


@pytest.mark.parametrize(
    ("name", "options"),
    [("pairwise_bleu", (4, "exp", 0, False)), ("pairwise_chrf", (6, 2, 2, False, False))],
)
@pytest.mark.parametrize(
    ("count", "others", "length"),
    [
        *((2100, 3, 3), pytest.param(2100, 1, 3, marks=pytest.mark.slow)),
        *(pytest.param(3, 2100, 3, marks=pytest.mark.slow), (15, 2, 3000)),
        pytest.param(2, 15, 3000, marks=pytest.mark.slow),
    ],
    ids=["many hypotheses", "against one", "many references", "long hypotheses", "long references"],
)
def test_scores_of_pairs_in_several_blocks(name, options, count, others, length):
    dice = random.Random(count)
    left, right = (
        Segments.from_strings([" ".join(dice.choices(FRAGMENTS, k=length)) for _ in range(texts)])
        for texts in (count, others)
    )
    weights = array("d", [dice.random() for _ in range(others)])
    assert_pairs_alike(name, left, right, [count, others], None, *options)
    assert_pairs_alike(name, left, right, [count, others], weights, *options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pairwise_bleu", (4, "exp", 0, False)),
        pytest.param("pairwise_chrf", (6, 1, 2, False, False), marks=pytest.mark.slow),
    ],
)
def test_scores_of_pairs_with_a_text_that_is_too_long_for_a_block(name, options):
    dice = random.Random(5)
    long = " ".join(dice.choices(["ab", "c", "d."], k=105_000))
    left = Segments.from_strings(["ab c d.", long, "c"])
    right = Segments.from_strings(["ab d.", long[:-5], "ab c"])
    assert_pairs_alike(name, left, right, [3, 3], array("d", [0.1, 0.2, 0.3]), *options)
    assert_pairs_alike(name, left, right, [1, 2, 2, 1], None, *options)


def test_scores_of_pairs_of_ngrams_that_are_repeated_more_often_than_small_integers_can_count():
    texts = Segments.from_strings(["a " * 70_000, "a " * 66_000 + "b", "b", "a " * 300 + "b " * 300])
    assert_pairs_alike("pairwise_chrf", texts, texts, [4, 4], None, 2, 1, 2, False, False)
    assert_pairs_alike("pairwise_bleu", texts, texts, [4, 4], None, 2, "exp", 0, False)


def test_scores_of_pairs_of_rare_and_frequent_ngrams():
    """Some are in all texts, some in two, some many times in one."""
    dice = random.Random(7)
    base = dice.choices("abcdefgh", k=30)
    lines = [
        " ".join(
            [
                *(token for token in base if dice.random() < 0.9),
                *map(str, dice.choices(range(100), k=4)),
                *["x"] * (40 * (n % 9 == 0)),
            ]
        )
        for n in range(50)
    ]
    texts = Segments.from_strings(lines)
    for others in (texts, Segments.from_strings(lines[::-1]), texts[:7]):
        assert_pairs_alike("pairwise_chrf", texts, others, [50, len(others)], None, 6, 2, 2, False, False)
        assert_pairs_alike("pairwise_bleu", texts, others, [50, len(others)], None, 4, "exp", 0, True)


def test_scores_of_pairs_of_large_orders():
    texts = Segments.from_strings(["ab cd " * 20, "ab cd ef " * 9, "b"])
    assert_pairs_alike("pairwise_chrf", texts, texts, [3, 3], None, 300, 300, 2, True, False)
    assert_pairs_alike("pairwise_bleu", texts, texts, [3, 3], None, 300, "exp", 0, True)


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize(
    ("sizes", "weights", "room", "why"),
    [
        ([2], None, 2, "sizes do not add up to the number of texts"),
        ([1, 1], None, 1, "sizes do not add up to the number of texts"),
        ([2, 1, -1, 0], None, 2, "sizes do not add up to the number of texts"),
        ([2**62, 1, 2**62, 0], None, 2, "sizes do not add up to the number of texts"),
        ([2, 1], [1.0, 1.0], 2, "weights are not one double per reference"),
        ([2, 1], None, 1, "scores have the wrong length; expected one per pair or, with weights, per hypothesis"),
        ([1, 1, 1, 0], None, 2, "scores have the wrong length; expected one per pair or, with weights, per hypothesis"),
        ([2, 1], [1.0], 1, "scores have the wrong length; expected one per pair or, with weights, per hypothesis"),
    ],
)
def test_kernels_for_pairs_refuse_numbers_that_do_not_fit(module, sizes, weights, room, why):
    two, one = Segments.from_strings(["a", "b"]), Segments.from_strings(["a"])
    weights = None if weights is None else array("d", weights)
    first = two, one, array("q", sizes), weights, array("d", bytes(8 * room))
    for call in (
        lambda: module.pairwise_chrf(*first, 6, 0, 2, False, False),
        lambda: module.pairwise_bleu(*first, 4, "exp", 0, False),
    ):
        with pytest.raises(ValueError, match=f"^{why}$"):
            call()


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
def test_kernels_for_pairs_refuse_impossible_options(module):
    one = Segments.from_strings(["a"])
    first = one, one, array("q", [1, 1]), None, array("d", [0])
    for options in ((0, "exp", 0, False), (4, "add-one", 0, False)):
        with pytest.raises(ValueError, match="expected"):
            module.pairwise_bleu(*first, *options)
    for options in ((0, 0, 2, False, False), (-1, 2, 2, False, False), (6, 0, float("inf"), False, False)):
        with pytest.raises(ValueError, match=r"expected|beta is not finite"):
            module.pairwise_chrf(*first, *options)


def test_native_kernels_for_pairs_need_writable_memory():
    one = Segments.from_strings(["a"])
    for room, error in (
        (bytes(8), BufferError),
        (memoryview(bytearray(9))[1:], ValueError),
        (bytearray(4), ValueError),
    ):
        with pytest.raises(error):
            native.pairwise_chrf(one, one, array("q", [1, 1]), None, room, 6, 0, 2, False, False)


# --- what TER counts

few_words = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.sampled_from("abcdef"[:size]), max_size=18).map(" ".join)
)


def assert_ter_alike(hypotheses, references):
    """Assert that both versions count the same edits, and the same kinds, which add up to them."""
    for name in ("ter_stats", "ter_kinds"):
        assert_alike(name, hypotheses, references)
    edits = [row[0] for row in native.ter_stats(hypotheses, references)]
    assert [sum(row[1:]) for row in native.ter_kinds(hypotheses, references)] == edits


@given(corpus=corpora(max_streams=4))
@examples(150)
def test_ter_stats(corpus):
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    assert_ter_alike(Segments.from_strings(corpus.hypotheses), streams)


@given(
    hypotheses=st.lists(st.none() | texts, min_size=3, max_size=3),
    streams=st.lists(st.lists(st.none() | texts, min_size=3, max_size=3), max_size=4),
)
@examples(100)
def test_ter_stats_of_arbitrary_and_missing_texts(hypotheses, streams):
    assert_ter_alike(Segments.from_strings(hypotheses), [Segments.from_strings(stream) for stream in streams])


@given(
    hypotheses=st.lists(st.none() | few_words, min_size=2, max_size=2),
    streams=st.lists(st.lists(st.none() | few_words, min_size=2, max_size=2), min_size=1, max_size=3),
)
@examples(150)
def test_ter_stats_of_few_different_words(hypotheses, streams):
    assert_ter_alike(Segments.from_strings(hypotheses), [Segments.from_strings(stream) for stream in streams])


@given(dice=st.randoms(use_true_random=False), length=st.integers(0, 30), moves=st.integers(0, 4))
@examples(100)
def test_ter_stats_of_moved_phrases(dice, length, moves):
    words = [f"w{number}" for number in range(length)]
    moved = list(words)
    for _ in range(moves if words else 0):
        start, size, target = dice.randrange(len(moved)), dice.randrange(1, 13), dice.randrange(len(moved))
        phrase = moved[start : start + size]
        del moved[start : start + size]
        moved[target:target] = phrase
    assert_ter_alike(Segments.from_strings([" ".join(moved)]), [Segments.from_strings([" ".join(words)])])


# Where the reference's bits fill whole machine words, or one more, or one less
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 127, 128, 129, 192, 193])
def test_ter_stats_at_the_edges_of_machine_words(length):
    dice = random.Random(length)
    words = [f"w{number}" for number in range(length)]
    changed = [word if dice.random() < 0.9 else "x" for word in words]
    cases = [
        (changed, words),
        (words[1:] + words[:1], words),
        (words, changed[: length // 2] + changed[length // 2 + 1 :]),
        (words, ["x", *words]),
        ([*words, "x"], words),
        (changed + list("abcdefghi"), words),
        (words, changed + list("abcdefghi")),
        (words[::-1][:9], words),
    ]
    hypotheses, references = ([" ".join(case[side]) for case in cases] for side in (0, 1))
    assert_ter_alike(Segments.from_strings(hypotheses), [Segments.from_strings(references)])


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("few_words", (6,)),
        ("beam", (4, 100)),
        ("unequal", range(0, 160, 8)),
        pytest.param("few_words", (18, 38), marks=pytest.mark.slow),
        pytest.param("noisy", (3,), marks=pytest.mark.slow),
        pytest.param("beam", range(52, 320, 48), marks=pytest.mark.slow),
        pytest.param("unequal", range(160), marks=pytest.mark.slow),
    ],
)
def test_ter_stats_of_pairs_that_take_the_search_to_its_limits(kind, numbers):
    """The other pairs are compared with the oracle's answers, in `test_oracle_ter`."""
    pairs = ter_pairs.pairs(kind)
    hypotheses, references = ([pairs[number][side] for number in numbers] for side in (0, 1))
    assert_ter_alike(Segments.from_strings(hypotheses), [Segments.from_strings(references)])


def test_ter_stats_of_words_that_differ_at_one_place():
    words = ["x" * 3_000 + letter + "x" * 3_000 for letter in "abcdefgh"]
    hypotheses = Segments.from_strings([" ".join(words), " ".join(words[::-1]), " ".join(words[4:] + words[:4])])
    assert_ter_alike(hypotheses, [Segments.from_strings([" ".join(words)] * 3)])


@pytest.mark.slow
def test_ter_stats_of_long_texts():
    """Beyond 4096 words, only the beam is used."""
    dice = random.Random(5)
    words = [f"w{dice.randrange(2000)}" for _ in range(4090)]
    cases = [([*words, *["x"] * more], [*words[7:], *words[:7], *["y"] * more]) for more in (5, 6, 7)]
    cases += [(words[:3], [*words, *words]), ([*words, *words], words[:3]), ([*words, "x", *words], [*words, *words])]
    hypotheses, references = ([" ".join(case[side]) for case in cases] for side in (0, 1))
    assert_ter_alike(Segments.from_strings(hypotheses), [Segments.from_strings(references)])


MEMORY = """
import sys
sys.path.insert(0, {root!r})
from bleucli.kernels import _native
from bleucli.text import Segments
line = Segments.from_strings([" ".join(f"w{{number}}" for number in range(320_000))])
edits = list(_native.ter_stats(line, [line]))
peak = next(row for row in open("/proc/self/status") if row.startswith("VmHWM:"))
print(edits, int(peak.split()[1]) < 512 * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no file with the peak of memory")
def test_ter_of_a_long_line_of_different_words_takes_little_memory(root):
    done = subprocess.run([sys.executable, "-c", MEMORY.format(root=root)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[(0.0, 320000.0)] True\n", "")


# --- what WER and CER count


@given(corpus=corpora(max_streams=4), characters=st.booleans())
@examples(200)
def test_edit_stats(corpus, characters):
    streams = [Segments.from_strings(stream) for stream in corpus.references]
    assert_alike("edit_stats", Segments.from_strings(corpus.hypotheses), streams, characters)


@given(
    hypotheses=st.lists(st.none() | texts, min_size=3, max_size=3),
    streams=st.lists(st.lists(st.none() | texts, min_size=3, max_size=3), max_size=4),
    characters=st.booleans(),
)
@examples(200)
def test_edit_stats_of_arbitrary_and_missing_texts(hypotheses, streams, characters):
    streams = [Segments.from_strings(stream) for stream in streams]
    assert_alike("edit_stats", Segments.from_strings(hypotheses), streams, characters)


letters = st.integers(2, 6).flatmap(lambda size: st.text("abcdéf"[:size], max_size=300))


@given(left=letters, right=letters, cut=st.integers(0, 200))
@examples(200)
@example("", "", 0)
@example("ab", "ab" * 64, 3)
def test_edit_stats_of_characters_are_the_distances_of_the_textbook(left, right, cut):
    right = left[:cut] + right + left[cut + 5 :]
    hypothesis, reference = (Segments.from_strings([text]) for text in (left, right))
    expected = [(ter_pairs.plain_distance(left, right), len(right))]
    for module in (native, python):
        assert list(module.edit_stats(hypothesis, [reference], True)) == expected


# The kernel compares bytes first: the characters of a pair begin, or end, with the same ones
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("é", "è"),
        ("é", "ĩ"),
        ("\u2013", "\u2014"),
        ("\u2013", "\u2053"),
        ("\u2013", "\u3013"),
        ("\u2013", "\U0001f013"),
        ("", "é"),
    ],
)
@pytest.mark.parametrize("size", [0, 1, 5, 6, 7, 8, 13, 14, 15, 16, 300])
def test_edit_stats_of_characters_that_share_bytes(left, right, size):
    for before, after in (("a" * size, ""), ("", "a" * size), ("a" * size, "b" * size), ("é" * size, "ü" * size)):
        for one, other in ((left, right), (right, left), (left, left), (left + right, right), (left, right + left)):
            texts = before + one + after, before + other + after
            hypothesis, reference = (Segments.from_strings([text]) for text in texts)
            expected = [(ter_pairs.plain_distance(one, other), len(texts[1]))]
            for module in (native, python):
                assert list(module.edit_stats(hypothesis, [reference], True)) == expected


# Where strips begin and end in either of the kernels
@pytest.mark.parametrize(
    "length", [1, *(64 * n + more for n in (1, 2, 3, 4, 5, 8, 12, 16) for more in (-1, 0, 1)), 2049]
)
@pytest.mark.parametrize("vocabulary", [2, 5000])
def test_edit_stats_at_the_edges_of_strips(length, vocabulary):
    dice = random.Random(length)
    words = [f"w{dice.randrange(vocabulary)}" for _ in range(length)]
    noisy = [word if dice.random() < 0.8 else "x" for word in words if dice.random() < 0.9]
    cases = [
        (noisy, words),
        (words, noisy),
        (words[::-1], words),
        (["x", *words], words),
        (words[1:], words),
        ([], words),
    ]
    hypotheses, references = (Segments.from_strings([" ".join(case[side]) for case in cases]) for side in (0, 1))
    for characters in (False, True) if length < 1000 else (False,):
        assert_alike("edit_stats", hypotheses, [references], characters)
    for (ours, theirs), row in zip(cases[:2], native.edit_stats(hypotheses, [references], False), strict=False):
        if length < 1000:
            assert row == (ter_pairs.plain_distance(ours, theirs), len(theirs))


@pytest.mark.parametrize("seed", range(20))
def test_edit_stats_of_long_texts_that_differ_little_or_much(seed):
    """Few edits are found near the diagonal; for more, the kernel searches more and more of the table."""
    dice = random.Random(seed)
    words = [str(dice.randrange(dice.choice((2, 50, 5000)))) for _ in range(dice.randrange(600, 4000))]
    other = [word if dice.random() < dice.choice((0.99, 0.7)) else "x" for word in words]
    for _ in range(dice.randrange(4)):
        start, size, target = dice.randrange(len(other)), dice.randrange(900), dice.randrange(len(other))
        phrase = other[start : start + size]
        del other[start : start + size]
        other[target:target] = phrase * dice.randrange(3)
    sides = [Segments.from_strings([" ".join(side)]) for side in (words, other)]
    assert_alike("edit_stats", sides[0], [sides[1]], False)
    assert_alike("edit_stats", sides[1], [sides[0]], False)


@pytest.mark.slow
def test_edit_stats_of_every_character():
    characters = "".join(chr(code) for code in range(1, 0x3000)) + "\U00010000\U0010ffff"
    for text in (characters, " ".join(characters)):
        pair = Segments.from_strings([text]), [Segments.from_strings([text[::3]]), Segments.from_strings([text[:4000]])]
        for flag in (False, True):
            assert_alike("edit_stats", *pair, flag)


EDITS = """
import sys
sys.path.insert(0, {root!r})
from bleucli.kernels import _native
from bleucli.text import Segments
words = [f"w{{number}}" for number in range(320_000)]
line, other = (Segments.from_strings([" ".join(text)]) for text in (words, ["x", *words[5:-9], "y"]))
print(list(_native.edit_stats(line, [line, other], False)), list(_native.edit_stats(line, [line], True)))
print(list(_native.edit_stats(line[:0], [other[:0]], True)), list(_native.edit_stats(other, [line], False)))
peak = next(row for row in open("/proc/self/status") if row.startswith("VmHWM:"))
print(int(peak.split()[1]) < 512 * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system has no file with the peak of memory")
def test_edit_stats_of_a_long_line_of_different_words_take_little_memory(root):
    done = subprocess.run([sys.executable, "-c", EDITS.format(root=root)], capture_output=True, text=True)
    size = len(" ".join(f"w{number}" for number in range(320_000)))
    assert done.stdout == f"[(0, 320000)] [(0, {size})]\n[] [(14, 320000)]\nTrue\n", done.stderr


# --- tokens that would collide


def unseeded_collisions(count):
    """Make words that fall into one slot of a table that is hashed with the golden ratio, as ours once was."""
    factor, dice, words = 0x9E3779B97F4A7C15, random.Random(1), set()
    letters = string.ascii_letters + string.digits
    inverse = pow(factor, -1, 2**20)
    while len(words) < count:
        start = "".join(dice.choices(letters, k=4))
        product = int.from_bytes(start.encode(), "little") * factor % 2**64
        wanted = ((product & 0xFFFFFFFF) - (product >> 32)) * inverse % 2**20
        pair = bytes((wanted & 0xFF, wanted >> 8 & 0xFF)).decode("latin-1")
        if all(letter in letters for letter in pair):
            words |= {
                start + pair + third + last for third in letters if ord(third) & 15 == wanted >> 16 for last in letters
            }
    return sorted(words)[:count]


@pytest.mark.slow
@pytest.mark.parametrize("name", LAST_ARGUMENTS)
def test_words_that_once_collided_take_no_longer_than_others(name):
    crafted = unseeded_collisions(40_000)
    dice = random.Random(2)
    usual = ["".join(dice.choices(string.ascii_letters, k=8)) for _ in crafted]
    least = []
    for words in (usual, crafted):
        line, times = Segments.from_strings([" ".join(words)]), []
        for _ in range(5):
            started = time.process_time()
            getattr(native, name)(line, [line], *LAST_ARGUMENTS[name])
            times.append(time.process_time() - started)
        least.append(min(times))
    assert least[1] < 2 * least[0] + 0.02


# --- several threads


def test_kernels_give_the_same_answers_in_several_threads_at_once():
    dice = random.Random(4)
    hypotheses = Segments.from_strings([sentence(dice, FRAGMENTS, 30) for _ in range(300)])
    streams = [Segments.from_strings([sentence(dice, FRAGMENTS, 30) for _ in range(300)])]

    def count(_):
        sides = [native.tokenize_13a(native.strip_trailing(side)) for side in (hypotheses, *streams)]
        functions = [(getattr(native, name), arguments) for name, arguments in LAST_ARGUMENTS.items()]
        return [list(function(sides[0], sides[1:], *arguments)) for function, arguments in functions]

    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(count, range(12))
    assert all(other == first for other in others)


# --- sums


def stats_of(kind, numbers, columns):
    return SegmentStats(memoryview(array(kind, numbers[: len(numbers) // columns * columns])), columns)


@given(numbers=st.lists(st.integers(-(2**55), 2**55), min_size=1, max_size=60), columns=st.integers(1, 12))
@examples(100)
def test_column_sums_of_integers(numbers, columns):
    assert_alike("column_sums", stats_of("q", numbers, columns))
    assert all(type(total) is int for total in native.column_sums(stats_of("q", numbers, columns)))


@given(numbers=st.lists(st.floats(allow_nan=False), min_size=1, max_size=60), columns=st.integers(1, 12))
@examples(100)
@example([0.1] * 30, 3)
@example([1e16, 1.0, 1.0, -1e16], 1)
def test_column_sums_of_doubles(numbers, columns):
    found, expected = both("column_sums", stats_of("d", numbers, columns))
    assert list(map(repr, found)) == list(map(repr, expected))


def test_column_sums_of_slices_and_of_nothing():
    stats = stats_of("q", list(range(40)), 4)
    assert_alike("column_sums", stats[2:7])
    assert_alike("column_sums", stats[5:5])
    assert_alike("column_sums", SegmentStats(memoryview(b"").cast("q"), 3))
    assert_alike("column_sums", native.ngram_stats(Segments(b"", b""), [Segments(b"", b"")], 4))
    assert native.column_sums(python.ngram_stats(Segments(b"", b""), [Segments(b"", b"")], 4)) == (0,) * 10


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
def test_column_sums_beyond_64_bits_are_refused_rather_than_wrong(module):
    largest, smallest = 2**63 - 1, -(2**63)
    assert module.column_sums(stats_of("q", [largest - 1, 1], 1)) == (largest,)
    assert module.column_sums(stats_of("q", [smallest + 1, -1], 1)) == (smallest,)
    for numbers in ([largest, 1], [smallest, -1], [largest, 1, -5]):
        with pytest.raises(OverflowError, match=r"^a sum of statistics does not fit into 64 bits$"):
            module.column_sums(stats_of("q", numbers, 1))


# --- scores


@st.composite
def rows_of_bleu(draw):
    """Draw rows of BLEU's statistics."""
    orders = draw(st.integers(1, 6))
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        totals = sorted(draw(st.lists(st.integers(0, 60), min_size=orders, max_size=orders)), reverse=True)
        matches = [draw(st.integers(0, total)) for total in totals]
        rows += [draw(st.integers(0, 60)), draw(st.integers(0, 60)), *matches, *totals]
    return SegmentStats(memoryview(array("q", rows)), 2 + 2 * orders)


@given(
    rows_of_bleu(), st.sampled_from(["exp", "floor", "none"]), st.sampled_from([0.0, 0.1, 1.5, 1e100]), st.booleans()
)
@examples(300)
def test_bleu_rows(rows, method, value, effective_order):
    scores = [module.bleu_rows(rows, method, value, effective_order) for module in (native, python)]
    assert scores[0].data.tobytes() == scores[1].data.tobytes()
    order = (rows.columns - 2) // 2
    bleu = BLEU(smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=effective_order)
    for (score, penalty, *precisions), row in zip(scores[0], rows, strict=True):
        expected = bleu.score_from_stats(row)
        assert (score, penalty, precisions) == (expected.score, expected.bp, expected.precisions)


rows_of_orders = st.integers(1, 9).flatmap(
    lambda orders: st.lists(st.integers(0, 50) | st.floats(0, 1e6), min_size=3 * orders, max_size=3 * orders)
)


@given(
    numbers=st.lists(st.integers(0, 50), min_size=36, max_size=36),
    columns=st.sampled_from([3, 6, 18]),
    beta=st.floats(1e-3, 1e6) | st.integers(1, 9),
    eps_smoothing=st.booleans(),
)
def test_chrf_rows_are_the_scores_of_each_row(numbers, columns, beta, eps_smoothing):
    rows = SegmentStats(memoryview(array("q", numbers)), columns)
    scores = [module.chrf_rows(rows, beta, eps_smoothing) for module in (native, python)]
    assert scores[0].data.tobytes() == scores[1].data.tobytes()
    assert [score for (score,) in scores[0]] == [native.f_score(row, beta, eps_smoothing) for row in rows]


@given(stats=rows_of_orders, beta=st.floats(1e-3, 1e6) | st.integers(1, 9), eps_smoothing=st.booleans())
@examples(200)
@example([0, 0, 0], 2, True)
@example([5, 0, 0, 0, 5, 0], 2, True)
@example([5, 0, 0, 0, 5, 0], 2, False)
@example([3, 4, 0], 0, True)
@example([3, 4, 2], 0, False)
def test_f_score(stats, beta, eps_smoothing):
    found, expected = both("f_score", stats, beta, eps_smoothing)
    assert repr(found) == repr(expected) == repr(native.f_score(numpy.array(stats), beta, eps_smoothing))


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize("eps_smoothing", [False, True])
def test_f_score_refuses_anything_but_statistics(module, eps_smoothing):
    for count in (0, 1, 2, 4, 17):
        with pytest.raises(ValueError, match=rf"^{count} statistics; expected three for each order$"):
            module.f_score([1] * count, 2, eps_smoothing)
    for beta in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="beta is not finite"):
            module.f_score([1, 1, 1], beta, eps_smoothing)
    for wrong in (["1", "1", "1"], None, 5):
        with pytest.raises(TypeError):
            module.f_score(wrong, 2, eps_smoothing)


any_number = (
    st.sampled_from([0, 1, -1, 0.0, -0.0, 5e-324, 1e-300, 1e300, 1.7e308, 2**53 + 1, 2**60, 10**400]) | st.floats()
)


@given(
    stats=st.lists(any_number, min_size=3, max_size=3) | st.lists(any_number, min_size=6, max_size=6),
    beta=st.sampled_from([0, 1e-200, 1, 2, 1e150]),
    eps_smoothing=st.booleans(),
)
@examples(400)
@example([-1, 4, 1], 2, False)
@example([float("inf"), 4, 1], 2, True)
@example([4, 4, float("nan")], 2, False)
@example([1e300, 1e300, 1e-300], 0, False)
@example([10**400, -1, 1], 2, False)
def test_f_score_of_numbers_that_are_not_counts(stats, beta, eps_smoothing):
    found, expected = (score_or_error(module, stats, beta, eps_smoothing) for module in (native, python))
    assert found == expected


def score_or_error(module, *arguments):
    try:
        return repr(module.f_score(*arguments))
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


# --- memory that others write to

BLANK, FULL = b" " * 20_000, b"a " * 10_000  # no token, and the largest number of them
HALVES = bounds(0, 10_000, 10_000, 20_000)
NARROW, WIDE = bounds(0, 1, 1, 2), bounds(0, 20_000, 0, 20_000)


def flipping(buffer, contents, stop):
    """Write one of the contents after the other into a buffer, again and again, until told to stop."""
    while not stop.is_set():
        for content in contents:
            buffer[:] = content


@pytest.mark.parametrize("read_only", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("name", TAKE_SEGMENTS)
def test_texts_that_another_thread_changes_meanwhile_do_no_harm(name, read_only):
    """A first look at the texts decides how much memory is allocated; what is read later must fit."""
    data, changing = bytearray(FULL), bytearray(WIDE)
    sides = [memoryview(side).toreadonly() if read_only else side for side in (data, changing)]
    sound, stop = Segments(FULL, HALVES), Event()
    with ThreadPoolExecutor(2) as threads:
        for job in ((data, (BLANK, FULL), stop), (changing, (NARROW, WIDE), stop)):
            threads.submit(flipping, *job)
        try:
            for _ in range(enough(20)):
                for arguments in calls(name, Segments(*sides), sound):
                    assert getattr(native, name)(*arguments) is not None
        finally:
            stop.set()


def test_lines_that_another_thread_changes_meanwhile_do_no_harm():
    data, stop = bytearray(FULL), Event()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(flipping, data, (FULL, b"\n" * len(FULL), b"\xff" * len(FULL)), stop)
        try:
            found = [answer(native.split_lines, data, 0) for _ in range(100)]
        finally:
            stop.set()
    assert all(isinstance(lines, list | tuple) for lines in found)


def test_writable_memory_is_counted_like_any_other():
    usual = Segments.from_strings(["the cat sat.", None, "", "on the mat"])
    for changed in (bytearray, lambda side: memoryview(bytearray(side)), lambda side: array("b", side)):
        segments = Segments(changed(usual.data), changed(usual.bounds))
        for name in TAKE_SEGMENTS:
            for found, expected in zip(calls(name, segments, usual), calls(name, usual, usual), strict=True):
                assert answer(getattr(native, name), *found) == answer(getattr(native, name), *expected)
        assert plain(native.split_lines(changed(b"a b \nc"))) == [["a b", "c"]]


@pytest.mark.parametrize(
    "view", [pytest.param(lambda side: side, marks=pytest.mark.slow), memoryview], ids=["array", "view of it"]
)
@pytest.mark.parametrize("name", LAST_ARGUMENTS)
def test_what_is_written_under_a_read_only_view_is_not_read(name, view):
    """The writing happens during counting, when the kernel asks whether to go on."""
    text, times = b"ab cd ef gh " * 25, 20_000 if name == "ngram_stats" else 5_000  # ngram_stats seldom asks
    owner = numpy.frombuffer(bytearray(text), numpy.uint8)
    read_only = owner.view()
    read_only.flags.writeable = False
    many = bounds(0, len(text)) * times
    segments, sound, others = (Segments(side, many) for side in (view(read_only), text, text[::-1]))
    written = []

    def write():
        owner[:] = ord(" ") if len(written) % 2 else ord("x")
        written.append(True)
        return False

    function, extra = getattr(native, name), LAST_ARGUMENTS[name]
    with ThreadPoolExecutor(1, initializer=stopping._is_stopped.set, initargs=(write,)) as threads:
        found = threads.submit(function, segments, [others], *extra).result()
    assert written
    assert list(found) == list(function(sound, [others], *extra))


@pytest.mark.parametrize("name", ["column_sums", "weighted_sums"])
def test_statistics_under_a_read_only_view_are_copied(name):
    owner = numpy.arange(3_000_000)
    view = owner.view()
    view.flags.writeable = False
    arguments = [
        SegmentStats(memoryview(view).cast("B").cast("q"), 3),
        *([bytes(1_000_000)] * (name == "weighted_sums")),
    ]
    assert peak_memory(getattr(native, name), *arguments) > view.nbytes


def peak_memory(function, *arguments):
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_only_memory_that_cannot_change_is_read_in_place():
    data = b"the cat " * 500_000
    for side in (data, memoryview(data), memoryview(memoryview(data)[1:])):
        assert peak_memory(native.drop_empty, Segments(side, bounds(0, 7))) < 100_000
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            for side in (mapped, bytearray(data), numpy.frombuffer(data, numpy.uint8), pyarrow_view(data)):
                assert peak_memory(native.drop_empty, Segments(side, bounds(0, 7))) > len(data)


def pyarrow_view(data):
    return memoryview(pytest.importorskip("pyarrow").py_buffer(data))


# --- what is not Segments

MALFORMED = {
    "end outside the data": bounds(0, 4),
    "start outside the data": bounds(4, 4),
    "end before the start": bounds(2, 1),
    "negative start": bounds(-2, 1),
    "half missing, start": bounds(-1, 1),
    "half missing, end": bounds(1, -1),
    "other negative numbers": bounds(-2, -2),
    "the largest integer": bounds(0, 2**63 - 1),
    "the smallest integer": bounds(-(2**63), 0),
    "an end without a start": bounds(0, 1, 0),
    "half an integer": bounds(0, 1) + b"\0\0\0\0",
    "not aligned": memoryview(b"\0" + bounds(0, 1))[1:],
    "the last one only": bounds(0, 1, 1, 2, 2, 9),
}


@pytest.mark.parametrize("name", TAKE_SEGMENTS)
def test_malformed_segments_are_refused(name):
    for how, wrong in MALFORMED.items():
        for arguments in calls(name, Segments(b"abc", wrong), Segments(b"abc", bounds(0, 1))):
            with pytest.raises(ValueError, match="bounds"):
                pytest.fail(f"{how}: {getattr(native, name)(*arguments)}")


@pytest.mark.parametrize("name", [*TAKE_SEGMENTS, "column_sums"])
def test_other_objects_are_refused(name):
    for wrong in (None, 1, "abc", b"abc", Segments("abc", bounds(0, 1)), Segments(b"abc", None)):
        for arguments in calls(name, wrong, Segments(b"abc", bounds(0, 1))):
            with pytest.raises((TypeError, AttributeError)):
                pytest.fail(f"{wrong!r}: {getattr(native, name)(*arguments)}")


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize(
    "wrong",
    [
        SegmentStats(memoryview(bytes(24)).cast("q"), 2),
        SegmentStats(memoryview(bytes(24)).cast("d"), 2),
        SegmentStats(memoryview(bytes(24)).cast("q"), 0),
        SegmentStats(memoryview(bytes(24)).cast("q"), -1),
        *(SegmentStats(memoryview(bytes(24)).cast(kind), 1) for kind in "bBhHiIfQlLnNP?c"),
    ],
    ids=["a row and a half", "and of doubles", "no columns", "negative columns", *"bBhHiIfQlLnNP?c"],
)
def test_malformed_stats_are_refused(module, wrong):
    with pytest.raises(ValueError, match=r"^the data of SegmentStats are not rows of 64-bit numbers$"):
        module.column_sums(wrong)


def test_stats_that_are_not_aligned_are_refused():
    with pytest.raises(ValueError, match="rows of 64-bit numbers"):
        native.column_sums(SegmentStats(memoryview(bytes(25))[1:].cast("q"), 1))


@given(data=st.binary(max_size=40), cuts=st.lists(st.integers(0, 40), min_size=2, max_size=8), order=st.integers(1, 5))
@examples(200)
def test_bytes_that_are_not_utf8_do_no_harm(data, cuts, order):
    ends = [min(cut, len(data)) for cut in cuts]
    segments = Segments(data, bounds(*(n for pair in pairwise(ends) for n in sorted(pair))))
    for name in OF_ONE_STREAM:
        found = getattr(native, name)(segments)
        assert len(found) == len(segments)
        pairs = list(zip(found.pairs[::2], found.pairs[1::2], strict=True))
        assert all(0 <= start <= end <= len(found.data) or (start, end) == (-1, -1) for start, end in pairs)
    rows = list(native.ngram_stats(segments, [segments], order))
    assert all(row[2 : 2 + order] == row[2 + order :] for row in rows)
    for flags in product((False, True), repeat=2):
        rows = list(native.chrf_stats(segments, [segments], order, order, 2, *flags))
        assert all(row[::3] == row[1::3] == row[2::3] for row in rows)
    assert all(edits == 0 for edits, _ in native.ter_stats(segments, [segments]))
    others = Segments(data, bounds(*(0, len(data)) * len(segments)))
    rows = list(native.chrf_stats(segments, [others], order, order, 2, True, False))
    assert all(match <= min(ours, theirs) for row in rows for ours, theirs, match in zip(*[iter(row)] * 3, strict=True))
    assert all(0 <= edits <= len(data) for edits, _ in native.ter_stats(segments, [others]))
    native.count_ending(segments, data[-2:])


# --- which kernels are live


def test_the_environment_chooses_the_live_kernels():
    modules = {"native": native, "python": python}
    assert kernels._choose("auto") == ("native", "")
    for name in modules:
        assert kernels._choose(name) == (name, "")
    assert kernels._choose("reference") == ("python", "")
    assert kernels.ngram_stats is modules[kernels.live].ngram_stats
