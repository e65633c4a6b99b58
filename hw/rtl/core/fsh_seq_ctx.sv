// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One message on its way out: takes a command and offers its packets, one
/// after the other, until the last is taken. A packet ends at a multiple of the
/// packet size of its destination address. Of a message over two ports this
/// context offers every other packet (second_i: the odd ones).
/// Two cycles from load to the first packet, two cycles a packet.
/// A zero-length message is one packet without payload; so is a GET, whose
/// argument beat tells where the data is to go, and any answer with an error.
module fsh_seq_ctx (
    input  wire logic                        clk_i,
    input  wire logic                        rst_i,
    input  wire logic                 [7:0]  node_i,
    input  wire logic                 [10:0] packet_i,
    input  wire logic                 [39:0] seg_base_i,
    input  wire logic                 [47:0] host_base_i,
    input  wire logic                        load_valid_i,
    output logic                             load_ready_o,
    input  wire fsh_spec_pkg::cmd_t          load_cmd_i,
    input  wire logic                 [3:0]  load_status_i,
    input  wire logic                        load_loop_i,
    input  wire logic                        load_stripe_i,
    input  wire logic                        load_second_i,
    output logic                             pkt_valid_o,
    input  wire logic                        pkt_take_i,
    output fsh_spec_pkg::hdr_t               pkt_hdr_o,
    output fsh_spec_pkg::getarg_t            pkt_getarg_o,
    output logic                      [47:0] pkt_raddr_o,
    output logic                      [1:0]  pkt_lspace_o,
    output logic                      [3:0]  pkt_lane_o,
    output logic                      [2:0]  pkt_args_o,
    output logic                             pkt_get_o,
    output logic                             pkt_loop_o,
    output logic                             pkt_notify_o,
    output logic                             pkt_half_o,
    output logic                             busy_o
);
  typedef enum logic [1:0] {
    Idle,
    Prepare,
    Ready
  } state_e;
  state_e             state_q;
  fsh_spec_pkg::cmd_t cmd_q;
  logic [3:0]         status_q;
  logic               loop_q, stripe_q, second_q, skip_q, first_q, multi_q, last_q;
  logic [39:0]        raddr_q, laddr_q;
  logic [23:0]        remaining_q;
  logic [10:0]        n_q, room, n;
  logic [11:0]        reach, step_q;
  logic               fits, is_get, no_payload;
  logic [47:0]        source_q;

  assign is_get       = cmd_q.opcode == fsh_spec_pkg::OP_GET;
  assign no_payload   = load_cmd_i.opcode == fsh_spec_pkg::OP_GET ||
                        load_status_i != fsh_spec_pkg::STATUS_OK;
  assign load_ready_o = state_q == Idle;

  // Up to the next multiple of the packet size, a power of two.
  assign room  = (~raddr_q[10:0] & (packet_i - 11'd1)) + 11'd1;
  assign fits  = remaining_q <= {13'd0, room};
  assign n     = fits ? remaining_q[10:0] : room;
  assign reach = {1'b0, room} + (stripe_q ? {1'b0, packet_i} : 12'd0);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        cmd_q       <= load_cmd_i;
        status_q    <= load_status_i;
        loop_q      <= load_loop_i;
        stripe_q    <= load_stripe_i;
        second_q    <= load_second_i;
        skip_q      <= load_second_i;
        first_q     <= 1'b1;
        multi_q     <= 1'b0;
        raddr_q     <= load_cmd_i.raddr;
        laddr_q     <= load_cmd_i.laddr;
        remaining_q <= no_payload ? 24'd0 : load_cmd_i.length;
        if (load_valid_i) state_q <= Prepare;
      end
      Prepare: begin
        n_q      <= n;
        step_q   <= {1'b0, n} + (stripe_q ? {1'b0, packet_i} : 12'd0);
        last_q   <= remaining_q <= {12'd0, reach};
        source_q <= (cmd_q.lspace == fsh_spec_pkg::SPACE_HOST ? host_base_i :
                     {8'd0, seg_base_i}) + {8'd0, laddr_q};
        if (first_q && !fits) multi_q <= 1'b1;
        if (skip_q) begin
          skip_q      <= 1'b0;
          first_q     <= 1'b0;
          raddr_q     <= raddr_q + {29'd0, n};
          laddr_q     <= laddr_q + {29'd0, n};
          remaining_q <= remaining_q - {13'd0, n};
        end else begin
          state_q <= Ready;
        end
      end
      Ready: begin
        if (pkt_take_i) begin
          first_q     <= 1'b0;
          raddr_q     <= raddr_q + {28'd0, step_q};
          laddr_q     <= laddr_q + {28'd0, step_q};
          remaining_q <= remaining_q - {12'd0, step_q};
          state_q     <= last_q ? Idle : Prepare;
        end
      end
      default: state_q <= Idle;
    endcase
    if (rst_i) state_q <= Idle;
  end

  always_comb begin
    pkt_hdr_o          = '0;
    pkt_hdr_o.opcode   = cmd_q.opcode;
    pkt_hdr_o.category = cmd_q.category;
    pkt_hdr_o.reply    = cmd_q.reply;
    pkt_hdr_o.multi    = multi_q;
    pkt_hdr_o.first    = first_q;
    pkt_hdr_o.space    = cmd_q.rspace;
    pkt_hdr_o.dst      = cmd_q.dst;
    pkt_hdr_o.src      = node_i;
    pkt_hdr_o.nargs    = is_get ? 5'd4 : cmd_q.nargs;
    pkt_hdr_o.bytes    = n_q;
    pkt_hdr_o.tag      = cmd_q.tag;
    pkt_hdr_o.ack      = cmd_q.ack && cmd_q.opcode == fsh_spec_pkg::OP_PUT;
    pkt_hdr_o.status   = status_q;
    pkt_hdr_o.addr     = raddr_q;
    pkt_hdr_o.total    = cmd_q.length;
  end

  always_comb begin
    pkt_getarg_o       = '0;
    pkt_getarg_o.addr  = cmd_q.laddr;
    pkt_getarg_o.space = cmd_q.lspace;
  end

  assign pkt_valid_o  = state_q == Ready;
  assign pkt_raddr_o  = source_q;
  assign pkt_lspace_o = cmd_q.lspace;
  assign pkt_lane_o   = laddr_q[3:0] & {4{cmd_q.lspace != fsh_spec_pkg::SPACE_INLINE}};
  assign pkt_args_o   = first_q ? fsh_fn_pkg::arg_beats(pkt_hdr_o.nargs) : 3'd0;
  assign pkt_get_o    = is_get;
  assign pkt_loop_o   = loop_q;
  assign pkt_notify_o = last_q && cmd_q.ack && cmd_q.opcode >= fsh_spec_pkg::OP_LIBRARY;
  assign pkt_half_o   = stripe_q;
  assign busy_o       = state_q != Idle;

  `FSH_ASSERT(assert_take, !pkt_take_i || pkt_valid_o)
  `FSH_ASSERT(assert_second, !second_q || stripe_q || state_q == Idle)
endmodule

`default_nettype wire
