"""The modules of sacreBLEU that only name what others define: their sources, in one table.

- `MODULES`: the source of each
- `add_to`: let a package find its modules of the table beside those in its folder
- `attribute_of`: such a module as an attribute of its package
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

# Type checkers see none of these modules, so the package itself imports from those that define the names
MODULES = {
    "sacrebleu.sacrebleu": """\
from sacrebleu.__main__ import VERSION, main
from sacrebleu.dataset import DATASETS
from sacrebleu.metrics import METRICS
from sacrebleu.utils import (
    Color, args_to_dict, download_test_set, filter_subset, get_available_testsets,
    get_available_testsets_for_langpair, get_langpairs_for_testset, get_reference_files, print_results_table,
    print_single_results, sacrelogger, sanity_check_lengths, smart_open,
)""",
    "sacrebleu.dataset.base": "from sacrebleu.dataset import SACREBLEU_DIR, Dataset",
    "sacrebleu.dataset.fake_sgml": "from sacrebleu.dataset import Dataset, FakeSGMLDataset, WMTAdditionDataset",
    "sacrebleu.dataset.iwslt_xml": "from sacrebleu.dataset import Dataset, IWSLTXMLDataset",
    "sacrebleu.dataset.plain_text": "from sacrebleu.dataset import Dataset, PlainTextDataset",
    "sacrebleu.dataset.tsv": "from sacrebleu.dataset import Dataset, TSVDataset",
    "sacrebleu.dataset.wmt_xml": "from sacrebleu.dataset import Dataset, WMTXMLDataset",
    "sacrebleu.tokenizers.tokenizer_13a": "from sacrebleu.tokenizers import BaseTokenizer, Tokenizer13a",
    "sacrebleu.tokenizers.tokenizer_base": "from sacrebleu.tokenizers import BaseTokenizer",
    "sacrebleu.tokenizers.tokenizer_char": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerChar",
    "sacrebleu.tokenizers.tokenizer_intl": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerV14International",
    "sacrebleu.tokenizers.tokenizer_ja_mecab": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerJaMecab",
    "sacrebleu.tokenizers.tokenizer_ko_mecab": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerKoMecab",
    "sacrebleu.tokenizers.tokenizer_none": "from sacrebleu.tokenizers import BaseTokenizer, NoneTokenizer",
    "sacrebleu.tokenizers.tokenizer_re": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerRegexp",
    "sacrebleu.tokenizers.tokenizer_spm": """\
from sacrebleu.dataset import SACREBLEU_DIR
from sacrebleu.tokenizers import (
    SPM_MODELS, BaseTokenizer, Flores101Tokenizer, Flores200Tokenizer, TokenizerSPM, spBLEU1KTokenizer,
)""",
    "sacrebleu.tokenizers.tokenizer_ter": "from sacrebleu.tokenizers import BaseTokenizer, TercomTokenizer",
    "sacrebleu.tokenizers.tokenizer_zh": "from sacrebleu.tokenizers import BaseTokenizer, TokenizerZh",
}
# How the entry of a package's `__path__` begins; the name of the package follows
_ENTRY = "<sacrebleu.names> "


def add_to(package: str) -> None:
    """Let a package find its modules of the table beside those in its folder."""
    sys.modules[package].__path__.append(_ENTRY + package)


def attribute_of(package: str, name: str) -> ModuleType:
    """Return a module of the table that a program uses without importing it, such as `sacrebleu.dataset.base`.

    Raises:
        AttributeError: the package has no such module in the table.
    """
    module = f"{package}.{name}"
    if module not in MODULES:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return import_module(module)


class _Finder:
    """Finds the modules of a package in the table, and loads them; Python makes one for the entry of each package."""

    def __init__(self, entry: str) -> None:
        if not entry.startswith(_ENTRY):
            raise ImportError("not an entry for this finder")  # as Python expects it
        self._package = entry.removeprefix(_ENTRY)

    def find_spec(self, name: str, target: object = None) -> ModuleSpec | None:
        """Return what the import system needs to know about a module."""
        return ModuleSpec(name, self, origin=__file__) if name in MODULES else None  # type: ignore[arg-type]

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """Give the names of the modules, for `pkgutil`, and that none of them is a package."""
        for name in MODULES:
            package, _, last = name.rpartition(".")
            if package == self._package:
                yield prefix + last, False

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        exec(self.get_code(module.__name__), vars(module))  # noqa: S102 # the source is in the table

    def get_code(self, name: str) -> CodeType:
        """Return the code of a module."""
        return compile(self.get_source(name), f"<{name}>", "exec")

    def get_source(self, name: str) -> str:
        """Return the source of a module."""
        return MODULES[name]


sys.path_hooks.append(_Finder)
