// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Transit packets of one class that came by one link: a queue for each output and virtual
/// channel {output, reply, vc} of the link that they leave on, all in one block RAM
/// (fsh_voqbuf), read one packet at a time. With RANKS = 2 two of each, {output, small, reply,
/// vc}: packets of small messages go before the others, up to a bound (fsh_pick). Written as
/// fsh_voqbuf is, small_i beside a header; vc_i: the vc that a beat came on. some_o: a queue has
/// a packet that is not begun; start_i: one of it may begin, round robin by packet. By output:
/// one begins (started_o), more of one is to be read (inside_o), a beat is offered (valid_o).
/// freed_o: a beat that came on this channel {reply, vc} has been read, a register. Two cycles
/// from writing to offer, one beat a cycle. Reset empties the queues.
module fsh_transit #(
    parameter int unsigned OUTS = 1,
    parameter int unsigned RANKS = 1,
    parameter int unsigned BEATS = 2048,
    localparam int unsigned QUEUES = OUTS * RANKS * 4
) (
    input  wire logic                      clk_i,
    input  wire logic                      rst_i,
    input  wire logic                      valid_i,
    input  wire logic [$clog2(OUTS*4)-1:0] queue_i,  // {output, reply, vc}
    input  wire logic                      small_i,
    input  wire logic                [6:0] follow_i,
    input  wire logic                      vc_i,
    input  wire logic                      bad_i,
    input  wire logic              [127:0] data_i,
    output logic              [QUEUES-1:0] some_o,
    input  wire logic         [QUEUES-1:0] start_i,
    output logic                [OUTS-1:0] started_o,
    output logic                [OUTS-1:0] inside_o,
    output logic                [OUTS-1:0] valid_o,
    input  wire logic                      ready_i,
    output logic                           last_o,
    output logic                           bad_o,
    output logic                   [127:0] data_o,
    output logic                     [3:0] freed_o,
    output logic                           busy_o
);
  localparam int unsigned QW = $clog2(QUEUES);
  localparam int unsigned N = OUTS * 4;  // queues of a rank
  localparam int unsigned OUT_BIT = $clog2(RANKS * 4);

  logic [QUEUES-1:0] can, gnt;
  logic [OUTS-1:0]   chosen, offered;
  logic [QW-1:0]     into, choice, queue;
  logic [3:0]        freed;
  logic              begun, more, valid, vc, look;

  assign can  = some_o & start_i;
  assign look = !more && can != '0;  // else nobody looks at the choice

  if (RANKS == 1) begin : gen_one
    logic unused;
    assign unused = small_i;
    assign into   = queue_i;

    fsh_arb #(
        .N(QUEUES)
    ) i_arb (
        .clk_i,
        .rst_i,
        .req_i (can),
        .look_i(look),
        .take_i(begun),
        .gnt_o (gnt)
    );
  end else begin : gen_two
    logic [N-1:0]   light, bulk;
    logic [2*N-1:0] picked;

    assign into = QW'({queue_i >> 2, small_i, queue_i[1:0]});

    for (genvar o = 0; o < OUTS; o++) begin : gen_out
      assign {light[o*4+:4], bulk[o*4+:4]} = can[o*8+:8];
      assign gnt[o*8+:8] = {picked[o*4+:4], picked[N+o*4+:4]};
    end

    fsh_pick #(
        .N(N)
    ) i_pick (
        .clk_i,
        .rst_i,
        .short_i(light),
        .long_i (bulk),
        .look_i (look),
        .take_i (begun),
        .gnt_o  (picked)
    );
  end

  always_comb begin
    {choice, chosen} = 'x;
    if (look) begin
      choice = '0;
      for (int unsigned i = 0; i < QUEUES; i++) if (gnt[i]) choice |= QW'(i);
      for (int unsigned i = 0; i < OUTS; i++) chosen[i] = gnt[i*RANKS*4+:RANKS*4] != '0;
    end
  end
  always_comb begin
    for (int unsigned i = 0; i < OUTS; i++) offered[i] = 32'(queue) >> OUT_BIT == i;
  end

  fsh_voqbuf #(
      .OUTPUTS(OUTS),
      .CLASSES(RANKS),
      .VCS    (4),
      .BEATS  (BEATS),
      .WIDTH  ($bits({vc_i, bad_i, data_i}))
  ) i_buf (
      .clk_i,
      .rst_i,
      .valid_i,
      .queue_i (into),
      .follow_i,
      .data_i  ({vc_i, bad_i, data_i}),
      .some_o,
      .choose_i(can != '0),
      .choice_i(choice),
      .begun_o (begun),
      .inside_o(more),
      .read_o  (),
      .freed_o (freed),
      .valid_o (valid),
      .ready_i,
      .last_o,
      .queue_o (queue),
      .data_o  ({vc, bad_o, data_o}),
      .busy_o
  );

  assign started_o = chosen & {OUTS{begun}};
  assign inside_o  = offered & {OUTS{more}};
  assign valid_o   = offered & {OUTS{valid}};

  // By the vc that it came on, which is known when it is read.
  always_comb begin
    freed_o = '0;
    if (freed != '0) freed_o = 4'd1 << {queue[1], vc};
  end
endmodule

`default_nettype wire
