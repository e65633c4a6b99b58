// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What happened in the node in the last cycle, gathered for the performance counters
/// (fsh_perf): how often each event of PERF, in their order, two bits each, and the
/// bytes that go with ACCEPT, REQ_HDR, REP_HDR and WRITTEN. The inputs are registers
/// of fsh_host and fsh_gasnet, so that the logic before them, pins included, and the
/// sums are on no path together; the outputs are combinational. Of more than three
/// refusals in a cycle the rest is counted in the next.
module fsh_events (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    // Of the host interface, by window, and of the GASNet core, by port.
    input  wire logic            [1:0] accept_i,
    input  wire logic           [47:0] accept_bytes_i,
    input  wire logic                  entry_i,
    input  wire logic            [2:0] refused_i,
    input  wire fsh_node_pkg::events_t gasnet_i,
    output logic [fsh_spec_pkg::PERF_COUNT*2-1:0] step_o,
    output logic               [127:0] add_o
);
  logic [31:0] add_accept, add_req, add_rep, add_written;
  logic [2:0]  refused, late_q;
  logic [1:0]  refused_step;

  assign refused = late_q + {2'd0, refused_i[0]} + {2'd0, refused_i[1]} + {2'd0, refused_i[2]} +
                   {2'd0, gasnet_i.refused[0]} + {2'd0, gasnet_i.refused[1]};
  assign refused_step = refused > 3'd3 ? 2'd3 : refused[1:0];
  always_ff @(posedge clk_i) late_q <= rst_i ? '0 : refused - {1'b0, refused_step};

  assign step_o = {
    refused_step,
    {1'b0, gasnet_i.forward[0]} + {1'b0, gasnet_i.forward[1]},
    {1'b0, gasnet_i.stall[1]},
    {1'b0, gasnet_i.stall[0]},
    {1'b0, gasnet_i.beat[1]},
    {1'b0, gasnet_i.beat[0]},
    {1'b0, entry_i},
    {1'b0, gasnet_i.written[0]} + {1'b0, gasnet_i.written[1]},
    {1'b0, gasnet_i.rep[0]} + {1'b0, gasnet_i.rep[1]},
    {1'b0, gasnet_i.req[0]} + {1'b0, gasnet_i.req[1]},
    {1'b0, gasnet_i.sent[0]} + {1'b0, gasnet_i.sent[1]},
    {1'b0, accept_i[0]} + {1'b0, accept_i[1]}
  };

  // Nobody looks at a sum without its event.
  always_comb begin
    add_accept = 'x;
    if (accept_i != '0)
      add_accept = {8'd0, accept_bytes_i[23:0] & {24{accept_i[0]}}} +
                   {8'd0, accept_bytes_i[47:24] & {24{accept_i[1]}}};
  end
  always_comb begin
    add_req = 'x;
    if (gasnet_i.req != '0)
      add_req = {21'd0, gasnet_i.bytes[10:0] & {11{gasnet_i.req[0]}}} +
                {21'd0, gasnet_i.bytes[21:11] & {11{gasnet_i.req[1]}}};
  end
  always_comb begin
    add_rep = 'x;
    if (gasnet_i.rep != '0)
      add_rep = {21'd0, gasnet_i.bytes[10:0] & {11{gasnet_i.rep[0]}}} +
                {21'd0, gasnet_i.bytes[21:11] & {11{gasnet_i.rep[1]}}};
  end
  always_comb begin
    add_written = 'x;
    if (gasnet_i.written != '0)
      add_written = {21'd0, gasnet_i.written_bytes[10:0] & {11{gasnet_i.written[0]}}} +
                    {21'd0, gasnet_i.written_bytes[21:11] & {11{gasnet_i.written[1]}}};
  end
  assign add_o = {add_written, add_rep, add_req, add_accept};
endmodule

`default_nettype wire
