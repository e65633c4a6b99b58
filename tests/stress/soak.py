#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random tests for as long as one likes: `make soak SECONDS=600 SEED=...`.

Each part repeats short rounds for its share of the time; everything in a round
follows from the round's seed. The first round that fails ends the run, and what
repeats it is printed. FSH_BIN and FSH_TESTS name the directories of the tools
and of the test programs.
"""
import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from fshjob import (BIN, FSHRUN, HAVE_SIM, RANKS, TESTS, Failure, Job, check,
                    holders_of, memory_objects)

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(HERE, "..", "conform", "run.py")
LIMIT = 120.0  # seconds for one round
CONFORM_FPGA_SCALE = "0.02"


class Command:
    """A round that is one command."""

    def __init__(self, *words, env=None):
        self.words = [str(w) for w in words]
        self.env = env or {}

    def __str__(self):
        return " ".join([f"{k}={shlex.quote(v)}" for k, v in self.env.items()] +
                        [shlex.quote(w) for w in self.words])

    def run(self):
        try:
            done = subprocess.run(self.words, env={**os.environ, **self.env},
                                  stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, errors="replace",
                                  timeout=LIMIT + 30, check=False)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"no end within {late.timeout:g} s") from None
        check(done.returncode in (0, 77),
              f"code {done.returncode}:\n{done.stdout}")


# ---- rounds of the parts: functions of a random stream and the time left ----

def conform(rng, conduit, name, token=None, ranks=None):
    """A conformance program, judged as ctest judges it."""
    n = rng.choice(ranks or ([1, 2, 3, 4, 8] if conduit == "smp" else
                             [1, 2, 3, 4]))
    env = {"FSHMEM_SEED": str(rng.randrange(1 << 32))}
    if conduit == "fpga":
        env["FSHMEM_TEST_SCALE"] = CONFORM_FPGA_SCALE
    return Command(sys.executable, RUN, "--limit", LIMIT, "--token",
                   token or name, "--", FSHRUN, "-n", n, "--conduit", conduit,
                   os.path.join(TESTS, "conform", f"conform_{name}"), env=env)


def one_of(conduit, *names):
    def make(rng, _):
        name = rng.choice(names)
        return conform(rng, conduit, name, name.removesuffix("_par"))
    return make


def programs(rng, _):
    """Collectives of fshmem.h, by loads and by messages, also of many ranks."""
    name, ranks, words = rng.choice([("coll_nb", [2, 3, 4, 6], []),
                                     ("coll_limits", [2, 3, 5], []),
                                     ("coll_rounds", [12, 16], [50])])
    env = {"FSHMEM_SEED": str(rng.randrange(1 << 32)),
           "FSHMEM_COLL_DIRECT": rng.choice("01")}
    return Command(sys.executable, RUN, "--limit", LIMIT, "--token", name, "--",
                   FSHRUN, "-n", rng.choice(ranks), "--conduit", "smp",
                   os.path.join(TESTS, "fshmem", f"fshmem_{name}"), *words, env=env)


def programs_fpga(rng, _):
    """Of those the random one, by hosts and by engines, also with random stalls."""
    env = {"FSHMEM_SEED": str(rng.randrange(1 << 32)), "FSHMEM_TEST_SCALE": CONFORM_FPGA_SCALE,
           "FSHMEM_COLL_ENGINE": rng.choice(["auto", "card", "card", "host"])}
    stall = rng.choice([[], ["--sim-args", f"--stall {rng.randrange(1, 1 << 31)}"]])
    return Command(sys.executable, RUN, "--limit", LIMIT, "--token", "coll_nb", "--",
                   FSHRUN, "-n", rng.choice([2, 3, 4]), "--conduit", "fpga", *stall,
                   os.path.join(TESTS, "fshmem", "fshmem_coll_nb"), 500, env=env)


def fabrics(rng, _):
    """All to all and sums on fabrics of many nodes, over cables of all kinds."""
    n, topology = rng.choice([(12, "ring"), (12, "torus:4x3"), (16, "ring"),
                              (16, "torus:4x4"), (12, None), (16, None)])
    hwsw = os.path.join(HERE, "..", "hwsw")
    env = {"FSHMEM_SEED": str(rng.randrange(1 << 32))}
    stall = rng.choice([[], ["--sim-args", f"--stall {rng.randrange(1, 1 << 31)}"]])
    cables = []
    if topology:
        env["FSHMEM_TOPOLOGY"] = topology
    else:
        cables = [sys.executable, os.path.join(hwsw, "with_cables.py"),
                  os.path.join(TESTS, "hwsw", "hwsw_cables"), n, rng.randrange(2, 7)]
    return Command(*cables, sys.executable, RUN, "--limit", LIMIT, "--token",
                   "all_pairs", "--", FSHRUN, "-n", n, "--conduit", "fpga", *stall,
                   os.path.join(TESTS, "hwsw", "hwsw_all_pairs"), 20, env=env)


def pauses(conduit):
    def make(rng, _):
        return Command(FSHRUN, "-n", 2, "--conduit", conduit, "--timeout",
                       LIMIT, os.path.join(TESTS, "stress_pauses"), 2000,
                       rng.randrange(1 << 31))
    return make


def fuzzer(name):
    def make(rng, left):
        seconds = max(1, min(int(left), 30))
        return Command(os.path.join(TESTS, f"fuzz_{name}"), f"{seconds}s",
                       rng.randrange(1 << 62))
    return make


def command_lines(rng, left):
    seconds = max(1, min(int(left), 30))
    script = os.path.join(HERE, "..", "fuzz", "command_line.py")
    return Command(sys.executable, script, f"{seconds}s",
                   rng.randrange(1 << 32), env={"FSH_BIN": BIN})


# ---- start, kill, look for what is left ----

class Kill:
    """A job of random size, one of whose processes is killed at any time."""

    def __init__(self, rng, _):
        self.conduit = rng.choice(["smp", "smp", "fpga"] if HAVE_SIM
                                  else ["smp"])
        self.ranks = rng.randrange(1, 9 if self.conduit == "smp" else 4)
        self.pause = rng.choice([0, rng.random() * 0.05, rng.random() * 0.5])
        self.victim = rng.random()
        self.signal = rng.choice([signal.SIGKILL] * 4 + [signal.SIGTERM,
                                                         signal.SIGSEGV])
        self.by_hand = rng.random() < 0.25
        self.program = rng.choice([[RANKS, "none", 0, 999], [RANKS],
                                   [os.path.join(TESTS, "stress_job"),
                                    "pause"]])
        if self.by_hand:  # without a launcher only gasnet_init makes ranks
            self.program = [os.path.join(TESTS, "stress_job"), "pause"]

    def __str__(self):
        return (f"{self.ranks} ranks of {' '.join(map(str, self.program))} on "
                f"{self.conduit}{', by hand' if self.by_hand else ''}; signal "
                f"{int(self.signal)} after {self.pause:.4f} s")

    def start(self, place):
        env = {"TMPDIR": place}
        if not self.by_hand:
            return Job(FSHRUN, "-n", self.ranks, "--conduit", self.conduit,
                       *self.program, env=env)
        env.update({"GASNET_PSHM_NODES": str(self.ranks),
                    "FSHMEM_CONDUIT": self.conduit,
                    "PATH": BIN + ":" + os.environ["PATH"]})
        return Job(*self.program, env=env)

    def strike(self, job):
        """The started process is hit in any case, if the victim is deaf."""
        pids = sorted(job.pids())
        objects = memory_objects(pids)
        if pids:
            try:
                os.kill(pids[int(self.victim * len(pids))], self.signal)
            except ProcessLookupError:
                pass
        return objects

    def run(self):
        shm = set(os.listdir("/dev/shm"))
        with tempfile.TemporaryDirectory(prefix="soak-") as place:
            job = self.start(place)
            try:
                time.sleep(self.pause)
                objects = self.strike(job)
                # A process that had not installed anything yet may have
                # ended alone, and SIGTERM reach one that ignores it.
                try:
                    job.proc.wait(3)
                except subprocess.TimeoutExpired:
                    job.proc.kill()
                job.await_end()
                check(not os.listdir(place), f"files: {os.listdir(place)}")
            finally:
                job.close()
            holders = holders_of(objects)
            check(not holders, f"memory objects in processes {holders}")
        left = {n for n in set(os.listdir("/dev/shm")) - shm if "fsh" in n}
        check(not left, f"in /dev/shm: {left}")


# name, share of the time, round
def block(*names):
    """A block testbench of the RTL beside its model."""
    def make(rng, _):
        return Command(os.path.join(TESTS, rng.choice(names)),
                       rng.randrange(1, 1 << 31))
    return make


PARTS = [
    ("pauses-smp", 2, pauses("smp")),
    ("fuzz-option", 1, fuzzer("option")),
    ("fuzz-dispatch", 1, fuzzer("dispatch")),
    ("fuzz-ring", 2, fuzzer("ring")),
    ("fuzz-command-line", 1, command_lines),
    ("messages-smp", 2, one_of("smp", "am_random", "am_flood", "am_flood_par",
                               "am_slow_rank")),
    ("threads-smp", 2, one_of("smp", "threads_mix", "threads_come_and_go",
                              "hsl_threads", "threads_polling")),
    ("transfers-smp", 1, one_of("smp", "rma_random", "rma_random_par",
                                "rma_sync_lists", "vis_random")),
    ("collectives-smp", 2, one_of("smp", "coll_ops", "coll_nb", "coll_teams",
                                  "coll_images", "coll_sync", "coll_nb_par")),
    ("programs-smp", 2, programs),
    ("barriers-smp", 1, one_of("smp", "barrier_random", "barrier_mismatch",
                               "barrier_separates")),
    ("kill", 3, Kill),
]
PARTS_FPGA = [
    ("compute-commands", 2, block("tb_fsh_commands", "tb_fsh_queues")),
    ("fuzz-packets", 2, fuzzer("packets")),
    ("pauses-fpga", 2, pauses("fpga")),
    ("messages-fpga", 2, one_of("fpga", "am_random", "am_flood")),
    ("transfers-fpga", 2, one_of("fpga", "rma_random", "vis_random",
                                 "threads_mix")),
    ("collectives-fpga", 1, one_of("fpga", "coll_ops", "coll_nb",
                                   "barrier_random")),
    ("programs-fpga", 2, programs_fpga),
]

if os.path.exists(os.path.join(BIN, "fshsim-wide")):
    PARTS_FPGA.append(("fabrics", 3, fabrics))


def parse():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--seconds", type=float, default=600, help="in all")
    p.add_argument("--seed", type=int, default=None,
                   help="of the first round of each part")
    p.add_argument("--only", action="append", metavar="PART")
    p.add_argument("--rounds", type=int, default=0,
                   help="of each part, instead of seconds")
    return p.parse_args()


def run_part(name, make, seed, seconds, rounds):
    """Number of rounds; a Failure says how to repeat the one that failed."""
    end = time.monotonic() + seconds
    done = 0
    while done < rounds if rounds else time.monotonic() < end or not done:
        left = end - time.monotonic()
        this = make(random.Random(f"{name} {seed + done}"), left)
        try:
            this.run()
        except (Failure, OSError) as failure:
            raise Failure(
                f"{failure}\n{name}: failed: {this}\nrepeat with: "
                f"FSH_BIN={BIN} FSH_TESTS={TESTS} {sys.argv[0]}"
                f" --only {name} --rounds 1 --seed {seed + done}") from None
        done += 1
    return done


def main():
    args = parse()
    seed = random.randrange(1 << 31) if args.seed is None else args.seed
    parts = [p for p in PARTS + (PARTS_FPGA if HAVE_SIM else [])
             if not args.only or p[0] in args.only]
    weights = sum(weight for _, weight, _ in parts)
    start = time.monotonic()
    total = 0
    print(f"soak: {len(parts)} parts, {args.seconds:g} s, seed {seed}",
          flush=True)
    for name, weight, make in parts:
        began = time.monotonic()
        try:
            rounds = run_part(name, make, seed, args.seconds * weight / weights,
                              args.rounds)
        except Failure as failure:
            print(failure)
            print(f"soak: FAILED in {name}, after "
                  f"{time.monotonic() - start:.0f} s")
            return 1
        total += rounds
        print(f"{name}: ok, {rounds} rounds from seed {seed}, "
              f"{time.monotonic() - began:.1f} s", flush=True)
    print(f"soak: pass, {len(parts)} parts, {total} rounds, "
          f"{time.monotonic() - start:.0f} s, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
