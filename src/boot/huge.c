/* SPDX-License-Identifier: BSD-3-Clause */
/* See huge.h. */
#include "boot/huge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#ifndef MFD_HUGE_2MB
#define MFD_HUGE_2MB (21u << 26)
#endif

#define RESERVED "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define TRANSPARENT "/sys/kernel/mm/transparent_hugepage/"

/* First line of a file, "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t len)
{
    FILE *f = fopen(path, "re");

    line[0] = '\0';
    if (!f)
        return;
    if (!fgets(line, (int)len, f))
        line[0] = '\0';
    fclose(f);
}

static size_t read_pages(const char *path)
{
    unsigned long long value = 0;
    char line[32];

    read_line(path, line, sizeof(line));
    if (sscanf(line, "%llu", &value) != 1)
        return 0;
    return (size_t)value;
}

/* The word in brackets: "always advise [never]". */
static void read_choice(const char *path, char *word, size_t len)
{
    char line[128], *open, *close;

    read_line(path, line, sizeof(line));
    open = strchr(line, '[');
    close = open ? strchr(open, ']') : NULL;
    if (close)
        *close = '\0';
    snprintf(word, len, "%s", close ? open + 1 : "");
}

void fsh_huge_read(struct fsh_huge *huge)
{
    static const char *const none[] = {"", "never", "deny"};
    size_t promised = read_pages(RESERVED "resv_hugepages");

    *huge = (struct fsh_huge){.total = read_pages(RESERVED "nr_hugepages"),
                              .free = read_pages(RESERVED "free_hugepages")};
    huge->free -= promised < huge->free ? promised : huge->free;
    /* Kernels before 6.10 have only the second. */
    read_choice(TRANSPARENT "hugepages-2048kB/shmem_enabled", huge->shared,
                sizeof(huge->shared));
    if (!huge->shared[0] || strcmp(huge->shared, "inherit") == 0)
        read_choice(TRANSPARENT "shmem_enabled", huge->shared,
                    sizeof(huge->shared));
    huge->may_advise = true;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        if (strcmp(huge->shared, none[i]) == 0)
            huge->may_advise = false;
    if (!huge->shared[0])
        snprintf(huge->shared, sizeof(huge->shared), "never");
}

/* A shared mapping has pages promised to the object, which keeps them when the
 * mapping is gone; they are taken from the pool when they are touched, on the node
 * of whoever does. Without the promise a rank that finds none dies of SIGBUS. */
static bool promise(int fd, size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (map == MAP_FAILED)
        return false;
    munmap(map, bytes);
    return true;
}

int fsh_huge_object(const char *name, size_t bytes)
{
    size_t whole = (bytes + FSH_HUGE_PAGE - 1) & ~(FSH_HUGE_PAGE - 1);
    struct rlimit lim;
    int fd, rc;

    /* Beyond it ftruncate is answered with SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &lim) == 0 && whole > lim.rlim_cur)
        return -EFBIG;
    fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB |
                                MFD_HUGE_2MB);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)whole) == 0 && promise(fd, whole) &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return fd;
    rc = -errno;
    close(fd);
    return rc;
}

size_t fsh_huge_page_of(int fd)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) == 0 && fs.f_type == HUGETLBFS_MAGIC)
        return (size_t)fs.f_bsize;
    return (size_t)sysconf(_SC_PAGESIZE);
}
