"""Each metric and the oracle's: a record of the options and of what can be compared.

- `KINDS`: BLEU, chrF and TER
- `both`: our metric and the oracle's, with the same options
- `assert_same`, `assert_same_signature`, `assert_segments_alike`: what must be equal
- `demo`, `nrefs`: lines of the demo corpus; the references in a signature
- `parameters`: what a function takes by position
- `SYSTEMS`, `ONE`, `TWO`, `SEVERAL`: systems of the demo corpus, and the command's words to score them
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from itertools import product

import oracles
from hypothesis import strategies as st

import bleucli
from bleucli.text import Segments

SYSTEMS = ("strong", "weak")
ONE = "reference.A.de.txt -i strong.de.txt"
TWO = "reference.A.de.txt reference.B.de.txt -i weak.de.txt"
SEVERAL = "reference.A.de.txt -i strong.de.txt weak.de.txt -f text"

# --- when two answers are the same

# The public parts of a score
PARTS = {
    "BLEU": ("name", "score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio", "prec_str"),
    "chrF": ("name", "score", "char_order", "word_order", "beta"),
    "TER": ("name", "score", "num_edits", "ref_length"),
}


def parts(score):
    """Return the parts of a score by their names."""
    (names,) = (names for metric, names in PARTS.items() if score.name.startswith(metric))
    return {name: getattr(score, name) for name in names}


def assert_same(ours, theirs):
    found, expected = parts(ours), parts(theirs)
    if ours.name == "BLEU" and oracles.same(ours.score, theirs.score):
        expected["score"] = ours.score
    assert found == expected


def assert_same_signature(ours, theirs, order=4):
    """Check the signatures in all their forms; `order` is that of BLEU, which is not in the oracle's signature."""
    for short in (False, True):
        expected = oracles.our_signature(theirs.get_signature().format(short), order)
        assert oracles.without_version(ours.get_signature().format(short)) == expected
    expected = oracles.our_signature(str(theirs.get_signature()), order)
    assert oracles.without_version(str(ours.get_signature())) == expected


def assert_segments_alike(kind, chosen, hypotheses, references):
    """Check that all kernels count what the oracle counts, and that each segment's score is the oracle's."""
    ours, theirs = both(kind, chosen)
    columns = [Segments.from_strings(stream) for stream in references]
    found = list(ours.segment_stats(Segments.from_strings(hypotheses), columns))
    for module in oracles.kernel_modules():
        assert kind.rows(module, ours, hypotheses, references) == found, module.__name__
    for row, hypothesis, *streams in zip(found, hypotheses, *references, strict=True):
        candidates = [text for text in streams if text is not None]
        expected = theirs.sentence_score(hypothesis, candidates)
        # with add-k, the oracle's counts include what smoothing adds
        if kind.counted and chosen.get("smooth_method") != "add-k":
            assert row == kind.counted(expected), (hypothesis, candidates)
        assert_same(ours.score_from_stats(row), expected)
        assert_same(ours.sentence_score(hypothesis, candidates), expected)


def nrefs(metric):
    return str(metric.get_signature().info["nrefs"])


def parameters(function):
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in parameters if one.kind is not one.KEYWORD_ONLY]  # only ours has these


def demo(name):
    return oracles.read_lines(oracles.DEMO, f"{name}.de.txt")


def both(kind, chosen):
    return kind.ours(**chosen), kind.oracle(**chosen)


# --- what each set of kernels counts


def rows_of_bleu(module, metric, hypotheses, references):
    tokenizers = {"13a": module.tokenize_13a, "char": module.tokenize_char, "none": lambda segments: segments}
    tokenize = tokenizers[metric.tokenizer.signature]
    sides = [Segments.from_strings(side) for side in (hypotheses, *references)]
    if metric.lowercase:
        sides = [side.lower() for side in sides]
    first, *others = (tokenize(module.strip_trailing(side)) for side in sides)
    return list(module.ngram_stats(first, others, metric.max_ngram_order))


def rows_of_chrf(module, metric, hypotheses, references):
    first, *others = (metric.prepare(Segments.from_strings(side)) for side in (hypotheses, *references))
    orders = (metric.char_order, metric.word_order, metric.beta)
    return list(module.chrf_stats(first, others, *orders, metric.whitespace, metric.eps_smoothing))


def rows_of_ter(module, metric, hypotheses, references):
    streams = [metric.prepare_reference(Segments.from_strings(stream)) for stream in references]
    return list(module.ter_stats(metric.prepare(Segments.from_strings(hypotheses)), streams))


# --- the metrics

TOKENIZERS = ("13a", "char", "none")
METHODS = ("exp", "floor", "add-k", "none")
NGRAM_ORDERS = range(1, 7)
BETAS = (0, 0.5, 1, 2, 2.0, 2.5, 3, 1e-7, 1000, 1e150)
CHRF_ORDERS = [
    {"char_order": characters, "word_order": words}
    for characters, words in product(range(9), range(4))
    if characters or words
]
CHRF_SWITCHES = ("lowercase", "whitespace", "eps_smoothing")
TER_SWITCHES = ("normalized", "no_punct", "asian_support", "case_sensitive")


def combinations_of(**values):
    """Return all options with one of the values of each.

    >>> combinations_of(order=(1, 2), lowercase=(True,))
    [{'order': 1, 'lowercase': True}, {'order': 2, 'lowercase': True}]
    """
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def switched(names):
    """Return all options with each switch on and off; the last one changes first."""
    return combinations_of(**dict.fromkeys(names, (False, True)))


def chrf_options(**others):
    """Draw orders, or none, and other options."""
    return st.tuples(st.sampled_from([{}, *CHRF_ORDERS]), st.fixed_dictionaries({}, optional=others)).map(
        lambda pair: pair[0] | pair[1]
    )


TER_OPTIONS = switched(TER_SWITCHES)

# A metric and
# - `options`, `functions`: what is drawn for the class, and for the functions of the same name
# - `values`: for the functions, by position, as far as both take them in the same order
# - `parameters`: how many of the class's parameters the oracle has
# - `rows`, `counted`: the statistics that a set of kernels counts, and the oracle, if they can be seen
# - `grid`, `sample`: options to try with the demo corpus, and those that are enough for a quick run
# - `few`: options for tests that take long or concern all options alike; `odd`: options for texts that are almost empty
# - `lowercasing`, `spacing`: those that concern case and white space
Kind = namedtuple(
    "Kind", "name ours oracle options functions values parameters rows counted grid sample few odd lowercasing spacing"
)

BLEU_OPTIONS = [
    *combinations_of(tokenize=TOKENIZERS, lowercase=(False, True), smooth_method=METHODS),
    *combinations_of(max_ngram_order=NGRAM_ORDERS, effective_order=(False, True), smooth_method=METHODS),
]
BLEU = Kind(
    name="bleu",
    ours=bleucli.BLEU,
    oracle=oracles.BLEU,
    options=st.fixed_dictionaries(
        {
            "tokenize": st.sampled_from(TOKENIZERS),
            "lowercase": st.booleans(),
            "smooth_method": st.sampled_from(METHODS),
            "smooth_value": st.one_of(st.none(), st.sampled_from([0, 0.01, 0.1, 0.5, 1, 2.5]), st.floats(0, 100)),
            "max_ngram_order": st.integers(1, 6),
            "effective_order": st.booleans(),
        }
    ),
    functions=st.fixed_dictionaries(
        {},
        optional={
            "smooth_method": st.sampled_from(METHODS),
            "smooth_value": st.none() | st.floats(0, 10),
            "lowercase": st.booleans(),
            "tokenize": st.sampled_from(TOKENIZERS),
            "use_effective_order": st.booleans(),
        },
    ),
    values=st.tuples(st.sampled_from(METHODS), st.none() | st.floats(0, 10)),
    parameters=7,
    rows=rows_of_bleu,
    counted=lambda score: (score.sys_len, score.ref_len, *score.counts, *score.totals),
    grid=BLEU_OPTIONS,
    sample=BLEU_OPTIONS[::11],
    few=combinations_of(tokenize=TOKENIZERS),
    odd=combinations_of(smooth_method=METHODS, max_ngram_order=(1, 4), effective_order=(False, True)),
    lowercasing=[{"lowercase": True}],
    spacing=combinations_of(tokenize=TOKENIZERS),
)
CHRF_OPTIONS = [
    *combinations_of(word_order=(2,), beta=BETAS, **dict.fromkeys(CHRF_SWITCHES, (False, True))),
    *CHRF_ORDERS,
]
CHRF = Kind(
    name="chrf",
    ours=bleucli.CHRF,
    oracle=oracles.CHRF,
    options=chrf_options(beta=st.sampled_from(BETAS), **dict.fromkeys(CHRF_SWITCHES, st.booleans())),
    functions=chrf_options(beta=st.sampled_from(BETAS), remove_whitespace=st.booleans(), eps_smoothing=st.booleans()),
    values=st.tuples(st.integers(1, 8), st.integers(0, 3), st.sampled_from(BETAS), st.booleans(), st.booleans()),
    parameters=7,
    rows=rows_of_chrf,
    counted=None,
    grid=CHRF_OPTIONS,
    sample=CHRF_OPTIONS[::17],
    few=[{}, {"word_order": 2}, {"eps_smoothing": True}, {"lowercase": True, "whitespace": True, "beta": 1}],
    odd=combinations_of(char_order=(1, 3, 6), word_order=(0, 2), eps_smoothing=(False, True), whitespace=(False, True)),
    lowercasing=[{"char_order": 2, "word_order": 1, "lowercase": True}],
    spacing=combinations_of(whitespace=(False, True), word_order=(0, 2)),
)
TER = Kind(
    name="ter",
    ours=bleucli.TER,
    oracle=oracles.TER,
    options=st.fixed_dictionaries(dict.fromkeys(TER_SWITCHES, st.booleans())),
    functions=st.fixed_dictionaries({}, optional=dict.fromkeys(TER_SWITCHES, st.booleans())),
    values=st.tuples(*(st.booleans() for _ in TER_SWITCHES)),
    parameters=5,
    rows=rows_of_ter,
    counted=lambda score: (score.num_edits, score.ref_length),
    grid=TER_OPTIONS,
    sample=TER_OPTIONS[::5],
    few=[TER_OPTIONS[0], TER_OPTIONS[8], TER_OPTIONS[-1]],
    odd=TER_OPTIONS,
    lowercasing=combinations_of(case_sensitive=(False, True)),
    spacing=combinations_of(normalized=(False, True)),
)
KINDS = (BLEU, CHRF, TER)
