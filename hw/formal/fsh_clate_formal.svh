// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_clate, included in the module: any one job that was given up stays so while
// jobs less than a quarter of the numbers behind it, or up to a quarter ahead of it, begin, and
// no longer when its own number begins or the one opposite to it does; none is that was not
// given up.

  localparam logic [JOB_W-1:0] F_QUARTER = JOB_W'(1 << (JOB_W - 2));

  (* anyconst *) logic [VW-1:0] f_vp;
  (* anyconst *) logic [JOB_W-1:0] f_job;
  logic f_must, f_not;  // it is given up, it is not; or neither is promised
  logic f_gone, f_over, f_far, f_ask;

  always_comb begin
    logic [JOB_W-1:0] off;
    {f_gone, f_over, f_far} = '0;
    for (int unsigned u = 0; u < UNITS; u++) begin
      off = teams_i[u*TEAM_W+11+:JOB_W] - f_job;
      if (teams_i[u*TEAM_W+:11] == 11'(f_vp)) begin
        if (gone_i[u] && off == '0) f_gone = 1'b1;
        if (begin_i[u]) begin
          if (off == '0 || off == 2 * F_QUARTER) f_over = 1'b1;
          else if (off > F_QUARTER && off <= 3 * F_QUARTER) f_far = 1'b1;
        end
      end
    end
    f_ask = rx_key_i.vp == 11'(f_vp) && rx_key_i.job[JOB_W-1:0] == f_job;
  end

  initial assume (rst_i);

  always @(posedge clk_i) begin
    if (f_far) f_must <= 1'b0;
    if (f_over) {f_must, f_not} <= 2'b01;
    if (f_gone) {f_must, f_not} <= 2'b10;
    if (rst_i) {f_must, f_not} <= 2'b01;
  end

  `FSH_ASSERT(f_kept, !f_must || !f_ask || rx_late_o)
  `FSH_ASSERT(f_forgotten, !f_not || !f_ask || !rx_late_o)
  `FSH_ASSERT(f_same, held_key_i != rx_key_i || held_late_o == rx_late_o)
  `FSH_ASSERT(f_peek,
              peek_keys_i[fsh_coll_pkg::KEY_W-1:0] != rx_key_i || peek_late_o[0] == rx_late_o)
  `FSH_ASSERT(f_eager, rx_key_i.vp < 11'(VPS) || !rx_late_o)

  `FSH_ASSERT(f_bit, (!f_must || late_q[{f_vp, f_job}]) && (!f_not || !late_q[{f_vp, f_job}]))
