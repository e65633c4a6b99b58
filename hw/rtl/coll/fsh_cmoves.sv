// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The moves of one part of fsh_cdata, one of which may wait (waits_o: waiting_o) while another
/// is under way: start_i while room_o. valid_o: move_o is next, which may be the one that
/// start_i brings; take_i: it begins. Reset: none.
module fsh_cmoves (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                start_i,
    input  wire fsh_coll_pkg::move_t move_i,
    output logic                     room_o,
    output logic                     valid_o,
    output fsh_coll_pkg::move_t      move_o,
    input  wire logic                take_i,
    output logic                     waits_o,
    output fsh_coll_pkg::move_t      waiting_o
);
  assign room_o  = !waits_o;
  assign valid_o = waits_o || start_i;
  assign move_o  = waits_o ? waiting_o : move_i;

  always_ff @(posedge clk_i) begin
    if (start_i) waiting_o <= move_i;
    waits_o <= valid_o && !take_i && !rst_i;
  end

  `FSH_ASSERT(a_room, !start_i || room_o)
  `FSH_ASSERT(a_take, !take_i || valid_o)
endmodule

`default_nettype wire
