"""Columns of pyarrow and pandas, and NumPy arrays: scored like lists; nulls are missing texts; bytes are not copied."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, texts

from bleucli.errors import BleuError, InputTypeError
from bleucli.metrics.bleu import BLEU
from bleucli.text import Segments, blocks_of_strings

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no columns to take")
pd = pytest.importorskip("pandas", reason="pandas is not installed; there are no columns to take")
np = pytest.importorskip("numpy", reason="numpy is not installed; there are no arrays to take")

TEXTS = ["the cat", "où 東京 😀", None, "", "a line\nwithin ", None, "x" * 100]
PRESENT = [text for text in TEXTS if text is not None]
SYSTEM = ["the cat sat on a mat", "hello there world", "so it goes, he said"]
REFERENCES = [["the cat sat on the mat", "hello world", "so it goes"], ["a cat sat on a mat", None, "so it went"]]
BLOCK = 4096  # texts in a block

SHARING_TYPES = [pa.string(), pa.large_string()]
ARROW_TYPES = [
    *SHARING_TYPES,
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int64(), pa.large_string()),
]
PANDAS_TYPES = ["object", "str", "string[python]", "string[pyarrow]", "category", *map(pd.ArrowDtype, SHARING_TYPES)]

arrow_types = pytest.mark.parametrize("kind", ARROW_TYPES, ids=str)
pandas_types = pytest.mark.parametrize("kind", PANDAS_TYPES, ids=str)


def strings(column):
    return [text for block in blocks_of_strings(column, "hypothesis") for text in block]


def error_of(column, error=InputTypeError):
    with pytest.raises(error) as caught:
        strings(column)
    return str(caught.value)


def invalid_array(data, offsets):
    buffers = [None, pa.py_buffer(np.array(offsets, dtype=np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)


# --- pyarrow


@arrow_types
def test_an_arrow_array_holds_the_texts_that_it_was_made_from(kind):
    assert strings(pa.array(TEXTS, kind)) == TEXTS
    assert strings(pa.array(PRESENT, kind)) == PRESENT
    assert strings(pa.array(["", "", None], kind)) == ["", "", None]
    assert strings(pa.array([], kind)) == []


@arrow_types
def test_slices_and_chunks_of_arrow_arrays_hold_their_own_texts(kind):
    array = pa.array(TEXTS, kind)
    for start in range(len(TEXTS) + 1):
        for end in range(start, len(TEXTS) + 1):
            assert strings(array.slice(start, end - start)) == TEXTS[start:end]
    chunked = pa.chunked_array([array, array.slice(3), array.slice(0, 0), array.slice(2, 3).slice(1, 2)])
    assert strings(chunked) == TEXTS + TEXTS[3:] + TEXTS[3:5]
    assert strings(chunked.slice(5, 4)) == (TEXTS + TEXTS[3:])[5:9]
    assert strings(pa.chunked_array([], kind)) == []


@arrow_types
@examples(30)
@given(column=st.lists(st.none() | texts, max_size=30), start=st.integers(0, 30), count=st.integers(0, 30))
def test_any_slice_of_any_arrow_array_holds_its_texts(kind, column, start, count):
    assert strings(pa.array(column, kind)[start : start + count]) == column[start : start + count]


@arrow_types
def test_long_arrow_arrays_are_cut_into_blocks(kind):
    column = [None if number % 3 == 1 else f"{number} é" for number in range(2 * BLOCK + 5)]
    blocks = list(blocks_of_strings(pa.array(column, kind)[2:], "hypothesis"))
    assert [len(block) for block in blocks] == [BLOCK, BLOCK, 3]
    assert [text for block in blocks for text in block] == column[2:]


def test_an_arrow_array_of_nulls_holds_missing_texts():
    assert strings(pa.nulls(3)) == [None] * 3
    assert strings(pa.nulls(3, pa.string())) == [None] * 3


@pytest.mark.parametrize("kind", SHARING_TYPES, ids=str)
@pytest.mark.parametrize("start", [0, 3])
def test_the_bytes_of_an_arrow_array_are_shared(kind, start):
    array = pa.array(TEXTS * 2000, kind).slice(start)
    buffer = array.buffers()[2]
    at = buffer.address + sum(len((text or "").encode()) for text in TEXTS[:start])
    for block in blocks_of_strings(array, "hypothesis"):
        assert pa.py_buffer(block.data).address == at
        at += len(block.data)
    assert at == buffer.address + buffer.size
    assert array.to_pylist()[: len(TEXTS)] == (TEXTS * 2)[start : start + len(TEXTS)]


@pytest.mark.parametrize("kind", ["str", "string[pyarrow]", *map(pd.ArrowDtype, SHARING_TYPES)], ids=str)
def test_the_bytes_of_an_arrow_column_in_pandas_are_shared(kind):
    series = pd.Series(TEXTS, dtype=kind)
    array = pa.chunked_array(series.array.__arrow_array__()).chunk(0)
    (block,) = blocks_of_strings(series, "hypothesis")
    assert pa.py_buffer(block.data).address == array.buffers()[2].address


def test_shared_bytes_outlive_the_array_that_they_are_from():
    blocks = list(blocks_of_strings(pa.array(["x" * 100, "y"] * 1000), "hypothesis"))
    pa.array(["z" * 100] * 1000)
    assert [text for block in blocks for text in block] == ["x" * 100, "y"] * 1000


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1, 2]), "int"),
        (pa.array([b"a"]), "bytes"),
        (pa.array([["a"]]), "list"),
        (pa.array([None, 1.5]), "float"),
    ],
)
def test_an_arrow_array_of_something_else_is_refused(array, kind):
    place = f"hypothesis {len(array) - 1 if array.null_count else 0} (counting from 0)"
    assert error_of(array) == f"{place} is of type {kind}, not a string; give one string per segment"


@pytest.mark.parametrize(("data", "offsets"), [(b"a\xff", [0, 1, 2]), (b"abcd", [0, 3, 2, 4])])
def test_an_arrow_array_that_is_not_valid_is_refused(data, offsets):
    error = error_of(invalid_array(data, offsets), BleuError)
    assert error.startswith("hypothesis 0 (counting from 0) or a later one is not valid Arrow text (")
    assert error.endswith("); encode the column as UTF-8")


# --- pandas


@pandas_types
def test_a_series_holds_the_texts_that_it_was_made_from(kind):
    series = pd.Series(TEXTS, dtype=kind)
    assert strings(series) == TEXTS
    assert strings(series[::-1]) == TEXTS[::-1]
    assert strings(series.iloc[2:6]) == TEXTS[2:6]
    assert strings(pd.Index(series)) == TEXTS
    assert strings(series.dropna()) == PRESENT
    assert strings(pd.concat([series, series])) == TEXTS * 2
    assert strings(series[:0]) == []


@pandas_types
@examples(30)
@given(column=st.lists(st.none() | texts, max_size=20))
def test_any_series_holds_its_texts(kind, column):
    assert strings(pd.Series(column, dtype=kind)) == column


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT], ids=repr)
def test_what_pandas_treats_as_missing_is_missing(missing):
    column = ["a", missing] * BLOCK
    assert strings(pd.Series(column, dtype=object)) == ["a", None] * BLOCK


def test_the_labels_of_a_series_do_not_matter():
    assert strings(pd.Series(["a", "b", "c"], index=[2, 0, 1])) == ["a", "b", "c"]
    assert strings(pd.Series(["a", None, "c"], index=[2.5, 0.5, 1.5], dtype=object)) == ["a", None, "c"]


def test_a_series_of_something_else_is_refused():
    assert (
        error_of(pd.Series(["a", 1]))
        == "hypothesis 1 (counting from 0) is of type int, not a string; give one string per segment"
    )
    assert (
        error_of(pd.Series([1.5]))
        == "hypothesis 0 (counting from 0) is of type float, not a string; give one string per segment"
    )


def test_a_frame_is_refused_instead_of_scoring_its_column_names():
    frame = pd.DataFrame({"hypothesis": SYSTEM})
    assert error_of(frame) == "hypothesis: a DataFrame where one column belongs; write frame[name]"


# --- NumPy


def test_numpy_arrays_hold_their_texts():
    assert strings(np.array(PRESENT)) == PRESENT
    assert strings(np.array(TEXTS, dtype=object)) == TEXTS
    assert strings(np.array([])) == []


def test_numpy_arrays_of_something_else_are_refused():
    assert (
        error_of(np.array([1.5]))
        == "hypothesis 0 (counting from 0) is of type float64, not a string; give one string per segment"
    )
    assert (
        error_of(np.array([["a"]]))
        == "hypothesis 0 (counting from 0) is of type ndarray, not a string; give one string per segment"
    )
    assert error_of(np.array("a")) == "hypothesis: of type ndarray; expected a list of strings"
    nan = np.array(["a", float("nan")], dtype=object)
    assert error_of(nan) == "hypothesis 1 (counting from 0) is of type float, not a string; give one string per segment"


# --- scores

MAKERS = {
    **{f"Arrow {kind}": lambda column, kind=kind: pa.array(column, kind) for kind in ARROW_TYPES},
    **{f"pandas {kind}": lambda column, kind=kind: pd.Series(column, dtype=kind) for kind in PANDAS_TYPES},
    "chunks": lambda column: pa.chunked_array([column[:1], column[1:]], pa.string()),
    "index": pd.Index,
    "objects": lambda column: np.array(column, dtype=object),
    "generator": lambda column: (text for text in column),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"tokenize": "zh"}, {"tokenize": "char"}], ids=str)
def test_columns_are_scored_like_lists(make, options):
    expected = BLEU(**options).corpus_score(SYSTEM, REFERENCES)
    metric = BLEU(**options)
    assert str(metric.corpus_score(make(SYSTEM), list(map(make, REFERENCES)))) == str(expected)
    assert metric.get_signature().info["nrefs"] == "var"
    assert str(metric.corpus_score(make(SYSTEM), REFERENCES)) == str(expected)
    once = BLEU(references=list(map(make, REFERENCES)), **options)
    assert str(once.corpus_score(make(SYSTEM), None)) == str(expected)


def test_columns_of_a_table_are_reference_streams():
    expected = BLEU().corpus_score(SYSTEM, REFERENCES).score
    table = pa.table(dict(zip("ab", REFERENCES, strict=True)))
    frame = table.to_pandas()
    assert BLEU().corpus_score(SYSTEM, table.columns).score == expected
    assert BLEU().corpus_score(SYSTEM, [frame[name] for name in frame]).score == expected


def test_a_segment_without_references_in_a_column_is_named():
    with pytest.raises(BleuError, match=r"all references of segment 1 .counting from 0. are missing"):
        BLEU().corpus_score(pa.array(SYSTEM), [pa.array(REFERENCES[1])])


@pytest.mark.parametrize("make", [pa.array, pd.Series, np.array], ids=["pyarrow", "pandas", "numpy"])
def test_a_single_stream_in_place_of_several_is_refused(make):
    with pytest.raises(InputTypeError, match="list of strings"):
        BLEU().corpus_score(SYSTEM, make(REFERENCES[0]))


def test_bare_strings_are_still_refused():
    for text in ("a", np.str_("a"), b"a"):
        with pytest.raises(InputTypeError, match="bare string"):
            BLEU().corpus_score(text, [["a"]])
        with pytest.raises(InputTypeError, match=r"list of streams|bare string"):
            BLEU().corpus_score(["a"], text)
    for text in ("a", np.str_("a"), b"a"):
        with pytest.raises(InputTypeError, match="list of strings"):
            BLEU().sentence_score("a", text)


@pytest.mark.parametrize("text", ["a", "ab", b"ab"])
def test_a_bare_string_has_no_segments_to_compare_with_references(text):
    with pytest.raises(InputTypeError, match="hypothesis: a bare string where a list of strings belongs"):
        BLEU().corpus_score(text, [["a", "b", "c"]] * len(text))


# --- missing texts among strings, without any library


def test_missing_texts_are_marked_wherever_they_are():
    for column in ([None], [None, None], ["a", None], [None, "é"], ["", None, ""], []):
        assert list(Segments.from_strings(column)) == column


def test_texts_are_taken_by_whole_numbers_of_any_size():
    segments = Segments.from_strings(list(map(str, range(300))))
    assert list(segments.take(np.array([200, 255, 100], np.uint8))) == ["200", "255", "100"]


def test_what_is_not_text_is_named_by_its_number():
    for column, kind in ((["a", None, 5], "int"), ([None, b"a"], "bytes"), ([pd.NA], "NAType")):
        with pytest.raises(InputTypeError) as caught:
            Segments.from_strings(column, "reference", 7)
        number = 6 + len(column)
        assert (
            str(caught.value)
            == f"reference {number} (counting from 0) is of type {kind}, not a string; give one string per segment"
        )


def test_a_lone_surrogate_is_named_by_its_place():
    with pytest.raises(BleuError) as caught:
        Segments.from_strings(["a", None, "ab\udc80"], "reference", 7)
    assert str(caught.value) == (
        "reference 9 holds a lone surrogate (U+DC80, character 2, both counting from 0), which is not"
        " text; decode the input without errors='surrogateescape'"
    )


def test_lists_are_scored_without_importing_any_library(root):
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from bleucli.metrics.bleu import BLEU;"
        "BLEU(force=True).corpus_score(['a b c d', 'e'], [['a b c d', 'e']]);"
        "print({'pyarrow', 'pandas', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "set()\n"


def test_segments_of_a_column_do_not_depend_on_its_labels():
    pandas = pytest.importorskip("pandas")
    assert list(Segments.from_strings(pandas.Series(["a"], index=[5]))) == ["a"]
    assert list(Segments.from_strings(pandas.Series(["a", None], index=[5, 6], dtype=object))) == ["a", None]
