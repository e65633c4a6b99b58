// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The only writer to host memory: bursts of BURSTS sources (receivers, the collective engine),
/// entries of the three rings, and the status line; round robin burst by burst. Addresses are
/// offsets in the DMA window. The bus keeps writes in order and responds to each burst; responses
/// are returned to the source.
/// Entries come from ENTRIES sources, each tagged with its ring (0 completions, 1 requests, 2
/// replies); the entries of a ring are written in order, with the phase toggling every lap, from
/// 1.
/// An entry for a ring that is full, according to what the host has reported as consumed, is
/// dropped (a pulse of lost_o), never overwriting another: backpressure would let one host block
/// the network. A host that observes its limits on tags, slots and commands in flight never fills
/// a ring (architecture.md, "Room in the rings"); only a faulty peer or host can.
module fsh_hostw #(
    parameter int unsigned ENTRIES = 6,
    parameter int unsigned BURSTS = 3,
    localparam int unsigned RING_BITS = $clog2(fsh_spec_pkg::RING_ENTRIES),
    localparam int unsigned TAKEN_BITS = RING_BITS + 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_i,
    input  wire logic                   enable_i,
    input  wire logic            [47:0] cycle_i,
    input  wire logic            [47:0] host_base_i,
    input  wire logic            [39:0] cpl_base_i,
    input  wire logic            [39:0] req_base_i,
    input  wire logic            [39:0] rep_base_i,
    input  wire logic            [39:0] status_addr_i,
    // Total entries consumed by the host, modulo two laps: replies, requests, completions.
    input  wire logic [3*TAKEN_BITS-1:0] taken_i,
    input  wire logic            [31:0] req_head_i,
    input  wire logic            [31:0] rep_head_i,
    // Bursts.
    input  wire logic      [BURSTS-1:0] rx_awvalid_i,
    output logic           [BURSTS-1:0] rx_awready_o,
    input  wire logic   [BURSTS*40-1:0] rx_awaddr_i,
    input  wire logic    [BURSTS*8-1:0] rx_awlen_i,
    input  wire logic      [BURSTS-1:0] rx_wvalid_i,
    output logic           [BURSTS-1:0] rx_wready_o,
    input  wire logic  [BURSTS*128-1:0] rx_wdata_i,
    input  wire logic   [BURSTS*16-1:0] rx_wstrb_i,
    input  wire logic      [BURSTS-1:0] rx_wlast_i,
    output logic           [BURSTS-1:0] rx_bvalid_o,
    output logic                        rx_berr_o,
    // Ring entries.
    input  wire logic     [ENTRIES-1:0] entry_valid_i,
    output logic          [ENTRIES-1:0] entry_ready_o,
    input  wire logic   [ENTRIES*2-1:0] entry_ring_i,
    input  wire logic [ENTRIES*128-1:0] entry_i,
    // Host memory.
    output logic                        awvalid_o,
    input  wire logic                   awready_i,
    output logic                 [47:0] awaddr_o,
    output logic                  [7:0] awlen_o,
    output logic                        wvalid_o,
    input  wire logic                   wready_i,
    output logic                [127:0] wdata_o,
    output logic                 [15:0] wstrb_o,
    output logic                        wlast_o,
    input  wire logic                   bvalid_i,
    input  wire logic                   berr_i,
    output logic                        perf_entry_o,
    output logic                        lost_o,  // an entry was dropped
    output logic                        busy_o
);
  // Sources of a burst: those with more than one beat, ring entry, status line.
  logic [BURSTS+1:0]    req, gnt;
  logic [BURSTS-1:0]    owner_q;
  logic                 start, streaming_q, aw_room, w_room, b_room;
  logic [47:0]          aw;
  logic [7:0]           aw_len;
  logic [39:0]          offset;
  logic                 w_push, w_last;
  logic [15:0]          w_strb;
  logic [127:0]         w_data;

  // The current entry, with its position in its ring.
  logic [ENTRIES-1:0]   entry_gnt;
  logic [1:0]           ring;
  fsh_spec_pkg::ring_t  entry_full;
  logic [RING_BITS:0]   index_cpl_q, index_req_q, index_rep_q, index;
  logic [RING_BITS:0]   used_cpl, used_req, used_rep;
  logic [2:0]           full_q;
  logic                 full, e_keep;
  logic [39:0]          ring_base;
  logic                 e_valid_q, e_pop;
  logic [127:0]         e_data_q;
  logic [39:0]          e_offset_q;
  logic                 e_load;

  fsh_arb #(
      .N(ENTRIES)
  ) i_entry_arb (
      .clk_i,
      .rst_i,
      .req_i (entry_valid_i),
      .look_i(entry_valid_i != '0),
      .take_i(e_load),
      .gnt_o (entry_gnt)
  );

  // Not in the cycle of e_pop: an entry every two cycles suffices, and it keeps the sources
  // independent of the burst arbiter.
  assign e_load        = |entry_valid_i && !e_valid_q;
  assign entry_ready_o = entry_gnt & {ENTRIES{e_load}};

  always_comb begin
    ring       = '0;
    entry_full = '0;
    index      = index_cpl_q;
    ring_base  = cpl_base_i;
    if (entry_valid_i != '0) begin
      for (int unsigned i = 0; i < ENTRIES; i++) begin
        ring       |= entry_ring_i[i*2+:2] & {2{entry_gnt[i]}};
        entry_full |= entry_i[i*128+:128] & {128{entry_gnt[i]}};
      end
      if (ring == 2'd1) begin
        index     = index_req_q;
        ring_base = req_base_i;
      end
      if (ring == 2'd2) begin
        index     = index_rep_q;
        ring_base = rep_base_i;
      end
      entry_full.phase = !index[RING_BITS];
      entry_full.cycle = cycle_i;
    end
  end

  // Up to date whenever an entry is accepted: after an entry that is kept there is a cycle
  // without one. It lags behind what the host has consumed, which is safe.
  assign used_cpl = index_cpl_q - taken_i[0+:TAKEN_BITS];
  assign used_req = index_req_q - taken_i[TAKEN_BITS+:TAKEN_BITS];
  assign used_rep = index_rep_q - taken_i[2*TAKEN_BITS+:TAKEN_BITS];
  always_ff @(posedge clk_i)
    full_q <= rst_i ? '0 : {used_rep[RING_BITS], used_req[RING_BITS], used_cpl[RING_BITS]};

  assign full   = ring == 2'd2 ? full_q[2] : ring == 2'd1 ? full_q[1] : full_q[0];
  assign e_keep = e_load && !full;
  assign lost_o = e_load && full;

  always_ff @(posedge clk_i) begin
    if (e_load) begin
      e_data_q   <= entry_full;
      e_offset_q <= ring_base | {{40 - RING_BITS - 4{1'b0}}, index[RING_BITS-1:0], 4'd0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (e_pop) e_valid_q <= 1'b0;
    if (e_keep) begin
      e_valid_q <= 1'b1;
      if (ring == 2'd0) index_cpl_q <= index_cpl_q + 1'b1;
      if (ring == 2'd1) index_req_q <= index_req_q + 1'b1;
      if (ring == 2'd2) index_rep_q <= index_rep_q + 1'b1;
    end
    if (rst_i) begin
      e_valid_q   <= 1'b0;
      index_cpl_q <= '0;
      index_req_q <= '0;
      index_rep_q <= '0;
    end
  end

  // The status line is written when a head has moved.
  fsh_spec_pkg::status_t status;
  logic [63:0]           told_q;
  logic                  moved, owed_q, s_pop;

  always_comb begin
    status          = '0;
    status.req_head = req_head_i;
    status.rep_head = rep_head_i;
  end

  assign moved = enable_i && told_q != {rep_head_i, req_head_i};

  always_ff @(posedge clk_i) begin
    owed_q <= moved && !s_pop;
    if (s_pop) told_q <= {rep_head_i, req_head_i};
    if (rst_i) begin
      owed_q <= 1'b0;
      told_q <= '0;
    end
  end

  // Burst arbitration: a grant accepts the address; single beats go with it.
  assign req   = {owed_q, e_valid_q, rx_awvalid_i};
  assign start = !streaming_q && |req && aw_room && w_room && b_room;

  fsh_arb #(
      .N(BURSTS + 2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .look_i(req != '0),
      .take_i(start),
      .gnt_o (gnt)
  );

  assign e_pop        = start && gnt[BURSTS];
  assign s_pop        = start && gnt[BURSTS+1];
  assign rx_awready_o = gnt[BURSTS-1:0] & {BURSTS{start}};

  always_comb begin
    offset = 'x;
    aw_len = 'x;
    if (start) begin
      offset = status_addr_i;
      aw_len = '0;
      if (gnt[BURSTS]) offset = e_offset_q;
      for (int unsigned i = 0; i < BURSTS; i++) begin
        if (gnt[i]) begin
          offset = rx_awaddr_i[i*40+:40];
          aw_len = rx_awlen_i[i*8+:8];
        end
      end
    end
    aw = 'x;
    if (start) aw = host_base_i + {8'd0, offset};
  end

  // Data: from the source that owns the bus, or the single beat.
  assign rx_wready_o = owner_q & {BURSTS{streaming_q && w_room}};
  assign w_push      = streaming_q ? w_room && (owner_q & rx_wvalid_i) != '0 : e_pop || s_pop;

  always_comb begin
    w_data = 'x;
    w_strb = 'x;
    w_last = 'x;
    if (streaming_q) begin
      w_data = '0;
      w_strb = '0;
      for (int unsigned i = 0; i < BURSTS; i++) begin
        if (owner_q[i]) w_data |= rx_wdata_i[i*128+:128];
        if (owner_q[i]) w_strb |= rx_wstrb_i[i*16+:16];
      end
      w_last = (owner_q & rx_wlast_i) != '0;
    end else if (start) begin
      w_data = e_pop ? e_data_q : status;
      w_strb = '1;
      w_last = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      owner_q     <= gnt[BURSTS-1:0];
      streaming_q <= |gnt[BURSTS-1:0];
    end
    if (streaming_q && w_push && w_last) streaming_q <= 1'b0;
    if (rst_i) begin
      streaming_q <= 1'b0;
      owner_q     <= '0;
    end
  end

  fsh_fifo #(.WIDTH($bits({aw_len, aw})), .DEPTH(4)) i_aw (
      .clk_i,
      .rst_i,
      .valid_i(start),
      .ready_o(aw_room),
      .data_i ({aw_len, aw}),
      .valid_o(awvalid_o),
      .ready_i(awready_i),
      .data_o ({awlen_o, awaddr_o}),
      .count_o()
  );
  fsh_fifo #(.WIDTH($bits({w_last, w_strb, w_data})), .DEPTH(4)) i_w (
      .clk_i,
      .rst_i,
      .valid_i(w_push),
      .ready_o(w_room),
      .data_i ({w_last, w_strb, w_data}),
      .valid_o(wvalid_o),
      .ready_i(wready_i),
      .data_o ({wlast_o, wstrb_o, wdata_o}),
      .count_o()
  );

  // The source of the next response.
  logic              b_valid;
  logic [BURSTS-1:0] b_owner;

  fsh_fifo #(.WIDTH(BURSTS), .DEPTH(32)) i_b (
      .clk_i,
      .rst_i,
      .valid_i(start),
      .ready_o(b_room),
      .data_i (gnt[BURSTS-1:0]),
      .valid_o(b_valid),
      .ready_i(bvalid_i),
      .data_o (b_owner),
      .count_o()
  );
  assign rx_bvalid_o = b_owner & {BURSTS{bvalid_i}};
  assign rx_berr_o   = berr_i;

  assign perf_entry_o = e_keep;
  assign busy_o       = |req || moved || streaming_q || awvalid_o || wvalid_o || b_valid;

  `FSH_ASSERT(assert_answer, !bvalid_i || b_valid)
  // Nothing is overwritten (and the host has not consumed what is not there).
  `FSH_ASSERT(assert_cpl, !used_cpl[RING_BITS] || used_cpl[RING_BITS-1:0] == '0)
  `FSH_ASSERT(assert_req, !used_req[RING_BITS] || used_req[RING_BITS-1:0] == '0)
  `FSH_ASSERT(assert_rep, !used_rep[RING_BITS] || used_rep[RING_BITS-1:0] == '0)
endmodule

`default_nettype wire
