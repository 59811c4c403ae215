"""BLEU (Papineni, Roukos, Ward & Zhu 2002), with the conventions of sacreBLEU 2.6.0."""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Iterator, Mapping, Sequence  # see CONTRIBUTING.md
from math import exp, log

from bleucli import kernels, tokenizers
from bleucli.counting import CorpusStats, References
from bleucli.errors import BleuError, InputTypeError, OneSegmentError, UsageError
from bleucli.inspection.marks import subword_marks, unspaced_letters
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import LARGEST_ORDER
from bleucli.metrics.base import Metric, metric_for
from bleucli.metrics.options import SCORE, SHARED, Option, case_option, setting
from bleucli.metrics.score import Bar, Remarks, Score
from bleucli.metrics.smoothing import DEFAULT_VALUES, LARGEST_VALUE, METHODS, SACREBLEU_METHODS, Smoothing
from bleucli.phrases import list_orders, tell_count, tell_orders
from bleucli.results import Description, Fact, Figures
from bleucli.results.segments import SegmentScores
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.metrics.pairwise import Pairs
    from bleucli.results.citations import Curve

MAX_NGRAM_ORDER = 4  # by default
# sacreBLEU 2.6.0 warns about tokenized input if at least this many hypotheses end in " ."
_TOKENIZED_ENDING = b" ."
_TOKENIZED_MANY = 100
_TOKENIZED_HINT = (
    "{} hypotheses end in ' .', so the text looks tokenized, which changes the score; detokenize it, or use {} if it"
    " should be tokenized"
)
# A mark in every twentieth segment is not an accident
_SUBWORD_FEW = 20
# How many segments of each block are inspected
_SUBWORD_SAMPLE = 256
_SUBWORD_HINT = "the text still has {} (@@ or ▁), which changes the score; join the subwords first"
_UNSPACED_HINT = (
    "most letters belong to a script that 13a does not split into words; choose another tokenizer with {} or {} ({})"
)
# Output with a smaller brevity penalty looks cut short
SHORT_PENALTY = 0.7
_SHORT_HINT = "the output {}; are translations missing or cut short?"
_SHORT_KIND = _SHORT_HINT.format("is much shorter than the references")
_TOO_SHORT_HINT = "the text is too short for n-grams of order {}; for single segments use effective order ({})"
# sacreBLEU 2.6.0 uses this as the logarithm of 0
_LOG_OF_ZERO = -9999999999.0
# Rounding can make a perfect score exceed 100 (100.00000000000004)
_ROUNDING = 1e-9


def _without_rounding(score: float) -> float:
    return 100.0 if 100.0 < score < 100.0 + _ROUNDING else score


# The latest ones, by their arguments and the type of the value: 1 and 1.0 are equal, but counts that are increased by
# one of them differ. What `functools` offers for this takes a twentieth of the command's time to import.
_smoothings: dict[tuple[str, object, type], Smoothing] = {}
_MOST_SMOOTHINGS = 64


def _smoothing_of(method: str, value: float | None) -> Smoothing:
    key = method, value, type(value)
    if key not in _smoothings:
        if len(_smoothings) >= _MOST_SMOOTHINGS:
            _smoothings.clear()
        _smoothings[key] = Smoothing(method, value)
    return _smoothings[key]


LENGTHS_FORMAT = "(BP = %.3f ratio = %.3f hyp_len = %d ref_len = %d)"


class _Formats(dict):  # type: ignore[type-arg]
    """For each number of precisions, their format and that of all parts; `%` takes half the time of f-strings."""

    def __missing__(self, orders: int) -> tuple[str, str]:
        precisions = "/".join(["%.1f"] * orders)
        return self.setdefault(orders, (precisions, f"{precisions} {LENGTHS_FORMAT}"))  # type: ignore[no-any-return]


FORMATS = _Formats()


class BLEUScore(Score):
    """A BLEU score and its parts. Like all scores it can be compared, formatted, and turned into a number.

    Attributes:
        score: in percent.
        precisions: in percent, of orders 1 to N.
        counts: n-grams that match, of orders 1 to N.
        totals: n-grams of the hypotheses, of orders 1 to N.
        bp: the brevity penalty, from 0 to 1.
        sys_len: length of the hypotheses in tokens.
        ref_len: length of the references in tokens.
        ratio: `sys_len / ref_len`; 0 if `ref_len` is 0.
        interval: the confidence interval, with `mean` and `half_width` in percent; None unless one was asked for.
        signature: how the score was made.

    >>> from bleucli import BLEU
    >>> score = BLEU().corpus_score(["the cat sat down"], [["the cat sat down there"]])
    >>> float(score), f"{score:.1f}", score.counts, round(score.bp, 3), score.signature.info["tok"]
    (77.88007830714052, '77.9', [4, 3, 2, 1], 0.779, '13a')
    """

    # The parts that `verbose` was asked for last, and their text
    __slots__ = ("_written",)

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self._written: tuple[tuple[float, ...], str] = (), ""
        self.name = "BLEU"
        self.score = score
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.ratio = sys_len / ref_len if ref_len else 0

    def figures(self) -> Figures:
        """Return all parts of the score."""
        # By position, which is much faster than by name: there may be one per segment
        return Figures(self.precisions, self.counts, self.totals, None, self.bp, self.sys_len, self.ref_len, None)

    @property
    def prec_str(self) -> str:
        """The precisions with one decimal, separated by slashes."""
        text: str = FORMATS[len(self.precisions)][0] % tuple(self.precisions)
        return text

    @property
    def verbose(self) -> str:  # type: ignore[override]
        """Precisions, brevity penalty and lengths, as in sacreBLEU's line."""
        parts = (*self.precisions, self.bp, self.ratio, self.sys_len, self.ref_len)
        try:
            written, text = self._written
        except AttributeError:  # a copy
            written, text = (), ""
        if parts != written:
            text = FORMATS[len(self.precisions)][1] % parts
            self._written = parts, text
        return text


# How papers explain the smoothing methods; {} is the value. The others have the numbers of Chen & Cherry's techniques.
_SMOOTHINGS = {
    "exp": "exp: the first order without a match counts as half a match, the second as a quarter, and so on",
    "floor": "floor: an order without a match counts as {} matches",
    "add-k": "add-k: {} is added to matches and n-grams of all orders but the first",
    "none": "none: the score is 0 if an order has no match",
    "add-one": "add-one: 1 is added to matches and n-grams of every order",
}
# Methods that change only orders without a match
_SMOOTHING_ZEROS = ("exp", "floor", "none")

# The bounds, and in other words the judgements, of "Interpretation" in
# https://cloud.google.com/translate/automl/docs/evaluate, for the BLEU of a test set
BANDS = (
    (0, 10, "of hardly any use"),
    (10, 20, "the topic can be guessed, seldom more"),
    (20, 30, "the message comes across, with many mistakes in the language"),
    (30, 40, "from readable to good"),
    (40, 50, "good"),
    (50, 60, "very good: complete, and pleasant to read"),
    (60, 100, "as good as what people write, or better"),
)


def _read_tokenizer(text: str, exact: bool) -> dict[str, Any]:
    """Return the tokenizer that `text` names in a signature; versions follow the names of MeCab tokenizers.

    >>> _read_tokenizer("ja-mecab-0.996-IPA", True), _read_tokenizer("13a", True)
    ({'tokenize': 'ja-mecab'}, {'tokenize': '13a'})
    """
    mecab = (name for name in ("ja-mecab", "ko-mecab") if text.startswith(name))
    return {"tokenize": next(mecab, text)}


def _stand_in_tokenizer(metric: BLEU, text: str) -> None:
    from bleucli.tokenizers.base import Unloaded

    metric.tokenizer = Unloaded(text)
    metric._tokenize = _read_tokenizer(text, True)["tokenize"]


def _read_smoothing(text: str, exact: bool) -> dict[str, Any]:
    smoothing = Smoothing.parse(text)
    if smoothing.method not in DEFAULT_VALUES:
        return {"smooth_method": smoothing.method}
    if not exact and not smoothing.value:
        raise BleuError(
            f"smooth:{text} in the signature was rounded to two decimals, which hides the value; give the method and"
            " its value instead of the signature"
        )
    return {"smooth_method": smoothing.method, "smooth_value": smoothing.value}


# Height and slope of the curves of Kocmi et al. (2024), by what signatures begin with; spBLEU has one of its own
_CURVES = {
    **dict.fromkeys(("13a", "zh", "ja-mecab", "ko-mecab"), (88.3333, 0.96639)),
    "flores200": (91.0, 0.80790),
}


def _find_curve(info: Mapping[str, str]) -> Curve | None:
    """Return how often people agree with BLEU; None unless the signature is that of scores that were measured."""
    from bleucli.results.citations import Curve, measures_systems

    if not measures_systems(info, {"nrefs": "1", "case": "mixed", "eff": "no", "smooth": "exp"}, "tok"):
        return None
    return next((Curve("BLEU", *curve) for name, curve in _CURVES.items() if info["tok"].startswith(name)), None)


class BLEU(Metric[BLEUScore]):
    """BLEU with sacreBLEU's options and defaults.

    Args:
        lowercase: compare without regard to case.
        force: do not warn about input that looks tokenized.
        tokenize: name of the tokenizer; None for the usual one of the target language; or a tokenizer of your own: a
            function that takes a text and returns it with white space between the tokens. It gets the text after any
            lowercasing, without white space at the end. Several threads may call it at once.
        smooth_method: `exp`, `floor`, `add-k` or `none`; `add-one`, which adds a match and an n-gram to every order;
            `chen-cherry-1` to `-7`, as in NLTK's `SmoothingFunction` (5 to 7 for single segments only).
        smooth_value: for `floor` and `add-k`; None for their defaults, 0.1 and 1.
        max_ngram_order: N, the longest n-gram.
        effective_order: leave out the orders that the hypotheses are too short for; meant for single segments. It has
            no effect with `add-one` and `chen-cherry-N`, which give every order a precision.
        trg_lang: target language, a code of ISO 639 such as `de`, `zho` or `zh_TW`; "" for any.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.
        tokenize_name: what signatures call a tokenizer of your own: a name without blanks, `|`, `:` or `%` that no
            built-in tokenizer has. Change it whenever the function's output changes.

    Attributes:
        counted_order: the longest n-gram that is counted; some smoothing methods need longer ones than the score.

    Raises:
        UsageError: an option has an invalid value.
        InputTypeError: a value is of the wrong type.

    >>> bleu = BLEU()
    >>> score = bleu.corpus_score(["The dog bit the man."], [["The dog bit the man."], ["The dog had bit the man."]])
    >>> print(score)
    BLEU = 100.00 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
    >>> bleu.get_signature().info["nrefs"]
    '2'
    >>> own = BLEU(tokenize=lambda text: text.replace("-", " - "), tokenize_name="hyphens-1")
    >>> own.sentence_score("well-known facts here", ["well - known facts here"]).score
    100.0
    >>> own.get_signature().info["tok"]
    'hyphens-1'
    """

    # Names that programs read from sacreBLEU's class
    TOKENIZERS = tokenizers.NAMES
    TOKENIZER_DEFAULT = tokenizers.DEFAULT
    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = dict.fromkeys(METHODS) | DEFAULT_VALUES

    name = "BLEU"
    counts_ties = False
    force: bool
    counted_order: int
    smoothing: Smoothing = setting("smoothing")
    smooth_value: float | None = setting("smooth_value")
    max_ngram_order: int = setting("max_ngram_order")
    effective_order: bool = setting("effective_order")
    trg_lang: str = setting("trg_lang")
    tokenize_name: str = setting("tokenize_name")
    tokenize: str | Callable[[str], str] | None = setting("tokenize")
    tokenizer: tokenizers.Tokenizer
    _has_tokenizer = True
    explained_by = "explain_bleu"
    score_class = BLEUScore
    _round = staticmethod(_without_rounding)
    _fixed = frozenset({"normalize", "tokenize", "tokenize_name", "trg_lang", "smooth_value", "max_ngram_order"})
    options = (
        Option(
            "tokenize",
            str,
            None,
            ("--tokenize", "-tok"),
            "see --list-tokenizers (default: by -l, else 13a)",
            loads=True,
            key="tok",
            absent=tokenizers.DEFAULT,
            sign=lambda metric: metric.tokenizer_signature,
            restate=lambda signed: "flores101" if signed == "spm" else signed,  # its old name
            read=_read_tokenizer,
            stand_in=_stand_in_tokenizer,
        ),
        Option("tokenize_name", str, ""),
        case_option("--lowercase", "-lc"),
        Option(
            "smooth_method",
            str,
            "exp",
            ("--smooth-method", "-s"),
            f"{', '.join(SACREBLEU_METHODS)}, add-one, chen-cherry-1 to -7",
            choices=METHODS,
            key="smooth",
            sign=lambda metric: metric._smoothing.signature,
            restate=lambda signed: Smoothing.parse(signed).signature,
            read=_read_smoothing,
            decides=SCORE,
        ),
        Option(
            "smooth_value",
            float,
            None,
            ("--smooth-value", "-sv"),
            f"for {' and '.join(f'{method} (default: {value:g})' for method, value in DEFAULT_VALUES.items())}",
            most=LARGEST_VALUE,
            decides=SCORE,
        ),
        Option(
            "max_ngram_order",
            int,
            MAX_NGRAM_ORDER,
            ("--max-ngram-order",),
            "longest n-gram",
            least=1,
            most=LARGEST_ORDER,
            ours=True,
            key="ngram",
            hidden=True,
        ),
        Option("force", bool, False, ("--force",), "do not warn about tokenized input"),
        Option(
            "effective_order",
            bool,
            False,
            ("--sentence-level", "-sl"),
            shared=True,
            key="eff",
            words=("no", "yes"),
            decides=SCORE,
        ),
        Option("trg_lang", str, "", ("--language-pair", "-l"), shared=True, loads=True),
        *SHARED,
    )

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | Callable[[str], str] | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Iterable[Iterable[str | None]] | None = None,
        *,
        skip_empty_refs: bool = False,
        normalize: str = "",
        tokenize_name: str = "",
    ) -> None:
        # Calls for options that were not given are left out: metrics for sentences are made in loops
        value = None if smooth_value is None else self.check("smooth_value", smooth_value)
        smoothing = _smoothing_of(self.check("smooth_method", smooth_method), value)
        order = self.check("max_ngram_order", max_ngram_order)
        if order < smoothing.least_order:
            raise UsageError(
                f"{self.label('smooth_method')} {smooth_method} with {self.label('max_ngram_order')} {max_ngram_order};"
                f" expected an order of at least {smoothing.least_order}"
            )
        language = "" if trg_lang is None or trg_lang == "" else self._check_language(trg_lang)
        advice: Sequence[str] = ()
        if callable(tokenize):
            tokenizer = tokenizers.wrap(tokenize, self.check("tokenize_name", tokenize_name))
        else:
            if tokenize_name != "" and self.check("tokenize_name", tokenize_name):
                raise UsageError(
                    f"tokenize_name {tokenize_name!r} is for a tokenizer of your own; give its function as tokenize"
                )
            is_usual = tokenize is None or (type(tokenize) is str and tokenize in tokenizers.NAMES)
            name = tokenize if is_usual else self.check("tokenize", tokenize)
            if name is None:
                name = tokenizers.default_for(language) if language else tokenizers.DEFAULT
                if language and name == tokenizers.DEFAULT:
                    from bleucli.tokenizers import languages

                    if languages.is_unspaced(language):
                        languages.refuse_unspaced(language, self.spell("tokenize"))
            tokenizer = tokenizers.get(name)
            if language or name == "spm":
                advice = tokenizers.advice(name, language, self.spell("tokenize"))
        self._lowercase = lowercase is not False and self.check("lowercase", lowercase)
        self.force = force is not False and self.check("force", force)
        self._smoothing = smoothing
        self._smooth_value = smooth_value  # as given; `smoothing` has the default
        self._max_ngram_order = order
        self.counted_order = smoothing.counted_order(order)
        is_effective = effective_order is not False and self.check("effective_order", effective_order)
        self._effective_order = is_effective and not smoothing.gives_all
        self._trg_lang = language
        self._tokenize_name = tokenize_name
        self._tokenize = tokenize
        self.tokenizer = tokenizer
        self.advice = advice
        if references is not None or skip_empty_refs is not False or normalize != "":
            super().__init__(skip_empty_refs=skip_empty_refs, normalize=normalize, references=references)

    def _check_language(self, code: str) -> str:
        """Return the code of a language in lower case, without script and region; "" if there is none."""
        if not self.check("trg_lang", code):
            return ""
        from bleucli.tokenizers import languages

        try:
            return languages.find(code)
        except languages.LanguageError as error:
            raise UsageError(f"{self.label('trg_lang')} {code!r}: {error}") from None

    @property
    def smooth_method(self) -> str:
        """The name of the smoothing method."""
        return self._smoothing.method

    @property
    def tokenizer_signature(self) -> str:
        """How signatures name the tokenizer."""
        return self.tokenizer.signature

    @classmethod
    def compute_bleu(
        cls,
        correct: Sequence[int | float],
        total: Sequence[int | float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Return the score of counts from any source, by default without smoothing.

        Args:
            correct: n-grams that match, of order 1, 2 and so on.
            total: n-grams of the hypotheses, of order 1, 2 and so on.
            sys_len: length of the hypotheses in tokens.
            ref_len: length of the references in tokens.
            smooth_method, smooth_value, effective_order, max_ngram_order: as for `BLEU`.

        Raises:
            UsageError: an option has an invalid value.
            InputTypeError: there are fewer counts than orders.

        >>> BLEU.compute_bleu([3, 2, 1, 0], [4, 3, 2, 1], 4, 5, smooth_method="exp")
        BLEU = 46.31 75.0/66.7/50.0/50.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)
        """
        order = max_ngram_order
        metric = metric_for(cls, False, True, tokenizers.DEFAULT, smooth_method, smooth_value, order, effective_order)
        return metric._score(correct, total, int(sys_len), int(ref_len))

    def prepare(self, segments: Segments) -> Segments:
        """Lowercase if asked to, cut trailing white space, and tokenize."""
        if self._lowercase:
            segments = segments.lower()
        return self.tokenizer.tokenize(kernels.strip_trailing(segments))

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of `[hyp_len, ref_len, correct_1..N, total_1..N]`; N is at least 5 for chen-cherry-5 and -7."""
        return kernels.ngram_stats(hypotheses, references.streams, self.counted_order)

    def column_names(self) -> list[str]:
        """Return `hyp_len, ref_len, match_1..N, total_1..N`."""
        orders = range(1, self.counted_order + 1)
        return ["hyp_len", "ref_len", *(f"match_{n}" for n in orders), *(f"total_{n}" for n in orders)]

    def find_impossible(
        self, columns: Mapping[str, NDArray[Any]], references: NDArray[Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Give rows with more matches than n-grams, or with another number of 1-grams than of tokens."""
        yield "total_1 other than hyp_len", columns["total_1"] != columns["hyp_len"]
        for n in range(1, self.counted_order + 1):
            yield f"match_{n} above total_{n}", columns[f"match_{n}"] > columns[f"total_{n}"]

    def score_from_stats(self, sums: Sequence[int | float]) -> BLEUScore:
        """Return the score of a sum of rows of `[hyp_len, ref_len, correct_1..N, total_1..N]`.

        >>> BLEU(max_ngram_order=2).score_from_stats((6, 6, 5, 4, 6, 5)).score
        81.6496580927726
        """
        second = 2 + self.counted_order
        return self._score(sums[2:second], sums[second:], int(sums[0]), int(sums[1]))

    def _score(
        self, correct: Sequence[int | float], total: Sequence[int | float], sys_len: int, ref_len: int
    ) -> BLEUScore:
        order, counted, smoothing = self._max_ngram_order, self.counted_order, self._smoothing
        counts, totals = list(correct[:counted]), list(total[:counted])
        if len(counts) < counted or len(totals) < counted:
            raise InputTypeError(
                f"{tell_count(len(counts), 'match count')} and {tell_count(len(totals), 'total')} for"
                f" {tell_count(counted, 'order')}; give one of each per order"
            )
        bp = brevity_penalty(sys_len, ref_len)
        if smoothing.gives_all:
            return self._score_smoothed(counts, totals, bp, sys_len, ref_len)
        if not any(counts):  # as in sacreBLEU, smoothing does not apply if nothing matches at all
            return self.score_class(0.0, counts, totals, [0.0] * order, bp, sys_len, ref_len)
        if smoothing.method == "add-k":
            counts, totals = self._increase(counts, totals)
        precisions = smoothing.precisions(counts, totals)
        effective = len(precisions) if self._effective_order else order
        if len(precisions) < order:  # the text is too short for the other orders
            precisions += [0.0] * (order - len(precisions))
        factors = precisions if effective == order else precisions[:effective]
        # sum(), not a loop: from Python 3.12 on it rounds differently, and the kernels for pairs follow it
        try:
            logarithm = sum(map(log, factors))
        except ValueError:  # one is 0
            logarithm = sum([log(value) if value else _LOG_OF_ZERO for value in factors])
        score = self._round(bp * exp(logarithm / effective))
        return self.score_class(score, counts, totals, precisions, bp, sys_len, ref_len)

    def _increase(self, counts: list[float], totals: list[float]) -> tuple[list[float], list[float]]:
        """Return matches and n-grams with what add-k adds to them."""
        return self._smoothing.smoothed_counts(counts, totals)

    def _score_smoothed(
        self, counts: list[float], totals: list[float], bp: float, sys_len: int, ref_len: int
    ) -> BLEUScore:
        """Return the score by a method that gives all precisions; the sum skips zeros, but is divided by all orders."""
        order = self._max_ngram_order
        shares = self._smoothing.smooth(counts, totals, sys_len, order)
        logarithms = [log(share) for share in shares if share]
        score = self._round(100 * bp * exp(sum(logarithms) / order)) if logarithms else 0.0
        precisions = [100 * share for share in shares]
        return self.score_class(score, counts[:order], totals[:order], precisions, bp, sys_len, ref_len)

    def averaged_orders(self, totals: Sequence[int | float]) -> int:
        """Return the number of orders that a score averages; totals: its n-grams by order."""
        if not self._effective_order:
            return self._max_ngram_order
        return next((order for order, total in enumerate(totals) if not total), self._max_ngram_order)

    def check_sum(self, segments: int) -> None:
        """Refuse corpora for smoothing that is defined for single segments only."""
        if self._smoothing.of_one_segment and segments > 1:
            raise OneSegmentError(
                f"smoothing {self._smoothing.method} is defined for single segments, but there are {segments}",
                f"; score them one by one ({'-sl' if self.in_command else 'sentence_score'}), or choose another method",
            )

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the score of each row of sums; rows without a zero, which are nearly all, are scored at once.

        Scores may differ from those of `score_from_stats` in the last bit, because NumPy computes logarithms, their sum
        and exponentials in its own way.
        """
        import numpy as np

        rows = np.asarray(sums)
        order = self._max_ngram_order
        # Other methods change precisions only where a count is 0
        is_plain = self._smoothing.method != "add-k" and not self._smoothing.gives_all
        plain = rows.all(axis=1) if is_plain else np.zeros(len(rows), bool)
        sys_len, ref_len, counts, totals = np.split(rows[plain], (1, 2, 2 + self.counted_order), axis=1)
        logarithms = sum(np.log(100.0 * counts / totals).T)  # order after order, not pairwise
        penalties = np.exp(np.minimum(0.0, 1.0 - ref_len / sys_len)).ravel()
        scores = np.empty(len(rows))
        scores[plain] = np.minimum(100.0, penalties * np.exp(logarithms / order))  # only rounding can exceed 100
        others = SegmentStats.from_numpy(rows[~plain])
        if is_plain and rows.dtype == np.int64:  # single segments, most of which have a zero
            values = kernels.bleu_rows(others, self._smoothing.method, self._smoothing.value, self._effective_order)
            scores[~plain] = np.asarray(values)[:, 0]
        else:
            scores[~plain] = super().scores_from_stats(others)
        return scores

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the score of each row in columns, at once unless the smoothing changes orders that have matches."""
        from array import array

        order, smoothing = self._max_ngram_order, self._smoothing
        if smoothing.gives_all or smoothing.method == "add-k":
            return super().score_columns(rows)
        scores = kernels.bleu_rows(rows, smoothing.method, smoothing.value, self._effective_order)
        score, penalty, *precisions = (scores.data[n :: scores.columns] for n in range(scores.columns))
        sys_len, ref_len, *counts = (rows.data[n :: rows.columns] for n in range(rows.columns))
        ratio = array("d", [ours / theirs if theirs else 0 for ours, theirs in zip(sys_len, ref_len, strict=True)])
        verbose: list[str | tuple[Sequence[float], int]] = []
        for precision in precisions:
            verbose += ["/" if verbose else "", (precision, 1)]
        verbose += [" (BP = ", (penalty, 3), " ratio = ", (ratio, 3)]
        verbose += [" hyp_len = ", (sys_len, 0), " ref_len = ", (ref_len, 0), ")"]
        figures: dict[str, Sequence[Any]] = {
            "precisions": precisions,
            "counts": counts[:order],
            "totals": counts[order:],
            "brevity_penalty": penalty,
            "hypothesis_length": sys_len,
            "reference_length": ref_len,
        }
        return SegmentScores(self.name, score, figures, verbose)

    def score_pairs(self, pairs: Pairs, scores: memoryview[float]) -> None:
        """Fill in the scores of all pairs, one by one if the smoothing method is not sacreBLEU's."""
        method, value = self._smoothing.method, self._smoothing.value
        if self._smoothing.gives_all:
            super().score_pairs(pairs, scores)
        else:
            kernels.pairwise_bleu(*pairs, scores, self._max_ngram_order, method, value, self._effective_order)

    def for_segments(self) -> Self:
        """Return the metric with effective order: single segments are often too short for all orders."""
        from copy import copy

        metric = copy(self)
        metric.effective_order = not self._smoothing.gives_all
        return metric

    @classmethod
    def describe(cls, info: Mapping[str, str]) -> Description:
        """Return which n-grams of which tokens are counted, and how they are smoothed."""
        from bleucli.results import citations

        of_case = super().describe(info)
        described = of_case._replace(paper=citations.BLEU, follows_sacrebleu=cls.signs_like(BLEU, info))
        if described.follows_sacrebleu:
            described = described._replace(curve=_find_curve(info))
        if not {"tok", "smooth"} <= info.keys():
            return described
        tok, smooth, order = info["tok"], info["smooth"], info.get("ngram", str(MAX_NGRAM_ORDER))
        tokenizer = citations.find_tokenizer(tok)
        of_tokenizer = tokenizer.papers if tokenizer else ()
        method, _, value = smooth.partition("[")
        value = value.removesuffix("]")
        of_smoothing = (citations.SMOOTHING,) if method.startswith(("chen-cherry", "floor", "add-k")) else ()
        with_value = f" with the value {value}" if value else ""
        uses = [
            *of_case.uses,
            f"the {tok} tokenizer{citations.cite(of_tokenizer)}",
            f"{'no' if method == 'none' else method} smoothing{with_value}{citations.cite(of_smoothing)}",
            tell_orders(order, "tokens"),
        ]
        ngrams = list_orders(order, "token")
        if info.get("eff") == "yes":
            uses.append("the effective order (orders for which the output is too short are left out)")
            ngrams += "; those for which the output is too short are left out"
        if method in _SMOOTHINGS:
            smoothing = _SMOOTHINGS[method].format(value)
        else:
            technique = method.rpartition("-")[2]
            smoothing = f"{smooth}: technique {technique} of {citations.SMOOTHING.short.replace(',', '')}"
        note = "; here every order has a match, so smoothing changed nothing"
        facts = [
            Fact("N-grams", ngrams),
            Fact("Tokenizer", tokenizer.about if tokenizer else f"{tok}, a custom tokenizer"),
            *of_case.facts,
            Fact("Smoothing", smoothing, note if method in _SMOOTHING_ZEROS else ""),
        ]
        # sacreBLEU has no custom tokenizers, and lacks some kinds of smoothing
        is_own = tokenizer is None or tokenizer.start == "spm-" or method.startswith(("add-one", "chen-cherry"))
        return described._replace(
            uses=uses,
            facts=facts,
            papers=[*of_tokenizer, *of_smoothing],
            follows_sacrebleu=described.follows_sacrebleu and not is_own,
        )

    def remarks(self, stats: CorpusStats) -> Remarks:
        """Return the precisions by order, the penalty for brevity, and what the score means."""
        score, (ours, theirs, *counts) = stats.score(), map(int, stats.sums)
        rows = list(zip(counts, counts[self.counted_order :], score.precisions, strict=False))
        bars = []
        for order, (matches, total, smoothed) in enumerate(rows, 1):
            precision = 100 * matches / total if total else 0.0
            shares, value = [precision, smoothed], f"{precision:.2f}%" if total else "none"
            value = f"{value}, smoothed {smoothed:.2f}%"
            if not ours:  # without a candidate, a smoothed value would look like a match
                shares, value = [0.0, 0.0], "none"
            bars.append(Bar(f"{order}-grams", f"{matches} of {total}", shares, value))
        penalty = brevity_penalty(ours, theirs)
        messages = []
        _, marks, _, unspaced, letters = stats.signs or (0,) * 5
        if 2 * unspaced > letters:
            messages.append(
                f"The tokenizer {self.tokenizer_signature} does not split this script into words. Choose zh or char."
            )
        messages += self._reasons(score, rows)
        if marks:
            messages.append("The candidate still has subword marks (@@ or \u2581). Join the subwords first.")
        if 0 < penalty < SHORT_PENALTY:
            messages.append(
                f"The candidate is much shorter than the {'closest ' if stats.most > 1 else ''}reference"
                f" ({tell_count(ours, 'token')} against {theirs}), so the brevity penalty is {show_penalty(penalty)}."
            )
        beyond = f" Smoothing {self.smooth_method} can raise it above that." if self._smoothing.may_exceed else ""
        return Remarks(
            [
                ("Brevity penalty", f"{penalty:.3f}"),
                ("Candidate length", tell_count(ours, "token")),
                ("Effective reference length", tell_count(theirs, "token")),
            ],
            bars,
            "Upper bar: matches divided by the candidate's n-grams. Lower bar: the same, smoothed.",
            messages,
            f"BLEU runs from 0 to 1, or 0 to 100; higher is better.{beyond} The bands below are a rule of thumb for one"
            " system's BLEU on a whole test set; the marked band is where your score would be if it came from a test"
            " set. They do not hold for a single sentence, for another tokenizer, case, smoothing or number of"
            " references, or across languages. In these cases, compare systems on the same texts, and read the texts.",
            max(index for index, (low, _, _) in enumerate(BANDS) if score.score >= low),
        )

    def _reasons(self, score: BLEUScore, rows: Sequence[tuple[int, int, float]]) -> list[str]:
        """Say why a score is at an end of its scale, or beyond it; rows: matches, n-grams and precision by order."""
        if score.score > 100:
            return [f"Smoothing {self.smooth_method} can make a precision higher than 1, so BLEU exceeds 100."]
        if score.score == 100 and all(matches == total for matches, total, _ in rows):
            best = "" if self._smoothing.may_exceed else ": the best score"
            return [f"Every n-gram of the candidate matches, and the candidate is not too short{best}."]
        if score.score:
            return []
        if not any(matches for matches, _, _ in rows):
            return ["No word of the candidate is in a reference, so BLEU is 0."]
        # Only sacreBLEU's smoothing methods leave a precision of 0 in the product; the others skip it
        precisions = [] if self._smoothing.gives_all else score.precisions
        order = next((order for order, precision in enumerate(precisions, 1) if not precision), 0)
        if not order:
            return ["The brevity penalty is so small that a computer rounds BLEU to 0."]
        if rows[order - 1][1]:
            return [f"No {order}-gram matches, and a single precision of 0 makes BLEU 0. Choose a smoothing."]
        return [
            f"The candidate has fewer than {order} tokens, so it has no {order}-grams. Lower the maximum order, or"
            " choose smoothing add-one."
        ]

    @property
    def ngram_orders(self) -> int:
        """The number of orders of n-grams that are counted."""
        return self.counted_order

    @classmethod
    def read_name(cls, name: str) -> dict[str, Any] | None:
        """Return no arguments: spBLEU is BLEU with another tokenizer, which the signature names."""
        return {} if name.endswith("BLEU") else None

    def observe(self, hypotheses: Segments) -> tuple[int, ...]:
        """Count texts that end in " ."; subword marks in a sample, and its texts; unspaced letters, and all letters."""
        endings = 0 if self.force else kernels.count_ending(hypotheses, _TOKENIZED_ENDING)
        sample = hypotheses if len(hypotheses) <= _SUBWORD_SAMPLE else hypotheses[:_SUBWORD_SAMPLE]
        marks = 0 if self.force else subword_marks(sample)
        letters = unspaced_letters(hypotheses) if self.tokenizer_signature == "13a" else (0, 0)
        return endings, marks, len(sample), *letters

    def hints(self, stats: CorpusStats) -> list[str]:
        """Warn about text that the tokenizer does not expect, output that is too short, and a score of 0."""
        sys_len, ref_len, order = int(stats.sums[0]), int(stats.sums[1]), self._max_ngram_order
        bp = brevity_penalty(sys_len, ref_len)
        matches, total = any(stats.sums[2 : 2 + order]), stats.sums[1 + self.counted_order + order]
        is_plain = not self._smoothing.gives_all
        hints = self.text_hints(stats.signs)
        if bp < SHORT_PENALTY:
            text = f"has {tell_count(sys_len, 'token')} but the references have {ref_len} (BP = {bp:.3f})"
            hints.append(_hint(_SHORT_HINT.format(text), _SHORT_KIND, sys_len=sys_len, ref_len=ref_len, bp=bp))
        if not matches and self._smoothing.method != "add-one":
            hints.append("BLEU is 0 since no word matches; smoothing does not apply then")
        if matches and not total and is_plain and not self._effective_order:
            hints.append(_TOO_SHORT_HINT.format(order, self.spell("effective_order")))
        return hints

    def text_hints(self, signs: Sequence[int]) -> list[str]:
        """Warn about text that the tokenizer does not expect; signs: the sums of what `observe` counted, if known."""
        if not signs:
            return []
        endings, marks, tokens, unspaced, letters = signs
        hints: list[str] = []
        if endings >= _TOKENIZED_MANY:
            text, force = _TOKENIZED_HINT, self.spell("force")
            hints.append(_hint(text.format(endings, force), text.format("many", force), hypotheses=endings))
        if marks * _SUBWORD_FEW > tokens:
            text = _SUBWORD_HINT.format(tell_count(marks, "subword mark"))
            hints.append(_hint(text, _SUBWORD_HINT.format("subword marks"), marks=marks))
        if 2 * unspaced > letters:
            names = "bleu --list-tokenizers" if self.in_command else "BLEU.TOKENIZERS has their names"
            hints.append(_UNSPACED_HINT.format(self.spell("tokenize"), self.spell("trg_lang"), names))
        return hints


def _hint(text: str, kind: str, **numbers: Any) -> str:
    from bleucli.results.hints import Hint  # imported only where there is something to say

    return Hint(text, kind, **numbers)


def brevity_penalty(sys_len: int, ref_len: int) -> float:
    """Return the factor, from 0 to 1, for hypotheses shorter than their references (Papineni et al. 2002, 2.2.2).

    >>> brevity_penalty(9, 9), brevity_penalty(0, 5), round(brevity_penalty(9, 10), 4)
    (1.0, 0.0, 0.8948)
    """
    if sys_len >= ref_len:
        return 1.0
    return exp(1 - ref_len / sys_len) if sys_len else 0.0


def show_penalty(penalty: float) -> str:
    """Return a brevity penalty with three decimals, or with three digits if these decimals would show 0.

    >>> show_penalty(0.84648), show_penalty(0.00012345)
    ('0.846', '0.000123')
    """
    return f"{penalty:.3f}" if penalty >= 0.0005 else f"{penalty:.3g}"
