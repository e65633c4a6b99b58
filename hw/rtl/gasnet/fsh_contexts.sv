// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The sequencer's contexts, CONTEXTS per channel: which are in use, which ports the next packet
/// of each may take, and whose turn it is. The last context of a channel does not accept messages
/// longer than a packet, and only it accepts ordered commands. A message longer than a packet
/// rotates over its ports; any other stays on the port of its first packet; among contexts with
/// room the choice is round robin.
/// load_i: a command occupies context load_index_o (combinational), the lowest permitted one.
/// want_o: the next packet of context next_index_o has room; take_i: it is issued. In the
/// following cycle port_o is its port, if there is still room (ok_o); if not, the context keeps
/// its turn. more_i: a packet of the context of the last take leaves by port_q_i and others
/// follow; free_i: the last one has left. All else is combinational. Reset frees all contexts.
module fsh_contexts #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned CONTEXTS = PORTS > 2 ? 8 : 4,  // a power of two
    localparam int unsigned N = 2 * CONTEXTS,
    localparam int unsigned IW = $clog2(N),
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    output fsh_seq_pkg::free_t      free_req_o,
    output fsh_seq_pkg::free_t      free_rep_o,
    // A command: its channel, whether it is ordered, is for this node, is longer than a packet;
    // its ports and the vc on each. One cycle later: whether it has payload from a memory, and
    // less than LONG_BYTES (until then the values of the context's previous message apply).
    input  wire logic               load_i,
    input  wire logic               load_reply_i,
    input  wire logic               load_ordered_i,
    input  wire logic               load_loop_i,
    input  wire logic               load_bulk_i,
    input  wire logic               load_memory_i,
    input  wire logic               load_short_i,
    input  wire logic   [PORTS-1:0] load_ports_i,
    input  wire logic   [PORTS-1:0] load_vcs_i,
    output logic           [IW-1:0] load_index_o,
    // Room by lane, for packets without payload from a memory and for those with; for the former
    // credit at the links {port, reply, vc}; for the latter room in the queues of the ports
    // {port, reply, long}; and room in the loopback.
    input  wire logic   [LANES-1:0] brief_room_i,
    input  wire logic   [LANES-1:0] memory_room_i,
    input  wire logic [PORTS*4-1:0] link_ok_i,
    input  wire logic [PORTS*4-1:0] queue_ok_i,
    input  wire logic         [1:0] loop_ok_i,
    output logic                    want_o,
    input  wire logic               take_i,
    output logic           [IW-1:0] next_index_o,
    output logic                    ok_o,
    output logic        [PORTS-1:0] port_o,
    input  wire logic               more_i,
    input  wire logic               free_i,
    input  wire logic   [PORTS-1:0] port_q_i,
    input  wire logic   [PORTS-1:0] ports_i,  // all ports the context may take
    output logic        [PORTS-1:0] stall_o,  // a packet for the port lacks only credit
    output logic                    busy_o
);
  logic [N-1:0]        active_q, loop_q, bulk_q, memory_q, short_q, late_q, at_q, load_at, can, gnt;
  // By port, for each context: port left in this rotation; vc on it; free to take the next
  // packet.
  logic [PORTS*N-1:0]  left_q, vcs_q, open;
  logic [N-1:0]        some_open;
  logic [CONTEXTS-1:0] req_used, rep_used, first;
  logic [PORTS-1:0]    rest, choice;

  assign req_used           = active_q[CONTEXTS-1:0];
  assign rep_used           = active_q[N-1:CONTEXTS];
  assign free_req_o.ordered = !req_used[CONTEXTS-1];
  assign free_req_o.bulk    = req_used[CONTEXTS-2:0] != '1;
  assign free_req_o.brief   = req_used != '1;
  assign free_rep_o.ordered = !rep_used[CONTEXTS-1];
  assign free_rep_o.bulk    = rep_used[CONTEXTS-2:0] != '1;
  assign free_rep_o.brief   = rep_used != '1;
  assign busy_o             = active_q != '0;

  // The context for a command: the lowest free one; for ordered commands the last. Computed for
  // both channels, since the command arrives late in the cycle.
  localparam logic [CONTEXTS-1:0] LAST = {1'b1, {(CONTEXTS - 1) {1'b0}}};

  function automatic logic [CONTEXTS-1:0] lowest(input logic [CONTEXTS-1:0] used);
    logic [CONTEXTS-1:0] lower;
    lower = '0;
    for (int unsigned shift = 1; shift < CONTEXTS; shift++) lower |= ~used << shift;
    lowest = ~used & ~lower;
  endfunction

  function automatic logic [IW-2:0] index_of(input logic [CONTEXTS-1:0] one);
    index_of = '0;
    for (int unsigned at = 0; at < CONTEXTS; at++) if (one[at]) index_of |= (IW - 1)'(at);
  endfunction

  always_comb begin
    {first, load_index_o, load_at} = 'x;
    if (load_i) begin
      first = load_ordered_i ? LAST : load_reply_i ? lowest(rep_used) : lowest(req_used);
      load_index_o = {load_reply_i, load_ordered_i ? (IW - 1)'(CONTEXTS - 1) :
                                    load_reply_i ? index_of(lowest(rep_used)) :
                                                   index_of(lowest(req_used))};
      load_at = load_reply_i ? {first, {CONTEXTS{1'b0}}} : {{CONTEXTS{1'b0}}, first};
    end
  end

  // All contexts in parallel: for a simulator a few words of logic rather than bit by bit. What no
  // context in use needs is anything.
  logic [N-1:0] loop_ok;
  logic         briefs, loops;  // there are such contexts

  assign briefs = (active_q & ~memory_q) != '0;
  assign loops  = (active_q & loop_q) != '0;

  always_comb begin
    loop_ok = 'x;
    if (loops) loop_ok = {{CONTEXTS{loop_ok_i[1]}}, {CONTEXTS{loop_ok_i[0]}}};
  end

  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    logic [N-1:0] queue, link, credit;
    logic [3:0]   queue_ok, link_ok;  // {reply, long}, {reply, vc}

    assign queue_ok = queue_ok_i[p*4+:4];
    assign link_ok  = link_ok_i[p*4+:4];
    assign queue    = ({{CONTEXTS{queue_ok[2]}}, {CONTEXTS{queue_ok[0]}}} & short_q) |
                      ({{CONTEXTS{queue_ok[3]}}, {CONTEXTS{queue_ok[1]}}} & ~short_q);
    always_comb begin
      link = 'x;
      if (briefs)
        link = ({{CONTEXTS{link_ok[2]}}, {CONTEXTS{link_ok[0]}}} & ~vcs_q[p*N+:N]) |
               ({{CONTEXTS{link_ok[3]}}, {CONTEXTS{link_ok[1]}}} & vcs_q[p*N+:N]);
    end
    assign credit   = (loop_ok & loop_q) |
                      (((queue & memory_q) | (link & ~memory_q)) & ~loop_q);
    assign open[p*N+:N] = left_q[p*N+:N] & credit &
                          (({N{memory_room_i[p%LANES]}} & memory_q) |
                           ({N{brief_room_i[p%LANES]}} & ~memory_q));
    assign stall_o[p]   = (active_q & ~loop_q & left_q[p*N+:N] & ~credit) != '0;
  end

  always_comb begin
    some_open = '0;
    for (int unsigned p = 0; p < PORTS; p++) some_open |= open[p*N+:N];
  end
  assign can = active_q & some_open;

  // A context that finds no room in the following cycle keeps its turn: otherwise the others
  // could take the room each time, and it would wait as long as they have packets.
  fsh_turn #(
      .N(N)
  ) i_turn (
      .clk_i,
      .rst_i,
      .req_i (can),
      .pass_i(at_q & {N{ok_o}}),
      .gnt_o (gnt)
  );

  assign want_o = can != '0;
  always_comb begin
    next_index_o = '0;
    for (int unsigned i = 0; i < N; i++) if (gnt[i]) next_index_o |= IW'(i);
  end

  // Its port, one cycle later.
  logic taken_q;

  always_comb begin
    choice = '0;
    if (taken_q) begin
      for (int unsigned p = 0; p < PORTS; p++) choice[p] = (at_q & open[p*N+:N]) != '0;
    end
  end
  assign ok_o = choice != '0;

  fsh_arb #(
      .N(PORTS)
  ) i_port (
      .clk_i,
      .rst_i,
      .req_i (choice),
      .look_i(1'b1),
      .take_i(ok_o),
      .gnt_o (port_o)
  );

  always_comb begin
    rest = 'x;
    if (more_i) begin
      for (int unsigned p = 0; p < PORTS; p++)
        rest[p] = (at_q & left_q[p*N+:N]) != '0 && !port_q_i[p];
      if (rest == '0) rest = ports_i;
      if ((bulk_q & at_q) == '0) rest = port_q_i;
    end
  end

  // The context whose rotation changes; when a command arrives, no packet leaves.
  logic [N-1:0]     turned;
  logic [PORTS-1:0] turn_ports;
  logic             loaded_q;

  function automatic logic [PORTS*N-1:0] spread(input logic [N-1:0] contexts,
                                                input logic [PORTS-1:0] ports);
    for (int unsigned p = 0; p < PORTS; p++) spread[p*N+:N] = contexts & {N{ports[p]}};
  endfunction

  always_comb begin
    {turned, turn_ports} = 'x;
    if (load_i || more_i) begin
      turned     = load_i ? load_at : at_q;
      turn_ports = load_i ? load_ports_i : rest;
    end
  end

  always_ff @(posedge clk_i) begin
    taken_q  <= take_i;
    loaded_q <= load_i;
    late_q   <= load_at;
    if (loaded_q) begin
      memory_q <= load_memory_i ? memory_q | late_q : memory_q & ~late_q;
      short_q  <= load_short_i ? short_q | late_q : short_q & ~late_q;
    end
    if (take_i) at_q <= gnt;
    if (free_i) active_q <= active_q & ~at_q;
    if (load_i) begin
      active_q <= active_q | load_at;
      loop_q   <= load_loop_i ? loop_q | load_at : loop_q & ~load_at;
      bulk_q   <= load_bulk_i ? bulk_q | load_at : bulk_q & ~load_at;
    end
    if (load_i || more_i) left_q <= (left_q & ~{PORTS{turned}}) | spread(turned, turn_ports);
    if (load_i) vcs_q <= (vcs_q & ~{PORTS{load_at}}) | spread(load_at, load_vcs_i);
    if (rst_i) begin
      taken_q  <= 1'b0;
      loaded_q <= 1'b0;
      memory_q <= '0;
      active_q <= '0;
    end
  end

  `FSH_ASSERT(assert_fit, !load_i || (first != '0 && (load_at & active_q) == '0))
  `FSH_ASSERT(assert_bulk, !load_i || !load_bulk_i || !first[CONTEXTS-1])
  `FSH_ASSERT(assert_port, !load_i || load_ports_i != '0)
  `FSH_ASSERT(assert_either, !load_i || !(free_i || more_i))
endmodule

`default_nettype wire
