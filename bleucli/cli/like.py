"""`--like SIGNATURE`: score in the way that a published signature tells.

- `take_over`: set the options that the signature names
- `check`: refuse what cannot be reproduced
- `notes`: what may differ all the same
"""

from bleucli.errors import UsageError
from bleucli.metrics import Metric
from bleucli.metrics.smoothing import Smoothing
from bleucli.results import ScoreRecord
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

# Keys that say how a number was made from the texts; the others say which texts these were, or what was tested
_DECIDING = ("case", "eff", "tok", "smooth", "ngram", "empty")
_TEXTS = ("test", "lang", "origlang", "subset")
_TESTS = ("bs", "ar", "seed")
_KNOWN = {"nrefs", "version", *_DECIDING, *_TEXTS, *_TESTS}
# What a signature means that leaves a key out, as those of sacreBLEU 1.x do
_DEFAULTS = {"case": "mixed", "eff": "no", "tok": "13a", "smooth": "exp"}


def take_over(options: "Namespace", signature: Signature) -> None:
    """Set the options that were not given to what the signature says.

    Raises:
        UsageError: a key is none of BLEU's.
    """
    unknown = [key for key in signature.info if key not in _KNOWN]
    if unknown:
        raise UsageError(f"--like: {unknown[0]!r} is no key of a BLEU signature; only those can be followed")
    wanted = _DEFAULTS | signature.info
    method, value = _smoothing(wanted["smooth"])
    if options.smooth_method is None:
        options.smooth_method = method
    if options.smooth_value is None and value:
        options.smooth_value = _number(value, wanted["smooth"])
    if options.tokenize is None:
        options.tokenize = _tokenizer(wanted["tok"])
    if options.max_ngram_order is None and "ngram" in wanted:
        options.max_ngram_order = _order(wanted["ngram"])
    options.lowercase |= wanted["case"] == "lc"
    options.effective_order |= wanted["eff"] == "yes"
    options.skip_empty_refs |= wanted.get("empty") == "missing"


def _smoothing(signed: str) -> tuple[str, str]:
    """Return method and value.

    >>> _smoothing("floor[0.10]"), _smoothing("exp"), _smoothing("floor.0.10")
    (('floor', '0.10'), ('exp', ''), ('floor', '0.10'))
    """
    method, _, value = signed.replace(".", "[", 1).partition("[") if "[" not in signed else signed.partition("[")
    return method, value.removesuffix("]")


def _order(text: str) -> int:
    if not text.isdecimal():
        raise UsageError(f"--like: ngram:{text}; expected a number from 1 on")
    return int(text)


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--like: {whole!r} holds no number where one belongs") from None


def _tokenizer(signed: str) -> str:
    """Return the name of the tokenizer that is signed so; MeCab's signatures end in versions, spm has a new name.

    >>> _tokenizer("ja-mecab-0.996-IPA"), _tokenizer("13a"), _tokenizer("spm")
    ('ja-mecab', '13a', 'flores101')
    """
    if signed == "spm":
        return "flores101"
    for name in ("ja-mecab", "ko-mecab"):
        if signed.startswith(name):
            return name
    return signed


def check(metric: Metric, signature: Signature) -> None:
    """Compare what the metric will sign with what was asked for.

    Raises:
        UsageError: they differ in a way that changes the score.
    """
    ours = dict(metric.signature_fields())
    theirs = _DEFAULTS | signature.info
    theirs["tok"] = "flores101" if theirs["tok"] == "spm" else theirs["tok"]
    if not _smoothing(theirs["smooth"])[1]:
        theirs["smooth"] = Smoothing(theirs["smooth"]).signature
    for key in _DECIDING:
        if ours.get(key) != theirs.get(key):
            raise UsageError(
                f"--like asks for {_said(key, theirs)}, but this would be {_said(key, ours)}; leave out the options"
                " that contradict the signature, or install what it names"
            )


def _said(key: str, fields: dict[str, str]) -> str:
    return f"{key}:{fields[key]}" if key in fields else f"no {key}"


def notes(record: ScoreRecord, signature: Signature) -> list[str]:
    """Return what differs from the signature without deciding the score's making: references, version, texts, tests."""
    ours, theirs = dict(record.signature), signature.info
    return [
        *(
            f"the signature of --like has {key}:{theirs[key]}, this score {key}:{ours[key]}"
            for key in ("nrefs", "version")
            if theirs.get(key, ours[key]) != ours[key]
        ),
        *(
            f"the signature of --like has {key}:{theirs[key]}, which is not followed here"
            for key in (*_TEXTS, *_TESTS)
            if key in theirs and key not in ours
        ),
    ]
