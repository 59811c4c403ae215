"""chrF and chrF++ (Popović 2015, 2017), with the conventions of sacreBLEU 2.6.0.

`CHRF` is the metric; `corpus_chrf` and `sentence_chrf` are sacreBLEU's shorthands for it.
"""

from __future__ import annotations

from _collections_abc import Iterable, Iterator, Mapping, Sequence  # see CONTRIBUTING.md

from bleucli import kernels
from bleucli.counting import References
from bleucli.errors import BleuError, UsageError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import LARGEST_ORDER, read_number
from bleucli.metrics.base import Metric, metric_for
from bleucli.metrics.options import CHOICE, SHARED, Option, case_option, setting
from bleucli.metrics.score import Bar, Remarks, Score
from bleucli.phrases import join_words, list_orders, tell_count, tell_orders
from bleucli.results import Description, Fact, Figures
from bleucli.results.segments import SegmentScores
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting import CorpusStats
    from bleucli.metrics.pairwise import Pairs

DEFAULT_CHAR_ORDER = 6
DEFAULT_WORD_ORDER = 0
DEFAULT_BETA = 2
_LARGEST_BETA = 1e150  # its square is finite; far smaller values already make only recall count
# Whole numbers, each at its own index, of which Python has only one object
_FROM_0 = tuple(range(257))
_FROM_1 = (None, *_FROM_0[1:])
_NO_KINDS = ""  # compared as an object, it takes less time


def name_with(beta: float, word_order: int) -> str:
    """Return the name of scores: `chrF`, beta, and a `+` for each word order."""
    return f"chrF{beta}{'+' * word_order}"


class CHRFScore(Score):
    """A chrF score in percent, with the orders and the beta that it was made with.

    Attributes:
        score: in percent.
        char_order: longest n-gram of characters.
        word_order: longest n-gram of words.
        beta: how many times as important recall is as precision.
        statistics: for each order, first of characters and then of words: the number of n-grams in the hypotheses, the
            number in the references, and the number of matches.

    >>> from bleucli import CHRF
    >>> score = CHRF(word_order=2).sentence_score("a cat", ["the cat"])
    >>> score.name, round(score.score, 1), score.statistics[:3]
    ('chrF2++', 29.4, (4, 6, 3))
    """

    statistics: Sequence[int | float] = ()

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.name = name_with(beta, word_order)
        self.score = score
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta

    def figures(self) -> Figures:
        """Return the numbers of n-grams."""
        sums = self.statistics
        return Figures(None, sums[2::3], sums[::3], sums[1::3], None, None, None, None) if sums else Figures()


# That of Kocmi et al. (2024), and the signature of the scores for which it was measured
_CURVE = ("chrF2", 93.0, 1.11427)
_MEASURED = {"nrefs": "1", "case": "mixed", "eff": "yes", "nc": "6", "nw": "0", "space": "no"}


class CHRF(Metric[CHRFScore]):
    """chrF with sacreBLEU's options and defaults; a word order of 2 makes it chrF++.

    Args:
        char_order: the longest character n-gram; 0 for none, if there are word n-grams.
        word_order: the longest word n-gram; 0 for none.
        beta: how many times as important recall is as precision; 0 for precision alone.
        lowercase: compare without regard to case.
        whitespace: count white space in character n-grams.
        eps_smoothing: average the F-scores of all orders, as chrF++.py, NLTK and Moses do.
        references, skip_empty_refs, normalize: as for `metrics.Metric`.

    Raises:
        UsageError: an order or beta is out of range.
        InputTypeError: an order or beta is not a number.

    >>> CHRF(word_order=2).corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    chrF2++ = 70.39
    """

    # Names that programs read from sacreBLEU's class
    CHAR_ORDER = DEFAULT_CHAR_ORDER
    WORD_ORDER = DEFAULT_WORD_ORDER
    BETA = DEFAULT_BETA

    name = "chrF"
    counts_ties = False
    char_order: int = setting("char_order")
    word_order: int = setting("word_order")
    beta: float = setting("beta")
    whitespace: bool = setting("whitespace")
    eps_smoothing: bool = setting("eps_smoothing")
    explained_by = "explain_chrf"
    former_difference = (
        "chrF of sacreBLEU 1.x counts differently where a reference has fewer characters than the longest n-gram"
    )
    options = (
        Option(
            "char_order",
            int,
            DEFAULT_CHAR_ORDER,
            ("--chrf-char-order", "-cc"),
            "longest character n-gram",
            most=LARGEST_ORDER,
            key="nc",
        ),
        Option(
            "word_order",
            int,
            DEFAULT_WORD_ORDER,
            ("--chrf-word-order", "-cw"),
            "longest word n-gram, 2 for chrF++",
            most=LARGEST_ORDER,
            key="nw",
        ),
        Option(
            "beta",
            float,
            DEFAULT_BETA,
            ("--chrf-beta",),
            "weight of recall",
            most=_LARGEST_BETA,
            reads=int,
            in_name=True,
            decides=CHOICE,
        ),
        Option(
            "whitespace", bool, False, ("--chrf-whitespace",), "count white space in character n-grams", key="space"
        ),
        case_option("--chrf-lowercase"),
        Option(
            "eps_smoothing",
            bool,
            False,
            ("--chrf-eps-smoothing",),
            "smooth as chrF++.py, NLTK and Moses do",
            key="eff",
            words=("yes", "no"),
            decides=CHOICE,
        ),
        *SHARED,
    )

    def __init__(
        self,
        char_order: int = DEFAULT_CHAR_ORDER,
        word_order: int = DEFAULT_WORD_ORDER,
        beta: float = DEFAULT_BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Iterable[Iterable[str | None]] | None = None,
        # Give these by name. There is no `*` here only because Python would take longer to make a metric
        skip_empty_refs: bool = False,
        normalize: str = "",
    ) -> None:
        self._char_order = char_order
        self._word_order = word_order
        self._beta = beta
        self._lowercase = lowercase
        self._whitespace = whitespace
        self._eps_smoothing = eps_smoothing
        # Nearly all values are found valid here, without a call: sacreBLEU, which checks nothing, is as fast
        try:
            if (
                _FROM_1[char_order] is char_order
                and _FROM_0[word_order] is word_order
                and (
                    beta is DEFAULT_BETA
                    or (0.0 < beta <= _LARGEST_BETA if type(beta) is float else _FROM_0[beta] is beta)  # type: ignore[call-overload]
                )
                and (lowercase is True or lowercase is False)
                and (whitespace is True or whitespace is False)
                and (eps_smoothing is True or eps_smoothing is False)
                and references is None
                and skip_empty_refs is False
                and normalize is _NO_KINDS
            ):
                return
        except (TypeError, IndexError):  # a value is refused, or only of another type, such as a number of NumPy
            pass
        self._word_order = self.check("word_order", word_order)
        self._char_order = self.check("char_order", char_order)
        if not self._char_order and not self._word_order:
            orders = f"{self.label('char_order')} 0 and {self.label('word_order')} 0"
            raise UsageError(f"{orders}; expected at least 1 for characters or for words")
        self._beta = abs(self.check("beta", beta))  # -0.0 is 0.0
        self._lowercase = self.check("lowercase", lowercase)
        self._whitespace = self.check("whitespace", whitespace)
        self._eps_smoothing = self.check("eps_smoothing", eps_smoothing)
        super().__init__(skip_empty_refs=skip_empty_refs, normalize=normalize, references=references)

    @classmethod
    def restate_former(cls, info: Mapping[str, str]) -> dict[str, str]:
        """Return a signature of sacreBLEU 1.x in today's form.

        Quirk: those versions sign case and tokenizer, but never use them, and the number of references, but use only
        the first. With white space, they also count the ends of lines. All of this was measured by running them.
        """
        several, space = info.get("nrefs", "1") != "1", info.get("space", "")
        if several:
            raise BleuError(
                f"numrefs:{info['nrefs']} in the signature, but chrF of sacreBLEU 1.x uses only the first reference;"
                " give that one alone, and write numrefs.1"
            )
        if space.lower() in ("true", "yes"):
            raise BleuError(
                f"space:{space} in the signature: chrF of sacreBLEU 1.x also counted the ends of lines, which cannot be"
                " reproduced; leave out --like, and give the options that you want"
            )
        # `n` is short for the order of characters there, but for that of BLEU today
        fields = {"nc" if key == "ngram" else key: value for key, value in info.items() if key not in ("case", "tok")}
        return {"nrefs": "1", **fields}

    @classmethod
    def describe(cls, info: Mapping[str, str]) -> Description:
        """Return which n-grams of characters and words are counted, and how they are smoothed."""
        from bleucli.results import citations
        from bleucli.results.citations import Curve, measures_systems

        of_case = super().describe(info)
        characters, words = info.get("nc", "0"), info.get("nw", "0")
        paper = citations.CHRF if words == "0" else citations.CHRF_WORDS
        described = of_case._replace(paper=paper, follows_sacrebleu=cls.signs_like(CHRF, info))
        if described.follows_sacrebleu and measures_systems(info, _MEASURED):
            described = described._replace(curve=Curve(*_CURVE))
        if "nc" not in info:
            return described
        counts_space, has_eps = info.get("space") == "yes", info.get("eff") == "no"
        uses, ngrams = [*of_case.uses], []
        if characters != "0":
            uses.append(tell_orders(characters, "characters (white space included)" if counts_space else "characters"))
            ngrams.append(
                f"{list_orders(characters, 'character')} (white space {'counts' if counts_space else 'does not count'})"
            )
        if words != "0":
            uses.append(tell_orders(words, "words"))
            ngrams.append(list_orders(words, "word"))
        uses += ["eps smoothing"] if has_eps else []
        smoothing = "eps: the F-scores of all orders are averaged" if has_eps else "none"
        facts = [Fact("N-grams", join_words(ngrams)), *of_case.facts, Fact("Smoothing", smoothing)]
        return described._replace(uses=uses, facts=facts)

    def remarks(self, stats: CorpusStats) -> Remarks:
        """Return precision and recall by order, and what the score means."""
        name, score, several = f"{self.name}{'+' * self.word_order}", stats.score().score, stats.most > 1
        sums = list(map(int, stats.sums))
        orders = [f"{number}-grams" for number in range(1, self.char_order + 1)]
        orders += [f"word {number}-grams" for number in range(1, self.word_order + 1)]
        bars = []
        for order, ours, theirs, matches in zip(orders, sums[::3], sums[1::3], sums[2::3], strict=True):
            precision, recall = (100 * matches / total if total else 0.0 for total in (ours, theirs))
            counts = f"{tell_count(matches, 'match', 'matches')}; candidate {ours}, reference {theirs}"
            bars.append(Bar(order, counts, [precision, recall], f"precision {precision:.1f}%, recall {recall:.1f}%"))
        messages = []
        if not score:
            messages.append(f"The candidate and the reference{'s' if several else ''} share no n-gram.")
        elif score == 100:
            which = "a" if several else "the"
            messages.append(f"The candidate and {which} reference have the same n-grams: the best score.")
        return Remarks(
            [
                ("Candidate characters", str(sums[0])),
                ("Reference characters", str(sums[1])),
                ("Weight of recall", f"{self.beta:g}"),
            ],
            bars,
            "Upper bar: precision. Lower bar: recall.",
            messages,
            f"{name} runs from 0 to 1, or 0 to 100; higher is better. It is usually higher than BLEU on the same texts;"
            " how much higher depends on the script. No bands of quality are in common use; compare systems on the same"
            " texts, and read the texts.",
        )

    @property
    def ngram_orders(self) -> int:
        """The number of orders of n-grams that are counted, of characters and of words."""
        return self._char_order + self._word_order

    def prepare(self, segments: Segments) -> Segments:
        """Lowercase if asked to; change nothing else."""
        return segments.lower() if self._lowercase else segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return rows of `hyp_count, ref_count, match`, first for the character orders, then for the word orders.

        Of several references, only the one with the highest F-score counts, so beta and smoothing decide the rows, too.
        """
        return kernels.chrf_stats(
            hypotheses,
            references.streams,
            self._char_order,
            self._word_order,
            self._beta,
            self._whitespace,
            self._eps_smoothing,
        )

    def column_names(self) -> list[str]:
        """Return `hyp_c1, ref_c1, match_c1` and so on for the character orders, `hyp_w1` and so on for words."""
        orders = [f"c{n}" for n in range(1, self._char_order + 1)] + [f"w{n}" for n in range(1, self._word_order + 1)]
        return [f"{what}_{order}" for order in orders for what in ("hyp", "ref", "match")]

    def find_impossible(
        self, columns: Mapping[str, NDArray[Any]], references: NDArray[Any]
    ) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Give rows with more matches than n-grams."""
        for match in columns:
            side, _, order = match.partition("_")
            for many in (f"hyp_{order}", f"ref_{order}") if side == "match" else ():
                yield f"{match} above {many}", columns[match] > columns[many]

    def score_from_stats(self, sums: Sequence[int | float]) -> CHRFScore:
        """Return the score of a sum of rows."""
        score = CHRFScore(
            kernels.f_score(sums, self._beta, self._eps_smoothing), self._char_order, self._word_order, self._beta
        )
        score.statistics = tuple(sums)
        return score

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return the score of each row of sums, all at once if they are integers."""
        import numpy as np

        if sums.data.format == "q":
            return np.array(kernels.chrf_rows(sums, self._beta, self._eps_smoothing).data)
        return np.array([kernels.f_score(row, self._beta, self._eps_smoothing) for row in sums], np.float64)

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the score of each row in columns."""
        columns = [rows.data[n :: rows.columns] for n in range(rows.columns)]
        scores = kernels.chrf_rows(rows, self._beta, self._eps_smoothing).data
        figures = {"counts": columns[2::3], "totals": columns[::3], "reference_totals": columns[1::3]}
        return SegmentScores(self.score_name(), scores, figures)

    def score_pairs(self, pairs: Pairs, scores: memoryview[float]) -> None:
        """Fill in the scores of all pairs; each text is counted once."""
        orders = self._char_order, self._word_order
        kernels.pairwise_chrf(*pairs, scores, *orders, self._beta, self._whitespace, self._eps_smoothing)

    def score_name(self) -> str:
        """Return `chrF` with beta and word order."""
        return f"chrF{self._beta}{'+' * self._word_order}"

    @classmethod
    def read_name(cls, name: str) -> dict[str, Any] | None:
        """Return the beta in the name of a score, and the word order if there are plus signs.

        >>> CHRF.read_name("chrF3++"), CHRF.read_name("chrF"), CHRF.read_name("TER")
        ({'beta': 3, 'word_order': 2}, {'beta': 2}, None)
        """
        if not name.startswith(cls.name):
            return None
        digits = name.removeprefix(cls.name).rstrip("+")
        plus = len(name) - len(cls.name) - len(digits)
        try:
            beta = (int(digits) if digits.isdecimal() else read_number(digits)) if digits else DEFAULT_BETA
        except ValueError:
            beta = -1.0
        if digits and str(beta) != digits:  # only the spelling that `score_name` gives is a name
            raise BleuError(f"{name} is not the name of a chrF score; expected one such as chrF2")
        return {"beta": beta} | ({"word_order": plus} if plus else {})


def corpus_chrf(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    char_order: int = DEFAULT_CHAR_ORDER,
    word_order: int = DEFAULT_WORD_ORDER,
    beta: float = DEFAULT_BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
    *,
    jobs: int = 1,
) -> CHRFScore:
    """Score a system's output.

    Args:
        hypotheses, references, jobs: as for `corpus_bleu`.
        char_order, word_order, beta, eps_smoothing: as for `CHRF`.
        remove_whitespace: ignore white space, as `CHRF(whitespace=False)` does.

    Returns:
        chrF in percent.

    Raises:
        BleuError, InputTypeError: as for `corpus_bleu`.

    >>> corpus_chrf(["the cat sat down"], [["the cat sat down there"]]).score
    72.04777245090835
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.corpus_score(hypotheses, references, jobs=jobs)


def sentence_chrf(
    hypothesis: str,
    references: Iterable[str | None],
    char_order: int = DEFAULT_CHAR_ORDER,
    word_order: int = DEFAULT_WORD_ORDER,
    beta: float = DEFAULT_BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment.

    Args:
        hypothesis, references: as for `sentence_bleu`.
        char_order, word_order, beta, remove_whitespace, eps_smoothing: as for `corpus_chrf`.

    Returns:
        chrF in percent.

    Raises:
        BleuError, InputTypeError: as for `sentence_bleu`.

    >>> sentence_chrf("the cat sat", ["the cat sat"]).score
    100.0
    """
    metric = metric_for(CHRF, char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)
