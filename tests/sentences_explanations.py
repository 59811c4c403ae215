"""Every kind of sentence in explanations of a segment and of two systems, with its recomputation, and random texts.

The arithmetic in formulas is redone in `test_explanations`; here, what is said in words is judged. Whatever can be
recomputed from plain texts is: with Counter, with the metrics' public methods, and with an edit distance of our own.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cached_property

from sentences import Place, Shown, Unknown
from sentences_pages import AGREEMENT, ORDER, add_reasons, agrees
from test_explanations import smoothed_by

from bleucli import (
    BLEU,
    CER,
    CHRF,
    TER,
    WER,
    BleuError,
    evaluate_systems,
    explain,
    explain_difference,
    normalize,
)
from bleucli.metrics.smoothing import METHODS
from bleucli.prose.blocks import Alignment, Formula, Heading, Paragraph, Table, Words

SEGMENT, SMOOTHING_NOTE, DIFFERENCE = Place("segment"), Place("smoothing"), Place("difference")
# Its other sentences are in `sentences_corpora`
CORPUS = Place("corpus")
EXTREMES = ["chen-cherry-5", "chen-cherry-6", "chen-cherry-7"]
TINY = math.nextafter(0, 1)


def sentence(*words):
    """Add a kind of sentence that is the same for segments and corpora, and true of both under the same conditions."""

    def add(check):
        for place in (SEGMENT, CORPUS):
            place.sentence(*words)(check)
        return check

    return add


def grams(tokens, order):
    return Counter(tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1))


def distance(ours, theirs):
    """Return the fewest edits between two sequences."""
    row = list(range(len(theirs) + 1))
    for number, one in enumerate(ours, 1):
        before, row[0] = row[0], number
        for at, other in enumerate(theirs, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (one != other))
    return row[-1]


class SegmentWorld:
    """An explained segment: the metric, the texts, and the explanation as data."""

    names, metrics = (), ()

    def __init__(self, metric, output, references, width=2):
        self.metric, self.output, self.references, self.width = metric, output, references, width
        self.explanation = explain(output, references, metric)
        self.data = self.explanation.as_data()
        self.order = None

    def __str__(self):
        return f"{self.metric!r} of {self.output!r} and {self.references!r}"

    @property
    def score(self):
        return self.metric.corpus_score([self.output], [[text] for text in self.references]).score

    @cached_property
    def tokens(self):
        return self.data["hypothesis_tokens"]

    @cached_property
    def others(self):
        return self.data["reference_tokens"]

    @cached_property
    def closest(self):
        """The index of the reference whose length counts: the closest; of two, the shorter."""
        size = len(self.tokens)
        return min(range(len(self.others)), key=lambda at: (abs(len(self.others[at]) - size), len(self.others[at])))

    def counts(self, order):
        """Return the matches and the n-grams of an order of BLEU."""
        most = Counter()
        for other in self.others:
            most |= grams(other, order)
        ours = grams(self.tokens, order)
        return sum((ours & most).values()), sum(ours.values())

    @property
    def smoothed(self):
        """The smoothed precisions, from 0 to 1."""
        counts, totals = zip(*(self.counts(one["order"]) for one in self.data["orders"]), strict=True)
        return smoothed_by(self.data, counts, totals, self.data["averaged_orders"])

    @property
    def averaged(self):
        return range(1, self.data["averaged_orders"] + 1)

    @property
    def penalty(self):
        ours, theirs = len(self.tokens), len(self.others[self.closest])
        return 1.0 if ours >= theirs else math.exp(1 - theirs / ours) if ours else 0.0

    @property
    def units(self):
        """The words or characters that are edited: those of the output, and of each reference."""
        return self.data.get("hypothesis_units", self.data.get("hypothesis_words")), (
            self.data.get("reference_units", self.data.get("reference_words"))
        )

    def is_closest(self, text):
        """Whether this names the reference whose length counts."""
        number = re.search(r"\d+", text)
        return self.closest == (int(number[0]) - 1 if number else 0) and bool(number) == (len(self.others) > 1)


# --- a segment, by BLEU

REFERENCE = r"the reference|reference \d+, the closest in length,"


@SEGMENT.sentence("its score", "{name:word} = {score:number}")
def _(w, name, score):
    return score.of(w.score) and name == w.metric.corpus_score([w.output], [[text] for text in w.references]).name


@SEGMENT.sentence(
    "precisions and penalty in short",
    "Precision of {which:orders 1 to \\d+|order 1}: {told:text}. Brevity penalty: {bp:number}.",
)
def _(w, which, told, bp):
    parts = []
    for order in w.averaged:
        matches, total = w.counts(order)
        parts.append(f"{matches}/{total}" + (f" ({100 * matches / total:.1f}%)" if total else ""))
    return told == ", ".join(parts) and bp.of(w.penalty) and int(which[-1]) == len(parts)


@SEGMENT.sentence(
    "a penalty that rounds to 0",
    f"The output has {{n:count}} ((token||tokens)), {{which:{REFERENCE}}} has {{k:count}}: the brevity penalty is too"
    f" small for a floating-point number, so the score is 0.",
)
def _(w, n, which, k):
    return (n, k) == (len(w.tokens), len(w.others[w.closest])) and w.is_closest(which) and w.penalty == 0 == w.score


@SEGMENT.sentence("no match", "No token of the output is in a reference: the score is 0, and no smoothing applies.")
def _(w):
    return not w.counts(1)[0] and w.score == 0 and not any(w.smoothed)


@sentence("a product that rounds to 0", "The product is too small for a floating-point number, so the score is 0.")
def _(w):
    used = [share for share in w.smoothed if share] if w.metric.smoothing.gives_all else w.smoothed
    logarithm = sum(map(math.log, used)) / len(w.smoothed) if all(used) and used else math.inf
    return w.score == 0 and logarithm + math.log(w.penalty or TINY) < math.log(TINY)


@SEGMENT.sentence(
    "an output too short for an order",
    "The output has {n:count} ((token||tokens)), too few for n-grams of order {order:count}: their precision is 0,"
    " and so is the score. Effective order (-sl; in Python effective_order=True) leaves such orders out.",
)
def _(w, n, order):
    fine = n == len(w.tokens) < order and order in w.averaged and w.score == 0 and w.smoothed[order - 1] == 0
    same = ("tokenize", "lowercase", "smooth_method", "smooth_value", "max_ngram_order")
    options = {name: getattr(w.metric, name) for name in same}
    effective = explain(w.output, w.references, BLEU(**options, effective_order=True))
    return fine and effective.parts.averaged_orders == n


@sentence(
    "an order without a match",
    "No n-gram of order {order:count} matches, and smoothing {method:word} does not replace the 0: a geometric mean"
    " with a 0 in it is 0, and so is the score.",
)
def _(w, order, method):
    fine = order in w.averaged and not w.counts(order)[0] and w.smoothed[order - 1] == 0
    return fine and method == w.metric.smooth_method and w.score == 0 and not w.metric.smoothing.gives_all


@sentence(
    "a score above 100",
    "Smoothing {method:word} {why:averages p1 with p1 \\+ 1|estimates a longer order from the two before it, which"
    " can give more than 1|counts \\S+ matches for an order without any, even if it has fewer n-grams}, so the score"
    " exceeds 100.",
)
def _(w, method, why):
    kinds = {"chen-cherry-5": "averages", "chen-cherry-7": "averages", "chen-cherry-6": "estimates", "floor": "counts"}
    if why.startswith("counts"):
        value, fits = float(why.split()[1]), [w.counts(order) for order in w.averaged]
        if value != w.metric.smoothing.value or not any(not matches and value > total > 0 for matches, total in fits):
            return False
    return method == w.metric.smooth_method and why.startswith(kinds[method]) and w.score > 100 and max(w.smoothed) > 1


@sentence(
    "a perfect score",
    "Every n-gram of the output matches, and the output is not too short[[{top:: the score cannot be higher}]].",
)
def _(w, top):
    fine = all(matches == total for matches, total in map(w.counts, w.averaged)) and w.penalty == 1
    above = w.metric.smooth_method in EXTREMES or (w.metric.smooth_method == "floor" and w.metric.smoothing.value > 1)
    return fine and math.isclose(w.score, 100) and bool(top) != above


EMPTY = (
    "{who:The output is|The reference is|The references are|Output and reference are|Output and references are} empty"
)


@SEGMENT.sentence("an empty text", EMPTY + ": nothing can match, so the score is 0.")
def _(w, who):
    return _is_empty(w, who) and w.score == 0 and not (w.metric.name == "BLEU" and w.counts(1)[0])


@SEGMENT.sentence("an empty text and its penalty", EMPTY + ": the brevity penalty is 0, and so is the score.")
def _(w, who):
    return _is_empty(w, who) and w.score == 0 and w.penalty == 0


@SEGMENT.sentence(
    "an empty text with eps", EMPTY + ": nothing can match, so eps smoothing alone keeps the score above 0."
)
def _(w, who):
    return (
        _is_empty(w, who) and w.score > 0 and w.metric.eps_smoothing and not any(o["matches"] for o in w.data["orders"])
    )


def _is_empty(w, who):
    if isinstance(w.metric, BLEU):
        ours, theirs = not w.tokens, not any(w.others)
        several = len(w.others) > 1
    else:
        texts = [w.data["hypothesis_text"], w.data["reference_text"]]
        ours, theirs = (not "".join(text if w.metric.whitespace else text.split()) for text in texts)
        several = False
    told = {(True, False): "The output is", (False, True): "The references are" if several else "The reference is"}
    return who == told.get((ours, theirs), f"Output and reference{'s' * several} are") and (ours or theirs)


@SEGMENT.sentence(
    "matches of an order",
    "Order {order:count}: {n:count} of {all:count} {noun:tokens?|\\d+-grams?} {verb:match|matches}",
)
def _(w, order, n, all, noun, verb):  # noqa: A002
    w.order = order
    return w.counts(order) == (n, all) and noun.rstrip("s") == ("token" if order == 1 else f"{order}-gram")


@SEGMENT.sentence(
    "what verdicts mean",
    "match: both have it; clipped: the output has it more often than the reference, so only as many match as the"
    " reference has; no match: only the output has it; missing: only the reference has it.",
    "match: a reference has it too; clipped: the output has it more often than any reference, so only as many match"
    " as one reference has; no match: no reference has it; unused: only a reference has it. The reference column"
    " shows the highest count in any one reference.",
)
def _(w):
    tables = [table for table in w.tables if table.header and table.header[0] == "n-gram"]
    for table, order in zip(tables, w.ngram_orders, strict=True):
        for ngram, *counts, verdict in table.rows:
            ours, theirs, matches = map(int, counts)
            found = [dict_of(one) for one in order["ngrams"] if show(one["ngram"]) == ngram]
            if (ours, theirs, matches) not in found or matches != min(ours, theirs):
                return False
            kinds = {"match": 0 < ours <= theirs, "clipped": ours > theirs > 0, "no match": not theirs}
            kinds |= {"missing": not ours, "unused": not ours}
            if not kinds[verdict] or (verdict == "unused") != (not ours and w.several):
                return False
    return bool(tables)


def dict_of(one):
    return one["hypothesis"], one["reference"], one["matches"]


def show(ngram):
    return ngram if isinstance(ngram, str) else " ".join(ngram)


@SEGMENT.sentence("no n-grams of an order", "No text is long enough for {order:count}-grams.")
def _(w, order):
    return order == w.order and all(len(tokens) < order for tokens in (w.tokens, *w.others))


@sentence("the smoothing", "Precisions, with smoothing {method:word}")
def _(w, method):
    return method == w.metric.smooth_method


HALF = "the first order without a match counts as half a match, the second as a quarter, and so on."


def _zeros(w):
    """Return the orders that have n-grams but no match, and the smoothed matches of each."""
    pairs = [(order, *w.counts(order)) for order in w.averaged]
    return [(order, w.smoothed[order - 1] * max(1, total)) for order, matches, total in pairs if not matches and total]


def _halved(w, factor=1.0):
    return all(math.isclose(value, factor / 2**number) for number, (_, value) in enumerate(_zeros(w), 1))


def _matched(w):
    """Whether smoothing applies at all: something matches."""
    return w.counts(1)[0] > 0


SMOOTHING = {
    HALF: (("exp", "chen-cherry-3"), _halved),
    "an order without a match counts as {value:number} matches.": (
        ("floor", "chen-cherry-1"),
        lambda w, value: all(math.isclose(one, value.value, abs_tol=1e-12) for _, one in _zeros(w)),
    ),
    "{value:number} is added to the matches and to the n-grams of every order from 2 on.": (
        ("add-k", "chen-cherry-2"),
        lambda w, value: all(
            math.isclose(w.smoothed[order - 1] * (max(total, 1) + value.value), matches + value.value, abs_tol=1e-9)
            for order in w.averaged
            if order > 1
            for matches, total in [w.counts(order)]
            if total
        ),
    ),
    "an order without a match stays at 0.": (("none",), lambda w: not any(value for _, value in _zeros(w))),
    "1 is added to the matches and to the n-grams of every order.": (
        ("add-one",),
        lambda w: all(
            math.isclose(w.smoothed[order - 1], (matches + 1) / (total + 1))
            for order in w.averaged
            for matches, total in [w.counts(order)]
        ),
    ),
    "an order without a match counts as in method 3, times ln(length of the output) / 5.": (
        ("chen-cherry-4",),
        lambda w: _halved(w, math.log(len(w.tokens)) / 5),
    ),
    "each precision becomes the mean of itself, the next one, and the mean before it, which for the first is p1 + 1;"
    " the score may exceed"
    " 100.": (("chen-cherry-5",), lambda w: True),  # the terms are in the table, which test_explanations checks
    "from order 3 on, the precision is mixed with an estimate from the two orders before, which has weight 5.": (
        ("chen-cherry-6",),
        lambda w: all(
            math.isclose(w.smoothed[n - 1], w.counts(n)[0] / max(1, w.counts(n)[1])) for n in w.averaged if n < 3
        ),
    ),
    "method 4, then the means of method 5; the score may exceed 100.": (("chen-cherry-7",), lambda w: True),
}
for _told, (_methods, _check) in SMOOTHING.items():

    @SEGMENT.sentence(
        f"smoothing {' and '.join(_methods)}",
        "A precision is matches / n-grams of the output. Smoothing {method:\\S+}: " + _told,
    )
    def _(w, method, methods=_methods, check=_check, **values):
        fine = method in methods and method == w.metric.smooth_method
        return fine and (not _matched(w) or check(w, **values))


@SEGMENT.sentence("a heading", *["Brevity penalty", "Score", "Precision and recall, order by order", "Signature"])
def _(w):
    return True


@SEGMENT.sentence(
    "no brevity penalty",
    f"The output has {{n:count}} ((token||tokens)), {{which:{REFERENCE}}} has {{k:count}}: the output is not shorter,"
    f" so there is no penalty, BP = 1.",
)
def _(w, n, which, k):
    return (
        (n, k) == (len(w.tokens), len(w.others[w.closest]))
        and n >= k
        and w.is_closest(which)
        and w.explanation.parts.brevity_penalty == 1
    )


@SEGMENT.sentence(
    "a brevity penalty",
    f"The output has {{n:count}} ((token||tokens)), {{which:{REFERENCE}}} has {{k:count}}: the output is shorter."
    f" Precision does not punish that, so the brevity penalty does:",
)
def _(w, n, which, k):
    return (n, k) == (len(w.tokens), len(w.others[w.closest])) and 0 < n < k and w.is_closest(which)


@SEGMENT.sentence(
    "an output without tokens", f"The output has {{n:count}} tokens, {{which:{REFERENCE}}} has {{k:count}}: BP = 0."
)
def _(w, n, which, k):
    return n == 0 == len(w.tokens) and k == len(w.others[w.closest]) > 0 == w.penalty and w.is_closest(which)


@sentence("skipped zeros", "Precisions of 0 are skipped; the root is still of order {order:count}.")
def _(w, order):
    used = [share for share in w.smoothed if share]
    mean = math.prod(used) ** (1 / order)
    return order == len(w.smoothed) > len(used) and math.isclose(w.score, 100 * w.penalty * mean, rel_tol=1e-9)


@SMOOTHING_NOTE.sentence(
    "of an order",
    *["for the means only", "no n-gram: left out", "nothing matches", "no n-gram", "no match", "{formula:[(\\d].*}"],
    *["no match: {formula:rest}"],
)
def _(w, formula=None):
    matches, total = w.counts(w.order)
    smoothed = w.smoothed[w.order - 1] if w.order in w.averaged else None
    if w.note == "for the means only":
        return smoothed is None and w.metric.smooth_method in ("chen-cherry-5", "chen-cherry-7")
    if w.note == "no n-gram: left out":
        return smoothed is None and not total
    if w.note == "nothing matches":
        return not w.counts(1)[0] and not smoothed
    if w.note == "no n-gram":
        return not total and not smoothed
    if w.note.startswith("no match"):
        return not matches and (formula is not None or not smoothed or w.metric.smooth_method == "chen-cherry-6")
    return formula is not None and smoothed is not None  # its value is checked in test_explanations


# --- a segment, by chrF


@SEGMENT.sentence("the same n-grams", "Output and reference have the same n-grams: the score cannot be higher.")
def _(w):
    same = all(one["hypothesis"] == one["reference"] for order in w.data["orders"] for one in order["ngrams"])
    return same and math.isclose(w.score, 100)


@sentence(
    "a perfect score by half",
    "With beta = {beta:number}, only {which:precision|recall} counts, and it is 100%: the score cannot be higher.",
)
def _(w, beta, which):
    means = [
        order[which] for order in w.data["orders"] if order["precision"] is not None and order["recall"] is not None
    ]
    return (
        float(beta) == w.metric.beta
        and set(means) == {1.0}
        and w.score == 100
        and (which == "recall") == (float(beta) > 1)
    )


@SEGMENT.sentence(
    "no n-gram matches",
    "No n-gram matches, so the score is 0.",
    "No n-gram matches, so eps smoothing alone keeps the score above 0.",
)
def _(w):
    fine = not any(order["matches"] for order in w.data["orders"])
    return fine and (w.score > 0) == w.metric.eps_smoothing


@SEGMENT.sentence(
    "which reference counts",
    "Scores against each reference: {told:text}. The highest score counts: that of reference {best:count}.",
)
def _(w, told, best):
    scores = [w.metric.corpus_score([w.output], [[text]]).score for text in w.references]
    shown = [Shown(one).of(score) for one, score in zip(told.split(", "), scores, strict=True)]
    return all(shown) and scores[best - 1] == max(scores) and math.isclose(w.score, max(scores))


@SEGMENT.sentence(
    "what precision and recall are",
    "Precision is matches / n-grams of the output, recall is matches / n-grams of the reference. An n-gram matches at"
    " most as often as it occurs in either text.[[{spaces: Spaces are removed before characters are counted.}]]",
)
def _(w, spaces):
    for order in w.data["orders"]:
        matches = sum(min(one["hypothesis"], one["reference"]) for one in order["ngrams"])
        totals = [sum(one[side] for one in order["ngrams"]) for side in ("hypothesis", "reference")]
        if matches != order["matches"] or any(
            order[name] is not None and not math.isclose(order[name], matches / total)
            for name, total in zip(("precision", "recall"), totals, strict=True)
        ):
            return False
    present = any(sign.isspace() for sign in w.data["hypothesis_text"] + w.data["reference_text"])
    inside = any(
        sign.isspace()
        for order in w.data["orders"]
        if order["kind"] == "character"
        for one in order["ngrams"]
        for sign in one["ngram"]
    )
    return bool(spaces) == (present and not w.metric.whitespace) and not (spaces and inside)


@SEGMENT.sentence(
    "matches of an order of chrF", "{kind:Character|Word} order {order:count}: {n:count} ((match||matches))"
)
def _(w, kind, order, n):
    (w.chrf_order,) = (o for o in w.data["orders"] if (o["kind"], o["order"]) == (kind.lower(), order))
    return w.chrf_order["matches"] == n


@SEGMENT.sentence("no n-grams in either text", "Neither text has n-grams of this order.")
def _(w):
    return not w.chrf_order["ngrams"]


@SEGMENT.sentence("n-grams that are not listed", "and {n:count} more")
def _(w, n):
    return n == w.surplus - len(w.listed)


WEIGHT = "Recall counts {beta:number} times as much as precision (beta = {same:number})."


@SEGMENT.sentence("no order in both texts", "No order has n-grams in both texts: {name:word} = 0.")
def _(w, name):
    return w.score == 0 and not any(o["hypothesis"] and o["reference"] for o in w.data["orders"])


@SEGMENT.sentence(
    "the means of chrF",
    "P and R are the means of precision and recall over the {n:count} ((order||orders)) that both texts have. "
    + WEIGHT,
)
def _(w, n, beta, same):
    both = [o for o in w.data["orders"] if o["hypothesis"] and o["reference"]]
    return n == len(both) and float(beta) == float(same) == w.metric.beta and _is_f(w)


@sentence(
    "eps smoothing",
    WEIGHT + " With eps smoothing, each order has its own F-score, (1 + beta²) × P × R / (beta² × P + R), in which"
    " {eps:number} replaces undefined values; {name:word} is the mean of these F-scores.",
)
def _(w, beta, same, eps, name):
    square, scores = w.metric.beta**2, []
    for order in w.data["orders"]:
        p, r = (float(eps) if order[side] is None else order[side] for side in ("precision", "recall"))
        scores.append((1 + square) * p * r / (square * p + r) if square * p + r else float(eps))
    return float(beta) == float(same) == w.metric.beta and math.isclose(
        w.score, 100 * sum(scores) / len(scores), abs_tol=1e-9
    )


def _is_f(w):
    both = [o for o in w.data["orders"] if o["hypothesis"] and o["reference"]]
    p, r = (sum(o[side] for o in both) / len(both) for side in ("precision", "recall"))
    square = w.metric.beta**2
    return math.isclose(w.score, 100 * (1 + square) * p * r / (square * p + r) if p and r else 0, abs_tol=1e-9)


# --- a segment, by edits


@SEGMENT.sentence(
    "which edits count",
    "Edits to each reference: {told:text}. The fewest edits count: those to reference {best:count}.",
)
def _(w, told, best):
    rates = [w.metric.corpus_score([w.output], [[text]]) for text in w.references]
    counts = [round(score.num_edits) if hasattr(score, "num_edits") else round(score.edits) for score in rates]
    return list(map(int, told.split(", "))) == counts and counts[best - 1] == min(counts)


@SEGMENT.sentence("shifts", "{n:count} ((shift||shifts)): phrases moved to another place; each move is one edit")
def _(w, n):
    edits = sum(one["operation"] != "match" for one in w.data["edits"])
    return n == len(w.data["shifts"]) and edits + n == w.data["num_edits"]


@SEGMENT.sentence("a shift", '(moved: "{words:rest}")')
def _(w, words):
    return any(" ".join(shift["words"]) == words for shift in w.data["shifts"])


@SEGMENT.sentence(
    "by words or characters", "{unit:Word|Character} by {same:word|character}[[{after:, after the shifts}]]"
)
def _(w, unit, same, after):
    return unit.lower() == same == w.data.get("unit", "word") and bool(after) == bool(w.data.get("shifts"))


def _are_edits(w, lacking, extra):
    """Whether the edits turn one text into the other; lacking: the name for a word that the output lacks."""
    ours, theirs = w.units
    if w.data.get("shifts"):
        ours = w.data["shifts"][-1]["hypothesis"]
    edits = w.data["edits"]
    return [e["hypothesis"] for e in edits if e["operation"] != lacking] == list(ours) and [
        e["reference"] for e in edits if e["operation"] != extra
    ] == list(theirs[w.data["reference"]])


@SEGMENT.sentence(
    "what edits of TER are",
    "Edits turn the output into the reference. sub: replace a word; del: delete an extra word; ins: insert a word"
    " that the output lacks. TER finds shifts by a greedy search, so fewer edits may be possible.[[{lower: Words are"
    " compared in lower case.}]]",
)
def _(w, lower):
    words = [word for text in (w.units[0], *w.units[1]) for word in text]
    fine = not lower or all(word == word.lower() for word in words)
    return _are_edits(w, "insertion", "deletion") and bool(lower) == (not w.metric.case_sensitive) and fine


@SEGMENT.sentence(
    "what edits are",
    "sub: a different {unit:word|character}; del: a {a:word|character} that the output lacks; ins: an extra"
    " {b:word|character} in the output. No alignment has fewer edits; where several have as few, this is one of them.",
)
def _(w, unit, a, b):
    ours, theirs = w.units
    fewest = distance(ours, theirs[w.data["reference"]])
    edits = sum(one["operation"] != "match" for one in w.data["edits"])
    return unit == a == b == w.data["unit"] and edits == fewest and _are_edits(w, "deletion", "insertion")


@SEGMENT.sentence("nothing to edit", "Output and reference are empty: there is nothing to edit, so the score is 0.")
def _(w):
    ours, theirs = w.units
    return not ours and not theirs[w.data["reference"]] and w.score == 0


@SEGMENT.sentence("no edit", "No edit is needed: 0 is the best score.")
def _(w):
    ours, theirs = w.units
    return ours == theirs[w.data["reference"]] and w.score == 0


@SEGMENT.sentence(
    "an empty reference of TER",
    "The reference is empty, so there is nothing to divide by: the score is 100, as there are edits.",
)
def _(w):
    return not any(w.units[1]) and w.score == 100 and w.data["num_edits"] > 0


@SEGMENT.sentence(
    "an empty reference",
    "The reference is empty, so its length counts as 1, and each {unit:word|character} of the output adds 100.",
)
def _(w, unit):
    ours, theirs = w.units
    return not theirs[w.data["reference"]] and w.score == 100 * len(ours) and unit == w.data["unit"]


@SEGMENT.sentence(
    "a rate above 100",
    "There are more edits ({n:count}) than {words:words in the reference|words in the references on"
    " average|characters in the reference} ({k:number}), so the score exceeds 100: {who:TER|an error rate} has no"
    " ((upper end||upper limit)).",
)
def _(w, n, words, k, who):
    return (
        w.score > 100
        and n == w.data["num_edits"] > w.data["reference_length"]
        and k.of(w.data["reference_length"])
        and _is_length(w, words)
    )


@SEGMENT.sentence(
    "a rate of 100",
    "There are as many edits as {words:words in the reference|words in the references on average|characters in the"
    " reference}: 100.",
)
def _(w, words):
    return w.score == 100 and w.data["num_edits"] == w.data["reference_length"] and _is_length(w, words)


def _is_length(w, words):
    _, theirs = w.units
    if isinstance(w.metric, TER):
        average = sum(map(len, theirs)) / len(theirs)
        return average == w.data["reference_length"] and ("average" in words) == (len(set(map(len, theirs))) > 1)
    return len(theirs[w.data["reference"]]) == w.data["reference_length"] and words.startswith(w.data["unit"])


@SEGMENT.sentence("numbers of tokens", "({n:count} ((token||tokens)))")
def _(w, n):
    return n in map(len, (w.tokens, *w.others))


def read_segment(w, tally):
    """Judge every sentence of an explanation: headings, paragraphs, notes beside words, and what smoothing did."""
    blocks = w.explanation.tell(w.width)
    w.tables = [block for block in blocks if isinstance(block, Table)]
    w.several = isinstance(w.metric, BLEU) and len(w.references) > 1
    if isinstance(w.metric, BLEU):
        w.ngram_orders = [order for order in w.data["orders"] if order["ngrams"]]
    if isinstance(w.metric, CHRF):
        w.ngram_orders = [order for order in w.data["orders"] if order["ngrams"] and order["kind"] == "word"]
    tally.see(blocks)
    for block in blocks:
        if isinstance(block, Heading | Paragraph):
            if not block.text.startswith(f"{w.explanation.name}|"):
                SEGMENT.read(block.text, w, tally)
        elif isinstance(block, Words):
            _read_note(block, w, tally)
        elif isinstance(block, Table) and "smoothed %" in block.header:
            for order, *_, note in block.rows:
                w.order, w.note = int(order), note
                SMOOTHING_NOTE.read(note, w, tally)
        elif not isinstance(block, Table | Formula | Alignment):
            raise Unknown(f"segment: a block of {type(block).__name__}")


def _read_note(block, w, tally):
    """Judge the note beside a row of words."""
    if block.label.startswith(("too many", "only in")):
        side = "hypothesis" if block.label.startswith("too") else "reference"
        w.surplus = sum(one[side] > one["matches"] for one in w.chrf_order["ngrams"])
        w.listed = block.words
    SEGMENT.read(block.note, w, tally)


LONG = "the dog"
# Outputs for rare sentences, with their references and settings: beside a long reference, penalties and products round
# to 0; a value of floor above the number of n-grams, and more pairs of words than words that match, exceed 100
RARE = {
    LONG: ([], {"smooth_method": "floor", "smooth_value": 1e-300, "max_ngram_order": 2}),
    "the cat": (["the dog", "a cat"], {"smooth_method": "floor", "smooth_value": 2, "max_ngram_order": 2}),
    "the cat sat the": (
        ["the cat sat", "cat sat the"],
        {"smooth_method": "chen-cherry-6", "smooth_value": None, "max_ngram_order": 4},
    ),
}
SIGNS = ["the", "cat", "the", "a", "dog", "sat", "on", "mat.", "(hi)", "It's", "THE", "東京", "!", "…"]


def drawn_segment(draw):
    """Return a world of a drawn metric and drawn texts, or None if they cannot be scored or explained."""
    words = draw.sample(SIGNS, draw.randint(1, 7))

    def text():
        kind = draw.random()
        if kind < 0.12:
            return draw.choice(["", " ", "\u3000", "!"])
        return " ".join(draw.choices(words, k=draw.choice([1, 2, 3, 4, 5, 7, 12])))

    references = [text() for _ in range(draw.choice([1, 1, 1, 2, 3]))]
    output = text()
    if draw.random() < 0.25:
        output = draw.choice(references)
    elif draw.random() < 0.3:
        parts = draw.choice(references).split()
        at, end = sorted(draw.randrange(len(parts) + 1) for _ in range(2))
        output = " ".join(parts[end:] + parts[at:end] + parts[:at])
    elif draw.random() < 0.1:
        output = draw.choice(list(RARE))
        references, _ = RARE[output]
        if output == LONG:
            references = [" ".join(["the", "cat", "sat"] * draw.choice([400, 480, 500, 520, 700]))]
    metric = _drawn_metric(draw, output)
    try:
        return SegmentWorld(metric, output, references, draw.choice([1, 2, 2, 4]))
    except BleuError:
        return None


def _drawn_metric(draw, output):
    """Return a drawn metric; rare outputs often have the settings that they are for."""
    name = draw.choice(["bleu", "bleu", "bleu", "chrf", "chrf", "ter", "wer", "cer"])
    options = {"lowercase": draw.random() < 0.2}
    if name == "bleu":
        method = draw.choice(METHODS)
        value = draw.choice([None, None, 0, 0.25, 2, 1e-300]) if method in ("floor", "add-k") else None
        options |= {
            "tokenize": draw.choice(["13a", "13a", "none", "char", "zh"]),
            "smooth_method": method,
            "smooth_value": value,
            "max_ngram_order": draw.choice([4, 4, 3, 6, 5 if method == "chen-cherry-6" else 1]),
            "effective_order": draw.random() < 0.4,
        }
        if output in RARE and draw.random() < 0.5:
            options |= {"tokenize": "none", **RARE[output][1]}
    if name == "chrf":
        beta = draw.choice([2, 1, 0, 3, 10**9])
        options |= {"char_order": draw.choice([6, 2]), "word_order": draw.choice([0, 1, 2]), "beta": beta}
        options |= {key: draw.random() < 0.3 for key in ("whitespace", "eps_smoothing")}
    if name == "ter":
        options = {key: draw.random() < 0.4 for key in ("normalized", "no_punct", "asian_support", "case_sensitive")}
    return {"bleu": BLEU, "chrf": CHRF, "ter": TER, "wer": WER, "cer": CER}[name](**options)


# --- two systems


class DifferenceWorld:
    """Two systems by a metric, and why their scores differ."""

    metrics = ()
    names = ("the first system", "the second system")
    pair = (0, 1)

    def __init__(self, metric, systems, references, most):
        self.metric, self.systems, self.references, self.most = metric, systems, references, most
        self.found = explain_difference(*systems, references, metric, most=most)

    def __str__(self):
        return f"{self.metric!r}, {self.systems!r}, {self.references!r}"

    def two_bleus(self):
        return self.metric, *(self.metric.corpus_score(texts, self.references) for texts in self.systems)

    @property
    def gap(self):
        first, second = (self.metric.corpus_score(texts, self.references).score for texts in self.systems)
        return second - first

    @cached_property
    def influences(self):
        """The difference minus the one without a segment, for each segment; without any, there is no difference."""
        size = len(self.references[0])
        if size == 1:
            return [self.gap]
        found = []
        for line in range(size):
            without = [
                [text for at, text in enumerate(texts) if at != line] for texts in (*self.systems, *self.references)
            ]
            first, second = (self.metric.corpus_score(texts, without[2:]).score for texts in without[:2])
            found.append(self.gap - (second - first))
        return found


add_reasons(DIFFERENCE)


class Squared(BLEU):
    """A metric whose score is not the product of BLEU's factors."""

    def score_from_stats(self, sums):
        score = super().score_from_stats(sums)
        score.score = score.score**2 / 100
        return score


@DIFFERENCE.sentence(
    "a formula of its own", "{name:word} computes its scores in its own way, which cannot be split into factors."
)
def _(w, name):
    scores = w.two_bleus()[1:]
    products = [100 * score.bp * math.prod(p / 100 for p in score.precisions) ** 0.25 for score in scores]
    own = not all(math.isclose(score.score, product) for score, product in zip(scores, products, strict=True))
    return name == type(w.metric).__name__ and own


@DIFFERENCE.sentence("the difference", "{name:word}: {gap:number} from the first to the second system")
def _(w, name, gap):
    return gap.of(w.gap)


# --- typography and case, in both

MARKS = "quotation marks, dashes, spaces and the like made alike in outputs and references"
SPELLED = "(--normalize {kinds:[a-z,]+}; in Python normalize='{again:[a-z,]+}')"
FIRST = f"With {MARKS}[[{{case: and case ignored}}]] {SPELLED}"
AS_WELL = "With case ignored as well"


def normalized(kinds, *columns):
    return [normalize(texts, kinds) for texts in columns]


def p_of(metric, systems, references):
    """Return the p-value of two systems from the public API."""
    results = evaluate_systems(dict(zip("ab", systems, strict=True)), references, metric, test="ar")
    return results.systems[1].scores[0].p_value


for place in (DIFFERENCE, CORPUS):
    place.sentence("a heading about typography", "Typography and case")(lambda w: True)


@CORPUS.sentence(
    "typography in a score",
    f"{FIRST}, {{name:word}} is {{score:number}}, {{gap:number}} points {{how:more|less}} than as written.",
)
def _(w, case, kinds, again, name, score, gap, how):
    outputs, *streams = normalized(again, w.outputs, *w.streams)
    found = w.metric.corpus_score(outputs, streams)
    fine = kinds == again and again == ("typography,case" if case else "typography") and name == found.name
    gain = found.score - w.score
    return fine and score.of(found.score) and gap.of(abs(gain)) and (how == "more") == (gain > 0)


@CORPUS.sentence(
    "case in a score",
    f"{AS_WELL}, {{name:word}} is {{score:number}}, {{gap:number}} points {{how:more|less}} than as written.",
)
def _(w, name, score, gap, how):
    outputs, *streams = normalized("typography,case", w.outputs, *w.streams)
    alike = w.metric.corpus_score(outputs, streams).score
    return score.of(alike) and gap.of(abs(alike - w.score)) and (how == "more") == (alike > w.score)


def _is_difference(w, kinds, name, scores, gap, p):
    first, second, *references = normalized(kinds, *w.systems, *w.references)
    ours, theirs = (w.metric.corpus_score(texts, references) for texts in (first, second))
    fine = name == ours.name and scores[0].of(ours.score) and scores[1].of(theirs.score)
    return fine and gap.of(theirs.score - ours.score) and p.of(p_of(w.metric, (first, second), references))


@DIFFERENCE.sentence(
    "typography in a difference",
    f"{FIRST}, {{name:word}} is {{a:number}} and {{b:number}}: the difference is {{gap:number}} ({{p:p}}) instead of"
    " {old:number} ({q:p}).",
)
def _(w, case, kinds, again, name, a, b, gap, p, old, q):
    fine = kinds == again and again == ("typography,case" if case else "typography")
    fine = fine and old.of(w.gap) and q.of(p_of(w.metric, w.systems, w.references))
    return fine and _is_difference(w, again, name, (a, b), gap, p)


@DIFFERENCE.sentence(
    "case in a difference",
    f"{AS_WELL}, {{name:word}} is {{a:number}} and {{b:number}}: the difference is {{gap:number}} ({{p:p}}).",
)
def _(w, name, a, b, gap, p):
    return _is_difference(w, "typography,case", name, (a, b), gap, p)


@DIFFERENCE.sentence(
    "the tests of a difference",
    "The p-values are those of paired approximate randomization with {trials:count} trials.",
)
def _(w, trials):
    systems = dict(zip("ab", w.systems, strict=True))
    return evaluate_systems(systems, w.references, w.metric, test="ar").test.trials == trials


@DIFFERENCE.sentence("an error rate", "{name:word} is an error rate: lower is better.")
def _(w, name):
    copies = w.metric.corpus_score(w.references[0], w.references).score
    return not w.metric.higher_is_better and copies == 0


@DIFFERENCE.sentence("how often people agree", f"{AGREEMENT.replace('{metric:metric}', '{name:word}')}these two{ORDER}")
def _(w, name, how):
    signature = w.metric.signature(1, len(w.references))
    plain = str(type(w.metric)().signature(1, 1)) == str(signature)
    return plain and len(w.references[0]) > 1 and agrees(how, name, None, w.gap)


@DIFFERENCE.sentence(
    "a heading", *["Where the difference comes from", "Segments that move the difference", "Signature"]
)
def _(w):
    return True


@DIFFERENCE.sentence(
    "what the shares are",
    "{name:word} is a product, {product:BP × p1|BP × \\(p1 × p2\\)\\^\\(1/2\\)|BP × \\(p1 × ... ×"
    " p\\d+\\)\\^\\(1/\\d+\\)}, so each factor’s share of the difference is proportional to the change in its"
    " logarithm. The shares add up to the difference exactly.",
    "{name:word} is a product, {product:BP × p1|BP × \\(p1 × p2\\)\\^\\(1/2\\)|BP × \\(p1 × ... ×"
    " p\\d+\\)\\^\\(1/\\d+\\)}, so each factor's share of the difference is proportional to the change in its"
    " logarithm. The shares add up to the difference exactly.",
)
def _(w, name, product):
    _, first, second = w.two_bleus()
    order = int(re.search(r"1/(\d+)", product)[1]) if "^" in product else 1
    for score in (first, second):
        mean = math.prod(p / 100 for p in score.precisions[:order]) ** (1 / order)
        if not math.isclose(score.score, 100 * score.bp * mean, rel_tol=1e-9):
            return False
    changes = [
        (math.log(b / a) / root)
        for a, b, root in zip(
            (first.bp, *first.precisions[:order]),
            (second.bp, *second.precisions[:order]),
            [1] + [order] * order,
            strict=True,
        )
    ]
    points = [share.points for share in w.found.shares]
    if not math.isclose(sum(points), w.gap, abs_tol=1e-9):
        return False
    total = sum(changes)
    return len(points) == order + 1 and all(
        abs(point * total - w.gap * change) < 1e-7 for point, change in zip(points, changes, strict=True)
    )


@DIFFERENCE.sentence("no segment moves it", "No segment moves the difference.")
def _(w):
    return not any(abs(one) > 1e-9 for one in w.influences)


@DIFFERENCE.sentence("the segments that move it", "Segments that move the difference most: {n:count} of {all:count}")
def _(w, n, all):  # noqa: A002
    listed = {one.line for one in w.found.influences}
    rest = [abs(one) for line, one in enumerate(w.influences) if line not in listed]
    least = min(abs(w.influences[line]) for line in listed)
    return n == len(listed) <= w.most and all == len(w.influences) and (not rest or max(rest) <= least + 1e-9)


@DIFFERENCE.sentence(
    "what influences are",
    "Influence: the difference with all segments minus the difference without this one, in points. A"
    " {better:plus|minus} favours the second system, a {worse:plus|minus} the first.[[{sum: Influences need not add"
    " up to the difference.}]]",
)
def _(w, better, worse, sum):  # noqa: A002
    fine = all(abs(one.influence - w.influences[one.line]) < 1e-9 for one in w.found.influences)
    return (
        fine
        and better != worse
        and (better == "plus") == w.metric.higher_is_better
        and bool(sum) == (len(w.influences) > 1)
    )


@DIFFERENCE.sentence("an influence", "line {line:count}: {influence:number}")
def _(w, line, influence):
    own = w.influences[line - 1]
    return influence.of(own) and (w.role == "good") == ((own > 0) == w.metric.higher_is_better)


def read_difference(w, tally):
    """Judge every sentence of an explanation of two systems."""
    tally.see(w.found.tell(2))
    for block in w.found.tell(2):
        if isinstance(block, Heading | Paragraph) and not block.text.startswith(f"{w.found.name}|"):
            w.role = getattr(block, "role", "")
            text = block.text
            for name in w.names:  # at the start of a sentence
                text = text.replace(name.capitalize(), name)
            DIFFERENCE.read(text, w, tally)


def drawn_difference(draw):
    """Return a world of two systems, which are often equal in parts."""
    size = draw.choice([1, 2, 3, 5])
    words = draw.choice(["abcd", "ab", "abcdefghij", ["a", "A", "b", "-", "\u2013", "\u2026", "..."]])

    def text():
        return " ".join(draw.choices(words, k=draw.choice([0, 1, 2, 4, 6, 9])))

    references = [[text() for _ in range(size)] for _ in range(draw.choice([1, 1, 2]))]
    first = [draw.choice([text(), references[0][at]]) for at in range(size)]
    second = [draw.choice([text(), references[0][at], first[at]]) for at in range(size)]
    if draw.random() < 0.1:
        second = list(first)
    methods = ["exp", "exp", "floor", "none", "add-one"]
    options = {"smooth_method": draw.choice(methods), "max_ngram_order": draw.choice([4, 4, 2, 1])}
    made = {
        "bleu": lambda: BLEU(tokenize="none", effective_order=draw.random() < 0.4, **options),
        "chrf": CHRF,
        "ter": TER,
        "wer": WER,
        "own": lambda: Squared(tokenize="none"),
    }
    return DifferenceWorld(
        made[draw.choice(["bleu", "bleu", *made])](), (first, second), references, draw.choice([0, 2, 10])
    )
