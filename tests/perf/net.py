#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""net.py FSHRUN FSHPERF: fshperf net measures all of its cases and reports them; how fast
anything is, is not judged."""
import json
import os
import subprocess
import sys
import tempfile

FSHRUN, FSHPERF = sys.argv[1:3]
WANT = {("am_rtt", 0), ("flood", 0)} | {(t, b) for t in ("put", "get")
                                        for b in (8, 4096, 65536)} | \
    {("bw", b) for b in (4096, 65536, 1 << 20)}


def run(ranks, *options):
    return subprocess.run(
        [FSHRUN, "-n", str(ranks), "--conduit", "ofi", "--timeout", "120",
         FSHPERF, "net", *options], capture_output=True, text=True,
        check=False)


def main():
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "net.json")
        done = run(2, "--quick", "--rounds", "2", "--json", path)
        assert done.returncode == 0, done
        with open(path, encoding="ascii") as f:
            rows = json.load(f)
    assert {(r["test"], r["bytes"]) for r in rows} == WANT, rows
    for row in rows:
        assert row["value"] > 0 and row["raw"] > 0, row
        assert abs(row["ratio"] - row["value"] / row["raw"]) < 1e-6, row
        assert row["provider"], row
    targets = {r["test"]: r["target"] for r in rows if r["target"]}
    assert targets == {"am_rtt": 1.2, "put": 1.2, "get": 1.2, "bw": 0.95,
                       "flood": 0.8}, targets
    wrong = run(1, "--quick")
    assert wrong.returncode != 0 and "two ranks" in wrong.stderr, wrong
    print("PASS")


main()
