/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The extended API: put, get, memset and their synchronisation. Included by
 * gasnet.h. A remote address is the target's own and must lie in its segment;
 * local memory may be anywhere. Lengths are in bytes; any length and alignment
 * is allowed. Buffers remain the caller's and must not change until the
 * transfer is complete unless stated otherwise. Calls may poll, except those
 * named nopoll. Not callable from handlers. Misuse is fatal with one line that
 * names the call and the argument; no call returns an error. For every call:
 * [R-RMA-02, R-RMA-03, R-RMA-04, R-RMA-16, R-RMA-17].
 */
#ifndef GASNET_EXTENDED_H
#define GASNET_EXTENDED_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of memory, for the transfers of gasnet_vis.h. */
typedef struct {
    void *addr;
    size_t len; /* bytes; if 0, addr is ignored */
} gasnet_memvec_t;

/* Blocking: complete and globally visible on return.
 * [R-RMA-01, R-RMA-02, R-RMA-05, R-RMA-06, R-RMA-15] */
void gasnet_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes);
void gasnet_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes);
void gasnet_get_bulk(void *dest, gasnet_node_t node, const void *src,
                     size_t nbytes);
void gasnet_put_bulk(gasnet_node_t node, void *dest, const void *src,
                     size_t nbytes);
void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes);

/* Explicit handle, to be synchronised by the thread that initiated the operation;
 * GASNET_INVALID_HANDLE means already complete. The source of a put may be reused on
 * return, with _bulk only after the sync. Block only while resources are exhausted.
 * [R-RMA-01, R-RMA-06, R-RMA-07, R-RMA-11, R-RMA-15] */
gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, const void *src,
                              size_t nbytes);
gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, const void *src,
                              size_t nbytes);
gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node,
                                   const void *src, size_t nbytes);
gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest,
                                   const void *src, size_t nbytes);
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val,
                                 size_t nbytes);

/* wait blocks, polling; try polls once and returns GASNET_OK or
 * GASNET_ERR_NOT_READY. The list forms overwrite completed handles with
 * GASNET_INVALID_HANDLE; some: at least one completes, if the list holds a
 * valid handle.
 * [R-RMA-05, R-RMA-07, R-RMA-08, R-RMA-12] */
void gasnet_wait_syncnb(gasnet_handle_t handle);
int gasnet_try_syncnb(gasnet_handle_t handle);
void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n);
int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n);
void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n);
int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n);
/* As above, without polling. */
int gasnet_try_syncnb_nopoll(gasnet_handle_t handle);
int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t n);
int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t n);

/* Implicit handle: operations are counted per thread; memset counts as a put.
 * Syncs as above.
 * [R-RMA-01, R-RMA-06, R-RMA-09, R-RMA-11, R-RMA-15] */
void gasnet_get_nbi(void *dest, gasnet_node_t node, const void *src,
                    size_t nbytes);
void gasnet_put_nbi(gasnet_node_t node, void *dest, const void *src,
                    size_t nbytes);
void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, const void *src,
                         size_t nbytes);
void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src,
                         size_t nbytes);
void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes);
void gasnet_wait_syncnbi_gets(void);
void gasnet_wait_syncnbi_puts(void);
void gasnet_wait_syncnbi_all(void);
int gasnet_try_syncnbi_gets(void);
int gasnet_try_syncnbi_puts(void);
int gasnet_try_syncnbi_all(void);

/* Collect this thread's implicit operations under one explicit handle. Does not
 * nest; no implicit sync inside. Never block.
 * [R-RMA-10] */
void gasnet_begin_nbi_accessregion(void);
gasnet_handle_t gasnet_end_nbi_accessregion(void);

/* Values of 1 to SIZEOF_GASNET_REGISTER_VALUE_T bytes: put writes the low
 * nbytes, get zero-extends. Each get_nb_val must be waited for exactly once, by
 * the same thread.
 * [R-RMA-13, R-RMA-14] */
void gasnet_put_val(gasnet_node_t node, void *dest,
                    gasnet_register_value_t value, size_t nbytes);
gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                  gasnet_register_value_t value, size_t nbytes);
void gasnet_put_nbi_val(gasnet_node_t node, void *dest,
                        gasnet_register_value_t value, size_t nbytes);
gasnet_register_value_t gasnet_get_val(gasnet_node_t node, const void *src,
                                       size_t nbytes);
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, const void *src,
                                         size_t nbytes);
gasnet_register_value_t gasnet_wait_syncnb_valget(
    gasnet_valget_handle_t handle);

#ifdef __cplusplus
}
#endif

#include "gasnet_direct.h"

#endif
