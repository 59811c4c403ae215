"""Which settings give a number: the answer of `bleu match`.

- `Setting`: one way to score, with its signature or program, and the command that does it
- `Match`: the settings that give the same score
- `Matches`: those that print the number, or else the nearest
"""

from __future__ import annotations

from bleucli.phrases import join_words, tell_count
from bleucli.prose.blocks import Code, Heading, Paragraph
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.prose.blocks import Block

# How many further settings with the same score are named
_MOST_NAMED = 5


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
        return {
            "number": self.number,
            "scale": self.scale,
            "matches": [match.as_data() for match in self.matches],
            "nearest": [match.as_data() for match in self.nearest],
            "tried": self.tried,
            "untried": list(self.untried),
        }

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
