// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// First-word-fall-through FIFO of exactly DEPTH words, DEPTH a power of two
/// of at least 2. A word taken at one edge is offered after it when the FIFO
/// was empty; one push and one pop a cycle at every fill level, also when full
/// only by what is popped next (a full FIFO takes its first word one cycle
/// after a pop). Words leave in order.
/// ready_o and valid_o depend on registers only; data_o is a register for
/// DEPTH <= DISTRIBUTED_MAX (distributed RAM), else one multiplexer behind the registers of
/// a block RAM and its bypass, whose read address depends on ready_i.
/// Reset empties it; the words themselves have no reset.
module fsh_fifo #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 16,
    parameter int unsigned DISTRIBUTED_MAX = 64
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

  logic          push, pop;
  logic [CW-1:0] count_q;
  logic          valid_q;

  assign ready_o = !count_q[CW-1];
  assign valid_o = valid_q;
  assign count_o = count_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_q && ready_i;

  always_ff @(posedge clk_i) begin
    if (push && !pop) count_q <= count_q + 1'b1;
    if (pop && !push) count_q <= count_q - 1'b1;
    if (push || pop) valid_q <= push || count_q[CW-1:1] != '0;
    if (rst_i) begin
      count_q <= '0;
      valid_q <= 1'b0;
    end
  end

`ifdef FORMAL
  logic [AW-1:0]    f_pos;   // a position counted from the head
  logic [WIDTH-1:0] f_word;  // what is stored there
`endif

  if (DEPTH <= DISTRIBUTED_MAX) begin : gen_distributed
    // The head is in out_q, the rest in mem: read by a registered address, so
    // that ready_i reaches clock enables only.
    (* ram_style = "distributed" *) logic [WIDTH-1:0] mem[DEPTH];
    logic [WIDTH-1:0] out_q;
    logic [AW-1:0]    wptr_q, rptr_q;
    logic             load, store, more;

    assign more   = count_q[CW-1:1] != '0;
    assign load   = pop || !valid_q;
    assign store  = push && (more || !load);
    assign data_o = out_q;

    always_ff @(posedge clk_i) begin
      if (store) mem[wptr_q] <= data_i;
    end

    always_ff @(posedge clk_i) begin
      if (load) out_q <= more ? mem[rptr_q] : data_i;
    end

    always_ff @(posedge clk_i) begin
      if (store) wptr_q <= wptr_q + 1'b1;
      if (load && more) rptr_q <= rptr_q + 1'b1;
      if (rst_i) begin
        wptr_q <= '0;
        rptr_q <= '0;
      end
    end

    `FSH_ASSERT(a_span, AW'(count_q - CW'(valid_q)) == AW'(wptr_q - rptr_q))
`ifdef FORMAL
    assign f_word = f_pos == '0 ? out_q : mem[AW'(rptr_q + f_pos - 1'b1)];
`endif
  end else begin : gen_block
    // The RAM reads the next head in every cycle. A word that is head the
    // cycle after it is written comes from the bypass, then from the RAM.
    logic [WIDTH-1:0] ram_data, bypass_q;
    logic [AW-1:0]    wptr_q, rptr_q, rptr_inc_q, raddr;
    logic             bypass_valid_q;

    assign raddr  = pop ? rptr_inc_q : rptr_q;
    assign data_o = bypass_valid_q ? bypass_q : ram_data;

    fsh_ram #(
        .WIDTH(WIDTH),
        .DEPTH(DEPTH)
    ) i_ram (
        .clk_i,
        .we_i(push),
        .waddr_i(wptr_q),
        .wdata_i(data_i),
        .re_i(1'b1),
        .raddr_i(raddr),
        .rdata_o(ram_data)
`ifdef FORMAL
        ,
        .f_addr_i(AW'(rptr_q + f_pos)),
        .f_data_o(f_word)
`endif
    );

    always_ff @(posedge clk_i) begin
      bypass_q       <= data_i;
      bypass_valid_q <= push && wptr_q == raddr;
    end

    always_ff @(posedge clk_i) begin
      if (push) wptr_q <= wptr_q + 1'b1;
      if (pop) begin
        rptr_q     <= rptr_inc_q;
        rptr_inc_q <= rptr_inc_q + 1'b1;
      end
      if (rst_i) begin
        wptr_q     <= '0;
        rptr_q     <= '0;
        rptr_inc_q <= AW'(1);
      end
    end

    `FSH_ASSERT(a_span, AW'(count_q) == AW'(wptr_q - rptr_q))
    `FSH_ASSERT(a_inc, rptr_inc_q == AW'(rptr_q + 1'b1))
`ifdef FORMAL
    `FSH_ASSERT(a_head, !valid_q || f_pos != '0 || data_o == f_word)
`endif
  end

  `FSH_ASSERT(a_count, count_q <= CW'(DEPTH))
  `FSH_ASSERT(a_valid, valid_q == (count_q != '0))
  `FSH_STABLE(valid_o, ready_i, data_o)
`ifdef FORMAL
`include "fsh_fifo_formal.svh"
`endif
endmodule

`default_nettype wire
