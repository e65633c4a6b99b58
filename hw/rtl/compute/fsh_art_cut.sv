// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Cuts a stream of extents in pieces: extents that follow each other in memory
/// are one run, a run is cut from its start in pieces of limit_i values, its rest
/// is a piece of its own. Commands (parity) that do not send only have their
/// extents taken. end_o: a pulse when the extent marked last of a command is
/// taken and its pieces are too. An extent and a piece of it take three cycles,
/// further pieces one each. Nothing is lost while pieces wait. Reset: no run.
module fsh_art_cut (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic  [1:0] send_i,   // by parity
    input  wire logic [43:0] limit_i,  // by parity, values, at least 1
    input  wire logic        valid_i,
    output logic             ready_o,
    input  wire logic        last_i,
    input  wire logic        parity_i,
    input  wire logic [35:0] addr_i,   // in values
    input  wire logic [23:0] values_i,
    output logic             piece_valid_o,
    input  wire logic        piece_ready_i,
    output logic             piece_parity_o,
    output logic      [35:0] piece_addr_o,
    output logic      [21:0] piece_values_o,
    output logic       [1:0] end_o,
    output logic             busy_o
);
  typedef enum logic [1:0] {
    Take,
    Cut,
    Rest
  } state_e;
  state_e      state_q;
  logic        last_q, parity_q, some_q;  // some_q: the run is not empty
  logic [35:0] addr_q, next_q;
  logic [24:0] have_q, left;
  logic [21:0] limit;
  logic        apart, full, finish;

  assign limit = limit_i[(parity_q?22:0)+:22];
  assign full  = have_q >= {3'd0, limit};
  assign left  = have_q - {3'd0, limit};
  assign apart = some_q && values_i != '0 && addr_i != next_q;

  assign ready_o        = state_q == Take && !(valid_i && send_i[parity_i] && apart);
  assign piece_valid_o  = (state_q == Cut && full) || state_q == Rest;
  assign piece_parity_o = parity_q;
  assign piece_addr_o   = addr_q;
  assign piece_values_o = state_q == Rest ? have_q[21:0] : limit;

  // The last of a command has been cut, or was not to be.
  assign finish = (state_q == Take && valid_i && ready_o && last_i && !send_i[parity_i]) ||
                  (state_q == Cut && !full && last_q && !some_q) ||
                  (state_q == Rest && piece_ready_i && last_q);

  always_ff @(posedge clk_i) begin
    end_o <= '0;
    if (finish) end_o[state_q == Take ? parity_i : parity_q] <= 1'b1;
    unique case (state_q)
      Take: begin
        if (valid_i && send_i[parity_i]) begin
          if (apart) begin
            state_q <= Rest;
          end else begin
            if (!some_q) addr_q <= addr_i;
            if (values_i != '0) next_q <= addr_i + {12'd0, values_i};
            have_q   <= have_q + {1'b0, values_i};
            some_q   <= some_q || values_i != '0;
            last_q   <= last_i;
            parity_q <= parity_i;
            state_q  <= Cut;
          end
        end
      end
      Cut: begin
        if (full) begin
          if (piece_ready_i) begin
            addr_q <= addr_q + {14'd0, limit};
            have_q <= left;
            some_q <= left != '0;
          end
        end else begin
          state_q <= last_q && some_q ? Rest : Take;
          if (last_q && !some_q) last_q <= 1'b0;
        end
      end
      default: begin
        if (piece_ready_i) begin
          have_q  <= '0;
          some_q  <= 1'b0;
          last_q  <= 1'b0;
          state_q <= Take;
        end
      end
    endcase
    if (rst_i) begin
      state_q <= Take;
      have_q  <= '0;
      some_q  <= 1'b0;
      last_q  <= 1'b0;
      end_o   <= '0;
    end
  end

  assign busy_o = valid_i || state_q != Take || end_o != '0;

  `FSH_ASSERT(a_some, some_q == (have_q != '0))
  `FSH_ASSERT(a_limit, state_q == Take || limit != '0)
  `FSH_ASSERT(a_parity, state_q != Take || !valid_i || !some_q || parity_i == parity_q)
  `FSH_STABLE(piece_valid_o, piece_ready_i, {piece_parity_o, piece_addr_o, piece_values_o})
endmodule

`default_nettype wire
