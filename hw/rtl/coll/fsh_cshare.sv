// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Which unit takes the next sequence: of those that have the fewest, one that can (ready_i), in
/// turns; gnt_o is one-hot among these, or zero. So two sequences that wait for each other's
/// packets, as the directions of a ring do, share no unit while another has fewer. take_i: it takes
/// one, if there is a grant; ended_i: units that end one, which is none of a unit without. gnt_o
/// depends on registers and ready_i. Reset: no sequence, unit 0 first.
module fsh_cshare #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned CONTEXTS = 4  // sequences of a unit, at most
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic [UNITS-1:0] ready_i,
    input  wire logic             take_i,
    input  wire logic [UNITS-1:0] ended_i,
    output logic      [UNITS-1:0] gnt_o
);
  localparam int unsigned CW = $clog2(CONTEXTS + 1);
  logic    [CW-1:0] has_q[UNITS];
  logic [UNITS-1:0] fewest;

  always_comb begin
    fewest = '1;
    for (int unsigned u = 0; u < UNITS; u++)
      for (int unsigned v = 0; v < UNITS; v++) if (has_q[v] < has_q[u]) fewest[u] = 1'b0;
  end

  fsh_arb #(
      .N(UNITS)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (ready_i & fewest),
      .look_i(1'b1),
      .take_i,
      .gnt_o
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned u = 0; u < UNITS; u++) begin
      if ((take_i && gnt_o[u]) != ended_i[u])
        has_q[u] <= ended_i[u] ? has_q[u] - 1'b1 : has_q[u] + 1'b1;
      if (rst_i) has_q[u] <= '0;
    end
  end

  for (genvar u = 0; u < UNITS; u++) begin : gen_unit
    `FSH_ASSERT(a_ended, !ended_i[u] || has_q[u] != '0)
    `FSH_ASSERT(a_room, !(take_i && gnt_o[u]) || has_q[u] < CW'(CONTEXTS))
  end
endmodule

`default_nettype wire
