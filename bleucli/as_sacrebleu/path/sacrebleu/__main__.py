"""The command: `python -m sacrebleu`, or `sacrebleu`."""

from __future__ import annotations

import sys

from bleucli.alias import VERSION


def main() -> int:
    """Run the command of bleucli on the words of the command line, and return its status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"sacrebleu {VERSION}")
        return 0
    from bleucli.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
