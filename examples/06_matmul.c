/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: compute commands (fshmem.h) that are started by events and whose
 * results the compute cores send themselves; matmul.c has the commands. A matrix
 * product on the compute cores of all ranks, C = A x B, with A, B and C split
 * evenly over them; checked against FP64. Prints a hash of C, which
 * depends on the number of ranks and the algorithm, but not on the conduit.
 *   06_matmul [--size N] [--algorithm auto|partial|pass-on] ...; see --help
 */
#include <inttypes.h>
#include <stdio.h>

#include "matmul.h"

static void print_json(const struct matmul *x, const struct case_check *check)
{
    printf("{\"workload\": \"matmul\", \"size\": %" PRIu32 ", \"nodes\": %u, "
           "\"algorithm\": \"%s\", \"seed\": %" PRIu32
           ", \"compared\": %" PRIu64 ", \"wrong\": %" PRIu64
           ", \"largest_error\": %g, \"bound\": %g, \"typical_error\": %g, "
           "\"typical_bound\": %g, \"hash\": \"%016" PRIx64
           "\", \"check\": \"%s\"}\n",
           x->size, (unsigned)x->nodes, matmul_name(x->algorithm), x->seed,
           check->compared, check->wrong, check->largest, check->bound,
           case_typical(check), check->typical_bound, check->hash,
           case_passes(check) ? "passed" : "FAILED");
}

static void print(const struct matmul *x, const struct case_check *check)
{
    printf("%" PRIu32 " x %" PRIu32 " on %u ranks, %s, seed %" PRIu32
           ": hash %016" PRIx64 "\n",
           x->size, x->size, (unsigned)x->nodes, matmul_name(x->algorithm),
           x->seed, check->hash);
    printf("Self-check %s: %" PRIu64 " values, largest error %.4g (bound "
           "%.4g), root mean square %.4g (bound %.4g)\n",
           case_passes(check) ? "passed" : "FAILED", check->compared,
           check->largest, check->bound, case_typical(check),
           check->typical_bound);
}

int main(int argc, char **argv)
{
    struct matmul_options options = {.size = 512, .seed = 1};
    const char *algorithm = "auto";
    int json = 0;
    const struct case_option table[] = {
        {.name = "--size",
         .help = "N       rows and columns (512)",
         .number = &options.size,
         .least = 16,
         .most = 16384},
        {.name = "--algorithm",
         .help = "WAY     auto, partial (two ranks), pass-on, grid",
         .string = &algorithm,
         .choices = MATMUL_ALGORITHMS},
        {.name = "--seed",
         .help = "N       of the numbers (1)",
         .number = &options.seed,
         .most = UINT32_MAX},
        {.name = "--json",
         .help = "        the result as a JSON object",
         .flag = &json},
    };
    struct case_check check;
    struct matmul x;

    case_join("06_matmul", &argc, &argv);
    case_options(argc, argv, "usage: fshrun -n RANKS 06_matmul [OPTION...]",
                 table, sizeof table / sizeof table[0]);
    options.algorithm = matmul_algorithm(algorithm);
    matmul_refuse(&options);
    case_attach(matmul_bytes(&options));
    matmul_prepare(&x, &options);
    case_start(matmul_starts(&x));
    matmul_wait(&x);
    case_barrier();
    matmul_check(&x, &check);
    case_check_all(&check);
    if (x.me == 0) {
        (json ? print_json : print)(&x, &check);
    }
    matmul_free(&x);
    case_leave(x.me == 0 && !case_passes(&check));
    return 0;
}
