"""Statistics of a corpus as a value: they add up, can be taken apart and sent elsewhere, and are counted once."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, InputTypeError, PairedTest, kernels
from bleucli.counting import CorpusStats, count, count_corpora
from bleucli.counting.corpus import Corpus, Source, of_strings
from bleucli.kernels.stats import SegmentStats
from bleucli.scoring import Selection, Subset, score_counted
from bleucli.text import Segments

METRICS = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "wer": WER, "cer": CER}
WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "dogs", "bark", "at", "night", ".", "nobody", "knows", "why"]
each_metric = pytest.mark.parametrize("make", METRICS.values(), ids=METRICS)


def some_texts(count, seed=7):
    """Return hypotheses, and two streams of references, the second of which has gaps."""
    rng = random.Random(seed)

    def text():
        return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 12)))

    hypotheses, first = ([text() for _ in range(count)] for _ in range(2))
    return hypotheses, [first, [text() if rng.random() < 0.6 else None for _ in range(count)]]


def batches(texts, cuts):
    """Cut hypotheses and references at the same places."""
    hypotheses, references = texts
    edges = [0, *sorted(cuts), len(hypotheses)]
    for start, end in pairwise(edges):
        yield hypotheses[start:end], [stream[start:end] for stream in references]


@each_metric
@given(cuts=st.lists(st.integers(0, 40), max_size=6), keep_rows=st.booleans())
def test_parts_add_up_to_the_whole(make, cuts, keep_rows):
    texts = some_texts(40)
    metric = make()
    whole = metric.corpus_stats(*texts, keep_rows=keep_rows)
    total = sum(metric.corpus_stats(*batch, keep_rows=keep_rows) for batch in batches(texts, cuts))
    assert total == whole
    assert (str(total.score()), total.signature()) == (str(whole.score()), whole.signature())
    assert str(whole.score()) == str(metric.corpus_score(*texts))
    assert whole.signature() == metric.get_signature()
    assert (total.rows is None) is not keep_rows
    assert keep_rows is False or list(total.rows) == list(whole.rows)


def outcome(call):
    """Return what can be seen of statistics, or of the error."""
    try:
        stats = call()
    except (BleuError, InputTypeError) as error:
        return type(error), str(error)
    signature = stats.signature() if stats.segments else None
    return stats.segments, stats.sums, stats.signs, stats.fewest, stats.most, stats.rows and list(stats.rows), signature


def some_lists(size):
    texts = st.sampled_from(["a b", "b a c.", "", "5 %", None, 7, "\ud800"])
    usual = st.lists(st.sampled_from(["a b", "b a c.", "«a», 5 %"]), min_size=size, max_size=size)
    return st.one_of(usual, usual.map(tuple), st.lists(texts, max_size=3), st.sampled_from(["ab", None, 5, {"a"}]))


@pytest.mark.parametrize("make", [BLEU, partial(BLEU, tokenize="intl"), CHRF, partial(TER, skip_empty_refs=True)])
@given(data=st.data(), size=st.integers(0, 3), keep_rows=st.booleans())
def test_a_few_segments_are_counted_as_many_are(make, data, size, keep_rows):
    """Short lists do not go through a corpus, but give the same numbers and the same errors."""
    hypotheses = data.draw(some_lists(size))
    streams = data.draw(st.lists(some_lists(size), max_size=3))

    def directly():
        return outcome(lambda: make().corpus_stats(hypotheses, streams, keep_rows=keep_rows))

    def from_the_constructor():
        metric = make(references=streams)
        return outcome(lambda: metric.corpus_stats(hypotheses, None, keep_rows=keep_rows)), metric.get_signature()

    for count_them in (directly, from_the_constructor):
        answers = []
        for way in (None, mock.patch("bleucli.metrics.base.of_few", return_value=None)):
            with way or nullcontext():
                try:
                    answers.append(count_them())
                except (BleuError, InputTypeError) as error:
                    answers.append((type(error), str(error)))
        assert answers[0] == answers[1]


def test_a_few_segments_are_counted_without_a_corpus():
    """It would take longer to make one than to count."""
    with mock.patch("bleucli.metrics.base.count", side_effect=AssertionError):
        for make in METRICS.values():
            make().corpus_stats(["a b c"], [["a b"], ["c"]])
            make(references=[["a b"] * 50]).corpus_stats(["a"] * 50, None)


def test_thousands_of_small_parts_are_joined_in_order():
    texts = some_texts(2001)
    total = sum(CHRF().corpus_stats(*batch, keep_rows=True) for batch in batches(texts, range(1, 2001)))
    assert total == CHRF().corpus_stats(*texts, keep_rows=True)


def test_zero_plus_statistics_is_the_statistics():
    stats = BLEU().corpus_stats(["a b"], [["a b"]])
    assert 0 + stats is stats
    assert sum([stats]) is stats
    for other in (1, None, "0"):
        with pytest.raises(TypeError):
            other + stats
        with pytest.raises(TypeError):
            stats + other
    assert stats != 0


@each_metric
def test_statistics_of_no_segments_can_be_added(make):
    metric = make()
    empty = metric.corpus_stats([], [[]])
    some = metric.corpus_stats(["a b"], [["a b"]], keep_rows=True)
    assert (empty.segments, empty.rows) == (0, None)
    assert empty + some == some + empty == some
    assert (empty + empty).segments == 0
    assert empty == CorpusStats(metric) == some.take([])
    assert empty.hints() == []
    with pytest.raises(BleuError, match=r"no segments to score; expected at least one$"):
        empty.score()


def test_a_part_without_rows_leaves_a_sum_without_rows():
    texts = some_texts(4)
    metric = BLEU()
    parts = [
        metric.corpus_stats(*batch, keep_rows=keep)
        for batch, keep in zip(batches(texts, [2]), (True, False), strict=True)
    ]
    assert sum(parts).rows is None
    assert sum(parts) == metric.corpus_stats(*texts)
    with pytest.raises(BleuError, match="count with keep_rows=True"):
        sum(parts).take([0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (BLEU(), BLEU(lowercase=True)),
        (BLEU(), BLEU(smooth_method="floor", smooth_value=0.2)),
        (CHRF(), CHRF(word_order=2)),
        (CHRF(), CHRF(beta=3)),
        (TER(), TER(case_sensitive=True)),
        (BLEU(), CHRF()),
        (WER(), WER(lowercase=True)),
        (WER(), CER()),
    ],
)
def test_statistics_of_other_options_are_not_added(left, right):
    stats = [metric.corpus_stats(["a b"], [["a b"]]) for metric in (left, right)]
    assert stats[0] != stats[1]
    with pytest.raises(BleuError) as error:
        stats[0] + stats[1]
    for one in stats:
        assert str(one.signature()) in str(error.value)


@each_metric
def test_segments_are_taken_in_any_order(make):
    hypotheses, references = some_texts(30)
    metric = make()
    stats = metric.corpus_stats(hypotheses, references, keep_rows=True)
    for indexes in ([3], [7, 2, 2, 29], range(30)):
        taken = stats.take(indexes)
        alone = metric.corpus_stats(
            [hypotheses[i] for i in indexes], [[stream[i] for i in indexes] for stream in references], keep_rows=True
        )
        assert taken == alone
        assert taken.signature() == alone.signature()
    assert stats.take(range(30)) == stats
    for indexes in ([30], [-1, 2]):
        with pytest.raises(BleuError, match="expected indexes from 0, below 30"):
            stats.take(indexes)
    with pytest.raises(IndexError):
        stats.rows.take([30])


@each_metric
def test_statistics_are_small_and_score_the_same_elsewhere(make):
    hypotheses, references = some_texts(200)
    metric = make(references=references)
    stats = metric.corpus_stats(hypotheses, None)
    sent = pickle.dumps(stats)
    assert len(sent) < 2000
    there = pickle.loads(sent)
    assert there == stats
    assert str(there.score()) == str(metric.corpus_score(hypotheses, None))
    assert str(there.signature()) == str(metric.get_signature())
    assert there.hints() == stats.hints()


def count_batch(batch):
    return BLEU().corpus_stats(*batch, keep_rows=True)


def test_threads_and_processes_count_what_one_would():
    texts = some_texts(60)
    whole = count_batch(texts)
    for pool in (ThreadPoolExecutor(3), ProcessPoolExecutor(2)):
        with pool:
            assert sum(pool.map(count_batch, batches(texts, range(7, 60, 7)))) == whole


# --- counted once


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of kernels that tokenize and count."""
    found = Counter()

    def counting(name):
        original = getattr(kernels, name)

        def call(*arguments, **more):
            if name != "ngram_stats" or arguments[-1] == 4:  # other calls look for texts out of step
                found[name] += 1
            return original(*arguments, **more)

        return call

    for name in ("tokenize_13a", "ngram_stats"):
        monkeypatch.setattr(kernels, name, counting(name))
    return found


def names(number):
    return [chr(ord("a") + place) for place in range(number)]


def test_references_are_tokenized_once_for_all_systems(calls):
    texts = some_texts(20)
    systems = [(name, texts[0][::-1]) for name in names(5)]
    (counted, *_) = count(of_strings(systems, texts[1]), [BLEU(), BLEU(lowercase=True)])
    assert len(counted.stats) == 2
    assert calls == {"tokenize_13a": 2 * (5 + 2), "ngram_stats": 2 * 5}


@pytest.mark.parametrize("own", [False, True], ids=["given", "of the metric"])
def test_a_paired_test_tokenizes_the_references_once(calls, own):
    texts = some_texts(20)
    systems = [(name, texts[0][place:] + texts[0][:place]) for place, name in enumerate(names(5))]
    metric = BLEU(references=texts[1]) if own else BLEU()
    PairedTest(systems, {"bleu": metric}, None if own else texts[1], n_samples=10)()
    assert calls == {"tokenize_13a": 5 + 2, "ngram_stats": 5}


def test_parts_are_not_counted_again(calls):
    texts = some_texts(20)
    parts = [Subset("en", "domain", str(start), range(start, 20, 3)) for start in range(3)]
    selection = Selection(None, parts, check=lambda segments: None)
    systems = count(of_strings([("a", texts[0])], texts[1]), [BLEU()], keep_rows=True)
    results = score_counted(systems, [BLEU()], selection=selection)
    assert [detail.segments for detail in results.systems[0].scores[0].details] == [7, 7, 6]
    assert calls == {"tokenize_13a": 1 + 2, "ngram_stats": 1}


@pytest.mark.parametrize("options", [[], ["-sl"], ["--confidence"], ["--paired-ar"]])
def test_the_command_counts_each_text_once(run, write, calls, options):
    texts = some_texts(20)
    files = [write(name, "\n".join(text) + "\n") for name, text in (("ref", texts[1][0]), ("a", texts[0]))]
    more = [write("b", "\n".join(texts[0][::-1]) + "\n")] if options == ["--paired-ar"] else []
    answer = run(files[0], "-i", files[1], *more, *options, "--force")
    assert answer.status == 0, answer
    systems = 1 + len(more)
    assert calls == {"tokenize_13a": systems + 1, "ngram_stats": systems}


# --- a first pass over the references


class Rarity(BLEU):
    """Gives words that are rare in references more weight, so no row can be counted before all references are read."""

    name = "Rarity"
    needs_all_references = True

    def learn(self, references):
        found = Counter()
        for streams in references:
            for stream in streams:
                found.update(" ".join(text or "" for text in stream).split())
        self.learned = found

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        from array import array

        weights = [sum(1000 // (1 + self.learned[word]) for word in (text or "").split()) for text in hypotheses]
        return SegmentStats(memoryview(array("q", weights)), 1)

    def observe(self, hypotheses):
        return ()

    def hints(self, stats):
        return []

    def score_from_stats(self, sums):
        score = super().score_from_stats([0] * 10)
        score.score = sums[0]
        return score


def rarity(texts):
    found = Counter(word for stream in texts[1] for text in stream for word in (text or "").split())
    return sum(1000 // (1 + found[word]) for text in texts[0] for word in text.split())


def test_a_metric_may_ask_for_all_references_first():
    texts = some_texts(10000)
    hypotheses, references = texts
    expected = rarity(texts)
    assert Rarity().corpus_score(hypotheses, references).score == expected
    assert Rarity().corpus_score(iter(hypotheses), [iter(stream) for stream in references]).score == expected
    assert Rarity(references=references).corpus_score(hypotheses, None).score == expected


def test_statistics_that_depend_on_all_references_are_not_added():
    stats = [Rarity().corpus_stats(["a"], [[reference]]) for reference in ("a", "b")]
    with pytest.raises(BleuError, match="cannot be added"):
        sum(stats)


class MarkedRarity(Rarity):
    """Prepares texts in a way that shows from which form of the references it has learned."""

    def prepare(self, segments):
        return Segments.from_strings([text and f"<{text}>" for text in segments])

    def compare(self, hypotheses, references):
        return super().compare(Segments.from_strings([text.strip("<>") for text in hypotheses]), references)


def test_a_metric_that_was_made_with_references_learns_only_from_these():
    metric = MarkedRarity(references=[["a", "b b"]])
    whole = metric.corpus_stats(["b", "a"], None, keep_rows=True)
    assert whole.metric.learned == metric.learned == {"a": 1, "b": 2}
    pairs = (("b", "a"), ("a", "b b"))
    assert sum(metric.corpus_stats([text], [[reference]], keep_rows=True) for text, reference in pairs) == whole
    of_strings = [row for text, reference in pairs for row in metric.segment_stats([text], [[reference]])]
    columns = [[Segments.from_strings([text]) for text in pair] for pair in pairs]
    of_segments = [row for text, reference in columns for row in metric.segment_stats(text, [reference])]
    assert of_strings == of_segments == list(whole.rows) == [(333,), (500,)]


@pytest.mark.parametrize("form", ["files", "stdin", "json lines on stdin", "columns on stdin"])
def test_the_first_pass_reads_what_can_be_read_only_once(run, write, monkeypatch, form):
    hypotheses, references = some_texts(4000)
    first = [references[0]]
    monkeypatch.setattr("bleucli.metrics.bleu.BLEU", Rarity)
    system = "".join(f"{text}\n" for text in hypotheses).encode()
    reference = "".join(f"{text}\n" for text in first[0]).encode()
    items = [{"hypothesis": text, "references": [other]} for text, other in zip(hypotheses, first[0], strict=True)]
    json_lines = "".join(json.dumps(item) + "\n" for item in items).encode()
    ref, sys = write("ref.txt", reference), write("sys.txt", system)
    answer = {
        "files": lambda: run(ref, "-i", sys, "-b"),
        "stdin": lambda: run(ref, "-b", stdin=system),
        "columns on stdin": lambda: run("-", "-i", sys, "-b", stdin=reference),
        "json lines on stdin": lambda: run("--jsonl", "-b", stdin=json_lines),
    }[form]()
    assert answer.status == 0, answer
    assert float(answer.out) == rarity((hypotheses, first))
    shorter = run(write("short.txt", reference.partition(b"\n")[2]), "-i", sys, "-b")
    assert shorter.status == 2
    assert "line 4000 of short.txt is missing" in shorter.err


@pytest.mark.parametrize("indexes", [[False, True], 5, ["0"], [0.0], None])
def test_take_refuses_anything_but_indexes(indexes):
    stats = BLEU().corpus_stats(["a b", "c"], [["a b", "d"]], keep_rows=True)
    with pytest.raises(InputTypeError, match="expected indexes"):
        stats.take(indexes)


def test_take_accepts_numpy_indexes_but_no_masks():
    import numpy as np

    stats = BLEU().corpus_stats(["a b", "c"], [["a b", "d"]], keep_rows=True)
    assert stats.take(np.array([1])) == stats.take([1])
    with pytest.raises(InputTypeError, match="expected indexes"):
        stats.take(np.array([False, True]))


def test_the_error_of_another_beta_names_both():
    stats = [CHRF(beta=beta).corpus_stats(["a b"], [["a b"]]) for beta in (2, 3)]
    with pytest.raises(BleuError, match=r"chrF2\|nrefs.* and of chrF3\|nrefs"):
        sum(stats)


@pytest.mark.parametrize("jobs", [None, 1, 2])
def test_several_corpora_are_counted_as_each_of_them_is(jobs):
    def corpus(seed, blocks):
        def source(name, texts):
            cut = [texts[start::blocks] for start in range(blocks)]
            return Source(name, [name], iter([[Segments.from_strings(block)] for block in cut]))

        hypotheses, (references, _) = some_texts(1200, seed)
        return Corpus([source("a", hypotheses), source("b", references[::-1])], [source("r", references)])

    metrics = [BLEU(), TER()]
    shapes = ((1, 3), (2, 1), (3, 2))
    tasks = [(f"corpus {seed}", corpus(seed, blocks), metrics) for seed, blocks in shapes]
    found = list(count_corpora(tasks, jobs=jobs, keep_rows=True, inspect=True))
    assert found == [count(corpus(*shape), metrics, keep_rows=True, inspect=True) for shape in shapes]


def test_errors_in_one_of_several_corpora_begin_with_its_name():
    good, bad = of_strings([("a", ["b"])], [["b"]]), of_strings([("a", ["b"])], [[None]])
    tasks = [("good", good, [BLEU()]), ("bad", bad, [BLEU()])]
    with pytest.raises(BleuError, match=r"^bad: all references of segment 0") as caught:
        list(count_corpora(tasks))
    restored = pickle.loads(pickle.dumps(caught.value))
    assert str(restored) == str(caught.value)
    assert restored.in_command().startswith("bad: all references of segment 1 are missing")
