#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waits that nothing can end, in simulated time: said within two seconds, with what each
rank or thread waits for, and the job ends; what something ends is left alone."""
import os
import re
import time

from fshjob import FSHRUN, TESTS, Job, check, main

LIMIT = 10.0  # seconds from start to end, of the 30 after which the launcher ends it
BARRIER = r"gasnet_barrier_wait"
BLOCKED = r".*GASNET_BLOCKUNTIL\(notes != 0\)"


def start(mode, clock="simulated", sim="", ranks=3, program="deadlock", **env):
    return Job(FSHRUN, "-n", ranks, "--conduit", "fpga", "--clock", clock,
               "--timeout", "30", os.path.join(TESTS, f"stress_{program}"), mode,
               env={"FSHMEM_SIM_ARGS": sim, **env})


def ends(mode, waits, **more):
    """The job's code and output, and all that is said of ranks and threads is like
    `waits`: by rank, or by (rank, thread)."""
    if isinstance(waits, list):
        waits = dict(enumerate(waits))
    for attempt in range(3):  # a machine that does something else is slow
        begin = time.monotonic()
        job = start(mode, **more)
        code = job.proc.wait()
        took = time.monotonic() - begin
        if took < LIMIT:
            break
    text = job.output()
    check(took < LIMIT, f"{mode}: {took:.1f} s\n{text}")
    check(code != 0 and "deadlock in simulated time" in text,
          f"{mode}: code {code}\n{text}")
    for who, like in waits.items():
        name = f"{who[0]}, thread {who[1]}" if isinstance(who, tuple) else who
        check(re.search(f"deadlock: rank {name} waits for: {like}$", text, re.M),
              f"{mode}: rank {name}, {like}\n{text}")
    check(text.count(" waits for: ") == len(waits), f"{mode}\n{text}")
    check("passes" not in text, f"{mode}\n{text}")
    check(not job.pids(), f"{mode}: left {job.pids()}")


def messages_that_nobody_sends():
    ends("handlers", [BLOCKED] * 3)


def a_barrier_that_one_rank_skips():
    ends("barrier", [BARRIER + r" \(node 2\)"] * 2 + [BLOCKED])


def polls_in_vain():
    ends("polls", ["what its polls do not find"] * 3)


def a_lost_credit():
    ends("flood", [r"a receive slot .* rank 2.*", BARRIER + ".*", BARRIER + ".*"],
         sim="--lose-credits 0")


def passes(mode, ranks=3, **more):
    job = start(mode, ranks=ranks, **more)
    code = job.proc.wait()
    text = job.output()
    check(code == 0 and text.count("passes") == ranks and "deadlock" not in
          text.replace("deadlock: rank", ""), f"{mode}: {code}\n{text}")


def what_ends_is_left_alone():
    passes("flood")
    passes("late")
    passes("flood", clock="free")


# Several threads a rank: stress_deadlock_threads.
THREADS = {"ranks": 2, "program": "deadlock_threads"}
UNTIL = r".*GASNET_BLOCKUNTIL\(notes != 0\)"
# Its own thread looks at none of ours.
WATCHED = os.environ.get("FSH_SANITIZE") != "thread"


def threads_of_two_ranks():
    if not WATCHED:
        return "skipped: the sanitizer's own thread may be one of the program"
    ends("mutual", {(0, 0): BARRIER + r" \(node 1\)", (0, 1): "gasnett_mutex_lock",
                    (0, 2): "gasnett_mutex_lock", (1, 0): "gasnet_coll_broadcast",
                    (1, 1): "gasnett_mutex_lock", (1, 2): "gasnet_hsl_lock"}, **THREADS)


def threads_by_memory_and_polls():
    if not WATCHED:
        return "skipped: the same"
    ends("blocks", {(rank, thread): like for rank in range(2) for thread, like in
                    enumerate([UNTIL, "gasnett_mutex_lock", "gasnett_cond_wait"])},
         **THREADS)
    ends("polls", {(rank, thread): like for rank in range(2) for thread, like in
                   enumerate([UNTIL, "what its polls do not find", "gasnet_hsl_lock"])},
         **THREADS)


def beside_the_librarys_thread():
    if not WATCHED:
        return "skipped: the same"
    ends("skips", [BARRIER + r" \(node 1\)", UNTIL], FSHMEM_PROGRESS_THREAD="1",
         **THREADS)


def threads_that_get_on():
    for mode in "sleeps", "outside", "ends", "strange", "hands", "chain":
        passes(mode, **THREADS)
        passes(mode, FSHMEM_HOST_COSTS="0", **THREADS)


if __name__ == "__main__":
    main([messages_that_nobody_sends, a_barrier_that_one_rank_skips, polls_in_vain,
          a_lost_credit, what_ends_is_left_alone, threads_of_two_ranks,
          threads_by_memory_and_polls, beside_the_librarys_thread,
          threads_that_get_on])
