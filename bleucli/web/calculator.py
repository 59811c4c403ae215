"""What the page shows: numbers at once, then what they come from.

- `Inputs`, `read_inputs`: what stands in the fields
- `calculate`: the score, what it is made of, the signature, and the command that gives the same
- `explain_inputs`: the texts with what matches, and the worked explanation
- `EXAMPLES`: inputs to begin with
"""

import json
from shlex import quote

from bleucli import tokenizers
from bleucli.errors import BleuError
from bleucli.highlights import Piece, cover, highlight
from bleucli.jsonlines import JsonItems
from bleucli.metrics import METRICS, VARIANTS, Metric
from bleucli.metrics.bleu import brevity_penalty
from bleucli.metrics.explain_bleu import BLEUParts
from bleucli.metrics.explain_chrf import CHRFParts
from bleucli.metrics.explain_ter import TERParts
from bleucli.metrics.explain_wer import ErrorRateParts
from bleucli.metrics.explanations import Explanation, explain_segment
from bleucli.metrics.smoothing import METHODS, Smoothing
from bleucli.phrases import tell_count
from bleucli.prose import as_html
from bleucli.records import NamedTuple
from bleucli.web.choices import make_metric
from bleucli.web.items import check_effort, count_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.counting import CorpusStats
    from bleucli.segments import Segments

# Of the page, in its order, with what each is called there
METRIC_NAMES = {"bleu": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER", "wer": "WER"}
ORDERS = (1, 2, 3, 4)
# Smoothing that can make a precision higher than 1
_BEYOND = ("chen-cherry-5", "chen-cherry-6", "chen-cherry-7")
# 0-100 and 0-1
_PERCENT_DECIMALS, _SHARE_DECIMALS = 2, 4
# Explanations are made in plain Python and become long: characters in all, and words times words for edits
_MOST_CHARACTERS = 5_000
_MOST_CELLS = {"ter": 2_500, "wer": 250_000}
_LEGENDS = {
    "bleu": "Upper bar: matches divided by the candidate's n-grams. Lower bar: the same, smoothed.",
    **dict.fromkeys(("chrf", "chrf++"), "Upper bar: precision. Lower bar: recall."),
}
# Below, a page says that the candidate is short
_SHORT_PENALTY = 0.7
_ELSEWHERE = 'Longer texts: run the command under "Reproduce this score" with --explain instead of -b -w 2.'
# https://cloud.google.com/translate/automl/docs/evaluate, "Interpretation", for the BLEU of a test set
BANDS = (
    (0, 10, "almost useless"),
    (10, 20, "hard to get the gist"),
    (20, 30, "the gist is clear, but there are significant grammatical errors"),
    (30, 40, "understandable to good translations"),
    (40, 50, "high quality translations"),
    (50, 60, "very high quality, adequate and fluent translations"),
    (60, 100, "quality often better than human"),
)


class Inputs(NamedTuple):
    """What stands in the fields of the page; references: not blank, one at least."""

    candidate: str
    references: "Sequence[str]"
    metric: str
    order: int
    tokenize: str
    lowercase: bool
    smoothing: str


# What a page sends, as JSON
_KINDS = {
    **dict.fromkeys(("candidate", "references", "metric", "tokenize", "smoothing"), str),
    "order": int,
    "lowercase": bool,
}


def _example(title: str, candidate: str, references: str, **others: "Any") -> "dict[str, Any]":
    usual = Inputs(candidate, (), "bleu", 4, tokenizers.DEFAULT, True, "add-one")
    return {"title": title, **usual._asdict(), "references": references, **others}


EXAMPLES = (
    _example("Worked example", "the cat is on the mat", "there is a cat on the mat"),
    _example("A zero", "the cat is on the mat", "there is a cat on the mat", smoothing="none"),
    _example(
        "A short candidate", "the committee met", "The committee met on Tuesday to discuss the budget for next year."
    ),
    _example(
        "Chinese, wrong tokenizer",
        "\u732b\u5750\u5728\u57ab\u5b50\u4e0a\u3002",
        "\u4e00\u53ea\u732b\u5750\u5728\u57ab\u5b50\u4e0a\u3002",
        smoothing="exp",
    ),
)


def read_inputs(body: bytes) -> Inputs:
    """Return what a page sends: a JSON object with a value for each field, references one per line.

    Raises:
        BleuError: a field is missing or has no such value, or there is no reference.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise BleuError("the fields are not valid JSON; reload the page") from None
    if not isinstance(given, dict) or {name: type(value) for name, value in given.items()} != _KINDS:
        raise BleuError(f"expected an object with {', '.join(_KINDS)}; reload the page")
    if given["metric"] not in METRIC_NAMES or given["smoothing"] not in METHODS or given["order"] not in ORDERS:
        raise BleuError("there is no such metric, smoothing or order here; reload the page")
    references = [line for line in given["references"].split("\n") if line.strip()]
    if not references:
        raise BleuError("Write at least one reference, each on its own line.")
    return Inputs(**{**given, "references": references})


def calculate(inputs: Inputs) -> "dict[str, Any]":
    """Return the numbers for the fields of the page, as texts of what the command prints.

    Raises:
        BleuError: they cannot be scored.
    """
    metric = _make_metric(inputs)
    blocks = _read_texts(inputs)
    check_effort(metric, blocks)
    stats = count_items(blocks, metric)
    score = stats.score()
    facts, bars = _take_apart(inputs, stats)
    return {
        "name": score.name,
        "percent": f"{score.score:.{_PERCENT_DECIMALS}f}",
        "share": f"{score.score / 100:.{_SHARE_DECIMALS}f}",
        "best": f"{score.name}: {'higher' if metric.higher_is_better else 'lower'} is better",
        "facts": facts,
        "bars": bars,
        "legend": _LEGENDS.get(inputs.metric, ""),
        "band": _band_of(score.score) if inputs.metric == "bleu" else None,
        "reading": tell_range(inputs.metric, inputs.smoothing),
        "signature": f"{score.name}|{stats.signature().format()}",
        "command": spell_command(inputs),
        # The gravest first
        "messages": [
            *_tell_script(inputs, stats),
            *_give_reasons(inputs, stats),
            *_tell_warnings(inputs, metric, stats),
        ],
    }


def explain_inputs(inputs: Inputs) -> "dict[str, Any]":
    """Return the texts with what matches, and the worked explanation, as HTML.

    Raises:
        BleuError: they cannot be scored, or are too long to be explained while somebody waits.
    """
    metric = _make_metric(inputs)
    ((hypotheses, *references),) = _read_texts(inputs)
    _check_length(inputs, metric, hypotheses, references)
    explanation = explain_segment(metric, hypotheses, references)
    texts, marks, ngrams = _highlight(explanation)
    # Without the signature, which the page has elsewhere
    blocks = explanation.parts.tell(explanation.name, explanation.score, _PERCENT_DECIMALS)
    return {
        "texts": [{"label": label, "html": html} for label, html in texts],
        "marks": marks,
        "ngrams": ngrams,
        "explanation": as_html(list(blocks), level=3, themed=True),
    }


def _options_of(inputs: Inputs) -> "dict[str, Any]":
    """Return the options of the metric that the fields ask for, where they differ from its defaults."""
    if inputs.metric == "bleu":
        usual = {option.name: option.default for option in METRICS["bleu"].options}
        named = {
            "tokenize": inputs.tokenize,
            "lowercase": inputs.lowercase,
            "smooth_method": inputs.smoothing,
            "max_ngram_order": inputs.order,
        }
        return {name: value for name, value in named.items() if value != usual[name]}
    if inputs.metric == "ter":
        return {} if inputs.lowercase else {"case_sensitive": True}
    return {"lowercase": True} if inputs.lowercase else {}


def _make_metric(inputs: Inputs) -> Metric:
    if inputs.metric == "bleu" and inputs.order < (least := Smoothing(inputs.smoothing).least_order):
        raise BleuError(f"Smoothing {inputs.smoothing} needs a maximum order of at least {least}.")
    return make_metric(inputs.metric, _options_of(inputs), in_command=True)


def _item(inputs: Inputs) -> "dict[str, Any]":
    return {"hypothesis": inputs.candidate, "references": list(inputs.references)}


def _read_texts(inputs: Inputs) -> "list[list[Segments]]":
    return list(JsonItems("the fields", [_item(inputs)]).blocks())


def spell_command(inputs: Inputs) -> str:
    r"""Return a line for a POSIX shell that prints the same number.

    >>> print(spell_command(Inputs("a", ["b"], "ter", 4, "13a", False, "exp")))
    printf '%s\n' '{"hypothesis": "a", "references": ["b"]}' | bleu --jsonl -m ter --ter-case-sensitive -b -w 2
    """
    name, _ = VARIANTS.get(inputs.metric, (inputs.metric, {}))
    flags = {option.name: option.flags[-1] for option in METRICS[name].options}
    words = [f"-m {inputs.metric}"] if inputs.metric != "bleu" else []
    for option, value in _options_of(inputs).items():
        words.append(flags[option] if value is True else f"{flags[option]} {value}")
    # A NUL or another control character is escaped by JSON, so that a shell can have it
    item = quote(json.dumps(_item(inputs), ensure_ascii=False))
    return f"printf '%s\\n' {item} | bleu --jsonl {' '.join([*words, f'-b -w {_PERCENT_DECIMALS}'])}"


# --- numbers


def _take_apart(inputs: Inputs, stats: "CorpusStats") -> "tuple[list[list[str]], list[dict[str, Any]]]":
    """Return what is told beside the score, as names and values, and the bars of the chart."""
    if inputs.metric == "bleu":
        return _of_bleu(stats)
    if inputs.metric in ("ter", "wer"):
        edits, length, share = *stats.sums, stats.score().score
        words = _tell_average(length, "word")
        which = "Reference length" + ", on average" * (inputs.metric == "ter" and len(inputs.references) > 1)
        facts = [["Edits", str(int(edits))], [which, words], ["Best score", "0"]]
        return facts, [_bar("edits", f"{int(edits)} for {words}", [share], f"{share:.2f}%")]
    metric: Any = stats.metric
    sums = list(map(int, stats.sums))
    orders = [f"{number}-grams" for number in range(1, metric.char_order + 1)]
    orders += [f"word {number}-grams" for number in range(1, metric.word_order + 1)]
    bars = []
    for order, ours, theirs, matches in zip(orders, sums[::3], sums[1::3], sums[2::3], strict=True):
        precision, recall = (100 * matches / total if total else 0.0 for total in (ours, theirs))
        counts = f"{tell_count(matches, 'match', 'matches')}; candidate {ours}, reference {theirs}"
        value = f"precision {precision:.1f}%, recall {recall:.1f}%"
        bars.append(_bar(order, counts, [precision, recall], value))
    facts = [["Candidate characters", str(sums[0])], ["Reference characters", str(sums[1])]]
    return [*facts, ["Weight of recall", f"{metric.beta:g}"]], bars


def _of_bleu(stats: "CorpusStats") -> "tuple[list[list[str]], list[dict[str, Any]]]":
    metric: Any = stats.metric
    ours, theirs, *counts = map(int, stats.sums)
    facts = [
        ["Brevity penalty", f"{brevity_penalty(ours, theirs):.3f}"],
        ["Candidate length", tell_count(ours, "token")],
        ["Effective reference length", tell_count(theirs, "token")],
    ]
    bars = []
    rows = zip(counts, counts[metric.counted_order :], stats.score().precisions, strict=False)
    for order, (matches, total, smoothed) in enumerate(rows, 1):
        precision = 100 * matches / total if total else 0.0
        plain = f"{precision:.2f}%" if total else "none"
        value = f"{plain}, smoothed {smoothed:.2f}%"
        shares = [precision, smoothed]
        if not ours:  # what smoothing makes of nothing would look like a match
            shares, value = [0.0, 0.0], "none"
        bars.append(_bar(f"{order}-grams", f"{matches} of {total}", shares, value))
    return facts, bars


def _tell_average(length: float, noun: str) -> str:
    """Return an average length with its noun.

    >>> _tell_average(12340.0, "word"), _tell_average(7.5, "word"), _tell_average(1.0, "word")
    ('12340 words', '7.5 words', '1 word')
    """
    return f"{length:.1f} {noun}s" if length % 1 else tell_count(int(length), noun)


def _bar(label: str, counts: str, shares: "Sequence[float]", value: str) -> "dict[str, Any]":
    """Return the bars of a row of the chart, one under the other, in percent, and what stands above them."""
    return {"label": label, "counts": counts, "shares": shares, "value": value}


def _give_reasons(inputs: Inputs, stats: "CorpusStats") -> list[str]:
    """Say why a score is at an end of its scale or beyond; nothing if it is not."""
    score = stats.score().score
    if not inputs.candidate.strip():
        return ["Write a candidate."]
    if inputs.metric == "bleu":
        return _give_reasons_of_bleu(inputs, stats, score)
    if inputs.metric in ("ter", "wer"):
        name, edits, length = METRIC_NAMES[inputs.metric], *stats.sums
        if not score:
            return ["No edit is needed: 0 is the best score."]
        if score == 100:
            return ["There are as many edits as words in the reference."]
        if score > 100:
            words = _tell_average(length, "word")
            return [f"{tell_count(int(edits), 'edit')} for a reference of {words}: {name} has no upper end."]
        return []
    if not score:
        return ["The candidate and the reference share no n-gram."]
    return ["The candidate and the reference have the same n-grams: the best score."] if score == 100 else []


def _give_reasons_of_bleu(inputs: Inputs, stats: "CorpusStats", score: float) -> list[str]:
    metric: Any = stats.metric
    counts = list(map(int, stats.sums[2:]))
    rows = list(zip(counts, counts[metric.counted_order :], strict=False))[: inputs.order]
    if score > 100:
        return [f"Smoothing {inputs.smoothing} can make a precision higher than 1, so BLEU exceeds 100."]
    if score == 100 and all(matches == total for matches, total in rows):
        return ["Every n-gram of the candidate matches, and it is not too short: the best score."]
    if score:
        return []
    if not any(matches for matches, _ in rows):
        return ["No word of the candidate is in a reference, so BLEU is 0."]
    order = next((order for order, precision in enumerate(stats.score().precisions, 1) if not precision), 0)
    if not order:
        return ["The brevity penalty is so small that BLEU is 0 among the numbers that computers have."]
    if rows[order - 1][1]:
        return [f"No {order}-gram matches, and one 0 makes BLEU 0. Choose a smoothing."]
    return [
        f"The candidate has fewer than {order} tokens, so it has no {order}-grams. Lower the maximum order, or choose"
        " smoothing add-one."
    ]


def _tell_script(inputs: Inputs, stats: "CorpusStats") -> list[str]:
    """Say that the words of the candidate are not split, which makes every number doubtful; nothing if they are."""
    *_, unspaced, letters = stats.signs or (0, 0)
    if 2 * unspaced <= letters:
        return []
    if inputs.metric == "bleu":
        return [f"The tokenizer {inputs.tokenize} does not split this script into words. Choose zh or char."]
    name = METRIC_NAMES[inputs.metric]
    return [f"{name} counts what is between spaces, and this script has none between words. Choose chrF."]


def _tell_warnings(inputs: Inputs, metric: Metric, stats: "CorpusStats") -> list[str]:
    """Say what else the command would warn of, with the words of the page."""
    found = []
    if inputs.metric == "bleu":
        _, marks, *_ = stats.signs
        if marks:
            found.append("The candidate still has subword marks (@@ or \u2581). Join the subwords first.")
        ours, theirs = map(int, stats.sums[:2])
        if 0 < (penalty := brevity_penalty(ours, theirs)) < _SHORT_PENALTY:
            found.append(
                f"The candidate is much shorter than the reference ({tell_count(ours, 'token')} against {theirs}), so"
                f" the brevity penalty is {penalty:.3f}."
            )
    return [*found, *(f"{told[0].upper()}{told[1:]}." for told in metric.advice)]


def _band_of(score: float) -> int:
    """Return the index of the band that a score is in.

    >>> _band_of(0.0), _band_of(19.99), _band_of(30.0), _band_of(101.0)
    (0, 1, 3, 6)
    """
    return max(index for index, (low, _, _) in enumerate(BANDS) if score >= low)


def tell_range(metric: str, smoothing: str) -> str:
    """Return how the scores of a metric are to be read, in a few sentences.

    >>> tell_range("wer", "exp")[:48]
    'WER is the share of words that must be edited: 0'
    """
    if metric == "bleu":
        beyond = f" Smoothing {smoothing} can exceed that." if smoothing in _BEYOND else ""
        return (
            f"BLEU runs from 0 to 1, or 0 to 100; higher is better.{beyond} The bands below are a rule of thumb for the"
            " BLEU of a whole test set by one system, and the marked one is where your number would be if it were a"
            " test set's. They do not hold for a single sentence, for another tokenizer, case, smoothing or number of"
            " references, or across languages: there, compare systems on the same texts, and read the texts."
        )
    name = METRIC_NAMES[metric]
    if metric in ("ter", "wer"):
        return (
            f"{name} is the share of words that must be edited: 0 is best, 100 means as many edits as the reference has"
            " words, and there is no upper end. No bands of quality are in common use; compare systems on the same"
            " texts, and read the texts."
        )
    return (
        f"{name} runs from 0 to 1, or 0 to 100; higher is better. It is usually higher than BLEU on the same"
        " texts; by how much depends on the script. No bands of quality are in common use; compare"
        " systems on the same texts, and read the texts."
    )


# --- what the numbers come from


def _check_length(inputs: Inputs, metric: Metric, hypotheses: "Segments", references: "Sequence[Segments]") -> None:
    """Refuse texts that would take long to explain, or become a page that nobody reads."""
    size = len(inputs.candidate) + sum(map(len, inputs.references))
    if size > _MOST_CHARACTERS:
        raise BleuError(
            f"The texts have {size} characters, and up to {_MOST_CHARACTERS} are explained here. {_ELSEWHERE}"
        )
    if inputs.metric in _MOST_CELLS:
        words, *others = (len((metric.prepare(texts)[0] or "").split()) for texts in (hypotheses, *references))
        if words * sum(others) > _MOST_CELLS[inputs.metric]:
            raise BleuError(
                f"{METRIC_NAMES[inputs.metric]} is explained word by word, which takes too long here for"
                f" {tell_count(words, 'word')} and {sum(others)} of references. {_ELSEWHERE}"
            )


def _highlight(explanation: Explanation) -> "tuple[list[tuple[str, str]], str, list[list[str]]]":
    """Return each text under its name, as HTML with what matches; what marks mean; by order, the n-grams that match."""
    parts = explanation.parts
    marks, ngrams = "", []
    if isinstance(parts, BLEUParts):
        texts = [_cover_tokens(parts, parts.hypothesis_tokens, ours=True)]
        texts += [_cover_tokens(parts, tokens, ours=False) for tokens in parts.reference_tokens]
        ngrams = [[" ".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in parts.orders]
        if any(piece.note for piece in texts[0]):
            marks = "Dotted: clipped, as no reference has the word so often."
    elif isinstance(parts, CHRFParts):
        texts = [_cover_characters(parts, text) for text in (parts.hypothesis_text, parts.reference_text)]
        characters = (order for order in parts.orders if order.kind == "character")
        ngrams = [["".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in characters]
    else:
        texts, marks = _cover_edits(parts), "Marked: words that are aligned and equal."
    labels = ["Candidate", *(f"Reference {number}" for number in range(1, len(texts)))]
    if isinstance(parts, TERParts) and parts.shifts:
        moved = " and ".join(f"\u201c{' '.join(shift.words)}\u201d" for shift in parts.shifts)
        labels[0] += f", of which {tell_count(len(parts.shifts), 'shift')} moved {moved}"
        marks += " Dashed: moved to another place by a shift, which is one edit."
    if isinstance(parts, CHRFParts | TERParts | ErrorRateParts) and len(explanation.references) > 1:
        labels[1] = f"Reference {parts.reference + 1}, the one that counts"
    elif len(texts) == 2:
        labels[1] = "Reference"
    return list(zip(labels, map(highlight, texts), strict=True)), marks, ngrams


def _cover_tokens(parts: BLEUParts, tokens: "Sequence[str]", ours: bool) -> list[Piece]:
    """Mark what matches in a text: of the candidate as often as it counts, of a reference as often as that has it."""
    matching = {
        order.order: {tuple(gram.ngram): gram.matches if ours else gram.hypothesis for gram in order.ngrams}
        for order in parts.orders
    }
    covered = cover(tokens, matching)
    known = matching[1] if ours else {}
    return [
        Piece(token, sorted(orders), note="" if 1 in orders or not known.get((token,)) else "clipped")
        for token, orders in zip(tokens, covered, strict=True)
    ]


def _cover_characters(parts: CHRFParts, text: str) -> list[Piece]:
    """Mark the characters that are in n-grams which match; white space is not counted."""
    characters: list[list[str]] = []
    for word in text.split():
        characters += [[character, ""] for character in word]
        characters[-1][1] = " "
    matching = {
        order.order: {tuple(gram.ngram): gram.matches for gram in order.ngrams}
        for order in parts.orders
        if order.kind == "character"
    }
    covered = cover([character for character, _ in characters], matching)
    return [Piece(one, sorted(orders), space) for (one, space), orders in zip(characters, covered, strict=True)]


def _cover_edits(parts: TERParts | ErrorRateParts) -> list[list[Piece]]:
    """Mark the words that are aligned and equal, and those that shifts of TER have moved, in the order of the texts."""
    ours = [[1] * (edit.operation == "match") for edit in parts.edits if edit.hypothesis is not None]
    theirs = [Piece(edit.reference, [1] * (edit.operation == "match")) for edit in parts.edits if edit.reference]
    if isinstance(parts, ErrorRateParts):
        return [list(map(Piece, parts.hypothesis_units, ours)), theirs]
    # The words as they are aligned, by their places in the candidate
    places = list(range(len(parts.hypothesis_words)))
    moved: set[int] = set()
    for shift in parts.shifts:
        taken = places[shift.start : shift.start + len(shift.words)]
        del places[shift.start : shift.start + len(shift.words)]
        places[shift.position : shift.position] = taken
        moved.update(taken)
    orders = dict(zip(places, ours, strict=True))
    return [
        [
            Piece(word, orders[place], note="moved" * (place in moved))
            for place, word in enumerate(parts.hypothesis_words)
        ],
        theirs,
    ]
