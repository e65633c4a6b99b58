#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hand-written C files, one a line, which are formatted and checked.
cd "$(dirname "$0")/.." || exit 1
find src include sim tools tests examples bench hw/tb -name '*.[ch]' \
    ! -name fsh_spec.h ! -name golden.h 2>/dev/null | sort
