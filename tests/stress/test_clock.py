#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulated time of hosts (--clock simulated): a run takes the same cycles and writes
the same bytes in the same cycles each time, alone, on one processor, and beside other
load; conduits and devices without it say so."""
import ctypes
import errno
import os
import re
import subprocess
import tempfile
import time

from fshjob import BIN, FSHRUN, TESTS, Job, Skip, check, main, run, wait_until

HELD_S = 0.02
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207

RUNS = [(2, "am_ping_pong"), (3, "am_flood"), (2, "barrier_random"),
        (3, "coll_minimal")]


def command(ranks, program, options=()):
    return [FSHRUN, "-n", str(ranks), "--conduit", "fpga", "--clock", "simulated",
            "--timeout", "60", *options,
            os.path.join(TESTS, "conform", "conform_" + program)]


def last_line(ranks, program, before=(), options=(), sim="", scale="0.1"):
    """What the simulator says at the end: digest of its writes, and the cycle."""
    code, text = run(*before, *command(ranks, program, options),
                     env={"FSHMEM_SIM_ARGS": "--hash " + sim, "FSHMEM_TEST_SCALE": scale})
    return end_of(ranks, program, code, text)


def end_of(ranks, program, code, text):
    found = re.search(r"^fshsim: hash \w+ at cycle \d+$", text, re.M)
    check(code == 0 and found, f"{program}, {ranks} ranks: code {code}\n{text}")
    return found.group()


def one_processor():
    return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


def same_cycles_under_any_load():
    burner = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        loaded = {run: last_line(*run) for run in RUNS}
    finally:
        burner.kill()
        burner.wait()
    for (ranks, program), line in loaded.items():
        check(last_line(ranks, program) == line, f"{program}, {ranks}: {line}")


def same_cycles_on_one_processor():
    check(last_line(2, "am_ping_pong", one_processor()) ==
          last_line(2, "am_ping_pong"), "am_ping_pong")


def stop_as_a_debugger(pid):
    """Attach to it, and let it go a little later. False: it is gone."""
    libc = ctypes.CDLL(None, use_errno=True)

    def ptrace(request, data=0):
        if libc.ptrace(request, pid, None, ctypes.c_void_p(data)) == 0:
            return True
        if ctypes.get_errno() == errno.EPERM and os.path.exists(f"/proc/{pid}/exe"):
            raise Skip("this system lets nobody trace a process")
        return False

    if not ptrace(PTRACE_SEIZE):
        return False
    ptrace(PTRACE_INTERRUPT)
    _, status = os.waitpid(pid, 0x40000000)  # __WALL
    if not os.WIFSTOPPED(status):
        return False
    time.sleep(HELD_S)
    event = status >> 16 != 0  # else a signal has come first: it is passed on
    return ptrace(PTRACE_DETACH, 0 if event else os.WSTOPSIG(status))


def same_cycles_with_a_debugger():
    ranks, program = 2, "am_flood"
    job = Job(*command(ranks, program, ["-v"]), env={"FSHMEM_SIM_ARGS": "--hash"})
    try:
        wait_until(lambda: "rank 1 is process" in job.output(), "rank 1")
        stops, rank = 0, job.rank_pid(1)
        while stops < 20 and stop_as_a_debugger(rank):
            stops += 1
            time.sleep(HELD_S)  # the job goes on
        line = end_of(ranks, program, job.await_end(), job.output())
    finally:
        job.close()
    check(stops >= 3, f"the job has ended after {stops} stops")
    check(line == last_line(ranks, program, scale="1"), f"{stops} stops")


def same_cycles_without_a_horizon():
    """What ranks do by themselves is what they would do step by step."""
    for ranks, program in RUNS + [(4, "am_random"), (2, "am_source_reuse")]:
        check(last_line(ranks, program, sim="--no-horizon") ==
              last_line(ranks, program), f"{program}, {ranks} ranks")


def same_cycles_without_jumping():
    """Every node evaluated in every cycle in which anything is pending."""
    check(last_line(2, "am_ping_pong", sim="--no-jump") ==
          last_line(2, "am_ping_pong"), "am_ping_pong")


def same_cycles_with_any_threads():
    one, three = (last_line(8, "am_flood", options=["--sim-threads", n]) for n in "13")
    check(one == three, f"am_flood, 8 ranks: {one}, {three}")


def figures_of_hosts_in_both_clocks():
    """fshperf names the clock; in simulated time what times the machine is refused."""
    perf = os.path.join(BIN, "fshperf")
    job = [FSHRUN, "-n", "2", "--conduit", "fpga", "--timeout", "60"]
    simulated = [*job, "--clock", "simulated", perf]
    code, text = run(*job, perf, "am-rtt")
    check(code == 0 and "Clock: wall." in text, f"{code} {text}")
    code, text = run(*simulated, "am-rtt")
    again = run(*simulated, "am-rtt")
    check(code == 0 and "Clock: simulated, hosts included." in text and
          again == (code, text), f"{code} {text}\n{again}")
    code, text = run(*simulated, "sim-speed")
    check(code != 0 and "run it without --clock simulated" in text, f"{code} {text}")
    code, text = run(*simulated, "host-costs")
    check(code == 0 and re.search(r"one way: \d+\.\d us", text), f"{code} {text}")


def replays_to_the_same_cycle():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "run.rec")
        line = last_line(2, "am_ping_pong", options=["--record", path])
        code, text = run(os.path.join(BIN, "fshsim"), "--replay", path)
    check(code == 0 and line in text.splitlines(), f"{line}\n{text}")


def refused_where_there_is_none():
    program = os.path.join(TESTS, "conform", "conform_am_ping_pong")
    code, text = run(FSHRUN, "-n", "2", "--conduit", "smp", "--clock",
                     "simulated", program)
    check(code == 2 and "--clock" in text, f"{code} {text}")
    code, text = run(FSHRUN, "-n", "2", "--conduit", "fpga", "--clock", "warp",
                     program)
    check(code == 2 and "--clock" in text and "free|simulated" in text,
          f"{code} {text}")


if __name__ == "__main__":
    main([same_cycles_under_any_load, same_cycles_on_one_processor,
          same_cycles_with_a_debugger,
          same_cycles_without_a_horizon, figures_of_hosts_in_both_clocks,
          same_cycles_without_jumping, same_cycles_with_any_threads,
          replays_to_the_same_cycle, refused_where_there_is_none])
