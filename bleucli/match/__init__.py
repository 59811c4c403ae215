"""Which settings give a published number: `match_score`, which `bleu match` calls.

- `match_score`: strings; `Matches`, `Match`, `Setting`: its answer
- `match_corpus`: a corpus from anywhere; `Inputs`: what commands call its texts; `check_number`: refuses a wrong number
- `counts`: what is counted, once per tokenizer and case; all other settings are arithmetic on that
- `programs`: how other programs count, and the commands that run them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from shlex import join

from bleucli import tokenizers
from bleucli.counting.corpus import check_shape, of_strings
from bleucli.errors import InputTypeError, UsageError
from bleucli.limits import string
from bleucli.match import programs
from bleucli.match.counts import Tally, chrf_settings, ter_settings
from bleucli.match.programs import UNUSUAL
from bleucli.metrics import VARIANTS, find_name, list_metrics, name_of, tell_unknown
from bleucli.metrics.bleu import BLEU, MAX_NGRAM_ORDER
from bleucli.metrics.chrf import CHRF
from bleucli.metrics.ter import TER
from bleucli.phrases import Turn, join_words, tell_count
from bleucli.prose.blocks import Code, Heading, Paragraph
from bleucli.records import NamedTuple
from bleucli.results import DECIMALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.counting.corpus import Corpus
    from bleucli.match.programs import Way
    from bleucli.metrics import Metric
    from bleucli.prose.blocks import Block

METRICS_MATCHED = ("bleu", "chrf", "ter")
# No score is printed with a zero in front, so that 027.3 would match nothing
_NUMBER = re.compile(r"(0|[1-9]\d{0,3})(\.\d+)?", re.ASCII)
# Decimals of a number that are worth comparing: doubles have no more
_MOST_DECIMALS = 12
_DECIMALS_OF_PERL = 2  # what multi-bleu.perl prints
_NEAREST = 5
# How many further settings with the same score are named
_MOST_NAMED = 5
# Settings whose scores differ by less give the same score; sums may be rounded differently
_SAME = 1e-9

# How uncommon a setting is, by which settings are sorted: 0 for the defaults of sacreBLEU against all references, and
# more for each departure from these
_ALONE = 1.0  # against one of several references, and a little more for each one further down
_NEXT = 0.01
_RARE = 3.0
_SMOOTHINGS = {"exp": 0.0, "none": UNUSUAL, "floor": _RARE, "add-k": _RARE}
_TOKENIZERS = {"13a": 0.0, "none": 1.5, "intl": UNUSUAL, "flores200": UNUSUAL, "char": _RARE, "flores101": _RARE}
# For text with letters of its script, and of characters for any East Asian text
_OF_SCRIPT = 0.2
_OF_CHARACTERS = 0.4
_CHRF = 0.5
_WORD_ORDERS = {0: 0.0, 2: 0.1, 1: _RARE}  # chrF++ is nearly as common as chrF
_TER = 0.7


class Setting(NamedTuple):
    """One way to score.

    Attributes:
        title: the program and its settings, in a few words.
        program: "sacreBLEU", whose scores bleu gives, or "multi-bleu.perl", "NLTK", "evaluate" or "torchmetrics".
        against: the reference, if it uses only one of several.
        signature: of the score, with its name; "" for other programs.
        command: what to type. It prints the score.

    >>> from bleucli import match_score
    >>> matches = match_score("77.9", ["the cat sat down"], [["the cat sat down there"]])
    >>> matches.matches[0].settings[1].title, matches.matches[0].settings[1].program
    ("Hugging Face's bleu", 'evaluate')
    """

    title: str
    program: str
    against: str
    signature: str
    command: str


class Match(NamedTuple):
    """Settings that give the same score.

    Attributes:
        name: the name of the score, such as BLEU or chrF2.
        score: in percent.
        settings: the commonest first.

    >>> from bleucli import match_score
    >>> match, *_ = match_score("77.9", ["the cat sat down"], [["the cat sat down there"]]).matches
    >>> match.name, round(match.score, 2), match.settings[0].command
    ('BLEU', 77.88, 'bleu REF.txt -i SYSTEM.txt')
    """

    name: str
    score: float
    settings: Sequence[Setting]

    def as_data(self) -> dict[str, Any]:
        """Return the match for JSON."""
        settings = [dict(zip(setting._fields, setting, strict=True)) for setting in self.settings]
        return {"name": self.name, "score": self.score, "settings": settings}

    def tell(self, rank: int, scale: int, decimals: int) -> list[Block]:
        """Return blocks that show the match; rank: its place among all, scale, decimals: those of its score."""
        first, *others = self.settings
        lines = [first.signature, first.command] if first.signature else [first.command]
        against = f", against {first.against} alone" if first.against else ""
        heading = Heading(f"{rank}. {self.name} {self.score * scale / 100:.{decimals}f}: {first.title}{against}")
        if not others:
            return [heading, Code(lines)]
        titles = [self._tell_other(place) for place in range(1, 1 + min(len(others), _MOST_NAMED))]
        if len(others) > _MOST_NAMED:
            titles.append(f"and {tell_count(len(others) - _MOST_NAMED, 'more setting')} (-f json)")
        return [heading, Code(lines), Paragraph(f"The same score: {'; '.join(titles)}.")]

    def _tell_other(self, place: int) -> str:
        """Return what a setting is called beside the first, and beside the first one that has a signature."""
        first, setting = self.settings[0], self.settings[place]
        signature = next((one.signature for one in self.settings[:place] if one.signature), "")
        title = setting.title
        if signature and setting.signature:
            title = join_words([field for field in setting.signature.split("|") if field not in signature.split("|")])
        if setting.against == first.against:
            return title
        return f"{title}, against {setting.against} alone" if setting.against else f"{title}, against all references"


class Matches(NamedTuple):
    """Which settings give a number.

    Attributes:
        number: the number, as it was given.
        scale: what a perfect score is on the scale of the number: 100 or 1.
        matches: the settings that print the number at its precision, the commonest first.
        nearest: if none does, the five nearest scores, the nearest first.
        tried: the number of settings that were tried.
        untried: what was not tried, and what to do about it: one sentence each.

    >>> from bleucli import match_score
    >>> matches = match_score("77.9", ["the cat sat down"], [["the cat sat down there"]])
    >>> [(match.name, match.settings[0].title) for match in matches.matches]
    [('BLEU', "sacreBLEU's BLEU")]
    """

    number: str
    scale: int
    matches: Sequence[Match]
    nearest: Sequence[Match]
    tried: int
    untried: Sequence[str]

    def as_data(self) -> dict[str, Any]:
        """Return the answer for JSON."""
        matches, nearest = ([match.as_data() for match in some] for some in (self.matches, self.nearest))
        return self._asdict() | {"matches": matches, "nearest": nearest, "untried": list(self.untried)}

    def tell(self, width: int, short: bool) -> list[Block]:
        """Return blocks that show the answer; scores have the number's scale and two decimals more, not `width`."""
        decimals = len(self.number.partition(".")[2]) + 2
        tried = tell_count(self.tried, "setting")
        if self.matches:
            count = tell_count(len(self.matches), "score")
            verb = "prints" if len(self.matches) == 1 else "print"
            blocks: list[Block] = [Heading(f"{count} of {tried} {verb} as {self.number}, the commonest first", "")]
        else:
            blocks = [Heading(f"none of {tried} prints as {self.number}; the nearest first", "")]
        for rank, match in enumerate(self.matches or self.nearest, 1):
            blocks += match.tell(rank, self.scale, decimals)
        return [*blocks, *(Paragraph(f"{text[:1].upper()}{text[1:]}.") for text in self.untried)]


class Inputs(NamedTuple):
    """What commands call the texts.

    all: the words that name all references to bleu. references: the file of each one. made_by: for each one, the
    command that writes this file; "" if it is there. system: the file of the output. signs: what signatures say of the
    texts. language: the target language that `all` names, or "".
    """

    all: Sequence[str]
    references: Sequence[str]
    made_by: Sequence[str]
    system: str
    signs: Sequence[tuple[str, str]] = ()
    language: str = ""


def match_score(
    number: str | float,
    hypotheses: Iterable[str],
    references: Iterable[Iterable[str | None]],
    *,
    metrics: str | Iterable[str] = METRICS_MATCHED,
    language: str = "",
    scale: int | None = None,
) -> Matches:
    """Find the settings that give a number, such as one that was published without its signature.

    Args:
        number: as it was printed: "27.30" has two decimals, 27.3 has one.
        hypotheses: the system's output, n strings.
        references: streams: one list of n strings for each reference set; None is a missing reference. They are tried
            together, and each by itself.
        metrics: which scores it may be: "bleu", "chrf", "ter".
        language: the target language, whose usual tokenizer is then the commonest.
        scale: what a perfect score is, 100 or 1; None for 1 if the number is at most 1.

    Returns:
        The settings that print the number at its precision, the commonest first; or else the five nearest.

    Raises:
        BleuError: lengths differ, a segment has no reference, or an argument has an invalid value.
        InputTypeError: a text is not a string, a list has the wrong shape, or an argument has the wrong type.

    >>> references = [["the cat sat down there", "a dog barks at the big cat"]]
    >>> matches = match_score("57.9", ["The cat sat down", "a dog barks at a big cat"], references)
    >>> for match in matches.matches:
    ...     print(f"{match.name} {match.score:.2f}: {match.settings[0].title}; {match.settings[0].command}")
    BLEU 57.89: sacreBLEU's BLEU with case:lc; bleu REF.txt -i SYSTEM.txt -lc
    """
    streams = check_shape(hypotheses, references)
    files = ["REF.txt"] if len(streams) == 1 else [f"REF{n}.txt" for n in range(1, len(streams) + 1)]
    inputs = Inputs(files, files, [""] * len(files), "SYSTEM.txt")
    return match_corpus(
        of_strings([("", hypotheses)], streams), number, inputs, metrics=metrics, language=language, scale=scale
    )


def match_corpus(
    corpus: Corpus,
    number: str | float,
    inputs: Inputs,
    *,
    metrics: str | Iterable[str] = METRICS_MATCHED,
    language: str = "",
    scale: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Matches:
    """Find the settings that give a number to the system of a corpus; arguments and errors: as for `match_score`.

    inputs: what commands call the texts. progress: called with the number of segments that have been counted.
    """
    target = _Target(number, scale)
    language = _check_language(language)
    (system,) = corpus.system_names()
    tally = Tally(_choose_metrics(metrics), tokenizers.default_for(language))
    for piece in corpus.pieces():
        tally.add(piece, system)
        if progress is not None:
            progress(piece.start + len(piece.hypotheses[0]))
    return _Comparison(tally, target, inputs, language).matches()


def check_number(number: str | float) -> None:
    """Refuse a number that no score can be, before anything is read; errors: as for `match_score`."""
    _Target(number, None)


def _check_language(code: str) -> str:
    from bleucli.tokenizers import languages

    try:
        return languages.find(code) if string("language", code) else ""
    except languages.LanguageError as error:
        raise UsageError(f"language {code!r:.40}: {error}") from None


def _choose_metrics(names: str | Iterable[str]) -> list[str]:
    choice = []
    for word in list_metrics(names):
        name = find_name(word) if isinstance(word, str) else ""
        if not name:
            raise UsageError(f"unknown metric {word!r:.40}; ", tell_unknown(str(word)))
        if name not in METRICS_MATCHED:
            instead = "; chrf tries chrf+ and chrf++ as well" if name.startswith("chrf") else ""
            raise UsageError(f"{name} cannot be matched; choose from {', '.join(METRICS_MATCHED)}{instead}")
        choice.append(name)
    return [name for name in METRICS_MATCHED if name in choice]


class _Target:
    """The number that is looked for.

    >>> target = _Target("27.30", None)
    >>> target.decimals, target.scale, target.is_printed_for(27.3049), target.is_printed_for(27.31)
    (2, 100, True, False)
    """

    def __init__(self, number: str | float, scale: int | None) -> None:
        if isinstance(number, bool) or not isinstance(number, str | int | float):
            raise InputTypeError(f"number: {type(number).__name__}; give the number as it was printed, such as '27.3'")
        self.text = str(number).strip()
        if not _NUMBER.fullmatch(self.text):
            remedy = self.text.replace(",", ".").rstrip("% ")
            raise UsageError(
                f"the number {self.text!r:.40}; expected one such as 27.3, as it was printed",
                f"; write {remedy}" if _NUMBER.fullmatch(remedy) else Turn("", "; write it before the references"),
            )
        self.decimals = len(self.text.partition(".")[2])
        if self.decimals > _MOST_DECIMALS:
            raise UsageError(f"the number {self.text:.40} has {self.decimals} decimals; round it to {_MOST_DECIMALS}")
        if scale not in (None, 1, 100):
            raise UsageError(f"scale {scale!r:.40}; expected 1, for scores from 0 to 1, or 100")
        self.scale = scale or (1 if 0 < Decimal(self.text) <= 1 else 100)

    def is_printed_for(self, score: float) -> bool:
        """Return whether a score in percent prints as the number."""
        return f"{score * self.scale / 100:.{self.decimals}f}" == self.text

    def distance(self, score: float) -> float:
        """Return how far a score is from the number, in percent."""
        return abs(score - float(self.text) * 100 / self.scale)


class _Candidate(NamedTuple):
    """A setting with its score.

    name, score: of the score. cost: how uncommon it is. way: that of another program, or what makes the metric of bleu.
    numbers: the indexes of the references.
    """

    name: str
    score: float
    cost: float
    way: Way | Callable[[], Metric]
    numbers: tuple[int, ...]


class _Comparison:
    """Compares the scores of all settings with a number."""

    def __init__(self, tally: Tally, target: _Target, inputs: Inputs, language: str) -> None:
        self._tally = tally
        self._target = target
        self._inputs = inputs
        self._language = language

    def matches(self) -> Matches:
        """Return the settings that print the number, or the nearest."""
        target = self._target
        candidates = sorted(self._candidates(), key=lambda candidate: candidate.cost)
        groups: dict[tuple[str, int], list[_Candidate]] = {}
        for candidate in candidates:
            groups.setdefault((candidate.name, round(candidate.score / _SAME)), []).append(candidate)
        matches = [self._match(group) for group in groups.values() if target.is_printed_for(group[0].score)]
        nearest = sorted(groups.values(), key=lambda group: target.distance(group[0].score))[:_NEAREST]
        others = [] if matches else list(map(self._match, nearest))
        return Matches(target.text, target.scale, matches, others, len(candidates), self._untried())

    def _match(self, group: Sequence[_Candidate]) -> Match:
        return Match(group[0].name, group[0].score, list(map(self._describe, group)))

    def _untried(self) -> list[str]:
        names = self._tally.absent
        if not names:
            return []
        states = {name: state for name, _, state in tokenizers.listing()}
        remedy = "; scoring once with a tokenizer downloads its model" if any(map(tokenizers.find_model, names)) else ""
        return [f"not tried: {join_words([f'{name} ({states[name]})' for name in names])}{remedy}"]

    def _candidates(self) -> Iterator[_Candidate]:
        together, *alone = self._tally.sets
        for numbers in (together, *alone):
            cost = 0.0 if numbers == together else _ALONE + _NEXT * numbers[0]
            for candidates in (self._of_bleu(numbers), self._of_chrf(numbers), self._of_ter(numbers)):
                for candidate in candidates:
                    yield candidate._replace(cost=candidate.cost + cost)

    def _of_bleu(self, numbers: tuple[int, ...]) -> Iterator[_Candidate]:
        scorers = [
            (method, order, effective, BLEU(False, True, "none", method, None, order, effective))
            for method in _SMOOTHINGS
            for order in range(MAX_NGRAM_ORDER, 0, -1)
            for effective in (False, True)
        ]
        of_tokenizers = self._costs_of_tokenizers()
        for (tokens, case, references), counts in self._tally.bleu.items():
            if references != numbers:
                continue
            for way in programs.ways(tokens, case):
                if way.program != programs.MULTI_BLEU or self._target.decimals <= _DECIMALS_OF_PERL:
                    yield _Candidate("BLEU", way.score(counts), way.cost, way, numbers)
            if tokens not in of_tokenizers or case == programs.LAST:
                continue
            lowercase = case == programs.LOWER
            for method, order, effective, scorer in scorers:
                sums = [counts.hypothesis, counts.closest, *counts.matches[:order], *counts.totals[:order]]
                cost = of_tokenizers[tokens] + UNUSUAL * lowercase + _SMOOTHINGS[method]
                cost += _RARE * (order < MAX_NGRAM_ORDER) + _RARE * effective
                metric = partial(BLEU, lowercase, False, tokens, method, None, order, effective)
                yield _Candidate("BLEU", scorer.score_from_stats(sums).score, cost, metric, numbers)

    def _costs_of_tokenizers(self) -> dict[str, float]:
        """Return how uncommon each tokenizer is that was tried."""
        costs = {name: _TOKENIZERS.get(name, _OF_SCRIPT) for name in self._tally.tokenizers}
        if self._tally.has_asian:
            costs["char"] = _OF_CHARACTERS
        usual = tokenizers.default_for(self._language)
        if usual != tokenizers.DEFAULT:
            costs |= {tokenizers.DEFAULT: _OF_SCRIPT, usual: 0.0}
        return costs

    def _of_chrf(self, numbers: tuple[int, ...]) -> Iterator[_Candidate]:
        for lowercase in (False, True):
            for whitespace in (False, True):
                for word_order, beta, eps in chrf_settings():
                    sums = self._tally.chrf.get((lowercase, whitespace, word_order, beta, eps, numbers))
                    if sums is None:
                        return
                    make = partial(CHRF, CHRF.CHAR_ORDER, word_order, beta, lowercase, whitespace, eps)
                    metric = make()
                    departures = (beta != CHRF.BETA) + lowercase + whitespace + eps
                    cost = _CHRF + _WORD_ORDERS[word_order] + UNUSUAL * departures
                    score = metric.score_from_stats(sums.tolist()).score
                    yield _Candidate(metric.score_name(), score, cost, make, numbers)

    def _of_ter(self, numbers: tuple[int, ...]) -> Iterator[_Candidate]:
        for settings in ter_settings(self._tally.has_asian):
            sums = self._tally.ter.get((*settings, numbers))
            if sums is None:
                return
            make = partial(TER, *settings)
            score = make().score_from_stats(sums.tolist()).score
            yield _Candidate("TER", score, _TER + UNUSUAL * sum(settings), make, numbers)

    def _describe(self, candidate: _Candidate) -> Setting:
        inputs, target, numbers, way = self._inputs, self._target, candidate.numbers, candidate.way
        is_all = numbers == self._tally.sets[0]
        against = "" if is_all else inputs.references[numbers[0]]
        files = [inputs.references[number] for number in numbers]
        made_by = [inputs.made_by[number] for number in numbers if inputs.made_by[number]]
        if isinstance(way, programs.Way):
            command = way.command(files, inputs.system, target.scale)
            return Setting(way.title, way.program, against, "", " && ".join([*made_by, command]))
        metric = way()
        signature = metric.signature(*((self._tally.fewest, self._tally.most) if is_all else (1, 1)))
        if is_all:
            files, made_by = [*inputs.all], []
            signature = signature.with_texts(inputs.signs)
        text = f"{metric.score_name()}|{signature}"
        words = [*files, "-i", inputs.system, *_words_of(metric, text, inputs.language if is_all else "")]
        words += [] if target.scale == 100 else ["--scale", "1"]
        words += [] if target.decimals == DECIMALS[target.scale] else ["-w", str(target.decimals)]
        return Setting(_title_of(metric), "sacreBLEU", against, text, " && ".join([*made_by, f"bleu {join(words)}"]))


# --- the words for settings


def _title_of(metric: Metric) -> str:
    """Return what a metric of bleu is called: its name, and what its signature says beyond the defaults.

    >>> _title_of(BLEU(lowercase=True)), _title_of(CHRF(word_order=2))
    ("sacreBLEU's BLEU with case:lc", "sacreBLEU's chrF2++")
    """
    usual = CHRF(word_order=metric.word_order) if isinstance(metric, CHRF) else type(metric)()
    defaults = usual.signature(1, 1).info
    fields = [f"{key}:{value}" for key, value in metric.signature(1, 1).info.items() if defaults.get(key) != value]
    return f"sacreBLEU's {metric.score_name()}{f' with {join_words(fields)}' if fields else ''}"


def _words_of(metric: Metric, signature: str, language: str) -> list[str]:
    """Return the words that make the command use a metric.

    signature: that of its score. language: the target language that the command knows.

    >>> _words_of(BLEU(tokenize="intl", lowercase=True), "", ""), _words_of(CHRF(word_order=2), "", "")
    (['-tok', 'intl', '-lc'], ['-m', 'chrf++'])
    """
    from bleucli.tokenizers import languages

    if isinstance(metric, BLEU) and metric.effective_order:  # -sl is for single segments
        return ["--like", signature]
    name = name_of(metric)
    words = [] if name == "bleu" else ["-m", name]
    _, variant = VARIANTS.get(name, ("", {}))
    # For a language without spaces, the command refuses to choose
    tokenizer = "" if languages.is_unspaced(language) else tokenizers.default_for(language)
    usual = {"tokenize": tokenizer, **variant}
    for option in metric.options:
        value = getattr(metric, option.name)
        if option.flags and not option.shared and value != usual.get(option.name, option.default):
            words += [option.flags[-1]] if option.kind is bool else [option.flags[-1], f"{value}"]
    return words
