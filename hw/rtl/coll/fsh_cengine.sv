// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What of the collective engine has a clock of its own, which may rest (fsh_card): the
/// engine itself (fsh_collective), its queue of sequences, what makes lines of the packets
/// that come, and what the packets that go stand in. Wires; see fsh_ctap and fsh_cpost.
/// Packets of both lanes go to the engine one after the other, in turns.
/// All outputs are functions of registers. idle_o, a register: nothing changes until an input
/// does, or memory answers; not in the cycle after one of those that call_i announces, or after
/// an answer. wakes_o: the node has something to do, or room that it may wait for.
module fsh_cengine #(
    parameter int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_i,
    input  wire logic             [47:0] cycle_i,
    input  wire logic                    call_i,
    input  wire logic                    present_i,
    input  wire logic             [39:0] seg_base_i,
    input  wire logic             [39:0] seg_size_i,
    input  wire logic             [39:0] host_size_i,
    // Messages: a sequence to run, the others.
    input  wire logic                    tick_i,
    input  wire logic                    run_valid_i,
    output logic                         run_room_o,
    input  wire logic             [31:0] run_addr_i,
    output logic                         ask_room_o,
    input  wire logic                    note_valid_i,
    input  wire fsh_coll_pkg::note_t     note_i,
    // Beats by lane, as fsh_cedge gives them.
    input  wire logic        [LANES-1:0] rx_valid_i,
    input  wire logic        [LANES-1:0] mine_i,
    input  wire logic        [LANES-1:0] sop_i,
    input  wire logic        [LANES-1:0] last_i,
    input  wire logic        [LANES-1:0] bad_i,
    input  wire logic    [LANES*128-1:0] data_i,
    output logic             [LANES-1:0] room_o,
    // Packets that go: lines to their places (the data is that of out_o), places that
    // have been read, commands for them.
    output logic                         put_o,
    output logic [fsh_coll_pkg::PLACE_W+fsh_coll_pkg::PLINE_W-1:0] put_at_o,
    output logic                         fills_o,
    output logic [fsh_coll_pkg::PLACES*fsh_coll_pkg::PBEAT_W-1:0] ends_o,
    input  wire logic [fsh_coll_pkg::PLACES-1:0] freed_i,
    output logic                         ccmd_valid_o,
    input  wire logic                    ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t          ccmd_o,
    input  wire logic                    ack_valid_i,
    input  wire logic [fsh_coll_pkg::PLACE_W-1:0] ack_slot_i,
    // Ends of sequences, lines to host memory.
    input  wire logic                    end_ready_i,
    input  wire logic                    post_ready_i,
    output fsh_coll_pkg::out_t           out_o,
    output fsh_axi_pkg::pair_req_t       mem_req_o,
    input  wire logic             [13:0] mem_rsp_i,  // pair_rsp_t without rdata
    input  wire logic           [1023:0] mem_rdata_i,  // apart: nobody packs it in every cycle
    // Counters (fsh_ctally).
    input  wire logic                    perf_clear_i,
    input  wire logic                    perf_read_i,
    input  wire logic              [3:0] perf_word_i,
    output logic                         perf_valid_o,
    output logic                  [47:0] perf_data_o,
    output logic                         wakes_o,
    output logic                         idle_o
);
  localparam int unsigned LINE_W = fsh_coll_pkg::LINE_W;
  logic        [LANES-1:0] tap_valid, tap_ready, lasts, tap_busy, room_was_q;
  logic        [LANES-1:0] tap_drop;
  logic [LANES*LINE_W-1:0] lines;
  logic                    engine_idle, rests, run_valid, tally_busy;
  fsh_coll_pkg::into_t     into;

  assign into.tick       = tick_i;
  assign into.note_valid = note_valid_i;
  assign into.note       = note_i;
  assign into.end_ready  = end_ready_i;
  assign into.post_ready = post_ready_i;
  assign into.run_valid  = run_valid;
  assign ask_room_o      = out_o.ask_room;

  fsh_fifo #(
      .WIDTH(32),
      .DEPTH(fsh_spec_pkg::COLL_QUEUE)
  ) i_runs (
      .clk_i,
      .rst_i,
      .valid_i(run_valid_i),
      .ready_o(run_room_o),
      .data_i (run_addr_i),
      .valid_o(run_valid),
      .ready_i(out_o.run_ready),
      .data_o (into.run_addr),
      .count_o()
  );

  for (genvar l = 0; l < LANES; l++) begin : gen_tap
    fsh_ctap i_ctap (
        .clk_i,
        .rst_i,
        .push_i (rx_valid_i[l] && mine_i[l] && present_i),
        .sop_i  (sop_i[l]),
        .last_i (last_i[l]),
        .bad_i  (bad_i[l]),
        .data_i (data_i[l*128+:128]),
        .room_o (room_o[l]),
        .valid_o(tap_valid[l]),
        .ready_i(tap_ready[l]),
        .last_o (lasts[l]),
        .line_o (lines[l*LINE_W+:LINE_W]),
        .head_valid_o(into.head_valid[l]),
        .head_key_o  (into.head_keys[l*fsh_coll_pkg::KEY_W+:fsh_coll_pkg::KEY_W]),
        .drop_o (tap_drop[l]),
        .busy_o (tap_busy[l])
    );
  end

  fsh_cjoin #(
      .N    (LANES),
      .WIDTH(LINE_W)
  ) i_taps (
      .clk_i,
      .rst_i,
      .hold_i (1'b0),
      .valid_i(tap_valid),
      .ready_o(tap_ready),
      .last_i (lasts),
      .data_i (lines),
      .take_o (),
      .sel_o  (),
      .valid_o(into.rx_valid),
      .ready_i(out_o.rx_ready),
      .data_o (into.rx)
  );

  fsh_collective i_engine (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .seg_size_i,
      .host_size_i,
      .into_i   (into),
      .out_o,
      .mem_req_o,
      .mem_rsp_i({mem_rsp_i, mem_rdata_i}),
      .idle_o   (engine_idle)
  );

  fsh_cpost i_cpost (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .tx_valid_i  (out_o.tx_valid),
      .tx_ready_o  (into.tx_ready),
      .tx_last_i   (out_o.tx_last),
      .tx_dest_i   (out_o.tx_dest),
      .tx_addr_i   (64'(out_o.tx_addr)),
      .tx_bytes_i  (out_o.tx_bytes),
      .tell_valid_i(out_o.tell_valid),
      .tell_ready_o(into.tell_ready),
      .tell_i      (out_o.tell),
      .put_o,
      .put_at_o,
      .fills_o,
      .ends_o,
      .freed_i,
      .ccmd_valid_o,
      .ccmd_ready_i,
      .ccmd_o,
      .ack_valid_i,
      .ack_slot_i
  );

  fsh_ctally #(
      .LANES(LANES)
  ) i_ctally (
      .clk_i,
      .rst_i,
      .cycle_i,
      .fate_i     (out_o.fate),
      .malformed_i(tap_drop),
      .clear_i    (perf_clear_i),
      .read_i     (perf_read_i),
      .word_i     (perf_word_i),
      .valid_o    (perf_valid_o),
      .data_o     (perf_data_o),
      .busy_o     (tally_busy)
  );

  always_ff @(posedge clk_i) room_was_q <= room_o;

  // A receiver that waits for room is awake, or stands still until it is told.
  assign wakes_o = put_o || ccmd_valid_o || out_o.end_valid || out_o.post_valid || perf_valid_o ||
                   (room_o & ~room_was_q) != '0;
  assign rests   = engine_idle && tap_busy == '0 && !into.rx_valid && room_o == room_was_q &&
                   !(run_valid && out_o.run_ready) && !ccmd_valid_o && !out_o.tx_valid &&
                   !out_o.tell_valid && !tally_busy;

  always_ff @(posedge clk_i) begin
    idle_o <= rests && !call_i;
    if (rst_i) idle_o <= 1'b0;
  end
endmodule

`default_nettype wire
