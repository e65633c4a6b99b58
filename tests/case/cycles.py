#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf case-study --quick: its JSON, and the cycles it finds.

usage: cycles.py FSHPERF

Limits are just above what the design takes, floors just below what it could
take at best (2048 products a cycle and node): neither a slower core nor a count
that leaves something out passes.
"""
import json
import os
import subprocess
import sys
import tempfile

# (size, nodes): cycles at most
LIMITS = {(256, 1): 8430, (256, 2): 4330, (512, 1): 65870, (512, 2): 33200}
KEYS = {"workload", "size", "nodes", "cycles", "gops", "efficiency", "speedup",
        "bytes_sent", "overlap", "conduit", "device", "clock", "link_cycles",
        "link_layer", "dram_cycles", "dram_write_cycles", "dram_bytes_cycle",
        "pcie_cycles", "pcie_bytes_cycle"}


def check(point, alone):
    size, nodes, cycles = point["size"], point["nodes"], point["cycles"]
    least = size ** 3 / 2048 / nodes
    name = f"matmul {size} on {nodes}: {cycles} cycles"
    print(name)
    assert set(point) == KEYS, sorted(set(point) ^ KEYS)
    assert point["workload"] == "matmul", point
    assert (point["conduit"], point["device"], point["clock"]) == (
        "fpga", "sim", "simulated"), point
    assert least < cycles <= LIMITS[size, nodes], f"{name}, past its limit"
    assert abs(point["gops"] - size ** 3 / 2 / cycles) < 0.01, point
    assert abs(point["efficiency"] - least / cycles) < 1e-4, point
    assert abs(point["speedup"] - alone / cycles) < 1e-4, point
    if nodes == 1:
        assert point["bytes_sent"] == 0 and point["overlap"] is None, point
    else:
        assert point["bytes_sent"] > 0 and 0.8 < point["overlap"] <= 1, point


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "study.json")
        subprocess.run([sys.argv[1], "case-study", "--quick", "--json", path],
                       check=True)
        with open(path, encoding="utf-8") as f:
            points = json.load(f)
    found = {(p["size"], p["nodes"]): p for p in points}
    assert set(found) == set(LIMITS), sorted(found)
    for (size, _), point in found.items():
        check(point, found[size, 1]["cycles"])


main()
