// SPDX-License-Identifier: BSD-3-Clause
// The sequencer's reads by themselves (tb_fsh_seq): in a node fsh_check_node looks.
bind fsh_seq_read fsh_check_read #(
    .N  (2),
    .MAX(256)
) i_check_mem (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (40'd0),
    .size_i   ({40{1'b1}}),
    .arvalid_i(mem_arvalid_o),
    .arready_i(mem_arready_i),
    .araddr_i ({2{mem_araddr_o}}),
    .arlen_i  ({2{mem_arlen_o}}),
    .arid_i   (2'b00),
    .rvalid_i (mem_rvalid_i),
    .rid_i    (2'b00)
);
bind fsh_seq_read fsh_check_read #(
    .ADDR_W(48),
    .IDS   (1'b1)
) i_check_host (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (48'd0),
    .size_i   ({48{1'b1}}),
    .arvalid_i(host_arvalid_o),
    .arready_i(host_arready_i),
    .araddr_i (host_araddr_o),
    .arlen_i  (host_arlen_o),
    .arid_i   (host_arid_o),
    .rvalid_i (host_rvalid_i),
    .rid_i    (host_rid_i)
);
