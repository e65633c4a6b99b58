// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets waiting in a queue for each output, class and virtual channel, all in one
/// block RAM: a packet waits only behind those of its own queue, and any queue may take
/// all of the space. Queue numbers: (output * CLASSES + class) * VCS + channel. What a
/// class is, the user says, for example packets of few beats, which then may be read
/// before long ones. BEATS and VCS are powers of two.
///
/// Writing: a beat a cycle, never refused; the beats of a packet one after the other,
/// gaps allowed, no other packet between them. Beside a header (the first beat, and the
/// one after a packet's last) stand its queue and how many beats follow.
/// Reading: packet by packet, in the order the user chooses. some_o: this queue has a
/// packet that is not begun. choose_i: choice_i is such a queue; both may change in every
/// cycle. Where the packet before is read to its end, that of the queue chosen
/// begins (begun_o). It is not interrupted, but has gaps if its beats come with gaps. A
/// beat is offered two cycles after it was written at the earliest, one a cycle, no
/// bubble between packets; data_o, last_o and queue_o go together and are registers.
/// inside_o: more beats of the packet last begun are to be read.
/// read_o (one-hot): a beat that came on this channel leaves; freed_o: the same a cycle
/// later, a register.
///
/// Credits: beats, BEATS - Q in all, Q = OUTPUTS * CLASSES * VCS. How they are shared by
/// the channels is the sender's affair. A list of beats has no holes, so no space is
/// lost but one word a queue: each word names the next one of its queue, which
/// is therefore set aside before there is anything to put into it. A word is free again
/// when its beat has been read, a cycle before freed_o says so.
/// Reset empties the queues; only the read and write of words in flight are lost.
module fsh_voqbuf #(
    parameter int unsigned OUTPUTS = 6,
    parameter int unsigned CLASSES = 1,
    parameter int unsigned VCS = 4,
    parameter int unsigned BEATS = 2048,
    parameter int unsigned WIDTH = 129
) (
    input  wire logic                                   clk_i,
    input  wire logic                                   rst_i,
    input  wire logic                                   valid_i,
    input  wire logic [$clog2(OUTPUTS*CLASSES*VCS)-1:0] queue_i,
    input  wire logic                             [6:0] follow_i,
    input  wire logic                       [WIDTH-1:0] data_i,
    output logic              [OUTPUTS*CLASSES*VCS-1:0] some_o,
    input  wire logic                                   choose_i,
    input  wire logic [$clog2(OUTPUTS*CLASSES*VCS)-1:0] choice_i,
    output logic                                        begun_o,
    output logic                                        inside_o,
    output logic                              [VCS-1:0] read_o,
    output logic                              [VCS-1:0] freed_o,
    output logic                                        valid_o,
    input  wire logic                                   ready_i,
    output logic                                        last_o,
    output logic      [$clog2(OUTPUTS*CLASSES*VCS)-1:0] queue_o,
    output logic                            [WIDTH-1:0] data_o,
    output logic                                        busy_o
);
  localparam int unsigned Q = OUTPUTS * CLASSES * VCS;
  localparam int unsigned QW = $clog2(Q);
  localparam int unsigned VW = $clog2(VCS);
  localparam int unsigned AW = $clog2(BEATS);

  // By queue: where its next beat goes, its last header, its first beat. Before a queue
  // is first used (_used_q) the first and the last are the address of its number.
  (* ram_style = "distributed" *) logic [AW-1:0] tail[Q];
  (* ram_style = "distributed" *) logic [AW-1:0] newest[Q];
  (* ram_style = "distributed" *) logic [AW-1:0] head[Q];
  logic [Q-1:0]  tail_used_q, head_used_q, some_q;

  logic          inside_q, w_last, w_ends;  // between the beats of a packet; at its end
  logic [QW-1:0] w_queue, w_queue_q;
  logic [AW-1:0] w_addr, w_addr_q, fresh;
  logic [6:0]    missing_q, written_q;  // beats of the packet being written

  logic          valid_q, any_q, open, same, slot, able, begun, read, r_last, more;
  logic [QW-1:0] r_queue_q;
  logic [AW-1:0] first_q;  // where the last packet begun had its header: for state dumps
  logic [VW-1:0] r_vc;
  logic [AW-1:0] r_addr, r_next, waiting, last_head;
  logic          go_q, behind, chase_q;  // see below
  logic [6:0]    lead_q;

  logic [AW-1:0] take_q, after_q, take, put_q, ring;  // free addresses; after: take + 1
  logic          lap_q;

`ifdef FORMAL
  logic [(1+AW+WIDTH)*BEATS-1:0] f_words;
  logic [AW*BEATS-1:0]           f_ring;
`endif

  // Writing: the word names the one after it, which is taken from the free ones now.
  assign w_ends = valid_i && w_last;

  always_comb begin  // nobody looks but for a beat
    if (inside_q) begin
      w_last  = missing_q == 7'd1;
      w_queue = w_queue_q;
      w_addr  = w_addr_q;
    end else begin
      w_last  = follow_i == '0;
      w_queue = queue_i;
      w_addr  = 'x;
      if (valid_i) w_addr = tail_used_q[queue_i] ? tail[queue_i] : AW'(queue_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      tail[w_queue] <= fresh;
      w_queue_q     <= w_queue;
      w_addr_q      <= fresh;
      missing_q     <= inside_q ? missing_q - 7'd1 : follow_i;
      written_q     <= inside_q ? written_q + 7'd1 : 7'd1;
      if (!inside_q) newest[queue_i] <= w_addr;
    end
  end

  // Free addresses, in a ring that is full of the addresses from Q on after reset: in
  // the first lap entry i is i and has not been written. It is read ahead, again and
  // again: who has a credit comes two cycles after the word he gets was freed.
  assign fresh = lap_q ? ring : take_q;
  assign take  = valid_i ? after_q : take_q;  // whether a word is written is known late

  fsh_ram #(
      .WIDTH(AW),
      .DEPTH(BEATS)
  ) i_ring (
      .clk_i,
      .we_i   (read),
      .waddr_i(put_q),
      .wdata_i(r_addr),
      .re_i   (1'b1),
      .raddr_i(take),
      .rdata_o(ring)
`ifdef FORMAL
      ,
      .f_words_o(f_ring)
`endif
  );

  // Reading. The word last read says what comes next, of its packet or of its queue.
  assign slot      = !valid_q || ready_i;
  assign open      = any_q && !r_last;
  assign same      = any_q && choice_i == r_queue_q;
  assign able      = slot && choose_i;
  assign begun     = able && !open;
  assign read      = open ? slot && go_q : able;
  assign r_vc      = open ? r_queue_q[VW-1:0] : choice_i[VW-1:0];

  // Where the next beat stands; of a packet that could begin, whether more wait behind it.
  always_comb begin
    {waiting, last_head, more, behind} = 'x;
    r_addr = r_next;
    if (!open) begin
      r_addr = 'x;
      if (choose_i) begin
        waiting   = head_used_q[choice_i] ? head[choice_i] : AW'(choice_i);
        r_addr    = same ? r_next : waiting;
        last_head = newest[choice_i];
        more      = same ? r_next != last_head : waiting != last_head;
        behind    = inside_q && !w_ends && w_queue_q == choice_i;  // it is being written
      end
    end
  end

  fsh_ram #(
      .WIDTH(1 + AW + WIDTH),
      .DEPTH(BEATS)
  ) i_words (
      .clk_i,
      .we_i   (valid_i),
      .waddr_i(w_addr),
      .wdata_i({w_last, fresh, data_i}),
      .re_i   (read),
      .raddr_i(r_addr),
      .rdata_o({r_last, r_next, data_o})
`ifdef FORMAL
      ,
      .f_words_o(f_words)
`endif
  );

  always_ff @(posedge clk_i) begin
    if (begun) begin
      head[r_queue_q] <= r_next;  // where that queue goes on; before any is read nobody looks
      r_queue_q       <= choice_i;
      first_q         <= r_addr;
    end
  end

  // Only the packet that is being written may be short of beats. If it is read already
  // (chase), lead counts those that are there and not read. Sums and comparisons first,
  // choice last: whether a word is written and whether one is read is known late in a cycle.
  always_ff @(posedge clk_i) begin
    if (begun) begin
      chase_q <= behind && !more;
      lead_q  <= valid_i ? written_q : written_q - 7'd1;
      go_q    <= !behind || more || (valid_i ? written_q != '0 : written_q != 7'd1);
    end else if (chase_q) begin
      chase_q <= !w_ends;
      if (read) lead_q <= valid_i ? lead_q : lead_q - 7'd1;
      else lead_q <= valid_i ? lead_q + 7'd1 : lead_q;
      go_q    <= w_ends || (valid_i == read ? lead_q != '0 : valid_i || lead_q != 7'd1);
    end else begin
      go_q <= 1'b1;
    end
    if (slot) valid_q <= read;
    freed_o <= '0;
    if (read) freed_o <= VCS'(1) << r_vc;
    if (begun) any_q <= 1'b1;
    if (valid_i) inside_q <= !w_last;
    if (read) put_q <= put_q + 1'b1;
    take_q <= take;
    if (valid_i) begin
      after_q <= after_q + 1'b1;
      if (&take_q) lap_q <= 1'b1;
    end
    if (begun) begin
      for (int unsigned i = 0; i < Q; i++) begin
        if (choice_i == QW'(i)) begin
          head_used_q[i] <= 1'b1;
          some_q[i]      <= more;
        end
      end
    end
    if (valid_i) begin
      if (!inside_q) begin
        for (int unsigned i = 0; i < Q; i++) begin
          if (queue_i == QW'(i)) begin
            tail_used_q[i] <= 1'b1;
            some_q[i]      <= 1'b1;
          end
        end
      end
    end
    if (rst_i) begin
      chase_q     <= 1'b0;
      valid_q     <= 1'b0;
      freed_o     <= '0;
      any_q       <= 1'b0;
      inside_q    <= 1'b0;
      put_q       <= '0;
      take_q      <= AW'(Q);
      after_q     <= AW'(Q + 1);
      lap_q       <= 1'b0;
      some_q      <= '0;
      head_used_q <= '0;
      tail_used_q <= '0;
    end
  end

  assign some_o  = some_q;
  assign begun_o = begun;
  assign read_o  = VCS'(read) << r_vc;
  assign inside_o = open;
  assign valid_o = valid_q;
  assign last_o  = r_last;
  assign queue_o = r_queue_q;
  assign busy_o  = valid_q || some_q != '0 || open;

  `FSH_ASSERT(assert_after, after_q == take_q + 1'b1)
  `FSH_ASSERT(assert_room, !valid_i || put_q != take_q)
  `FSH_ASSERT(assert_queue, !valid_i || inside_q || 32'(queue_i) < Q)
  `FSH_ASSERT(assert_choice, open || !choose_i || (32'(choice_i) < Q && some_q[choice_i]))
  `FSH_STABLE(valid_o, ready_i, data_o)
`ifdef FORMAL
`include "fsh_voqbuf_formal.svh"
`endif
endmodule

`default_nettype wire
