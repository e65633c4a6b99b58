/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds programs by name, in PATH like a shell, or relative to a file. Any thread;
 * the environment must not change meanwhile.
 */
#ifndef FSH_PATH_H
#define FSH_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Searches the directories of PATH for `name` (no slash); an empty entry is the
 * current directory. Returns 0 with the first executable file in `path`, EACCES
 * if only non-executable files were found, or ENOENT. */
int fsh_path_find(const char *name, char *path, size_t len);

/* Stores <directory of file>/<tail> in `path`. Returns whether it is an
 * executable file. */
bool fsh_path_beside(const char *file, const char *tail, char *path,
                     size_t len);

#endif
