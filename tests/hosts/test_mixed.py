#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks with and without cards over two hosts, two ranks on each: programs of
tests/conform, how such jobs end, and cards that cannot be; --all: more of each."""
import os
import signal
import sys
import tempfile

from hosts import Hosts, launchers, run_over
from fshjob import BIN, EXIT_JOB, FSHRUN, TESTS, Job, check, main, wait_until
from test_conform import SILENT, all_programs, program
from test_ends import STEADY, codes, ranks_of

ALL = "--all" in sys.argv
FEW = ["hello", "am_random", "am_long_max"]
SOME = [*FEW, "node_info", "rma_random", "rma_visibility", "barrier_random",
        "coll_ops", "threads_mix"]
# The cards of the host that rank 0 is on, of the other one, one beside a rank without; of both
# hosts, with and without others.
CARDS = ["0,1", "2,3", "3,", "1,2", "0,1,2,3"]


def settings(cards, **more):
    return {"FSHMEM_CONDUIT": "mixed", "FSHMEM_CARDS": cards,
            "FSHMEM_SIM": os.path.join(BIN, "fshsim"),
            "FSHMEM_TEST_SCALE": "0.005", "GASNET_QUIET": "1", **more}


def over_two_hosts():
    tried = launchers()
    failed = []
    with Hosts(2) as hosts:
        for launcher in tried:
            fast = launcher is tried[-1]
            for cards in CARDS:
                both = cards in CARDS[3:]
                if both and not fast and not ALL:
                    continue
                names = FEW[:2] if both and not ALL else \
                    FEW if not fast or both or (cards != "3," and not ALL) else \
                    all_programs() if ALL else SOME
                for name in names:
                    env = settings(cards, CONFORM_DIR=tempfile.mkdtemp(
                        dir=hosts.where))
                    if name.removesuffix("_par") in SILENT:
                        env["FSHMEM_PROGRESS_THREAD"] = "1"
                    code, output = run_over(hosts, launcher, 2, program(name),
                                            env=env, limit=120)
                    if code != 0 or ": pass\n" not in output:
                        failed.append(f"{name} with {cards}")
                        print(f"{launcher.name}, {name}, cards {cards}: {code}\n"
                              f"{output}")
    check(not failed, f"failed: {failed}")
    return f"ok with {', '.join(l.name for l in tried)}"


def over_four_hosts():
    """... each with a rank that has a card and one that has none."""
    with Hosts(4) as hosts:
        for name in SOME if ALL else ["am_random"]:
            env = settings("1,2,4,7", CONFORM_DIR=tempfile.mkdtemp(dir=hosts.where))
            if name in SILENT:
                env["FSHMEM_PROGRESS_THREAD"] = "1"
            code, output = run_over(hosts, launchers()[-1], 2, program(name), env=env,
                                    limit=120)
            check(code == 0 and ": pass\n" in output, f"{name}: {code} {output}")


def hosts_that_differ_are_refused():
    # Under the first launcher, as ranks of both hosts end (see simulated_time_is_refused).
    with Hosts(2) as hosts:
        script = os.path.join(hosts.where, "differ")
        with open(script, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n[ $(hostname) = h2 ] && export FSHMEM_CARDS=2,\n"
                    f"exec {STEADY} 1\n")
        os.chmod(script, 0o755)
        for launcher in launchers()[:1]:
            code, output = run_over(hosts, launcher, 2, script, limit=30,
                                    env=settings("0,1"))
            check(code != 0 and "alike on all hosts" in output,
                  f"{launcher.name}: {code} {output}")


def simulated_time_is_refused():
    # All ranks end at once while they start, of which MPICH's launcher sometimes dies (SIGPIPE)
    # with what they have said; so under the first launcher.
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launchers()[0], 2, STEADY, 1,
                                env=settings("0,1", FSHMEM_CLOCK="simulated"))
        check(code != 0 and "ranks without a card have no simulated time"
              in output, f"{code} {output}")


def a_host_that_cannot_start_ends_the_others():
    with Hosts(2) as hosts:
        for launcher in launchers():
            code, output = run_over(hosts, launcher, 2, STEADY, 60, limit=15,
                                    env=settings("2,3", FSHMEM_SIM="/none"))
            check(code != 0 and "FSHMEM_SIM=/none: " in output,
                  f"{launcher.name}: {code} {output}")


def exit_codes():
    with Hosts(2) as hosts:
        for launcher in launchers() if ALL else launchers()[-1:]:
            for scenario, code in [("return", 0), ("gasnet", 9),
                                   ("one-spin", 12), ("handler", 22)]:
                got, output = run_over(hosts, launcher, 2, EXIT_JOB, scenario,
                                       code, limit=20, env=settings("2,3"))
                check(got in codes(launcher, code),
                      f"{launcher.name}, {scenario}: {got} {output}")


def start(hosts, launcher, simulators, **env):
    job = Job(*launcher.command(hosts, 2, STEADY, 60), env=env)
    try:
        job.await_up(4)
        check(len(job.named("fshsim")) == simulators, f"{simulators} simulators")
    except BaseException:
        job.close()
        raise
    return job


def somebody_is_killed():
    """A rank of either host, the simulator: nothing is left of the job."""
    with Hosts(2) as hosts:
        for launcher in launchers() if ALL else launchers()[-1:]:
            for cards, which in [("2,3", n) for n in (range(5) if ALL else (0, 3, 4))] + \
                    [("1,2", n) for n in (range(6) if ALL else (1, 4, 5))]:
                job = start(hosts, launcher, 1 + (cards == "1,2"), **settings(cards))
                try:
                    victim = (ranks_of(job) + job.named("fshsim"))[which]
                    os.kill(victim, signal.SIGKILL)
                    check(job.await_end(6) != 0, "code 0")
                finally:
                    job.close()


def bridged(each, cards, name):
    """A program of tests/fshmem."""
    command = os.path.join(TESTS, "fshmem", f"fshmem_{name}")
    with Hosts(2) as hosts:
        for launcher in launchers():
            code, output = run_over(hosts, launcher, each, command, limit=120,
                                    env=settings(cards, FSHMEM_BRIDGE="1"))
            check(code == 0 and ": pass\n" in output,
                  f"{launcher.name}: {code} {output}")


def long_transfers_use_the_bridge():
    """... while the rank of the card computes."""
    bridged(1, "1,", "mixed_bridge")


def the_bridge_serves_all():
    bridged(2, "0,1", "bridge")
    bridged(2, "1,2", "bridge")


def ranks_leave_in_transfers():
    bridged(2, "1,", "bridge_leave")


def a_client_is_killed():
    """... while its commands run; without connections the server does not notice, the job does."""
    command = os.path.join(TESTS, "fshmem", "fshmem_bridge_leave")
    with Hosts(2) as hosts:
        for provider in None, "udp;ofi_rxd":
            env = settings("1,", FSHMEM_BRIDGE="1")
            if provider:
                env["FSHMEM_OFI_PROVIDER"] = provider
            job = Job(*launchers()[-1].command(hosts, 1, command, "run", "kill"), env=env)
            try:
                wait_until(lambda: len(job.named("fshmem_bridge_leave")) == 2, "both ranks", 20)
                wait_until(lambda: len(job.named("fshmem_bridge_leave")) < 2, "it is killed", 40)
                code = job.await_end(8)
                check(code != 0 and "no bridge" not in job.output(),
                      f"{provider}: {code} {job.output()}")
            finally:
                job.close()


def fshrun_hands_over():
    """... and the ranks that it was told have the cards (tests/fshmem/mixed.c)."""
    with Hosts(2) as hosts:
        env = {"OMPI_MCA_plm_rsh_agent": hosts.agent(), "HYDRA_LAUNCHER": "ssh",
               "HYDRA_LAUNCHER_EXEC": hosts.agent(),
               "FSHMEM_SIM": os.path.join(BIN, "fshsim")}
        job = Job(*hosts.front(FSHRUN, "-n", 4, "-H", "h1:2,h2:2", "--cards",
                               "3,2", os.path.join(TESTS, "fshmem",
                                                   "fshmem_mixed")), env=env)
        try:
            code = job.await_end(60)
            check(code == 0 and ": pass\n" in job.output(),
                  f"{code} {job.output()}")
        finally:
            job.close()


if __name__ == "__main__":
    main([over_two_hosts, over_four_hosts, hosts_that_differ_are_refused,
          simulated_time_is_refused,
          a_host_that_cannot_start_ends_the_others, exit_codes,
          somebody_is_killed, long_transfers_use_the_bridge,
          the_bridge_serves_all, ranks_leave_in_transfers, a_client_is_killed,
          fshrun_hands_over])
