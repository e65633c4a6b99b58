// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets of a receiver that wait, in order, until all their writes have been acknowledged: one
/// to device memory (mem_i), up to two to the host (host_i). Each is then offered to the
/// completion unit, with status MEMORY if it had an error: its last beat was bad (bad_i, once
/// that has passed and before the next packet is given; bad_o: no packet may be given until the
/// queue is empty), or a write response was an error. If the responses of several packets are
/// present while the first has not been taken, an error is attributed to all of them.
/// Three cycles from a packet without writes to its offer. ok_o: room for SPARE more; a register.
/// Reset empties it.
module fsh_pend #(
    parameter int unsigned DEPTH = 32,
    parameter int unsigned SPARE = 8
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             valid_i,
    input  wire logic             mem_i,
    input  wire logic       [1:0] host_i,
    input  wire fsh_fn_pkg::evt_t evt_i,
    input  wire logic             bad_i,
    output      logic             bad_o,
    output      logic             ok_o,
    input  wire logic             mem_bvalid_i,
    input  wire logic             mem_berr_i,
    input  wire logic             host_bvalid_i,
    input  wire logic             host_berr_i,
    output      logic             evt_valid_o,
    input  wire logic             evt_ready_i,
    output      fsh_fn_pkg::evt_t evt_o,
    output      logic             busy_o
);
  fsh_fn_pkg::evt_t evt;
  logic             ready, valid, mem, pop, last, mem_ok, host_ok, mem_err;
  logic [1:0]       host;
  logic [5:0]       count;
  // Outstanding responses: their number, comparisons with it, and whether one was an error.
  logic [5:0]       mem_b, mem_more, mem_less, mem_b_q;
  logic [6:0]       host_b, host_more, host_less, host_b_q;
  logic             mem_one_q, host_one_q, host_two_q, mem_bad_q, host_bad_q, bad_q;

  fsh_fifo #(
      .WIDTH($bits({host_i, mem_i, evt_i})),
      .DEPTH(DEPTH),
      .BLOCK(1'b1),
      .LUT  (1'b1)
  ) i_fifo (
      .clk_i,
      .rst_i,
      .valid_i,
      .ready_o(ready),
      .data_i ({host_i, mem_i, evt_i}),
      .valid_o(valid),
      .ready_i(pop),
      .data_o ({host, mem, evt}),
      .count_o(count)
  );

  always_comb begin
    mem_ok      = 'x;
    host_ok     = 'x;
    evt_valid_o = 1'b0;
    if (valid) begin
      mem_ok      = !mem || mem_one_q || mem_bvalid_i;
      host_ok     = host == '0 || host_two_q || (host_one_q && !host[1]);
      evt_valid_o = mem_ok && host_ok;
    end
  end
  assign pop         = evt_valid_o && evt_ready_i;

  // pop is late: it only selects among precomputed values.
  always_comb begin
    {mem_more, mem_less, mem_b, host_more, host_less, host_b} = 'x;
    if (mem_bvalid_i || host_bvalid_i || pop) begin
      mem_more  = mem_b_q + {5'd0, mem_bvalid_i};
      mem_less  = mem_more - {5'd0, mem};
      mem_b     = pop ? mem_less : mem_more;
      host_more = host_b_q + {6'd0, host_bvalid_i};
      host_less = host_more - {5'd0, host};
      host_b    = pop ? host_less : host_more;
    end
  end
  assign last      = count == '0;
  assign mem_err   = mem_bad_q || (mem_bvalid_i && mem_berr_i && !mem_one_q);

  always_comb begin
    evt_o = evt;
    if (bad_q || mem_err || host_bad_q) begin  // rare: spares simulators the rest
      if (evt.status == fsh_spec_pkg::STATUS_OK &&
          ((bad_q && last) || (mem && mem_err) || (host != '0 && host_bad_q)))
        evt_o.status = fsh_spec_pkg::STATUS_MEMORY;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mem_bvalid_i || pop) begin
      mem_b_q   <= mem_b;
      mem_one_q <= mem_b != '0;
      mem_bad_q <= (mem_bad_q || (mem_bvalid_i && mem_berr_i)) && mem_b != '0;
    end
    if (host_bvalid_i || pop) begin
      host_b_q   <= host_b;
      host_one_q <= host_b != '0;
      host_two_q <= host_b[6:1] != '0;
      host_bad_q <= (host_bad_q || (host_bvalid_i && host_berr_i)) && host_b != '0;
    end
    if (bad_i) bad_q <= 1'b1;
    else if (pop && last) bad_q <= 1'b0;
    ok_o <= count < 6'(DEPTH - SPARE + 1);
    if (rst_i) begin
      mem_b_q    <= '0;
      host_b_q   <= '0;
      mem_one_q  <= 1'b0;
      host_one_q <= 1'b0;
      host_two_q <= 1'b0;
      mem_bad_q  <= 1'b0;
      host_bad_q <= 1'b0;
      bad_q      <= 1'b0;
      ok_o       <= 1'b0;
    end
  end

  assign bad_o  = bad_q;
  assign busy_o = valid || !last;

  `FSH_ASSERT(assert_room, !valid_i || ready)
  `FSH_ASSERT(assert_bad, !valid_i || !bad_q)
endmodule

`default_nettype wire
