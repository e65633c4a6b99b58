// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The data path of a unit: one move (fsh_coll_pkg::MOVE_*) of up to LINES lines of 64 bytes
/// at a time, a line a cycle where both ends allow it and the reduction does. Each context
/// has a packet of accumulator. start_i with the move's description, which stays until
/// done_o, a pulse; then the next. Zero lines: at once.
/// Memory: addresses in lines; reads are answered in order and always taken, writes are
/// answered in order (mwr_done_i); settled_o[c]: no write of context c is under way. An
/// error of a read comes with done_o (err_o), that of a write as a pulse for its context.
/// Packets go out as lines, tx_first_o and tx_last_o around them, at least one; the last
/// bytes of the last line are nothing in particular. Valid signals depend on registers
/// only. Reset: no move, nothing under way; accumulators keep what they had.
module fsh_cdata #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    parameter int unsigned SLOTS = 70,
    parameter bit FP64 = 1'b1,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                start_i,
    input  wire logic          [2:0] move_i,
    input  wire logic       [CW-1:0] context_i,
    input  wire logic         [LW:0] lines_i,
    input  wire logic          [5:0] tail_i,   // bytes in the last line, 0: 64
    input  wire logic         [31:0] addr_i,
    input  wire logic       [SW-1:0] slot_i,
    input  wire logic        [127:0] given_i,
    input  wire logic          [2:0] type_i,
    input  wire logic          [3:0] op_i,
    input  wire logic                send_i,   // MOVE_OUT
    input  wire logic                store_i,
    input  wire logic                post_i,   // to host memory
    input  wire logic         [31:0] post_addr_i,
    output logic                     done_o,
    output logic                     err_o,
    output logic      [CONTEXTS-1:0] settled_o,
    output logic      [CONTEXTS-1:0] wr_err_o,
    // Memory.
    output logic                     mrd_valid_o,
    input  wire logic                mrd_ready_i,
    output logic              [31:0] mrd_addr_o,
    input  wire logic                mrd_rvalid_i,
    input  wire logic        [511:0] mrd_data_i,
    input  wire logic                mrd_err_i,
    output logic                     mwr_valid_o,
    input  wire logic                mwr_ready_i,
    output logic                     mwr_post_o,
    output logic              [31:0] mwr_addr_o,
    output logic             [511:0] mwr_data_o,
    output logic              [63:0] mwr_strb_o,
    input  wire logic                mwr_done_i,
    input  wire logic                mwr_err_i,
    // Packet memory, a line the cycle after it is granted.
    output logic                     prd_valid_o,
    input  wire logic                prd_ready_i,
    output logic         [SW+LW-1:0] prd_addr_o,
    input  wire logic        [511:0] prd_data_i,
    // To the network.
    output logic                     tx_valid_o,
    input  wire logic                tx_ready_i,
    output logic                     tx_first_o,
    output logic                     tx_last_o,
    output logic             [511:0] tx_data_o
);
  logic          busy_q, is_load, is_out, is_fold, is_copy, streams;
  logic   [LW:0] ask_q, got_q;  // lines asked for, lines through
  logic          more, some_q, take, read, got;
  logic [LW-1:0] line_q;
  logic          tx_done_q, wr_done_q, tx_ok, wr_ok, owner_room, err_q, halves, half_q;

  assign is_load = move_i == fsh_coll_pkg::MOVE_LOAD || move_i == fsh_coll_pkg::MOVE_FETCH;
  assign is_copy = move_i == fsh_coll_pkg::MOVE_COPY;
  assign is_fold = move_i == fsh_coll_pkg::MOVE_FOLD;
  assign is_out  = move_i == fsh_coll_pkg::MOVE_OUT;
  assign streams = busy_q && (is_copy || is_fold || is_out);
  assign more    = ask_q != lines_i;
  assign done_o  = busy_q && got_q == lines_i;
  assign err_o   = err_q;

  // Lines of the accumulator and of the packet: read, and a cycle later taken.
  logic         wants, fresh_q;
  logic [511:0] packet, packet_q;

  assign wants       = streams && more && (!some_q || take);
  assign read        = wants && (is_out || prd_ready_i);
  assign prd_valid_o = wants && !is_out;
  assign prd_addr_o  = {slot_i, ask_q[LW-1:0]};

  // The memory has others to read for: a line that is not taken at once is kept.
  assign packet = fresh_q ? prd_data_i : packet_q;

  always_ff @(posedge clk_i) begin
    fresh_q <= read;
    if (fresh_q) packet_q <= prd_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (read) line_q <= ask_q[LW-1:0];
    if (read || (mrd_valid_o && mrd_ready_i)) ask_q <= ask_q + 1'b1;
    if (got) got_q <= got_q + 1'b1;
    if (read || take) some_q <= read;
    if (mrd_rvalid_i && mrd_err_i) err_q <= 1'b1;
    if (start_i) begin
      busy_q <= 1'b1;
      ask_q  <= '0;
      got_q  <= '0;
      err_q  <= 1'b0;
    end else if (done_o) begin
      busy_q <= 1'b0;
    end
    if (rst_i) begin
      busy_q <= 1'b0;
      some_q <= 1'b0;
    end
  end

  // Reduction; side is the line.
  logic          fold_ready, fold_valid, acc_we;
  logic  [511:0] fold_out, acc, acc_in;
  logic [LW-1:0] fold_line, acc_line;

  fsh_cfold #(
      .SIDE(LW),
      .FP64(FP64)
  ) i_fold (
      .clk_i,
      .rst_i,
      .valid_i(some_q && is_fold),
      .ready_o(fold_ready),
      .type_i,
      .op_i,
      .a_i    (acc),
      .b_i    (packet),
      .side_i (line_q),
      .valid_o(fold_valid),
      .ready_i(1'b1),
      .out_o  (fold_out),
      .side_o (fold_line),
      .busy_o ()
  );

  assign tx_ok = !send_i || tx_done_q || tx_ready_i;
  // What is stored twice is so one after the other.
  assign halves = store_i && post_i;
  assign wr_ok = (!store_i && !post_i) || wr_done_q ||
                 (mwr_ready_i && owner_room && half_q == halves);
  assign take  = some_q && (is_fold ? fold_ready : is_copy || (tx_ok && wr_ok));

  always_comb begin
    acc_we   = 1'b0;
    acc_line = got_q[LW-1:0];
    acc_in   = mrd_data_i;
    got      = 1'b0;
    if (busy_q) begin
      got = is_load ? mrd_rvalid_i : is_fold ? fold_valid : take;
      if (move_i == fsh_coll_pkg::MOVE_GIVE) begin
        got    = !done_o;
        acc_in = {384'd0, given_i};
      end
      if (is_fold) begin
        acc_in   = fold_out;
        acc_line = fold_line;
      end
      if (is_copy) begin
        acc_in   = packet;
        acc_line = line_q;
      end
      acc_we = got && !is_out && move_i != fsh_coll_pkg::MOVE_FETCH;
    end
  end

  fsh_ram #(
      .WIDTH(512),
      .DEPTH(CONTEXTS * LINES)
  ) i_acc (
      .clk_i,
      .we_i   (acc_we),
      .waddr_i({context_i, acc_line}),
      .wdata_i(acc_in),
      .re_i   (read),
      .raddr_i({context_i, ask_q[LW-1:0]}),
      .rdata_o(acc)
  );

  // Out: each end takes a line when it can.
  logic last;

  assign last        = (LW + 1)'(line_q) + 1'b1 == lines_i;
  assign mrd_valid_o = busy_q && is_load && more;
  assign mrd_addr_o  = addr_i + 32'(ask_q);
  assign tx_valid_o  = some_q && is_out && send_i && !tx_done_q;
  assign tx_first_o  = line_q == '0;
  assign tx_last_o   = last;
  assign tx_data_o   = acc;
  assign mwr_valid_o = some_q && is_out && (store_i || post_i) && !wr_done_q && owner_room;
  assign mwr_post_o  = post_i && half_q == halves;
  assign mwr_addr_o  = (mwr_post_o ? post_addr_i : addr_i) + 32'(line_q);
  assign mwr_data_o  = acc;
  assign mwr_strb_o  = last && tail_i != '0 ? ~({64{1'b1}} << tail_i) : '1;

  always_ff @(posedge clk_i) begin
    if (take) begin
      tx_done_q <= 1'b0;
      wr_done_q <= 1'b0;
      half_q    <= 1'b0;
    end else begin
      if (tx_valid_o && tx_ready_i) tx_done_q <= 1'b1;
      if (mwr_valid_o && mwr_ready_i) begin
        half_q    <= 1'b1;
        wr_done_q <= half_q == halves;
      end
    end
    if (rst_i) begin
      tx_done_q <= 1'b0;
      wr_done_q <= 1'b0;
      half_q    <= 1'b0;
    end
  end

  // Whose write is answered.
  logic          owner_known, wrote;
  logic [CW-1:0] owner;

  assign wrote = mwr_valid_o && mwr_ready_i;

  fsh_fifo #(
      .WIDTH(CW),
      .DEPTH(64)
  ) i_owner (
      .clk_i,
      .rst_i,
      .valid_i(wrote),
      .ready_o(owner_room),
      .data_i (context_i),
      .valid_o(owner_known),
      .ready_i(mwr_done_i),
      .data_o (owner),
      .count_o()
  );

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    logic [6:0] pending_q;
    logic       more_c, less_c;

    assign more_c       = wrote && context_i == CW'(c);
    assign less_c       = mwr_done_i && owner == CW'(c);
    assign settled_o[c] = pending_q == '0;
    assign wr_err_o[c]  = less_c && mwr_err_i;

    always_ff @(posedge clk_i) begin
      if (more_c != less_c) pending_q <= more_c ? pending_q + 1'b1 : pending_q - 1'b1;
      if (rst_i) pending_q <= '0;
    end
  end

  `FSH_ASSERT(a_start, !start_i || !busy_q)
  `FSH_ASSERT(a_answer, !mwr_done_i || owner_known)
  `FSH_ASSERT(a_read, !mrd_rvalid_i || (busy_q && is_load))
  `FSH_STABLE(tx_valid_o, tx_ready_i, tx_data_o)
  `FSH_STABLE(mwr_valid_o, mwr_ready_i, mwr_data_o)
  `FSH_STABLE(mrd_valid_o, mrd_ready_i, mrd_addr_o)
endmodule

`default_nettype wire
