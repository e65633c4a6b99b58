#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshperf training: all systems, all parts, whose sum is the total; engines are faster
than hosts; cores set aside are missing in backward passes, more cores move gradients faster,
and what is not overlapped is exposed; the model is near the totals, and near every part of
which submissions are not most.

usage: training.py FSHPERF FSHMODEL"""
import json
import os
import subprocess
import sys
import tempfile

PARTS = ["forward", "backward", "allreduce_exposed", "update"]
CONVENTIONAL = ["naive", *(f"free-{k}" for k in (1, 2, 4, "rab", "dbl")),
                *(f"worker-{k}" for k in (1, 2, 4)), "fast-free", "fast-worker"]
ENGINES = ["fp32", "bfp"]
SMALL = ["--quick", "--width", "16", "--layers", "4", "--batch", "120"]


def check(holds, what):
    if not holds:
        sys.exit(f"training: {what}")


def main():
    with tempfile.TemporaryDirectory() as where:
        path, model = (os.path.join(where, name) for name in ("seen.json", "model.json"))
        subprocess.run([sys.argv[1], "training", *SMALL, "--json", path], check=True,
                       stdout=subprocess.DEVNULL, timeout=200)
        with open(path, encoding="utf-8") as file:
            added = [(row["model_cycles"], row["model_error"]) for row in json.load(file)
                     if row["model_cycles"] is not None]
        subprocess.run([sys.argv[2], "check", path, "--json", model], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        with open(model, encoding="utf-8") as file:
            checked = json.load(file)
    predicted = {row["what"]: row["model_error"] for row in checked}
    check(added == [(row["model_cycles"], row["model_error"]) for row in checked],
          f"predictions in the results {added}, of fshmodel {checked}")
    cycles = {(row["system"], row["part"]): row["cycles"] for row in rows}
    systems = ["host", *CONVENTIONAL, *ENGINES]
    check(len(rows) == len(cycles) == 5 * len(systems), rows)
    for row in rows:
        check((row["nodes"], row["layers"], row["width"], row["batch"]) == (2, 4, 16, 120),
              row)
        check(row["link_cycles"] > 0 and row["conduit"] == "fpga", row)
    for system in systems:
        check(sum(cycles[system, part] for part in PARTS) == cycles[system, "total"], system)
        check(cycles[system, "forward"] > 0 and cycles[system, "update"] > 0, system)
        check(cycles[system, "forward"] == cycles["host", "forward"], "forward passes differ")
    for aside, names in ((1, ("free-1", "worker-1")), (2, ("free-2", "worker-2")),
                         (4, ("free-4", "worker-4")), (5, ("fast-free", "fast-worker"))):
        free, worker = (cycles[name, "backward"] for name in names)
        check(worker - free > 0.8 * free * aside / (28 - aside),
              f"{aside} of 28 cores set aside: backward {worker}, of all {free}")
    check(cycles["free-1", "allreduce_exposed"] > cycles["free-4", "allreduce_exposed"],
          "four cores move gradients no faster than one")
    check(cycles["free-2", "allreduce_exposed"] > cycles["fast-free", "allreduce_exposed"],
          "faster links move gradients no faster")
    check(cycles["naive", "allreduce_exposed"] > 2 * cycles["free-4", "allreduce_exposed"],
          "nothing overlaps, but all-reduces are not exposed")
    check(cycles["fp32", "total"] < cycles["host", "total"], "engines are slower")
    check(set(predicted) == {"host total", *(f"{system} {part}" for system in ("fp32", "bfp")
                                            for part in (*PARTS, "total"))}, predicted)
    for what, error in predicted.items():
        if "exposed" not in what:
            check(abs(error) <= (0.10 if "host" in what else 0.05), f"{what}: model {error:+.3f}")
    print("training: ok")


main()
