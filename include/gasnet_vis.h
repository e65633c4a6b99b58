/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-contiguous put and get: vector (pieces of any address and length), indexed
 * (pieces of one length) and strided (array sections). Not included by gasnet.h.
 *
 * Both sides must hold the same number of bytes in total; their pieces need not
 * match. Bytes are copied in order from the source pieces to the destination pieces.
 * Source pieces may overlap, destination pieces must not. Remote pieces lie in the
 * node's segment, local ones anywhere; the address of an empty piece is ignored. All
 * calls are bulk: sources must stay unchanged until the sync, but lists and counts
 * may be reused on return. nb returns one handle for all pieces; nbi counts as a put
 * or get, also in access regions; both use the ordinary syncs. The others block,
 * polling. Lengths are in bytes. Not callable from handlers. Misuse is fatal with one
 * line that names the call and the argument; no call returns an error.
 * [R-VIS-03, R-VIS-04, R-VIS-05, R-VIS-06]
 */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <gasnet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vector ---------------------------------------------------------------- */

/* srccount pieces to dstcount pieces.
 * [R-VIS-01, R-VIS-03, R-VIS-04, R-VIS-05, R-VIS-06] */
void gasnet_putv_bulk(gasnet_node_t node, size_t dstcount,
                      gasnet_memvec_t const dstlist[], size_t srccount,
                      gasnet_memvec_t const srclist[]);
gasnet_handle_t gasnet_putv_nb_bulk(gasnet_node_t node, size_t dstcount,
                                    gasnet_memvec_t const dstlist[],
                                    size_t srccount,
                                    gasnet_memvec_t const srclist[]);
void gasnet_putv_nbi_bulk(gasnet_node_t node, size_t dstcount,
                          gasnet_memvec_t const dstlist[], size_t srccount,
                          gasnet_memvec_t const srclist[]);
void gasnet_getv_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                      gasnet_node_t node, size_t srccount,
                      gasnet_memvec_t const srclist[]);
gasnet_handle_t gasnet_getv_nb_bulk(size_t dstcount,
                                    gasnet_memvec_t const dstlist[],
                                    gasnet_node_t node, size_t srccount,
                                    gasnet_memvec_t const srclist[]);
void gasnet_getv_nbi_bulk(size_t dstcount, gasnet_memvec_t const dstlist[],
                          gasnet_node_t node, size_t srccount,
                          gasnet_memvec_t const srclist[]);

/* ---- indexed ---------------------------------------------------------------- */

/* srccount pieces of srclen bytes to dstcount pieces of dstlen bytes.
 * [R-VIS-01, R-VIS-03, R-VIS-04, R-VIS-05, R-VIS-06] */
void gasnet_puti_bulk(gasnet_node_t node, size_t dstcount,
                      void *const dstlist[], size_t dstlen, size_t srccount,
                      void *const srclist[], size_t srclen);
gasnet_handle_t gasnet_puti_nb_bulk(gasnet_node_t node, size_t dstcount,
                                    void *const dstlist[], size_t dstlen,
                                    size_t srccount, void *const srclist[],
                                    size_t srclen);
void gasnet_puti_nbi_bulk(gasnet_node_t node, size_t dstcount,
                          void *const dstlist[], size_t dstlen, size_t srccount,
                          void *const srclist[], size_t srclen);
void gasnet_geti_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                      gasnet_node_t node, size_t srccount,
                      void *const srclist[], size_t srclen);
gasnet_handle_t gasnet_geti_nb_bulk(size_t dstcount, void *const dstlist[],
                                    size_t dstlen, gasnet_node_t node,
                                    size_t srccount, void *const srclist[],
                                    size_t srclen);
void gasnet_geti_nbi_bulk(size_t dstcount, void *const dstlist[], size_t dstlen,
                          gasnet_node_t node, size_t srccount,
                          void *const srclist[], size_t srclen);

/* ---- strided -------------------------------------------------------------- */

/* A nest of stridelevels loops over contiguous pieces of count[0] bytes: loop i
 * (1 to stridelevels, the innermost first) runs count[i] times at a distance of
 * strides[i - 1] bytes. A stride may be any number, also 0 or negative
 * (converted to size_t). stridelevels 0: one contiguous piece.
 * [R-VIS-02, R-VIS-03, R-VIS-04, R-VIS-05, R-VIS-06] */
void gasnet_puts_bulk(gasnet_node_t node, void *dstaddr,
                      const size_t dststrides[], void *srcaddr,
                      const size_t srcstrides[], const size_t count[],
                      size_t stridelevels);
gasnet_handle_t gasnet_puts_nb_bulk(gasnet_node_t node, void *dstaddr,
                                    const size_t dststrides[], void *srcaddr,
                                    const size_t srcstrides[],
                                    const size_t count[], size_t stridelevels);
void gasnet_puts_nbi_bulk(gasnet_node_t node, void *dstaddr,
                          const size_t dststrides[], void *srcaddr,
                          const size_t srcstrides[], const size_t count[],
                          size_t stridelevels);
void gasnet_gets_bulk(void *dstaddr, const size_t dststrides[],
                      gasnet_node_t node, void *srcaddr,
                      const size_t srcstrides[], const size_t count[],
                      size_t stridelevels);
gasnet_handle_t gasnet_gets_nb_bulk(void *dstaddr, const size_t dststrides[],
                                    gasnet_node_t node, void *srcaddr,
                                    const size_t srcstrides[],
                                    const size_t count[], size_t stridelevels);
void gasnet_gets_nbi_bulk(void *dstaddr, const size_t dststrides[],
                          gasnet_node_t node, void *srcaddr,
                          const size_t srcstrides[], const size_t count[],
                          size_t stridelevels);

#ifdef __cplusplus
}
#endif

#endif
