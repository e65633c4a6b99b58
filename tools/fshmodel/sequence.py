# SPDX-License-Identifier: BSD-3-Clause
"""A sequence that a unit of the collective engine runs (engine.py), and the clock of all nodes.

A sequence is a list of steps, of one part of a call or of several: (part, step of the ring,
packets).
"""
from heapq import heappop, heappush
from math import ceil

FETCH, OWN, AHEAD, SOURCE, OUT, SETTLE = range(6)   # items of a step (fsh_cnext)
KEPT = 4    # fsh_cwait: steps whose grants are kept


class Sequence:
    """A context of a unit."""

    def __init__(self, way, steps, ended):
        self.way, self.steps, self.ended = way, steps, ended
        self.at = self.packet = self.past = 0   # past: packets of the step before
        self.read = 0             # descriptors below this one have been
        self.item, self.able = FETCH, True
        self.shown = False        # it has begun its step, and hears grants for it
        self.asked = False        # who is to send its packet, or to take it, has been told
        self.claimed = 0          # packets of its step
        self.covered = self.looked = self.whole = self.further = False   # fsh_cahead
        self.led = False          # its first operand was asked for in the step before
        self.rows = 0.0           # when descriptors that were asked for have come
        self.granted = -1         # the last packet that may go
        self.peeked = None        # the next (part, step) that sends, if it has looked at that
        self.soon = -1            # the last packet of that which may go
        self.beyond, self.sure = None, -1   # of the one behind it, the same
        self.kept = {}            # of other steps, the latest
        self.result = self.written = 0.0
        self.own, self.used, self.sent = {}, {}, {}   # by packet: operand here, read; sent

    def over(self):
        return self.at == len(self.steps)

    def keep(self, step, packet):
        """Grants that come before their step (fsh_cwait)."""
        if step not in self.kept and len(self.kept) == KEPT:
            del self.kept[next(iter(self.kept))]
        self.kept[step] = packet

    def sent_at(self, packet):
        return self.sent[packet].end if packet in self.sent else 0.0

    def key(self, packet):
        return self.number, self.step, packet

    @property
    def number(self):
        return self.steps[self.at][0]

    @property
    def step(self):
        return self.steps[self.at][1]

    @property
    def full(self):
        return ceil(self.steps[self.at][2])

    def lines(self, e, packet):
        rest = self.steps[self.at][2] - self.full + 1
        return e.lines * (rest if packet + 1 == self.full else 1.0)


class Clock:
    """Of all nodes."""

    def __init__(self):
        self.now, self.events, self.count = 0.0, [], 0

    def at(self, when, what, late):
        self.count += 1
        heappush(self.events, (max(when, self.now), late, self.count, what))

    def run(self):
        while self.events:
            self.now, _, _, what = heappop(self.events)
            what()
