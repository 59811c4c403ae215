"""Many language pairs at once: systems by pairs, with averages.

- `plan`: which files a TOML file names, by pair and system
- `scoring`: the scores of all pairs, and their averages; from Python, `score_matrix` does both
"""
