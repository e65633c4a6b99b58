/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded where no huge pages are reserved: an object of huge pages is one of normal
 * pages with the same restrictions. fstatfs says that it has huge pages; a map or a
 * size that does not consist of whole ones is refused, and so is a promise of more
 * pages than HUGETLB_FREE, which the kernel's count of free pages shows, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#define PAGE ((size_t)2 << 20)

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* By its name, which outlives exec. */
static bool is_huge(int fd)
{
    char path[64], name[128];
    ssize_t n;

    if (fd < 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    n = readlink(path, name, sizeof name - 1);
    if (n <= 0)
        return false;
    name[n] = '\0';
    return strstr(name, "stand-in") != NULL;
}

/* Of what the kernel says of such pages: so many are free, none is promised. */
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) = next("fopen");
    static char none[] = "0";
    char *text = getenv("HUGETLB_FREE");

    if (!text || !strstr(path, "/hugepages-2048kB/") ||
        !strstr(path, "_hugepages"))
        return real(path, mode);
    if (strstr(path, "resv_"))
        text = none;
    return fmemopen(text, strlen(text), "r");
}

int memfd_create(const char *name, unsigned flags)
{
    int (*real)(const char *, unsigned) = next("memfd_create");
    char other[128];

    if (!(flags & MFD_HUGETLB))
        return real(name, flags);
    snprintf(other, sizeof other, "%s (stand-in)", name);
    return real(other, flags & (MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

int ftruncate(int fd, off_t size)
{
    int (*real)(int, off_t) = next("ftruncate");

    if (is_huge(fd) && (size_t)size % PAGE != 0) {
        errno = EINVAL;
        return -1;
    }
    return real(fd, size);
}

int fstatfs(int fd, struct statfs *fs)
{
    int (*real)(int, struct statfs *) = next("fstatfs");
    int rc = real(fd, fs);

    if (rc == 0 && is_huge(fd)) {
        fs->f_type = HUGETLBFS_MAGIC;
        fs->f_bsize = PAGE;
    }
    return rc;
}

void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t) = next("mmap");
    const char *text = getenv("HUGETLB_FREE");

    if (is_huge(fd)) {
        errno = EINVAL;
        if ((size_t)offset % PAGE != 0 ||
            ((flags & MAP_FIXED) && (size_t)addr % PAGE != 0))
            return MAP_FAILED;
        errno = ENOMEM;
        if (!(flags & MAP_NORESERVE) && text &&
            (size + PAGE - 1) / PAGE > (size_t)atol(text))
            return MAP_FAILED;
    }
    return real(addr, size, prot, flags, fd, offset);
}
