// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AXI4-Lite slave of the node: registers, route table writes, doorbells and the two submission
/// windows. 64-bit data; strobes are treated as full. One write per cycle; a read takes four
/// cycles, a read of an engine's counters longer, by the engine's response time.
/// Unknown addresses read zero and ignore writes; a write of a misaligned address or invalid
/// packet size is ignored and reported in FAULTS, as is a move without room. Reset: disabled,
/// start gate open, packet size 1024, all ports.
module fsh_regs #(
    parameter int unsigned PORTS = 2,
    localparam int unsigned TAKEN_BITS = $clog2(fsh_spec_pkg::RING_ENTRIES) + 1
) (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic   [47:0] cycle_i,
    input  wire logic          gate_i,
    input  wire logic   [14:0] awaddr_i,
    input  wire logic          awvalid_i,
    output logic               awready_o,
    input  wire logic   [63:0] wdata_i,
    input  wire logic          wvalid_i,
    output logic               wready_o,
    output logic               bvalid_o,
    input  wire logic          bready_i,
    input  wire logic   [14:0] araddr_i,
    input  wire logic          arvalid_i,
    output logic               arready_o,
    output logic               rvalid_o,
    input  wire logic          rready_i,
    output logic        [63:0] rdata_o,
    input  wire logic [fsh_spec_pkg::ENGINES-1:0] eng_present_i,
    // Configuration.
    output fsh_node_pkg::cfg_t cfg_o,
    output logic        [39:0] cpl_base_o,
    output logic        [39:0] req_base_o,
    output logic        [39:0] rep_base_o,
    output logic        [39:0] status_addr_o,
    // Ring entries consumed by the host: replies, requests, completions.
    output logic [3*TAKEN_BITS-1:0] taken_o,
    // Errors not reported otherwise: dropped packets, dropped ring entries.
    input  wire logic    [1:0] dropped_i,
    input  wire logic          lost_i,
    // Writes to windows, doorbells and tables.
    output logic               req_we_o,
    output logic               rep_we_o,
    output logic               req_tail_we_o,
    output logic               rep_tail_we_o,
    output logic               route_we_o,
    output logic         [8:0] write_word_o,
    output logic        [63:0] write_data_o,
    // Moves of the DMA engine, to the card (0) and from it, in a cycle with valid.
    output logic         [1:0] dma_valid_o,
    input  wire logic    [1:0] dma_room_i,
    output fsh_dma_pkg::move_t dma_move_o,
    // Performance counters: word index, answer in the next cycle.
    output logic               perf_clear_o,
    output logic               perf_read_o,
    output logic         [6:0] perf_word_o,
    input  wire logic   [63:0] perf_data_i,
    // Counters of the compute core: clear pulse; word index with the read; a pulse with the
    // answer.
    output logic [fsh_spec_pkg::ENGINES-1:0] cperf_clear_o,
    output logic [fsh_spec_pkg::ENGINES-1:0] cperf_read_o,
    output logic         [3:0] cperf_word_o,
    input  wire logic [fsh_spec_pkg::ENGINES-1:0] cperf_valid_i,
    input  wire logic [fsh_spec_pkg::ENGINES*48-1:0] cperf_data_i,
    output logic               busy_o
);
  localparam int unsigned ENGINES = fsh_spec_pkg::ENGINES;
  localparam int unsigned COLLECTIVE = 32'(fsh_spec_pkg::ENGINE_COLLECTIVE);
  localparam int unsigned COMPUTE = 32'(fsh_spec_pkg::ENGINE_COMPUTE);
  localparam logic [7:0] PORTS_FIELD = PORTS[7:0];
  localparam logic [5:0] ALL_PORTS = 6'((1 << PORTS) - 1);
  localparam logic [63:0] ID = 64'(fsh_spec_pkg::SPEC_MINOR) << 48 |
                                64'(fsh_spec_pkg::SPEC_MAJOR) << 32 |
                                64'(fsh_spec_pkg::DEVICE_MAGIC);
  localparam logic [63:0] CAPS = {
    16'd0, 8'd10, 8'(fsh_spec_pkg::SLOTS_PER_PEER), 16'(fsh_spec_pkg::NUM_TAGS),
    8'(fsh_spec_pkg::MAX_NODES), PORTS_FIELD
  };
  localparam logic [63:0] LIMITS = {
    16'(fsh_spec_pkg::RING_ENTRIES), 8'(fsh_spec_pkg::WINDOW_ENTRIES),
    24'(fsh_spec_pkg::MAX_MESSAGE), 16'(fsh_spec_pkg::MAX_MEDIUM)
  };

  logic        aw_valid, w_valid, write, read, ar_busy_q;
  logic [14:0] aw, ar_q;
  logic [63:0] w, rmux_q;
  logic        r1_q, r2_q, r3_q, r2_perf_q, answer;
  logic [ENGINES-1:0] core, r2_core_q;
  logic [47:0] cperf_data;

  // Writes: address and data are accepted together and answered at once.
  fsh_skid #(.WIDTH($bits(awaddr_i))) i_aw (
      .clk_i,
      .rst_i,
      .valid_i(awvalid_i),
      .ready_o(awready_o),
      .data_i (awaddr_i),
      .valid_o(aw_valid),
      .ready_i(write),
      .data_o (aw)
  );
  fsh_skid #(.WIDTH($bits(wdata_i))) i_w (
      .clk_i,
      .rst_i,
      .valid_i(wvalid_i),
      .ready_o(wready_o),
      .data_i (wdata_i),
      .valid_o(w_valid),
      .ready_i(write),
      .data_o (w)
  );
  assign write = aw_valid && w_valid && (!bvalid_o || bready_i);

  always_ff @(posedge clk_i) begin
    if (bready_i || !bvalid_o) bvalid_o <= write;
    cperf_clear_o <= '0;
    cperf_clear_o[COMPUTE] <= write && aw == fsh_spec_pkg::REG_COMPUTE_PERF_CLEAR;
    cperf_clear_o[COLLECTIVE] <= write && aw == fsh_spec_pkg::REG_COLL_PERF_CLEAR;
    if (rst_i) begin
      bvalid_o      <= 1'b0;
      cperf_clear_o <= '0;
    end
  end

  assign req_we_o      = write && aw[14:12] == fsh_spec_pkg::REG_REQ_WINDOW[14:12];
  assign rep_we_o      = write && aw[14:12] == fsh_spec_pkg::REG_REP_WINDOW[14:12];
  assign req_tail_we_o = write && aw == fsh_spec_pkg::REG_REQ_TAIL;
  assign rep_tail_we_o = write && aw == fsh_spec_pkg::REG_REP_TAIL;
  assign perf_clear_o  = write && aw == fsh_spec_pkg::REG_PERF_CLEAR;
  assign route_we_o    = write && aw[14:9] == fsh_spec_pkg::REG_ROUTE[14:9];
  assign write_word_o  = aw[11:3];
  assign write_data_o  = w;

  // Invalid values, which only some registers have.
  logic wrong;
  always_comb begin
    wrong = 1'b0;
    if (write) begin
      case (aw)
        fsh_spec_pkg::REG_PACKET:
          wrong = w[10:0] != 11'd128 && w[10:0] != 11'd256 && w[10:0] != 11'd512 &&
                  w[10:0] != 11'(fsh_spec_pkg::MAX_PACKET);
        fsh_spec_pkg::REG_SEG_BASE, fsh_spec_pkg::REG_HOST_BASE: wrong = w[11:0] != '0;
        fsh_spec_pkg::REG_CPL_BASE, fsh_spec_pkg::REG_REQ_BASE, fsh_spec_pkg::REG_REP_BASE:
          wrong = w[16:0] != '0;
        fsh_spec_pkg::REG_SLOT_HDR_BASE: wrong = w[17:0] != '0;
        fsh_spec_pkg::REG_SLOT_PAY_BASE: wrong = w[22:0] != '0;
        fsh_spec_pkg::REG_STATUS_ADDR: wrong = w[3:0] != '0;
        default: wrong = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    dma_valid_o <= {w[32], !w[32]} & {2{write && aw == fsh_spec_pkg::REG_DMA_MOVE}};
    if (gate_i) cfg_o.hold <= 1'b0;
    if (write && !wrong) begin
      case (aw)
        fsh_spec_pkg::REG_CONTROL: {cfg_o.hold, cfg_o.enable} <= w[1:0];
        fsh_spec_pkg::REG_NODE: {cfg_o.nodes, cfg_o.node} <= w[15:0];
        fsh_spec_pkg::REG_PACKET: cfg_o.packet <= w[10:0];
        fsh_spec_pkg::REG_PORTS: cfg_o.ports <= w[5:0] & ALL_PORTS;
        fsh_spec_pkg::REG_SEG_BASE: cfg_o.seg_base <= w[39:0];
        fsh_spec_pkg::REG_SEG_SIZE: cfg_o.seg_size <= w[39:0];
        fsh_spec_pkg::REG_HOST_BASE: cfg_o.host_base <= w[47:0];
        fsh_spec_pkg::REG_HOST_SIZE: cfg_o.host_size <= w[39:0];
        fsh_spec_pkg::REG_CPL_BASE: cpl_base_o <= w[39:0];
        fsh_spec_pkg::REG_REQ_BASE: req_base_o <= w[39:0];
        fsh_spec_pkg::REG_REP_BASE: rep_base_o <= w[39:0];
        fsh_spec_pkg::REG_SLOT_HDR_BASE: cfg_o.slot_hdr <= w[39:0];
        fsh_spec_pkg::REG_SLOT_PAY_BASE: cfg_o.slot_pay <= w[39:0];
        fsh_spec_pkg::REG_STATUS_ADDR: status_addr_o <= w[39:0];
        fsh_spec_pkg::REG_DMA_HOST: dma_move_o.host <= w[39:0];
        fsh_spec_pkg::REG_DMA_CARD: dma_move_o.card <= w[39:0];
        fsh_spec_pkg::REG_DMA_MOVE: {dma_move_o.tag, dma_move_o.length} <= w[29:0];
        fsh_spec_pkg::REG_CPL_TAKEN: taken_o[0+:TAKEN_BITS] <= w[TAKEN_BITS-1:0];
        fsh_spec_pkg::REG_REQ_TAKEN: taken_o[TAKEN_BITS+:TAKEN_BITS] <= w[TAKEN_BITS-1:0];
        fsh_spec_pkg::REG_REP_TAKEN: taken_o[2*TAKEN_BITS+:TAKEN_BITS] <= w[TAKEN_BITS-1:0];
        default: ;
      endcase
    end
    if (rst_i) begin
      cfg_o.enable    <= 1'b0;
      cfg_o.hold      <= 1'b0;
      cfg_o.node      <= '0;
      cfg_o.nodes     <= 8'd1;
      cfg_o.packet    <= 11'(fsh_spec_pkg::MAX_PACKET);
      cfg_o.ports     <= ALL_PORTS;
      cfg_o.seg_size  <= '0;
      cfg_o.host_size <= '0;
      taken_o         <= '0;
      dma_valid_o     <= '0;
    end
  end

  // Saturating counters; any write of the register clears them.
  logic [15:0] dropped_q;
  logic  [7:0] lost_q;
  logic        wrong_q;

  always_ff @(posedge clk_i) begin
    if (dropped_i != '0 && dropped_q[15:1] != '1)
      dropped_q <= dropped_q + {15'd0, dropped_i[0]} + {15'd0, dropped_i[1]};
    if (lost_i && lost_q != '1) lost_q <= lost_q + 8'd1;
    if (wrong || (dma_valid_o & ~dma_room_i) != '0) wrong_q <= 1'b1;
    if (rst_i || (write && aw == fsh_spec_pkg::REG_FAULTS)) begin
      dropped_q <= '0;
      lost_q    <= '0;
      wrong_q   <= 1'b0;
    end
  end

  // Reads, one at a time: address, multiplexer, answer.
  assign arready_o = !ar_busy_q;
  assign read      = arvalid_i && !ar_busy_q;
  assign rvalid_o  = r3_q;

  assign perf_read_o  = r1_q;
  assign perf_word_o  = ar_q[9:3];
  assign cperf_word_o = ar_q[6:3];
  assign answer       = r2_q && (r2_core_q == '0 || (r2_core_q & cperf_valid_i) != '0);

  always_comb begin
    core             = '0;
    core[COMPUTE]    = ar_q[14:7] == fsh_spec_pkg::REG_COMPUTE_PERF[14:7];
    core[COLLECTIVE] = ar_q[14:7] == fsh_spec_pkg::REG_COLL_PERF[14:7];
    core             = core & eng_present_i;
    cperf_data       = '0;
    for (int unsigned k = 0; k < ENGINES; k++)
      if (r2_core_q[k]) cperf_data |= cperf_data_i[k*48+:48];
  end

  always_ff @(posedge clk_i) begin
    if (read) ar_q <= araddr_i;
    if (r1_q) begin
      case (ar_q)
        fsh_spec_pkg::REG_ID: rmux_q <= ID;
        fsh_spec_pkg::REG_CAPS: rmux_q <= CAPS | 64'(eng_present_i) << 48;
        fsh_spec_pkg::REG_LIMITS: rmux_q <= LIMITS;
        fsh_spec_pkg::REG_CONTROL: rmux_q <= {62'd0, cfg_o.hold, cfg_o.enable};
        fsh_spec_pkg::REG_NODE: rmux_q <= {48'd0, cfg_o.nodes, cfg_o.node};
        fsh_spec_pkg::REG_PACKET: rmux_q <= {53'd0, cfg_o.packet};
        fsh_spec_pkg::REG_PORTS: rmux_q <= {58'd0, cfg_o.ports};
        fsh_spec_pkg::REG_SEG_BASE: rmux_q <= {24'd0, cfg_o.seg_base};
        fsh_spec_pkg::REG_SEG_SIZE: rmux_q <= {24'd0, cfg_o.seg_size};
        fsh_spec_pkg::REG_HOST_BASE: rmux_q <= {16'd0, cfg_o.host_base};
        fsh_spec_pkg::REG_HOST_SIZE: rmux_q <= {24'd0, cfg_o.host_size};
        fsh_spec_pkg::REG_FAULTS: rmux_q <= {32'd0, lost_q, 7'd0, wrong_q, dropped_q};
        fsh_spec_pkg::REG_CYCLE: rmux_q <= {16'd0, cycle_i};
        default: rmux_q <= '0;
      endcase
      r2_perf_q <= ar_q[14:10] == fsh_spec_pkg::REG_PERF[14:10];
      r2_core_q <= core;
    end
    if (answer)
      rdata_o <= r2_core_q != '0 ? {16'd0, cperf_data} : r2_perf_q ? perf_data_i : rmux_q;
    r1_q <= read;
    r2_q <= r1_q || (r2_q && !answer);
    if (answer || rready_i) r3_q <= answer;
    cperf_read_o <= r1_q ? core : '0;
    if (read) ar_busy_q <= 1'b1;
    else if (r3_q && rready_i) ar_busy_q <= 1'b0;
    if (rst_i) begin
      r1_q         <= 1'b0;
      r2_q         <= 1'b0;
      r3_q         <= 1'b0;
      ar_busy_q    <= 1'b0;
      cperf_read_o <= '0;
    end
  end

  assign busy_o = aw_valid || w_valid || bvalid_o || ar_busy_q || dma_valid_o != '0;
endmodule

`default_nettype wire
