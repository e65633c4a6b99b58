#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that makes its job itself (GASNET_PSHM_NODES) is the job that fshrun
makes: exit codes, output, input, and how it ends."""
import os
import re
import signal
import subprocess
import time

from fshjob import (CLIENT, CLIENT_NAME, EXIT_JOB, FPGA, FSHRUN, HAVE_SIM, Job,
                    check, hellos, lines, main, pshm, run, wait_until)


def pshm_is_fshrun():
    """Exit code and output of the same program are the same."""
    for scenario in (["return", 0], ["return", 5], ["exit", 6], ["gasnet", 9],
                     ["staggered", 0], ["atexit", 7], ["atexit-barrier", 4],
                     ["one-barrier", 13], ["handler", 17], ["quick-exit", 18],
                     ["before-attach", 8], ["before-attach-one", 20],
                     ["kill", 0], ["abort", 0], ["term", 0]):
        want = run(FSHRUN, "-n", 3, EXIT_JOB, *scenario, limit=15)
        got = run(EXIT_JOB, *scenario, env=pshm(3), limit=15)
        strip = lambda t: sorted(re.split("[;\n]", re.sub(
            r"fshrun: |fshmem: |pid \d+|rank \d+ (?=.* left with)|; waiting: .*",
            "", t)))
        check(got[0] == want[0], f"{scenario}: {got}, fshrun: {want}")
        check(strip(got[1]) == strip(want[1]), f"{scenario}: {got} {want}")


def pshm_numbers():
    for text, n in (("4", 4), ("1", 1), ("0", 1), ("", 1), ("16", 16)):
        code, output = run(CLIENT, env=pshm(text))
        check(code == 0 and lines(output) == hellos(n), f"{text}: {output!r}")
    for text in "four", "-1", "1025", "2.5":
        code, output = run(CLIENT, env=pshm(text))
        check(code == 1 and f"GASNET_PSHM_NODES={text}: expected" in output,
              f"{text}: {code} {output!r}")
    code, output = run(FSHRUN, "-n", 2, CLIENT, env=pshm(4))
    check(lines(output) == hellos(2), f"fshrun goes first: {output!r}")


def pshm_arguments_and_environment():
    args = ["a b", "", "*", "'", '"', "-n", "--", "tab\there", "ü"]
    env = {"TEST_VALUE": "a = b "}
    want = "".join(f"<{a}>" for a in args)
    for command, more in (([FSHRUN, "-n", 3, CLIENT], {}),
                          ([CLIENT], pshm(3))):
        code, output = run(*command, "args", *args, env={**env, **more})
        check(code == 0, f"{code} {output!r}")
        check(output.count("[a = b ]") == 3 and
              want in output.replace("[a = b ]", ""), repr(output))


def pshm_input_and_output_are_byte_exact():
    data = os.urandom(300000)
    env = {**os.environ, **pshm(3)}
    done = subprocess.run([CLIENT, "input"], input=data, env=env, timeout=60,
                          stdout=subprocess.PIPE, check=False)
    check(done.returncode == 0 and done.stdout == data, "not what went in")


def pshm_before_init_happens_once():
    code, output = run(CLIENT, "before", env=pshm(3))
    check(code == 0 and output.count("text before;") == 1, repr(output))
    code, output = run(CLIENT, "thread", env=pshm(2))
    check(code == 0 and "1 threads were started before gasnet_init" in output,
          repr(output))


def pshm_many():
    start = time.monotonic()
    code, output = run(CLIENT, env=pshm(64))
    check(code == 0 and lines(output) == hellos(64), repr(output))
    check(time.monotonic() - start < 20, "64 ranks took over 20 s")


def pshm_fpga():
    code, output = run(CLIENT, env=pshm(2, **FPGA))
    check(code == 0 and lines(output) == hellos(2), f"{code} {output!r}")


def pshm_killed(what, env=None):
    job = Job(CLIENT, what, env=pshm(3, **(env or {})))
    try:
        job.await_up(3)
        if what == "sleeper":
            wait_until(lambda: len(job.named("sleep")) == 3, "3 children")
        pids = job.named(CLIENT_NAME)
        check(len(pids) == 5, f"guard, launcher, 3 ranks: {pids}")
        yield job, sorted(pids)
    finally:
        job.close()


def pshm_any_process_is_killed():
    """Guard, launcher or a rank; what the ranks have started goes as well."""
    for victim in range(5):
        for job, pids in pshm_killed("sleeper"):
            os.kill(pids[victim], signal.SIGKILL)
            code = job.await_end()
            check(code == 137, f"victim {victim}: code {code}")


def pshm_fpga_is_killed():
    for victim in range(6):
        for job, pids in pshm_killed("spin", FPGA):
            pids = (pids + job.named("fshsim"))
            check(len(pids) == 6, "no simulator")
            os.kill(pids[victim], signal.SIGKILL)
            code = job.await_end()
            check(code == 137, f"victim {victim}: code {code}")


def pshm_signals():
    for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143),
                      (signal.SIGHUP, 129)):
        for job, _ in pshm_killed("spin"):
            job.proc.send_signal(sig)
            check(job.await_end() == code, f"signal {sig}")
            check(f"got signal {int(sig)}" in job.output(), job.output())


def signals_to_a_rank():
    for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143),
                      (signal.SIGHUP, 129)):
        for command, env in (([FSHRUN, "-n", 3, CLIENT], {}),
                             ([CLIENT], pshm(3))):
            job = Job(*command, "pause", env=env)
            try:
                job.await_up(3)
                os.kill(max(job.named(CLIENT_NAME)), sig)
                check(job.await_end() == code, f"signal {sig}")
                check(f"was killed by signal {int(sig)}" in job.output(),
                      job.output())
            finally:
                job.close()


def pshm_descriptors_are_the_ranks_own():
    """A pipe that the program had from its parent ends with its ranks, and
    guard and launcher do not hold it."""
    read_end, write_end = os.pipe()
    env = {**os.environ, **pshm(2)}
    proc = subprocess.Popen([CLIENT, "sleeper"], env=env, stdout=write_end,
                            pass_fds=[write_end])
    try:
        wait_until(lambda: os.path.exists(f"/proc/{proc.pid}"), "it")
        os.close(write_end)
        text = b""
        while text.count(b"up ") < 2:
            text += os.read(read_end, 4096)
        held = [os.readlink(f"/proc/{proc.pid}/fd/{f}")
                for f in os.listdir(f"/proc/{proc.pid}/fd")
                if int(f) > 2]
        check(not any("pipe" in h for h in held), f"the guard holds {held}")
    finally:
        proc.terminate()
        proc.wait()
        os.close(read_end)


CASES = [pshm_is_fshrun, pshm_numbers, pshm_arguments_and_environment,
         pshm_input_and_output_are_byte_exact, pshm_before_init_happens_once,
         pshm_many, pshm_any_process_is_killed, pshm_signals,
         signals_to_a_rank, pshm_descriptors_are_the_ranks_own]
CASES_FPGA = [pshm_fpga, pshm_fpga_is_killed]

if __name__ == "__main__":
    main(CASES + (CASES_FPGA if HAVE_SIM else []))
