// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the parts of a node tell each other about it: configuration, route table,
/// events.
package fsh_node_pkg;
  localparam int unsigned NODE_W = 6;  // that of fsh_spec_pkg (see fsh_fn_pkg)

  /// As the registers have it (docs/02_reference/registers.md); bases are aligned.
  typedef struct packed {
    logic        enable;
    logic        hold;      // the start gate is shut
    logic [7:0]  node;
    logic [7:0]  nodes;
    logic [10:0] packet;    // bytes of payload
    logic [1:0]  ports;     // in use
    logic [1:0]  dateline;
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
    logic [1:0]        ports;  // by which it is reached
  } route_t;

  /// What happened in the GASNet core in the last cycle, by port, for the counters.
  typedef struct packed {
    logic [1:0]  sent;
    logic [1:0]  req;
    logic [1:0]  rep;
    logic [21:0] bytes;
    logic [1:0]  written;
    logic [21:0] written_bytes;
    logic [1:0]  refused;
    logic [1:0]  beat;
    logic [1:0]  stall;
    logic [1:0]  forward;
  } events_t;
endpackage

`default_nettype wire
