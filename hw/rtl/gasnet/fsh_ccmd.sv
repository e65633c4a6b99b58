// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Commands of the compute core on the request channel: takes them through a
/// skid, looks up the route and checks one in two cycles, and offers it to the
/// scheduler, in order, one in three cycles at most. In a cycle in which it is its
/// turn it stands in the place of the request window's command, which else passes
/// combinationally.
/// A PUT refused (BAD_NODE, LOCAL_RANGE, REMOTE_RANGE if it reaches the end of
/// the 40-bit space) is reported like one that is done; a refused SIGNAL or
/// COMPLETE is dropped.
/// ack_*: registers; the tracker's report goes first, it does not wait.
module fsh_ccmd (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic         [7:0] node_i,
    input  wire logic         [7:0] nodes_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic         [1:0] ports_i,
    input  wire logic        [39:0] seg_size_i,
    input  wire logic               route_we_i,
    input  wire logic         [5:0] route_waddr_i,
    input  wire logic         [1:0] route_wdata_i,
    // The compute core.
    input  wire logic               ccmd_valid_i,
    output logic                    ccmd_ready_o,
    input  wire fsh_fn_pkg::ccmd_t  ccmd_i,
    output logic                    ack_valid_o,
    output logic              [3:0] ack_tag_o,
    output logic              [3:0] ack_status_o,
    // Its PUTs that are done.
    input  wire logic               done_valid_i,
    input  wire logic         [3:0] done_tag_i,
    input  wire logic         [3:0] done_status_i,
    // The scheduler.
    output logic                    req_valid_o,
    input  wire logic               req_ready_i,
    input  wire logic               req_gnt_i,
    output logic              [1:0] req_mask_o,
    output logic                    req_spread_o,
    output logic                    req_loop_o,
    // The request window's command; that one or the compute core's.
    input  wire fsh_spec_pkg::cmd_t win_i,
    output fsh_spec_pkg::cmd_t      req_o,
    output logic                    perf_refused_o,
    output logic                    busy_o
);
  typedef enum logic [1:0] {
    Sum,
    Judge,
    Offer,
    Refuse
  } state_e;
  state_e            state_q;
  fsh_fn_pkg::ccmd_t cmd_in, cmd;
  logic              cmd_valid, pop, is_put, refuse;
  logic [40:0]       end_q;
  logic [1:0]        route, mask_q;
  logic              loop_q, spread_q;
  logic [3:0]        status, status_q;

  always_comb begin
    cmd_in = 'x;
    if (ccmd_valid_i) begin
      cmd_in = ccmd_i;
      if (ccmd_i.kind != fsh_spec_pkg::CPORT_PUT) cmd_in.length = '0;
    end
  end

  fsh_skid #(
      .WIDTH($bits(cmd_in))
  ) i_skid (
      .clk_i,
      .rst_i,
      .valid_i(ccmd_valid_i),
      .ready_o(ccmd_ready_o),
      .data_i (cmd_in),
      .valid_o(cmd_valid),
      .ready_i(pop),
      .data_o (cmd)
  );

  fsh_route #(.WIDTH($bits(route_wdata_i))) i_route (
      .clk_i,
      .we_i   (route_we_i),
      .waddr_i(route_waddr_i),
      .wdata_i(route_wdata_i),
      .raddr_i(cmd.dst[5:0]),
      .rdata_o(route)
  );

  assign is_put = cmd.kind == fsh_spec_pkg::CPORT_PUT;

  always_comb begin
    status = 'x;
    if (state_q == Judge) begin
      status = fsh_spec_pkg::STATUS_OK;
      // Behind it no packet may wrap to address 0.
      if (is_put && cmd.raddr[39:24] == '1) status = fsh_spec_pkg::STATUS_REMOTE_RANGE;
      if (cmd.length != '0 && end_q > {1'b0, seg_size_i})
        status = fsh_spec_pkg::STATUS_LOCAL_RANGE;
      if (cmd.dst >= nodes_i || (!loop_q && mask_q == '0)) status = fsh_spec_pkg::STATUS_BAD_NODE;
      if (!is_put && cmd.kind != fsh_spec_pkg::CPORT_SIGNAL &&
          cmd.kind != fsh_spec_pkg::CPORT_COMPLETE)
        status = fsh_spec_pkg::STATUS_BAD_COMMAND;
    end
  end

  assign refuse = state_q == Refuse && !(is_put && done_valid_i);
  assign pop    = refuse || req_ready_i;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Sum: begin
        if (cmd_valid) begin
          end_q    <= {1'b0, cmd.laddr} + {17'd0, cmd.length};
          mask_q   <= route & ports_i;
          loop_q   <= cmd.dst == node_i;
          spread_q <= cmd.length > {13'd0, packet_i};
          state_q  <= Judge;
        end
      end
      Judge: begin
        status_q <= status;
        state_q  <= status == fsh_spec_pkg::STATUS_OK ? Offer : Refuse;
      end
      default: if (pop) state_q <= Sum;
    endcase
    if (rst_i) state_q <= Sum;
  end

  // PUTs that are done or refused.
  always_ff @(posedge clk_i) begin
    ack_valid_o <= done_valid_i || (refuse && is_put);
    if (done_valid_i) {ack_tag_o, ack_status_o} <= {done_tag_i, done_status_i};
    else if (refuse) {ack_tag_o, ack_status_o} <= {cmd.tag, status_q};
    if (rst_i) ack_valid_o <= 1'b0;
  end

  assign req_valid_o  = state_q == Offer;
  assign req_mask_o   = mask_q;
  assign req_spread_o = spread_q;
  assign req_loop_o   = loop_q;

  always_comb begin
    req_o = win_i;
    if (req_gnt_i) begin
      req_o          = '0;
      req_o.opcode   = is_put ? fsh_spec_pkg::OP_PUT : fsh_spec_pkg::OP_COMPUTE;
      req_o.category = is_put ? fsh_spec_pkg::CAT_LONG : fsh_spec_pkg::CAT_SHORT;
      req_o.ack      = is_put;
      req_o.rspace   = fsh_spec_pkg::SPACE_SEGMENT;
      req_o.dst      = cmd.dst;
      req_o.tag      = 11'(fsh_spec_pkg::HOST_TAGS) | {7'd0, cmd.tag};
      req_o.lspace   = fsh_spec_pkg::SPACE_SEGMENT;
      req_o.raddr    = cmd.raddr;
      req_o.length   = cmd.length;
      req_o.laddr    = cmd.laddr;
    end
  end

  assign perf_refused_o = refuse;
  assign busy_o         = cmd_valid || ccmd_valid_i || ack_valid_o;

  `FSH_ASSERT(assert_valid, state_q == Sum || cmd_valid)
  `FSH_ASSERT(assert_ready, !req_ready_i || (req_valid_o && req_gnt_i))
endmodule

`default_nettype wire
