// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Chooses among the contexts of a unit: in turns one that can go on (able_i), with its
/// item (at_i, three bits each); and one that is free. take_i: the choice is used.
/// Combinational.
module fsh_cpick #(
    parameter int unsigned CONTEXTS = 4,
    localparam int unsigned CW = $clog2(CONTEXTS)
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    input  wire logic   [CONTEXTS-1:0] able_i,
    input  wire logic   [CONTEXTS-1:0] open_i,
    input  wire logic [3*CONTEXTS-1:0] at_i,
    input  wire logic                  take_i,
    output logic                       some_o,
    output logic              [CW-1:0] choice_o,
    output logic                 [2:0] item_o,
    output logic              [CW-1:0] vacant_o
);
  logic [CONTEXTS-1:0] gnt;

  fsh_arb #(
      .N(CONTEXTS)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (able_i),
      .look_i(1'b1),
      .take_i,
      .gnt_o (gnt)
  );

  always_comb begin
    choice_o = '0;
    item_o   = '0;
    vacant_o = '0;
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (gnt[c]) choice_o |= CW'(c);
      if (gnt[c]) item_o |= at_i[3*c+:3];
      if (!open_i[c]) vacant_o = CW'(c);
    end
  end

  assign some_o = gnt != '0;
endmodule

`default_nettype wire
