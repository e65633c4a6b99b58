// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the parts of a node tell each other about it: configuration, route table,
/// events.
package fsh_node_pkg;
  // Those of fsh_spec_pkg (see fsh_fn_pkg).
  localparam int unsigned NODE_W = 6;
  localparam int unsigned MAX_PORTS = 6;
  localparam int unsigned LANES = 2;

  /// As the registers have it (docs/02_reference/registers.md); bases are aligned.
  typedef struct packed {
    logic        enable;
    logic        hold;      // the start gate is shut
    logic [7:0]  node;
    logic [7:0]  nodes;
    logic [10:0] packet;    // bytes of payload
    logic [MAX_PORTS-1:0] ports;  // in use
    logic [39:0] seg_base;
    logic [39:0] seg_size;
    logic [47:0] host_base;
    logic [39:0] host_size;
    logic [39:0] slot_hdr;
    logic [39:0] slot_pay;
  } cfg_t;

  /// A write of the route table, of which each unit that routes has a copy.
  typedef struct packed {
    logic              we;
    logic [NODE_W-1:0] node;
    logic [MAX_PORTS-1:0] vcs;    // vc of packets to it, by port
    logic [MAX_PORTS-1:0] ports;  // by which it is reached
  } route_t;

  /// What happened in the GASNet core in the last cycle, for the counters: by lane, and
  /// by port.
  typedef struct packed {
    logic [LANES-1:0]     req;
    logic [LANES-1:0]     rep;
    logic [LANES*11-1:0]  bytes;
    logic [LANES-1:0]     written;
    logic [LANES*11-1:0]  written_bytes;
    logic [LANES-1:0]     refused;
    logic [MAX_PORTS-1:0] sent;
    logic [MAX_PORTS-1:0] beat;
    logic [MAX_PORTS-1:0] stall;
    logic [MAX_PORTS-1:0] forward;
  } events_t;
endpackage

`default_nettype wire
