"""What the metrics of this package add to those of bleucli: sacreBLEU's private names, its logger and its tolerance.

- `Score`, `Signature`, `Metric`: the bases
- `fit`: cut references of the wrong shape as sacreBLEU does, and say so
- `STEPS`: what a program may replace; `Watched`: the class of metric classes, which notices that
- `check_texts`, `resample`: texts in lists of equal length, and the scores of resamples, for scoring step by step

bleucli's kernels score a metric as long as every step of it is this package's own. If a program replaces a step, in a
subclass, in a mixin, or by setting an attribute of a class or an object, the metric is scored step by step through its
methods, as in sacreBLEU: slower, but as the program means it.
"""

from __future__ import annotations

import os
from abc import ABCMeta
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, ClassVar

from bleucli.counting.corpus import of_one, of_strings, system_of
from bleucli.errors import BleuError, InputTypeError
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.metrics.base import Metric as _Metric
from bleucli.metrics.base import metric_for
from bleucli.metrics.options import Configured
from bleucli.metrics.score import Score as _Score
from bleucli.results import Interval
from bleucli.results.hints import Hint
from bleucli.results.signature import VERSION
from bleucli.results.signature import Signature as _Signature
from bleucli.text import Segments
from sacrebleu.tokenizers import is_ours, name_of
from sacrebleu.utils import sacrelogger, sum_of_lists
from sacrebleu.version import __version__

__all__ = ["Metric", "Score", "Signature", "__version__", "sacrelogger"]


# The kinds of warnings so far
_kinds: set[str] = set()
_SHAPE = (
    "only the first {} of {} segments are scored, as in sacreBLEU, because the numbers of references and hypotheses"
    " differ: {}; expected a list of streams, each with one reference per hypothesis (BLEU_STRICT=1 makes this an"
    " error)"
)


class Signature(_Signature):
    """A signature that can be made as in sacreBLEU: from a dictionary of a metric's attributes.

    Args:
        args: the dictionary; or pairs of a key and its value, as in bleucli.
        name: the name of the metric.

    Raises:
        BleuError: the dictionary does not have the number of references.
    """

    # Whether this package defines the class
    _is_ours = True
    # The metric whose options are signed
    _signed: type[Configured] | None = None

    def __init__(self, args: Any, name: str = "") -> None:
        super().__init__(self._fields(args) if isinstance(args, dict) else args, name)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls._is_ours = cls.__module__.startswith("sacrebleu.")

    @cached_property
    def _abbr(self) -> dict[str, str]:  # type: ignore[override]
        return dict(_Signature._abbr)  # programs add short names of their own keys

    @classmethod
    def _fields(cls, args: dict[str, Any]) -> list[tuple[str, Any]]:
        if "num_refs" not in args:
            raise BleuError("the number of references is not known yet; score something first")
        nrefs = "var" if args["num_refs"] == -1 else args["num_refs"]
        about = [(key, args[name]) for key, name in _ATTRIBUTES.items() if args.get(name) is not None]
        options: dict[str, str] = {}
        if cls._signed is not None:
            cls._signed._add_fields(_Attributes(cls._signed, args), options)  # type: ignore[arg-type]
        return [("nrefs", nrefs), *about, *options.items(), ("version", VERSION)]


# Keys of signatures, and the attributes of sacreBLEU's metrics that they come from; `n_ar` is ours
_ATTRIBUTES = {
    "bs": "n_bootstrap",
    "ar": "n_ar",
    "seed": "seed",
    "test": "test_set",
    "lang": "langpair",
    "origlang": "origlang",
    "subset": "subset",
}


class _Attributes:
    """A dictionary in the place of a metric; what it lacks has the default of the metric's options."""

    def __init__(self, metric: type[Configured], args: dict[str, Any]) -> None:
        values = {option.name: option.default for option in metric.options} | args
        kept = {f"_{name}": value for name, value in values.items()}  # as in the dictionary of a metric
        vars(self).update(kept | values)
        self._signers = metric._signers


class Score(_Score):
    """A score with the attributes of sacreBLEU's."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        # sacreBLEU's attributes, which `vars` shows; -1 stands for no interval
        self._mean = self._ci = -1.0
        self._verbose = ""

    # The text after the number, which a program's own score sets
    _verbose = ""

    @property
    def verbose(self) -> str:  # type: ignore[override]
        """The text after the number."""
        return str(self._verbose)

    def set_interval(self, interval: Interval) -> None:
        """Keep a confidence interval under both of its names."""
        self.interval = interval
        self._mean, self._ci = interval

    def estimate_ci(self, scores: Sequence[_Score]) -> None:
        """Set the confidence interval from the scores of resamples."""
        import numpy as np

        from bleucli.significance.resampling import confidence_interval

        self.set_interval(confidence_interval(np.array([score.score for score in scores])))


def say(text: str, kind: str = "") -> None:
    """Warn on the logger, once per process for each `kind`; by default, the kind is the text."""
    if (kind or text) not in _kinds:
        _kinds.add(kind or text)
        sacrelogger.warning(text)


def is_strict() -> bool:
    """Return whether references of the wrong shape raise an error."""
    return os.environ.get("BLEU_STRICT", "") not in ("", "0")


def fit(hypotheses: Iterable[str | None], references: Iterable[Iterable[str | None]] | None) -> tuple[Any, Any]:
    """Return hypotheses and references of equal length, cut to the shortest where they differ, as in sacreBLEU.

    A string in place of a list is read as a list of characters, as in sacreBLEU.
    """
    if type(hypotheses) is list and type(references) is list and references:
        segments = len(hypotheses)
        if all(type(texts) is list and len(texts) == segments for texts in references):
            return hypotheses, references  # nearly always, so the rest is not asked in loops over sentences
    if references is None or is_strict():
        return hypotheses, references
    try:
        streams = list(references)
    except TypeError:
        return hypotheses, references  # another check reports what is wrong with it
    columns: list[Any] = [hypotheses, *streams]
    if not streams or not all(hasattr(texts, "__len__") and hasattr(texts, "__getitem__") for texts in columns):
        return hypotheses, streams
    lengths = [len(texts) for texts in columns]
    has_string = any(isinstance(texts, str) for texts in columns)
    shortest = min(lengths)
    if max(lengths) == shortest and not has_string:
        return hypotheses, streams
    if shortest:  # otherwise there is nothing left to score, which is an error anyway
        say(_SHAPE.format(shortest, max(lengths), _tell_shape(lengths, has_string)), "shape")
    return list(columns[0])[:shortest], [list(texts)[:shortest] for texts in streams]


def _tell_shape(lengths: list[int], has_string: bool) -> str:
    """Return what is wrong with the shape, and how to correct it; lengths: of the hypotheses, and of each stream."""
    if has_string:
        return "there are strings instead of lists of strings, so characters are scored; write [references]"
    if len(lengths) - 1 == lengths[0] and len(set(lengths[1:])) == 1:
        lists = "is 1 list" if lengths[0] == 1 else f"are {lengths[0]} lists"
        return f"there {lists} of {lengths[1]}, one list per segment; write list(zip(*references))"
    counts = ", ".join(map(str, lengths[1:]))
    return f"there are {lengths[0]} hypotheses, and lists of {counts} references"


# --- steps that a program may replace

# The methods that sacreBLEU's scoring calls on a metric, and the attributes that these read
STEPS = (
    "_check_corpus_score_args",
    "_check_sentence_score_args",
    "_extract_corpus_statistics",
    "_cache_references",
    "_preprocess_segment",
    "_extract_reference_info",
    "_compute_segment_statistics",
    "_aggregate_and_compute",
    "_compute_score_from_stats",
    "_get_closest_ref_len",
    "_get_match_statistics",
    "_compute_f_score",
    "_remove_punctuation",
    "_PUNCTS",
)


class Step:
    """A step in a class. If a program sets another one on an object, the object is scored step by step from then on."""

    def __init__(self, name: str, step: Any) -> None:
        self.name = name
        self.step = step

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function, as programs do that take it from the dictionary of the class."""
        return self.step(*arguments, **named)

    def __get__(self, metric: Any, kind: Any = None) -> Any:
        """Return the step of an object, or of the class."""
        # A method that a program set on the object may call this one, by super()
        if metric is not None and self.name in vars(metric) and _attribute(type(metric), self.name) is self:
            return vars(metric)[self.name]
        return self.step.__get__(metric, kind) if hasattr(self.step, "__get__") else self.step

    def __set__(self, metric: Any, value: object) -> None:
        """Set the step of an object. As in sacreBLEU, this does not prepare the references that it was made with."""
        _ = metric._ref_cache
        vars(metric)[self.name] = value
        metric._step = self.name

    def __delete__(self, metric: Any) -> None:
        """Delete the step of an object, so that it has that of its class again."""
        if self.name not in vars(metric):
            raise AttributeError(self.name)
        del vars(metric)[self.name]


class Watched(ABCMeta):
    """The class of metric classes: if a program sets a step of one or of an object later, those concerned know."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, namespace, **options)
        for step in STEPS:
            if step in namespace:
                super().__setattr__(step, Step(step, namespace[step]))

    def __setattr__(cls, name: str, value: object) -> None:
        """Set an attribute."""
        super().__setattr__(name, Step(name, value) if name in STEPS and not isinstance(value, Step) else value)
        _look_again(cls, name)

    def __delattr__(cls, name: str) -> None:
        """Delete an attribute."""
        super().__delattr__(name)
        _look_again(cls, name)


def _look_again(cls: Any, name: str) -> None:
    if name in STEPS:
        cls._step = _find_step(cls)
        for subclass in cls.__subclasses__():
            _look_again(subclass, name)


def _own_steps(cls: type) -> dict[str, object]:
    """Return the steps of a class, those that it inherits included."""
    return {name: _find(cls, name) for name in STEPS}


def _find_step(cls: Any) -> str:
    """Return the name of the first step in which a class differs from this package's, "" if there is none."""
    return next((name for name, step in cls._own_steps.items() if _find(cls, name) is not step), "")


def _find(cls: type, name: str) -> object:
    """Return a step of a class as it was defined there, or in a base; None if there is none."""
    attribute = _attribute(cls, name)
    return attribute.step if isinstance(attribute, Step) else attribute


def _attribute(cls: type, name: str) -> object:
    """Return an attribute as the first class that has it defines it; None if there is none."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


# --- metrics

# The abstract methods of bleucli's metrics
_BLEUCLI_STEPS = ("prepare", "compare", "score_from_stats")


class Metric(_Metric[Any], metaclass=Watched):
    """A metric with sacreBLEU's private names.

    A program may derive a metric of its own from this class and define sacreBLEU's abstract methods, from
    `_preprocess_segment` to `_compute_score_from_stats`.
    """

    _SIGNATURE_TYPE: ClassVar[Any] = Signature
    n_bootstrap: int | None = None
    seed: str | None = None
    # The references that the metric was made with; and the same as `_cache_references` returned them, once it was asked
    _texts: list[Any] | None = None
    _cache: list[Any] | None = None
    # The name of the first step that a program replaced, "" if none
    _step = ""
    _own_steps: dict[str, object]

    def __init_subclass__(cls, **options: object) -> None:
        own = {"scores_from_stats": cls.scores_from_stats, "score_pairs": cls.score_pairs}
        super().__init_subclass__(**options)
        if cls.__module__.startswith("sacrebleu."):
            # This package's own classes only give scores another type, so bleucli's fast ways stay right for them
            for name, function in own.items():
                setattr(cls, name, function)
            cls._own_steps = _own_steps(cls)
        elif all(getattr(getattr(cls, name), "__isabstractmethod__", False) for name in _BLEUCLI_STEPS):
            # A metric of the program's own, with sacreBLEU's methods alone
            for name in _BLEUCLI_STEPS:
                setattr(cls, name, _refuse)
            if not hasattr(cls, "name"):
                cls.name = cls.__name__
        cls._step = _find_step(cls)

    def replaced_step(self) -> str:
        """Return the name of a step that a program replaced, "" if kernels may score the metric."""
        return self._step

    def _replaces(self, step: str) -> bool:
        if not self._step:  # nothing is replaced, and the rest takes as long as a score
            return False
        return step in vars(self) or _find(type(self), step) is not self._own_steps[step]

    @classmethod
    def like(cls, *options: object) -> Any:
        """Return a metric with these options; calls with the same options return the same metric."""
        return metric_for(cls, *options)

    def _keep(self, references: Iterable[Iterable[str | None]]) -> None:
        """Prepare the references that the metric is made with, cut to equal length."""
        streams = [list(texts) for texts in references]
        texts: list[Any] = fit(streams[0], streams)[1] if len(streams) > 1 else streams
        self._texts = texts
        self._tokenizer_of_texts = self.tokenizer if self._has_tokenizer else None
        if self.replaced_step():
            self._cache = self._cache_references(texts)
        else:
            super()._keep(texts)

    @property
    def _ref_cache(self) -> list[Any] | None:
        if self._cache is None and self._texts is not None:
            # As in sacreBLEU, a tokenizer that a program has set since does not prepare these references
            metric = copy(self)
            if self._has_tokenizer:
                metric.tokenizer = self._tokenizer_of_texts
            self._cache = metric._cache_references(self._texts)
        return self._cache

    @_ref_cache.setter
    def _ref_cache(self, cache: list[Any] | None) -> None:
        self._texts = self._cached = None
        self._cache = cache
        self._step = "_ref_cache"  # references of the program's own can only be scored step by step

    @property
    def num_refs(self) -> int:
        """The number of references per segment; -1 if it varied."""
        return -1 if self._nrefs == "var" else int(self._nrefs or 0)

    @num_refs.setter
    def num_refs(self, number: int) -> None:
        self._nrefs = "var" if number == -1 else str(number)

    def tell(self, hints: Sequence[str]) -> None:
        """Give hints to the logger, each once."""
        for hint in hints:
            say(hint, hint.kind if isinstance(hint, Hint) else hint)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1, **ours: Any) -> Any:
        """Return the score of a system's output."""
        if self.replaced_step():
            return _corpus_score(self, hypotheses, references, n_bootstrap, **ours)
        score = _Metric.corpus_score(self, *self._fit(hypotheses, references), n_bootstrap, **ours)
        self.n_bootstrap = self.seed = None
        if score.interval is not None:
            score.set_interval(score.interval)
            sampling = dict(self._sampling)
            self.n_bootstrap, self.seed = n_bootstrap, sampling.get("seed")
        return score

    def sentence_score(self, hypothesis: str, references: Iterable[str | None]) -> Any:
        """Return the score of one segment."""
        if self.replaced_step():
            return _sentence_score(self, hypothesis, references)
        # Programs call this in loops, and super() takes time
        return _Metric.sentence_score(self, hypothesis, references)

    def segment_stats(self, hypotheses: Any, references: Any, **ours: Any) -> Any:
        """Return a row of statistics for each segment."""
        if isinstance(hypotheses, Segments):
            return super().segment_stats(hypotheses, references, **ours)
        return super().segment_stats(*self._fit(hypotheses, references), **ours)

    def block_stats(self, *block: Any) -> Any:
        """Return the statistics of a block, as kernels count them.

        Raises:
            BleuError: a program replaced a step, which kernels would not ask.
        """
        if step := self.replaced_step():
            raise BleuError(_ONLY_BY_STEP.format(type(self).__name__, step))
        return _Metric.block_stats(self, *block)

    def score_pairs(self, pairs: Any, scores: Any) -> None:
        """Fill in the scores of all pairs; errors are those of `block_stats`."""
        if step := self.replaced_step():
            raise BleuError(_ONLY_BY_STEP.format(type(self).__name__, step))
        super().score_pairs(pairs, scores)

    def _fit(self, hypotheses: Any, references: Any) -> tuple[Any, Any]:
        if references is not None or self._texts is None:
            return fit(hypotheses, references)
        cut, streams = fit(hypotheses, self._texts)
        # Prepared references can be used only if nothing was cut
        return (hypotheses, None) if streams is self._texts or streams == self._texts else (cut, streams)

    def get_signature(self) -> Any:
        """Return the signature of the last score, or of the references that this object was made with."""
        if self._nrefs is None or not self._SIGNATURE_TYPE._is_ours:
            return super().get_signature()
        return _Metric._sign(self, self._nrefs, self._sampling)

    def _sign(self, nrefs: str, sampling: Sequence[tuple[str, str]]) -> Any:
        kind = self._SIGNATURE_TYPE
        if kind._is_ours:
            return _Metric._sign(self, nrefs, sampling)
        # A class of the program's own takes the attributes of sacreBLEU's metrics
        names = [*(option.name for option in self.options), "tokenizer_signature", *vars(self)]
        attributes = {name: getattr(self, name) for name in names if hasattr(self, name)}
        resampling = {_ATTRIBUTES[key]: dict(sampling).get(key) for key in ("bs", "ar", "seed")}
        return kind(attributes | resampling | {"num_refs": -1 if nrefs == "var" else int(nrefs)})

    # --- private names of sacreBLEU that programs use

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any = None) -> list[list[int | float]]:
        if self.replaced_step():
            return _corpus_statistics(self, hypotheses, references)
        self._nrefs = self._count_references(references) if references is not None else self._nrefs
        return [list(row) for row in self.segment_stats(hypotheses, references)]

    @staticmethod
    def _count_references(references: Any) -> str:
        counts = {sum(text is not None for text in texts) for texts in zip(*references, strict=False)}
        return str(counts.pop()) if len(counts) == 1 else "var"

    def _compute_score_from_stats(self, stats: Sequence[int | float]) -> Any:
        return self.score_from_stats(stats)

    def _aggregate_and_compute(self, stats: Sequence[Sequence[int | float]]) -> Any:
        return self._compute_score_from_stats(sum_of_lists(stats))

    def _preprocess_segment(self, sent: str) -> str:
        (text,) = self.prepare(Segments.from_strings([sent]))
        return text or ""

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return what counting needs from references; each metric has its own version."""
        raise NotImplementedError

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        """Return the statistics of a segment; each metric has its own version."""
        raise NotImplementedError

    def _cache_references(self, references: Iterable[Iterable[str | None]]) -> list[dict[str, Any]]:
        rows = [[text for text in texts if text is not None] for texts in zip(*references, strict=False)]
        counts = {len(row) for row in rows}
        self._nrefs = str(counts.pop()) if len(counts) == 1 else "var"
        if not all(rows) and not self._replaces("_extract_reference_info"):
            raise BleuError(
                f"all references of segment {rows.index([])} (counting from 0) are missing; give at least one"
            )
        return [self._extract_reference_info([self._preprocess_segment(text) for text in row]) for row in rows]

    def _check_sentence_score_args(self, hyp: object, refs: object) -> None:
        if not isinstance(hyp, str):
            raise InputTypeError(f"{self.name}: the argument `hyp` should be a string")
        if isinstance(refs, str) or not isinstance(refs, Iterable):
            raise InputTypeError(f"{self.name}: the argument `refs` should be a sequence of strings")

    def _check_corpus_score_args(self, hyps: object, refs: object) -> None:
        for name, texts in (("hyps", hyps), ("refs", () if refs is None else refs)):
            if isinstance(texts, str) or not isinstance(texts, Iterable):
                raise InputTypeError(f"{self.name}: `{name}` should be a sequence")


Metric._own_steps = _own_steps(Metric)


class Tokenized(Metric):
    """A metric with a tokenizer; a program may replace it: `metric.tokenizer = ...`."""

    _tokenizer_name = ""

    @property
    def tokenizer_signature(self) -> str:
        """The name of the tokenizer in signatures."""
        return self._tokenizer_name or name_of(self.tokenizer)

    @tokenizer_signature.setter
    def tokenizer_signature(self, name: str) -> None:
        self._change("tokenizer_name", name)

    def _preprocess_segment(self, sent: str) -> str:
        if is_ours(self.tokenizer):
            return super()._preprocess_segment(sent)
        return str(self.tokenizer((sent.lower() if getattr(self, "lowercase", False) else sent).rstrip()))


_ONLY_BY_STEP = (
    "{} replaces {}, a step of sacreBLEU's metrics, which only corpus_score, sentence_score and sacrebleu's PairedTest"
    " follow; use these, or override prepare, compare or score_from_stats instead"
)


def _refuse(self: Metric, *_: object) -> Any:
    raise BleuError(_ONLY_BY_STEP.format(type(self).__name__, self._step))


# --- scoring step by step


def _corpus_score(
    metric: Any, hypotheses: Any, references: Any, n_bootstrap: int = 1, *, seed: Any = "environment", jobs: int = 1
) -> Any:
    """Return the score of a system's output; arguments and errors as in `bleucli.metrics.Metric.corpus_score`."""
    n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
    whole_number("jobs", jobs, 0)
    hypotheses, references = check_texts(metric, hypotheses, references)
    metric._check_corpus_score_args(hypotheses, references)
    rows = metric._extract_corpus_statistics(hypotheses, references)
    score = metric._aggregate_and_compute(rows)
    metric.n_bootstrap = metric.seed = None
    sampling: list[tuple[str, str]] = []
    if n_bootstrap > 1:
        from bleucli.significance import resampling

        number = resampling.choose_seed(seed)
        if not hasattr(score, "estimate_ci"):
            raise InputTypeError(
                f"{type(metric).__name__} returned a score of type {type(score).__name__}; for a confidence interval,"
                " return a Score of sacrebleu.metrics.base"
            )
        sampling = resampling.signature_fields("bs", n_bootstrap, number)
        metric.n_bootstrap, metric.seed = n_bootstrap, dict(sampling)["seed"]
        score.estimate_ci(resample(rows, metric, n_bootstrap, number))
    return _signed(metric, score, sampling)


def _sentence_score(metric: Any, hypothesis: str, references: Iterable[str | None]) -> Any:
    """Return the score of one segment; arguments and errors as in `bleucli.metrics.Metric.sentence_score`."""
    texts = references if isinstance(references, list | tuple | str) else list(references)
    metric._check_sentence_score_args(hypothesis, texts)
    of_one(hypothesis, texts)  # for its errors
    rows = metric._extract_corpus_statistics([hypothesis], [[text] for text in texts])
    return _signed(metric, metric._aggregate_and_compute(rows), [])


def check_texts(metric: Any, hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """Return texts in lists of equal length, with bleucli's errors for those that cannot be scored."""
    if not isinstance(hypotheses, str | Sequence):
        hypotheses = list(hypotheses)
    hypotheses, references = metric._fit(hypotheses, references)
    if references is not None:
        streams = [texts if isinstance(texts, str | Sequence) else list(texts) for texts in references]
        for _ in of_strings([("", hypotheses)], streams).pieces():
            pass
        return hypotheses, streams
    for _ in system_of(hypotheses).blocks:
        pass
    if metric._ref_cache is None:
        raise InputTypeError("references is None; give them here, or to the metric's constructor")
    return hypotheses, None


def _signed(metric: Any, score: Any, sampling: Sequence[tuple[str, str]]) -> Any:
    """Return a score with its signature, if the number of references is known."""
    if metric._nrefs is not None:
        metric._remember(metric._nrefs, sampling)
        if isinstance(score, _Score):
            score.made = metric.get_signature()
    return score


def _corpus_statistics(metric: Any, hypotheses: Sequence[str], references: Any) -> list[Any]:
    """Return the statistics of each segment, as the metric's methods count them."""
    cache = metric._ref_cache if references is None else metric._cache_references(references)
    if len(cache) != len(hypotheses):
        raise BleuError(
            f"{len(hypotheses)} hypotheses, but {len(cache)} segments with references; give the same number"
        )
    return [
        metric._compute_segment_statistics(metric._preprocess_segment(text), info)
        for text, info in zip(hypotheses, cache, strict=True)
    ]


def resample(rows: Any, metric: Any, resamples: int, seed: int | None) -> list[Any]:
    """Return the scores of resamples, from sums in single precision, as in sacreBLEU."""
    import numpy as np

    numbers = np.array(rows, np.float32)
    generator = np.random.default_rng(seed)
    draws = generator.choice(len(numbers), size=(resamples, len(numbers)), replace=True)
    return [metric._compute_score_from_stats(numbers[indexes].sum(0)) for indexes in draws]
