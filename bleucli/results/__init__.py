"""The finished answer, as immutable records; `output` renders them.

- `Results`: all systems, and the hints that go with them; as dictionaries, as rows of a table, as text
- `SystemResult`: a system with its scores; `ScoreRecord`: one score, with `Interval`, `Difference`, `Power`, `Figures`
  (what it was made from) and `Detail` (by parts of a test set)
- `Description`, `Fact`: what a metric says of its scores in a paper
- `Test`, `Ranking`: what test was done, and every pair of systems compared by one metric
- `Verdict`: what a gate says about a score; `Unscored`: a system that was left out
- `Input`, `Run`: what was read, by which command, and when
- `score_item`, `run_item`: a score, and what it was made from, as the objects of `bleu -f jsonl`
- `tell_power`, `tell_ranks`, `show_p` and others: numbers in words

Scores of single segments are in `bleucli.results.segments`.
"""

from __future__ import annotations

from bleucli.errors import BleuError
from bleucli.phrases import join_words, suggest, tell_count
from bleucli.records import NamedTuple, Record
from bleucli.results.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    import pandas

    from bleucli.results.citations import Curve, Paper

# A difference with a larger p-value is not significant
SIGNIFICANT = 0.05
# Differences between floating-point numbers end before this many decimals
_ALL_DECIMALS = 17
# If fewer segments differ, no exact test can be significant: of the 2^5 ways to swap 5 segments, 2 (none or all of
# them) give the observed difference, and 2 / 32 is above 0.05
FEWEST_SEGMENTS = 6
# With fewer units that differ, what a test set can show is not known within a tenth: a few changes that nearly all go
# in the same direction show more than the standard error says. With 18 to 26 on WMT17, estimates were 20 to 51% too
# large.
FEWEST_DIFFERING = 50
# By method, what a test is called, and what one of its repetitions is called
TESTS = {"bs": ("Paired bootstrap resampling", "resample"), "ar": ("Paired approximate randomization", "trial")}
# What is drawn or exchanged as a whole when scores are resampled, and what sentences call it. The segments of a
# document depend on one another; documents hardly do.
UNITS = {"segment": "segment", "doc": "document"}
# The shape of the objects of `bleu -f jsonl`; the number changes when a key changes its meaning or is removed
SHAPE = "bleucli/scores-1"
# What rows of a table have of it, under these names
_ROW = (
    *("metric", "score", "segments", "interval_mean", "interval_half_width", "baseline", "difference"),
    *("difference_low", "difference_high", "p_value", "identical"),
    *("rank_first", "rank_last", "cluster", "brevity_penalty", "hypothesis_length"),
    *("reference_length", "edits"),
)
# The scales on which scores may be printed, from 0 to 100 or to 1, each with its default number of decimals
DECIMALS = {100: 1, 1: 3}
# The label of a matrix's rows, and its value for means over all pairs
PAIR, AVERAGE = "pair", "average"


def scale_of(scores: Iterable[float]) -> int:
    """Return the scale that scores from another tool fit: 1 if none is beyond 1.

    >>> scale_of([0.78, 0.7718]), scale_of([-0.2, 71.5])
    (1, 100)
    """
    return 1 if all(abs(score) <= 1 for score in scores) else 100


class Interval(NamedTuple):
    """A 95% confidence interval by bootstrap: `mean` plus or minus `half_width`."""

    mean: float  # of the resamples' scores
    half_width: float  # half the distance between the bounds that hold 95% of the resamples' scores

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the lower and the upper end."""
        return self.mean - self.half_width, self.mean + self.half_width


class Difference(NamedTuple):
    """A score minus the baseline's, and the bounds of its 95% interval; without a bootstrap, the bounds are None."""

    value: float
    low: float | None = None
    high: float | None = None


class Power(NamedTuple):
    """What a paired test can show of a score and another system's, on this test set.

    other: the index of the other system among those that were tested together. smallest: the smallest difference, in
    points, that a test at 0.05 finds with a probability of 0.8. difference: the observed one, without its sign. units:
    how many segments or documents there are. differing: in how many of them the systems differ. unit: which of the two,
    one of `UNITS`.
    """

    other: int
    smallest: float
    difference: float
    units: int
    differing: int
    unit: str = "segment"

    @property
    def needed(self) -> int | None:
        """Return how many units the observed difference needs, with two digits.

        Returns:
            None for more than 10^9, and for so few that fewer than `FEWEST_DIFFERING` of them would differ.

        >>> [Power(0, 0.67, difference, 3004, 2700).needed for difference in (0.67, 0.3, 0.0, 20.0)]
        [3000, 15000, None, None]
        """
        if self.difference * 10**9 <= self.smallest:  # the ratio could overflow
            return None
        needed = self.units * (self.smallest / self.difference) ** 2
        is_known = needed <= 10**9 and needed * self.differing >= FEWEST_DIFFERING * self.units
        return int(float(f"{needed:.2g}")) if is_known else None


class Figures(NamedTuple):
    """What a score was made from; None for what its metric does not have."""

    precisions: Sequence[float] | None = None  # in percent; this and the next three by order of n-grams
    counts: Sequence[float] | None = None  # n-grams that match
    totals: Sequence[float] | None = None  # n-grams of the hypotheses
    reference_totals: Sequence[float] | None = None  # n-grams of the references
    brevity_penalty: float | None = None
    hypothesis_length: float | None = None  # this and the next one in what the metric counts: tokens, words, characters
    reference_length: float | None = None
    edits: int | None = None
    hits: int | None = None  # of TER, WER and CER; this and the next ones are counted only if they are asked for
    substitutions: int | None = None
    deletions: int | None = None
    insertions: int | None = None
    shifts: int | None = None


# The kinds of edits among these fields
EDIT_KINDS = ("hits", "substitutions", "deletions", "insertions", "shifts")
# Those of these fields that have a number for each order
BY_ORDER = ("precisions", "counts", "totals", "reference_totals")


class Detail(NamedTuple):
    """The score of some segments of a test set."""

    origlang: str  # the language that they were first written in
    kind: str  # "domain" or "country"
    value: str  # which one, or ALL
    segments: int  # how many
    score: float


class Fact(NamedTuple):
    """A fact about how scores were made.

    label: such as "Tokenizer". if_matched: what to add if every system's n-grams of every order have a match.
    """

    label: str
    text: str
    if_matched: str = ""


class Description(NamedTuple):
    """What a metric says of its scores; nobody else says anything about its settings.

    paper: that of the metric; None if there is none. case: "case-sensitive", "case-insensitive", or "" if that does not
    apply. uses: what the metric uses, as parts of a sentence. facts: the same as a list. papers: what to cite for that.
    follows_sacrebleu: whether sacreBLEU has this metric with these settings, and gives the same scores. curve: how
    often people agree with its order of two systems; None where that is not known.
    """

    paper: Paper | None = None
    case: str = ""
    uses: Sequence[str] = ()
    facts: Sequence[Fact] = ()
    papers: Sequence[Paper] = ()
    follows_sacrebleu: bool = False
    curve: Curve | None = None


def _describe_nothing(info: Mapping[str, str]) -> Description:
    return Description()


class ScoreRecord(Record):
    """A metric's name and score."""

    name: str
    score: float
    verbose: str  # what follows the score in text
    signature: Signature
    higher_is_better: bool | None  # false for error rates; None if neither is better, as for self-BLEU
    interval: Interval | None = None  # if resampled
    # of the difference from the baseline; counts trials that equal the difference. None for the baseline itself
    p_value: float | None = None
    identical: bool = False  # the statistics of all segments equal the baseline's, so that the p-value is 1
    best: bool = False  # no system is known to be better: it is the best, or a test of all pairs finds no difference
    details: Sequence[Detail] = ()  # by parts of the test set
    differs: bool = False  # the p-value is significant
    figures: Figures = Figures()
    difference: Difference | None = None  # from the baseline, if there was a paired test; None for the baseline itself
    # what the test can show of this system and another one; only for the system that matters most: the second best, or
    # the best one that was tested against a baseline
    power: Power | None = None
    shares: Sequence[tuple[str, float | None]] = ()  # other measures, by name, from 0 to 1; None if unknown
    # as sacreBLEU computes it: without trials that equal the difference; None if sacreBLEU computes none
    sacrebleu_p_value: float | None = None
    # The metric's `describe`: takes what the signature says, and returns what may be said of the score. Scores that no
    # metric made, or that were read from a file, are not described.
    describe: Callable[[Mapping[str, str]], Description] = _describe_nothing
    # Of scores from elsewhere, which are printed as they are: 1 if none is beyond 1, else 100; None for percent
    scale: int | None = None

    @property
    def description(self) -> Description:
        """Return what may be said of the score, in the words of its metric."""
        return self.describe(self.signature.info)

    def agreement(self, difference: float) -> float | None:
        """Return how often people agree with the order of two systems by their difference in points, in percent.

        Returns:
            From 50, for chance, to 80, for 80 or more; None for no difference, and for scores of other kinds than those
            for which this was measured.
        """
        curve = self.description.curve
        return curve.share(difference) if difference and curve is not None and curve.name == self.name else None


class SystemResult(Record):
    """A system's name and its scores, in the order of the metrics.

    For a group of segments: `labels` has what they have in common, by column, and `segments` how many there are.
    """

    name: str
    scores: list[ScoreRecord]
    labels: Sequence[tuple[str, str]] = ()
    segments: int | None = None

    def __getitem__(self, key: str, /) -> ScoreRecord:
        """Return the score of a name, as for `Results.score`.

        Raises:
            BleuError: there is no such score, or there are several.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        matches = [record for record in self.scores if record.name == key]
        matches = matches or [record for record in self.scores if _key_of(record.name) == _key_of(key)]
        if len(matches) == 1:
            return matches[0]
        names = [record.name for record in self.scores]
        what = f"has {tell_count(len(matches), 'score')} called" if matches else "has no score"
        raise BleuError(f"{self.name} {what} {key!r}; it has {', '.join(names)}{suggest(key, names)}")

    @property
    def bare_name(self) -> str:
        """Return what the system is called without the group of segments.

        >>> SystemResult("KIT pair=en-de", [], [("pair", "en-de")]).bare_name
        'KIT'
        """
        return self.name.removesuffix(name_row("", self.labels))

    @property
    def pair(self) -> str:
        """Return the language pair of a row of a matrix."""
        return dict(self.labels)[PAIR]


class Test(NamedTuple):
    """A paired test against the first system."""

    method: str  # "bs" (bootstrap) or "ar" (randomization)
    trials: int
    unit: str = "segment"  # what is drawn or exchanged as a whole: one of `UNITS`


class Ranking(NamedTuple):
    """Every pair of systems compared by one metric, in the order of `Results.systems`."""

    name: str
    # one row and one column per system, None on the diagonal; uncorrected, then corrected for the number of pairs
    p_values: list[list[float | None]]
    corrected: list[list[float | None]]
    clusters: list[int]  # of each system, from 1, the best; systems of different clusters differ significantly
    # of each system, the first and the last rank that the corrected test allows, from 1: every system that is
    # significantly better stands before it, and every one that is significantly worse stands after it
    ranks: list[tuple[int, int]]

    def take(self, order: Sequence[int]) -> Ranking:
        """Return the ranking with the systems in another order, by their indexes.

        >>> ranking = Ranking("BLEU", [[None, 0.1], [0.1, None]], [[None, 0.2], [0.2, None]], [1, 2], [(1, 1), (2, 2)])
        >>> ranking.take([1, 0]).clusters, ranking.take([1, 0]).ranks
        ([2, 1], [(2, 2), (1, 1)])
        """
        p_values, corrected = (
            [[table[first][second] for second in order] for first in order] for table in (self.p_values, self.corrected)
        )
        clusters = [self.clusters[index] for index in order]
        return Ranking(self.name, p_values, corrected, clusters, [self.ranks[index] for index in order])


class Verdict(NamedTuple):
    """What a gate says about a score."""

    system: str  # whose score it is
    score: ScoreRecord
    gate: str  # as it is asked for on the command line
    failure: str  # why the score did not pass, in a sentence; "" if it passed


class Unscored(NamedTuple):
    """A system that could not be scored, although others were."""

    system: str  # its name
    reason: str  # why, in a sentence


class Input(NamedTuple):
    """A text that was read."""

    role: str  # "system", "reference", "groups", "statistics" or "table"; in HTML reports also "scores"
    name: str
    segments: int
    sha256: str  # of its bytes as they were read, before decompression


class Run(NamedTuple):
    """What results were made from; and the command and its time, if a format shows these."""

    systems: Sequence[Input]  # in the order of `Results.systems`
    references: Sequence[Input]
    command: Sequence[str] | None = None  # the command's name and its words
    time: str | None = None  # ISO 8601, in UTC
    of_rows: Sequence[Sequence[Input]] | None = None  # inputs of each row; None: its system, and all references


def tell_references(rows: Iterable[SystemResult]) -> str:
    """Return how many references the language pairs of these rows have; "" if all have the same number.

    >>> from bleucli import BLEU
    >>> texts = {"en-de": ({"A": ["gut"]}, [["gut"], ["fein"]]), "en-fr": ({"A": ["bon"]}, [["bon"]])}
    >>> import bleucli, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tell_references(bleucli.score_matrix(texts).systems)
    '2 (en-de) and 1 (en-fr)'
    """
    pairs: dict[str, dict[str, None]] = {}
    for row in rows:
        count = row.scores[0].signature.info.get("nrefs", "")
        pairs.setdefault("varying" if count == "var" else count, {})[row.pair] = None
    counts = [f"{count} ({join_words(list(names))})" for count, names in pairs.items()]
    return join_words(counts) if len(counts) > 1 else ""


class Results(Record):
    """What is known about all systems, as `evaluate_systems` returns it. It prints as a table, in notebooks as well.

    `results["system"]["BLEU"]` is the record of a score, and `results.score("system", "BLEU")` its number.

    Attributes:
        systems: each with `name` and `scores`, one record per metric: `name`, `score` in percent, `signature`,
            `interval`, `p_value` and the like.
        segments: how many were scored.
        hints: what a user should know about the texts, in sentences.
        test: the paired test, with `method` ("bs" or "ar") and `trials`; its baseline is the first system, unless every
            pair was tested. None if nothing was tested.
        rankings: one per metric if every pair of systems was tested: uncorrected and corrected p-values, with one row
            and one column per system; clusters, counted from 1; and the ranks that the test allows each system. If
            groups were tested, `groups` tells them apart.
        averages, pairs, names: of a matrix, whose rows are labelled with language pairs: a row of means for each system
            that has scores for every pair; all pairs and all systems, in the order of its tables.

    >>> from bleucli import evaluate_systems
    >>> results = evaluate_systems({"weak": ["a b c x"], "fair": ["a b c d"]}, [["a b c d e"]])
    >>> [(system.name, round(system.scores[0].score, 1)) for system in results.systems], results.segments
    ([('weak', 46.3), ('fair', 77.9)], 1)
    >>> print(results)  # doctest: +ELLIPSIS
    System   BLEU
    ------  -----
    weak    46.31
    fair    77.88
    <BLANKLINE>
    BLEU: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...
    """

    systems: list[SystemResult]
    segments: int  # how many were scored
    hints: list[str]  # what a user should know about the input
    test: Test | None = None  # if one was done; then the first system is the baseline, unless there are rankings
    rankings: Sequence[Ranking] = ()  # one per metric, if all pairs were tested; for groups, in the order of these
    verdicts: Sequence[Verdict] = ()  # of gates, if there are any
    run: Run | None = None  # if a format shows it, or a gate needs it
    unscored: Sequence[Unscored] = ()  # systems that were left out; they do not change the shape of the answer
    averages: Sequence[SystemResult] = ()
    pairs: Sequence[str] = ()
    names: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, strings, numbers, truth values and None, for JSON.

        Returns:
            - `scores`: for each system and metric, in this order, the object that `bleu -f jsonl` prints, which the
              package's `output/scores.schema.json` describes; averages over language pairs come last. Scores are in
              percent and not rounded.
            - `hints`: what a user should know about the texts, in sentences
            - `unscored`: for each system that could not be scored, `system` and `reason`
            - `verdicts`: for each score and gate, `system`, `metric`, `gate` and `failure`, which is "" if it passed

        >>> from bleucli import evaluate_systems
        >>> found = evaluate_systems({"weak": ["a b c x"], "fair": ["a b c d"]}, [["a b c d e"]]).to_dict()
        >>> [(one["system"], one["metric"], round(one["score"], 1)) for one in found["scores"]]
        [('weak', 'BLEU', 46.3), ('fair', 'BLEU', 77.9)]
        """
        results = self.with_averages()
        scores = [
            group.score_item(index, place) | run_item(results.run, row, self.test)
            for row, (group, index) in enumerate(results.places())
            for place, _ in enumerate(group.systems[index].scores)
        ]
        verdicts = [
            {"system": one.system, "metric": one.score.name, "gate": one.gate, "failure": one.failure}
            for one in self.verdicts
        ]
        unscored = [one._asdict() for one in self.unscored]
        return {"scores": scores, "hints": list(self.hints), "unscored": unscored, "verdicts": verdicts}

    def rows(self) -> list[dict[str, Any]]:
        """Return a table in long form, as `pandas.DataFrame` and `polars.DataFrame` take it.

        Returns:
            A flat dictionary for each system and metric, in this order. Of the following keys, all rows have those that
            apply to at least one row. If a key does not apply to a row, its value there is None:

            - `system`, the columns that make groups, `metric`, `score` (in percent), `segments`. Language pairs are
              groups with the column `pair`; the last rows have `average` there.
            - `interval_mean`, `interval_half_width`: of the confidence interval, in percent
            - `baseline`: whether the system is the baseline; `difference`, `difference_low`, `difference_high`: the
              difference from the baseline, in points, and the bounds of its 95% interval. If every pair was tested,
              there is no baseline, and differences and p-values are those from the first system.
            - `p_value`, from 0 to 1, which counts ties; `identical`, whether all statistics equal the baseline's
            - `rank_first`, `rank_last`: the ranks that a test of all pairs allows, from 1; `cluster`, from 1
            - `brevity_penalty`, from 0 to 1; `hypothesis_length`, `reference_length`, `edits`
            - for self-BLEU, distinct n-grams as shares from 0 to 1; `signature`, in one line

            `to_dict` has the rest: counts, precisions, pairs, systems without scores, and verdicts.

        Raises:
            BleuError: a column that makes groups has the name of another key.

        >>> from bleucli import evaluate_systems
        >>> results = evaluate_systems({"weak": ["a b c x"], "fair": ["a b c d"]}, [["a b c d e"]], ["bleu", "ter"])
        >>> for row in results.rows():
        ...     print(row["system"], row["metric"], round(row["score"], 1), row["segments"], row["edits"])
        weak BLEU 46.3 1 None
        weak TER 40.0 1 2
        fair BLEU 77.9 1 None
        fair TER 20.0 1 1
        """
        results = self.with_averages()
        rows = []
        for group, index in results.places():
            system = group.systems[index]
            for place, record in enumerate(system.scores):
                cells = group.cells(index, place)
                values = {key: cells.get(key) for key in _ROW} | dict(record.shares)
                values["signature"] = str(record.signature)
                for column, _ in system.labels:
                    if column in values:
                        raise BleuError(
                            f"the column {column} makes groups, but rows have a column of that name; rename yours, or"
                            " use to_dict()"
                        )
                # Labels have columns of their own. A column `system` names the systems, as in the command.
                rows.append({"system": system.bare_name, **dict(system.labels), **values})
        filled = {key for row in rows for key, value in row.items() if value is not None}
        columns = [key for key in dict.fromkeys(key for row in rows for key in row) if key in filled]
        return [{key: row.get(key) for key in columns} for row in rows]

    def groups(self) -> list[Results]:
        """Return the results of each group of segments if groups were tested; otherwise, all results together.

        Each group has a baseline and rankings of its own.

        >>> from bleucli import evaluate_systems
        >>> texts, labels = ["a b c d e", "f g h i j"], {"domain": ["news", "talk"]}
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):  # one segment can show nothing
        ...     results = evaluate_systems({"A": texts, "B": texts}, [texts], labels=labels, by="domain", test="ar")
        >>> [[system.name for system in group.systems] for group in results.groups()]
        [['A domain=news', 'B domain=news'], ['A domain=talk', 'B domain=talk']]
        """
        if self.test is None or not self.systems or not self.systems[0].labels:
            return [self]
        groups: list[list[SystemResult]] = []
        for system in self.systems:
            # Missing and empty values look alike, so two groups that follow one another may have the same labels
            is_new = not groups or system.name in [one.name for one in groups[-1]]
            if is_new or list(system.labels) != list(groups[-1][0].labels):
                groups.append([])
            groups[-1].append(system)
        count = len(self.systems[0].scores) if self.rankings else 0
        return [
            self._replace(
                systems=of, segments=of[0].segments or 0, rankings=self.rankings[place * count : (place + 1) * count]
            )
            for place, of in enumerate(groups)
        ]

    def places(self) -> Iterator[tuple[Results, int]]:
        """Give the group of each system, as `groups` returns it, and the index of the system there."""
        for group in self.groups():
            for index, _ in enumerate(group.systems):
                yield group, index

    def has_baseline(self) -> bool:
        """Return whether the first system is the one that all others were tested against, not every pair."""
        return self.test is not None and not self.rankings

    def cells(self, index: int, place: int) -> dict[str, Any]:
        """Return all that is known of one score of a system, by the names of `rows`; None where nothing is.

        If groups were tested, call it on one of `groups`.

        Args:
            index: the index of the system.
            place: the index of the score among the system's scores.

        >>> from bleucli import evaluate_systems
        >>> cells = evaluate_systems({"A": ["a b c"]}, [["a b d"]], ["ter"]).cells(0, 0)
        >>> cells["metric"], cells["edits"], cells["p_value"]
        ('TER', 1, None)
        """
        cells: dict[str, Any] = {}
        for key, value in self.score_item(index, place).items():
            if key in ("interval", "difference", "rank") and isinstance(value, dict):
                cells |= {key if part == "value" else f"{key}_{part}": number for part, number in value.items()}
            else:
                cells[key] = value
        for key in ("score", "hypothesis_length", "reference_length"):  # some metrics have whole numbers
            cells[key] = None if cells[key] is None else float(cells[key])
        if self.test is None:
            cells["identical"] = None
        if not self.has_baseline():
            cells["baseline"] = None
        return cells

    def with_sacrebleu_p_values(self) -> Results:
        """Return results with the p-values that sacreBLEU computes, where it computes any."""

        def replace(record: ScoreRecord) -> ScoreRecord:
            p_value = record.sacrebleu_p_value
            return record if p_value is None else record._replace(p_value=p_value)

        return self._replace(
            systems=[system._replace(scores=list(map(replace, system.scores))) for system in self.systems]
        )

    def with_averages(self) -> Results:
        """Return results in which the averages of a matrix are rows like others."""
        run = self.run
        if run is not None and run.of_rows is not None:
            by_name: dict[str, list[Input]] = {}
            for row, inputs in zip(self.systems, run.of_rows, strict=True):
                by_name.setdefault(row.bare_name, []).extend(inputs)
            run = run._replace(of_rows=[*run.of_rows, *(by_name[mean.bare_name] for mean in self.averages)])
        return self._replace(systems=[*self.systems, *self.averages], averages=(), run=run)

    def score_item(self, index: int, place: int) -> dict[str, object]:
        """Return one score of a system as an object of `bleu -f jsonl`, without the keys about the run.

        If groups were tested, call it on one of `groups`.

        index, place: as for `cells`.
        """
        names = [system.name for system in self.systems]
        system = self.systems[index]
        record = system.scores[place]
        item = score_item(names[index], record, self.segments if system.segments is None else system.segments)
        if self.test is not None:
            item |= {
                "baseline": self.has_baseline() and index == 0,
                "test": {**self.test._asdict(), "baseline": names[0] if self.has_baseline() else None},
                "p_value": record.p_value,
                "identical": record.identical,
                "difference": None if record.difference is None else record.difference._asdict(),
            }
        if self.rankings:
            ranking = self.rankings[place]
            rows = zip(names, ranking.p_values[index], ranking.corrected[index], strict=True)
            item |= {
                "cluster": ranking.clusters[index],
                "rank": dict(zip(("first", "last"), ranking.ranks[index], strict=True)),
                "pairs": [{"system": name, "p_value": p, "corrected": by} for name, p, by in rows if p is not None],
            }
        return item

    # --- systems and scores by name

    def __getitem__(self, key: str, /) -> SystemResult:
        """Return the system of a name.

        Raises:
            BleuError: there is no such system, or there are several.

        >>> from bleucli import evaluate_systems
        >>> results = evaluate_systems({"weak": ["a b c x"], "fair": ["a b c d"]}, [["a b c d e"]])
        >>> round(results["fair"]["BLEU"].score, 1)
        77.9
        """
        return self.system(key) if isinstance(key, str) else super().__getitem__(key)

    def system(self, name: str, **labels: str) -> SystemResult:
        """Return the system of a name.

        Args:
            name: its name, or what a row of a group is called, such as "KIT domain=news".
            labels: the group, where there are several: `domain="news"`, or `pair="en-de"` for a matrix.

        Raises:
            BleuError: there is no such system, or there are several.
        """
        rows = [*self.systems, *self.averages]
        matches = [row for row in rows if row.name == name and not labels] or [
            row for row in rows if row.bare_name == name and labels.items() <= dict(row.labels).items()
        ]
        if len(matches) > 1:  # without labels, a matrix has no row of its own for a system
            groups = join_words([f"{column}={value!r}" for column, value in matches[0].labels])
            raise BleuError(f"{tell_count(len(matches), 'group')} have a system {name!r}; name one, such as {groups}")
        if not matches:
            group = name_row("", labels.items())
            names = list(dict.fromkeys(row.bare_name for row in rows))
            choices = ", ".join(names) or "none"
            raise BleuError(f"there is no system {name!r}{group}; choose from {choices}{suggest(name, names)}")
        return matches[0]

    def score(self, system: str, metric: str = "", **labels: str) -> float:
        """Return a score, in percent unless another tool computed it.

        Args:
            system: the name of the system.
            metric: the name of the metric, in upper or lower case: that of the score, such as BLEU or chrF2, or that of
                the command, such as chrf; "" if there is only one.
            labels: as for `system`.

        Raises:
            BleuError: there is no such score, or there are several.

        >>> from bleucli import evaluate_systems
        >>> results = evaluate_systems({"fair": ["a b c d"]}, [["a b c d e"]], ["bleu", "chrf"])
        >>> round(results.score("fair", "BLEU"), 1), results.score("fair", "chrf") == results.score("fair", "chrF2")
        (77.9, True)
        """
        row = self.system(system, **labels)
        if metric:
            return row[metric].score
        if len(row.scores) != 1:
            names = ", ".join(record.name for record in row.scores)
            raise BleuError(f"{system} has {tell_count(len(row.scores), 'score')}; name one of {names}")
        return row.scores[0].score

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows of `rows()` as a data frame of pandas.

        Raises:
            BleuError: pandas is not installed; or as for `rows`.
        """
        return data_frame(self.rows())

    # --- as text

    def __str__(self) -> str:
        """Return a table: one row per system, one column per metric; below it the test and signatures."""
        from bleucli.prose.markup import text_table

        return text_table(*self._table(signatures=False))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        from bleucli.prose.markup import html_table

        return html_table(*self._table(signatures=True))

    def _table(self, signatures: bool) -> tuple[list[str], list[list[str]], list[tuple[str, str]]]:
        """Return the titles and rows of a table, and the notes that follow it.

        signatures: whether each row of a matrix has its signatures.
        """
        if not self.systems:
            return ["System"], [], []
        scores, notes, has_baseline = self.systems[0].scores, self._notes(), self.has_baseline()
        titles, rows = [record.name for record in scores], []
        with_signatures = signatures and bool(self.pairs)
        for row in (*self.systems, *self.averages):
            start = [row.bare_name, row.pair] if self.pairs else [row.name]
            rows.append([*start, *(_tell_score(one, has_baseline) for one in row.scores)])
            rows[-1] += [str(record.signature) for record in row.scores if with_signatures]
        if self.pairs:
            return ["System", "Pair", *titles, *(f"{name} signature" for name in titles if signatures)], rows, notes
        if not self.systems[0].labels:  # each group has a signature of its own, which `rows` gives
            notes += [(f"{record.name}:", str(record.signature)) for record in scores]
        return ["System", *titles], rows, notes

    def _notes(self) -> list[tuple[str, str]]:
        """Return how systems were tested, and their ranks, as notes of a table."""
        notes = []
        if self.test is not None:
            name, trial = TESTS[self.test.method]
            baseline = self.systems[0].bare_name
            comparison = "every pair" if self.rankings else f"against {baseline}; * p ≤ {SIGNIFICANT}, nominal"
            unit = "" if self.test.unit == "segment" else f" of {UNITS[self.test.unit]}s"
            notes.append((f"{name}{unit}, {self.test.trials} {trial}s: {comparison}", ""))
        for group in self.with_averages().groups():
            for ranking in group.rankings:
                ranks = zip(group.systems, ranking.ranks, strict=True)
                ranks_text = ", ".join(f"{system.name} {tell_ranks(both)}" for system, both in ranks)
                notes.append((f"{ranking.name}, ranks that corrected p-values allow: {ranks_text}", ""))
        return notes


def data_frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    """Return rows as a data frame of pandas."""
    try:
        import pandas as pd
    except ImportError:
        raise BleuError("pandas is not installed; type: pip install pandas") from None
    return pd.DataFrame(rows)


def mark_best(results: Results) -> Results:
    """Return untested results with the best score of each metric marked."""
    columns = zip(*(system.scores for system in results.systems), strict=True)
    best = [(max if column[0].higher_is_better else min)(record.score for record in column) for column in columns]

    def mark(system: SystemResult) -> SystemResult:
        pairs = zip(system.scores, best, strict=True)
        return system._replace(scores=[record._replace(best=record.score == top) for record, top in pairs])

    return results._replace(systems=list(map(mark, results.systems)))


def score_item(system: str, record: ScoreRecord, segments: int) -> dict[str, object]:
    """Return all keys that an object of `bleu -f jsonl` has about a score, filled from its record alone."""
    interval = record.interval
    return {
        "schema": SHAPE,
        "system": system,
        "baseline": False,
        "metric": record.name,
        "higher_is_better": record.higher_is_better,
        "segment": None,
        "segments": segments,
        "score": record.score,
        **{key: list(part) if isinstance(part, tuple) else part for key, part in record.figures._asdict().items()},
        "signature": dict(record.signature),
        "interval": None if interval is None else interval._asdict(),
        "test": None,
        "p_value": None,
        "identical": False,
        "difference": None,
        "cluster": None,
        "rank": None,
        "pairs": None,
        "parts": [part._asdict() for part in record.details],
    }


def run_item(run: Run | None, index: int, test: Test | None) -> dict[str, object]:
    """Return the keys that an object of `bleu -f jsonl` has about the run, with the inputs of one system's scores."""
    if run is None:
        return {"command": None, "inputs": None, "time": None}
    baseline = [run.systems[0]] if test is not None else []
    inputs = [run.systems[index], *baseline, *run.references] if run.of_rows is None else run.of_rows[index]
    read = dict.fromkeys(inputs)  # columns of one file are one input
    return {"command": run.command and list(run.command), "inputs": [one._asdict() for one in read], "time": run.time}


def tell_ranks(ranks: tuple[int, int]) -> str:
    """Return the first and the last rank that a system may have, as tables show them.

    >>> tell_ranks((2, 5)), tell_ranks((1, 1))
    ('2–5', '1')
    """
    first, last = ranks
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def tell_power(record: ScoreRecord, names: Sequence[str], number: int, decimals: int) -> str:
    """Return what the test can show, in two sentences; "" if that is not known.

    names: those of all systems that were tested together; number: the place of the one that has the score. decimals:
    those of differences, which have more if they would look like zero.

    >>> from bleucli.results.signature import Signature
    >>> record = ScoreRecord("BLEU", 27.0, "", Signature([]), True, power=Power(0, 0.6712, 0.0553, 3004, 2700))
    >>> print(tell_power(record, ["LIUM", "online-B"], 1, 2))
    BLEU: with 3,004 segments, one test at 0.05 finds a difference of 0.67 between LIUM and online-B with a probability\
 of 0.8. For the observed difference, 0.06, it needs about 440,000 segments.
    """
    power = record.power
    if power is None:
        return ""
    smallest, difference = (_show(value, decimals) for value in (power.smallest, power.difference))
    unit = UNITS[power.unit]
    sentence = (
        f"{record.name}: with {power.units:,} {unit}s, one test at {SIGNIFICANT} finds a difference of {smallest}"
        f" between {names[power.other]} and {names[number]} with a probability of 0.8."
    )
    if power.needed is None:
        return sentence
    units = f"{power.needed:,} {unit}{'s' * (power.needed != 1)}"
    return f"{sentence} For the observed difference, {difference}, it needs about {units}."


def _show(value: float, decimals: int) -> str:
    while decimals < 9 and value and not float(f"{value:.{decimals}f}"):
        decimals += 1
    return f"{value:.{decimals}f}"


def in_scale(score: float, scale: int) -> float:
    """Return a score in percent, or a difference of scores in points, as it is printed on a scale.

    >>> in_scale(55.1625, 1), in_scale(55.1625, 100)
    (0.551625, 55.1625)
    """
    return score if scale == 100 else score / 100


def name_row(system: str, labels: Iterable[tuple[str, str]]) -> str:
    """Return what a system is called on a group of segments.

    >>> name_row("KIT", [("testset", "wmt17"), ("domain", "news")])
    'KIT testset=wmt17 domain=news'
    """
    return " ".join([system, *(f"{column}={value}" for column, value in labels)])


def _key_of(name: str) -> str:
    """Return the name of a score in the form in which names are compared: as the command calls it.

    >>> _key_of("chrF2++"), _key_of("chrf++"), _key_of("chrF3")
    ('chrf++', 'chrf++', 'chrf3')
    """
    name = name.lower()
    return f"chrf{name[5:]}" if name.startswith("chrf2") and not name[5:].strip("+") else name


def _tell(number: float, record: ScoreRecord) -> str:
    return f"{number:.{4 if record.scale == 1 else 2}f}"


def _tell_score(record: ScoreRecord, with_p_value: bool) -> str:
    """Return a score with its interval, if it has one, and its p-value, if that is wanted."""
    text = _tell(record.score, record)
    if record.interval is not None:
        text += f" (μ = {_tell(record.interval.mean, record)} ± {_tell(record.interval.half_width, record)})"
    if with_p_value and record.p_value is not None:
        p_value = f"p = {record.p_value:.4f}" + "*" * (record.p_value <= SIGNIFICANT)
        text += " identical" if record.identical else f" {p_value}"
    return text


def round_p(value: float, up: bool = False) -> str:
    """Return a p-value with three decimals, or with more if it would otherwise change its significance.

    >>> round_p(0.04321), round_p(0.0504), round_p(0.0013), round_p(0.0013, up=True)
    ('0.043', '0.0504', '0.001', '0.002')
    """
    from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal

    exact = Decimal(repr(value))
    for decimals in range(3, _ALL_DECIMALS):
        rounded = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING if up else ROUND_HALF_EVEN)
        if (rounded <= Decimal(repr(SIGNIFICANT))) == (value <= SIGNIFICANT):
            return f"{rounded:f}"
    return repr(value)


def show_p(value: float, up: bool = False) -> str:
    """Return a p-value as papers print it; up: round up, and say that it is a bound.

    >>> show_p(0.00001), show_p(0.04321), show_p(1.0), show_p(0.0013, up=True)
    ('p < 0.001', 'p = 0.043', 'p = 1.000', 'p ≤ 0.002')
    """
    return "p < 0.001" if value < 0.001 else f"p {'≤' if up else '='} {round_p(value, up)}"
