"""The page that compares systems, and the figures for papers.

Read in this order:

- `contents`: the content of a report, as data; `verdicts`: the same in words
- `passages`: the segments on a page, their tokens, what matches, and n-grams that one system gets right more often
- `charts`: the figures of the page, as data and as tables; `page`: everything in one HTML file
- `matrix`: the page about many language pairs
- `plots`: figures for papers and notebooks, drawn by matplotlib
"""
