"""The command: `bleu`, or `python -m bleucli`."""

import sys


def main() -> int:
    """Run the command on the words of the command line and return its exit status."""
    from bleucli.cli.streams import Environment
    from bleucli.errors import BleuError

    try:
        from bleucli.cli.commands import run

        return run(sys.argv[1:], Environment.of_process())
    except BleuError as error:  # the kernels that were demanded are not there
        Environment.of_process().say("error", str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
