// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The data path of a unit: moves (fsh_coll_pkg::MOVE_*) of up to 4 LINES lines of 64 bytes,
/// a line a cycle where both ends allow it and the reduction does. Three at once: a local
/// operand (fsh_cown), a packet that is copied or combined, one on its way out (fsh_cway).
/// Each context has two packets of local operand and two of result, halves, in turns, so
/// that the items of a packet go on beside the way out of the one before. They are FP32: an
/// encoded packet (move_t::bfp) is decoded when it is read, and encoded on the way out.
/// start_i with the move's description, which may be while path_o says so: no other of its
/// kind is under way, and what it reads is there, or will be by the time it is read; what
/// it writes is read by nobody else. failed_o: an error of a read for a local operand or
/// of a write, as a pulse for its context. Memory: fsh_cown, fsh_cway; the way out too.
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
    input  wire logic                start_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::move_t move_i,  // fields as wide as any unit needs
    /* verilator lint_on UNUSEDSIGNAL */
    output fsh_coll_pkg::path_t      path_o,
    output logic      [CONTEXTS-1:0] settled_o,
    output logic      [CONTEXTS-1:0] failed_o,
    output logic                     busy_o,
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
    output logic               [7:0] tx_dest_o,
    output fsh_spec_pkg::colladdr_t  tx_addr_o,
    output logic            [LW+6:0] tx_bytes_o,
    output logic             [511:0] tx_data_o
);
  logic        is_out, is_packet, is_memory;
  logic [CW:0] half, own_half, out_half;
  logic        own_busy, own_we, own_hold, out_busy, out_own, out_hold, out_read, out_open;
  logic [CW+HW:0]      own_waddr;
  logic [511:0]        own_wdata, own_line, sum_line;
  logic [HW-1:0]       out_line;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [HW+6:0]       tx_bytes;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [CONTEXTS-1:0] rd_bad, wr_bad;

  assign half      = {move_i.context_[CW-1:0], move_i.half};
  assign is_out    = move_i.what == fsh_coll_pkg::MOVE_OUT;
  assign is_packet = move_i.what == fsh_coll_pkg::MOVE_COPY ||
                     move_i.what == fsh_coll_pkg::MOVE_FOLD;
  assign is_memory = !is_out && !is_packet;

  // A packet: copied, or combined with the local operand or what stands there.
  logic          busy_q, copy_q, own_q, more, some_q, take, read, got, fold_ready, fold_valid;
  logic   [CW:0] half_q;
  logic   [HW:0] lines_q, ask_q, got_q;  // lines asked for, lines through
  logic [HW-1:0] line_q, fold_line;
  logic    [2:0] kind_q;
  logic    [3:0] op_q;
  logic          wants, same, loading, reading;
  logic  [511:0] packet, fold_out;

  assign loading    = own_busy && own_half == half;
  assign path_o.loading  = loading;
  assign path_o.ready    = is_out ? !out_busy : is_memory ? !own_busy :
                     !busy_q && !loading && !(out_busy && !out_own && out_half == half);
  assign failed_o  = rd_bad | wr_bad;
  assign busy_o    = busy_q || own_busy || out_busy;

  // Lines of the operand and of the packet: read, and a cycle later taken. Operands are
  // read by the way out, too: it goes first, but not before a line that stands here.
  assign same        = out_busy && !out_hold && out_own == own_q;
  assign more        = ask_q != lines_q;
  assign reading     = busy_q && more;
  assign wants       = reading && (!some_q || take) && (copy_q || !same);
  assign take        = some_q && (copy_q || fold_ready);
  assign got         = copy_q ? take : fold_valid;

  fsh_cunpack #(
      .LINES(LINES),
      .SLOTS(SLOTS)
  ) i_unpack (
      .clk_i,
      .rst_i,
      .start_i(start_i && is_packet),
      .coded_i(move_i.bfp),
      .slot_i (move_i.slot[SW-1:0]),
      .lines_i(move_i.lines[HW:0]),
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
      ask_q  <= ask_q + 1'b1;
    end
    if (got) got_q <= got_q + 1'b1;
    if (start_i && is_packet) begin
      ask_q   <= '0;
      got_q   <= '0;
      lines_q <= move_i.lines[HW:0];
      half_q  <= half;
      copy_q  <= move_i.what == fsh_coll_pkg::MOVE_COPY;
      own_q   <= move_i.own;
      kind_q  <= move_i.kind;
      op_q    <= move_i.op;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read || take) some_q <= read;
    if (start_i && is_packet) busy_q <= 1'b1;
    else if (got && got_q + 1'b1 == lines_q) busy_q <= 1'b0;
    if (rst_i) {busy_q, some_q} <= '0;
  end

  // Reduction; side is the line.
  fsh_cfold #(
      .SIDE(HW),
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
      .side_i (line_q),
      .valid_o(fold_valid),
      .ready_i(1'b1),
      .out_o  (fold_out),
      .side_o (fold_line),
      .busy_o ()
  );

  fsh_cown #(
      .CONTEXTS(CONTEXTS),
      .LINES   (1 << HW)
  ) i_own (
      .clk_i,
      .rst_i,
      .start_i(start_i && is_memory),
      .move_i,
      .hold_i (own_hold),
      .busy_o (own_busy),
      .half_o (own_half),
      .err_o  (path_o.fetch_err),
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

  assign path_o.fetching = own_busy;
  assign path_o.reading  = reading;
  assign own_hold   = out_busy && out_own && out_half == own_half;
  assign out_hold   = busy_q && !out_own && out_half == half_q;
  assign out_open   = !(some_q && !copy_q && out_own == own_q);

  fsh_cway #(
      .CONTEXTS(CONTEXTS),
      .LINES   (1 << HW)
  ) i_way (
      .clk_i,
      .rst_i,
      .start_i  (start_i && is_out),
      .move_i,
      .hold_i   (out_hold),
      .open_i   (out_open),
      .busy_o   (out_busy),
      .half_o   (out_half),
      .own_o    (out_own),
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
      .we_i   (busy_q && got),
      .waddr_i({half_q, copy_q ? line_q : fold_line}),
      .wdata_i(copy_q ? packet : fold_out),
      .re_i   (sum_read),
      .raddr_i(out_sum_read ? {out_half, out_line} : {half_q, ask_q[HW-1:0]}),
      .rdata_o(sum_line)
  );

  `FSH_ASSERT(a_start, !start_i || path_o.ready)
  `FSH_ASSERT(a_one, !(out_read && read && !copy_q && out_own == own_q))
  `FSH_ASSERT(a_operand, !(own_we && busy_q && own_q && !copy_q && own_half == half_q &&
              (some_q || more)))
endmodule

`default_nettype wire
