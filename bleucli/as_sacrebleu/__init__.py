"""A package named `sacrebleu`, off the path unless asked for, so that programs that import sacreBLEU run unchanged.

`python -m bleucli.as_sacrebleu PROGRAM ARGS...`, or `-m MODULE ARGS...`, runs a program with it, and so does
`PYTHONPATH=$(bleu --sacrebleu-path)`.

The package is in `path/sacrebleu`: the modules of sacreBLEU 2.6.0, with its public names and those private ones that
programs were seen to use.
"""
