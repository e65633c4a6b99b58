/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large the segments of a job are. Memory is touched as it is used, so a
 * rank gets nearly all it could have: programs ask for the most there is, or for
 * a heap of their own choice. Called by whoever makes the job, and by rank 0 at
 * attach.
 */
#include "boot/segment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/option.h"
#include "base/segment.h"
#include "boot/huge.h"
#include "boot/job.h"
#include "boot/memory.h"

#define PAGE_BYTES ((size_t)4096)
#define LEAST (16 * PAGE_BYTES)
/* Each rank of conduit smp maps the segments of all: half of the 47 bits of
 * addresses that a process has. */
#define ADDRESSES ((size_t)1 << 46)

size_t fsh_segment_pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* A setting of GASNet's that bounds memory; SIZE_MAX if it is not set. */
static size_t read_bound(const char *name, const struct fsh_memory *memory,
                         uint32_t ranks)
{
    const char *text = fsh_option_str(name);
    size_t bytes;

    if (!text[0])
        return SIZE_MAX;
    if (!fsh_memory_parse(text, memory->total, ranks, &bytes))
        fsh_fatal("%s=%s: expected bytes, with K, M, G or T if you like, or a "
                  "fraction of memory such as 0.5 or 2/3; /P or /H behind it",
                  name, text);
    return bytes;
}

static void read_memory(struct fsh_memory *memory)
{
    size_t bound;

    fsh_memory_read(memory);
    bound = read_bound("GASNET_PHYSMEM_MAX", memory, 1);
    if (bound >= memory->available)
        return;
    memory->available = bound;
    snprintf(memory->limit, sizeof(memory->limit), "GASNET_PHYSMEM_MAX");
}

/* Lower *most to what a limit of the process leaves each rank of the one object
 * that all segments are in. */
static void heed_limit(__rlimit_resource_t resource, unsigned part,
                       const struct fsh_job_needs *needs, uint32_t ranks,
                       size_t *most)
{
    size_t others = fsh_job_shared_bytes(needs, ranks, 0);
    struct rlimit lim;
    size_t room;

    if (getrlimit(resource, &lim) != 0 || lim.rlim_cur == RLIM_INFINITY)
        return;
    room = (size_t)lim.rlim_cur / part;
    room = room > others ? (room - others) / ranks : 0;
    if (room < *most)
        *most = room;
}

/* What a segment can be, whatever memory there is. */
static size_t most_size(const struct fsh_job_needs *needs, uint32_t ranks)
{
    size_t most = FSH_SEGMENT_MOST;

    if (ADDRESSES / ranks < most)
        most = ADDRESSES / ranks;
    heed_limit(RLIMIT_FSIZE, 1, needs, ranks, &most);
    heed_limit(RLIMIT_AS, 2, needs, ranks,
               &most); /* programs map more than this */
    return most;
}

/* What a rank may take if nobody says what it needs. */
static size_t choose_size(const struct fsh_job_needs *needs,
                          const struct fsh_memory *memory, uint32_t ranks)
{
    size_t fair = memory->available / ranks, most = most_size(needs, ranks);
    size_t bound = read_bound("GASNET_MAX_SEGSIZE", memory, ranks);

    if (bound != SIZE_MAX) {
        if (!fsh_option_bool("GASNET_PHYSMEM_NOPROBE") && bound > fair)
            bound = fair;
    } else { /* 85 %: programs and their buffers need some as well */
        bound = fair / 20 * 17;
    }
    if (bound > most)
        bound = most;
    bound &= ~(PAGE_BYTES - 1);
    return bound < LEAST ? LEAST : bound;
}

int fsh_segment_grant(const struct fsh_job_needs *needs, uint32_t ranks,
                      size_t *each, char *err, size_t errlen)
{
    const char *variable = needs->segment_option;
    struct fsh_memory memory;
    char asked[32], total[32], have[32];

    read_memory(&memory);
    if (*each == 0) {
        *each = choose_size(needs, &memory, ranks);
        return 0;
    }
    fsh_memory_text(*each, asked);
    fsh_memory_text(*each > SIZE_MAX / ranks ? SIZE_MAX : *each * ranks, total);
    if (*each > ADDRESSES / ranks) {
        snprintf(err, errlen,
                 "asked for %s a rank (%s for %" PRIu32 " ranks, %s), but each "
                 "rank maps all segments, and has addresses for %s of them; "
                 "ask for less with %s or start fewer ranks",
                 asked, total, ranks, variable,
                 fsh_memory_text(ADDRESSES, have), variable);
        return -ENOMEM;
    }
    if (*each <= memory.available / ranks ||
        fsh_option_bool("GASNET_PHYSMEM_NOPROBE"))
        return 0;
    snprintf(err, errlen,
             "asked for %s a rank (%s for %" PRIu32 " ranks, %s), but only %s "
             "are left (%s); ask for less with %s, start fewer ranks, or set "
             "GASNET_PHYSMEM_NOPROBE=1 if most of it stays untouched",
             asked, total, ranks, variable,
             fsh_memory_text(memory.available, have), memory.limit, variable);
    return -ENOMEM;
}

/* ---- huge pages ---- */

static size_t huge_pages(size_t bytes)
{
    return bytes / FSH_HUGE_PAGE + (bytes % FSH_HUGE_PAGE != 0);
}

/* The largest segments that so many reserved pages suffice for, a rank; 0: not even
 * a page each. They are no part of the memory that is left, so that does not bound
 * them; what the user has said does. */
static size_t huge_share(const struct fsh_job_needs *needs, uint32_t ranks,
                         size_t pages)
{
    size_t others =
        huge_pages(fsh_job_shared_bytes(needs, ranks, FSH_HUGE_PAGE));
    size_t most = most_size(needs, ranks), share, bound;
    struct fsh_memory memory;

    if (pages < others)
        return 0;
    share = FSH_HUGE_PAGE + (pages - others) / ranks * FSH_HUGE_PAGE;
    fsh_memory_read(&memory);
    bound = read_bound("GASNET_MAX_SEGSIZE", &memory, ranks);
    if (bound < most)
        most = bound;
    bound = read_bound("GASNET_PHYSMEM_MAX", &memory, 1) / ranks;
    if (bound < most)
        most = bound;
    return share < most ? share : most & ~(FSH_HUGE_PAGE - 1);
}

/* Say what segments have instead of reserved pages and why, or, with "", that what
 * was asked for (advise) has no effect. */
static void say_advised(const struct fsh_huge *huge, const char *why)
{
    const char *name =
        why[0] ? "FSHMEM_HUGEPAGES=2M: " : "FSHMEM_HUGEPAGES=advise: ";

    if (huge->may_advise && why[0])
        fsh_warn("%s%s; segments have huge pages where the kernel finds some",
                 name, why);
    else if (!huge->may_advise)
        fsh_warn(
            "%s%s%sthe kernel gives shared memory no huge pages; segments have "
            "normal pages. As root: echo advise "
            "> /sys/kernel/mm/transparent_hugepage/shmem_enabled",
            name, why, why[0] ? ", and " : "");
}

/* Why there is no object of so many reserved pages. */
static void explain(int rc, size_t needed, const struct fsh_huge *huge,
                    char *why, size_t len)
{
    if (rc == -EFBIG)
        snprintf(why, len,
                 "%zu reserved pages of 2 MiB are needed, more than the limit "
                 "on the size of a file (ulimit -f)",
                 needed);
    else if (needed > huge->free)
        snprintf(why, len,
                 "%zu reserved pages of 2 MiB are needed, %zu are free "
                 "(sysctl vm.nr_hugepages)",
                 needed, huge->free);
    else
        snprintf(why, len,
                 "%zu reserved pages of 2 MiB cannot be had, though %zu are "
                 "free: %s",
                 needed, huge->free, strerror(-rc));
}

bool fsh_segment_huge(const struct fsh_job_needs *needs, uint32_t ranks,
                      size_t *each, int *fd)
{
    const char *want = fsh_option_str("FSHMEM_HUGEPAGES");
    struct fsh_huge huge;
    size_t size = *each, bytes;
    char why[200] = "";
    int made = -ENOMEM;

    if (strcmp(want, "no") == 0)
        return false;
    fsh_huge_read(&huge);
    if (strcmp(want, "2M") != 0) {
        say_advised(&huge, why);
        return false;
    }
    if (size == 0)
        size = huge_share(needs, ranks, huge.free);
    bytes = fsh_job_shared_bytes(needs, ranks, size ? size : FSH_HUGE_PAGE);
    if (size != 0)
        made = fsh_huge_object("fshmem shared", bytes);
    if (made >= 0) {
        *each = size;
        *fd = made;
        return true;
    }
    explain(made, huge_pages(bytes), &huge, why, sizeof(why));
    say_advised(&huge, why);
    return false;
}

void fsh_job_check_segments(const struct fsh_job_page *page, size_t total)
{
    struct fsh_memory memory;
    char need[32], have[32], limit[32];

    /* Reserved pages have been promised. */
    if (page->shared_page >= FSH_HUGE_PAGE ||
        fsh_option_bool("GASNET_PHYSMEM_NOPROBE"))
        return;
    read_memory(&memory);
    if (total <= memory.available)
        return;
    fsh_warn("gasnet_attach: the segments of %" PRIu32 " ranks are %s, but %s "
             "are left (%s, %s in all): a rank that touches more is killed; "
             "attach less, raise the limit, or bound segments with "
             "FSHMEM_SEGMENT_MAX; GASNET_PHYSMEM_NOPROBE=1 if most of it stays "
             "untouched",
             page->size, fsh_memory_text(total, need),
             fsh_memory_text(memory.available, have), memory.limit,
             fsh_memory_text(memory.total, limit));
}
