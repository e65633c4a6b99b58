// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sending side of a link port: merges this port's sequencer, acks and the
/// packets forwarded from the other port's four queues, packet by packet; sets
/// the dateline bit; puts boundary beats with the credits for the peer between
/// them (any beat position), when the link would idle or after 128 beats.
/// A packet starts only when its channel has room for all of it. The sequencer
/// reserves when it issues a packet (seq_ok_o, seq_take_i), the others start
/// when granted. One cycle from input to pin, one beat a cycle.
module fsh_link_tx (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         dateline_i,
    // Reservations of the sequencer, by channel {reply}.
    output logic      [1:0]   seq_ok_o,
    input  wire logic [1:0]   seq_take_i,
    input  wire logic [6:0]   seq_beats_i,
    // Its packets.
    input  wire logic         seq_valid_i,
    output logic              seq_ready_o,
    input  wire logic [6:0]   seq_follow_i,
    input  wire logic [127:0] seq_data_i,
    // Acks: packets of one beat.
    input  wire logic         ack_valid_i,
    output logic              ack_ready_o,
    input  wire logic [127:0] ack_data_i,
    // Queues of the other port.
    input  wire logic [3:0]   fwd_valid_i,
    input  wire logic [3:0]   fwd_start_i,
    output logic      [3:0]   fwd_ready_o,
    input  wire logic [27:0]  fwd_follow_i,
    input  wire logic [511:0] fwd_data_i,
    // Credits: from the peer, and for the peer.
    input  wire logic         credit_valid_i,
    input  wire logic [63:0]  credit_i,
    input  wire logic [63:0]  freed_i,
    // The link.
    output logic              link_valid_o,
    output logic              link_bound_o,
    output logic      [127:0] link_data_o,
    // Events, and whether others than the sequencer want the port.
    output logic              others_o,
    output logic              seq_sop_o,
    output logic              fwd_sop_o,
    output logic              stall_o,
    output logic              busy_o
);
  localparam int unsigned BOUND_GAP = 128;  // beats between boundaries under load
  localparam int unsigned IDLE_GAP = 8;  // cycles between boundaries when idle

  logic [3:0]          ok, take_b;
  logic [1:0]          req_vc, rep_vc;
  logic                mux_valid, mux_sop, mux_ready, mux_busy;
  logic [127:0]        mux_data;
  logic [6:0]          mux_follow;
  logic [5:0]          mux_sel;
  logic [3:0]          fwd_ok;
  fsh_spec_pkg::hdr_t  sop_hdr;
  fsh_spec_pkg::bound_t bound;
  logic [63:0]         told_q;
  logic [7:0]          beats_q;
  logic [3:0]          gap_q;
  logic                owed, bound_now;

  // The channel a packet takes on this link: past the dateline once it crosses.
  assign req_vc = {1'b0, dateline_i};
  assign rep_vc = {1'b1, dateline_i};
  assign seq_ok_o  = {ok[rep_vc], ok[req_vc]};
  assign fwd_ok    = {ok[3], ok[rep_vc], ok[1], ok[req_vc]};

  fsh_pktmux #(
      .N(6)
  ) i_mux (
      .clk_i,
      .rst_i,
      .valid_i ({fwd_valid_i, ack_valid_i, seq_valid_i}),
      .start_i ({fwd_start_i & fwd_ok, ok[rep_vc], 1'b1}),
      .follow_i({fwd_follow_i, 7'd0, seq_follow_i}),
      .data_i  ({fwd_data_i, ack_data_i, seq_data_i}),
      .ready_o ({fwd_ready_o, ack_ready_o, seq_ready_o}),
      .valid_o (mux_valid),
      .ready_i (mux_ready),
      .sop_o   (mux_sop),
      .last_o  (),
      .data_o  (mux_data),
      .follow_o(mux_follow),
      .sel_o   (mux_sel),
      .busy_o  (mux_busy)
  );

  always_comb begin
    sop_hdr          = mux_data;
    sop_hdr.dateline = sop_hdr.dateline | dateline_i;
  end

  // Reservations of acks and forwarded packets when they start.
  always_comb begin
    take_b = '0;
    if (mux_valid && mux_ready && mux_sop) begin
      take_b[req_vc] |= mux_sel[2];
      take_b[1]      |= mux_sel[3];
      take_b[rep_vc] |= mux_sel[4] || mux_sel[1];
      take_b[3]      |= mux_sel[5];
    end
  end

  for (genvar v = 0; v < 4; v++) begin : gen_credit
    fsh_credit #(
        .DEPTH(fsh_spec_pkg::VC_BEATS)
    ) i_credit (
        .clk_i,
        .rst_i,
        .credit_valid_i,
        .credit_i (credit_i[v*16+:16]),
        .a_valid_i(seq_take_i[v/2] && dateline_i == ((v % 2) == 1)),
        .a_beats_i(seq_beats_i),
        .b_valid_i(take_b[v]),
        .b_beats_i(mux_follow + 7'd1),
        .ok_o     (ok[v])
    );
  end

  // Boundary beats.
  assign owed      = freed_i != told_q;
  assign bound_now = owed && ((!mux_valid && gap_q == '0) || beats_q >= 8'(BOUND_GAP));
  assign mux_ready = !bound_now;

  always_comb begin
    bound         = '0;
    bound.credit0 = freed_i[15:0];
    bound.credit1 = freed_i[31:16];
    bound.credit2 = freed_i[47:32];
    bound.credit3 = freed_i[63:48];
  end

  always_ff @(posedge clk_i) begin
    link_data_o <= bound_now ? bound : mux_sop ? sop_hdr : mux_data;
  end

  always_ff @(posedge clk_i) begin
    link_valid_o <= mux_valid || bound_now;
    link_bound_o <= bound_now;
    if (gap_q != '0) gap_q <= gap_q - 4'd1;
    if (mux_valid && beats_q != 8'hff) beats_q <= beats_q + 8'd1;
    if (bound_now) begin
      told_q  <= freed_i;
      beats_q <= '0;
      gap_q   <= 4'(IDLE_GAP);
    end
    if (rst_i) begin
      link_valid_o <= 1'b0;
      link_bound_o <= 1'b0;
      told_q       <= '0;
      beats_q      <= '0;
      gap_q        <= '0;
    end
  end

  assign others_o  = ack_valid_i || |(fwd_valid_i & fwd_start_i);
  assign seq_sop_o = mux_valid && mux_ready && mux_sop && mux_sel[0];
  assign fwd_sop_o = mux_valid && mux_ready && mux_sop && |mux_sel[5:2];
  assign stall_o   = (ack_valid_i && !ok[rep_vc] || |(fwd_valid_i & fwd_start_i & ~fwd_ok)) &&
                     !mux_valid;
  assign busy_o    = mux_busy || mux_valid || owed || link_valid_o || gap_q != '0;

  `FSH_ASSERT(assert_bound_typed, !link_bound_o || link_valid_o)
endmodule

`default_nettype wire
