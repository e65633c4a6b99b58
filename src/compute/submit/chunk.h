/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks of lists on their way through a compute core. The number of a chunk is
 * the cookie of its commands. All calls under the engine's lock, except the
 * completion of commands, which is for any thread.
 */
#ifndef FSH_SUBMIT_CHUNK_H
#define FSH_SUBMIT_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fsh_command_list;

#define FSH_CHUNKS 1024u /* cookies below this are the library's */

struct fsh_chunk {
    /* Commands that have not ended: set before they are sent, taken off by
     * completions; the last one puts the chunk in the list of the finished. */
    atomic_uint left;
    atomic_uint status; /* of the first that failed */
    atomic_uint next;   /* in the list of the finished, number + 1 */
    uint32_t free_next; /* in the list of the free, number + 1 */
    struct fsh_command_list *list;
    unsigned first, count; /* slots of the area */
};

/* The chunk of a cookie that fsh_chunk_open has given. */
struct fsh_chunk *fsh_chunk_at(unsigned cookie);

/* Open a chunk of `count` commands, at most as many as may be in flight; its
 * cookie, or -1 if there is none or too many are in flight. */
int fsh_chunk_open(struct fsh_command_list *list, unsigned first,
                   unsigned count);
/* Its commands have ended, or were never sent: the cookie is free again. */
void fsh_chunk_close(unsigned cookie);
/* Commands that may be opened now. */
unsigned fsh_chunk_room(void);

/* Take all that are finished: the first, or -1; then each one's next. */
int fsh_chunk_finished(void);
int fsh_chunk_next(unsigned cookie);
/* Put one back that cannot be closed yet. */
void fsh_chunk_keep(unsigned cookie);

/* Longest run of at most `want` clear bits: its length (0: none) and start. */
unsigned fsh_chunk_fit(uint64_t busy, unsigned want, unsigned *first);

#endif
