// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Claims the packets of a step that a context has looked at, beside the items of the step in
/// hand: all of one source, from the first on (row_i.start, which may be while rowed_o.busy is low;
/// key_i of its packet 0; that one may take the reserve with spare_i). Every fourth is told
/// (GRANT), the last, and the first that was not claimed before. It ends at one that finds no
/// slot, or with rowed_o.over, a pulse: all are claimed. rowed_o has the context and what it is
/// told of the tail. Eight or nine cycles a packet. Valid signals depend on registers only. Reset:
/// none under way.
module fsh_crow #(
    parameter int unsigned LINES = 16,
    localparam int unsigned NW = 19 - $clog2(LINES)
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire fsh_coll_pkg::row_t row_i,
    input  wire fsh_coll_pkg::key_t key_i,
    input  wire logic               spare_i,
    output logic                    look_valid_o,
    input  wire logic               look_ready_i,
    output fsh_coll_pkg::key_t      look_key_o,
    output logic                    look_spare_o,
    input  wire logic               look_done_i,
    input  wire logic               look_made_i,
    input  wire logic               look_found_i,
    output logic                    tell_valid_o,
    input  wire logic               tell_ready_i,
    output fsh_coll_pkg::note_t     tell_o,
    output fsh_coll_pkg::rowed_t    rowed_o
);
  typedef enum logic [2:0] {
    Idle,
    Size,
    Ask,
    Answer,
    Tell
  } state_e;

  state_e             state_q;
  fsh_coll_pkg::key_t key_q;
  logic      [NW-1:0] packet_q;
  logic         [7:0] context_q;
  logic               sized, last, fresh_q, told, next;
  fsh_spec_pkg::colldesc_t step_q;

  // What of the step says where it ends.
  fsh_csize #(
      .LINES(LINES)
  ) i_size (
      .clk_i,
      .size_i       (state_q == Size),
      .item_i       (fsh_coll_pkg::ITEM_SOURCE),
      .desc_i       (step_q),
      .packet_i     (packet_q),
      .source_i     ('0),
      .row_i        ('0),
      .ready_o      (sized),
      .first_o      (),
      .many_o       (),
      .last_packet_o(last),
      .last_source_o(),
      .near_o       (),
      .bytes_o      (),
      .lines_o      (),
      .tail_o       ()
  );

  always_comb begin
    look_key_o        = key_q;
    look_key_o.number = 8'(packet_q);
  end

  assign look_valid_o = state_q == Ask;
  assign tell_valid_o = state_q == Tell;
  assign tell_o       = {fsh_spec_pkg::COLLMSG_GRANT, look_key_o};
  assign told         = packet_q[1:0] == '1 || last || (look_made_i && fresh_q);
  assign next         = state_q == Tell ? tell_ready_i :
                        state_q == Answer && look_done_i && (look_made_i || look_found_i) && !told;
  assign rowed_o      = {state_q != Idle, next && last, context_q, step_q.tail};

  always_ff @(posedge clk_i) begin
    if (row_i.start) begin
      context_q    <= row_i.context_;
      key_q        <= key_i;
      step_q       <= '0;
      step_q.bytes <= row_i.bytes;
      step_q.bfp   <= row_i.bfp;
      step_q.tail  <= row_i.tail;
      packet_q     <= '0;
      look_spare_o <= spare_i;
      fresh_q      <= 1'b1;
    end else if (look_done_i && state_q == Answer) begin
      look_spare_o <= 1'b0;
      if (look_made_i) fresh_q <= 1'b0;
    end
    if (next) packet_q <= packet_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle:    if (row_i.start) state_q <= Size;
      Size:    if (sized) state_q <= Ask;
      Ask:     if (look_ready_i) state_q <= Answer;
      Answer:  if (look_done_i) state_q <= look_made_i || look_found_i ? Tell : Idle;
      default: ;
    endcase
    if (next) state_q <= last ? Idle : Size;
    if (rst_i) state_q <= Idle;
  end

  `FSH_ASSERT(a_start, !(row_i.start && state_q != Idle))
  `FSH_STABLE(look_valid_o, look_ready_i, look_key_o)
  `FSH_STABLE(tell_valid_o, tell_ready_i, tell_o)
endmodule

`default_nettype wire
