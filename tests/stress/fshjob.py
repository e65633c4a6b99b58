# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under test: start one, look at its processes, see that none is left.

Processes are recognised by a variable in their environment, which ranks,
simulator and everything below them inherit. Used by test_*.py beside this file.
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time
import uuid

BIN = os.environ["FSH_BIN"]
TESTS = os.environ["FSH_TESTS"]
FSHRUN = os.environ.get("FSH_LAUNCHER", os.path.join(BIN, "fshrun"))
RANKS = os.path.join(TESTS, "stress_boot_ranks")
CLIENT = os.path.join(TESTS, "stress_job")  # a GASNet program
CLIENT_NAME = os.path.basename(CLIENT)
EXIT_JOB = os.path.join(TESTS, "conform", "conform_exit_job")
HAVE_SIM = os.path.exists(os.path.join(BIN, "fshsim"))
# A job of the program's own, on simulated nodes.
FPGA = {"FSHMEM_CONDUIT": "fpga", "PATH": BIN + ":" + os.environ["PATH"]}
# Linux tells those who are connected to a process how it has ended, also when its
# parent has taken the status.
STATUS_STAYS = tuple(int(n) for n in re.findall(
    r"\d+", os.uname().release)[:2]) >= (6, 16)
END_LIMIT = 5.0  # seconds a job may take to end


class Failure(Exception):
    pass


class Skip(Exception):
    """This case cannot be tried here; why."""


def open_terminal():
    """Both ends of a terminal."""
    try:
        return pty.openpty()
    except OSError as error:
        raise Skip(f"there are no terminals here (/dev/pts): {error}")


def check(condition, text):
    if not condition:
        raise Failure(text)


def lines(text):
    return sorted(text.splitlines())


def hellos(n, word="hello"):
    """What the ranks of CLIENT say, sorted."""
    return sorted(f"{word} {r} of {n}" for r in range(n))


def pshm(n, **more):
    """Environment in which a program starts its own job."""
    return {"GASNET_PSHM_NODES": str(n), **more}


def wait_until(condition, what, limit=20.0):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"not within {limit} s: {what}")
        time.sleep(0.01)


def default_signals():
    """As at a terminal, also if this test runs in the background."""
    for sig in signal.SIGINT, signal.SIGHUP:
        signal.signal(sig, signal.SIG_DFL)


class Job:
    """A command started with its output in files."""

    def __init__(self, *command, env=None, stdin=subprocess.DEVNULL, out=None):
        self.tag = uuid.uuid4().hex
        self.command = [str(c) for c in command]
        full = {k: v for k, v in os.environ.items()
                if not k.startswith(("FSHMEM_", "GASNET_"))}
        full.update(env or {})
        full["TEST_JOB_TAG"] = self.tag
        self.read_end, write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.text = b""
        self.proc = subprocess.Popen(
            self.command, env=full, stdin=stdin, stdout=out or write_end,
            stderr=write_end, preexec_fn=default_signals)
        os.close(write_end)

    def output(self):
        while True:
            try:
                piece = os.read(self.read_end, 65536)
            except BlockingIOError:
                break
            if not piece:
                break
            self.text += piece
        return self.text.decode(errors="replace")

    def pids(self):
        """All living processes of the job, the started one included."""
        found = []
        mark = f"TEST_JOB_TAG={self.tag}".encode()
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    if mark not in f.read():
                        continue
                with open(f"/proc/{name}/stat") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                        found.append(int(name))
            except OSError:
                continue
        return found

    def named(self, name):
        found = []
        for pid in self.pids():
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name:
                    found.append(pid)
            except OSError:
                continue
        return found

    def await_up(self, ranks):
        wait_until(lambda: self.output().count("up ") == ranks,
                   f"{ranks} ranks up; output so far: {self.text!r}")

    def rank_pid(self, rank):
        """Needs fshrun -v."""
        hit = re.search(rf"rank {rank} is process (\d+)", self.output())
        check(hit, f"no pid of rank {rank} in {self.text!r}")
        return int(hit.group(1))

    def await_end(self, limit=END_LIMIT):
        """Exit code (128+signal as a shell has it); nothing may be left."""
        start = time.monotonic()
        try:
            code = self.proc.wait(limit)
        except subprocess.TimeoutExpired:
            raise Failure(f"still there after {limit} s: {self.describe()}")
        rest = limit - (time.monotonic() - start)
        wait_until(lambda: not self.pids(),
                   f"survivors: {self.describe()}", max(rest, 0.01))
        self.output()
        return code if code >= 0 else 128 - code

    def describe(self):
        lines = []
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    lines.append(f"{pid}: {f.read()!r}")
            except OSError:
                pass
        return "; ".join(lines) + f" output: {self.output()!r}"

    def close(self):
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.proc.wait()
        os.close(self.read_end)


def memory_objects(pids):
    """Inodes of the memfds that these processes have open or mapped."""
    found = set()
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                path = f"/proc/{pid}/fd/{name}"
                if os.readlink(path).startswith("/memfd:fshmem"):
                    found.add(os.stat(path).st_ino)
            with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
                for line in f:
                    if "/memfd:fshmem" in line:
                        found.add(int(line.split()[4]))
        except OSError:
            continue
    return found


def holders_of(objects):
    """Processes, of anybody, that have one of these memory objects."""
    return [pid for pid in filter(str.isdigit, os.listdir("/proc"))
            if memory_objects([pid]) & objects]


def run(*command, **how):
    """Start, wait, return (code, output). limit: seconds for all of it."""
    limit = how.pop("limit", 60)
    job = Job(*command, **how)
    try:
        code = job.await_end(limit)
        return code, job.output()
    finally:
        job.close()


def main(cases):
    """Run the functions; exit code for ctest: 77 if all were skipped."""
    failed = tried = 0
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    before = set(os.listdir("/dev/shm"))
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        start = time.monotonic()
        try:
            result = case() or "ok"
        except Skip as why:
            result = f"skipped: {why}"
        except (Failure, OSError, ValueError) as failure:
            result = f"FAILED: {failure}"
            failed += 1
        tried += not result.startswith("skipped")
        print(f"{case.__name__}: {result} "
              f"({time.monotonic() - start:.1f} s)", flush=True)
    left = {n for n in set(os.listdir("/dev/shm")) - before if "fsh" in n}
    if left:
        print(f"FAILED: left in /dev/shm: {left}")
        failed += 1
    if failed:
        sys.exit(1)
    print("PASS" if tried else "nothing could be tried")
    sys.exit(0 if tried else 77)
