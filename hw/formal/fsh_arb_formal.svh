// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_arb, included in the module: whoever keeps asking is granted
// after at most N-1 takes of others.

  localparam int unsigned FW = $clog2(N + 1) + 1;
  (* anyconst *) logic [FW-1:0] f_who;
  logic [FW-1:0] f_passed;  // takes of others since f_who has been asking
  logic [FW-1:0] f_first;   // the requester that has the priority
  logic [FW-1:0] f_turns;   // requesters before f_who in the order of service

  always_comb begin
    f_first = '0;
    for (int unsigned i = N; i > 0; i = i - 1) if (behind_q[i-1]) f_first = FW'(i - 1);
    f_turns = f_who >= f_first ? f_who - f_first : f_who + FW'(N) - f_first;
  end

  initial assume (rst_i);
  always_comb begin
    assume (f_who < FW'(N));
    assume (look_i || !take_i);
  end

  always @(posedge clk_i) begin
    if (!req_i[f_who] || (take_i && gnt_o[f_who])) f_passed <= '0;
    else if (take_i) f_passed <= f_passed + 1'b1;
    if (rst_i) f_passed <= '0;
  end

  // Zeros below ones: behind_q has all bits above its lowest.
  `FSH_ASSERT(f_shape, (behind_q | (~behind_q + 1'b1)) == behind_q || behind_q == '0)
  `FSH_ASSERT(f_nearer, f_passed + f_turns <= FW'(N - 1))
  `FSH_ASSERT(f_bound, f_passed <= FW'(N - 1))
