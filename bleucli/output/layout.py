"""How scores are printed, whatever the format.

- `Layout`: what was asked for
- `is_label`: whether a text can be a label
- `STYLES`: how much the cells of a table show
- `check_results`: refuses anything but results of at least one system
- `marked_names`: the systems' names, with the baseline marked
- `order_rows`: the order of the systems in a table; `sort_pairs`: a matrix with the systems in the order of averages
- `rescale`, `rescale_record`: results, or one score, on a scale from 0 to 1: all that is in percent is divided by 100
"""

from __future__ import annotations

from bleucli.records import NamedTuple
from bleucli.results import DECIMALS, ScoreRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bleucli.results import Results, SystemResult


# full: score, interval and p-value; compact: 59.4±1.1*; stars: 59.4*
STYLES = ("full", "compact", "stars")


class Layout(NamedTuple):
    """How a score is printed."""

    width: int = 1  # the number of decimals
    short: bool = False  # signatures with short keys
    score_only: bool = False  # the number alone
    colour: bool = False  # for a terminal
    bold_best: bool = False  # the best score of each column in bold, in formats with bold type; in text, with colour
    scale: int = 100  # what a perfect score is, 100 or 1; always 100 in jsonl
    style: str = "full"  # of tables: one of `STYLES`
    sort: int | None = None  # the metric, counted from 0, that puts the best system of a table first; None: as given
    difference: bool = False  # also the difference of each score from the baseline's
    caption: str = ""  # of a table, in formats that have captions
    label: str = ""  # by which a document refers to the table
    columns: int | None = None  # of the terminal; wider tables of language pairs are split. None: tables of any width

    def of(self, record: ScoreRecord) -> Layout:
        """Return the layout of a score: those on a scale of their own have as many decimals as others on that scale.

        >>> from bleucli.results.signature import Signature
        >>> record = ScoreRecord("COMET", 0.7718, "", Signature([]), True, scale=1)
        >>> Layout(width=2).of(record).figure(0.7718), Layout(width=3, scale=1).of(record).figure(0.7718)
        ('0.7718', '0.772')
        """
        if record.scale is None or record.scale == self.scale:
            return self
        more = DECIMALS[record.scale] - DECIMALS[self.scale]
        return self._replace(width=max(0, self.width + more), scale=record.scale)

    def figure(self, number: float) -> str:
        """Return a score, or a number in its unit, with the layout's decimals; a number that rounds to 0 has no sign.

        >>> Layout(width=1).figure(48.57), Layout(width=1).figure(-0.04)
        ('48.6', '0.0')
        """
        return f"{number:z.{self.width}f}"

    def share(self, share: float) -> str:
        """Return a share, from 0 to 1, with as many decimals as scores from 0 to 1: two more than scores in percent.

        >>> Layout(width=1).share(0.5714)
        '0.571'
        """
        return f"{share:.{self.width + (2 if self.scale == 100 else 0)}f}"


def is_label(text: str) -> bool:
    """Return whether a text is safe as a label of LaTeX, an attribute of HTML and an option of reStructuredText."""
    import re

    return re.fullmatch(r"[A-Za-z][\w:.-]*", text, re.ASCII) is not None


def check_results(results: object, makers: str = "evaluate_systems or score_matrix") -> None:
    """Refuse anything that cannot be shown in a table, cited or drawn; makers: the functions that return it."""
    from bleucli.errors import BleuError, InputTypeError
    from bleucli.results import Results

    if not isinstance(results, Results):
        kind = type(results).__name__
        raise InputTypeError(f"results of type {kind}; give what {makers} returns")
    if not results.systems:
        raise BleuError("the results have no system; give results of at least one system")


def marked_names(results: Results) -> list[str]:
    """Return the systems' names; if all others were tested against the first one, it is marked as the baseline."""
    names = [system.name for system in results.systems]
    if not results.has_baseline():
        return names
    from bleucli.results.naming import mark_baseline

    return mark_baseline(names)


def order_rows(results: Results, layout: Layout) -> list[int]:
    """Return the systems, by their indexes, in the order of a table's rows.

    A system that all others are tested against stays first.
    """
    indexes = list(range(len(results.systems)))
    if layout.sort is None:
        return indexes
    scores = [system.scores[layout.sort] for system in results.systems]
    baseline = 1 if results.has_baseline() else 0
    is_higher_better = bool(scores[0].higher_is_better)
    ranking = sorted(indexes[baseline:], key=lambda index: scores[index].score, reverse=is_higher_better)
    return [*indexes[:baseline], *ranking]


def sort_pairs(results: Results, number: int) -> Results:
    """Return a matrix with the systems in the order of their averages, best first, then those without one.

    The baseline of a test stays first. Rankings are in the order of the systems, so they are sorted as well.

    A single pair has no averages: its scores decide. number: of the metric, from 0.
    """
    rows = results.systems if len(results.pairs) == 1 else results.averages
    means = {row.bare_name: row.scores[number].score for row in rows}
    sign = -1 if results.systems[0].scores[number].higher_is_better else 1
    baseline = results.names[:1] if results.has_baseline() else ()
    names = sorted(results.names, key=lambda name: (name not in baseline, name not in means, sign * means.get(name, 0)))

    def rank(row: SystemResult) -> tuple[int, int]:
        return results.pairs.index(row.pair) if row.pair in results.pairs else 0, names.index(row.bare_name)

    rankings = []
    for group in results.with_averages().groups() if results.rankings else ():
        order = sorted(range(len(group.systems)), key=lambda index: rank(group.systems[index]))
        rankings += [ranking.take(order) for ranking in group.rankings]
    systems, averages = sorted(results.systems, key=rank), sorted(results.averages, key=rank)
    return results._replace(systems=systems, averages=averages, names=names, rankings=rankings)


def rescale(results: Results, scale: int) -> Results:
    """Return results on a scale: scores, intervals, differences, parts, and the scores that gates judge."""

    def rescale_rows(rows: Sequence[SystemResult]) -> list[SystemResult]:
        return [row._replace(scores=[rescale_record(record, scale) for record in row.scores]) for row in rows]

    return results._replace(
        systems=rescale_rows(results.systems),
        averages=rescale_rows(results.averages),
        verdicts=[verdict._replace(score=rescale_record(verdict.score, scale)) for verdict in results.verdicts],
    )


def rescale_record(record: ScoreRecord, scale: int) -> ScoreRecord:
    """Return a score on a scale, together with everything about it that is in percent.

    >>> from bleucli import BLEU
    >>> record = rescale_record(BLEU().corpus_stats(["a b c d e"], [["a b c d f"]]).record(), 1)
    >>> round(record.score, 3), record.verbose[:23]
    (0.669, '0.800/0.750/0.667/0.500')
    """
    if scale == 100 or record.scale is not None:
        return record
    from bleucli.results import Difference, Interval, in_scale

    interval, difference, precisions = record.interval, record.difference, record.figures.precisions
    if interval is not None:
        interval = Interval(*(in_scale(number, scale) for number in interval))
    if difference is not None:
        low, high = (None if bound is None else in_scale(bound, scale) for bound in (difference.low, difference.high))
        difference = Difference(in_scale(difference.value, scale), low, high)
    verbose = record.verbose
    if precisions is not None:
        percent = "/".join(f"{precision:.1f}" for precision in precisions)
        precisions = [in_scale(precision, scale) for precision in precisions]
        if percent and verbose.startswith(percent):  # texts have the precisions with one decimal, and here with three
            verbose = "/".join(f"{precision:.3f}" for precision in precisions) + verbose[len(percent) :]
    power = record.power
    if power is not None:
        smallest, gap = in_scale(power.smallest, scale), in_scale(power.difference, scale)
        power = power._replace(smallest=smallest, difference=gap)
    return record._replace(
        power=power,
        score=in_scale(record.score, scale),
        verbose=verbose,
        interval=interval,
        details=[part._replace(score=in_scale(part.score, scale)) for part in record.details],
        figures=record.figures._replace(precisions=precisions),
        difference=difference,
    )
