"""`python -m sacrebleu`."""

import sys

from sacrebleu.sacrebleu import main

if __name__ == "__main__":
    sys.exit(main())
