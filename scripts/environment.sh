# The environment beside the checkout. Sourced by scripts/demo, scripts/test and .ci/run, which set `checkout`.
#
# `set_up run` and `set_up test` do `python -m venv` and `pip install -e .` or `.[test]`, but only if something has
# changed. Before a download they say how large it is, and on a terminal pip shows its progress. They put `bleu` on PATH
# and set $environment_python and $kernels, the kernels that are required from then on: `native`, or `python` if
# $missing says what is missing to compile them. The caller may set PYTHON, CC, CFLAGS and BLEU_ENVIRONMENT=DIR.
#
# `.made-from` in the environment says what it was made from: the interpreter, `run` or `test`, the checkout, the
# compiler and its flags, pyproject.toml and setup.py. It is emptied first and written last, so that an environment
# whose setup was interrupted is made again.

environment=${BLEU_ENVIRONMENT:-$checkout.env}
case $environment in /*) ;; *) environment=$PWD/$environment ;; esac
case ${PYTHON-} in /*) ;; */*) PYTHON=$PWD/$PYTHON ;; esac
case ${BLEU_EVALUATION_DATA-} in '' | [/~]*) ;; *) BLEU_EVALUATION_DATA=$PWD/$BLEU_EVALUATION_DATA ;; esac
environment_python=$environment/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0
unset PYTHONHOME PYTHONPATH # they would bypass the environment

say() {
    printf 'scripts/%s: %s\n' "${0##*/}" "$*" >&2
}

# fail STATUS MESSAGE: status 2 if the machine lacks something, 1 if something went wrong.
fail() {
    status=$1
    shift
    say "$@"
    exit "$status"
}

set_up() {
    cd "$checkout" # first of all, so that tools which choose a Python by directory always choose the same one
    find_python
    find_compiler
    interpreter="$identity in $environment"
    inputs=$(
        printf '%s\n' "$checkout" "CC=$CC" "CFLAGS=${CFLAGS-} ${CPPFLAGS-} ${LDFLAGS-}"
        cksum pyproject.toml setup.py
    )
    if ! { is_made_for test || { [ "$1" = run ] && is_made_for run; }; } || ! has_kernels 2>/dev/null; then
        estimate "$1"
        has_interpreter || make_environment
        install "$1"
    fi
    PATH=$environment/bin:$PATH
    export BLEU_KERNELS="${BLEU_KERNELS:-$kernels}" # otherwise no one would notice a kernel that does not load
}

# Prints version, path, and whether there is a header for compiling extensions; exits with 1 if Python is too old.
print_identity='
import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
print(sys.version.replace("\n", " "), sys.base_prefix, os.path.exists(header))
sys.exit(sys.version_info < (3, 11))
'

find_python() {
    seen=
    for python in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python; do
        if identity=$("$python" -c "$print_identity" 2>/dev/null); then return; fi
        [ -z "$identity" ] || seen="${seen:+$seen, }$python ${identity%% *}"
        [ -z "${PYTHON-}" ] || break
    done
    seen="${seen:-none}${PYTHON:+ (PYTHON=$PYTHON)}"
    fail 2 "needs Python 3.11 or newer, found $seen; install one, or set PYTHON to it"
}

find_compiler() {
    for candidate in cc gcc clang; do
        [ -n "${CC-}" ] || ! command -v "$candidate" >/dev/null || CC=$candidate
    done
    kernels=native missing=
    [ "${identity##* }" = True ] || missing="no Python.h (Debian and Ubuntu: apt install python3-dev)"
    # shellcheck disable=SC2086 # CC may be several words: ccache gcc
    ${CC:-false} --version >/dev/null 2>&1 || missing="no C compiler${CC:+ (CC=$CC)}"
    if [ -n "$missing" ]; then kernels=python CC=false; fi
    export CC
}

# Measured with a fast network and nothing in pip's cache.
estimate() {
    case $1 in
    run) cost="downloads about 20 MB, takes about half a minute and 100 MB of disk space" ;;
    test) cost="downloads about 350 MB, takes about two minutes and 1 GB of disk space" ;;
    esac
}

is_made_for() {
    [ "$(cat "$environment/.made-from" 2>/dev/null)" = "$(printf '%s\n' "$interpreter" "$1" "$inputs")" ]
}

# Native kernels that were built from other C sources than today's refuse to load.
has_kernels() {
    BLEU_KERNELS=$kernels "$environment_python" -P -c 'import bleucli.kernels'
}

# Imports would not do: setuptools refuses to be imported after distutils, which argparse_manpage imports.
has_build_tools='
import sys
from importlib.util import find_spec
sys.exit(not all(map(find_spec, ("argparse_manpage", "pip", "setuptools", "shtab"))))
'

has_interpreter() {
    [ "$(head -n 1 "$environment/.made-from" 2>/dev/null)" = "$interpreter" ] &&
        "$environment_python" -c "$has_build_tools" 2>/dev/null
}

# Only a folder that is empty or ours is emptied, since BLEU_ENVIRONMENT could name any folder.
is_ours() {
    [ -z "$(ls -A "$environment")" ] || [ -e "$environment/.made-from" ] ||
        { [ "$environment" = "$checkout.env" ] && [ -e "$environment/pyvenv.cfg" ]; }
}

make_environment() {
    mkdir -p "$environment" 2>/dev/null && [ -w "$environment" ] ||
        fail 2 "cannot write $environment; set BLEU_ENVIRONMENT to a writable directory"
    is_ours || fail 2 "$environment is in use for something else; set BLEU_ENVIRONMENT to another directory"
    say "setting up $environment (once): $cost"
    cost=
    : >"$environment/.made-from"
    rm -rf "${environment:?}"/*
    "$python" -m venv "$environment" >&2 ||
        fail 2 "$python cannot make environments; see above (Debian and Ubuntu: apt install python3-venv)"
    required='import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])'
    # shellcheck disable=SC2086 # several words
    { required=$("$environment_python" -c "$required") && pip_install $required; } ||
        fail 1 "installing the build tools failed; see above; the next run tries again"
}

# An editable install: Python files stay in the checkout. The kernels are compiled, and required, so that a failure is
# reported.
install() {
    case $cost,$(sed -n 2p "$environment/.made-from" 2>/dev/null) in
    ,*) say "building bleucli (once for each change)" ;;
    *,test | *,"$1") say "building bleucli (once for each change): takes about ten seconds" ;;
    *) say "completing $environment (once): $cost" ;;
    esac
    : >"$environment/.made-from"
    requirement=.
    [ "$1" = run ] || requirement=".[$1]"
    if ! BLEU_KERNELS=$kernels pip_install --no-build-isolation -e "$requirement" || ! has_kernels; then
        printf '%s\n' "$interpreter" >"$environment/.made-from" # only pip failed: the environment itself is complete
        fail 1 "building bleucli failed; see above; the next run tries again"
    fi
    printf '%s\n' "$interpreter" "$1" "$inputs" >"$environment/.made-from.new"
    mv "$environment/.made-from.new" "$environment/.made-from"
}

pip_install() {
    quiet=--quiet
    [ ! -t 2 ] || quiet=
    # shellcheck disable=SC2086 # nothing, or one word
    "$environment_python" -m pip install $quiet "$@" >&2
}
