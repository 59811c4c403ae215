"""The tokenizers `zh`, `intl`, `13a` and `char`: the oracle's tokens, string for string, by both sets of kernels.

Also, which tokenizer is chosen: by name, by language, or none at all.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import product
from threading import Barrier
from time import process_time
from unittest import mock

import oracles
import pytest
from hypothesis import example, given
from strategies import FRAGMENTS, SPACES, enough, examples, texts

import bleucli
from bleucli import kernels, tokenizers
from bleucli.errors import UsageError
from bleucli.text import Segments
from bleucli.tokenizers import base, libraries

NAMES = ("13a", "zh", "intl", "char")
KERNELS = ("tokenize_13a", "tokenize_zh", "tokenize_intl", "tokenize_char", "unclassified_characters")
# The neighbours that a character may have: letters, digits, punctuation, symbols, Chinese characters, itself, an edge
AROUND = "{0}a{0}5{0}6.{0},{0} ${0}中{0}"
MORE_AROUND = ("{0}", "5{0}", "{0}5", ".{0}", "{0}.", "5{0}{0}5-{0}-5\u0301{0}\u0301")
PLANE_0 = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
PLANE_2 = [chr(code) for code in range(0x20000, 0x2FA20)]
# A number, punctuation, a symbol, neither, white space; and what 13a and zh distinguish
ALPHABETS = {"intl": "5,$a ", "zh": "5.-a中 ", "13a": "5.,-&\n"}
# Edges of the Chinese ranges, numbers and punctuation of many scripts
CHARACTERS = (
    *"\u2000\u2001\u2018\u201d\u2a6d\u2a6e\u2e7f\u2e80\u2eff\u2f00\u2f80\u2f81\u2fa1\u2fa2\u2fdf\u2fe0\u2ff0\u2fff",
    *"\u3000\u303f\u3040\u30ff\u3100\u312f\u3130\u319f\u31a0\u31bf\u31c0\u31ef\u31f0\u31ff\u3200\u33ff\u3400\u4db5\u4db6",
    *"\u4dff\u4e00\u9fa5\u9fa6\u9fbb\u9fbc\uf8ff\uf900\ufa2d\ufa2e\ufa30\ufa6a\ufa6b\ufa70\ufad9\ufada\ufe0f\ufe10\ufe1f",
    *"\ufe20\ufe30\ufe4f\ufe50\ufeff\uff00\uffef\ufff0\u2600\u26ff\u2700\u27bf\u27c0𠀀𪛖丽𠄢",
    *"0٣۴५৬๗༣᠕Ⅷⅷ½²₃①㈠㊄〇〡一𝟜𞥐",
    *"¡¿«»‹›“”‘’‚„†‡•…‰′‽⁂⸮،؛؟٪।॥၊။៖๏、。〈〉・﹐！？",
    *"+<=>^`|~¢£¤¥¦§¨©¬®¯°±´¶·¸×÷˜€₽№™←∞≤⌘①■☃♥✓️😀",
    *"aZßñżдΩאبक한ก",
    *("a", "5", ".", ",", "-", "$", "%", "&", "'", '"', "(", "\n", " ", "&amp;", "&lt;", "<skipped>", "-\n", "e\u0301"),
    *SPACES,
)


def tokens(name, segments, module=kernels):
    """Return the tokens of texts, by one of the tokenizers with one set of kernels."""
    chosen = {function: getattr(module, function) for function in KERNELS}
    unknown = bytearray(kernels.CODE_POINTS)  # as in a new process: intl keeps what it has looked up
    with mock.patch.multiple(kernels, **chosen), mock.patch.object(libraries, "_table", return_value=unknown):
        return list(tokenizers.get(name).tokenize(Segments.from_strings(segments)))


def assert_equal(name, segments, modules=()):
    """Check that all kernels give the oracle's tokens for the texts."""
    expected = [oracles.tokenized(name, text) for text in segments]
    for module in modules or oracles.kernel_modules():
        found = tokens(name, segments, module)
        if found != expected:
            wrong = [trio for trio in zip(segments, found, expected, strict=True) if trio[1] != trio[2]]
            raise AssertionError(f"{name}, {module.__name__}: {len(wrong)} differ, such as {wrong[:3]!r}")


# --- what the specification says


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("13a", "a..b", "a . . b"),
        ("13a", "..5", ". .5"),
        ("13a", "5..", "5 . ."),
        ("13a", "3.", "3 ."),
        ("13a", "a,5", "a , 5"),
        ("13a", "1,000.5", "1,000.5"),
        ("13a", "x-5-6", "x-5 - 6"),
        ("13a", "$5.00-", "$ 5.00 -"),
        ("13a", "-5", "-5"),
        ("13a", 'It\'s "ok" (fine).', 'It\'s " ok " ( fine ) .'),
        ("13a", "&amp;lt;", "<"),
        ("13a", "a-\nb <skipped>c\nd", "ab c d"),
        ("zh", "“Hello” — it’s 5…ok 中文", "“ Hello ” — it ’ s 5 … ok 中 文"),
        ("zh", "𠀀𠀁", "𠀀𠀁"),
        ("zh", "&amp;a-\nb", "& amp ; a- b"),
        ("zh", "5.", "5."),
        ("zh", ",5", ",5"),
        ("zh", "a.", "a ."),
        ("zh", "。a", "。 a"),
        ("intl", ",5", ",5"),
        ("intl", "5.", "5."),
        ("intl", "5%", "5%"),
        ("intl", "$5", "$ 5"),
        ("intl", "a.5", "a . 5"),
        ("intl", "٣.٣", "٣.٣"),
        ("intl", "Ⅷ.½", "Ⅷ.½"),
        ("intl", "一.二", "一 . 二"),
        ("intl", "&quot;", "& quot ;"),
        ("char", "a 中", "a   中"),
        ("none", " a,  b ", " a,  b "),
    ],
)
def test_the_examples_of_the_specification_hold(name, text, expected):
    assert tokens(name, [text]) == [expected]
    assert oracles.tokenized(name, text) == expected


# --- the oracle, string for string


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["zh", "intl"])
def test_every_code_point_of_the_basic_plane_is_treated_as_the_oracle_does(name, step):
    assert_equal(name, [AROUND.format(character) for character in PLANE_0[::step]])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_code_point_of_the_basic_plane_is_treated_as_the_oracle_does_beside_any_neighbour(name):
    for around in MORE_AROUND:
        assert_equal(name, [around.format(character) for character in PLANE_0])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_code_point_of_the_chinese_supplements_is_treated_as_the_oracle_does(name):
    assert_equal(name, [AROUND.format(character) for character in PLANE_2])


@pytest.mark.slow
def test_intl_knows_every_code_point_as_the_oracle_does():
    everywhere = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    assert_equal("intl", [f"a{character}5{character}" for character in everywhere])


@pytest.mark.parametrize("longest", [4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ALPHABETS)
def test_all_short_texts_of_the_characters_that_rules_distinguish_get_the_oracles_tokens(name, longest):
    short = ["".join(letters) for length in range(longest + 1) for letters in product(ALPHABETS[name], repeat=length)]
    assert_equal(name, short)


@pytest.mark.parametrize("name", NAMES)
def test_random_texts_get_the_oracles_tokens(name):
    rng = random.Random(name)
    assert_equal(name, ["".join(rng.choices(CHARACTERS, k=rng.randint(1, 9))) for _ in range(enough(20_000))])
    assert_equal(name, ["".join(rng.choices(FRAGMENTS, k=rng.randint(1, 6))) for _ in range(enough(10_000))])


@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
@examples(200)
@example("")
@example("\n")
@example(" , 5% \u3000")
def test_any_text_gets_the_oracles_tokens(name, text):
    assert_equal(name, [text])


@pytest.mark.parametrize("name", NAMES)
def test_runs_of_punctuation_at_the_edges_and_between_get_the_oracles_tokens(name):
    runs = ["".join(run) for length in (1, 2, 3) for run in product(".,-%$“。", repeat=length)]
    runs += [character * count for character in ".,-$“。…" for count in (4, 5, 64)]
    for pattern in (
        "{0}",
        "{0}a",
        "a{0}",
        "{0}5",
        "5{0}",
        "a{0}b",
        "5{0}6",
        "a{0}5",
        "5{0}a",
        " {0} ",
        "中{0}中",
        "{0} {0}",
    ):
        assert_equal(name, [pattern.format(run) for run in runs])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("digits", ["٣٤", "५६", "๗๘", "Ⅷⅷ", "½²", "〇〡", "一二", "𝟜𝟝", "①㈠", "0９"])
def test_numbers_of_other_scripts_get_the_oracles_tokens(name, digits):
    a, b = digits
    between = (".", ",", "-", "%", "$", "…", "。", "’", "..", ",-", "")
    assert_equal(
        name, [f"{left}{a}{mark}{b}{right}" for left, mark, right in product(("", "x", "-"), between, between)]
    )


@pytest.mark.parametrize("name", NAMES)
def test_newlines_and_other_white_space_get_the_oracles_tokens(name):
    spaced = [
        f"{left}{space}{right}"
        for space in (*SPACES, "\r\n")
        for left, right in product(("", "a", "5-", "中,"), repeat=2)
    ]
    assert_equal(
        name, [*spaced, "-\n", "a-\nb", "5-\n5", "-\n\n-\n", "-\r\na", "\n.\n", "中\n文\n", ".\n5", " \n ", "a \n"]
    )


@pytest.mark.parametrize("size", [10_000, pytest.param(50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_a_long_text_gets_the_oracles_tokens(name, size):
    rng = random.Random(name)
    assert_equal(name, ["".join(rng.choices(CHARACTERS, k=2 * size)), ",." * size, "中" * size, "5" * size])


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_missing_texts_stay_missing_and_slices_are_tokenized_alone(module, name):
    some = ["a, b", None, "", "中.5", None]
    expected = [None if text is None else oracles.tokenized(name, text) for text in some]
    assert tokens(name, some, module) == expected
    assert tokens(name, [], module) == []
    with mock.patch.multiple(kernels, **{function: getattr(module, function) for function in KERNELS}):
        assert list(tokenizers.get(name).tokenize(Segments.from_strings(some)[2:4])) == expected[2:4]


def test_a_tokenizer_of_many_blocks_knows_the_characters_of_all():
    tokenizer = tokenizers.get("intl")
    for text in ("a,b", "«a»", "a,b «c» ٣.٣", "٣,a"):
        assert list(tokenizer.tokenize(Segments.from_strings([text]))) == [oracles.tokenized("intl", text)]


def test_threads_that_meet_new_characters_at_once_get_the_oracles_tokens():
    lines = [AROUND.format(character) for character in CHARACTERS]
    expected = [oracles.tokenized("intl", line) for line in lines]
    for _ in range(20):
        unknown = bytearray(kernels.CODE_POINTS)
        with mock.patch.object(libraries, "_table", return_value=unknown), ThreadPoolExecutor(8) as threads:
            together = Barrier(8)

            def tokenize(number, together=together):
                together.wait()
                order = [*range(number, len(lines)), *range(number)]
                tokenizer = tokenizers.get("intl")
                return {index: tokenizer(lines[index]) for index in order}

            for tokens in threads.map(tokenize, range(8)):
                assert [tokens[index] for index in range(len(lines))] == expected


def test_an_intl_tokenizer_is_small_and_keeps_only_lines():
    bleucli.BLEU(tokenize="intl").tokenizer("a")  # the first metric imports modules
    tracemalloc.start()
    kept = [bleucli.BLEU(tokenize="intl") for _ in range(10)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 10 * 10_000
    assert not any(vars(metric.tokenizer) for metric in kept)


def test_a_line_is_tokenized_once_unless_there_are_many(monkeypatch):
    monkeypatch.setattr(base, "_KEPT_LINES", 3)
    tokenizer = base.KernelTokenizer("13a")
    assert tokenizer("a,b") is tokenizer("a,b") != tokenizer("a,c")
    assert [tokenizer(f"{letter}!") for letter in "abcd"] == ["a !", "b !", "c !", "d !"]
    assert tokenizer.__call__.cache_info().currsize == 3


@pytest.mark.parametrize("name", ["none", "13a", "intl"])
def test_something_other_than_a_line_is_refused_before_and_after_a_line(name):
    tokenizer = bleucli.BLEU(tokenize=name).tokenizer
    for _ in range(2):
        for text in (None, 5, ["a", "b"], b"a"):
            with pytest.raises(TypeError, match=type(text).__name__):
                tokenizer(text)
        assert tokenizer("a b") == "a b"


def test_a_pickled_tokenizer_leaves_its_lines_behind():
    metric = bleucli.TER(normalized=True)
    fresh = len(pickle.dumps(metric))
    assert metric.tokenizer("It's") == pickle.loads(pickle.dumps(metric)).tokenizer("It's") == "it 's"
    assert len(pickle.dumps(metric)) == fresh


@pytest.mark.parametrize("references", [1, 3])
def test_a_sentence_by_intl_takes_hardly_longer_than_by_13a(references):
    """No call may prepare a table of all code points, which takes a hundred times as long as a sentence."""
    line = "The cat, which cost 5,000.50 $, sat on the mat; nobody (not even I) knew why."

    def fastest(name):
        times = []
        for _ in range(50):
            start = process_time()
            for _ in range(20):
                bleucli.sentence_bleu(line, [line] * references, tokenize=name)
                bleucli.BLEU(tokenize=name).corpus_score([line], [[line]] * references)
                bleucli.BLEU(tokenize=name).tokenizer(line)
            times.append(process_time() - start)
        return min(times)

    assert fastest("intl") < 3 * fastest("13a")


# --- scores


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["zh", "intl"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_scores_are_the_oracles(name, lowercase):
    rng = random.Random(f"{name}{lowercase}")
    references = [["".join(rng.choices(CHARACTERS, k=30)) for _ in range(50)] for _ in range(2)]
    hypotheses = ["".join(rng.sample(text, len(text))) + " \n" for text in references[0]]
    ours, theirs = (make(tokenize=name, lowercase=lowercase) for make in (bleucli.BLEU, oracles.bleu))
    scores = [metric.corpus_score(hypotheses, references) for metric in (ours, theirs)]
    assert oracles.same_score(*scores), oracles.difference(*scores)
    signatures = [oracles.without_version(f"|{metric.get_signature()}") for metric in (ours, theirs)]
    assert signatures[0] == signatures[1]
    assert f"|tok:{name}|" in signatures[0]


# --- real text


def real_texts():
    """Give the lines of every file of real text."""
    place = oracles.real_data()
    for folder, _, names in sorted(os.walk(place)):
        for name in sorted(names):
            if folder != place and name.endswith(".txt"):
                yield oracles.read_lines(folder, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_line_of_real_text_is_treated_as_the_oracle_does(name):
    files = list(real_texts())
    assert len(files) >= 19
    for lines in files:
        assert_equal(name, lines)


@lru_cache(maxsize=2)
def published_metric(tokenize, references):
    """Return BLEU with the references that systems are scored against, which it prepares once."""
    streams = [oracles.read_lines(oracles.real_data(), path) for path in references]
    return bleucli.BLEU(tokenize=tokenize, references=streams)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_scores_that_wmt22_published_are_ours():
    place = oracles.real_data()
    usual = {"en-zh": "zh", "en-ja": "char"}
    count = 0
    for pair, system, which, published in sorted(oracles.published_bleu(place)):
        names = ("A", "B") if which == "all" and pair in ("en-de", "en-zh") else ("A",) if which == "all" else (which,)
        metric = published_metric(usual.get(pair, "13a"), tuple(f"wmt22.{pair}/ref.{name}.txt" for name in names))
        score = metric.corpus_score(oracles.read_lines(place, f"wmt22.{pair}", f"{system}.txt"), None).score
        assert oracles.same(score, published), (pair, system, which, score, published)
        count += 1
    assert count == 33


# --- which tokenizer is used


@pytest.mark.parametrize("language", ["zh", "ja", "ko", "de", "en", "ces", "ajp", ""])
def test_the_usual_tokenizer_of_a_language_is_the_oracles(language):
    signatures = []
    for metric in (bleucli.BLEU(trg_lang=language), oracles.bleu(trg_lang=language)):
        metric.corpus_score(["a b c d e"], [["a b c d f"]])
        signatures.append(oracles.without_version(f"|{metric.get_signature()}"))
    assert signatures[0] == signatures[1]


@pytest.mark.parametrize(
    ("pair", "signed"),
    [
        ("en-zh", "zh"),
        ("de-zh", "zh"),
        ("en-ja", "ja-mecab-0.996-IPA"),
        ("en-ko", "ko-mecab-0.996/ko-0.9.2-KO"),
        ("zh-en", "13a"),
        ("ja-ko", "ko-mecab-0.996/ko-0.9.2-KO"),
        ("en-de", "13a"),
    ],
)
def test_a_language_pair_picks_the_tokenizer(run, pair, pair_of_files, signed):
    answer = run(*pair_of_files, "-l", pair)
    assert (answer.status, answer.err) == (0, "")
    assert f"|tok:{signed}|" in answer.out


@pytest.fixture
def pair_of_files(write):
    write("ref.txt", "the cat sat on the mat\n")
    write("sys.txt", "the cat sat on a mat\n")
    return ("ref.txt", "-i", "sys.txt", "-f", "text", "-q")


@pytest.mark.parametrize("name", ["13a", "char", "none", "intl"])
def test_a_named_tokenizer_overrides_the_language_pair(run, pair_of_files, name):
    answer = run(*pair_of_files, "-l", "en-zh", "-tok", name)
    assert f"|tok:{name}|" in answer.out
    with warnings.catch_warnings(record=True):
        metric = bleucli.BLEU(tokenize=name, trg_lang="zh")
        metric.corpus_score(["a b c d e"], [["a b c d f"]])
    assert metric.get_signature().info["tok"] == name


@pytest.mark.parametrize(
    "pair", ["zh", "enzh", "en-", "", "en_zh", "en-zh-tw", "en-z h", "12-34", "en–zh", "en/zh", "-"]
)
def test_a_malformed_language_pair_is_refused(run, pair_of_files, pair):
    for words in (("-l", pair), (f"--language-pair={pair}",), ("-l", pair, "-tok", "char")):
        answer = run(*pair_of_files, *words)
        assert (answer.status, answer.out) == (2, "")
        assert re.fullmatch(r"bleu: error: .*--language-pair.*\n", answer.err)
        assert "xx-YY" in answer.err or "expected one argument" in answer.err


@pytest.mark.parametrize(
    "name", ["14a", "ZH", "13A", "mecab", "zh ", "", "spm:", "spm:nofile", "\n", "flores"], ids=ascii
)
def test_an_unknown_tokenizer_is_refused(run, pair_of_files, name):
    answer = run(*pair_of_files, "-tok", name)
    assert (answer.status, answer.out) == (2, "")
    assert re.fullmatch(r"bleu: error: .+\n", answer.err)
    if not name.startswith("spm:"):
        for known in (*tokenizers.NAMES, "spm:PATH"):
            assert known in answer.err


def test_an_unknown_tokenizer_is_refused_in_python():
    for name in ("14a", "ZH", "char "):
        with pytest.raises(UsageError, match=f"unknown tokenizer '{name}'; choose one of none, zh, 13a"):
            bleucli.BLEU(tokenize=name)


# --- the list


def listed(answer):
    """Return name, purpose and state of each line."""
    assert (answer.status, answer.err) == (0, "")
    return [re.fullmatch(r"(\S+) +(\S.*?\S)  +(\S.*)", line).groups() for line in answer.out.splitlines()]


def test_the_list_names_each_tokenizer_with_purpose_and_state(run):
    rows = listed(run("--list-tokenizers"))
    assert [name for name, _, _ in rows] == [*tokenizers.NAMES, "spm:PATH"]
    assert len({about for _, about, _ in rows}) == len(rows)
    states = {name: state for name, _, state in rows}
    models = {"spm", "flores101", "flores200", "spBLEU-1K"}
    assert {states[name] for name in states.keys() - models} == {"installed"}
    assert {states[name] for name in models} <= {"installed", "model not downloaded"}  # some may be in the cache
    assert set(NAMES) < set(tokenizers.NAMES)


def test_the_names_are_those_of_the_oracle(folder):
    answer = oracles.oracle_command(("-tok", "nonsense", "ref.txt"), str(folder))
    choices = re.search(rb"choose from (.*)\)", answer.stderr).group(1).decode()
    assert tuple(re.findall(r"[^', ]+", choices)) == tokenizers.NAMES


def test_the_list_says_what_to_install(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    states = {name: state for name, _, state in listed(run("--list-tokenizers"))}
    assert states["ja-mecab"] == "pip install 'bleucli[ja]'"
    assert states["ko-mecab"] == "pip install 'bleucli[ko]'"
    for name in ("spm", "flores101", "flores200", "spBLEU-1K", "spm:PATH"):
        assert states[name] == "pip install 'bleucli[spm]'"
    for name in ("none", "zh", "13a", "char"):
        assert states[name] == "installed"
    assert not [name for name, state in states.items() if "[]" in state]


@pytest.mark.parametrize("missing", ["MeCab", "ipadic"])
def test_one_missing_module_is_enough_to_need_an_extra(monkeypatch, missing):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else name)
    states = {name: state for name, _, state in tokenizers.listing()}
    assert states["ja-mecab"] == "pip install 'bleucli[ja]'"
    assert states["ko-mecab"] == states["intl"] == "installed"


def test_the_list_needs_no_files_and_may_be_written_to_a_file(run, folder):
    expected = run("--list-tokenizers")
    assert run("-q", "nofile", "-i", "nofile", "--list-tokenizers") == expected
    assert "--input, REF (not used by --list-tokenizers)" in run("nofile", "-i", "nofile", "--list-tokenizers").err
    assert run("--list-tok") == expected
    assert run("--list-tokenizers", "-o", "list.txt") == (0, "", "")
    assert (folder / "list.txt").read_text() == expected.out
