// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Systolic array of ROWS x COLS processing elements, ROWS even, two in a fsh_pe
/// (their products share multipliers). One step a cycle: COLS
/// blocks of X and ROWS blocks of W, every PE adds a dot product to accumulator
/// step_index_i of bank step_bank_i (step_first_i: to zero). A block is {exp,
/// BLOCK mantissas in two's complement}. X belongs to the step of its cycle; row
/// r of W to the step r cycles earlier. The same accumulator is not used again
/// within LOOP cycles. Drain: rd_data_o holds the accumulators rd_index_i of all
/// PEs, PE (r,c) at word c*ROWS + r, DRAIN cycles after rd_valid_i, one a cycle,
/// while steps use the other bank; a bank is drained from SETTLE cycles after its
/// last step on, and used again from the cycle after its last read on.
/// No back-pressure. Reset forgets steps and reads under way, not the accumulators.
module fsh_array #(
    parameter int unsigned ROWS  = 16,
    parameter int unsigned COLS  = 8,
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    parameter int unsigned ACCS  = 128,
    localparam int unsigned MW = BLOCK * (MAN + 1),
    localparam int unsigned BW = MW + 8,
    localparam int unsigned SUM = 3 * MAN + 2 + 2 * $clog2(BLOCK),
    localparam int unsigned AW = $clog2(ACCS)
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_i,
    input  wire logic                    step_valid_i,
    input  wire logic                    step_first_i,
    input  wire logic                    step_bank_i,
    input  wire logic [AW-1:0]           step_index_i,
    input  wire logic [COLS*BW-1:0]      x_i,
    input  wire logic [ROWS*BW-1:0]      w_i,
    input  wire logic                    rd_valid_i,
    input  wire logic                    rd_bank_i,
    input  wire logic [AW-1:0]           rd_index_i,
    output logic                         rd_valid_o,
    output logic      [ROWS*COLS*32-1:0] rd_data_o
);
  localparam int unsigned LOOP = fsh_fp_pkg::ARRAY_LOOP;
  localparam int unsigned DRAIN = fsh_fp_pkg::ARRAY_DRAIN;
  localparam int unsigned SETTLE = ROWS + COLS + fsh_fp_pkg::ARRAY_SETTLE;

  // Reads go to all PEs at once, through a register here and one a row.
  logic             read_q;
  logic [AW:0]      read_where_q;
  logic [DRAIN-3:0] late_q;

  always_ff @(posedge clk_i) begin
    read_q <= rd_valid_i;
    if (rd_valid_i) read_where_q <= {rd_bank_i, rd_index_i};
    {rd_valid_o, late_q} <= {late_q, read_q};
    if (rst_i) begin
      read_q     <= 1'b0;
      late_q     <= '0;
      rd_valid_o <= 1'b0;
    end
  end

  // Steps of the last cycles: s cycles ago in position s.
  localparam int unsigned LATE = (ROWS > COLS ? ROWS : COLS) + 1;
  localparam int unsigned CW = AW + 2;
  logic [LATE:1] v_q;
  logic [CW-1:0] step;

  assign step = {step_first_i, step_bank_i, step_index_i};

  always_ff @(posedge clk_i) begin
    v_q <= {v_q[LATE-1:1], step_valid_i};
    if (rst_i) v_q <= '0;
  end

  for (genvar s = 1; s <= ROWS + 1; s++) begin : gen_step
    logic [CW-1:0] step_q;

    if (s == 1) begin : gen_first
      always_ff @(posedge clk_i) if (step_valid_i) step_q <= step;
    end else begin : gen_next
      always_ff @(posedge clk_i) if (v_q[s-1]) step_q <= gen_step[s-1].step_q;
    end
  end

  // X of column c waits c + 3 cycles.
  for (genvar c = 0; c < COLS; c++) begin : gen_x
    for (genvar s = 1; s <= c + 3; s++) begin : gen_wait
      logic [MW-1:0] man_q;
      logic [7:0]    exp_q;

      if (s == 1) begin : gen_first
        always_ff @(posedge clk_i) begin
          if (step_valid_i) man_q <= x_i[BW*c+:MW] ^ {BLOCK{1'b1, {MAN{1'b0}}}};
          if (step_valid_i) exp_q <= x_i[BW*c+MW+:8];
        end
      end else begin : gen_next
        always_ff @(posedge clk_i) begin
          if (v_q[s-1]) man_q <= gen_x[c].gen_wait[s-1].man_q;
          if (v_q[s-1]) exp_q <= gen_x[c].gen_wait[s-1].exp_q;
        end
      end
    end
  end

  // A pair of rows of W, and the register of its reads.
  for (genvar r = 0; r < ROWS / 2; r++) begin : gen_row
    logic [BLOCK*32-1:0] lane;
    logic [SUM-1:0]      sum;
    logic [15:0]         exp;
    logic                rd_q;
    logic [AW:0]         where_q;
    logic                v;

    if (r == 0) begin : gen_now
      assign v = step_valid_i;
    end else begin : gen_late
      assign v = v_q[2*r];
    end

    fsh_pack #(
        .ROWS(ROWS),
        .ROW(2 * r),
        .BLOCK(BLOCK),
        .MAN(MAN)
    ) i_pack (
        .clk_i,
        .v_i({v_q[2*r+2], v_q[2*r+1], v}),
        .w_i,
        .lane_o(lane),
        .sum_o(sum),
        .exp_o(exp)
    );

    always_ff @(posedge clk_i) begin
      rd_q <= read_q;
      if (read_q) where_q <= read_where_q;
    end
  end

  // PE pair p stands in rows 2*(p / COLS) and the next, column p % COLS.
  for (genvar p = 0; p < ROWS / 2 * COLS; p++) begin : gen_pe
    localparam int unsigned R = p / COLS;
    localparam int unsigned C = p % COLS;
    logic                in_v, out_v;
    logic [CW-1:0]       in_step, out_step;
    logic [MW-1:0]       in_x, out_x;
    logic [7:0]          in_xe, out_xe;
    logic [BLOCK*32-1:0] in_w, out_w;
    logic [SUM-1:0]      in_ws, out_ws;
    logic [15:0]         in_we, out_we;

    if (C != 0) begin : gen_left
      assign in_v    = gen_pe[p-1].out_v;
      assign in_step = gen_pe[p-1].out_step;
      assign in_w    = gen_pe[p-1].out_w;
      assign in_ws   = gen_pe[p-1].out_ws;
      assign in_we   = gen_pe[p-1].out_we;
    end else begin : gen_edge
      assign in_v    = v_q[2*R+3];
      assign in_step = gen_step[2*R+3].step_q;
      assign in_w    = gen_row[R].lane;
      assign in_ws   = gen_row[R].sum;
      assign in_we   = gen_row[R].exp;
    end
    if (R != 0) begin : gen_above
      assign in_x  = gen_pe[p-COLS].out_x;
      assign in_xe = gen_pe[p-COLS].out_xe;
    end else begin : gen_top
      assign in_x  = gen_x[C].gen_wait[C+3].man_q;
      assign in_xe = gen_x[C].gen_wait[C+3].exp_q;
    end

    fsh_pe #(
        .BLOCK(BLOCK),
        .MAN(MAN),
        .ACCS(ACCS)
    ) i_pe (
        .clk_i,
        .rst_i,
        .step_valid_i(in_v),
        .step_first_i(in_step[AW+1]),
        .step_bank_i(in_step[AW]),
        .step_index_i(in_step[AW-1:0]),
        .x_man_i(in_x),
        .x_exp_i(in_xe),
        .w_lane_i(in_w),
        .w_sum_i(in_ws),
        .w_exp_i(in_we),
        .step_valid_o(out_v),
        .step_first_o(out_step[AW+1]),
        .step_bank_o(out_step[AW]),
        .step_index_o(out_step[AW-1:0]),
        .x_man_o(out_x),
        .x_exp_o(out_xe),
        .w_lane_o(out_w),
        .w_sum_o(out_ws),
        .w_exp_o(out_we),
        .rd_valid_i(gen_row[R].rd_q),
        .rd_bank_i(gen_row[R].where_q[AW]),
        .rd_index_i(gen_row[R].where_q[AW-1:0]),
        .rd_data_o(rd_data_o[32*(C*ROWS+2*R)+:64])
    );
  end

`ifdef FSH_ASSERT_ON
  logic                      again;
  logic [LOOP-2:0]           past_v_q;
  logic [(LOOP-1)*(AW+1)-1:0] past_q;
  localparam int unsigned SW = $clog2(SETTLE + 1);
  logic [SW-1:0] age0_q, age1_q;

  always_comb begin
    again = 1'b0;
    for (int i = 0; i < LOOP - 1; i++) begin
      again |= past_v_q[i] && past_q[(AW+1)*i+:AW+1] == {step_bank_i, step_index_i};
    end
  end

  always_ff @(posedge clk_i) begin
    past_v_q <= {past_v_q[LOOP-3:0], step_valid_i};
    past_q   <= {past_q[(LOOP-2)*(AW+1)-1:0], step_bank_i, step_index_i};
    if (age0_q < SW'(SETTLE)) age0_q <= age0_q + 1'b1;
    if (age1_q < SW'(SETTLE)) age1_q <= age1_q + 1'b1;
    if (step_valid_i && !step_bank_i) age0_q <= SW'(1);
    if (step_valid_i && step_bank_i) age1_q <= SW'(1);
    if (rst_i) begin
      past_v_q <= '0;
      age0_q   <= '0;
      age1_q   <= '0;
    end
  end
`endif
  `FSH_ASSERT(a_loop, !(step_valid_i && again))
  `FSH_ASSERT(a_settle, !(rd_valid_i && (rd_bank_i ? age1_q : age0_q) < SW'(SETTLE)))
endmodule

`default_nettype wire
