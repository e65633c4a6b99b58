/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory this host, or the container we are in, can still give. Read
 * once when a job is made.
 */
#ifndef FSH_MEMORY_H
#define FSH_MEMORY_H

#include <stddef.h>

struct fsh_memory {
    size_t available; /* bytes that can still be touched; SIZE_MAX unknown */
    char limit[64];   /* what sets the limit, for messages */
};

void fsh_memory_read(struct fsh_memory *memory);

/* 1536 MiB -> "1.5 GiB". Returns buf, which holds at least 32 bytes. */
const char *fsh_memory_text(size_t bytes, char *buf);

#endif
