/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of the table of settings, for option.c. Private to src/base; constant.
 */
#ifndef FSH_OPTION_TABLE_H
#define FSH_OPTION_TABLE_H

#include "base/option.h"

struct fsh_option_row {
    const char *name;
    enum fsh_option_type type;
    const char *preset;
    double min, max;     /* INT, SIZE, SECONDS; both 0: the limits of the
                            type */
    const char *choices; /* CHOICE, CPUS: words separated by '|' */
    const char *help;
};

extern const struct fsh_option_row fsh_option_table[];
extern const size_t fsh_option_rows;
/* Help text of the rows without effect. */
extern const char fsh_option_ignored[];

#endif
