# SPDX-License-Identifier: BSD-3-Clause
"""Device memory that the compute core's four lanes share: element-wise commands of two operands,
and what the loader leaves to a port.

Reads ask for 256 bytes a cycle, results for 256 in every other four cycles, together more
than memory has. How much of it they use depends on what waits for what: so the lanes are
stepped, cycle by cycle, for long enough to know the rate (fsh_cread, fsh_celem,
fsh_cout_lanes, fsh_cwrite; sim/lane.c has the memory).
"""
from collections import deque
from functools import lru_cache

LANES, LINE = 4, 64
QUADS = 8          # of 256 values: four of X, four of W
RESULT = 10        # from the answer to AW (fsh_cout_math 5, fsh_cout_lanes 2, fsh_cwrite 3)
KEPT = 128         # quads that fsh_cread asks for before one is taken
QUEUED = 29        # results on the way in fsh_cout_lanes before it has no room
TURN = 8           # cycles for which reads come first, then writes


class _Lane:
    def __init__(self):
        self.reads = deque()    # when memory may answer
        self.answers = 0
        self.results = deque()  # when they are at memory

    def step(self, cycle, left, writes_first):
        for write in (writes_first, not writes_first):
            queue = self.results if write else self.reads
            if queue and queue[0] <= cycle and left >= LINE:
                queue.popleft()
                left -= LINE
                self.answers += not write
        return left


@lru_cache(maxsize=64)
def element_rate(read_cycles, bytes_cycle, groups=160):
    """Cycles for 256 values of an operand, in the steady state."""
    lanes = [_Lane() for _ in range(LANES)]
    asked = taken = left = 0
    began = None
    cycle = 0
    while taken < groups * QUADS:
        left = bytes_cycle + min(left, LINE - 1)
        for k in range(LANES):
            left = lanes[(k + (cycle >> 1)) % LANES].step(cycle, left, cycle & TURN)
        if asked - taken < KEPT:
            asked += 1
            for lane in lanes:
                lane.reads.append(cycle + 4 + read_cycles)
        result = taken % QUADS >= QUADS // 2
        room = all(len(lane.results) <= QUEUED for lane in lanes)
        if all(lane.answers for lane in lanes) and (room or not result):
            taken += 1
            for lane in lanes:
                lane.answers -= 1
                if result:
                    lane.results.append(cycle + RESULT)
            if taken == groups // 2 * QUADS:
                began = cycle
        cycle += 1
    return (cycle - 1 - began) / (groups - groups // 2)


BEAT = 16


@lru_cache(maxsize=64)
def port_rate(period, quads, lines, bytes_cycle, cycles=8192):
    """Beats a cycle that a message gets from memory while the loader asks for so many quads at
    the beginning of each period, and the emitter writes so many lines; ports 0 and 1 read and
    write beside them, port 0 last in every other cycle (sim/node.c). That of port 0."""
    lanes = [[0, 0] for _ in range(LANES)]  # to be read, to be written
    left = got = written = 0
    for cycle in range(cycles):
        left = bytes_cycle + min(left, LINE - 1)
        if cycle % period < quads:
            for lane in lanes:
                lane[0] += 1
        if cycle % period < lines:
            lanes[written % LANES][1] += 1
            written += 1
        for core in ((True, False) if cycle & 1 else (False, True)):
            if core:
                for k in range(LANES):
                    lane = lanes[(k + (cycle >> 1)) % LANES]
                    for write in ((1, 0) if cycle & TURN else (0, 1)):
                        if lane[write] and left >= LINE:
                            lane[write] -= 1
                            left -= LINE
                continue
            for k in range(2):
                for write in ((1, 0) if cycle & 2 else (0, 1)):
                    if left >= BEAT:
                        left -= BEAT
                        got += (k + cycle) % 2 == 0 and not write
    return got / cycles
