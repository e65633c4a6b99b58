// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AM sequencer of one port: turns commands into packets, their payload read by
/// DMA. Two messages at a time, one a channel (fsh_seq_ctx), packet by packet.
/// A packet is issued, and its data read, when the link (or the loop back to
/// this node) has granted its room and the data queue has room: what is issued
/// always leaves, in order. Then fsh_seq_send puts it on the wire.
/// Three cycles from load to header at the output.
module fsh_seq (
    input  wire logic                       clk_i,
    input  wire logic                       rst_i,
    input  wire logic                [7:0]  node_i,
    input  wire logic                [10:0] packet_i,
    input  wire logic                [39:0] seg_base_i,
    input  wire logic                [47:0] host_base_i,
    // Commands, by channel {reply}.
    input  wire logic                [1:0]  load_valid_i,
    output logic                     [1:0]  load_ready_o,
    input  wire fsh_spec_pkg::cmd_t         load_req_i,
    input  wire fsh_spec_pkg::cmd_t         load_rep_i,
    input  wire logic                [3:0]  load_status_i,
    input  wire logic                [1:0]  load_loop_i,
    input  wire logic                [1:0]  load_stripe_i,
    input  wire logic                [1:0]  load_second_i,
    // Argument and inline beats of host commands, by channel.
    input  wire logic                [1:0]  rows_valid_i,
    output logic                     [1:0]  rows_ready_o,
    input  wire logic               [255:0] rows_data_i,
    // Room at the link and at the loop, by channel.
    input  wire logic                [1:0]  link_ok_i,
    input  wire logic                [1:0]  loop_ok_i,
    output logic                     [1:0]  link_take_o,
    output logic                     [1:0]  loop_take_o,
    output logic                     [6:0]  take_beats_o,
    input  wire logic                       others_i,
    // Packets.
    output logic                            pkt_valid_o,
    output logic                            pkt_loop_o,
    input  wire logic                       pkt_ready_i,
    output logic                     [6:0]  pkt_follow_o,
    output logic                    [127:0] pkt_data_o,
    // Device memory, read side.
    output logic                            mem_arvalid_o,
    input  wire logic                       mem_arready_i,
    output logic                     [39:0] mem_araddr_o,
    output logic                     [7:0]  mem_arlen_o,
    input  wire logic                       mem_rvalid_i,
    input  wire logic               [127:0] mem_rdata_i,
    // Host memory, read side.
    output logic                            host_arvalid_o,
    input  wire logic                       host_arready_i,
    output logic                     [47:0] host_araddr_o,
    output logic                     [7:0]  host_arlen_o,
    input  wire logic                       host_rvalid_i,
    input  wire logic               [127:0] host_rdata_i,
    // Source read: entries for the completion ring.
    output logic                            cpl_valid_o,
    input  wire logic                       cpl_ready_i,
    output fsh_spec_pkg::ring_t             cpl_o,
    output logic                            stall_o,
    output logic                            busy_o
);
  localparam int unsigned DATA_DEPTH = 512;  // beats: covers the read latency of either memory
  localparam int unsigned DATA_ROOM = DATA_DEPTH - 3 * 65;  // below it, a packet may be issued
  localparam int unsigned DESC_DEPTH = 32;
  localparam int unsigned DESC_WIDTH = 197;
  localparam int unsigned AR_DEPTH = 4;

  // The two contexts and the packet picked from them.
  logic [1:0]               c_valid, c_take, c_get, c_loop, c_notify, c_half, c_busy, can;
  fsh_spec_pkg::hdr_t       hdr0, hdr1, hdr;
  fsh_spec_pkg::getarg_t    getarg0, getarg1;
  logic [41:0]              getarg;
  logic [47:0]              raddr0, raddr1, raddr;
  logic [1:0]               lspace0, lspace1, lspace;
  logic [3:0]               lane0, lane1, lane;
  logic [2:0]               args0, args1, args;
  logic                     sel, sel_q, issue, is_host, is_mem;
  logic [6:0]               src_beats, dst_beats;
  logic                     mem_room_q, host_room_q;
  logic [1:0]               room_ok;
  logic                     desc_ready, desc_valid, desc_pop, ar_ready;
  logic [5:0]               desc_count;
  logic [DESC_WIDTH-1:0]    desc_in, desc;

  fsh_seq_ctx i_ctx_req (
      .clk_i,
      .rst_i,
      .node_i,
      .packet_i,
      .seg_base_i,
      .host_base_i,
      .load_valid_i (load_valid_i[0]),
      .load_ready_o (load_ready_o[0]),
      .load_cmd_i   (load_req_i),
      .load_status_i(fsh_spec_pkg::STATUS_OK),
      .load_loop_i  (load_loop_i[0]),
      .load_stripe_i(load_stripe_i[0]),
      .load_second_i(load_second_i[0]),
      .pkt_valid_o  (c_valid[0]),
      .pkt_take_i   (c_take[0]),
      .pkt_hdr_o    (hdr0),
      .pkt_getarg_o (getarg0),
      .pkt_raddr_o  (raddr0),
      .pkt_lspace_o (lspace0),
      .pkt_lane_o   (lane0),
      .pkt_args_o   (args0),
      .pkt_get_o    (c_get[0]),
      .pkt_loop_o   (c_loop[0]),
      .pkt_notify_o (c_notify[0]),
      .pkt_half_o   (c_half[0]),
      .busy_o       (c_busy[0])
  );

  fsh_seq_ctx i_ctx_rep (
      .clk_i,
      .rst_i,
      .node_i,
      .packet_i,
      .seg_base_i,
      .host_base_i,
      .load_valid_i (load_valid_i[1]),
      .load_ready_o (load_ready_o[1]),
      .load_cmd_i   (load_rep_i),
      .load_status_i(load_status_i),
      .load_loop_i  (load_loop_i[1]),
      .load_stripe_i(load_stripe_i[1]),
      .load_second_i(load_second_i[1]),
      .pkt_valid_o  (c_valid[1]),
      .pkt_take_i   (c_take[1]),
      .pkt_hdr_o    (hdr1),
      .pkt_getarg_o (getarg1),
      .pkt_raddr_o  (raddr1),
      .pkt_lspace_o (lspace1),
      .pkt_lane_o   (lane1),
      .pkt_args_o   (args1),
      .pkt_get_o    (c_get[1]),
      .pkt_loop_o   (c_loop[1]),
      .pkt_notify_o (c_notify[1]),
      .pkt_half_o   (c_half[1]),
      .busy_o       (c_busy[1])
  );

  // Issue: whichever context can, in turn when both can.
  assign room_ok = (c_loop & loop_ok_i) | (~c_loop & link_ok_i);
  assign can     = c_valid & room_ok & {2{mem_room_q && host_room_q && desc_ready && ar_ready}};
  assign sel     = can[1] && !(can[0] && sel_q);
  assign issue   = |can;
  assign c_take  = {issue && sel, issue && !sel};

  assign hdr       = sel ? hdr1 : hdr0;
  assign getarg    = sel ? getarg1[41:0] : getarg0[41:0];
  assign raddr     = sel ? raddr1 : raddr0;
  assign lspace    = sel ? lspace1 : lspace0;
  assign lane      = sel ? lane1 : lane0;
  assign args      = sel ? args1 : args0;
  assign src_beats = fsh_fn_pkg::pay_beats(lane, hdr.bytes);
  assign dst_beats = fsh_fn_pkg::pay_beats(hdr.addr[3:0], hdr.bytes);
  assign is_mem    = lspace == fsh_spec_pkg::SPACE_SEGMENT && src_beats != '0;
  assign is_host   = lspace == fsh_spec_pkg::SPACE_HOST && src_beats != '0;

  assign link_take_o  = c_take & ~c_loop;
  assign loop_take_o  = c_take & c_loop;
  assign take_beats_o = 7'd1 + {4'd0, args} + dst_beats;

  always_ff @(posedge clk_i) begin
    if (issue) sel_q <= sel;
    if (rst_i) sel_q <= 1'b0;
  end

  assign desc_in = {
    c_half[sel], c_notify[sel], c_loop[sel], c_get[sel], args, dst_beats, src_beats, lane, lspace,
    getarg, hdr
  };

  fsh_fifo #(
      .WIDTH(DESC_WIDTH),
      .DEPTH(DESC_DEPTH)
  ) i_desc (
      .clk_i,
      .rst_i,
      .valid_i(issue),
      .ready_o(desc_ready),
      .data_i (desc_in),
      .valid_o(desc_valid),
      .ready_i(desc_pop),
      .data_o (desc),
      .count_o(desc_count)
  );

  // Reads. A read that crosses 4 KiB becomes two bursts.
  logic        ar_valid, ar_pop, ar_host, ar_take, ar_split, ar_second_q, ar_fifo_ready;
  logic [43:0] ar_beat, ar_next;  // address in beats
  logic [6:0]  ar_beats, ar_len;
  logic [8:0]  ar_left;

  assign ar_ready = ar_fifo_ready;

  fsh_fifo #(
      .WIDTH(52),
      .DEPTH(AR_DEPTH)
  ) i_ar (
      .clk_i,
      .rst_i,
      .valid_i(issue && (is_mem || is_host)),
      .ready_o(ar_fifo_ready),
      .data_i ({is_host, src_beats, raddr[47:4]}),
      .valid_o(ar_valid),
      .ready_i(ar_pop),
      .data_o ({ar_host, ar_beats, ar_beat}),
      .count_o()
  );

  assign ar_left  = 9'd256 - {1'b0, ar_beat[7:0]};
  assign ar_split = {2'b0, ar_beats} > ar_left;
  assign ar_next  = ar_second_q ? {ar_beat[43:8] + 36'd1, 8'd0} : ar_beat;
  assign ar_len   = ar_second_q ? ar_beats - ar_left[6:0] : ar_split ? ar_left[6:0] : ar_beats;
  assign ar_take  = ar_valid && (ar_host ? host_arready_i : mem_arready_i);
  assign ar_pop   = ar_take && (ar_second_q || !ar_split);

  always_ff @(posedge clk_i) begin
    if (ar_take) ar_second_q <= !ar_pop;
    if (rst_i) ar_second_q <= 1'b0;
  end

  assign mem_arvalid_o  = ar_valid && !ar_host;
  assign mem_araddr_o   = {ar_next[35:0], 4'd0};
  assign mem_arlen_o    = {1'b0, ar_len - 7'd1};
  assign host_arvalid_o = ar_valid && ar_host;
  assign host_araddr_o  = {ar_next, 4'd0};
  assign host_arlen_o   = {1'b0, ar_len - 7'd1};

  // Data queues: room is taken at issue, so data is never refused.
  logic         mem_valid, mem_pop, host_valid, host_pop, mem_fifo_ready, host_fifo_ready;
  logic [127:0] mem_data, host_data;
  logic [9:0]   mem_used_q, host_used_q;

  fsh_fifo #(
      .WIDTH(128),
      .DEPTH(DATA_DEPTH)
  ) i_mem_data (
      .clk_i,
      .rst_i,
      .valid_i(mem_rvalid_i),
      .ready_o(mem_fifo_ready),
      .data_i (mem_rdata_i),
      .valid_o(mem_valid),
      .ready_i(mem_pop),
      .data_o (mem_data),
      .count_o()
  );

  fsh_fifo #(
      .WIDTH(128),
      .DEPTH(DATA_DEPTH)
  ) i_host_data (
      .clk_i,
      .rst_i,
      .valid_i(host_rvalid_i),
      .ready_o(host_fifo_ready),
      .data_i (host_rdata_i),
      .valid_o(host_valid),
      .ready_i(host_pop),
      .data_o (host_data),
      .count_o()
  );

  always_ff @(posedge clk_i) begin
    mem_used_q  <= mem_used_q + (issue && is_mem ? {3'd0, src_beats} : 10'd0) -
                   {9'd0, mem_pop && mem_valid};
    host_used_q <= host_used_q + (issue && is_host ? {3'd0, src_beats} : 10'd0) -
                   {9'd0, host_pop && host_valid};
    mem_room_q  <= mem_used_q <= 10'(DATA_ROOM);
    host_room_q <= host_used_q <= 10'(DATA_ROOM);
    if (rst_i) begin
      mem_used_q  <= '0;
      host_used_q <= '0;
      mem_room_q  <= 1'b0;
      host_room_q <= 1'b0;
    end
  end

  logic send_busy;

  fsh_seq_send #(
      .DESC_WIDTH(DESC_WIDTH)
  ) i_send (
      .clk_i,
      .rst_i,
      .desc_valid_i (desc_valid),
      .desc_alone_i (desc_count == 6'd1),
      .desc_i       (desc),
      .desc_ready_o (desc_pop),
      .mem_valid_i  (mem_valid),
      .mem_data_i   (mem_data),
      .mem_ready_o  (mem_pop),
      .host_valid_i (host_valid),
      .host_data_i  (host_data),
      .host_ready_o (host_pop),
      .rows_valid_i,
      .rows_data_i,
      .rows_ready_o,
      .others_i,
      .pkt_valid_o,
      .pkt_loop_o,
      .pkt_ready_i,
      .pkt_follow_o,
      .pkt_data_o,
      .cpl_valid_o,
      .cpl_ready_i,
      .cpl_o,
      .busy_o       (send_busy)
  );

  assign stall_o = |(c_valid & ~room_ok) && !issue;
  assign busy_o  = |c_busy || desc_valid || send_busy || cpl_valid_o;

  `FSH_ASSERT(assert_mem_room, !mem_rvalid_i || mem_fifo_ready)
  `FSH_ASSERT(assert_host_room, !host_rvalid_i || host_fifo_ready)
  `FSH_ASSERT(assert_take, (c_take & ~c_valid) == '0)
endmodule

`default_nettype wire
