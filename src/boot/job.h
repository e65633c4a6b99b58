/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job: its shared control page, its memory objects (memfd, never a name in
 * the file system) and its simulator. Made by fshrun, or by a rank that was
 * started by hand. Everything dies with the last descriptor; processes die
 * with the lifeline pipe and PR_SET_PDEATHSIG. Main thread unless said otherwise.
 * A job's memory and descriptors are those of struct fsh_job, and fsh_job_destroy
 * gives them back; the struct is the caller's.
 */
#ifndef FSH_JOB_H
#define FSH_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fsh_spec.h"
#include "base/topology.h"

#define FSH_JOB_MAGIC 0x424f4a48u /* "HJOB" */
#define FSH_JOB_MAX_RANKS 1024
#define FSH_JOB_XCHG_MAX 256
#define FSH_JOB_NO_NODE UINT32_MAX
/* Exit code of a job that was ended because ranks went on long after another had
 * returned from main with 0: they waited for it, or were busy. */
#define FSH_JOB_LEFT_ALONE 123
/* What ranks get to go by themselves once one has called gasnet_exit. */
#define FSH_JOB_LEAVE_NS UINT64_C(250000000)
/* In abort_code: nobody has failed, the user has asked for the end. */
#define FSH_JOB_ASKED 0x100

enum fsh_rank_state {
    FSH_RANK_STARTING, /* forked, not in init yet */
    FSH_RANK_INIT,     /* in gasnet_init */
    FSH_RANK_RUNNING,
    FSH_RANK_LEAVING, /* in gasnet_exit, or has returned from main */
    FSH_RANK_LEFT,    /* orderly */
    FSH_RANK_DEAD,
};

/* One slot per rank; writer: the rank, except where the launcher is named. Of a rank on
 * another host: who watches the hosts (hosts.h), and state and exit_code only. */
struct fsh_rank_slot {
    _Alignas(64) atomic_int state; /* enum fsh_rank_state; launcher sets DEAD */
    atomic_int pid;
    atomic_int exit_code;
    atomic_uint barrier_seq; /* boot barriers this rank has entered */
    char waiting_for[112];   /* what a blocked call waits for; "" if none */
    _Atomic uint64_t step, steps; /* fshmem_progress; steps 0: not told */
    uint32_t host;                /* its number; who makes the job */
    uint32_t node; /* its node of the fabric, or FSH_JOB_NO_NODE; as above */
    unsigned char xchg[FSH_JOB_XCHG_MAX];
};

/* The control page. Writers: the launcher (or singleton) before ranks start;
 * then as noted. */
struct fsh_job_page {
    uint32_t magic;
    uint32_t size;        /* ranks, on all hosts */
    uint32_t here;        /* ranks on this host, which share this page */
    uint32_t host, hosts; /* this one's number; all */
    uint32_t job_id;      /* launcher's pid */
    uint32_t page_bytes;  /* sizeof(struct fsh_job_page): same release? */
    char conduit[16];
    uint64_t token[2];        /* random; on one host, for its messages */
    uint32_t simulated_clock; /* 1: hosts have simulated time (fpga) */
    int32_t trace_fd;         /* of struct fsh_trace in each process; -1 none */
    uint64_t trace_bytes;
    uint32_t nodes;        /* of the fabric; rank[].node says whose */
    uint32_t fabric_hosts; /* that have some of them, and a simulator each */
    uint64_t fabric_at;  /* offset of the simulator's object in FSH_FD_SHARED */
    uint64_t dram_bytes; /* per node, where ranks have nodes */
    uint64_t
        segment_max; /* per rank, where segments lie in the shared object */
    uint64_t shared_page;         /* bytes of a page of the shared object */
    struct fsh_topology topology; /* of the nodes, where ranks have some */
    _Alignas(64)
        atomic_uint barrier_futex; /* bumped on each barrier's release */
    atomic_uint barrier_count;
    /* -1 none, else the exit code (CAS), perhaps with FSH_JOB_ASKED. */
    _Alignas(64) atomic_int abort_code;
    atomic_int abort_rank; /* -2: reason not written yet, -1 launcher */
    atomic_uint abort_futex;
    char abort_reason[512];
    _Alignas(64) atomic_int sim_pid; /* 0 none */
    atomic_int sim_state;            /* 0 starting, 1 ready, 2 gone */
    char sim_error[512];
    atomic_uint sim_dumps;    /* sim: dumps of the fabric written; futex */
    atomic_uint fabric_told;  /* a rank that fails has asked for one */
    _Atomic uint64_t dump_ns; /* when a rank last printed the state of all */
    struct fsh_rank_slot rank[FSH_JOB_MAX_RANKS];
};

/* What the ranks of a conduit need of their job. A conduit has one, const
 * (conduit.h); boot asks nothing else of it. */
struct fsh_job_needs {
    const char *conduit; /* its name, 15 letters at most */
    uint32_t max_ranks;
    /* The setting that bounds a rank's segment. */
    const char *segment_option;
    /* Bytes of the object that all ranks map (FSH_FD_SHARED), with room for
     * segments of segment_max bytes each where they lie in it. NULL: none. */
    size_t (*shared_bytes)(uint32_t ranks, size_t segment_max);
    /* A rank has a node of its own, with device memory for its segment, a DMA
     * window and registers of these sizes, and fshsim runs beside the ranks, with
     * which those with nodes share an object of fabric_bytes. */
    bool nodes;
    /* Some have none (FSHMEM_CARDS): their segments lie in the shared object. */
    bool mixed;
    /* They may be on several hosts. */
    bool spreads;
    size_t dma_bytes, mmio_bytes, fabric_bytes;
};

/* Where in the object that all ranks map the simulator's part is, behind what ranks share
 * with segments of segment_max bytes; and the bytes of all of it. */
static inline size_t fsh_job_fabric_at(const struct fsh_job_needs *needs,
                                       uint32_t ranks, size_t segment_max)
{
    size_t own = needs->shared_bytes != NULL
                     ? needs->shared_bytes(ranks, segment_max)
                     : 0;

    return (own + 4095) & ~(size_t)4095;
}
static inline size_t fsh_job_shared_bytes(const struct fsh_job_needs *needs,
                                          uint32_t ranks, size_t segment_max)
{
    return fsh_job_fabric_at(needs, ranks, segment_max) + needs->fabric_bytes;
}

/* How the hosts of a job share out the nodes of its fabric; those of a host follow each
 * other. */
struct fsh_job_cut {
    uint32_t hosts; /* that have nodes; 0: no job with a fabric */
    uint32_t index; /* this one among them; or `hosts`: it has none */
    uint32_t first[FSH_MAX_NODES + 1]; /* node of each, and the number of all */
    uint32_t host[FSH_MAX_NODES];      /* their numbers among all hosts */
};

struct fsh_job_config {
    const struct fsh_job_needs *needs;
    uint32_t ranks;
    uint32_t here;                /* those on this host */
    uint32_t nodes;               /* of the fabric */
    struct fsh_job_cut cut;       /* where they are */
    uint64_t cards;               /* mixed: a bit for each rank that has one */
    struct fsh_topology topology; /* where ranks have nodes */
    bool simulated_clock;
    bool traced;        /* the job has memory for a trace (base/trace.h) */
    size_t segment_max; /* bytes per rank the shared object has room for; 0:
                         * what memory allows */
    size_t dram_bytes;  /* device memory per node */
    const char *const
        *sim_args; /* extra arguments of fshsim, NULL-terminated */
};

/* The launcher's handle. fds are close-on-exec until handed to a child. */
struct fsh_job {
    struct fsh_job_config config;
    struct fsh_job_page *page;
    int page_fd;
    int shared_fd;
    int lifeline
        [2]; /* every child holds the read end; the creator the write end */
    int abort_fd; /* eventfd, readable once abort_code is set */
    int trace_fd; /* or -1 */
    pid_t sim_pid;
    struct fsh_job_node {
        int dram_fd, dma_fd, mmio_fd;
    } * node; /* by node, not by rank; -1: of another host */
    /* With several hosts in config.cut: connections to the simulators of the others,
     * by their index there, for the one that is started; -1 none. */
    int peer_fd[FSH_MAX_NODES];
};

/* Has this host nodes? */
static inline bool fsh_job_has_nodes(const struct fsh_job_config *config)
{
    return config->cut.index < config->cut.hosts;
}

/* The topology of a job with so many nodes: what FSHMEM_TOPOLOGY chooses, or the
 * default. False with the reason and the remedy in err, as fsh_topology_make. */
bool fsh_job_topology(struct fsh_topology *t, uint32_t nodes, char *err,
                      size_t errlen);
/* Which of so many ranks have a card (FSHMEM_CARDS), a bit each. False with the reason
 * and the remedy in err. */
bool fsh_job_cards(uint32_t ranks, uint64_t *cards, char *err, size_t errlen);
/* What the settings say that fshsim is to be started with (FSHMEM_SIM_ARGS ...);
 * valid until the next call, NULL: out of memory. */
const char *const *fsh_job_sim_args(void);

/* Fill config from the settings (FSHMEM_TOPOLOGY, FSHMEM_SEGMENT_MAX,
 * FSHMEM_DRAM, FSHMEM_SIM_ARGS ...). Fatal with a message on a bad value. */
void fsh_job_config_init(struct fsh_job_config *config, uint32_t ranks,
                         const struct fsh_job_needs *needs);

/* Fatal with a message if the settings ask for simulated time that ranks of such needs do
 * not have. */
void fsh_job_check_clock(const struct fsh_job_needs *needs);

/* Create page and memory objects, and fill in *job. Returns 0, or a negative errno
 * with a message (what was asked, what limit, what to set) in err and nothing left
 * behind. */
int fsh_job_create(struct fsh_job *job, const struct fsh_job_config *config,
                   char *err, size_t errlen);
/* Start fshsim (found beside the running binary, in libexec, or FSHMEM_SIM);
 * blocks until it is ready or failed. It dies with the thread that called. Returns 0
 * or a negative errno with a message in err. */
int fsh_job_start_sim(struct fsh_job *job, char *err, size_t errlen);
/* End the simulator: SIGTERM, at most max_ns to write its files, then SIGKILL.
 * Blocks, 5 s longer at most. Returns its wait status, or -1 if there is none (any
 * more). */
int fsh_job_stop_sim(struct fsh_job *job, uint64_t max_ns);
/* Have the simulator looked for in the prefix of this header too, the one that
 * the program was compiled with; header stays valid. */
void fsh_job_look_beside(const char *header);
/* Where fshsim is. Returns 0, or -ENOENT with the remedy in err. */
int fsh_job_find_sim(char *path, size_t pathlen, char *err, size_t errlen);
/* In a forked child: keep the descriptors of `rank` over an exec, but no others, set
 * FSHMEM_JOB and PR_SET_PDEATHSIG. Returns 0, or a negative errno (ESRCH: the
 * launcher is dead). */
int fsh_job_enter_rank(struct fsh_job *job, uint32_t rank);
/* Unmap the page and close the descriptors, in this process; the simulator and the
 * ranks are left alone. Twice is harmless. */
void fsh_job_destroy(struct fsh_job *job);

/*
 * The simulator's side. It finds its job in the environment variable
 *   FSHMEM_SIM_JOB = "nodes=N,dram=BYTES,page=FD,shared=FD,life=FD,abort=FD,
 *                     mem=DRAM.DMA.MMIO[/DRAM.DMA.MMIO...][,cut=FIRST.FD/FIRST.FD...]"
 * (one line; one triple of descriptors per node, -1 where other hosts have it; if some do,
 * a pair for each host with nodes, the first of these and the connection to its simulator,
 * -1 for this one). Sizes of the objects: dram is
 * dram_bytes, the others are the device's (struct fsh_job_needs).
 */
/* Read it: fills config, descriptors and node[]; maps the control page (and
 * nothing else); starts a thread that ends the process with SIGKILL when the
 * creator of the job dies. The variable is removed and the descriptors made
 * close-on-exec. Returns 0 or a negative errno with a message. */
int fsh_job_sim_attach(struct fsh_job *job, char *err, size_t errlen);
/* Report to whoever waits in fsh_job_start_sim; reason is copied. */
void fsh_job_sim_ready(struct fsh_job *job);
void fsh_job_sim_failed(struct fsh_job *job, const char *reason);

/* Have the simulator write what its fabric holds to stderr, and wait until it has, at
 * most so long; 0: not at all. False: it has not, or there is none. Any process of the
 * job, async-signal-safe. */
bool fsh_job_ask_dump(struct fsh_job_page *page, uint64_t max_ns);
/* The same, but nothing if a rank that fails has asked before. */
bool fsh_job_dump_once(struct fsh_job_page *page, uint64_t max_ns);
/* The simulator has written a dump. */
void fsh_job_sim_dumped(struct fsh_job_page *page);

/* Traces (base/trace.h). In a process of the job: record, in this ring, if the job
 * has a trace; the descriptor is made close-on-exec. */
void fsh_job_trace(const struct fsh_job_page *page, uint32_t ring);
/* Map the object; NULL with errno. */
struct fsh_trace *fsh_job_map_trace(int fd, size_t bytes);

/* Begin to end the job. The first code wins, but one that is not 0 replaces 0,
 * and, without a reason (gasnet_exit, a return from main), one that was only
 * asked for. code: 0 to 255, perhaps with FSH_JOB_ASKED; rank: who (-1 the
 * launcher); reason may be NULL. Async-signal-safe. */
void fsh_job_abort(struct fsh_job_page *page, int abort_fd, int code, int rank,
                   const char *reason);
/* How long after SIGQUIT a rank that is still there is killed: ns. */
uint64_t fsh_job_grace_ns(void);
/* The job's exit code, -1 while it is not ending. Async-signal-safe. */
int fsh_job_code(const struct fsh_job_page *page);
/* Why the job is ending; never NULL. Points into the page or is static. */
const char *fsh_job_reason(const struct fsh_job_page *page);
/* One line on what a rank does, for state dumps; cut at len. Any thread. */
void fsh_job_describe_rank(const struct fsh_job_page *page, uint32_t rank,
                           char *text, size_t len);

/* Rank 0, after attach: warn if segments of this many bytes in all cannot be
 * touched, with the limit and what to set. Reads files. */
void fsh_job_check_segments(const struct fsh_job_page *page, size_t total);

#endif
