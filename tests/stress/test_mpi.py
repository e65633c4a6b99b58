#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The launchers of MPI themselves, where they are installed, and a program that
uses MPI beside GASNet."""
import os
import shutil
import subprocess
import tempfile

from fshjob import (BIN, CLIENT, EXIT_JOB, FPGA, HAVE_SIM, STATUS_STAYS, Job,
                    Skip, check, hellos, lines, main, run)


HERE = os.path.dirname(os.path.abspath(__file__))


MPIS = [
    ("Open MPI", "mpirun.openmpi", "mpicc.openmpi",
     ["--allow-run-as-root", "--oversubscribe"]),
    ("MPICH", "mpiexec.hydra", "mpicc.mpich", []),
]


def each_mpi():
    found = [m for m in MPIS if shutil.which(m[1])]
    if not found:
        raise Skip("neither mpirun.openmpi nor mpiexec.hydra is installed")
    for name, launcher, compiler, options in found:
        yield name, [launcher, *options], compiler


def mpi_launchers():
    seen = []
    for name, launcher, _ in each_mpi():
        code, output = run(*launcher, "-n", 4, CLIENT)
        check(code == 0 and lines(output) == hellos(4),
              f"{name}: {code} {output!r}")
        for scenario, want in ((["return", 5], 5), (["gasnet", 9], 9),
                               (["one-spin", 12], 12), (["quick-exit", 18], 18),
                               (["one-return", 16], 16)):
            code, output = run(*launcher, "-n", 3, EXIT_JOB, *scenario)
            if name == "MPICH" and scenario[0] == "quick-exit" and \
                    not STATUS_STAYS and code & 1:
                want |= 1  # mpiexec merges the codes of all
            check(code == want, f"{name}: {scenario}: {code} {output!r}")
        if HAVE_SIM:
            code, output = run(*launcher, "-n", 2, CLIENT, env=FPGA)
            check(code == 0 and lines(output) == hellos(2),
                  f"{name}, fpga: {code} {output!r}")
        seen.append(name)
    return f"ok with {', '.join(seen)}"


def mpi_launcher_is_killed():
    for name, launcher, _ in each_mpi():
        job = Job(*launcher, "-n", 2, CLIENT, "spin")
        try:
            job.await_up(2)
            job.proc.kill()
            check(job.await_end() == 137, name)
        finally:
            job.close()


def mpi_in_the_same_process():
    """MPI_Init before and after gasnet_init, phases of both in turn."""
    library = os.path.join(BIN, "..", "lib", "libfshmem.a")
    if os.environ.get("FSH_SANITIZE") or not os.path.exists(library):
        return "skipped: no plain static library"
    include = os.path.join(HERE, "..", "..", "include")
    seen = []
    for name, launcher, compiler in each_mpi():
        if not shutil.which(compiler):
            continue
        with tempfile.TemporaryDirectory() as place:
            program = os.path.join(place, "mpi_client")
            subprocess.run([compiler, "-std=gnu17", "-O1", "-DGASNET_PAR=1",
                            "-DGASNET_CONDUIT_SMP=1",
                            "-o", program, os.path.join(HERE, "mpi",
                                                        "mpi_client.c"),
                            "-I", include, library, "-lpthread", "-lrt", "-lm",
                            "-ldl"], check=True)
            for order in "first", "last":
                code, output = run(*launcher, "-n", 3, program, order)
                check(code == 0 and all(f"mpi {r} of 3" in output
                                        for r in range(3)),
                      f"{name}, {order}: {code} {output!r}")
        seen.append(name)
    return f"ok with {', '.join(seen)}" if seen else \
        "skipped: no MPI compiler is installed"


CASES = [mpi_launchers, mpi_launcher_is_killed, mpi_in_the_same_process]

if __name__ == "__main__":
    main(CASES)
