#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf sim-speed --json: starts its jobs, with the threads it says; --instructions: of
the node-cycles that the load takes, where valgrind is installed; else it says so."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FSHPERF = sys.argv[1]


def check(holds, what):
    if not holds:
        sys.exit(f"sim_speed: {what}")


# Beats of six commands of 256 KiB with their headers, on two ports, of two nodes.
CYCLES = 6 * (1 << 18) // 16 * 65 // 64


def instructions():
    """Both nodes send all the time but where a command begins and ends."""
    done = subprocess.run([FSHPERF, "sim-speed", "--instructions"], capture_output=True,
                          text=True, timeout=400, env={**os.environ, "PATH": "/nowhere"})
    check(done.returncode != 0 and "needs valgrind" in done.stderr, done)
    if not shutil.which("valgrind"):
        return
    text = subprocess.run([FSHPERF, "sim-speed", "--instructions"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=400).stdout
    found = re.search(r"of (\d+) node-cycles.\nInstructions per node-cycle +([\d.]+)\n",
                      text)
    check(found and CYCLES <= int(found[1]) < 1.1 * CYCLES, text)
    check(1000 < float(found[2]) < 100000, text)


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
        check(row["instructions_per_node_cycle"] is None, row)
    check(len(text.splitlines()) == 3 + len(rows), text)
    instructions()


main()
