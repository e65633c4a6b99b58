#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf smp --quick: the form of its JSON, that every test is there in both
thread modes, and that the figures hang together.

usage: smp.py FSHPERF
"""
import json
import math
import os
import subprocess
import sys
import tempfile

KEYS = {"test", "ranks", "mode", "pinned", "bytes", "access", "limit",
        "limit_value", "ratio", "target", "rounds", "disturbed"}
MESSAGES = [(n, a) for n in (8, 4096, 65536)
            for a in ("never", "echoed", "lines")]
SMALL = (8, 64, 512, 4096, 16384)
LARGE = (65536, 262144, 1048576)


def expected():
    """All rows of a mode: (test, ranks, bytes, access)."""
    rows = {("am_short_rtt", n, 0, "-") for n in (2, 64)}
    rows |= {("poll", n, 0, "-") for n in (2, 64)}
    rows |= {("barrier", n, 0, "-") for n in (2, 4, 8, 16)}
    rows |= {(t, 2, n, a) for t in ("am_medium_rtt", "am_long_rtt")
             for n, a in MESSAGES}
    rows |= {(t, 2, n, "-") for t in ("put", "get") for n in SMALL + LARGE}
    rows |= {(t, 2, n, "-") for t in ("put_bw", "get_bw") for n in LARGE}
    rows |= {("am_flood", 2, 0, "-"), ("put_nb_rate", 2, 8, "-")}
    rows |= {(f"{t}_{s}", 2, 0, "-") for t in ("rtt", "barrier")
             for s in ("together", "neighbour")}
    return rows


def near(a, b):
    return math.isclose(a, b, rel_tol=2e-3)


def check(row):
    bandwidth = row["test"].endswith("_bw")
    unit = "gb_per_s" if bandwidth else "us"
    assert set(row) == KEYS | {unit}, sorted(set(row) ^ KEYS)
    for key in (unit, "limit_value", "ratio", "target"):
        assert row[key] > 0 and math.isfinite(row[key]), row
    assert near(row["ratio"], row[unit] / row["limit_value"]), row
    assert 5 <= row["rounds"] <= 20, row
    assert isinstance(row["pinned"], bool), row
    if row["mode"] == "SEQ" and row["limit"] == "memcpy":
        if row["bytes"] >= 65536:
            factor = 0.98 if bandwidth else 1 / 0.98
            assert near(row["target"], factor * row["limit_value"]), row
        else:
            assert near(row["target"], row["limit_value"] + 0.005), row
    # Past 1 TB/s nothing was copied.
    assert bandwidth or row[unit] > row["bytes"] / 1e6, row


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "smp.json")
        run = subprocess.run([sys.argv[1], "smp", "--quick", "--json", path],
                             check=True, stdout=subprocess.PIPE, text=True)
        with open(path, encoding="utf-8") as f:
            rows = json.load(f)
    for row in rows:
        check(row)
    found = [(r["mode"], r["test"], r["ranks"], r["bytes"], r["access"])
             for r in rows]
    wanted = {(m, *e) for m in ("SEQ", "PAR") for e in expected()}
    assert len(found) == len(set(found)), "a figure is there twice"
    assert set(found) == wanted, sorted(set(found) ^ wanted)
    text = [line.split() for line in run.stdout.splitlines()
            if not line.startswith("#")]
    assert len(text) == len(rows), run.stdout
    assert "# Processor: " in run.stdout, run.stdout
    for words, row in zip(text, rows):
        assert words[:3] == [row["test"], str(row["ranks"]), row["mode"]], words
        assert words[-1] in ("ok", "over"), words
    print(f"{len(rows)} figures, all there")


main()
