/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active message handlers of the library itself: indices 64..127, delivered to
 * the host like the client's. The protocols of barriers and collectives are
 * described where they are implemented.
 */
#ifndef FSH_GASNET_HANDLERS_H
#define FSH_GASNET_HANDLERS_H

enum fsh_handler {
    FSH_HANDLER_LIBRARY = 64, /* first index of the library */
    FSH_HANDLER_MEMSET = 64,
    FSH_HANDLER_MEMSET_DONE,
    FSH_HANDLER_BARRIER,
    FSH_HANDLER_COLL,
    FSH_HANDLER_COLL_TAKEN,
    FSH_HANDLER_ANY_PUT, /* everything.c */
    FSH_HANDLER_ANY_GET,
    FSH_HANDLER_ANY_DATA,
    FSH_HANDLER_ANY_DONE,
    FSH_HANDLER_ANY_LONG,
    FSH_HANDLER_CLIENT = 128, /* first index of the client */
    FSH_HANDLER_COUNT = 256
};

#endif
