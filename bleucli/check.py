"""What is wrong with references and outputs, and what it costs: `check_texts`, which `bleu check` calls.

- `check_texts`: strings
- `check_corpus`: a corpus from anywhere

Texts are read once, some thousand lines at a time. Each kind of mistake is a record of `inspection.mistakes`, or a
method here if it takes more than one line to see it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from bleucli import kernels
from bleucli.counting import CorpusStats, count_block
from bleucli.counting.corpus import check_systems, of_strings
from bleucli.errors import BleuError, UsageError
from bleucli.inspection.alignment import Alignment, Features, Move, add_moves, align, placed, steps_around, tell_steps
from bleucli.inspection.language import Languages, find_scripts, find_untranslated, is_sentence
from bleucli.inspection.lines import FEW, FEWEST, Lines, cut
from bleucli.inspection.mistakes import MISTAKES, Mistake
from bleucli.metrics import Metric, find_metric, typography
from bleucli.phrases import Turn, tell_count, tell_place
from bleucli.records import NamedTuple
from bleucli.results import SIGNIFICANT, show_p
from bleucli.results.findings import SEVERITIES, Finding, Findings
from bleucli.text import Segments, blocks_of_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting.corpus import Corpus, Piece
    from bleucli.kernels.stats import SegmentStats

    Sums = tuple[int | float, ...]

# The number of lines that are examined together
_LINES = 4096
# A kind of mistake in this share of the segments, or one that changes the score by this many points, is an error
_ERROR_SHARE = 0.05
_ERROR_POINTS = 0.5
# The same for a kind that is both
_FREQUENT_POINTS = 0.2
# The same for a warning; what is below is a note
_WARNING_SHARE = 0.002
_WARNING_POINTS = 0.05
# The least that removing words which many lines share must gain: the share of the lines times this, but not less than
# the first number below, and not more than the second. In WMT's texts, at most 3% of the lines have such words of their
# own, and gain less than 3 times their share; a tenth of the lines do not have them by chance.
_GAIN_OF_ALL = 4.0
_GAIN, _MOST_GAIN = 0.05, 0.4
# The least that a convention must cost to be worth a word
_CONVENTION_POINTS = 0.1
# With more segments than this, the difference between two systems is not tested again: their statistics fill memory
_MOST_TESTED = 50_000
# Outputs may differ from references by chance as well: the mistake must be this many times as frequent on one side
_TIMES = 3
_CHANCE = 2
# The same for the odds of lines that good texts have as well
_NATURAL_TIMES = 2
# A reference may have peculiarities that no system has, so more lines are needed there
_REFERENCE_TIMES = 3
# Where good texts have such lines, too, one side may have too many, or the other one too few: a reference has a mistake
# from this share of its lines on
_MOST_OF_REFERENCE = 0.5
# A mistake is the cause of another one if it is in this share of the other one's segments
_CAUSED = 0.3
# The most characters of an example
_EXAMPLE = 100
# Lines with this many bytes are seldom equal to the reference by chance: on WMT's systems, at most 0.6% of them are
_LONG = 120
_COPIES = 0.01
# File names
_LIKE_REFERENCE = re.compile(r"(?:^|[._-])(?:refs?|references?|gold|target|tgt|human)\d*(?:$|[._-])", re.IGNORECASE)

# Lines with less in common with their reference than this may be in another language
_UNLIKE = 0.08
# What lines that have moved gain when they are moved back, as a share of what as many other lines contribute: less is
# chance, where neighbours are alike
_STEP_GAIN = 0.2
# The most pieces that are named
_MOST_MOVES = 5
_TRANSLATE_AGAIN = "check that this is the right file, and translate these lines again"
# The mean share of rare groups of letters below which texts are unrelated, from this many segments on
_UNRELATED = 0.04
_ENOUGH = 20


def check_texts(
    systems: Mapping[str, Iterable[str]],
    references: Iterable[Iterable[str | None]],
    sources: Iterable[str] | None = None,
    *,
    metric: str | Metric = "bleu",
) -> Findings:
    """Find mistakes in outputs and references that would distort a score, and measure what they cost.

    Args:
        systems: for each system's name, n strings.
        references: streams: one list of n strings for each reference set; None is a missing reference.
        sources: the n texts that were translated; None if they are not known.
        metric: the metric in whose points costs are measured, by name or as an object.

    Returns:
        The findings, the worst first. `findings.findings` has a record for each kind of mistake in each text, and
        `unchecked` says what needs a package that is not installed.

    Raises:
        BleuError: there is no system, lengths differ, or a segment has no reference.
        InputTypeError: a text is not a string, or a list has the wrong shape.

    >>> references = [[f"The {n} cats and the dog sat on a mat." for n in range(40)]]
    >>> system = [f"<seg>The {n} cats and a dog sat on a mat.</seg>" for n in range(40)]
    >>> finding, *_ = check_texts({"ours": system}, references).findings
    >>> finding.kind, finding.severity, finding.segments, finding.first, round(finding.points, 1)
    ('tags', 'error', 40, 0, 30.0)
    >>> finding.remedy
    'remove the tags and keep the text between them'
    """
    check_systems(systems)
    scorer = find_metric(metric)
    texts = (
        None if sources is None else (text or "" for block in blocks_of_strings(sources, "sources") for text in block)
    )
    return check_corpus(of_strings(systems.items(), references), scorer, texts)


def check_corpus(
    corpus: Corpus,
    metric: Metric,
    sources: Iterable[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Findings:
    """Find mistakes in a corpus; arguments and errors: as for `check_texts`.

    progress: called with the number of segments that have been checked.
    """
    if metric.needs_all_references:
        raise UsageError(f"{metric.name} must read all references first; choose another metric, such as bleu")
    checking = _Checking(corpus, metric)
    texts = None if sources is None else iter(sources)
    for piece in corpus.pieces():
        for start in range(0, len(piece.hypotheses[0]), _LINES):
            end = start + _LINES
            hypotheses = [text[start:end] for text in piece.hypotheses]
            references = [text[start:end] for text in piece.references]
            checking.add(piece._replace(start=piece.start + start, hypotheses=hypotheses, references=references), texts)
            if progress is not None:
                progress(checking.segments)
    if texts is not None and next(texts, None) is not None:
        raise BleuError(f"there are more sources than segments ({checking.segments}); give one source for each")
    return checking.findings()


# Kinds that put the same marks into many lines
_MARKS = ("tags", "special-tokens", "quoting", "enclosed", "subwords", "markdown", "entities", "spaced", "letters")
# For kinds that follow from others, what they follow from
_CAUSES = {
    "prefix": ("preamble", "numbers", *_MARKS),
    "suffix": ("tokenized", "runaway", *_MARKS),
    "unrelated": ("step", "order", "script", "language", "mojibake", "spaced", "letters", "empty", "source", "copy"),
    "language": ("mojibake", "script", "preamble", "letters"),
    "letters": ("spaced",),
    "tokenized": ("letters", "spaced", "subwords"),
    "script": ("mojibake", "full-width"),
    "lost": ("mojibake",),
    "quotes": ("quoting", "preamble", "enclosed"),
    "invisible": ("mojibake",),
    "punctuation": ("cut",),
    "cut": ("punctuation", "special-tokens", "tags", "suffix"),
    "enclosed": ("quoting", "preamble"),
    "step": ("order",),
    "tags": ("special-tokens",),
    "repeated": ("empty",),
}


# How many times as many segments the cause must have, where both may be the cause: `cut` if they are in as many
_SHARES = {"punctuation": 1.0, "cut": 1.001}
# What is found where a system's output is of another text
_OTHER_TEXTS = ("unrelated", "script", "language", "order", "step", "empty")


def _is_explained(finding: Finding, others: Sequence[Finding]) -> bool:
    """Return whether another finding about as many segments of the same text is the cause of this one."""
    causes = _CAUSES.get(finding.kind, ())
    least = _SHARES.get(finding.kind, _CAUSED) * finding.segments
    return any(one.text == finding.text and one.kind in causes and one.segments >= least for one in others)


class _Place(NamedTuple):
    """A text."""

    name: str
    is_reference: bool
    number: int  # among the systems, or among the references


class _Tally:
    """What was counted of one kind of mistake in one text."""

    def __init__(self) -> None:
        self.count = self.other = 0  # segments that have it, and those in which only the other text has it
        # How many lines of the text, and of the other one, have it by themselves, and how many lines these are: of the
        # blocks with a mistake, if the kind has `is_trait`
        self.traits = [0, 0, 0]
        self.first: int | None = None  # the index of the first segment
        self.example = ""
        self.changes: dict[int, Sums] = {}  # for each system, what the remedy adds to its statistics

    def add(self, lines: Lines, indexes: Sequence[int], mistake: Mistake | None = None) -> None:
        """Count these lines, which have a mistake."""
        if not indexes:
            return
        self.count += len(indexes)
        if self.first is None:
            self.first = lines.start + indexes[0]
            text = lines.texts[indexes[0]]
            self.example = cut(text, 0 if mistake is None else mistake.place(text), _EXAMPLE)

    def is_natural(self) -> bool:
        """Return whether the other text has nearly as many such lines, by their odds."""
        ours, theirs, lines = self.traits
        return ours * (lines - theirs) <= _NATURAL_TIMES * theirs * (lines - ours)


def _plus(one: Sums, other: Sums) -> Sums:
    return tuple(a + b for a, b in zip(one, other, strict=True)) if one else other


def _tell_lead(lead: float, p_value: float) -> str:
    """Return by how much a system is ahead of another one.

    >>> _tell_lead(1.484, 0.0003), _tell_lead(-0.2, 0.31)
    ('by 1.48 (p < 0.001)', 'by -0.20 (p = 0.310)')
    """
    return f"by {lead:z.2f} ({show_p(p_value)})"


class _Block(NamedTuple):
    """Some segments of all texts."""

    piece: Piece
    systems: Sequence[Lines]
    references: Sequence[Lines]
    rows: Sequence[SegmentStats]  # the statistics of each system
    indexes: dict[tuple[str, Lines, Lines], Sequence[int]]  # lines with a mistake, by its kind and the compared texts

    def find(self, mistake: Mistake, lines: Lines, others: Lines) -> Sequence[int]:
        """Return the lines with a mistake; the first system and the first reference are compared for both."""
        key = (mistake.kind, lines, others)
        if key not in self.indexes:
            self.indexes[key] = mistake.find(lines, others)
        return self.indexes[key]


class _Checking:
    """Examines blocks of a corpus, and says in the end what is wrong with it."""

    def __init__(self, corpus: Corpus, metric: Metric) -> None:
        self._systems, self._references = corpus.system_names(), corpus.reference_names()
        self._metric = metric
        self.segments = 0
        self._sums: list[Sums] = [()] * len(self._systems)
        self._fewest = self._most = 0
        self._tallies: dict[tuple[_Place, str], _Tally] = {}
        self._unchecked: dict[str, None] = {}
        self._moves: dict[_Place, list[Move]] = {}
        self._likeness = [0.0] * len(self._systems)
        self._chance = [0.0] * len(self._systems)
        self._same = [[True] * len(self._references) for _ in self._systems]
        self._languages = Languages()
        # What two systems have by the metric and by its variants that make typography alike, in parts
        self._forms = typography.with_variants([metric]) if len(self._systems) == 2 and metric.in_percent else []
        self._parts: list[list[list[CorpusStats]]] = [[[] for _ in self._forms] for _ in self._systems]

    # --- a block

    def add(self, piece: Piece, source: Iterator[str] | None) -> None:
        """Examine some segments of all texts."""
        size = len(piece.hypotheses[0])
        sources = None if source is None else Lines(list(islice(source, size)), piece.start)
        if sources is not None and len(sources) < size:
            raise BleuError(
                f"there are more segments than sources ({self.segments + len(sources)}); give one source for each"
            )
        prepared = self._metric.prepare_references(piece.references, piece.start)
        rows = [
            self._metric.block_stats(text, prepared, piece.start, name)
            for name, text in zip(self._systems, piece.hypotheses, strict=True)
        ]
        self._sums = [_plus(before, kernels.column_sums(more)) for before, more in zip(self._sums, rows, strict=True)]
        self._fewest = min(self._fewest or prepared.fewest, prepared.fewest)
        self._most = max(self._most, prepared.most)
        self.segments += size
        systems = [Lines([text or "" for text in texts], piece.start) for texts in piece.hypotheses]
        references = []
        for texts in piece.references:
            # A missing reference has no mistakes: the system's own text takes its place
            whole = [systems[0].texts[n] if text is None else text for n, text in enumerate(texts)]
            references.append(Lines(whole, piece.start))
        block = _Block(piece, systems, references, rows, {})
        # Python's strings have no columns of references that vary from block to block; JSON Lines may have
        for number, lines in enumerate(references):
            place = _Place(self._references[min(number, len(self._references) - 1)], True, number)
            self._find_mistakes(block, place, lines, systems[0], sources)
        self._count_forms(piece)
        features = Features(references[0].texts)
        for number, lines in enumerate(systems):
            place = _Place(self._systems[number], False, number)
            self._find_mistakes(block, place, lines, references[0], sources)
            alignment = align(Features(lines.texts), features)
            self._find_moves(block, place, alignment)
            self._find_languages(block, place, alignment)
            self._find_copies(block, place, sources)

    def _tally(self, place: _Place, kind: str) -> _Tally:
        return self._tallies.setdefault((place, kind), _Tally())

    def _find_mistakes(self, block: _Block, place: _Place, lines: Lines, others: Lines, sources: Lines | None) -> None:
        """Find the mistakes of `MISTAKES` in a text, by comparison with another one."""
        for mistake in MISTAKES:
            if mistake.is_convention and place.is_reference:
                continue
            try:
                indexes, theirs = block.find(mistake, lines, others), block.find(mistake, others, lines)
            except BleuError as error:
                self._unchecked[f"{mistake.kind} was not checked: {error}"] = None
                continue
            if indexes and sources is not None and mistake.is_in_sources:
                ours = set(mistake.find(lines, sources))
                indexes = [n for n in indexes if n in ours]
            if not indexes and not theirs:
                continue
            tally = self._tally(place, mistake.kind)
            tally.add(lines, indexes, mistake)
            tally.other += len(theirs)
            if not indexes:
                continue
            if mistake.is_trait is not None:
                numbers = (*(len(text.where(mistake.is_trait)) for text in (lines, others)), len(lines))
                tally.traits = [one + more for one, more in zip(tally.traits, numbers, strict=True)]
            repair = mistake.repair if mistake.choose_repair is None else mistake.choose_repair(lines, others)
            if repair is not None:
                self._repair(block, place, mistake, indexes, repair)

    def _repair(
        self, block: _Block, place: _Place, mistake: Mistake, indexes: Sequence[int], repair: Callable[[str], str]
    ) -> None:
        """Count what the statistics of the lines with a mistake would be after the remedy."""
        tally = self._tally(place, mistake.kind)

        def repaired(texts: Segments) -> Segments:
            return Segments.from_strings([None if text is None else repair(text) for text in texts.take(indexes)])

        references = [
            repaired(texts)
            if mistake.on_both_sides or (place.is_reference and place.number == number)
            else texts.take(indexes)
            for number, texts in enumerate(block.piece.references)
        ]
        for number in range(len(self._systems)) if place.is_reference else [place.number]:
            texts = block.piece.hypotheses[number]
            is_changed = mistake.on_both_sides or not place.is_reference
            changed = repaired(texts) if is_changed else texts.take(indexes)
            self._change(tally, block, number, indexes, changed, references)

    def _change(
        self,
        tally: _Tally,
        block: _Block,
        number: int,
        indexes: Sequence[int],
        hypotheses: Segments,
        references: Sequence[Segments],
    ) -> None:
        """Count what it would change in the statistics of a system if some lines had other texts."""
        start = block.piece.start
        prepared = self._metric.prepare_references(references, start)
        after = kernels.column_sums(self._metric.block_stats(hypotheses, prepared, start, self._systems[number]))
        before = kernels.column_sums(block.rows[number].take(indexes))
        change = tuple(a - b for a, b in zip(after, before, strict=True))
        tally.changes[number] = _plus(tally.changes.get(number, ()), change)

    # --- lines out of step

    def _find_moves(self, block: _Block, place: _Place, alignment: Alignment) -> None:
        lines = block.systems[place.number]
        self._likeness[place.number] += float(alignment.likeness.sum())
        self._chance[place.number] += alignment.chance * len(lines)
        distances = placed(alignment.distances.tolist(), lines.texts, block.references[0].texts)
        add_moves(self._moves.setdefault(place, []), distances, block.piece.start)
        indexes = [n for n, distance in enumerate(distances) if distance]
        counterparts = [n + distances[n] for n in indexes]
        self._move(block, place, "step", indexes, counterparts)
        self._move(block, place, "order", alignment.strays.tolist(), alignment.counterparts.tolist())

    def _move(
        self, block: _Block, place: _Place, kind: str, indexes: Sequence[int], counterparts: Sequence[int]
    ) -> None:
        """Count lines as they are, and as they would be beside the references that they belong to."""
        if not indexes:
            return
        tally = self._tally(place, kind)
        tally.add(block.systems[place.number], indexes)
        size = len(block.systems[place.number])
        pairs = [(one, other) for one, other in zip(indexes, counterparts, strict=True) if 0 <= other < size]
        ones, others = [one for one, _ in pairs], [other for _, other in pairs]
        references = [texts.take(others) for texts in block.piece.references]
        self._change(tally, block, place.number, ones, block.piece.hypotheses[place.number].take(ones), references)

    # --- the difference between two systems

    def _count_forms(self, piece: Piece) -> None:
        """Count two systems once more with typography alike."""
        if self.segments > _MOST_TESTED:
            self._forms = []
            self._parts.clear()
        for place, metric in enumerate(self._forms):
            prepared = metric.prepare_references(piece.references, piece.start)
            for name, texts, parts in zip(self._systems, piece.hypotheses, self._parts, strict=True):
                parts[place].append(count_block(metric, texts, prepared, piece.start, name, True))

    def _find_typography(self) -> Iterator[Finding]:
        """Say how much of the difference between two systems is typography."""
        if not self._forms:
            return
        from bleucli.significance.comparison import Sampling, compare_two
        from bleucli.significance.resampling import TRIALS, choose_seed

        systems = [[CorpusStats.sum(parts) for parts in forms] for forms in self._parts]
        scores = [float(first.score().score) for first, *_ in systems]
        best = scores.index((max if self._metric.higher_is_better else min)(scores))
        systems = [systems[best], systems[1 - best]]
        sampling = Sampling("ar", TRIALS, choose_seed("environment"))
        p_value = compare_two(systems[0][0], systems[1][0], sampling)
        lead = abs(scores[0] - scores[1])
        sign = 1 if self._metric.higher_is_better else -1
        alike, with_case = (
            (sign * (one.scores[0] - one.scores[1]), one.p_value or 0.0)
            for one in typography.measure([forms[1:] for forms in systems], sampling)
        )
        if abs(alike[0] - lead) < _CONVENTION_POINTS:
            return
        is_explained = p_value <= SIGNIFICANT and (alike[1] > SIGNIFICANT or alike[0] < 0)
        ways = [f"with typography alike, {_tell_lead(*alike)}"]
        if _tell_lead(*with_case) != _tell_lead(*alike):
            ways.append(f"with case ignored as well, {_tell_lead(*with_case)}")
        name, other = self._systems[best], self._systems[1 - best]
        points = systems[0][0].score().name
        message = f"leads {other} in {points} {_tell_lead(lead, p_value)}; {'; '.join(ways)}"
        remedy = "say both, or score all systems with --normalize typography"
        severity = "warning" if is_explained else "note"
        yield Finding("typography", severity, name, message, remedy, self.segments, None, "", None)

    # --- languages and copies

    def _find_languages(self, block: _Block, place: _Place, alignment: Alignment) -> None:
        system, reference = block.systems[place.number], block.references[0]
        pairs = zip(alignment.likeness.tolist(), system.texts, reference.texts, strict=True)
        suspects = [n for n, (likeness, ours, theirs) in enumerate(pairs) if likeness < _UNLIKE and ours != theirs]
        scripts = find_scripts(system, reference, suspects)
        self._tally(place, "script").add(system, scripts)
        try:
            by_language = self._languages.find(system, reference, sorted({*suspects} - {*scripts}))
        except BleuError as error:
            self._unchecked[f"languages were not checked: {error}"] = None
            return
        for language, indexes in by_language.items():
            self._tally(place, f"language {language}").add(system, indexes)

    def _find_copies(self, block: _Block, place: _Place, sources: Lines | None) -> None:
        system = block.systems[place.number]
        lines = system.texts
        for number, reference in enumerate(block.references):
            if number < len(self._references):
                self._same[place.number][number] &= lines == reference.texts
        if sources is not None:
            tally = self._tally(place, "source")
            tally.add(system, find_untranslated(system, sources, block.references))
            # Names and related languages: people, too, leave some sentences as they are
            tally.other += sum(
                text.strip() == block.references[0].texts[n].strip() and is_sentence(text)
                for n, text in enumerate(sources.texts)
            )
        long = [n for n, text in enumerate(lines) if len(text.encode()) >= _LONG]
        copies = [n for n in long if lines[n] == block.references[0].texts[n]]
        if sources is not None:  # lists of names are right as they are
            copies = [n for n in copies if lines[n].strip() != sources.texts[n].strip()]
        tally = self._tally(place, "copy")
        tally.add(system, copies)
        tally.other += len(long) - len(copies)

    # --- the answer

    def findings(self) -> Findings:
        """Return what was found."""
        if not self.segments:
            raise BleuError("there are no segments to check; expected at least one")
        scores = self._scores()
        kinds = {mistake.kind: mistake for mistake in MISTAKES}
        findings = [*self._find_names(), *self._find_same(), *self._find_unrelated(), *self._find_typography()]
        for (place, kind), tally in self._tallies.items():
            if not tally.count:
                continue
            points = self._points(tally, scores)
            if kind in kinds:
                finding = self._judge(place, kinds[kind], tally, points)
            elif kind == "step":
                finding = self._tell_steps(place, tally, points)
            else:
                finding = self._tell_other(place, kind, tally, points)
            if finding is not None:
                findings.append(finding)
        if {one.text for one in findings if one.kind in _OTHER_TEXTS and 2 * one.segments > self.segments} >= {
            *self._systems
        }:  # no system tells what is wrong with the references
            findings = [one for one in findings if one.text not in self._references]
        findings = [one for one in findings if not _is_explained(one, findings)]
        findings.sort(key=lambda one: (SEVERITIES.index(one.severity), -abs(one.points or 0), -one.segments))
        signature = self._metric.signature(self._fewest, self._most)
        pairs = list(zip(self._systems, scores, strict=True))
        return Findings(findings, self.segments, pairs, f"{signature.name}|{signature}", list(self._unchecked))

    def _scores(self) -> list[float]:
        return [float(self._metric.score_from_stats(sums).score) for sums in self._sums]

    def _gain(self, points: float | None) -> float:
        """Return by how much the remedy makes a score better."""
        return (points or 0) if self._metric.higher_is_better else -(points or 0)

    def _points(self, tally: _Tally, scores: Sequence[float]) -> float | None:
        """Return the mean of what the remedy changes in the scores of the systems that it concerns."""
        if not tally.changes:
            return None
        differences = [
            float(self._metric.score_from_stats(_plus(self._sums[number], change)).score) - scores[number]
            for number, change in tally.changes.items()
        ]
        return sum(differences) / len(differences)

    def _severity(self, count: int, points: float | None) -> str:
        share, size = count / self.segments, None if points is None else abs(points)
        is_frequent, is_repeated = share >= _ERROR_SHARE, share >= _WARNING_SHARE and count >= FEWEST
        if size is None:
            return "error" if is_frequent else "warning" if is_repeated else "note"
        if size >= _ERROR_POINTS or (is_frequent and size >= _FREQUENT_POINTS):
            return "error"
        return "warning" if is_repeated or size >= _WARNING_POINTS else "note"

    def _tell(self, count: int) -> str:
        """Return how many segments these are."""
        if self.segments == 1:
            return "the only segment"
        if count == self.segments:
            return f"all {count} segments"
        return f"{count} of {self.segments} segments"

    def _judge(self, place: _Place, mistake: Mistake, tally: _Tally, points: float | None) -> Finding | None:
        """Return a finding of one of `MISTAKES`; None if it may be chance."""
        least = mistake.share * self.segments * (_REFERENCE_TIMES if place.is_reference else 1)
        if mistake.share:
            least = max(least, min(FEWEST, self.segments))
        if mistake.is_trait is not None and place.is_reference:
            least = max(least, _MOST_OF_REFERENCE * self.segments)
        if mistake.is_convention:
            if tally.count < least or self._gain(points) < _CONVENTION_POINTS:
                return None
        elif tally.count < least or tally.count <= _TIMES * tally.other + (_CHANCE if tally.other else 0):
            return None
        if mistake.is_trait is not None and tally.is_natural():
            return None
        gain = min(max(_GAIN, _GAIN_OF_ALL * tally.count / self.segments), _MOST_GAIN)
        if mistake.is_proven and (place.is_reference or self._gain(points) < gain):
            return None
        severity = self._severity(tally.count, points)
        if mistake.kind == "empty" and place.is_reference and severity == "note":
            severity = "warning"  # an empty reference is data that was lost
        if mistake.is_convention:
            severity = "warning" if self._gain(points) >= _ERROR_POINTS else "note"
        message = f"{mistake.title} in {self._tell(tally.count)}"
        return self._finding(mistake.kind, severity, place, message, mistake.remedy, tally, points)

    def _finding(
        self, kind: str, severity: str, place: _Place, message: str, remedy: str, tally: _Tally, points: float | None
    ) -> Finding:
        return Finding(kind, severity, place.name, message, remedy, tally.count, tally.first, tally.example, points)

    def _tell_steps(self, place: _Place, tally: _Tally, points: float | None) -> Finding | None:
        """Return the finding about lines that have moved; None if they score far less than others when moved back."""
        scores = dict(zip(self._systems, self._scores(), strict=True))
        if self._gain(points) < _STEP_GAIN * abs(scores[place.name]) * tally.count / self.segments:
            return None
        moves, reference = self._moves[place], self._references[0]
        steps = steps_around(moves, self.segments)
        sizes = {step.line: step.size for step in reversed(steps)}
        pieces = []
        for first, stop, distance in moves[:_MOST_MOVES]:
            # Lines at the end of the text, whose counterparts would come after it, were added to fill it up
            end = min(stop, self.segments - max(0, distance))
            lines = tell_count(abs(sizes[first]), "line")
            verb = "is" if abs(sizes[first]) == 1 else "are"
            cause = f"{lines} {verb} {'missing' if sizes[first] > 0 else 'too many'} where they begin"
            way = f"{tell_count(abs(distance), 'line')} {'later' if distance > 0 else 'earlier'}"
            pieces.append((tell_place("segments", first, end - 1), f" match {reference} {way} ({cause})"))
        more = f"; {len(moves) - _MOST_MOVES} more pieces" if len(moves) > _MOST_MOVES else ""
        message = Turn(
            f"out of step: {'; '.join(where + rest for where, rest in pieces)}{more}",
            f"out of step: {'; '.join(where.command + rest for where, rest in pieces)}{more}",
        )
        _, remedy = tell_steps(steps, place.name, reference)
        return self._finding("step", self._severity(tally.count, points), place, message, remedy, tally, points)

    def _tell_other(self, place: _Place, kind: str, tally: _Tally, points: float | None) -> Finding | None:
        kind, _, language = kind.partition(" ")
        count, long = tally.count, tally.count + tally.other
        # What it is, what to do, and whether it may be chance
        message, remedy, is_chance = {
            "order": (
                f"{self._tell(count)} belong to references of other lines, in no order",
                "put the lines into the order of the references: the file may have been shuffled or sorted",
                self._gain(points) < _GAIN,
            ),
            "script": (f"another script than the reference in {self._tell(count)}", _TRANSLATE_AGAIN, False),
            "language": (
                f"another language ({language} instead of {self._languages.target}) in {self._tell(count)}",
                _TRANSLATE_AGAIN,
                False,
            ),
            "source": (
                f"a copy of the source in {self._tell(count)}",
                "translate these lines",
                count <= _TIMES * tally.other,
            ),
            "copy": (
                f"a copy of the reference in {count} of {tell_count(long, 'long segment')}",
                "check that references did not get into the output or into the training data",
                any(self._same[place.number]) or count < _COPIES * long,
            ),
        }[kind]
        if is_chance or count < (FEWEST if kind == "copy" else max(FEWEST, FEW * self.segments)):
            return None
        return self._finding(kind, self._severity(count, points), place, message, remedy, tally, points)

    def _find_names(self) -> Iterator[Finding]:
        """Find outputs and references whose names say that they were swapped."""
        bases = [os.path.basename(name) for name in self._references]
        if any(map(_LIKE_REFERENCE.search, bases)):
            return
        for name in self._systems:
            if _LIKE_REFERENCE.search(os.path.basename(name)):
                message = "named like a reference, but given as a system's output"
                remedy = f"if it is the reference, swap the files: bleu {name} -i {self._references[0]}"
                yield Finding("swapped", "error", name, message, remedy, self.segments, None, "", None)

    def _find_same(self) -> Iterator[Finding]:
        for name, sames in zip(self._systems, self._same, strict=True):
            for reference, same in zip(self._references, sames, strict=True):
                if same:
                    message = f"the same text as {reference}"
                    remedy = "check that this is the system's output"
                    yield Finding("copy", "error", name, message, remedy, self.segments, 0, "", None)

    def _find_unrelated(self) -> Iterator[Finding]:
        for name, likeness, chance in zip(self._systems, self._likeness, self._chance, strict=True):
            if likeness / self.segments < max(_UNRELATED, 3 * chance / self.segments) and self.segments >= _ENOUGH:
                message = "no more in common with the references than unrelated texts have"
                remedy = "check the language, the test set and the order of the lines"
                yield Finding("unrelated", "error", name, message, remedy, self.segments, 0, "", None)
