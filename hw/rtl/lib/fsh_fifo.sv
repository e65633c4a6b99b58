// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// First-word-fall-through FIFO; DEPTH is a power of two of at least 2. One push and one pop per
/// cycle at every fill level but full. Words leave in order.
/// BLOCK = 0: distributed RAM, DEPTH words; a word is offered in the cycle after its push; data_o
/// is read from the RAM by a registered address. BLOCK = 1: block RAM and its output register,
/// DEPTH + 1 words; two cycles from push to offer; data_o is a register. With LUT = 1 the same
/// with distributed RAM, for few words, which would leave a block RAM mostly empty.
/// ready_o, valid_o and count_o depend on registers only. count_o: words pushed and not popped;
/// with BLOCK excluding the one in the output register. Reset empties it; the words themselves
/// have no reset.
module fsh_fifo #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 16,
    parameter bit BLOCK = DEPTH > 64,
    parameter bit LUT = 1'b0
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_i,
    input  wire logic                       valid_i,
    output logic                            ready_o,
    input  wire logic [WIDTH-1:0]           data_i,
    output logic                            valid_o,
    input  wire logic                       ready_i,
    output logic      [WIDTH-1:0]           data_o,
    output logic      [$clog2(DEPTH+1)-1:0] count_o
);
  localparam int unsigned AW = $clog2(DEPTH);
  localparam int unsigned CW = $clog2(DEPTH + 1);

  logic          push, take;      // into the RAM, out of it
  logic          some_q, full_q;  // words in the RAM: at least one; DEPTH
  logic [AW-1:0] wptr_q, rptr_q, wnext, rnext;
  logic [CW-1:0] count_q;         // their number; removed where count_o is unused

  assign wnext   = wptr_q + 1'b1;
  assign rnext   = rptr_q + 1'b1;
  assign ready_o = !full_q;
  assign count_o = count_q;
  assign push    = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (push) wptr_q <= wnext;
    if (take) rptr_q <= rnext;
    if (push != take) begin  // late signals select among prepared values
      some_q  <= push || rnext != wptr_q;
      full_q  <= push && wnext == rptr_q;
      count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    end
    if (rst_i) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      some_q  <= 1'b0;
      full_q  <= 1'b0;
      count_q <= '0;
    end
  end

`ifdef FORMAL
  logic [AW-1:0]    f_pos;   // a position in the RAM relative to its head
  logic [WIDTH-1:0] f_word;  // the word stored there
  logic             f_reg;   // the head is in the register, not in the RAM
`endif

  if (!BLOCK) begin : gen_distributed
    (* ram_style = "distributed" *) logic [WIDTH-1:0] mem[DEPTH];

    assign take    = some_q && ready_i;
    assign valid_o = some_q;
    assign data_o  = mem[rptr_q];

    always_ff @(posedge clk_i) begin
      if (push) mem[wptr_q] <= data_i;
    end

`ifdef FORMAL
    assign f_word = mem[AW'(rptr_q + f_pos)];
    assign f_reg  = 1'b0;
`endif
  end else begin : gen_block
    // A word is read only if it was in the RAM at the last edge, so reads and writes never
    // collide.
    logic valid_q;
`ifdef FORMAL
    logic [WIDTH*DEPTH-1:0] f_words;
`endif

    assign take    = some_q && (!valid_q || ready_i);
    assign valid_o = valid_q;

    always_ff @(posedge clk_i) begin
      if (take || ready_i) valid_q <= take;
      if (rst_i) valid_q <= 1'b0;
    end

    fsh_ram #(
        .WIDTH(WIDTH),
        .DEPTH(DEPTH),
        .LUT  (LUT)
    ) i_ram (
        .clk_i,
        .we_i(push),
        .waddr_i(wptr_q),
        .wdata_i(data_i),
        .re_i(take),
        .raddr_i(rptr_q),
        .rdata_o(data_o)
`ifdef FORMAL
        ,
        .f_words_o(f_words)
`endif
    );
`ifdef FORMAL
    assign f_word = f_words[AW'(rptr_q+f_pos)*WIDTH+:WIDTH];
    assign f_reg  = valid_q;
`endif
  end

  `FSH_ASSERT(a_count, count_q <= CW'(DEPTH))
  `FSH_ASSERT(a_some, some_q == (count_q != '0))
  `FSH_ASSERT(a_full, full_q == count_q[CW-1])
  `FSH_ASSERT(a_span, AW'(count_q) == AW'(wptr_q - rptr_q))
  `FSH_STABLE(valid_o, ready_i, data_o)
`ifdef FORMAL
`include "fsh_fifo_formal.svh"
`endif
endmodule

`default_nettype wire
