// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Credit accounts of a link at the sender. The receiver has room for BEATS beats, of
/// which OWN belong to each virtual channel, and the rest to whoever needs it: so a
/// channel that stands never keeps another from going on, and one that goes alone has
/// nearly all. The last KEPT of the shared ones are for short packets, so that those do not
/// wait for credit behind long ones; unless close_i. Both sides count beats by channel: what
/// was sent or reserved here, what the receiver has freed (absolute counts: late or twice does
/// no harm). The sequencer reserves whole packets (take_i), at most one in three cycles, two
/// cycles after it saw short_o; all others are counted as they leave (sent_i), at most a beat a
/// cycle. short_o and long_o: a packet of the class may begin; long_o implies short_o. They are
/// registers and leave room for whatever may be decided before it shows: two packets of the
/// sequencer, MAX beats each, and OTHERS beats of the rest: for each source of packets its
/// longest one, and 4 for those that leave meanwhile. Three cycles from take_i or
/// credit_valid_i to either, two from sent_i, one from close_i.
module fsh_credits #(
    parameter int unsigned VCS = 4,
    parameter int unsigned BEATS = 2000,
    parameter int unsigned OWN = 320,
    parameter int unsigned KEPT = 118,
    parameter int unsigned MAX = 36,  // of a packet of the sequencer
    parameter int unsigned OTHERS = 160
) (
    input  wire logic              clk_i,
    input  wire logic              rst_i,
    input  wire logic              credit_valid_i,
    input  wire logic [VCS*16-1:0] credit_i,
    input  wire logic    [VCS-1:0] take_i,
    input  wire logic        [6:0] beats_i,
    input  wire logic    [VCS-1:0] sent_i,
    input  wire logic              close_i,
    output logic         [VCS-1:0] short_o,
    output logic         [VCS-1:0] long_o
);
  localparam int unsigned W = $clog2(BEATS) + 1;  // counts modulo twice the depth
  localparam int unsigned SHARED = BEATS - VCS * OWN;
  localparam int unsigned MARGIN = 2 * MAX + OTHERS;
  localparam int unsigned SUM_W = W + $clog2(VCS);

  logic [VCS*W-1:0]     freed_q, used_q, over_q;  // over: what is not its own
  logic [VCS-1:0]       own_q, short_q, long_q;
  logic [VCS*W-1:0]     over_d /*verilator split_var*/;
  logic [VCS-1:0]       own_d /*verilator split_var*/;
  logic [SUM_W-1:0]     over;
  logic                 shared, common;  // there are shared ones for short packets; for all
`ifdef FSH_ASSERT_ON
  logic [VCS-1:0]       full;
`endif

  always_comb begin
    over = '0;
    for (int unsigned v = 0; v < VCS; v++) over = over + SUM_W'(over_q[v*W+:W]);
  end

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    logic [W-1:0] used, in_flight, extra;

    assign used      = used_q[v*W+:W] + W'(sent_i[v]);
    assign in_flight = used - freed_q[v*W+:W];
    assign extra     = in_flight - W'(OWN);
    assign over_d[v*W+:W] = in_flight > W'(OWN) ? extra : '0;
    assign own_d[v]       = in_flight <= W'(OWN - MARGIN);
`ifdef FSH_ASSERT_ON
    assign full[v] = in_flight > W'(BEATS);
`endif

    always_ff @(posedge clk_i) begin
      if (credit_valid_i) freed_q[v*W+:W] <= credit_i[v*16+:W];
      if (take_i[v] || sent_i[v])
        used_q[v*W+:W] <= used + (take_i[v] ? W'(beats_i) : '0);
      if (rst_i) begin
        freed_q[v*W+:W] <= '0;
        used_q[v*W+:W]  <= '0;
      end
    end
  end

  assign common = over <= SUM_W'(SHARED - MARGIN - KEPT);
  assign shared = over <= SUM_W'(SHARED - MARGIN);

  always_ff @(posedge clk_i) begin
    over_q  <= over_d;
    own_q   <= own_d;
    short_q <= own_q | {VCS{common || (shared && !close_i)}};
    long_q  <= own_q | {VCS{common}};
    if (rst_i) {over_q, own_q, short_q, long_q} <= '0;
  end

  assign short_o = short_q;
  assign long_o  = long_q;

  `FSH_ASSERT(assert_bound, full == '0)
  `FSH_ASSERT(assert_shared, over <= SUM_W'(SHARED))
`ifdef FORMAL
`include "fsh_credits_formal.svh"
`endif
endmodule

`default_nettype wire
