#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Any rank, the simulator or the launcher is killed, or the user interrupts:
the job ends within 5 seconds, says why, with the right code, and leaves no
process behind. The ranks spin in user code, so nothing but the launcher and
the kernel can end them."""
import os
import signal
import tempfile

from fshjob import (FSHRUN, HAVE_SIM, RANKS, Job, check, main, open_terminal,
                    wait_until)

SPIN = ("none", "0", "999")  # nobody acts; all spin


def spinning(n, *options, env=None, program=(RANKS, *SPIN)):
    job = Job(FSHRUN, "-v", "-n", n, *options, *program, env=env)
    job.await_up(n)
    return job


def expect(job, code, *texts):
    try:
        got = job.await_end()
        check(got == code, f"code {got}, not {code}: {job.output()!r}")
        for text in texts:
            check(text in job.output(), f"no '{text}' in {job.output()!r}")
    finally:
        job.close()


def rank_killed():
    for victim in 0, 2:
        job = spinning(3)
        os.kill(job.rank_pid(victim), signal.SIGKILL)
        expect(job, 137, f"rank {victim} (pid",
               "was killed by signal 9 (Killed); ending the job")


def rank_crashed():
    job = spinning(3)
    os.kill(job.rank_pid(1), signal.SIGABRT)
    expect(job, 134, "rank 1 (pid", "signal 6 (Aborted)")


def rank_killed_while_others_stopped():
    job = spinning(3)
    os.kill(job.rank_pid(0), signal.SIGSTOP)
    os.kill(job.rank_pid(1), signal.SIGKILL)
    expect(job, 137)


def launcher_of(job):
    """fshrun is two processes: the one we started, and the launcher."""
    others = [p for p in job.named(os.path.basename(FSHRUN)) if p != job.proc.pid]
    check(len(others) == 1, f"launchers: {others}")
    return others[0]


def launcher_killed():
    job = spinning(3)
    job.proc.kill()
    expect(job, 137)
    job = spinning(3)
    os.kill(launcher_of(job), signal.SIGKILL)
    expect(job, 137, "the launcher (pid", "was killed by signal 9 (Killed)")


def launcher_killed_with_children_of_ranks():
    """What ranks have started, and what that has started, goes with them."""
    script = f"(sleep 1000; true) & exec {RANKS} {' '.join(SPIN)}"
    for victim in "guard", "launcher":
        job = Job(FSHRUN, "-n", 2, "sh", "-c", script)
        job.await_up(2)
        wait_until(lambda: len(job.named("sleep")) == 2, "2 children")
        os.kill(job.proc.pid if victim == "guard" else launcher_of(job),
                signal.SIGKILL)
        expect(job, 137)


def launcher_killed_with_deaf_ranks():
    job = Job(FSHRUN, "-n", 2, "sh", "-c",
              f"trap '' QUIT; {RANKS} {' '.join(SPIN)}; true")
    job.await_up(2)
    job.proc.kill()
    expect(job, 137)


def stopped_and_continued():
    """Ctrl-Z and fg: the job goes on, and hears what comes then."""
    job = spinning(2)
    pids = job.pids()
    for sig in signal.SIGSTOP, signal.SIGCONT:
        for pid in pids:
            os.kill(pid, sig)
    check(sorted(job.pids()) == sorted(pids), "somebody died")
    job.proc.terminate()
    expect(job, 143, "got signal 15")


def launcher_killed_before_init():
    """Programs that have not joined (or never do) end as well."""
    job = Job(FSHRUN, "-n", 2, "sleep", 1000)
    wait_until(lambda: len(job.named("sleep")) == 2, "2 ranks")
    job.proc.kill()
    expect(job, 137)


def deaf_ranks_are_killed():
    """SIGQUIT is ignored: SIGKILL follows."""
    job = Job(FSHRUN, "-n", 3, RANKS, "raise", "9", "0", "deaf")
    expect(job, 137)


def launcher_killed_while_simulator_starts():
    with tempfile.NamedTemporaryFile("w", delete=False) as f:
        f.write("#!/bin/sh\nexec sleep 1000\n")
    try:
        os.chmod(f.name, 0o700)
        for program in ([FSHRUN, "-n", 2, "--conduit", "fpga", RANKS], [RANKS]):
            job = Job(*program, env={"FSHMEM_CONDUIT": "fpga",
                                     "FSHMEM_SIM": f.name})
            wait_until(lambda: job.named("sleep"), "the simulator")
            job.proc.kill()
            expect(job, 137)
            job = Job(*program, env={"FSHMEM_CONDUIT": "fpga",
                                     "FSHMEM_SIM": f.name,
                                     "FSHMEM_START_TIMEOUT": "0.3"})
            expect(job, 1, "the simulator was not ready within 0.3 s "
                   "(FSHMEM_START_TIMEOUT)")
    finally:
        os.unlink(f.name)


def launcher_killed_with_rank_behind_shell():
    # The kernel kills the shell only; the rank sees the lifeline.
    job = Job(FSHRUN, "-n", 2, "sh", "-c", f"{RANKS} {' '.join(SPIN)}; true")
    job.await_up(2)
    job.proc.kill()
    expect(job, 137)


def rank_behind_shell_killed():
    job = Job(FSHRUN, "-n", 2, "sh", "-c", f"{RANKS} {' '.join(SPIN)}; exit $?")
    job.await_up(2)
    os.kill(job.named(os.path.basename(RANKS))[0], signal.SIGKILL)
    expect(job, 137)


def what_ranks_left_is_killed():
    script = f"sleep 1000 & {RANKS} raise 9 0"
    job = Job(FSHRUN, "-n", 2, "bash", "-c", script)
    expect(job, 137)


def interrupted():
    for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143),
                      (signal.SIGHUP, 129)):
        job = spinning(2)
        job.proc.send_signal(sig)
        expect(job, code, f"got signal {int(sig)}")


def interrupted_all_at_once():
    """Ctrl-C goes to the ranks as well."""
    job = spinning(2)
    for pid in job.pids():
        try:
            os.kill(pid, signal.SIGINT)
        except ProcessLookupError:
            pass
    expect(job, 130)


def interrupted_at_terminal():
    """Ctrl-C: one message, though guard, launcher and ranks all get it."""
    for key, code in (b"\x03", 130), (b"\x1c", 131):
        master, slave = open_terminal()
        job = Job("setsid", "-c", FSHRUN, "-v", "-n", 2, RANKS, *SPIN,
                  stdin=slave)
        os.close(slave)
        try:
            job.await_up(2)
            os.write(master, key)
            expect(job, code)
            said = job.text.count(b"ending the job")
            check(said == 1, f"said {said} times: {job.text!r}")
        finally:
            os.close(master)


def quit_handler_of_client():
    job = Job(FSHRUN, "-n", 3, RANKS, "raise", "9", "0", "quit")
    expect(job, 137, "handler ran\nhandler ran\n")


def buffered_output_survives():
    job = Job(FSHRUN, "-n", 3, RANKS, "_exit", "7", "0", "buffered")
    expect(job, 7, "text in a buffer\ntext in a buffer\n")


def background_job_of_a_script():
    """SIGINT and SIGQUIT are ignored there: Ctrl-C is not for it, and ranks
    still hear that they are to leave."""
    command = f"trap '' INT QUIT; exec {FSHRUN} -n 3 {RANKS} _exit 7 0 buffered"
    expect(Job("sh", "-c", command), 7, "text in a buffer\ntext in a buffer\n")
    job = Job("sh", "-c", f"trap '' INT; exec {FSHRUN} -n 2 {RANKS} none 0 9")
    job.await_up(2)
    os.kill(job.proc.pid, signal.SIGINT)
    os.kill(job.proc.pid, signal.SIGUSR1)  # it handles them in this order
    wait_until(lambda: "rank 1 (pid" in job.output(), "the dump")
    check("got signal" not in job.output(), job.output())
    job.proc.terminate()
    expect(job, 143)


def start_interrupted():
    """Before the ranks are up."""
    job = Job(FSHRUN, "-n", 4, RANKS, "late", "0", "1")
    wait_until(lambda: len(job.named(os.path.basename(RANKS))) == 4, "4 ranks")
    job.proc.send_signal(signal.SIGTERM)
    expect(job, 143)


def two_jobs():
    one, two = spinning(2), spinning(2)
    os.kill(one.rank_pid(0), signal.SIGKILL)
    expect(one, 137)
    check(len(two.named(os.path.basename(RANKS))) == 2, "the other job died")
    two.proc.terminate()
    expect(two, 143)


def simulator_killed():
    job = spinning(2, "--conduit", "fpga")
    os.kill(job.named("fshsim")[0], signal.SIGKILL)
    expect(job, 137, "the simulator (pid", "signal 9 (Killed)")


def simulator_dies_with_rank_and_launcher():
    for victim in "rank", "launcher":
        job = spinning(2, "--conduit", "fpga")
        check(job.named("fshsim"), "no simulator")
        if victim == "rank":
            os.kill(job.rank_pid(1), signal.SIGKILL)
        else:
            job.proc.kill()
        expect(job, 137)


def mixed_job_ends():
    """Some ranks have a card, some have none: whoever is killed."""
    for victim in "with", "without", "simulator", "launcher":
        job = spinning(4, "--cards", "1,3")
        check(job.named("fshsim"), "no simulator")
        if victim == "simulator":
            os.kill(job.named("fshsim")[0], signal.SIGKILL)
        elif victim == "launcher":
            job.proc.kill()
        else:
            os.kill(job.rank_pid(1 if victim == "with" else 2), signal.SIGKILL)
        expect(job, 137)


def single():
    """Started by hand: the rank is the parent of its simulator."""
    job = Job(RANKS, *SPIN, env={"FSHMEM_CONDUIT": "fpga"})
    job.await_up(1)
    check(job.named("fshsim"), "no simulator")
    return job


def single_rank_killed():
    job = single()
    job.proc.kill()
    expect(job, 137)


def single_rank_interrupted():
    job = single()
    job.proc.send_signal(signal.SIGINT)
    expect(job, 130)


def single_simulator_killed():
    job = single()
    os.kill(job.named("fshsim")[0], signal.SIGKILL)
    expect(job, 137, "the simulator (pid", "signal 9 (Killed)")


SMP = [rank_killed, rank_crashed, rank_killed_while_others_stopped,
       launcher_killed, launcher_killed_with_children_of_ranks,
       launcher_killed_with_deaf_ranks, stopped_and_continued,
       launcher_killed_before_init, deaf_ranks_are_killed,
       launcher_killed_while_simulator_starts,
       launcher_killed_with_rank_behind_shell,
       rank_behind_shell_killed, what_ranks_left_is_killed, interrupted,
       interrupted_all_at_once, interrupted_at_terminal, quit_handler_of_client,
       buffered_output_survives, background_job_of_a_script,
       start_interrupted, two_jobs]
FPGA = [simulator_killed, simulator_dies_with_rank_and_launcher, mixed_job_ends,
        single_rank_killed, single_rank_interrupted, single_simulator_killed]

if __name__ == "__main__":
    main(SMP + (FPGA if HAVE_SIM else []))
