"""Evaluation data: outputs of real systems and their references, which lie outside the checkout.

`scripts/evaluation_data DIR` makes such a folder. `scripts/parity`, `scripts/benchmark`, `scripts/familywise`,
`scripts/large_corpus` and the tests find it here:

- `FOLDER`: the one that BLEU_EVALUATION_DATA names, else ../shared/data beside the checkout
- `CORPORA`: what it holds, one folder per corpus; those in `PUBLIC` are made from public test sets and always there
- `problem`: what is wrong with a folder
- `present`, `german`: which corpora a folder has
- `read_lines`: the segments of a file
"""

from __future__ import annotations

import os
from collections import namedtuple

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIABLE = "BLEU_EVALUATION_DATA"
FOLDER = os.path.abspath(
    os.path.expanduser(os.environ.get(VARIABLE, "")) or os.path.join(os.path.dirname(CHECKOUT), "shared", "data")
)
# The scores that the organizers of WMT22 published
PUBLISHED = "published-scores.wmt22.tsv"

# Names of files, without `.txt`
Corpus = namedtuple("Corpus", "references systems")
CORPORA = {
    "wmt17.en-de": Corpus(("ref",), ("KIT", "LIUM-NMT", "PROMT-Rule-based", "SYSTRAN", "online-B", "uedin-nmt")),
    "wmt22.en-de": Corpus(("ref.A", "ref.B"), ("JDExploreAcademy", "Online-B", "Online-W", "OpenNMT")),
    "wmt22.en-zh": Corpus(("ref.A", "ref.B"), ("LanguageX", "Online-A", "Online-B")),
    "wmt22.en-ja": Corpus(("ref.A",), ("KYB", "NT5", "Online-B")),
    "wmt22.cs-uk": Corpus(("ref.A",), ("AMU", "HuaweiTSC", "Online-G")),
}
# The submissions to WMT17 are not part of any test set that `bleu` knows
PUBLIC = tuple(name for name in CORPORA if name.startswith("wmt22."))


def problem(folder: str) -> str:
    """Return what a folder of evaluation data lacks and what to do, or "" if it has all public corpora."""
    missing = [name for name in PUBLIC if name not in present(folder)]
    if not missing:
        return ""
    lacks = "is not a folder" if not os.path.isdir(folder) else f"lacks files of {', '.join(missing)}"
    return f"{folder} {lacks}; make evaluation data with scripts/evaluation_data DIR, and name DIR in {VARIABLE}"


def present(folder: str) -> list[str]:
    """Return the names of the corpora of which a folder has all files."""
    return [name for name in CORPORA if all(os.path.isfile(path) for path in paths(folder, name))]


def paths(folder: str, name: str) -> list[str]:
    """Return the paths of a corpus's files, references first."""
    references, systems = CORPORA[name]
    return [os.path.join(folder, name, f"{one}.txt") for one in (*references, *systems)]


def german(folder: str) -> str:
    """Return the name of the corpus to measure for translation into German: WMT17's if it is there, else WMT22's."""
    return next(name for name in present(folder) if name.endswith(".en-de"))


def read_lines(*parts: str) -> list[str]:
    r"""Return the segments of a file: `\n` ends a line, trailing white space is removed."""
    with open(os.path.join(*parts), encoding="utf-8", newline="\n") as file:
        return [line.rstrip() for line in file]
