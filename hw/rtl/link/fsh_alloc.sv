// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Allocator of one output for the packets of one class (transit packets; long ones for this node,
/// whose output is the receiver): says which input may begin a packet for it (one-hot), round robin
/// by packet. Inputs with something urgent go first, and the turn waits for them; then those that
/// are free. But after WEIGHT packets of urgent ones in a row while others wait it is the turn of
/// all until one of those has begun, and after WEIGHT packets of free ones while one that is busy
/// has something the turn waits for that.
/// req_i: an input has a packet whose channel has credit; urgent_i: one that goes before others,
/// too; busy_i: it is reading one for another output; inside_i: it has more to read of one for
/// this output; started_i: it begins one. The
/// turn is a register, given in advance, so that the next packet begins in the cycle after the
/// last beat of the one before is read; a single beat is followed by another packet after two
/// cycles. One input needs no turn. Reset: no turn.
module fsh_alloc #(
    parameter int unsigned N = 3,
    parameter int unsigned WEIGHT = 8  // packets, a power of two
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic [N-1:0] urgent_i,
    input  wire logic [N-1:0] busy_i,
    input  wire logic [N-1:0] inside_i,
    input  wire logic [N-1:0] started_i,
    output logic      [N-1:0] start_o
);
  if (N == 1) begin : gen_one
    logic unused;
    assign unused  = &{clk_i, rst_i, req_i, urgent_i, busy_i, inside_i, started_i};
    assign start_o = 1'b1;
  end else begin : gen_turn
    localparam int unsigned TURN_W = $clog2(WEIGHT) + 1;
    logic [N-1:0]      gnt, turn_q;
    logic [TURN_W-1:0] frees_q;  // packets of free inputs in a row while a busy one waited
    logic [TURN_W-1:0] urgents_q;  // of urgent inputs while others waited
    logic              begun_q, started, any_free, any_busy, busy, busy_q;
    logic              plain, urgent, urgent_q;

    assign started  = started_i != '0;
    assign any_free = (req_i & ~busy_i) != '0;
    assign any_busy = (req_i & busy_i) != '0;
    assign plain    = (req_i & ~urgent_i) != '0;
    assign urgent   = urgent_i != '0 && !(plain && urgents_q[TURN_W-1]);
    assign busy     = any_busy && (!any_free || frees_q[TURN_W-1]);

    // While a packet begins, the priority moves on; the turn follows a cycle later.
    fsh_arb #(
        .N(N)
    ) i_arb (
        .clk_i,
        .rst_i,
        .req_i (started ? started_i : urgent ? urgent_i :
                 req_i & (busy ? busy_i : ~busy_i)),
        .look_i(1'b1),
        .take_i(started),
        .gnt_o (gnt)
    );

    always_ff @(posedge clk_i) begin
      if (!started) begin
        turn_q   <= gnt;
        busy_q   <= busy;
        urgent_q <= (gnt & urgent_i) != '0;
      end else begin
        urgents_q <= !urgent_q || !plain ? '0 : urgents_q + TURN_W'(!urgents_q[TURN_W-1]);
        frees_q <= busy_q || !any_busy ? '0 : frees_q + TURN_W'(!frees_q[TURN_W-1]);
      end
      begun_q <= started;
      if (rst_i) begin
        turn_q    <= '0;
        frees_q   <= '0;
        urgents_q <= '0;
        begun_q   <= 1'b0;
        busy_q    <= 1'b0;
        urgent_q  <= 1'b0;
      end
    end

    assign start_o = turn_q & {N{!begun_q && inside_i == '0}};

    `FSH_ASSERT(assert_one, (started_i & (started_i - 1'b1)) == '0)
    `FSH_ASSERT(assert_turn, (started_i & ~start_o) == '0)
    `FSH_ASSERT(assert_inside, (inside_i & (inside_i - 1'b1)) == '0)
  end
endmodule

`default_nettype wire
