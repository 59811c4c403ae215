"""Text files and JSON Lines, which the command line names.

- `FileSource`: systems and references in files, read in step
- `Files`: finds and opens them
"""

from __future__ import annotations

import os
import stat
from itertools import chain, islice

from bleucli.cli.sources.texts import JOINED, Entry, Systems, TextSource, find_repeated, source_of
from bleucli.cli.streams import shown
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, IdsDifferError, LengthError, UsageError
from bleucli.inspection.marks import is_json_object
from bleucli.phrases import join_words, tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines, is_jsonl
from bleucli.results import Input
from bleucli.text import DOCUMENT, Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO, Any

    from bleucli.cli.sources import TextArguments
    from bleucli.cli.sources.texts import File
    from bleucli.counting.corpus import Kept
    from bleucli.reading.jsonfields import Fields
    from bleucli.scale import Shard
    from bleucli.scoring import Selection
    from bleucli.testsets.selection import Marks
    from bleucli.text.labels import Labels

STDIN = "standard input"
# The labels that name parts of texts
_PARTS = ("origlang", "domain", "country")


class FileSource(TextSource):
    """The text files of one run; has_ids: whether references from elsewhere have ids.

    references: the files of the references. locates: whether an error about numbers of segments names all places where
    lines are missing or too many.
    """

    locates = False

    def __init__(self, arguments: TextArguments, stdin: IO[bytes] | None, has_ids: bool = False) -> None:
        self._arguments = arguments
        opener = Files(arguments, stdin)
        self._remedy = opener.remedy
        paths = opener.systems
        in_json = [path for path in [*arguments.references, *paths] if read_as_jsonl(path, arguments.jsonl)]
        first = next((path for path in paths if path in in_json), None)
        own = not (arguments.references or arguments.has_test_set)
        # A single file has nothing to compare its ids with, except scores
        can_leave_out = len(in_json) + has_ids > 1
        identified = can_leave_out or (arguments.has_scores and bool(in_json))
        # The labels to find in JSON Lines; documents are known there without being named
        # A test says what documents would change, unless --jsonl-fields id=none says that ids identify nothing
        says_documents = arguments.resamples and (opener.fields is None or opener.fields.ids != "none")
        needs_documents = arguments.needs_documents or says_documents
        # A test set knows its parts; elsewhere, labels say which there are
        has_labels = bool(in_json) or arguments.labels is not None
        asks_for_parts = arguments.detail or not (arguments.origlang is None and arguments.subset is None)
        # Documents have the labels that their segments share
        self.finds_parts = asks_for_parts and (arguments.joins_documents if arguments.has_test_set else has_labels)
        of_parts = _PARTS if self.finds_parts and not arguments.has_test_set else ()
        fields = [*arguments.by, *([DOCUMENT] if needs_documents else []), *of_parts]
        fields = list(dict.fromkeys(fields))

        def read(path: str, columns: int | None, **kind: Any) -> File:
            file = opener.open(path, columns)
            if path not in in_json:
                return file
            return JsonLines(file, opener.fields, identified=identified, labels=fields, pair=arguments.pair, **kind)

        # As in sacreBLEU, tabs separate systems only on standard input, and references only with --num-refs
        columns, split = arguments.num_refs or 0, None if arguments.systems is None else 0
        self.references = [read(path, columns, hypotheses=False) for path in arguments.references]
        self._all = [read(path, split, references=own, demanded=path == first) for path in paths]
        super().__init__(Systems(arguments.names, lambda: list(map(entry_of, self._all))), arguments.by, arguments.unit)
        self._label_file: TextFile | None = None
        if arguments.labels is not None:
            if arguments.labels == "-":
                raise UsageError("--labels cannot read standard input; save the labels in a file, and name it")
            name = shown(arguments.labels)
            path, encoding = arguments.labels, arguments.encoding
            self._label_file = TextFile(name, path, encoding=encoding, columns=None, mark="dropped")
        self._name_of_marks = (
            shown(arguments.labels) if arguments.labels is not None else ", ".join(map(shown, in_json))
        )
        self._labels: Labels | None = None  # those of the segments that have been read
        if identified:
            from bleucli.counting.joining import Joining

            self._joining = Joining(arguments.partial)
        self._files = self._all  # without those that --keep-going leaves out
        # The blocks of files that were read and cannot be read again
        self._kept: Mapping[File, Kept] = {}
        self._is_surveyed = False
        self._tabs: _Tabs | None = None  # those of a single reference file, which -nr would split
        if arguments.num_refs is None and len(self.references) == 1 and isinstance(self.references[0], TextFile):
            self._tabs = _Tabs()
        opener.check(self._all, self.references)
        if arguments.partial and not can_leave_out:
            raise UsageError(
                "--partial joins JSON Lines by their ids, but fewer than two files are JSON Lines; leave it out"
            )

    # --- counting

    def _read(self) -> Corpus:
        """Return systems and references, which can be read once."""
        if self._defers_check and not self._is_surveyed:
            self._is_unchecked = any(file.is_packed() for file in (*self._files, *self.references))
        if not self._is_unchecked:
            self._check_lengths()
        references = [
            source_of(file, [file.name] * file.columns(), self._blocks(file), has_hypotheses=False)
            for file in self._ordered_references()
        ]
        corpus = Corpus(self._sources(), [*references, *self._label_sources()], joining=self._joining)
        if self._arguments.joins_documents:
            from bleucli.counting.groups import join_documents

            corpus = corpus._replace(documents=join_documents)
        if names := corpus.label_names():
            if "system" in names:
                raise UsageError("a label cannot be called system, as the column of systems is; rename it")
            from bleucli.text.labels import Labels

            self._labels = Labels(names)
            corpus = corpus._replace(labels=self._labels)
        return corpus

    def _sources(self) -> list[Source]:
        """Return the systems by their names in scores."""
        names = iter(self.systems.names())
        return [
            source_of(
                file, list(islice(names, file.columns())), self._blocks(file, self._remedy), _own_references(file)
            )
            for file in self._files
        ]

    def _label_sources(self) -> list[Source]:
        """Return the labels that come with the texts, without those in JSON Lines."""
        if self._label_file is None:
            return []
        names, blocks = _read_labels(self._label_file, self._arguments.label_names)
        return [Source(self._label_file.name, [], blocks, hurry=self._label_file.hurry, labels=names)]

    def _ordered_references(self) -> list[File]:
        """Return the references; a file whose number of references may vary comes last."""
        return sorted(self.references, key=lambda file: isinstance(file, JsonLines))

    def _blocks(self, file: File, remedy: str = "") -> Iterator[Sequence[Segments]]:
        copy = self._kept.get(file)
        blocks = checked(file, file.blocks() if copy is None else copy.read_again(), remedy)
        return blocks if self._tabs is None else self._tabs.watch(blocks, file in self.references)

    # --- parts and labels

    @property
    def selection(self) -> Selection | None:
        """The segments asked for, and for --detail those of each original language, domain and country.

        Unless a test set names them, they are known once all texts have been read.
        """
        origlang, subset, detail = self._arguments.origlang, self._arguments.subset, self._arguments.detail
        is_known = self.finds_parts or self._arguments.has_test_set
        if not is_known or (origlang is None and subset is None and not detail):
            return None
        from bleucli.scoring import Selection, Subset
        from bleucli.testsets import selection

        marks = self._marks()
        indexes = None
        if origlang is not None or subset is not None:
            indexes = selection.choose(marks, origlang, subset, self._name_of_marks)
        parts = [Subset(*group) for group in selection.groups(marks, origlang, subset)] if detail else []
        return Selection(indexes, parts, self._check_count) if parts or indexes is not None else None

    def _check_count(self, segments: int) -> None:
        """Refuse a test set whose numbers of marks and of segments differ; labels are read in step with the texts."""
        from bleucli.testsets import selection

        marks = selection.count(self._marks())
        if segments != marks:
            raise BleuError(
                f"the test set has {tell_count(segments, 'segment')}, but original languages or domains for {marks};"
                f" {selection.AGAIN}"
            )

    def _marks(self) -> Marks:
        """Return what the labels say about original languages, domains and countries."""
        from bleucli.testsets.selection import Marks

        columns = {
            name: [label or "" for label in column]
            for name, column in (self._labels.columns if self._labels is not None else {}).items()
            if name in _PARTS and any(label is not None for label in column)
        }
        domains, countries = columns.get("domain"), columns.get("country")
        subsets = None
        if domains is not None or countries is not None:
            empty = [""] * len(domains or countries or ())
            pairs = zip(countries or empty, domains or empty, strict=True)
            subsets = [[*([f"country:{one}"] if one else []), *([other] if other else [])] for one, other in pairs]
        tags = None if subsets is None else ["-".join(name.removeprefix("country:") for name in of) for of in subsets]
        return Marks(columns.get("origlang"), tags, subsets)

    def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return the labels of some segments: those of the file of labels, and those that were asked for."""
        columns = {} if self._labels is None else self._labels.columns
        labels: dict[str, Sequence[Any]] = {
            name: column[start : start + count]
            for name, column in columns.items()
            if name != DOCUMENT or any(label is not None for label in column)
        }
        return labels | ({JOINED: [DOCUMENT] * count} if self._arguments.joins_documents else {})

    # --- what does not fit

    def _check_lengths(self) -> None:
        """Compare the numbers of segments, where files can be read twice, unless that was done already."""
        files = [*self._files, *self.references]
        # Files with ids may have other items, and joining them says which
        have_ids = self._joining and all(isinstance(file, JsonLines) and file.identified for file in files)
        # With a remedy, a reference may be meant as the system, which shows if standard input is empty
        if self._is_surveyed or self._remedy or have_ids or sum(file.is_file for file in files) < 2:
            return
        from bleucli.cli.sources import lengths

        try:
            lengths.check(self._files, self._ordered_references())
        except LengthError as error:
            raise self.explain(error) from None

    def explain(self, error: BleuError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments, or ids, where the texts show it."""
        if self._is_unchecked:  # where numbers differ, that says more than other errors
            self._is_unchecked = False
            self._check_lengths()
        if isinstance(error, IdsDifferError):
            for file in (*self._ordered_references(), *self._files):
                if isinstance(file, JsonLines) and file.is_file and not self._arguments.pair and len(file.pairs()) > 1:
                    several = f"; {file.name} has items of {join_words(file.pairs())}: choose one pair with -l"
                    return BleuError(*error.parts, several)
            return error
        if not isinstance(error, LengthError):
            return error
        from bleucli.cli.sources import lengths

        files = [*self._files, *self._ordered_references()]
        return lengths.explain([*files, *filter(None, [self._label_file])], error, self.locates)

    def leave_out(self, reported: bool = False) -> None:
        """Leave out the systems that cannot be scored, for --keep-going; `systems.failures` then says why.

        reported: whether a report names what is left out, even if that is the only file of systems.
        """
        self.systems.names()  # refuses wrong names before any text is read
        # Without a system in the words, the references may be what is wrong
        if len(self._all) == 1 and (not reported or self._remedy):
            self._check_lengths()
        else:
            self.survey()
        self._is_surveyed = True

    def survey(self) -> None:
        """Read all texts to see which systems can be scored, and leave out the others."""
        from bleucli.cli.sources import lengths

        survey = lengths.Survey(self._all, self._ordered_references(), self._joining)
        try:
            failures = survey.find_failures()
        except LengthError as error:
            raise self.explain(error) from None
        for place, failure in failures.items():
            self.systems.failures[place] = self.explain(failure) if isinstance(failure, LengthError) else failure
        self._kept = survey.kept
        self._files = [file for place, file in enumerate(self._all) if place not in failures]
        self._is_surveyed = True

    # --- what is said about the files

    @property
    def texts(self) -> Sequence[tuple[str, str]]:
        """Which part was scored, how many items if some were left out, and whether these were documents."""
        part = ("origlang", self._arguments.origlang), ("subset", self._arguments.subset)
        texts = [(key, value) for key, value in part if value is not None]
        if self._joining is not None and self._joining.scored < self._joining.items:
            texts.append(("partial", f"{self._joining.scored}of{self._joining.items}"))
        if self._arguments.joins_documents:
            texts.append(("level", DOCUMENT))
        return texts

    @property
    def hints(self) -> Sequence[str]:
        """The hints about the files, once they have been read."""
        hints = [hint for file in (*self.references, *self._files) for hint in file.hints]
        if self._tabs is not None and self._tabs.columns > 1:
            remedy = f"if tabs separate references, add -nr {self._tabs.columns}"
            if self._tabs.are_numbered:
                remedy = "the first column holds only numbers; remove it, as cut -f2- does"
            hints.append(f"every line of {self.references[0].name} has a tab, and no output has one; {remedy}")
        if self._arguments.detail and (self.finds_parts or self._arguments.has_test_set) and not any(self._marks()):
            unsaid = "which language its segments were first written in, nor which domain they belong to"
            hints.append(f"--detail: {self._name_of_marks} does not say {unsaid}")
        return [*hints, self._joining.hint] if self._joining is not None and self._joining.hint else hints

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return the record of each system's file, by the system's name, and those of the references."""
        files = [file for file in self._files for _ in range(file.columns())]
        bringing = [file for file in self._files if isinstance(file, JsonLines) and file.brings_references]
        systems = dict(zip(self.systems.names(), (input_of(file, "system") for file in files), strict=True))
        return systems, [input_of(file, "reference") for file in (*self.references, *bringing)]

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return where rows come from, once all files have been read and hashed; see `Source.shards`."""
        from bleucli.scale import Shard

        systems, references = self.inputs()
        digests = [file.sha256 for file in references]
        # A checksum of JSON Lines does not identify the references alone
        if any(file.sha256 in digests for file in systems.values()):
            digests = []
        return [Shard(name, first, rows, file.sha256, digests, file.name) for name, file in systems.items()]

    def reference_count(self) -> int | None:
        """Return how many references each segment has if none is missing; None if only reading can tell."""
        if any(map(_own_references, self._files)) or any(isinstance(file, JsonLines) for file in self.references):
            return None
        return sum(file.columns() for file in self.references)

    def overview(self, segments: int) -> str:
        """Return a line that says which files are references and which are systems."""
        own = list(filter(None, map(_own_references, self._files)))
        references = ", ".join([file.name for file in self.references] or own[:1])
        names = [
            f"{file.name} ({', '.join(file.systems)})" if isinstance(file, JsonLines) and file.systems else file.name
            for file in self._files
        ]
        number = sum(file.columns() if isinstance(file, JsonLines) else 1 for file in self._files)
        many = "s" if len(self.references) > 1 else "", "s" if number > 1 else ""
        size = tell_count(segments, "segment")
        before = f"reference{many[0]} {references}, {size}" if references else size
        return f"{before}; system{many[1]} {', '.join(names)}"


class _Tabs:
    """Whether tabs may separate the references in a file: all its lines have the same number, and no output has one.

    columns: how many references each line would then have; 0 where nothing was read, 1 where they do not.
    are_numbered: whether the first column has only numbers, such as those of lines.
    """

    columns = 0
    are_numbered = True

    def watch(self, blocks: Iterator[Sequence[Segments]], are_references: bool) -> Iterator[Sequence[Segments]]:
        """Give blocks, and note their tabs."""
        for block in blocks:
            if self.columns != 1 and not are_references and any(b"\t" in bytes(texts.data) for texts in block):
                self.columns = 1
            for text in block[0] if are_references else ():
                if self.columns == 1:
                    break
                first, *others = (text or "").split("\t")
                columns = 1 + len(others)
                self.are_numbered = self.are_numbered and first.isdecimal()
                self.columns = columns if self.columns in (0, columns) else 1
            yield block


def checked(file: File, blocks: Iterator[Sequence[Segments]], remedy: str = "") -> Iterator[Sequence[Segments]]:
    """Give the blocks of a file, and hint at JSON Lines that are read as text; `remedy` is for an empty file."""
    for first in blocks:
        if isinstance(file, TextFile) and is_json_object(next(iter(first[0][:1]), None) or ""):
            how = "add --jsonl" if file.name == STDIN else "rename it to end in .jsonl"
            file.hints.append(f"{file.name} looks like JSON Lines, but was read as plain text; if it is, {how}")
        yield first
        break
    else:
        if remedy:
            raise BleuError(f"{file.name} is empty; {remedy}")
    yield from blocks


def entry_of(file: File) -> Entry:
    """Return what a file brings along."""
    if isinstance(file, JsonLines):
        return Entry(file.name, file.columns(), file.systems, True)
    return Entry(file.name, file.columns())


def input_of(file: File, role: str) -> Input:
    """Return the record of a file that was read and hashed."""
    return Input(role, file.name, file.segments, file.sha256())


def _read_labels(file: TextFile, names: Sequence[str] = ()) -> tuple[list[str], Iterator[list[Segments]]]:
    r"""Return the names of the columns in a file of labels, and the labels in blocks, one `Segments` per column.

    names: those of the columns; none if the first line has them.

    >>> from io import BytesIO
    >>> file = TextFile("labels.tsv", stream=BytesIO(b"doc\tdomain\na\tnews\nb\ttalk\n"), columns=None)
    >>> names, blocks = _read_labels(file)
    >>> names, [[list(column) for column in block] for block in blocks]
    (['doc', 'domain'], [[['a', 'b'], ['news', 'talk']]])
    """
    count = file.columns()
    blocks = file.blocks()
    if not names:
        first = next(blocks, None)
        if first is None:
            raise BleuError(f"{file.name} is empty; expected names of labels in its first line")
        names = [column[0] or "" for column in first]
        blocks = chain([[column[1:] for column in first]], blocks)
    elif len(names) != count:
        columns, labels = tell_count(count, "column"), tell_count(len(names), "name")
        raise BleuError(f"{file.name} has {columns}, but --label-names has {labels}; name each column")
    else:
        first = next(blocks, None)
        if first is not None:
            if [column[0] for column in first] == list(names):
                raise BleuError(f"{file.name} has the names of its columns in its first line; leave out --label-names")
            blocks = chain([first], blocks)
    wrong = next((name for place, name in enumerate(names) if not name or name in names[:place]), None)
    if wrong is not None:
        what = f"two columns {wrong!r}" if wrong else "a column without a name"
        raise BleuError(f"{file.name} has {what} in its first line; give each column a name of its own")
    return list(names), blocks


def _own_references(file: File) -> str:
    """Return the name of the references that come with a system, or ""."""
    return f"{file.name} (references)" if isinstance(file, JsonLines) and file.with_references else ""


# --- finding and opening files


class Files:
    """The text files that one command line names; standard input is opened at most once.

    systems: the paths of the systems; "-" is standard input. remedy: a clause that says what to do if the systems are
    empty, or "". fields: those of hypotheses and references in JSON Lines, where --jsonl-fields names them.
    """

    def __init__(self, arguments: TextArguments, stdin: IO[bytes] | None) -> None:
        self._arguments = arguments
        self._stdin = stdin
        self._is_stdin_taken = False
        self.systems = find_systems(arguments)
        self.fields: Fields | None = None
        if arguments.jsonl_fields is not None:
            from bleucli.reading.jsonfields import fields_named

            self.fields = fields_named(arguments.jsonl_fields)
        # For empty standard input: people often name references and system without -i
        references = arguments.references
        last = shown(references[-1]) if arguments.systems is None and len(references) > 1 else "-"
        self.remedy = f"if {last} is the system's output, write -i {last}" if last != "-" else ""

    def open(self, path: str, columns: int | None) -> TextFile:
        """Return a file, still unread; `columns` as for `TextFile`."""
        arguments = self._arguments
        form: dict[str, Any] = {
            "encoding": arguments.encoding,
            "columns": columns,
            # sacreBLEU reads a byte-order mark as text; before numbers and JSON, it must be removed
            "mark": "dropped" if arguments.segment_scores or read_as_jsonl(path, arguments.jsonl) else "noted",
            "among": len(self.systems) + len(arguments.references),
            "hashed": arguments.hashed,
        }
        if path != "-":
            return TextFile(shown(path), path, **form)
        if self._is_stdin_taken:
            raise UsageError("standard input can be read only once; name files for the others")
        if self._stdin is None:
            remedy = self.remedy or "pipe the system's output in, or name it with -i"
            raise BleuError(f"standard input is closed; {remedy}")
        if self._stdin.isatty():
            words = "diversity" if arguments.is_diversity else "ref.txt"
            expected = f"expected the system's output on standard input: cat system.txt | bleu {words}"
            raise BleuError(f"nothing was piped in; {self.remedy or expected}")
        self._is_stdin_taken = True
        return TextFile(STDIN, stream=self._stdin, **form)

    def check(self, systems: Sequence[File], references: Sequence[File]) -> None:
        """Refuse options that fit none of these files, a pipe given twice, and outputs that would replace a system."""
        arguments = self._arguments
        self._refuse_repeated_pipe([*arguments.references, *self.systems, *arguments.more])
        if arguments.num_refs is not None and isinstance(references[0], JsonLines):
            raise UsageError(
                f"--num-refs splits a text file, but {references[0].name} is JSON Lines; leave out --num-refs"
            )
        if arguments.jsonl and not self._is_stdin_taken:
            raise UsageError("--jsonl is for standard input, which is not read; rename files to end in .jsonl instead")
        if self.fields is not None:
            of_systems = [file for file in systems if isinstance(file, JsonLines)]
            of_references = any(isinstance(file, JsonLines) for file in references)
            if not of_systems and not of_references:
                raise UsageError(
                    "--jsonl-fields has no effect: no file is JSON Lines; rename files to end in .jsonl, or add --jsonl"
                )
            if self.fields.hypotheses and not of_systems:
                raise UsageError("--jsonl-fields hyp= has no effect: no system is JSON Lines; leave it out")
            if self.fields.references and not of_references and not any(file.with_references for file in of_systems):
                raise UsageError("--jsonl-fields refs= has no effect: no references come from JSON Lines; leave it out")
            is_alone = sum(isinstance(file, JsonLines) for file in (*systems, *references)) < 2
            if self.fields.ids and is_alone and not (arguments.pair or arguments.has_scores):
                raise UsageError(
                    "--jsonl-fields id= has no effect: fewer than two files are JSON Lines, so nothing is joined; leave"
                    " it out"
                )
            if self.fields.group and not arguments.is_diversity:
                raise UsageError("--jsonl-fields group= is for bleu diversity; leave out group=")
        if arguments.output is not None:
            from bleucli.cli.streams import protect

            # In the paths of systems, patterns have been replaced by files
            protect(arguments.output, self.systems, self._stdin if self._is_stdin_taken else None)

    def _refuse_repeated_pipe(self, paths: Sequence[str]) -> None:
        """Refuse paths that lead to the same pipe: whatever one of them reads is lost to the other, which waits."""
        pipes: dict[tuple[int, int], str] = {}
        for path in paths:
            pipe = find_pipe(self._stdin if path == "-" else path)
            if pipe is None:
                continue
            name = STDIN if path == "-" else shown(path)
            if pipe in pipes:
                other = pipes[pipe]
                what = f"{name} is a pipe that was given twice" if name == other else f"{other} and {name} are one pipe"
                raise UsageError(f"{what}, but a pipe can be read only once; save its text to a file, and name that")
            pipes[pipe] = name


def read_as_jsonl(path: str, jsonl: bool) -> bool:
    """Return whether the file that this path names is read as JSON Lines; jsonl: whether standard input is."""
    return jsonl if path == "-" else is_jsonl(path)


def find_pipe(file: str | IO[bytes] | None) -> tuple[int, int] | None:
    """Return the device and inode of a pipe or socket; None for any other file, and for none."""
    try:
        status = os.stat(file if isinstance(file, str) else file.fileno()) if file is not None else None
    except (OSError, ValueError):  # opening the file reports the error; a stream in memory has no number
        return None
    if status is None or not (stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)):
        return None
    return status.st_dev, status.st_ino


def find_systems(arguments: TextArguments) -> list[str]:
    """Return the files of the systems, with patterns replaced by the files that match."""
    systems: list[str] = []
    for path in arguments.systems or ["-"]:
        matches = [path]
        # A pattern that the shell has not replaced
        if any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path))
            if not matches:
                raise UsageError(f"no file matches {shown(path)}; name the systems' files")
        systems += matches
    if arguments.are_paired and len(set(systems)) > 1:  # the baseline may also match a pattern: -i baseline.txt *.txt
        systems = systems[:1] + [path for path in systems[1:] if path != systems[0]]
    repeated = find_repeated(systems)
    if repeated:
        raise UsageError(f"system {shown(min(repeated))} was given twice; name each system once")
    return systems
