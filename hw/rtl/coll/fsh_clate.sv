// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Jobs of eager teams that this node has given up: eager packets that still come for them are not
/// to be kept. A bit for each eager VP and each value of the lower JOB_W bits of a JobID, which
/// count the team's operations. gone_i: that of unit u, gone_i[u] with teams_i ({job, VP}), is set;
/// VPs that are not eager have none. begin_i: a sequence of unit u begins; then the job's own is no
/// longer set, nor are those of the quarter of the numbers opposite to its own. So one stays while
/// the team's next 16 operations begin here, at least, and is gone before its number comes again,
/// if one of any 16 begins here. rx_late_o: it is set for rx_key_i, combinational; peek_late_o: for
/// each of peek_keys_i. What is set and cleared in one cycle is set. Reset: none is.
module fsh_clate #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned LANES = 2,
    parameter int unsigned JOB_W = 6,
    localparam int unsigned TEAM_W = fsh_coll_pkg::TEAM_W
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_i,
    input  wire logic        [UNITS-1:0] gone_i,
    input  wire logic        [UNITS-1:0] begin_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic [UNITS*TEAM_W-1:0] teams_i,
    input  wire fsh_coll_pkg::key_t      rx_key_i,
    input  wire fsh_coll_pkg::key_t      held_key_i,
    input  wire logic [LANES*fsh_coll_pkg::KEY_W-1:0] peek_keys_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic                         rx_late_o,
    output logic                         held_late_o,
    output logic             [LANES-1:0] peek_late_o
);
  localparam int unsigned VPS = fsh_coll_pkg::EAGER_VPS;
  localparam int unsigned VW = $clog2(VPS);
  localparam int unsigned W = VW + JOB_W;

  logic [(1<<W)-1:0] late_q, set, clear;

  assign rx_late_o   = fsh_coll_pkg::eager_vp(rx_key_i.vp) &&
                       late_q[{rx_key_i.vp[VW-1:0], rx_key_i.job[JOB_W-1:0]}];
  assign held_late_o = fsh_coll_pkg::eager_vp(held_key_i.vp) &&
                       late_q[{held_key_i.vp[VW-1:0], held_key_i.job[JOB_W-1:0]}];

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    /* verilator lint_off UNUSEDSIGNAL */
    fsh_coll_pkg::key_t key;
    /* verilator lint_on UNUSEDSIGNAL */
    assign key = peek_keys_i[l*fsh_coll_pkg::KEY_W+:fsh_coll_pkg::KEY_W];
    assign peek_late_o[l] = fsh_coll_pkg::eager_vp(key.vp) &&
                            late_q[{key.vp[VW-1:0], key.job[JOB_W-1:0]}];
  end

  always_comb begin
    set   = '0;
    clear = '0;
    for (int unsigned u = 0; u < UNITS; u++) begin
      for (int unsigned i = 0; i < (1 << W); i++) begin
        if (fsh_coll_pkg::eager_vp(teams_i[u*TEAM_W+:11]) &&
            VW'(i >> JOB_W) == teams_i[u*TEAM_W+:VW]) begin
          if (JOB_W'(i) == teams_i[u*TEAM_W+11+:JOB_W]) begin
            if (gone_i[u]) set[i] = 1'b1;
            if (begin_i[u]) clear[i] = 1'b1;
          end
          if (2'(i >> (JOB_W - 2)) == (teams_i[u*TEAM_W+11+JOB_W-2+:2] ^ 2'd2) && begin_i[u])
            clear[i] = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    late_q <= (late_q & ~clear) | set;
    if (rst_i) late_q <= '0;
  end

`ifdef FORMAL
`include "fsh_clate_formal.svh"
`endif
endmodule

`default_nettype wire
