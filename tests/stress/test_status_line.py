#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fshrun's line of state: on a terminal a long run shows its simulated time, speed, who
waits and when it ends, and the line is gone when the job is; nowhere else."""
import fcntl
import os
import re
import struct
import subprocess
import termios

from fshjob import FSHRUN, TESTS, check, main, open_terminal, run

CLOCKED = os.path.join(TESTS, "stress_clocked")
SHOWN = re.compile(
    r"fshrun: ([\d.]+) ms simulated(, [\d.]+ M node-cycles/s)?"
    r"(, rank 1 waits)?, step (\d+) of 40(, ends in (\d+) s)?\x1b\[K\r")


def command(*options, what="steps"):
    return [FSHRUN, "-n", "2", "--conduit", "fpga", *options, "--timeout", "60",
            CLOCKED, what]


def on_terminal(*options, columns=200, what="steps", term="xterm"):
    """What such a job writes to its terminal."""
    ours, theirs = open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("FSHMEM_", "GASNET_"))}
    job = subprocess.Popen(command(*options, what=what), stdin=subprocess.DEVNULL,
                           stdout=theirs, stderr=theirs, env={**env, "TERM": term})
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # nobody has the other end any more
            break
        text += piece
    os.close(ours)
    check(job.wait() == 0, f"code {job.returncode}: {text}")
    return text.decode()


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
    check(text.endswith("\r\x1b[K\r"), f"still there: {text!r}")


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
    for options, term in (["-q"], "xterm"), ([], "dumb"):
        text = on_terminal(*options, term=term)
        check(text == "", repr(text))


def short_runs_show_none():
    text = on_terminal("--clock", "simulated", what="each")
    check("fshrun" not in text and "look" in text, repr(text))


if __name__ == "__main__":
    main([shows_where_it_is, free_clock_too, fits_the_terminal, silent_elsewhere,
          short_runs_show_none])
