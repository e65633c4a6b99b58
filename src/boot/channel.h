/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The channel that a cluster's launcher gives its ranks: who and where they are, and
 * values that they publish for each other while the job starts. One table a kind of
 * launcher, PMIx and PMI-2; their libraries are loaded when a launcher offers it. Open
 * from gasnet_init to the end of gasnet_attach, and only where ranks are on several
 * hosts: on one they meet without it. Inside src/boot, main thread unless said.
 */
#ifndef FSH_CHANNEL_H
#define FSH_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/launcher_env.h"

/* What the launcher says of this rank. */
struct fsh_channel_place {
    uint32_t rank, size;
    uint32_t here;  /* ranks on this host; 0: not told */
    char host[128]; /* its name, or what else is the same on one host only */
};

/* Every function but `offered` and `close`: false if it failed, with the reason in the
 * launcher's words in fsh_channel_why. They wait for the launcher. */
struct fsh_channel_ops {
    const char *name;
    /* Has a launcher that speaks this started this process? Reads the environment. */
    bool (*offered)(void);
    /* Before all others. */
    bool (*open)(struct fsh_channel_place *place);
    /* Publish n bytes, which others see after their next fence. Keys are used once. */
    bool (*put)(const char *key, const void *value, size_t n);
    /* All ranks of the job have come here. */
    bool (*fence)(void);
    /* What that rank has published; it must be n bytes. */
    bool (*get)(uint32_t rank, const char *key, void *value, size_t n);
    /* Have the launcher end the job. */
    bool (*abort)(int code, const char *why);
    /* The launcher may from now on see this process end, with whatever code. */
    void (*close)(void);
};
extern const struct fsh_channel_ops fsh_channel_pmix;
extern const struct fsh_channel_ops fsh_channel_pmi2;

/* Of a script that a launcher starts as a rank and that starts programs one by one. */
#define FSH_CHANNEL_ONCE                                                       \
    "a rank can be one GASNet program, once: does a script start several, or " \
    "one again? Start each by the launcher"

/* Why the last call failed; of a channel's functions, which write it. */
extern char fsh_channel_why[256];
/* Write it and return false. */
__attribute__((format(printf, 1, 2))) bool fsh_channel_fails(const char *format,
                                                             ...);
/* Load a library, and its functions: pairs of name and where to put it, a NULL at the
 * end; remedy: a package. False with the reason. */
struct fsh_channel_function {
    const char *name;
    void *function;
};
bool fsh_channel_load(const char *library,
                      const struct fsh_channel_function *functions,
                      const char *remedy);

/* The host of a rank in a launcher's map (PMI_process_mapping), "(vector,(first host, hosts,
 * ranks on each), ...)", which begins anew where there are more ranks. False: it is none. */
bool fsh_channel_find_host(const char *map, uint32_t rank, unsigned *host);

/* Complete what the environment said (fsh_place_read, with its result) by what the
 * launcher says, if it offers a channel; on several hosts the channel stays open. The
 * result; REFUSED: err says why. */
enum fsh_place_result fsh_channel_ask(struct fsh_place *place,
                                      enum fsh_place_result result, char *err,
                                      size_t errlen);

/* A variable of rank 0's environment, on the other ranks of a job over hosts; NULL: not
 * set there, or one of ours (FSHMEM_, GASNET_), which the process's own environment has.
 * Any thread, valid for ever. */
const char *fsh_channel_getenv(const char *name);

/* Every rank gives n bytes; out receives size*n in rank order. Bounded by
 * FSHMEM_START_TIMEOUT, fatal if it fails; what: for that message. */
void fsh_channel_exchange(const void *in, size_t n, void *out,
                          const char *what);
/* All ranks arrive before any returns; as above. */
void fsh_channel_fence(const char *what);
/* Any thread; where it is not open nothing happens. */
void fsh_channel_abort(int code, const char *why);
void fsh_channel_close(void);

#endif
