"""The finished answer, as immutable records; `output` renders them.

- `Interval`: a mean and a half-width, by resampling
- `ScoreRecord`: one score of one system
- `Detail`: one score of some segments of a test set
- `SystemResult`: a system with its scores, one a metric
- `Test`: what paired test was done
- `Ranking`: every pair of systems compared by one metric
- `Results`: all systems, and the hints that go with them
"""

from collections import namedtuple

# A difference with a larger p-value is taken for chance
SIGNIFICANT = 0.05
# Single comparisons at p ≤ 0.05 of systems of one distribution, measured by scripts/familywise
BOOTSTRAP_RATE = "takes 11-14 % of chance differences for real ones (--paired-ar: 4-5 %)"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NamedTuple, Protocol

    class Signed(Protocol):
        """What `signature.Signature` offers a renderer."""

        def format(self, short: bool = False) -> str:
            """Return the signature in one line."""

        def __iter__(self) -> Iterator[tuple[str, str]]: ...

    class Interval(NamedTuple):
        """A 95 % confidence interval: the mean of the resamples' scores, and half its width."""

        mean: float
        half_width: float

    class ScoreRecord(NamedTuple):
        """A metric's name and score.

        verbose: what stands behind the score in text. higher_is_better: false for error rates. interval: if resampled.
        p_value: of the difference to the baseline, None for the baseline itself. identical: the statistics of all
        segments equal the baseline's, so that the p-value is 1. best: no system is better, as far as is known (a test
        of all pairs did not tell it from the best). details: by parts of the test set.
        differs: the test bears out that this differs from the baseline, trials that equal the difference counted.
        """

        name: str
        score: float
        verbose: str
        signature: Signed
        higher_is_better: bool
        interval: Interval | None = None
        p_value: float | None = None
        identical: bool = False
        best: bool = False
        details: "Sequence[Detail]" = ()
        differs: bool = False

    class Detail(NamedTuple):
        """The score of some segments of a test set.

        origlang: the language they were first written in. kind, value: "domain" or "country", and which; ALL for all.
        """

        origlang: str
        kind: str
        value: str
        segments: int
        score: float

    class SystemResult(NamedTuple):
        """A system's name and its scores, in the order of the metrics."""

        name: str
        scores: list[ScoreRecord]

    class Test(NamedTuple):
        """A paired test against the first system: "bs" (bootstrap) or "ar" (randomization), and how many trials."""

        method: str
        trials: int

    class Ranking(NamedTuple):
        """Every pair of systems compared by one metric, in the order of `Results.systems`.

        p_values, corrected: a row and a column a system, as tested and corrected for the number of pairs; None on the
        diagonal.
        clusters: of each system, from 1, the best; all systems of one differ significantly from all of every other.
        """

        name: str
        p_values: list[list[float | None]]
        corrected: list[list[float | None]]
        clusters: list[int]

    class Results(NamedTuple):
        """All systems; how many segments were scored; hints: what a user should know about the input.

        test: if one was done; then the first system is the baseline. rankings: one a metric, if all pairs were tested.
        """

        systems: list[SystemResult]
        segments: int
        hints: list[str]
        test: Test | None = None
        rankings: Sequence[Ranking] = ()

else:
    Interval = namedtuple("Interval", "mean half_width")
    ScoreRecord = namedtuple(
        "ScoreRecord",
        "name score verbose signature higher_is_better interval p_value identical best details differs",
        defaults=(None, None, False, False, (), False),
    )
    Detail = namedtuple("Detail", "origlang kind value segments score")
    SystemResult = namedtuple("SystemResult", "name scores")
    Test = namedtuple("Test", "method trials")
    Ranking = namedtuple("Ranking", "name p_values corrected clusters")
    Results = namedtuple("Results", "systems segments hints test rankings", defaults=(None, ()))
