// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Receiving side of a link port: registers the arriving beat, takes credits
/// out of boundary beats, finds the headers, and queues each packet behind its
/// virtual channel {reply, dateline}. A beat arriving in cycle t heads an empty
/// queue in cycle t+2; one beat a cycle, packets of a channel in order.
/// Beside each beat stand: first of packet, for this node, beats that follow.
/// No back-pressure on the link: the sender holds a credit for every beat.
/// freed_o: beats ever taken from each queue, to be told to the sender.
/// Malformed input cannot be told from data before a link layer checks it.
module fsh_link_rx (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [7:0]   node_i,
    input  wire logic         link_valid_i,
    input  wire logic         link_bound_i,
    input  wire logic [127:0] link_data_i,
    // Credits from the peer, for the transmitting side of this port.
    output logic              credit_valid_o,
    output logic      [63:0]  credit_o,
    output logic      [63:0]  freed_o,
    // The four queues.
    output logic      [3:0]   valid_o,
    input  wire logic [3:0]   ready_i,
    output logic      [3:0]   sop_o,
    output logic      [3:0]   local_o,
    output logic      [27:0]  follow_o,
    output logic      [511:0] data_o,
    output logic              busy_o
);
  localparam int unsigned DEPTH = fsh_spec_pkg::VC_BEATS;

  logic                in_valid_q, in_bound_q;
  logic [127:0]        in_data_q;
  fsh_spec_pkg::hdr_t  hdr;
  logic                is_sop, is_local;
  logic [6:0]          follow, remain_q;
  logic [1:0]          vc, vc_q;
  logic                beat;
  logic [3:0]          fifo_ready, fifo_valid;

  always_ff @(posedge clk_i) begin
    in_data_q  <= link_data_i;
    in_bound_q <= link_bound_i;
    in_valid_q <= link_valid_i;
    if (rst_i) in_valid_q <= 1'b0;
  end

  assign hdr      = in_data_q;
  assign beat     = in_valid_q && !in_bound_q;
  assign is_sop   = remain_q == '0;
  assign is_local = hdr.dst == node_i;
  assign vc       = is_sop ? {hdr.reply, hdr.dateline} : vc_q;
  assign follow   = {4'd0, hdr.first ? fsh_fn_pkg::arg_beats(hdr.nargs) : 3'd0} +
                    fsh_fn_pkg::pay_beats(hdr.addr[3:0], hdr.bytes);

  always_ff @(posedge clk_i) begin
    if (beat) begin
      vc_q     <= vc;
      remain_q <= is_sop ? follow : remain_q - 7'd1;
    end
    if (rst_i) remain_q <= '0;
  end

  assign credit_valid_o = in_valid_q && in_bound_q;
  assign credit_o       = in_data_q[63:0];

  for (genvar v = 0; v < 4; v++) begin : gen_vc
    logic [15:0] freed_q;

    fsh_fifo #(
        .WIDTH(137),
        .DEPTH(DEPTH)
    ) i_fifo (
        .clk_i,
        .rst_i,
        .valid_i(beat && vc == v),
        .ready_o(fifo_ready[v]),
        .data_i ({is_sop, is_local, follow, in_data_q}),
        .valid_o(fifo_valid[v]),
        .ready_i(ready_i[v]),
        .data_o ({sop_o[v], local_o[v], follow_o[v*7+:7], data_o[v*128+:128]}),
        .count_o()
    );

    always_ff @(posedge clk_i) begin
      if (fifo_valid[v] && ready_i[v]) freed_q <= freed_q + 16'd1;
      if (rst_i) freed_q <= '0;
    end

    assign freed_o[v*16+:16] = freed_q;
    `FSH_ASSERT(assert_credit, !(beat && vc == v) || fifo_ready[v])
  end

  assign valid_o = fifo_valid;
  assign busy_o  = in_valid_q || |fifo_valid;
endmodule

`default_nettype wire
