# SPDX-License-Identifier: BSD-3-Clause
"""How packets leave the units of a collective engine, and how they come to its slots, in cycles."""
from collections import deque

from . import sender

RX = -1     # whose operation on the keys


class WayOut:
    """Units have it in turns, a packet each, from its first line to its last (fsh_cjoin); the last
    one waits for room for the packet's command, and a packet for a place (fsh_cpost)."""

    def __init__(self, node):
        self.node = node
        self.waits = [deque() for _ in range(node.e.units)]
        self.turn, self.busy, self.places = 0, False, node.e.places
        self.end, self.then = 0.0, None

    def leave(self, unit, begun):
        """begun(): the packet has the way; when its last line leaves, and what follows then."""
        self.waits[unit].append(begun)
        self.go()

    def go(self):
        units = len(self.waits)
        if self.busy or not self.places or not any(self.waits):
            return
        unit = next(u for u in ((self.turn + i) % units for i in range(units)) if self.waits[u])
        self.turn, self.busy = unit + 1, True
        self.places -= 1
        self.end, self.then = self.waits[unit].popleft()()
        self.node.at(self.end, self.give)

    def give(self):
        """The last line, if there is room."""
        if self.then and self.node.now >= self.end and not self.node.sender.is_crowded():
            then, self.then, self.busy = self.then, None, False
            then()
            self.go()

    def has_place(self):
        self.places += 1
        self.go()


class Arrivals:
    """Packets that come, in pieces, one piece after the other. Of each lane the key of what began
    to come last is looked up while it comes, if nobody else asks (fsh_cpeek): a packet whose slot
    is known is stored at once, another one is looked up when it is offered."""

    def __init__(self, node):
        self.node, self.e = node, node.e
        self.busy, self.coming = False, deque()
        self.heads = [None] * sender.LANES  # key, whether its slot is known, its look-up
        self.peeks = 2 * node.e.units + 1   # whose operations on the keys

    def begin(self, lane, key):
        """A piece begins to come."""
        def looked():
            if self.heads[lane] is head:
                head[1] = self.node.claims.get(key) is False
        if self.e.pieces == 1:
            return
        self.forget(lane)
        head = self.heads[lane] = [key, False, (looked, self.e.lookup, None)]
        self.node.look(self.peeks, *head[2])

    def forget(self, lane):
        head, waits = self.heads[lane], self.node.keys[self.peeks]
        if head and head[2] in waits:
            waits.remove(head[2])
        self.heads[lane] = None

    def is_known(self, key):
        """Of a piece that is offered, and therefore not looked up any more. While a whole packet
        came there was time for that."""
        if self.e.pieces == 1 and self.node.claims.get(key) is False:
            self.node.look(self.peeks, lambda: None)
            return True
        for lane, head in enumerate(self.heads):
            if head and head[0] == key:
                if head[1]:
                    return True
                self.forget(lane)
        return False

    def arrive(self, key, eager, share, left):
        """A piece is offered: that share of a full packet, of which left[0] are to come."""
        node = self.node
        if self.busy:
            self.coming.append(lambda: self.arrive(key, eager, share, left))
            return
        self.busy = True

        def stored():
            left[0] -= 1
            node.fresh = None
            if key not in node.claims:      # it comes eagerly
                node.claims[key] = False
                node.used += 1
            node.at(node.now + self.e.wire * share,
                    self.next if left[0] else lambda: self.commit(key, eager))
        if self.is_known(key):
            node.at(node.now + 1, stored)
        else:
            node.look(RX, stored)

    def next(self):
        self.busy = False
        if self.coming:
            self.coming.popleft()()

    def commit(self, key, eager):
        """The packet is whole."""
        def begun():
            for lane, head in enumerate(self.heads):
                if head and head[0] == key:
                    self.forget(lane)
            self.node.whole(key, eager)
        self.node.look(RX, self.next, 1, begun)
