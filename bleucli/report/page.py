"""The page: a whole report in one HTML file, which loads nothing from elsewhere.

- `compare_systems`: the page for lists of strings, from Python
- `render`: the page; `as_data`: the data that its script reads; `fill`: any page, from its template and its script

Text never becomes markup: the template escapes it, the script sets it as text, and the data has no `<`. The page's
policy (CSP) also allows only the page's own script, which it identifies by checksum.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10

from bleucli._version import __version__
from bleucli.counting import count
from bleucli.counting.corpus import check_systems, of_strings
from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, UsageError
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.metrics import Metric, find_metric, list_metrics, segment_scores
from bleucli.optional_deps import load
from bleucli.phrases import tell_count
from bleucli.prose.markup import readable
from bleucli.prose.theme import COLOURS, style_sheet
from bleucli.report import charts, passages, verdicts
from bleucli.report.charts import Chart
from bleucli.report.contents import Column, Pair, Plan, Report, make_report, name_groups, of_metric, plan_of
from bleucli.results import UNITS, Run, tell_ranks
from bleucli.scoring import score_counted
from bleucli.significance.resampling import TRIALS, choose_seed
from bleucli.text import blocks_of_strings
from bleucli.text.labels import find, group, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import Seed

_METHODS = {"bs": "Paired bootstrap", "ar": "Paired approximate randomization"}
# Where a template has the data, which are long; no text that it escapes has this
_DATA = "<data>"
# How many items of a list are written at once
_ITEMS = 200
# The most groups that a filter lists
_MOST_CHOICES = 2000


def compare_systems(
    systems: Mapping[str, Iterable[str]],
    references: Iterable[Iterable[str | None]],
    metrics: str | Metric | Iterable[str | Metric] = ("bleu",),
    *,
    sources: Iterable[str] | None = None,
    scores: Mapping[str, Mapping[str, Sequence[float]] | Sequence[Sequence[float]]] | None = None,
    trials: int = TRIALS,
    seed: Seed = "environment",
    jobs: int = 1,
    labels: Mapping[str, Sequence[str]] | None = None,
    by: str | Sequence[str] = (),
    unit: str = "segment",
) -> str:
    """Return an HTML page that compares systems, the same as `bleu report` writes.

    Args:
        systems: for each system's name, n strings.
        references: streams, each of n strings; None is a missing reference.
        metrics: names such as `bleu`, `chrf`, `ter`, or metrics.
        sources: the n strings that were translated; None if they are unknown.
        scores: segment scores from other tools, as for `bleucli.evaluate_systems`.
        trials: the number of trials of the paired approximate randomization, up to 10,000,000.
        seed: the seed of the trials and resamples, as for `BLEU.corpus_score`.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.
        labels: what is known of each segment, by name: n strings each. `doc` names documents.
        by: the label, or labels, of groups that are also scored and tested by themselves.
        unit: what tests and intervals resample as a whole: "segment", or "doc" for documents.

    Raises:
        BleuError: there is no system, lengths differ, a segment has no reference, a metric is unknown, or there is no
            such label.
        InputTypeError: a text is not a string, or a list has the wrong shape.

    >>> references = [["the cat sat on the mat", "a dog is in the garden"]]
    >>> systems = {
    ...     "first": ["the cat sat on the mat", "a dog is in the house"],
    ...     "second": ["the cat sat on the mat", "a dog is in the garden"],
    ... }
    >>> page = compare_systems(systems, references, trials=100)
    >>> page[page.index("<h1>") : page.index("</h1>")]
    '<h1>second has the best BLEU, but cannot be told apart from first.'
    """
    outputs = check_systems(systems)
    scorers = [*map(find_metric, list_metrics(metrics)), *segment_scores.of_mapping(scores, list(outputs))]
    trials, seed, jobs = whole_number("trials", trials, 1, MOST_TRIALS), choose_seed(seed), count_threads(jobs)
    texts = None
    if sources is not None:
        texts = [text or "" for block in blocks_of_strings(sources, "source") for text in block]
    corpus, read_again = of_strings(list(outputs.items()), references).kept()
    system_stats = count(corpus, scorers, jobs=jobs, keep_rows=True, inspect=True)
    measured = [of_metric(one, [system.stats[place] for system in system_stats]) for place, one in enumerate(scorers)]
    segments = system_stats[0].stats[0].segments
    label_columns = {name: list(column) for name, column in (labels or {}).items()}
    if texts is not None and len(texts) != segments:
        raise BleuError(f"there are {segments} segments; give one source per segment")
    for name, column in label_columns.items():
        if len(column) != segments:
            raise BleuError(
                f"labels[{name!r}] has {len(column)} labels for {tell_count(segments, 'segment')}; give one each"
            )
    if unit not in UNITS:
        raise UsageError(f"unit {unit!r:.40}; choose 'segment' or 'doc' (document)")
    documents = None if unit == "segment" else number(find(label_columns, unit))
    groups = group(label_columns, [by] if isinstance(by, str) else list(by), segments) if by else {}
    plan = plan_of(None, len(system_stats), jobs, seed, unit)
    if plan.tests is not None:
        plan = plan._replace(tests=plan.tests._replace(trials=trials))
    read_sources = None if texts is None else lambda: iter(texts)
    results = score_counted(system_stats, scorers, references=corpus.reference_names())
    report = make_report(
        results,
        measured,
        read_again,
        plan,
        labels=label_columns,
        sources=read_sources,
        documents=documents,
        typography=True,
        sections=name_groups(groups, [by] if isinstance(by, str) else list(by)),
    )
    return render(report)


def render(report: Report, run: Run | None = None, language: str = "", origin: str = "") -> str:
    """Return the page.

    run: the files that were read, the command and the time, if the page should name them. language, origin: the
    languages of the systems' output and of the source, such as "ja"; "" if they are not known.
    """
    summary = verdicts.summarize(report)
    order = report.columns[0].order()
    best = (order[0], order[1]) if report.pairs else (0, 0)
    figures = list(charts.of_systems(report))
    systems, segments = tell_count(len(report.names), "system"), tell_count(len(report.lines), "segment")
    values: dict[str, Any] = {
        "kind": f"{systems}, {segments}, {', '.join(column.name for column in report.columns)}",
        "summary": summary,
        "verdicts": [verdicts.judge(report, column) for column in report.columns],
        "pairs": bool(report.pairs),
        "pair": best,
        "disagreements": verdicts.find_disagreements(report),
        "hints": report.hints,
        "columns": report.columns,
        "signatures": [f"{column.name}|{column.signature}" for column in report.columns],
        "rows": _rows(report),
        "sections": [
            {
                "title": section.title,
                "size": tell_count(section.segments, "segment"),
                "summary": verdicts.summarize(part),
                "rows": _rows(part),
            }
            for section in report.sections
            for part in [report._replace(columns=section.columns)]
        ],
        "names": report.names,
        # What text output prints after each score
        "made_from": [
            {"system": report.names[system], "metric": column.name, "details": column.records[system].verbose}
            for column in report.columns
            for system in order
            if column.records[system].verbose
        ],
        "charts": figures,
        "sampled": report.passages.why,
        "filters": [
            {"title": one.title, "place": place, "labels": one.labels, "sizes": one.sizes}
            for place, one in enumerate(report.groups)
            if len(one.labels) <= _MOST_CHOICES
        ],
    }
    if report.pairs:
        pair = report.pair(*best)
        values |= {
            "two": pair_data(report, pair),
            "shares": _shares(report, pair, best[0]),
            "pair_charts": charts.of_pair(report, pair, *best),
        }
    return fill("report", values, as_data(report, best, figures, language, origin), report.plan, run)


def fill(name: str, values: Mapping[str, Any], data: Mapping[str, Any], plan: Plan, run: Run | None) -> str:
    """Return a page.

    name: that of its template and of its script. values: what the template shows. data: what the script reads.
    """

    # All text is shown in readable form: also names of files, and hints
    def finalize(value: object) -> object:
        return readable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

    jinja = load("jinja2", "report")
    environment = jinja.Environment(
        autoescape=True, trim_blocks=True, finalize=finalize, loader=jinja.FunctionLoader(_file)
    )
    script = _file("figures.js") + _file(f"{name}.js")
    checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    light = " ".join(f"--{colour}: {value};" for colour, (value, _) in COLOURS.items())
    printed = f"@media print {{ :root {{ color-scheme: light; {light} }} }}"
    summary, tested = values["summary"], ""
    if plan.tests is not None:
        draws = _tell_draws(plan.tests, "resample" if plan.tests.method == "bs" else "trial")
        tested = (
            f"{_METHODS[plan.tests.method]} of every pair of systems ({draws}); p-values are corrected by"
            " max\N{NON-BREAKING HYPHEN}T."
        )
    shared = {
        "policy": (
            f"default-src 'none'; script-src 'sha256-{checksum}'; style-src 'unsafe-inline'; base-uri 'none';"
            " form-action 'none'"
        ),
        "version": __version__,
        "styles": f"{style_sheet()}{printed}\n{_file('report.css')}",
        "title": f"{summary[:70]}... (bleu)" if len(summary) > 70 else f"{summary} (bleu)",
        "intervals": f"95% intervals by bootstrap ({_tell_draws(plan.intervals, 'resample')}).",
        "tested": tested,
        "command": shlex.join(run.command) if run is not None and run.command is not None else "",
        "inputs": [] if run is None else list(dict.fromkeys([*run.references, *run.systems])),
        "time": run.time if run is not None else None,
        "data": _DATA,
        "script": script,
    }
    start, end = environment.get_template(f"{name}.html").render({**values, **shared}).split(_DATA)
    return "".join([start, *_write_json(data), end])


def _write_json(data: Mapping[str, Any]) -> Iterator[str]:
    """Give an object for a script element in parts, since each takes several times its room while it is written."""
    for place, (key, value) in enumerate(data.items()):
        yield f"{',' if place else '{'}{safe_json(key)}:"
        parts = [value[start : start + _ITEMS] for start in range(0, len(value), _ITEMS)] if type(value) is list else ()
        if len(parts) > 1:
            yield from (f"{',' if at else '['}{safe_json(part)[1:-1]}" for at, part in enumerate(parts))
        yield "]" if len(parts) > 1 else safe_json(value)
    yield "}"


def _file(name: str) -> str:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static", name)
    with open(path, encoding="utf-8") as file:
        return file.read()


def safe_json(value: object) -> str:
    r"""Return JSON for a script element, without characters that could begin a tag or a comment.

    >>> safe_json("</script><!-- &")
    '"\\u003c/script\\u003e\\u003c!-- \\u0026"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _tell_draws(sampling: Sampling, noun: str) -> str:
    """Return how often something was drawn, what, and with which seed."""
    unit = "" if sampling.unit == "segment" else f"whole {UNITS[sampling.unit]}s, "
    seed = "fresh random numbers" if sampling.seed is None else f"seed {sampling.seed}"
    return f"{tell_count(sampling.trials, noun)}, {unit}{seed}"


def _rows(report: Report) -> list[dict[str, Any]]:
    """Return the rows of a table of scores, the best system by the first metric first."""
    systems = report.columns[0].order()
    return [{"name": report.names[system], "cells": list(_cells(report, system))} for system in systems]


def _cells(report: Report, system: int) -> Iterator[dict[str, Any]]:
    """Give the cells of a system in the table of scores."""
    for column in report.columns:
        record, interval = column.records[system], column.records[system].interval
        best, ranking, decimals = column.order()[0], column.ranking, column.decimals(2)
        p_value = None if ranking is None else ranking.corrected[best][system]
        yield {
            "score": f"{record.score:.{decimals}f}",
            "interval": "" if interval is None else " ± ".join(f"{number:.{decimals}f}" for number in interval),
            "p": "\N{EN DASH}" if p_value is None else f"{p_value:.4f}",
            "ranks": "" if ranking is None else tell_ranks(ranking.ranks[system]),
            "cluster": "" if ranking is None else ranking.clusters[system],
            "best": system == best or (p_value is not None and not verdicts.is_told_apart(column, best, system)),
        }


def _shares(report: Report, pair: Pair, first: int) -> list[list[str]]:
    """Return the rows of the table of shares by the first metric; first: the system that comes first on the page."""
    shares = pair.shares[0]
    if not shares:
        return []
    if pair.first != first:
        shares = [share._replace(first=share.second, second=share.first, points=-share.points) for share in shares]
    rows = [[one.factor, f"{one.first:.4f}", f"{one.second:.4f}", f"{one.points:+.3f}"] for one in shares]
    rows.append(["sum", "", "", f"{sum(share.points for share in shares):+.3f}"])
    return [[cell.replace("-0.000", "0.000").replace("-", "\N{MINUS SIGN}") for cell in row] for row in rows]


# --- the data of the script


def as_data(
    report: Report, pair_shown: Sequence[int], figures: Sequence[Chart], language: str = "", origin: str = ""
) -> dict[str, Any]:
    """Return the data that the script of the page reads, for JSON; its lines of segments count from 1.

    Scores of segments are rounded to two decimals, to four if they are from 0 to 1, or to as many as tell a thousand of
    them apart; their influences to six.
    """
    places = [passage.place for passage in report.passages.passages]

    def scores(column: Column) -> Any:
        low, high = column.limits()
        digits = max(column.decimals(2), 3 - floor(log10(high - low))) if high > low else column.decimals(2)
        return column.segment_scores[:, places].round(digits).tolist()

    return {
        "names": report.names,
        "pair": list(pair_shown),
        "language": language,
        "origin": origin,
        "columns": [
            {
                "name": column.name,
                "higher": column.higher_is_better,
                "span": column.span,
                "limits": column.limits(),
                "decimals": column.decimals(1),
                "caption": "Each point is a segment on this page; "
                f"{'above' if column.higher_is_better else 'below'} the line, the second system is better.",
            }
            for column in report.columns
        ],
        "pairs": [pair_data(report, pair) for pair in report.pairs],
        "figures": [{"metric": one.metric, **one.data} for one in figures],
        "groups": [{"kind": one.kind, "title": one.title, "labels": one.labels} for one in report.groups],
        "order": report.passages.order,
        "lowercase": report.passages.lowercase,
        "by": report.passages.by,
        "spaces": passages.SPACES,
        "segments": [
            {
                "line": report.lines[passage.place] + 1,
                "source": passage.source,
                "references": list(map(_text_data, passage.references)),
                "hypotheses": list(map(_text_data, passage.hypotheses)),
                "groups": [int(one.of[passage.place]) for one in report.groups],
            }
            for passage in report.passages.passages
        ],
        "scores": list(map(scores, report.columns)),
        "influences": [column.influences[:, places].round(6).tolist() for column in report.columns],
        "leads": [
            {
                "ngram": " ".join(lead.ngram),
                "right": lead.matches,
                "total": lead.total,
                "places": [(report.lines[place] + 1, right) for place, right in lead.places],
            }
            for lead in report.leads
        ],
    }


def pair_data(report: Report, pair: Pair) -> dict[str, Any]:
    """Return what the page says of two systems: a list of what each metric says for each key."""
    titles, wins = [], []
    for column, (first, equal, second) in zip(report.columns, pair.wins, strict=True):
        lead = column.lead(pair.first, pair.second)
        behind = report.names[pair.second if lead > 0 else pair.first]
        titles.append(f"Where {behind} is behind" if lead else "Neither is behind")
        wins.append(
            f"{report.names[pair.first]} has the better {column.name} in {tell_count(first, 'segment')},"
            f" {report.names[pair.second]} in {second:,}; {tell_count(equal, 'segment is', 'segments are')} equal."
        )
    return {
        "a": pair.first,
        "b": pair.second,
        "told": [verdicts.compare(report, pair, column) for column in report.columns],
        "title": titles,
        "weak": [verdicts.find_weaknesses(report, pair, number) for number, _ in enumerate(report.columns)],
        "wins": wins,
        "shares": [[tuple(share) for share in shares] for shares in pair.shares],
        "why": pair.why_not,
        "counts": pair.counts,
    }


def _text_data(text: passages.Text) -> list[str]:
    """Return a text with its matches and the lengths of its tokens, or with tokens that are not parts of the text."""
    return [text.text, text.matches, text.lengths] if text.lengths else [text.text, text.matches, "", text.tokens]
