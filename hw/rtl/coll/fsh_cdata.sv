// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The data path of a unit: moves (fsh_coll_pkg::MOVE_*) of up to 4 LINES lines of 64 bytes,
/// a line a cycle where both ends allow it and the reduction does. Three at once: a local
/// operand (fsh_cown), a packet that is copied or combined, one on its way out (fsh_cway);
/// behind each of the latter two the next one may wait, so that it begins at once.
/// Each context has two packets of local operand and two of result, halves, in turns, so
/// that the items of a packet go on beside the way out of the one before. They are FP32: an
/// encoded packet (move_t::bfp) is decoded when it is read, and encoded on the way out.
/// A move is offered (valid_i, move_i) and starts while path_o.ready, which is told for that
/// move; before that the offer may be withdrawn. Moves of a half are done in the order of
/// their starts, line by line: the way out follows the packet that is copied, or combined at
/// a line a cycle, and a local operand the packet that is combined with the one before it.
/// spent_*: a packet that has been read, its slot is not needed.
/// failed_o: an error of a read for a local operand or of a write, as a pulse for its context.
/// Memory: fsh_cown, fsh_cway; the way out too.
/// Valid signals depend on registers only. Reset: no move; halves keep what they had.
module fsh_cdata #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    parameter int unsigned SLOTS = 70,
    parameter bit FP64 = 1'b1,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned HW = $clog2(LINES) + 2,  // a half has four packets' lines
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                valid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::move_t move_i,  // fields as wide as any unit needs
    /* verilator lint_on UNUSEDSIGNAL */
    output fsh_coll_pkg::path_t      path_o,
    output logic      [CONTEXTS-1:0] settled_o,
    output logic      [CONTEXTS-1:0] failed_o,
    output logic                     busy_o,
    output logic                     spent_valid_o,
    input  wire logic                spent_ready_i,
    output fsh_coll_pkg::spent_t     spent_o,
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
    output logic                     tx_coded_o,
    output logic                     tx_first_o,
    output logic                     tx_last_o,
    output logic               [7:0] tx_dest_o,
    output fsh_spec_pkg::colladdr_t  tx_addr_o,
    output logic            [LW+6:0] tx_bytes_o,
    output logic             [511:0] tx_data_o
);
  localparam int unsigned HALVES = 2 * CONTEXTS;
  logic        is_out, is_packet, is_memory, start_out, start_packet, start_own;
  logic [CW:0] half, own_half, out_half, out_waiting_half;
  logic        own_busy, own_some, own_we, own_hold, out_room, out_busy, out_reading, out_own;
  logic        out_waits, out_waiting_own, out_stands, out_hold, out_read, out_open;
  logic [CW+HW:0]      own_waddr;
  logic [511:0]        own_wdata, own_line, sum_line;
  logic [HW-1:0]       out_line, own_ask;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [HW+6:0]       tx_bytes;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CONTEXTS-1:0] rd_bad, wr_bad;
  logic                copies, in_room, loading, sum_kept, packet_ready;

  assign half      = {move_i.context_[CW-1:0], move_i.half};
  assign is_out    = move_i.what == fsh_coll_pkg::MOVE_OUT;
  assign copies    = move_i.what == fsh_coll_pkg::MOVE_COPY;
  assign is_packet = copies || move_i.what == fsh_coll_pkg::MOVE_FOLD;
  assign is_memory = !is_out && !is_packet;

  // Results that are still to be made, by half, or to be read.
  logic [HALVES-1:0] due_q, loads;
  assign sum_kept = (out_reading && !out_own && out_half == half) ||
                    (out_waits && !out_waiting_own && out_waiting_half == half);
  assign loading  = loads[half];
  assign path_o.loading = loading;
  assign packet_ready = in_room && !loading && !due_q[half] && !sum_kept;
  assign path_o.ready = is_out ? out_room : is_memory ? !own_busy : packet_ready;
  // From what each part says, not from path_o.ready: only packets wait for operands to come.
  assign start_out    = valid_i && is_out && out_room;
  assign start_own    = valid_i && is_memory && !own_busy;
  assign start_packet = valid_i && is_packet && packet_ready;
  assign failed_o = rd_bad | wr_bad;
  assign busy_o   = in_waits || reading_q || some_q || due_q != '0 || spent_valid_o ||
                    own_some || out_busy;

  // A packet: copied, or combined with the local operand or what stands there.
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_coll_pkg::move_t in, in_waiting;
  /* verilator lint_on UNUSEDSIGNAL */
  logic          in_some, in_waits, in_copies, begins, copy_q, own_q;
  logic          reading_q, last, last_q, some_q, take, wants, same, read;
  logic          fold_ready, fold_valid, enters, leaves;
  logic   [CW:0] half_q, in_waiting_half;
  logic   [HW:0] lines_q, ask_q;
  logic [HW-1:0] line_q;
  logic    [2:0] kind_q;
  logic    [3:0] op_q, folds_q;  // packets in the reduction
  logic  [511:0] packet, fold_out;

  fsh_cmoves i_next (
      .clk_i,
      .rst_i,
      .start_i  (start_packet),
      .move_i,
      .room_o   (in_room),
      .valid_o  (),
      .move_o   (in),
      .take_i   (begins),
      .waits_o  (in_waits),
      .waiting_o(in_waiting)
  );

  // The next packet begins behind the last line of the one before; a copy, which writes at
  // once, behind all that are in the reduction.
  assign in_copies = in.what == fsh_coll_pkg::MOVE_COPY;
  assign in_some   = in_waits || start_packet;
  assign begins    = in_some && !reading_q && (!some_q || take) &&
                     (!spent_valid_o || spent_ready_i) && (!in_copies || folds_q == '0);
  assign in_waiting_half = {in_waiting.context_[CW-1:0], in_waiting.half};

  // Lines of the operand and of the packet: read, and a cycle later taken. Operands are
  // read by the way out, too: it goes first, but not before a line that stands here.
  assign same  = out_own == own_q && (out_stands || (out_reading && !out_hold));
  assign wants = reading_q && (!some_q || take) && (copy_q || !same);
  assign take  = some_q && (copy_q || fold_ready);
  assign last  = ask_q + 1'b1 == lines_q;

  fsh_cunpack #(
      .LINES(LINES),
      .SLOTS(SLOTS)
  ) i_unpack (
      .clk_i,
      .rst_i,
      .start_i(begins),
      .coded_i(in.bfp),
      .slot_i (in.packet.slot[SW-1:0]),
      .lines_i(in.lines[HW:0]),
      .wants_i(wants),
      .ask_i  (ask_q[HW-1:0]),
      .read_o (read),
      .take_i (take),
      .line_i (line_q[1:0]),
      .prd_valid_o,
      .prd_ready_i,
      .prd_addr_o,
      .prd_data_i,
      .line_o (packet)
  );

  always_ff @(posedge clk_i) begin
    if (read) begin
      line_q <= ask_q[HW-1:0];
      last_q <= last;
      ask_q  <= ask_q + 1'b1;
    end
    if (begins) begin
      ask_q   <= '0;
      lines_q <= in.lines[HW:0];
      half_q  <= {in.context_[CW-1:0], in.half};
      copy_q  <= in_copies;
      own_q   <= in.own;
      kind_q  <= in.kind;
      op_q    <= in.op;
      spent_o <= in.packet;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read || take) some_q <= read;
    if (begins) reading_q <= 1'b1;
    else if (read && last) reading_q <= 1'b0;
    if (read && last) spent_valid_o <= 1'b1;
    else if (spent_ready_i) spent_valid_o <= 1'b0;
    if (enters != leaves) folds_q <= enters ? folds_q + 1'b1 : folds_q - 1'b1;
    if (rst_i) {some_q, reading_q, spent_valid_o, folds_q} <= '0;
  end

  // The line that is made, and how far those of its half are; quick: none is waited for.
  logic              made, made_last, fold_last, follows;
  logic       [CW:0] made_half, fold_half, made_half_q;
  logic     [HW-1:0] made_line, fold_line;
  logic       [HW:0] made_q;
  logic [HALVES-1:0] quick_q;

  assign enters    = begins && !in_copies;
  assign leaves    = fold_valid && fold_last;
  assign made      = fold_valid || (some_q && copy_q);
  assign made_last = fold_valid ? fold_last : last_q;
  assign made_half = fold_valid ? fold_half : half_q;
  assign made_line = fold_valid ? fold_line : line_q;
  assign follows   = quick_q[out_half] && made_half_q == out_half && {1'b0, out_line} < made_q;

  always_ff @(posedge clk_i) begin
    if (start_packet) begin
      quick_q[half] <= copies || (move_i.own && move_i.kind == fsh_coll_pkg::TYPE_FLOAT);
      if (made_half_q == half) made_q <= '0;
    end
    if (made) begin
      made_half_q <= made_half;
      made_q      <= {1'b0, made_line} + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (made && made_last) due_q[made_half] <= 1'b0;
    if (start_packet) due_q[half] <= 1'b1;
    if (rst_i) due_q <= '0;
  end

  // Reduction; side is the line, whose it is, whether it is the last.
  fsh_cfold #(
      .SIDE(HW + CW + 2),
      .FP64(FP64)
  ) i_fold (
      .clk_i,
      .rst_i,
      .valid_i(some_q && !copy_q),
      .ready_o(fold_ready),
      .type_i (kind_q),
      .op_i   (op_q),
      .a_i    (own_q ? own_line : sum_line),
      .b_i    (packet),
      .side_i ({last_q, half_q, line_q}),
      .valid_o(fold_valid),
      .ready_i(1'b1),
      .out_o  (fold_out),
      .side_o ({fold_last, fold_half, fold_line}),
      .busy_o ()
  );

  fsh_cown #(
      .CONTEXTS(CONTEXTS),
      .LINES   (1 << HW)
  ) i_own (
      .clk_i,
      .rst_i,
      .start_i(start_own),
      .move_i,
      .hold_i (own_hold),
      .busy_o (own_busy),
      .some_o (own_some),
      .half_o (own_half),
      .line_o (own_ask),
      .loads_o   (loads),
      .fetching_o(path_o.fetching),
      .fetched_o (path_o.fetched),
      .bad_o  (rd_bad),
      .mrd_valid_o,
      .mrd_ready_i,
      .mrd_addr_o,
      .mrd_rvalid_i,
      .mrd_data_i,
      .mrd_err_i,
      .we_o   (own_we),
      .waddr_o(own_waddr),
      .wdata_o(own_wdata)
  );

  assign own_hold  = (out_reading && out_own && out_half == own_half) ||
                     (out_waits && out_waiting_own && out_waiting_half == own_half) ||
                     (reading_q && own_q && !copy_q && half_q == own_half &&
                      ask_q <= {1'b0, own_ask}) ||
                     (in_waits && in_waiting.own && in_waiting_half == own_half);
  assign out_hold  = !out_own && due_q[out_half] && !follows;
  assign out_open  = !(some_q && !copy_q && out_own == own_q);

  fsh_cway #(
      .CONTEXTS(CONTEXTS),
      .LINES   (1 << HW)
  ) i_way (
      .clk_i,
      .rst_i,
      .start_i  (start_out),
      .move_i,
      .hold_i   (out_hold),
      .open_i   (out_open),
      .room_o   (out_room),
      .busy_o   (out_busy),
      .reading_o(out_reading),
      .half_o   (out_half),
      .own_o    (out_own),
      .waits_o  (out_waits),
      .waiting_half_o(out_waiting_half),
      .waiting_own_o (out_waiting_own),
      .stands_o (out_stands),
      .settled_o,
      .wr_err_o (wr_bad),
      .read_o   (out_read),
      .line_o   (out_line),
      .line_i   (out_own ? own_line : sum_line),
      .mwr_valid_o,
      .mwr_ready_i,
      .mwr_post_o,
      .mwr_addr_o,
      .mwr_data_o,
      .mwr_strb_o,
      .mwr_done_i,
      .mwr_err_i,
      .tx_valid_o,
      .tx_ready_i,
      .tx_coded_o,
      .tx_first_o,
      .tx_last_o,
      .tx_dest_o,
      .tx_addr_o,
      .tx_bytes_o(tx_bytes),
      .tx_data_o
  );

  assign tx_bytes_o = tx_bytes[LW+6:0];

  // What comes from memory, and what is made of packets.
  logic out_own_read, out_sum_read, own_read, sum_read;

  assign out_own_read = out_read && out_own;
  assign out_sum_read = out_read && !out_own;
  assign own_read     = out_own_read || (read && !copy_q && own_q);
  assign sum_read     = out_sum_read || (read && !copy_q && !own_q);

  fsh_ram #(
      .WIDTH(512),
      .DEPTH(2 * CONTEXTS << HW)
  ) i_owns (
      .clk_i,
      .we_i   (own_we),
      .waddr_i(own_waddr),
      .wdata_i(own_wdata),
      .re_i   (own_read),
      .raddr_i(out_own_read ? {out_half, out_line} : {half_q, ask_q[HW-1:0]}),
      .rdata_o(own_line)
  );

  fsh_ram #(
      .WIDTH(512),
      .DEPTH(2 * CONTEXTS << HW)
  ) i_sums (
      .clk_i,
      .we_i   (made),
      .waddr_i({made_half, made_line}),
      .wdata_i(fold_valid ? fold_out : packet),
      .re_i   (sum_read),
      .raddr_i(out_sum_read ? {out_half, out_line} : {half_q, ask_q[HW-1:0]}),
      .rdata_o(sum_line)
  );

  `FSH_ASSERT(a_start, (start_out || start_own || start_packet) == (valid_i && path_o.ready))
  `FSH_ASSERT(a_one, !(out_read && read && !copy_q && out_own == own_q))
  `FSH_ASSERT(a_operand, !(own_we && reading_q && own_q && !copy_q &&
              own_waddr[HW+:CW+1] == half_q && own_waddr[HW-1:0] >= ask_q[HW-1:0]))
  `FSH_ASSERT(a_made, !(fold_valid && some_q && copy_q) && (!made || due_q[made_half]))
  `FSH_ASSERT(a_sent, !(made && out_reading && !out_own && made_half == out_half) ||
              made_line >= out_line)
endmodule

`default_nettype wire
