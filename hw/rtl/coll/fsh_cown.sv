// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Local operands of a unit: moves (fsh_coll_pkg::MOVE_FETCH, _LOAD, _GIVE) of up to LINES
/// lines from memory, or of 16 bytes of the descriptor, to the half of a context; a FETCH is
/// seen by who asked alone. start_i with the move, while busy_o is low. Two are under way, so
/// that the latency of memory is that of the first: one asks for its lines while those of the
/// one before it come. Line line_o of half half_o is asked for, or given, when hold_i is low,
/// which it then stays for that line: who reads what stands in that half has passed it. Memory
/// answers in order and is always taken, a line a cycle. loads_o: which halves have lines to
/// come; fetching_o: a FETCH has; fetched_o: a line of it comes. bad_o: a pulse, for the
/// move's context, for a read that failed; with the end of loads_o at the latest. Valid
/// signals depend on registers and hold_i only. Reset: none.
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
    output logic                     some_o,  // one is under way
    output logic              [CW:0] half_o,  // of the one that asks: context and half
    output logic            [LW-1:0] line_o,
    output logic    [2*CONTEXTS-1:0] loads_o,
    output logic                     fetching_o,
    output logic                     fetched_o,
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
  // The one that asks (or gives, which it does when none is before it).
  logic   [LW:0] ask_q, lines_q;
  logic          fetch_q, give_q, follows_q;  // one is before it
  logic   [31:0] addr_q;
  logic  [127:0] given_q;
  // The one whose lines come; until it has asked for all of them that is the same.
  logic          comes_q, into_unit_q;
  logic     [CW:0] half_q;
  logic   [LW:0] left_q;
  logic [LW-1:0] line_q;
  logic          held, asks, gives, over, last;

  assign held        = hold_i && !fetch_q;
  assign mrd_valid_o = busy_o && ask_q != lines_q && !give_q && !held;
  assign mrd_addr_o  = addr_q;
  assign asks        = mrd_valid_o && mrd_ready_i;
  assign gives       = busy_o && give_q && !follows_q && !held;
  assign over        = ask_q == lines_q || (asks && ask_q + 1'b1 == lines_q) || gives;
  assign last        = left_q == (LW + 1)'(1) && (gives || mrd_rvalid_i);
  assign line_o      = ask_q[LW-1:0];
  assign we_o        = gives || (mrd_rvalid_i && !into_unit_q);
  assign waddr_o     = {half_q, line_q};
  assign wdata_o     = gives ? {384'd0, given_q} : mrd_data_i;
  assign some_o      = busy_o || comes_q;
  assign fetched_o   = mrd_rvalid_i && into_unit_q;
  assign fetching_o  = (busy_o && fetch_q) || (comes_q && into_unit_q);

  always_comb begin
    for (int unsigned h = 0; h < 2 * CONTEXTS; h++)
      loads_o[h] = (busy_o && !fetch_q && half_o == (CW + 1)'(h)) ||
                   (comes_q && !into_unit_q && half_q == (CW + 1)'(h));
  end

  always_ff @(posedge clk_i) begin
    if (asks) begin
      ask_q  <= ask_q + 1'b1;
      addr_q <= addr_q + 32'd1;
    end
    if (start_i) begin
      ask_q   <= '0;
      lines_q <= move_i.lines[LW:0];
      fetch_q <= move_i.what == fsh_coll_pkg::MOVE_FETCH;
      give_q  <= move_i.what == fsh_coll_pkg::MOVE_GIVE;
      addr_q  <= move_i.addr;
      given_q <= move_i.given;
      half_o  <= {move_i.context_[CW-1:0], move_i.half};
    end
    if (mrd_rvalid_i) begin
      left_q <= left_q - 1'b1;
      line_q <= line_q + 1'b1;
    end
    if (!comes_q || last) begin
      left_q      <= start_i ? move_i.lines[LW:0] : lines_q;
      line_q      <= '0;
      into_unit_q <= start_i ? move_i.what == fsh_coll_pkg::MOVE_FETCH : fetch_q;
      half_q      <= start_i ? {move_i.context_[CW-1:0], move_i.half} : half_o;
    end
  end

  always_ff @(posedge clk_i) begin
    busy_o    <= start_i || (busy_o && !(over && (!follows_q || last)));
    follows_q <= (start_i || follows_q) && comes_q && !last;
    if (!comes_q || last) comes_q <= start_i || (busy_o && follows_q);
    if (rst_i) {busy_o, comes_q, follows_q} <= '0;
  end

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    assign bad_o[c] = mrd_rvalid_i && mrd_err_i && !into_unit_q && half_q[CW:1] == CW'(c);
  end

  `FSH_ASSERT(a_start, !start_i || (!busy_o && move_i.lines != '0))
  `FSH_ASSERT(a_given, !gives || (comes_q && left_q == (LW + 1)'(1)))
  `FSH_ASSERT(a_read, !mrd_rvalid_i || comes_q)
  `FSH_ASSERT(a_port, !(gives && mrd_rvalid_i))
  `FSH_STABLE(mrd_valid_o, mrd_ready_i, mrd_addr_o)
endmodule

`default_nettype wire
