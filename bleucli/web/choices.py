"""The options of the endpoint as query parameters: the options of the metrics, by their names in Python.

- `Choices`, `read_choices`: what a query asks for
- `parameters`: their description in OpenAPI
- `ready_tokenizers`: the tokenizers that work without installing or downloading anything
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from bleucli import tokenizers
from bleucli.errors import BleuError, UsageError
from bleucli.limits import read_number, read_whole_number
from bleucli.metrics import METRICS, VARIANTS, Metric, find_metric, find_name
from bleucli.metrics.options import Option
from bleucli.phrases import suggest
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

NAMES = (*METRICS, *VARIANTS)
# The endpoint's own parameters, as JSON Schema
_OWN: dict[str, dict[str, Any]] = {
    "metric": {
        "type": "string",
        "enum": list(NAMES),
        "default": "bleu",
        "description": "the metric; in an address, write + as %2B (default: bleu)",
    },
    "sentence_level": {
        "type": "boolean",
        "default": False,
        "description": (
            "return an array with one score per item, even for a single item, instead of one score for all; BLEU then"
            " uses effective order"
        ),
    },
}
# Options without a parameter: warnings are part of the answer, `sentence_level` implies effective order, and `tokenize`
# names the tokenizer
LEFT_OUT = ("force", "effective_order", "trg_lang", "tokenize_name")
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_READERS: Mapping[type, Callable[[str], Any]] = {
    bool: {"true": True, "false": False}.__getitem__,
    int: read_whole_number,
    float: read_number,
}
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number"}


class Choices(NamedTuple):
    """What a query asks for."""

    metric: Metric
    sentence_level: bool


def read_choices(query: Iterable[tuple[str, str]]) -> Choices:
    """Return what the parameters of a query ask for.

    Raises:
        UsageError: a parameter does not exist, is given twice, or has a wrong value.
        BleuError: a parameter needs something that is not installed.

    >>> choices = read_choices([("metric", "chrf++"), ("beta", "3"), ("sentence_level", "true")])
    >>> choices.metric.beta, choices.sentence_level
    (3.0, True)
    """
    given: dict[str, str] = {}
    for name, text in query:
        if name in given:
            raise UsageError(f"{name!r:.80} was given twice; give it once")
        given[name] = text
    metric = given.pop("metric", "bleu")
    # In an address, + stands for a space
    if " " in metric and metric.replace(" ", "+") in VARIANTS:
        raise UsageError(f"metric {metric!r}; in an address, write + as %2B: metric={metric.replace(' ', '%2B')}")
    metric = find_name(metric) or metric
    sentence_level = _read(bool, "sentence_level", given.pop("sentence_level", "false"))
    kinds = {option.name: option.kind for _, option in _options()}
    for name in given:
        if name not in kinds:
            raise UsageError(f"there is no parameter {name!r:.80}, see /docs{suggest(name, [*_OWN, *kinds])}")
    values = {name: _read(kinds[name], name, text) for name, text in given.items()}
    made = make_metric(metric, values)
    return Choices(made.for_segments() if sentence_level else made, sentence_level)


def make_metric(name: str, values: dict[str, Any], in_command: bool = False) -> Metric:
    """Return a metric; unlike elsewhere, no tokenizer is downloaded or read from a file.

    Args:
        name: the name of a metric or a variant.
        values: its options.
        in_command: whether messages name options as the command does.

    Raises:
        BleuError: there is no such metric or option, or an option has a wrong value.
    """
    tokenizer = values.get("tokenize")
    if tokenizer is not None and tokenizer not in (ready := ready_tokenizers()):
        choose = f"choose one of {', '.join(ready)}"
        if tokenizer not in tokenizers.NAMES:
            raise UsageError(f"tokenize {tokenizer!r:.40}; {choose}{suggest(tokenizer, ready)}")
        raise BleuError(
            f"the tokenizer {tokenizer} is not ready on this machine, and the server does not install, download or open"
            f" anything; {choose}, or see bleu --list-tokenizers"
        )
    return _make_once(name, tuple(sorted(values.items())), in_command)


@lru_cache(maxsize=64)
def _make_once(name: str, values: tuple[tuple[str, Any], ...], in_command: bool) -> Metric:
    """Return a metric that many threads share, since tokenizers with dictionaries take a while to load."""
    if not in_command:
        return find_metric(name, dict(values))
    base, meant = VARIANTS.get(name, (name, {}))
    return METRICS[base].of_command(**meant, **dict(values))


def ready_tokenizers() -> list[str]:
    """Return the names of the tokenizers that work without installing or downloading anything."""
    return [name for name in tokenizers.NAMES if tokenizers.is_ready(name)]


def parameters() -> list[dict[str, Any]]:
    """Return the parameters of the query as OpenAPI describes them."""
    described = dict(_OWN)
    takers: dict[str, list[str]] = {}
    for metric, option in _options():
        takers.setdefault(option.name, []).append(METRICS[metric].name)
        described.setdefault(option.name, _schema(option))
    found = []
    for name, schema in described.items():
        whose = f"{', '.join(takers[name])}: " if name in takers else ""
        about = whose + schema["description"]
        found.append({"name": name, "in": "query", "required": False, "schema": schema, "description": about})
    return found


def _options() -> Iterable[tuple[str, Option]]:
    for name in METRICS:
        for option in METRICS[name].options:
            if option.name not in LEFT_OUT:
                yield name, option


def _schema(option: Option) -> dict[str, Any]:
    # No defaults, since Swagger UI would send those of every metric, whichever is chosen; descriptions name them
    schema: dict[str, Any] = {"type": _TYPES[option.kind], "description": option.help}
    if option.name == "tokenize":
        schema |= {"enum": ready_tokenizers(), "description": f"what separates tokens (default: {tokenizers.DEFAULT})"}
    elif option.choices:
        schema["enum"] = list(option.choices)
    elif option.kind in (int, float):
        schema |= {"minimum": option.least, "maximum": option.most}
    return schema


def _read(kind: type, name: str, text: str) -> Any:
    """Return the value of a parameter in a query."""
    if kind is str:
        return text
    try:
        return _READERS[kind](text)
    except (KeyError, ValueError):
        raise UsageError(f"{name} {text!r:.40}; expected {_EXPECTED[kind]}") from None
