// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the parts of the DMA engine tell each other.
package fsh_dma_pkg;
  // That of fsh_spec_pkg (see fsh_fn_pkg).
  localparam int unsigned TAG_W = 6;

  /// A move, as the registers have it (docs/02_reference/registers.md): offsets in the DMA
  /// window and in the segment.
  typedef struct packed {
    logic [TAG_W-1:0] tag;
    logic [23:0] length;
    logic [39:0] card;
    logic [39:0] host;
  } move_t;

  /// A move whose reads have been asked for, or that is refused: what its writes need.
  typedef struct packed {
    logic [TAG_W-1:0] tag;
    logic [3:0]  status;
    logic [23:0] length;
    logic [5:0]  from;  // first byte in its line
    logic [39:0] to;
  } job_t;
endpackage

`default_nettype wire
