// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Counters of the collective engine (COLLPERF of the specification): what became of packets
/// (fate_i, malformed_i: pulses), how many whole ones the buffer has, the most, and how long
/// they stayed: cycles of leaving less those of coming, so nothing is added in cycles in
/// which nothing happens. A simulator may thus leave them out.
/// A read (word_i: COLLPERF) is answered by a pulse two cycles later. A clear takes along
/// what happens in its own cycle. busy_o: a read or a clear is under way.
module fsh_ctally #(
    parameter int unsigned LANES = 2
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic      [47:0] cycle_i,
    input  wire fsh_coll_pkg::fate_t fate_i,
    input  wire logic [LANES-1:0] malformed_i,
    input  wire logic             clear_i,
    input  wire logic             read_i,
    input  wire logic       [3:0] word_i,
    output logic                  valid_o,
    output logic           [47:0] data_o,
    output logic                  busy_o
);
  localparam int unsigned W = 32;  // bits of a counter
  localparam int unsigned LEVEL_W = 8;
  logic       [W-1:0] kept_q, unclaimed_q, twice_q, eager_q, full_q, stale_q, malformed_q;
  logic [LEVEL_W-1:0] level_q, peak_q;
  logic        [47:0] sum_q, data;
  logic               read_q;
  logic         [3:0] word_q;

  always_ff @(posedge clk_i) begin
    kept_q      <= kept_q + W'(fate_i.kept);
    unclaimed_q <= unclaimed_q + W'(fate_i.unclaimed);
    twice_q     <= twice_q + W'(fate_i.twice);
    eager_q     <= eager_q + W'(fate_i.eager);
    full_q      <= full_q + W'(fate_i.full);
    stale_q     <= stale_q + W'(fate_i.stale);
    malformed_q <= malformed_q + W'($countones(malformed_i));
    if (level_q > peak_q) peak_q <= level_q;
    if (rst_i || clear_i) begin
      kept_q      <= '0;
      unclaimed_q <= '0;
      twice_q     <= '0;
      eager_q     <= '0;
      full_q      <= '0;
      stale_q     <= '0;
      malformed_q <= '0;
      peak_q      <= level_q;
    end
    if (fate_i.kept) begin
      level_q <= level_q + LEVEL_W'(1);
      sum_q   <= sum_q - cycle_i;
    end
    if (fate_i.gone) begin
      level_q <= level_q - LEVEL_W'(1);
      sum_q   <= sum_q + cycle_i;
    end
    if (rst_i) begin
      level_q <= '0;
      peak_q  <= '0;
      sum_q   <= '0;
    end
  end

  always_comb begin
    unique case (word_q)
      fsh_spec_pkg::COLLPERF_KEPT: data = 48'(kept_q);
      fsh_spec_pkg::COLLPERF_UNCLAIMED: data = 48'(unclaimed_q);
      fsh_spec_pkg::COLLPERF_DUPLICATE: data = 48'(twice_q);
      fsh_spec_pkg::COLLPERF_EAGER: data = 48'(eager_q);
      fsh_spec_pkg::COLLPERF_FULL: data = 48'(full_q);
      fsh_spec_pkg::COLLPERF_STALE: data = 48'(stale_q);
      fsh_spec_pkg::COLLPERF_MALFORMED: data = 48'(malformed_q);
      fsh_spec_pkg::COLLPERF_LEVEL: data = 48'(level_q);
      fsh_spec_pkg::COLLPERF_PEAK: data = 48'(peak_q);
      fsh_spec_pkg::COLLPERF_SUM: data = sum_q;
      default: data = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (read_i) word_q <= word_i;
    if (read_q) data_o <= data;
    read_q  <= read_i && !rst_i;
    valid_o <= read_q && !rst_i;
  end

  // The peak follows the level by a cycle.
  assign busy_o = clear_i || read_i || read_q || valid_o || level_q > peak_q;

  `FSH_ASSERT(a_one, !(fate_i.kept && fate_i.gone))
  `FSH_ASSERT(a_some, !fate_i.gone || level_q != '0)
endmodule

`default_nettype wire
