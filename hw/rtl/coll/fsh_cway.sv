// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The way out of a unit: packets (MOVE_OUT of fsh_coll_pkg) of at least one line, each from
/// the half of a context to the network, to memory, to host memory; each end takes a line when
/// it can, and what is stored twice is so one after the other. start_i with the move, while
/// room_o: one may wait (waits_o) while another is read (reading_o). Line line_o is read when
/// hold_i is low, which it then stays for that line; line_i is the line a cycle after read_o,
/// and stays until it is taken (stands_o); if none stands, open_i says that one may.
/// Packets leave as lines, tx_first_o and tx_last_o around them; the last bytes of the last
/// line are nothing in particular. Lines of an encoded packet (bfp) pass fsh_cencode, and
/// fsh_cpack to the network; the next one is read behind them. What is stored is what receivers
/// decode. Any other packet waits until the one before it has left. Writes are answered in order
/// (mwr_done_i); settled_o[c]: all that context c has to write is written; an error is a
/// pulse for its context. Valid signals depend on registers only. Reset: none under way.
module fsh_cway #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned LW = $clog2(LINES)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                start_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::move_t move_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic                hold_i,
    input  wire logic                open_i,
    output logic                     room_o,
    output logic                     busy_o,
    output logic                     reading_o,
    output logic              [CW:0] half_o,  // what it is: context and half
    output logic                     own_o,   // a local operand as it is
    output logic                     waits_o,
    output logic              [CW:0] waiting_half_o,
    output logic                     waiting_own_o,
    output logic                     stands_o,
    output logic      [CONTEXTS-1:0] settled_o,
    output logic      [CONTEXTS-1:0] wr_err_o,
    output logic                     read_o,
    output logic          [LW-1:0]   line_o,
    input  wire logic        [511:0] line_i,
    output logic                     mwr_valid_o,
    input  wire logic                mwr_ready_i,
    output logic                     mwr_post_o,
    output logic              [31:0] mwr_addr_o,
    output logic             [511:0] mwr_data_o,
    output logic              [63:0] mwr_strb_o,
    input  wire logic                mwr_done_i,
    input  wire logic                mwr_err_i,
    output logic                     tx_valid_o,
    input  wire logic                tx_ready_i,
    output logic                     tx_coded_o,  // it is of an encoded packet
    output logic                     tx_first_o,
    output logic                     tx_last_o,
    output logic               [7:0] tx_dest_o,
    output fsh_spec_pkg::colladdr_t  tx_addr_o,
    output logic            [LW+6:0] tx_bytes_o,
    output logic             [511:0] tx_data_o
);
  // A packet is in up to three places, each with what it needs of the move: where it is read,
  // behind the codec, if it is encoded, and where it leaves.
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_coll_pkg::move_t next, waiting, front_q, back_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic some, begins, full_q, back_busy_q, passes, quiet, ends;

  fsh_cmoves i_next (
      .clk_i,
      .rst_i,
      .start_i,
      .move_i,
      .room_o,
      .valid_o  (some),
      .move_o   (next),
      .take_i   (begins),
      .waits_o,
      .waiting_o(waiting)
  );

  assign waiting_half_o = {waiting.context_[CW-1:0], waiting.half};
  assign waiting_own_o  = waiting.own;
  assign half_o         = {front_q.context_[CW-1:0], front_q.half};
  assign own_o          = front_q.own;

  logic some_q, take, last_q;
  logic [LW:0] ask_q;
  logic [LW-1:0] line_q;
  logic        tx_done_q, wr_done_q, tx_ok, wr_ok, owner_room, halves, half_q, writes;

  // Encoded lines pass the codec, which stands still while its last one waits.
  logic          moves, valid, last, coded_valid, coded_last, tx_ready;
  logic          pack_ready, pack_valid, pack_begin, pack_first, pack_last, pack_busy;
  logic   [15:0] keep;
  logic    [7:0] code;
  logic  [127:0] values;
  logic  [511:0] coded_line, pack_line;
  logic [LW-1:0] line, coded_number;

  logic          bfp_q;
  logic    [5:0] tail_q;

  assign tail_q = front_q.tail;
  assign keep  = last_q && tail_q != '0 ? ~(16'hffff << tail_q[5:2]) : '1;
  assign moves = bfp_q ? some_q && !(coded_valid && !take) : take;
  assign valid = bfp_q ? coded_valid : some_q;
  assign last  = bfp_q ? coded_last : last_q;
  assign line  = bfp_q ? coded_number : line_q;

  fsh_cencode #(
      .SIDE(LW + 1)
  ) i_encode (
      .clk_i,
      .rst_i,
      .stall_i (coded_valid && !take),
      .valid_i (some_q && bfp_q),
      .line_i,
      .keep_i  (keep),
      .side_i  ({last_q, line_q}),
      .valid_o (coded_valid),
      .code_o  (code),
      .values_o(values),
      .line_o  (coded_line),
      .side_o  ({coded_last, coded_number})
  );

  fsh_cpack i_pack (
      .clk_i,
      .rst_i,
      .valid_i (coded_valid && back_q.send && !tx_done_q),
      .ready_o (pack_ready),
      .last_i  (coded_last),
      .code_i  (code),
      .values_i(values),
      .valid_o (pack_valid),
      .ready_i (tx_ready_i),
      .begin_o (pack_begin),
      .first_o (pack_first),
      .last_o  (pack_last),
      .line_o  (pack_line),
      .busy_o  (pack_busy)
  );

  assign read_o   = reading_o && !hold_i && (some_q ? moves : open_i);
  assign line_o   = ask_q[LW-1:0];
  assign stands_o = some_q;
  assign tx_ready = bfp_q ? pack_ready : tx_ready_i;
  assign tx_ok    = !back_q.send || tx_done_q || tx_ready;
  assign writes   = back_q.store || back_q.post;
  assign halves   = back_q.store && back_q.post;
  assign wr_ok    = !writes || wr_done_q || (mwr_ready_i && owner_room && half_q == halves);
  assign take     = valid && tx_ok && wr_ok;
  assign ends     = take && last;

  assign passes = full_q && (!back_busy_q || ends);
  assign quiet  = !some_q && !full_q && !back_busy_q && !pack_busy;
  assign begins = some && !reading_o &&
                  (quiet || (bfp_q && next.bfp && (!some_q || moves) && (!full_q || passes)));
  assign busy_o = waits_o || reading_o || !quiet;

  always_ff @(posedge clk_i) begin
    if (read_o) begin
      line_q <= line_o;
      last_q <= ask_q + 1'b1 == front_q.lines[LW:0];
      ask_q  <= ask_q + 1'b1;
    end
    if (begins) begin
      ask_q   <= '0;
      bfp_q   <= next.bfp;
      front_q <= next;
    end
    if (passes) back_q <= front_q;
    if (bfp_q ? pack_begin : passes) begin
      tx_dest_o  <= bfp_q ? back_q.dest : front_q.dest;
      tx_addr_o  <= bfp_q ? back_q.key : front_q.key;
      tx_bytes_o <= bfp_q ? back_q.bytes[LW+6:0] : front_q.bytes[LW+6:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_o || moves) some_q <= read_o;
    if (begins) reading_o <= 1'b1;
    else if (read_o && ask_q + 1'b1 == front_q.lines[LW:0]) reading_o <= 1'b0;
    full_q      <= begins || (full_q && !passes);
    back_busy_q <= passes || (back_busy_q && !ends);
    if (take) begin
      tx_done_q <= 1'b0;
      wr_done_q <= 1'b0;
      half_q    <= 1'b0;
    end else begin
      if (valid && back_q.send && tx_ready) tx_done_q <= 1'b1;
      if (mwr_valid_o && mwr_ready_i) begin
        half_q    <= 1'b1;
        wr_done_q <= half_q == halves;
      end
    end
    if (rst_i) begin
      {reading_o, full_q, back_busy_q} <= '0;
      {some_q, tx_done_q, wr_done_q, half_q} <= '0;
    end
  end

  assign tx_coded_o  = bfp_q;
  assign tx_valid_o  = bfp_q ? pack_valid : some_q && back_q.send && !tx_done_q;
  assign tx_first_o  = bfp_q ? pack_first : line_q == '0;
  assign tx_last_o   = bfp_q ? pack_last : last_q;
  assign tx_data_o   = bfp_q ? pack_line : line_i;
  assign mwr_valid_o = valid && writes && !wr_done_q && owner_room;
  assign mwr_post_o  = back_q.post && half_q == halves;
  assign mwr_addr_o  = (mwr_post_o ? back_q.post_addr : back_q.addr) + 32'(line);
  assign mwr_data_o  = bfp_q ? coded_line : line_i;
  assign mwr_strb_o  = last && back_q.tail != '0 ? ~({64{1'b1}} << back_q.tail) : '1;

  // Whose write is answered.
  logic          owner_known, wrote;
  logic [CW-1:0] owner, mine;

  assign wrote = mwr_valid_o && mwr_ready_i;
  assign mine  = back_q.context_[CW-1:0];

  fsh_fifo #(
      .WIDTH(CW),
      .DEPTH(64)
  ) i_owner (
      .clk_i,
      .rst_i,
      .valid_i(wrote),
      .ready_o(owner_room),
      .data_i (mine),
      .valid_o(owner_known),
      .ready_i(mwr_done_i),
      .data_o (owner),
      .count_o()
  );

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    logic [6:0] pending_q;
    logic       more_c, less_c;

    assign more_c       = wrote && mine == CW'(c);
    assign less_c       = mwr_done_i && owner == CW'(c);
    assign settled_o[c] = pending_q == '0 &&
                          !(back_busy_q && writes && mine == CW'(c)) &&
                          !(full_q && (front_q.store || front_q.post) &&
                            front_q.context_[CW-1:0] == CW'(c)) &&
                          !(waits_o && (waiting.store || waiting.post) &&
                            waiting.context_[CW-1:0] == CW'(c));
    assign wr_err_o[c]  = less_c && mwr_err_i;

    always_ff @(posedge clk_i) begin
      if (more_c != less_c) pending_q <= more_c ? pending_q + 1'b1 : pending_q - 1'b1;
      if (rst_i) pending_q <= '0;
    end
  end

  `FSH_ASSERT(a_start, !start_i || (room_o && move_i.lines != '0))
  `FSH_ASSERT(a_answer, !mwr_done_i || owner_known)
  `FSH_ASSERT(a_back, !valid || back_busy_q)
  `FSH_STABLE(tx_valid_o, tx_ready_i, tx_data_o)
  `FSH_STABLE(mwr_valid_o, mwr_ready_i, mwr_data_o)
endmodule

`default_nettype wire
