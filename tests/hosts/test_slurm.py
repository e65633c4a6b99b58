#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over two hosts by srun, with PMIx and PMI-2, where Slurm is installed: its daemons
are started for the test, on the hosts, and authenticate each other by munge if that is
installed."""
import os
import shutil
import signal
import subprocess

from hosts import Hosts, need_root
from fshjob import (BIN, CLIENT, END_LIMIT, EXIT_JOB, FSHRUN, HAVE_SIM, TESTS, Job, Skip,
                    check, hellos, lines, main, wait_until)

CARDS = {"FSHMEM_CONDUIT": "fpga", "FSHMEM_SIM": os.path.join(BIN, "fshsim")}
STEADY = os.path.join(TESTS, "hosts_steady")

CONFIGURATION = """
ClusterName=fshmem
SlurmctldHost=h0
AuthType=auth/{proof}
CredType=cred/{proof}
{more}
SlurmUser=root
SlurmdUser=root
StateSaveLocation={where}/state
SlurmdSpoolDir={where}/spool.%n
TmpFS={where}/tmp.%n
SlurmctldPidFile={where}/slurmctld.pid
SlurmdPidFile={where}/slurmd.%n.pid
SlurmctldLogFile={where}/slurmctld.log
SlurmdLogFile={where}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName=h[1-2] CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """A cluster of these hosts."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.daemons = []
        self.env = {**os.environ, "SLURM_CONF": f"{hosts.where}/slurm.conf"}
        try:
            self.begin(hosts)
        except BaseException:
            self.close()
            raise

    def begin(self, hosts):
        path = self.env["SLURM_CONF"]
        with open(path, "w", encoding="ascii") as f:
            f.write(CONFIGURATION.format(where=hosts.where,
                                         cpus=os.cpu_count(), **self.proof()))
        for name in "state", "tmp.h1", "tmp.h2":
            os.mkdir(f"{hosts.where}/{name}")
        self.start(hosts.front("slurmctld", "-D"))
        for name in hosts.names:
            self.start(hosts.on(name, "slurmd", "-D", "-N", name))
        wait_until(self.is_up, "the nodes are idle", 30)

    def proof(self):
        """How the daemons know each other. One munged, with a key of its own, serves all hosts:
        what they have in common is its socket."""
        if shutil.which("munged") is None:
            return {"proof": "none", "more": ""}
        where = self.hosts.where
        with open(f"{where}/munge.key", "wb", opener=lambda *a: os.open(*a, 0o600)) as f:
            f.write(os.urandom(128))
        self.start(self.hosts.front(
            "munged", "-F", "--force", f"--key-file={where}/munge.key",
            f"--socket={where}/munge.socket", f"--pid-file={where}/munge.pid",
            f"--log-file={where}/munge.log", f"--seed-file={where}/munge.seed"))
        wait_until(lambda: os.path.exists(f"{where}/munge.socket"), "munged is up", 10)
        return {"proof": "munge", "more": f"AuthInfo=socket={where}/munge.socket"}

    def start(self, command):
        self.daemons.append(subprocess.Popen(
            command, env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def is_up(self):
        done = subprocess.run(
            self.hosts.front("sinfo", "-h", "-t", "idle", "-o", "%D"),
            env=self.env, capture_output=True, text=True, check=False)
        return done.stdout.strip() == "2"

    def run(self, *command, limit=30, env=None):
        job = Job(*self.hosts.front(*command),
                  env={**(env or {}), "SLURM_CONF": self.env["SLURM_CONF"]})
        try:
            return job.await_end(limit), job.output()
        finally:
            job.close()

    def close(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def a_rank_is_killed(slurm):
    """srun alone would let the others go on."""
    job = Job(*slurm.hosts.front("srun", "--mpi=pmix", "-O", "-N", 2, "-n", 4,
                                 STEADY, 60),
              env={"SLURM_CONF": slurm.env["SLURM_CONF"]})
    try:
        job.await_up(4)
        os.kill(job.named(os.path.basename(STEADY))[1], signal.SIGKILL)
        check(job.await_end(END_LIMIT) != 0, "code 0")
    finally:
        job.close()


def jobs_by_srun():
    need_root()
    for tool in "slurmctld", "slurmd", "srun":
        if shutil.which(tool) is None:
            raise Skip(f"{tool} is not installed")
    with Hosts(2) as hosts, Slurm(hosts) as slurm:
        for kind in "pmix", "pmi2":
            srun = ["srun", f"--mpi={kind}", "-O", "-N", 2, "-n", 4]
            code, output = slurm.run(*srun, CLIENT)
            check(code == 0 and lines(output) == hellos(4),
                  f"{kind}: {code} {output}")
            if HAVE_SIM:
                code, output = slurm.run(*srun, CLIENT, limit=60, env=CARDS)
                check(code == 0 and lines(output) == hellos(4),
                      f"{kind}, with cards: {code} {output}")
            for scenario, want in ("return", 5), ("gasnet", 9), ("one-spin", 12):
                code, output = slurm.run(*srun, EXIT_JOB, scenario, want)
                check(code == want, f"{kind}, {scenario}: {code} {output}")
        a_rank_is_killed(slurm)
        code, output = slurm.run("salloc", "-Q", "-O", "-N", 2, FSHRUN, "-n", 2,
                                 CLIENT)
        said = [l for l in lines(output) if l.startswith("hello")]
        check(code == 0 and said == hellos(2) and
              "handing over to Slurm" in output, f"fshrun: {code} {output}")


if __name__ == "__main__":
    main([jobs_by_srun])
