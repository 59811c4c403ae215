"""The logger that programs silence."""

import logging

sacrelogger = logging.getLogger("sacrebleu")
