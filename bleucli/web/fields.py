"""The content of the page's fields, and the command that gives the same number.

- `Inputs`, `read_inputs`: the fields as the page sends them
- `METRIC_NAMES`, `ORDERS`, `EXAMPLES`: the choices, and inputs to start with
- `metric_options`: the options of a metric
- `options_of`, `item_of`: the fields as options of a metric, and as an item of the command's JSON Lines
- `spell_command`: a line for a shell
"""

from __future__ import annotations

import json
from shlex import quote

from bleucli import tokenizers
from bleucli.errors import BleuError
from bleucli.metrics import METRICS, VARIANTS
from bleucli.metrics.smoothing import METHODS
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.metrics.options import Option

# The metrics of the page in its order, each with its name there
METRIC_NAMES = {"bleu": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER", "wer": "WER"}
ORDERS = (1, 2, 3, 4)
# Decimals of scores from 0 to 100
PERCENT_DECIMALS = 2


class Inputs(NamedTuple):
    """The content of the page's fields; `references` has at least one, and none is blank."""

    candidate: str
    references: Sequence[str]
    metric: str
    order: int
    tokenize: str
    lowercase: bool
    smoothing: str


# The type of each field that the page sends
_KINDS = {
    **dict.fromkeys(("candidate", "references", "metric", "tokenize", "smoothing"), str),
    "order": int,
    "lowercase": bool,
}


def _example(title: str, candidate: str, references: str, **others: Any) -> dict[str, Any]:
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
    """Read what the page sends: a JSON object with a value for each field, and one reference per line.

    Raises:
        BleuError: a field is missing or has a wrong value, or there is no reference.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise BleuError("the fields are not valid JSON; reload the page") from None
    # The exact types, because isinstance would accept true as a number
    if not isinstance(given, dict) or {name: type(value) for name, value in given.items()} != _KINDS:
        raise BleuError(f"expected an object with {', '.join(_KINDS)}; reload the page")
    if given["metric"] not in METRIC_NAMES or given["smoothing"] not in METHODS or given["order"] not in ORDERS:
        raise BleuError("there is no such metric, smoothing or order here; reload the page")
    references = [line for line in given["references"].split("\n") if line.strip()]
    if not references:
        raise BleuError("Write at least one reference, one per line.")
    return Inputs(**{**given, "references": references})


def options_of(inputs: Inputs) -> dict[str, Any]:
    """Return the options of the metric that the fields ask for, where they differ from its defaults."""
    values = {
        "tokenize": inputs.tokenize,
        "lowercase": inputs.lowercase,
        "case_sensitive": not inputs.lowercase,
        "smooth_method": inputs.smoothing,
        "max_ngram_order": inputs.order,
    }
    usual = {option.name: option.default for option in metric_options(inputs.metric)}
    return {name: value for name, value in values.items() if name in usual and value != usual[name]}


def metric_options(name: str) -> Sequence[Option]:
    """Return the options that a metric or a variant has."""
    base, _ = VARIANTS.get(name, (name, {}))
    return METRICS[base].options


def item_of(inputs: Inputs) -> dict[str, Any]:
    """Return the texts as an object of JSON Lines."""
    return {"hypothesis": inputs.candidate, "references": list(inputs.references)}


def spell_command(inputs: Inputs) -> str:
    r"""Return a line for a POSIX shell that prints the same number.

    >>> print(spell_command(Inputs("a", ["b"], "ter", 4, "13a", False, "exp")))
    printf '%s\n' '{"hypothesis": "a", "references": ["b"]}' | bleu --jsonl -m ter --ter-case-sensitive -b -w 2
    """
    flags = {option.name: option.flags[-1] for option in metric_options(inputs.metric) if option.flags}
    words = [f"-m {inputs.metric}"] if inputs.metric != "bleu" else []
    for option, value in options_of(inputs).items():
        words.append(flags[option] if value is True else f"{flags[option]} {value}")
    # JSON escapes NUL and other control characters, so that they can be part of a shell's line
    item = quote(json.dumps(item_of(inputs), ensure_ascii=False))
    return f"printf '%s\\n' {item} | bleu --jsonl {' '.join([*words, f'-b -w {PERCENT_DECIMALS}'])}"
