#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job is the same job however its ranks are started: by the launchers of MPI,
emulated by their environment (test_mpi.py has them), or by gasnetrun's
options."""
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time

from fshjob import (CLIENT, CLIENT_NAME, EXIT_JOB, FPGA, FSHRUN, HAVE_SIM,
                    STATUS_STAYS, Job, check, hellos, lines, main, pshm, run,
                    wait_until)


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
        wait_until(lambda: meeting_place(first.proc.pid), "rank 0 listens", 5)
        name = meeting_place(first.proc.pid)
        done = subprocess.run([sys.executable, "-c", INTRUDER, name, "0"],
                              timeout=10, check=False)
        check(done.returncode == 0, "the intruder got an answer")
        check(first.proc.poll() is None, first.output())
        place["PMI_RANK"] = "1"
        second = Job(CLIENT, env=place)
        check(first.await_end() == 0 and second.await_end() == 0, "codes")
    finally:
        first.close()
        if second:
            second.close()
    check(name not in sockets().values(), "the socket is left")
    return None


def garbage_is_passed_by():
    """A process of this user that says anything but a hello, or nothing."""
    place = {k: str(v) for k, v in ENVIRONMENTS["PMI"](0, 2).items()}
    seed = int.from_bytes(os.urandom(4), "little")
    dice = random.Random(seed)
    first = Job(CLIENT, env=place)
    second = None
    try:
        wait_until(lambda: meeting_place(first.proc.pid), "rank 0 listens", 5)
        name = meeting_place(first.proc.pid)
        for attempt in range(100):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                s.connect(chr(0) + name)
                data = dice.randbytes(dice.choice([1, 4, 16, 19, 20, 21, 24, 4000]))
                if attempt % 3 == 0:  # as if from a rank, but for its length
                    data = struct.pack("I", 0x424f4a48) + data
                    data += b"x" * (len(data) == 20)
                if attempt % 10:
                    s.send(data)
        place["PMI_RANK"] = "1"
        second = Job(CLIENT, env=place)
        check(first.await_end() == 0 and second.await_end() == 0,
              f"seed {seed}: {first.output()!r}")
    finally:
        first.close()
        if second:
            second.close()


SQUATTER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
taken = []
for name in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.bind(chr(0) + name)
    s.listen(128)
    taken.append(s)
print("taken", flush=True)
sys.stdin.read()
"""


class Squatter:
    """Another user's process that listens under these names."""

    def __init__(self, names):
        self.proc = subprocess.Popen([sys.executable, "-c", SQUATTER, *names],
                                     stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
        check(self.proc.stdout.readline() == b"taken\n", "no squatter")

    def close(self):
        self.proc.communicate()


def meeting_names(env):
    """Where ranks of this script meet: the first name, and the others."""
    job = Job(CLIENT, env=env)
    try:
        wait_until(lambda: meeting_place(job.proc.pid), "rank 0 listens", 5)
        name = meeting_place(job.proc.pid)
    finally:
        job.close()
    check(name.endswith("-0"), name)
    return [name[:-1] + str(k) for k in range(4)]


def squatters_are_passed_by():
    """Another user sits on the name: the ranks meet at the next, and if all are
    taken the job is refused at once."""
    if os.geteuid() != 0:
        return "skipped: needs root to be somebody else"
    env = {k: str(v) for k, v in ENVIRONMENTS["PMI"](0, 2).items()}
    names = meeting_names(env)
    for taken in names[:1], names[:3]:
        squatter = Squatter(taken)
        try:
            start = time.monotonic()
            codes, output = emulate(3, CLIENT)
            check(set(codes.values()) == {0} and lines(output) == hellos(3),
                  f"{codes} {output!r}")
            check(time.monotonic() - start < 10, "too late")
        finally:
            squatter.close()
    squatter = Squatter(names)
    try:
        codes, output = emulate(3, CLIENT, limit=10)
        check(set(codes.values()) == {1} and "user 65534" in output and
              "rank 0:" in output, f"{codes} {output!r}")
    finally:
        squatter.close()
    return None


def fnv(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return value


def names_are_not_guessed():
    """What other users can know of a job does not give the name of its socket,
    where launcher or kernel tell the ranks something that others cannot read."""
    with open("/proc/self/stat") as f:
        start = f.read().rsplit(")", 1)[1].split()[19]
    key = {"OMPI_MCA_orte_precondition_transports": "1f00d-2beef"}
    for place, job in (
            (ENVIRONMENTS["PMI"](0, 2), f"PMI/{os.getpid()}/{start}"),
            ({**ENVIRONMENTS["Open MPI"](0, 2), **key},
             f"Open MPI/test-{os.getpid()}@1")):
        names = meeting_names({k: str(v) for k, v in place.items()})
        guess = f"fshmem-{os.geteuid()}-{fnv(job):016x}-0"
        check(names[0] != guess and len(names[0]) == len(guess), names[0])
    codes, output = emulate(3, CLIENT, launcher="Open MPI", env=key)
    check(set(codes.values()) == {0} and lines(output) == hellos(3),
          f"{codes} {output!r}")


def descriptors_run_out():
    """One for each rank: the soft limit is raised, the hard one is named."""
    program = ["sh", "-c", f'ulimit -S -n 16; exec "$@"', "sh", CLIENT]
    codes, output = emulate(20, *program)
    check(set(codes.values()) == {0} and lines(output) == hellos(20),
          f"{codes} {output!r}")
    program[2] = program[2].replace("-S ", "")
    for env in {}, FPGA if HAVE_SIM else {}:
        start = time.monotonic()
        codes, output = emulate(20, *program, env=env)
        check(set(codes.values()) == {1}, f"{codes} {output!r}")
        check(re.search(r"rank 0: .*a job of 20 ranks needs \d+ descriptors.* "
                        r"limit is 16 \(ulimit -n\)", output) and
              output.count("\n") == 1, repr(output))
        check(time.monotonic() - start < 10, "too late")


def links(pid):
    """What its descriptors are."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            yield os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            pass


def has_come(first, other):
    """Rank 0 has a connection, and the other, its only one, waits for it."""
    with open(f"/proc/{other}/stat") as f:
        asleep = f.read().rsplit(")", 1)[1].split()[0] == "S"
    return asleep and \
        sum(link.startswith("socket:") for link in links(first)) == 2


def sockets():
    """Names of the sockets at which ranks meet, by inode."""
    with open("/proc/net/unix") as f:
        rows = [line.split() for line in f]
    return {row[6]: row[7][1:] for row in rows
            if row[-1].startswith("@fshmem-")}


def meeting_place(pid):
    """The one of this process; other jobs may run beside this test."""
    for link in links(pid):
        name = sockets().get(link[len("socket:["):-1])
        if name:
            return name
    return None


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


# Processes whose parent takes their status at once, as real launchers do.
AT_ONCE = ["sh", "-c", '"$@" & wait $!', "sh"]


def ranks_are_killed():
    """The others learn how: the status is there until somebody takes it, and
    the victim is awaited last."""
    for victim, sig in ((0, signal.SIGKILL), (2, signal.SIGKILL),
                        (1, signal.SIGTERM), (0, signal.SIGALRM)):
        job = Emulated(3, CLIENT, "pause")
        try:
            job.await_up()
            pid = job.jobs[victim].proc.pid
            last = job.jobs.pop(victim)
            job.jobs[victim] = last
            os.kill(pid, sig)
            codes = job.await_end(5)
            check(set(codes.values()) == {128 + sig}, f"{codes}")
            check(f"rank {victim} (pid {pid}) was killed by signal {int(sig)} "
                  in job.output(), job.output())
        finally:
            job.close()


def ranks_end_without_a_word():
    codes, output = emulate(3, EXIT_JOB, "quick-exit", 18, limit=8)
    check(set(codes.values()) == {18}, f"{codes} {output!r}")
    if not STATUS_STAYS:
        return "status that is taken: skipped, Linux is older than 6.16"
    for scenario, code in ((["quick-exit", 18], 18), (["kill", 0], 137),
                           (["abort", 0], 134)):
        codes, output = emulate(3, *AT_ONCE, EXIT_JOB, *scenario, limit=8)
        check(set(codes.values()) == {code}, f"{scenario}: {codes} {output!r}")
    return None


def rank_dies_before_all_have_come():
    job = Emulated(3, CLIENT, skip=(1,))
    try:
        first, other = (job.jobs[r].proc.pid for r in (0, 2))
        wait_until(lambda: has_come(first, other), "rank 2 has come", 5)
        os.kill(other, signal.SIGKILL)
        codes = job.await_end(5)
        check(codes == {0: 137, 2: 137}, f"{codes} {job.output()!r}")
        check("rank 2 was killed by signal 9" in job.output(), job.output())
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
            os.kill(max(job.named(CLIENT_NAME)), signal.SIGUSR1)
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


def first_leaves_early():
    """Rank 0, which owns job and simulator, serves the others to their end."""
    for env in ({}, FPGA) if HAVE_SIM else ({},):
        codes, output = emulate(3, CLIENT, "first-leaves", env=env)
        check(set(codes.values()) == {0} and lines(output) ==
              [f"answered {r} of 3" for r in (1, 2)], f"{codes} {output!r}")


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


CASES = [every_launcher, launcher_of_one, our_launcher_goes_first,
         several_hosts_are_refused, nonsense_is_refused,
         missing_ranks_are_named, two_of_one_rank, other_users_are_kept_out,
         garbage_is_passed_by, squatters_are_passed_by, names_are_not_guessed, descriptors_run_out,
         exit_codes, ranks_are_killed, ranks_end_without_a_word,
         rank_dies_before_all_have_come, launcher_is_killed,
         children_are_no_ranks, first_leaves_early,
         one_program_after_the_other, state_on_request,
         handlers_of_the_client_stay, options_of_gasnetrun]
CASES_FPGA = [emulated_fpga]

if __name__ == "__main__":
    main(CASES + (CASES_FPGA if HAVE_SIM else []))
