# SPDX-License-Identifier: BSD-3-Clause
"""Programs of collectives, as the library's algorithms build them (src/coll/program, a file
each): the steps of a rank, each of which waits for packets, combines them and sends the value
on. Root 0; ranks meet as their numbers say.
"""
from dataclasses import dataclass, field

SRC, DST, TMP = "SRC", "DST", "TMP"
NOBODY = None


@dataclass
class Step:
    local: tuple = None   # place, first block, blocks
    store: tuple = None
    sources: list = field(default_factory=list)
    seq: int = 0
    dest: int = NOBODY
    dest_seq: int = 0
    reduce: bool = False


def levels_of(size):
    return size.bit_length() - 1


class Program(list):
    """Steps of a rank."""

    def local(self, local, store=None):
        self.append(Step(local=local, store=store))
        return self[-1]

    def receive(self, source, seq, store):
        self.append(Step(store=store, sources=[source], seq=seq))
        return self[-1]

    def fold(self, local, source, seq, store):
        made = self.receive(source, seq, store)
        made.local, made.reduce = local, True
        return made

    def send(self, made, blocks, dest, seq):
        """In the step that made them, if that does not send yet."""
        if made is None or made.dest is not NOBODY:
            made = self.local(blocks)
        made.dest, made.dest_seq = dest, seq


# ---- trees ----

class Tree:
    """The order TREE: 2^levels virtual ranks; the first `extra` of them are pairs."""

    def __init__(self, size):
        self.size, self.levels = size, levels_of(size)
        self.extra = size - (1 << self.levels)

    def virtual(self, rank):
        return rank // 2 if rank < 2 * self.extra else rank - self.extra

    def stands(self, v):
        return v + self.extra if v >= self.extra else 2 * v

    def pair(self, rank):
        return rank ^ 1 if rank < 2 * self.extra else NOBODY

    def blocks(self, place, v, count):
        first, last = (2 * w if w < self.extra else w + self.extra for w in (v, v + count))
        return place, first, last - first


def _below(w, size):
    lowest = w & -w
    return size - w if w == 0 or lowest > size - w else lowest


def _children(w, size):
    """Distances, the nearest first."""
    d = 1
    while d < _below(w, size):
        yield d
        d *= 2


def _parent(w):
    return w & (w - 1)


def _send_down(p, size, w, made, blocks, seq):
    for d in reversed(list(_children(w, size))):
        p.send(made, blocks, w + d, seq)
        made = None


# ---- algorithms: program, ranks, rank ----

def barrier_dissemination(p, size, rank):
    here = (TMP, 0, 1)
    made, d, seq = p.local(here, here), 1, 0
    while d < size:
        p.send(made, here, (rank + d) % size, seq)
        made = p.fold(here, (rank - d) % size, seq, here)
        d, seq = 2 * d, seq + 1


def barrier_binomial(p, size, rank):
    here = (TMP, 0, 1)
    made = p.local(here, here)
    made.sources = [rank + d for d in _children(rank, size)]
    made.reduce = bool(made.sources)
    if rank:
        p.send(made, here, _parent(rank), 0)
        made = p.receive(_parent(rank), 1, here)
    _send_down(p, size, rank, made, here, 1)


def broadcast_binomial(p, size, rank):
    dst = (DST, 0, 1)
    made = p.receive(_parent(rank), 0, dst) if rank else p.local((SRC, 0, 1), dst)
    _send_down(p, size, rank, made, dst, 0)


def broadcast_chain(p, size, rank):
    dst = (DST, 0, 1)
    made = p.receive(rank - 1, 0, dst) if rank else p.local((SRC, 0, 1), dst)
    if rank + 1 < size:
        p.send(made, dst, rank + 1, 0)


def broadcast_double_tree(p, size, rank):
    """Two binary trees of half of the bytes each; even places of the first are inner ones."""
    n = size - 1
    top = 1 << levels_of(n) if n else 0

    def place_of(node, tree):
        if tree == 0:
            return node
        return n + 1 - node if n % 2 == 0 else node % n + 1

    def node_at(place, tree):
        if tree == 0:
            return place
        return n + 1 - place if n % 2 == 0 else (place + n - 2) % n + 1

    for tree in (0, 1):
        dst = (DST, tree, 1)
        if rank == 0:
            made = p.local((SRC, tree, 1), dst)
            if n:
                p.send(made, dst, node_at(top, tree), tree)
            continue
        place = place_of(rank, tree)
        bit = place & -place
        up = place & ~bit | bit << 1
        up = up if up <= n else place & ~bit
        made = p.receive(0 if place == top else node_at(up, tree), tree, dst)
        half = bit >> 1
        left = place - half if half else 0
        while half and place + half > n:
            half >>= 1
        for child in (left, place + half if half else 0):
            if child:
                p.send(made, dst, node_at(child, tree), tree)
                made = None


def broadcast_scatter_allgather(p, size, w):
    have = (DST, w, _below(w, size))
    if w:
        p.receive(_parent(w), 0, have)
    else:
        p.local((SRC, 0, size), have)
    for d in reversed(list(_children(w, size))):
        p.send(None, (DST, w + d, _below(w + d, size)), w + d, 0)

    def has(rank, block):
        return 0 <= block - rank < _below(rank, size)

    for i in range(size - 1):
        out, after = (w - i) % size, (w + 1) % size
        come = (out - 1) % size
        if not has(after, out):
            p.send(None, (DST, out, 1), after, 1 + i)
        if not has(w, come):
            p.receive((w - 1) % size, 1 + i, (DST, come, 1))


def scatter_linear(p, size, rank):
    if rank:
        p.receive(0, 0, (DST, rank, 1))
        return
    for to in range(1, size):
        p.send(None, (SRC, to, 1), to, 0)
    p.local((SRC, 0, 1), (DST, 0, 1))


def gather_linear(p, size, rank):
    if rank:
        p.send(None, (SRC, rank, 1), 0, 0)
        return
    p.local((SRC, 0, 1), (DST, 0, 1))
    for source in range(1, size):
        p.receive(source, 0, (DST, source, 1))


def scatter_binomial(p, size, w):
    below, place = _below(w, size), TMP if w else SRC
    if below == 1 and w:
        p.receive(_parent(w), 0, (DST, w, 1))
        return
    if w:
        p.receive(_parent(w), 0, (place, w, below))
    for d in reversed(list(_children(w, size))):
        p.send(None, (place, w + d, _below(w + d, size)), w + d, 0)
    p.local((place, w, 1), (DST, w, 1))


def gather_binomial(p, size, w):
    below, place = _below(w, size), TMP if w else DST
    if below == 1 and w:
        p.send(None, (SRC, w, 1), _parent(w), 0)
        return
    p.local((SRC, w, 1), (place, w, 1))
    for d in _children(w, size):
        p.receive(w + d, 0, (place, w + d, _below(w + d, size)))
    if w:
        p.send(None, (place, w, below), _parent(w), 0)


def allgather_doubling(p, size, rank):
    t, own, all_ = Tree(size), (SRC, rank, 1), (DST, 0, size)
    v, pair = t.virtual(rank), t.pair(rank)
    if t.stands(v) != rank:
        p.send(None, own, rank ^ 1, 0)
        p.receive(rank ^ 1, 1, all_)
        return
    p.local(own, (DST, rank, 1))
    if pair is not NOBODY:
        p.receive(pair, 0, (DST, pair, 1))
    for j in range(t.levels):
        d = 1 << j
        mine, other = v & ~(d - 1), t.stands(v ^ d)
        p.send(None, t.blocks(DST, mine, d), other, 1 + j)
        p.receive(other, 1 + j, t.blocks(DST, mine ^ d, d))
    if pair is not NOBODY:
        p.send(None, all_, pair, 1)


def allgather_bruck(p, size, rank):
    p.local((SRC, rank, 1), (DST, rank, 1))

    def parts(first, count):
        before = min(size - first, count)
        return [x for x in ((0, first, before), (1, 0, count - before)) if x[2]]

    d = 1
    while d < size:
        count, source, seq = min(size - d, d), (rank + d) % size, 2 * levels_of(d)
        for i, first, n in parts(rank, count):
            p.send(None, (DST, first, n), (rank - d) % size, seq + i)
        for i, first, n in parts(source, count):
            p.receive(source, seq + i, (DST, first, n))
        d *= 2


def alltoall_pairwise(p, size, rank):
    p.local((SRC, rank, 1), (DST, rank, 1))
    for i in range(1, size):
        to, source = (rank + i) % size, (rank - i) % size
        p.send(None, (SRC, to, 1), to, 0)
        p.receive(source, 0, (DST, source, 1))


def reduce_binomial(p, size, rank):
    t, src = Tree(size), (SRC, 0, 1)
    v, pair = t.virtual(rank), t.pair(rank)
    if t.stands(v) != rank:
        p.send(None, src, t.stands(v), 0)
        return
    made = p.local(src)
    made.sources = [] if pair is NOBODY else [pair]
    d = 1
    while d < 1 << t.levels and not v & d:
        made.sources.append(t.stands(v | d))
        d *= 2
    made.reduce = bool(made.sources)
    if rank:
        p.send(made, src, t.stands(_parent(v)), 0)
    else:
        made.store = (DST, 0, 1)


def allreduce_doubling(p, size, rank):
    t, have, made = Tree(size), (SRC, 0, 1), None
    v, pair = t.virtual(rank), t.pair(rank)
    if t.stands(v) != rank:
        p.send(None, have, rank ^ 1, 0)
        p.receive(rank ^ 1, 1, (DST, 0, 1))
        return
    if pair is not NOBODY:
        made = p.fold(have, pair, 0, (TMP, 0, 1))
        have = (TMP, 0, 1)
    for j in range(t.levels):
        other, total = t.stands(v ^ 1 << j), (DST if j + 1 == t.levels else TMP, 0, 1)
        p.send(made, have, other, 1 + j)
        made = p.fold(have, other, 1 + j, total)
        have = total
    if pair is not NOBODY:
        p.send(made, have, pair, 1)


def scan_doubling(p, size, rank):
    have, made, d, level = (SRC, 0, 1), None, 1, 0
    while d < size:
        if rank + d < size:
            p.send(made, have, rank + d, level)
            made = None
        if rank >= d:
            total = (TMP if rank >= 2 * d else DST, 0, 1)
            made = p.fold(have, rank - d, level, total)
            have = total
        d, level = 2 * d, level + 1
    if have[0] == SRC:
        p.local(have, (DST, 0, 1))


class _Halving:
    """Vector halving, distance doubling (halving.c)."""

    def __init__(self, p, size, rank, scatters=False):
        self.p, self.rank, self.scatters, self.t = p, rank, scatters, Tree(size)
        self.w, self.pair = self.t.virtual(rank), self.t.pair(rank)
        self.levels = self.t.levels

    def parts(self, place, first, count):
        return self.t.blocks(place, first, count) if self.scatters \
            else (place, first, count)

    def all(self, place):
        return self.parts(place, 0, 1 << self.levels)

    def share(self, w, level, place):
        first, count = 0, 1 << self.levels
        for j in range(level):
            count //= 2
            first += (w >> j & 1) * count
        return self.parts(place, first, count)

    def halve(self, last):
        p, w, place = self.p, self.w, SRC
        if self.pair is not NOBODY:
            p.fold(self.all(SRC), self.pair, 0, self.all(TMP))
            place = TMP
        for j in range(self.levels):
            other = w ^ 1 << j
            p.send(None, self.share(other, j + 1, place), self.t.stands(other), 1 + j)
            p.fold(self.share(w, j + 1, place), self.t.stands(other), 1 + j,
                   self.share(w, j + 1, last if j + 1 == self.levels else TMP))
            place = TMP

    def beside(self):
        """The second rank of a pair; True if this is one."""
        if self.t.stands(self.w) == self.rank:
            return False
        self.p.send(None, self.all(SRC), self.pair, 0)
        return True

    def back(self, j):
        return 1 + self.levels + j

    def last(self):
        return 1 + 2 * self.levels

    def own(self):
        """A reduce-scatter's result from the rank that holds it."""
        piece = self.t.virtual(self.rank)
        holder = sum((piece >> j & 1) << self.levels - 1 - j for j in range(self.levels))
        if self.t.stands(holder) != self.rank:
            self.p.receive(self.t.stands(holder), self.last(), (DST, self.rank, 1))


def reduce_halving(p, size, rank):
    x = _Halving(p, size, rank)
    if size == 1 or x.beside():
        return
    place = TMP if x.w else DST
    x.halve(place)
    for j in reversed(range(x.levels)):
        other = x.w ^ 1 << j
        if x.w >> j & 1:
            p.send(None, x.share(x.w, j + 1, place), x.t.stands(other), x.back(j))
            return
        p.receive(x.t.stands(other), x.back(j), x.share(other, j + 1, place))


def allreduce_rabenseifner(p, size, rank):
    x = _Halving(p, size, rank)
    if x.beside():
        p.receive(x.pair, x.last(), x.all(DST))
        return
    x.halve(DST)
    for j in reversed(range(x.levels)):
        other = x.w ^ 1 << j
        p.send(None, x.share(x.w, j + 1, DST), x.t.stands(other), x.back(j))
        p.receive(x.t.stands(other), x.back(j), x.share(other, j + 1, DST))
    if x.pair is not NOBODY:
        p.send(None, x.all(DST), x.pair, x.last())


def reduce_scatter_halving(p, size, rank):
    x = _Halving(p, size, rank, scatters=True)
    if x.beside():
        x.own()
        return
    x.halve(TMP)
    _, first, count = x.share(x.w, x.levels, TMP)
    for b in range(first, first + count):
        if b == rank:
            p.local((TMP, b, 1), (DST, b, 1))
        else:
            p.send(None, (TMP, b, 1), b, x.last())
    x.own()


class _Lane:
    """A direction of a ring (ring.c)."""

    def __init__(self, p, size, rank, halved, back, seq):
        self.p, self.size, self.rank, self.seq = p, size, rank, seq
        self.halved, self.back, self.made = halved, back, None

    def before(self, n):
        return (self.rank + (n if self.back else -n)) % self.size

    def block(self, place, rank):
        return place, 2 * rank + self.back if self.halved else rank, 1

    def send(self, blocks, seq):
        self.p.send(self.made, blocks, self.before(-1), self.seq + seq)

    def reduce(self, turn):
        b, total = self.before(2 + turn), None
        if turn == 0:
            self.send(self.block(SRC, self.before(1)), 0)
        if b == self.rank:
            total = self.block(DST, b)
        self.made = self.p.fold(self.block(SRC, b), self.before(1), self.seq + turn, total)
        if b != self.rank:
            self.send(total, turn + 1)

    def gather(self, turn, seq):
        self.send(self.block(DST, self.before(turn)), seq + turn)
        self.made = self.p.receive(self.before(1), self.seq + seq + turn,
                                   self.block(DST, self.before(turn + 1)))


def _ring(p, size, rank, halved, sums, gathers):
    rounds = size - 1
    lanes = [_Lane(p, size, rank, halved, i, 2 * rounds * i) for i in range(1 + halved)]
    for lane in lanes if not sums else []:
        lane.made = p.local(lane.block(SRC, rank), lane.block(DST, rank))
    for turn in range(rounds * (sums + gathers)):
        for lane in lanes:
            if sums and turn < rounds:
                lane.reduce(turn)
            else:
                lane.gather(turn - rounds * sums, rounds * sums)


BUILDERS = {
    ("barrier", "dissemination"): barrier_dissemination,
    ("barrier", "binomial"): barrier_binomial,
    ("broadcast", "binomial"): broadcast_binomial,
    ("broadcast", "chain"): broadcast_chain,
    ("broadcast", "double_tree"): broadcast_double_tree,
    ("broadcast", "scatter_allgather"): broadcast_scatter_allgather,
    ("scatter", "binomial"): scatter_binomial,
    ("scatter", "linear"): scatter_linear,
    ("gather", "binomial"): gather_binomial,
    ("gather", "linear"): gather_linear,
    ("allgather", "doubling"): allgather_doubling,
    ("allgather", "bruck"): allgather_bruck,
    ("alltoall", "pairwise"): alltoall_pairwise,
    ("reduce", "binomial"): reduce_binomial,
    ("reduce", "halving"): reduce_halving,
    ("allreduce", "doubling"): allreduce_doubling,
    ("allreduce", "rabenseifner"): allreduce_rabenseifner,
    ("reduce_scatter", "halving"): reduce_scatter_halving,
    ("scan", "doubling"): scan_doubling,
}
RINGS = {  # whether they sum, and bring every block to all
    ("allgather", "ring"): (False, True),
    ("allreduce", "ring"): (True, True),
    ("reduce_scatter", "ring"): (True, False),
}
KINDS = sorted([*BUILDERS, *RINGS])  # (operation, algorithm)
SPLIT = {"broadcast", "reduce", "allreduce", "scan"}  # one vector in even parts
LINE = 64


@dataclass(frozen=True)
class Blocks:
    """What the blocks of a call are: of a vector of n bytes, or n bytes each."""
    op: str
    count: int
    halved: bool
    n: int
    elem: int

    def before(self, b):
        if not self.halved:
            return self._whole(self.count, b)
        at = self._whole(self.count // 2, b // 2)
        if b % 2 == 0:
            return at
        n = self._whole(self.count // 2, b // 2 + 1) - at
        return at + min(n, ((n + 1) // 2 + LINE - 1) // LINE * LINE)

    def _whole(self, count, b):
        if self.op not in SPLIT:
            return self.n * b
        elems = self.n // self.elem
        return self.elem * (elems // count * b + elems % count * b // count)

    def bytes(self, range_):
        if range_ is None or self.op == "barrier":
            return 0
        _, first, count = range_
        return self.before(first + count) - self.before(first)


def _count(op, algorithm, size):
    if (op, algorithm) == ("broadcast", "double_tree"):
        return 2
    if algorithm in ("ring", "scatter_allgather"):
        return size
    if algorithm in ("halving", "rabenseifner") and op != "reduce_scatter":
        return 1 << levels_of(size)
    return 1 if op in SPLIT or op == "barrier" else size


def build(op, algorithm, size, n, elem, both_from):
    """Blocks, and each rank's program."""
    count, halved = _count(op, algorithm, size), False
    if algorithm == "ring":
        halved = size > 2 and (n // size if op in SPLIT else n) >= both_from
        count <<= halved
    programs = [Program() for _ in range(size)]
    for rank, p in enumerate(programs):
        if size == 1 and op != "barrier":
            p.local((SRC, 0, 1), (DST, 0, 1))
        elif algorithm == "ring":
            _ring(p, size, rank, halved, *RINGS[op, algorithm])
        else:
            BUILDERS[op, algorithm](p, size, rank)
    return Blocks(op, count, halved, n, elem), programs
