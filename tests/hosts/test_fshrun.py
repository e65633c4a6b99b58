#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshrun with hosts: which launcher it hands over to, and that the job then runs."""
import os
import tempfile

from hosts import Hosts, launchers
from fshjob import CLIENT, FSHRUN, Job, check, hellos, lines, main, run


def only(directory, *names):
    """A PATH in which these launchers are, which do nothing."""
    for name in names:
        path = os.path.join(directory, name)
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\nexit 0\n")
        os.chmod(path, 0o755)
    return {"PATH": directory}


def shown(env, *options):
    code, output = run(FSHRUN, "-t", "-n", 4, *options, CLIENT, "a", env=env)
    check(code == 0, f"{options}: {code} {output}")
    return output


def the_best_is_chosen():
    slurm = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2"}
    with tempfile.TemporaryDirectory() as place:
        env = only(place, "mpiexec.hydra")
        text = shown(env, "-H", "a:2,b:2")
        check(f"mpiexec.hydra -n 4 -hosts a:2,b:2 {CLIENT} a" in text, text)
        only(place, "mpirun.openmpi")
        text = shown({**env, "FSHMEM_HOST_TIMEOUT": "9"}, "-H", "a:2,b")
        check("mpirun.openmpi -n 4 --oversubscribe" in text and
              "--host a:2,b " in text and "-x FSHMEM_HOST_TIMEOUT" in text,
              text)
        text = shown(env, "-H", "a:2,b", "--cards", "2")
        check("-x FSHMEM_CARDS" in text and "-x FSHMEM_CONDUIT" in text, text)
        text = shown(env, "-H", "a:2,b", "--conduit", "fpga", "--clock", "simulated",
                     "--topology", "line")
        for setting in "CONDUIT", "CLOCK", "TOPOLOGY":
            check(f"-x FSHMEM_{setting}" in text, text)
        only(place, "srun")
        check("mpirun.openmpi" in shown(env, "-H", "a,b"), "srun outside")
        text = shown({**env, **slurm})
        check("srun -n 4 --mpi=pmix " + CLIENT in text, text)
        text = shown({**env, **slurm}, "--host", "a:2,b")
        check("-w a,b " in text, text)
        for local in {"SLURM_STEP_ID": "0"}, {"FSHMEM_CONDUIT": "smp"}:
            check("conduit smp" in shown({**env, **slurm, **local}), "a step")


def files_of_hosts():
    with tempfile.TemporaryDirectory() as place:
        env = only(place, "mpiexec.hydra")
        names = os.path.join(place, "names")
        with open(names, "w", encoding="ascii") as f:
            f.write("# two\na slots=3\n  b:1 # last\n\n")
        check("-hosts a:3,b:1 " in shown(env, "--hostfile", names), "hostfile")
        with open(names, "w", encoding="ascii") as f:
            f.write("a\na\nb\nb\n")
        pbs = {"PBS_JOBID": "1", "PBS_NODEFILE": names}
        check("-hosts a:2,b:2 " in shown({**env, **pbs}), "PBS")
        for options, text in ((["-H", "a:x"], "expected a host"),
                              (["-H", ""], "no host"),
                              (["-H", "a", "--conduit", "smp"], "one host"),
                              (["-H", "a", "--timeout", "3"], "--timeout"),
                              (["-H", "a", "--clock", "simulated"], "--clock: not in"),
                              (["-H", "a", "--conduit", "fpga", "--record", "f"],
                               "--record: not in"),
                              (["--hostfile", place + "/no"], "cannot read")):
            code, output = run(FSHRUN, "-n", 2, *options, CLIENT, env=env)
            check(code == 2 and text in output, f"{options}: {code} {output}")
        code, output = run(FSHRUN, "-n", 2, "-H", "a", CLIENT,
                           env={"PATH": place + "/none"})
        check(code == 127 and "none is in PATH" in output, output)


def a_job_runs():
    env = {}
    with Hosts(2) as hosts:
        best = launchers()[0]
        env = {"OMPI_MCA_plm_rsh_agent": hosts.agent(),
               "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": hosts.agent()}
        job = Job(*hosts.front(FSHRUN, "-n", 4, "-H", "h1:2,h2:2", CLIENT),
                  env=env)
        try:
            code = job.await_end(30)
            output = job.output()
        finally:
            job.close()
    said = [l for l in lines(output) if "hello" in l and "over" not in l]
    check(code == 0 and said == hellos(4) and
          f"handing over to {best.name}" in output, f"{code} {output}")


if __name__ == "__main__":
    main([the_best_is_chosen, files_of_hosts, a_job_runs])
