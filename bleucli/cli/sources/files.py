"""Text files and JSON Lines: systems and references, read in step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from bleucli.cli.sources import Counted, Entry, Systems, lengths
from bleucli.cli.sources.paths import STDIN, Files, read_as_jsonl
from bleucli.cli.streams import Environment
from bleucli.counting import Part, count, count_blocks
from bleucli.counting.corpus import Corpus, Kept, Source
from bleucli.errors import BleuError, LengthError
from bleucli.inspection.marks import is_json_object
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines
from bleucli.results import Input
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.cli.sources import Keeper, Progress
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric
    from bleucli.scale.layout import Shard
    from bleucli.scoring import Selection


class FileSource:
    """The text files of one run.

    Args:
        options: the options of the command, which name the files.
        environment: the world around the command, with its standard input.
        hashed: whether files are hashed as they are read, for `inputs`.

    Attributes:
        references: the files of the references.
        remembers, read_again: see `Texts`.
    """

    remembers = False
    read_again: Callable[[], Corpus]

    def __init__(self, options: Options, environment: Environment, hashed: bool = False) -> None:
        opener = Files(options, environment, hashed)
        self._remedy = opener.remedy
        paths = opener.systems
        first = next((path for path in paths if read_as_jsonl(path, options)), None)
        own = not (options.refs or options.test_set)
        # A single file has nothing to compare its ids with
        identified = sum(read_as_jsonl(path, options) for path in [*options.refs, *paths]) > 1

        def read(path: str, columns: int | None, **kind: bool) -> TextFile | JsonLines:
            file = opener.open(path, columns)
            if not read_as_jsonl(path, options):
                return file
            return JsonLines(file, opener.fields, identified=identified, **kind)

        # As in sacreBLEU, tabs separate systems only on standard input, and references only with --num-refs
        columns, split = options.num_refs or 0, None if options.input is None else 0
        self.references = [read(path, columns, hypotheses=False) for path in options.refs]
        self._all = [read(path, split, references=own, demanded=path == first) for path in paths]
        self._files = self._all  # without those that --keep-going leaves out
        # The blocks of files that were read and cannot be read again
        self._kept: Mapping[TextFile | JsonLines, Kept] = {}
        self._is_surveyed = False
        self._are_numbers = options.segment_scores
        self.systems = Systems(options, lambda: list(map(entry_of, self._all)))
        opener.check(self._all, self.references)

    # --- counting

    def count(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        keep_rows: bool,
        progress: Progress,
        keeper: Keeper | None = None,
    ) -> Counted:
        """Count all systems; see `Source.count`. For --segment-scores, read the numbers instead.

        Raises:
            BleuError: the files do not have the same number of segments, or one of them is wrong.
        """
        try:
            if self._are_numbers:
                from bleucli.scale import segment_scores

                self._check_lengths()
                numbers = segment_scores.read(self._sources(), progress)
                systems = segment_scores.stats_of(numbers)
                if keeper is not None:
                    keep(keeper, systems)
                return Counted([Part((), systems)], are_numbers=True)
            corpus, selection = self.corpus(), self.selection()
            references = corpus.reference_names()
            systems = count(
                corpus,
                metrics,
                jobs=jobs,
                keep_rows=keep_rows or selection is not None,
                inspect=True,
                progress=lambda done: progress("segments", done, 0),
                keep=None if keeper is None else lambda block: keep(keeper, block),
            )
            return Counted([Part((), systems)], references=references, selection=selection)
        except LengthError as error:
            raise self.explain(error) from None

    def blocks(self, metric: Metric, jobs: int | None) -> Iterator[list[SystemStats]]:
        """Give the statistics of the only system, with rows, block by block.

        Raises:
            BleuError: as for `count`.
        """
        try:
            yield from count_blocks(self.corpus(), [metric], jobs=jobs)
        except LengthError as error:
            raise self.explain(error) from None

    def corpus(self) -> Corpus:
        """Return systems and references, which can be read once.

        Raises:
            BleuError: files that can be read twice do not have the same number of segments.
        """
        self._check_lengths()
        corpus = Corpus(self._sources(), self._reference_sources())
        if self.remembers:
            corpus, self.read_again = corpus.kept()
        return corpus

    def selection(self) -> Selection | None:
        """Return None: files are scored as a whole."""
        return None

    def labels(self, start: int, count: int) -> Mapping[str, Sequence[object] | str]:
        """Return nothing: text files have no labels."""
        return {}

    def sources(self) -> Callable[[], Iterator[str]] | None:
        """Return None: no file holds the source."""
        return None

    def _sources(self) -> list[Source]:
        """Return the systems by their names in scores."""
        names = iter(self.systems.names())
        return [
            Source(
                file.name,
                list(islice(names, file.columns())),
                self._blocks(file, self._remedy),
                _own_references(file),
                file.hurry,
                file.id_columns if isinstance(file, JsonLines) else 0,
            )
            for file in self._files
        ]

    def _reference_sources(self) -> list[Source]:
        return [
            Source(
                file.name,
                [file.name] * file.columns(),
                self._blocks(file),
                hurry=file.hurry,
                ids=file.id_columns if isinstance(file, JsonLines) else 0,
            )
            for file in self._ordered_references()
        ]

    def _ordered_references(self) -> list[TextFile | JsonLines]:
        """Return the references; a file whose number of references may vary comes last."""
        return sorted(self.references, key=lambda file: isinstance(file, JsonLines))

    def _blocks(self, file: TextFile | JsonLines, remedy: str = "") -> Iterator[Sequence[Segments]]:
        kept = self._kept.get(file)
        return checked(file, file.blocks() if kept is None else kept.read_again(), remedy)

    # --- what does not fit

    def _check_lengths(self) -> None:
        """Compare the numbers of segments, where files can be read twice, unless that was done already.

        Raises:
            BleuError: two differ.
        """
        # With a remedy, a reference may be meant as the system, which shows if standard input is empty
        if self._is_surveyed or self._remedy:
            return
        try:
            lengths.check(self._files, self._ordered_references())
        except LengthError as error:
            raise self.explain(error) from None

    def explain(self, error: LengthError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments, where plain text shows it."""
        return lengths.explain([*self._files, *self._ordered_references()], error)

    def leave_out(self, reported: bool = False) -> None:
        """Leave out the systems that cannot be scored, for --keep-going; `systems.failures` then says why.

        Args:
            reported: whether a report names what is left out, even if that is the only file of systems.

        Raises:
            BleuError: the references are wrong; or the only file of systems is wrong, and not reported.
        """
        self.systems.names()  # refuses wrong names before any text is read
        # Without a system in the words, the references may be what is wrong
        if len(self._all) == 1 and (not reported or self._remedy):
            self._check_lengths()
        else:
            self.survey()
        self._is_surveyed = True

    def survey(self) -> None:
        """Read all texts to see which systems can be scored, and leave out the others.

        Raises:
            BleuError: the references are wrong.
        """
        from bleucli.cli.sources.keep_going import Survey

        survey = Survey(self._all, self._ordered_references())
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

    def texts(self) -> Mapping[str, str]:
        """Return nothing: signatures do not name files."""
        return {}

    def columns(self) -> list[tuple[str, str]]:
        """Return nothing: text files have no labels."""
        return []

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return the record of each system's file, by the system's name, and those of the references."""
        files = [file for file in self._files for _ in range(file.columns())]
        bringing = [file for file in self._files if isinstance(file, JsonLines) and file.brings_references]
        systems = dict(zip(self.systems.names(), (input_of(file, "system") for file in files), strict=True))
        return systems, [input_of(file, "reference") for file in (*self.references, *bringing)]

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return where rows come from, once all files have been read and hashed; see `Source.shards`."""
        from bleucli.scale.layout import Shard

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

    def hints(self) -> list[str]:
        """Return the hints about the files, once they have been read."""
        return [hint for file in (*self.references, *self._files) for hint in file.hints]


def checked(
    file: TextFile | JsonLines, blocks: Iterator[Sequence[Segments]], remedy: str = ""
) -> Iterator[Sequence[Segments]]:
    """Give the blocks of a file, and hint at JSON Lines that are read as text; `remedy` is for an empty file.

    Raises:
        BleuError: the file is empty, and there is a remedy.
    """
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


def entry_of(file: TextFile | JsonLines) -> Entry:
    """Return what a file brings along."""
    if isinstance(file, JsonLines):
        return Entry(file.name, file.columns(), file.systems, True)
    return Entry(file.name, file.columns())


def keep(keeper: Keeper, block: Sequence[SystemStats]) -> None:
    """Give a keeper the next segments, which belong to no group."""
    keeper.keep_rows(block)
    keeper.keep_sums(block, ())


def input_of(file: TextFile | JsonLines, role: str) -> Input:
    """Return the record of a file that was read and hashed."""
    return Input(role, file.name, file.segments, file.sha256())


def _own_references(file: TextFile | JsonLines) -> str:
    """Return the name of the references that come with a system, or ""."""
    return f"{file.name} (references)" if isinstance(file, JsonLines) and file.with_references else ""
