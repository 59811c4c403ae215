"""`--baseline` with a statistics file: an earlier output that scores are compared with or tested against."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.cli import pipeline, request
from bleucli.cli.options import Options
from bleucli.cli.sources import Counting, NameArguments, statistics_arguments, statsfiles
from bleucli.cli.streams import shown
from bleucli.counting import SystemStats
from bleucli.errors import UsageError
from bleucli.gates.baselines import Baseline, baseline_of
from bleucli.results import Input
from bleucli.scoring import report_nothing


class Before:
    """What a statistics file says about an earlier output.

    Args:
        options: the options of the command; the file is the value of `--baseline`.

    Attributes:
        is_tested: whether the systems that are scored now are tested against this output.
    """

    def __init__(self, options: Options) -> None:
        self.is_tested = options.paired_bs or options.paired_ar
        self._path = shown(str(options.baseline))
        self._statistics = statsfiles.read([str(options.baseline)])
        # What the options say about names, groups and tests is about the systems that are scored now
        arguments = statistics_arguments(options)._replace(names=NameArguments(), by=(), are_tested=False)
        self._source = statsfiles.StatisticsSource(arguments, self._statistics)
        self._metrics = pipeline.choose_metrics(options, self._source, request.names_of_scores(options))

    def answer(self) -> Baseline:
        """Return the scores of the earlier output in the form of an earlier answer."""
        counts = self._source.count(Counting(self._metrics, 1, False, report_nothing))
        results = pipeline.score(counts, self._metrics, self._source.texts, None, report_nothing)
        shards = self._statistics.shards()
        systems = [shard.system for shard in shards]
        # The checksums of a shard's references do not identify the references of the whole
        references = {shard.system: shard.references for shard in shards if systems.count(shard.system) == 1}
        return baseline_of(results, self._path, references)

    def system(self, names: Sequence[str]) -> SystemStats:
        """Return the earlier output that systems with these names are tested against."""
        if self._path in names:
            raise UsageError(f"two systems would be called {self._path!r}; name systems with --names")
        return self._source.only_system(self._metrics, names)._replace(name=self._path)

    def input(self) -> Input:
        """Return the record of the file, as one of the inputs."""
        ((path, rows, digest),) = self._statistics.digests()
        return Input("statistics", path, rows, digest)
