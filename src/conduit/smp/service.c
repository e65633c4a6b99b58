/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs this rank's compute core, and reaches those of others; see service.h.
 */
#include "conduit/smp/service.h"

#include <string.h>

#include "base/daemon.h"
#include "base/option.h"
#include "conduit/smp/worker.h"

static struct {
    struct fsh_smp_port *port;
    uint32_t rank;
    struct fsh_smp_compute *cores; /* of all ranks; NULL if there are none */
    struct fsh_smp_memory memory[FSH_MAX_NODES];
    struct fsh_smp_worker worker;
    _Atomic uint32_t stop;
    uint64_t completed; /* total completions taken; under `completing` */
    atomic_flag completing;
} service = {.completing = ATOMIC_FLAG_INIT};

static void tell(void *arg, uint32_t rank)
{
    fsh_smp_port_tell(arg, rank);
}

static void poke(void *arg, uint32_t rank)
{
    fsh_smp_port_poke(arg, rank);
}

static void *worker_body(void *arg)
{
    (void)arg;
    fsh_smp_worker_run(&service.worker, &service.stop);
    return NULL;
}

void fsh_smp_service_start(struct fsh_smp_port *port, unsigned char *base,
                           const struct fsh_smp_layout *layout, uint32_t rank,
                           const struct fsh_segment *segs)
{
    size_t area = fsh_area_bytes(layout->ranks);

    if (area == 0 || !fsh_option_bool("FSHMEM_COMPUTE"))
        return;
    service.port = port;
    service.rank = rank;
    service.cores = (void *)(base + layout->cores);
    for (uint32_t r = 0; r < layout->ranks; r++)
        service.memory[r] = (struct fsh_smp_memory){
            fsh_smp_segment(base, layout, r), segs[r].size + area};
    service.worker = (struct fsh_smp_worker){
        .rank = rank,
        .ranks = layout->ranks,
        .cores = service.cores,
        .memory = service.memory,
        .tell = tell,
        .poke = poke,
        .arg = port,
        .lock = FSH_SMP_WORKER_LOCK,
    };
    /* Release, partner: fsh_smp_service_present; the barrier of gasnet_attach
     * also lies between. */
    if (fsh_daemon_start(worker_body, NULL, 0) == 0)
        atomic_store_explicit(&service.cores[rank].present, 1,
                              memory_order_release);
}

void fsh_smp_service_stop(void)
{
    atomic_store_explicit(&service.stop, 1, memory_order_release);
    if (service.cores != NULL)
        fsh_smp_compute_wake(&service.cores[service.rank]);
}

bool fsh_smp_service_present(uint32_t node)
{
    return service.cores != NULL &&
           atomic_load_explicit(&service.cores[node].present,
                                memory_order_acquire) != 0;
}

/* Of a thread: it runs lists of its own core's, and whether there are any that nobody
 * was woken for. */
static _Thread_local bool attending, unattended;

static bool submit(uint32_t node, const uint64_t *message)
{
    struct fsh_smp_compute *core = &service.cores[node];
    bool mine = attending && node == service.rank;
    bool done = (mine ? fsh_smp_compute_add : fsh_smp_compute_run)(
        core, (unsigned)fsh_crun_mover(message),
        (uint32_t)fsh_crun_addr(message), (uint32_t)fsh_crun_count(message));

    unattended |= mine && done;
    return done;
}

void fsh_smp_service_attend(bool on)
{
    attending = on;
    if (on || !unattended)
        return;
    unattended = false;
    fsh_smp_compute_wake(&service.cores[service.rank]);
}

bool fsh_smp_service_help(void)
{
    return fsh_smp_worker_help(&service.worker);
}

static unsigned give(uint32_t node, const uint64_t *message)
{
    struct fsh_smp_compute *core = &service.cores[node];

    switch (fsh_crun_op(message)) {
    case FSH_CMSG_RUN:
        if (fsh_crun_count(message) == 0)
            return FSH_STATUS_BAD_LENGTH;
        return submit(node, message) ? FSH_STATUS_OK : FSH_STATUS_BUSY;
    case FSH_CMSG_SIGNAL:
        fsh_smp_compute_signal(core, (unsigned)fsh_csignal_counter(message),
                               (uint32_t)fsh_csignal_increment(message));
        return FSH_STATUS_OK;
    default:
        return FSH_STATUS_UNSUPPORTED;
    }
}

bool fsh_smp_service_send(uint32_t node, const uint64_t *message,
                          struct fsh_answer *answer)
{
    answer->fn(answer, fsh_smp_service_present(node) ? give(node, message)
                                                     : FSH_STATUS_UNSUPPORTED);
    return true;
}

void fsh_smp_service_counters(uint64_t *words)
{
    const struct fsh_smp_worker *w = &service.worker;

    memset(words, 0, FSH_CPERF_COUNT * sizeof *words);
    words[FSH_CPERF_COMMANDS] =
        atomic_load_explicit(&w->commands, memory_order_relaxed);
    words[FSH_CPERF_SENT_BYTES] =
        atomic_load_explicit(&w->sent_bytes, memory_order_relaxed);
}

void fsh_smp_service_counters_clear(void)
{
    atomic_store_explicit(&service.worker.commands, 0, memory_order_relaxed);
    atomic_store_explicit(&service.worker.sent_bytes, 0, memory_order_relaxed);
}

/* Passes on the completions that compute cores have left for this rank. */
static bool take_completions(void)
{
    unsigned cookie, status;
    bool any = false;

    if (atomic_flag_test_and_set_explicit(&service.completing,
                                          memory_order_acquire)) {
        /* Another thread is doing so; look again afterwards. */
        fsh_smp_port_tell(service.port, service.rank);
        return false;
    }
    while (fsh_smp_compute_completed(&service.cores[service.rank],
                                     &service.completed, &cookie, &status)) {
        fsh_compute_completed(cookie, status);
        any = true;
    }
    atomic_flag_clear_explicit(&service.completing, memory_order_release);
    return any;
}

bool fsh_smp_service_poll(void)
{
    return service.cores != NULL && fsh_smp_port_told(service.port) &&
           take_completions();
}
