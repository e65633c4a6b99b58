#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One random program (tests/hwsw/memory_image), one seed: the memory of all ranks is the same
on one host and over two, by every conduit. --all: more seeds, cards, hosts and providers."""
import os
import sys

from hosts import Hosts, launchers, run_over
from fshjob import BIN, FSHRUN, HAVE_SIM, TESTS, check, lines, main, run

ALL = "--all" in sys.argv
IMAGE = os.path.join(TESTS, "hwsw", "hwsw_memory_image")
QUIET = {"FSHMEM_TEST_SCALE": "0.02", "GASNET_QUIET": "1"}
CARDS = ["1,2", "0,1", "3,"] if ALL else ["1,2"]


def images(output):
    return [l for l in lines(output) if l.startswith("image of rank ")]


def of_one_host(ranks, seed):
    code, output = run(FSHRUN, "-n", ranks, "--conduit", "smp", IMAGE, "--seed", seed, env=QUIET)
    check(code == 0 and len(images(output)) == ranks, f"smp: {code} {output}")
    return images(output)


def ways(ranks):
    """Settings by name."""
    found = {"ofi": {"FSHMEM_CONDUIT": "ofi"}}
    if ALL:
        for provider in "tcp;ofi_rxm", "udp;ofi_rxd":
            found[provider] = {"FSHMEM_CONDUIT": "ofi", "FSHMEM_OFI_PROVIDER": provider}
        found["no local"] = {"FSHMEM_CONDUIT": "ofi", "FSHMEM_OFI_LOCAL": "0"}
    if HAVE_SIM:
        sim = {"FSHMEM_SIM": os.path.join(BIN, "fshsim")}
        found["fpga"] = {"FSHMEM_CONDUIT": "fpga", **sim}
        for cards in CARDS:
            found[f"mixed {cards}"] = {"FSHMEM_CONDUIT": "mixed", "FSHMEM_CARDS": cards, **sim}
    return {name: {**QUIET, **env} for name, env in found.items()
            if max(map(int, env.get("FSHMEM_CARDS", "0").strip(",").split(","))) < ranks}


def are_the_same(n, each, seed):
    launcher = launchers()[-1]
    reference = of_one_host(n * each, seed)
    check(of_one_host(n * each, seed + 1) != reference, "another seed leaves the same memory")
    with Hosts(n) as hosts:
        for name, env in ways(n * each).items():
            code, output = run_over(hosts, launcher, each, IMAGE, "--seed", seed, env=env,
                                    limit=120)
            check(code == 0 and images(output) == reference,
                  f"{name}, {n} hosts of {each}: {code}\n{output}\nsmp: {reference}")
    return f"ok with {launcher.name}: smp = {' = '.join(ways(n * each))}"


def over_two_hosts():
    said = ""
    for _ in range(4 if ALL else 1):
        seed = int(os.environ.get("FSHMEM_SEED") or int.from_bytes(os.urandom(4), "little"))
        print(f"seed {seed}", flush=True)
        said = are_the_same(2, 2, seed)
        if ALL:
            are_the_same(3, 1, seed)
    return said


if __name__ == "__main__":
    main([over_two_hosts])
