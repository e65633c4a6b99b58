// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_turn, included in the module: whoever keeps asking is granted after each
// other has gone at most once, each a cycle after its grant, and none in the cycle before.

  localparam int unsigned FW = $clog2(N + 1) + 1;
  (* anyconst *) logic [FW-1:0] f_who;
  logic [N-1:0]   f_went;    // others that have gone since f_who has been asking
  logic [N*N-1:0] f_before;  // bit i * N + j: i is ahead of j, all pairs
  logic [N-1:0]   f_ahead;   // those ahead of f_who
  logic [N-1:0]   f_gnt_q;
  logic           f_asked_q, f_still_q, f_order;

  always_comb begin
    f_before = ahead_q;
    for (int unsigned i = 0; i < N; i = i + 1)
      for (int unsigned j = 0; j < i; j = j + 1) f_before[i*N+j] = !ahead_q[j*N+i];
    // Ahead of somebody is ahead of all that are behind that one, and behind nobody else.
    f_order = 1'b1;
    for (int unsigned i = 0; i < N; i = i + 1) begin
      if (f_before[i*N+i]) f_order = 1'b0;
      for (int unsigned j = 0; j < N; j = j + 1)
        if (f_before[i*N+j] && (f_before[j*N+:N] & ~f_before[i*N+:N]) != '0) f_order = 1'b0;
    end
    f_ahead = '0;
    for (int unsigned i = 0; i < N; i = i + 1) f_ahead[i] = f_before[i*N+f_who];
  end

  initial assume (rst_i);
  always_comb assume (f_who < FW'(N));
  always_comb assume (pass_i == '0 || (f_still_q && pass_i == f_gnt_q));

  always @(posedge clk_i) begin
    f_gnt_q   <= gnt_o;
    f_asked_q <= req_i[f_who];
    f_still_q <= pass_i == '0;
    if (!req_i[f_who] || pass_i[f_who]) f_went <= '0;
    else if (f_asked_q) f_went <= f_went | pass_i;
    if (rst_i) begin
      f_went    <= '0;
      f_asked_q <= 1'b0;
      f_still_q <= 1'b0;
    end
  end

  `FSH_ASSERT(f_total, f_order)
  `FSH_ASSERT(f_asked, f_asked_q || f_went == '0)
  `FSH_ASSERT(f_one, (f_gnt_q & (f_gnt_q - 1'b1)) == '0)
  `FSH_ASSERT(f_nearer, !(f_asked_q && f_still_q) || f_gnt_q[f_who] || (f_gnt_q & f_ahead) != '0)
  `FSH_ASSERT(f_behind, (f_went & f_ahead) == '0 && !f_went[f_who])
  `FSH_ASSERT(f_once, !f_asked_q || (f_went & pass_i) == '0)
