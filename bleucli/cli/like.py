"""`--like SIGNATURE`: score in the way that a published signature describes.

- `follow`: set the options as the signature says
- `check`: refuse a way of scoring that cannot be reproduced
- `check_texts`: refuse texts that the signature does not name
- `notes`: say what may still differ
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bleucli.cli.options import Options
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS, Metric, reading
from bleucli.metrics.smoothing import DEFAULT_VALUES, Smoothing
from bleucli.signature import RUN_KEYS, TEXT_KEYS, Signature


def follow(options: Options, signature: Signature) -> Options:
    """Return the options; the signature sets those that were not given.

    Raises:
        UsageError: the signature is not a metric's, or not that of the metric that --self-bleu uses; the metric has no
            such key; or a value is invalid.
    """
    try:
        name = reading.metric_of(signature, METRICS)
        values = {**reading.values_of(METRICS[name], signature), **options.of_metric(name)}
    except BleuError as error:
        raise UsageError(f"--like: {error.in_command()}") from None
    if options.self_bleu and name != "bleu":
        raise UsageError(
            f"--like is a signature of {METRICS[name].name}, but --self-bleu measures only self-BLEU; leave out one of"
            " the two"
        )
    return options.replace(
        followed=name,
        of_metrics={**options.of_metrics, name: values},
        skip_empty_refs=options.skip_empty_refs or values["skip_empty_refs"],
    )


def check(metric: Metric, signature: Signature) -> None:
    """Compare the signature that the metric will have with the one that was asked for.

    Raises:
        UsageError: they differ in a way that changes the score.
    """
    try:
        reading.refuse_other(metric, signature)
    except BleuError as error:
        raise UsageError(f"--like {error.in_command()}") from None


def check_texts(signature: Signature, ours: Mapping[str, str]) -> None:
    """Compare what is known about the texts with what was asked for.

    Args:
        signature: the signature of --like.
        ours: keys of this run's signature, not necessarily all.

    Raises:
        UsageError: the signature names other texts, or another number of references.
    """
    for key in TEXT_KEYS:
        theirs = _text(signature.info, key)
        if theirs is not None and _text(ours, key) not in (None, theirs):
            raise UsageError(
                f"--like asks for {key}:{signature.info[key]}, but this run has {key}:{ours[key]}; score the texts and"
                " references that the signature names"
            )


def _text(info: Mapping[str, str], key: str) -> str | None:
    """Return what a signature says about the texts, unescaped; older signatures, without escapes, stay as they are.

    >>> _text({"subset": "US%7CGB"}, "subset"), _text({"subset": "US|GB"}, "subset"), _text({}, "subset")
    ('US|GB', 'US|GB', None)
    """
    value = info.get(key)
    if value is None or "%" not in value:
        return value
    from urllib.parse import unquote

    return unquote(value)


def notes(ours: Mapping[str, str], signature: Signature, name: str) -> Iterator[str]:
    """Give what differs from the signature of --like, or is only in one of the two, but does not change the scoring.

    Args:
        ours: this run's signature.
        signature: the signature of --like, which `check_texts` has accepted.
        name: the name of the metric that it belongs to.
    """
    theirs = signature.info
    # sacreBLEU signs the value of smoothing with two decimals; where a default has that form, the default is assumed
    smooth = theirs.get("smooth", "")
    usual = [Smoothing(method).signature for method in DEFAULT_VALUES]
    if "[" in smooth and smooth not in usual and not reading.is_exact(signature):
        yield f"smooth:{smooth} in the signature of --like may have been rounded to two decimals"
    for option in METRICS[name].options:
        if option.in_name and not signature.name:
            flag = option.label(in_command=True)
            yield f"the signature of --like does not name its metric; {flag} {option.default} is assumed"
    for key in RUN_KEYS:
        if key in theirs and key in ours and theirs[key] != ours[key]:
            yield f"the signature of --like has {key}:{theirs[key]}, but this score has {key}:{ours[key]}"
    for key in (*TEXT_KEYS, *RUN_KEYS):
        if key in theirs and key not in ours:
            yield f"the signature of --like has {key}:{theirs[key]}, which is ignored here"
    for key in TEXT_KEYS:
        if key in ours and key not in theirs:
            yield f"the signature of --like does not have {key}, which is {ours[key]} here"
