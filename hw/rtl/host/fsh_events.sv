// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What happens in the node, gathered for the performance counters (fsh_perf): how
/// often each event of PERF in this cycle, in their order, two bits each, and the
/// bytes that go with ACCEPT, REQ_HDR, REP_HDR and WRITTEN. Combinational; of more
/// than three refusals in a cycle the rest is counted in the next (busy_o).
module fsh_events (
    input  wire logic                                   clk_i,
    input  wire logic                                   rst_i,
    // By window.
    input  wire logic                             [1:0] accept_i,
    input  wire logic                            [23:0] accept0_bytes_i,
    input  wire logic                            [23:0] accept1_bytes_i,
    // By port.
    input  wire logic                             [1:0] sent_i,
    input  wire logic                             [1:0] req_i,
    input  wire logic                             [1:0] rep_i,
    input  wire logic                            [21:0] bytes_i,
    input  wire logic                             [1:0] written_i,
    input  wire logic                            [21:0] written_bytes_i,
    input  wire logic                                   entry_i,
    input  wire logic                             [1:0] beat_i,
    input  wire logic                             [1:0] stall_i,
    input  wire logic                             [1:0] forward_i,
    input  wire logic                             [4:0] refused_i,
    output logic      [fsh_spec_pkg::PERF_COUNT*2-1:0] step_o,
    output logic                                [127:0] add_o,
    output logic                                        busy_o
);
  logic [31:0] add_accept, add_req, add_rep, add_written;
  logic [2:0]  refused, late_q;
  logic [1:0]  refused_step;

  assign refused = late_q + {2'd0, refused_i[0]} + {2'd0, refused_i[1]} +
                   {2'd0, refused_i[2]} + {2'd0, refused_i[3]} + {2'd0, refused_i[4]};
  assign refused_step = refused > 3'd3 ? 2'd3 : refused[1:0];
  always_ff @(posedge clk_i) late_q <= rst_i ? '0 : refused - {1'b0, refused_step};
  assign busy_o = late_q != '0;

  always_comb begin
    step_o = {
      refused_step,
      {1'b0, forward_i[0]} + {1'b0, forward_i[1]},
      {1'b0, stall_i[1]},
      {1'b0, stall_i[0]},
      {1'b0, beat_i[1]},
      {1'b0, beat_i[0]},
      {1'b0, entry_i},
      {1'b0, written_i[0]} + {1'b0, written_i[1]},
      {1'b0, rep_i[0]} + {1'b0, rep_i[1]},
      {1'b0, req_i[0]} + {1'b0, req_i[1]},
      {1'b0, sent_i[0]} + {1'b0, sent_i[1]},
      {1'b0, accept_i[0]} + {1'b0, accept_i[1]}
    };
  end

  // Nobody looks at a sum without its event. Those of the writes hang on pins.
  always_comb begin
    add_accept = 'x;
    if (accept_i != '0)
      add_accept = (accept_i[0] ? {8'd0, accept0_bytes_i} : '0) +
                   (accept_i[1] ? {8'd0, accept1_bytes_i} : '0);
  end
  always_comb begin
    add_req = 'x;
    if (req_i != '0)
      add_req = {21'd0, bytes_i[10:0] & {11{req_i[0]}}} +
                {21'd0, bytes_i[21:11] & {11{req_i[1]}}};
  end
  always_comb begin
    add_rep = 'x;
    if (rep_i != '0)
      add_rep = {21'd0, bytes_i[10:0] & {11{rep_i[0]}}} +
                {21'd0, bytes_i[21:11] & {11{rep_i[1]}}};
  end
  always_comb begin
    add_written = 'x;
    if (written_i != '0)
      add_written = {21'd0, written_bytes_i[10:0] & {11{written_i[0]}}} +
                    {21'd0, written_bytes_i[21:11] & {11{written_i[1]}}};
  end
  assign add_o = {add_written, add_rep, add_req, add_accept};
endmodule

`default_nettype wire
