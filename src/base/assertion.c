/* SPDX-License-Identifier: BSD-3-Clause */
/* See assertion.h. */
#include "base/assertion.h"

#include <string.h>

#include "base/log.h"

void fsh_assert_failed(const char *what, const char *file, int line)
{
    const char *from = strstr(file, "src/");

    fsh_fatal("%s:%d: does not hold: %s (an error of this library, or memory "
              "that something has written to)",
              from != NULL ? from : file, line, what);
}
