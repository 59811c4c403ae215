"""The test sets.

- `DATASETS`: sacreBLEU's, by name
- `SUBSETS`, `COUNTRIES`, `DOMAINS`: what is known about documents
- `FakeSGMLDataset` and others: sacreBLEU's classes for formats, here all the same
"""

from __future__ import annotations

from typing import Any

from bleucli.testsets.registry import document_tags, load
from sacrebleu.dataset.base import Dataset

FakeSGMLDataset = IWSLTXMLDataset = PlainTextDataset = TSVDataset = WMTAdditionDataset = WMTXMLDataset = Dataset

TYPE_CHECKING = False
if TYPE_CHECKING:
    SUBSETS: dict[str, dict[str, str]]
    COUNTRIES: list[str]
    DOMAINS: list[str]

# Test sets that only bleucli has
_OURS = ("demo", "ntrex")

DATASETS: dict[str, Dataset] = {name: Dataset(name) for name in load() if name not in _OURS}


if not TYPE_CHECKING:
    # Made when a program first asks for one: few do, and it takes time
    def __getattr__(name: str) -> Any:
        if name not in ("SUBSETS", "COUNTRIES", "DOMAINS"):
            raise AttributeError(f"module 'sacrebleu.dataset' has no attribute {name!r}")
        subsets = {test_set: dict(tags) for test_set in DATASETS if (tags := document_tags(test_set))}
        # Tags have the form COUNTRY-domain[-detail]
        parts = [tag.split("-") for tags in subsets.values() for tag in tags.values()]
        found = {
            "SUBSETS": subsets,
            "COUNTRIES": sorted({part[0] for part in parts}),
            "DOMAINS": sorted({part[1] for part in parts}),
        }
        globals().update(found)
        return found[name]
