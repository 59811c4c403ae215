"""Every kind of sentence on a page about language pairs, with its recomputation, and random pages that reach them.

What the page says of one language pair is said by a report of this pair, so `PAGE` judges it, with scores and tests
that each pair has when it is alone.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from functools import cached_property
from html.parser import HTMLParser

import numpy as np
from sentences import Place, Shown, Tally, split_list
from sentences_elsewhere import AVERAGE, PAIRS, RANKS, SEED, MatrixWorld
from sentences_pages import PAGE, TESTED, PageWorld

from bleucli import BLEU, CHRF, compare_matrix, evaluate_systems
from bleucli.report import contents, matrix
from bleucli.significance.comparison import Sampling

MATRIX = Place("page of language pairs")


class MatrixPageWorld(MatrixWorld):
    """Language pairs with their texts, and the page about them."""

    def __init__(self, texts, trials, baseline):
        self.trials, self.baseline = trials, baseline
        options = {"test": "ar", "trials": trials, "all_pairs": True, "baseline": baseline}
        is_alone = len({name for systems, _ in texts.values() for name in systems}) == 1
        super().__init__(texts, {"n_bootstrap": 1000} if is_alone else options)
        if baseline is not None:
            self.names = [baseline, *(name for name in self.names if name != baseline)]
        self.plan = contents.plan_of(Sampling("ar", trials, SEED), len(self.names))
        with warnings.catch_warnings(action="ignore"):
            self.page = compare_matrix(texts, ["bleu", "chrf"], baseline=baseline, trials=trials)

    @cached_property
    def alone(self):
        results = {}
        for pair, (systems, references) in self.texts.items():
            options = {"test": "ar", "all_pairs": True, "trials": self.trials} if len(systems) > 1 else {}
            with warnings.catch_warnings(action="ignore"):
                results[pair] = evaluate_systems(
                    {name: systems[name] for name in self.names if name in systems},
                    references,
                    [BLEU(tokenize=PAIRS[pair]), CHRF()],
                    **options,
                )
        return results

    @cached_property
    def parts(self):
        """The worlds of the language pairs, and that of the averages, in which `PAGE` judges sentences."""
        worlds = {pair: PageWorld(contents.of_results(of, self.plan), None) for pair, of in self.alone.items()}
        if self.results.averages:
            means = self.results.with_averages().groups()[-1]._replace(systems=self.results.averages)
            worlds["average"] = PageWorld(contents.of_results(means, self.plan), None)
        return worlds

    def size(self, pair):
        """Return what is said of the size of a part."""
        sizes = {name: len(references[0]) for name, (_, references) in self.texts.items()}
        if pair == "average":
            return f"{sum(sizes.values())} segments"
        count = len(self.texts[pair][1])
        return f"{sizes[pair]} segments, {count} reference{'s' * (count > 1)}"

    def interval(self, number, name, pair=None):
        """Return the bounds of an interval of a pair, or of the averages, by NumPy's own draws."""
        scores = np.zeros(1000)
        chosen = self.texts if pair is None else [pair]
        for place, of in enumerate(chosen):
            systems, references = self.texts[of]
            metric = (BLEU(tokenize=PAIRS[of]), CHRF())[number]
            rows = metric.corpus_stats(systems[name], references, keep_rows=True).rows
            rows = np.asarray(rows)
            rng = np.random.default_rng(SEED if pair is not None else [SEED, place])
            draws = rng.integers(len(rows), size=(1000, len(rows)))
            scores += [metric.score_from_stats(rows[draw].sum(axis=0).tolist()).score / len(chosen) for draw in draws]
        scores.sort()
        half = (scores[974] - scores[25]) / 2
        return scores.mean() - half, scores.mean() + half


class _Page(HTMLParser):
    """Collect the sentences of a page, each with whether it is a verdict on averages, and the cells of its tables."""

    TAGS = ("h1", "p", "li", "figcaption")

    def __init__(self):
        super().__init__()
        self.texts, self.open, self.tables = [], [], []
        self.cell, self.part = None, ""
        self.in_matrix = self.in_verdicts = False

    def handle_starttag(self, tag, attributes):
        kinds = (dict(attributes).get("class") or "").split()
        if tag == "table":
            self.in_matrix = "matrix" in kinds
            self.tables += [[]] * self.in_matrix
        if tag == "tr" and self.in_matrix:
            self.tables[-1] = [*self.tables[-1], []]
        if tag in ("th", "td") and self.in_matrix:
            self.cell, self.part = {"best": "best" in kinds, "text": "", "sup": "", "span": ""}, "text"
            self.tables[-1][-1].append(self.cell)
        if tag in ("sup", "span"):
            self.part = tag
        if tag == "ul":
            self.in_verdicts = "verdicts" in kinds
        if tag in self.TAGS:
            self.open.append("")

    def handle_endtag(self, tag):
        if tag in self.TAGS:
            self.texts.append((" ".join(self.open.pop().split()), self.in_verdicts))
        if tag in ("th", "td"):
            self.cell = None
        self.part = "text"

    def handle_data(self, data):
        if self.open:
            self.open[-1] += data
        if self.cell is not None:
            self.cell[self.part] += data.strip()


def read_matrix_page(w, tally):
    """Judge every sentence of the page."""
    page = _Page()
    page.feed(w.page.partition("<script")[0])
    w.tables = []
    for header, *rows in page.tables:
        columns = [cell["text"] for cell in header[1:]]
        w.tables.append({row[0]["text"]: dict(zip(columns, row[1:], strict=True)) for row in rows})
    w.places = {row[0]["text"]: row[0]["span"] for row in page.tables[0][1:]}
    for text, is_verdict in page.texts:
        if is_verdict:
            PAGE.read(text, w.parts["average"], tally)
        elif text not in w.results.hints and not re.search(r": (BLEU|chrF2)\|", text):
            MATRIX.read(text, w, tally)
    for sentence in matrix.tell(w.results, w.plan):
        assert sentence in {text for text, _ in page.texts}, sentence


def _is_true(world, text):
    """Return whether all that a report says is true in its world."""
    tally = Tally(PAGE)
    PAGE.read(text, world, tally)
    return not tally.untrue


@MATRIX.sentence(
    "what the page is about",
    "{n:count} ((system||systems)), {k:count} ((language pair||language pairs)), BLEU, chrF2",
)
def _(w, n, k):
    rows = list(w.places)
    scores = {row.bare_name: row.scores[0].score for row in w.results.averages}
    ranked = sorted(scores, key=scores.get, reverse=True)
    in_order = list(dict.fromkeys([*([w.baseline] if w.baseline else []), *ranked, *w.names]))
    marks = [w.places[name] for name in rows]
    return (
        (n, k) == (len(w.names), len(w.texts))
        and rows == in_order
        and ["(baseline)" if name == w.baseline else "" for name in rows] == marks
    )


@MATRIX.sentence(
    "what is said of a part",
    f"{{title:Average over \\d+ language pairs|{'|'.join(PAIRS)}}} ({{size:[^()]+}}): {{rest:rest}}",
)
def _(w, title, size, rest):
    pair = "average" if title == f"Average over {len(w.texts)} language pairs" else title
    return size == w.size(pair) and _is_true(w.parts[pair], rest)


@MATRIX.sentence("how many there are", "{n:count} ((system||systems)) in {k:count} ((language pair||language pairs)).")
def _(w, n, k):
    averages = w.parts.get("average")
    compares = any(len(part.names) > 1 for part in w.parts.values())
    return (n, k) == (len(w.names), len(w.texts)) and not compares and (averages is None or n > 1)


@MATRIX.sentence(
    "who has the best scores",
    "Best {metric:metric}: {told:[^.]+? in \\d+ of \\d+} language pairs[[{some: with several"
    " systems}]][[{others:[^.]+}]]. {certainty:In none of them is one system significantly better than all others|"
    "Significantly better than all others: [^.]+}.",
)
def _(w, metric, told, some, others, certainty):
    parts = {pair: part for pair, part in w.parts.items() if pair != "average"}
    rivals = [part for part in parts.values() if len(part.names) > 1]
    first, of = told.rsplit(" of ", 1)
    leads = _counts(f"{first}{others or ''}")
    expected, sure = Counter(), Counter()
    for part in rivals:
        leaders = [part.names[system] for system in part.leaders(metric)]
        expected.update(leaders)
        sure.update(leaders if part.beats_all(metric, part.names.index(leaders[0])) else ())
    named = {} if certainty.startswith("In none") else _counts(certainty.partition(": ")[2])
    in_order = sorted(leads.values(), reverse=True) == list(leads.values())
    return (
        1 < int(of) == len(rivals)
        and leads == expected
        and named == sure
        and in_order
        and (bool(some) == (len(rivals) < len(parts)))
    )


def _counts(text):
    """Return the numbers of an enumeration such as "A in 2, B in 1 and C in 1"."""
    return {name: int(count) for name, _, count in (part.rpartition(" in ") for part in split_list(text.strip(", ")))}


@MATRIX.sentence(
    "what significantly means",
    f"“Significantly”: p ≤ 0.05, corrected for all pairs of systems. {TESTED} Each language pair is tested by itself;"
    " the p-values are not corrected for the number of language pairs.",
)
def _(w, method, trials, unit, seed):
    del unit
    rankings = {
        (system.pair, at): one
        for group in w.results.groups()
        for system in group.systems[:1]
        for at, one in enumerate(group.rankings)
    }
    alone = {(pair, at): one for pair, results in w.alone.items() for at, one in enumerate(results.rankings)}
    same = all(rankings[key] == one for key, one in alone.items())
    return same and method == "Paired approximate randomization" and (trials, seed) == (w.trials, f"seed {SEED}")


@MATRIX.sentence("how scores were resampled", f"95% intervals by bootstrap (1000 resamples, seed {SEED}).[[ {TESTED}]]")
def _(w, method, trials, unit, seed):
    del unit, seed
    if (method is None) != (len(w.names) == 1) or trials not in (None, w.trials):
        return False
    data = json.loads(re.search(r'id="data">(.*?)</script>', w.page)[1])
    drawn = iter(data["figures"])
    for number in range(2):
        for pair in w.parts:
            numbers = {data["names"][row[0]]: row[1:4] for row in next(drawn)["rows"]}
            for name, (score, low, high) in numbers.items():
                if pair == "average":
                    one = next(row for row in w.results.averages if row.bare_name == name).scores[number].score
                    interval = w.interval(number, name)
                else:
                    record = w.alone[pair][name].scores[number]
                    one, interval = record.score, w.interval(number, name, pair)
                if not np.allclose([score, low, high], [one, *interval], rtol=1e-5):
                    return False
    return True


@MATRIX.sentence(
    "what marks mean",
    "Bold: the best score of a language pair, and every score that does not differ from it significantly.[[ †: differs"
    " significantly from the baseline, {baseline:system}.]] Below each score: the ranks that the tests allow, " + RANKS,
)
def _(w, baseline):
    if baseline is not None and w.names[baseline] != w.baseline:
        return False
    for number, table in enumerate(w.tables):
        for pair, part in w.parts.items():
            first = part.names.index(w.baseline) if w.baseline in part.names else None
            for system, name in enumerate(part.names):
                cell, rivals = table[name][pair], part.others(system)
                apart = [other for other in rivals if part.apart(number, system, other)]
                better = sum(part.lead(number, other, system) > 0 for other in apart)
                ranks = sorted({1 + better, len(part.names) - len(apart) + better})
                is_best = not any(part.lead(number, other, system) > 0 for other in rivals)
                top = part.report.columns[number].order()[0]
                is_bold = bool(rivals) and (is_best or not part.apart(number, top, system))
                is_marked = first not in (None, system) and part.apart(number, first, system)
                if not Shown(cell["text"]).of(part.score(number, system)) or cell["best"] != is_bold:
                    return False
                if cell["span"] != ("–".join(map(str, ranks)) if rivals else "") or (cell["sup"] == "†") != is_marked:
                    return False
            if any(table[name][pair]["text"] for name in w.names if name not in part.names):
                return False
    return True


@MATRIX.sentence(
    "what figures show",
    "Scores with 95% intervals[[{ranks:; in parentheses, the ranks that the tests allow}]].[[{bands: A change of shade"
    " marks the border between clusters.}]][[ The square and the dashed line are the baseline, {baseline:system}.]]",
)
def _(w, ranks, bands, baseline):
    rankings = w.results.rankings
    clusters = max((max(one.clusters) for one in rankings), default=1)
    first = None if w.baseline is None else 0
    return bool(ranks) == (len(w.names) > 1) and bool(bands) == (clusters > 1) and baseline == first


@MATRIX.sentence(
    "what a figure shows",
    f"{{metric:metric}}, {{title:average over \\d+ language pairs|{'|'.join(PAIRS)}}} ({{size:[^()]+}})",
)
def _(w, metric, title, size):
    del metric
    pair = "average" if title == f"average over {len(w.texts)} language pairs" else title
    return pair in w.parts and size == w.size(pair)


@MATRIX.sentence("nothing is loaded", "bleucli {version:word}. Nothing on this page is loaded from elsewhere.")
def _(w, version):
    del version
    return "http" not in w.page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


# What tables say of averages as well
MATRIX.kinds += [kind for kind in AVERAGE.kinds if "verages" in "".join(kind.templates) or "average" in kind.name]


def drawn_matrix_page(draw, _=None):
    """Return the world of a page about some language pairs, of which systems may lack some."""

    def noisy(line, share):
        return " ".join(word if draw.random() > share else "x" for word in line.split())

    shares = {
        name: draw.choice([0.0, 0.1, 0.3, 0.3]) for name in draw.sample(["A", "B", "C", "D"], draw.choice([1, 2, 3, 4]))
    }
    texts = {}
    for pair in draw.sample(list(PAIRS), draw.choice([1, 2, 3, 3])):
        size = draw.choice([4, 30])
        references = [
            [" ".join(draw.choices("abcdef", k=draw.choice([4, 6, 9]))) for _ in range(size)]
            for _ in range(draw.choice([1, 1, 2]))
        ]
        chosen = [name for name in shares if draw.random() < 0.9] or list(shares)
        texts[pair] = ({name: [noisy(line, shares[name]) for line in references[0]] for name in chosen}, references)
    names = list(dict.fromkeys(name for systems, _ in texts.values() for name in systems))
    baseline = draw.choice([None, draw.choice(names)])
    return MatrixPageWorld(texts, draw.choice([19, 499]), baseline)
