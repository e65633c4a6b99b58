// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// From quads of 64-byte lanes to operand blocks, four a cycle: encodes FP32,
/// turns columns into blocks (Transposed), unpacks what is encoded already.
/// Lane l's block goes to bank 4 * b + l of its operand buffer. What the loader
/// asked for has room there, so blocks are never refused; quads wait while four
/// blocks a cycle leave (an encoded quad holds sixteen), and while the emitter
/// lacks room. Blocks of one operand and kind leave in order; w_done_o, x_done_o
/// when the last of a job is written. Ten cycles from quad to buffer, or so.
module fsh_cfeed (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    // Quads.
    input  wire logic               valid_i,
    output logic                    ready_o,
    input  wire logic      [2047:0] data_i,
    input  wire fsh_cmp_pkg::feed_t meta_i,
    input  wire logic               emit_room_i,
    // Blocks: {exponent, 16 two's complement mantissas} each.
    output logic                    valid_o,
    output logic            [543:0] blocks_o,
    output fsh_cmp_pkg::feed_t      meta_o,
    output logic                    w_done_o,
    output logic                    x_done_o,
    output logic                    busy_o
);
  localparam int unsigned STAGES = fsh_cmp_pkg::ENCODER;  // cycles of fsh_bfp_enc

  // The quad in front.
  logic               quad_q, take, next;
  logic [2047:0]      data_q;
  fsh_cmp_pkg::feed_t meta_q;
  localparam int unsigned FEED = $bits(meta_q);

  assign ready_o = (!quad_q || next) && (!meta_i.emit || emit_room_i);
  assign take    = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (take) begin
      data_q <= data_i;
      meta_q <= meta_i;
    end
    if (take || next) quad_q <= take;
    if (rst_i) quad_q <= 1'b0;
  end

  // Columns.
  logic               turning, turned, turn_ready, turn_busy, filling;
  logic [1:0]         col;
  logic [2047:0]      turn_data;
  fsh_cmp_pkg::feed_t turn;

  fsh_cturn #(
      .META(FEED)
  ) i_turn (
      .clk_i,
      .rst_i,
      .valid_i(quad_q && meta_q.mode == fsh_cmp_pkg::Transposed),
      .ready_o(turn_ready),
      .b_i    (meta_q.b),
      .data_i (data_q),
      .meta_i (meta_q),
      .valid_o(turning),
      .col_o  (col),
      .last_o (turned),
      .data_o (turn_data),
      .meta_o (turn),
      .busy_o (turn_busy)
  );
  assign filling = quad_q && meta_q.mode == fsh_cmp_pkg::Transposed && turn_ready;

  // Encoders: columns first, else the quad itself.
  logic               direct, enc_valid;
  logic [2047:0]      enc_data;
  logic [63:0]        enc_mask;
  fsh_cmp_pkg::feed_t enc_meta;
  logic [15:0]        kmask;

  assign direct    = quad_q && meta_q.mode == fsh_cmp_pkg::Direct && !turning;
  assign enc_valid = turning || direct;

  always_comb begin
    enc_data = 'x;
    enc_mask = 'x;
    enc_meta = 'x;
    kmask    = 'x;
    if (turning) begin
      enc_meta   = turn;
      enc_meta.b = col;
      enc_meta.j = turn.j | {2'd0, col};
      if (!turn.is_w) enc_meta.word = turn.word + {8'd0, col[1]};  // eight rows a word
      enc_meta.last = turn.last && turned;
      enc_meta.fin  = turn.fin && turned;
      kmask      = ~(16'hffff << turn.kvalid);
      enc_data   = turn_data;
      for (int unsigned l = 0; l < 4; l++)
        enc_mask[l*16+:16] = kmask & {16{{1'b0, col, 2'(l)} < turn.nvalid}};
    end else if (direct) begin
      enc_meta = meta_q;
      kmask    = ~(16'hffff << meta_q.kvalid);
      enc_mask = {4{kmask}};
      enc_data = data_q;
    end
  end

  logic [3:0]         out_valid /*verilator split_var*/;
  logic [543:0]       out_blocks;
  logic [4*FEED-1:0]  out_side;
  fsh_cmp_pkg::feed_t out_meta;

  for (genvar l = 0; l < 4; l++) begin : gen_enc
    fsh_bfp_enc #(
        .SIDE(FEED)
    ) i_enc (
        .clk_i,
        .rst_i,
        .stall_i(1'b0),
        .valid_i(enc_valid),
        .keep_i (enc_mask[l*16+:16]),
        .x_i    (enc_data[l*512+:512]),
        .side_i (enc_meta),
        .valid_o(out_valid[l]),
        .block_o(out_blocks[l*136+:136]),
        .side_o (out_side[l*FEED+:FEED])
    );
  end
  assign out_meta = out_side[FEED-1:0];

  // Encoded quads: exponents are kept, mantissas pass four blocks a cycle when
  // the encoders are empty.
  logic [4:0]         inside_q;  // blocks in the encoders, by four
  logic               unpacking, unpacked;
  logic [1:0]         beat_q;
  logic [2047:0]      exps_q;
  logic [543:0]       raw;
  fsh_cmp_pkg::feed_t raw_meta;
  logic [31:0]        raw_exp;
  logic [511:0]       raw_man;

  assign unpacking = quad_q && meta_q.mode == fsh_cmp_pkg::Mantissas && !turning && inside_q == '0;
  assign unpacked  = unpacking && beat_q == 2'd3;

  always_ff @(posedge clk_i) begin
    if (enc_valid != out_valid[0]) inside_q <= enc_valid ? inside_q + 5'd1 : inside_q - 5'd1;
    if (unpacking) beat_q <= beat_q + 2'd1;
    if (quad_q && meta_q.mode == fsh_cmp_pkg::Exponents) exps_q <= data_q;
    if (rst_i) begin
      inside_q <= '0;
      beat_q   <= '0;
    end
  end

  always_comb begin
    raw      = 'x;
    raw_meta = 'x;
    raw_exp  = 'x;
    raw_man  = 'x;
    if (unpacking) begin
      raw_exp      = exps_q[{meta_q.c4, meta_q.j[3:2], beat_q}*32+:32];
      raw_man      = data_q[beat_q*512+:512];
      raw_meta     = meta_q;
      raw_meta.b   = meta_q.is_w ? beat_q : {1'b0, beat_q[0]};
      if (!meta_q.is_w) raw_meta.word = meta_q.word + {8'd0, beat_q[1]};
      raw_meta.last = meta_q.last && unpacked;
      for (int unsigned l = 0; l < 4; l++) begin
        raw[l*136+128+:8] = raw_exp[l*8+:8];
        for (int unsigned k = 0; k < 16; k++)
          raw[l*136+k*8+:8] = fsh_fp_pkg::man_load(raw_man[l*128+k*8+:8]);
      end
    end
  end

  // The quad goes on.
  always_comb begin
    next = 1'b0;
    if (quad_q) unique case (meta_q.mode)
      fsh_cmp_pkg::Direct:     next = direct;
      fsh_cmp_pkg::Transposed: next = filling;
      fsh_cmp_pkg::Exponents:  next = 1'b1;
      default:                 next = unpacked;
    endcase
  end

  always_ff @(posedge clk_i) begin
    valid_o <= out_valid[0] || unpacking;
    if (out_valid[0]) begin
      blocks_o <= out_blocks;
      meta_o   <= out_meta;
    end else if (unpacking) begin
      blocks_o <= raw;
      meta_o   <= raw_meta;
    end
    w_done_o <= valid_o && meta_o.last && meta_o.store && meta_o.is_w;
    x_done_o <= valid_o && meta_o.last && meta_o.store && !meta_o.is_w;
    if (rst_i) begin
      valid_o  <= 1'b0;
      w_done_o <= 1'b0;
      x_done_o <= 1'b0;
    end
  end

  assign busy_o = quad_q || turn_busy || inside_q != '0 || valid_o || w_done_o || x_done_o;

  `FSH_ASSERT(assert_collision, !(out_valid[0] && unpacking))
  `FSH_ASSERT(assert_inside, inside_q <= 5'(STAGES + 1))
endmodule

`default_nettype wire
