// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Collects the node's events of the last cycle for the performance counters (fsh_perf): the
/// count of each event of PERF, in order, three bits each, and the bytes for ACCEPT, REQ_HDR,
/// REP_HDR and WRITTEN. The inputs are registers of fsh_host and fsh_gasnet, so the logic before
/// them (including pins) and the sums are not on one path. Combinational.
module fsh_events #(
    parameter int unsigned PORTS = 2  // events of further ports are not counted
) (
    // From the host interface, by window, and from the GASNet core.
    input  wire logic            [1:0] accept_i,
    input  wire logic           [47:0] accept_bytes_i,
    input  wire logic                  entry_i,
    input  wire logic            [2:0] refused_i,
    input  wire fsh_node_pkg::events_t gasnet_i,
    output logic [fsh_spec_pkg::PERF_COUNT*3-1:0] step_o,
    output logic               [127:0] add_o
);
  logic [31:0] add_accept, add_req, add_rep, add_written;

  /// Population count of six bits.
  function automatic logic [2:0] count(input logic [5:0] bits);
    count = {2'd0, bits[0]} + {2'd0, bits[1]} + {2'd0, bits[2]} + {2'd0, bits[3]} +
            {2'd0, bits[4]} + {2'd0, bits[5]};
  endfunction

  always_comb begin
    step_o = '0;
    if ({accept_i, entry_i, refused_i, gasnet_i.sent, gasnet_i.req, gasnet_i.rep,
         gasnet_i.written, gasnet_i.forward, gasnet_i.refused} != '0) begin  // in few cycles
      step_o[fsh_spec_pkg::PERF_ACCEPT*3+:3]   = count({4'd0, accept_i});
      step_o[fsh_spec_pkg::PERF_HDR_SENT*3+:3] = count(gasnet_i.sent);
      step_o[fsh_spec_pkg::PERF_REQ_HDR*3+:3]  = count({4'd0, gasnet_i.req});
      step_o[fsh_spec_pkg::PERF_REP_HDR*3+:3]  = count({4'd0, gasnet_i.rep});
      step_o[fsh_spec_pkg::PERF_WRITTEN*3+:3]  = count({4'd0, gasnet_i.written});
      step_o[fsh_spec_pkg::PERF_COMPLETE*3+:3] = {2'd0, entry_i};
      step_o[fsh_spec_pkg::PERF_FORWARD*3+:3]  = count(gasnet_i.forward);
      step_o[fsh_spec_pkg::PERF_REFUSED*3+:3]  = count({1'b0, gasnet_i.refused, refused_i});
    end
    for (int unsigned p = 0; p < PORTS; p++) begin
      step_o[(32'(fsh_spec_pkg::PERF_TX_BEAT0) + p)*3+:3]  = {2'd0, gasnet_i.beat[p]};
      step_o[(32'(fsh_spec_pkg::PERF_TX_STALL0) + p)*3+:3] = {2'd0, gasnet_i.stall[p]};
    end
  end

  // A sum is used only together with its event.
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
