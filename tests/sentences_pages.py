"""Every kind of sentence on a page, with its recomputation, and random pages that reach them.

Pages are drawn in two ways: `drawn_report` draws scores, p-values and groups directly, so that ties, near ties and
p-values beside 0.05 come up often; `counted_report` counts random texts, and the whole page is read.
"""

from __future__ import annotations

import json
import math
import random
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from sentences import Place, Shown, match, split_list

from bleucli import BLEU, CER, CHRF, TER, WER, Segments, normalize
from bleucli.counting import count
from bleucli.counting.corpus import of_strings
from bleucli.metrics import segment_scores
from bleucli.report import charts, contents, page, plots, verdicts
from bleucli.report.contents import Column, Grouping, Pair, Report, Wording
from bleucli.report.passages import Lead, Passages
from bleucli.results import Description, Power, Ranking, ScoreRecord
from bleucli.results.citations import Curve
from bleucli.results.signature import Signature
from bleucli.scoring import score_counted
from bleucli.significance import comparison
from bleucli.significance.comparison import Sampling

PAGE = Place("page")
FEW = 20  # segments of a group that is worth a sentence
OTHERS = r"both other systems|the other system|(?:all|each of the) \d+ (?:other systems|others)"


class PageWorld:
    """A report and the numbers that its sentences are about.

    texts: the outputs by system, the references, and the metrics; None if scores were drawn.
    """

    def __init__(self, report, factors, texts=None, seed=None):
        self.report, self.factors, self.texts, self.seed = report, factors, texts, seed
        self.names, self.metrics = list(report.names), [column.name for column in report.columns]
        self.pair = self.metric = self.best = self.cells = None

    def __str__(self):
        return f"seed {self.seed}, {len(self.names)} systems, {', '.join(self.metrics)}"

    def score(self, metric, system):
        return self.report.columns[metric].records[system].score

    def higher(self, metric):
        return self.report.columns[metric].higher_is_better

    def lead(self, metric, first, second):
        """By how much the first system is better."""
        gap = self.score(metric, first) - self.score(metric, second)
        return gap if self.higher(metric) else -gap

    def p(self, metric, first, second):
        return self.report.columns[metric].ranking.corrected[first][second]

    def apart(self, metric, first, second):
        return self.p(metric, first, second) <= 0.05

    def wording(self, metric):
        """Return the scores with typography alike, counted again if there are texts; None if it changes nothing."""
        drawn = self.report.columns[metric].wording
        if self.texts is None or metric >= len(self.texts[2]):
            return drawn and drawn.scores
        systems, references, metrics = self.texts
        streams = [normalize(stream) for stream in references]
        scores = [metrics[metric].corpus_score(normalize(texts), streams).score for texts in systems]
        if drawn is None:
            assert all(math.isclose(a, self.score(metric, at)) for at, a in enumerate(scores))
        return scores

    def caseless(self, metric):
        """Return the scores with typography alike and case ignored, counted again if there are texts."""
        drawn = self.report.columns[metric].caseless
        if self.texts is None or metric >= len(self.texts[2]):
            return drawn
        systems, references, metrics = self.texts
        kinds = "typography,case"
        streams = [normalize(stream, kinds) for stream in references]
        return [metrics[metric].corpus_score(normalize(texts, kinds), streams).score for texts in systems]

    def tells_best(self, metric, told, numbers):
        """Return whether scores, with names, are those of the best systems, the best first."""
        order = self.report.columns[metric].order()[:3]
        scores = [part.split(" for ") for part in split_list(told)]
        return [self.names.index(name) for _, name in scores] == order and all(
            Shown(score).of(numbers[system]) for (score, _), system in zip(scores, order, strict=True)
        )

    def lead_in_wording(self, metric, first, second):
        scores = self.wording(metric)
        gap = scores[first] - scores[second]
        return gap if self.higher(metric) else -gap

    def doubtful(self, metric, best):
        """Return the systems over which a lead is not significant with typography alike."""
        drawn = self.report.columns[metric].wording
        if drawn is None:
            return set()
        return {
            other
            for other in self.others(best)
            if self.lead_in_wording(metric, best, other) <= 0 or drawn.corrected[best][other] > 0.05
        }

    def leads_for_sure(self, metric, system):
        return self.beats_all(metric, system) and not self.doubtful(metric, system)

    def others(self, system):
        return [other for other in range(len(self.names)) if other != system]

    def is_best(self, metric, system):
        return all(self.lead(metric, system, other) >= 0 for other in self.others(system))

    def leaders(self, metric):
        return {system for system in range(len(self.names)) if self.is_best(metric, system)}

    def beats_all(self, metric, system):
        others = self.others(system)
        return all(self.lead(metric, system, other) > 0 and self.apart(metric, system, other) for other in others)

    def tied(self, metric, system):
        return {other for other in self.others(system) if not self.apart(metric, system, other)}

    def are_all_others(self, text, system):
        """Return whether words for "all others" fit, such as "both other systems"."""
        number = re.search(r"\d+", text)
        size = int(number[0]) if number else 1 if text == "the other system" else 2
        return text in self.names or len(self.others(system)) == size

    def other(self, system):
        """Return the other system of the pair that is described."""
        assert system in self.pair
        return self.pair[1 - self.pair.index(system)]

    def two_bleus(self):
        """Return the metric that is described, and its scores of the two systems."""
        systems, references, metrics = self.texts
        scores = [metrics[self.metric].corpus_score(systems[system], references) for system in self.pair]
        return metrics[self.metric], *scores

    def points(self, metric, first, second):
        """Each factor's points in the first system's lead, by name: the logarithmic mean times the logarithm."""
        ours, theirs = self.factors[metric][first], self.factors[metric][second]
        a, b = self.score(metric, first), self.score(metric, second)
        mean = a if math.isclose(a, b, rel_tol=1e-9) else (a - b) / math.log(a / b)
        order = len(ours) - 1
        roots = [1, *[order] * order]
        names = ["BP", *(f"p{number}" for number in range(1, order + 1))]
        zipped = zip(names, ours, theirs, roots, strict=True)
        return {name: mean * math.log(one / other) / root for name, one, other, root in zipped}

    def matches(self, system, ngram, on_page):
        """How often a system gets an n-gram right, in all segments or in those on the page."""
        if self.texts is None:
            return next(lead.matches[system] for lead in self.report.leads if " ".join(lead.ngram) == ngram)
        systems, references, metrics = self.texts
        bleu = next((metric for metric in metrics if isinstance(metric, BLEU)), None)

        def tokens(texts, of_references=False):
            segments = Segments.from_strings(texts)
            if bleu is not None:
                segments = bleu.prepare_reference(segments) if of_references else bleu.prepare(segments)
            return [(text or "").split() for text in segments]

        wanted, size = ngram.split(), len(ngram.split())

        def times(words):
            return sum(words[at : at + size] == wanted for at in range(len(words) - size + 1))

        ours, theirs = tokens(systems[system]), [tokens(stream, True) for stream in references]
        held = {passage.place for passage in self.report.passages.passages}
        places = held if on_page else range(len(ours))
        return sum(min(times(ours[at]), max(times(stream[at]) for stream in theirs)) for at in places)


# --- the headline


@PAGE.sentence("one system's scores", "{best:system} scores {scores:text}. Give several systems to compare them.")
def _(w, best, scores):
    told = split_list(scores)
    return len(w.names) == 1 and [
        Shown(one.partition(" ")[0]).of(w.score(m, best)) and one.partition(" ")[2] == w.metrics[m]
        for m, one in enumerate(told)
    ] == [True] * len(w.metrics)


@PAGE.sentence("the same score", "{systems:systems} have the same {metrics:metrics}.")
def _(w, systems, metrics):
    return len(systems) > 1 and all(len({w.score(m, system) for system in systems}) == 1 for m in metrics)


@PAGE.sentence("a shared lead by every metric", "{systems:systems} share the best {metrics:metrics}.")
def _(w, systems, metrics):
    return len(systems) > 1 and set(systems) == set.intersection(*(w.leaders(m) for m in metrics))


@PAGE.sentence(
    "a lead by every metric",
    f"{{best:system}} is significantly better than {{others:{OTHERS}|\\S+}} by {{metrics:metrics}}.",
)
def _(w, best, others, metrics):
    all_metrics = len(metrics) == len(w.metrics)
    return all_metrics and w.are_all_others(others, best) and all(w.leads_for_sure(m, best) for m in metrics)


@PAGE.sentence(
    "a lead by some metrics",
    f"{{best:system}} is significantly better than {{others:{OTHERS}|\\S+}} by {{metrics:metrics}}; {{doubts:text}}.",
)
def _(w, best, others, metrics, doubts):
    doubted = []
    for doubt in doubts.split("; "):
        if found := match(
            "by {metric:metric} {ahead:systems} ((is||are)) ahead, but cannot be told apart from {best:system}",
            doubt,
            w,
        ):
            m = found["metric"]
            fine = set(found["ahead"]) == w.leaders(m) and best == found["best"] not in found["ahead"]
            fine = fine and not any(w.apart(m, leader, best) for leader in found["ahead"])
        else:
            form = "by {metric:metric} it has the best score, but is not significantly better than all others"
            found = match(f"{form}[[{{alike: with typography alike}}]]", doubt, w)
            m = found["metric"]
            fine = w.is_best(m, best) and (w.doubtful(m, best) if found["alike"] else not w.beats_all(m, best))
        if not fine:
            return False
        doubted.append(m)
    if sorted([*metrics, *doubted]) != list(range(len(w.metrics))):
        return False
    return w.are_all_others(others, best) and all(w.leads_for_sure(m, best) for m in metrics)


@PAGE.sentence(
    "metrics that disagree on the best",
    "The metrics disagree on the best system: {told:text}."
    " {how:Only by [^;.]+? is the best one|By no metric is the best one|By each metric, the best one is} significantly"
    " better than {others:all others|the other}[[{both:, both as written and with typography alike}]].",
)
def _(w, told, how, others, both):
    seen, listed = [], []
    for names, _, metrics in (part.partition(" by ") for part in told.split("; ")):
        systems = {w.names.index(name) for name in split_list(names)}
        named = [w.metrics.index(name) for name in split_list(metrics)]
        if systems in seen or any(systems != w.leaders(m) for m in named):  # the same names come only once
            return False
        seen.append(systems)
        listed += named
    beats = w.leads_for_sure if both else w.beats_all
    clear = [m for m in listed if any(beats(m, system) for system in w.leaders(m))]
    only = how.removeprefix("Only by ").removesuffix(" is the best one")
    named = [w.metrics.index(name) for name in split_list(only)] if "Only" in how else []
    if "each" in how:
        named = [*range(len(w.metrics))]
    elif len(named) == len(w.metrics):
        return False
    fine = sorted(named) == sorted(clear) and (others == "the other") == (len(w.names) == 2)
    return fine and sorted(listed) == list(range(len(w.metrics))) and not set.intersection(*seen)


LEAD = (
    "{best:system} [[has the best {alone:metrics}]][[{both: and }]]"
    "[[shares the best {shared:metrics} with {sharers:text}]]"
)


def _is_lead(w, best, alone, both, shared, sharers):
    """Whether a system is alone at the head by some metrics, and beside these systems by all others."""
    if sorted([*(alone or ()), *(shared or ())]) != list(range(len(w.metrics))) or bool(both) != bool(alone and shared):
        return False
    beside = [w.leaders(m) - {best} for m in shared or ()]
    fine = (
        all(w.leaders(m) == {best} for m in alone or ())
        and all(beside)
        and all(w.is_best(m, best) for m in shared or ())
    )
    if not shared or sharers == "others":
        return fine
    return fine and all(systems == {w.names.index(name) for name in split_list(sharers)} for systems in beside)


@PAGE.sentence("the best by every metric, in doubt", f"{LEAD}, but cannot be told apart from {{whom:text}}.")
def _(w, best, alone, both, shared, sharers, whom):
    everywhere = range(len(w.metrics))
    return _is_lead(w, best, alone, both, shared, sharers) and _is_tied(w, best, everywhere, whom)


@PAGE.sentence(
    "the best by every metric, sure by some",
    f"{LEAD}; by {{clear:metrics}} it is significantly better than"
    f" {{others:{OTHERS}|\\S+}}, but by {{unsure:metrics}} it cannot be told apart from {{whom:text}}.",
)
def _(w, best, alone, both, shared, sharers, clear, others, unsure, whom):
    if sorted([*clear, *unsure]) != list(range(len(w.metrics))) or not w.are_all_others(others, best):
        return False
    fine = _is_lead(w, best, alone, both, shared, sharers) and all(w.leads_for_sure(m, best) for m in clear)
    return fine and _is_tied(w, best, unsure, whom)


@PAGE.sentence(
    "the best by every metric, by typography",
    f"{LEAD}[[; by {{clear:metrics}} it is significantly better than"
    f" {{others:{OTHERS}|\\S+}}]][[; by {{unsure:metrics}} it cannot be told apart from {{whom:[^;]+}}]]; with"
    " typography alike, its lead over {rest:text}, which is not a significant lead.",
)
def _(w, best, alone, both, shared, sharers, clear, others, unsure, whom, rest):
    fine = _is_lead(w, best, alone, both, shared, sharers) and all(w.leads_for_sure(m, best) for m in clear or ())
    fine = fine and (not clear or w.are_all_others(others, best)) and (not unsure or _is_tied(w, best, unsure, whom))
    doubtful = []
    for part in rest.split(", which is not a significant lead; with typography alike, its lead over "):
        found = match("{rival:system} is {wording:points} of {metric:metric} instead of {lead:number}", part, w)
        m, rival = found["metric"], found["rival"]
        doubtful.append(m)
        fine = fine and w.beats_all(m, best) and rival in w.doubtful(m, best)
        fine = (
            fine and found["lead"].of(w.lead(m, best, rival)) and found["wording"].of(w.lead_in_wording(m, best, rival))
        )
    return fine and sorted([*(clear or ()), *(unsure or ()), *doubtful]) == list(range(len(w.metrics)))


def _is_tied(w, best, metrics, whom):
    ties = [w.tied(m, best) for m in metrics]
    if whom == "any of the others":
        return all(len(tied) == len(w.names) - 1 for tied in ties)
    if whom == "some of the others":
        return all(ties)
    named = {w.names.index(name) for name in split_list(whom)}
    return all(tied == named for tied in ties)


# --- the verdict of a metric


@PAGE.sentence(
    "a single system", "{best:system} has {score:number} {metric:metric}. There is no other system to compare it with."
)
def _(w, best, score, metric):
    return len(w.names) == 1 and score.of(w.score(metric, best))


@PAGE.sentence("the same score, with its number", "{systems:systems} have the same {metric:metric}, {score:number}.")
def _(w, systems, metric, score):
    w.metric = metric
    return (
        len(systems) == len(w.names)
        and all(w.score(metric, s) == w.score(metric, 0) for s in systems)
        and (score.of(w.score(metric, 0)))
    )


@PAGE.sentence(
    "a significant lead",
    f"{{best:system}} leads by {{metric:metric}}: {{score:number}}, significantly better than {{others:{OTHERS}}}.",
)
def _(w, best, metric, score, others):
    w.metric, w.best = metric, best
    return w.leads_for_sure(metric, best) and score.of(w.score(metric, best)) and w.are_all_others(others, best)


@PAGE.sentence(
    "a lead by typography",
    "{best:system} leads by {metric:metric}: {score:number}, but with typography alike, its lead over {rivals:systems}"
    " is not significant.",
)
def _(w, best, metric, score, rivals):
    w.metric, w.best = metric, best
    return w.beats_all(metric, best) and score.of(w.score(metric, best)) and set(rivals) == w.doubtful(metric, best)


@PAGE.sentence(
    "scores with typography alike",
    "With typography alike in outputs and references (--normalize typography), {metric:metric} is {told:text}.",
)
def _(w, metric, told):
    return w.tells_best(metric, told, w.wording(metric))


@PAGE.sentence(
    "scores with typography alike and case ignored",
    "With case ignored as well, {metric:metric} is {told:text}.",
    "With typography alike in outputs and references and case ignored (--normalize typography,case), {metric:metric} is"
    " {told:text}.",
)
def _(w, metric, told):
    return w.tells_best(metric, told, w.caseless(metric))


@PAGE.sentence(
    "the next best", "The next best is {second:system}, {gap:points} behind; {p:p}[[{every: in every comparison}]]."
)
def _(w, second, gap, p, every):
    rest = w.others(w.best)
    first = all(w.lead(w.metric, second, other) >= 0 for other in rest)
    tested = max(w.p(w.metric, w.best, other) for other in (rest if every else [second]))
    return first and gap.of(w.lead(w.metric, w.best, second)) and gap.value > 0 and p.of(tested)


@PAGE.sentence(
    "the best score, in doubt",
    "{best:system} has the best {metric:metric}, {score:number}, but cannot be told apart from {tied:systems}.",
)
def _(w, best, metric, score, tied):
    w.metric, w.best = metric, best
    return w.leaders(metric) == {best} and score.of(w.score(metric, best)) and set(tied) == w.tied(metric, best)


@PAGE.sentence(
    "a shared best score",
    "{systems:systems} share the best {metric:metric}, {score:number}[[, but {one:system} cannot be told apart from"
    " {tied:systems}]].",
)
def _(w, systems, metric, score, one, tied):
    w.metric, w.best = metric, systems[0]
    doubtful = w.tied(metric, systems[0]) - set(systems)
    fine = set(systems) == w.leaders(metric) and score.of(w.score(metric, systems[0]))
    return fine and (doubtful == set(tied or ()) and (one is None or one == systems[0]))


@PAGE.sentence(
    "the next best, in doubt",
    "{second:system} is {gap:points} behind; {p:p}[[{doubt:, so their order may be due to chance}]].",
)
def _(w, second, gap, p, doubt):
    lead, rest = w.lead(w.metric, w.best, second), set(w.others(w.best)) - w.leaders(w.metric)
    fine = gap.of(lead) and gap.value > 0 and p.of(w.p(w.metric, w.best, second))
    fine = fine and all(w.lead(w.metric, second, other) >= 0 for other in rest)
    return fine and bool(doubt) == (not w.apart(w.metric, w.best, second))


@PAGE.sentence("no system is worse", "None of the systems is significantly worse than the best.")
def _(w):
    return not any(w.apart(w.metric, w.best, other) for other in w.others(w.best))


@PAGE.sentence("a single cluster", "All {n:count} systems are in one cluster: no two of them differ significantly.")
def _(w, n):
    return n == len(w.names) and not any(w.apart(w.metric, a, b) for a in range(n) for b in w.others(a))


@PAGE.sentence(
    "a single cluster, with differences",
    "All {n:count} systems are in one cluster, although {apart:count} of {pairs:count} pairs ((differs||differ))"
    " significantly: wherever the ranking is cut, a system above the cut cannot be told apart from one below.",
)
def _(w, n, apart, pairs):
    order = w.report.columns[w.metric].order()
    both = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    cuts = [(order[:at], order[at:]) for at in range(1, n)]
    chained = all(any(not w.apart(w.metric, a, b) for a in above for b in below) for above, below in cuts)
    return n == len(order) and pairs == len(both) and apart == sum(w.apart(w.metric, *p) for p in both) > 0 and chained


def smallest_difference(metric, first, second, references):
    """Return what a test finds with a probability of 0.8: 2.80 standard errors, by leaving out each segment once."""
    sides = []
    for texts in (first, second):
        rows = np.array([list(row) for row in metric.segment_stats(texts, references)])
        sides.append([metric.score_from_stats((rows.sum(axis=0) - row).tolist()).score for row in rows])
    return 2.801585 * math.sqrt((len(first) - 1) * np.var(np.subtract(*sides)))


def are_needed(needed, units, differing, smallest, gap):
    """Whether this is how many segments a difference needs, with two digits.

    None if there are too many, or so few that fewer than 50 of them would differ.
    """
    exact = units * (smallest / gap) ** 2 if gap else 1e10
    if exact > 1e9 or exact * differing < 50 * units:
        return needed is None
    return needed is not None and needed == pytest.approx(exact, rel=0.06, abs=1)


@PAGE.sentence(
    "what the test set shows",
    "{metric:metric}: with {units:count} ((segment||segments)), one test at 0.05 finds a difference of"
    " {smallest:number} between {first:system} and {second:system} with a probability of 0.8.[[ For the observed"
    " difference, {gap:number}, it needs about {needed:count} ((segment||segments)).]]",
)
def _(w, metric, units, smallest, first, second, gap, needed):
    power = w.report.columns[metric].records[second].power
    expected = power.smallest
    if w.texts is not None and metric < len(w.texts[2]):
        systems, references, metrics = w.texts
        expected = smallest_difference(metrics[metric], systems[first], systems[second], references)
    lead = abs(w.lead(metric, first, second))
    best = w.report.columns[metric].order()[:2] == [first, second]
    fine = best and units == len(w.report.lines) and smallest.of(expected) and (gap is None or gap.of(lead))
    return fine and are_needed(needed, units, power.differing, expected, lead)


AGREEMENT = "Where two systems differ as much by {metric:metric} as "
ORDER = (
    ", people agree with their order {how:no more often than by chance|in about \\d+% of pairs|in more than 80% of"
    " pairs} (Kocmi et al., 2024)."
)


def agrees(how, name, curve, gap):
    """Whether this is how often people agree with a difference, by the curve `a / (1 + exp(-b * difference))`.

    curve: a and b; None for those of Kocmi et al. (2024) for sacreBLEU's default settings.
    """
    height, slope = curve or {"BLEU": (88.3333, 0.96639), "chrF2": (93.0, 1.11427)}[name]
    share = height / (1 + math.exp(-slope * abs(gap)))
    if share <= 50 or share >= 80:
        return how == ("no more often than by chance" if share <= 50 else "in more than 80% of pairs")
    return gap != 0 and Shown(how.removeprefix("in about ").partition("%")[0]).of(share)


@PAGE.sentence("how often people agree", f"{AGREEMENT}{{first:system}} and {{second:system}}{ORDER}")
def _(w, metric, first, second, how):
    column = w.report.columns[metric]
    curve = column.records[first].description.curve
    return agrees(how, column.name, curve[1:], column.records[first].score - column.records[second].score)


@PAGE.sentence("clusters", "{n:count} systems in {k:count} clusters ({told:text}).")
def _(w, n, k, told):
    parts = [part.partition(": ") for part in told.split("; ")]
    groups = [[w.names.index(name) for name in split_list(names)] for _, _, names in parts]
    if [int(number) for number, _, _ in parts] != list(range(1, k + 1)) or n != len(w.names):
        return False
    column = w.report.columns[w.metric]
    if [system for group in groups for system in group] != column.order():
        return False
    place = {system: number for number, group in enumerate(groups) for system in group}
    apart = all(w.apart(w.metric, a, b) for a in place for b in place if place[a] != place[b])
    # No cluster could be split: at every border within one, a pair across it is tied
    whole = all(
        any(not w.apart(w.metric, a, b) for a in group[:at] for b in group[at:])
        for group in groups
        for at in range(1, len(group))
    )
    return apart and whole


@PAGE.sentence(
    "metrics that disagree on two systems",
    "{first:system} is ahead of {second:system} by {ahead:metrics} but behind by {behind:metrics}; {why:text}.",
)
def _(w, first, second, ahead, behind, why):
    sides = all(w.lead(m, first, second) > 0 for m in ahead) and all(w.lead(m, first, second) < 0 for m in behind)
    equal = [m for m in range(len(w.metrics)) if w.lead(m, first, second) == 0]
    sure = {m for m in (*ahead, *behind) if w.apart(m, first, second)}
    if found := match("the differences by {ms:metrics} are significant, so these metrics truly disagree", why, w):
        named = set(found["ms"])
        fine = bool(named & set(ahead) and named & set(behind))
    elif match("no difference is significant", why, w) is not None:
        named, fine = set(), True
    else:
        found = match("only the differences by {ms:metrics} are significant", why, w) or match(
            "only the difference by {ms:metrics} is significant", why, w
        )
        named = set(found["ms"])
        fine = not (named & set(ahead) and named & set(behind))
    return sides and fine and named == sure and len(ahead) + len(behind) + len(equal) == len(w.metrics)


# --- two systems


@PAGE.sentence(
    "two systems that differ",
    "{better:system} is better than {worse:system} by {gap:points} of {metric:metric} ({p:p}, corrected for all"
    " pairs).",
)
def _(w, better, worse, gap, metric, p):
    w.metric = metric
    lead = w.lead(metric, better, worse)
    fine = lead > 0 and gap.value > 0 and gap.of(lead)
    return fine and w.apart(metric, better, worse) and p.of(w.p(metric, better, worse))


@PAGE.sentence(
    "two systems that do not differ",
    "{better:system} and {worse:system} cannot be told apart by {metric:metric}: they differ by {gap:points}"
    " ({p:p}, corrected for all pairs).",
)
def _(w, better, worse, metric, gap, p):
    w.metric = metric
    fine = gap.value > 0 and gap.of(abs(w.lead(metric, better, worse)))
    return fine and not w.apart(metric, better, worse) and p.of(w.p(metric, better, worse))


@PAGE.sentence(
    "two systems with typography alike", "With typography alike, {better:system} leads by {gap:points} ({p:p})."
)
def _(w, better, gap, p):
    other = w.other(better)
    lead = w.lead_in_wording(w.metric, better, other)
    return lead > 0 and gap.of(lead) and p.of(w.report.columns[w.metric].wording.corrected[better][other])


@PAGE.sentence("two systems with the same wording", "With typography alike, they have the same {metric:metric}.")
def _(w, metric):
    return metric == w.metric and w.lead_in_wording(metric, *w.pair) == 0


@PAGE.sentence(
    "wins by segments",
    "{first:system} has the better {metric:metric} in {n:count} ((segment||segments)), {second:system} in {k:count};"
    " {equal:count} ((segment is||segments are)) equal.",
)
def _(w, first, metric, n, second, k, equal):
    column = w.report.columns[metric]
    gaps = column.segment_scores[first] - column.segment_scores[second]
    gaps = gaps if column.higher_is_better else -gaps
    return [n, k, equal] == [int(side.sum()) for side in (gaps > 0, gaps < 0, gaps == 0)]


@PAGE.sentence("who is behind", "Where {worse:system} is behind")
def _(w, worse):
    return w.lead(w.metric, w.other(worse), worse) > 0


@PAGE.sentence("nobody is behind", "Neither is behind")
def _(w):
    return w.lead(w.metric, *w.pair) == 0


@PAGE.sentence(
    "a brevity penalty that costs",
    "The output of {worse:system} is too short: its brevity penalty is {own:number} against {others:number}, which"
    " costs it {cost:number} of the {gap:points}.",
    "The output of {worse:system} is too short: its brevity penalty is {own:number} against {others:number}, which"
    " costs it {cost:number}, more than the {more:points} of the difference.",
)
def _(w, worse, own, others, cost, gap=None, more=None):
    better = w.other(worse)
    (mine, *_), (theirs, *_) = w.factors[w.metric][worse], w.factors[w.metric][better]
    lead, points = w.lead(w.metric, better, worse), w.points(w.metric, better, worse)["BP"]
    fine = mine < 1 and mine < theirs and own.of(mine) and others.of(theirs) and own.value < others.value
    fine = fine and cost.of(points) and (gap or more).of(lead)
    return fine and (points > lead and cost.value > more.value if more else points <= lead and cost.value <= gap.value)


@PAGE.sentence(
    "a brevity penalty that gains",
    "{worse:system} does not lose by its length: its brevity penalty even gains it {gain:points}. It loses by its"
    " precisions.",
)
def _(w, worse, gain):
    penalty, *precisions = w.points(w.metric, w.other(worse), worse).values()
    return gain.of(-penalty) and gain.value > 0 and sum(precisions) > 0


@PAGE.sentence(
    "lower precisions",
    "{worse:system} has a lower precision [[of {noun:words|tokens} (p1), which costs it {words:points}]][[, and"
    " ]][[of phrases of {long:[^()]+?} {nouns:words|tokens} ({factors:[^()]+?}), which costs it {phrases:points}]].",
)
def _(w, worse, noun, words, long, nouns, factors, phrases):
    points = w.points(w.metric, w.other(worse), worse)
    lower = [int(name[1:]) for name, cost in points.items() if name != "BP" and cost > 0]
    if words is not None and not (1 in lower and words.of(points["p1"]) and words.value > 0):
        return False
    named = [1] if words else []
    if long is not None:
        numbers = [int(number) for number in re.findall(r"\d+", long)]
        named += range(numbers[0], numbers[-1] + 1) if " to " in long else numbers
        if re.sub(r"(\d+)", r"p\1", long) != factors:
            return False
        if not (phrases.value > 0 and phrases.of(sum(points[f"p{number}"] for number in named if number > 1))):
            return False
    signature = w.report.columns[w.metric].signature
    told = "tokens" if re.search(r"tok:(char|zh|spm|flores)", signature) else "words"
    return named == lower and {noun, nouns} - {None} == {told}


@PAGE.sentence(
    "the weakest group",
    "{worse:system} is furthest behind on {what:text}[[{all:, of all groups with at least 20 segments}]]:"
    " {gap:points} in {n:count} ((segment||segments)), compared with {whole:number} in all segments. The difference"
    " in this group was not tested for significance.",
)
def _(w, worse, what, all, gap, n, whole):  # noqa: A002
    better = w.other(worse)

    def lead(grouping, place):
        scores = grouping.scores[w.metric]
        difference = scores[better][place] - scores[worse][place]
        return difference if w.higher(w.metric) else -difference

    for grouping in w.report.groups:
        for place, label in enumerate(grouping.labels):
            if what not in (f"references of {label}", f"the {grouping.title} {label}"):
                continue
            large = [at for at, size in enumerate(grouping.sizes) if size >= FEW]
            most = max(lead(grouping, at) for at in large)
            fine = place in large and lead(grouping, place) == most and grouping.sizes[place] == n
            fine = fine and bool(all) == (len(large) < len(grouping.sizes))
            fine = fine and gap.of(most) and whole.of(w.lead(w.metric, better, worse)) and gap.value > whole.value
            return fine and (grouping.kind == "length") == what.startswith("references of ")
    return False


@PAGE.sentence(
    "n-grams",
    "{worse:system} gets these n-grams right less often than {better:system}[[{here: in the segments on this page}]]:"
    " {told:“.+?” \\(\\d+ against \\d+\\)(?:, “.+?” \\(\\d+ against \\d+\\))*}.",
)
def _(w, worse, better, here, told):
    sampled = bool(w.report.passages.why)
    found = re.findall(r"“(.+?)” \((\d+) against (\d+)\)", told)
    return bool(here) == sampled and all(
        int(fewer) < int(more)
        and (w.matches(worse, ngram, bool(here)), w.matches(better, ngram, bool(here))) == (int(fewer), int(more))
        for ngram, fewer, more in found
    )


# --- the rest of the page


@PAGE.sentence(
    "what the page is about", "{n:count} ((system||systems)), {k:count} ((segment||segments)), {metrics:rest}"
)
def _(w, n, k, metrics):
    return n == len(w.names) and k == len(w.report.lines) and metrics == ", ".join(w.metrics)


def _told_plan(w, method, trials, unit, seed):
    tests = w.report.plan.tests
    names = {"bs": ("Paired bootstrap", "resample"), "ar": ("Paired approximate randomization", "trial")}
    named = "fresh random numbers" if tests.seed is None else f"seed {tests.seed}"
    return (method, unit.removesuffix("s")) == names[tests.method] and trials == tests.trials and seed == named


TESTED = (
    "{method:Paired bootstrap|Paired approximate randomization} of every pair of systems ({trials:count}"
    " {unit:resamples?|trials?}, {seed:fresh random numbers|seed \\d+}); p-values are corrected by"
    " max\N{NON-BREAKING HYPHEN}T."
)


@PAGE.sentence("how pairs were tested", TESTED)
def _(w, method, trials, unit, seed):
    tables = [column.ranking for column in w.report.columns]
    # A correction never makes a p-value smaller; but nominal p-values of the bootstrap are one-sided
    corrected = method.endswith("bootstrap") or all(
        p is None or q is None or q >= p - 1e-12
        for table in tables
        for row, other in zip(table.p_values, table.corrected, strict=True)
        for p, q in zip(row, other, strict=True)
    )
    return _told_plan(w, method, trials, unit, seed) and corrected


@PAGE.sentence("what significantly means", "“Significantly”: p ≤ 0.05, corrected for all pairs of systems.")
def _(w):
    return len(w.names) > 1


@PAGE.sentence(
    "what bold means",
    "Bold: the best score, and every score that does not differ from it significantly. Ranks: from 1 + the number of"
    " systems that are significantly better to the number of systems that are not significantly worse. Systems in"
    " different clusters differ significantly.",
)
def _(w):
    for m, column in enumerate(w.report.columns):
        best = column.order()[0]
        for system, row in w.cells.items():
            is_bold, p, ranks, cluster = row[m]
            others = [other for other in w.others(system) if w.apart(m, system, other)]
            better = sum(w.lead(m, other, system) > 0 for other in others)
            worse = sum(w.lead(m, other, system) < 0 for other in others)
            if [int(ranks.split("–")[0]), int(ranks.split("–")[-1])] != [1 + better, len(w.names) - worse]:
                return False
            if is_bold != (system == best or not w.apart(m, best, system)):
                return False
            if system != best and not Shown(p).of(w.p(m, best, system)):
                return False
            for other, row_of_other in w.cells.items():
                if row_of_other[m][3] != cluster and not w.apart(m, system, other):
                    return False
    return True


@PAGE.sentence(
    "how intervals were made", "95% intervals by bootstrap ({n:count} ((resample||resamples)), {seed:text})."
)
def _(w, n, seed):
    plan = w.report.plan.intervals
    return n == plan.trials and seed == ("fresh random numbers" if plan.seed is None else f"seed {plan.seed}")


@PAGE.sentence("nothing is loaded", "bleucli {version:word}. Nothing on this page is loaded from elsewhere.")
def _(w, version):
    return True  # of the version; test_report_page checks the rest


@PAGE.sentence(
    "without JavaScript",
    "Without JavaScript, this page shows tables in place of figures[[, compares only the two best systems in detail (by"
    " {metric:metric})]] and shows no segments.",
)
def _(w, metric):
    best = set(w.report.columns[0].order()[:2])
    return metric == (0 if len(w.names) > 1 else None) and (metric is None or best == set(w.first_pair))


@PAGE.sentence(
    "which segments the page holds",
    "This page holds {n:count} of {all:count} segments, so that it stays small enough to mail and to read: the"
    " {a:count} with the largest influence on {what:a difference between two systems|the score}, {b:count} others"
    " {whose:whose scores differ most between two systems|with the highest scores} (both by the first metric), and"
    " {c:count} drawn at random from the rest (seed {seed:count}). Scores, tests, groups and distributions cover all"
    " {every:count} segments; n-grams and the list of segments cover only those on this page.",
)
def _(w, n, all, a, what, b, whose, c, seed, every):  # noqa: A002
    held = [passage.place for passage in w.report.passages.passages]
    column = w.report.columns[0]
    several = len(w.names) > 1

    def spread(rows):
        return np.ptp(rows, axis=0) if several else abs(rows[0])

    influence = spread(column.influences)
    largest = sorted(influence, reverse=True)[:a]
    return (
        n == len(held) == a + b + c
        and all == every == len(w.report.lines)
        and what.startswith("a diff") == whose.startswith("whose") == several
        and sum(influence[place] >= largest[-1] for place in held) >= a
    )


@PAGE.sentence(
    "the figure of scores",
    "{metric:metric} with 95% intervals[[{ranks:; in parentheses, the ranks that the tests allow}]].[[{bands: A change"
    " of shade marks the border between clusters.}]]",
)
def _(w, metric, ranks, bands):
    ranking = w.report.columns[metric].ranking
    shown = bool(ranks) == (ranking is not None)  # `what bold means` recomputes them
    return shown and bool(bands) == (ranking is not None and max(ranking.clusters) > 1)


@PAGE.sentence(
    "the figure of pairs",
    "Every pair of systems by {metric:metric}: how much better the row is than the column[[{ps:, with corrected"
    " p-values}]]. Hatched: the two systems cannot be told apart.",
    "Every pair of systems by {metric:metric}; the best comes first. Shaded: the two systems differ significantly."
    " Hatched: the two systems cannot be told apart.",
)
def _(w, metric, ps=""):
    order = w.report.columns[metric].order()
    (chart,) = (one for one in charts.of_systems(w.report) if (one.metric, one.data["kind"]) == (metric, "pairs"))
    pairs = [(a, b) for a in order for b in order]
    fine = chart.data["systems"] == order
    for (a, b), cell in zip(pairs, [cell for row in chart.data["cells"] for cell in row], strict=True):
        if a == b:
            fine = fine and cell is None
            continue
        side, *words = cell
        fine = fine and side == (w.apart(metric, a, b) and (1 if w.lead(metric, a, b) > 0 else -1))
        fine = fine and len(words) == (0 if ps == "" else 2 if ps else 1)
        fine = fine and (not words or Shown(words[0].replace("+", "")).of(w.lead(metric, a, b)))
    return fine


@PAGE.sentence(
    "the figure of groups",
    "{metric:metric} by {title:text}[[, the {n:count} largest of {all:count}]]. Differences within groups are not"
    " tested.",
)
def _(w, metric, title, n, all):  # noqa: A002
    (grouping,) = (one for one in w.report.groups if one.title == title)
    is_cut = grouping.kind != "length" and len(grouping.labels) > charts.MOST_GROUPS
    return is_cut == (n is not None) and (n is None or (n, all) == (charts.MOST_GROUPS, len(grouping.labels)))


@PAGE.sentence("the numbers of a figure", "Numbers")
def _(w):
    return True  # `check_table` checks them


@PAGE.sentence("systems that a figure leaves out", "Only the {n:count} best of {all:count} systems are shown.")
def _(w, n, all):  # noqa: A002
    return n == plots.MOST_SERIES < all == len(w.names)


@PAGE.sentence(
    "the title of a profile",
    "{title:F1 of tokens by how often they occur in the first references|Number of segments by how much longer the"
    " output is than the first reference|Number of segments by their \\S+}.",
)
def _(w, title):
    return any(one.title == title for one in charts.profiles(w.report))


@PAGE.sentence("which segments a figure counts", "Only the segments on this page are counted.")
def _(w):
    return bool(w.report.passages.why)


@PAGE.sentence(
    "the figure of segments",
    "Each point is a segment on this page; {where:above|below} the line, the second system is better.",
)
def _(w, where):
    return (where == "above") == w.higher(w.metric)


@PAGE.sentence("the figure of differences", "Number of segments by the difference of their scores, second minus first.")
def _(w):
    return all(sum(counts) == len(w.report.lines) for pair in w.report.pairs for counts in pair.counts)


@PAGE.sentence(
    "the table of two systems",
    "Number of segments[[{held: on this page}]] by their {metric:metric} (start of each range): {first:system} from top"
    " to bottom, {second:system} from left to right.",
)
def _(w, held, metric, first, second):
    return bool(held) == bool(w.report.passages.why) and [first, second] == list(w.first_pair) and metric == 0


@PAGE.sentence(
    "what the shares are",
    "The shares add up exactly, because BLEU is the product of the brevity penalty (BP) and powers of the n-gram"
    " precisions (p1, p2 and so on). Method: logarithmic mean Divisia index.",
)
def _(w):
    for pair in w.report.pairs:
        for m, shares in enumerate(pair.shares):
            if shares:
                points = w.points(m, pair.second, pair.first)
                sign = 1 if w.higher(m) else -1
                gap = w.score(m, pair.second) - w.score(m, pair.first)
                if not math.isclose(sum(points.values()) * sign, gap, abs_tol=1e-8):
                    return False
                if any(abs(share.points - points[share.factor]) > 1e-7 for share in shares):
                    return False
    return True


@PAGE.sentence(
    "how n-grams are counted",
    "The counts say how often a system gets an n-gram right. In each segment, an n-gram counts as often as it occurs"
    " in the output, but at most as often as it occurs in a reference. Odds: (a + 1) / (b + 1), where a and b are the"
    " first and the second count of the row.",
)
def _(w):
    sample = w.report.leads[:: max(1, len(w.report.leads) // 5)]
    on_page = bool(w.report.passages.why)
    return all(
        lead.matches[system] == w.matches(system, " ".join(lead.ngram), on_page)
        for lead in sample
        for system in range(len(w.names))
    )


@PAGE.sentence(
    "what an influence is",
    "[[Difference: the second system’s score minus the first system’s. ]]Influence: {what:the difference|the score}"
    " over all segments minus {same:the difference|the score} without this segment.",
)
def _(w, what, same):
    return what == same == ("the difference" if len(w.names) > 1 else "the score")


def add_reasons(place):
    """Add the sentences that say why a difference has no shares; the world has `two_bleus`."""

    @place.sentence(
        "smoothing without shares",
        "A difference is split into factors only with exp, floor, add-k or none smoothing, not with {method:word}.",
    )
    def _(w, method):
        metric, *_ = w.two_bleus()
        return metric.smooth_method == method.rstrip(".") not in ("exp", "floor", "add-k", "none")

    @place.sentence(
        "a score of 0 without shares",
        "The score of {whose:system} is 0, which has no logarithm, so the difference cannot be split into factors.",
    )
    def _(w, whose):
        return [score.score == 0 for score in w.two_bleus()[1:]] == [system == whose for system in w.pair]

    @place.sentence(
        "two scores of 0 without shares",
        "Both scores are 0, which has no logarithm, so the difference cannot be split into factors.",
    )
    def _(w):
        return not any(score.score for score in w.two_bleus()[1:])

    @place.sentence(
        "effective orders without shares",
        "The effective orders differ: the score of {one:system} averages {n:count} ((precision||precisions)), that of"
        " {other:system} {k:count}, so the difference cannot be split into factors.",
    )
    def _(w, one, n, other, k):
        # The effective order is the longest of which there is an n-gram
        orders = dict(
            zip(w.pair, (sum(total > 0 for total in score.totals) for score in w.two_bleus()[1:]), strict=True)
        )
        return n != k and (orders[one], orders[other]) == (n, k) and one != other


add_reasons(PAGE)


@PAGE.sentence("the parts of the scores", "The parts of the scores: precisions, brevity penalty, ratio of lengths")
def _(w):
    return True


@PAGE.sentence("more disagreements", "{n:count} more")
def _(w, n):
    return n == len(verdicts.find_disagreements(w.report)) - 4


# --- the texts of a page


class _Texts(HTMLParser):
    """Collect the sentences of a page: elements with text of their own, and the cells of the table of scores."""

    TAGS = ("h1", "p", "li", "figcaption", "title", "summary")

    def __init__(self):
        super().__init__()
        self.found, self.open, self.cells, self.skipped = [], [], {}, 0
        self.row, self.cell = None, None
        self.in_table = False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.in_table = attributes.get("id") == "table"
        if self.in_table and tag == "th" and attributes.get("scope") == "row":
            self.cell = self.row = [""]
        if self.in_table and tag == "td" and self.row is not None:
            self.cell = ["best" in (attributes.get("class") or ""), ""]
            self.row.append(self.cell)
        if tag in self.TAGS and attributes.get("id") != "found":
            self.open.append((tag, []))

    def handle_endtag(self, tag):
        if tag == "table":
            self.in_table = False
        if self.in_table and tag == "tr" and self.row is not None:
            name, *cells = self.row
            self.cells[name] = cells
            self.row = self.cell = None
        if self.open and self.open[-1][0] == tag:
            _, parts = self.open.pop()
            if text := " ".join("".join(parts).split("\n")).strip():
                self.found.append((tag, text))

    def handle_data(self, data):
        if self.cell is not None and self.in_table:
            self.cell[-1 if isinstance(self.cell[0], bool) else 0] += data
        if self.open:
            self.open[-1][1].append(data)


def read_page(html, w, tally):
    """Judge every sentence of a page, also those that its script shows."""
    body, _, rest = html.partition('<script type="application/json" id="data">')
    data = json.loads(rest.partition("</script>")[0])
    texts = _Texts()
    texts.feed(body)
    order = {column: place for place, column in enumerate(w.names)}
    compares = len(w.names) > 1
    w.cells = {
        order[name]: [
            (cells[5 * m][0], *(cells[5 * m + at][1] for at in (2, 3, 4))) if compares else (cells[2 * m][0],)
            for m in range(len(w.metrics))
        ]
        for name, cells in texts.cells.items()
    }
    w.first_pair = data["pair"]
    signatures = {f"{column.name}|{column.signature}" for column in w.report.columns}
    hints = set(w.report.hints)
    seen_title = False
    for tag, text in texts.found:
        if tag == "title" and not seen_title:  # of the page: the start of the headline, which is judged in full
            seen_title = True
            assert text.endswith(" (bleu)")
        elif text not in signatures and text not in hints:
            w.pair, w.metric = w.first_pair, 0
            PAGE.read(text, w, tally)
    for m, column in enumerate(data["columns"]):
        w.metric = m
        if compares:
            PAGE.read(column["caption"], w, tally)
    for chart in charts.of_systems(w.report):
        check_table(w, chart)
    for pair in data["pairs"]:
        w.pair = (pair["a"], pair["b"])
        for m in range(len(w.metrics)):
            w.metric = m
            for told in (pair["told"][m], pair["title"][m], *pair["weak"][m], pair["wins"][m], pair["why"][m]):
                PAGE.read(told, w, tally)


def check_table(w, chart):
    """Check the numbers of a figure of all systems, as its table shows them."""
    header, *rows = chart.table
    m, kind = chart.metric, chart.data["kind"]
    if kind == "forest":
        systems = [w.names.index(row[0]) for row in rows]
        assert all(Shown(row[1]).of(w.score(m, system)) for row, system in zip(rows, systems, strict=True))
        assert all(w.lead(m, a, b) >= 0 for a, b in pairwise(systems))
        assert sorted(systems) == list(range(len(w.names)))
    elif kind != "pairs":
        systems = [w.names.index(name) for name in header[-len(chart.data["systems"]) :]]
        assert len(systems) == min(len(w.names), plots.MOST_SERIES)
        values_of = {f"{w.metrics[m or 0]} by {one.title}": one.scores[m or 0] for one in w.report.groups}
        values_of |= {one.title: one.values for one in charts.profiles(w.report)}
        values = values_of[re.split(r"\.|, the \d+ largest", chart.caption)[0]]
        assert len(rows) == min(values.shape[1], charts.MOST_GROUPS)
        if len(rows) == values.shape[1]:
            shown = [[float(cell.replace(",", "")) for cell in row[-len(systems) :]] for row in rows]
            assert np.allclose(np.transpose(shown), values[systems], rtol=1e-9, atol=0.00501)


def read_words(w, tally):
    """Judge what is said of a report whose scores were drawn; it has no texts, and so no page."""
    report = w.report
    for told in verdicts.tell(report):  # what the command prints
        PAGE.read(told, w, tally)
    for pair in report.pairs:
        w.pair = (pair.first, pair.second)
        data = page.pair_data(report, pair)
        for m in range(len(report.columns)):
            w.metric = m
            for one in [data["told"][m], *data["weak"][m], data["title"][m], data["wins"][m]]:
                PAGE.read(one, w, tally)


# --- reports whose scores are drawn

NAMES = ("KIT", "online-B", "uedin", "SYSTRAN", "base", "sys-2", "new_3", "x", "best", "a.b")


def drawn_report(draw, seed=None):
    """Return a world of drawn scores and p-values, with many ties and close calls."""
    count = draw.choice([1, 2, 2, 2, 3, 3, 4, 5, 9])
    names = draw.sample(NAMES[:count], count)
    made = [
        ("BLEU", True), ("chrF2", True), ("TER", False), ("COMET", True), ("WER", False),
    ]  # fmt: skip
    kinds = sorted(draw.sample(made, draw.choice([1, 2, 2, 3])), key=made.index)
    segments = draw.choice([1, 6, 40])
    columns, factors = [], {}
    strength = [draw.random() for _ in names]
    for m, (name, higher) in enumerate(kinds):
        if name == "BLEU":
            order = draw.choice([4, 4, 4, 2, 1])
            bleu = BLEU(max_ngram_order=order)
            scores, factors[m] = _drawn_bleus(draw, bleu, names)
            signature = f"nrefs:1|tok:{draw.choice(['13a', 'zh', 'char'])}|smooth:exp"
        else:
            scores, signature = _drawn_scores(draw, names, strength), "version:x"
        records = [ScoreRecord(name, score, "", Signature([]), higher) for score in scores]
        ranking = None if count == 1 else _drawn_ranking(draw, name, records)
        own = random.Random(f"{seed} {name}")  # so that what else is drawn does not depend on it
        if count > 1 and own.random() < 0.5:
            first, second, *_ = comparison.rank(records)
            gap = abs(records[first].score - records[second].score)
            power = Power(first, own.choice([0.00004, 0.67, 3.0]), gap, segments, own.randint(1, segments))
            records[second] = records[second]._replace(power=power)
        if own.random() < 0.5:  # as if by a metric for which it was measured
            described = Description(curve=Curve(name, own.choice([88.3333, 93.0]), own.choice([0.01, 1.0])))
            records = [record._replace(describe=lambda info, described=described: described) for record in records]
        segment_scores = np.array([[draw.choice([0.0, 10.0, 20.0, 30.5]) for _ in range(segments)] for _ in names])
        columns.append(
            Column(
                name,
                higher,
                signature,
                records,
                ranking,
                segment_scores,
                segment_scores * 0,
                100.0,
                name == "COMET",
                _drawn_wording(draw, name, records),
                None if name == "COMET" or own.random() < 0.5 else [own.uniform(0, 90) for _ in names],
            )
        )
    report = Report(
        names,
        range(segments),
        columns,
        [],
        [],
        Passages([], draw.choice(["", "sampled"]), 4, False, ""),
        [],
        [],
        [],
        None,
    )
    groups = [_drawn_grouping(draw, report, *kind) for kind in draw.sample(_GROUPS, draw.randint(0, 2))]
    w = PageWorld(report._replace(groups=groups, leads=_drawn_leads(draw, count)), factors, seed=seed)
    w.report = w.report._replace(pairs=[_drawn_pair(w, a, b) for a in range(count) for b in range(a + 1, count)])
    return w


def _drawn_bleus(draw, bleu, names):
    """Draw BLEU scores by their counts, so that their factors are known; some systems are equal, or nearly."""
    scores, factors = [], []
    length = draw.choice([20, 300, 5000])
    most = [max(1, length - n) for n in range(bleu.max_ngram_order)]
    base = [int(total * share) for total, share in zip(most, (0.6, 0.4, 0.25, 0.15), strict=False)]
    for _ in names:
        if scores and draw.random() < 0.25:
            scores.append(scores[-1])
            factors.append(factors[-1])
            continue
        wiggle = draw.choice([0.002, 0.02, 0.3])
        counts = [max(0, int(count * (1 + draw.uniform(-wiggle, wiggle)))) for count in base]
        ours = draw.choice([length, length, int(length * draw.uniform(0.7, 1.1)), length + 1, max(1, length - 1)])
        totals = [max(count, int(total * ours / length), 1) for count, total in zip(counts, most, strict=True)]
        found = bleu.compute_bleu(counts, totals, ours, length, "exp", max_ngram_order=bleu.max_ngram_order)
        if not found.score:
            found = bleu.compute_bleu(
                base, [max(1, one) for one in most], length, length, "exp", max_ngram_order=bleu.max_ngram_order
            )
        scores.append(found.score)
        factors.append([found.bp, *(p / 100 for p in found.precisions)])
    return scores, factors


def _drawn_scores(draw, names, strength):
    step = draw.choice([1e-9, 0.00003, 0.01, 1.0, 7.0])
    level = draw.choice([0.7, 30.0, 55.4])
    scores = [level + step * draw.choice([0, 0, 1, 2, 5 * one, 10 * one]) for one in strength]
    if draw.random() < 0.1:
        scores = [level] * len(names)
    return scores


def _drawn_ranking(draw, name, records):
    """Draw corrected p-values: 1 for equal scores, smaller ones for larger differences, many beside 0.05."""
    count = len(records)
    gaps = sorted(abs(a.score - b.score) for a in records for b in records)
    level = draw.random() * gaps[-1]
    table = [[None] * count for _ in range(count)]
    for a in range(count):
        for b in range(a + 1, count):
            gap = abs(records[a].score - records[b].score)
            close = [0.0496, 0.0499999, 0.05, 0.0504, 0.051, 0.06, 0.049]
            sure = [0.0001, 0.0009996, 0.0010004, 0.0013, 0.0073, 0.02, 0.0123456]
            p = draw.choice([*close, *(sure if gap > level else [0.2, 0.3, 0.6, 0.999])])
            table[a][b] = table[b][a] = 1.0 if not gap else p
    clusters = comparison.clusters(comparison.rank(records), table)
    return Ranking(name, table, table, clusters, comparison.rank_ranges(records, table))


def _drawn_wording(draw, name, records):
    """Draw scores with typography alike, often with smaller differences, and their p-values."""
    if name == "COMET" or draw.random() < 0.6:
        return None
    gain, wiggle = draw.uniform(0, 2), draw.choice([0.0, 0.05, 1.0])
    scores = [one.score + gain + draw.uniform(-wiggle, wiggle) for one in records]
    again = [record._replace(score=score) for record, score in zip(records, scores, strict=True)]
    return Wording(scores, None if len(records) == 1 else _drawn_ranking(draw, name, again).corrected)


_GROUPS = (
    ("length", "length of the reference in tokens", ["fewer than 10 tokens", "10 to 19 tokens", "60 tokens or more"]),
    ("domain", "domain", ["news", "social", "unknown"]),
    ("docid", "document", [f"doc-{number}" for number in range(5)]),
    ("origlang", "original language", ["de", "en"]),
)


def _drawn_grouping(draw, report, kind, title, labels):
    labels = labels[: draw.randint(2, len(labels))]
    sizes = [draw.choice([5, 20, 40, 400]) for _ in labels]
    scores = []
    for column in report.columns:
        wiggle = draw.choice([0.0, 0.001, 0.5, 5.0])
        rows = [[record.score + draw.uniform(-wiggle, wiggle) for _ in labels] for record in column.records]
        scores.append(np.array(rows))
    return Grouping(kind, title, labels, sizes, scores, np.zeros(1, np.int64))


def _drawn_leads(draw, count):
    words = ["a", "b", "ab", "der", "Hund", "2", "x1", "die", "Regine", "Kunde"]
    found = {}
    for _ in range(draw.choice([0, 3, 12])):
        ngram = tuple(draw.choices(words, k=draw.choice([1, 1, 2, 3])))
        found[ngram] = Lead(ngram, [draw.choice([0, 1, 2, 3, 8]) for _ in range(count)], 9, [])
    return list(found.values())


def _drawn_pair(w, first, second):
    shares, wins = [], []
    for m, column in enumerate(w.report.columns):
        found = []
        if m in w.factors:
            points = w.points(m, second, first)
            values = zip(points, w.factors[m][first], w.factors[m][second], strict=True)
            found = [contents.Share(name, a, b, points[name]) for name, a, b in values]
        shares.append(found)
        gaps = column.segment_scores[second] - column.segment_scores[first]
        gaps = gaps if column.higher_is_better else -gaps
        wins.append(tuple(int(side.sum()) for side in (gaps < 0, gaps == 0, gaps > 0)))
    return Pair(first, second, shares, [""] * len(shares), [], wins)


# --- reports of counted texts

_WORDS = ["the", "of", "and", "to", "in", "is", "was", "that", "for", "it", "with", "as", "his", "on", "be", "at"]


def drawn_texts(draw):
    """Return systems by name, and references: noisy copies, near copies, copies, too short and too long ones."""
    size = draw.choice([1, 3, 5, 24, 60, 120])
    vocabulary = [*_WORDS, *(f"w{number}" for number in range(draw.choice([3, 40])))]
    if draw.random() < 0.4:
        vocabulary += ["\u2013"] * 4
    count = draw.choice([1, 2, 2, 3, 4, 9])
    references = [
        [" ".join(draw.choices(vocabulary, k=draw.choice([1, 4, 8, 14, 25, 41, 62]))) for _ in range(size)]
        for _ in range(draw.choice([1, 1, 2]))
    ]
    systems = {}
    for name in draw.sample(NAMES[:count], count):
        kind = draw.choice(["noisy", "noisy", "noisy", "short", "long", "copy", "near", "stub"])
        if kind in ("copy", "near") and systems:
            texts = list(draw.choice(list(systems.values())))
            if kind == "near":
                texts[draw.randrange(size)] += " x1"
        else:
            noise = draw.choice([0.05, 0.2, 0.22, 0.5])
            texts = [_noisy(draw, draw.choice(references)[at], noise, kind, vocabulary) for at in range(size)]
        if draw.random() < 0.4:
            texts = [text.replace("\u2013", "-") for text in texts]
        systems[name] = texts
    return systems, references


def _noisy(draw, text, noise, kind, vocabulary):
    words = [word if draw.random() > noise else draw.choice(vocabulary) for word in text.split()]
    if kind == "short":
        words = words[: max(0, int(len(words) * draw.uniform(0.6, 1)))]
    if kind == "stub":
        words = words[: draw.choice([1, 2, 2, 3])]
    if kind == "long":
        words += draw.choices(vocabulary, k=len(words) // 4)
    if draw.random() < noise and len(words) > 3:
        words[1:3] = words[2:0:-1]
    return " ".join(words)


def report_of(systems, references, metrics, *, method="ar", trials=199, scores=None, **options):
    """Return the report of systems, by name; scores: of another tool, by system."""
    corpus, again = of_strings(list(systems.items()), references).kept()
    metrics = [*metrics, *segment_scores.of_mapping(None if scores is None else {"COMET": scores}, list(systems))]
    counted = count(corpus, metrics, keep_rows=True, inspect=True)
    measured = [contents.of_metric(one, [s.stats[place] for s in counted]) for place, one in enumerate(metrics)]
    plan = contents.plan_of(Sampling(method, trials) if len(systems) > 1 else None, len(systems))
    results = score_counted(counted, metrics)
    return contents.make_report(results, measured, again, plan, typography=True, **options)


def factors_of(systems, references, metrics):
    """Return BP and the precisions of every system, by the number of each BLEU, from the public API."""
    found = {}
    for m, metric in enumerate(metrics):
        if isinstance(metric, BLEU):
            scores = [metric.corpus_score(texts, references) for texts in systems.values()]
            found[m] = []
            for score in scores:
                # The effective order leaves out orders without n-grams
                used = [
                    p
                    for p, total in zip(score.precisions, score.totals, strict=True)
                    if total or not metric.effective_order
                ]
                found[m].append([score.bp, *(p / 100 for p in used)])
    return found


def counted_report(draw, seed=None):
    """Return a world of counted texts."""
    systems, references = drawn_texts(draw)
    size = len(references[0])
    methods = ["exp", "exp", "none", "add-one"]
    made = {
        "bleu": lambda: BLEU(
            max_ngram_order=draw.choice([4, 4, 4, 2, 1]),
            smooth_method=draw.choice(methods),
            effective_order=draw.random() < 0.3,
        ),
        "chrf": CHRF,
        "ter": TER,
        "wer": WER,
        "cer": CER,
    }
    if draw.random() < 0.1:  # effective orders that differ
        name = draw.choice(list(systems))
        systems[name] = [" ".join(text.split()[:2]) for text in systems[name]]
        made["bleu"] = lambda: BLEU(effective_order=True)
    metrics = [made[name]() for name in sorted(draw.sample(list(made), draw.choice([1, 2, 3])), key=list(made).index)]
    options = {"method": draw.choice(["ar", "ar", "bs"]), "trials": draw.choice([19, 199, 499])}
    if draw.random() < 0.3:
        options["scores"] = [[draw.choice([0.0, 0.5, 0.7, 0.71]) for _ in range(size)] for _ in systems]
    if draw.random() < 0.5:
        options["labels"] = {
            "domain": [draw.choice(["news", "social", ""]) for _ in range(size)],
            "docid": [f"doc-{number * draw.choice([3, 30]) // size}" for number in range(size)],
        }
    if draw.random() < 0.3:
        options["room"] = 3000
    report = report_of(systems, references, metrics, **options)
    return PageWorld(
        report, factors_of(systems, references, metrics), (list(systems.values()), references, metrics), seed
    )
