"""Test sets, which are downloaded once, completely or not at all. A small one, `demo`, comes with the package.

In the order in which to read them:

- `sources`, `formats`: downloads and test sets as immutable records, and a reader for each format
- `wmt_xml`, `items`: the readers of the XML files of WMT since 2021, and of JSON Lines
- `registry`, `facts`: the test sets by name, public or the user's own; how their facts become records
- `cache`, `cachefiles`: where files are, and how they are written safely where other users may write, too
- `fetch`, `network`: how a file is downloaded, verified and put in its place; one request
- `archives`: how the files that are wanted are unpacked
- `preparation`: from a test set's name to the files of its fields
- `selection`: parts of a test set
- `access`: the functions that programs call
"""
