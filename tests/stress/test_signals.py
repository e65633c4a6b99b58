#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Signals that ask a program to end reach clients as SIGQUIT, in which they
clean up: whoever gets the signal, the handlers of all ranks run, once, and the
code they give to gasnet_exit is the job's."""
import os
import signal
import time

from fshjob import (CLIENT, CLIENT_NAME, END_LIMIT, FSHRUN, HAVE_SIM, TESTS,
                    Job, check, main, open_terminal, pshm, run)

ASKS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def cleaned_up(job, n, code, what=""):
    got = job.await_end()
    ran = sorted(l for l in job.output().splitlines() if l.startswith("quit"))
    check(ran == [f"quit {r} of {n}" for r in range(n)],
          f"{what}: handlers: {ran}, {job.output()!r}")
    check(got == code, f"{what}: code {got}, not {code}: {job.output()!r}")


def started(command, ranks, handlers_exit=4, env=None, stdin=None, more=()):
    job = Job(*command, "clean-up", handlers_exit, *more, env=env,
              **({} if stdin is None else {"stdin": stdin}))
    job.await_up(ranks)
    return job


def ways(n):
    return ([FSHRUN, "-n", n, CLIENT], {}), ([CLIENT], pshm(n))


def to_the_launcher():
    for sig in ASKS:
        for command, env in ways(3):
            job = started(command, 3, env=env)
            try:
                job.proc.send_signal(sig)
                cleaned_up(job, 3, 4, f"signal {int(sig)}")
            finally:
                job.close()


def to_one_rank():
    for sig in ASKS:
        for command, env in ways(3):
            job = started(command, 3, env=env)
            try:
                os.kill(max(job.named(CLIENT_NAME)), sig)
                cleaned_up(job, 3, 4, f"signal {int(sig)}")
            finally:
                job.close()


def to_a_job_of_one_process():
    for conduit in ["smp", "fpga"] if HAVE_SIM else ["smp"]:
        for sig in (*ASKS, signal.SIGQUIT):
            job = started([CLIENT], 1, env={"FSHMEM_CONDUIT": conduit})
            try:
                job.proc.send_signal(sig)
                cleaned_up(job, 1, 4, f"{conduit}, signal {int(sig)}")
            finally:
                job.close()


def signal_all(job, sig):
    for pid in job.pids():
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            pass


def to_everybody():
    """What a terminal and kill of a process group do."""
    for sig in (*ASKS, signal.SIGQUIT):
        for command, env in ways(3):
            job = started(command, 3, env=env)
            try:
                signal_all(job, sig)
                cleaned_up(job, 3, 4, f"signal {int(sig)}")
            finally:
                job.close()


def at_a_terminal():
    for key in b"\x03", b"\x1c":
        master, slave = open_terminal()
        job = started(["setsid", "-c", FSHRUN, "-n", 3, CLIENT], 3, stdin=slave)
        os.close(slave)
        try:
            os.write(master, key)
            cleaned_up(job, 3, 4, f"key {key!r}")
        finally:
            os.close(master)
            job.close()


def handlers_that_return():
    """The job ends all the same, with the code of the signal."""
    for victim in "launcher", "rank":
        for command, env in ways(2):
            job = started(command, 2, -1, env=env)
            try:
                os.kill(job.proc.pid if victim == "launcher" else
                        max(job.named(CLIENT_NAME)), signal.SIGTERM)
                cleaned_up(job, 2, 143, victim)
            finally:
                job.close()


def interrupted_is_no_success():
    """gasnet_exit(0) in the handler does not hide the signal."""
    job = started([FSHRUN, "-n", 2, CLIENT], 2, 0)
    try:
        job.proc.send_signal(signal.SIGINT)
        cleaned_up(job, 2, 130)
    finally:
        job.close()


def without_a_handler():
    """128 + signal, as if the library were not there."""
    for sig in ASKS:
        for command, env, n in ([FSHRUN, "-n", 2, CLIENT], {}, 2), \
                ([CLIENT], pshm(2), 2), ([CLIENT], {}, 1):
            job = Job(*command, "pause", env=env)
            try:
                job.await_up(n)
                os.kill(max(job.named(CLIENT_NAME)), sig)
                code = job.await_end()
                check(code == 128 + sig, f"{command}: signal {int(sig)}: "
                      f"code {code}: {job.output()!r}")
            finally:
                job.close()


def not_caught_on_request():
    """GASNET_NO_CATCH_SIGNAL: the rank dies of the signal, no handler runs."""
    job = started([CLIENT], 1, env={"GASNET_NO_CATCH_SIGNAL": "1"})
    try:
        job.proc.send_signal(signal.SIGTERM)
        code = job.await_end()
        check(code == 143 and "quit" not in job.output(),
              f"{code} {job.output()!r}")
    finally:
        job.close()


def exit_in_a_handler():
    """gasnet_exit in a handler that has interrupted malloc, or beside a thread
    that sits on a stream's lock: nothing on the way out needs either."""
    if os.environ.get("FSH_SANITIZE"):
        return "skipped: the sanitizer's allocator is not to be replaced"
    slowest = 0.0
    for mode in "", "_par":
        program = os.path.join(TESTS, "stress_exit_handler" + mode)
        for what in "malloc", "serve", "stream":
            for command, env in ([FSHRUN, "-n", 3, program], {}), \
                    ([program], pshm(3)), ([program], {}):
                start = time.monotonic()
                code, output = run(*command, what, env=env, limit=END_LIMIT)
                slowest = max(slowest, time.monotonic() - start)
                check(code == 4, f"{command} {what}: {code} {output!r}")
    return f"ok, at most {slowest:.1f} s"


def exit_in_a_wait_for_a_turn():
    """In simulated time: the turn that the handler's thread waits for, or is being
    given, holds nobody up."""
    if not HAVE_SIM:
        return "skipped: no simulator"
    if os.environ.get("FSH_SANITIZE"):
        return "skipped: the sanitizer's allocator is not to be replaced"
    slowest = 0.0
    for mode in "", "_par":
        program = os.path.join(TESTS, "stress_exit_handler" + mode)
        for us in 500, 1300, 2900, 4100, 7700:
            start = time.monotonic()
            code, output = run(FSHRUN, "-n", 3, "--conduit", "fpga", "--clock",
                               "simulated", program, "barrier", us, limit=END_LIMIT)
            slowest = max(slowest, time.monotonic() - start)
            check(code == 4, f"{mode} {us} us: {code} {output!r}")
    return f"ok, at most {slowest:.1f} s"


def a_child_dies_alone():
    """A process that a rank has forked takes its signals itself."""
    job = Job(FSHRUN, "-n", 2, CLIENT, "forked-child")
    try:
        check(job.await_end() == 0, job.output())
    finally:
        job.close()


CASES = [to_the_launcher, to_one_rank, to_a_job_of_one_process, to_everybody,
         at_a_terminal, handlers_that_return, interrupted_is_no_success,
         without_a_handler, not_caught_on_request, exit_in_a_handler,
         exit_in_a_wait_for_a_turn, a_child_dies_alone]

if __name__ == "__main__":
    main(CASES)
