"""Options that cannot be combined, with the reasons: one table for everything that is scored or shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bleucli.cli.options import Options, flag_of
from bleucli.errors import UsageError

# For each option, the options that cannot be combined with it, by the reason. A reason may say what to do, after a
# semicolon; otherwise, the message says to leave out one of the two.
CONFLICTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # other sources of texts
    "table": {
        "columns hold all texts": (
            *("refs", "input", "num_refs", "jsonl", "jsonl_fields", "partial", "test_set", "stats"),
        ),
        "columns hold all labels": ("labels", "label_names"),
        "documents are made of text files and test sets": ("level",),
        "all columns have the same length, so no system is left out": ("keep_going",),
        "columns hold hypotheses and references": ("segment_scores",),
    },
    "stats": {
        "the texts were read when the statistics were saved": (
            *("refs", "input", "num_refs", "jsonl", "jsonl_fields", "partial", "labels", "label_names", "level"),
            *("test_set", "keep_going", "columns"),
        ),
        "here, the parts of a test set are groups; write --by origlang domain instead": (
            *("origlang", "subset", "detail"),
        ),
    },
    "engine": {
        "only sums leave the engine; save the statistics of each segment with bleu count -o FOLDER, then run bleu"
        " --stats FOLDER": (*("sentence_level", "confidence", "paired_bs", "paired_ar", "paired_all"),),
    },
    "by": {
        "each group is scored by itself": (
            *("paired_bs", "paired_ar", "sentence_level", "segment_scores", "baseline"),
        ),
    },
    "detail": {"--detail gives corpus scores": ("sentence_level",)},
    "partial": {"it scores what all have, so no system is left out": ("keep_going",)},
    "segment_scores": {"numbers are not texts": ("partial", "level")},
    "keep_going": {
        "--sentence-level scores only one system": ("sentence_level",),
        "there are no references that a system could fail to match": ("segment_scores",),
    },
}


def check(options: Options) -> None:
    """Refuse options that cannot be combined.

    Raises:
        UsageError: two of them are given.
    """
    for name, reasons in CONFLICTS.items():
        if _is_given(options, name):
            for reason, partners in reasons.items():
                for partner in partners:
                    if _is_given(options, partner):
                        remedy = "" if ";" in reason else "; leave out one of the two"
                        message = f"{flag_of(partner)} cannot be combined with {flag_of(name)}"
                        raise UsageError(f"{message}: {reason}{remedy}")


def _is_given(options: Options, name: str) -> bool:
    return getattr(options, name) not in (None, False, [])
