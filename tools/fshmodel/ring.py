# SPDX-License-Identifier: BSD-3-Clause
"""A ring all-reduce by the collective engines, in cycles.

A call is cut into parts (src/coll/card/layout.c), sequences of a node's engine (engine.py). The
host starts as many at once as it may (src/gasnet/run_card.c), and another when it hears that one
has ended. On three nodes or more one half of each block goes round the other way, even
parts one way and odd ones the other; buffers are in place, so parts of a direction that are as
long as each other are one sequence, a series, and what later parts of it send first is another.
"""
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from statistics import median

from . import engine, transfer

FP32, LINE = 4, 64
# Which unit a part falls to is a matter of few cycles, and calls take up to 10 % less or more for
# it. So the median counts of calls whose parts reach the engine some cycles later.
STARTS, LATER = 7, 31
LONG = 4000    # packets handled, with which it does not matter
# Of calls with more parts the first repeat themselves.
MOST, SAME = 32, 16
SEQS = 128     # SeqIDs of a sequence's packets (FSH_CARD_SEQS)


@dataclass(frozen=True)
class Call:
    """What its host does; cycles, but for what is said of the others."""
    values: int       # bytes of values in a packet
    part: int         # packets of a block that a part has at most
    few: int          # ... that a part has that is not full
    ways: int         # directions of the ring in use
    series: int       # parts of a sequence, at most
    parts: int        # sequences at once, but for those that only send
    store: float      # of a descriptor
    host: int         # the host's other work to start a sequence
    begin: int        # from there to the engine's having it
    end: int          # from a sequence's end to the host's knowing


def _engine(system, wire, nodes):
    e, p, link = system["engine"], system["pipeline"], system["link"]
    coded = wire == "bfp16"
    packet = e["packet_bytes"]
    lines = packet // LINE
    if coded:
        w = system["wire"]
        lines = packet // w["block_bytes"] // 4 * 4 * w["block_values"] * FP32 // LINE
    memory = system["dram"]["read_cycles"] + e["memory"]
    # Both ports of a node lead to the only other one.
    return engine.Engine(
        nodes=nodes, coded=coded, lines=lines, wire=packet // LINE, units=e["units"],
        contexts=e["contexts"], slots=e["slots"], reserve=e["sequences"] + e["eager"],
        places=e["places"], memory=memory, written=system["dram"]["write_cycles"] + e["written"]
        - (e["pack"] if coded else 0), window=e["reads"], reads=min(1.0, e["reads"] / memory),
        lookup=e["lookup"], fold=e["fold"], code=e["encode"] + e["pack"] if coded else 0,
        link=transfer.beats(system, packet) + e["gap"] * transfer.packets(system, packet),
        message=e["message_beats"], pieces=transfer.packets(system, packet),
        beats=packet / link["beat_bytes"], post=e["post"],
        lead=p["sequencer"] + p["send_queue"] + p["link_tx"],
        flight=link["cycles"] + p["link_rx"] + p["receiver"] + e["tap"],
        heard=link["cycles"] + p["link_rx"] + p["receiver"] + e["heard"],
        ports=link["ports"] if nodes == 2 else 1,
        eager=tuple((True, near) for near in sorted(
            {_near(nodes, rank, (rank or nodes) - 1) for rank in range(nodes)})))


def _near(nodes, rank, to):
    """May a rank send eagerly to another one (fsh_card_near)?"""
    return 1 in (((to - rank) % nodes).bit_count(), ((rank - to) % nodes).bit_count())


def _call(system, wire, nodes, block):
    """Of blocks of so many bytes."""
    e, h, p = system["engine"], system["host"], system["pipeline"]
    both = nodes > 2 and block >= e["both_from" if wire == "fp32" else "coded_both_from"]
    pcie, part = system["pcie"]["cycles"], e["part"]
    values = _engine(system, wire, nodes).lines * LINE
    if both and wire == "bfp16":    # one or two longer ones, if there were more of others
        packets, longer = ceil(block / 2 / values), e["coded_part"]
        if packets <= 2 * longer and ceil(packets / longer) < ceil(packets / part) \
                and nodes * longer * values <= e["area_bytes"]:
            part = longer
    return Call(values=values, part=part, few=e["few"],
                ways=2 if both else 1, series=max(1, SEQS // (2 * (nodes - 1))) if both else 1,
                parts=e["parts_both"] if both else e["parts"], store=LINE / h["store_bytes"],
                host=h["call"] + e["run_writes"] * h["write"],
                begin=pcie + p["run"] + e["open"], end=e["told"] + pcie + h["poll"])


def _divide(c, bytes_):
    """Packets of each part of so many bytes of a block, as fsh_card_cut_of has it."""
    whole, few = c.part, c.few
    packets = ceil(bytes_ / c.values)
    rest = packets % whole
    if packets <= few:
        sizes = [packets]
    elif rest == 0:
        sizes = [whole] * (packets // whole)
    else:  # the last whole part, if there is one, and the rest, evenly; of halves all
        rest = packets if c.ways == 2 else min(packets, rest + whole)
        few = whole if c.ways == 2 and packets > whole else few
        each = ceil(rest / ceil(rest / few))
        sizes = [whole] * ((packets - rest) // whole)
        sizes += [min(each, rest - at) for at in range(0, rest, each)]
    sizes[-1] -= packets - bytes_ / c.values  # its last packet is shorter
    return sizes


def _cut(c, block):
    """(direction, packets of a block) of each part."""
    if c.ways == 1:
        return [(0, packets) for packets in _divide(c, block)]
    return [(way, packets) for packets in _divide(c, block / 2) for way in (0, 1)]


def _series(call, parts):
    """Parts of each sequence that receives, (direction, [(number, packets of a block)])."""
    lanes = [[] for _ in range(call.ways)]
    for number, (way, packets) in enumerate(parts):
        lane = lanes[way]
        full = ceil(packets) == call.part
        if not lane or len(lane[-1][1]) == call.series or lane[-1][0] != full:
            lane.append((full, []))
        lane[-1][1].append((number, packets))
    return [(way, lane[i][1]) for i in range(max(map(len, lanes)))
            for way, lane in enumerate(lanes) if i < len(lane)]


def _steps(nodes, parts):
    """Of the sequence that receives: all, but for what the others send first; and those."""
    receives = [(number, step, packets) for i, (number, packets) in enumerate(parts)
                for step in range(i > 0, 2 * nodes - 1)]
    return receives, [(number, 0, packets) for number, packets in parts[1:]]


def _start_cycles(call, steps):
    return ceil(len(steps) * call.store) + call.host


class _Host:
    """Starts parts, (direction, packets of a block) each, and hears of their ends."""

    def __init__(self, node, call, parts, later):
        self.node, self.call, self.later = node, call, later
        self.waiting, self.now, self.last, self.begun = _series(call, parts), 0.0, 0.0, 0
        self.admit(0.0, call.parts)

    def start(self, way, steps, ended):
        self.now += _start_cycles(self.call, steps)
        late = self.later * (17 * self.begun + 23) % LATER - LATER // 2
        self.node.start(self.now + self.call.begin + late, way, steps, ended)
        self.begun += 1

    def admit(self, at, most):
        """The first sends of a series are started behind those series that are."""
        self.now, sends = max(self.now, at), []
        for way, some in self.waiting[:most]:
            receives, first = _steps(self.node.e.nodes, some)
            self.start(way, receives, self.ended)
            if first:
                sends.append((way, first))
        del self.waiting[:most]
        for way, first in reversed(sends):
            self.start(way, first, self.told)

    def told(self, at):
        self.last = max(self.last, at + self.call.end)

    def ended(self, at):
        self.told(at)
        self.node.at(at + self.call.end, lambda: self.admit(self.node.now, 1))


def _run(e, call, parts, later):
    """Until the hosts know of the last end."""
    some, clock = engine.nodes(e, len(e.eager) if call.ways == 2 else 1)
    hosts = [_Host(node, call, parts, later) for node in some]
    clock.run()
    return max(host.last for host in hosts)


@lru_cache(maxsize=1024)
def _median(e, call, parts):
    handled = (2 * e.nodes - 1) * sum(ceil(packets) for _, packets in parts)
    starts = STARTS if handled < LONG else 1
    return median(_run(e, call, parts, later) for later in range(starts))


def allreduce(e, call, parts):
    """From the call to the host's knowing."""
    if len(parts) <= MOST:
        return _median(e, call, parts)
    times = ceil((len(parts) - MOST) / SAME)
    if call.series == 1:
        few = _median(e, call, parts[times * SAME:])
        return few + times * (_median(e, call, parts[(times - 1) * SAME:]) - few)
    # In one series of each direction; and what it takes to go over to another one.
    one = replace(call, series=len(parts))
    few = _median(e, one, parts[times * SAME:])
    more = _median(e, one, parts[(times - 1) * SAME:])
    some = ((0, call.part), (1, call.part)) * (MOST // 2)
    two = _median(e, replace(call, series=MOST // 4), some) - _median(e, one, some)
    full = sum(ceil(packets) == call.part for _, packets in parts) // call.ways
    return few + times * (more - few) + (ceil(full / call.series) - 1) * two


def block_bytes(values, nodes):
    """Of a rank, in whole lines and halves of whole lines (train_summed)."""
    lines = ceil(values / (2 * nodes * LINE // FP32))
    return lines * 2 * LINE


def _parts(system, values, nodes, wire):
    block = block_bytes(values, nodes)
    call = _call(system, wire, nodes, block)
    return _engine(system, wire, nodes), call, tuple(_cut(call, block))


def start(system, values, nodes, wire):
    """The host's own work to start an all-reduce: its first sequences."""
    _, call, parts = _parts(system, values, nodes, wire)
    return sum(_start_cycles(call, steps) for _, some in _series(call, parts)[:call.parts]
               for steps in _steps(nodes, some) if steps)


def cycles(system, values, nodes, wire):
    """Of an all-reduce of FP32 values: until the hosts know, and the call itself."""
    return allreduce(*_parts(system, values, nodes, wire)) if nodes > 1 else 0.0


def behind(system, values, nodes, wire):
    """What a list's RUN and its COMPLETE wait on average for packets of an all-reduce: they
    leave by the same sender (fsh_seq_send), which ends the packet that it has begun."""
    share = demands(system, values, nodes, wire)["link"] / cycles(system, values, nodes, wire)
    return 2 * min(1.0, share) * _engine(system, wire, nodes).link / 2


def demands(system, values, nodes, wire):
    """Cycles that the link, an engine, and the steps of a part that is alone take."""
    e, call, parts = _parts(system, values, nodes, wire)
    hops, packets = 2 * (nodes - 1), sum(packets for _, packets in parts)
    step = 2 * e.memory + e.lines + e.post + e.link + e.flight
    return {"link": hops * packets * e.link / e.ports / call.ways,
            "engine": packets * sum(e.of_packet(step) for step in range(hops + 1)),
            "latency": hops * step * ceil(len(parts) / call.parts)}
