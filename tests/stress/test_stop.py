#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that are stopped and go on, also at a terminal; ranks that are still busy
when another has returned from main."""
import os
import signal
import time

from fshjob import (CLIENT, CLIENT_NAME, FSHRUN, Job, check, main, open_terminal, pshm,
                    run, wait_until)


def is_stopped(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0] in "Tt"


def stopped_and_continued():
    """Ctrl-Z at a terminal and fg; SIGTSTP to what was started."""
    for command, env in (([FSHRUN, "-n", 2, CLIENT], {}), ([CLIENT], pshm(2))):
        job = Job(*command, "spin", env=env)
        try:
            job.await_up(2)
            everybody = sorted(job.pids())
            check(len(everybody) == 4, f"{everybody}")
            for _ in range(3):
                job.proc.send_signal(signal.SIGTSTP)
                wait_until(lambda: all(map(is_stopped, everybody)), "stop", 5)
                job.proc.send_signal(signal.SIGCONT)
                wait_until(lambda: not any(map(is_stopped, everybody)), "go", 5)
            job.proc.terminate()
            check(job.await_end() == 143, job.output())
        finally:
            job.close()


def stopped_at_terminal():
    master, slave = open_terminal()
    # An interactive shell gives the job a process group, and the terminal.
    job = Job("setsid", "-c", "bash", "--norc", "-i", stdin=slave,
              env={"PS1": "", "HISTFILE": ""})
    os.close(slave)
    try:
        os.write(master, f"{FSHRUN} -n 2 {CLIENT} spin\n".encode())
        job.await_up(2)
        ranks = job.named(CLIENT_NAME)
        os.write(master, b"\x1a")
        wait_until(lambda: all(map(is_stopped, ranks)), "Ctrl-Z", 5)
        os.write(master, b"fg\n")
        wait_until(lambda: not any(map(is_stopped, ranks)), "fg", 5)
        os.write(master, b"\x03")
        wait_until(lambda: not job.named(CLIENT_NAME), "Ctrl-C", 5)
        os.write(master, b"exit\n")
        job.await_end()
    finally:
        os.close(master)
        job.close()


def time_limit_stands_still():
    """--timeout does not count while the job is stopped."""
    job = Job(FSHRUN, "-n", 2, "--timeout", 2, CLIENT, "spin")
    try:
        job.await_up(2)
        job.proc.send_signal(signal.SIGTSTP)
        wait_until(lambda: all(map(is_stopped, job.pids())), "stop", 5)
        time.sleep(2.5)
        job.proc.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        check(job.proc.poll() is None, f"ended: {job.output()}")
        check(job.await_end() == 124, "code")
    finally:
        job.close()


def others_may_finish():
    """A return from main with 0 waits for the others, then ends the job, which
    has failed: they were not through."""
    for env in {"FSHMEM_LEAVE_TIMEOUT": "0.5"}, {"GASNET_EXITTIMEOUT": "0.5"}:
        start = time.monotonic()
        code, output = run(FSHRUN, "-n", 3, CLIENT, "leave-early", env=env)
        check(code == 123 and "rank 2 (pid" in output and
              "others have not within 0.5 s" in output, f"{code} {output!r}")
        check(0.4 < time.monotonic() - start < 5, "the time")


CASES = [stopped_and_continued, stopped_at_terminal, time_limit_stands_still,
         others_may_finish]

if __name__ == "__main__":
    main(CASES)
