"""Files of statistics: counts in Parquet files, which can be scored, tested, grouped and added up without the texts.

- `write` writes the statistics of systems; `Writer` does so block by block; `write_sums` writes the sums of groups
- `read` reads files, which may be shards of one corpus, as `Statistics`
- `layout`, `writing`, `reading`, `rows`, `contents`: the modules that do the work, in the order in which to read them

Layout, version 1. One row per segment of a system: `system`; `testset`, `langpair` and any other columns that identify
segments or make groups; `segment`, its index from 0; `refs`, the number of its references; then for each metric its
signature and its statistics, as in `bleucli.arrow`. A file of sums has one row per group instead, with `segments`,
`refs_min` and `refs_max`. Signatures are a column because every tool keeps columns, but not every tool keeps metadata.
The metadata says where the rows come from; no score depends on it.

>>> import os, tempfile
>>> from bleucli import BLEU
>>> folder = tempfile.TemporaryDirectory()
>>> path = os.path.join(folder.name, "dog.parquet")
>>> texts = ["The dog bit the man.", "It was not unexpected."], [["The dog bit the man.", "It wasn't surprising."]]
>>> write(path, {"dog": BLEU().corpus_stats(*texts, keep_rows=True)})
>>> statistics = read(path)
>>> statistics.systems, statistics.stats("dog").score()
(['dog'], BLEU = 61.01 72.7/55.6/57.1/60.0 (BP = 1.000 ratio = 1.100 hyp_len = 11 ref_len = 10))
"""

from __future__ import annotations

from bleucli.errors import BleuError
from bleucli.limits import file_path
from bleucli.statsfiles.contents import Statistics
from bleucli.statsfiles.layout import Shard
from bleucli.statsfiles.reading import StatsFile, find_files
from bleucli.statsfiles.rows import check_references
from bleucli.statsfiles.writing import Part, Writer, write, write_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

__all__ = ["Part", "Shard", "Statistics", "Writer", "check_references", "find_files", "read", "write", "write_sums"]


def read(*paths: str | os.PathLike[str]) -> Statistics:
    """Return the statistics in files, which may be shards of one corpus, in any order.

    Args:
        paths: files, folders of such files, or patterns such as `shards/*.parquet`.

    Raises:
        BleuError: a file does not exist, is damaged, holds no statistics, or has a newer layout; a pattern or folder
            has no file; no path is given; or pyarrow is not installed.
        InputTypeError: a path is neither a string nor a path.

    >>> import os, tempfile
    >>> from bleucli import CHRF
    >>> folder = tempfile.TemporaryDirectory()
    >>> for first, text in enumerate(["The cat sat.", "A cat sat."]):
    ...     stats = CHRF().corpus_stats([text], [["The cat sat."]], keep_rows=True)
    ...     write(os.path.join(folder.name, f"{first}.parquet"), {"cat": stats}, first=first)
    >>> read(os.path.join(folder.name, "*.parquet")).stats("cat").score()
    chrF2 = 81.13
    """
    if not paths:
        raise BleuError("no file was given; name at least one file of statistics")
    return Statistics([StatsFile(path) for path in find_files(map(file_path, paths))])
