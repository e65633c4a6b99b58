// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What a unit keeps of its contexts: which have a sequence (opened_o, from open_i to close_i),
/// have begun it, failed at an operand or a write (wrong_i); and with save_i where each goes on:
/// item at_i, rest_i, and the descriptor of its step, step_i. Descriptors of a sequence are read
/// in rows of ROW lines of memory, which end where an address is a multiple of ROW, the first
/// two at once, and the last two of a context are kept: so the next step, and what looks ahead,
/// seldom waits for memory.
/// Of the context in hand, c_i: here_o: the descriptor at addr_i is kept, line_o; then_o: so was
/// the one behind it, a cycle ago; apart_o: that at addr_i needs nothing that is stored before it.
/// read_i: row_o lines from addr_i on are asked for, those of one context at a time; each comes
/// with line_valid_i, before that context has another sequence; behind one that could not be read
/// (line_err_i) none is kept. A sequence is read in ascending order, from where addr_i is with
/// open_i, and does not change while it runs. Outputs follow registers, c_i and addr_i. Reset: no
/// sequence.
module fsh_ckeep #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned ROW = 4,  // a power of two
    parameter int unsigned REST = 32,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned RW = $clog2(ROW)
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic   [CW-1:0] c_i,
    input  wire logic            open_i,
    input  wire logic            close_i,
    input  wire logic [CONTEXTS-1:0]   wrong_i,
    output logic      [CONTEXTS-1:0]   opened_o,
    output logic      [CONTEXTS-1:0]   begun_o,
    output logic      [CONTEXTS-1:0]   failed_o,
    output logic      [3*CONTEXTS-1:0] at_o,
    input  wire logic            save_i,
    input  wire logic      [2:0] at_i,
    input  wire logic    [511:0] step_i,
    input  wire logic [REST-1:0] rest_i,
    output logic         [511:0] step_o,
    output logic      [REST-1:0] rest_o,
    input  wire logic     [31:0] addr_i,
    output logic                 here_o,
    output logic                 then_o,
    output logic                 apart_o,
    output logic         [511:0] line_o,
    output logic        [RW+1:0] row_o,
    input  wire logic            read_i,
    input  wire logic            line_valid_i,
    input  wire logic            line_err_i,
    input  wire logic    [511:0] line_i
);
  logic [511:0]    step_mem[CONTEXTS];
  logic [REST-1:0] rest_mem[CONTEXTS];
  logic [511:0]    line_mem[2*ROW*CONTEXTS];
  logic [31:0]     end_q[CONTEXTS];  // behind the last line that was read
  localparam int unsigned LOW = (31 - RW) / 2;
  localparam int unsigned HIGH = 31 - RW - LOW;
  logic [31:0]     over, ahead;
  logic [LOW-1:0]  low, low_next, over_low;
  logic [HIGH-1:0] high, high_next, over_high;
  logic            same, same_next, same_high, same_high_next;
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::colldesc_t step;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CONTEXTS-1:0] fresh_q;  // nothing has been read yet
  logic [RW:0]     at_q;
  logic [CW-1:0]   reads_q;  // whose lines come
  logic            broken_q;

  assign step_o = step_mem[c_i];
  assign rest_o = rest_mem[c_i];
  assign line_o = line_mem[{c_i, addr_i[RW:0]}];
  // Kept, if the end is at most 2 * ROW ahead: it has the same upper bits, or the next ones. They
  // are compared in two parts, so that neither waits for a long carry.
  assign over = end_q[c_i];
  assign {high, low} = addr_i[31:RW+1];
  assign {over_high, over_low} = over[31:RW+1];
  assign low_next       = low + 1'b1;
  assign high_next      = high + 1'b1;
  assign same           = over_low == low;
  assign same_next      = over_low == low_next;
  assign same_high      = over_high == high;
  assign same_high_next = over_high == high_next;
  assign here_o = addr_i[RW:0] < over[RW:0] ? same && same_high :
                  same_next && (low == '1 ? same_high_next : same_high);
  // No operand in memory; and its packets tell nobody that this node has come so far.
  assign step    = line_o;
  assign apart_o = !step.own && !step.given && step.bytes != '0;
  assign ahead  = over - addr_i;
  assign row_o  = (RW + 2)'(fresh_q[c_i] ? 2 * ROW : ROW) - {2'd0, addr_i[RW-1:0]};

  always_ff @(posedge clk_i) begin
    if (save_i) begin
      step_mem[c_i] <= step_i;
      rest_mem[c_i] <= rest_i;
    end
    if (line_valid_i) line_mem[{reads_q, at_q}] <= line_i;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (wrong_i[c]) failed_o[c] <= 1'b1;
      if (c_i == CW'(c)) begin
        if (save_i) begin
          at_o[3*c+:3] <= open_i ? fsh_coll_pkg::ITEM_FETCH : at_i;
          begun_o[c]   <= !open_i;
        end
        if (open_i) {opened_o[c], failed_o[c]} <= 2'b10;
        if (close_i) opened_o[c] <= 1'b0;
        if (open_i || read_i) fresh_q[c] <= open_i;
      end
    end
    if (rst_i) opened_o <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (line_valid_i && !line_err_i && !broken_q) end_q[reads_q] <= end_q[reads_q] + 32'd1;
    if (open_i || read_i) end_q[c_i] <= addr_i;
    if (read_i) reads_q <= c_i;
    then_o   <= ahead > 32'd1 && ahead <= 32'(2 * ROW + 1);
    at_q     <= read_i ? addr_i[RW:0] : at_q + (RW + 1)'(line_valid_i);
    broken_q <= !read_i && (broken_q || (line_valid_i && line_err_i));
  end
endmodule

`default_nettype wire
