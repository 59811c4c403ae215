"""The options of metrics on the command line, from the tables beside their classes.

- `flags_of`: those of one metric
- `make`: a metric that is configured as the options ask
"""

from __future__ import annotations

from bleucli.errors import UsageError
from bleucli.metrics import METRICS, Metric
from bleucli.tokenizers import DEFAULT, default_for, two_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from bleucli.cli.options import Options
    from bleucli.metrics.options import Option


def flags_of(name: str) -> dict[str, Option]:
    """Return the options of one metric that have flags, by the names that the parser gives them."""
    return {option.dest: option for option in METRICS[name].options if option.flags and not option.shared}


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
    settings = options.of_metric(name)
    values = dict(settings) | {
        option.name: settings.get(option.name) or shared[option.name]
        for option in METRICS[name].options
        if option.shared
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
    from bleucli.tokenizers import languages

    if of_test_set:
        language = two_letters(pair.partition("-")[2].partition("-")[0])
        return language if default_for(language) != DEFAULT or languages.is_unspaced(language) else ""

    target = languages.find_target(pair)
    if target is None or target == pair.replace("-", "_"):  # without a source
        raise UsageError(f"--language-pair {pair!r}; expected the form xx-YY, such as en-de")
    try:
        return languages.find(target)
    except languages.LanguageError as error:
        raise UsageError(f"--language-pair {pair!r}: {error}") from None
