// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Operand buffers and steps: for each tile of a command and each chunk along K
/// every group of 16 columns meets every group of 8 rows, a step a cycle, rows
/// fastest. A chunk begins when both its operands are there; a tile when its
/// accumulator bank is free. A convolution's taps read the same input shifted:
/// eight neighbouring pixels stand in the eight banks, in one word or in two.
/// Row r of W leaves r cycles after its step, as the array wants it.
/// A finished tile is handed over when the array's pipeline has settled. Takes
/// GEMM and CONV only.
module fsh_cstep #(
    parameter int unsigned LOOP   = 16,  // cycles between steps of one accumulator
    parameter int unsigned SETTLE = 48   // cycles from a step to the value at rest
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic                 cmd_valid_i,
    output logic                      cmd_ready_o,
    input  wire fsh_spec_pkg::ccmd_t  cmd_i,
    input  wire logic                 cmd_parity_i,
    // Blocks from the feed.
    input  wire logic                 blk_valid_i,
    input  wire logic         [543:0] blk_i,
    input  wire fsh_cmp_pkg::feed_t   blk_meta_i,
    input  wire logic                 w_done_i,
    input  wire logic                 x_done_i,
    // Words that are free again.
    output logic                      w_release_o,
    output logic                [9:0] w_words_o,
    output logic                      x_release_o,
    output logic                [9:0] x_words_o,
    // To the array.
    output logic                      step_valid_o,
    output logic                      step_first_o,
    output logic                      step_bank_o,
    output logic                [6:0] step_index_o,
    output logic             [1087:0] x_o,
    output logic             [2175:0] w_o,
    // Tiles.
    output logic                      tile_valid_o,
    input  wire logic                 tile_ready_i,
    output fsh_cout_pkg::tile_t       tile_o,
    input  wire logic                 tile_done_i,
    // What this cycle is for a command: a step; one is not possible because both
    // banks are in use, or operands or the array's pipeline are waited for.
    output logic                      compute_o,
    output logic                      full_o,
    output logic                      load_o,
    output logic                      busy_o
);
  localparam int unsigned ROWS = 16;
  localparam int unsigned COLS = 8;

  typedef enum logic [2:0] {
    Idle,
    Setup,
    Tile,
    Await,
    Run,
    Tail,
    Hand
  } state_e;
  state_e              state_q;
  fsh_spec_pkg::ccmd_t cmd_q;
  logic                parity_q, conv;
  logic [20:0]         chunks_q, groups_w_q, groups_x_q, w0_q, x0_q, cb_q, w_here, x_here;
  logic [7:0]          r_q, s_q, wt_q, xt_q, wp_q, xp_q, xg_q;
  logic                last_w, last_x, last_chunk, last_tap;
  logic [1:0]          c4_q;
  logic                bank_q;
  logic [1:0]          banks_q;  // in use

  assign cmd_ready_o = state_q == Idle;
  assign conv        = cmd_q.op == fsh_spec_pkg::COP_CONV;
  assign w_here      = groups_w_q - w0_q;
  assign x_here      = groups_x_q - x0_q;
  assign last_w      = w_here <= {13'd0, cmd_q.tile_w};
  assign last_x      = x_here <= {13'd0, cmd_q.tile_x};
  assign last_tap    = r_q == cmd_q.kernel_h - 8'd1 && s_q == cmd_q.kernel_w - 8'd1;
  assign last_chunk  = cb_q == chunks_q - 21'd1 && last_tap;

  // What the chunk gives back.
  logic w_free, x_free, chunk_end;
  assign w_free      = !cmd_q.w_bfp || c4_q == 2'd3;
  assign x_free      = conv ? last_tap : !cmd_q.x_bfp || c4_q == 2'd3;
  assign w_words_o   = cmd_q.w_bfp ? {cmd_q.tile_w, 2'b00} : {2'b00, cmd_q.tile_w};
  assign x_words_o   = conv ? cmd_q.x_words :
                       cmd_q.x_bfp ? {cmd_q.tile_x, 2'b00} : {2'b00, cmd_q.tile_x};
  assign w_release_o = chunk_end && w_free;
  assign x_release_o = chunk_end && x_free;

  // Jobs that are loaded.
  logic [9:0] w_jobs_q, x_jobs_q;
  logic       w_next, x_next, there;
  assign there  = w_jobs_q != '0 && x_jobs_q != '0;
  assign w_next = !w_free || w_jobs_q > 10'd1;  // beyond the present chunk
  assign x_next = !x_free || x_jobs_q > 10'd1;

  always_ff @(posedge clk_i) begin
    if (w_done_i != w_release_o) w_jobs_q <= w_done_i ? w_jobs_q + 10'd1 : w_jobs_q - 10'd1;
    if (x_done_i != x_release_o) x_jobs_q <= x_done_i ? x_jobs_q + 10'd1 : x_jobs_q - 10'd1;
    if (rst_i) begin
      w_jobs_q <= '0;
      x_jobs_q <= '0;
    end
  end

  // Steps of a chunk.
  logic [7:0]  gw_q, gx_q, row_q;
  logic [6:0]  index_q;
  logic [4:0]  since_q;  // cycles of this chunk, saturating
  logic        x_end, row_end, step_end, first_q, running;
  logic [8:0]  w_base_q, x_base_q, w_off_q, x_off_q, w_word, x_row_q, x_word, tap_q, tap_row_q;
  logic [3:0]  phase_q;
  logic [8:0]  shift_q;
  logic [10:0] row_step_q;  // words from row to row of the output's input
  logic [8:0]  row_words;   // ... of the input

  assign running   = state_q == Run;
  assign row_end   = gx_q == xg_q - 8'd1;
  assign x_end     = row_end && (!conv || row_q == xt_q - 8'd1);
  assign step_end  = x_end && gw_q == wt_q - 8'd1;
  assign chunk_end = (running && step_end && since_q >= 5'(LOOP - 1)) ||
                     (state_q == Tail && since_q >= 5'(LOOP - 1));
  assign row_words = 9'(cmd_q.row_words * cmd_q.stride[3:0]);
  assign w_word    = w_base_q + w_off_q + {1'b0, gw_q};
  assign x_word    = x_base_q + (conv ? tap_q + x_row_q : x_off_q) + {1'b0, gx_q};

  always_ff @(posedge clk_i) begin
    if (running) begin
      index_q <= index_q + 7'd1;
      gx_q    <= gx_q + 8'd1;
      if (row_end) begin
        gx_q    <= '0;
        row_q   <= row_q + 8'd1;
        x_row_q <= x_row_q + row_step_q[8:0];
      end
      if (x_end) begin
        row_q   <= '0;
        x_row_q <= '0;
        gw_q    <= gw_q + 8'd1;
      end
      if (step_end) begin
        gw_q    <= '0;
        index_q <= '0;
      end
    end
    if (running || state_q == Tail) since_q <= since_q == '1 ? since_q : since_q + 5'd1;
    if (chunk_end) begin
      since_q <= '0;
      first_q <= 1'b0;
      c4_q    <= c4_q + 2'd1;
      w_off_q <= w_free ? '0 : w_off_q + {1'b0, wp_q};
      x_off_q <= x_free ? '0 : x_off_q + {1'b0, xp_q};
      if (w_free) w_base_q <= w_base_q + w_words_o[8:0];
      if (x_free) x_base_q <= x_base_q + x_words_o[8:0];
      // Taps: phases of the stride, then eight neighbours on.
      s_q     <= s_q + 8'd1;
      phase_q <= phase_q + 4'd1;
      tap_q   <= tap_q + {1'b0, cmd_q.row_words};
      if (phase_q == cmd_q.stride[3:0] - 4'd1) begin
        phase_q <= '0;
        shift_q <= shift_q + 9'd1;
        tap_q   <= tap_row_q + {3'd0, 6'((shift_q + 9'd1) >> 3)};
      end
      if (s_q == cmd_q.kernel_w - 8'd1) begin
        s_q       <= '0;
        phase_q   <= '0;
        shift_q   <= '0;
        r_q       <= r_q + 8'd1;
        tap_row_q <= tap_row_q + row_words;
        tap_q     <= tap_row_q + row_words;
        if (r_q == cmd_q.kernel_h - 8'd1) begin
          r_q       <= '0;
          cb_q      <= cb_q + 21'd1;
          tap_row_q <= '0;
          tap_q     <= '0;
        end
      end
    end
    if (state_q == Tile) begin
      wt_q      <= last_w ? w_here[7:0] : cmd_q.tile_w;
      xt_q      <= last_x ? x_here[7:0] : cmd_q.tile_x;
      wp_q      <= last_w ? (w_here[7:0] + 8'd3) & ~8'd3 : cmd_q.tile_w;
      xp_q      <= last_x ? (x_here[7:0] + 8'd7) & ~8'd7 : cmd_q.tile_x;
      xg_q      <= conv ? 8'((cmd_q.out_w + 16'd7) >> 3) :
                   last_x ? x_here[7:0] : cmd_q.tile_x;
      gw_q      <= '0;
      gx_q      <= '0;
      row_q     <= '0;
      x_row_q   <= '0;
      index_q   <= '0;
      since_q   <= '0;
      cb_q      <= '0;
      r_q       <= '0;
      s_q       <= '0;
      c4_q      <= '0;
      phase_q   <= '0;
      shift_q   <= '0;
      tap_q     <= '0;
      tap_row_q <= '0;
      w_off_q   <= '0;
      x_off_q   <= '0;
      first_q   <= 1'b1;
    end
    if (state_q == Await) x_groups_q <= conv ? 8'(xt_q * xg_q) : xt_q;
    if (rst_i) begin
      w_base_q <= '0;
      x_base_q <= '0;
    end
  end

  // Tiles and commands.
  logic       hand, pend_q;
  logic [6:0] settle_q;
  logic       last_tile, first_tile_q;
  logic [7:0] x_groups_q;

  assign last_tile = last_w && last_x;
  assign hand      = state_q == Hand && !pend_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:
      if (cmd_valid_i) begin
        cmd_q    <= cmd_i;
        parity_q <= cmd_parity_i;
        w0_q     <= '0;
        x0_q     <= '0;
        state_q  <= Setup;
      end
      Setup: begin
        if (!conv) begin
          cmd_q.kernel_h <= 8'd1;
          cmd_q.kernel_w <= 8'd1;
        end
        chunks_q     <= fsh_cmp_pkg::sixteens(cmd_q.k, cmd_q.w_bfp || cmd_q.x_bfp || cmd_q.emit);
        groups_w_q   <= fsh_cmp_pkg::sixteens(cmd_q.n, 1'b0);
        groups_x_q   <= conv ? {5'd0, cmd_q.out_h} : fsh_cmp_pkg::eights(cmd_q.m, 1'b0);
        row_step_q   <= 11'(row_words * cmd_q.stride[3:0]);
        first_tile_q <= 1'b1;
        state_q      <= Tile;
      end
      Tile: if (banks_q != 2'd2) state_q <= Await;
      Await: if (there) state_q <= Run;
      Run: begin
        if (step_end && !chunk_end) state_q <= Tail;
        if (chunk_end) state_q <= last_chunk ? Hand : w_next && x_next ? Run : Await;
      end
      Tail: if (chunk_end) state_q <= last_chunk ? Hand : w_next && x_next ? Run : Await;
      default: begin  // Hand
        if (hand) begin
          state_q      <= last_tile ? Idle : Tile;
          first_tile_q <= 1'b0;
          w0_q    <= last_w ? '0 : w0_q + {13'd0, cmd_q.tile_w};
          if (last_w) x0_q <= x0_q + {13'd0, cmd_q.tile_x};
        end
      end
    endcase
    if (rst_i) state_q <= Idle;
  end

  // The tile that waits for the array to settle.
  logic                handed;
  fsh_cout_pkg::tile_t tile_q;

  assign tile_valid_o = pend_q && settle_q == '0;
  assign handed       = tile_valid_o && tile_ready_i;
  assign tile_o       = tile_q;

  always_ff @(posedge clk_i) begin
    if (settle_q != '0) settle_q <= settle_q - 7'd1;
    if (handed) pend_q <= 1'b0;
    if (hand) begin
      pend_q            <= 1'b1;
      settle_q          <= 7'(SETTLE + 3);  // from the last step's address
      bank_q            <= !bank_q;
      tile_q.first      <= first_tile_q;
      tile_q.last       <= last_tile;
      tile_q.parity     <= parity_q;
      tile_q.bank       <= bank_q;
      tile_q.conv       <= conv;
      tile_q.accumulate <= cmd_q.accumulate;
      tile_q.bias       <= cmd_q.bias;
      tile_q.relu       <= cmd_q.relu;
      tile_q.x_groups   <= x_groups_q;
      tile_q.w_groups   <= wt_q;
      tile_q.row        <= conv ? {3'd0, x0_q} : {x0_q, 3'd0};
      tile_q.w_group    <= w0_q[19:0];
      tile_q.c_addr     <= cmd_q.c_addr;
      tile_q.b_addr     <= cmd_q.b_addr;
      tile_q.out_plane  <= cmd_q.out_plane;
      tile_q.ldc        <= cmd_q.ldc;
      tile_q.m          <= cmd_q.m;
      tile_q.n          <= cmd_q.n;
      tile_q.out_w      <= cmd_q.out_w;
    end
    if (hand != tile_done_i) banks_q <= tile_done_i ? banks_q - 2'd1 : banks_q + 2'd1;
    if (rst_i) begin
      pend_q   <= 1'b0;
      settle_q <= '0;
      bank_q   <= 1'b0;
      banks_q  <= '0;
    end
  end

  assign compute_o = running;
  assign full_o    = (state_q == Tile && banks_q == 2'd2) || (state_q == Hand && !hand);
  assign load_o    = (state_q != Idle || cmd_valid_i) && !compute_o && !full_o;
  assign busy_o    = state_q != Idle || pend_q || banks_q != '0 || |wchain_q || step1_q ||
                     step_valid_o;

  // Reads: X at once, row r of W r cycles later; both then one cycle in the RAM
  // and one for the turn of X (a register for W's first row).
  logic              step1_q, first1_q, bank1_q;
  logic [6:0]        index1_q;
  logic [2:0]        rot1_q;
  logic [ROWS-1:0]   wchain_q, wnew_q;
  logic [ROWS*9-1:0] wword_q;
  logic [1087:0]     x_raw;

  // Block c comes from bank c + by.
  function automatic logic [1087:0] turn(input logic [1087:0] x, input logic [2:0] by);
    turn = x;
    if (by[2]) turn = {turn[543:0], turn[1087:544]};
    if (by[1]) turn = {turn[271:0], turn[1087:272]};
    if (by[0]) turn = {turn[135:0], turn[1087:136]};
  endfunction

  always_ff @(posedge clk_i) begin
    step1_q      <= running;
    step_valid_o <= step1_q;
    if (running) begin
      first1_q <= first_q;
      bank1_q  <= bank_q;
      index1_q <= index_q;
      rot1_q   <= conv ? shift_q[2:0] : 3'd0;
    end
    if (step1_q) begin
      step_first_o <= first1_q;
      step_bank_o  <= bank1_q;
      step_index_o <= index1_q;
      x_o          <= turn(x_raw, rot1_q);
    end
    // W's words are read once for all their steps.
    wchain_q <= {wchain_q[ROWS-2:0], running};
    wnew_q   <= {wnew_q[ROWS-2:0], running && gx_q == '0 && row_q == '0};
    wword_q  <= {wword_q[(ROWS-1)*9-1:0], w_word};
    if (rst_i) begin
      step1_q      <= 1'b0;
      step_valid_o <= 1'b0;
      wchain_q     <= '0;
      wnew_q       <= '0;
    end
  end

  logic [COLS-1:0] beyond;  // banks whose block stands in the next word
  assign beyond = conv ? ~(8'hff << shift_q[2:0]) : '0;

  for (genvar b = 0; b < COLS; b++) begin : gen_x
    logic [8:0] raddr;
    assign raddr = x_word + {8'd0, beyond[b]};
    fsh_ram #(
        .WIDTH(136),
        .DEPTH(fsh_cmp_pkg::OPERAND_WORDS)
    ) i_ram (
        .clk_i,
        .we_i   (blk_valid_i && blk_meta_i.store && !blk_meta_i.is_w &&
                 blk_meta_i.b[0] == 1'(b / 4)),
        .waddr_i(blk_meta_i.word),
        .wdata_i(blk_i[(b%4)*136+:136]),
        .re_i   (running),
        .raddr_i(raddr),
        .rdata_o(x_raw[b*136+:136])
    );
  end

  for (genvar r = 0; r < ROWS; r++) begin : gen_w
    fsh_ram #(
        .WIDTH(136),
        .DEPTH(fsh_cmp_pkg::OPERAND_WORDS)
    ) i_ram (
        .clk_i,
        .we_i   (blk_valid_i && blk_meta_i.store && blk_meta_i.is_w && blk_meta_i.b == 2'(r / 4)),
        .waddr_i(blk_meta_i.word),
        .wdata_i(blk_i[(r%4)*136+:136]),
        .re_i   (wnew_q[r]),
        .raddr_i(wword_q[r*9+:9]),
        .rdata_o(w_o[r*136+:136])
    );
  end

  `FSH_ASSERT(assert_w_jobs, !w_release_o || w_jobs_q != '0)
  `FSH_ASSERT(assert_x_jobs, !x_release_o || x_jobs_q != '0)
endmodule

`default_nettype wire
