#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""FSHMEM on conduit smp compared with other libraries on the same machine: Open MPI
(messages and RMA), OpenSHMEM (that of Open MPI), MPICH and UCX (posix shared
memory), from the distribution's packages. Runs are interleaved: every round runs a short
job of each; the tables have the medians over the rounds. What is not installed,
or fails, or takes too long, is shown as "-", with the reason below the table.

usage: peers.py --fshperf FILE --build DIRECTORY [--rounds N] [--limit SECONDS]
                [--only shapes|coll] [--json FILE]
"""
import argparse
import ctypes
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MANY = (4, 8, 16)   # ranks of the barriers, besides that of two
MANY_EVERY = 4      # rounds; oversubscribed barriers take long
ATTEMPTS = 3        # of a job that never gave a figure
SLOW = 5.0          # seconds of collectives of many ranks that are not repeated

US, GB = "us", "GB/s"


def size_name(size):
    if size >= 1 << 20:
        return f"{size >> 20} MB"
    return f"{size >> 10} KB" if size >= 1024 else f"{size} B"


def rows():
    """(key, text, unit), a key is (name, ranks, bytes)."""
    table = [(("round_trip", 2, 0), "message there and back, empty", US)]
    for size in (8, 4096, 65536):
        table.append((("round_trip", 2, size),
                      f"message there and back, {size_name(size)}", US))
    for name in ("put", "get"):
        for size in (8, 4096, 65536, 1 << 20):
            unit = US if size < 65536 else GB
            table.append(((name, 2, size), f"{name} {size_name(size)}", unit))
    table.append((("put_many", 2, 8), "put 8 B, several in flight", US))
    table.append((("fence", 2, 0), "fence of two ranks", US))
    for ranks in (2,) + MANY:
        table.append((("barrier", ranks, 0), f"barrier of {ranks} ranks", US))
    return table


# Collectives: operations of both sides, by ranks their sizes; what FSHMEM may take of the
# better of the MPIs, with buffers in the segment and not.
COLLECTIVES = ("allreduce", "broadcast", "allgather", "alltoall")
COLL_SIZES = {2: (8, 256, 4096, 65536, 1 << 20), 4: (8, 4096, 65536),
              8: (8, 4096, 65536)}


def coll_rows():
    return [((name, ranks, size), f"{name} {size_name(size)}, {ranks} ranks", US)
            for name in COLLECTIVES for ranks, sizes in COLL_SIZES.items()
            for size in sizes]


def coll_targets(key):
    pair = key[1] == 2 and key[0] in ("allreduce", "broadcast")
    return (0.7, 0.9) if pair else (1.0, 1.0)


limit = {"seconds": 60.0}  # of a job


class Failed(Exception):
    """One line that says why."""


def start(command, env=None, **streams):
    """A process in a session of its own that ends when this one is killed."""
    def tie():
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG

    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=env,
                            start_new_session=True, preexec_fn=tie, **streams)


def end(process):
    """End a launcher, which ends its job, and then whatever is left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            continue


def run(command, env=None, times=1):
    """(exit code, what it printed); bounded, nothing is left running."""
    seconds = times * limit["seconds"]
    process = start(command, env, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {seconds:g} s") from None
    finally:
        if process.poll() is None:
            end(process)
    if process.returncode != 0 and not out:
        lines = [x for x in err.splitlines() if x.strip(" -*+|")]
        raise Failed(lines[0].strip() if lines else
                     f"ended with code {process.returncode}")
    return process.returncode, out


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Failed(f"{program} is not installed")


class Peer:
    """A library: its figures, by key, and what went wrong."""
    many = True  # measures barriers of more ranks
    collectives = False

    def __init__(self, name):
        self.name = name
        self.samples = {}
        self.reason = None
        self.remark = None
        self.failures = 0
        self.ready = False

    def prepare(self, build):
        """Build what there is to build; Failed if that cannot be."""

    def measure(self, ranks):
        """A job; yields (key, us)."""
        raise NotImplementedError

    def measure_collectives(self, ranks):
        """The same of collectives, if it has some."""
        raise NotImplementedError

    def take_turn(self, measure, ranks):
        if not self.ready or (self.failures >= ATTEMPTS and not self.samples):
            return
        try:
            for key, us in measure(ranks):
                self.samples.setdefault(key, []).append(us)
        except (Failed, OSError, ValueError) as error:
            self.failures += 1
            self.reason = str(error)

    def median(self, key):
        values = self.samples.get(key)
        return statistics.median(values) if values else None


class Fshmem(Peer):
    """fshperf smp; its own rows, under the names of the table."""
    collectives = True
    NAMES = {"am_short_rtt": "round_trip", "am_medium_rtt": "round_trip",
             "put": "put", "get": "get", "put_nb_rate": "put_many",
             "barrier": "barrier"}

    def __init__(self, fshperf):
        super().__init__("FSHMEM")
        self.fshperf = fshperf
        # Collectives with buffers that are not in the segment.
        self.private = Peer("FSHMEM malloc")

    def rows(self, command, *options):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "rows.json")
            code, _ = run([self.fshperf, command, *options, "--json", path],
                          times=5)
            if code:
                raise Failed(f"fshperf {command} ended with code {code}")
            with open(path, encoding="utf-8") as f:
                return json.load(f)

    def measure_collectives(self, ranks):
        sizes = ",".join(str(size) for size in COLL_SIZES[ranks])
        for row in self.rows("coll", "--op", ",".join(COLLECTIVES), "--bytes",
                             sizes, "--ranks", str(ranks)):
            key = row["op"], row["nodes"], row["bytes"]
            if row["memory"] == "segment":
                yield key, row["us"]
            else:
                self.private.samples.setdefault(key, []).append(row["us"])

    def measure(self, ranks):
        if ranks > 2:
            return  # in the run of two
        for row in self.rows("smp", "--quick", "--mode", "seq"):
            name = self.NAMES.get(row["test"])
            if name and row["access"] in ("-", "never") and row["ranks"] <= 16:
                yield (name, row["ranks"], row["bytes"]), row["us"]
            if row["test"] == "barrier" and row["ranks"] == 2:
                yield ("fence", 2, 0), row["us"]


class Compiled(Peer):
    """One of the C files here, built with the library's compiler wrapper."""

    def __init__(self, name, source, compiler, launcher, pair, crowd):
        super().__init__(name)
        self.source, self.compiler, self.launcher = source, compiler, launcher
        self.options = {True: pair, False: crowd}
        self.program = None

    def prepare(self, build):
        need(self.compiler, self.launcher)
        self.program = os.path.join(build, f"{self.compiler}-{self.source}")
        command = [self.compiler, "-O2", "-o", self.program,
                   os.path.join(HERE, self.source + ".c"),
                   os.path.join(HERE, "peer.c")]
        code, out = run(command)
        if code:
            raise Failed(f"{' '.join(command)} failed: {out[:200]}")

    def measure(self, ranks):
        yield from self.figures(ranks)

    def measure_collectives(self, ranks):
        yield from self.figures(ranks, "coll", *map(str, COLL_SIZES[ranks]))

    def figures(self, ranks, *arguments):
        bound = ranks <= len(os.sched_getaffinity(0))
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        code, out = run([self.launcher, "-n", str(ranks),
                         *self.options[bound], self.program,
                         *arguments], env)
        found = 0
        for line in out.splitlines():
            word = line.split()
            if len(word) == 5 and word[0] == "peer-row":
                found += 1
                yield (word[1], int(word[2]), int(word[3])), float(word[4])
        if code and found:
            self.remark = f"ends with code {code} after all figures are there"
        elif code:
            raise Failed(f"ended with code {code}")


class Mpi(Compiled):
    """The two that collectives are compared with."""
    collectives = True

    def __init__(self, name, compiler, launcher, pair, crowd):
        super().__init__(name, "peer_mpi", compiler, launcher, pair, crowd)


class Ucx(Peer):
    """ucx_perftest: a server and a client for each figure."""
    many = False
    TESTS = ([("round_trip", "tag_lat", n) for n in (0, 8, 4096, 65536)] +
             [("put", "ucp_put_bw", n) for n in (8, 4096, 65536, 1 << 20)] +
             [("get", "ucp_get", n) for n in (8, 4096, 65536, 1 << 20)])

    def prepare(self, build):
        need("ucx_perftest")

    @staticmethod
    def binding():
        cpus = sorted(os.sched_getaffinity(0))
        return [["-c", str(cpu)] for cpu in (cpus[0], cpus[1])] \
            if len(cpus) > 1 else [[], []]

    def one(self, test, size):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        env = dict(os.environ, UCX_TLS="posix,self", UCX_WARN_UNUSED_ENV_VARS="n")
        bind = self.binding()
        repeat = str(max(20, min(2000, (16 << 20) // max(size, 1))))
        window = ["-O", "1"] if test != "tag_lat" else []
        server = start(["ucx_perftest", "-p", port, *bind[0]], env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return self.client(["ucx_perftest", "127.0.0.1", "-p", port, "-t",
                                test, "-s", str(size), "-n", repeat, "-w",
                                "20", "-f", "-v", *window, *bind[1]], env)
        finally:
            end(server)

    @staticmethod
    def client(command, env):
        """The typical time of a call; the server may need a moment."""
        latest = time.monotonic() + 5
        while True:
            try:
                code, out = run(command, env)
            except Failed:
                if time.monotonic() > latest:
                    raise
                code, out = 1, ""
            lines = out.splitlines()
            if code == 0 and len(lines) == 2:
                return float(lines[1].split(",")[1])
            if time.monotonic() > latest:
                raise Failed(f"{' '.join(command)} ended with code {code}")
            time.sleep(0.05)

    def measure(self, ranks):
        for name, test, size in self.TESTS:
            us = self.one(test, size)
            yield (name, 2, size), us * (2 if test == "tag_lat" else 1)


def peers(fshperf):
    over = ["--oversubscribe", "--bind-to", "none"]
    core = ["--bind-to", "core"]
    return [Fshmem(fshperf),
            Mpi("Open MPI", "mpicc.openmpi", "mpirun.openmpi", core, over),
            Compiled("OSHMEM", "peer_shmem", "oshcc", "oshrun", core, over),
            Mpi("MPICH", "mpicc.mpich", "mpirun.mpich", ["-bind-to", "core"],
                ["-bind-to", "none"]),
            Ucx("UCX")]


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def rounds(contenders, count):
    for i in range(count):
        for peer in contenders:
            progress(f"round {i + 1} of {count}: {peer.name} ...")
            peer.take_turn(peer.measure, 2)
            if peer.many and i % MANY_EVERY == 0:
                for ranks in MANY:
                    peer.take_turn(peer.measure, ranks)
    progress("")


def rounds_of_collectives(contenders, count):
    slow = set()
    for i in range(count):
        for ranks in COLL_SIZES:
            for peer in contenders:
                if (ranks > 2 and i % MANY_EVERY) or (peer, ranks) in slow:
                    continue
                progress(f"round {i + 1} of {count}, collectives of {ranks}: "
                         f"{peer.name} ...")
                began = time.monotonic()
                peer.take_turn(peer.measure_collectives, ranks)
                if ranks > 2 and time.monotonic() - began > SLOW:
                    slow.add((peer, ranks))
    progress("")


def figure(peer, key, unit):
    us = peer.median(key)
    if us is None or us <= 0:
        return None
    return us if unit == US else key[2] / us / 1e3


def cell(value, best):
    return f"{'-':>13} " if value is None else \
        f"{value:13.3f}{'*' if best else ' '}"


def print_table(contenders, count):
    print(f"# Two ranks on two processors (bound) unless said, "
          f"{os.cpu_count()} processors here; wall clock.\n"
          f"# Medians of {count} rounds in which each had its turn (of "
          f"{(count + MANY_EVERY - 1) // MANY_EVERY} for barriers of 4, 8, 16); "
          f"* is the best of a row.\n"
          "# Message: FSHMEM an active message and its answer; MPI send and "
          "receive; OSHMEM put,\n"
          "# fence and flag; UCX tagged. Nobody reads the payload. Put is done "
          "at the target\n"
          "# (UCX: one in flight). Fence: of an RMA window; FSHMEM: the "
          "barrier.")
    print(f"{'# What':<36}{'Unit':<6}" +
          "".join(f"{p.name:>13} " for p in contenders))
    for key, text, unit in rows():
        values = [figure(p, key, unit) for p in contenders]
        there = [v for v in values if v is not None]
        best = (min if unit == US else max)(there, default=None)
        print(f"{text:<36}{unit:<6}" +
              "".join(cell(v, v is not None and v == best) for v in values))


def ratio(value, best, target):
    """Of a figure to the best of others, beside what it may be."""
    if value is None or best is None:
        return f"{'-':>9}      "
    return f"{value / best:9.2f} {'ok' if value <= target * best else 'over':<5}"


def print_collectives(contenders, count):
    """contenders: buffers in the segment, not, and the MPIs."""
    print(f"# Collectives: us from a common start to the last rank's return, "
          f"buffers written anew\n"
          f"# every time; medians over {count} jobs "
          f"({(count + MANY_EVERY - 1) // MANY_EVERY} of 4 and 8 ranks) of "
          f"medians of 20 rounds or more.\n"
          f"# Two ranks on two processors (bound), more unbound. Size: of the "
          f"vector, or of a block.\n"
          f"# Ratio, and that of malloc: to the better of Open MPI and MPICH.")
    print(f"{'# What':<36}{'Unit':<6}" +
          "".join(f"{p.name:>13} " for p in contenders) +
          f"{'Ratio':>9}      {'malloc':>9}")
    for key, text, unit in coll_rows():
        values = [figure(p, key, unit) for p in contenders]
        best = min((v for v in values[2:] if v is not None), default=None)
        ratios = (ratio(v, best, t)
                  for v, t in zip(values, coll_targets(key)))
        print((f"{text:<36}{unit:<6}" + "".join(cell(v, False) for v in values) +
               "".join(ratios)).rstrip())


def print_remarks(contenders):
    for peer in contenders:
        if peer.reason:
            print(f"# {peer.name}: {peer.reason}")
        if peer.remark:
            print(f"# {peer.name}: {peer.remark}")


def write_json(path, contenders, wanted):
    found = [{"what": text, "name": key[0], "ranks": key[1], "bytes": key[2],
              "peer": p.name, "rounds": len(p.samples.get(key, ())),
              "us" if unit == US else "gb_per_s": figure(p, key, unit)}
             for key, text, unit in wanted for p in contenders
             if key[0] not in COLLECTIVES or key in p.samples]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(found, f, indent=1)
        f.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fshperf", required=True)
    parser.add_argument("--build", required=True,
                        help="where the programs of the peers are built")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--limit", type=float, default=limit["seconds"],
                        help="seconds a job may take")
    parser.add_argument("--only", choices=("shapes", "coll"),
                        help="single operations, or collectives")
    parser.add_argument("--json")
    args = parser.parse_args()
    limit["seconds"] = args.limit
    os.makedirs(args.build, exist_ok=True)
    contenders = peers(os.path.abspath(args.fshperf))
    if args.only == "coll":
        contenders = [p for p in contenders if p.collectives]
    for peer in contenders:
        try:
            peer.prepare(args.build)
            peer.ready = True
        except (Failed, OSError) as error:
            peer.reason = str(error)
    fshmem, wanted = contenders[0], []
    if args.only != "coll":
        rounds(contenders, args.rounds)
        print_table(contenders, args.rounds)
        wanted += rows()
    if args.only != "shapes":
        some = [p for p in contenders if p.collectives]
        rounds_of_collectives(some, args.rounds)
        print_collectives([fshmem, fshmem.private, *some[1:]], args.rounds)
        wanted += coll_rows()
    print_remarks(contenders)
    if args.json:
        write_json(args.json, [*contenders, fshmem.private], wanted)
    return 0 if fshmem.samples else 1


if __name__ == "__main__":
    sys.exit(main())
