#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A cable that takes time: TAP devices in two network namespaces, and this process, which
forwards each frame a while after it came, in order.

    delay.py MS PID DEVICE PID DEVICE

The devices are made in the namespaces of the processes PID; it says "up" then, and ends
with its input. The rate is not limited, and nothing is lost but what the kernel drops."""
import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF = 0x400454ca
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
CLONE_NEWNET = 0x40000000
FRAME = 65536  # bytes at most, with room for what the kernel has put together
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(pid):
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if LIBC.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), f"namespace of process {pid}")
    os.close(fd)


def device(pid, name):
    enter(pid)
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def take(fd, line, delay):
    """All frames that have come."""
    while True:
        try:
            line.append((time.monotonic() + delay, os.read(fd, FRAME)))
        except OSError:  # none, or the device is down
            return


def give(fd, line):
    """The frames whose time has come."""
    while line and line[0][0] <= time.monotonic():
        try:
            os.write(fd, line.popleft()[1])
        except OSError:  # it is down, or has no room: lost
            pass


def forward(delay, fds):
    lines = {fd: collections.deque() for fd in fds}  # that came in at fd
    while True:
        due = [line[0][0] for line in lines.values() if line]
        wait = max(0.0, min(due) - time.monotonic()) if due else None
        ready = select.select([0, *fds], [], [], wait)[0]
        if 0 in ready and not os.read(0, 1):
            return
        for here, there in (fds, reversed(fds)):
            if here in ready:
                take(here, lines[here], delay)
            give(there, lines[here])


def main(ms, *ends):
    fds = [device(int(pid), name) for pid, name in (ends[:2], ends[2:])]
    print("up", flush=True)
    forward(float(ms) / 1000, fds)


if __name__ == "__main__":
    main(*sys.argv[1:])
