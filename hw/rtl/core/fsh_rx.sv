// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AM receiver of one port: takes the packets for this node from the link's
/// four queues and the loop's two, packet by packet, checks each range, writes
/// payloads to device or host memory and the header and arguments of host-bound
/// messages to their slot, and hands every packet to the tracker once all its
/// writes have their responses. GET requests go to the scheduler as commands.
/// A request is taken only when the queue for its answer has room (budget), so
/// it never blocks a reply behind it; replies always sink.
/// Two cycles from a queue's head to the header event; one beat a cycle, no
/// bubble between packets. A packet out of range writes nothing and goes to the
/// tracker, or back as an empty GET_REPLY, with its status.
module fsh_rx (
    input  wire logic                       clk_i,
    input  wire logic                       rst_i,
    input  wire logic                [39:0] seg_base_i,
    input  wire logic                [39:0] seg_size_i,
    input  wire logic                [39:0] host_size_i,
    input  wire logic                [39:0] slot_hdr_i,
    input  wire logic                [39:0] slot_pay_i,
    // Queues: link channels 0..3, then loop request and reply.
    input  wire logic                 [5:0] q_valid_i,
    input  wire logic                 [5:0] q_start_i,
    output logic                      [5:0] q_ready_o,
    input  wire logic                [41:0] q_follow_i,
    input  wire logic               [767:0] q_data_i,
    // Device memory, write side.
    output logic                            mem_awvalid_o,
    input  wire logic                       mem_awready_i,
    output logic                     [39:0] mem_awaddr_o,
    output logic                      [7:0] mem_awlen_o,
    output logic                            mem_wvalid_o,
    input  wire logic                       mem_wready_i,
    output logic                    [127:0] mem_wdata_o,
    output logic                     [15:0] mem_wstrb_o,
    output logic                            mem_wlast_o,
    input  wire logic                       mem_bvalid_i,
    // Host writer: bursts at an offset in the DMA window.
    output logic                            host_awvalid_o,
    input  wire logic                       host_awready_i,
    output logic                     [39:0] host_awaddr_o,
    output logic                      [7:0] host_awlen_o,
    output logic                            host_wvalid_o,
    input  wire logic                       host_wready_i,
    output logic                    [127:0] host_wdata_o,
    output logic                     [15:0] host_wstrb_o,
    output logic                            host_wlast_o,
    input  wire logic                       host_bvalid_i,
    // Served GETs.
    output logic                            get_valid_o,
    input  wire logic                       get_ready_i,
    output fsh_spec_pkg::cmd_t              get_cmd_o,
    output logic                      [3:0] get_status_o,
    // Packets written.
    output logic                            evt_valid_o,
    input  wire logic                       evt_ready_i,
    output fsh_spec_pkg::hdr_t              evt_hdr_o,
    // Requests whose answer has left or needs none.
    input  wire logic                 [1:0] budget_return_i,
    // Events for the counters.
    output logic                            perf_req_o,
    output logic                            perf_rep_o,
    output logic                     [10:0] perf_bytes_o,
    output logic                            perf_written_o,
    output logic                     [10:0] perf_written_bytes_o,
    output logic                            perf_refused_o,
    output logic                            busy_o
);
  localparam int unsigned BUDGET = 32;
  localparam int unsigned PEND_DEPTH = 32;

  typedef enum logic [1:0] {
    Header,
    Args,
    Payload
  } state_e;

  // Stage 0: the packet chosen. Stage 1: with the end of its range.
  logic               mux_valid, mux_ready, mux_sop, mux_last, s0_valid_q, s0_sop_q, s0_last_q;
  logic               s1_valid_q, s1_sop_q, s1_last_q, s1_ready, s0_ready;
  logic [127:0]       mux_data, s0_data_q, s1_data_q;
  logic [5:0]         mux_sel;
  logic [40:0]        s1_end_q;
  logic [23:0]        span;
  logic               request_ok_q, pend_ok_q;
  logic [5:0]         budget_q;
  fsh_spec_pkg::hdr_t s0_hdr, hdr, hdr_q, cur;
  logic               spend;

  fsh_pktmux #(
      .N(6)
  ) i_mux (
      .clk_i,
      .rst_i,
      .valid_i (q_valid_i),
      .start_i (q_start_i & {6{pend_ok_q}} & {1'b1, request_ok_q, 2'b11, {2{request_ok_q}}}),
      .follow_i(q_follow_i),
      .data_i  (q_data_i),
      .ready_o (q_ready_o),
      .valid_o (mux_valid),
      .ready_i (mux_ready),
      .sop_o   (mux_sop),
      .last_o  (mux_last),
      .data_o  (mux_data),
      .follow_o(),
      .sel_o   (mux_sel),
      .busy_o  ()
  );

  assign s0_hdr    = s0_data_q;
  assign span      = s0_hdr.opcode == fsh_spec_pkg::OP_GET ? s0_hdr.total : {13'd0, s0_hdr.bytes};
  assign s0_ready  = !s1_valid_q || s1_ready;
  assign mux_ready = !s0_valid_q || s0_ready;

  always_ff @(posedge clk_i) begin
    if (mux_ready) begin
      s0_data_q <= mux_data;
      s0_sop_q  <= mux_sop;
      s0_last_q <= mux_last;
    end
    if (s0_ready) begin
      s1_data_q <= s0_data_q;
      s1_sop_q  <= s0_sop_q;
      s1_last_q <= s0_last_q;
      s1_end_q  <= {1'b0, s0_hdr.addr} + {17'd0, span};
    end
  end

  always_ff @(posedge clk_i) begin
    if (mux_ready) s0_valid_q <= mux_valid;
    if (s0_ready) s1_valid_q <= s0_valid_q;
    if (rst_i) begin
      s0_valid_q <= 1'b0;
      s1_valid_q <= 1'b0;
    end
  end

  // Budget: one unit a request, from here until its answer has left.
  assign spend = mux_valid && mux_ready && mux_sop && (mux_sel[0] || mux_sel[1] || mux_sel[4]);

  logic [1:0] returned;
  logic       get_taken;
  assign get_taken = get_valid_o && get_ready_i;
  assign returned  = {1'b0, budget_return_i[0]} + {1'b0, budget_return_i[1]};

  always_ff @(posedge clk_i) begin
    budget_q     <= budget_q - {5'd0, spend} + {4'd0, returned} + {5'd0, get_taken};
    request_ok_q <= budget_q > 6'd2;
    if (rst_i) begin
      budget_q     <= 6'(BUDGET);
      request_ok_q <= 1'b0;
    end
  end

  // What the packet asks for.
  state_e      state_q;
  logic        in_hdr, is_get, to_host, is_medium, to_mem, slot_write, has_pay, in_range;
  logic        pay_mem, pay_host, pay_mem_q, pay_host_q, slot_write_q, pay_first_q;
  logic [2:0]  args, args_left_q;
  logic [6:0]  beats, pay_left_q;
  logic [39:0] limit, slot_pay_addr;
  logic [12:0] slot_index;
  logic        step, can, pay_last;
  logic [3:0]  end_lane;
  logic [15:0] strb;

  assign hdr        = s1_data_q;
  assign in_hdr     = state_q == Header;
  assign cur        = in_hdr ? hdr : hdr_q;
  assign is_get     = cur.opcode == fsh_spec_pkg::OP_GET;
  assign to_host    = cur.opcode >= fsh_spec_pkg::OP_LIBRARY;
  assign is_medium  = to_host && cur.category == fsh_spec_pkg::CAT_MEDIUM;
  assign to_mem     = cur.space == fsh_spec_pkg::SPACE_SEGMENT;
  assign has_pay    = hdr.bytes != '0;
  assign slot_write = to_host && hdr.first;
  assign args       = hdr.first ? fsh_fn_pkg::arg_beats(hdr.nargs) : 3'd0;
  assign beats      = fsh_fn_pkg::pay_beats(hdr.addr[3:0], hdr.bytes);
  assign limit      = is_medium ? 40'(fsh_spec_pkg::MAX_MEDIUM) :
                      to_mem ? seg_size_i : host_size_i;
  assign in_range   = s1_end_q <= {1'b0, limit} || (!has_pay && !is_get);
  assign pay_mem    = has_pay && in_range && to_mem && !is_medium;
  assign pay_host   = has_pay && in_range && (!to_mem || is_medium);

  assign slot_index    = {2'b0, cur.reply, cur.src[5:0], cur.tag[3:0]};
  assign slot_pay_addr = slot_pay_i | {17'd0, slot_index[10:0], cur.addr[11:0]};

  // Byte lanes of the payload beat.
  assign end_lane = cur.addr[3:0] + cur.bytes[3:0];
  assign pay_last = pay_left_q == 7'd1;
  always_comb begin
    strb = 16'hffff;
    if (pay_first_q) strb = strb & (16'hffff << cur.addr[3:0]);
    if (pay_last && end_lane != '0) strb = strb & ~(16'hffff << end_lane);
  end

  // Outgoing queues. All must have room for any step: simple, and they drain.
  logic         maw_push, mw_push, haw_push, hw_push, maw_ok, mw_ok, haw_ok, hw_ok;
  logic [47:0]  haw;
  logic [144:0] w_beat;
  logic         w_last;
  logic         pend_push, pend_ready, get_push, get_fifo_ready, range_ok_q;
  fsh_spec_pkg::hdr_t evt_in;

  assign can      = maw_ok && mw_ok && haw_ok && hw_ok;
  assign step     = s1_valid_q && can;
  assign s1_ready = can;

  assign maw_push = step && in_hdr && pay_mem;
  assign mw_push  = step && state_q == Payload && pay_mem_q;
  assign haw_push = step && ((in_hdr && (slot_write || (pay_host && !is_medium))) ||
                             (state_q == Payload && pay_first_q && pay_host_q && is_medium));
  assign hw_push  = step && ((in_hdr && slot_write) || (state_q == Args && slot_write_q) ||
                             (state_q == Payload && pay_host_q));

  always_comb begin
    if (!in_hdr) haw = {1'b0, pay_left_q - 7'd1, slot_pay_addr[39:4], 4'd0};
    else if (slot_write) haw = {5'd0, args, slot_hdr_i | {20'd0, slot_index, 7'd0}};
    else haw = {1'b0, beats - 7'd1, hdr.addr[39:4], 4'd0};
  end

  assign w_last = in_hdr ? args == '0 : state_q == Args ? args_left_q == 3'd1 : pay_last;
  assign w_beat = {w_last, state_q == Payload ? strb : 16'hffff, in_hdr ? evt_in : s1_data_q};

  fsh_fifo #(.WIDTH(48), .DEPTH(4)) i_maw (
      .clk_i,
      .rst_i,
      .valid_i(maw_push),
      .ready_o(maw_ok),
      .data_i ({1'b0, beats - 7'd1, seg_base_i + {hdr.addr[39:4], 4'd0}}),
      .valid_o(mem_awvalid_o),
      .ready_i(mem_awready_i),
      .data_o ({mem_awlen_o, mem_awaddr_o}),
      .count_o()
  );
  fsh_fifo #(.WIDTH(145), .DEPTH(4)) i_mw (
      .clk_i,
      .rst_i,
      .valid_i(mw_push),
      .ready_o(mw_ok),
      .data_i (w_beat),
      .valid_o(mem_wvalid_o),
      .ready_i(mem_wready_i),
      .data_o ({mem_wlast_o, mem_wstrb_o, mem_wdata_o}),
      .count_o()
  );
  fsh_fifo #(.WIDTH(48), .DEPTH(4)) i_haw (
      .clk_i,
      .rst_i,
      .valid_i(haw_push),
      .ready_o(haw_ok),
      .data_i (haw),
      .valid_o(host_awvalid_o),
      .ready_i(host_awready_i),
      .data_o ({host_awlen_o, host_awaddr_o}),
      .count_o()
  );
  fsh_fifo #(.WIDTH(145), .DEPTH(4)) i_hw (
      .clk_i,
      .rst_i,
      .valid_i(hw_push),
      .ready_o(hw_ok),
      .data_i (w_beat),
      .valid_o(host_wvalid_o),
      .ready_i(host_wready_i),
      .data_o ({host_wlast_o, host_wstrb_o, host_wdata_o}),
      .count_o()
  );

  always_ff @(posedge clk_i) begin
    if (step) begin
      if (in_hdr) begin
        hdr_q        <= hdr;
        args_left_q  <= args;
        pay_left_q   <= beats;
        pay_first_q  <= 1'b1;
        pay_mem_q    <= pay_mem;
        pay_host_q   <= pay_host;
        slot_write_q <= slot_write;
        range_ok_q   <= in_range;
      end
      if (state_q == Args) args_left_q <= args_left_q - 3'd1;
      if (state_q == Payload) begin
        pay_left_q  <= pay_left_q - 7'd1;
        pay_first_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      unique case (state_q)
        Header: if (!s1_last_q) state_q <= args != '0 ? Args : Payload;
        Args: if (args_left_q == 3'd1) state_q <= s1_last_q ? Header : Payload;
        default: if (s1_last_q) state_q <= Header;
      endcase
    end
    if (rst_i) state_q <= Header;
  end

  // Served GETs: the argument beat completes the command.
  fsh_spec_pkg::getarg_t getarg;
  fsh_spec_pkg::cmd_t    get_cmd;

  assign getarg = s1_data_q;
  always_comb begin
    get_cmd          = '0;
    get_cmd.opcode   = fsh_spec_pkg::OP_GET_REPLY;
    get_cmd.category = fsh_spec_pkg::CAT_LONG;
    get_cmd.reply    = 1'b1;
    get_cmd.rspace   = getarg.space;
    get_cmd.dst      = hdr_q.src;
    get_cmd.tag      = hdr_q.tag;
    get_cmd.lspace   = hdr_q.space;
    get_cmd.raddr    = getarg.addr;
    get_cmd.length   = hdr_q.total;
    get_cmd.laddr    = hdr_q.addr;
  end

  assign get_push = step && state_q == Args && is_get;

  fsh_fifo #(.WIDTH(260), .DEPTH(BUDGET)) i_get (
      .clk_i,
      .rst_i,
      .valid_i(get_push),
      .ready_o(get_fifo_ready),
      .data_i ({range_ok_q ? fsh_spec_pkg::STATUS_OK : fsh_spec_pkg::STATUS_REMOTE_RANGE,
                get_cmd}),
      .valid_o(get_valid_o),
      .ready_i(get_ready_i),
      .data_o ({get_status_o, get_cmd_o}),
      .count_o()
  );

  // Packets waiting for their write responses, in order.
  logic               pend_valid, pend_mem, mem_ok, host_ok, pend_pop;
  logic [1:0]         pend_host, host_bursts;
  logic [5:0]         pend_count;
  logic [5:0]         mem_b_q;
  logic [6:0]         host_b_q;

  always_comb begin
    evt_in = hdr;
    if (!in_range) evt_in.status = fsh_spec_pkg::STATUS_REMOTE_RANGE;
  end

  assign host_bursts = {1'b0, slot_write} + {1'b0, pay_host};
  assign pend_push   = step && in_hdr && !is_get;

  fsh_fifo #(.WIDTH(131), .DEPTH(PEND_DEPTH)) i_pend (
      .clk_i,
      .rst_i,
      .valid_i(pend_push),
      .ready_o(pend_ready),
      .data_i ({host_bursts, pay_mem, evt_in}),
      .valid_o(pend_valid),
      .ready_i(pend_pop),
      .data_o ({pend_host, pend_mem, evt_hdr_o}),
      .count_o(pend_count)
  );

  assign mem_ok      = !pend_mem || mem_b_q != '0 || mem_bvalid_i;
  assign host_ok     = host_b_q >= {5'd0, pend_host};
  assign evt_valid_o = pend_valid && mem_ok && host_ok;
  assign pend_pop    = evt_valid_o && evt_ready_i;

  always_ff @(posedge clk_i) begin
    mem_b_q   <= mem_b_q + {5'd0, mem_bvalid_i} - {5'd0, pend_pop && pend_mem};
    host_b_q  <= host_b_q + {6'd0, host_bvalid_i} - (pend_pop ? {5'd0, pend_host} : 7'd0);
    pend_ok_q <= pend_count <= 6'(PEND_DEPTH - 5);
    if (rst_i) begin
      mem_b_q   <= '0;
      host_b_q  <= '0;
      pend_ok_q <= 1'b0;
    end
  end

  assign perf_req_o           = step && in_hdr && !hdr.reply;
  assign perf_rep_o           = step && in_hdr && hdr.reply;
  assign perf_bytes_o         = hdr.bytes;
  assign perf_written_o       = pend_pop && evt_hdr_o.bytes != '0 &&
                                evt_hdr_o.status == fsh_spec_pkg::STATUS_OK;
  assign perf_written_bytes_o = evt_hdr_o.bytes;
  assign perf_refused_o       = step && in_hdr && !in_range;

  assign busy_o = s0_valid_q || s1_valid_q || pend_valid || get_valid_o || mem_awvalid_o ||
                  mem_wvalid_o || host_awvalid_o || host_wvalid_o || state_q != Header;

  `FSH_ASSERT(assert_get_room, !get_push || get_fifo_ready)
  `FSH_ASSERT(assert_pend_room, !pend_push || pend_ready)
  `FSH_ASSERT(assert_sop, !step || s1_sop_q == in_hdr)
  `FSH_ASSERT(assert_length, !(step && state_q == Payload) || s1_last_q == pay_last)
  `FSH_ASSERT(assert_budget, budget_q <= 6'(BUDGET))
endmodule

`default_nettype wire
