// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Writes of one direction of the DMA engine: shifts the lines of a job to where its bytes
/// belong in those of their target, and writes them in bursts of up to BEATS lines, which stay
/// inside BEATS aligned lines. One job at a time, a line a cycle; a job has ended
/// when all its writes have been answered. The address of a burst goes out with its first line.
/// After a read error nothing more of the job is written.
/// Registers before the pins. Reset: none under way.
module fsh_dma_write #(
    parameter int unsigned BEATS = 4
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic  [47:0] base_i,
    input  wire logic         job_valid_i,
    output logic              job_ready_o,
    input  wire fsh_dma_pkg::job_t job_i,
    input  wire logic         line_valid_i,
    output logic              line_ready_o,
    input  wire logic [511:0] line_i,
    input  wire logic         line_err_i,
    output logic              awvalid_o,
    input  wire logic         awready_i,
    output logic       [47:0] awaddr_o,
    output logic        [7:0] awlen_o,
    output logic              wvalid_o,
    input  wire logic         wready_i,
    output logic      [511:0] wdata_o,
    output logic       [63:0] wstrb_o,
    output logic              wlast_o,
    input  wire logic         bvalid_i,
    input  wire logic         berr_i,
    output logic              end_valid_o,
    input  wire logic         end_ready_i,
    output logic [fsh_spec_pkg::TAG_W-1:0] end_tag_o,
    output logic        [3:0] end_status_o,
    output logic              busy_o
);
  localparam logic [3:0] MOST = 4'(BEATS);

  typedef enum logic [1:0] {
    IDLE,
    PREPARE,
    MOVE,
    END
  } state_t;
  state_t state_q;

  fsh_dma_pkg::job_t job_q;
  logic [5:0]  shift, shift_q, tail;
  logic [63:0] first_q, last_q, upper_q;  // strobes; bytes of the line at hand, not the one before
  logic        some, prime_q, begun_q, err_q;
  logic [18:0] fetch_q, in_q, out_q;  // lines: to be fetched, to be used; to be written
  logic [33:0] line_q;
  logic [19:0] owed_q;  // answers
  /* verilator lint_off UNUSEDSIGNAL */
  logic [24:0] span_in, span_out;
  /* verilator lint_on UNUSEDSIGNAL */

  // Byte i of a line to byte (i + shift) modulo 64, in two steps.
  logic         valid1_q, valid2_q, step2, use2;
  logic [511:0] line1_q, line2_q, before_q, turned1, turned2;

  always_comb begin
    turned1 = line_i;
    if (shift_q[5]) turned1 = {turned1[255:0], turned1[511:256]};
    if (shift_q[4]) turned1 = {turned1[383:0], turned1[511:384]};
    if (shift_q[3]) turned1 = {turned1[447:0], turned1[511:448]};
    turned2 = line1_q;
    if (shift_q[2]) turned2 = {turned2[479:0], turned2[511:480]};
    if (shift_q[1]) turned2 = {turned2[495:0], turned2[511:496]};
    if (shift_q[0]) turned2 = {turned2[503:0], turned2[511:504]};
  end

  assign job_ready_o = state_q == IDLE;
  assign shift       = job_q.to[5:0] - job_q.from;
  assign tail        = job_q.to[5:0] + job_q.length[5:0];
  assign span_in     = 25'(job_q.from) + 25'(job_q.length) + 25'd63;
  assign span_out    = 25'(job_q.to[5:0]) + 25'(job_q.length) + 25'd63;
  assign some        = job_q.status == fsh_spec_pkg::STATUS_OK && job_q.length != '0;

  // A line that begins further behind than its target is used for the next one alone.
  logic       go, opens, closes, w_room;
  logic [3:0] beats;

  assign w_room = (!wvalid_o || wready_i) && (!opens || !awvalid_o || awready_i);
  assign go     = state_q == MOVE && !prime_q && out_q != '0 && (valid2_q || in_q == '0) && w_room;
  assign use2   = valid2_q && (prime_q || (go && in_q != '0));
  assign step2  = valid1_q && (!valid2_q || use2);
  assign line_ready_o = state_q == MOVE && fetch_q != '0 && (!valid1_q || step2);

  if (BEATS == 1) begin : gen_single
    assign opens  = 1'b1;
    assign closes = 1'b1;
    assign beats  = 4'd1;
  end else begin : gen_burst
    logic [3:0] at, most;
    assign at     = 4'(line_q[$clog2(BEATS)-1:0]);
    assign most   = MOST - at;
    assign opens  = !begun_q || at == '0;
    assign closes = most == 4'd1 || out_q == 19'd1;
    assign beats  = out_q < 19'(most) ? out_q[3:0] : most;
  end

  always_ff @(posedge clk_i) begin
    if (job_ready_o) job_q <= job_i;
    if (state_q == PREPARE) begin
      shift_q <= shift;
      first_q <= '1 << job_q.to[5:0];
      last_q  <= ~((tail == '0 ? '0 : '1) << tail);
      upper_q <= '1 << shift;
      line_q  <= job_q.to[39:6];
      fetch_q <= some ? span_in[24:6] : '0;
      in_q    <= some ? span_in[24:6] : '0;
      out_q   <= some ? span_out[24:6] : '0;
      prime_q <= some && job_q.to[5:0] < job_q.from;
      begun_q <= 1'b0;
      err_q   <= 1'b0;
    end
    if (line_valid_i && line_ready_o) begin
      line1_q <= turned1;
      fetch_q <= fetch_q - 19'd1;
      if (line_err_i) err_q <= 1'b1;
    end
    if (bvalid_i && berr_i) err_q <= 1'b1;
    if (step2) line2_q <= turned2;
    if (use2) begin
      before_q <= line2_q;
      in_q     <= in_q - 19'd1;
      prime_q  <= 1'b0;
    end
    if (go) begin
      begun_q <= 1'b1;
      line_q  <= line_q + 34'd1;
      out_q   <= out_q - 19'd1;
      for (int unsigned i = 0; i < 64; i++)
        wdata_o[i*8+:8] <= upper_q[i] ? line2_q[i*8+:8] : before_q[i*8+:8];
      wstrb_o <= (begun_q ? '1 : first_q) & (out_q == 19'd1 ? last_q : '1) & {64{!err_q}};
      wlast_o <= closes;
      if (opens) begin
        awaddr_o <= base_i + {8'd0, line_q, 6'd0};
        awlen_o  <= 8'(beats) - 8'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    case (state_q)
      IDLE: if (job_valid_i) state_q <= PREPARE;
      PREPARE: state_q <= MOVE;
      MOVE: if (out_q == '0 && owed_q == '0) state_q <= END;
      default: if (end_ready_i) state_q <= IDLE;
    endcase
    if (line_valid_i && line_ready_o) valid1_q <= 1'b1;
    else if (step2) valid1_q <= 1'b0;
    if (step2 || use2) valid2_q <= step2;
    if (go || wready_i) wvalid_o <= go;
    if ((go && opens) || awready_i) awvalid_o <= go && opens;
    owed_q <= owed_q + 20'(go && opens) - 20'(bvalid_i);
    if (rst_i) begin
      state_q   <= IDLE;
      valid1_q  <= 1'b0;
      valid2_q  <= 1'b0;
      wvalid_o  <= 1'b0;
      awvalid_o <= 1'b0;
      owed_q    <= '0;
    end
  end

  assign end_valid_o  = state_q == END;
  assign end_tag_o    = job_q.tag;
  assign end_status_o = job_q.status == fsh_spec_pkg::STATUS_OK && err_q ?
                        fsh_spec_pkg::STATUS_MEMORY : job_q.status;
  assign busy_o       = state_q != IDLE;

  `FSH_ASSERT(a_used, state_q != END || (in_q == '0 && fetch_q == '0 && !valid1_q && !valid2_q))
  `FSH_ASSERT(a_owed, !bvalid_i || owed_q != '0)
  `FSH_STABLE(awvalid_o, awready_i, awaddr_o)
  `FSH_STABLE(wvalid_o, wready_i, wdata_o)
endmodule

`default_nettype wire
