"""What the page says about a score in words.

- `list_remarks`: why the score is what it is, and what to check
- `tell_range`, `BANDS`, `find_band`: how to read it
- `averages_lengths`, `tell_average`: whether a length is an average; an average length, with its noun
"""

from __future__ import annotations

from bleucli.metrics.bleu import BLEU, SHORT_PENALTY, brevity_penalty
from bleucli.metrics.edits import PERFECT
from bleucli.metrics.explain_bleu import show_penalty
from bleucli.phrases import tell_count
from bleucli.web.fields import METRIC_NAMES, Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
    from bleucli.metrics import Metric

# Smoothing that can make a precision higher than 1
_BEYOND = ("chen-cherry-5", "chen-cherry-6", "chen-cherry-7")
# The bounds, and in other words the judgements, of "Interpretation" in
# https://cloud.google.com/translate/automl/docs/evaluate, for the BLEU of a test set
BANDS = (
    (0, 10, "of hardly any use"),
    (10, 20, "the topic can be guessed, seldom more"),
    (20, 30, "the message comes across, with many mistakes in the language"),
    (30, 40, "from readable to good"),
    (40, 50, "good"),
    (50, 60, "very good: complete, and pleasant to read"),
    (60, 100, "as good as what people write, or better"),
)


def list_remarks(inputs: Inputs, metric: Metric, stats: CorpusStats) -> list[str]:
    """Return what the page says about a score, the most serious remark first."""
    return [
        *_tell_script(inputs, metric, stats),
        *_give_reasons(inputs, metric, stats),
        *_tell_warnings(inputs, metric, stats),
    ]


def _give_reasons(inputs: Inputs, metric: Metric, stats: CorpusStats) -> list[str]:
    """Say why a score is at an end of its scale, or beyond it; nothing if it is not."""
    score, several = stats.score().score, len(inputs.references) > 1
    if not inputs.candidate.strip():
        return ["Write a candidate."]
    if isinstance(metric, BLEU):
        return _give_reasons_of_bleu(inputs, metric, stats, score)
    if not metric.higher_is_better:
        name, edits, length = METRIC_NAMES[inputs.metric], *stats.sums
        if not score:
            return [PERFECT]
        # WER counts the reference with the fewest edits; TER averages the lengths of all references
        average = " on average" if averages_lengths(metric) and several else ""
        if score == 100:
            return [f"There are as many edits as words in the reference{f's{average}' if average else ''}."]
        if score > 100:
            words = f"a reference of {tell_average(length, 'word')}"
            words = f"references of {tell_average(length, 'word')}{average}" if average else words
            return [f"{tell_count(int(edits), 'edit')} for {words}: {name} has no upper limit."]
        return []
    if not score:
        return [f"The candidate and the reference{'s' if several else ''} share no n-gram."]
    which = "a" if several else "the"
    return [f"The candidate and {which} reference have the same n-grams: the best score."] if score == 100 else []


def _give_reasons_of_bleu(inputs: Inputs, metric: BLEU, stats: CorpusStats, score: float) -> list[str]:
    counts = list(map(int, stats.sums[2:]))
    rows = list(zip(counts, counts[metric.counted_order :], strict=False))[: inputs.order]
    if score > 100:
        return [f"Smoothing {inputs.smoothing} can make a precision higher than 1, so BLEU exceeds 100."]
    if score == 100 and all(matches == total for matches, total in rows):
        best = "" if inputs.smoothing in _BEYOND else ": the best score"
        return [f"Every n-gram of the candidate matches, and the candidate is not too short{best}."]
    if score:
        return []
    if not any(matches for matches, _ in rows):
        return ["No word of the candidate is in a reference, so BLEU is 0."]
    # Only sacreBLEU's smoothing methods leave a precision of 0 in the product; the others skip it
    precisions = [] if metric.smoothing.gives_all else stats.score().precisions
    order = next((order for order, precision in enumerate(precisions, 1) if not precision), 0)
    if not order:
        return ["The brevity penalty is so small that a computer rounds BLEU to 0."]
    if rows[order - 1][1]:
        return [f"No {order}-gram matches, and a single precision of 0 makes BLEU 0. Choose a smoothing."]
    return [
        f"The candidate has fewer than {order} tokens, so it has no {order}-grams. Lower the maximum order, or choose"
        " smoothing add-one."
    ]


def _tell_script(inputs: Inputs, metric: Metric, stats: CorpusStats) -> list[str]:
    """Warn if the candidate is not split into words, which makes every number doubtful."""
    *_, unspaced, letters = stats.signs or (0, 0)
    if 2 * unspaced <= letters:
        return []
    if isinstance(metric, BLEU):
        return [f"The tokenizer {inputs.tokenize} does not split this script into words. Choose zh or char."]
    name = METRIC_NAMES[inputs.metric]
    return [f"{name} counts words between spaces, but this script has no spaces between words. Choose chrF."]


def _tell_warnings(inputs: Inputs, metric: Metric, stats: CorpusStats) -> list[str]:
    """Give the command's other warnings, in the words of the page."""
    found = []
    if isinstance(metric, BLEU):
        _, marks, *_ = stats.signs
        if marks:
            found.append("The candidate still has subword marks (@@ or \u2581). Join the subwords first.")
        ours, theirs = map(int, stats.sums[:2])
        if 0 < (penalty := brevity_penalty(ours, theirs)) < SHORT_PENALTY:
            found.append(
                f"The candidate is much shorter than the {'closest ' if len(inputs.references) > 1 else ''}reference"
                f" ({tell_count(ours, 'token')} against {theirs}), so the brevity penalty is {show_penalty(penalty)}."
            )
    return [*found, *(f"{told[0].upper()}{told[1:]}." for told in metric.advice)]


def find_band(score: float) -> int:
    """Return the index of the band that a score is in.

    >>> find_band(0.0), find_band(19.99), find_band(30.0), find_band(101.0)
    (0, 1, 3, 6)
    """
    return max(index for index, (low, _, _) in enumerate(BANDS) if score >= low)


def averages_lengths(metric: Metric) -> bool:
    """Return whether a metric counts the average length of several references, as TER does."""
    return "ref_len" in metric.fractions


def tell_range(inputs: Inputs, metric: Metric) -> str:
    """Return a few sentences about how to read the scores of a metric.

    >>> from bleucli import WER
    >>> tell_range(Inputs("a", ["b"], "wer", 4, "13a", False, "exp"), WER())[:48]
    'WER is the share of words that must be edited: 0'
    """
    if isinstance(metric, BLEU):
        beyond = f" Smoothing {inputs.smoothing} can raise it above that." if inputs.smoothing in _BEYOND else ""
        return (
            f"BLEU runs from 0 to 1, or 0 to 100; higher is better.{beyond} The bands below are a rule of thumb for one"
            " system's BLEU on a whole test set; the marked band is where your score would be if it came from a test"
            " set. They do not hold for a single sentence, for another tokenizer, case, smoothing or number of"
            " references, or across languages. In these cases, compare systems on the same texts, and read the texts."
        )
    name = METRIC_NAMES[inputs.metric]
    if not metric.higher_is_better:
        return (
            f"{name} is the share of words that must be edited: 0 is best, 100 means as many edits as the reference has"
            " words, and there is no upper limit. No bands of quality are in common use; compare systems on the same"
            " texts, and read the texts."
        )
    return (
        f"{name} runs from 0 to 1, or 0 to 100; higher is better. It is usually higher than BLEU on the same"
        " texts; how much higher depends on the script. No bands of quality are in common use; compare"
        " systems on the same texts, and read the texts."
    )


def tell_average(length: float, noun: str) -> str:
    """Return an average length with its noun.

    >>> tell_average(12340.0, "word"), tell_average(7.5, "word"), tell_average(1.0, "word")
    ('12340 words', '7.5 words', '1 word')
    """
    return f"{length:.1f} {noun}s" if length % 1 else tell_count(int(length), noun)
