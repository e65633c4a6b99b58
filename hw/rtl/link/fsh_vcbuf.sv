// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets waiting in Q queues of DEPTH beats that share one block RAM, whose
/// address is the multiplexer between them. Writing: a beat a cycle into any
/// queue, never refused (the sender holds a credit for it); beside a header
/// stands how many beats follow. Reading: packet by packet, round robin among
/// the queues that have one and whose start_i is set; once begun, a packet is
/// not interrupted, but may have gaps while its beats arrive. A beat is offered
/// at the earliest two cycles after it was written, one a cycle, no bubble
/// between packets; data_o is a register.
/// started_o: a packet of this queue begins to be read; freed_o: a beat of this
/// queue has left the RAM. Both one-hot, in the cycle before it is offered. some_o:
/// whether a queue has a beat; queue_o: of which the last beat was read; inside_o: more of
/// its packet are to be read.
/// Reset empties the queues.
module fsh_vcbuf #(
    parameter int unsigned Q = 4,
    parameter int unsigned DEPTH = 512,
    parameter int unsigned WIDTH = 128
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic                 valid_i,
    input  wire logic [$clog2(Q)-1:0] queue_i,
    input  wire logic           [6:0] follow_i,
    input  wire logic     [WIDTH-1:0] data_i,
    output logic              [Q-1:0] some_o,
    input  wire logic         [Q-1:0] start_i,
    output logic              [Q-1:0] started_o,
    output logic              [Q-1:0] freed_o,
    output logic                      inside_o,
    output logic      [$clog2(Q)-1:0] queue_o,
    output logic                      valid_o,
    input  wire logic                 ready_i,
    output logic                      last_o,
    output logic          [WIDTH-1:0] data_o,
    output logic                      busy_o
);
  localparam int unsigned QW = $clog2(Q);
  localparam int unsigned AW = $clog2(DEPTH);

  localparam int unsigned PW = AW + 1;  // of a pointer: full and empty differ
  localparam int unsigned S = 16;  // bits from pointer to pointer

  logic [Q-1:0]   some_q, req, gnt, push, take;
  logic [Q*S-1:0] wptr_q, rptr_q;
  logic [AW-1:0]  waddr, raddr;
  logic [QW-1:0]  queue, queue_q;
  logic           valid_q, sop_q, middle, slot, read;
  logic [6:0]     follow, left, left_q;

`ifdef FORMAL
  logic [(7+WIDTH)*Q*DEPTH-1:0] f_words;
`endif

  // Beats that follow the one last read, whether that is still offered or not.
  assign left   = sop_q ? follow : left_q;
  assign middle = left != '0;
  assign slot   = !valid_q || ready_i;
  assign req    = some_q & start_i;
  assign read   = slot && (middle ? some_q[queue_q] : req != '0);

  fsh_arb #(
      .N(Q)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .look_i(1'b1),
      .take_i(read && !middle),
      .gnt_o (gnt)
  );

  always_comb begin
    queue = queue_q;
    if (!middle) begin
      queue = '0;
      for (int unsigned i = 0; i < Q; i++) if (gnt[i]) queue |= QW'(i);
    end
  end

  assign push  = Q'(valid_i) << queue_i;
  assign take  = Q'(read) << queue;
  assign waddr = wptr_q[queue_i*S+:AW];
  assign raddr = rptr_q[queue*S+:AW];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Q; i++) begin
      if (push[i]) wptr_q[i*S+:PW] <= wptr_q[i*S+:PW] + 1'b1;
      if (take[i]) rptr_q[i*S+:PW] <= rptr_q[i*S+:PW] + 1'b1;
      if (push[i]) some_q[i] <= 1'b1;
      else if (take[i]) some_q[i] <= wptr_q[i*S+:PW] != rptr_q[i*S+:PW] + 1'b1;
    end
    if (rst_i) begin
      wptr_q <= '0;
      rptr_q <= '0;
      some_q <= '0;
    end
  end

`ifdef FSH_ASSERT_ON
  logic [Q-1:0] full, some;

  for (genvar i = 0; i < Q; i++) begin : gen_fill
    assign full[i] = wptr_q[i*S+:PW] - rptr_q[i*S+:PW] == PW'(DEPTH);
    assign some[i] = wptr_q[i*S+:PW] != rptr_q[i*S+:PW];
  end
  `FSH_ASSERT(assert_room, (push & full) == '0)
  `FSH_ASSERT(assert_some, some_q == some)
`endif

  fsh_ram #(
      .WIDTH(7 + WIDTH),
      .DEPTH(Q * DEPTH)
  ) i_ram (
      .clk_i,
      .we_i   (valid_i),
      .waddr_i({queue_i, waddr}),
      .wdata_i({follow_i, data_i}),
      .re_i   (read),
      .raddr_i({queue, raddr}),
      .rdata_o({follow, data_o})
`ifdef FORMAL
      ,
      .f_words_o(f_words)
`endif
  );

  always_ff @(posedge clk_i) begin
    if (read) begin
      queue_q <= queue;
      sop_q   <= !middle;
      left_q  <= left - 7'd1;
    end
    if (slot) valid_q <= read;
    if (rst_i) begin
      valid_q <= 1'b0;
      sop_q   <= 1'b0;
      left_q  <= '0;
    end
  end

  assign some_o    = some_q;
  assign queue_o   = queue_q;
  assign inside_o  = middle;
  assign started_o = take & {Q{!middle}};
  assign freed_o   = take;
  assign valid_o   = valid_q;
  assign last_o    = !middle;
  assign busy_o    = valid_q || some_q != '0 || middle;

  `FSH_STABLE(valid_o, ready_i, data_o)
`ifdef FORMAL
`include "fsh_vcbuf_formal.svh"
`endif
endmodule

`default_nettype wire
