# SPDX-License-Identifier: BSD-3-Clause
"""Transfers over the bridge (docs/03_developer/bridge.md), in ns.

Pieces pass the stages of their path one after the other, each stage in the order of the
pieces, at the rates of network and PCIe; a piece holds a buffer of the ring from its first
stage to the end of its last. The cycles of the DMA engine itself are not modelled.
"""
from math import ceil

PAGE = 4096
PIECES, LEAST = 64, 16384     # src/bridge/pipeline.c: pieces of a transfer, their least bytes
PACKET_BYTES = 256            # bytes of a packet of PCIe, and ...
PACKET_HEADER = 30            # ... of its header (FSH_SIM_PCIE_ in src/device/sim/sim_shm.h)
READ_BYTES = 4096             # of the DMA window that a packet asks for (fsh_dma)
KEPT = 4                      # a share of the ring for clients that have none of it
MOVE_WRITES = 3               # registers DMA_HOST, DMA_CARD, DMA_MOVE

PATHS = {"to_card": ("read", "to_card"), "from_card": ("from_card", "write"),
         "round_trip": ("read", "to_card", "from_card", "write")}
STAGES = {"read": ("read",), "dma_to_card": ("to_card",), "dma_from_card": ("from_card",),
          "write": ("write",), "dma_both": ("to_card", "from_card")}


class Ways:
    """What the stages pass: when each is free again, and its rate in bytes a ns."""

    def __init__(self, s, stages):
        self.s, self.net = s, s["network"]
        self.ns = 1e3 / s["clock_mhz"]
        self.pcie = s["pcie"]["cycles"] * self.ns
        wire = s["pcie"]["bytes_cycle"] / self.ns
        lines = wire * PACKET_BYTES / (PACKET_BYTES + PACKET_HEADER)
        asked = READ_BYTES / lines + PACKET_HEADER / wire  # beside the other way's reads
        self.rate = {"read": self.net["read_mb_per_s"] / 1e3, "to_card": lines,
                     "from_card": READ_BYTES / asked if "to_card" in stages else lines,
                     "write": self.net["write_mb_per_s"] / 1e3}
        self.free = dict.fromkeys(self.rate, 0.0)

    def carry(self, stage, ready, n):
        self.free[stage] = max(ready, self.free[stage]) + n / self.rate[stage]
        return self.free[stage]

    def run(self, stage, t, n):
        """A piece of n bytes that the server begins at t; when it knows the end."""
        post, delay = self.net["post_ns"], self.net["delay_ns"]
        poll = self.s["host"]["poll"] * self.ns
        if stage == "read":
            return self.carry(stage, t + post + delay, n) + delay
        if stage == "write":
            return self.carry(stage, t + post, n) + 2 * delay
        t += MOVE_WRITES * self.s["host"]["write"] * self.ns + self.pcie
        if stage == "to_card":
            dram = self.s["dram"]["write_cycles"] * self.ns
            return self.carry(stage, t + 2 * self.pcie, n) + dram + self.pcie + poll
        dram = self.s["dram"]["read_cycles"] * self.ns
        return self.carry(stage, t + dram, n) + self.pcie + poll


def cut(n, step):
    return [min(step, n - at) for at in range(0, n, step)]


def message(s):
    return s["network"]["post_ns"] + s["network"]["delay_ns"]


def pipelined(s, stages, n, buffer, entries):
    entries = max(1, entries - entries // KEPT)
    step = max(LEAST, ceil(n // PIECES / PAGE) * PAGE)
    ways, t, ends = Ways(s, stages), message(s), []
    begin = t
    for i, piece in enumerate(cut(n, min(step, buffer))):
        end = begin = max(begin, ends[i - entries] if i >= entries else t)
        for stage in stages:
            end = ways.run(stage, end, piece)
        if stages[0] in ("read", "write"):  # an operation given to the network at a time
            begin += s["network"]["post_ns"]
        ends.append(end)
    return max(ends) + message(s)


def naive(s, stages, n, buffer):
    """Memory of both sides is registered first; a stage ends before the next one begins, and
    the card's bytes are copied to and from the ring."""
    net, ways = s["network"], Ways(s, ())
    copy = s["host"]["copy_bytes"] / ways.ns
    pages = ceil(n / PAGE)
    sides = ("read" in stages) + ("write" in stages)
    t = message(s) + sides * (net["register_ns"] + pages * net["client_page_ns"])
    t += net["register_ns"] + pages * net["server_page_ns"]
    for stage in stages:
        if stage in ("to_card", "from_card"):
            t += min(n, buffer) / copy  # of the first piece, or the last; others beside moves
        t = ways.run(stage, t, n)
    return t + message(s)


MODES = [(path, mode) for path in PATHS for mode in ("pipelined", "naive")]


def transfer(s, path, mode, n, stage=None):
    """A path in a mode, or a stage alone, until the client knows of the end."""
    stages = STAGES[stage] if stage else PATHS[path]
    buffer = int(s["bridge"]["buffer"])
    if mode == "naive":
        return naive(s, stages, n, buffer)
    return pipelined(s, stages, n, buffer, int(s["bridge"]["entries"]))
