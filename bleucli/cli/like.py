"""`--like SIGNATURE`: score in the way that a published signature describes.

- `follow`: set the options as the signature says
- `check`: refuse a way of scoring that cannot be reproduced
- `check_texts`: refuse texts that the signature does not name
- `warnings`: say what this run does not follow
- `notes`, `unused`: say what only this run signs, and what an old version signed without using it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bleucli.cli.options import Options
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS, Metric, reading
from bleucli.metrics.smoothing import DEFAULT_VALUES, Smoothing
from bleucli.phrases import join_words
from bleucli.results.signature import RESAMPLING_KEYS, RUN_KEYS, TEXT_KEYS, Signature


def follow(options: Options, signature: Signature) -> Options:
    """Return the options; the signature, restated as today's if it is from sacreBLEU 1.x, sets those not given."""
    try:
        name = reading.metric_of(signature, METRICS)
        signature = reading.restate(signature, METRICS[name])
        values = {**reading.values_of(METRICS[name], signature), **options.of_metric(name)}
    except BleuError as error:
        raise UsageError(f"--like: {error.in_command()}") from None
    if options.command == "diversity" and name != "bleu":
        raise UsageError(
            f"--like is a signature of {METRICS[name].name}, but bleu diversity measures only self-BLEU; leave it out"
        )
    theirs = values.pop("normalize", "")
    return options.replace(
        like=signature,
        followed=name,
        of_metrics={**options.of_metrics, name: values},
        skip_empty_refs=options.skip_empty_refs or values["skip_empty_refs"],
        normalize=options.normalize or theirs,
    )


def check(metric: Metric, signature: Signature) -> None:
    """Compare the signature that the metric will have with the one that was asked for."""
    try:
        reading.refuse_other(metric, signature)
    except BleuError as error:
        raise UsageError(f"--like {error.in_command()}") from None


def check_texts(signature: Signature, ours: Mapping[str, str]) -> None:
    """Compare what is known about the texts with what was asked for.

    Args:
        signature: the signature of --like.
        ours: keys of this run's signature, not necessarily all.
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


def unused(signature: Signature) -> Iterator[str]:
    """Give what a signature of sacreBLEU 1.x says although that version did not use it, as notes."""
    metric = METRICS[reading.metric_of(signature, METRICS)]
    restated = reading.restate(signature, metric).info
    for key in [key for key in ("case", "tok") if key in signature.info and key not in restated]:
        item = f"{key}:{signature.info[key]}"
        yield f"the signature of --like has {item}, which {metric.name} of sacreBLEU 1.x did not use"


def warnings(ours: Mapping[str, str], signature: Signature, name: str) -> Iterator[str]:
    """Give what the signature of --like says that this run does not follow, or that may be something else here.

    Args:
        ours: this run's signature.
        signature: the signature of --like, which `check_texts` has accepted.
        name: the name of the metric that it belongs to.
    """
    theirs, metric = signature.info, METRICS[name]
    # sacreBLEU signs the value of smoothing with two decimals; where a default has that form, the default is assumed
    smooth = theirs.get("smooth", "")
    usual = [Smoothing(method).signature for method in DEFAULT_VALUES]
    if smooth not in usual and not reading.is_exact(signature):
        yield f"smooth:{smooth} in the signature of --like may have been rounded to two decimals"
    for option in metric.options:
        if option.in_name and not signature.name:
            flag = option.label(in_command=True)
            yield f"the signature of --like does not name its metric; {flag} {option.default} is assumed"
    for key in RUN_KEYS:
        if key in theirs and key in ours and theirs[key] != ours[key]:
            former = metric.former_difference if signature.is_former and key == "version" else ""
            yield (
                f"the signature of --like has {key}:{theirs[key]}, but this score has {key}:{ours[key]}"
                f"{former and f'; {former}'}"
            )
    texts = [f"{key}:{theirs[key]}" for key in TEXT_KEYS if key in theirs and key not in ours]
    if texts:
        yield f"the signature of --like has {join_words(texts)}, but this run does not; its texts may be others"
    trials = [f"{key}:{theirs[key]}" for key in RESAMPLING_KEYS if key in theirs and key not in ours]
    if trials:
        yield (
            f"the signature of --like has {join_words(trials)}, but this score was not resampled in that way; to do so,"
            " use --confidence or a paired test"
        )


def notes(ours: Mapping[str, str], signature: Signature) -> Iterator[str]:
    """Give what only this run's signature says about the texts; arguments as for `warnings`."""
    for key in TEXT_KEYS:
        if key in ours and key not in signature.info:
            yield f"the signature of --like does not have {key}, which is {ours[key]} here"
