# SPDX-License-Identifier: BSD-3-Clause
"""An iteration of examples/08_train on nodes of the simulator, in cycles.

The program's order (examples/train.c) with lists of commands as compute_core.py has them and
all-reduces as ring.py has them: hosts submit a list, wait for its end, and submit the next;
an all-reduce goes on beside the lists between its start and the wait for it.
"""
from . import collective, compute_core, ring
from .iteration import Iteration

PIXELS, OUTPUTS = 64, 16  # examples/train.h


def shape(layers, width):
    """Inputs and outputs of each layer."""
    widths = [PIXELS] + [width] * (layers - 1) + [OUTPUTS]
    return list(zip(widths, widths[1:]))


def _forward(rows, columns, batch):
    return [compute_core.Gemm(batch, columns, rows, w_columns=True, bias=True)]


def _backward(rows, columns, batch, first):
    list_ = [compute_core.Gemm(rows, columns, batch, x_columns=True, w_columns=True),
             compute_core.Sum(batch, columns)]
    if not first:
        list_ += [compute_core.Gemm(batch, rows, columns), compute_core.Element(batch * rows)]
    return list_


def _update(rows, columns):
    return [compute_core.Element(rows * columns + columns)] * 2


def _contended(system, values, nodes, wire):
    """The system with less memory for the compute core: what an all-reduce moves there
    meanwhile. A rank reads its blocks, and writes those that are sums and those it gets."""
    moved = 2 * nodes * ring.block_bytes(values, nodes)
    taken = moved / ring.cycles(system, values, nodes, wire)
    dram = dict(system["dram"])
    dram["bytes_cycle"] = dram["bytes_cycle"] - round(taken)
    return {**system, "dram": dram}


class _Clock:
    """A rank's time, and the parts it is counted in."""

    def __init__(self, system):
        self.now, self.read = 0.0, system["host"]["clock"]
        self.part = dict.fromkeys(("forward", "backward", "reduce", "update"), 0.0)
        self.mark = 0.0

    def end_of(self, part):
        self.now += self.read
        self.part[part] += self.now - self.mark
        self.mark = self.now


def iteration(system, wire, batch, nodes, layers):
    """Of layers (inputs, outputs); batch: of a node."""
    clock = _Clock(system)
    done = [0.0] * len(layers)  # when the all-reduce has ended
    beside, behind = None, 0.0  # the system beside the last one; waits for its packets
    end = 0.0                   # of that

    def run(list_):
        alone = compute_core.run(system, list_)
        if end > clock.now:
            slow = compute_core.run(beside, list_) + behind
            alone += (slow - alone) * min(1.0, (end - clock.now) / slow)
        clock.now += alone

    for rows, columns in layers:
        run(_forward(rows, columns, batch))
    clock.end_of("forward")
    for i in range(len(layers) - 1, -1, -1):
        rows, columns = layers[i]
        if i + 2 < len(layers):
            run(_update(*layers[i + 2]))
            clock.end_of("update")
        run(_backward(rows, columns, batch, i == 0))
        clock.end_of("backward")
        if i + 1 < len(layers):
            clock.now = max(clock.now, done[i + 1])
        values = rows * columns + columns
        if nodes > 1:
            done[i] = end = clock.now + ring.cycles(system, values, nodes, wire)
            clock.now += ring.start(system, values, nodes, wire)
            beside = _contended(system, values, nodes, wire)
            behind = ring.behind(system, values, nodes, wire)
        clock.end_of("reduce")
    if len(layers) > 1:
        run(_update(*layers[1]))
        clock.end_of("update")
    clock.now = max(clock.now, done[0])
    clock.end_of("reduce")
    run(_update(*layers[0]))
    clock.end_of("update")
    p = clock.part
    return Iteration(p["forward"], p["backward"], p["reduce"], p["update"])


def bound(system, wire, nodes, layers):
    """What takes most of the all-reduces."""
    most = {}
    for rows, columns in layers:
        for what, cycles in ring.demands(system, rows * columns + columns, nodes,
                                         wire).items():
            most[what] = most.get(what, 0.0) + cycles
    return max(most, key=most.get)


def hosts(system, batch, nodes, layers):
    """An iteration whose hosts move and add gradients: a round, a block is granted and put,
    and a host loads its own; what it gets is in host memory, but for the last sum, which it
    loads, too, and stores. Lists wait meanwhile. Its total only: what a host adds counts in
    whatever part it waits in."""
    h = system["host"]
    total = iteration(system, "fp32", batch, 1, layers).total
    for rows, columns in layers:
        block = ring.block_bytes(rows * columns + columns, nodes)
        total += (block * (nodes / h["load_bytes"] + 1 / h["store_bytes"])
                  + collective.granted(system, 2 * (nodes - 1)))
    return total


def submissions(system, part, layers):
    """Cycles of a part that are submissions of lists and their ends."""
    lists = {"forward": 1, "backward": 1, "update": 1, "total": 3}.get(part, 0)
    return lists * layers * compute_core.run(system, [])
