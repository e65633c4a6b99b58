#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A training step of examples/08_train on conduit smp, two ranks, beside the same step with
OpenBLAS's sgemm and Open MPI's all-reduce (train_mpi.c), in turns: medians of rounds, each
a short job of either. What is not installed is said, and FSHMEM measured alone.

usage: train.py --fshrun FILE --train FILE --build DIRECTORY [--rounds N] [--steps N]
                [--shape LAYERS,WIDTH,BATCH] [--instructions best|avx2] [--json FILE]
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = ((4, 128, 96), (6, 256, 448), (4, 512, 512))  # layers, width, batch
LEARNED = 1797 - 360  # digits of an epoch
LIMIT = 120           # seconds of a job
RANKS = "2"


class Failed(Exception):
    """One line that says why."""


def figures(command, env):
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]}: no end after {LIMIT} s") from None
    lines = [line for line in done.stdout.splitlines() if '"total_us"' in line]
    if done.returncode or not lines:
        said = (done.stderr or done.stdout).strip().splitlines() or ["nothing said"]
        raise Failed(f"{command[0]}: exit {done.returncode}: {said[0]}")
    return json.loads(lines[0])


def prepare(build):
    """Open MPI's program, or why there is none."""
    for program in ("mpicc.openmpi", "mpirun.openmpi"):
        if not shutil.which(program):
            raise Failed(f"{program} is not installed")
    os.makedirs(build, exist_ok=True)
    out = os.path.join(build, "train_mpi")
    done = subprocess.run(["mpicc.openmpi", "-O3", "-march=native", "-ffast-math", "-o", out,
                           os.path.join(HERE, "train_mpi.c"), "-ldl", "-lm"],
                          capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"mpicc.openmpi failed: {done.stderr[:200]}")
    return out


def ours(args, shape):
    layers, width, batch = map(str, shape)
    epochs = max(1, args.steps * shape[2] // LEARNED)
    return figures([args.fshrun, "-n", RANKS, "--conduit", "smp", args.train, "--layers", layers,
                    "--width", width, "--batch", batch, "--epochs", str(epochs), "--json"],
                   os.environ)


def theirs(args, shape, program):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    bind = "core" if len(os.sched_getaffinity(0)) > 1 else "none"
    return figures(["mpirun.openmpi", "-n", RANKS, "--oversubscribe", "--bind-to", bind, program,
                    *map(str, shape), str(args.steps)], env)


def vectors(most):
    """What both sides' kernels find, or are held to."""
    if most != "best":
        os.environ["FSHMEM_INSTRUCTIONS"] = most
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
        return "AVX2"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read().split()
    return "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "neither AVX"


def policy():
    """How the processes are scheduled."""
    name = {os.SCHED_OTHER: "time-sharing", os.SCHED_FIFO: "real-time, fifo",
            os.SCHED_RR: "real-time, round robin"}
    return name.get(os.sched_getscheduler(0), "other")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fshrun", required=True)
    parser.add_argument("--train", required=True, help="08_train")
    parser.add_argument("--build", required=True, help="where the peer is built")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=30, help="of a job, at least")
    parser.add_argument("--shape", action="append",
                        type=lambda text: tuple(int(x) for x in text.split(",")))
    parser.add_argument("--instructions", choices=("best", "avx2"), default="best",
                        help="of both sides at most")
    parser.add_argument("--json")
    args = parser.parse_args()
    found = vectors(args.instructions)
    program, why, core, rows = None, None, "-", []
    try:
        program = prepare(args.build)
    except Failed as error:
        why = str(error)
    for shape in args.shape or SHAPES:
        mine, other = [], []
        for _ in range(args.rounds):
            mine.append(ours(args, shape)["total_us"])
            try:
                if program:
                    seen = theirs(args, shape, program)
                    other.append(seen["total_us"])
                    core = seen["core"]
            except Failed as error:
                program, why = None, str(error)
        rows.append({"layers": shape[0], "width": shape[1], "batch": shape[2], "ranks": 2,
                     "rounds": args.rounds, "us": statistics.median(mine),
                     "peer_us": statistics.median(other) if other else None})
    print(f"# A training step, {RANKS} ranks on one host, wall clock, {policy()}, "
          f"{len(os.sched_getaffinity(0))} processors; medians of {args.rounds} rounds in turns.\n"
          f"# FSHMEM: conduit smp, thread mode SEQ and a thread for the compute core, "
          f"{found};\n"
          f"# OpenBLAS ({core}), one thread a rank, MPI_Allreduce of Open MPI.\n"
          f"{'# layers':<10}{'width':>7}{'batch':>7}{'FSHMEM (us)':>14}"
          f"{'OpenBLAS, MPI (us)':>20}{'times the speed':>17}")
    for row in rows:
        peer = row["peer_us"]
        print(f"{row['layers']:<10}{row['width']:>7}{row['batch']:>7}{row['us']:>14.1f}"
              + (f"{peer:>20.1f}{peer / row['us']:>17.2f}" if peer else f"{'-':>20}{'-':>17}"))
    if why:
        print(f"# OpenBLAS, MPI: {why}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        sys.exit(f"train.py: {failed}")
