#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plots losses by epoch of runs of examples/08_train as loss.svg.
# usage: plot-loss.sh DIRECTORY FILE...; each FILE what a run printed with --json
set -euo pipefail
self=$(basename "$0")
dir=${1:?usage: $self DIRECTORY FILE...}
shift
[ $# -gt 0 ] || {
    echo "$self: expected files with the output of 08_train --json" >&2
    exit 1
}
command -v gnuplot >/dev/null || {
    echo "$self: gnuplot is not installed (Debian: gnuplot-nox); no plots" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

value() { # <name>: in the summary of a run, its last line with a workload
    sed -n "s/.*\"workload\": \"train\".*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p" "$file" | tail -n 1
}

plots=""
for file in "$@"; do
    data=$work/$(basename "$file")
    [ -f "$file" ] && sed -n 's/^{"epoch": \([0-9]*\), "loss": \([0-9.e+-]*\)}$/\1 \2/p' \
        "$file" >"$data"
    [ -s "$data" ] || {
        echo "$self: $file has no epochs; expected the output of 08_train --json" >&2
        exit 1
    }
    title="$(value wire), $(value nodes) ranks, $(value compute): $(value held_out)"
    plots+="'$data' with linespoints pt 7 ps 0.4 title '$title', "
done
gnuplot <<GNUPLOT
set terminal svg size 900,480 font 'sans,12' background 'white'
set output '$dir/loss.svg'
set title "Loss by epoch, examples/08\\\\_train\n{/*0.8 legend: wire, ranks, who computes: share of held-out digits told right}" enhanced
set grid lc rgb '#dddddd'
set key outside right top Left reverse noenhanced
set border lc rgb '#444444'
set xlabel 'epoch'
set ylabel 'mean loss'
set logscale y
plot ${plots%, }
GNUPLOT
echo "  $dir/loss.svg"
