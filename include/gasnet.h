/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GASNet-1 (specification 1.8.1) as FSHMEM offers it. The client defines
 * exactly one of GASNET_SEQ, GASNET_PARSYNC, GASNET_PAR before including this
 * file. One ABI serves all conduits and thread modes: the mode and the default
 * conduit travel to the library in gasnet_init.
 *
 * Compiles as C89 with GNU extensions up to C17 and as C++11 up to C++20. All
 * functions may be called from any thread the client's mode allows; only those
 * marked [handler] also from inside an active message handler. Misuse that
 * GASNet leaves undefined ends the job with one line naming call and argument.
 *
 * [R-...] names the rules of docs/02_reference/gasnet.md that a call keeps, with
 * their tests in tests/conform/INDEX. For all calls: R-JOB-15 (a node may be its
 * own peer), R-THR-01, R-THR-02, R-THR-03 (threads), R-AM-22 (loops of calls).
 */
#ifndef GASNET_H
#define GASNET_H
#define _INCLUDED_GASNET_H /* programs ask for it by this name */

#include "gasnet_basic.h"

/* ---- thread mode ------------------------------------------------------- */

#if (defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR)) != 1
#error Define exactly one of GASNET_SEQ, GASNET_PARSYNC, GASNET_PAR before \
including gasnet.h
#endif
#if defined(GASNET_SEQ)
#undef GASNET_SEQ
#define GASNET_SEQ 1
#define FSH_GASNET_MODE 1
#define FSH_GASNET_MODE_STR "SEQ"
#elif defined(GASNET_PARSYNC)
#undef GASNET_PARSYNC
#define GASNET_PARSYNC 1
#define FSH_GASNET_MODE 2
#define FSH_GASNET_MODE_STR "PARSYNC"
#else
#undef GASNET_PAR
#define GASNET_PAR 1
#define FSH_GASNET_MODE 3
#define FSH_GASNET_MODE_STR "PAR"
#endif

/* ---- conduit: the default one of this program; fshrun may choose another - */

#if defined(GASNET_CONDUIT_SMP) + defined(GASNET_CONDUIT_OFI) + \
        defined(GASNET_CONDUIT_FPGA) >                          \
    1
#error Define at most one of GASNET_CONDUIT_SMP, _OFI and _FPGA
#endif
#if defined(GASNET_CONDUIT_FPGA)
#undef GASNET_CONDUIT_FPGA
#define GASNET_CONDUIT_FPGA 1
#define GASNET_CONDUIT_NAME FPGA
#define GASNET_CONDUIT_NAME_STR "FPGA"
#define FSH_GASNET_CONDUIT "fpga"
#elif defined(GASNET_CONDUIT_OFI)
#undef GASNET_CONDUIT_OFI
#define GASNET_CONDUIT_OFI 1
#define GASNET_CONDUIT_NAME OFI
#define GASNET_CONDUIT_NAME_STR "OFI"
#define FSH_GASNET_CONDUIT "ofi"
#else
#undef GASNET_CONDUIT_SMP
#define GASNET_CONDUIT_SMP 1
#define GASNET_CONDUIT_NAME SMP
#define GASNET_CONDUIT_NAME_STR "SMP"
#define FSH_GASNET_CONDUIT "smp"
#endif
#if !defined(FSH_GASNET_LIBRARY) && !defined(FSH_GASNET_NO_MARK)
/* The launcher finds the conduit a program was built for by this mark. */
__attribute__((used)) static const char fsh_gasnet_conduit_mark[] =
    "$FSHMEMConduit: " FSH_GASNET_CONDUIT " $";
#endif
#define GASNET_CORE_NAME GASNET_CONDUIT_NAME
#define GASNET_CORE_NAME_STR GASNET_CONDUIT_NAME_STR
#define GASNET_CORE_VERSION 1.0
#define GASNET_CORE_VERSION_STR "1.0"
#define GASNET_EXTENDED_NAME FSHMEM
#define GASNET_EXTENDED_NAME_STR "FSHMEM"
#define GASNET_EXTENDED_VERSION 1.0
#define GASNET_EXTENDED_VERSION_STR "1.0"

#if FSH_CONFIG_DEBUG
#define FSH_GASNET_DEBUG_STR "debug"
#else
#define FSH_GASNET_DEBUG_STR "nodebug"
#endif
#if FSH_CONFIG_EVERYTHING
#define FSH_GASNET_SEGMENT_STR "EVERYTHING"
#else
#define FSH_GASNET_SEGMENT_STR "FAST"
#endif
/* clang-format off */
#define GASNET_CONFIG_STRING \
    "RELEASE=" _STRINGIFY(GASNET_RELEASE_VERSION_MAJOR) "." \
    _STRINGIFY(GASNET_RELEASE_VERSION_MINOR) "." \
    _STRINGIFY(GASNET_RELEASE_VERSION_PATCH) \
    ",SPEC=1.8,CONDUIT=" GASNET_CONDUIT_NAME_STR \
    "(" GASNET_CORE_NAME_STR "-" GASNET_CORE_VERSION_STR "/" \
    GASNET_EXTENDED_NAME_STR "-" GASNET_EXTENDED_VERSION_STR \
    "),THREADMODEL=" FSH_GASNET_MODE_STR \
    ",SEGMENT=" FSH_GASNET_SEGMENT_STR \
    ",PTR=64bit,PAGESIZE=4096,noalign,nopshm," \
    FSH_GASNET_DEBUG_STR ",notrace,nostats"
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- constants and types ------------------------------------------------- */

#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

#define GASNET_MAXNODES 0x7FFFFFFFu
#define GASNET_NULL_ARGV_OK 1

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_IMAGES 4
#define GASNET_BARRIERFLAG_UNNAMED (GASNET_BARRIERFLAG_ANONYMOUS | 8)

#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2

typedef uint32_t gasnet_node_t;
typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
typedef void *gasnet_token_t;
typedef uintptr_t gasnet_register_value_t;
typedef void *gasnet_threadinfo_t;

/* Generation and index of an operation, not an address: a handle that has been
 * synchronised stays harmless and counts as complete. */
typedef void *gasnet_handle_t;
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)
typedef struct fsh_gasnet_valget *gasnet_valget_handle_t;

#if !defined(__cplusplus) && !defined(GASNET_USE_STRICT_PROTOTYPES)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
/* Handlers of any argument count are stored without a cast in C. */
typedef struct {
    gasnet_handler_t index; /* 128..255, or 0: chosen and written back */
#ifdef GASNET_USE_STRICT_PROTOTYPES
    void *fnptr;
#else
    void (*fnptr)();
#endif
} gasnet_handlerentry_t;
#if !defined(__cplusplus) && !defined(GASNET_USE_STRICT_PROTOTYPES)
#pragma GCC diagnostic pop
#endif

typedef struct {
    void *addr;     /* as the owner of the segment sees it */
    uintptr_t size; /* bytes */
} gasnet_seginfo_t;

typedef struct {
    gasnet_node_t host;      /* equal: same machine */
    gasnet_node_t supernode; /* equal: load/store shared memory (never here) */
} gasnet_nodeinfo_t;

/* ---- job control --------------------------------------------------------- */

#define FSH_GASNET_WORD                                                \
    ((uint32_t)FSH_CONFIG_ABI << 16 | (uint32_t)FSH_GASNET_MODE << 8 | \
     (uint32_t)FSH_CONFIG_EVERYTHING << 1 | (uint32_t)FSH_CONFIG_DEBUG)

/* Join the job. Collective; blocks until all nodes are there, or a time limit.
 * Main thread. Returns GASNET_OK, or GASNET_ERR_NOT_INIT on a second call; any
 * failure to start is fatal with a message. Either pointer may be null; the
 * vector stays the caller's. From then on signals, children and the end of the
 * process follow the rules of jobs.
 * [R-JOB-01, R-JOB-03, R-JOB-12, R-JOB-13, R-JOB-16, R-END-08, R-END-10,
 * R-END-11] */
#define gasnet_init(argc, argv)                                      \
    fsh_gasnet_init(argc, argv, FSH_GASNET_WORD, FSH_GASNET_CONDUIT, \
                    fsh_gasnet_header)

/* Where this file is: the simulator is looked for in the same prefix. */
static const char fsh_gasnet_header[] __attribute__((__unused__)) = __FILE__;
/* Strings are kept, not copied. */
int fsh_gasnet_init(int *argc, char ***argv, uint32_t word,
                    const char *default_conduit, const char *header);

/* Collective. Register handlers (indices 128..255; 0 is replaced by the lowest
 * free one) and create the segment of segsize bytes (multiple of
 * GASNET_PAGESIZE, at most gasnet_getMaxLocalSegmentSize(), may be 0 and differ
 * per node). Acts as a barrier. Returns GASNET_OK, GASNET_ERR_BAD_ARG with a
 * line on stderr, or GASNET_ERR_NOT_INIT before gasnet_init or on a second
 * call; an error changes nothing. The table is read, and indices are written,
 * during the call only. minheapoffset is ignored, and with
 * GASNET_SEGMENT_EVERYTHING segsize too: then all memory is remote memory and no
 * segment is made.
 * [R-JOB-03, R-JOB-04, R-JOB-05, R-JOB-06, R-JOB-08, R-JOB-09] */
int gasnet_attach(gasnet_handlerentry_t *table, int numentries,
                  uintptr_t segsize, uintptr_t minheapoffset);

/* Bytes this node / every node can have as segment; (uintptr_t)-1 with
 * GASNET_SEGMENT_EVERYTHING. After gasnet_init. Local; never block.
 * [R-JOB-02, R-JOB-07] */
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* End the whole job with this code. [handler] Any thread, any time after
 * gasnet_init, by one node or by all. Flushes stdio; peers that do not come to
 * an end themselves are ended after GASNET_EXITTIMEOUT seconds. Does not return.
 * Other ends (return from main, exit, _exit, a crash) end the job too.
 * [R-END-01, R-END-02, R-END-03, R-END-04, R-END-05, R-END-06, R-END-07,
 * R-END-09] */
void gasnet_exit(int exitcode) __attribute__((__noreturn__));

/* This node, 0 to gasnet_nodes() - 1, and how many there are. [handler] After
 * gasnet_init. [R-JOB-01, R-JOB-02] */
gasnet_node_t gasnet_mynode(void);
gasnet_node_t gasnet_nodes(void);
/* The same as variables, (gasnet_node_t)-1 and 0 before gasnet_init: not
 * specified, but programs and profilers read them. */
extern gasnet_node_t gasneti_mynode;
extern gasnet_node_t gasneti_nodes;

/* Fill at most numentries entries, by node; the rest stays untouched. With
 * GASNET_SEGMENT_EVERYTHING each is {0, (uintptr_t)-1}. Segments after attach,
 * nodes after init. Local; never block. Return GASNET_OK, GASNET_ERR_BAD_ARG
 * (null table, negative number) or GASNET_ERR_NOT_INIT.
 * [R-JOB-02, R-JOB-10, R-JOB-14] */
int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries);

/* The launcher's environment; null if unset. The string stays valid.
 * [R-JOB-02, R-JOB-11] */
char *gasnet_getenv(const char *name);

/* Name and description of a GASNET_ERR_ code; static strings, for any number.
 * [handler] [R-HDR-07, R-JOB-02] */
const char *gasnet_ErrorName(int errval);
const char *gasnet_ErrorDesc(int errval);

/* If set, called by gasnet_attach, once, with this node's segment (bytes), before
 * any message comes. Must not communicate. [R-JOB-17] */
extern void (*gasnet_client_attach_hook)(void *addr, uintptr_t size);

/* ---- threads ------------------------------------------------------------- */

/* A value that differs between threads and is constant within one; the rest are
 * declarations that change nothing. Never blocks. [R-THR-05] */
gasnet_threadinfo_t fsh_gasnet_threadinfo(void);
#define GASNET_GET_THREADINFO() fsh_gasnet_threadinfo()
#define GASNET_POST_THREADINFO(info) \
    gasnet_threadinfo_t fsh_gasnet_posted_ __attribute__((__unused__)) = (info)
#define GASNET_BEGIN_FUNCTION() \
    typedef int fsh_gasnet_function_ __attribute__((__unused__))

/* How blocked calls wait: GASNET_WAIT_SPIN never sleeps, _BLOCK sleeps at once,
 * _SPINBLOCK (the default) spins, yields, then sleeps. Of all threads of this
 * node. Returns GASNET_OK or GASNET_ERR_BAD_ARG. [R-THR-06] */
int gasnet_set_waitmode(int wait_mode);

/* ---- polling and waiting ------------------------------------------------- */

/* Run the handlers of what has arrived. Never blocks. Returns GASNET_OK. The
 * second is an old name of the first. [R-AM-14, R-AM-16, R-HDR-10] */
int gasnet_AMPoll(void);
int gasnetc_AMPoll(void);

/* The wait of one GASNET_BLOCKUNTIL: a round, which polls, spins or sleeps for a
 * bounded time, and its end. what: for reports, static. */
typedef struct {
    uint64_t state[4];
} fsh_gasnet_wait_t;
void fsh_gasnet_blockuntil(fsh_gasnet_wait_t *wait, const char *what);
void fsh_gasnet_unblock(fsh_gasnet_wait_t *wait);

/* gcc's thread sanitizer does not know fences (and says so); it sees the
 * atomics behind the wait. */
#if defined(__SANITIZE_THREAD__)
#define GASNETI_ACQUIRE() ((void)0)
#define GASNETI_RELEASE() ((void)0)
#else
#define GASNETI_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define GASNETI_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/* Poll until cond, which may change by a handler, a remote put or another
 * thread. The fence (acquire) orders what follows after what made cond true and
 * keeps the compiler from caching a plain variable. [R-AM-19, R-AM-20] */
#define GASNET_BLOCKUNTIL(cond)                                           \
    do {                                                                  \
        if (!(cond)) {                                                    \
            fsh_gasnet_wait_t fsh_wait_ = {{0, 0, 0, 0}};                 \
            do {                                                          \
                fsh_gasnet_blockuntil(                                    \
                    &fsh_wait_, __FILE__                                  \
                    ":" _STRINGIFY(__LINE__) ": GASNET_BLOCKUNTIL(" #cond \
                                             ")");                        \
                __asm__ __volatile__("" : : : "memory");                  \
            } while (!(cond));                                            \
            fsh_gasnet_unblock(&fsh_wait_);                               \
        }                                                                 \
        GASNETI_ACQUIRE();                                                \
        __asm__ __volatile__("" : : : "memory");                          \
    } while (0)

/* ---- atomicity ----------------------------------------------------------- */

/* Zero is unlocked. `owner` and `below` (locks this thread took before) are
 * kept by debug libraries only, which also know by `state` what has been
 * initialised. */
typedef struct fsh_gasnet_hsl {
    uint32_t lock;
    uint32_t state;
    void *owner;
    struct fsh_gasnet_hsl *below;
} gasnet_hsl_t;
#define FSH_GASNET_HSL_STATIC (FSH_CONFIG_DEBUG * 0x48534c32u)
#define GASNET_HSL_INITIALIZER         \
    {                                  \
        0, FSH_GASNET_HSL_STATIC, 0, 0 \
    }

/* Handlers never interrupt a client thread: only misuse is checked (debug). Never
 * block, nor poll. [handler] [R-HSL-04] */
void gasnet_hold_interrupts(void);
void gasnet_resume_interrupts(void);

/* Handler-safe locks, between the threads of this node; the memory is the
 * client's, and must not move. [handler] lock blocks without polling; trylock
 * returns GASNET_OK or GASNET_ERR_NOT_READY, at once.
 * [R-HSL-01, R-HSL-02, R-HSL-03] */
void gasnet_hsl_init(gasnet_hsl_t *hsl);
void gasnet_hsl_destroy(gasnet_hsl_t *hsl);
void gasnet_hsl_lock(gasnet_hsl_t *hsl);
int gasnet_hsl_trylock(gasnet_hsl_t *hsl);
void gasnet_hsl_unlock(gasnet_hsl_t *hsl);

/* A debug library warns of what is held for long, and says since which line. */
void fsh_gasnet_hold_interrupts(const char *where);
void fsh_gasnet_hsl_lock(gasnet_hsl_t *hsl, const char *where);
int fsh_gasnet_hsl_trylock(gasnet_hsl_t *hsl, const char *where);
#if FSH_CONFIG_DEBUG && !defined(FSH_GASNET_LIBRARY)
#define FSH_GASNET_HERE __FILE__ ":" _STRINGIFY(__LINE__)
#define gasnet_hold_interrupts() fsh_gasnet_hold_interrupts(FSH_GASNET_HERE)
#define gasnet_hsl_lock(hsl) fsh_gasnet_hsl_lock(hsl, FSH_GASNET_HERE)
#define gasnet_hsl_trylock(hsl) fsh_gasnet_hsl_trylock(hsl, FSH_GASNET_HERE)
#endif

/* ---- barrier ------------------------------------------------------------- */

/* Split-phase barrier over all nodes, one thread a node and phase. notify does
 * not wait for peers. wait and try check (id, flags) against the consensus of
 * all notifies (anonymous, one id, or mismatch) and return GASNET_OK or
 * GASNET_ERR_BARRIER_MISMATCH; try also GASNET_ERR_NOT_READY. wait blocks,
 * polling; try polls once.
 * [R-BAR-01, R-BAR-02, R-BAR-03, R-BAR-04, R-BAR-05, R-BAR-06, R-BAR-07,
 * R-BAR-08, R-THR-04] */
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags); /* notify and wait in one */
/* Returns non-zero if the last barrier was anonymous, else 0 and its id. */
int gasnet_barrier_result(int *id);

#ifdef __cplusplus
}
#endif

#include "gasnet_am.h"
#include "gasnet_extended.h"
#include "gasnet_coll.h"

#ifdef GASNET_TOOLS_H
#include "gasnet_tools_job.h"
#endif

#endif
