"""The finished answer, as immutable records; `output` renders them.

- `ScoreRecord`: one score of one system
- `SystemResult`: a system with its scores, one a metric
- `Results`: all systems, and the hints that go with them
"""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple, Protocol

    class Signed(Protocol):
        """What `signature.Signature` offers a renderer."""

        def format(self, short: bool = False) -> str:
            """Return the signature in one line."""

        def __iter__(self) -> Iterator[tuple[str, str]]: ...

    class ScoreRecord(NamedTuple):
        """A metric's name and score.

        verbose: what stands behind the score in text. higher_is_better: false for error rates.
        """

        name: str
        score: float
        verbose: str
        signature: Signed
        higher_is_better: bool

    class SystemResult(NamedTuple):
        """A system's name and its scores, in the order of the metrics."""

        name: str
        scores: list[ScoreRecord]

    class Results(NamedTuple):
        """All systems; how many segments were scored; hints: what a user should know about the input."""

        systems: list[SystemResult]
        segments: int
        hints: list[str]

else:
    ScoreRecord = namedtuple("ScoreRecord", "name score verbose signature higher_is_better")
    SystemResult = namedtuple("SystemResult", "name scores")
    Results = namedtuple("Results", "systems segments hints")
