/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of one host among each other, in shared memory: all of conduit smp but
 * compute cores, and a part of conduit ofi, which sends the rest through
 * its network. Implemented in conduit/smp/local*.c. Ranks are those of the job
 * everywhere. One per process; calls as in conduit.h, from any thread.
 */
#ifndef FSH_CONDUIT_LOCAL_H
#define FSH_CONDUIT_LOCAL_H

#include "conduit/conduit.h"

/* What a conduit does with what is not for here; NULL where all ranks are here. */
struct fsh_local_elsewhere {
    /* A Short (fsh_short_ops) to a rank that is not here. */
    int (*request)(uint32_t node, uint32_t what, const int32_t *args);
    int (*reply)(struct fsh_token *token, uint32_t what, const int32_t *args);
    /* poll of conduit.h, while a request waits for room. */
    bool (*poll)(void);
    /* Sleep for at most max_ns, or until the descriptor of fsh_local_bell is
     * readable. */
    void (*sleep)(uint64_t max_ns);
};

/* Its size, for shared_bytes of struct fsh_job_needs. */
size_t fsh_local_bytes(uint32_t ranks, size_t segment_max);

/* Map the object that the ranks of this host share (FSH_FD_SHARED). `here`, by rank:
 * of those on this host, which are to be reached by it; NULL: all are. Fatal on
 * failure. `elsewhere` must stay valid. */
void fsh_local_init(enum fsh_threads threads, const bool *here,
                    const struct fsh_local_elsewhere *elsewhere,
                    struct fsh_limits *limits);
/* Make this rank's segment with `area` bytes behind it; then, when those of all ranks
 * are known, map those that are here. segs are copied. */
void *fsh_local_segment(size_t size, size_t area);
void fsh_local_map(const struct fsh_segment *segs, size_t area);

/* Where the others ring to end a sleep, and hear when it rang: it is silent again.
 * -1: all sleep on a futex. Collective, once, after fsh_local_init. */
int fsh_local_bell(void);
void fsh_local_hush(void);

/* Operations of conduit.h; node must be here. */
void fsh_local_request(const struct fsh_am *am);
void fsh_local_reply(struct fsh_token *token, const struct fsh_am *am);
bool fsh_local_try_request(const struct fsh_am *am);
bool fsh_local_try_reply(struct fsh_token *token, const struct fsh_am *am);
void fsh_local_put(uint32_t node, void *dst, const void *src, size_t n,
                   struct fsh_event *local, struct fsh_event *remote);
void fsh_local_get(void *dst, uint32_t node, const void *src, size_t n,
                   struct fsh_event *done);
bool fsh_local_poll(void);
void fsh_local_wait(uint64_t max_ns, bool memory);
void fsh_local_share(void);
void fsh_local_describe(void (*line)(void *arg, const char *text), void *arg);

/* Blocks of conduit.h. Shorts may be for any rank; only segments here are mapped. The
 * barrier is present if all ranks are here. */
extern const struct fsh_short_ops fsh_local_shorts;
extern const struct fsh_direct_ops fsh_local_direct;
extern const struct fsh_barrier_ops fsh_local_barrier;

/* Where ranks are elsewhere, a barrier begins with fsh_local_barrier.arrive; then the
 * first of the ranks here gathers the opinions of all of them, and releases them with
 * that of the job: see conduit/smp/meet.h. */
uint32_t fsh_local_leader(void);
bool fsh_local_gathered(uint64_t *opinion, uint32_t *missing);
void fsh_local_release(uint64_t opinion);
bool fsh_local_released(uint64_t *opinion);

#endif
