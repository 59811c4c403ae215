"""The words of the command line, read into a record.

Long options may be abbreviated. An abbreviation that is unique among sacreBLEU's options keeps its meaning, whatever we
add. The options of metrics come from the tables beside the metrics' classes. These tables are read only where a word
may be such an option: importing all metrics takes time, and would slow down modes such as listing test sets.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence

from bleucli.cli.options import Options, flag_of
from bleucli.cli.parser import Once, Parser
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.output import FORMATS
from bleucli.output.layout import STYLES
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
    # Without defaults, argparse returns only the options that were given
    defaults = {}
    for action in top._actions:
        defaults[action.dest] = action.default
        action.default = argparse.SUPPRESS
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
    values = defaults | {name: value for name, value in found.items() if name in Options.__annotations__}
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


class _MetricNames:
    """The names of the metrics and their variants; only iterating over them imports the metrics, which takes time."""

    def __iter__(self) -> Iterator[str]:
        from bleucli.metrics import METRICS, VARIANTS

        for name in METRICS:
            yield name
            yield from (variant for variant, (base, _) in VARIANTS.items() if base == name)

    def __contains__(self, word: str) -> bool:
        from bleucli.metrics import find_name

        return find_name(word) != ""

    def tell_wrong(self, word: str) -> str:
        """Return what to do about a word that means no metric."""
        from bleucli.metrics import tell_unknown

        return tell_unknown(word)


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
    add, ours = top.group("what to score")
    add("refs", nargs="*", default=[], metavar="REF", help="reference files, one segment per line; put them before -i")
    add(
        "--input",
        "-i",
        action=Once,
        nargs="+",
        metavar="SYSTEM",
        help="system outputs, one file per system; - is stdin",
    )
    add("--num-refs", "-nr", type=int, metavar="N", help="split a single reference file into N references, at tabs")
    add(
        "--encoding",
        "-e",
        default="utf-8",
        metavar="NAME",
        help="encoding of all text files and stdin (default: utf-8)",
    )
    ours(
        "--keep-going",
        action="store_true",
        help="if some systems cannot be scored, score the others and exit with 2",
    )
    ours("--jsonl", action="store_true", help="read stdin as JSON Lines; files named .jsonl or .ndjson need no option")
    ours(
        "--jsonl-fields",
        metavar="hyp=NAME,refs=NAME,group=NAME",
        help="the fields that hold the texts, or paths such as out.0; several systems: hyp=a:out.0,b:out.1;"
        " group= is for --self-bleu",
    )
    ours(
        "--stats",
        action=Once,
        nargs="+",
        metavar="FILE",
        help="read statistics instead of texts, from files that --save-stats or --save-sums wrote; FILE may be a folder"
        " or a pattern, and shards may be in any order",
    )
    ours(
        "--table",
        action=Once,
        nargs="+",
        metavar="FILE",
        help="read texts from columns of Parquet or Arrow IPC files; FILE may be a folder or a pattern",
    )
    ours(
        "--columns",
        metavar="hyp=NAME,refs=NAME",
        help="the columns of --table that hold the texts (default: hyp=hyp,refs=ref); several systems: hyp=a,b",
    )
    ours(
        "--by",
        nargs="+",
        metavar="COLUMN",
        help="print one score for each combination of values in these columns of --stats or --table",
    )
    ours(
        "--matrix",
        metavar="FILE",
        help="score many language pairs in one table; the TOML file has patterns for references and systems",
    )
    ours(
        "--engine",
        choices=("dask", "ray", "spark"),
        metavar="NAME",
        help="%(choices)s: count --table on the cluster that this engine is configured for",
    )

    add, ours = top.group("test sets")
    add(
        "--test-set",
        "-t",
        metavar="NAME[,NAME...]",
        help="score against test sets instead of reference files; needs -l",
    )
    add("--origlang", "-ol", metavar="xx", help="use only segments first written in xx; non-xx: all others")
    add("--subset", metavar="REGEX", help="use only segments of a domain, or of a country (country:XX)")
    add("--detail", "-d", action="store_true", help="also print a score for each original language and domain")
    add(
        "--echo",
        nargs="+",
        metavar="FIELD",
        help="print these fields as columns (src, ref, docid...); all prints every field",
    )
    add(
        "--list",
        action="store_true",
        help="list test sets; with -l, those with this pair; with -t, the pairs and fields of that test set",
    )
    add(
        "--cite",
        "--citation",
        action="store_true",
        help="print what to cite for -t, or for -m, -tok, --paired-ar..., as BibTeX",
    )
    add("--download", metavar="NAME", help="download a test set; with -l, only this language pair")
    ours("--registry", metavar="FILE", help="a TOML file that defines your own test sets (default: $BLEU_REGISTRY)")
    ours("--mirror", metavar="URL", help="try this address first when downloading (default: $BLEU_MIRROR)")
    ours(
        "--allow-http",
        action="store_true",
        help="follow redirects from https: to http:, where anyone on the network can change the file",
    )

    add, ours = top.group("how to score")
    add("--metrics", "-m", nargs="+", choices=_MetricNames(), metavar="NAME", help="%(choices)s (default: bleu)")
    add("--sentence-level", "-sl", action="store_true", help="print one score per segment")
    ours(
        "--jobs",
        "-J",
        type=int,
        metavar="N",
        help="number of threads (default: one per processor); it never changes a score",
    )
    add("--language-pair", "-l", metavar="xx-YY", help="source and target language; picks BLEU's tokenizer")
    ours("--like", metavar="SIGNATURE", help="score as a published signature says")
    ours(
        "--self-bleu",
        action="store_true",
        help="measure how much texts differ, without references: BLEU of each against all others, and distinct n-grams",
    )
    ours(
        "--groups",
        metavar="FILE",
        help="one label per line; --self-bleu compares texts with the same label, and prints the mean of all groups",
    )
    ours(
        "--explain",
        action="store_true",
        help="explain the score of one segment; with two systems, explain why their scores differ",
    )
    ours("--line", type=int, metavar="N", help="the segment to explain, counted from 1; needed if there are several")

    add, ours = top.group("how certain scores are")
    add("--confidence", "-ci", action="store_true", help="also print a 95%% confidence interval, by bootstrap")
    add(
        "--confidence-n",
        "-cin",
        type=int,
        default=1000,
        metavar="N",
        help="number of resamples, at most 10^7 (default: 1000)",
    )
    add("--paired-bs", "-pbs", action="store_true", help="test against the first system by paired bootstrap")
    add(
        "--paired-ar",
        "-par",
        action="store_true",
        help="test against the first system by paired approximate randomization",
    )
    add(
        "--paired-bs-n",
        "-pbsn",
        type=int,
        default=1000,
        metavar="N",
        help="number of resamples, at most 10^7 (default: 1000)",
    )
    add(
        "--paired-ar-n",
        "-parn",
        type=int,
        default=10000,
        metavar="N",
        help="number of trials, at most 10^7 (default: 10000)",
    )
    ours("--paired-all", action="store_true", help="also test every pair of systems, and rank the systems")
    add(
        "--paired-jobs",
        "-j",
        type=int,
        default=1,
        metavar="N",
        help="number of threads, 0 for one per processor; it never changes a result",
    )
    ours(
        "--segment-scores",
        action="store_true",
        help="read one number per line from each system's file, higher is better: scores by any metric, or human"
        " ratings",
    )

    add, ours = top.group("what to print")
    add(
        "--format",
        "-f",
        choices=FORMATS,
        metavar="NAME",
        help="%(choices)s (default: json; -sl, --detail, --explain: text)",
    )
    add("--score-only", "-b", action="store_true", help="print the score alone")
    add("--width", "-w", type=int, metavar="N", help="decimals (default: 1, or 3 for scores from 0 to 1)")
    ours(
        "--scale",
        type=int,
        metavar="N",
        help="1: scores and the bounds of gates range from 0 to 1 (default: 100; with -f card: 1)",
    )
    add("--short", "-sh", action="store_true", help="use short keys in signatures")
    ours("--names", metavar="A,B...", help="names of the systems, in order")
    ours(
        "--name-by",
        choices=("path", "file"),
        metavar="WHAT",
        help="%(choices)s: name systems by path, or by file name without folder and extension",
    )
    ours(
        "--bold-best",
        action="store_true",
        help="set the best score of each column in bold, and scores that do not differ significantly from it",
    )
    ours(
        "--style",
        choices=STYLES,
        metavar="NAME",
        help="style of tables: %(choices)s, such as 59.4 (59.3 ± 1.1) (p = 0.0010)*, 59.4±1.1*, 59.4* (default: full)",
    )
    ours("--sort", metavar="METRIC", help="sort systems by this metric, best first; a test's baseline stays first")
    ours(
        "--difference",
        action="store_true",
        help="also print the difference from the baseline; with --paired-bs, also its 95%% interval",
    )
    ours("--caption", metavar="TEXT", help="caption of the table, in latex, html and rst")
    ours("--label", metavar="NAME", help="name by which the document refers to the table; needs --caption")
    add("--no-color", "-nc", action="store_true", help="use no colours on a terminal")
    add("--quiet", "-q", action="store_true", help="print no notes, warnings or progress")
    ours("--output", "-o", metavar="FILE", help="write the answer to this file: whole, or not at all")
    ours(
        "--append",
        action="store_true",
        help="add the lines of -f jsonl to the file of --output; several runs may do so at once",
    )

    ours(
        "--save-stats",
        metavar="FILE",
        help="also save the statistics of each segment, for --stats (Parquet; with --engine, a folder)",
    )
    ours(
        "--save-sums",
        metavar="FILE",
        help="also save the sums of the statistics: one row per system, or per group of --by",
    )
    ours("--first-line", type=int, metavar="N", help="for --save-stats: this shard begins at line N of the whole text")

    _, ours = top.group("pages and figures")
    ours(
        "--report",
        metavar="FILE",
        help="also write an HTML page that compares the systems: scores, tests, figures, segments",
    )
    ours(
        "--add-scores",
        action=Once,
        nargs="+",
        metavar="NAME=FILE,FILE",
        help="segment scores of another metric, for --report: one file per system, one number per line, higher is"
        " better",
    )
    ours("--plot", metavar="FILE", help="also draw a figure for a paper: .pdf, .svg or .png")
    ours(
        "--plot-kind",
        choices=("forest", "pairs", "lengths", "segments"),
        metavar="KIND",
        help="%(choices)s (default: forest, scores with intervals)",
    )
    ours(
        "--plot-width", metavar="WIDTH", help="width of the figure, such as 3.3in or 84mm (default: 3.3in, one column)"
    )

    _, ours = top.group("gates for Makefiles and CI")
    ours(
        "--fail-under",
        metavar="X",
        help="exit with 1 if a system is worse than X by the first metric named; or give a bound for each metric:"
        " chrf=55,ter=60",
    )
    ours(
        "--baseline",
        metavar="FILE",
        help="an earlier answer for --max-drop: json, jsonl or statistics; default with --paired-*: the first system",
    )
    ours(
        "--max-drop",
        metavar="D",
        help="exit with 1 if a score is worse than the baseline's by more than D, or D %%; with --paired-*, only if the"
        " difference is also significant; for all metrics, or by metric: bleu=0.3,ter=2%%",
    )
    ours("--strict", action="store_true", help="treat any warning as an error: exit with 2, write no answer")
    ours(
        "--annotate",
        choices=("github",),
        metavar="WHERE",
        help="%(choices)s: also print errors and warnings as annotations",
    )

    add, ours = top.group("other")
    add("--version", "-V", action="store_true", help="print the version and the kernels in use")
    ours(
        "--serve",
        nargs="?",
        const="8765",
        metavar="PORT",
        help="serve a page that scores as you type, and an endpoint for programs, for this machine only (default: 8765;"
        " 0: any free port)",
    )
    ours(
        "--sacrebleu-path",
        action="store_true",
        help="print a folder to put on PYTHONPATH; programs that import sacrebleu then use bleucli",
    )
    ours(
        "--versus-sacrebleu",
        action="store_true",
        help="run bleu and sacreBLEU, which must be installed, on the same texts; print numbers and times side by side",
    )
    ours("--list-tokenizers", action="store_true", help="list tokenizers, what they are for and what they need")
    add("--help", "-h", action="store_true", help="print a short page; --help all prints this one")

    return top


def has_gates(options: Options) -> bool:
    """Return whether an option asks for a gate."""
    return any(gate is not None for gate in (options.fail_under, options.max_drop, options.baseline))


def asks_for_resampling(options: Options) -> bool:
    """Return whether an option about resampling or its results was given, even one that has no effect by itself."""
    return any(name.startswith(("confidence", "difference", "paired_", "style")) for name in options.given)
