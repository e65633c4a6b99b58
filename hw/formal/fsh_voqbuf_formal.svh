// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_voqbuf, included in the module. Packets come for any queues, on credit.
// Any beat of any queue leaves intact, after exactly those that came for this queue
// before it, marked as last if it ends its packet; nothing of another queue leaves
// inside a packet; each is freed once; what may leave, leaves. Behind it stands that every
// address is in exactly one place: in the list of a queue, or in the ring of free ones.

  localparam int unsigned RW = 2;  // bits of the length of a packet
  localparam int unsigned FREE = Q;
  localparam int unsigned W = 1 + AW + WIDTH;

  // Of each address whose it is, and its place there: in a queue counted from the
  // first beat ever, in the ring the entry. What a stored beat is: how many follow.
  logic [BEATS*AW-1:0] f_owners_q;
  logic [BEATS*AW-1:0] f_ranks_q;
  logic [BEATS*AW-1:0] f_rems_q;
  logic [BEATS-1:0]    f_heads_q;
  logic [Q*AW-1:0]     f_read_q, f_written_q;  // beats of each queue, ever
  logic [RW-1:0]       f_out_q;  // behind the beat last read
  logic [AW:0]         f_credit_q;
  logic                f_met_q;  // the ring was read where it was written

  // By comparison: for the solver, less than a shift by a multiple.
  function [AW-1:0] f_pick(input [BEATS*AW-1:0] all, input [AW-1:0] at);
    f_pick = '0;
    for (int unsigned a = 0; a < BEATS; a++) if (at == AW'(a)) f_pick = f_pick | all[a*AW+:AW];
  endfunction
  function [AW-1:0] f_of(input [Q*AW-1:0] all, input [QW-1:0] at);
    f_of = '0;
    for (int unsigned i = 0; i < Q; i++) if (at == QW'(i)) f_of = f_of | all[i*AW+:AW];
  endfunction

  logic [RW-1:0]       f_rem;
  logic [QW-1:0]       f_r_queue;
  logic [AW-1:0]       f_free;  // addresses in the ring

  assign f_rem     = inside_q ? RW'(missing_q - 7'd1) : follow_i[RW-1:0];
  assign f_r_queue = open ? r_queue_q : choice_i;
  assign f_free    = put_q - take_q;

  initial assume (rst_i);
  always_comb begin
    assume (!valid_i || f_credit_q != '0);
    assume (inside_q || follow_i < 7'(1 << RW));
    assume (32'(queue_i) < Q && 32'(choice_i) < Q);
    assume (!choose_i || some_q[choice_i]);
  end

  always @(posedge clk_i) begin
    f_credit_q <= f_credit_q - (AW + 1)'(valid_i) + (AW + 1)'(freed_o != '0);
    f_met_q    <= read && put_q == AW'(take_q + valid_i);
    for (int unsigned a = 0; a < BEATS; a++) begin
      if (valid_i && fresh == AW'(a)) begin
        f_owners_q[a*AW+:AW] <= AW'(w_queue);
        f_ranks_q[a*AW+:AW]  <= f_of(f_written_q, w_queue) + 1'b1;
      end
      if (valid_i && w_addr == AW'(a)) begin
        f_rems_q[a*AW+:AW] <= AW'(f_rem);
        f_heads_q[a]       <= !inside_q;
      end
      if (read && r_addr == AW'(a)) begin
        f_owners_q[a*AW+:AW] <= AW'(FREE);
        f_ranks_q[a*AW+:AW]  <= put_q;
      end
      if (rst_i) begin
        f_owners_q[a*AW+:AW] <= a < Q ? AW'(a) : AW'(FREE);
        f_ranks_q[a*AW+:AW]  <= a < Q ? '0 : AW'(a);
      end
    end
    for (int unsigned i = 0; i < Q; i++) begin
      if (valid_i && w_queue == QW'(i)) f_written_q[i*AW+:AW] <= f_written_q[i*AW+:AW] + 1'b1;
      if (read && f_r_queue == QW'(i)) f_read_q[i*AW+:AW] <= f_read_q[i*AW+:AW] + 1'b1;
    end
    if (read) f_out_q <= RW'(f_pick(f_rems_q, r_addr));
    if (rst_i) begin
      f_credit_q  <= (AW + 1)'(BEATS - Q);
      f_met_q     <= 1'b0;
      f_written_q <= '0;
      f_read_q    <= '0;
    end
  end

  // One beat: what it is, and the beats of its queue ahead of it.
  (* anyconst *) logic [QW-1:0] f_q;
  (* anyseq *) logic f_choose;
  logic             f_tracking, f_last, f_reg, f_pop;
  logic [WIDTH-1:0] f_data;
  logic [AW-1:0]    f_ahead, f_at;

  always_comb assume (32'(f_q) < Q);
  assign f_reg = valid_o && queue_o == f_q;
  assign f_pop = f_reg && ready_i;

  always @(posedge clk_i) begin
    if (!f_tracking && valid_i && w_queue == f_q && f_choose) begin
      f_tracking <= 1'b1;
      f_data     <= data_i;
      f_last     <= f_rem == '0;
      f_at       <= w_addr;
      f_ahead    <= f_of(f_written_q, f_q) - f_of(f_read_q, f_q) + AW'(f_reg) - AW'(f_pop);
    end
    if (f_tracking && f_pop) begin
      f_ahead    <= f_ahead - 1'b1;
      f_tracking <= f_ahead != '0;
    end
    if (rst_i) f_tracking <= 1'b0;
  end

  // What the user sees.
  logic             f_inside_q, f_since_q;  // inside a packet read; out of reset for a cycle
  logic [QW-1:0]    f_from_q;

  always @(posedge clk_i) begin
    f_since_q <= !rst_i;
    if (valid_o && ready_i) begin
      f_inside_q <= !last_o;
      f_from_q   <= queue_o;
    end
    if (rst_i) f_inside_q <= 1'b0;
  end

  `FSH_ASSERT(f_order, !f_tracking || f_ahead != '0 || !f_reg || data_o == f_data)
  `FSH_ASSERT(f_lasts, !f_tracking || f_ahead != '0 || !f_reg || last_o == f_last)
  `FSH_ASSERT(f_whole, !valid_o || !f_inside_q || queue_o == f_from_q)
  `FSH_ASSERT(f_freed, !f_since_q ||
              freed_o == (!valid_o || $past(valid_o && !ready_i) ? '0 : VCS'(1) << queue_o[VW-1:0]))
  `FSH_ASSERT(f_account, {1'b0, f_credit_q} + (AW + 2)'(f_stored[Q]) +
              (AW + 2)'(freed_o != '0) == (AW + 2)'(BEATS - Q))
  `FSH_ASSERT(f_apart, !(valid_i && read && w_addr == r_addr))
  `FSH_ASSERT(f_fresh, !(valid_i && lap_q && f_met_q))
  // No bubble: what may leave, leaves; and what is behind the header begins.
  `FSH_ASSERT(f_in_time, !f_since_q || !$past(!rst_i && (!valid_o || ready_i) &&
              (open ? f_count_r != '0 : choose_i && f_has_head[choice_i])) || valid_o)
  `FSH_ASSERT(f_begins, !begun_o || f_heads_q[r_addr])

  // Invariants, by queue: both ends of the list; what is stored of it.
  logic [Q*AW-1:0]   f_heads_at, f_tails_at;
  logic [Q-1:0]      f_ends, f_has_head, f_rests, f_newests;
  logic [AW+1:0]     f_stored[Q+1];
  logic [AW-1:0]     f_count_r;

  assign f_stored[0] = '0;
  assign f_count_r   = f_of(f_written_q, r_queue_q) - f_of(f_read_q, r_queue_q);

  for (genvar i = 0; i < Q; i++) begin : gen_f_queue
    logic [AW-1:0]    first, next, count, last_header;
    logic [BEATS-1:0] mine;
    logic             reading, writing;

    assign reading = any_q && r_queue_q == QW'(i);
    assign writing = inside_q && w_queue_q == QW'(i);
    assign first   = reading ? r_next : head_used_q[i] ? head[i] : AW'(i);
    assign next    = tail_used_q[i] ? tail[i] : AW'(i);
    assign count   = f_written_q[i*AW+:AW] - f_read_q[i*AW+:AW];
    assign last_header = newest[i];
    assign f_heads_at[i*AW+:AW] = first;
    assign f_tails_at[i*AW+:AW] = next;
    assign f_stored[i+1] = f_stored[i] + (AW + 2)'(count);
    assign f_ends[i] = f_pick(f_owners_q, first) == AW'(i) && f_pick(f_owners_q, next) == AW'(i) &&
                       f_pick(f_ranks_q, first) == f_read_q[i*AW+:AW] &&
                       f_pick(f_ranks_q, next) == f_written_q[i*AW+:AW] &&
                       (!writing || next == w_addr_q) && (!reading || head_used_q[i]) &&
                       (!head_used_q[i] || tail_used_q[i]);
    for (genvar a = 0; a < BEATS; a++) begin : gen_mine
      assign mine[a] = f_owners_q[a*AW+:AW] == AW'(i) && AW'(a) != next && f_heads_q[a];
    end
    assign f_has_head[i] = mine != '0;
    // Nothing stored of a queue: nothing missing, or what is missing is waited for.
    assign f_rests[i] = count != '0 || !(writing || (reading && open)) ||
                        (writing && reading && open && f_out_q == RW'(missing_q));
    assign f_newests[i] = !some_q[i] ||
        (mine[last_header] &&
         (!writing || (AW'(f_written_q[i*AW+:AW] - f_pick(f_ranks_q, last_header)) ==
                       AW'(written_q) &&
                       7'(f_pick(f_rems_q, last_header)) + 7'd1 == missing_q + written_q)));
  end

  // By address; constant slices, for the solver.
  logic [BEATS-1:0] f_linked, f_entered, f_chain, f_opened, f_starts, f_headed, f_marked, f_kept;

  for (genvar a = 0; a < BEATS; a++) begin : gen_f_address
    logic [AW-1:0] owner;
    logic [QW-1:0] q;
    logic [AW-1:0] rank, pos, count, next, free_at, header_pos;
    logic [RW-1:0] rem;
    logic [W-1:0]  word;
    logic          stored, is_free, reading;

    assign owner   = f_owners_q[a*AW+:AW];
    assign is_free = owner == AW'(FREE);
    assign q       = QW'(owner);
    assign rank    = f_ranks_q[a*AW+:AW];
    assign pos     = rank - f_of(f_read_q, q);
    assign count   = f_of(f_written_q, q) - f_of(f_read_q, q);
    assign stored  = !is_free && pos < count;
    assign rem     = RW'(f_rems_q[a*AW+:AW]);
    assign word    = f_words[a*W+:W];
    assign next    = word[WIDTH+:AW];
    assign free_at = !lap_q && rank >= take_q ? rank : f_pick(f_ring, rank);
    assign reading = open && r_queue_q == q;
    assign header_pos = f_pick(f_ranks_q, newest[q]) - f_of(f_read_q, q);

    assign f_linked[a] = is_free ?
        AW'(rank - take_q) < f_free && free_at == AW'(a) :
        owner < AW'(Q) && pos <= count &&
        (pos != '0 || f_of(f_heads_at, q) == AW'(a)) &&
        (pos != count || f_of(f_tails_at, q) == AW'(a)) &&
        (!stored || (f_pick(f_owners_q, next) == owner &&
                     f_pick(f_ranks_q, next) == AW'(rank + 1'b1)));

    // The entries of the ring, each an address that says so.
    logic [AW-1:0] entry;
    assign entry = !lap_q && AW'(a) >= take_q ? AW'(a) : f_ring[a*AW+:AW];
    assign f_entered[a] = AW'(AW'(a) - take_q) >= f_free ||
        (f_pick(f_owners_q, entry) == AW'(FREE) && f_pick(f_ranks_q, entry) == AW'(a));

    // Beats stored: one after the other as their packet says, first of all those of the
    // packet that is read; headers no later than the newest one.
    assign f_chain[a] = !stored || (pos + 1'b1 == count ?
        rem == (inside_q && w_queue_q == q ? RW'(missing_q) : '0) :
        f_heads_q[next] == (rem == '0) &&
        (rem == '0 || f_pick(f_rems_q, next) == AW'(rem - 1'b1)));
    assign f_opened[a] = !stored || !reading || pos >= AW'(f_out_q) ||
        (!f_heads_q[a] && rem == RW'(f_out_q - RW'(pos) - 1'b1));
    assign f_starts[a] = !stored || pos != (reading ? AW'(f_out_q) : '0) || f_heads_q[a];
    assign f_headed[a] = !stored || !f_heads_q[a] || (some_q[q] && pos <= header_pos);
    assign f_marked[a] = !stored || word[W-1] == (rem == '0);
    assign f_kept[a]  = !f_tracking || f_at != AW'(a) || f_ahead < AW'(f_reg) ||
        (stored && owner == AW'(f_q) && AW'(pos + AW'(f_reg)) == f_ahead &&
         word[WIDTH-1:0] == f_data && f_last == (rem == '0));
  end

  `FSH_ASSERT(f_linkeds, &f_linked)
  `FSH_ASSERT(f_entereds, &f_entered)
  `FSH_ASSERT(f_chain_all, &f_chain)
  `FSH_ASSERT(f_opened_all, &f_opened)
  `FSH_ASSERT(f_starts_all, &f_starts)
  `FSH_ASSERT(f_headed_all, &f_headed)
  `FSH_ASSERT(f_marked_all, &f_marked)
  `FSH_ASSERT(f_keeps, &f_kept)
  `FSH_ASSERT(f_both_ends, &f_ends)
  `FSH_ASSERT(f_rest, &f_rests)
  `FSH_ASSERT(f_newest, &f_newests)
  `FSH_ASSERT(f_some, some_q == f_has_head)
  `FSH_ASSERT(f_total, (AW + 2)'(f_free) + f_stored[Q] == (AW + 2)'(BEATS - Q))
  `FSH_ASSERT(f_ring_read, !lap_q || f_free == '0 || f_met_q || ring == f_pick(f_ring, take_q))
  `FSH_ASSERT(f_met, !f_met_q || (f_free == AW'(1) && freed_o != '0))
  `FSH_ASSERT(f_lap, lap_q || take_q >= AW'(Q))
  `FSH_ASSERT(f_lap_put, lap_q || put_q < take_q)
  `FSH_ASSERT(f_missing, !inside_q || (missing_q != '0 && missing_q < 7'(1 << RW) &&
              written_q != '0 && written_q <= 7'(1 << RW) - missing_q))
  `FSH_ASSERT(f_queues, 32'(r_queue_q) < Q || !any_q)
  `FSH_ASSERT(f_w_queue, 32'(w_queue_q) < Q || !inside_q)
  `FSH_ASSERT(f_out, !any_q || r_last == (f_out_q == '0))
  `FSH_ASSERT(f_offered, !valid_o || any_q)
  `FSH_ASSERT(f_none, any_q || head_used_q == '0)
  `FSH_ASSERT(f_chase, !chase_q || (open && inside_q && w_queue_q == r_queue_q &&
              !some_q[r_queue_q] && 7'(f_count_r) == lead_q && 7'(f_out_q) == lead_q + missing_q))
  `FSH_ASSERT(f_no_chase, !open || chase_q || (AW'(f_out_q) <= f_count_r &&
              (!inside_q || w_queue_q != r_queue_q || some_q[r_queue_q])))
  `FSH_ASSERT(f_go, !open || go_q == (!chase_q || lead_q != '0))
  `FSH_ASSERT(f_free_once, freed_o == '0 || valid_o)
  `FSH_ASSERT(f_between, valid_o || open == f_inside_q)
  `FSH_ASSERT(f_first, !valid_o || f_inside_q || f_heads_out_q)
  `FSH_ASSERT(f_later, !valid_o || !f_inside_q || !f_heads_out_q)
  `FSH_ASSERT(f_from, valid_o || !f_inside_q || queue_o == f_from_q)
  `FSH_ASSERT(f_ahead_one, !f_tracking || f_ahead >= AW'(f_reg) || (f_reg && data_o == f_data &&
              last_o == f_last))

  logic f_heads_out_q;  // the beat last read is a header

  always @(posedge clk_i) if (read) f_heads_out_q <= f_heads_q[r_addr];
