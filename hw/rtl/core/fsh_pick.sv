// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Which sequencers one command takes: none (not ready), one, or both (a
/// message cut over both ports). Combinational.
module fsh_pick (
    input  wire logic         [7:0] node_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic         [1:0] mask_i,    // ports that reach the target
    input  wire logic         [1:0] ready_i,   // sequencers that have a free context
    input  wire logic               prefer_i,  // port to try first
    input  wire logic               whole_i,   // must not be cut
    input  wire fsh_spec_pkg::cmd_t cmd_i,
    output logic              [1:0] take_o,
    output logic                    loop_o,
    output logic                    stripe_o
);
  logic [1:0] mask, first;

  assign loop_o   = cmd_i.dst == node_i;
  assign mask     = loop_o ? 2'b01 : mask_i;
  assign stripe_o = mask == 2'b11 && cmd_i.length > {13'd0, packet_i} && !cmd_i.ordered &&
                    cmd_i.opcode != fsh_spec_pkg::OP_GET &&
                    cmd_i.lspace != fsh_spec_pkg::SPACE_INLINE && !whole_i;
  assign first    = mask & (cmd_i.ordered || !prefer_i ? 2'b01 : 2'b10);

  always_comb begin
    if (stripe_o) take_o = {2{&ready_i}};
    else if (cmd_i.ordered) take_o = (mask & ready_i) & (mask[0] ? 2'b01 : 2'b10);
    else if ((first & ready_i) != '0) take_o = first;
    else take_o = mask & ready_i & {!(mask[0] & ready_i[0]), 1'b1};
  end
endmodule

`default_nettype wire
