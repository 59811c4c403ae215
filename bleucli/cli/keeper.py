"""The interface through which `Texts.score` passes on statistics, to be saved or shown; for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from bleucli.counting import SystemStats


class Keeper(Protocol):
    """Keeps statistics while texts are scored, to be saved or shown."""

    def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
        """Keep the next segments of all systems; they all belong to one group."""

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments of all systems."""

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Add to the sums of a group."""
