/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the program before anything is started, so that a slip of the finger
 * costs no simulator start, and asking it which conduit it was linked for.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "fshrun.h"

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int check_file(const char *name)
{
    struct stat st;

    if (stat(name, &st) != 0) {
        fsh_warn("cannot run '%s': %s", name, strerror(errno));
        return errno == EACCES ? RUN_CANNOT_EXECUTE : RUN_NOT_FOUND;
    }
    if (!S_ISREG(st.st_mode) || access(name, X_OK) != 0) {
        fsh_warn("cannot run '%s': %s", name,
                 S_ISDIR(st.st_mode) ? "it is a directory"
                                     : "it is not executable (chmod +x?)");
        return RUN_CANNOT_EXECUTE;
    }
    return 0;
}

/* fshperf, say, where the directory of both is not in PATH. */
static bool beside_this(const char *name, char *path, size_t len)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n <= 0)
        return false;
    self[n] = '\0';
    return fsh_path_beside(self, name, path, len);
}

int find_program(const char *name, char *path, size_t len)
{
    size_t n = strlen(name);
    int code;

    if (strchr(name, '/')) {
        if (n >= len) {
            fsh_warn("cannot run '%s': the name is too long", name);
            return RUN_NOT_FOUND;
        }
        memcpy(path, name, n + 1);
        return check_file(name);
    }
    code = fsh_path_find(name, path, len);
    if (code == 0 || beside_this(name, path, len))
        return 0;
    if (code == EACCES)
        fsh_warn("cannot run '%s': found in PATH, but not executable", name);
    else
        fsh_warn("cannot run '%s': not found in PATH or beside fshrun%s", name,
                 is_file(name) ? "; did you mean ./ in front?" : "");
    return code == EACCES ? RUN_CANNOT_EXECUTE : RUN_NOT_FOUND;
}

static void find_mark(const char *data, size_t size, char *conduit, size_t len)
{
    /* Put together here, so that fshrun does not find itself. */
    static const char head[] = "$FSHMEM", tail[] = "Conduit: ";
    char mark[32];
    const char *at;
    size_t n;

    snprintf(mark, sizeof(mark), "%s%s", head, tail);
    at = memmem(data, size, mark, strlen(mark));
    if (!at)
        return;
    at += strlen(mark);
    for (n = 0;
         n + 1 < len && at + n < data + size && islower((unsigned char)at[n]);
         n++)
        conduit[n] = at[n];
    conduit[n] = '\0';
}

void read_default_conduit(const char *path, char *conduit, size_t len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *data;

    conduit[0] = '\0';
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            find_mark(data, (size_t)st.st_size, conduit, len);
            munmap(data, (size_t)st.st_size);
        }
    }
    close(fd);
}
