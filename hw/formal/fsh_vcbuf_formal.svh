// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_vcbuf, included in the module. Queues are filled beat by beat in
// any order, but only on credit. Any word of any queue leaves intact, after
// exactly those pushed there before it, marked as last if it ends its packet;
// nothing of another queue leaves inside a packet.

  localparam int unsigned RW = 3;  // bits of the length of a packet

  (* anyconst *) logic [QW-1:0] f_q;  // the queue looked at
  logic [PW-1:0] f_wptr, f_rptr, f_count;
  logic          f_push, f_take, f_reg, f_pop;

  always_comb begin
    f_wptr = '0;
    f_rptr = '0;
    for (int unsigned i = 0; i < Q; i++) begin
      if (f_q == QW'(i)) begin
        f_wptr = wptr_q[i*S+:PW];
        f_rptr = rptr_q[i*S+:PW];
      end
    end
  end
  assign f_count = f_wptr - f_rptr;
  assign f_push  = push[f_q];
  assign f_take  = freed_o[f_q];
  assign f_reg   = valid_o && queue_q == f_q;
  assign f_pop   = f_reg && ready_i;

  // The packets that come: beats of the one being pushed that are missing; and
  // of every word stored how many follow, and whether it is a header.
  logic [RW-1:0]       f_missing_q, f_rem, f_oldest, f_newest;
  logic [RW-1:0]       f_out_q;  // behind the word last read
  logic [DEPTH*RW-1:0] f_rems_q;
  logic [DEPTH-1:0]    f_heads_q;
  logic                f_head;
  // The sender's account.
  logic [Q*PW-1:0]     f_credit_q;

  always_comb begin
    f_oldest = '0;
    f_newest = '0;
    for (int unsigned a = 0; a < DEPTH; a++) begin
      if (f_rptr[AW-1:0] == AW'(a)) f_oldest = f_rems_q[a*RW+:RW];
      if (f_wptr[AW-1:0] == AW'(a + 1)) f_newest = f_rems_q[a*RW+:RW];
    end
  end
  assign f_head = f_missing_q == '0;
  assign f_rem  = f_head ? follow_i[RW-1:0] : f_missing_q - 1'b1;

  initial assume (rst_i);
  always_comb begin
    assume (!f_push || !f_head || follow_i < 7'(1 << RW));
    for (int unsigned i = 0; i < Q; i++) assume (!push[i] || f_credit_q[i*PW+:PW] != '0);
  end

  always @(posedge clk_i) begin
    for (int unsigned i = 0; i < Q; i++) begin
      f_credit_q[i*PW+:PW] <= f_credit_q[i*PW+:PW] + PW'(freed_o[i]) - PW'(push[i]);
      if (rst_i) f_credit_q[i*PW+:PW] <= PW'(DEPTH);
    end
    if (f_push) begin
      f_missing_q <= f_rem;
      for (int unsigned a = 0; a < DEPTH; a++) begin
        if (f_wptr[AW-1:0] == AW'(a)) begin
          f_rems_q[a*RW+:RW] <= f_rem;
          f_heads_q[a]       <= f_head;
        end
      end
    end
    if (f_take) f_out_q <= f_oldest;
    if (rst_i) begin
      f_missing_q <= '0;
      f_out_q     <= '0;
    end
  end

  // One word: what it is, and the words of its queue ahead of it.
  (* anyseq *) logic f_choose;
  logic          f_tracking, f_last, f_start;
  logic [WIDTH-1:0] f_data;
  logic [PW-1:0] f_ahead;

  always @(posedge clk_i) begin
    if (!f_tracking && f_push && f_choose) begin
      f_tracking <= 1'b1;
      f_data     <= data_i;
      f_last     <= f_rem == '0;
      f_start    <= f_head;
      f_ahead    <= f_count + PW'(f_reg) - PW'(f_pop);
    end
    if (f_tracking && f_pop) begin
      f_ahead    <= f_ahead - 1'b1;
      f_tracking <= f_ahead != '0;
    end
    if (rst_i) f_tracking <= 1'b0;
  end

  // What the user sees.
  logic          f_inside_q;  // between the beats of a packet
  logic [QW-1:0] f_from_q;    // of this queue

  always @(posedge clk_i) begin
    if (valid_o && ready_i) begin
      f_inside_q <= !last_o;
      f_from_q   <= queue_q;
    end
    if (rst_i) f_inside_q <= 1'b0;
  end

  `FSH_ASSERT(f_order, !f_tracking || f_ahead != '0 || !f_reg || data_o == f_data)
  `FSH_ASSERT(f_lasts, !f_tracking || f_ahead != '0 || !f_reg || last_o == f_last)
  `FSH_ASSERT(f_whole, !valid_o || !f_inside_q || queue_q == f_from_q)
  `FSH_ASSERT(f_freed, $past(rst_i) || $past(freed_o[f_q]) == (f_reg && !$past(f_reg && !f_pop)))
  `FSH_ASSERT(f_started, started_o[f_q] == (f_take && f_heads_q[f_rptr[AW-1:0]]))
  `FSH_ASSERT(f_allowed, (started_o & ~start_i) == '0 && (freed_o & (freed_o - 1'b1)) == '0)
  `FSH_ASSERT(f_credit, &f_account)
  // No bubble: what may leave, leaves.
  `FSH_ASSERT(f_in_time, $past(rst_i) || !$past((!valid_o || ready_i) && f_count != '0 &&
              (f_out_q != '0 || (start_i[f_q] && !middle))) || valid_o)

  logic [Q-1:0] f_account;

  for (genvar i = 0; i < Q; i++) begin : gen_f_queue
    logic [PW-1:0] count, credit;
    assign count        = wptr_q[i*S+:PW] - rptr_q[i*S+:PW];
    assign credit       = f_credit_q[i*PW+:PW];
    assign f_account[i] = credit <= PW'(DEPTH) && count == PW'(DEPTH) - credit;
  end

  // Invariants: the words stored are packets; the register shows the last read.
  // By address; constant slices, for the solver.
  logic [DEPTH-1:0] f_shape, f_marked, f_kept;

  for (genvar a = 0; a < DEPTH; a++) begin : gen_f_word
    localparam int unsigned B = (a + DEPTH - 1) % DEPTH;
    logic [AW-1:0]      pos;
    logic [RW-1:0]      rem, ahead;
    logic [7+WIDTH-1:0] word;
    logic               stored;

    always_comb begin
      word = '0;
      for (int unsigned i = 0; i < Q; i++)
        if (f_q == QW'(i)) word |= f_words[(i*DEPTH+a)*(7+WIDTH)+:7+WIDTH];
    end
    assign pos         = AW'(a) - f_rptr[AW-1:0];
    assign stored      = PW'(pos) < f_count;
    assign rem         = f_rems_q[a*RW+:RW];
    assign ahead       = pos == '0 ? f_out_q : f_rems_q[B*RW+:RW];
    assign f_shape[a]  = !stored || (ahead == '0 ? f_heads_q[a] :
                                     !f_heads_q[a] && rem == ahead - 1'b1);
    assign f_marked[a] = !stored || !f_heads_q[a] || word[WIDTH+:7] == 7'(rem);
    assign f_kept[a]   = !stored || !f_tracking || PW'(pos) + PW'(f_reg) != f_ahead ||
                         (word[WIDTH-1:0] == f_data && f_last == (rem == '0));
  end

  `FSH_ASSERT(f_shapes, &f_shape)
  `FSH_ASSERT(f_marks, &f_marked)
  `FSH_ASSERT(f_keeps, &f_kept)
  `FSH_ASSERT(f_inside, !f_tracking || f_ahead < f_count + PW'(f_reg))
  `FSH_ASSERT(f_left, queue_q == f_q || f_out_q == '0)
  `FSH_ASSERT(f_rest, queue_q != f_q || left == 7'(f_out_q))
  `FSH_ASSERT(f_tail, f_missing_q == (f_count == '0 ? f_out_q : f_newest))
  `FSH_ASSERT(f_between, valid_o ? sop_q == !f_inside_q : middle == f_inside_q)
  `FSH_ASSERT(f_from, !f_inside_q || queue_q == f_from_q)
