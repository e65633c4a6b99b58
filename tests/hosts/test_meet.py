#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A barrier of a job over hosts: only one rank a host sends, a message for each round of
the hosts' dissemination, whether ranks have cards or not; ranks that do not reach theirs by
memory are hosts of their own. And the barriers of tests/conform."""
import os
import tempfile

from hosts import Hosts, launchers, run_over
from fshjob import BIN, FSHRUN, TESTS, Skip, check, lines, main, run
from test_coll import dealt, end_of

MEET = os.path.join(TESTS, "hosts_meet")
BARRIERS = 50
CONFORM = ["barrier_consensus", "barrier_mismatch", "barrier_random",
           "barrier_separates", "barrier_split", "barrier_try"]


def sent(output, what="sent"):
    """Messages by rank; "accepted": commands of those with a card."""
    found = {}
    for line in lines(output):
        if line.startswith(f"{what} "):
            rank, rest = line.split(" ", 1)[1].split(": ")
            found[int(rank)] = int(rest.split()[0])
    return found


def leaders_alone_send(n, each, rounds, env=None):
    with Hosts(n) as hosts:
        launcher = launchers()[-1]
        code, output = run_over(hosts, launcher, each, MEET, BARRIERS, env=env)
        check(code == 0, f"{code} {output}")
        want = {r: 0 if r % each else rounds * BARRIERS
                for r in range(n * each)}
        check(sent(output) == want, f"{n} hosts: {sent(output)} {output}")
        return sent(output, "accepted")


def more_ranks_than_told():
    """... of places on each host: they are dealt out once more, and share their host's memory
    with those that are there already."""
    for launcher in launchers():
        with Hosts(3) as hosts:
            code, output = end_of({}, *dealt(launcher, hosts, 2, MEET, BARRIERS))
            check(code == 0, f"{code} {output}")
            want = {r: 0 if r > 2 else 2 * BARRIERS for r in range(6)}
            check(sent(output) == want, f"{launcher.name}: {sent(output)} {output}")


def two_hosts():
    leaders_alone_send(2, 4, 1)


def three_hosts():
    leaders_alone_send(3, 3, 2)


def some_have_cards():
    """A leader without a card and one with; all barriers of tests/conform."""
    simulator = os.path.join(BIN, "fshsim")
    if not os.path.exists(simulator):
        raise Skip("no simulator in this build")
    env = {"FSHMEM_CONDUIT": "mixed", "FSHMEM_CARDS": "1,2,3", "FSHMEM_SIM": simulator,
           "FSHMEM_TEST_SCALE": "0.01", "GASNET_QUIET": "1"}
    carried = leaders_alone_send(2, 3, 1, env)
    check(carried == {1: 0, 2: 0, 3: 0}, f"by cards: {carried}")
    with Hosts(2) as hosts:
        for name in CONFORM:
            program = os.path.join(TESTS, "conform", f"conform_{name}")
            code, output = run_over(
                hosts, launchers()[-1], 3, program, limit=120,
                env={**env, "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)})
            check(code == 0 and ": pass\n" in output, f"{name}: {code} {output}")


def one_host_with_cards():
    """In its memory, past the cards."""
    if not os.path.exists(os.path.join(BIN, "fshsim")):
        raise Skip("no simulator in this build")
    for cards in 2, 4:
        code, output = run(FSHRUN, "-n", 4, "--cards", cards, MEET, BARRIERS)
        check(code == 0, f"{code} {output}")
        carried = sent(output, "accepted")
        check(carried == {r: 0 for r in range(cards)}, f"{cards} cards: {carried}")


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
    main([two_hosts, three_hosts, more_ranks_than_told, some_have_cards,
          one_host_with_cards, groups_of_some])
