// SPDX-License-Identifier: BSD-3-Clause
// The compute core's writes.
bind fsh_cwrite fsh_check_write #(
    .N      (4),
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (64)
) i_check (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .awvalid_i(m_awvalid_o),
    .awready_i(m_awready_i),
    .awaddr_i (m_awaddr_o),
    .awlen_i  (32'd0),
    .wvalid_i (m_wvalid_o),
    .wready_i (m_wready_i),
    .wdata_i  (m_wdata_o),
    .wstrb_i  (m_wstrb_o),
    .wlast_i  (4'hf),
    .bvalid_i (m_bvalid_i),
    .bready_i (4'hf)
);
