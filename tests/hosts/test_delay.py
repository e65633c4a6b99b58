#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts far apart: what the cable of one takes is delivered 10 ms later (delay.py).
Programs of tests/conform pass, and a killed rank ends the job as soon as otherwise."""
import os
import signal
import subprocess
import sys
import time

from hosts import NETWORK, Hosts, inside, launchers, run_over, shell
from fshjob import END_LIMIT, TESTS, Job, Skip, check, main

DELAY_MS = 10
STEADY = os.path.join(TESTS, "hosts_steady")
NAMES = ["hello", "am_random", "rma_random", "barrier_random", "coll_ops"]
# Of one byte there and back, by TCP: the connection takes as long as that.
ROUND_TRIP = f"""
import socket, time
began = time.monotonic()
socket.socket().connect_ex(('{NETWORK}.2', 9))
print(time.monotonic() - began)
"""


def conform(name):
    return os.path.join(TESTS, "conform", f"conform_{name}")


class Delayed:
    """The hosts, the first of which has the slow cable."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.proc = None

    def __enter__(self):
        front, first = self.hosts.procs["h0"].pid, self.hosts.first("h1")
        shell("ip link del h1", *inside(front))
        self.proc = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__), "delay.py"),
             str(DELAY_MS), str(front), "h1", str(first), "eth0"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.proc.stdout.readline() != "up\n":
            why = self.proc.stderr.read().strip().splitlines()[-1:]
            self.__exit__()
            raise Skip(f"there are no TAP devices here: {why}")
        shell("ip link set h1 master eth0 up", *inside(front))
        shell(f"ip addr add {NETWORK}.2/24 dev eth0; ip link set eth0 up", *inside(first))
        return self

    def __exit__(self, *_):
        self.proc.kill()
        self.proc.wait()
        for stream in self.proc.stdin, self.proc.stdout, self.proc.stderr:
            stream.close()

    def round_trip(self):
        return min(float(shell(f'{sys.executable} -c "{ROUND_TRIP}"',
                               *inside(self.hosts.first("h2")))) for _ in range(3))


def programs_pass():
    tried = launchers()
    with Hosts(2) as hosts, Delayed(hosts) as delayed:
        took = delayed.round_trip()
        check(took >= 2 * DELAY_MS / 1000, f"a round trip takes {took} s")
        for launcher in tried:
            for name in NAMES if launcher is tried[-1] else NAMES[:2]:
                code, output = run_over(hosts, launcher, 2, conform(name),
                                        env={"FSHMEM_TEST_SCALE": "0.01", "GASNET_QUIET": "1"})
                check(code == 0 and ": pass\n" in output,
                      f"{launcher.name}, {name}: {code}\n{output}")
    return f"ok with {', '.join(l.name for l in tried)}, round trip {1000 * took:.1f} ms"


def a_rank_is_killed():
    launcher = launchers()[-1]
    with Hosts(2) as hosts, Delayed(hosts):
        job = Job(*launcher.command(hosts, 1, STEADY, 60))
        try:
            job.await_up(2)
            os.kill(job.named("hosts_steady")[0], signal.SIGKILL)
            began = time.monotonic()
            code = job.await_end(END_LIMIT)
            took = time.monotonic() - began
            check(code != 0, f"{code}\n{job.output()}")
        finally:
            job.close()
    return f"ok with {launcher.name}, after {took:.1f} s"


if __name__ == "__main__":
    main([programs_pass, a_rank_is_killed])
