"""Test sets: known, fetched once, never half. `demo`, a small one, comes with the package.

In the order in which to read them:

- `entries`, `formats`: what is known of each, as records, and how each format is read
- `registry`, `facts`, `own_registry`: where that stands, public or a user's own, and how it is checked
- `cache`, `cachefiles`: where files lie, and how they are written, for others may write there, too
- `addresses`, `download`, `transfer` and what it is made of, `archives`: bring files to their places, verified
- `plain`, `sgml`, `wmt_xml`: one reader a format
- `fields`, `preparation`: from a test set's name to a file for each field
- `selection`: parts of a test set
- `access`: all this for programs
"""
