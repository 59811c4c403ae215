"""What the page shows: first the numbers, then how they are computed.

- `calculate`: the score, its parts, the signature, and the command that gives the same score
- `explain_inputs`: the texts with their matches marked, and the worked explanation
"""

from __future__ import annotations

from bleucli.errors import BleuError
from bleucli.metrics import BLEU, CHRF, Metric
from bleucli.metrics.bleu import brevity_penalty
from bleucli.metrics.explanations import explain_segment
from bleucli.metrics.smoothing import Smoothing
from bleucli.phrases import tell_count
from bleucli.prose import as_html
from bleucli.web.choices import make_metric
from bleucli.web.fields import (
    METRIC_NAMES,
    PERCENT_DECIMALS,
    Inputs,
    item_of,
    metric_options,
    options_of,
    spell_command,
)
from bleucli.web.items import check_effort, count_items, read_texts
from bleucli.web.matches import show_matches
from bleucli.web.remarks import averages_lengths, find_band, list_remarks, tell_average, tell_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.counting import CorpusStats
    from bleucli.text import Segments

    Apart = tuple[list[list[str]], list[dict[str, Any]], str]

# Decimals of scores from 0 to 1
_SHARE_DECIMALS = 4
# Explanations are made in plain Python and can be long. The limits are the characters of all texts and, where edits are
# shown, the words of the candidate times the words of the references
_MOST_CHARACTERS = 5_000
_MOST_CELLS = {"ter": 2_500, "wer": 250_000}
_ELSEWHERE = (
    'For longer texts, run the command under "Reproduce this score" with bleu explain in place of bleu, and without -b.'
)


def calculate(inputs: Inputs) -> dict[str, Any]:
    """Return the numbers for the fields of the page, as the text that the command prints.

    Raises:
        BleuError: the texts cannot be scored.
    """
    metric = _make_metric(inputs)
    blocks = _read_texts(inputs)
    check_effort(metric, blocks)
    stats = count_items(blocks, metric)
    score = stats.score()
    facts, bars, legend = _take_apart(metric, stats, len(inputs.references) > 1)
    return {
        "name": score.name,
        "percent": f"{score.score:.{PERCENT_DECIMALS}f}",
        "share": f"{score.score / 100:.{_SHARE_DECIMALS}f}",
        "best": f"{score.name}: {'higher' if metric.higher_is_better else 'lower'} is better",
        "facts": facts,
        "bars": bars,
        "legend": legend,
        "band": find_band(score.score) if isinstance(metric, BLEU) else None,
        "reading": tell_range(inputs, metric),
        "signature": f"{score.name}|{stats.signature().format()}",
        "command": spell_command(inputs),
        "messages": list_remarks(inputs, metric, stats),
    }


def explain_inputs(inputs: Inputs) -> dict[str, Any]:
    """Return the texts with their matches marked, and the worked explanation, as HTML.

    Raises:
        BleuError: the texts cannot be scored, or are too long to be explained while the user waits.
    """
    metric = _make_metric(inputs)
    ((hypotheses, *references),) = _read_texts(inputs)
    _check_length(inputs, metric, hypotheses, references)
    explanation = explain_segment(metric, hypotheses, references)
    matches = show_matches(explanation)
    # Without the signature, which the page shows elsewhere
    blocks = explanation.parts.tell(explanation.name, explanation.score, PERCENT_DECIMALS)
    return {
        "texts": [{"label": label, "html": html} for label, html in matches.texts],
        "marks": matches.marks,
        "ngrams": matches.ngrams,
        "explanation": as_html(list(blocks), level=3, themed=True),
    }


def _make_metric(inputs: Inputs) -> Metric:
    is_smoothed = any(option.name == "smooth_method" for option in metric_options(inputs.metric))
    if is_smoothed and inputs.order < (least := Smoothing(inputs.smoothing).least_order):
        raise BleuError(f"Smoothing {inputs.smoothing} needs a maximum order of at least {least}.")
    return make_metric(inputs.metric, options_of(inputs), in_command=True)


def _read_texts(inputs: Inputs) -> list[list[Segments]]:
    return read_texts("the fields", [item_of(inputs)])


def _check_length(inputs: Inputs, metric: Metric, hypotheses: Segments, references: Sequence[Segments]) -> None:
    """Refuse texts that take too long to explain, or whose explanation would be too long to read."""
    size = len(inputs.candidate) + sum(map(len, inputs.references))
    if size > _MOST_CHARACTERS:
        raise BleuError(
            f"The texts have {size} characters; this page explains at most {_MOST_CHARACTERS}. {_ELSEWHERE}"
        )
    if inputs.metric in _MOST_CELLS:
        words, *others = (len((metric.prepare(texts)[0] or "").split()) for texts in (hypotheses, *references))
        if words * sum(others) > _MOST_CELLS[inputs.metric]:
            raise BleuError(
                f"{METRIC_NAMES[inputs.metric]} is explained word by word, which takes too long here for a"
                f" candidate of {tell_count(words, 'word')} and references of {sum(others)}. {_ELSEWHERE}"
            )


def _take_apart(metric: Metric, stats: CorpusStats, several: bool) -> Apart:
    """Return the names and values that are shown next to the score, the bars of the chart, and what they mean.

    several: whether there are several references.
    """
    if isinstance(metric, BLEU):
        return _take_bleu_apart(metric, stats)
    if isinstance(metric, CHRF):
        return _take_chrf_apart(metric, stats)
    return _take_edits_apart(stats, averages_lengths(metric) and several)


def _take_bleu_apart(metric: BLEU, stats: CorpusStats) -> Apart:
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
        if not ours:  # without a candidate, a smoothed value would look like a match
            shares, value = [0.0, 0.0], "none"
        bars.append(_bar(f"{order}-grams", f"{matches} of {total}", shares, value))
    return facts, bars, "Upper bar: matches divided by the candidate's n-grams. Lower bar: the same, smoothed."


def _take_edits_apart(stats: CorpusStats, is_average: bool) -> Apart:
    edits, length = stats.sums
    words, share = tell_average(length, "word"), stats.score().score
    which = "Reference length" + ", on average" * is_average
    facts = [["Edits", str(int(edits))], [which, words], ["Best score", "0"]]
    return facts, [_bar("edits", f"{int(edits)} for {words}", [share], f"{share:.2f}%")], ""


def _take_chrf_apart(metric: CHRF, stats: CorpusStats) -> Apart:
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
    facts.append(["Weight of recall", f"{metric.beta:g}"])
    return facts, bars, "Upper bar: precision. Lower bar: recall."


def _bar(label: str, counts: str, shares: Sequence[float], value: str) -> dict[str, Any]:
    """Return one row of the chart: its bars, one below the other, in percent, and the text above them."""
    return {"label": label, "counts": counts, "shares": shares, "value": value}
