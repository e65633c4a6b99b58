// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// A unit of the collective engine: runs sequences of triggered descriptors
/// (fsh_coll_pkg::desc_t; docs/03_developer/collective-engine.md), CONTEXTS at once, over
/// one data path. A sequence is a list in memory, from run_addr_i on; it ends with its
/// tail, or with an error, and that is told once (end_o). The items of a step (fetch, local
/// operand, source after source, way out) are done packet by packet, of each context in
/// order; between items of one context those of others run, in turns. An item that cannot
/// run, for its packet is not there, is left until wake_i says that a packet has become
/// whole; it holds up nobody. A step starts when all that the one before stored is written.
/// tick_i: pulses, far apart; a source that is not there at three of them ends its
/// sequence (STATUS_TIMEOUT), as does a packet of another length (STATUS_BAD_LENGTH).
/// Malformed descriptors: STATUS_BAD_COMMAND, nothing is done for them. An item takes 5
/// cycles besides its lines, one with a look-up 11 and the end of the reduction, a change
/// of the context 2 more. No packet becomes whole between a look-up that is taken and its
/// answer. Valid signals depend on registers only. Reset: no sequence.
module fsh_cunit #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    parameter int unsigned SLOTS = 70,
    parameter bit FP64 = 1'b1,
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             tick_i,
    input  wire logic             run_valid_i,
    output logic                  run_ready_o,
    input  wire logic      [31:0] run_addr_i,
    output logic                  end_valid_o,
    input  wire logic             end_ready_i,
    output fsh_coll_pkg::end_t    end_o,
    // Packets that have come.
    input  wire logic             wake_i,
    output logic                  look_valid_o,
    input  wire logic             look_ready_i,
    output logic [fsh_coll_pkg::KEY_W-1:0] look_key_o,
    input  wire logic             look_done_i,
    input  wire logic             look_whole_i,
    input  wire logic    [SW-1:0] look_slot_i,
    input  wire logic       [1:0] look_gen_i,
    input  wire logic    [LW+6:0] look_bytes_i,  // in the packet
    output logic                  free_valid_o,
    input  wire logic             free_ready_i,
    output logic         [SW-1:0] free_slot_o,
    output logic            [1:0] free_gen_o,
    output logic                  prd_valid_o,
    input  wire logic             prd_ready_i,
    output logic      [SW+LW-1:0] prd_addr_o,
    input  wire logic     [511:0] prd_data_i,
    // Memory, in lines.
    output logic                  mrd_valid_o,
    input  wire logic             mrd_ready_i,
    output logic           [31:0] mrd_addr_o,
    input  wire logic             mrd_rvalid_i,
    input  wire logic     [511:0] mrd_data_i,
    input  wire logic             mrd_err_i,
    output logic                  mwr_valid_o,
    input  wire logic             mwr_ready_i,
    output logic           [31:0] mwr_addr_o,
    output logic          [511:0] mwr_data_o,
    output logic           [63:0] mwr_strb_o,
    input  wire logic             mwr_done_i,
    input  wire logic             mwr_err_i,
    // Packets that go: what stands beside the lines is the same for all of a packet.
    output logic                  tx_valid_o,
    input  wire logic             tx_ready_i,
    output logic                  tx_first_o,
    output logic                  tx_last_o,
    output logic            [7:0] tx_dest_o,
    output fsh_coll_pkg::addr_t   tx_addr_o,
    output logic         [LW+6:0] tx_bytes_o,
    output logic          [511:0] tx_data_o,
    output logic                  busy_o
);
  localparam int unsigned CW = $clog2(CONTEXTS);
  localparam int unsigned PW = LW + 6;  // bits of a byte's place in a packet
  localparam int unsigned NW = 25 - PW;  // of a packet's number, and one more

  // Items of a step.
  localparam logic [2:0] FETCH = 3'd0;
  localparam logic [2:0] OWN = 3'd1;
  localparam logic [2:0] SOURCE = 3'd2;
  localparam logic [2:0] OUT = 3'd3;
  localparam logic [2:0] SETTLE = 3'd4;

  typedef enum logic [3:0] {
    Pick,
    Open,
    Load,
    Size,
    Begin,
    Move,
    Judge,
    Ask,
    Answer,
    Release,
    Next,
    Report
  } state_e;

  state_e state_q;

  // Contexts. What stands in memories is of the one chosen, in registers, from Size on.
  logic [CONTEXTS-1:0]   open_q, try_q, begun_q, failed_q, expired_q, settled, wr_err;
  logic [3*CONTEXTS-1:0] at_q;  // item
  logic [2*CONTEXTS-1:0] late_q;
  logic [511:0]          desc_mem[CONTEXTS];
  logic [31:0]           addr_mem[CONTEXTS];
  logic [NW-1:0]         packet_mem[CONTEXTS];
  logic [4:0]            source_mem[CONTEXTS];
  logic [3:0]            status_mem[CONTEXTS];
  logic [CW-1:0]         c_q;
  logic [2:0]            item_q;
  fsh_coll_pkg::desc_t   desc_q;
  logic [31:0]           addr_q;
  logic [NW-1:0]         packet_q;
  logic [4:0]            source_q;
  logic [3:0]            status_q;

  // Whose turn it is.
  logic [CONTEXTS-1:0] able, gnt;
  logic [CW-1:0]       choice, vacant;
  logic [2:0]          chosen;
  logic                opens;

  for (genvar c = 0; c < CONTEXTS; c++) begin : gen_able
    assign able[c] = open_q[c] && (at_q[3*c+:3] == SOURCE ? try_q[c] || expired_q[c] :
                                   at_q[3*c+:3] != SETTLE || settled[c]);
  end

  assign run_ready_o = state_q == Pick && open_q != '1;
  assign opens       = run_valid_i && run_ready_o;

  fsh_arb #(
      .N(CONTEXTS)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (able),
      .take_i(state_q == Pick && !opens),
      .gnt_o (gnt)
  );

  always_comb begin
    choice = '0;
    vacant = '0;
    chosen = '0;
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (gnt[c]) choice |= CW'(c);
      if (gnt[c]) chosen |= at_q[3*c+:3];
      if (!open_q[c]) vacant = CW'(c);
    end
  end

  // The packet of the step that is in hand.
  logic          last_packet_q, last_source_q, has_own, partial, emits, stores;
  logic [PW:0]   bytes_q;
  logic [LW:0]   lines_q;
  logic [NW-1:0] whole_packets;

  assign has_own       = desc_q.own || desc_q.given;
  assign emits         = desc_q.send;
  assign stores        = desc_q.store && desc_q.bytes != '0;
  assign whole_packets = NW'(desc_q.bytes >> PW);
  assign partial       = desc_q.bytes[PW-1:0] != '0;

  logic full;

  assign full = packet_q < whole_packets;

  always_ff @(posedge clk_i) begin
    if (state_q == Size) begin
      last_packet_q <= !full || (packet_q + 1'b1 == whole_packets && !partial);
      last_source_q <= source_q + 5'd1 >= desc_q.count;
      bytes_q       <= full ? (PW + 1)'(1 << PW) : {1'b0, desc_q.bytes[PW-1:0]};
      lines_q       <= full ? (LW + 1)'(LINES) :
                       {1'b0, desc_q.bytes[PW-1:6]} + (LW + 1)'(desc_q.bytes[5:0] != '0);
      if (item_q == FETCH) lines_q <= (LW + 1)'(1);
      if (item_q == OUT) begin
        if (!emits && !stores) lines_q <= '0;
        else if (desc_q.bytes == '0) lines_q <= (LW + 1)'(1);  // an empty packet is a line
      end
    end
  end

  // Is the descriptor that was fetched one?
  logic wild;

  always_comb begin
    wild = 1'b0;
    if (state_q == Judge) begin
      wild = desc_q.head == begun_q[c_q] || desc_q.count > 5'(fsh_coll_pkg::SOURCES) ||
             (desc_q.own && desc_q.given) || {1'b0, desc_q.bytes} > 25'(1 << (13 + PW)) ||
             (desc_q.given && (desc_q.count != '0 || desc_q.bytes > 24'd16));
      if (desc_q.reduce) begin
        if (!fsh_coll_pkg::folds(desc_q.kind, desc_q.op)) wild = 1'b1;
        if (!FP64 && desc_q.kind == fsh_coll_pkg::TYPE_DOUBLE) wild = 1'b1;
      end else if (desc_q.count > 5'd1 || (desc_q.count == 5'd1 && desc_q.own)) begin
        wild = 1'b1;
      end
      if (!has_own && desc_q.count == '0 && desc_q.bytes != '0) wild = 1'b1;
      if ({desc_q.rsvd, desc_q.rsvd0, desc_q.rsvd1, desc_q.rsvd2, desc_q.rsvd3} != '0) wild = 1'b1;
    end
  end

  // Packets by key.
  logic [7:0]          source;
  logic [SW-1:0]       slot_q;
  logic [1:0]          gen_q;
  logic                odd;  // its sender believes in another length
  fsh_coll_pkg::addr_t in_addr;

  assign odd          = look_bytes_i != bytes_q;
  assign source       = desc_q.sources[8*source_q[3:0]+:8];
  assign in_addr      = {desc_q.job, desc_q.vp, desc_q.seq, 13'(packet_q)};
  assign look_valid_o = state_q == Ask;
  assign look_key_o   = {source[fsh_coll_pkg::NODE_W-1:0], in_addr};
  assign free_valid_o = state_q == Release;
  assign free_slot_o  = slot_q;
  assign free_gen_o   = gen_q;

  // The data path.
  logic [2:0]  move_q;
  logic [31:0] line_q;
  logic        done, err;

  always_ff @(posedge clk_i) begin
    if (state_q == Size) begin
      line_q <= (item_q == OWN ? desc_q.own_addr : desc_q.store_addr) + (32'(packet_q) << LW);
      if (item_q == FETCH) line_q <= addr_q;
      unique case (item_q)
        FETCH:   move_q <= fsh_coll_pkg::MOVE_FETCH;
        OWN:     move_q <= desc_q.given ? fsh_coll_pkg::MOVE_GIVE : fsh_coll_pkg::MOVE_LOAD;
        OUT:     move_q <= fsh_coll_pkg::MOVE_OUT;
        default: move_q <= desc_q.reduce && (has_own || source_q != '0) ?
                           fsh_coll_pkg::MOVE_FOLD : fsh_coll_pkg::MOVE_COPY;
      endcase
    end
  end

  fsh_cdata #(
      .CONTEXTS(CONTEXTS),
      .LINES   (LINES),
      .SLOTS   (SLOTS),
      .FP64    (FP64)
  ) i_data (
      .clk_i,
      .rst_i,
      .start_i  (state_q == Begin),
      .move_i   (move_q),
      .context_i(c_q),
      .lines_i  (lines_q),
      .tail_i   (bytes_q[5:0]),
      .addr_i   (line_q),
      .slot_i   (slot_q),
      .given_i  (desc_q.sources),
      .type_i   (desc_q.kind),
      .op_i     (desc_q.op),
      .send_i   (emits),
      .store_i  (stores),
      .done_o   (done),
      .err_o    (err),
      .settled_o(settled),
      .wr_err_o (wr_err),
      .mrd_valid_o,
      .mrd_ready_i,
      .mrd_addr_o,
      .mrd_rvalid_i,
      .mrd_data_i,
      .mrd_err_i,
      .mwr_valid_o,
      .mwr_ready_i,
      .mwr_addr_o,
      .mwr_data_o,
      .mwr_strb_o,
      .mwr_done_i,
      .mwr_err_i,
      .prd_valid_o,
      .prd_ready_i,
      .prd_addr_o,
      .prd_data_i,
      .tx_valid_o,
      .tx_ready_i,
      .tx_first_o,
      .tx_last_o,
      .tx_data_o
  );

  assign tx_dest_o  = desc_q.dest;
  assign tx_addr_o  = {desc_q.job, desc_q.dest_vp, desc_q.dest_seq, 13'(packet_q)};
  assign tx_bytes_o = bytes_q;

  // Where the context goes on: written in Next.
  logic [2:0]    after, first;
  logic          quit, yields, step_over;
  logic [31:0]   next_addr;
  logic [NW-1:0] next_packet;
  logic [4:0]    next_source;

  always_comb begin
    first       = has_own ? OWN : desc_q.count != '0 ? SOURCE : OUT;  // of a packet
    after       = FETCH;
    next_packet = packet_q;
    next_source = '0;
    unique case (item_q)
      FETCH: begin
        next_packet = '0;
        after       = first;
      end
      OWN: after = desc_q.count != '0 ? SOURCE : OUT;
      SOURCE: begin
        next_source = source_q + 5'd1;
        after       = last_source_q ? OUT : SOURCE;
      end
      OUT: begin
        next_packet = packet_q + 1'b1;
        after       = !last_packet_q ? first : step_over ? FETCH : SETTLE;
      end
      default: ;
    endcase
    // What it failed at stays, for the end to tell.
    if (status_q != fsh_spec_pkg::STATUS_OK) begin
      after       = SETTLE;
      next_source = source_q;
    end
  end

  // The next descriptor follows at once if all is written. Others get the unit when a
  // packet is through, or when this context has to wait.
  assign step_over = settled[c_q] && !failed_q[c_q] && !desc_q.tail;
  assign next_addr = addr_q + 32'(after == FETCH);
  assign yields    = after == SETTLE ? !settled[c_q] :
                     item_q == OUT && (able & ~(CONTEXTS'(1) << c_q)) != '0;
  assign quit      = status_q != fsh_spec_pkg::STATUS_OK || failed_q[c_q] || desc_q.tail;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pick: begin
        c_q    <= opens ? vacant : choice;
        addr_q <= run_addr_i;
        item_q <= chosen;
        if (gnt != '0) state_q <= Load;
        if (opens) state_q <= Open;
      end
      Load: begin
        desc_q   <= desc_mem[c_q];
        addr_q   <= addr_mem[c_q];
        packet_q <= packet_mem[c_q];
        source_q <= source_mem[c_q];
        status_q <= status_mem[c_q];
        state_q  <= Size;
      end
      Size: begin
        state_q <= item_q == SOURCE ? Ask : Begin;
        if (item_q == SOURCE && expired_q[c_q]) begin
          status_q <= fsh_coll_pkg::STATUS_TIMEOUT;
          state_q  <= Next;
        end
        if (item_q == SOURCE && source[7:fsh_coll_pkg::NODE_W] != '0) begin
          status_q <= fsh_spec_pkg::STATUS_BAD_COMMAND;
          state_q  <= Next;
        end
        if (item_q == SETTLE) state_q <= quit ? Report : Next;
        if (failed_q[c_q]) status_q <= fsh_spec_pkg::STATUS_MEMORY;
      end
      Begin: state_q <= Move;
      Move: begin
        if (item_q == FETCH && mrd_rvalid_i) desc_q <= mrd_data_i;
        if (done) begin
          state_q <= item_q == FETCH ? Judge : item_q == SOURCE ? Release : Next;
          if (err) status_q <= fsh_spec_pkg::STATUS_MEMORY;
        end
      end
      Judge: begin
        if (wild && status_q == fsh_spec_pkg::STATUS_OK)
          status_q <= fsh_spec_pkg::STATUS_BAD_COMMAND;
        state_q <= Next;
      end
      Ask: if (look_ready_i) state_q <= Answer;
      Answer: begin
        if (look_done_i) begin
          slot_q  <= look_slot_i;
          gen_q   <= look_gen_i;
          state_q <= !look_whole_i ? Pick : lines_q == '0 || odd ? Release : Begin;
          if (look_whole_i && odd) status_q <= fsh_spec_pkg::STATUS_BAD_LENGTH;
        end
      end
      Release: if (free_ready_i) state_q <= Next;
      Report:  if (end_ready_i) state_q <= Pick;
      Next: begin
        item_q   <= after;
        addr_q   <= next_addr;
        packet_q <= next_packet;
        source_q <= next_source;
        state_q  <= yields ? Pick : Size;
      end
      default: state_q <= Pick;  // Open
    endcase
    if (rst_i) state_q <= Pick;
  end

  // One write of each memory.
  logic writes;

  assign writes = state_q == Next || state_q == Open;

  always_ff @(posedge clk_i) begin
    if (writes) begin
      desc_mem[c_q]   <= desc_q;
      addr_mem[c_q]   <= state_q == Next ? next_addr : addr_q;
      packet_mem[c_q] <= next_packet;
      source_mem[c_q] <= next_source;
      status_mem[c_q] <= state_q == Open ? fsh_spec_pkg::STATUS_OK : status_q;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (tick_i && at_q[3*c+:3] == SOURCE && !try_q[c]) begin
        if (late_q[2*c+:2] == 2'd2) expired_q[c] <= 1'b1;
        else late_q[2*c+:2] <= late_q[2*c+:2] + 1'b1;
      end
      if (wr_err[c]) failed_q[c] <= 1'b1;
      if (wake_i) try_q[c] <= 1'b1;
      if (c_q == CW'(c)) begin
        if (state_q == Answer && look_done_i && !look_whole_i) try_q[c] <= wake_i;
        if (writes) begin
          at_q[3*c+:3]   <= state_q == Open ? FETCH : after;
          late_q[2*c+:2] <= '0;
          expired_q[c]   <= 1'b0;
          try_q[c]       <= 1'b1;
          begun_q[c]     <= state_q == Next;
        end
        if (state_q == Open) begin
          open_q[c]   <= 1'b1;
          failed_q[c] <= 1'b0;
        end
        if (state_q == Report && end_ready_i) open_q[c] <= 1'b0;
      end
    end
    if (rst_i) open_q <= '0;
  end

  assign end_valid_o = state_q == Report;

  always_comb begin
    end_o        = '0;
    end_o.cookie = desc_q.cookie;
    end_o.status = status_q;
    end_o.job    = desc_q.job;
    end_o.seq    = desc_q.seq;
    if (status_q == fsh_coll_pkg::STATUS_TIMEOUT) end_o.source = source;
  end

  assign busy_o = state_q != Pick || able != '0 || run_valid_i || wake_i || mwr_done_i;

  `FSH_ASSERT(a_turn, state_q != Load || open_q[c_q])
  `FSH_STABLE(end_valid_o, end_ready_i, end_o)
  `FSH_STABLE(look_valid_o, look_ready_i, look_key_o)
endmodule

`default_nettype wire
