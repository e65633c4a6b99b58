# SPDX-License-Identifier: BSD-3-Clause
"""The compute core: a list of commands, in cycles.

Follows a command through the units of hw/rtl/compute: fetch, loader, feed, steps, results,
end. Depths of the units come from the system file, rates from the array, the lanes and
device memory.
"""
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from .lanes import element_rate

LINE = 16    # FP32 values of 64 bytes
ROWS = 8     # of a group of X, 16 columns being one of W
QUAD = 64    # values that a cycle's four lanes have
FP32 = 4


@dataclass(frozen=True)
class Gemm:
    m: int
    n: int
    k: int
    x_columns: bool = False  # X lies transposed
    w_columns: bool = False  # W does
    bias: bool = False


@dataclass(frozen=True)
class Element:
    """AXPY, GATE: `values` of X and of W make as many."""
    values: int


@dataclass(frozen=True)
class Sum:
    m: int
    n: int


@dataclass(frozen=True)
class Depths:
    """What the walk below needs of a system, hashable."""
    units: tuple
    dram_read: int
    dram_write: int
    dram_bytes: float

    def __getattr__(self, name):
        try:
            return dict(self.units)[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def answer(self):
        """From a request of fsh_cread to its answer."""
        return self.read + self.dram_read


def depths(system):
    dram = system["dram"]
    return Depths(tuple(sorted(system["core"].items())), dram["read_cycles"],
                  dram["write_cycles"], dram["bytes_cycle"])


def _tiles(d, gemm):
    """(groups of rows, groups of columns) of each tile, columns innermost."""
    xs, ws = ceil(gemm.m / ROWS), ceil(gemm.n / LINE)
    most = min(d.tile_x, xs)
    if gemm.x_columns:
        most += most % 2  # a line of it is two groups
    for x in range(0, xs, most):
        for w in range(0, ws, d.tile_w):
            yield min(most, xs - x), min(d.tile_w, ws - w), x + most >= xs


def _quads(gemm, tx, tw, last_x):
    """Results of a tile, by four lines; a group of four rows or fewer is one."""
    rest = gemm.m % ROWS if last_x else 0
    return tw * (2 * tx - (1 if 0 < rest <= 4 else 0))


def _gemm(d, gemm):
    """From when the command enters to when it has ended."""
    chunks = ceil(gemm.k / LINE)
    feed_w = d.feed_turned if gemm.w_columns else d.feed
    feed_x = d.feed_turned if gemm.x_columns else d.feed
    load = d.loader          # the loader's next request may leave then
    step = d.stepper         # a chunk's first step may be made then
    free = [0, 0]            # accumulator banks
    out = ext = 0            # results: the last quad left, the last row was told
    released = []            # ends of chunks, which free their words of the buffers
    room = None
    tiles = list(_tiles(d, gemm))
    for number, (tx, tw, last_x) in enumerate(tiles):
        w_load = 4 * tw
        x_load = 4 * ceil(tx / 2) if gemm.x_columns else 2 * tx
        area = max(tx * tw, d.loop)
        room = room or d.operand_words // max(min(d.tile_x, ceil(gemm.m / ROWS)), 1)
        step = max(step, free[number % 2])
        waits = True
        for _ in range(chunks):
            if len(released) >= room:  # words that a chunk before still has
                load = max(load, released[len(released) - room] + 1)
            w_end = load + w_load
            x_end = w_end + 1 + x_load
            there = max(w_end - 1 + d.answer + feed_w, x_end - 1 + d.answer + feed_x)
            load = x_end + 2
            if there > step or waits:
                step = max(step, there) + 1
            waits = False
            step += area
            released.append(step)
        load += 1
        taken = max(step + d.settle, out + 1)
        first = taken + d.walk
        if gemm.bias:
            first = max(first, taken + d.bias + d.answer)
        quads = _quads(gemm, tx, tw, last_x)
        mine = d.results + quads // tx  # a group's extents begin behind its last quad
        ext = max(ext, first + mine) + ROWS * tx
        out = first + quads
        ext = max(ext, out + d.results + ROWS)
        free[number % 2] = out + d.drain
        step += d.next_tile
    written = out + d.results + d.written + d.dram_write
    return max(ext + d.told, written) + d.end


def _element(d, e):
    cycles = e.values / (4 * QUAD) * element_rate(d.dram_read, d.dram_bytes)
    return 1 + cycles + d.answer + d.element + d.dram_write + d.end


def _sum(d, s):
    groups = ceil(s.n / (4 * QUAD))
    cycles = groups * 4 * (s.m + 1)
    return 1 + cycles + d.answer + d.element + d.dram_write + d.end


@lru_cache(maxsize=4096)
def _alone(d, command):
    if isinstance(command, Gemm):
        return _gemm(d, command)
    return _sum(d, command) if isinstance(command, Sum) else _element(d, command)


def commands(system, list_):
    """Cycles from a list's RUN at the core to the end of each command: each begins when the
    one before has ended, and has been fetched meanwhile."""
    d = depths(system)
    fetch = d.queue + d.answer
    now, ends = fetch + 1, []
    for command in list_:
        end = now + _alone(d, command)
        ends.append(end)
        now = max(end + 1, now + fetch)
    return ends


def run(system, list_):
    """A list that a host submits and waits for, from the call to its return."""
    h, p, pcie = system["host"], system["pipeline"], system["pcie"]
    told = commands(system, list_)[-1] if list_ else 0
    stored = h["store"] + ceil(len(list_) * h["command_bytes"] / h["store_bytes"])
    return (stored + h["run_writes"] * h["write"] + pcie["cycles"] + p["run"] + told
            + p["complete"] + pcie["cycles"] + h["poll"])
