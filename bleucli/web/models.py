"""The models of requests and answers: they check what arrives, and describe the endpoint in OpenAPI.

A metric's options are fields of its model, made from its table; their values are checked as everywhere else.

- `Query`, `read_query`: the parameters of the endpoint; `parameters`: their description
- `Inputs`, `read_inputs`: the fields of the page; `METRIC_NAMES`, `ORDERS`: choices; `fields_of`: those of a metric
- `ITEM`, `Score`, `Failure`: an item as it is sent, and the answers
- `kind_of`, `make_metric`: the metric that is asked for; `ready_tokenizers`: the tokenizers that it may have
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)

from bleucli import tokenizers
from bleucli.errors import BleuError, UsageError
from bleucli.limits import read_number, read_whole_number
from bleucli.metrics import METRICS, VARIANTS, Metric, find_metric, find_name, tell_unknown
from bleucli.metrics.options import Option
from bleucli.metrics.smoothing import METHODS, Smoothing
from bleucli.phrases import suggest
from bleucli.reading.jsonfields import GUESSED_HYPOTHESES, GUESSED_REFERENCES, HYPOTHESES, LISTED, REFERENCES

# The metric of the command, unless -m names another
DEFAULT = "bleu"
# Each metric and variant, by its name in the command, with its name on the page
METRIC_NAMES = {
    word: f"{METRICS[name].name}{word.removeprefix(name)}"
    for name in METRICS
    for word in (name, *(variant for variant, (base, _) in VARIANTS.items() if base == name))
}
# The orders of n-grams on the page
ORDERS = (1, 2, 3, 4)
# Options without a parameter: warnings are part of the answer, `sentence_level` implies effective order, and `tokenize`
# names the tokenizer
LEFT_OUT = ("force", "effective_order", "trg_lang", "tokenize_name")
# The options that the page has fields for, by field
_FIELDS = {
    "tokenize": ("tokenize",),
    "lowercase": ("lowercase", "case_sensitive"),
    "smoothing": ("smooth_method",),
    "order": ("max_ngram_order",),
}
# How texts in a query are read, and what errors say that they should be
_READERS: Mapping[type, tuple[Callable[[str], Any], str]] = {
    bool: ({"true": True, "false": False}.__getitem__, "true or false"),
    int: (read_whole_number, "a whole number"),
    float: (read_number, "a number"),
    str: (str, "a word"),
}


# --- metrics


def ready_tokenizers() -> list[str]:
    """Return the names of the tokenizers that work without installing or downloading anything."""
    return [name for name in tokenizers.NAMES if tokenizers.is_ready(name)]


def kind_of(name: str) -> type[Metric]:
    """Return the class of a metric or a variant."""
    base, _ = VARIANTS.get(name, (name, {}))
    return METRICS[base]


def make_metric(name: str, values: dict[str, Any]) -> Metric:
    """Return a metric or a variant; unlike elsewhere, no tokenizer is downloaded or read from a file."""
    tokenizer = values.get("tokenize")
    if tokenizer is not None and tokenizer not in (ready := ready_tokenizers()):
        choose = f"choose one of {', '.join(ready)}"
        if tokenizer not in tokenizers.NAMES:
            raise UsageError(f"tokenize {tokenizer!r:.40}; {choose}{suggest(tokenizer, ready)}")
        raise BleuError(
            f"the tokenizer {tokenizer} is not ready on this machine, and the server does not install, download or open"
            f" anything; {choose}, or see bleu --list-tokenizers"
        )
    return _make_once(name, tuple(sorted(values.items())))


@lru_cache(maxsize=64)
def _make_once(name: str, values: tuple[tuple[str, Any], ...]) -> Metric:
    """Return a metric that many threads share, since tokenizers with dictionaries take a while to load."""
    return find_metric(name, dict(values))


# --- the parameters of the endpoint


def _read(name: str, kind: type, text: str) -> Any:
    reader, expected = _READERS[kind]
    try:
        return reader(text)
    except (KeyError, ValueError):
        raise UsageError(f"{name} {text!r:.40}; expected {expected}") from None


def _read_option(option: Option, text: str) -> Any:
    return option.check(_read(option.name, option.kind, text), option.name)


def _read_metric(word: str) -> str:
    """Return the name of a metric or a variant; in an address, + stands for a space."""
    if " " in word and word.replace(" ", "+") in VARIANTS:
        raise UsageError(f"metric {word!r}; in an address, write + as %2B: metric={word.replace(' ', '%2B')}")
    if name := find_name(word):
        return name
    raise UsageError(f"metric {word!r:.40}; ", tell_unknown(word))


class Query(BaseModel):
    """The parameters that do not depend on the metric; `model_of` adds those that do."""

    model_config = ConfigDict(extra="forbid")

    metric: Annotated[str, BeforeValidator(_read_metric)] = Field(
        DEFAULT,
        description=f"the metric; in an address, write + as %2B (default: {DEFAULT})",
        json_schema_extra={"enum": [*METRICS, *VARIANTS]},
    )
    sentence_level: Annotated[bool, BeforeValidator(partial(_read, "sentence_level", bool))] = Field(
        False,
        description="return an array with one score per item, even for a single item, instead of one score for all;"
        " BLEU then uses effective order",
    )

    def make_metric(self) -> Metric:
        """Return the metric with its options."""
        metric = make_metric(self.metric, self.model_dump(exclude=set(Query.model_fields), exclude_unset=True))
        return metric.for_segments() if self.sentence_level else metric


@cache
def model_of(metric: type[Metric]) -> type[Query]:
    """Return the model of a metric's parameters.

    >>> model_of(METRICS["chrf"])(metric="chrf", beta="3").make_metric()
    CHRF(beta=3.0)
    """
    fields: dict[str, Any] = {}
    for option in metric.options:
        about, schema = option.help, dict[str, Any]()
        if option.loads:
            about, schema = f"what separates tokens (default: {tokenizers.DEFAULT})", {"enum": ready_tokenizers()}
        elif option.choices:
            schema = {"enum": list(option.choices)}
        elif option.kind in (int, float):
            schema = {"minimum": option.least, "maximum": option.most}
        kind: Any = option.kind
        field = Field(None, description=about, json_schema_extra=schema)
        if option.name not in LEFT_OUT:
            fields[option.name] = Annotated[kind, BeforeValidator(partial(_read_option, option))], field
    return create_model(f"{metric.name}Query", __base__=Query, **fields)


def read_query(query: Iterable[tuple[str, str]]) -> Query:
    """Return the parameters of a query.

    >>> read_query([("metric", "chrF2++"), ("beta", "3")]).make_metric()
    CHRF(word_order=2, beta=3.0)
    """
    values: dict[str, str] = {}
    for name, text in query:
        if name in values:
            raise UsageError(f"{name!r:.80} was given twice; give it once")
        values[name] = text
    metric = _read_metric(values.get("metric", DEFAULT))
    model = model_of(kind_of(metric))
    try:
        return model.model_validate(values)
    except ValidationError as error:
        if cause := _cause(error):
            raise cause from None
        name = str(error.errors()[0]["loc"][0])
        every = [parameter for kind in METRICS.values() for parameter in model_of(kind).model_fields]
        if name not in every:
            raise UsageError(f"there is no parameter {name!r:.80}, see /docs{suggest(name, every)}") from None
        choices = ", ".join(own for own in model.model_fields if own not in Query.model_fields)
        raise UsageError(f"{metric} has no option {name}; choose from {choices}") from None


def _cause(error: ValidationError) -> BleuError | None:
    """Return the first error that a validator of ours raised, if that is the first one of all."""
    cause = error.errors()[0].get("ctx", {}).get("error")
    return cause if isinstance(cause, BleuError) else None


def parameters() -> list[dict[str, Any]]:
    """Return the parameters of all metrics as OpenAPI describes them."""
    schemas: dict[str, dict[str, Any]] = {}
    takers: dict[str, list[str]] = {}
    for metric in METRICS.values():
        for name, schema in model_of(metric).model_json_schema()["properties"].items():
            schemas.setdefault(name, schema)
            takers.setdefault(name, []).append(metric.name)
    descriptions = []
    for name, every in schemas.items():
        # Without defaults, since Swagger UI would send those of every metric, whichever is chosen
        schema = {key: value for key, value in every.items() if key != "title" and value is not None}
        whose = "" if name in Query.model_fields else f"{', '.join(takers[name])}: "
        about = f"{whose}{schema['description']}"
        descriptions.append({"name": name, "in": "query", "required": False, "schema": schema, "description": about})
    return descriptions


# --- the fields of the page


def fields_of(name: str) -> set[str]:
    """Return the fields that a metric or a variant has options for.

    >>> sorted(fields_of("bleu") - fields_of("ter"))
    ['order', 'smoothing', 'tokenize']
    """
    options = {option.name for option in kind_of(name).options}
    return {field for field, names in _FIELDS.items() if not options.isdisjoint(names)}


def _among(*choices: object) -> AfterValidator:
    def check(value: object, info: ValidationInfo) -> object:
        if value not in choices:
            raise UsageError(
                f"{info.field_name} {value!r:.40}; this page has {', '.join(map(str, choices))}; reload it"
            )
        return value

    return AfterValidator(check)


def _text(value: object) -> str:
    """Return a string; unlike pydantic, accept surrogates, because an error about these comes with advice later."""
    if not isinstance(value, str):
        raise ValueError("not a string")
    return value


def _split_lines(value: object) -> list[str]:
    """Return the references, one per line; blank lines are none."""
    lines = [line for line in _text(value).split("\n") if line.strip()]
    if not lines:
        raise BleuError("Write at least one reference, one per line.")
    return lines


class Inputs(BaseModel):
    """The content of the page's fields; `references` has at least one, and none is blank."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    candidate: Annotated[str, PlainValidator(_text)]
    references: Annotated[list[str], PlainValidator(_split_lines)]
    metric: Annotated[str, _among(*METRIC_NAMES)]
    tokenize: str
    smoothing: Annotated[str, _among(*METHODS)]
    order: Annotated[int, _among(*ORDERS)]
    lowercase: bool

    @model_validator(mode="after")
    def _check_order(self) -> Inputs:
        least = Smoothing(self.smoothing).least_order
        if self.order < least and "smoothing" in fields_of(self.metric):
            raise BleuError(f"Smoothing {self.smoothing} needs a maximum order of at least {least}.")
        return self

    def options(self) -> dict[str, Any]:
        """Return the options of the metric that the fields ask for, where they differ from its defaults."""
        values = {name: getattr(self, field) for field, names in _FIELDS.items() for name in names}
        values["case_sensitive"] = not self.lowercase
        usual = {option.name: option.default for option in kind_of(self.metric).options}
        return {name: value for name, value in values.items() if name in usual and value != usual[name]}

    def make_metric(self) -> Metric:
        """Return the metric with its options."""
        return make_metric(self.metric, self.options())

    def item(self) -> dict[str, Any]:
        """Return the texts as an object of JSON Lines."""
        return {"hypothesis": self.candidate, "references": self.references}


def read_inputs(body: bytes) -> Inputs:
    """Read what the page sends: a JSON object with a value for each field, and one reference per line."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise BleuError("the fields are not valid JSON; reload the page") from None
    try:
        return Inputs.model_validate(values)
    except ValidationError as error:
        expected = f"expected an object with {', '.join(Inputs.model_fields)}; reload the page"
        raise _cause(error) or BleuError(expected) from None


# --- items and answers


def _any_of(names: Iterable[str], schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"required": [name], "properties": {name: schema}} for name in names]


# An item, as JSON Schema; it is read like a line of JSON Lines
_TEXTS: dict[str, Any] = {"items": {"type": ["string", "null"]}}
ITEM: dict[str, Any] = {
    "type": "object",
    "description": (
        "One segment, as in a line of JSON Lines. The output is in the first of these fields that is present:"
        f" {', '.join(HYPOTHESES)}; the references are in the first of {', '.join(REFERENCES)}. null is a missing"
        " reference. If these fields are missing, the output may be in"
        f" {' or '.join(GUESSED_HYPOTHESES)}, and the references in {' or '.join(GUESSED_REFERENCES)}; an item with two"
        " of one kind is refused. Other fields are ignored."
    ),
    "allOf": [
        {
            "anyOf": [
                *_any_of({*HYPOTHESES, *GUESSED_HYPOTHESES} - {LISTED}, {"type": "string"}),
                *_any_of([LISTED], {"type": ["string", "array"], "prefixItems": [{"type": "string"}]}),
            ]
        },
        {
            "anyOf": [
                *_any_of(REFERENCES[:1], {"type": ["array", "null"], **_TEXTS}),
                *_any_of((*REFERENCES[1:], *GUESSED_REFERENCES), {"type": ["string", "array", "null"], **_TEXTS}),
            ]
        },
    ],
    "examples": [{"candidate": "the cat is on the mat", "references": ["there is a cat on the mat"]}],
}


class Score(BaseModel):
    """A score, unrounded, and its parts; parts that its metric does not have are null."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(examples=["BLEU"])
    score: float = Field(description="in percent; of a segment or of all items together")
    higher_is_better: bool
    signature: str = Field(examples=["nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleucli-0.3.0"])
    segments: int = Field(ge=1)
    precisions: list[float] | None = Field(description="of n-grams, in percent, by order, smoothed")
    counts: list[float] | None = Field(
        description="n-grams that match, by order; for chrF, first those of characters, then those of words"
    )
    totals: list[float] | None = Field(description="n-grams of the output, in the same order")
    reference_totals: list[float] | None = Field(description="the same for the references; only chrF has them")
    brevity_penalty: float | None = Field(description="from 0 to 1; only BLEU has one")
    hypothesis_length: float | None = Field(description="in tokens; only BLEU has one")
    reference_length: float | None = Field(
        description="in tokens, words or characters; of several references, the one that counts, or TER's average"
    )
    edits: int | None = Field(description="to the reference with the fewest edits; only TER, WER and CER have them")
    warnings: list[str] = Field(description="what the command would warn about")


class Failure(BaseModel):
    """Why there is no answer, in one sentence: what was given, what was expected, what to do."""

    model_config = ConfigDict(extra="forbid")

    error: str
