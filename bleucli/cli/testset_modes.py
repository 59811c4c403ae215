"""Modes about test sets: list them, show their texts, download them.

- `answer`: what a mode prints
- `check`: refuse options that do not fit these modes and `--cite`
- `names`, `files_of`, `pair_of`: names, files and language pair of the test sets that options name
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from bleucli.cli import outputs
from bleucli.cli.streams import shown
from bleucli.errors import BleuError, UsageError
from bleucli.phrases import suggest, tell_count
from bleucli.prose.markup import visible
from bleucli.testsets import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.testsets.formats import TestSet
    from bleucli.testsets.registry import Registry

_COLUMN = 30  # width of names, as sacreBLEU prints them


def answer(options: Options) -> Iterable[str]:
    """Return what the options ask for, piece by piece.

    Raises:
        BleuError: there is no such test set, language pair or field, or it cannot be downloaded.
    """
    check(options)
    sets = registry.load(options.registry)
    if options.list:
        return [_list(sets, options.language_pair)] if options.test_set is None else _fields_of_pairs(sets, options)
    if options.download is not None:
        return _download(sets, options)
    return _echo(sets, options)


def check(options: Options) -> None:
    """Refuse what these modes would ignore: a second mode, and texts to score, of which --cite says what to cite."""
    modes = [
        f"--{name}" for name in ("list", "cite", "echo", "download") if getattr(options, name) not in (None, False)
    ]
    if len(modes) > 1:
        raise UsageError(f"{' and '.join(modes)} cannot be combined; leave out all but one")
    texts = [*options.refs, *(options.input or [])]
    if texts and not options.cite:
        raise UsageError(f"{modes[0]} scores nothing; leave out {modes[0]}, or {shown(texts[0])}")


def names(test_set: str | None, what: str) -> list[str]:
    """Return the names in the value of `--test-set`.

    >>> names("wmt17,wmt18", "--echo")
    ['wmt17', 'wmt18']
    """
    if not test_set:
        raise UsageError(f"{what} needs a test set; name it with -t, see bleu --list")
    words = test_set.split(",")
    if len(set(words)) < len(words):
        raise UsageError(f"--test-set {test_set} names a test set twice; name each one once")
    return words


def files_of(test_set: TestSet, paths: Mapping[str, str]) -> list[str]:
    """Return the files of a test set's fields, and the downloads that they were made from."""
    from bleucli.testsets.sources import is_web, local_path

    sources = [local_path(source.url) for source in test_set.sources if not is_web(source.url)]
    return [*paths.values(), *sources]


def pair_of(options: Options, sets: Registry, test_sets: list[str]) -> str:
    """Return the language pair; every test set must have it."""
    if options.language_pair is None:
        pairs = sets.pairs(sets[test_sets[0]].name)
        raise UsageError(f"a test set needs a language pair; name it with -l: {test_sets[0]} has {', '.join(pairs)}")
    for name in test_sets:
        sets.pair(name, options.language_pair)
    return str(options.language_pair)


# --- modes


def _list(sets: Registry, pair: str | None) -> str:
    """List the test sets; with a language pair, those that have it in either direction."""
    if pair is None:
        names, which = list(sets), ""
    else:
        source, _, target = pair.partition("-")
        names, which = sets.with_pair(pair, f"{target}-{source}"), f" for {pair}"
        if not names:
            pairs = {one for name in sets for one in sets.pairs(name)}
            raise BleuError(
                f"no test set has the language pair {pair!r}; see bleu --list{suggest(pair, sorted(pairs))}"
            )
    lines = [visible(f"{name:<{_COLUMN}}: {sets.about(name)}") + "\n" for name in sorted(names)]
    return f"The available test sets{which} are:\n{''.join(lines)}"


def _fields_of_pairs(sets: Registry, options: Options) -> Iterator[str]:
    """List the language pairs of test sets and their fields; a file whose content is needed for that is downloaded."""
    from bleucli.testsets import preparation

    for name in names(options.test_set, "--list"):
        for pair in _pairs_of(sets, name, options):
            test_set, _ = sets.pair(name, pair)
            fields = preparation.known_fields(test_set, pair) or _prepare(test_set, pair, options)
            yield visible(f"{pair}: {', '.join(fields)}") + "\n"


def _pairs_of(sets: Registry, name: str, options: Options) -> list[str]:
    """Return the language pair that is named, or all of a test set."""
    return sets.pairs(sets[name].name) if options.language_pair is None else [options.language_pair]


def _download(sets: Registry, options: Options) -> Iterator[str]:
    """Download a test set, or only the language pair that is named; nothing is printed."""
    name = str(options.download)
    for pair in _pairs_of(sets, name, options):
        _prepare(sets.pair(name, pair)[0], pair, options)
    yield ""  # makes this a generator, so that the download starts only when the answer is delivered


def _echo(sets: Registry, options: Options) -> Iterator[str]:
    test_sets = names(options.test_set, "--echo")
    pair = pair_of(options, sets, test_sets)
    lines = chain.from_iterable(_columns(sets[name], pair, options) for name in test_sets)
    if options.origlang is None and options.subset is None:
        yield from lines
        return
    from bleucli.testsets import preparation, selection

    marks = selection.join(
        [selection.marks_of(one, preparation.prepare(one, pair)) for one in map(sets.__getitem__, test_sets)]
    )
    indexes = set(selection.choose(marks, options.origlang, options.subset, ",".join(test_sets)))
    number = -1
    for number, line in enumerate(lines):
        if number in indexes:
            yield line
    if number + 1 != selection.count(marks):
        raise BleuError(
            f"{options.test_set} has {tell_count(number + 1, 'segment')}, but original languages or domains"
            f" for {selection.count(marks)}; {selection.AGAIN}"
        )


def _prepare(test_set: TestSet, pair: str, options: Options) -> Mapping[str, str]:
    """Make the files of a test set's fields, protect them, and return their paths."""
    from bleucli.testsets import preparation

    paths = preparation.prepare(test_set, pair)
    outputs.protect(options, files_of(test_set, paths))
    return paths


def _columns(test_set: TestSet, pair: str, options: Options) -> Iterator[str]:
    """Give the lines of several fields, side by side, separated by tabs."""
    from bleucli.testsets.formats import read_texts

    paths = _prepare(test_set, pair, options)
    fields = [field for name in options.echo or () for field in _fields_meant_by(name, test_set, pair, list(paths))]
    columns = [read_texts(paths[field]) for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if len(column) != len(columns[0]):
            raise BleuError(
                f"{test_set.name}/{pair}: {fields[0]} has {tell_count(len(columns[0]), 'segment')} but {field} has"
                f" {len(column)}; remove {os.path.dirname(paths[field])}, and the next run makes it again"
            )
    for cells in zip(*columns, strict=True):
        yield "\t".join(cells) + "\n"


def _fields_meant_by(name: str, test_set: TestSet, pair: str, fields: list[str]) -> list[str]:
    """Return the fields that a word after --echo stands for."""
    from bleucli.testsets import preparation

    if name == "all":
        return fields
    if name in fields:
        return [name]
    if name == "ref":
        return preparation.scored_references(test_set, pair, fields)[:1]
    raise BleuError(
        f"{test_set.name}/{pair} has no field {name!r}; it has {', '.join(fields)}; see bleu --list -t {test_set.name}"
        f"{suggest(name, fields)}"
    )
