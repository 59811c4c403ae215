"""The command line: the only room that prints, exits, and reads arguments and the environment.

- `main`: reads the arguments, finds the command, and turns errors into one line and an exit status
- `options`: every option, as a record; `parser`, `arguments`: what was typed, by argparse or by a faster reader
- `request`: what the options ask for, as typed arguments; it alone judges what goes together
- `scoring`: `bleu` itself; `commands`: the other jobs, each a record and a function
- `sources`: where texts and statistics come from; `pipeline`: opens them, scores, tests and judges
- `streams`: what goes in and out: standard streams, answers in files, the progress bar
"""
