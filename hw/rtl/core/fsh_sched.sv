// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Command scheduler: gives commands to the sequencers of the ports that reach
/// their target. Sources: the request window alone may fill request contexts;
/// the reply window and the GETs served for either receiver share the reply
/// contexts, round robin. A message longer than a packet whose target both
/// ports reach takes both sequencers. Messages to this node loop back through
/// sequencer 0. Combinational grant; a command is accepted in the cycle of its
/// grant. hold_i (start gate) stops the windows, not the served GETs.
module fsh_sched (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               hold_i,
    input  wire logic         [7:0] node_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic         [1:0] ports_i,
    input  wire logic               route_we_i,
    input  wire logic         [5:0] route_waddr_i,
    input  wire logic         [1:0] route_wdata_i,
    // Windows, with the ports that reach the target.
    input  wire logic         [1:0] win_valid_i,
    output logic              [1:0] win_ready_o,
    input  wire logic         [3:0] win_mask_i,
    input  wire fsh_spec_pkg::cmd_t win_req_i,
    input  wire fsh_spec_pkg::cmd_t win_rep_i,
    // Served GETs.
    input  wire logic         [1:0] get_valid_i,
    output logic              [1:0] get_ready_o,
    input  wire fsh_spec_pkg::cmd_t get0_i,
    input  wire fsh_spec_pkg::cmd_t get1_i,
    input  wire logic         [7:0] get_status_i,
    // Sequencers: for each port the two channels {reply}.
    output logic              [3:0] load_valid_o,
    input  wire logic         [3:0] load_ready_i,
    output fsh_spec_pkg::cmd_t      load_req_o,
    output fsh_spec_pkg::cmd_t      load_rep_o,
    output logic              [3:0] load_status_o,
    output logic              [1:0] load_loop_o,
    output logic              [1:0] load_stripe_o,
    // Which sequencer takes the rows of the command last accepted, by channel.
    output logic              [1:0] rows_owner_o
);
  // Candidates of the reply contexts: reply window, GETs of receiver 0 and 1.
  logic [1:0] req_ready, rep_ready, route0, route1;
  logic [1:0] take_req, take_win, take_get0, take_get1, take_rep;
  logic       loop_req, loop_win, loop_get0, loop_get1;
  logic       stripe_req, stripe_win, stripe_get0, stripe_get1;
  logic [2:0] can, gnt;
  logic [1:0] prefer_q, rows_owner_q;

  assign req_ready = {load_ready_i[2], load_ready_i[0]};
  assign rep_ready = {load_ready_i[3], load_ready_i[1]};

  fsh_route #(.WIDTH(2)) i_route0 (
      .clk_i,
      .we_i   (route_we_i),
      .waddr_i(route_waddr_i),
      .wdata_i(route_wdata_i),
      .raddr_i(get0_i.dst[5:0]),
      .rdata_o(route0)
  );
  fsh_route #(.WIDTH(2)) i_route1 (
      .clk_i,
      .we_i   (route_we_i),
      .waddr_i(route_waddr_i),
      .wdata_i(route_wdata_i),
      .raddr_i(get1_i.dst[5:0]),
      .rdata_o(route1)
  );

  fsh_pick i_pick_req (
      .node_i,
      .packet_i,
      .mask_i  (win_mask_i[1:0]),
      .ready_i (req_ready),
      .prefer_i(prefer_q[0]),
      .whole_i (1'b0),
      .cmd_i   (win_req_i),
      .take_o  (take_req),
      .loop_o  (loop_req),
      .stripe_o(stripe_req)
  );

  fsh_pick i_pick_win (
      .node_i,
      .packet_i,
      .mask_i  (win_mask_i[3:2]),
      .ready_i (rep_ready),
      .prefer_i(prefer_q[1]),
      .whole_i (1'b0),
      .cmd_i   (win_rep_i),
      .take_o  (take_win),
      .loop_o  (loop_win),
      .stripe_o(stripe_win)
  );

  fsh_pick i_pick_get0 (
      .node_i,
      .packet_i,
      .mask_i  (route0 & ports_i),
      .ready_i (rep_ready),
      .prefer_i(prefer_q[1]),
      .whole_i (get_status_i[3:0] != fsh_spec_pkg::STATUS_OK),
      .cmd_i   (get0_i),
      .take_o  (take_get0),
      .loop_o  (loop_get0),
      .stripe_o(stripe_get0)
  );

  fsh_pick i_pick_get1 (
      .node_i,
      .packet_i,
      .mask_i  (route1 & ports_i),
      .ready_i (rep_ready),
      .prefer_i(prefer_q[1]),
      .whole_i (get_status_i[7:4] != fsh_spec_pkg::STATUS_OK),
      .cmd_i   (get1_i),
      .take_o  (take_get1),
      .loop_o  (loop_get1),
      .stripe_o(stripe_get1)
  );

  assign can = {
    get_valid_i[1] && take_get1 != '0,
    get_valid_i[0] && take_get0 != '0,
    win_valid_i[1] && take_win != '0 && !hold_i
  };

  fsh_arb #(
      .N(3)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (can),
      .take_i(|can),
      .gnt_o (gnt)
  );

  assign win_ready_o[0] = take_req != '0 && !hold_i;
  assign win_ready_o[1] = gnt[0];
  assign get_ready_o    = gnt[2:1];

  always_comb begin
    load_rep_o       = win_rep_i;
    take_rep         = take_win & {2{gnt[0]}};
    load_status_o    = fsh_spec_pkg::STATUS_OK;
    load_loop_o[1]   = loop_win;
    load_stripe_o[1] = stripe_win;
    if (gnt[1]) begin
      load_rep_o       = get0_i;
      take_rep         = take_get0;
      load_status_o    = get_status_i[3:0];
      load_loop_o[1]   = loop_get0;
      load_stripe_o[1] = stripe_get0;
    end
    if (gnt[2]) begin
      load_rep_o       = get1_i;
      take_rep         = take_get1;
      load_status_o    = get_status_i[7:4];
      load_loop_o[1]   = loop_get1;
      load_stripe_o[1] = stripe_get1;
    end
    load_req_o       = win_req_i;
    load_loop_o[0]   = loop_req;
    load_stripe_o[0] = stripe_req;
  end

  logic [1:0] give_req;
  assign give_req     = take_req & {2{win_valid_i[0] && !hold_i}};
  assign load_valid_o = {take_rep[1], give_req[1], take_rep[0], give_req[0]};

  // Alternate between ports that serve equally; remember who fetches the rows.
  always_ff @(posedge clk_i) begin
    if (give_req != '0) begin
      prefer_q[0]     <= give_req[0];
      rows_owner_q[0] <= !give_req[0];
    end
    if (take_rep != '0) prefer_q[1] <= take_rep[0];
    if (gnt[0]) rows_owner_q[1] <= !take_rep[0];
    if (rst_i) begin
      prefer_q     <= '0;
      rows_owner_q <= '0;
    end
  end

  assign rows_owner_o = rows_owner_q;

  `FSH_ASSERT(assert_ready, (load_valid_o & ~load_ready_i) == '0)
  `FSH_ASSERT(assert_reply_cmd, !gnt[0] || win_rep_i.reply)
endmodule

`default_nettype wire
