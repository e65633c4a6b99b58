// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Receiving side of a link port: registers the arriving beat, takes credits
/// out of boundary beats, finds the headers, and queues each packet by its
/// virtual channel {reply, dateline}: in one buffer what is for this node, in
/// another what passes through, so that neither waits for the other. A beat
/// arriving in cycle t is offered in cycle t+3; one beat a cycle, packets of a
/// channel in order within each buffer.
/// The beat after a boundary beat that says poison is bad, and offered so.
/// No back-pressure on the link: the sender holds a credit for every beat,
/// wherever it goes. freed_o: beats that ever left, to be told to the sender.
/// Malformed input cannot be told from data before a link layer checks it; a packet
/// that would go around a ring for ever goes to this node (fsh_parse).
module fsh_link_rx (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic   [7:0] node_i,
    input  wire logic         line_i,  // what passes through crosses the dateline
    input  wire logic         link_valid_i,
    input  wire logic         link_bound_i,
    input  wire logic [127:0] link_data_i,
    // Credits from the peer, for the transmitting side of this port.
    output logic              credit_valid_o,
    output logic       [63:0] credit_o,
    output logic       [63:0] freed_o,
    // Packets for this node: whether one may start, by channel {reply}.
    input  wire logic   [1:0] here_start_i,
    output logic              here_request_o,  // a request starts
    output logic              here_valid_o,
    input  wire logic         here_ready_i,
    output logic              here_last_o,
    output logic      [127:0] here_data_o,
    output logic              here_bad_o,
    // Packets for others, by virtual channel.
    input  wire logic   [3:0] fwd_start_i,
    output logic        [3:0] fwd_freed_o,
    output logic              fwd_valid_o,
    input  wire logic         fwd_ready_i,
    output logic              fwd_last_o,
    output logic      [127:0] fwd_data_o,
    output logic              fwd_bad_o,
    output logic              busy_o
);
  /*verilator no_inline_module*/  // instances share their code, which else leaves the cache
  logic         in_valid_q, in_bound_q, bad_q, beat, here, here_busy, fwd_busy;
  logic [127:0] in_data_q;
  fsh_spec_pkg::bound_t bound;
  logic [6:0]   follow;
  logic [1:0]   vc;
  logic [3:0]   here_started, here_freed;

  always_ff @(posedge clk_i) begin
    if (link_valid_i) begin
      in_data_q  <= link_data_i;
      in_bound_q <= link_bound_i;
    end
    in_valid_q <= link_valid_i;
    if (in_valid_q) bad_q <= in_bound_q && bound.poison;
    if (rst_i) begin
      in_valid_q <= 1'b0;
      bad_q      <= 1'b0;
    end
  end

  assign bound = in_data_q;
  assign beat  = in_valid_q && !in_bound_q;

  fsh_parse i_parse (
      .clk_i,
      .rst_i,
      .node_i,
      .line_i,
      .valid_i   (beat),
      .data_i    (in_data_q),
      .here_o    (here),
      .reply_o   (vc[1]),
      .dateline_o(vc[0]),
      .follow_o  (follow)
  );

  assign credit_valid_o = in_valid_q && in_bound_q;
  assign credit_o       = in_data_q[63:0];

  fsh_vcbuf #(
      .Q    (4),
      .DEPTH(fsh_spec_pkg::VC_BEATS),
      .WIDTH($bits({bad_q, in_data_q}))
  ) i_here (
      .clk_i,
      .rst_i,
      .valid_i  (beat && here),
      .queue_i  (vc),
      .follow_i (follow),
      .data_i   ({bad_q, in_data_q}),
      .start_i  ({{2{here_start_i[1]}}, {2{here_start_i[0]}}}),
      .started_o(here_started),
      .freed_o  (here_freed),
      .valid_o  (here_valid_o),
      .ready_i  (here_ready_i),
      .last_o   (here_last_o),
      .data_o   ({here_bad_o, here_data_o}),
      .busy_o   (here_busy)
  );

  fsh_vcbuf #(
      .Q    (4),
      .DEPTH(fsh_spec_pkg::VC_BEATS),
      .WIDTH($bits({bad_q, in_data_q}))
  ) i_fwd (
      .clk_i,
      .rst_i,
      .valid_i  (beat && !here),
      .queue_i  (vc),
      .follow_i (follow),
      .data_i   ({bad_q, in_data_q}),
      .start_i  (fwd_start_i),
      .started_o(),
      .freed_o  (fwd_freed_o),
      .valid_o  (fwd_valid_o),
      .ready_i  (fwd_ready_i),
      .last_o   (fwd_last_o),
      .data_o   ({fwd_bad_o, fwd_data_o}),
      .busy_o   (fwd_busy)
  );

  assign here_request_o = here_started[0] || here_started[1];

  always_ff @(posedge clk_i) begin
    if ((here_freed | fwd_freed_o) != '0) begin
      for (int unsigned v = 0; v < 4; v++)
        freed_o[v*16+:16] <= freed_o[v*16+:16] + {14'd0, here_freed[v] && fwd_freed_o[v],
                                                  here_freed[v] != fwd_freed_o[v]};
    end
    if (rst_i) freed_o <= '0;
  end

  assign busy_o = in_valid_q || here_busy || fwd_busy;
endmodule

`default_nettype wire
