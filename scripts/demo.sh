#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `make demo`: builds what it needs, self-checks on two simulated FPGA nodes,
# measures the paper's figures and plots them. Announces time and disk space first.
# usage: demo.sh BUILD-DIRECTORY JOBS PREFIX
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 jobs=$2 prefix=$3
results=$build/paper
targets="fshrun fshinfo fshsim fshperf 01_hello 05_selfcheck 06_matmul"

job() { # <limit in seconds> <program...>: on two nodes
    "$build/bin/fshrun" -n 2 --conduit fpga --timeout "$1" "${@:2}"
}

step() { # <title>
    printf '\n== %s\n' "$1"
}

plot() { # <script> <arguments...>
    if command -v gnuplot >/dev/null; then
        "tools/fshperf/$1" "${@:2}"
    else
        echo "No plots: gnuplot is not installed (Debian: gnuplot-nox)"
    fi
}

cat <<TEXT
== make demo: two FPGA nodes, simulated from their RTL; no card is needed
Builds simulator, library and tools, checks them, measures what the FSHMEM paper
measures, and draws plots. This takes about 3 minutes on two idle processors, of
which the compiler takes 2, the first time only; 70 MB in $build, and the
missing Debian packages.
TEXT
scripts/install-deps.sh run

step "Build: Verilator translates the RTL, then its C++ is compiled"
scripts/configure.sh "$build" "$prefix" demo
# shellcheck disable=SC2086
cmake --build "$build" -j "$jobs" --target $targets
mkdir -p "$results"

step "Self-check on two simulated FPGA nodes"
job 300 "$build/examples/05_selfcheck"

step "The paper's section IV, from hardware counters"
job 900 "$build/bin/fshperf" paper --brief --json "$results/paper.json" \
    --csv "$results/paper.csv" --report "$results/paper.html"
plot plot.sh "$results/paper.csv" "$results"

step "The paper's section V in short: matrix products on one and two nodes"
"$build/bin/fshperf" case-study --quick --json "$results/case-study.json" \
    --csv "$results/case-study.csv" --report "$results/case-study.html"
plot plot-study.sh "$results/case-study.csv" "$results"

step "512 x 512 on the compute cores of two nodes, checked, in simulated time"
"$build/bin/fshrun" -n 2 --conduit fpga --timeout 300 --clock simulated \
    --report "$results/matmul.html" "$build/examples/06_matmul"

cat <<TEXT

== Passed: make demo
Open in a browser:  $(cd "$results" && pwd)/paper.html
                    $(cd "$results" && pwd)/case-study.html
                    $(cd "$results" && pwd)/matmul.html
    (xdg-open FILE; self-contained pages: sections IV and V compared with the
    paper's figures, and a report of the run above)
Plots and results:  $(cd "$results" && pwd)/
$(ls "$results" | sed 's/^/    /')
Try next:
    $build/bin/fshrun -n 2 $build/examples/01_hello
    $build/bin/fshrun -n 4 --conduit fpga $build/examples/05_selfcheck
    $build/bin/fshinfo
Waveforms for GTKWave (docs/01_user/waves.md):
    $build/bin/fshrun -n 2 --conduit fpga --waves matmul.fst \\
        $build/examples/06_matmul --size 64
Your own program (docs/01_user/quickstart.md):
    make install PREFIX=\$HOME/fshmem
TEXT
