"""What to cite: the papers of test sets, of metrics and tests, and the tool, as BibTeX."""

from __future__ import annotations

from bleucli import tokenizers
from bleucli.cli import effects, metric_options, request
from bleucli.cli.streams import shown
from bleucli.cli.testset_modes import check, names
from bleucli.errors import BleuError
from bleucli.metrics import METRICS
from bleucli.output.bibliography import Use, bibtex
from bleucli.testsets import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from bleucli.cli.options import Options


def answer(options: Options) -> str:
    """Return what a run with these options should cite; with a test set alone, only the test set, as in sacreBLEU.

    Raises:
        BleuError: there is no such test set, its citation is unknown, or an option has a wrong value.
    """
    check(options)
    if options.given <= {"cite", "test_set", "registry"} and options.test_set is not None:
        sets = names(options.test_set, "--cite")
        citations = _find_citations(options)
        if not any(citations.values()):
            raise BleuError(f"no citation of {', '.join(sets)} is known; cite its name and address")
        return "\n\n".join(dict.fromkeys(filter(None, citations.values()))) + "\n"
    effects.refuse_conflicts(options)
    request.check_values(options)
    if options.segment_scores:
        request.check_segment_scores(options)
    method = "bs" if options.paired_bs else "ar" if options.paired_ar else None
    # --style stars leaves out the intervals of scores, but not those of --difference
    use = Use(
        list(_find_scores(options)),
        method,
        corrected=options.paired_all or options.bold_best,
        intervals=(options.confidence or options.paired_bs) and (options.style != "stars" or options.difference),
        distinct=options.command == "diversity",
    )
    entries = [bibtex(use)]
    for name, citation in (_find_citations(options) if options.test_set is not None else {}).items():
        entries.append(f"{citation or f'% no citation of {name} is known; cite its name and address'}\n")
    return "\n".join(dict.fromkeys(entries))


def _find_citations(options: Options) -> dict[str, str]:
    """Return what to cite for each test set, or "" if nothing is known."""
    sets = registry.load(options.registry)
    return {name: sets.citation(name) for name in names(options.test_set, "--cite")}


def _find_scores(options: Options) -> Iterator[tuple[str, dict[str, str]]]:
    """Give the name and signature of each metric. No tokenizer is loaded, since that may need a download."""
    for name in request.names_of_metrics(options):
        metric = metric_options.make(options, name, [option for option in METRICS[name].options if option.loads])
        label = f"Self-{metric.name}" if options.command == "diversity" else metric.score_name()
        info = dict(metric.signature(1, 1))
        if name != "bleu":
            yield label, info
            continue
        tokenizer = options.of_metric(name).get("tokenize")
        for tok in [tokenizer] if tokenizer else dict.fromkeys(map(tokenizers.default_for, _find_targets(options))):
            # As in signatures, but without the checksum or the versions that follow the hyphen there
            yield label, info | {"tok": tok.replace("spm:", "spm-", 1) + "-" * tok.endswith("-mecab")}


def _find_targets(options: Options) -> list[str]:
    """Return the target language, or those of the pairs of a matrix."""
    if options.matrix is None:
        return [metric_options.target_language(options.language_pair, options.test_set is not None)]
    from bleucli.matrix.plan import read_plan
    from bleucli.matrix.scoring import find_language

    plan = read_plan(shown(str(options.matrix)))
    return [find_language(pair.name, pair.language, request.follows_language(options)) for pair in plan.pairs]
