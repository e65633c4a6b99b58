# SPDX-License-Identifier: BSD-3-Clause
# Begins plot.sh and plot-study.sh, which source it with their arguments:
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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
