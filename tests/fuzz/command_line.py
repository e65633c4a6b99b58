#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of fshrun and fshinfo. Half of them are right, and the dry run
must show what was asked for; the others are anything: they end in time with a
code that the manual names, and say why, without a fault.

    command_line.py [cases | <seconds>s] [seed]       FSH_BIN: the tools
"""
import os
import random
import re
import shlex
import subprocess
import sys
import time

BIN = os.environ["FSH_BIN"]
LIMIT = 20.0  # seconds for one command
CODES = {0, 1, 2, 126, 127}
FAULT = re.compile(r"Sanitizer|runtime error|internal error|\(null\)")

FLAGS = ["-v", "--verbose", "--tag-output", "-k", "-t", "--show", "--help",
         "--version", "-h", "--", "-", ""]
VALUED = ["-n", "-np", "--np", "--conduit", "--clock", "--topology", "--timeout", "-x",
          "-E", "--segment-max", "--dram", "--packet", "--record", "--replay",
          "--waves", "--waves-cycles", "--waves-nodes", "--sim-args", "-N", "-c",
          "-spawner=local", "--nonsense", "--t", "--s", "--json"]
VALUES = ["0", "1", "2", "64", "1024", "1025", "-1", "99999999999999999999",
          "0x10", "2x", "", " ", "nan", "inf", "1e99", "0.5", "smp", "fpga",
          "tcp", "ring", "line", "torus:4x4", "mesh:2x1", "hypercube", "full",
          "file:/dev/null", "file:/no/such", "file:/", "1G", "4K", "12Q", "A=1", "A", "=", "=1",
          "A=B=C", "/", "/dev/null", "/no/such", "%s%n", "\x80\xff",
          "x" * 5000, "true", "./true", "-n", "--", "p"]
SETTINGS = ["FSHMEM_CONDUIT", "FSHMEM_TOPOLOGY", "FSHMEM_PACKET",
            "FSHMEM_SEGMENT_MAX", "FSHMEM_SIM_ARGS", "GASNET_QUIET",
            "GASNET_MAX_SEGSIZE", "GASNET_PHYSMEM_MAX", "FSHMEM_NO_SETTING"]


class Fault(Exception):
    pass


def run(command, env):
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("FSHMEM_", "GASNET_"))}
    try:
        done = subprocess.run(command, env={**clean, **env}, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
    except subprocess.TimeoutExpired:
        raise Fault(f"no end within {LIMIT:g} s") from None
    out, err = (t.decode(errors="surrogateescape")
                for t in (done.stdout, done.stderr))
    if done.returncode not in CODES:
        raise Fault(f"code {done.returncode}: {err!r}")
    if FAULT.search(err):
        raise Fault(repr(err))
    if done.returncode != 0 and not err:
        raise Fault(f"code {done.returncode} without a word")
    return done.returncode, out, err


def anything(rng):
    """Never starts a job: either --show goes first, or it is fshinfo."""
    words = []
    for _ in range(rng.randrange(7)):
        words.append(rng.choice(FLAGS + VALUED + VALUES))
        if rng.random() < 0.5:
            words.append(rng.choice(VALUES))
    if rng.random() < 0.5:
        words = ["-n", rng.choice(VALUES), *words, "true"]
    env = {name: rng.choice(VALUES) for name in SETTINGS
           if rng.random() < 0.1}
    tool = ["fshrun", "-t"] if rng.random() < 0.8 else ["fshinfo"]
    command = [os.path.join(BIN, tool[0]), *tool[1:], *words]
    return command, env


def check_anything(rng):
    command, env = anything(rng)
    try:
        run(command, env)
    except Fault as fault:
        raise Fault(f"{env} {command}: {fault}") from None


def word(rng):
    return "".join(rng.choice("ab -'\"\\$*;=\t|<>~#{}\x80")
                   for _ in range(rng.randrange(8)))


def check_shown(rng):
    """A right command line, in any order of its options."""
    n = rng.choice([1, 2, 7, 1000])
    options = [[rng.choice(["-n", "-np", "--np"]), str(n)],
               ["-x", f"FUZZ_A={word(rng)}"], ["-E", "A,B"], ["-N", "1"],
               ["--timeout", rng.choice(["1", "0.5", "1e3"])], ["-v"],
               ["--tag-output"], ["--segment-max", rng.choice(["64K", "1M"])],
               ["--conduit", "smp"], ["-spawner=local"]]
    must, may = options[:1], options[1:]
    chosen = must + rng.sample(may, rng.randrange(len(may)))
    rng.shuffle(chosen)
    args = [word(rng) for _ in range(rng.randrange(4))]
    command = [os.path.join(BIN, "fshrun"), "-t",
               *[w for option in chosen for w in option], "--", "true", *args]
    code, out, err = run(command, {"GASNET_QUIET": "1"})
    if code != 0 or err or f"job: {n} ranks, conduit smp" not in out:
        raise Fault(f"{command}: {code} {out!r} {err!r}")
    shown = re.search(r"^rank 0: (.*)$", out, re.M)
    if not shown or shlex.split(shown.group(1))[1:] != args:
        raise Fault(f"{command}: shown as {out!r}")


def main():
    count = sys.argv[1] if len(sys.argv) > 1 else "120"
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    end = time.monotonic() + (float(count[:-1]) if count[-1] == "s" else 1e9)
    cases = 1 << 60 if count[-1] == "s" else int(count)
    print(f"command_line: seed {seed}", flush=True)
    done = 0
    while done < cases and time.monotonic() < end:
        rng = random.Random(seed + done)
        try:
            rng.choice([check_anything, check_shown])(rng)
        except Fault as fault:
            print(f"case {done} fails: {fault}\n"
                  f"repeat with: {sys.argv[0]} 1 {seed + done}")
            return 1
        done += 1
    print(f"command_line: pass, {done} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
