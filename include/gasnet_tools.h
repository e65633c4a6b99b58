/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GASNet tools (specification 1.17): timers, atomics, memory barriers,
 * locks, thread-specific pointers, settings, and system queries for portable
 * programs. They need no job: a program may include this file alone and link
 * libgasnet_tools, or include it before or after gasnet.h.
 *
 * The client states whether it is threaded by defining GASNETT_THREAD_SAFE or
 * GASNETT_THREAD_SINGLE; after gasnet.h its thread mode decides. With neither,
 * the default is THREAD_SAFE if _REENTRANT, _THREAD_SAFE or pthread.h indicate
 * threads. GASNETT_LITE_MODE provides timers and memory barriers only.
 *
 * Compiles as C89 with GNU extensions up to C17 and as C++11 up to C++20.
 * Callable from any thread unless stated otherwise, and from active message
 * handlers except for calls that wait or end the program.
 *
 * [R-TOOL-...] names the rules of docs/02_reference/gasnet-tools.md that a call
 * keeps. For all: R-TOOL-01 (thread modes), R-TOOL-02 (languages), R-TOOL-03
 * (versions).
 */
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H
#define _INCLUDED_GASNET_TOOLS_H /* programs test for this name */

#if defined(GASNETT_LITE_MODE) + defined(GASNETT_THREAD_SAFE) + \
        defined(GASNETT_THREAD_SINGLE) >                        \
    1
#error Define at most one of GASNETT_THREAD_SAFE, GASNETT_THREAD_SINGLE and \
GASNETT_LITE_MODE
#endif
#if (defined(GASNETT_THREAD_SAFE) && defined(GASNET_SEQ)) || \
    (defined(GASNETT_THREAD_SINGLE) &&                       \
     (defined(GASNET_PARSYNC) || defined(GASNET_PAR)))
#error GASNETT_THREAD_SAFE or _SINGLE contradicts the mode of gasnet.h
#endif
#if defined(GASNETT_LITE_MODE)
#undef GASNETT_LITE_MODE
#define GASNETT_LITE_MODE 1
#define GASNETT_THREAD_MODEL LITE
#elif defined(GASNETT_THREAD_SAFE) || defined(GASNET_PARSYNC) || \
    defined(GASNET_PAR) ||                                       \
    (!defined(GASNET_SEQ) && !defined(GASNETT_THREAD_SINGLE) &&  \
     (defined(_REENTRANT) || defined(_THREAD_SAFE) ||            \
      defined(PTHREAD_MUTEX_INITIALIZER)))
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#define GASNETT_THREAD_MODEL PAR
#else
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#define GASNETT_THREAD_MODEL SEQ
#endif

#include "gasnet_basic.h"

#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 17
#define GASNETT_RELEASE_VERSION_MAJOR GASNET_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MINOR GASNET_RELEASE_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_PATCH GASNET_RELEASE_VERSION_PATCH

#include "gasnet_tools_annotate.h"
#include "gasnet_tools_time.h"

#if FSH_CONFIG_DEBUG
#define GASNETT_DEBUG_CONFIG debug
#else
#define GASNETT_DEBUG_CONFIG nodebug
#endif
#ifdef PLATFORM_ARCH_64
#define GASNETT_PTR_CONFIG 64bit
#else
#define GASNETT_PTR_CONFIG 32bit
#endif
/* clang-format off */
#define FSH_GASNETT_CONFIG_STRING                                \
    "RELEASE=" _STRINGIFY(GASNETT_RELEASE_VERSION_MAJOR) "."     \
    _STRINGIFY(GASNETT_RELEASE_VERSION_MINOR) "."                \
    _STRINGIFY(GASNETT_RELEASE_VERSION_PATCH)                    \
    ",SPEC=" _STRINGIFY(GASNETT_SPEC_VERSION_MAJOR) "."          \
    _STRINGIFY(GASNETT_SPEC_VERSION_MINOR)                       \
    ",PTR=" _STRINGIFY(GASNETT_PTR_CONFIG)                       \
    "," _STRINGIFY(GASNETT_DEBUG_CONFIG)                         \
    "," _STRINGIFY(GASNETT_THREAD_MODEL)                         \
    "," _STRINGIFY(GASNETT_TIMER_CONFIG)                         \
    "," _STRINGIFY(GASNETT_MEMBAR_CONFIG)
/* clang-format on */

#ifdef GASNETT_LITE_MODE
#define GASNETT_CONFIG_STRING FSH_GASNETT_CONFIG_STRING
#else
#include "gasnet_tools_atomic.h"
#include "gasnet_tools_system.h"
#include "gasnet_tools_threads.h"
#include "gasnet_tools_trace.h"
/* clang-format off */
#define GASNETT_CONFIG_STRING                   \
    FSH_GASNETT_CONFIG_STRING                   \
    "," _STRINGIFY(GASNETT_ATOMIC_CONFIG)       \
    "," _STRINGIFY(GASNETT_ATOMIC32_CONFIG)     \
    "," _STRINGIFY(GASNETT_ATOMIC64_CONFIG)
/* clang-format on */
#ifdef GASNET_H
#include "gasnet_tools_job.h"
#endif
#endif

#endif
