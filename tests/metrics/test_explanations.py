"""Explanations: the arithmetic that they show, redone in plain Python, gives the score of the metric."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter

import jiwer
import pytest
from conftest import Terminal, refused
from contrast import contrast
from strategies import FRAGMENTS, enough
from test_sentencepiece import trained

import bleucli
from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, InputTypeError, Segments, explain, explain_difference
from bleucli.kernels.python_edits import edit_distance, trace_distance
from bleucli.metrics.smoothing import METHODS
from bleucli.prose.blocks import Formula, Table, Words
from bleucli.prose.theme import COLOURS

OUTPUT, REFERENCE = "the cat is on the mat", "there is a cat on the mat"

# --- the arithmetic, redone from what JSON says and nothing else


def close(score, expected):
    return math.isclose(score, expected, rel_tol=1e-12, abs_tol=1e-12)


def mean_of_neighbours(values, fifth):
    means = [values[0] + 1]
    for value, follower in zip(values, [*values[1:], fifth], strict=True):
        means.append((means[-1] + value + follower) / 3)
    return means[1:]


def chen_cherry(number, counts, totals, length, order):
    """Smooth as the table in the documentation of Chen & Cherry's techniques says."""
    least = [max(1, total) for total in totals]
    plain = [count / total for count, total in zip(counts, least, strict=True)]
    if number == 1:
        return [p or 0.1 / t for p, t in zip(plain, least, strict=True)]
    if number == 2:
        return plain[:1] + [(c + 1) / (t + 1) for c, t in zip(counts[1:], least[1:], strict=True)]
    if number == 5:
        return mean_of_neighbours(plain[:order], plain[4])
    if number == 6:
        q = plain[:2]
        for count, total in zip(counts[2:], totals[2:], strict=True):
            q.append((count + 5 * (q[-1] ** 2 / q[-2] if q[-2] else 0)) / (total + 5))
        return q
    zeros, q = 0, []
    for p, t in zip(plain, least, strict=True):
        zeros += not p
        factor = 1 if number == 3 else math.log(length) / 5 if length > 1 else 0
        q.append(p or factor / (2**zeros * t))
    return mean_of_neighbours(q[:order], plain[4]) if number == 7 else q


def smoothed_by(data, counts, totals, order):
    """Return the smoothed precisions, from 0 to 1."""
    method, value = data["smooth_method"], data["smooth_value"]
    if method == "add-one":
        return [(c + 1) / (t + 1) for c, t in zip(counts, totals, strict=True)]
    if method.startswith("chen-cherry"):
        smoothed = chen_cherry(int(method[-1]), counts, totals, data["hypothesis_length"], order)
        return smoothed[:order] if counts[0] else [0.0] * order
    if not any(counts):
        return [0.0] * order
    zeros, found = 0, []
    for number, (count, total) in enumerate(zip(counts[:order], totals[:order], strict=True)):
        if method == "add-k" and number and value:
            found.append((count + value) / (total + value))
        elif count or not total:
            found.append(count / total if total else 0.0)
        else:
            zeros += 1
            found.append({"exp": 1 / 2**zeros, "floor": value}.get(method, 0) / total)
    return found


def redo_bleu(data):
    tokens, references = data["hypothesis_tokens"], data["reference_tokens"]
    counts, totals = [], []
    for order in data["orders"]:
        n = order["order"]
        ngrams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
        assert Counter(ngrams) == {
            tuple(one["ngram"]): one["hypothesis"] for one in order["ngrams"] if one["hypothesis"]
        }
        most = Counter()
        for reference in references:
            most |= Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
        assert most == {tuple(one["ngram"]): one["reference"] for one in order["ngrams"] if one["reference"]}
        assert all(one["matches"] == min(one["hypothesis"], one["reference"]) for one in order["ngrams"])
        counts.append(sum(one["matches"] for one in order["ngrams"]))
        totals.append(len(ngrams))
        assert (order["matches"], order["total"]) == (counts[-1], totals[-1])
        assert close(order["precision"], 100 * counts[-1] / totals[-1] if totals[-1] else 0)
    used = data["averaged_orders"]
    smoothed = smoothed_by(data, counts, totals, used)
    assert all(close(order["smoothed"] / 100, q) for order, q in zip(data["orders"], smoothed, strict=False))
    assert all(order["smoothed"] is None for order in data["orders"][used:])
    ours, theirs = len(tokens), len(references[data["closest_reference"]])
    assert (ours, theirs) == (data["hypothesis_length"], data["reference_length"])
    assert min((abs(len(one) - ours), len(one)) for one in references)[1] == theirs
    penalty = 1.0 if ours >= theirs else math.exp(1 - theirs / ours) if ours else 0.0
    assert data["brevity_penalty"] == penalty
    if data["smooth_method"] in ("exp", "floor", "add-k", "none"):
        mean = math.prod(q ** (1 / used) for q in smoothed) if all(smoothed) and any(counts) else 0.0
    else:
        mean = math.prod(q ** (1 / used) for q in smoothed if q) if any(smoothed) else 0.0
    assert close(data["geometric_mean"], 100 * mean)
    return 100 * penalty * mean


def redo_chrf(data):
    orders = data["orders"]
    for order in orders:
        ours = sum(one["hypothesis"] for one in order["ngrams"])
        assert order["reference"] == sum(one["reference"] for one in order["ngrams"])
        assert order["hypothesis"] == (ours if order["reference"] else 0)
        assert order["matches"] == sum(min(one["hypothesis"], one["reference"]) for one in order["ngrams"])
        assert order["precision"] == (order["matches"] / ours if order["hypothesis"] else None)
        assert order["recall"] == (order["matches"] / order["reference"] if order["reference"] else None)
    square = data["beta"] ** 2

    def f(p, r):
        return (1 + square) * p * r / (square * p + r)

    if data["eps_smoothing"]:
        pairs = [
            tuple(1e-16 if one is None else one for one in (order["precision"], order["recall"])) for order in orders
        ]
        each = [f(p, r) if square * p + r else 1e-16 for p, r in pairs]
        assert all(close(order["f_score"], one) for order, one in zip(orders, each, strict=True))
        return 100 * math.fsum(each) / len(orders)
    both = [(order["precision"], order["recall"]) for order in orders if order["hypothesis"] and order["reference"]]
    if not both:
        assert data["precision"] is data["recall"] is None
        return 0.0
    p, r = (math.fsum(column) / len(both) for column in zip(*both, strict=True))
    assert close(data["precision"], p)
    assert close(data["recall"], r)
    return 100 * f(p, r) if p and r else 0.0


def check_edits(data, ours, theirs, lacking, extra):
    """Check that edits turn one text into the other, and return how many of them change nothing.

    lacking, extra: the names of the operations for a word that the output lacks, and for an extra one.
    """
    edits = data["edits"]
    assert [one["hypothesis"] for one in edits if one["operation"] != lacking] == ours
    assert [one["reference"] for one in edits if one["operation"] != extra] == theirs
    for one in edits:
        same = one["hypothesis"] == one["reference"]
        assert same == (one["operation"] == "match")
        assert (one["hypothesis"] is None) == (one["operation"] == lacking)
        assert (one["reference"] is None) == (one["operation"] == extra)
    return sum(one["operation"] == "match" for one in edits)


def redo_ter(data):
    words = data["hypothesis_words"]
    for shift in data["shifts"]:
        start, phrase, position = shift["start"], shift["words"], shift["position"]
        assert words[start : start + len(phrase)] == phrase
        left = words[:start] + words[start + len(phrase) :]
        words = left[:position] + phrase + left[position:]
        assert words == shift["hypothesis"]
    references = data["reference_words"]
    matches = check_edits(data, words, references[data["reference"]], "insertion", "deletion")
    edits = len(data["shifts"]) + len(data["edits"]) - matches
    assert edits == data["num_edits"] == min(data["edits_by_reference"])
    assert data["reference"] == data["edits_by_reference"].index(edits)
    length = sum(map(len, references)) / len(references)
    return 100 * edits / length if length else 100.0 * bool(edits)


def redo_error_rate(data):
    reference = data["reference_units"][data["reference"]]
    matches = check_edits(data, data["hypothesis_units"], reference, "deletion", "insertion")
    edits = len(data["edits"]) - matches
    assert edits == data["num_edits"] == min(data["edits_by_reference"])
    return 100 * edits / (len(reference) or 1)


# --- the arithmetic, redone from what a reader sees

ARITHMETIC = re.compile(r"(?:[0-9.e+\-*/() ]|log\(\d+\))+")


def evaluate(text):
    """Return what a calculator computes from a text; None if it is not arithmetic."""
    text = text.replace("×", "*").replace("^", "**").replace(" (the reference is empty)", "")
    text = re.sub(r"ln (\d+)", r"log(\1)", text)
    if "..." in text or not ARITHMETIC.fullmatch(text):
        return None
    return eval(re.sub(r"\d+\.?\d*(?:e[+-]?\d+)?", lambda found: f"{float(found[0])!r}", text), {"log": math.log})


def agree(value, shown):
    """Return whether a value rounds to what is shown; a tie may be rounded either way."""
    decimals = len(shown.partition(".")[2])
    return math.isclose(value, float(shown), rel_tol=1e-12, abs_tol=0.5001 * 10**-decimals)


def check_shown(explanation, width):
    """Check every line of arithmetic with the digits that are shown, and return how many there are."""
    checked = 0
    blocks = explanation.tell(width)
    shown = f"{explanation.score:.{width}f}"
    for block in blocks:
        for line in block.lines if isinstance(block, Formula) else ():
            first, *rest = line.split(" = ")
            assert rest, line
            for part in rest if first != "edits" and "BP" not in first and not first.startswith("P") else ():
                value = evaluate(part)
                checked += value is not None
                assert value is None or agree(value, shown), (line, shown)
        for *_, smoothed, note in block.rows if isinstance(block, Table) and "smoothed %" in block.header else ():
            value = evaluate(note.partition("; ")[0].removeprefix("no match: ") or "no arithmetic")
            checked += value is not None
            assert value is None or agree(100 * value, smoothed), (note, smoothed)
    return checked


# --- random pairs

REDO = {"bleu": redo_bleu, "chrf": redo_chrf, "ter": redo_ter, "wer": redo_error_rate, "cer": redo_error_rate}
KINDS = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "wer": WER, "cer": CER}
TOKENIZERS = ["13a", "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab"]
COMMON = ["the", "cat", "the", "a", "dog", "sat", "on", "mat.", "(hi)", "it's", "東京", "ü"]


def sentence(draw, words):
    text = " ".join(draw.choices(words, k=draw.choice([0, 1, 2, 3, 5, 9, 14])))
    return text if draw.random() < 0.9 else f" {text}  {draw.choice(FRAGMENTS)}"


def pair(draw):
    """Draw an output and its references, which share much."""
    words = draw.sample(COMMON, draw.randint(1, 6)) + ([draw.choice(FRAGMENTS)] if draw.random() < 0.3 else [])
    references = [sentence(draw, words) for _ in range(draw.choice([1, 1, 1, 2, 3]))]
    output = sentence(draw, words)
    if draw.random() < 0.5:
        parts = draw.choice(references).split()
        for _ in range(draw.randint(0, 3)):
            start = draw.randrange(len(parts) + 1)
            end = start + draw.randint(0, 3)
            place = draw.randrange(len(parts) + 1)
            parts = (parts[:start] + parts[end:])[:place] + parts[start:end] + parts[place:]
        output = " ".join(parts)
    return output, references


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the name of a SentencePiece tokenizer with a small model."""
    path = tmp_path_factory.mktemp("model") / "tiny.model"
    path.write_bytes(trained("unigram"))
    return f"spm:{path}"


def options_of(draw, name, model):
    if name == "bleu":
        method = draw.choice(METHODS)
        value = draw.choice([None, None, 0, 0.25, 2]) if method in ("floor", "add-k") else None
        return {
            "tokenize": draw.choice([*TOKENIZERS, model]),
            "smooth_method": method,
            "smooth_value": value,
            "max_ngram_order": draw.choice([4, 4, 4, 3, 6, 5 if method == "chen-cherry-6" else 1]),
            "effective_order": draw.random() < 0.5,
            "lowercase": draw.random() < 0.2,
        }
    if name == "chrf":
        return {
            "char_order": draw.choice([6, 6, 1, 3]),
            "word_order": draw.choice([0, 2, 1]),
            "beta": draw.choice([2, 2, 1, 0, 3]),
            **{key: draw.random() < 0.3 for key in ("whitespace", "lowercase", "eps_smoothing")},
        }
    if name == "ter":
        return {key: draw.random() < 0.4 for key in ("normalized", "no_punct", "asian_support", "case_sensitive")}
    return {"lowercase": draw.random() < 0.3}


def check_random_pairs(count, seed, model):
    draw = random.Random(seed)
    checked = 0
    names = [*["bleu"] * 5, "chrf", "chrf", "ter", "ter", "wer", "cer"]
    for _ in range(count):
        name = draw.choice(names)
        (output, references), options = pair(draw), options_of(draw, name, model)
        try:
            score = KINDS[name](**options).sentence_score(output, references).score
        except BleuError:  # chen-cherry-6 needs a match of order 3, and MeCab stops at U+0000
            with pytest.raises(BleuError, match=r"has no match of order 3|holds U\+0000"):
                explain(output, references, name, **options)
            continue
        explanation = explain(output, references, name, **options)
        data = json.loads(json.dumps(explanation.as_data()))
        assert data["score"] == explanation.score == score
        assert close(REDO[name](data), score), (name, options, output, references)
        assert str(explanation).startswith(f"{explanation.name} = {score:.2f}\n")
        assert explanation._repr_html_().isascii()
        for width in (0, 1, 2, 4, 7):
            checked += check_shown(explanation, width)
    assert checked > 10 * count


def test_the_arithmetic_of_random_pairs_gives_their_scores(model):
    check_random_pairs(enough(1600), 1, model)


@pytest.mark.slow
def test_the_arithmetic_of_10000_random_pairs_gives_their_scores(model):
    check_random_pairs(10000, 2, model)


# --- BLEU


def test_the_worked_example_is_right_digit_by_digit():
    explanation = explain(OUTPUT, [REFERENCE])
    parts = explanation.parts
    assert [(order.matches, order.total) for order in parts.orders] == [(5, 6), (2, 5), (1, 4), (0, 3)]
    assert f"{parts.brevity_penalty:.3f}" == "0.846"
    assert parts.orders[0].ngrams[0] == (("the",), 2, 1, 1)
    text = str(explanation)
    for line in (
        "BLEU = 29.06",
        "Order 1: 5 of 6 tokens match",
        "  Precision of orders 1 to 4: 5/6 (83.3%), 2/5 (40.0%), 1/4 (25.0%), 0/3 (0.0%).",
        "  Brevity penalty: 0.846.",
        "  the          2          1        1  clipped",
        "  cat          1          1        1  match",
        "  there        0          1        0  missing",
        "  the cat        1          0        0  no match",
        "      4      0/3         0.00       16.67  no match: 1 / (2^1 × 3)",
        "  BP = exp(1 - 7/6) = 0.846",
        "  BLEU = 100 × BP × (p1 × p2 × p3 × p4)^(1/4)",
        "       = 100 × 0.8465 × (0.8333 × 0.4000 × 0.2500 × 0.1667)^(1/4)",
        "       = 100 × 0.8465 × 0.3433",
        "       = 29.06",
    ):
        assert f"{line}\n" in text


def flowing(explanation):
    """Return the text of an explanation without its line breaks."""
    return " ".join(str(explanation).split())


REASONS = {
    "nothing matches": (("a b", ["c d"]), {}, 0, "No token of the output is in a reference"),
    "nothing is there": (("", ["c d"]), {}, 0, "The output is empty: nothing can match"),
    "no reference": (("a", [""]), {}, 0, "The reference is empty: nothing can match"),
    "no references": (("a", ["", " "]), {}, 0, "The references are empty: nothing can match"),
    "nothing at all": (("", [""]), {}, 0, "Output and reference are empty: nothing can match"),
    "too short": (("c d", ["c d"]), {}, 0, "too few for n-grams of order 3"),
    "short, but effective": (("c d", ["c d"]), {"effective_order": True}, 100, "the score cannot be higher"),
    "no smoothing": ((OUTPUT, [REFERENCE]), {"smooth_method": "none"}, 0, "No n-gram of order 4 matches"),
    "perfect": ((OUTPUT, [OUTPUT]), {}, 100, "the score cannot be higher"),
    "no penalty that small": (
        ("a", ["a " + "b " * 800]),
        {"smooth_method": "chen-cherry-4"},
        0,
        "The output has 1 token, the reference has 801: the brevity penalty is too small for a floating-point number,"
        " so the score is 0.",
    ),
    "no product that small": (
        ("a x", ["a b " * 745]),
        {"smooth_method": "floor", "smooth_value": 1e-9, "max_ngram_order": 2},
        0,
        "The product is too small",
    ),
    "no penalty that small, no match": (("x", ["b " * 801]), {"smooth_method": "add-one"}, 0, "the brevity penalty is"),
    "perfect, but not the highest": (
        (OUTPUT, [OUTPUT]),
        {"smooth_method": "floor", "smooth_value": 50},
        100,
        "Every n-gram of the output matches, and the output is not too short. Precision",
    ),
    "beyond, by floor": (
        ("a b c d", ["a x y z"]),
        {"smooth_method": "floor", "smooth_value": 50},
        None,
        "Smoothing floor counts 50 matches for an order without any, even if it has fewer n-grams, so the score",
    ),
    "beyond": ((OUTPUT, [OUTPUT]), {"smooth_method": "chen-cherry-5"}, None, "the score exceeds 100"),
}


@pytest.mark.parametrize(("texts", "options", "score", "reason"), REASONS.values(), ids=REASONS)
def test_zero_and_100_are_explained(texts, options, score, reason):
    explanation = explain(*texts, **options)
    assert score in (None, explanation.score)
    assert reason in flowing(explanation)


def test_the_closest_reference_counts():
    parts = explain("a b c d", ["a b c d e f", "a b c", "x", None]).parts
    assert (parts.closest_reference, parts.reference_length) == (1, 3)


def test_n_grams_that_only_some_references_have_are_not_missing():
    assert "c            0          1        0  missing" in str(explain("a b", ["a b c"]))
    text = str(explain("a b c d", ["a b c d", "a x c d"]))
    assert text.startswith("BLEU = 100.00")
    assert "x            0          1        0  unused" in text
    assert "missing" not in text


def test_many_orders_are_shown_by_the_first_and_the_last():
    text = str(explain("a b c d e f g h", ["a b c d e f g x"], max_ngram_order=8, smooth_method="chen-cherry-1"))
    assert "  BLEU = 100 × BP × (p1 × ... × p8)^(1/8)\n" in text
    assert "(0.8750 × ... × 0.1000)^(1/8)\n" in text
    text = str(explain("a", ["a"], max_ngram_order=8, smooth_method="chen-cherry-4"))
    assert "Precisions of 0 are skipped" in text
    assert "(p1)^(1/8)\n" in text


# --- chrF


def test_chrf_names_the_orders_and_the_f_score():
    explanation = explain("the cat", ["the bat"], "chrf++")
    text = str(explanation)
    assert text.startswith("chrF2++ = ")
    assert [(one.kind, one.order) for one in explanation.parts.orders[-2:]] == [("word", 1), ("word", 2)]
    assert "chrF2++ = 100 × (1 + beta²) × P × R / (beta² × P + R)\n" in text
    assert "= 100 × 5 × 0." in text
    assert "too many in the output   c\n" in text


def test_chrf_says_why_it_is_0_or_100():
    assert "cannot be higher" in str(explain("a b", ["a b"], "chrf"))
    assert "The output is empty" in str(explain("", ["a b"], "chrf"))
    assert "The reference is empty" in str(explain("a", [""], "chrf"))
    assert "Output and reference are empty" in str(explain("", [" "], "chrf"))
    assert "No n-gram matches" in str(explain("a", ["b"], "chrf"))
    same = "Output and reference have the same n-grams"
    for output, beta, which in (("ab", 0, "precision"), ("abcd abc", 1e9, "recall")):
        for eps_smoothing in (False, True):
            options = {"beta": beta, "eps_smoothing": eps_smoothing, "char_order": 2}
            text = flowing(explain(output, ["abc"], "chrf", **options))
            assert f"With beta = {beta:g}, only {which} counts, and it is 100%: the score cannot be higher." in text
            assert same not in text
            assert same in flowing(explain(output, [output], "chrf", **options))


# --- TER, WER, CER


def test_a_shift_is_shown_and_counted():
    explanation = explain("b c a d", ["a b c d"], "ter")
    (shift,) = explanation.parts.shifts
    assert (shift.start, shift.words, shift.position, shift.hypothesis) == (2, ("a",), 0, ("a", "b", "c", "d"))
    assert explanation.score == 25
    assert "edits = 1 shift + 0 substitutions + 0 deletions + 0 insertions = 1" in str(explanation)


def test_more_than_100_is_explained():
    for name in ("ter", "wer", "cer"):
        text = flowing(explain("a b c d", ["x"], name))
        assert "so the score exceeds 100" in text
        assert "There are as many edits" in flowing(explain("a", ["x"], name))
        assert "0 is the best score" in flowing(explain("a", ["a"], name))
        text = flowing(explain("", [" "], name))
        assert "Output and reference are empty: there is nothing to edit, so the score is 0." in text
        assert "/" not in text
    assert "nothing to divide by: the score is 100" in flowing(explain("a", [""], "ter"))
    assert "its length counts as 1" in flowing(explain("a b", [""], "wer"))


def test_the_reference_with_the_fewest_edits_is_shown():
    for name in ("ter", "wer", "cer"):
        parts = explain("a b c", ["x y z", "a b d", "a b e"], name).parts
        assert parts.reference == 1
        assert parts.num_edits == 1


def ways(ours, theirs):
    """Return all counts of substitutions, deletions and insertions that the smallest number of edits can have."""
    table = {}
    for i in range(len(ours) + 1):
        for j in range(len(theirs) + 1):
            found = {(0, 0, 0)} if not i + j else set()
            if i and j:
                changed = ours[i - 1] != theirs[j - 1]
                found |= {(s + changed, d, n) for s, d, n in table[i - 1, j - 1]}
            found |= {(s, d + 1, n) for s, d, n in table[i, j - 1]} if j else set()
            found |= {(s, d, n + 1) for s, d, n in table[i - 1, j]} if i else set()
            table[i, j] = {one for one in found if sum(one) == min(map(sum, found))}
    return table[len(ours), len(theirs)]


@pytest.mark.parametrize(
    ("metric", "process"), [("wer", jiwer.process_words), ("cer", jiwer.process_characters)], ids=["wer", "cer"]
)
def test_edits_have_the_names_that_jiwer_gives_them(metric, process):
    draw, clear = random.Random(6), 0
    for _ in range(400):
        ours, theirs = (draw.choices("abcd", k=draw.randint(1, 7)) for _ in range(2))
        join = " " if metric == "wer" else ""
        output, reference = join.join(ours), join.join(theirs)
        parts = explain(output, [reference], metric).parts
        operations = Counter(edit.operation for edit in parts.edits)
        counts = tuple(operations[kind] for kind in ("substitution", "deletion", "insertion"))
        answer = process(reference, output)
        clear += len(ways(ours, theirs)) == 1  # in all others, the choice is jiwer's, too
        assert counts in ways(ours, theirs)
        assert counts == (answer.substitutions, answer.deletions, answer.insertions)
        assert counts == (parts.substitutions, parts.deletions, parts.insertions)
        assert (parts.hits, parts.reference_length) == (answer.hits, len(theirs))
    assert 100 < clear < 400
    text = str(explain("a c", ["a b c"], metric.replace("cer", "wer")))
    assert "edits = 0 substitutions + 1 deletion + 0 insertions = 1" in text


def test_ter_says_which_way_its_edits_lead():
    text = flowing(explain("A c", ["a b c"], "ter"))
    assert "+ 0 deletions + 1 insertion = 1" in text
    assert "Edits turn the output into the reference." in text
    assert "Words are compared in lower case." in text
    assert "lower case" not in str(explain("A c", ["a b c"], "ter", case_sensitive=True))


def test_chrf_says_that_spaces_do_not_count_where_there_are_any():
    told = "Spaces are removed"
    assert told in flowing(explain("a b", ["ab"], "chrf"))
    assert told not in flowing(explain("ab", ["ab"], "chrf"))
    assert told not in flowing(explain("a b", ["ab"], "chrf", whitespace=True))


def test_the_traced_edits_are_the_fewest():
    draw = random.Random(3)
    for _ in range(400):
        ours, theirs = (draw.choices("abc", k=draw.randint(0, 30)) for _ in range(2))
        distance = edit_distance(ours, theirs)
        assert sum(operation != 0 for operation in trace_distance(ours, theirs)) == distance


def test_texts_that_would_take_minutes_to_align_are_refused():
    with pytest.raises(BleuError, match="9000 characters with 9000 edits are too many to align"):
        explain("a" * 9000, ["b" * 9000], "cer")
    assert explain("ab" * 9000, ["ab" * 9000], "cer").score == 0
    with pytest.raises(BleuError, match="1001 words are too many to explain TER; choose a segment of at most 1000"):
        explain("a", ["b " * 1001], "ter")


@pytest.mark.parametrize(
    ("hypothesis", "references", "metric", "options", "told"),
    [
        (
            "a b c d a c",
            ["a b c d", "b c d a", "d a c"],
            "bleu",
            {"smooth_method": "chen-cherry-6"},
            "Smoothing chen-cherry-6 estimates a longer order from the two before it, which can give more than 1",
        ),
        ("x y a b c d", ["a b c", "a"], "ter", {}, "more edits (3) than words in the references on average (2)"),
        ("x y", ["a b c", "a"], "ter", {}, "There are as many edits as words in the references on average: 100."),
        ("A", ["a"], "wer", {"lowercase": True}, "No edit is needed: 0 is the best score."),
        ("", ["a b"], "bleu", {"smooth_method": "add-one"}, "The output is empty: the brevity penalty is 0"),
    ],
)
def test_reasons_are_true_where_they_are_unusual(hypothesis, references, metric, options, told):
    assert told in flowing(explain(hypothesis, references, metric, **options))


def test_words_of_scripts_from_right_to_left_are_aligned_from_the_right():
    hebrew = "\u05e2\u05dc \u05d4\u05e9\u05d8\u05d9\u05d7"
    assert explain(hebrew, [hebrew[:2]], "ter")._repr_html_().count('<p dir="rtl">') == 1
    assert "dir=" not in explain("on the mat", ["on mat"], "ter")._repr_html_()


def alignment_of_jiwer(output, reference):
    """Return the operations of jiwer's alignment, in reading order."""
    names = {"equal": "match", "substitute": "substitution", "delete": "deletion", "insert": "insertion"}
    (chunks,) = jiwer.process_words(reference, output).alignments
    operations = []
    for chunk in chunks:
        size = max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
        operations += [names[chunk.type]] * size
    return operations


def test_of_equally_short_alignments_that_of_jiwer_is_shown():
    draw = random.Random(8)
    for _ in range(400):
        output, reference = (" ".join(draw.choices("abcd", k=draw.randint(1, 12))) for _ in range(2))
        edits = explain(output, [reference], "wer").parts.edits
        assert [edit.operation for edit in edits] == alignment_of_jiwer(output, reference)


def test_white_space_that_counts_is_not_nothing():
    assert "is empty" not in flowing(explain("  ", ["a b"], "chrf", whitespace=True))


# --- forms


@pytest.mark.parametrize("name", KINDS)
def test_every_text_is_escaped(name):
    explanation = explain('<b>&"bold"</b> \x1b[31mred', ["<script>alert(1)</script>"], name, **_none(name))
    html = explanation._repr_html_()
    assert "<script" not in html
    assert "<b>&" not in html
    assert "\x1b" not in html + str(explanation)


def _none(name):
    return {"tokenize": "none"} if name == "bleu" else {}


def test_html_is_complete():
    from html.parser import HTMLParser

    class Checker(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attrs):
            self.open += [tag] if tag != "br" else []

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    for name in KINDS:
        checker = Checker()
        checker.feed(explain(OUTPUT, [REFERENCE, "x y"], name)._repr_html_())
        assert checker.open == []


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("name", KINDS)
def test_lines_fit_the_terminal(name, width):
    from bleucli.prose.blocks import as_text

    output = "it was the best of times and it was the worst of times it was the age of wisdom " * 2
    for references in ([output[40:], REFERENCE], [REFERENCE]):
        for line in as_text(explain(output, references, name).tell(), width).splitlines():
            assert len(line) <= width or "|nrefs:" in line


@pytest.mark.parametrize("name", KINDS)
def test_each_row_of_a_table_is_one_line(name):
    from bleucli.prose.blocks import as_text

    pair = "der Körper, der am Donnerstagmorgen gefunden wurde", ["der am Donnerstag gefundene Leichnam wurde erkannt"]
    told = explain(*pair, name).tell()
    rows = [row for block in told if isinstance(block, Table) for row in block.rows]
    lines = as_text(told).splitlines()
    assert all(any(" ".join(line.split()) == " ".join(row).strip() for line in lines) for row in rows)


def test_colours_of_pages_have_contrast():
    for light, dark in map(COLOURS.get, ("good", "bad", "missing")):
        assert min(contrast(light, "#ffffff"), contrast(light, "#f5f5f5")) >= 4.5
        assert contrast(light, "#000000") >= 4
        assert min(contrast(dark, page) for page in ("#000000", "#1e1e1e")) >= 6


def test_matches_are_underlined_too():
    assert 'text-decoration:underline">the cat is on</span>' in explain("the cat is on", [REFERENCE])._repr_html_()
    blocks = explain_difference(["a b c d"], ["a b x d"], [["a b c d"]]).tell()
    found = [block.words for block in blocks if isinstance(block, Words)]
    assert found[1] == [("a", "match"), ("b", "match"), ("x", ""), ("d", "match")]


def test_records_are_immutable_and_can_be_pickled():
    import pickle

    for name in KINDS:
        explanation = explain(OUTPUT, [REFERENCE], name)
        assert isinstance(hash(explanation), int)  # nothing in it can be changed
        with pytest.raises(AttributeError):
            explanation.score = 5
        assert pickle.loads(pickle.dumps(explanation)) == explanation


# --- from Python


def test_a_line_of_a_corpus_is_explained():
    hypotheses, streams = ["a b", OUTPUT, "c"], [["a", REFERENCE, "c"], [None, "x", None]]
    explanation = explain(hypotheses, streams, "ter", line=1)
    alone = explain(OUTPUT, [REFERENCE, "x"], "ter")
    assert explanation._replace(line=None) == alone
    assert explanation.as_data()["line"] == 2
    assert explain(hypotheses, streams, line=2).references == ("c",)


def test_a_metric_object_is_explained_as_it_is():
    metric = BLEU(smooth_method="floor", lowercase=True)
    explanation = explain("A b", ["a B c"], metric)
    assert explanation.score == metric.sentence_score("A b", ["a B c"]).score
    assert "smooth:floor[0.10]" in str(explanation)


class Stemmed(BLEU):
    constants = (("stem", "3"),)

    def prepare(self, segments):
        stems = [text and " ".join(word[:3] for word in text.split()) for text in segments]
        return super().prepare(Segments.from_strings(stems))


def test_a_metric_that_prepares_texts_in_its_own_way_is_explained():
    parts = explain("cats sleeping", ["cats sleep"], Stemmed(max_ngram_order=2)).parts
    assert (parts.hypothesis_tokens, parts.recalculate()) == (("cat", "sle"), 100)


class Odd(BLEU):
    def score_from_stats(self, sums):
        score = super().score_from_stats(sums)
        score.score /= 2
        return score


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (("a", ["a"], "blue"), {}, BleuError, "metric 'blue'; choose from .*did you mean bleu"),
        (("a", ["a"], BLEU()), {"lowercase": True}, InputTypeError, "options with a metric"),
        (("a", ["a"]), {"tokenize": "char", "foo": 3}, InputTypeError, r"bleu has no option foo; choose"),
        (("a", ["a"], 5), {}, InputTypeError, "metric 5; give a name"),
        (("a", "a"), {}, InputTypeError, "references: expected a list of strings"),
        ((["a"], ["a"]), {}, InputTypeError, r"hypothesis \['a'\] is of type list; give a string, or line= to choose"),
        ((["a"], [["a"]]), {"line": 1}, BleuError, "line 1 is beyond the end of 1 segment; lines count from 0"),
        ((["a"], [["a"]]), {"line": -1}, BleuError, "line -1; expected a number from 0"),
        ((["a"], [["a"]]), {"line": "1"}, InputTypeError, "line '1'"),
        (("a b c d", ["a b c d"], Odd()), {}, BleuError, "Odd counts in its own way"),
        (("a", [None]), {}, BleuError, r"all references of segment 0 \(counting from 0\) are"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_one_line(arguments, options, kind, message):
    with pytest.raises(kind, match=message) as caught:
        explain(*arguments, **options)
    assert "\n" not in str(caught.value)


# --- the command


@pytest.fixture
def score(run, write):
    write("ref", f"{REFERENCE}\na b c d\n")
    write("sys", f"{OUTPUT}\nb a\n")
    write("one", f"{OUTPUT}\n")
    write("oneref", f"{REFERENCE}\n")

    def score(*words, pair=("oneref", "-i", "one")):
        return run("explain", *pair, *words)

    return score


def test_the_command_prints_what_python_does(score):
    answer = score("-w", "2")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == f"{explain(OUTPUT, [REFERENCE])}\n"
    assert json.loads(score("-f", "json").out) == json.loads(json.dumps(explain(OUTPUT, [REFERENCE]).as_data()))
    assert score("-f", "html", "-w", "2").out == explain(OUTPUT, [REFERENCE])._repr_html_()
    assert "\x1b" not in answer.out


def test_a_line_of_files_is_explained_from_1(score):
    words = ("--line", "2", "-m", "ter", "-f", "json")
    data = json.loads(score(*words, pair=("ref", "-i", "sys")).out)
    assert (data["line"], data["hypothesis"], data["references"]) == (2, "b a", ["a b c d"])
    assert data["score"] == bleucli.sentence_ter("b a", ["a b c d"]).score


def test_several_metrics_are_an_array_in_their_order(score):
    data = json.loads(score("-m", "wer", "chrf++", "bleu", "-f", "json").out)
    assert [one["name"] for one in data] == ["BLEU", "chrF2++", "WER"]


def test_effective_order_is_that_of_segments(score):
    pair = ("ref", "-i", "sys")
    with_it, without = (score("--line", "2", *more, pair=pair).out for more in (("-sl",), ()))
    assert "eff:yes" in with_it
    assert "eff:no" in without


def test_colours_are_for_terminals(score, run):
    shown = run("explain", "oneref", "-i", "one", "-w", "2", stdout=Terminal()).out
    plain = run("explain", "oneref", "-i", "one", "-w", "2", "-nc", stdout=Terminal()).out
    assert "\x1b[31m" in shown
    assert "\x1b[4m\x1b[32mcat\x1b[0m\x1b[24m" in shown
    assert plain == f"{explain(OUTPUT, [REFERENCE])}\n"


REFUSED = {
    "beyond the end": (("--line", "9"), "--line 9 is beyond the end of sys, which has 2 segments"),
    "line 0": (("--line", "0"), "--line 0; expected the number of a line, from 1"),
    "no line": (("-sl",), "--sentence-level is for one segment, but sys has 2 segments; choose one with --line N"),
    "format": (("--line", "1", "-f", "csv"), "--format 'csv'; choose from text, html, json"),
    **{
        word: (("--line", "1", *word.split()), f"has no option {word.split()[0]}; see bleu explain --help all")
        for word in ("-ci", "-b", "-par", "--scale 1", "--keep-going", "--fail-under 5", "--bold-best", "--append")
    },
    "names": (("--line", "1", "--names", "x"), "--names has no effect"),
}


@pytest.mark.parametrize(("words", "message"), REFUSED.values(), ids=REFUSED)
def test_bad_input_gets_one_line(score, words, message):
    refused(score(*words, pair=("ref", "-i", "sys")), message)


def test_other_spellings_say_what_to_write(score, run):
    refused(run("ref", "-i", "sys", "--line", "1"), "has no option --line")
    told = "--explain has moved to a command; write bleu explain REF -i SYSTEM"
    refused(run("ref", "-i", "sys", "--explain"), told)


def test_options_without_effect_get_a_warning(score):
    assert "--width (JSON of explanations is not rounded)" in score("-f", "json", "-w", "3").err
    assert "--sentence-level (it turns on BLEU's effective order, and BLEU is" in score("-m", "ter", "-sl").err


def test_the_format_of_the_environment_counts(score, run):
    variables = {"BLEU_FORMAT": "latex"}
    refused(run("explain", "oneref", "-i", "one", variables=variables), "cannot be shown in latex")


def test_a_segment_of_a_test_set_is_explained(run, write):
    write("sys", "x\n" * 100)
    words = ("explain", "-t", "demo", "-l", "en-de", "-i", "sys", "--line")
    data = json.loads(run(*words, "5", "-f", "json", "-q").out)
    assert (data["line"], data["hypothesis"]) == (5, "x")
    assert data["signature"].startswith("nrefs:1|test:demo|lang:en-de|")
    refused(run(*words, "5000"), "--line 5000 is beyond the end of sys, which has 100 segments")


def test_eps_smoothing_is_not_said_to_give_zero():
    for texts in (("", ["a"]), ("a", [""]), ("", [""])):
        smoothed = explain(*texts, "chrf", eps_smoothing=True)
        assert smoothed.score > 0
        assert "so eps smoothing alone keeps the score above 0" in " ".join(str(smoothed).split())
        assert "so the score is 0" in " ".join(str(explain(*texts, "chrf")).split())
