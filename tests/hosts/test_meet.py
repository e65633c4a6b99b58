#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A barrier of a job over hosts: only one rank a host sends, a message for each round of
the hosts' dissemination; ranks that do not reach theirs by memory are hosts of their
own. And the barriers of tests/conform."""
import os
import tempfile

from hosts import Hosts, launchers, run_over
from fshjob import TESTS, check, lines, main

MEET = os.path.join(TESTS, "hosts_meet")
BARRIERS = 50
CONFORM = ["barrier_consensus", "barrier_mismatch", "barrier_random",
           "barrier_separates", "barrier_split", "barrier_try"]


def sent(output):
    """Messages by rank."""
    found = {}
    for line in lines(output):
        if line.startswith("sent "):
            rank, rest = line[5:].split(": ")
            found[int(rank)] = int(rest.split()[0])
    return found


def leaders_alone_send(n, each, rounds):
    with Hosts(n) as hosts:
        launcher = launchers()[-1]
        code, output = run_over(hosts, launcher, each, MEET, BARRIERS)
        check(code == 0, f"{code} {output}")
        want = {r: 0 if r % each else rounds * BARRIERS
                for r in range(n * each)}
        check(sent(output) == want, f"{n} hosts: {sent(output)} {output}")


def two_hosts():
    leaders_alone_send(2, 4, 1)


def three_hosts():
    leaders_alone_send(3, 3, 2)


# The second host's ranks but its first go by the network: five groups, three rounds.
ALONE = ("case $(hostname):$PMI_RANK in h2:3) ;; h2:*) "
         "export FSHMEM_OFI_LOCAL=0;; esac; exec \"$0\" \"$@\"")


def groups_of_some():
    launcher = launchers()[-1]
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launcher, 3, "sh", "-c", ALONE, MEET,
                                BARRIERS)
        check(code == 0, f"{code} {output}")
        if launcher.name == "MPICH":
            want = {r: 2 * BARRIERS for r in (0, 3, 4, 5)} | {1: 0, 2: 0}
            check(sent(output) == want, f"{sent(output)} {output}")
        for name in CONFORM:
            env = {"FSHMEM_TEST_SCALE": "0.02", "GASNET_QUIET": "1",
                   "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)}
            program = os.path.join(TESTS, "conform", f"conform_{name}")
            code, output = run_over(hosts, launcher, 3, "sh", "-c", ALONE,
                                    program, env=env)
            check(code == 0 and ": pass\n" in output, f"{name}: {code} {output}")


if __name__ == "__main__":
    main([two_hosts, three_hosts, groups_of_some])
