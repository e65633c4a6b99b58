/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --trace. trace.c takes records from the job's rings, on a thread of its own;
 * trace_file.c writes them as events. The file is described in
 * docs/02_reference/traces.md.
 */
#ifndef FSHRUN_TRACE_H
#define FSHRUN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/trace.h"
#include "boot/job.h"

/* ---- trace.c ---- */

struct trace;
/* Make the file, for a job that has a trace. NULL, having said why. */
struct trace *trace_new(const char *path, const struct fsh_job *job);
/* In the launcher, when all ranks are started: from here on they are served. */
void trace_start(struct trace *t);
/* The job has ended: write the rest. False if the file is not whole, which has been
 * said. */
bool trace_end(struct trace *t);
void trace_free(struct trace *t);

/* ---- trace_file.c ---- */

/* Processes of the file: a rank by its number, a node by its number and this. */
#define TRACE_NODES 10000u

struct trace_file {
    const char *path;
    int fd;
    bool failed; /* said; nothing is written any more */
    bool simulated;
    uint64_t start_ns;
    size_t fill;
    /* A write of more costs as much a byte, and holds up whoever waits for the processor
     * for longer. */
    char text[32 << 10];
};

/* Names of a ring, and as they stand in the file: those that have been needed. */
struct trace_names {
    char (*from)[FSH_TRACE_NAME_BYTES];
    struct trace_name *made[FSH_TRACE_NAMES];
};
void trace_names_free(struct trace_names *names);

/* Make the file, with its first events. False with errno. */
bool trace_file_open(struct trace_file *f, const char *path,
                     const struct fsh_job_page *page,
                     const struct fsh_trace *trace);
/* The name of a rank's thread, before its first event. */
void trace_file_track(struct trace_file *f, uint32_t rank, unsigned track);
/* A record of a rank, or with TRACE_NODES of a simulator, which names the node
 * itself. names: of its ring. */
void trace_file_event(struct trace_file *f, uint32_t process,
                      const struct fsh_trace_record *record,
                      struct trace_names *names);
/* So many records of a rank, or with TRACE_NODES of a simulator, are missing. */
void trace_file_dropped(struct trace_file *f, uint32_t process, uint64_t count);
/* Write what has come together. */
void trace_file_flush(struct trace_file *f);
/* End the array. False if something could not be written, which has been said. */
bool trace_file_close(struct trace_file *f);

#endif
