# SPDX-License-Identifier: BSD-3-Clause
"""Events in order of time, and what nodes on a ring do with commands of their hosts: windows,
ports, links, and writes to memories. A packet passes from module to module in the cycles that
these state (the system file); it waits where another one is before it.
"""
import heapq
from collections import deque
from math import ceil

from . import transfer

MOST_PACKETS = 512  # of a message that are followed one by one; longer ones in longer parts


class Clock:
    def __init__(self):
        self.now, self._due, self._count = 0, [], 0

    def at(self, when, call, *args):
        self._count += 1
        heapq.heappush(self._due, (when, self._count, call, args))

    def run(self):
        while self._due:
            self.now, _, call, args = heapq.heappop(self._due)
            call(*args)


class Port:
    """A link's sender: a packet after the other, messages in turns."""

    def __init__(self, clock):
        self.clock, self.parts, self.busy = clock, deque(), False

    def add(self, packets):
        """packets: [(beats, call)], in order; call when its header leaves."""
        self.parts.append(deque(packets))
        if not self.busy:
            self._next()

    def _next(self):
        self.busy = bool(self.parts)
        if not self.busy:
            return
        part = self.parts.popleft()
        beats, call = part.popleft()
        if part:
            self.parts.append(part)
        call(beats)
        self.clock.at(self.clock.now + beats, self._next)


class Message:
    """On its way: `left` packets; then done(end of the last one's beats)."""

    def __init__(self, left, write, done):
        self.left, self.write, self.done, self.end = left, write, done, 0

    def come(self, end, n):
        self.left -= 1
        self.end = max(self.end, self.write(end, n, self.left == 0))
        if self.left == 0:
            self.done(self.end)


class Fabric:
    def __init__(self, system, nodes, clock):
        self.s, self.n, self.clock = system, nodes, clock
        self.p, self.link = system["pipeline"], system["link"]
        self.ports = {(node, back): Port(clock) for node in range(nodes)
                      for back in (False, True)}
        self.window = {(node, reply): 0.0 for node in range(nodes)
                       for reply in (False, True)}
        self.to_host = [0.0] * nodes    # until when its writes to the host last
        self.from_host = [0.0] * nodes  # ... its reads
        self.turn = [0] * nodes
        self.flight = (self.p["link_tx"] + self.link["cycles"] + self.p["link_rx"]
                       + self.p["receiver"] - 1)
        self.hop = self.link["cycles"] + self.p["link_rx"] + 1 + self.p["link_tx"]

    # ---- ways ----

    def ways(self, source, dest):
        """Directions, and links to pass."""
        ahead = (dest - source) % self.n
        behind = self.n - ahead
        if ahead == behind and self.link["ports"] > 1:
            return [(False, ahead), (True, behind)]
        return [(False, ahead)] if ahead <= behind else [(True, behind)]

    def _pass(self, node, back, links, message, n):
        """A packet from node to node; a call for its port."""
        def leave(beats):
            now = self.clock.now
            if links == 1:
                end = now + self.flight + beats
                self.clock.at(end, message.come, end, n)
                return
            after = (node + (-1 if back else 1)) % self.n
            self.clock.at(now + self.hop, self.ports[after, back].add,
                          [(beats, self._pass(after, back, links - 1, message, n))])
        return leave

    # ---- memories ----

    def _to_device(self, end, n, _):
        return end + (self.p["write"] + self.s["dram"]["write_cycles"] if n else 0)

    def _to_host(self, node, line):
        """A burst a packet; the last one's also has a line of so many beats for the host."""
        def write(end, n, last):
            beats = ceil(n / self.link["beat_bytes"]) + self.p["burst"] if n else 0
            if last:
                beats += line
            self.to_host[node] = max(self.to_host[node] + beats, end)
            return self.to_host[node]
        return write

    def _source(self, node, where, n, offer):
        """When the first beat of the payload may leave."""
        first = offer + self.p["sequencer"] + self.p["send_queue"]
        if where == "device":
            return first + 1 + self.s["dram"]["read_cycles"]
        if where == "host":
            read = max(first + 1 + 2 * self.s["pcie"]["cycles"], self.from_host[node])
            self.from_host[node] = read + n / self.link["beat_bytes"]
            return read
        return first

    # ---- commands ----

    def submit(self, node, writes, reply, send):
        """A command's words and its doorbell, from now on; send(offer), and how many rows it
        has, follow when its window has come to it."""
        came = self.clock.now + self.s["pcie"]["cycles"] + writes

        def offer():
            start = max(came, self.window[node, reply])
            rows = send(start + self.p["submit"])
            self.window[node, reply] = start + self.p["submit"] - 1 + rows
        self.clock.at(came, offer)

    def send(self, node, dest, n, where, rows, to_host, offer, done, read=None):
        """A message of `rows` beats of arguments and n bytes, from the command's offer to the
        response of its last write; read(): when its payload has been read."""
        packet, beat = self.link["packet_bytes"], self.link["beat_bytes"]
        packet *= ceil(max(1, n / packet) / MOST_PACKETS)
        inline = where == "inline" or n == 0
        sizes = [min(packet, n - i) for i in range(0, n, packet)] or [0]
        ways = self.ways(node, dest)
        if len(sizes) == 1 and len(ways) > 1:
            self.turn[node] ^= 1
            ways = [ways[self.turn[node]]]
        # Arguments beside a payload from a memory are a packet of their own.
        alone = rows if not inline and rows else 0
        # Header and arguments are a burst, and so is the entry of the ring.
        write = self._to_host(dest, 1 + rows + 2 * self.p["burst"] + 1) if to_host \
            else self._to_device
        message = Message(len(sizes) + bool(alone), write, done)
        first = self._source(node, where, n, offer)
        for i, (back, links) in enumerate(ways):
            mine = [(transfer.beats(self.s, size, packet) + (0 if alone else rows),
                     self._pass(node, back, links, message, size))
                    for size in sizes[i::len(ways)]]
            if where == "host":  # read one after the other, for both ports
                for k, packet_ in enumerate(mine):
                    self.clock.at(first + (k * len(ways) + i) * packet / beat,
                                  self.ports[node, back].add, [packet_])
            elif mine:
                self.clock.at(first, self.ports[node, back].add, mine)
        if alone:
            back, links = ways[0]
            self.clock.at(offer + self.p["sequencer"] + self.p["send_queue"] + 1,
                          self.ports[node, back].add,
                          [(1 + alone, self._pass(node, back, links, message, 0))])
        if read:
            self.clock.at(first + ceil(n / self.link["beat_bytes"] / len(ways)), read)
