"""The Python API refuses arguments that make no sense, in one line that says what to give instead."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

import bleucli
from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, InputTypeError, PairedTest, Segments, Signature
from bleucli.errors import LengthError, UsageError
from bleucli.significance.resampling import Sample, bootstrap, randomization_p_values

A, AB = Segments.from_strings(["a"]), Segments.from_strings(["a", "b"])
MISSING = Segments.from_strings([None])
each_metric = pytest.mark.parametrize("metric", [BLEU, CHRF, TER, WER, CER])


@each_metric
@pytest.mark.parametrize("columns", [(A, [["a"]]), (A, A), (A, None), (A, 5)])
def test_segment_stats_takes_hypotheses_and_references_as_segments(metric, columns):
    with pytest.raises(InputTypeError, match=r"takes bleucli.Segments.*write Segments.from_strings\(texts\)"):
        metric().segment_stats(*columns)


@each_metric
def test_segment_stats_takes_lists_of_strings(metric):
    hypotheses, references = ["a b", "b"], [["a b", "a"], ["b", "c d"]]
    rows = metric().segment_stats(hypotheses, references)
    assert rows == metric().segment_stats(
        *map(Segments.from_strings, [hypotheses]), list(map(Segments.from_strings, references))
    )
    sums = [sum(column) for column in zip(*rows, strict=True)]
    assert metric().score_from_stats(sums).score == metric().corpus_score(hypotheses, references).score
    assert metric(references=references).segment_stats(hypotheses, None) == rows


@each_metric
@pytest.mark.parametrize("columns", [("a", "a"), (["a"], ["a"]), (["a"], None), (None, [["a"]]), ([1], [["a"]])])
def test_segment_stats_refuses_anything_but_lists_of_strings(metric, columns):
    with pytest.raises(InputTypeError):
        metric().segment_stats(*columns)


@each_metric
def test_segment_stats_refuses_empty_input(metric):
    with pytest.raises(BleuError, match="no hypotheses were given"):
        metric().segment_stats([], [[]])


@each_metric
def test_segment_stats_takes_columns_of_one_length_with_references(metric):
    for hypotheses, references, message in (
        (A, [AB], "hypotheses has 1 segment but references has 2 segments"),
        (AB, [AB, A], "hypotheses has 2 segments but references[1] has 1 segment"),
    ):
        with pytest.raises(LengthError) as caught:
            metric().segment_stats(hypotheses, references)
        assert all(part in str(caught.value) for part in message.split(" but "))
    with pytest.raises(BleuError, match="no references were given"):
        metric().segment_stats(A, [])
    with pytest.raises(InputTypeError, match=r"hypothesis 0 .counting from 0. is None"):
        metric().segment_stats(MISSING, [A])


# --- arguments of a wrong type

HYPOTHESES, REFERENCES = ["a b c d", "e f g h"], [["a b c d", "e f g"]]
SYSTEMS = [("one", HYPOTHESES), ("other", HYPOTHESES[::-1])]


def sample():
    metric = BLEU()
    return Sample(metric.corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True).rows, metric.scores_from_stats)


def test_numbers_of_resamples_are_whole_numbers():
    for value in (None, "5", [], nan, True, 2.0):
        with pytest.raises(InputTypeError, match=r"^n_bootstrap .* give a whole number$"):
            BLEU().corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=value)
    for value in (0, -1, 10**9):
        with pytest.raises(UsageError, match=f"^n_bootstrap {value}; expected a number from 1 to 10000000$"):
            BLEU().corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=value)
    assert BLEU().corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=np.int64(5)).interval


def test_a_signature_is_parsed_from_a_string():
    for value in (None, 5, b"nrefs:1", []):
        with pytest.raises(InputTypeError, match=r"^signature .* give a string$"):
            Signature.parse(value)
    for value in (5, None, "ab", [1], [("nrefs",)]):
        with pytest.raises(InputTypeError, match=r"^a signature is made of "):
            Signature(value)


@pytest.mark.parametrize("name", ["test_type", "n_samples", "n_ar_confidence", "n_jobs"])
@pytest.mark.parametrize("value", [None, [], {}, nan, "x" * 3, True, b"ar"], ids=repr)
def test_a_paired_test_refuses_arguments_of_a_wrong_type(name, value):
    kind = UsageError if (name, value) == ("test_type", "xxx") else InputTypeError
    with pytest.raises(kind, match=f"^{name} "):
        PairedTest(SYSTEMS, {"BLEU": BLEU()}, REFERENCES, **{name: value})


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        *(
            ({name: value}, InputTypeError)
            for name in ("resamples", "jobs", "skip")
            for value in (None, "2", 1.5, True)
        ),
        *(({"seed": value}, InputTypeError) for value in ("2", 1.5, True)),
        *((options, UsageError) for options in ({"jobs": -1}, {"seed": -1}, {"skip": -1}, {"resamples": 1})),
    ],
    ids=repr,
)
def test_resampling_refuses_arguments_of_a_wrong_type_or_value(options, kind):
    (name,) = options
    with pytest.raises(kind, match=f"^{name} "):
        bootstrap([sample()], **{"resamples": 5, **options})
    if name in ("jobs", "seed"):
        with pytest.raises(kind, match=f"^{name} "):
            randomization_p_values([(sample(), sample())], 5, **options)


def test_only_samples_are_resampled():
    stats, scored, *_ = sample()
    for value in (5, None, [5], "ab", [stats], [Sample(5, scored)], [(stats, scored)]):
        with pytest.raises(InputTypeError, match=r"^samples: expected"):
            bootstrap(value, 5)
    for value in (5, None, [5], [(stats,)], "ab"):
        with pytest.raises(InputTypeError, match=r"^pairs: expected"):
            randomization_p_values(value, 5)
    with pytest.raises(InputTypeError, match=r"^pairs: expected"):
        randomization_p_values([sample()], 5)


def test_names_of_test_sets_and_pairs_are_strings():
    for value in (5, None, [], b"demo"):
        for refused in (
            lambda value=value: bleucli.get_source_file(value, "en-de"),
            lambda value=value: bleucli.get_reference_files(value, "en-de"),
            lambda value=value: bleucli.download_test_set(value),
            lambda value=value: bleucli.get_langpairs_for_testset(value),
            lambda value=value: bleucli.get_source_file("demo", value),
            lambda value=value: bleucli.get_reference_files("demo", value),
            lambda value=value: bleucli.get_available_testsets_for_langpair(value),
            lambda value=value: bleucli.smart_open(value),
        ):
            with pytest.raises(InputTypeError, match=r"^(test set|language pair|file) .* give a string$"):
                refused()
    with pytest.raises(InputTypeError, match=r"^language pair 5 "):
        bleucli.download_test_set("demo", 5)


def test_files_of_test_sets_are_opened_by_path_objects_too(tmp_path):
    (tmp_path / "a.txt").write_text("a\n")
    with bleucli.smart_open(tmp_path / "a.txt") as file:
        assert file.read() == "a\n"


class Raising(str):
    """A string whose own methods fail."""

    def encode(self, *_):
        raise StopIteration


class Encodable:
    def encode(self, *_):
        return b"a b c d"


class Subscriptable:
    """Like a polars LazyFrame, it can be subscripted, but not by a number."""

    def __getitem__(self, index):
        raise TypeError("not subscriptable (aside from slicing)")


class Lines:
    """An old-style sequence: no `__iter__`, but numbers as subscripts."""

    def __getitem__(self, index):
        return HYPOTHESES[index]


def scored(hypotheses, references, metric=BLEU):
    """Score in every way."""
    yield lambda: metric().corpus_score(hypotheses, [references])
    yield lambda: metric(references=[references]).corpus_score(hypotheses, None)

    def tested():
        return PairedTest([("a", hypotheses), ("b", hypotheses)], {"x": metric()}, [references], "ar", 5)()

    yield tested


def test_only_strings_are_texts():
    for text in (Raising("a b c d"), np.str_("a b c d")):
        assert BLEU().corpus_score([text], [[text]]).score == BLEU().sentence_score(text, [text]).score == 100
        assert list(Segments.from_strings([text, "x"])) == ["a b c d", "x"]
    for texts in ([Encodable()], ["a", Encodable()]):
        for refused in (*scored(texts, texts), lambda texts=texts: Segments.from_strings(texts)):
            with pytest.raises(InputTypeError, match="is of type Encodable, not a string"):
                refused()
    with pytest.raises(InputTypeError, match="is of type Encodable"):
        BLEU().sentence_score("a", [Encodable()])


@pytest.mark.parametrize("texts", [Subscriptable(), 5, None, 1.5, Encodable()], ids=lambda value: type(value).__name__)
def test_texts_that_are_not_a_list_are_refused(texts):
    for refused in (
        *scored(texts, HYPOTHESES),
        *list(scored(HYPOTHESES, texts))[:2],
        lambda: Segments.from_strings(texts),
    ):
        with pytest.raises(InputTypeError):
            refused()


def test_an_object_that_takes_only_numbers_as_subscripts_is_a_list():
    assert BLEU().corpus_score(Lines(), [HYPOTHESES]).score == BLEU().corpus_score(HYPOTHESES, [Lines()]).score == 100


@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys])
def test_unordered_texts_are_refused(kind):
    name = type(kind(HYPOTHESES)).__name__
    for metric in (BLEU, CHRF, TER, WER, CER):
        for refused in (
            *scored(kind(HYPOTHESES), HYPOTHESES, metric),
            *scored(HYPOTHESES, kind(HYPOTHESES), metric),
            lambda metric=metric: metric().corpus_score(HYPOTHESES, kind(map(tuple, REFERENCES))),
            lambda metric=metric: metric().sentence_score("a", kind(["a", "b"])),
            lambda: Segments.from_strings(kind(HYPOTHESES)),
        ):
            with pytest.raises(InputTypeError, match=f"a {name}, whose order is not that of the segments; give a list"):
                refused()
    with pytest.raises(InputTypeError, match=r"^named_systems: expected pairs"):
        PairedTest(kind((name, tuple(texts)) for name, texts in SYSTEMS), {"x": BLEU()}, REFERENCES)


@pytest.mark.parametrize("texts", ["ab", b"ab", "", iter(["a"])], ids=lambda value: type(value).__name__)
def test_segments_are_made_only_of_a_list(texts):
    with pytest.raises(InputTypeError, match=r"^text: (a bare string|of type list_iterator)"):
        Segments.from_strings(texts)


@pytest.mark.parametrize("metric", [BLEU, CHRF, TER, WER, CER])
def test_a_metric_made_with_references_knows_its_signature(metric):
    assert dict(metric(references=[["a"], ["b"]]).get_signature())["nrefs"] == "2"
    assert dict(metric(references=[["a", "b"], ["c", None]]).get_signature())["nrefs"] == "var"
