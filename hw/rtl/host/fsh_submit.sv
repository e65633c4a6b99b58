// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One submission window: stores the entries that the host writes and, once the doorbell covers a
/// command, reads, checks and offers it, then streams its argument and inline rows. Commands
/// leave in order, six cycles apart if they have no rows.
/// A command with arguments whose payload comes from a memory is offered as two, the payload
/// first, so that rows never wait for a memory; the arguments, as those of any command without
/// payload, as fsh_seq_pkg::APART.
/// A command that fails a check is skipped with all its entries and reported as REFUSED with its
/// status; if it claims more entries than were submitted, all submitted ones are skipped. head_o:
/// entries consumed, modulo 2^32. Reset empties the window.
module fsh_submit #(
    parameter int unsigned PORTS = 2,
    parameter bit REPLY = 1'b0  // the channel of this window
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic         [7:0] node_i,
    input  wire logic         [7:0] nodes_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic   [PORTS-1:0] ports_i,
    input  wire logic        [39:0] seg_size_i,
    input  wire logic        [39:0] host_size_i,
    input  wire fsh_node_pkg::route_t route_i,
    // Window writes: 64-bit word index in the window, and the doorbell.
    input  wire logic               we_i,
    input  wire logic         [8:0] waddr_i,
    input  wire logic        [63:0] wdata_i,
    input  wire logic               tail_we_i,
    output logic             [31:0] head_o,
    // The current command, or part of it.
    output logic                    cmd_valid_o,
    input  wire logic               cmd_ready_i,
    output fsh_spec_pkg::cmd_t      cmd_o,
    output fsh_fn_pkg::path_t       cmd_path_o,
    output logic                    cmd_bulk_o,    // of a message longer than a packet
    output logic                    cmd_loop_o,    // to this node
    output logic             [40:0] cmd_end_o,     // of its local range
    // Its rows; the next command follows once they have been taken.
    output logic                    rows_o,
    output logic                    rows_valid_o,
    input  wire logic               rows_ready_i,
    output logic            [127:0] rows_data_o,
    output logic                    cpl_valid_o,
    input  wire logic               cpl_ready_i,
    output fsh_spec_pkg::ring_t     cpl_o,
    // Idle, or only a command to offer.
    output logic                    empty_o,
    output logic                    waiting_o
);
  /*verilator no_inline_module*/  // instances share code, to stay in the instruction cache
  typedef enum logic [2:0] {
    Idle,
    Row0,
    Row1,
    Sum,
    Judge,
    Offer,
    Rows,
    Refuse
  } state_e;
  state_e             state_q;
  logic [31:0]        head_q, tail_q;
  logic [127:0]       row, row0_q;
  fsh_spec_pkg::cmd_t cmd_q;
  logic [7:0]         raddr;
  (* ram_style = "distributed" *) logic [39:0] size_mem[fsh_spec_pkg::MAX_NODES];
  logic [39:0]        peer_size;
  fsh_fn_pkg::path_t  path, path_q;
  logic [40:0]        lend_q, rend_q;
  logic [11:0]        pend_q;
  logic [6:0]         rows_q, rows_left_q;
  logic [5:0]         row_ptr_q;
  logic [31:0]        level;
  logic [3:0]         entries, status, status_q;
  logic               is_put, is_get, is_msg, to_host, is_medium, is_inline, bare, parts;
  logic               rows_push, rows_pushed_q, rows_room;
  logic [2:0]         rows_count;
  logic               bulk_q, loop_q, split_q;  // split_q: its arguments are still to be offered

  // The rows, in two halves so that a 64-bit write needs no mask.
  for (genvar h = 0; h < 2; h++) begin : gen_half
    fsh_ram #(
        .WIDTH($bits(wdata_i)),
        .DEPTH(256)
    ) i_ram (
        .clk_i,
        .we_i   (we_i && waddr_i[0] == (h == 1)),
        .waddr_i(waddr_i[8:1]),
        .wdata_i(wdata_i),
        .re_i   (level != '0 && state_q != Offer),
        .raddr_i(raddr),
        .rdata_o(row[h*64+:64])
    );
  end

  fsh_route #(
      .PORTS(PORTS)
  ) i_route (
      .clk_i,
      .route_i,
      .ports_i,
      .look_i(state_q == Judge),
      .node_i(cmd_q.dst[fsh_spec_pkg::NODE_W-1:0]),
      .path_o(path)
  );

  always_ff @(posedge clk_i) if (route_i.we) size_mem[route_i.node] <= wdata_i[39:0];
  always_comb begin
    peer_size = 'x;
    if (state_q == Judge) peer_size = size_mem[cmd_q.dst[fsh_spec_pkg::NODE_W-1:0]];
  end

  assign level     = tail_q - head_q;
  assign entries   = {1'b0, cmd_q.entries} + 4'd1;
  assign is_put    = cmd_q.opcode == fsh_spec_pkg::OP_PUT;
  assign is_get    = cmd_q.opcode == fsh_spec_pkg::OP_GET;
  assign is_msg    = fsh_spec_pkg::takers(cmd_q.opcode) != '0;
  assign to_host   = cmd_q.opcode >= fsh_spec_pkg::OP_LIBRARY;
  assign is_medium = to_host && cmd_q.category == fsh_spec_pkg::CAT_MEDIUM;
  assign is_inline = cmd_q.lspace == fsh_spec_pkg::SPACE_INLINE;
  assign bare      = cmd_q.nargs != '0 && cmd_q.length == '0;
  assign parts     = split_q && cmd_ready_i;

  // Next row to read.
  always_comb begin
    unique case (state_q)
      Idle: raddr = {head_q[5:0], 2'd0};
      Row0: raddr = {head_q[5:0], 2'd1};
      default: raddr = {head_q[5:0], 2'd0} + {2'd0, row_ptr_q};
    endcase
  end

  // The checks; the first failure in this order is reported: command, node, length, space, local
  // range, remote range.
  logic [6:0] need_entries;

  assign need_entries = {2'b0, rows_q[6:2]} + {6'd0, rows_q[1:0] != '0};

  always_comb begin
    status = fsh_spec_pkg::STATUS_OK;
    if (state_q == Judge) begin
      // For host memory the initiator knows only that addresses have 40 bits.
      if (!is_medium && cmd_q.length != '0 &&
          rend_q > (cmd_q.rspace == fsh_spec_pkg::SPACE_SEGMENT ? {1'b0, peer_size} :
                    41'h100_0000_0000))
        status = fsh_spec_pkg::STATUS_REMOTE_RANGE;
      if (!is_inline && cmd_q.length != '0 &&
          lend_q > {1'b0, cmd_q.lspace == fsh_spec_pkg::SPACE_HOST ? host_size_i : seg_size_i})
        status = fsh_spec_pkg::STATUS_LOCAL_RANGE;
      if (cmd_q.lspace == fsh_spec_pkg::SPACE_COLLECTIVE || cmd_q.rspace[1])
        status = fsh_spec_pkg::STATUS_UNSUPPORTED;
      if (cmd_q.length > 24'(fsh_spec_pkg::MAX_MESSAGE) ||
          cmd_q.nargs > 5'(fsh_spec_pkg::MAX_ARGS) ||
          (is_msg && (cmd_q.nargs == '0 || cmd_q.nargs > 5'd4)) ||  // one beat of them
          (is_get && cmd_q.nargs != '0) ||  // nobody would take their rows
          (is_medium && (cmd_q.length > 24'(fsh_spec_pkg::MAX_MEDIUM) || cmd_q.raddr != '0)) ||
          (cmd_q.category == fsh_spec_pkg::CAT_SHORT && !is_get && cmd_q.length != '0) ||
          (is_inline && (pend_q > {1'b0, packet_i} ||
                         cmd_q.length > 24'(fsh_spec_pkg::MAX_INLINE))))
        status = fsh_spec_pkg::STATUS_BAD_LENGTH;
      if (cmd_q.dst >= nodes_i || (cmd_q.dst != node_i && path.ports == '0))
        status = fsh_spec_pkg::STATUS_BAD_NODE;
      if (cmd_q.check != 8'(fsh_spec_pkg::CMD_CHECK) || cmd_q.rsvd0 != '0 ||
          cmd_q.rsvd1 != '0 || cmd_q.rsvd2 != '0 || cmd_q.rsvd3 != '0 ||
          {28'd0, entries} > level || need_entries > {3'd0, entries} || cmd_q.reply != REPLY ||
          !(is_put || is_get || is_msg || to_host) ||
          (is_put && (cmd_q.category != fsh_spec_pkg::CAT_LONG || (REPLY && cmd_q.ack))) ||
          (is_get && (cmd_q.category != fsh_spec_pkg::CAT_SHORT || REPLY || is_inline)) ||
          (is_msg && (cmd_q.category != fsh_spec_pkg::CAT_SHORT || REPLY)) ||
          (to_host && cmd_q.category > fsh_spec_pkg::CAT_LONG) ||
          cmd_q.tag >= (to_host ? 11'(fsh_spec_pkg::SLOTS_PER_PEER) :
                        11'(fsh_spec_pkg::HOST_TAGS)))
        status = fsh_spec_pkg::STATUS_BAD_COMMAND;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tail_we_i) tail_q <= wdata_i[31:0];
    rows_pushed_q <= rows_push;
    unique case (state_q)
      Idle: if (level != '0) state_q <= Row0;
      Row0: state_q <= Row1;
      Row1: begin
        row_ptr_q <= 6'd2;
        state_q   <= Sum;
      end
      Sum: begin
        lend_q  <= {1'b0, cmd_q.laddr} + {17'd0, cmd_q.length};
        rend_q  <= {1'b0, cmd_q.raddr} + {17'd0, cmd_q.length};
        pend_q  <= {1'b0, cmd_q.raddr[10:0] & (packet_i - 11'd1)} + {1'b0, cmd_q.length[10:0]};
        rows_q  <= 7'd2 + {4'd0, fsh_fn_pkg::arg_beats(cmd_q.nargs)} +
                   (is_inline ? fsh_fn_pkg::pay_beats(4'd0, cmd_q.length[10:0]) : 7'd0);
        state_q <= Judge;
      end
      Judge: begin
        status_q    <= status;
        path_q      <= path;
        loop_q      <= cmd_q.dst == node_i;
        bulk_q      <= !cmd_q.ordered && !is_get && !is_inline &&
                       cmd_q.length > {13'd0, packet_i};
        split_q     <= cmd_q.nargs != '0 && cmd_q.length != '0 && !is_inline;
        rows_left_q <= rows_q - 7'd2;
        state_q     <= status == fsh_spec_pkg::STATUS_OK ? Offer : Refuse;
      end
      Offer: begin
        if (cmd_ready_i) begin
          if (!split_q) state_q <= Rows;
          split_q <= 1'b0;
        end
      end
      Rows: begin
        if (rows_push) begin
          row_ptr_q   <= row_ptr_q + 6'd1;
          rows_left_q <= rows_left_q - 7'd1;
        end
        if (rows_left_q == '0 && !rows_pushed_q && !rows_valid_o) begin
          head_q  <= head_q + {28'd0, entries};
          state_q <= Idle;
        end
      end
      default: begin
        if (cpl_ready_i) begin
          head_q  <= {28'd0, entries} > level ? tail_q : head_q + {28'd0, entries};
          state_q <= Idle;
        end
      end
    endcase
    // After all that read it, so a simulator needs no copy.
    unique case (state_q)
      Row1: cmd_q <= {row, row0_q};
      Sum: if (is_msg) cmd_q.ack <= 1'b1;
      Judge: if (bare) cmd_q.lspace <= fsh_seq_pkg::APART;
      Offer: begin
        if (parts) begin
          cmd_q.lspace <= fsh_seq_pkg::APART;
          if (to_host) cmd_q.ack <= 1'b0;  // of the source
        end
      end
      default: ;
    endcase
    if (rst_i) begin
      state_q       <= Idle;
      head_q        <= '0;
      tail_q        <= '0;
      rows_pushed_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Row0) row0_q <= row;
  end

  // Rows are read in one cycle and queued in the next.
  assign rows_push = state_q == Rows && rows_left_q != '0 && rows_count <= 3'd2;

  fsh_fifo #(
      .WIDTH($bits(row)),
      .DEPTH(4)
  ) i_rows (
      .clk_i,
      .rst_i,
      .valid_i(rows_pushed_q),
      .ready_o(rows_room),
      .data_i (row),
      .valid_o(rows_valid_o),
      .ready_i(rows_ready_i),
      .data_o (rows_data_o),
      .count_o(rows_count)
  );

  assign rows_o      = state_q == Rows;
  assign cmd_valid_o = state_q == Offer;
  assign cmd_o       = cmd_q;
  assign cmd_bulk_o  = bulk_q;
  assign cmd_loop_o  = loop_q;
  assign cmd_end_o   = lend_q;
  assign cmd_path_o  = path_q;
  assign head_o      = head_q;
  assign cpl_valid_o = state_q == Refuse;
  assign empty_o     = state_q == Idle && level == '0;
  assign waiting_o   = state_q == Offer;

  always_comb begin
    cpl_o = 'x;
    if (cpl_valid_o) begin
      cpl_o        = '0;
      cpl_o.kind   = fsh_spec_pkg::CPL_REFUSED;
      cpl_o.reply  = cmd_q.reply;
      cpl_o.status = status_q;
      cpl_o.opcode = cmd_q.opcode;
      cpl_o.node   = cmd_q.dst;
      cpl_o.tag    = cmd_q.tag;
    end
  end

  `FSH_ASSERT(assert_rows, !rows_pushed_q || rows_room)
endmodule

`default_nettype wire
