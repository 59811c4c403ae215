"""A package named `sacrebleu`, with which programs that import sacreBLEU run unchanged; not on the path by default.

`python -m bleucli.as_sacrebleu PROGRAM ARGS...`, or `-m MODULE ARGS...`, runs a program with it. Setting
`PYTHONPATH=$(bleu --sacrebleu-path)` has the same effect.

The package is in `path/sacrebleu`. It has the modules of sacreBLEU 2.6.0, with its public names and those private names
that programs are known to use.
"""
