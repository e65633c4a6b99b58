// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What the contexts of a unit wait for: each for one packet at most, to come (source_i)
/// or to be allowed to go (out_i), whose key it has given (key_we_i, of context now_i).
/// try_o: its item may be looked at, for it has just begun, or something has come since
/// it was in vain (vain_i): the packet; a free slot, if it got none; the grant, or what may
/// give back the eager packet of its peer. asked_o: who is to send it or to take it has been
/// told; granted_o: the packet may go. expired_o: in vain at three pulses of tick_i. All
/// but keys_o change a cycle after the cause. No reset: who begins has none of it.
module fsh_cwait #(
    parameter int unsigned CONTEXTS = 4
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                tick_i,
    input  wire logic [CONTEXTS-1:0] open_i,
    input  wire logic [CONTEXTS-1:0] source_i,
    input  wire logic [CONTEXTS-1:0] out_i,
    // The context in hand, one-hot, and what befalls it.
    input  wire logic [CONTEXTS-1:0] now_i,
    input  wire logic                begin_i,
    input  wire logic                key_we_i,
    input  wire fsh_coll_pkg::key_t  key_i,
    input  wire logic                vain_i,
    input  wire logic                asked_we_i,
    input  wire logic                asked_i,
    // What comes.
    input  wire logic                whole_valid_i,
    input  wire fsh_coll_pkg::key_t  whole_key_i,
    input  wire logic                freed_i,
    input  wire logic                note_valid_i,
    input  wire fsh_coll_pkg::note_t note_i,
    output logic      [CONTEXTS-1:0] try_o,
    output logic      [CONTEXTS-1:0] expired_o,
    output logic      [CONTEXTS-1:0] asked_o,
    output logic      [CONTEXTS-1:0] granted_o,
    output logic [CONTEXTS*fsh_coll_pkg::KEY_W-1:0] keys_o
);
  localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W;
  logic grant, consumed;

  assign grant    = note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_GRANT;
  assign consumed = note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_CONSUMED;

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_context
    logic [KEY_W-1:0] key_q;
    logic [1:0]       late_q;
    logic             whole, meant;

    assign keys_o[c*KEY_W+:KEY_W] = key_q;
    assign whole = whole_valid_i && key_q == whole_key_i && source_i[c];
    assign meant = key_q == note_i.key && open_i[c] && asked_o[c];

    always_ff @(posedge clk_i) begin
      if (key_we_i && now_i[c]) key_q <= key_i;
      if (tick_i && (source_i[c] || out_i[c]) && !try_o[c]) begin
        if (late_q == 2'd2) expired_o[c] <= 1'b1;
        else late_q <= late_q + 1'b1;
      end
      if (now_i[c]) begin
        if (asked_we_i) asked_o[c] <= asked_i;
        if (vain_i) try_o[c] <= 1'b0;
        if (begin_i) begin
          late_q       <= '0;
          expired_o[c] <= 1'b0;
          asked_o[c]   <= 1'b0;
          granted_o[c] <= 1'b0;
          try_o[c]     <= 1'b1;
        end
      end
      // Also what comes in the very cycle in which it was not there.
      if (whole || (freed_i && source_i[c] && !asked_o[c]) || (consumed && out_i[c]))
        try_o[c] <= 1'b1;
      if (grant && meant && out_i[c]) {granted_o[c], try_o[c]} <= 2'b11;
    end
  end

  `FSH_ASSERT(a_begin, !(begin_i && (vain_i || asked_we_i)))
endmodule

`default_nettype wire
