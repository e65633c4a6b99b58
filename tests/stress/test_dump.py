#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dumps of the fabric when a job is stuck, and when somebody asks: who waits for whom is
said of the right nodes and ranks, once, and a job that was only asked goes on as if not."""
import os
import re
import signal
import tempfile

from fshjob import (CLIENT, FSHRUN, HAVE_SIM, TESTS, Failure, Job, Skip, check, main, run,
                    wait_until)

DEADLOCK = os.path.join(TESTS, "stress_deadlock")
HEAD = "state of the fabric"
LIMIT = 60


def fpga(ranks, *more):
    if not HAVE_SIM:
        raise Skip("there is no simulator")
    return [FSHRUN, "-n", ranks, "--conduit", "fpga", *more]


def says(text, *patterns):
    for pattern in patterns:
        check(re.search(pattern, text, re.M), f"no '{pattern}' in\n{text}")


def a_lost_credit():
    """In simulated time, found by itself, and in that of the host, at the limit."""
    lost = (r"^fshsim:   rank 0 \[a receive slot.*\] waits for a request slot at node 2 "
            r"\(16 of 16 in use\), 16 of which rank 2 gave back \d+ cycles ago: node 0's "
            "host has not got its credit word, which is lost if nothing is under way$",
            r"^fshsim: oldest operation: node 0's AM request to node 2 \(slot \d+\)",
            r"^fshsim:   AM requests to node 2: 16 of 16 slots in use, .*; 16 of them "
            "given back by rank 2, which this host has not seen$")
    for clock, code, why in ("simulated", 1, "deadlock"), ("free", 124, "asked for"):
        got, text = run(*fpga(3, "--clock", clock, "--timeout", "4"), DEADLOCK, "flood",
                        env={"FSHMEM_SIM_ARGS": "--lose-credits 0"}, limit=LIMIT)
        check(got == code, f"{clock}: {got}\n{text}")
        says(text, f"^fshsim: {HEAD}, {why}: ", *lost,
             r"^fshsim:   rank 1 \[gasnet_barrier_wait \(node 0\)\] waits for rank 0 .*: "
             "see above$")
        check(text.count(HEAD) == 1 and "circle" not in text, text)


def a_rank_that_never_polls():
    code, text = run(*fpga(2), CLIENT, "flood", env={"FSHMEM_WATCHDOG": "2"},
                     limit=LIMIT)
    check(code == 1, f"{code}\n{text}")
    says(text, r"^fshsim:   rank 0 \[.*rank 1.*\] waits for a request slot at node 1 \(16 of "
         r"16 in use\), which waits for rank 1 \[in no call that waits\], whose host has "
         "not drained 16 requests of node 0 from its request ring, the oldest for ",
         r"^fshsim: oldest operation: node 0's AM request to node 1 .*: delivered to the "
         "host of node 1, its slot not given back$")
    check(text.count(HEAD) == 1 and "gave back" not in text, text)


def many_wait_for_one():
    """Rank 1 computes; what others wait for leads to it, and who does not hold anything
    takes one line."""
    code, text = run(*fpga(8, "--timeout", "3"), CLIENT, "one-spins", limit=LIMIT)
    check(code == 124, f"{code}\n{text}")
    says(text, r"^fshsim:   rank 0 .*waits for rank 1 \[in no call that waits\], whose host "
         "has written nothing for ", r"^fshsim: nodes? [0-9, -]+: idle$")
    check(text.count(": idle") == 1, text)


def two_ranks_in_a_circle():
    code, text = run(*fpga(2, "--clock", "simulated", "--timeout", "20"), DEADLOCK,
                     "barrier", limit=LIMIT)
    check(code == 1, f"{code}\n{text}")
    says(text, f"^fshsim: {HEAD}, deadlock: ", r"^fshsim: nodes 0-1: idle$",
         r"^fshsim:   rank 0 \[gasnet_barrier_wait \(node 1\)\] waits for rank 1 \[.*"
         r"GASNET_BLOCKUNTIL.*\], which waits for rank 0 \[gasnet_barrier_wait \(node 1\)\]: "
         "a circle$")
    check(text.count(HEAD) == 1, text)


def simulator_of(job):
    for pid in job.pids():
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("fshsim"):
                return pid
        except OSError:
            continue
    return None


def result_of(text):
    """Hash and cycle at the end of a run."""
    return re.findall(r"^fshsim: hash \w+ at cycle \d+$", text, re.M)


def hashed(*more):
    return fpga(2, "--clock", "simulated", "--sim-args", "--hash", *more)


def asked(whom, path, *program):
    """A run that is asked until it has answered once, in the midst of things."""
    job = Job(*hashed("--dump", path), *program)
    try:
        wait_until(lambda: simulator_of(job) and
                   job.named(os.path.basename(program[0])), "processes")
        while HEAD not in job.output() and job.proc.poll() is None:
            pid = job.proc.pid if whom == "launcher" else simulator_of(job)
            os.kill(pid, signal.SIGUSR1)
            try:
                wait_until(lambda: HEAD in job.output(), "a dump", 1.0)
            except Failure:  # it may not have begun: again
                continue
        return job.await_end(LIMIT), job.output()
    finally:
        job.close()


def goes_on(*program):
    code, plain = run(*hashed(), *program, limit=LIMIT)
    check(code == 0 and len(result_of(plain)) == 1 and HEAD not in plain, plain)
    for whom in "launcher", "simulator":
        with tempfile.NamedTemporaryFile() as file:
            code, text = asked(whom, file.name, *program)
            kept = file.read().decode()
        check(code == 0 and result_of(text) == result_of(plain),
              f"{whom}: {code}\n{text}\n{plain}")
        check(HEAD in text, f"{whom}: the run was over\n{text}")
        said = [line[len("fshsim: "):] for line in text.splitlines()
                if line.startswith("fshsim: ") and "hash" not in line]
        check(kept.splitlines() == said, f"{whom}: {kept!r} is not {said}")


def a_healthy_run_goes_on():
    """While rank 1 does nothing for three seconds, and while messages are under way."""
    goes_on(DEADLOCK, "late")
    goes_on(os.path.join(TESTS, "stress_rounds"), "ping", "3000")


if __name__ == "__main__":
    main([a_lost_credit, a_rank_that_never_polls, many_wait_for_one,
          two_ranks_in_a_circle, a_healthy_run_goes_on])
