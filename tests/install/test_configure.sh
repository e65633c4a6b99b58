#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configure where Verilator or zlib is missing: a failure that says what to
# install and how to go on without; and going on without works. The last line
# says "configure: pass".
# usage: test_configure.sh SOURCE-DIRECTORY CC CXX
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CC=$2 CXX=$3

configure() { # <options...>
    cmake -S "$source" -B "$scratch/build" -G Ninja "$@" \
        >"$scratch/log" 2>&1
}

fails_with() { # <package> <texts...>
    local package=$1 text
    shift
    if configure "-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"; then
        echo "configured without $package"
        exit 1
    fi
    for text in "$@"; do
        tr -s '\n ' ' ' <"$scratch/log" | grep -qF -- "$text" ||
            { cat "$scratch/log"; echo "no '$text' without $package"; exit 1; }
    done
    rm -rf "$scratch/build"
}

fails_with verilator "Verilator was not found" "apt-get install verilator" \
    "-DFSH_SIMULATOR=OFF"
fails_with ZLIB "zlib was not found" "zlib1g-dev"
configure -DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON -DFSH_SIMULATOR=OFF ||
    { cat "$scratch/log"; exit 1; }
if ninja -C "$scratch/build" -t query fshsim >/dev/null 2>&1; then
    echo "fshsim is built without the simulator"
    exit 1
fi
echo "configure: pass"
