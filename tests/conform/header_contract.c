/* SPDX-License-Identifier: BSD-3-Clause */
/* What gasnet.h guarantees at compile time: macros, types, layouts, and that a
 * macro evaluates each argument once. gasnet.h comes first: it must need no
 * other header, and includes the usual ones. */
#include <gasnet.h>

#if GASNET_SEQ + 0 + GASNET_PARSYNC + 0 + GASNET_PAR + 0 != 1
#error "the thread mode's macro is not 1, or not the only one"
#endif
#if defined(GASNET_SEGMENT_FAST) + defined(GASNET_SEGMENT_LARGE) + \
        defined(GASNET_SEGMENT_EVERYTHING) !=                      \
    1
#error "not exactly one segment mode is defined"
#endif
#if !(GASNET_SEGMENT_FAST + 0 == 1 || GASNET_SEGMENT_LARGE + 0 == 1 || \
      GASNET_SEGMENT_EVERYTHING + 0 == 1)
#error "the segment mode's macro is not 1"
#endif
#if defined(GASNET_DEBUG) + defined(GASNET_NDEBUG) != 1
#error "not exactly one of GASNET_DEBUG and GASNET_NDEBUG is defined"
#endif
#if GASNET_SPEC_VERSION_MAJOR != 1 || GASNET_SPEC_VERSION_MINOR != 8 || \
    GASNET_VERSION != 1
#error "specification version"
#endif
/* Programs ask for a least release of GASNet-1; from 2000 on they take it for
 * GASNet-EX. */
#if GASNET_RELEASE_VERSION_MAJOR != 1 || GASNET_RELEASE_VERSION_MINOR < 32 || \
    GASNET_RELEASE_VERSION_PATCH < 0
#error "release version"
#endif
#if FSHMEM_VERSION_MAJOR < 1 || FSHMEM_VERSION_MINOR < 0 || \
    FSHMEM_VERSION_PATCH < 0
#error "version of FSHMEM"
#endif
#ifdef GEX_SPEC_VERSION_MAJOR
#error "gasnet.h alone offers no GASNet-EX"
#endif
#if SIZEOF_INT != 4 || SIZEOF_LONG != SIZEOF_VOID_P
#error "sizes"
#endif
#if GASNET_PAGESIZE < 4096 || GASNET_PAGESIZE % 512
#error "page size"
#endif
#if GASNET_ALIGNED_SEGMENTS != 0 && GASNET_ALIGNED_SEGMENTS != 1
#error "aligned segments"
#endif
#if SIZEOF_GASNET_REGISTER_VALUE_T != 8 && SIZEOF_GASNET_REGISTER_VALUE_T != 4
#error "register value size"
#endif
#if GASNET_MAXNODES < 1
#error "maximum of nodes"
#endif
#if GASNET_BARRIERFLAG_ANONYMOUS & GASNET_BARRIERFLAG_MISMATCH
#error "barrier flags overlap"
#endif
#if GASNET_WAIT_SPIN == GASNET_WAIT_BLOCK ||     \
    GASNET_WAIT_SPIN == GASNET_WAIT_SPINBLOCK || \
    GASNET_WAIT_BLOCK == GASNET_WAIT_SPINBLOCK
#error "wait modes overlap"
#endif
#if defined(GASNET_CONDUIT_SMP) + defined(GASNET_CONDUIT_FPGA) != 1
#error "not exactly one conduit macro is defined"
#endif

/* A program that asks for a revision of GASNet-EX takes its GASNet-1 part. */
#include <gasnetex.h>
#if !defined(GEX_SPEC_VERSION_MAJOR) || !defined(GEX_SPEC_VERSION_MINOR) || \
    ((GEX_SPEC_VERSION_MAJOR << 8) + GEX_SPEC_VERSION_MINOR) >= 3
#error "a revision of GASNet-EX that has calls"
#endif

#include "conform.h"

#include <stddef.h>

#define STATIC_CHECK(cond) _Static_assert(cond, #cond)
STATIC_CHECK(sizeof(char) == SIZEOF_CHAR);
STATIC_CHECK(sizeof(short) == SIZEOF_SHORT);
STATIC_CHECK(sizeof(int) == SIZEOF_INT);
STATIC_CHECK(sizeof(long) == SIZEOF_LONG);
STATIC_CHECK(sizeof(long long) == SIZEOF_LONG_LONG);
STATIC_CHECK(sizeof(void *) == SIZEOF_VOID_P);
STATIC_CHECK(sizeof(size_t) == SIZEOF_SIZE_T);
STATIC_CHECK(sizeof(ptrdiff_t) == SIZEOF_PTRDIFF_T);
STATIC_CHECK(sizeof(gasnet_handlerarg_t) == 4);
STATIC_CHECK((gasnet_handlerarg_t)-1 < 0);
STATIC_CHECK((gasnet_node_t)-1 > 0);
STATIC_CHECK((gasnet_handler_t)-1 > 0);
STATIC_CHECK((gasnet_handler_t)255 == 255);
STATIC_CHECK((gasnet_node_t)GASNET_MAXNODES == GASNET_MAXNODES);
STATIC_CHECK(sizeof(gasnet_token_t) == sizeof(void *));
STATIC_CHECK(sizeof(gasnet_register_value_t) == SIZEOF_GASNET_REGISTER_VALUE_T);
STATIC_CHECK((gasnet_register_value_t)-1 > 0);
STATIC_CHECK(offsetof(gasnet_handlerentry_t, index) == 0);
STATIC_CHECK(offsetof(gasnet_handlerentry_t, fnptr) > 0);
STATIC_CHECK(offsetof(gasnet_seginfo_t, addr) == 0);
STATIC_CHECK(offsetof(gasnet_seginfo_t, size) == sizeof(void *));
STATIC_CHECK(sizeof(gasnet_threadinfo_t) == sizeof(void *));
STATIC_CHECK(sizeof(GASNET_CONFIG_STRING) > 1);
STATIC_CHECK(sizeof(gex_Rank_t) == sizeof(gasnet_node_t));
STATIC_CHECK(GEX_RANK_INVALID > GASNET_MAXNODES);
STATIC_CHECK(GASNET_BARRIERFLAG_ANONYMOUS != 0);
STATIC_CHECK(GASNET_BARRIERFLAG_MISMATCH != 0);
STATIC_CHECK(GASNET_OK == 0);

/* Used without their headers: gasnet.h brings them. */
static uint64_t from_stdint = UINT64_MAX;
static int from_param = MIN(3, MAX(1, 2));

static void by_name(gasnet_token_t token)
{
    (void)token;
}

/* Brace-initialised, cast and uncast, as clients write it. */
static gasnet_handlerentry_t table[] = {{200, (void (*)())by_name},
                                        {201, by_name}};
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static void check_once(void)
{
    gasnet_node_t node = 0;
    size_t n = 1;
    uint32_t word = 0;
    unsigned char *p = conf_addr(0);
    gasnet_put(node++, p++, &word, n++);
    CHECK_EQ(node, 1);
    CHECK_EQ(n, 2);
    CHECK_EQ(p - conf_addr(0), 1);
    node = 0;
    gasnet_get(&word, node++, p++, n++);
    CHECK_EQ(node, 1);
    CHECK_EQ(n, 3);
    CHECK_EQ(p - conf_addr(0), 2);
    gasnet_handle_t handles[2] = {GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE};
    int i = 0;
    gasnet_wait_syncnb(handles[i++]);
    CHECK_EQ(i, 1);
    OK(gasnet_try_syncnb(handles[i++]));
    CHECK_EQ(i, 2);
    i = 5;
    gasnet_barrier_notify(i++, 0);
    CHECK_EQ(i, 6);
    OK(gasnet_barrier_wait(--i, 0));
    CHECK_EQ(i, 5);
}

int main(int argc, char **argv)
{
    const gasnet_handle_t invalid = GASNET_INVALID_HANDLE;
    gasnet_handle_t zero;
    char release[64];
    conf_start("header_contract", &argc, &argv, table, CONF_COUNT(table), 4096);
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(memcmp(&zero, &invalid, sizeof zero), 0);
    CHECK(from_stdint > 0 && from_param == 2, "macros");
    CHECK_EQ(gasnet_set_waitmode(GASNET_WAIT_BLOCK), GASNET_OK);
    CHECK_EQ(gasnet_set_waitmode(GASNET_WAIT_SPIN), GASNET_OK);
    CHECK_EQ(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK), GASNET_OK);
    snprintf(release, sizeof release, "RELEASE=%d.%d.%d,",
             GASNET_RELEASE_VERSION_MAJOR, GASNET_RELEASE_VERSION_MINOR,
             GASNET_RELEASE_VERSION_PATCH);
    CHECK(strstr(GASNET_CONFIG_STRING, release) != NULL, "config string %s",
          GASNET_CONFIG_STRING);
    CHECK(strlen(gasneti_gethostname()) > 0, "host name");
    CHECK(strlen(GASNET_CONDUIT_NAME_STR) > 0, "conduit name");
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    check_once();
    conf_pass();
}
