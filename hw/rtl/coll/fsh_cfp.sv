// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sum, minimum or maximum of IEEE 754 numbers, LANES at once, of EXP and MAN bits of
/// exponent and mantissa: 8 and 23, 11 and 52. Sums are rounded to nearest even, with
/// subnormals; a result that is NaN is the canonical one; minimum and maximum are NaN if
/// an operand is, and take -0 as less than +0. The bits are those of src/coll/fold.
/// Latency 8 cycles, LANES results a cycle, in order. No back-pressure but stall_i, which
/// freezes the pipeline (inputs of that cycle are not taken). Reset empties it; data
/// registers have none.
///
/// Minimum and maximum choose an operand where a sum chooses the larger magnitude; then
/// the other one is zero.
module fsh_cfp #(
    parameter int unsigned LANES = 1,
    parameter int unsigned EXP = 8,
    parameter int unsigned MAN = 23
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_i,
    input  wire logic                           stall_i,
    input  wire logic                           valid_i,
    input  wire logic                           sum_i,  // else max_i says which
    input  wire logic                           max_i,
    input  wire logic [LANES*(1+EXP+MAN)-1:0]   a_i,
    input  wire logic [LANES*(1+EXP+MAN)-1:0]   b_i,
    output logic                                valid_o,
    output logic      [LANES*(1+EXP+MAN)-1:0]   out_o
);
  localparam int unsigned W = 1 + EXP + MAN;
  // A significand: a place for the carry, the leading one, MAN, guard, round, sticky.
  localparam int S = MAN + 5;
  localparam int LOG = $clog2(S);
  localparam logic [EXP-1:0] TOP = '1;
  localparam logic [W-1:0] NAN = {1'b0, TOP, 1'b1, {MAN - 1{1'b0}}};
  localparam int unsigned STAGES = 8;

  logic [STAGES-1:0] v_q;  // bit s: stage s + 1 holds one

  always_ff @(posedge clk_i) begin
    if (!stall_i) v_q <= {v_q[STAGES-2:0], valid_i};
    if (rst_i) v_q <= '0;
  end
  assign valid_o = v_q[STAGES-1];

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [W-1:0] a, b, out_q;

    assign a = a_i[W*l+:W];
    assign b = b_i[W*l+:W];
    assign out_o[W*l+:W] = out_q;

    // 1: which operand is the one in front.
    logic         take_b1_q, nan1_q, sub1_q, pass1_q;
    logic [W-1:0] a1_q, b1_q;

    always_ff @(posedge clk_i) begin
      if (valid_i && !stall_i) begin : stage1
        logic less, differ, greater, nan, inf;
        less      = a[W-2:0] < b[W-2:0];
        differ    = a[W-1] != b[W-1];
        greater   = differ ? a[W-1] : less ^ a[W-1];  // b, if they are not equal
        nan       = (a[W-2:MAN] == TOP && a[MAN-1:0] != '0) ||
                    (b[W-2:MAN] == TOP && b[MAN-1:0] != '0);
        inf       = a[W-2:MAN] == TOP && b[W-2:MAN] == TOP;
        take_b1_q <= sum_i ? less : greater == max_i;
        nan1_q    <= nan || (sum_i && inf && differ);
        sub1_q    <= sum_i && differ;
        pass1_q   <= !sum_i;
        a1_q      <= a;
        b1_q      <= b;
      end
    end

    // 2: exponents, and how far apart they are. A subnormal has exponent 1.
    logic           sign2_q, nan2_q, sub2_q, inf2_q;
    logic [EXP-1:0] exp2_q;
    logic [MAN:0]   big2_q, small2_q;
    logic [LOG-1:0] apart2_q;

    always_ff @(posedge clk_i) begin
      if (v_q[0] && !stall_i) begin : stage2
        logic [W-1:0]   big, other;
        logic           big_sub, other_sub, far;
        logic [EXP-1:0] exp_big, exp_other, apart;
        big       = take_b1_q ? b1_q : a1_q;
        other     = take_b1_q ? a1_q : b1_q;
        big_sub   = big[W-2:MAN] == '0;
        other_sub = other[W-2:MAN] == '0;
        exp_big   = {big[W-2:MAN+1], big[MAN] || big_sub};
        exp_other = {other[W-2:MAN+1], other[MAN] || other_sub};
        apart     = exp_big - exp_other;
        far       = apart[EXP-1:LOG] != '0;
        exp2_q   <= exp_big;
        big2_q   <= {!big_sub, big[MAN-1:0]};
        small2_q <= pass1_q ? '0 : {!other_sub, other[MAN-1:0]};
        apart2_q <= far ? '1 : apart[LOG-1:0];
        sign2_q  <= big[W-1];
        inf2_q   <= big[W-2:MAN] == TOP;
        sub2_q   <= sub1_q;
        nan2_q   <= nan1_q;
      end
    end

    // 3: aligned, with guard, round and sticky bits.
    logic           sign3_q, nan3_q, sub3_q, inf3_q;
    logic [EXP-1:0] exp3_q;
    logic [MAN:0]   big3_q;
    logic [S-2:0]   part3_q;

    always_ff @(posedge clk_i) begin
      if (v_q[1] && !stall_i) begin : stage3
        logic [S-2:0] wide, kept, lost;
        wide    = {small2_q, 3'd0};
        kept    = wide >> apart2_q;
        lost    = wide & ~({S - 1{1'b1}} << apart2_q);
        part3_q <= {kept[S-2:1], kept[0] || lost != '0};
        big3_q  <= big2_q;
        exp3_q  <= exp2_q;
        sign3_q <= sign2_q;
        inf3_q  <= inf2_q;
        sub3_q  <= sub2_q;
        nan3_q  <= nan2_q;
      end
    end

    // 4: added; and where the shift to the left must stop, since the exponent is 1.
    logic           sign4_q, nan4_q, sub4_q, inf4_q;
    logic [EXP-1:0] exp4_q;
    logic [S-1:0]   sum4_q, stop4_q;

    always_ff @(posedge clk_i) begin
      if (v_q[2] && !stall_i) begin : stage4
        logic [S-1:0] big;
        big     = {1'b0, big3_q, 3'd0};
        sum4_q  <= sub3_q ? big - {1'b0, part3_q} : big + {1'b0, part3_q};
        stop4_q <= exp3_q < EXP'(S) ? {1'b1, {S - 1{1'b0}}} >> exp3_q[LOG-1:0] : '0;
        exp4_q  <= exp3_q;
        sign4_q <= sign3_q;
        inf4_q  <= inf3_q;
        sub4_q  <= sub3_q;
        nan4_q  <= nan3_q;
      end
    end

    // 5, 6: zeros in front, in eights and then in ones; 6, 7: shifted by them.
    logic           sign5_q, nan5_q, sub5_q, inf5_q;
    logic [EXP-1:0] exp5_q;
    logic [S-1:0]   sum5_q;
    logic [LOG-1:3] lead5_q;
    logic [7:0]     front5_q;

    always_ff @(posedge clk_i) begin
      if (v_q[3] && !stall_i) begin : stage5
        logic [S-1:0]   seen;
        logic [LOG-1:3] lead;
        seen = sum4_q | stop4_q;
        for (int s = LOG - 1; s >= 3; s--) begin
          lead[s] = seen >> (S - (1 << s)) == '0;
          seen    = lead[s] ? seen << (1 << s) : seen;
        end
        lead5_q  <= lead;
        front5_q <= seen[S-1-:8];
        sum5_q   <= sum4_q;
        exp5_q   <= exp4_q;
        sign5_q  <= sign4_q;
        inf5_q   <= inf4_q;
        sub5_q   <= sub4_q;
        nan5_q   <= nan4_q;
      end
    end

    logic           sign6_q, nan6_q, inf6_q;
    logic [EXP-1:0] exp6_q;
    logic [S-1:0]   sum6_q;
    logic [2:0]     lead6_q;

    always_ff @(posedge clk_i) begin
      if (v_q[4] && !stall_i) begin : stage6
        logic [7:0] seen;
        logic [2:0] lead;
        seen = front5_q;
        for (int s = 2; s >= 0; s--) begin
          lead[s] = seen >> (8 - (1 << s)) == '0;
          seen    = lead[s] ? seen << (1 << s) : seen;
        end
        lead6_q <= lead;
        sum6_q  <= sum5_q << {lead5_q, 3'd0};
        exp6_q  <= exp5_q + 1'b1 - EXP'({lead5_q, 3'd0});
        sign6_q <= sign5_q && !(sub5_q && sum5_q == '0);
        inf6_q  <= inf5_q;
        nan6_q  <= nan5_q;
      end
    end

    logic           sign7_q, nan7_q, inf7_q;
    logic [EXP-1:0] exp7_q;  // of the leading one
    logic [S-1:0]   man7_q;

    always_ff @(posedge clk_i) begin
      if (v_q[5] && !stall_i) begin : stage7
        man7_q  <= sum6_q << lead6_q;
        exp7_q  <= exp6_q - EXP'(lead6_q);
        sign7_q <= sign6_q;
        inf7_q  <= inf6_q;
        nan7_q  <= nan6_q;
      end
    end

    // 8: rounded, packed. Without a leading one it is subnormal, and exact.
    always_ff @(posedge clk_i) begin
      if (v_q[6] && !stall_i) begin : stage8
        logic [W-2:0] all;
        all = {man7_q[S-1] ? exp7_q : EXP'(0), man7_q[S-2-:MAN]} +
              (W-1)'(man7_q[3] && (man7_q[4] || man7_q[2:0] != '0));
        if (inf7_q || all[W-2:MAN] == TOP) all = {TOP, {MAN{1'b0}}};
        out_q <= nan7_q ? NAN : {sign7_q, all};
      end
    end

    `FSH_ASSERT(a_normal, !v_q[6] || inf7_q || nan7_q || man7_q[S-1] || man7_q == '0 ||
                exp7_q == EXP'(1))
    `FSH_ASSERT(a_exact, !v_q[6] || nan7_q || man7_q[S-1] || man7_q[3:0] == '0)
  end
endmodule

`default_nettype wire
