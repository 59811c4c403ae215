"""A program that starts the command of whatever sacrebleu it imports."""

import sys

from sacrebleu.sacrebleu import main

if __name__ == "__main__":
    sys.exit(main())
