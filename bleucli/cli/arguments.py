"""The command's options.

Long options may be abbreviated. What is unique among sacreBLEU's options keeps its meaning, whatever we add.
"""

import argparse
from collections.abc import Callable, Sequence

from bleucli.errors import UsageError
from bleucli.output import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The long options of sacreBLEU 2.6.0, by `sacrebleu --help`; their abbreviations go before ours
SACREBLEU_OPTIONS = (
    "--help",
    "--citation",
    "--cite",
    "--list",
    "--test-set",
    "--language-pair",
    "--origlang",
    "--subset",
    "--download",
    "--echo",
    "--input",
    "--num-refs",
    "--encoding",
    "--metrics",
    "--sentence-level",
    "--version",
    "--smooth-method",
    "--smooth-value",
    "--tokenize",
    "--lowercase",
    "--force",
    "--chrf-char-order",
    "--chrf-word-order",
    "--chrf-beta",
    "--chrf-whitespace",
    "--chrf-lowercase",
    "--chrf-eps-smoothing",
    "--ter-case-sensitive",
    "--ter-asian-support",
    "--ter-no-punct",
    "--ter-normalized",
    "--confidence",
    "--confidence-n",
    "--paired-ar",
    "--paired-bs",
    "--paired-ar-n",
    "--paired-bs-n",
    "--paired-jobs",
    "--quiet",
    "--short",
    "--score-only",
    "--width",
    "--detail",
    "--no-color",
    "--format",
)
_OURS = (
    "--jobs",
    "--output",
    "--max-ngram-order",
    "--skip-empty-refs",
    "--fail-under",
    "--like",
    "--list-tokenizers",
    "--jsonl",
    "--jsonl-fields",
    "--paired-all",
    "--segment-scores",
    "--bold-best",
    "--baseline",
    "--max-drop",
    "--registry",
    "--mirror",
    "--allow-http",
)

# Target languages with a tokenizer of their own, where test sets (NTREX) name them in three letters (ISO 639-3)
_TWO_LETTERS = {"zho": "zh", "jpn": "ja", "kor": "ko"}


# The metrics, as the help calls them
METRIC_TITLES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}


# What each mode that scores nothing takes, the first that is asked for being done
MODES = {
    "version": frozenset[str](),
    "list_tokenizers": frozenset[str](),
    "list": frozenset({"test_set", "language_pair", "registry", "mirror", "allow_http"}),
    "cite": frozenset({"test_set", "registry"}),
    "echo": frozenset({"test_set", "language_pair", "origlang", "subset", "registry", "mirror", "allow_http"}),
    "download": frozenset({"language_pair", "registry", "mirror", "allow_http"}),
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: one line, raised."""

    def error(self, message: str) -> "argparse.NoReturn":  # type: ignore[name-defined]
        raise UsageError(f"{message}; see bleu --help")

    def _get_values(self, action: argparse.Action, arg_strings: "list[str]") -> "Any":
        """Refuse `--option=--`: argparse before Python 3.13 deletes such a value, and then has none."""
        if action.option_strings and "--" in arg_strings:
            raise UsageError(f"{action.option_strings[0]} is --; expected a value (a file of that name is ./--)")
        return super()._get_values(action, arg_strings)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the words behind the command's name.

    Beside the options there are `given`, those that were in the words, and `of_metric`, those about one metric alone.

    Raises:
        UsageError: an option does not exist, or has no such value.

    >>> parse(["ref.txt", "--inp", "sys.txt", "-b"]).input
    ['sys.txt']
    """
    top = parser()
    spelled_out = _spelled_out(words)
    _refuse_unknown_short_options(spelled_out, top)
    defaults = {}
    for action in top._actions:
        defaults[action.dest] = action.default
        action.default = argparse.SUPPRESS
    options = top.parse_args(spelled_out)
    given = frozenset(vars(options)) & defaults.keys()
    metrics = {title: metric for metric, title in METRIC_TITLES.items()}
    of_metric = {
        metrics[group.title]: frozenset([action.dest for action in group._group_actions])
        for group in top._action_groups
        if group.title in metrics
    }
    vars(options).update(defaults | vars(options), given=given, of_metric=of_metric)
    return options


def mode_of(options: argparse.Namespace) -> str:
    """Return the mode that scores nothing, "" if none is asked for."""
    return next((name for name in MODES if getattr(options, name) not in (None, False)), "")


def _refuse_unknown_short_options(words: Sequence[str], top: argparse.ArgumentParser) -> None:
    """Refuse what argparse would take for the beginning of another short option (-l for -lc, -ol for -o l)."""
    known = [name for action in top._actions for name in action.option_strings]
    for word in words[: words.index("--")] if "--" in words else words:
        name = word.partition("=")[0]
        begins = name.startswith("-") and name != "-" and any(option.startswith(name) for option in known)
        if name not in known and begins:
            raise UsageError(f"unrecognized arguments: {word}; see bleu --help")


def _spelled_out(words: Sequence[str]) -> list[str]:
    """Write abbreviated long options in full.

    >>> _spelled_out(["--enc=latin-1", "--m", "bleu", "--", "--enc"])
    ['--encoding=latin-1', '--metrics', 'bleu', '--', '--enc']
    """
    end = words.index("--") if "--" in words else len(words)
    return [_option_in_full(word) if word.startswith("--") else word for word in words[:end]] + list(words[end:])


def _option_in_full(word: str) -> str:
    name, equals, value = word.partition("=")
    for options in (SACREBLEU_OPTIONS, _OURS):
        meant = [name] if name in options else [option for option in options if option.startswith(name)]
        if len(meant) == 1:
            return meant[0] + equals + value
        if meant:
            raise UsageError(f"{name} could mean {' or '.join(meant)}; write more of it")
    return word


def parser() -> argparse.ArgumentParser:
    """Return the parser; options that nobody gave are None or False."""
    top = _Parser(
        prog="bleu",
        usage="bleu REF... [-i SYSTEM...] [options]        cat SYSTEM | bleu REF... [options]",
        description="Score machine translation or generated text against references, as sacreBLEU does.",
        epilog="Exit status: 0 fine, 1 a gate failed, 2 wrong use or input, 70 a fault of bleu itself (BLEU_TRACEBACK=1"
        " shows where), 130 interrupted.",
        allow_abbrev=False,
        add_help=False,
    )
    _add_texts(top.add_argument_group("what to score"))
    _add_test_sets(top.add_argument_group("test sets"))
    _add_metrics(top.add_argument_group("how to score"))
    for title, add in zip(METRIC_TITLES.values(), (_add_bleu, _add_chrf, _add_ter), strict=True):
        add(top.add_argument_group(title))
    _add_significance(top.add_argument_group("how sure it is"))
    _add_report(top.add_argument_group("what to print"))
    _add_gates(top.add_argument_group("gates for Makefiles and CI"))
    _add_modes(top.add_argument_group("other"))
    return top


def _add_texts(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "refs", nargs="*", default=[], metavar="REF", help="reference files, one segment a line; before -i"
    )
    group.add_argument(
        "--input", "-i", nargs="+", metavar="SYSTEM", help="system outputs, one file a system; - is stdin"
    )
    group.add_argument("--num-refs", "-nr", type=int, metavar="N", help="split the one reference file on tabs into N")
    group.add_argument("--encoding", "-e", default="utf-8", help="of all text files and stdin (default: utf-8)")
    group.add_argument(
        "--jsonl", action="store_true", help="stdin is JSON Lines, as files named .jsonl and .ndjson are"
    )
    group.add_argument("--jsonl-fields", metavar="hyp=NAME,refs=NAME", help="the fields that hold the texts")
    group.add_argument("--skip-empty-refs", action="store_true", help="empty references are missing ones")


def _add_test_sets(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--test-set", "-t", metavar="NAME[,NAME...]", help="score against these instead of files; with -l")
    add("--origlang", "-ol", metavar="xx", help="only segments first written in xx, or not: non-xx")
    add("--subset", metavar="REGEX", help="only segments of a domain, or a country: country:XX")
    add("--detail", "-d", action="store_true", help="also a score for each original language and domain")
    add("--echo", nargs="+", metavar="FIELD", help="print these fields, or all, as columns: src, ref, docid...")
    add("--list", action="store_true", help="test sets; with -l: those with this pair; with -t: its pairs and fields")
    add("--cite", "--citation", action="store_true", help="what to cite for -t, as BibTeX")
    add("--download", metavar="NAME", help="download a test set, or with -l one pair of it")
    add("--registry", metavar="FILE", help="your own test sets, as TOML (default: $BLEU_REGISTRY)")
    add("--mirror", metavar="URL", help="ask there first when downloading (default: $BLEU_MIRROR)")
    add(
        "--allow-http", action="store_true", help="follow an https: address to http:, where anybody can change the file"
    )


def _add_metrics(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--metrics", "-m", nargs="+", choices=tuple(METRIC_ARGUMENTS), help="(default: bleu)")
    group.add_argument("--sentence-level", "-sl", action="store_true", help="one score a segment")
    group.add_argument(
        "--jobs", "-J", type=int, default=1, metavar="N", help="threads, 0 for all; never changes a number"
    )
    group.add_argument("--language-pair", "-l", metavar="xx-YY", help="source and target; picks BLEU's tokenizer")
    group.add_argument("--like", metavar="SIGNATURE", help="score as a published signature says")


def _add_bleu(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--tokenize", "-tok", metavar="NAME", help="see --list-tokenizers (default: by -l, else 13a)")
    group.add_argument("--lowercase", "-lc", action="store_true", help="compare without regard to case")
    group.add_argument("--smooth-method", "-s", metavar="NAME", help="exp, floor, add-k or none (default: exp)")
    group.add_argument("--smooth-value", "-sv", type=float, metavar="X", help="for floor (0.1) and add-k (1)")
    group.add_argument("--max-ngram-order", type=int, metavar="N", help="(default: 4)")
    group.set_defaults(effective_order=False)
    group.add_argument("--force", action="store_true", help="do not warn of tokenized input")


def bleu_arguments(options: argparse.Namespace) -> "dict[str, Any]":
    """Return what the options say of BLEU, as the arguments of its class; what nobody gave is left to the class."""
    arguments = {
        "lowercase": options.lowercase,
        "force": options.force,
        "tokenize": options.tokenize,
        "smooth_method": options.smooth_method,
        "smooth_value": options.smooth_value,
        "max_ngram_order": options.max_ngram_order,
        "effective_order": options.effective_order or options.sentence_level,
        "trg_lang": target_language(options.language_pair, options.test_set is not None),
    }
    return _given(arguments)


def _given(arguments: "dict[str, Any]") -> "dict[str, Any]":
    return {name: value for name, value in arguments.items() if value is not None}


def target_language(pair: str | None, of_test_set: bool = False) -> str:
    """Return the target of a language pair, or "".

    Args:
        pair: of languages.
        of_test_set: the pair may be one of NTREX, with three letters and a region.

    >>> target_language("en-zh"), target_language("eng-zho-TW", of_test_set=True), target_language(None)
    ('zh', 'zh', '')
    """
    if pair is None:
        return ""
    source, _, target = pair.partition("-")
    if of_test_set:
        target = target.partition("-")[0]
        return _TWO_LETTERS.get(target, target)
    if not source.isalpha() or not target.isalpha():
        raise UsageError(f"--language-pair {pair}; expected the form xx-YY, such as en-de")
    return target


def _add_chrf(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--chrf-char-order", "-cc", type=int, metavar="N", help="longest character n-gram (default: 6)")
    add(
        "--chrf-word-order",
        "-cw",
        type=int,
        metavar="N",
        help="longest word n-gram, 2 for chrF++ (default: 0)",
    )
    add("--chrf-beta", type=int, metavar="N", help="weight of recall (default: 2)")
    add("--chrf-whitespace", action="store_true", help="white space takes part in character n-grams")
    add("--chrf-lowercase", action="store_true", help="compare without regard to case")
    add("--chrf-eps-smoothing", action="store_true", help="smooth as chrF++.py, NLTK and Moses do")


def chrf_arguments(options: argparse.Namespace) -> "dict[str, Any]":
    """Return what the options say of chrF, as the arguments of its class; what nobody gave is left to the class."""
    arguments = {
        "char_order": options.chrf_char_order,
        "word_order": options.chrf_word_order,
        "beta": options.chrf_beta,
        "whitespace": options.chrf_whitespace,
        "lowercase": options.chrf_lowercase,
        "eps_smoothing": options.chrf_eps_smoothing,
    }
    return _given(arguments)


def _add_ter(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--ter-case-sensitive", action="store_true", help="tell upper from lower case")
    add("--ter-asian-support", action="store_true", help="treat East Asian text in the two options below")
    add("--ter-no-punct", action="store_true", help="delete punctuation")
    add("--ter-normalized", action="store_true", help="split punctuation off, decode entities")


def ter_arguments(options: argparse.Namespace) -> "dict[str, Any]":
    """Return what the options say of TER, as the arguments of its class."""
    return {
        "normalized": options.ter_normalized,
        "no_punct": options.ter_no_punct,
        "asian_support": options.ter_asian_support,
        "case_sensitive": options.ter_case_sensitive,
    }


# What the options say of each metric
METRIC_ARGUMENTS: "dict[str, Callable[[argparse.Namespace], dict[str, Any]]]" = {
    "bleu": bleu_arguments,
    "chrf": chrf_arguments,
    "ter": ter_arguments,
}


def _add_significance(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--confidence", "-ci", action="store_true", help="95 %% confidence interval by bootstrap")
    add("--confidence-n", "-cin", type=int, default=1000, metavar="N", help="resamples, at most 10^7 (default: 1000)")
    add("--paired-bs", "-pbs", action="store_true", help="paired bootstrap against the first system")
    add("--paired-ar", "-par", action="store_true", help="paired approximate randomization against the first system")
    add("--paired-bs-n", "-pbsn", type=int, default=1000, metavar="N", help="resamples, at most 10^7 (default: 1000)")
    add("--paired-ar-n", "-parn", type=int, default=10000, metavar="N", help="trials, at most 10^7 (default: 10000)")
    add("--paired-all", action="store_true", help="test every pair of systems as well, and rank them")
    add("--paired-jobs", "-j", type=int, default=1, metavar="N", help="threads, 0 for all; never changes a number")
    add(
        "--segment-scores",
        action="store_true",
        help="systems are one number a line, higher is better: any metric, people",
    )


def _add_report(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--format", "-f", choices=FORMATS, help="(default: json; -sl: text)")
    group.add_argument("--score-only", "-b", action="store_true", help="the score alone")
    group.add_argument("--width", "-w", type=int, default=1, metavar="N", help="decimals (default: 1)")
    group.add_argument("--short", "-sh", action="store_true", help="short keys in signatures")
    group.add_argument(
        "--bold-best",
        action="store_true",
        help="the best of each column in bold, and what a test does not tell from it",
    )
    group.add_argument("--no-color", "-nc", action="store_true", help="no colours on a terminal")
    group.add_argument("--quiet", "-q", action="store_true", help="no notes, warnings and progress")
    group.add_argument("--output", "-o", metavar="FILE", help="write there instead: whole, or not at all")


def has_gates(options: argparse.Namespace) -> bool:
    """Return whether an option asks for a gate."""
    return any(gate is not None for gate in (options.fail_under, options.max_drop, options.baseline))


def _add_gates(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--fail-under", type=float, metavar="X", help="exit with 1 if the first metric of any system is worse than X")
    add("--baseline", metavar="FILE.json", help="an earlier answer, for --max-drop")
    add(
        "--max-drop",
        type=float,
        metavar="D",
        help="exit with 1 if a score is worse by more than D than in --baseline, or, with --paired-*, significantly"
        " worse than the first system's",
    )


def _add_modes(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--version", "-V", action="store_true", help="version and live kernels")
    group.add_argument("--list-tokenizers", action="store_true", help="what each is for and what it needs")
    group.add_argument("--help", "-h", action="store_true", help="this page")
