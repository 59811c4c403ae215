"""The options of one run of the command, as an immutable record."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from bleucli.signature import Signature

# For each method of resampling: the option that asks for it, that for its number of trials, and the least of these
RESAMPLING = {
    "ci": ("confidence", "confidence_n", 2),
    "bs": ("paired_bs", "paired_bs_n", 2),
    "ar": ("paired_ar", "paired_ar_n", 1),
}
# The options that name a file to write
_WRITTEN = ("output", "plot", "report", "save_stats", "save_sums")


class Options:
    """What the command was asked for, each option by its long flag; without a default, an absent one is None or False.

    given: the options that the command line set. of_metrics: for each metric, the arguments of its constructor that its
    flags or the signature of `--like` set. followed: the metric that this signature belongs to, or "".
    """

    # what to score
    refs: Sequence[str]
    input: Sequence[str] | None
    num_refs: int | None
    encoding: str
    keep_going: bool
    jsonl: bool
    jsonl_fields: str | None
    skip_empty_refs: bool = False
    stats: Sequence[str] | None
    table: Sequence[str] | None
    columns: str | None
    by: Sequence[str] | None
    engine: str | None
    matrix: str | None
    # test sets
    test_set: str | None
    origlang: str | None
    subset: str | None
    detail: bool
    echo: Sequence[str] | None
    list: bool
    cite: bool
    download: str | None
    registry: str | None
    mirror: str | None
    allow_http: bool
    # how to score
    metrics: Sequence[str] | None
    sentence_level: bool
    jobs: int | None
    language_pair: str | None
    self_bleu: bool
    groups: str | None
    like: Signature | None
    of_metrics: Mapping[str, Mapping[str, Any]]
    followed: str
    explain: bool
    line: int | None
    # how certain scores are
    confidence: bool
    confidence_n: int
    paired_bs: bool
    paired_ar: bool
    paired_bs_n: int
    paired_ar_n: int
    paired_all: bool
    paired_jobs: int
    segment_scores: bool
    # what to print
    names: str | None
    name_by: str | None
    format: str | None
    score_only: bool
    width: int | None
    scale: int | None
    short: bool
    bold_best: bool
    style: str | None
    sort: str | None
    difference: bool
    caption: str | None
    label: str | None
    no_color: bool
    quiet: bool
    output: str | None
    append: bool
    save_stats: str | None
    save_sums: str | None
    first_line: int | None
    report: str | None
    add_scores: Sequence[str] | None
    plot: str | None
    plot_kind: str | None
    plot_width: str | None
    # gates
    fail_under: str | None
    baseline: str | None
    max_drop: str | None
    annotate: str | None
    strict: bool
    # other
    version: bool
    list_tokenizers: bool
    sacrebleu_path: bool
    versus_sacrebleu: bool
    serve: str | None
    help: bool
    given: frozenset[str]

    # Not a dataclass: importing dataclasses would slow down every run
    def __init__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"options cannot be changed; make a copy with replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def of_metric(self, name: str) -> Mapping[str, Any]:
        """Return the arguments of a metric's constructor that were set."""
        return self.of_metrics.get(name, {})

    def written(self) -> dict[str, str]:
        """Return the files that are written, by the names of the options that name them."""
        return {name: path for name in _WRITTEN if (path := getattr(self, name)) is not None}

    def replace(self, **values: Any) -> Options:
        """Return a copy with some values replaced."""
        return Options(vars(self) | values)


def flag_of(name: str) -> str:
    """Return an option as users write it; references have no flag.

    >>> flag_of("self_bleu"), flag_of("refs")
    ('--self-bleu', 'references')
    """
    return "references" if name == "refs" else f"--{name.replace('_', '-')}"
