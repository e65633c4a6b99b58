#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How polls of a job over hosts look at the network while that is silent, and that ranks of
other hosts do not make a host crowded, of which each rank has a processor."""
import os

from hosts import Hosts, launchers
from fshjob import Job, TESTS, check, lines, main

POLL = os.path.join(TESTS, "hosts_poll")


def said(each, cpus):
    """What rank 0 says, where all ranks of a host have these processors."""
    command = launchers()[-1].command
    with Hosts(2) as hosts:
        job = Job("taskset", "-c", ",".join(map(str, cpus)), *command(hosts, each, POLL))
        try:
            code, output = job.await_end(60), job.output()
        finally:
            job.close()
    check(code == 0, f"{code} {output}")
    return [line for line in lines(output) if ": " in line]


def a_rank_a_processor():
    found = said(1, sorted(os.sched_getaffinity(0))[:1])
    check(found == ["crowded: 0", "frequent: 1", "rare: 1", "rests: 1", "weights: 1"], f"{found}")


def two_ranks_on_one():
    found = said(2, sorted(os.sched_getaffinity(0))[:1])
    check(found == ["crowded: 1", "frequent: 1", "rare: 1", "rests: 1", "weights: 1"], f"{found}")


if __name__ == "__main__":
    main([a_rank_a_processor, two_ranks_on_one])
