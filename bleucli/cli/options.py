"""Every option of the command, once, as a record; and the options of one run.

- `Option`: how an option is written, what it takes, needs and excludes, and when it has no effect
- `GROUPS`, `OPTIONS`: all of them but those of metrics, which stand beside the metrics' classes
- `Options`: what one run was asked for

`bleucli.cli.request` checks the options of a run by their records.
"""

from __future__ import annotations

from bleucli.errors import UsageError
from bleucli.limits import MOST_TRIALS, read_number, read_whole_number
from bleucli.output import FORMATS, SEGMENT_FORMATS
from bleucli.output.layout import STYLES, is_label
from bleucli.records import NamedTuple
from bleucli.results import UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from bleucli.metrics.options import Option as MetricOption

    # Conditions by what to say where they are true; it may have the names of options in braces
    Conditions = Mapping[str, Callable[["Options"], object]]

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
# The commands that always compare systems, by intervals and tests
COMPARISONS = ("plot", "report")


class Option(NamedTuple):
    """One option: how it is written, and what judges it.

    spelling: its flags, if any, and its value as the help shows it: `-i SYSTEM ...` takes several words, `[PORT]` is an
    argument that may be absent, N is a whole number. help: as in argparse. default: its value where it is absent.
    choices: its values. once: whether it may be given only once, with all its values. bounds: the smallest and the
    largest number, and what it counts.

    beside: for an option that asks for other things than scores, those that it can be combined with, between spaces.
    apart: those that it cannot be combined with, by the reason, which may say what to do after a semicolon. wrong: when
    its value is wrong. lacks: when another option is missing. idle: when it has no effect. contrary: when something of
    ours takes its effect, so that it is refused even if it is sacreBLEU's.
    """

    spelling: str
    help: str
    default: str | int | None = None
    choices: Collection[str] | None = None
    once: bool = False
    bounds: tuple[int, int, str] | None = None
    beside: str | None = None
    wrong: Conditions | None = None
    lacks: Conditions | None = None
    apart: Mapping[str, str] | None = None
    idle: Conditions | None = None
    contrary: Conditions | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags, the long form first; none for an argument."""
        return tuple(word for word in self.spelling.split() if word[0] == "-")

    @property
    def metavar(self) -> str:
        """What its value is called; "" for an option without a value."""
        words = self.spelling.removesuffix("]" if self.spelling[0] == "[" else "").removesuffix(" ...").split()
        return "" if words[-1][0] == "-" else words[-1].removeprefix("[")

    @property
    def kind(self) -> type:
        """The type of its value, or of each one."""
        return {"": bool, "N": int}.get(self.metavar, str)

    @property
    def nargs(self) -> str | None:
        """How many words it takes, as in argparse."""
        is_optional = self.spelling[0] == "["
        return ("*" if is_optional else "+") if " ..." in self.spelling else "?" if is_optional else None

    def absent_value(self) -> Any:
        """Return the value of the option where it is not given."""
        if self.spelling[0] == "[":
            return [] if " ..." in self.spelling else None
        return False if self.spelling.rpartition(" ")[2][0] == "-" else self.default


class Options:
    """What the command was asked for, each option by its name in `OPTIONS`.

    command: the name of the command, "" for scoring. given: the options that the command line set. of_metrics: for each
    metric, the arguments of its constructor that its flags or the signature of `--like` set. followed: the metric that
    this signature belongs to, or "". words: the command line, as it was typed.

    Where conditions are asked, also what is known of the answer. scored: the metrics, none where numbers are read.
    systems: how many. format, form: that of the answer, and what it can show; "" and None if no scores are printed.
    segments: whether each segment gets its own score.
    """

    # Of the metrics, which all have them
    skip_empty_refs = False
    normalize = ""
    # Of one command, but read for all
    sums = False
    scores: Sequence[str] | None = None
    words: Sequence[str] = ()
    # The names of scores from elsewhere in files of statistics
    saved_scores: Sequence[str] = ()
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

    def has(self, name: str) -> bool:
        """Return whether an option is set; commands need not take it."""
        value = getattr(self, name, None)
        return value is not None and value is not False and value != []

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


def has_gates(options: Options) -> bool:
    """Return whether an option asks for a gate."""
    return any(map(options.has, ("fail_under", "max_drop", "baseline")))


def is_tested(options: Options) -> bool:
    """Return whether an option asks for a paired test."""
    return bool(options.paired_bs or options.paired_ar)


def is_resampled(options: Options) -> bool:
    """Return whether anything is resampled."""
    return bool(options.command in COMPARISONS or options.confidence or is_tested(options))


def reads_items(options: Options) -> bool:
    """Return whether some texts are JSON Lines, whose items may have labels."""
    from bleucli.reading.jsonlines import is_jsonl

    paths = [] if options.table or options.stats else [*options.refs, *(options.input or ["-"])]
    return any(options.jsonl if path == "-" else is_jsonl(path) for path in paths)


def asks_for_resampling(options: Options) -> bool:
    """Return whether an option about resampling or its results was given, even one that has no effect by itself."""
    return any(name.startswith(("confidence", "difference", "paired_", "style")) for name in options.given)


# --- conditions that several options share, or that need more than a line

_SAVED = "the texts were read when the statistics were saved"


def _has_long_lines(run: Options) -> bool:
    """Return whether segments are printed as long lines of jsonl, which have no labels and texts."""
    return bool(run.format == "jsonl" and run.rows != "wide")


def _reads_no_labels(run: Options) -> bool:
    readers = {"by", "unit", "level", *(name for name, _ in RESAMPLING.values())}
    if run.test_set is None:  # which has its own parts
        readers |= {"origlang", "subset", "detail"}
    if run.segments and run.form.segment_table and not _has_long_lines(run):
        return False
    return not run.command and run.given.isdisjoint(readers)


def _names_tokenizer(run: Options) -> bool:
    """Return whether a tokenizer is named; if the language has its own, a hint compares both instead."""
    from bleucli.tokenizers import DEFAULT, default_for

    # Items of JSON Lines may be of several language pairs
    if run.test_set is not None or "tokenize" not in run.of_metric("bleu") or reads_items(run):
        return False
    return default_for(target_language(run.language_pair)) == DEFAULT


def _is_nameless(run: Options) -> bool:
    if run.form is None or run.systems > 1 or has_gates(run) or run.by is not None:
        return False
    return run.score_only or run.command == "explain" or not run.form.names_one


def _lacks_bold(run: Options) -> bool:
    """Return whether a table has no bold type; text may have it, since a script does not know where it runs."""
    return not (run.score_only or run.segments or run.form.shows_bold(not run.no_color))


def _lacks_parts(run: Options) -> bool:
    return run.test_set is None and run.labels is None and not reads_items(run)


_NO_PARTS: Conditions = {
    "needs a test set, named with -t and -l, labels, named with --labels, or JSON Lines": _lacks_parts
}
_NO_ROWS: Conditions = {
    "cannot be combined with --engine: only sums leave the engine; save the statistics of each segment with bleu count"
    " -o FOLDER, then run bleu --stats FOLDER, or resample documents with --unit doc": (
        lambda run: run.has("engine") and run.unit != "doc"
    )
}
_NAMELESS: Conditions = {"a single score is printed without a name": _is_nameless}
_NO_CORPUS: Conditions = {"needs a corpus score; leave out --sentence-level": lambda run: run.sentence_level}
_NO_DOWNLOAD: Conditions = {
    "nothing is downloaded": lambda run: run.test_set is None and "tokenize" not in run.of_metric("bleu")
}
_NO_TABLE: Conditions = {
    "bare scores are not a table": lambda run: run.score_only,
    "segments are not a table of systems": lambda run: run.segments,
    "there is no table": lambda run: (
        run.form.is_table and not run.form.tabulates_one and run.systems == 1 and run.by is None
    ),
}
_NO_SEGMENTS: Conditions = {
    "is for tables of segments; add --sentence-level": lambda run: not run.sentence_level,
}
_NO_SEGMENT_TABLE: Conditions = {
    "{format} is not a table of segments, as csv, tsv, parquet and jsonl are": lambda run: not run.form.segment_table
}
_NO_CAPTION: Conditions = {**_NO_TABLE, "{format} has no captions": lambda run: not run.form.captions}


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
        "refs": Option("[REF ...]", "reference files, one segment per line; put them before -i"),
        "input": Option("--input -i SYSTEM ...", "system outputs, one file per system; - is stdin", once=True),
        "num_refs": Option(
            "--num-refs -nr N",
            "split a single reference file into N references, at tabs",
            bounds=(1, 1000, "a number"),
        ),
        "encoding": Option(
            "--encoding -e NAME",
            "encoding of all text files and stdin (default: utf-8)",
            default="utf-8",
            idle={"text in tables is UTF-8": lambda run: run.has("table"), _SAVED: lambda run: run.has("stats")},
        ),
        "keep_going": Option(
            "--keep-going",
            "if some systems cannot be scored, score the others and exit with 2",
            apart={
                "segments are printed for all systems or for none": "sentence_level",
                "there are no references that a system could fail to match": "segment_scores",
            },
        ),
        "jsonl": Option("--jsonl", "read stdin as JSON Lines; files named .jsonl or .ndjson need no option"),
        "jsonl_fields": Option(
            "--jsonl-fields hyp=NAME,refs=NAME",
            "the fields that hold the texts, or paths such as out.0; several systems: hyp=a:out.0,b:out.1",
        ),
        "partial": Option(
            "--partial",
            "score the items of JSON Lines that all files have, joined by their ids",
            apart={"it scores what all have, so no system is left out": "keep_going"},
        ),
        "labels": Option(
            "--labels FILE",
            "labels of the segments, such as doc and domain: a file with tab-separated columns, named in its first"
            " line",
            idle={
                "nothing reads labels: --by, --unit doc, --level doc, parts and tables of segments do": _reads_no_labels
            },
        ),
        "label_names": Option(
            "--label-names NAME[,NAME...]",
            "the names of the columns of --labels, if no line has them",
            lacks={"names the columns of --labels; add --labels FILE": lambda run: not run.has("labels")},
        ),
        "level": Option(
            "--level NAME",
            "doc: score the segments of a document as one text, joined by spaces (default: segment)",
            choices=UNITS,
        ),
        "stats": Option(
            "--stats FILE ...",
            "read statistics instead of texts, from files that bleu count wrote; FILE may be a folder or a"
            " pattern, and shards may be in any order",
            once=True,
            apart={
                _SAVED: "refs input num_refs jsonl jsonl_fields partial labels label_names level test_set"
                " keep_going columns",
                "here, the parts of a test set are groups; write --by origlang domain instead": (
                    "origlang subset detail"
                ),
            },
        ),
        "table": Option(
            "--table FILE ...",
            "read texts from columns of Parquet or Arrow IPC files, joined by ids if their columns differ; FILE may be"
            " a folder or a pattern",
            once=True,
            apart={
                "columns hold all texts": "refs input num_refs jsonl jsonl_fields test_set stats",
                "columns hold all labels": "labels label_names",
                "documents are made of text files and test sets": "level",
                "all columns have the same length, so no system is left out": "keep_going",
                "columns hold hypotheses and references": "segment_scores",
            },
        ),
        "columns": Option(
            "--columns hyp=NAME,refs=NAME",
            "the columns of --table that hold the texts (default: hyp=hyp,refs=ref); several systems: hyp=a,b",
            lacks={"names columns of --table; add --table, or leave out --columns": lambda run: not run.has("table")},
        ),
        "by": Option(
            "--by LABEL ...",
            "print one score for each combination of these labels: columns of --labels, --stats or --table, fields of"
            " JSON Lines, or a test set's own",
            apart={"each group is scored by itself": "sentence_level segment_scores baseline"},
        ),
        "engine": Option(
            "--engine NAME",
            "%(choices)s: count --table on the cluster that this engine is configured for",
            choices=("dask", "ray", "spark"),
            apart={
                "only sums leave the engine; save the statistics of each segment with bleu count -o FOLDER, then run"
                " bleu --stats FOLDER": "sentence_level",
            },
            lacks={
                "counts the tables that --table names; add --table, or leave out --engine": lambda run: (
                    not run.has("table")
                )
            },
        ),
    },
    "test sets": {
        "test_set": Option(
            "--test-set -t NAME[,NAME...]", "score against test sets instead of reference files; needs -l"
        ),
        "origlang": Option(
            "--origlang -ol xx",
            "use only segments first written in xx; non-xx: all others",
            lacks=_NO_PARTS,
        ),
        "subset": Option(
            "--subset REGEX",
            "use only segments of a domain, or of a country (country:XX)",
            lacks=_NO_PARTS,
        ),
        "detail": Option(
            "--detail -d",
            "also print a score for each original language and domain",
            apart={"--detail gives corpus scores": "sentence_level"},
            idle={
                "only a test set, named with -t and -l, --labels or JSON Lines say which parts there are": _lacks_parts
            },
        ),
        "echo": Option(
            "--echo FIELD ...",
            "print these fields as columns (src, ref, docid...); all prints every field",
            beside="test_set language_pair origlang subset registry mirror allow_http",
        ),
        "list": Option(
            "--list",
            "list test sets; with -l, those with this pair; with -t, the pairs and fields of that test set",
            beside="test_set language_pair registry mirror allow_http",
        ),
        "cite": Option(
            "--cite --citation",
            "print what to cite for -t, or for -m, -tok, --paired-ar..., as BibTeX",
            beside=(
                "test_set registry language_pair metrics tokenize smooth_method chrf_word_order matrix confidence"
                " paired_bs paired_ar paired_all segment_scores bold_best style difference"
                # where the texts are, which are not read: what a run should cite does not depend on them
                " refs input num_refs encoding jsonl jsonl_fields table columns names name_by skip_empty_refs"
                " normalize"
            ),
        ),
        "download": Option(
            "--download NAME",
            "download a test set; with -l, only this language pair",
            beside="language_pair registry mirror allow_http",
        ),
        "registry": Option(
            "--registry FILE",
            "a TOML file that defines your own test sets (default: $BLEU_REGISTRY)",
            idle={"no test set is named": lambda run: run.test_set is None},
        ),
        "mirror": Option(
            "--mirror URL", "try this address first when downloading (default: $BLEU_MIRROR)", idle=_NO_DOWNLOAD
        ),
        "allow_http": Option(
            "--allow-http",
            "follow redirects from https: to http:, where anyone on the network can change the file",
            idle=_NO_DOWNLOAD,
        ),
    },
    "how to score": {
        "metrics": Option("--metrics -m NAME ...", "%(choices)s (default: bleu)", choices=_MetricNames()),
        "sentence_level": Option(
            "--sentence-level -sl",
            "print one score per segment; of several systems and metrics, with -f csv, tsv, jsonl or parquet",
            idle={
                "it turns on BLEU's effective order, and BLEU is not scored": lambda run: (
                    run.command == "explain" and "bleu" not in run.scored
                )
            },
        ),
        "jobs": Option(
            "--jobs -J N",
            "number of threads (default: one per processor); it never changes a score",
            bounds=_THREADS,
            idle={"{engine} decides how many workers there are": lambda run: run.has("engine")},
        ),
        "language_pair": Option(
            "--language-pair -l xx-YY",
            "source and target language; picks BLEU's tokenizer",
            idle={
                "it picks BLEU's tokenizer, and BLEU is not scored": lambda run: (
                    run.test_set is None and "bleu" not in run.scored and not reads_items(run)
                ),
                "it picks BLEU's tokenizer, which --tokenize names": lambda run: (
                    _names_tokenizer(run) and "tokenize" in run.given
                ),
                "it picks BLEU's tokenizer, which --like names": _names_tokenizer,
                _SAVED: lambda run: run.has("stats"),
            },
        ),
        "like": Option(
            "--like SIGNATURE",
            "score as a published signature says",
            wrong={
                "is a signature of self-BLEU; write bleu diversity TEXT --like ...": lambda run: (
                    run.like.name == "Self-BLEU" and run.command != "diversity"
                )
            },
        ),
    },
    "how certain scores are": {
        "confidence": Option(
            "--confidence -ci",
            "also print a 95%% confidence interval, by bootstrap",
            wrong=_NO_CORPUS,
            lacks=_NO_ROWS,
        ),
        "confidence_n": Option(
            "--confidence-n -cin N",
            "number of resamples, at most 10^7 (default: 1000)",
            default=1000,
            bounds=(2, MOST_TRIALS, "a number"),
            idle={
                "a matrix that is tested by approximate randomization has no intervals": lambda run: (
                    run.command == "plot" and run.has("matrix") and run.paired_ar
                ),
                "a paired bootstrap has intervals of its own": lambda run: run.command in COMPARISONS and run.paired_bs,
                "it needs --confidence": lambda run: run.command not in COMPARISONS and not run.confidence,
            },
        ),
        "paired_bs": Option(
            "--paired-bs -pbs",
            "test against the first system by paired bootstrap",
            wrong=_NO_CORPUS,
            lacks=_NO_ROWS,
        ),
        "paired_ar": Option(
            "--paired-ar -par",
            "test against the first system by paired approximate randomization",
            wrong=_NO_CORPUS,
            lacks=_NO_ROWS,
        ),
        "paired_bs_n": Option(
            "--paired-bs-n -pbsn N",
            "number of resamples, at most 10^7 (default: 1000)",
            default=1000,
            bounds=(2, MOST_TRIALS, "a number"),
            idle={"it needs --paired-bs": lambda run: not run.paired_bs},
        ),
        "paired_ar_n": Option(
            "--paired-ar-n -parn N",
            "number of trials, at most 10^7 (default: 10000)",
            default=10000,
            bounds=(1, MOST_TRIALS, "a number"),
            idle={"it needs --paired-ar": lambda run: not run.paired_ar},
        ),
        "unit": Option(
            "--unit NAME",
            "doc: resample whole documents, named by the label doc (default: segment, as sacreBLEU)",
            choices=UNITS,
            idle={"nothing is resampled": lambda run: not is_resampled(run)},
        ),
        "paired_all": Option(
            "--paired-all",
            "also test every pair of systems, and rank the systems",
            lacks={
                **_NO_ROWS,
                "is for --matrix, since other figures always test every pair; leave it out": lambda run: (
                    run.command == "plot" and not run.has("matrix")
                ),
                "needs a paired test; add --paired-bs or --paired-ar": lambda run: not is_tested(run),
            },
        ),
        "paired_jobs": Option(
            "--paired-jobs -j N",
            "number of threads, 0 for one per processor; it never changes a result",
            default=1,
            bounds=_THREADS,
            idle={"nothing is resampled": lambda run: not is_resampled(run)},
        ),
        "scores": Option(
            "--scores NAME=FILE,FILE ...",
            "segment scores of another metric as a column: a file for each system, or one for all; NAME:lower if lower"
            " is better",
            once=True,
            apart={
                "workers have no scores, but bleu count --engine saves counts, and bleu --stats --scores adds scores to"
                " them": "engine",
                "it reads scores instead of texts": "segment_scores",
            },
        ),
        "segment_scores": Option(
            "--segment-scores",
            "read one number per line from each system's file, higher is better: scores by any metric, or human"
            " ratings",
            apart={"numbers are not texts": "partial level", "labels are those of texts": "labels label_names unit"},
            wrong={
                "takes numbers as they are; leave out references, -t, -m, -sl and --like: bleu --segment-scores -i"
                " a.txt b.txt": lambda run: any(map(run.has, ("refs", "test_set", "metrics", "sentence_level", "like")))
            },
        ),
    },
    "what to print": {
        "format": Option(
            "--format -f NAME",
            "%(choices)s (default: json; -sl, --detail: text)",
            choices=(*FORMATS, *SEGMENT_FORMATS),
            wrong={
                "{format} is for segments; add --sentence-level, or choose another format": lambda run: (
                    run.format in SEGMENT_FORMATS and not run.sentence_level
                )
            },
            contrary={
                "segments are printed as text, json, jsonl, csv, tsv or parquet, not as {format}": lambda run: (
                    not run.form.of_sacrebleu and run.segments and not (run.form.segments or run.form.segment_table)
                ),
                "bare scores are numbers, not {format}": lambda run: (
                    not run.form.of_sacrebleu and run.score_only and run.systems == 1 and run.by is None
                ),
            },
            idle={
                "segments are printed as text, JSON or tables": lambda run: (
                    run.segments and not (run.form.segments or run.form.segment_table)
                ),
                "bare scores have no format": lambda run: (
                    run.score_only and run.form.of_sacrebleu and run.form.captions
                ),
            },
        ),
        "edit_counts": Option(
            "--edit-counts",
            "also print the hits and edits of WER, CER and TER by kind, in json, jsonl, csv and tsv",
            apart={
                _SAVED: "stats",
                "only sums for scores leave the engine": "engine",
                "an earlier answer lacks them": "baseline",
                "segments have them only in jsonl; leave out --rows": "rows",
            },
            idle={
                "WER, CER and TER are not scored": lambda run: {*run.scored}.isdisjoint(("wer", "cer", "ter")),
                "bare scores have no parts": lambda run: run.score_only,
                "segments have them only in jsonl": lambda run: run.segments and run.format != "jsonl",
                "{format} does not show parts of scores, as json, jsonl, csv and tsv do": lambda run: (
                    not run.form.by_row
                ),
            },
        ),
        "rows": Option(
            "--rows NAME",
            "%(choices)s: with -sl, the rows of csv, tsv, parquet and jsonl: wide, one per segment, or long, one per"
            " score (default: wide; jsonl: long)",
            choices=("wide", "long"),
            lacks=_NO_SEGMENTS,
            wrong={
                "wide: a history has one score per line; leave out --append": lambda run: (
                    run.rows == "wide" and run.append
                )
            },
            idle=_NO_SEGMENT_TABLE,
        ),
        "texts": Option(
            "--texts",
            "with -sl, also print references and outputs",
            lacks=_NO_SEGMENTS,
            apart={"statistics have no texts": "stats"},
            wrong={"has no room in long lines of jsonl; add --rows wide": _has_long_lines},
            idle=_NO_SEGMENT_TABLE,
        ),
        "score_only": Option(
            "--score-only -b",
            "print the score alone",
            contrary={
                "several systems are printed as a table": lambda run: run.systems > 1,
                "groups are printed as a table": lambda run: run.by is not None,
            },
        ),
        "width": Option(
            "--width -w N",
            "decimals (default: 1, or 3 for scores from 0 to 1)",
            bounds=(0, 1000, "a number of decimals"),
            idle={
                "JSON of a test is not rounded": lambda run: (
                    run.form.rounds and not run.form.rounds_tests and is_tested(run) and not run.detail
                ),
                "{format} is not rounded": lambda run: not run.form.rounds and not run.score_only,
                "JSON of explanations is not rounded": lambda run: run.command == "explain" and run.form.by_row,
            },
        ),
        "scale": Option(
            "--scale N",
            "1: scores and the bounds of gates range from 0 to 1 (default: 100; with -f card: 1)",
            wrong={"{scale}; expected 1, for scores from 0 to 1, or 100": lambda run: run.scale not in (1, 100)},
            idle={
                "{format} always has scores from 0 to 100, so that histories can be compared": lambda run: (
                    not run.form.rescales and not run.score_only
                ),
                "scores from elsewhere are printed as they are": lambda run: run.segment_scores,
            },
        ),
        "short": Option(
            "--short -sh",
            "use short keys in signatures",
            idle={
                "bare scores have no signature": lambda run: run.score_only,
                "{format} always has long signatures": lambda run: not run.form.shortens,
            },
        ),
        "names": Option(
            "--names A,B...",
            "names of the systems, in order",
            wrong={"already names the systems; leave out --name-by": lambda run: run.has("name_by")},
            idle=_NAMELESS,
        ),
        "name_by": Option(
            "--name-by WHAT",
            "%(choices)s: name systems by path, or by file name without folder and extension",
            choices=("path", "file"),
            idle=_NAMELESS,
        ),
        "bold_best": Option(
            "--bold-best",
            "set the best score of each column in bold, and scores that do not differ significantly from it",
            idle={
                "{format} without colours has no bold": lambda run: run.form.bold == "coloured" and _lacks_bold(run),
                "{format} has no bold": lambda run: run.form.bold != "coloured" and _lacks_bold(run),
                **_NO_TABLE,
            },
        ),
        "style": Option(
            "--style NAME",
            "style of tables: %(choices)s, such as 59.4 (59.3 ± 1.1) (p = 0.0010)*, 59.4±1.1*, 59.4* (default: full)",
            choices=STYLES,
            wrong={
                "stars marks what a paired test finds; add --paired-ar, or choose --style compact": lambda run: (
                    run.style == "stars" and not is_tested(run)
                )
            },
            idle={**_NO_TABLE, "{format} has only one style": lambda run: not run.form.styles},
        ),
        "sort": Option(
            "--sort METRIC",
            "sort systems by this metric, best first; a test's baseline stays first",
            idle={**_NO_TABLE, "{format} is not a table": lambda run: not run.form.sorts},
        ),
        "difference": Option(
            "--difference",
            "also print the difference from the baseline; with --paired-bs, also its 95%% interval",
            lacks={
                "needs a paired test; add --paired-bs, which has intervals, or --paired-ar": lambda run: (
                    not is_tested(run)
                )
            },
            idle={**_NO_TABLE, "{format} has only the scores that gates judge": lambda run: run.form.reports_gates},
        ),
        "caption": Option("--caption TEXT", "caption of the table, in latex, html and rst", idle=_NO_CAPTION),
        "label": Option(
            "--label NAME",
            "name by which the document refers to the table; needs --caption",
            wrong={
                "{label!r}; expected a letter, then letters, digits and : . _ -": lambda run: not is_label(run.label)
            },
            lacks={
                "refers to a table with a caption; add --caption, or leave --label out": lambda run: (
                    not run.has("caption")
                )
            },
            idle=_NO_CAPTION,
        ),
        "no_color": Option("--no-color -nc", "use no colours on a terminal"),
        "quiet": Option("--quiet -q", "print no notes, warnings or progress"),
        "output": Option("--output -o FILE", "write the answer to this file: whole or not at all"),
        "append": Option(
            "--append",
            "add the lines of -f jsonl to the file of --output; several runs may do so at once",
            lacks={"adds lines to a file; name it with --output": lambda run: not run.has("output")},
        ),
    },
    "gates for Makefiles and CI": {
        "fail_under": Option(
            "--fail-under X",
            "exit with 1 if a system is worse than X by the first metric named; or give a bound for each metric:"
            " chrf=55,ter=60",
            wrong=_NO_CORPUS,
        ),
        "baseline": Option(
            "--baseline FILE",
            "an earlier answer for --max-drop: json, jsonl or statistics; default with --paired-*: the first system",
            lacks={"needs --max-drop; say by how much a score may be worse": lambda run: not run.has("max_drop")},
        ),
        "max_drop": Option(
            "--max-drop D",
            "exit with 1 if a score is worse than the baseline's by more than D, or D %%; with --paired-*, only if"
            " the difference is also significant; for all metrics, or by metric: bleu=0.3,ter=2%%",
            wrong=_NO_CORPUS,
            lacks={
                "needs an earlier answer (--baseline FILE) or a paired test (--paired-ar)": lambda run: (
                    not (run.has("baseline") or is_tested(run))
                )
            },
        ),
        "strict": Option("--strict", "treat any warning as an error: exit with 2, write no answer"),
        "annotate": Option(
            "--annotate WHERE", "%(choices)s: also print errors and warnings as annotations", choices=("github",)
        ),
    },
    "other": {
        "version": Option("--version -V", "print the version and the kernels in use", beside=""),
        "sacrebleu_path": Option(
            "--sacrebleu-path",
            "print a folder to put on PYTHONPATH; programs that import sacrebleu then use bleucli",
            beside="",
        ),
        "list_tokenizers": Option(
            "--list-tokenizers", "list tokenizers, what they are for and what they need", beside=""
        ),
        "help": Option("--help -h", "print a short page; --help all prints this one"),
    },
}
OPTIONS = {name: option for group in GROUPS.values() for name, option in group.items()}
# Those that sacreBLEU has, too; the others are ours
THEIRS = {
    *("refs", "input", "num_refs", "encoding", "test_set", "origlang", "subset", "detail", "echo", "list", "cite"),
    *("download", "metrics", "sentence_level", "language_pair", "confidence", "confidence_n", "paired_bs"),
    *("paired_ar", "paired_bs_n", "paired_ar_n", "paired_jobs", "format", "score_only", "width", "short", "no_color"),
    *("quiet", "version", "help"),
}
# The options that ask for something other than scores; of several, the first one here runs, or refuses the others
MODES = ("version", "list_tokenizers", "list", "cite", "echo", "download", "sacrebleu_path")


def flags_of(name: str) -> dict[str, MetricOption]:
    """Return the options of one metric that have flags, by the names that the parser gives them."""
    from bleucli.metrics import METRICS

    return {option.dest: option for option in METRICS[name].options if option.flags and not option.shared}


def target_language(pair: str | None, of_test_set: bool = False) -> str:
    """Return the target language of a language pair, or "" if there is none.

    of_test_set: the pair is one of a test set, whatever it is called; the language is "" unless it has its own
    tokenizer.

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
