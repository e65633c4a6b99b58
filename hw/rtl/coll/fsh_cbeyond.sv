// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What is claimed of each context's sequence beyond the step in hand (fsh_cahead), in a module of
/// its own since over_i comes late. looked_o: the next step, or what a look was to claim;
/// further_o: the step behind that, too; covered_o: the step in hand was, by a look before it.
/// c_i is the context in hand: open_i, step_i: it begins a sequence, a step; done_i: its look ends,
/// with the end of the sequence if tail_i. over_i: claims beside it end, for over_context_i, with
/// the end of the sequence if over_tail_i, for the step behind the next if deep_i. No reset: see
/// fsh_cahead.
module fsh_cbeyond #(
    parameter int unsigned CONTEXTS = 4,
    localparam int unsigned CW = $clog2(CONTEXTS)
) (
    input  wire logic                clk_i,
    input  wire logic       [CW-1:0] c_i,
    input  wire logic                open_i,
    input  wire logic                step_i,
    input  wire logic                done_i,
    input  wire logic                tail_i,
    input  wire logic                over_i,
    input  wire logic       [CW-1:0] over_context_i,
    input  wire logic                over_tail_i,
    input  wire logic                deep_i,
    output logic      [CONTEXTS-1:0] covered_o,
    output logic      [CONTEXTS-1:0] looked_o,
    output logic      [CONTEXTS-1:0] further_o
);
  logic [CONTEXTS-1:0] whole_q;   // the rest of the sequence is claimed
  logic [CONTEXTS-1:0] beyond_q;  // the step after the next one is claimed

  assign further_o = beyond_q | whole_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (c_i == CW'(c)) begin
        if (step_i)
          {covered_o[c], looked_o[c], beyond_q[c]} <= {looked_o[c], further_o[c], 1'b0};
        if (done_i) {whole_q[c], looked_o[c]} <= {tail_i, 1'b1};
        if (open_i) {whole_q[c], looked_o[c], beyond_q[c]} <= '0;
      end
      if (over_i && over_context_i == CW'(c)) begin
        whole_q[c] <= over_tail_i;
        if (deep_i) beyond_q[c] <= 1'b1;
        else looked_o[c] <= 1'b1;
      end
    end
  end
endmodule

`default_nettype wire
