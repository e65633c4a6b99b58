# SPDX-License-Identifier: BSD-3-Clause
"""A ring all-reduce by the collective engines, in cycles.

All nodes do the same at the same time, so one is followed: its units handle packets one
after the other, they leave one after the other, and the packets that it gets are those that
it sends, a link later. A call is cut into parts (src/coll/card/layout.c), which go to the units
in turn; of FP32 on three nodes or more one half of each block goes round the other way, even
parts one way and odd ones the other. A part's steps follow each other: it sends its first block,
combines and sends N - 1, stores and sends N - 1, the last one without sending. Of N - 1 hops
twice, an engine thus handles one block more than the link carries.
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
    link: float       # a packet on a link, and the messages between engines for it
    flight: int       # from a packet's end at the sender to its use
    leave: int        # from a packet's handling to the link, beside that
    ask: int          # a packet's wait for its grant
    step: int         # between the steps of a part
    part: int         # packets of a block that a part has at most
    units: int
    ways: int         # directions of the ring in use
    parts: int        # parts at once
    begin: int        # from a part's start by the host to its first packet
    end: int          # from its last packet to the host's knowing
    crowded: int      # slots claimed with which claims ahead stop
    places: int       # packets handled that have not left
    host: int         # the host's own work to start a part
    ports: int        # to the next node

    def of_step(self, step, nodes):
        """Cycles of a packet of a part's step."""
        return self.own if step == 0 else self.fold if step < nodes else self.forward


def engine(system, wire, nodes, block):
    """Of blocks of so many bytes."""
    e, h, p = system["engine"], system["host"], system["pipeline"]
    bfp = wire == "bfp16"
    packet = values = e["packet_bytes"]
    pieces = transfer.packets(system, packet)
    both = not bfp and nodes > 2 and block >= e["both_from"]
    # Both ports of a node lead to the only other one, and packets take either.
    ports = system["link"]["ports"] if nodes == 2 else 1
    if bfp:
        w = system["wire"]
        values = values // w["block_bytes"] * w["block_values"] * FP32
    pcie = system["pcie"]["cycles"]
    fetch = system["dram"]["read_cycles"] + e["fetch"]
    memory = system["dram"]["read_cycles"]
    return Engine(own=e["own"] + values // LINE,
                  fold=e["bfp_fold"] if bfp else e["fp32_fold"],
                  forward=e["bfp_forward"] if bfp else e["fp32_forward"], values=values,
                  link=transfer.beats(system, packet) + e["gap"] * pieces + e["messages"],
                  flight=transfer.header(system) + e["tap"], leave=e["leave"],
                  ask=2 * (transfer.header(system) + e["note"]),
                  step=2 * memory + e["fetch"] + e["own"] + values // LINE,
                  part=e["part"], units=e["units"], ways=2 if both else 1,
                  parts=e["parts_both"] if both else e["parts"],
                  begin=pcie + p["run"] + fetch + memory, end=p["complete"] + pcie + h["poll"],
                  crowded=e["slots"] // 2, places=e["places"], host=h["call"] + h["run_writes"] * h["write"],
                  ports=ports)


def _divide(e, bytes_):
    """Packets of each part of so many bytes of a block, as fsh_card_cut_of has it."""
    whole, few = e.part, 5
    packets = ceil(bytes_ / e.values)
    rest = packets % whole
    if packets <= few:
        sizes = [packets]
    elif rest == 0:
        sizes = [whole] * (packets // whole)
    else:  # the last whole part, if there is one, and the rest, evenly
        rest = min(packets, rest + whole)
        each = ceil(rest / ceil(rest / few))
        sizes = [whole] * ((packets - rest) // whole)
        sizes += [min(each, rest - at) for at in range(0, rest, each)]
    sizes[-1] -= packets - bytes_ / e.values  # its last packet is shorter
    return sizes


def _cut(e, block):
    """(direction, packets of a block) of each part."""
    if e.ways == 1:
        return [(0, packets) for packets in _divide(e, block)]
    return [(way, packets) for packets in _divide(e, block / 2) for way in (0, 1)]


class _Part:
    def __init__(self, unit, way, packets, at):
        self.unit, self.way = unit, way
        self.full, self.last = ceil(packets), packets - ceil(packets) + 1
        self.step = self.done = 0
        self.ready = at           # of its next packet
        self.arrivals = []        # of the present step's packets
        self.sent = []            # of this step's, when they arrive

    def asks(self, nodes):
        """Does the packet wait for a grant? The first of a part goes eagerly, the others of a
        step with the first of it; of single packets some steps are claimed ahead in the end."""
        if self.step == 0:
            return self.done == (1 if self.way == 0 else 0)
        return self.done == 0 and (self.full > 1 or self.step < nodes)

    def share(self):
        """Of a whole packet."""
        return self.last if self.done + 1 == self.full else 1.0


@lru_cache(maxsize=1024)
def allreduce(e, nodes, block, store):
    """From the call to the host's knowing; `store`: the host's cycles to write the steps
    of a part."""
    waiting = _cut(e, block)
    steps, now, started = 2 * nodes - 1, 0.0, 0
    unit_free, link_free, ended = [0.0] * e.units, [0.0] * e.ways, 0.0
    flying, queued = [], deque([0.0] * e.places)

    def start(at):
        nonlocal now, started
        now = max(now, at) + store + e.host
        way, packets = waiting.pop(0)
        flying.append(_Part(started % e.units, way, packets, now + e.begin))
        started += 1

    def begin(part):
        at = max(unit_free[part.unit], part.ready)
        return max(at, queued[0]) if part.step + 1 < steps else at

    while waiting and len(flying) < e.parts:
        start(0.0)
    while flying:
        part = min(flying, key=begin)
        share, at = part.share(), begin(part)
        done = unit_free[part.unit] = at + e.of_step(part.step, nodes) * share
        if part.step + 1 < steps:
            crowded = sum(2 * x.full for x in flying) > e.crowded
            waits = e.ask if part.asks(nodes) else e.ask / 2 if crowded else 0
            left = done + e.leave + waits
            link_free[part.way] = max(link_free[part.way], left) + e.link * share / e.ports
            part.sent.append(link_free[part.way] + e.flight)
            queued.append(link_free[part.way])
            queued.popleft()
            done += waits  # with the packet, the context's next one
        part.done += 1
        part.ready = done
        if part.done == part.full:
            part.step, part.done = part.step + 1, 0
            part.arrivals, part.sent = part.sent, []
            part.ready += e.step
            if part.step == steps:
                flying.remove(part)
                ended = max(ended, done + e.end)
                if waiting:
                    start(done + e.end)
                continue
        if part.arrivals:
            part.ready = max(part.ready, part.arrivals[part.done])
    return ended


def block_bytes(values, nodes):
    """Of a rank, in whole lines and halves of whole lines (train_summed)."""
    lines = ceil(values / (2 * nodes * LINE // FP32))
    return lines * 2 * LINE


def _engine(system, values, nodes, wire):
    block = block_bytes(values, nodes)
    return engine(system, wire, nodes, block), block


def start(system, values, nodes, wire):
    """The host's own work to start an all-reduce: its first parts."""
    e, block = _engine(system, values, nodes, wire)
    return min(len(_cut(e, block)), e.parts) * (_store(system, nodes) + e.host)


def _store(system, nodes):
    """To write the steps of a part to its node."""
    return ceil((2 * nodes - 1) * LINE / system["host"]["store_bytes"])


def cycles(system, values, nodes, wire):
    """Of an all-reduce of FP32 values: until the hosts know, and the call itself."""
    if nodes == 1:
        return 0.0
    e, block = _engine(system, values, nodes, wire)
    return allreduce(e, nodes, block, _store(system, nodes))


def behind(system, values, nodes, wire):
    """What a list's RUN and its COMPLETE wait on average for packets of an all-reduce: they
    leave by the same sender (fsh_seq_send), which ends the packet that it has begun."""
    share = demands(system, values, nodes, wire)["link"] / cycles(system, values, nodes, wire)
    return 2 * min(1.0, share) * _engine(system, values, nodes, wire)[0].link / 2


def demands(system, values, nodes, wire):
    """Cycles that the link, a unit, and the steps of a part that is alone take."""
    e, block = _engine(system, values, nodes, wire)
    parts = _cut(e, block)
    hops, packets = 2 * (nodes - 1), sum(packets for _, packets in parts)
    return {"link": hops * packets * e.link / e.ports / e.ways,
            "engine": packets * sum(e.of_step(step, nodes)
                                    for step in range(hops + 1)) / e.units,
            "latency": hops * (e.step + e.flight) * ceil(len(parts) / e.parts)}
