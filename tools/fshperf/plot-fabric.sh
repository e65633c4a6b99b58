#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plots of a result file of `fshperf fabric --links`: for each test a heat map, from which
# node (row) to which (column) what share of the cycles its link was used, as SVG.
# usage: plot-fabric.sh FILE.csv [DIRECTORY]
set -euo pipefail
. "$(dirname "$0")/plot-begin.sh" "$@"

# Columns: 1 test 2 what 3 topology 4 nodes 5 node 7 peer 8 use
jobs() { # test, what (- for none) and topology of each
    awk -F, 'NR > 1 && !seen[$1 "," $2 "," $3]++ { print $1, $2 == "" ? "-" : $2, $3, $4 }' \
        "$csv"
}

heat() { # <test> <what> <topology> <nodes>
    local test=$1 what=$2 topology=$3 nodes=$4 name
    [ "$what" = - ] && what=""
    name="links-$test${what:+-$what}-$(tr -c 'a-z0-9\n' '-' <<<"$topology").svg"
    # Several cables between two nodes: their mean.
    awk -F, -v t="$test" -v w="$what" -v o="$topology" '
        NR > 1 && $1 == t && $2 == w && $3 == o { sum[$7 " " $5] += 100 * $8; ++n[$7 " " $5] }
        END { for (i in sum) print i, sum[i] / n[i] }' "$csv" | sort -n -k 2 -k 1 >"$work/heat"
    gnuplot <<GNUPLOT
set terminal svg size 720,720 font 'sans,12' background 'white'
set output '$dir/$name'
set title "Use of links, $test${what:+ ($what)}, $topology of $nodes nodes\n{/*0.8 % of the cycles, simulated clock}\n{/*0.5 $assumed}" enhanced
set border lc rgb '#444444'
unset key
set size square
set xlabel 'to node'
set ylabel 'from node'
set xrange [-0.5:$nodes - 0.5]
set yrange [$nodes - 0.5:-0.5]
set xtics 1 nomirror out
set ytics 1 nomirror out
set cbrange [0:100]
set palette defined (0 '#f2f7fb', 50 '#58b4f0', 100 '#003a66')
side = 0.48
plot '$work/heat' using 1:2:(side):(side):3 with boxxyerror fill solid lc palette, \
     '' using 1:2:(sprintf('%.0f', \$3)):(\$3 > 60 ? 0xffffff : 0x000000) \
         with labels tc rgb variable font 'sans,9'
GNUPLOT
    echo "  $dir/$name"
}

echo "Plots:"
while read -r test what topology nodes; do
    heat "$test" "$what" "$topology" "$nodes"
done < <(jobs)
