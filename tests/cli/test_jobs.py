"""Threads from Python: everything that counts texts takes `jobs=`, and no number depends on it."""

from __future__ import annotations

import functools
import inspect

import pytest
from strategies import every

import bleucli
from bleucli import BleuError, InputTypeError
from bleucli.significance.comparison import sample_of

HYPOTHESES = [f"a b c d{number % 7} e f{number % 3}" for number in range(9000)]
REFERENCES = [[f"a b c d{number % 5} e f{number % 4}" for number in range(9000)]]
FUNCTIONS = {
    **{
        name: (getattr(bleucli, name), (HYPOTHESES, REFERENCES))
        for name in ("corpus_bleu", "raw_corpus_bleu", "corpus_chrf", "corpus_wer", "corpus_cer")
    },
    "segment_stats": (bleucli.CHRF().segment_stats, (HYPOTHESES, REFERENCES)),
    "corpus_stats": (bleucli.BLEU().corpus_stats, (HYPOTHESES, REFERENCES)),
    "corpus_score": (bleucli.BLEU().corpus_score, (HYPOTHESES, REFERENCES)),
    "corpus_ter": (bleucli.corpus_ter, (HYPOTHESES[:50], [REFERENCES[0][:50]])),
    "explain_corpus": (bleucli.explain_corpus, (HYPOTHESES, REFERENCES)),
    "explain_difference": (bleucli.explain_difference, (HYPOTHESES, REFERENCES[0], REFERENCES)),
    "pairwise": (lambda *texts, **given: bleucli.CHRF().pairwise(*texts, **given).tolist(), (HYPOTHESES[:40],)),
    "pairwise_groups": (
        lambda lists, **given: [one.tolist() for one in bleucli.CHRF().pairwise_groups(lists, **given)],
        ([HYPOTHESES[:9], HYPOTHESES[9:15]],),
    ),
    "expected": (lambda *texts, **given: bleucli.CHRF().expected(*texts, **given).tolist(), (HYPOTHESES[:40],)),
    "best": (bleucli.CHRF().best, (HYPOTHESES[:40],)),
    "evaluate_systems": (bleucli.evaluate_systems, ({"a": HYPOTHESES}, REFERENCES)),
    "score_matrix": (bleucli.score_matrix, ({"en-de": ({"a": HYPOTHESES}, REFERENCES)},)),
    "compare_systems": (
        functools.partial(bleucli.compare_systems, trials=20),
        ({"a": HYPOTHESES[:30], "b": REFERENCES[0][:30]}, [HYPOTHESES[5:35]]),
    ),
    "compare_matrix": (
        functools.partial(bleucli.compare_matrix, trials=20),
        ({"en-de": ({"a": HYPOTHESES[:30], "b": REFERENCES[0][:30]}, [HYPOTHESES[5:35]])},),
    ),
    "PairedTest": (
        lambda *given, jobs: bleucli.PairedTest(*given, n_samples=20, n_jobs=jobs)(),
        ([("a", HYPOTHESES), ("b", [*HYPOTHESES[1:], "x"])], {"BLEU": bleucli.BLEU()}, REFERENCES),
    ),
    "resampling": (
        lambda *given, **jobs: [scores.tolist() for scores in bleucli.resampling.bootstrap(*given, **jobs)],
        ([sample_of(bleucli.BLEU().corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True))], 20),
    ),
    "self_bleu": (bleucli.self_bleu, (HYPOTHESES, [number // 2 for number in range(9000)])),
}


def told(answer):
    """Return an answer in a form that can be compared."""
    return vars(answer) if hasattr(answer, "__dict__") and hasattr(answer, "score") else answer


@pytest.mark.parametrize("name", every(3, FUNCTIONS))
def test_threads_change_no_number(name):
    function, texts = FUNCTIONS[name]
    one = function(*texts, jobs=1)
    for jobs in (0, 3):
        found = function(*texts, jobs=jobs)
        assert found == one or told(found) == told(one)
    with pytest.raises(InputTypeError, match=r"^(n_)?jobs "):
        function(*texts, jobs="2")
    with pytest.raises(BleuError, match=r"^(n_)?jobs -1; expected a number from 0 to 1024"):
        function(*texts, jobs=-1)


def test_compute_takes_threads():
    items = list(map(list, zip(*REFERENCES, strict=True)))
    one = bleucli.compute(predictions=HYPOTHESES, references=items)
    assert bleucli.compute(predictions=HYPOTHESES, references=items, jobs=2) == one


def test_every_function_that_counts_a_corpus_takes_threads():
    """All public functions and methods that take streams of references or many texts have the argument."""
    counting = [
        *(getattr(bleucli, name) for name in bleucli.__all__ if name.startswith(("corpus_", "raw_corpus_"))),
        *(bleucli.compute, bleucli.self_bleu, bleucli.compare_systems, bleucli.compare_matrix),
        *(bleucli.explain_corpus, bleucli.explain_difference),
        *(bleucli.evaluate_systems, bleucli.score_matrix, bleucli.resampling.bootstrap, bleucli.resampling.randomize),
        *(getattr(bleucli.BLEU, name) for name in ("corpus_score", "corpus_stats", "segment_stats", "pairwise")),
        *(getattr(bleucli.BLEU, name) for name in ("pairwise_groups", "expected", "best")),
    ]
    assert not [function for function in counting if "jobs" not in inspect.signature(function).parameters]
