#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job is the same job however it is started: by fshrun, by the program
itself (GASNET_PSHM_NODES), by the launchers of MPI. Those are emulated by their
environment, and used where they are installed."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fshjob import (BIN, FSHRUN, HAVE_SIM, TESTS, Job, check, main, run,
                    wait_until)

CLIENT = os.path.join(TESTS, "stress_job")
EXIT_JOB = os.path.join(TESTS, "conform", "conform_exit_job")
HERE = os.path.dirname(os.path.abspath(__file__))
NAME = os.path.basename(CLIENT)
FPGA = {"FSHMEM_CONDUIT": "fpga", "PATH": BIN + ":" + os.environ["PATH"]}


def lines(text):
    return sorted(text.splitlines())


def hellos(n, word="hello"):
    return sorted(f"{word} {r} of {n}" for r in range(n))


def pshm(n, **more):
    return {"GASNET_PSHM_NODES": str(n), **more}


def slurm(r, n, **more):
    return {"SLURM_PROCID": r, "SLURM_STEP_NUM_TASKS": n, "SLURM_JOB_ID": 7,
            "SLURM_STEP_ID": 0, "SLURM_STEP_NUM_NODES": 1, **more}


# What launchers set: of rank r of n.
ENVIRONMENTS = {
    "Open MPI": lambda r, n: {
        "OMPI_COMM_WORLD_RANK": r, "OMPI_COMM_WORLD_SIZE": n,
        "OMPI_COMM_WORLD_LOCAL_SIZE": n, "PMIX_RANK": r,
        "PMIX_NAMESPACE": f"test-{os.getpid()}@1"},
    "PMI": lambda r, n: {"PMI_RANK": r, "PMI_SIZE": n, "MPI_LOCALNRANKS": n,
                         "PMI_FD": 999},
    "PMIx under Slurm": lambda r, n: {
        **slurm(r, n), "PMIX_RANK": r, "PMIX_NAMESPACE": f"s{os.getpid()}.0"},
    "Slurm": slurm,
}


class Emulated:
    """n processes as a launcher starts them, one after the other; the parent
    is this script. skip: ranks that are not started."""

    def __init__(self, n, *command, launcher="PMI", env=None, skip=(),
                 each=None):
        self.jobs = {}
        for r in range(n):
            if r in skip:
                continue
            place = each(r, n) if each else ENVIRONMENTS[launcher](r, n)
            full = {k: str(v) for k, v in place.items()}
            full.update(env or {})
            self.jobs[r] = Job(*command, env=full)

    def output(self):
        return "".join(job.output() for job in self.jobs.values())

    def await_up(self):
        wait_until(lambda: self.output().count("up ") == len(self.jobs),
                   f"all up: {self.output()}")

    def await_end(self, limit=20):
        end = time.monotonic() + limit
        return {r: job.await_end(max(end - time.monotonic(), 0.1))
                for r, job in self.jobs.items()}

    def close(self):
        for job in self.jobs.values():
            job.close()


def emulate(n, *command, limit=20, **how):
    """Codes by rank, and all output."""
    job = Emulated(n, *command, **how)
    try:
        return job.await_end(limit), job.output()
    finally:
        job.close()


# ---- GASNET_PSHM_NODES ----

def pshm_is_fshrun():
    """Exit code and output of the same program are the same."""
    for scenario in (["return", 0], ["return", 5], ["exit", 6], ["gasnet", 9],
                     ["staggered", 0], ["atexit", 7], ["atexit-barrier", 4],
                     ["one-barrier", 13], ["handler", 17], ["quick-exit", 18],
                     ["before-attach", 8], ["before-attach-one", 20],
                     ["kill", 0], ["abort", 0], ["term", 0]):
        want = run(FSHRUN, "-n", 3, EXIT_JOB, *scenario, limit=15)
        got = run(EXIT_JOB, *scenario, env=pshm(3), limit=15)
        strip = lambda t: sorted(re.split(
            "[;\n]", re.sub(r"fshrun: |fshmem: |pid \d+", "", t)))
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
        pids = job.named(NAME)
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
            job = Job(*command, "spin", env=env)
            try:
                job.await_up(3)
                os.kill(max(job.named(NAME)), sig)
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


# ---- other launchers, emulated ----

def every_launcher():
    for name in ENVIRONMENTS:
        codes, output = emulate(3, CLIENT, launcher=name)
        check(lines(output) == hellos(3), f"{name}: {output!r}")
        check(set(codes.values()) == {0}, f"{name}: {codes}")


def launcher_of_one():
    """mpirun -n 1, and the shell of a batch script."""
    for name in ENVIRONMENTS:
        _, output = emulate(1, CLIENT, launcher=name)
        check(output == "hello 0 of 1\n", f"{name}: {output!r}")
        _, output = emulate(1, CLIENT, launcher=name, env=pshm(2))
        check(lines(output) == hellos(2), f"{name}: {output!r}")
    for step in {}, {"SLURM_STEP_ID": 4294967291}:
        place = {**slurm(0, 4), **step}
        if not step:
            del place["SLURM_STEP_ID"]
        _, output = emulate(1, CLIENT, each=lambda r, n, p=place: p)
        check(output == "hello 0 of 1\n", repr(output))


def our_launcher_goes_first():
    place = {k: str(v) for k, v in ENVIRONMENTS["PMI"](1, 7).items()}
    code, output = run(FSHRUN, "-n", 2, CLIENT, env=place)
    check(code == 0 and lines(output) == hellos(2), repr(output))


def several_hosts_are_refused():
    for each in (lambda r, n: {**ENVIRONMENTS["Open MPI"](r, n),
                               "OMPI_COMM_WORLD_LOCAL_SIZE": 1},
                 lambda r, n: {**ENVIRONMENTS["PMI"](r, n),
                               "MPI_LOCALNRANKS": 1},
                 lambda r, n: slurm(r, n, SLURM_STEP_NUM_NODES=2)):
        codes, output = emulate(2, CLIENT, each=each)
        check(set(codes.values()) == {1}, f"{codes}")
        check(output.count("on several hosts") == 2, repr(output))


def nonsense_is_refused():
    for place, text in (
            ({"PMI_RANK": 3, "PMI_SIZE": 3}, "PMI_RANK=3 is no rank"),
            ({"PMI_RANK": "x", "PMI_SIZE": 3}, "PMI_RANK=x is no rank"),
            ({"PMI_RANK": 0, "PMI_SIZE": 5000}, "1 to 1024"),
            ({"PMIX_RANK": 0, "PMIX_NAMESPACE": "a"},
             "does not say of how many")):
        codes, output = emulate(1, CLIENT, each=lambda r, n, p=place: p)
        check(codes == {0: 1} and text in output, f"{codes} {output!r}")


def missing_ranks_are_named():
    env = {"FSHMEM_START_TIMEOUT": "0.7"}
    codes, output = emulate(5, CLIENT, env=env, skip=(2, 4), limit=5)
    check(set(codes.values()) == {1}, f"{codes}")
    check("did not arrive within 0.7 s (FSHMEM_START_TIMEOUT): 2 4;" in output,
          repr(output))
    codes, output = emulate(3, CLIENT, env=env, skip=(0,), limit=5)
    check(output.count("rank 0 did not arrive within 0.7 s") == 2,
          repr(output))
    job = Emulated(3, CLIENT, "late", 1, env=env)
    try:
        wait_until(lambda: "(FSHMEM_START_TIMEOUT): 1;" in job.output(),
                   "the message", 5)
    finally:
        job.close()


def two_of_one_rank():
    codes, output = emulate(
        3, CLIENT, each=lambda r, n: ENVIRONMENTS["PMI"](min(r, 1), n),
        limit=5)
    check(set(codes.values()) == {1} and "there are two ranks 1" in output,
          f"{codes} {output!r}")


INTRUDER = """
import os, socket, struct, sys
os.setgid(65534); os.setuid(65534)
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(chr(0) + sys.argv[1])
try:
    s.send(struct.pack("IIIIi", 0x424f4a48, int(sys.argv[2]), 1, 2, os.getpid()))
    sys.exit(1 if s.recv(4096) else 0)
except OSError:
    pass
"""


def other_users_are_kept_out():
    """Whoever knows the name of the socket gets no descriptors from it."""
    if os.geteuid() != 0:
        return "skipped: needs root to be somebody else"
    place = {k: str(v) for k, v in ENVIRONMENTS["PMI"](0, 2).items()}
    first = Job(CLIENT, env=place)
    second = None
    try:
        wait_until(meeting_place, "rank 0 listens", 5)
        done = subprocess.run([sys.executable, "-c", INTRUDER, meeting_place(),
                               "0"], timeout=10, check=False)
        check(done.returncode == 0, "the intruder got an answer")
        check(first.proc.poll() is None, first.output())
        place["PMI_RANK"] = "1"
        second = Job(CLIENT, env=place)
        check(first.await_end() == 0 and second.await_end() == 0, "codes")
    finally:
        first.close()
        if second:
            second.close()
    check(not meeting_place(), "the socket is left")
    return None


def meeting_place():
    with open("/proc/net/unix") as f:
        hit = re.search(r"@(fshmem-\S+)", f.read())
    return hit.group(1) if hit else None


def exit_codes():
    """Each process ends with the code of the job."""
    for scenario, code in ((["return", 0], 0), (["return", 5], 5),
                           (["gasnet", 9], 9), (["one-spin", 12], 12),
                           (["one-block", 14], 14), (["handler", 17], 17),
                           (["before-attach", 8], 8), (["one-return", 16], 16)):
        codes, output = emulate(3, EXIT_JOB, *scenario, limit=8)
        check(set(codes.values()) == {code}, f"{scenario}: {codes} {output!r}")
    codes, output = emulate(3, EXIT_JOB, "sigquit", 19, limit=8)
    check(set(codes.values()) == {19}, f"{codes}")
    check(output.count("quit seen") == 2, repr(output))


def ranks_are_killed():
    for victim in 0, 2:
        job = Emulated(3, CLIENT, "spin")
        try:
            job.await_up()
            os.kill(job.jobs[victim].proc.pid, signal.SIGKILL)
            codes = job.await_end(5)
            check(codes.pop(victim) == 137 and set(codes.values()) == {1},
                  f"{codes}")
            check(f"rank {victim} (pid" in job.output() and
                  "has ended without leaving" in job.output(), job.output())
        finally:
            job.close()


STARTER = """
import os, subprocess, sys
n = int(sys.argv[1])
for r in range(n):
    command = sys.argv[2:]
    if r == 1: command = ["sh", "-c", '"$@"; true', "sh"] + command
    subprocess.Popen(command, env={**os.environ, "PMI_RANK": str(r),
                                   "PMI_SIZE": str(n)})
os.wait()
"""


def launcher_is_killed():
    """Also of a rank behind a script, which is not the launcher's child."""
    job = Job(sys.executable, "-c", STARTER, 3, CLIENT, "spin")
    try:
        job.await_up(3)
        job.proc.kill()
        check(job.await_end() == 137, "code")
        check("the launcher (pid" in job.output(), job.output())
    finally:
        job.close()


def children_are_no_ranks():
    for command, how in (([FSHRUN, "-n", 2, CLIENT], {}),
                         ([CLIENT], None)):
        if how is None:
            codes, output = emulate(2, *command, "others")
            check(set(codes.values()) == {0}, f"{codes} {output!r}")
        else:
            code, output = run(*command, "others")
            check(code == 0, f"{code} {output!r}")
        check(output.count("hello 0 of 1\n") == 2, repr(output))


def one_program_after_the_other():
    codes, output = emulate(3, "sh", "-c", f"for i in 1 2 3 4; do {CLIENT}; "
                            "done")
    check(set(codes.values()) == {0} and output.count("of 3\n") == 12,
          f"{codes} {output!r}")


def state_on_request():
    """From any rank, none of which looks at anything; once."""
    job = Emulated(3, CLIENT, "spin")
    try:
        job.await_up()
        for each in job.jobs.values():
            each.proc.send_signal(signal.SIGUSR1)
        wait_until(lambda: "rank 2 (pid" in job.output(), "the dump")
        check(job.output().count("rank 2: running") <= 1, job.output())
        job.jobs[0].proc.kill()
        job.await_end(5)
    finally:
        job.close()
    for command, env in (([FSHRUN, "-n", 2, CLIENT], {}), ([CLIENT], pshm(2))):
        job = Job(*command, "spin", env=env)
        try:
            job.await_up(2)
            os.kill(max(job.named(NAME)), signal.SIGUSR1)
            wait_until(lambda: re.search(r"rank 1 \(pid \d+\): running \((on a "
                                         r"processor|asleep), [0-9.]+ s of",
                                         job.output()), "the dump")
            job.proc.terminate()
            check(job.await_end() == 143, "code")
        finally:
            job.close()
    job = Job(CLIENT, "spin")
    try:
        job.await_up(1)
        job.proc.send_signal(signal.SIGUSR1)
        wait_until(lambda: "state: rank 0 (pid" in job.output(), "the dump")
    finally:
        job.close()


def handlers_of_the_client_stay():
    for env in {}, {"GASNET_NO_CATCH_SIGNAL": "1"}:
        code, output = run(FSHRUN, "-n", 2, CLIENT, "handlers", env=env)
        check(code == 0 and output.count("signal 10 ") == 2, repr(output))


def emulated_fpga():
    codes, output = emulate(3, CLIENT, env=FPGA)
    check(set(codes.values()) == {0} and lines(output) == hellos(3),
          f"{codes} {output!r}")
    job = Emulated(2, CLIENT, "spin", env=FPGA)
    try:
        job.await_up()
        simulator = job.jobs[0].named("fshsim")
        check(len(simulator) == 1, f"simulators of rank 0: {simulator}")
        os.kill(simulator[0], signal.SIGKILL)
        codes = job.await_end(5)
        check(set(codes.values()) == {137}, f"{codes} {job.output()!r}")
    finally:
        job.close()
    for scenario, code in ((["return", 0], 0), (["gasnet", 9], 9),
                           (["one-block", 14], 14), (["one-spin", 12], 12)):
        codes, output = emulate(2, EXIT_JOB, *scenario, env=FPGA, limit=8)
        check(set(codes.values()) == {code}, f"{scenario}: {codes} {output!r}")
    start = time.monotonic()
    env = {**FPGA, "FSHMEM_SIM": "/no/such/fshsim"}
    codes, output = emulate(3, CLIENT, env=env, limit=5)
    check(set(codes.values()) == {1} and
          output.count("/no/such/fshsim") == 1, f"{codes} {output!r}")
    check(time.monotonic() - start < 4, "too late")


# ---- stopping ----

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
    master, slave = pty.openpty()
    # An interactive shell gives the job a process group, and the terminal.
    job = Job("setsid", "-c", "bash", "--norc", "-i", stdin=slave,
              env={"PS1": "", "HISTFILE": ""})
    os.close(slave)
    try:
        os.write(master, f"{FSHRUN} -n 2 {CLIENT} spin\n".encode())
        job.await_up(2)
        ranks = job.named(NAME)
        os.write(master, b"\x1a")
        wait_until(lambda: all(map(is_stopped, ranks)), "Ctrl-Z", 5)
        os.write(master, b"fg\n")
        wait_until(lambda: not any(map(is_stopped, ranks)), "fg", 5)
        os.write(master, b"\x03")
        wait_until(lambda: not job.named(NAME), "Ctrl-C", 5)
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


# ---- leaving ----

def others_may_finish():
    """A return from main with 0 waits for the others, then ends the job."""
    for env in {"FSHMEM_LEAVE_TIMEOUT": "0.5"}, {"GASNET_EXITTIMEOUT": "0.5"}:
        start = time.monotonic()
        code, output = run(FSHRUN, "-n", 3, CLIENT, "leave-early", env=env)
        check(code == 0 and "rank 2 (pid" in output and
              "others have not within 0.5 s" in output, f"{code} {output!r}")
        check(0.4 < time.monotonic() - start < 5, "the time")


# ---- memory ----

def rank_memory():
    """128 ranks: at most 16 KiB an ordered pair and 4 MiB a rank, in 10 s."""
    n = 128
    start = time.monotonic()
    code, output = run(FSHRUN, "-n", n, CLIENT)
    took = time.monotonic() - start
    check(code == 0 and lines(output) == hellos(n), output[-300:])
    check(took < 10, f"{n} ranks took {took:.1f} s")
    job = Job(FSHRUN, "-n", n, CLIENT, "pause")
    try:
        wait_until(lambda: job.output().count("up ") == n, "all up", 30)
        total = sum(pss_kib(pid) for pid in job.pids())
        limit = 16 * n * (n - 1) + 4096 * n
        check(total < limit, f"{total} KiB, limit {limit}")
        job.proc.terminate()
        job.await_end()
    finally:
        job.close()
    return f"start {took:.1f} s, {total >> 10} MiB of {limit >> 10}"


def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M).group(1))
    except OSError:
        return 0


def cgroup_for(value, *files):
    """A control group of this test's own, or None."""
    for path in files:
        root, name = os.path.split(path)
        place = os.path.join(root, f"fshmem-test-{os.getpid()}")
        try:
            os.mkdir(place)
            with open(os.path.join(place, name), "w") as f:
                f.write(str(value))
            return place
        except OSError:
            if os.path.isdir(place):
                os.rmdir(place)
    return None


def memory_limit_is_reported():
    """Said at attach, and when it bites."""
    place = cgroup_for(200 << 20,
                       "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                       "/sys/fs/cgroup/memory.max")
    if not place:
        return "skipped: no memory cgroup can be made here"
    enter = f"echo $$ > {place}/cgroup.procs; exec "
    env = {"FSHMEM_SEGMENT_MAX": "200M", "GASNET_PHYSMEM_NOPROBE": "1",
           "TEST_SEGMENT_KB": "204800"}
    try:
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT} grow",
                           env=env)
        check(code == 137 and "memory has run out (memory limit of the cgroup, "
              "200 MiB); 2 ranks with 200 MiB of segment" in output,
              f"{code} {output!r}")
        env["FSHMEM_SEGMENT_MAX"] = "90M"
        env["TEST_SEGMENT_KB"] = "92160"
        del env["GASNET_PHYSMEM_NOPROBE"]
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT}",
                           env=env)
        check(code == 0 and "segments" not in output, f"{code} {output!r}")
        env["FSHMEM_SEGMENT_MAX"] = "200M"
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT}",
                           env=env)
        check(code == 1 and "asked for 200 MiB a rank" in output and
              "memory limit of the cgroup" in output, f"{code} {output!r}")
    finally:
        wait_until(lambda: not gone(place), "the cgroup", 5)
    return None


def gone(place):
    try:
        os.rmdir(place)
    except OSError:
        return True
    return False


def memory_settings():
    """GASNET_MAX_SEGSIZE bounds, memory grants; GASNET_PHYSMEM_MAX bounds."""
    def limit(ranks, **env):
        code, output = run(FSHRUN, "-n", ranks, CLIENT, "limit", env=env)
        sizes = set(output.split())
        check(code == 0 and len(sizes) == 1, f"{env}: {code} {output!r}")
        return int(sizes.pop())

    mib = 1 << 20
    check(limit(2, GASNET_MAX_SEGSIZE="3M") == 3 * mib, "3M")
    check(limit(2, GASNET_MAX_SEGSIZE="3 MB/P") == 3 * mib, "3 MB/P")
    check(limit(3, GASNET_MAX_SEGSIZE="12MB/H") == 4 * mib, "12MB/H")
    check(limit(2, GASNET_MAX_SEGSIZE="8T") < 8 << 40, "8T is granted")
    check(limit(1, GASNET_MAX_SEGSIZE="8T") > limit(4, GASNET_MAX_SEGSIZE="8T"),
          "what memory allows does not depend on the ranks")
    check(limit(2, GASNET_MAX_SEGSIZE="8T", GASNET_PHYSMEM_MAX="64M") ==
          32 * mib, "GASNET_PHYSMEM_MAX=64M")
    half = limit(1, GASNET_MAX_SEGSIZE="1/64")
    check(abs(half - 2 * limit(1, GASNET_MAX_SEGSIZE="0.0078125")) <= 8192,
          "fractions")
    check(limit(2, FSHMEM_SEGMENT_MAX="5M", GASNET_MAX_SEGSIZE="3M") == 5 * mib,
          "FSHMEM_SEGMENT_MAX goes first")


def processors_are_counted():
    """The affinity mask, and the quota of the control group."""
    def cpus(*before):
        done = subprocess.run([*before, os.path.join(BIN, "fshinfo"), "--json"],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["host"]["cpus"]

    check(cpus("taskset", "-c", "0") == 1, "affinity")
    place = cgroup_for(50000, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                       "/sys/fs/cgroup/cpu.max")
    if not place:
        return "the quota skipped: no control group can be made here"
    try:
        check(cpus("sh", "-c", f'echo $$ > {place}/cgroup.procs; exec "$@"',
                   "sh") == 1, "quota")
    finally:
        wait_until(lambda: not gone(place), "the control group", 5)
    return None


def options_of_gasnetrun():
    for options in (["-n", 2, "-N", 1], ["-np", 2], ["-n", 2, "-E", "A,B,C"],
                    ["-n", 2, "-c", 2], ["-k", "-n", 2],
                    ["-spawner=local", "-n", 2]):
        code, output = run(FSHRUN, *options, CLIENT)
        check(code == 0 and lines(output) == hellos(2),
              f"{options}: {code} {output!r}")
    code, output = run(FSHRUN, "-n", 2, "-N", 2, CLIENT)
    check(code == 0 and "-N 2: all ranks are started on this host" in output,
          repr(output))
    check(run(FSHRUN, "-n", 2, "-N", "x", CLIENT)[0] == 2, "-N x")
    code, output = run(FSHRUN, "-n", 2, "-t", CLIENT, "a b")
    check(code == 0 and f"rank 1: {CLIENT} 'a b'" in output and
          "hello" not in output, repr(output))
    check(run(FSHRUN, "-n", 2, "-v", CLIENT)[1].count("is process") == 2, "-v")
    for option in "-h", "--help", "-help":
        code, output = run(FSHRUN, option)
        check(code == 0 and "Usage: fshrun" in output, option)


# ---- MPI itself ----

MPIS = [
    ("Open MPI", "mpirun.openmpi", "mpicc.openmpi",
     ["--allow-run-as-root", "--oversubscribe"]),
    ("MPICH", "mpiexec.hydra", "mpicc.mpich", []),
]


def each_mpi():
    found = [m for m in MPIS if shutil.which(m[1])]
    for name, launcher, compiler, options in found:
        yield name, [launcher, *options], compiler


def mpi_launchers():
    seen = []
    for name, launcher, _ in each_mpi():
        code, output = run(*launcher, "-n", 4, CLIENT)
        check(code == 0 and lines(output) == hellos(4),
              f"{name}: {code} {output!r}")
        for scenario, want in ((["return", 5], 5), (["gasnet", 9], 9),
                               (["one-spin", 12], 12), (["quick-exit", 18], 18),
                               (["one-return", 16], 16)):
            code, output = run(*launcher, "-n", 3, EXIT_JOB, *scenario)
            if name == "MPICH" and scenario[0] == "quick-exit":
                want |= 1  # mpiexec merges the codes of all
            check(code == want, f"{name}: {scenario}: {code} {output!r}")
        if HAVE_SIM:
            code, output = run(*launcher, "-n", 2, CLIENT, env=FPGA)
            check(code == 0 and lines(output) == hellos(2),
                  f"{name}, fpga: {code} {output!r}")
        seen.append(name)
    return f"ok with {', '.join(seen)}" if seen else \
        "skipped: neither mpirun.openmpi nor mpiexec.hydra is installed"


def mpi_launcher_is_killed():
    for name, launcher, _ in each_mpi():
        job = Job(*launcher, "-n", 2, CLIENT, "spin")
        try:
            job.await_up(2)
            job.proc.kill()
            check(job.await_end() == 137, name)
        finally:
            job.close()


def mpi_in_the_same_process():
    """MPI_Init before and after gasnet_init, phases of both in turn."""
    library = os.path.join(BIN, "..", "lib", "libfshmem.a")
    if os.environ.get("FSH_SANITIZE") or not os.path.exists(library):
        return "skipped: no plain static library"
    include = os.path.join(HERE, "..", "..", "include")
    seen = []
    for name, launcher, compiler in each_mpi():
        if not shutil.which(compiler):
            continue
        with tempfile.TemporaryDirectory() as place:
            program = os.path.join(place, "mpi_client")
            subprocess.run([compiler, "-std=gnu17", "-O1", "-DGASNET_PAR=1",
                            "-DGASNET_CONDUIT_SMP=1",
                            "-o", program, os.path.join(HERE, "mpi",
                                                        "mpi_client.c"),
                            "-I", include, library, "-lpthread", "-lrt", "-lm",
                            "-ldl"], check=True)
            for order in "first", "last":
                code, output = run(*launcher, "-n", 3, program, order)
                check(code == 0 and all(f"mpi {r} of 3" in output
                                        for r in range(3)),
                      f"{name}, {order}: {code} {output!r}")
        seen.append(name)
    return f"ok with {', '.join(seen)}" if seen else \
        "skipped: no MPI compiler is installed"


CASES = [pshm_is_fshrun, pshm_numbers, pshm_arguments_and_environment,
         pshm_input_and_output_are_byte_exact, pshm_before_init_happens_once,
         pshm_many, pshm_any_process_is_killed, pshm_signals,
         pshm_descriptors_are_the_ranks_own, every_launcher, launcher_of_one,
         our_launcher_goes_first, several_hosts_are_refused,
         nonsense_is_refused, missing_ranks_are_named, two_of_one_rank,
         other_users_are_kept_out, signals_to_a_rank, exit_codes, ranks_are_killed, launcher_is_killed,
         children_are_no_ranks, one_program_after_the_other, state_on_request,
         handlers_of_the_client_stay, stopped_and_continued,
         stopped_at_terminal, time_limit_stands_still, others_may_finish,
         rank_memory, memory_limit_is_reported, memory_settings,
         processors_are_counted, options_of_gasnetrun, mpi_launchers,
         mpi_launcher_is_killed, mpi_in_the_same_process]
CASES_FPGA = [pshm_fpga, pshm_fpga_is_killed, emulated_fpga]

if __name__ == "__main__":
    main(CASES + (CASES_FPGA if HAVE_SIM else []))
