"""`bleu testsets [NAME]` and the options of `bleu` that ask about test sets: list, download, print and cite them.

- `answer`: what `bleu testsets`, `--list`, `--echo` or `--download` prints
- `cite`: what a run should cite, as BibTeX: the papers of test sets, of metrics and tests, and the tool
- `check`: refuse options that do not fit these modes and `--cite`
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.options import OPTIONS, Option, Options, target_language
from bleucli.cli.streams import Environment, Messages, deliver_with, protect, shown
from bleucli.errors import BleuError, UsageError
from bleucli.phrases import suggest, tell_count
from bleucli.prose.markup import visible
from bleucli.testsets import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.results import Description
    from bleucli.testsets import TestSet
    from bleucli.testsets.registry import Registry

_COLUMN = 30  # width of names, as sacreBLEU prints them
TESTSETS = Command(
    ("bleu testsets [NAME] [--download] [-l xx-YY]",),
    "List test sets, or download them.",
    take(
        *("registry", "mirror", "allow_http", "output", *MESSAGES),
        test_set=Option("[NAME]", "the test set whose language pairs and fields to list; none: list all test sets"),
        language_pair=OPTIONS["language_pair"]._replace(help="only this language pair, or the test sets that have it"),
        fetch=Option("--download", "download it, or only the language pair of -l"),
    ),
    ("test_set", "fetch", "language_pair", "registry", "output"),
    metrics=(),
)


def testsets(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print the list, or download; return True."""
    name = options.test_set
    if name == "":
        raise UsageError("NAME is empty; name a test set, see bleu testsets")
    if options.fetch and name is None:
        raise UsageError("--download needs the name of a test set; see bleu testsets")
    request = options.replace(test_set=None, download=name) if options.fetch else options.replace(list=True)
    deliver_with((), answer(request), options.output, environment, messages)
    return True


def answer(options: Options) -> Iterable[str]:
    """Return what the options ask for, piece by piece."""
    check(options)
    sets = registry.load(options.registry)
    if options.list:
        return [_list(sets, options.language_pair)] if options.test_set is None else _fields_of_pairs(sets, options)
    return _echo(sets, options) if options.download is None else _download(sets, options)


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


# --- modes


def _list(sets: Registry, pair: str | None) -> str:
    """List the test sets; with a language pair, those that have it in either direction."""
    if pair is None:
        names, which = list(sets), ""
    else:
        names, which = sets.in_either_direction(pair), f" for {pair}"
        if not names:
            pairs = {one for name in sets if not sets.is_large(name) for one in sets.pairs(name)}
            raise BleuError(
                f"no test set has the language pair {pair!r}; see bleu --list{suggest(pair, sorted(pairs))}"
            )
    lines = [
        visible(f"{name:<{_COLUMN}}: {sets.about(name)} [{sets.tell_verification(name)}]") + "\n"
        for name in sorted(names)
    ]
    return f"The available test sets{which} are:\n{''.join(lines)}"


def _fields_of_pairs(sets: Registry, options: Options) -> Iterator[str]:
    """List the language pairs of test sets and their fields; a file whose content is needed for that is downloaded."""
    from bleucli.cli.sources.testsets import names
    from bleucli.testsets import AllPairs, preparation

    for name in names(options.test_set, "--list"):
        pairs = sets[name].pairs
        if options.language_pair is None and isinstance(pairs, AllPairs):
            fields = ", ".join(preparation.known_fields(sets[name], next(iter(pairs))))
            yield f"XX-YY: {fields}; XX and YY are two of {', '.join(pairs.languages)}\n"
            continue
        for pair in pairs if options.language_pair is None else [options.language_pair]:
            test_set, _ = sets.pair(name, pair)
            names_of_fields = preparation.known_fields(test_set, pair) or _prepare(test_set, pair, options)
            systems = [] if test_set.items is None else test_set.items.systems
            yield visible(f"{pair}: {', '.join([*names_of_fields, *systems])}") + "\n"


def _download(sets: Registry, options: Options) -> Iterator[str]:
    """Download a test set, or only the language pair that is named; nothing is printed."""
    name = str(options.download)
    pairs = sets.pairs_to_download(sets[name].name) if options.language_pair is None else [options.language_pair]
    for pair in pairs:
        _prepare(sets.pair(name, pair)[0], pair, options)
    yield ""  # makes this a generator, so that the download starts only when the answer is delivered


def _echo(sets: Registry, options: Options) -> Iterator[str]:
    from bleucli.cli.sources.testsets import names, pair_of

    test_sets = names(options.test_set, "--echo")
    pair = pair_of(options.language_pair, sets, test_sets)
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
    from bleucli.cli.sources.testsets import files_of
    from bleucli.testsets import preparation

    paths = preparation.prepare(test_set, pair)
    protect(options.output, files_of(test_set, paths))
    return paths


def _columns(test_set: TestSet, pair: str, options: Options) -> Iterator[str]:
    """Give the lines of several fields, side by side, separated by tabs; documents as JSON Lines."""
    from bleucli.testsets import preparation

    paths = dict(_prepare(test_set, pair, options))
    words = options.echo or ()
    fields = [field for name in words for field in _fields_meant_by(name, test_set, pair, paths)]
    for field in fields:
        if field not in paths:
            paths[field] = preparation.prepare_output(test_set, pair, paths, field)
    protect(options.output, [paths[field] for field in fields])
    columns = [preparation.read_field(test_set, paths[field], field) for field in fields]
    for field, column in zip(fields, columns, strict=True):
        if len(column) != len(columns[0]):
            raise BleuError(
                f"{test_set.name}/{pair}: {fields[0]} has {tell_count(len(columns[0]), 'segment')} but {field} has"
                f" {len(column)}; remove {os.path.dirname(paths[field])}, and the next run makes it again"
            )
    rows = zip(*columns, strict=True)
    if test_set.items is None:
        yield from ("\t".join(cells) + "\n" for cells in rows)
    elif test_set.items.documents:
        from bleucli.testsets import formats

        yield from (line + "\n" for line in formats.lines_of(dict(zip(fields, cells, strict=True)) for cells in rows))
    else:  # line breaks and tabs separate lines and columns
        for cells in rows:
            texts = ("" if cell is None else " ".join(re.split(r"[\t\n\r]", str(cell))) for cell in cells)
            yield "\t".join(texts) + "\n"


def _fields_meant_by(name: str, test_set: TestSet, pair: str, paths: Mapping[str, str]) -> list[str]:
    """Return the fields that a word after --echo stands for; outputs that must be downloaded are not among `all`."""
    from bleucli.testsets import preparation

    systems = [] if test_set.items is None else test_set.items.systems
    if name == "all":
        return list(paths)
    if name in paths or name in systems:
        return [name]
    if name == "ref":
        return preparation.scored_references(test_set, pair, paths)[:1]
    fields = [*paths, *systems]
    raise BleuError(
        f"{test_set.name}/{pair} has no field {name!r}; it has {', '.join(fields)}; see bleu --list -t {test_set.name}"
        f"{suggest(name, fields)}"
    )


# --- what to cite


def cite(options: Options) -> str:
    """Return what a run with these options should cite; with a test set alone, only the test set, as in sacreBLEU."""
    check(options)
    if options.given <= {"cite", "test_set", "registry"} and options.test_set is not None:
        citations = _find_citations(options)
        if not any(citations.values()):
            raise BleuError(f"no citation of {', '.join(citations)} is known; cite its name and address")
        return "\n\n".join(dict.fromkeys(filter(None, citations.values()))) + "\n"
    from bleucli.cli import request
    from bleucli.output.paper import Use, bibtex
    from bleucli.results.signature import VERSION

    request.refuse_conflicts(options)
    request.refuse_lacks(options)
    request.check_values(options)
    method = "bs" if options.paired_bs else "ar" if options.paired_ar else None
    scores = list(_describe_scores(options))
    # --style stars leaves out the intervals of scores, but not those of --difference
    use = Use(
        scores,
        VERSION if scores else "",
        method,
        corrected=options.paired_all or options.bold_best,
        intervals=(options.confidence or options.paired_bs) and (options.style != "stars" or options.difference),
        distinct=options.command == "diversity",
    )
    entries = [bibtex(use)]
    for name, citation in (_find_citations(options) if options.test_set is not None else {}).items():
        entries.append(f"{citation or f'% no citation of {name} is known; cite its name and address'}\n")
    return "\n".join(dict.fromkeys(entries))


def _find_citations(options: Options) -> dict[str, str]:
    """Return what to cite for each test set, or "" if nothing is known."""
    from bleucli.cli.sources.testsets import names

    sets = registry.load(options.registry)
    return {name: sets.citation(name) for name in names(options.test_set, "--cite")}


def _describe_scores(options: Options) -> Iterator[Description]:
    """Give what each metric says of its scores. No tokenizer is loaded, since that may need a download."""
    from bleucli import tokenizers
    from bleucli.cli import request
    from bleucli.metrics import METRICS, self_bleu

    for name in request.names_of_metrics(options):
        metric = request.make_metric(options, name, [option for option in METRICS[name].options if option.loads])
        describe = self_bleu.describe if options.command == "diversity" else metric.describe
        info = dict(metric.signature(1, 1))
        if name != "bleu":
            yield describe(info)
            continue
        tokenizer = options.of_metric(name).get("tokenize")
        for tok in [tokenizer] if tokenizer else dict.fromkeys(map(tokenizers.default_for, _find_targets(options))):
            # As in signatures, but without the checksum or the versions that follow the hyphen there
            yield describe(info | {"tok": tok.replace("spm:", "spm-", 1) + "-" * tok.endswith("-mecab")})


def _find_targets(options: Options) -> list[str]:
    """Return the target language, or those of the pairs of a matrix."""
    if not options.has("matrix"):
        return [target_language(options.language_pair, options.test_set is not None)]
    from bleucli.cli import request
    from bleucli.matrix import find_language
    from bleucli.matrix.plan import read_plan

    plan = read_plan(shown(str(options.matrix)))
    return [find_language(pair.name, pair.language, request.follows_language(options)) for pair in plan.pairs]
