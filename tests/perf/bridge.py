#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bridge.py FSHPERF: fshperf bridge measures all paths, modes and stages and reports them,
over a throttled network or, where there can be none, over loopback with the reason; how
fast anything is, is not judged."""
import json
import os
import subprocess
import sys
import tempfile

FSHPERF = sys.argv[1]
SIZES = [16 << 10, 64 << 10, 256 << 10, 1 << 20]
STAGES = {"read": "to_card", "dma_to_card": "to_card", "dma_from_card": "from_card",
          "write": "from_card", "dma_both": "round_trip"}
WANT = {(path, mode, None, size) for path in ("to_card", "from_card", "round_trip")
        for mode in ("naive", "pipelined") for size in SIZES} | \
    {(path, "stage", stage, size) for stage, path in STAGES.items() for size in SIZES}


def run(*options, settings=None):
    return subprocess.run([FSHPERF, "bridge", "--quick", "--rounds", "1", *options],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **(settings or {})}, timeout=100)


def check(network):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "bridge.json")
        done = run("--dma", "200", "--network", str(network), "--json", path,
                   settings={"FSHMEM_BRIDGE_BUFFER": "64K",
                             "FSHMEM_BRIDGE_ENTRIES": "4"})
        assert done.returncode == 0, done
        with open(path, encoding="ascii") as f:
            rows = json.load(f)
    assert {(r["path"], r["mode"], r.get("stage"), r["bytes"]) for r in rows} == WANT
    assert len(rows) == len(WANT), rows
    for row in rows:
        assert row["mb_per_s"] > 0 and row["ratio"] > 0, row
        assert (row["clock"], row["device"]) == ("wall", "memory"), row
        assert (row["buffer"], row["entries"]) == (65536, 4), row
        assert row["network"] == ("loopback" if "loopback" in done.stdout
                                  else "veth, tbf"), row
        # A stage of a stated rate is not faster than that.
        if network and row["network"] == "veth, tbf" and row["bytes"] == 1 << 20:
            assert row["mb_per_s"] < 1.5 * network, row
    return done.stdout


check(200)
assert "(--network 0)" in check(0)
bad = run("--sweep")
assert bad.returncode == 2 and "--quick and --sweep exclude" in bad.stderr, bad
bad = run("--network", "0", settings={"FSHMEM_BRIDGE_BUFFER": "5000"})
assert bad.returncode != 0 and "a multiple of 4096" in bad.stderr, bad
print("PASS")
