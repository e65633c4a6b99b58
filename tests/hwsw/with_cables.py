#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a command with FSHMEM_TOPOLOGY set to a random cable file.

    with_cables.py CABLES NODES PORTS COMMAND...

CABLES is the program that writes the file. The seed, which is that of the command, too,
is printed, and the cables if the command fails; FSHMEM_SEED sets it.
"""
import os
import secrets
import subprocess
import sys
import tempfile


def main():
    cables, nodes, ports, *command = sys.argv[1:]
    seed = os.environ.get("FSHMEM_SEED") or str(secrets.randbelow(1 << 32))
    print(f"random cables, FSHMEM_SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fshmem-cables-") as place:
        path = os.path.join(place, "cables")
        with open(path, "w", encoding="utf-8") as file:
            subprocess.run([cables, seed, nodes, ports], stdout=file, check=True)
        code = subprocess.run(command, check=False, env=os.environ | {
            "FSHMEM_SEED": seed, "FSHMEM_TOPOLOGY": f"file:{path}"}).returncode
        if code not in (0, 77):
            with open(path, encoding="utf-8") as file:
                print(file.read())
    return code if code >= 0 else 1


if __name__ == "__main__":
    sys.exit(main())
