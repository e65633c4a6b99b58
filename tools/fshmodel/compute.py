# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products and convolutions of the case studies, in cycles.

A node's share of the products at the array's rate, what fills and drains it, and, on
several nodes, the way of the parts that others must have first (docs/02_reference/
case-studies.md says how they go around).
"""
from math import ceil

from . import transfer

KERNELS = {3: 256, 5: 192, 7: 128}  # of the paper's convolutions
MAP = 64


def start(system):
    """Pipeline fill and drain: before the array's first step and after its last."""
    c = system["compute"]
    unit = c["unit"] * c["unit"] * 4  # FP32
    return (system["pipeline"]["command"] + system["dram"]["read_cycles"]
            + 2 * unit / c["load_bytes_cycle"] + c["depth"]
            + system["dram"]["write_cycles"])


def _ring(system, own, part_bytes, part_cycles, nodes):
    """Until the part of the opposite node has arrived and been used."""
    hop = (transfer.beats(system, part_bytes) + transfer.put_base(system)
           + system["pipeline"]["command"] + system["dram"]["read_cycles"])
    return own + nodes // 2 * hop + part_cycles


def matmul(system, size, nodes=1):
    """Encoded parts of `unit` columns forwarded around a ring of nodes."""
    c = system["compute"]
    work = size ** 3 / c["macs_cycle"] / nodes
    if nodes == 1:
        return work + start(system)
    columns = size // nodes
    parts = ceil(columns / c["unit"])
    part_bytes = size * c["unit"] * system["wire"]["block_bytes"] \
        / system["wire"]["block_values"]
    mine = size / nodes * size * c["unit"] / c["macs_cycle"]  # padded to a unit
    received = part_bytes * parts * (nodes - 1) / transfer.efficiency(system)
    flow = received / (system["link"]["beat_bytes"] * min(2, system["link"]["ports"]))
    return start(system) + max(work, flow,
                               _ring(system, mine, part_bytes, mine, nodes))


def conv(system, kernel, nodes=1):
    """Results sent to all nodes, in both directions around the ring."""
    kernels = KERNELS[kernel]
    macs = kernels * kernels * MAP * MAP * kernel * kernel
    work = macs / system["compute"]["macs_cycle"] / nodes
    sent = 4 * kernels * MAP * MAP * (nodes - 1) / nodes / transfer.efficiency(system)
    flow = sent / (system["link"]["beat_bytes"] * min(2, system["link"]["ports"]))
    tail = nodes // 2 * transfer.put(system, 24 * 8 * 64) if nodes > 1 else 0
    return start(system) + max(work, flow) + tail
