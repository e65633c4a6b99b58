#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plots of a result file of `fshperf case-study --csv`: Fig. 7 of the FSHMEM
# paper, GOPS by workload and nodes, and the speed-up by nodes, as SVG.
# usage: plot-study.sh FILE.csv [DIRECTORY]
set -euo pipefail
. "$(dirname "$0")/plot-begin.sh" "$@"

# Columns: 1 workload 2 size 3 nodes 8 GOPS 10 speed-up
cases() { # the workloads and sizes, in order
    awk -F, 'NR > 1 && !seen[$1 "," $2]++ { print $1, $2 }' "$csv"
}

nodes() {
    awk -F, 'NR > 1 { print $3 }' "$csv" | sort -nu
}

value() { # <workload> <size> <nodes> <column>
    awk -F, -v w="$1" -v s="$2" -v n="$3" -v c="$4" \
        '$1 == w && $2 == s && $3 == n { print $c }' "$csv"
}

name() { # <workload> <size>
    case $1 in
    conv) echo "conv $2x$2" ;;
    *) echo "$1 $2" ;;
    esac
}

gops() { # <output>
    local workload size n plots="" column=2
    cases | while read -r workload size; do
        printf '"%s"' "$(name "$workload" "$size")"
        for n in $(nodes); do
            printf ' %s' "$(value "$workload" "$size" "$n" 8)"
        done
        echo
    done >"$work/gops"
    for n in $(nodes); do
        local title="$n nodes"
        [ "$n" = 1 ] && title="1 node"
        plots+="'$work/gops' using $column:xtic(1) title '$title', "
        column=$((column + 1))
    done
    gnuplot <<GNUPLOT
set terminal svg size 1000,560 font 'sans,12' background 'white'
set output '$dir/$1'
set title "Case studies: rate by nodes\n{/*0.8 simulated clock, 1024 GOPS a node are peak}\n{/*0.6 $assumed}" enhanced
$style
set style data histogram
set style histogram cluster gap 1
set style fill solid 0.8 border -1
set ylabel 'GOPS'
set yrange [0:*]
set grid noxtics
plot $plots 1024 with lines lc rgb '#000000' dt 4 title 'peak of one', \
     2048 with lines lc rgb '#c02020' dt 4 title 'peak of two'
GNUPLOT
    echo "  $dir/$1"
}

speedup() { # <output>
    local workload size n plots="" most
    most=$(nodes | tail -1)
    [ "$most" -gt 2 ] || return 0 # two points make no curve
    while read -r workload size; do
        local data=$work/$workload.$size
        for n in $(nodes); do
            echo "$n $(value "$workload" "$size" "$n" 10)"
        done >"$data"
        plots+="'$data' with linespoints pt 7 ps 0.5 title '$(name "$workload" "$size")', "
    done < <(cases)
    gnuplot <<GNUPLOT
set terminal svg size 1000,560 font 'sans,12' background 'white'
set output '$dir/$1'
set title "Case studies: speed-up over one node\n{/*0.8 simulated clock}\n{/*0.6 $assumed}" enhanced
$style
set xlabel 'nodes'
set ylabel 'speed-up'
set xrange [0.8:$most.2]
set xtics 1
set yrange [0.8:*]
plot $plots x with lines lc rgb '#000000' dt 4 title 'linear', \
     '-' with points pt 6 ps 1.2 lc rgb '#c02020' title 'paper: 1.94, 1.98'
2 1.94
2 1.98
e
GNUPLOT
    echo "  $dir/$1"
}

echo "Plots:"
gops case-study-gops.svg
speedup case-study-speedup.svg
