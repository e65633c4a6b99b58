#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshrun's line of state: on a terminal a long run shows its simulated time, speed, who
waits and when it ends, and the line is gone when the job is; nowhere else. What ranks
print is clear of it."""
import os
import re
import select
import signal
import termios
from concurrent.futures import ThreadPoolExecutor

from fshjob import FSHRUN, Skip, TESTS, check, main, open_terminal, run, wait_until
from screen import Terminal

CLOCKED = os.path.join(TESTS, "stress_clocked")
SHOWN = re.compile(
    r"fshrun: ([\d.]+) ms simulated(, [\d.]+ M node-cycles/s)?"
    r"(, rank 1 waits)?, step (\d+) of 40(, ends in (\d+) s)?\x1b\[K\r")
ROW = re.compile(r"fshrun: [\d.]+ (us|ms|s) simulated(, [\d.]+ M node-cycles/s)?"
                 r"(, rank \d waits)?")
PRELOAD = os.path.join(TESTS, "stress_inotify.so")


def command(*options, what="steps"):
    return [FSHRUN, "-n", "2", "--conduit", "fpga", *options, "--timeout", "60",
            CLOCKED, what]


def on_terminal(*options, columns=200, what="steps", own=True, **env):
    """What such a job writes to its terminal."""
    terminal = Terminal(command(*options, what=what), columns=columns, env=env,
                        own=own)
    try:
        code = terminal.end()
        check(code == 0, f"code {code}: {terminal.text}")
        return terminal.text.decode()
    finally:
        terminal.close()


def shows_where_it_is():
    text = on_terminal("--clock", "simulated")
    lines = list(SHOWN.finditer(text))
    check(len(lines) >= 2, repr(text))
    check(lines[0].group(2) is None and lines[-1].group(2), repr(text))
    check(lines[-1].group(3), f"nobody waits? {text!r}")
    ms, step, left = (float(lines[-1].group(i)) for i in (1, 4, 6))
    # A step is a millisecond; the figures are of one moment, or nearly.
    check(abs(ms - step) < 3 and step < 40, repr(text))
    check(left <= 3, repr(text))
    check(text.endswith("\x1b[A\r\x1b[J"), f"still there: {text!r}")


def free_clock_too():
    text = on_terminal()
    check(re.search(r"simulated, .* step \d+ of 40", text), repr(text))


def fits_the_terminal():
    text = on_terminal("--clock", "simulated", columns=30)
    longest = max(len(line) for line in re.findall(r"(fshrun: [^\x1b\r]*)", text))
    check(longest == 29, repr(text))


def silent_elsewhere():
    code, text = run(*command("--clock", "simulated"))
    check(code == 0 and text == "", f"{code} {text!r}")
    ours, theirs = open_terminal()
    ways = (["-q"], {}), ([], {"TERM": "dumb"}), ([], {"own": False}), ([], {"own": theirs})
    with ThreadPoolExecutor() as pool:  # jobs that sleep most of the time
        for text in pool.map(lambda way: on_terminal(*way[0], **way[1]), ways):
            check(text == "", repr(text))
    check(not select.select([ours], [], [], 0)[0], "on the terminal of others")
    os.close(ours)
    os.close(theirs)


def short_runs_show_none():
    text = on_terminal("--clock", "simulated", what="each")
    check("fshrun" not in text and "look" in text, repr(text))


def draws(terminal):
    return terminal.text.count(b"\x1b[K")


def await_line(terminal, more=1):
    """Until it has been drawn so many times more."""
    wanted = draws(terminal) + more
    terminal.read_until(lambda: draws(terminal) >= wanted, "the line")


def prints_beside(*options, prefix="", columns=200):
    """Short lines, one in two pieces, many at once: all in rows of their own."""
    terminal = Terminal(command(*options, what="echo"), columns=columns)
    many = [f"line {i}" + " x" * i for i in range(12)]
    try:
        await_line(terminal, 2)
        terminal.say("short\n")
        await_line(terminal)
        terminal.say("no end/")
        await_line(terminal)
        terminal.say(" yet\n")
        terminal.say("".join(f"{line}\n" for line in many))
        check(terminal.end() == 0, f"code {terminal.job.returncode}: {terminal.text}")
        rows = terminal.screen.rows()
        check(b"\x1b[A\rfshrun" in terminal.text, f"never in its place: {rows}")
        printed = [row for row in rows if row and not ROW.fullmatch(row)]
        wanted = [prefix + row for row in ("short", "no end", " yet", *many)]
        wanted[2] = " yet"
        check(printed == wanted, f"{printed}, not {wanted}")
        return rows
    finally:
        terminal.close()


def ranks_print_beside_it():
    rows = prints_beside()
    # Nobody knows where it was when a rank has printed.
    check(sum(ROW.fullmatch(row) is not None for row in rows) == 3, str(rows))


def tagged_lines_stand_beside_it():
    rows = prints_beside("--tag-output", prefix="[0] ")
    check(not any(ROW.fullmatch(row) for row in rows), f"still there: {rows}")


def killed_leaves_the_terminal_sane():
    """By a signal, also one that cannot be caught."""
    for sig in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
        terminal = Terminal(command("-v", what="echo"))
        try:
            await_line(terminal, 2)
            if sig == signal.SIGKILL:
                os.killpg(terminal.job.pid, sig)
            else:
                os.kill(terminal.job.pid, sig)
            code = terminal.end()
            screen = terminal.screen
            check(code == (-sig if sig == signal.SIGKILL else 128 + sig), f"code {code}")
            check(screen.column == 0 and not screen.cells[screen.row],
                  f"the cursor is not in a row of its own: {screen.rows()}")
            left = [row for row in screen.rows() if "simulated" in row]
            check(len(left) == (sig == signal.SIGKILL) and
                  all(ROW.fullmatch(row) for row in left), str(screen.rows()))
        finally:
            terminal.close()


def follows_the_width():
    terminal = Terminal(command(what="echo"), columns=100)
    try:
        await_line(terminal)
        terminal.resize(20)
        before = len(terminal.text)
        await_line(terminal, 2)
        last = re.findall(rb"fshrun: [^\x1b\r]*", terminal.text[before:])[-1]
        check(len(last) == 19, repr(terminal.text))
        check(terminal.end() == 0, repr(terminal.text))
    finally:
        terminal.close()


def stopped_terminal_holds_nothing_up():
    """Ctrl-S: the job goes on, and ends."""
    terminal = Terminal(command(what="steps"))
    try:
        termios.tcflow(terminal.theirs, termios.TCOOFF)
        wait_until(lambda: terminal.job.poll() is not None, "the end of the job", 40)
        termios.tcflow(terminal.theirs, termios.TCOON)
        check(terminal.end() == 0, f"code {terminal.job.returncode}")
    finally:
        terminal.close()


def needs_to_know_who_writes():
    """No line where the kernel has no such service; one where it has, and tells nothing."""
    if os.environ.get("FSH_SANITIZE"):
        raise Skip("a sanitizer wants to be loaded first")
    text = on_terminal(LD_PRELOAD=PRELOAD, STAND_IN_INOTIFY="none")
    check(text == "", repr(text))
    text = on_terminal(LD_PRELOAD=PRELOAD, STAND_IN_INOTIFY="dumb")
    check(text.count("simulated") == 1 and "\x1b[A" not in text, repr(text))


if __name__ == "__main__":
    main([shows_where_it_is, free_clock_too, fits_the_terminal, silent_elsewhere,
          short_runs_show_none, ranks_print_beside_it, tagged_lines_stand_beside_it,
          killed_leaves_the_terminal_sane, follows_the_width,
          stopped_terminal_holds_nothing_up, needs_to_know_who_writes])
