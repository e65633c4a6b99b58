/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tools that need a job. Included by the later of gasnet.h and
 * gasnet_tools.h.
 */
#ifndef GASNET_TOOLS_JOB_H
#define GASNET_TOOLS_JOB_H

#if !defined(GASNET_H) || !defined(GASNET_TOOLS_H)
#error Include gasnet.h and gasnet_tools.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The handlers that gasnett_run_diagnostics needs. Pass them to gasnet_attach,
 * alone or with others. The library owns the table. Local; call before
 * gasnet_attach.
 * [R-TOOL-29] */
void gasnett_diagnostic_gethandlers(gasnet_handlerentry_t **table, int *count);

/* Runs the library's self-tests: atomics, locks, thread-specific pointers,
 * number parsing, active messages, put and get. Collective, after a
 * gasnet_attach with the handlers above and a segment of at least a page on
 * every node. iterations scales the loops; threads are used in GASNET_PAR and
 * PARSYNC. sections: letters of the sections to run, as printed by rank 0; NULL
 * or "": all. seginfo: the table from gasnet_getSegmentInfo, or NULL. Blocks,
 * polling; not callable from handlers. Returns the number of failed checks on
 * this node, each reported on stderr.
 * [R-TOOL-29] */
int gasnett_run_diagnostics(int iterations, int threads, const char *sections,
                            gasnet_seginfo_t const *seginfo);

#ifdef __cplusplus
}
#endif

#endif
