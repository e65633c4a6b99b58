/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses numbers in clients' settings. Any thread. */
#ifndef FSH_GASNET_TOOLS_NUMBER_H
#define FSH_GASNET_TOOLS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* As gasnett_parse_int. Returns NULL, or what is wrong, leaving *value
 * unchanged. */
const char *fsh_parse_int(const char *text, uint64_t mem_size_multiplier,
                          int64_t *value);

/* A finite number or a quotient of two: "1.5", "-1e4", "3/8". */
bool fsh_parse_dbl(const char *text, double *value);

#endif
