// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// A stand-in for the compute core, for tests of the simulator: every pin is
/// used. A RUN of `count` (the upper four bits of its address name a node): reads 64
/// bytes at each of `count` addresses on lane addr[1:0], writes them, the second
/// word of 8 bytes replaced by what is counted and every eighth time partly left
/// out, at +16 KiB on the next lane, PUTs all to +32 KiB of that node, and sends it
/// COMPLETE: cookie the count, status that of the ack, 15 after an error of the
/// memory. Queue 1: SIGNAL instead, of `count` to counter addr[5:0]. Counted: what
/// SIGNALs add up to (bit 8 up for event 63), and from bit 32 on RUNs of queue 1.
/// Counter w: the cycle of the read of counter w - 1, since the clear; counter 0:
/// reads of it since then.
module fsh_compute (
    input  wire logic              clk_i,
    input  wire logic              rst_i,
    input  wire logic       [47:0] cycle_i,
    output logic                   idle_o,
    input  wire logic        [7:0] node_i,
    input  wire logic       [39:0] seg_base_i,
    input  wire logic       [39:0] seg_size_i,
    output logic             [1:0] run_room_o,
    input  wire logic              run_valid_i,
    input  wire logic              run_queue_i,
    input  wire logic        [7:0] run_count_i,
    input  wire logic       [31:0] run_addr_i,
    input  wire logic              sig_valid_i,
    input  wire logic        [5:0] sig_event_i,
    input  wire logic        [7:0] sig_inc_i,
    input  wire logic              ack_valid_i,
    input  wire logic        [3:0] ack_tag_i,
    input  wire logic        [3:0] ack_status_i,
    output logic                   ccmd_valid_o,
    input  wire logic              ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t      ccmd_o,
    input  wire logic              cperf_clear_i,
    input  wire logic              cperf_read_i,
    input  wire logic        [3:0] cperf_word_i,
    output logic                   cperf_valid_o,
    output logic            [47:0] cperf_data_o,
    output logic             [3:0] m_awvalid_o,
    input  wire logic        [3:0] m_awready_i,
    output logic           [159:0] m_awaddr_o,
    output logic             [3:0] m_wvalid_o,
    input  wire logic        [3:0] m_wready_i,
    output logic          [2047:0] m_wdata_o,
    output logic           [255:0] m_wstrb_o,
    input  wire logic        [3:0] m_bvalid_i,
    input  wire logic        [3:0] m_berr_i,
    output logic             [3:0] m_arvalid_o,
    input  wire logic        [3:0] m_arready_i,
    output logic           [159:0] m_araddr_o,
    input  wire logic        [3:0] m_rvalid_i,
    input  wire logic     [2047:0] m_rdata_i,
    input  wire logic        [3:0] m_rerr_i
);
  localparam int unsigned DEPTH = 8;

  typedef struct packed {
    logic        mover;
    logic [7:0]  count;
    logic [31:0] addr;
    logic [7:0]  dst;
  } run_t;
  typedef enum logic [3:0] {
    Idle,
    Read,
    Data,
    Write,
    Response,
    Put,
    Ack,
    Tell,
    Signal
  } state_e;
  state_e      state_q;
  run_t        run, run_q;
  logic        queued, pop, room;
  logic [3:0]  count;
  logic [7:0]  done_q;
  logic [31:0] addr_q;
  logic [1:0]  rlane, wlane;
  logic        err_q, aw_q, w_q;
  logic [3:0]  status_q;
  logic [63:0] total_q;
  logic [511:0] data_q;

  fsh_fifo #(
      .WIDTH($bits(run)),
      .DEPTH(DEPTH)
  ) i_runs (
      .clk_i,
      .rst_i,
      .valid_i(run_valid_i),
      .ready_o(),
      .data_i ({run_queue_i, run_count_i, {4'd0, run_addr_i[27:0]}, {4'd0, run_addr_i[31:28]}}),
      .valid_o(queued),
      .ready_i(pop),
      .data_o (run),
      .count_o(count)
  );
  assign room  = count <= 4'(DEPTH - 4);
  assign pop   = queued && state_q == Idle;
  assign rlane = addr_q[1:0];
  assign wlane = addr_q[1:0] + 2'd1;

  always_ff @(posedge clk_i) begin
    run_room_o <= {2{room}};
    if (sig_valid_i) total_q <= total_q + {55'd0, sig_event_i == 6'd63, sig_inc_i};
    unique case (state_q)
      Idle: begin
        done_q   <= '0;
        err_q    <= 1'b0;
        run_q    <= run;
        addr_q   <= run.addr;
        if (queued) begin
          state_q <= run.mover ? Signal : Read;
          if (run.mover) total_q <= total_q + 64'h1_0000_0000;
        end
      end
      Read: if (m_arready_i[rlane]) state_q <= Data;
      Data: begin
        data_q <= m_rdata_i[rlane*512+:512];
        aw_q   <= 1'b0;
        w_q    <= 1'b0;
        if (m_rvalid_i[rlane]) begin
          err_q   <= err_q || m_rerr_i[rlane];
          state_q <= Write;
        end
      end
      Write: begin
        aw_q <= aw_q || m_awready_i[wlane];
        w_q  <= w_q || m_wready_i[wlane];
        if ((aw_q || m_awready_i[wlane]) && (w_q || m_wready_i[wlane])) state_q <= Response;
      end
      Response: begin
        if (m_bvalid_i[wlane]) begin
          err_q   <= err_q || m_berr_i[wlane];
          done_q  <= done_q + 8'd1;
          addr_q  <= addr_q + 32'd1;
          state_q <= done_q + 8'd1 == run_q.count ? Put : Read;
        end
      end
      Put: if (ccmd_ready_i) state_q <= Ack;
      Ack: begin
        status_q <= ack_status_i;
        if (ack_valid_i && ack_tag_i == run_q.addr[3:0]) state_q <= Tell;
      end
      default: if (ccmd_ready_i) state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q    <= Idle;
      run_room_o <= '0;
      total_q    <= '0;
    end
  end

  assign m_arvalid_o = state_q == Read ? 4'd1 << rlane : '0;
  assign m_araddr_o  = {4{seg_base_i + {2'd0, addr_q, 6'd0}}};
  assign m_awvalid_o = state_q == Write && !aw_q ? 4'd1 << wlane : '0;
  assign m_awaddr_o  = {4{seg_base_i + {2'd0, addr_q + 32'd256, 6'd0}}};
  assign m_wvalid_o  = state_q == Write && !w_q ? 4'd1 << wlane : '0;
  assign m_wdata_o   = {4{data_q[511:128], total_q, data_q[63:0]}};
  assign m_wstrb_o   = {4{addr_q[4:2] == '0 ? 64'hffff_ffff_ffff_f00f : 64'hffff_ffff_ffff_ffff}};

  // Commands.
  fsh_spec_pkg::ccomplete_t cpl;
  fsh_spec_pkg::csignal_t   sig;

  always_comb begin
    cpl           = '0;
    cpl.op        = fsh_spec_pkg::CMSG_COMPLETE;
    cpl.cookie    = {3'd0, run_q.count};
    cpl.status    = err_q ? 4'd15 : status_q;
    sig           = '0;
    sig.op        = fsh_spec_pkg::CMSG_SIGNAL;
    sig.counter   = run_q.addr[5:0];
    sig.increment = run_q.count;
    ccmd_o        = '0;
    ccmd_o.dst    = run_q.dst;
    unique case (state_q)
      Tell: begin
        ccmd_o.kind  = fsh_spec_pkg::EKIND_MESSAGE;
        ccmd_o.laddr = cpl[39:0];
      end
      Signal: begin
        ccmd_o.kind  = fsh_spec_pkg::EKIND_MESSAGE;
        ccmd_o.laddr = sig[39:0];
      end
      default: begin
        ccmd_o.kind   = fsh_spec_pkg::EKIND_PUT;
        ccmd_o.tag    = {2'd0, run_q.addr[3:0]};
        ccmd_o.laddr  = {2'd0, run_q.addr + 32'd256, 6'd0};
        ccmd_o.raddr  = {2'd0, run_q.addr + 32'd512, 6'd0};
        ccmd_o.length = {10'd0, run_q.count, 6'd0};
      end
    endcase
  end
  assign ccmd_valid_o = state_q == Put || state_q == Tell || state_q == Signal;

  // Counters, a cycle after the read.
  logic [47:0] counter_q[16];

  always_ff @(posedge clk_i) begin
    cperf_valid_o <= cperf_read_i && !rst_i;
    cperf_data_o  <= counter_q[cperf_word_i];
    if (cperf_read_i) begin
      if (cperf_word_i == '0) counter_q[0] <= counter_q[0] + 48'd1;
      if (cperf_word_i != '1) counter_q[cperf_word_i+1] <= cycle_i;
    end
    if (rst_i || cperf_clear_i) for (int i = 0; i < 16; i++) counter_q[i] <= '0;
  end

  // Waiting for memory or an ack is idle.
  assign idle_o = run_room_o == {2{room}} && !cperf_valid_o &&
                  (state_q == Data || state_q == Response || state_q == Ack ||
                   (state_q == Idle && !queued));

  logic unused;
  assign unused = &{node_i, seg_size_i};
endmodule

`default_nettype wire
