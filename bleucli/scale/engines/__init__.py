"""Scoring texts where they are: Dask, Ray and Spark, each a thin module around `bleucli.arrow.stats_table`.

- `dask`, `ray`, `spark`: `score(dataset, ...)` for your own pipeline; `count`, which `bleu --engine` calls
- `work`: how each partition is counted, and how the sums of all partitions are added up
- `partitions`: the files, and the number of segments in each

An engine distributes partitions over its workers, repeats the work of a worker that dies, and adds up the sums. These
modules leave all of that to the engine. Only the metrics (a few hundred bytes) and one row of sums per key are sent.
"""

# Each is also the name of the extra that installs it
from __future__ import annotations

ENGINES = ("dask", "ray", "spark")
