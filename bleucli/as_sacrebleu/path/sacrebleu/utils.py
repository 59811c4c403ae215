"""Test sets, tables and small functions."""

from __future__ import annotations

import logging
import os
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import log
from typing import Any

from bleucli.errors import BleuError, LengthError
from bleucli.testsets import access, registry
from bleucli.testsets.access import smart_open
from bleucli.text.wholefiles import digest
from sacrebleu.dataset import DATASETS, SACREBLEU_DIR, SetError, sets_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    SUBSETS: dict[str, dict[str, str]]
else:

    def __getattr__(name: str) -> Any:
        if name == "SUBSETS":
            from sacrebleu.dataset import SUBSETS

            return SUBSETS
        raise AttributeError(f"module 'sacrebleu.utils' has no attribute {name!r}")


sacrelogger = logging.getLogger("sacrebleu")
USERHOME = os.path.expanduser("~")
get_source_file = sets_errors(access.get_source_file)
get_reference_files = sets_errors(access.get_reference_files)
download_test_set = get_files = sets_errors(access.download_test_set)
_CODES = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36}


class Color:
    """Colours of a terminal."""

    ENABLE_COLORS = True

    @staticmethod
    def format(msg: str, color: str) -> str:
        """Return a text in a colour, or unchanged if colours are off."""
        return f"\x1b[{_CODES[color]}m{msg}\x1b[0m" if Color.ENABLE_COLORS else msg


def my_log(num: float) -> float:
    """Return the logarithm, or a very low number for 0."""
    return log(num) if num else -9999999999


def sum_of_lists(lists: Sequence[Sequence[Any]]) -> Any:
    """Return the sum of each column; a single list is returned as it is.

    Raises:
        IndexError: there are no lists, or one is shorter than the first; the class of sacreBLEU's error.
    """
    if not len(lists):
        raise IndexError("list index out of range: there are no lists to add up")
    if len(lists) == 1:
        return lists[0]
    columns = len(lists[0])
    if min(map(len, lists)) < columns:
        raise IndexError(f"list index out of range: a list has fewer than {columns} numbers, as many as the first has")
    # Cut to the first, which is the shortest
    return list(map(sum, zip(*lists, strict=False)))


def args_to_dict(args: Namespace, prefix: str, strip_prefix: bool = False) -> dict[str, Any]:
    """Return the arguments whose names begin with a prefix and an underscore."""
    start = f"{prefix}_"
    cut = len(start) if strip_prefix else 0
    return {name[cut:]: value for name, value in vars(args).items() if name.startswith(start)}


def get_available_testsets() -> list[str]:
    """Return the names of sacreBLEU's test sets."""
    return sorted(DATASETS, reverse=True)


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """Return the names of sacreBLEU's test sets that have a language pair, in this direction or the other."""
    find: Any = _testsets_of if type(langpair) is str else access.get_available_testsets_for_langpair
    return [name for name in find(langpair) if name in DATASETS]


# Looking through all pairs takes a millisecond; those of sacreBLEU's sets never change
_testsets_of = lru_cache(maxsize=256)(access.get_available_testsets_for_langpair)


def get_langpairs_for_testset(testset: str) -> list[str]:
    """Return the language pairs of a test set, such as `en-de`; none if there is no such test set."""
    if type(testset) is str and testset in DATASETS:
        return list(DATASETS[testset].langpairs)
    return sets_errors(access.get_langpairs_for_testset)(testset)


def get_available_origlangs(test_sets: str, langpair: str) -> list[str]:
    """Return the languages in which the segments of test sets were first written; none if they do not say.

    test_sets: their names, with commas between them. langpair: a language pair that they all have.
    """
    return sorted({language for _, marks in _marks_of(test_sets, langpair) for language in marks.origlangs or ()})


def get_available_subsets(test_sets: str, langpair: str) -> list[str]:
    """Return the names of the subsets of test sets; arguments: as for `get_available_origlangs`.

    Those of wmt18 and wmt19 are the same for all language pairs.
    """
    from bleucli.testsets.selection import subsets_of

    names: set[str] = set()
    for name in test_sets.split(","):
        if tags := registry.document_tags(name):
            names.update(subset for tag in tags.values() for subset in subsets_of(tag))
        else:
            ((_, marks),) = _marks_of(name, langpair)
            names.update(subset for subsets in marks.subsets or () for subset in subsets)
    return sorted(names)


@sets_errors
def filter_subset(
    systems: Sequence[Iterable[str]], test_sets: str, langpair: str, origlang: str | None, subset: str | None = None
) -> Sequence[Iterable[str]]:
    """Return the segments of some texts, which have all segments, that belong to a part of test sets.

    origlang: the language in which the segments were first written, or `non-` and a language. subset: a regular
    expression to search for in the domain and country of the segments. None for all.

    Raises:
        SetError: a test set does not say what is asked for, or a text has another number of segments.
    """
    if origlang is None and subset is None:
        return systems
    from bleucli.testsets import selection

    marks = selection.join([marks for _, marks in _marks_of(test_sets, langpair)])
    numbers, segments = selection.find(marks, origlang, subset, test_sets), selection.count(marks)
    texts = [list(text) for text in systems]
    for text in texts:
        if len(text) != segments:
            raise SetError(f"a text has {len(text)} segments, but {test_sets} has {segments}; give the same number")
    return [[text[number] for number in numbers] for text in texts]


@sets_errors
def _marks_of(test_sets: str, langpair: str) -> list[tuple[str, Any]]:
    """Return what is known about the segments of each test set."""
    from bleucli.testsets.preparation import prepare
    from bleucli.testsets.selection import marks_of

    sets = [registry.load().pair(name, langpair)[0] for name in test_sets.split(",")]
    return [(one.name, marks_of(one, prepare(one, langpair))) for one in sets]


@sets_errors
def download_file(
    source_path: str, dest_path: str, extract_to: str | None = None, expected_md5: str | None = None
) -> None:
    """Download a file, unless it is there already, and unpack it if `extract_to` says where its members belong.

    Raises:
        SetError: it cannot be downloaded, differs from the checksum, or cannot be unpacked.
    """
    from bleucli.testsets import Source
    from bleucli.testsets.fetch import fetch

    fetch(Source(source_path, md5=expected_md5 or ""), dest_path, name=os.path.basename(dest_path))
    if extract_to is not None:
        extract_tarball(dest_path, extract_to)


@sets_errors
def extract_tarball(filepath: str, destdir: str) -> None:
    """Unpack the plain files of an archive, `.tar.gz`, `.tgz` or `.zip`; any other file is left alone.

    Raises:
        SetError: the archive is damaged, or a member's path leaves the folder.
    """
    from bleucli.testsets.archives import extract, list_members

    if filepath.endswith((".tar.gz", ".tgz", ".zip")):
        paths = [member.path for member in list_members(filepath) if not member.kind]
        places = {path: os.path.join(destdir, path) for path in paths}
        extract(filepath, places, name=os.path.basename(filepath), replace=True)


def get_md5sum(dest_path: str) -> str:
    """Return the MD5 checksum of a file."""
    return digest(dest_path, "md5")


def sanity_check_lengths(system: Sequence[str], refs: Sequence[Sequence[str]], test_set: str | None = None) -> None:
    """Refuse texts with different numbers of segments.

    Raises:
        LengthError: the message names the first text that differs.
    """
    for number, stream in enumerate(refs):
        if len(stream) != len(system):
            name = f"the reference of {test_set}" if test_set else f"reference stream {number + 1}"
            raise LengthError(
                f"the system has {len(system)} segments, but {name} has {len(stream)}; give the same number",
                *((number + 1, 0) if len(stream) > len(system) else (0, number + 1)),
                (max(len(stream), len(system)), min(len(stream), len(system))),
            )


def print_single_results(results: Iterable[str], args: Namespace) -> None:
    """Print results, one per line, or as an array if JSON is asked for and there are several."""
    lines = list(results)
    if getattr(args, "format", "text") == "json" and len(lines) > 1:
        lines = ["[\n" + ",\n".join(lines) + "\n]"]
    print("\n".join(lines))  # programs expect the function to print


def print_results_table(results: dict[str, Any], signatures: Mapping[str, Any], args: Namespace) -> None:
    """Print systems and scores as the command does.

    results: the names under "System", and under each score's name a column of numbers or of `significance.Result`.
    signatures: by the names of the scores. args: format, width, short, paired_bs and paired_ar are read.
    """
    from bleucli.output import render
    from bleucli.output.layout import Layout
    from bleucli.results import Results, SystemResult, Test

    names = [name.removeprefix("Baseline: ") for name in results["System"]]
    columns = {name: column for name, column in results.items() if name != "System"}
    rows = zip(
        *([_record(name, cell, signatures[name]) for cell in column] for name, column in columns.items()), strict=True
    )
    systems = [SystemResult(name, list(row)) for name, row in zip(names, rows, strict=True)]
    method = next((method for method in ("bs", "ar") if getattr(args, f"paired_{method}", False)), None)
    test = None
    if method:
        test = Test(method, int(dict(systems[0].scores[0].signature)[method]))
    layout = Layout(args.width, args.short, colour=Color.ENABLE_COLORS and args.format == "text")
    print(render(Results(systems, 0, [], test), layout, args.format), end="")  # programs expect the function to print


def _record(name: str, cell: Any, signature: Any) -> Any:
    """Return a cell of a table as a record."""
    from bleucli.metrics import METRICS
    from bleucli.results import Interval, ScoreRecord
    from bleucli.results.signature import Signature

    if not isinstance(signature, Signature):
        signature = Signature.parse(str(signature))
    mean = getattr(cell, "mean", None)
    interval = None if mean is None else Interval(mean, cell.ci)
    number = float(getattr(cell, "score", cell))
    record = ScoreRecord(name, number, "", signature, None, interval, getattr(cell, "p_value", None))
    with suppress(BleuError):  # a name such as chrFast begins like that of a metric
        for metric in METRICS.values():
            if metric.read_name(name) is not None:
                return record._replace(describe=metric.describe)
    return record
