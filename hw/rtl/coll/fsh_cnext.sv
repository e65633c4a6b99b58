// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What comes after an item of a step (fsh_coll_pkg::ITEM_*): the next one, of which packet,
/// of which source. What a sequence failed at stays, for its end to tell. step_over_i: the
/// next descriptor may follow at once; held_i: it may not, now that it is known. The local
/// operand of a packet is asked for before the items of the one in front of it. Combinational.
module fsh_cnext #(
    parameter int unsigned NW = 15
) (
    input  wire logic    [2:0] item_i,
    input  wire logic          has_own_i,
    input  wire logic          has_sources_i,
    input  wire logic          failed_i,
    input  wire logic          last_packet_i,
    input  wire logic          last_source_i,
    input  wire logic          step_over_i,
    input  wire logic          held_i,
    input  wire logic          led_i,     // the operand of the first packet was asked for
    input  wire logic [NW-1:0] packet_i,
    input  wire logic    [4:0] source_i,
    output logic         [2:0] after_o,
    output logic      [NW-1:0] packet_o,
    output logic         [4:0] source_o
);
  logic [2:0] rest;  // of a packet, its local operand aside

  always_comb begin
    rest     = has_sources_i ? fsh_coll_pkg::ITEM_SOURCE : fsh_coll_pkg::ITEM_OUT;
    after_o  = fsh_coll_pkg::ITEM_FETCH;
    packet_o = packet_i;
    source_o = '0;
    unique case (item_i)
      fsh_coll_pkg::ITEM_FETCH: begin
        packet_o = '0;
        after_o  = !has_own_i ? rest : led_i ? fsh_coll_pkg::ITEM_AHEAD : fsh_coll_pkg::ITEM_OWN;
        if (held_i) after_o = fsh_coll_pkg::ITEM_SETTLE;
      end
      fsh_coll_pkg::ITEM_OWN:   after_o = last_packet_i ? rest : fsh_coll_pkg::ITEM_AHEAD;
      fsh_coll_pkg::ITEM_AHEAD: after_o = rest;
      fsh_coll_pkg::ITEM_SOURCE: begin
        source_o = source_i + 5'd1;
        after_o  = last_source_i ? fsh_coll_pkg::ITEM_OUT : fsh_coll_pkg::ITEM_SOURCE;
      end
      fsh_coll_pkg::ITEM_OUT: begin
        packet_o = packet_i + 1'b1;
        after_o  = !last_packet_i ? (has_own_i ? fsh_coll_pkg::ITEM_AHEAD : rest) :
                   step_over_i ? fsh_coll_pkg::ITEM_FETCH : fsh_coll_pkg::ITEM_SETTLE;
      end
      default: ;
    endcase
    if (failed_i) begin
      after_o  = fsh_coll_pkg::ITEM_SETTLE;
      source_o = source_i;
    end
  end
endmodule

`default_nettype wire
