// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Finds the packets in a stream of beats: a header says how many beats follow
/// it, and the beat after those is a header again. Says of every beat whether it is a
/// header, and what the header of its packet said: the channel, and whether it is for
/// this node; and beside a header how many beats follow. Combinational; no back-pressure.
/// Lengths are believed. What has passed MAX_HOPS nodes, or has no way on (stuck_i, beside
/// a header), goes no further, but to this node, as if for it. Reset: between packets.
module fsh_parse (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic   [7:0] node_i,
    input  wire logic         stuck_i,
    input  wire logic         valid_i,
    input  wire logic [127:0] data_i,
    output logic              sop_o,
    output logic              here_o,
    output logic              reply_o,
    output logic              vc_o,
    output logic        [6:0] follow_o
);
  fsh_spec_pkg::hdr_t hdr;
  logic [6:0]         remain_q;
  logic               here_q, reply_q, vc_q;

  assign hdr     = data_i;
  assign sop_o   = remain_q == '0;
  assign here_o  = sop_o ? {1'b0, hdr.dst} == node_i || stuck_i ||
                           hdr.hops == 6'(fsh_spec_pkg::MAX_HOPS) : here_q;
  assign reply_o = sop_o ? hdr.reply : reply_q;
  assign vc_o    = sop_o ? hdr.vc : vc_q;

  always_comb begin
    follow_o = 'x;  // beside other beats than headers nobody looks
    if (valid_i && sop_o)
      follow_o = fsh_fn_pkg::hdr_follow(hdr.first, hdr.nargs, hdr.addr[3:0], hdr.bytes);
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      here_q   <= here_o;
      reply_q  <= reply_o;
      vc_q     <= vc_o;
      remain_q <= sop_o ? follow_o : remain_q - 7'd1;
    end
    if (rst_i) remain_q <= '0;
  end
endmodule

`default_nettype wire
