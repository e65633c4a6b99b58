// SPDX-License-Identifier: BSD-3-Clause
bind fsh_node fsh_check_node #(
    .PORTS(PORTS)
) i_check (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .cfg_i        (cfg),
    .axil_req_i   (axil_req_i),
    .axil_rsp_i   (axil_rsp_o),
    .host_wr_req_i(host_wr_req_o),
    .host_wr_rsp_i(host_wr_rsp_i),
    .host_rd_req_i(host_rd_req_o),
    .host_rd_rsp_i(host_rd_rsp_i),
    .mem_wr_req_i (mem_wr_req_o),
    .mem_wr_rsp_i (mem_wr_rsp_i),
    .mem_rd_req_i (mem_rd_req_o),
    .mem_rd_rsp_i (mem_rd_rsp_i),
    .rx_req_i     (rx_req),
    .rx_rsp_i     (rx_rsp),
    .link_tx_valid_i(link_tx_valid_o),
    .link_tx_bound_i(link_tx_bound_o),
    .link_tx_data_i (link_tx_data_o),
    .link_rx_valid_i(link_rx_valid_i),
    .link_rx_bound_i(link_rx_bound_i),
    .link_rx_data_i (link_rx_data_i)
);
