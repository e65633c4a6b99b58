#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves the cells with yosys-smtbmc: bounded from reset and by induction. Each
# proof has mutants, one edit of the RTL each, that must fail; an edit that no
# longer changes anything is an error. Prints one line a proof and, last,
# "formal: N proofs, M mutants ok". Arguments: --proofs (no mutants), names of proofs to
# run (default all). Needs yosys and z3. FSH_FORMAL_DIR: where to work.
set -u

here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../rtl
work=${FSH_FORMAL_DIR:-$here/../../build/formal}
with_mutants=1
if [ "${1:-}" = --proofs ]; then
    with_mutants=0
    shift
fi
only=" $* "
proofs=0
mutants=0
failed=0
mkdir -p "$work" || exit 1

# model <dir> <top> <parameters> <files>: writes <dir>/model.smt2 of the RTL
# that stands in <dir>.
model() {
    set_params=
    for p in $3; do
        set_params="$set_params -chparam ${p%=*} ${p#*=}"
    done
    (cd "$1" && yosys -q -l yosys.log -p "
        read_verilog -sv -formal -defer -DFORMAL -I. -I$here $4
        hierarchy -check -top $2$set_params
        proc; flatten; opt; memory -nordff $map; opt -full
        async2sync; dffunmap; setundef -anyseq -undriven; opt_clean
        $gates
        write_smt2 -wires model.smt2" > yosys.out 2>&1)
}

# smt <dir> <log> <arguments>: true if proven.
smt() {
    dir=$1 log=$2
    shift 2
    (cd "$dir" && yosys-smtbmc --unroll -s z3 "$@" model.smt2 > "$log" 2>&1)
}

# copy <dir> <files>
copy() {
    rm -rf "$1" && mkdir -p "$1" || exit 1
    cp "$rtl"/lib/fsh_assert.svh "$rtl"/fsh_spec_pkg.sv "$1"
    for f in $2; do
        find "$rtl" -name "$f" -exec cp {} "$1" \;
    done
}

# prove <name> <top> <parameters> <files> <bounded steps> <induction steps> [gates]
# gates: memories become registers, all becomes AND and XOR before the solver sees it.
# Where much is chosen by addresses it is done in seconds, else it is slower.
prove() {
    name=$1 top=$2 params=$3 files=$4 steps=$5 k=$6
    map=-nomap gates=
    if [ "${7:-}" = gates ]; then
        map= gates="simplemap; techmap; opt -fast; dffunmap; simplemap; opt_clean
            abc -g AND,XOR,MUX; opt_clean"
    fi
    skip=0
    case $only in "  " | *" $name "*) ;; *) skip=1 ;; esac
    [ $skip = 1 ] && return
    dir=$work/$name
    copy "$dir" "$files"
    if ! model "$dir" "$top" "$params" "$files"; then
        echo "FAIL  $name: not elaborated, see $dir/yosys.out"
        failed=1
    elif ! smt "$dir" bmc.log -t "$steps"; then
        echo "FAIL  $name: a counterexample, see $dir/bmc.log"
        failed=1
    elif ! smt "$dir" induction.log -i -t "$k"; then
        echo "FAIL  $name: no induction, see $dir/induction.log"
        failed=1
    else
        echo "ok    $name ($steps steps from reset, induction $k)"
        proofs=$((proofs + 1))
    fi
}

# mutant <file> <sed expression>: of the last proof. It counts as found if the
# bounded check fails; what only induction refuses may be a true program.
mutant() {
    [ $skip = 1 ] || [ $with_mutants = 0 ] && return
    dir=$work/$name.mutant
    copy "$dir" "$files"
    sed -i "$2" "$dir/$1"
    if cmp -s "$dir/$1" "$work/$name/$1"; then
        echo "FAIL  $name: the mutant $2 changes nothing"
        failed=1
    elif ! model "$dir" "$top" "$params" "$files"; then
        echo "FAIL  $name: the mutant $2 is not elaborated, see $dir/yosys.out"
        failed=1
    elif smt "$dir" bmc.log -t "$steps" ||
        ! grep -q 'Assert failed' "$dir/bmc.log"; then
        echo "FAIL  $name: the mutant $2 is not found"
        failed=1
    else
        mutants=$((mutants + 1))
    fi
}

. "$here/proofs.sh"

[ $failed = 0 ] || exit 1
[ $proofs -gt 0 ] || { echo "formal: no such proof:$only" >&2; exit 1; }
echo "formal: $proofs proofs, $mutants mutants ok"
