// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Performance counters: for each event of PERF the cycles of the first and the last one and
/// their count; for events that move payload also the sum of bytes. An event may happen several
/// times per cycle: step_i is its count (three bits per event), add_i the bytes for ACCEPT,
/// REQ_HDR, REP_HDR and WRITTEN, 32 bits each. Both arrive one cycle after the event; the
/// recorded cycle is that of the event itself. A read (word_i: event and counter) is answered in
/// the next cycle.
module fsh_perf #(
    parameter int unsigned PORTS = 2  // events of further ports are not counted
) (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic [47:0] cycle_i,
    input  wire logic        clear_i,
    input  wire logic [fsh_spec_pkg::PERF_COUNT*3-1:0] step_i,
    input  wire logic [127:0] add_i,
    input  wire logic        read_i,
    input  wire logic  [6:0] word_i,
    output logic      [63:0] data_o,
    output logic             busy_o
);
  localparam int unsigned N = fsh_spec_pkg::PERF_COUNT;
  localparam int unsigned SUMS = 4;

  logic [47:0] cycle_q;
  // The value read, ORed along the chain of events and sums.
  logic [(N+SUMS+1)*48-1:0] chain /*verilator split_var*/;

  always_ff @(posedge clk_i) cycle_q <= cycle_i;

  // Any of the events but beats and stalls, which come last: a simulator then looks no further.
  logic seldom;
  assign seldom = step_i[fsh_spec_pkg::PERF_TX_BEAT0*3-1:0] != '0;

  assign chain[47:0] = '0;
  for (genvar e = 0; e < N; e++) begin : gen_event
    // Beats and stalls of the ports come last.
    localparam int unsigned BEAT0 = 32'(fsh_spec_pkg::PERF_TX_BEAT0);
    localparam int unsigned PORT = e < BEAT0 ? 0 : (e - BEAT0) % fsh_spec_pkg::MAX_PORTS;
    logic [47:0] count;

    if (PORT < PORTS) begin : gen_counter
      logic [47:0] first_q, last_q, count_q;

      always_ff @(posedge clk_i) begin
        if (e >= BEAT0 || seldom) begin
          if (step_i[e*3+:3] != '0) begin
            if (count_q == '0) first_q <= cycle_q;
            last_q  <= cycle_q;
            count_q <= count_q + {45'd0, step_i[e*3+:3]};
          end
        end
        if (rst_i || clear_i) begin
          first_q <= '0;
          last_q  <= '0;
          count_q <= '0;
        end
      end

      always_comb begin
        count = '0;
        if (read_i) begin
          if (word_i == {5'(e), 2'd0}) count = first_q;
          if (word_i == {5'(e), 2'd1}) count = last_q;
          if (word_i == {5'(e), 2'd2}) count = count_q;
        end
      end
    end else begin : gen_none
      assign count = '0;
    end
    assign chain[(e+1)*48+:48] = chain[e*48+:48] | count;
  end

  for (genvar s = 0; s < SUMS; s++) begin : gen_sum
    localparam logic [4:0] E = s == 0 ? fsh_spec_pkg::PERF_ACCEPT :
                               s == 1 ? fsh_spec_pkg::PERF_REQ_HDR :
                               s == 2 ? fsh_spec_pkg::PERF_REP_HDR : fsh_spec_pkg::PERF_WRITTEN;
    logic [47:0] sum_q;

    always_ff @(posedge clk_i) begin
      if (seldom) begin
        if (step_i[E*3+:3] != '0) sum_q <= sum_q + {16'd0, add_i[s*32+:32]};
      end
      if (rst_i || clear_i) sum_q <= '0;
    end
    assign chain[(N+s+1)*48+:48] = chain[(N+s)*48+:48] |
                                   (read_i && word_i == {E, 2'd3} ? sum_q : 48'd0);
  end

  always_ff @(posedge clk_i) begin
    if (read_i) data_o <= {16'd0, chain[(N+SUMS)*48+:48]};
  end

  assign busy_o = step_i != '0;
endmodule

`default_nettype wire
