// SPDX-License-Identifier: BSD-3-Clause
// A writer to host memory by itself (tb_fsh_hostw): in a node fsh_check_node looks.
bind fsh_hostw fsh_check_write #(
    .ADDR_W(48)
) i_check (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (48'd0),
    .size_i   ({48{1'b1}}),
    .awvalid_i(awvalid_o),
    .awready_i(awready_i),
    .awaddr_i (awaddr_o),
    .awlen_i  (awlen_o),
    .wvalid_i (wvalid_o),
    .wready_i (wready_i),
    .wdata_i  (wdata_o),
    .wstrb_i  (wstrb_o),
    .wlast_i  (wlast_o),
    .bvalid_i (bvalid_i),
    .bready_i (1'b1)
);
