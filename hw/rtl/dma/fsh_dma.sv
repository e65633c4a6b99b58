// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The DMA engine: moves of any alignment between the DMA window (a port of 64 bytes a cycle of
/// its own, wide_*) and the segment (line_*). Two directions, which share nothing but the order
/// in which their ends are told: to the card (0) reads the window and writes the segment, from
/// the card (1) the other way. Moves of a direction are executed and end in order, each when
/// its writes have been answered, with an entry for the completion ring: opcode PUT to the card,
/// GET from it, status LOCAL_RANGE outside the window, REMOTE_RANGE outside the segment, MEMORY
/// for an error of a memory.
/// Window: reads of up to 64 lines, writes of up to 4, within as many aligned lines: each is a
/// packet of PCIe, whose requests for reads go the way of writes and should be few. Of the window
/// 16 KiB are being read at most, of the segment 4 KiB.
/// A move is taken in any cycle with room_o. The clock may miss an edge while idle_o is high and
/// no input is valid. Reset: no moves.
module fsh_dma (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic   [7:0] node_i,
    input  wire logic  [47:0] host_base_i,
    input  wire logic  [39:0] host_size_i,
    input  wire logic  [39:0] seg_base_i,
    input  wire logic  [39:0] seg_size_i,
    input  wire logic   [1:0] move_valid_i,
    output logic        [1:0] move_room_o,
    input  wire fsh_dma_pkg::move_t move_i,
    output logic              entry_valid_o,
    input  wire logic         entry_ready_i,
    output fsh_spec_pkg::ring_t entry_o,
    output fsh_axi_pkg::wide_req_t wide_req_o,
    input  wire fsh_axi_pkg::line_rsp_t wide_rsp_i,
    output fsh_axi_pkg::line_req_t line_req_o,
    input  wire fsh_axi_pkg::line_rsp_t line_rsp_i,
    output logic              idle_o
);
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;

  logic [1:0] end_valid, end_ready, busy, gnt;
  logic [2*TAG_W-1:0] end_tag;
  logic [7:0] end_status;
  logic       take, to_card;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [7:0] line_arlen, line_awlen;  // 0: lines
  logic [47:0] line_araddr, line_awaddr;
  logic       line_wlast;
  /* verilator lint_on UNUSEDSIGNAL */

  fsh_dma_way #(
      .RD_BEATS(64),
      .WR_BEATS(1),
      .DEPTH   (256),
      .TO_CARD (1'b1)
  ) i_to (
      .clk_i,
      .rst_i,
      .from_base_i (host_base_i),
      .from_size_i (host_size_i),
      .to_base_i   ({8'd0, seg_base_i}),
      .to_size_i   (seg_size_i),
      .move_valid_i(move_valid_i[0]),
      .move_room_o (move_room_o[0]),
      .move_i,
      .arvalid_o   (wide_req_o.arvalid),
      .arready_i   (wide_rsp_i.arready),
      .araddr_o    (wide_req_o.araddr),
      .arlen_o     (wide_req_o.arlen),
      .rvalid_i    (wide_rsp_i.rvalid),
      .rdata_i     (wide_rsp_i.rdata),
      .rerr_i      (wide_rsp_i.rerr),
      .awvalid_o   (line_req_o.awvalid),
      .awready_i   (line_rsp_i.awready),
      .awaddr_o    (line_awaddr),
      .awlen_o     (line_awlen),
      .wvalid_o    (line_req_o.wvalid),
      .wready_i    (line_rsp_i.wready),
      .wdata_o     (line_req_o.wdata),
      .wstrb_o     (line_req_o.wstrb),
      .wlast_o     (line_wlast),
      .bvalid_i    (line_rsp_i.bvalid),
      .berr_i      (line_rsp_i.berr),
      .end_valid_o (end_valid[0]),
      .end_ready_i (end_ready[0]),
      .end_tag_o   (end_tag[0+:TAG_W]),
      .end_status_o(end_status[3:0]),
      .busy_o      (busy[0])
  );

  fsh_dma_way #(
      .RD_BEATS(1),
      .WR_BEATS(4),
      .DEPTH   (64),
      .TO_CARD (1'b0)
  ) i_from (
      .clk_i,
      .rst_i,
      .from_base_i ({8'd0, seg_base_i}),
      .from_size_i (seg_size_i),
      .to_base_i   (host_base_i),
      .to_size_i   (host_size_i),
      .move_valid_i(move_valid_i[1]),
      .move_room_o (move_room_o[1]),
      .move_i,
      .arvalid_o   (line_req_o.arvalid),
      .arready_i   (line_rsp_i.arready),
      .araddr_o    (line_araddr),
      .arlen_o     (line_arlen),
      .rvalid_i    (line_rsp_i.rvalid),
      .rdata_i     (line_rsp_i.rdata),
      .rerr_i      (line_rsp_i.rerr),
      .awvalid_o   (wide_req_o.awvalid),
      .awready_i   (wide_rsp_i.awready),
      .awaddr_o    (wide_req_o.awaddr),
      .awlen_o     (wide_req_o.awlen),
      .wvalid_o    (wide_req_o.wvalid),
      .wready_i    (wide_rsp_i.wready),
      .wdata_o     (wide_req_o.wdata),
      .wstrb_o     (wide_req_o.wstrb),
      .wlast_o     (wide_req_o.wlast),
      .bvalid_i    (wide_rsp_i.bvalid),
      .berr_i      (wide_rsp_i.berr),
      .end_valid_o (end_valid[1]),
      .end_ready_i (end_ready[1]),
      .end_tag_o   (end_tag[TAG_W+:TAG_W]),
      .end_status_o(end_status[7:4]),
      .busy_o      (busy[1])
  );
  assign line_req_o.araddr = line_araddr[39:0];
  assign line_req_o.awaddr = line_awaddr[39:0];

  // Ends, one at a time.
  fsh_arb #(
      .N(2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (end_valid),
      .look_i(1'b1),
      .take_i(take),
      .gnt_o (gnt)
  );
  assign take      = end_valid != '0 && !entry_valid_o;
  assign end_ready = gnt & {2{take}};
  assign to_card   = gnt[0];

  always_ff @(posedge clk_i) begin
    if (take) begin
      entry_o        <= '0;
      entry_o.kind   <= fsh_spec_pkg::CPL_TAGGED;
      entry_o.opcode <= 8'(to_card ? fsh_spec_pkg::OP_PUT : fsh_spec_pkg::OP_GET);
      entry_o.node   <= node_i;
      entry_o.tag    <= to_card ? 11'(end_tag[0+:TAG_W]) : 11'(end_tag[TAG_W+:TAG_W]);
      entry_o.status <= to_card ? end_status[3:0] : end_status[7:4];
    end
    if (take || entry_ready_i) entry_valid_o <= take;
    if (rst_i) entry_valid_o <= 1'b0;
  end

  assign idle_o = busy == '0 && !entry_valid_o;
endmodule

`default_nettype wire
