"""The words of the command line, read into a record.

Long options may be abbreviated. An abbreviation that is unique among sacreBLEU's options keeps its meaning, whatever we
add. The options of metrics come from the tables beside the metrics' classes. These tables are read only where a word
may be such an option: importing all metrics takes time, and would slow down modes such as listing test sets.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from bleucli.cli.options import GROUPS, OPTIONS, Options, flag_of
from bleucli.cli.parser import Parser
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# What word processors turn hyphens into
_DASHES = "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"
# The modes other than scoring, each with the options that it accepts; if several are asked for, the first one here
# runs, or refuses the others
MODES = {
    "version": frozenset[str](),
    "list_tokenizers": frozenset[str](),
    "list": frozenset({"test_set", "language_pair", "registry", "mirror", "allow_http"}),
    "cite": frozenset(
        {
            *("test_set", "registry", "language_pair", "metrics", "tokenize", "smooth_method", "chrf_word_order"),
            *("matrix", "confidence", "paired_bs", "paired_ar", "paired_all", "self_bleu", "segment_scores"),
            *("bold_best", "style", "difference"),
            # where the texts are, which are not read: what a run should cite does not depend on them
            *("refs", "input", "num_refs", "encoding", "jsonl", "jsonl_fields", "table", "columns"),
            *("names", "name_by", "skip_empty_refs"),
        }
    ),
    "echo": frozenset({"test_set", "language_pair", "origlang", "subset", "registry", "mirror", "allow_http"}),
    "download": frozenset({"language_pair", "registry", "mirror", "allow_http"}),
    "serve": frozenset[str](),
    "sacrebleu_path": frozenset[str](),
    "versus_sacrebleu": frozenset(
        {
            *("refs", "input", "num_refs", "encoding", "test_set", "language_pair", "origlang", "subset", "metrics"),
            *("sentence_level", "detail", "score_only", "confidence", "confidence_n", "paired_bs", "paired_ar"),
            *("paired_bs_n", "paired_ar_n", "paired_jobs", "tokenize", "lowercase", "smooth_method", "smooth_value"),
            *("force", "chrf_char_order", "chrf_word_order", "chrf_beta", "chrf_whitespace", "chrf_lowercase"),
            *("chrf_eps_smoothing", "ter_case_sensitive", "ter_asian_support", "ter_no_punct", "ter_normalized"),
        }
    ),
}


def parse(words: Sequence[str]) -> Options:
    """Read the words after the command's name.

    Raises:
        UsageError: an option does not exist, or its value is invalid.

    >>> parse(["ref.txt", "--inp", "sys.txt", "-b"]).input
    ['sys.txt']
    """
    # A last -- ends the options, but argparse would read it as a file
    if "--" in words and words.index("--") == len(words) - 1:
        words = words[:-1]
    top = _parser_of_run()
    of_metrics: Mapping[str, Mapping[str, Any]] = {}
    if _are_flags(words, top.flags()):
        found = top.read(words)
    else:  # a word may be an abbreviation, or an option of a metric
        from bleucli.cli import metric_options

        names = metric_options.add_flags(top, lambda: _are_flags(words, top.flags()))
        theirs = [flag for flag in top.flags() if flag.startswith("--") and flag not in top.ours]
        words = _spell_out(words, theirs, top.ours)
        _refuse_unknown_short_options(words, top)
        found = top.read(words)
        of_metrics = metric_options.take(found, names)
    given = frozenset(found)
    values = {name: option.value_of_absent() for name, option in OPTIONS.items()}
    values |= {name: value for name, value in found.items() if name in (*OPTIONS, "skip_empty_refs")}
    _refuse_slips(values, top)
    if values["metrics"] is not None:
        values["metrics"], of_metrics = _resolve_names(values["metrics"], of_metrics)
    if values["like"] is not None:
        from bleucli.signature import Signature

        values["like"] = Signature.parse(values["like"])
    if values["output"] == "-":
        values["output"] = None
    return Options(values | {"given": given, "of_metrics": of_metrics, "followed": ""})


def _refuse_slips(values: Mapping[str, Any], top: Parser) -> None:
    """Refuse empty names, which unset variables in scripts leave, and options that begin with a typographic dash."""
    files = ("baseline", "groups", "matrix", "output", "plot", "registry", "report", "save_stats", "save_sums")
    for name in (*files, "caption", "mirror"):
        if values[name] == "" or (name == "caption" and str(values[name]).isspace()):
            raise UsageError(f"{flag_of(name)} is empty; give it a value, or leave it out")
    for word in (*values["refs"], *(values["input"] or ())):
        if not word:
            raise UsageError("a file name is empty; name a file (is a variable unset?)")
        if word[0] in _DASHES and not os.path.lexists(word):
            bare = word.lstrip(_DASHES)
            exact = [flag for flag in top.flags() if flag.lstrip("-") == bare]
            meant = f"; did you mean {exact[0]}?" if exact else suggest(bare, top.flags())
            raise UsageError(f"there is no file {shown(word)}, and options begin with a hyphen, not a dash{meant}")


def asks_for_annotations(words: Sequence[str]) -> bool:
    """Return whether --annotate is among the words, even if others are wrong, so that errors about those are annotated.

    >>> asks_for_annotations(["--hlep", "--annotate", "github"]), asks_for_annotations(["--", "--annotate=github"])
    (True, False)
    """
    end = words.index("--") if "--" in words else len(words)
    for word, following in zip(words[:end], [*words[1:end], ""], strict=False):
        name, equals, value = word.partition("=")
        # --a could also mean --append
        if len(name) > len("--a") and "--annotate".startswith(name) and (value if equals else following) == "github":
            return True
    return False


def _are_flags(words: Sequence[str], flags: Collection[str]) -> bool:
    """Return whether every word that looks like an option is one of `flags`, written in full."""
    end = words.index("--") if "--" in words else len(words)
    return all(word[:1] != "-" or word == "-" or word.partition("=")[0] in flags for word in words[:end])


def mode_of(options: Options) -> str:
    """Return the mode in `MODES` that the options ask for, or "" if they ask for scores."""
    return next((name for name in MODES if getattr(options, name) not in (None, False)), "")


def _spell_out(words: Sequence[str], *options: Sequence[str]) -> list[str]:
    """Write abbreviated long options in full.

    Args:
        words: the words of the command line.
        options: groups of long options. An abbreviation that is unique in an earlier group keeps its meaning, whatever
            the later groups hold.

    >>> _spell_out(["--enc=latin-1", "--m", "bleu", "--", "--enc"], ["--encoding", "--metrics"], ["--max-drop"])
    ['--encoding=latin-1', '--metrics', 'bleu', '--', '--enc']
    """
    end = words.index("--") if "--" in words else len(words)
    spelled = list(words)
    for place, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        # A flag in full is not an abbreviation of a longer one, such as --list of --list-tokenizers
        begun = (
            [flag for flag in known if flag == name] or [flag for flag in known if flag.startswith(name)]
            for known in options
        )
        meant = next(filter(None, begun), []) if word.startswith("--") else []
        if len(meant) > 1:
            raise UsageError(f"{name} could mean {' or '.join(meant)}; write more of it")
        if meant:
            spelled[place] = meant[0] + equals + value
    return spelled


def _resolve_names(
    words: Sequence[str], given: Mapping[str, Mapping[str, Any]]
) -> tuple[list[str], Mapping[str, Mapping[str, Any]]]:
    """Return the named metrics, and the arguments of all constructors, including those that a name implies.

    Args:
        words: names of metrics or of their variants, as `find_name` takes them.
        given: the arguments that options set, by metric.

    Raises:
        UsageError: two variants of one metric are named, or an option contradicts a name.

    >>> _resolve_names(["bleu", "chrf++"], {"chrf": {"beta": 3}})
    (['bleu', 'chrf'], {'chrf': {'beta': 3, 'word_order': 2}})
    """
    from bleucli.metrics import METRICS, VARIANTS, find_name

    named: dict[str, str] = {}
    arguments = dict(given)
    for word in map(find_name, words):
        name, meant = VARIANTS.get(word, (word, {}))
        other = named.setdefault(name, word)
        if other != word:
            raise UsageError(
                f"-m {other} and {word} are the same metric with different options; score with one, then with the other"
            )
        for key, value in meant.items():
            contrary = given.get(name, {}).get(key, value)
            if contrary != value:
                flag = next(option.flags[0] for option in METRICS[name].options if option.name == key)
                raise UsageError(f"-m {word} means {flag} {value}, not {contrary}; leave out one of the two")
            arguments[name] = {**arguments.get(name, {}), key: value}
    return list(named), arguments


def _refuse_unknown_short_options(words: Sequence[str], top: Parser) -> None:
    """Refuse words that only begin a short option, such as -to, which argparse could read as -tok or as -t o."""
    known = top.flags()
    for word in words[: words.index("--")] if "--" in words else words:
        name = word.partition("=")[0]
        begins = name.startswith("-") and name != "-" and any(option.startswith(name) for option in known)
        if name not in known and begins:
            top.refuse(word)


def parser() -> Parser:
    """Return the parser of all options, including those of metrics."""
    from bleucli.cli import metric_options

    top = _parser_of_run()
    metric_options.add_flags(top)
    return top


def _parser_of_run() -> Parser:
    """Return the parser of all options except those of metrics."""
    top = Parser(
        prog="bleu",
        usage="bleu REF... [-i SYSTEM...] [options]\n       cat SYSTEM | bleu REF... [options]",
        description="Score translations or generated text against references, as sacreBLEU does.",
        epilog="Exit status: 0 success, 1 a gate failed or sacreBLEU's numbers differ,\n"
        "2 wrong usage or input, 70 bleu itself failed (BLEU_TRACEBACK=1 shows where),\n130 interrupted.",
        allow_abbrev=False,
        add_help=False,
    )
    for heading, options in GROUPS.items():
        for name, option in options.items():
            top.add(heading, name, option)
    return top


def has_gates(options: Options) -> bool:
    """Return whether an option asks for a gate."""
    return any(gate is not None for gate in (options.fail_under, options.max_drop, options.baseline))


def asks_for_resampling(options: Options) -> bool:
    """Return whether an option about resampling or its results was given, even one that has no effect by itself."""
    return any(name.startswith(("confidence", "difference", "paired_", "style")) for name in options.given)
