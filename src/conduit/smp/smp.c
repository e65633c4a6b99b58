/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit smp: all ranks are on this host (conduit/local.h), each with a compute core
 * that is a thread (service.h). Called by src/gasnet, any thread.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/local.h"
#include "conduit/smp/local.h"
#include "conduit/smp/port.h"
#include "conduit/smp/service.h"

static const struct fsh_smp_ctl *own; /* of this rank, in the object */

static bool usable(char *why, size_t whylen)
{
    int fd = memfd_create("fshmem-probe", MFD_CLOEXEC);

    if (fd < 0) {
        snprintf(why, whylen,
                 "memfd_create failed (%s): conduit smp needs anonymous "
                 "shared memory; Linux 3.17 or later provides it",
                 strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    fsh_local_init(threads, NULL, NULL, limits);
    own = fsh_smp_local.port->own;
}

static void attach(size_t size, struct fsh_segment *segs)
{
    size_t area = fsh_area_bytes(fsh_boot_size());
    struct fsh_segment mine = {fsh_local_segment(size, area), size};

    fsh_boot_exchange(&mine, sizeof mine, segs);
    fsh_local_map(segs, area);
    fsh_smp_service_start(fsh_smp_local.port, fsh_smp_local.object.base,
                          &fsh_smp_local.layout, fsh_boot_rank(),
                          fsh_smp_local.segs);
}

FSH_HOT static bool poll_all(void)
{
    bool any = fsh_local_poll();

    if (__builtin_expect(
            atomic_load_explicit(&own->told, memory_order_relaxed) != 0, 0))
        any |= fsh_smp_service_poll();
    return any;
}

/* The mapping stays: other threads of this process may be using it. */
static void fini(void)
{
    fsh_smp_service_stop();
}

static const struct fsh_job_needs needs = {
    .conduit = "smp",
    .max_ranks = FSH_JOB_MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
    .shared_bytes = fsh_local_bytes,
};

static const struct fsh_compute_ops compute = {
    .software = true,
    .present = fsh_smp_service_present,
    .send = fsh_smp_service_send,
    .attend = fsh_smp_service_attend,
    .help = fsh_smp_service_help,
    .counters = fsh_smp_service_counters,
    .counters_clear = fsh_smp_service_counters_clear,
};

const struct fsh_conduit_ops fsh_conduit_smp = {
    .name = "smp",
    .needs = &needs,
    .direct = &fsh_local_direct,
    .barrier = &fsh_local_barrier,
    .compute = &compute,
    .shorts = &fsh_local_shorts,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = fsh_local_share,
    .fini = fini,
    .am_request = fsh_local_request,
    .am_reply = fsh_local_reply,
    .am_try_request = fsh_local_try_request,
    .am_try_reply = fsh_local_try_reply,
    .put = fsh_local_put,
    .get = fsh_local_get,
    .poll = poll_all,
    .spin = poll_all,
    .wait = fsh_local_wait,
    .describe = fsh_local_describe,
};
