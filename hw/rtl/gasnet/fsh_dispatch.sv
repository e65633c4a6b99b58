// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Between the receivers' queues of served requests, the scheduler and the engines: passes GETs
/// through and offers each message to the sink of the engine for its opcode, one per cycle, round
/// robin over the receivers; one that is not accepted is offered again after that of the other
/// receiver.
/// A sink returns a status in the cycle in which it accepts a message. A message that needs no
/// answer is then done; otherwise the answer with that status is offered to the scheduler from
/// the next cycle on.
/// GETs: combinational. Only sinks and the scheduler's reply contexts exert backpressure:
/// arrivals must be consumed in bounded time, so an engine that cannot tell when it will be ready
/// accepts the message and answers BUSY. A further engine is a further element of the vectors.
module fsh_dispatch #(
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    // Queues of the receivers.
    input  wire logic           [1:0] get_valid_i,
    output logic                [1:0] get_ready_o,
    input  wire fsh_fn_pkg::get_t     get0_i,
    input  wire fsh_fn_pkg::get_t     get1_i,
    // The scheduler.
    output logic                [1:0] get_valid_o,
    input  wire logic           [1:0] get_ready_i,
    output logic                [7:0] get_status_o,
    // Sinks, by engine: offered msg_o; whether it accepts that, and its status.
    output logic        [ENGINES-1:0] msg_valid_o,
    input  wire logic   [ENGINES-1:0] msg_ready_i,
    output fsh_fn_pkg::msg_t          msg_o,
    input  wire logic [ENGINES*4-1:0] msg_status_i,
    output logic                      perf_refused_o
);
  // told: the message at the front has been handled, its answer waits for the scheduler.
  logic [1:0]         is_msg, open, gnt, told_q, done;
  logic [ENGINES-1:0] sink0, sink1;
  logic               offer, take;
  logic [3:0]         status;
  logic [7:0]         status_q;

  assign sink0  = get0_i.sink[ENGINES-1:0];
  assign sink1  = get1_i.sink[ENGINES-1:0];
  assign is_msg = {sink1 != '0, sink0 != '0};
  assign open   = get_valid_i & is_msg & ~told_q;
  assign offer  = open != '0;

  fsh_arb #(
      .N(2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (open),
      .look_i(1'b1),
      .take_i(offer),
      .gnt_o (gnt)
  );

  assign msg_valid_o = (sink0 & {ENGINES{gnt[0]}}) | (sink1 & {ENGINES{gnt[1]}});

  always_comb begin
    msg_o = 'x;
    if (offer) begin
      msg_o.ack  = gnt[1] ? get1_i.flag : get0_i.flag;
      msg_o.src  = gnt[1] ? get1_i.dst : get0_i.dst;
      msg_o.args = gnt[1] ? {get1_i.laddr[23:0], get1_i.raddr} :
                            {get0_i.laddr[23:0], get0_i.raddr};
    end
  end

  assign take = |(msg_valid_o & msg_ready_i);

  always_comb begin
    status = '0;
    for (int unsigned k = 0; k < ENGINES; k++) begin
      if (msg_valid_o[k]) status = status | msg_status_i[k*4+:4];
    end
  end

  assign done         = gnt & {2{take && !msg_o.ack}};
  assign get_valid_o  = get_valid_i & (~is_msg | told_q);
  assign get_ready_o  = get_ready_i | done;
  // A GET that cannot be served never reaches this module.
  assign get_status_o = status_q & {{4{is_msg[1]}}, {4{is_msg[0]}}};

  always_ff @(posedge clk_i) begin
    told_q <= (told_q | (gnt & {2{take && msg_o.ack}})) & ~get_ready_i;
    if (gnt[0] && take) status_q[3:0] <= status;
    if (gnt[1] && take) status_q[7:4] <= status;
    if (rst_i) told_q <= '0;
  end

  assign perf_refused_o = take && status != fsh_spec_pkg::STATUS_OK;

  `FSH_ASSERT(assert_told, (told_q & ~(get_valid_i & is_msg)) == '0)
  `FSH_ASSERT(assert_pop, (get_ready_o & ~get_valid_i) == '0)
  `FSH_ASSERT(assert_once, (get_ready_i & done) == '0)
  `FSH_ASSERT(assert_one_sink, (msg_valid_o & (msg_valid_o - 1'b1)) == '0)
endmodule

`default_nettype wire
