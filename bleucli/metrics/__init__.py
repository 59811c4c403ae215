"""The metrics.

- `METRICS`: their classes, by their names in the command, in the order in which the command prints them
- `VARIANTS`: their other names in the command
- `find_name`: the metric that a word means; `tell_unknown`: what to do about a word that means none
- `find_metric`, `metric_from_signature`: a metric with its options; `list_metrics`: the metrics that an argument names

>>> from bleucli.metrics import METRICS, find_metric
>>> list(METRICS), find_metric("chrf++").score_name()
(['bleu', 'chrf', 'ter', 'wer', 'cer'], 'chrF2++')
"""

from __future__ import annotations

from _collections_abc import Iterable, Mapping  # see CONTRIBUTING.md

from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.metrics.base import Metric
from bleucli.phrases import Turn, suggest
from bleucli.results.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from bleucli.metrics.bleu import BLEU, BLEUScore
    from bleucli.metrics.chrf import CHRF, CHRFScore
    from bleucli.metrics.ter import TER, TERScore
    from bleucli.metrics.wer import CER, WER, CERScore, WERScore

# The class of each metric, by its name in the command, which is also that of its module, unless there is another one
_CLASSES = {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER", "wer": "WER", "cer": "CER"}
_NAMES = {kind: name for name, kind in _CLASSES.items()}
_HOMES = {"cer": "wer"}
# Other names in the command: the metric that each stands for, and the arguments of its constructor
VARIANTS = {"chrf+": ("chrf", {"word_order": 1}), "chrf++": ("chrf", {"word_order": 2})}
# The names of scores, in lower case, where they are not those of metrics
_OF_SCORES = {"chrf2": "chrf", "chrf2+": "chrf+", "chrf2++": "chrf++"}
# Parts of the names of metrics that people look for here
_ELSEWHERE = (
    *("rouge", "meteor", "comet", "bleurt", "bertscore", "bartscore", "metricx", "gemba", "yisi", "nist", "gleu"),
    *("ribes", "mqm"),
)

__all__ = [
    "BLEU",
    "CER",
    "CHRF",
    "METRICS",
    "TER",
    "VARIANTS",
    "WER",
    "BLEUScore",
    "CERScore",
    "CHRFScore",
    "Metric",
    "TERScore",
    "WERScore",
    "find_metric",
    "find_name",
    "list_metrics",
    "metric_from_signature",
    "metric_that_counted",
    "name_of",
    "tell_unknown",
]


class _Metrics(Mapping[str, type[Metric]]):
    """The metrics by name, each imported when it is first used; the names of their classes also work.

    >>> METRICS["BLEU"] is METRICS["bleu"], list(METRICS)
    (True, ['bleu', 'chrf', 'ter', 'wer', 'cer'])
    """

    def __getitem__(self, name: str) -> type[Metric]:
        name = _NAMES.get(name, name)
        kind = _CLASSES[name]
        metric: type[Metric] = getattr(_import_home(name), kind)
        return metric

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


METRICS = _Metrics()


def _import_home(name: str) -> object:
    return __import__(f"bleucli.metrics.{_HOMES.get(name, name)}", fromlist=[name])


if not TYPE_CHECKING:  # so that type checkers report names that are not imported above

    def __getattr__(name: str) -> object:
        metric = name.removesuffix("Score").lower()
        if metric in _CLASSES and name in __all__:
            return getattr(_import_home(metric), name)
        raise AttributeError(f"module 'bleucli.metrics' has no attribute {name!r}")


def find_name(word: str) -> str:
    """Return the name of the metric or variant that a word means, "" if it means none.

    Case does not count, and the names that scores have in tables and JSON work as well.

    >>> [find_name(word) for word in ("BLEU", "chrF2++", "Ter", "rouge")]
    ['bleu', 'chrf++', 'ter', '']
    """
    key = word.lower()
    name = _OF_SCORES.get(key, key)
    return name if name in _CLASSES or name in VARIANTS else ""


def tell_unknown(word: str) -> str:
    """Return the end of a message about a word that means no metric: what it may mean, and what to write instead.

    >>> tell_unknown("bleu-2")
    'for BLEU with n-grams up to 2, give BLEU(max_ngram_order=2) instead of a name'
    >>> tell_unknown("blue")
    'choose from bleu, chrf, chrf+, chrf++, ter, wer, cer; did you mean bleu?'
    """
    import re

    key = word.lower()
    if match := re.fullmatch(r"bleu[-_ @]?([1-9]\d{0,2})", key):
        order = match[1]
        of_command = "-m bleu, which counts them unless --max-ngram-order says otherwise"
        return Turn(
            f"for BLEU with n-grams up to {order}, give BLEU(max_ngram_order={order}) instead of a name",
            f"for BLEU with n-grams up to {order}, write "
            + (of_command if order == "4" else f"-m bleu --max-ngram-order {order}"),
        )
    if match := re.fullmatch(r"chrf(\d{1,3})(\+{0,2})", key):
        beta, plus = match[1], match[2]
        order_of_words = f", word_order={len(plus)}" if plus else ""
        return Turn(
            f"for chrF with this beta, give CHRF(beta={beta}{order_of_words}) instead of a name",
            f"for chrF with this beta, write -m chrf{plus} --chrf-beta {beta}",
        )
    if key == "spbleu":
        return Turn(
            "for BLEU of SentencePiece's tokens, give BLEU(tokenize='flores200') instead of a name",
            "for BLEU of SentencePiece's tokens, write -m bleu -tok flores200",
        )
    if key in ("selfbleu", "self-bleu", "self_bleu"):
        return Turn("for self-BLEU, call self_bleu", "for self-BLEU, write bleu diversity")
    names = [name for base in _CLASSES for name in (base, *(one for one, (of, _) in VARIANTS.items() if of == base))]
    choices = f"choose from {', '.join(names)}"
    if any(part in key for part in _ELSEWHERE):
        return Turn(
            f"{choices}; for scores that another tool computed, give scores={{{word!r}: ...}} to evaluate_systems",
            f"{choices}; for scores that another tool computed, write bleu REF -i SYSTEM --scores {word}=FILE, or,"
            " without texts, bleu --segment-scores FILE",
        )
    return f"{choices}{suggest(word, names)}"


def find_metric(metric: str | Metric, options: Mapping[str, Any] | None = None) -> Metric:
    """Make the metric of this name with these options; return a metric object unchanged.

    Raises:
        UsageError: there is no metric of that name, or an option has an invalid value.
        InputTypeError: `metric` is neither a string nor a metric, the metric has no such option, or options come with a
            metric object.

    >>> find_metric("chrf++", {"lowercase": True}).word_order
    2
    """
    if isinstance(metric, Metric):
        if options:
            raise InputTypeError(f"options with a metric object ({', '.join(options)}); give them to the constructor")
        return metric
    if not isinstance(metric, str):
        raise InputTypeError(f"metric {metric!r:.40}; give a name such as bleu, or an object such as BLEU()")
    options, name = options or {}, find_name(metric)
    if not name:
        raise UsageError(f"metric {metric!r:.40}; ", tell_unknown(metric))
    base, meant = VARIANTS.get(name, (name, {}))
    names = [option.name for option in METRICS[base].options]
    unknown = ", ".join(name for name in options if name not in names)
    if unknown:
        raise InputTypeError(f"{metric} has no option {unknown}; choose from {', '.join(names)}")
    return METRICS[base](**{**meant, **options})


def list_metrics(metrics: str | Metric | Iterable[str | Metric]) -> list[str | Metric]:
    """Return a list of names and metrics, from a single one or from several.

    >>> list_metrics("bleu"), list_metrics(("bleu", "chrf"))
    (['bleu'], ['bleu', 'chrf'])
    """
    if isinstance(metrics, str | Metric):
        return [metrics]
    if hasattr(metrics, "higher_is_better"):  # a metric of another library
        return [metrics]  # type: ignore[list-item]
    # Of a dictionary, only the keys would count; a set has no order
    if not isinstance(metrics, Iterable) or isinstance(metrics, Mapping | set | frozenset):
        raise InputTypeError(f"metrics {metrics!r:.40}; give a list of names or metrics, such as ['bleu', CHRF()]")
    items = list(metrics)
    if not items:
        raise BleuError("no metric was given; name at least one, such as 'bleu'")
    return items


def metric_from_signature(signature: str | Signature, *, tokenize: Callable[[str], str] | None = None) -> Metric:
    """Return the metric that a published signature describes, to score other texts in the same way.

    Args:
        signature: long or short, from sacreBLEU 1.x, sacreBLEU 2.x or bleucli; or a whole score line. Its keys about
            texts and tests are ignored. If no name precedes it, chrF's beta is 2.
        tokenize: the function that the signature names as its tokenizer, if that is not a built-in one.

    Raises:
        BleuError: the text is not a signature, or asks for something that bleucli cannot do; one line says what.
        InputTypeError: the signature is not a string, or `tokenize` is not a function or does not fit the metric.

    >>> metric = metric_from_signature("chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0")
    >>> metric.corpus_score(["The dog bit the man."], [["the dog had bit the man."]])
    chrF2++ = 70.39
    >>> own = "BLEU|nrefs:1|case:mixed|eff:no|tok:hyphens-1|smooth:exp|version:2.6.0"
    >>> metric_from_signature(own, tokenize=lambda text: text.replace("-", " - ")).tokenizer("well-known")
    'well - known'
    """
    from bleucli.metrics import reading

    if not isinstance(signature, Signature):
        signature = Signature.parse(signature)
    kind = METRICS[reading.metric_of(signature, METRICS)]
    signature = reading.restate(signature, kind)
    values = reading.values_of(kind, signature)
    if tokenize is not None:
        if not callable(tokenize):
            raise InputTypeError(f"tokenize {tokenize!r:.40} is of type {type(tokenize).__name__}; give a function")
        if "tokenize" not in values:
            raise InputTypeError(
                f"tokenize with a signature of {kind.name}, which takes no tokenizer; leave tokenize out"
            )
        values |= {"tokenize": tokenize, "tokenize_name": values["tokenize"]}
    reading.refuse_unknown_tokenizer(values)
    metric = kind(**values)
    # Checked last, because only the metric shows the version of the tokenizer that is installed, such as MeCab's
    reading.refuse_other(metric, signature)
    return metric


def metric_that_counted(
    signature: str | Signature, given: Mapping[str, Any] | None = None, in_command: bool = False
) -> Metric:
    """Return the metric that a signature describes, to score statistics that it counted; no tokenizer is loaded.

    given: arguments of the constructor that replace those of the signature. in_command: whether messages name options
    as the command does.

    >>> metric = metric_that_counted("BLEU|nrefs:1|tok:ja-mecab-0.996-IPA", {"smooth_method": "floor"})
    >>> str(metric.signature(1, 1)).partition("|version")[0]
    'nrefs:1|case:mixed|eff:no|tok:ja-mecab-0.996-IPA|smooth:floor[0.10]'
    """
    from bleucli.metrics import reading

    if not isinstance(signature, Signature):
        signature = Signature.parse(signature)
    kind = METRICS[reading.metric_of(signature, METRICS)]
    values = reading.values_of(kind, signature, given or {}) | dict(given or {})
    stand_ins = [option for option in kind.options if option.stand_in and option.name not in (given or {})]
    for option in stand_ins:
        values.pop(option.name)
    metric = kind.of_command(**values) if in_command else kind(**values)
    for option in stand_ins:
        if option.stand_in is not None:
            option.stand_in(metric, option.restate(signature.info.get(option.key, option.absent)))
    return metric


def name_of(metric: Metric) -> str:
    """Return the name of a metric, or of its variant, in the command; for metrics of your own, `name` in lower case.

    >>> name_of(find_metric("chrf++")), name_of(find_metric("ter"))
    ('chrf++', 'ter')
    """
    kind = type(metric).__name__
    name = next((name for name, class_name in _CLASSES.items() if class_name == kind), metric.name.lower())
    variants = (
        word
        for word, (base, options) in VARIANTS.items()
        if base == name and all(getattr(metric, option, None) == value for option, value in options.items())
    )
    return next(variants, name)
