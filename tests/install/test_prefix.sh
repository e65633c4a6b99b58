#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install a build tree into a scratch prefix and use it as a stranger would:
# makefile fragments, pkg-config, find_package; C and C++; smp and fpga. The
# last line says "install: pass".
# usage: test_prefix.sh BUILD-DIRECTORY CC CXX
set -euo pipefail
build=$1 cc=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
work=$scratch/work
mkdir -p "$work"
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" ||
    { cat "$scratch/install.log"; exit 1; }
cp "$here/sum.c" "$here/user.mk" "$work"
cp "$here/sum.c" "$work/sum.cc"
cp "$here/user.cmake" "$work/CMakeLists.txt"
cd "$work"
conduits=smp
[ -x "$prefix/bin/fshsim" ] && conduits="smp fpga"
# A program started by hand finds the simulator of its own prefix in PATH.
export PATH=$prefix/bin:$PATH
checks=0

expect() { # <expected line> <command...>
    local wanted=$1 got
    shift
    got=$("$@" 2>&1) || { echo "failed: $*: $got"; exit 1; }
    [ "$got" = "$wanted" ] ||
        { echo "$*: printed '$got', expected '$wanted'"; exit 1; }
    checks=$((checks + 1))
}

# The headers are silent in every dialect that clients use.
for mode in SEQ PARSYNC PAR; do
    for std in gnu89 c99 gnu17; do
        expect "" "$cc" -std=$std -Wall -Wextra -Werror -fsyntax-only \
            -DGASNET_$mode -DGASNET_CONDUIT_SMP -I"$prefix/include" \
            -x c - <<<'#include <gasnet.h>
int main(void) { return 0; }'
    done
    for std in c++11 c++20; do
        expect "" "$cxx" -std=$std -Wall -Wextra -Werror -fsyntax-only \
            -DGASNET_$mode -DGASNET_CONDUIT_SMP -I"$prefix/include" \
            -x c++ - <<<'#include <gasnet.h>
int main() { return 0; }'
    done
done

# Makefile fragments, all of them; the default conduit is the fragment's.
for conduit in smp fpga; do
    for mode in seq parsync par; do
        make -s -B -f user.mk GASNET_CC="$cc" GASNET_CXX="$cxx" \
            FRAGMENT="$prefix/include/$conduit-conduit/$conduit-$mode.mak"
        case $conduits in
        *$conduit*)
            expect "sum 3 of 2 ranks" "$prefix/bin/fshrun" -n 2 ./sum
            expect "sum 3 of 2 ranks" "$prefix/bin/gasnetrun_$conduit" -n 2 \
                ./sumxx
            expect "sum 1 of 1 ranks" ./sum
            ;;
        esac
    done
done

# pkg-config: static under GASNet's names, shared as fshmem.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
for conduit in $conduits; do
    flags=$(pkg-config --cflags --libs "gasnet-$conduit-seq")
    # shellcheck disable=SC2086
    "$cc" -o sum_pc sum.c $flags
    expect "sum 6 of 3 ranks" "$prefix/bin/fshrun" -n 3 --conduit "$conduit" \
        ./sum_pc
done
# shellcheck disable=SC2046
"$cxx" -DGASNET_PAR -o sum_pcxx sum.cc $(pkg-config --cflags --libs fshmem)
for conduit in $conduits; do
    expect "sum 3 of 2 ranks" env LD_LIBRARY_PATH="$prefix/lib" \
        "$prefix/bin/fshrun" -n 2 --conduit "$conduit" ./sum_pcxx
done

# find_package
cmake -S . -B cm -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >cm.log 2>&1 ||
    { cat cm.log; exit 1; }
cmake --build cm >>cm.log 2>&1 || { cat cm.log; exit 1; }
for conduit in $conduits; do
    for program in sum_${conduit}_seq sum_${conduit}_par sum_shared; do
        expect "sum 3 of 2 ranks" "$prefix/bin/fshrun" -n 2 \
            --conduit "$conduit" "cm/$program"
    done
done

# The prefix carries no path of the tree it was built in.
if grep -rIl "$build" "$prefix/include" "$prefix/lib/pkgconfig" \
    "$prefix/lib/cmake" "$prefix/bin"; then
    echo "the files above name the build directory"
    exit 1
fi
echo "install: pass ($checks checks)"
