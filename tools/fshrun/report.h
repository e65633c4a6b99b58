/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --report: a page of what a job did. It is made of a trace, which is kept without a
 * name if the user wants none, and of what the simulator counts.
 */
#ifndef FSHRUN_REPORT_H
#define FSHRUN_REPORT_H

#include <stdbool.h>

#include "boot/job.h"

struct report;
/* Before the job: path is where the page goes, trace the file that the user wants, or
 * NULL. NULL, having said why, if the page could not be written there. */
struct report *report_new(const char *path, const char *trace);
/* Where the trace is to go. Valid as long as the report. */
const char *report_trace(const struct report *r);
/* The job has been made: from here on the simulator counts, if there is one. */
void report_count(struct report *r, const struct fsh_job *job);
/* The job has ended with that code, and the trace is complete. program: argv of the
 * ranks. False if the page could not be written, which has been said. */
bool report_write(struct report *r, char *const *program, int code);
void report_free(struct report *r);

#endif
