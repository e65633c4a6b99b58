#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random messages, puts and gets between two hosts of which each loses every tenth
datagram that comes (nftables), over a provider that sends again what is lost
(udp;ofi_rxd). Nothing may be lost, doubled or out of order: the programs check. --all:
more than 10^5 operations."""
import os
import shutil
import sys

from hosts import Hosts, launchers, run_over, shell, inside
from fshjob import TESTS, Skip, check, main

LOST = 10  # percent
SCALE = "12" if "--all" in sys.argv else "0.5"
SECONDS = 500 if "--all" in sys.argv else 250
LOSE = f"""
nft add table inet losses
nft add chain inet losses input '{{ type filter hook input priority 0; }}'
nft add counter inet losses lost
nft add rule inet losses input ip protocol udp numgen random mod 100 '<' {LOST} \
counter name lost drop
"""


def lost(hosts, name):
    """Datagrams that were."""
    words = shell("nft list counter inet losses lost",
                  *inside(hosts.first(name))).split()
    return int(words[words.index("packets") + 1])


def one_in_ten_is_lost():
    if shutil.which("nft") is None:
        raise Skip("nftables is not installed")
    launcher = launchers()[-1]
    with Hosts(2) as hosts:
        try:
            for name in hosts.names:
                shell(LOSE, *inside(hosts.first(name)))
        except Exception as why:
            raise Skip(f"the system has no random losses: {why}") from why
        for name in ["am_random", "rma_random"]:
            code, output = run_over(
                hosts, launcher, 1, os.path.join(TESTS, "conform", f"conform_{name}"),
                env={"FSHMEM_TEST_SCALE": SCALE,
                     "FSHMEM_TEST_LIMIT": str(SECONDS), "GASNET_QUIET": "1",
                     "FSHMEM_OFI_PROVIDER": "udp;ofi_rxd"},
                limit=SECONDS + 30)
            check(code == 0 and ": pass\n" in output,
                  f"{name}: {code}\n{output}")
        n = [lost(hosts, name) for name in hosts.names]
        check(min(n) > 50, f"of datagrams only {n} were lost")
    return f"ok with {launcher.name}, datagrams lost: {n}"


if __name__ == "__main__":
    main([one_in_ten_is_lost])
