"""`python -m sacrebleu`."""

from __future__ import annotations

import sys

from sacrebleu.sacrebleu import main

if __name__ == "__main__":
    sys.exit(main())
