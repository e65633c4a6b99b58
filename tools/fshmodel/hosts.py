# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that hosts drive: each rank follows its program as the library does
(src/gasnet/run_step.c, run_packet.c), over the messages and puts of conduit fpga, at the
stated costs of hosts; fabric.py has what is between them.

A host is a generator that yields the cycles that it spends; it polls, takes what has come
one after the other, and advances the steps of its program as far as that allows. It does
nothing else meanwhile.
"""
from math import ceil

from . import programs
from .fabric import Clock, Fabric

ARGUMENTS = 32   # bytes, of the library's messages
COMMAND = 32     # bytes of a command before its arguments
ROW = 16
WORD = 8
EAGER = 1024     # bytes of a message at most that is sent unasked (src/gasnet/run.h)
WINDOW = 16      # steps considered, from the first one not complete
PUT_FROM = 4096  # src/gasnet/run_packet.c: shorter ones fit a message
PUT_BYTES = 64 << 10  # of a put
DEVICE, HOST = "device", "host"


def _rows(n):
    return ceil(n / ROW)


def _overlap(a, b):
    """Of ranges of blocks."""
    return a and b and a[0] == b[0] and a[1] < b[1] + b[2] and b[1] < a[1] + a[2]


class Source:
    """A packet that is awaited."""

    def __init__(self):
        self.came, self.got, self.granted, self.early = False, 0, False, {}

    def arrive(self, at, end):
        self.came = True
        self.early[at] = end
        while self.got in self.early and self.early[self.got] != self.got:
            self.got = self.early.pop(self.got)


class Work:
    """A step under way."""

    def __init__(self, step, blocks, place):
        self.step, self.n = step, blocks.bytes(step.local or step.store)
        self.local = place(step.local)
        self.store = place(step.store)
        self.is_eager = self.n <= EAGER
        in_place = step.store and not step.reduce and not self.is_eager
        self.in_place = in_place
        self.land = self.store if in_place else HOST
        self.value = self.local if not step.sources else self.store or HOST
        self.sources = [Source() for _ in step.sources]
        self.done = self.given = self.sent = 0
        self.ready = self.told = self.over = False
        self.before = None    # those that it waits for, of the same memory
        self.reaches = False  # the receiver has told where to put it
        self.puts = []        # under way, the oldest first: [bytes, done]


class Host:
    def __init__(self, job, rank, steps):
        self.job, self.rank = job, rank
        self.h, self.costs = job.system["host"], job.costs
        self.steps = [Work(s, job.blocks, job.place) for s in steps]
        self.sender = {(s.step.dest, s.step.dest_seq): s for s in self.steps}
        self.receiver = {(r, s.step.seq): (s, k) for s in self.steps
                         for k, r in enumerate(s.step.sources)}
        self.low = self.advances = 0
        self.queued = True
        self.rings = {"cpl": [], "rep": [], "req": []}
        self.activity = 0
        self.asleep = None
        self.free = [job.slots] * job.size
        self.returned = [0] * job.size
        self.owed = [0] * job.size
        self.ended = None

    # ---- time ----

    def spend(self, cycles):
        if cycles * self.costs:
            yield cycles * self.costs

    def load(self, where, n):
        return self.h["load"] + ceil(n / self.h["load_bytes"]) \
            if where == DEVICE and n else 0

    def move(self, to, a, b, n):
        """A copy, or a fold of two operands."""
        cycles = self.load(a, n) + self.load(b, n)
        if to == DEVICE and n:
            cycles += self.h["store"] + ceil(n / self.h["store_bytes"])
        return cycles or ceil(n / self.h["copy_bytes"])

    # ---- what comes ----

    def arrive(self, ring, entry):
        self.rings[ring].append(entry)
        self.activity += 1
        if self.asleep:
            wake, self.asleep = self.asleep, None
            self.job.clock.at(self.job.clock.now, wake)

    def _write(self, words):
        return self.spend((words + 1) * self.h["write"])

    # ---- commands ----

    def message(self, dest, kind, step_key, at, n, where, total):
        """False: no slot is free."""
        job = self.job
        if self.free[dest] == 0:
            self.free[dest], self.returned[dest] = self.returned[dest], 0
            if self.free[dest] == 0:
                return False
        self.free[dest] -= 1
        inline = ARGUMENTS + n <= self.h["inline"]
        cost, held = self.h["call"], "inline"
        if n and inline:
            cost += self.load(where, n)
        elif n:
            cost += self.move(HOST, where, None, n)
            held = HOST
        words = 2 * _rows(COMMAND + ARGUMENTS + (n if inline else 0))
        yield from self.spend(cost + (words + 1) * self.h["write"])
        fabric, me = job.fabric, self.rank

        def come(end):
            p = job.system["pipeline"]
            job.clock.at(end + p["slot"] + p["pend"] + p["told"] + job.pcie,
                         job.hosts[dest].arrive, "req",
                         (kind, me, step_key, at, n, total))

        def read():
            job.clock.at(job.clock.now + job.system["pipeline"]["told"] + job.pcie,
                         self.arrive, "cpl", None)

        def send(offer):
            rows = _rows(ARGUMENTS)
            fabric.send(me, dest, n, held, rows, True, offer, come,
                        read if n and not inline else None)
            return rows + (_rows(n) if inline else 0)
        fabric.submit(me, words + 1, False, send)
        self.advances += 1
        return True

    def put(self, dest, n, where, put):
        job, me = self.job, self.rank
        cost = self.h["call"]
        if where == HOST:
            cost += self.move(HOST, HOST, None, n)
        words = COMMAND // WORD
        yield from self.spend(cost + (words + 1) * self.h["write"])

        def ended():
            put[1] = True

        def come(end):
            p = job.system["pipeline"]
            job.clock.at(end + p["pend"], answer)

        def answer():
            job.fabric.send(dest, me, 0, "inline", 0, False, job.clock.now, back,
                            reply=True)

        def back(end):
            p = job.system["pipeline"]
            job.clock.at(end + p["pend"] + p["told"] + job.pcie, self.arrive, "cpl",
                         ended)

        def send(offer):
            job.fabric.send(me, dest, n, where, 0, False, offer, come)
            return 0
        job.fabric.submit(me, words + 1, False, send)
        self.advances += 1

    def flush(self):
        """Returns slots, a word for each peer."""
        for peer, owed in enumerate(self.owed):
            if owed:
                yield from self.credit(peer)

    def credit(self, peer):
        job, owed = self.job, self.owed[peer]
        self.owed[peer] = 0
        words = 2 * _rows(COMMAND + ROW)
        yield from self._write(words)

        def come(end):
            job.clock.at(end + job.pcie, job.hosts[peer].credited, self.rank, owed)

        def send(offer):
            job.fabric.send(self.rank, peer, ROW, "inline", 0, True, offer, come,
                            reply=True)
            return 1
        job.fabric.submit(self.rank, words + 1, True, send)

    def credited(self, peer, owed):
        self.returned[peer] += owed

    # ---- the poll ----

    def main(self):
        yield from self.kick()
        while self.ended is None:
            yield from self.poll()
            if self.queued:
                yield from self.kick()

    def poll(self):
        seen = self.activity
        yield from self.spend(self.h["poll"])
        found = False
        while self.rings["cpl"]:
            entry = self.rings["cpl"].pop(0)
            if entry:
                entry()
            found = True
        while self.rings["req"]:
            yield from self.receive(*self.rings["req"].pop(0))
            found = True
        if not found:
            yield from self.flush()
            if self.activity == seen:
                yield None

    def receive(self, kind, source, key, at, n, total):
        yield from self.spend(self.h["message"] + self.h["handler"])
        if kind == "ready":
            step = self.sender[source, key]
            step.ready, step.reaches = True, at
        else:
            step, k = self.receiver[source, key]
            if kind == "placed":
                n = min(PUT_BYTES, total - at)
            elif total:
                bytes_ = n or total
                yield from self.spend(self.move(step.land, HOST, None, bytes_))
                n = bytes_
            step.sources[k].arrive(at, at + n)
        self.queued = True
        self.owed[source] += 1
        if self.owed[source] >= self.job.slots // 2:
            yield from self.credit(source)

    # ---- steps ----

    def kick(self):
        starved = False
        while True:
            before = self.advances
            starved = yield from self.run_steps()
            if self.low == len(self.steps):
                self.ended = self.job.clock.now
                return
            if self.advances == before:
                break
        self.queued = starved

    def run_steps(self):
        starved, i = False, self.low
        while i < len(self.steps) and i < self.low + WINDOW:
            if not self.steps[i].over:
                starved |= bool((yield from self.advance(i)))
            while self.low < len(self.steps) and self.steps[self.low].over:
                self.low += 1
            i += 1
        return starved

    def is_clear(self, i):
        """Whether no step before it that is not over uses the same memory."""
        w = self.steps[i]
        if w.before is None:
            w.before = [v for v in self.steps[self.low:i] if not v.over and (
                _overlap(w.step.store, v.step.local) or _overlap(w.step.store, v.step.store)
                or _overlap(w.step.local, v.step.store))]
        while w.before and w.before[-1].over:
            w.before.pop()
        return not w.before or all(v.over for v in w.before)

    def advance(self, i):
        """True: to be looked at again in the next poll."""
        s = self.steps[i]
        clear, starved = self.is_clear(i), False
        if s.sources and not s.is_eager and (clear or not s.in_place):
            for k, source in enumerate(s.sources):
                if not source.granted:
                    reaches = s.n >= PUT_FROM and s.land == DEVICE
                    source.granted = yield from self.message(
                        s.step.sources[k], "ready", s.step.seq, reaches, 0, None, s.n)
                    starved |= not source.granted
        if not clear or not all(x.came for x in s.sources):
            return starved
        to = min([s.n] + [x.got for x in s.sources])
        if to != s.n:
            to -= to % self.job.blocks.elem
        yield from self.make(s, to)
        if s.step.dest is not programs.NOBODY and not s.told:
            starved |= bool((yield from self.push(s)))
        if s.done == s.n and (s.step.dest is programs.NOBODY or s.told):
            s.over = True
            self.advances += 1
        return starved

    def make(self, s, to):
        n, s.done = to - s.done, to
        if n == 0:
            return
        self.advances += 1
        if s.step.reduce:
            out = s.store or HOST
            total, rest = s.local, len(s.sources)
            if total is None:
                total, rest = HOST, rest - 1
            for _ in range(rest):
                yield from self.spend(self.move(out, total, HOST, n))
                total = out
        elif not s.sources and s.store and self.job.copies:
            yield from self.spend(self.move(s.store, s.local, None, n))
        elif s.sources and s.store and not s.in_place:
            yield from self.spend(self.move(s.store, HOST, None, n))

    def push(self, s):
        dest, key = s.step.dest, s.step.dest_seq
        if s.is_eager:
            if s.done != s.n:
                return False
            n = s.n if s.n > WORD else 0  # else it is in the arguments
            s.told = yield from self.message(dest, "eager", key, 0, n, s.value, s.n)
            return not s.told
        if not s.ready:
            return False
        starved = False
        if s.reaches:
            starved = yield from self.push_puts(s)
        else:
            starved = yield from self.push_data(s)
        s.told = s.sent == s.n
        return starved

    def push_data(self, s):
        most = self.job.medium
        while True:
            n = s.done - s.given
            if n == 0 or (n < most and s.done != s.n):
                return False
            n = min(n, most)
            if not (yield from self.message(s.step.dest, "data", s.step.dest_seq, s.given, n,
                                            s.value, s.n)):
                return True
            s.given += n
            s.sent += n

    def push_puts(self, s):
        starved = False
        while True:
            if s.puts:
                starved = True
                if s.puts[0][1] and (yield from self.message(
                        s.step.dest, "placed", s.step.dest_seq, s.sent, 0, None, s.n)):
                    s.sent += s.puts.pop(0)[0]
                    continue
            n = s.done - s.given
            if n == 0 or len(s.puts) == 2 or (n < PUT_BYTES and s.done != s.n):
                return starved
            put = [min(n, PUT_BYTES), False]
            s.puts.append(put)
            yield from self.put(s.step.dest, put[0], s.value, put)
            s.given += put[0]
            starved = True


class Job:
    def __init__(self, system, op, algorithm, size, n, costs, private=False):
        self.system, self.size, self.costs = system, size, costs
        self.blocks, steps = programs.build(op, algorithm, size, n, WORD,
                                            system["engine"]["both_from"])
        self.memory = HOST if private else DEVICE
        self.copies = not op.startswith("broadcast")  # a root's buffers are the same
        self.slots, self.medium = system["host"]["slots"], system["host"]["medium"]
        self.pcie = system["pcie"]["cycles"]
        self.clock = Clock()
        self.fabric = Fabric(system, size, self.clock)
        self.hosts = [Host(self, rank, p) for rank, p in enumerate(steps)]

    def place(self, range_):
        if range_ is None:
            return None
        return HOST if range_[0] == programs.TMP else self.memory

    def run(self):
        for host in self.hosts:
            self._go(host, host.main())
        self.clock.run()
        return max(host.ended for host in self.hosts)

    def _go(self, host, program):
        """Up to when it next spends time, or sleeps."""
        clock = self.clock
        try:
            cycles = next(program)
        except StopIteration:
            return
        if cycles is not None:
            clock.at(clock.now + cycles, self._go, host, program)
            return
        woken = []

        def wake():
            if not woken:
                woken.append(True)
                host.asleep = None
                self._go(host, program)
        host.asleep = wake
        clock.at(clock.now + self.system["host"]["poll_most"], wake)


def cycles(system, op, algorithm, size, n, costs=1, private=False):
    """From a common start to the last rank's end."""
    return Job(system, op, algorithm, size, n, costs, private).run()
