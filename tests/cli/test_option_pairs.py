"""No option is silently ignored: in every pair, both have their effect, one gets a warning, or they are refused."""

from __future__ import annotations

import pytest
from option_pairs import GIVEN, find_ignored, write_files

from bleucli.cli.parser import parser

# Not tried: texts, which every pair has, and help, which is printed whatever else is given
TEXTS = {"refs", "input", "help"}


def test_every_option_is_tried():
    assert {action.dest for action in parser()._actions} == GIVEN.keys() | TEXTS


@pytest.mark.slow
def test_no_option_is_silently_ignored_beside_another(folder, monkeypatch):
    write_files()
    for name, value in (("BLEU_HOME", "cache"), ("BLEU_REGISTRY", "usual.toml"), ("BLEU_OFFLINE", "1")):
        monkeypatch.setenv(name, value if value == "1" else str(folder / value))
    assert find_ignored() == []
