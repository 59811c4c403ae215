"""What pyproject.toml cannot express: kernels in C, the README for a package index, and pages made from the parser.

Users without a compiler get no kernels in C, and a wheel for every platform. With `BLEU_KERNELS=native` in the
environment, a build that cannot compile them fails and says why. A build without a file of `package-data` fails, too.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from glob import glob
from runpy import run_path

from setuptools import Command, Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_py import build_py
from setuptools.errors import SetupError

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = "bleucli/kernels/native"
checksum = run_path("bleucli/kernels/sources.py")["checksum"]
# Where shtab's completion for bash takes a word for a command: wherever it stands. Only the first word is one.
BASH_COMMAND = "if [[ -n $sub_parsers &&"
BASH_FIRST = "if [[ $word_index = 1 && -n $sub_parsers &&"
# Where its completion for zsh completes options and references, and what has to come before: it offers no commands
# where there are references
ZSH_SCORE = "  _arguments -C -s $_shtab_bleu_options\n"
ZSH_COMMANDS = """\
  local options=_shtab_bleu_${words[2]//-/_}_options
  if (( CURRENT > 2 && ${+parameters[$options]} )); then
    shift words
    (( CURRENT -= 1 ))
    _arguments -C -s ${(P)options}
    return
  fi
  (( CURRENT == 2 )) && _shtab_bleu_commands
"""
# One wheel serves every Python from 3.11, except free-threaded ones, which have no limited API
has_limited_api = not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildAnew(build):
    """Build from the sources alone: what an earlier build left could be of other sources."""

    def run(self):
        """Build."""
        if os.path.dirname(self.build_lib) == self.build_base:  # otherwise, the user chose the folder
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildWhole(build_py):
    """Build the modules and the other files of the packages, all of them."""

    def run(self):
        """Build."""
        for package, patterns in self.distribution.package_data.items():
            folder = os.path.join(HERE, *package.split("."))
            for pattern in patterns:
                if not any(map(os.path.isfile, glob(os.path.join(folder, pattern)))):
                    raise SetupError(f"{package} lacks {pattern}; check it out again, with all its files")
        super().run()


class WheelForAll(bdist_wheel):
    """A wheel for this platform if it has kernels in C; else one for all platforms."""

    def run(self):
        """Build the wheel."""
        shutil.rmtree(self.bdist_dir, ignore_errors=True)  # a build that was interrupted may have left files
        if not self.skip_build:
            self.run_command("build")
        if not all(map(os.path.isfile, self.get_finalized_command("build_ext").get_outputs())):
            self.distribution.ext_modules = []
            self.root_is_pure, self.py_limited_api = True, False
        super().run()


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
            from bleucli.cli.commands import MODULES
            from bleucli.cli.parser import parser

            top, parsers = parser(), {name: parser(name) for name in MODULES}  # imports more
        finally:
            sys.path.remove(HERE)
            os.environ["BLEU_KERNELS"] = kernels or ""
        about = self.distribution.metadata
        facts = {"project_name": about.name, "version": about.version, "description": about.description}
        manual = Manpage(top, facts | {"manual_title": "User Commands"})
        manual.synopsis = ["bleu", "REF...", "[-i SYSTEM...]", "[options]"]
        manual.add_section("commands", ">", "\n".join(describe_commands(top, parsers)).replace("-", "\\-"))
        page = str(manual)
        for one in (top, *parsers.values()):
            for action in one._actions:
                if action.metavar in ("REF", "SYSTEM", "TEXT", "FILE"):
                    action.complete = shtab.FILE
        (refs,) = (action for action in top._actions if not action.option_strings)
        refs.complete = shtab.FILE | {"bash": "_bleu_files_and_commands"}
        commands = top.add_subparsers(prog="bleu")
        for name, one in parsers.items():
            commands.add_parser(name, parents=[one], add_help=False, help=one.description)
        first = f"""\
_bleu_files_and_commands() {{
  compgen -f -- "$1"
  (( COMP_CWORD == 1 )) && compgen -W "{" ".join(parsers)}" -- "$1"
}}
"""
        bash, zsh = shtab.complete(top, "bash", preamble={"bash": first}), shtab.complete(top, "zsh")
        return {
            "share/man/man1/bleu.1": page,
            "share/bash-completion/completions/bleu": edit(bash, BASH_COMMAND, BASH_FIRST),
            "share/zsh/site-functions/_bleu": edit(zsh, ZSH_SCORE, ZSH_COMMANDS + ZSH_SCORE),
        }


def edit(script, old, new):
    """Return a script of shtab with a part replaced.

    Raises:
        SetupError: it does not have this part exactly once.
    """
    if script.count(old) != 1:
        raise SetupError(f"shtab completes in another way than it used to: see {old.strip()!r} in setup.py")
    return script.replace(old, new)


def describe_commands(top, parsers):
    """Give lines of the manual: the options that a command does not share with scoring, and the names of the others."""
    shared = {action.dest: action.help for action in top._actions}
    for name, parser in parsers.items():
        yield f".SS bleu {name}"
        yield from (f"{line.strip()}\n.br" for line in parser.usage.splitlines())
        yield f".PP\n{parser.description}"
        others = []
        for action in parser._actions:
            if shared.get(action.dest) == action.help:
                others.append(action.option_strings[0] if action.option_strings else action.metavar)
                continue
            words = parser._get_formatter()._format_action_invocation(action)
            yield f".TP\n.B {words}\n{parser._get_formatter()._expand_help(action)}"
        yield f".PP\nAs above: {', '.join(others)}"


def describe():
    """Return the README for a package index, where links to files of the checkout would lead nowhere."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    return re.sub(r"\[([^\]]+)\]\((?!https?:)([^)#]+)[^)]*\)", lambda link: f"{link[1]} (`{link[2]}`)", text)


BuildAnew.sub_commands = [*build.sub_commands, ("build_pages", None)]
setup(
    cmdclass={"bdist_wheel": WheelForAll, "build": BuildAnew, "build_pages": BuildPages, "build_py": BuildWhole},
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
