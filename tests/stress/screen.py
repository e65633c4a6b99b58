# SPDX-License-Identifier: BSD-3-Clause
"""A small terminal: what a reader sees after a program has written to it. It knows no
more than it has to; any other sequence is a failure, so nothing can be left behind that
is not seen here. And a job on such a terminal."""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

from fshjob import Failure, check, open_terminal

SEQUENCE = re.compile(rb"\x1b\[(\d*)([A-Za-z])")


class Screen:
    """Rows of text, the cursor, and what has left the screen above."""

    def __init__(self, rows, columns):
        self.columns, self.gone = columns, []
        self.cells = [[] for _ in range(rows)]
        self.row = self.column = 0
        self.rest = b""

    def feed(self, data):
        data, self.rest = self.rest + data, b""
        at = 0
        while at < len(data):
            if data[at] == 0x1b:
                hit = SEQUENCE.match(data, at)
                if not hit and len(data) - at < 8:
                    self.rest = data[at:]
                    return
                check(hit, f"unknown: {data[at:at + 8]!r}")
                self.sequence(int(hit[1] or 0), hit[2].decode())
                at = hit.end()
            else:
                self.character(chr(data[at]))
                at += 1

    def sequence(self, number, letter):
        here = self.cells[self.row]
        if letter == "A":
            self.row = max(0, self.row - max(1, number))
        elif letter in "KJ" and number == 0:
            del here[self.column:]
            if letter == "J":
                for row in self.cells[self.row + 1:]:
                    row.clear()
        else:
            raise Failure(f"unknown: ESC [ {number} {letter}")

    def line_feed(self):
        self.row += 1
        if self.row == len(self.cells):
            self.gone.append(self.cells.pop(0))
            self.cells.append([])
            self.row -= 1

    def character(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.line_feed()
        else:
            check(" " <= c <= "~", f"unknown: {c!r}")
            if self.column >= self.columns:  # it has waited at the right margin
                self.column = 0
                self.line_feed()
            here = self.cells[self.row]
            here += " " * (self.column + 1 - len(here))
            here[self.column] = c
            self.column += 1

    def rows(self):
        """All of them, also those above the screen, without blanks at the end."""
        return ["".join(row).rstrip() for row in self.gone + self.cells]


class Terminal:
    """A job with this as its output and error; its input is a pipe. own: it is its own
    terminal, or none is, or what else is."""

    def __init__(self, command, rows=10, columns=200, env=None, own=True):
        self.ours, self.theirs = open_terminal()
        self.screen, self.text = Screen(rows, columns), b""
        self.resize(columns)
        self.before = termios.tcgetattr(self.theirs)
        full = {k: v for k, v in os.environ.items()
                if not k.startswith(("FSHMEM_", "GASNET_"))}
        self.job = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self.theirs, stderr=self.theirs,
            env=full | {"TERM": "xterm"} | (env or {}), start_new_session=True,
            preexec_fn=lambda: own is not False and fcntl.ioctl(
                self.theirs if own is True else own, termios.TIOCSCTTY, 0))

    def resize(self, columns):
        self.screen.columns = columns
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ,
                    struct.pack("HHHH", len(self.screen.cells), columns, 0, 0))

    def say(self, text):
        self.job.stdin.write(text.encode())
        self.job.stdin.flush()

    def read(self, limit):
        """What is there within so many seconds; False if nothing is."""
        if not select.select([self.ours], [], [], limit)[0]:
            return False
        piece = os.read(self.ours, 4096)
        self.text += piece
        self.screen.feed(piece)
        return True

    def read_until(self, condition, what, limit=60):
        end = time.monotonic() + limit
        while not condition():
            self.read(0.05)
            check(time.monotonic() < end, f"not within {limit} s: {what}: {self.text!r}")

    def end(self, limit=60):
        """Its code, when it has ended and all has been read."""
        self.job.stdin.close()
        self.read_until(lambda: self.job.poll() is not None, "the end", limit)
        while self.read(0):
            pass
        check(termios.tcgetattr(self.theirs) == self.before, "the terminal has changed")
        return self.job.returncode

    def close(self):
        if self.job.poll() is None:
            os.killpg(self.job.pid, signal.SIGKILL)
            self.job.wait()
        if not self.job.stdin.closed:
            self.job.stdin.close()
        os.close(self.ours)
        os.close(self.theirs)
