"""TER, translation edit rate (Snover et al. 2006), with the conventions of sacreBLEU 2.6.0.

`TER` is the metric; `corpus_ter` and `sentence_ter` are sacreBLEU's shorthands for it. `Tercom` is its tokenizer, which
mimics tercom's, with sacreBLEU's options.
"""

from __future__ import annotations

import re
from _collections_abc import Callable, Iterable, Iterator, Mapping, Sequence  # see CONTRIBUTING.md
from functools import cache, lru_cache

from bleucli import kernels
from bleucli.counting import CorpusStats, References
from bleucli.inspection.marks import tell_unspaced, unspaced_stretches
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.base import Metric, metric_for
from bleucli.metrics.options import SHARED, Option, setting
from bleucli.metrics.score import Remarks, Score
from bleucli.results import Description, Fact, Figures
from bleucli.results.segments import SegmentScores
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.metrics.edit_kinds import TEREditCounts

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULLWIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
# tercom's Normalizer: ASCII symbols are split off, then each substitution is applied to the whole text, in this order
_SYMBOLS = r"([{-~\[-` -&(-+:-@/])"
_WESTERN = (
    (r"'s ", r" 's "),
    (r"([^0-9])([.,])", r"\1 \2 "),
    (r"([.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)
# Han; strokes and radicals; compatibility forms; enclosed letters and more; punctuation. One pass for all of them gives
# the same tokens as sacreBLEU's rules one after the other, which only add spaces. Quirk: kana are not split, since the
# rules for them never fire in sacreBLEU.
_ASIAN = (
    "([\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f\u3200-\u3f22"
    f"{_ASIAN_PUNCTUATION}{_FULLWIDTH_PUNCTUATION}])"
)
_PUNCTUATION = r'[.,?:;!"()]'
_PUNCTUATION_WITH_ASIAN = f'[.,?:;!"(){_ASIAN_PUNCTUATION}{_FULLWIDTH_PUNCTUATION}]'
_LINE_END = "\n"
_compile = cache(re.compile)

# sacreBLEU 1.x: the words that follow the tokenizer in signatures, with today's keys and values
_FORMER_WORDS = {
    "norm": ("norm", "yes"),
    "nonorm": ("norm", "no"),
    "punct": ("punct", "yes"),
    "nopunct": ("punct", "no"),
    "asian": ("asian", "yes"),
    "noasian": ("asian", "no"),
    "cased": ("case", "mixed"),
    "uncased": ("case", "lc"),
}
# Sums of lengths are exact below this
_LONGEST = 2.0**53
# The number of segments of each block that are tokenized to find out whether tokens are words
_SAMPLE = 64


class Tercom(OfLines):
    """`tercom`: lowercases by default, and otherwise only splits on white space.

    asian_support: treat East Asian punctuation in the same way and, with `normalized`, split Han characters. Other
    arguments: as for `TER`.

    >>> list(Tercom(normalized=True).tokenize(Segments.from_strings(["It's 1,000.5 (net)."])))
    ["it 's 1,000.5 ( net ) ."]
    """

    signature = "tercom"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.case_sensitive = case_sensitive
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with tokens separated by white space; missing ones stay missing."""
        if not self.case_sensitive:
            segments = segments.lower()
        if not self.normalized and not self.no_punct:
            return segments
        texts = list(segments)
        cut = iter(self._cut([text for text in texts if text is not None]))
        return Segments.from_strings([None if text is None else next(cut) for text in texts])

    def split_line(self, line: str) -> str:
        """Return what calling the tokenizer does, without keeping it; errors are those of `tokenize`."""
        try:
            line.encode()  # refuses lone surrogates
        except (AttributeError, UnicodeEncodeError):
            return super().split_line(line)  # it says what is wrong
        text = line if self.case_sensitive else line.lower()
        if self.normalized:
            return self._cut([text])[0]
        if self.no_punct:
            return " ".join(_compile(self._marks()).sub("", text).split())
        return text

    def _marks(self) -> str:
        return _PUNCTUATION_WITH_ASIAN if self.asian_support else _PUNCTUATION

    def _cut(self, texts: list[str]) -> list[str]:
        """Tokenize all texts at once: one per line, spaces around each, so that no rule sees more than one of them."""
        if not texts:
            return []
        # Quirk: a line feed and the hyphen after it are deleted; 13a deletes a hyphen and the line feed after it
        lines = [text.replace("\n-", "") if self.normalized else text for text in texts]
        text_of_lines = f" {f' {_LINE_END} '.join([line.replace(_LINE_END, ' ') for line in lines])} "
        if self.normalized:
            text = text_of_lines
            for entity, character in _ENTITIES:
                text = text.replace(entity, character)
            text = _space_out(_SYMBOLS, text)
            for pattern, replacement in _WESTERN:
                text = _compile(pattern).sub(replacement, text)
            text_of_lines = _space_out(_ASIAN, text) if self.asian_support else text
        if self.no_punct:
            text_of_lines = _compile(self._marks()).sub("", text_of_lines)
        return [" ".join(line.split()) for line in text_of_lines.split(_LINE_END)]


def _space_out(characters: str, text: str) -> str:
    """Put a space on both sides of certain characters.

    >>> _space_out(_ASIAN, "ab東")
    'ab 東 '
    """
    return " ".join(_compile(characters).split(text))


class TERScore(Score):
    """A TER score in percent: edits per hundred words of the references.

    Attributes:
        score: in percent; it may exceed 100.
        num_edits: insertions, deletions, substitutions and shifts.
        ref_length: in words, the average length of the references.

    >>> from bleucli import TER
    >>> score = TER().sentence_score("a cat", ["the cat", "the cat sat there"])
    >>> score.num_edits, score.ref_length, round(score.score, 1)
    (1, 3.0, 33.3)
    """

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        self.name = "TER"
        self.score = score
        self.num_edits = num_edits
        self.ref_length = ref_length

    def figures(self) -> Figures:
        """Return edits and length."""
        return Figures(None, None, None, None, None, None, self.ref_length, self.num_edits)


# Metrics for sentences are made in loops. Equal values, such as 1 and True, give the same attributes
@lru_cache(maxsize=64)
def _state_of(kind: type[TER], in_command: bool, *values: bool) -> tuple[list[bool], Tercom, Sequence[str]]:
    """Return the first four arguments of a metric's constructor, checked, with its tokenizer and its advice."""
    metric = object.__new__(kind)
    metric.in_command = in_command
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    options = {name: metric.check(name, value) for name, value in zip(names, values, strict=True)}
    advice: tuple[str, ...] = ()
    if options["asian_support"] and not options["normalized"] and not options["no_punct"]:
        asian, switches = metric.spell("asian_support"), (metric.spell("normalized"), metric.spell("no_punct"))
        advice = (f"{asian} does nothing without {' or '.join(switches)}",)
    return [*options.values()], kind._make_tokenizer(**options), advice


class TER(Metric[TERScore]):
    """TER with sacreBLEU's options and defaults. It is an error rate: lower is better.

    Args:
        normalized: split punctuation off and decode entities first.
        no_punct: delete punctuation.
        asian_support: apply `normalized` and `no_punct` to East Asian text as well.
        case_sensitive: distinguish upper and lower case.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.

    >>> TER().corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    TER = 16.67
    """

    name = "TER"
    counts_ties = False
    aligns = "word"
    shifts = True
    normalized: bool = setting("normalized")
    no_punct: bool = setting("no_punct")
    asian_support: bool = setting("asian_support")
    case_sensitive: bool = setting("case_sensitive")
    tokenizer: Tercom
    _has_tokenizer = True
    explained_by = "explain_edits"
    higher_is_better = False
    _fixed = frozenset({"normalize", "case_sensitive", "asian_support", "no_punct", "normalized"})
    fractions = frozenset({"ref_len"})  # an average over references
    options = (
        # Quirk: TER ignores case by default, while BLEU and chrF do not
        Option(
            "case_sensitive",
            bool,
            False,
            ("--ter-case-sensitive",),
            "distinguish upper and lower case",
            key="case",
            words=("lc", "mixed"),
        ),
        # Before the two options that its help mentions
        Option(
            "asian_support",
            bool,
            False,
            ("--ter-asian-support",),
            "apply the two options below to East Asian text as well",
            key="asian",
        ),
        Option("no_punct", bool, False, ("--ter-no-punct",), "delete punctuation", key="punct", words=("yes", "no")),
        Option("normalized", bool, False, ("--ter-normalized",), "split off punctuation, decode entities", key="norm"),
        *SHARED,
    )
    tokenizer_signature = Tercom.signature
    score_class = TERScore
    _make_tokenizer: ClassVar[Callable[..., Any]] = Tercom
    constants = (("tok", tokenizer_signature),)

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Iterable[Iterable[str | None]] | None = None,
        *,
        skip_empty_refs: bool = False,
        normalize: str = "",
    ) -> None:
        try:
            state = _state_of(type(self), self.in_command, normalized, no_punct, asian_support, case_sensitive)
        except TypeError:  # a value is refused, or only cannot be hashed, such as an array of NumPy
            values = (normalized, no_punct, asian_support, case_sensitive)
            state = _state_of.__wrapped__(type(self), self.in_command, *values)
        options, self.tokenizer, self.advice = state
        self._normalized, self._no_punct, self._asian_support, self._case_sensitive = options
        if references is not None or skip_empty_refs is not False or normalize != "":
            super().__init__(skip_empty_refs=skip_empty_refs, normalize=normalize, references=references)

    @classmethod
    def restate_former(cls, info: Mapping[str, str]) -> dict[str, str]:
        """Return a signature of sacreBLEU 1.x in today's form: its tokenizer names all settings.

        >>> TER.restate_former({"tok": "tercom-nonorm-punct-noasian-uncased"})
        {'tok': 'tercom', 'norm': 'no', 'punct': 'yes', 'asian': 'no', 'case': 'lc'}
        """
        name, *words = info.get("tok", "").split("-")
        if not words or not _FORMER_WORDS.keys() >= {*words}:
            return dict(info)
        return {**info, "tok": name, **dict(_FORMER_WORDS[word] for word in words)}

    @classmethod
    def describe(cls, info: Mapping[str, str]) -> Description:
        """Return how texts are tokenized."""
        from bleucli.results import citations

        described = super().describe(info)._replace(paper=citations.TER, follows_sacrebleu=cls.signs_like(TER, info))
        if info.get("tok") != cls.tokenizer_signature:
            return described
        normalization = "normalization" if info.get("norm") == "yes" else "no normalization"
        punctuation = f"punctuation {'deleted' if info.get('punct') == 'no' else 'kept'}"
        asian = "Asian support" if info.get("asian") == "yes" else "no Asian support"
        settings = f"{normalization}, {punctuation}, {asian}"
        facts = [Fact("Tokenizer", f"tercom: {settings}"), *described.facts]
        return described._replace(uses=[*described.uses, f"tercom's tokens ({settings})"], facts=facts)

    def prepare(self, segments: Segments) -> Segments:
        """Cut trailing white space and tokenize."""
        return self.tokenizer.tokenize(kernels.strip_trailing(segments))

    def prepare_reference(self, segments: Segments) -> Segments:
        """Prepare the references; with `normalized`, tokenize them twice.

        Quirk: sacreBLEU tokenizes hypotheses once, but references twice: when it caches them, and when it compares.
        With `normalized`, `it's 1990's.` therefore scores 40.0 against itself. Published scores depend on it.
        """
        texts = self.prepare(segments)
        return self.tokenizer.tokenize(texts) if self._normalized else texts

    def observe(self, hypotheses: Segments) -> tuple[int, ...]:
        """Count, in a sample, letters in long stretches of scripts without spaces, and all letters.

        If the tokenizer splits East Asian text, stretches that it leaves whole still count: Thai, long words in kana.
        """
        if self._asian_support and self._normalized:
            hypotheses = self.tokenizer.tokenize(hypotheses[:_SAMPLE])
        return unspaced_stretches(hypotheses)

    def hints(self, stats: CorpusStats) -> list[str]:
        """Warn about text without spaces between words."""
        remark = tell_unspaced(self.name, stats.signs)
        asian, normalized = self.spell("asian_support"), self.spell("normalized")
        splitting = f"{asian} with {normalized}, which split Chinese characters, or "
        cure = "" if self._asian_support and self._normalized else splitting
        return [f"{remark}; use {cure}CER"] if remark else []

    def remarks(self, stats: CorpusStats) -> Remarks:
        """Return edits and length, and what the score means."""
        from bleucli.metrics.edit_kinds import remark_on_edits

        return remark_on_edits(self.name, self.aligns, stats, is_average=stats.most > 1)

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of the fewest edits to any reference, and the average length of all references, in words."""
        return kernels.ter_stats(hypotheses, references.streams)

    def column_names(self) -> list[str]:
        """Return `edits, ref_len`."""
        return ["edits", "ref_len"]

    def find_impossible(
        self, columns: Mapping[str, NDArray[Any]], references: NDArray[Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Give rows whose length cannot be the average of whole numbers of words."""
        lengths = columns["ref_len"]
        yield "ref_len below 0", lengths < 0
        least = 0.999 / references  # a single word among all references; programs may have rounded it
        yield "ref_len above 0, but below one word in one reference", (lengths > 0) & (lengths < least)
        yield "ref_len too large", lengths >= _LONGEST

    def score_from_stats(self, sums: Sequence[int | float]) -> TERScore:
        """Return the score of a sum of rows of edits and reference lengths.

        >>> TER().score_from_stats((3, 12)).score, TER().score_from_stats((1, 0)).score
        (25.0, 100.0)
        """
        edits, length = sums
        if length > 0:  # divide first, as sacreBLEU does: 23 edits on 80 words print as 28.7, not 28.8
            return self.score_class(100.0 * (edits / length), int(edits), length)
        return self.score_class(100.0 if edits else 0.0, int(edits), length)

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the score of each row in columns."""
        edits, lengths = (rows.data[n :: rows.columns].tolist() for n in range(rows.columns))
        scores = [
            100.0 * (number / length) if length > 0 else 100.0 if number else 0.0
            for number, length in zip(edits, lengths, strict=True)
        ]
        figures = {"reference_length": lengths, "edits": list(map(int, edits))}
        return SegmentScores(self.name, scores, figures)

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the score of each row of sums, all at once."""
        import numpy as np

        edits, lengths = np.asarray(sums, np.float64).T
        rates: NDArray[np.float64] = np.where(edits > 0, 1.0, 0.0)
        np.divide(edits, lengths, out=rates, where=lengths > 0)
        return 100.0 * rates

    def edit_counts(
        self, hypotheses: Iterable[str | None], references: Iterable[Iterable[str | None]]
    ) -> TEREditCounts:
        """Return what the edits of a corpus are: shifts, and those that remain after the shifts.

        Args:
            hypotheses: n strings.
            references: streams, each of n strings; None is a missing reference. The one with the fewest edits counts.

        Raises:
            BleuError: lengths differ, or a segment has no reference.
            InputTypeError: something other than strings, or a list of the wrong shape.

        >>> TER().edit_counts(["b a c", "e"], [["a b c d", "e"]])
        TEREditCounts(hits=4, substitutions=0, deletions=0, insertions=1, shifts=1, reference_length=5.0)
        """
        from bleucli.metrics.edit_kinds import TEREditCounts, count_edits

        counts, length = count_edits(self, hypotheses, references)
        hits, substitutions, deletions, insertions, shifts = map(int, counts)
        return TEREditCounts(hits, substitutions, deletions, insertions, shifts, length)

    def count_kinds(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return how many edits of each kind prepared segments have; see `Metric.count_kinds`."""
        return kernels.ter_kinds(hypotheses, references.streams)


def corpus_ter(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
    *,
    jobs: int = 1,
) -> TERScore:
    """Score a system's output.

    Args:
        hypotheses, references, jobs: as for `corpus_bleu`.
        normalized, no_punct, asian_support, case_sensitive: as for `TER`.

    Returns:
        TER in percent, which may exceed 100, with edits and reference length.

    Raises:
        BleuError, InputTypeError: as for `corpus_bleu`.

    >>> corpus_ter(["the cat sat down"], [["the cat sat down there"]]).score
    20.0
    """
    return TER(normalized, no_punct, asian_support, case_sensitive).corpus_score(hypotheses, references, jobs=jobs)


def sentence_ter(
    hypothesis: str,
    references: Iterable[str | None],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one segment.

    Args:
        hypothesis, references: as for `sentence_bleu`.
        normalized, no_punct, asian_support, case_sensitive: as for `TER`.

    Returns:
        TER in percent, which may exceed 100, with edits and reference length.

    Raises:
        BleuError, InputTypeError: as for `sentence_bleu`.

    >>> sentence_ter("the cat sat", ["the cat sat"]).score
    0.0
    """
    return metric_for(TER, normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)
