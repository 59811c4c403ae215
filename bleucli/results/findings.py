"""What is wrong with texts: the answer of `bleu check`.

- `Finding`: one mistake in one text
- `Findings`: all mistakes, the worst first, with what they were measured by
"""

from __future__ import annotations

from bleucli.phrases import in_command, join_words, tell_count
from bleucli.prose.blocks import Formula, Heading, Paragraph
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bleucli.prose.blocks import Block

# From the worst on
SEVERITIES = ("error", "warning", "note")
# How their headings look
_ROLES = {"error": "bad", "warning": "missing", "note": "heading"}


class Finding(NamedTuple):
    """One mistake in a system's output or in a reference.

    Attributes:
        kind: what it is, in one word, such as `entities`.
        severity: "error" if the score is not worth printing, "warning" if it suffers, "note" for anything else.
        text: the name of the system, or of the reference.
        message: what is wrong, in one sentence.
        remedy: what to do, in one sentence.
        segments: the number of segments that have the mistake.
        first: the index of the first of them, from 0; None if the mistake is not in a segment, but in a name, say.
        example: the text of that segment, or the part that shows the mistake.
        points: the score after the remedy minus the score now; for a reference, the mean of all systems. None if no
            program can apply the remedy. Negative if the mistake raises the score.

    >>> from bleucli import check_texts
    >>> texts = [f"The cat number {n} sat on a mat in the red house." for n in range(20)]
    >>> (finding,) = check_texts({"ours": [*texts[:19], ""]}, [texts]).findings
    >>> finding.kind, finding.severity, finding.first, finding.message
    ('empty', 'error', 19, 'no text in 1 of 20 segments')
    """

    kind: str
    severity: str
    text: str
    message: str
    remedy: str
    segments: int
    first: int | None
    example: str
    points: float | None

    def as_data(self) -> dict[str, Any]:
        """Return the finding for JSON; `line` counts from 1."""
        data = dict(zip(self._fields, self, strict=True))
        del data["first"]
        words = {"message": self.sentence(), "remedy": in_command(self.remedy)}
        return data | words | {"line": None if self.first is None else self.first + 1}

    def sentence(self) -> str:
        """Return what is wrong, and where, in the wording of the command.

        >>> Finding("empty", "warning", "sys.txt", "no text in 2 of 9 segments", "fill them", 2, 4, "", None).sentence()
        'sys.txt, line 5: no text in 2 of 9 segments'
        """
        if self.kind == "unscored":  # the message names the file
            return in_command(self.message)
        place = self.text if self.first is None or self.kind == "step" else f"{self.text}, line {self.first + 1}"
        return f"{place}: {in_command(self.message)}"

    def tell(self, metric: str, width: int) -> list[Block]:
        """Return blocks that show the finding; metric: whose points they are; width: decimals of points."""
        remedy = in_command(self.remedy)
        cost = ""
        if self.points is not None and abs(self.points) >= 0.5 * 10**-width:
            verb = "Costs" if self.points > 0 else "Adds"
            cost = f"{verb} {abs(self.points):.{width}f} {metric}. "
        blocks: list[Block] = [Heading(f"{self.severity}: {self.sentence()}", _ROLES[self.severity])]
        lines = [f"> {self.example}"] if self.example.strip() else []
        return [*blocks, Formula([*lines, f"{cost}{remedy[:1].upper()}{remedy[1:]}."])]


class Findings(NamedTuple):
    """All mistakes, the worst first.

    Attributes:
        findings: one record for each kind of mistake in each text.
        segments: the number of segments.
        scores: the score of each system as it is, by name; empty if the texts could not be scored.
        signature: how the scores were made, with the name of the metric.
        unchecked: what was not checked, and what to install for it: one sentence each.

    >>> from bleucli import check_texts
    >>> texts = [f"The cat number {n} sat on a mat in the red house." for n in range(20)]
    >>> findings = check_texts({"ours": [*texts[:19], ""]}, [texts])
    >>> findings.count("error"), findings.segments, [name for name, _ in findings.scores]
    (1, 20, ['ours'])
    """

    findings: Sequence[Finding]
    segments: int
    scores: Sequence[tuple[str, float]]
    signature: str
    unchecked: Sequence[str]

    def as_data(self) -> dict[str, Any]:
        """Return the findings for JSON."""
        return {
            "findings": [finding.as_data() for finding in self.findings],
            "segments": self.segments,
            "scores": [{"system": name, "score": score} for name, score in self.scores],
            "signature": self.signature,
            "unchecked": list(self.unchecked),
        }

    def count(self, severity: str) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def tell(self, width: int, short: bool) -> list[Block]:
        """Return blocks that show the findings; width: decimals of points."""
        metric = self.signature.partition("|")[0]
        blocks = [block for finding in self.findings for block in finding.tell(metric, width)]
        counts = [tell_count(self.count(severity), severity) for severity in SEVERITIES if self.count(severity)]
        systems = tell_count(len(self.scores), "system")
        size = f"{systems} and {tell_count(self.segments, 'segment')} checked"
        blocks.append(Heading(f"{size}: {join_words(counts)}" if counts else f"{size}: nothing wrong was found", ""))
        return [*blocks, *(Paragraph(f"{text[:1].upper()}{text[1:]}.") for text in self.unchecked)]
