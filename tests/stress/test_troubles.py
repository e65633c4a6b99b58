#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What users of such libraries suffer from, where no other test shows it:
docs/03_developer/testing.md is the list."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from fshjob import (BIN, FSHRUN, HAVE_SIM, TESTS, Job, check, holders_of, main,
                    memory_objects, run, wait_until)

CLIENT = os.path.join(TESTS, "stress_job")
CONDUITS = ["smp", "fpga"] if HAVE_SIM else ["smp"]


def hellos(output, n):
    return sorted(output.splitlines()) == sorted(f"hello {r} of {n}"
                                                 for r in range(n))


def can(*command):
    """Does this command work here?"""
    return shutil.which(command[0]) is not None and subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0


# ---- hangs ----

def watchdog_of_a_wait():
    for conduit in CONDUITS:
        code, output = run(FSHRUN, "-n", 3, "--conduit", conduit, CLIENT,
                           "one-spins", env={"FSHMEM_WATCHDOG": "1"}, limit=20)
        check(code == 1 and re.search(
            r"rank [02]: gasnet_barrier_wait: blocked for 1 s "
            r"\(FSHMEM_WATCHDOG\), waiting for node \d", output),
              f"{conduit}: {code} {output!r}")


def watchdog_of_a_sender():
    """Who sends to a rank that takes nothing: rank, operation, peer, credits."""
    facts = {
        "smp": (r"rank 0:   smp: request ring to rank 1: \d+ of 64 slots not "
                "returned",
                r"rank 0: active message request to rank 1: blocked for 1 s "
                r"\(FSHMEM_WATCHDOG\), waiting for a free ring slot"),
        "fpga": (r"rank 0:   fpga: .*rank 1.*slot",
                 r"rank 0: conduit fpga: blocked for 1 s \(FSHMEM_WATCHDOG\), "
                 "waiting for .*, rank 1"),
    }
    for conduit in CONDUITS:
        code, output = run(FSHRUN, "-n", 2, "--conduit", conduit, CLIENT,
                           "flood", env={"FSHMEM_WATCHDOG": "1"}, limit=20)
        check(code == 1, f"{conduit}: {code} {output!r}")
        for fact in facts[conduit]:
            check(re.search(fact, output), f"{conduit}: no '{fact}' in "
                                           f"{output!r}")


def state_of_a_deaf_rank():
    """SIGUSR1 to the launcher, or to the rank that never calls anything."""
    seen = re.compile(r"rank 0 \(pid \d+\): running, waiting for .*rank 1.*\n"
                      r".*rank 1 \(pid \d+\): running \(on a processor")
    for conduit in CONDUITS:
        for whom in "launcher", "rank":
            job = Job(FSHRUN, "-v", "-n", 2, "--conduit", conduit, CLIENT,
                      "flood")
            try:
                job.await_up(2)
                pid = job.proc.pid if whom == "launcher" else job.rank_pid(1)

                def dumped():  # rank 0 blocks sooner or later
                    os.kill(pid, signal.SIGUSR1)
                    time.sleep(0.05)
                    return seen.search(job.output())
                wait_until(dumped, f"{conduit}: {whom} prints the state")
                job.proc.terminate()
                check(job.await_end() == 143, "code")
            finally:
                job.close()


def waiting_costs_nothing():
    """7 ranks wait 1.5 s for the eighth: by far most of it asleep."""
    code, output = run(FSHRUN, "-n", 8, CLIENT, "last")
    spent = [int(ms) for ms in re.findall(r"waited (\d+)", output)]
    check(code == 0 and len(spent) == 8, f"{code} {output!r}")
    check(max(spent) < 300, f"ms of processor time in 1500 ms: {spent}")
    return f"ok, at most {max(spent)} ms of 1500"


def many_ranks_on_one_processor():
    for ranks, program in (8, "am_ping_pong"), (16, "barrier_random"):
        start = time.monotonic()
        code, output = run("taskset", "-c", "0", FSHRUN, "-n", ranks,
                           os.path.join(TESTS, "conform",
                                        f"conform_{program}"),
                           env={"FSHMEM_TEST_SCALE": "0.2"})
        check(code == 0 and f"{program}: pass" in output, f"{code} {output!r}")
        check(time.monotonic() - start < 20,
              f"{program}: {time.monotonic() - start:.1f} s")


# ---- what a job needs ----

def nothing_but_the_program():
    """No network, no name of the host, no home, no environment."""
    job = [FSHRUN, "-n", "4", CLIENT]
    bare = ["env", "-i"]
    if can("unshare", "-n", "true"):
        bare = ["unshare", "-n", *bare]
    done = subprocess.run([*bare, *job], capture_output=True, text=True,
                          timeout=60, check=False)
    check(done.returncode == 0 and hellos(done.stdout, 4) and not done.stderr,
          f"{done}")
    return f"ok, with {' '.join(bare)}"


def sixteen_ranks():
    code, output = run(FSHRUN, "-n", 16, CLIENT)
    check(code == 0 and hellos(output, 16), f"{code} {output!r}")


class Unprivileged:
    """A command prefix that makes somebody of us who has no rights, and copies
    of programs which they may run: the tree may be in a home that is closed to
    them."""

    def __init__(self, *limits, user=65534):
        self.place = tempfile.TemporaryDirectory()
        os.chmod(self.place.name, 0o755)
        self.prefix = ["prlimit", *limits, "setpriv", "--no-new-privs"]
        if os.geteuid() == 0:
            self.prefix += [f"--reuid={user}", f"--regid={user}",
                            "--clear-groups", "--inh-caps=-all",
                            "--bounding-set=-all"]
        self.fshrun, self.client = self.copy(FSHRUN), self.copy(CLIENT)

    def copy(self, program):
        return shutil.copy(program, self.place.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()

    def missing(self):
        """Why it cannot be done here, or None."""
        if can(*self.prefix, "true") and not can(*self.prefix, self.client):
            return f"skipped: nothing in {self.place.name} can be executed"
        return None if can(*self.prefix, "true") else \
            "skipped: privileges cannot be dropped here"


def no_privileges():
    """Not root, no capability, no locked memory: neither ptrace nor pinning."""
    with Unprivileged("--memlock=0") as nobody:
        if nobody.missing():
            return nobody.missing()
        for program in (nobody.client,), (nobody.client, "pause"):
            job = Job(*nobody.prefix, nobody.fshrun, "-n", 3, *program)
            try:
                if len(program) == 1:
                    check(job.await_end(30) == 0 and hellos(job.output(), 3),
                          job.output())
                    continue
                job.await_up(3)
                os.kill(job.named(os.path.basename(CLIENT))[0], signal.SIGKILL)
                check(job.await_end() == 137, job.output())
            finally:
                job.close()
    return None


def few_processes():
    """Whichever process or thread is one too many: limit and remedy are said."""
    if os.geteuid() != 0:
        return "skipped: needs root to be somebody without other processes"
    user = 60000 + os.getpid() % 5000
    for conduit in CONDUITS:
        works = False
        for limit in range(1, 16):
            with Unprivileged(f"--nproc={limit}", user=user) as few:
                if conduit == "fpga":
                    few.copy(os.path.join(BIN, "fshsim"))
                code, output = run(*few.prefix, few.fshrun, "-n", 2,
                                   "--conduit", conduit, few.client)
            if code == 0:
                check(hellos(output, 2), f"{conduit} {limit}: {output!r}")
                works = True
                continue
            check(not works, f"{conduit} {limit}: {code} {output!r}")
            check(code == 1 and "terminate called" not in output and
                  f"limit on processes and threads is {limit} (ulimit -u" in
                  output, f"{conduit} {limit}: {code} {output!r}")
        check(works, f"{conduit}: not even with {limit}")
    return None


def small_dev_shm():
    """Segments of 64 MiB, all of it written, beside a /dev/shm of 64 KiB."""
    if not can("unshare", "-m", "true"):
        return "skipped: no mount namespace can be made here"
    code, output = run("unshare", "-m", "sh", "-c",
                       "mount -t tmpfs -o size=64k none /dev/shm && "
                       f"exec {FSHRUN} -n 2 {CLIENT} grow",
                       env={"TEST_SEGMENT_KB": "65536"})
    check(code == 0 and output.count("touched") == 2, f"{code} {output!r}")
    return None


# ---- memory ----

def segments_too_large_for_memory():
    """Said once, at attach: needed, left, which limit, what to set."""
    script = f"GASNET_PHYSMEM_MAX=100M exec {CLIENT}"
    code, output = run(FSHRUN, "-n", 3, "sh", "-c", script,
                       env={"TEST_SEGMENT_KB": "65536"})
    said = [l for l in output.splitlines() if "gasnet_attach" in l]
    check(code == 0 and len(said) == 1, f"{code} {output!r}")
    for fact in ("the segments of 3 ranks are 192 MiB",
                 "but 100 MiB are left (GASNET_PHYSMEM_MAX", "is killed",
                 "FSHMEM_SEGMENT_MAX", "GASNET_PHYSMEM_NOPROBE=1"):
        check(fact in said[0], f"no '{fact}' in {said[0]}")
    code, output = run(FSHRUN, "-n", 3, "sh", "-c",
                       f"GASNET_PHYSMEM_MAX=200M exec {CLIENT}",
                       env={"TEST_SEGMENT_KB": "65536"})
    check(code == 0 and "gasnet_attach" not in output, f"{code} {output!r}")


def segment_is_refused():
    """Asked, for how many, left, whose limit, which variable."""
    code, output = run(FSHRUN, "-n", 4, "--segment-max", "1G", CLIENT,
                       env={"GASNET_PHYSMEM_MAX": "512M"})
    check(code == 1, f"{code} {output!r}")
    for fact in ("asked for 1 GiB a rank (4 GiB for 4 ranks, "
                 "FSHMEM_SEGMENT_MAX)", "only 512 MiB are left "
                 "(GASNET_PHYSMEM_MAX)", "ask for less with "
                 "FSHMEM_SEGMENT_MAX"):
        check(fact in output, f"no '{fact}' in {output!r}")


# ---- what is left ----

def nothing_is_left():
    """kill -9 of each process in turn, from the first moment on."""
    for conduit in CONDUITS:
        for turn in range(4):
            shm = set(os.listdir("/dev/shm"))
            with tempfile.TemporaryDirectory() as place:
                job = Job(FSHRUN, "-n", 2, "--conduit", conduit, CLIENT,
                          "pause", env={"TMPDIR": place})
                try:
                    job.await_up(2)
                    pids = sorted(job.pids())
                    objects = memory_objects(pids)
                    check(objects, "no memory object is known")
                    os.kill(pids[turn % len(pids)], signal.SIGKILL)
                    check(job.await_end() == 137, job.output())
                    check(not holders_of(objects), "memory objects are left")
                    check(not os.listdir(place), f"{os.listdir(place)}")
                finally:
                    job.close()
            left = {n for n in set(os.listdir("/dev/shm")) - shm if "fsh" in n}
            check(not left, f"in /dev/shm: {left}")


def page_is_true():
    """Every test that the page names is there, and where it says."""
    here = os.path.dirname(os.path.abspath(__file__))
    top = os.path.join(here, "..", "..")

    def read(*path):
        with open(os.path.join(top, *path), encoding="utf-8") as f:
            return f.read()

    def guards(part):
        return [r.rstrip(" |").split("|")[-1] for r in part.splitlines()
                if r.startswith("| ")]

    programs = "".join(" ".join(os.listdir(os.path.join(top, "tests", d)))
                       for d in ("conform", "unit", "fuzz"))
    programs += read("tests", "conform", "CMakeLists.txt")
    page = read("docs", "03_developer", "testing.md")
    users, found = page.split("suffer from,")[1].split("## Faults that were")
    seen = 0
    for place, name in ((g.partition(":")[0].strip(), n)
                        for row in guards(users) for g in row.split(";")
                        for n in re.findall(r"`(\w+)`", g)):
        script = os.path.join("tests", "stress", f"test_{place}.py")
        if os.path.exists(os.path.join(top, script)):
            check(f"def {name}(" in read(script), f"no {name} in {script}")
        elif place != "soak":
            check(name == "INDEX" or name.removeprefix("fuzz_") in programs,
                  f"no program {name}")
        seen += 1
    check(seen > 40, f"{seen} names")
    names_are_somewhere(top, guards(found))


def names_are_somewhere(top, cells):
    """What guards a fault is a file, or a word, of what tests."""
    words = set()
    for part in ("tests", "hw", "sim", "tools", "src"):
        for directory, _, files in os.walk(os.path.join(top, part)):
            words.update(w for f in files for w in re.findall(r"\w+", f))
            for f in files:
                if part == "src" or not f.endswith((".c", ".py", ".sh", ".cpp",
                                                    ".txt", ".cmake", "INDEX")):
                    continue
                with open(os.path.join(directory, f), encoding="utf-8") as file:
                    words.update(re.findall(r"\w+", file.read()))
    seen = 0
    for name in (n for cell in cells for n in re.findall(r"`([\w/.-]+)`", cell)):
        last = re.sub(r"\.(c|py|sv|yml)$", "", name).split("/")[-1]
        parts = [w for w in re.findall(r"\w+", last) if w != "rtl"]
        check(all(p in words or re.sub(r"^(fsh_|header_)", "", p) in words
                  for p in parts), f"no {name}")
        seen += 1
    check(seen > 100, f"{seen} names of guards")


CASES = [watchdog_of_a_wait, watchdog_of_a_sender, state_of_a_deaf_rank,
         waiting_costs_nothing, many_ranks_on_one_processor,
         nothing_but_the_program, sixteen_ranks, no_privileges, few_processes,
         small_dev_shm,
         segments_too_large_for_memory, segment_is_refused, nothing_is_left,
         page_is_true]

if __name__ == "__main__":
    main(CASES)
