"""The page that compares systems, and the figures for papers.

Read in this order:

- `contents`: the content of a report, as data; `verdicts`: the same in words
- `passages`: the segments on a page, their tokens, and what matches
- `ngrams`: n-grams that one system gets right more often; `profiles`: curves for each system
- `figures`: drawings by matplotlib; `sketches`: one figure for a paper; `drawings`: figures as SVG or as files
- `page`: everything in one HTML file
"""
