/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the case studies share: joining a job, options, room in the segment,
 * numbers that every rank can make, the self-check, and the common start. A
 * workload (matmul.h, conv.h) is prepared, started, waited for and checked;
 * 06_matmul and 07_conv do so once, `fshperf case-study` does and measures.
 * Public API only. Main thread.
 */
#ifndef CASE_H
#define CASE_H

#include <gasnet.h>

#include <fshmem.h>
#include <stddef.h>
#include <stdint.h>

/* Event that the first command of every queue that would run unprompted waits
 * for. Workloads use the events after it. */
#define CASE_START 0

/* ---- the job ---- */

/* Join it, under this name in messages. */
void case_join(const char *name, int *argc, char ***argv);
/* Attach a segment of at least so many bytes, the same on all ranks; ends the
 * job with a message that says what helps if that cannot be, or if a rank has
 * no compute core. */
void case_attach(uint64_t bytes);
void case_barrier(void);
/* End the job, after a barrier if the code is 0. */
void case_leave(int code);

/* End the job. case_refuse: all ranks have found the same mistake of the user,
 * one says it; case_fail: this rank has failed. */
void case_refuse(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
void case_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
/* case_fail unless status is FSHMEM_OK. */
void case_fine(const char *what, fshmem_status_t status);

/* Let rank 0 have `bytes` bytes of every rank, in their order; collective;
 * at most 512 bytes. all is written on rank 0 only. */
void case_gather(const void *mine, size_t bytes, void *all);

/* Count of starts for this node's commands; when it is there, they run. */
void case_start(unsigned starts);

/* ---- options: --name VALUE, or --name alone for a flag ---- */

struct case_option {
    const char *name; /* with the dashes */
    const char *help; /* one line, with the name of the value */
    /* One of these is given. */
    uint32_t *number;    /* from least to most */
    const char **string; /* any, or one of choices */
    int *flag;           /* becomes 1 */
    uint32_t least, most;
    const char *choices; /* "one|two|three" */
};

/* Reads them all; --help prints usage, the options, and ends the job. Ends it
 * with a message that names argument and limit if one is wrong. */
void case_options(int argc, char **argv, const char *usage,
                  const struct case_option *options, size_t count);

/* ---- memory ---- */

/* The next `bytes` bytes of a segment, of which *next are taken. */
fshmem_offset_t case_take(uint64_t *next, uint64_t bytes);
/* Address of an offset in this rank's segment. */
void *case_at(fshmem_offset_t offset);

/* ---- commands ---- */

struct case_commands {
    fshmem_command_t *at;
    size_t count, room;
};

/* A place for one more; ends the job if there is no memory. */
fshmem_command_t *case_command(struct case_commands *commands);
void case_commands_free(struct case_commands *commands);

/* ---- numbers ---- */

/* A number in [-1, 1) for each place of each operand. */
float case_number(uint32_t seed, uint32_t operand, uint64_t place);

/* ---- self-check ---- */

struct case_check {
    uint64_t compared, wrong;
    double largest;       /* error */
    double bound;         /* that none may be past */
    double squares;       /* sum of the squares of the errors */
    double typical_bound; /* that their root mean square may not be past */
    uint64_t hash; /* of all results: the sum over ranks is that of all */
};

void case_compare(struct case_check *check, double got, double want);
/* Add a result at its place to the hash; order does not matter. */
void case_hash(struct case_check *check, uint64_t place, float result);
/* Bounds for sums of k products of numbers in [-1, 1), which are those of the
 * format (docs/02_reference/arithmetic.md): k/64 for each, sqrt(k)/256 for
 * their root mean square. */
struct case_check case_expect(uint64_t k);
/* Gather: rank 0 gets the whole, sums and the largest error. */
void case_check_all(struct case_check *check);
/* Root mean square of the errors; and are all results within the bounds? */
double case_typical(const struct case_check *check);
int case_passes(const struct case_check *check);

#endif
