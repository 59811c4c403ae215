"""The page that compares systems, and the figures for papers.

Read in this order:

- `contents`: the content of a report, as data; `verdicts`: the same in words; `rounding`: its numbers
- `passages`: the segments on a page, their tokens, and what matches
- `ngrams`: n-grams that one system gets right more often; `profiles`: curves for each system
- `charts`: the figures of the page, as data and as tables; `page`: everything in one HTML file
- `plots`: figures for papers and notebooks; `figures`: how matplotlib draws them
"""
