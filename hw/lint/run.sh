#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Reads every RTL file, and the top of the simulator's model (sim/), as its own top with
# Verilator (-Wall, all warnings fatal) and with yosys (hierarchy, processes, no latch, no
# undriven or doubly driven wire), and checks the text rules. Last line: "lint: N files ok".
# Argument: names of modules (default all). Needs verilator, yosys, python3.
set -u

here=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$here/../rtl" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failed=0
count=0

packages=$(find "$rtl" -name '*_pkg.sv' | sort)
modules=$(find "$rtl" "$here/../../sim" -name '*.sv' ! -name '*_pkg.sv' | sort)
search=
for dir in "$rtl"/*/; do
    search="$search -y $dir -I$dir"
done

# report <what>: prints the tool's findings.
report() {
    echo "FAIL  $1"
    sed "s|$rtl/||g; s/^/      /" "$work/log" | head -n 40
    failed=1
}

# both <file> <top> <name=value ...>
both() {
    file=$1 top=$2
    shift 2
    sets= generics=
    for p in "$@"; do
        generics="$generics -G$p"
        sets="$sets -chparam ${p%=*} ${p#*=}"
    done
    # shellcheck disable=SC2086
    if ! verilator --lint-only -Wall --assert -DFSH_CHECKED -Wno-fatal --top-module "$top" \
        $search $generics "$here/fsh_rtl.vlt" $packages "$file" \
        > "$work/log" 2>&1 || [ -s "$work/log" ]; then
        report "verilator $top $*"
    fi
    # What the file instantiates is found by its name.
    if ! yosys -q -p "
        verilog_defaults -add $includes
        read_verilog -sv $packages $file
        hierarchy -check -top $top $sets $libraries
        proc
        select -assert-none t:\$dlatch t:\$adlatch
        check -assert" > "$work/log" 2>&1 ||
        grep '^Warning' "$work/log" | grep -qv 'with list of registers'; then
        report "yosys $top $*"
    fi
}

includes= libraries=
for dir in "$rtl"/*/; do
    includes="$includes -I$dir"
    libraries="$libraries -libdir $dir"
done
modules_list=$(echo "$modules" | tr '\n' ' ')
packages=$(echo "$packages" | tr '\n' ' ')

# shellcheck disable=SC2086
if ! python3 "$here/check_text.py" $packages $modules_list \
    "$rtl"/lib/*.svh > "$work/log" 2>&1; then
    report "text rules"
fi

only=" $* "
for file in $modules; do
    top=$(basename "$file" .sv)
    case $only in "  " | *" $top "*) ;; *) continue ;; esac
    both "$file" "$top"
    count=$((count + 1))
done
while read -r top values; do
    case $top in "#"* | "") continue ;; esac
    case $only in "  " | *" $top "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086
    both "$(find "$rtl" -name "$top.sv")" "$top" $values
done < "$here/variants.txt"

# With one engine more (spec/generate.py): what is a vector by engine is read as one.
case $only in "  " | *" fsh_node "*)
    python3 "$rtl/../../spec/generate.py" --add "$rtl/../tb/engines/toy.toml" \
        --into "$work" || failed=1
    of_tree=$packages
    packages=$(echo "$packages" | sed "s|$rtl/fsh_spec_pkg.sv|$work/fsh_spec_pkg.sv|")
    both "$rtl/top/fsh_node.sv" fsh_node
    packages=$of_tree
    ;;
esac

[ $count -gt 0 ] || { echo "lint: no module $*" >&2; exit 1; }
[ $failed = 0 ] || { echo "lint: failed"; exit 1; }
for file in $packages; do
    count=$((count + 1))
done
echo "lint: $count files ok"
