#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A conformance program twice in simulated time, the second time on one processor:
the same bytes written in the same cycles, and the same trace.

    simulated.py FSHRUN RANKS PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

LIMIT_S = 100


def run(before, fshrun, ranks, program, trace):
    """What the simulator says at the end, and the trace."""
    done = subprocess.run(
        [*before, fshrun, "-n", ranks, "--conduit", "fpga", "--clock",
         "simulated", "--timeout", str(LIMIT_S), "--sim-args", "--hash",
         "--trace", trace, program],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace")
    said = re.search(r"^fshsim: hash \w+ at cycle \d+$", done.stdout, re.M)
    if done.returncode != 0 or not said:
        sys.exit(f"{done.stdout}\ncode {done.returncode}, "
                 f"{' '.join(before) or 'all processors'}")
    with open(trace, encoding="utf-8") as file:
        return said.group(), file.readlines()


def main(fshrun, ranks, program):
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    with tempfile.TemporaryDirectory() as where:
        trace = os.path.join(where, "trace.json")
        said, lines = run([], fshrun, ranks, program, trace)
        again, others = run(one, fshrun, ranks, program, trace)
    if again != said:
        sys.exit(f"all processors: {said}\none processor:  {again}")
    if others != lines:
        first = next((i for i, (a, b) in enumerate(zip(lines, others)) if a != b),
                     min(len(lines), len(others)))
        sys.exit(f"{len(lines)} and {len(others)} lines of trace differ from "
                 f"line {first + 1} on:\n{lines[first:first + 1]}\n"
                 f"{others[first:first + 1]}")
    print(said)


if __name__ == "__main__":
    main(*sys.argv[1:])
