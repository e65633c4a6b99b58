#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same random program leaves the same memory on two conduits.

    compare.py --fshrun PATH [--ranks N] [--conduits smp,fpga] [--seed S]
               [--scale X] program

Runs the program (memory_image) on each conduit with one seed, and compares the
hashes it prints. A run with another seed must print other hashes, or the
comparison would prove nothing. The seed is printed; FSHMEM_SEED and --seed set
it.
"""
import argparse
import os
import re
import secrets
import subprocess
import sys


def images(args, conduit, seed):
    env = dict(os.environ, FSHMEM_TEST_SCALE=str(args.scale), GASNET_QUIET="1")
    command = [args.fshrun, "-n", str(args.ranks), "--conduit", conduit,
               args.program, "--seed", str(seed)]
    job = subprocess.run(command, env=env, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=args.limit)
    lines = re.findall(r"^image of rank \d+: [0-9a-f]{16}$", job.stdout, re.M)
    if job.returncode != 0 or len(lines) != args.ranks:
        sys.exit(f"{' '.join(command)}\nended with {job.returncode}, "
                 f"{len(lines)} images\n{job.stdout}{job.stderr}")
    return lines


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--fshrun", required=True)
    p.add_argument("--ranks", type=int, default=2)
    p.add_argument("--conduits", default="smp,fpga")
    p.add_argument("--seed", default=os.environ.get("FSHMEM_SEED"))
    p.add_argument("--scale", type=float, default=0.02)
    p.add_argument("--limit", type=float, default=100, help="seconds per run")
    p.add_argument("program")
    args = p.parse_args()
    seed = int(args.seed, 0) if args.seed else secrets.randbelow(1 << 32)
    print(f"{args.ranks} ranks, seed {seed}, scale {args.scale}", flush=True)

    conduits = args.conduits.split(",")
    found = {c: images(args, c, seed) for c in conduits}
    reference = found[conduits[0]]
    faults = 0
    for conduit in conduits[1:]:
        for ours, theirs in zip(reference, found[conduit]):
            if ours != theirs:
                print(f"{conduits[0]}: {ours}\n{conduit}: {theirs}")
                faults += 1
    if images(args, conduits[0], seed + 1) == reference:
        print("another seed leaves the same memory: nothing was compared")
        faults += 1
    print("\n".join(reference))
    print(f"{'differs' if faults else 'equal'} on {args.conduits}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
