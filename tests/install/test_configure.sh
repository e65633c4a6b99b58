#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configure where Verilator or zlib is missing: a failure that says what to
# install and how to go on without; and going on without works. What make demo
# configures has no tests, and says what Verilator works on; scripts/configure.sh
# adds the rest when it is asked for. The last line says "configure: pass".
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

fails_with() { # <package, or option without it> <texts...>
    local package=$1 text option=$1
    shift
    [ "${option#-D}" != "$option" ] ||
        option=-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON
    if configure "$option"; then
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
fails_with -DJANSSON_INCLUDE= "jansson was not found" "libjansson-dev"
fails_with -DHWLOC_INCLUDE= "hwloc was not found" "libhwloc-dev"
configure -DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON -DFSH_SIMULATOR=OFF ||
    { cat "$scratch/log"; exit 1; }
if ninja -C "$scratch/build" -t query fshsim >/dev/null 2>&1; then
    echo "fshsim is built without the simulator"
    exit 1
fi

# The demo's: one model, by name, and the examples it runs.
demo=$scratch/demo
"$source/scripts/configure.sh" "$demo" /nowhere demo >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
models=$(sed -n 's/^-- Verilator: //p' "$scratch/log" | sort | paste -sd,)
[ "$models" = "fsh_pins for fsh_sim_card" ] ||
    { cat "$scratch/log"; echo "the demo verilates: $models"; exit 1; }
! grep "Executing Verilator" "$scratch/log" || exit 1
for target in fshsim 01_hello 05_selfcheck 06_matmul fsh_installed; do
    ninja -C "$demo" -t query $target >/dev/null 2>&1 ||
        { echo "the demo has no $target"; exit 1; }
done

# One after the other, with a cmake that only says what it is told.
mkdir "$scratch/bin"
cat >"$scratch/bin/cmake" <<'STUB'
#!/bin/sh
echo "$*" | grep -o 'FSH_[A-Z_]*=[A-Z]*\|PREFIX=[^ ]*' | paste -sd' '
mkdir -p "$4" && touch "$4/build.ninja"
STUB
chmod +x "$scratch/bin/cmake"
asks() { # <what for> <prefix> <what cmake is to be told>
    local told
    told=$(PATH=$scratch/bin:$PATH "$source/scripts/configure.sh" \
        "$scratch/steps" "$2" "$1" | grep -v '^==' || true)
    [ "$told" = "$3" ] || { echo "$1: cmake was told '$told'"; exit 1; }
}
asks demo /a "PREFIX=/a FSH_TESTS=OFF FSH_SIM_TRAIN=OFF FSH_SIM_WIDE=OFF"
asks demo /a ""
asks install /b "PREFIX=/b FSH_TESTS=OFF FSH_SIM_TRAIN=ON FSH_SIM_WIDE=ON"
asks all /b "PREFIX=/b FSH_TESTS=ON FSH_SIM_TRAIN=ON FSH_SIM_WIDE=ON"
asks all /b ""
asks demo /b ""
rm -r "$scratch/steps"
asks all /a "PREFIX=/a"
asks install /a ""
echo "configure: pass"
