"""The options of metrics on the command line, from the tables beside their classes.

- `add_flags`: the flags of each metric, in a group of its own
- `flags_of`: those of one metric
- `take`: their values, as arguments of the constructors
- `make`: a metric that is configured as the options ask
"""

from __future__ import annotations

from bleucli.cli.options import Option as Flag
from bleucli.errors import UsageError
from bleucli.metrics import METRICS, Metric
from bleucli.metrics.options import SKIP_EMPTY_REFS
from bleucli.tokenizers import DEFAULT, default_for, two_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.parser import Parser
    from bleucli.metrics.options import Option

_METAVARS = {int: "N", float: "X", str: "NAME"}


def flags_of(name: str) -> dict[str, Option]:
    """Return the options of one metric that have flags, by the names that the parser gives them."""
    return {option.dest: option for option in METRICS[name].options if option.flags and not option.shared}


def add_flags(top: Parser, suffices: Callable[[], bool] = lambda: False) -> list[str]:
    """Add the flags of metrics, in groups after the general ones for scoring, and the flag that all metrics share.

    Args:
        top: the parser.
        suffices: called after each metric; once it returns True, the other metrics, which are slow to import, are left
            out.

    Returns:
        The metrics whose flags were added.
    """
    added = []
    (skip,) = SKIP_EMPTY_REFS.flags
    top.add("what to score", SKIP_EMPTY_REFS.dest, Flag((skip,), SKIP_EMPTY_REFS.help, bool))
    # argparse can only append groups: take the later ones off, and put them back at the end
    groups = top._action_groups
    place = [group.title for group in groups].index("how to score") + 1
    others = groups[place:]
    del groups[place:]
    for name, metric in METRICS.items():
        for dest, option in flags_of(name).items():
            kind = bool if option.kind is bool else option.reads
            flag = Flag(option.flags, option.help, kind, metavar=_METAVARS.get(kind), theirs=not option.ours)
            top.add(metric.name, dest, flag)
        added.append(name)
        if suffices():
            break
    groups += others
    return added


def take(found: Mapping[str, Any], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the values of these metrics' flags as arguments of each constructor; metrics without any are left out."""
    taken: dict[str, dict[str, Any]] = {}
    for name in names:
        for dest, option in flags_of(name).items():
            if dest in found:
                taken.setdefault(name, {})[option.name] = found[dest]
    return taken


def make(options: Options, name: str, without: Iterable[Option] = ()) -> Metric:
    """Make the metric of this name, configured as the options ask.

    Args:
        options: the options of the command.
        name: its name in `METRICS`.
        without: options that are left at their defaults.
    """
    shared = {
        "effective_order": options.sentence_level,
        "skip_empty_refs": options.skip_empty_refs,
        "trg_lang": target_language(options.language_pair, options.test_set is not None),
    }
    # --like may set the shared options too; where it does not, the command's own flags count
    given = options.of_metric(name)
    values = dict(given) | {
        option.name: given.get(option.name) or shared[option.name] for option in METRICS[name].options if option.shared
    }
    for option in without:
        values.pop(option.name, None)
    return METRICS[name].of_command(**values)


def check(options: Options) -> None:
    """Refuse values that an option of a metric cannot have, without loading what the value names.

    Raises:
        BleuError: a value is invalid; the message names the option.
    """
    for name in METRICS:
        if options.of_metric(name):
            make(options, name, [option for option in METRICS[name].options if option.loads])


def target_language(pair: str | None, of_test_set: bool = False) -> str:
    """Return the target language of a language pair, or "" if there is none.

    Args:
        pair: a language pair, such as `en-de`.
        of_test_set: the pair is one of a test set, whatever it is called; the language is "" unless it has its own
            tokenizer.

    Raises:
        UsageError: the pair has another form, or its target is not a language.

    >>> target_language("en-ZH"), target_language("eng-zho-TW", of_test_set=True), target_language(None)
    ('zh', 'zh', '')
    """
    if pair is None:
        return ""
    if of_test_set:
        language = two_letters(pair.partition("-")[2].partition("-")[0])
        return "" if default_for(language) == DEFAULT else language
    from bleucli.tokenizers import languages

    target = languages.find_target(pair)
    if target is None or target == pair.replace("-", "_"):  # without a source
        raise UsageError(f"--language-pair {pair!r}; expected the form xx-YY, such as en-de")
    try:
        return languages.find(target)
    except languages.LanguageError as error:
        raise UsageError(f"--language-pair {pair!r}: {error}") from None
