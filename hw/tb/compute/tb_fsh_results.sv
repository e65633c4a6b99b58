// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What comes behind the array, wired as in the compute core: fsh_cout,
/// fsh_cwrite, fsh_art. Records are ports of their own, for the testbench in C++.
module tb_fsh_results #(
    parameter int unsigned DRAIN = 4
) (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic    [7:0] node_i,
    input  wire logic   [39:0] seg_base_i,
    input  wire logic   [39:0] seg_size_i,
    output logic               busy_o,
    // Tiles.
    input  wire logic          tile_valid_i,
    output logic               tile_ready_o,
    output logic               tile_done_o,
    input  wire logic          first_i,
    input  wire logic          last_i,
    input  wire logic          parity_i,
    input  wire logic          bank_i,
    input  wire logic          conv_i,
    input  wire logic          accumulate_i,
    input  wire logic          bias_i,
    input  wire logic          relu_i,
    input  wire logic    [7:0] x_groups_i,
    input  wire logic    [7:0] w_groups_i,
    input  wire logic   [23:0] row_i,
    input  wire logic   [19:0] w_group_i,
    input  wire logic   [31:0] c_addr_i,
    input  wire logic   [31:0] b_addr_i,
    input  wire logic   [31:0] out_plane_i,
    input  wire logic   [19:0] ldc_i,
    input  wire logic   [23:0] m_i,
    input  wire logic   [23:0] n_i,
    input  wire logic   [15:0] out_w_i,
    // The array, and memory.
    output logic               rd_valid_o,
    output logic               rd_bank_o,
    output logic         [6:0] rd_index_o,
    input  wire logic          rd_valid_i,
    input  wire logic [4095:0] rd_data_i,
    output logic               req_valid_o,
    input  wire logic          req_ready_i,
    output logic        [31:0] req_addr_o,
    output logic        [19:0] req_stride_o,
    output logic         [3:0] req_mask_o,
    input  wire logic          rsp_valid_i,
    input  wire logic [2047:0] rsp_data_i,
    input  wire logic    [1:0] rsp_err_i,
    output logic         [3:0] m_awvalid_o,
    input  wire logic    [3:0] m_awready_i,
    output logic       [159:0] m_awaddr_o,
    output logic         [3:0] m_wvalid_o,
    input  wire logic    [3:0] m_wready_i,
    output logic      [2047:0] m_wdata_o,
    output logic       [255:0] m_wstrb_o,
    input  wire logic    [3:0] m_bvalid_i,
    input  wire logic    [3:0] m_berr_i,
    // The encoded operand.
    input  wire logic          exp_valid_i,
    output logic               exp_ready_o,
    input  wire logic   [31:0] exp_addr_i,
    input  wire logic  [511:0] exp_data_i,
    input  wire logic          exp_cmd_i,
    output logic        [31:0] issued_o,
    input  wire logic          emt_valid_i,
    output logic               emt_ready_o,
    input  wire logic          emt_last_i,
    input  wire logic          emt_parity_i,
    input  wire logic   [31:0] emt_issued_i,
    input  wire logic   [23:0] emt_bytes_i,
    input  wire logic   [37:0] emt_addr_i,
    // Commands.
    input  wire logic    [1:0] cfg_valid_i,
    output logic         [1:0] cfg_ready_o,
    input  wire logic [1023:0] cfg_array_i,
    input  wire logic [1023:0] cfg_mover_i,
    input  wire logic    [1:0] cfg_parity_i,
    input  wire logic    [7:0] cfg_status_i,
    output logic         [3:0] open_o,
    // The node.
    output logic               ccmd_valid_o,
    input  wire logic          ccmd_ready_i,
    output logic         [1:0] ccmd_kind_o,
    output logic         [7:0] ccmd_dst_o,
    output logic         [3:0] ccmd_tag_o,
    output logic        [39:0] ccmd_laddr_o,
    output logic        [39:0] ccmd_raddr_o,
    output logic        [23:0] ccmd_length_o,
    input  wire logic          ack_valid_i,
    input  wire logic    [3:0] ack_tag_i,
    input  wire logic    [3:0] ack_status_i,
    output logic               sent_o,
    output logic        [23:0] sent_bytes_o
);
  fsh_cout_pkg::tile_t tile;
  fsh_cout_pkg::read_t read;
  fsh_cout_pkg::ext_t  ext, emt;
  fsh_spec_pkg::ecmd_t ccmd;
  logic                ext_valid, ext_ready, out_busy, write_busy, art_busy;
  logic          [3:0] wr_valid, wr_ready, wr_cmd, out_err, write_err;
  logic        [127:0] wr_addr;
  logic       [2047:0] wr_data;
  logic         [63:0] wr_strb;
  logic         [31:0] done;

  assign tile = {first_i, last_i, parity_i, bank_i, conv_i, accumulate_i, bias_i, relu_i,
                 x_groups_i, w_groups_i, row_i, w_group_i, c_addr_i, b_addr_i, out_plane_i, ldc_i,
                 m_i, n_i,
                 out_w_i};
  assign emt  = {emt_last_i, emt_parity_i, emt_issued_i, emt_bytes_i, emt_addr_i};
  assign {req_addr_o, req_stride_o, req_mask_o} = read;
  assign {ccmd_kind_o, ccmd_dst_o, ccmd_tag_o} = {ccmd.kind, ccmd.dst, ccmd.tag[3:0]};
  assign {ccmd_laddr_o, ccmd_raddr_o, ccmd_length_o} = {ccmd.laddr, ccmd.raddr, ccmd.length};
  assign busy_o = out_busy || write_busy || art_busy;

  fsh_cout #(
      .DRAIN(DRAIN)
  ) i_out (
      .clk_i,
      .rst_i,
      .tile_valid_i,
      .tile_ready_o,
      .tile_i     (tile),
      .tile_done_o,
      .rd_valid_o,
      .rd_bank_o,
      .rd_index_o,
      .rd_valid_i,
      .rd_data_i,
      .req_valid_o,
      .req_ready_i,
      .req_o      (read),
      .rsp_valid_i,
      .rsp_data_i,
      .rsp_err_i,
      .wr_valid_o (wr_valid),
      .wr_ready_i (wr_ready),
      .wr_addr_o  (wr_addr),
      .wr_data_o  (wr_data),
      .wr_strb_o  (wr_strb),
      .wr_cmd_o   (wr_cmd),
      .issued_i   (issued_o),
      .done_i     (done),
      .ext_valid_o(ext_valid),
      .ext_ready_i(ext_ready),
      .ext_o      (ext),
      .el_valid_i (1'b0),
      .el_add_i   (1'b0),
      .el_loop_i  (1'b0),
      .el_a_i     ('0),
      .el_b_i     ('0),
      .el_quad_valid_i(1'b0),
      .el_quad_i  ('0),
      .el_group_i ('0),
      .el_room_o  (),
      .err_o      (out_err),
      .busy_o     (out_busy)
  );

  fsh_cwrite i_write (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .seg_size_i,
      .wr_valid_i(wr_valid),
      .wr_ready_o(wr_ready),
      .wr_addr_i (wr_addr),
      .wr_data_i (wr_data),
      .wr_strb_i (wr_strb),
      .wr_cmd_i  (wr_cmd),
      .exp_valid_i,
      .exp_ready_o,
      .exp_addr_i,
      .exp_data_i,
      .exp_cmd_i,
      .issued_o,
      .done_o    (done),
      .err_o     (write_err),
      .m_awvalid_o,
      .m_awready_i,
      .m_awaddr_o,
      .m_wvalid_o,
      .m_wready_i,
      .m_wdata_o,
      .m_wstrb_o,
      .m_bvalid_i,
      .m_berr_i,
      .busy_o    (write_busy)
  );

  fsh_art i_art (
      .clk_i,
      .rst_i,
      .node_i,
      .cfg_array_valid_i(cfg_valid_i[0]),
      .cfg_array_ready_o(cfg_ready_o[0]),
      .cfg_mover_valid_i(cfg_valid_i[1]),
      .cfg_mover_ready_o(cfg_ready_o[1]),
      .cfg_array_i,
      .cfg_mover_i,
      .cfg_parity_i,
      .cfg_status_i,
      .ext_valid_i(ext_valid),
      .ext_ready_o(ext_ready),
      .ext_i      (ext),
      .emt_valid_i,
      .emt_ready_o,
      .emt_i      (emt),
      .done_i     (done),
      .err_i      (out_err | write_err),
      .ccmd_valid_o,
      .ccmd_ready_i,
      .ccmd_o     (ccmd),
      .ack_valid_i,
      .ack_tag_i,
      .ack_status_i,
      .open_o,
      .work_o     (),
      .over_o     (),
      .sent_o,
      .sent_bytes_o,
      .busy_o     (art_busy)
  );
endmodule

`default_nettype wire
