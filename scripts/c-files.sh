#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C files written by hand, one a line: what is formatted and checked.
cd "$(dirname "$0")/.." || exit 1
find src include sim tools tests examples bench hw/tb -name '*.[ch]' \
    ! -name fsh_spec.h ! -name golden.h 2>/dev/null | sort
