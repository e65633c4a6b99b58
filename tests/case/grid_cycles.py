#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matmul 1024 on a torus of 4 x 4 nodes: 15 times as fast as one, or faster.

usage: grid_cycles.py FSHRUN FSHPERF
"""
import subprocess
import sys

NODES = 16
ALONE = 524901  # cycles of one node
LEAST = 1024 ** 3 / 2048 / NODES
SPEED_UP = 15


def main():
    done = subprocess.run(
        [sys.argv[1], "-n", str(NODES), "--conduit", "fpga", "--topology",
         "torus:4x4", sys.argv[2], "case-node", "--workload", "matmul",
         "--size", "1024"], check=True, text=True, stdout=subprocess.PIPE)
    nodes = [[int(word) for word in line.split()[1:]]
             for line in done.stdout.splitlines()
             if line.startswith("case-node ")]
    assert len(nodes) == NODES, done.stdout
    # Of a node: products, first start, last end, last signal, ...
    cycles = max(max(n[2:4]) for n in nodes) - min(n[1] for n in nodes)
    print(f"{cycles} cycles, {ALONE / cycles:.3f} times as fast as one")
    assert LEAST < cycles <= ALONE / SPEED_UP, cycles


main()
