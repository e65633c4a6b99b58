# SPDX-License-Identifier: BSD-3-Clause
"""An iteration of data-parallel training of a multi-layer perceptron, in seconds.

For nodes of the simulator as network.py follows it. Else the equations of R. Ma et al.
(arXiv:2204.10943), section IV-C, for a worker, a link, adders and a memory given as rates; a
conventional NIC, whose host moves and adds, by the same trace with cores set aside.
"""
from dataclasses import dataclass
from math import ceil

from . import network
from .iteration import Iteration

FP32 = 4       # bytes
EXPOSED = 0.05  # of an iteration: with less it is bound by computing


@dataclass
class Rates:
    """The rates the equations use: seconds, bytes and operations per second."""
    worker: float       # P_Worker, FLOPS
    link: float         # alpha BW_eth, bytes
    adders: float       # P_FPGA, additions
    memory: float       # BW_pcie, bytes, reads and writes together
    update: float       # T_U of a weight
    ratio: float        # beta, of the compressed wire format


@dataclass
class Layer:
    weights: int
    forward: float
    backward: float
    allreduce: float
    update: float
    bound: str          # of the all-reduce: link, adder, memory


def rates_of_paper(system, wire):
    """Rates of the paper's prototype: a worker with a smart NIC."""
    fitted, width = system["fitted"], system["training"]["width"]
    return Rates(worker=fitted["worker_flops"],
                 link=system["link"]["alpha"] * system["link"]["bits_s"] / 8,
                 adders=system["reduce"]["adds_s"], memory=system["pcie"]["bytes_s"],
                 update=fitted["update_s"] / width ** 2,
                 ratio=system["wire"]["ratio"] if wire == "bfp16" else 1.0)


def allreduce(rates, weights, nodes):
    """T_AR and its bottleneck."""
    if nodes == 1:
        return 0.0, "none"
    chunk = ceil(weights / nodes)          # R_l = b N ceil(M^2 / N)
    steps = 2 * (nodes - 1)
    times = {
        "link": steps * chunk * FP32 / (rates.link * rates.ratio),
        "adder": steps * chunk / rates.adders,
        "memory": 2 * chunk * nodes * FP32 / rates.memory}
    bound = max(times, key=times.get)
    return times[bound], bound


def layers(rates, widths, batch, nodes):
    """T_F, T_B, T_AR, T_U of each layer; widths: inputs, layers, outputs."""
    out = []
    for rows, columns in zip(widths, widths[1:]):
        weights = rows * columns
        time, bound = allreduce(rates, weights, nodes)
        out.append(Layer(weights, 2 * weights * batch / rates.worker,
                         4 * weights * batch / rates.worker, time,
                         weights * rates.update, bound))
    return out


def iteration(stack, overlap=True):
    """T_total, the trace of Fig. 3b: the all-reduce of a layer overlaps with the backward
    pass of the layer before it and the update of the layer after it."""
    forward = sum(x.forward for x in stack)
    backward = sum(x.backward for x in stack)
    update = sum(x.update for x in stack)
    if not overlap:
        return Iteration(forward, backward, sum(x.allreduce for x in stack), update)
    exposed = 0.0
    for l in range(len(stack) - 1, -1, -1):
        beside = (stack[l - 1].backward if l > 0 else 0.0) \
            + (stack[l + 1].update if l + 1 < len(stack) else 0.0)
        exposed += max(0.0, stack[l].allreduce - beside)
    return Iteration(forward, backward, exposed, update)


def baseline(system, batch, nodes, overlap=True, reducing=None):
    """The paper's worker with a conventional NIC, where `reducing` cores move and add."""
    fitted, base = system["fitted"], system["baseline"]
    weights = system["training"]["width"] ** 2
    rates = rates_of_paper(system, "fp32")
    if reducing is None:
        reducing = (base["reducing_1792"] if batch >= 1792
                    else fitted["reducing_448"]) if overlap else 1
    stack = layers(rates, widths(system), batch, nodes)
    share = 1 - reducing / base["cores"] if overlap and nodes > 1 else 1.0
    steps = 2 * (nodes - 1)
    wire = steps * ceil(weights / nodes) * FP32 / (base["bits_s"] / 8)
    host = steps * (ceil(weights / nodes) * FP32 / fitted["host_bytes_s"]
                    + fitted["host_step_s"]) / reducing
    for layer in stack:
        layer.backward /= share
        layer.allreduce = max(wire, host)
        layer.bound = "host" if host > wire else "link"
    return iteration(stack, overlap)


def widths(system):
    return [system["training"]["width"]] * (system["training"]["layers"] + 1)


def _nodes(system, wire, batch, nodes, stack):
    seen = network.iteration(system, wire, batch, nodes, stack)
    hz = system["clock_mhz"] * 1e6
    bound = "compute"
    if seen.allreduce_exposed > EXPOSED * seen.total:
        bound = network.bound(system, wire, nodes, stack)
    return Iteration(seen.forward / hz, seen.backward / hz, seen.allreduce_exposed / hz,
                     seen.update / hz), bound


def predict(system, wire, batch, nodes, shape=None):
    """An iteration and what bounds it."""
    shape = shape or widths(system)
    if "core" in system:
        return _nodes(system, wire, batch, nodes, list(zip(shape, shape[1:])))
    stack = layers(rates_of_paper(system, wire), shape, batch, nodes)
    return iteration(stack), bound(stack)


def bound(stack):
    """The bottleneck of an iteration: computing, else that of most of its all-reduces."""
    seen = iteration(stack)
    if seen.allreduce_exposed <= EXPOSED * seen.total:
        return "compute"
    weight = {}
    for layer in stack:
        weight[layer.bound] = weight.get(layer.bound, 0.0) + layer.allreduce
    return max(weight, key=weight.get)
