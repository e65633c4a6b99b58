#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What `make report-check` does: pages of all kinds, made in short, in a real browser;
# screenshots are left in BUILD/report. Says that it is skipped without Chromium.
# usage: check.sh BUILD-DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
out=$build/report
mkdir -p "$out"

step() { # <title> <command...>
    echo "== $1"
    "${@:2}" >"$out/log" 2>&1 || {
        cat "$out/log"
        exit 1
    }
}

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
    echo "report-check: SKIPPED: Chromium is not installed (Debian: apt-get install" \
        "chromium, 290 MB)"
    exit 0
fi
step "fshperf paper" "$build/bin/fshrun" -n 2 --conduit fpga --timeout 300 \
    "$build/bin/fshperf" paper --brief --report "$out/paper.html"
step "fshperf case-study" "$build/bin/fshperf" case-study --quick \
    --report "$out/case-study.html"
step "fshperf fabric" "$build/bin/fshperf" fabric --report "$out/fabric.html"
for conduit in smp fpga; do
    step "a run on conduit $conduit" "$build/bin/fshrun" -n 4 --conduit $conduit \
        --report "$out/run-$conduit.html" "$build/examples/06_matmul"
done
python3 tests/report/browser.py --shots "$out" "$out"/*.html
