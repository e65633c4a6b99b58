#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configure a build directory for a purpose; a directory configured for more
# stays so. Verilated code dominates the build time: tests have models of their
# own, and the simulator is compiled twice for profile-guided optimisation.
# usage: configure.sh BUILD-DIRECTORY PREFIX [demo|install|all]
#   demo     no tests, one simulator (two link ports), without its profile
#   install  no tests
#   all      (default)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 prefix=$2 want=${3:-all}
mark=$build/configured-for # demo or install; without it a build is for all
have=none
[ ! -f "$build/build.ninja" ] || have=all
[ ! -f "$mark" ] || have=$(cat "$mark")

# Verilator's list of sources is fixed when the build is configured, and Ninja would
# run it before looking for new ones.
known=$build/rtl-files
rtl=$(find hw/rtl hw/tb -name '*.sv' | sort | cksum)
if [ "$have" != none ] && [ "$(cat "$known" 2>/dev/null)" != "$rtl" ]; then
    cmake "$build" >/dev/null
fi

configure() { # <cmake arguments...>
    cmake -S . -B "$build" -G Ninja -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
}

case $want/$have in
demo/none)
    mkdir -p "$build"
    echo demo >"$mark"
    configure -DFSH_TESTS=OFF -DFSH_SIM_TRAIN=OFF -DFSH_SIM_WIDE=OFF
    ;;
install/none | install/demo)
    mkdir -p "$build"
    echo install >"$mark"
    configure -DFSH_TESTS=OFF -DFSH_SIM_TRAIN=ON -DFSH_SIM_WIDE=ON
    ;;
all/demo | all/install)
    echo "== Built so far: what make $have needs. Now the tests, too"
    configure -DFSH_TESTS=ON -DFSH_SIM_TRAIN=ON -DFSH_SIM_WIDE=ON
    rm "$mark"
    ;;
all/none) configure ;;
install/*) configure >/dev/null ;; # the prefix may be another
esac
echo "$rtl" >"$known"
