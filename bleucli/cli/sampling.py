"""The resampling that options and environment ask for."""

from __future__ import annotations

from bleucli.cli.options import RESAMPLING, flag_of
from bleucli.cli.streams import Environment
from bleucli.errors import UsageError
from bleucli.limits import MOST_TRIALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.significance.comparison import Sampling


def check(options: Options) -> None:
    """Refuse options of resampling that have wrong values or cannot be combined.

    Raises:
        UsageError: one of them is given.
    """
    for _, trials, least in RESAMPLING.values():
        if not least <= getattr(options, trials) <= MOST_TRIALS:
            expected = f"expected a number from {least} to {MOST_TRIALS}"
            raise UsageError(f"{flag_of(trials)} {getattr(options, trials)}; {expected}")
    flags = [flag_of(option) for option, _, _ in RESAMPLING.values() if getattr(options, option)]
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} cannot be combined; choose one (--paired-bs also gives intervals)")
    if options.sentence_level and flags:
        raise UsageError(f"{flags[0]} needs a corpus score; leave out --sentence-level")
    if options.unit is not None and not flags:
        raise UsageError("--unit is for tests and intervals; add --paired-ar, --paired-bs or --confidence")
    if options.paired_all and not (options.paired_bs or options.paired_ar):
        raise UsageError("--paired-all needs a paired test; add --paired-bs or --paired-ar")
    if options.difference and not (options.paired_bs or options.paired_ar):
        raise UsageError("--difference needs a paired test; add --paired-bs, which has intervals, or --paired-ar")
    if options.style == "stars" and not (options.paired_bs or options.paired_ar):
        raise UsageError("--style stars marks what a paired test finds; add --paired-ar, or choose --style compact")


def plan(options: Options, environment: Environment, bold: bool) -> Sampling | None:
    """Return how to resample scores, or None if nothing asks for it; `bold` says whether the best score will be bold.

    Raises:
        UsageError: the seed in the environment is invalid.
    """
    method = next((name for name, (option, _, _) in RESAMPLING.items() if getattr(options, option)), None)
    if method is None:
        return None
    from bleucli.counting.threads import count_threads
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import random_seed

    environment.limit_numpy()
    return Sampling(
        method,
        getattr(options, RESAMPLING[method][1]),
        random_seed(environment.variables),
        count_threads(options.paired_jobs),
        options.paired_all,
        bold and method != "ci",  # only a test shows which scores do not differ from the best
        options.unit or "segment",
    )


def check_systems(options: Options, count: int) -> None:
    """Refuse a paired test of a single system."""
    if (options.paired_bs or options.paired_ar) and count < 2:
        test = "--paired-bs" if options.paired_bs else "--paired-ar"
        example = "-i baseline.txt system.txt"
        if options.stats is not None:
            example = "--stats baseline.parquet system.parquet"
        elif options.table is not None:
            example = "--columns hyp=BASELINE,SYSTEM"
        raise UsageError(
            f"{test} compares systems with the first one, but only one was given; name the baseline first: {example}"
        )
