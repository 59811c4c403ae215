"""`bleu matrix`: many language pairs in place of one, with patterns that find their texts."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.cli import outputs, request
from bleucli.cli.streams import Environment, shown
from bleucli.cli.texts import Texts
from bleucli.errors import BleuError, LengthError
from bleucli.matrix.plan import Pair, read_plan
from bleucli.matrix.scoring import Task, find_language, score_pairs
from bleucli.results import PAIR, Input, Results, Unscored, name_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric
    from bleucli.significance.comparison import Sampling


def follows_language(options: Options) -> bool:
    """Return whether the target languages choose tokenizers."""
    return "bleu" in request.names_of_metrics(options) and options.of_metric("bleu").get("tokenize") is None


class _PairTexts(Texts):
    """The texts of one language pair."""

    def __init__(self, pair: Pair, options: Options, environment: Environment, hashed: bool) -> None:
        super().__init__(options.replace(refs=pair.references, input=list(pair.systems.values())), environment, hashed)
        outputs.protect(options, pair.references)
        self.pair = pair
        self._given_names = list(pair.systems)


class MatrixTexts(Texts):
    """The texts of many language pairs; hashed: as for `Texts`."""

    unit = "output"  # the same system may have other outputs that are scored

    def __init__(self, options: Options, environment: Environment, hashed: bool = False) -> None:
        self._options = options
        self._plan = read_plan(shown(str(options.matrix)))
        self._pairs = [_PairTexts(pair, options, environment, hashed) for pair in self._plan.pairs]
        self._rows = [name_row(name, [(PAIR, pair.name)]) for pair in self._plan.pairs for name in pair.systems]
        self.failures: dict[int, BleuError] = {}

    def score(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None = None,
        before: Sequence[SystemStats] = (),
    ) -> Results:
        """Score all pairs, each with metrics made for its target language instead of `metrics`."""
        made: dict[str, list[Metric]] = {}
        tasks = []
        for texts in self._pairs:
            language = find_language(texts.pair.name, texts.pair.language, follows_language(self._options))
            if language not in made:  # a metric needs only the target, which picks the tokenizer
                pair = f"xx-{language}" if language else None
                made[language] = request.make_metrics(self._options.replace(language_pair=pair))
            tasks.append(Task(texts.pair.name, texts.corpus(), made[language]))
        return score_pairs(tasks, self._plan.systems, jobs=jobs, sampling=sampling, progress=progress)

    def check_lengths(self) -> None:
        """Compare the numbers of segments of each pair.

        Raises:
            BleuError: two differ.
        """
        for texts in self._pairs:
            try:
                texts.check_lengths()
            except LengthError as error:
                raise texts.explain(error) from None

    def leave_out(self, reported: bool = False) -> None:
        """Leave out the outputs that cannot be scored, for --keep-going, whether or not they are reported.

        Raises:
            BleuError: references are wrong.
        """
        start = 0
        for texts in self._pairs:
            texts.survey()
            self.failures |= {start + place: error for place, error in texts.failures.items()}
            start += texts.count_systems()

    def explain(self, error: LengthError) -> BleuError:
        """Return the error as it is: its pair has explained it, or the texts cannot be read again."""
        return error

    def count_systems(self) -> int:
        """Return how many outputs there are in all pairs."""
        return len(self._rows)

    def count_unscored(self) -> int:
        """Return how many outputs are left out."""
        return len(self.failures)

    def names_in(self, form: str) -> list[str]:
        """Return what the rows of the answer are called, in every format."""
        return [name for place, name in enumerate(self._rows) if place not in self.failures]

    def unscored_in(self, form: str | None) -> list[Unscored]:
        """Return the outputs that were left out."""
        return [Unscored(self._rows[place], error.in_command()) for place, error in sorted(self.failures.items())]

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return what was read of each output, and all references."""
        read = [texts.inputs() for texts in self._pairs]
        return [one for systems, _ in read for one in systems], [one for _, references in read for one in references]

    def inputs_of_rows(self) -> list[list[Input]]:
        """Return for each row its output and the references of its pair."""
        read = [texts.inputs() for texts in self._pairs]
        return [[system, *references] for systems, references in read for system in systems]

    def hints(self) -> list[str]:
        """Return the hints about the files, once they have been read."""
        return [*self._plan.hints, *(hint for texts in self._pairs for hint in texts.hints())]
