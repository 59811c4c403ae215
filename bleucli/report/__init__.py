"""The page that compares systems, and the figures for papers.

To be read in this order:

- `contents`: what a report tells, as data; `verdicts`: the same in words
- `passages`: which segments a page holds, and where their tokens are; `ngrams`: which n-grams one system gets right
- `figures`: drawings by matplotlib; `drawings`: as SVG that is part of a page, or as files
- `page`: everything in one HTML file
"""
