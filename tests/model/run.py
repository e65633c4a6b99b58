#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Explore the models of this folder with Spin, all states of each.

usage: run.py MODEL            the variants that must hold
       run.py faults           the variants that are broken and must be found out
       run.py MODEL -DMACRO... one variant, with the steps to its fault if any
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
DEPTH = 4000000
MEGABYTES = 1200  # no variant comes near
SECONDS = 240

# What holds, with the settings of each; the first lines of each model say what
# they mean.
HOLD = {
    "ring": ["", "-DMISS -DTIMED", "-DSTEP=3"],
    "ready": ["", "-DWIDE", "-DMISS -DLATE -DTIMED",
              "-DMISS -DLATE -DTIMED -DWIDE"],
    "barrier": ["-DRANKS=2 -DFLAT", "-DRANKS=2 -DCROWDED", "-DRANKS=2",
                "-DRANKS=2 -DMISS -DTIMED",
                "-DRANKS=2 -DCROWDED -DMISS -DTIMED",
                "-DBARRIERS=2 -DSB=1 -DFLAT",
                "-DBARRIERS=2 -DSB=1 -DCROWDED", "-DBARRIERS=2 -DSB=1"],
}
# What does not: a protocol with one thing left out.
FAULTS = {
    "ring": ["-DNO_HEAVY", "-DMISS", "-DNO_RETRY", "-DSTEP=4", "-DNO_CLEAR",
             "-DSTAMP_FIRST", "-DFREED_FIRST"],
    "ready": ["-DNO_HEAVY", "-DMISS", "-DMISS -DLATE", "-DMISS -DTIMED",
              "-DNO_RECHECK", "-DLOOK_FIRST", "-DNO_COUNT",
              "-DWIDE -DREADY_FIRST", "-DWIDE -DSUMMARY_FIRST"],
    "barrier": ["-DRANKS=2 -DNO_HEAVY -DFLAT", "-DRANKS=2 -DNO_HEAVY",
                "-DRANKS=2 -DMISS -DFLAT", "-DRANKS=2 -DNO_WAKE",
                "-DRANKS=2 -DNO_SECOND_LOOK", "-DRANKS=2 -DONE_SET",
                "-DRANKS=2 -DFLAT -DSTALE", "-DSB=1 -DCROWDED -DSTALE",
                "-DSB=1 -DFLAT -DHALF",
                "-DSB=1 -DHALF"],
}


def call(folder, *words, seconds=SECONDS):
    done = subprocess.run(words, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False,
                          timeout=seconds)
    return done.returncode, done.stdout


def make(folder, model, macros):
    """Compile one variant in a folder. Hash compaction: of 10^7 states, one is
    taken for another with a probability of about 10^-4."""
    for file in HERE.glob("*.pml"):
        shutil.copy(file, folder)
    code, text = call(folder, "spin", *macros, "-a", model + ".pml")
    if code == 0 and "rror" not in text:
        code, text = call(folder, "gcc", "-O1", "-w", "-DSAFETY", "-DHC4",
                          f"-DMEMLIM={MEGABYTES}", "-DVECTORSZ=2048", "-o",
                          "pan", "pan.c")
    if code != 0:
        sys.exit(f"{model} {' '.join(macros)}: does not compile\n{text}")


def explore(folder, model, macros):
    """Returns (fault or "", number of states)."""
    make(folder, model, macros)
    _, text = call(folder, "./pan", f"-m{DEPTH}")
    fault = re.search(r"^pan:1: (invalid end state|assertion violated)", text,
                      re.M)
    if fault is not None:
        return fault.group(1), 0
    states = re.search(r"^\s*([\d.e+]+) states, stored", text, re.M)
    if "errors: 0" not in text or states is None or "not completed" in text or \
            "too small" in text:
        sys.exit(f"{model} {' '.join(macros)}: not explored\n{text}")
    return "", int(float(states.group(1)))


def check(model, variant, is_broken):
    with tempfile.TemporaryDirectory() as folder:
        fault, states = explore(folder, model, variant.split())
    name = f"{model} {variant}".strip()
    if fault and not is_broken:
        sys.exit(f"{name}: {fault}; the steps to it: {HERE}/run.py {name}")
    if is_broken and not fault:
        sys.exit(f"{name}: holds, but must not: the model shows nothing")
    print(f"{name}: {fault or f'holds, {states} states'}", flush=True)


def show(model, macros):
    with tempfile.TemporaryDirectory() as folder:
        fault, states = explore(folder, model, macros)
        if fault:
            _, text = call(folder, "spin", *macros, "-t", "-p", "-g",
                           model + ".pml")
            print(text)
        print(fault or f"holds, {states} states")
    return 1 if fault else 0


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in [*HOLD, "faults"]:
        sys.exit(__doc__)
    if shutil.which("spin") is None:
        print("skipped: there is no spin (scripts/install-deps.sh ci)")
        return SKIPPED
    if len(sys.argv) > 2:
        return show(sys.argv[1], sys.argv[2:])
    if sys.argv[1] != "faults":
        for variant in HOLD[sys.argv[1]]:
            check(sys.argv[1], variant, False)
        return 0
    for model, variants in FAULTS.items():
        for variant in variants:
            check(model, variant, True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
