// SPDX-License-Identifier: BSD-3-Clause
// The compute core's reads.
bind fsh_cread fsh_check_read #(
    .N      (4),
    .BYTES  (64),
    .LONGEST(1),
    .MAX    (128)
) i_check (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (seg_base_i),
    .size_i   (seg_size_i),
    .arvalid_i(m_arvalid_o),
    .arready_i(m_arready_i),
    .araddr_i (m_araddr_o),
    .arlen_i  (32'd0),
    .arid_i   (4'd0),
    .rvalid_i (m_rvalid_i),
    .rid_i    (4'd0)
);
