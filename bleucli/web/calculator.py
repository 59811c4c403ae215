"""What the page shows: first the numbers, then how they are computed.

- `calculate`: the score, its parts, the signature, and the command that gives the same score
- `explain_inputs`: the texts with their matches marked, and the worked explanation
- `spell_command`: that command
"""

from __future__ import annotations

import json
from shlex import quote

from bleucli.errors import BleuError
from bleucli.metrics import Metric
from bleucli.metrics.explanations import explain_segment
from bleucli.phrases import tell_count
from bleucli.prose.blocks import as_html
from bleucli.web.items import check_effort, count_items, read_texts
from bleucli.web.matches import show_matches
from bleucli.web.models import DEFAULT, Inputs, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.text import Segments

# Decimals of scores from 0 to 100
_PERCENT_DECIMALS = 2
# Decimals of scores from 0 to 1
_SHARE_DECIMALS = 4
# Explanations are made in plain Python and can be long. The limits are the characters of all texts and, where edits are
# shown, the words or characters of the candidate times those of the references, fewer if shifts are searched for
_MOST_CHARACTERS = 5_000
_MOST_CELLS = 250_000
_MOST_CELLS_TO_SHIFT = 2_500
_ELSEWHERE = (
    'For longer texts, run the command under "Reproduce this score" with bleu explain in place of bleu, and without -b.'
)


def calculate(inputs: Inputs) -> dict[str, Any]:
    """Return the numbers for the fields of the page, as the text that the command prints.

    Raises:
        BleuError: the texts cannot be scored.
    """
    metric = inputs.make_metric()
    blocks = _read_texts(inputs)
    check_effort(metric, blocks)
    stats = count_items(blocks, metric)
    score, remarks = stats.score(), metric.remarks(stats)
    messages = list(remarks.messages) if inputs.candidate.strip() else ["Write a candidate."]
    messages += [f"{advice[0].upper()}{advice[1:]}." for advice in metric.advice]
    return {
        "name": score.name,
        "percent": f"{score.score:.{_PERCENT_DECIMALS}f}",
        "share": f"{score.score / 100:.{_SHARE_DECIMALS}f}",
        "best": f"{score.name}: {'higher' if metric.higher_is_better else 'lower'} is better",
        "facts": remarks.facts,
        "bars": [bar._asdict() for bar in remarks.bars],
        "legend": remarks.legend,
        "band": remarks.band,
        "reading": remarks.reading,
        "signature": f"{score.name}|{stats.signature().format()}",
        "command": spell_command(inputs),
        "messages": messages,
    }


def explain_inputs(inputs: Inputs) -> dict[str, Any]:
    """Return the texts with their matches marked, and the worked explanation, as HTML.

    Raises:
        BleuError: the texts cannot be scored, or are too long to be explained while the user waits.
    """
    metric = inputs.make_metric()
    ((hypotheses, *references),) = _read_texts(inputs)
    _check_length(inputs, metric, hypotheses, references)
    explanation = explain_segment(metric, hypotheses, references)
    matches = show_matches(explanation)
    # Without the signature, which the page shows elsewhere
    blocks = explanation.parts.tell(explanation.name, explanation.score, _PERCENT_DECIMALS)
    return {
        "texts": [{"label": label, "html": html} for label, html in matches.texts],
        "marks": matches.marks,
        "ngrams": matches.ngrams,
        "explanation": as_html(list(blocks), level=3, themed=True),
    }


def spell_command(inputs: Inputs) -> str:
    r"""Return a line for a POSIX shell that prints the same number.

    >>> texts = {"candidate": "a", "references": "b"}
    >>> print(spell_command(Inputs(**texts, metric="ter", order=4, tokenize="13a", lowercase=False, smoothing="exp")))
    printf '%s\n' '{"hypothesis": "a", "references": ["b"]}' | bleu --jsonl -m ter --ter-case-sensitive -b -w 2
    """
    flags = {option.name: option.flags[-1] for option in kind_of(inputs.metric).options if option.flags}
    words = [f"-m {inputs.metric}"] if inputs.metric != DEFAULT else []
    for option, value in inputs.options().items():
        words.append(flags[option] if value is True else f"{flags[option]} {value}")
    # JSON escapes NUL and other control characters, so that they can be part of a shell's line
    item = quote(json.dumps(inputs.item(), ensure_ascii=False))
    return f"printf '%s\\n' {item} | bleu --jsonl {' '.join([*words, f'-b -w {_PERCENT_DECIMALS}'])}"


def _read_texts(inputs: Inputs) -> list[list[Segments]]:
    return read_texts("the fields", [inputs.item()])


def _check_length(inputs: Inputs, metric: Metric, hypotheses: Segments, references: Sequence[Segments]) -> None:
    """Refuse texts that take too long to explain, or whose explanation would be too long to read."""
    size = len(inputs.candidate) + sum(map(len, inputs.references))
    if size > _MOST_CHARACTERS:
        raise BleuError(
            f"The texts have {size} characters; this page explains at most {_MOST_CHARACTERS}. {_ELSEWHERE}"
        )
    if unit := metric.aligns:
        texts = (metric.prepare(texts)[0] or "" for texts in (hypotheses, *references))
        ours, *theirs = (len(text if unit == "character" else text.split()) for text in texts)
        if ours * sum(theirs) > (_MOST_CELLS_TO_SHIFT if metric.shifts else _MOST_CELLS):
            raise BleuError(
                f"{metric.name} is explained {unit} by {unit}, which takes too long here for a candidate of"
                f" {tell_count(ours, unit)} and references of {sum(theirs)}. {_ELSEWHERE}"
            )
