"""The gates that the options ask for.

- `check`: refuse bounds and baselines that no gate can use
- `Gates`: the bounds, which judge results
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from bleucli.cli.options import is_tested
from bleucli.cli.streams import shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS, VARIANTS, find_name
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.gates import Bound
    from bleucli.gates.baselines import Baseline
    from bleucli.results import Results, Verdict


def check(options: Options) -> None:
    """Refuse values that bounds cannot have, and a baseline without the statistics that a test needs."""
    from bleucli import gates
    from bleucli.gates.baselines import is_statistics

    if options.fail_under is not None:
        gates.read_bounds(gates.FAIL_UNDER, options.fail_under)
    bounds = None if options.max_drop is None else gates.read_bounds(gates.MAX_DROP, options.max_drop)
    if options.baseline is None or bounds is None or not is_tested(options):
        return
    try:
        has_rows = is_statistics(options.baseline)
    except OSError as error:
        raise BleuError(
            f"cannot read {shown(options.baseline)}: {error.strerror or error}; name a file that bleu count wrote"
        ) from None
    if not has_rows:
        test = "--paired-bs" if options.paired_bs else "--paired-ar"
        raise UsageError(
            f"--baseline holds only scores, but {test} needs the earlier output itself; leave out one of them, or give"
            f" both outputs: -i old.txt new.txt {test} --max-drop {gates.format_bounds(bounds)}, or a baseline that"
            " bleu count wrote"
        )


class Gates:
    """The bounds that the options set.

    Args:
        options: the options of the command.
        metrics: the names of the metrics that are scored, as bounds use them, in the order in which they are printed.
        scale: the scale in which scores are printed: 1 or 100.
    """

    def __init__(self, options: Options, metrics: Sequence[str], scale: int) -> None:
        self._scored = metrics
        self._scale = scale
        self._fail_under: dict[str, Bound] = {}
        self._max_drop: dict[str, Bound] = {}
        self._first = options.metrics[0] if options.metrics else metrics[0]
        from bleucli import gates

        names = {name: name for name in metrics}
        for variant, (name, arguments) in VARIANTS.items():  # such as chrf++
            if name in metrics and arguments.items() <= dict(options.of_metric(name)).items():
                names[variant] = name
        if options.fail_under is not None:
            self._fail_under = _read_bounds(gates.FAIL_UNDER, options.fail_under, names)
        if options.max_drop is not None:
            self._max_drop = _read_bounds(gates.MAX_DROP, options.max_drop, names)
        if scale == 1:
            _check_scale(gates.FAIL_UNDER, self._fail_under, [self._first])
            _check_scale(gates.MAX_DROP, self._max_drop, metrics)

    def judge(
        self, results: Results, baseline: Baseline | None, earlier: Collection[str] = ()
    ) -> tuple[Sequence[Verdict], list[str]]:
        """Return the verdicts of the gates on results, and hints about what these verdicts do not prove.

        earlier: the systems that were scored earlier; they are not judged again.
        """
        from bleucli import gates

        fail_under = {name or self._first: bound for name, bound in self._fail_under.items()}
        rest = (self._max_drop, baseline, self._scored, self._scale)
        verdicts = [one for one in gates.judge(results, fail_under, *rest) if one.system not in earlier]
        return verdicts, list(gates.hints(results, *rest))

    def notes(self, labels: Sequence[str]) -> Iterator[str]:
        """Say which metric a bare bound applies to, where several are scored; `labels` are the names of the scores."""
        if len(self._scored) == 1:
            return
        if "" in self._fail_under:
            bound = self._fail_under[""]
            label = labels[self._scored.index(self._first)]
            other = next(name for name in self._scored if name != self._first)
            yield (
                f"--fail-under {bound} applies to {label} only, the first metric named;"
                f" to gate others as well, write --fail-under {self._first}={bound},{other}=X"
            )
        if "" in self._max_drop:
            bound = self._max_drop[""]
            each = ",".join(f"{name}={bound}" for name in self._scored)
            yield (
                f"--max-drop {bound} applies to {' and '.join(labels)}; to set them separately, write --max-drop {each}"
            )


def _read_bounds(option: str, value: str, names: Mapping[str, str]) -> dict[str, Bound]:
    """Return bounds by the names of the metrics that are scored; `names` maps every accepted name to one of these."""
    from bleucli import gates

    bounds = gates.read_bounds(option, value)
    aliases = {**names} | {word: names[name] for word in bounds if (name := find_name(word)) in names}
    other = gates.find_unscored(bounds, aliases)
    if other:
        raise UsageError(_explain_unscored(option, value, find_name(other) or other, names))
    renamed: dict[str, Bound] = {}
    for word, bound in bounds.items():
        name = aliases.get(word, "")
        if name in renamed:
            remark = "" if word == name else f", which is also called {word}"
            raise UsageError(f"{option} has two bounds for {name}{remark}; give one")
        renamed[name] = bound
    return renamed


def _check_scale(option: str, bounds: Mapping[str, Bound], unnamed: Sequence[str]) -> None:
    """Refuse bounds beyond a scale from 0 to 1, except for error rates, which may exceed it.

    unnamed: the metrics that a bound without a name applies to.
    """
    from bleucli import gates

    for name, bound in bounds.items():
        metrics = [name] if name else unnamed
        # A score can be 1, but a gate that allows a drop of 1 can never fail
        is_beyond = bound.number >= 1 if option == gates.MAX_DROP else bound.number > 1
        # Scores from elsewhere have their own scale
        own = [METRICS[one] for one in metrics if one in METRICS]
        if is_beyond and not bound.percent and any(one.higher_is_better for one in own):
            raise UsageError(
                f"{option} {bound} is {'not below' if option == gates.MAX_DROP else 'above'} 1, but bounds have the"
                f" scale of the printed scores, here 0 to 1; write {bound.number / 100:g}, or choose --scale 100"
            )


def _explain_unscored(option: str, value: str, word: str, names: Mapping[str, str]) -> str:
    """Return the error about a bound whose name is not a metric's, or whose metric is not scored."""
    metrics = list(dict.fromkeys(names.values()))
    # Scores from elsewhere have their own names
    elsewhere = [name for name in metrics if name not in METRICS]
    choices = [*METRICS, *VARIANTS, *elsewhere] if metrics[0] in METRICS else metrics
    if word not in choices:
        return (
            f"{option} {value!r}: {word!r} is not a metric; expected one of {', '.join(choices)}"
            f"{suggest(word, choices)}"
        )
    # Only one variant of a metric can be scored: chrf++ takes the place of chrf
    rest = [name for name in metrics if name != VARIANTS.get(word, ("",))[0]]
    label = word if word in VARIANTS else METRICS[word].name
    return f"{option} is about {label}, which is not scored; add it: -m {' '.join([*rest, word])}"
