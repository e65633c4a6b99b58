// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_turn, included in the module: whoever keeps asking is granted after at
// most N-1 others have gone, each a cycle after its grant, and none in the cycle before.

  localparam int unsigned FW = $clog2(N + 1) + 1;
  (* anyconst *) logic [FW-1:0] f_who;
  logic [FW-1:0] f_passed;  // others that have gone since f_who has been asking
  logic [FW-1:0] f_first;   // whose turn it is
  logic [FW-1:0] f_turns;   // requesters before f_who in the order of service
  logic [FW-1:0] f_gone, f_before;  // who was granted, and how many stand before that
  logic [N-1:0]  f_gnt_q;
  logic          f_asked_q, f_still_q;

  always_comb begin
    f_first = '0;
    f_gone  = '0;
    for (int unsigned i = N; i > 0; i = i - 1) if (behind_q[i-1]) f_first = FW'(i - 1);
    for (int unsigned i = N; i > 0; i = i - 1) if (f_gnt_q[i-1]) f_gone = FW'(i - 1);
    f_turns  = f_who >= f_first ? f_who - f_first : f_who + FW'(N) - f_first;
    f_before = f_gone >= f_first ? f_gone - f_first : f_gone + FW'(N) - f_first;
  end

  initial assume (rst_i);
  always_comb assume (f_who < FW'(N));
  always_comb assume (pass_i == '0 || (f_still_q && pass_i == f_gnt_q));

  always @(posedge clk_i) begin
    f_gnt_q   <= gnt_o;
    f_asked_q <= req_i[f_who];
    f_still_q <= pass_i == '0;
    if (!req_i[f_who] || pass_i[f_who]) f_passed <= '0;
    else if (pass_i != '0 && f_asked_q) f_passed <= f_passed + 1'b1;
    if (rst_i) begin
      f_passed  <= '0;
      f_asked_q <= 1'b0;
      f_still_q <= 1'b0;
    end
  end

  `FSH_ASSERT(f_shape, (behind_q | (~behind_q + 1'b1)) == behind_q || behind_q == '0)
  `FSH_ASSERT(f_asked, f_asked_q || f_passed == '0)
  `FSH_ASSERT(f_order, !(f_asked_q && f_still_q) || (f_gnt_q != '0 && f_before <= f_turns))
  `FSH_ASSERT(f_one, (f_gnt_q & (f_gnt_q - 1'b1)) == '0)
  `FSH_ASSERT(f_nearer, f_passed + f_turns <= FW'(N - 1))
  `FSH_ASSERT(f_bound, f_passed <= FW'(N - 1))
