#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/peers.py with one peer that is not installed, one that cannot be built,
one whose jobs fail and one whose jobs never end: the table is there, with the
figures of FSHMEM, "-" for the others, and why.

usage: peers.py BENCH_PEERS FSHPERF
"""
import os
import subprocess
import sys
import tempfile
import time

PROGRAMS = {  # of Open MPI, OSHMEM and MPICH; UCX is not there
    "mpicc.openmpi": "echo no such header >&2; exit 1",
    "mpirun.openmpi": "exit 0",
    "oshcc": "exit 0",
    "oshrun": "trap '' TERM; sleep 1000 & wait; sleep 1000",
    "mpicc.mpich": "exit 0",
    "mpirun.mpich": "echo something is missing >&2; exit 3",
}
COLLECTIVES = 4 * (5 + 3 + 3)  # operations; sizes of 2, 4 and 8 ranks
WANTED = ("UCX: ucx_perftest is not installed",
          "Open MPI: no such header",
          "OSHMEM: no end after 2 s",
          "MPICH: something is missing")


def tools(directory):
    for name, text in PROGRAMS.items():
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    for name in ("sh", "sleep"):
        os.symlink(f"/bin/{name}", os.path.join(directory, name))


def survivors(directory):
    """Processes that were started for a peer."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if directory.encode() in f.read() and int(pid) != os.getpid():
                    found.append(pid)
        except OSError:
            pass
    return found


def main():
    with tempfile.TemporaryDirectory() as directory:
        tools(directory)
        start = time.monotonic()
        run = subprocess.run([sys.executable, sys.argv[1], "--fshperf",
                              sys.argv[2], "--build", directory, "--rounds",
                              "1", "--limit", "2"], text=True,
                             env=dict(os.environ, PATH=directory),
                             stdout=subprocess.PIPE, check=True)
        print(run.stdout)
        assert time.monotonic() - start < 100
        assert not survivors(directory), survivors(directory)
    for text in WANTED:
        assert f"# {text}" in run.stdout, text
    rows = [x for x in run.stdout.splitlines() if not x.startswith("#")]
    assert len(rows) == 18 + COLLECTIVES, len(rows)
    for i, row in enumerate(rows):
        cells = row[42:].split()
        assert float(cells[0].rstrip("*")) > 0, row
        if i < 18:
            assert cells[1:] == ["-"] * 4, row
        else:  # not in the segment; the MPIs, and the ratios to them
            assert float(cells[1]) > 0 and cells[2:] == ["-"] * 4, row


main()
