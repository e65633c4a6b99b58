// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Performance counters: for each event of PERF the cycle of the first and of
/// the last one, how many, and a sum (of bytes). An event may happen more than
/// once a cycle: step_i says how often, add_i what to add. Registered inputs;
/// a cycle number is that of the event itself. A read is answered in the next
/// cycle.
module fsh_perf #(
    parameter int unsigned N = 12
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic      [47:0] cycle_i,
    input  wire logic             clear_i,
    input  wire logic   [N*2-1:0] step_i,
    input  wire logic  [N*24-1:0] add_i,
    input  wire logic       [5:0] word_i,
    output logic           [63:0] data_o,
    output logic                  busy_o
);
  logic [N*2-1:0]  step_q;
  logic [N*24-1:0] add_q;
  logic [47:0]     cycle_q, data;
  logic [N*192-1:0] state;

  always_ff @(posedge clk_i) begin
    step_q  <= rst_i ? '0 : step_i;
    add_q   <= add_i;
    cycle_q <= cycle_i;
  end

  for (genvar e = 0; e < N; e++) begin : gen_event
    logic [47:0] first_q, last_q, count_q, sum_q;

    always_ff @(posedge clk_i) begin
      if (step_q[e*2+:2] != '0) begin
        if (count_q == '0) first_q <= cycle_q;
        last_q  <= cycle_q;
        count_q <= count_q + {46'd0, step_q[e*2+:2]};
        sum_q   <= sum_q + {24'd0, add_q[e*24+:24]};
      end
      if (rst_i || clear_i) begin
        first_q <= '0;
        last_q  <= '0;
        count_q <= '0;
        sum_q   <= '0;
      end
    end

    assign state[e*192+:192] = {sum_q, count_q, last_q, first_q};
  end

  always_comb begin
    data = '0;
    for (int unsigned i = 0; i < N * 4; i++) begin
      if (word_i == 6'(i)) data = state[i*48+:48];
    end
  end

  always_ff @(posedge clk_i) data_o <= {16'd0, data};

  assign busy_o = step_q != '0;
endmodule

`default_nettype wire
