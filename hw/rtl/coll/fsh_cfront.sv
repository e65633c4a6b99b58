// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// A register between a receiver, which runs on the clock of the node, and the collective
/// engine's tap (fsh_ctap): of beats that may be of a packet for the engine (beat_i.step),
/// a cycle later. valid_o wakes the engine. Reset: no beat.
module fsh_cfront (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire fsh_fn_pkg::coll_beat_t beat_i,
    input  wire logic [127:0] data_i,
    output logic              valid_o,
    output logic              mine_o,
    output logic              sop_o,
    output logic              last_o,
    output logic              bad_o,
    output logic      [127:0] data_o
);
  assign mine_o = beat_i.mine;

  always_ff @(posedge clk_i) begin
    if (beat_i.step) begin
      {sop_o, last_o, bad_o} <= {beat_i.sop, beat_i.last, beat_i.bad};
      data_o                 <= data_i;
    end
    valid_o <= beat_i.step;
    if (rst_i) valid_o <= 1'b0;
  end
endmodule

`default_nettype wire
