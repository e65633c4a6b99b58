#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Conduit fpga over hosts, each of which simulates the nodes of its ranks: programs of
tests/conform, the same simulated time as on one host, strangers, ends and deaths, what is
refused. --all: more of each."""
import os
import re
import signal
import subprocess
import sys
import tempfile

from hosts import NETWORK, Hosts, launchers, run_over
from fshjob import (BIN, EXIT_JOB, FSHRUN, TESTS, Failure, Job, check, lines, main, run,
                    wait_until)
from test_conform import SILENT, all_programs, program
from test_ends import STEADY, codes, ranks_of
from test_strangers import address_of, listeners

ALL = "--all" in sys.argv
FEW = ["hello", "am_random", "rma_random"]
SOME = [*FEW, "node_info", "rma_visibility", "barrier_random", "coll_ops", "threads_mix"]
TIMED = os.path.join(TESTS, "hosts_timed")
FABRIC = {"FSHMEM_CONDUIT": "fpga", "FSHMEM_SIM": os.path.join(BIN, "fshsim"),
          "GASNET_QUIET": "1"}


def over_two_hosts():
    tried = launchers()
    failed = []
    with Hosts(2) as hosts:
        for launcher in tried:
            names = FEW if launcher is not tried[-1] else all_programs() if ALL else SOME
            for name in names:
                env = {**FABRIC, "FSHMEM_TEST_SCALE": "0.005",
                       "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)}
                if name.removesuffix("_par") in SILENT:
                    env["FSHMEM_PROGRESS_THREAD"] = "1"
                code, output = run_over(hosts, launcher, 2, program(name), env=env, limit=120)
                if code != 0 or ": pass\n" not in output:
                    failed.append(name)
                    print(f"{launcher.name}, {name}: {code}\n{output}")
    check(not failed, f"failed: {failed}")
    return f"ok with {', '.join(l.name for l in tried)}"


def over_four_hosts():
    """A torus: nodes of more than two ports, each host connected with several others."""
    with Hosts(4) as hosts:
        for cables in ("torus:4x2", "torus:2x2x2") if ALL else ("torus:4x2",):
            for name in SOME if ALL else ["am_random", "barrier_random"]:
                env = {**FABRIC, "FSHMEM_TOPOLOGY": cables, "FSHMEM_TEST_SCALE": "0.005",
                       "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)}
                if name in SILENT:
                    env["FSHMEM_PROGRESS_THREAD"] = "1"
                code, output = run_over(hosts, launchers()[-1], 2, program(name), env=env,
                                        limit=120)
                check(code == 0 and ": pass\n" in output, f"{cables}, {name}: {code} {output}")


def times(text):
    return [l for l in lines(text) if l.startswith("rank ")]


def same_cycles():
    """What each rank has noted in simulated time, after each step of a random script."""
    seed = int.from_bytes(os.urandom(4), "little")
    print(f"seed {seed}")
    env = {**FABRIC, "FSHMEM_CLOCK": "simulated"}
    for n, each, cables in (2, 2, "ring"), (3, 1, "ring"), (2, 2, "line"):
        env["FSHMEM_TOPOLOGY"] = cables
        code, text = run(FSHRUN, "-n", n * each, TIMED, seed, env=env)
        alone = times(text)
        check(code == 0 and len(alone) == n * each, f"{code} {text}")
        with Hosts(n) as hosts:
            for launcher in launchers():
                code, text = run_over(hosts, launcher, each, TIMED, seed, env=env)
                check(code == 0 and times(text) == alone,
                      f"{launcher.name}, {n} hosts, {cables}: {code}\n{text}\nalone: {alone}")


def deadlock_is_found():
    """... though no host knows by itself that nothing will happen any more."""
    with Hosts(2) as hosts:
        code, text = run_over(hosts, launchers()[-1], 1, os.path.join(TESTS, "stress_deadlock"),
                              "handlers", env={**FABRIC, "FSHMEM_CLOCK": "simulated"})
        check(code != 0 and "deadlock in simulated time" in text, f"{code} {text}")
        for rank in range(2):
            check(f"deadlock: rank {rank} waits for: " in text, f"rank {rank}\n{text}")


def start(hosts, launcher, each=2, **env):
    job = Job(*launcher.command(hosts, each, STEADY, 60), env={**FABRIC, **env})
    try:
        job.await_up(each * len(hosts.names))
        sims = job.named("fshsim")
        check(len(sims) == len(hosts.names), f"a simulator a host: {len(sims)}")
    except BaseException:
        job.close()
        raise
    return job


def somebody_is_killed():
    """A rank, or the simulator, of either host: nothing is left of the job."""
    with Hosts(2) as hosts:
        for launcher in launchers() if ALL else launchers()[-1:]:
            for which in range(6) if ALL else (0, 3, 4, 5):
                job = start(hosts, launcher)
                try:
                    victim = (ranks_of(job) + sorted(job.named("fshsim")))[which]
                    os.kill(victim, signal.SIGKILL)
                    check(job.await_end(8) != 0, "code 0")
                    check(which < 4 or re.search(
                        r"the simulator (\(pid.*killed by signal 9|of nodes . to . is gone)",
                        job.output()), job.output())
                finally:
                    job.close()


def a_host_is_lost():
    """All others end, and say it."""
    with Hosts(3) as hosts:
        job = start(hosts, launchers()[-1], each=1, FSHMEM_HOST_TIMEOUT="3")
        try:
            hosts.lose("h2")
            wait_until(lambda: not ranks_of(job) and not job.named("fshsim"),
                       "ranks and simulators are gone", 3 + 5)
            wait_until(lambda: re.search("is lost|has ended|is gone", job.output()),
                       job.output(), 5)
        finally:
            job.close()


def exit_codes():
    with Hosts(2) as hosts:
        for launcher in launchers() if ALL else launchers()[-1:]:
            for scenario, code in [("return", 0), ("gasnet", 9), ("one-spin", 12)]:
                got, output = run_over(hosts, launcher, 2, EXIT_JOB, scenario, code, limit=30,
                                       env=FABRIC)
                check(got in codes(launcher, code),
                      f"{launcher.name}, {scenario}: {got} {output}")


STRANGER = """
import random, socket, sys
dice = random.Random(int(sys.argv[3]))
kept = []
for attempt in range(12):
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
    if attempt % 4:
        s.send(dice.randbytes(dice.choice([1, 16, 248, 1000])))
    if attempt % 4 > 1:
        s.close()
    kept.append(s)
print("tried")
"""


def strangers_are_refused():
    """... while the first host waits for the other one, which comes later."""
    seed = int.from_bytes(os.urandom(4), "little")
    print(f"seed {seed}")
    launcher = launchers()[-1]
    with Hosts(3) as hosts:
        go = os.path.join(hosts.where, "go")
        late = (f"[ $(hostname) = h3 ] && export LD_PRELOAD={TESTS}/hosts_late.so "
                f"LATE_UNTIL={go}; exec {STEADY} 1")
        job = Job(*launcher.command(hosts, 1, "sh", "-c", late),
                  env={**FABRIC, "GASNET_QUIET": "0"})

        def open_port():
            for pid in job.named("hosts_steady"):
                for address, port in listeners(pid):
                    if address == address_of(2):
                        return port
            return None

        try:
            wait_until(open_port, "the first host listens")
            done = subprocess.run(
                hosts.front(sys.executable, "-c", STRANGER, f"{NETWORK}.2", open_port(), seed),
                capture_output=True, text=True, timeout=60, check=False)
            if "tried" not in done.stdout:
                raise Failure(done.stderr)
            with open(go, "w", encoding="ascii"):
                pass
            code = job.await_end(60)
            check(code == 0 and lines(job.output()).count("steady 2 of 3") == 1 and
                  "12 connections without the job's token were refused" in job.output(),
                  f"{code} {job.output()}")
        finally:
            job.close()


def refused(hosts, launcher, each, expected, *command, **env):
    code, output = run_over(hosts, launcher, each, *command, limit=30, env={**FABRIC, **env})
    check(code != 0 and expected in output, f"no {expected!r}: {code} {output}")


def what_cannot_be_is_refused():
    with Hosts(2) as hosts:
        launcher = launchers()[0]
        refused(hosts, launcher, 2, "not where several hosts have nodes", STEADY, 1,
                FSHMEM_SIMULATORS="2")
        refused(hosts, launcher, 1, "has other settings", "sh", "-c",
                "[ $(hostname) = h2 ] && export FSHMEM_SIM_ARGS='--dram-cycles 41'; "
                f"exec {STEADY} 1")
        if launcher.name == "Open MPI":
            refused(hosts, launcher, 2, "must follow each other", "--map-by", "node", STEADY, 1)


if __name__ == "__main__":
    main([over_two_hosts, over_four_hosts, same_cycles, deadlock_is_found, somebody_is_killed, a_host_is_lost,
          exit_codes, strangers_are_refused, what_cannot_be_is_refused])
