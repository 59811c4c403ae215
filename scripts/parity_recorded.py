"""The oracle's scores of whole corpora in a file: written by `scripts/parity --record`, compared by `--recorded`.

The file: `oracle`, its version; `files`, the SHA-256 of the texts; `scores`: of a system and its references a list of
metric, options that are not the default, score.
"""

import json
import warnings
from functools import lru_cache
from typing import Any

import oracles
from parity_corpora import Group, checksums, texts
from parity_report import Report

import bleucli
from bleucli import kernels
from bleucli.segments import Segments

METRICS = {"BLEU": bleucli.BLEU, "chrF": bleucli.CHRF, "TER": bleucli.TER}


def write(path: str, folder: str, report: Report) -> None:
    """Write what the oracle said while something was compared."""
    entries = {}
    for (group, name, options), score in sorted(report.recorded.items()):
        entries.setdefault(" ".join(group), []).append([name, json.loads(options), score])
    table = {
        "oracle": f"sacreBLEU {oracles.VERSION}",
        "files": checksums(folder, [group for group, _, _ in report.recorded]),
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


def changed(folder: str, table: Any) -> list[str]:
    """Return the files that are not those whose scores were recorded."""
    found = checksums(folder, [_group(key) for key in table["scores"]])
    return [path for path, sum_ in table["files"].items() if found.get(path) != sum_]


def _group(key: str) -> Group:
    return Group(*key.split(" ", 2))


def compare(folder: str, table: Any, metrics: list[str]) -> Report:
    """Compare our scores of whole corpora with recorded ones."""
    warnings.simplefilter("ignore")
    report = Report()
    for key, rows in table["scores"].items():
        group = _group(key)
        for name, options, expected in rows:
            if name.lower() in metrics:
                found = our_score(folder, group, name, options)
                if report.differs(f"{name}: recorded score", oracles.same(found, expected)):
                    message = f"{key}, {options}: ours {found!r}, recorded {expected!r}"
                    report.show(f"{name}: recorded score", [message])
    return report


def our_score(folder: str, group: Group, name: str, options: dict[str, Any]) -> float:
    """Return our score of a corpus; BLEU's statistics are shared by what is computed from them."""
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
