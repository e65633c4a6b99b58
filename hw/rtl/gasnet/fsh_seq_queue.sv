// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The packet descriptors of a sequencer lane: two queues, each in order, in one distributed RAM
/// of 32 words with one read port: BULK words for bulk_*, the rest for brief_*.
/// desc_o: the front of the queue selected by brief_i, combinational. The field ahead_o of the
/// front of bulk is always available, and whether that of brief has at most two beats
/// (brief_plain_o). A word is offered in the cycle after its push. At most one push per cycle, to
/// a queue that has room; to_bulk_i announces early which queue it would be. count_o: words.
/// Reset empties both.
module fsh_seq_queue #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned BULK = 24,
    localparam int unsigned BRIEF = 32 - BULK
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                brief_push_i,
    input  wire logic                bulk_push_i,
    input  wire logic                to_bulk_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_seq_pkg::desc_t  desc_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic               [3:0] brief_count_o,
    output logic               [4:0] bulk_count_o,
    output logic                     brief_valid_o,
    output logic                     brief_plain_o,
    input  wire logic                brief_pop_i,
    output logic                     bulk_valid_o,
    input  wire logic                bulk_pop_i,
    output fsh_seq_pkg::ahead_t      ahead_o,
    input  wire logic                brief_i,
    output fsh_seq_pkg::desc_t       desc_o
);
  // Without the bits of ports that the node does not have, and without the field given by
  // ahead_o.
  localparam int unsigned WIDTH = $bits(desc_i) - fsh_fn_pkg::MAX_PORTS + PORTS - 1;
  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem[32];
  (* ram_style = "distributed" *) logic [$bits(ahead_o)-1:0] ahead_mem[32];
  (* ram_style = "distributed" *) logic plain_mem[BRIEF];
  logic [WIDTH-1:0]      kept, front;
  fsh_seq_pkg::ahead_t   ahead;
  logic [4:0]            bulk_wptr_q, bulk_rptr_q, bulk_count_q, waddr, raddr;
  logic [2:0]            brief_wptr_q, brief_rptr_q;
  logic [3:0]            brief_count_q;
  logic                  bulk_some_q, brief_some_q;

  function automatic logic [4:0] after(input logic [4:0] index);
    after = index == 5'(BULK - 1) ? '0 : index + 5'd1;
  endfunction

  assign waddr = to_bulk_i ? bulk_wptr_q : {2'b11, brief_wptr_q};
  assign raddr = brief_i ? {2'b11, brief_rptr_q} : bulk_rptr_q;

  always_comb begin
    kept = 'x;
    if (brief_push_i || bulk_push_i)
      kept = {desc_i.port[PORTS-1:0], desc_i.raw, desc_i.get, desc_i.mark, desc_i.notify,
              desc_i.half, desc_i.args, desc_i.beats, desc_i.shift,
              desc_i.alone, desc_i.tail, desc_i.word};
  end
  assign ahead.mark = desc_i.mark;
  assign ahead.host = desc_i.host;

  always_ff @(posedge clk_i) begin
    if (brief_push_i || bulk_push_i) mem[waddr] <= kept;
    if (bulk_push_i) ahead_mem[bulk_wptr_q] <= ahead;
    if (brief_push_i) plain_mem[brief_wptr_q] <= desc_i.beats == '0 && desc_i.args <= 3'd1;
  end

  assign front   = mem[raddr];
  assign ahead_o = ahead_mem[bulk_rptr_q];

  always_comb begin
    desc_o = '0;
    {desc_o.port[PORTS-1:0], desc_o.raw, desc_o.get, desc_o.mark, desc_o.notify, desc_o.half,
     desc_o.args, desc_o.beats, desc_o.shift, desc_o.alone, desc_o.tail,
     desc_o.word} = front;
  end

  assign brief_count_o = brief_count_q;
  assign bulk_count_o  = bulk_count_q;
  assign brief_valid_o = brief_some_q;
  assign brief_plain_o = plain_mem[brief_rptr_q];
  assign bulk_valid_o  = bulk_some_q;

  always_ff @(posedge clk_i) begin
    if (brief_push_i) brief_wptr_q <= brief_wptr_q + 3'd1;
    if (brief_pop_i) brief_rptr_q <= brief_rptr_q + 3'd1;
    if (brief_push_i != brief_pop_i) begin
      brief_count_q <= brief_count_q + {{3{brief_pop_i}}, 1'b1};
      brief_some_q  <= brief_push_i || brief_count_q[3:1] != '0;
    end
    if (bulk_push_i) bulk_wptr_q <= after(bulk_wptr_q);
    if (bulk_pop_i) bulk_rptr_q <= after(bulk_rptr_q);
    if (bulk_push_i != bulk_pop_i) begin
      bulk_count_q <= bulk_count_q + {{4{bulk_pop_i}}, 1'b1};
      bulk_some_q  <= bulk_push_i || bulk_count_q[4:1] != '0;
    end
    if (rst_i) begin
      brief_wptr_q  <= '0;
      brief_rptr_q  <= '0;
      brief_count_q <= '0;
      brief_some_q  <= 1'b0;
      bulk_wptr_q   <= '0;
      bulk_rptr_q   <= '0;
      bulk_count_q  <= '0;
      bulk_some_q   <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_one, !(to_bulk_i ? brief_push_i : bulk_push_i))
  `FSH_ASSERT(assert_brief, !brief_push_i || brief_count_q < 4'(BRIEF))
  `FSH_ASSERT(assert_bulk, !bulk_push_i || bulk_count_q < 5'(BULK))
  `FSH_ASSERT(assert_pop, (!brief_pop_i || brief_some_q) && (!bulk_pop_i || bulk_some_q))
endmodule

`default_nettype wire
