"""The sdist holds what its tests and its pages need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile

import pytest

LEFT_OUT = shutil.ignore_patterns("*.egg-info", "__pycache__", ".git", ".*_cache", ".hypothesis", "build", "*.so")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Build an sdist from a copy of the checkout without files of earlier builds, and unpack it."""
    folder = tmp_path_factory.mktemp("sdist")
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    shutil.copytree(checkout, folder / "checkout", ignore=LEFT_OUT)
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=folder / "checkout", check=True, capture_output=True)
    (archive,) = folder.glob("bleucli-*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        tar.extractall(folder)
    return folder / archive.name.removesuffix(".tar.gz")


def files_in(folder):
    return {
        os.path.relpath(os.path.join(place, name), folder)
        for place, folders, names in os.walk(folder, followlinks=True)
        if os.path.basename(place) != "__pycache__"
        for name in names
    }


def pytest_in(folder, *words):
    """Run pytest in an unpacked sdist, on its own package, which has no native kernels; return what it printed."""
    variables = {name: value for name, value in os.environ.items() if name != "BLEU_KERNELS"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env=variables | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_sdist_holds_the_checkout(unpacked):
    checkout = unpacked.parent / "checkout"
    of_git_alone = {".gitignore", ".pre-commit-config.yaml"}
    missing = files_in(checkout) - files_in(unpacked) - of_git_alone
    assert {name for name in missing if ".egg-info" not in name and not name.startswith("build")} == set()


def test_scripts_that_the_pages_name_are_in_the_sdist(unpacked):
    pages = [unpacked / "README.md", unpacked / "CONTRIBUTING.md", *(unpacked / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"\bscripts/\w+", page.read_text(encoding="utf-8"))}
    assert {"scripts/demo", "scripts/test", "scripts/benchmark"} <= named
    for name in named:
        assert os.access(unpacked / name, os.X_OK)


def test_the_description_has_no_links_that_an_index_cannot_follow(unpacked):
    text = (unpacked / "PKG-INFO").read_text(encoding="utf-8")
    assert "Description-Content-Type: text/markdown" in text
    assert "(`docs/scoring.md`)" in text
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []


def test_all_tests_can_be_collected_from_the_sdist(unpacked):
    assert " error" not in pytest_in(unpacked, "--collect-only", "-m", "slow or not slow").splitlines()[-1]


def test_tests_pass_in_the_sdist(unpacked):
    pytest_in(
        unpacked, "tests/project/test_readme.py", "tests/reading/test_textfiles.py", "tests/cli/test_testset_command.py"
    )
