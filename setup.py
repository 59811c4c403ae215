"""What pyproject.toml cannot express: kernels in C, the README for a package index, and pages made from the parser.

Users without a compiler get no kernels in C. With `BLEU_KERNELS=native` in the environment, a build that cannot compile
them fails and says why.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from glob import glob
from runpy import run_path

from setuptools import Command, Extension, setup
from setuptools.command.build import build

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = "bleucli/kernels/native"
checksum = run_path("bleucli/kernels/sources.py")["checksum"]
# One wheel serves every Python from 3.11, except free-threaded ones, which have no limited API
has_limited_api = not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildPages(Command):
    """Write the manual page and the completions for bash and zsh; install them where man and the shells find them."""

    user_options = [("build-base=", "b", "the folder that all builds share")]  # noqa: RUF012 # as setuptools wants it

    def initialize_options(self):
        """Leave the folder unset until `build` has chosen one."""
        self.build_base = None

    def finalize_options(self):
        """Use the folder that `build` has chosen."""
        self.set_undefined_options("build", ("build_base", "build_base"))

    def run(self):
        """Write the pages."""
        self.distribution.data_files = []
        for path, text in self._pages().items():
            target = os.path.join(self.build_base, path)
            self.mkpath(os.path.dirname(target))
            with open(target, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            self.distribution.data_files.append((os.path.dirname(path), [target]))

    def _pages(self):
        """Return the pages by path. The python kernels suffice for them; those in C may not be compiled yet."""
        import shtab
        from argparse_manpage.manpage import Manpage

        kernels = os.environ.get("BLEU_KERNELS")
        os.environ["BLEU_KERNELS"] = "python"
        sys.path.insert(0, HERE)
        try:
            from bleucli.cli.arguments import parser
        finally:
            sys.path.remove(HERE)
            os.environ["BLEU_KERNELS"] = kernels or ""
        top = parser()
        for action in top._actions:
            if action.metavar in ("REF", "SYSTEM", "FILE", "FILE.json"):
                action.complete = shtab.FILE
        about = self.distribution.metadata
        facts = {"project_name": about.name, "version": about.version, "description": about.description}
        manual = Manpage(top, facts | {"manual_title": "User Commands"})
        manual.synopsis = ["bleu", "REF...", "[-i SYSTEM...]", "[options]"]
        return {
            "share/man/man1/bleu.1": str(manual),
            "share/bash-completion/completions/bleu": shtab.complete(top, "bash"),
            "share/zsh/site-functions/_bleu": shtab.complete(top, "zsh"),
        }


def describe():
    """Return the README for a package index, where links to files of the checkout would lead nowhere."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    return re.sub(r"\[([^\]]+)\]\((?!https?:)([^)#]+)[^)]*\)", lambda link: f"{link[1]} (`{link[2]}`)", text)


build.sub_commands = [*build.sub_commands, ("build_pages", None)]
setup(
    cmdclass={"build_pages": BuildPages},
    long_description=describe(),
    long_description_content_type="text/markdown",
    ext_modules=[
        Extension(
            "bleucli.kernels._native",
            sources=sorted(glob(f"{NATIVE}/*.c")),
            depends=sorted(glob(f"{NATIVE}/*.h")),
            define_macros=[("Py_LIMITED_API", "0x030b0000"), ("BLEU_SOURCES_CHECKSUM", checksum())],
            # -ffp-contract=off: the same floating-point results on all processors
            extra_compile_args=["-O3", "-ffp-contract=off", "-fvisibility=hidden"],
            py_limited_api=True,
            optional=os.environ.get("BLEU_KERNELS") != "native",
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if has_limited_api else {},
)
