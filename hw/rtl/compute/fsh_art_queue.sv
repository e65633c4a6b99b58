// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Keeps extents until their bytes are written: offers one, in order, when on
/// every lane done_i has reached what was issued when the extent was made. Each
/// lane walks the extents by itself, so that a lane that is ahead never passes
/// more than 64 beats beyond the one it waits for: counts modulo 256 suffice.
/// Three cycles from an extent that is written to its offer, one a cycle.
/// Reset empties it.
module fsh_art_queue #(
    parameter int unsigned DEPTH = 64
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic            valid_i,
    output logic                 ready_o,
    input  fsh_cout_pkg::ext_t   ext_i,
    input  wire logic     [31:0] done_i,
    output logic                 valid_o,
    input  wire logic            ready_i,
    output logic                 last_o,
    output logic                 parity_o,
    output logic          [35:0] addr_o,    // in values
    output logic          [21:0] values_o,
    output logic                 busy_o
);
  localparam int unsigned AW = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic [59:0] mem[DEPTH];
  logic [AW:0] wptr_q, rptr_q;
  logic        push, pop;
  logic [3:0]  ahead, moves;

  assign ready_o = (wptr_q ^ rptr_q) != {1'b1, {AW{1'b0}}};
  assign push    = valid_i && ready_o;
  assign valid_o = ahead == '1;
  assign pop     = valid_o && ready_i;
  assign {last_o, parity_o, addr_o, values_o} = mem[rptr_q[AW-1:0]];

  always_ff @(posedge clk_i) begin
    if (push)
      mem[wptr_q[AW-1:0]] <= {ext_i.last, ext_i.parity, ext_i.addr[37:2], ext_i.bytes[23:2]};
  end

  always_ff @(posedge clk_i) begin
    if (push) wptr_q <= wptr_q + 1'b1;
    if (pop) rptr_q <= rptr_q + 1'b1;
    if (rst_i) begin
      wptr_q <= '0;
      rptr_q <= '0;
    end
  end

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    (* ram_style = "distributed" *) logic [7:0] issued[DEPTH];
    logic [AW:0] ptr_q;

    // Lanes run ahead of what is offered, not of what is kept.
    `FSH_ASSERT(a_lane, (AW + 1)'(ptr_q - rptr_q) <= (AW + 1)'(wptr_q - rptr_q))

    assign moves[l] = ptr_q != wptr_q && done_i[l*8+:8] - issued[ptr_q[AW-1:0]] < 8'd128;
    assign ahead[l] = ptr_q != rptr_q;

    always_ff @(posedge clk_i) begin
      if (push) issued[wptr_q[AW-1:0]] <= ext_i.issued[l*8+:8];
    end

    always_ff @(posedge clk_i) begin
      if (moves[l]) ptr_q <= ptr_q + 1'b1;
      if (rst_i) ptr_q <= '0;
    end
  end

  assign busy_o = push || moves != '0 || valid_o;

  `FSH_ASSERT(a_count, (AW + 1)'(wptr_q - rptr_q) <= (AW + 1)'(DEPTH))
  `FSH_ASSERT(a_whole, !valid_i || (ext_i.addr[1:0] == '0 && ext_i.bytes[1:0] == '0))
  `FSH_STABLE(valid_o, ready_i, {last_o, parity_o, addr_o, values_o})
endmodule

`default_nettype wire
