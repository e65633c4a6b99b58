// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The router of a node: the two halves of each link port (fsh_link_tx, fsh_link_rx) and
/// the switch between them. Packets of lane l of the sequencer leave by the port they
/// name, one of those p for which p % LANES is l: brief ones (no payload from a memory)
/// straight, bulk through the buffer of the port; acks by theirs; what a port receives for
/// this node is offered to the receiver of its lane, what passes through to the port that
/// its route names, short packets and long ones apart. The ports of a lane begin long packets
/// for this node in turn, so that while one waits for the receiver the short ones of the other
/// ports do not. Wires only, and allocators (fsh_alloc): for each output and class, and for each
/// lane; latencies and rules are those of the parts.
module fsh_router #(
    parameter int unsigned PORTS = 2,
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    input  wire fsh_node_pkg::cfg_t    cfg_i,
    input  wire fsh_node_pkg::route_t  route_i,
    // Sequencer: whether a packet may be begun and what is reserved; of brief ones by
    // virtual channel {port, reply, vc}, of bulk by {port, reply}.
    output logic         [PORTS*4-1:0] ok_o,
    input  wire logic    [PORTS*4-1:0] take_i,
    output logic         [PORTS*4-1:0] bulk_ok_o,
    input  wire logic    [PORTS*2-1:0] bulk_take_i,
    input  wire logic            [6:0] take_beats_i,
    // Its packets, by lane, for a port (one-hot; none: not here); bulk is always taken.
    // Whether others want the port.
    input  wire logic      [LANES-1:0] seq_valid_i,
    input  wire logic [LANES*PORTS-1:0] seq_port_i,
    output logic           [LANES-1:0] seq_ready_o,
    input  wire logic      [LANES-1:0] seq_last_i,
    input  wire logic  [LANES*128-1:0] seq_data_i,
    input  wire logic [LANES*PORTS-1:0] bulk_valid_i,
    input  wire logic [LANES*fsh_seq_pkg::BEAT_W-1:0] bulk_i,
    output logic           [PORTS-1:0] others_o,
    // Acks.
    input  wire logic      [PORTS-1:0] ack_valid_i,
    output logic           [PORTS-1:0] ack_ready_o,
    input  wire fsh_spec_pkg::hdr_t    ack_i,
    // For this node, by port; whether one may start, by lane and channel.
    input  wire logic    [LANES*2-1:0] here_start_i,
    output logic           [PORTS-1:0] here_request_o,
    output logic           [PORTS-1:0] here_valid_o,
    input  wire logic      [PORTS-1:0] here_ready_i,
    output logic           [PORTS-1:0] here_last_o,
    output logic       [PORTS*128-1:0] here_data_o,
    output logic           [PORTS-1:0] here_bad_o,
    // Links.
    output logic           [PORTS-1:0] link_tx_valid_o,
    output logic           [PORTS-1:0] link_tx_bound_o,
    output logic       [PORTS*128-1:0] link_tx_data_o,
    input  wire logic      [PORTS-1:0] link_rx_valid_i,
    input  wire logic      [PORTS-1:0] link_rx_bound_i,
    input  wire logic  [PORTS*128-1:0] link_rx_data_i,
    // Events for the counters.
    output logic           [PORTS-1:0] seq_sop_o,
    output logic           [PORTS-1:0] fwd_sop_o,
    output logic           [PORTS-1:0] stall_o,
    output logic                       busy_o
);
  // What passes through: to other ports, numbered without the own.
  localparam int unsigned OUTS = PORTS > 1 ? PORTS - 1 : 1;

  logic [PORTS*4-1:0]    short_ok /*verilator split_var*/, long_ok /*verilator split_var*/;
  logic [PORTS-1:0]      tx_busy /*verilator split_var*/, rx_busy /*verilator split_var*/;
  logic [PORTS-1:0]      seq_ready /*verilator split_var*/;
  // Long packets for this node, as fsh_link_rx says; whose turn it is.
  logic [PORTS*2-1:0]    here_some /*verilator split_var*/, here_inside /*verilator split_var*/;
  logic [PORTS*2-1:0]    here_small /*verilator split_var*/;
  logic [PORTS-1:0]      here_long /*verilator split_var*/, here_turn /*verilator split_var*/;
  // By input and class {long, short}: its queues, its packet; by output: its turn.
  logic [PORTS*OUTS*12-1:0] some /*verilator split_var*/, start /*verilator split_var*/;
  logic [PORTS*OUTS*2-1:0] started /*verilator split_var*/, more /*verilator split_var*/;
  logic [PORTS*OUTS*2-1:0] valid /*verilator split_var*/, ready /*verilator split_var*/;
  logic [PORTS*2-1:0]    last /*verilator split_var*/, bad /*verilator split_var*/;
  logic [PORTS*256-1:0]  data /*verilator split_var*/;

  // Outputs, of which each port has a part.
  logic [PORTS-1:0]      seq_sop /*verilator split_var*/, fwd_sop /*verilator split_var*/;
  logic [PORTS-1:0]      stall /*verilator split_var*/, others /*verilator split_var*/;
  logic [PORTS-1:0]      here_request /*verilator split_var*/, here_valid /*verilator split_var*/;
  logic [PORTS-1:0]      here_last /*verilator split_var*/, here_bad /*verilator split_var*/;
  logic [PORTS-1:0]      ack_ready /*verilator split_var*/;
  logic [PORTS*4-1:0]    bulk_ok /*verilator split_var*/;

  assign seq_sop_o      = seq_sop;
  assign fwd_sop_o      = fwd_sop;
  assign stall_o        = stall;
  assign others_o       = others;
  assign here_request_o = here_request;
  assign here_valid_o   = here_valid;
  assign here_last_o    = here_last;
  assign here_bad_o     = here_bad;
  assign ack_ready_o    = ack_ready;
  assign bulk_ok_o      = bulk_ok;
  assign ok_o   = short_ok;
  assign busy_o = tx_busy != '0 || rx_busy != '0;

  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    localparam int unsigned L = p % LANES;
    logic        credit_valid;
    logic [63:0] credit, freed_here;

    // Output p, by class: inputs k, which is port k or k + 1.
    logic [OUTS*2-1:0]   from_valid, from_ready, from_last, from_bad, begun;
    logic [OUTS*256-1:0] from_data;
    logic [7:0]          from_some;
    logic                from_open;

    for (genvar c = 0; c < 2; c++) begin : gen_class
      // Queues of an input {small, reply, vc}: long packets of small messages find credit where
      // short ones do.
      localparam int unsigned Q = 4 * (c + 1);
      logic [OUTS-1:0]   req, urgent, busy, going, turn;
      logic [OUTS*4-1:0] wants;
      logic [Q-1:0]      ok;

      if (c == 0) begin : gen_short
        assign ok = short_ok[p*4+:4];
      end else begin : gen_long
        assign ok = {short_ok[p*4+:4], long_ok[p*4+:4]};
      end

      for (genvar k = 0; k < OUTS; k++) begin : gen_from
        localparam int unsigned I = k < p ? k : k + 1;  // the input
        localparam int unsigned J = p < I ? p : p - 1;  // this output, as it numbers them
        localparam int unsigned K = c * OUTS + k;
        if (PORTS > 1) begin : gen_wire
          localparam int unsigned IN = 2 * I + c;
          localparam int unsigned AT = IN * OUTS + J;
          localparam int unsigned QUEUE = I * OUTS * 12 + c * OUTS * 4 + J * Q;
          assign from_valid[K]         = valid[AT];
          assign from_last[K]          = last[IN];
          assign from_bad[K]           = bad[IN];
          assign from_data[K*128+:128] = data[IN*128+:128];
          assign wants[k*4+:4]         = (some[QUEUE+:4] | some[QUEUE+Q-4+:4]) & {4{!busy[k]}};
          assign req[k]                = (some[QUEUE+:Q] & ok) != '0;
          assign urgent[k]             = c == 1 && (some[QUEUE+Q-4+:4] & ok[Q-1-:4]) != '0;
          assign going[k]              = more[AT];
          assign busy[k]               = more[IN*OUTS+:OUTS] != '0 && !more[AT];
          assign begun[K]              = started[AT];
          assign ready[AT]             = from_ready[K];
          assign start[QUEUE+:Q]       = ok & {Q{from_open && turn[k]}};
        end else begin : gen_none  // a single port: nothing passes through
          logic unused;
          assign unused = &{some, started, more, valid, last, bad, data, from_ready[K], ok,
                            from_open, turn[k]};
          assign {from_valid[K], from_last[K], from_bad[K]} = '0;
          assign {req[k], urgent[k], going[k], busy[k], begun[K]} = '0;
          assign from_data[K*128+:128] = '0;
          assign wants[k*4+:4]         = '0;
          assign ready[K]              = 1'b0;
          assign start[c*4+:Q]         = '0;
        end
      end

      always_comb begin
        from_some[c*4+:4] = '0;
        for (int unsigned k = 0; k < OUTS; k++) from_some[c*4+:4] |= wants[k*4+:4];
      end

      fsh_alloc #(
          .N(OUTS)
      ) i_alloc (
          .clk_i,
          .rst_i,
          .req_i    (req),
          .urgent_i (urgent),
          .busy_i   (busy),
          .inside_i (going),
          .started_i(begun[c*OUTS+:OUTS]),
          .start_o  (turn)
      );
    end

    fsh_link_tx #(
        .FWD(OUTS)
    ) i_tx (
        .clk_i,
        .rst_i,
        .short_ok_o    (short_ok[p*4+:4]),
        .long_ok_o     (long_ok[p*4+:4]),
        .seq_take_i    (take_i[p*4+:4]),
        .seq_beats_i   (take_beats_i),
        .seq_valid_i   (seq_valid_i[L] && seq_port_i[L*PORTS+p]),
        .seq_ready_o   (seq_ready[p]),
        .seq_last_i    (seq_last_i[L]),
        .seq_data_i    (seq_data_i[L*128+:128]),
        .bulk_ok_o     (bulk_ok[p*4+:4]),
        .bulk_take_i   (bulk_take_i[p*2+:2]),
        .bulk_valid_i  (bulk_valid_i[L*PORTS+p]),
        .bulk_i        (bulk_i[L*fsh_seq_pkg::BEAT_W+:fsh_seq_pkg::BEAT_W]),
        .ack_valid_i   (ack_valid_i[p]),
        .ack_ready_o   (ack_ready[p]),
        .ack_data_i    (ack_i),
        .fwd_open_o    (from_open),
        .fwd_some_i    (from_some),
        .fwd_started_i (begun != '0),
        .fwd_valid_i   (from_valid),
        .fwd_ready_o   (from_ready),
        .fwd_last_i    (from_last),
        .fwd_data_i    (from_data),
        .fwd_bad_i     (from_bad),
        .credit_valid_i(credit_valid),
        .credit_i      (credit),
        .freed_i       (freed_here),
        .link_valid_o  (link_tx_valid_o[p]),
        .link_bound_o  (link_tx_bound_o[p]),
        .link_data_o   (link_tx_data_o[p*128+:128]),
        .others_o      (others[p]),
        .seq_sop_o     (seq_sop[p]),
        .fwd_sop_o     (fwd_sop[p]),
        .stall_o       (stall[p]),
        .busy_o        (tx_busy[p])
    );

    // Input p: outputs j, which is port j or j + 1.
    logic [OUTS-1:0] route_ports, route_vcs, ports;

    for (genvar j = 0; j < OUTS; j++) begin : gen_to
      localparam int unsigned O = PORTS == 1 ? 0 : j < p ? j : j + 1;
      assign route_ports[j] = PORTS > 1 && route_i.ports[O];
      assign route_vcs[j]   = route_i.vcs[O];
      assign ports[j]       = PORTS > 1 && cfg_i.ports[O];
    end

    fsh_link_rx #(
        .OUTS(OUTS)
    ) i_rx (
        .clk_i,
        .rst_i,
        .node_i        (cfg_i.node),
        .odd_i         (p % 2 == 1),
        .route_we_i    (route_i.we),
        .route_node_i  (route_i.node),
        .route_ports_i (route_ports),
        .route_vcs_i   (route_vcs),
        .ports_i       (ports),
        .link_valid_i  (link_rx_valid_i[p]),
        .link_bound_i  (link_rx_bound_i[p]),
        .link_data_i   (link_rx_data_i[p*128+:128]),
        .credit_valid_o(credit_valid),
        .credit_o      (credit),
        .freed_o       (freed_here),
        .here_start_i  ({here_start_i[L*2+:2] & {2{here_turn[p]}}, here_start_i[L*2+:2]}),
        .here_request_o(here_request[p]),
        .here_some_o   (here_some[p*2+:2]),
        .here_small_o  (here_small[p*2+:2]),
        .here_long_o   (here_long[p]),
        .here_inside_o (here_inside[p*2+:2]),
        .here_valid_o  (here_valid[p]),
        .here_ready_i  (here_ready_i[p]),
        .here_last_o   (here_last[p]),
        .here_data_o   (here_data_o[p*128+:128]),
        .here_bad_o    (here_bad[p]),
        .fwd_some_o    (some[p*OUTS*12+:OUTS*12]),
        .fwd_start_i   (start[p*OUTS*12+:OUTS*12]),
        .fwd_started_o (started[p*OUTS*2+:OUTS*2]),
        .fwd_inside_o  (more[p*OUTS*2+:OUTS*2]),
        .fwd_valid_o   (valid[p*OUTS*2+:OUTS*2]),
        // By that to which it has a packet.
        .fwd_ready_i   ({ready[(2*p+1)*OUTS+:OUTS] != '0, ready[2*p*OUTS+:OUTS] != '0}),
        .fwd_last_o    (last[p*2+:2]),
        .fwd_data_o    (data[p*256+:256]),
        .fwd_bad_o     (bad[p*2+:2]),
        .busy_o        (rx_busy[p])
    );
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    if (l >= PORTS) begin : gen_unused
      logic unused;
      assign unused = &{seq_valid_i[l], seq_last_i[l], seq_data_i[l*128+:128],
                        bulk_valid_i[l*PORTS+:PORTS],
                        bulk_i[l*fsh_seq_pkg::BEAT_W+:fsh_seq_pkg::BEAT_W],
                        here_start_i[l*2+:2]};
    end

    // Its ports, numbered among themselves.
    localparam int unsigned THERE = (PORTS + LANES - 1 - l) / LANES;

    if (THERE != 0) begin : gen_turn
      logic [THERE-1:0] req, urgent, busy, going, begun, turn;

      for (genvar k = 0; k < THERE; k++) begin : gen_port
        localparam int unsigned P = k * LANES + l;
        assign req[k]       = (here_some[P*2+:2] & here_start_i[l*2+:2]) != '0;
        assign urgent[k]    = (here_small[P*2+:2] & here_start_i[l*2+:2]) != '0;
        assign busy[k]      = here_inside[P*2];
        assign going[k]     = here_inside[P*2+1];
        assign begun[k]     = here_long[P];
        assign here_turn[P] = turn[k];
      end

      fsh_alloc #(
          .N(THERE)
      ) i_alloc (
          .clk_i,
          .rst_i,
          .req_i    (req),
          .urgent_i (urgent),
          .busy_i   (busy),
          .inside_i (going),
          .started_i(begun),
          .start_o  (turn)
      );
    end
    assign seq_ready_o[l] = |(seq_port_i[l*PORTS+:PORTS] & seq_ready);
  end
endmodule

`default_nettype wire
