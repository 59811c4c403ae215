"""chrF and chrF++ (Popović 2015, 2017), with the conventions of sacreBLEU 2.6.0.

`CHRF` is the metric; `corpus_chrf` and `sentence_chrf` are sacreBLEU's shorthands for it.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from bleucli import kernels
from bleucli.counting import References
from bleucli.errors import UsageError
from bleucli.limits import LARGEST_ORDER, real_number, unhashable, whole_number
from bleucli.metrics.base import Metric, Score
from bleucli.segments import Segments
from bleucli.stats import SegmentStats

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_CHAR_ORDER = 6
DEFAULT_WORD_ORDER = 0
DEFAULT_BETA = 2
_LARGEST_BETA = 1e150  # its square is still a number; recall is all that counts long before


class CHRFScore(Score):
    """A chrF score in percent, with the orders and the beta that it was made with."""

    __slots__ = ("beta", "char_order", "score", "word_order")

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.score = score
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta

    @property
    def name(self) -> str:  # type: ignore[override]
        """`chrF`, beta, and a `+` for each word order."""
        return f"chrF{self.beta}{'+' * self.word_order}"


class CHRF(Metric):
    """chrF with sacreBLEU's options and defaults; a word order of 2 makes it chrF++.

    Args:
        char_order: the longest character n-gram; 0 for none, if there are word n-grams.
        word_order: the longest word n-gram; 0 for none.
        beta: how many times more recall counts than precision; 0 for precision alone.
        lowercase: compare without regard to case.
        whitespace: let white space take part in character n-grams.
        eps_smoothing: average the F-scores of all orders, as chrF++.py, NLTK and Moses do.
        references: streams, to be prepared once for several systems.
        skip_empty_refs: take an empty reference for a missing one.

    Raises:
        UsageError: an order or a beta that cannot be.
        InputTypeError: one that is no number.

    >>> CHRF(word_order=2).corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    chrF2++ = 70.39
    """

    name = "chrF"

    def __init__(
        self,
        char_order: int = DEFAULT_CHAR_ORDER,
        word_order: int = DEFAULT_WORD_ORDER,
        beta: float = DEFAULT_BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Iterable[Iterable[str | None]] | None = None,
        *,
        skip_empty_refs: bool = False,
    ) -> None:
        self.char_order = whole_number("chrF character order", char_order, 0, LARGEST_ORDER)
        self.word_order = whole_number("chrF word order", word_order, 0, LARGEST_ORDER)
        if not self.char_order and not self.word_order:
            raise UsageError("chrF orders 0 and 0; expected at least 1 for characters or for words")
        beta = real_number("chrF beta", beta)
        if not 0 <= beta <= _LARGEST_BETA:
            raise UsageError(f"chrF beta {beta}; expected a number from 0 to {_LARGEST_BETA:g}")
        self.beta = abs(beta)  # -0.0 is 0.0
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        super().__init__(skip_empty_refs=skip_empty_refs, references=references)

    def prepare(self, segments: Segments) -> Segments:
        """Lowercase if asked to; nothing else is changed."""
        return segments.lower() if self.lowercase else segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of `hyp_count, ref_count, match`, first for the character orders, then for the word orders."""
        return kernels.chrf_stats(
            hypotheses,
            references.streams,
            self.char_order,
            self.word_order,
            self.beta,
            self.whitespace,
            self.eps_smoothing,
        )

    def score_from_stats(self, sums: Sequence[int | float]) -> CHRFScore:
        """Return the score of a sum of rows."""
        score = kernels.f_score(sums, self.beta, self.eps_smoothing)
        return CHRFScore(score, self.char_order, self.word_order, self.beta)

    def scores_from_stats(self, sums: SegmentStats) -> "NDArray[np.float64]":
        """Return the score of each row of sums, in one go."""
        from bleucli.kernels.python_f_score import f_scores

        return f_scores(sums, self.beta, self.eps_smoothing)

    def configuration(self) -> object:
        """Return what tells differently configured metrics apart: beta is in the name, not in the signature."""
        return super().configuration(), self.beta

    def signature_fields(self) -> list[tuple[str, str]]:
        """Return case, smoothing, orders and white space."""
        fields = [
            ("case", "lc" if self.lowercase else "mixed"),
            ("eff", "no" if self.eps_smoothing else "yes"),
            ("nc", str(self.char_order)),
            ("nw", str(self.word_order)),
            ("space", "yes" if self.whitespace else "no"),
        ]
        return fields + self.empty_field()


def corpus_chrf(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    char_order: int = DEFAULT_CHAR_ORDER,
    word_order: int = DEFAULT_WORD_ORDER,
    beta: float = DEFAULT_BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a system's output; the arguments are those of `CHRF` and of `CHRF.corpus_score`.

    >>> corpus_chrf(["the cat sat down"], [["the cat sat down there"]]).score
    72.04777245090835
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Iterable[str | None],
    char_order: int = DEFAULT_CHAR_ORDER,
    word_order: int = DEFAULT_WORD_ORDER,
    beta: float = DEFAULT_BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment.

    >>> sentence_chrf("the cat sat", ["the cat sat"]).score
    100.0
    """
    try:
        metric = _sentence_metric(char_order, word_order, beta, not remove_whitespace, eps_smoothing)
    except TypeError as error:
        raise unhashable(error) from None
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


@lru_cache(maxsize=8, typed=True)
def _sentence_metric(char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool) -> CHRF:
    """Return one object for the many calls of a loop."""
    return CHRF(char_order, word_order, beta, False, whitespace, eps_smoothing)
