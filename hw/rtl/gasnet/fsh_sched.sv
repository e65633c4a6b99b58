// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Command scheduler: gives the sequencer one command a cycle, round robin
/// among requests, the reply window and what is served for either receiver (GETs,
/// and messages to engines that want an answer). Requests, of whatever source
/// (fsh_sources), alone may fill request contexts; the others share
/// the reply contexts. A message longer than a packet whose target both
/// ports reach goes out over both, packet by packet, and so do two packets of an answer
/// to a GET. Messages to this node loop
/// back through port 0. Combinational; a command is accepted in the cycle of
/// its grant. hold_i (start gate) stops the reply window; requests are stopped where
/// they come from.
module fsh_sched (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               hold_i,
    // Requests (0), which have chosen among the ports that are free, and the reply
    // window (1), with the ports that reach the target, whether both may be used, and
    // whether the target is this node.
    input  wire logic         [1:0] cmd_valid_i,
    output logic              [1:0] cmd_ready_o,
    input  wire logic         [3:0] cmd_mask_i,
    input  wire logic         [1:0] cmd_spread_i,
    input  wire logic         [1:0] cmd_loop_i,
    input  wire fsh_spec_pkg::cmd_t cmd_req_i,
    input  wire fsh_spec_pkg::cmd_t cmd_rep_i,
    input  wire logic               req_port_i,
    input  wire logic               req_rows_i,  // it has rows in its window
    output logic                    req_prefer_o,
    // What is served, and the status of its answer.
    input  wire logic         [1:0] get_valid_i,
    output logic              [1:0] get_ready_o,
    input  wire fsh_fn_pkg::get_t   get0_i,
    input  wire fsh_fn_pkg::get_t   get1_i,
    input  wire logic         [7:0] get_status_i,
    // Sequencer: free reply contexts, by port.
    input  wire logic         [1:0] free_i,
    output logic                    load_valid_o,
    input  wire logic               load_ready_i,
    output logic                    load_port_o,
    output logic                    load_loop_o,
    output logic                    load_stripe_o,
    output logic              [3:0] load_status_o,
    output fsh_spec_pkg::cmd_t      load_o,
    // Which port takes the rows of the command last accepted, by channel.
    output logic              [1:0] rows_port_o
);
  // Sources: requests, reply window, served for receiver 0 and 1.
  logic [3:0] port, loop, req, gnt;
  logic [1:0] get_loop;
  logic [3:1] ok;
  logic [1:0] mask;
  logic [1:0] prefer_q, rows_port_q;
  logic       take;

  assign get_loop     = {get1_i.mask == '0, get0_i.mask == '0};
  assign loop         = {get_loop, cmd_loop_i};
  assign port[0]      = req_port_i;
  assign req_prefer_o = prefer_q[0];

  fsh_pick i_pick_rep (
      .loop_i   (loop[1]),
      .ordered_i(cmd_rep_i.ordered),
      .mask_i   (cmd_mask_i[3:2]),
      .free_i   (free_i),
      .prefer_i (prefer_q[1]),
      .ok_o     (ok[1]),
      .port_o   (port[1])
  );
  fsh_pick i_pick_get0 (
      .loop_i   (loop[2]),
      .ordered_i(1'b0),
      .mask_i   (get0_i.mask),
      .free_i   (free_i),
      .prefer_i (prefer_q[1]),
      .ok_o     (ok[2]),
      .port_o   (port[2])
  );
  fsh_pick i_pick_get1 (
      .loop_i   (loop[3]),
      .ordered_i(1'b0),
      .mask_i   (get1_i.mask),
      .free_i   (free_i),
      .prefer_i (prefer_q[1]),
      .ok_o     (ok[3]),
      .port_o   (port[3])
  );

  assign req = {ok[3:1] & {get_valid_i, cmd_valid_i[1] && !hold_i}, cmd_valid_i[0]};

  fsh_arb #(
      .N(4)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .take_i(take),
      .gnt_o (gnt)
  );

  assign take         = req != '0 && load_ready_i;
  assign cmd_ready_o  = gnt[1:0] & {2{load_ready_i}};
  assign get_ready_o  = gnt[3:2] & {2{load_ready_i}};

  // The command; of what is served the one that answers it.
  fsh_fn_pkg::get_t get;
  logic             is_msg;

  always_comb begin
    get    = gnt[3] ? get1_i : get0_i;
    is_msg = get.sink[fsh_spec_pkg::ENGINES-1:0] != '0;
    load_o = cmd_req_i;
    if (gnt[1]) load_o = cmd_rep_i;
    if (gnt[3:2] != '0) begin
      load_o          = '0;
      load_o.opcode   = is_msg ? fsh_spec_pkg::OP_PUT_ACK : fsh_spec_pkg::OP_GET_REPLY;
      load_o.category = is_msg ? fsh_spec_pkg::CAT_SHORT : fsh_spec_pkg::CAT_LONG;
      load_o.reply    = 1'b1;
      load_o.rspace   = {1'b0, get.flag && !is_msg};
      load_o.dst      = 8'(get.dst);
      load_o.tag      = 11'(get.tag);
      load_o.lspace   = fsh_spec_pkg::SPACE_SEGMENT;
      load_o.raddr    = get.raddr;
      load_o.length   = get.length;
      load_o.laddr    = get.laddr;
    end
    // Checked to be so, of every source.
    load_o.dst[7:6]  = '0;
    load_o.tag[10:6] = '0;
  end

  assign load_valid_o  = req != '0;
  assign load_port_o   = |(gnt & port);
  assign load_loop_o   = |(gnt & loop);
  assign load_status_o = (get_status_i[3:0] & {4{gnt[2]}}) | (get_status_i[7:4] & {4{gnt[3]}});

  assign mask   = gnt[0] ? cmd_mask_i[1:0] :
                  gnt[1] ? cmd_mask_i[3:2] : get.mask;
  assign load_stripe_o = mask == 2'b11 && !load_loop_o &&
                         (gnt[0] ? cmd_spread_i[0] :
                          gnt[1] ? cmd_spread_i[1] : 1'b1);

  // Alternate between ports that serve equally; remember who fetches the rows.
  always_ff @(posedge clk_i) begin
    if (take) begin
      if (gnt[0]) begin
        prefer_q[0] <= !load_port_o;
        if (req_rows_i) rows_port_q[0] <= load_port_o;
      end else begin
        prefer_q[1] <= !load_port_o;
      end
      if (gnt[1]) rows_port_q[1] <= load_port_o;
    end
    if (rst_i) begin
      prefer_q    <= '0;
      rows_port_q <= '0;
    end
  end

  assign rows_port_o = rows_port_q;

  `FSH_ASSERT(assert_reply_cmd, !gnt[1] || cmd_rep_i.reply)
  `FSH_ASSERT(assert_request_cmd, !gnt[0] || !cmd_req_i.reply)
endmodule

`default_nettype wire
