# SPDX-License-Identifier: BSD-3-Clause
# Begins the other plot*.sh, which source it with their arguments:
# FILE.csv [DIRECTORY] become $csv and $dir, $work is a directory for a while.
self=$(basename "$0")
csv=${1:?usage: $self FILE.csv [DIRECTORY]}
dir=${2:-$(dirname "$csv")}
command -v gnuplot >/dev/null || {
    echo "$self: gnuplot is not installed (Debian: gnuplot-nox); no plots" >&2
    exit 1
}
[ -s "$csv" ] || {
    echo "$self: $csv is missing or empty" >&2
    exit 1
}

column() { # <name>: its value in the first row; ? if the file lacks it
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == 2 { print c ? $c : "?" }' "$csv"
}

# What the simulator assumed, for the titles; named by the file, not known here.
layer='no link layer'
[ "$(column link_layer)" = 1 ] && layer='with link layer'
assumed="assumed, in cycles of 250 MHz: link $(column link_cycles), $layer; DRAM read \
$(column dram_cycles), write response $(column dram_write_cycles), \
$(column dram_bytes_cycle) B a cycle (307: all of DDR4 peak, no banks); PCIe \
$(column pcie_cycles), $(column pcie_bytes_cycle) B a cycle"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What all plots have in common: the legend beside the curves, none on them.
style="set grid lc rgb '#dddddd'
set key outside right top Left reverse samplen 3 spacing 1.1
set border lc rgb '#444444'"
# Transfer sizes, powers of two on a logarithmic axis.
sizes="set logscale x 2
set xlabel 'transfer size (bytes)'
set xrange [4:2097152]
set xtics ('4' 4, '16' 16, '64' 64, '256' 256, '1 K' 1024, '4 K' 4096, '16 K' 16384, '64 K' 65536, '256 K' 262144, '2 M' 2097152)"
