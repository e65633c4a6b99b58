// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// A receiver's queue of requests to be served: GETs, and messages to engines. Each is given with
/// its header, the engine for it (none: a GET) and its argument beat; it is offered with the
/// route of its answer. At most DEPTH; more must not be given. Two cycles from valid_i to
/// get_valid_o. While no context is free for GETs longer than a packet (long_ok_i), which the
/// scheduler then skips, such a GET at the front moves to the end if anything shorter is queued
/// behind it. Reset empties it.
module fsh_served #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned DEPTH = 32
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic           [7:0] node_i,
    input  wire logic          [10:0] packet_i,
    input  wire logic     [PORTS-1:0] ports_i,
    input  wire fsh_node_pkg::route_t route_i,
    input  wire logic                 valid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::hdr_t   hdr_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic [fsh_spec_pkg::ENGINES-1:0] sink_i,
    input  wire logic         [127:0] arg_i,
    output logic                      get_valid_o,
    input  wire logic                 get_ready_i,
    input  wire logic                 long_ok_i,
    output fsh_fn_pkg::get_t          get_o
);
  localparam int unsigned ENGINES = fsh_spec_pkg::ENGINES;
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  // Without the bits of engines and ports that the node does not have.
  localparam int unsigned GET_W = $bits(get_o) - fsh_fn_pkg::SINK_W + ENGINES -
                                  fsh_fn_pkg::PATH_W + 2 * PORTS;

  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::getarg_t getarg;
  /* verilator lint_on UNUSEDSIGNAL */
  fsh_fn_pkg::path_t     path;
  logic                  is_msg, is_long, room, back, pop;
  logic [$clog2(DEPTH+1)-1:0] short_q;  // entries not longer than a packet
  logic [GET_W-1:0]      kept, front;
  logic [PORTS-1:0]      ports;
  logic [39:0]           laddr;
  logic [23:0]           length;

  fsh_route #(
      .PORTS(PORTS)
  ) i_route (
      .clk_i,
      .route_i,
      .ports_i,
      .look_i(valid_i),
      .node_i(hdr_i.src[NODE_W-1:0]),
      .path_o(path)
  );

  assign getarg = arg_i;
  assign is_msg = sink_i != '0;

  always_comb begin
    ports   = 'x;
    laddr   = 'x;
    length  = 'x;
    is_long = 1'b0;
    kept    = front;
    if (valid_i) begin
      ports = path.ports[PORTS-1:0];
      if (ports == '0) ports = PORTS'(1);
      if ({1'b0, hdr_i.src} == node_i) ports = '0;
      laddr   = is_msg ? {16'd0, arg_i[63:40]} : hdr_i.addr;
      length  = is_msg ? '0 : hdr_i.total;
      is_long = length[23:11] != '0 || length[10:0] > packet_i;
      kept    = {
        path.vcs[PORTS-1:0], ports, sink_i, is_long,
        is_msg ? hdr_i.ack : getarg.space[0], hdr_i.src[NODE_W-1:0], hdr_i.tag[TAG_W-1:0], laddr,
        getarg.addr, length
      };
    end
  end

  fsh_fifo #(
      .WIDTH(GET_W),
      .DEPTH(DEPTH),
      .BLOCK(1'b1),
      .LUT  (1'b1)
  ) i_fifo (
      .clk_i,
      .rst_i,
      .valid_i(valid_i || back),
      .ready_o(room),
      .data_i (kept),
      .valid_o(get_valid_o),
      .ready_i(pop),
      .data_o (front),
      .count_o()
  );

  always_comb begin
    get_o = 'x;
    if (get_valid_o) begin
      get_o = '0;
      {get_o.path.vcs[PORTS-1:0], get_o.path.ports[PORTS-1:0], get_o.sink[ENGINES-1:0],
       get_o.bulk, get_o.flag, get_o.dst, get_o.tag, get_o.laddr, get_o.raddr,
       get_o.length} = front;
    end
  end

  assign back = get_valid_o && get_o.bulk && !long_ok_i && short_q != '0 && !valid_i;
  assign pop  = get_ready_i || back;

  always_ff @(posedge clk_i) begin
    if ((valid_i && !is_long) != (get_ready_i && get_valid_o && !get_o.bulk))
      short_q <= valid_i && !is_long ? short_q + 1'b1 : short_q - 1'b1;
    if (rst_i) short_q <= '0;
  end

  `FSH_ASSERT(assert_room, !(valid_i || back) || room)
  `FSH_ASSERT(assert_long, !(get_valid_o && get_ready_i && get_o.bulk) || long_ok_i)
endmodule

`default_nettype wire
