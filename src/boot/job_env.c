/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing and reading the environment text of a job, and what its receivers do
 * first. Called once in each process, before other threads exist.
 */
#include "boot/job_env.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/assertion.h"
#include "base/log.h"
#include "base/trace.h"

/* Start of the value of key, or NULL. */
static const char *find_key(const char *text, const char *key)
{
    size_t len = strlen(key);

    for (; *text; text += strcspn(text, ",")) {
        text += *text == ',';
        if (strncmp(text, key, len) == 0 && text[len] == '=')
            return text + len + 1;
    }
    return NULL;
}

bool fsh_job_env_number(const char *text, const char *key, long long *value)
{
    const char *at = find_key(text, key);
    char *end;

    if (!at)
        return false;
    errno = 0;
    *value = strtoll(at, &end, 10);
    return end != at && errno == 0 && (*end == ',' || *end == '\0');
}

bool fsh_job_env_word(const char *text, const char *key, char *word, size_t len)
{
    const char *at = find_key(text, key);
    size_t n;

    if (!at)
        return false;
    n = strcspn(at, ",");
    if (n >= len)
        return false;
    memcpy(word, at, n);
    word[n] = '\0';
    return true;
}

void fsh_job_ticket_write(const struct fsh_job_ticket *t, char *text,
                          size_t len)
{
    int n =
        snprintf(text, len,
                 "rank=%" PRIu32 ",page=%d,shared=%d,dram=%d,dma=%d,mmio=%d,"
                 "life=%d,abort=%d",
                 t->rank, t->page_fd, t->shared_fd, t->dram_fd, t->dma_fd,
                 t->mmio_fd, t->life_fd, t->abort_fd);

    FSH_ASSERT(n > 0 && (size_t)n < len);
    (void)n;
}

bool fsh_job_ticket_read(struct fsh_job_ticket *ticket, const char *text)
{
    const struct {
        const char *key;
        int *fd;
    } fds[] = {
        {"page", &ticket->page_fd},   {"shared", &ticket->shared_fd},
        {"dram", &ticket->dram_fd},   {"dma", &ticket->dma_fd},
        {"mmio", &ticket->mmio_fd},   {"life", &ticket->life_fd},
        {"abort", &ticket->abort_fd},
    };
    long long value;

    if (!fsh_job_env_number(text, "rank", &value) || value < 0 ||
        value >= FSH_JOB_MAX_RANKS)
        return false;
    ticket->rank = (uint32_t)value;
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (!fsh_job_env_number(text, fds[i].key, &value) || value < -1 ||
            value > INT32_MAX)
            return false;
        *fds[i].fd = (int)value;
    }
    return true;
}

void fsh_job_cloexec(int fd, bool on)
{
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFD);

    if (flags >= 0)
        fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC);
}

struct fsh_job_page *fsh_job_map_page(int fd)
{
    struct fsh_job_page *page;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return NULL;
    if (st.st_size != (off_t)sizeof(*page)) {
        errno = EINVAL;
        return NULL;
    }
    page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (page->magic != FSH_JOB_MAGIC || page->page_bytes != sizeof(*page)) {
        munmap(page, sizeof(*page));
        errno = EINVAL;
        return NULL;
    }
    return page;
}

struct fsh_trace *fsh_job_map_trace(int fd, size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return map != MAP_FAILED ? map : NULL;
}

void fsh_job_trace(const struct fsh_job_page *page, uint32_t ring)
{
    struct fsh_trace *trace;

    if (page->trace_fd < 0)
        return;
    trace = fsh_job_map_trace(page->trace_fd, page->trace_bytes);
    if (trace == NULL) {
        fsh_warn("no trace of this process: cannot map it (descriptor %d): %s",
                 page->trace_fd, strerror(errno));
        return;
    }
    fsh_job_cloexec(page->trace_fd, true);
    fsh_trace_open(trace, ring);
}
