/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs, and the table of algorithms: to add one, write its file and list it
 * here. */
#include "coll/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "coll/program/algorithms.h"

const struct fsh_program_algorithm *const fsh_program_algorithms[] = {
    &fsh_algorithm_binomial,
    &fsh_algorithm_double_tree,
    &fsh_algorithm_chain,
    &fsh_algorithm_scatter_allgather,
    &fsh_algorithm_halving,
    &fsh_algorithm_doubling,
    &fsh_algorithm_rabenseifner,
    &fsh_algorithm_ring,
    &fsh_algorithm_linear,
    &fsh_algorithm_pairwise,
    &fsh_algorithm_dissemination,
    &fsh_algorithm_bruck,
    NULL};

const char *fsh_program_call_name(enum fsh_program_call call)
{
    static const char *const names[FSH_PROGRAM_CALLS] = {
        [FSH_PROGRAM_BARRIER] = "barrier",
        [FSH_PROGRAM_BROADCAST] = "broadcast",
        [FSH_PROGRAM_SCATTER] = "scatter",
        [FSH_PROGRAM_GATHER] = "gather",
        [FSH_PROGRAM_ALLGATHER] = "allgather",
        [FSH_PROGRAM_ALLTOALL] = "alltoall",
        [FSH_PROGRAM_REDUCE] = "reduce",
        [FSH_PROGRAM_ALLREDUCE] = "allreduce",
        [FSH_PROGRAM_REDUCE_SCATTER] = "reduce_scatter",
        [FSH_PROGRAM_SCAN] = "scan"};

    FSH_ASSERT(call < FSH_PROGRAM_CALLS);
    return names[call];
}

bool fsh_program_splits(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_BROADCAST || call == FSH_PROGRAM_REDUCE ||
           call == FSH_PROGRAM_ALLREDUCE || call == FSH_PROGRAM_SCAN;
}

#define LINE ((size_t)64)

size_t fsh_program_half(size_t bytes)
{
    size_t half = ((bytes + 1) / 2 + LINE - 1) / LINE * LINE;

    return half < bytes ? half : bytes;
}

/* Bytes before block b of `blocks` that are not halved. */
static size_t before_whole(const struct fsh_program_operand *o, uint32_t blocks,
                           uint32_t b)
{
    if (!fsh_program_splits(o->call))
        return o->elem * o->count * b;
    return o->elem * (o->count / blocks * b + o->count % blocks * b / blocks);
}

size_t fsh_program_before(const struct fsh_program_operand *o, uint32_t b)
{
    size_t at;

    if (!o->halved)
        return before_whole(o, o->blocks, b);
    at = before_whole(o, o->blocks / 2, b / 2);
    if (b % 2 == 0)
        return at;
    return at +
           fsh_program_half(before_whole(o, o->blocks / 2, b / 2 + 1) - at);
}

const struct fsh_program_algorithm *fsh_program_find(unsigned id)
{
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++)
        if (fsh_program_algorithms[i]->id == id)
            return fsh_program_algorithms[i];
    return NULL;
}

const struct fsh_program_algorithm *fsh_program_named(const char *name)
{
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++)
        if (strcmp(fsh_program_algorithms[i]->name, name) == 0)
            return fsh_program_algorithms[i];
    return NULL;
}

struct fsh_program_step *fsh_program_add(struct fsh_program *program)
{
    struct fsh_program_step *step = program->step;

    if (program->steps == program->room) {
        uint32_t room = program->room * 2;

        step = realloc(program->step, room * sizeof *step);
        if (step == NULL) {
            program->blocks = 0; /* tested by fsh_program_make */
            program->steps = 0;
        } else {
            program->step = step;
            program->room = room;
        }
    }
    step = &program->step[program->steps++];
    memset(step, 0, sizeof *step);
    step->dest = FSH_PROGRAM_NOBODY;
    return step;
}

struct fsh_program *fsh_program_make_over(const struct fsh_program_algorithm *a,
                                          const struct fsh_program_shape *shape,
                                          const uint16_t *host, uint32_t rank)
{
    struct fsh_program *p = calloc(1, sizeof *p);

    FSH_ASSERT(fsh_program_does(a, shape->call) && rank < shape->size);
    if (p == NULL)
        return NULL;
    p->host = host;
    p->room = 8;
    p->step = malloc(p->room * sizeof *p->step);
    if (p->step != NULL) {
        p->blocks = a->blocks(shape);
        p->halved = shape->rings == FSH_PROGRAM_BOTH;
        a->build(p, shape, rank);
    }
    p->host = NULL;
    if (p->blocks == 0) {
        fsh_program_free(p);
        return NULL;
    }
    return p;
}

struct fsh_program *fsh_program_make(const struct fsh_program_algorithm *a,
                                     const struct fsh_program_shape *shape,
                                     uint32_t rank)
{
    return fsh_program_make_over(a, shape, NULL, rank);
}

void fsh_program_free(struct fsh_program *program)
{
    if (program == NULL)
        return;
    free(program->step);
    free(program);
}
