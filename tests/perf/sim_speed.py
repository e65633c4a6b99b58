#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf sim-speed --json: starts its jobs, with the threads it says."""
import json
import os
import subprocess
import sys
import tempfile

FSHPERF = sys.argv[1]


def check(holds, what):
    if not holds:
        sys.exit(f"sim_speed: {what}")


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "speed.json")
        text = subprocess.run([FSHPERF, "sim-speed", "--json", path, "--most", "2"],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=200,
                              env={**os.environ, "FSHMEM_SIM_ARGS": "--stats"}).stdout
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    check([(r["nodes"], r["threads"]) for r in rows] == [(2, 1), (2, 2)], rows)
    for row in rows:
        check(row["node_cycles"] > 100000, row)
        check(abs(row["node_cycles_per_s"] * row["seconds"] / row["node_cycles"] - 1)
              < 0.01, row)
        check(row["node_cycles_per_cpu_s"] > 0, row)
    check(len(text.splitlines()) == 3 + len(rows), text)


main()
