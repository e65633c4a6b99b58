// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Drains the tiles of the array: reads them, adds what stands in C and the bias
/// as the command says, applies ReLU, and hands the beats to fsh_cwrite, a quad
/// (four beats) a cycle, one in two cycles where both C and bias are added.
/// Order GEMM: for each x group all column groups, then the extents of its rows.
/// CONV: for each column group all x groups, an extent after each. A tile's
/// first read of the array is five cycles after the tile is taken.
/// C of a command is read and written only when all results of the commands
/// before are written. While there is no tile fsh_celem uses adders, lanes and extents.
/// Reset: no tile.
module fsh_cout #(
    parameter int unsigned DRAIN = 4  // cycles from rd_valid_o to rd_valid_i
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                tile_valid_i,
    output logic                     tile_ready_o,
    input  fsh_cout_pkg::tile_t      tile_i,
    output logic                     tile_done_o,  // pulse, in order: the bank is free
    // Drain port of the array.
    output logic                     rd_valid_o,
    output logic                     rd_bank_o,
    output logic               [6:0] rd_index_o,
    input  wire logic                rd_valid_i,
    input  wire logic       [4095:0] rd_data_i,
    // A client of fsh_cread.
    output logic                     req_valid_o,
    input  wire logic                req_ready_i,
    output fsh_cout_pkg::read_t      req_o,
    input  wire logic                rsp_valid_i,
    input  wire logic       [2047:0] rsp_data_i,
    input  wire logic          [1:0] rsp_err_i,  // AXI error, out of range
    // fsh_cwrite.
    output logic               [3:0] wr_valid_o,
    input  wire logic          [3:0] wr_ready_i,
    output logic             [127:0] wr_addr_o,
    output logic            [2047:0] wr_data_o,
    output logic              [63:0] wr_strb_o,
    output logic               [3:0] wr_cmd_o,
    input  wire logic         [31:0] issued_i,
    input  wire logic         [31:0] done_i,
    // fsh_art.
    output logic                     ext_valid_o,
    input  wire logic                ext_ready_i,
    output fsh_cout_pkg::ext_t       ext_o,
    // fsh_celem, while no tile is here: 64 values into the adders; a result.
    input  wire logic                el_valid_i,
    input  wire logic                el_add_i,   // to el_b_i
    input  wire logic                el_loop_i,  // to the sum of four cycles before
    input  wire logic         [2047:0] el_a_i,
    input  wire logic         [2047:0] el_b_i,
    input  wire logic                el_quad_valid_i,  // this sum leaves
    input  fsh_cout_pkg::quad_t      el_quad_i,
    input  fsh_cout_pkg::group_t     el_group_i,
    output logic                     el_room_o,  // for a result
    output logic               [3:0] err_o,  // of reads; as fsh_cwrite
    output logic                     busy_o  // state changes at the next edge
);
  localparam int unsigned AHEAD = 64;  // quads whose C is asked for before they are drained
  localparam int unsigned QUAD = 87;

  // The tile's quads, ahead of the array as far as C allows.
  logic                quad_push, quad_room, group_valid, group_ready, start, slot, drained;
  logic                c_room, c_ask, ask, ask_ready, kind_room, walk_busy, ext_busy, math_busy;
  fsh_cout_pkg::quad_t quad_new, quad;
  fsh_cout_pkg::group_t group;
  fsh_cout_pkg::read_t ask_read;
  logic [2:0]          kind_new, kind;
  logic                kind_valid;
  logic [1:0]          tiles_q;  // taken and not drained

  fsh_cout_walk i_walk (
      .clk_i,
      .rst_i,
      .tile_valid_i,
      .tile_ready_o,
      .tile_i,
      .hold_i       (tiles_q[1]),
      .start_o      (start),
      .slot_o       (slot),
      .drained_i    (drained),
      .issued_i,
      .done_i,
      .quad_valid_o (quad_push),
      .quad_ready_i (quad_room),
      .quad_o       (quad_new),
      .group_valid_o(group_valid),
      .group_ready_i(group_ready),
      .group_o      (group),
      .c_room_i     (c_room),
      .c_ask_o      (c_ask),
      .req_valid_o  (ask),
      .req_ready_i  (ask_ready),
      .req_o        (ask_read),
      .kind_ready_i (kind_room),
      .kind_o       (kind_new),
      .busy_o       (walk_busy)
  );

  fsh_skid #(
      .WIDTH(56)
  ) i_ask (
      .clk_i,
      .rst_i,
      .valid_i(ask),
      .ready_o(ask_ready),
      .data_i (ask_read),
      .valid_o(req_valid_o),
      .ready_i(req_ready_i),
      .data_o (req_o)
  );

  fsh_fifo #(
      .WIDTH(3),
      .DEPTH(64)
  ) i_kinds (
      .clk_i,
      .rst_i,
      .valid_i(ask),
      .ready_o(kind_room),
      .data_i (kind_new),
      .valid_o(kind_valid),
      .ready_i(rsp_valid_i),
      .data_o (kind),
      .count_o()
  );

  logic quad_valid, issue;

  fsh_fifo #(
      .WIDTH(QUAD),
      .DEPTH(AHEAD)
  ) i_quads (
      .clk_i,
      .rst_i,
      .valid_i(quad_push),
      .ready_o(quad_room),
      .data_i (quad_new),
      .valid_o(quad_valid),
      .ready_i(issue),
      .data_o (quad),
      .count_o()
  );

  // Answers: C into its queue, bias into its memory.
  logic          c_push, b_push, c_pushed, c_valid, c_pop;
  logic [2047:0] c_data;
  logic    [6:0] c_open_q, c_have_q;
  logic    [7:0] b_have0_q, b_have1_q, b_have;  // beats of bias, by half of the memory

  assign b_push = rsp_valid_i && kind[0];
  assign c_push = rsp_valid_i && !kind[0];
  assign c_room = c_open_q < 7'(AHEAD);
  assign b_have = quad.bias_at[7] ? b_have1_q : b_have0_q;

  fsh_fifo #(
      .WIDTH(2048),
      .DEPTH(AHEAD),
      .BLOCK(1'b1)
  ) i_c (
      .clk_i,
      .rst_i,
      .valid_i(c_push),
      .ready_o(c_pushed),
      .data_i (rsp_data_i),
      .valid_o(c_valid),
      .ready_i(c_pop),
      .data_o (c_data),
      .count_o()
  );

  always_ff @(posedge clk_i) begin
    if (c_ask != c_pop) c_open_q <= c_ask ? c_open_q + 7'd1 : c_open_q - 7'd1;
    if (c_push != (issue && quad.add_c))
      c_have_q <= c_push ? c_have_q + 7'd1 : c_have_q - 7'd1;
    if (b_push && !kind[1]) b_have0_q <= b_have0_q + 8'd1;
    if (b_push && kind[1]) b_have1_q <= b_have1_q + 8'd1;
    if (start && !slot) b_have0_q <= '0;
    if (start && slot) b_have1_q <= '0;
    if (start != tile_done_o) tiles_q <= start ? tiles_q + 2'd1 : tiles_q - 2'd1;
    err_o <= '0;
    if (rsp_valid_i) err_o[{kind[2], 1'b0}+:2] <= rsp_err_i;
    if (rst_i) begin
      c_open_q <= '0;
      c_have_q <= '0;
      tiles_q  <= '0;
      err_o    <= '0;
    end
  end

  // The next quad starts when what it adds is there and the lanes have room for
  // it. Of two passes: on even cycles. Both kinds never meet: fsh_cout_walk lets all
  // of a command out before the next.
  logic even_q, room, math_valid;

  assign issue = quad_valid && room && (!quad.add_c || c_have_q != '0) &&
                 (!quad.add_b || b_have > {1'b0, quad.bias_at[6:0]}) &&
                 (!quad.two || even_q);

  always_ff @(posedge clk_i) begin
    even_q <= !even_q;
    rd_valid_o <= issue && !quad.second;
    if (issue && !quad.second) {rd_bank_o, rd_index_o} <= {quad.bank, quad.index};
    if (rst_i) begin
      even_q     <= 1'b0;
      rd_valid_o <= 1'b0;
    end
  end

  // Until its data arrives.
  localparam int unsigned SIDE = 13;
  logic [DRAIN:0]            on_way_q;
  logic [(DRAIN+1)*SIDE-1:0] side_q;
  logic [SIDE-1:0]           side;

  assign side = side_q[DRAIN*SIDE+:SIDE];

  always_ff @(posedge clk_i) begin
    on_way_q <= {on_way_q[DRAIN-1:0], issue};
    side_q   <= {side_q[DRAIN*SIDE-1:0], quad.over, quad.second, quad.two, quad.add_c, quad.add_b,
                 quad.bias_at};
    tile_done_o <= on_way_q[DRAIN] && side[12];
    if (rst_i) begin
      on_way_q    <= '0;
      tile_done_o <= 1'b0;
    end
  end

  logic [2047:0] math;

  fsh_cout_math i_math (
      .clk_i,
      .rst_i,
      .bias_we_i   (b_push),
      .bias_waddr_i({kind[1], kind[1] ? b_have1_q[6:0] : b_have0_q[6:0]}),
      .bias_wdata_i(rsp_data_i[511:0]),
      .arrive_i    (on_way_q[DRAIN]),
      .second_i    (side[11]),
      .two_i       (side[10]),
      .add_c_i     (side[9]),
      .add_b_i     (side[8]),
      .bias_at_i   (side[7:0]),
      .data_i      (rd_data_i),
      .c_valid_i   (c_valid),
      .c_ready_o   (c_pop),
      .c_data_i    (c_data),
      .el_valid_i,
      .el_add_i,
      .el_loop_i,
      .el_last_i   (el_quad_valid_i),
      .el_a_i,
      .el_b_i,
      .valid_o     (math_valid),
      .data_o      (math),
      .busy_o      (math_busy)
  );

  // Where it goes.
  logic [3:0] marks;
  logic       lanes_empty;

  fsh_cout_lanes i_lanes (
      .clk_i,
      .rst_i,
      .issue_i(issue || el_quad_valid_i),
      .quad_i (el_quad_valid_i ? el_quad_i : quad),
      .room_o (room),
      .empty_o(lanes_empty),
      .valid_i(math_valid),
      .data_i (math),
      .wr_valid_o,
      .wr_ready_i,
      .wr_addr_o,
      .wr_data_o,
      .wr_strb_o,
      .wr_cmd_o,
      .mark_o (marks)
  );

  assign drained   = !quad_valid && lanes_empty;
  assign el_room_o = room && group_ready;

  fsh_cout_ext i_ext (
      .clk_i,
      .rst_i,
      .group_valid_i(group_valid || el_quad_valid_i),
      .group_ready_o(group_ready),
      .group_i      (el_quad_valid_i ? el_group_i : group),
      .mark_i       (marks),
      .issued_i,
      .done_i,
      .ext_valid_o,
      .ext_ready_i,
      .ext_o,
      .busy_o       (ext_busy)
  );

  assign busy_o = walk_busy || quad_valid || !lanes_empty || ext_busy || req_valid_o ||
                  kind_valid || rsp_valid_i || math_busy || tile_done_o;

  `FSH_ASSERT(a_drain, rd_valid_i == (on_way_q[DRAIN] && !side[11]))
  `FSH_ASSERT(a_answer, !rsp_valid_i || kind_valid)
  `FSH_ASSERT(a_c, !c_push || c_pushed)
  `FSH_ASSERT(a_element, !el_valid_i || (!walk_busy && !quad_valid && on_way_q == '0))
  `FSH_ASSERT(a_element_room, !el_quad_valid_i || (el_valid_i && el_room_o))
endmodule

`default_nettype wire
