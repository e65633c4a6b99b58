/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The section of fshinfo on compute cores: the logic of conduit fpga's nodes,
 * and the C code that replaces it on conduit smp.
 */
#include <inttypes.h>

#include "base/fsh_spec.h"
#include "base/option.h"
#include "compute/number/format.h"
#include "compute/number/isa.h"
#include "compute/execute/execute.h"
#include "show.h"

#define ELEMENTS (FSH_COMPUTE_ROWS * FSH_COMPUTE_COLUMNS)
#define MACS (ELEMENTS * FSH_COMPUTE_LINE_VALUES) /* per cycle */
#define GOPS (2 * MACS * FSH_CLOCK_MHZ / 1000)
#define PORT_BITS (8 * FSH_COMPUTE_LINE)

/* A list of words: a JSON array, or a line of text. */
static void show_words(struct document *j, const char *key, const char *label,
                       const char *(*word)(unsigned i), unsigned count)
{
    if (j)
        document_open(j, key, '[');
    else
        printf("  %-18s", label);
    for (unsigned i = 0; i < count; i++) {
        const char *text = word(i);

        if (!text)
            continue;
        if (j)
            document_text(j, NULL, text);
        else
            printf(" %s", text);
    }
    if (j)
        document_close(j);
    else
        putchar('\n');
}

static const char *operation(unsigned i)
{
    static const struct {
        unsigned value;
        const char *name;
    } operations[FSH_COP_COUNT] = FSH_COP_NAMES;

    return operations[i].name;
}

static const char *instructions(unsigned i)
{
    enum fsh_isa isa = FSH_ISA_PORTABLE + i;

    return fsh_isa_available(isa) ? fsh_isa_name(isa) : NULL;
}

static void write_shape(struct document *j)
{
    const struct fsh_bfp_format format = FSH_BFP_16_8_7;

    document_number(j, "rows", FSH_COMPUTE_ROWS);
    document_number(j, "columns", FSH_COMPUTE_COLUMNS);
    document_number(j, "block", format.block);
    document_number(j, "exponent_bits", format.exponent);
    document_number(j, "mantissa_bits", format.mantissa);
    document_number(j, "macs_per_cycle", MACS);
    document_number(j, "clock_mhz", FSH_CLOCK_MHZ);
    document_number(j, "gops", GOPS);
    document_number(j, "memory_ports", FSH_COMPUTE_MEMORY_PORTS);
    document_number(j, "memory_port_bits", PORT_BITS);
}

static void print_shape(void)
{
    const struct fsh_bfp_format format = FSH_BFP_16_8_7;

    printf("  %-18s %u x %u elements, each a dot product of %u values\n",
           "array", FSH_COMPUTE_ROWS, FSH_COMPUTE_COLUMNS,
           FSH_COMPUTE_LINE_VALUES);
    printf("  %-18s %u values share an exponent of %u bits; sign and %u bits "
           "each\n",
           "block format", format.block, format.exponent, format.mantissa);
    printf("  %-18s %u per cycle, %u GOPS at %u MHz\n", "multiply-adds", MACS,
           GOPS, FSH_CLOCK_MHZ);
    printf("  %-18s %u of %u bits\n", "memory ports", FSH_COMPUTE_MEMORY_PORTS,
           PORT_BITS);
}

static void show_logic(struct document *j)
{
    show_open(j, "fpga",
              "Compute core of a node, fpga (if its device has one)");
    if (j)
        write_shape(j);
    else
        print_shape();
    show_words(j, "commands", "commands", operation, FSH_COP_COUNT);
    show_number(j, "accumulators", FSH_COMPUTE_ACCUMULATORS,
                "groups of a tile");
    show_number(j, "events", FSH_NUM_EVENTS, "events");
    show_number(j, "max_dimension", FSH_COMPUTE_MAX_DIMENSION,
                "largest m, n, k");
    show_close(j);
}

/* The same commands and the same bits, on a thread of each rank. */
static void show_software(struct document *j)
{
    enum fsh_isa best =
        fsh_isa_choose(fsh_isa_named(fsh_option_str("FSHMEM_INSTRUCTIONS")));

    show_open(j, "smp", "Compute core of a rank, smp (FSHMEM_COMPUTE)");
    if (j) {
        document_text(j, "instructions", fsh_isa_name(best));
    } else {
        printf("  %-18s %s C, %s chosen\n", "software",
               best == FSH_ISA_PORTABLE ? "plain" : "vectorised",
               fsh_isa_name(best));
    }
    show_words(j, "available", "instructions here", instructions,
               FSH_ISA_AVX512 - FSH_ISA_PORTABLE + 1);
    show_close(j);
}

void show_compute(struct document *j)
{
    if (j)
        document_open(j, "compute", '{');
    show_logic(j);
    show_software(j);
    if (j)
        document_close(j);
}
