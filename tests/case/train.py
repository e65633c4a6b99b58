#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""08_train: encoded gradients, plain ones and products in plain C tell as many held-out
digits right, means over seeds; a run that is killed and resumed leaves the bits of one
that is not; the bits do not depend on the conduit, instructions or who executes collectives; what is
refused. The last line says "train: pass".

usage: train.py FSHRUN 08_TRAIN means|resume|bits [SIMULATOR-IS-THERE]
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

FSHRUN, TRAIN = sys.argv[1:3]
EPOCHS = 60
SHORT = ["--epochs", str(EPOCHS), "--width", "64", "--wire", "bfp16"]
SEEDS, LEAST, ALIKE = range(1, 6), 0.95, 0.005


class Wrong(Exception):
    pass


def command(ranks, *args, conduit="smp"):
    return [FSHRUN, "-n", str(ranks), "--conduit", conduit, "--timeout", "200", TRAIN,
            *args]


def run(ranks, *args, conduit="smp", refused=None, **settings):
    line = command(ranks, *args, conduit=conduit)
    job = subprocess.run(line, capture_output=True, text=True, timeout=220,
                         env=dict(os.environ, **settings))
    if (job.returncode != 0) != (refused is not None):
        raise Wrong(f"{' '.join(line)}: exit {job.returncode}\n{job.stdout}{job.stderr}")
    if refused is not None and not re.search(refused, job.stderr):
        raise Wrong(f"{' '.join(line)} does not say {refused}:\n{job.stderr}")
    return job.stdout


def hash_of(out):
    return re.search(r"hash ([0-9a-f]{16})", out)[1]


def check_means():
    for ranks in (1, 2, 4, 6):
        mean = {}
        for kind in ("fp32 core", "bfp16 core", "fp32 host"):
            wire, compute = kind.split()
            held = [json.loads(run(ranks, "--wire", wire, "--compute", compute, "--seed",
                                   str(seed), "--epochs", "20", "--json").splitlines()[-1])["held_out"]
                    for seed in SEEDS]
            mean[kind] = sum(held) / len(held)
        print(f"train: {ranks} ranks: " + ", ".join(f"{k} {v:.4f}"
                                                    for k, v in mean.items()))
        if min(mean.values()) < LEAST or max(mean.values()) - min(mean.values()) > ALIKE:
            raise Wrong(f"{ranks} ranks: {mean}")


def kill_one(file):
    """Ranks of a training without an end die after its second epoch, at some later one."""
    job = subprocess.Popen(command(3, *SHORT[2:], "--epochs", "100000", "--checkpoint",
                                   file), stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL)
    for text in job.stdout:
        if text.startswith("epoch 2:"):
            job.send_signal(signal.SIGTERM)
            break
    job.communicate()
    if job.returncode == 0:
        raise Wrong("the job was not killed")


def check_resume():
    with tempfile.TemporaryDirectory() as place:
        file = str(pathlib.Path(place) / "checkpoint")
        whole = hash_of(run(3, *SHORT))
        for _ in range(5):  # one that dies late may be past the last epoch
            kill_one(file)
            out = run(3, *SHORT, "--resume", file)
            if f"epoch {EPOCHS}:" in out:
                break
        else:
            raise Wrong(f"no run was killed before epoch {EPOCHS}")
        if "epoch 1:" in out:
            raise Wrong("a run that is resumed begins anew")
        if hash_of(out) != whole:
            raise Wrong("a run that was resumed has other bits")
        other = [a if a != "bfp16" else "fp32" for a in SHORT]
        run(3, *other, "--resume", file, refused="not of a training with these options")
        run(2, *SHORT, "--resume", file, refused="not of a training with these options")
        with open(file, "r+b") as cut:
            cut.truncate(5000)
        run(3, *SHORT, "--resume", file, refused="ends too early")
        run(3, *SHORT, "--resume", file + "x", refused="No such file")
    run(2, "--width", "40", refused="--width 40: a multiple of 16")
    run(2, "--batch", "97", refused="--batch 97: .*2 ranks")
    run(1, "--batch", "1438", refused="--batch 1797|--batch 1438: there are 1437")
    run(2, "--right", "100", "--epochs", "1", refused="")


def check_bits(simulator):
    short = ["--epochs", "1"]
    for wire in ("fp32", "bfp16"):
        out = run(2, *short, "--wire", wire)
        want = hash_of(out)
        if not re.search(r"^a step: forward [\d.]+ us, backward [\d.]+, all-reduce "
                         r"exposed [\d.]+, update [\d.]+, total (?!0\.000)", out, re.M):
            raise Wrong(f"no times of a step:\n{out}")
        if hash_of(run(2, *short, "--wire", wire, FSHMEM_COLL_DIRECT="0")) != want:
            raise Wrong("by messages: other bits")
        for isa in ("portable", "avx2"):
            if hash_of(run(2, *short, "--wire", wire, FSHMEM_INSTRUCTIONS=isa)) != want:
                raise Wrong(f"by {isa} instructions: other bits")
        if simulator and hash_of(run(2, *short, "--wire", wire, conduit="fpga")) != want:
            raise Wrong("on fpga: other bits")
    if hash_of(run(2, *short)) == want:
        raise Wrong("encoded gradients leave the same bits")
    for ranks, compute in ((1, "host"), (2, "core")):
        out = run(ranks, "--epochs", "0", "--gradients", "--compute", compute)
        if "gradients:" not in out:
            raise Wrong("no word of gradients")


def main():
    if sys.argv[3] == "means":
        check_means()
    elif sys.argv[3] == "resume":
        check_resume()
    else:
        check_bits(len(sys.argv) > 4)
    print("train: pass")


try:
    main()
except Wrong as wrong:
    sys.exit(f"train: {wrong}")
