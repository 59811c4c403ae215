"""What explanations, reports and pages share.

- `markup`: text in one line, and as HTML
- `blocks`: explanations as a few kinds of blocks, for a terminal and for a page
- `highlights`: n-grams that two texts share, marked in both
- `theme`: the palette, and the style sheet of pages
"""
