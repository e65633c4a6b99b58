#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install missing Debian 12 packages; this is the only package list. Never
# prompts; uses sudo only when not root; needs no network when nothing is missing.
# usage: install-deps.sh [run|bench|hardware|mpi|ci] [--list]
#   run       build, run, test, plot (default)
#   bench     also the libraries that `make bench` compares with
#   hardware  also the tools of `make synth`, the proofs and `make lint`
#   mpi       also MPI launchers, which some tests use if present
#   ci        also the tools of the project's own checks
set -euo pipefail

run="gcc g++ libc6-dev make cmake ninja-build pkg-config python3 verilator
     zlib1g-dev libjansson-dev libhwloc-dev libfabric-dev libpmix-dev gnuplot-nox"
bench="libopenblas0-pthread openmpi-bin libopenmpi-dev mpich libmpich-dev
       ucx-utils"
hardware="yosys z3"
# 40 MB; and to make hosts for them of namespaces
mpi="openmpi-bin libopenmpi-dev mpich libmpich-dev libpmi2-0 iproute2
     slurmctld slurmd slurm-client nftables"
ci="clang libclang-rt-14-dev clang-format-14 git spin"

group=${1:-run}
case $group in
run) packages=$run ;;
bench) packages="$run $bench" ;;
hardware) packages="$run $hardware" ;;
mpi) packages="$run $mpi" ;;
ci) packages="$run $hardware $ci" ;;
*)
    echo "install-deps.sh: unknown group '$group'; give run, bench, hardware, mpi or ci" >&2
    exit 2
    ;;
esac
if [ "${2:-}" = --list ]; then
    echo $packages
    exit 0
fi

if ! command -v dpkg-query >/dev/null; then
    echo "install-deps.sh: this is not a Debian system; install these" \
        "packages' counterparts yourself:" $packages >&2
    exit 0
fi

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
    grep -q 'ok installed'; }
missing=()
for package in $packages; do
    # pkg-config is a virtual name where pkgconf provides it.
    if ! installed "$package" &&
        ! { [ "$package" = pkg-config ] && installed pkgconf; }; then
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-deps.sh: missing packages: ${missing[*]};" \
            "become root and run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    sudo=(sudo)
fi
echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }
quiet() { # <what> <command...>: one line, all of the output if it fails
    local log what=$1
    shift
    log=$(mktemp)
    echo "  $what ..."
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "install-deps.sh: '$*' failed; is the network reachable, is the" \
            "package index usable?" >&2
        return 1
    fi
    rm -f "$log"
}
install=(apt install -y --no-install-recommends "${missing[@]}")
# An existing index saves the update; a stale one is refreshed once.
if ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 &&
    quiet "apt-get install" "${install[@]}" 2>/dev/null; then
    exit 0
fi
quiet "apt-get update" apt update
quiet "apt-get install" "${install[@]}"
