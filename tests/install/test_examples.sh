#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The examples of an installed prefix, built and run as their Makefile and their
# CMakeLists.txt say: a copy of them, the prefix moved to another place, and the
# prefix itself. The last line says "examples: pass".
# usage: test_examples.sh BUILD-DIRECTORY CC
set -euo pipefail
build=$1 cc=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/log" ||
    { cat "$scratch/log"; exit 1; }
mv "$scratch/first" "$scratch/a prefix"
prefix="$scratch/a prefix"
cp -r "$prefix/share/fshmem/examples" "$scratch/copy"
# What a make that runs the tests hands down says nothing of this one.
unset PKG_CONFIG_PATH PREFIX CONDUIT RANKS MAKEFLAGS MAKELEVEL

fail() {
    echo "examples: $1"
    cat "$scratch/log"
    exit 1
}

passed() { # <what> <self-checks>: what the programs of the log say of themselves
    grep -q 'Hello from rank 1 of 2' "$scratch/log" &&
        [ "$(grep -c 'Self-check passed' "$scratch/log")" = "$2" ] ||
        fail "$1: not what the examples print"
}

# Anywhere else: said where FSHMEM is, or not found with the remedy.
cd "$scratch/copy"
if env PATH=/usr/bin:/bin make CC="$cc" >"$scratch/log" 2>&1; then
    fail "make without a prefix has found one"
fi
grep -q 'make PREFIX=/opt/fshmem' "$scratch/log" ||
    fail "make without a prefix does not say what to do"
run() { # <conduit> <self-checks> <more for make...>
    make -s -B PREFIX="$prefix" CC="$cc" CFLAGS="-O2 -Wall -Werror" run \
        CONDUIT="$1" "${@:3}" >"$scratch/log" 2>&1 || fail "make run, $1"
    passed "make run, $1" "$2"
}
run smp 4
# Training takes a minute on simulated cards; tests/case has all of them there.
[ ! -x "$prefix/bin/fshsim" ] ||
    run fpga 2 programs="01_hello 05_selfcheck 06_matmul"
# fshrun in PATH tells the prefix, and every program is made.
make -s clean PREFIX="$prefix"
env PATH="$prefix/bin:$PATH" make -s CC="$cc" >"$scratch/log" 2>&1 ||
    fail "make, prefix of fshrun in PATH"
for source in 0*.c; do
    [ -x "${source%.c}" ] || fail "${source%.c} was not built"
done

# In place; with CMake too, which needs no prefix there.
make -s -C "$prefix/share/fshmem/examples" CC="$cc" run >"$scratch/log" 2>&1 ||
    fail "make in the prefix"
passed "make in the prefix" 4
configure() { # <source> <cmake arguments...>
    cmake -S "$1" -B "$scratch/cmake" -DCMAKE_C_COMPILER="$cc" "${@:2}" \
        >"$scratch/log" 2>&1 || fail "cmake -S $*"
}
configure "$prefix/share/fshmem/examples"
rm -rf "$scratch/cmake"
configure "$scratch/copy" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$scratch/cmake" >"$scratch/log" 2>&1 || fail "cmake --build"
ctest --test-dir "$scratch/cmake" -V >"$scratch/log" 2>&1 || fail "ctest"
passed "ctest" 4
echo "examples: pass"
