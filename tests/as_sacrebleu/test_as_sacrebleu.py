"""The package named sacrebleu: programs get from it what they get from sacreBLEU 2.6.0, which runs beside it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import oracles
import pytest

from bleucli.alias import VERSION, folder

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(HERE, "sacrebleu_calls.py")
# Every name that a known program uses, in the module where the program looks for it
NAMES = """
sacrebleu: __version__ BLEU CHRF TER corpus_bleu corpus_chrf corpus_ter raw_corpus_bleu sentence_bleu sentence_chrf
    sentence_ter DATASETS SACREBLEU_DIR download_test_set get_available_testsets get_langpairs_for_testset
    get_reference_files get_source_file smart_open extract_char_ngrams extract_word_ngrams utils.smart_open
    metrics.BLEU metrics.helpers.extract_char_ngrams metrics.lib_ter.translation_edit_rate dataset.DATASETS
    dataset.base.Dataset tokenizers.BaseTokenizer tokenizers.tokenizer_base.BaseTokenizer
    tokenizers.tokenizer_ter.TercomTokenizer compat.corpus_bleu version.version
sacrebleu.compat: corpus_bleu corpus_chrf corpus_ter raw_corpus_bleu sentence_bleu sentence_chrf sentence_ter BLEU CHRF
    TER BLEUScore CHRFScore TERScore
sacrebleu.version: __version__ version version_tuple
sacrebleu.sacrebleu: main METRICS VERSION DATASETS Color print_results_table print_single_results args_to_dict
    sanity_check_lengths filter_subset
sacrebleu.__main__: main
sacrebleu.metrics: METRICS BLEU CHRF TER BLEUScore CHRFScore TERScore
sacrebleu.metrics.base: Metric Score Signature sacrelogger
sacrebleu.metrics.bleu: BLEU BLEUScore BLEUSignature MAX_NGRAM_ORDER _get_tokenizer _TOKENIZERS
    BLEU.compute_bleu BLEU.TOKENIZERS BLEU.TOKENIZER_DEFAULT BLEU.SMOOTH_DEFAULTS BLEU._TOKENIZER_MAP
    BLEU._extract_corpus_statistics BLEU._compute_score_from_stats BLEU._aggregate_and_compute BLEU._cache_references
    BLEU._preprocess_segment BLEU._compute_segment_statistics BLEU._extract_reference_info BLEU._get_closest_ref_len
    BLEU._check_corpus_score_args BLEU._check_sentence_score_args BLEU._SIGNATURE_TYPE BLEU.corpus_score
    BLEU.sentence_score BLEU.get_signature BLEUScore.format BLEUScore.estimate_ci
sacrebleu.metrics.chrf: CHRF CHRFScore CHRFSignature CHRF.CHAR_ORDER CHRF.WORD_ORDER CHRF.BETA CHRF._PUNCTS
    CHRF._get_match_statistics CHRF._compute_f_score CHRF._remove_punctuation CHRF._extract_corpus_statistics
    CHRF._compute_segment_statistics CHRF._cache_references
sacrebleu.metrics.ter: TER TERScore TERSignature TercomTokenizer translation_edit_rate TER._extract_corpus_statistics
    TER._compute_segment_statistics
sacrebleu.metrics.lib_ter: translation_edit_rate BeamEditDistance trace_to_alignment _flip_trace _find_shifted_pairs
    _perform_shift _shift _COST_INS _COST_DEL _COST_SUB _OP_INS _OP_DEL _OP_NOP _OP_SUB _OP_UNDEF _FLIP_OPS
    _MAX_SHIFT_SIZE _MAX_SHIFT_DIST _MAX_SHIFT_CANDIDATES _BEAM_WIDTH
sacrebleu.metrics.helpers: extract_all_word_ngrams extract_word_ngrams extract_char_ngrams extract_all_char_ngrams
sacrebleu.significance: PairedTest Result estimate_ci _compute_p_value _bootstrap_resample
sacrebleu.utils: smart_open get_source_file get_reference_files download_test_set print_results_table sum_of_lists
    my_log args_to_dict get_available_testsets get_available_testsets_for_langpair get_langpairs_for_testset
    SACREBLEU_DIR DATASETS Color sanity_check_lengths print_single_results get_files get_md5sum SUBSETS filter_subset
    get_available_origlangs get_available_subsets download_file extract_tarball
sacrebleu.dataset: DATASETS SUBSETS COUNTRIES DOMAINS FakeSGMLDataset IWSLTXMLDataset PlainTextDataset TSVDataset
    WMTAdditionDataset WMTXMLDataset
sacrebleu.dataset.base: SACREBLEU_DIR Dataset Dataset.get_source_file Dataset.get_reference_files Dataset.get_files
    Dataset.fieldnames Dataset.source Dataset.references Dataset.maybe_download
sacrebleu.dataset.fake_sgml: FakeSGMLDataset WMTAdditionDataset
sacrebleu.dataset.wmt_xml: WMTXMLDataset
sacrebleu.dataset.plain_text: PlainTextDataset
sacrebleu.dataset.iwslt_xml: IWSLTXMLDataset
sacrebleu.dataset.tsv: TSVDataset
sacrebleu.tokenizers: BaseTokenizer
sacrebleu.tokenizers.tokenizer_base: BaseTokenizer
sacrebleu.tokenizers.tokenizer_re: TokenizerRegexp
sacrebleu.tokenizers.tokenizer_13a: Tokenizer13a
sacrebleu.tokenizers.tokenizer_zh: TokenizerZh
sacrebleu.tokenizers.tokenizer_intl: TokenizerV14International
sacrebleu.tokenizers.tokenizer_char: TokenizerChar
sacrebleu.tokenizers.tokenizer_none: NoneTokenizer
sacrebleu.tokenizers.tokenizer_ja_mecab: TokenizerJaMecab
sacrebleu.tokenizers.tokenizer_ko_mecab: TokenizerKoMecab
sacrebleu.tokenizers.tokenizer_spm: TokenizerSPM Flores101Tokenizer Flores200Tokenizer spBLEU1KTokenizer SPM_MODELS
sacrebleu.tokenizers.tokenizer_ter: TercomTokenizer
"""
FIND_NAMES = """
import importlib, json, sys
missing = []
for module, names in json.loads(sys.argv[1]).items():
    for name in names:
        value = importlib.import_module(module)
        try:
            for part in name.split("."):
                value = getattr(value, part)
        except AttributeError:
            missing.append(f"{module}.{name}")
print(json.dumps(missing))
"""


def names():
    found = {}
    for word in NAMES.split():
        if word.endswith(":"):
            module = word[:-1]
        else:
            found.setdefault(module, []).append(word)
    return found


def run(*words, real=False, **variables):
    """Run Python on words, with the package or with the real sacreBLEU; return the finished process."""
    path = os.pathsep.join([oracles.CHECKOUT] if real else [folder(), oracles.CHECKOUT])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"} | variables
    return subprocess.run([sys.executable, *words], capture_output=True, encoding="utf-8", env=environment, timeout=300)


def answers(part, real):
    done = run(PROGRAM, part, real=real)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


def cleaned(value):
    """Leave out versions, and the order of n-grams, which only our signatures have."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True).replace('\\"', '"').replace("\\n", "\n")
    text = text.replace("|ngram:2", "").replace("|n:2", "").replace(' "ngram": "2",\n', "")
    return oracles.without_version(text)


@pytest.mark.parametrize(
    "part",
    [
        "scores",
        "shapes",
        "functions",
        "tests",
        "test_sets",
        *(pytest.param(part, marks=pytest.mark.slow) for part in ("edits", "workers")),
    ],
)
def test_a_program_gets_what_sacrebleu_would_give_it(part):
    theirs, ours = answers(part, real=True), answers(part, real=False)
    assert ours.keys() == theirs.keys()
    different = {
        label: (ours[label], theirs[label]) for label in theirs if cleaned(ours[label]) != cleaned(theirs[label])
    }
    assert not different


def test_every_name_that_programs_use_is_there():
    assert run("-c", FIND_NAMES, json.dumps(names())).stdout == "[]\n"


def test_every_name_that_programs_use_is_also_in_sacrebleu():
    assert run("-c", FIND_NAMES, json.dumps(names()), real=True).stdout == "[]\n"


AS_FILES = """
import importlib, importlib.util, inspect, json, pickle, pkgutil, sys
from unittest import mock
import sacrebleu
listed = {module.name for module in pkgutil.walk_packages(sacrebleu.__path__, "sacrebleu.")}
for name in json.loads(sys.argv[1]):
    module = importlib.import_module(name)
    package, _, last = name.rpartition(".")
    print(name, importlib.util.find_spec(name).name, module.__package__, inspect.ismodule(module), sep=",")
    if package:
        print(name in listed, getattr(sys.modules[package], last) is module, importlib.reload(module) is module)
for name in ("sacrebleu.dataset.nosuch", "sacrebleu.tokenizers.nosuch", "sacrebleu.nosuch"):
    print(importlib.util.find_spec(name))
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error)
from sacrebleu import metrics, tokenizers
from sacrebleu.tokenizers import tokenizer_zh
from sacrebleu.tokenizers.tokenizer_13a import *
print(Tokenizer13a.__module__, inspect.getmodule(Tokenizer13a).__name__, tokenizers.tokenizer_zh is tokenizer_zh)
print(pickle.loads(pickle.dumps(Tokenizer13a()))("a,b."))
text, references = "a b c", ["a,b c"]
class Own(tokenizer_zh.TokenizerZh):
    def __call__(self, line):
        return "x"
with mock.patch("sacrebleu.tokenizers.tokenizer_zh.TokenizerZh", Own):
    print(metrics.BLEU(tokenize="zh", effective_order=True).sentence_score(text, references))
with mock.patch("sacrebleu.metrics.bleu._get_tokenizer", lambda name: Own):
    print(metrics.BLEU(tokenize="13a", effective_order=True).sentence_score(text, references))
print(metrics.BLEU(tokenize="zh", effective_order=True).sentence_score(text, references))
"""


def test_modules_of_the_table_are_found_listed_reloaded_and_patched_like_files():
    theirs, ours = (run("-c", AS_FILES, json.dumps([*names()]), real=real) for real in (True, False))
    assert ours.stderr == ""
    assert ours.stdout == theirs.stdout != ""


def test_no_other_package_is_on_the_path():
    assert os.listdir(folder()) == ["sacrebleu"]
    assert importlib.util.find_spec("sacrebleu").origin != os.path.join(folder(), "sacrebleu", "__init__.py")


FAULTS_PROGRAM = """
from argparse import Namespace
import sacrebleu
from bleucli import BleuError
from sacrebleu.significance import PairedTest
from sacrebleu.utils import print_results_table
texts, references = ["a b c d", "e f g h"], [["a b c e", "e f g h"]]
for systems in ("abc", {"a": texts, "b": texts}, [("a",), ("b",)]):
    try:
        PairedTest(systems, {"BLEU": sacrebleu.BLEU()}, references)
    except BleuError as error:
        print(error)
systems = [("a", texts), ("b", references[0])]
signatures, results = PairedTest(systems, {"BLEU": sacrebleu.BLEU()}, references, n_samples=9)()
options = Namespace(format="latex", width=1, short=False, paired_bs=False, paired_ar=True)
print_results_table(results, signatures, options)
"""


def test_systems_of_the_wrong_shape_are_refused_and_a_table_does_not_make_up_a_number_of_segments():
    done = run("-c", FAULTS_PROGRAM)
    assert done.stderr == ""
    expected = "named_systems: expected pairs of a name and a list of strings; write [(name, texts), ...]"
    assert done.stdout.splitlines()[:3] == [expected] * 3
    assert "We report BLEU (Papineni et al., 2002) with one reference each" in done.stdout


SHAPE_PROGRAM = """
import sacrebleu
hypotheses, references = ["a b c d", "e f g h", "i j"], [["a b c e"], ["e f g h"], ["i j"]]
for _ in range(3):
    print(sacrebleu.corpus_bleu(hypotheses, references).score)
"""


def test_references_of_the_wrong_shape_give_sacrebleus_number_and_one_warning():
    theirs, ours = run("-c", SHAPE_PROGRAM, real=True), run("-c", SHAPE_PROGRAM)
    assert ours.stdout == theirs.stdout
    assert theirs.stderr == ""
    (line,) = ours.stderr.splitlines()
    assert line.startswith("only the first 1 of 3 segments are scored")
    assert "one list per segment; write list(zip(*references))" in line


def test_references_of_the_wrong_shape_are_an_error_if_that_is_wanted():
    done = run("-c", SHAPE_PROGRAM, BLEU_STRICT="1")
    assert done.returncode == 1
    assert "write list(zip(*references))" in done.stderr.splitlines()[-1]
    assert run("-c", SHAPE_PROGRAM, BLEU_STRICT="0").returncode == 0


@pytest.mark.parametrize(
    ("references", "words"),
    [
        ('["a b c d", "e f g h"]', "write [references]"),
        ('[["a b c d", "e f g h", "i"]]', "there are 2 hypotheses, and lists of 3 references"),
    ],
)
def test_the_warning_says_what_is_wrong(references, words):
    done = run("-c", f'import sacrebleu; sacrebleu.corpus_chrf(["a b c d", "e f g h"], {references})')
    assert done.returncode == 0
    assert words in done.stderr


def test_hints_go_to_the_logger_once_where_programs_silence_them():
    program = 'import logging, sacrebleu\n{}for _ in range(3): sacrebleu.corpus_bleu(["a"], [["b"]])'
    assert run("-W", "error", "-c", program.format("")).stderr.count("no word matches") == 1
    silent = 'logging.getLogger("sacrebleu").setLevel(logging.ERROR)\n'
    assert run("-c", program.format(silent)).stderr == ""


@pytest.mark.parametrize("words", [("-m", "sacrebleu"), (os.path.join(HERE, "sacrebleu_program.py"),)])
def test_programs_and_modules_run_with_bleucli_as_sacrebleu(words, tmp_path):
    (tmp_path / "ref.txt").write_text("the cat sat on the mat\n")
    given = [str(tmp_path / "ref.txt"), "-i", str(tmp_path / "ref.txt"), "-b", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "bleucli.as_sacrebleu", *words, *given], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "100.0\n"), done.stderr


def test_a_command_is_found_on_the_path(tmp_path):
    script = tmp_path / "what"
    script.write_text(f"#!/bin/sh\n{sys.executable} -c 'import sacrebleu; print(sacrebleu.__file__)'\n")
    script.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    words = [sys.executable, "-m", "bleucli.as_sacrebleu", "what"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.startswith(folder())


@pytest.mark.parametrize(("words", "status"), [((), 2), (("-m",), 2), (("--help",), 0), (("no-such-program",), 2)])
def test_without_a_program_the_command_says_how_it_is_used(words, status):
    done = subprocess.run(
        [sys.executable, "-m", "bleucli.as_sacrebleu", *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == status
    assert "PROGRAM" in done.stdout + done.stderr or "no-such-program" in done.stderr


def test_the_command_names_its_version():
    assert run("-m", "sacrebleu", "--version").stdout == f"sacrebleu {VERSION}\n"


PRINT_PLACE = "import sacrebleu\nprint(sacrebleu.__file__)\n"


def launch(*words, place, **variables):
    path = os.pathsep.join(filter(None, (oracles.CHECKOUT, os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-m", "bleucli.as_sacrebleu", *words],
        cwd=place,
        env=os.environ | {"PYTHONPATH": path} | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def other(tmp_path):
    """Return a folder with a program and another package named sacrebleu; a link to the program is elsewhere."""
    place = tmp_path / "checkout"
    (place / "sacrebleu").mkdir(parents=True)
    (place / "sacrebleu" / "__init__.py").write_text("")
    (place / "show.py").write_text(PRINT_PLACE)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "show.py").write_text(PRINT_PLACE)
    (tmp_path / "elsewhere" / "link.py").symlink_to(place / "show.py")
    return place


@pytest.mark.parametrize(
    ("place", "words", "searched"),
    [
        ("checkout", ("show.py",), "the program's folder"),
        ("checkout", ("-c", PRINT_PLACE), "the current folder"),
        ("checkout", ("-m", "show"), "the current folder"),
        ("checkout", ("-X", "utf8", "-bm", "show"), "the current folder"),
        ("elsewhere", ("../checkout/show.py",), "the program's folder"),
        ("elsewhere", ("link.py",), "the program's folder"),
        ("elsewhere", ("../checkout",), "the program's folder"),
    ],
)
def test_another_sacrebleu_that_python_would_find_first_is_an_error(place, words, searched, other):
    done = launch(*words, place=other.parent / place)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    origin = os.path.join(os.path.realpath(other), "sacrebleu", "__init__.py")
    assert line == (
        f"as_sacrebleu: error: Python would import {origin} instead of bleucli's package, since it searches {searched}"
        " first; add -P before the other words, which keeps it from that, or move the program"
    )


@pytest.mark.parametrize(
    ("place", "words", "variables"),
    [
        ("checkout", ("-P", "show.py"), {}),
        ("checkout", ("-P", "-c", PRINT_PLACE), {}),
        ("checkout", ("show.py",), {"PYTHONSAFEPATH": "1"}),
        ("checkout", ("../elsewhere/show.py",), {}),
        ("elsewhere", ("show.py",), {}),
    ],
)
def test_python_finds_bleuclis_package_where_nothing_hides_it(place, words, variables, other):
    done = launch(*words, place=other.parent / place, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(folder())


def test_a_module_of_that_name_hides_the_package_but_a_folder_without_modules_does_not(tmp_path):
    (tmp_path / "sacrebleu").mkdir()
    assert launch("-c", PRINT_PLACE, place=tmp_path).stdout.startswith(folder())
    (tmp_path / "sacrebleu.py").write_text("")
    assert "sacrebleu.py instead of bleucli's package" in launch("-c", PRINT_PLACE, place=tmp_path).stderr


@pytest.mark.parametrize("words", [("-E", "-c", PRINT_PLACE), ("-Ic", PRINT_PLACE)])
def test_options_with_which_python_does_not_find_the_package_are_an_error(words, tmp_path):
    done = launch(*words, place=tmp_path)
    assert done.returncode == 2
    assert f"with {words[0][:2]}, Python ignores PYTHONPATH" in done.stderr
