/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network of a stated rate for fshperf bridge, on one host: this process and one that it
 * starts, each in a network namespace of its own, connected by a cable (veth) that passes
 * so many bytes a second in each direction (tbf). It goes when the processes end.
 */
#ifndef FSHPERF_BRIDGE_LINK_H
#define FSHPERF_BRIDGE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Before any thread is started: move into a namespace of its own. False with the reason in
 * `why`, and nothing has changed. */
bool bridge_link_enter(char *why, size_t whylen);
/* In the process at the other end, the same. */
bool bridge_link_enter_other(void);
/* Connect both at mb_per_s (10^6 bytes) in each direction, and have both use that cable
 * (FSHMEM_OFI_INTERFACE). `first` once for each end, the process that entered first before
 * the other. False with the reason in `why`. */
bool bridge_link_connect(bool first, pid_t other, double mb_per_s, char *why,
                         size_t whylen);

#endif
