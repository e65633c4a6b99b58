#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a program learns of time: with --clock simulated its ticks, its sleeps and what
it says it computes are simulated time, to the cycle; without, the host's."""
import os
import pathlib
import re
import time

from fshjob import FSHRUN, TESTS, check, main, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = (ROOT / "src/base/fsh_spec.h").read_text()
CLOCKED = os.path.join(TESTS, "stress_clocked")


def spec(name):
    return int(re.search(rf"#define FSH_{name} (\d+)u", SPEC).group(1))


CYCLE = 1000 // spec("CLOCK_MHZ")
LOOK = spec("COST_CLOCK") * CYCLE


def clocked(what, clock, conduit="fpga", ranks=2):
    options = ["--clock", clock] if conduit == "fpga" else []
    code, text = run(FSHRUN, "-n", str(ranks), "--conduit", conduit, *options,
                     "--timeout", "60", CLOCKED, what)
    check(code == 0, f"{what}: code {code}\n{text}")
    return dict(re.findall(r"^([a-z ]+) (\d+)$", text, re.M)), text


def simulated(what, ranks=2):
    return {k: int(v) for k, v in clocked(what, "simulated", ranks=ranks)[0].items()}


def each_takes_what_is_stated():
    began = time.monotonic()
    want = {"look": LOOK, "spend": 1000 + LOOK, "cycle": CYCLE + LOOK,
            "sleep": 2 * 10**9 + LOOK,
            "yield": spec("COST_YIELD") * CYCLE + LOOK, "ticks": 10000 + LOOK,
            "one clock": LOOK}
    for _ in range(2):
        found = simulated("each")
        check(found == want, f"{found}, expected {want}")
    # Two sleeps of 2 s, and neither took any.
    check(time.monotonic() - began < 4, "a sleep took time of the host")


def a_loop_on_ticks_ends():
    found = simulated("until")
    check(found == {"looks": 5000 // LOOK - 1}, f"{found}")


def others_run_meanwhile():
    took = simulated("together")["together"]
    check(10**6 < took < 1.01 * 10**6, f"{took} ns")
    check(simulated("together")["together"] == took, "another time each run")


def the_hosts_time_otherwise():
    for conduit in "fpga", "smp":
        found, text = clocked("each", "free", conduit)
        check(int(found["sleep"]) >= 2 * 10**9, text)
        # Milliseconds on a busy host, but no more.
        found, text = clocked("spend_much", "free", conduit, 1)
        check(int(found["spent"]) < 10**10, text)


if __name__ == "__main__":
    main([each_takes_what_is_stated, a_loop_on_ticks_ends, others_run_meanwhile,
          the_hosts_time_otherwise])
