// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The control of a unit of the collective engine (fsh_cunit says what it does): state by
/// state, one item of one context at a time, with the data path where it needs that.
/// An item takes 3 or 4 cycles, one with a look-up 9, of an encoded packet 1 more, a change of
/// the context 2 more; its lines are moved beside the items that follow. No packet
/// becomes whole between a look-up that is taken and its answer. Valid signals depend on
/// registers only. Reset: no sequence.
module fsh_csteps #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    parameter int unsigned SLOTS = 80,
    parameter bit FP64 = 1'b1,
    parameter int unsigned PULSE = 8,  // packets
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             tick_i,
    input  wire logic             run_valid_i,
    output logic                  run_ready_o,
    input  wire logic      [31:0] run_addr_i,
    output logic                  end_valid_o,
    input  wire logic             end_ready_i,
    output fsh_coll_pkg::end_t    end_o,
    // Packets that have come: one is whole, a slot is free; a look-up claims.
    input  wire logic             whole_valid_i,
    input  wire fsh_coll_pkg::key_t whole_key_i,
    input  wire logic             freed_i,
    input  wire logic             crowded_i,
    output logic                  look_valid_o,
    input  wire logic             look_ready_i,
    output fsh_coll_pkg::key_t    look_key_o,
    output logic                  look_spare_o,  // of the reserve, too
    input  wire logic             look_done_i,
    input  wire fsh_coll_pkg::look_t look_i,
    output logic                  drop_valid_o,  // a packet that is not read
    input  wire logic             drop_ready_i,
    output fsh_coll_pkg::spent_t  drop_o,
    // Whether a packet may go eagerly: if so, it does.
    output logic                  may_valid_o,
    input  wire logic             may_ready_i,
    output logic [fsh_coll_pkg::EAGER_W-1:0] may_index_o,
    input  wire logic             may_free_i,
    // Messages between engines.
    output logic                  tell_valid_o,
    input  wire logic             tell_ready_i,
    output fsh_coll_pkg::note_t   tell_o,
    // Packets of a whole step that has been looked at are claimed beside.
    output fsh_coll_pkg::row_t    row_o,
    input  wire fsh_coll_pkg::rowed_t rowed_i,
    input  wire logic             note_valid_i,
    input  wire fsh_coll_pkg::note_t note_i,
    // The data path (fsh_cdata).
    output logic                  move_valid_o,  // it starts when that is ready
    output fsh_coll_pkg::move_t   move_o,
    input  wire fsh_coll_pkg::path_t path_i,
    input  wire logic [CONTEXTS-1:0] settled_i,
    input  wire logic [CONTEXTS-1:0] wrong_i,
    input  wire logic             line_err_i,    // one of a descriptor could not be read
    input  wire logic     [511:0] line_i,
    input  wire logic             written_i,     // something is, by whomever
    output logic                  busy_o
);
  localparam int unsigned CW = $clog2(CONTEXTS);
  localparam int unsigned PW = LW + 6;  // bits of a byte's place in a packet
  localparam int unsigned NW = 25 - PW;  // of a packet's number, and one more

  localparam logic [3:0] OK = fsh_spec_pkg::STATUS_OK;
  localparam logic [2:0] FETCH = fsh_coll_pkg::ITEM_FETCH;
  localparam logic [2:0] OWN = fsh_coll_pkg::ITEM_OWN;
  localparam logic [2:0] SOURCE = fsh_coll_pkg::ITEM_SOURCE;
  localparam logic [2:0] OUT = fsh_coll_pkg::ITEM_OUT;
  localparam logic [2:0] SETTLE = fsh_coll_pkg::ITEM_SETTLE;
  localparam logic [2:0] AHEAD = fsh_coll_pkg::ITEM_AHEAD;

  typedef enum logic [3:0] {
    Pick, Open, Load, Size, Begin, Wait, Judge, Ask, Answer, Drop, May, Tell, Hop, Next, Report
  } state_e;

  state_e state_q;
  // Contexts. What stands in memories is of the one chosen, in registers, from Size on.
  logic [CONTEXTS-1:0]   opened, begun, failed, looked, further;  // ahead (fsh_cahead)
  logic [CONTEXTS-1:0]   expired, asked;  // fsh_cwait
  logic                  granted;
  logic [3*CONTEXTS-1:0] at;  // item
  logic [fsh_coll_pkg::KEY_W*CONTEXTS-1:0] keys;
  logic [43+NW:0]        kept_rest;
  logic [511:0]          kept_desc, line;
  logic [CW-1:0]         c_q;
  logic [2:0]            item_q;
  fsh_spec_pkg::colldesc_t desc_q;
  logic [31:0]           addr_q;
  logic [NW-1:0]         packet_q;
  logic [4:0]            source_q;
  logic [3:0]            status_q;
  logic                  out_q;  // it ended on its way out
  logic                  ahead_q;  // what follows is looked at, its packets are claimed
  logic                  pulse_q;  // of this step only, up to target_q
  logic                  fed_q;    // that was done, or tried
  logic                  flip_q, next_flip, was_own_q, next_own;  // which half, of which memory
  logic                  rowing, wide, hops, goes_on;  // of what is claimed beside
  logic                  held, held_q;  // the step in front of it is to be written first
  logic                  fore_q;  // descriptors that are looked at next are asked for
  logic                  deep, deep_q, past_q;  // a look is for the step behind the next; is there
  logic                  near, far_row, stays;  // in Size
  logic                  lead, lead_q;  // the next step's first operand is asked for
  logic [CONTEXTS-1:0]   led_q;  // that was done

  // Whose turn it is.
  logic [CONTEXTS-1:0] able, now;
  logic [CW-1:0]       choice, vacant;
  logic [2:0]          chosen;
  logic                opens, some, writes;

  assign now         = CONTEXTS'(1) << c_q;
  assign run_ready_o = state_q == Pick && opened != '1;
  assign opens       = run_valid_i && run_ready_o;

  // The packet of the step that is in hand.
  logic        last_packet_q, last_source_q;
  logic [PW:0] bytes_q;
  logic [LW+2:0] lines_q;
  logic        has_own, sized, many, wild, here, then_, apart;  // fsh_ckeep
  logic [3:0]  row;
  assign has_own = desc_q.own || desc_q.given;

  // What is claimed before it is awaited.
  logic          pulses, reached, told_now, hopped, far, spare, all, early;
  logic [NW-1:0] claimed;

  fsh_cahead #(
      .CONTEXTS(CONTEXTS), .NW(NW), .PULSE(PULSE)
  ) i_ahead (
      .clk_i,
      .c_i           (c_q),
      .open_i        (state_q == Open),
      .step_i        (state_q == Judge && !ahead_q),
      .ahead_i       (ahead_q),
      .pulse_i       (pulse_q),
      .fed_i         (fed_q),
      .crowded_i,
      .many_i        (many),
      .some_i        (desc_q.count != '0),
      .tail_i        (desc_q.tail), .packet_i(packet_q),
      .first_source_i(source_q == '0), .last_source_i(last_source_q),
      .last_packet_i (last_packet_q),
      .take_i        (state_q == Size && sized),
      .answer_i      (state_q == Answer && look_done_i),
      .made_i        (look_i.made), .there_i(look_i.made || look_i.found),
      .hop_i         (hops),
      .out_i         (item_q == OUT),
      .rowed_i,
      .row_i         (row_o.start), .deep_i(deep_q),
      .far_o         (far_row), .further_o(further),
      .pulse_now_o   (pulses),
      .claimed_o     (claimed),
      .reached_o     (reached),
      .told_o        (told_now),
      .over_o        (hopped),
      .done_o        (far),
      .all_o         (all),
      .spare_o       (spare),
      .looked_o      (looked)
  );

  // Where the context goes on: written in Next.
  logic [2:0]    after;
  logic          quit, yields, step_over, starts;
  logic [31:0]   next_addr;
  logic [NW-1:0] next_packet;
  logic [4:0]    next_source;

  // Packets by key.
  logic [7:0]          source;
  logic [SW-1:0]       slot_q;
  logic [1:0]          gen_q;
  logic                odd;  // its sender believes in another length
  logic                eager_q;
  logic                spoilt;  // its operand could not be read
  fsh_coll_pkg::key_t  in_key, out_key;
  logic [3:0]          tell_q;

  assign odd = look_i.bytes[PW:0] != bytes_q;
  fsh_cabout #(
      .LW(LW), .NW(NW), .CW(CW), .SW(SW), .FP64(FP64)
  ) i_about (
      .clk_i,
      .size_i   (state_q == Size),
      .item_i   (item_q),
      .out_i    (item_q == OUT || out_q),
      .desc_i   (desc_q),
      .has_own_i(has_own),
      .addr_i   (addr_q),
      .packet_i (packet_q),
      .source_i (source_q),
      .context_i(c_q),
      .flip_i   (flip_q), .was_own_i(was_own_q),
      .row_i    (row),
      .begun_i  (begun[c_q]),
      .slot_i   (slot_q), .gen_i(gen_q), .eager_i(eager_q),
      .source_o (source),
      .in_key_o (in_key),
      .out_key_o(out_key),
      .move_o,
      .sized_o  (sized),
      .many_o   (many),
      .last_packet_o(last_packet_q),
      .last_source_o(last_source_q), .near_o(near),
      .failed_i    (status_q != OK),
      .step_over_i (step_over),
      .held_i      (held_q), .led_i(led_q[c_q]),
      .after_o     (after),
      .next_packet_o(next_packet),
      .next_source_o(next_source),
      .bytes_o  (bytes_q),
      .lines_o  (lines_q),
      .wild_o   (wild)
  );
  assign spoilt       = failed[c_q] && (item_q == SOURCE || item_q == OWN || item_q == AHEAD);
  assign move_valid_o = state_q == Begin && lines_q != '0 && !spoilt;
  assign starts       = move_valid_o && path_i.ready;
  assign look_valid_o = state_q == Ask;
  assign look_key_o   = in_key;
  assign look_spare_o = spare;
  assign may_valid_o  = state_q == May && desc_q.eager && !granted;
  assign may_index_o  = fsh_coll_pkg::eager_index(out_key.node, out_key.vp);
  assign tell_valid_o = state_q == Tell;
  assign tell_o.op    = tell_q;
  assign tell_o.key   = ahead_q ? in_key : keys[fsh_coll_pkg::KEY_W*c_q+:fsh_coll_pkg::KEY_W];
  assign drop_valid_o = state_q == Drop;
  assign drop_o       = move_o.packet;

  // The next descriptor follows at once if all is written, or it does not need that. Others get
  // the unit when a packet is through, or when this context has to wait.
  assign step_over = (settled_i[c_q] || then_) && !failed[c_q] && !desc_q.tail;
  assign held      = item_q == FETCH && !ahead_q && !settled_i[c_q] && !(here && apart);
  assign next_addr = held_q ? addr_q - 32'd1 : after == FETCH ? addr_q + 32'd1 : addr_q;
  assign next_flip = flip_q ^ (item_q == OUT && last_packet_q && !packet_q[0] && !desc_q.again);
  assign next_own  = item_q == OUT ? move_o.own : was_own_q;
  assign yields    = after == SETTLE ? !settled_i[c_q] :
                     item_q == OUT && (able & ~now) != '0;
  assign quit      = status_q != OK || failed[c_q] || desc_q.tail;

  // The next step is claimed when this one begins, if that is claimed, is long and there is room,
  // else where it waits or has sent its first packet: so those of the next do not wait for its end.
  // What is looked at is claimed beside, if it is one step with enough packets; descriptors behind
  // it are read meanwhile.
  assign rowing = rowed_i.busy && rowed_i.context_[CW-1:0] == c_q;
  assign stays  = (rowing && !ahead_q && ((item_q == FETCH && !far_row) || item_q == SETTLE)) ||
                  (path_i.fetching && (item_q == SETTLE || (item_q == FETCH && !here)));
  assign row_o  = {state_q == Judge && ahead_q && !wild && status_q == OK && desc_q.count == 5'd1 &&
                   source[7:fsh_coll_pkg::NODE_W] == '0 && wide && (past_q || !deep_q) && !lead_q,
                   8'(c_q), desc_q.bytes, desc_q.bfp, desc_q.tail};
  assign wide   = desc_q.bytes > (desc_q.bfp ? 24'(256 * fsh_coll_pkg::BFP_LINES) : 24'(4 << PW));
  assign goes_on = !desc_q.tail && (row_o.start ? !then_ : deep_q && !past_q && !wild &&
                                                          status_q == OK);
  assign hops   = state_q == Hop && (ahead_q || lead_q || !rowed_i.busy);

  assign early = many && desc_q.count <= 5'd1 && !looked[c_q] && !failed[c_q] && !expired[c_q] &&
                 after != FETCH && !rowing &&
                 (item_q != FETCH ? all || desc_q.count == '0 :
                  wide && (claimed == '1 || desc_q.count == '0) && !crowded_i && status_q == OK);

  // The next step's first operand is asked for when that of the last packet has been, if nothing
  // is to be written before it.
  assign lead  = item_q == AHEAD && lines_q == '0 && then_ && settled_i[c_q] && !desc_q.store &&
                 !desc_q.tail && !failed[c_q] && status_q == OK && !led_q[c_q];
  always_ff @(posedge clk_i) begin
    if (starts && lead_q) led_q <= led_q | now;
    if (state_q == Open || (state_q == Next && item_q == FETCH && !held_q)) led_q <= led_q & ~now;
  end
  // The step behind the next is looked at when this one nears its end, if there is room: grants
  // for it are there when their senders begin it.
  assign deep  = item_q == OUT && near && !last_packet_q && many && all && looked[c_q] &&
                 desc_q.count == 5'd1 && !further[c_q] && !failed[c_q] && status_q == OK &&
                 !crowded_i && !rowed_i.busy;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pick: begin
        c_q    <= opens ? vacant : choice;
        addr_q <= run_addr_i;
        item_q <= chosen;
        tell_q  <= fsh_spec_pkg::COLLMSG_GRANT;
        {ahead_q, pulse_q, fore_q, deep_q, past_q, lead_q} <= '0;
        if (some) state_q <= Load;
        if (opens) state_q <= Open;
      end
      Load: begin
        desc_q   <= kept_desc;
        {addr_q, packet_q, source_q, out_q, status_q, flip_q, was_own_q} <= kept_rest;
        fed_q    <= pulse_q;
        {ahead_q, pulse_q} <= '0;
        state_q  <= Size;
      end
      Size: if (item_q == FETCH && (here ? fore_q : path_i.fetching && (fore_q || past_q)))
        state_q <= Pick;
      else if (sized && !stays) begin
        state_q <= item_q == SOURCE ? Ask : item_q == OUT && desc_q.send ? May :
                   held ? Next : item_q == FETCH && here ? Judge : Begin;
        if (item_q == FETCH && here && !held) desc_q <= line;
        held_q <= held;
        if (item_q == OUT && path_i.loading) state_q <= Size;
        else if (item_q == OUT && failed[c_q]) state_q <= Next;
        eager_q <= 1'b0;
        if (expired[c_q] && !ahead_q) begin
          status_q <= fsh_spec_pkg::STATUS_TIMEOUT;
          if (item_q == OUT) {out_q, state_q} <= {1'b1, Next};
        end
        if (item_q == SOURCE && source[7:fsh_coll_pkg::NODE_W] != '0) begin
          status_q <= fsh_spec_pkg::STATUS_BAD_COMMAND;
          state_q  <= pulse_q ? Load : ahead_q ? Pick : Next;
        end else if (item_q == SOURCE && pulses && !expired[c_q] && !failed[c_q]) begin
          {ahead_q, pulse_q} <= '1;
          packet_q <= claimed > packet_q ? claimed : packet_q;
          state_q  <= Size;
        end
        if (item_q == SETTLE) state_q <= quit ? Report : Next;
        if (failed[c_q]) status_q <= fsh_spec_pkg::STATUS_MEMORY;
      end
      Begin: begin
        if (path_i.ready)
          state_q <= fore_q || past_q || lead_q ? Pick : item_q == FETCH ? Wait : Next;
        if (lines_q == '0 || spoilt) state_q <= lead_q ? Pick : item_q == SOURCE ? Drop : Next;
        if (spoilt) status_q <= fsh_spec_pkg::STATUS_MEMORY;
      end
      Wait: begin
        desc_q <= line;
        if (here || !path_i.fetching) state_q <= Judge;
        if (!path_i.fetching && !here) status_q <= fsh_spec_pkg::STATUS_MEMORY;
      end
      Judge: begin
        if (wild && status_q == OK) status_q <= fsh_spec_pkg::STATUS_BAD_COMMAND;
        state_q <= Next;
        if (ahead_q) begin
          item_q   <= SOURCE;
          packet_q <= '0;
          source_q <= '0;
          state_q  <= wild || status_q != OK || row_o.start || deep_q ? Pick :
                      lead_q ? (desc_q.own && !desc_q.given ? Size : Pick) :
                      desc_q.count == '0 ? Hop : Size;
          if (lead_q) item_q <= OWN;
          if (goes_on) begin
            {fore_q, past_q, item_q, state_q} <= {row_o.start, deep_q, FETCH, Size};
            addr_q <= addr_q + 32'd1;
          end
        end
      end
      Ask: if (look_ready_i) state_q <= Answer;
      Answer: if (look_done_i) begin
        slot_q  <= look_i.slot[SW-1:0];
        gen_q   <= look_i.gen;
        eager_q <= look_i.whole && look_i.eager;
        tell_q  <= fsh_spec_pkg::COLLMSG_GRANT;
        state_q <= look_i.made || (ahead_q && look_i.found) ? (told_now ? Tell : Hop) :
                   pulse_q ? Load : early && look_i.found ? Hop : Pick;
        if (look_i.whole && !ahead_q) state_q <= lines_q == '0 || odd ? Drop : Begin;
        if (look_i.whole && odd && !ahead_q) status_q <= fsh_spec_pkg::STATUS_BAD_LENGTH;
        // Given up: what was claimed for it is free again.
        if (expired[c_q] && !ahead_q) state_q <= look_i.found || look_i.made ? Drop : Next;
      end
      Drop: if (drop_ready_i) state_q <= Next;
      May: begin
        tell_q <= fsh_spec_pkg::COLLMSG_ASK;
        eager_q <= may_valid_o;
        if (goes) state_q <= Begin;
        else if (!may_valid_o || may_ready_i)
          state_q <= !asked[c_q] ? Tell : looked[c_q] || rowing ? Pick : Hop;
      end
      Tell: if (tell_ready_i)
        state_q <= ahead_q || early || (tell_q == fsh_spec_pkg::COLLMSG_ASK && !looked[c_q] &&
                   !rowing) ? Hop : Pick;
      Hop: if (hops) begin
        // The next source, packet or descriptor; after an ASK the next packet.
        state_q  <= Size;
        ahead_q  <= 1'b1;
        source_q <= source_q + 5'd1;
        if (!ahead_q || last_source_q || desc_q.count == '0) begin
          source_q <= '0;
          flip_q   <= flip_q ^ !packet_q[0];
          packet_q <= packet_q + 1'b1;
          item_q   <= SOURCE;
          if (pulse_q) begin
            if (reached) state_q <= Load;
          end else if (hopped) begin
            item_q <= FETCH;
            addr_q <= addr_q + 32'd1;
            if (far) state_q <= Pick;
          end
        end
      end
      Report:  if (end_ready_i) state_q <= Pick;
      Next: begin
        item_q   <= after;
        addr_q   <= next_addr;
        packet_q <= next_packet;
        source_q <= next_source;
        {flip_q, was_own_q} <= {next_flip, next_own};
        fed_q    <= 1'b0;
        deep_q   <= deep && !early;
        lead_q   <= lead;
        state_q  <= lead || ((item_q == OUT || item_q == FETCH) && early && !held_q) || deep ? Hop :
                    yields ? Pick : Size;
      end
      default: state_q <= Pick;  // Open
    endcase
    if (rst_i) state_q <= Pick;
  end

  assign writes = state_q == Next || state_q == Open;
  fsh_ckeep #(
      .CONTEXTS(CONTEXTS),
      .REST    (44 + NW)
  ) i_keep (
      .clk_i,
      .rst_i,
      .c_i     (c_q),
      .open_i  (state_q == Open),
      .close_i (state_q == Report && end_ready_i),
      .wrong_i,
      .opened_o(opened),
      .begun_o (begun),
      .failed_o(failed),
      .at_o    (at),
      .save_i  (writes),
      .at_i    (after),
      .step_i  (desc_q),
      .rest_i  ({state_q == Next ? next_addr : addr_q, next_packet, next_source,
                 state_q == Open ? 7'd0 : {out_q, status_q, next_flip, next_own}}),
      .step_o  (kept_desc),
      .rest_o  (kept_rest),
      .addr_i  (addr_q),
      .here_o  (here),
      .then_o  (then_),
      .apart_o (apart),
      .line_o  (line),
      .row_o   (row),
      .read_i  (starts && item_q == FETCH),
      .line_valid_i(path_i.fetched),
      .line_err_i,
      .line_i
  );

  logic missed, goes, vain;
  assign missed = state_q == Answer && look_done_i && !look_i.whole && !ahead_q;
  assign goes   = granted || (may_valid_o && may_ready_i && may_free_i);
  assign vain   = missed || (state_q == May && !goes && (!may_valid_o || may_ready_i));

  fsh_cwait #(
      .CONTEXTS(CONTEXTS)
  ) i_wait (
      .clk_i,
      .rst_i,
      .tick_i,
      .open_i    (opened),
      .at_i      (at),
      .settled_i,
      .take_i    (state_q == Pick && !opens), .now_i(now),
      .begin_i   (writes),
      .peek_i    (state_q == Judge && ahead_q && desc_q.send), .late_i(past_q),
      .step_i    (state_q == Judge && !ahead_q),
      .out_key_i (out_key),
      .key_we_i  ((state_q == Ask && !ahead_q) || state_q == May),
      .key_i     (item_q == OUT ? out_key : in_key),
      .vain_i    (vain),
      .asked_we_i(missed || (state_q == Tell && tell_q == fsh_spec_pkg::COLLMSG_ASK)),
      .asked_i   (state_q == Tell || look_i.found || look_i.made),
      .whole_valid_i,
      .whole_key_i,
      .freed_i,
      .looked_i  (looked),
      .note_valid_i,
      .note_i,
      .able_o    (able),
      .some_o    (some),
      .choice_o  (choice), .item_o(chosen),
      .vacant_o  (vacant),
      .expired_o (expired), .asked_o(asked),
      .granted_o (granted),
      .keys_o    (keys)
  );

  assign end_valid_o = state_q == Report;
  assign end_o = {desc_q.cookie, status_q, desc_q.seq,
                  status_q == fsh_spec_pkg::STATUS_TIMEOUT ? source : 8'd0};

  assign busy_o = state_q != Pick || able != '0 || rowed_i.busy || note_valid_i || written_i;

  `FSH_ASSERT(a_turn, state_q != Load || opened[c_q])
  `FSH_STABLE(end_valid_o, end_ready_i, end_o)
  `FSH_STABLE(look_valid_o, look_ready_i, look_key_o)
  `FSH_STABLE(tell_valid_o, tell_ready_i, tell_o)
endmodule

`default_nettype wire
