"""Build the distribution from bleucli's version and a copy of the package `bleucli/as_sacrebleu/path/sacrebleu`."""

from __future__ import annotations

import os
import shutil
from runpy import run_path

from setuptools import find_packages, setup

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
SOURCE = os.path.join(CHECKOUT, "bleucli", "as_sacrebleu", "path", "sacrebleu")
COPY = os.path.join(HERE, "build", "package", "sacrebleu")

version = run_path(os.path.join(CHECKOUT, "bleucli", "_version.py"))["__version__"]
shutil.rmtree(COPY, ignore_errors=True)
shutil.copytree(SOURCE, COPY, ignore=shutil.ignore_patterns("__pycache__"))
setup(
    # A local version (PEP 440), which requirements such as sacrebleu>=2.0 and sacrebleu==2.6.0 accept
    version=f"2.6.0+bleucli.{version}",
    install_requires=[f"bleucli=={version}"],
    package_dir={"": "build/package"},
    packages=find_packages("build/package"),
)
