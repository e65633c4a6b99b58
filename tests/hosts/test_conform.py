#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of tests/conform over two hosts, two ranks on each, by each launcher that is
installed; --all: all of those that need no arguments, also of the other flavours."""
import os
import sys
import tempfile

from hosts import Hosts, launchers, run_over
from fshjob import TESTS, check, main

SOME = ["hello", "node_info", "am_random", "am_flood", "rma_random",
        "rma_visibility", "barrier_random", "coll_ops", "threads_mix"]
# By the launcher that starts fastest; by the others these.
FEW = ["hello", "node_info", "rma_random"]
# One of each flavour that is built.
SOME_FLAVOURS = ["debug_am_random", "everything_rma_random"]
# They are told what to do, or expect a message.
NOT_ALONE = ["exit_job", "fatal_error", "init_attach", "environment",
             "tools_settings", "misuse", "misuse_coll", "everything_areas", "hsl_held"]
SILENT = ["progress_calls", "rma_visibility", "coll_nb", "coll_polls"]


def program(name):
    return os.path.join(TESTS, "conform", f"conform_{name}")


def all_programs():
    names = [f[len("conform_"):] for f in os.listdir(f"{TESTS}/conform")
             if f.startswith("conform_")]
    return sorted(n for n in names if n not in NOT_ALONE and
                  not n.startswith(("debug_", "everything_", "mismatch_")) and
                  not n.endswith("_toy"))


def base(name):
    """Whose program that is, without flavour and thread mode."""
    for flavour in "debug_", "everything_":
        name = name.removeprefix(flavour)
    for mode in "_par", "_parsync", "_seq":
        name = name.removesuffix(mode)
    return name


def of_flavours():
    names = [f[len("conform_"):] for f in os.listdir(f"{TESTS}/conform")
             if f.startswith(("conform_debug_", "conform_everything_"))]
    return sorted(n for n in names if "--all" in sys.argv or n in SOME_FLAVOURS
                  if base(n) not in NOT_ALONE or base(n) == "everything_areas")


def over_two_hosts():
    tried = launchers()
    fast = tried[-1]
    failed = []
    with Hosts(2) as hosts:
        for launcher in tried:
            names = FEW if launcher is not fast else \
                (all_programs() if "--all" in sys.argv else SOME) + of_flavours()
            for name in names:
                env = {"FSHMEM_TEST_SCALE": "0.02", "GASNET_QUIET": "1",
                       "CONFORM_DIR": tempfile.mkdtemp(dir=hosts.where)}
                if base(name) in SILENT:
                    env["FSHMEM_PROGRESS_THREAD"] = "1"
                code, output = run_over(hosts, launcher, 2, program(name),
                                        env=env)
                if code != 0 or ": pass\n" not in output:
                    failed.append(name)
                    print(f"{launcher.name}, {name}: {code}\n{output}")
    check(not failed, f"failed: {failed}")
    return f"ok with {', '.join(l.name for l in tried)}"


if __name__ == "__main__":
    main([over_two_hosts])
