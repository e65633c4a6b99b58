/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions, build flavour and sizes of this installation. Included by gasnet.h and
 * gasnet_tools.h. The two flavour switches are fixed in each prefix's copy of this
 * file (<prefix>/debug has FSH_CONFIG_DEBUG 1, <prefix>/everything has
 * FSH_CONFIG_EVERYTHING 1); the library refuses a program compiled for another
 * flavour.
 */
#ifndef GASNET_CONFIG_H
#define GASNET_CONFIG_H

#define FSH_CONFIG_DEBUG 1
#define FSH_CONFIG_EVERYTHING 0

/* Revision of the ABI: all types, layouts and inline functions in these headers
 * that the library shares. Part of the word that gasnet_init passes. */
#define FSH_CONFIG_ABI 3

#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR

/* The GASNet release with the same GASNet-1 interface; programs test for a
 * minimum. */
#define GASNET_RELEASE_VERSION_MAJOR 1
#define GASNET_RELEASE_VERSION_MINOR 32
#define GASNET_RELEASE_VERSION_PATCH 0

/* The release of FSHMEM itself. */
#define FSHMEM_VERSION_MAJOR 1
#define FSHMEM_VERSION_MINOR 0
#define FSHMEM_VERSION_PATCH 0

/* In bytes; a literal, for use in #if and static arrays. */
#define GASNET_PAGESIZE 4096
#define FSH_CONFIG_PAGESHIFT 12

/* Ranks share no load/store memory, and segments may start anywhere. */
#define GASNET_PSHM 0
#define GASNET_ALIGNED_SEGMENTS 0

/* Remote memory is the segment, or the node's whole address space. */
#undef GASNET_SEGMENT_FAST
#undef GASNET_SEGMENT_LARGE
#undef GASNET_SEGMENT_EVERYTHING
#if FSH_CONFIG_EVERYTHING
#define GASNET_SEGMENT_EVERYTHING 1
#else
#define GASNET_SEGMENT_FAST 1
#endif

#define SIZEOF_GASNET_REGISTER_VALUE_T 8

#if FSH_CONFIG_DEBUG
#undef GASNET_DEBUG
#undef GASNET_NDEBUG
#define GASNET_DEBUG 1
#undef GASNET_DEBUGMALLOC
#define GASNET_DEBUGMALLOC 1
#else
#undef GASNET_DEBUG
#undef GASNET_NDEBUG
#define GASNET_NDEBUG 1
#endif

/* Threads a client may have in the library at once. The library has no hard
 * limit. */
#define GASNETI_MAX_THREADS 1024

/* Configure results that GASNet's own programs test. */
#ifndef HAVE_PTHREAD_H
#define HAVE_PTHREAD_H 1
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif
#ifndef HAVE_SCHED_YIELD
#define HAVE_SCHED_YIELD 1
#endif
#ifndef HAVE_NANOSLEEP
#define HAVE_NANOSLEEP 1
#endif

/* In bytes, spelled as a configure script would, so that a client's own
 * definition is identical. */
#ifndef SIZEOF_CHAR
#define SIZEOF_CHAR 1
#endif
#ifndef SIZEOF_SHORT
#define SIZEOF_SHORT 2
#endif
#ifndef SIZEOF_INT
#define SIZEOF_INT 4
#endif
#ifndef SIZEOF_LONG
#define SIZEOF_LONG 8
#endif
#ifndef SIZEOF_LONG_LONG
#define SIZEOF_LONG_LONG 8
#endif
#ifndef SIZEOF_VOID_P
#define SIZEOF_VOID_P 8
#endif
#ifndef SIZEOF_SIZE_T
#define SIZEOF_SIZE_T 8
#endif
#ifndef SIZEOF_PTRDIFF_T
#define SIZEOF_PTRDIFF_T 8
#endif

#endif
