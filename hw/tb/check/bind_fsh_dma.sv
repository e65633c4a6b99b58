// SPDX-License-Identifier: BSD-3-Clause
// The DMA engine: its port to the DMA window, whose bursts of 4 KiB at most are packets of
// PCIe, and that to device memory, of single lines. The engine has room for 256 lines of the
// window and 64 of the segment; of writes it waits for as many as a memory takes.
bind fsh_dma fsh_check_read #(
    .ADDR_W (48),
    .BYTES  (64),
    .LONGEST(64),
    .MAX    (256)
) i_check_wide_read (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (host_base_i),
    .size_i   ({8'd0, host_size_i}),
    .arvalid_i(wide_req_o.arvalid),
    .arready_i(wide_rsp_i.arready),
    .araddr_i (wide_req_o.araddr),
    .arlen_i  (wide_req_o.arlen),
    .arid_i   (1'b0),
    .rvalid_i (wide_rsp_i.rvalid),
    .rid_i    (1'b0)
);
bind fsh_dma fsh_check_write #(
    .ADDR_W (48),
    .BYTES  (64),
    .LONGEST(4),
    .MAX    (512)
) i_check_wide_write (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (host_base_i),
    .size_i   ({8'd0, host_size_i}),
    .awvalid_i(wide_req_o.awvalid),
    .awready_i(wide_rsp_i.awready),
    .awaddr_i (wide_req_o.awaddr),
    .awlen_i  (wide_req_o.awlen),
    .wvalid_i (wide_req_o.wvalid),
    .wready_i (wide_rsp_i.wready),
    .wdata_i  (wide_req_o.wdata),
    .wstrb_i  (wide_req_o.wstrb),
    .wlast_i  (wide_req_o.wlast),
    .bvalid_i (wide_rsp_i.bvalid),
    .bready_i (1'b1)
);
bind fsh_dma fsh_check_read #(
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (64)
) i_check_line_read (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .arvalid_i(line_req_o.arvalid),
    .arready_i(line_rsp_i.arready),
    .araddr_i (line_req_o.araddr),
    .arlen_i  (8'd0),
    .arid_i   (1'b0),
    .rvalid_i (line_rsp_i.rvalid),
    .rid_i    (1'b0)
);
bind fsh_dma fsh_check_write #(
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (512)
) i_check_line_write (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .awvalid_i(line_req_o.awvalid),
    .awready_i(line_rsp_i.awready),
    .awaddr_i (line_req_o.awaddr),
    .awlen_i  (8'd0),
    .wvalid_i (line_req_o.wvalid),
    .wready_i (line_rsp_i.wready),
    .wdata_i  (line_req_o.wdata),
    .wstrb_i  (line_req_o.wstrb),
    .wlast_i  (1'b1),
    .bvalid_i (line_rsp_i.bvalid),
    .bready_i (1'b1)
);
