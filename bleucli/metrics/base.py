"""What all metrics share: counting statistics of texts, adding them up, and scoring the sums.

A metric says how a text is prepared (`prepare`), how prepared texts are compared (`compare`), how a sum of statistics
becomes a score (`score_from_stats`), and which options it has (`options`), from which its signature follows. Everything
else is here.
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping, Sequence  # see CONTRIBUTING.md
from abc import ABC, abstractmethod

from bleucli import kernels
from bleucli.counting import CorpusStats, References, count, count_block
from bleucli.counting.corpus import (
    HYPOTHESES,
    Corpus,
    Source,
    check_columns,
    check_shape,
    of_few,
    of_one,
    of_strings,
    references_of,
    system_of,
)
from bleucli.errors import BleuError, InputTypeError, SegmentError, UsageError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.metrics.options import NORMALIZE, SKIP_EMPTY_REFS, Configured, is_setting, setting
from bleucli.metrics.score import OfScore, Remarks, Score
from bleucli.phrases import join_words, tell_place
from bleucli.results import BY_ORDER, Description, Fact, Figures
from bleucli.results.segments import SegmentScores
from bleucli.results.signature import VERSION, Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting.corpus import Joining
    from bleucli.metrics.pairwise import Best, Pairs
    from bleucli.metrics.score import ScoreT_co
    from bleucli.significance.resampling import Seed

    MetricT = TypeVar("MetricT", bound="Metric")

# The packages of the metrics whose signatures follow from settings
_OURS = ("bleucli.", "sacrebleu.")
# Options of several metrics that decide how references are prepared
_OF_TEXTS = ("lowercase", "skip_empty_refs", "normalize")
# What signatures say of case, in words
_CASES = {"mixed": "case-sensitive", "lc": "case-insensitive"}
# What signatures say of `normalize`, in words; case has its own
_KINDS = {
    "quotes": "quotation marks",
    "apostrophes": "apostrophes",
    "dashes": "dashes",
    "ellipses": "ellipses",
    "spaces": "spaces",
    "invisible": "invisible characters",
    "widths": "full-width and half-width forms",
    "nfc": "normal forms",
}
# Methods that do the same as others, many times faster; and these others
_FAST_WAYS = {
    "scores_from_stats": ("score_from_stats",),
    "score_columns": ("score_from_stats",),
    "score_pairs": ("compare", "score_from_stats"),
}


class Metric(OfScore["ScoreT_co"], Configured, ABC):
    """Base of the metrics, generic in their scores; the module's docstring says what each metric defines.

    Args:
        skip_empty_refs: treat an empty reference as missing.
        normalize: what to make alike in output and references before they are prepared, as for `bleucli.normalize`.
        references: streams to score several systems against; `corpus_score(hypotheses, None)` then uses them, prepared
            once.

    A subclass, which may also derive from `BLEU`, `CHRF` or `TER`, overrides the steps that it changes:

    - `prepare`: what is done to texts before they are counted. It is also done to references, unless
      `prepare_reference` is overridden as well; `TER(normalized=True)` tokenizes them once more.
    - `compare`: the numbers that are counted, together with `score_from_stats`, which reads them.
    - `score_from_stats`: the score of a sum. It also scores resamples, row by row, unless `scores_from_stats`, which
      takes many rows at once, is overridden as well.
    - `score_pairs`: only if the metric can score many pairs faster than by `compare` and `score_from_stats`.
    - `options`, or `signature_fields`: whenever scores change, so that no one mistakes them for the original's.
    - `describe`: whenever what papers say of the original's scores does not hold for them.

    Set what `prepare` reads before calling `super().__init__(references=...)`, which prepares the references.

    >>> from bleucli import BLEU
    >>> class Stemmed(BLEU):
    ...     def prepare(self, segments):
    ...         stems = [text and " ".join(word[:4] for word in text.split()) for text in segments]
    ...         return super().prepare(Segments.from_strings(stems))
    ...     constants = (("stem", "4"),)
    >>> Stemmed().corpus_score(["the cats sleeping there"], [["the cats sleep there"]]).score
    100.0
    """

    lowercase: bool = setting("lowercase")
    skip_empty_refs: bool = setting("skip_empty_refs")
    normalize: str = setting("normalize")
    # An option that nobody gave has its default here, and not in each metric: metrics for sentences are made in loops
    _skip_empty_refs = False
    _normalize = ""
    # Warnings about the options, whatever the texts
    advice: Sequence[str] = ()
    # False for error rates
    higher_is_better = True
    # Whether a p-value counts trials that equal the difference. For sacreBLEU's metrics it does not, as in sacreBLEU.
    counts_ties = True
    # Whether `learn` must read all references before anything is counted. It sets `learned`, None until then.
    needs_all_references = False
    # What is aligned, "word" or "character"; "" if texts are not. The time grows with the square of their length.
    aligns = ""
    # Whether aligned words may also move, which is searched for and takes far longer
    shifts = False
    # The module beside this one that takes scores apart for `bleu explain`; "" if scores cannot be explained
    explained_by = ""
    # Options from which the constructor makes other attributes, so that setting them later would have no effect
    _fixed: frozenset[str] = frozenset({"normalize"})
    # Whether scores are in percent; others are printed as they are, whatever the scale
    in_percent = True
    # Which of its statistics, by `column_names`, may be fractions
    fractions: frozenset[str] = frozenset()
    # Whether it has a `tokenizer`, a plain attribute instead of a setting, since programs call it in loops
    _has_tokenizer = False
    tokenizer: Any
    # The fewest references that a segment has
    fewest_references = 1
    _SIGNATURE_TYPE: ClassVar[type[Signature]] = Signature
    learned: object = None
    _cached: list[References] | None = None
    _nrefs: str | None = None
    _sampling: Sequence[tuple[str, str]] = ()
    # All scores made since the last change of a setting share this list. The next change first puts a copy of the
    # metric into the list, so scoring itself copies nothing. None if there are no such scores.
    _before: list[Metric] | None = None
    # Whether nothing but settings decides its signatures, so that its scores need no copy of it
    _signs_only_settings = True

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if not cls.__module__.startswith(_OURS):
            cls._signs_only_settings = False
            cls._keep_defaults()
        # An inherited fast way would bypass a step that this class, or a mixin before the metric, overrides
        for fast, steps in _FAST_WAYS.items():
            if any(_home(cls, step) < _home(cls, fast) for step in steps):
                setattr(cls, fast, getattr(Metric, fast))

    @classmethod
    def _keep_defaults(cls) -> None:
        """Keep what a class, or a mixin before the metric, sets as an option where counting looks for it."""
        for option in cls.options:
            attributes = [vars(base)[option.name] for base in cls.__mro__ if option.name in vars(base)]
            of_metric = next(filter(is_setting, attributes), None)
            if of_metric is not None and attributes[0] is not of_metric:
                if hasattr(attributes[0], "__set__"):
                    raise UsageError(
                        f"{cls.__name__}.{option.name} is a property, which counting would not follow; set the option"
                        " in the constructor"
                    )
                setattr(cls, option.name, of_metric)
                setattr(cls, f"_{option.name}", attributes[0])

    def __init__(
        self,
        *,
        skip_empty_refs: bool = False,
        normalize: str = "",
        references: Iterable[Iterable[str | None]] | None = None,
    ) -> None:
        if skip_empty_refs is not False:
            skip_empty_refs = SKIP_EMPTY_REFS.check(skip_empty_refs, SKIP_EMPTY_REFS.label(self.in_command))
            self._skip_empty_refs = skip_empty_refs
        if normalize != "":
            self._normalize = _read_kinds(normalize, NORMALIZE.label(self.in_command))
        if references is not None:
            self._keep(references)

    # --- what a metric defines, or may define

    @abstractmethod
    def prepare(self, segments: Segments) -> Segments:
        """Return each text in the form that `compare` takes; missing ones stay missing."""

    @abstractmethod
    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return one row of statistics per segment, for prepared hypotheses and references; rows can be added."""

    @abstractmethod
    def score_from_stats(self, sums: Sequence[int | float]) -> ScoreT_co:
        """Return the score of a sum of rows; sums: one number per column."""

    def learn(self, references: Iterator[Sequence[Segments]]) -> None:  # few metrics need it
        """Read all references before anything is counted, and keep what is found in `learned`.

        Called if `needs_all_references` is true: by the constructor if it is given references, else on a copy of the
        metric for each corpus. Statistics can be added only if what was learned is equal (`==`): to count in batches,
        make the metric with all references.

        Args:
            references: the streams, block by block.
        """

    def column_names(self) -> list[str]:
        """Return the names that the columns of its statistics have in files and tables.

        Columns whose names begin with `ref` depend, for a segment with a single reference, only on that reference.
        """
        raise BleuError(
            f"{self.name} does not name its statistics, but files and tables need the names; define column_names()"
        )

    def find_impossible(
        self, columns: Mapping[str, NDArray[Any]], references: NDArray[Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Give what cannot be in rows of statistics, such as more matches than n-grams, and in which rows it is.

        Rows that are read from files are checked with it, before they are scored. For every metric, negative whole
        numbers are refused without it, as are numbers that are not finite.

        Args:
            columns: the numbers, by `column_names`; each row is that of a segment, or a sum of such rows.
            references: for each row, the number of references of its segment, or the most that one of its segments has.
        """
        yield from ()

    def prepare_reference(self, segments: Segments) -> Segments:
        """Return references in the form that `compare` takes: as `prepare` does, unless a metric overrides this."""
        return self.prepare(segments)

    def observe(self, hypotheses: Segments) -> tuple[int, ...]:
        """Count signs of input that does not suit this metric; `hints` reads their sums."""
        return ()

    def observe_references(self, references: Sequence[Segments]) -> tuple[int, ...]:
        """Count such signs in prepared references; they follow those of `observe`."""
        return ()

    def hints(self, stats: CorpusStats) -> list[str]:
        """Return what a user should know about the input of a corpus's score."""
        return []

    def remarks(self, stats: CorpusStats) -> Remarks:
        """Return what the calculator says of the score of a single segment: nothing, unless a metric overrides this."""
        return Remarks()

    @property
    def ngram_orders(self) -> int:
        """The number of orders of n-grams that are counted."""
        return 0

    def for_segments(self) -> Self:
        """Return the metric as it scores single segments: this one, unless a metric needs other options for that."""
        return self

    def count_kinds(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of the numbers of hits, substitutions, deletions, insertions and shifts of prepared segments.

        Only metrics that align texts (`aligns`) have them.
        """
        raise NotImplementedError

    def normalizing(self, kinds: str, done: Sequence[str] = ()) -> Self:
        """Return a copy of the metric that also makes these kinds of characters alike; it has no references.

        done: the kinds that are alike already, in all texts that the copy will see.
        """
        metric = _copy(self)
        metric._cached = metric._before = None
        names = [kind for kind in f"{self._normalize},{kinds}".split(",") if kind and kind not in done]
        metric._normalize = _read_kinds(",".join(names), "normalize")
        return metric

    @classmethod
    def describe(cls, info: Mapping[str, str]) -> Description:
        """Return what a paper may say of scores, and has to cite for them.

        Unless a metric overrides this: whether case counts, if an option says so with the words of signatures, and
        which typography is made alike.

        Args:
            info: the keys and values of the scores' signature; some may be missing if another program wrote it.
        """
        words = next((option.words for option in cls.options if option.key == "case"), ())
        key = info.get("case", "")
        kinds = info.get("normalize", "").split(",")
        case, facts, uses = "", [], []
        if key in _CASES and {*words} == _CASES.keys():
            case = _CASES["lc" if "case" in kinds else key]
            facts.append(Fact("Case", f"{case} ({'normalize:case' if 'case' in kinds else key})"))
        if names := [_KINDS[kind] for kind in kinds if kind in _KINDS]:
            both_sides = f"{join_words(names)} in output and references"
            facts.append(Fact("Normalization", both_sides))
            uses.append(f"normalization of {both_sides}")
        return Description(case=case, uses=uses, facts=facts)

    @classmethod
    def signs_like(cls, original: type[Metric], info: Mapping[str, str]) -> bool:
        """Return whether a metric, or one derived from it, signs nothing that sacreBLEU's version of it lacks.

        sacreBLEU does not skip empty references, and leaves typography alone. Derived metrics sign what they change.
        """
        is_plain = info.keys().isdisjoint({"empty", "normalize"})
        return is_plain and cls.options == original.options and cls.constants == original.constants

    def follow(self, joining: Joining) -> None:  # few metrics need it
        """Note how the items of the corpus that is counted next are joined."""

    def check_count(self, segments: int) -> None:  # few metrics need it
        """Raise a BleuError if the metric has rows for another number of segments than were counted."""

    def check_sum(self, segments: int) -> None:  # few metrics need it
        """Raise a BleuError if a sum over this number of segments has no score."""

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the score of each row of sums in percent, as `score_from_stats` does; BLEU's last bit may differ."""
        import numpy as np

        rows = list(map(tuple, np.asarray(sums).tolist()))
        # Resamples of few segments have few different sums
        scores = {row: self.score_from_stats(row).score for row in set(rows)}
        return np.array([scores[row] for row in rows], np.float64)

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the score of each of at least one row, as `score_from_stats` does, in columns."""
        scores = []
        for number, row in enumerate(rows, 1):
            try:
                scores.append(self.score_from_stats(row))
            except SegmentError as error:
                raise SegmentError(number, error.what) from None
        fields = zip(Figures._fields, zip(*(score.figures() for score in scores), strict=True), strict=True)
        figures = {
            name: list(zip(*values, strict=True)) if name in BY_ORDER else values
            for name, values in fields
            if values[0] is not None
        }
        verbose = [score.verbose for score in scores]
        return SegmentScores(scores[0].name, [float(score.score) for score in scores], figures, [verbose])

    def score_pairs(self, pairs: Pairs, scores: memoryview[float]) -> None:
        """Fill in the scores of all pairs of prepared texts, as `kernels.pairwise_chrf` does."""
        from bleucli.metrics.pairwise import score_one_by_one

        score_one_by_one(self, pairs, scores)

    # --- what all metrics do alike

    def make_alike(self, segments: Segments) -> Segments:
        """Return texts with the characters that the option `normalize` makes alike; they still have to be prepared."""
        if not self._normalize:
            return segments
        from bleucli.text.typography import normalize_segments

        return normalize_segments(segments, self._normalize)

    def prepare_references(self, streams: Sequence[Segments], start: int = 0) -> References:
        """Prepare the references of a block of segments; `start` is the index of its first segment."""
        if self._normalize:
            streams = list(map(self.make_alike, streams))
        if self._skip_empty_refs:  # a reference of white space alone is empty, too
            streams = [kernels.drop_empty(kernels.strip_trailing(stream)) for stream in streams]
        fewest, most, bare = kernels.reference_counts(streams)
        if bare >= 0:
            missing = "empty or missing" if self._skip_empty_refs else "missing"
            raise BleuError(
                "all references of ",
                tell_place("segment", start + bare),
                f" are {missing}; give at least one, or leave out the segment",
            )
        try:
            # All fields: to look for those left out takes half a microsecond, and sentences are scored in loops
            return References(list(map(self.prepare_reference, streams)), fewest, most, ())
        except SegmentError as error:
            raise error.locate(start, "references") from None

    def block_stats(self, hypotheses: Segments, references: References, start: int, name: str) -> SegmentStats:
        """Return the statistics of a block of hypotheses, the first of which has the index `start`."""
        try:
            texts = self.prepare(self.make_alike(hypotheses))
        except SegmentError as error:
            raise error.locate(start, name) from None
        return self.compare(texts, references)

    def sum_rows(self, rows: SegmentStats) -> tuple[int | float, ...]:
        """Return the sum of each column of rows."""
        return kernels.column_sums(rows)

    def segment_stats(
        self,
        hypotheses: Segments | Iterable[str],
        references: Any,
        *,
        jobs: int = 1,
    ) -> SegmentStats:
        """Return the sufficient statistics, one row per segment; `column_names` has the names of the columns.

        The score of several segments is that of the sum of their rows:
        `score_from_stats([sum(column) for column in zip(*rows)])`.

        Args:
            hypotheses: n texts: strings, or `Segments`.
            references: streams, each of n texts of the same kind. With strings, None stands for the
                references that this object was made with.
            jobs: the number of threads that count strings, 0 for all usable processors; it never changes the
                statistics. One thread counts `Segments`.

        Raises:
            InputTypeError: something other than strings or `Segments`, or a missing hypothesis.
            BleuError: there is no reference, lengths differ, or a text cannot be prepared.

        >>> from bleucli import TER
        >>> rows = TER().segment_stats(["a b c", "d e"], [["a b", "d e"]])
        >>> list(rows), TER().score_from_stats([sum(column) for column in zip(*rows)]).score
        ([(1.0, 2.0), (0.0, 2.0)], 25.0)
        """
        if not isinstance(hypotheses, Segments):
            stats = self.corpus_stats(hypotheses, references, keep_rows=True, jobs=jobs)
            if stats.rows is None:
                raise BleuError("no hypotheses were given; expected at least one")
            return stats.rows
        check_columns(hypotheses, references)
        return self.block_stats(hypotheses, self.prepare_references(references), 0, "hypotheses")

    def configuration(self) -> object:
        """Return a value that differs between metrics whose statistics cannot be added."""
        # Signatures lack what the name of the score shows, such as beta
        values = [getattr(self, option.name) for option in self.options if option.in_name]
        return type(self), self.signature_fields(), values, self.learned

    def signature(self, fewest: int, most: int, sampling: Sequence[tuple[str, str]] = ()) -> Signature:
        """Return the signature of a score whose segments had at least `fewest` and at most `most` references.

        sampling: keys and values that say how the score was resampled.
        """
        return self._sign(_tell_references(fewest, most), sampling)

    def get_signature(self) -> Signature:
        """Return the signature of the last score, or of the references that this object was made with.

        Raises:
            BleuError: there are no references and no score yet, so the number of references is unknown.
        """
        if self._nrefs is None:
            raise BleuError("the number of references is not known yet; score something first")
        return self._sign(self._nrefs, self._sampling)

    def _sign(self, nrefs: str, sampling: Sequence[tuple[str, str]]) -> Signature:
        info = {"nrefs": nrefs}
        if sampling:
            info.update(sampling)
        if self._signs_by_table:
            self._add_fields(info)
        else:
            info.update(self.signature_fields())
        info["version"] = VERSION
        return self._SIGNATURE_TYPE.of(info, self.score_name())

    def corpus_score(
        self,
        hypotheses: Iterable[str | None],
        references: Iterable[Iterable[str | None]] | None,
        n_bootstrap: int = 1,
        *,
        seed: Seed = "environment",
        jobs: int = 1,
    ) -> ScoreT_co:
        """Return the score of a system's output, in percent, as an object of the metric's own score class.

        Args:
            hypotheses: n strings.
            references: streams: one iterable of n strings for each reference set; None is a missing reference. Or
                None, to use the references that this object was made with.
            n_bootstrap: resamples for a confidence interval, the score's `interval`, up to 10,000,000; 1 for none.
            seed: the seed of the resamples, a whole number from 0, which the signature shows; None for a new seed each
                time. "environment" stands for `BLEU_SEED`, or else `SACREBLEU_SEED`, or else 12345.
            jobs: the number of threads, 0 for all usable processors; it never changes a score.

        Raises:
            BleuError: lengths differ, or a segment has no reference.
            UsageError: `n_bootstrap`, `seed` or `jobs` is out of range.
            InputTypeError: something other than strings, or a list of the wrong shape.

        >>> from bleucli import CHRF
        >>> metric = CHRF()
        >>> score = metric.corpus_score(["a cat", "one dog"], [["the cat", "a dog"]], n_bootstrap=100, seed=7)
        >>> print(score, str(metric.get_signature()).partition("|case")[0])
        chrF2 = 35.83 (μ = 36.58 ± 5.51) nrefs:1|bs:100|seed:7
        """
        n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
        jobs = _count_threads(jobs)
        seed_value: int | None = None
        # Without resampling, the module is imported only to check a seed that was given
        if n_bootstrap != 1 or seed != "environment":
            from bleucli.significance import resampling

            seed_value = resampling.choose_seed(seed)
        stats = self.corpus_stats(hypotheses, references, keep_rows=n_bootstrap != 1, jobs=jobs)
        self.tell([*stats.hints(), *self.advice])
        score: ScoreT_co = stats.score()
        nrefs = _tell_references(stats.fewest, stats.most)
        self._remember(nrefs)
        if stats.rows is not None:
            sample = resampling.Sample(stats.rows, self.scores_from_stats)
            (scores,) = resampling.bootstrap([sample], n_bootstrap, seed_value, jobs=jobs)
            score.interval = resampling.confidence_interval(scores)
            fields = resampling.signature_fields("bs", n_bootstrap, seed_value)
            self._remember(nrefs, fields)
            stats.metric.sign(score, stats.fewest, stats.most, fields)
        return score

    def tell(self, hints: Sequence[str]) -> None:
        """Give each hint as a warning."""
        if hints:  # imported only if there is something to say
            from bleucli.results.hints import warn

            for hint in hints:
                warn(hint)

    def corpus_stats(
        self,
        hypotheses: Iterable[str | None],
        references: Iterable[Iterable[str | None]] | None,
        *,
        keep_rows: bool = False,
        jobs: int = 1,
    ) -> CorpusStats[ScoreT_co]:
        """Return the statistics of a system's output. Statistics of its parts can be added, wherever they were counted.

        Args:
            hypotheses, references, jobs: as in `corpus_score`, but both may be empty.
            keep_rows: keep the statistics of each segment, so that some can be selected.

        Raises:
            BleuError: lengths differ, or a segment has no reference.
            InputTypeError: something other than strings, or a list of the wrong shape.

        >>> from bleucli import BLEU
        >>> batches = [(["a b c d e"], [["a b c d f"]]), (["g h i j"], [["g h i j"]])]
        >>> round(CorpusStats.sum(BLEU().corpus_stats(*batch) for batch in batches).score().score, 2)
        79.84
        """
        jobs = _count_threads(jobs)
        if references is None:
            return self._count_against_cached(hypotheses, keep_rows, jobs)
        few = None if self.needs_all_references else of_few([hypotheses], references)
        if few is not None:
            return count_block(self, few[0][0], self.prepare_references(few[1]), 0, HYPOTHESES, keep_rows)
        return self._count(of_strings([("", hypotheses)], references), keep_rows, jobs)

    def _count_against_cached(self, hypotheses: Iterable[str | None], keep_rows: bool, jobs: int) -> CorpusStats:
        """Return the statistics of a system's output, compared with the references that this object was made with."""
        blocks = self._cached or []
        metric = _copy(self)
        metric._cached = None  # statistics hold their metric, and should be small when they are pickled
        few = of_few([hypotheses], None)
        if few and len(blocks) == 1 and len(few[0][0]) == len(blocks[0].streams[0]):
            return count_block(metric, few[0][0], blocks[0], 0, HYPOTHESES, keep_rows)
        corpus = Corpus([system_of(hypotheses)], [self.cached_references()], prepared=True)
        return metric._count(corpus, keep_rows, jobs)

    def _count(self, corpus: Corpus, keep_rows: bool, jobs: int) -> CorpusStats:
        systems = count(corpus._replace(may_be_empty=True), [self], jobs=jobs, keep_rows=keep_rows)
        return systems[0].stats[0] if systems else CorpusStats(self)

    def _keep(self, references: Iterable[Iterable[str | None]]) -> None:
        """Prepare references, to score several systems against them."""
        few = None if self.needs_all_references else of_few([], references)
        if few is not None:
            prepared = self.prepare_references(few[1])
            self._cached = [prepared]
            fewest, most = prepared.fewest, prepared.most
        else:
            corpus = Corpus([], references_of(check_shape(None, references)))
            if self.needs_all_references:
                first, again = corpus.kept()
                self.learn(piece.references for piece in first.pieces())
                corpus = again()
            self._cached = [self.prepare_references(piece.references, piece.start) for piece in corpus.pieces()]
            fewest, most = min(block.fewest for block in self._cached), max(block.most for block in self._cached)
        self._remember(_tell_references(fewest, most))

    def cached_references(self) -> Source:
        """Return the references that this object was made with, prepared for it."""
        if self._cached is None:
            raise InputTypeError("references is None; give them here, or to the metric's constructor")
        names = ["references"] * (len(self._cached[0].streams) if self._cached else 0)
        return Source("references", names, (block.streams for block in self._cached))

    def sentence_score(self, hypothesis: str, references: Iterable[str | None]) -> ScoreT_co:
        """Return the score of one segment, in percent, as an object of the metric's own score class.

        Args:
            hypothesis: the system's output, a string.
            references: strings; None is a missing reference.

        Raises:
            BleuError: there is no reference, or a text cannot be prepared.
            InputTypeError: something other than strings, or a bare string as references.
        """
        hypotheses, streams = of_one(hypothesis, references)
        prepared = self.prepare_references(streams)
        stats = self.compare(self.prepare(self.make_alike(hypotheses)), prepared)
        if self._nrefs != (nrefs := str(prepared.most)) or self._sampling:
            self._remember(nrefs)
        score = self.score_from_stats(stats.data.tolist())  # a single row is its own sum
        self.sign(score, prepared.fewest, prepared.most)
        return score

    def sign(self, score: object, fewest: int, most: int, sampling: Sequence[tuple[str, str]] = ()) -> None:
        """Let a score make its signature when the signature is first read; anything but a `Score` stays unchanged.

        Most signatures of segments are never read. The other arguments are those of `signature`.
        """
        if not isinstance(score, Score):
            return
        if self._signs_only_settings:
            before = self._before
            if before is None:
                before = self._before = []
            tokenizer = self.tokenizer if self._has_tokenizer else None
            score.made = self, before, tokenizer, fewest, most, sampling
        else:
            metric = _copy(self)
            metric._cached = metric._before = None
            score.made = metric, (), None, fewest, most, sampling

    def _change(self, name: str, value: object) -> None:
        """Change a setting. Scores that were made before keep the metric as it was, for their signatures."""
        self._check_change(name)
        if self._before is not None:
            if not self._before:
                self._before.append(was := _copy(self))
                was._before = None
            self._before = None
        setattr(self, f"_{name}", value)

    def _check_change(self, name: str) -> None:
        """Refuse to change a setting that counting would not follow."""
        if name in self._fixed and hasattr(self, name):
            raise UsageError(f"{name} of a metric cannot be changed; make another metric, with {self.spell(name)}")
        if name in _OF_TEXTS and self._cached is not None:
            raise UsageError(
                f"{name} cannot be changed after the metric has prepared its references; make another metric"
            )

    def _remember(self, nrefs: str, sampling: Sequence[tuple[str, str]] = ()) -> None:
        """Keep what `get_signature` says about the last score; this leaves the signatures of earlier scores alone."""
        self._nrefs = nrefs
        self._sampling = sampling

    # --- scores of all pairs

    def pairwise(
        self, hypotheses: Iterable[str], references: Iterable[str] | None = None, *, jobs: int = 1
    ) -> NDArray[np.float64]:
        """Return the `sentence_score` of each hypothesis against each reference, equal to the last bit.

        Args:
            hypotheses: n strings.
            references: m strings, each of them the only reference of a pair; None for the hypotheses themselves.
            jobs: the number of threads, 0 for all usable processors; it never changes a score.

        Returns:
            n rows of m scores, in percent.

        Raises:
            BleuError: a text cannot be prepared, or is skipped as an empty reference, or a pair has no score.
            InputTypeError: something other than strings.

        >>> from bleucli import CHRF
        >>> CHRF().pairwise(["a cat", "the cat"], ["the cat", "the dog"]).round(1).tolist()
        [[31.2, 4.5], [100.0, 19.2]]
        """
        from bleucli.metrics.pairwise import score_matrix

        self._remember("1")
        return score_matrix(self, hypotheses, references, jobs)

    def pairwise_groups(
        self,
        hypotheses: Iterable[Iterable[str]],
        references: Iterable[Iterable[str]] | None = None,
        *,
        jobs: int = 1,
    ) -> Iterator[NDArray[np.float64]]:
        """Give the matrix of `pairwise` for each group, such as the candidates for each segment.

        For small groups, this is faster than one call per group. Groups are read when matrices are asked for, some
        thousand texts ahead.

        Args:
            hypotheses: lists of strings, one for each group; or a column of pyarrow whose items are lists of strings.
            references: lists of strings in either form, one for each group; None for the hypotheses themselves.
            jobs: the number of threads, 0 for all usable processors; it never changes a score.

        Raises:
            BleuError: as for `pairwise`, with the number of the group; or there are more lists of one kind than of the
                other.
            InputTypeError: something other than lists of strings.

        >>> from bleucli import BLEU
        >>> candidates, references = [["a b", "a c"], ["d"]], [["a b"], ["d"]]
        >>> [scores.round(1).tolist() for scores in BLEU(max_ngram_order=1).pairwise_groups(candidates, references)]
        [[[100.0], [50.0]], [[100.0]]]
        """
        from bleucli.metrics.pairwise import score_matrices

        self._remember("1")
        return score_matrices(self, hypotheses, references, jobs)

    def expected(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str] | None = None,
        weights: Any = None,
        *,
        jobs: int = 1,
    ) -> NDArray[np.float64]:
        """Return the mean score of each hypothesis over all references, without keeping the matrix of `pairwise`.

        Args:
            hypotheses: n strings.
            references: m strings; None for the hypotheses themselves, each of which is then also compared with itself.
            weights: m numbers of at least 0, in any iterable, such as the references' probabilities; they are divided
                by their sum. None for equal weights.
            jobs: the number of threads, 0 for all usable processors; it never changes a score.

        Returns:
            n means, in percent. The scores of a row are added up from left to right.

        Raises:
            BleuError: as for `pairwise`; or there is no reference; or weights are too few or too many, negative,
                not finite, or all 0.
            InputTypeError: something other than strings, or weights that are not numbers.

        >>> from bleucli import CHRF
        >>> CHRF().expected(["a cat", "the cat"], ["the cat", "the dog"], weights=[3, 1]).round(1).tolist()
        [24.6, 79.8]
        """
        from bleucli.metrics.pairwise import expected_scores

        self._remember("1")
        return expected_scores(self, hypotheses, references, weights, jobs)

    def best(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str] | None = None,
        weights: Any = None,
        *,
        jobs: int = 1,
    ) -> Best:
        """Return the hypothesis with the best expected score: minimum Bayes risk decoding, or the best of n candidates.

        Args:
            hypotheses: n strings, at least one.
            references, weights, jobs: as in `expected`.

        Returns:
            Its index, from 0, and its expected score, in percent. The best score is the highest one; for an error rate,
            the lowest one. Of equal scores, the first counts.

        Raises:
            BleuError: as for `expected`; or there is no hypothesis.
            InputTypeError: as for `expected`.

        >>> from bleucli import CHRF
        >>> index, score = CHRF().best(["the cat sat", "the cat sits", "a dog sat"])
        >>> index, round(score, 1)
        (0, 59.4)
        """
        from bleucli.metrics.pairwise import find_best

        self._remember("1")
        return find_best(self, hypotheses, references, weights, jobs)


def _read_kinds(text: str, spelling: str) -> str:
    if not NORMALIZE.check(text, spelling):  # nearly always
        return ""
    from bleucli.text.typography import read_kinds

    return read_kinds(text, spelling)


def _tell_references(fewest: int, most: int) -> str:
    """Return how signatures give the number of references of a segment."""
    return str(most) if fewest == most else "var"


def _copy(metric: MetricT) -> MetricT:
    """Return a shallow copy of a metric, much faster than `copy` does."""
    other = object.__new__(type(metric))
    vars(other).update(vars(metric))
    return other


def _home(kind: type, name: str) -> int:
    """Return the place, in the order in which methods are looked up, of the class that defines a method."""
    return next(place for place, base in enumerate(kind.__mro__) if name in vars(base))


# --- metrics of the functions for single segments, which are called in loops


def metric_for(kind: type[MetricT], *options: object, **keywords: object) -> MetricT:
    """Return a metric of a class with these options; the same object for the same options, as long as it is cached."""
    if not _cached:
        from functools import lru_cache  # only here: it takes time to import, and the command has no use for it

        # Typed, because 2 and 2.0 are equal, but as beta they give chrF different names
        _cached.append(lru_cache(maxsize=32, typed=True)(_make))
    try:
        return _cached[0](kind, *options, **keywords)  # type: ignore[return-value]
    except InputTypeError:
        raise
    except TypeError as error:
        raise InputTypeError(f"an option is of an {error}; give numbers, strings or truth values") from None


def _make(kind: type[Metric], *options: object, **keywords: Any) -> Metric:
    return kind(*options, **keywords)


# `_make` with a cache, once there is one
_cached: list[Callable[..., Metric]] = []


def _count_threads(jobs: int) -> int:
    if jobs == 1:  # the usual number needs no import
        return 1
    from bleucli.counting.threads import count_threads

    return count_threads(jobs)
