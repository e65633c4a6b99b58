# SPDX-License-Identifier: BSD-3-Clause
"""Hosts to try jobs on: network namespaces on a bridge, each with a host name, a
/dev/shm and process numbers of its own. One more, the front host, is where the launcher
is started; it shares only its network and name. Used by test_*.py beside this file."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "stress"))
from fshjob import Failure, Skip, Job, wait_until  # noqa: E402

NETWORK = "10.83.77"
UNSHARE = ["unshare", "--net", "--uts", "--ipc", "--mount"]
# Runs in the namespaces of the host whose name comes first; in place of ssh.
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter -t "$(cat {where}/$host.pid)" -n -u -i -m -p -r -w sh -c "cd {where}; $*"
"""
SETTLE = """
set -e
hostname {name}
mount --make-rprivate /
mount -t tmpfs tmpfs /dev/shm
mount --bind {where}/hosts /etc/hosts
ip link set lo up
{more}
"""


def shell(text, *prefix):
    done = subprocess.run([*prefix, "sh", "-c", text], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{text!r}: {done.stderr.strip()}")
    return done.stdout


def inside(pid):
    """What a command begins with that is to run on the front host."""
    return ["nsenter", "-t", str(pid), "-n", "-u", "-i", "-m"]


class Hosts:
    """n hosts, h1 to hn, and the front host h0."""

    def __init__(self, n):
        self.names = [f"h{i}" for i in range(1, n + 1)]
        self.where = tempfile.mkdtemp(prefix="fsh-hosts-")
        self.procs = {}
        try:
            self.make(n)
        except BaseException:
            self.close()
            raise

    def make(self, n):
        with open(f"{self.where}/hosts", "w", encoding="ascii") as f:
            f.write("127.0.0.1 localhost\n")
            for i in range(n + 1):
                f.write(f"{NETWORK}.{i + 1} h{i}\n")
        self.start("h0", [], f"ip link add eth0 type bridge; "
                   f"ip addr add {NETWORK}.1/24 dev eth0; ip link set eth0 up")
        front = self.procs["h0"].pid
        for i, name in enumerate(self.names, 2):
            # With --fork the process that is seen here is not the host's first.
            self.start(name, ["--pid", "--fork", "--mount-proc",
                              "--kill-child"], "")
            first = self.first(name)
            shell(f"ip link add {name} type veth peer name eth0 netns {first};"
                  f"ip link set {name} master eth0 up", *inside(front))
            shell(f"ip addr add {NETWORK}.{i}/24 dev eth0; "
                  f"ip link set eth0 up", *inside(first))
        agent = f"{self.where}/agent"
        with open(agent, "w", encoding="ascii") as f:
            f.write(AGENT.format(where=self.where))
        os.chmod(agent, 0o755)

    def start(self, name, more, then):
        settle = SETTLE.format(name=name, where=self.where, more=then)
        # It ends with its input: with this script, however that ends.
        self.procs[name] = proc = subprocess.Popen(
            [*UNSHARE, *more, "sh", "-c",
             settle + "echo up; exec cat >/dev/null"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if proc.stdout.readline() != "up\n":
            raise Skip("hosts cannot be made here: "
                       + proc.stderr.read().strip())
        with open(f"{self.where}/{name}.pid", "w", encoding="ascii") as f:
            f.write(str(self.first(name)))

    def first(self, name):
        """The first process of a host, as it is seen from here."""
        pid = self.procs[name].pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return int((f.read().split() or [pid])[0])

    def agent(self):
        return f"{self.where}/agent"

    def front(self, *command):
        """That command, as it is started on the front host."""
        return [*inside(self.procs["h0"].pid), *map(str, command)]

    def on(self, name, *command):
        """That command, as it is started on a host."""
        return [self.agent(), name, *map(str, command)]

    def cut(self, name):
        """Its cable is pulled out."""
        shell(f"ip link set {name} down", *inside(self.procs["h0"].pid))

    def mend(self, name):
        shell(f"ip link set {name} up", *inside(self.procs["h0"].pid))

    def lose(self, name):
        """The host is gone, with all that ran on it, and its cable."""
        self.cut(name)
        os.kill(self.first(name), signal.SIGKILL)

    def close(self):
        for proc in reversed(self.procs.values()):
            proc.kill()
            proc.wait()
            proc.stdin.close()
            proc.stdout.close()
            proc.stderr.close()
        shutil.rmtree(self.where, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def need_root():
    if os.geteuid() != 0:
        raise Skip("only root may make network namespaces")
    for tool in "unshare", "nsenter", "ip":
        if shutil.which(tool) is None:
            raise Skip(f"{tool} is not installed")


class Launcher:
    """One that is installed, over some hosts with so many ranks on each."""

    def __init__(self, name, program, options):
        self.name = name
        self.program = program
        self.options = options

    def command(self, hosts, each, *command):
        return hosts.front(self.program, *self.options(hosts, each), "-n",
                           each * len(hosts.names), *command)


def of_open_mpi(hosts, each):
    slots = ",".join(f"{h}:{each}" for h in hosts.names)
    return ["--allow-run-as-root", "--mca", "plm_rsh_agent", hosts.agent(),
            "--host", slots]


def of_mpich(hosts, each):
    slots = ",".join(f"{h}:{each}" for h in hosts.names)
    return ["-launcher", "ssh", "-launcher-exec", hosts.agent(), "-hosts",
            slots]


def launchers():
    need_root()
    found = [Launcher(*l) for l in (
        ("Open MPI", "mpirun.openmpi", of_open_mpi),
        ("MPICH", "mpiexec.hydra", of_mpich)) if shutil.which(l[1])]
    if not found:
        raise Skip("neither mpirun.openmpi nor mpiexec.hydra is installed")
    return found


def run_over(hosts, launcher, each, *command, env=None, limit=60):
    """(code, output) of a job; nothing is left of it."""
    job = Job(*launcher.command(hosts, each, *command), env=env)
    try:
        return job.await_end(limit), job.output()
    finally:
        job.close()
