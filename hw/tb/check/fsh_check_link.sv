// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Rules of the links of a node (formats.md), port p in slice p of each vector: a packet
/// goes out only with credit for all of its beats, on the channel that its header names;
/// no more is given back than came, and no more is taken for given back than was sent; the
/// neighbour keeps to its credits; a boundary beat has nothing in the fields for later,
/// and one with poison stands right before the last beat of a packet, not its header; what
/// this node sends of its own has a header that the documents allow. Packets are told
/// apart by their headers alone: a packet with beats more or less than it says shows as
/// what follows it. A link has no stalls, so nothing has to stay.
/// Looks on; nothing follows it. Reset forgets everything.
module fsh_check_link #(
    parameter int unsigned N = 2
) (
    input wire logic             clk_i,
    input wire logic             rst_i,
    input wire logic       [7:0] node_i,
    input wire logic       [7:0] nodes_i,
    input wire logic     [N-1:0] tx_valid_i,
    input wire logic     [N-1:0] tx_bound_i,
    input wire logic [N*128-1:0] tx_data_i,
    input wire logic     [N-1:0] rx_valid_i,
    input wire logic     [N-1:0] rx_bound_i,
    input wire logic [N*128-1:0] rx_data_i
);
  /*verilator no_inline_module*/  // messages name the instance
  localparam logic [15:0] ROOM = 16'(fsh_spec_pkg::LINK_BEATS);
  localparam logic [15:0] OWN = 16'(fsh_spec_pkg::VC_BEATS);

  // Room that is taken when a packet of so many beats begins: each channel has at least its
  // own.
  function automatic logic [15:0] taken(input logic [63:0] sent, input logic [63:0] freed,
                                        input logic [1:0] vc, input logic [6:0] follow);
    logic [15:0] beats;
    taken = '0;
    for (int unsigned v = 0; v < 4; v++) begin
      beats = sent[v*16+:16] - freed[v*16+:16];
      if (vc == 2'(v)) beats = beats + 16'(follow) + 16'd1;
      taken = taken + (beats > OWN ? beats : OWN);
    end
  endfunction

  for (genvar p = 0; p < N; p++) begin : gen_port
    /* verilator lint_off UNUSEDSIGNAL */  // fields without a rule
    fsh_spec_pkg::hdr_t   tx_hdr, rx_hdr;
    fsh_spec_pkg::bound_t tx_bound;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [6:0]           tx_follow, rx_follow, tx_left_q, rx_left_q;
    logic                 tx_beat, rx_beat, tx_sop, rx_sop, tx_tell, rx_tell, poison_q, own;
    logic [1:0]           tx_vc, rx_vc, tx_vc_q, rx_vc_q;
    // Beats by channel: sent and given back by the neighbour, got and given back.
    logic [63:0]          sent_q, granted_q, got_q, told_q;
    logic [3:0]           short_sent, short_got;
    logic [15:0]          tx_used, rx_used;

    assign tx_hdr    = tx_data_i[p*128+:128];
    assign rx_hdr    = rx_data_i[p*128+:128];
    assign tx_bound  = tx_data_i[p*128+:128];
    assign tx_beat   = tx_valid_i[p] && !tx_bound_i[p];
    assign rx_beat   = rx_valid_i[p] && !rx_bound_i[p];
    assign tx_tell   = tx_valid_i[p] && tx_bound_i[p];
    assign rx_tell   = rx_valid_i[p] && rx_bound_i[p];
    assign tx_sop    = tx_beat && tx_left_q == '0;
    assign rx_sop    = rx_beat && rx_left_q == '0;
    assign tx_follow = fsh_fn_pkg::hdr_follow(tx_hdr.first, tx_hdr.nargs, tx_hdr.addr[3:0],
                                              tx_hdr.bytes);
    assign rx_follow = fsh_fn_pkg::hdr_follow(rx_hdr.first, rx_hdr.nargs, rx_hdr.addr[3:0],
                                              rx_hdr.bytes);
    assign tx_vc     = tx_sop ? {tx_hdr.reply, tx_hdr.vc} : tx_vc_q;
    assign rx_vc     = rx_sop ? {rx_hdr.reply, rx_hdr.vc} : rx_vc_q;
    assign tx_used   = taken(sent_q, granted_q, tx_vc, tx_follow);
    assign rx_used   = taken(got_q, told_q, rx_vc, rx_follow);
    assign own       = tx_sop && {1'b0, tx_hdr.src} == node_i && tx_hdr.hops == '0;

    // What is said to be free and never was used, modulo 2^16.
    always_comb begin
      short_sent = '0;
      short_got  = '0;
      for (int unsigned v = 0; v < 4; v++) begin
        if (rx_tell)
          short_sent[v] = sent_q[v*16+:16] - rx_data_i[p*128+v*16+:16] > ROOM;
        if (tx_tell) short_got[v] = got_q[v*16+:16] - tx_data_i[p*128+v*16+:16] > ROOM;
      end
    end

    always_ff @(posedge clk_i) begin
      if (tx_beat) begin
        tx_left_q            <= tx_sop ? tx_follow : tx_left_q - 7'd1;
        tx_vc_q              <= tx_vc;
        sent_q[tx_vc*16+:16] <= sent_q[tx_vc*16+:16] + 16'd1;
      end
      if (rx_beat) begin
        rx_left_q           <= rx_sop ? rx_follow : rx_left_q - 7'd1;
        rx_vc_q             <= rx_vc;
        got_q[rx_vc*16+:16] <= got_q[rx_vc*16+:16] + 16'd1;
      end
      if (rx_tell) granted_q <= rx_data_i[p*128+:64];
      if (tx_tell) told_q <= tx_data_i[p*128+:64];
      if (tx_valid_i[p]) poison_q <= tx_tell && tx_bound.poison;
      if (rst_i) {tx_left_q, rx_left_q, sent_q, granted_q, got_q, told_q, poison_q} <= '0;
    end

    `FSH_ASSERT(tx_credit, !tx_sop || tx_used <= ROOM)
    `FSH_ASSERT(rx_credit, !rx_sop || rx_used <= ROOM)
    `FSH_ASSERT(tx_freed, short_got == '0)
    `FSH_ASSERT(rx_freed, short_sent == '0)
    `FSH_ASSERT(tx_reserved, !tx_tell || {tx_bound.crc, tx_bound.check, tx_bound.ack,
                                          tx_bound.seq} == '0)
    `FSH_ASSERT(tx_poison, !tx_valid_i[p] || !poison_q || (tx_beat && tx_left_q == 7'd1))
    `FSH_ASSERT(hdr_ends, !own || ({1'b0, tx_hdr.dst} < nodes_i && tx_hdr.dst != tx_hdr.src))
    `FSH_ASSERT(hdr_kind, !own || (tx_hdr.opcode != fsh_spec_pkg::OP_NONE &&
                                   tx_hdr.category <= fsh_spec_pkg::CAT_LONG &&
                                   32'(tx_hdr.tag) < fsh_spec_pkg::NUM_TAGS))
    `FSH_ASSERT(hdr_length, !own || (32'(tx_hdr.nargs) <= fsh_spec_pkg::MAX_ARGS &&
                                     32'(tx_hdr.bytes) <= fsh_spec_pkg::MAX_PACKET &&
                                     24'(tx_hdr.bytes) <= tx_hdr.total))
    `FSH_ASSERT(hdr_page, !own || tx_hdr.bytes == '0 ||
                          13'(tx_hdr.addr[11:0]) + 13'(tx_hdr.bytes) <= 13'd4096)
    `FSH_ASSERT(hdr_ack, !own || !tx_hdr.ack || (!tx_hdr.reply &&
                         tx_hdr.opcode < fsh_spec_pkg::OP_LIBRARY))
  end
endmodule

`default_nettype wire
