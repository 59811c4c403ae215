"""Beyond one machine: texts in tables, statistics as columns and in files, and engines that count on a cluster.

- `arrow`: batches of texts become tables of statistics, which can be added up and scored
- `layout`: the names of columns and metadata in files of statistics
- `files`: finds files of statistics and reads each
- `groups`: what their rows add up to
- `rows`: writes them
- `statsfiles`: files of statistics as a whole
- `tables`: files of texts
- `engines`: Dask, Ray and Spark
"""
