#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How jobs over two hosts end: by themselves, by the death of a rank or of the launcher,
by the loss of a host or of the network. The code is the launcher's, by its own rule
(docs/01_user/cluster.md). --all: more of each."""
import os
import signal
import sys
import time

from hosts import Hosts, launchers, run_over
from fshjob import (BIN, EXIT_JOB, HAVE_SIM, TESTS, Job, Skip, check, lines, main,
                    wait_until)

ALL = "--all" in sys.argv
# Scenario of exit_job, and the code.
EXITS = [("return", 0), ("gasnet", 9), ("one-spin", 12), ("handler", 22)]
MORE_EXITS = [("gasnet", 0), ("one-block", 14), ("quick-exit", 18),
              ("one-return", 16)]
STEADY = os.path.join(TESTS, "hosts_steady")
SIM = os.path.join(BIN, "fshsim")


def codes(launcher, code):
    """Open MPI passes a code on, MPICH joins the bits of those of all ranks."""
    return {code} if launcher.name == "Open MPI" else {code, code | 1}


def exit_codes():
    with Hosts(2) as hosts:
        for launcher in launchers():
            for scenario, code in EXITS + (MORE_EXITS if ALL else []):
                got, output = run_over(hosts, launcher, 2, EXIT_JOB, scenario,
                                       code, limit=15)
                check(got in codes(launcher, code),
                      f"{launcher.name}, {scenario}: {got} {output}")


def a_conduit_of_one_host_is_refused():
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launchers()[-1], 1, STEADY, 1,
                                env={"FSHMEM_CONDUIT": "smp"})
        check(code != 0 and "conduit smp runs on one" in output,
              f"{code} {output}")


def hosts_that_differ_are_refused():
    """Under the first launcher: ranks of both hosts end (test_mixed.py)."""
    if not HAVE_SIM:
        raise Skip("no simulator in this build")
    script = f"[ $(hostname) = h2 ] && export FSHMEM_CONDUIT=fpga; exec {STEADY} 1"
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launchers()[0], 1, "sh", "-c", script,
                                env={"FSHMEM_CONDUIT": "ofi", "FSHMEM_SIM": SIM})
        check(code != 0 and "this host uses conduit ofi, host h2 (rank 1) fpga" in output,
              f"{code} {output}")


def a_second_program_of_a_rank_is_told():
    """By PMI-2, whose connection the first one has closed."""
    launcher = launchers()[-1]
    if launcher.name != "MPICH":
        raise Skip("no launcher with PMI-2 is installed")
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launcher, 1, "sh", "-c",
                                f"{STEADY} 0.1 && exec {STEADY} 0.1")
        check(code != 0 and lines(output).count("steady 1 of 2") == 1 and
              "a rank can be one GASNet program" in output, f"{code} {output}")


def another_interface_is_told():
    """What no provider looks at, as on conduit fpga, is no reason to use another in silence."""
    with Hosts(2) as hosts:
        code, output = run_over(hosts, launchers()[0], 1, STEADY, 0.1,
                                env={"FSHMEM_OFI_INTERFACE": "nosuch0"})
        check(code != 0 and "nosuch0 is no network interface" in output and
              "the hosts meet on eth0" in output and
              "there is no network interface nosuch0" in output, f"{code} {output}")


def start(hosts, launcher, seconds, **env):
    job = Job(*launcher.command(hosts, 2, STEADY, seconds), env=env)
    try:
        job.await_up(4)
    except BaseException:
        job.close()
        raise
    return job


def ranks_of(job):
    return sorted(job.named("hosts_steady"))


def a_rank_is_killed():
    with Hosts(2) as hosts:
        for launcher in launchers():
            for which in range(4) if ALL else (0, 3):
                job = start(hosts, launcher, 60)
                try:
                    os.kill(ranks_of(job)[which], signal.SIGKILL)
                    check(job.await_end(5) != 0, "code 0")
                finally:
                    job.close()


def the_launcher_is_killed():
    with Hosts(2) as hosts:
        for launcher in launchers():
            job = start(hosts, launcher, 60)
            try:
                job.proc.kill()
                job.await_end(8)
            finally:
                job.close()


def gone(job, limit):
    """All ranks; what the launcher makes of it is its business."""
    wait_until(lambda: not ranks_of(job), "ranks are gone", limit)


def a_host_is_lost():
    with Hosts(3) as hosts:
        launcher = launchers()[-1]
        job = start_on_three(hosts, launcher, FSHMEM_HOST_TIMEOUT="3")
        try:
            hosts.lose("h2")
            gone(job, 3 + 5)
            wait_until(lambda: "is lost" in job.output() or
                       "has ended" in job.output(), job.output(), 5)
        finally:
            job.close()


def start_on_three(hosts, launcher, **env):
    job = Job(*launcher.command(hosts, 1, STEADY, 60), env=env)
    try:
        job.await_up(3)
    except BaseException:
        job.close()
        raise
    return job


def the_network_is_cut():
    with Hosts(2) as hosts:
        launcher = launchers()[-1]
        job = start(hosts, launcher, 60, FSHMEM_HOST_TIMEOUT="3")
        try:
            hosts.cut("h2")
            gone(job, 3 + 5)
            wait_until(lambda: "is lost" in job.output(), job.output(), 5)
        finally:
            job.close()


def a_short_cut_is_survived():
    with Hosts(2) as hosts:
        for launcher in launchers() if ALL else launchers()[-1:]:
            job = start(hosts, launcher, 7)
            try:
                time.sleep(0.5)
                hosts.cut("h2")
                time.sleep(5)
                hosts.mend("h2")
                code = job.await_end(30)
                check(code == 0 and lines(job.output()).count(
                    "steady 3 of 4") == 1, f"{launcher.name}: {code} "
                    f"{job.output()}")
            finally:
                job.close()


if __name__ == "__main__":
    main([exit_codes, a_conduit_of_one_host_is_refused, hosts_that_differ_are_refused,
          a_second_program_of_a_rank_is_told, another_interface_is_told, a_rank_is_killed,
          the_launcher_is_killed, a_host_is_lost,
          the_network_is_cut, a_short_cut_is_survived])
