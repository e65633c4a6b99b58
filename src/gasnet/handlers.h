/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active message handlers of the library: indices 64..127, delivered to the
 * host like those of the client. The protocols of barriers and collectives are
 * described where they are implemented.
 */
#ifndef FSH_GASNET_HANDLERS_H
#define FSH_GASNET_HANDLERS_H

#include <stdint.h>

enum fsh_handler {
    FSH_HANDLER_LIBRARY = 64, /* first library index */
    FSH_HANDLER_MEMSET = 64,
    FSH_HANDLER_MEMSET_DONE,
    FSH_HANDLER_RUN,
    FSH_HANDLER_RUN_SHORT,
    FSH_HANDLER_ANY_PUT, /* by_message.c */
    FSH_HANDLER_ANY_GET,
    FSH_HANDLER_ANY_DATA,
    FSH_HANDLER_ANY_DONE,
    FSH_HANDLER_ANY_LONG,
    FSH_HANDLER_CLIENT = 128, /* first client index */
    FSH_HANDLER_COUNT = 256
};

/* 64 bits as two arguments of a message. */
static inline int32_t fsh_high(uint64_t value)
{
    return (int32_t)(uint32_t)(value >> 32);
}
static inline int32_t fsh_low(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}
static inline uint64_t fsh_join(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

/* The same for addresses. */
static inline int32_t fsh_high_ptr(const void *p)
{
    return fsh_high((uintptr_t)p);
}
static inline int32_t fsh_low_ptr(const void *p)
{
    return fsh_low((uintptr_t)p);
}
static inline void *fsh_join_ptr(int32_t high, int32_t low)
{
    return (void *)(uintptr_t)fsh_join(high, low);
}

#endif
