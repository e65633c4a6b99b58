/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of settings, the only place where their names are defined. fshinfo prints
 * it, the manual is generated from it, and unknown FSHMEM_ variables are checked
 * against it.
 */
#include "base/option_table.h"

#include "base/segment.h"
#include "base/topology.h"

#define STR(n, d, h)                        \
    {                                       \
        n, FSH_OPTION_STR, d, 0, 0, NULL, h \
    }
#define CHOICE(n, d, c, h)                  \
    {                                       \
        n, FSH_OPTION_CHOICE, d, 0, 0, c, h \
    }
#define CPUS(n, d, c, h)                  \
    {                                     \
        n, FSH_OPTION_CPUS, d, 0, 0, c, h \
    }
#define TIMES(n, d, lo, hi, c, h)            \
    {                                        \
        n, FSH_OPTION_TIMES, d, lo, hi, c, h \
    }
#define BOOL(n, d, h)                        \
    {                                        \
        n, FSH_OPTION_BOOL, d, 0, 0, NULL, h \
    }
#define INT(n, d, lo, hi, h)                  \
    {                                         \
        n, FSH_OPTION_INT, d, lo, hi, NULL, h \
    }
#define SIZE(n, d, lo, hi, h)                  \
    {                                          \
        n, FSH_OPTION_SIZE, d, lo, hi, NULL, h \
    }
#define SECONDS(n, d, lo, hi, h)                  \
    {                                             \
        n, FSH_OPTION_SECONDS, d, lo, hi, NULL, h \
    }
#define IGNORED(n)                                            \
    {                                                         \
        n, FSH_OPTION_STR, "", 0, 0, NULL, fsh_option_ignored \
    }

#define K 1024.0
#define G (K * K * K)

const char fsh_option_ignored[] = "accepted for GASNet programs; has no effect";

const struct fsh_option_row fsh_option_table[] = {
    STR("FSHMEM_CONDUIT", "",
        "conduit of the job: smp, ofi, fpga or mixed; unset: the one the program was "
        "built for, or smp if the launcher cannot tell"),
    {"FSHMEM_TOPOLOGY", FSH_OPTION_TOPOLOGY, "", 0, 0, FSH_TOPOLOGY_NAMES,
     "fpga: how the nodes' link ports are cabled; unset: ring; above 8 nodes "
     "with 4 ports, the squarest torus whose sides are 3 or more"},
    CHOICE("FSHMEM_CLOCK", "free", "free|simulated",
           "fpga: simulated: ranks have clocks too, and a run takes the same "
           "cycles each time; free: ranks run concurrently with the "
           "simulator, unsynchronised"),
    INT("FSHMEM_HOST_COSTS", "1", 0, 1000,
        "simulated clock: factor on the cost of the library's calls; 0: calls "
        "are free, and only waits and unsuccessful polls take time"),
    INT("FSHMEM_HOST_CORES", "1", 1, 1000,
        "simulated clock: cores that copy and add in host memory together: so "
        "many times its rate (COST_COPY_BYTES)"),
    TIMES("FSHMEM_HOST_TIME", "none", 1e-6, 1e6, "none|cpu",
          "simulated clock: cost of what a program does between calls: "
          "nothing (none), or the processor time it takes, optionally times a "
          "factor as in cpu:1.5, in which case cycles differ from run to run"),
    BOOL("FSHMEM_COMPUTE", "1",
         "each rank has a compute core (smp: a thread that sleeps until it is "
         "given commands; fpga: that of its simulated node)"),
    CHOICE("FSHMEM_INSTRUCTIONS", "best", "best|avx512|avx2|portable",
           "what compute cores and collectives in software are computed with: "
           "the best of these that the processor has, or no better than this "
           "one; the same bits; `fshinfo compute` says which"),
    BOOL("FSHMEM_COLL_DIRECT", "1",
         "smp: collectives load directly from the memory of peers; 0: they "
         "use messages"),
    CHOICE(
        "FSHMEM_COLL_ENGINE", "auto", "auto|card|host",
        "fpga: who runs fshmem_coll_ calls; card: the collective engine of "
        "each node what it can, host: the ranks, by messages; auto: the card "
        "what it does faster; the same on all ranks, as the next; `fshinfo "
        "coll` says which"),
    CHOICE("FSHMEM_COLL_BARRIER", "auto", "auto|dissemination|binomial",
           "algorithm of fshmem_coll_barrier if the call names none; must be "
           "the same on all ranks, like the settings below; `fshinfo coll` "
           "lists them"),
    CHOICE("FSHMEM_COLL_BROADCAST", "auto",
           "auto|binomial|double_tree|chain|scatter_allgather",
           "algorithm of fshmem_coll_broadcast"),
    CHOICE("FSHMEM_COLL_SCATTER", "auto", "auto|binomial|linear",
           "algorithm of fshmem_coll_scatter"),
    CHOICE("FSHMEM_COLL_GATHER", "auto", "auto|binomial|linear",
           "algorithm of fshmem_coll_gather"),
    CHOICE("FSHMEM_COLL_ALLGATHER", "auto", "auto|doubling|bruck|ring",
           "algorithm of fshmem_coll_allgather"),
    CHOICE("FSHMEM_COLL_ALLTOALL", "auto", "auto|pairwise",
           "algorithm of fshmem_coll_alltoall"),
    CHOICE("FSHMEM_COLL_REDUCE", "auto", "auto|binomial|halving",
           "algorithm of fshmem_coll_reduce"),
    CHOICE("FSHMEM_COLL_ALLREDUCE", "auto", "auto|doubling|rabenseifner|ring",
           "algorithm of fshmem_coll_allreduce"),
    CHOICE("FSHMEM_COLL_REDUCE_SCATTER", "auto", "auto|halving|ring",
           "algorithm of fshmem_coll_reduce_scatter"),
    CHOICE("FSHMEM_COLL_SCAN", "auto", "auto|doubling",
           "algorithm of fshmem_coll_scan"),
    BOOL("FSHMEM_PROGRESS_THREAD", "0",
         "a library thread serves other ranks while this one computes; "
         "handlers run on it too"),
    STR("FSHMEM_OFI_PROVIDER", "",
        "ofi: provider of libfabric, for example tcp;ofi_rxm; unset: net, else "
        "tcp, else the first usable one; `fshinfo` lists them"),
    BOOL("FSHMEM_OFI_LOCAL", "1",
         "ofi: ranks of one host reach each other through shared memory, as in "
         "conduit smp; 0: through the network like all others"),
    STR("FSHMEM_OFI_INTERFACE", "auto",
        "ofi: the only network interface, or domain of the provider, that the "
        "job uses; auto: lo on one host; over hosts the only one that is up, or "
        "that of the default route"),
    BOOL(
        "FSHMEM_BRIDGE", "0",
        "fpga: a library thread serves this rank's card to the others over the "
        "network between hosts (fshmem_bridge.h)"),
    INT("FSHMEM_BRIDGE_ENTRIES", "8", 1, 64,
        "bridge: buffers in the ring of a card's server"),
    SIZE("FSHMEM_BRIDGE_BUFFER", "1M", 4 * K, G,
         "bridge: bytes of such a buffer, a multiple of 4K; pieces of short "
         "transfers are smaller"),
    SECONDS("FSHMEM_BRIDGE_TIMEOUT", "20", 0.1, 86400,
            "bridge: seconds without progress after which a transfer fails"),
    SECONDS("FSHMEM_HOST_TIMEOUT", "20", 1, 86400,
            "seconds without a response after which a host counts as lost and "
            "the job ends"),
    STR("FSHMEM_CARDS", "1",
        "mixed: ranks that have a card: a number, of the first ranks, or a list "
        "of ranks, which has a comma (1,3 or 2,)"),
    STR("FSHMEM_DEVICE", "sim", "fpga: device that holds a node"),
    SIZE("FSHMEM_SEGMENT_MAX", "", 4 * K, FSH_SEGMENT_MOST,
         "smp, ofi: largest segment of a rank, refused if memory does not "
         "allow it; unset: GASNET_MAX_SEGSIZE, else 85 % of the memory left, "
         "divided by the ranks"),
    SIZE("FSHMEM_DRAM", "2G", 16 * K * K, FSH_SEGMENT_MOST,
         "fpga: device memory of a simulated node; takes host memory only "
         "where it is written"),
    INT("FSHMEM_DRAM_WRITE_CYCLES", "4", 1, 65536,
        "fpga: write response of simulated device memory, in cycles after the "
        "last data of a write; 40 for a memory that does not post writes"),
    INT("FSHMEM_SIM_THREADS", "0", 0, 64,
        "fpga: threads of the simulator that step nodes; affects only its "
        "speed; 0: 1 below 8 nodes, else one for every 4 nodes, at most 4 and "
        "at most one per processor"),
    INT("FSHMEM_SIMULATORS", "1", 1, 16,
        "fpga: processes of the simulator that share out the nodes, in the "
        "same cycles; without traces, recordings and waves; of a job on one "
        "host, over hosts each has one"),
    CHOICE("FSHMEM_PACKET", "1024", "128|256|512|1024",
           "fpga: payload bytes of a packet"),
    CHOICE("FSHMEM_PORTS", "3", "1|2|3",
           "fpga: mask of the link ports in use, for a ring; 3: all"),
    CPUS("FSHMEM_BIND", "auto", "auto|none|core|numa",
         "fshrun: processors of a rank: an equal share, unless fshrun is "
         "already bound or another job is running (auto); all (none); a core; "
         "a NUMA node; a share of a list such as 0-3,8"),
    CHOICE("FSHMEM_HUGEPAGES", "no", "no|advise|2M",
           "smp: pages of segments: normal pages (no); huge pages if the "
           "kernel grants them for shared memory (advise); reserved pages of "
           "2 MiB if there are enough, else advise (2M)"),
    STR("FSHMEM_SIM", "",
        "path of the simulator; unset: fshsim is searched for next to the "
        "program, in the prefix of the library and of gasnet.h, in the "
        "configured prefix and in PATH"),
    STR("FSHMEM_SIM_ARGS", "",
        "additional arguments of the simulator, separated by blanks"),
    SECONDS("FSHMEM_START_TIMEOUT", "60", 0.01, 86400,
            "seconds a job may take to start before it is ended with a list "
            "of the missing ranks"),
    SECONDS("FSHMEM_LEAVE_TIMEOUT", "10", 0, 86400,
            "seconds other ranks may go on after one has returned 0 from "
            "main; 0: no limit"),
    SECONDS("FSHMEM_WATCHDOG", "0", 0, 86400,
            "seconds a call may block before it reports what it waits for and "
            "ends the job; 0: no limit"),
    SECONDS("FSHMEM_HOLD_WARNING", "2", 0, 86400,
            "debug: seconds a handler-safe lock or a no-interrupt section may "
            "be held before a warning; 0: never"),
    INT("GASNET_PSHM_NODES", "1", 0, 1024,
        "number of ranks of a program that is started without a launcher; 0 "
        "is 1"),
    STR("GASNET_MAX_SEGSIZE", "",
        "smp: upper bound of a segment, as bytes or as a fraction of memory "
        "(0.5, 2/3), of a rank (/P, default) or of all (/H); reduced to what "
        "memory allows; FSHMEM_SEGMENT_MAX takes precedence"),
    STR("GASNET_PHYSMEM_MAX", "",
        "memory that the segments of all ranks may take, as bytes or as a "
        "fraction (0.5, 2/3) of the available memory"),
    SECONDS("GASNET_EXITTIMEOUT", "2", 0, 86400,
            "seconds the other ranks get to leave after gasnet_exit; if set, "
            "also after a return from main, instead of FSHMEM_LEAVE_TIMEOUT"),
    BOOL("GASNET_PHYSMEM_NOPROBE", "0",
         "do not check the requested memory against the available memory"),
    BOOL("GASNET_VERBOSEENV", "0",
         "rank 0 prints every setting, its value and source"),
    BOOL("GASNET_FREEZE", "0", "each rank waits for a debugger in gasnet_init"),
    BOOL("GASNET_NO_CATCH_SIGNAL", "0", "install no signal handlers"),
    BOOL("GASNET_BACKTRACE", "0",
         "a rank that fails or crashes prints the calls it was in"),
    STR("GASNET_BACKTRACE_TYPE", "",
        "how backtraces are made: EXECINFO, or by the program's own function, "
        "which takes precedence if unset"),
    BOOL("GASNET_FREEZE_ON_ERROR", "0",
         "gasnett_fatalerror waits for a debugger"),
    BOOL("GASNET_QUIET", "0",
         "print no advice on unknown settings and unset variables of -x"),
    IGNORED("GASNET_SPAWNER"),
    IGNORED("GASNET_SPAWN_VERBOSE"),
    IGNORED("GASNET_EXITTIMEOUT_MAX"),
    IGNORED("GASNET_EXITTIMEOUT_MIN"),
    IGNORED("GASNET_EXITTIMEOUT_FACTOR"),
    IGNORED("GASNET_FREEZE_SIGNAL"),
    IGNORED("GASNET_NODEMAP_EXACT"),
    IGNORED("GASNET_TEST_POLITE_SYNC"),
    IGNORED("GASNET_SUPERNODE_MAXSIZE"),
    IGNORED("GASNET_TMPDIR"),
    IGNORED("GASNET_SSH_SERVERS"),
    IGNORED("GASNET_MPI_THREAD"),
    IGNORED("GASNET_RCV_THREAD"),
    IGNORED("GASNET_BARRIER"),
    IGNORED("GASNET_TRACEFILE"),
    IGNORED("GASNET_STATSFILE"),
};

const size_t fsh_option_rows =
    sizeof(fsh_option_table) / sizeof(fsh_option_table[0]);
