/* SPDX-License-Identifier: BSD-3-Clause */
/* See assertion.h. */
#include "base/assertion.h"

#include <string.h>

#include "base/log.h"

void fsh_assert_failed(const char *what, const char *file, int line)
{
    const char *from = strstr(file, "src/");

    fsh_fatal("%s:%d: assertion failed: %s (an error of this library, or "
              "memory that the program has overwritten)",
              from != NULL ? from : file, line, what);
}
