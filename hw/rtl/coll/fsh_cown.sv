// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Local operands of a unit: a move (fsh_coll_pkg::MOVE_FETCH, _LOAD, _GIVE) of up to LINES
/// lines from memory, or of 16 bytes of the descriptor, to the half of a context; a FETCH is
/// seen by who asked alone. start_i with the move, while busy_o is low. Line line_o is asked
/// for, or given, when hold_i is low, which it then stays for that line: who reads what stands
/// in that half has passed it. Memory answers in order and is always taken, a line a cycle.
/// bad_o: a pulse, for the move's context, for a read that failed, with the end of busy_o at
/// the latest. Valid signals depend on registers and hold_i only. Reset: none.
module fsh_cown #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned LW = $clog2(LINES)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                start_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::move_t move_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic                hold_i,
    output logic                     busy_o,
    output logic              [CW:0] half_o,  // which it is: context and half
    output logic            [LW-1:0] line_o,
    output logic                     err_o,   // of the move begun last
    output logic      [CONTEXTS-1:0] bad_o,
    output logic                     mrd_valid_o,
    input  wire logic                mrd_ready_i,
    output logic              [31:0] mrd_addr_o,
    input  wire logic                mrd_rvalid_i,
    input  wire logic        [511:0] mrd_data_i,
    input  wire logic                mrd_err_i,
    output logic                     we_o,
    output logic         [CW+LW:0]   waddr_o,
    output logic             [511:0] wdata_o
);
  logic  [LW:0] ask_q, got_q;  // lines asked for, to come
  logic  [LW:0] lines_q;
  logic         fetch_q, give_q, held, last;
  logic  [31:0] addr_q;
  logic [127:0] given_q;
  logic [LW-1:0] line_q;

  assign held        = hold_i && !fetch_q;
  assign mrd_valid_o = busy_o && ask_q != lines_q && !give_q && !held;
  assign mrd_addr_o  = addr_q;
  assign line_o      = ask_q[LW-1:0];
  assign we_o        = busy_o && !fetch_q && (give_q ? !held : mrd_rvalid_i);
  assign waddr_o     = {half_o, line_q};
  assign wdata_o     = give_q ? {384'd0, given_q} : mrd_data_i;
  assign last        = got_q == (LW + 1)'(1) && (give_q ? !held : mrd_rvalid_i);

  always_ff @(posedge clk_i) begin
    if (mrd_valid_o && mrd_ready_i) begin
      ask_q  <= ask_q + 1'b1;
      addr_q <= addr_q + 32'd1;
    end
    if (mrd_rvalid_i) begin
      got_q  <= got_q - 1'b1;
      line_q <= line_q + 1'b1;
      if (mrd_err_i) err_o <= 1'b1;
    end
    if (start_i) begin
      ask_q   <= '0;
      lines_q <= move_i.lines[LW:0];
      got_q   <= move_i.lines[LW:0];
      line_q  <= '0;
      fetch_q <= move_i.what == fsh_coll_pkg::MOVE_FETCH;
      give_q  <= move_i.what == fsh_coll_pkg::MOVE_GIVE;
      addr_q  <= move_i.addr;
      given_q <= move_i.given;
      half_o  <= {move_i.context_[CW-1:0], move_i.half};
      err_o   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) busy_o <= 1'b1;
    else if (last) busy_o <= 1'b0;
    if (rst_i) busy_o <= 1'b0;
  end

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    assign bad_o[c] = mrd_rvalid_i && mrd_err_i && !fetch_q && half_o[CW:1] == CW'(c);
  end

  `FSH_ASSERT(a_start, !start_i || (!busy_o && move_i.lines != '0))
  `FSH_ASSERT(a_given, !(busy_o && give_q) || got_q == (LW + 1)'(1))
  `FSH_ASSERT(a_read, !mrd_rvalid_i || (busy_o && !give_q))
  `FSH_STABLE(mrd_valid_o, mrd_ready_i, mrd_addr_o)
endmodule

`default_nettype wire
