"""A report of gates for CI, in the XML of JUnit: one test case for each system, metric and gate."""

from __future__ import annotations

import html
from collections.abc import Sequence

from bleucli.output.layout import Layout
from bleucli.output.text import score_line
from bleucli.prose.markup import readable
from bleucli.results import Results, Verdict


def render(results: Results, layout: Layout) -> str:
    """Return one suite per system, with the score of each case as its output.

    A failed case holds the sentence that says why. Without gates there is one case per score, which is skipped because
    nothing judged it. A system that could not be scored has one case, an error. Characters of a name that XML cannot
    hold are written as escapes.
    """
    verdicts = results.verdicts or [
        Verdict(system.name, record, "", "") for system in results.systems for record in system.scores
    ]
    plain = layout._replace(colour=False, score_only=False)
    suites = []
    for system in results.systems:
        own = [verdict for verdict in verdicts if verdict.system == system.name]
        if own:
            cases = "".join(_case(verdict, plain) for verdict in own)
            suites.append(f'<testsuite name="{_escape(system.name)}" {_counts(own)}>\n{cases}</testsuite>\n')
    for name, reason in results.unscored:
        why = _escape(reason)
        suites.append(
            f'<testsuite name="{_escape(name)}" {_counts([], 1)}>\n'
            f'<testcase classname="{_escape(name)}" name="scoring" time="0">\n'
            f'<error type="unscored" message="{why}">{why}</error>\n</testcase>\n</testsuite>\n'
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="bleu" {_counts(verdicts, len(results.unscored))}>\n{"".join(suites)}</testsuites>\n'
    )


def _counts(verdicts: Sequence[Verdict], errors: int = 0) -> str:
    failures = sum(verdict.failure != "" for verdict in verdicts)
    skipped = sum(verdict.gate == "" for verdict in verdicts)
    return f'tests="{len(verdicts) + errors}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="0"'


def _case(verdict: Verdict, layout: Layout) -> str:
    name = f"{verdict.score.name} {verdict.gate}".rstrip()
    outcome = "" if verdict.gate else '<skipped message="no gate"/>\n'
    if verdict.failure:
        kind = verdict.gate.partition(" ")[0]
        why = _escape(verdict.failure)  # some readers show the attribute, others the text
        outcome = f'<failure type="{_escape(kind)}" message="{why}">{why}</failure>\n'
    return (
        f'<testcase classname="{_escape(verdict.system)}" name="{_escape(name)}" time="0">\n'
        f"{outcome}<system-out>{_escape(score_line(verdict.score, layout).rstrip())}</system-out>\n</testcase>\n"
    )


def _escape(text: str) -> str:
    r"""Return text escaped for attributes and between tags; a name may have bytes that are not UTF-8.

    >>> print(_escape('<"caf\udce9">'), _escape("a\x1bb"))
    &lt;&quot;caf\xe9&quot;&gt; a\x1bb
    """
    return html.escape(readable(text))
