/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms, each in the file of its name. */
#ifndef FSH_COLL_ALGORITHMS_H
#define FSH_COLL_ALGORITHMS_H

#include "coll/program/program.h"

extern const struct fsh_program_algorithm fsh_algorithm_binomial;
extern const struct fsh_program_algorithm fsh_algorithm_double_tree;
extern const struct fsh_program_algorithm fsh_algorithm_chain;
extern const struct fsh_program_algorithm fsh_algorithm_scatter_allgather;
extern const struct fsh_program_algorithm fsh_algorithm_halving;
extern const struct fsh_program_algorithm fsh_algorithm_doubling;
extern const struct fsh_program_algorithm fsh_algorithm_rabenseifner;
extern const struct fsh_program_algorithm fsh_algorithm_ring;
extern const struct fsh_program_algorithm fsh_algorithm_linear;
extern const struct fsh_program_algorithm fsh_algorithm_pairwise;
extern const struct fsh_program_algorithm fsh_algorithm_dissemination;
extern const struct fsh_program_algorithm fsh_algorithm_bruck;

#endif
