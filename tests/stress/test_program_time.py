#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a program learns of time: with --clock simulated its ticks, its sleeps and what
it says it computes are simulated time, to the cycle; without, the host's."""
import os
import pathlib
import re

from fshjob import FSHRUN, TESTS, check, main, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = (ROOT / "src/base/fsh_spec.h").read_text()
CLOCKED = os.path.join(TESTS, "stress_clocked")


def spec(name):
    return int(re.search(rf"#define FSH_{name} (\d+)u", SPEC).group(1))


CYCLE = 1000 // spec("CLOCK_MHZ")
LOOK = spec("COST_CLOCK") * CYCLE


def clocked(what, clock, conduit="fpga", ranks=2, env=None):
    options = ["--clock", clock] if conduit == "fpga" else []
    code, text = run(FSHRUN, "-n", str(ranks), "--conduit", conduit, *options,
                     "--timeout", "60", CLOCKED, what, env=env)
    check(code == 0, f"{what}: code {code}\n{text}")
    return dict(re.findall(r"^([a-z ]+) (\d+)$", text, re.M)), text


def simulated(what, ranks=2):
    return {k: int(v) for k, v in clocked(what, "simulated", ranks=ranks)[0].items()}


def each_takes_what_is_stated():
    want = {"look": LOOK, "spend": 1000 + LOOK, "cycle": CYCLE + LOOK,
            "sleep": 2 * 10**9 + LOOK,
            "yield": spec("COST_YIELD") * CYCLE + LOOK, "ticks": 10000 + LOOK,
            "one clock": LOOK}
    for _ in range(2):
        found = simulated("each")
        check(found == want, f"{found}, expected {want}")


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


def computing_as_measured():
    for times in 1, 2:
        found, text = clocked("compute", "simulated",
                              env={"FSHMEM_HOST_TIME": f"cpu:{times}"})
        ms = {k: int(v) / 1e6 for k, v in found.items()}
        check(50 * times <= ms["computed"] < 75 * times, text)
        check(ms["slept"] < 10 * times, text)  # of 200
        check(20 * times <= ms["answered"] < 40 * times, text)
        check(text.count("differs from run to run") == 1, text)
    found, text = clocked("compute", "simulated")
    check(int(found["computed"]) == LOOK and int(found["answered"]) < 10**5, text)
    check("differs" not in text, text)


def measuring_needs_a_number():
    for wrong in "gpu", "cpu:", "cpu:-1", "cpu:1s", "none:2", "cpu2":
        code, text = run(FSHRUN, "-n", "1", "--conduit", "fpga", CLOCKED, "each",
                         env={"FSHMEM_HOST_TIME": wrong})
        check(code == 1 and f"FSHMEM_HOST_TIME={wrong}: expected one of none|cpu"
              in text and "Traceback" not in text, f"{code} {text}")


if __name__ == "__main__":
    main([each_takes_what_is_stated, a_loop_on_ticks_ends, others_run_meanwhile,
          the_hosts_time_otherwise, computing_as_measured,
          measuring_needs_a_number])
