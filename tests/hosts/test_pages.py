#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the user's pages that start jobs over hosts, as they are written there; the
hosts a and b are h1 and h2 here, FILE is one that names them, ./prog says who it is. Those of
srun are tried by test_slurm.py."""
import os
import re

from hosts import Hosts, launchers
from fshjob import BIN, CLIENT, HAVE_SIM, Job, check, hellos, lines, main

PAGES = ["cluster", "conduit-ofi", "conduit-mixed", "conduit-fpga"]
PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "01_user")
# Not installed anywhere here (the page says so), or tried elsewhere.
ELSEWHERE = "prterun", "srun"
LEAST = 7  # commands there are, or they are not found


def commands():
    """Of examples, and between backticks."""
    found = []
    for page in PAGES:
        with open(os.path.join(PLACE, page + ".md"), encoding="utf-8") as f:
            text = f.read()
        for hit in re.finditer(r"^    (.*\./prog)\b.*$|`([^`\n]*\./prog)`", text, re.M):
            command = hit.group(1) or hit.group(2)
            if re.search(r"a:2,b:2|FILE", command):
                found.append(command)
    return sorted(set(found))


def as_here(command, hosts, names):
    for ours, page in zip(hosts.names, ("a", "b")):
        command = re.sub(rf"\b{page}:2\b", f"{ours}:2", command)
    return command.replace("FILE", names).replace("./prog", CLIENT)


def launcher_names(hosts):
    """A directory in which they have the names that the pages call them by."""
    place = os.path.join(hosts.where, "names")
    os.mkdir(place)
    tried = {"Open MPI": "mpirun", "MPICH": "mpiexec"}
    for launcher in launchers():
        with open(os.path.join(place, tried[launcher.name]), "w", encoding="ascii") as f:
            f.write(f'#!/bin/sh\nexec {launcher.program} "$@"\n')
        os.chmod(f.name, 0o755)
    return place


def as_written():
    there = commands()
    check(len(there) >= LEAST, f"commands: {there}")
    tried = 0
    with Hosts(2) as hosts:
        names = os.path.join(hosts.where, "list")
        with open(names, "w", encoding="ascii") as f:
            f.write("h1:2\nh2 slots=2\n")
        place = launcher_names(hosts)
        env = {"PATH": f"{place}:{BIN}:{os.environ['PATH']}",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_plm_rsh_agent": hosts.agent(), "HYDRA_LAUNCHER": "ssh",
               "HYDRA_LAUNCHER_EXEC": hosts.agent(), "GASNET_QUIET": "1"}
        for command in there:
            words = command.split()
            if any(tool in words for tool in ELSEWHERE) or \
                    any(tool in words and not os.path.exists(os.path.join(place, tool))
                        for tool in ("mpirun", "mpiexec")) or \
                    (re.search("fpga|mixed|cards|CARDS", command) and not HAVE_SIM):
                continue
            job = Job(*hosts.front("sh", "-c", as_here(command, hosts, names)), env=env)
            try:
                code = job.await_end(60)
                said = [l for l in lines(job.output()) if re.match(r"hello \d", l)]
                check(code == 0 and said == hellos(4), f"{command}: {code} {job.output()}")
                tried += 1
            finally:
                job.close()
    check(tried, f"none of {there}")
    return f"ok, {tried} of {len(there)}"


if __name__ == "__main__":
    main([as_written])
