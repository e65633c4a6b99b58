// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The collective engine's edge, on the clock of the node: a register behind the receivers,
/// its sink, the places of packets that go, and what writes to host memory. Wires; see
/// fsh_cfront, fsh_ccall, fsh_cserve and fsh_chost.
/// clk_req_o: the engine (fsh_cengine) must not miss the next edge.
module fsh_cedge #(
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_i,
    input  wire logic              [7:0] node_i,
    input  wire logic                    present_i,
    // The node: messages, entries, refused packets.
    input  wire logic                    msg_valid_i,
    output logic                         msg_ready_o,
    input  wire fsh_fn_pkg::msg_t        msg_i,
    output logic                   [3:0] msg_status_o,
    output logic                         entry_valid_o,
    input  wire logic                    entry_ready_i,
    output fsh_spec_pkg::ring_t          entry_o,
    input  wire logic                    ack_valid_i,
    // Reads of the sequencer, and those of them that memory sees.
    input  wire fsh_axi_pkg::mem_rd_req_t rd_req_i,
    output fsh_axi_pkg::mem_rd_rsp_t     rd_rsp_o,
    output fsh_axi_pkg::mem_rd_req_t     mem_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rsp_i,
    // Host memory.
    input  wire logic            [511:0] post_data_i,
    output fsh_axi_pkg::post_req_t       post_req_o,
    input  wire fsh_axi_pkg::post_rsp_t  post_rsp_i,
    // Beats of the receivers, by lane; to the engine, a cycle later.
    input  wire logic [LANES*fsh_fn_pkg::COLL_BEAT_W-1:0] rx_i,  // coll_beat_t
    input  wire logic    [LANES*128-1:0] rx_data_i,
    output logic             [LANES-1:0] rx_valid_o,
    output logic             [LANES-1:0] mine_o,
    output logic             [LANES-1:0] sop_o,
    output logic             [LANES-1:0] last_o,
    output logic             [LANES-1:0] bad_o,
    output logic         [LANES*128-1:0] data_o,
    // The engine.
    output logic                         tick_o,
    output logic                         run_valid_o,
    input  wire logic                    run_room_i,
    output logic                  [31:0] run_addr_o,
    input  wire logic                    ask_room_i,
    output logic                         note_valid_o,
    output fsh_coll_pkg::note_t          note_o,
    input  wire logic                    put_i,
    input  wire logic [fsh_coll_pkg::PLACE_W+fsh_coll_pkg::PLINE_W-1:0] put_at_i,
    input  wire logic                    fills_i,
    input  wire logic [fsh_coll_pkg::PLACES*fsh_coll_pkg::PBEAT_W-1:0] ends_i,
    output logic [fsh_coll_pkg::PLACES-1:0] freed_o,
    output logic                         end_ready_o,
    output logic                         post_ready_o,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::out_t      out_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic                         clk_req_o,
    output logic                         busy_o
);
  logic call_busy, serve_busy;

  assign busy_o    = call_busy || serve_busy || put_i || out_i.post_valid;
  assign clk_req_o = call_busy || serve_busy || run_valid_o || rx_valid_o != '0 || ack_valid_i;

  for (genvar l = 0; l < LANES; l++) begin : gen_front
    fsh_cfront i_front (
        .clk_i,
        .rst_i,
        .beat_i (rx_i[l*fsh_fn_pkg::COLL_BEAT_W+:fsh_fn_pkg::COLL_BEAT_W]),
        .data_i (rx_data_i[l*128+:128]),
        .valid_o(rx_valid_o[l]),
        .mine_o (mine_o[l]),
        .sop_o  (sop_o[l]),
        .last_o (last_o[l]),
        .bad_o  (bad_o[l]),
        .data_o (data_o[l*128+:128])
    );
  end

  fsh_ccall i_ccall (
      .clk_i,
      .rst_i,
      .node_i,
      .present_i,
      .msg_valid_i,
      .msg_ready_o,
      .msg_i,
      .msg_status_o,
      .tick_o,
      .run_valid_o,
      .run_room_i,
      .run_addr_o,
      .ask_room_i,
      .note_valid_o,
      .note_o,
      .end_valid_i(out_i.end_valid),
      .end_ready_o,
      .end_i      (out_i.ending),
      .entry_valid_o,
      .entry_ready_i,
      .entry_o,
      .busy_o     (call_busy)
  );

  fsh_cserve i_cserve (
      .clk_i,
      .rst_i,
      .put_i,
      .put_at_i,
      .fills_i,
      .put_data_i(out_i.tx_data),
      .ends_i,
      .freed_o,
      .rd_req_i,
      .rd_rsp_o,
      .mem_req_o,
      .mem_rsp_i,
      .busy_o    (serve_busy)
  );

  fsh_chost i_chost (
      .clk_i,
      .rst_i,
      .valid_i(out_i.post_valid),
      .ready_o(post_ready_o),
      .addr_i (out_i.post_addr),
      .data_i (post_data_i),
      .req_o  (post_req_o),
      .rsp_i  (post_rsp_i)
  );
endmodule

`default_nettype wire
