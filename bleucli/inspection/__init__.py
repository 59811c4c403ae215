"""What looks wrong with texts: they are out of step, differ in length, or do not suit the metric.

- `fit`: whether an output fits its references, block by block, while it is scored
- `marks`: signs that metrics ask for, and the quick look that decides what is examined while texts are scored
- `mistakes`: a table of kinds of mistakes; `traces`, `writing`: how they are recognized; `lines`: what these compare
- `language`: lines in another language, and lines that were not translated
- `alignment`: which lines belong together, and where lines are missing or too many
- `lengths`: why two texts have different numbers of segments
"""
