"""The Python API refuses what it cannot mean, in one line that says what to give instead."""

import pytest

from bleucli import BLEU, CHRF, TER, BleuError, InputTypeError, Segments
from bleucli.errors import LengthError

A, AB = Segments.from_strings(["a"]), Segments.from_strings(["a", "b"])
MISSING = Segments.from_strings([None])
each_metric = pytest.mark.parametrize("metric", [BLEU, CHRF, TER])


@each_metric
@pytest.mark.parametrize(
    "columns", [(["a"], [["a"]]), (A, [["a"]]), (["a"], [A]), (A, A), ("a", "a"), (A, None), (None, [A]), (A, 5)]
)
def test_segment_stats_takes_segments_alone(metric, columns):
    with pytest.raises(InputTypeError, match=r"takes bleucli.Segments.*write Segments.from_strings\(texts\)"):
        metric().segment_stats(*columns)


@each_metric
def test_segment_stats_takes_columns_of_one_length_with_references(metric):
    for hypotheses, references, message in (
        (A, [AB], "hypotheses has 1 segment but references has 2 segments"),
        (AB, [AB, A], "hypotheses has 2 segments but reference stream 2 has 1 segment"),
    ):
        with pytest.raises(LengthError) as caught:
            metric().segment_stats(hypotheses, references)
        assert all(part in str(caught.value) for part in message.split(" but "))
    with pytest.raises(BleuError, match="no references were given"):
        metric().segment_stats(A, [])
    with pytest.raises(InputTypeError, match="hypothesis 1 is None"):
        metric().segment_stats(MISSING, [A])
