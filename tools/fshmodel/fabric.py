# SPDX-License-Identifier: BSD-3-Clause
"""Events in order of time, and what nodes on a ring do with commands of their hosts: windows,
ports, links, and writes to memories. A packet passes from module to module in the cycles that
these state (the system file); it waits where another one is before it.
"""
import heapq
from collections import deque
from dataclasses import dataclass
from math import ceil

from . import transfer

MOST_PACKETS = 512  # of a message that are followed one by one; longer ones in longer parts
LARGE, FEWER = 8, 8  # ... on more nodes than this, so that 64 take a minute


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
        self.pace = None  # beats -> cycles that they take now, if more

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
        if self.pace:
            beats = self.pace(beats)
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


@dataclass
class _Command:
    source: int
    ways: list
    where: str    # its payload: "device", "host", or "none" to be read
    rows: int
    sizes: list   # of its packets
    message: Message
    read: object  # call, or None


class Fabric:
    def __init__(self, system, nodes, clock):
        self.s, self.n, self.clock = system, nodes, clock
        self.p, self.link = system["pipeline"], system["link"]
        self.ports = {(node, back): Port(clock) for node in range(nodes)
                      for back in (False, True)}
        self.window = {(node, reply): 0.0 for node in range(nodes)
                       for reply in (False, True)}
        self.written = [0.0] * nodes    # until when the host's writes come, one a cycle
        self.to_host = [0.0] * nodes    # until when its writes to the host last
        self.reads = [Port(clock) for _ in range(nodes)]  # ... of its reads from there
        self.queue = [deque() for _ in range(nodes)]      # commands without a context
        self.contexts = [0] * nodes                       # that are in use
        self.last = [True] * nodes                        # direction of the last packet
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

    # ---- commands ----

    def submit(self, node, writes, reply, send):
        """A command's words and its doorbell, from now on; send(offer), and how many rows it
        has, follow when its window has come to it."""
        came = max(self.clock.now + self.s["pcie"]["cycles"], self.written[node]) + writes
        self.written[node] = came

        def offer():
            start = max(came, self.window[node, reply])
            rows = send(start + self.p["submit"])
            self.window[node, reply] = start + self.p["submit"] - 1 + rows
        self.clock.at(came, offer)

    def send(self, source, dest, n, where, rows, to_host, offer, done, read=None,
             reply=False, fair=False):
        """A message of `rows` beats of arguments and n bytes, from the command's offer to the
        response of its last write; read(): when its payload has been read. Requests wait in
        order for one of the sequencer's contexts, of which the last takes no long message; fair:
        it comes from one of several that take turns, and passes what waits."""
        ways = self.ways(source, dest)
        # Header and arguments are a burst, and so is the entry of the ring.
        write = self._to_host(dest, 1 + rows + 2 * self.p["burst"] + 1) if to_host \
            else self._to_device
        if where == "inline" or n == 0:
            parts = [(ways, "none", rows, [n])]
        else:  # arguments beside a payload from a memory are a packet of their own
            packet = self.link["packet_bytes"]
            packet *= ceil(n / packet / (MOST_PACKETS if self.n <= LARGE else FEWER))
            parts = [(ways, where, 0, [min(packet, n - i) for i in range(0, n, packet)])]
            parts += [(ways, "none", rows, [0])] if rows else []
        message = Message(sum(len(sizes) for *_, sizes in parts), write, done)
        for ways, where, rows, sizes in parts:
            command = _Command(source, ways, where, rows, sizes, message, read)
            self.clock.at(offer, self._take, command, reply, fair)
            read = None

    def _take(self, command, reply, fair):
        if reply:
            self._issue(command, lambda: None)
            return
        waits = self.queue[command.source]
        (waits.appendleft if fair else waits.append)(command)
        self._admit(command.source)

    def _admit(self, node):
        while self.queue[node]:
            bulk = len(self.queue[node][0].sizes) > 1
            if self.contexts[node] >= self.p["contexts"] - bulk:
                return
            self.contexts[node] += 1

            def free():
                self.contexts[node] -= 1
                self._admit(node)
            self._issue(self.queue[node].popleft(), free)

    def _issue(self, command, free):
        """A loaded command's packets, read from memory if that has their payload. A single one
        that may take either port takes the one that was used before the last."""
        if len(command.ways) > len(command.sizes):
            command.ways = [way for way in command.ways
                            if way[0] != self.last[command.source]]
        self.last[command.source] = command.ways[(len(command.sizes) - 1)
                                                 % len(command.ways)][0]
        first = self.clock.now + self.p["sequencer"] + self.p["send_queue"]
        left, node, beat = [len(command.sizes)], command.source, self.link["beat_bytes"]

        def packet(size, back, links):
            return (transfer.beats(self.s, size) + command.rows,
                    self._pass(node, back, links, command.message, size))

        def last(call):
            """The context is free when the last packet is under way."""
            def begin(beats):
                call(beats)
                left[0] -= 1
                if left[0] == 0:
                    free()
            return begin

        if command.where == "host":
            answer = 1 + 2 * self.s["pcie"]["cycles"]

            def get(size, back, links):
                def begin(beats):
                    self.clock.at(self.clock.now + answer, self.ports[node, back].add,
                                  [packet(size, back, links)])
                    if left[0] == 1 and command.read:
                        self.clock.at(self.clock.now + answer + beats, command.read)
                return ceil(size / beat), last(begin)
            self.clock.at(first, self.reads[node].add,
                          [get(size, *command.ways[i % len(command.ways)])
                           for i, size in enumerate(command.sizes)])
            return
        if command.where == "device":
            first += 1 + self.s["dram"]["read_cycles"]
        for i, (back, links) in enumerate(command.ways):
            mine = [(beats, last(call)) for beats, call in (
                packet(size, back, links) for size in command.sizes[i::len(command.ways)])]
            if mine:
                self.clock.at(first, self.ports[node, back].add, mine)
