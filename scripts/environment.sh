# Sourced by scripts/demo, scripts/test and .ci/run, which set `checkout`: the environment beside the checkout.
#
# `set_up run` or `set_up test` brings it up to date and returns with `bleu` on PATH, $environment_python, and
# $kernels: `native`, or `python` where $missing is not there to compile with. Nothing half made is trusted: a stamp
# says what a step was made from and is written last; a step that was killed leaves the mark `unfinished` behind.
# PYTHON, CC, CFLAGS and BLEU_ENVIRONMENT=DIR are the caller's to set.

environment=${BLEU_ENVIRONMENT:-$checkout.env}
case $environment in /*) ;; *) environment=$PWD/$environment ;; esac
case ${PYTHON-} in /*) ;; */*) PYTHON=$PWD/$PYTHON ;; esac
case ${BLEU_EVALUATION_DATA-} in '' | [/~]*) ;; *) BLEU_EVALUATION_DATA=$PWD/$BLEU_EVALUATION_DATA ;; esac
environment_python=$environment/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0
unset PYTHONHOME PYTHONPATH # they would lead past the environment

say() {
    printf 'scripts/%s: %s\n' "${0##*/}" "$*" >&2
}

# fail STATUS MESSAGE: 2 is for what the machine lacks, 1 for what went wrong.
fail() {
    status=$1
    shift
    say "$@"
    exit "$status"
}

set_up() {
    cd "$checkout" # from the start: tools that choose a Python by directory choose the same one from everywhere
    find_python
    find_compiler
    is_ready "$1" || {
        has_interpreter || make_environment
        install "$1"
    }
    PATH=$environment/bin:$PATH
}

# --- Python --------------------------------------------------------------------------------------------------------

print_identity='import sys; print(sys.version.replace("\n", " "), sys.base_prefix)'
# Prints what there is to know about an interpreter; exits with 1 if it is too old.
probe='
import sys
print(sys.version.split()[0])
if sys.version_info < (3, 11):
    sys.exit(1)
import os, sysconfig
print(os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
'$print_identity

find_python() {
    seen=
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python; do
        if answer=$("$candidate" -c "$probe" 2>/dev/null); then
            { read -r version && read -r has_header && read -r identity; } <<ANSWER
$answer
ANSWER
            python=$(command -v "$candidate")
            return
        fi
        [ -z "$answer" ] || seen="${seen:+$seen, }$candidate $answer"
        [ -z "${PYTHON-}" ] || break
    done
    seen="${seen:-none}${PYTHON:+ (PYTHON=$PYTHON)}"
    fail 2 "needs Python 3.11 or newer, found $seen; install one, or set PYTHON to it"
}

# --- the C compiler ------------------------------------------------------------------------------------------------

runs() {
    "$@" --version >/dev/null 2>&1
}

# Decides which kernels there will be: native ones need a compiler that runs and the header Python.h.
find_compiler() {
    for candidate in cc gcc clang; do
        if [ -z "${CC-}" ] && runs "$candidate"; then CC=$candidate; fi
    done
    kernels=native demanded=native missing=
    [ "$has_header" = True ] || missing="no Python.h (Debian and Ubuntu: apt install python3-dev)"
    # shellcheck disable=SC2086 # CC may be several words: ccache gcc
    runs ${CC:-false} || missing="no C compiler${CC:+ (CC=$CC)}"
    if [ -n "$missing" ]; then kernels=python demanded=auto CC=false; fi
    export CC
}

# --- what there is already -----------------------------------------------------------------------------------------

# What everything is made from, one thing a line.
inputs() {
    printf '%s\n' "$identity" "$environment" "$checkout" "CC=$CC" "CFLAGS=${CFLAGS-} ${CPPFLAGS-} ${LDFLAGS-}"
    cksum pyproject.toml setup.py bleucli/kernels/native/*.[ch]
}

# says STAMP TEXT
says() {
    [ -e "$environment/$1" ] && [ ! -e "$environment/unfinished" ] && [ "$(cat "$environment/$1")" = "$2" ]
}

# is_ready run|test: made from what is here today, and it runs.
is_ready() {
    { says test.stamp "$(inputs)" || { [ "$1" = run ] && says run.stamp "$(inputs)"; }; } && has_kernels 2>/dev/null
}

has_interpreter() {
    says interpreter.stamp "$identity $environment" &&
        [ "$("$environment_python" -c "import setuptools, pip; $print_identity" 2>/dev/null)" = "$identity" ]
}

has_kernels() {
    BLEU_KERNELS=$demanded "$environment_python" -P -c '
import sys, bleucli.kernels
sys.exit(bleucli.kernels.live != sys.argv[1])
' "$kernels"
}

# --- making it -----------------------------------------------------------------------------------------------------

# write_stamp NAME TEXT: whole or not at all.
write_stamp() {
    printf '%s\n' "$2" >"$environment/$1.new" && mv "$environment/$1.new" "$environment/$1"
}

# step WHAT COMMAND...: a command that ends badly can be repeated; one that was killed leaves `unfinished`.
step() {
    what=$1
    shift
    touch "$environment/unfinished" || fail 2 "cannot write $environment; set BLEU_ENVIRONMENT to another directory"
    "$@" >&2 || {
        rm -f "$environment/unfinished"
        fail 1 "$what failed, as said above; the next run tries again"
    }
    rm -f "$environment/unfinished"
}

pip_install() {
    "$environment_python" -m pip install --quiet "$@"
}

# Only what is empty or ours is emptied: BLEU_ENVIRONMENT could name anything.
is_ours() {
    [ -z "$(ls -A "$environment")" ] || [ -e "$environment/.bleucli" ] ||
        { [ "$environment" = "$checkout.env" ] && [ -e "$environment/pyvenv.cfg" ]; }
}

make_environment() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail 2 "$python ($version) has no venv; install it (Debian and Ubuntu: apt install python3-venv), or set PYTHON"
    mkdir -p "$environment" 2>/dev/null && [ -w "$environment" ] ||
        fail 2 "cannot write $environment; set BLEU_ENVIRONMENT to a directory that can be written"
    is_ours || fail 2 "$environment is in use for something else; set BLEU_ENVIRONMENT to another directory"
    say "setting up $environment (once)"
    touch "$environment/.bleucli"
    rm -rf "${environment:?}"/*
    step "python -m venv" "$python" -m venv "$environment"
    step "pip install setuptools" pip_install "setuptools>=77"
    write_stamp interpreter.stamp "$identity $environment"
}

# install run|test: Python's files stay where they are (-e); the kernels are compiled anew, never left from before.
install() {
    say "building bleucli (once for each change)"
    rm -f "$environment/run.stamp" "$environment/test.stamp"
    rm -rf build bleucli/kernels/_native*.so bleucli/kernels/_native*.pyd
    made_from=$(inputs) # before the build: what is changed meanwhile is built next time
    if [ "$1" = test ]; then requirement='.[test]'; else requirement=.; fi
    step "pip install -e '$requirement'" pip_install --no-build-isolation -e "$requirement"
    has_kernels 2>/dev/null || explain_kernels
    write_stamp "$1.stamp" "$made_from"
}

# The extension is optional in the build, so that pip is silent about a failed compile: compile once more, aloud.
explain_kernels() {
    build='import setuptools; setuptools.setup()'
    "$environment_python" -W ignore -c "$build" --quiet build_ext --inplace --force >&2 || true
    ! ls bleucli/kernels/_native*.so >/dev/null 2>&1 || has_kernels 2>&1 | tail -n 1 >&2
    fail 1 "compiling the kernels failed, as said above (CC=$CC); CC=false does without them"
}
