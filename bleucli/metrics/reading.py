"""From a signature back to the metric that it describes.

- `metric_of`: the metric that a signature belongs to
- `restate`: a signature of sacreBLEU 1.x as the metric signs the same settings today
- `values_of`: the arguments of the constructor
- `refuse_unknown_tokenizer`: an error if they name a tokenizer that is not built in
- `refuse_other`: an error if a metric does not fit the signature
- `find_difference`: the key that shows that a metric would have counted differently

A signature may leave out keys, as those of sacreBLEU 1.x do; the defaults then apply.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from bleucli.errors import BleuError
from bleucli.metrics.base import Metric
from bleucli.metrics.options import CHOICE, SCORE, Option
from bleucli.phrases import Turn
from bleucli.results.signature import RUN_KEYS, TEXT_KEYS, VERSION, Signature
from bleucli.tokenizers import NAMES, check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Every complete signature has these
_WHOLE = {"nrefs", "case", "version"}
# sacreBLEU 1.x, which writes them in lower case from 1.4.11 on
_FORMER_VALUES = {"true": "yes", "false": "no"}


def metric_of(signature: Signature, metrics: Mapping[str, type[Metric]]) -> str:
    """Return the name of the metric that a signature belongs to, found by the signature's name or else by its keys."""
    if signature.name:
        names = [key for key, metric in metrics.items() if metric.read_name(signature.name) is not None]
        if not names:
            names = [metric.name for metric in metrics.values()]
            expected = f"{', '.join(names[:-1])} or {names[-1]}"
            raise BleuError(f"{signature.name!r} is not a known metric; expected a signature of {expected}")
        return names[0]
    candidates = [key for key, metric in metrics.items() if _is_marked(signature, key, metrics)]
    if candidates:
        return candidates[0]

    if signature.info.keys() >= _WHOLE and "tok" not in signature.info:  # BLEU signs its tokenizer
        example = [metric.name for metric in metrics.values() if "tok" not in _keys(metric)][-1]
        raise BleuError(f"{signature} does not name its metric; put the name first, as in {example}|{signature}")
    return next(iter(metrics))  # the keys fit several metrics: the first one, BLEU, is the default


def restate(signature: Signature, metric: type[Metric]) -> Signature:
    """Return a signature of sacreBLEU 1.x as the metric signs the same settings today; others stay unchanged.

    >>> from bleucli.metrics import METRICS
    >>> old = Signature.parse("chrF2+case.lc+numchars.6+numrefs.1+space.False+tok.13a+version.1.3.6")
    >>> restate(old, METRICS["chrf"])
    nrefs:1|nc:6|space:False|version:1.3.6
    """
    if not signature.is_former:
        return signature
    result = Signature(metric.restate_former(signature.info).items(), signature.name)
    result.is_former = True
    return result


def _is_marked(signature: Signature, name: str, metrics: Mapping[str, type[Metric]]) -> bool:
    """Return whether a signature has a constant of this metric, or a key that only this metric has."""
    other_keys = {key for other, metric in metrics.items() if other != name for key in _keys(metric)}
    constants = metrics[name].constants
    return bool(_keys(metrics[name]) & signature.info.keys() - other_keys) or any(
        signature.info.get(key) == value for key, value in constants
    )


def _keys(metric: type[Metric]) -> set[str]:
    return {option.key for option in metric.options if option.key} | {key for key, _ in metric.constants}


def _signed(options: Iterable[Option]) -> Iterable[Option]:
    return (option for option in options if option.key)


def _texts_of(metric: type[Metric], signature: Signature) -> dict[str, str]:
    """Return a signature's value for each key of a metric, in today's form, including defaults."""
    # Keys whose values are free text, in which "true" is not sacreBLEU 1.x's word for yes
    words = {option.key for option in _signed(metric.options) if option.kind is str}
    info = {
        key: value if key in words else _FORMER_VALUES.get(value.lower(), value)
        for key, value in signature.info.items()
    }
    for key in info:
        if key not in _keys(metric) and key not in (*TEXT_KEYS, *RUN_KEYS):
            raise BleuError(f"{key!r} is not a key of {metric.name} signatures, so the score cannot be reproduced")
    texts = {key: info.get(key, value) for key, value in metric.constants}
    in_name = _values_in_name(metric, signature)
    for option in _signed(metric.options):
        absent = str(in_name.get(option.name, option.absent))
        texts[option.key] = option.restate(info.get(option.key, absent))
    return texts


def values_of(metric: type[Metric], signature: Signature, overrides: Container[str] = ()) -> dict[str, Any]:
    """Return the constructor's arguments that a signature names, including defaults.

    overrides: arguments that are already known; the signature's values for their keys are left out.
    """
    texts = _texts_of(metric, signature)
    exact = is_exact(signature)
    values = _values_in_name(metric, signature)
    for option in _signed(metric.options):
        arguments = option.read(texts[option.key], exact)
        if not any(name in overrides for name in arguments):
            values |= arguments
    return values


def refuse_unknown_tokenizer(values: Mapping[str, Any]) -> None:
    """Refuse a tokenizer that is not built in: its name does not say what it does."""
    name = values.get("tokenize", NAMES[0])
    if callable(name) or name in NAMES:
        return
    if name.startswith("spm-"):
        check_name(name)  # refuses it, and says what to give instead
    raise BleuError(
        f"unknown tokenizer {name!r} in the signature; if it is one of your own, give the function:"
        " metric_from_signature(signature, tokenize=FUNCTION)"
    )


def _values_in_name(metric: type[Metric], signature: Signature) -> dict[str, Any]:
    return metric.read_name(signature.name or metric.name) or {}


def is_exact(signature: Signature) -> bool:
    """Return whether the numbers in a signature are exact, as bleucli's are; sacreBLEU rounds to two decimals.

    >>> is_exact(Signature.parse("smooth:floor[0.01]|version:2.6.0")), is_exact(Signature.parse("smooth:floor[0]"))
    (False, True)
    """
    is_ours = str(signature.info.get("version", "")).startswith(VERSION.partition("-")[0])
    return is_ours or signature.info.get("smooth", "")[-4:-3] != "."  # as in floor[0.01]


def refuse_other(metric: Metric, signature: Signature) -> None:
    """Refuse a metric whose own signature differs from the one that was asked for."""
    for key, value, own in _differences(metric, signature):
        wish = f"asks for {key}:{value}" if value else f"names no {key}"
        raise BleuError(
            Turn("the signature "),  # the command puts --like before the message
            f"{wish}, but this metric has {key}:{own}; leave out the options that contradict the signature,"
            " or install what the signature names",
        )


def find_difference(metric: Metric, signature: Signature, several: bool) -> tuple[str, str, str] | None:
    """Return the first key of a signature that shows that a metric would have counted differently.

    several: whether segments have several references.

    Returns:
        The key, its value in the signature, and the metric's; None if both count the same.
    """
    free = {SCORE} if several else {SCORE, CHOICE}
    keys = {option.key or option.name for option in metric.options if option.decides in free}
    return next((one for one in _differences(metric, signature) if one[0] not in keys), None)


def _differences(metric: Metric, signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Give each key whose value in the signature is not the metric's, with both values."""
    theirs: dict[str, Any] = _texts_of(type(metric), signature) | _values_in_name(type(metric), signature)
    ours = {option.key: option.absent for option in _signed(metric.options)} | dict(metric.signature_fields())
    for key, value in theirs.items():
        own = ours[key] if key in ours else str(getattr(metric, key))
        if str(value) != own:
            yield key, str(value), own
