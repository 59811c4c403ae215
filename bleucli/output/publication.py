"""What a paper says about scores, in plain text; every statement follows from names, signatures and results.

- `sentences`: how the scores were made and tested, as prose
- `facts`, `facts_of`: the same as a list, of all scores and of one metric's

`bibliography` finds the papers to cite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bleucli.markup import visible
from bleucli.output import citations, matrices
from bleucli.output.bibliography import (
    cites_smoothing,
    compares_texts,
    find_paper,
    find_tokenizer,
    follows_sacrebleu,
    shows_intervals,
)
from bleucli.output.citations import Paper
from bleucli.output.layout import Layout
from bleucli.phrases import join_words, tell_count
from bleucli.results import TESTS, Matrix, Results, ScoreRecord

_CASES = {"mixed": "case-sensitive", "lc": "case-insensitive"}


# --- prose


def sentences(results: Results, layout: Layout) -> list[str]:
    """Return sentences for a paper, without line breaks, even in systems' names."""
    if results.matrix is not None:
        return list(_matrix_sentences(results, results.matrix, layout))
    records = results.systems[0].scores
    info = records[0].signature.info
    if not compares_texts(info):
        found = [f"Scores are means over {tell_count(results.segments, 'segment')}, computed with {_name_tool(info)}."]
    else:
        cited = list(map(_cite_metric, records))
        known = [tell_count(results.segments, "segment")] if results.segments else []  # not known of tables of scores
        texts = " of ".join([*known, *([_tell_test_set(info)] if "test" in info else [])])
        counted = f"{f' on {texts}' if texts else ''} with {_tell_references(info)}"
        if compared := _tell_comparison(results):
            cited.append(f"distinct n-grams of orders 1 to {len(records[0].shares)} ({citations.DISTINCT.short})")
            counted = ""
        found = [f"We report {join_words(cited)}{counted}, computed with {_name_tool(info)}{_tell_sacrebleu(records)}."]
        found += [f"Each text is scored against {compared}."] if compared else []
        found += [
            _tell_settings(record) for record in records if {"case", "smooth", "nc"} & record.signature.info.keys()
        ]
    if layout.scale != 100:
        found.append(f"{_tell_range(records)}.")
    return [*found, *_tell_sampling(results, layout)]


def _cite_metric(record: ScoreRecord) -> str:
    paper = find_paper(record.name, record.signature.info)
    return f"{record.name} ({paper.short})" if paper else record.name


def _tell_range(records: Sequence[ScoreRecord]) -> str:
    """Say the range of scores that are not in percent."""
    has_errors = any(record.higher_is_better is False for record in records)
    return f"Scores range from 0 to 1{'; error rates may be higher' if has_errors else ''}"


def _tell_settings(record: ScoreRecord) -> str:
    """Return how a metric was set, in a sentence."""
    info = record.signature.info
    used = []
    if "smooth" in info:
        tokenizer = find_tokenizer(info)
        used.append(f"the {info.get('tok')} tokenizer" + _cite(tokenizer.papers if tokenizer else ()))
        method, _, value = info["smooth"].partition("[")
        with_value = f" with the value {value.removesuffix(']')}" if value else ""
        smoothing = "no" if method == "none" else method
        used.append(
            f"{smoothing} smoothing{with_value}" + _cite((citations.SMOOTHING,) if cites_smoothing(info) else ())
        )
        order = info.get("ngram", "4")
        used.append("single tokens" if order == "1" else f"n-grams of up to {order} tokens")
        if info.get("eff") == "yes":
            used.append("the effective order (orders for which the output is too short are left out)")
    elif "nc" in info:
        space = " (white space included)" if info.get("space") == "yes" else ""
        orders = {f"characters{space}": info["nc"], "words": info.get("nw", "0")}
        used += [
            f"single {unit}" if order == "1" else f"n-grams of up to {order} {unit}"
            for unit, order in orders.items()
            if order != "0"
        ]
        used += ["eps smoothing"] if info.get("eff") == "no" else []
    elif info.get("tok") == "tercom":
        used.append(f"tercom's tokens ({_tell_tercom(info)})")
    case = _CASES.get(info.get("case", ""))
    told = [f"is {case}"] if case else []
    return f"{record.name} {' and '.join([*told, *([f'uses {join_words(used)}'] if used else [])])}."


def _tell_tercom(info: dict[str, str]) -> str:
    """Return how TER's tokenizer was set.

    >>> _tell_tercom({"norm": "yes", "punct": "no", "asian": "no"})
    'normalization, punctuation deleted, no Asian support'
    """
    normalization = "normalization" if info.get("norm") == "yes" else "no normalization"
    asian = "Asian support" if info.get("asian") == "yes" else "no Asian support"
    return f"{normalization}, punctuation {'deleted' if info.get('punct') == 'no' else 'kept'}, {asian}"


def _cite(cited: Sequence[Paper]) -> str:
    return f" ({'; '.join(paper.short for paper in cited)})" if cited else ""


def _tell_sampling(results: Results, layout: Layout) -> Iterator[str]:
    """Say how scores were resampled and tested; nothing if they were not."""
    records = results.systems[0].scores
    info = records[0].signature.info
    if results.test is not None:
        name, trial = TESTS[results.test.method]
        cited = _cite([citations.TESTS[results.test.method]])
        told = f"{name}{cited} with {tell_count(results.test.trials, trial)}{_tell_seed(info, ' and ')}"
        if results.rankings:
            corrected = f"corrected for the number of pairs by step-down max-T ({citations.STEP_DOWN.short})"
            yield f"{told} compared every system with every other; p-values are {corrected}."
        else:
            baseline, *others = (visible(system.name) for system in results.systems)
            compared = others[0] if len(others) == 1 else "every other system"
            yield f"{told} compared {compared} with {baseline}; p-values are not corrected for multiple comparisons."
    if shows_intervals(results, layout):
        resamples = tell_count(int(info["bs"]), "bootstrap resample") if "bs" in info else "bootstrap resamples"
        seed = "" if results.test is not None else _tell_seed(info, " with ")
        yield f"Confidence intervals (95%) are from {resamples} ({citations.BOOTSTRAP.short}){seed}."


def _tell_seed(info: dict[str, str], joint: str) -> str:
    if "seed" not in info:
        return ""
    return joint + ("no fixed seed" if info["seed"] == "none" else f"seed {info['seed']}")


def _name_tool(info: dict[str, str]) -> str:
    return info.get("version", "bleucli").replace("-", " ", 1)


def _tell_sacrebleu(records: Sequence[ScoreRecord]) -> str:
    """Return for which metrics the tool follows sacreBLEU: those whose settings sacreBLEU has, too."""
    alike = [record.name for record in records if follows_sacrebleu(record.name, record.signature.info)]
    if not alike:
        return ""
    only = "" if len(alike) == len(records) else f" for {join_words(alike)}"
    return f", which follows sacreBLEU ({citations.SACREBLEU.short}){only}"


def _tell_references(info: dict[str, str]) -> str:
    number = info.get("nrefs", "")
    told = {"var": "varying numbers of references", "1": "one reference each"}.get(number, f"{number} references each")
    return f"{told}, without empty ones" if info.get("empty") == "missing" else told


def _tell_comparison(results: Results) -> str:
    """Return against how many others each text is scored, if texts are compared with each other; else ""."""
    if not results.systems[0].scores[0].shares:
        return ""
    others = {system.scores[0].signature.info["nrefs"] for system in results.systems}
    if "var" in others:
        return "the others of its group"
    counts = sorted(map(int, others))
    return f"{counts[0]} to {counts[-1]} others" if len(counts) > 1 else tell_count(counts[0], "other")


def _tell_test_set(info: dict[str, str]) -> str:
    """Return the test set and which part of it was scored.

    >>> _tell_test_set({"test": "wmt17", "lang": "en-de", "origlang": "non-en"})
    'wmt17 (en-de; only segments not first written in en)'
    """
    parts = [info["lang"]] if "lang" in info else []
    if "origlang" in info:
        origlang = info["origlang"]
        told = f"not first written in {origlang[4:]}" if origlang.startswith("non-") else f"first written in {origlang}"
        parts.append(f"only segments {told}")
    if "subset" in info:
        parts.append(f"only the subset {info['subset']}")
    return info["test"].replace(",", " and ") + (f" ({'; '.join(parts)})" if parts else "")


# --- language pairs


def _matrix_sentences(results: Results, matrix: Matrix, layout: Layout) -> Iterator[str]:
    records = results.systems[0].scores
    cited = join_words(list(map(_cite_metric, records)))
    tool = f"{_name_tool(records[0].signature.info)}{_tell_sacrebleu(records)}"
    parts = matrices.by_pair(results, matrix)
    yield f"We report {cited} on {tell_count(len(parts), 'language pair')}, computed with {tool}."
    counted = [(pair, _tell_references(of.systems[0].scores[0].signature.info)) for pair, of in parts]
    for told, pairs in _group_pairs(counted):
        yield f"Each segment{f' of {pairs}' if pairs else ''} has {told.removesuffix(' each').replace(' each,', ',')}."
    for number in range(len(records)):
        settings = [(pair, _tell_settings(of.systems[0].scores[number])) for pair, of in parts]
        for told, pairs in _group_pairs(settings):
            yield f"For {pairs}, {told}" if pairs else told
    if layout.scale != 100:
        yield f"{_tell_range(records)}."
    yield from matrices.explain(results, matrix)[:1]
    yield from _tell_sampling(results, layout)


def _group_pairs(told: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each text about language pairs with the pairs that it holds for; "" if it holds for all.

    >>> _group_pairs([("en-de", "one"), ("en-zh", "two"), ("en-fr", "one")])
    [('one', 'en-de and en-fr'), ('two', 'en-zh')]
    """
    found: dict[str, list[str]] = {}
    for pair, text in told:
        found.setdefault(text, []).append(visible(pair))
    return [(text, "" if len(found) == 1 else join_words(pairs)) for text, pairs in found.items()]


def _group_facts(facts_by_pair: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> list[tuple[str, str]]:
    """Return facts of language pairs; where they differ, the labels name the pairs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for pair, listed in facts_by_pair:
        for label, text in listed:
            found.setdefault(label, []).append((pair, text))
    return [
        (f"{label}, {pairs}" if pairs else label, text)
        for label, told in found.items()
        for text, pairs in _group_pairs(told)
    ]


# --- lists


def facts(results: Results, layout: Layout) -> list[tuple[str, str]]:
    """Return the facts that hold for all scores, each with a label."""
    if results.matrix is not None:
        parts = matrices.by_pair(results, results.matrix)
        pairs = visible(", ".join(pair for pair, _ in parts))
        return [("Language pairs", pairs), *_group_facts((pair, facts(of, layout)) for pair, of in parts)]
    records = results.systems[0].scores
    info = records[0].signature.info
    found = [("Tool", f"{_name_tool(info)}{_tell_sacrebleu(records)}")]
    if compared := _tell_comparison(results):
        return [*found, ("Compared", f"each text with {compared}")]
    found.append(("Segments", str(results.segments)))
    if compares_texts(info):
        found.append(("References", _tell_references(info)))
        found.append(("Test set", _tell_test_set(info) if "test" in info else "your own files; describe them"))
    if layout.scale != 100:
        found.append(("Scale", _tell_range(records)))
    told = [*([] if results.test is not None else ["Not tested."]), *_tell_sampling(results, layout)]
    return [*found, ("Significance", " ".join(told))]


def facts_of(results: Results, number: int) -> list[tuple[str, str]]:
    """Return the facts that hold for the scores by one metric, each with a label; number: of the metric, from 0."""
    if results.matrix is not None:
        parts = matrices.by_pair(results, results.matrix)
        return _group_facts((pair, facts_of(of, number)) for pair, of in parts)
    record = results.systems[0].scores[number]
    info = record.signature.info
    found = []
    if "nc" in info:
        space = "counts" if info.get("space") == "yes" else "does not count"
        counted = [_tell_orders(info["nc"], "character") + f" (white space {space})"] if info["nc"] != "0" else []
        counted += [_tell_orders(info["nw"], "word")] if info.get("nw", "0") != "0" else []
        found.append(("N-grams", join_words(counted)))
    elif "smooth" in info:
        left_out = "; those for which the output is too short are left out" if info.get("eff") == "yes" else ""
        found.append(("N-grams", _tell_orders(info.get("ngram", "4"), "token") + left_out))
    if info.get("tok") == "tercom":
        found.append(("Tokenizer", f"tercom: {_tell_tercom(info)}"))
    elif tokenizer := find_tokenizer(info):
        found.append(("Tokenizer", tokenizer.about))
    elif "smooth" in info and "tok" in info:
        found.append(("Tokenizer", f"{info['tok']}, a custom tokenizer"))
    if "case" in info:
        found.append(("Case", f"{_CASES[info['case']]} ({info['case']})" if info["case"] in _CASES else info["case"]))
    if "smooth" in info:
        found.append(("Smoothing", _tell_smoothing(info["smooth"], results, number)))
    elif "nc" in info:
        eps = "eps: the F-scores of all orders are averaged" if info.get("eff") == "no" else "none"
        found.append(("Smoothing", eps))
    return found


def _tell_orders(order: str, unit: str) -> str:
    """Return how long n-grams are.

    >>> _tell_orders("4", "token"), _tell_orders("1", "word")
    ('of 1 to 4 tokens', 'of 1 word')
    """
    return f"of 1 {unit}" if order == "1" else f"of 1 to {order} {unit}s"


def _tell_smoothing(signed: str, results: Results, number: int) -> str:
    method, _, value = signed.partition("[")
    value = value.removesuffix("]")
    told = {
        "exp": "exp: the first order without a match counts as half a match, the second as a quarter, and so on",
        "floor": f"floor: an order without a match counts as {value} matches",
        "add-k": f"add-k: {value} is added to matches and n-grams of all orders but the first",
        "none": "none: the score is 0 if an order has no match",
        "add-one": "add-one: 1 is added to matches and n-grams of every order",
    }.get(method, f"{signed}: technique {method.rpartition('-')[2]} of {citations.SMOOTHING.short.replace(',', '')}")
    counts = [system.scores[number].figures.counts for system in results.systems]
    if method in ("exp", "floor", "none") and all(some and all(some) for some in counts):
        told += "; here every order has a match, so smoothing changed nothing"
    return told
