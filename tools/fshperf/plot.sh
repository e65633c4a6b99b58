#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plots of a result file of `fshperf paper --csv`: Fig. 5 of the FSHMEM paper
# with our curves, the same pipelined, and latency by size, as SVG.
# usage: plot.sh FILE.csv [DIRECTORY]
set -euo pipefail
. "$(dirname "$0")/plot-begin.sh" "$@"

# Columns: 1 test 2 mode 3 to 4 ports 8 packet 9 bytes 12 MB/s 14 us
select_rows() { # <test> <mode> <to> <ports> <packet> <column>
    awk -F, -v t="$1" -v m="$2" -v w="$3" -v p="$4" -v k="$5" -v c="$6" \
        '$1==t && $2==m && $3==w && $4==p && $8==k { print $9, $c }' "$csv"
}

bandwidth() { # <mode> <ports> <output> <title>
    local mode=$1 ports=$2 plots="" test packet color=1
    for packet in 1024 512 256 128; do
        for test in put get; do
            local data=$work/$test.$mode.$ports.$packet
            select_rows ${test}_bw "$mode" last_byte "$ports" $packet 12 >"$data"
            [ -s "$data" ] || continue
            local dash=1
            [ $test = get ] && dash=2
            plots+="'$data' with linespoints lc $color dt $dash pt $((dash * 2 + 3)) ps 0.4 title '${test^^} $packet B', "
        done
        color=$((color + 1))
    done
    [ -n "$plots" ] || return 0
    gnuplot <<GNUPLOT
set terminal svg size 1000,560 font 'sans,12' background 'white'
set output '$dir/$3'
set title "$4\n{/*0.8 simulated clock; marks: peaks of others as quoted in the FSHMEM paper}\n{/*0.6 $assumed}" enhanced
$sizes
$style
set ylabel 'bandwidth (MB/s, MB = 10^6 bytes)' noenhanced
set yrange [0:$((4000 * ports + 200))]
plot $plots 3813 with lines lc rgb '#000000' dt 4 title 'FSHMEM paper (1 port), 3813', \
     400 with lines lc rgb '#c02020' dt 4 title 'THe GASNet, TMD-MPI, 400', \
     141 with lines lc rgb '#a0a0a0' dt 1 title 'one-sided MPI, 141'
GNUPLOT
    echo "  $dir/$3"
}

latency() { # <output>
    local test to plots="" color=1
    for test in put get; do
        for to in header last_byte; do
            select_rows ${test}_lat long $to 1 1024 14 >"$work/$test.$to"
            plots+="'$work/$test.$to' with linespoints lc $color pt 7 ps 0.4 title '${test^^} to ${to/_/ }', "
            color=$((color + 1))
        done
    done
    gnuplot <<GNUPLOT
set terminal svg size 1000,560 font 'sans,12' background 'white'
set output '$dir/$1'
set title "Latency of one transfer, packets of 1024 B, one port\n{/*0.8 simulated clock}\n{/*0.6 $assumed}" enhanced
$sizes
$style
set logscale y
set ylabel 'latency (us)'
set yrange [0.1:1000]
set ytics ('0.1' 0.1, '1' 1, '10' 10, '100' 100, '1000' 1000)
plot $plots 0.35 with lines lc rgb '#000000' dt 4 title 'paper: PUT to header', \
     0.59 with lines lc rgb '#c02020' dt 4 title 'paper: GET to header'
GNUPLOT
    echo "  $dir/$1"
}

echo "Plots:"
bandwidth single 1 bandwidth-single.svg 'One transfer in flight, one port'
bandwidth pipelined 1 bandwidth-pipelined.svg 'Queued transfers, one port'
bandwidth single 2 bandwidth-single-2ports.svg 'One transfer in flight, two ports'
bandwidth pipelined 2 bandwidth-pipelined-2ports.svg 'Queued transfers, two ports'
latency latency.svg
