/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GASNet's tracing and statistics. FSHMEM implements neither: the macros
 * compile to nothing and report that they are off. Included by gasnet_tools.h.
 */
#ifndef GASNET_TOOLS_TRACE_H
#define GASNET_TOOLS_TRACE_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Checks its format string and does nothing. Programs take its address. */
__attribute__((__format__(__printf__, 1, 2), __unused__)) static void
_gasnett_trace_printf_noop(const char *format, ...)
{
    (void)format;
}

/* [R-TOOL-27] */
#define GASNETT_TRACE_ENABLED 0
#define GASNETT_TRACE_PRINTF _gasnett_trace_printf_noop
#define GASNETT_TRACE_PRINTF_FORCE _gasnett_trace_printf_noop
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) ((void)(mask))
#define GASNETT_TRACE_GET_TRACELOCAL() (0)
#define GASNETT_TRACE_SET_TRACELOCAL(newval) ((void)(newval))
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)(file), (void)(line))
#define GASNETT_TRACE_GETSOURCELINE(pfile, pline) ((void)(pfile), (void)(pline))
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)

/* [R-TOOL-27] */
#define GASNETT_STATS_ENABLED 0
#define GASNETT_STATS_INIT(callbackfn) ((void)(callbackfn), 0)
#define GASNETT_STATS_PRINTF _gasnett_trace_printf_noop
#define GASNETT_STATS_PRINTF_FORCE _gasnett_trace_printf_noop
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) ((void)(mask))
#define GASNETT_STATS_DUMP(reset) ((void)(reset))

#ifdef __cplusplus
}
#endif

#endif
