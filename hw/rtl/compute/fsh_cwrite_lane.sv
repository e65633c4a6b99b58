// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One lane of fsh_cwrite, whose header says everything. Whoever gave last waits
/// when both want the lane. Responses come in the order of the writes.
module fsh_cwrite_lane (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic  [39:0] seg_base_i,
    input  wire logic  [39:0] seg_size_i,
    input  wire logic         wr_valid_i,
    output logic              wr_ready_o,
    input  wire logic  [31:0] wr_addr_i,
    input  wire logic [511:0] wr_data_i,
    input  wire logic  [15:0] wr_strb_i,
    input  wire logic         wr_cmd_i,
    input  wire logic         exp_valid_i,
    output logic              exp_ready_o,
    input  wire logic  [31:0] exp_addr_i,
    input  wire logic [511:0] exp_data_i,
    input  wire logic         exp_cmd_i,
    output logic        [7:0] issued_o,
    output logic        [7:0] done_o,
    output logic        [3:0] err_o,
    output logic              m_awvalid_o,
    input  wire logic         m_awready_i,
    output logic       [39:0] m_awaddr_o,
    output logic              m_wvalid_o,
    input  wire logic         m_wready_i,
    output logic      [511:0] m_wdata_o,
    output logic       [63:0] m_wstrb_o,
    input  wire logic         m_bvalid_i,
    input  wire logic         m_berr_i,
    output logic              busy_o
);
  localparam int unsigned WIDTH = 1 + 16 + 512 + 32;

  logic         exp_turn_q, room_q, take_wr, take_exp;
  logic         in_ready, in_valid, beat_valid, beat_ready, beat_cmd;
  logic  [31:0] beat_addr;
  logic [511:0] beat_data;
  logic  [15:0] beat_strb;
  logic   [7:0] open;
  logic         inside_segment, load, drop, none_q, b_cmd, b_known, b_room;
  logic   [6:0] pending_q;  // given to AXI and not answered

  // One beat a cycle is taken. The limit leaves room for the beats of the two
  // cycles until room_q knows of them.
  assign open        = issued_o - done_o;
  assign take_exp    = exp_valid_i && (exp_turn_q || !wr_valid_i);
  assign take_wr     = wr_valid_i && !take_exp;
  assign in_valid    = (take_wr || take_exp) && room_q;
  assign wr_ready_o  = in_ready && room_q && !(exp_valid_i && exp_turn_q);
  assign exp_ready_o = in_ready && room_q && (exp_turn_q || !wr_valid_i);

  always_ff @(posedge clk_i) begin
    room_q <= open < 8'd62;
    if (in_valid && in_ready) begin
      exp_turn_q <= !take_exp;
      issued_o   <= issued_o + 8'd1;
    end
    if (rst_i) begin
      room_q     <= 1'b1;
      exp_turn_q <= 1'b0;
      issued_o   <= '0;
    end
  end

  fsh_skid #(
      .WIDTH(WIDTH)
  ) i_in (
      .clk_i,
      .rst_i,
      .valid_i(in_valid),
      .ready_o(in_ready),
      .data_i (take_exp ? {exp_cmd_i, 16'hffff, exp_data_i, exp_addr_i} :
               {wr_cmd_i, wr_strb_i, wr_data_i, wr_addr_i}),
      .valid_o(beat_valid),
      .ready_i(beat_ready),
      .data_o ({beat_cmd, beat_strb, beat_data, beat_addr})
  );

  // A dropped beat is done when all before it are: nothing may be pending.
  assign inside_segment = {2'd0, beat_addr} < seg_size_i[39:6];
  assign load       = beat_valid && inside_segment && b_room && (!m_awvalid_o || m_awready_i) &&
                      (!m_wvalid_o || m_wready_i);
  assign drop       = beat_valid && !inside_segment && none_q;
  assign beat_ready = load || drop;

  always_ff @(posedge clk_i) begin
    if (load) begin
      m_awaddr_o <= seg_base_i + {2'd0, beat_addr, 6'd0};
      m_wdata_o  <= beat_data;
      for (int i = 0; i < 16; i++) m_wstrb_o[i*4+:4] <= {4{beat_strb[i]}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load || m_awready_i) m_awvalid_o <= load;
    if (load || m_wready_i) m_wvalid_o <= load;
    if (load != m_bvalid_i) begin
      pending_q <= load ? pending_q + 7'd1 : pending_q - 7'd1;
      none_q    <= !load && pending_q == 7'd1;
    end
    if (m_bvalid_i || drop) done_o <= done_o + 8'd1;
    err_o <= '0;
    if (m_bvalid_i && m_berr_i) err_o[{b_cmd, 1'b1}] <= 1'b1;
    if (drop) err_o[{beat_cmd, 1'b0}] <= 1'b1;
    if (rst_i) begin
      m_awvalid_o <= 1'b0;
      m_wvalid_o  <= 1'b0;
      pending_q   <= '0;
      none_q      <= 1'b1;
      done_o      <= '0;
      err_o       <= '0;
    end
  end

  // Whose write a response belongs to.
  fsh_fifo #(
      .WIDTH(1),
      .DEPTH(64)
  ) i_owner (
      .clk_i,
      .rst_i,
      .valid_i(load),
      .ready_o(b_room),
      .data_i (beat_cmd),
      .valid_o(b_known),
      .ready_i(m_bvalid_i),
      .data_o (b_cmd),
      .count_o()
  );

  assign busy_o = wr_valid_i || exp_valid_i || beat_valid || m_awvalid_o || m_wvalid_o ||
                  m_bvalid_i || err_o != '0 || room_q != (open < 8'd62);

  `FSH_ASSERT(a_open, open <= 8'd64)
  `FSH_ASSERT(a_response, !m_bvalid_i || b_known)
  `FSH_ASSERT(a_none, none_q == (pending_q == '0))
  `FSH_STABLE(m_awvalid_o, m_awready_i, m_awaddr_o)
  `FSH_STABLE(m_wvalid_o, m_wready_i, m_wdata_o)
endmodule

`default_nettype wire
