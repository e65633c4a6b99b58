// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Performance counters: for each event of PERF the cycle of the first and of
/// the last one, and how many; for the events that move payload a sum of bytes.
/// An event may happen more than once a cycle: step_i says how often (two bits
/// an event), add_i what to add for ACCEPT, REQ_HDR, REP_HDR and WRITTEN.
/// Registered inputs; a cycle number is that of the event itself. A read
/// (word_i: event and counter) is answered in the next cycle.
module fsh_perf (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic [47:0] cycle_i,
    input  wire logic        clear_i,
    input  wire logic [23:0] step_i,
    input  wire logic [95:0] add_i,
    input  wire logic        read_i,
    input  wire logic  [5:0] word_i,
    output logic      [63:0] data_o,
    output logic             busy_o
);
  localparam int unsigned N = fsh_spec_pkg::PERF_COUNT;
  localparam int unsigned SUMS = 4;

  logic [N*2-1:0]     step_q;
  logic [SUMS*24-1:0] add_q;
  logic [47:0]        cycle_q, data;
  (* mem2reg *) logic [47:0] first_q[N], last_q[N], count_q[N], sum_q[SUMS];
  logic [SUMS-1:0]    moves, adds;

  // Of the events with a sum: whether they happened, whether one is read.
  assign moves[0] = step_q[fsh_spec_pkg::PERF_ACCEPT*2+:2] != '0;
  assign moves[1] = step_q[fsh_spec_pkg::PERF_REQ_HDR*2+:2] != '0;
  assign moves[2] = step_q[fsh_spec_pkg::PERF_REP_HDR*2+:2] != '0;
  assign moves[3] = step_q[fsh_spec_pkg::PERF_WRITTEN*2+:2] != '0;
  assign adds[0]  = word_i[5:2] == fsh_spec_pkg::PERF_ACCEPT;
  assign adds[1]  = word_i[5:2] == fsh_spec_pkg::PERF_REQ_HDR;
  assign adds[2]  = word_i[5:2] == fsh_spec_pkg::PERF_REP_HDR;
  assign adds[3]  = word_i[5:2] == fsh_spec_pkg::PERF_WRITTEN;

  always_ff @(posedge clk_i) begin
    step_q  <= rst_i ? '0 : step_i;
    add_q   <= add_i;
    cycle_q <= cycle_i;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < N; e++) begin
      if (step_q[e*2+:2] != '0) begin
        if (count_q[e] == '0) first_q[e] <= cycle_q;
        last_q[e]  <= cycle_q;
        count_q[e] <= count_q[e] + {46'd0, step_q[e*2+:2]};
      end
    end
    for (int unsigned s = 0; s < SUMS; s++) begin
      if (moves[s]) sum_q[s] <= sum_q[s] + {24'd0, add_q[s*24+:24]};
    end
    if (rst_i || clear_i) begin
      for (int unsigned e = 0; e < N; e++) begin
        first_q[e] <= '0;
        last_q[e]  <= '0;
        count_q[e] <= '0;
      end
      for (int unsigned s = 0; s < SUMS; s++) sum_q[s] <= '0;
    end
  end

  always_comb begin
    data = '0;
    if (read_i) begin
      for (int unsigned e = 0; e < N; e++) begin
        if (word_i == {4'(e), 2'd0}) data = first_q[e];
        if (word_i == {4'(e), 2'd1}) data = last_q[e];
        if (word_i == {4'(e), 2'd2}) data = count_q[e];
      end
      for (int unsigned s = 0; s < SUMS; s++) begin
        if (adds[s] && word_i[1:0] == 2'd3) data = sum_q[s];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) data_o <= {16'd0, data};
  end

  assign busy_o = step_q != '0;
endmodule

`default_nettype wire
