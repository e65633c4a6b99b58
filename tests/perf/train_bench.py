#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/train.py where Open MPI is not installed, and where its program cannot be built: the
figures of FSHMEM, "-" for the others, and why.

usage: train_bench.py BENCH_TRAIN FSHRUN 08_TRAIN"""
import json
import os
import subprocess
import sys
import tempfile

SMALL = ["--rounds", "1", "--steps", "1", "--shape", "2,16,32"]
TOOLS = {"mpicc.openmpi": "echo no such header >&2; exit 1", "mpirun.openmpi": "exit 0"}


def run(directory, wanted):
    path = os.path.join(directory, "train.json")
    done = subprocess.run([sys.executable, sys.argv[1], "--fshrun", sys.argv[2], "--train",
                           sys.argv[3], "--build", directory, "--json", path, *SMALL],
                          env=dict(os.environ, PATH=directory), text=True, check=True,
                          stdout=subprocess.PIPE, timeout=100)
    assert f"# OpenBLAS, MPI: {wanted}" in done.stdout, done.stdout
    with open(path, encoding="utf-8") as file:
        row, = json.load(file)
    assert row["us"] > 0 and row["peer_us"] is None, row


with tempfile.TemporaryDirectory() as where:
    os.symlink("/bin/sh", os.path.join(where, "sh"))
    run(where, "mpicc.openmpi is not installed")
    for name, text in TOOLS.items():
        with open(os.path.join(where, name), "w", encoding="utf-8") as tool:
            tool.write(f"#!/bin/sh\n{text}\n")
        os.chmod(os.path.join(where, name), 0o755)
    run(where, "mpicc.openmpi failed: no such header")
print("train_bench: ok")
