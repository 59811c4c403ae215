"""Phrases that messages are made of.

- `tell_count`: a number with its noun
- `suggest`: what somebody may have meant who wrote a name that does not exist
"""

from collections.abc import Iterable


def tell_count(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    Args:
        count: how many there are.
        noun: for one of them.
        plural: for several; "" if the noun just takes an s.

    >>> tell_count(1, "segment"), tell_count(0, "segment"), tell_count(2, "hypothesis", "hypotheses")
    ('1 segment', '0 segments', '2 hypotheses')
    """
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about a name that does not exist: the known ones that are most like it, if any are.

    Case and the hyphens of options do not count.

    >>> suggest("wmt1", ["wmt14", "wmt15", "mtedx/test"]), suggest("--hlep", ["--help", "--list"])
    ('; did you mean wmt15 or wmt14?', '; did you mean --help?')
    >>> suggest("x", ["src"])
    ''
    """
    from difflib import get_close_matches

    folded = {one.lower().lstrip("-"): one for one in known}
    found = [folded[one] for one in get_close_matches(name.lower().lstrip("-"), folded)]
    return f"; did you mean {' or '.join(found)}?" if found else ""
