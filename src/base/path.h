/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs by name, as a shell finds them: in PATH, or beside a file. Any thread;
 * the environment must not change meanwhile.
 */
#ifndef FSH_PATH_H
#define FSH_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Look for `name` (no slash) in the directories of PATH; an empty one is the
 * current directory. Returns 0 with the first executable file in `path`, EACCES
 * if there are only files that cannot be executed, or ENOENT. */
int fsh_path_find(const char *name, char *path, size_t len);

/* <directory of file>/<tail> into `path`: is that an executable file? */
bool fsh_path_beside(const char *file, const char *tail, char *path,
                     size_t len);

#endif
