#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run one job and judge it.

    run.py [options] -- command...

A job passes if it ends in time with an expected code, says what is expected
(for a conformance program: "conform <name>: pass" as its last line), prints
nothing on stderr that is not expected, and leaves no process behind. Programs
that skip themselves (code 77) make this script end with 77.

With --ranks it does so once for each number of ranks, which takes the place of
{ranks} in the command.

CTest calls it; so can a person. FSHMEM_SEED is chosen at random and printed
unless it is set.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SURVIVOR_SECONDS = 5.0


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--token", help="name whose final token line must end the output")
    p.add_argument("--code", default="0",
                   help="accepted exit codes, comma separated, or 'failure'")
    p.add_argument("--out", action="append", default=[], metavar="REGEX",
                   help="must be found in the standard output")
    p.add_argument("--count", type=int, default=1,
                   help="how often each --out must be found at least")
    p.add_argument("--err", action="append", default=[], metavar="REGEX",
                   help="must be found in the standard error output")
    p.add_argument("--once", action="append", default=[], metavar="REGEX",
                   help="must be found exactly once in the standard error output")
    p.add_argument("--noise", action="store_true",
                   help="standard error output may hold other lines too")
    p.add_argument("--limit", type=float, default=60, help="seconds")
    p.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    p.add_argument("--arguments", metavar="FILE",
                   help="append the lines of FILE to the command, one each")
    p.add_argument("--ranks", default="", metavar="N,N...",
                   help="numbers of ranks to run with, one after the other")
    p.add_argument("command", nargs="+")
    args = p.parse_args(argv)
    if args.arguments:
        with open(args.arguments, encoding="utf-8") as f:
            args.command += f.read().split("\n")[:-1]
    return args


def environment(args, mark, directory):
    env = dict(os.environ)
    env.setdefault("FSHMEM_SEED", str(int.from_bytes(os.urandom(4), "little")))
    env.setdefault("GASNET_QUIET", "1")
    env["CONFORM_MARK"] = mark
    env["CONFORM_DIR"] = directory
    for setting in args.env:
        name, _, value = setting.partition("=")
        env[name] = value
    return env


def marked(mark):
    """Processes of this job: those that carry its mark."""
    wanted = f"CONFORM_MARK={mark}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if wanted in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def survivors(mark):
    deadline = time.monotonic() + SURVIVOR_SECONDS
    while True:
        left = marked(mark)
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return left


def run(args, mark, directory):
    env = environment(args, mark, directory)
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        job = subprocess.Popen(args.command, env=env, stdin=subprocess.DEVNULL,
                               stdout=out, stderr=err, start_new_session=True)
        try:
            code = job.wait(args.limit)
        except subprocess.TimeoutExpired:
            code = None
            os.kill(job.pid, signal.SIGTERM)
            try:
                job.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
        seconds = time.monotonic() - start
        left = survivors(mark)
        out.seek(0)
        err.seek(0)
        texts = [f.read().decode(errors="replace") for f in (out, err)]
    return code, seconds, left, texts[0], texts[1], env["FSHMEM_SEED"]


def judge_code(args, code):
    if code is None:
        return [f"no end within {args.limit:g} s"]
    if args.code == "failure":
        return [] if code != 0 else ["exit code 0, want a failure"]
    wanted = [int(c) for c in args.code.split(",")]
    return [] if code in wanted else [f"exit code {code}, want {args.code}"]


def judge(args, code, left, out, err):
    faults = judge_code(args, code)
    if args.token:
        lines = out.splitlines()
        want = f"conform {args.token}: pass"
        if not lines or lines[-1] != want:
            faults.append(f"the output does not end with '{want}'")
    for regex in args.out:
        found = len(re.findall(regex, out))
        if found < args.count:
            faults.append(f"output: '{regex}' found {found} times, "
                          f"want {args.count}")
    for regex in args.err:
        if not re.search(regex, err):
            faults.append(f"error output lacks '{regex}'")
    for regex in args.once:
        found = len(re.findall(regex, err))
        if found != 1:
            faults.append(f"error output: '{regex}' found {found} times, want 1")
    if err and not args.err and not args.noise:
        faults.append("unexpected error output")
    if left:
        faults.append(f"processes left behind: {left}")
    return faults


def run_and_judge(args):
    """Exit status: 0, 1, or 77 for a program that skips itself."""
    mark = os.urandom(8).hex()
    with tempfile.TemporaryDirectory(prefix="conform-") as directory:
        code, seconds, left, out, err, seed = run(args, mark, directory)
    sys.stdout.write(out)
    sys.stdout.flush()
    sys.stderr.write(err)
    if code == 77 and not left:
        return 77
    faults = judge(args, code, left, out, err)
    for fault in faults:
        print(f"run.py: {fault} (after {seconds:.1f} s, FSHMEM_SEED={seed})")
    if not faults:
        print(f"run.py: passed in {seconds:.1f} s")
    return 1 if faults else 0


def main():
    args = parse(sys.argv[1:])
    command = args.command
    status = 0
    for ranks in args.ranks.split(","):
        args.command = [word.replace("{ranks}", ranks) for word in command]
        status = max(status, run_and_judge(args), key=(0, 77, 1).index)
    return status


if __name__ == "__main__":
    sys.exit(main())
