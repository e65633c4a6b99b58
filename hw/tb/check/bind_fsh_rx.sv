// SPDX-License-Identifier: BSD-3-Clause
// A receiver by itself (tb_fsh_rx): master 0 is that to device memory, 1 that to the
// writer to host memory, of whose answers two packets' may be missing each.
bind fsh_rx fsh_check_write #(
    .N  (2),
    .MAX(66)
) i_check (
    .clk_i    (clk_i),
    .rst_i    (rst_i),
    .base_i   (40'd0),
    .size_i   ({40{1'b1}}),
    .awvalid_i({awvalid_o && awhost_o, awvalid_o && !awhost_o}),
    .awready_i({2{awready_i}}),
    .awaddr_i ({2{awaddr_o}}),
    .awlen_i  ({2{awlen_o}}),
    .wvalid_i ({wvalid_o && whost_o, wvalid_o && !whost_o}),
    .wready_i ({2{wready_i}}),
    .wdata_i  ({2{wdata_o}}),
    .wstrb_i  ({2{wstrb_o}}),
    .wlast_i  ({2{wlast_o}}),
    .bvalid_i ({host_bvalid_i, mem_bvalid_i}),
    .bready_i (2'b11)
);
