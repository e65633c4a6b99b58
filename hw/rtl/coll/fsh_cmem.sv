// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Lines of the collective engine to device memory: a 512-bit AXI master, bursts of one
/// beat, answers in order. Addresses are lines of the segment. What lies outside of it is
/// answered with an error in its turn: it goes out as a read that nobody looks at, or a
/// write of no byte, of the segment's first line. A write with wr_post_i goes to a line
/// of the DMA window instead (post_*, data as m_wdata_o), whole: it is done when it is
/// taken, since what the node writes to host memory stays in order; one outside is an
/// error, and nothing. Up to 64 of each under way; a register
/// between engine and pins in each direction but that of the answers. Reset: none under way.
module fsh_cmem (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic  [39:0] seg_base_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic  [39:0] seg_size_i,
    input  wire logic  [39:0] host_size_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic         rd_valid_i,
    output logic              rd_ready_o,
    input  wire logic  [31:0] rd_addr_i,
    output logic              rd_valid_o,
    output logic      [511:0] rd_data_o,
    output logic              rd_err_o,
    input  wire logic         wr_valid_i,
    output logic              wr_ready_o,
    input  wire logic         wr_post_i,
    input  wire logic  [31:0] wr_addr_i,
    input  wire logic [511:0] wr_data_i,
    input  wire logic  [63:0] wr_strb_i,
    output logic              wr_done_o,
    output logic              wr_err_o,
    output logic              m_awvalid_o,
    input  wire logic         m_awready_i,
    output logic       [39:0] m_awaddr_o,
    output logic              m_wvalid_o,
    input  wire logic         m_wready_i,
    output logic      [511:0] m_wdata_o,
    output logic       [63:0] m_wstrb_o,
    input  wire logic         m_bvalid_i,
    input  wire logic         m_berr_i,
    output logic              m_arvalid_o,
    input  wire logic         m_arready_i,
    output logic       [39:0] m_araddr_o,
    input  wire logic         m_rvalid_i,
    input  wire logic [511:0] m_rdata_i,
    input  wire logic         m_rerr_i,
    output logic              post_valid_o,
    input  wire logic         post_ready_i,
    output logic       [31:0] post_addr_o,
    output logic              busy_o
);
  logic rd_in, rd_room, rd_known, rd_out, rd_take, wr_in, wr_room, wr_known, wr_out, wr_take;
  logic to_mem, to_host, post_in, wr_host, posted;

  assign rd_in      = {2'd0, rd_addr_i} < seg_size_i[39:6];
  assign wr_in      = {2'd0, wr_addr_i} < seg_size_i[39:6];
  assign rd_ready_o = rd_room && (!m_arvalid_o || m_arready_i);
  assign post_in    = {2'd0, wr_addr_i} < host_size_i[39:6];
  assign wr_ready_o = wr_room && (!m_awvalid_o || m_awready_i) && (!m_wvalid_o || m_wready_i) &&
                      !post_valid_o;
  assign rd_take    = rd_valid_i && rd_ready_o;
  assign wr_take    = wr_valid_i && wr_ready_o;
  assign to_mem     = wr_take && !wr_post_i;
  assign to_host    = wr_take && wr_post_i && post_in;

  always_ff @(posedge clk_i) begin
    if (rd_take) m_araddr_o <= seg_base_i + (rd_in ? {2'd0, rd_addr_i, 6'd0} : 40'd0);
    if (wr_take) begin
      m_awaddr_o <= seg_base_i + (wr_in ? {2'd0, wr_addr_i, 6'd0} : 40'd0);
      m_wdata_o  <= wr_data_i;
      m_wstrb_o  <= wr_in ? wr_strb_i : '0;
      post_addr_o <= wr_addr_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_take || m_arready_i) m_arvalid_o <= rd_take;
    if (to_mem || m_awready_i) m_awvalid_o <= to_mem;
    if (to_mem || m_wready_i) m_wvalid_o <= to_mem;
    if (to_host || post_ready_i) post_valid_o <= to_host;
    if (rst_i) {m_arvalid_o, m_awvalid_o, m_wvalid_o, post_valid_o} <= '0;
  end

  // Which of what is under way lies outside.
  fsh_fifo #(
      .WIDTH(1),
      .DEPTH(64)
  ) i_reads (
      .clk_i,
      .rst_i,
      .valid_i(rd_take),
      .ready_o(rd_room),
      .data_i (!rd_in),
      .valid_o(rd_known),
      .ready_i(m_rvalid_i),
      .data_o (rd_out),
      .count_o()
  );

  fsh_fifo #(
      .WIDTH(2),
      .DEPTH(64)
  ) i_writes (
      .clk_i,
      .rst_i,
      .valid_i(wr_take),
      .ready_o(wr_room),
      .data_i ({wr_post_i, wr_post_i ? !post_in : !wr_in}),
      .valid_o(wr_known),
      .ready_i(wr_done_o),
      .data_o ({wr_host, wr_out}),
      .count_o(count)
  );

  assign rd_valid_o = m_rvalid_i;
  assign rd_data_o  = m_rdata_i;
  assign rd_err_o   = m_rerr_i || rd_out;

  // Answers of memory that come while one to the host is in front wait for their turn; one
  // to the host is there when no such line stands here, or it is not the last.
  logic       early, early_err, early_room, ahead;
  logic [6:0] count;

  fsh_fifo #(
      .WIDTH(1),
      .DEPTH(64)
  ) i_early (
      .clk_i,
      .rst_i,
      .valid_i(m_bvalid_i && (early || wr_host)),
      .ready_o(early_room),
      .data_i (m_berr_i),
      .valid_o(early),
      .ready_i(wr_done_o && !wr_host),
      .data_o (early_err),
      .count_o()
  );

  assign ahead     = count != 7'd1;
  assign posted    = wr_known && wr_host && (!post_valid_o || ahead);
  assign wr_done_o = posted || (wr_known && !wr_host && (early || m_bvalid_i));
  assign wr_err_o  = wr_out || (!wr_host && (early ? early_err : m_berr_i));
  assign busy_o     = m_arvalid_o || m_awvalid_o || m_wvalid_o || m_rvalid_i || m_bvalid_i ||
                      rd_valid_i || wr_valid_i || post_valid_o || posted || early;

  `FSH_ASSERT(a_answers, (!m_rvalid_i || rd_known) && (!m_bvalid_i || (wr_known && early_room)))
  `FSH_STABLE(m_arvalid_o, m_arready_i, m_araddr_o)
  `FSH_STABLE(m_awvalid_o, m_awready_i, m_awaddr_o)
  `FSH_STABLE(m_wvalid_o, m_wready_i, m_wdata_o)
endmodule

`default_nettype wire
