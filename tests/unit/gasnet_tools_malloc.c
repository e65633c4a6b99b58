/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_debug_malloc and similar calls: they do what their namesakes do, count
 * correctly, and detect damage, with a line that says where the memory was
 * allocated. Each damage is done in a forked copy of the process.
 */
#include <stdint.h>
#include <string.h>

#define FSH_CONFIG_DEBUG 1 /* for the names; the functions are in any library */
#include "gasnet_tools.h"
#include "child.h"

static char *piece;

static void write_behind(void)
{
    piece[10] = 1;
    gasnett_debug_memcheck(piece);
}
static void write_before(void)
{
    piece[-1] ^= 1;
    gasnett_debug_memcheck_all();
}
static void write_behind_and_free(void)
{
    piece[17] ^= 1;
    gasnett_debug_free(piece);
}
static void find_one_of_two(void)
{
    piece[10] = 1;
    for (int i = 0; i < 3; i++)
        gasnett_debug_memcheck_one();
}
static void free_twice(void)
{
    /* The memory itself must stay readable: a neighbour keeps the heap. */
    void *keep = gasnett_debug_malloc(10);

    gasnett_debug_free(piece);
    gasnett_debug_free(piece);
    gasnett_debug_free(keep);
}
static void too_much(void)
{
    gasnett_debug_calloc(SIZE_MAX / 2, 3);
}

static const struct child_case cases[] = {
    {write_behind, "past its end"},
    {write_before, "before its start"},
    {write_behind_and_free, "past its end"},
    {find_one_of_two, "gasnet_tools_malloc.c:"},
    {free_twice, "freed already"},
    {too_much, "no memory"},
};

static void check_use(void)
{
    gasnett_heapstats_t stats;
    char *p = gasnett_debug_strdup("eleven char"), *q;
    int *zeros = gasnett_debug_calloc(3, sizeof *zeros);

    CHECK(strcmp(p, "eleven char") == 0 && zeros[2] == 0);
    q = gasnett_debug_strndup("eleven char", 6);
    CHECK(strcmp(q, "eleven") == 0);
    p = gasnett_debug_realloc(p, 100);
    CHECK(strcmp(p, "eleven char") == 0 && (uintptr_t)p % 16 == 0);
    p = gasnett_debug_realloc(p, 3);
    CHECK(memcmp(p, "ele", 3) == 0);
    gasnett_debug_memcheck_all();
    gasnett_debug_memcheck_one();
    CHECK(gasnett_getheapstats(&stats) == 0);
    CHECK(stats.live_objects == 3 && stats.live_bytes == 12 + 7 + 3);
    CHECK(stats.allocated_objects == 5 && stats.freed_objects == 2);
    CHECK(stats.live_bytes_max >= 100 && stats.live_objects_max == 4);
    gasnett_debug_free(p);
    gasnett_debug_free(q);
    gasnett_debug_free(zeros);
    gasnett_debug_free(NULL);
    gasnett_getheapstats(&stats);
    CHECK(stats.live_objects == 0 && stats.live_bytes == 0);
    CHECK(stats.allocated_bytes == stats.freed_bytes);
    CHECK(stats.overhead_bytes == 0);
}

/* gcc says so by a macro, clang by a feature. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

int main(void)
{
    check_use();
    piece = gasnett_debug_malloc(10);
#if SANITIZED
    (void)cases; /* sanitizers find them before we do */
#else
    child_check(cases, sizeof cases / sizeof *cases);
#endif
    gasnett_debug_free(piece);
    return 0;
}
