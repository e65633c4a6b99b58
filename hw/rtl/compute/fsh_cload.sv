// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Loader of the compute core: walks through the operands of a command tile by
/// tile (rows outermost), chunk by chunk of 16 along K, first W, then X, and
/// asks for one quad of 64-byte lanes a cycle. A job (the blocks of one chunk;
/// of an encoded operand those of four; of a convolution's input what all taps
/// of a channel block need) is begun only when the operand buffer has room for
/// all of it, so what was asked for always finds its place.
/// Rows and values past the edge are not read and become zero; so are taps
/// outside an image. With an encoded or emitted operand K counts in units of 64.
/// A command is taken in Idle; busy_o until its last request is made.
module fsh_cload (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                cmd_valid_i,
    output logic                     cmd_ready_o,
    input  wire fsh_spec_pkg::ccmd_t cmd_i,
    input  wire logic                cmd_parity_i,
    // Requests.
    output logic                     req_valid_o,
    input  wire logic                req_ready_i,
    output logic              [31:0] req_addr_o,
    output logic              [19:0] req_stride_o,
    output logic               [3:0] req_mask_o,
    output fsh_cmp_pkg::feed_t       req_meta_o,
    // Words of the operand buffers that are free again: a job's.
    input  wire logic                w_release_i,
    input  wire logic          [9:0] w_words_i,
    input  wire logic                x_release_i,
    input  wire logic          [9:0] x_words_i,
    output logic                     busy_o
);
  localparam int unsigned WORDS = fsh_cmp_pkg::OPERAND_WORDS;

  typedef enum logic [3:0] {
    Idle,
    Setup,
    Pad,
    Step,
    Wait,
    Tile,
    WStart,
    WRun,
    XStart,
    XRun,
    Chunk
  } state_e;
  state_e              state_q;
  fsh_spec_pkg::ccmd_t cmd_q;
  logic                parity_q, conv, only;  // only: nothing but encoding
  logic                fours;                 // chunks come in fours
  logic                take, issue;

  assign cmd_ready_o = state_q == Idle;
  assign take        = cmd_valid_i && cmd_ready_o;
  assign conv        = cmd_q.op == fsh_spec_pkg::COP_CONV;
  assign only        = cmd_q.op == fsh_spec_pkg::COP_ENCODE;
  assign fours       = cmd_q.w_bfp || cmd_q.x_bfp || cmd_q.emit;
  assign issue       = req_valid_o && req_ready_i;

  // Sizes of the command.
  logic [20:0] chunks_q;      // along K, GEMM; channel blocks, CONV
  logic [20:0] groups_w_q;    // columns by 16, rounded up to whole units where they come so
  logic [20:0] groups_x_q;    // rows by 8; CONV: rows of output
  logic [31:0] panel_q;       // from panel to panel of an encoded operand
  logic signed [31:0] pad_q, step_q;  // CONV: addresses of pad_h rows, of a tile's rows
  logic signed [15:0] mul_a_q;
  logic [19:0] mul_b_q;
  logic signed [36:0] mul_q;
  logic [9:0]  w_alloc_q, x_alloc_q;
  logic [11:0] tile_rows_q;   // CONV: rows of input from tile to tile

  // Position: tile, chunk.
  logic [20:0] w0_q, x0_q, cb_q;
  logic [7:0]  r_q, s_q;
  logic [1:0]  c4_q;
  logic [19:0] lin_q;         // chunks since the tile's beginning
  logic [31:0] unit_off_q;    // of the present unit along K
  logic        first_chunk_q, first_x_q;
  logic [20:0] w_here, x_here;
  logic [7:0]  wt_q, xt_q;    // groups of this tile
  logic [11:0] rows_q;        // CONV: rows of input of this tile
  logic [24:0] krem_q, mrem_tile_q, nrem_tile_q;
  logic [31:0] w_tile_q, w_next_q, x_tile_q, x_next_q, e_tile_q, e_next_q, wk_q, xk_q, plane_q;
  logic signed [20:0] y_tile_q;  // any row of input that any output can ask for
  logic        last_chunk, last_w, last_x;

  assign w_here     = groups_w_q - w0_q;
  assign x_here     = groups_x_q - x0_q;
  assign last_w     = w_here <= {13'd0, cmd_q.tile_w};
  assign last_x     = x_here <= {13'd0, cmd_q.tile_x};
  assign last_chunk = cb_q == chunks_q - 21'd1 && r_q == cmd_q.kernel_h - 8'd1 &&
                      s_q == cmd_q.kernel_w - 8'd1;

  // Inside a job.
  logic [31:0] addr_q, group_addr_q, unit_q;
  logic [8:0]  w_base_q, x_base_q, word_q, word_c_q, panel_word_q;
  logic [7:0]  g_q;
  logic [4:0]  i_q;           // quad of the group or panel
  logic [24:0] rem_q;         // rows or columns left
  logic signed [20:0] y_q;
  logic [11:0] row_q;
  logic [3:0]  phase_q;
  logic [8:0]  quad_q;
  logic signed [17:0] px_q;   // column of lane 0
  logic [31:0] row_addr_q;
  logic        w_due, x_due, w_end, x_end, group_end, row_end;

  assign w_due = !cmd_q.w_bfp || c4_q == '0;
  assign x_due = !only && (conv ? r_q == '0 && s_q == '0 : !cmd_q.x_bfp || c4_q == '0);

  // Free words.
  logic [9:0] w_free_q, x_free_q;
  logic       w_start, x_start;
  assign w_start = state_q == WStart && w_due && (only || w_free_q >= w_alloc_q);
  assign x_start = state_q == XStart && x_due && x_free_q >= x_alloc_q;

  always_ff @(posedge clk_i) begin
    if (w_release_i || (w_start && !only))
      w_free_q <= w_free_q + (w_release_i ? w_words_i : 10'd0) -
                  (w_start && !only ? w_alloc_q : 10'd0);
    if (x_release_i || x_start)
      x_free_q <= x_free_q + (x_release_i ? x_words_i : 10'd0) - (x_start ? x_alloc_q : 10'd0);
    if (rst_i) begin
      w_free_q <= 10'(WORDS);
      x_free_q <= 10'(WORDS);
    end
  end

  // What stands transposed comes by columns: 16 of them are a group of W, two of X.
  logic cols;
  assign cols = state_q == WRun ? !cmd_q.w_rows : cmd_q.x_cols;

  // The request.
  logic signed [17:0] pad_w;
  logic [4:0] kvalid, left;
  logic [3:0] man;
  logic [3:0] in_x;
  logic       in_y;

  assign pad_w  = $signed({{2{cmd_q.pad_w[15]}}, cmd_q.pad_w});
  assign man    = i_q[3:0] - 4'd1;  // of an encoded operand: after its exponents
  assign kvalid = conv || krem_q >= 25'd16 ? 5'd16 : krem_q[4:0];
  assign left   = rem_q >= 25'd16 ? 5'd16 : rem_q[4:0];
  assign in_y   = !y_q[20] && y_q < $signed({5'd0, cmd_q.in_h});
  for (genvar l = 0; l < 4; l++) begin : gen_in
    logic signed [17:0] px;
    logic signed [17:0] ahead;
    assign ahead   = $signed({10'd0, cmd_q.stride & {8{1'(l)}}}) +
                     $signed({9'd0, cmd_q.stride & {8{1'(l / 2)}}, 1'b0});
    assign px      = px_q + ahead;
    assign in_x[l] = !px[17] && px < $signed({2'b0, cmd_q.in_w});
  end

  // Ends of the loops.
  assign group_end = state_q == WRun ? i_q == (cmd_q.w_bfp ? 5'd16 : 5'd3)
                                     : i_q == (cmd_q.x_bfp ? 5'd16 : cmd_q.x_cols ? 5'd3 : 5'd1);
  assign w_end     = group_end && (cmd_q.w_bfp ? g_q + 8'd4 >= wt_q : g_q + 8'd1 == wt_q);
  assign row_end   = quad_q == {cmd_q.row_words, 1'b1} - 9'd2;
  assign x_end     = conv ? row_end && phase_q == cmd_q.stride[3:0] - 4'd1 &&
                            row_q == rows_q - 12'd1 :
                     group_end && (cmd_q.x_bfp ? g_q + 8'd8 >= xt_q :
                                  cmd_q.x_cols ? g_q + 8'd2 >= xt_q : g_q + 8'd1 == xt_q);

  always_comb begin
    req_valid_o  = state_q == WRun || state_q == XRun;
    req_addr_o   = 'x;
    req_stride_o = 'x;
    req_mask_o   = 'x;
    req_meta_o   = 'x;
    if (req_valid_o) begin
      req_addr_o         = addr_q;
      req_meta_o.parity  = parity_q;
      req_meta_o.is_w    = state_q == WRun;
      req_meta_o.store   = !only;
      req_meta_o.emit    = state_q == WRun && cmd_q.emit && first_x_q;
      req_meta_o.last    = state_q == WRun ? w_end : x_end;
      req_meta_o.fin     = w_end && last_chunk && last_w;
      req_meta_o.kvalid  = kvalid;
      req_meta_o.nvalid  = left;
      req_meta_o.word    = word_q;
      req_meta_o.b       = i_q[1:0];
      req_meta_o.unit    = unit_q;
      req_meta_o.c4      = c4_q;
      req_meta_o.j       = {g_q[1:0], i_q[1:0]};
      req_meta_o.mode    = fsh_cmp_pkg::Direct;
      for (int unsigned l = 0; l < 4; l++) req_mask_o[l] = rem_q > 25'(l) && kvalid != '0;
      req_stride_o = state_q == WRun ? cmd_q.ldw : cmd_q.ldx;
      if (state_q == WRun ? cmd_q.w_bfp : cmd_q.x_bfp) begin
        req_mask_o        = '1;
        req_stride_o      = 20'd1;
        req_meta_o.mode   = i_q == '0 ? fsh_cmp_pkg::Exponents : fsh_cmp_pkg::Mantissas;
        req_meta_o.c4     = man[3:2];
        req_meta_o.j      = {man[1:0], 2'd0};
      end else if (cols) begin
        for (int unsigned l = 0; l < 4; l++)
          req_mask_o[l] = rem_q != '0 && {1'b0, i_q[1:0], 2'(l)} < kvalid;
        req_meta_o.mode = fsh_cmp_pkg::Transposed;
        req_meta_o.j    = {g_q[1:0], 2'd0};
      end else if (state_q == XRun && conv) begin
        req_mask_o   = in_x & {4{in_y}};
        req_stride_o = {12'd0, cmd_q.stride};
        req_meta_o.b = {1'b0, quad_q[0]};
      end
    end
  end

  // Addresses and counters inside a job.
  logic [31:0] four_w, four_x;
  assign four_w = {10'd0, cmd_q.ldw, 2'b00};
  assign four_x = {10'd0, cmd_q.ldx, 2'b00};

  always_ff @(posedge clk_i) begin
    if (w_start) begin
      g_q          <= '0;
      i_q          <= '0;
      rem_q        <= nrem_tile_q;
      word_q       <= w_base_q;
      word_c_q     <= w_base_q;
      panel_word_q <= w_base_q;
      if (!only) w_base_q <= w_base_q + w_alloc_q[8:0];  // ENCODE stores nothing
      unit_q       <= e_tile_q + unit_off_q;
      addr_q       <= cmd_q.w_bfp ? w_tile_q + unit_off_q :
                      cmd_q.w_rows ? w_tile_q + {12'd0, lin_q} : wk_q + {11'd0, w0_q};
      group_addr_q <= cmd_q.w_bfp ? w_tile_q + unit_off_q : wk_q + {11'd0, w0_q};
    end
    if (x_start) begin
      g_q          <= '0;
      i_q          <= '0;
      rem_q        <= mrem_tile_q;
      word_q       <= x_base_q;
      word_c_q     <= x_base_q;
      panel_word_q <= x_base_q;
      x_base_q     <= x_base_q + x_alloc_q[8:0];
      addr_q       <= conv ? x_tile_q + plane_q :
                      cmd_q.x_bfp ? x_tile_q + unit_off_q :
                      cmd_q.x_cols ? xk_q + {12'd0, x0_q[20:1]} : x_tile_q + {12'd0, lin_q};
      group_addr_q <= cmd_q.x_cols ? xk_q + {12'd0, x0_q[20:1]} : x_tile_q + unit_off_q;
      row_addr_q   <= x_tile_q + plane_q;
      y_q          <= y_tile_q;
      row_q        <= '0;
      phase_q      <= '0;
      quad_q       <= '0;
      px_q         <= -pad_w;
    end
    if (issue && !(state_q == XRun && conv)) begin
      i_q <= group_end ? '0 : i_q + 5'd1;
      if (state_q == WRun ? cmd_q.w_bfp : cmd_q.x_bfp) begin
        // Words: chunk by chunk, four quads of sixteen rows each.
        addr_q <= addr_q + 32'd4;
        if (i_q != '0) begin
          word_q <= word_q + (state_q == WRun ? 9'd1 : 9'd2);
          if (i_q[1:0] == '0) begin
            word_q   <= word_c_q + {1'b0, state_q == WRun ? wt_q : xt_q};
            word_c_q <= word_c_q + {1'b0, state_q == WRun ? wt_q : xt_q};
          end
        end
        if (group_end) begin
          addr_q       <= group_addr_q + panel_q;
          group_addr_q <= group_addr_q + panel_q;
          g_q          <= g_q + (state_q == WRun ? 8'd4 : 8'd8);
          panel_word_q <= panel_word_q + (state_q == WRun ? 9'd4 : 9'd8);
          word_q       <= panel_word_q + (state_q == WRun ? 9'd4 : 9'd8);
          word_c_q     <= panel_word_q + (state_q == WRun ? 9'd4 : 9'd8);
        end
      end else begin
        addr_q <= addr_q + (state_q == WRun ? four_w : four_x);
        if (group_end) begin
          word_q <= word_q + (cols && state_q == XRun ? 9'd2 : 9'd1);
          g_q    <= g_q + (cols && state_q == XRun ? 8'd2 : 8'd1);
          if (g_q[1:0] == 2'd3) unit_q <= unit_q + panel_q;
        end
        if (cols) begin
          if (group_end) begin
            addr_q       <= group_addr_q + 32'd1;
            group_addr_q <= group_addr_q + 32'd1;
            rem_q        <= rem_q >= 25'd16 ? rem_q - 25'd16 : '0;
          end
        end else begin
          rem_q <= rem_q >= 25'd4 ? rem_q - 25'd4 : '0;
        end
      end
    end
    if (issue && state_q == XRun && conv) begin
      quad_q <= quad_q + 9'd1;
      if (quad_q[0]) word_q <= word_q + 9'd1;
      addr_q <= addr_q + {22'd0, cmd_q.stride, 2'b00};
      px_q   <= px_q + $signed({8'd0, cmd_q.stride, 2'b00});
      if (row_end) begin
        quad_q  <= '0;
        phase_q <= phase_q + 4'd1;
        px_q    <= $signed({14'd0, phase_q}) + 18'sd1 - pad_w;
        addr_q  <= row_addr_q + {28'd0, phase_q} + 32'd1;
        if (phase_q == cmd_q.stride[3:0] - 4'd1) begin
          phase_q    <= '0;
          px_q       <= -pad_w;
          row_q      <= row_q + 12'd1;
          y_q        <= y_q + 21'sd1;
          row_addr_q <= row_addr_q + {12'd0, cmd_q.ldx};
          addr_q     <= row_addr_q + {12'd0, cmd_q.ldx};
        end
      end
    end
    if (rst_i) begin
      w_base_q <= '0;
      x_base_q <= '0;
    end
  end

  // A multiplier, used twice a command.
  always_ff @(posedge clk_i) mul_q <= mul_a_q * $signed({1'b0, mul_b_q});

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (take) begin
          cmd_q    <= cmd_i;
          parity_q <= cmd_parity_i;
          // ENCODE emits, whether it says so or not.
          if (cmd_i.op == fsh_spec_pkg::COP_ENCODE) cmd_q.emit <= 1'b1;
          if (cmd_i.op != fsh_spec_pkg::COP_NOP) state_q <= Setup;
        end
      end
      Setup: begin
        // GEMM is a convolution of one tap.
        if (!conv) begin
          cmd_q.kernel_h <= 8'd1;
          cmd_q.kernel_w <= 8'd1;
        end
        chunks_q    <= fsh_cmp_pkg::sixteens(cmd_q.k, fours);
        groups_w_q  <= fsh_cmp_pkg::sixteens(cmd_q.n, cmd_q.w_bfp || cmd_q.emit);
        groups_x_q  <= conv ? {5'd0, cmd_q.out_h} : fsh_cmp_pkg::eights(cmd_q.m, cmd_q.x_bfp);
        w_alloc_q   <= cmd_q.w_bfp ? {cmd_q.tile_w, 2'b00} : {2'b00, cmd_q.tile_w};
        x_alloc_q   <= conv ? cmd_q.x_words : cmd_q.x_bfp ? {cmd_q.tile_x, 2'b00}
                                                          : {2'b00, cmd_q.tile_x};
        tile_rows_q <= cmd_q.tile_x * cmd_q.stride[3:0];
        mul_a_q     <= $signed(cmd_q.pad_h);
        mul_b_q     <= cmd_q.ldx;
        x0_q        <= '0;
        first_x_q   <= 1'b1;
        mrem_tile_q <= {1'b0, cmd_q.m};
        e_tile_q    <= cmd_q.e_addr;
        state_q     <= Pad;
      end
      Pad: begin
        mul_a_q <= $signed({4'd0, tile_rows_q});
        panel_q <= {7'd0, chunks_q[20:2], 6'd0} + {11'd0, chunks_q[20:2], 2'd0};
        state_q <= Step;
      end
      Step: begin
        pad_q   <= mul_q[31:0];
        state_q <= Wait;
      end
      Wait: begin
        step_q   <= mul_q[31:0];
        x_tile_q <= conv ? cmd_q.x_addr - pad_q - {{14{pad_w[17]}}, pad_w} : cmd_q.x_addr;
        y_tile_q <= -$signed({{5{cmd_q.pad_h[15]}}, cmd_q.pad_h});
        w0_q        <= '0;
        w_tile_q    <= cmd_q.w_addr;
        nrem_tile_q <= {1'b0, cmd_q.n};
        state_q     <= Tile;
      end
      Tile: begin
        wt_q          <= last_w ? w_here[7:0] : cmd_q.tile_w;
        xt_q          <= last_x ? x_here[7:0] : cmd_q.tile_x;
        cb_q          <= '0;
        r_q           <= '0;
        s_q           <= '0;
        c4_q          <= '0;
        lin_q         <= '0;
        unit_off_q    <= '0;
        plane_q       <= '0;
        krem_q        <= {1'b0, cmd_q.k};
        wk_q          <= cmd_q.w_addr;
        xk_q          <= cmd_q.x_addr;
        first_chunk_q <= 1'b1;
        state_q       <= WStart;
      end
      WStart: begin
        rows_q <= ({4'd0, xt_q} - 12'd1) * {8'd0, cmd_q.stride[3:0]} + {4'd0, cmd_q.kernel_h};
        if (!w_due) state_q <= XStart;
        else if (w_start) state_q <= WRun;
      end
      WRun: begin
        if (issue && w_end) begin
          if (first_chunk_q) begin
            w_next_q <= cmd_q.w_bfp ? group_addr_q + panel_q : addr_q + four_w;
            e_next_q <= unit_q + panel_q;
          end
          state_q <= XStart;
        end
      end
      XStart: begin
        if (!x_due) state_q <= Chunk;
        else if (x_start) state_q <= XRun;
      end
      XRun: begin
        if (issue && x_end) begin
          if (first_chunk_q) x_next_q <= cmd_q.x_bfp ? group_addr_q + panel_q : addr_q + four_x;
          state_q <= Chunk;
        end
      end
      default: begin  // Chunk
        first_chunk_q <= 1'b0;
        lin_q         <= lin_q + 20'd1;
        c4_q          <= c4_q + 2'd1;
        if (c4_q == 2'd3) unit_off_q <= unit_off_q + 32'(fsh_cmp_pkg::UNIT_BEATS);
        krem_q <= krem_q >= 25'd16 ? krem_q - 25'd16 : '0;
        wk_q   <= wk_q + {8'd0, cmd_q.ldw, 4'd0};
        xk_q   <= xk_q + {8'd0, cmd_q.ldx, 4'd0};
        s_q    <= s_q + 8'd1;
        if (s_q == cmd_q.kernel_w - 8'd1) begin
          s_q <= '0;
          r_q <= r_q + 8'd1;
          if (r_q == cmd_q.kernel_h - 8'd1) begin
            r_q     <= '0;
            cb_q    <= cb_q + 21'd1;
            plane_q <= plane_q + cmd_q.in_plane;
          end
        end
        state_q <= WStart;
        if (last_chunk) begin
          state_q     <= Tile;
          w0_q        <= w0_q + {13'd0, cmd_q.tile_w};
          w_tile_q    <= w_next_q;
          e_tile_q    <= e_next_q;
          nrem_tile_q <= nrem_tile_q - {13'd0, cmd_q.tile_w, 4'd0};
          if (last_w) begin
            w0_q        <= '0;
            w_tile_q    <= cmd_q.w_addr;
            nrem_tile_q <= {1'b0, cmd_q.n};
            x0_q        <= x0_q + {13'd0, cmd_q.tile_x};
            first_x_q   <= 1'b0;
            x_tile_q    <= conv ? x_tile_q + step_q : x_next_q;
            y_tile_q    <= y_tile_q + $signed({9'd0, tile_rows_q});
            mrem_tile_q <= mrem_tile_q - {14'd0, cmd_q.tile_x, 3'd0};
            if (last_x || only) state_q <= Idle;
          end
        end
      end
    endcase
    if (rst_i) state_q <= Idle;
  end

  assign busy_o = state_q != Idle;

  `FSH_ASSERT(assert_w_room, w_free_q <= 10'(WORDS))
  `FSH_ASSERT(assert_x_room, x_free_q <= 10'(WORDS))
endmodule

`default_nettype wire
