/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools that need a job. Included by gasnet.h and gasnet_tools.h, whichever
 * comes second.
 */
#ifndef GASNET_TOOLS_JOB_H
#define GASNET_TOOLS_JOB_H

#if !defined(GASNET_H) || !defined(GASNET_TOOLS_H)
#error Include gasnet.h and gasnet_tools.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The handlers that gasnett_run_diagnostics needs: give them to gasnet_attach,
 * alone or among others. The table stays the library's. Local, before
 * gasnet_attach. [R-TOOL-29] */
void gasnett_diagnostic_gethandlers(gasnet_handlerentry_t **table, int *count);

/* The library's own tests, with everything in use that programs rely on:
 * atomics, locks, thread-specific pointers, numbers, active messages, put and
 * get. Collective, after gasnet_attach, which got the handlers and a segment of
 * at least a page everywhere. `iterations` scales the loops; threads are used
 * in GASNET_PAR and PARSYNC. `sections`: letters of the ones to run, as rank 0
 * prints them; NULL or "": all. seginfo: the table gasnet_getSegmentInfo
 * fills, or NULL. Blocks, polling; not in handlers. Returns how many checks
 * failed on this node; a line on stderr says which. [R-TOOL-29] */
int gasnett_run_diagnostics(int iterations, int threads, const char *sections,
                            gasnet_seginfo_t const *seginfo);

#ifdef __cplusplus
}
#endif

#endif
