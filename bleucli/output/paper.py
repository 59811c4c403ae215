"""What to write about scores in a paper, as a block of Markdown: table, sentences, facts, what to cite."""

from __future__ import annotations

from bleucli.output import bibliography, explanation, publication
from bleucli.output.layout import Layout
from bleucli.output.markdown import escape, tables
from bleucli.results import Results


def render(results: Results, layout: Layout) -> str:
    """Return the tables of `markdown`, then sections; every statement follows from signatures and results."""
    notes = [f"- {escape(sentence)}" for sentence in explanation.brief(results, layout)]
    blocks = [*tables(results, layout), *(["\n".join(notes)] if notes else [])]
    blocks.append("### What to write\n\n" + "\n".join(map(escape, publication.sentences(results, layout))))
    facts = [f"- {label}: {escape(text)}" for label, text in publication.facts(results, layout)]
    for number, record in enumerate(results.systems[0].scores):
        facts.append(f"- {escape(record.name)}")
        signatures = explanation.signatures_of(results, number, layout)
        whose = [name.removeprefix(record.name) for name, _ in signatures]
        facts += [f"  - Signature{escape(who)}: `{one}`" for who, (_, one) in zip(whose, signatures, strict=True)]
        facts += [f"  - {label}: {escape(text)}" for label, text in publication.facts_of(results, number)]
    blocks.append("### How the scores were made\n\n" + "\n".join(facts))
    references = [f"- {escape(paper.full)}" for paper in bibliography.papers(bibliography.find_use(results, layout))]
    if test_set := results.systems[0].scores[0].signature.info.get("test"):
        references.append(f"- the test set: `bleu -t {test_set} --cite` prints its paper, if one is known")
    if references:
        blocks.append("### What to cite\n\n" + "\n".join(references))
    return "\n\n".join(blocks) + "\n"
