"""The test sets.

- `DATASETS`: sacreBLEU's, by name
- `SUBSETS`, `COUNTRIES`, `DOMAINS`: what is known about documents
- `Dataset`: one test set; sacreBLEU's classes for formats are all the same here
- `SetError`, `sets_errors`: errors about test sets, which sacreBLEU raises as plain `Exception`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import Any, TypeVar

from bleucli.errors import BleuError
from bleucli.testsets import TestSet, access, registry
from bleucli.testsets.cache import cache_directory
from bleucli.testsets.preparation import prepare
from sacrebleu import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    SUBSETS: dict[str, dict[str, str]]
    COUNTRIES: list[str]
    DOMAINS: list[str]

names.add_to(__name__)
T = TypeVar("T")
SACREBLEU_DIR = cache_directory()
# Test sets that only bleucli has
_OURS = ("demo", "flores200/dev", "flores200/devtest", "ntrex", "wmt24pp", "wmt24pp/all", "wmt25", "wmt26")


class SetError(Exception):
    """What is wrong with the name, the language pair or the files of a test set.

    It is not a `ValueError`, unlike bleucli's errors: callers who expect sacreBLEU take a `ValueError` for something
    else, such as an argument that has no colon.
    """


def sets_errors(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that raises bleucli's errors as `SetError`."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> T:
        try:
            return function(*arguments, **keywords)
        except BleuError as error:
            raise SetError(str(error)) from None

    return call


class Dataset:
    """A test set; its files are downloaded when they are first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _facts(self) -> TestSet:
        return registry.load()[self.name]

    @cached_property
    def description(self) -> str:
        """A description, in one line."""
        return self._facts.about

    @cached_property
    def citation(self) -> str | None:
        """What to cite, as BibTeX."""
        return registry.load().citation(self.name) or None

    @property
    def data(self) -> list[str]:
        """The addresses of its downloads."""
        return [source.url for source in self._facts.sources]

    @property
    def md5(self) -> list[str]:
        """The MD5 checksums of its downloads, in the order of `data`."""
        return [source.md5 for source in self._facts.sources]

    @cached_property
    def langpairs(self) -> dict[str, list[str]]:
        """The files of each language pair, by their names in the downloads."""
        return {name: [file.member for file in pair.files] for name, pair in self._facts.pairs.items()}

    @property
    def _outdir(self) -> str:  # programs use these private names, too
        return os.path.join(cache_directory(), self.name)

    @property
    def _rawdir(self) -> str:
        return os.path.join(self._outdir, "raw")

    def _get_langpair_allowed_refs(self, langpair: str) -> list[str]:
        return [f"ref:{label}" for label in self._facts.pairs[langpair].refs]

    @sets_errors
    def fieldnames(self, langpair: str) -> list[str]:
        """Return the fields of a language pair, the source first."""
        return list(self._paths(langpair))

    @sets_errors
    def get_source_file(self, langpair: str) -> str:
        """Return the path of the source."""
        return access.get_source_file(self.name, langpair)

    @sets_errors
    def get_reference_files(self, langpair: str) -> list[str]:
        """Return the paths of the references."""
        return access.get_reference_files(self.name, langpair)

    @sets_errors
    def get_files(self, langpair: str) -> list[str]:
        """Return the paths of all fields."""
        return list(self._paths(langpair).values())

    def source(self, langpair: str) -> Iterator[str]:
        """Give the lines of the source."""
        yield from _lines(self.get_source_file(langpair))

    def references(self, langpair: str) -> Iterator[tuple[str, ...]]:
        """Give the references of each line, as tuples."""
        yield from zip(*map(_lines, self.get_reference_files(langpair)), strict=True)

    @sets_errors
    def maybe_download(self) -> None:
        """Download what is missing."""
        access.download_test_set(self.name)

    @sets_errors
    def process_to_text(self, langpair: str | None = None) -> None:
        """Make the plain files of one language pair, or of all."""
        access.download_test_set(self.name, langpair)

    def _paths(self, langpair: str) -> Any:
        return prepare(registry.load().pair(self.name, langpair)[0], langpair)


def _lines(path: str) -> Iterator[str]:
    with access.smart_open(path) as file:
        for line in file:
            yield line.rstrip("\n")


FakeSGMLDataset = IWSLTXMLDataset = PlainTextDataset = TSVDataset = WMTAdditionDataset = WMTXMLDataset = Dataset
DATASETS = {name: Dataset(name) for name in registry.load() if name not in _OURS}

if not TYPE_CHECKING:
    # Made when a program first asks for one: few do, and it takes time
    def __getattr__(name: str) -> Any:
        if name not in ("SUBSETS", "COUNTRIES", "DOMAINS"):
            return names.attribute_of(__name__, name)
        subsets = {test_set: dict(tags) for test_set in DATASETS if (tags := registry.document_tags(test_set))}
        # Tags have the form COUNTRY-domain[-detail]
        parts = [tag.split("-") for tags in subsets.values() for tag in tags.values()]
        globals().update(
            SUBSETS=subsets, COUNTRIES=sorted({part[0] for part in parts}), DOMAINS=sorted({part[1] for part in parts})
        )
        return globals()[name]
