"""The command line: the only room that prints, exits, and reads arguments and the environment.

Any function here may raise a `BleuError`, whose message says what is wrong and what to do; `main` prints it in one
line. So docstrings list only errors of other kinds.
"""
