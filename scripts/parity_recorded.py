"""The oracle's scores of whole corpora in a file: written by `scripts/parity --record`, compared by `--recorded`.

The file has `oracle`, its version; `files`, the SHA-256 of each text; `folded`, the SHA-256 of each text with single
blanks as white space; and `scores`: for each system with its references, a list of metric, options other than the
default, and score.

Test sets made from XML have single blanks. For such texts, scores that depend on white space are not compared. Scores
of missing texts are not compared either. The report says how many were left out.
"""

from __future__ import annotations

import json
import os
import warnings
from functools import lru_cache
from typing import Any

import oracles
from parity_corpora import Group, files_of, texts
from parity_report import Report

import bleucli
from bleucli import kernels
from bleucli.text import Segments

METRICS = {"BLEU": bleucli.BLEU, "chrF": bleucli.CHRF, "TER": bleucli.TER}


def write(path: str, folder: str, report: Report) -> None:
    """Write the scores that the oracle gave during a comparison."""
    entries = {}
    for (group, name, options), score in sorted(report.recorded.items()):
        entries.setdefault(" ".join(group), []).append([name, json.loads(options), score])
    paths = sorted({path for group, _, _ in report.recorded for path in files_of(group)})
    table = {
        "oracle": f"sacreBLEU {oracles.VERSION}",
        "files": {path: oracles.sha256_of(os.path.join(folder, path)) for path in paths},
        "folded": {path: oracles.folded_sha256(os.path.join(folder, path)) for path in paths},
    }
    rendered = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items()]
    systems = (f"{json.dumps(key)}: [\n{_lines(rows)}\n]" for key, rows in entries.items())
    rendered.append('"scores": {\n' + ",\n".join(systems) + "\n}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(rendered) + "}\n")


def _lines(rows: list[Any]) -> str:
    return ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)


def read(path: str) -> Any:
    """Return what `write` wrote."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def other_texts(folder: str, table: Any) -> list[str]:
    """Return the files that exist but have other words than the recorded ones."""
    found = []
    for path, known in table["folded"].items():
        there = os.path.join(folder, path)
        if os.path.isfile(there) and oracles.folded_sha256(there) != known:
            found.append(path)
    return found


def compare(folder: str, table: Any, metrics: list[str]) -> Report:
    """Compare our scores of whole corpora with recorded ones."""
    warnings.simplefilter("ignore")
    report = Report()
    for key, rows in table["scores"].items():
        group = Group(*key.split(" ", 2))
        paths = {path: os.path.join(folder, path) for path in files_of(group)}
        is_there = all(map(os.path.isfile, paths.values()))
        is_exact = is_there and all(oracles.sha256_of(paths[path]) == table["files"][path] for path in paths)
        for name, options, expected in rows:
            if name.lower() not in metrics:
                continue
            if not is_there:
                report.left_out["their texts are not there"] += 1
            elif not is_exact and depends_on_white_space(name, options):
                report.left_out["they depend on white space, in which the texts differ"] += 1
            else:
                found = our_score(folder, group, name, options)
                if report.differs(f"{name}: recorded score", oracles.same(found, expected)):
                    message = f"{key}, {options}: ours {found!r}, recorded {expected!r}"
                    report.show(f"{name}: recorded score", [message])
    return report


def depends_on_white_space(name: str, options: dict[str, Any]) -> bool:
    """Return whether a score may change with white space; in BLEU, some tokenizers depend on it."""
    return name == "BLEU" or "whitespace" in options


def our_score(folder: str, group: Group, name: str, options: dict[str, Any]) -> float:
    """Return our score of a corpus; scores of BLEU that use the same statistics share them."""
    if name != "BLEU":
        return METRICS[name](**options).corpus_score(*texts(folder, group)).score
    counted = ("tokenize", "lowercase", "max_ngram_order")
    sums = _bleu_sums(folder, group, tuple((key, options[key]) for key in counted if key in options))
    return bleucli.BLEU(**options).score_from_stats(sums).score


@lru_cache(maxsize=64)
def _bleu_sums(folder: str, group: Group, options: tuple[tuple[str, Any], ...]) -> tuple[int | float, ...]:
    metric = bleucli.BLEU(force=True, **dict(options))
    hypotheses, *streams = (Segments.from_strings(column) for column in _columns(folder, group))
    return kernels.column_sums(metric.segment_stats(hypotheses, streams))


def _columns(folder: str, group: Group) -> list[list[str | None]]:
    hypotheses, streams = texts(folder, group)
    return [hypotheses, *streams]
