// SPDX-License-Identifier: BSD-3-Clause
// The collective engine's port to device memory.
bind fsh_cmem fsh_check_read #(
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (64)
) i_check_read (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .arvalid_i(m_arvalid_o),
    .arready_i(m_arready_i),
    .araddr_i (m_araddr_o),
    .arlen_i  (8'd0),
    .arid_i   (1'b0),
    .rvalid_i (m_rvalid_i),
    .rid_i    (1'b0)
);
bind fsh_cmem fsh_check_write #(
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (64)
) i_check_write (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .awvalid_i(m_awvalid_o),
    .awready_i(m_awready_i),
    .awaddr_i (m_awaddr_o),
    .awlen_i  (8'd0),
    .wvalid_i (m_wvalid_o),
    .wready_i (m_wready_i),
    .wdata_i  (m_wdata_o),
    .wstrb_i  (m_wstrb_o),
    .wlast_i  (1'b1),
    .bvalid_i (m_bvalid_i),
    .bready_i (1'b1)
);
