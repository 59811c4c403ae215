"""Systems and references as texts, read in step.

- `TextSource`: how texts are counted, whatever they come from
- `FileSource`: text files and JSON Lines
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain, islice

from bleucli.cli.sources import JOINED, Counted, Counting, Entry, Systems, TextArguments, keep_groups
from bleucli.cli.sources.paths import STDIN, Files, read_as_jsonl, source_of
from bleucli.cli.streams import shown
from bleucli.counting import CorpusStats, Part, SystemStats, count, count_blocks
from bleucli.counting.corpus import Corpus, Kept, Piece, Source, in_step
from bleucli.errors import BleuError, IdsDifferError, LengthError, UsageError
from bleucli.inspection.marks import is_json_object
from bleucli.limits import read_number
from bleucli.phrases import join_words, tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines
from bleucli.results import Input
from bleucli.text import DOCUMENT, Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO, Any

    from bleucli.cli.sources import Keeper
    from bleucli.cli.sources.paths import File
    from bleucli.counting.groups import Grouping
    from bleucli.counting.joining import Joining
    from bleucli.metrics import Metric
    from bleucli.scale import Shard
    from bleucli.scoring import Selection
    from bleucli.testsets.selection import Marks
    from bleucli.text.labels import Labels

# The labels that name parts of texts
_PARTS = ("origlang", "domain", "country")


class TextSource(ABC):
    """Systems and references as texts; subclasses say where these come from, and what is known of segments.

    Args:
        systems: what the systems are called.
        by: the labels that the segments of a group share; none for one group.
        unit: the label of what is resampled as a whole, or "segment".

    Attributes:
        remembers, read_again, sources: see `bleucli.cli.sources.Texts`.
    """

    remembers = False
    read_again: Callable[[], Corpus]

    finds_parts = False  # whether labels that are read with the texts say which part of them is scored

    def __init__(self, systems: Systems, by: Sequence[str], unit: str = "segment") -> None:
        self.systems = systems
        self.sources: Callable[[], Iterator[str]] | None = None
        self._by = by
        self._unit = unit
        # Unpacking files takes long, so what counts them compares the lengths of packed ones only if something is wrong
        self._defers_check = self._is_unchecked = False
        self._in_blocks = False  # whether labels are known only while blocks are counted
        self._joining: Joining | None = None

    @abstractmethod
    def _read(self) -> Corpus:
        """Return systems and references, which can be read once."""

    @abstractmethod
    def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return what is known of some segments beside their texts: columns, with a label for each segment."""

    @property
    def selection(self) -> Selection | None:
        """The part of the corpus that is scored; None for everything."""
        return None

    def explain(self, error: BleuError) -> BleuError:
        """Return an error; one about numbers of segments, or about ids, says the likely cause if that can be told."""
        return error

    def corpus(self) -> Corpus:
        """Return systems and references, which can be read once."""
        corpus = self._read()
        if self.remembers:
            corpus, self.read_again = corpus.kept()
        return corpus

    def count(self, counting: Counting) -> Counted:
        """Count all systems, on all segments together or group by group; see `bleucli.cli.sources.Source.count`."""
        metrics, jobs, keep_rows, progress, keeper, is_grouped = counting
        by = self._by if is_grouped else ()
        self._defers_check = True
        try:
            corpus = self.corpus()
            references = corpus.reference_names()
            selection = None if self.finds_parts else self.selection
            grouping = None
            if self._in_blocks or (by and not self.finds_parts):
                grouping = self._group(by, keep_rows, selection)
            keeps = keeper is not None or grouping is not None
            systems = count(
                corpus,
                metrics,
                jobs=jobs,
                keep_rows=grouping is None and (keep_rows or self.finds_parts or selection is not None),
                inspect=True,
                progress=lambda done: progress("segments", done, 0),
                keep=(lambda block: self._keep(block, by, keeper, grouping)) if keeps else None,
            )
            self._note_partial()
            segments = systems[0].stats[0].segments
            selection = self.selection if self.finds_parts else selection
            if not by:
                part = Part((), systems) if grouping is None else grouping.parts()[0]
                part = part._replace(documents=self._documents(segments) if keep_rows or keeps else None)
                return Counted([part], references=references, selection=selection)
            if not self._in_blocks:
                refuse_empty(self.labels(0, segments), by)
            if grouping is None:  # the part is known only now
                grouping = self._group(by, keep_rows, selection)
                grouping.add(systems, self.labels(0, segments))
                systems, references = [system.without_rows() for system in systems], []
            from bleucli.scoring import score_counted

            hints = score_counted(systems, metrics, references=references).hints
            return Counted(keep_groups(grouping.parts(), keeper), grouped=True, hints=hints)
        except BleuError as error:
            raise self.explain(error) from None

    def _group(self, by: Sequence[str], keep_rows: bool, selection: Selection | None) -> Grouping:
        from bleucli.counting.groups import Grouping

        return Grouping(by, keep_rows, self._unit, selection and selection.indexes)

    def _keep(
        self, block: list[SystemStats], by: Sequence[str], keeper: Keeper | None, grouping: Grouping | None
    ) -> None:
        """Hand on what was counted of the next segments."""
        columns = self._labels_of_block(grouping.segments, block[0].stats[0].segments) if grouping is not None else {}
        if keeper is not None:
            keeper.keep_rows(block)
            if not by:  # groups have sums of their own, in the end
                keeper.keep_sums(block, ())
        if grouping is not None:
            grouping.add(block, columns)

    def blocks(
        self, metrics: Sequence[Metric], jobs: int | None, with_texts: bool
    ) -> Iterator[tuple[Piece | None, list[SystemStats]]]:
        """Give the statistics of all systems, with rows, block by block; see `bleucli.cli.sources.Rows.blocks`."""
        self._defers_check = True
        try:
            for piece, block in count_blocks(self.corpus(), metrics, jobs=jobs):
                yield piece if with_texts else None, block
            self._note_partial()
        except BleuError as error:
            raise self.explain(error) from None

    def _labels_of_block(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return the labels that make groups of some segments, which come next."""
        return self.labels(start, count)

    def _documents(self, count: int) -> Sequence[int] | None:
        """Return the number of each segment's document; None if documents are not known."""
        from bleucli.text import labels

        try:
            documents = labels.find(self.labels(0, count), DOCUMENT)
        except UsageError:
            documents = ()
        if documents and None not in documents:
            return labels.number(documents)
        if self._unit == "segment":
            return None
        labels.check_documents(documents)
        raise UsageError(
            "--unit doc resamples documents, but nothing says which document a segment belongs to; name a file with"
            " --labels that has a column doc"
        )

    def _note_partial(self) -> None:
        """Note how many items were left out because a file lacks them, and which have no reference."""
        if self._joining is None or not (self._joining.strangers or self._joining.scored < self._joining.items):
            return
        from bleucli.errors import Note
        from bleucli.results.hints import warn

        for sentence in self._joining.strangers:
            warn(f"{sentence}; left out", Note)
        if self._joining.scored == self._joining.items:
            return
        left = self._joining.items - self._joining.scored
        items = tell_count(self._joining.items, "item")
        warn(f"{left} of {items} left out, because a file lacks {'it' if left == 1 else 'them'}", Note)


class FileSource(TextSource):
    """The text files of one run.

    Args:
        arguments: which files, and how they are read.
        stdin: standard input; None if it is closed.
        has_ids: whether references from elsewhere have ids.

    Attributes:
        references: the files of the references.
        locates: whether an error about numbers of segments names all places where lines are missing or too many.
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

        Args:
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
            hints.append(
                f"every line of {self.references[0].name} has a tab, and no output has one; if tabs separate"
                f" references, add -nr {self._tabs.columns}"
            )
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

    Attributes:
        columns: how many references each line would then have; 0 where nothing was read, 1 where they do not.
    """

    columns = 0

    def watch(self, blocks: Iterator[Sequence[Segments]], are_references: bool) -> Iterator[Sequence[Segments]]:
        """Give blocks, and note their tabs."""
        for block in blocks:
            if self.columns != 1:
                self._note(block, are_references)
            yield block

    def _note(self, block: Sequence[Segments], are_references: bool) -> None:
        if not are_references:
            if any(b"\t" in bytes(texts.data) for texts in block):
                self.columns = 1
            return
        for text in block[0]:
            columns = (text or "").count("\t") + 1
            if self.columns not in (0, columns):
                columns = 1
            self.columns = columns
            if columns == 1:
                break


class NumberSource(FileSource):
    """Files with one number per line, for --segment-scores: scores of segments that something else has computed."""

    def count(self, counting: Counting) -> Counted:
        """Read the numbers; see `bleucli.cli.sources.Source.count`."""
        from array import array

        from bleucli.metrics.segment_scores import column_of

        (metric,) = counting.metrics
        self._check_lengths()
        try:
            sources = self._sources()
            names = [name for source in sources for name in source.names]
            columns = [array("d") for _ in names]
            for pieces in in_step(sources):
                start = len(columns[0])
                texts = (text for piece in pieces for text in piece)
                for column, name, block in zip(columns, names, texts, strict=True):
                    column.extend(_numbers(block, name, start))
                counting.progress("segments", len(columns[0]), 0)
            numbers = dict(zip(names, columns, strict=True))
        except LengthError as error:
            raise self.explain(error) from None
        nrefs = array("i", bytes(4 * len(next(iter(numbers.values())))))  # there are no references
        systems = [
            SystemStats(name, [CorpusStats.of_rows(metric, column_of(name, column).rows, nrefs)], None)
            for name, column in numbers.items()
        ]
        if counting.keeper is not None:
            counting.keeper.keep_rows(systems)
            counting.keeper.keep_sums(systems, ())
        return Counted([Part((), systems)])


def _numbers(texts: Segments, name: str, start: int) -> Iterator[float]:
    """Give the numbers in lines; start: how many lines precede them."""
    from bleucli.metrics.segment_scores import LARGEST

    for line, text in enumerate(texts, start + 1):
        try:
            number = read_number(text or "")
        except ValueError:
            number = float("nan")
        if not -LARGEST <= number <= LARGEST:
            raise BleuError(
                f"{name}, line {line}: {text!r} is not a number from -1e100 to 1e100; expected one score per line"
            )
        yield number


def refuse_empty(labels: Mapping[str, Sequence[Any]], by: Sequence[str]) -> None:
    """Refuse groups by labels that no segment has."""
    for name in by:
        if name in labels and not any(label is not None for label in labels[name]):
            raise UsageError(f"no segment has a label {name!r}; name a field that items have, or add --labels FILE")


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

    Args:
        file: a file with as many columns as its first line has, and without a byte-order mark.
        names: the names of the columns; none if the first line has them.

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
