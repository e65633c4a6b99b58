#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waits that nothing can end, in simulated time: said within two seconds, with what each
rank waits for, and the job ends; what something ends is left alone."""
import os
import re
import time

from fshjob import FSHRUN, TESTS, Job, check, main

LIMIT = 2.0  # seconds from start to end
BARRIER = r"gasnet_barrier_wait"
BLOCKED = r".*GASNET_BLOCKUNTIL\(notes != 0\)"


def start(mode, clock="simulated", sim=""):
    return Job(FSHRUN, "-n", "3", "--conduit", "fpga", "--clock", clock,
               "--timeout", "30", os.path.join(TESTS, "stress_deadlock"), mode,
               env={"FSHMEM_SIM_ARGS": sim})


def ends(mode, waits, sim=""):
    """The job's code and output, and what is said of each rank is like `waits`."""
    for attempt in range(3):  # a machine that does something else is slow
        begin = time.monotonic()
        job = start(mode, sim=sim)
        code = job.proc.wait()
        took = time.monotonic() - begin
        if took < LIMIT:
            break
    text = job.output()
    check(took < LIMIT, f"{mode}: {took:.1f} s\n{text}")
    check(code != 0 and "deadlock in simulated time" in text,
          f"{mode}: code {code}\n{text}")
    for rank, like in enumerate(waits):
        check(re.search(f"deadlock: rank {rank} waits for: {like}", text),
              f"{mode}: rank {rank}, {like}\n{text}")
    check("passes" not in text, f"{mode}\n{text}")
    check(not job.pids(), f"{mode}: left {job.pids()}")


def messages_that_nobody_sends():
    ends("handlers", [BLOCKED] * 3)


def a_barrier_that_one_rank_skips():
    ends("barrier", [BARRIER + r" \(node 2\)"] * 2 + [BLOCKED])


def polls_in_vain():
    ends("polls", ["what its polls do not find"] * 3)


def a_lost_credit():
    ends("flood", [r"a receive slot .* rank 2", BARRIER, BARRIER],
         "--lose-credits 0")


def passes(mode, **more):
    job = start(mode, **more)
    code = job.proc.wait()
    text = job.output()
    check(code == 0 and text.count("passes") == 3 and "deadlock" not in
          text.replace("deadlock: rank", ""), f"{mode}: {code}\n{text}")


def what_ends_is_left_alone():
    passes("flood")
    passes("late")
    passes("flood", clock="free")


if __name__ == "__main__":
    main([messages_that_nobody_sends, a_barrier_that_one_rank_skips, polls_in_vain,
          a_lost_credit, what_ends_is_left_alone])
