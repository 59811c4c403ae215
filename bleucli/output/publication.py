"""What a paper says about scores, in plain text; every statement follows from signatures and results.

- `sentences`: how the scores were made and tested, as prose
- `facts`, `facts_of`: the same as a list, of all scores and of one metric's

What is said of a metric's settings comes from the metric itself (`ScoreRecord.description`). `bibliography` finds the
papers to cite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bleucli.markup import visible
from bleucli.output import matrices
from bleucli.output.bibliography import compares_texts, shows_intervals
from bleucli.output.layout import Layout
from bleucli.phrases import join_words, tell_count
from bleucli.results import TESTS, Matrix, Results, ScoreRecord, citations

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
        found += filter(None, map(_tell_settings, records))
    if layout.scale != 100:
        found.append(f"{_tell_range(records)}.")
    return [*found, *_tell_sampling(results, layout)]


def _cite_metric(record: ScoreRecord) -> str:
    paper = record.description.paper
    return f"{record.name} ({paper.short})" if paper else record.name


def _tell_range(records: Sequence[ScoreRecord]) -> str:
    """Say the range of scores that are not in percent."""
    has_errors = any(record.higher_is_better is False for record in records)
    return f"Scores range from 0 to 1{'; error rates may be higher' if has_errors else ''}"


def _tell_settings(record: ScoreRecord) -> str:
    """Return how a metric was set, in a sentence; "" if it says nothing about that."""
    description = record.description
    parts = [f"is {description.case}"] if description.case else []
    parts += [f"uses {join_words(description.uses)}"] if description.uses else []
    return f"{record.name} {' and '.join(parts)}." if parts else ""


def _tell_sampling(results: Results, layout: Layout) -> Iterator[str]:
    """Say how scores were resampled and tested; nothing if they were not."""
    records = results.systems[0].scores
    info = records[0].signature.info
    if results.test is not None:
        name, trial = TESTS[results.test.method]
        cited = citations.cite([citations.TESTS[results.test.method]])
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
    alike = [record.name for record in records if record.description.follows_sacrebleu]
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
        for told, pairs in _group_pairs((pair, told) for pair, told in settings if told):
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
    # All systems have the same settings, but whether n-grams match depends on their texts
    counts = [system.scores[number].figures.counts for system in results.systems]
    matched = all(some and all(some) for some in counts)
    description = results.systems[0].scores[number].description
    return [(fact.label, fact.text + fact.if_matched * matched) for fact in description.facts]
