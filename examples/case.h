/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common code of the case studies: joining a job, options, room in the segment,
 * reproducible numbers, the self-check, and the common start. A workload
 * (matmul.h, conv.h) is prepared, started, awaited and checked; 06_matmul and
 * 07_conv do so once, `fshperf case-study` also measures it.
 * Public API only. Main thread.
 */
#ifndef CASE_H
#define CASE_H

#include <gasnet.h>

#include <fshmem.h>
#include <stddef.h>
#include <stdint.h>

/* Event awaited by the first command of every queue that would otherwise start
 * at once. Workloads use the events after it. */
#define CASE_START 0

/* ---- the job ---- */

/* Join the job; messages use this name. */
void case_join(const char *name, int *argc, char ***argv);
/* Attach a segment of at least so many bytes, the same on all ranks. If that is
 * impossible, or a rank has no compute core, ends the job with a message that
 * names the remedy. */
void case_attach(uint64_t bytes);
void case_barrier(void);
/* End the job, after a barrier if the code is 0. */
void case_leave(int code);

/* End the job. case_refuse: all ranks have found the same mistake of the user,
 * and one reports it; case_fail: this rank has failed. */
void case_refuse(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
void case_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
/* case_fail unless status is FSHMEM_OK. */
void case_fine(const char *what, fshmem_status_t status);

/* Gather `bytes` bytes of every rank on rank 0, in rank order; collective;
 * at most 512 bytes. all is written on rank 0 only. */
void case_gather(const void *mine, size_t bytes, void *all);

/* Signal the number of starts that this node's commands await; they run then. */
void case_start(unsigned starts);

/* ---- options: --name VALUE, or --name alone for a flag ---- */

struct case_option {
    const char *name; /* with the dashes */
    const char *help; /* one line, including the name of the value */
    /* One of these is set. */
    uint32_t *number;    /* from least to most */
    const char **string; /* any, or one of choices */
    int *flag;           /* set to 1 */
    uint32_t least, most;
    const char *choices; /* "one|two|three" */
};

/* Parses all options; --help prints usage and options and ends the job. A wrong
 * option ends it with a message that names argument and limit. */
void case_options(int argc, char **argv, const char *usage,
                  const struct case_option *options, size_t count);

/* ---- memory ---- */

/* The next `bytes` bytes of a segment, of which *next are in use. */
fshmem_offset_t case_take(uint64_t *next, uint64_t bytes);
/* Address of an offset in this rank's segment. */
void *case_at(fshmem_offset_t offset);

/* ---- commands ---- */

struct case_commands {
    fshmem_command_t *at;
    size_t count, room;
};

/* Append one; ends the job if there is no memory. */
fshmem_command_t *case_command(struct case_commands *commands);
void case_commands_free(struct case_commands *commands);

/* ---- numbers ---- */

/* A number in [-1, 1) for each element of each operand. */
float case_number(uint32_t seed, uint32_t operand, uint64_t place);

/* ---- self-check ---- */

struct case_check {
    uint64_t compared, wrong;
    double largest;       /* error */
    double bound;         /* for every error */
    double squares;       /* sum of the squares of the errors */
    double typical_bound; /* for their root mean square */
    uint64_t hash; /* of this rank's results; the job's is the sum over ranks */
};

void case_compare(struct case_check *check, double got, double want);
/* Add a result with its position to the hash; order does not matter. */
void case_hash(struct case_check *check, uint64_t place, float result);
/* Bounds for sums of k products of numbers in [-1, 1), from the number format
 * (docs/02_reference/arithmetic.md): k/64 for each, sqrt(k)/256 for
 * their root mean square. */
struct case_check case_expect(uint64_t k);
/* Combine on rank 0: sums and the largest error. */
void case_check_all(struct case_check *check);
/* Root mean square of the errors; whether all results are within the bounds. */
double case_typical(const struct case_check *check);
int case_passes(const struct case_check *check);

#endif
