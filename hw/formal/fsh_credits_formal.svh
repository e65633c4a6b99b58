// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_credits, included in the module: with users that decide on short_o
// as documented (long_o implies it), and a receiver that tells its absolute counts late,
// repeatedly or never, the beats on their way never exceed the buffer, and what is not a
// channel's own never exceeds what is shared; and long_o gives none of what is kept. The
// argument: what is counted or promised of a channel is at most what it was when short_o was
// decided, two cycles ago, and what was decided or counted since, in all at most MARGIN.

  localparam int unsigned F_PKT = (OTHERS - 4) / 2;  // longest packet of another source
  localparam int unsigned F_VW = $clog2(VCS);
  localparam int unsigned F_SW = W + F_VW + 1;  // of sums over the channels

  // The sequencer: decides, reads the command, issues; then decides again.
  (* anyseq *) logic f_decide;
  (* anyseq *) logic [F_VW-1:0] f_decide_vc;
  logic [3:0]        f_since_q;  // decided one to four cycles ago: two to come, two counted
  logic [F_VW-1:0]   f_vc_q, f_old_vc_q;
  // Two sources of packets: one begins, its beats leave with gaps, the next may begin with
  // the last. Packets of one beat. One beat in all leaves in a cycle, and is told in the next.
  (* anyseq *) logic [1:0] f_begin, f_beat;
  (* anyseq *) logic [F_VW-1:0] f_begin_vc0, f_begin_vc1, f_ack_vc;
  (* anyseq *) logic [6:0] f_beats0, f_beats1;
  (* anyseq *) logic f_ack;
  logic [6:0]        f_left0_q, f_left1_q;  // beats to come
  logic [F_VW-1:0]   f_vc0_q, f_vc1_q;
  logic [VCS-1:0]    f_leaves;
  logic [VCS-1:0]    f_told1_q, f_told2_q;  // what left in the last cycle, in that before
  // The receiver: what of the beats on their way it tells to be free, by channel; the count
  // last told, and the beats sent that it has not told.
  (* anyseq *) logic [VCS*W-1:0] f_frees;
  logic [VCS*W-1:0]  f_seen_q, f_flight_q;
  // Beats counted now, in the last cycle and in the one before.
  logic [VCS*W-1:0]  f_now, f_past1_q, f_past2_q;
  logic [1:0]        f_since_reset_q;  // no reset in the last cycle, in that before

  always_comb begin
    f_leaves = '0;
    if (f_beat[0]) f_leaves[f_vc0_q] = 1'b1;
    if (f_beat[1]) f_leaves[f_vc1_q] = 1'b1;
    if (f_ack) f_leaves[f_ack_vc] = 1'b1;
  end

  // Reset is once: it leaves nothing of what was.
  logic f_runs_q;
  initial f_runs_q = 1'b0;
  always @(posedge clk_i) f_runs_q <= 1'b1;
  always_comb begin
    assume (rst_i == !f_runs_q);
    assume (!f_decide || (short_o[f_decide_vc] && f_since_q[1:0] == '0));
    assume (take_i == (VCS'(f_since_q[1]) << f_vc_q));
    assume (beats_i >= 7'd1 && beats_i <= 7'(MAX));
    assume (f_beats0 >= 7'd1 && f_beats0 <= 7'(F_PKT));
    assume (f_beats1 >= 7'd1 && f_beats1 <= 7'(F_PKT));
    assume (2'(f_beat[0]) + 2'(f_beat[1]) + 2'(f_ack) <= 2'd1);
    assume (!f_beat[0] || f_left0_q != '0);
    assume (!f_beat[1] || f_left1_q != '0);
    assume (!f_begin[0] || (short_o[f_begin_vc0] && f_left0_q == 7'(f_beat[0])));
    assume (!f_begin[1] || (short_o[f_begin_vc1] && f_left1_q == 7'(f_beat[1])));
    assume (!f_ack || short_o[f_ack_vc]);
    assume (sent_i == f_told1_q);
    for (int unsigned v = 0; v < VCS; v++) begin
      assume (f_frees[v*W+:W] <= f_flight_q[v*W+:W]);
      assume (credit_i[v*16+:W] == f_seen_q[v*W+:W] + f_frees[v*W+:W]);
    end
  end

  always @(posedge clk_i) begin
    f_since_reset_q <= {f_since_reset_q[0], 1'b1};
    f_since_q  <= {f_since_q[2:0], f_decide};
    f_old_vc_q <= f_vc_q;
    if (f_decide) f_vc_q <= f_decide_vc;
    f_left0_q <= f_begin[0] ? f_beats0 : f_left0_q - 7'(f_beat[0]);
    f_left1_q <= f_begin[1] ? f_beats1 : f_left1_q - 7'(f_beat[1]);
    if (f_begin[0]) f_vc0_q <= f_begin_vc0;
    if (f_begin[1]) f_vc1_q <= f_begin_vc1;
    f_told1_q <= f_leaves;
    f_told2_q <= f_told1_q;
    f_past1_q <= f_now;
    f_past2_q <= f_past1_q;
    for (int unsigned v = 0; v < VCS; v++) begin
      f_flight_q[v*W+:W] <= f_now[v*W+:W] + (take_i[v] ? W'(beats_i) : '0) -
                            (credit_valid_i ? f_frees[v*W+:W] : '0);
      if (credit_valid_i) f_seen_q[v*W+:W] <= f_seen_q[v*W+:W] + f_frees[v*W+:W];
    end
    if (rst_i) begin
      f_since_reset_q <= '0;
      f_since_q  <= '0;
      f_left0_q  <= '0;
      f_left1_q  <= '0;
      f_told1_q  <= '0;
      f_told2_q  <= '0;
      f_seen_q   <= '0;
      f_flight_q <= '0;
      f_past1_q  <= '0;
      f_past2_q  <= '0;
    end
  end

  // What a channel has that is not its own.
  function automatic logic [F_SW-1:0] f_beyond(input logic [W:0] beats);
    f_beyond = beats > (W + 1)'(OWN) ? F_SW'(beats) - F_SW'(OWN) : '0;
  endfunction

  // By channel.
  logic [VCS*(W+1)-1:0] f_promised;
  logic [VCS-1:0]       f_counts, f_less, f_records, f_opens, f_owns;
  logic [F_SW-1:0]      f_over, f_over2;

  for (genvar v = 0; v < VCS; v++) begin : gen_f_vc
    logic [W-1:0] flight, past1, past2;

    assign flight = f_flight_q[v*W+:W];
    assign past1  = f_past1_q[v*W+:W];
    assign past2  = f_past2_q[v*W+:W];
    assign f_now[v*W+:W] = flight + W'(f_told1_q[v]);
    assign f_promised[v*(W+1)+:W+1] = {1'b0, f_now[v*W+:W]} +
        (f_since_q[1:0] != '0 && f_vc_q == F_VW'(v) ? (W + 1)'(MAX) : '0) +
        (f_vc0_q == F_VW'(v) ? (W + 1)'(f_left0_q) : '0) +
        (f_vc1_q == F_VW'(v) ? (W + 1)'(f_left1_q) : '0);
    // The account is that of the receiver, but for what it has not yet told.
    assign f_counts[v] = freed_q[v*W+:W] == f_seen_q[v*W+:W] &&
                         W'(used_q[v*W+:W] - freed_q[v*W+:W]) == flight &&
                         f_now[v*W+:W] <= W'(BEATS) && flight <= W'(BEATS);
    assign f_less[v] =
        {1'b0, f_now[v*W+:W]} <= {1'b0, past1} + (W + 1)'(f_told1_q[v]) +
            (f_since_q[2] && f_vc_q == F_VW'(v) ? (W + 1)'(MAX) : '0) &&
        {1'b0, past1} <= {1'b0, past2} + (W + 1)'(f_told2_q[v]) +
            (f_since_q[3] && f_old_vc_q == F_VW'(v) ? (W + 1)'(MAX) : '0);
    assign f_records[v] = past1 <= W'(BEATS) && past2 <= W'(BEATS) &&
                          over_q[v*W+:W] == W'(f_beyond({1'b0, past1})) &&
                          (!own_q[v] || past1 <= W'(OWN - MARGIN)) &&
                          (own_q[v] || past1 > W'(OWN - MARGIN) || !f_since_reset_q[0]);
    assign f_opens[v] = (!short_o[v] || past2 <= W'(OWN - MARGIN) ||
                         f_over2 <= F_SW'(SHARED - MARGIN)) &&
                        (!long_o[v] || past2 <= W'(OWN - MARGIN) ||
                         f_over2 <= F_SW'(SHARED - MARGIN - KEPT));
    assign f_owns[v]  = past2 != '0 || long_o[v];
  end

  always_comb begin
    f_over  = '0;
    f_over2 = '0;
    for (int unsigned v = 0; v < VCS; v++) begin
      f_over  = f_over + f_beyond(f_promised[v*(W+1)+:W+1]);
      f_over2 = f_over2 + f_beyond({1'b0, f_past2_q[v*W+:W]});
    end
  end

  `FSH_ASSERT(f_count, &f_counts)
  `FSH_ASSERT(f_grows, &f_less)
  `FSH_ASSERT(f_record, &f_records)
  `FSH_ASSERT(f_decides, &f_opens)
  `FSH_ASSERT(f_shares, f_over <= F_SW'(SHARED))
  `FSH_ASSERT(f_packets, f_left0_q <= 7'(F_PKT) && f_left1_q <= 7'(F_PKT) &&
                         (f_since_q & {f_since_q[2:0], 1'b0}) == '0 &&
                         (f_since_q & {f_since_q[1:0], 2'b00}) == '0 &&
                         (f_told1_q & (f_told1_q - 1'b1)) == '0 &&
                         (f_told2_q & (f_told2_q - 1'b1)) == '0)
  // What long_o allows, short_o allows; no more where that is closed. What is kept, short_o gives.
  logic f_closed_q;
  always @(posedge clk_i) f_closed_q <= close_i && !rst_i;
  `FSH_ASSERT(f_classes, (long_o & ~short_o) == '0 && (!f_closed_q || short_o == long_o))
  `FSH_ASSERT(f_kept, f_since_reset_q != '1 || f_closed_q || f_over2 > F_SW'(SHARED - MARGIN) ||
                      &short_o)
  // A channel with nothing under way may begin, whatever the others hold.
  `FSH_ASSERT(f_always, f_since_reset_q != '1 || &f_owns)
