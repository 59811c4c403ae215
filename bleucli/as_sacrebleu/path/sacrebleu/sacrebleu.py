"""The command under its old name: `sacrebleu`, or `python -m sacrebleu`."""

from __future__ import annotations

import sys

from bleucli.alias import VERSION

# Programs import all of these names from here
from sacrebleu.dataset import DATASETS
from sacrebleu.logger import sacrelogger
from sacrebleu.metrics import METRICS
from sacrebleu.utils import (
    Color,
    args_to_dict,
    download_test_set,
    filter_subset,
    get_available_testsets,
    get_available_testsets_for_langpair,
    get_langpairs_for_testset,
    get_reference_files,
    print_results_table,
    print_single_results,
    sanity_check_lengths,
    smart_open,
)


def main() -> int:
    """Run the command of bleucli on the words of the command line, and return its status."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"sacrebleu {VERSION}")
        return 0
    from bleucli.__main__ import main as run

    return run()
