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
from bleucli.metrics.smoothing import METHODS
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
# 0-100 and 0-1
_PERCENT_DECIMALS, _SHARE_DECIMALS = 2, 4
# Explanations are made in plain Python and become long: characters in all, and words times words for edits
_MOST_CHARACTERS = 5_000
_MOST_CELLS = {"ter": 2_500, "wer": 250_000}
_LEGENDS = {
    "bleu": "Upper bar: matches / n-grams of the candidate. Lower bar: after smoothing.",
    **dict.fromkeys(("chrf", "chrf++"), "Matches of the n-grams of both. Upper bar: precision. Lower bar: recall."),
}
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
        raise BleuError("there is no reference yet; write at least one, each on a line of its own")
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
    facts, bars = _take_apart(inputs.metric, stats)
    return {
        "name": score.name,
        "percent": f"{score.score:.{_PERCENT_DECIMALS}f}",
        "share": f"{score.score / 100:.{_SHARE_DECIMALS}f}",
        "best": f"{score.name}: {'higher' if metric.higher_is_better else 'lower'} is better",
        "facts": facts,
        "bars": bars,
        "legend": _LEGENDS.get(inputs.metric, ""),
        "band": _band_of(score.score) if inputs.metric == "bleu" else None,
        "reading": tell_range(inputs.metric),
        "signature": f"{score.name}|{stats.signature().format()}",
        "command": spell_command(inputs),
        "warnings": [*stats.hints(), *metric.advice],
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
    texts, orders = _highlight(explanation)
    return {
        "texts": [{"label": label, "html": html} for label, html in texts],
        "orders": orders,
        "explanation": as_html(explanation.tell(_PERCENT_DECIMALS), level=3, themed=True),
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


def _take_apart(name: str, stats: "CorpusStats") -> "tuple[list[list[str]], list[dict[str, Any]]]":
    """Return what is told beside the score, as names and values, and the bars of the chart."""
    if name == "bleu":
        return _of_bleu(stats)
    if name in ("ter", "wer"):
        edits, length, share = *stats.sums, stats.score().score
        facts = [["Edits", f"{edits:g}"], ["Reference length", f"{length:.4g} words"], ["Best score", "0"]]
        return facts, [_bar("edits", f"{edits:g} for {length:.4g} words", [share], f"{share:.2f} %")]
    metric: Any = stats.metric
    sums = list(map(int, stats.sums))
    orders = [f"{number}-gram" for number in range(1, metric.char_order + 1)]
    orders += [f"word {number}" for number in range(1, metric.word_order + 1)]
    bars = []
    for order, ours, theirs, matches in zip(orders, sums[::3], sums[1::3], sums[2::3], strict=True):
        precision, recall = (100 * matches / total if total else 0.0 for total in (ours, theirs))
        counts, value = f"{matches} of {ours} and {theirs}", f"{precision:.1f} %, {recall:.1f} %"
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
        plain = f"{precision:.2f} %" if total else "none"
        value = f"{plain}, smoothed {smoothed:.2f} %"
        bars.append(_bar(f"{order}-grams", f"{matches} of {total}", [precision, smoothed], value))
    return facts, bars


def _bar(label: str, counts: str, shares: "Sequence[float]", value: str) -> "dict[str, Any]":
    """Return the bars of a row of the chart, one under the other, in percent, and what stands above them."""
    return {"label": label, "counts": counts, "shares": shares, "value": value}


def _band_of(score: float) -> int:
    """Return the index of the band that a score is in.

    >>> _band_of(0.0), _band_of(19.99), _band_of(30.0), _band_of(101.0)
    (0, 1, 3, 6)
    """
    return max(index for index, (low, _, _) in enumerate(BANDS) if score >= low)


def tell_range(metric: str) -> str:
    """Return how the scores of a metric are to be read, in a few sentences.

    >>> tell_range("wer")[:48]
    'WER is the share of words that must be edited: 0'
    """
    if metric == "bleu":
        return (
            "BLEU runs from 0 to 1, or 0 to 100; higher is better. The bands below are a rule of thumb for the BLEU of"
            " a whole test set by one system. They do not hold for a single sentence, for another tokenizer, case,"
            " smoothing or number of references, or across languages: there, compare systems on the same texts, and"
            " read the texts."
        )
    name = METRIC_NAMES[metric]
    if metric in ("ter", "wer"):
        return (
            f"{name} is the share of words that must be edited: 0 is best, 100 means as many edits as the reference has"
            " words, and there is no upper end. No bands of quality are in common use; compare systems on the same"
            " texts, and read the texts."
        )
    return (
        f"{name} runs from 0 to 1, or 0 to 100; higher is better. It is mostly higher than BLEU on the same texts, and"
        " scripts differ in how high. No bands of quality are in common use; compare systems on the same texts, and"
        " read the texts."
    )


# --- what the numbers come from


def _check_length(inputs: Inputs, metric: Metric, hypotheses: "Segments", references: "Sequence[Segments]") -> None:
    """Refuse texts that would take long to explain, or become a page that nobody reads."""
    size = len(inputs.candidate) + sum(map(len, inputs.references))
    if size > _MOST_CHARACTERS:
        raise BleuError(
            f"the texts have {size} characters; up to {_MOST_CHARACTERS} are explained here, longer ones by bleu"
            " --explain"
        )
    if inputs.metric in _MOST_CELLS:
        words, *others = (len((metric.prepare(texts)[0] or "").split()) for texts in (hypotheses, *references))
        if words * sum(others) > _MOST_CELLS[inputs.metric]:
            raise BleuError(
                f"{METRIC_NAMES[inputs.metric]} is explained word by word, which takes too long here for {words} words"
                f" and {sum(others)} of references; bleu --explain takes any length"
            )


def _highlight(explanation: Explanation) -> "tuple[list[tuple[str, str]], int]":
    """Return each text under its name, as HTML with what matches, and the longest n-gram that may be marked."""
    parts = explanation.parts
    if isinstance(parts, BLEUParts):
        texts = [_cover_tokens(parts, parts.hypothesis_tokens, ours=True)]
        texts += [_cover_tokens(parts, tokens, ours=False) for tokens in parts.reference_tokens]
        longest = len(parts.orders)
    elif isinstance(parts, CHRFParts):
        texts = [_cover_characters(parts, text) for text in (parts.hypothesis_text, parts.reference_text)]
        longest = sum(order.kind == "character" for order in parts.orders)
    else:
        texts, longest = _cover_edits(parts), 1
    labels = ["Candidate", *(f"Reference {number}" for number in range(1, len(texts)))]
    if isinstance(parts, CHRFParts | TERParts | ErrorRateParts) and len(explanation.references) > 1:
        labels[1] = f"Reference {parts.reference + 1}, the one that counts"
    elif len(texts) == 2:
        labels[1] = "Reference"
    return list(zip(labels, map(highlight, texts), strict=True)), longest


def _cover_tokens(parts: BLEUParts, tokens: "Sequence[str]", ours: bool) -> list[Piece]:
    """Mark what matches in a text: of the candidate as often as it counts, of a reference as often as that has it."""
    matching = {
        order.order: {tuple(gram.ngram): gram.matches if ours else gram.hypothesis for gram in order.ngrams}
        for order in parts.orders
    }
    return [Piece(*both) for both in zip(tokens, map(sorted, cover(tokens, matching)), strict=True)]


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
    """Mark the words that are under one another and equal; of TER, after its shifts."""
    marked = [(edit.hypothesis, edit.reference, [1] * (edit.operation == "match")) for edit in parts.edits]
    ours = [Piece(word, orders) for word, _, orders in marked if word is not None]
    return [ours, [Piece(word, orders) for _, word, orders in marked if word is not None]]
