# SPDX-License-Identifier: BSD-3-Clause
"""What packets and messages of a collective engine pass behind it: the node's sequencer and a
link, in cycles."""
from collections import deque

LANES = 2
ROOM = 6            # commands that wait for a context: fsh_cpost 4, fsh_ccmd 2
CONTEXTS = 4        # fsh_contexts: of requests; a packet's pieces may have any (fsh_ccmd)
NONE = [None] * CONTEXTS
LOAD, PICK = 3, 3   # cycles from a command to the next (fsh_ccmd), from a packet (fsh_seq),
                    # with whose last one no command is taken
READS = 3           # fsh_seq_read: that wait for their lane
AHEAD = 120         # ... beats of a lane that may be waited for when another is asked for
READ = 2            # fsh_cserve: cycles beside the beats
FIRST = 7           # from a read to the first beat in its port's queue, as far as it is due:
                    # fsh_seq 3, fsh_cserve 2, fsh_seq_read 1, fsh_align 1
LAST = 3            # from the last beat there to the end of the packet on the link: fsh_sendq 1,
                    # fsh_link_tx 1, and the beat behind it
HEADER = 5          # fsh_seq: a message's way to the lane's sender
WEIGHT = 8          # fsh_link_tx: messages before a packet that waits
PAUSE = 3           # of a packet there, for a message (fsh_seq_send): two beats, and the shift


class Packet:
    """What a lane's sender has: its beats are in the queue of the port between these cycles."""

    def __init__(self, beats, flight, what, begin=0.0, end=0.0, head=None):
        self.beats, self.flight, self.what, self.head = beats, flight, what, head
        self.begin, self.end = begin, end


class Sender:
    """The sequencer: a command has the lowest context that is free; of contexts that can go on
    the one goes whose last packet is longest ago, so packets may overtake each other. Reads of
    both lanes are in one queue (fsh_seq_read), and a lane serves one at a time (fsh_cserve). A
    message does not wait for the packet that its lane sends, which pauses (fsh_seq_send)."""

    def __init__(self, node):
        self.node = node
        self.commands, self.reads = deque(), deque()
        self.promised, self.held = 0, deque()   # packets that have room; messages that have none
        self.contexts, self.turns = [None] * CONTEXTS, list(range(CONTEXTS))
        self.loads = self.picks = self.issues = 0.0
        self.busy, self.owed = [0.0] * LANES, [0.0] * LANES   # until; beats not yet asked for
        self.last, self.due = 0, set()
        self.sends = [deque() for _ in range(LANES)]    # packets of a lane that are not over

    def add(self, link, beats, read, flight, what, pieces=1, head=None):
        """So many pieces of beats, of which so many are read (none: a message); head(): one begins
        to come."""
        command = [link, beats, read, flight, what, pieces, None, head]
        self.promised -= bool(read)
        if read or not self.is_crowded():
            self.commands.append(command)
        else:
            self.held.append(command)
        self.go()

    def promise(self):
        """A packet will be added."""
        self.promised += 1

    def is_crowded(self):
        return len(self.commands) + self.promised >= ROOM

    def go(self):
        while self.load() or self.serve() or self.pick():
            pass

    def is_before(self, when):
        if when > self.node.now and when not in self.due:
            self.due.add(when)
            self.node.at(when, self.again)
        return when > self.node.now

    def again(self):
        self.due.remove(self.node.now)
        self.go()

    def load(self):
        if not self.commands or self.is_before(self.loads):
            return False
        if self.node.now == self.issues:
            return self.is_before(self.node.now + 1) and False
        for i in range(CONTEXTS):
            if self.contexts[i] is None:
                self.contexts[i] = self.commands.popleft()
                self.node.way_out.give()    # packets first
                if self.held and not self.is_crowded():
                    self.commands.append(self.held.popleft())
                self.loads = self.node.now + LOAD
                return True
        return False

    def ahead(self, lane):
        return self.owed[lane] + max(0.0, self.busy[lane] - READ - self.node.now)

    def serve(self):
        if not self.reads or self.is_before(self.busy[self.reads[0][0].lane]):
            return False
        port, beats, read, flight, what, head, last = self.reads.popleft()
        if last:
            self.node.at(self.node.now + 1 + read, self.node.way_out.has_place)
        self.owed[port.lane] -= read
        self.busy[port.lane] = self.node.now + read + READ
        begin, sends = self.node.now + FIRST, self.sent(port.lane, self.node.now)
        if sends:
            begin = max(begin, sends[-1].end + 1)
        packet = Packet(beats, flight, what, begin, begin + read, head)
        sends.append(packet)
        self.node.at(max(self.node.now + self.node.e.lead, begin - 1),
                     lambda: port.add(packet, False))
        return True

    def sent(self, lane, when):
        while self.sends[lane] and self.sends[lane][0].end <= when:
            self.sends[lane].popleft()
        return self.sends[lane]

    def pause(self, port):
        """A message comes to a lane's sender; behind one that waits for the link it waits there."""
        sends = self.sent(port.lane, self.node.now)
        if sends and sends[0].begin <= self.node.now and not port.brief:
            for packet in sends:
                packet.begin += PAUSE * (packet is not sends[0])
                packet.end += PAUSE

    def pick(self):
        node = self.node
        if self.contexts == NONE or self.is_before(self.picks):
            return False
        for i in self.turns:
            if self.contexts[i] is None:
                continue
            link, beats, read, flight, what, pieces, port, head = self.contexts[i]
            ports = node.links[link]
            if self.last:
                ports = ports[self.last:] + ports[:self.last]
            if port:    # a packet's pieces stay on one (fsh_ccmd)
                ports = [port]
            if read:
                if len(self.reads) >= READS:
                    continue
                ports = [p for p in ports if not self.is_full(p.lane)]
                if not ports:
                    continue
            port = ports[0]
            self.last = (node.links[link].index(port) + 1) % node.e.ports
            if read:
                self.owed[port.lane] += read
                self.reads.append((port, beats, read, flight, what, head, pieces == 1))
            else:
                message = Packet(beats, flight, what)
                node.at(node.now + HEADER, lambda: self.pause(port))
                node.at(node.now + node.e.lead, lambda: port.add(message, True))
            self.contexts[i][5:7] = pieces - 1, port
            if pieces == 1:
                self.contexts[i] = None
            self.turns.remove(i)
            self.turns.append(i)
            self.picks = self.issues = node.now + PICK
            return True
        return False

    def is_full(self, lane):
        most = self.ahead(lane) - AHEAD
        return most > 0 and self.is_before(self.node.now + most)


class Port:
    """Of a link: packets in order, between them messages, WEIGHT in a row at most."""

    def __init__(self, node, lane):
        self.node, self.lane, self.busy = node, lane, False
        self.bulk, self.brief, self.row = deque(), deque(), 0

    def add(self, packet, brief):
        """packet.what() where it has come."""
        (self.brief if brief else self.bulk).append(packet)
        if not self.busy:
            self.go()

    def go(self):
        queue = self.brief if self.brief and (self.row < WEIGHT or not self.bulk) else self.bulk
        self.busy = bool(queue)
        if not queue:
            return
        self.row = 0 if queue is self.bulk else self.row + bool(self.bulk)
        packet = queue.popleft()
        self.node.at(self.node.now + packet.beats, lambda: self.over(packet))
        if packet.head:
            self.node.at(self.node.now + 1 + packet.flight, lambda: packet.head(self.lane))

    def over(self, packet):
        """Its beats may still be coming from the lane."""
        rest = packet.end + LAST - self.node.now if packet.end else 0.0
        if rest > 0:
            self.node.at(self.node.now + rest, lambda: self.over(packet))
            return
        self.node.at(self.node.now + packet.flight, packet.what)
        self.go()
