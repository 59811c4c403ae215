"""What somebody may have meant who wrote a name that does not exist."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known names that are most like a name, as part of an error.

    >>> nearest("wmt1", ["wmt14", "wmt15", "mtedx/test"])
    '; the nearest are wmt15, wmt14'
    """
    from difflib import get_close_matches

    folded = {one.lower(): one for one in known}
    found = [folded[one] for one in get_close_matches(name.lower(), folded, cutoff=0.5)]
    return f"; the nearest are {', '.join(found)}" if found else ""
