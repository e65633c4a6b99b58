// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The four AXI write masters: beats of results, one a lane and cycle, and beats
/// of the encoded operand, one a cycle, on lane addr[1:0]; where both want a lane
/// they take turns. Three cycles from a beat taken to AW and W. At most 64 beats
/// of a lane are taken and not answered.
/// issued_o counts the beats a lane has taken, done_o those of them, in order,
/// that are answered, both modulo 256: the beats taken up to a moment are
/// written when done_o has reached the issued_o of the cycle after it.
/// A beat outside the segment is dropped: it is done when all before it are.
/// err_o: a pulse for each error, before done_o counts its beat; index
/// 2 * parity + {1: error response, 0: out of range}.
/// Reset forgets everything.
module fsh_cwrite (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic   [39:0] seg_base_i,
    input  wire logic   [39:0] seg_size_i,
    // Results, by lane; addresses in 64 bytes, a strobe per 4 bytes.
    input  wire logic    [3:0] wr_valid_i,
    output logic         [3:0] wr_ready_o,
    input  wire logic  [127:0] wr_addr_i,
    input  wire logic [2047:0] wr_data_i,
    input  wire logic   [63:0] wr_strb_i,
    input  wire logic    [3:0] wr_cmd_i,  // parity of the command
    // The encoded operand.
    input  wire logic          exp_valid_i,
    output logic               exp_ready_o,
    input  wire logic   [31:0] exp_addr_i,
    input  wire logic  [511:0] exp_data_i,
    input  wire logic          exp_cmd_i,
    output logic        [31:0] issued_o,
    output logic        [31:0] done_o,
    output logic         [3:0] err_o,
    output logic         [3:0] m_awvalid_o,
    input  wire logic    [3:0] m_awready_i,
    output logic       [159:0] m_awaddr_o,
    output logic         [3:0] m_wvalid_o,
    input  wire logic    [3:0] m_wready_i,
    output logic      [2047:0] m_wdata_o,
    output logic       [255:0] m_wstrb_o,
    input  wire logic    [3:0] m_bvalid_i,
    input  wire logic    [3:0] m_berr_i,
    output logic               busy_o  // state changes at the next edge
);
  logic [3:0] exp_valid, exp_ready, lane_busy;

  assign exp_ready_o = exp_ready[exp_addr_i[1:0]];

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    logic [3:0] err;

    assign exp_valid[l] = exp_valid_i && exp_addr_i[1:0] == 2'(l);

    fsh_cwrite_lane i_lane (
        .clk_i,
        .rst_i,
        .seg_base_i,
        .seg_size_i,
        .wr_valid_i (wr_valid_i[l]),
        .wr_ready_o (wr_ready_o[l]),
        .wr_addr_i  (wr_addr_i[l*32+:32]),
        .wr_data_i  (wr_data_i[l*512+:512]),
        .wr_strb_i  (wr_strb_i[l*16+:16]),
        .wr_cmd_i   (wr_cmd_i[l]),
        .exp_valid_i(exp_valid[l]),
        .exp_ready_o(exp_ready[l]),
        .exp_addr_i,
        .exp_data_i,
        .exp_cmd_i,
        .issued_o   (issued_o[l*8+:8]),
        .done_o     (done_o[l*8+:8]),
        .err_o      (err),
        .m_awvalid_o(m_awvalid_o[l]),
        .m_awready_i(m_awready_i[l]),
        .m_awaddr_o (m_awaddr_o[l*40+:40]),
        .m_wvalid_o (m_wvalid_o[l]),
        .m_wready_i (m_wready_i[l]),
        .m_wdata_o  (m_wdata_o[l*512+:512]),
        .m_wstrb_o  (m_wstrb_o[l*64+:64]),
        .m_bvalid_i (m_bvalid_i[l]),
        .m_berr_i   (m_berr_i[l]),
        .busy_o     (lane_busy[l])
    );
  end

  assign err_o  = gen_lane[0].err | gen_lane[1].err | gen_lane[2].err | gen_lane[3].err;
  assign busy_o = lane_busy != '0;
endmodule

`default_nettype wire
