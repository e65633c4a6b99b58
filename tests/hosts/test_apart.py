#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several jobs at once on the same two hosts, of one user and of another: each has the memory
that its own program leaves (tests/hwsw/memory_image, a seed each), and the end of one is
nothing to the others."""
import os
import shutil
import signal
import sys

from hosts import Hosts, launchers
from fshjob import (BIN, FSHRUN, HAVE_SIM, TESTS, Failure, Job, Skip, check, lines, main, run)

ALL = "--all" in sys.argv
IMAGE = os.path.join(TESTS, "hwsw", "hwsw_memory_image")
STEADY = os.path.join(TESTS, "hosts_steady")
QUIET = {"FSHMEM_TEST_SCALE": "0.1", "GASNET_QUIET": "1", "FSHMEM_START_TIMEOUT": "60"}
CARDS = {"FSHMEM_CONDUIT": "mixed", "FSHMEM_CARDS": "1,2"}
OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
WAYS = ["ofi", "ofi", "ofi"] + (["fpga", "fpga", "mixed"] if HAVE_SIM and ALL else [])


def images(output):
    return [l for l in lines(output) if l.startswith("image of rank ")]


def public(hosts, *paths):
    """Copies that any user may run: the tests may be where only their user comes."""
    place = os.path.join(hosts.where, "public")
    os.makedirs(place, exist_ok=True)
    os.chmod(hosts.where, 0o755)
    os.chmod(place, 0o755)
    return [shutil.copy(path, place) for path in paths]


def settings(hosts, conduit):
    found = {**QUIET, "FSHMEM_CONDUIT": conduit}
    if conduit == "mixed":
        found.update(CARDS)
    if conduit != "ofi":
        found["FSHMEM_SIM"] = public(hosts, os.path.join(BIN, "fshsim"))[0]
        found["FSHMEM_TEST_SCALE"] = "0.02"
    return found


def together(hosts, launcher, seeds, who):
    """A job for each seed, all at once; who: what each begins with."""
    image = public(hosts, IMAGE)[0]
    jobs = []
    try:
        for seed, conduit, prefix in zip(seeds, WAYS, who):
            jobs.append(Job(*launcher.command(hosts, 2, *prefix, image, "--seed", seed),
                            env=settings(hosts, conduit)))
        return [(job.await_end(120), job.output()) for job in jobs]
    finally:
        for job in jobs:
            job.close()


def alone(hosts, seed, conduit):
    code, output = run(FSHRUN, "-n", 4, "--conduit", "smp", IMAGE, "--seed", seed,
                       env={**settings(hosts, conduit), "FSHMEM_CONDUIT": "smp"})
    check(code == 0 and len(images(output)) == 4, f"smp: {code} {output}")
    return images(output)


def each_has_its_own_memory():
    """Two jobs of this user, one of another."""
    if shutil.which("setpriv") is None:
        raise Skip("setpriv is not installed")
    first = int.from_bytes(os.urandom(4), "little")
    seeds = [first + i for i in range(len(WAYS))]
    print(f"seed {first}", flush=True)
    launcher = launchers()[-1]
    with Hosts(2) as hosts:
        want = [alone(hosts, s, c) for s, c in zip(seeds, WAYS)]
        check(len({str(w) for w in want}) == len(want), f"seeds do not matter: {want}")
        who = [[], OTHER] * len(WAYS)
        for seed, conduit, alike, (code, output) in zip(
                seeds, WAYS, want, together(hosts, launcher, seeds, who)):
            check(code == 0 and images(output) == alike,
                  f"{conduit}, seed {seed}: {code}\n{output}\nsmp: {alike}")
    return f"ok with {launcher.name}, {len(WAYS)} at once"


def the_end_of_one_is_its_own():
    """A rank of one job is killed, on each host a rank of another user's: a third goes on."""
    launcher = launchers()[-1]
    jobs = []
    with Hosts(2) as hosts:
        steady = public(hosts, STEADY)[0]
        try:
            for prefix, seconds in ([], 60), (OTHER, 60), ([], 6):
                jobs.append(Job(*launcher.command(hosts, 2, *prefix, steady, seconds),
                                env=QUIET))
            for job in jobs:
                job.await_up(4)
            for job, victim in zip(jobs[:2], (0, 3)):
                os.kill(sorted(job.named("hosts_steady"))[victim], signal.SIGKILL)
                check(job.await_end() != 0, "code 0")
            code = jobs[2].await_end(30)
            check(code == 0 and "steady 3 of 4" in jobs[2].output(),
                  f"{code} {jobs[2].output()}")
        except Failure as failure:
            raise Failure(f"{failure}\n" + "\n".join(j.output() for j in jobs)) from None
        finally:
            for job in jobs:
                job.close()


if __name__ == "__main__":
    main([each_has_its_own_memory, the_end_of_one_is_its_own])
