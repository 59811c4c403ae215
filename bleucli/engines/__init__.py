"""The same scores where the texts are: Dask, Ray and Spark, each a thin module around `bleucli.arrow.stats_table`.

- `dask`, `ray`, `spark`: `score(dataset, ...)` of one's own pipeline; `count`, which `bleu --engine` calls
- `work`: what is done to each partition, and what the sums become
- `partitions`: which files there are, and how many segments they have

An engine spreads partitions over its workers, tries again where one dies, and adds up. What travels is the metrics, a
few hundred bytes, and one row of sums for each key; nothing of an engine is imitated here.
"""

# Each is also the name of the extra that installs it
ENGINES = ("dask", "ray", "spark")
