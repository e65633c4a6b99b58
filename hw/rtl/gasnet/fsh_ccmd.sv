// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Commands of an engine (such as the compute core) as a request source: accepts them through a
/// skid buffer, looks up the route and checks each in two cycles, and offers it to the scheduler,
/// in order, at most one every three cycles.
/// A refused PUT (BAD_NODE, LOCAL_RANGE, or REMOTE_RANGE if it reaches the end of the 40-bit
/// space) is reported like a completed one; so is a refused packet that is not empty, with bits
/// 15:10 of laddr as its tag. A refused message is dropped. Tags of the engine count from 0; tag
/// bits above its range are ignored.
/// ack_*: registers; the tracker's report has priority, as it cannot wait.
module fsh_ccmd #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned ENGINE = 0  // index
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic         [7:0] node_i,
    input  wire logic         [7:0] nodes_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic   [PORTS-1:0] ports_i,
    input  wire logic        [39:0] seg_size_i,
    input  wire fsh_node_pkg::route_t route_i,
    // The engine.
    input  wire logic               ccmd_valid_i,
    output logic                    ccmd_ready_o,
    input  wire fsh_spec_pkg::ecmd_t ccmd_i,
    output logic                    ack_valid_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] ack_tag_o,
    output logic              [3:0] ack_status_o,
    // Its completed PUTs, by tag of the node.
    input  wire logic               done_valid_i,
    input  wire logic [fsh_spec_pkg::TAG_W-1:0] done_tag_i,
    input  wire logic         [3:0] done_status_i,
    // The scheduler; the command has a tag of the node.
    output logic                    req_valid_o,
    input  wire logic               req_ready_i,
    output fsh_fn_pkg::path_t       req_path_o,
    output logic                    req_bulk_o,
    output logic                    req_loop_o,
    output fsh_spec_pkg::ecmd_t     req_o,
    output logic                    perf_refused_o,
    output logic                    busy_o
);
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  localparam logic [TAG_W-1:0] TAG = fsh_spec_pkg::ENGINE_TAG[ENGINE*TAG_W+:TAG_W];
  localparam logic [TAG_W-1:0] OWN = ~fsh_spec_pkg::ENGINE_TAG_MASK[ENGINE*TAG_W+:TAG_W];

  typedef enum logic [1:0] {
    Sum,
    Judge,
    Offer,
    Refuse
  } state_e;
  state_e            state_q;
  fsh_spec_pkg::ecmd_t cmd_in, cmd;
  logic              cmd_valid, pop, is_put, is_packet, reports, refuse;
  logic [40:0]       end_q;
  fsh_fn_pkg::path_t path, path_q;
  logic              loop_q, bulk_q;
  logic [3:0]        status, status_q;

  always_comb begin
    cmd_in = 'x;
    if (ccmd_valid_i) begin
      cmd_in       = ccmd_i;
      cmd_in.rsvd0 = '0;
      if (ccmd_i.kind != fsh_spec_pkg::EKIND_PACKET) cmd_in.tag = TAG | (ccmd_i.tag & OWN);
      if (ccmd_i.kind == fsh_spec_pkg::EKIND_MESSAGE) cmd_in.length = '0;
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

  fsh_route #(
      .PORTS(PORTS)
  ) i_route (
      .clk_i,
      .route_i,
      .ports_i,
      .look_i(cmd_valid),
      .node_i(cmd.dst[fsh_spec_pkg::NODE_W-1:0]),
      .path_o(path)
  );

  assign is_put    = cmd.kind == fsh_spec_pkg::EKIND_PUT;
  assign is_packet = cmd.kind == fsh_spec_pkg::EKIND_PACKET;
  assign reports   = is_put || (is_packet && cmd.length != '0);

  always_comb begin
    status = 'x;
    if (state_q == Judge) begin
      status = fsh_spec_pkg::STATUS_OK;
      // No later packet may wrap to address 0.
      if (is_put && cmd.raddr[39:24] == '1) status = fsh_spec_pkg::STATUS_REMOTE_RANGE;
      if (!is_packet && cmd.length != '0 && end_q > {1'b0, seg_size_i})
        status = fsh_spec_pkg::STATUS_LOCAL_RANGE;
      if (cmd.dst >= nodes_i || (!loop_q && path_q.ports == '0))
        status = fsh_spec_pkg::STATUS_BAD_NODE;
      if (!is_put && !is_packet && cmd.kind != fsh_spec_pkg::EKIND_MESSAGE)
        status = fsh_spec_pkg::STATUS_BAD_COMMAND;
    end
  end

  assign refuse = state_q == Refuse && !(reports && done_valid_i);
  assign pop    = refuse || req_ready_i;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Sum: begin
        if (cmd_valid) begin
          end_q    <= {1'b0, cmd.laddr} + {17'd0, cmd.length};
          path_q   <= path;
          loop_q   <= cmd.dst == node_i;
          bulk_q   <= is_put && cmd.length > {13'd0, packet_i};  // a packet's pieces: one port
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

  // PUTs that are completed or refused.
  always_ff @(posedge clk_i) begin
    ack_valid_o <= done_valid_i || (refuse && reports);
    if (done_valid_i) {ack_tag_o, ack_status_o} <= {done_tag_i & OWN, done_status_i};
    else if (refuse)
      {ack_tag_o, ack_status_o} <= {is_packet ? cmd.laddr[15:10] : cmd.tag & OWN, status_q};
    if (rst_i) ack_valid_o <= 1'b0;
  end

  assign req_valid_o  = state_q == Offer;
  assign req_path_o   = path_q;
  assign req_bulk_o   = bulk_q;
  assign req_loop_o   = loop_q;
  assign req_o        = cmd;

  assign perf_refused_o = refuse;
  assign busy_o         = cmd_valid || ccmd_valid_i || ack_valid_o;

  `FSH_ASSERT(assert_valid, state_q == Sum || cmd_valid)
  `FSH_ASSERT(assert_ready, !req_ready_i || req_valid_o)
endmodule

`default_nettype wire
