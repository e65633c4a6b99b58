/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory this host, or the container we are in, can still give. Read
 * once when a job is made.
 */
#ifndef FSH_MEMORY_H
#define FSH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_memory {
    size_t available; /* bytes that can still be touched; SIZE_MAX unknown */
    size_t total;     /* of what sets the limit, used or not */
    char limit[64];   /* what sets the limit, for messages */
};

/* Fill in what there is now. Reads files; what cannot be read is no limit. Any
 * thread. */
void fsh_memory_read(struct fsh_memory *memory);

/* Processes killed for lack of memory in this process's cgroups and those above
 * them, and on the host; compare two readings. */
unsigned long long fsh_memory_oom_kills(void);

/* Read a size as GASNet's settings have it: "512M", "8 GB", or a fraction of
 * total, "0.5" or "2/3"; with /P behind it for each of `ranks`, with /H for all
 * of them together. Sets bytes for one rank; false if it cannot be read. */
bool fsh_memory_parse(const char *text, size_t total, uint32_t ranks,
                      size_t *bytes);

/* 1536 MiB -> "1.5 GiB". Returns buf, which holds at least 32 bytes. */
const char *fsh_memory_text(size_t bytes, char *buf);

#endif
