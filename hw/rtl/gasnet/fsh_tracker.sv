// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Completion unit: counts what has arrived of each message, whose packets may arrive in any
/// order over any port, and acts once when all are written and its first packet, which carries
/// the arguments and may have no payload, has arrived: an ack for a PUT, a host ring entry for
/// everything that concerns this host, a pulse for an engine if the tag is one of its own.
/// Single-packet messages take two cycles per packet, others three, or four for the last packet.
/// The count of an incomplete message is in a RAM word selected by its owner: {initiator, tag} of
/// a PUT or GET, whose tags share one pool, or {channel, sender, slot} of a host-bound message.
/// It counts units (fsh_fn_pkg::units) rather than bytes, to save RAM bits. A sender that splits
/// its messages differently harms only itself. An error of any packet becomes the status of the
/// whole message.
/// After reset the RAM is cleared, one word per cycle, and every tag ended; until then nothing is
/// accepted (clear_o).
module fsh_tracker #(
    parameter int unsigned PORTS = 2
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic           [6:0] node_i,
    input  wire logic           [1:0] evt_valid_i,
    output logic                [1:0] evt_ready_o,
    input  wire fsh_fn_pkg::evt_t     evt0_i,
    input  wire fsh_fn_pkg::evt_t     evt1_i,
    // Acks, for the port they take.
    input  wire logic   [PORTS-1:0] ports_i,
    input  wire fsh_node_pkg::route_t route_i,
    output logic          [PORTS-1:0] ack_valid_o,
    input  wire logic     [PORTS-1:0] ack_ready_i,
    output fsh_spec_pkg::hdr_t        ack_o,
    // Requests whose ack has left, or that need none, by receiver.
    output logic                [1:0] acked_o,
    output logic                [1:0] release_o,
    // Host ring entries; ring 0 completions, 1 requests, 2 replies.
    output logic                      entry_valid_o,
    input  wire logic                 entry_ready_i,
    output logic                [1:0] entry_ring_o,
    output fsh_spec_pkg::ring_t       entry_o,
    // Tags whose operation has ended; accepted while tag_ready_i.
    output logic                      tag_valid_o,
    output logic          [fsh_spec_pkg::TAG_W-1:0] tag_o,
    input  wire logic                 tag_ready_i,
    output logic                      clear_o,
    // PUTs of engines, by index.
    output logic [fsh_spec_pkg::ENGINES-1:0] done_valid_o,
    output logic          [fsh_spec_pkg::TAG_W-1:0] done_tag_o,
    output logic                [3:0] done_status_o,
    output logic                      busy_o
);
  localparam int unsigned ENGINES = fsh_spec_pkg::ENGINES;
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  localparam int unsigned WORDS =
      fsh_spec_pkg::MAX_NODES * (fsh_spec_pkg::NUM_TAGS + 2 * fsh_spec_pkg::SLOTS_PER_PEER);
  localparam int unsigned INDEX = $clog2(WORDS);
  localparam int unsigned ACK_DEPTH = 64;
  localparam int unsigned COUNT_W = fsh_fn_pkg::TOTAL_W;
  localparam logic [COUNT_W-1:0] NONE = COUNT_W'(-3);  // chosen so that the sum becomes the total

  typedef enum logic [1:0] {
    Clear,
    Take,
    Read,
    Count
  } state_e;
  state_e             state_q;
  logic [INDEX-1:0]   clear_q, index;
  logic [1:0]         gnt;
  logic               take, act, rx_q, done_q;
  logic               multi;
  fsh_fn_pkg::evt_t   evt_q;
  logic               we;
  logic [INDEX-1:0]   waddr;
  logic [COUNT_W+2:0] word, wdata;  // status, units
  logic [COUNT_W-1:0] sum;
  logic [3:0]         known;
  logic [3:0]         status;
  logic               complete, ends, by_tag;

  fsh_arb #(
      .N(2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (evt_valid_i),
      .look_i(1'b1),
      .take_i(take),
      .gnt_o (gnt)
  );

  // done_q holds a finished message in evt_q until it has been acted on.
  assign take        = state_q == Take && evt_valid_i != '0 && !done_q;
  assign evt_ready_o = gnt & {2{take}};
  assign multi       = gnt[1] ? evt1_i.multi : evt0_i.multi;

  // The word of the message, and its update by this packet.
  always_comb begin
    index    = 'x;
    sum      = 'x;
    status   = 'x;
    complete = 'x;
    if (state_q == Read || state_q == Count) begin
      if (evt_q.opcode >= fsh_spec_pkg::OP_LIBRARY)
        index = {2'b10, evt_q.reply, evt_q.src, evt_q.tag[3:0]};
      else if (evt_q.opcode == fsh_spec_pkg::OP_GET_REPLY)
        index = {1'b0, node_i[NODE_W-1:0], evt_q.tag};
      else index = {1'b0, evt_q.src, evt_q.tag};
      sum      = word[COUNT_W-1:0] + COUNT_W'(evt_q.units);
      status   = known != '0 ? known : evt_q.status;
      complete = sum == evt_q.total;
    end
  end

  // A status in three bits: MEMORY is encoded as BUSY, which only single-packet messages have.
  assign known = word[COUNT_W+:3] == '1 ? fsh_spec_pkg::STATUS_MEMORY : {1'b0, word[COUNT_W+:3]};

  // An operation that ends leaves no count for the next one with its tag: a bare error may follow
  // part of a GET's data.
  assign ends     = done_q && by_tag;
  assign we       = state_q == Clear || state_q == Count || ends;
  assign waddr    = state_q == Clear ? clear_q :
                    ends ? {1'b0, node_i[NODE_W-1:0], evt_q.tag} : index;
  assign wdata    = state_q == Clear || ends || complete ? {3'd0, NONE} :
                    {status[2:0] | {3{status[3]}}, sum};

  fsh_ram #(
      .WIDTH($bits(wdata)),
      .DEPTH(WORDS)
  ) i_ram (
      .clk_i,
      .we_i   (we),
      .waddr_i(waddr),
      .wdata_i(wdata),
      .re_i   (state_q == Read),
      .raddr_i(index),
      .rdata_o(word)
  );

  always_ff @(posedge clk_i) begin
    if (take) begin
      evt_q <= gnt[1] ? evt1_i : evt0_i;
      rx_q  <= gnt[1];
    end
    if (state_q == Count) evt_q.status <= status;
  end

  always_ff @(posedge clk_i) begin
    if (act) done_q <= 1'b0;
    unique case (state_q)
      Clear: begin
        clear_q <= clear_q + 1'b1;
        if (clear_q == INDEX'(WORDS - 1)) state_q <= Take;
      end
      Take: begin
        if (take) begin
          if (multi) state_q <= Read;
          else done_q <= 1'b1;
        end
      end
      Read: state_q <= Count;
      default: begin
        state_q <= Take;
        done_q  <= complete;
      end
    endcase
    if (rst_i) begin
      state_q <= Clear;
      clear_q <= '0;
      done_q  <= 1'b0;
    end
  end

  // Act: storage for one message. A packet that does not complete its message returns its budget
  // at once.
  logic                to_host, is_put_ack, self, to_engine, want_ack, want_entry;
  logic                ack_room, ack_push, unfinished;
  fsh_spec_pkg::ring_t entry;

  always_comb begin
    to_host    = 'x;
    is_put_ack = 'x;
    self       = 'x;
    by_tag     = 'x;
    to_engine  = 'x;
    want_ack   = 'x;
    want_entry = 'x;
    if (done_q) begin
      to_host    = evt_q.opcode >= fsh_spec_pkg::OP_LIBRARY;
      is_put_ack = evt_q.ack;
      self       = evt_q.src == node_i[NODE_W-1:0];
      want_ack   = is_put_ack && !self;
      by_tag     = (is_put_ack && self) || evt_q.opcode == fsh_spec_pkg::OP_PUT_ACK ||
                   evt_q.opcode == fsh_spec_pkg::OP_GET_REPLY;
      to_engine  = by_tag && evt_q.tag >= TAG_W'(fsh_spec_pkg::HOST_TAGS);
      want_entry = to_host || (by_tag && !to_engine);
    end
  end

  assign act        = done_q && (!want_entry || entry_ready_i) && (!want_ack || ack_room) &&
                      (!by_tag || tag_ready_i);
  assign ack_push   = act && want_ack;
  assign unfinished = state_q == Count && !complete;

  assign release_o = {2{(unfinished || (act && !want_ack)) && !evt_q.reply}} & {rx_q, !rx_q};

  // Acks: queued, routed, offered to their port.
  logic              queued, load, sent, rx, rx_out_q;
  logic [NODE_W-1:0] dst, dst_q;
  logic [TAG_W-1:0]  tag, tag_q;
  logic [3:0]        ack_status, ack_status_q;
  logic [PORTS-1:0]  ack_valid_q, ways, choice;
  logic              vc_q;
  fsh_fn_pkg::path_t path;

  fsh_fifo #(
      .WIDTH($bits({rx_q, evt_q.src, evt_q.tag, evt_q.status})),
      .DEPTH(ACK_DEPTH)
  ) i_ack (
      .clk_i,
      .rst_i,
      .valid_i(ack_push),
      .ready_o(ack_room),
      .data_i ({rx_q, evt_q.src, evt_q.tag, evt_q.status}),
      .valid_o(queued),
      .ready_i(load),
      .data_o ({rx, dst, tag, ack_status}),
      .count_o()
  );

  fsh_route #(
      .PORTS(PORTS)
  ) i_route (
      .clk_i,
      .route_i,
      .ports_i,
      .look_i(queued),
      .node_i(dst),
      .path_o(path)
  );

  // Several ports take turns; an ack without a route takes the first.
  always_comb begin
    ways = 'x;
    if (queued) ways = path.ports[PORTS-1:0] == '0 ? PORTS'(1) : path.ports[PORTS-1:0];
  end

  fsh_arb #(
      .N(PORTS)
  ) i_port (
      .clk_i,
      .rst_i,
      .req_i (ways),
      .look_i(queued),
      .take_i(load),
      .gnt_o (choice)
  );

  assign sent = |(ack_valid_q & ack_ready_i);
  assign load = queued && (ack_valid_q == '0 || sent);

  always_ff @(posedge clk_i) begin
    if (sent) ack_valid_q <= '0;
    if (load) begin
      ack_valid_q  <= choice;
      vc_q         <= (path.vcs[PORTS-1:0] & choice) != '0;
      rx_out_q     <= rx;
      dst_q        <= dst;
      tag_q        <= tag;
      ack_status_q <= ack_status;
    end
    if (rst_i) ack_valid_q <= '0;
  end

  assign ack_valid_o = ack_valid_q;
  assign acked_o     = {2{sent}} & {rx_out_q, !rx_out_q};

  always_comb begin
    ack_o = 'x;  // unused
    if (ack_valid_q != '0) begin
      ack_o          = '0;
      ack_o.opcode   = fsh_spec_pkg::OP_PUT_ACK;
      ack_o.category = fsh_spec_pkg::CAT_SHORT;
      ack_o.reply    = 1'b1;
      ack_o.vc       = vc_q;
      ack_o.first    = 1'b1;
      ack_o.dst      = 7'(dst_q);
      ack_o.src      = node_i;
      ack_o.tag      = 7'(tag_q);
      ack_o.status   = ack_status_q;
    end
  end

  always_comb begin
    entry = '0;
    if (done_q) begin
      entry.kind   = to_host ? fsh_spec_pkg::CPL_MESSAGE : fsh_spec_pkg::CPL_TAGGED;
      entry.reply  = evt_q.reply;
      entry.status = evt_q.status;
      entry.opcode = evt_q.opcode;
      entry.node   = 8'(evt_q.src);
      entry.tag    = 11'(evt_q.tag);
    end
  end

  assign clear_o       = state_q == Clear;
  assign tag_valid_o   = clear_o || (act && by_tag);
  assign tag_o         = clear_o ? clear_q[6:1] : evt_q.tag;

  for (genvar k = 0; k < ENGINES; k++) begin : gen_engine
    assign done_valid_o[k] = fsh_spec_pkg::ENGINE_TAGGED[k] && act && to_engine &&
        (evt_q.tag & fsh_spec_pkg::ENGINE_TAG_MASK[k*TAG_W+:TAG_W]) ==
        fsh_spec_pkg::ENGINE_TAG[k*TAG_W+:TAG_W];
  end
  assign done_tag_o    = evt_q.tag;
  assign done_status_o = evt_q.status;

  assign entry_o       = entry;
  assign entry_valid_o = done_q && want_entry && (!want_ack || ack_room) &&
                         (!by_tag || tag_ready_i);
  assign entry_ring_o  = !to_host ? 2'd0 : evt_q.reply ? 2'd2 : 2'd1;
  assign busy_o        = state_q != Take || done_q || queued || ack_valid_q != '0;

  `FSH_ASSERT(assert_ack_room, !(done_q && want_ack) || ack_room)
endmodule

`default_nettype wire
