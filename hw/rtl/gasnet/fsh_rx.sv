// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AM receiver of one lane: takes the packets for this node from its links and (LOOP, the last
/// stream) from the loopback, packet by packet, checks each range, writes payloads to device or
/// host memory and the header and arguments of host-bound messages to their slot, and hands every
/// packet to the tracker once all its writes have been acknowledged. GET requests and messages to
/// engines go to a separate queue.
/// Of the packets offered, those with less than LONG_BYTES of payload go first, up to 8 in a row
/// while others wait.
/// A request may start only while the queue for its answer has room (budget), so it never blocks
/// a reply behind it; replies always sink. One beat per cycle, no bubble between packets; a
/// header is judged in the cycle after it is offered.
/// A packet can write only the segment; its sender's slot and the line in it; and, as GET_REPLY,
/// the range that its tag requested from its sender. A tagged request that is not permitted is
/// answered with PUT_ACK and a status; a host-bound message out of range is delivered with its
/// status. Everything else that is wrong (header, sender, unrequested answer) is dropped.
/// A packet with a bad last beat, or whose writes return an error, goes to the tracker with
/// status MEMORY; behind the former the next header waits until it has gone. If the responses of
/// several packets are present together, an error is attributed to all of them.
module fsh_rx #(
    parameter int unsigned PORTS = 2,  // of the node
    parameter int unsigned LINKS = 1,
    parameter bit LOOP = 1'b1,
    localparam int unsigned STREAMS = LINKS + 32'(LOOP)
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic         [7:0] node_i,
    input  wire logic         [7:0] nodes_i,
    input  wire logic        [39:0] seg_base_i,
    input  wire logic        [39:0] seg_size_i,
    input  wire logic        [39:0] slot_hdr_i,
    input  wire logic        [39:0] slot_pay_i,
    input  wire logic        [10:0] packet_i,
    input  wire logic   [PORTS-1:0] ports_i,
    input  wire fsh_node_pkg::route_t route_i,
    // Packets, by stream. start_o: whether one may start, by channel {reply}; request_i: a
    // request starts, up to two cycles after start_o was seen.
    output logic              [1:0] start_o,
    input  wire logic [STREAMS-1:0] request_i,
    input  wire logic [STREAMS-1:0] valid_i,
    output logic      [STREAMS-1:0] ready_o,
    input  wire logic [STREAMS-1:0] last_i,
    input  wire logic [STREAMS*128-1:0] data_i,
    input  wire logic [STREAMS-1:0] bad_i,
    // The tag table: a header on the reply channel may need its tag's entry; it starts the read
    // on its way to the second stage, where it needs the result. hold_i: the other receiver is
    // using the table; if both want it the one with the loopback has priority.
    output logic                    tag_busy_o,
    input  wire logic               tag_hold_i,
    output logic                    tag_re_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] tag_o,
    input  wire fsh_fn_pkg::tag_t   tag_i,
    // Writes, to the host writer (an offset in the DMA window) or to device memory.
    output logic                    awvalid_o,
    input  wire logic               awready_i,
    output logic                    awhost_o,
    output logic             [39:0] awaddr_o,
    output logic              [7:0] awlen_o,
    output logic                    wvalid_o,
    input  wire logic               wready_i,
    output logic                    whost_o,
    output logic            [127:0] wdata_o,
    output logic             [15:0] wstrb_o,
    output logic                    wlast_o,
    input  wire logic               mem_bvalid_i,
    input  wire logic               mem_berr_i,
    input  wire logic               host_bvalid_i,
    input  wire logic               host_berr_i,
    // Served GETs, messages to engines.
    output logic                    get_valid_o,
    input  wire logic               get_ready_i,
    input  wire logic               get_long_ok_i,  // one longer than a packet can be served
    output fsh_fn_pkg::get_t        get_o,
    // Packets written.
    output logic                    evt_valid_o,
    input  wire logic               evt_ready_i,
    output fsh_fn_pkg::evt_t        evt_o,
    // Beats for the collective engine; none without room.
    input  wire logic               coll_room_i,
    output fsh_fn_pkg::coll_beat_t  coll_o,
    output logic            [127:0] coll_data_o,
    // Requests whose answer has left, or that need none.
    input  wire logic         [1:0] budget_return_i,
    // Events for the counters.
    output logic                    perf_req_o,
    output logic                    perf_rep_o,
    output logic             [10:0] perf_bytes_o,
    output logic                    perf_written_o,
    output logic             [10:0] perf_written_bytes_o,
    output logic                    perf_refused_o,
    output logic                    dropped_o,  // a cycle late
    output logic                    busy_o
);
  /*verilator no_inline_module*/  // instances share code, to stay in the instruction cache
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  localparam int unsigned BUDGET = 32;
  // Packets that may start before start_o shows that they should not: one per stream in each of
  // two cycles, and those between start and queue.
  localparam int unsigned UNSEEN = 2 * STREAMS + 4;

  typedef enum logic [1:0] {
    Header,
    Args,
    Payload
  } state_e;

  // The current beat, followed by a stage that computes the end of its range.
  logic               s0_valid, s0_sop_q, s0_last, s0_ready, s1_valid_q, s1_last_q, step, can;
  logic               s0_loop, s1_loop_q, s1_ready, s0_bad, s1_bad_q;
  logic [127:0]       s0_data, s1_data_q;
  logic [40:0]        s1_end_q;
  logic [23:0]        span;
  logic               request_ok_q, pend_ok, bad;
  logic [5:0]         budget_q;
  fsh_spec_pkg::hdr_t s0_hdr, hdr, hdr_q;

  // Of the headers that are offered: replies that need the tag table, taken before the arbiter so
  // that the other receiver need not wait for it; and short packets.
  logic [STREAMS-1:0] wants;
  logic               tag_want;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [STREAMS-1:0] short;
  for (genvar k = 0; k < STREAMS; k++) begin : gen_want
    fsh_spec_pkg::hdr_t front;
    assign front    = data_i[k*128+:128];
    assign wants[k] = valid_i[k] && front.reply && front.opcode < fsh_spec_pkg::OP_LIBRARY;
    assign short[k] = valid_i[k] && front.bytes < 11'(fsh_spec_pkg::LONG_BYTES);
  end
  /* verilator lint_on UNUSEDSIGNAL */

  if (STREAMS > 1) begin : gen_arb
    localparam int unsigned ROW_W = 4;  // short ones: at most 8 in a row while long ones wait
    logic [STREAMS-1:0] sel, offer;
    logic [ROW_W-1:0]   row_q;

    assign offer = s0_sop_q && short != '0 && !row_q[ROW_W-1] ? short : valid_i;
    always_ff @(posedge clk_i) begin
      if (s0_sop_q && s0_valid && s0_ready)
        row_q <= (sel & short) == '0 || (valid_i & ~short) == '0 ? '0 :
                 row_q + ROW_W'(!row_q[ROW_W-1]);
      if (rst_i) row_q <= '0;
    end

    fsh_pktarb #(
        .N(STREAMS)
    ) i_arb (
        .clk_i,
        .rst_i,
        .valid_i(offer),
        .last_i,
        .ready_o,
        .sel_o  (sel),
        .valid_o(s0_valid),
        .ready_i(s0_ready),
        .sop_o  (),
        .last_o (s0_last)
    );
    always_comb begin
      s0_data = data_i[127:0];
      for (int unsigned k = 1; k < STREAMS; k++) if (sel[k]) s0_data = data_i[k*128+:128];
    end
    assign s0_loop = LOOP && sel[STREAMS-1];
    assign s0_bad  = |(sel & bad_i);
  end else begin : gen_link
    assign s0_valid = valid_i;
    assign s0_last  = last_i;
    assign s0_data  = data_i;
    assign s0_loop  = LOOP;
    assign s0_bad   = bad_i;
    assign ready_o  = s0_ready;
  end

  assign s0_hdr   = s0_data;

  always_comb begin
    span = 'x;
    if (s0_sop_q)
      span = s0_hdr.opcode == fsh_spec_pkg::OP_GET ? s0_hdr.total : {13'd0, s0_hdr.bytes};
  end

  assign tag_want = s0_sop_q && wants != '0;
  assign tag_re_o = tag_want && s0_valid && s0_ready;
  assign tag_o    = s0_hdr.tag[TAG_W-1:0];

  assign s1_ready = !s1_valid_q || can;
  assign s0_ready = s1_ready && !(tag_hold_i && tag_want);

  always_ff @(posedge clk_i) begin
    if (s0_valid && s0_ready) begin
      s1_data_q <= s0_data;
      s1_last_q <= s0_last;
      s1_loop_q <= s0_loop;
      s1_bad_q  <= s0_bad;
      s0_sop_q  <= s0_last;
      if (s0_sop_q) s1_end_q <= {1'b0, s0_hdr.addr} + {17'd0, span};
    end
    if (s1_ready) s1_valid_q <= s0_valid && s0_ready;
    if (rst_i) begin
      s0_sop_q   <= 1'b1;
      s1_valid_q <= 1'b0;
    end
  end

  // Budget: one unit per request, from its start until its answer has left. Consumption and
  // return arrive late in a cycle and are counted in the next.
  logic [STREAMS-1:0] spent_q;
  logic [1:0] returned_q;
  logic       get_q, drops, spared_q;  // a GET is served; one is dropped; a request was
  logic [5:0] budget, spent;
  always_comb begin
    spent = '0;
    for (int unsigned k = 0; k < STREAMS; k++) spent = spent + {5'd0, spent_q[k]};
  end
  assign budget  = budget_q - spent + {5'd0, returned_q[0]} + {5'd0, returned_q[1]} +
                   {5'd0, get_q} + {5'd0, spared_q};
  assign start_o = {pend_ok, pend_ok && request_ok_q};

  always_ff @(posedge clk_i) begin
    spent_q      <= request_i;
    returned_q   <= budget_return_i;
    get_q        <= get_valid_o && get_ready_i;
    budget_q     <= budget;
    request_ok_q <= budget >= 6'(UNSEEN);
    if (rst_i) begin
      spent_q      <= '0;
      returned_q   <= '0;
      get_q        <= 1'b0;
      budget_q     <= 6'(BUDGET);
      request_ok_q <= 1'b0;
    end
  end

  // The packet's request.
  state_e              state_q;
  fsh_fn_pkg::verdict_t verdict;
  logic                in_hdr, look, served_q;
  logic [fsh_spec_pkg::ENGINES-1:0] sink_q;  // engine of a message
  logic                pay_mem, pay_host, pay_mem_q, pay_host_q, slot_write, slot_write_q;
  logic                pay_first_q, pay_last, to_line_q, to_coll_q;
  logic [2:0]          args, args_left_q;
  logic [6:0]          beats, pay_left_q;
  logic [39:0]         pay_addr, pay_addr_q;
  logic [10:0]         slot_index;
  logic [3:0]          end_lane;
  logic [15:0]         strb;

  assign hdr        = s1_data_q;
  assign in_hdr     = state_q == Header;
  assign look       = in_hdr && s1_valid_q;
  assign tag_busy_o = (s1_valid_q && in_hdr && hdr.reply &&
                       hdr.opcode < fsh_spec_pkg::OP_LIBRARY) || (LOOP && tag_want);

  fsh_judge i_judge (
      .valid_i   (look),
      .node_i,
      .nodes_i,
      .seg_size_i,
      .hdr_i     (hdr),
      .end_i     (s1_end_q),
      .loop_i    (s1_loop_q),
      .tag_i,
      .verdict_o (verdict)
  );

  // Meaningful when a header is present, unused in other cycles.
  always_comb begin
    args          = 'x;
    beats         = 'x;
    slot_index    = 'x;
    slot_write    = 'x;
    pay_addr      = 'x;
    pay_mem       = 'x;
    pay_host      = 'x;
    if (look) begin
      args  = hdr.first ? fsh_fn_pkg::arg_beats(hdr.nargs) : 3'd0;
      beats = fsh_fn_pkg::pay_beats(hdr.addr[3:0], hdr.bytes);

      slot_index    = {hdr.reply, hdr.src[NODE_W-1:0], hdr.tag[3:0]};
      slot_write    = verdict.to_host && hdr.first && !verdict.drop;
      pay_addr      = hdr.addr;
      if (verdict.to_mem) pay_addr[39:12] = seg_base_i[39:12] + hdr.addr[39:12];
      if (verdict.to_slot) pay_addr[39:12] = {slot_pay_i[39:23], slot_index};
      pay_mem       = verdict.writes && verdict.to_mem;
      pay_host      = verdict.writes && !verdict.to_mem;
    end
  end

  // Byte lanes of the payload beat.
  assign end_lane = hdr_q.addr[3:0] + hdr_q.bytes[3:0];
  assign pay_last = pay_left_q == 7'd1;
  always_comb begin
    strb = 16'hffff;
    if (state_q == Payload) begin
      if (pay_first_q) strb = strb & (16'hffff << hdr_q.addr[3:0]);
      if (pay_last && end_lane != '0) strb = strb & ~(16'hffff << end_lane);
    end
  end

  // Writes. Every step requires room in both queues: simple, and they always drain.
  logic         aw_push, aw_room, w_push, w_room, w_host, w_last;
  logic         pend_push;
  logic [48:0]  aw;
  logic [127:0] w_data;

  assign can     = aw_room && w_room && coll_room_i && !(bad && in_hdr);
  assign step    = s1_valid_q && can;
  assign aw_push = step && (in_hdr ? slot_write :
                            state_q == Payload && pay_first_q && (pay_mem_q || pay_host_q));
  assign w_push  = step && (in_hdr ? slot_write :
                            state_q == Args ? slot_write_q : pay_mem_q || pay_host_q);
  assign w_host  = state_q != Payload || pay_host_q;
  assign w_last  = in_hdr ? args == '0 : state_q == Args ? args_left_q == 3'd1 : pay_last;

  // Slots are aligned to their size (enforced by the registers). A credit line is inside its
  // slot's header.
  always_comb begin
    aw = 'x;
    if (aw_push) begin
      aw = {pay_host_q, 1'b0, pay_left_q - 7'd1, pay_addr_q[39:4], 4'd0};
      if (in_hdr) aw = {1'b1, 5'd0, args, slot_hdr_i[39:18], slot_index, 7'd0};
      else if (to_line_q)
        aw[39:0] = {slot_hdr_i[39:18], hdr_q.reply, hdr_q.src[NODE_W-1:0], hdr_q.tag[3:0],
                    7'(fsh_spec_pkg::SLOT_LINE)};
    end
  end

  // The header is stored in its slot with the status determined here.
  always_comb begin
    w_data = 'x;
    if (w_push) w_data = s1_data_q;
    if (w_push && in_hdr) w_data[63:60] = verdict.status;
  end

  fsh_skid #(
      .WIDTH($bits(aw))
  ) i_aw (
      .clk_i,
      .rst_i,
      .valid_i(aw_push),
      .ready_o(aw_room),
      .data_i (aw),
      .valid_o(awvalid_o),
      .ready_i(awready_i),
      .data_o ({awhost_o, awlen_o, awaddr_o})
  );
  fsh_skid #(
      .WIDTH($bits({w_host, w_last, strb, w_data}))
  ) i_w (
      .clk_i,
      .rst_i,
      .valid_i(w_push),
      .ready_o(w_room),
      .data_i ({w_host, w_last, strb, w_data}),
      .valid_o(wvalid_o),
      .ready_i(wready_i),
      .data_o ({whost_o, wlast_o, wstrb_o, wdata_o})
  );

  always_ff @(posedge clk_i) begin
    if (step) begin
      if (in_hdr) begin
        hdr_q        <= hdr;
        served_q     <= verdict.served;
        to_coll_q    <= verdict.to_coll;
        sink_q       <= fsh_spec_pkg::takers(hdr.opcode);
        args_left_q  <= args;
        pay_left_q   <= beats;
        pay_first_q  <= 1'b1;
        pay_mem_q    <= pay_mem;
        pay_host_q   <= pay_host;
        to_line_q    <= verdict.to_line;
        pay_addr_q   <= pay_addr;
        slot_write_q <= slot_write;
      end
      if (state_q == Args) args_left_q <= args_left_q - 3'd1;
      if (state_q == Payload) begin
        pay_left_q  <= pay_left_q - 7'd1;
        pay_first_q <= 1'b0;
      end
      unique case (state_q)
        Header: if (!s1_last_q) state_q <= args != '0 ? Args : Payload;
        Args: if (s1_last_q || args_left_q == 3'd1) state_q <= s1_last_q ? Header : Payload;
        default: if (s1_last_q) state_q <= Header;
      endcase
    end
    if (rst_i) state_q <= Header;
  end

  always_ff @(posedge clk_i) begin
    dropped_o <= drops;
    spared_q  <= drops && !hdr.reply;
    if (rst_i) {dropped_o, spared_q} <= '0;
  end

  // SPACE COLLECTIVE has this bit, of which others have only INLINE.
  assign coll_o = {step && (in_hdr ? hdr.space[1] : to_coll_q), in_hdr, s1_last_q, s1_bad_q,
                   to_coll_q};
  assign coll_data_o = s1_data_q;

  // Served GETs and messages to engines: the argument beat completes them.
  logic served_push;

  assign served_push = step && state_q == Args && served_q;

  fsh_served #(
      .PORTS(PORTS),
      .DEPTH(BUDGET)
  ) i_served (
      .clk_i,
      .rst_i,
      .node_i,
      .packet_i,
      .ports_i,
      .route_i,
      .valid_i    (served_push),
      .hdr_i      (hdr_q),
      .sink_i     (sink_q),
      .arg_i      (s1_data_q),
      .get_valid_o,
      .get_ready_i,
      .long_ok_i  (get_long_ok_i),
      .get_o
  );

  // Packets waiting for their write responses, in order.
  fsh_fn_pkg::evt_t evt_in;
  logic             pend_pop, pend_busy;

  always_comb begin
    evt_in = 'x;
    if (look) begin
      evt_in.units  = fsh_fn_pkg::units(hdr.first, hdr.addr[10:0], s1_end_q[10:0],
                                        hdr.bytes != '0, hdr.total[6:0]);
      evt_in.multi  = (!hdr.first || {13'd0, hdr.bytes} != hdr.total) &&
                      hdr.opcode != fsh_spec_pkg::OP_GET &&
                      hdr.space != fsh_spec_pkg::SPACE_COLLECTIVE;
      evt_in.reply  = hdr.reply;
      evt_in.ack    = verdict.asked;
      evt_in.status = verdict.status;
      evt_in.opcode = hdr.opcode;
      evt_in.src    = hdr.src[NODE_W-1:0];
      evt_in.tag    = hdr.tag[TAG_W-1:0];
      evt_in.bytes  = hdr.bytes;
      evt_in.total  = hdr.total[23:fsh_fn_pkg::UNIT];
    end
  end

  assign pend_push = step && in_hdr && !verdict.served && !verdict.drop;

  fsh_pend #(
      .SPARE(UNSEEN)
  ) i_pend (
      .clk_i,
      .rst_i,
      .valid_i    (pend_push),
      .mem_i      (pay_mem),
      .host_i     ({1'b0, slot_write} + {1'b0, pay_host}),
      .evt_i      (evt_in),
      .bad_i      (step && state_q == Payload && s1_last_q && s1_bad_q &&
                   (pay_mem_q || pay_host_q)),
      .bad_o      (bad),
      .ok_o       (pend_ok),
      .mem_bvalid_i,
      .mem_berr_i,
      .host_bvalid_i,
      .host_berr_i,
      .evt_valid_o,
      .evt_ready_i,
      .evt_o,
      .busy_o     (pend_busy)
  );
  assign pend_pop = evt_valid_o && evt_ready_i;

  always_comb begin  // in few cycles
    {perf_req_o, perf_rep_o, perf_refused_o, drops} = '0;
    if (step && in_hdr)
      {perf_req_o, perf_rep_o, perf_refused_o, drops} = {!hdr.reply, hdr.reply, verdict.refuse,
                                                         verdict.drop};
  end
  assign perf_bytes_o   = hdr.bytes;
  assign perf_written_o = pend_pop && evt_o.bytes != '0 && evt_o.status == fsh_spec_pkg::STATUS_OK;
  assign perf_written_bytes_o = evt_o.bytes;

  assign busy_o = s1_valid_q || pend_busy || get_valid_o || awvalid_o ||
                  wvalid_o || state_q != Header || budget != 6'(BUDGET);

  // If nothing is written the count may have wrapped: the packet ends where the link ended it.
  `FSH_ASSERT(assert_length, !(step && state_q == Payload && (pay_mem_q || pay_host_q)) ||
                             s1_last_q == pay_last)
  `FSH_ASSERT(assert_slot, !(step && state_q == Args && slot_write_q && s1_last_q) ||
                           args_left_q == 3'd1)
  `FSH_ASSERT(assert_budget, budget <= 6'(BUDGET))
endmodule

`default_nettype wire
