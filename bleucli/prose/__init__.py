"""What explanations, reports and pages share.

- `markup`: text in one line, and as HTML
- `blocks`: explanations as a few kinds of blocks, for a terminal and for a page
- `ngrams`: n-grams that texts share, counted, and marked in both
- `theme`: the palette, and the style sheet of pages
"""
