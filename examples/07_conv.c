/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: forwarding results from node to node while they are computed (SEND
 * commands and events, no rank in the loop); conv.c has the commands. A
 * convolution on the compute cores of all ranks (conv.h): each has some of the
 * kernels, and at the end the whole output, assembled during the computation.
 * Checks the output of every rank against FP64, and that all are equal. Prints
 * its hash, which depends neither on the number of ranks nor on the conduit.
 *   07_conv [--kernels N] [--kernel N] [--paper 3|5|7] ...; see --help
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conv.h"

static struct conv_options options = {
    .kernels = 64, .size = 3, .channels = 64, .map = 64, .seed = 1};
static int json;

static void read_options(int argc, char **argv)
{
    static const char *paper;
    static const struct case_option table[] = {
        {.name = "--kernels",
         .help = "N     how many: channels of the output (64)",
         .number = &options.kernels,
         .least = 1,
         .most = 4096},
        {.name = "--kernel",
         .help = "N     size of a kernel, N x N (3)",
         .number = &options.size,
         .least = 1,
         .most = 15},
        {.name = "--channels",
         .help = "N     channels of the input (64)",
         .number = &options.channels,
         .least = 1,
         .most = 4096},
        {.name = "--map",
         .help = "N     height and width of input and output (64)",
         .number = &options.map,
         .least = 1,
         .most = 1024},
        {.name = "--seed",
         .help = "N     of the numbers (1)",
         .number = &options.seed,
         .most = UINT32_MAX},
        {.name = "--paper",
         .help = "3|5|7 the FSHMEM paper's, in place of the others: minutes in "
                 "the simulator",
         .string = &paper,
         .choices = "3|5|7"},
        {.name = "--json", .help = "      print JSON", .flag = &json},
    };

    case_options(argc, argv, "usage: fshrun -n RANKS 07_conv [OPTION...]",
                 table, sizeof table / sizeof table[0]);
    if (paper) {
        uint32_t seed = options.seed;

        options = conv_paper((uint32_t)atoi(paper));
        options.seed = seed;
    }
}

static void report(const struct case_check *check)
{
    const char *verdict = case_passes(check) ? "passed" : "FAILED";
    const struct conv_options *o = &options;

    if (json) {
        printf("{\"workload\": \"conv\", \"size\": %" PRIu32
               ", \"kernels\": %" PRIu32 ", \"channels\": %" PRIu32
               ", \"map\": %" PRIu32 ", \"nodes\": %u, \"hash\": \"%016" PRIx64
               "\", \"checked\": %" PRIu64 ", \"largest_error\": %.6g, "
               "\"bound\": %.6g, \"rms_error\": %.6g, \"rms_bound\": %.6g, "
               "\"check\": \"%s\"}\n",
               o->size, o->kernels, o->channels, o->map,
               (unsigned)gasnet_nodes(), check->hash, check->compared,
               check->largest, check->bound, case_typical(check),
               check->typical_bound, verdict);
        return;
    }
    printf("%" PRIu32 " kernels %" PRIu32 " x %" PRIu32 " x %" PRIu32
           " on a map %" PRIu32 " x %" PRIu32 ", %u ranks: hash %016" PRIx64
           " on each\n",
           o->kernels, o->size, o->size, o->channels, o->map, o->map,
           (unsigned)gasnet_nodes(), check->hash);
    printf("Self-check %s: %" PRIu64 " values, largest error %.4g (bound "
           "%.4g), root mean square %.4g (bound %.4g)\n",
           verdict, check->compared, check->largest, check->bound,
           case_typical(check), check->typical_bound);
}

int main(int argc, char **argv)
{
    struct case_check check;
    struct conv conv;

    case_join("07_conv", &argc, &argv);
    read_options(argc, argv);
    conv_refuse(&options);
    case_attach(conv_bytes(&options));
    conv_prepare(&conv, &options);
    case_start(conv_starts(&conv));
    conv_wait(&conv);
    conv_check(&conv, &check);
    case_check_all(&check);
    if (conv.me == 0) {
        report(&check);
    }
    conv_free(&conv);
    case_leave(conv.me == 0 && !case_passes(&check));
    return 0;
}
