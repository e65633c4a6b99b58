#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a job takes of the machine, and what it makes of limits to that: memory,
control groups, settings, the affinity mask."""
import json
import os
import re
import subprocess
import time

from fshjob import (BIN, CLIENT, FSHRUN, HAVE_SIM, Job, check, hellos, lines,
                    main, run, wait_until)


def rank_memory():
    """128 ranks: at most 16 KiB an ordered pair and 4 MiB a rank, in 10 s."""
    n = 128
    start = time.monotonic()
    code, output = run(FSHRUN, "-n", n, CLIENT)
    took = time.monotonic() - start
    check(code == 0 and lines(output) == hellos(n), output[-300:])
    check(took < 10, f"{n} ranks took {took:.1f} s")
    job = Job(FSHRUN, "-n", n, CLIENT, "pause")
    try:
        wait_until(lambda: job.output().count("up ") == n, "all up", 30)
        total = sum(pss_kib(pid) for pid in job.pids())
        limit = 16 * n * (n - 1) + 4096 * n
        check(total < limit, f"{total} KiB, limit {limit}")
        job.proc.terminate()
        job.await_end()
    finally:
        job.close()
    return f"start {took:.1f} s, {total >> 10} MiB of {limit >> 10}"


def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M).group(1))
    except OSError:
        return 0


def cgroup_for(value, *files):
    """A control group of this test's own, or None."""
    for path in files:
        root, name = os.path.split(path)
        place = os.path.join(root, f"fshmem-test-{os.getpid()}")
        try:
            os.mkdir(place)
            with open(os.path.join(place, name), "w") as f:
                f.write(str(value))
            return place
        except OSError:
            if os.path.isdir(place):
                os.rmdir(place)
    return None


def memory_limit_is_reported():
    """Said at attach, and when it bites."""
    place = cgroup_for(200 << 20,
                       "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                       "/sys/fs/cgroup/memory.max")
    if not place:
        return "skipped: no memory cgroup can be made here"
    enter = f"echo $$ > {place}/cgroup.procs; exec "
    env = {"FSHMEM_SEGMENT_MAX": "200M", "GASNET_PHYSMEM_NOPROBE": "1",
           "TEST_SEGMENT_KB": "204800"}
    try:
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT} grow",
                           env=env)
        check(code == 137 and "memory has run out (memory limit of the cgroup, "
              "200 MiB); 2 ranks with 200 MiB of segment" in output,
              f"{code} {output!r}")
        env["FSHMEM_SEGMENT_MAX"] = "90M"
        env["TEST_SEGMENT_KB"] = "92160"
        del env["GASNET_PHYSMEM_NOPROBE"]
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT}",
                           env=env)
        check(code == 0 and "segments" not in output, f"{code} {output!r}")
        env["FSHMEM_SEGMENT_MAX"] = "200M"
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT}",
                           env=env)
        check(code == 1 and "asked for 200 MiB a rank" in output and
              "memory limit of the cgroup" in output, f"{code} {output!r}")
        del env["FSHMEM_SEGMENT_MAX"], env["TEST_SEGMENT_KB"]
        code, output = run("sh", "-c", f"{enter} {FSHRUN} -n 2 {CLIENT} limit",
                           env=env)
        share = int(output.split()[0]) if code == 0 else 0
        check(60 << 20 < share <= 85 << 20, f"the default: {code} {output!r}")
    finally:
        wait_until(lambda: not gone(place), "the cgroup", 5)
    return None


def gone(place):
    try:
        os.rmdir(place)
    except OSError:
        return True
    return False


def memory_settings():
    """GASNET_MAX_SEGSIZE bounds, memory grants; GASNET_PHYSMEM_MAX bounds."""
    def limit(ranks, **env):
        code, output = run(FSHRUN, "-n", ranks, CLIENT, "limit", env=env)
        sizes = set(output.split())
        check(code == 0 and len(sizes) == 1, f"{env}: {code} {output!r}")
        return int(sizes.pop())

    mib = 1 << 20
    check(limit(2, GASNET_MAX_SEGSIZE="3M") == 3 * mib, "3M")
    check(limit(2, GASNET_MAX_SEGSIZE="3 MB/P") == 3 * mib, "3 MB/P")
    check(limit(3, GASNET_MAX_SEGSIZE="12MB/H") == 4 * mib, "12MB/H")
    check(limit(2, GASNET_MAX_SEGSIZE="8T") < 8 << 40, "8T is granted")
    check(limit(1, GASNET_MAX_SEGSIZE="8T") > limit(4, GASNET_MAX_SEGSIZE="8T"),
          "what memory allows does not depend on the ranks")
    check(limit(2, GASNET_MAX_SEGSIZE="8T", GASNET_PHYSMEM_MAX="64M") ==
          32 * mib, "GASNET_PHYSMEM_MAX=64M")
    half = limit(1, GASNET_MAX_SEGSIZE="1/64")
    check(abs(half - 2 * limit(1, GASNET_MAX_SEGSIZE="0.0078125")) <= 8192,
          "fractions")
    # Nobody asks: 85 % of what is left, but what the process can have and
    # commands can address.
    share = limit(2, GASNET_PHYSMEM_MAX="4G")
    check(0 <= 4 * 1024 * mib // 2 * 0.85 - share < 2 * 4096, f"default {share}")
    check(limit(2, GASNET_MAX_SEGSIZE="8T", GASNET_PHYSMEM_NOPROBE="1") ==
          255 * 1024 * mib, "what commands can address")
    for ulimit in "-f 300000", "-v 2000000":
        code, output = run("bash", "-c", f"ulimit {ulimit}; exec {FSHRUN} -n 2 "
                           f"{CLIENT} limit")
        check(code == 0 and 100 * mib < int(output.split()[0]) < 1000 * mib,
              f"ulimit {ulimit}: {code} {output!r}")
    check(limit(2, FSHMEM_SEGMENT_MAX="5M", GASNET_MAX_SEGSIZE="3M") == 5 * mib,
          "FSHMEM_SEGMENT_MAX takes precedence")


def processors_are_counted():
    """The affinity mask, and the quota of the control group."""
    def cpus(*before):
        done = subprocess.run([*before, os.path.join(BIN, "fshinfo"), "--json"],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["host"]["cpus"]

    check(cpus("taskset", "-c", "0") == 1, "affinity")
    place = cgroup_for(50000, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                       "/sys/fs/cgroup/cpu.max")
    if not place:
        return "the quota skipped: no control group can be made here"
    try:
        check(cpus("sh", "-c", f'echo $$ > {place}/cgroup.procs; exec "$@"',
                   "sh") == 1, "quota")
    finally:
        wait_until(lambda: not gone(place), "the control group", 5)
    return None


def heap_of_a_gibibyte():
    """What programs ask for is there without a setting."""
    done = subprocess.run([os.path.join(BIN, "fshinfo"), "--json"],
                          stdout=subprocess.PIPE, check=True)
    if json.loads(done.stdout)["host"]["memory_available"] < 2 << 30:
        return "skipped: less than 2 GiB of memory are left"
    for conduit in ["smp", "fpga"] if HAVE_SIM else ["smp"]:
        code, output = run(FSHRUN, "-n", 1, "--conduit", conduit, CLIENT,
                           env={"TEST_SEGMENT_KB": str(1 << 20)})
        check(code == 0 and "hello" in output, f"{conduit}: {code} {output!r}")
    return None


def segments_stay_small():
    """Mapped is what is attached, a core file has one's own, and memory is taken
    by what is touched."""
    code, output = run(FSHRUN, "-n", 3, CLIENT, "maps",
                       env={"TEST_SEGMENT_KB": "65536",
                            "FSHMEM_SEGMENT_MAX": "2G",
                            "GASNET_PHYSMEM_NOPROBE": "1"})
    check(code == 0, f"{code} {output!r}")
    for rank in range(3):
        said = re.search(rf"rank {rank} maps (\d+) kB, dumps (\d+), has (\d+) "
                         r"and tables of (\d+)", output)
        check(said, f"rank {rank}: {output!r}")
        maps, dumps, has, tables = (int(g) for g in said.groups())
        check(3 * 65536 <= maps < 3 * 65536 + (32 << 10), f"maps {maps} kB")
        check(65536 <= dumps < 65536 + (32 << 10), f"dumps {dumps} kB")
        check(has < 16 << 10 and tables < 1 << 10,
              f"resident {has} kB, page tables {tables} kB")


CASES = [rank_memory, memory_limit_is_reported, memory_settings,
         heap_of_a_gibibyte, segments_stay_small,
         processors_are_counted]

if __name__ == "__main__":
    main(CASES)
