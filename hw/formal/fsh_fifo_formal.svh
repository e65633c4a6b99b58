// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_fifo, included in the module: any word pushed leaves intact,
// after exactly the words that were ahead of it, and is offered in time.

  logic             f_tracking;  // some word, chosen when it was pushed, is inside
  logic [WIDTH-1:0] f_data;
  (* anyseq *) logic          f_choose;
  (* anyseq *) logic [AW-1:0] f_any_pos;
  logic [CW-1:0]    f_ahead;     // words before it
  logic             f_pop, f_here;

  assign f_pop  = valid_o && ready_i;
  assign f_here = f_reg && f_ahead == '0;  // in the register
  // Without a tracked word the stored words are looked at anywhere.
  assign f_pos  = f_tracking ? AW'(f_ahead - CW'(f_reg)) : f_any_pos;

  initial assume (rst_i);

  always @(posedge clk_i) begin
    if (!f_tracking && push && f_choose) begin
      f_tracking <= 1'b1;
      f_data     <= data_i;
      f_ahead    <= count_q + CW'(f_reg) - CW'(f_pop);
    end
    if (f_tracking && f_pop) begin
      f_ahead    <= f_ahead - 1'b1;
      f_tracking <= f_ahead != '0;
    end
    if (rst_i) f_tracking <= 1'b0;
  end

  `FSH_ASSERT(f_inside, !f_tracking || f_ahead < count_q + CW'(f_reg))
  `FSH_ASSERT(f_kept, !f_tracking || f_here || f_word == f_data)
  `FSH_ASSERT(f_order, !(f_tracking && f_ahead == '0 && valid_o) || data_o == f_data)
  `FSH_ASSERT(f_in_time, $past(rst_i) || !(BLOCK ? $past(some_q) : $past(push)) || valid_o)
  `FSH_ASSERT(f_room, ready_o == (count_q < CW'(DEPTH)))
