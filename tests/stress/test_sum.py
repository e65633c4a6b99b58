#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a run takes in simulated time is the sum of the stated costs (spec/fshmem.toml,
COST_) and of the fabric's cycles, to the cycle.

A job is recorded. unit_sim_legs gives what the fabric does in the same cycles without
hosts: when each write of a device is there for a host to see. From that, and the costs,
the arithmetic here says in which cycle each rank must post each command; it is compared
with the cycles of the recording.
"""
import os
import subprocess
import sys
import tempfile
import tomllib

from fshjob import FSHRUN, TESTS, check, main, run

SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../spec/fshmem.toml")
with open(SPEC, "rb") as spec:
    CONST = {c["name"]: c["value"] for c in tomllib.load(spec)["const"]}
EPOCH = 1 << 20  # the cycle in which simulated time begins is a multiple
NAP = 50 * 250  # first sleep of a wait in the library
WINDOWS = 0x1000  # registers from here on take the words of commands
FAR = 1 << 62


def legs(ranks, mode, rounds, costs):
    """By rank: cycles in which it posted a command, with the number of its writes; and
    the device's writes that it could see, with the ring entries that came with them."""
    posts = [[] for _ in range(ranks)]
    seen = [[] for _ in range(ranks)]
    words = [0] * ranks
    start = 0
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "run.rec")
        code, text = run(FSHRUN, "-n", str(ranks), "--conduit", "fpga", "--clock",
                         "simulated", "--host-costs", str(costs), "--record", path,
                         "--timeout", "60", os.path.join(TESTS, "stress_rounds"),
                         mode, str(rounds))
        check(code == 0, f"{mode}: {code}\n{text}")
        out = subprocess.run([os.path.join(TESTS, "unit_sim_legs"), path], check=True,
                             capture_output=True, text=True).stdout
    for what, *rest in map(str.split, out.splitlines()):
        if what == "epoch":
            start = (int(rest[0]) // EPOCH + 1) * EPOCH
            continue
        node, cycle = int(rest[0]), int(rest[1]) - start
        if start == 0 or cycle < 0:  # writes come first, in order
            continue
        if what == "dma":
            seen[node].append((cycle, rest[2:]))
        else:
            words[node] += 1
            if int(rest[2]) < WINDOWS:  # the doorbell
                posts[node].append([cycle, words[node]])
                words[node] = 0
    return posts, seen


class Rank:
    """A rank's clock, t, by arithmetic."""

    def __init__(self, me, posts, seen, costs, on_message, kick=lambda rank: False):
        self.me, self.t, self.owed = me, 0, {}
        self.posts, self.seen, self.costs = posts, seen, costs
        self.on_message, self.kick, self.posted, self.read = on_message, kick, 0, 0
        self.done = 0  # commands that are complete
        self.rings = {"request": [], "reply": [], "completion": []}

    def spend(self, name, times=1):
        self.t += CONST["COST_" + name] * times * self.costs

    def move(self, how, count):
        """So many bytes (as in rounds.c) from or to device memory."""
        self.spend(how)
        self.t += -(-count // CONST[f"COST_{how}_BYTES"]) * self.costs

    def copy(self, count):
        """So many bytes in host memory, copied or folded."""
        self.t += -(-count // CONST["COST_COPY_BYTES"]) * self.costs

    def post(self, call=True):
        """A command; how many writes it is, the recording says."""
        check(self.posted < len(self.posts), f"rank {self.me}: posts at {self.t}")
        cycle, writes = self.posts[self.posted]
        if call:
            self.spend("CALL")
        self.spend("WRITE", writes)
        check(self.t == cycle, f"rank {self.me}, command {self.posted}: by "
              f"arithmetic in cycle {self.t}, in the run in {cycle}")
        self.posted += 1

    def look(self):
        while self.read < len(self.seen) and self.seen[self.read][0] <= self.t:
            for entry in self.seen[self.read][1]:
                ring, source = entry.split("-")
                self.rings[ring].append(int(source))
            self.read += 1

    def next_write(self):
        return self.seen[self.read][0] if self.read < len(self.seen) else FAR

    def complete(self):
        self.look()
        found = len(self.rings["completion"])
        self.rings["completion"] = []
        self.done += found
        return found > 0

    def receive(self, ring):
        found = False
        self.look()
        while self.rings[ring]:
            source = self.rings[ring].pop(0)
            self.spend("MESSAGE")
            self.spend("HANDLER")
            self.on_message(self, ring, source)
            if ring == "request":
                self.owed[source] = True
            found = True
            self.look()
        return found

    def poll(self):
        self.look()
        known = self.read
        self.spend("POLL")
        found = self.complete()
        found |= self.receive("reply")
        found |= self.receive("request")
        if not found:
            for peer in sorted(self.owed):
                self.post(call=False)  # its slots are free again
            self.owed = {}
            self.look()
            if self.read == known:
                self.t = min(self.next_write(), self.t + CONST["COST_POLL_MOST"])
        return self.kick(self) or found

    def wait(self, over):
        """GASNET_BLOCKUNTIL, or a wait of the library."""
        while not over():
            if self.poll():
                continue
            self.look()
            if any(self.rings.values()):
                continue
            check(self.next_write() != FAR, f"rank {self.me} waits for ever")
            check(self.next_write() <= self.t + NAP, "a nap is over before its event")
            self.t = self.next_write()


def there_and_back(mode, what, costs, rounds, serve=lambda rank: None):
    """Rank 0 asks, the other answers, after what `serve` spends. Cycles of all, and when
    each answer came."""
    posts, seen = legs(2, mode, rounds, costs)
    answers, asked = [], []
    asks = Rank(0, posts[0], seen[0], costs, lambda rank, *_: answers.append(rank.t))
    for i in range(rounds):
        asks.post()
        asks.wait(lambda: len(answers) > i)

    def answer(rank, *_):
        asked.append(rank.t)
        if len(asked) <= rounds:
            serve(rank)
            rank.post()

    other = Rank(1, posts[1], seen[1], costs, answer)
    other.wait(lambda: len(asked) > rounds)
    print(f"  costs x{costs}: {rounds} {what} take {asks.t} cycles, as computed")
    return asks.t, answers


def ping_pong(costs, rounds=6):
    taken, answers = there_and_back("ping", "round trips", costs, rounds)
    print("   each: ", ", ".join(str(b - a) for a, b in zip(answers, answers[1:])))
    return taken


def fill(costs):
    """memset of another rank's device memory: its library stores there."""
    return there_and_back("fill", "times memset", costs, 4,
                          lambda rank: rank.move("STORE", 1000))[0]


def by_itself(mode, what, costs, before=lambda rank: None, call=True, completions=1):
    """Rank 0 gives commands one after the other, each after what `before` spends."""
    rounds = 4
    posts, seen = legs(2, mode, rounds, costs)
    rank = Rank(0, posts[0], seen[0], costs, lambda *_: None)
    for i in range(rounds):
        before(rank)
        rank.post(call)
        rank.wait(lambda: rank.done >= completions * (i + 1))
    print(f"  costs x{costs}: {rounds} {what} take {rank.t} cycles, as computed")
    return rank.t


def load(costs):
    """A put that rides in its command, from device memory: the library loads it."""
    return by_itself("load", "puts", costs, lambda rank: rank.move("LOAD", 64))


def read(costs):
    """One whose source stays as it is: the device reads it, and nothing is loaded."""
    return by_itself("read", "puts from device memory", costs)


def command(costs):
    """A command for the rank's own compute core is stored in device memory; it is taken,
    and ends."""
    return by_itself("command", "commands", costs,
                     lambda rank: rank.move("STORE", 128), call=False, completions=2)


class Barrier:
    """An all-reduce of 8 bytes by dissemination: in round r to the rank 2^r above, on from
    the one 2^r below. What a rank brings is copied, and so is what comes, which then is
    folded with it."""

    def __init__(self, ranks):
        self.ranks, self.rounds = ranks, (ranks - 1).bit_length()
        self.came, self.round, self.sent, self.phase = {}, self.rounds, False, 0

    def arrival(self, rank, _ring, source):
        rank.copy(8)
        self.came[source] = self.came.get(source, 0) + 1

    def kick(self, rank):
        advanced = False
        while self.round < self.rounds:
            if not self.sent:
                rank.post()
                self.sent = True
            if self.came.get((rank.me - 2 ** self.round) % self.ranks, 0) < self.phase:
                break
            rank.copy(8)
            self.round, self.sent, advanced = self.round + 1, False, True
        return advanced

    def take_part(self, rank):
        self.round, self.sent, self.phase = 0, False, self.phase + 1
        rank.copy(8)
        self.kick(rank)
        rank.wait(lambda: self.round == self.rounds)


def barrier(ranks, costs, rounds=3):
    posts, seen = legs(ranks, "barrier", rounds, costs)
    ends = []
    for me in range(ranks):
        b = Barrier(ranks)
        rank = Rank(me, posts[me], seen[me], costs, b.arrival, b.kick)
        for _ in range(rounds):
            b.take_part(rank)
        ends.append(rank.t)
    print(f"  costs x{costs}: {rounds} barriers of {ranks} ranks take {max(ends)} cycles,"
          " as computed")
    return max(ends)


def round_trips_are_the_sum():
    taken = [ping_pong(costs) for costs in (0, 1, 2)]
    check(taken[0] < taken[1] < taken[2], str(taken))


def bytes_of_device_memory_are_charged():
    for what in fill, load, read, command:
        taken = [what(costs) for costs in (0, 1, 2)]
        check(taken[0] < taken[1] < taken[2], str(taken))


def barriers_are_the_sum():
    for ranks in 2, 4, 8:
        taken = [barrier(ranks, costs) for costs in (0, 1)]
        check(taken[0] < taken[1], str(taken))


if __name__ == "__main__":
    if not os.path.exists(os.path.join(TESTS, "unit_sim_legs")):
        sys.exit(77)
    main([round_trips_are_the_sum, bytes_of_device_memory_are_charged, barriers_are_the_sum])
