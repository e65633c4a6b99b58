#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The critical path of programs whose path is known, by fshtrace --json.

usage: path.py FSHRUN FSHTRACE KNOWN MATMUL

Differences between two sizes of a program leave out how it begins and ends, so they are
equal, not about: a Short without arguments is a beat and 30 cycles of link, a packet
of 1024 bytes 65 beats on one of two links, a round trip four times through PCIe.
"""
import json
import os
import subprocess
import sys
import tempfile

LINK = 30
PCIE = 125
CALL = 10 + 5 * 2  # COST_CALL, and the register writes of a command
SHARES = ("host", "pcie", "memory", "link", "compute", "queueing")


def measure(fshrun, fshtrace, ranks, program):
    with tempfile.TemporaryDirectory(prefix="fshmem-path-") as folder:
        trace = os.path.join(folder, "t.json")
        subprocess.run([fshrun, "-n", str(ranks), "--conduit", "fpga", "--clock",
                        "simulated", "--trace", trace] + program, check=True,
                       stdout=subprocess.DEVNULL, timeout=100)
        text = subprocess.run([fshtrace, trace], check=True, capture_output=True,
                              text=True, timeout=60).stdout
        found = json.loads(subprocess.run(
            [fshtrace, "--json", trace], check=True, capture_output=True, text=True,
            timeout=60).stdout)
    path = {share: found["path"][share + "_cycles"] for share in SHARES}
    assert sum(path.values()) == found["cycles"], (path, found["cycles"])
    for share, cycles in path.items():
        assert f"{cycles} cycles" in text, f"{share} is not in the text"
    print(" ".join(program[1:]), path)
    return path, found


def equal(name, found, expected):
    assert found == expected, f"{name}: {found}, expected {expected}"


def ping(run, known):
    few, _ = run(2, [known, "ping", "100"])
    many, found = run(2, [known, "ping", "200"])
    more = {share: many[share] - few[share] for share in SHARES}
    equal("link", more["link"], 100 * 2 * (LINK + 1))
    equal("host", more["host"], 100 * 2 * CALL)
    equal("memory", more["memory"], 0)
    equal("compute", more["compute"], 0)
    assert 100 * 4 * PCIE <= more["pcie"] < 100 * 4 * (PCIE + 20), more
    assert more["queueing"] < 100 * 50, more
    assert found["path"]["hops"] >= 400, found["path"]


def spend(run, known):
    path, found = run(2, [known, "spend", "50000"])
    assert 50000 // 4 <= path["host"] < 50000 // 4 + 100, path
    waited = sum(row["ns"] for row in found["waits"] if row["rank"] == 1)
    assert 49000 < waited < 53000, found["waits"]


def get(run, known):
    few, _ = run(2, [known, "get", "131072"])
    many, _ = run(2, [known, "get", "262144"])
    more = {share: many[share] - few[share] for share in SHARES}
    equal("link", more["link"], 131072 // 1024 * 65 // 2)
    assert sum(more.values()) == more["link"], more


def compute(run, matmul):
    path, _ = run(1, [matmul, "--size", "256"])
    # Products, and what the core takes to fetch commands and to begin and end tiles.
    assert 256 ** 3 // 2048 <= path["compute"] < 8600, path


def main():
    fshrun, fshtrace, known, matmul = sys.argv[1:]

    def run(ranks, program):
        return measure(fshrun, fshtrace, ranks, program)

    ping(run, known)
    spend(run, known)
    get(run, known)
    compute(run, matmul)


if __name__ == "__main__":
    main()
