#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processors of ranks: who gets which, and when nobody is bound. In a network
namespace of its own, where jobs of others are not seen."""
import json
import os
import shutil
import signal
import subprocess
import sys

from fshjob import (BIN, CLIENT, FSHRUN, HAVE_SIM, RANKS, Job, Skip, check,
                    main, pshm, run, wait_until)

MINE = sorted(os.sched_getaffinity(0))
MASK = ["sh", "-c", "grep Cpus_allowed_list /proc/self/status"]
UNBOUND = "ranks are not bound to processors: "


def processors(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def masks(output):
    """Of the ranks, in any order."""
    return [processors(line.split()[1]) for line in output.splitlines()
            if line.startswith("Cpus_allowed_list")]


def job(*options, before=(), env=None, code=0):
    got, output = run(*before, FSHRUN, *options, *MASK, env=env)
    check(got == code, f"{options}: code {got}: {output!r}")
    return output


def need(count):
    if len(MINE) < count:
        raise Skip(f"{count} processors are needed, {len(MINE)} are here")


def need_alone():
    """Nobody has bound this test, and no job is here that is not its own."""
    need(2)
    output = run(FSHRUN, "--show", "-n", 2, "true")[1]
    for reason in "another job", "bound this process":
        if reason in output:
            raise Skip(reason)


def auto_divides():
    need_alone()
    for ranks in range(2, min(len(MINE), 5) + 1):
        output = job("-n", ranks, "-v")
        got = masks(output)
        check(len(got) == ranks and sum(map(len, got)) == len(MINE) and
              set().union(*got) == set(MINE), f"{ranks}: {output!r}")
        check(output.count(" has processors ") == ranks, output)
    check(masks(job("-n", 1)) == [set(MINE)], "one rank")


def too_many_ranks():
    ranks = len(MINE) + 1
    for what in "auto", "core", "numa":
        quiet = job("-n", ranks, "--bind-to", what)
        check(masks(quiet) == [set(MINE)] * ranks and "fshrun" not in quiet,
              f"{what}: {quiet!r}")
    need_alone()
    check(UNBOUND + f"{ranks} ranks need" in job("-n", ranks, "-v"), "why")


def bound_before():
    need(2)
    taskset = ["taskset", "-c", str(MINE[1])]
    output = job("-n", 1, "-v", "--bind-to", "core", before=taskset)
    check(masks(output) == [{MINE[1]}], output)
    quiet = job("-n", 2, before=taskset)
    check(masks(quiet) == [{MINE[1]}] * 2 and "fshrun" not in quiet, quiet)
    output = job("-n", 2, "-v", before=taskset)
    check(UNBOUND + "somebody has bound" in output, output)
    output = run(*taskset, FSHRUN, "-n", 1, "--bind-to", MINE[0], "true")[1]
    check(f"may use processors {MINE[1]} only" in output, output)


def another_job():
    """Of a launcher, or of a program that is its own; killed, it counts no more."""
    need_alone()
    for command, env in (([FSHRUN, "-n", 2, RANKS, "none", 0, 0, "wait"], {}),
                         ([CLIENT, "pause"], pshm(2))):
        first = Job(*command, env=env)
        try:
            wait_until(lambda: len(first.pids()) >= 4, "the first job")
            output = job("-n", 2, "-v")
            check(masks(output) == [set(MINE)] * 2 and
                  UNBOUND + "another job" in output, f"{command}: {output!r}")
            bound = masks(job("-n", 2, "--bind-to", f"{MINE[0]},{MINE[1]}"))
            check(sorted(map(sorted, bound)) == [MINE[:1], MINE[1:2]],
                  f"asked for, it is done: {bound}")
            for pid in first.pids():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            wait_until(lambda: not first.pids(), "the end of the first")
            check(UNBOUND not in job("-n", 2, "-v"), "after kill -9")
        finally:
            first.close()


def asked_for():
    need(2)
    a, b = MINE[:2]
    for how in (["--bind-to", f"{b},{a}"], {"FSHMEM_BIND": f"{b},{a}"}):
        env = how if isinstance(how, dict) else None
        output = job("-n", 2, "-v", *([] if env else how), env=env)
        check(sorted(map(sorted, masks(output))) == [[a], [b]] and
              f"rank 0 has processors {b}\n" in output, output)
    check(masks(job("-n", 2, "--bind-to", "none")) == [set(MINE)] * 2, "none")
    output = run(FSHRUN, "--show", "-n", 2, "--bind-to", f"{a}-{b}", "true")[1]
    check("rank 1 has processors " in output and "rank 1: " in output, output)


def refused():
    for what, text in (
            ("corr", "--bind-to corr: expected one of auto|none|core|numa, or a"),
            ("3-1", "--bind-to 3-1: expected"), ("0,", "--bind-to 0,: expected"),
            ("", "--bind-to : expected"), ("65536", "--bind-to 65536: expected"),
            (str(MINE[0]), "name at least 2, or none"),
            (f"{MINE[0]},65535", " only; name some of them")):
        code, output = run(FSHRUN, "-n", 2, "--bind-to", what, "true")
        check(code == 2 and text in output, f"'{what}': {code} {output!r}")
    code, output = run(FSHRUN, "-n", 2, "true", env={"FSHMEM_BIND": "cores"})
    check(code != 0 and "FSHMEM_BIND=cores: expected" in output, output)
    code, output = run(FSHRUN, "-n", 2, "true", env={"FSHMEM_BIND": "65535"})
    check(code == 2 and "FSHMEM_BIND: 65535: this process may" in output, output)


def only_fshrun_binds():
    text = "FSHMEM_BIND=core has no effect here: only fshrun binds"
    code, output = run(CLIENT, env=pshm(2, FSHMEM_BIND="core"))
    check(code == 0 and output.count(text) == 1, output)
    code, output = run(CLIENT, env=pshm(2, FSHMEM_BIND="core", GASNET_QUIET="1"))
    check(code == 0 and text not in output, output)
    check(text not in run(FSHRUN, "-n", 1, "--bind-to", "core", CLIENT)[1],
          "with fshrun")


def simulator_is_free():
    if not HAVE_SIM:
        raise Skip("no simulator")
    need(2)
    first = Job(FSHRUN, "-v", "-n", 2, "--conduit", "fpga", "--bind-to",
                f"{MINE[0]},{MINE[1]}", RANKS, "none", 0, 0, "wait")
    try:
        first.await_up(2)
        [simulator] = first.named("fshsim")
        check(os.sched_getaffinity(simulator) == set(MINE), "the simulator")
        ranks = [os.sched_getaffinity(first.rank_pid(r)) for r in (0, 1)]
        check(not ranks[0] & ranks[1], f"ranks: {ranks}")
    finally:
        first.close()
    if len(MINE) == 2:
        output = run(FSHRUN, "-n", 2, "--conduit", "fpga", "--show", "true")[1]
        check(UNBOUND in output, output)


def fshinfo_shows_it():
    def facts(*before):
        done = subprocess.run([*before, os.path.join(BIN, "fshinfo"), "--json"],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["processors"]

    check(processors(facts()["mine"]) == set(MINE), f"{facts()}")
    one = facts("taskset", "-c", str(MINE[0]))
    check(one["mine"] == str(MINE[0]) and one["processors"] == 1, f"{one}")
    need(2)
    check(one["bound"], f"{one}")
    output = run(FSHRUN, "-n", 2, "--bind-to", f"{MINE[0]},{MINE[1]}",
                 "--tag-output", "fshinfo")[1]
    for rank in 0, 1:
        check(f"[{rank}]   this process       {MINE[rank]} (bound)" in output,
              output)


CASES = [auto_divides, too_many_ranks, bound_before, another_job, asked_for,
         refused, only_fshrun_binds, simulator_is_free, fshinfo_shows_it]

if __name__ == "__main__":
    INSIDE = ["unshare", "-Urn"]
    if "FSH_INSIDE" not in os.environ and shutil.which("unshare") and \
            subprocess.run([*INSIDE, "true"], check=False).returncode == 0:
        os.environ["FSH_INSIDE"] = "1"
        os.execvp("unshare", [*INSIDE, sys.executable, *sys.argv])
    main(CASES)
