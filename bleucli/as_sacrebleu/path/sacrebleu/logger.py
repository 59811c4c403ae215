"""The logger, for programs that silence it."""

from __future__ import annotations

import logging

sacrelogger = logging.getLogger("sacrebleu")
