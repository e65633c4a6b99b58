# SPDX-License-Identifier: BSD-3-Clause
"""Collectives by algorithm, in cycles: rounds of messages, bytes of the busiest rank on
its link, bytes that it combines (the costs of R. Thakur et al., IJHPCA 19, 2005, which
the smart NIC paper cites as [20]), with the constants of the system.

Hosts drive them: a message costs the sender's call and its writes, PCIe, the link, PCIe
and the receiver's poll and handler.
"""
from math import ceil, log2

from . import transfer

ENTRY_WRITES = 8  # 64-bit writes of an entry of a submission window


def levels(n):
    return ceil(log2(n)) if n > 1 else 0


def _tree(n):
    """Rounds of recursive doubling: two more beyond a power of two."""
    return levels(n) if n & (n - 1) == 0 else int(log2(n)) + 2


# (operation, algorithm): nodes, bytes of the vector or the block -> rounds, sent, folded
COSTS = {
    ("barrier", "dissemination"): lambda p, n: (levels(p), 0, 0),
    ("barrier", "binomial"): lambda p, n: (2 * levels(p), 0, 0),
    ("broadcast", "binomial"): lambda p, n: (levels(p), levels(p) * n, 0),
    ("broadcast", "chain"): lambda p, n: (p - 1, n, 0),
    ("broadcast", "double_tree"): lambda p, n: (2 * levels(p), n, 0),
    ("broadcast", "scatter_allgather"):
        lambda p, n: (levels(p) + p - 1, 2 * n * (p - 1) / p, 0),
    ("scatter", "binomial"): lambda p, n: (levels(p), (p - 1) * n, 0),
    ("scatter", "linear"): lambda p, n: (1, (p - 1) * n, 0),
    ("gather", "binomial"): lambda p, n: (levels(p), (p - 1) * n, 0),
    ("gather", "linear"): lambda p, n: (1, (p - 1) * n, 0),
    ("allgather", "doubling"): lambda p, n: (_tree(p), (p - 1) * n, 0),
    ("allgather", "bruck"): lambda p, n: (levels(p), (p - 1) * n, 0),
    ("allgather", "ring"): lambda p, n: (p - 1, (p - 1) * n, 0),
    ("alltoall", "pairwise"): lambda p, n: (p - 1, (p - 1) * n, 0),
    ("reduce", "binomial"): lambda p, n: (levels(p), levels(p) * n, levels(p) * n),
    ("reduce", "halving"): lambda p, n:
        (2 * _tree(p), 2 * n * (p - 1) / p, n * (p - 1) / p),
    ("allreduce", "doubling"): lambda p, n: (_tree(p), _tree(p) * n, levels(p) * n),
    ("allreduce", "rabenseifner"): lambda p, n:
        (2 * levels(p), 2 * n * (p - 1) / p, n * (p - 1) / p),
    ("allreduce", "ring"): lambda p, n:
        (2 * (p - 1), 2 * n * (p - 1) / p, n * (p - 1) / p),
    ("reduce_scatter", "halving"): lambda p, n: (_tree(p), (p - 1) * n, (p - 1) * n),
    ("reduce_scatter", "ring"): lambda p, n: (p - 1, (p - 1) * n, (p - 1) * n),
    ("scan", "doubling"): lambda p, n: (levels(p), levels(p) * n, levels(p) * n),
}


def message(system, host=1.0):
    """From a call to the receiver's handler, beside the payload."""
    h = system["host"]
    return (host * (h["call"] + ENTRY_WRITES * h["write"] + h["poll"] + h["message"]
                    + h["handler"])
            + 2 * system["pcie"]["cycles"] + system["pipeline"]["submit"]
            + transfer.header(system))


def hosts(system, op, algorithm, nodes, n, host=1.0):
    """Driven by hosts, operands in the segment."""
    rounds, sent, folded = COSTS[op, algorithm](nodes, n)
    h = system["host"]
    flow = sent / (system["link"]["beat_bytes"] * transfer.efficiency(system))
    fold = 0.0
    if folded:
        fold = folded / h["load_bytes"] + folded / h["store_bytes"] \
            + rounds * (h["load"] + h["store"])
    return rounds * message(system, host) + flow + host * fold
