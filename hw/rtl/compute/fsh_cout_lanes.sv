// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The last part of fsh_cout: keeps where each quad goes beside the adders, meets
/// it with the result (valid_i, in order), applies ReLU, makes four beats of it,
/// and hands them over, each lane at its own pace. room_o of a cycle: two more
/// quads may be started. Beats without mask are not written; the last quad of a
/// group of extents gives mark_o on every lane when the lane has handed over all
/// of the group. Two cycles from a result to its beats. Reset: empty.
module fsh_cout_lanes (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic           issue_i,  // a quad is started
    input  fsh_cout_pkg::quad_t quad_i,
    output logic                room_o,
    output logic                empty_o,  // nothing started that is not handed over
    input  wire logic           valid_i,
    input  wire logic  [2047:0] data_i,
    output logic          [3:0] wr_valid_o,
    input  wire logic     [3:0] wr_ready_i,
    output logic        [127:0] wr_addr_o,
    output logic       [2047:0] wr_data_o,
    output logic         [63:0] wr_strb_o,
    output logic          [3:0] wr_cmd_o,
    output logic          [3:0] mark_o
);
  localparam int unsigned OUT = 32;  // beats of a lane on the way or waiting
  localparam int unsigned LANE = 1 + 1 + 1 + 16 + 32 + 512;
  localparam int unsigned META = 66;
  logic        meta_room, meta_valid, relu, conv, flat, parity, mark;
  logic [4:0]  columns;
  logic [3:0]  mask;
  logic [19:0] stride;
  logic [31:0] addr;

  fsh_fifo #(
      .WIDTH(META),
      .DEPTH(OUT)
  ) i_meta (
      .clk_i,
      .rst_i,
      .valid_i(issue_i),
      .ready_o(meta_room),
      .data_i ({quad_i.mark, quad_i.relu, quad_i.conv, quad_i.flat, quad_i.parity, quad_i.columns,
                quad_i.mask, quad_i.stride, quad_i.addr}),
      .valid_o(meta_valid),
      .ready_i(valid_i),
      .data_o ({mark, relu, conv, flat, parity, columns, mask, stride, addr}),
      .count_o()
  );

  logic          out_valid_q, out_mark_q, out_parity_q;
  logic    [3:0] out_mask_q;
  logic   [15:0] valid_columns;
  logic   [63:0] out_strb_q;
  logic  [127:0] out_addr_q;
  logic [2047:0] out_q;

  assign valid_columns = ~(16'hffff << columns);

  always_ff @(posedge clk_i) begin
    out_valid_q <= valid_i;
    if (valid_i) begin
      out_mark_q   <= mark;
      out_parity_q <= parity;
      out_mask_q   <= mask;
      for (int l = 0; l < 4; l++)
        out_strb_q[l*16+:16] <= conv || (flat && l < 3 && mask[(l+1)%4]) ? '1 : valid_columns;
      out_addr_q   <= {addr + {12'd0, stride} + {11'd0, stride, 1'b0}, addr + {11'd0, stride, 1'b0},
                       addr + {12'd0, stride}, addr};
      for (int i = 0; i < 64; i++)
        out_q[i*32+:32] <= conv && !valid_columns[i%16] ? '0 :
                           relu ? fsh_fp_pkg::relu(data_i[i*32+:32]) : data_i[i*32+:32];
    end
    if (rst_i) out_valid_q <= 1'b0;
  end

  // The lanes, each at its own pace. A beat without mask only carries the mark.
  logic [3:0] lane_room, lane_empty, lane_pop, push_room;

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    logic       valid, write, lane_mark;
    logic [5:0] open_q;  // started and not handed over

    fsh_fifo #(
        .WIDTH(LANE),
        .DEPTH(OUT)
    ) i_fifo (
        .clk_i,
        .rst_i,
        .valid_i(out_valid_q),
        .ready_o(push_room[l]),
        .data_i ({out_mark_q, out_mask_q[l], out_parity_q, out_strb_q[l*16+:16],
                 out_addr_q[l*32+:32], out_q[l*512+:512]}),
        .valid_o(valid),
        .ready_i(lane_pop[l]),
        .data_o ({lane_mark, write, wr_cmd_o[l], wr_strb_o[l*16+:16], wr_addr_o[l*32+:32],
                 wr_data_o[l*512+:512]}),
        .count_o()
    );

    assign wr_valid_o[l] = valid && write;
    assign lane_pop[l]   = valid && (!write || wr_ready_i[l]);
    assign mark_o[l]     = lane_pop[l] && lane_mark;
    assign lane_empty[l] = open_q == '0;
    assign lane_room[l]  = open_q <= 6'(OUT - 3);

    always_ff @(posedge clk_i) begin
      if (issue_i != lane_pop[l]) open_q <= issue_i ? open_q + 6'd1 : open_q - 6'd1;
      if (rst_i) open_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    room_o <= lane_room == '1;
    if (rst_i) room_o <= 1'b0;
  end

  assign empty_o = lane_empty == '1;

  `FSH_ASSERT(a_out, !out_valid_q || push_room == '1)
  `FSH_ASSERT(a_meta, (!issue_i || meta_room) && (!valid_i || meta_valid))
endmodule

`default_nettype wire
