"""Every option of the command, once, and the options of one run as an immutable record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from bleucli.errors import UsageError
from bleucli.limits import MOST_TRIALS, read_number, read_whole_number
from bleucli.output import FORMATS
from bleucli.output.layout import STYLES
from bleucli.records import NamedTuple
from bleucli.results import UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from bleucli.metrics.options import Option as MetricOption

# For each method of resampling: the option that asks for it, and that for its number of trials
RESAMPLING = {
    "ci": ("confidence", "confidence_n"),
    "bs": ("paired_bs", "paired_bs_n"),
    "ar": ("paired_ar", "paired_ar_n"),
}
# Types of values, each with the function that reads one, and with what it expects
VALUES: Mapping[type, tuple[Callable[[str], str | float], str]] = {
    str: (str, "text"),
    int: (read_whole_number, "a whole number"),
    float: (read_number, "a number"),
}


class Option(NamedTuple):
    """How one option is written, and what it takes; without flags, it is an argument.

    kind: the type of its value; `bool` for an option without a value. nargs, const, metavar, choices: as in argparse.
    once: whether it may be given only once, with all its values. bounds: the smallest and the largest number, and what
    it counts. theirs: whether sacreBLEU has this option, too.
    """

    flags: tuple[str, ...]
    help: str
    kind: type = str
    default: str | int | None = None
    nargs: str | None = None
    const: str | None = None
    metavar: str | None = None
    choices: Collection[str] | None = None
    once: bool = False
    bounds: tuple[int, int, str] | None = None
    theirs: bool = False

    def value_of_absent(self) -> Any:
        """Return the value of the option where it is not given."""
        if self.kind is bool:
            return False
        return [] if self.nargs == "*" else self.default


class _MetricNames:
    """The names of the metrics and their variants; only iterating over them imports the metrics, which takes time."""

    def __iter__(self) -> Iterator[str]:
        from bleucli.metrics import METRICS, VARIANTS

        for name in METRICS:
            yield name
            yield from (variant for variant, (base, _) in VARIANTS.items() if base == name)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, word: object) -> bool:
        from bleucli.metrics import find_name

        return find_name(str(word)) != ""

    def tell_wrong(self, word: str) -> str:
        """Return what to do about a word that means no metric."""
        from bleucli.metrics import tell_unknown

        return tell_unknown(word)


_THREADS = (0, 1024, "a number of threads (0: one per processor)")
# The options by the headings of the help, in its order; those of metrics stand beside their classes
GROUPS: Mapping[str, Mapping[str, Option]] = {
    "what to score": {
        "refs": Option((), "reference files, one segment per line; put them before -i", nargs="*", metavar="REF"),
        "input": Option(
            ("--input", "-i"),
            "system outputs, one file per system; - is stdin",
            nargs="+",
            metavar="SYSTEM",
            once=True,
            theirs=True,
        ),
        "num_refs": Option(
            ("--num-refs", "-nr"),
            "split a single reference file into N references, at tabs",
            int,
            metavar="N",
            bounds=(1, 1000, "a number"),
            theirs=True,
        ),
        "encoding": Option(
            ("--encoding", "-e"),
            "encoding of all text files and stdin (default: utf-8)",
            default="utf-8",
            metavar="NAME",
            theirs=True,
        ),
        "keep_going": Option(
            ("--keep-going",), "if some systems cannot be scored, score the others and exit with 2", bool
        ),
        "jsonl": Option(("--jsonl",), "read stdin as JSON Lines; files named .jsonl or .ndjson need no option", bool),
        "jsonl_fields": Option(
            ("--jsonl-fields",),
            "the fields that hold the texts, or paths such as out.0; several systems: hyp=a:out.0,b:out.1",
            metavar="hyp=NAME,refs=NAME",
        ),
        "partial": Option(
            ("--partial",), "score the items of JSON Lines that all files have, joined by their ids", bool
        ),
        "labels": Option(
            ("--labels",),
            "labels of the segments, such as doc and domain: a file with tab-separated columns, named in its first"
            " line",
            metavar="FILE",
        ),
        "label_names": Option(
            ("--label-names",), "the names of the columns of --labels, if no line has them", metavar="NAME[,NAME...]"
        ),
        "level": Option(
            ("--level",),
            "doc: score the segments of a document as one text, joined by spaces (default: segment)",
            metavar="NAME",
            choices=UNITS,
        ),
        "stats": Option(
            ("--stats",),
            "read statistics instead of texts, from files that bleu count wrote; FILE may be a folder or a"
            " pattern, and shards may be in any order",
            nargs="+",
            metavar="FILE",
            once=True,
        ),
        "table": Option(
            ("--table",),
            "read texts from columns of Parquet or Arrow IPC files; FILE may be a folder or a pattern",
            nargs="+",
            metavar="FILE",
            once=True,
        ),
        "columns": Option(
            ("--columns",),
            "the columns of --table that hold the texts (default: hyp=hyp,refs=ref); several systems: hyp=a,b",
            metavar="hyp=NAME,refs=NAME",
        ),
        "by": Option(
            ("--by",),
            "print one score for each combination of these labels: columns of --labels, --stats or --table, fields of"
            " JSON Lines, or a test set's own",
            nargs="+",
            metavar="LABEL",
        ),
        "engine": Option(
            ("--engine",),
            "%(choices)s: count --table on the cluster that this engine is configured for",
            metavar="NAME",
            choices=("dask", "ray", "spark"),
        ),
    },
    "test sets": {
        "test_set": Option(
            ("--test-set", "-t"),
            "score against test sets instead of reference files; needs -l",
            metavar="NAME[,NAME...]",
            theirs=True,
        ),
        "origlang": Option(
            ("--origlang", "-ol"),
            "use only segments first written in xx; non-xx: all others",
            metavar="xx",
            theirs=True,
        ),
        "subset": Option(
            ("--subset",), "use only segments of a domain, or of a country (country:XX)", metavar="REGEX", theirs=True
        ),
        "detail": Option(
            ("--detail", "-d"), "also print a score for each original language and domain", bool, theirs=True
        ),
        "echo": Option(
            ("--echo",),
            "print these fields as columns (src, ref, docid...); all prints every field",
            nargs="+",
            metavar="FIELD",
            theirs=True,
        ),
        "list": Option(
            ("--list",),
            "list test sets; with -l, those with this pair; with -t, the pairs and fields of that test set",
            bool,
            theirs=True,
        ),
        "cite": Option(
            ("--cite", "--citation"),
            "print what to cite for -t, or for -m, -tok, --paired-ar..., as BibTeX",
            bool,
            theirs=True,
        ),
        "download": Option(
            ("--download",), "download a test set; with -l, only this language pair", metavar="NAME", theirs=True
        ),
        "registry": Option(
            ("--registry",), "a TOML file that defines your own test sets (default: $BLEU_REGISTRY)", metavar="FILE"
        ),
        "mirror": Option(
            ("--mirror",), "try this address first when downloading (default: $BLEU_MIRROR)", metavar="URL"
        ),
        "allow_http": Option(
            ("--allow-http",),
            "follow redirects from https: to http:, where anyone on the network can change the file",
            bool,
        ),
    },
    "how to score": {
        "metrics": Option(
            ("--metrics", "-m"),
            "%(choices)s (default: bleu)",
            nargs="+",
            metavar="NAME",
            choices=_MetricNames(),
            theirs=True,
        ),
        "sentence_level": Option(("--sentence-level", "-sl"), "print one score per segment", bool, theirs=True),
        "jobs": Option(
            ("--jobs", "-J"),
            "number of threads (default: one per processor); it never changes a score",
            int,
            metavar="N",
            bounds=_THREADS,
        ),
        "language_pair": Option(
            ("--language-pair", "-l"),
            "source and target language; picks BLEU's tokenizer",
            metavar="xx-YY",
            theirs=True,
        ),
        "like": Option(("--like",), "score as a published signature says", metavar="SIGNATURE"),
    },
    "how certain scores are": {
        "confidence": Option(
            ("--confidence", "-ci"), "also print a 95%% confidence interval, by bootstrap", bool, theirs=True
        ),
        "confidence_n": Option(
            ("--confidence-n", "-cin"),
            "number of resamples, at most 10^7 (default: 1000)",
            int,
            default=1000,
            metavar="N",
            bounds=(2, MOST_TRIALS, "a number"),
            theirs=True,
        ),
        "paired_bs": Option(
            ("--paired-bs", "-pbs"), "test against the first system by paired bootstrap", bool, theirs=True
        ),
        "paired_ar": Option(
            ("--paired-ar", "-par"),
            "test against the first system by paired approximate randomization",
            bool,
            theirs=True,
        ),
        "paired_bs_n": Option(
            ("--paired-bs-n", "-pbsn"),
            "number of resamples, at most 10^7 (default: 1000)",
            int,
            default=1000,
            metavar="N",
            bounds=(2, MOST_TRIALS, "a number"),
            theirs=True,
        ),
        "paired_ar_n": Option(
            ("--paired-ar-n", "-parn"),
            "number of trials, at most 10^7 (default: 10000)",
            int,
            default=10000,
            metavar="N",
            bounds=(1, MOST_TRIALS, "a number"),
            theirs=True,
        ),
        "unit": Option(
            ("--unit",),
            "doc: resample whole documents, named by the label doc (default: segment, as sacreBLEU)",
            metavar="NAME",
            choices=UNITS,
        ),
        "paired_all": Option(("--paired-all",), "also test every pair of systems, and rank the systems", bool),
        "paired_jobs": Option(
            ("--paired-jobs", "-j"),
            "number of threads, 0 for one per processor; it never changes a result",
            int,
            default=1,
            metavar="N",
            bounds=_THREADS,
            theirs=True,
        ),
        "segment_scores": Option(
            ("--segment-scores",),
            "read one number per line from each system's file, higher is better: scores by any metric, or human"
            " ratings",
            bool,
        ),
    },
    "what to print": {
        "format": Option(
            ("--format", "-f"),
            "%(choices)s (default: json; -sl, --detail: text)",
            metavar="NAME",
            choices=FORMATS,
            theirs=True,
        ),
        "score_only": Option(("--score-only", "-b"), "print the score alone", bool, theirs=True),
        "width": Option(
            ("--width", "-w"),
            "decimals (default: 1, or 3 for scores from 0 to 1)",
            int,
            metavar="N",
            bounds=(0, 1000, "a number of decimals"),
            theirs=True,
        ),
        "scale": Option(
            ("--scale",),
            "1: scores and the bounds of gates range from 0 to 1 (default: 100; with -f card: 1)",
            int,
            metavar="N",
        ),
        "short": Option(("--short", "-sh"), "use short keys in signatures", bool, theirs=True),
        "names": Option(("--names",), "names of the systems, in order", metavar="A,B..."),
        "name_by": Option(
            ("--name-by",),
            "%(choices)s: name systems by path, or by file name without folder and extension",
            metavar="WHAT",
            choices=("path", "file"),
        ),
        "bold_best": Option(
            ("--bold-best",),
            "set the best score of each column in bold, and scores that do not differ significantly from it",
            bool,
        ),
        "style": Option(
            ("--style",),
            "style of tables: %(choices)s, such as 59.4 (59.3 ± 1.1) (p = 0.0010)*, 59.4±1.1*, 59.4* (default: full)",
            metavar="NAME",
            choices=STYLES,
        ),
        "sort": Option(
            ("--sort",), "sort systems by this metric, best first; a test's baseline stays first", metavar="METRIC"
        ),
        "difference": Option(
            ("--difference",),
            "also print the difference from the baseline; with --paired-bs, also its 95%% interval",
            bool,
        ),
        "caption": Option(("--caption",), "caption of the table, in latex, html and rst", metavar="TEXT"),
        "label": Option(
            ("--label",), "name by which the document refers to the table; needs --caption", metavar="NAME"
        ),
        "no_color": Option(("--no-color", "-nc"), "use no colours on a terminal", bool, theirs=True),
        "quiet": Option(("--quiet", "-q"), "print no notes, warnings or progress", bool, theirs=True),
        "output": Option(("--output", "-o"), "write the answer to this file: whole, or not at all", metavar="FILE"),
        "append": Option(
            ("--append",), "add the lines of -f jsonl to the file of --output; several runs may do so at once", bool
        ),
    },
    "gates for Makefiles and CI": {
        "fail_under": Option(
            ("--fail-under",),
            "exit with 1 if a system is worse than X by the first metric named; or give a bound for each metric:"
            " chrf=55,ter=60",
            metavar="X",
        ),
        "baseline": Option(
            ("--baseline",),
            "an earlier answer for --max-drop: json, jsonl or statistics; default with --paired-*: the first system",
            metavar="FILE",
        ),
        "max_drop": Option(
            ("--max-drop",),
            "exit with 1 if a score is worse than the baseline's by more than D, or D %%; with --paired-*, only if"
            " the difference is also significant; for all metrics, or by metric: bleu=0.3,ter=2%%",
            metavar="D",
        ),
        "strict": Option(("--strict",), "treat any warning as an error: exit with 2, write no answer", bool),
        "annotate": Option(
            ("--annotate",),
            "%(choices)s: also print errors and warnings as annotations",
            metavar="WHERE",
            choices=("github",),
        ),
    },
    "other": {
        "version": Option(("--version", "-V"), "print the version and the kernels in use", bool, theirs=True),
        "sacrebleu_path": Option(
            ("--sacrebleu-path",),
            "print a folder to put on PYTHONPATH; programs that import sacrebleu then use bleucli",
            bool,
        ),
        "list_tokenizers": Option(
            ("--list-tokenizers",), "list tokenizers, what they are for and what they need", bool
        ),
        "help": Option(("--help", "-h"), "print a short page; --help all prints this one", bool, theirs=True),
    },
}
OPTIONS = {name: option for group in GROUPS.values() for name, option in group.items()}


class Options:
    """What the command was asked for, each option by its name in `OPTIONS`.

    command: the name of the command, "" for scoring. given: the options that the command line set. of_metrics: for each
    metric, the arguments of its constructor that its flags or the signature of `--like` set. followed: the metric that
    this signature belongs to, or "".
    """

    # Of the metrics, which all have them
    skip_empty_refs = False
    normalize = ""
    # Of one command
    matrix: str | None = None
    port: str | None = None
    line: int | None = None
    groups: str | None = None
    fetch = False
    sums = False
    first_line: int | None = None
    source: str | None = None
    add_scores: Sequence[str] | None = None
    kind: str | None = None
    figure_width: str | None = None
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an option."""

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
        arguments: Mapping[str, Any] = self.of_metrics.get(name, {})
        return arguments

    def replace(self, **values: Any) -> Options:
        """Return a copy with some values replaced."""
        return Options(vars(self) | values)


def flag_of(name: str) -> str:
    """Return an option as users write it; references have no flag.

    >>> flag_of("test_set"), flag_of("refs")
    ('--test-set', 'references')
    """
    return "references" if name == "refs" else f"--{name.replace('_', '-')}"


def flags_of(name: str) -> dict[str, MetricOption]:
    """Return the options of one metric that have flags, by the names that the parser gives them."""
    from bleucli.metrics import METRICS

    return {option.dest: option for option in METRICS[name].options if option.flags and not option.shared}


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
    from bleucli.tokenizers import DEFAULT, default_for, languages, two_letters

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
