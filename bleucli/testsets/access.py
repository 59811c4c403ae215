"""Functions about test sets, for programs. All but `get_segments` have the same names as in sacreBLEU.

Most take the names of a test set and a language pair, and download what is missing. The test sets are those of the
package and of the file that `BLEU_REGISTRY` names.
"""

from __future__ import annotations

import os

from bleucli.limits import string
from bleucli.testsets import selection
from bleucli.testsets.formats import read_lines
from bleucli.testsets.preparation import prepare, scored_references
from bleucli.testsets.registry import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    from bleucli.testsets import TestSet


def get_available_testsets() -> list[str]:
    """Return the names of all test sets.

    Raises:
        BleuError: the file that `BLEU_REGISTRY` names cannot be read, or is not a registry.

    >>> "wmt14/full" in get_available_testsets()
    True
    """
    return list(load())


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """Return the names of the test sets that have a language pair, in this direction or the other.

    Args:
        langpair: source and target, such as `en-de`; test sets may have the pair under other codes.

    Raises:
        BleuError: the file that `BLEU_REGISTRY` names cannot be read, or is not a registry.
        InputTypeError: the language pair is not a string.

    >>> get_available_testsets_for_langpair("en-jam"), get_available_testsets_for_langpair("iu-en")
    ([], ['wmt20', 'wmt20/dev'])
    """
    return load().in_either_direction(string("language pair", langpair))


def get_langpairs_for_testset(testset: str) -> list[str]:
    """Return the language pairs of a test set, such as `en-de`; none if there is no such test set, as in sacreBLEU.

    Args:
        testset: its name.

    Raises:
        BleuError: the file that `BLEU_REGISTRY` names cannot be read, or is not a registry.
        InputTypeError: the name is not a string.

    >>> get_langpairs_for_testset("wmt17/tworefs")
    ['en-fi']
    """
    registry = load()
    return list(registry.pairs(testset)) if string("test set", testset) in registry else []


def get_source_file(test_set: str, langpair: str) -> str:
    """Return the path of a test set's source, a text file with one segment per line.

    Test sets in JSON Lines have one file with all fields, an object per segment; its text is the field `src`.

    Args:
        test_set: its name.
        langpair: one of its language pairs, such as `en-de`.

    Raises:
        BleuError: there is no such test set or language pair, or it cannot be downloaded.
        InputTypeError: a name is not a string.

    >>> with open(get_source_file("demo", "en-de")) as source:
    ...     len(list(source))
    100
    """
    record, langpair = _find(test_set, langpair)
    return prepare(record, langpair)["src"]


def _find(test_set: str, langpair: str) -> tuple[TestSet, str]:
    """Return a test set, and a language pair as it spells it."""
    registry = load()
    langpair = registry.spell_pair(string("test set", test_set), string("language pair", langpair))
    return registry.pair(test_set, langpair)[0], langpair


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """Return the paths of the references that are scored by default, text files with one segment per line.

    Test sets in JSON Lines have one file with all fields, an object per segment; its texts are the fields `ref` and
    `ref:LABEL`.

    Args:
        test_set: its name.
        langpair: one of its language pairs, such as `en-de`.

    Raises:
        BleuError: there is no such test set or language pair, or it cannot be downloaded.
        InputTypeError: a name is not a string.

    >>> len(get_reference_files("demo", "en-de"))
    1
    """
    record, langpair = _find(test_set, langpair)
    paths = prepare(record, langpair)
    return [paths[name] for name in scored_references(record, langpair, paths)]


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Download a test set, unless it is in the cache, and return the paths of its files.

    Args:
        test_set: its name.
        langpair: one of its language pairs, such as `en-de`; None for all.

    Returns:
        The files of all its fields: source, references and others. Each has one segment per line.

    Raises:
        BleuError: there is no such test set or language pair, or it cannot be downloaded.
        InputTypeError: a name is not a string.

    >>> import os
    >>> [os.path.basename(path) for path in download_test_set("demo", "en-de")][:2]
    ['source.en.txt', 'reference.A.de.txt']
    """
    registry = load()
    record = registry[string("test set", test_set)]
    pairs = registry.pairs_to_download(test_set) if langpair is None else [_find(test_set, langpair)[1]]
    return [path for pair in pairs for path in prepare(record, pair).values()]


def get_segments(test_set: str, langpair: str, origlang: str | None = None, subset: str | None = None) -> list[int]:
    """Return the indexes, from 0, of the segments of a part of a test set, for `CorpusStats.take`.

    Args:
        test_set: its name.
        langpair: one of its language pairs.
        origlang: the language in which the segments were first written, or `non-` and a language; None for all.
        subset: a regular expression to search for in the domain and country of the segments; None for all.

    Raises:
        BleuError: there is no such test set or language pair, it cannot be downloaded, it has no such tags, or no
            segment is left.
        InputTypeError: an argument is not a string.

    >>> len(get_segments("demo", "en-de"))
    100
    """
    record, langpair = _find(test_set, langpair)
    for name, value in (("origlang", origlang), ("subset", subset)):
        if value is not None:
            string(name, value)
    paths = prepare(record, langpair)
    if origlang is None and subset is None:
        return list(range(sum(1 for _ in read_lines(paths["src"]))))
    return selection.choose(selection.marks_of(record, paths), origlang, subset, test_set)


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    r"""Open a text file; if its name ends in `.gz`, it is compressed with gzip. Only `\n` ends a line.

    Args:
        file: its path.
        mode: as for `open`; it means text unless it has a `b`.
        encoding: the encoding of the text.

    Raises:
        OSError: the file cannot be opened.
        InputTypeError: the path is neither a string nor a path object.

    >>> with smart_open(get_source_file("demo", "en-de")) as source:
    ...     next(source)
    'Thank you!\n'
    """
    file = string("file", os.fspath(file) if isinstance(file, os.PathLike) else file)
    binary = "b" in mode
    options: dict[str, Any] = {} if binary else {"encoding": encoding, "newline": "\n"}
    if not file.endswith(".gz"):
        return open(file, mode, **options)
    import gzip

    opening: Any = gzip.open
    return opening(file, mode if binary or "t" in mode else f"{mode}t", **options)  # type: ignore[no-any-return]
