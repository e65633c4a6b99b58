# SPDX-License-Identifier: BSD-3-Clause
"""Collectives by hosts with messages, and what a message and a put take, in cycles.

A message costs the sender's call and its writes, PCIe, the link, PCIe and the receiver's
poll and handler; hosts.py follows all those of a call.
"""
from math import ceil

from . import hosts as driven, programs, system as systems, transfer

ENTRY_WRITES = 8  # 64-bit writes of an entry of a submission window
ARGUMENTS = 32    # bytes, of the library's messages
NODES_MOST = 64   # of a fabric: a card's routes end there
KINDS = programs.KINDS


def message(system, n=0, host=1.0):
    """From a call to the receiver's handler, with n bytes of payload."""
    h, link = system["host"], system["link"]
    entries = ceil((link["beat_bytes"] + ARGUMENTS + n) / 64)
    return (host * (h["call"] + ENTRY_WRITES * h["write"] + h["poll"] + h["message"]
                    + h["handler"])
            + 2 * system["pcie"]["cycles"] + system["pipeline"]["submit"]
            + transfer.header(system) + system["pipeline"]["pend"]
            + ceil((ARGUMENTS + n) / link["beat_bytes"])
            + 2 * entries * 64 / system["pcie"]["bytes_cycle"]
            + (2 * system["pcie"]["cycles"] if n + ARGUMENTS > system["host"]["inline"]
               else 0))  # the node fetches what is not in the command


def _put(system, host):
    """From the call to the receiver's handler for its notification, excluding its beats."""
    h = system["host"]
    return (host * (h["call"] + ENTRY_WRITES * h["write"]) + 2 * system["pcie"]["cycles"]
            + system["pipeline"]["submit"] + transfer.put_base(system)
            + transfer.header(system) + message(system, 0, host))


def granted(system, rounds, host=1.0):
    """Rounds of a put with its notification, behind the first grant."""
    return message(system, 0, host) + rounds * _put(system, host)


def hosts(system, op, algorithm, nodes, n, host=1.0, private=False):
    """Driven by the hosts with messages; buffers in the segment, or not. Nodes on a ring."""
    if nodes > NODES_MOST:
        raise systems.Problem(f"coll: {nodes} nodes, but a fabric has {NODES_MOST} at most")
    return driven.cycles(system, op, algorithm, nodes, n, host, private)
