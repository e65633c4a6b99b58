/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get of memory in several pieces: vectors (pieces of any address and
 * length), indexed (pieces of one length), strided (sections of arrays). Not
 * included by gasnet.h.
 *
 * The pieces of both sides, in order, hold the same number of bytes in all;
 * they need not have the same shape. Bytes go from the first source piece on to
 * the first destination piece on. Source pieces may overlap, destination pieces
 * must not. Remote pieces lie in the node's segment, local ones anywhere; those
 * without bytes are not looked at. All calls are bulk: sources stay unchanged
 * until the sync; lists and counts may be reused on return. nb returns one
 * handle for all pieces, nbi counts as put or get (access regions too), both
 * for the ordinary syncs. The others block, polling. Lengths, counts and strides
 * are what their comment says, lengths always bytes. Not callable from handlers.
 * Misuse is fatal with one line naming call and argument; nothing returns an
 * error. [R-VIS-03, R-VIS-04, R-VIS-05, R-VIS-06]
 */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <gasnet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vector ---------------------------------------------------------------- */

/* dstcount pieces from srccount pieces.
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

/* dstcount pieces of dstlen bytes from srccount pieces of srclen bytes.
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

/* count[0] bytes at a time, count[i] times at a distance of strides[i - 1]
 * bytes for i = 1 to stridelevels; each i is inside the next. A stride may be
 * any number, also 0 or negative (converted to size_t). stridelevels may be 0:
 * then there are no strides.
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
