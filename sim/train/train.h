/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the load the compiler learns from. One thread.
 */
#ifndef FSH_SIM_TRAIN_H
#define FSH_SIM_TRAIN_H

#include "bed.h"

#define FSH_TRAIN_LIMIT 10000000u /* cycles without an entry */

/* Let the compute core of node 0 work, and send results to node 1, in two nodes
 * at rest with at least 8 MB. False if it does not end, or not well. */
bool fsh_train_compute(struct fsh_bed *bed);

#endif
