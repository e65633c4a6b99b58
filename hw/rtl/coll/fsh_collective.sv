// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What of the collective engine has a clock of its own (fsh_card): the engine and its ways
/// to device memory, one a unit, whose lines for host memory take turns. All outputs are
/// functions of registers. idle_o: nothing changes until an input does, or memory answers.
module fsh_collective (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic    [39:0] seg_base_i,
    input  wire logic    [39:0] seg_size_i,
    input  wire logic    [39:0] host_size_i,
    input  wire fsh_coll_pkg::into_t into_i,
    output fsh_coll_pkg::out_t  out_o,
    output fsh_axi_pkg::pair_req_t mem_req_o,
    input  wire fsh_axi_pkg::pair_rsp_t mem_rsp_i,
    output logic                idle_o
);
  localparam int unsigned UNITS = 2;
  logic     [UNITS-1:0] rd_valid, rd_ready, rd_there, rd_err, mem_busy;
  logic     [UNITS-1:0] wr_valid, wr_ready, wr_done, wr_err, wr_post, post_valid;
  logic  [UNITS*32-1:0] rd_addr, wr_addr, post_addr;
  logic [UNITS*512-1:0] rd_data, wr_data;
  logic  [UNITS*64-1:0] wr_strb;
  logic                 busy, unit, held_q, unit_q;
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::colladdr_t tx_addr;
  /* verilator lint_on UNUSEDSIGNAL */

  assign out_o.tx_addr = tx_addr[45:0];

  fsh_coll #(
      .UNITS   (UNITS),
      .CONTEXTS(fsh_spec_pkg::COLL_SEQUENCES / 2),
      .BUCKETS (fsh_spec_pkg::COLL_SLOTS / 8),
      .RESERVE (fsh_spec_pkg::COLL_SEQUENCES + fsh_spec_pkg::COLL_EAGER)
  ) i_coll (
      .clk_i,
      .rst_i,
      .tick_i      (into_i.tick),
      .run_valid_i (into_i.run_valid),
      .run_ready_o (out_o.run_ready),
      .run_addr_i  (into_i.run_addr),
      .end_valid_o (out_o.end_valid),
      .end_ready_i (into_i.end_ready),
      .end_o       (out_o.ending),
      .head_valid_i(into_i.head_valid),
      .head_keys_i (into_i.head_keys),
      .rx_valid_i  (into_i.rx_valid),
      .rx_ready_o  (out_o.rx_ready),
      .rx_first_i  (into_i.rx.first),
      .rx_last_i   (into_i.rx.last),
      .rx_whole_i  (into_i.rx.whole),
      .rx_eager_i  (into_i.rx.eager),
      .rx_key_i    (into_i.rx.key),
      .rx_line_i   (into_i.rx.line),
      .rx_bytes_i  (into_i.rx.bytes),
      .rx_data_i   (into_i.rx.data),
      .fate_o      (out_o.fate),
      .note_valid_i(into_i.note_valid),
      .note_i      (into_i.note),
      .ask_room_o  (out_o.ask_room),
      .tell_valid_o(out_o.tell_valid),
      .tell_ready_i(into_i.tell_ready),
      .tell_o      (out_o.tell),
      .mrd_valid_o (rd_valid),
      .mrd_ready_i (rd_ready),
      .mrd_addr_o  (rd_addr),
      .mrd_rvalid_i(rd_there),
      .mrd_data_i  (rd_data),
      .mrd_err_i   (rd_err),
      .mwr_valid_o (wr_valid),
      .mwr_ready_i (wr_ready),
      .mwr_post_o  (wr_post),
      .mwr_addr_o  (wr_addr),
      .mwr_data_o  (wr_data),
      .mwr_strb_o  (wr_strb),
      .mwr_done_i  (wr_done),
      .mwr_err_i   (wr_err),
      .tx_valid_o  (out_o.tx_valid),
      .tx_ready_i  (into_i.tx_ready),
      .tx_first_o  (),
      .tx_last_o   (out_o.tx_last),
      .tx_dest_o   (out_o.tx_dest),
      .tx_addr_o   (tx_addr),
      .tx_bytes_o  (out_o.tx_bytes),
      .tx_data_o   (out_o.tx_data),
      .used_o      (),
      .busy_o      (busy)
  );

  for (genvar u = 0; u < UNITS; u++) begin : gen_mem
    fsh_cmem i_mem (
        .clk_i,
        .rst_i,
        .seg_base_i,
        .seg_size_i,
        .host_size_i,
        .rd_valid_i (rd_valid[u]),
        .rd_ready_o (rd_ready[u]),
        .rd_addr_i  (rd_addr[32*u+:32]),
        .rd_valid_o (rd_there[u]),
        .rd_data_o  (rd_data[512*u+:512]),
        .rd_err_o   (rd_err[u]),
        .wr_valid_i (wr_valid[u]),
        .wr_ready_o (wr_ready[u]),
        .wr_post_i  (wr_post[u]),
        .wr_addr_i  (wr_addr[32*u+:32]),
        .wr_data_i  (wr_data[512*u+:512]),
        .wr_strb_i  (wr_strb[64*u+:64]),
        .wr_done_o  (wr_done[u]),
        .wr_err_o   (wr_err[u]),
        .m_awvalid_o(mem_req_o.awvalid[u]),
        .m_awready_i(mem_rsp_i.awready[u]),
        .m_awaddr_o (mem_req_o.awaddr[40*u+:40]),
        .m_wvalid_o (mem_req_o.wvalid[u]),
        .m_wready_i (mem_rsp_i.wready[u]),
        .m_wdata_o  (mem_req_o.wdata[512*u+:512]),
        .m_wstrb_o  (mem_req_o.wstrb[64*u+:64]),
        .m_bvalid_i (mem_rsp_i.bvalid[u]),
        .m_berr_i   (mem_rsp_i.berr[u]),
        .m_arvalid_o(mem_req_o.arvalid[u]),
        .m_arready_i(mem_rsp_i.arready[u]),
        .m_araddr_o (mem_req_o.araddr[40*u+:40]),
        .m_rvalid_i (mem_rsp_i.rvalid[u]),
        .m_rdata_i  (mem_rsp_i.rdata[512*u+:512]),
        .m_rerr_i   (mem_rsp_i.rerr[u]),
        .post_valid_o(post_valid[u]),
        .post_ready_i(into_i.post_ready && unit == 1'(u)),
        .post_addr_o(post_addr[32*u+:32]),
        .busy_o     (mem_busy[u])
    );
  end

  // Lines for host memory: one that is offered stays; else the other unit's turn.
  assign out_o.post_valid = post_valid != '0;
  assign unit             = held_q ? unit_q : post_valid[!unit_q] ? !unit_q : unit_q;
  assign out_o.post_unit  = unit;
  assign out_o.post_addr  = unit ? post_addr[63:32] : post_addr[31:0];

  always_ff @(posedge clk_i) begin
    unit_q <= unit;
    held_q <= post_valid != '0 && !into_i.post_ready;
    if (rst_i) {held_q, unit_q} <= '0;
  end

  assign idle_o = !(busy || mem_busy != '0 || rst_i);
endmodule

`default_nettype wire
