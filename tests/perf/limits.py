#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf limits --quick on two ranks: every figure is there and positive.

usage: limits.py FSHRUN FSHPERF
"""
import subprocess
import sys

SIZES = (8, 4096, 65536)


def main():
    command = [sys.argv[1], "-n", "2", "--conduit", "smp", "--timeout", "120",
               sys.argv[2], "limits", "--quick"]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    print(run.stdout)
    figures = {}
    for line in run.stdout.splitlines():
        if line.startswith("#"):
            continue
        what = line[:34].strip()
        ranks, size, access, us = line[34:].split()[:4]
        assert float(us) > 0, line
        figures[what, int(ranks), int(size), access] = float(us)
    wanted = {("round trip of a cache line", 2, 0, "-"),
              ("round trip over a one-line ring", 2, 0, "-"),
              ("flood of a ring, a message", 2, 0, "-"),
              ("barrier, a flag each way", 2, 0, "-"),
              ("barrier, a counter", 2, 0, "-")}
    wanted |= {("round trip by copying", 2, n, a) for n in SIZES
               for a in ("never", "echoed", "lines")}
    wanted |= {("barrier, a counter, sched_yield", n, 0, "-")
               for n in (4, 8, 16)}
    wanted |= {(f"memcpy {way} the peer's segment", 2, n, "-")
               for way in ("to", "from") for n in SIZES}
    assert wanted <= set(figures), sorted(wanted - set(figures))


main()
