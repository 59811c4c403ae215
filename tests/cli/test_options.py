"""Each option of a metric is declared once: constructors, signatures and the command agree with the tables."""

from __future__ import annotations

import inspect
import pickle
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bleucli
from bleucli import BLEU, CHRF, TER, BleuError, InputTypeError, Segments, Signature, kernels, metric_from_signature
from bleucli import metrics as metrics_room
from bleucli.cli import arguments, request
from bleucli.cli.commands import MODULES as COMMANDS
from bleucli.cli.commands import command_of
from bleucli.cli.options import OPTIONS as OPTIONS_OF_COMMAND
from bleucli.cli.options import flags_of as flags_of_metric
from bleucli.cli.parser import parser, read
from bleucli.errors import UsageError
from bleucli.metrics import METRICS, Metric, reading
from bleucli.metrics.options import NORMALIZE, SHARED, SKIP_EMPTY_REFS, Option
from bleucli.metrics.score import Score
from bleucli.results.signature import _SHORT
from bleucli.significance import resampling

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# The options that the command has as well
OPTIONS = [(metric, option) for metric in METRICS.values() for option in metric.options if option.flags]
each_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
each_option = pytest.mark.parametrize(
    ("metric", "option"), OPTIONS, ids=[f"{metric.name}-{option.name}" for metric, option in OPTIONS]
)
PAIR = ["the cat sat on the mat"], [["the cat lay on a mat"]]


def of(option):
    """Draw a value of an option, including those at its bounds."""
    if option.kind is bool:
        return st.booleans()
    if option.name == "tokenize":
        return st.sampled_from([None, "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab"])
    if option.name == "trg_lang":
        return st.sampled_from(["", "de", "zh", "ja"])
    if option is NORMALIZE:
        return st.sampled_from(["", "quotes", "case,dashes", "typography"])
    if option.choices:
        return st.sampled_from(option.choices)
    numbers = st.integers(int(option.least), int(option.most)) | st.integers(int(option.least), 9)
    if option.kind is float:
        numbers |= st.floats(option.least, option.most)
    return numbers | st.none() if option.default is None else numbers


@st.composite
def chosen_options(draw):
    """Draw a metric's class and values of some of its options."""
    kind = draw(st.sampled_from(list(METRICS.values())))
    chosen = draw(st.lists(st.sampled_from([option for one, option in OPTIONS if one is kind]), unique=True))
    values = {option.name: draw(of(option)) for option in chosen}
    if values.get("char_order", 6) == 0 and values.get("word_order", 0) == 0:
        values["word_order"] = 1
    if values.get("smooth_method") == "chen-cherry-6" and values.get("max_ngram_order", 4) < 3:
        values["max_ngram_order"] = 3
    return kind, values


metrics = chosen_options().map(lambda chosen: chosen[0](**chosen[1]))


# Every metric can score it: chen-cherry-6 needs a match of order 3
SIGNED = ("the cat sat on", ["the cat sat on it"])


def settings_of(metric):
    """Return the values that decide a score."""
    unsigned = {"force", "trg_lang", "tokenize", "smooth_method", "smooth_value"}
    values = {option.name: getattr(metric, option.name) for option in metric.options if option.name not in unsigned}
    smoothing = getattr(metric, "smoothing", None)
    return values | ({"smoothing": (smoothing.method, smoothing.value)} if smoothing else {})


# --- constructors


@each_metric
def test_a_constructor_takes_the_options_of_the_table_and_references(metric):
    parameters = dict(inspect.signature(metric).parameters)
    del parameters["references"]
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    assert defaults == {option.name: option.default for option in metric.options}


@each_metric
def test_a_constructors_types_are_those_of_the_table(metric):
    for option in metric.options:
        annotation = inspect.signature(metric, eval_str=True).parameters[option.name].annotation
        expected = {option.kind, type(None)} if option.default is None else {option.kind}
        found = set(getattr(annotation, "__args__", [annotation]))
        assert found - {Callable[[str], str]} == expected  # a custom tokenizer


def wrong_values(option):
    if option.kind is bool:
        yield from (("no", InputTypeError), (None, InputTypeError), (2, InputTypeError), ([], InputTypeError))
    elif option.kind is str:
        yield from ((5, InputTypeError), (b"13a", InputTypeError))
    else:
        yield from (("1", InputTypeError), (True, InputTypeError), ([1], InputTypeError))
        yield from ((option.least - 1, UsageError), (int(option.most) * 2, UsageError))
    if option.choices:
        yield "nonsense", UsageError


@each_option
def test_errors_name_the_option_as_the_reader_knows_it(metric, option):
    for value, kind in wrong_values(option):
        with pytest.raises(kind, match=f"^{option.name} ") as caught:
            metric(**{option.name: value})
        assert "\n" not in str(caught.value)
        with pytest.raises(kind, match=f"^{option.flags[0]} "):
            metric.of_command(**{option.name: value})


def test_numbers_and_truth_values_of_numpy_count_like_those_of_python():
    numpy = pytest.importorskip("numpy")
    for value in (True, 1, numpy.True_, numpy.int64(1)):
        assert BLEU(lowercase=value).lowercase is True
    pandas = pytest.importorskip("pandas")
    for value in (numpy.array([True, False]), pandas.NA):
        with pytest.raises(InputTypeError, match=r"^lowercase (array|<NA>).*; give True or False$"):
            BLEU(lowercase=value)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: BLEU(max_ngram_order=10**5000), "max_ngram_order about 1e5000; expected a number from 1 to 1000"),
        (lambda: BLEU(max_ngram_order=-(10**5000)), "max_ngram_order about -1e5000; expected a number from 1 to 1000"),
        (lambda: CHRF(beta=10**5000), "beta is too large for a floating-point number; give a smaller one"),
        (lambda: CHRF(beta=Fraction(10**400, 3)), "beta is too large for a floating-point number; give a smaller one"),
    ],
)
def test_numbers_too_large_to_print_or_to_compute_with_are_refused(make, told):
    """Python's own errors about them reached the caller."""
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("metric", "values", "in_python", "in_command"),
    [
        (
            TER,
            {"asian_support": True},
            "asian_support=True does nothing without normalized=True",
            "--ter-asian-support",
        ),
        (BLEU, {"tokenize": "13a", "trg_lang": "zh"}, "flores200 (tokenize=...)", "flores200 (-tok)"),
    ],
)
def test_advice_names_options_as_the_reader_knows_them(metric, values, in_python, in_command):
    (python,), (command,) = metric(**values).advice, metric.of_command(**values).advice
    assert in_python in python
    assert in_command in command
    assert " -" not in python


@pytest.mark.parametrize(
    ("texts", "in_python", "in_command"),
    [
        ((["ab c"], [["ab d"]]), "(effective_order=True)", "(-sl)"),
        ((["東京都に住んでいる"], [["東京に住む"]]), "with tokenize=... or trg_lang=... (", "with -tok or -l ("),
        ((["a ."] * 100, [["a ."] * 100]), "or use force=True if", "or use --force if"),
    ],
)
def test_hints_name_options_as_the_reader_knows_them(run, write, texts, in_python, in_command):
    with pytest.warns(UserWarning, match=re.escape(in_python)):
        BLEU().corpus_score(*texts)
    system, (reference,) = texts
    for name, lines in (("ref", reference), ("sys", system)):
        write(name, "".join(f"{text}\n" for text in lines))
    answer = run("ref", "-i", "sys")
    assert in_command in answer.err
    assert "=True" not in answer.err


# --- the command


def flags_of(action):
    return tuple(action.option_strings)


def test_the_command_has_each_flag_once_with_the_tables_type_and_help():
    actions = {flags_of(action): action for action in parser()._actions}
    for _, option in OPTIONS:
        if option.shared and option not in SHARED:  # the command's help says more about it
            assert option.flags in actions
            continue
        action = actions[option.flags]
        assert action.help == option.help
        assert action.dest == option.dest
        if option.kind is bool:
            assert (action.nargs, action.const, action.type) == (0, True, None)
        else:
            assert action.type is option.reads
        assert action.default == "==SUPPRESS=="  # defaults are the constructors'


def test_every_option_belongs_to_the_record_or_to_a_metric():
    of_metrics = {dest for name in METRICS for dest in flags_of_metric(name)}
    dests = {action.dest for action in parser()._actions}
    assert dests - of_metrics == OPTIONS_OF_COMMAND.keys() | {"skip_empty_refs", "normalize"}
    assert vars(arguments.parse([])).keys() == OPTIONS_OF_COMMAND.keys() | {
        "command",
        "given",
        "of_metrics",
        "followed",
    }
    assert arguments.parse([]).skip_empty_refs is False
    assert arguments.parse([]).normalize == ""


def test_the_record_of_options_cannot_be_changed():
    options = arguments.parse(["ref.txt", "-w", "3"])
    with pytest.raises(AttributeError, match="options cannot be changed"):
        options.width = 4
    assert (options.replace(width=4).width, options.width) == (4, 3)


FLAGS = [flag for option in OPTIONS_OF_COMMAND.values() for flag in option.flags]
VALUES = (
    *("a.txt", "-", "", "2", "0.5", "doc", "bleu", "text", "x y", "2_0"),
    *("-1", "--", "--inp", "-b=1", "--width=3", "-bq"),
)
piece = st.builds(
    lambda flag, values: [*flag, *values],
    st.lists(st.sampled_from(FLAGS), max_size=1),
    st.lists(st.sampled_from(VALUES), max_size=2),
)


@pytest.mark.parametrize("command", ["", *COMMANDS])
@given(pieces=st.lists(piece, max_size=4))
@example(pieces=[["ref.txt"], ["-i", "a.txt", "b.txt"], ["-w", "2"], ["-b"]])
@example(pieces=[["-b"], ["ref.txt", "two.txt"], ["-i", "a.txt"]])
@example(pieces=[["ref.txt"], ["-b"], ["two.txt"]])
@example(pieces=[["-i", "a.txt"], ["-i", "b.txt"]])
@example(pieces=[["--by", "doc"], ["--by", "domain"]])
@example(pieces=[["-w", "2"], ["-w", "two"]])
def test_plain_words_mean_what_the_parser_reads(command, pieces):
    words = [word for piece in pieces for word in piece]
    settings = arguments._read_plain(words, command_of(command).records())
    if settings is not None:
        assert settings == read(words, command)[0]


@pytest.mark.parametrize(
    "words",
    ["ref.txt", "ref.txt -b", "a b -i - -f text -w 2", "-i a b -m bleu chrf -q -J 2", "-i a.txt --paired-bs"],
)
def test_plain_words_need_no_parser(words):
    assert arguments._read_plain(words.split(), OPTIONS_OF_COMMAND) is not None


def words_for(option, value):
    """Return the words that give an option a value on the command line."""
    if option.kind is bool:
        return [option.flags[-1]] if value else []
    if option.name == "trg_lang":
        value = value and f"en-{value}"
    return [] if value in (None, "") else [f"{option.flags[0]}={value}"]


@given(chosen_options())
def test_the_command_makes_the_same_metric_as_the_constructor(chosen):
    kind, values = chosen
    values = {name: int(value) if name == "beta" else value for name, value in values.items()}
    words = [word for one, option in OPTIONS if one is kind for word in words_for(option, values.get(option.name))]
    made = request.make_metric(arguments.parse(words), next(name for name in METRICS if METRICS[name] is kind))
    metric = kind(**values)
    assert made.signature_fields() == metric.signature_fields()
    assert settings_of(made) == settings_of(metric)


# --- signatures


def test_every_key_has_its_place_in_signatures():
    keys = {option.key for _, option in OPTIONS if option.key}
    keys |= {key for metric in METRICS.values() for key, _ in metric.constants}
    assert keys <= _SHORT.keys()


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_a_whole_number_between_two_floats_is_signed(method):
    assert f"smooth:{method}[9007199254740992.00]" in str(
        BLEU(smooth_method=method, smooth_value=2**53 + 1).signature(1, 1)
    )


@example(BLEU(smooth_method="add-one", effective_order=True), False)
@given(metrics, st.booleans())
def test_a_metric_is_made_again_from_its_signature(metric, short):
    score = metric.sentence_score(*SIGNED)
    signature = metric.get_signature()
    for text in (f"{score.name}|{signature.format(short)}", score.format(signature=signature.format(short))):
        again = metric_from_signature(text)
        assert type(again) is type(metric)
        assert again.signature(1, 1) == signature
        assert settings_of(again) == settings_of(metric)
        assert str(again.sentence_score(*SIGNED)) == str(score)


@example(BLEU(smooth_method="chen-cherry-6"))
@given(metrics)
def test_a_parsed_signature_is_taken_as_well_as_its_text(metric):
    score = metric.sentence_score(*SIGNED)
    parsed = Signature.parse(f"{score.name}|{metric.get_signature()}")
    assert metric_from_signature(parsed).signature_fields() == metric.signature_fields()


@pytest.mark.parametrize(
    ("text", "kind", "signed"),
    [
        ("BLEU+c.lc+numrefs.1+s.floor.0.01+tok.intl+v.1.4", BLEU, "case:lc|eff:no|tok:intl|smooth:floor[0.01]"),
        ("spBLEU|nrefs:1|tok:char", BLEU, "case:mixed|eff:no|tok:char|smooth:exp"),
        ("chrF2+numchars.4+space.false+version.1.5.1", CHRF, "case:mixed|eff:yes|nc:4|nw:0|space:no"),
        ("chrF++|nrefs:1|nc:6", CHRF, "case:mixed|eff:yes|nc:6|nw:2|space:no"),
        ("nw:2", CHRF, "case:mixed|eff:yes|nc:6|nw:2|space:no"),
        ("punct:no", TER, "case:lc|tok:tercom|norm:no|punct:no|asian:no"),
        ("t:tercom", TER, "case:lc|tok:tercom|norm:no|punct:yes|asian:no"),
        ("nrefs:4|test:wmt17|lang:en-zh|empty:missing", BLEU, "case:mixed|eff:no|tok:13a|smooth:exp|empty:missing"),
    ],
)  # fmt: skip
def test_other_peoples_signatures_make_metrics(text, kind, signed):
    metric = metric_from_signature(text)
    assert type(metric) is kind
    assert "|".join(f"{key}:{value}" for key, value in metric.signature_fields()) == signed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "'hello' is not a signature"),
        (
            "BLEU|nrefs:1|tok",
            "'tok' in the signature 'BLEU|nrefs:1|tok' is not of the form key:value; expected",
        ),
        ("c:lc|case:mixed", "the signature 'c:lc|case:mixed' has case twice, as case:lc and case:mixed; keep one"),
        ("METEOR|nrefs:1|case:lc", "'METEOR' is not a known metric; expected a signature of BLEU, "),
        ("BLEU|case:upper", "case:upper in the signature; expected mixed or lc"),
        ("BLEU|ngram:many", "ngram:many in the signature; expected a whole number"),
        ("BLEU|ngram:0", "max_ngram_order 0; expected a number from 1 to 1000"),
        ("BLEU|smooth:linear", "smooth:linear in the signature is not a known smoothing; expected one such as exp"),
        ("BLEU|smooth:floor[0.00]|version:2.6.0", "smooth:floor[0.00] in the signature was rounded"),
        ("BLEU|tok:14a", "unknown tokenizer '14a' in the signature"),
        ("BLEU|tok:ja-mecab-0.900-IPA", "asks for tok:ja-mecab-0.900-IPA, but this metric has tok:ja-mecab-0.996-IPA"),
        ("BLEU|colour:red", "'colour' is not a key of BLEU signatures, so the score cannot be reproduced"),
        ("chrFx|nc:6", "chrFx is not the name of a chrF score"),
        ("chrF2++|nc:6|nw:1", "asks for word_order:2, but this metric has word_order:1"),
        ("TER|tok:13a", "asks for tok:13a, but this metric has tok:tercom"),
        ("TER|empty:0", "empty:0 in the signature; expected missing"),
    ],
)
def test_signatures_that_cannot_be_followed_are_refused_in_one_line(text, message):
    with pytest.raises(BleuError, match=re.escape(message)) as caught:
        metric_from_signature(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [None, 5, b"BLEU|tok:13a", ["tok:13a"]])
def test_anything_but_text_is_refused(wrong):
    with pytest.raises(InputTypeError, match="give a string"):
        metric_from_signature(wrong)


def test_smoothing_in_our_signatures_is_exact():
    ours = BLEU(smooth_method="floor", smooth_value=0)
    ours.corpus_score(*PAIR)
    assert metric_from_signature(str(ours.get_signature())).smoothing.value == 0


def test_the_parsers_numbers_of_trials_are_those_of_the_tests():
    given = arguments.parse(["ref.txt"])
    assert given.confidence_n == given.paired_bs_n == resampling.RESAMPLES
    assert given.paired_ar_n == resampling.TRIALS


# --- custom metrics


class Prefixes(BLEU):
    """BLEU of the beginnings of words."""

    options = (*BLEU.options, Option("length", int, 4, least=1, most=20, key="prefix"))

    def __init__(self, length=4, **values):
        self.length = self.check("length", length)
        super().__init__(**values)

    def prepare(self, segments):
        texts = [" ".join(word[: self.length] for word in text.split()) for text in segments]
        return super().prepare(Segments.from_strings(texts))


def test_a_custom_metric_declares_its_option_and_signs_it():
    metric = Prefixes(length=2, lowercase=True)
    assert metric.corpus_score(["sleeping cats"], [["sleeps dogs"]]).counts == [1, 0, 0, 0]
    fields = "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|prefix:2|version:"
    assert str(metric.get_signature()).startswith(fields)
    with pytest.raises(UsageError, match=r"^length 21; expected a number from 1 to 20$"):
        Prefixes(length=21)
    assert "prefix" not in str(BLEU().signature(1, 1))


def test_a_metric_without_a_table_has_the_options_that_all_metrics_share():
    assert Metric.options == SHARED == (SKIP_EMPTY_REFS, NORMALIZE)


class LENGTH(Metric[Score]):
    """How long the output is, in words."""

    name = "length"
    options = (
        Option("unit", int, 1, ("--length-unit", "-lu"), "count", least=1, most=9, key="unit", ours=True),
        SKIP_EMPTY_REFS,
    )

    def __init__(self, unit=1, references=None, *, skip_empty_refs=False):
        self.unit = self.check("unit", unit)
        super().__init__(references=references, skip_empty_refs=skip_empty_refs)

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        return kernels.ngram_stats(hypotheses, references.streams, 1)

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, sums[0] / self.unit
        return score


def test_a_new_metric_costs_its_own_file_and_one_line(run, pair, monkeypatch):
    """Flags, help, signature, --like and messages come from its table."""
    monkeypatch.setitem(sys.modules, "bleucli.metrics.length", SimpleNamespace(LENGTH=LENGTH))
    monkeypatch.setitem(metrics_room._CLASSES, "length", "LENGTH")
    line = run(*pair, "-q", "-f", "text", "-m", "length", "-lu", "4").out.strip()
    assert line == f"length|nrefs:1|unit:4|version:bleucli-{bleucli.__version__} = 2.2"
    assert run(*pair, "-q", "-f", "text", "--like", line).out == f"{line}\n"
    assert "asks for unit:4, but this metric has unit:2" in run(*pair, "--like", line, "-lu", "2").err
    assert "  --length-unit, -lu N      count (default: 1)\n" in run("--help", "all").out
    assert run(*pair, "--length-u", "0").err == "bleu: error: --length-unit 0; expected a number from 1 to 9\n"
    assert "--length-unit has no effect: length is not scored" in run(*pair, "-lu", "2").err
    assert metric_from_signature("unit:3").unit == 3


class CHANCE(Metric[Score]):
    """A number that depends on all its options, one of each kind."""

    name = "chance"
    options = (
        Option("model", str, "small", key="model"),
        Option("prompt", str, None, key="prompt"),
        Option("weight", float, 1, least=-1e9, most=1e9, key="weight"),
        Option("shift", int, 0, least=-9, most=9, key="shift", hidden=True),
        SKIP_EMPTY_REFS,
    )

    def __init__(self, model="small", prompt=None, weight=1, shift=0, references=None, *, skip_empty_refs=False):
        self.model = self.check("model", model)
        self.prompt = self.check("prompt", prompt)
        self.weight = self.check("weight", weight)
        self.shift = self.check("shift", shift)
        super().__init__(references=references, skip_empty_refs=skip_empty_refs)

    prepare, compare = LENGTH.prepare, LENGTH.compare

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, hash((self.model, self.prompt, float(self.weight), self.shift)) / 1e9
        return score


words = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    words.filter(bool), st.none() | words.filter(bool), st.floats(-1e9, 1e9) | st.integers(-9, 9), st.integers(-9, 9)
)
@example("a|b:c = 5.0\n", " %7C ", 2, -3)
@example("small", None, 1, 0)
@example("false", None, 1, 0)
def test_an_option_of_any_kind_is_read_back_from_its_signature(model, prompt, weight, shift):
    metric = CHANCE(model, prompt, weight, shift)
    score = metric.sentence_score("a", ["a"])
    signature = Signature.parse(score.format(signature=str(metric.get_signature())))
    known = {**METRICS, "chance": CHANCE}
    assert reading.metric_of(signature, known) == "chance"
    again = CHANCE(**reading.values_of(CHANCE, signature))
    reading.refuse_other(again, signature)
    assert again.sentence_score("a", ["a"]).score == score.score
    assert again.get_signature() == metric.get_signature()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weight:much", "weight:much in the signature; expected a number"),
        ("weight:1_000", "weight:1_000 in the signature; expected a number"),
        ("shift:1.5", "shift:1.5 in the signature; expected a whole number"),
    ],
)
def test_a_signature_with_an_invalid_value_of_an_option_is_refused(text, message):
    with pytest.raises(BleuError, match=re.escape(message)):
        reading.values_of(CHANCE, Signature.parse(f"chance|{text}"))


def test_a_text_that_no_signature_can_express_is_refused():
    with pytest.raises(UsageError, match="model is empty, which a signature cannot express; give a value"):
        CHANCE(model="")
    assert reading.values_of(CHANCE, Signature.parse("chance|weight:2"))["weight"] == 2


@each_metric
def test_metrics_and_scores_can_be_sent_to_other_processes(metric):
    for made in (metric(skip_empty_refs=True), metric.of_command(skip_empty_refs=True)):
        again = pickle.loads(pickle.dumps(made))
        assert again.signature(1, 1) == made.signature(1, 1)
        score = again.corpus_score(*PAIR)
        assert vars(pickle.loads(pickle.dumps(score))) == vars(score)


def test_metric_from_signature_is_a_public_name():
    assert bleucli.metric_from_signature is metric_from_signature
    assert "metric_from_signature" in bleucli.__all__
