// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The ports of a node under the rules of their protocols: registers, writes and reads of
/// host memory and of device memory, and what the receivers have written to host memory;
/// links.
/// How much is under way at most says hw/rtl/README.md.
/// Wires only; bound to fsh_node.
module fsh_check_node #(
    parameter int unsigned PORTS = 2
) (
    // Records whole; what no rule is about stays unread.
    /* verilator lint_off UNUSEDSIGNAL */
    input wire logic                      clk_i,
    input wire logic                      rst_i,
    input wire fsh_node_pkg::cfg_t        cfg_i,
    input wire fsh_axi_pkg::lite_req_t    axil_req_i,
    input wire fsh_axi_pkg::lite_rsp_t    axil_rsp_i,
    input wire fsh_axi_pkg::host_wr_req_t host_wr_req_i,
    input wire fsh_axi_pkg::host_wr_rsp_t host_wr_rsp_i,
    input wire fsh_axi_pkg::host_rd_req_t host_rd_req_i,
    input wire fsh_axi_pkg::host_rd_rsp_t host_rd_rsp_i,
    input wire fsh_axi_pkg::mem_wr_req_t  mem_wr_req_i,
    input wire fsh_axi_pkg::mem_wr_rsp_t  mem_wr_rsp_i,
    input wire fsh_axi_pkg::mem_rd_req_t  mem_rd_req_i,
    input wire fsh_axi_pkg::mem_rd_rsp_t  mem_rd_rsp_i,
    input wire fsh_axi_pkg::mem_wr_req_t  rx_req_i,
    input wire fsh_axi_pkg::mem_wr_rsp_t  rx_rsp_i,
    input wire logic         [PORTS-1:0]  link_tx_valid_i,
    input wire logic         [PORTS-1:0]  link_tx_bound_i,
    input wire logic     [PORTS*128-1:0]  link_tx_data_i,
    input wire logic         [PORTS-1:0]  link_rx_valid_i,
    input wire logic         [PORTS-1:0]  link_rx_bound_i,
    input wire logic     [PORTS*128-1:0]  link_rx_data_i
    /* verilator lint_on UNUSEDSIGNAL */
);
  localparam int unsigned MASTERS = fsh_axi_pkg::MASTERS;

  fsh_check_lite i_registers (
      .clk_i,
      .rst_i,
      .awvalid_i(axil_req_i.awvalid),
      .awready_i(axil_rsp_i.awready),
      .awaddr_i (axil_req_i.awaddr),
      .wvalid_i (axil_req_i.wvalid),
      .wready_i (axil_rsp_i.wready),
      .wdata_i  (axil_req_i.wdata),
      .bvalid_i (axil_rsp_i.bvalid),
      .bready_i (axil_req_i.bready),
      .arvalid_i(axil_req_i.arvalid),
      .arready_i(axil_rsp_i.arready),
      .araddr_i (axil_req_i.araddr),
      .rvalid_i (axil_rsp_i.rvalid),
      .rready_i (axil_req_i.rready),
      .rdata_i  (axil_rsp_i.rdata)
  );

  fsh_check_write #(
      .ADDR_W(48)
  ) i_host_write (
      .clk_i,
      .rst_i,
      .base_i   (cfg_i.host_base),
      .size_i   ({8'd0, cfg_i.host_size}),
      .awvalid_i(host_wr_req_i.awvalid),
      .awready_i(host_wr_rsp_i.awready),
      .awaddr_i (host_wr_req_i.awaddr),
      .awlen_i  (host_wr_req_i.awlen),
      .wvalid_i (host_wr_req_i.wvalid),
      .wready_i (host_wr_rsp_i.wready),
      .wdata_i  (host_wr_req_i.wdata),
      .wstrb_i  (host_wr_req_i.wstrb),
      .wlast_i  (host_wr_req_i.wlast),
      .bvalid_i (host_wr_rsp_i.bvalid),
      .bready_i (1'b1)
  );

  fsh_check_read #(
      .ADDR_W(48),
      .IDS   (1'b1)
  ) i_host_read (
      .clk_i,
      .rst_i,
      .base_i   (cfg_i.host_base),
      .size_i   ({8'd0, cfg_i.host_size}),
      .arvalid_i(host_rd_req_i.arvalid),
      .arready_i(host_rd_rsp_i.arready),
      .araddr_i (host_rd_req_i.araddr),
      .arlen_i  (host_rd_req_i.arlen),
      .arid_i   (host_rd_req_i.arid),
      .rvalid_i (host_rd_rsp_i.rvalid),
      .rid_i    (host_rd_rsp_i.rid)
  );

  fsh_check_write #(
      .N  (MASTERS),
      .MAX(33)
  ) i_mem_write (
      .clk_i,
      .rst_i,
      .base_i   (cfg_i.seg_base),
      .size_i   (cfg_i.seg_size),
      .awvalid_i(mem_wr_req_i.awvalid),
      .awready_i(mem_wr_rsp_i.awready),
      .awaddr_i (mem_wr_req_i.awaddr),
      .awlen_i  (mem_wr_req_i.awlen),
      .wvalid_i (mem_wr_req_i.wvalid),
      .wready_i (mem_wr_rsp_i.wready),
      .wdata_i  (mem_wr_req_i.wdata),
      .wstrb_i  (mem_wr_req_i.wstrb),
      .wlast_i  (mem_wr_req_i.wlast),
      .bvalid_i (mem_wr_rsp_i.bvalid),
      .bready_i ({MASTERS{1'b1}})
  );

  // Packets of the collective engine are read there (fsh_cserve).
  fsh_check_read #(
      .N    (MASTERS),
      .ASIDE(1'b1)
  ) i_mem_read (
      .clk_i,
      .rst_i,
      .base_i   (cfg_i.seg_base),
      .size_i   (cfg_i.seg_size),
      .arvalid_i(mem_rd_req_i.arvalid),
      .arready_i(mem_rd_rsp_i.arready),
      .araddr_i (mem_rd_req_i.araddr),
      .arlen_i  (mem_rd_req_i.arlen),
      .arid_i   ({MASTERS{1'b0}}),
      .rvalid_i (mem_rd_rsp_i.rvalid),
      .rid_i    ({MASTERS{1'b0}})
  );

  fsh_check_link #(
      .N(PORTS)
  ) i_link (
      .clk_i,
      .rst_i,
      .node_i    (cfg_i.node),
      .nodes_i   (cfg_i.nodes),
      .tx_valid_i(link_tx_valid_i),
      .tx_bound_i(link_tx_bound_i),
      .tx_data_i (link_tx_data_i),
      .rx_valid_i(link_rx_valid_i),
      .rx_bound_i(link_rx_bound_i),
      .rx_data_i (link_rx_data_i)
  );

  // Inside: the receivers to the writer to host memory, as offsets in the DMA window.
  fsh_check_write #(
      .N(MASTERS)
  ) i_rx_write (
      .clk_i,
      .rst_i,
      .base_i   (40'd0),
      .size_i   (cfg_i.host_size),
      .awvalid_i(rx_req_i.awvalid),
      .awready_i(rx_rsp_i.awready),
      .awaddr_i (rx_req_i.awaddr),
      .awlen_i  (rx_req_i.awlen),
      .wvalid_i (rx_req_i.wvalid),
      .wready_i (rx_rsp_i.wready),
      .wdata_i  (rx_req_i.wdata),
      .wstrb_i  (rx_req_i.wstrb),
      .wlast_i  (rx_req_i.wlast),
      .bvalid_i (rx_rsp_i.bvalid),
      .bready_i ({MASTERS{1'b1}})
  );
endmodule

`default_nettype wire
