#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job over two hosts while strangers, on a third, connect to all its ports, scan them and
send garbage: it listens on its own interface only, and goes on. And settings that only
rank 0's host has."""
import os
import subprocess
import sys

from hosts import NETWORK, Hosts, launchers
from fshjob import BIN, Failure, Job, TESTS, check, lines, main, run

STEADY = os.path.join(TESTS, "hosts_steady")

STRANGER = """
import os, random, socket, sys
address, ports, seed = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
dice = random.Random(seed)
kept = []
for attempt in range(200):
    s = socket.socket()
    s.settimeout(2)
    try:
        s.connect((address, int(dice.choice(ports))))
        if attempt % 4:
            s.send(dice.randbytes(dice.randrange(1, 2000)))
        if attempt % 3:
            s.close()
    except OSError:
        pass
    kept = kept[-20:] + [s]
print("tried")
"""


def listeners(pid):
    """(address, port) at which somebody listens in a process's network."""
    found = set()
    for table in "tcp", "tcp6":
        with open(f"/proc/{pid}/net/{table}", encoding="ascii") as f:
            for line in f.readlines()[1:]:
                words = line.split()
                if words[3] == "0A":
                    address, port = words[1].split(":")
                    found.add((address, int(port, 16)))
    return found


def address_of(i):
    """As /proc has it."""
    return "".join(f"{int(b):02X}" for b in
                   reversed(f"{NETWORK}.{i}".split(".")))


def providers():
    """The one that is chosen, and others that strangers do not disturb (conduit-ofi.md)."""
    _, output = run(os.path.join(BIN, "fshinfo"))
    usable = [line.split()[0] for line in output.splitlines()
              if len(line.split()) > 1 and line.split()[1].startswith("usable")]
    return [None] + [p for p in ("tcp;ofi_rxm", "net;ofi_rxm") if p in usable]


def strangers_are_sent_away():
    for provider in providers():
        with_provider({"FSHMEM_OFI_PROVIDER": provider} if provider else {})


def with_provider(env):
    seed = int.from_bytes(os.urandom(4), "little")
    print(f"seed {seed} {env}")
    launcher = launchers()[-1]  # has no daemon that listens
    with Hosts(2) as hosts:
        job = Job(*launcher.command(hosts, 1, STEADY, 4), env=env)
        try:
            job.await_up(2)
            heard = [listeners(p) for p in job.named("hosts_steady")]
            heard = [open_at for open_at in heard if open_at]
            check(heard, "nobody listens")
            for open_at in heard:
                wrong = [a for a, _ in open_at
                         if a not in (address_of(2), address_of(3))]
                check(not wrong, f"listens elsewhere: {open_at}")
                ports = ",".join(str(port) for _, port in open_at)
                where = next(i for i in (2, 3) if address_of(i) in
                             [a for a, _ in open_at])
                done = subprocess.run(
                    hosts.front(sys.executable, "-c", STRANGER,
                                f"{NETWORK}.{where}", ports, seed),
                    capture_output=True, text=True, timeout=60, check=False)
                if "tried" not in done.stdout:
                    raise Failure(done.stderr)
            code = job.await_end(30)
            check(code == 0 and lines(job.output()).count("steady 1 of 2") == 1,
                  f"{code} {job.output()}")
        finally:
            job.close()


def settings_reach_all_hosts():
    """A setting is the rank's own, or else rank 0's; of other variables rank 0's
    environment counts, completed by the rank's own."""
    launcher = launchers()[-1]
    script = ("case $(hostname) in "
              "h1) export FSHMEM_HOST_TIMEOUT=7 OURS='a =b';; "
              "h3) export FSHMEM_HOST_TIMEOUT=9 OURS=other MINE=c;; esac; "
              'exec "$0" 0.1 FSHMEM_HOST_TIMEOUT OURS MINE')
    with Hosts(3) as hosts:
        job = Job(*launcher.command(hosts, 1, "sh", "-c", script, STEADY))
        try:
            code = job.await_end(30)
            output = job.output()
        finally:
            job.close()
        values = [l for l in lines(output) if l.startswith("value")]
        expected = ["value 0: 7", "value 0: a =b", "value 1: 7",
                    "value 1: a =b", "value 2: 9", "value 2: a =b",
                    "value 2: c"]
        check(code == 0 and sorted(values) == expected, f"{code} {values}")


if __name__ == "__main__":
    main([strangers_are_sent_away, settings_reach_all_hosts])
