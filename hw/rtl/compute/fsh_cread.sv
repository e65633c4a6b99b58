// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Reads of the compute core: four AXI masters of 512 bits used as one, lane l
/// of a request reading the 64 bytes at addr + l * stride (segment offsets in
/// units of 64 bytes) if its mask bit is set. Clients: 0 operands, 1 results,
/// 2 and 3 commands. Answers leave in the order of all requests; a lane without
/// mask is zero. Only client 0 may make its answers wait; the others take them
/// at once, and ask for no more than they have room for.
/// One request and one answer a cycle; seven cycles and the memory's from
/// request to answer. An address past the segment is read at offset 0 and its
/// answer marked. Reset empties everything; reads under way must not be.
module fsh_cread #(
    parameter int unsigned META  = 8,   // bits of client 0 that come back
    parameter int unsigned DEPTH = 128  // requests under way
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic     [39:0] seg_base_i,
    input  wire logic     [39:0] seg_size_i,
    // Requests, client c in slice c.
    input  wire logic      [3:0] req_valid_i,
    output logic           [3:0] req_ready_o,
    input  wire logic    [127:0] req_addr_i,
    input  wire logic     [79:0] req_stride_i,
    input  wire logic     [15:0] req_mask_i,
    input  wire logic [META-1:0] req_meta_i,
    // Answers. err: a memory error, outside the segment.
    output logic           [3:0] rsp_valid_o,
    input  wire logic            rsp_ready_i,
    output logic        [2047:0] rsp_data_o,
    output logic           [1:0] rsp_err_o,
    output logic      [META-1:0] rsp_meta_o,
    // AXI, lane l in slice l; bursts of one beat.
    output logic           [3:0] m_arvalid_o,
    input  wire logic      [3:0] m_arready_i,
    output logic         [159:0] m_araddr_o,
    input  wire logic      [3:0] m_rvalid_i,
    input  wire logic   [2047:0] m_rdata_i,
    input  wire logic      [3:0] m_rerr_i,
    output logic                 busy_o
);
  localparam int unsigned AR_DEPTH = 8;
  localparam int unsigned UNSEEN = 4;  // requests accepted before room shows
  localparam int unsigned CW = $clog2(DEPTH + 1);

  // Pick a client.
  logic [3:0]  gnt;
  logic [1:0]  client;
  logic        room_q, take;
  logic [31:0] pick_addr;
  logic [19:0] pick_stride;
  logic [3:0]  pick_mask;

  fsh_arb #(
      .N(4)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req_valid_i),
      .look_i(1'b1),
      .take_i(take),
      .gnt_o (gnt)
  );

  assign take        = req_valid_i != '0 && room_q;
  assign req_ready_o = gnt & {4{room_q}};
  assign client      = {gnt[3] | gnt[2], gnt[3] | gnt[1]};

  always_comb begin
    pick_addr   = 'x;
    pick_stride = 'x;
    pick_mask   = 'x;
    if (take) begin
      pick_addr   = req_addr_i[client*32+:32];
      pick_stride = req_stride_i[client*20+:20];
      pick_mask   = req_mask_i[client*4+:4];
    end
  end

  // Two stages of address arithmetic, then the queues of the lanes.
  logic            s1_valid_q, s2_valid_q, s3_valid_q;
  logic [1:0]      s1_client_q, s2_client_q, s3_client_q;
  logic [3:0]      s1_mask_q, s2_mask_q, s3_mask_q, s2_out, s3_out_q;
  logic [META-1:0] s1_meta_q, s2_meta_q, s3_meta_q;
  logic [31:0]     s1_addr_q;
  logic [21:0]     s1_stride_q, s1_triple_q;
  logic [127:0]    s2_addr_q;
  logic [135:0]    s3_addr_q;

  always_ff @(posedge clk_i) begin
    s1_valid_q <= take;
    s2_valid_q <= s1_valid_q;
    s3_valid_q <= s2_valid_q;
    if (take) begin
      s1_client_q <= client;
      s1_mask_q   <= pick_mask;
      s1_meta_q   <= req_meta_i;
      s1_addr_q   <= pick_addr;
      s1_stride_q <= {2'd0, pick_stride};
      s1_triple_q <= {2'd0, pick_stride} + {1'd0, pick_stride, 1'd0};
    end
    if (s1_valid_q) begin
      s2_client_q <= s1_client_q;
      s2_mask_q   <= s1_mask_q;
      s2_meta_q   <= s1_meta_q;
      s2_addr_q   <= {s1_addr_q + {10'd0, s1_triple_q}, s1_addr_q + {9'd0, s1_stride_q, 1'b0},
                      s1_addr_q + {10'd0, s1_stride_q}, s1_addr_q};
    end
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
      s3_valid_q <= 1'b0;
    end
  end

  for (genvar l = 0; l < 4; l++) begin : gen_check
    assign s2_out[l] = {2'b0, s2_addr_q[l*32+:32]} >= seg_size_i[39:6];
  end

  always_ff @(posedge clk_i) begin
    if (s2_valid_q) begin
      s3_client_q <= s2_client_q;
      s3_mask_q   <= s2_mask_q;
      s3_meta_q   <= s2_meta_q;
      s3_out_q    <= s2_out & s2_mask_q;
      for (int unsigned l = 0; l < 4; l++)
        s3_addr_q[l*34+:34] <= seg_base_i[39:6] +
                               (s2_out[l] ? 34'd0 : {2'b0, s2_addr_q[l*32+:32]});
    end
  end

  // Lanes.
  logic [3:0]    ar_room /*verilator split_var*/;
  logic [3:0]    ar_low /*verilator split_var*/;
  logic [3:0]    lane_valid /*verilator split_var*/;
  logic [3:0]    lane_err /*verilator split_var*/;
  logic [3:0]    lane_pop, lane_room /*verilator split_var*/;
  logic [2047:0] lane_data;
  logic          order_valid, order_room, pop;
  logic [1:0]    head_client;
  logic [3:0]    head_mask, head_out;
  logic [CW-1:0] flight_q;

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    logic [3:0] ar_count;
    logic [5:0] zero;

    assign zero = '0;
    fsh_fifo #(
        .WIDTH(34),
        .DEPTH(AR_DEPTH)
    ) i_ar (
        .clk_i,
        .rst_i,
        .valid_i(s3_valid_q && s3_mask_q[l]),
        .ready_o(ar_room[l]),
        .data_i (s3_addr_q[l*34+:34]),
        .valid_o(m_arvalid_o[l]),
        .ready_i(m_arready_i[l]),
        .data_o (m_araddr_o[l*40+6+:34]),
        .count_o(ar_count)
    );
    assign m_araddr_o[l*40+:6] = zero;
    assign ar_low[l]           = ar_count <= 4'(AR_DEPTH - UNSEEN - 1);

    fsh_fifo #(
        .WIDTH(513),
        .DEPTH(DEPTH),
        .BLOCK(1'b1)
    ) i_r (
        .clk_i,
        .rst_i,
        .valid_i(m_rvalid_i[l]),
        .ready_o(lane_room[l]),
        .data_i ({m_rerr_i[l], m_rdata_i[l*512+:512]}),
        .valid_o(lane_valid[l]),
        .ready_i(lane_pop[l]),
        .data_o ({lane_err[l], lane_data[l*512+:512]}),
        .count_o()
    );

    always_comb begin
      rsp_data_o[l*512+:512] = '0;
      if (order_valid && head_mask[l]) rsp_data_o[l*512+:512] = lane_data[l*512+:512];
    end
    `FSH_ASSERT(assert_ar_room, !(s3_valid_q && s3_mask_q[l]) || ar_room[l])
    `FSH_ASSERT(assert_r_room, !m_rvalid_i[l] || lane_room[l])
  end

  fsh_fifo #(
      .WIDTH(META + 10),
      .DEPTH(DEPTH),
      .BLOCK(1'b1)
  ) i_order (
      .clk_i,
      .rst_i,
      .valid_i(s3_valid_q),
      .ready_o(order_room),
      .data_i ({s3_client_q, s3_mask_q, s3_out_q, s3_meta_q}),
      .valid_o(order_valid),
      .ready_i(pop),
      .data_o ({head_client, head_mask, head_out, rsp_meta_o}),
      .count_o()
  );

  // An answer when all its lanes are there.
  logic whole;
  assign whole       = order_valid && (head_mask & ~lane_valid) == '0;
  assign rsp_valid_o = {4{whole}} & (4'd1 << head_client);
  assign pop         = whole && (head_client != '0 || rsp_ready_i);
  assign lane_pop    = head_mask & {4{pop}};
  assign rsp_err_o   = {|(lane_err & head_mask), |head_out};

  always_ff @(posedge clk_i) begin
    if (take != pop) flight_q <= take ? flight_q + 1'b1 : flight_q - 1'b1;
    room_q <= ar_low == '1 && flight_q <= CW'(DEPTH - UNSEEN);
    if (rst_i) begin
      flight_q <= '0;
      room_q   <= 1'b0;
    end
  end

  assign busy_o = flight_q != '0 || req_valid_i != '0;

  `FSH_ASSERT(assert_order_room, !s3_valid_q || order_room)
endmodule

`default_nettype wire
