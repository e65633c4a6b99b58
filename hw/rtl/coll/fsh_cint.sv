// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Reductions of integers, 128 bits at once: two of 64 bits or four of 32, signed or not;
/// sum (which wraps), minimum, maximum, and, or, xor. Latency 2 cycles, 16 bytes a cycle,
/// in order. No back-pressure but stall_i, which freezes the pipeline (inputs of that
/// cycle are not taken). What an operation that it does not have gives is nothing in
/// particular. Reset empties it; data registers have none.
module fsh_cint (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         stall_i,
    input  wire logic         valid_i,
    input  wire logic         wide_i,    // 64 bits
    input  wire logic         signed_i,
    input  wire logic   [3:0] op_i,      // fsh_coll_pkg::OP_*
    input  wire logic [127:0] a_i,
    input  wire logic [127:0] b_i,
    output logic              valid_o,
    output logic      [127:0] out_o
);
  logic       v1_q, wide1_q, sum1_q, order1_q, max1_q;
  logic [3:0] carry1_q, less1_q, equal1_q;
  logic [127:0] a1_q, b1_q, part1_q;

  always_ff @(posedge clk_i) begin
    if (!stall_i) begin
      v1_q    <= valid_i;
      valid_o <= v1_q;
    end
    if (rst_i) begin
      v1_q    <= 1'b0;
      valid_o <= 1'b0;
    end
  end

  // 1: sums and comparisons of 32 bits, bits.
  always_ff @(posedge clk_i) begin
    if (valid_i && !stall_i) begin : stage1
      logic [31:0] a, b, flip;
      for (int i = 0; i < 4; i++) begin
        a    = a_i[32*i+:32];
        b    = b_i[32*i+:32];
        flip = {signed_i && (i[0] || !wide_i), 31'd0};
        {carry1_q[i], part1_q[32*i+:32]} <= {1'b0, a} + {1'b0, b};
        if (op_i == fsh_coll_pkg::OP_AND) part1_q[32*i+:32] <= a & b;
        if (op_i == fsh_coll_pkg::OP_OR) part1_q[32*i+:32] <= a | b;
        if (op_i == fsh_coll_pkg::OP_XOR) part1_q[32*i+:32] <= a ^ b;
        less1_q[i]  <= (a ^ flip) < (b ^ flip);
        equal1_q[i] <= a == b;
      end
      a1_q     <= a_i;
      b1_q     <= b_i;
      wide1_q  <= wide_i;
      sum1_q   <= op_i == fsh_coll_pkg::OP_SUM;
      order1_q <= op_i == fsh_coll_pkg::OP_MIN || op_i == fsh_coll_pkg::OP_MAX;
      max1_q   <= op_i == fsh_coll_pkg::OP_MAX;
    end
  end

  // 2: halves of 64 bits hear of each other.
  always_ff @(posedge clk_i) begin
    if (v1_q && !stall_i) begin : stage2
      logic less;
      for (int i = 0; i < 4; i++) begin
        less = less1_q[i];
        if (wide1_q) less = less1_q[i|1] || (equal1_q[i|1] && less1_q[i&2]);
        out_o[32*i+:32] <= order1_q ? (less == max1_q ? b1_q[32*i+:32] : a1_q[32*i+:32]) :
            part1_q[32*i+:32] + 32'(wide1_q && sum1_q && i[0] && carry1_q[i&2]);
      end
    end
  end
endmodule

`default_nettype wire
