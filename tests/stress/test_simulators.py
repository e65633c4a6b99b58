#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A fabric in several processes of the simulator (fshrun --simulators): programs run, in the
same cycles; any of the processes dies, all sleep while nothing is in
flight, deadlocks are found, and what is of one process only is refused."""
import os
import re
import signal
import tempfile
import time

from fshjob import BIN, CLIENT, FSHRUN, TESTS, Failure, Job, check, main, run, wait_until

FPGA = [FSHRUN, "--conduit", "fpga"]
TICKS_S = os.sysconf("SC_CLK_TCK")
IDLE_S = 1.0


def conform(name):
    return os.path.join(TESTS, "conform", "conform_" + name)


def paused(ranks, simulators):
    """A job whose ranks sleep, and the processes of its simulator, the first one first."""
    job = Job(*FPGA, "-n", ranks, "--simulators", simulators, CLIENT, "pause")
    try:
        job.await_up(ranks)
        sims = sorted(job.named("fshsim"))
        check(len(sims) == simulators, f"{len(sims)} simulators: {job.describe()}")
    except Failure:
        job.close()
        raise
    return job, sims


def programs_run():
    for ranks, simulators, name in [(2, 2, "am_random"), (4, 3, "am_flood")]:
        code, text = run(*FPGA, "-n", ranks, "--simulators", simulators, "--timeout", 50,
                         conform(name))
        check(code == 0, f"{name}, {ranks} ranks, {simulators} simulators: {code}\n{text}")


def same_cycles():
    """In simulated time of hosts, where what a program measures is a function of it."""
    perf = os.path.join(BIN, "fshperf")
    rtt = [*FPGA, "-n", 2, "--clock", "simulated", "--timeout", 50, perf, "am-rtt"]
    coll = [perf, "coll", "--clock", "simulated", "--ranks", 8, "--op", "allreduce",
            "--bytes", "8K", "--type", "float", "--host-costs", "1"]

    def said(what, **env):
        code, text = run(*what, env=env)
        return code, re.sub(r"in [0-9.]+ s of wall time", "", text)

    for what in rtt, coll:
        one, two = said(what), said(what, FSHMEM_SIMULATORS="2")
        check(one[0] == 0 and two == one, f"one: {one}\ntwo: {two}")


def deadlock():
    """No partition knows by itself that nothing will happen any more."""
    for mode, like in ("handlers", "notes"), ("polls", "what its polls do not find"):
        code, text = run(*FPGA, "-n", 3, "--simulators", 2, "--clock", "simulated",
                         "--timeout", 30, os.path.join(TESTS, "stress_deadlock"), mode)
        check(code not in (0, 124) and "deadlock in simulated time" in text,
              f"{mode}: {code}\n{text}")
        for rank in range(3):
            check(re.search(f"deadlock: rank {rank} waits for: .*{like}", text),
                  f"{mode}, rank {rank}\n{text}")


def dump_of_all():
    job, sims = paused(4, 2)
    try:
        os.kill(sims[0], signal.SIGUSR1)
        for nodes in "(of nodes 0 to 1;", "(of nodes 2 to 3;":
            wait_until(lambda nodes=nodes: nodes in job.output(), nodes)
    finally:
        job.close()


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def sleep_while_nothing_is_in_flight():
    job, sims = paused(4, 2)
    try:
        time.sleep(IDLE_S / 2)
        before = sum(map(cpu_ticks, sims))
        time.sleep(IDLE_S)
        used = (sum(map(cpu_ticks, sims)) - before) / TICKS_S
        check(used < IDLE_S / 10, f"{used} s of {IDLE_S} s")
    finally:
        job.close()


def killed(which, expected):
    job, sims = paused(4, 3)
    try:
        os.kill(sims[which], signal.SIGKILL)
        code = job.await_end()
        text = job.output()
        check(code != 0, f"code {code}\n{text}")
        check(re.search(expected, text), f"no {expected!r} in\n{text}")
    finally:
        job.close()


def first_one_killed():
    """Said by the launcher, or by another one that finds out sooner."""
    killed(0, r"the simulator \(pid.*signal 9 \(Killed\)|the simulator of node 0 is gone")


def other_one_killed():
    killed(1, r"simulator of nodes 1 to 1.*was killed by signal 9 \(Killed\)")
    killed(2, r"simulator of nodes 2 to 3.*was killed by signal 9 \(Killed\)")


def one_killed_at_work():
    """While others wait for it."""
    job = Job(*FPGA, "-n", 4, "--simulators", 2, conform("am_flood"),
              env={"FSHMEM_TEST_SCALE": "100"})  # it does not end by itself
    try:
        wait_until(lambda: len(job.named("fshsim")) == 2, "2 simulators")
        second = max(job.named("fshsim"))
        wait_until(lambda: cpu_ticks(second) > TICKS_S / 2, "it works")
        os.kill(second, signal.SIGKILL)
        code = job.await_end()
        check(code != 0 and "simulator of nodes 2 to 3" in job.output(),
              f"{code} {job.output()}")
    finally:
        job.close()


def what_is_of_one_is_refused():
    code, text = run(*FPGA, "-n", 2, "--simulators", 3, CLIENT, "hello")
    check(code != 0 and "3 simulators for 2 nodes" in text, f"{code} {text}")
    with tempfile.TemporaryDirectory() as where:
        for option in "--record", "--waves", "--trace":
            code, text = run(*FPGA, "-n", 2, "--simulators", 2, option,
                             os.path.join(where, "file.fst"), CLIENT, "hello")
            check(code != 0 and "not with several simulators" in text,
                  f"{option}: {code} {text}")


main([programs_run, same_cycles, deadlock, dump_of_all,
      sleep_while_nothing_is_in_flight, first_one_killed,
      other_one_killed, one_killed_at_work, what_is_of_one_is_refused])
