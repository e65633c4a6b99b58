# SPDX-License-Identifier: BSD-3-Clause
"""A node's collective engine that runs sequences of a ring, in cycles.

All nodes do the same at the same time, so what a node gets is what it sends, a flight later; if
only every other one may send eagerly, there are two kinds of them, in turns.
The control of a unit (fsh_csteps) takes a cycle a state: it reads descriptors, looks up and
claims packets, one after the other (fsh_hashbuf), and starts moves of the data path, which take
a cycle a line (fsh_cdata); packets of a whole step ahead are claimed beside (fsh_crow). Each unit
has its lines of memory; they share the way out, which has a packet from its first line to its
last (fsh_cjoin), of encoded ones once most are made (fsh_clines). Packets go eagerly, one at a
time, or by grants (fsh_cwait), for claims in pulses or ahead (fsh_cahead). Conflicts of hashes
are not modelled: a claim finds a slot as long as one is free.
"""
from collections import deque
from dataclasses import dataclass
from math import ceil, inf

from . import passage, sender
from .passage import RX
from .sequence import FETCH, OWN, AHEAD, SOURCE, OUT, SETTLE, Clock, Sequence

PULSE = WINDOW = 8      # fsh_cahead: packets claimed in a pulse, or in a look
TOLD = 4                # ... of which every fourth is told
ROW = 4                 # fsh_ckeep: descriptors that are read together, and the first two rows
ANSWERED = 16           # fsh_cask: packets that an answer grants, at most
BEGIN, END = 1, 2       # fsh_cway: to a packet's first line; between plain ones
LOOK = -1               # what a control waits for, instead of a cycle
KEPT = 12               # fsh_clines: START
NEVER = inf             # or not known yet


@dataclass(frozen=True)
class Engine:
    """Cycles, but for what is said of the others."""
    nodes: int
    coded: bool       # packets are encoded
    lines: int        # of values, in a packet
    wire: int         # on the wire
    units: int
    contexts: int     # of a unit
    slots: int        # of packets that are claimed ahead
    reserve: int      # further ones, of packets that are awaited
    places: int       # of packets on their way out
    memory: int       # from a line's request to its coming
    written: int      # from the last line on its way out to the end of its write
    window: int       # lines of memory that may be under way
    reads: float      # ... a cycle, therefore
    lookup: int       # of the keys
    fold: int         # from a packet's line to the combined one
    code: int         # from a line on its way out to the encoded one
    link: float       # of a packet on a link
    message: int      # of a message there
    pieces: int       # of a packet
    beats: float      # ... of which a memory is read
    post: int         # from a unit to the sequencer
    lead: int         # from there to the link
    flight: int       # from a packet's last beat to its being looked up
    heard: int        # from a message's last beat to its use
    ports: int        # to the next node
    eager: tuple      # by kind of node and direction: may packets go so (fsh_card_near)

    def pieces_of(self, share):
        """Of a packet that is a share of a full one."""
        return max(1, ceil(self.pieces * share - 1e-9))

    def of_packet(self, step):
        """Cycles of a unit for a packet of a step."""
        memory = self.lines / self.reads if step < self.nodes else self.lines
        return max(self.lines + BEGIN + END, memory) / self.units


def nodes(e, kinds):
    """So many nodes of a ring, which repeat; and their clock."""
    clock = Clock()
    some = [Node(e, clock, e.eager[kind]) for kind in range(kinds)]
    for i, node in enumerate(some):
        node.peers = some[(i + 1) % kinds], some[i - 1]
    return some, clock


class Node:
    def __init__(self, e, clock, eager):
        self.e, self.clock, self.peers = e, clock, ()
        self.units = [_Unit(self, u) for u in range(e.units)]
        self.claims, self.used = {}, 0      # is a claimed packet whole
        self.fresh = None                   # the packet that came last
        self.eager = set()                  # packets that came so
        # Operations on the keys that wait: of each unit, of its row of claims, of who asks, of
        # packets that are coming, and of those that have come.
        self.keys = [deque() for _ in range(2 * e.units + 3)]
        self.keys_free, self.keys_due, self.keys_turn = 0.0, False, 0
        self.links = [[sender.Port(self, (link + p) % sender.LANES) for p in range(e.ports)]
                      for link in range(2)]
        self.sender = sender.Sender(self)
        self.way_out, self.arrivals = passage.WayOut(self), passage.Arrivals(self)
        self.may = list(eager)    # a packet may go eagerly
        self.commands, self.turn, self.rotation = deque(), -1, 0

    # ---- time ----

    @property
    def now(self):
        return self.clock.now

    def at(self, when, what, late=False):
        """late: behind all else of that cycle."""
        self.clock.at(when, what, late)

    def start(self, when, way, steps, ended):
        """The engine gets a sequence; ended(cycle) when the host's entry leaves."""
        s = Sequence(way, steps, ended)

        def opened():
            self.commands.append(s)
            self.offer()
        self.at(when, opened)

    def offer(self):
        """A unit that has nothing else to do takes the next sequence at once."""
        for i in range(self.e.units):
            unit = self.units[(self.turn + 1 + i) % self.e.units]
            if self.commands and unit.sleeps and unit.has_fewest():
                unit.open(self.commands.popleft())
                unit.wake()
                self.offer()
                return

    # ---- packets ----

    def look(self, owner, what, cycles=None, begun=None):
        """An operation on the keys, one at a time: those of packets that come (RX) go first, of
        units and who asks in turns."""
        self.keys[owner].append((what, cycles or self.e.lookup, begun))
        self.next_look()

    def next_look(self):
        if not self.keys_due and any(self.keys):
            self.keys_due = True
            self.at(self.keys_free, self.judge, True)

    def judge(self):
        if not any(self.keys):      # it was not needed any more
            self.keys_due = False
            return
        owner, turns = RX, len(self.keys) - 1
        if not self.keys[RX]:
            owner = next(o for o in ((self.keys_turn + i) % turns for i in range(turns))
                         if self.keys[o])
            self.keys_turn = owner + 1
        what, cycles, begun = self.keys[owner].popleft()
        if begun:
            begun()
        self.keys_free, self.keys_due = self.now + cycles, False
        self.at(self.keys_free, what)
        self.next_look()

    def sequences(self):
        return (s for u in self.units for s in u.contexts)

    def claim(self, key, spare):
        """Made: it is claimed now."""
        if key in self.claims:
            return False
        if self.used < self.e.slots + (self.e.reserve if spare else 0):
            self.claims[key] = False
            self.used += 1
            return True
        return False

    def crowded(self):
        return self.used >= self.e.slots / 2

    def message(self, at, link, what):
        """A message for a neighbour, and what(neighbour) a flight later."""
        link = link if self.e.nodes > 2 else 0
        peer = self.peers[link]
        self.at(at + BEGIN + self.e.post, lambda: self.sender.add(
            link, self.e.message, 0, self.e.heard, lambda: what(peer)), True)   # behind a packet

    def ask(self, way, key, found=0):
        """A question comes: which packets from this one on are claimed?"""
        number, step, packet = key

        def looked():
            claimed = self.claims.get((number, step + 1, packet + found)) is False
            if claimed and found + 1 < ANSWERED:
                self.ask(way, key, found + 1)
            elif claimed or found:
                last = packet + found - (not claimed)
                self.message(self.now + 1, 1 - way,
                             lambda node: node.grant(number, step, last))
        self.look(2 * self.e.units, looked)

    def grant(self, number, step, packet):
        """For the step in hand, and those that have been looked at; of others some are kept."""
        for s in self.sequences():
            if s.shown and (s.number, s.step) == (number, step):
                s.granted = max(s.granted, packet)
                if s.item == OUT:
                    s.able = True
                    self.wake()
            else:
                s.keep((number, step), packet)
            if s.peeked == (number, step):
                s.soon = packet
            if s.beyond == (number, step):
                s.sure = packet

    def consumed(self, way):
        self.may[way] = True
        for s in self.sequences():
            if s.item == OUT and s.way == way:
                s.able = True
        self.wake()

    def freed(self, unit, key, way):
        """Its packet has been read: the slot is freed, and an eager one's sender told."""
        def begun():
            del self.claims[key]
            self.used -= 1
            for s in self.sequences():
                if (s.item == SOURCE and not s.asked) or (
                        s.item == OUT and s.asked and not s.looked):
                    s.able = True
            self.wake()
            if key in self.eager:
                self.eager.remove(key)
                self.message(self.now + 1, 1 - way, lambda node: node.consumed(way))
        self.look(unit, lambda: None, 1, begun)

    def send(self, way, key, ready, share, eager):
        """A packet whose last line leaves the unit: the link, and its coming."""
        number, step, packet = key
        key = number, step + 1, packet
        link = self.e.link * share
        pieces, peer = self.e.pieces_of(share), self.peers[way]
        left = [pieces]
        self.sender.promise()
        self.at(ready + BEGIN + self.e.post, lambda: self.sender.add(
            way, link / pieces, self.e.beats * share / pieces, self.e.flight,
            lambda: peer.arrivals.arrive(key, eager, share / pieces, left), pieces,
            lambda lane: peer.arrivals.begin(lane, key)))

    def whole(self, key, eager):
        """A packet is there, and who waits for it goes on."""
        self.claims[key] = True
        self.fresh = key
        if eager:
            self.eager.add(key)
        for s in self.sequences():
            if s.item == SOURCE and s.key(s.packet) == key:
                s.able = True
                self.wake()

    def wake(self):
        for u in self.units:
            u.wake()


@dataclass(eq=False)
class _Out:
    """A packet on its way out, before it leaves the unit."""
    sequence: Sequence
    packet: int
    begins: float
    lines: float
    stores: bool
    first: bool       # of its part's step 0, an operand as it is
    writes: float     # of its unit, until then
    end: float = 0.0


class _Unit:
    """Control and data path."""

    def __init__(self, node, number):
        self.node, self.e = node, node.e
        self.number, self.contexts, self.last = number, [], 0
        self.work = self.control()
        self.sleeps = True
        self.fold_begins = self.fold_free = 0.0
        self.out_begins = self.out_free = self.left = 0.0
        self.outs = []
        self.asks = self.own_busy = self.own_comes = self.writes = 0.0
        self.under_way, self.asked = deque(), 0.0   # lines of memory
        self.row = None           # whose next step is claimed beside (fsh_crow)
        next(self.work)

    def wake(self):
        if self.sleeps and any(s.able for s in self.contexts):
            self.sleeps = False
            self.node.at(self.node.now + 1, self.go)

    def go(self):
        when = next(self.work)
        if when == LOOK:
            self.node.look(self.number, self.go)
        elif when is None:
            self.sleeps = True
            self.wake()
        else:
            self.node.at(when, self.go)

    def has_fewest(self):
        """It may take the next sequence (fsh_cshare)."""
        has = len(self.contexts)
        return has < self.e.contexts and all(has <= len(u.contexts) for u in self.node.units)

    def open(self, s):
        self.contexts.append(s)
        self.node.turn = self.number

    def pick(self):
        n = len(self.contexts)
        for i in range(n):
            s = self.contexts[(self.last + 1 + i) % n]
            if s.able:
                self.last = (self.last + 1 + i) % n
                return s
        return None

    def control(self):
        """Yields when it goes on."""
        node, e = self.node, self.e
        size = 2 if e.coded else 1
        yield None
        while True:
            if node.commands and self.has_fewest():  # Pick, Open
                self.open(node.commands.popleft())
                node.offer()
                yield node.now + 2
                continue
            s = self.pick()
            if s is None:
                yield None
                continue
            yield node.now + 2              # Pick, Load
            fed = False
            while True:
                if s.item == FETCH:
                    yield from self.until(lambda s=s: node.now + (self.row == (s, s.at)))
                    if s.written > node.now and (s.step < e.nodes or s.at >= s.read):
                        s.item = SETTLE     # it is to be written first
                        yield node.now + 2  # Size, Next
                        if s.written > node.now:
                            s.able = False
                            node.at(self.due(s.written), lambda s=s: self.settled(s))
                            break
                        continue
                    yield from self.fetch(s, s.at)
                    s.covered, s.looked = s.looked, s.further or s.whole
                    s.further = False
                    s.claimed = s.full if s.covered else 0
                    s.granted = s.soon if s.peeked == (s.number, s.step) and s.soon >= 0 \
                        else s.kept.get((s.number, s.step), -1)
                    s.peeked, s.soon, s.shown = s.beyond, s.sure, True
                    s.beyond, s.sure = None, -1
                    # Halves go on taking turns.
                    s.own = {0: s.own[s.past]} if s.led else {}
                    s.sent, s.used = ({p - s.past: when for p, when in some.items()
                                       if p >= s.past - 2} for some in (s.sent, s.used))
                    s.packet = 0
                    self.next(s, SOURCE if s.step >= e.nodes else AHEAD if s.led else OWN)
                    s.led = False
                    yield node.now + 2      # Judge, Next
                    if s.full > WINDOW // 2 and (s.covered or s.step == 0) and not s.looked \
                            and not self.rows_of(s) and not node.crowded():
                        yield from self.look_ahead(s, s.at, s.packet)
                        break
                elif s.item in (OWN, AHEAD):
                    packet = s.packet + (s.item == AHEAD)
                    yield node.now + size
                    if packet < s.full:
                        yield from self.until(lambda: self.own_busy)
                        self.load(s, packet)
                    leads = s.item == AHEAD and packet >= s.full and self.may_lead(s)
                    rest = SOURCE if s.step else OUT
                    self.next(s, rest if s.item == AHEAD or s.full == 1 else AHEAD)
                    yield node.now + 2      # Begin, Next
                    if leads:
                        yield node.now + 3 + size   # Hop, Size, Judge, Size
                        yield from self.until(lambda: self.own_busy)
                        self.load(s, s.full)
                        s.led = True
                        break
                elif s.item == SOURCE:
                    yield node.now + size
                    if s.full > 1 and not fed and not node.crowded() \
                            and s.claimed < min(s.packet + PULSE, s.full):
                        yield from self.pulse(s)
                        fed = True
                        continue
                    key = s.key(s.packet)
                    if node.fresh == key:   # it has just come
                        yield node.now + 2  # Ask, Answer
                    else:
                        yield LOOK
                    made = node.claim(key, True)
                    if node.claims.get(key):
                        yield from self.until(lambda s=s: max(
                            self.fold_begins, s.own.get(s.packet, 0.0),
                            s.sent_at(s.packet - 2)))
                        self.fold(s, key)
                        self.next(s, OUT)
                        yield node.now + 2  # Begin, Next
                        continue
                    s.able, found = False, key in node.claims
                    s.asked = found
                    if made:
                        s.claimed = max(s.claimed, s.packet + 1)
                        self.tell(s, key)
                        yield node.now + 1
                    if found and self.early(s):
                        yield from self.look_ahead(s, s.at, s.packet)
                    break
                elif s.item == OUT:
                    yield node.now + size
                    if s.step == 0:
                        yield from self.until(lambda s=s: s.own[s.packet] + 1)
                    last = s.step == 2 * e.nodes - 2
                    eager = False
                    if not last:
                        eager = s.granted < s.packet and node.may[s.way]
                        node.may[s.way] &= not eager
                        yield node.now + 1  # May
                        if s.granted < s.packet and not eager:
                            s.able = False
                            if not s.asked:
                                s.asked = True
                                self.ask(s)
                                yield node.now + 1
                            if not s.looked and not self.rows_of(s):
                                yield from self.look_ahead(s, s.at, s.packet)
                            break
                    yield from self.until(
                        lambda: NEVER if self.out_free == NEVER else self.out_begins)
                    self.out(s, last, eager)
                    early = self.early(s)
                    at, packet = s.at, s.packet
                    over = packet + 1 == s.full
                    if over:
                        s.at, s.shown, s.past = at + 1, False, s.full
                        self.next(s, SETTLE)
                    else:
                        s.packet += 1
                        self.next(s, AHEAD if s.step < e.nodes else SOURCE)
                    yield node.now + 2
                    if over and (s.written <= node.now or s.at < s.read) and not s.over():
                        s.item = FETCH
                        if any(x.able for x in self.contexts if x is not s):
                            break
                        continue
                    if early:
                        yield from self.look_ahead(s, at, packet)
                        break
                    if not over and self.deep(s, packet):
                        yield from self.look_further(s)
                        break
                    if over:
                        s.able = False
                        node.at(self.due(s.written), lambda s=s: self.settled(s))
                        break
                    if any(x.able for x in self.contexts if x is not s):
                        break
                else:                       # SETTLE
                    yield from self.until(lambda s=s: node.now + self.rows_of(s))
                    yield node.now + size
                    if s.over():
                        self.contexts.remove(s)
                        node.at(node.now, lambda s=s: s.ended(node.now))
                        yield node.now + 1
                        break
                    s.item = FETCH
                    yield node.now + 1      # Next

    def ask(self, s):
        way, key = s.way, s.key(s.packet)
        self.node.message(self.node.now, way,
                          lambda node: node.at(node.now + 1, lambda: node.ask(way, key)))

    def settled(self, s):
        if s.written > self.node.now:
            self.node.at(self.due(s.written), lambda: self.settled(s))
            return
        s.able = True
        self.wake()

    def next(self, s, item):
        s.item, s.asked, s.able = item, False, True

    # ---- claims ----

    def early(self, s):
        return s.full > 1 and not s.looked and not self.rows_of(s) \
            and (s.step == 0 or s.covered or s.claimed >= s.full or s.packet + 1 == s.full)

    def rows_of(self, s):
        return self.row is not None and self.row[0] is s

    def may_lead(self, s):
        """Of steps of few packets the simulator shows no gain; why is not known."""
        return (s.full > WINDOW // 2 and s.at + 1 < min(len(s.steps), s.read)
                and s.steps[s.at + 1][1] < self.e.nodes
                and s.written <= self.node.now and s.step < self.e.nodes - 1 and not s.led)

    def deep(self, s, packet):
        return (s.full > 1 and s.step > 0 and packet + 3 >= s.full and s.looked
                and (s.covered or s.claimed >= s.full) and not s.further and not s.whole
                and self.row is None and not self.node.crowded())

    def tell(self, s, key):
        number, step, packet = key
        self.node.message(self.node.now, 1 - s.way,
                          lambda node: node.grant(number, step - 1, packet))

    def pulse(self, s):
        """Claims of the step in hand, of twice a pulse at most."""
        first = max(s.claimed, s.packet)
        upto = min(s.packet + 2 * PULSE, s.full)
        for p in range(first, upto):
            key = s.key(p)
            yield LOOK
            self.node.claim(key, False)
            if key not in self.node.claims:
                s.claimed = p
                break
            if p % TOLD == TOLD - 1 or p + 1 == upto:
                self.tell(s, key)
                yield self.node.now + 1
            s.claimed = p + 1
            yield self.node.now + (2 if self.e.coded else 1) + 1  # Hop, Size
        yield self.node.now + 1

    def look_ahead(self, s, at, packet):
        """Beyond a packet of the step at: the rest of that, then whole ones that receive, until
        there are WINDOW."""
        node, e = self.node, self.e
        hopped = s.steps[at][1] == 0 or s.covered or s.claimed >= ceil(s.steps[at][2]) \
            or packet + 1 == ceil(s.steps[at][2])
        rest, seen, spare, begins = not hopped, 0, s.item == OUT, packet + 1
        if hopped:
            at, begins = at + 1, 0
        yield from self.until(lambda: node.now + (self.row is not None))
        yield node.now + 1                  # Hop
        while at < len(s.steps):
            number, step, packets = s.steps[at]
            full = ceil(packets)
            if begins == 0:                 # the descriptor
                yield from self.fetch(s, at)
                yield node.now + 1          # Judge
                if s.peeked is None and step < 2 * e.nodes - 2:
                    s.peeked, s.soon = (number, step), -1
                if step and full > WINDOW // 2:
                    self.claim_row(s, at, spare)    # beside the control
                    yield from self.read_on(s, at + 1)
                    return
            fresh = True
            for p in range(begins, full if step else 0):
                key = (number, step, p)
                yield node.now + (2 if e.coded else 1)
                yield LOOK
                made = node.claim(key, spare)
                if key not in node.claims:
                    return                  # undone, until a slot is free
                spare = False
                seen += 1
                if p % TOLD == TOLD - 1 or p + 1 == full or (made and fresh):
                    self.tell(s, key)
                    yield node.now + 1
                fresh = fresh and not made
                yield node.now + 1          # Hop
            at += 1
            if step and not rest and seen >= WINDOW:
                break
            rest, begins = False, 0
        s.looked, s.whole = True, at == len(s.steps)

    def look_further(self, s):
        """The step behind the next one is claimed, too."""
        node = self.node
        yield node.now + 1                  # Hop
        for at in (s.at + 1, s.at + 2):
            if at == len(s.steps):
                return
            yield from self.fetch(s, at)
            yield node.now + 1              # Judge
            number, step, packets = s.steps[at]
            if step < 2 * self.e.nodes - 2:
                if at == s.at + 1 and s.peeked is None:
                    s.peeked, s.soon = (number, step), -1
                if at == s.at + 2 and s.beyond is None:
                    s.beyond, s.sure = (number, step), -1
        if step and ceil(packets) > WINDOW // 2:
            self.claim_row(s, at, False)
            yield from self.read_on(s, at + 1)

    def read_on(self, s, at):
        """The row of descriptors that this one begins, beside the items."""
        if s.read <= at < len(s.steps):
            yield self.node.now + 1         # Size
            yield from self.until(lambda: self.own_busy)
            self.load(s, None, ROW - at % ROW)
            s.read, s.rows = at + ROW - at % ROW, self.own_comes

    def claim_row(self, s, at, spare):
        """Packets of a whole step, beside the items."""
        node = self.node
        number, step, packets = s.steps[at]
        full, tail = ceil(packets), at + 1 == len(s.steps)
        self.row = s, at

        def row():
            first, fresh = spare, True
            for p in range(full):
                key = (number, step, p)
                yield node.now + (2 if self.e.coded else 1)
                yield LOOK
                made = node.claim(key, first)
                if key not in node.claims:
                    self.row = None         # undone, until a slot is free
                    return
                first = False
                if p % TOLD == TOLD - 1 or p + 1 == full or (made and fresh):
                    self.tell(s, key)
                    yield node.now + 1
                fresh = fresh and not made
            self.row, s.whole = None, tail
            if at == s.at + 1 + s.shown:        # two ahead of the step in hand
                s.further = True
            else:
                s.looked = True
        work = row()

        def go():
            when = next(work, None)
            if when == LOOK:
                node.look(self.e.units + self.number, go)
            elif when is not None:
                node.at(when, go)
        go()

    # ---- moves ----

    def fetch(self, s, at):
        """The descriptor of a step, if it is not there, and those behind it in its row."""
        yield self.node.now + 1             # Size
        yield from self.until(lambda: s.rows if at >= s.read - ROW else 0.0)
        if at >= s.read:
            yield from self.until(lambda: self.own_busy)
            more = 0 if s.read else ROW     # fsh_ckeep: the first two rows at once
            self.load(s, None, ROW - at % ROW + more)
            s.read, s.rows = at + ROW - at % ROW + more, self.own_comes
            yield from self.until(lambda: self.own_comes - more)
            yield self.node.now + 1

    def load(self, s, packet, row=1):
        """Lines of memory, of descriptors or of an operand: when they are there. Of two that
        are under way the second asks until the first has come."""
        node, e = self.node, self.e
        lines = row if packet is None else s.lines(e, packet)
        at = node.now + 1
        if packet is not None:
            at = max(at, s.used.get(packet - 2, 0.0))
        if e.reads < 1:
            lines = self.ask_lines(at, lines)
        self.asks = at + lines
        self.own_busy = max(self.asks, self.own_comes)
        self.own_comes = max(self.own_comes + lines, self.asks - 1 + e.memory)
        if packet is not None:
            s.own[packet] = self.own_comes
        return self.own_comes

    def ask_lines(self, at, lines):
        """Cycles until so many have been asked for, where some wait until others have come."""
        when = max(at, self.asked)
        for _ in range(ceil(lines)):
            if len(self.under_way) == self.e.window:
                when = max(when, self.under_way.popleft())
            self.under_way.append(when + self.e.memory)
            when += 1
        self.asked = when
        return when - at

    def due(self, when):
        return self.node.now + 1 if when == NEVER else when

    def until(self, when):
        """What may yet move, or is not known yet: when() has come."""
        while when() > self.node.now:
            yield self.due(when())

    def fold(self, s, key):
        """A packet is combined, or copied; it is followed line by line."""
        node, e = self.node, self.e
        lines = s.lines(e, s.packet)
        self.fold_begins = max(node.now + BEGIN, self.fold_free)
        # Behind the codes. Units that copy read every fourth line of packets, and so that they do
        # not meet (fsh_cslots) in a multiple of four cycles.
        self.fold_free = self.fold_begins + lines + e.coded
        if e.coded and s.step >= e.nodes:
            self.fold_free += -(lines + 1) % 4
        s.used[s.packet] = self.fold_begins + 1
        s.result = self.fold_begins + (e.fold if s.step < e.nodes else BEGIN) + e.coded

        way = s.way
        node.at(self.fold_free + 1, lambda: node.freed(self.number, key, way))

    def out(self, s, last, eager):
        """To the network, and to memory. A packet waits for the others of its unit; those of the
        units leave as they are ready."""
        node, e = self.node, self.e
        lines = s.lines(e, s.packet)
        self.out_begins = max(node.now + BEGIN, self.out_free)
        if s.step:
            self.out_begins = max(self.out_begins, s.result)
        out = _Out(s, s.packet, self.out_begins, lines, s.step >= e.nodes - 1, s.step == 0,
                   self.writes)
        self.outs.append(out)
        self.out_takes(out, self.out_begins + lines)
        if last:
            node.at(out.begins, lambda: self.out_is_over(out))
        else:
            key, way = s.key(s.packet), s.way
            node.at(out.begins, lambda: self.out_leaves(out, way, key, eager))

    def out_takes(self, out, end):
        """Its last line is read then, as far as is known."""
        s, e = out.sequence, self.e
        out.end = end
        self.out_free = end + (1 if e.coded else END)
        s.sent[out.packet] = out
        if end == NEVER:
            return
        if out.first:
            s.used[out.packet] = end
        if out.stores:
            self.writes = max(out.writes + out.lines, end + e.code)
            s.written = self.writes + e.written

    def out_is_over(self, out):
        if out.begins > self.node.now:
            self.node.at(out.begins, lambda: self.out_is_over(out))
        else:
            self.outs.remove(out)

    def out_leaves(self, out, way, key, eager):
        """What is read now; an encoded packet (fsh_clines) when KEPT lines are made, or all."""
        node, e, made = self.node, self.e, out.end + self.e.code
        if out.begins > node.now:
            node.at(out.begins, lambda: self.out_leaves(out, way, key, eager))
            return
        self.outs.remove(out)
        if e.coded:
            wire = ceil(out.lines / 4) + 1
            node.at(made - max(0, wire - KEPT - 1) * 4 - (wire > KEPT) + 2,
                    lambda: self.lines_ask(
                        wire, made, out.lines / e.lines, way, key, eager))
            return
        end = out.end
        self.out_takes(out, NEVER)   # until it has the way, and its last line leaves
        node.way_out.leave(self.number, lambda: self.has_way(out, end, way, key, eager))

    def has_way(self, out, end, way, key, eager):
        node = self.node
        end = max(end, node.now + out.lines)

        def last():
            self.out_takes(out, node.now)
            node.send(way, key, node.now, out.lines / self.e.lines, eager)
        if not node.sender.is_crowded():
            self.out_takes(out, end)
        return end, last

    def lines_ask(self, wire, made, share, way, key, eager):
        node, asked = self.node, self.node.now

        def begun():
            begins = max(node.now + (node.now > asked), self.left + 1)
            self.left = max(begins + wire - 1, made + 1)
            return self.left, lambda: node.send(way, key, node.now, share, eager)
        node.way_out.leave(self.number, begun)
