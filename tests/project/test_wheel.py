"""What a build makes of the checkout: all files of the package, and none of an earlier build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT, SECONDS

from bleucli import kernels

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("git"), reason="there is no Git"),
    pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, ".git")), reason="this is not a clone"),
]

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
DEMO = os.path.join("bleucli", "testsets", "demo")
needs_compiler = pytest.mark.skipif(kernels.live != "native", reason="there is no compiler")


@pytest.fixture
def clone(tmp_path):
    """Clone the checkout's last commit as on a system without symbolic links."""
    there = tmp_path / "clone"
    command = ("git", "-c", "core.symlinks=false", "clone", "--quiet", ROOT, there)
    subprocess.run(command, check=True, timeout=SECONDS)
    return there


@pytest.fixture
def build(tmp_path, clone):
    """Build a wheel of the clone, and return its path, or what the build said if it failed."""

    def build(folder, compiler=None, **variables):
        environment = {
            name: value for name, value in os.environ.items() if name not in ("BLEU_KERNELS", "CC", "CFLAGS")
        }
        environment |= {"CC": compiler} if compiler else {}
        done = subprocess.run(
            [sys.executable, "-c", BUILD, str(tmp_path / folder)],
            cwd=clone,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        return str(tmp_path / folder / done.stdout.split()[-1]) if done.returncode == 0 else done.stderr

    return build


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_without_links_and_without_a_compiler_a_wheel_for_all_has_the_demo(clone, build, tmp_path):
    assert not any(os.path.islink(os.path.join(place, name)) for place, _, names in os.walk(clone) for name in names)
    wheel = build("out", compiler="/bin/false")
    assert wheel.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        assert "Root-Is-Purelib: true\nTag: py3-none-any" in archive.read(metadata).decode().replace("\r", "")
    for name in os.listdir(os.path.join(ROOT, DEMO)):
        with open(os.path.join(ROOT, DEMO, name), "rb") as ours, open(tmp_path / "unpacked" / DEMO / name, "rb") as its:
            assert its.read() == ours.read()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "bleucli",
            "-t",
            "demo",
            "-l",
            "en-de",
            "-i",
            os.path.join(ROOT, DEMO, "weak.de.txt"),
            "-b",
        ],
        cwd=tmp_path / "unpacked",
        env=os.environ | {"PYTHONPATH": str(tmp_path / "unpacked"), "BLEU_KERNELS": "auto"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0
    assert float(done.stdout) > 0


@pytest.mark.parametrize("lost", ["strong.de.txt", "README.md", ""])
def test_a_build_without_the_demo_is_refused(clone, build, lost):
    path = clone / DEMO / lost
    if lost:
        path.unlink()
    else:  # what Git makes of a link where there are none
        shutil.rmtree(path)
        path.write_text("../../data/demo")
    assert f"error: bleucli.testsets lacks demo/{lost or 'README.md'}; check it out again" in build("out", "/bin/false")


@needs_compiler
def test_a_build_takes_nothing_from_an_earlier_one(clone, build):
    (clone / "bleucli" / "forgotten.py").write_text("")
    native = build("native", BLEU_KERNELS="native")
    assert "-cp311-abi3-" in native
    assert {"bleucli/forgotten.py", "bleucli/kernels/_native.abi3.so"} <= names_in(native)
    os.unlink(clone / "bleucli" / "forgotten.py")
    # What an interrupted build leaves
    for folder in (*clone.glob("build/lib*"), clone / "build" / "bdist.linux-x86_64" / "wheel"):
        (folder / "bleucli").mkdir(parents=True, exist_ok=True)
        (folder / "bleucli" / "interrupted.py").write_text("")
    pure = build("pure", compiler="/bin/false")
    assert pure.endswith("-py3-none-any.whl")
    assert not [name for name in names_in(pure) if "forgotten" in name or ("_native." in name and name.endswith("so"))]
    assert "bleucli/interrupted.py" not in names_in(pure)


@needs_compiler
def test_kernels_that_are_required_and_cannot_be_compiled_stop_the_build(build):
    assert build("native", BLEU_KERNELS="native").endswith(".whl")
    assert ".whl" not in build("again", compiler="/bin/false", BLEU_KERNELS="native")
