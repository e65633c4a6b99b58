/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GASNet-1 API (specification 1.8.1). The client defines exactly one of
 * GASNET_SEQ, GASNET_PARSYNC, GASNET_PAR before including this file. One ABI serves
 * all conduits and thread modes: gasnet_init passes the mode and the default conduit
 * to the library.
 *
 * Compiles as C89 with GNU extensions up to C17 and as C++11 up to C++20. All
 * functions may be called from any thread that the client's mode allows; only those
 * marked [handler] also from within an active message handler. Misuse that GASNet
 * leaves undefined ends the job with one line that names the call and the argument.
 *
 * [R-...] names the rules of docs/02_reference/gasnet.md that a call keeps;
 * tests/conform/INDEX lists their tests. For all calls: R-JOB-15 (a node may be its
 * own peer), R-THR-01, R-THR-02, R-THR-03 (threads), R-AM-22 (calls in loops).
 */
#ifndef GASNET_H
#define GASNET_H
#define _INCLUDED_GASNET_H /* programs test for this name */

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

/* ---- conduit: this program's default; fshrun may override it ------------- */

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
/* The launcher finds the program's default conduit by this mark. */
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

/* Generation and index of an operation, not an address: a stale handle is
 * harmless and counts as complete. */
typedef void *gasnet_handle_t;
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)
typedef struct fsh_gasnet_valget *gasnet_valget_handle_t;

#if !defined(__cplusplus) && !defined(GASNET_USE_STRICT_PROTOTYPES)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
/* In C, handlers of any argument count convert without a cast. */
typedef struct {
    gasnet_handler_t index; /* 128..255, or 0: assigned by the library and
                               written back */
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
    void *addr;     /* the segment's address in its owner's process */
    uintptr_t size; /* bytes */
} gasnet_seginfo_t;

typedef struct {
    gasnet_node_t host;      /* equal: same host */
    gasnet_node_t supernode; /* equal: load/store shared memory (never here) */
} gasnet_nodeinfo_t;

/* ---- job control --------------------------------------------------------- */

#define FSH_GASNET_WORD                                                \
    ((uint32_t)FSH_CONFIG_ABI << 16 | (uint32_t)FSH_GASNET_MODE << 8 | \
     (uint32_t)FSH_CONFIG_EVERYTHING << 1 | (uint32_t)FSH_CONFIG_DEBUG)

/* Joins the job. Collective, on the main thread; blocks until all nodes have
 * joined or a time limit expires. Returns GASNET_OK, or GASNET_ERR_NOT_INIT on
 * a second call; a failure to start is fatal with a message. Either pointer may
 * be null; the vector remains the caller's. From then on the job rules govern
 * signals, child processes and process exit.
 * [R-JOB-01, R-JOB-03, R-JOB-12, R-JOB-13, R-JOB-16, R-END-08, R-END-10,
 * R-END-11] */
#define gasnet_init(argc, argv)                                      \
    fsh_gasnet_init(argc, argv, FSH_GASNET_WORD, FSH_GASNET_CONDUIT, \
                    fsh_gasnet_header)

/* The path of this file, from which the library finds the simulator installed
 * under the same prefix. */
static const char fsh_gasnet_header[] __attribute__((__unused__)) = __FILE__;
/* The strings are kept, not copied. */
int fsh_gasnet_init(int *argc, char ***argv, uint32_t word,
                    const char *default_conduit, const char *header);

/* Registers the handlers (indices 128..255; 0 is replaced by the lowest free one) and
 * creates the segment of segsize bytes: a multiple of GASNET_PAGESIZE, at most
 * gasnet_getMaxLocalSegmentSize(), possibly 0 and different on each node. Collective;
 * acts as a barrier. Returns GASNET_OK, GASNET_ERR_BAD_ARG with a line on stderr, or
 * GASNET_ERR_NOT_INIT before gasnet_init or on a second call; an error changes nothing.
 * The table is accessed during the call only. minheapoffset is ignored. With
 * GASNET_SEGMENT_EVERYTHING segsize is ignored too: all memory is remotely accessible
 * and no segment is created.
 * [R-JOB-03, R-JOB-04, R-JOB-05, R-JOB-06, R-JOB-08, R-JOB-09] */
int gasnet_attach(gasnet_handlerentry_t *table, int numentries,
                  uintptr_t segsize, uintptr_t minheapoffset);

/* The largest segment, in bytes, for this node / on every node; (uintptr_t)-1
 * with GASNET_SEGMENT_EVERYTHING. Valid after gasnet_init. Local; never block.
 * [R-JOB-02, R-JOB-07] */
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* Ends the whole job with this exit code. [handler] Callable from any thread at any
 * time after gasnet_init, by one node or by all. Flushes stdio; peers that have not
 * exited after GASNET_EXITTIMEOUT seconds are killed. Does not return. Any other
 * termination (return from main, exit, _exit, a crash) ends the job too.
 * [R-END-01, R-END-02, R-END-03, R-END-04, R-END-05, R-END-06, R-END-07, R-END-09] */
void gasnet_exit(int exitcode) __attribute__((__noreturn__));

/* This node's number, 0 to gasnet_nodes() - 1, and the number of nodes. Valid
 * after gasnet_init. [handler]
 * [R-JOB-01, R-JOB-02] */
gasnet_node_t gasnet_mynode(void);
gasnet_node_t gasnet_nodes(void);
/* The same as variables; (gasnet_node_t)-1 and 0 before gasnet_init. Not in the
 * specification, but programs and profilers read them. */
extern gasnet_node_t gasneti_mynode;
extern gasnet_node_t gasneti_nodes;

/* Fill in at most numentries entries, indexed by node; the rest of the table is
 * unchanged. With GASNET_SEGMENT_EVERYTHING every segment is {0,
 * (uintptr_t)-1}. Segment information is valid after gasnet_attach, node
 * information after gasnet_init. Local; never block. Return GASNET_OK,
 * GASNET_ERR_BAD_ARG (null table, negative number) or GASNET_ERR_NOT_INIT.
 * [R-JOB-02, R-JOB-10, R-JOB-14] */
int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries);

/* Looks a variable up in the launcher's environment; null if unset. The string
 * stays valid.
 * [R-JOB-02, R-JOB-11] */
char *gasnet_getenv(const char *name);

/* Name and description of a GASNET_ERR_ code. Static strings, for any value.
 * [handler]
 * [R-HDR-07, R-JOB-02] */
const char *gasnet_ErrorName(int errval);
const char *gasnet_ErrorDesc(int errval);

/* If set, gasnet_attach calls it once with this node's segment (size in bytes) before
 * any message arrives. It must not communicate.
 * [R-JOB-17] */
extern void (*gasnet_client_attach_hook)(void *addr, uintptr_t size);

/* ---- threads ------------------------------------------------------------- */

/* Returns a value unique to the calling thread. The macros that follow are
 * declarations without effect. Never blocks.
 * [R-THR-05] */
gasnet_threadinfo_t fsh_gasnet_threadinfo(void);
#define GASNET_GET_THREADINFO() fsh_gasnet_threadinfo()
#define GASNET_POST_THREADINFO(info) \
    gasnet_threadinfo_t fsh_gasnet_posted_ __attribute__((__unused__)) = (info)
#define GASNET_BEGIN_FUNCTION() \
    typedef int fsh_gasnet_function_ __attribute__((__unused__))

/* Sets how blocking calls of this node's threads wait: GASNET_WAIT_SPIN never
 * sleeps, _BLOCK sleeps at once, _SPINBLOCK (the default) spins, yields, then
 * sleeps. Returns GASNET_OK or GASNET_ERR_BAD_ARG.
 * [R-THR-06] */
int gasnet_set_waitmode(int wait_mode);

/* ---- polling and waiting ------------------------------------------------- */

/* Polls: runs the handlers of messages that have arrived. Never blocks. Returns
 * GASNET_OK. The second is an old name of the first.
 * [R-AM-14, R-AM-16, R-HDR-10] */
int gasnet_AMPoll(void);
int gasnetc_AMPoll(void);

/* Internal to GASNET_BLOCKUNTIL. fsh_gasnet_blockuntil makes one round: it polls, then
 * spins or sleeps for a bounded time. fsh_gasnet_unblock ends the wait. what: static
 * string for diagnostics. */
typedef struct {
    uint64_t state[4];
} fsh_gasnet_wait_t;
void fsh_gasnet_blockuntil(fsh_gasnet_wait_t *wait, const char *what);
void fsh_gasnet_unblock(fsh_gasnet_wait_t *wait);

/* gcc's thread sanitizer does not support fences and warns about them; it sees
 * the atomics in the wait instead. */
#if defined(__SANITIZE_THREAD__)
#define GASNETI_ACQUIRE() ((void)0)
#define GASNETI_RELEASE() ((void)0)
#else
#define GASNETI_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define GASNETI_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/* Polls until cond is true. cond may change through a handler, a remote put or
 * another thread. The acquire fence orders what follows after whatever made
 * cond true, and the compiler barrier keeps cond from being cached in a
 * register.
 * [R-AM-19, R-AM-20] */
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

/* All zero: unlocked. Only debug libraries use `owner`, `below` (the lock this
 * thread took before) and `state` (whether the lock is initialised). */
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

/* Handlers never interrupt a client thread, so these only check for misuse (debug).
 * Never block or poll. [handler]
 * [R-HSL-04] */
void gasnet_hold_interrupts(void);
void gasnet_resume_interrupts(void);

/* Handler-safe locks between the threads of this node. The client owns the
 * memory and must not move it. [handler] lock blocks without polling; trylock
 * returns GASNET_OK or GASNET_ERR_NOT_READY at once.
 * [R-HSL-01, R-HSL-02, R-HSL-03] */
void gasnet_hsl_init(gasnet_hsl_t *hsl);
void gasnet_hsl_destroy(gasnet_hsl_t *hsl);
void gasnet_hsl_lock(gasnet_hsl_t *hsl);
int gasnet_hsl_trylock(gasnet_hsl_t *hsl);
void gasnet_hsl_unlock(gasnet_hsl_t *hsl);

/* Debug libraries warn about locks and no-interrupt sections held for long, and
 * name the line that took them. */
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

/* Split-phase barrier over all nodes, with one thread per node and phase.
 * notify does not wait for peers. wait and try compare (id, flags) with the
 * consensus of all notifies (anonymous, one id, or mismatch) and return
 * GASNET_OK or GASNET_ERR_BARRIER_MISMATCH; try may also return
 * GASNET_ERR_NOT_READY. wait blocks, polling; try polls once.
 * [R-BAR-01, R-BAR-02, R-BAR-03, R-BAR-04, R-BAR-05, R-BAR-06, R-BAR-07,
 * R-BAR-08, R-THR-04] */
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags); /* notify and wait */
/* Non-zero if the last barrier was anonymous; else returns 0 and sets *id. */
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
