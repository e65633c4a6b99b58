#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over two hosts of which some process is killed at any moment, also while they start: a
rank, a simulator, the launcher or what it has on a host. Ranks and simulators are gone in
bounded time and leave nothing in their hosts' memory; what is left of the launcher is its own
business. --all: more rounds."""
import os
import random
import signal
import sys
import time

from hosts import Hosts, inside, launchers, shell
from fshjob import BIN, END_LIMIT, HAVE_SIM, TESTS, Job, check, main, wait_until

ROUNDS = 60 if "--all" in sys.argv else 3
STEADY = os.path.join(TESTS, "hosts_steady")
OURS = ["hosts_steady", "fshsim"]
THEIRS = ["mpiexec.hydra", "hydra_pmi_proxy", "orterun", "orted", "mpirun.openmpi"]
START_LIMIT = 6 # ranks that wait for one which never comes
SIM = {"FSHMEM_SIM": os.path.join(BIN, "fshsim")}
WAYS = [{"FSHMEM_CONDUIT": "ofi"}] + ([
    {"FSHMEM_CONDUIT": "fpga", **SIM},
    {"FSHMEM_CONDUIT": "mixed", "FSHMEM_CARDS": "1,2", **SIM}] if HAVE_SIM else [])


def named(job, names):
    return sorted(pid for name in names for pid in job.named(name))


def strike(job, dice, pause):
    """(what was killed, whether it is ours); the started process if there is nothing else."""
    time.sleep(pause)
    victims = [(pid, names is OURS) for names in (OURS, THEIRS) for pid in named(job, names)]
    # The launcher's processes are as many as ours; ours are what this is about.
    ours = [v for v in victims if v[1]]
    pid, is_ours = dice.choice(ours if ours and dice.random() < 0.7 else
                               victims or [(job.proc.pid, False)])
    name = f"process {pid} of {'ours' if is_ours else 'the launcher'}"
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return name


def one_round(hosts, launcher, dice, settings):
    # A job is up after a second or two.
    pause = dice.choice([dice.random() * 0.4, dice.random() * 1.5, 1 + dice.random() * 2])
    job = Job(*launcher.command(hosts, 2, STEADY, 60),
              env={**settings, "GASNET_QUIET": "1", "FSHMEM_START_TIMEOUT": str(START_LIMIT)})
    what = f"{launcher.name}, {settings['FSHMEM_CONDUIT']}, after {pause:.3f} s"
    try:
        what += f", {strike(job, dice, pause)}"
        is_up = job.output().count("up ") == 4
        limit = END_LIMIT + (2 if is_up else START_LIMIT)
        began = time.monotonic()
        wait_until(lambda: not named(job, OURS), f"{what}: {job.describe()}", limit)
        took = time.monotonic() - began
        # A launcher that starts when its daemon is killed may wait for it for ever, or go on
        # and start ranks later: it goes, and they go with it.
        try:
            code = job.proc.wait(0.5)
            check(code != 0, f"{what}: code 0 {job.output()}")
        except Exception as late:
            if not hasattr(late, "timeout"):
                raise
            for pid in named(job, THEIRS):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            wait_until(lambda: not named(job, OURS), f"{what}, later: {job.describe()}",
                       END_LIMIT + START_LIMIT)
    finally:
        job.close()
    for name in hosts.names:
        left = shell("ls /dev/shm", *inside(hosts.first(name)))
        check("fsh" not in left, f"{what}: left on {name}: {left}")
    return took, what


def at_any_moment():
    seed = int(os.environ.get("FSHMEM_SEED") or int.from_bytes(os.urandom(4), "little"))
    dice = random.Random(seed)
    print(f"seed {seed}", flush=True)
    slowest = (0, "")
    with Hosts(2) as hosts:
        for i in range(ROUNDS):
            slowest = max(slowest, one_round(hosts, dice.choice(launchers()), dice,
                                             WAYS[i % len(WAYS)]))
    return f"ok, {ROUNDS} rounds, the slowest {slowest[0]:.1f} s ({slowest[1]})"


if __name__ == "__main__":
    main([at_any_moment])
