"""What a report says in words; it says only what the tests support.

- `Verdict`: what one metric says about all systems; `judge` makes one
- `summarize`: what all metrics say together; `find_disagreements`: where they do not agree
- `tell`: these sentences, one paragraph each
- `compare`: two systems in a sentence; `find_weaknesses`: where the worse one loses points
- `show`: a number that does not look like zero; `show_above`: two numbers of which the first is larger
- `show_cell`: a difference and its p-value, for the figure of all pairs

What these numbers show never contradicts what is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from bleucli.phrases import join_words, tell_count
from bleucli.prose.markup import readable
from bleucli.records import NamedTuple
from bleucli.report.contents import Column, Grouping, Pair, Report
from bleucli.report.passages import odds
from bleucli.results import SIGNIFICANT, round_p, show_p, tell_power
from bleucli.results.citations import tell_agreement

# Groups with fewer segments say little about a system
_FEW = 20
# The most weaknesses named for a system, and the most n-grams in one of them
_MOST, _NGRAMS = 5, 4
# The most systems that a headline names; if there are more, it gives their number
_MOST_NAMED = 3
# Shares below this fraction of a difference are not worth a sentence
_SMALL_SHARE = 0.1
# Differences between floating-point numbers end before this many decimals
_ALL_DECIMALS = 17
# More decimals than this are written as powers of ten
_MOST_DECIMALS = 4


class Verdict(NamedTuple):
    """What one metric says about all systems."""

    is_clear: bool  # one system is significantly better than each of the others
    headline: str  # the leader
    details: str  # its lead, how certain it is, and the number of clusters


def _differ(p_values: Sequence[Sequence[float | None]], first: int, second: int) -> bool:
    p_value = p_values[first][second]
    return p_value is not None and p_value <= SIGNIFICANT


def is_told_apart(column: Column, first: int, second: int) -> bool:
    """Return whether two systems differ significantly by the test of all pairs."""
    return column.ranking is not None and _differ(column.ranking.corrected, first, second)


def _doubtful(column: Column, best: int) -> list[int]:
    """Return the systems over which a system's lead is not significant once typography is alike, the best first."""
    p_values = column.wording and column.wording.corrected
    return [
        system
        for system in column.order()
        if p_values and system != best
        if not _differ(p_values, best, system) or column.lead_in_wording(best, system) <= 0
    ]


def _name(report: Report, systems: Iterable[int], joint: str = "and") -> str:
    """Return the names of systems, enumerated."""
    return join_words([report.names[system] for system in systems], joint)


def _tell_others(count: int, form: str = "all {} other systems") -> str:
    """Return the other systems in words; count: their number.

    >>> _tell_others(2), _tell_others(5)
    ('both other systems', 'all 5 other systems')
    """
    return "both other systems" if count == 2 else form.format(count)


def _tell_rivals(report: Report, best: int) -> str:
    """Return all systems but one in words."""
    rivals = [name for system, name in enumerate(report.names) if system != best]
    return rivals[0] if len(rivals) == 1 else _tell_others(len(rivals))


def _points(gap: str) -> str:
    return f"{gap} {'point' if float(gap) == 1 else 'points'}"


def find_leaders(column: Column) -> list[int]:
    """Return the systems with the best score by a metric: one, unless scores are equal."""
    order = column.order()
    return [system for system in order if column.records[system].score == column.records[order[0]].score]


def judge(report: Report, column: Column) -> Verdict:
    """Return what a metric says about all systems."""
    names = report.names
    best, *rivals = column.order()
    score = show(column.records[best].score, decimals=column.decimals(1))
    if not rivals:
        details = f"There is no other system to compare it with. {_tell_wording(report, column)}".strip()
        return Verdict(False, f"{names[best]} has {score} {column.name}", details)
    leaders = find_leaders(column)
    worse = rivals[len(leaders) - 1 :]
    clusters = _tell_clusters(report, column)
    if not worse:
        headline = f"{_name(report, leaders)} have the same {column.name}, {score}"
        return Verdict(False, headline, f"{clusters} {_tell_wording(report, column)}".strip())
    assert column.ranking is not None
    p_values = [p or 0.0 for p in column.ranking.corrected[best]]
    second = worse[0]
    behind = f"{_points(show(column.lead(best, second), decimals=column.decimals(2)))} behind"
    tied = _ties(column, best)
    doubtful_leads = [] if tied else _doubtful(column, best)
    if not tied:
        many = "the other system" if len(rivals) == 1 else _tell_others(len(rivals), "each of the {} others")
        headline = f"{names[best]} leads by {column.name}: {score}, significantly better than {many}"
        highest = max(p_values[rival] for rival in rivals)
        certainty = show_p(highest) if len(rivals) == 1 else f"{show_p(highest, up=True)} in every comparison"
        details = f"The next best is {names[second]}, {behind}; {certainty}."
        if doubtful_leads:
            lead = f"with typography alike, its lead over {_name(report, doubtful_leads)} is not significant"
            headline = f"{names[best]} leads by {column.name}: {score}, but {lead}"
    else:
        headline = f"{names[best]} has the best {column.name}, {score}"
        if len(leaders) > 1:
            headline = f"{_name(report, leaders)} share the best {column.name}, {score}"
        if doubtful := [system for system in worse if system in tied]:
            # The others with this score may differ from fewer systems
            which = f"{names[best]} " if len(leaders) > 1 else ""
            headline += f", but {which}cannot be told apart from {_name(report, doubtful, 'or')}"
        doubt = ", so their order may be due to chance" if second in tied else ""
        details = f"{names[second]} is {behind}; {show_p(p_values[second])}{doubt}."
        if len(tied) == len(rivals) > 1:
            details += " None of the systems is significantly worse than the best."
    agreement = ""
    if second not in tied:  # what people see in a difference says nothing of one that may be due to chance
        points = column.records[best].score - column.records[second].score
        share = column.records[best].agreement(points)
        agreement = tell_agreement(column.name, share, f"{names[best]} and {names[second]}")
    powers = [tell_power(one, names, number, column.decimals(2)) for number, one in enumerate(column.records)]
    details = " ".join(filter(None, (details, agreement, clusters, *powers, _tell_wording(report, column))))
    return Verdict(not tied and not doubtful_leads, headline, details)


def _tell_wording(report: Report, column: Column) -> str:
    """Return the scores with typography alike and with case ignored, those of the best systems; "" if they stay."""
    best = column.order()[:_MOST_NAMED]

    def tell(way: str, scores: Sequence[float]) -> str:
        values = [f"{scores[system]:.2f} for {report.names[system]}" for system in best]
        return f"{way}, {column.name} is {join_words(values)}."

    alike = "With typography alike in outputs and references"
    sentences = []
    if column.wording is not None:
        sentences.append(tell(f"{alike} (--normalize typography)", column.wording.scores))
    if column.caseless is not None:
        way = "With case ignored as well" if sentences else f"{alike} and case ignored (--normalize typography,case)"
        sentences.append(tell(way, column.caseless))
    return " ".join(sentences)


def _tell_clusters(report: Report, column: Column) -> str:
    """Return how three or more systems fall into clusters."""
    assert column.ranking is not None
    clusters = column.ranking.clusters
    if len(clusters) < 3:
        return ""
    if max(clusters) == 1:
        pairs = list(combinations(range(len(clusters)), 2))
        apart = sum(is_told_apart(column, *pair) for pair in pairs)
        start = f"All {len(clusters)} systems are in one cluster"
        if not apart:
            return f"{start}: no two of them differ significantly."
        return (
            f"{start}, although {apart} of {len(pairs)} pairs {'differs' if apart == 1 else 'differ'} significantly:"
            " wherever the ranking is cut, a system above the cut cannot be told apart from one below."
        )
    members: dict[int, list[int]] = {}
    for system in column.order():
        members.setdefault(clusters[system], []).append(system)
    list_of_clusters = "; ".join(f"{place}: {_name(report, systems)}" for place, systems in sorted(members.items()))
    return f"{len(clusters)} systems in {len(members)} clusters ({list_of_clusters})."


def summarize(report: Report) -> str:
    """Return what all metrics say together, in a sentence or two."""
    columns, names = report.columns, join_words([column.name for column in report.columns])
    if len(report.names) == 1:
        scores = [f"{show(column.records[0].score, decimals=column.decimals(1))} {column.name}" for column in columns]
        return f"{report.names[0]} scores {join_words(scores)}. Give several systems to compare them."
    leaders = [find_leaders(column) for column in columns]
    if all(len(some) == len(report.names) for some in leaders):
        return f"{join_words(report.names)} have the same {names}."
    everywhere = [system for system in leaders[0] if all(system in some for some in leaders)]
    if len(everywhere) > 1:
        return f"{_name(report, everywhere)} share the best {names}."
    verdicts = [judge(report, column) for column in columns]
    clear = [column.name for column, verdict in zip(columns, verdicts, strict=True) if verdict.is_clear]
    others = [column for column, verdict in zip(columns, verdicts, strict=True) if not verdict.is_clear]
    if not everywhere:
        return _summarize_disagreement(report, leaders, clear)
    (best,) = everywhere
    unsure = [column for column in others if _ties(column, best)]
    doubtful = [column for column in others if column not in unsure]
    name = report.names[best]
    all_rivals = _tell_rivals(report, best)
    if not others:
        return f"{name} is significantly better than {all_rivals} by {names}."
    doubt = f"cannot be told apart from {_name_tied(report, unsure, best)}" if unsure else ""
    lead = _tell_lead(report, best, leaders)
    if doubtful:
        return _summarize_typography(report, best, lead, clear, unsure, doubtful)
    if not clear:
        return f"{lead}, but {doubt}."
    return (
        f"{lead}; by {join_words(clear)} it is significantly better than {all_rivals}, but by"
        f" {join_words([column.name for column in unsure])} it {doubt}."
    )


def _tell_lead(report: Report, best: int, leaders: Sequence[Sequence[int]]) -> str:
    """Return that a system has the best scores, and which of them others have, too; leaders: by each metric."""
    alone = [column.name for column, some in zip(report.columns, leaders, strict=True) if len(some) == 1]
    shared = [column.name for column in report.columns if column.name not in alone]
    sharers = {tuple(system for system in some if system != best) for some in leaders if len(some) > 1}
    parts = [f"has the best {join_words(alone)}"] if alone else []
    if shared:
        few = min(sharers, key=len)
        who = _name(report, few) if len(sharers) == 1 and len(few) <= _MOST_NAMED else "others"
        parts.append(f"shares the best {join_words(shared)} with {who}")
    return f"{report.names[best]} {' and '.join(parts)}"


def _summarize_typography(
    report: Report, best: int, lead: str, clear: Sequence[str], unsure: Sequence[Column], doubtful: Sequence[Column]
) -> str:
    """Return the summary if a system is the best by all metrics, but some of its leads are those of typography.

    lead: that it is the best, in words. clear: the names of the metrics by which it is significantly better than all
    others, also in wording. unsure: the metrics by which it cannot be told apart from another system. doubtful: the
    metrics by which it can, but not once typography is alike.
    """
    parts = [lead]
    if clear:
        parts.append(f"by {join_words(clear)} it is significantly better than {_tell_rivals(report, best)}")
    if unsure:
        ties = _name_tied(report, unsure, best)
        parts.append(f"by {join_words([column.name for column in unsure])} it cannot be told apart from {ties}")
    for column in doubtful:
        rival = _doubtful(column, best)[0]
        lead, wording = (
            show(gap, decimals=column.decimals(2))
            for gap in (column.lead(best, rival), column.lead_in_wording(best, rival))
        )
        parts.append(
            f"with typography alike, its lead over {report.names[rival]} is {_points(wording)} of {column.name} instead"
            f" of {lead}, which is not a significant lead"
        )
    return f"{'; '.join(parts)}."


def _name_tied(report: Report, columns: Sequence[Column], best: int) -> str:
    """Return the systems that do not differ significantly from the best: named if few and the same by every metric."""
    ties = {frozenset(_ties(column, best)) for column in columns}
    few = min(ties, key=len)
    if len(ties) == 1 and len(few) <= _MOST_NAMED:
        return _name(report, (system for system in columns[0].order() if system in few), "or")
    return "some of the others" if len(few) < len(report.names) - 1 else "any of the others"


def _summarize_disagreement(report: Report, leaders: Sequence[Sequence[int]], clear: Sequence[str]) -> str:
    """Return the summary if no system has the best score by all metrics.

    leaders: the systems with the best score, by each metric. clear: the names of the metrics by which one system is
    significantly better than all others.
    """
    columns, rivals = report.columns, len(report.names) - 1
    sure = {some[0] for column, some in zip(columns, leaders, strict=True) if column.name in clear}
    if len(sure) == 1:  # it may be the best after all, if no other is significantly ahead
        (best,) = sure
        name, is_ahead, doubts = report.names[best], False, []
        for column, some in zip(columns, leaders, strict=True):
            if best not in some:
                is_ahead = is_ahead or any(is_told_apart(column, leader, best) for leader in some)
                start = f"by {column.name} {_name(report, some)} {'is' if len(some) == 1 else 'are'} ahead"
                doubts.append(f"{start}, but cannot be told apart from {name}")
            elif column.name not in clear:
                alike = "" if _ties(column, best) else " with typography alike"
                doubts.append(
                    f"by {column.name} it has the best score, but is not significantly better than all others{alike}"
                )
        if not is_ahead:
            all_rivals = "the other system" if rivals == 1 else _tell_others(rivals)
            return f"{name} is significantly better than {all_rivals} by {join_words(clear)}; {'; '.join(doubts)}."
    metrics_of: dict[str, list[str]] = {}
    for column, some in zip(columns, leaders, strict=True):
        metrics_of.setdefault(_name(report, some), []).append(column.name)
    winners = "; ".join(f"{some} by {join_words(metrics)}" for some, metrics in metrics_of.items())
    only = f"Only by {join_words(clear)}" if clear else "By no metric"
    which = "By each metric, the best one is" if len(clear) == len(columns) else f"{only} is the best one"
    leads = ((column, some[0]) for column, some in zip(columns, leaders, strict=True) if column.name not in clear)
    is_doubtful = any(not _ties(column, one) for column, one in leads)
    both_ways = ", both as written and with typography alike" if is_doubtful else ""
    all_rivals = "the other" if rivals == 1 else "all others"
    certain = f"{which} significantly better than {all_rivals}{both_ways}"
    return f"The metrics disagree on the best system: {winners}. {certain}."


def _ties(column: Column, system: int) -> list[int]:
    """Return the systems that do not differ significantly from one of them, the best first."""
    return [other for other in column.order() if other != system and not is_told_apart(column, system, other)]


def find_disagreements(report: Report) -> list[str]:
    """Return the pairs that metrics rank differently, in sentences that say which differences are significant."""
    sentences = []
    for pair in report.pairs:
        ways: dict[bool, list[Column]] = {True: [], False: []}
        for column in report.columns:
            if lead := column.lead(pair.first, pair.second):
                ways[lead > 0].append(column)
        if not (ways[True] and ways[False]):
            continue
        ahead, behind = (join_words([column.name for column in side]) for side in ways.values())
        sure = [[one.name for one in side if is_told_apart(one, pair.first, pair.second)] for side in ways.values()]
        significant = [*sure[0], *sure[1]]
        noun = "difference" if len(significant) == 1 else "differences"
        if all(sure):
            why = f"the differences by {join_words(significant)} are significant, so these metrics truly disagree"
        elif significant:
            why = f"only the {noun} by {join_words(significant)} {'is' if len(significant) == 1 else 'are'} significant"
        else:
            why = "no difference is significant"
        first, second = report.names[pair.first], report.names[pair.second]
        sentence = f"{first} is ahead of {second} by {ahead} but behind by {behind}; {why}."
        sentences.append((not all(sure), not any(sure), sentence))
    # True disagreements first, then those with one significant side, then those without any
    return [sentence for *_, sentence in sorted(sentences, key=lambda one: one[:2])]


def tell(report: Report) -> list[str]:
    """Return what a report says first, in paragraphs.

    These are a summary, each metric's verdict, the disagreements, and a summary of each group of segments.
    """
    verdicts = [judge(report, column) for column in report.columns]
    return [
        summarize(report),
        *(f"{verdict.headline}. {verdict.details}".rstrip() for verdict in verdicts),
        *find_disagreements(report),
        *(
            f"{readable(one.title)} ({tell_count(one.segments, 'segment')}):"
            f" {summarize(report._replace(columns=one.columns))}"
            for one in report.sections
        ),
    ]


# --- two systems


def compare(report: Report, pair: Pair, column: Column) -> str:
    """Return what a metric says about two systems, in a sentence."""
    first, second = report.names[pair.first], report.names[pair.second]
    lead = column.lead(pair.first, pair.second)
    assert column.ranking is not None
    corrected = column.ranking.corrected[pair.first][pair.second] or 0.0
    wording = _compare_wording(report, pair, column)
    if not lead:
        return f"{first} and {second} have the same {column.name}.{wording}"
    better, worse = (first, second) if lead > 0 else (second, first)
    gap = _points(show(abs(lead), decimals=column.decimals(2)))
    share = column.records[pair.first].agreement(lead)
    agreement = tell_agreement(column.name, share, f"{first} and {second}")
    end = f" ({show_p(corrected)}, corrected for all pairs).{f' {agreement}' if agreement else ''}{wording}"
    if corrected <= SIGNIFICANT:
        return f"{better} is better than {worse} by {gap} of {column.name}{end}"
    return f"{better} and {worse} cannot be told apart by {column.name}: they differ by {gap}{end}"


def _compare_wording(report: Report, pair: Pair, column: Column) -> str:
    """Return what is left of a difference once typography is alike, after a blank; "" if that changes nothing."""
    if column.wording is None or column.wording.corrected is None:
        return ""
    first, second = pair.first, pair.second
    lead = column.lead_in_wording(first, second)
    if not lead:
        return f" With typography alike, they have the same {column.name}."
    better = report.names[first if lead > 0 else second]
    certainty = show_p(column.wording.corrected[first][second] or 0.0)
    gap = _points(show(abs(lead), decimals=column.decimals(2)))
    return f" With typography alike, {better} leads by {gap} ({certainty})."


def find_weaknesses(report: Report, pair: Pair, number: int) -> list[str]:
    """Return where the worse of two systems loses points by a metric (given by its number); none if they are equal."""
    column = report.columns[number]
    lead = column.lead(pair.first, pair.second)
    if not lead:
        return []
    better, worse = (pair.first, pair.second) if lead > 0 else (pair.second, pair.first)
    weaknesses = [*_weak_factors(report, pair, number, better, worse)]
    for grouping in report.groups:
        weaknesses += _weak_group(report, grouping, number, better, worse)
    weaknesses += _weak_ngrams(report, better, worse)
    return weaknesses[:_MOST]


def _weak_factors(report: Report, pair: Pair, number: int, better: int, worse: int) -> Iterator[str]:
    """Say how much of the difference comes from lengths, and how much from n-grams."""
    shares = pair.shares[number]
    column = report.columns[number]
    gap = abs(column.lead(better, worse))
    if not shares:
        return
    side = -1 if better == pair.first else 1  # the sign of differences, which are the second minus the first
    penalty, *orders = [share._replace(points=share.points * side) for share in shares]
    values = (penalty.first, penalty.second) if better == pair.first else (penalty.second, penalty.first)
    name = report.names[worse]
    noun = "tokens" if re.search(r"\btok:(char|zh|spm|flores)", column.signature) else "words"
    if penalty.points > _SMALL_SHARE * gap:
        theirs, own = show_above(*values, decimals=3)
        share = f"{show(penalty.points, decimals=2)} of the {_points(show(gap, decimals=2))}"
        if penalty.points > gap:
            cost, whole = show_above(penalty.points, gap, decimals=2)
            share = f"{cost}, more than the {_points(whole)} of the difference"
        yield (
            f"The output of {name} is too short: its brevity penalty is {own} against {theirs}, which costs it {share}."
        )
    elif -penalty.points > _SMALL_SHARE * gap:
        yield (
            f"{name} does not lose by its length: its brevity penalty even gains it"
            f" {_points(show(-penalty.points, decimals=2))}. It loses by its precisions."
        )
    # A longer output may have more matches and yet lower precisions; of several orders, only some may be lower
    lower = [number for number, order in enumerate(orders, 1) if order.points > 0]
    parts = []
    for numbers, what in (([1], noun), ([number for number in lower if number > 1], f"phrases of {{}} {noun}")):
        if cost_of := sum(orders[number - 1].points for number in numbers if number in lower):
            factors = _tell_orders([f"p{number}" for number in numbers])
            lengths = what.format(_tell_orders(list(map(str, numbers))))
            parts.append(f"of {lengths} ({factors}), which costs it {_points(show(cost_of, decimals=2))}")
    if parts:
        yield f"{name} has a lower precision {', and '.join(parts)}."


def _tell_orders(orders: Sequence[str]) -> str:
    """Return ascending orders of n-grams in words, neighbours as a range.

    >>> _tell_orders(["2", "3", "4"]), _tell_orders(["p2", "p4"]), _tell_orders(["3"])
    ('2 to 4', 'p2 and p4', '3')
    """
    numbers = [int(order.removeprefix("p")) for order in orders]
    if len(orders) > 2 and numbers[-1] - numbers[0] == len(orders) - 1:
        return f"{orders[0]} to {orders[-1]}"
    return join_words(orders)


def _weak_group(report: Report, grouping: Grouping, number: int, better: int, worse: int) -> Iterator[str]:
    """Say in which group of segments a system is furthest behind."""
    column = report.columns[number]
    scores = grouping.scores[number]
    sign = 1 if column.higher_is_better else -1
    gaps = [
        (sign * float(scores[better][place] - scores[worse][place]), place)
        for place, size in enumerate(grouping.sizes)
        if size >= _FEW
    ]
    if len(gaps) < 2:
        return
    gap, place = max(gaps, key=lambda one: one[0])
    whole = column.lead(better, worse)
    if gap <= whole or gap <= 0:
        return
    label = grouping.labels[place]
    what = f"on references of {label}" if grouping.kind == "length" else f"on the {grouping.title} {label}"
    if len(gaps) < len(grouping.sizes):
        what += f", of all groups with at least {_FEW} segments"
    here, everywhere = show_above(gap, whole, decimals=column.decimals(2))
    yield (
        f"{report.names[worse]} is furthest behind {what}: {_points(here)} in"
        f" {tell_count(grouping.sizes[place], 'segment')}, compared with {everywhere} in all segments."
        " The difference in this group was not tested for significance."
    )


def _weak_ngrams(report: Report, better: int, worse: int) -> Iterator[str]:
    """Name n-grams that a system gets right less often; none is part of another."""
    leads = sorted(report.leads, key=lambda lead: -odds(lead.matches[better], lead.matches[worse]))
    ngrams: list[str] = []  # between blanks, so that one is part of another only word by word
    counts = []
    for lead in leads:
        ngram = f" {' '.join(lead.ngram)} "
        has, lacks = lead.matches[better], lead.matches[worse]
        is_new = not any(ngram in other or other in ngram for other in ngrams)
        if has - lacks >= 2 and is_new and all(map(str.isalpha, lead.ngram)):
            ngrams.append(ngram)
            quotation = f"\N{LEFT DOUBLE QUOTATION MARK}{ngram[1:-1]}\N{RIGHT DOUBLE QUOTATION MARK}"
            counts.append(f"{quotation} ({lacks} against {has})")
        if len(counts) == _NGRAMS:
            break
    if counts:
        where = " in the segments on this page" if report.passages.why else ""
        yield (
            f"{report.names[worse]} gets these n-grams right less often than {report.names[better]}{where}:"
            f" {', '.join(counts)}."
        )


# --- numbers


def show(value: float, sign: str = "", decimals: int = 1) -> str:
    """Return a number with enough decimals not to look like zero.

    >>> show(1.25), show(0.04, "+"), show(0.0), show(-0.0004), show(0.00002)
    ('1.2', '+0.04', '0.0', '-0.0004', '2e-05')
    """
    for places in range(decimals, max(decimals, _MOST_DECIMALS) + 1):
        text = f"{value:{sign}.{places}f}"
        if not value or float(text):
            return text
    return f"{value:{sign}.0e}"


def show_above(larger: float, smaller: float, decimals: int) -> tuple[str, str]:
    """Return two numbers with enough decimals to show that the first one is larger.

    >>> show_above(1.234, 1.231, 2), show_above(2.0, 1.0, 2)
    (('1.234', '1.231'), ('2.00', '1.00'))
    """
    while decimals < _ALL_DECIMALS and f"{larger:.{decimals}f}" == f"{smaller:.{decimals}f}":
        decimals += 1
    return show(larger, decimals=decimals), show(smaller, decimals=decimals)


def show_cell(lead: float, p_value: float, decimals: int) -> tuple[str, str]:
    """Return by how much a system is better, and the p-value, both as short as cells need.

    >>> show_cell(-0.64, 0.0301, 1), show_cell(12.0, 0.0001, 1)
    (('−0.6', 'p=.030'), ('+12.0', 'p<.001'))
    """
    certainty = "p<.001" if p_value < 0.001 else f"p={round_p(p_value)}".replace("0.", ".", 1)
    return f"{lead:+.{decimals}f}".replace("-", "\N{MINUS SIGN}"), certainty
