// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sending side of a link port: merges this port's lane of the sequencer, acks and the
/// packets that pass through from other ports (FWD), packet by packet. First go acks and
/// what the sequencer has without payload from a memory (brief), then what passes through,
/// then the rest; of each up to WEIGHT packets while others wait, so that nothing starves.
/// What passes through goes before what begins here: else the nodes behind a busy link take
/// all of it, each half of what comes, and buffers fill up from there through the fabric.
/// It puts boundary beats with the credits for the peer between
/// them (any beat position), when the link would idle or after 128 beats.
/// A packet starts only when its channel has room for all of it. The sequencer
/// reserves when it issues a packet (ok_o, seq_take_i), packets that pass
/// through when their buffer begins to read them (ok_o), acks here.
/// A bad last beat (its packet has data that a memory answered with an error) has a
/// boundary beat before it that says so.
/// One cycle from input to pin, one beat a cycle.
module fsh_link_tx #(
    parameter int unsigned FWD = 1
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    // Whether a packet may be begun, by virtual channel; reservations of the sequencer.
    output logic        [3:0] ok_o,
    input  wire logic   [3:0] seq_take_i,
    input  wire logic   [6:0] seq_beats_i,
    // Its packets.
    input  wire logic         seq_valid_i,
    input  wire logic         seq_brief_i,
    output logic              seq_ready_o,
    input  wire logic         seq_last_i,
    input  wire logic [127:0] seq_data_i,
    input  wire logic         seq_bad_i,
    // Acks: packets of one beat.
    input  wire logic         ack_valid_i,
    output logic              ack_ready_o,
    input  wire logic [127:0] ack_data_i,
    // Packets that pass through, of one input at a time; a beat is read, by virtual channel.
    input  wire logic   [3:0] fwd_freed_i,
    input  wire logic [FWD-1:0] fwd_valid_i,
    output logic    [FWD-1:0] fwd_ready_o,
    input  wire logic [FWD-1:0] fwd_last_i,
    input  wire logic [FWD*128-1:0] fwd_data_i,
    input  wire logic [FWD-1:0] fwd_bad_i,
    // Credits: from the peer, and for the peer.
    input  wire logic         credit_valid_i,
    input  wire logic  [63:0] credit_i,
    input  wire logic  [63:0] freed_i,
    // The link.
    output logic              link_valid_o,
    output logic              link_bound_o,
    output logic      [127:0] link_data_o,
    // Events, and whether others than the sequencer want the port (a register).
    output logic              others_o,
    output logic              seq_sop_o,
    output logic              fwd_sop_o,
    output logic              stall_o,
    output logic              busy_o
);
  /*verilator no_inline_module*/  // instances share their code, which else leaves the cache
  localparam int unsigned BOUND_GAP = 128;  // beats between boundaries under load
  localparam int unsigned WEIGHT = 8;  // packets, a power of two
  localparam int unsigned IDLE_GAP = 8;  // cycles between boundaries when idle

  logic [3:0]           ok /*verilator split_var*/;
  logic [3:0]           ack;  // what acks spend
  logic                 ack_ok, mux_valid, mux_sop, mux_ready, mux_last;
  logic [FWD+1:0]       sel;
  fsh_spec_pkg::hdr_t   ack_hdr;
  logic [127:0]         mux_data;
  fsh_spec_pkg::bound_t bound;
  logic [63:0]          told_q;
  logic [7:0]           beats_q;
  logic [3:0]           gap_q;
  logic                 owed_q, due_q, bound_now, inside_q, mux_bad, warn, warned_q;

  assign ok_o    = ok;
  assign ack_hdr = ack_data_i;
  assign ack_ok  = ack_valid_i && (ack_hdr.vc ? ok[3] : ok[2]);

  // Whose class begins the next packet; what has begun goes on.
  localparam int unsigned TURN_W = $clog2(WEIGHT) + 1;
  logic              brief, through, rest, brief_now, through_now;
  logic [TURN_W-1:0] brief_q, through_q;  // packets in a row while others waited
  logic [FWD+1:0]    offer, allowed;

  assign brief       = ack_ok || (seq_valid_i && seq_brief_i);
  assign through     = fwd_valid_i != '0;
  assign rest        = seq_valid_i && !seq_brief_i;
  assign brief_now   = brief && !(brief_q[TURN_W-1] && (through || rest));
  assign through_now = !brief_now && through && !(through_q[TURN_W-1] && rest);
  assign offer       = {fwd_valid_i, ack_ok, seq_valid_i};

  always_comb begin
    allowed = {{FWD{through_now}}, brief_now,
               brief_now ? seq_brief_i : !seq_brief_i && !through_now};
    if (!mux_sop) allowed = '1;
  end

  always_ff @(posedge clk_i) begin
    if (mux_valid && mux_ready && mux_sop) begin
      if (!brief_now) brief_q <= '0;
      else if (through || rest) brief_q <= brief_q + 1'b1;
      if (!brief_now && !through_now) through_q <= '0;
      else if (through_now && rest) through_q <= through_q + 1'b1;
    end
    if (rst_i) begin
      brief_q   <= '0;
      through_q <= '0;
    end
  end

  fsh_pktarb #(
      .N(FWD + 2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .valid_i(offer & allowed),
      .last_i ({fwd_last_i, 1'b1, seq_last_i}),
      .ready_o({fwd_ready_o, ack_ready_o, seq_ready_o}),
      .sel_o  (sel),
      .valid_o(mux_valid),
      .ready_i(mux_ready),
      .sop_o  (mux_sop),
      .last_o (mux_last)
  );

  always_comb begin
    mux_data = sel[1] ? ack_data_i : seq_data_i;
    for (int unsigned k = 0; k < FWD; k++) if (sel[k+2]) mux_data = fwd_data_i[k*128+:128];
  end

  assign ack = {ack_hdr.vc, !ack_hdr.vc, 2'b00} & {4{ack_ok && ack_ready_o}};

  for (genvar v = 0; v < 4; v++) begin : gen_credit
    fsh_credit #(
        .DEPTH(fsh_spec_pkg::VC_BEATS)
    ) i_credit (
        .clk_i,
        .rst_i,
        .credit_valid_i,
        .credit_i(credit_i[v*16+:16]),
        .take_i  (seq_take_i[v]),
        .beats_i (seq_beats_i),
        .fwd_i   (fwd_freed_i[v]),
        .ack_i   (ack[v]),
        .ok_o    (ok[v])
    );
  end

  // Boundary beats: under load one stops the packets for a cycle, else it takes
  // one in which there is none.
  assign mux_bad   = mux_valid && ((sel[0] && seq_bad_i) || (sel[FWD+1:2] & fwd_bad_i) != '0);
  assign warn      = mux_bad && !warned_q;
  assign mux_ready = !due_q && !warn;
  assign bound_now = due_q || warn || (owed_q && !mux_valid && gap_q == '0);

  always_comb begin
    bound = '0;
    if (bound_now) begin
      bound.credit0 = freed_i[15:0];
      bound.credit1 = freed_i[31:16];
      bound.credit2 = freed_i[47:32];
      bound.credit3 = freed_i[63:48];
      bound.poison  = mux_bad;
    end
  end

  always_ff @(posedge clk_i) begin
    if (bound_now) link_data_o <= bound;
    else if (mux_valid) link_data_o <= mux_data;
  end

  always_ff @(posedge clk_i) begin
    link_valid_o <= mux_valid || bound_now;
    link_bound_o <= bound_now;
    owed_q       <= !bound_now && freed_i != told_q;
    due_q        <= !bound_now && owed_q && beats_q >= 8'(BOUND_GAP - 2);
    others_o     <= ack_valid_i || fwd_valid_i != '0 || fwd_freed_i != '0;
    if (mux_valid && mux_ready) inside_q <= !mux_last;
    warned_q <= mux_bad && !mux_ready;
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
      owed_q       <= 1'b0;
      due_q        <= 1'b0;
      others_o     <= 1'b0;
      inside_q     <= 1'b0;
      warned_q     <= 1'b0;
      told_q       <= '0;
      beats_q      <= '0;
      gap_q        <= '0;
    end
  end

  assign seq_sop_o = mux_valid && mux_ready && mux_sop && sel[0];
  assign fwd_sop_o = mux_valid && mux_ready && mux_sop && sel[FWD+1:2] != '0;
  assign stall_o   = ack_valid_i && !ack_ok && !mux_valid;
  assign busy_o    = inside_q || mux_valid || owed_q || due_q || link_valid_o || gap_q != '0 ||
                     others_o;

  // Poison stands right before the beat that it is said of, which ends a packet.
  `FSH_ASSERT(assert_bad_last, !mux_bad || (mux_last && !mux_sop))
endmodule

`default_nettype wire
