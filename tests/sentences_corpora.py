"""The kinds of sentences in explanations of a corpus alone, with their recomputations, and random corpora.

Those that explanations of segments have, too, are in `sentences_explanations`.

Everything is counted again from the texts, which have single spaces between words and no punctuation: n-grams with
Counter, edits with an edit distance of our own (TER's with its public method). Influences come from scoring the corpus
without the segment.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cached_property

from sentences import Shown, Unknown
from sentences_explanations import CORPUS, RARE, SMOOTHING, SMOOTHING_NOTE, WEIGHT, distance, grams
from test_explanations import agree, evaluate, smoothed_by

from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, explain_corpus
from bleucli.metrics.smoothing import METHODS
from bleucli.prose.blocks import Formula, Heading, Paragraph, Table, Words

NOISE = 1e-9


class CorpusWorld:
    """An explained corpus: the metric, the texts, and the explanation as data."""

    names, metrics = (), ()

    def __init__(self, metric, outputs, streams, most=2, width=2):
        self.metric, self.outputs, self.streams, self.most, self.width = metric, outputs, streams, most, width
        self.explanation = explain_corpus(outputs, streams, metric, most=most)
        self.data = self.explanation.as_data()
        self.several = max(len(references) for _, references in self.segments) > 1

    def __str__(self):
        return f"{self.metric!r} of {self.outputs!r} and {self.streams!r}"

    @cached_property
    def segments(self):
        """The output and the references of each segment, as they are compared."""
        fold = str.lower if getattr(self.metric, "lowercase", not getattr(self.metric, "case_sensitive", True)) else str
        rows = zip(self.outputs, *self.streams, strict=True)
        return [(fold(output), [fold(one) for one in others if one is not None]) for output, *others in rows]

    @property
    def score(self):
        return self.metric.corpus_score(self.outputs, self.streams).score

    @cached_property
    def influences(self):
        """The score minus the one without a segment, for each segment."""
        found = []
        for line in range(len(self.outputs)):
            kept = [[text for at, text in enumerate(texts) if at != line] for texts in (self.outputs, *self.streams)]
            found.append(self.score - self.metric.corpus_score(kept[0], kept[1:]).score)
        return found

    def is_better(self, influence):
        return (influence > 0) == self.metric.higher_is_better

    # --- BLEU

    @cached_property
    def lengths(self):
        """The number of tokens of the output, and that of the closest references; of two, the shorter."""
        ours = theirs = 0
        for output, references in self.segments:
            size = len(output.split())
            ours += size
            theirs += min((abs(len(one.split()) - size), len(one.split())) for one in references)[1]
        return ours, theirs

    @property
    def tokens(self):
        return range(self.lengths[0])

    def counts(self, order):
        """Return the matches and the n-grams of an order."""
        matches = total = 0
        for output, references in self.segments:
            most = Counter()
            for reference in references:
                most |= grams(reference.split(), order)
            ours = grams(output.split(), order)
            matches, total = matches + sum((ours & most).values()), total + sum(ours.values())
        return matches, total

    @property
    def averaged(self):
        if not self.metric.effective_order:
            return range(1, self.metric.max_ngram_order + 1)
        adds = self.metric.smooth_method == "add-k" and self.metric.smoothing.value and self.counts(1)[0]
        totals = [self.counts(order)[1] for order in range(1, self.metric.max_ngram_order + 1)]
        filled = [total or (adds and place) for place, total in enumerate(totals)]
        return range(1, (filled.index(0) if 0 in filled else len(filled)) + 1)

    @property
    def smoothed(self):
        """The smoothed precisions, from 0 to 1."""
        smoothing = self.metric.smoothing
        data = {"smooth_method": smoothing.method, "smooth_value": smoothing.value}
        orders = range(1, self.metric.counted_order + 1)
        counts, totals = zip(*map(self.counts, orders), strict=True)
        return smoothed_by(data | {"hypothesis_length": self.lengths[0]}, counts, totals, len(self.averaged))

    @property
    def penalty(self):
        ours, theirs = self.lengths
        return 1.0 if ours >= theirs else math.exp(1 - theirs / ours) if ours else 0.0

    # --- chrF

    def row(self, output, reference):
        """Return the numbers of n-grams of each order of chrF: output, reference, matches."""
        texts = [text if self.metric.whitespace else "".join(text.split()) for text in (output, reference)]
        words = [output.split(), reference.split()]
        row = []
        for sides, orders in ((texts, self.metric.char_order), (words, self.metric.word_order)):
            for order in range(1, orders + 1):
                ours, theirs = (grams(side, order) for side in sides)
                row.append((ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()))
        return row

    def f_score(self, row):
        """Return the F-score of numbers of n-grams, from 0 to 1."""
        square = self.metric.beta**2
        pairs = [(m / ours if ours else None, m / theirs if theirs else None) for ours, theirs, m in row]
        if self.metric.eps_smoothing:
            full = [[1e-16 if one is None else one for one in pair] for pair in pairs]
            return sum((1 + square) * p * r / (square * p + r) if square * p + r else 1e-16 for p, r in full) / len(row)
        both = [pair for pair in pairs if None not in pair]
        p, r = [*map(sum, zip(*both, strict=True))] if both else (0, 0)
        p, r = p / max(1, len(both)), r / max(1, len(both))
        return (1 + square) * p * r / (square * p + r) if square * p + r else 0.0

    @cached_property
    def ngrams(self):
        """The sums of the numbers of n-grams, by order; of several references, the best one of each segment."""
        rows = [
            max((self.row(output, reference) for reference in references), key=self.f_score)
            for output, references in self.segments
        ]
        return [tuple(map(sum, zip(*order, strict=True))) for order in zip(*rows, strict=True)]

    # --- error rates

    @cached_property
    def edits(self):
        """The sums of edits and of lengths."""
        edits = length = 0
        for output, references in self.segments:
            if isinstance(self.metric, TER):
                sizes = [len(reference.split()) for reference in references]
                fewest = min(self.metric.sentence_score(output, [one]).num_edits for one in references)
                size = sum(sizes) / len(sizes)
            else:
                split = str.split if isinstance(self.metric, WER) else list
                units = [split(one) for one in references]
                counts = [distance(split(output), one) for one in units]
                fewest, size = min(counts), len(units[counts.index(min(counts))])
            edits, length = edits + fewest, length + size
        return edits, length


# --- what all metrics have


@CORPUS.sentence("its score", "{name:word} = {score:number} on {n:count} ((segment||segments))")
def _(w, name, score, n):
    return score.of(w.score) and n == len(w.outputs) and name == w.metric.corpus_score(w.outputs, w.streams).name


@CORPUS.sentence("an error rate", "{name:word} is an error rate: lower is better.")
def _(w, name):
    first = next(stream[0] for stream in w.streams if stream[0] is not None)
    return not w.metric.higher_is_better and w.metric.sentence_score(first, [first]).score == 0


@CORPUS.sentence(
    "a heading",
    *["Precisions", "Brevity penalty", "Precision and recall, order by order", "Score", "Signature"],
    "Segments that move the score",
)
def _(w):
    return True


@CORPUS.sentence("a single segment", "There is only one segment, so no score without it can be compared.")
def _(w):
    return len(w.outputs) == 1


@CORPUS.sentence("no segment moves it", "No segment moves the score.")
def _(w):
    return not any(abs(one) > NOISE for one in w.influences)


@CORPUS.sentence("no segment of a kind", "No segment {verb:improves|worsens} {name:word}.")
def _(w, verb, name):
    return not any(abs(one) > NOISE and w.is_better(one) == (verb == "improves") for one in w.influences)


@CORPUS.sentence(
    "the segments that move it", "Segments that {verb:improve|worsen} {name:word} most: {n:count} of {all:count}"
)
def _(w, verb, name, n, all):  # noqa: A002
    listed = w.data["gains" if verb == "improve" else "losses"]
    lines = [one["line"] - 1 for one in listed]
    sizes = {line: abs(one) for line, one in enumerate(w.influences) if w.is_better(one) == (verb == "improve")}
    ranked = sorted((-round(size, 9), line) for line, size in sizes.items() if size > NOISE)[: w.most]
    return n == len(lines) <= w.most and all == len(w.outputs) and [line for _, line in ranked] == lines


@CORPUS.sentence(
    "what influences are",
    "Influence: the score of all segments minus the score without this one, in points. Influences need not add up to"
    " the score.",
)
def _(w):
    listed = [*w.data["gains"], *w.data["losses"]]
    fine = w.data["moving"] == sum(abs(one) > NOISE for one in w.influences)
    return fine and all(abs(one["influence"] - w.influences[one["line"] - 1]) < NOISE for one in listed)


@CORPUS.sentence("an influence", "line {line:count}: {influence:number}")
def _(w, line, influence):
    own = w.influences[line - 1]
    digits = re.sub(r"\D", "", influence).lstrip("0")
    return influence.of(own) and (w.role == "good") == w.is_better(own) and len(digits) >= 2


@CORPUS.sentence("the rest of a text", "...")
def _(w):
    return w.is_cut


# --- BLEU


@CORPUS.sentence(
    "precisions",
    "A precision is matches / n-grams of the output, both added up over the segments. Smoothing {method:word} changes"
    " no precision here.",
)
def _(w, method):
    pairs = [w.counts(order) for order in w.averaged]
    plain = [matches / total if total else 0.0 for matches, total in pairs]
    same = all(math.isclose(one, other) for one, other in zip(plain, w.smoothed, strict=True))
    return same and method == w.metric.smooth_method


for _told, (_methods, _check) in SMOOTHING.items():

    @CORPUS.sentence(
        f"smoothing {' and '.join(_methods)}",
        "A precision is matches / n-grams of the output, both added up over the segments. Smoothing {method:\\S+}: "
        + _told,
    )
    def _(w, method, methods=_methods, check=_check, **values):
        fine = method in methods and method == w.metric.smooth_method
        return fine and (not w.counts(1)[0] or check(w, **values))


REFERENCES = r"the references|the references closest in length"
LENGTHS = f"The output has {{n:count}} ((token||tokens)), {{which:{REFERENCES}}} have {{k:count}}"


def _has_lengths(w, n, which, k):
    return (n, k) == w.lengths and ("closest" in which) == w.several


@CORPUS.sentence("no brevity penalty", f"{LENGTHS}: the output is not shorter, so there is no penalty, BP = 1.")
def _(w, n, which, k):
    return _has_lengths(w, n, which, k) and n >= k and w.penalty == 1


@CORPUS.sentence(
    "a brevity penalty",
    f"{LENGTHS}: the output is shorter. Precision does not punish that, so the brevity penalty does:",
)
def _(w, n, which, k):
    return _has_lengths(w, n, which, k) and 0 < n < k


@CORPUS.sentence("an output without tokens", f"{LENGTHS}: BP = 0.")
def _(w, n, which, k):
    return _has_lengths(w, n, which, k) and n == 0 < k


@CORPUS.sentence(
    "a penalty that rounds to 0",
    f"{LENGTHS}: the brevity penalty is too small for a floating-point number, so the score is 0.",
)
def _(w, n, which, k):
    return _has_lengths(w, n, which, k) and w.penalty == 0 == w.score


@CORPUS.sentence(
    "no tokens",
    "The output has no tokens: nothing can match, so the score is 0.",
    "The output has no tokens: the brevity penalty is 0, and so is the score.",
)
def _(w):
    return not w.lengths[0] and w.score == 0


@CORPUS.sentence(
    "no match", "No token of the output is in a reference of its segment: the score is 0, and no smoothing applies."
)
def _(w):
    return not w.counts(1)[0] and w.score == 0 and not any(w.smoothed)


@CORPUS.sentence(
    "an output too short for an order",
    "No segment of the output has {n:count} tokens: the precision of order {order:count} is 0, and so is the score.",
)
def _(w, n, order):
    longest = max(len(output.split()) for output, _ in w.segments)
    return longest < n == order in w.averaged and w.score == 0 and w.smoothed[order - 1] == 0


# --- chrF


@CORPUS.sentence(
    "what precision and recall are",
    "Precision is matches / n-grams of the output, recall is matches / n-grams of the references, all added up over the"
    " segments. The output's n-grams of an order count only in segments whose reference has such n-grams.[[{choice: Of"
    " several references, the one with the segment's highest score counts.}]]",
)
def _(w, choice):
    for order, sums in zip(w.data["orders"], w.ngrams, strict=True):
        ours, theirs, matches = sums
        if (order["hypothesis"], order["reference"], order["matches"]) != sums:
            return False
        shares = [matches / total if total else None for total in (ours, theirs)]
        if [order["precision"], order["recall"]] != shares:
            return False
    return bool(choice) == w.several


@CORPUS.sentence("all n-grams match", "All n-grams that count match: the score cannot be higher.")
def _(w):
    return all(len({*sums}) == 1 for sums in w.ngrams) and math.isclose(w.score, 100)


@CORPUS.sentence(
    "no n-gram matches",
    "No n-gram matches, so {effect:the score is 0|eps smoothing alone keeps the score above 0}.",
)
def _(w, effect):
    eps = effect.startswith("eps")
    return not any(matches for *_, matches in w.ngrams) and (w.score > 0) == eps <= w.metric.eps_smoothing


@CORPUS.sentence(
    "the means of chrF",
    "P and R are the means of precision and recall over the {n:count} ((order||orders)) that both output and references"
    " have. " + WEIGHT,
)
def _(w, n, beta, same):
    both = [sums for sums in w.ngrams if sums[0] and sums[1]]
    fine = n == len(both) and float(beta) == float(same) == w.metric.beta
    return fine and math.isclose(w.score, 100 * w.f_score(w.ngrams), abs_tol=1e-9)


@CORPUS.sentence("no order in both", "No order has n-grams in both output and references: {name:word} = 0.")
def _(w, name):
    return w.score == 0 and not any(sums[0] and sums[1] for sums in w.ngrams)


# --- error rates


@CORPUS.sentence("no edit", "No edit is needed: 0 is the best score.")
def _(w):
    return w.edits[0] == 0 == w.score


@CORPUS.sentence(
    "references without words, by TER",
    "The references have no words, so there is nothing to divide by: the score is 100, as there are edits.",
)
def _(w):
    return w.edits[1] == 0 < w.edits[0] and w.score == 100 and not any("".join(others) for _, others in w.segments)


@CORPUS.sentence(
    "references without words",
    "There are no {unit:words|characters} of the references[[{count: that count}]], so their number counts as 1.",
)
def _(w, unit, count):
    edits, length = w.edits
    return length == 0 and bool(count) == w.several and math.isclose(w.score, 100 * edits) and _is_unit(w, unit)


@CORPUS.sentence(
    "a rate above 100",
    "There are more edits than {unit:words|characters} of the references[[{count:, on average| that count}]], so the"
    " score exceeds 100: {who:TER|an error rate} has no upper end.",
)
def _(w, unit, count, who):
    edits, length = w.edits
    return edits > length and w.score > 100 and bool(count) == w.several and _is_unit(w, unit)


@CORPUS.sentence(
    "what edits are",
    "Edits insert, delete or replace a {unit:word|character}[[{shift:, or move a phrase}]]. Edits and lengths are added"
    " up over the segments[[{several:; of several references, the fewest edits and the average length count|; of"
    " several references, the one with the fewest edits counts, with its own length}]].",
)
def _(w, unit, shift, several):
    fine = w.data["num_edits"] == w.edits[0] and math.isclose(w.data["reference_length"], w.edits[1], abs_tol=1e-9)
    is_ter = isinstance(w.metric, TER)
    return (
        fine
        and bool(shift) == is_ter
        and bool(several) == w.several
        and ("average" in (several or "")) == (is_ter and w.several)
        and _is_unit(w, unit)
    )


def _is_unit(w, unit):
    return unit.rstrip("s") == ("character" if isinstance(w.metric, CER) else "word")


# --- reading


def read_corpus_explanation(w, tally):
    """Judge every sentence of an explanation, its tables, and its formulas by what a calculator gives."""
    blocks = w.explanation.tell(w.width)
    tally.see(blocks)
    label = f"{w.explanation.name}|"
    for block in blocks:
        if isinstance(block, Heading | Paragraph):
            w.role = getattr(block, "role", "")
            if not block.text.startswith(label):
                CORPUS.read(block.text, w, tally)
            if block.text.startswith("line "):
                line = int(block.text.split(":")[0].removeprefix("line ")) - 1
                texts = [("output", w.outputs[line]), *(("reference", stream[line]) for stream in w.streams)]
                w.texts = iter([text for text in texts if text[1] is not None])
        elif isinstance(block, Words):
            _read_excerpt(block, w, tally)
        elif isinstance(block, Table):
            _check_table(block, w, tally)
        elif isinstance(block, Formula):
            _check_formula(block, w)
        else:
            raise Unknown(f"corpus: a block of {type(block).__name__}")


def _read_excerpt(block, w, tally):
    """Check that an excerpt is the beginning of the next text of the segment, and fits a line."""
    shown = " ".join(word for word, _ in block.words)
    label, text = next(w.texts)
    w.is_cut = text != shown
    assert block.label.strip() == label
    assert text.startswith(shown)
    assert w.is_cut == bool(block.note), (shown, text)
    assert len(shown) <= 60
    CORPUS.read(block.note, w, tally)


def _check_table(table, w, tally):
    for row in table.rows:
        if isinstance(w.metric, BLEU):
            order, counts, precision, *rest = row
            w.order = int(order)
            matches, total = w.counts(w.order)
            assert counts == f"{matches}/{total}", row
            assert precision == "-" if not total else Shown(precision).of(100 * matches / total), row
            if rest:
                smoothed, w.note = rest
                left_out = w.order not in w.averaged
                assert smoothed == "-" if left_out else Shown(smoothed).of(100 * w.smoothed[w.order - 1]), row
                SMOOTHING_NOTE.read(w.note, w, tally)
                value = evaluate(w.note.partition("; ")[0].removeprefix("no match: ") or "no arithmetic")
                assert value is None or agree(100 * value, smoothed), row
        else:
            sums = w.ngrams[table.rows.index(row)]
            assert tuple(map(int, row[1:4])) == sums, row
            for share, total in zip(row[4:6], sums, strict=False):
                assert share == "-" if not total else Shown(share).of(100 * sums[2] / total), row


def _check_formula(formula, w):
    """Check every line of arithmetic with the digits that are shown, and the numbers in it."""
    shown = f"{w.explanation.score:.{w.width}f}"
    for line in formula.lines:
        first, *rest = line.split(" = ")
        for part in rest:
            if first == "BP":
                ours, theirs = w.lengths
                assert rest[0] == f"exp(1 - {theirs}/{ours})"
                assert Shown(rest[1]).of(w.penalty), line
            elif not first.startswith("P"):
                value = evaluate(part)
                assert value is None or agree(value, shown), (line, shown)
    text = "\n".join(formula.lines)
    if isinstance(w.metric, BLEU) and (numbers := re.search(r"× ([\d.e-]+) × \(([\d.e× -]+)\)\^", text)):
        penalty, shares = numbers[1], numbers[2].split(" × ")
        used = [share for share in w.smoothed if share or not w.metric.smoothing.gives_all]
        assert Shown(penalty).of(w.penalty), text
        if "..." in shares:  # only the first and the last are shown
            shares, used = [shares[0], shares[-1]], [used[0], used[-1]]
        assert all(Shown(one).of(share) for one, share in zip(shares, used, strict=True)), text
    if not w.metric.higher_is_better:
        edits, length = w.edits
        label = "characters" if isinstance(w.metric, CER) else "words"
        average = ", on average" if isinstance(w.metric, TER) else " that count"
        lines = [f"{w.metric.name:5} = 100 × edits / {label} of the references" + average * w.several]
        if isinstance(w.metric, TER) and not length:
            assert formula.lines == [f"TER   = {shown}"] or formula.lines[-1].endswith(f"= {shown}")
            return
        assert formula.lines[0] == lines[0]
        match = re.search(r"100 × (\d+) / (\S+) = (\S+)", formula.lines[1])
        assert (int(match[1]), match[3]) == (edits, shown)
        assert Shown(match[2]).of(length or 1)


# --- drawing

WORDS = ["the", "cat", "a", "dog", "sat", "on", "mat", "Hut", "THE", "東京"]
LONG = "supercalifragilistic"


# Rare settings of BLEU: penalties and products that round to 0, scores above 100, and zeros that are skipped
UNUSUAL = [
    *((output, references, options) for output, (references, options) in RARE.items()),
    ("the", ["the cat"], {"smooth_method": "chen-cherry-4", "smooth_value": None}),
]


def drawn_corpus(draw):
    """Return a world of a drawn metric and a drawn corpus, or None if it cannot be scored or explained."""
    outputs, streams = _drawn_texts(draw)
    metric = _drawn_metric(draw)
    if isinstance(metric, BLEU) and draw.random() < 0.06:
        output, references, options = draw.choice(UNUSUAL)
        long = " ".join(["the", "cat", "sat"] * draw.choice([400, 480, 500, 520, 700]))
        size = draw.choice([1, 1, 2])
        outputs, streams = [output] * size, [[one] * size for one in references or [long]]
        metric = BLEU(tokenize="none", **options)
    try:
        return CorpusWorld(metric, outputs, streams, draw.choice([0, 1, 2, 5]), draw.choice([0, 1, 2, 2, 4]))
    except BleuError:
        return None


def _drawn_texts(draw):
    """Return drawn outputs and streams of references, some of them empty or all equal."""
    words = draw.sample(WORDS, draw.randint(1, 6))
    if draw.random() < 0.2:
        words += ["\u2013", "\u2014", words[0].swapcase()]
    if draw.random() < 0.1:
        words.append(LONG * draw.choice([1, 2, 4]))

    def text():
        return " ".join(draw.choices(words, k=draw.choice([0, 1, 2, 3, 4, 5, 7, 20])))

    size = draw.choice([1, 2, 2, 3, 4, 6])
    streams = [[text() for _ in range(size)]]
    if draw.random() < 0.3:
        streams.append([draw.choice([text(), text(), None]) for _ in range(size)])
    outputs = [draw.choice([text(), text(), streams[0][at]]) for at in range(size)]
    kind = draw.random()
    if kind < 0.06:
        return [outputs[0]] * size, [[stream[0]] * size for stream in streams]
    if kind < 0.09:
        return [""] * size, streams
    if kind < 0.12:
        return outputs, [[""] * size for _ in streams]
    same = {0: streams[0], 1: ["x"] * size}
    return same.get(int((kind - 0.12) / 0.04), outputs), streams


def _drawn_metric(draw):
    options = {"lowercase": draw.random() < 0.2}
    name = draw.choice(["bleu", "bleu", "bleu", "chrf", "chrf", "ter", "wer", "cer"])
    if name == "bleu":
        method = draw.choice([*METHODS, "exp", "exp", "none"])
        value = draw.choice([None, None, 0, 0.25, 2, 1e-300]) if method in ("floor", "add-k") else None
        order = draw.choice([4, 4, 3, 6, 5 if method == "chen-cherry-6" else 1])
        options |= {"smooth_method": method, "smooth_value": value, "max_ngram_order": order, "tokenize": "none"}
        options["effective_order"] = draw.random() < 0.3
    if name == "chrf":
        beta = draw.choice([2, 1, 0, 3, 10**9])
        options |= {"char_order": draw.choice([6, 2]), "word_order": draw.choice([0, 1, 2]), "beta": beta}
        options |= {key: draw.random() < 0.3 for key in ("whitespace", "eps_smoothing")}
    if name == "ter":
        options = {"case_sensitive": draw.random() < 0.5}
    return {"bleu": BLEU, "chrf": CHRF, "ter": TER, "wer": WER, "cer": CER}[name](**options)
