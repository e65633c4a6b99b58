// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Receiving side of a link port: registers the arriving beat, takes credits
/// out of boundary beats, finds the headers, and queues each packet: in one buffer what
/// is for this node, by its virtual channel {reply, vc}, packets of less than LONG_BYTES of
/// payload (short), and long ones of messages of less than BULK_BYTES (small), apart from the
/// others, and before them (fsh_pick); in two more what passes
/// through, by the port and the virtual channel that it leaves on (fsh_transit), one for short
/// packets and one for long ones, which are read independently; of the latter those of small
/// messages go before the others. So nothing waits behind a
/// packet that waits for something else, and no short one behind a long one but for this node.
/// All queues of a buffer share its space (fsh_voqbuf). Outputs are the ports of the node
/// without this one. Which output: the route of its destination,
/// and of several the first or the last, by the parities of source, destination and this
/// port (odd_i), so that packets that came one way go on one way.
/// A beat arriving in cycle t is offered in cycle t+3 here, t+4 to an output; one beat a
/// cycle, packets of a queue in order.
/// The beat after a boundary beat that says poison is bad, and offered so.
/// No back-pressure on the link: the sender holds a credit for every beat,
/// wherever it goes. freed_o: beats that ever left, by the channel {reply, vc} that they
/// came on, to be told to the sender.
/// Malformed input cannot be told from data before a link layer checks it; a packet
/// that would go on for ever goes to this node (fsh_parse).
module fsh_link_rx #(
    parameter int unsigned OUTS = 1
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic   [7:0] node_i,
    input  wire logic         odd_i,
    // A write of the route table, as to the outputs; those in use.
    input  wire logic         route_we_i,
    input  wire logic [fsh_spec_pkg::NODE_W-1:0] route_node_i,
    input  wire logic [OUTS-1:0] route_ports_i,
    input  wire logic [OUTS-1:0] route_vcs_i,
    input  wire logic [OUTS-1:0] ports_i,
    input  wire logic         link_valid_i,
    input  wire logic         link_bound_i,
    input  wire logic [127:0] link_data_i,
    // Credits from the peer, for the transmitting side of this port.
    output logic              credit_valid_o,
    output logic       [63:0] credit_o,
    output logic       [63:0] freed_o,
    // Packets for this node: whether one may start, by class and channel {long, reply}; a request
    // starts. Long ones: whether one could start, by channel {reply}, also of a small message; one
    // starts; more of one is to be read, or of a short one (here_inside_o, by class {long, short}).
    input  wire logic   [3:0] here_start_i,
    output logic              here_request_o,
    output logic        [1:0] here_some_o,
    output logic        [1:0] here_small_o,
    output logic              here_long_o,
    output logic        [1:0] here_inside_o,
    output logic              here_valid_o,
    input  wire logic         here_ready_i,
    output logic              here_last_o,
    output logic      [127:0] here_data_o,
    output logic              here_bad_o,
    // Packets for others, by class {long, short}; in each by queue, {output, small, reply, vc} and
    // {output, reply, vc}: whether there is one and it may start; by output: one starts, more of
    // one is to be read, one is offered.
    output logic [OUTS*12-1:0] fwd_some_o,
    input  wire logic [OUTS*12-1:0] fwd_start_i,
    output logic [OUTS*2-1:0] fwd_started_o,
    output logic [OUTS*2-1:0] fwd_inside_o,
    output logic [OUTS*2-1:0] fwd_valid_o,
    input  wire logic   [1:0] fwd_ready_i,
    output logic        [1:0] fwd_last_o,
    output logic      [255:0] fwd_data_o,
    output logic        [1:0] fwd_bad_o,
    output logic              busy_o
);
  /*verilator no_inline_module*/  // instances share their code, which else leaves the cache
  localparam int unsigned BEATS = 2048;  // LINK_BEATS, and a word for each queue
  localparam int unsigned QUEUES = OUTS * 4;  // of a class; twice as many of long packets
  localparam int unsigned QW = $clog2(QUEUES);

  logic         in_valid_q, in_bound_q, bad_q, beat, sop, here, here_busy;
  logic [127:0] in_data_q;
  fsh_spec_pkg::bound_t bound;
  fsh_spec_pkg::hdr_t   hdr, next;
  logic [6:0]   follow;
  logic [1:0]   vc;
  logic         long, light;  // the packet's class, and of a small message, beside its header

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
  assign hdr   = in_data_q;
  assign beat  = in_valid_q && !in_bound_q;
  assign long  = hdr.bytes >= 11'(fsh_spec_pkg::LONG_BYTES);
  assign light = hdr.total < 24'(fsh_spec_pkg::BULK_BYTES);

  // The way on.
  (* ram_style = "distributed" *) logic [2*OUTS-1:0] route_mem[fsh_spec_pkg::MAX_NODES];
  logic [OUTS-1:0] route_vcs, route_ports, ways, ahead, way;
  logic            last_way;

  always_ff @(posedge clk_i) begin
    if (route_we_i) route_mem[route_node_i] <= {route_vcs_i, route_ports_i};
  end

  assign {route_vcs, route_ports} = route_mem[hdr.dst[fsh_spec_pkg::NODE_W-1:0]];
  assign ways     = route_ports & ports_i;
  assign last_way = hdr.src[0] ^ hdr.dst[0] ^ odd_i;

  always_comb begin
    ahead = '0;
    way   = 'x;
    if (beat && sop) begin
      for (int unsigned i = 1; i < OUTS; i++) ahead |= last_way ? ways >> i : ways << i;
      way = ways & ~ahead;
    end
  end

  fsh_parse i_parse (
      .clk_i,
      .rst_i,
      .node_i,
      .stuck_i (ways == '0),
      .valid_i (beat),
      .data_i  (in_data_q),
      .sop_o   (sop),
      .here_o  (here),
      .reply_o (vc[1]),
      .vc_o    (vc[0]),
      .follow_o(follow)
  );

  assign credit_valid_o = in_valid_q && in_bound_q;
  assign credit_o       = in_data_q[63:0];

  // For this node, in queues {rank, reply, vc}: short ones, bulk, small ones. Of the long ones
  // either small ones may begin or bulk (light_q), said in advance, since the choice is late in a
  // cycle: small ones if one could, whoever's turn it is, or one arrives; but bulk that could after
  // WEIGHT of them in a row.
  localparam int unsigned WEIGHT = 8;  // packets, a power of two
  localparam int unsigned ROW_W = $clog2(WEIGHT) + 1;
  logic [11:0]      here_some;
  logic [7:0]       here_can, here_gnt;
  logic [3:0]       here_freed, here_choice, start;
  logic             here_begun, here_more, here_long, light_q, arrives;
  logic [1:0]       here_rank, unused;
  logic [ROW_W-1:0] row_q;  // small ones in a row while bulk waited

  assign start    = {{2{here_start_i[1]}}, {2{here_start_i[0]}}};

  // Inside a packet nobody looks at what could begin.
  always_comb begin
    here_can = 'x;
    if (!here_more)
      here_can = {(light_q ? here_some[11:8] : here_some[7:4]) &
                  {{2{here_start_i[3]}}, {2{here_start_i[2]}}}, here_some[3:0] & start};
  end

  fsh_pick #(
      .N(4)
  ) i_here_pick (
      .clk_i,
      .rst_i,
      .short_i(here_can[3:0]),
      .long_i (here_can[7:4]),
      .look_i (!here_more),
      .take_i (here_begun),
      .gnt_o  (here_gnt)
  );

  always_comb begin
    here_choice = 'x;
    if (!here_more) begin
      here_choice = '0;
      for (int unsigned v = 0; v < 4; v++) if (here_gnt[v] || here_gnt[4+v]) here_choice |= 4'(v);
      if (here_gnt[7:4] != '0) here_choice[3:2] = {light_q, !light_q};
    end
  end

  always_comb begin
    arrives = 1'b0;
    if (beat && sop) arrives = here && long && light;
  end

  always_ff @(posedge clk_i) begin
    light_q <= ((here_some[11:8] & start) != '0 || arrives) &&
               !(row_q[ROW_W-1] && (here_some[7:4] & start) != '0);
    if (here_begun && here_choice[3:2] != '0)
      row_q <= !light_q || here_some[7:4] == '0 ? '0 : row_q + ROW_W'(!row_q[ROW_W-1]);
    if (rst_i) begin
      light_q <= 1'b0;
      row_q   <= '0;
    end
  end

  fsh_voqbuf #(
      .OUTPUTS(1),
      .CLASSES(3),
      .VCS    (4),
      .BEATS  (BEATS),
      .WIDTH  ($bits({bad_q, in_data_q}))
  ) i_here (
      .clk_i,
      .rst_i,
      .valid_i (beat && here),
      .queue_i ({long && light, long && !light, vc}),
      .follow_i(follow),
      .data_i  ({bad_q, in_data_q}),
      .some_o  (here_some),
      .choose_i(here_can != '0),
      .choice_i(here_choice),
      .begun_o (here_begun),
      .inside_o(here_more),
      .read_o  (here_freed),
      .freed_o (),
      .valid_o (here_valid_o),
      .ready_i (here_ready_i),
      .last_o  (here_last_o),
      .queue_o ({here_rank, unused}),
      .data_o  ({here_bad_o, here_data_o}),
      .busy_o  (here_busy)
  );

  assign here_request_o = here_begun && !here_choice[1];
  assign here_some_o    = here_small_o | {here_some[7:6] != '0, here_some[5:4] != '0};
  assign here_small_o   = {here_some[11:10] != '0, here_some[9:8] != '0};
  assign here_long      = here_rank != '0;
  assign here_long_o    = here_begun && here_choice[3:2] != '0;
  assign here_inside_o  = {here_long, !here_long} & {2{here_more}};

  // A cycle for the choice of the queue. A header has passed one more node, and has the
  // vc of its next link.
  logic            on_valid_q, on_bad_q, on_vc_q, on_long_q, on_small_q;
  logic [127:0]    on_data_q;
  logic [6:0]      on_follow_q;
  logic [QW-1:0]   on_queue_q, queue;

  always_comb begin
    next  = hdr;
    queue = on_queue_q;
    if (beat && sop) begin
      next.hops = hdr.hops + 6'd1;
      next.vc   = (route_vcs & way) != '0;
      queue     = QW'({hdr.reply, next.vc});
      for (int unsigned i = 1; i < OUTS; i++) if (way[i]) queue |= QW'(4 * i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat && !here) begin
      on_data_q   <= next;
      on_bad_q    <= bad_q;
      on_follow_q <= follow;
      on_vc_q     <= vc[0];
      on_queue_q  <= queue;
      if (sop) on_long_q <= long;
      if (sop) on_small_q <= light;
    end
    on_valid_q <= beat && !here;
    if (rst_i) on_valid_q <= 1'b0;
  end

  // For others.
  logic [3:0] freed, short_freed, long_freed;  // by channel
  logic [7:0] fwd_freed /*verilator split_var*/;
  logic [1:0] fwd_busy /*verilator split_var*/, fwd_last /*verilator split_var*/,
              fwd_bad /*verilator split_var*/;
  logic  [OUTS*2-1:0] fwd_started /*verilator split_var*/, fwd_inside /*verilator split_var*/,
                      fwd_valid /*verilator split_var*/;
  logic [OUTS*12-1:0] fwd_some /*verilator split_var*/;

  assign fwd_some_o    = fwd_some;
  assign fwd_started_o = fwd_started;
  assign fwd_inside_o  = fwd_inside;
  assign fwd_valid_o   = fwd_valid;
  assign fwd_last_o    = fwd_last;
  assign fwd_bad_o     = fwd_bad;

  for (genvar c = 0; c < 2; c++) begin : gen_class
    localparam int unsigned WIDTH = (c + 1) * QUEUES;

    fsh_transit #(
        .OUTS (OUTS),
        .RANKS(c + 1),
        .BEATS(BEATS)
    ) i_fwd (
        .clk_i,
        .rst_i,
        .valid_i  (on_valid_q && on_long_q == (c == 1)),
        .queue_i  (on_queue_q),
        .small_i  (on_small_q),
        .follow_i (on_follow_q),
        .vc_i     (on_vc_q),
        .bad_i    (on_bad_q),
        .data_i   (on_data_q),
        .some_o   (fwd_some[c*QUEUES+:WIDTH]),
        .start_i  (fwd_start_i[c*QUEUES+:WIDTH]),
        .started_o(fwd_started[c*OUTS+:OUTS]),
        .inside_o (fwd_inside[c*OUTS+:OUTS]),
        .valid_o  (fwd_valid[c*OUTS+:OUTS]),
        .ready_i  (fwd_ready_i[c]),
        .last_o   (fwd_last[c]),
        .bad_o    (fwd_bad[c]),
        .data_o   (fwd_data_o[c*128+:128]),
        .freed_o  (fwd_freed[c*4+:4]),
        .busy_o   (fwd_busy[c])
    );
  end

  assign {long_freed, short_freed} = fwd_freed;
  assign freed = here_freed | short_freed | long_freed;

  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < 4; v++) begin
      if (freed[v])
        freed_o[v*16+:16] <= freed_o[v*16+:16] + 16'(here_freed[v]) + 16'(short_freed[v]) +
                             16'(long_freed[v]);
    end
    if (rst_i) freed_o <= '0;
  end

  assign busy_o = in_valid_q || on_valid_q || here_busy || fwd_busy != '0;
endmodule

`default_nettype wire
