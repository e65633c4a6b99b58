// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The 64 event counters, 32 bits each, and two waiters. A signal adds to its
/// counter, one a cycle, and is never delayed; a counter that has EVENT_FULL or more
/// stays as it is, so that it never wraps; no other signal is lost. A waiter
/// {event, count} that holds wait_valid_i is granted once, by a pulse, when the
/// counter is at least count, which is taken off; it lowers wait_valid_i in the
/// cycle after the pulse, for a cycle at least. It looks when it starts to wait
/// and again only after a signal to its counter, so that a waiter keeps nothing
/// busy. Five cycles from a signal to the grant, two waiters that look at the
/// same time: eight. All counters are zero after reset at once.
module fsh_cevents (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic        sig_valid_i,
    input  wire logic  [5:0] sig_event_i,
    input  wire logic  [7:0] sig_inc_i,
    input  wire logic  [1:0] wait_valid_i,
    input  wire logic [11:0] wait_event_i,  // waiter 1, waiter 0
    input  wire logic [31:0] wait_count_i,
    output logic       [1:0] wait_grant_o,
    output logic             busy_o  // state changes at the next edge
);
  localparam int unsigned FULL_BIT = $clog2(fsh_spec_pkg::EVENT_FULL);

  // Signals add to one memory, waiters to another: neither ever waits for the
  // other. What is there is the difference. Words are valid since `live`.
  (* ram_style = "distributed" *) logic [31:0] added[64];
  (* ram_style = "distributed" *) logic [31:0] taken[64];
  logic [63:0] added_live_q, taken_live_q;

  typedef enum logic [1:0] {
    Idle,
    Read,
    Judge
  } state_e;
  state_e      state_q;
  logic  [1:0] armed_q, granted_q, want_q, look;
  logic        who_q;      // whose turn it is, or was
  logic  [5:0] event_q;
  logic [15:0] count_q;
  logic [31:0] there_q, taken_q;
  logic [31:0] sig_added, sig_taken, sig_there, have_added, have_taken;
  logic        sig_counts, grant, who;

  assign sig_added  = added_live_q[sig_event_i] ? added[sig_event_i] : 32'd0;
  assign sig_taken  = taken_live_q[sig_event_i] ? taken[sig_event_i] : 32'd0;
  assign sig_there  = sig_added - sig_taken;
  assign sig_counts = sig_valid_i && !sig_there[FULL_BIT];
  assign have_added = added_live_q[event_q] ? added[event_q] : 32'd0;
  assign have_taken = taken_live_q[event_q] ? taken[event_q] : 32'd0;
  assign grant      = state_q == Judge && there_q >= {16'd0, count_q};
  assign who        = want_q[!who_q] ? !who_q : who_q;

  always_comb begin
    look = '0;
    if (state_q == Idle && want_q != '0) look[who] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (sig_counts) added[sig_event_i] <= sig_added + {24'd0, sig_inc_i};
  end

  always_ff @(posedge clk_i) begin
    if (grant) taken[event_q] <= taken_q + {16'd0, count_q};
  end

  // A signal in the very cycle of a look makes the waiter look again.
  always_ff @(posedge clk_i) begin
    for (int w = 0; w < 2; w++) begin
      if (!wait_valid_i[w]) begin
        armed_q[w]   <= 1'b0;
        granted_q[w] <= 1'b0;
        want_q[w]    <= 1'b0;
      end else begin
        armed_q[w] <= 1'b1;
        if (grant && who_q == (w == 1)) begin
          granted_q[w] <= 1'b1;
          want_q[w]    <= 1'b0;
        end else if (!armed_q[w] || (!granted_q[w] && sig_valid_i &&
                                     sig_event_i == wait_event_i[w*6+:6])) begin
          want_q[w] <= 1'b1;
        end else if (look[w]) begin
          want_q[w] <= 1'b0;
        end
      end
      wait_grant_o[w] <= grant && who_q == (w == 1);
    end
    if (rst_i) begin
      armed_q      <= '0;
      granted_q    <= '0;
      want_q       <= '0;
      wait_grant_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (want_q != '0) begin
          who_q   <= who;
          event_q <= wait_event_i[(who?6:0)+:6];
          count_q <= wait_count_i[(who?16:0)+:16];
          state_q <= Read;
        end
      end
      Read: begin
        there_q <= have_added - have_taken;
        taken_q <= have_taken;
        state_q <= Judge;
      end
      default: state_q <= Idle;
    endcase
    if (sig_valid_i) added_live_q[sig_event_i] <= 1'b1;
    if (grant) taken_live_q[event_q] <= 1'b1;
    if (rst_i) begin
      state_q      <= Idle;
      who_q        <= 1'b0;
      added_live_q <= '0;
      taken_live_q <= '0;
    end
  end

  assign busy_o = sig_valid_i || want_q != '0 || state_q != Idle || wait_grant_o != '0 ||
                  wait_valid_i != armed_q;

  `FSH_ASSERT(a_granted, (wait_grant_o & ~granted_q & wait_valid_i) == '0)
  `FSH_ASSERT(a_one, wait_grant_o != 2'b11)
  // FULL_BIT is the highest: what is there is below EVENT_FULL + 255.
  `FSH_ASSERT(a_full, !sig_valid_i || !sig_there[FULL_BIT] || sig_there[FULL_BIT-1:8] == '0)
endmodule

`default_nettype wire
