"""The page of the calculator, and what it shows: first the numbers, then how they are computed.

- `make_page`: the page, built once: a frame, choices from the metrics' tables, and examples
- `package_file`, `swagger_file`: the files that it needs
- `calculate`: the score, its parts, the signature, and the command that gives the same score
- `explain_inputs`: the texts with their matches marked, and the worked explanation
- `spell_command`: that command
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from shlex import quote
from string import Template

from bleucli import tokenizers
from bleucli.errors import BleuError
from bleucli.metrics import Metric
from bleucli.metrics.bleu import BANDS
from bleucli.metrics.explain_bleu import BLEUParts
from bleucli.metrics.explain_chrf import CHRFParts
from bleucli.metrics.explain_ter import TERParts
from bleucli.metrics.explain_wer import ErrorRateParts
from bleucli.metrics.explanations import Explanation, explain_segment
from bleucli.metrics.smoothing import METHODS
from bleucli.phrases import join_words, tell_count
from bleucli.prose.blocks import as_html
from bleucli.prose.markup import escape_html
from bleucli.prose.ngrams import SHADES, Piece, cover, highlight
from bleucli.web.guard import MOST_BYTES
from bleucli.web.items import check_effort, count_items, read_texts
from bleucli.web.models import DEFAULT, METRIC_NAMES, ORDERS, Inputs, fields_of, kind_of, ready_tokenizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from bleucli.text import Segments

# What messages call the fields that some metrics do not have
_FIELD_NAMES = {"order": "order", "tokenize": "tokenizer", "smoothing": "smoothing", "lowercase": "lower case"}
_FIRST_TOKENIZERS = {"13a": "13a: punctuation-aware", "none": "none: only white space"}
_FIRST_SMOOTHING = {"add-one": "add-one, on every order", "exp": "exp, the command's default", "none": "none"}
# The package whose files include Swagger UI
_SWAGGER = "fastapi_offline"
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


def _example(title: str, candidate: str, references: str, **fields: Any) -> dict[str, Any]:
    usual = {"metric": DEFAULT, "order": 4, "tokenize": tokenizers.DEFAULT, "lowercase": True, "smoothing": "add-one"}
    return {"title": title, "candidate": candidate, "references": references, **usual, **fields}


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


def make_page() -> bytes:
    """Return the page as HTML."""
    about = {name: purpose for name, purpose, _ in tokenizers.listing()}
    ready = [name for name in ready_tokenizers() if name not in _FIRST_TOKENIZERS]
    first = EXAMPLES[0]
    page = Template(package_file("calculator.html").decode()).substitute(
        metrics="".join(_metric_option(name) for name in METRIC_NAMES),
        orders=_options(((str(order), str(order)) for order in ORDERS), str(first["order"])),
        tokenizers=_options([*_FIRST_TOKENIZERS.items(), *((name, f"{name}: {about[name]}") for name in ready)]),
        smoothing=_options(
            [*_FIRST_SMOOTHING.items(), *((name, name) for name in METHODS if name not in _FIRST_SMOOTHING)]
        ),
        candidate=escape_html(first["candidate"]),
        references=escape_html(first["references"]),
        examples="".join(
            f'<button type="button" data-example="{number}">{escape_html(example["title"])}</button>'
            for number, example in enumerate(EXAMPLES)
        ),
        bands="".join(
            f"<tr><td>{_range(low, high)}</td><td>{escape_html(meaning)}</td></tr>" for low, high, meaning in BANDS
        ),
        shades="".join(f'<mark class="l{order}">{order}</mark> ' for order in range(1, SHADES + 1)),
        data=escape_html(json.dumps(EXAMPLES)),
        most=MOST_BYTES,
    )
    return page.encode()


def _metric_option(name: str) -> str:
    """Return the choice of a metric, with the fields that do not apply to it, and a sentence that says so."""
    lacking = [field for field in _FIELD_NAMES if field not in fields_of(name)]
    only = ""
    if lacking:
        takers = [METRIC_NAMES[metric] for metric in METRIC_NAMES if fields_of(metric).issuperset(lacking)]
        fields = join_words([_FIELD_NAMES[field] for field in lacking])
        apply = "apply" if len(lacking) > 1 else "applies"
        only = f"{fields.capitalize()} {apply} to {join_words(takers)} only."
    return (
        f'<option value="{escape_html(name)}" data-lacks="{" ".join(lacking)}" data-only="{escape_html(only)}">'
        f"{escape_html(METRIC_NAMES[name])}</option>"
    )


def _options(choices: Iterable[tuple[str, str]], default: str = "") -> str:
    return "".join(
        f'<option value="{escape_html(value)}"{" selected" * (value == default)}>{escape_html(label)}</option>'
        for value, label in choices
    )


def _range(low: int, high: int) -> str:
    return f"below {high}" if not low else f"{low} or more" if high == 100 else f"{low} to {high}"


def package_file(name: str) -> bytes:
    """Return a file of the folder `static`."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "static", name), "rb") as file:
        return file.read()


def swagger_file(name: str) -> bytes:
    """Return a file of Swagger UI."""
    spec = find_spec(_SWAGGER)
    try:
        folders = (spec and spec.submodule_search_locations) or [""]
        with open(os.path.join(folders[0], "static", name), "rb") as file:
            return file.read()
    except OSError:
        raise BleuError(f"Swagger UI ({name} of {_SWAGGER}) is missing; type: pip install 'bleucli[web]'") from None


def calculate(inputs: Inputs) -> dict[str, Any]:
    """Return the numbers for the fields of the page, as the text that the command prints."""
    metric = inputs.make_metric()
    blocks = read_texts("the fields", [inputs.item()])
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
    """Return the texts with their matches marked, and the worked explanation, as HTML."""
    metric = inputs.make_metric()
    ((hypotheses, *references),) = read_texts("the fields", [inputs.item()])
    _check_length(inputs, metric, hypotheses, references)
    explanation = explain_segment(metric, hypotheses, references)
    # Without the signature, which the page shows elsewhere
    blocks = explanation.parts.tell(explanation.name, explanation.score, _PERCENT_DECIMALS)
    return {
        **_show_matches(explanation),
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


def _check_length(inputs: Inputs, metric: Metric, hypotheses: Segments, references: Sequence[Segments]) -> None:
    """Refuse texts that take too long to explain, or whose explanation would be too long to read."""
    size = len(inputs.candidate) + sum(map(len, inputs.references))
    if size > _MOST_CHARACTERS:
        raise BleuError(
            f"The texts have {size} characters; this page explains at most {_MOST_CHARACTERS}. {_ELSEWHERE}"
        )
    if unit := metric.aligns:
        texts = (metric.prepare(metric.make_alike(texts))[0] or "" for texts in (hypotheses, *references))
        ours, *theirs = (len(text if unit == "character" else text.split()) for text in texts)
        if ours * sum(theirs) > (_MOST_CELLS_TO_SHIFT if metric.shifts else _MOST_CELLS):
            raise BleuError(
                f"{metric.name} is explained {unit} by {unit}, which takes too long here for a candidate of"
                f" {tell_count(ours, unit)} and references of {sum(theirs)}. {_ELSEWHERE}"
            )


def _show_matches(explanation: Explanation) -> dict[str, Any]:
    """Return the texts of a segment with their matches marked.

    `texts`: the candidate and its references, each with a label and HTML. `marks`: the meaning of marks other than the
    colours of n-grams, or "". `ngrams`: those that match, by order.
    """
    parts = explanation.parts
    marks, ngrams = "", []
    if isinstance(parts, BLEUParts):
        texts = [_cover_tokens(parts, parts.hypothesis_tokens, ours=True)]
        texts += [_cover_tokens(parts, tokens, ours=False) for tokens in parts.reference_tokens]
        ngrams = [[" ".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in parts.orders]
        if any(piece.note for piece in texts[0]):
            marks = "Dotted: clipped, because no reference has the word that often."
    elif isinstance(parts, CHRFParts):
        texts = [_cover_characters(parts, text) for text in (parts.hypothesis_text, parts.reference_text)]
        characters = (order for order in parts.orders if order.kind == "character")
        ngrams = [["".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in characters]
    elif isinstance(parts, TERParts | ErrorRateParts):
        unit = parts.unit if isinstance(parts, ErrorRateParts) else "word"
        texts, marks = _cover_edits(parts), f"Marked: {unit}s that are aligned and equal."
    else:
        texts = [
            [Piece(word, ()) for word in text.split()] for text in (explanation.hypothesis, *explanation.references)
        ]
    labels = ["Candidate", *(f"Reference {number}" for number in range(1, len(texts)))]
    if isinstance(parts, TERParts) and parts.shifts:
        moved = " and ".join(f"\u201c{' '.join(shift.words)}\u201d" for shift in parts.shifts)
        labels[0] += f", of which {tell_count(len(parts.shifts), 'shift')} moved {moved}"
        marks += " Dashed: moved to another place by a shift, which is one edit."
    if isinstance(parts, CHRFParts | TERParts | ErrorRateParts) and len(explanation.references) > 1:
        labels[1] = f"Reference {parts.reference + 1}, the one that counts"
    elif len(texts) == 2:
        labels[1] = "Reference"
    pairs = zip(labels, map(highlight, texts), strict=True)
    return {"texts": [{"label": label, "html": html} for label, html in pairs], "marks": marks, "ngrams": ngrams}


def _cover_tokens(parts: BLEUParts, tokens: Sequence[str], ours: bool) -> list[Piece]:
    """Mark the n-grams that match.

    In the candidate, each is marked as often as it counts; in a reference, at most as often as the candidate has it.
    """
    matching = {
        order.order: {tuple(gram.ngram): gram.matches if ours else gram.hypothesis for gram in order.ngrams}
        for order in parts.orders
    }
    orders_of = cover(tokens, matching)
    matches = matching[1] if ours else {}
    return [
        Piece(token, sorted(orders), note="" if 1 in orders or not matches.get((token,)) else "clipped")
        for token, orders in zip(tokens, orders_of, strict=True)
    ]


def _cover_characters(parts: CHRFParts, text: str) -> list[Piece]:
    """Mark the characters that belong to matching n-grams; white space is ignored."""
    characters: list[list[str]] = []
    for word in text.split():
        characters += [[character, ""] for character in word]
        characters[-1][1] = " "
    matching = {
        order.order: {tuple(gram.ngram): gram.matches for gram in order.ngrams}
        for order in parts.orders
        if order.kind == "character"
    }
    orders_of = cover([character for character, _ in characters], matching)
    return [Piece(one, sorted(orders), space) for (one, space), orders in zip(characters, orders_of, strict=True)]


def _cover_edits(parts: TERParts | ErrorRateParts) -> list[list[Piece]]:
    """Mark the words that are aligned and equal, and those that TER's shifts have moved, in the order of the texts."""
    ours = [[1] * (edit.operation == "match") for edit in parts.edits if edit.hypothesis is not None]
    theirs = [Piece(edit.reference, [1] * (edit.operation == "match")) for edit in parts.edits if edit.reference]
    if isinstance(parts, ErrorRateParts):
        pieces = [list(map(Piece, parts.hypothesis_units, ours)), theirs]
        # Characters follow each other without a space; those between words are characters, too
        return pieces if parts.unit == "word" else [[piece._replace(space="") for piece in text] for text in pieces]
    # Words in the order of the alignment, each with its place in the candidate
    places = list(range(len(parts.hypothesis_words)))
    moved: set[int] = set()
    for shift in parts.shifts:
        block = places[shift.start : shift.start + len(shift.words)]
        del places[shift.start : shift.start + len(shift.words)]
        places[shift.position : shift.position] = block
        moved.update(block)
    orders = dict(zip(places, ours, strict=True))
    return [
        [
            Piece(word, orders[place], note="moved" * (place in moved))
            for place, word in enumerate(parts.hypothesis_words)
        ],
        theirs,
    ]
