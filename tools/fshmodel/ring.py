# SPDX-License-Identifier: BSD-3-Clause
"""A ring all-reduce by the collective engines, in cycles.

All nodes do the same at the same time, so one is followed: its engine handles packets one
after the other, they leave one after the other, and the packets that it gets are those that
it sends, a link later. So long rings of FP32, which run in both directions by two units, are
not modelled as such; engine.directions lets more packets wait. A call is cut into parts
(src/coll/card/layout.c); a part's steps follow each other: it sends its first block, combines
and sends N - 1, stores and sends N - 1, the last one without sending. Of N - 1 hops twice, an
engine thus handles one block more than the link carries.
"""
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from . import transfer

FP32, LINE = 4, 64


@dataclass(frozen=True)
class Engine:
    """Cycles, but for what is said of the others."""
    own: int          # sending a packet of the node's own values
    fold: int         # combining one
    forward: int      # storing, and sending, one
    values: int       # bytes of values in a packet
    link: int         # a packet on a link
    flight: int       # from a packet's end at the sender to its use
    step: int         # between the steps of a part
    part: int         # packets of a block that a part has at most
    parts: int        # parts at once
    begin: int        # from a part's start by the host to its first packet
    end: int          # from its last packet to the host's knowing
    places: int       # packets handled that have not left
    host: int         # the host's own work to start a part
    ports: int        # to the next node

    def of_step(self, step, nodes):
        """Cycles of a packet of a part's step."""
        return self.own if step == 0 else self.fold if step < nodes else self.forward


def engine(system, wire, nodes):
    e, h, p = system["engine"], system["host"], system["pipeline"]
    bfp = wire == "bfp16"
    packet = values = e["packet_bytes"]
    pieces = transfer.packets(system, packet)
    # Both ports of a node lead to the only other one, and packets take either.
    ports = system["link"]["ports"] if nodes == 2 else 1
    ways = 1 if nodes == 2 else e["directions"]
    if bfp:
        w = system["wire"]
        values = values // w["block_bytes"] * w["block_values"] * FP32
    pcie = system["pcie"]["cycles"]
    fetch = system["dram"]["read_cycles"] + e["fetch"]
    return Engine(own=system["dram"]["read_cycles"] + e["own"] + values // LINE,
                  fold=e["bfp_fold"] if bfp else e["fp32_fold"],
                  forward=e["bfp_forward"] if bfp else e["fp32_forward"], values=values,
                  link=transfer.beats(system, packet) + e["gap"] * pieces,
                  flight=transfer.header(system) + e["tap"], step=e["step"],
                  part=e["part"], parts=e["parts"], begin=pcie + p["run"] + fetch,
                  end=p["complete"] + pcie + h["poll"],
                  places=e["places"] * ways, host=h["call"] + h["run_writes"] * h["write"],
                  ports=ports)


def _cut(e, block):
    """Packets of each part of a block."""
    whole = e.part * e.values
    parts = [float(e.part)] * (block // whole)
    rest = block % whole
    if rest:
        packets = rest / e.values
        parts += [4.0, packets - 4] if 5 < packets <= 7 else [packets]
    return parts


class _Part:
    def __init__(self, packets, at):
        self.full, self.last = ceil(packets), packets - ceil(packets) + 1
        self.step = self.done = 0
        self.ready = at           # of its next packet
        self.arrivals = []        # of the present step's packets
        self.sent = []            # of this step's, when they arrive

    def share(self):
        """Of a whole packet."""
        return self.last if self.done + 1 == self.full else 1.0


@lru_cache(maxsize=1024)
def allreduce(e, nodes, block, store):
    """From the call to the host's knowing; `store`: the host's cycles to write the steps
    of a part."""
    waiting = _cut(e, block)
    steps, now = 2 * nodes - 1, 0.0
    engine_free, link_free, ended = 0.0, 0.0, 0.0
    flying, queued = [], deque([0.0] * e.places)

    def start(at):
        nonlocal now
        now = max(now, at) + store + e.host
        flying.append(_Part(waiting.pop(0), now + e.begin))

    while waiting and len(flying) < e.parts:
        start(0.0)
    while flying:
        part = min(flying, key=lambda x: x.ready)
        share = part.share()
        begin = max(engine_free, part.ready)
        if part.step + 1 < steps:
            begin = max(begin, queued[0])
        engine_free = begin + e.of_step(part.step, nodes) * share
        if part.step + 1 < steps:
            link_free = max(link_free, engine_free) + e.link * share / e.ports
            part.sent.append(link_free + e.flight)
            queued.append(link_free)
            queued.popleft()
        part.done += 1
        part.ready = engine_free
        if part.done == part.full:
            part.step, part.done = part.step + 1, 0
            part.arrivals, part.sent = part.sent, []
            part.ready += e.step
            if part.step == steps:
                flying.remove(part)
                ended = max(ended, engine_free + e.end)
                if waiting:
                    start(engine_free + e.end)
                continue
        if part.arrivals:
            part.ready = max(part.ready, part.arrivals[part.done])
    return ended


def block_bytes(values, nodes):
    """Of a rank, in whole lines and halves of whole lines (train_summed)."""
    lines = ceil(values / (2 * nodes * LINE // FP32))
    return lines * 2 * LINE


def start(system, values, nodes, wire):
    """The host's own work to start an all-reduce: its first parts."""
    e = engine(system, wire, nodes)
    parts = len(_cut(e, block_bytes(values, nodes)))
    return min(parts, e.parts) * (_store(system, nodes) + e.host)


def _store(system, nodes):
    """To write the steps of a part to its node."""
    return ceil((2 * nodes - 1) * LINE / system["host"]["store_bytes"])


def cycles(system, values, nodes, wire):
    """Of an all-reduce of FP32 values: until the hosts know, and the call itself."""
    if nodes == 1:
        return 0.0
    return allreduce(engine(system, wire, nodes), nodes, block_bytes(values, nodes),
                     _store(system, nodes))


def behind(system, values, nodes, wire):
    """What a list's RUN and its COMPLETE wait on average for packets of an all-reduce: they
    leave by the same sender (fsh_seq_send), which ends the packet that it has begun."""
    share = demands(system, values, nodes, wire)["link"] / cycles(system, values, nodes, wire)
    return 2 * min(1.0, share) * engine(system, wire, nodes).link / 2


def demands(system, values, nodes, wire):
    """Cycles that the link, the engine, and the steps of a part that is alone take."""
    e = engine(system, wire, nodes)
    parts = _cut(e, block_bytes(values, nodes))
    hops, packets = 2 * (nodes - 1), sum(parts)
    return {"link": hops * packets * e.link / e.ports,
            "engine": packets * sum(e.of_step(step, nodes) for step in range(hops + 1)),
            "latency": hops * (e.step + e.flight) * ceil(len(parts) / e.parts)}
