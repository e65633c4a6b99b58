// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// How far ahead of what a context awaits its packets are claimed. Two ways (ahead_i):
/// In pulses (pulse_i), within a step of several packets: PULSE or twice as many, when less
/// than PULSE are claimed beyond packet_i, source after source; from pulse_now_o on, in which
/// the control takes it up at packet claimed_o, to reached_o. Every fourth is told.
/// Looking ahead, when a packet may not go yet: the rest of the step, then whole steps of the
/// sequence that receive, one at least, until WINDOW packets are claimed, or of a step more
/// than half as many: so a sequence has no more claims than it needs to go on. A step of several
/// packets of one source is looked beyond before that, too, when it begins or once all of it is
/// claimed (all_o). The first packet claimed in a step is told, then every fourth and the last.
/// The first packet, the next one that the context will await, may take the context's slot of
/// the reserve. looked_o[c]: all of it is claimed, as of this step; a look that finds no room
/// leaves that undone, for when a slot is free. What a look has claimed is claimed again neither
/// in pulses nor by the look of the next step. rowed_i: what the control has left to fsh_crow
/// (row_i). further_o[c]: the step behind that is claimed, too, which a look with deep_i does near
/// the end of a step; far_o: what fsh_crow does is for that.
/// State by context, of the one in hand (c_i). Outputs combinational; no reset: who opens a
/// context (open_i) or begins a step (step_i) has none of it.
module fsh_cahead #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned NW = 15,
    parameter int unsigned PULSE = 8,
    parameter int unsigned WINDOW = 8,
    localparam int unsigned CW = $clog2(CONTEXTS)
) (
    input  wire logic                clk_i,
    input  wire logic       [CW-1:0] c_i,
    input  wire logic                open_i,
    input  wire logic                step_i,
    input  wire logic                ahead_i,
    input  wire logic                pulse_i,
    input  wire logic                fed_i,      // that was just done, or tried
    input  wire logic                crowded_i,
    // The packet in hand.
    input  wire logic                many_i,     // its step has several
    input  wire logic                some_i,     // and sources
    input  wire logic                tail_i,
    input  wire logic       [NW-1:0] packet_i,
    input  wire logic                first_source_i,
    input  wire logic                last_source_i,
    input  wire logic                last_packet_i,
    // What befalls it.
    input  wire logic                take_i,     // a pulse begins, if pulse_now_o
    input  wire logic                answer_i,   // it was claimed, or not
    input  wire logic                made_i,     // now
    input  wire logic                there_i,
    input  wire logic                hop_i,      // the next one; of a look, to begin with
    input  wire logic                out_i,      // which begins where a packet may not go
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::rowed_t rowed_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic                row_i,      // which begins
    input  wire logic                deep_i,
    output logic                     pulse_now_o,
    output logic            [NW-1:0] claimed_o,  // packets of the step below this are
    output logic                     reached_o,
    output logic                     told_o,     // the sender is told
    output logic                     over_o,     // the descriptor has no more
    output logic                     done_o,     // nor need others be looked at
    output logic                     spare_o,    // the reserve may be used
    output logic                     all_o,      // the rest of the step is claimed
    output logic                     far_o,
    output logic      [CONTEXTS-1:0] looked_o,
    output logic      [CONTEXTS-1:0] further_o
);
  logic [NW-1:0] claimed_q[CONTEXTS];
  logic [NW-1:0] target_q;
  logic          next_q;  // what is looked at is awaited next
  logic          rest_q;  // it is of the step in hand
  logic          fresh_q; // nothing of this step was claimed in this look
  logic [$clog2(WINDOW+1)-1:0] seen_q;  // packets of this look, as far as they count
  logic [CONTEXTS-1:0] covered;  // the step in hand was claimed by a look before it
  logic          enough, steps;

  assign claimed_o   = claimed_q[c_i];
  assign pulse_now_o = many_i && !crowded_i && !ahead_i && !fed_i && first_source_i &&
                       claimed_o < packet_i + NW'(PULSE);
  assign reached_o   = last_packet_i || packet_i + 1'b1 == target_q;
  assign told_o      = !ahead_i || packet_i[1:0] == '1 || (pulse_i ? reached_o :
                       last_packet_i || (made_i && fresh_q));
  assign all_o       = last_packet_i || covered[c_i] || claimed_o == '1;
  assign over_o      = !some_i || (ahead_i ? last_packet_i && last_source_i : all_o);
  assign spare_o     = !ahead_i || (!pulse_i && next_q);
  assign enough      = ahead_i && some_i && !rest_q &&
                       (32'(seen_q) == WINDOW || 32'(packet_i) >= WINDOW / 2);
  assign done_o      = tail_i || enough;
  assign steps       = step_i && rowed_i.context_[CW-1:0] == c_i;

  always_ff @(posedge clk_i) begin
    if (row_i || steps) far_o <= row_i && deep_i;
    if (take_i) target_q <= packet_i + NW'(2 * PULSE);
    if (step_i) claimed_q[c_i] <= looked_o[c_i] ? '1 : '0;
    if (pulse_i && answer_i && !there_i) claimed_q[c_i] <= packet_i;
    if (pulse_i && hop_i && last_source_i && reached_o)
      claimed_q[c_i] <= last_packet_i ? '1 : packet_i + 1'b1;
    if (hop_i && !ahead_i) begin
      next_q <= out_i && over_o == (!some_i || last_packet_i);
      rest_q <= !over_o;
      seen_q <= '0;
    end else if (answer_i) begin
      next_q <= 1'b0;
      if (32'(seen_q) != WINDOW) seen_q <= seen_q + 1'b1;
    end else if (hop_i && over_o) rest_q <= 1'b0;
    if (hop_i && (!ahead_i || over_o)) fresh_q <= 1'b1;
    else if (answer_i && made_i) fresh_q <= 1'b0;
  end

  fsh_cbeyond #(
      .CONTEXTS(CONTEXTS)
  ) i_beyond (
      .clk_i,
      .c_i,
      .open_i,
      .step_i,
      .done_i        (hop_i && !pulse_i && over_o && done_o),
      .tail_i,
      .over_i        (rowed_i.over),
      .over_context_i(rowed_i.context_[CW-1:0]),
      .over_tail_i   (rowed_i.tail),
      .deep_i        (far_o && !steps),
      .covered_o     (covered),
      .looked_o,
      .further_o
  );
endmodule

`default_nettype wire
