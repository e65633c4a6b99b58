// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Packets that go without a grant, by peer and eager team: which of those that this node
/// may send are on their way (may_*: units ask, one is answered a cycle, and what is free
/// is taken; back_*: it is consumed), and which wait here (rx_twice_o: one of that peer and
/// team does; rx_holds_i: now it does; told_*: not any more). Answers are combinational.
/// Those of jobs that were given up (gone_*, taken while calm_i: no packet is being looked up;
/// begin_i, teams_i: fsh_clate) are not to be kept (rx_late_o: of rx_key_i, lost_late_o: of
/// lost_key_i); with lost_i, a pulse, that of lost_key_i was not, and its sender is told that it
/// may send the next (tell_*, CONSUMED). As many wait for that as may be under way to a node.
/// peek_open_o, registers: an eager packet of peek_keys_i would be kept, as of a cycle ago; not
/// in the cycle after a job was given up. Reset: none.
module fsh_ceager #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned LANES = 2,
    localparam int unsigned W = fsh_coll_pkg::EAGER_W,
    localparam int unsigned TEAM_W = fsh_coll_pkg::TEAM_W
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic   [UNITS-1:0] may_valid_i,
    output logic        [UNITS-1:0] may_ready_o,
    input  wire logic [UNITS*W-1:0] may_index_i,
    output logic                    may_free_o,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic               back_valid_i,
    input  wire fsh_coll_pkg::key_t back_key_i,
    input  wire fsh_coll_pkg::key_t rx_key_i,
    output logic                    rx_twice_o,
    input  wire logic               rx_holds_i,
    input  wire logic               told_valid_i,
    input  wire fsh_coll_pkg::key_t told_key_i,
    input  wire logic [LANES*fsh_coll_pkg::KEY_W-1:0] peek_keys_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic        [LANES-1:0] peek_open_o,
    input  wire logic               calm_i,
    input  wire logic   [UNITS-1:0] gone_valid_i,
    output logic                    gone_ready_o,
    input  wire logic   [UNITS-1:0] begin_i,
    input  wire logic [UNITS*TEAM_W-1:0] teams_i,
    output logic                    rx_late_o,
    input  wire logic               lost_i,
    input  wire fsh_coll_pkg::key_t lost_key_i,
    output logic                    lost_late_o,
    output logic                    tell_valid_o,
    input  wire logic               tell_ready_i,
    output fsh_coll_pkg::note_t     tell_o
);
  logic [(1<<W)-1:0] sent_q, held_q;
  logic  [UNITS-1:0] free;
  logic  [LANES-1:0] open, peek_late;
  logic      [W-1:0] back_index, rx_index, told_index;

  assign back_index = fsh_coll_pkg::eager_index(back_key_i.node, back_key_i.vp);
  assign rx_index   = fsh_coll_pkg::eager_index(rx_key_i.node, rx_key_i.vp);
  assign told_index = fsh_coll_pkg::eager_index(told_key_i.node, told_key_i.vp);
  assign rx_twice_o = held_q[rx_index];
  assign may_free_o = (may_ready_o & free) != '0;

  fsh_arb #(
      .N(UNITS)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (may_valid_i),
      .look_i(1'b1),
      .take_i(1'b1),
      .gnt_o (may_ready_o)
  );

  // What each asks for is looked up, and decoded, beside the choice of a unit, not behind it.
  always_comb
    for (int unsigned u = 0; u < UNITS; u++) free[u] = !sent_q[may_index_i[u*W+:W]];

  always_ff @(posedge clk_i) begin
    for (int unsigned u = 0; u < UNITS; u++)
      if (may_ready_o[u]) sent_q[may_index_i[u*W+:W]] <= 1'b1;
    if (back_valid_i && fsh_coll_pkg::eager_vp(back_key_i.vp)) sent_q[back_index] <= 1'b0;
    if (told_valid_i) held_q[told_index] <= 1'b0;
    if (rx_holds_i) held_q[rx_index] <= 1'b1;
    if (rst_i) begin
      sent_q <= '0;
      held_q <= '0;
    end
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    /* verilator lint_off UNUSEDSIGNAL */
    fsh_coll_pkg::key_t key;
    /* verilator lint_on UNUSEDSIGNAL */
    assign key = peek_keys_i[l*fsh_coll_pkg::KEY_W+:fsh_coll_pkg::KEY_W];
    assign open[l] = fsh_coll_pkg::eager_vp(key.vp) && !peek_late[l] &&
                     !held_q[fsh_coll_pkg::eager_index(key.node, key.vp)];
  end

  always_ff @(posedge clk_i) peek_open_o <= calm_i && gone_valid_i != '0 ? '0 : open;

  assign gone_ready_o = calm_i;
  fsh_clate #(
      .UNITS(UNITS),
      .LANES(LANES)
  ) i_late (
      .clk_i,
      .rst_i,
      .gone_i     (gone_valid_i & {UNITS{calm_i}}),
      .begin_i,
      .teams_i,
      .rx_key_i,
      .held_key_i (lost_key_i),
      .peek_keys_i,
      .rx_late_o,
      .held_late_o(lost_late_o),
      .peek_late_o(peek_late)
  );

  assign tell_o.op = fsh_spec_pkg::COLLMSG_CONSUMED;
  /* verilator lint_off PINCONNECTEMPTY */
  fsh_fifo #(
      .WIDTH(fsh_coll_pkg::KEY_W),
      .DEPTH(1 << $clog2(fsh_spec_pkg::COLL_EAGER))
  ) i_lost (
      .clk_i,
      .rst_i,
      .valid_i(lost_i),
      .ready_o(),
      .data_i (lost_key_i),
      .valid_o(tell_valid_o),
      .ready_i(tell_ready_i),
      .data_o (tell_o.key),
      .count_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */
endmodule

`default_nettype wire
