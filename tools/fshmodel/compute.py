# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products and convolutions of the case studies, in cycles.

A node's share of the products at the array's rate, what fills and drains it, and, on
several nodes, the way of the parts that others must have first (docs/02_reference/
case-studies.md says how they go around).
"""
from math import ceil

from . import pass_on, transfer

KERNELS = {3: 256, 5: 192, 7: 128}  # of the paper's convolutions
MAP = 64
GRID_FROM = 12  # nodes of a matrix product


def start(system):
    """Pipeline fill and drain: before the array's first step and after its last."""
    c = system["compute"]
    unit = c["unit"] * c["unit"] * 4  # FP32
    return (system["pipeline"]["command"] + system["dram"]["read_cycles"]
            + 2 * unit / c["load_bytes_cycle"] + c["depth"]
            + system["dram"]["write_cycles"])


def matmul(system, size, nodes=1):
    """Two nodes exchange halves; from three to eleven pass encoded parts of B on around the
    ring; more are a grid (examples/matmul.c)."""
    c = system["compute"]
    work = size ** 3 / c["macs_cycle"] / nodes
    if nodes == 1:
        return work + start(system)
    if 2 < nodes < GRID_FROM:
        return pass_on.cycles(system, size, nodes)
    part_bytes = size * c["unit"] * system["wire"]["block_bytes"] \
        / system["wire"]["block_values"]
    parts = ceil(size // nodes / c["unit"])
    received = part_bytes * parts * (nodes - 1) / transfer.efficiency(system)
    flow = received / (system["link"]["beat_bytes"] * min(2, system["link"]["ports"]))
    hop = (transfer.beats(system, part_bytes) + transfer.put_base(system)
           + system["pipeline"]["command"] + system["dram"]["read_cycles"])
    mine = size / nodes * size * c["unit"] / c["macs_cycle"]  # padded to a unit
    return start(system) + max(work, flow, 2 * mine + nodes // 2 * hop)


def conv(system, kernel, nodes=1):
    """Results sent to all nodes, in both directions around the ring."""
    kernels = KERNELS[kernel]
    macs = kernels * kernels * MAP * MAP * kernel * kernel
    work = macs / system["compute"]["macs_cycle"] / nodes
    sent = 4 * kernels * MAP * MAP * (nodes - 1) / nodes / transfer.efficiency(system)
    flow = sent / (system["link"]["beat_bytes"] * min(2, system["link"]["ports"]))
    tail = nodes // 2 * transfer.put(system, 24 * 8 * 64) if nodes > 1 else 0
    return start(system) + max(work, flow) + tail
