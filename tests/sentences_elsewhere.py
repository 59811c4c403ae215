"""Every other kind of sentence, with its recomputation: tables, papers, warnings, gates and the calculator.

Settings that are said in words are judged by doing as the words say: a metric is made from them alone, and must give
the same score. P-values and intervals are computed again, from texts that change places or are resampled.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import warnings
from collections import Counter
from decimal import Decimal
from functools import cached_property, reduce
from itertools import product
from operator import or_

import numpy as np
from sacrebleu.metrics import BLEU as THEIR_BLEU
from sacrebleu.metrics import CHRF as THEIR_CHRF
from sacrebleu.metrics import TER as THEIR_TER
from sentences import Place, Shown, split_list
from sentences_explanations import distance
from sentences_pages import agrees, are_needed, smallest_difference

from bleucli import (
    BLEU,
    CER,
    CHRF,
    TER,
    WER,
    BleuError,
    Segments,
    check_texts,
    evaluate_systems,
    gates,
    score_matrix,
)
from bleucli.gates import Bound, Gates
from bleucli.gates.baselines import read_baseline
from bleucli.metrics import self_bleu
from bleucli.metrics.smoothing import METHODS
from bleucli.output import notes, paper, render
from bleucli.output.layout import Layout
from bleucli.phrases import in_command
from bleucli.results import Results, ScoreRecord, SystemResult, tell_ranks
from bleucli.results.signature import Signature
from bleucli.web import calculator
from bleucli.web.models import METRIC_NAMES, read_inputs

TABLE, PAPER, FACT, WARNING, GATE, REMARK = map(Place, ("table", "paper", "fact", "warning", "gate", "remark"))
SEED = 12345
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
                      "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")  # fmt: skip


# --- results, and their texts


class RunWorld:
    """Systems that were scored and perhaps tested; the numbers are computed again from the texts."""

    def __init__(self, systems, references, made, scale=100, **options):
        self.scale = scale
        self.systems, self.references, self.made, self.options = systems, references, made, options
        with warnings.catch_warnings(action="ignore"):
            self.results = evaluate_systems(systems, references, made, **options)
        self.names = [system.name for system in self.results.systems]
        self.metrics = [record.name for record in self.results.systems[0].scores]
        self.layout = None

    def __str__(self):
        return f"{self.made!r}, {self.options!r}, {self.systems!r}, {self.references!r}"

    @property
    def size(self):
        return len(self.references[0])

    @property
    def test(self):
        return self.options.get("test")

    @property
    def trials(self):
        return self.options["trials"] if self.test else self.options.get("n_bootstrap", 1)

    def record(self, system, metric):
        return self.results.systems[system].scores[metric]

    def score(self, metric, texts, lines=None, made=None):
        """Return the score of some lines of texts, in the order in which they were drawn."""
        if lines is None:
            lines = range(self.size)
        with warnings.catch_warnings(action="ignore"):
            scorer = made or self.made[metric]
            return scorer.corpus_score(
                [texts[at] for at in lines], [[s[at] for at in lines] for s in self.references]
            ).score

    def texts(self, system):
        return self.systems[self.names[system]]

    def gap(self, metric, first, second, lines=None):
        return abs(self.score(metric, first, lines) - self.score(metric, second, lines))

    def p_values(self, metric, system):
        """Return the p-value of a difference from the baseline: without trials that equal it, and with them."""
        ours, theirs = self.texts(0), self.texts(system)
        if all(
            self.gap(metric, ours, theirs, [at]) == 0 and self._same(metric, at, ours, theirs)
            for at in range(self.size)
        ):
            return 1.0, 1.0
        gap, rng = self.gap(metric, ours, theirs), np.random.default_rng(SEED)
        more = equal = 0
        if self.test == "ar":
            for swaps in rng.integers(2, size=(self.trials, self.size), dtype=bool):
                a = [x if swap else y for x, y, swap in zip(ours, theirs, swaps, strict=True)]
                b = [y if swap else x for x, y, swap in zip(ours, theirs, swaps, strict=True)]
                found = self.gap(metric, a, b)
                more += found > gap + 1e-9
                equal += abs(found - gap) <= 1e-9
        else:
            drawn = rng.choice(self.size, size=(self.trials, self.size), replace=True)
            gaps = [self.gap(metric, ours, theirs, lines) for lines in drawn]
            mean = sum(gaps) / len(gaps)
            more = sum(one - mean > gap + 1e-9 for one in gaps)
        return (more + 1) / (self.trials + 1), (more + equal + 1) / (self.trials + 1)

    def differing(self, metric, first, second):
        """Return in how many segments two systems differ."""
        return sum(not self._same(metric, at, self.texts(first), self.texts(second)) for at in range(self.size))

    def possible(self, metric, system):
        """Return the p-values that may be printed: without ties, with them, and at least the smallest exact one.

        Of all ways to swap the segments that differ, two give the observed difference: none of them, and all of them.
        """
        without, counted = self.p_values(metric, system)
        return without, counted, max(counted, min(1.0, 2.0 ** (1 - self.differing(metric, 0, system))))

    def rows_of_text(self):
        """Return the cells with p-values in the table of the text format, row by row."""
        rows = re.findall(r"^│ +│(.*)│$", self.text_format.partition("\n---")[0], re.MULTILINE)
        step = 2 if self.layout.difference else 1  # columns of differences come between
        return [
            cells for cells in (row.split("│")[::step] for row in rows) if re.search(r"p = |identical", "".join(cells))
        ]

    def _same(self, metric, at, ours, theirs):
        rows = self.made[metric].segment_stats([ours[at], theirs[at]], [[s[at]] * 2 for s in self.references])
        return list(rows[0]) == list(rows[1])

    @cached_property
    def all_pairs(self):
        """The same systems, with every pair tested."""
        options = {name: value for name, value in self.options.items() if name != "bold_best"}
        with warnings.catch_warnings(action="ignore"):
            return evaluate_systems(self.systems, self.references, self.made, **options | {"all_pairs": True})

    def interval(self, metric, system):
        """Return the mean and the half-width of a 95% interval."""
        drawn = np.random.default_rng(SEED).choice(self.size, size=(self.trials, self.size), replace=True)
        scores = sorted(self.score(metric, self.texts(system), lines) for lines in drawn)
        tail = self.trials // 40
        return sum(scores) / len(scores), (scores[self.trials - 1 - tail] - scores[tail]) / 2

    def has_intervals(self):
        return self.test == "bs" or self.options.get("n_bootstrap", 1) > 1

    @cached_property
    def cells(self):
        """The cells of the table in Markdown, by system and metric, as they are printed."""
        rows = [line for line in self.printed.splitlines() if line.startswith("|")][2:]
        found = {}
        for row in rows:
            name, *cells = [cell.strip().replace("\\", "") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
            name = name.replace("Baseline: ", "")
            if name in self.names and name not in found:
                found[name] = cells
        step = 2 if self.layout.difference else 1
        return {self.names.index(name): (cells[::step], cells[1::step]) for name, cells in found.items()}


TESTS = {"ar": ("Paired approximate randomization", "trial"), "bs": ("Paired bootstrap resampling", "resample")}
NAMED = "{method:Paired approximate randomization|Paired bootstrap resampling}"
TRIALS = "{trials:count} {unit:trials?|resamples?}"


def is_test(w, method, trials, unit):
    return (method, unit.removesuffix("s")) == TESTS[w.test] and trials == w.trials


@TABLE.sentence(
    "a test against the baseline",
    f"{NAMED}, {TRIALS}: each system is compared with the baseline, {{baseline:system}}; * marks p ≤ 0.05, not"
    f" corrected for the number of tests.",
)
def _(w, method, trials, unit, baseline):
    if not is_test(w, method, trials, unit) or baseline != 0:
        return False
    for system, (cells, _) in w.cells.items():
        for metric, cell in enumerate(cells):
            p = re.search(r"p = ([\d.]+)", cell)
            values = w.possible(metric, system) if system else (1, 1, 1)
            if p and not any(Shown(p[1]).of(value) for value in values):
                return False
            # Where the p-value is shown, the star follows from it; elsewhere, from the one that counts ties
            expected = {float(p[1]) <= 0.05} if p else {value <= 0.05 and system > 0 for value in values[1:]}
            if ("*" in cell.replace("**", "")) not in expected:
                return False
    return True


@TABLE.sentence(
    "a test of all pairs",
    f"{NAMED}, {TRIALS}: every system is compared with every other; systems differ at p ≤ 0.05, corrected for the"
    f" number of pairs by step-down max-T (Romano & Wolf 2005).",
)
def _(w, method, trials, unit):
    tables = [line for line in w.printed.splitlines() if line.startswith("|") and re.search(r"\d\.\d{4}", line)]
    cells = [cell.strip() for line in tables for cell in re.split(r"(?<!\\)\|", line)]
    starred = all((float(cell[:6]) <= 0.05) == ("*" in cell) for cell in cells if re.match(r"\d\.\d{4}", cell))
    shown = sorted(float(cell[:6]) for cell in cells if re.match(r"\d\.\d{4}", cell))
    ours = sorted(round(p, 4) for one in w.results.rankings for row in one.corrected for p in row if p is not None)
    fits = not shown or np.allclose(shown, ours, atol=6e-5)
    return (
        is_test(w, method, trials, unit)
        and w.options["all_pairs"]
        and starred
        and fits
        and "Baseline" not in w.printed  # no system is
    )


@TABLE.sentence(
    "how p-values of trials come about",
    "p = (c + 1) / ({trials:count} + 1), where c is the number of trials in which the absolute difference is larger"
    " than the observed one. In each segment, a trial exchanges the two outputs with a probability of 1/2.",
)
def _(w, trials):
    return w.test == "ar" and trials == w.trials and _are_printed(w)


OWN = ("WER", "CER")  # sacreBLEU does not have them


def _are_printed(w):
    """Whether the p-values in the text format are those that its notes define."""
    rows = w.rows_of_text()
    if ("For metrics that sacreBLEU lacks" in w.text_format) != any(name in OWN for name in w.metrics):
        return False
    for system, row in enumerate(rows, 1):
        for metric, cell in enumerate(row):
            expected = w.possible(metric, system)[2 if w.metrics[metric] in OWN else 0]
            if "identical" in cell and expected != 1:
                return False
            if "p = " in cell and not Shown(re.search(r"p = ([\d.]+)", cell)[1]).of(expected):
                return False
    return len(rows) == len(w.names) - 1


@TABLE.sentence(
    "how p-values of resamples come about",
    "p = (c + 1) / ({trials:count} + 1), where c is the number of resamples in which the absolute difference exceeds"
    " its mean over all resamples by more than the observed difference. A resample draws as many segments as there"
    " are, with replacement, the same ones for every system.",
)
def _(w, trials):
    return w.test == "bs" and trials == w.trials and _are_printed(w)


@TABLE.sentence(
    "how our own p-values of trials come about",
    "For metrics that sacreBLEU lacks, c also counts trials with exactly the observed difference, and p is at"
    " least 2/2^n where systems differ in n segments.",
)
def _(w):
    return w.test == "ar" and _are_printed(w)


@TABLE.sentence(
    "how our own p-values of resamples come about",
    "For metrics that sacreBLEU lacks, p is at least 2/2^n where systems differ in n segments.",
)
def _(w):
    return w.test == "bs" and _are_printed(w)


@TABLE.sentence(
    "what a star says",
    "A star says that, by chance alone, the difference would seldom be larger. A difference without a star may be"
    " real, too.",
)
def _(w):
    # It is larger in at most a twentieth of the trials, the observed difference being one of them
    return all(
        "*" not in cell or w.p_values(metric, system)[0] <= 0.05
        for system, row in enumerate(w.rows_of_text(), 1)
        for metric, cell in enumerate(row)
    )


@TABLE.sentence(
    "ties",
    "Trials with exactly the observed difference count against a star here; sacreBLEU leaves them out.",
    "{told:text}: {how:the star follows sacreBLEU, but the difference is not significant|no star here, unlike in"
    " sacreBLEU}, because {why:p is above 0.05 if trials with exactly the observed difference count|no difference in"
    " fewer than 6 segments can be significant}.",
)
def _(w, told=None, how=None, why=None):
    pairs = {(s, m): w.possible(m, s) for s in range(1, len(w.names)) for m in range(len(w.metrics))}
    doubtful = [pair for pair, (without, _, exact) in pairs.items() if without <= 0.05 < exact]
    if told is None:
        stars = all(("*" in w.cells[s][0][m].replace("**", "")) == (p[1] <= 0.05) for (s, m), p in pairs.items())
        return bool(doubtful) and stars
    names = [f"{w.names[s]} by {w.metrics[m]}" for s, m in doubtful if w.metrics[m] not in ("WER", "CER")]
    return split_list(told) == names and why.startswith("p is") == (w.test == "ar")


RANKS = (
    "from 1 + the number of systems that are significantly better to the number of systems that are not"
    " significantly worse."
)


def ranks_of(w, metric, system):
    """Return the ranks that the tests allow: how many systems are better or worse, for certain."""
    sign = 1 if w.record(system, metric).higher_is_better else -1
    apart = [
        sign * (w.record(other, metric).score - w.record(system, metric).score)
        for other, p in enumerate(w.results.rankings[metric].corrected[system])
        if p is not None and p <= 0.05
    ]
    first, last = 1 + sum(lead > 0 for lead in apart), len(w.names) - sum(lead < 0 for lead in apart)
    return str(first) if first == last else f"{first}–{last}"


@TABLE.sentence("ranks in parentheses", f"In parentheses: the cluster, then the ranks, {RANKS}")
def _(w):
    return all(
        cell.replace("**", "").endswith(
            f" ({w.results.rankings[metric].clusters[system]}; {ranks_of(w, metric, system)})"
        )
        for system, (cells, _) in w.cells.items()
        for metric, cell in enumerate(cells)
    )


@TABLE.sentence("ranks", f"Ranks: {RANKS}")
def _(w):
    for metric, name in enumerate(w.metrics):
        start = next(at for at, text in enumerate(w.printed.splitlines()) if text.startswith(f"{name}: ranks"))
        for row in w.printed.splitlines()[start + 4 :][: len(w.names)]:
            system, _, _, ranks, cluster = [cell.strip().replace("\\", "") for cell in row.split("|")[1:6]]
            place = w.names.index(system)
            if ranks != ranks_of(w, metric, place) or int(cluster) != w.results.rankings[metric].clusters[place]:
                return False
    return True


@TABLE.sentence(
    "clusters", "Systems in different clusters differ significantly; some in the same cluster may differ, too."
)
def _(w):
    count = range(len(w.names))
    return all(
        one.corrected[a][b] <= 0.05
        for one in w.results.rankings
        for a in count
        for b in count
        if one.clusters[a] != one.clusters[b]
    )


@TABLE.sentence(
    "what the test set shows",
    "{metric:metric}: with {units:count} ((segment||segments)), one test at 0.05 finds a difference of"
    " {smallest:number} between {first:system} and {second:system} with a probability of 0.8.[[ For the observed"
    " difference, {gap:number}, it needs about {needed:count} ((segment||segments)).]]",
)
def _(w, metric, units, smallest, first, second, gap, needed):
    texts, made = [w.texts(first), w.texts(second)], w.made[metric]
    sign = 1 if w.record(0, metric).higher_is_better else -1
    others = range(len(w.names)) if w.options.get("all_pairs") else range(1, len(w.names))
    best = sorted(others, key=lambda system: -sign * w.record(system, metric).score)
    expected = smallest_difference(made, *texts, w.references)
    lead = w.gap(metric, *texts)
    fine = [first, second] == (best[:2] if w.options.get("all_pairs") else [0, best[0]]) and units == w.size
    fine = fine and w.differing(metric, first, second) >= 50 and smallest.of(expected) and (gap is None or gap.of(lead))
    return fine and are_needed(needed, units, w.differing(metric, first, second), expected, lead)


@TABLE.sentence(
    "how often people agree",
    "Where two systems differ as much by {metric:metric} as each of these and ((the baseline||the first system)),"
    " people agree with their order (Kocmi et al., 2024): {told:.+?(?:of pairs|by chance)}.",
)
def _(w, metric, told):
    made, fine = w.made[metric], len(w.references) == 1 and w.size > 1
    fine = fine and str(made.signature(1, 1)) == str(type(made)().signature(1, 1))
    expected = {name: w.score(metric, w.texts(s)) - w.score(metric, w.texts(0)) for s, name in enumerate(w.names) if s}
    for part in told.split(", "):
        name = next(name for name in sorted(expected, key=len, reverse=True) if part.startswith(f"{name} "))
        fine = fine and agrees(part.removeprefix(f"{name} "), w.metrics[metric], None, expected.pop(name))
    return fine and all(abs(gap) < 1e-9 for gap in expected.values())  # equal systems have no order


@TABLE.sentence("identical", "Identical: every segment has the same counts as in the baseline.")
def _(w):
    found = [(s, m) for s in range(1, len(w.names)) for m in range(len(w.metrics)) if "identical" in w.cells[s][0][m]]
    return bool(found) and all(w._same(m, at, w.texts(0), w.texts(s)) for s, m in found for at in range(w.size))


@TABLE.sentence(
    "bold after a test",
    "Bold: the best score of a metric, and those that a test of all pairs, corrected for the number of pairs by"
    " step-down max-T (Romano & Wolf 2005), cannot distinguish from it.[[{stars: Stars rest on p-values that are not"
    " corrected, so a score may be both starred and bold.}]]",
)
def _(w, stars):
    for metric, ranking in enumerate(w.all_pairs.rankings):
        scores = [w.record(system, metric).score for system in range(len(w.names))]
        higher = w.record(0, metric).higher_is_better
        top = max(scores) if higher else min(scores)
        best = scores.index(top)
        for system, (cells, _) in w.cells.items():
            tied = scores[system] == top or ranking.corrected[best][system] > 0.05
            if tied != ("**" in cells[metric]):
                return False
    return bool(stars) == (not w.results.rankings)


@TABLE.sentence(
    "intervals",
    "In parentheses: the mean of the resamples' scores ± half the width of their 95% interval.",
    "After ±: half the width of the 95% bootstrap interval.",
)
def _(w):
    for system, (cells, _) in w.cells.items():
        for metric, cell in enumerate(cells):
            mean, half_width = w.interval(metric, system)
            *before, after = re.search(r"(?:\(([\d.]+) )?± ?([\d.]+)", cell.replace("**", "")).groups()
            if not Shown(after).of(half_width) or not all(Shown(one).of(mean) for one in before if one):
                return False
    return True


@TABLE.sentence(
    "differences",
    "Δ: the difference from ((the baseline||the first system)), {baseline:system}[[{bounds:; in brackets, its 95%"
    " interval by bootstrap}]].",
)
def _(w, baseline, bounds):
    for system, (_, cells) in w.cells.items():
        for metric, cell in enumerate(cells):
            gap = w.score(metric, w.texts(system)) - w.score(metric, w.texts(0))
            if system and not Shown(cell.split()[0].replace("−", "-")).of(gap):
                return False
            if system and bool(bounds) != ("[" in cell):
                return False
    return baseline == 0 and bool(bounds) == w.has_intervals()


# --- what a paper says

PAPERS = {
    "BLEU": "Papineni et al., 2002",
    "TER": "Snover et al., 2006",
    **dict.fromkeys(("WER", "CER"), "Levenshtein, 1966"),
    **dict.fromkeys(("chrF2", "chrF3"), "Popović, 2015"),
    **dict.fromkeys(("chrF2+", "chrF2++"), "Popović, 2017"),
}


def their_metric(metric):
    """Return sacreBLEU's metric with the same settings; None if it has none."""
    if isinstance(metric, BLEU):
        if metric.smooth_method not in ("exp", "floor", "add-k", "none"):
            return None
        options = ("lowercase", "tokenize", "smooth_method", "smooth_value", "max_ngram_order", "effective_order")
        return THEIR_BLEU(**{name: getattr(metric, name) for name in options}, force=True)
    if isinstance(metric, CHRF):
        options = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        return THEIR_CHRF(**{name: getattr(metric, name) for name in options})
    if isinstance(metric, TER):
        return THEIR_TER(
            **{name: getattr(metric, name) for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
        )
    return None


def follows(w, told):
    """Whether sacreBLEU has the metrics that are named, and no other, and gives their scores; None: it is not named."""
    theirs = [their_metric(metric) for metric in w.made]
    named = [] if told is None else w.metrics if not told else split_list(told.removeprefix(" for "))
    if named != [name for name, one in zip(w.metrics, theirs, strict=True) if one is not None]:
        return False
    if told and named == w.metrics:
        return False
    return all(
        one is None
        or math.isclose(one.corpus_score(w.texts(0), w.references).score, w.score(m, w.texts(0)), abs_tol=1e-9)
        for m, one in enumerate(theirs)
    )


TOOL = "bleucli {version:[\\d.]+}[[{sacre:, which follows sacreBLEU \\(Post, 2018\\)}[[{which: for [^.]+}]]]]"
REFERENCES = "one reference each|\\d+ references each|varying numbers of references"


def are_references(w, told):
    counts = {sum(stream[at] is not None for stream in w.references) for at in range(w.size)}
    if len(counts) > 1:
        return told == "varying numbers of references"
    return told == ("one reference each" if counts == {1} else f"{counts.pop()} references each")


@PAPER.sentence(
    "what is reported",
    f"We report {{cited:text}} on {{n:count}} ((segment||segments)) with {{refs:{REFERENCES}}}, computed with {TOOL}.",
)
def _(w, cited, n, refs, version, sacre, which):
    parts = [f"{name} ({PAPERS[name]})" for name in w.metrics]
    told = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return (
        cited == told and n == w.size and are_references(w, refs) and follows(w, None if sacre is None else which or "")
    )


@PAPER.sentence(
    "the settings of a metric",
    "{metric:metric} is {case:case-sensitive|case-insensitive}[[ and uses {used:text}]].",
    "{metric:metric} uses {used:text}.",
)
def _(w, metric, used, case=None):
    made = w.made[metric]
    kind, options = type(made), {}
    if case is not None:
        sensitive = case == "case-sensitive"
        options = {"case_sensitive": sensitive} if kind is TER else {"lowercase": not sensitive}
    used = used or ""
    if kind is BLEU:
        options["tokenize"] = re.search(r"the (\S+) tokenizer", used)[1]
        smoothing = re.search(r"(\S+) smoothing(?: with the value (\S+?))?(?= \(|,| and)", used)
        options["smooth_method"] = {"no": "none"}.get(smoothing[1], smoothing[1])
        options["smooth_value"] = float(smoothing[2]) if smoothing[2] else None
        order = re.search(r"n-grams of up to (\d+) tokens", used)
        options["max_ngram_order"] = int(order[1]) if order else int("single tokens" in used)
        options["effective_order"] = "the effective order" in used
        cited = "(Chen and Cherry, 2014)" in used
        if cited != (options["smooth_method"] not in ("exp", "none", "add-one")):
            return False
    elif kind is CHRF:
        for name, unit in (("char_order", "characters"), ("word_order", "words")):
            order = re.search(rf"n-grams of up to (\d+) {unit}", used)
            options[name] = int(order[1]) if order else int(f"single {unit}" in used)
        options |= {"whitespace": "white space included" in used, "eps_smoothing": "eps smoothing" in used}
        options["beta"] = float(re.match(r"chrF(\d+)", w.metrics[metric])[1])
    elif kind is TER:
        options |= tercom_options(used)
    again = kind(**options)
    return all(
        math.isclose(w.score(metric, texts, made=again), w.score(metric, texts), abs_tol=1e-9)
        for texts in w.systems.values()
    )


def tercom_options(told):
    """Return the options of TER that words name; those that have an effect must be named."""
    return {
        "normalized": "no normalization" not in told and "normalization" in told,
        "no_punct": "punctuation deleted" in told,
        "asian_support": "no Asian support" not in told and "Asian support" in told,
    }


@PAPER.sentence("a scale", "Scores range from 0 to 1[[{errors:; error rates may be higher}]].")
def _(w, errors):
    return w.layout.scale == 1 and bool(errors) == any(not metric.higher_is_better for metric in w.made)


SEEDED = "{seed: and seed \\d+| and no fixed seed}"


@PAPER.sentence(
    "a test against the baseline, in prose",
    f"{NAMED} ({{cited:Riezler and Maxwell, 2005|Koehn, 2004}}) with {TRIALS}{SEEDED} compared {{others:every other"
    f" system|\\S+}} with {{baseline:system}}; p-values are not corrected for multiple comparisons.",
)
def _(w, method, cited, trials, unit, seed, others, baseline):
    fine = is_test(w, method, trials, unit) and cited.startswith({"ar": "Riezler", "bs": "Koehn"}[w.test])
    fine = fine and baseline == 0 and others == (w.names[1] if len(w.names) == 2 else "every other system")
    return (
        fine
        and seed == f" and seed {SEED}"
        and not w.options["all_pairs"]
        and all(
            any(math.isclose(w.record(s, m).p_value, p) for p in w.possible(m, s))
            for s in range(1, len(w.names))
            for m in range(len(w.metrics))
        )
    )


@PAPER.sentence(
    "a test of all pairs, in prose",
    f"{NAMED} ({{cited:Riezler and Maxwell, 2005|Koehn, 2004}}) with {TRIALS}{SEEDED} compared every system with"
    f" every other; p-values are corrected for the number of pairs by step-down max-T (Romano and Wolf, 2005).",
)
def _(w, method, cited, trials, unit, seed):
    return (
        is_test(w, method, trials, unit)
        and w.options["all_pairs"]
        and seed == f" and seed {SEED}"
        and all(
            q is None or q >= p - 1e-12 or w.test == "bs"  # nominal p-values of the bootstrap are one-sided
            for one in w.results.rankings
            for row, other in zip(one.p_values, one.corrected, strict=True)
            for p, q in zip(row, other, strict=True)
        )
    )


@PAPER.sentence(
    "intervals, in prose",
    "Confidence intervals (95%) are from {n:count} bootstrap ((resample||resamples)) (Koehn, 2004)[[{seed: with seed"
    " \\d+}]].",
)
def _(w, n, seed):
    fine = n == w.trials and (seed == f" with seed {SEED}" if w.test is None else seed is None)
    for system in range(len(w.names)):
        for metric in range(len(w.metrics)):
            mean, half_width = w.interval(metric, system)
            record = w.record(system, metric).interval
            if not (
                math.isclose(record.mean, mean, abs_tol=1e-7)
                and math.isclose(record.half_width, half_width, abs_tol=1e-7)
            ):
                return False
    return fine


@FACT.sentence("the tool", f"Tool: {TOOL}")
def _(w, version, sacre, which):
    return follows(w, None if sacre is None else which or "")


@FACT.sentence("segments", "Segments: {n:count}")
def _(w, n):
    return n == w.size


@FACT.sentence("references", f"References: {{refs:{REFERENCES}}}")
def _(w, refs):
    return are_references(w, refs)


@FACT.sentence("the test set", "Test set: your own files; describe them")
def _(w):
    return True


@FACT.sentence("the scale", "Scale: Scores range from 0 to 1[[{errors:; error rates may be higher}]]")
def _(w, errors):
    return w.layout.scale == 1 and bool(errors) == any(not metric.higher_is_better for metric in w.made)


@FACT.sentence("no test", "Not tested.")
def _(w):
    return w.test is None


@FACT.sentence("n-grams", "N-grams: {told:rest}")
def _(w, told):
    made = w.made[w.metric]
    orders = {
        unit: int(re.search(rf"(?:of 1|to (\d+)) {unit}", told)[1] or 1)
        for unit in ("token", "character", "word")
        if f" {unit}" in told
    }
    if isinstance(made, BLEU):
        short = "; those for which the output is too short are left out" in told
        return orders == {"token": made.max_ngram_order} and short == made.effective_order
    space = {"(white space counts)": True, "(white space does not count)": False}
    named = [value for words, value in space.items() if words in told]
    expected = {unit: order for unit, order in (("character", made.char_order), ("word", made.word_order)) if order}
    return orders == expected and named == ([made.whitespace] if made.char_order else [])


@FACT.sentence(
    "the tokenizer",
    "Tokenizer: {told:13a, the tokenizer of mteval-v13a, which WMT uses|intl, the tokenizer of mteval-v14 for"
    " international text|zh: Chinese characters one by one, 13a for the rest|char: every character is a token|none:"
    " white space separates tokens|tercom: .+}",
)
def _(w, told):
    made = w.made[w.metric]
    if isinstance(made, TER):
        again = TER(case_sensitive=made.case_sensitive, **tercom_options(told))
        return all(
            math.isclose(w.score(w.metric, texts, made=again), w.score(w.metric, texts)) for texts in w.systems.values()
        )
    return told.split(",")[0].split(":")[0] == made.tokenizer_signature


@FACT.sentence("case", "Case: {case:case-sensitive \\(mixed\\)|case-insensitive \\(lc\\)}")
def _(w, case):
    made = w.made[w.metric]
    sensitive = made.case_sensitive if isinstance(made, TER) else not made.lowercase
    return sensitive == case.startswith("case-sensitive")


@FACT.sentence(
    "smoothing",
    "Smoothing: {told:exp: the first order without a match counts as half a match, the second as a quarter, and so"
    " on|floor: an order without a match counts as \\S+ matches|add-k: \\S+ is added to matches and n-grams of all"
    " orders but the first|none: the score is 0 if an order has no match|add-one: 1 is added to matches and n-grams"
    " of every order|chen-cherry-\\d: technique \\d of Chen and Cherry 2014|none|eps: the F-scores of all orders are"
    " averaged}[[{idle:; here every order has a match, so smoothing changed nothing}]]",
)
def _(w, told, idle):
    made = w.made[w.metric]
    if isinstance(made, CHRF):
        return (told != "none") == made.eps_smoothing and not idle
    method = told.partition(":")[0]
    value = re.search(r"(?:as|add-k:) ([\d.]+)", told) if method in ("floor", "add-k") else None
    fine = method == made.smooth_method and (value is None or float(value[1]) == made.smoothing.value)
    options = {name: getattr(made, name) for name in ("lowercase", "tokenize", "max_ngram_order", "effective_order")}
    plain = BLEU(**options, smooth_method="none")
    unchanged = all(
        math.isclose(w.score(w.metric, texts, made=plain), w.score(w.metric, texts)) for texts in w.systems.values()
    )
    return fine and (not idle or unchanged)


def read_run(w, tally):
    """Judge the notes under the table, what a paper says, and the warnings."""
    read_warnings(w, tally)
    w.printed, w.text_format = render(w.results, w.layout, "markdown"), render(w.results, w.layout, "text")
    for sentence in notes.brief(w.results, w.layout):
        TABLE.read(sentence, w, tally)
    text = w.text_format.partition("\n---")[2] if w.layout.style == "full" else ""
    if "Paired" in text:
        items = re.sub(r"\n   ", " ", text.partition("\n\n---")[0])
        for item in re.findall(r"^ - (.*)$", items, re.MULTILINE):
            TABLE.read(item, w, tally)
    w.layout = w.layout._replace(scale=w.scale)  # the checks of tables read scores in percent
    for sentence in paper.sentences(w.results, w.layout):
        PAPER.read(sentence, w, tally)
    _read_facts(w, tally)


def _read_facts(w, tally):
    for label, text in paper.facts(w.results, w.layout):
        if label != "Significance":
            FACT.read(f"{label}: {text}", w, tally)
            continue
        untested = "Not tested." if text.startswith("Not tested.") else ""
        FACT.read(untested, w, tally)
        PAPER.read(text.removeprefix(untested), w, tally)
    for number in range(len(w.metrics)):
        w.metric = number
        for label, text in paper.facts_of(w.results, number):
            FACT.read(f"{label}: {text}", w, tally)


RUN_NAMES = ("a", "base", "new-2", "x1")


def drawn_run(draw):
    """Return a world of a few short texts that are scored, and perhaps tested."""
    size = draw.choice([1, 2, 5, 8, 12])
    words = draw.choice(["abcd", "abcdefghij", ["Ab", "ab", "c.", "(d)", "e", "\u732b\u72ac"]])

    def text(least=0):
        return " ".join(draw.choices(words, k=draw.choice([least, 1, 2, 4, 6, 9, 14]))) or words[0]

    references = [[text(4) for _ in range(size)] for _ in range(draw.choice([1, 1, 2]))]
    if len(references) == 2 and draw.random() < 0.4:
        references[1][0] = None
    systems = {}
    for name in RUN_NAMES[: draw.choice([1, 2, 2, 3, 4])]:
        if systems and draw.random() < 0.3:
            systems[name] = list(draw.choice(list(systems.values())))
            if draw.random() < 0.7:
                systems[name][draw.randrange(size)] += " zz"
        else:
            systems[name] = [draw.choice([text(), references[0][at]]) for at in range(size)]
    made = [
        _drawn_metric(draw, name)
        for name in draw.choice(
            [["bleu"], ["chrf"], ["ter"], ["wer"], ["bleu", "ter"], ["bleu", "chrf", "wer"], ["chrf", "ter", "cer"]]
        )
    ]
    options = {}
    layout = Layout(draw.choice([1, 2, 3]), bold_best=draw.random() < 0.4)
    if len(systems) > 1 and draw.random() < 0.8:
        options = {
            "test": draw.choice(["ar", "bs"]),
            "trials": draw.choice([20, 41, 60]),
            "all_pairs": draw.random() < 0.3,
        }
        if layout.bold_best:
            options["bold_best"] = True
        layout = layout._replace(
            style=draw.choice(["full", "full", "compact", "stars"]), difference=draw.random() < 0.3
        )
    elif draw.random() < 0.5:
        options = {"n_bootstrap": draw.choice([40, 81])}
    layout = layout._replace(bold_best=layout.bold_best and "test" in options)
    try:
        w = RunWorld(systems, references, made, draw.choice([100, 100, 1]), **options)
    except BleuError:
        return None
    w.layout = layout if "test" in options else layout._replace(style="full", difference=False)
    return w


def drawn_power(draw):
    """Return a world of enough segments that differ to say what the test set shows."""
    size, words = draw.choice([60, 75]), ["ab", "cd", "ef", "gh", "ij", "kl", "mn"]
    references = [" ".join(draw.choices(words, k=7)) for _ in range(size)]
    rates = draw.choice([(0.4, 0.4, 0.6), (0.3, 0.5), (0.5, 0.5)])
    systems = {
        f"system-{number}": [
            " ".join(word if draw.random() > rate else "x" for word in text.split()) for text in references
        ]
        for number, rate in enumerate(rates)
    }
    if draw.random() < 0.1:  # other segments, the same score
        systems = {"a": ["ab cd x", "ab cd ef"] * 30, "b": ["ab cd ef", "ab cd x"] * 30}
        references = ["ab cd ef"] * 60
    made = draw.sample([BLEU(), CHRF(), TER()], 2)
    options = {"test": draw.choice(["ar", "bs"]), "trials": 40, "all_pairs": draw.random() < 0.5}
    w = RunWorld(systems, [references], made, draw.choice([100, 1]), **options)
    w.layout = Layout(draw.choice([0, 1, 3]), style=draw.choice(["full", "stars"]), difference=draw.random() < 0.5)
    return w


def drawn_ties(draw):
    """Return a world in which many trials tie: each segment of one system has one error more or less."""
    size = draw.choice([8, 9, 10])
    better = ["ab cd ef"] * (size - 1) + ["ab cd x"]
    worse = ["ab cd x"] * (size - 1) + ["ab cd ef"]
    options = {"test": "ar", "trials": draw.choice([60, 200]), "all_pairs": False}
    return RunWorld({"a": better, "base": worse}, [["ab cd ef"] * size], [TER()], **options)


def _drawn_metric(draw, name):
    if name == "bleu":
        method = draw.choice([*["exp"] * 4, *METHODS[1:9]])
        return BLEU(
            lowercase=draw.random() < 0.2,
            tokenize=draw.choice(["13a", "13a", "intl", "zh", "char", "none"]),
            smooth_method=method,
            smooth_value=draw.choice([None, 0.25]) if method in ("floor", "add-k") else None,
            max_ngram_order=draw.choice([4, 4, 2, 1]),
            effective_order=draw.random() < 0.3,
        )
    if name == "chrf":
        char_order, word_order = draw.choice([(6, 0), (6, 2), (6, 1), (1, 0), (0, 2)])
        options = {option: draw.random() < 0.2 for option in ("lowercase", "whitespace", "eps_smoothing")}
        return CHRF(char_order, word_order, beta=draw.choice([2, 2, 3]) if not word_order else 2, **options)
    if name == "ter":
        options = ("normalized", "no_punct", "asian_support", "case_sensitive")
        return TER(**{option: draw.random() < 0.4 for option in options})
    return {"wer": WER, "cer": CER}[name](lowercase=draw.random() < 0.2)


# --- what a paper says of other results: parts of test sets, scores of other tools, texts compared with each other

SIGNED = Place("signature")


class SignedWorld:
    """Results made by hand, whose signature is all that is known of them."""

    names = ()

    def __init__(self, kind, info, counts, segments, column=False):
        self.kind, self.info, self.counts, self.segments, self.column = kind, info, counts, segments, column
        name = {"set": "TER", "given": "score", "diversity": "Self-BLEU"}[kind]
        self.metrics = [name]
        shares = [("distinct-1", 0.5), ("distinct-2", None)] if kind == "diversity" else []
        records = [
            ScoreRecord(name, 50.0, "", Signature([*info.items(), *([("nrefs", n)] if n else [])]), True, shares=shares)
            for n in counts
        ]
        if kind != "given":
            described = TER.describe if kind == "set" else self_bleu.describe
            records = [record._replace(describe=described) for record in records]
        more = []
        if column:
            self.metrics.append("COMET")
            more = [ScoreRecord("COMET", 0.5, "", Signature([("scores", "higher")]), True, scale=1)]
        systems = [SystemResult(f"s{number}", [record, *more]) for number, record in enumerate(records)]
        self.results = Results(systems, segments, [])

    def __str__(self):
        return f"{self.kind}, {self.info}, {self.counts}"


@SIGNED.sentence(
    "a part of a test set",
    "We report TER (Snover et al., 2006) on {n:count} ((segment||segments)) of {what:text} with {refs:text}, computed"
    " with bleucli x, which follows sacreBLEU (Post, 2018).",
    "We report TER (Snover et al., 2006) on {n:count} ((segment||segments)) of {what:text} with {refs:text}, computed"
    " with bleucli x.",
    "Test set: {what:rest}",
)
def _(w, what, n=None, refs=None):
    sets, _, part = what.partition(" (")
    parts = part.removesuffix(")").split("; ") if part else []
    told = {}
    for one in parts:
        if one.startswith("only segments first written in "):
            told["origlang"] = one.split()[-1]
        elif one.startswith("only segments not first written in "):
            told["origlang"] = f"non-{one.split()[-1]}"
        elif one.startswith("only the subset "):
            told["subset"] = one.removeprefix("only the subset ")
        else:
            told["lang"] = one
    known = {key: w.info[key] for key in ("lang", "origlang", "subset") if key in w.info}
    fine = told == known and sets.split(" and ") == w.info["test"].split(",") and n in (None, w.segments)
    return fine and (refs is None or _is_number_of_references(w, refs))


def _is_number_of_references(w, told):
    number, _, empty = told.partition(", without empty ones")
    words = {"var": "varying numbers of references", "1": "one reference each"}
    expected = words.get(w.counts[0], f"{w.counts[0]} references each")
    return number == expected and ("without" in told) == ("empty" in w.info) and not empty


@SIGNED.sentence("references", "References: {told:rest}")
def _(w, told):
    return _is_number_of_references(w, told)


@SIGNED.sentence(
    "scores of other tools", "Scores are means over {n:count} ((segment||segments)), computed with bleucli x."
)
def _(w, n):
    return w.kind == "given" and n == w.segments


@SIGNED.sentence(
    "a column of another tool",
    "{name:word} is the mean of the scores of segments, computed with {what:text}.",
    "- {name:word}: {what:rest}",
)
def _(w, name, what):
    return w.column and name == "COMET" and what.strip("[]") == "the metric's paper, model and version"


@SIGNED.sentence(
    "texts compared with each other",
    "We report Self-BLEU (Zhu et al., 2018) and distinct n-grams of orders 1 to {n:count} (Li et al., 2016), computed"
    " with bleucli x, which follows sacreBLEU (Post, 2018).",
)
def _(w, n):
    return n == len(w.results.systems[0].scores[0].shares)


@SIGNED.sentence("compared texts", "((Each text is scored against||Compared: each text with)) {told:rest}")
def _(w, told):
    if "var" in w.counts:
        return told.rstrip(".") == "the others of its group"
    counts = sorted(map(int, w.counts))
    number = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
    return told.rstrip(".") == f"{number} other{'s' * (number != '1')}"


@SIGNED.sentence(
    "what is known from elsewhere",
    "Tool: bleucli x[[, which follows sacreBLEU (Post, 2018)]]",
    "Segments: {n:count}",
    "Significance: Not tested.",
    "TER is case-insensitive and uses tercom's tokens (no normalization, punctuation kept, no Asian support).",
    "Self-BLEU uses the 13a tokenizer, exp smoothing and n-grams of up to 4 tokens.",
    "### ((What to write||How the scores were made||What to cite))",
)
def _(w, n=None):
    return n in (None, w.segments)


@SIGNED.sentence(
    "the paper of a test set",
    "- the test set: `bleu -t {name:word} --cite` prints its paper, if one is known",
)
def _(w, name):
    return name == w.info["test"]


def read_signed(w, tally):
    layout = Layout()
    for line in render(w.results, layout, "paper").splitlines():
        if line.startswith(("###", "- the test set", "- COMET: ")):
            SIGNED.read(line, w, tally)
    for sentence in paper.sentences(w.results, layout):
        SIGNED.read(sentence, w, tally)
    for label, text in paper.facts(w.results, layout):
        SIGNED.read(f"{label}: {text}", w, tally)


def drawn_signed(draw):
    """Return a world of a drawn signature."""
    kind = draw.choice(["set", "set", "given", "diversity"])
    if kind == "given":
        return SignedWorld(kind, {"version": "bleucli-x"}, [""], draw.choice([1, 7]))
    if kind == "diversity":
        info = {"tok": "13a", "smooth": "exp", "version": "bleucli-x"}
        counts = draw.choice([["1"], ["9"], ["3", "9"], ["2", "2"], ["var"], ["var", "4"]])
        return SignedWorld(kind, info, counts, 10)
    info = {"test": draw.choice(["wmt17", "wmt17,wmt18"])}
    for key, values in {"lang": ["en-de"], "origlang": ["de", "non-de"], "subset": ["^news"]}.items():
        if draw.random() < 0.5:
            info[key] = draw.choice(values)
    info |= {"empty": "missing"} if draw.random() < 0.3 else {}
    info |= {"case": "lc", "tok": "tercom", "norm": "no", "punct": "yes", "asian": "no", "version": "bleucli-x"}
    return SignedWorld("set", info, [draw.choice(["1", "2", "var"])], draw.choice([1, 7]), draw.random() < 0.5)


# --- averages over language pairs

AVERAGE = Place("average")
PAIRS = {"en-de": "13a", "en-zh": "zh", "en-fr": "13a"}  # with BLEU's tokenizers


class MatrixWorld:
    """Language pairs with the texts of their systems and with their references."""

    metrics = ("BLEU", "chrF2")

    def __init__(self, texts, options):
        self.texts, self.options = texts, options
        self.names = list(dict.fromkeys(name for systems, _ in texts.values() for name in systems))
        self.layout = Layout(
            2, bold_best=options.get("bold_best", False), style="compact", difference="test" in options
        )
        with warnings.catch_warnings(action="ignore"):
            self.results = score_matrix(texts, ["bleu", "chrf"], **options)
        self.printed = render(self.results, self.layout, "markdown")

    def __str__(self):
        return repr(self.texts)

    @property
    def whole(self):
        """The systems with output for every pair."""
        return [name for name in self.names if all(name in systems for systems, _ in self.texts.values())]

    @cached_property
    def cells(self):
        """The cells of each metric's table, by system and column, without marks of Markdown."""
        tables = []
        for line in filter(lambda line: line.startswith("|"), self.printed.splitlines()):
            cells = [cell.strip().replace("\\", "") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if cells[0].startswith(self.metrics):
                tables.append({})
                columns = cells[1:]
            elif not cells[0].startswith(":"):
                tables[-1][cells[0].removeprefix("Baseline: ")] = dict(zip(columns, cells[1:], strict=True))
        return tables

    @cached_property
    def alone(self):
        """The results of each pair, scored and tested as if it were the only one."""
        with warnings.catch_warnings(action="ignore"):
            return {
                pair: evaluate_systems(
                    {name: systems[name] for name in self.names if name in systems},
                    references,
                    [BLEU(tokenize=PAIRS[pair]), CHRF()],
                    **self.options,
                )
                for pair, (systems, references) in self.texts.items()
            }

    def drawn(self, number, name, trials):
        """Return the averages of a system and of the baseline in each trial, by NumPy's own draws."""
        ours, theirs = np.zeros(trials), np.zeros(trials)
        for place, (pair, (systems, references)) in enumerate(self.texts.items()):
            metric = (BLEU(tokenize=PAIRS[pair]), CHRF())[number]
            # Without a test, any system may lack a pair
            first = self.results.averages[0].bare_name if "test" in self.options else name
            both = [systems[first], systems[name]]
            size, rng = len(both[0]), np.random.default_rng([SEED, place])
            if self.options.get("test") == "ar":
                draws = rng.integers(2, size=(trials, size), dtype=bool)
                texts = [[[both[swap ^ at][n] for n, swap in enumerate(row)] for at in (0, 1)] for row in draws]
                lines = [range(size)] * trials
            else:
                lines = rng.integers(size, size=(trials, size))
                texts = [[[one[n] for n in row] for one in both] for row in lines]
            for at, (row, (first, second)) in enumerate(zip(lines, texts, strict=True)):
                streams = [[stream[n] for n in row] for stream in references]
                theirs[at] += metric.corpus_score(first, streams).score / len(self.texts)
                ours[at] += metric.corpus_score(second, streams).score / len(self.texts)
        return theirs, ours

    def p_value(self, number, name):
        """Return the p-value of an average's difference; it counts trials that equal the difference.

        It is at least 2/2^n where the systems differ in n segments.
        """
        rows = {row.bare_name: row.scores[number].score for row in self.results.averages}
        theirs, ours = self.drawn(number, name, self.options["trials"])
        first = self.results.averages[0].bare_name
        gap, gaps = abs(rows[name] - rows[first]), abs(ours - theirs)
        reached = gaps >= gap - 1e-9 if self.options["test"] == "ar" else gaps - gaps.mean() > gap + 1e-9
        both = [zip(systems[first], systems[name], strict=True) for systems, _ in self.texts.values()]
        least = 0.5 ** (sum(a != b for lines in both for a, b in lines) - 1)
        return max((int(reached.sum()) + 1) / (self.options["trials"] + 1), least)


@AVERAGE.sentence(
    "what an average is",
    "The average is the mean over the {n:count} language pairs, for systems with output for each.",
)
def _(w, n):
    for name, row in zip(w.whole, w.results.averages, strict=True):
        for number, metric in enumerate((BLEU, CHRF)):
            scores = []
            for pair, (systems, references) in w.texts.items():
                options = {"tokenize": PAIRS[pair]} if metric is BLEU else {}
                scores.append(metric(**options).corpus_score(systems[name], references).score)
            if row.bare_name != name or not math.isclose(row.scores[number].score, sum(scores) / n):
                return False
    return n == len(w.texts)


@AVERAGE.sentence(
    "a test of language pairs against the baseline",
    f"{NAMED}, {TRIALS}: each system is compared with the baseline, {{baseline:system}}; † marks p ≤ 0.05, not"
    f" corrected for the number of tests.",
)
def _(w, method, trials, unit, baseline):
    kind = TESTS[w.options["test"]]
    if baseline != 0 or (method, unit.removesuffix("s")) != kind or trials != w.options["trials"]:
        return False
    for number, table in enumerate(w.cells):
        for pair, results in w.alone.items():
            for system in results.systems:
                if ("†" in table[system.name][pair]) != system.scores[number].differs:
                    return False
        for row in w.results.averages[1:]:
            if ("†" in table[row.bare_name]["Average"]) != (w.p_value(number, row.bare_name) <= 0.05):
                return False
    return True


@AVERAGE.sentence(
    "a test of all pairs by language pair",
    f"{NAMED}, {TRIALS}: every system is compared with every other; systems differ at p ≤ 0.05, corrected for the"
    f" number of pairs by step-down max-T (Romano & Wolf 2005).",
)
def _(w, method, trials, unit):
    kind = TESTS[w.options["test"]]
    rankings = [ranking for results in w.alone.values() for ranking in results.rankings]
    ours = list(w.results.rankings)[: len(rankings)]
    return (method, unit.removesuffix("s"), trials) == (*kind, w.options["trials"]) and ours == rankings


@AVERAGE.sentence("ranks by language pair", f"In parentheses: the cluster, then the ranks, {RANKS}")
def _(w):
    for group in w.results.with_averages().groups():
        for number, ranking in enumerate(group.rankings):
            for index, system in enumerate(group.systems):
                column = "Average" if system.pair == "average" else system.pair
                end = f"({ranking.clusters[index]}; {tell_ranks(ranking.ranks[index])})"
                if not w.cells[number][system.bare_name][column].endswith(end):
                    return False
    return True


@AVERAGE.sentence(
    "clusters by language pair",
    "Systems in different clusters differ significantly; some in the same cluster may differ, too.",
)
def _(w):
    return all(
        one.corrected[a][b] <= 0.05
        for one in w.results.rankings
        for a, b in product(range(len(one.clusters)), repeat=2)
        if one.clusters[a] != one.clusters[b]
    )


@AVERAGE.sentence(
    "how averages are tested",
    "Averages are tested, too: the outputs of each language pair are exchanged independently of those of the others.",
)
def _(w):
    others = w.results.averages[1:]
    return bool(others) and all(
        row.scores[number].identical or np.isclose(row.scores[number].p_value, w.p_value(number, row.bare_name))
        for row in others
        for number in range(2)
    )


@AVERAGE.sentence(
    "how averages are resampled",
    "Averages are resampled, too: the segments of each language pair are drawn independently of those of the others.",
)
def _(w):
    for number, (row, metric) in product(range(2), zip(w.results.averages, w.whole, strict=True)):
        trials = w.options.get("trials", w.options.get("n_bootstrap"))
        scores = sorted(w.drawn(number, metric, trials)[1])
        half = (scores[trials - 1 - trials // 40] - scores[trials // 40]) / 2
        if not np.allclose(tuple(row.scores[number].interval), (np.mean(scores), half)):
            return False
    return bool(w.results.averages)


@AVERAGE.sentence("intervals by language pair", "After ±: half the width of the 95% bootstrap interval.")
def _(w):
    intervals = {
        (system.name, pair): [record.interval for record in system.scores]
        for pair, results in w.alone.items()
        for system in results.systems
    }
    return all(
        f"±{of[number].half_width:.2f}" in w.cells[number][name][pair]
        for (name, pair), of in intervals.items()
        for number in range(2)
    )


@AVERAGE.sentence(
    "the best by language pair",
    "Bold: the best score of a column, and those that a test of all pairs, corrected for the number of pairs by"
    " step-down max-T (Romano & Wolf 2005), cannot distinguish from it.[[{daggers: Daggers rest on p-values that are"
    " not corrected, so a bold score may have one, too.}]]",
)
def _(w, daggers):
    for number, table in enumerate(w.cells):
        for pair, results in w.alone.items():
            for system in results.systems:
                if ("**" in table[system.name][pair]) != system.scores[number].best:
                    return False
    return bool(daggers) == (not w.results.rankings)


@AVERAGE.sentence(
    "differences of averages",
    "Δ: the difference from {whom:the baseline|the first system}, {first:system}[[; {how:in brackets, its 95% interval"
    " by bootstrap}]].",
)
def _(w, whom, first, how):
    for number, table in enumerate(w.cells):
        base = w.results.averages[0].scores[number].score
        for row in w.results.averages[1:]:
            cell = table[row.bare_name]["ΔAverage"].replace("−", "-")
            value, *bounds = map(float, re.findall(r"[-+]?\d+\.\d+", cell))
            if abs(row.scores[number].score - base - value) > 0.0051 or len(bounds) != (2 if how else 0):
                return False
            if how:
                theirs, ours = w.drawn(number, row.bare_name, w.options["trials"])
                gaps = sorted(ours - theirs)
                tail = len(gaps) // 40
                if not np.allclose(bounds, (gaps[tail], gaps[-1 - tail]), atol=0.0051):
                    return False
    return first == 0 and (whom == "the baseline") == (not w.results.rankings)


@AVERAGE.sentence(
    "ties by language pair",
    "{told:text}: no dagger here, unlike in sacreBLEU, because {why:p is above 0.05 if trials with exactly the observed"
    " difference count|no difference in fewer than 6 segments can be significant}.",
)
def _(w, told, why):
    doubtful = [
        f"{system.name} pair={pair} by {record.name}"
        for pair, results in w.alone.items()
        for system in results.systems[1:]
        for record in system.scores
        if record.sacrebleu_p_value <= 0.05 < record.p_value
    ]
    return split_list(told) == doubtful and why.startswith("p is") == (w.options["test"] == "ar")


@AVERAGE.sentence("no averages", "There are no averages, because no system has a score for every language pair.")
def _(w):
    return not w.whole


@AVERAGE.sentence(
    "averages of different tokenizers", "The average {name:metric} mixes scores by different tokenizers: {told:[^.]+}."
)
def _(w, name, told):
    return name == 0 and told.split(" and ") == list(dict.fromkeys(PAIRS[pair] for pair in w.texts))


@AVERAGE.sentence(
    "averages of different numbers of references",
    "The averages mix language pairs with different numbers of references: {told:[^.]+}.",
)
def _(w, told):
    numbers = {pair: len(references) for pair, (_, references) in w.texts.items()}
    found = {pair: int(n) for n, pairs in re.findall(r"(\d+) \(([^)]+)\)", told) for pair in split_list(pairs)}
    return found == numbers and len(set(numbers.values())) > 1


def read_averages(w, tally):
    for sentence in notes.brief(w.results, w.layout):
        AVERAGE.read(sentence, w, tally)


def drawn_matrix(draw):
    """Return a world of some language pairs, of which systems may lack some."""

    def text():
        return " ".join(draw.choices("abcdef", k=draw.choice([4, 6, 9])))

    def noisy(line):
        return " ".join(word if draw.random() < 0.8 else "x" for word in line.split())

    test = draw.choice(["", "", "", "", "ci", "ar", "bs", "bs"])
    options = {"": {}, "ci": {"n_bootstrap": 60}}.get(test)
    if options is None:
        options = {"test": test, "trials": 60, "all_pairs": draw.random() < 0.3, "bold_best": draw.random() < 0.5}
        texts = {}
        for pair in draw.sample(list(PAIRS), draw.choice([1, 2, 3])):
            size = draw.choice([8, 12])
            references = [[text() for _ in range(size)] for _ in range(draw.choice([1, 2]))]
            worse = [text() if draw.random() < 0.5 else noisy(line) for line in references[0]]
            texts[pair] = ({"A": list(map(noisy, references[0])), "B": worse}, references)
        return MatrixWorld(texts, options)
    texts = {}
    for pair in draw.sample(list(PAIRS), draw.choice([1, 2, 3, 3])):
        references = [[text() for _ in range(3)] for _ in range(draw.choice([1, 1, 2]))]
        names = draw.sample("AB", draw.choice([1, 2, 2]))
        texts[pair] = ({name: [text() for _ in range(3)] for name in sorted(names)}, references)
    return MatrixWorld(texts, options)


# --- warnings


OF = "{system:system}: "


@WARNING.sentence(
    "the same text as a reference",
    "{system:system} is the same text as {other:(?:the reference )?references\\[\\d+\\]}; is it the system's output?",
)
def _(w, system, other):
    number = re.search(r"\d+", other)
    return w.texts(system) == w.references[int(number[0])]


@WARNING.sentence(
    "a mistake in many segments",
    "{n:count} of {all:count} segments of {system:system} ((has||have)) {what:text}, first ((segment||line))"
    " {first:count}[[ (counting from 0)]][[ ({example:'.*?'})]]; {remedy:text};"
    " {more:bleucli.check_texts|bleu check} says more",
)
def _(w, n, all, system, what, first, example, remedy, more):  # noqa: A002
    texts, reference = w.texts(system), w.references[0]
    if what.startswith("letters of another script"):
        ours, theirs = ("".join(one or "" for one in side) for side in (texts, reference))
        found = [at for at, text in enumerate(texts) if text.strip()]
        fine = len(re.findall("[\u3040-\u9fff]", ours)) > len(ours) / 2 > len(re.findall("[a-z]", ours))
        fine = fine and what.endswith("(Chinese or Japanese instead of Latin)")
        fine = fine and len(re.findall("[a-z]", theirs)) > 9 * len(re.findall("[\u3040-\u9fff]", theirs))
    else:
        findings = [one for one in check_texts({"a": texts}, w.references).findings if one.remedy == remedy]
        fine, found = len(findings) == 1, [findings[0].first] * findings[0].segments
    place = first - (more == "bleu check")
    return (
        fine
        and (n, all, place) == (len(found), len(texts), found[0])
        and repr(texts[place][:9])[:-1] in (example or "'")
    )


@WARNING.sentence(
    "an output that is too short",
    OF + "the output has {n:count} ((token||tokens)) but the references have {k:count} (BP = {bp:number}); are"
    " translations missing or cut short?",
)
def _(w, system, n, k, bp):
    score = w.made[0].corpus_score(w.texts(system), w.references)
    return (
        (score.sys_len, score.ref_len) == (n, k)
        and bp.of(math.exp(1 - k / n) if n else 0)
        and bp.of(score.bp)
        and score.bp < 0.7
    )


@WARNING.sentence(
    "tokenized text",
    OF + "{n:count} hypotheses end in ' .', so the text looks tokenized, which changes the score; detokenize it, or use"
    " {how:\\S+} if it should be tokenized",
)
def _(w, system, n, how):
    scorer = w.made[0]
    tokenized = scorer.corpus_score(w.texts(system), w.references).score
    bare = scorer.corpus_score([text.replace(" .", ".") for text in w.texts(system)], w.references).score
    return n == sum(text.endswith(" .") for text in w.texts(system)) >= 100 and (
        scorer.tokenize != "none" or tokenized != bare
    )


@WARNING.sentence(
    "subword marks",
    OF + "the text still has {n:count} subword ((mark||marks)) (@@ or ▁), which changes the score; join the subwords"
    " first",
)
def _(w, system, n):
    texts = w.texts(system)
    joined = [text.replace("@@ ", "").replace("▁", " ") for text in texts]
    changed = w.score(0, joined) != w.score(0, texts)
    return n == sum(text.count("@@ ") + text.count("▁") for text in texts) and changed


@WARNING.sentence(
    "an output out of step",
    "from segment {first:count} (counting from 0) on, {system:system} is out of step with references[0]: its segment"
    " {same:count} matches segment {other:count} there; look for a missing or doubled segment",
    "from line {first:count} on, {system:system} is out of step with references[0]: its line {same:count} matches"
    " line {other:count} there; look for a missing or doubled line",
)
def _(w, first, system, same, other):
    texts, reference = w.texts(system), w.references[0]
    moved = other - first
    first -= "from line" in w.text

    def alike(shift):
        pairs = [
            (set(texts[at].split()), set(reference[at + shift].split()))
            for at in range(first, len(texts))
            if 0 <= at + shift < len(reference)
        ]
        return sum(len(a & b) / max(1, len(a | b)) for a, b in pairs) / max(1, len(pairs))

    return same in (first, first + 1) and alike(moved) > 2 * alike(0)


@WARNING.sentence("no match at all", OF + "BLEU is 0 since no word matches; smoothing does not apply then")
def _(w, system):
    score = w.made[0].corpus_score(w.texts(system), w.references)
    return score.score == 0 == score.counts[0]


@WARNING.sentence(
    "a text too short for an order",
    OF
    + "the text is too short for n-grams of order {order:count}; for single segments use effective order ({how:[^)]+})",
)
def _(w, system, order, how):
    tokens = [(text or "").split() for text in w.made[0].prepare(Segments.from_strings(w.texts(system)))]
    too_short = all(len(one) < order for one in tokens)
    return order == w.made[0].max_ngram_order and too_short and not w.made[0].effective_order


@WARNING.sentence(
    "a script without spaces, by edits",
    OF + "{metric:TER|WER} counts words between spaces, but most of the output has no spaces between words; use"
    " {cure:rest}",
)
def _(w, system, metric, cure):
    text = " ".join(w.texts(system))
    return 2 * len(UNSPACED.findall(text)) > len("".join(text.split())) and cure.endswith("CER")


@WARNING.sentence(
    "line breaks that join words",
    OF + "WER splits words at spaces only, as jiwer does, so {breaks:count} line ((break||breaks)) in {texts:count}"
    " ((text||texts)) ((joins||each join)) two words into one; replace line breaks by spaces, or use TER",
)
def _(w, system, breaks, texts):
    # Every joined word is one that jiwer would split if its break were a space
    joined = [len(text.replace("\n", " ").split()) - len(text.strip().split(" ")) for text in w.texts(system)]
    return (breaks, texts) == (sum(joined), sum(map(bool, joined)))


@WARNING.sentence(
    "line breaks of references that join words",
    OF + "WER splits words at spaces only, as jiwer does, so {breaks:count} line ((break||breaks)) in {texts:count}"
    " ((reference||references)) ((joins||each join)) two words into one; replace line breaks by spaces, or use TER",
)
def _(w, system, breaks, texts):
    references = [text for stream in w.references for text in stream if text is not None]
    joined = [len(text.replace("\n", " ").split()) - len(text.strip().split(" ")) for text in references]
    return (breaks, texts) == (sum(joined), sum(map(bool, joined)))


@WARNING.sentence(
    "a script that is not split",
    OF + "most letters belong to a script that 13a does not split into words; choose another tokenizer with {how:rest}",
)
def _(w, system, how):
    text = "".join("".join(w.texts(system)).split())
    return 2 * len(UNSPACED.findall(text)) > len(text) and w.made[0].tokenizer_signature == "13a"


@WARNING.sentence(
    "Asian support without effect",
    "{asian:asian_support=True|--ter-asian-support} does nothing without {a:\\S+} or {b:\\S+}",
)
def _(w, asian, a, b):
    (ter,) = (metric for metric in w.made if isinstance(metric, TER))
    others = TER(asian_support=False, case_sensitive=ter.case_sensitive)
    same = all(
        math.isclose(others.corpus_score(t, w.references).score, ter.corpus_score(t, w.references).score)
        for t in w.systems.values()
    )
    return same and ter.asian_support and not ter.normalized and not ter.no_punct


@WARNING.sentence(
    "too few trials",
    "{n:count} ((trial||trials)) {effect:cannot show significance at 0.05|give only rough corrected p-values}; use at"
    " least {least:count}",
)
def _(w, n, effect, least):
    # The smallest p-value is 1 / (trials + 1); a corrected one should be a twentieth of the limit
    limit = 0.05 / 20 if w.options["all_pairs"] or w.options.get("bold_best") else 0.05
    can_show = 1 / (n + 1) <= 0.05
    is_few = n == w.trials and 1 / (n + 1) > limit and 1 / (least + 1) <= limit < 1 / least
    return is_few and can_show == effect.startswith("give")


@WARNING.sentence(
    "a star that rests on ties",
    "{first:system} and {second:system}: the p-value by {metric:metric}, {p:number}, leaves out trials with exactly"
    " the observed difference, as in sacreBLEU; with them, it is {counted:number}, which is not significant",
    "{first:system} and {second:system}: the p-value by {metric:metric} as sacreBLEU computes it, {p:number}, leaves"
    " out trials with exactly the observed difference; with them, it is {counted:number}, which is not significant",
)
def _(w, first, second, metric, p, counted):
    without, *others = w.possible(metric, second)
    return first == 0 and p.of(without) and any(counted.of(one) and without <= 0.05 < one for one in others)


@WARNING.sentence(
    "too few segments that differ",
    "{first:system} and {second:system} differ in only {n:count} ((segment||segments)) by {metric:metric}: too few"
    " for a test; do not rely on the p-value",
    "{first:system} and {second:system} differ in only {n:count} ((segment||segments)) by {metric:metric}[[ (and"
    " {others:count} other ((pair||pairs)))]]; no difference in fewer than 6 segments can be significant at 0.05",
    "{size:count} ((segment||segments)): no difference in fewer than 6 segments can be significant at 0.05",
)
def _(w, first=0, second=None, n=0, metric=0, others=None, size=None):
    # Of the ways to swap n segments, two give the observed difference; 2 / 2^5 is above 0.05, and 2 / 2^6 is not
    if size is not None:
        return size == w.size < 6
    return n == w.differing(metric, first, second) < 6 and (first == 0 or w.options["all_pairs"])


def drawn_warning(draw):
    """Return a world of texts with a mistake in them."""
    words = "abcdefghijklmnopqrstuvwxyz"
    size = draw.choice([20, 110, 130])
    references = [[" ".join(draw.choices(words, k=draw.choice([3, 8, 12]))) for _ in range(size)]]
    output = [" ".join(word for word in text.split() if draw.random() > 0.1) or "z" for text in references[0]]
    kind = draw.choice(["tokenized", "subwords", "shifted", "unrelated", "tiny", "unspaced", "copy", "short", "breaks"])
    at_breaks = draw.choice(["output", "references"])
    made = [draw.choice([BLEU(), BLEU(tokenize="none"), TER(), WER()])]
    if kind == "tokenized":
        output = [f"{text} ." if draw.random() < 0.95 else text for text in output]
    elif kind == "subwords":
        output = [text.replace("a", "a@@").replace("b ", "▁b ") for text in output]
    elif kind == "shifted":
        at = draw.randrange(size // 2)
        output = (
            [*output[:at], *output[at + 1 :], output[at]]
            if draw.random() < 0.5
            else [*output[:at], "z", *output[at:-1]]
        )
    elif kind == "unrelated":
        output = ["0 1 2" for _ in output]
    elif kind == "tiny":
        output = [text[:3] for text in output]
    elif kind == "unspaced":
        output = ["猫坐在垫子上猫坐在" + draw.choice(["", " a"]) for _ in output]
    elif kind == "copy":
        output = list(references[0])
    elif kind == "breaks" and at_breaks == "output":
        output = [text.replace(" ", "\n", draw.choice([0, 1, 3])) for text in output]
    elif kind == "breaks":
        references = [[text.replace(" ", "\n", draw.choice([0, 1, 3])) for text in references[0]]]
    else:
        output = [text[: len(text) // 2] for text in output]
    return RunWorld({"a": output}, references, made)


def read_warnings(w, tally):
    """Judge the warnings, as Python and as the command say them; test_sentences measures what one says of errors."""
    for hint in w.results.hints:
        if "equally good systems" in hint:
            continue
        for w.text in (hint, in_command(hint)):
            WARNING.read(w.text, w, tally)


# --- gates


class GateWorld:
    """Scores that gates judge; earlier: those of an earlier answer as it was written, by system and metric."""

    def __init__(self, results, fail_under, max_drop, earlier, baseline, scale):
        self.results, self.fail_under, self.max_drop = results, fail_under, max_drop
        self.earlier, self.baseline, self.scale = earlier, baseline, scale
        self.names = [system.name for system in results.systems]
        self.metrics = [record.name for record in results.systems[0].scores]

    def __str__(self):
        scores = {system.name: [record.score for record in system.scores] for system in self.results.systems}
        return f"{scores}, {self.fail_under}, {self.max_drop}, {self.earlier}, scale {self.scale}"

    def record(self, system, metric):
        return self.results.systems[system].scores[metric]

    def shown(self, system, metric):
        """Return the score on the scale of the messages, exactly."""
        return Decimal(repr(self.record(system, metric).score)) / (100 if self.scale == 1 else 1)


@GATE.sentence(
    "a score beyond its bound",
    "{system:system}: {metric:metric} {score:number} is {side:under|over} {bound:number} (--fail-under)",
)
def _(w, system, metric, score, side, bound):
    higher = w.record(system, metric).higher_is_better
    own = float(w.record(system, metric).score) / (100 if w.scale == 1 else 1)
    asked = w.fail_under.get(w.metrics[metric], w.fail_under.get("") if metric == 0 else None)
    fine = score.value == own and asked is not None and bound.value == asked.number
    return fine and (own < bound.value if side == "under" else own > bound.value) and (side == "under") == higher


@GATE.sentence(
    "a drop",
    "{system:system}: {metric:metric} {score:number} is worse than {earlier:number} by {drop:number}[[ since"
    " {path:\\S+?}]][[, p = {p:number}]], more than {most:[\\d.e-]+|[\\d.e-]+% of [\\d.]+ = [\\d.e-]+} (--max-drop)",
)
def _(w, system, metric, score, earlier, drop, path, p, most):
    record = w.record(system, metric)
    shown, before = Decimal(score), Decimal(earlier)
    gap = before - shown if record.higher_is_better else shown - before
    fine = Decimal(drop) == gap > 0 and score.of(float(w.shown(system, metric)))
    if w.baseline:
        fine = fine and path == w.baseline.path and before == w.earlier[w.names[system]][w.metrics[metric]]
    else:
        fine = fine and path is None and before == w.shown(0, metric)
    asked = w.max_drop.get(w.metrics[metric], w.max_drop.get(""))
    allowed = Decimal(repr(asked.number))
    if "%" in most:
        share, _, rest = most.partition("% of ")
        fine = fine and Decimal(share) == allowed and Decimal(rest.split(" = ")[0]) == before
        allowed = Decimal(rest.split(" = ")[1])
        fine = fine and allowed == Decimal(share) * abs(before) / 100
    if p is not None:
        fine = fine and Shown(p).of(record.p_value) and record.differs
    return fine and gap > allowed and (p is None) == (record.p_value is None)


@GATE.sentence(
    "a drop that rounding hides",
    "{system:system}: {metric:metric} is {score:number}, as in {path:\\S+}; a drop smaller than its last digit goes"
    " unnoticed: write the baseline with -w {width:count}",
)
def _(w, system, metric, score, path, width):
    before = w.earlier[w.names[system]][w.metrics[metric]]
    return (
        Decimal(score) == before != w.shown(system, metric)
        and score.of(float(w.shown(system, metric)))
        and path == w.baseline.path
    )


@GATE.sentence(
    "a baseline rounded too far",
    "{path:\\S+} has {metric:metric} {score:number}, which may be rounded too far for --max-drop {bound:[^;]+}; write"
    " the baseline with -w {width:count}, or with -f jsonl, which does not round",
)
def _(w, path, metric, score, bound, width):
    values = {one[w.metrics[metric]] for one in w.earlier.values()}
    asked = w.max_drop.get(w.metrics[metric], w.max_drop.get(""))
    allowed = Decimal(repr(asked.number)) * (abs(Decimal(score)) / 100 if asked.percent else 1)
    # Trailing zeros are not written, so the longest score shows how far all were rounded, as far as anyone can tell
    exponents = [one.normalize().as_tuple().exponent for of_system in w.earlier.values() for one in of_system.values()]
    unit = Decimal(1).scaleb(min(*exponents, 0))
    return Decimal(score) in values and str(asked) == bound and (allowed < unit) and path == w.baseline.path


@GATE.sentence(
    "which metric a bound applies to",
    "--fail-under {bound:number} applies to {metric:metric} only, the first metric named; to gate others as well,"
    " write --fail-under {first:word}={same:number},{other:word}=X",
)
def _(w, bound, metric, first, same, other):
    return (
        metric == 0 and bound == same == str(w.fail_under[""]) and first == w.words[0] and other.startswith(w.words[1])
    )


@GATE.sentence(
    "which metrics a drop applies to",
    "--max-drop {bound:\\S+} applies to {labels:metrics}; to set them separately, write --max-drop {told:word}",
)
def _(w, bound, labels, told):
    names = ",".join(f"{name}={bound}" for name in w.words)
    return labels == list(range(len(w.metrics))) and told == names and bound == str(w.max_drop[""])


def read_gates(w, tally):
    """Judge the failures and hints of gates; scores without a failure must keep their bounds."""
    gate = Gates(w.fail_under, w.max_drop, w.metrics, w.scale)
    try:
        verdicts = gate.judge(w.results, w.baseline)
        told = [verdict.failure for verdict in verdicts if verdict.failure] + [
            one for one in gate.hints(w.results, w.baseline) if "11-14%" not in one
        ]
    except BleuError as error:
        told = [str(error)]
        verdicts = []
    for one in told:
        GATE.read(one, w, tally)
    for verdict in verdicts:
        metric, score = (
            w.metrics.index(verdict.score.name),
            float(w.shown(w.names.index(verdict.system), w.metrics.index(verdict.score.name))),
        )
        if not verdict.failure and verdict.gate.startswith("--fail-under"):
            bound = float(verdict.gate.split()[1])
            kept = score >= bound if verdict.score.higher_is_better else score <= bound
            tally.add("gate: a score beyond its bound", kept, f"{verdict.gate} kept by {w.metrics[metric]} {score}", w)
    if len(w.metrics) == 2 and w.words:
        fail_under, max_drop = (
            gates.format_bounds({"": bounds[""]}) if "" in bounds else None for bounds in (w.fail_under, w.max_drop)
        )
        try:
            notes = list(Gates.read(fail_under, max_drop, list(w.words), w.scale).notes(w.metrics))
        except BleuError:  # a bound beyond the scale
            notes = []
        for note in notes:
            GATE.read(note, w, tally)


def drawn_gates(draw):
    """Return a world of scores beside their bounds, with an earlier answer or a test."""
    from sample_results import record, results

    from bleucli.results import Test

    kinds = draw.choice([("BLEU",), ("TER",), ("BLEU", "TER"), ("chrF2", "TER")])
    scale = draw.choice([100, 100, 1])
    scores = [draw.choice([30.0, 30.04, 30.05, 29.96, 29.5, 28.0, 31.25, 33.333333333333336]) for _ in range(8)]
    tested = draw.random() < 0.4
    systems = {}
    for number, name in enumerate(("a", "new-2")[: draw.choice([1, 2, 2])]):
        p = draw.choice([0.0001, 0.03, 0.05, 0.2]) if tested and number else None
        systems[name] = [
            record(scores[2 * number + m], kind, p_value=p, differs=p is not None and p <= 0.05)
            for m, kind in enumerate(kinds)
        ]
    made = results(systems, test=Test("ar", 1000) if tested and len(systems) > 1 else None)
    points = draw.choice([0.0, 0.001, 0.05, 0.1, 0.5, 3.0])
    fail_under = {draw.choice(["", *kinds]): Bound(draw.choice([29.5, 30.0, 30.05, 40.0]) / (100 if scale == 1 else 1))}
    max_drop = {
        draw.choice(["", *kinds]): Bound(points / (100 if scale == 1 else 1))
        if draw.random() < 0.7
        else Bound(draw.choice([0.1, 2.0, 50.0]), True)
    }
    earlier, baseline = {}, None
    if draw.random() < 0.6 and not tested:
        width = draw.choice([1, 1, 2, 9])
        shown = {
            name: [one._replace(score=draw.choice([one.score, *scores])) for one in records]
            for name, records in systems.items()
        }
        text = render(results(shown), Layout(width + (2 if scale == 1 else 0), scale=scale), "json")
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "old.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            baseline = read_baseline(path, "old.json")
        finally:
            os.remove(path)
            os.rmdir(folder)
        digits = width + (2 if scale == 1 else 0)
        for name, records in shown.items():
            earlier[name] = {
                one.name: Decimal(repr(float(f"{one.score / (100 if scale == 1 else 1):.{digits}f}")))
                for one in records
            }
    w = GateWorld(made, fail_under, max_drop, earlier, baseline, scale)
    w.words = [{"BLEU": "bleu", "TER": "ter", "chrF2": "chrf"}[kind] for kind in kinds]
    return w


# --- the calculator


class RemarkWorld:
    """The fields of the calculator."""

    names = ()

    def __init__(self, inputs):
        self.inputs, self.metrics = inputs, list(METRIC_NAMES.values())
        self.metric = inputs.make_metric()
        self.found = calculator.calculate(inputs)
        with warnings.catch_warnings(action="ignore"):
            self.score = self.metric.corpus_score([inputs.candidate], [[text] for text in inputs.references])

    def __str__(self):
        return str(self.inputs)

    def with_fields(self, **fields):
        inputs = self.inputs.model_copy(update=fields)
        metric = inputs.make_metric()
        with warnings.catch_warnings(action="ignore"):
            return metric.corpus_score([inputs.candidate], [[text] for text in inputs.references]).score

    def tokens(self, text):
        return (self.metric.prepare(Segments.from_strings([text]))[0] or "").split()

    def units(self, text):
        """Return what is edited: characters for CER, else words."""
        if self.inputs.metric != "cer":
            return self.tokens(text)
        return list((self.metric.prepare(Segments.from_strings([text]))[0] or "").strip())

    @property
    def edits(self):
        return round(self.score.num_edits) if hasattr(self.score, "num_edits") else round(self.score.edits)

    @property
    def length(self):
        """The reference length: TER's average; for WER and CER, that of the reference with the fewest edits."""
        ours, theirs = self.units(self.inputs.candidate), list(map(self.units, self.inputs.references))
        if self.inputs.metric == "ter":
            return sum(map(len, theirs)) / len(theirs)
        return len(min(theirs, key=lambda other: distance(ours, other)))


@REMARK.sentence("no candidate", "Write a candidate.")
def _(w):
    return not w.inputs.candidate.strip()


@REMARK.sentence("no edit", "No edit is needed: 0 is the best score.")
def _(w):
    return w.score.score == 0 and any(w.units(w.inputs.candidate) == w.units(text) for text in w.inputs.references)


@REMARK.sentence(
    "a rate of 100",
    "There are as many edits as {unit:words|characters} in the reference.",
    "There are as many edits as words in the references on average.",
)
def _(w, unit="words"):
    return w.score.score == 100 and w.edits == w.length and _is_average(w) and _edits(w, unit)


def _edits(w, unit):
    return unit.rstrip("s") == ("character" if w.inputs.metric == "cer" else "word")


def _is_average(w):
    several = len(w.inputs.references) > 1
    return ("on average" in w.text) == ("references" in w.text) == (w.inputs.metric == "ter" and several)


@REMARK.sentence(
    "a rate above 100",
    "{edits:count} ((edit||edits)) for ((a reference||references)) of {length:number} {unit:words?|characters?}[[ on"
    " average]]: {name:TER|WER|CER} has no upper limit.",
)
def _(w, edits, length, unit, name):
    return (
        _is_average(w)
        and _edits(w, unit)
        and unit.endswith("s") == (w.length != 1)
        and w.score.score > 100
        and edits == w.edits
        and length.of(w.length)
        and name == METRIC_NAMES[w.inputs.metric]
    )


@REMARK.sentence(
    "no n-gram in common",
    "The candidate and the reference share no n-gram.",
    "The candidate and the references share no n-gram.",
)
def _(w):
    def grams(text):
        bare = "".join((text.lower() if w.inputs.lowercase else text).split())
        return {bare[at : at + n] for n in range(1, 7) for at in range(len(bare) - n + 1)}

    several = len(w.inputs.references) > 1
    shared = any(grams(w.inputs.candidate) & grams(text) for text in w.inputs.references)
    return w.score.score == 0 and not shared and several == ("references" in w.text)


@REMARK.sentence(
    "the same n-grams",
    "The candidate and the reference have the same n-grams: the best score.",
    "The candidate and a reference have the same n-grams: the best score.",
)
def _(w):
    def grams(text):
        bare = "".join((text.lower() if w.inputs.lowercase else text).split())
        return Counter(bare[at : at + n] for n in range(1, 7) for at in range(len(bare) - n + 1))

    several = len(w.inputs.references) > 1
    same = any(grams(w.inputs.candidate) == grams(text) for text in w.inputs.references)
    return math.isclose(w.score.score, 100) and same and several == ("a reference" in w.text)


@REMARK.sentence(
    "a score above 100", "Smoothing {method:word} can make a precision higher than 1, so BLEU exceeds 100."
)
def _(w, method):
    return w.score.score > 100 and method == w.inputs.smoothing and max(w.score.precisions) > 100


@REMARK.sentence(
    "a perfect score",
    "Every n-gram of the candidate matches, and the candidate is not too short[[{best:: the best score}]].",
)
def _(w, best):
    above = w.inputs.smoothing in ("chen-cherry-5", "chen-cherry-6", "chen-cherry-7")
    matched = all(a == b for a, b in zip(w.score.counts[: w.inputs.order], w.score.totals, strict=False))
    return matched and w.score.bp == 1 and math.isclose(w.score.score, 100) and bool(best) != above


@REMARK.sentence("no match", "No ((word||token)) of the candidate is in a reference, so BLEU is 0.")
def _(w):
    shared = set(w.tokens(w.inputs.candidate)) & {token for text in w.inputs.references for token in w.tokens(text)}
    return not shared and w.score.score == 0


@REMARK.sentence("a tiny penalty", "The brevity penalty is so small that a computer rounds BLEU to 0.")
def _(w):
    ours = len(w.tokens(w.inputs.candidate))
    theirs = min((len(w.tokens(text)) for text in w.inputs.references), key=lambda size: (abs(size - ours), size))
    return w.score.score == 0 and ours and 1 - theirs / ours < math.log(1e-290)


@REMARK.sentence(
    "an order without a match",
    "No {order:count}-gram matches, and a single precision of 0 makes BLEU 0. Choose a smoothing.",
)
def _(w, order):
    cured = any(w.with_fields(smoothing=method) > 0 for method in ("exp", "add-one")) or w.score.bp < 1e-290
    tokens = w.tokens(w.inputs.candidate)
    others = [w.tokens(text) for text in w.inputs.references]
    grams = [{tuple(one[at : at + order]) for at in range(len(one) - order + 1)} for one in (tokens, *others)]
    return (
        grams[0]
        and not grams[0] & set().union(*grams[1:])
        and w.score.score == 0
        and w.inputs.smoothing == "none"
        and cured
    )


@REMARK.sentence(
    "a candidate too short for an order",
    "The candidate has fewer than {order:count} tokens, so it has no {same:count}-grams. Lower the maximum order, or"
    " choose smoothing add-one.",
)
def _(w, order, same):
    size = len(w.tokens(w.inputs.candidate))
    lowered = (
        w.with_fields(order=size, smoothing="exp")
        if w.inputs.smoothing == "exp"
        else w.with_fields(smoothing="add-one")
    )
    return order == same > size and w.score.score == 0 and w.with_fields(smoothing="add-one") > 0 and lowered > 0


@REMARK.sentence(
    "a script that is not split",
    "The tokenizer {name:word} does not split this script into words. Choose zh or char.",
    "{metric:TER|WER} counts words between spaces, but this script has no spaces between words. Choose chrF.",
)
def _(w, name=None, metric=None):
    text = "".join(w.inputs.candidate.split())
    fine = 2 * len(UNSPACED.findall(text)) > len(text)
    return fine and (name == w.inputs.tokenize if name else metric == METRIC_NAMES[w.inputs.metric])


@REMARK.sentence("subword marks", "The candidate still has subword marks (@@ or ▁). Join the subwords first.")
def _(w):
    return "@@ " in w.inputs.candidate or "▁" in w.inputs.candidate


@REMARK.sentence(
    "a short candidate",
    "The candidate is much shorter than the reference ({n:count} ((token||tokens)) against {k:count}), so the brevity"
    " penalty is {bp:number}.",
    "The candidate is much shorter than the closest reference ({n:count} ((token||tokens)) against {k:count}), so the"
    " brevity penalty is {bp:number}.",
)
def _(w, n, k, bp):
    ours, theirs = len(w.tokens(w.inputs.candidate)), [len(w.tokens(text)) for text in w.inputs.references]
    closest = min(theirs, key=lambda size: (abs(size - ours), size))
    penalty = math.exp(1 - closest / ours)
    fine = (n, k) == (ours, closest) and bp.of(penalty) and bp.value > 0 and penalty < 0.7
    return fine and ("closest" in w.text) == (len(theirs) > 1)


@REMARK.sentence(
    "how to read BLEU",
    "BLEU runs from 0 to 1, or 0 to 100; higher is better.[[ Smoothing {method:word} can raise it above that.]] The"
    " bands below are a rule of thumb for one system's BLEU on a whole test set; the marked band is where your score"
    " would be if it came from a test set. They do not hold for a single sentence, for another tokenizer, case,"
    " smoothing or number of references, or across languages. In these cases, compare systems on the same texts, and"
    " read the texts.",
)
def _(w, method):
    bands = [(low, high) for low, high, _ in calculator_bands()]
    marked = bands[w.found["band"]]
    inside = marked[0] <= w.score.score and (w.score.score < marked[1] or marked == bands[-1])
    example = "the cat sat on the mat today"  # all n-grams match, so only smoothing can give more than 100
    above = BLEU(smooth_method=w.inputs.smoothing).corpus_score([example], [[example]]).score > 100 + 1e-9
    could = above or w.inputs.smoothing == "chen-cherry-6"
    return (
        inside and (method is not None) == could and (0 <= w.score.score <= 100 + 1e-9 or method == w.inputs.smoothing)
    )


def calculator_bands():
    from bleucli.metrics.bleu import BANDS

    return BANDS


@REMARK.sentence(
    "how to read an error rate",
    "{name:TER|WER|CER} is the share of {unit:words|characters} that must be edited: 0 is best, 100 means as many edits"
    " as the reference has {same:words|characters}, and there is no upper limit. No bands of quality are in common use;"
    " compare systems on the same texts, and read the texts.",
)
def _(w, name, unit, same):
    return (
        name == METRIC_NAMES[w.inputs.metric]
        and unit == same
        and _edits(w, unit)
        and w.found["band"] is None
        and math.isclose(w.score.score * max(w.length, 1e-9), 100 * w.edits)
    ) or not w.length


@REMARK.sentence(
    "how to read chrF",
    "{name:chrF|chrF\\+|chrF\\+\\+} runs from 0 to 1, or 0 to 100; higher is better. It is usually higher than BLEU on"
    " the same texts; how much higher depends on the script. No bands of quality are in common use; compare systems on"
    " the same texts, and read the texts.",
)
def _(w, name):
    return name == METRIC_NAMES[w.inputs.metric] and 0 <= w.score.score <= 100 and w.found["band"] is None


@REMARK.sentence(
    "what the bars of BLEU show",
    "Upper bar: matches divided by the candidate's n-grams. Lower bar: the same, smoothed.",
)
def _(w):
    tokens, *others = map(w.tokens, (w.inputs.candidate, *w.inputs.references))
    for order, (bar, smoothed) in enumerate(zip(w.found["bars"], w.score.precisions, strict=True), 1):
        ours, *theirs = (
            Counter(tuple(one[at : at + order]) for at in range(len(one) - order + 1)) for one in (tokens, *others)
        )
        matches, total = sum((ours & reduce(or_, theirs)).values()), sum(ours.values())
        shares = [100 * matches / max(1, total), smoothed if tokens else 0]
        if bar["counts"] != f"{matches} of {total}" or not np.allclose(bar["shares"], shares):
            return False
    return True


@REMARK.sentence("what the bars of chrF show", "Upper bar: precision. Lower bar: recall.")
def _(w):
    sums = list(w.score.statistics)
    for bar, ours, theirs, matches in zip(w.found["bars"], sums[::3], sums[1::3], sums[2::3], strict=True):
        if not np.allclose(bar["shares"], [100 * matches / max(1, ours), 100 * matches / max(1, theirs)]):
            return False
    return True


def read_remarks(w, tally):
    for text in (*w.found["messages"], w.found["reading"], *filter(None, [w.found["legend"]])):
        w.text = text
        REMARK.read(text, w, tally)


TEXTS = [
    "the cat",
    "the cat sat",
    "the cat sat on the mat",
    "a dog",
    "the the the",
    "un@@ usual",
    "\u732b\u5750\u5728\u57ab",
    "\u732b\u5750\u5728\u57ab" * 3,
    "The cat.",
    "x",
]


def drawn_remark(draw):
    """Return a world of fields, or None if they cannot be scored."""
    candidate = draw.choice([*TEXTS, "", " ".join(draw.choices("abcde", k=draw.choice([1, 4, 9])))])
    references = [
        draw.choice([*TEXTS, candidate or "b", " ".join(draw.choices("abcde", k=draw.choice([2, 6, 30])))])
        for _ in range(draw.choice([1, 1, 2]))
    ]
    metric = draw.choice(["bleu", "bleu", *METRIC_NAMES])
    if draw.random() < 0.06:
        candidate, references, metric = (
            "the cat sat on",
            [" ".join(["the", "cat", "x", "y"] * draw.choice([600, 720, 760, 800]))],
            "bleu",
        )
    fields = {
        "order": draw.choice([4, 4, 3, 2, 1]),
        "tokenize": draw.choice(["13a", "13a", "zh", "char", "none"]),
        "lowercase": draw.random() < 0.5,
        "smoothing": draw.choice(METHODS),
    }
    body = {"candidate": candidate, "references": "\n".join(references), "metric": metric, **fields}
    try:
        return RemarkWorld(read_inputs(json.dumps(body).encode()))
    except BleuError:
        return None
