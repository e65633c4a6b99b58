// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Element-wise commands: AXPY (C = scale * X + W), GATE (C = W > 0 ? scale * X : 0)
/// and SUM (C = sums of the columns of scale * X). It reads as client 0 of fsh_cread,
/// multiplies (fsh_fp_mul), and has fsh_cout add and write; while it is busy nothing
/// else may use these. Columns go 256 at a time, in four quads of 64.
/// AXPY, GATE: four quads of X, then the four of W that belong to them, so that
/// products wait in the multiplier's four stages; 32 values a cycle.
/// SUM: rows one by one, four quads each, then four empty ones, which push out the
/// last products. Sums of the four go round in the adders, whose latency is four: a
/// quad enters in the cycle of its turn, what is late waits for the next one. So a
/// column's sum is ((0 + row 0) + row 1) + ..., whatever waited for what; 64 values
/// a cycle, if all four quads are used.
/// Past N quads are empty and not written. Reset: no command.
module fsh_celem (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                cmd_valid_i,  // while not busy
    input  wire fsh_spec_pkg::ccmd_t cmd_i,
    input  wire logic                cmd_parity_i,
    output logic                     busy_o,  // a register
    // Requests, answers.
    output logic                     req_valid_o,
    input  wire logic                req_ready_i,
    output logic              [31:0] req_addr_o,
    output logic               [3:0] req_mask_o,
    output fsh_cmp_pkg::elem_t       req_meta_o,
    input  wire logic                rsp_valid_i,
    output logic                     rsp_ready_o,
    input  wire logic       [2047:0] rsp_data_i,
    input  wire fsh_cmp_pkg::elem_t  rsp_meta_i,
    // fsh_cout.
    input  wire logic                room_i,
    output logic                     valid_o,
    output logic                     add_o,
    output logic                     loop_o,
    output logic            [2047:0] a_o,
    output logic                     quad_valid_o,
    output fsh_cout_pkg::quad_t      quad_o,
    output fsh_cout_pkg::group_t     group_o
);
  // Of the command, what is needed.
  logic        sum_q, gate_q, parity_q;
  logic [31:0] scale_q, x_addr_q;
  logic [23:0] m_q, n_q;
  logic [19:0] ldx_q, ldw_q, ldc_q;

  // Requests: quad at_q of the columns from group_q on, of the row that starts at x_row_q.
  logic        asking_q, second_q, empty_q, first_q;
  logic [1:0]  at_q;
  logic [23:0] rows_q;              // to come, this one too
  logic [31:0] x_row_q, w_row_q, c_row_q;
  logic [19:0] off_q, group_q;      // lines from the row's start: of the quad, of the four
  logic [23:0] rem_q, group_rem_q;  // columns from there on
  logic        ask, quad_end, columns_end, row_end, last;
  logic [23:0] rem_next;
  logic [19:0] off_next;
  logic [3:0]  mask;

  assign rem_next    = rem_q > 24'd64 ? rem_q - 24'd64 : '0;
  assign off_next    = off_q + 20'd4;
  assign last        = rem_next == '0 && (sum_q || rows_q == 24'd1);
  assign ask         = req_valid_o && req_ready_i;
  assign quad_end    = ask && at_q == 2'd3;
  assign columns_end = quad_end && second_q;               // these 256 columns are done
  assign row_end     = columns_end && rem_next == '0;      // ... and were the last ones

  always_comb begin
    for (int unsigned l = 0; l < 4; l++) mask[l] = rem_q > 24'(16 * l);
  end

  assign req_valid_o = asking_q;
  assign req_mask_o  = sum_q && second_q ? '0 : mask;
  assign req_addr_o  = (second_q ? w_row_q : x_row_q) + {12'd0, off_q};
  always_comb begin
    req_meta_o = 'x;
    if (req_valid_o) begin
      req_meta_o.parity  = parity_q;
      req_meta_o.second  = second_q;
      req_meta_o.empty   = empty_q;
      req_meta_o.first   = first_q;
      req_meta_o.fin     = last && mask != '0;
      req_meta_o.over    = last && second_q && at_q == 2'd3;
      req_meta_o.at      = at_q;
      req_meta_o.columns = rem_q >= 24'd64 || rem_q[3:0] == '0 ? 5'd16 : {1'b0, rem_q[3:0]};
      req_meta_o.mask    = mask;
      req_meta_o.addr    = c_row_q + {12'd0, off_q};
      req_meta_o.none    = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i) begin
      sum_q       <= cmd_i.op == fsh_spec_pkg::COP_SUM;
      gate_q      <= cmd_i.op == fsh_spec_pkg::COP_GATE;
      parity_q    <= cmd_parity_i;
      scale_q     <= cmd_i.scale;
      x_addr_q    <= cmd_i.x_addr;
      m_q         <= cmd_i.m;
      n_q         <= cmd_i.n;
      ldx_q       <= cmd_i.ldx;
      ldw_q       <= cmd_i.ldw;
      ldc_q       <= cmd_i.ldc;
      second_q    <= 1'b0;
      empty_q     <= 1'b1;
      first_q     <= 1'b0;
      at_q        <= '0;
      rows_q      <= cmd_i.m;
      x_row_q     <= cmd_i.x_addr;
      w_row_q     <= cmd_i.w_addr;
      c_row_q     <= cmd_i.c_addr;
      off_q       <= '0;
      group_q     <= '0;
      rem_q       <= cmd_i.n;
      group_rem_q <= cmd_i.n;
    end else if (ask) begin
      at_q  <= at_q + 2'd1;
      off_q <= off_next;
      rem_q <= rem_next;
      if (quad_end && !second_q) begin
        off_q <= group_q;
        rem_q <= group_rem_q;
        if (sum_q) begin
          x_row_q <= x_row_q + {12'd0, ldx_q};
          rows_q  <= rows_q - 24'd1;
        end
        empty_q  <= 1'b0;
        first_q  <= empty_q;
        second_q <= !sum_q || rows_q == 24'd1;
      end
      if (columns_end) begin
        second_q    <= 1'b0;
        empty_q     <= 1'b1;
        first_q     <= 1'b0;
        group_q     <= off_next;
        group_rem_q <= rem_next;
        if (sum_q) begin
          x_row_q <= x_addr_q;
          rows_q  <= m_q;
        end
      end
      if (row_end && !sum_q) begin
        x_row_q     <= x_row_q + {12'd0, ldx_q};
        w_row_q     <= w_row_q + {12'd0, ldw_q};
        c_row_q     <= c_row_q + {12'd0, ldc_q};
        rows_q      <= rows_q - 24'd1;
        off_q       <= '0;
        rem_q       <= n_q;
        group_q     <= '0;
        group_rem_q <= n_q;
      end
    end
  end

  // Answers.
  logic       take, result;
  logic [1:0] turn_q;

  assign rsp_ready_o = (!sum_q || rsp_meta_i.at == turn_q) && (!rsp_meta_i.second || room_i);
  assign take        = busy_o && rsp_valid_i && rsp_ready_o;
  assign result      = take && rsp_meta_i.second && rsp_meta_i.mask != '0;

  always_ff @(posedge clk_i) begin
    turn_q <= turn_q + 2'd1;
    if (cmd_valid_i) begin
      busy_o   <= 1'b1;
      asking_q <= 1'b1;
    end else begin
      if (row_end && last) asking_q <= 1'b0;
      if (take && rsp_meta_i.over) busy_o <= 1'b0;
    end
    if (rst_i) begin
      busy_o   <= 1'b0;
      asking_q <= 1'b0;
      turn_q   <= '0;
    end
  end

  logic [2047:0] product;

  fsh_fp_mul #(
      .LANES(64)
  ) i_mul (
      .clk_i,
      .step_i   (take),
      .scale_i  (scale_q),
      .x_i      (rsp_data_i),
      .product_o(product)
  );

  // To the adders.
  assign valid_o = sum_q ? busy_o : result;
  assign add_o   = !sum_q && !gate_q;
  assign loop_o  = sum_q && !(take && rsp_meta_i.first);
  always_comb begin
    a_o = '0;
    if (sum_q ? take && !rsp_meta_i.empty : result) begin
      for (int i = 0; i < 64; i++)
        a_o[i*32+:32] = !gate_q || fsh_fp_pkg::above_zero(rsp_data_i[i*32+:32])
                        ? product[i*32+:32] : '0;
    end
  end

  // And what becomes of a result.
  logic [6:0] columns;

  assign quad_valid_o = result;
  assign columns      = {2'b00, rsp_meta_i.mask[1], 4'd0} + {2'b00, rsp_meta_i.mask[2], 4'd0} +
                        {2'b00, rsp_meta_i.mask[3], 4'd0} + {2'b00, rsp_meta_i.columns};
  always_comb begin
    quad_o  = 'x;
    group_o = 'x;
    if (result) begin
      quad_o         = '0;
      quad_o.mark    = 1'b1;
      quad_o.flat    = 1'b1;
      quad_o.parity  = rsp_meta_i.parity;
      quad_o.columns = rsp_meta_i.columns;
      quad_o.mask    = rsp_meta_i.mask;
      quad_o.stride  = 20'd1;
      quad_o.addr    = rsp_meta_i.addr;
      group_o.stride = '0;
      group_o.last   = rsp_meta_i.fin;
      group_o.parity = rsp_meta_i.parity;
      group_o.rows   = 4'd1;
      group_o.bytes  = {5'd0, columns, 2'b00};
      group_o.addr   = rsp_meta_i.addr;
    end
  end

  `FSH_ASSERT(a_begin, !cmd_valid_i || !busy_o)
  `FSH_ASSERT(a_mine, !(take && rsp_meta_i.over) || !asking_q)
  `FSH_STABLE(req_valid_o, req_ready_i, {req_addr_o, req_mask_o, req_meta_o})
endmodule

`default_nettype wire
