#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives over hosts with several ranks each: ranks of a host next to each other (a
number that is a power of two, then each host's are a subtree of the order TREE, and one
that is not), and dealt out in turns. Bits of reductions are those of one host."""
import os
import tempfile

from hosts import Hosts, launchers
from fshjob import FSHRUN, TESTS, Job, check, lines, main, run

CONFORM = ["coll_ops", "coll_nb", "coll_sync", "coll_teams", "barrier_random"]
SILENT = ["coll_nb"]
FSHMEM = ["coll_calls", "coll_order", "coll_wire", "coll_nb"]
TYPES = os.path.join(TESTS, "fshmem", "fshmem_coll_types")


def dealt(launcher, hosts, each, *command):
    """As launcher.command, with ranks r, r + hosts, ... on one host."""
    n = each * len(hosts.names)
    if launcher.name == "Open MPI":
        return hosts.front(launcher.program, *launcher.options(hosts, each),
                           "--map-by", "node", "-n", n, *command)
    return hosts.front(launcher.program, *launcher.options(hosts, 1), "-n", n,
                       *command)


SCALE = {"FSHMEM_TEST_SCALE": "0.2", "GASNET_QUIET": "1"}


def end_of(env, *command):
    job = Job(*command, env={**SCALE, **env})
    try:
        return job.await_end(60), job.output()
    finally:
        job.close()


def hashes(output):
    return sorted(l for l in lines(output) if l.startswith("image"))


def run_all(n, each, place):
    launcher = launchers()[-1]
    code, output = run(FSHRUN, "-n", n * each, "--conduit", "smp", TYPES,
                       env=SCALE)
    bits = hashes(output)
    check(code == 0 and bits, f"coll_types on one host: {code} {output}")
    with Hosts(n) as hosts:
        for name in CONFORM:
            env = {"FSHMEM_TEST_SCALE": "0.02",
                   "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)}
            if name in SILENT:
                env["FSHMEM_PROGRESS_THREAD"] = "1"
            code, output = end_of(env, *place(
                launcher, hosts, each, f"{TESTS}/conform/conform_{name}"))
            check(code == 0 and ": pass\n" in output, f"{name}: {code} {output}")
        for name in FSHMEM:
            code, output = end_of({}, *place(
                launcher, hosts, each, f"{TESTS}/fshmem/fshmem_{name}"))
            check(code == 0, f"{name}: {code} {output}")
        code, output = end_of({}, *place(launcher, hosts, each, TYPES))
        check(code == 0 and hashes(output) == bits,
              f"coll_types: {code} {output} on one host: {bits}")


def in_order(launcher, hosts, each, *command):
    return launcher.command(hosts, each, *command)


def two_hosts_of_three():
    run_all(2, 3, in_order)


def two_hosts_of_four():
    run_all(2, 4, in_order)


def three_hosts_of_two_dealt_out():
    run_all(3, 2, dealt)


if __name__ == "__main__":
    main([two_hosts_of_three, two_hosts_of_four, three_hosts_of_two_dealt_out])
