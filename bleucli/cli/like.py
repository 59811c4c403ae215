"""`--like SIGNATURE`: score in the way that a published signature tells.

- `take_over`: set the options that the signature names
- `check`: refuse a way of scoring that cannot be reproduced
- `check_texts`: refuse other texts
- `notes`: what may differ all the same
"""

from collections.abc import Mapping, Sequence

from bleucli.errors import BleuError, UsageError
from bleucli.metrics import Metric
from bleucli.metrics.chrf import CHRF
from bleucli.metrics.smoothing import DEFAULT_VALUES, Smoothing
from bleucli.results import ScoreRecord
from bleucli.signature import RESAMPLING_KEYS, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

# Keys that say how a number was made from the texts, with what a signature means that leaves one out, as those of
# sacreBLEU 1.x do
_DECIDING = {
    "bleu": {"case": "mixed", "eff": "no", "tok": "13a", "smooth": "exp", "ngram": "4", "empty": ""},
    "chrf": {"case": "mixed", "eff": "yes", "nc": "6", "nw": "0", "space": "no", "empty": ""},
    "ter": {"case": "lc", "tok": "tercom", "norm": "no", "punct": "yes", "asian": "no", "empty": ""},
}
# The others say which texts these were, or what was tested by which program
_TEXTS = ("nrefs", "test", "lang", "origlang", "subset")
_TESTS = ("version", *RESAMPLING_KEYS)
# sacreBLEU 1.x
_FORMER_KEYS = {"numchars": "nc", "numwords": "nw"}
_FORMER_VALUES = {"true": "yes", "false": "no"}


def take_over(options: "Namespace", signature: Signature) -> str:
    """Set the options that were not given to what the signature says; return the metric that it is about.

    Raises:
        UsageError: a key is none of the metric's, or a value cannot be.
    """
    metric = _metric_of(signature)
    wanted = _wanted(metric, signature)
    {"bleu": _take_over_bleu, "chrf": _take_over_chrf, "ter": _take_over_ter}[metric](options, wanted)
    if metric == "chrf":
        _set(options, "chrf_beta", _beta(signature.name))
    options.skip_empty_refs |= wanted["empty"] == "missing"
    return metric


def _metric_of(signature: Signature) -> str:
    name = signature.name
    if name and not name.endswith("BLEU") and not name.startswith("chrF") and name != "TER":
        raise UsageError(f"--like: {name!r} is not a metric here; expected a signature of BLEU, chrF or TER")
    if signature.name.startswith("chrF") or {"nc", "nw", "space", *_FORMER_KEYS} & set(signature.info):
        return "chrf"
    if signature.name == "TER" or signature.info.get("tok") == "tercom" or "norm" in signature.info:
        return "ter"
    return "bleu"


def _wanted(metric: str, signature: Signature) -> dict[str, str]:
    """Return the deciding keys with today's names and values."""
    wanted = dict(_DECIDING[metric])
    for key, value in signature.info.items():
        known = _FORMER_KEYS.get(key, key)
        if known in wanted:
            wanted[known] = _FORMER_VALUES.get(value, value)
        elif known not in (*_TEXTS, *_TESTS):
            raise UsageError(f"--like: {key!r} is not a key of a {metric} signature; it cannot be followed")
    if metric == "bleu":
        smoothing = _smoothing(wanted["smooth"])
        if _is_rounded(signature) and smoothing.method in DEFAULT_VALUES and not smoothing.value:
            raise UsageError(f"--like: smooth:{wanted['smooth']} was rounded to two decimals; give -s and -sv instead")
        wanted["smooth"] = smoothing.signature
        wanted["tok"] = "flores101" if wanted["tok"] == "spm" else wanted["tok"]
    return wanted


def _is_rounded(signature: Signature) -> bool:
    """Return whether smoothing values have two decimals only, whatever they were: sacreBLEU prints no more."""
    return not signature.info.get("version", "").startswith("bleucli-")


def _take_over_bleu(options: "Namespace", wanted: dict[str, str]) -> None:
    smoothing = _smoothing(wanted["smooth"])
    _set(options, "smooth_method", smoothing.method)
    _set(options, "smooth_value", smoothing.value if smoothing.method in DEFAULT_VALUES else None)
    _set(options, "tokenize", _tokenizer(wanted["tok"]))
    _set(options, "max_ngram_order", _number("ngram", wanted))
    options.lowercase |= wanted["case"] == "lc"
    options.effective_order |= wanted["eff"] == "yes"


def _take_over_chrf(options: "Namespace", wanted: dict[str, str]) -> None:
    _set(options, "chrf_char_order", _number("nc", wanted))
    _set(options, "chrf_word_order", _number("nw", wanted))
    options.chrf_lowercase |= wanted["case"] == "lc"
    options.chrf_eps_smoothing |= wanted["eff"] == "no"
    options.chrf_whitespace |= wanted["space"] == "yes"


def _take_over_ter(options: "Namespace", wanted: dict[str, str]) -> None:
    options.ter_case_sensitive |= wanted["case"] == "mixed"
    options.ter_normalized |= wanted["norm"] == "yes"
    options.ter_no_punct |= wanted["punct"] == "no"
    options.ter_asian_support |= wanted["asian"] == "yes"


def _set(options: "Namespace", name: str, value: object) -> None:
    """Set an option that was not given."""
    if getattr(options, name) is None:
        setattr(options, name, value)


def _smoothing(signed: str) -> Smoothing:
    """Return the smoothing that is signed so.

    >>> _smoothing("floor[0.1]").signature, _smoothing("exp").signature, _smoothing("floor.0.01").signature
    ('floor[0.10]', 'exp', 'floor[0.01]')
    """
    try:
        return Smoothing.parse(signed)
    except BleuError as error:
        raise UsageError(f"--like: {error}") from None


def _number(key: str, wanted: dict[str, str]) -> int:
    value = wanted[key]
    if not value.isdecimal() or len(value) > 9:
        raise UsageError(f"--like: {key}:{value}; expected a number")
    return int(value)


def _beta(name: str) -> int:
    """Return the beta in the name of a chrF score, 2 if it has none.

    >>> _beta("chrF3++"), _beta("")
    (3, 2)
    """
    digits = name.removeprefix("chrF").rstrip("+")
    if digits and not (digits.isdecimal() and len(digits) < 9):
        raise UsageError(f"--like: {name} is not the name of a chrF score; expected one such as chrF2")
    return int(digits or 2)


def _tokenizer(signed: str) -> str:
    """Return the name of the tokenizer that is signed so; MeCab's signatures end in versions.

    >>> _tokenizer("ja-mecab-0.996-IPA"), _tokenizer("13a")
    ('ja-mecab', '13a')
    """
    for name in ("ja-mecab", "ko-mecab"):
        if signed.startswith(name):
            return name
    return signed


def check(metric: Metric, signature: Signature) -> None:
    """Compare what the metric will sign with what was asked for.

    Raises:
        UsageError: they differ in a way that changes the score.
    """
    name = _metric_of(signature)
    theirs = _wanted(name, signature)
    ours = {"ngram": "4", "empty": ""} | dict(metric.signature_fields())
    if isinstance(metric, CHRF):
        ours["beta"], theirs["beta"] = str(metric.beta), str(_beta(signature.name))
    for key, value in theirs.items():
        if ours[key] != value:
            asked = f"asks for {key}:{value}" if value else f"names no {key}"
            raise UsageError(
                f"--like {asked}, but this would be {key}:{ours[key]}; leave out the options that"
                " contradict the signature, or install what it names"
            )


def _lacks_beta(signature: Signature) -> bool:
    return _metric_of(signature) == "chrf" and not signature.name


def check_texts(signature: Signature, ours: Mapping[str, str]) -> None:
    """Compare what is known of the texts with what was asked for.

    Args:
        signature: of --like.
        ours: keys of this run's signature; it need not be all of them.

    Raises:
        UsageError: the signature names other texts, or another number of references.
    """
    for key in _TEXTS:
        theirs = _text(signature.info, key)
        if theirs is not None and _text(ours, key) not in (None, theirs):
            raise UsageError(
                f"--like asks for {key}:{signature.info[key]}, but this would be {key}:{ours[key]}; score the texts and"
                " references that the signature names"
            )


def _text(info: Mapping[str, str], key: str) -> str | None:
    """Return what a signature says of the texts; versions that do not escape it had no need to.

    >>> _text({"subset": "US%7CGB"}, "subset"), _text({"subset": "US|GB"}, "subset"), _text({}, "subset")
    ('US|GB', 'US|GB', None)
    """
    value = info.get(key)
    if value is None or "%" not in value:
        return value
    from urllib.parse import unquote

    return unquote(value)


def notes(ours: Mapping[str, str], signature: Signature) -> list[str]:
    """Return what differs from the signature, or is told by one side only, without deciding the score's making.

    Args:
        ours: this run's signature.
        signature: of --like; `check_texts` has passed it.
    """
    smooth = signature.info.get("smooth", "")
    rounded = "[" in smooth and _is_rounded(signature) and smooth not in ("floor[0.10]", "add-k[1.00]")
    theirs = signature.info
    return [
        *([f"smooth:{smooth} in the signature of --like may have been rounded to two decimals"] if rounded else []),
        *(
            ["no metric's name stands before the signature of --like: beta is taken for 2"]
            if _lacks_beta(signature)
            else []
        ),
        *(
            f"the signature of --like has {key}:{theirs[key]}, this score {key}:{ours[key]}"
            for key in _TESTS
            if key in theirs and key in ours and theirs[key] != ours[key]
        ),
        *(
            f"the signature of --like has {key}:{theirs[key]}, which is not followed here"
            for key in (*_TEXTS, *_TESTS)
            if key in theirs and key not in ours
        ),
        *(
            f"the signature of --like does not tell {key}, which is {ours[key]} here"
            for key in _TEXTS
            if key in ours and key not in theirs
        ),
    ]


def signed(records: Sequence[ScoreRecord], signature: Signature) -> dict[str, str]:
    """Return the signature of the score that --like is about."""
    about = _metric_of(signature)
    return next(dict(record.signature) for record in records if record.name.lower().startswith(about))
