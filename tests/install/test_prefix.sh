#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Install a build tree into a scratch prefix and use it as a stranger would:
# makefile fragments, pkg-config, find_package; C and C++; smp and fpga. The
# last line says "install: pass".
# usage: test_prefix.sh BUILD-DIRECTORY CC CXX
set -euo pipefail
build=$1 cc=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
work=$scratch/work
mkdir -p "$work"
# Everything below happens in a tree that was staged, and moved after that.
DESTDIR=$scratch/stage cmake --install "$build" --prefix /opt/fshmem \
    >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
mv "$scratch/stage/opt/fshmem" "$prefix"
cp "$here/sum.c" "$here/flood.c" "$here/user.mk" "$work"
cp "$here/sum.c" "$work/sum.cc"
cp "$here/tools.c" "$here/tools.mk" "$work"
cp "$here/tools.c" "$work/tools.cc"
cp "$here/user.cmake" "$work/CMakeLists.txt"
cd "$work"
conduits=smp
[ -x "$prefix/bin/fshsim" ] && conduits="smp fpga"
checks=0

expect() { # <expected line> <command...>
    local wanted=$1 got
    shift
    got=$("$@" 2>&1) || { echo "failed: $*: $got"; exit 1; }
    [ "$got" = "$wanted" ] ||
        { echo "$*: printed '$got', expected '$wanted'"; exit 1; }
    checks=$((checks + 1))
}

# What the headers and their macros make of it in every dialect is the business
# of tests/conform/headers.cmake; here, that all of them are installed.
for language in c c++; do
    for flavour in . debug everything; do
        expect "" "$cc" -fsyntax-only -DGASNET_PAR -DGASNET_CONDUIT_SMP \
            -Werror -I"$prefix/$flavour/include" -x $language \
            "$here/../conform/header_only.inc"
        expect "" "$cc" -fsyntax-only -DGASNETT_THREAD_SAFE -DTOOLS_ORDER=0 \
            -Werror -I"$prefix/$flavour/include" -x $language \
            "$here/../conform/tools_header.inc"
    done
done

# Makefile fragments, all of them; the default conduit is the fragment's.
for conduit in smp ofi fpga; do
    # What configure scripts look for, with and without a thread mode.
    for header in core core_fwd extended extended_fwd; do
        header=$prefix/include/$conduit-conduit/gasnet_$header.h
        expect "" "$cc" -fsyntax-only -Wall -Wextra -Werror -x c "$header"
        expect "" "$cc" -fsyntax-only -Wall -Wextra -Werror -DGASNET_SEQ -x c \
            -include "$prefix/include/gasnet.h" -include "$header" \
            - <<<"int main(void) { return gasnet_AMPoll(); }"
    done
    for mode in seq parsync par; do
        fragment=$prefix/include/$conduit-conduit/$conduit-$mode.mak
        # As build systems read it that are no makefiles: through make, and the
        # text itself.
        flags=$(printf 'include %s\nall:\n\t@echo $(GASNET_CPPFLAGS) %s\n' \
            "$fragment" '$(GASNET_LIBS)' | make -s -f - all)
        for word in "-I$prefix/include" "-L$prefix/lib" \
            "-I$prefix/include/$conduit-conduit" \
            "-DGASNET_${mode^^}=1" "-lgasnet-$conduit-$mode"; do
            case " $flags " in
            *" $word "*) ;;
            *) echo "$fragment: no $word in '$flags'"; exit 1 ;;
            esac
        done
        grep -q '^GASNET_INCLUDES = -I' "$fragment" &&
            grep -q '^GASNET_LIBDIRS = -L' "$fragment" ||
            { echo "$fragment: no -I and -L to be found"; exit 1; }
        make -s -B -f user.mk GASNET_CC="$cc" GASNET_CXX="$cxx" \
            FRAGMENT="$fragment"
        case $conduits in
        *$conduit*)
            expect "sum 3 of 2 ranks" "$prefix/bin/fshrun" -n 2 ./sum
            expect "sum 3 of 2 ranks" "$prefix/bin/gasnetrun_$conduit" -n 2 \
                ./sumxx
            expect "sum 1 of 1 ranks" ./sum
            for n in 2 3; do
                expect "flood: $((60 * n)) requests, $((60 * n)) replies, 0 wrong" \
                    "$prefix/bin/fshrun" -n $n --timeout 60 ./flood
            done
            ;;
        esac
    done
done

# The launcher under its GASNet names, and none at all.
smp=$prefix/bin/gasnetrun_smp
make -s -B -f user.mk GASNET_CC="$cc" GASNET_CXX="$cxx" \
    FRAGMENT="$prefix/include/smp-conduit/smp-seq.mak"
expect "sum 10 of 4 ranks" "$smp" -n 4 ./sum
expect "sum 10 of 4 ranks" "$smp" -np 4 -N 1 -E PATH,HOME ./sum
expect "sum 10 of 4 ranks" env GASNET_PSHM_NODES=4 ./sum
says() { # <pattern> <command...>
    local wanted=$1
    shift
    "$@" >"$scratch/says" 2>&1 && grep -q "$wanted" "$scratch/says" ||
        { echo "$*: no '$wanted' in:"; cat "$scratch/says"; exit 1; }
    checks=$((checks + 1))
}
says "^rank 3: ./sum" "$smp" -n 4 -t ./sum
says "rank 1 is process" "$smp" -n 2 -v ./sum
says "^Usage" "$smp" --help
for conduit in $conduits; do
    expect "sum 3 of 2 ranks" env GASNET_PSHM_NODES=2 \
        FSHMEM_CONDUIT="$conduit" ./sum
done

# pkg-config: static under GASNet's names, shared as fshmem. GASNet's names have
# the release of GASNet that the headers claim, fshmem its own.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
release() { # <macros' prefix>
    # shellcheck disable=SC2086
    "$cc" -E -P -include "$prefix/include/gasnet_config.h" - \
        <<<"$1_MAJOR $1_MINOR $1_PATCH" | tail -n 1 | tr ' ' .
}
expect "$(release FSHMEM_VERSION)" pkg-config --modversion fshmem
expect "fshinfo (FSHMEM) $(release FSHMEM_VERSION)" "$prefix/bin/fshinfo" --version
expect "fshmodel (FSHMEM) $(release FSHMEM_VERSION)" \
    "$prefix/debug/bin/fshmodel" --version
for module in gasnet-smp-seq gasnet-fpga-par gasnet_tools-par; do
    expect "$(release GASNET_RELEASE_VERSION)" pkg-config --modversion "$module"
    expect "" pkg-config --atleast-version=1.18 "$module"
done
for conduit in $conduits; do
    flags=$(pkg-config --cflags --libs "gasnet-$conduit-seq")
    # shellcheck disable=SC2086
    "$cc" -o sum_pc sum.c $flags
    expect "sum 6 of 3 ranks" "$prefix/bin/fshrun" -n 3 --conduit "$conduit" \
        ./sum_pc
    # shellcheck disable=SC2086
    "$cc" -std=gnu17 -o flood_pc flood.c $flags
    expect "flood: 240 requests, 240 replies, 0 wrong" \
        "$prefix/bin/fshrun" -n 4 --timeout 60 ./flood_pc
done
# shellcheck disable=SC2046
"$cxx" -DGASNET_PAR -o sum_pcxx sum.cc $(pkg-config --cflags --libs fshmem)
for conduit in $conduits; do
    expect "sum 3 of 2 ranks" env LD_LIBRARY_PATH="$prefix/lib" \
        "$prefix/bin/fshrun" -n 2 --conduit "$conduit" ./sum_pcxx
done
# Started by hand, the library finds the simulator of the prefix it is in, and an
# archive the one of the headers it was used with; else it says where it looked.
for conduit in $conduits; do
    expect "sum 1 of 1 ranks" env LD_LIBRARY_PATH="$prefix/lib" \
        FSHMEM_CONDUIT="$conduit" ./sum_pcxx
done
if [ -x "$prefix/bin/fshsim" ]; then
    # shellcheck disable=SC2046
    "$cc" -ffile-prefix-map="$prefix=/elsewhere" -o sum_far sum.c \
        $(pkg-config --cflags --libs gasnet-fpga-seq)
    if got=$(./sum_far 2>&1); then
        echo "a program without its prefix found a simulator: $got"
        exit 1
    fi
    case $got in
    *"fshsim was not found"*"set FSHMEM_SIM"*) ;;
    *) echo "a program without its prefix: $got"; exit 1 ;;
    esac
    expect "sum 1 of 1 ranks" env PATH="$prefix/bin:$PATH" ./sum_far
fi
# Active messages of every kind from the shared library; Shorts have entries of
# their own.
# shellcheck disable=SC2046
"$cc" -std=gnu17 -DGASNET_SEQ -o flood_so flood.c \
    $(pkg-config --cflags --libs fshmem)
expect "flood: 120 requests, 120 replies, 0 wrong" \
    env LD_LIBRARY_PATH="$prefix/lib" "$prefix/bin/fshrun" -n 2 --timeout 60 \
    ./flood_so

# The tools alone: no job, nothing of the library around them.
export TOOLS_SIZE="1.5 KB"
for mode in seq:1 par:4; do
    wanted="tools: ${mode#*:} threads" mode=${mode%:*}
    make -s -B -f tools.mk GASNETTOOLS_CC="$cc" GASNETTOOLS_CXX="$cxx" \
        FRAGMENT="$prefix/include/gasnet_tools-$mode.mak"
    expect "$wanted" ./tools
    expect "$wanted" ./toolsxx
    # shellcheck disable=SC2046
    "$cc" -o tools_pc tools.c \
        $(pkg-config --cflags --libs "gasnet_tools-$mode")
    expect "$wanted" ./tools_pc
    # A program without GASNet's mode macros can have them from any of its
    # libraries.
    # shellcheck disable=SC2046
    "$cc" -o tools_so -DGASNETT_THREAD_SAFE tools.c -pthread \
        $(pkg-config --cflags --libs fshmem)
    expect "tools: 4 threads" env LD_LIBRARY_PATH="$prefix/lib" ./tools_so
done
if nm ./tools | grep -E ' [TtDdBb] fsh_(boot|gasnet_init|conduit)'; then
    echo "the tools bring parts of the library"
    exit 1
fi
grep -aq 'GASNetToolsConfig: ' "$prefix/lib/libgasnet_tools-seq.a" ||
    { echo "libgasnet_tools-seq.a does not say what it is"; exit 1; }

# find_package
cmake -S . -B cm -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >cm.log 2>&1 ||
    { cat cm.log; exit 1; }
cmake --build cm >>cm.log 2>&1 || { cat cm.log; exit 1; }
for conduit in $conduits; do
    for program in sum_${conduit}_seq sum_${conduit}_par sum_shared; do
        expect "sum 3 of 2 ranks" "$prefix/bin/fshrun" -n 2 \
            --conduit "$conduit" "cm/$program"
    done
    for program in flood_${conduit}_parsync flood_shared; do
        expect "flood: 120 requests, 120 replies, 0 wrong" \
            "$prefix/bin/fshrun" -n 2 --conduit "$conduit" --timeout 60 \
            "cm/$program"
    done
done
expect "tools: 4 threads" cm/tools

# The other flavours: the same names inside; fragments, pkg-config and
# find_package give their macros and their library, and no other's.
names() { # <prefix>: files a build may name, without the flavours' own prefixes
    (cd "$1" && find include lib bin ! -type d | sort)
}
for flavour in debug everything; do
    own=$prefix/$flavour
    diff <(names "$prefix") <(names "$own") ||
        { echo "$flavour: other names than in the prefix"; exit 1; }
    for conduit in $conduits; do
        for mode in seq par; do
            make -s -B -f user.mk GASNET_CC="$cc" GASNET_CXX="$cxx" \
                FRAGMENT="$own/include/$conduit-conduit/$conduit-$mode.mak"
            expect "sum 3 of 2 ranks" "$own/bin/fshrun" -n 2 ./sum
            expect "sum 3 of 2 ranks" "$own/bin/gasnetrun_$conduit" -n 2 ./sumxx
            expect "sum 1 of 1 ranks" ./sum
            expect "flood: 120 requests, 120 replies, 0 wrong" \
                "$own/bin/fshrun" -n 2 --timeout 60 ./flood
        done
    done
    strings=$(strings "$own/lib/libgasnet-smp-seq.a" | grep GASNetConfig:)
    case $flavour/$strings in
    debug/*SEGMENT=FAST*,debug,*) ;;
    everything/*SEGMENT=EVERYTHING*,nodebug,*) ;;
    *) echo "$own: the library says $strings"; exit 1 ;;
    esac
    flags=$(PKG_CONFIG_PATH=$own/lib/pkgconfig pkg-config --cflags --libs \
        gasnet-smp-par)
    # shellcheck disable=SC2086
    "$cc" -o sum_pc sum.c $flags
    expect "sum 6 of 3 ranks" "$prefix/bin/fshrun" -n 3 ./sum_pc
    # shellcheck disable=SC2046
    "$cxx" -DGASNET_PAR -o sum_pcxx sum.cc $(PKG_CONFIG_PATH=$own/lib/pkgconfig \
        pkg-config --cflags --libs fshmem)
    expect "sum 3 of 2 ranks" env LD_LIBRARY_PATH="$own/lib" \
        "$prefix/bin/fshrun" -n 2 ./sum_pcxx
    # Compiled for one, run with another.
    if got=$(LD_LIBRARY_PATH=$prefix/lib "$prefix/bin/fshrun" -n 1 ./sum_pcxx \
        2>&1); then
        echo "$flavour headers with the prefix's library: $got"
        exit 1
    fi
    case $got in
    *"gasnet_init: the program was compiled with the headers of"*"$flavour"*) ;;
    *) echo "$flavour headers with the prefix's library: $got"; exit 1 ;;
    esac
    cmake -S . -B "cm_$flavour" -G Ninja -DCMAKE_PREFIX_PATH="$own" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >cm.log 2>&1 &&
        cmake --build "cm_$flavour" --target sum_smp_seq sum_shared \
            >>cm.log 2>&1 || { cat cm.log; exit 1; }
    for program in sum_smp_seq sum_shared; do
        expect "sum 3 of 2 ranks" "$prefix/bin/fshrun" -n 2 \
            "cm_$flavour/$program"
    done
done

# Every tool and every call of the library has its manual page, and the
# formatter, if there is one, has nothing to say about any.
man=$prefix/share/man
for tool in "$prefix"/bin/fsh*; do
    page=$man/man1/$(basename "$tool").1
    grep -q '^\.SH SYNOPSIS' "$page" || { echo "no page $page"; exit 1; }
done
for call in $(nm -D --defined-only "$prefix/lib/libfshmem.so" |
    sed -n 's/.* [TDBV] \(gasnett\{0,1\}_[a-zA-Z0-9_]*\)\(@.*\)*$/\1/p'); do
    [ -s "$man/man3/$call.3" ] || { echo "no manual page of $call"; exit 1; }
    checks=$((checks + 1))
done
if command -v groff >/dev/null; then
    for page in "$man"/man1/* "$man"/man3/gasnet* "$man"/man7/*; do
        if ! head -n 1 "$page" | grep -q '^\.so'; then
            expect "" groff -man -ww -z -Tutf8 -K utf8 "$page"
        fi
    done
fi

# The prefix carries no path of the tree it was built in.
if grep -rIl "$build" "$prefix"/{,debug/,everything/}include \
    "$prefix"/{,debug/,everything/}lib/{pkgconfig,cmake} "$prefix/bin"; then
    echo "the files above name the build directory"
    exit 1
fi
echo "install: pass ($checks checks)"
