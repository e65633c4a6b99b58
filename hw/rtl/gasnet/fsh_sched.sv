// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Command scheduler: gives the sequencer one command per cycle, round robin among requests, the
/// reply window and what is served for either receiver (GETs, and messages to engines that need
/// an answer), considering only those for which a context is free. Only requests, from any source
/// (fsh_sources), may occupy request contexts; the others share the reply contexts.
/// Combinational; a command is accepted in the cycle of its grant. hold_i (start gate) stops the
/// reply window; requests are stopped at their source.
module fsh_sched (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               hold_i,
    // Requests (0), for which there is a context, and the reply window (1), with their route,
    // whether they are longer than a packet, and whether they are for this node.
    input  wire logic         [1:0] cmd_valid_i,
    output logic              [1:0] cmd_ready_o,
    input  wire fsh_fn_pkg::path_t  cmd_req_path_i,
    input  wire fsh_fn_pkg::path_t  cmd_rep_path_i,
    input  wire logic         [1:0] cmd_bulk_i,
    input  wire logic         [1:0] cmd_loop_i,
    input  wire fsh_spec_pkg::cmd_t cmd_req_i,
    input  wire fsh_spec_pkg::cmd_t cmd_rep_i,
    // Requests to be served, and the status of their answers.
    input  wire logic         [1:0] get_valid_i,
    output logic              [1:0] get_ready_o,
    input  wire fsh_fn_pkg::get_t   get0_i,
    input  wire fsh_fn_pkg::get_t   get1_i,
    input  wire logic         [7:0] get_status_i,
    // Sequencer: free reply contexts; the command, with its route.
    input  wire fsh_seq_pkg::free_t free_i,
    output logic                    load_valid_o,
    input  wire logic               load_ready_i,
    output logic                    load_loop_o,
    output logic                    load_bulk_o,
    output fsh_fn_pkg::path_t       load_path_o,
    output logic              [3:0] load_status_o,
    output fsh_spec_pkg::cmd_t      load_o
);
  // Sources: requests, reply window, served for receiver 0 and 1.
  logic [3:0] loop, bulk, req, gnt;
  logic [3:1] ok;
  logic       take;

  assign loop  = {get1_i.path.ports == '0, get0_i.path.ports == '0, cmd_loop_i};
  assign bulk  = {get1_i.bulk, get0_i.bulk, cmd_bulk_i};
  always_comb begin
    ok = 'x;
    if ({get_valid_i, cmd_valid_i[1]} != '0) begin
      ok[1] = cmd_rep_i.ordered ? free_i.ordered : cmd_bulk_i[1] ? free_i.bulk : free_i.brief;
      ok[2] = get0_i.bulk ? free_i.bulk : free_i.brief;
      ok[3] = get1_i.bulk ? free_i.bulk : free_i.brief;
    end
  end

  assign req = {ok[3:1] & {get_valid_i, cmd_valid_i[1] && !hold_i}, cmd_valid_i[0]};

  fsh_arb #(
      .N(4)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .look_i(1'b1),
      .take_i(take),
      .gnt_o (gnt)
  );

  assign take        = req != '0 && load_ready_i;
  assign cmd_ready_o = gnt[1:0] & {2{load_ready_i}};
  assign get_ready_o = gnt[3:2] & {2{load_ready_i}};

  // The command; for a request to be served, the one that answers it.
  fsh_fn_pkg::get_t get;
  logic             is_msg;

  always_comb begin  // used only if there is one
    get           = 'x;
    is_msg        = 'x;
    load_o        = 'x;
    load_loop_o   = 'x;
    load_bulk_o   = 'x;
    load_path_o   = 'x;
    load_status_o = 'x;
    if (load_valid_o) begin
      get           = gnt[3] ? get1_i : get0_i;
      is_msg        = get.sink[fsh_spec_pkg::ENGINES-1:0] != '0;
      load_loop_o   = |(gnt & loop);
      load_bulk_o   = |(gnt & bulk);
      load_path_o   = gnt[0] ? cmd_req_path_i : gnt[1] ? cmd_rep_path_i : get.path;
      load_status_o = (get_status_i[3:0] & {4{gnt[2]}}) | (get_status_i[7:4] & {4{gnt[3]}});
      load_o        = cmd_req_i;
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
      // Inputs of the sequencer's choice of a context, by the shortest path.
      load_o.reply   = !gnt[0];
      load_o.ordered = (gnt[0] && cmd_req_i.ordered) || (gnt[1] && cmd_rep_i.ordered);
      // Already checked at every source.
      load_o.dst[7:6]  = '0;
      load_o.tag[10:6] = '0;
      // Not used from here on.
      {load_o.check, load_o.rsvd3, load_o.rsvd2, load_o.rsvd1, load_o.rsvd0} = '0;
      load_o.entries   = '0;
    end
  end

  assign load_valid_o = req != '0;

  `FSH_ASSERT(assert_reply_cmd, !gnt[1] || cmd_rep_i.reply)
  `FSH_ASSERT(assert_request_cmd, !gnt[0] || !cmd_req_i.reply)
endmodule

`default_nettype wire
