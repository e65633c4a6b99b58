/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recipes: runs the programs of all ranks symbolically. An expression is a leaf (a
 * block of a rank's SRC) or a combination of two expressions; memory holds one
 * expression per block, and packets carry them. Ranks take turns, each running until
 * it waits for a packet, as the meaning of a program prescribes; so a program that
 * deadlocks is detected here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "coll/program/program.h"

#define NOTHING UINT32_MAX

struct expression {
    uint32_t leaf;        /* fsh_recipe_leaf, or FSH_RECIPE_FOLD */
    uint32_t left, right; /* of a fold */
    uint32_t words;       /* length in postfix */
    uint32_t need;        /* maximum operands on the stack */
};

struct packet {
    struct packet *next;
    uint16_t source, seq;
    uint32_t count;
    uint32_t value[]; /* expressions */
};

struct actor {
    struct fsh_program *program;
    uint32_t at;       /* current step */
    uint32_t *dst;     /* [blocks] expressions */
    uint32_t *tmp;     /* [blocks] */
    struct packet *in; /* packets that have arrived */
};

struct stage {
    const struct fsh_program_shape *shape;
    uint32_t blocks;
    struct actor *actor; /* [size] */
    struct expression *made;
    uint32_t count, room;
    uint32_t *value; /* [blocks] value of the current step */
    bool failed;     /* out of memory */
};

/* ---- expressions ---- */

static uint32_t add(struct stage *g, struct expression e)
{
    if (g->count == g->room) {
        uint32_t room = g->room == 0 ? 256 : 2 * g->room;
        struct expression *made = realloc(g->made, room * sizeof *made);

        if (made == NULL) {
            g->failed = true;
            return 0;
        }
        g->made = made;
        g->room = room;
    }
    g->made[g->count] = e;
    return g->count++;
}

static uint32_t leaf(struct stage *g, uint32_t rank, uint32_t block)
{
    return add(g,
               (struct expression){fsh_recipe_leaf(rank, block), 0, 0, 1, 1});
}

/* Folds commute bitwise, so the operand that needs the larger stack goes first. */
static uint32_t fold(struct stage *g, uint32_t a, uint32_t b)
{
    const struct expression *x = &g->made[a], *y = &g->made[b];
    uint32_t need = x->need > y->need ? x->need : y->need;

    if (x->need < y->need)
        return fold(g, b, a);
    return add(g, (struct expression){FSH_RECIPE_FOLD, a, b,
                                      x->words + y->words + 1,
                                      x->need == y->need ? need + 1 : need});
}

/* ---- memory ---- */

static uint32_t load(struct stage *g, uint32_t rank, unsigned place,
                     uint32_t block)
{
    if (place == FSH_PROGRAM_SRC)
        return leaf(g, rank, block);
    return place == FSH_PROGRAM_DST ? g->actor[rank].dst[block]
                                    : g->actor[rank].tmp[block];
}

static void keep(struct stage *g, uint32_t rank,
                 const struct fsh_program_range *to)
{
    struct actor *a = &g->actor[rank];
    uint32_t *memory = to->place == FSH_PROGRAM_DST ? a->dst : a->tmp;

    if (to->place == FSH_PROGRAM_NONE)
        return;
    FSH_ASSERT(to->place != FSH_PROGRAM_SRC &&
               to->first + to->count <= g->blocks);
    memcpy(memory + to->first, g->value, to->count * sizeof *memory);
}

/* ---- steps ---- */

static struct packet **find(struct actor *a, uint32_t source, uint32_t seq)
{
    struct packet **link = &a->in;

    while (*link != NULL && ((*link)->source != source || (*link)->seq != seq))
        link = &(*link)->next;
    return link;
}

static bool ready(struct actor *a, const struct fsh_program_step *s)
{
    for (unsigned i = 0; i < s->sources; i++)
        if (*find(a, s->source[i], s->seq) == NULL)
            return false;
    return true;
}

/* Combines with the packet of a source, or takes it; returns its number of
 * blocks. */
static uint32_t take(struct stage *g, struct actor *a, uint32_t source,
                     uint32_t seq, bool first)
{
    struct packet **link = find(a, source, seq), *packet = *link;
    uint32_t count = packet->count;

    *link = packet->next;
    for (uint32_t b = 0; b < count && !g->failed; b++)
        g->value[b] =
            first ? packet->value[b] : fold(g, g->value[b], packet->value[b]);
    free(packet);
    return count;
}

static void deliver(struct stage *g, uint32_t rank,
                    const struct fsh_program_step *s, uint32_t count)
{
    struct packet *packet =
        malloc(sizeof *packet + count * sizeof packet->value[0]);
    struct actor *to = &g->actor[s->dest];

    if (packet == NULL) {
        g->failed = true;
        return;
    }
    FSH_ASSERT(*find(to, rank, s->dest_seq) == NULL);
    packet->next = to->in;
    packet->source = (uint16_t)rank;
    packet->seq = s->dest_seq;
    packet->count = count;
    memcpy(packet->value, g->value, count * sizeof packet->value[0]);
    to->in = packet;
}

static void run_step(struct stage *g, uint32_t rank,
                     const struct fsh_program_step *s)
{
    struct actor *a = &g->actor[rank];
    uint32_t count = s->local.count;

    for (uint32_t b = 0; b < count && !g->failed; b++)
        g->value[b] = load(g, rank, s->local.place, s->local.first + b);
    for (unsigned i = 0; i < s->sources && !g->failed; i++)
        count = take(g, a, s->source[i], s->seq, i == 0 && s->local.count == 0);
    FSH_ASSERT(s->local.count == 0 || s->local.count == count);
    FSH_ASSERT(s->store.count == 0 || s->store.count == count);
    if (g->failed)
        return;
    keep(g, rank, &s->store);
    if (s->dest != FSH_PROGRAM_NOBODY)
        deliver(g, rank, s, count);
}

/* Runs all ranks to completion. False: out of memory, or deadlock. */
static bool play(struct stage *g)
{
    bool moved = true, over = false;

    while (moved && !over && !g->failed) {
        moved = false;
        over = true;
        for (uint32_t r = 0; r < g->shape->size; r++) {
            struct actor *a = &g->actor[r];

            while (a->at < a->program->steps && !g->failed &&
                   ready(a, &a->program->step[a->at])) {
                run_step(g, r, &a->program->step[a->at++]);
                moved = true;
            }
            over = over && a->at == a->program->steps;
        }
    }
    return over && !g->failed;
}

/* ---- from expressions to words ---- */

static void write_words(const struct stage *g, uint32_t e, uint32_t **out)
{
    const struct expression *x = &g->made[e];

    if (x->leaf == FSH_RECIPE_FOLD) {
        write_words(g, x->left, out);
        write_words(g, x->right, out);
    }
    *(*out)++ = x->leaf;
}

/* Whether these are the words of the piece, for blocks `ahead` further on. */
static bool continues(const struct fsh_recipe *r,
                      const struct fsh_recipe_piece *piece,
                      const uint32_t *word, uint32_t words)
{
    if (piece->words != words)
        return false;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t was = r->word[piece->at + i];

        if (was == FSH_RECIPE_FOLD ? word[i] != was
                                   : word[i] != was + piece->count)
            return false;
    }
    return true;
}

/* Appends a block of DST, whose words follow those of the last piece. */
static void append(struct fsh_recipe *r, uint32_t block, uint32_t words,
                   uint32_t *used)
{
    struct fsh_recipe_piece *last =
        r->pieces == 0 ? NULL : &r->piece[r->pieces - 1];

    if (last != NULL && (uint32_t)last->first + last->count == block &&
        continues(r, last, r->word + *used, words)) {
        last->count++;
        return;
    }
    r->piece[r->pieces++] = (struct fsh_recipe_piece){
        .first = (uint16_t)block, .count = 1, .at = *used, .words = words};
    *used += words;
}

static struct fsh_recipe *write_recipe(const struct stage *g, uint32_t rank)
{
    struct fsh_recipe *r = calloc(1, sizeof *r);
    const uint32_t *dst = g->actor[rank].dst;
    size_t words = 1;
    uint32_t used = 0;

    if (r == NULL)
        return NULL;
    for (uint32_t b = 0; b < g->blocks; b++)
        words += dst[b] == NOTHING ? 0 : g->made[dst[b]].words;
    r->blocks = g->blocks;
    r->halved = g->shape->rings == FSH_PROGRAM_BOTH;
    r->piece = malloc(g->blocks * sizeof *r->piece);
    r->word = malloc(words * sizeof *r->word);
    if (r->piece == NULL || r->word == NULL) {
        fsh_recipe_free(r);
        return NULL;
    }
    for (uint32_t b = 0; b < g->blocks; b++) {
        uint32_t *out = r->word + used;

        if (dst[b] == NOTHING)
            continue;
        write_words(g, dst[b], &out);
        append(r, b, g->made[dst[b]].words, &used);
        if (g->made[dst[b]].need > r->depth)
            r->depth = g->made[dst[b]].need;
    }
    return r;
}

/* ---- setup ---- */

static uint32_t *nothing(uint32_t blocks)
{
    uint32_t *memory = malloc(blocks * sizeof *memory);

    for (uint32_t b = 0; memory != NULL && b < blocks; b++)
        memory[b] = NOTHING;
    return memory;
}

static bool set_up(struct stage *g, const struct fsh_program_algorithm *a)
{
    g->blocks = a->blocks(g->shape);
    g->actor = calloc(g->shape->size, sizeof *g->actor);
    g->value = malloc(g->blocks * sizeof *g->value);
    if (g->actor == NULL || g->value == NULL)
        return false;
    for (uint32_t r = 0; r < g->shape->size; r++) {
        struct actor *actor = &g->actor[r];

        actor->program = fsh_program_make(a, g->shape, r);
        actor->dst = nothing(g->blocks);
        actor->tmp = nothing(g->blocks);
        if (actor->program == NULL || actor->dst == NULL || actor->tmp == NULL)
            return false;
    }
    return true;
}

static void tear_down(struct stage *g)
{
    for (uint32_t r = 0; g->actor != NULL && r < g->shape->size; r++) {
        struct actor *a = &g->actor[r];

        while (a->in != NULL) {
            struct packet *packet = a->in;

            a->in = packet->next;
            free(packet);
        }
        fsh_program_free(a->program);
        free(a->dst);
        free(a->tmp);
    }
    free(g->actor);
    free(g->value);
    free(g->made);
}

struct fsh_recipe *fsh_recipe_make(const struct fsh_program_algorithm *a,
                                   const struct fsh_program_shape *shape,
                                   uint32_t rank)
{
    struct stage g = {.shape = shape};
    struct fsh_recipe *recipe = NULL;

    if (set_up(&g, a) && play(&g))
        recipe = write_recipe(&g, rank);
    tear_down(&g);
    return recipe;
}

void fsh_recipe_free(struct fsh_recipe *recipe)
{
    if (recipe == NULL)
        return;
    free(recipe->piece);
    free(recipe->word);
    free(recipe);
}
