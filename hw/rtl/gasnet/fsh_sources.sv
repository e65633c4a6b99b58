// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The scheduler's request sources: the request window (0) and each engine (k + 1), round robin
/// among those for which a context is free. A source uses up its turn only when the scheduler
/// accepts the request, so a grant may move until then.
/// hold_i (start gate) stops the window but no engine; clear_i (not all tags are known to be
/// free) stops all. Combinational. A further engine is a further element of the vectors.
module fsh_sources #(
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               hold_i,
    input  wire logic               clear_i,
    // The request window.
    input  wire logic               win_valid_i,
    output logic                    win_ready_o,
    input  wire fsh_fn_pkg::path_t  win_path_i,
    input  wire logic               win_bulk_i,
    input  wire logic               win_loop_i,
    input  wire fsh_spec_pkg::cmd_t win_i,
    // Engines, by index; their commands (ecmd_t) have tags of the node.
    input  wire logic [ENGINES-1:0] eng_valid_i,
    output logic      [ENGINES-1:0] eng_ready_o,
    input  wire logic [ENGINES*fsh_fn_pkg::PATH_W-1:0] eng_path_i,  // path_t
    input  wire logic [ENGINES-1:0] eng_bulk_i,
    input  wire logic [ENGINES-1:0] eng_loop_i,
    input  wire logic [ENGINES*fsh_spec_pkg::ECMD_W-1:0] eng_i,
    // The scheduler: whether there is a context for a request; the request and its attributes.
    input  wire fsh_seq_pkg::free_t free_i,
    output logic                    req_valid_o,
    input  wire logic               req_ready_i,
    output fsh_fn_pkg::path_t       req_path_o,
    output logic                    req_bulk_o,
    output logic                    req_loop_o,
    output fsh_spec_pkg::cmd_t      req_o
);
  localparam int unsigned ECMD_W = fsh_spec_pkg::ECMD_W;
  localparam int unsigned PATH_W = fsh_fn_pkg::PATH_W;
  logic [ENGINES:0]    ok, loop, want, gnt;
  logic                engine, is_put, is_message;
  fsh_spec_pkg::ecmd_t cmd;
  logic [7:0]          opcode;

  assign loop = {eng_loop_i, win_loop_i};

  assign ok[0] = win_i.ordered ? free_i.ordered : win_bulk_i ? free_i.bulk : free_i.brief;
  for (genvar k = 0; k < ENGINES; k++) begin : gen_engine
    assign ok[k+1] = eng_bulk_i[k] ? free_i.bulk : free_i.brief;
  end

  assign want = ok & {eng_valid_i, win_valid_i && !hold_i} & {ENGINES + 1{!clear_i}};

  fsh_arb #(
      .N(ENGINES + 1)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (want),
      .look_i(1'b1),
      .take_i(req_ready_i),
      .gnt_o (gnt)
  );

  assign engine      = gnt[ENGINES:1] != '0;
  assign req_valid_o = want != '0;
  assign req_loop_o  = |(gnt & loop);
  assign win_ready_o = req_ready_i && !engine;
  assign eng_ready_o = gnt[ENGINES:1] & {ENGINES{req_ready_i}};

  // The window's command, or the command an engine's one translates to.
  always_comb begin
    cmd        = 'x;
    opcode     = 'x;
    is_put     = 'x;
    is_message = 'x;
    req_o      = win_i;
    req_path_o = win_path_i;
    req_bulk_o = win_bulk_i;
    if (engine) begin
      cmd        = '0;
      opcode     = '0;
      req_path_o = '0;
      req_bulk_o = |(gnt[ENGINES:1] & eng_bulk_i);
      for (int unsigned k = 0; k < ENGINES; k++) begin
        if (gnt[k+1]) begin
          cmd        = cmd | eng_i[k*ECMD_W+:ECMD_W];
          opcode     = opcode | fsh_spec_pkg::ENGINE_OPCODE[k*8+:8];
          req_path_o = req_path_o | eng_path_i[k*PATH_W+:PATH_W];
        end
      end
      is_put         = cmd.kind == fsh_spec_pkg::EKIND_PUT;
      is_message     = cmd.kind == fsh_spec_pkg::EKIND_MESSAGE;
      req_o          = '0;
      req_o.opcode   = is_message ? opcode : fsh_spec_pkg::OP_PUT;
      req_o.category = is_message ? fsh_spec_pkg::CAT_SHORT : fsh_spec_pkg::CAT_LONG;
      req_o.ack      = is_put;
      req_o.rspace   = is_put || is_message ? fsh_spec_pkg::SPACE_SEGMENT :
                                              fsh_spec_pkg::SPACE_COLLECTIVE;
      req_o.dst      = cmd.dst;
      req_o.tag      = 11'(cmd.tag);
      req_o.lspace   = fsh_spec_pkg::SPACE_SEGMENT;
      req_o.raddr    = cmd.raddr;
      req_o.length   = cmd.length;
      req_o.laddr    = cmd.laddr;
    end
    // Inputs of the sequencer's choice of a context, by the shortest path.
    req_o.ordered = gnt[0] && win_i.ordered;
  end

  `FSH_ASSERT(assert_request, !req_valid_o || !req_o.reply)
  `FSH_ASSERT(assert_taken, !req_ready_i || req_valid_o)
endmodule

`default_nettype wire
