# SPDX-License-Identifier: BSD-3-Clause
"""The matrix product whose parts travel around a ring (examples/matmul.c, pass-on): what each
node's array, ART and mover do, one after the other, over the links of fabric.py.

A node encodes its parts while it multiplies with them, and ART puts them to both neighbours as
they are written. When all puts are acknowledged, its mover tells the next movers, which pass a
part on in one PUT; so a hop is a PUT, its acknowledgement and a signal.
"""
from math import ceil

from .compute_core import ROWS, LINE, depths
from .fabric import Clock, Fabric
from .lanes import port_rate

PIECE = 4096    # bytes of a PUT by ART: SEND_COUNT values (src/compute/api/flow.c)
JOBS = 4        # cycles between what is loaded of the operands (fsh_cload)
TAIL = 16       # rows of the last command (examples/matmul.c)
CHUNKS = 4      # of 16 along K in a unit
KEPT = 128      # quads that fsh_cread asks for before one is taken
LEFT, RIGHT = 0, 1


class _Events:
    """Counters of signals, and who waits for one."""

    def __init__(self, clock, grant):
        self.clock, self.grant, self.count, self.waits = clock, grant, {}, {}

    def signal(self, event):
        if self.waits.get(event):
            self.clock.at(self.clock.now + self.grant, self.waits[event].pop(0))
        else:
            self.count[event] = self.count.get(event, 0) + 1

    def wait(self, event, call):
        if self.count.get(event):
            self.count[event] -= 1
            self.clock.at(self.clock.now + self.grant, call)
        else:
            self.waits.setdefault(event, []).append(call)


class _Reader:
    """Commands are fetched behind what the loader has asked for, in order: at most KEPT quads
    before they are taken, at the rate at which blocks leave."""

    def __init__(self, run):
        self.run, self.began, self.busy = run, 0, 0

    def load(self, begin):
        """A product whose loader begins."""
        run = self.run
        self.began = begin
        self.busy = self.began + max(run.asks, (run.quads - KEPT) * run.rate + run.first)

    def fetch(self, now):
        run, since = self.run, now - self.began
        asked = min(run.quads, max(0, since) * run.quads / run.asks,
                    KEPT + max(0, since - run.first) / run.rate)
        taken = self.began + run.first + asked * run.rate if asked else 0
        return max(now + run.fetch, taken + run.checks)


class _Node:
    def __init__(self, run, index):
        self.reader = _Reader(run)
        self.run, self.index = run, index
        self.events = _Events(run.clock, run.art["events"])
        self.fed = 0.0       # when the array has all of its last product so far
        self.loading = []    # whiles in which it loads: from, to, beats a cycle left for port 0
        run.fabric.ports[index, False].pace = self.pace
        self.moves = []      # of the mover, in order
        self.open = []       # its commands under way, two at most

    def at(self, side, distance):
        return (self.index + (distance if side else -distance)) % self.run.nodes

    def pace(self, beats):
        """Memory has less for port 0 while the array loads (lanes.py)."""
        now = self.run.clock.now
        for begin, end, rate in self.loading:
            if begin <= now < end and beats > 2:
                return 1 + (beats - 1) / rate
        return beats

    # ---- messages of the core ----

    def put(self, dest, n, done):
        run = self.run

        def written(end):
            run.clock.at(end + run.p["pend"], answer)

        def answer():
            run.fabric.send(dest, self.index, 0, "inline", 0, False, run.clock.now, back,
                            reply=True)

        def back(end):
            run.clock.at(end + run.p["pend"], done)
        run.fabric.send(self.index, dest, n, "device", 0, False,
                        run.clock.now + run.art["command"], written)

    def tell(self, dest, event):
        run = self.run

        def come(end):
            run.clock.at(end + run.p["served"] + run.art["sink"],
                         run.all[dest].events.signal, event)
        if dest == self.index:
            come(run.clock.now + run.art["command"] + run.art["loop"])
        else:
            run.fabric.send(self.index, dest, 0, "inline", 1, False,
                            run.clock.now + run.art["command"], come, fair=True)

    # ---- own parts ----

    def own(self):
        run = self.run
        at = run.first
        for part in range(run.parts):
            at = self._own(part, at)
        self.loading.append((0, at - run.first, run.own_rate))
        self.fed = at

    def _own(self, part, at):
        """Encoded unit by unit, sent piece by piece to both neighbours."""
        run = self.run
        left = [0]

        def acked():
            left[0] -= 1
            if left[0] == 0:
                run.clock.at(run.clock.now + run.art["close"], told)

        def told():
            for dest in (self.at(LEFT, 1), self.at(RIGHT, 1), self.index):
                self.tell(dest, ("own", self.index, part))

        def piece(n):
            for side in (LEFT, RIGHT):
                self.put(self.at(side, 1), n, acked)

        begun, sent, made = at, 0, 0
        pieces = []
        for unit in range(run.units):
            made += run.unit_bytes
            at = begun + min((unit + 1) * CHUNKS, run.chunks) * run.period[part]
            last = unit + 1 == run.units
            while made - sent >= PIECE or (last and made > sent):
                n = min(PIECE, made - sent)
                pieces.append((at + run.encoded, n))
                sent += n
        left[0] = 2 * len(pieces)
        for when, n in pieces:
            run.clock.at(when, piece, n)
        return at

    # ---- others' parts ----

    def others(self):
        run = self.run
        self.products = [(side, distance, part)
                         for distance in range(1, run.nodes // 2 + 1)
                         for part in range(run.parts) for side in (LEFT, RIGHT)
                         if run.comes(side, distance, part)]
        self._product()

    def _product(self):
        run = self.run
        if not self.products:
            run.ends.append(self.fed + run.tail)
            return
        side, distance, part = self.products.pop(0)
        event = ("own", self.at(side, 1), part) if distance == 1 else ("passed", side)

        def offer():
            run.clock.at(max(run.clock.now, self.reader.busy), begin)

        def begin():
            self.reader.load(run.clock.now)
            now = run.clock.now
            unit = run.unit[part]
            self.fed = max(self.fed + unit, now + run.lead) + run.products[part] - unit
            self.loading.append((now, self.fed, run.rate_beside))
            # The next one is fetched meanwhile, and waits for its event.
            run.clock.at(self.reader.fetch(run.clock.now), self._product)
        self.events.wait(event, offer)

    # ---- the mover ----

    def mover(self):
        run = self.run
        for distance in range(run.nodes // 2):
            for part in range(run.parts):
                self.moves += [("send", side, distance, part) for side in (LEFT, RIGHT)
                               if distance and run.comes(side, distance + 1, part)]
                tells = [("nop", side, distance, part) for side in (LEFT, RIGHT)
                         if run.comes(side, distance + 2, part)]
                if tells and distance == 0:
                    tells[0] = ("first", *tells[0][1:])
                self.moves += tells
        self._fetch()

    def _fetch(self):
        """The next command, when there is room for it and what it awaits has come."""
        if not self.moves:
            return
        run = self.run
        kind, side, distance, part = self.moves.pop(0)

        def offer():
            if len(self.open) == 2:
                self.waiting = begin
            else:
                begin()

        def begin():
            self.waiting = None
            entry = [kind, side, kind != "send"]
            self.open.append(entry)
            if kind == "send":
                def acked():
                    entry[2] = True
                    self._close()
                run.clock.at(run.clock.now + run.art["send"], self.put,
                             self.at(1 - side, 1), run.part_bytes, acked)
            else:
                self._close()
            run.clock.at(self.reader.fetch(run.clock.now), self._fetch)

        if kind == "nop":
            offer()
        else:
            self.events.wait(("own", self.index, part) if kind == "first"
                             else ("mover", side), offer)

    waiting = None

    def _close(self):
        """Commands end in order; then they signal."""
        if not self.open or not self.open[0][2] or self.open[0][0] == "closing":
            return
        run, entry = self.run, self.open[0]
        kind, side = entry[:2]
        entry[0] = "closing"

        def closed():
            self.open.pop(0)
            self.tell(self.at(1 - side, 1), ("passed" if kind == "send" else "mover", side))
            if self.waiting:
                self.waiting()
            self._close()
        run.clock.at(run.clock.now + run.art["close"], closed)


class _Run:
    def __init__(self, system, size, nodes):
        c, d = system["compute"], depths(system)
        self.nodes, self.p, self.art = nodes, system["pipeline"], system["art"]
        self.clock = Clock()
        self.fabric = Fabric(system, nodes, self.clock)
        share = max(1, size // nodes)
        self.parts = ceil(share / c["unit"])
        self.unit_bytes = c["unit"] * c["unit"] * system["wire"]["block_bytes"] \
            // system["wire"]["block_values"]
        self.units = ceil(size / c["unit"])
        self.part_bytes = self.units * self.unit_bytes
        self.chunks = ceil(size / LINE)
        groups = ceil(share / ROWS)
        tx = min(d.tile_x, groups)
        tw = c["unit"] // LINE  # a part is padded to a unit
        # Tiles of rows of groups, each of which loads the part again.
        tiles = [min(tx, groups - at) for at in range(0, groups, tx)]
        self.tiles = len(tiles)

        def unit(part, tile):
            """An encoded unit is a quad of exponents and 16 of mantissas, four blocks each."""
            columns = ceil(min(share - part * c["unit"], c["unit"]) / LINE)
            return max(CHUNKS * tile * columns,
                       self.art["encoded"] + CHUNKS * 2 * tile + JOBS), tile * columns

        self.unit = [unit(part, tiles[-1])[0] for part in range(self.parts)]
        self.products = [self.units * sum(unit(part, tile)[0] for tile in tiles)
                         for part in range(self.parts)]
        self.period = [sum(max(unit(part, tile)[1], 4 * tw + 2 * tile + JOBS)
                           for tile in tiles) for part in range(self.parts)]
        area = unit(self.parts - 1, tiles[-1])[1]
        self.fetch = d.queue + d.answer
        self.lead = d.loader + d.answer + d.feed + self.art["encoded"] + 2 * tx
        self.first = d.loader + d.answer + d.feed
        self.checks = 4  # fsh_cqueue: an answer, and its checks
        self.quads = self.units * (ceil(self.unit_bytes / 256) + CHUNKS * 2 * tx) * self.tiles
        self.rate = self.products[0] / self.quads
        self.asks = self.quads + self.units * self.tiles * (2 * CHUNKS + 2)
        self.encoded = self.art["unit"] + system["dram"]["write_cycles"] + d.told
        # Behind the last unit's operands: its steps, what they settle, and its results, of the
        # last rows only where these are a command of their own.
        last = min(tiles[-1], TAIL // ROWS) if share >= 8 * TAIL else tiles[-1]
        self.tail = (CHUNKS * area // tiles[-1] * last + d.settle + d.walk + d.results + ROWS * last
                     + d.told + d.end)
        memory = system["dram"]["bytes_cycle"]
        self.own_rate = port_rate(self.period[0], 4 * tw + 2 * tx, 4 * tw + 1, memory)
        self.rate_beside = port_rate(self.unit[0], self.quads // self.units // self.tiles, 0,
                                     memory)
        self.ends = []

    def comes(self, side, distance, part):
        if 2 * distance == self.nodes:
            return part % 2 == side
        return 2 * distance < self.nodes

    def cycles(self):
        self.all = [_Node(self, i) for i in range(self.nodes)]
        for node in self.all:
            node.own()
            node.others()
            node.mover()
        self.clock.run()
        return max(self.ends)


def cycles(system, size, nodes):
    """From the first command begun to the last result written."""
    return _Run(system, size, nodes).cycles()
