# SPDX-License-Identifier: BSD-3-Clause
"""Cost of collectives by algorithm, in cycles: rounds of messages, bytes of the busiest
rank on its link, bytes that it combines (the costs of R. Thakur et al., IJHPCA 19, 2005, which
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


# What the host loads from device memory and stores there, one after the other, in lists
# of bytes: of short messages. Own parts are copied first; intermediate results stay in
# the host's memory.
ACCESSES = {
    ("broadcast", "binomial"): lambda p, n: ([n] * levels(p), [n] * levels(p)),
    ("scatter", "binomial"): lambda p, n: ([n * max(1, p // 2)], [n]),
    ("gather", "binomial"): lambda p, n: ([n], [n * max(1, p // 2)]),
    ("allgather", "doubling"): lambda p, n: (
        [n] + [n << i for i in range(levels(p))], [n] + [n << i for i in range(levels(p))]),
    ("alltoall", "pairwise"): lambda p, n: ([n] * p, [n] * 2),
    ("reduce", "binomial"): lambda p, n: ([n] * 2 * levels(p), [n] * levels(p)),
    ("allreduce", "doubling"): lambda p, n: ([n] * 2, [n]),
    ("reduce_scatter", "halving"): lambda p, n: ([n * p // 2] * 2, [n]),
    ("scan", "doubling"): lambda p, n: ([n] * (levels(p) + 1), [n] * levels(p)),
}
# Reductions by halving; what each round adds: a half comes by messages, is combined with
# what device memory has, and stays with the host but in the last one.
HALVING = {("reduce", "halving"), ("allreduce", "rabenseifner"),
           ("reduce_scatter", "halving")}
PIECE = 64 << 10  # bytes that are put at once (src/gasnet/run_packet.c)
# Long ones: a rank's own part is copied; the others are put from segment to segment.
COPIES_OWN = {"scatter", "gather", "allgather", "alltoall"}
EAGER = 1024    # bytes of a message at most (src/gasnet/run.h)
ARGUMENTS = 32  # bytes, of the library's messages


def hop(system):
    """Cycles to pass through an intermediate node."""
    p = system["pipeline"]
    return system["link"]["cycles"] + p["link_rx"] + 1 + p["link_tx"]


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


def _copies(system, loads, stores):
    h = system["host"]
    return (sum(h["load"] + n / h["load_bytes"] for n in loads)
            + sum(h["store"] + n / h["store_bytes"] for n in stores))


def _hops(nodes, rounds, op):
    """Intermediate nodes on a ring, summed over rounds at distances 1, 2, 4 ...; for an
    all-to-all, those of the farthest pair."""
    if op == "alltoall":
        return nodes // 2 - 1 if nodes > 2 else 0
    return sum(min(1 << i, nodes - (1 << i)) - 1 for i in range(min(rounds, levels(nodes))))


def _payloads(op, algorithm, nodes, n, rounds):
    """Message bytes of each round."""
    if op in ("scatter", "gather") or (op, algorithm) == ("allgather", "doubling"):
        return [min(n << i, n * (nodes - (1 << i))) for i in range(rounds)]
    if op == "reduce_scatter":
        return [n * nodes >> 1 + i for i in range(rounds)]
    return [n] * rounds


def _short(system, op, algorithm, nodes, n, host):
    rounds, _, _ = COSTS[op, algorithm](nodes, n)
    sent = rounds
    if op == "alltoall":
        rounds, sent = 1, nodes - 1
    if op == "reduce_scatter":
        rounds = sent = levels(nodes) + (nodes > 2)
    loads, stores = ACCESSES.get((op, algorithm), lambda p, n: ([], []))(nodes, n)
    payloads = _payloads(op, algorithm, nodes, n, rounds)
    alone = sum(message(system, each, 0) for each in payloads)
    granted = message(system, 0, host) if max(payloads, default=0) > EAGER else 0
    return (alone + granted + sent * host * (message(system) - message(system, 0, 0))
            + _hops(nodes, rounds, op) * hop(system)
            + host * _copies(system, loads, stores))


def _halving(system, op, nodes, n, host):
    """Halves sent as messages, the first from device memory; then, except for
    reduce_scatter, parts of the result by puts."""
    whole = n * nodes if op == "reduce_scatter" else n
    rate = system["link"]["beat_bytes"] * transfer.efficiency(system)
    cycles, part = message(system, 0, host), whole / 2
    for _ in range(levels(nodes)):
        cycles += message(system, 0, host) + part / rate
        part /= 2
    if op != "reduce_scatter":
        for _ in range(levels(nodes)):
            part *= 2
            cycles += _put(system, host) + part / rate
    return (cycles + 2 * _hops(nodes, levels(nodes), op) * hop(system)
            + host * _copies(system, [whole / 2] * 2, [whole / nodes]))


def _put(system, host):
    """From the call to the receiver's handler for its notification, excluding its beats."""
    h = system["host"]
    return (host * (h["call"] + ENTRY_WRITES * h["write"]) + 2 * system["pcie"]["cycles"]
            + system["pipeline"]["submit"] + transfer.put_base(system)
            + transfer.header(system) + message(system, 0, host))


def granted(system, rounds, host=1.0):
    """Rounds of a put with its notification, behind the first grant."""
    return message(system, 0, host) + rounds * _put(system, host)


def _long(system, op, algorithm, nodes, n, host):
    """Rendezvous: grant, put and notification, one round after the other."""
    if (op, algorithm) in HALVING:
        return _halving(system, op, nodes, n, host)
    rounds, sent, folded = COSTS[op, algorithm](nodes, n)
    if algorithm == "chain":
        sent = n + (rounds - 1) * min(n, PIECE)
    if op == "alltoall" or algorithm == "linear":
        rounds = 1
    ports = system["link"]["ports"] if nodes == 2 or rounds == 1 else 1
    flow = sent / (system["link"]["beat_bytes"] * transfer.efficiency(system) * ports)
    copies = 0.0
    if op in COPIES_OWN:
        copies = _copies(system, [n], [n])
    elif folded:
        copies = _copies(system, [folded], [folded])
    return granted(system, rounds, host) + flow + host * copies


def hosts(system, op, algorithm, nodes, n, host=1.0):
    """Driven by the hosts with messages; buffers in the segment."""
    if op == "barrier":
        n = 0
    way = _short if n <= EAGER else _long
    return way(system, op, algorithm, nodes, n, host)
