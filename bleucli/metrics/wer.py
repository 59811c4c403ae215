"""WER and CER, word and character error rate: wrong, missing and extra words, or characters, per one of the reference.

- `WER`, `CER`: the metrics, with the numbers of jiwer 4; `ErrorRate`, `ErrorRateScore`: what they have in common
- `corpus_wer`, `sentence_wer`, `corpus_cer`, `sentence_cer`: shorthands for them
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from bleucli import kernels
from bleucli.counting import CorpusStats, References
from bleucli.inspection.marks import joining_breaks, tell_unspaced, unspaced_stretches
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.base import Metric, metric_for
from bleucli.metrics.options import SHARED, case_option
from bleucli.metrics.score import Remarks, Score
from bleucli.phrases import tell_count
from bleucli.results import Description, Figures
from bleucli.results.segments import SegmentScores
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.metrics.edit_kinds import EditCounts

    RateT = TypeVar("RateT", bound="ErrorRateScore")


class ErrorRateScore(Score):
    """An error rate in percent: `num_edits` for `ref_length` words, or characters, of the references."""

    def __init__(self, score: float, num_edits: int, ref_length: int) -> None:
        self.score = score
        self.num_edits = num_edits
        self.ref_length = ref_length

    def figures(self) -> Figures:
        """Return edits and length."""
        return Figures(None, None, None, None, None, None, self.ref_length, self.num_edits)


class WERScore(ErrorRateScore):
    """A WER score in percent: edits per hundred words of the references.

    Attributes:
        score: in percent; it may exceed 100.
        num_edits: insertions, deletions and substitutions.
        ref_length: in words.

    >>> from bleucli import WER
    >>> score = WER().sentence_score("a cat", ["the cat"])
    >>> score.num_edits, score.ref_length, score.score
    (1, 2, 50.0)
    """

    name = "WER"


class CERScore(ErrorRateScore):
    """A CER score in percent: edits per hundred characters of the references.

    Attributes:
        score: in percent; it may exceed 100.
        num_edits: insertions, deletions and substitutions.
        ref_length: in characters, including the spaces between words.

    >>> from bleucli import CER
    >>> score = CER().sentence_score("a cat", ["the cat"])
    >>> score.num_edits, score.ref_length, round(score.score, 1)
    (3, 7, 42.9)
    """

    name = "CER"


class ErrorRate(Metric["RateT"]):
    """The fewest substitutions, deletions and insertions that turn reference into output, per unit of the reference.

    Edits and lengths are added up over the corpus. Of several references, the one with the fewest edits counts, with
    its own length; of equal ones, the first. Lower is better, and a score may exceed 100.

    Args:
        lowercase: compare without regard to case.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.
    """

    higher_is_better = False
    aligns = "word"
    explained_by = "explain_edits"
    characters: bool  # whether characters are edited instead of words
    score_class: type[RateT]

    def __init__(
        self,
        lowercase: bool = False,
        references: Iterable[Iterable[str | None]] | None = None,
        *,
        skip_empty_refs: bool = False,
        normalize: str = "",
    ) -> None:
        self._lowercase = self.check("lowercase", lowercase)
        super().__init__(skip_empty_refs=skip_empty_refs, normalize=normalize, references=references)

    @classmethod
    def describe(cls, info: Mapping[str, str]) -> Description:
        """Return whether case counts, and cite the edit distance."""
        from bleucli.results import citations

        return super().describe(info)._replace(paper=citations.EDIT_DISTANCE)

    def remarks(self, stats: CorpusStats) -> Remarks:
        """Return edits and length, and what the score means."""
        from bleucli.metrics.edit_kinds import remark_on_edits

        return remark_on_edits(self.name, self.aligns, stats)

    def prepare(self, segments: Segments) -> Segments:
        """Lowercase if asked to; change nothing else."""
        return segments.lower() if self._lowercase else segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of edits and the length of the reference that they are counted against."""
        return kernels.edit_stats(hypotheses, references.streams, self.characters)

    def column_names(self) -> list[str]:
        """Return `edits, ref_len`."""
        return ["edits", "ref_len"]

    def score_from_stats(self, sums: Sequence[int | float]) -> RateT:
        """Return the score of a sum of rows of edits and reference lengths.

        Quirk: if all references are empty, jiwer counts their length as 1.

        >>> WER().score_from_stats((3, 12)).score, WER().score_from_stats((2, 0)).score
        (25.0, 200.0)
        """
        edits, length = map(int, sums)
        return self.score_class(100.0 * (edits / (length or 1)), edits, length)

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the score of each row in columns."""
        edits, lengths = (rows.data[n :: rows.columns].tolist() for n in range(rows.columns))
        scores = [100.0 * (number / (length or 1)) for number, length in zip(edits, lengths, strict=True)]
        return SegmentScores(self.name, scores, {"reference_length": lengths, "edits": edits})

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the score of each row of sums, all at once."""
        import numpy as np

        edits, lengths = np.asarray(sums, np.float64).T
        rates: NDArray[np.float64] = 100.0 * (edits / np.maximum(lengths, 1.0))
        return rates

    def edit_counts(self, hypotheses: Iterable[str | None], references: Iterable[Iterable[str | None]]) -> EditCounts:
        """Return what the edits of a corpus are, as jiwer counts them.

        This aligns all texts in Python, which takes many times as long as a score.

        Args:
            hypotheses: n strings.
            references: streams, each of n strings; None is a missing reference. The one with the fewest edits counts.

        >>> WER().edit_counts(["a x c d", "e"], [["a b c", "e f"]])
        EditCounts(hits=3, substitutions=1, deletions=1, insertions=1, reference_length=5)
        """
        from bleucli.metrics.edit_kinds import EditCounts, count_edits

        (*counts, _), length = count_edits(self, hypotheses, references)
        return EditCounts(*map(int, [*counts, length]))

    def count_kinds(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return how many edits of each kind prepared segments have; see `Metric.count_kinds`."""
        from bleucli.kernels.python_edits import DELETION, INSERTION, MATCH, SUBSTITUTION, edited_words, trace_distance

        def units_of(text: str) -> Sequence[str]:
            return text.strip() if self.characters else edited_words(text)

        rows = array("q")
        for output, *targets in zip(hypotheses, *references.streams, strict=True):
            units = units_of(output or "")
            ways = [trace_distance(units, units_of(target)) for target in targets if target is not None]
            best = min(ways, key=lambda way: len(way) - way.count(MATCH))
            # Edits turn the reference into the output, and the numbers of operations are for the opposite
            rows.extend((*map(best.count, (MATCH, SUBSTITUTION, INSERTION, DELETION)), 0))
        return SegmentStats(memoryview(rows), 5)


class WER(ErrorRate[WERScore]):
    """Word error rate as jiwer computes it; see `ErrorRate` for what is counted.

    Args:
        lowercase: compare without regard to case.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.

    >>> WER().corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    WER = 16.67
    """

    name = "WER"
    characters = False
    score_class = WERScore
    options = (case_option("--wer-lowercase", ours=True), *SHARED)

    def observe(self, hypotheses: Segments) -> tuple[int, ...]:
        """Count, in a sample, unspaced and all letters; then line breaks that join words, and texts with those."""
        return (*unspaced_stretches(hypotheses), *joining_breaks(hypotheses))

    def observe_references(self, references: Sequence[Segments]) -> tuple[int, ...]:
        """Count line breaks that join words, and references with such breaks."""
        breaks, texts = zip(*map(joining_breaks, references), strict=True)
        return sum(breaks), sum(texts)

    def hints(self, stats: CorpusStats) -> list[str]:
        """Warn about text without spaces between words, and about line breaks that join words.

        Those of references are named only if the output has none.
        """
        if not stats.signs:
            return []
        *letters, breaks, texts, of_references, references = stats.signs
        remark = tell_unspaced(self.name, letters)
        hints = [f"{remark}; use CER"] if remark else []
        if breaks or of_references:
            where = tell_count(texts, "text") if breaks else tell_count(references, "reference")
            breaks = breaks or of_references
            joins = "joins two words" if breaks == 1 else "each join two words"
            hints.append(
                f"WER splits words at spaces only, as jiwer does, so {tell_count(breaks, 'line break')} in {where}"
                f" {joins} into one; replace line breaks by spaces, or use TER"
            )
        return hints


class CER(ErrorRate[CERScore]):
    """Character error rate as jiwer computes it; see `ErrorRate` for what is counted. Spaces between words count.

    Args:
        lowercase: compare without regard to case.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.

    >>> CER().corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    CER = 16.67
    """

    name = "CER"
    aligns = "character"
    characters = True
    score_class = CERScore
    options = (case_option("--cer-lowercase", ours=True), *SHARED)


def corpus_wer(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    lowercase: bool = False,
    *,
    jobs: int = 1,
) -> WERScore:
    """Score a system's output.

    Args:
        hypotheses, references, jobs: as for `corpus_bleu`.
        lowercase: compare without regard to case.

    Returns:
        WER in percent, which may exceed 100, with edits and the reference length in words.

    Raises:
        BleuError, InputTypeError: as for `corpus_bleu`.

    >>> corpus_wer(["the cat sat down"], [["the cat sat down there"]]).score
    20.0
    """
    return WER(lowercase).corpus_score(hypotheses, references, jobs=jobs)


def sentence_wer(hypothesis: str, references: Iterable[str | None], lowercase: bool = False) -> WERScore:
    """Score one segment.

    Args:
        hypothesis, references: as for `sentence_bleu`.
        lowercase: compare without regard to case.

    Returns:
        WER in percent, which may exceed 100, with edits and the reference length in words.

    Raises:
        BleuError, InputTypeError: as for `sentence_bleu`.

    >>> sentence_wer("the cat sat", ["the cat sat"]).score
    0.0
    """
    return metric_for(WER, lowercase).sentence_score(hypothesis, references)


def corpus_cer(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    lowercase: bool = False,
    *,
    jobs: int = 1,
) -> CERScore:
    """Score a system's output.

    Args:
        hypotheses, references, lowercase, jobs: as for `corpus_wer`.

    Returns:
        CER in percent, which may exceed 100, with edits and the reference length in characters.

    Raises:
        BleuError, InputTypeError: as for `corpus_wer`.

    >>> corpus_cer(["the cat sat"], [["the hat sat!"]]).num_edits
    2
    """
    return CER(lowercase).corpus_score(hypotheses, references, jobs=jobs)


def sentence_cer(hypothesis: str, references: Iterable[str | None], lowercase: bool = False) -> CERScore:
    """Score one segment.

    Args:
        hypothesis, references, lowercase: as for `sentence_wer`.

    Returns:
        CER in percent, which may exceed 100, with edits and the reference length in characters.

    Raises:
        BleuError, InputTypeError: as for `sentence_wer`.

    >>> sentence_cer("the cat sat", ["the cat sat"]).score
    0.0
    """
    return metric_for(CER, lowercase).sentence_score(hypothesis, references)
