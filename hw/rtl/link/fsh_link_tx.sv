// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sending side of a link port: merges what this node sends, acks and the packets that
/// pass through from the other ports (FWD of them), packet by packet. First go acks, what the
/// sequencer has without payload from a memory (brief), and other short packets; then long
/// ones that pass through, then those of this node, which wait in a buffer here (bulk,
/// fsh_sendq); of each up to WEIGHT packets in a row, so that nothing starves. A node that
/// has sent no long one for so long sends its next at once; one of a small message (of less
/// than BULK_BYTES) costs half of that, so the next waits for fewer packets.
/// What passes through goes before what begins here: else the nodes behind a busy link take
/// all of it, each half of what comes, and buffers fill up from there through the fabric.
/// The same holds for credits: while something that passes through could use those of a
/// virtual channel, no bulk packet of it begins before its turn. The last shared credits are
/// for short packets, and long ones of small messages that pass through, but not for more than
/// WEIGHT of them while a long one has waited for credit: then all wait for the same credit until
/// bulk has begun, or a long one when none lacks credit.
/// It puts boundary beats with the credits for the peer between
/// them (any beat position), when the link would idle or after 128 beats.
/// A packet starts only when its channel has room for all of it (fsh_credits). For brief
/// ones the sequencer reserves it (short_ok_o, seq_take_i); the beats of all others are counted
/// as they leave.
/// A bad last beat (its packet has data that a memory answered with an error) has a
/// boundary beat before it that says so.
/// One cycle from input to pin, one beat a cycle.
module fsh_link_tx #(
    parameter int unsigned FWD = 1
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    // Whether a packet of a class may be begun, by virtual channel; reservations of brief ones.
    output logic        [3:0] short_ok_o,
    output logic        [3:0] long_ok_o,
    input  wire logic   [3:0] seq_take_i,
    input  wire logic   [6:0] seq_beats_i,
    // Brief packets.
    input  wire logic         seq_valid_i,
    output logic              seq_ready_o,
    input  wire logic         seq_last_i,
    input  wire logic [127:0] seq_data_i,
    // Bulk, as fsh_sendq takes it; room by channel and class {reply, long}.
    output logic        [3:0] bulk_ok_o,
    input  wire logic   [1:0] bulk_take_i,
    input  wire logic         bulk_valid_i,
    input  wire fsh_seq_pkg::beat_t bulk_i,
    // Acks: packets of one beat.
    input  wire logic         ack_valid_i,
    output logic              ack_ready_o,
    input  wire logic [127:0] ack_data_i,
    // Packets that pass through, by class {long, short} and input; of a class one begins after
    // the other: when they may, so that their inputs do not wait for the end of a long packet;
    // whether one could but for that and the credit, by virtual channel {class, reply, vc}; and
    // one begins to be read.
    output logic              fwd_open_o,
    input  wire logic   [7:0] fwd_some_i,
    input  wire logic         fwd_started_i,
    input  wire logic [2*FWD-1:0] fwd_valid_i,
    output logic    [2*FWD-1:0] fwd_ready_o,
    input  wire logic [2*FWD-1:0] fwd_last_i,
    input  wire logic [2*FWD*128-1:0] fwd_data_i,
    input  wire logic [2*FWD-1:0] fwd_bad_i,
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
  localparam int unsigned COST = WEIGHT / 2;  // of them, for a long one of a small message
  localparam int unsigned IDLE_GAP = 8;  // cycles between boundaries when idle
  // Beats: header, 16 arguments, and inline payload; any payload; less than LONG_BYTES.
  localparam int unsigned BRIEF = 36;
  localparam int unsigned LONGEST = 70;
  localparam int unsigned SHORTEST = 10;
  // Credit for short packets, behind a long one that begins with the last of the others.
  localparam int unsigned KEPT = LONGEST + 48;
  localparam int unsigned OPEN = 4;  // beats left of a packet when the next begins to be read

  logic [3:0]           short_ok /*verilator split_var*/, long_ok /*verilator split_var*/;
  logic                 ack_ok, mux_valid, mux_sop, mux_ready, mux_last;
  logic [2*FWD+2:0]     sel, sel_q, bads;
  logic [2*FWD+2:0]     unwarned_q;  // sel_q inside a packet, until its poison is said
  fsh_spec_pkg::hdr_t   ack_hdr;
  logic [127:0]         mux_data;
  fsh_spec_pkg::bound_t bound;
  logic [63:0]          told_q;
  logic [7:0]           beats_q;
  logic [3:0]           gap_q;
  logic                 owed_q, due_q, bound_now, inside_q, bad_held, mux_bad, warn;

  assign short_ok_o = short_ok;
  assign long_ok_o  = long_ok;
  assign ack_hdr    = ack_data_i;
  assign ack_ok     = ack_valid_i && (ack_hdr.vc ? short_ok[3] : short_ok[2]);

  // Bulk that waits for the link, and what is offered of it.
  logic [7:0]   bulk_some;  // by {long, reply, vc}
  logic [3:0]   bulk_start;
  logic         bulk_long;
  logic [127:0] bulk_data;
  logic         bulk_valid, bulk_ready, bulk_last, bulk_bad, bulk_busy, wanted_q;

  fsh_sendq i_bulk (
      .clk_i,
      .rst_i,
      .ok_o        (bulk_ok_o),
      .take_i      (bulk_take_i),
      .take_beats_i(seq_beats_i),
      .valid_i     (bulk_valid_i),
      .beat_i      (bulk_i),
      .start_short_i(short_ok),
      .start_long_i(bulk_start),
      .others_i    (wanted_q),
      .some_o      (bulk_some),
      .valid_o     (bulk_valid),
      .ready_i     (bulk_ready),
      .long_o      (bulk_long),
      .last_o      (bulk_last),
      .data_o      (bulk_data),
      .bad_o       (bulk_bad),
      .busy_o      (bulk_busy)
  );

  // Whose class begins the next packet; what has begun goes on.
  localparam int unsigned TURN_W = $clog2(WEIGHT) + 1;
  logic [FWD-1:0]    fwd_short, fwd_long;
  logic              through, rest, turn, begins;
  logic              begins_through, begins_long;
  logic              ack_q;  // an ack that waits for more than the choice
  logic [TURN_W-1:0] brief_q;  // packets in a row while others waited
  logic [TURN_W-1:0] through_q;  // packets since the last long one of this node
  logic              light;  // it is of a small message
  logic [3:0]        first_q;  // channels of which something passes through before bulk
  logic              passing_q;  // something could
  logic [2*FWD+2:0]  offer, allowed;
  fsh_spec_pkg::hdr_t bulk_hdr;

  assign {fwd_long, fwd_short} = fwd_valid_i;
  assign through     = fwd_long != '0;
  assign rest        = bulk_valid && bulk_long;
  assign turn        = through_q[TURN_W-1];  // of bulk
  assign offer       = {fwd_valid_i, ack_ok, seq_valid_i, bulk_valid};
  // What has begun stands before the short ones behind it, so it begins when it may leave.
  assign bulk_start  = long_ok & ~first_q & {4{turn || !passing_q}};
  assign begins         = mux_valid && mux_ready && mux_sop;
  assign begins_through = begins && sel[2*FWD+2:FWD+3] != '0;
  assign begins_long    = begins_through || (begins && sel[0] && bulk_long);

  assign bulk_hdr = bulk_data;
  assign light    = bulk_hdr.total < 24'(fsh_spec_pkg::BULK_BYTES);

  // An ack counts from its second cycle on, since its credit comes late: in its first one a long
  // packet may begin, as if the ack had come after it.
  function automatic logic [2*FWD+2:0] may_begin(
      input logic brief, input logic brief_open, input logic own_long, input logic bulk);
    logic brief_now;
    brief_now = brief && brief_open;
    may_begin = {{FWD{!brief_now && !own_long}}, {FWD{brief_open}}, brief_open, brief_open,
                 bulk ? !brief_now : brief_open};
  endfunction

  always_comb begin
    allowed = '1;
    if (mux_sop)  // each beside what it offers; so short of logic
      allowed = may_begin(ack_q || seq_valid_i || (bulk_valid && !bulk_long) || fwd_short != '0,
                          !(brief_q[TURN_W-1] && (through || rest)), rest, bulk_long);
  end

  always_ff @(posedge clk_i) begin
    first_q   <= fwd_some_i[7:4] & {4{!turn}};
    passing_q <= through || (fwd_some_i[7:4] & long_ok) != '0;
    wanted_q  <= ack_valid_i || seq_valid_i || fwd_valid_i != '0 || fwd_some_i != '0;
    ack_q     <= ack_ok && !ack_ready_o;
    if (rst_i) begin
      first_q   <= '0;
      passing_q <= 1'b0;
      wanted_q  <= 1'b0;
      ack_q     <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      brief_q <= begins_long ? '0 : brief_q + TURN_W'((through || rest) && !brief_q[TURN_W-1]);
      if (begins_long)
        through_q <= begins_through ? through_q + TURN_W'(!turn) :
                     light && through_q >= TURN_W'(COST) ? through_q - TURN_W'(COST) : '0;
    end
    if (rst_i) begin
      brief_q   <= '0;
      through_q <= '0;
    end
  end

  fsh_pktarb #(
      .N(2 * FWD + 3)
  ) i_arb (
      .clk_i,
      .rst_i,
      .valid_i(offer & allowed),
      .last_i ({fwd_last_i, 1'b1, seq_last_i, bulk_last}),
      .ready_o({fwd_ready_o, ack_ready_o, seq_ready_o, bulk_ready}),
      .sel_o  (sel),
      .valid_o(mux_valid),
      .ready_i(mux_ready),
      .sop_o  (mux_sop),
      .last_o (mux_last)
  );

  always_comb begin
    mux_data = sel[2] ? ack_data_i : sel[1] ? seq_data_i : bulk_data;
    for (int unsigned k = 0; k < 2 * FWD; k++) if (sel[k+3]) mux_data = fwd_data_i[k*128+:128];
  end

  // What left in the cycle before, but for brief packets, which are reserved.
  fsh_spec_pkg::hdr_t left_hdr;
  logic [1:0]         vc, vc_q;
  logic               left_q, left_sop_q, counts_q;
  logic [3:0]         sent;

  assign left_hdr = link_data_o;
  assign vc       = left_sop_q ? {left_hdr.reply, left_hdr.vc} : vc_q;
  assign sent     = 4'(left_q && counts_q) << vc;

  always_ff @(posedge clk_i) begin
    left_q <= mux_valid && mux_ready;
    if (mux_valid && mux_ready) begin
      left_sop_q <= mux_sop;
      counts_q   <= !sel[1];
    end
    if (left_q) vc_q <= vc;
    if (rst_i) left_q <= 1'b0;
  end

  // Packets that have passed long ones without credit.
  logic [TURN_W-1:0] passed_q;
  logic              lacks_q, left_long;

  always_comb begin
    left_long = 1'b0;
    if (left_q && left_sop_q)
      left_long = left_hdr.bytes >= 11'(fsh_spec_pkg::LONG_BYTES) &&
                  (!lacks_q || left_hdr.total >= 24'(fsh_spec_pkg::BULK_BYTES));
  end

  always_ff @(posedge clk_i) begin
    lacks_q <= ((fwd_some_i[7:4] | bulk_some[7:4]) & ~long_ok) != '0;
    if (left_long || begins)
      passed_q <= left_long ? '0 : passed_q + TURN_W'(lacks_q && !passed_q[TURN_W-1]);
    if (rst_i) begin
      lacks_q  <= 1'b0;
      passed_q <= '0;
    end
  end

  // Of what leaves, and of what is left of it, a cycle later: nothing that passes through begins
  // to be read while a long packet is on its way.
  logic       begun_q;  // a long packet
  logic [6:0] rest_q;

  always_ff @(posedge clk_i) begin
    fwd_open_o <= !begins_long && !begun_q && rest_q <= 7'(OPEN);
    begun_q    <= begins_long;
    if (left_q) begin
      if (left_sop_q)
        rest_q <= fsh_fn_pkg::hdr_follow(left_hdr.first, left_hdr.nargs, left_hdr.addr[3:0],
                                         left_hdr.bytes);
      else rest_q <= rest_q - 7'd1;
    end
    if (rst_i) begin
      begun_q    <= 1'b0;
      rest_q     <= '0;
      fwd_open_o <= 1'b1;
    end
  end

  // Decided and not counted, besides the sequencer's: a packet of bulk, one of each class that
  // passes through, a short one that it follows, and the last beats at the inputs.
  fsh_credits #(
      .BEATS (fsh_spec_pkg::LINK_BEATS),
      .OWN   (fsh_spec_pkg::VC_BEATS),
      .KEPT  (KEPT),
      .MAX   (BRIEF),
      .OTHERS(2 * (LONGEST + SHORTEST) + 3 * FWD + 4)
  ) i_credits (
      .clk_i,
      .rst_i,
      .credit_valid_i,
      .credit_i,
      .take_i (seq_take_i),
      .beats_i(seq_beats_i),
      .sent_i (sent),
      .close_i(passed_q[TURN_W-1]),
      .short_o(short_ok),
      .long_o (long_ok)
  );

  // Boundary beats: under load one stops the packets for a cycle, else it takes
  // one in which there is none.
  // What is bad ends a packet, whose source stands in a register: nobody waits for the choice,
  // and whether it is there matters only to what leaves.
  assign bads      = {fwd_bad_i, 2'b0, bulk_bad};
  assign bad_held  = (bads & unwarned_q) != '0;
  assign mux_bad   = mux_valid && !mux_sop && (bads & sel_q) != '0;
  assign warn      = mux_valid && bad_held;
  assign mux_ready = !due_q && !bad_held;
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
    others_o     <= ack_valid_i || fwd_valid_i != '0 || fwd_started_i;
    if (mux_valid && mux_ready) begin
      inside_q   <= !mux_last;
      sel_q      <= sel;
      unwarned_q <= mux_last ? '0 : sel;
    end else if (mux_bad) begin
      unwarned_q <= '0;
    end
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
      unwarned_q   <= '0;
      told_q       <= '0;
      beats_q      <= '0;
      gap_q        <= '0;
    end
  end

  assign seq_sop_o = begins && sel[1:0] != '0;
  assign fwd_sop_o = begins && sel[2*FWD+2:3] != '0;
  always_comb begin
    stall_o = 1'b0;
    if (!mux_valid)
      stall_o = (ack_valid_i && !ack_ok) ||
                (bulk_some != '0 && (bulk_some & {long_ok, short_ok}) == '0);
  end
  // What is freed is owed before owed_q says so.
  assign busy_o    = inside_q || mux_valid || freed_i != told_q || owed_q || due_q ||
                     link_valid_o || gap_q != '0 || others_o || bulk_busy;

  // Poison stands right before the beat that it is said of, which ends a packet.
  `FSH_ASSERT(assert_bad_last, !mux_bad || mux_last)
  `FSH_ASSERT(assert_bad, !mux_valid || !mux_sop || (bads & sel) == '0)
endmodule

`default_nettype wire
