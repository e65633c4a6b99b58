// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The collective engine's edge, on the clock of the node: its sink, what takes packets out
/// of the receivers, and what sends them and writes to host memory. Wires; see fsh_ccall,
/// fsh_ctap, fsh_cpost and fsh_chost.
/// Packets of both lanes go to the engine one after the other, in turns.
module fsh_cedge #(
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_i,
    input  wire logic              [7:0] node_i,
    input  wire logic             [39:0] seg_base_i,
    input  wire logic                    present_i,
    // The node: messages, packets by lane, commands, entries.
    input  wire logic                    msg_valid_i,
    output logic                         msg_ready_o,
    input  wire fsh_fn_pkg::msg_t        msg_i,
    output logic                   [3:0] msg_status_o,
    input  wire logic [LANES*fsh_fn_pkg::COLL_BEAT_W-1:0] rx_i,  // coll_beat_t
    output logic             [LANES-1:0] room_o,
    output logic                         ccmd_valid_o,
    input  wire logic                    ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t          ccmd_o,
    input  wire logic                    ack_valid_i,
    input  wire logic              [1:0] ack_slot_i,
    output logic                         entry_valid_o,
    input  wire logic                    entry_ready_i,
    output fsh_spec_pkg::ring_t          entry_o,
    // Reads of the sequencer, and those of them that memory sees.
    input  wire fsh_axi_pkg::mem_rd_req_t rd_req_i,
    output fsh_axi_pkg::mem_rd_rsp_t     rd_rsp_o,
    output fsh_axi_pkg::mem_rd_req_t     mem_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rsp_i,
    // Host memory.
    input  wire logic            [511:0] post_data_i,
    output fsh_axi_pkg::post_req_t       post_req_o,
    input  wire fsh_axi_pkg::post_rsp_t  post_rsp_i,
    // The engine.
    output fsh_coll_pkg::into_t          into_o,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::out_t      out_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic                         busy_o
);
  localparam int unsigned LINE_W = fsh_coll_pkg::LINE_W;
  logic                    call_busy, post_busy;
  logic        [LANES-1:0] tap_valid, tap_ready, lasts, tap_busy;
  /* verilator lint_off UNUSEDSIGNAL */
  logic        [LANES-1:0] tap_drop;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [LANES*LINE_W-1:0] lines;

  assign busy_o = call_busy || post_busy || tap_busy != '0 || into_o.rx_valid ||
                  out_i.post_valid;

  fsh_ccall i_ccall (
      .clk_i,
      .rst_i,
      .node_i,
      .present_i,
      .msg_valid_i,
      .msg_ready_o,
      .msg_i,
      .msg_status_o,
      .tick_o       (into_o.tick),
      .run_valid_o  (into_o.run_valid),
      .run_ready_i  (out_i.run_ready),
      .run_addr_o   (into_o.run_addr),
      .ask_room_i   (out_i.ask_room),
      .note_valid_o (into_o.note_valid),
      .note_o       (into_o.note),
      .end_valid_i  (out_i.end_valid),
      .end_ready_o  (into_o.end_ready),
      .end_i        (out_i.ending),
      .entry_valid_o,
      .entry_ready_i,
      .entry_o,
      .busy_o       (call_busy)
  );

  for (genvar l = 0; l < LANES; l++) begin : gen_tap
    fsh_ctap i_ctap (
        .clk_i,
        .rst_i,
        .present_i,
        .beat_i (rx_i[l*fsh_fn_pkg::COLL_BEAT_W+:fsh_fn_pkg::COLL_BEAT_W]),
        .room_o (room_o[l]),
        .valid_o(tap_valid[l]),
        .ready_i(tap_ready[l]),
        .last_o (lasts[l]),
        .line_o (lines[l*LINE_W+:LINE_W]),
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
      .valid_o(into_o.rx_valid),
      .ready_i(out_i.rx_ready),
      .data_o (into_o.rx)
  );

  fsh_cpost i_cpost (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .tx_valid_i  (out_i.tx_valid),
      .tx_ready_o  (into_o.tx_ready),
      .tx_last_i   (out_i.tx_last),
      .tx_dest_i   (out_i.tx_dest),
      .tx_addr_i   (64'(out_i.tx_addr)),
      .tx_bytes_i  (out_i.tx_bytes),
      .tx_data_i   (out_i.tx_data),
      .tell_valid_i(out_i.tell_valid),
      .tell_ready_o(into_o.tell_ready),
      .tell_i      (out_i.tell),
      .ccmd_valid_o,
      .ccmd_ready_i,
      .ccmd_o,
      .ack_valid_i,
      .ack_slot_i,
      .rd_req_i,
      .rd_rsp_o,
      .mem_req_o,
      .mem_rsp_i,
      .busy_o      (post_busy)
  );

  fsh_chost i_chost (
      .clk_i,
      .rst_i,
      .valid_i(out_i.post_valid),
      .ready_o(into_o.post_ready),
      .addr_i (out_i.post_addr),
      .data_i (post_data_i),
      .req_o  (post_req_o),
      .rsp_i  (post_rsp_i)
  );
endmodule

`default_nettype wire
