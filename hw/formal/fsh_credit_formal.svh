// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_credit, included in the module: with users that decide on ok_o
// as documented, and a receiver that tells its absolute count late, repeatedly
// or never, the beats on their way never exceed the buffer.

  localparam int unsigned F_OPEN = DEPTH - 2 * MAX - OTHERS;  // most in flight where ok_o opens
  localparam int unsigned F_PKT = (OTHERS - 8) / 2;  // longest packet of another source

  // The sequencer: decides, reads the command, issues; then decides again.
  (* anyseq *) logic f_decide;
  (* anyseq *) logic f_small;    // a packet of few beats
  logic [2:0]        f_since_q;  // decided one, two, three cycles ago
  logic              f_small_q;
  // Two sources of packets, gaps between the beats, the next may follow at once; the
  // second says a cycle late that a beat has left. Single beats.
  (* anyseq *) logic [6:0] f_beats0, f_beats1;
  (* anyseq *) logic [1:0] f_beat;
  (* anyseq *) logic f_ack;
  logic [6:0]        f_left0_q, f_left1_q;  // beats to come
  logic              f_late_q;
  logic [7:0]        f_due;      // beats decided on and not yet counted
  // The receiver: counts ever sent, freed and told.
  (* anyseq *) logic [W:0] f_frees;
  logic [W:0]        f_sent_q, f_freed_q, f_told_q, f_held, f_untold, f_credit;

  assign f_due    = (f_since_q[0] || f_since_q[1] ? 8'(f_small_q ? FEW : MAX) : 8'd0) +
                    {1'b0, f_left0_q} +
                    {1'b0, f_left1_q} + 8'(f_late_q);
  assign f_held   = f_sent_q - f_freed_q;
  assign f_untold = f_freed_q - f_told_q;
  assign f_credit = credit_i[W:0];

  initial assume (rst_i);
  always_comb begin
    assume (!f_decide || ((ok_o || f_small) && f_since_q[1:0] == '0));
    assume (!f_since_q[0] || !f_small_q || few_o);
    assume (take_i == f_since_q[1]);
    assume (beats_i >= 7'd1 && beats_i <= 7'(f_small_q ? FEW : MAX));
    assume (f_beats0 >= 7'd1 && f_beats0 <= 7'(F_PKT));
    assume (f_beats1 >= 7'd1 && f_beats1 <= 7'(F_PKT));
    assume (!f_beat[0] || f_left0_q != '0 || ok_o);
    assume (!f_beat[1] || f_left1_q != '0 || ok_o);
    assume (!f_ack || ok_o);
    assume (sent_i == 2'(f_beat[0]) + 2'(f_late_q) + 2'(f_ack));
    assume (f_frees <= f_held);
    assume (f_credit - f_told_q <= f_untold);
  end

  always @(posedge clk_i) begin
    f_since_q <= {f_since_q[1:0], f_decide};
    if (f_decide) f_small_q <= f_small;
    f_late_q  <= f_beat[1];
    if (f_beat[0]) f_left0_q <= (f_left0_q != '0 ? f_left0_q : f_beats0) - 7'd1;
    if (f_beat[1]) f_left1_q <= (f_left1_q != '0 ? f_left1_q : f_beats1) - 7'd1;
    f_sent_q  <= f_sent_q + (take_i ? (W + 1)'(beats_i) : '0) + (W + 1)'(sent_i);
    f_freed_q <= f_freed_q + f_frees;
    if (credit_valid_i) f_told_q <= f_credit;
    if (rst_i) begin
      f_since_q <= '0;
      f_left0_q <= '0;
      f_left1_q <= '0;
      f_late_q  <= 1'b0;
      f_sent_q  <= '0;
      f_freed_q <= '0;
      f_told_q  <= '0;
    end
  end

  // The account is that of the receiver, but for what it has not yet told.
  `FSH_ASSERT(f_counts, used == f_sent_q[W-1:0] && freed_q == f_told_q[W-1:0])
  `FSH_ASSERT(f_never_less, {1'b0, in_flight} == f_held + f_untold)
  `FSH_ASSERT(f_overflow, f_held <= (W + 1)'(DEPTH) && f_untold <= (W + 1)'(DEPTH))
  // What is counted and what must still come: no decision once ok_o is low.
  `FSH_ASSERT(f_promised, {2'd0, in_flight} + (W + 2)'(f_due) <= (W + 2)'(DEPTH - 2))
  `FSH_ASSERT(f_stale, !ok_o || in_flight <= W'(F_OPEN + 3) + (f_since_q[2] ? W'(MAX) : W'(0)))
  `FSH_ASSERT(f_few, !few_o || in_flight <= W'(DEPTH - FEW - OTHERS + 3) +
                                             (f_since_q[2] ? W'(MAX) : W'(0)))
  `FSH_ASSERT(f_since, f_left0_q < 7'(F_PKT) && f_left1_q < 7'(F_PKT) &&
                        (f_since_q & (f_since_q - 3'd1)) == '0)
  // Nothing in flight: whoever waits may go.
  `FSH_ASSERT(f_opens, $past(rst_i || in_flight != '0) || ok_o)
