/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What conduit smp adds its compute cores to; see conduit/local.h for the rest. Valid
 * after fsh_local_init, and stays.
 */
#ifndef FSH_SMP_LOCAL_H
#define FSH_SMP_LOCAL_H

#include "conduit/conduit.h"
#include "conduit/smp/ring.h"

/* This rank's end. Any thread. */
struct fsh_smp_port *fsh_smp_local_port(void);
/* The object, mapped. Any thread. */
unsigned char *fsh_smp_local_base(void);
/* What is where in it. Any thread. */
const struct fsh_smp_layout *fsh_smp_local_layout(void);
/* By rank; filled in by fsh_local_map. */
const struct fsh_segment *fsh_smp_local_segments(void);

#endif
