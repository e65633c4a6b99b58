// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Parking queue next to a submission window for commands of messages longer than a packet (bulk)
/// that wait for a context, so that commands behind them need not: payloads from a memory, and
/// arguments with their rows. A payload passes through at once if nothing is parked and the core
/// accepts it in the first cycle of its offer; otherwise it is parked in the next cycle, as
/// arguments always are.
/// Parked commands leave in order, up to DEPTH + 1 of them; any other command overtakes them, and
/// is offered first, unless it has rows while the rows of parked arguments are being sent: rows
/// go to the core one command at a time. A parked command is offered after two cycles at the
/// earliest. out_* may change while it waits. Reset empties it.
module fsh_park #(
    parameter bit REPLY = 1'b0,  // the channel
    parameter int unsigned DEPTH = 64
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    // The window; win_rows_i: it is streaming rows.
    input  wire logic               win_valid_i,
    output logic                    win_ready_o,
    input  wire fsh_fn_pkg::path_t  win_path_i,
    input  wire logic               win_bulk_i,
    input  wire logic               win_loop_i,
    input  wire fsh_spec_pkg::cmd_t win_i,
    input  wire logic               win_rows_i,
    input  wire logic               row_valid_i,
    output logic                    row_ready_o,
    input  wire logic       [127:0] row_i,
    // The core.
    output logic                    out_valid_o,
    input  wire logic               out_ready_i,
    output fsh_fn_pkg::path_t       out_path_o,
    output logic                    out_bulk_o,
    output logic                    out_loop_o,
    output fsh_spec_pkg::cmd_t      out_o,
    output logic                    rows_valid_o,
    input  wire logic               rows_ready_i,
    output logic            [127:0] rows_o,
    // Nothing is parked. What is in the window, and here, stays unless the core accepts it; said
    // while nothing of the window is accepted.
    input  wire logic               stopped_i,
    output logic                    empty_o,
    output logic                    still_o
);
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  localparam int unsigned PATH_W = fsh_fn_pkg::PATH_W;
  localparam int unsigned MOST = fsh_spec_pkg::MAX_ARGS / 4;  // maximum rows of a command
  localparam int unsigned ROWS = 2 * DEPTH;
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);

  // The fields of a command that a message longer than a packet needs.
  typedef struct packed {
    logic              loop;
    logic [PATH_W-1:0] path;  // path_t
    logic [7:0]        opcode;
    logic [1:0]        category;
    logic              ack;
    logic              rspace;
    logic [NODE_W-1:0] dst;
    logic [4:0]        nargs;
    logic [TAG_W-1:0]  tag;
    logic [1:0]        lspace;
    logic [39:0]       raddr;
    logic [39:0]       laddr;
    logic [23:0]       length;
  } parked_t;

  parked_t              in, head;
  logic                 apart, aside, pass, push, pop, room, valid, tried_q;
  logic [COUNT_W-1:0]   count;
  logic [COUNT_W:0]     row_count;
  logic                 row_push, row_valid, row_pop, row_fits, row_room;
  logic [127:0]         row;
  logic                 straight_q;         // rows of the window go straight to the core
  logic [2:0]           rows_in_q, rows_out_q;  // left to move into the queue, and out of it

  // tried_q: the core did not accept it. A command with rows is stored in neither memory.
  assign apart       = win_i.lspace == fsh_seq_pkg::APART;
  assign row_fits    = row_count <= (COUNT_W + 1)'(ROWS - MOST);
  always_comb begin
    {aside, pass, push} = '0;
    if (win_valid_i) begin
      aside = win_bulk_i && (apart || tried_q || !empty_o);
      pass  = !aside && !(win_i.lspace[1] && rows_out_q != '0);
      push  = aside && room && (!apart || row_fits);
    end
  end
  assign win_ready_o = aside ? push : pass && out_ready_i;
  assign out_valid_o = pass || (valid && !(head.lspace[1] && (straight_q || rows_out_q != '0)));
  assign pop         = out_ready_i && !pass;
  assign empty_o     = !valid && count == '0;
  always_comb begin
    still_o = 'x;
    if (stopped_i)
      still_o = !(win_valid_i && win_bulk_i && room && (!apart || row_fits)) &&
                (valid || count == '0) && (row_valid || row_count == '0) &&
                rows_in_q == '0 && !straight_q;
  end

  // Rows.
  assign row_push     = row_valid_i && rows_in_q != '0;
  assign row_pop      = rows_ready_i && rows_out_q != '0;
  assign row_ready_o  = rows_in_q != '0 || (rows_ready_i && rows_out_q == '0);
  assign rows_valid_o = rows_out_q != '0 ? row_valid : row_valid_i && rows_in_q == '0;
  assign rows_o       = rows_out_q != '0 ? row : row_i;

  always_ff @(posedge clk_i) begin
    tried_q    <= pass && win_bulk_i && !out_ready_i;
    straight_q <= (pass && out_ready_i && win_i.lspace[1]) || (straight_q && win_rows_i);
    if (push && apart) rows_in_q <= fsh_fn_pkg::arg_beats(win_i.nargs);
    else if (row_push) rows_in_q <= rows_in_q - 3'd1;
    if (pop && head.lspace[1]) rows_out_q <= fsh_fn_pkg::arg_beats(head.nargs);
    else if (row_pop && row_valid) rows_out_q <= rows_out_q - 3'd1;
    if (rst_i) begin
      tried_q    <= 1'b0;
      straight_q <= 1'b0;
      rows_in_q  <= '0;
      rows_out_q <= '0;
    end
  end

  fsh_fifo #(
      .WIDTH($bits(row)),
      .DEPTH(ROWS),
      .BLOCK(1'b1)
  ) i_rows (
      .clk_i,
      .rst_i,
      .valid_i(row_push),
      .ready_o(row_room),
      .data_i (row_i),
      .valid_o(row_valid),
      .ready_i(row_pop),
      .data_o (row),
      .count_o(row_count)
  );

  always_comb begin
    in = 'x;  // unused unless the window has a command
    if (win_valid_i) begin
      in.loop     = win_loop_i;
      in.path     = win_path_i;
      in.opcode   = win_i.opcode;
      in.category = win_i.category;
      in.ack      = win_i.ack;
      in.rspace   = win_i.rspace[0];
      in.dst      = win_i.dst[NODE_W-1:0];
      in.nargs    = win_i.nargs;
      in.tag      = win_i.tag[TAG_W-1:0];
      in.lspace   = win_i.lspace;
      in.raddr    = win_i.raddr;
      in.laddr    = win_i.laddr;
      in.length   = win_i.length;
    end
  end

  fsh_fifo #(
      .WIDTH($bits(in)),
      .DEPTH(DEPTH),
      .BLOCK(1'b1)
  ) i_fifo (
      .clk_i,
      .rst_i,
      .valid_i(push),
      .ready_o(room),
      .data_i (in),
      .valid_o(valid),
      .ready_i(pop),
      .data_o (head),
      .count_o(count)
  );

  always_comb begin
    out_path_o = 'x;
    out_bulk_o = 'x;
    out_loop_o = 'x;
    out_o      = 'x;
    if (pass) begin
      out_path_o = win_path_i;
      out_bulk_o = win_bulk_i;
      out_loop_o = win_loop_i;
      out_o      = win_i;
    end else if (valid) begin
      out_path_o     = head.path;
      out_bulk_o     = !head.lspace[1];
      out_loop_o     = head.loop;
      out_o          = '0;
      out_o.opcode   = head.opcode;
      out_o.category = head.category;
      out_o.reply    = REPLY;
      out_o.ack      = head.ack;
      out_o.rspace   = {1'b0, head.rspace};
      out_o.dst      = 8'(head.dst);
      out_o.nargs    = head.nargs;
      out_o.tag      = 11'(head.tag);
      out_o.lspace   = head.lspace;
      out_o.raddr    = head.raddr;
      out_o.laddr    = head.laddr;
      out_o.length   = head.length;
    end
  end

  // Nothing of a parked command is lost.
  `FSH_ASSERT(assert_bulk, !push || (!win_i.ordered && !win_i.rspace[1] && win_i.reply == REPLY))
  `FSH_ASSERT(assert_tried, !tried_q || (win_valid_i && aside && empty_o))
  `FSH_ASSERT(assert_room, !row_push || row_room)
  `FSH_ASSERT(assert_rows, !straight_q || rows_out_q == '0)
endmodule

`default_nettype wire
