"""Test sets, which are downloaded once, completely or not at all. A small one, `demo`, comes with the package.

In the order in which to read them:

- `entries`, `formats`: the facts about each, as records, and how each format is read
- `registry`, `facts`, `own_registry`: where these facts come from (public or the user's own), and how they are checked
- `cache`, `cachefiles`: where files are, and how they are written safely where other users may write, too
- `addresses`, `download`, `transfer` and its parts, `archives`: how files are fetched, verified and put in place
- `plain`, `sgml`, `wmt_xml`: one reader for each format
- `fields`, `preparation`: from a test set's name to a file for each field
- `selection`: parts of a test set
- `access`: the functions that programs call
"""
