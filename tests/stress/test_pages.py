#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of segments: whose NUMA node they come from, and huge ones, refused and
asked for, reserved or not."""
import json
import os
import re
import subprocess

from fshjob import (BIN, CLIENT, FSHRUN, TESTS, Job, Skip, check, main, pshm,
                    run)

PAGES = os.path.join(TESTS, "stress_pages")
STAND_IN = os.path.join(TESTS, "stress_hugetlb.so")
MIB = 1 << 20
THP = "/sys/kernel/mm/transparent_hugepage/"
RESERVED = "/sys/kernel/mm/hugepages/hugepages-2048kB/"


def read(path):
    try:
        with open(path, encoding="ascii") as f:
            return f.read().strip()
    except OSError:
        return ""


def chosen(path):
    return (re.findall(r"\[(\w+)\]", read(path)) or [""])[0]


def shared_huge():
    """What the kernel does for shared memory."""
    word = chosen(THP + "hugepages-2048kB/shmem_enabled")
    return chosen(THP + "shmem_enabled") if word in ("", "inherit") else word


def may_advise():
    return shared_huge() not in ("", "never", "deny")


def free_pages():
    return int(read(RESERVED + "free_hugepages") or 0) - \
        int(read(RESERVED + "resv_hugepages") or 0)


def maps(pid):
    """Of the shared object: (address, own?, flags, policy) of each map."""
    policy = dict(re.findall(r"^([0-9a-f]+) (\S+)", read(
        f"/proc/{pid}/numa_maps"), re.M))
    found = []
    for first, name, rest in re.findall(
            r"^([0-9a-f]+)-\S+ \S+ \S+ \S+ \S+ *(.*)\n((?:\w+:.*\n?)+)",
            read(f"/proc/{pid}/smaps"), re.M):
        if "memfd:fshmem shared" in name:
            flags = re.search(r"VmFlags: (.*)", rest)[1].split()
            found.append((first, "dd" not in flags, flags,
                          policy.get(first, "?")))
    return found


def look(*options, env=None, before=(), ranks=2):
    """Maps of the ranks of a job that has touched nothing, and its output."""
    job = Job(*before, FSHRUN, "-v", "-n", ranks, "--conduit", "smp", *options,
              PAGES, 8192, "pause", env=env)
    try:
        job.await_up(ranks)
        return [maps(job.rank_pid(r)) for r in range(ranks)], job.output()
    finally:
        job.close()


def works(output, ranks=2):
    return all(f"rank {r} ok" in output for r in range(ranks))


def nodes():
    return [n for n in os.listdir("/sys/devices/system/node")
            if re.fullmatch(r"node\d+", n)] \
        if os.path.isdir("/sys/devices/system/node") else []


def pages_come_from_home():
    """Whoever touches a segment first: each rank sees that of all segments."""
    if len(os.sched_getaffinity(0)) < 2 or not nodes():
        raise Skip("two processors, and a kernel that knows NUMA, are needed")
    seen, output = look("--bind-to", "core")
    if "ranks are not bound" in output:
        raise Skip("there is no core for each rank")
    for rank in seen:
        policies = [p for *_, p in rank]
        check(sum(p.startswith("prefer") for p in policies) >= 2,
              f"{policies}: {rank}")


def policy_of_the_user_stays():
    if not nodes():
        raise Skip("this kernel knows no NUMA")
    interleave = ("import ctypes, os, sys; ctypes.CDLL(None).syscall(238, 3, "
                  "ctypes.byref(ctypes.c_ulong(1)), 64); "
                  "os.execv(sys.argv[1], sys.argv[1:])")
    if os.uname().machine != "x86_64":
        raise Skip("the number of set_mempolicy is that of x86-64")
    seen, _ = look(before=["python3", "-c", interleave])
    for rank in seen:
        check(len(rank) >= 2 and
              all(p.startswith("interleave") for *_, p in rank), f"{rank}")


def nobody_asks():
    seen, output = look()
    check("HUGEPAGES" not in output and
          not any("hg" in flags for rank in seen for _, _, flags, _ in rank),
          f"{seen} {output!r}")


def advised():
    seen, output = look(env={"FSHMEM_HUGEPAGES": "advise"})
    for rank in seen:
        check(sum("hg" in flags for _, _, flags, _ in rank) >= 2, f"{rank}")
    text = "FSHMEM_HUGEPAGES=advise: the kernel gives shared memory no huge"
    check(output.count(text) == (0 if may_advise() else 1), output)
    if may_advise():
        return
    code, output = run(PAGES, 4096, env=pshm(2, FSHMEM_HUGEPAGES="advise"))
    check(code == 0 and works(output) and output.count(text) == 1, output)


def none_reserved():
    """More than anybody has: said once, with the remedy; the job goes on."""
    size = f"{(free_pages() + 64) * 2}M"
    code, output = run(FSHRUN, "-n", 2, PAGES, 4096, env={
        "FSHMEM_HUGEPAGES": "2M", "FSHMEM_SEGMENT_MAX": size,
        "GASNET_PHYSMEM_NOPROBE": "1"})
    check(code == 0 and works(output), output)
    check(len(re.findall(r"FSHMEM_HUGEPAGES=2M: \d+ reserved pages of 2 MiB are "
                         rf"needed, {free_pages()} are free \(sysctl "
                         r"vm.nr_hugepages\)", output)) == 1, output)
    check(("normal pages" in output) != may_advise(), output)


def refused():
    code, output = run(FSHRUN, "-n", 1, PAGES,
                       env={"FSHMEM_HUGEPAGES": "1G"})
    check(code != 0 and "FSHMEM_HUGEPAGES=1G: expected one of no|advise|2M"
          in output, output)


def reserved():
    if free_pages() < 32:
        raise Skip("32 reserved huge pages are needed (sysctl vm.nr_hugepages)")
    env = {"FSHMEM_HUGEPAGES": "2M", "FSHMEM_SEGMENT_MAX": "16M"}
    code, output = run(FSHRUN, "-n", 2, PAGES, 16384, env=env)
    check(code == 0 and works(output) and "HUGEPAGES" not in output, output)
    seen, _ = look(env=env)
    check(all(len(rank) >= 2 and all("ht" in flags for _, _, flags, _ in rank)
              for rank in seen), f"{seen}")
    before = free_pages()
    code, output = run(FSHRUN, "-n", 2, CLIENT, "limit",
                       env={"FSHMEM_HUGEPAGES": "2M"})
    check(code == 0 and 2 * MIB <= int(output.split()[0]) < before * MIB, output)
    check(free_pages() == before, "all are given back")


def with_a_stand_in():
    """The same with objects that are as particular as those of huge pages."""
    if os.environ.get("FSH_SANITIZE"):
        raise Skip("sanitizers want to be the first library")
    env = {"FSHMEM_HUGEPAGES": "2M", "LD_PRELOAD": STAND_IN,
           "FSHMEM_SEGMENT_MAX": "5M"}
    for ranks in 2, 3:
        code, output = run(FSHRUN, "-n", ranks, PAGES, 5120, env=env)
        check(code == 0 and works(output, ranks) and "HUGEPAGES" not in output,
              output)
    code, output = run(PAGES, 5120, env={**env, **pshm(2)})
    check(code == 0 and works(output), output)
    seen, _ = look(env={**env, "FSHMEM_SEGMENT_MAX": "8M"})
    for rank in seen:
        check(all(int(first, 16) % (2 * MIB) == 0 for first, *_ in rank),
              f"whole pages: {rank}")
        check(any(not own for _, own, *_ in rank), f"others' not dumped: {rank}")
    code, output = run(FSHRUN, "-n", 2, PAGES, 4096,
                       env={**env, "HUGETLB_FREE": "3"})
    check(code == 0 and works(output) and
          " reserved pages of 2 MiB are needed, 3 are free" in output, output)


def reserved_are_no_memory_left():
    """Segments are as large as the pages allow, whatever else is free."""
    if os.environ.get("FSH_SANITIZE"):
        raise Skip("sanitizers want to be the first library")
    env = {"FSHMEM_HUGEPAGES": "2M", "LD_PRELOAD": STAND_IN,
           "HUGETLB_FREE": "200000"}
    for bound, least, most in (({}, 190000, 200000),
                               ({"GASNET_MAX_SEGSIZE": "65M"}, 64, 64),
                               ({"GASNET_PHYSMEM_MAX": "64M"}, 32, 32)):
        code, output = run(FSHRUN, "-n", 2, CLIENT, "limit",
                           env={**env, **bound})
        check(code == 0 and "HUGEPAGES" not in output and
              least * MIB <= int(output.split()[0]) <= most * MIB,
              f"{bound}: {output}")


def limit_on_files():
    """... is said, and no signal."""
    few = ["sh", "-c", 'ulimit -f 4000; exec "$0" "$@"']
    code, output = run(*few, FSHRUN, "-n", 2, PAGES, 64, env={
        "FSHMEM_HUGEPAGES": "2M", "FSHMEM_SEGMENT_MAX": "8M"})
    check(code == 1 and output.count("limit on the size of a file") == 2 and
          output.count("ulimit -f") == 2, f"{code} {output!r}")


def fshinfo_shows_them():
    done = subprocess.run([os.path.join(BIN, "fshinfo"), "--json"],
                          stdout=subprocess.PIPE, check=True)
    host = json.loads(done.stdout)["host"]
    check(host["huge_pages"] == int(read(RESERVED + "nr_hugepages") or 0) and
          host["huge_pages_shared"] == (shared_huge() or "never"), f"{host}")


CASES = [pages_come_from_home, policy_of_the_user_stays, nobody_asks, advised,
         none_reserved, refused, reserved, with_a_stand_in,
         reserved_are_no_memory_left, limit_on_files, fshinfo_shows_them]

if __name__ == "__main__":
    main(CASES)
