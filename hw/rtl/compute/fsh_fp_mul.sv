// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// FP32 multiplier, LANES values by one scale: round to nearest even; denormal inputs
/// are zero, results below 2^-126 and zeros are +0, every NaN is 7fc00000. Four
/// stages, which move when step_i is set and else hold, so that what waits in them
/// needs no other place. scale_i must not change while something is inside. No reset.
module fsh_fp_mul #(
    parameter int unsigned LANES = 1
) (
    input  wire logic                clk_i,
    input  wire logic                step_i,
    input  wire logic         [31:0] scale_i,
    input  wire logic [32*LANES-1:0] x_i,
    output logic      [32*LANES-1:0] product_o
);
  // The scale's kind: zero, infinite, not a number.
  logic scale_zero, scale_inf, scale_nan;

  assign scale_zero = scale_i[30:23] == '0;
  assign scale_inf  = scale_i[30:0] == fsh_fp_pkg::F32_INF;
  assign scale_nan  = scale_i[30:0] > fsh_fp_pkg::F32_INF;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    // 1: taken apart.
    logic        sign1_q, zero1_q, inf1_q, nan1_q;
    logic [22:0] man1_q;
    logic [9:0]  exp1_q;  // of bit 46 of the product, two's complement

    always_ff @(posedge clk_i) begin
      if (step_i) begin : stage1
        logic [31:0] x;
        logic        zero, inf, nan;
        x       = x_i[32*l+:32];
        zero    = x[30:23] == '0;
        inf     = x[30:0] == fsh_fp_pkg::F32_INF;
        nan     = x[30:0] > fsh_fp_pkg::F32_INF;
        sign1_q <= x[31] != scale_i[31];
        zero1_q <= zero || scale_zero;
        inf1_q  <= inf || scale_inf;
        nan1_q  <= nan || scale_nan || (zero && scale_inf) || (inf && scale_zero);
        man1_q  <= x[22:0];
        exp1_q  <= {2'b00, x[30:23]} + {2'b00, scale_i[30:23]} - 10'd127;
      end
    end

    // 2: multiplied.
    logic        sign2_q, zero2_q, inf2_q, nan2_q;
    logic [47:0] man2_q;
    logic [9:0]  exp2_q;

    always_ff @(posedge clk_i) begin
      if (step_i) begin
        man2_q  <= {1'b1, man1_q} * {1'b1, scale_i[22:0]};
        sign2_q <= sign1_q;
        zero2_q <= zero1_q;
        inf2_q  <= inf1_q;
        nan2_q  <= nan1_q;
        exp2_q  <= exp1_q;
      end
    end

    // 3: normalized: the leading one is left out, a bit to round by is kept.
    logic        sign3_q, zero3_q, inf3_q, nan3_q, rest3_q;
    logic [23:0] man3_q;
    logic [9:0]  exp3_q;

    always_ff @(posedge clk_i) begin
      if (step_i) begin
        man3_q  <= man2_q[47] ? man2_q[46:23] : man2_q[45:22];
        rest3_q <= man2_q[21:0] != '0 || (man2_q[47] && man2_q[22]);
        exp3_q  <= exp2_q + {9'd0, man2_q[47]};
        sign3_q <= sign2_q;
        zero3_q <= zero2_q;
        inf3_q  <= inf2_q;
        nan3_q  <= nan2_q;
      end
    end

    // 4: rounded, packed. What rounds up to 2^-126 stays.
    logic [31:0] product_q;

    always_ff @(posedge clk_i) begin
      if (step_i) begin : stage4
        logic [32:0] all;
        logic        over, under;
        all   = {exp3_q, man3_q[23:1]} + {32'd0, man3_q[0] && (man3_q[1] || rest3_q)};
        over  = inf3_q || (!all[32] && (all[31] || all[30:23] == '1));
        under = all[32] || all[31:23] == '0;
        product_q <= nan3_q ? fsh_fp_pkg::F32_NAN :
                     zero3_q ? '0 :
                     over ? {sign3_q, fsh_fp_pkg::F32_INF} :
                     under ? '0 : {sign3_q, all[30:0]};
      end
    end
    assign product_o[32*l+:32] = product_q;
  end
endmodule

`default_nettype wire
