// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One command queue of the compute core: keeps the lists that were accepted
/// (RUN), fetches their commands one by one, checks each, waits for its event
/// and offers it. The next one is fetched and checked while the one before runs.
/// Order: as submitted. Ten cycles and the latency of memory from a command
/// taken to the next one offered.
/// A command that fails a check goes on as NOP without transfer, status
/// BAD_COMMAND; its wait, signal and completion stand, so that whoever waits is
/// told, but with a wrong check byte it waits for nothing. A command that could
/// not be read is a NOP without any of these, status LOCAL_RANGE or MEMORY.
/// room_o: at least four more lists have room. Reset empties the queue.
module fsh_cqueue #(
    parameter bit MOVER = 1'b0  // takes NOP and SEND; else all but SEND
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    // Lists: count_i commands from addr_i (segment offset / 64).
    input  wire logic                  run_valid_i,
    input  wire logic            [7:0] run_count_i,
    input  wire logic           [31:0] run_addr_i,
    output logic                       room_o,
    // A client of fsh_cread; the answer is always taken.
    output logic                       req_valid_o,
    input  wire logic                  req_ready_i,
    output fsh_cout_pkg::read_t        req_o,
    input  wire logic                  rsp_valid_i,
    input  wire logic         [1023:0] rsp_data_i,  // lanes 1, 0
    input  wire logic            [1:0] rsp_err_i,   // AXI error, out of range
    // fsh_cevents: held until the grant.
    output logic                       wait_valid_o,
    output logic                 [5:0] wait_event_o,
    output logic                [15:0] wait_count_o,
    input  wire logic                  wait_grant_i,
    // The command in front.
    output logic                       cmd_valid_o,
    input  wire logic                  cmd_ready_i,
    output fsh_spec_pkg::ccmd_t        cmd_o,
    output logic                       cmd_parity_o,  // alternates
    output logic                 [3:0] cmd_status_o,
    output logic                       busy_o  // state changes at the next edge
);
  localparam int unsigned LISTS = 16;
  localparam int unsigned CW = $clog2(LISTS + 1);

  typedef enum logic [2:0] {
    Idle,
    Ask,
    Answer,
    Check,
    Tiles,
    Judge,
    Await,
    Offer
  } state_e;
  state_e               state_q;
  fsh_spec_pkg::ccmd_t  cmd_q;
  logic          [31:0] addr_q;
  logic           [7:0] left_q;
  logic           [3:0] status_q;
  logic                 parity_q, err_q;
  logic                 list_valid, list_ready, list_room;
  logic          [39:0] list;
  logic        [CW-1:0] lists;

  fsh_fifo #(
      .WIDTH(40),
      .DEPTH(LISTS)
  ) i_lists (
      .clk_i,
      .rst_i,
      .valid_i(run_valid_i),
      .ready_o(list_room),
      .data_i ({run_count_i, run_addr_i}),
      .valid_o(list_valid),
      .ready_i(list_ready),
      .data_o (list),
      .count_o(lists)
  );

  assign list_ready = state_q == Idle && left_q == '0;

  always_ff @(posedge clk_i) begin
    room_o <= lists + {{CW - 1{1'b0}}, run_valid_i} <= CW'(LISTS - 4);
    if (rst_i) room_o <= 1'b1;
  end

  // The checks, in three steps; the mover's only know NOP and SEND.
  logic        gemm, conv, encode, send, nop, element, sum, known, tiled;
  logic        rsvd_bad, form_bad_q, check_bad_q, wait_bad_q;
  logic [13:0] row_groups;            // of an output row
  logic [15:0] area_q;                // tile_x * tile_w
  logic [14:0] groups_q;              // the same times row_groups, if both are small
  logic        groups_bad_q, plain_q;
  logic        sizes_bad, flags_bad;

  assign nop        = cmd_q.op == fsh_spec_pkg::COP_NOP;
  assign gemm       = !MOVER && cmd_q.op == fsh_spec_pkg::COP_GEMM;
  assign conv       = !MOVER && cmd_q.op == fsh_spec_pkg::COP_CONV;
  assign encode     = !MOVER && cmd_q.op == fsh_spec_pkg::COP_ENCODE;
  assign sum        = !MOVER && cmd_q.op == fsh_spec_pkg::COP_SUM;
  assign element    = sum || (!MOVER && (cmd_q.op == fsh_spec_pkg::COP_AXPY ||
                                         cmd_q.op == fsh_spec_pkg::COP_GATE));
  assign send       = MOVER && cmd_q.op == fsh_spec_pkg::COP_SEND;
  assign known      = nop || gemm || conv || encode || send || element;
  assign tiled      = gemm || conv;
  assign row_groups = 14'((17'(cmd_q.out_w) + 17'd7) >> 3);
  assign rsvd_bad   = {cmd_q.rsvd0, cmd_q.rsvd1, cmd_q.rsvd2, cmd_q.rsvd3, cmd_q.rsvd4,
                       cmd_q.rsvd5, cmd_q.rsvd6, cmd_q.rsvd7, cmd_q.rsvd8, cmd_q.rsvd9,
                       cmd_q.rsvd10} != '0;

  always_comb begin
    sizes_bad = 1'b0;
    flags_bad = 1'b0;
    if (state_q == Check) begin
      if (send && cmd_q.k == '0) sizes_bad = 1'b1;
      if ((tiled || encode) && (cmd_q.n == '0 || cmd_q.k == '0 || cmd_q.tile_w == '0))
        sizes_bad = 1'b1;
      if ((gemm || element) && (cmd_q.m == '0 || fsh_cmp_pkg::too_many(cmd_q.m)))
        sizes_bad = 1'b1;
      if (element && (cmd_q.n == '0 || fsh_cmp_pkg::too_many(cmd_q.n))) sizes_bad = 1'b1;
      if ((tiled || encode) && (fsh_cmp_pkg::too_many(cmd_q.n) || fsh_cmp_pkg::too_many(cmd_q.k)))
        sizes_bad = 1'b1;
      if (conv && (cmd_q.k[3:0] != '0 || cmd_q.kernel_h == '0 || cmd_q.kernel_w == '0 ||
                   cmd_q.stride == '0 || cmd_q.stride > 8'd8 || cmd_q.row_words == '0 ||
                   cmd_q.in_h == '0 || cmd_q.in_w == '0 || cmd_q.out_h == '0 ||
                   cmd_q.out_w == '0))
        sizes_bad = 1'b1;
      if (conv && (cmd_q.x_bfp || cmd_q.w_bfp || cmd_q.emit || cmd_q.x_cols || !cmd_q.w_rows))
        flags_bad = 1'b1;
      // What is encoded already is not encoded once more.
      if (cmd_q.w_bfp && (encode || (gemm && cmd_q.emit))) flags_bad = 1'b1;
      if (gemm && cmd_q.x_bfp && cmd_q.tile_x[2:0] != '0) flags_bad = 1'b1;
      if (gemm && cmd_q.x_cols && (cmd_q.x_bfp || cmd_q.tile_x[0])) flags_bad = 1'b1;
      if ((encode || (gemm && (cmd_q.w_bfp || cmd_q.emit))) && cmd_q.tile_w[1:0] != '0)
        flags_bad = 1'b1;
      if ((send || (cmd_q.art && !nop)) && cmd_q.art_count == '0) flags_bad = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Check) begin
      form_bad_q  <= rsvd_bad || !known || sizes_bad || flags_bad;
      check_bad_q <= cmd_q.check != 8'(fsh_spec_pkg::CMD_CHECK);
      wait_bad_q  <= cmd_q.await && cmd_q.await_count == '0;
      area_q      <= cmd_q.tile_x * cmd_q.tile_w;
      plain_q     <= !tiled;
    end
    if (state_q == Tiles) begin
      groups_q     <= conv ? 15'(15'(area_q[7:0]) * 15'(row_groups[6:0])) : {7'd0, area_q[7:0]};
      groups_bad_q <= conv ? row_groups[13:7] != '0 : 1'b0;
      // 128 groups in a row: one row, one column group; not worth a wider product.
      if (conv && row_groups == 14'd128) begin
        groups_q     <= area_q[7:0] == 8'd1 ? 15'd128 : '1;
        groups_bad_q <= 1'b0;
      end
    end
  end

  // CONV: a row of words holds the pixels that its taps fall on, of each phase;
  // x_words holds all rows of a tile, and the operand buffer x_words. A loader
  // with less would write over operands in use, with more never begin.
  logic [11:0] row_all_q;             // words of a row, all phases
  logic [11:0] rows_q;                // rows of input of a tile
  logic [10:0] pixels_q;              // pixels of a row's words beyond the output's
  logic [14:0] taps_q;                // columns of the kernel that they allow
  logic [19:0] words_q;
  logic        short_q, wide_q, words_bad;

  always_ff @(posedge clk_i) begin
    if (state_q == Check) begin
      row_all_q <= cmd_q.row_words * cmd_q.stride[3:0];
      rows_q    <= cmd_q.tile_x * cmd_q.stride[3:0] + 12'(cmd_q.kernel_h) -
                   12'(cmd_q.stride[3:0]);
      pixels_q  <= {cmd_q.row_words, 3'd0} - cmd_q.out_w[10:0] + 11'd1;
      short_q   <= {5'd0, cmd_q.row_words, 3'd0} < cmd_q.out_w;
    end
    if (state_q == Tiles) begin
      taps_q  <= pixels_q * cmd_q.stride[3:0];
      words_q <= row_all_q[9:0] * rows_q[9:0];
      wide_q  <= short_q || row_all_q[11:10] != '0 || rows_q[11:10] != '0 ||
                 cmd_q.x_words > 10'(fsh_cmp_pkg::OPERAND_WORDS);
    end
  end

  assign words_bad = conv && (wide_q || taps_q < 15'(cmd_q.kernel_w) ||
                              words_q > 20'(cmd_q.x_words));

  // Rows of FP32 operands and of results do not overlap; a single row may be
  // any distance from the next.
  logic [20:0] lines_k_q, lines_m_q, lines_n_q;  // of 64 bytes
  logic [15:0] taps_kernel_q;
  logic [35:0] lines_kernel_q;
  logic        near_q, near;          // rows overlap

  always_ff @(posedge clk_i) begin
    if (state_q == Check) begin
      lines_k_q     <= fsh_cmp_pkg::sixteens(cmd_q.k, 1'b0);
      lines_m_q     <= fsh_cmp_pkg::sixteens(cmd_q.m, 1'b0);
      lines_n_q     <= fsh_cmp_pkg::sixteens(cmd_q.n, 1'b0);
      taps_kernel_q <= cmd_q.kernel_h * cmd_q.kernel_w;
    end
    if (state_q == Tiles) begin
      lines_kernel_q <= cmd_q.k[23:4] * taps_kernel_q;
      near_q <= (gemm && cmd_q.m != 24'd1 &&
                 ((!cmd_q.x_bfp && !cmd_q.x_cols && {1'b0, cmd_q.ldx} < lines_k_q) ||
                  {1'b0, cmd_q.ldc} < lines_n_q)) ||
                (gemm && cmd_q.x_cols && cmd_q.k != 24'd1 && {1'b0, cmd_q.ldx} < lines_m_q) ||
                (element && cmd_q.m != 24'd1 &&
                 ({1'b0, cmd_q.ldx} < lines_n_q ||
                  (!sum && ({1'b0, cmd_q.ldw} < lines_n_q || {1'b0, cmd_q.ldc} < lines_n_q)))) ||
                ((gemm || encode) && !cmd_q.w_bfp &&
                 (cmd_q.w_rows ? cmd_q.n != 24'd1 && {1'b0, cmd_q.ldw} < lines_k_q
                               : cmd_q.k != 24'd1 && {1'b0, cmd_q.ldw} < lines_n_q)) ||
                (conv && cmd_q.out_h != 16'd1 && cmd_q.ldc < {4'd0, cmd_q.out_w});
    end
  end

  assign near = near_q || (conv && cmd_q.n != 24'd1 && {16'd0, cmd_q.ldw} < lines_kernel_q);

  logic too_large, bad;

  assign too_large = !plain_q && (area_q == '0 || area_q > 16'd128 || groups_bad_q ||
                                  groups_q > 15'd128);
  assign bad       = form_bad_q || check_bad_q || wait_bad_q || too_large || words_bad ||
                     near;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (left_q != '0) begin
          state_q <= Ask;
        end else if (list_valid) begin
          addr_q <= list[31:0];
          left_q <= list[39:32];
        end
      end
      Ask: begin
        if (req_ready_i) begin
          addr_q  <= addr_q + 32'd2;
          left_q  <= left_q - 8'd1;
          state_q <= Answer;
        end
      end
      Answer: begin
        if (rsp_valid_i) begin
          cmd_q    <= rsp_data_i;
          err_q    <= rsp_err_i != '0;
          status_q <= rsp_err_i[0] ? fsh_spec_pkg::STATUS_LOCAL_RANGE :
                                     fsh_spec_pkg::STATUS_MEMORY;
          state_q  <= Check;
        end
      end
      Check: state_q <= Tiles;
      Tiles: state_q <= Judge;
      Judge: begin
        if (err_q) begin
          cmd_q.op       <= fsh_spec_pkg::COP_NOP;
          cmd_q.art      <= 1'b0;
          cmd_q.emit     <= 1'b0;
          cmd_q.await    <= 1'b0;
          cmd_q.signal   <= 1'b0;
          cmd_q.complete <= 1'b0;
        end else if (bad) begin
          cmd_q.op    <= fsh_spec_pkg::COP_NOP;
          cmd_q.art   <= 1'b0;
          cmd_q.emit  <= 1'b0;
          cmd_q.await <= cmd_q.await && !wait_bad_q && !check_bad_q;
          status_q    <= fsh_spec_pkg::STATUS_BAD_COMMAND;
        end else begin
          status_q <= fsh_spec_pkg::STATUS_OK;
        end
        state_q <= !err_q && cmd_q.await && !wait_bad_q && !check_bad_q ? Await : Offer;
      end
      Await: if (wait_grant_i) state_q <= Offer;
      default: begin
        if (cmd_ready_i) begin
          parity_q <= !parity_q;
          state_q  <= Idle;
        end
      end
    endcase
    if (rst_i) begin
      state_q  <= Idle;
      left_q   <= '0;
      parity_q <= 1'b0;
    end
  end

  assign req_valid_o  = state_q == Ask;
  assign req_o        = {addr_q, 20'd1, 4'b0011};
  assign wait_valid_o = state_q == Await;
  assign wait_event_o = cmd_q.await_event;
  assign wait_count_o = cmd_q.await_count;
  assign cmd_valid_o  = state_q == Offer;
  assign cmd_o        = cmd_q;
  assign cmd_parity_o = parity_q;
  assign cmd_status_o = status_q;

  always_comb begin
    unique case (state_q)
      Idle:    busy_o = left_q != '0 || list_valid;
      Ask:     busy_o = req_ready_i;
      Answer:  busy_o = rsp_valid_i;
      Await:   busy_o = wait_grant_i;
      Offer:   busy_o = cmd_ready_i;
      default: busy_o = 1'b1;
    endcase
    if (run_valid_i || room_o != (lists <= CW'(LISTS - 4))) busy_o = 1'b1;
  end

  `FSH_ASSERT(a_room, !run_valid_i || list_room)
  `FSH_ASSERT(a_answer, !rsp_valid_i || state_q == Answer)
  `FSH_STABLE(req_valid_o, req_ready_i, req_o)
  `FSH_STABLE(cmd_valid_o, cmd_ready_i, cmd_o)
endmodule

`default_nettype wire
