#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What `make install` gives cmake for PREFIX: one argument, whatever is in it.
# cmake is a stub that notes its arguments. The last line says "make: pass".
# usage: test_make.sh SOURCE-DIRECTORY
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/build"
cat >"$scratch/bin/cmake" <<'END'
#!/bin/sh
printf '<%s>\n' "$@" >>"$NOTES"
END
chmod +x "$scratch/bin/cmake"
export PATH=$scratch/bin:$PATH NOTES=$scratch/notes
unset MAKEFLAGS MAKELEVEL PREFIX BUILD

expect() { # <prefix that cmake is to get> <target> <make arguments...>
    local wanted=$1
    shift
    rm -f "$NOTES"
    make -s -C "$source" -o deps BUILD="$scratch/build" "$@"
    grep -qxF -- "<-DCMAKE_INSTALL_PREFIX=$wanted>" "$NOTES" ||
        { echo "make $*: no prefix '$wanted' in:"; cat "$NOTES"; exit 1; }
}

for target in install build; do
    expect "/usr/local" "$target"
    expect "/opt/a b" "$target" PREFIX="/opt/a b"
    expect "/opt/it's \"a\" \$b;c" "$target" PREFIX="/opt/it's \"a\" \$\$b;c/"
    expect "$(realpath -s "$source")/a b" "$target" PREFIX="a b"
done
PREFIX="/opt/c d" expect "/opt/c d" install
echo "make: pass"
