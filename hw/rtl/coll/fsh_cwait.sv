// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Which of the contexts of a unit can go on (able_o), and which one does in its turn
/// (fsh_cpick). Each waits for one packet at most, to come or to be allowed to go, whose key
/// it has given (key_we_i, of context now_i): its item (at_i) may be looked at when it has
/// just begun, or something has come since it was in vain (vain_i): the packet; a free
/// slot, if it got none; the grant, or what may give back the eager packet of its peer. One
/// whose writes are under way waits for them (settled_i). asked_o: who is to send it or to
/// take it has been told; granted_o: the packet in hand may go, since it, or one behind it
/// of its step, had been granted a cycle ago: a receiver claims them in order. A grant that it
/// does not show yet makes the context try again. Grants are kept for the step in hand, and for
/// the next one that sends once the context has looked at it (peek_i), and the one behind it
/// (late_i), since a receiver may be ahead; of others of its job the latest KEPT are.
/// expired_o: in vain at three pulses of tick_i.
/// All but keys_o change a cycle after the cause. No reset: who begins has none of it.
module fsh_cwait #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned KEPT = 4,  // a power of two
    localparam int unsigned CW = $clog2(CONTEXTS)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                tick_i,
    input  wire logic [CONTEXTS-1:0] open_i,
    input  wire logic [3*CONTEXTS-1:0] at_i,
    input  wire logic [CONTEXTS-1:0] settled_i,
    input  wire logic                take_i,
    // The context in hand, one-hot, and what befalls it.
    input  wire logic [CONTEXTS-1:0] now_i,
    input  wire logic                begin_i,
    input  wire logic                peek_i,     // it looks at a later one
    input  wire logic                late_i,     // ... behind the next
    input  wire logic                step_i,     // it begins a step, which has packets to go
    input  wire fsh_coll_pkg::key_t  out_key_i,  // with this key; its packet in hand
    input  wire logic                key_we_i,
    input  wire fsh_coll_pkg::key_t  key_i,
    input  wire logic                vain_i,
    input  wire logic                asked_we_i,
    input  wire logic                asked_i,
    // What comes.
    input  wire logic                whole_valid_i,
    input  wire fsh_coll_pkg::key_t  whole_key_i,
    input  wire logic                freed_i,
    input  wire logic [CONTEXTS-1:0] looked_i,  // there is nothing to claim ahead
    input  wire logic                note_valid_i,
    input  wire fsh_coll_pkg::note_t note_i,
    output logic      [CONTEXTS-1:0] able_o,
    output logic                     some_o,
    output logic            [CW-1:0] choice_o,
    output logic               [2:0] item_o,
    output logic            [CW-1:0] vacant_o,
    output logic      [CONTEXTS-1:0] expired_o,
    output logic      [CONTEXTS-1:0] asked_o,
    output logic                     granted_o,
    output logic [CONTEXTS*fsh_coll_pkg::KEY_W-1:0] keys_o
);
  localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W;
  localparam int unsigned JOB = 19;  // in a key without its number
  logic grant, consumed;
  logic [CONTEXTS-1:0] granted, source, out, try_q;
  logic [CONTEXTS-1:0] meant_q;  // granted in the cycle before

  always_ff @(posedge clk_i) granted_o <= (granted & now_i) != '0;

  assign grant    = note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_GRANT;
  assign consumed = note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_CONSUMED;

  fsh_cpick #(
      .CONTEXTS(CONTEXTS)
  ) i_pick (
      .clk_i,
      .rst_i,
      .able_i  (able_o),
      .open_i,
      .at_i,
      .take_i,
      .some_o,
      .choice_o,
      .item_o,
      .vacant_o
  );

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    logic [KEY_W-1:0] key_q;
    logic [1:0]       late_q;
    logic             whole, meant, some_q, wants_slot;
    logic [KEY_W-9:0] out_q;   // of the step
    logic [KEY_W-9:0] then_q;  // of the next, if it has been looked at
    logic             peeked_q, soon_q;
    logic [7:0]       until_q; // what may go of that
    logic             early, later, expected;
    logic [KEY_W-9:0] last_q;  // of the one behind it, the same
    logic             hence_q, sure_q;
    logic [7:0]       till_q;
    logic [7:0]       upto_q;  // packets up to this may go
    logic             behind;  // what is granted is no more than before
    logic [KEY_W-9:0] far_q[KEPT];  // steps that this node has not come to
    logic [7:0]       most_q[KEPT];
    logic [7:0]       most;
    logic [KEPT-1:0]  some_far_q, same, mine;
    logic [$clog2(KEPT)-1:0] turn_q;

    // For what it awaits, or to look ahead.
    assign wants_slot = source[c] ? !asked_o[c] : out[c] && asked_o[c] && !looked_i[c];
    assign source[c] = at_i[3*c+:3] == fsh_coll_pkg::ITEM_SOURCE;
    assign out[c]    = at_i[3*c+:3] == fsh_coll_pkg::ITEM_OUT;
    assign able_o[c] = open_i[c] && (at_i[3*c+:3] == fsh_coll_pkg::ITEM_SETTLE ? settled_i[c] :
                                     try_q[c] || expired_o[c]);
    assign keys_o[c*KEY_W+:KEY_W] = key_q;
    assign whole = whole_valid_i && key_q == whole_key_i && source[c];
    assign meant = grant && open_i[c] && out_q == note_i.key[KEY_W-1:8];
    assign early = grant && peeked_q && then_q == note_i.key[KEY_W-1:8];
    assign later = grant && hence_q && last_q == note_i.key[KEY_W-1:8];
    // Numbers are modulo 256; what is granted is never as many as 128 ahead.
    assign expected = peeked_q && (soon_q || early) && then_q == out_key_i[KEY_W-1:8];
    assign behind     = fsh_coll_pkg::earlier(note_i.key.number, upto_q);
    assign granted[c] = some_q && !fsh_coll_pkg::earlier(upto_q, out_key_i.number);

    always_comb begin
      most = '0;
      for (int unsigned k = 0; k < KEPT; k++) begin
        same[k] = some_far_q[k] && far_q[k] == note_i.key[KEY_W-1:8];
        mine[k] = some_far_q[k] && far_q[k] == out_key_i[KEY_W-1:8];
        if (mine[k]) most |= most_q[k];
      end
    end

    always_ff @(posedge clk_i) begin
      if (grant && !meant && note_i.key.job == out_q[JOB+:8]) begin
        for (int unsigned k = 0; k < KEPT; k++) begin
          if (same == '0 ? turn_q == $clog2(KEPT)'(k) : same[k]) begin
            far_q[k]      <= note_i.key[KEY_W-1:8];
            most_q[k]     <= note_i.key.number;
            some_far_q[k] <= 1'b1;
          end
        end
        if (same == '0) turn_q <= turn_q + 1'b1;
      end
      if (!open_i[c]) {some_far_q, turn_q} <= '0;
    end

    always_ff @(posedge clk_i) begin
      if (key_we_i && now_i[c]) key_q <= key_i;
      if (tick_i && (source[c] || out[c]) && !try_q[c]) begin
        if (late_q == 2'd2) expired_o[c] <= 1'b1;
        else late_q <= late_q + 1'b1;
      end
      if (now_i[c]) begin
        if (asked_we_i) asked_o[c] <= asked_i;
        if (vain_i) try_q[c] <= 1'b0;
        if (begin_i) begin
          late_q       <= '0;
          expired_o[c] <= 1'b0;
          asked_o[c]   <= 1'b0;
          try_q[c]     <= 1'b1;
        end
      end
      // Also what comes in the very cycle in which it was not there; a grant in the one before,
      // too, which granted_o does not show yet.
      if (whole || (freed_i && wants_slot) || (consumed && out[c]) || (meant_q[c] && out[c]))
        try_q[c] <= 1'b1;
      meant_q[c] <= meant;
      if (meant) begin
        some_q <= 1'b1;
        if (!some_q || !behind) upto_q <= note_i.key.number;
        if (out[c]) try_q[c] <= 1'b1;
      end
      if (early) begin
        soon_q  <= 1'b1;
        until_q <= note_i.key.number;
      end
      if (later) begin
        sure_q <= 1'b1;
        till_q <= note_i.key.number;
      end
      if (now_i[c] && peek_i && late_i && !hence_q) begin
        last_q  <= out_key_i[KEY_W-1:8];
        hence_q <= 1'b1;
        sure_q  <= 1'b0;
      end
      if (now_i[c] && peek_i && !late_i && !peeked_q) begin
        then_q   <= out_key_i[KEY_W-1:8];
        peeked_q <= 1'b1;
        soon_q   <= 1'b0;
      end
      if (now_i[c] && step_i) begin
        out_q    <= out_key_i[KEY_W-1:8];
        some_q   <= expected || mine != '0;
        upto_q   <= !expected ? most : early ? note_i.key.number : until_q;
        then_q   <= last_q;
        peeked_q <= hence_q;
        soon_q   <= sure_q || later;
        until_q  <= later ? note_i.key.number : till_q;
        hence_q  <= 1'b0;
      end
      if (!open_i[c]) {peeked_q, hence_q} <= '0;
    end
  end

  `FSH_ASSERT(a_begin, !(begin_i && (vain_i || asked_we_i)))
endmodule

`default_nettype wire
