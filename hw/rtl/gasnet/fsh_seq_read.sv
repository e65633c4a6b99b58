// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Reads of the sequencer: takes one read per packet, issues it to its lane's memory or to host
/// memory, split at 4 KiB boundaries, and buffers the data until the lane's sender takes it, in
/// order per lane and memory. A read may be given while ar_room_o and the room of its queue are
/// set (registers that leave room for two more); its data then has room and is never refused.
/// Each beat carries whether the memory returned an error.
module fsh_seq_read (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    // Reads: beats from address beat_i (in beats), at most 65.
    input  wire logic         valid_i,
    input  wire logic         host_i,
    input  wire logic         lane_i,
    input  wire logic   [6:0] beats_i,
    input  wire logic  [43:0] beat_i,
    output logic              ar_room_o,
    output logic        [1:0] mem_room_o,
    output logic              host_room_o,
    // Device memory, by lane.
    output logic        [1:0] mem_arvalid_o,
    input  wire logic   [1:0] mem_arready_i,
    output logic       [39:0] mem_araddr_o,
    output logic        [7:0] mem_arlen_o,
    input  wire logic   [1:0] mem_rvalid_i,
    input  wire logic [127:0] mem_rdata0_i,
    input  wire logic [127:0] mem_rdata1_i,
    input  wire logic   [1:0] mem_rerr_i,
    // Host memory; the identifier is the lane.
    output logic              host_arvalid_o,
    input  wire logic         host_arready_i,
    output logic       [47:0] host_araddr_o,
    output logic        [7:0] host_arlen_o,
    output logic              host_arid_o,
    input  wire logic         host_rvalid_i,
    input  wire logic [127:0] host_rdata_i,
    input  wire logic         host_rid_i,
    input  wire logic         host_rerr_i,
    // Data, by lane.
    output logic        [1:0] mem_valid_o,
    input  wire logic   [1:0] mem_ready_i,
    output logic      [127:0] mem_data0_o,
    output logic      [127:0] mem_data1_o,
    output logic        [1:0] mem_err_o,
    output logic        [1:0] host_valid_o,
    input  wire logic   [1:0] host_ready_i,
    output logic      [127:0] host_data_o,
    output logic              host_err_o
);
  // Beats read ahead, as many as cover the latency of the memory, since a packet waits for all
  // that its lane has read before it; and two reads more. PCIe takes its latency each way.
  localparam int unsigned MEM_DEPTH = 256;
  localparam int unsigned MEM_AHEAD = 120;
  localparam int unsigned HOST_DEPTH = 512;
  localparam int unsigned HOST_AHEAD = 317;
  // Counts of what is taken begin so high that their top bit says that no more may be.
  localparam logic [8:0] MEM_UNUSED = 9'(255 - MEM_AHEAD);
  localparam logic [9:0] HOST_UNUSED = 10'(511 - HOST_AHEAD);
  localparam int unsigned AR_DEPTH = 4;

  // A read that crosses 4 KiB becomes two bursts.
  logic        ar_valid, ar_pop, ar_host, ar_lane, ar_take, ar_split, ar_second_q, ar_fifo_ready;
  logic [43:0] ar_beat, ar_next;  // address in beats
  logic [6:0]  ar_beats, ar_len;
  logic [8:0]  ar_left;
  logic [2:0]  ar_count;

  assign ar_room_o = ar_count <= 3'(AR_DEPTH - 2);

  fsh_fifo #(
      .WIDTH($bits({host_i, lane_i, beats_i, beat_i})),
      .DEPTH(AR_DEPTH)
  ) i_ar (
      .clk_i,
      .rst_i,
      .valid_i(valid_i),
      .ready_o(ar_fifo_ready),
      .data_i ({host_i, lane_i, beats_i, beat_i}),
      .valid_o(ar_valid),
      .ready_i(ar_pop),
      .data_o ({ar_host, ar_lane, ar_beats, ar_beat}),
      .count_o(ar_count)
  );

  assign ar_left  = 9'd256 - {1'b0, ar_beat[7:0]};
  assign ar_split = {2'b0, ar_beats} > ar_left;
  assign ar_next  = {ar_beat[43:8] + {35'd0, ar_second_q}, ar_beat[7:0] & {8{!ar_second_q}}};
  assign ar_len   = ar_second_q ? ar_beats - ar_left[6:0] : ar_split ? ar_left[6:0] : ar_beats;
  assign ar_take  = ar_valid && (ar_host ? host_arready_i : mem_arready_i[ar_lane]);
  assign ar_pop   = ar_take && (ar_second_q || !ar_split);

  always_ff @(posedge clk_i) begin
    if (ar_take) ar_second_q <= !ar_pop;
    if (rst_i) ar_second_q <= 1'b0;
  end

  assign mem_arvalid_o  = {ar_lane, !ar_lane} & {2{ar_valid && !ar_host}};
  assign mem_araddr_o   = {ar_next[35:0], 4'd0};
  assign mem_arlen_o    = {1'b0, ar_len - 7'd1};
  assign host_arvalid_o = ar_valid && ar_host;
  assign host_araddr_o  = {ar_next, 4'd0};
  assign host_arlen_o   = {1'b0, ar_len - 7'd1};
  assign host_arid_o    = ar_lane;

  // Data queues: room is taken at issue, so data is never refused. Both lanes
  // share that of host data: it comes back in the order of issue, and what each
  // lane issued leaves, so neither waits for the other for ever.
  logic [1:0] mem_room;
  logic       host_valid, host_room, host_owner, host_taken;
  logic [9:0] host_used_q;

  fsh_fifo #(
      .WIDTH($bits({mem_rerr_i[0], mem_rdata0_i})),
      .DEPTH(MEM_DEPTH)
  ) i_mem0 (
      .clk_i,
      .rst_i,
      .valid_i(mem_rvalid_i[0]),
      .ready_o(mem_room[0]),
      .data_i ({mem_rerr_i[0], mem_rdata0_i}),
      .valid_o(mem_valid_o[0]),
      .ready_i(mem_ready_i[0]),
      .data_o ({mem_err_o[0], mem_data0_o}),
      .count_o()
  );
  fsh_fifo #(
      .WIDTH($bits({mem_rerr_i[1], mem_rdata1_i})),
      .DEPTH(MEM_DEPTH)
  ) i_mem1 (
      .clk_i,
      .rst_i,
      .valid_i(mem_rvalid_i[1]),
      .ready_o(mem_room[1]),
      .data_i ({mem_rerr_i[1], mem_rdata1_i}),
      .valid_o(mem_valid_o[1]),
      .ready_i(mem_ready_i[1]),
      .data_o ({mem_err_o[1], mem_data1_o}),
      .count_o()
  );
  fsh_fifo #(
      .WIDTH($bits({host_rerr_i, host_rid_i, host_rdata_i})),
      .DEPTH(HOST_DEPTH)
  ) i_host (
      .clk_i,
      .rst_i,
      .valid_i(host_rvalid_i),
      .ready_o(host_room),
      .data_i ({host_rerr_i, host_rid_i, host_rdata_i}),
      .valid_o(host_valid),
      .ready_i(host_taken),
      .data_o ({host_err_o, host_owner, host_data_o}),
      .count_o()
  );
  assign host_valid_o = {host_owner, !host_owner} & {2{host_valid}};
  assign host_taken   = |(host_ready_i & host_valid_o);

  for (genvar l = 0; l < 2; l++) begin : gen_used
    logic [8:0] used_q;
    logic       here, taken_q;  // a cycle late: room shows later, never too early

    assign here = valid_i && !host_i && lane_i == (l == 1);
    always_ff @(posedge clk_i) begin
      taken_q <= mem_ready_i[l] && mem_valid_o[l];
      if (here || taken_q)
        used_q <= used_q + (here ? {2'd0, beats_i} : 9'd0) - {8'd0, taken_q};
      mem_room_o[l] <= !used_q[8];
      if (rst_i) begin
        used_q        <= MEM_UNUSED;
        taken_q       <= 1'b0;
        mem_room_o[l] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if ((valid_i && host_i) || host_taken)
      host_used_q <= host_used_q + (valid_i && host_i ? {3'd0, beats_i} : 10'd0) -
                     {9'd0, host_taken};
    host_room_o <= !host_used_q[9];
    if (rst_i) begin
      host_used_q <= HOST_UNUSED;
      host_room_o <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_mem_room, (mem_rvalid_i & ~mem_room) == '0)
  `FSH_ASSERT(assert_host_room, !host_rvalid_i || host_room)
  `FSH_ASSERT(assert_ar_room, !valid_i || ar_fifo_ready)
endmodule

`default_nettype wire
