"""What all metrics share: from texts to statistics, sums of statistics, and from sums to a score.

A metric says how a text is prepared (`prepare`), how prepared texts are compared (`compare`), how a sum of statistics
becomes a score (`score_from_stats`), and which options it has (`options`), from which its signature follows. Everything
else is here.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import GenericAlias, MappingProxyType

from bleucli import kernels
from bleucli.corpus import Corpus, Source, check_shape, of_strings, references_of, refuse_missing, system_of
from bleucli.counting import CorpusStats, References, count
from bleucli.errors import BleuError, InputTypeError, SegmentError
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.metrics.options import SKIP_EMPTY_REFS, Option
from bleucli.segments import Segments, align, blocks_of_strings, refuse_unordered
from bleucli.signature import VERSION, Signature, place_of
from bleucli.stats import SegmentStats

TYPE_CHECKING = False
_LISTS = (list, tuple)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Generic, Self, TypeVar

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import TypeVar as DefaultingTypeVar

    from bleucli.results import Interval

    T = TypeVar("T")
    # A bare `Metric` is one of any score
    ScoreT_co = DefaultingTypeVar("ScoreT_co", bound="Score", covariant=True, default="Score")

    class _Generic(Generic[ScoreT_co]):
        """What makes a class generic in its score."""


else:

    class _Generic:  # as `typing` does it, without the time that it takes to import
        __class_getitem__ = classmethod(GenericAlias)


class Score:
    """A score and what it was made from.

    `score` is the number, `name` the metric's, `verbose` what belongs behind it in text, or "". `interval` is the
    confidence interval with `mean` and `half_width`, if one was asked for.
    """

    name: str
    score: float
    verbose: str = ""
    interval: "Interval | None" = None

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """Return the score in one line.

        Args:
            width: decimals.
            score_only: the number alone, with its confidence interval.
            signature: to print behind the name.
        """
        number = f"{self.score:.{width}f}"
        if self.interval is not None:
            number += f" (μ = {self.interval.mean:.{width}f} ± {self.interval.half_width:.{width}f})"
        if score_only:
            return number
        label = f"{self.name}|{signature}" if signature else self.name
        return f"{label} = {number} {self.verbose}".rstrip()

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


def _give(value: str, metric: object) -> str:
    return value


class Metric(_Generic["ScoreT_co"], ABC):
    """Base of the metrics, generic in their scores; see the module's docstring for what each defines.

    Args:
        skip_empty_refs: take an empty reference for a missing one.
        references: streams to score several systems against; `corpus_score(hypotheses, None)` then uses them, prepared
            once.

    A subclass, of `BLEU`, `CHRF` or `TER` too, overrides the step that it changes and leaves the others:

    - `prepare`: texts before they are counted. References go the same way, unless `prepare_reference` is overridden as
      well; `TER(normalized=True)` tokenizes them once more.
    - `compare`: the numbers that are counted, and then `score_from_stats`, which must know them.
    - `score_from_stats`: the score of a sum. Resamples are scored by it, row by row, unless `scores_from_stats`, which
      is for many rows at once, is overridden as well.
    - `options`, or `signature_fields`: whenever the score is another, so that nobody takes it for the original's.

    What `prepare` reads must be set before `super().__init__(references=...)`, which prepares them.

    >>> from bleucli import BLEU
    >>> class Stemmed(BLEU):
    ...     def prepare(self, segments):
    ...         stems = [text and " ".join(word[:4] for word in text.split()) for text in segments]
    ...         return super().prepare(Segments.from_strings(stems))
    ...     constants = (("stem", "4"),)
    >>> Stemmed().corpus_score(["the cats sleeping there"], [["the cats sleep there"]]).score
    100.0
    """

    name: str
    higher_is_better = True
    # Whether p-values count trials that equal the difference; sacreBLEU's do not, and its metrics follow it
    counts_ties = True
    needs_all_references = False
    learned: object = None
    options: "ClassVar[Sequence[Option]]" = (SKIP_EMPTY_REFS,)
    # Keys of the signature that have one value each
    constants: "ClassVar[Sequence[tuple[str, str]]]" = ()
    # Whether messages name options as the command does
    in_command = False
    _by_name: "ClassVar[Mapping[str, Option]]" = MappingProxyType({SKIP_EMPTY_REFS.name: SKIP_EMPTY_REFS})
    _signed: "ClassVar[Sequence[tuple[str, Callable[[Any], str]]]]" = ((SKIP_EMPTY_REFS.key, SKIP_EMPTY_REFS.sign),)

    def __init_subclass__(cls, **options: "Any") -> None:
        super().__init_subclass__(**options)
        own = vars(cls)
        if "options" in own or "constants" in own:
            signed = [(option.key, option.sign) for option in cls.options if option.key]
            signed += [(key, partial(_give, value)) for key, value in cls.constants]
            cls._by_name = {option.name: option for option in cls.options}
            cls._signed = sorted(signed, key=lambda field: place_of(field[0]))
        if "score_from_stats" in own and "scores_from_stats" not in own:  # an inherited one has another formula
            cls.scores_from_stats = Metric.scores_from_stats  # type: ignore[method-assign]

    def __init__(
        self, *, skip_empty_refs: bool = False, references: Iterable[Iterable[str | None]] | None = None
    ) -> None:
        self.skip_empty_refs = SKIP_EMPTY_REFS.check(skip_empty_refs, SKIP_EMPTY_REFS.label(self.in_command))
        self.advice: list[str] = []  # what a user should know about the way of scoring, whatever the texts
        self._nrefs: str | None = None
        self._sampling: list[tuple[str, str]] = []
        self._cached: list[References] | None = None
        if references is not None:
            corpus = Corpus([], references_of(check_shape(None, references)))
            if self.needs_all_references:
                blocks, corpus = corpus.reference_pieces()
                self.learn(blocks)
            self._cached = [self.prepare_references(piece.references, piece.start) for piece in corpus.pieces()]
            fewest = min(block.fewest for block in self._cached)
            most = max(block.most for block in self._cached)
            self._nrefs = self.signature(fewest, most).info["nrefs"]

    # --- what a metric defines, or may define

    @abstractmethod
    def prepare(self, segments: Segments) -> Segments:
        """Return the texts in the form in which `compare` takes them."""

    @abstractmethod
    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return the statistics of prepared hypotheses against prepared references."""

    @abstractmethod
    def score_from_stats(self, sums: Sequence[int | float]) -> "ScoreT_co":
        """Return the score of a sum of statistics."""

    def signature_fields(self) -> list[tuple[str, str]]:
        """Return keys and values for the signature, between `nrefs` and `version`, from the table of options."""
        return [(key, value) for key, sign in self._signed if (value := sign(self))]

    def score_name(self) -> str:
        """Return the name of the scores, which may tell options."""
        return self.name

    @classmethod
    def read_name(cls, name: str) -> "dict[str, Any] | None":
        """Return the constructor's arguments that the name of a score tells; None if it is another metric's.

        Raises:
            BleuError: it is this metric's, but cannot be.
        """
        return {} if name == cls.name else None

    def learn(self, references: Iterator[Sequence[Segments]]) -> None:  # few metrics need it
        """Read all references before anything is counted, and keep in `learned` what was found.

        Called where `needs_all_references` is true, on an object of its own for each corpus. Statistics are added only
        where what was learned is equal (`==`): to count in batches, make the metric with all references.

        Args:
            references: the streams, block by block.
        """

    def prepare_reference(self, segments: Segments) -> Segments:
        """Return references in the form in which `compare` takes them: like `prepare`, unless a metric differs."""
        return self.prepare(segments)

    def observe(self, hypotheses: Segments) -> tuple[int, ...]:
        """Count the signs of input that is not meant for this metric; `hints` reads their sums."""
        return ()

    def hints(self, stats: CorpusStats) -> list[str]:
        """Return what a user should know about the input of a corpus's score."""
        return []

    def scores_from_stats(self, sums: SegmentStats) -> "NDArray[np.float64]":
        """Return the score of each row of sums, as `score_from_stats` does; BLEU's may differ in the last bits."""
        import numpy as np

        return np.array([self.score_from_stats(row).score for row in sums], np.float64)

    # --- what all metrics do alike

    def prepare_references(self, streams: Sequence[Segments], start: int = 0) -> References:
        """Prepare the references of a block of segments; `start` is the index of the block's first one.

        Raises:
            BleuError: a segment has no reference at all.
        """
        if self.skip_empty_refs:
            streams = [kernels.drop_empty(kernels.strip_trailing(stream)) for stream in streams]
        fewest, most, bare = kernels.reference_counts(streams)
        if bare >= 0:
            missing = "empty or missing" if self.skip_empty_refs else "missing"
            raise BleuError(
                f"all references of segment {start + bare + 1} are {missing}; give at least one, or leave it out"
            )
        try:
            return References(list(map(self.prepare_reference, streams)), fewest, most)
        except SegmentError as error:
            raise error.locate(start, "references") from None

    def block_stats(self, hypotheses: Segments, references: References, start: int, name: str) -> SegmentStats:
        """Return the statistics of a block of hypotheses, the first of which has the index `start`.

        Raises:
            BleuError: a segment cannot be prepared; it is named, and `name`, whose it is.
        """
        try:
            prepared = self.prepare(hypotheses)
        except SegmentError as error:
            raise error.locate(start, name) from None
        return self.compare(prepared, references)

    def segment_stats(self, hypotheses: Segments, references: Sequence[Segments]) -> SegmentStats:
        """Return the sufficient statistics, one row a segment.

        Args:
            hypotheses: n texts.
            references: one `Segments` of n texts a reference stream.

        Raises:
            InputTypeError: something else than `Segments`, or a missing hypothesis.
            BleuError: there is no reference, or lengths differ.
        """
        _check_columns(hypotheses, references)
        return self.compare(self.prepare(hypotheses), self.prepare_references(references))

    def configuration(self) -> object:
        """Return what tells differently configured metrics apart: statistics of both cannot be added."""
        named = [getattr(self, option.name) for option in self.options if option.in_name]
        return type(self), self.signature_fields(), named, self.learned

    @classmethod
    def of_command(cls, **values: "Any") -> "Self":
        """Make a metric of which all messages, the constructor's errors too, name options as the command does."""
        metric = cls.__new__(cls)
        metric.in_command = True
        metric.__init__(**values)  # type: ignore[misc]
        return metric

    def check(self, name: str, value: "T") -> "T":
        """Return the value of an option if it can have it.

        Raises:
            InputTypeError: it is of another type.
            UsageError: it is out of bounds.
        """
        option = self._by_name[name]
        checked: T = option.check(value, option.label(self.in_command))
        return checked

    def label(self, name: str) -> str:
        """Return what the reader of a message calls an option: `beta` in Python, `--chrf-beta` in the command."""
        return self._by_name[name].label(self.in_command)

    def spell(self, name: str) -> str:
        """Return how the reader of a message gives an option: `effective_order=True`, or `-sl` in the command."""
        return self._by_name[name].spell(self.in_command)

    def signature(self, fewest: int, most: int, sampling: Sequence[tuple[str, str]] = ()) -> Signature:
        """Return the signature of a score whose segments had at least `fewest` and at most `most` references.

        sampling: keys and values of how it was resampled.
        """
        nrefs = str(most) if fewest == most else "var"
        fields = [("nrefs", nrefs), *sampling, *self.signature_fields(), ("version", VERSION)]
        return Signature(fields, self.score_name())

    def get_signature(self) -> Signature:
        """Return the signature of the last score, or of the references that this object was made with.

        Raises:
            BleuError: there are neither, so that the number of references is not known.
        """
        if self._nrefs is None:
            raise BleuError("the number of references is not known yet; score something first")
        fields = [("nrefs", self._nrefs), *self._sampling, *self.signature_fields(), ("version", VERSION)]
        return Signature(fields, self.score_name())

    def corpus_score(
        self,
        hypotheses: Iterable[str | None],
        references: Iterable[Iterable[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> "ScoreT_co":
        """Score a system's output.

        Args:
            hypotheses: n strings.
            references: streams: one iterable of n strings for each reference set; None is a missing reference. Or
                None, to use the references that this object was made with.
            n_bootstrap: resamples for a confidence interval, the score's `interval`; 1 for none.

        Raises:
            BleuError: lengths differ, or a segment has no reference.
            InputTypeError: something else than strings, or a list of another shape.
        """
        n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
        stats = self.corpus_stats(hypotheses, references, keep_rows=n_bootstrap != 1)
        for hint in [*stats.hints(), *self.advice]:
            warnings.warn(hint, stacklevel=2)
        score: ScoreT_co = stats.score()
        self._nrefs = stats.signature().info["nrefs"]
        self._sampling = []
        if stats.rows is not None:
            score.interval = self._interval(stats.rows, n_bootstrap)
        return score

    def _interval(self, stats: SegmentStats, resamples: int) -> "Interval":
        """Return the confidence interval of a corpus's score, and keep for the signature how it was made."""
        from bleucli.significance import resampling

        seed = resampling.random_seed()
        (scores,) = resampling.bootstrap([resampling.Sample(stats, self.scores_from_stats)], resamples, seed)
        self._sampling = resampling.signature_fields("bs", resamples, seed)
        return resampling.confidence_interval(scores)

    def corpus_stats(
        self,
        hypotheses: Iterable[str | None],
        references: Iterable[Iterable[str | None]] | None,
        *,
        keep_rows: bool = False,
    ) -> CorpusStats:
        """Return the statistics of a system's output, which add up: parts, counted anywhere, to the whole.

        Args:
            hypotheses: as in `corpus_score`, but there may be none.
            references: likewise.
            keep_rows: keep the statistics of each segment, to take some of them.

        Raises:
            BleuError: lengths differ, or a segment has no reference.
            InputTypeError: something else than strings, or a list of another shape.

        >>> from bleucli import BLEU
        >>> batches = [(["a b c d e"], [["a b c d f"]]), (["g h i j"], [["g h i j"]])]
        >>> round(sum(BLEU().corpus_stats(*batch) for batch in batches).score().score, 2)
        79.84
        """
        if references is None:
            corpus = Corpus([system_of(hypotheses)], [self.cached_references()], prepared=True)
            from copy import copy

            metric = copy(self)
            metric._cached = None  # statistics should be small
        else:
            corpus, metric = of_strings([("", hypotheses)], references), self
        corpus = corpus._replace(may_be_empty=True)
        systems = count(corpus, [metric], keep_rows=keep_rows)
        return systems[0].stats[0] if systems else CorpusStats(metric)

    def cached_references(self) -> Source:
        """Return the references that this object was made with, prepared for it.

        Raises:
            InputTypeError: there are none.
        """
        if self._cached is None:
            raise InputTypeError("references is None; give the references here, or to the metric when it is made")
        names = ["references"] * (len(self._cached[0].streams) if self._cached else 0)
        return Source("references", names, (block.streams for block in self._cached))

    def sentence_score(self, hypothesis: str, references: Iterable[str | None]) -> "ScoreT_co":
        """Score one segment.

        Args:
            hypothesis: the system's output.
            references: its references.

        Raises:
            InputTypeError: something else than strings, or a bare string as references.
        """
        texts = references if isinstance(references, _LISTS) else _references_of_one(references)
        if not texts:
            raise BleuError("no references were given; expected at least one")
        if len(texts) == 1:
            streams = [Segments.from_strings(texts, "reference")]
        else:
            streams = [Segments.from_strings((text,), "reference", number) for number, text in enumerate(texts, 1)]
        if not isinstance(hypothesis, str):
            raise InputTypeError(f"hypothesis: {type(hypothesis).__name__}, which is no string; give one string")
        prepared = self.prepare_references(streams)
        stats = self.compare(self.prepare(Segments.from_strings((hypothesis,), "hypothesis")), prepared)
        self._nrefs = str(prepared.most)
        self._sampling = []
        return self.score_from_stats(stats.data.tolist())  # a single row is its own sum


def _check_columns(hypotheses: Segments, references: Sequence[Segments]) -> None:
    """Refuse what cannot be compared column by column."""
    streams = [references] if isinstance(references, Segments) or not isinstance(references, Iterable) else references
    columns = [hypotheses, *streams]
    if streams is not references or not all(isinstance(column, Segments) for column in columns):
        raise InputTypeError(
            "segment_stats takes bleucli.Segments, and a list of them as references; write Segments.from_strings(texts)"
            " for each list of strings"
        )
    if not streams:
        raise BleuError("no references were given; expected at least one stream")
    if len(set(map(len, columns))) > 1:  # align says which one is too short
        names = ["hypotheses", *(source.label for source in references_of([()] * len(streams)))]
        list(align([iter([[column]]) for column in columns], names))
    refuse_missing(hypotheses, 0)


def _references_of_one(references: Iterable[str | None]) -> list[str | None]:
    """Return the references of a single segment as a list."""
    if isinstance(references, str | bytes) or not isinstance(references, Iterable):
        raise InputTypeError("references: expected a list of strings; write [reference]")
    refuse_unordered(references, "references")
    return [text for block in blocks_of_strings(references, "reference") for text in block]
