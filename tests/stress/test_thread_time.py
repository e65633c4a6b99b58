#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several threads of a rank in simulated time (--clock simulated): one runs at a time,
by clock and number, the same way each run; locks, threads of the library and waits for
plain memory work; whoever keeps time from going on is named; children are refused."""
import os
import re
import signal
import subprocess
import time

from fshjob import FSHRUN, TESTS, Job, check, main, run, wait_until

THREADS = os.path.join(TESTS, "stress_clocked_threads")


def command(what, limit=60):
    return [FSHRUN, "-n", "2", "--conduit", "fpga", "--clock", "simulated",
            "--timeout", str(limit), THREADS, what]


def clocked(what, env=None, before=()):
    code, text = run(*before, *command(what),
                     env={"FSHMEM_SIM_ARGS": "--hash", **(env or {})})
    check(code == 0, f"{what}: code {code}\n{text}")
    return text


def value(name, text):
    found = re.search(rf"^{name} (\d+)$", text, re.M)
    check(found, f"no {name}: {text}")
    return int(found.group(1))


def under_load(function):
    burner = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        return function()
    finally:
        burner.kill()
        burner.wait()


def by_clock_and_number():
    text = clocked("order")
    entries = [(int(t), int(n)) for n, t in re.findall(r"(\d+):(\d+)", text)]
    check(len(entries) == value("entries", text) == 123, text)
    check([t for t, _ in entries] == sorted(t for t, _ in entries), text)
    check([n for _, n in entries[:1]] == [1] and {n for _, n in entries} == {1, 2, 3},
          text)
    check("123" * 20 + "\n" in clocked("ties"), "not by number")
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    check(clocked("order") == text, "another order, alone")
    check(under_load(lambda: clocked("order")) == text, "another order, with load")
    check(clocked("order", before=one) == text, "another order, on one processor")


def locks_are_no_trap():
    text = clocked("locks")
    check(value("sum", text) == 180 and "two" not in text, text)
    check(clocked("locks") == text, "another run")


def plain_memory():
    until = value("until", clocked("until"))
    check(100000 <= until < 125000, f"{until} ns")


def the_librarys_thread():
    with_it = clocked("served", {"FSHMEM_PROGRESS_THREAD": "1"})
    check(value("served", with_it) < 10**5, with_it)
    check(clocked("served", {"FSHMEM_PROGRESS_THREAD": "1"}) == with_it, with_it)
    check(value("served", clocked("served")) > 10**6, "it is for this")


def programs_with_threads():
    for name in ("threads_mix", "threads_come_and_go", "hsl_threads", "coll_images",
                 "tools_threads"):
        code, text = run(FSHRUN, "-n", "2", "--conduit", "fpga", "--clock",
                         "simulated", "--timeout", "60",
                         os.path.join(TESTS, "stress_turns_" + name),
                         env={"FSHMEM_TEST_SCALE": "0.01"})
        check(code == 0 and text.endswith(f"conform {name}: pass\n"),
              f"{name}: code {code}\n{text}")


def who_stops_time_is_named():
    text = clocked("spin")
    check(len(re.findall(r"rank 0, thread 0 \(process number \d+\) has run for 5 s",
                         text)) == 1 and "fshmem_blocking_begin" in text and
          "gasnet_AMPoll" in text, text)
    # Not killed: it went on when it called.
    check(value("flag", text) == 0 and value("joined", text) == 1, text)


def stuck_ends_like_any_job():
    job = Job(*command("stuck"))
    try:
        wait_until(lambda: "rank 0, thread 0" in job.output(), "named", 40)
        job.proc.send_signal(signal.SIGTERM)
        began = time.monotonic()
        job.proc.wait(10)
        check(time.monotonic() - began < 5, "slow to end")
        wait_until(lambda: not job.pids(), "all gone")
    finally:
        job.proc.kill()
    check(job.proc.returncode == 128 + signal.SIGTERM, str(job.proc.returncode))


def children_are_refused():
    text = clocked("children")
    check(value("quiet child", text) == 3, text)
    check(value("calling child", text) == 1, text)
    check(text.count("a process that this rank has forked calls GASNet") == 2, text)


if __name__ == "__main__":
    main([by_clock_and_number, locks_are_no_trap, plain_memory, the_librarys_thread,
          programs_with_threads, who_stops_time_is_named, stuck_ends_like_any_job, children_are_refused])
