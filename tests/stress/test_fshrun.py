#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What fshrun promises besides surviving kills: exit codes, messages, output,
input, environment, time limits, dry run; and boot's barrier and exchange."""
import json
import os
import re
import signal
import stat
import subprocess
import tempfile
import time

from fshjob import (BIN, CLIENT, FSHRUN, HAVE_SIM, RANKS, Job, check, main,
                    run, wait_until)


# For shell scripts whose rank 0 is given another standard input.
IF_NOT_RANK_0 = '[ "$(readlink /proc/$$/fd/0)" = /dev/null ] &&'


def expect(command, code, *texts, env=None, limit=60):
    got, output = run(FSHRUN, *command, env=env, limit=limit)
    check(got == code, f"{command}: code {got}, not {code}: {output!r}")
    for text in texts:
        check(text in output, f"{command}: no '{text}' in {output!r}")
    return output


def exchange():
    for n in 1, 2, 3, 16:
        output = expect(["-n", n, RANKS], 0)
        check(output.count("ok ") == n, f"{n} ranks: {output!r}")


def exchange_many():
    """Far more ranks than processors."""
    start = time.monotonic()
    expect(["-n", 64, RANKS], 0)
    check(time.monotonic() - start < 30, "64 ranks took over 30 s")


def exchange_fpga():
    expect(["-np", 2, "--conduit", "fpga", RANKS], 0, "ok 1 of 2")


def topology_of_a_job():
    """It is said, and a cable file is read once, before the program runs."""
    fpga = ["-v", "--conduit", "fpga"]
    expect([*fpga, "-n", 2, RANKS], 0, "2 nodes, topology ring (default)\n")
    with tempfile.TemporaryDirectory() as place:
        name = os.path.join(place, "with, comma")
        with open(name, "w", encoding="utf-8") as f:
            f.write("0 - 2\n2 - 1\n")
        program = os.path.join(place, "program")
        with open(program, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\nrm -f '{name}'\nexec {RANKS}\n")
        os.chmod(program, 0o755)
        expect([*fpga, "-n", 3, "--topology", "file:" + name, program], 0,
               f"3 nodes, topology file:{name}\n", "ok 2 of 3")
    # A program that is started by hand is refused by itself.
    code, output = run(RANKS, env={"FSHMEM_CONDUIT": "fpga",
                                   "FSHMEM_TOPOLOGY": "torus:4x4"})
    check(code == 1 and "FSHMEM_TOPOLOGY=torus:4x4: it has 16 nodes, the job 1"
          in output, f"{code} {output!r}")


def children_are_no_ranks():
    expect(["-n", 2, RANKS, "child"], 0, "child ok 1 of 2")
    expect(["-n", 2, RANKS, "fork"], 0, "fork ok 1 of 2")


def memory_keeps_its_size():
    expect(["-n", 2, RANKS, "seals"], 0, "sealed 1 of 2")


def exit_codes():
    for how, code in (("exit_job", 5), ("_exit", 7), ("leave", 3)):
        expect(["-n", 3, RANKS, how, code, 1], code, limit=5)
    expect(["-n", 3, RANKS, "exit_job", 0, 1], 0, limit=5)
    expect(["-n", 3, RANKS, "exit_job", 0, 0, "barrier"], 0, limit=5)
    expect(["-n", 3, RANKS, "exit_job", 0, 0, "wait"], 0, limit=5)
    expect(["-n", 3, RANKS, "exit_job", 258, 1], 2, limit=5)
    expect(["-n", 3, RANKS, "fatal", 0, 1], 1, "rank 1: deliberate failure",
           limit=5)
    expect(["-n", 2, "true"], 0)
    expect(["-n", 2, "false"], 1, "before gasnet_init")


def failure_is_said_once():
    output = expect(["-n", 4, RANKS, "fatal", 0, 1, "barrier"], 1)
    lines = [l for l in output.splitlines() if not l.startswith("up ")]
    check(lines == ["fshmem: rank 1: deliberate failure"], repr(lines))


def end_of_a_rank_is_said():
    """One line: rank, process, host, code or signal, and who waits for what."""
    host = re.escape(os.uname().nodename)
    for what, said in (("_exit 7", "ended with code 7"),
                       ("exit_job 5", "left with code 5"),
                       ("leave 3", "left with code 3"),
                       ("raise 9", r"was killed by signal 9 \(Killed\)")):
        for ranks in 1, 3:
            command = ["-n", ranks, RANKS, *what.split(), 0]
            _, output = run(FSHRUN, *command, limit=5)
            lines = [l for l in output.splitlines() if not l.startswith("up ")]
            check(len(lines) == 1 and re.fullmatch(
                rf"fshrun: rank 0 \(pid \d+, host {host}\) {said}; "
                "ending the job(; waiting: .*)?", lines[0]), f"{command}: {output!r}")
            _, output = run(FSHRUN, "-q", *command, limit=5)
            check(all(l.startswith("up ") for l in output.splitlines()),
                  f"-q: {output!r}")
    expect(["-n", 3, RANKS, "exit_job", 0, 1], 0, limit=5)
    # The waiting rank is known before the other ends: it spins until told to.
    job = Job(FSHRUN, "-v", "-n", 3, RANKS, "none", 0, 2, "barrier")
    try:
        job.await_up(3)
        seen = "rank 0 (pid {0}): has called gasnet_init, waiting for the one"
        wait_until(lambda: dumped(job, seen.format(job.rank_pid(0))), "a wait")
        os.kill(job.rank_pid(2), signal.SIGKILL)
        check(job.await_end() == 137, job.output())
        check("(Killed); ending the job; waiting: rank 0 for the one that never "
              "comes" in job.output(), job.output())
    finally:
        job.close()


def dumped(job, text):
    job.proc.send_signal(signal.SIGUSR1)
    time.sleep(0.05)
    return text in job.output()


def a_code_is_never_hidden():
    """The first that is not 0 counts, also after gasnet_exit(0)."""
    for command in (["exit_then_quit", 4], ["exit_then_quick", 4]):
        code, output = run(FSHRUN, "-n", 3, CLIENT, *command, limit=10)
        check(code == 4, f"{command}: {code} {output!r}")
    code, output = run(FSHRUN, "-n", 3, CLIENT, "exit_then_crash", limit=10)
    check(code == 134 and "signal 6" in output, f"{code} {output!r}")


def program_cannot_run():
    expect(["-n", 2, "./no-such-program"], 127, "No such file")
    expect(["-n", 2, "no-such-program"], 127, "not found in PATH")
    expect(["-n", 2, "/dev/null"], 126)
    expect(["-n", 2, "/"], 126, "directory")
    with tempfile.NamedTemporaryFile("w", delete=False) as f:
        f.write("echo no first line\n")
    try:
        expect(["-n", 2, f.name], 126, "not executable")
        os.chmod(f.name, stat.S_IRWXU)
        expect(["-n", 2, f.name], 126, "#!")
    finally:
        os.unlink(f.name)


def wrong_use():
    expect(["-n", 0, "true"], 2, "-n 0: conduit smp takes 1 to 1024")
    expect(["-n", 1025, "true"], 2, "1 to 1024")
    expect(["-n", "two", "true"], 2, "-n two")
    expect(["-n", "-3", "true"], 2, "-n -3")
    expect(["-n", 2], 2, "no program")
    expect(["true"], 2, "-n N")
    expect(["-n", 2, "--conduit", "tcp", "true"], 2, "unknown conduit 'tcp'",
           "smp: usable")
    expect(["-n", 2, "--timeout", "x", "true"], 2, "--timeout x")
    expect(["-n", 2, "--timeout", "-1", "true"], 2, "--timeout -1")
    expect(["-n", 2, "--nonsense", "true"], 2, "--nonsense")
    expect(["-n", 2, "true"], 1, "FSHMEM_PACKET=300", "128|256|512|1024",
           env={"FSHMEM_PACKET": "300"})
    expect(["-n", 2, "true"], 1, "FSHMEM_DRAM=much",
           env={"FSHMEM_DRAM": "much"})
    expect(["-n", 99999999999, "true"], 2, "1 to 1024", "fpga: 64")
    for option, value in (("--waves", "w.fst"), ("--record", "r"),
                          ("--dram", "1G"), ("--packet", "256"),
                          ("--topology", "line")):
        expect(["-n", 2, "--conduit", "smp", option, value, "true"], 2,
               f"{option} is for conduit fpga, but this job is for smp")
    if HAVE_SIM:
        expect(["-n", 2, "--conduit", "fpga", "--segment-max", "1G", "true"],
               2, "--segment-max is for conduit smp")
        expect(["-n", 2, "--conduit", "fpga", "--packet", 300, "true"], 2,
               "--packet 300: expected one of 128|256|512|1024")
        expect(["-n", 65, "--conduit", "fpga", "true"], 2, "1 to 64")


def unknown_setting():
    output = expect(["-n", 3, RANKS], 0, env={"FSHMEM_TOPOLGY": "ring"})
    check(output.count("did you mean FSHMEM_TOPOLOGY?") == 1, output)


def quiet():
    """Advice is left out, failures are not."""
    env = {"FSHMEM_TOPOLGY": "ring", "GASNET_QUIET": "1"}
    output = expect(["-n", 1, "-x", "NOT_THERE_AT_ALL", RANKS], 0, env=env)
    check(sorted(l.split()[0] for l in output.splitlines()) == ["ok", "up"],
          repr(output))
    expect(["-n", 2, RANKS, "fatal", 0, 1], 1, "rank 1: deliberate failure",
           env=env)


def backtrace():
    """Once, of the rank that fails; a crash keeps its exit code."""
    env = {"GASNET_BACKTRACE": "1"}
    frame = rf"{os.path.basename(RANKS)}\(.*\[0x[0-9a-f]+\]"
    output = expect(["-n", 3, RANKS, "fatal", 0, 1], 1, env=env)
    said = [line for line in output.splitlines() if line.startswith("fshmem")]
    check(len(said) == 2 and said[0].endswith("rank 1: deliberate failure") and
          "rank 1: backtrace of process" in said[1], repr(output))
    check(output.count("backtrace of") == 1, repr(output))
    check(len(re.findall(frame, output)) >= 3, repr(output))
    output = expect(["-n", 2, RANKS, "raise", 6, 1], 134,
                    "rank 1: signal 6 (Abort", "rank 1: backtrace", env=env)
    check(len(re.findall(frame, output)) >= 3, repr(output))
    for env in {}, {"GASNET_BACKTRACE": "0"}:
        output = expect(["-n", 2, RANKS, "raise", 6, 1], 134, env=env)
        check("backtrace" not in output, repr(output))
    output = expect(["-n", 2, RANKS, "raise", 6, 1], 134,
                    env={"GASNET_BACKTRACE": "1", "GASNET_NO_CATCH_SIGNAL": "1"})
    check("backtrace" not in output, repr(output))


def memory_is_compared():
    expect(["-n", 64, "--segment-max", "255G", "true"], 1, "255 GiB a rank",
           "16 TiB for 64 ranks", "FSHMEM_SEGMENT_MAX", "GASNET_PHYSMEM_NOPROBE")
    expect(["-n", 2, RANKS], 0, env={"FSHMEM_SEGMENT_MAX": "255G",
                                     "GASNET_PHYSMEM_NOPROBE": "1"})
    # What commands can address, and what each rank can map.
    expect(["-n", 2, "--segment-max", "256G", "true"], 2, "from 4K to 255G")
    expect(["-n", 300, "true"], 1, "each rank maps all segments",
           "75 TiB for 300 ranks", "ask for less with FSHMEM_SEGMENT_MAX",
           env={"FSHMEM_SEGMENT_MAX": "255G", "GASNET_PHYSMEM_NOPROBE": "1"})
    expect(["-n", 2, "true"], 1, "8 GiB a rank", "GASNET_PHYSMEM_MAX",
           env={"FSHMEM_SEGMENT_MAX": "8G", "GASNET_PHYSMEM_MAX": "1 GB"})
    for text in ("much", "2/1", "1/0", "-1", "0", "0.5/X", "3.5", "inf/inf",
                 "1/H", "1 0M", "0" * 61 + "64M", "-1/-2"):
        expect(["-n", 2, "true"], int(text != "3.5"),
               *[f"GASNET_MAX_SEGSIZE={text}: expected bytes"] *
               (text != "3.5"), env={"GASNET_MAX_SEGSIZE": text})


def file_size_limit():
    """ftruncate over the limit would be a signal, not an error. A segment that
    nobody asked for is one that fits."""
    code, output = run("bash", "-c", f"ulimit -f 100000; {FSHRUN} -n 2 "
                       "--segment-max 100M true")
    check(code == 1 and "ulimit -f" in output, f"{code} {output!r}")
    code, output = run("bash", "-c", f"ulimit -f 100000; {FSHRUN} -n 2 {RANKS}")
    check(code == 0, f"{code} {output!r}")


def time_limit():
    start = time.monotonic()
    expect(["-n", 3, "--timeout", 1, RANKS, "none", 0, 9], 124,
           "time limit of 1 s", "state after 1.", "rank 2 (pid")
    check(time.monotonic() - start < 6, "too late")
    expect(["-n", 2, "--timeout", 0.5, "sleep", 100], 124,
           "has not called gasnet_init")


def late_rank_is_named():
    expect(["-n", 3, RANKS, "late", 0, 1], 1, "start: not all ranks arrived "
           "within 1 s (FSHMEM_START_TIMEOUT); missing: rank 1",
           env={"FSHMEM_START_TIMEOUT": "1"})


def missing_rank_is_named():
    """One ends without a word, others wait for it: no time limit needed."""
    script = f"{IF_NOT_RANK_0} exit 0; exec {RANKS}"
    with open("/dev/zero", "rb") as zero:
        code, output = run(FSHRUN, "-n", 2, "sh", "-c", script, stdin=zero,
                           limit=10)
    check(code == 1 and "missing: rank 1" in output, f"{code} {output!r}")


def left_behind():
    env = {"FSHMEM_LEAVE_TIMEOUT": "0.5"}
    expect(["-n", 3, RANKS, "leave", 0, 0], 123, "rank 0 has ended",
           "FSHMEM_LEAVE_TIMEOUT", "rank 2 (pid", env=env)
    expect(["-n", 3, RANKS, "leave", 0, 0, "barrier"], 1,
           "missing: rank 0", env=env)


def state_on_request():
    job = Job(FSHRUN, "-n", 2, RANKS, "none", 0, 9)
    try:
        job.await_up(2)
        job.proc.send_signal(signal.SIGUSR1)
        wait_until(lambda: "rank 1 (pid" in job.output(), "the dump")
        check(job.proc.poll() is None, "the job ended")
        job.proc.terminate()
        check(job.await_end() == 143, "code")
    finally:
        job.close()


def state_of_a_stopped_simulator():
    """... is not that it is ready."""
    job = Job(FSHRUN, "-n", 2, "--conduit", "fpga", RANKS, "none", 0, 9)
    try:
        job.await_up(2)
        pid = job.named("fshsim")[0]
        for sig, state in ((signal.SIGSTOP, "stopped"),
                           (signal.SIGCONT, "(asleep|on a processor)")):
            os.kill(pid, sig)
            seen = re.compile(rf"simulator \(pid {pid}\): ready \({state}, ")
            before = len(job.output())
            wait_until(lambda: dumped(job, "") and
                       seen.search(job.output()[before:]), state)
        job.proc.terminate()
        check(job.await_end() == 143, "code")
    finally:
        job.close()


def output_is_byte_exact():
    data = os.urandom(300000)
    for n in 1, 3:  # ranks but the first read an empty input
        done = subprocess.run([FSHRUN, "-n", str(n), "cat"], input=data,
                              stdout=subprocess.PIPE, timeout=60, check=False)
        check(done.returncode == 0 and done.stdout == data, f"{n} ranks")


def output_is_tagged():
    script = "printf 'one\\ntwo\\n'; printf three >&2"
    output = expect(["-n", 3, "--tag-output", "sh", "-c", script], 0)
    lines = sorted(output.splitlines())
    want = sorted(f"[{r}] {w}" for r in range(3)
                  for w in ("one", "two", "three"))
    check(lines == want, repr(lines))


def tagged_lines_are_whole():
    """Long lines in small writes from many ranks never mix."""
    script = 'i=0; while [ $i -lt 200 ]; do printf "%s-%s" abcdefgh ' \
             'ijklmnop; echo "-$i"; i=$((i+1)); done'
    output = expect(["-n", 4, "--tag-output", "sh", "-c", script], 0)
    lines = output.splitlines()
    good = [l for l in lines if re.fullmatch(r"\[\d] abcdefgh-ijklmnop-\d+", l)]
    # A part older than 100 ms may go out alone; none may carry two tags.
    check(all(l.count("[") == 1 for l in lines), "mixed lines")
    check(len(good) >= 700, f"only {len(good)} whole lines of 800")
    text = "".join(re.sub(r"^\[0] ", "", l) for l in lines
                   if l.startswith("[0] "))
    check(text == "".join(f"abcdefgh-ijklmnop-{i}" for i in range(200)),
          "rank 0's text is not what it wrote")


def tagged_partial_line():
    """A prompt without a newline shows while the rank waits."""
    job = Job(FSHRUN, "-n", 1, "--tag-output", "sh", "-c",
              "printf prompt; sleep 1000")
    try:
        wait_until(lambda: job.output() == "[0] prompt", "the prompt", 5)
        job.proc.terminate()
        check(job.await_end() == 143, "code")
    finally:
        job.close()


def tagged_partial_line_is_ended():
    """... by a line of another rank, not continued by it."""
    with tempfile.TemporaryDirectory() as place, \
            open("/dev/zero", "rb") as zero:
        wait = f"wait_for() {{ while [ ! -e {place}/$1 ]; do sleep 0.02; " \
               "done; }; "
        script = wait + IF_NOT_RANK_0 + \
            " { wait_for one; echo line; exit; }; " \
            "printf part; wait_for two; echo ial"
        job = Job(FSHRUN, "-n", 2, "--tag-output", "sh", "-c", script,
                  stdin=zero)
        try:
            for text, go in (("[0] part", "one"), ("\n[1] line\n", "two")):
                wait_until(lambda t=text: job.output().endswith(t), text)
                with open(os.path.join(place, go), "w"):
                    pass
            check(job.await_end() == 0, "code")
            check(job.output() == "[0] part\n[1] line\n[0] ial\n",
                  repr(job.output()))
        finally:
            job.close()


def reader_goes_away():
    for options in [], ["--tag-output"]:
        start = time.monotonic()
        command = f"{FSHRUN} -n 3 {' '.join(options)} yes | head -1; " \
                  "exit ${PIPESTATUS[0]}"
        code, output = run("bash", "-c", command, limit=10)
        check(code == 141, f"{options}: code {code}: {output!r}")
        check(time.monotonic() - start < 5, f"{options}: too late")
        check(len(output.splitlines()) == 1, f"{options}: {output!r}")


def full_disk_is_said():
    command = f"{FSHRUN} -n 2 --tag-output yes >/dev/full"
    code, output = run("bash", "-c", command, limit=10)
    check(code != 0 and output.count("No space left on device") == 1,
          f"code {code}: {output!r}")


def slow_reader_does_not_block_signals():
    read_end, write_end = os.pipe()
    job = Job(FSHRUN, "-n", 2, "--tag-output", "yes", out=write_end)
    os.close(write_end)
    try:
        size = os.fstat(read_end)  # nobody reads; the pipe fills
        check(stat.S_ISFIFO(size.st_mode), "no pipe")
        wait_until(lambda: all(is_blocked(p) for p in job.named("yes")) and
                   len(job.named("yes")) == 2, "blocked ranks")
        job.proc.terminate()
        check(job.await_end() == 143, "code")
    finally:
        os.close(read_end)
        job.close()


def is_blocked(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "S"
    except OSError:
        return False


def variables():
    script = "echo \"$A|$B\""
    output = expect(["-n", 2, "-x", "A=x y", "-x", "B=1=2", "sh", "-c", script],
                    0)
    check(output == "x y|1=2\n" * 2, repr(output))
    expect(["-n", 1, "-x", "NOT_THERE_AT_ALL", "true"], 0, "NOT_THERE_AT_ALL")


def arguments_arrive():
    args = ["a b", "", "*", "'", '"', "--conduit", "-n"]
    output = expect(["-n", 1, "--", "printf", "<%s>", *args], 0)
    check(output == "".join(f"<{a}>" for a in args), repr(output))


def dry_run():
    output = expect(["-n", 2, "--show", RANKS, "a b"], 0, "conduit smp",
                    f"rank 0: {RANKS} 'a b'\n",
                    f"rank 1: {RANKS} 'a b' </dev/null\n")
    check("up " not in output, output)
    if HAVE_SIM:
        expect(["-n", 2, "--show", "--conduit", "fpga", "--waves", "w.fst",
                "--record", "r", "--sim-args", "--a --b", "true"], 0,
               "fshsim --a --b --waves w.fst --record r")


def conduit_of_the_program():
    """What the program was built for is the default, after the environment."""
    with tempfile.NamedTemporaryFile("w", delete=False) as f:
        f.write("#!/bin/sh\n# $FSHMEMConduit: nosuch $\n")
    try:
        os.chmod(f.name, stat.S_IRWXU)
        expect(["-n", 1, f.name], 2, "unknown conduit 'nosuch'")
        expect(["-n", 1, f.name], 0, env={"FSHMEM_CONDUIT": "smp"})
        expect(["-n", 1, "--conduit", "smp", f.name], 0)
    finally:
        os.unlink(f.name)


def help_and_version():
    expect(["--help"], 0, "--tag-output")
    expect(["--version"], 0, "fshrun (FSHMEM) ")


def debug_settings():
    output = expect(["-n", 3, RANKS], 0, env={"GASNET_VERBOSEENV": "1"})
    check(output.count("FSHMEM_CLOCK = free (default)") == 1, output)
    check("rank 0: GASNET_VERBOSEENV = 1 (environment)" in output, output)
    job = Job(FSHRUN, "-n", 2, RANKS, env={"GASNET_FREEZE": "1"})
    try:
        wait_until(lambda: job.output().count("waits (GASNET_FREEZE)") == 2,
                   "both ranks frozen")
        job.proc.terminate()
        check(job.await_end() == 143, "code")
    finally:
        job.close()


def record_and_replay():
    """The simulator alone, from a recording, ends by itself."""
    with tempfile.TemporaryDirectory() as place:
        tape = os.path.join(place, "tape")
        expect(["-n", 2, "--conduit", "fpga", "--record", tape, RANKS], 0)
        check(os.path.getsize(tape) > 0, "no recording")
        expect(["--replay", tape], 0)
    expect(["--replay", tape], 1, tape)
    expect(["-n", 2, "--replay", tape, "true"], 2, "neither -n nor a program")


def options_page_is_whole():
    """docs/02_reference/options.md has every setting with its default."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                        "docs", "02_reference", "options.md")
    with open(page, encoding="utf-8") as f:
        rows = [l.split("|") for l in f if l.startswith("| `")]
    have = {r[1].strip(" `"): r[2].strip(" `") for r in rows}
    _, text = run(os.path.join(BIN, "fshinfo"), "--json")
    want = {o["name"]: o["default"] or "unset"
            for o in json.loads(text)["options"]}
    differ = sorted(set(have.items()) ^ set(want.items()))
    check(not differ, f"differs: {differ}")


def simulator_not_found():
    expect(["-n", 2, "--conduit", "fpga", "true"], 1, "/no/such/fshsim",
           "FSHMEM_SIM", "unset it", env={"FSHMEM_SIM": "/no/such/fshsim"})


CASES = [exchange, exchange_many, children_are_no_ranks,
         memory_keeps_its_size, exit_codes,
         failure_is_said_once, end_of_a_rank_is_said, a_code_is_never_hidden,
         program_cannot_run, wrong_use, unknown_setting,
         quiet, backtrace, memory_is_compared, file_size_limit, time_limit,
         late_rank_is_named, missing_rank_is_named, left_behind,
         state_on_request, output_is_byte_exact, output_is_tagged,
         tagged_lines_are_whole, tagged_partial_line,
         tagged_partial_line_is_ended, reader_goes_away, full_disk_is_said,
         slow_reader_does_not_block_signals, variables, arguments_arrive,
         dry_run, conduit_of_the_program, help_and_version, debug_settings,
         options_page_is_whole, simulator_not_found]

if __name__ == "__main__":
    main(CASES + ([exchange_fpga, topology_of_a_job,
                   state_of_a_stopped_simulator,
                   record_and_replay] if HAVE_SIM else []))
