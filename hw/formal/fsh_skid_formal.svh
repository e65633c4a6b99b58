// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_skid, included in the module: any word taken leaves intact,
// after exactly the words that were ahead of it, and at once if none stalls.

  logic             f_tracking, f_behind;
  logic [WIDTH-1:0] f_data;
  (* anyseq *) logic f_choose;

  initial assume (rst_i);

  always @(posedge clk_i) begin
    if (!f_tracking && valid_i && ready_o && f_choose) begin
      f_tracking <= 1'b1;
      f_data     <= data_i;
      f_behind   <= valid_o && !ready_i;
    end
    if (f_tracking && valid_o && ready_i) begin
      f_tracking <= f_behind;
      f_behind   <= 1'b0;
    end
    if (rst_i) f_tracking <= 1'b0;
  end

  `FSH_ASSERT(f_inside, !f_tracking || (f_behind ? spare_valid_q : out_valid_q))
  `FSH_ASSERT(f_kept, !f_tracking || (f_behind ? spare_q : out_q) == f_data)
  `FSH_ASSERT(f_order, !(f_tracking && !f_behind) || (valid_o && data_o == f_data))
  `FSH_ASSERT(f_flow, $past(rst_i) || !$past(ready_i) || ready_o)
