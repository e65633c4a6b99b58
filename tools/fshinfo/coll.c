/* SPDX-License-Identifier: BSD-3-Clause */
/* The command coll of fshinfo; see coll.h. */
#include "coll.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "coll/card/card.h"
#include "gasnet/run.h"
#include "options.h"

enum { DEFAULT_RANKS = 8, MOST_RANKS = 64 };
#define MOST_BYTES ((size_t)1 << 30) /* that are looked at */

static uint32_t ranks = DEFAULT_RANKS, root;
static const struct fsh_program_algorithm *shown;
static enum fsh_program_call call = FSH_PROGRAM_CALLS; /* not specified */
static bool wants_exclusive, wants_help;

static bool take_number(const struct kit_option *row, const char *text,
                        uint32_t least, uint32_t most, uint32_t *value,
                        char *err, size_t errlen)
{
    char *end;
    long n = strtol(text, &end, 10);

    *value = (uint32_t)n;
    if (end != text && !*end && n >= (long)least && n <= (long)most)
        return true;
    snprintf(err, errlen, "%s %s: expected a number, %u to %u", row->name, text,
             least, most);
    return false;
}

static bool take_ranks(const struct kit_option *row, const char *text,
                       char *err, size_t errlen)
{
    return take_number(row, text, 1, MOST_RANKS, &ranks, err, errlen);
}

static bool take_root(const struct kit_option *row, const char *text, char *err,
                      size_t errlen)
{
    return take_number(row, text, 0, MOST_RANKS - 1, &root, err, errlen);
}

static bool take_algorithm(const struct kit_option *row, const char *text,
                           char *err, size_t errlen)
{
    shown = fsh_program_named(text);
    if (shown == NULL)
        snprintf(err, errlen,
                 "%s %s: no such algorithm; fshinfo coll lists them", row->name,
                 text);
    return shown != NULL;
}

static bool take_call(const struct kit_option *row, const char *text, char *err,
                      size_t errlen)
{
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
        if (strcmp(fsh_program_call_name((enum fsh_program_call)c), text) ==
            0) {
            call = (enum fsh_program_call)c;
            return true;
        }
    snprintf(err, errlen, "%s %s: no such call; fshinfo coll lists them",
             row->name, text);
    return false;
}

static const struct kit_option rows[] = {
    {"--np", "N", "ranks, 1 to 64; default: 8", .take = take_ranks,
     .alias = "-n"},
    {"--show", "ALGORITHM", "show its program for each rank, and its tree",
     .take = take_algorithm},
    {"--call", "CALL", "for this call; default: the first it supports",
     .take = take_call},
    {"--root", "R", "rank; default: 0", .take = take_root},
    {"--exclusive", .help = "show an exclusive scan", .flag = &wants_exclusive},
    {"--help", .flag = &wants_help, .ends = true, .alias = "-h"},
};

static const struct kit_options options = {
    .tool = "fshinfo",
    .command = "coll",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

void coll_help(FILE *out)
{
    fputs(
        "\n"
        "  coll        algorithms of collectives, and which one a call uses\n",
        out);
    kit_options_print(out, &options, 4, 24);
}

/* ---- the list ---- */

static const char *order_name(enum fsh_program_order order)
{
    switch (order) {
    case FSH_PROGRAM_TREE:
        return "TREE";
    case FSH_PROGRAM_RING:
        return "RING";
    default:
        return "";
    }
}

static bool combines(unsigned c)
{
    return c == FSH_PROGRAM_REDUCE || c == FSH_PROGRAM_ALLREDUCE ||
           c == FSH_PROGRAM_REDUCE_SCATTER;
}

static bool has_blocks(unsigned c)
{
    return c != FSH_PROGRAM_BROADCAST && c != FSH_PROGRAM_REDUCE &&
           c != FSH_PROGRAM_ALLREDUCE && c != FSH_PROGRAM_SCAN;
}

static struct fsh_program_shape shape_of(unsigned c)
{
    return (struct fsh_program_shape){
        .call = (enum fsh_program_call)c, .size = ranks, .root = root};
}

/* The setting of a call, in capitals. */
static const char *setting_of(unsigned c, char name[40])
{
    const char *from = fsh_program_call_name((enum fsh_program_call)c);
    char *to = stpcpy(name, "FSHMEM_COLL_");

    for (; *from; from++)
        *to++ = *from == '_' ? '_' : (char)(*from - 'a' + 'A');
    *to = 0;
    return name;
}

/* The algorithm a setting requests; NULL: none. */
static const struct fsh_program_algorithm *asked_for(unsigned c, char name[40])
{
    return fsh_program_named(fsh_option_str(setting_of(c, name)));
}

/* Of a call whose ranks have cards. */
static const struct fsh_program_algorithm *card_algorithm(
    const struct fsh_program_shape *shape, size_t bytes)
{
    char name[40];
    const struct fsh_program_algorithm *a = asked_for(shape->call, name);

    return a != NULL ? a : fsh_card_choose(shape, bytes);
}

/* The size ranges of the chosen algorithms, found at powers of two. */
static void print_choices(unsigned c)
{
    const struct fsh_program_shape shape = shape_of(c);
    const struct fsh_program_algorithm *was = NULL;
    char name[40];

    if (asked_for(c, name) != NULL) {
        printf("    %s, requested by %s\n", fsh_option_str(name), name);
        return;
    }
    for (size_t bytes = 1; bytes <= (size_t)1 << 30; bytes *= 2) {
        const struct fsh_program_algorithm *a =
            fsh_program_choose(&shape, bytes);

        if (a == was)
            continue;
        if (was == NULL)
            printf("    chosen: %s", a->name);
        else
            printf(", from %zu bytes%s on %s", bytes,
                   has_blocks(c) ? " a block" : "", a->name);
        was = a;
    }
    putchar('\n');
}

static bool card_takes(const struct fsh_program_shape *shape, size_t bytes)
{
    struct fsh_coll_work work = {.elem = 8, .count = bytes / 8};

    return fsh_run_card_takes(card_algorithm(shape, bytes), shape, &work);
}

/* The sizes that the cards' engines handle, found at powers of two. */
static void print_card(unsigned c)
{
    const struct fsh_program_shape shape = shape_of(c);
    const char *unit = has_blocks(c) ? " a block" : "", *between = "";
    bool was = card_takes(&shape, 8);

    if (strcmp(fsh_option_str("FSHMEM_COLL_ENGINE"), "host") == 0 || ranks < 2)
        return;
    if (c == FSH_PROGRAM_BARRIER) {
        puts("    on cards: always");
        return;
    }
    printf("    on cards: ");
    for (size_t bytes = 16; bytes <= MOST_BYTES; bytes *= 2) {
        bool takes = card_takes(&shape, bytes);

        if (was && !takes)
            printf("%sup to %zu bytes%s", between, bytes / 2, unit);
        else if (!was && takes)
            printf("%sfrom %zu bytes%s on", between, bytes, unit);
        if (takes != was)
            between = ", and ";
        was = takes;
    }
    if (*between != 0)
        putchar('\n');
    else
        puts(was ? "whatever the size"
                 : "if FSHMEM_COLL_ENGINE=card asks for it");
}

static void print_call(unsigned c)
{
    printf("  %s\n", fsh_program_call_name((enum fsh_program_call)c));
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++) {
        const struct fsh_program_algorithm *a = fsh_program_algorithms[i];

        if (fsh_program_does(a, (enum fsh_program_call)c))
            printf("    %-18s %s%s%s\n", a->name,
                   combines(c) ? order_name(a->order) : "",
                   combines(c) ? ": " : "", a->about);
    }
    print_choices(c);
    print_card(c);
}

static void print_engine(void)
{
    const char *asked = fsh_option_str("FSHMEM_COLL_ENGINE");

    printf("On conduit fpga (FSHMEM_COLL_ENGINE=%s) ", asked);
    if (strcmp(asked, "host") == 0)
        puts("the ranks execute all of them by messages.");
    else
        printf("the cards' engines execute, if every\n"
               "node has one, calls of the first %u teams of a node up to the "
               "sizes above, wherever\n"
               "the buffers are; reductions with SUM, MIN, MAX, AND, OR and "
               "XOR. PROD, MINLOC,\n"
               "MAXLOC and calls with lists of counts use messages.\n",
               FSH_CARD_TEAMS_MOST);
}

static void print_list(void)
{
    printf("Collectives of %" PRIu32
           " rank%s: algorithms, and which is chosen\n",
           ranks, ranks == 1 ? "" : "s");
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
        print_call(c);
    puts(
        "\n"
        "The order of a reduction, TREE or RING, depends on ranks and bytes alone. A call's\n"
        "flags select the algorithm, else FSHMEM_COLL_<CALL> does. On conduit smp the calls\n"
        "load from the peers' memory, in the order of the same programs (FSHMEM_COLL_DIRECT).");
    print_engine();
}

/* ---- a program ---- */

static void print_range(const struct fsh_program_range *r)
{
    static const char *const places[] = {"", "SRC", "DST", "TMP"};

    if (r->count == 1)
        printf("%s[%u]", places[r->place], r->first);
    else
        printf("%s[%u-%u]", places[r->place], r->first,
               r->first + r->count - 1);
}

static void print_step(const struct fsh_program_step *s)
{
    const char *plus = "";

    fputs("    ", stdout);
    if (s->local.place != FSH_PROGRAM_NONE) {
        print_range(&s->local);
        plus = " + ";
    }
    for (unsigned k = 0; k < s->sources; k++) {
        printf("%s%u:%u", plus, s->source[k], s->seq);
        plus = " + ";
    }
    if (s->store.place != FSH_PROGRAM_NONE) {
        fputs(" = ", stdout);
        print_range(&s->store);
    }
    if (s->dest != FSH_PROGRAM_NOBODY)
        printf(" -> %u:%u", s->dest, s->dest_seq);
    putchar('\n');
}

static bool print_program(const struct fsh_program_shape *shape, uint32_t rank)
{
    struct fsh_program *p = fsh_program_make(shown, shape, rank);

    if (p == NULL)
        return false;
    printf("  rank %" PRIu32 "\n", rank);
    for (uint32_t i = 0; i < p->steps; i++)
        print_step(&p->step[i]);
    fsh_program_free(p);
    return true;
}

/* ---- the tree: communication seen from one rank ---- */

enum { ALL = -1 }; /* all packets, whatever their SeqID */

/* Bit set of the ranks that a rank's program sends packets with this SeqID
 * to. */
static uint64_t sends_to(const struct fsh_program_shape *shape, uint32_t rank,
                         int seq)
{
    struct fsh_program *p = fsh_program_make(shown, shape, rank);
    uint64_t to = 0;

    for (uint32_t i = 0; p != NULL && i < p->steps; i++)
        if (p->step[i].dest != FSH_PROGRAM_NOBODY &&
            (seq == ALL || p->step[i].dest_seq == seq))
            to |= UINT64_C(1) << p->step[i].dest;
    fsh_program_free(p);
    return to;
}

static uint64_t receives_from(const struct fsh_program_shape *shape,
                              uint32_t rank, int seq)
{
    uint64_t from = 0;

    for (uint32_t r = 0; r < shape->size; r++)
        if (sends_to(shape, r, seq) >> rank & 1)
            from |= UINT64_C(1) << r;
    return from;
}

/* State of a drawing. */
struct drawing {
    const struct fsh_program_shape *shape;
    bool down;     /* to receivers; else to senders */
    int seq;       /* or ALL */
    uint64_t seen; /* one bit per rank */
    char indent[4 * MOST_RANKS + 1];
};

static void draw_below(struct drawing *d, uint32_t rank)
{
    uint64_t next = (d->down ? sends_to(d->shape, rank, d->seq)
                             : receives_from(d->shape, rank, d->seq)) &
                    ~d->seen;
    size_t n = strlen(d->indent);

    d->seen |= next;
    for (uint32_t r = 0; next != 0; r++) {
        if (!(next >> r & 1))
            continue;
        next &= ~(UINT64_C(1) << r);
        printf("  %s%s %" PRIu32 "\n", d->indent, next == 0 ? "`--" : "|--", r);
        strcpy(d->indent + n, next == 0 ? "    " : "|   ");
        draw_below(d, r);
        d->indent[n] = 0;
    }
}

static void draw(const struct fsh_program_shape *shape, bool down, int seq)
{
    struct drawing d = {.shape = shape,
                        .down = down,
                        .seq = seq,
                        .seen = UINT64_C(1) << shape->root};

    printf("\n  %s the root%s\n  %" PRIu32 "\n", down ? "From" : "To",
           seq == ALL ? ""
           : seq == 0 ? ", the first half of the bytes"
                      : ", the second half",
           shape->root);
    draw_below(&d, shape->root);
}

/* For calls with a root: the paths to or from it. */
static void print_tree(const struct fsh_program_shape *shape)
{
    if (shape->call == FSH_PROGRAM_BROADCAST && shown->blocks(shape) == 2) {
        draw(shape, true, 0);
        draw(shape, true, 1);
    } else if (shape->call == FSH_PROGRAM_BROADCAST ||
               shape->call == FSH_PROGRAM_SCATTER) {
        draw(shape, true, ALL);
    } else if (shape->call == FSH_PROGRAM_GATHER ||
               shape->call == FSH_PROGRAM_REDUCE) {
        draw(shape, false, ALL);
    }
}

static int show(void)
{
    struct fsh_program_shape shape;

    for (unsigned c = 0; call == FSH_PROGRAM_CALLS; c++)
        if (fsh_program_does(shown, (enum fsh_program_call)c))
            call = (enum fsh_program_call)c;
    if (!fsh_program_does(shown, call)) {
        fsh_warn("%s does not support %s; fshinfo coll lists what does",
                 shown->name, fsh_program_call_name(call));
        return 2;
    }
    if (root >= ranks) {
        fsh_warn("--root %" PRIu32 ": ranks are 0 to %" PRIu32, root,
                 ranks - 1);
        return 2;
    }
    shape = shape_of(call);
    shape.exclusive = wants_exclusive;
    printf(
        "%s, %s, %" PRIu32 " ranks: %" PRIu32 " block%s\n"
        "(value = stored -> destination rank:SeqID; rank:SeqID is a packet)\n",
        fsh_program_call_name(call), shown->name, ranks, shown->blocks(&shape),
        shown->blocks(&shape) == 1 ? "" : "s");
    for (uint32_t r = 0; r < ranks; r++)
        if (!print_program(&shape, r))
            return 1;
    print_tree(&shape);
    return 0;
}

int coll_command(int argc, char **argv)
{
    int code = 0;

    kit_options_read(&options, argc, argv);
    if (wants_help) {
        coll_help(stdout);
        return 0;
    }
    fsh_option_check();
    if (shown != NULL)
        code = show();
    else
        print_list();
    return fflush(stdout) == 0 ? code : 1;
}
