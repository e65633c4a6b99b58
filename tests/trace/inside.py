#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What traces show of the inside of nodes, and of what is tried again, in programs of
which it is known.

usage: inside.py transfer|slots|queue|full FSHRUN FSHTRACE KNOWN
       inside.py compute FSHRUN FSHTRACE MATMUL
       inside.py busy FSHRUN FSHTRACE BUSY
"""
import os
import subprocess
import sys
import tempfile
import tomllib

import schema

SPEC = os.path.join(os.path.dirname(__file__), "..", "..", "spec", "fshmem.toml")
BYTES = 131072
PACKET = 1024
SLOTS = 16
# fsh_cqueue has room for 16 lists, and takes none if fewer than four are free.
FULL = 13


def link_constant(name):
    with open(SPEC, "rb") as f:
        return next(c["value"] for c in tomllib.load(f)["const"] if c["name"] == name)


class Trace:
    def __init__(self, fshrun, fshtrace, ranks, program, *more):
        with tempfile.TemporaryDirectory(prefix="fshmem-inside-") as folder:
            path = os.path.join(folder, "t.json")
            subprocess.run([fshrun, "-n", str(ranks), "--conduit", "fpga", "--clock",
                            "simulated", "--trace", path, *more] + program, check=True,
                           stdout=subprocess.DEVNULL, timeout=100)
            self.events = schema.check(path, whole=True)
            subprocess.run([fshtrace, path], check=True, stdout=subprocess.DEVNULL,
                           timeout=60)
        self.track = {(event["pid"], event["args"]["name"]): event["tid"]
                      for event in self.events
                      if event["ph"] == "M" and event["name"] == "thread_name"}

    def slices(self, node, track, name):
        pid = schema.NODES + node
        return [event for event in self.events
                if event["ph"] == "X" and event["pid"] == pid and
                event["tid"] == self.track[pid, track] and event["name"] == name]

    def counter(self, pid, name):
        """Pairs of time and value."""
        return [(event["ts"], event["args"]["value"]) for event in self.events
                if event["ph"] == "C" and event["pid"] == pid and
                event["name"] == name]


def cycles(slices):
    return sum(round(event["dur"] * 1000) // 4 for event in slices)


def most(counter):
    return max((value for _, value in counter), default=0)


def mean(counter, begin, end):
    """Of the value, which holds until the next, between two times."""
    total = 0
    for (ts, value), (until, _) in zip(counter, counter[1:] + [(end, 0)]):
        total += value * max(0, min(until, end) - max(ts, begin))
    return total / (end - begin)


def transfer(run, known):
    """Rank 0 gets of rank 1: one message, its packets on two links in turns."""
    trace = run(2, [known, "get", str(BYTES)])
    answer, = trace.slices(1, "replies 0", "GET_REPLY")
    assert answer["args"] == {"peer": 0, "bytes": BYTES}, answer
    request, = trace.slices(0, "requests 0", "GET")
    assert request["args"] == {"peer": 1, "bytes": BYTES}, request
    assert request["ts"] < answer["ts"], (request, answer)
    for link in range(2):
        packets = trace.slices(1, f"link {link}", "GET_REPLY")
        since = answer["ts"]
        headers = [event for event in trace.slices(1, f"sender {link}", "header")
                   if since <= event["ts"] <= packets[-1]["ts"]]
        assert len(packets) == len(headers) == BYTES // PACKET // 2, \
            (len(packets), len(headers))
        beats = cycles(trace.slices(1, f"sender {link}", "payload"))
        assert BYTES // 16 // 2 <= beats < BYTES // 16 // 2 + 100, beats
        assert 0 < most(trace.counter(schema.NODES + 1,
                                      f"link {link} replies reserved (%)")) <= 100

    # So long a link that all the peer's buffers hold is on it: the message waits.
    slow = run(2, [known, "get", str(BYTES)], "--sim-args", "--link-cycles 2000")
    answer, = slow.slices(1, "replies 0", "GET_REPLY")
    waits = cycles(slow.slices(1, "replies 0", "waits for credits"))
    assert 0.9 * cycles([answer]) < waits <= cycles([answer]), (answer, waits)
    for link in range(2):
        reserved = most(slow.counter(schema.NODES + 1,
                                     f"link {link} replies reserved (%)"))
        # The channel's own beats, and half of what four channels share, at least.
        own, beats = (link_constant(name) for name in ("VC_BEATS", "LINK_BEATS"))
        assert 100 * (own + (beats - 4 * own) / 2) / beats < reserved <= 100, reserved
        use = slow.counter(schema.NODES + 1, f"link {link} use (%)")
        assert 0 < mean(use, answer["ts"], answer["ts"] + answer["dur"]) < 50, use


def slots(run, known):
    """A slot less each time, until those that have come back are looked for."""
    trace = run(2, [known, "ping", "20"])
    free = [value for _, value in trace.counter(0, "AM slots free at rank 1")]
    assert free[:SLOTS] == list(range(SLOTS - 1, -1, -1)), free
    assert len(free) > 20 and free[SLOTS] >= SLOTS - 2, free


def compute(run, matmul):
    trace = run(1, [matmul, "--size", "256"])
    gemms = trace.slices(0, "array", "GEMM")
    assert cycles(trace.slices(0, "array", "multiplies")) == 256 ** 3 // 2048
    assert len(trace.slices(0, "operands", "GEMM")) == len(gemms) > 0
    for name in ("fetch", "check", "waits for the core"):
        assert len(trace.slices(0, "array queue", name)) >= len(gemms), name
    assert trace.slices(0, "results", "results")
    open_for = cycles(trace.slices(0, "array commands", "commands"))
    assert open_for >= cycles(gemms), (open_for, cycles(gemms))
    waiting = trace.counter(schema.NODES, "array queue (commands)")
    assert most(waiting) == len(gemms) and waiting[-1][1] == 0, waiting
    small = run(1, [matmul, "--size", "32"])
    assert cycles(small.slices(0, "array", "multiplies")) == 32 ** 3 // 2048


def queue(run, known):
    """Two commands behind one that waits in its list, and lists of two and five."""
    trace = run(2, [known, "queue", "5"])
    waits, = trace.slices(0, "array queue", "waits for event 3")
    during = [value for ts, value in
              trace.counter(schema.NODES, "array queue (commands)")
              if waits["ts"] <= ts < waits["ts"] + waits["dur"]]
    assert during[-1] == 9, during
    assert len(trace.slices(0, "array queue", "check")) == 10


def full(run, known):
    """What finds no room in the window is no transfer: each has its packet."""
    trace = run(2, [known, "full", "3"], "--host-costs", "0")
    starts, packets = (
        sorted({event["id"] for event in trace.events
                if event["ph"] == kind and event["cat"] == "transfer"}) for kind in "st")
    assert len(starts) == 3 * 41 and starts == packets, (len(starts), len(packets))


def busy(run, program):
    """What is refused is tried again; and it was refused as the queue was full."""
    trace = run(2, [program])
    for rank in range(2):
        retries = [event for event in trace.events
                   if event["ph"] == "i" and event["cat"] == "retry" and
                   event["pid"] == rank]
        for queue in ("array", "mover"):
            own = [event for event in retries
                   if event["name"] == f"the {queue} queue is busy"]
            assert own, f"no retry of rank {rank} for the {queue} queue"
            assert all(event["args"] == {"peer": 1 - rank} for event in own), own
            before = [value for ts, value in
                      trace.counter(schema.NODES + 1 - rank,
                                    f"{queue} queue (commands)")
                      if ts <= own[0]["ts"]]
            assert before[-1] >= FULL, before[-20:]
            assert cycles(trace.slices(rank, f"{queue} queue", "waits for event 1"))


def main():
    what, fshrun, fshtrace, program = sys.argv[1:]

    def run(ranks, command, *more):
        return Trace(fshrun, fshtrace, ranks, command, *more)

    {"transfer": transfer, "slots": slots, "compute": compute, "queue": queue,
     "full": full, "busy": busy}[what](run, program)


if __name__ == "__main__":
    main()
