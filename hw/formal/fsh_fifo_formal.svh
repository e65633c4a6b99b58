// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_fifo, included in the module: any word pushed leaves intact,
// after exactly the words that were ahead of it.

  logic             f_tracking;  // some word, chosen when it was pushed, is inside
  logic [WIDTH-1:0] f_data;
  (* anyseq *) logic          f_choose;
  (* anyseq *) logic [AW-1:0] f_any_pos;
  logic [AW-1:0]    f_ahead;

  // Without a tracked word the stored words are looked at anywhere.
  assign f_pos = f_tracking ? f_ahead : f_any_pos;

  initial assume (rst_i);

  always @(posedge clk_i) begin
    if (!f_tracking && push && f_choose) begin
      f_tracking <= 1'b1;
      f_data     <= data_i;
      f_ahead    <= AW'(count_q - CW'(pop));
    end
    if (f_tracking && pop) begin
      f_ahead    <= f_ahead - 1'b1;
      f_tracking <= f_ahead != '0;
    end
    if (rst_i) f_tracking <= 1'b0;
  end

  `FSH_ASSERT(f_inside, !f_tracking || CW'(f_ahead) < count_q)
  `FSH_ASSERT(f_kept, !f_tracking || f_word == f_data)
  `FSH_ASSERT(f_order, !(f_tracking && f_ahead == '0 && valid_o) || data_o == f_data)
  `FSH_ASSERT(f_next_cycle, $past(rst_i) || !$past(push) || valid_o)
  `FSH_ASSERT(f_room, ready_o == (count_q < CW'(DEPTH)))
