"""A program that starts the command of the sacrebleu that it imports."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    # Not at the top: pytest imports this file, and with sacreBLEU's command loaded, a broken pipe kills the process
    from sacrebleu.sacrebleu import main

    sys.exit(main())
