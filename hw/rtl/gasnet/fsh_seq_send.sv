// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sending half of a sequencer lane: takes packet descriptors, in order for those that need no
/// memory (brief_*) and for the rest (bulk_*), alternating where both are present and the output
/// is free, and produces header, argument and payload beats. Bulk for a link goes to its port's
/// buffer (queue_*), which has room for everything issued, so beats are always taken. The rest
/// leaves through a register slice (pkt_*). Argument beats pass through the aligner like payload,
/// unshifted.
/// A brief packet of at most two beats does not wait for the end of a bulk packet that goes to
/// such a buffer: that one pauses between two of its payload beats, for as long as the other one
/// takes and a cycle more; up to PASSES times. The link may be waiting for the rest of the bulk
/// packet, so the slice must have room for all of the other one.
/// A packet starts when its first payload beat is present, so that it does not stall inside; but
/// if nothing else wants the lane or its port and the payload is coming from device memory, the
/// header leaves at once to hide in the read latency. It then holds the port until the payload
/// comes; so after one that took SLOW units of 32 cycles or more since its header left, or since
/// its packet came to an empty lane (fresh_i), headers wait until one of the latter has been
/// faster. cycle_i: the time; a counter would tick while the node waits.
/// The last beat says whether a memory returned an error for a beat of the packet.
/// When the last beat of a message leaves whose source the host wants back, it emits a completion
/// ring entry.
module fsh_seq_send #(
    parameter int unsigned PORTS = 2
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic         [47:0] cycle_i,
    input  wire logic                brief_valid_i,
    input  wire logic                brief_plain_i,  // has at most two beats
    output logic                     brief_ready_o,
    input  wire logic                bulk_valid_i,
    input  wire logic                bulk_alone_i,
    input  wire logic                bulk_fresh_i,  // of device memory, and the lane has no other
    input  wire fsh_seq_pkg::ahead_t bulk_ahead_i,
    output logic                     bulk_ready_o,
    // Which of the two fronts is selected, and that one.
    output logic                     brief_o,
    input  wire fsh_seq_pkg::desc_t  desc_i,
    input  wire logic                mem_valid_i,
    input  wire logic        [127:0] mem_data_i,
    input  wire logic                mem_err_i,
    output logic                     mem_ready_o,
    input  wire logic                host_valid_i,
    input  wire logic        [127:0] host_data_i,
    input  wire logic                host_err_i,
    output logic                     host_ready_o,
    input  wire logic          [1:0] rows_valid_i,
    input  wire logic        [127:0] rows_req_i,
    input  wire logic        [127:0] rows_rep_i,
    output logic               [1:0] rows_ready_o,
    input  wire logic    [PORTS-1:0] others_i,
    output logic                     pkt_valid_o,
    output logic         [PORTS-1:0] pkt_port_o,  // one-hot; none: loopback
    input  wire logic                pkt_ready_i,
    output logic                     pkt_last_o,
    output logic             [127:0] pkt_data_o,
    output logic                     pkt_bad_o,
    output logic         [PORTS-1:0] queue_valid_o,  // by port, one-hot
    output fsh_seq_pkg::beat_t       queue_o,
    output logic                     cpl_valid_o,
    input  wire logic                cpl_ready_i,
    output fsh_spec_pkg::ring_t      cpl_o,
    output logic                     busy_o
);
  /*verilator no_inline_module*/  // instances share code, to stay in the instruction cache
  localparam int unsigned PASSES = 8;  // by brief packets in a row, a power of two

  typedef enum logic [1:0] {
    Header,
    Args,
    Payload,
    Restore  // the shift of a packet that paused
  } state_e;
  state_e             state_q;
  fsh_spec_pkg::hdr_t hdr;
  logic [2:0]         args_left_q;
  logic               is_mem, is_host, in_args, reply_q, row_valid, src_valid, src_ready;
  logic [127:0]       row, src_data, al_data, out_data;
  logic [PORTS-1:0]   out_port;
  logic               out_last, out_ready, slice_ready, queued;
  logic               early, able, want, go, emit, fire, last, start, al_valid, al_last;
  logic               cpl_free, cpl_room, cpl_push;

  // Which of the two. A packet that has begun is sent to its end, including the word after it; but
  // bulk that goes to a buffer pauses for a brief packet of two beats (pause: from the next
  // cycle on; resume: no more), and then needs a cycle to restore its shift.
  // Whether the data of the bulk packet at the front is present is known one cycle late, since it
  // arrives late in a cycle.
  fsh_seq_pkg::desc_t desc;
  localparam int unsigned PASS_W = $clog2(PASSES) + 1;
  logic               there, done, brief, brief_q, inside_q, bulk_go_q;
  logic               pause, paused_q, resume, queued_q, al_alone;
  logic [PASS_W-1:0]  passes_q;

  assign brief   = inside_q ? brief_q : brief_valid_i && slice_ready && !(brief_q && bulk_go_q);
  assign brief_o = brief;
  assign desc    = desc_i;
  assign there   = brief ? brief_valid_i : bulk_valid_i;

  assign brief_ready_o = brief && done;
  assign bulk_ready_o  = !brief && done;

  always_ff @(posedge clk_i) begin
    if (done && !desc.mark) inside_q <= desc.get || paused_q;
    else if (fire) inside_q <= 1'b1;
    if (pause) brief_q <= 1'b1;
    else if (resume) brief_q <= 1'b0;
    else if (fire) brief_q <= brief;
    if (start) reply_q <= hdr.reply;
    bulk_go_q <= bulk_valid_i && !bulk_ready_o &&
                 (bulk_ahead_i.mark || (bulk_ahead_i.host ? host_valid_i : mem_valid_i));
    if (rst_i) begin
      inside_q  <= 1'b0;
      brief_q   <= 1'b0;
      bulk_go_q <= 1'b0;
    end
  end

  assign pause  = state_q == Payload && !brief_q && queued_q && !passes_q[PASS_W-1] &&
                  brief_valid_i && brief_plain_i && !pkt_valid_o && !al_alone && !(fire && last);
  assign resume = paused_q && done && !desc.get;

  always_ff @(posedge clk_i) begin
    paused_q <= pause || (paused_q && !resume);
    if (start && !paused_q) begin
      queued_q <= queued;
      passes_q <= '0;
    end else if (pause) begin
      passes_q <= passes_q + 1'b1;
    end
    if (rst_i) paused_q <= 1'b0;
  end

  assign hdr       = desc.word;
  // Brief packets have their payload, like their arguments, from rows. The beat itself is
  // selected by registers, or nearly so: after a header, by the kind of that header.
  assign is_mem    = !brief && !bulk_ahead_i.host;
  assign is_host   = !brief && bulk_ahead_i.host;
  assign row       = reply_q ? rows_rep_i : rows_req_i;
  assign row_valid = hdr.reply ? rows_valid_i[1] : rows_valid_i[0];
  assign in_args   = state_q == Args;
  assign src_valid = brief ? row_valid : bulk_ahead_i.host ? host_valid_i : mem_valid_i;
  assign src_data  = brief_q && state_q != Header ? row :
                     bulk_ahead_i.host ? host_data_i : mem_data_i;

  assign early = is_mem && bulk_alone_i && !slow_q && !brief_valid_i &&
                 (others_i & desc.port[PORTS-1:0]) == '0;
  assign able  = state_q == Header && there && !desc.mark && !desc.raw &&
                 (!desc.notify || cpl_room);
  assign go    = (there && desc.raw) ||
                 (able && (desc.beats == '0 || src_valid || early));

  // How long the memory takes for the first beat, as far as nothing else can delay it.
  localparam int unsigned SLOW = 4;  // a power of two
  localparam int unsigned UNIT_W = 5;
  logic              timed_q, slow_q;
  logic [UNIT_W-1:0] since_q;

  always_ff @(posedge clk_i) begin
    if (timed_q) begin
      timed_q <= !mem_valid_i;
      if (mem_valid_i) slow_q <= UNIT_W'(cycle_i[5+:UNIT_W] - since_q) >= UNIT_W'(SLOW);
    end else begin
      timed_q <= bulk_fresh_i || (start && early);
      if (bulk_fresh_i || (start && early)) since_q <= cycle_i[5+:UNIT_W];
    end
    if (rst_i) begin
      timed_q <= 1'b0;
      slow_q  <= 1'b0;
    end
  end

  always_comb begin
    unique case (state_q)
      Args: begin
        emit = row_valid;
        last = args_left_q == 3'd1 && desc.beats == '0;
      end
      Payload: begin
        emit = al_valid;
        last = al_last;
      end
      Restore: begin
        emit = 1'b0;
        last = 1'b0;
      end
      default: begin
        emit = go;
        last = desc.raw || (desc.args == '0 && desc.beats == '0);
      end
    endcase
  end

  assign fire  = emit && out_ready;
  assign done  = (fire && last) || (there && desc.mark && !inside_q && cpl_room);
  assign start = able && go && out_ready;

  always_ff @(posedge clk_i) begin
    if (start) args_left_q <= desc.args;
    else if (state_q == Args && fire) args_left_q <= args_left_q - 3'd1;
    if (fire) begin
      if (last) state_q <= resume ? Restore : Header;
      else if (state_q == Header) state_q <= desc.args != '0 ? Args : Payload;
      else if (state_q == Args && args_left_q == 3'd1) state_q <= Payload;
    end
    if (state_q == Restore) state_q <= Payload;
    if (pause || rst_i) state_q <= Header;
  end

  always_comb begin
    out_data = 'x;  // unused
    if (emit) out_data = state_q == Header ? desc.word : al_data;
  end
  assign out_last = last && !desc.get;
  assign out_port = desc.port[PORTS-1:0];

  // Every source beat is taken between its packet's start and its last beat.
  logic bad_q, take_bad, out_bad;
  assign take_bad = (mem_ready_o && mem_valid_i && mem_err_i) ||
                    (host_ready_o && host_valid_i && host_err_i);
  assign out_bad  = state_q == Payload && al_last && (bad_q || take_bad);

  always_ff @(posedge clk_i) if ((start && !paused_q) || take_bad) bad_q <= take_bad;

  assign queued         = !brief && out_port != '0;
  assign out_ready      = queued || slice_ready;
  assign queue_valid_o  = out_port & {PORTS{queued && emit}};
  assign queue_o.qid    = {hdr.bytes >= 11'(fsh_spec_pkg::LONG_BYTES), hdr.reply, hdr.vc};
  assign queue_o.follow = {4'd0, desc.args} + desc.beats;
  assign queue_o.last   = out_last;
  assign queue_o.bad    = out_bad;
  assign queue_o.data   = out_data;

  // Cuts the path from the port's arbiter back to the data queues.
  fsh_skid #(
      .WIDTH($bits({out_port, out_bad, out_last, out_data}))
  ) i_out (
      .clk_i,
      .rst_i,
      .valid_i(emit && !queued),
      .ready_o(slice_ready),
      .data_i ({out_port, out_bad, out_last, out_data}),
      .valid_o(pkt_valid_o),
      .ready_i(pkt_ready_i),
      .data_o ({pkt_port_o, pkt_bad_o, pkt_last_o, pkt_data_o})
  );

  fsh_align i_align (
      .clk_i,
      .rst_i,
      .start_i    (start && !paused_q),
      .prime_i    (able && out_ready && !brief),
      .load_i     (state_q == Restore || (fire && state_q != Payload)),
      .pass_i     (in_args ? args_left_q != 3'd1 : desc.args != '0),
      .shift_i    (desc.shift),
      .alone_i    (desc.alone),
      .tail_i     (desc.tail),
      .beats_i    (desc.beats),
      .src_valid_i(src_valid),
      .src_ready_o(src_ready),
      .want_o     (want),
      .alone_o    (al_alone),
      .src_data_i (src_data),
      .out_valid_o(al_valid),
      .out_ready_i(state_q == Payload && out_ready),
      .out_data_o (al_data),
      .out_last_o (al_last)
  );

  assign mem_ready_o  = src_ready && is_mem;
  assign host_ready_o = src_ready && is_host;
  always_comb begin
    rows_ready_o = '0;
    if (rows_valid_i != '0)
      rows_ready_o = {2{out_ready && (in_args || (state_q == Payload && brief_q && want))}} &
                     {reply_q, !reply_q} & rows_valid_i;
  end

  // Source read.
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  localparam int unsigned CPL_W =
      $bits({hdr.reply, hdr.opcode, hdr.dst[NODE_W-1:0], hdr.tag[TAG_W-1:0], desc.half});
  logic [CPL_W-1:0] cpl;

  assign cpl_push = done && desc.notify && !desc.raw;

  fsh_fifo #(
      .WIDTH(CPL_W),
      .DEPTH(4)
  ) i_cpl (
      .clk_i,
      .rst_i,
      .valid_i(cpl_push),
      .ready_o(cpl_free),
      .data_i ({hdr.reply, hdr.opcode, hdr.dst[NODE_W-1:0], hdr.tag[TAG_W-1:0], desc.half}),
      .valid_o(cpl_valid_o),
      .ready_i(cpl_ready_i),
      .data_o (cpl),
      .count_o()
  );

  // A packet that paused saw an entry of its own when it began. Those that pass it begin only while
  // all are free, and so leave it one; a counter would be dearer.
  assign cpl_room = cpl_free && !(paused_q && cpl_valid_o);

  always_comb begin
    cpl_o = 'x;
    if (cpl_valid_o) begin
      cpl_o      = '0;
      cpl_o.kind = fsh_spec_pkg::CPL_SLOT;
      {cpl_o.reply, cpl_o.opcode, cpl_o.node[NODE_W-1:0], cpl_o.tag[TAG_W-1:0], cpl_o.half} = cpl;
    end
  end

  assign busy_o = state_q != Header || brief_valid_i || bulk_valid_i || pkt_valid_o;

  `FSH_ASSERT(assert_cpl, !cpl_push || cpl_free)
  `FSH_ASSERT(assert_args, !in_args || brief)  // those of other packets were sent before
endmodule

`default_nettype wire
