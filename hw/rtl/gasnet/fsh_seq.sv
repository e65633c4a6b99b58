// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AM sequencer: turns commands into packets for all ports. It works on CONTEXTS messages per
/// channel at a time, packet by packet, round robin. Their state is in distributed RAM, served by
/// one datapath at three cycles per packet: Pick a context whose next packet has room everywhere;
/// Prepare its size, source and port; Issue it, that is, reserve its room, read its data and
/// describe it to the sender of its lane (fsh_seq_send; port modulo LANES). What is issued always
/// leaves: in order per lane, separately for packets that need no memory and for the rest.
/// A packet ends at a multiple of the packet size of its destination address; a message rotates
/// over the ports it may take. A zero-length message is one packet without payload; so is a GET,
/// whose argument beat says where the data goes, and any answer with an error. A message to an
/// engine without argument rows comes from one; its argument beat is generated like a GET's.
/// Arguments and payload from a memory are separate commands (APART). 5 cycles from load to header.
module fsh_seq #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned CONTEXTS = PORTS > 2 ? 8 : 4,
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic         [47:0] cycle_i,
    input  wire logic          [6:0] node_i,
    input  wire logic         [10:0] packet_i,
    input  wire logic         [39:0] seg_base_i,
    input  wire logic         [47:0] host_base_i,
    // Commands, for which there must be a context in their channel (load_i.reply).
    output fsh_seq_pkg::free_t       free_req_o,
    output fsh_seq_pkg::free_t       free_rep_o,
    input  wire logic                load_valid_i,
    output logic                     load_ready_o,
    input  wire logic                load_loop_i,
    input  wire logic                load_bulk_i,  // longer than a packet
    input  wire fsh_fn_pkg::path_t   load_path_i,
    input  wire logic          [3:0] load_status_i,
    input  wire fsh_spec_pkg::cmd_t  load_i,
    // Argument and inline beats of host commands, by channel.
    input  wire logic          [1:0] rows_valid_i,
    output logic               [1:0] rows_ready_o,
    input  wire logic        [127:0] rows_req_i,
    input  wire logic        [127:0] rows_rep_i,
    // Room and its use: for packets without payload from a memory at the links {port, reply, vc};
    // for the rest in the queues of the ports {port, reply}, room also by {long}.
    input  wire logic  [PORTS*4-1:0] link_ok_i,
    input  wire logic  [PORTS*4-1:0] queue_ok_i,
    input  wire logic          [1:0] loop_ok_i,
    output logic       [PORTS*4-1:0] link_take_o,
    output logic       [PORTS*2-1:0] queue_take_o,
    output logic               [1:0] loop_take_o,
    output logic               [6:0] take_beats_o,
    // Packets, by lane, with their port (one-hot; none: loopback); those for the queue of a port
    // have payload from a memory. others_i: others want the port.
    input  wire logic    [PORTS-1:0] others_i,
    output logic         [LANES-1:0] pkt_valid_o,
    output logic   [LANES*PORTS-1:0] pkt_port_o,
    input  wire logic    [LANES-1:0] pkt_ready_i,
    output logic         [LANES-1:0] pkt_last_o,
    output logic     [LANES*128-1:0] pkt_data_o,
    output logic         [LANES-1:0] pkt_bad_o,  // with the last beat
    output logic   [LANES*PORTS-1:0] queue_valid_o,
    output logic [LANES*fsh_seq_pkg::BEAT_W-1:0] queue_o,
    // Device memory, read side, by lane.
    output logic         [LANES-1:0] mem_arvalid_o,
    input  wire logic    [LANES-1:0] mem_arready_i,
    output logic              [39:0] mem_araddr_o,
    output logic               [7:0] mem_arlen_o,
    input  wire logic    [LANES-1:0] mem_rvalid_i,
    input  wire logic [LANES*128-1:0] mem_rdata_i,
    input  wire logic    [LANES-1:0] mem_rerr_i,
    // Host memory, read side; the identifier is the lane.
    output logic                     host_arvalid_o,
    input  wire logic                host_arready_i,
    output logic              [47:0] host_araddr_o,
    output logic               [7:0] host_arlen_o,
    output logic                     host_arid_o,
    input  wire logic                host_rvalid_i,
    input  wire logic        [127:0] host_rdata_i,
    input  wire logic                host_rid_i,
    input  wire logic                host_rerr_i,
    // Source read: entries for the completion ring, by lane.
    output logic         [LANES-1:0] cpl_valid_o,
    input  wire logic    [LANES-1:0] cpl_ready_i,
    output fsh_spec_pkg::ring_t      cpl0_o,
    output fsh_spec_pkg::ring_t      cpl1_o,
    output logic         [PORTS-1:0] stall_o,
    output logic                     busy_o
);
  localparam int unsigned N = 2 * CONTEXTS;
  localparam int unsigned IW = $clog2(N);
  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;

  // The constant part of a message's state, and the part that changes from packet to packet.
  typedef struct packed {
    logic [3:0]        status;
    logic              loop;
    logic [7:0]        opcode;
    logic [1:0]        category;
    logic              ack;
    logic [1:0]        rspace;
    logic [1:0]        lspace;
    logic [NODE_W-1:0] dst;
    logic [4:0]        nargs;
    logic [TAG_W-1:0]  tag;
    logic [23:0]       length;
    logic [PORTS-1:0]  vcs;
    logic [PORTS-1:0]  ports;
  } fixed_t;
  typedef struct packed {
    logic        first;
    logic [LANES-1:0] lanes;  // that have sent packets of it
    logic [39:0] raddr;
    logic [39:0] laddr;
    logic [23:0] left;
  } moving_t;

  typedef enum logic [1:0] {Pick, Prepare, Issue} state_e;
  state_e           state_q;
  logic [IW-1:0]    index_q, next_index, load_index;
  logic             reply;          // channel of the selected context
  logic [PORTS-1:0] port, port_q;   // of the packet, one-hot
  logic [LANES-1:0] lane, lane_q;   // of the packet, one-hot

  // Contexts. A load writes when no packet is issued.
  fixed_t     fixed_in, fixed_q;
  moving_t    moving_in, moving_q;
  (* ram_style = "distributed" *) logic [$bits(fixed_q)-1:0] fixed_mem[N];
  (* ram_style = "distributed" *) logic [$bits(moving_q)-1:0] moving_mem[N];
  logic             load, issue;
  logic [10:0]      n_q, reach, most;  // payload bytes of the packet
  logic [PORTS-1:0] lowest, load_ports;

  // Its ports; for an ordered command only the lowest.
  always_comb begin
    lowest = '0;
    for (int unsigned p = PORTS; p > 0; p--)
      if (load_path_i.ports[p-1]) lowest = PORTS'(1) << (p - 1);
    load_ports = load_i.ordered ? lowest : load_path_i.ports[PORTS-1:0];
    if (load_loop_i) load_ports = PORTS'(1);
  end

  assign load_ready_o = state_q != Issue;
  assign load         = load_valid_i && load_ready_o;
  assign issue        = state_q == Issue;

  always_comb begin
    fixed_in = 'x;
    if (load) begin
      fixed_in.status   = load_status_i;
      fixed_in.loop     = load_loop_i;
      fixed_in.opcode   = load_i.opcode;
      fixed_in.category = load_i.category;
      fixed_in.ack      = load_i.ack;
      fixed_in.rspace   = load_i.rspace;
      fixed_in.lspace   = load_i.lspace;
      fixed_in.dst      = load_i.dst[NODE_W-1:0];
      fixed_in.nargs    = load_i.nargs;
      fixed_in.tag      = load_i.tag[TAG_W-1:0];
      fixed_in.length   = load_i.length;
      fixed_in.vcs      = load_path_i.vcs[PORTS-1:0];
      fixed_in.ports    = load_ports;
    end
  end
  always_ff @(posedge clk_i) if (load) fixed_mem[load_index] <= fixed_in;

  always_comb begin  // unused unless something is loaded or issued
    moving_in = 'x;
    if (issue) begin
      moving_in.first = 1'b0;
      moving_in.lanes = moving_q.lanes | lane_q;
      moving_in.raddr = moving_q.raddr + {29'd0, n_q};
      moving_in.laddr = moving_q.laddr + {29'd0, n_q};
      moving_in.left  = moving_q.left - {13'd0, n_q};
    end else if (load) begin
      moving_in.first = load_i.nargs == '0 || load_i.lspace[1];  // otherwise separate (APART)
      moving_in.lanes = '0;
      moving_in.raddr = load_i.raddr;
      moving_in.laddr = load_i.laddr;
      moving_in.left  = load_i.lspace == fsh_seq_pkg::APART ||
                        load_i.opcode == fsh_spec_pkg::OP_GET ||
                        load_status_i != fsh_spec_pkg::STATUS_OK ? 24'd0 : load_i.length;
    end
  end
  always_ff @(posedge clk_i)
    if (load || issue) moving_mem[issue ? index_q : load_index] <= moving_in;

  // Pick.
  logic [LANES-1:0] brief_room, memory_room;
  logic             host_room, ar_room, pick, want, ready, seq_active, fits_q, from_q, memory_q;
  logic [3:0]       some_q;

  // Whether the loaded command has payload from a memory: late in a cycle.
  always_ff @(posedge clk_i) if (load_valid_i) begin
    from_q <= !load_i.lspace[1] && load_i.opcode != fsh_spec_pkg::OP_GET &&
              load_status_i == fsh_spec_pkg::STATUS_OK;
    for (int unsigned i = 0; i < 4; i++) some_q[i] <= load_i.length[6*i+:6] != '0;
  end

  fsh_contexts #(
      .PORTS   (PORTS),
      .CONTEXTS(CONTEXTS)
  ) i_contexts (
      .clk_i,
      .rst_i,
      .free_req_o,
      .free_rep_o,
      .load_i        (load),
      .load_reply_i  (load_i.reply),
      .load_ordered_i(load_i.ordered),
      .load_loop_i,
      .load_bulk_i   (load_bulk_i),
      .load_memory_i (from_q && some_q != '0),
      .load_short_i  (some_q[3:1] == '0),  // less than LONG_BYTES
      .load_ports_i  (load_ports),
      .load_vcs_i    (load_path_i.vcs[PORTS-1:0]),
      .load_index_o  (load_index),
      .brief_room_i  (brief_room),
      .memory_room_i (memory_room),
      .link_ok_i,
      .queue_ok_i,
      .loop_ok_i,
      .want_o        (want),
      .take_i        (pick),
      .next_index_o  (next_index),
      .ok_o          (ready),
      .port_o        (port),
      .more_i        (issue && !fits_q),
      .free_i        (issue && fits_q),
      .port_q_i      (port_q),
      .ports_i       (fixed_q.ports),
      .stall_o,
      .busy_o        (seq_active)
  );

  assign pick = state_q == Pick && want;

  always_ff @(posedge clk_i) begin
    if (pick) begin
      index_q  <= next_index;
      fixed_q  <= fixed_mem[next_index];
      moving_q <= moving_mem[next_index];
    end else if (issue && is_made) begin  // zeros for an argument beat
      fixed_q.status <= '0;
      fixed_q.tag    <= '0;
      fixed_q.length <= '0;
      moving_q.raddr <= '0;
    end
  end
  assign reply = index_q[IW-1];

  // Prepare: size up to the next multiple of the packet size, a power of two, and of a collective
  // packet all if a short piece were left, which would overtake this one; the port in rotation.
  logic             fits;
  logic [47:0]      source_q;

  always_comb begin
    {reach, most, fits} = 'x;
    if (state_q == Prepare) begin
      reach = (~moving_q.raddr[10:0] & {packet_i[10:7] - 4'd1, 7'h7f}) + 11'd1;
      most  = reach | (fixed_q.rspace != fsh_spec_pkg::SPACE_COLLECTIVE ? '0 :
                       11'(fsh_spec_pkg::LONG_BYTES - 1));
      fits  = moving_q.left[23:11] == '0 && moving_q.left[10:0] <= most;
    end
  end

  always_comb begin
    lane = '0;
    for (int unsigned p = 0; p < PORTS; p++) lane[p%LANES] |= port[p];
  end

  always_ff @(posedge clk_i) begin
    if (issue && is_made) n_q <= '0;
    if (state_q == Prepare) begin
      n_q      <= fits ? moving_q.left[10:0] : reach;
      fits_q   <= fits;
      memory_q <= !fixed_q.lspace[1] && moving_q.left != '0;
      port_q   <= port;
      lane_q   <= lane;
      source_q <= {(fixed_q.lspace == fsh_spec_pkg::SPACE_HOST ? host_base_i[47:12] :
                    {8'd0, seg_base_i[39:12]}) + {8'd0, moving_q.laddr[39:12]},
                   moving_q.laddr[11:0]};
    end
  end

  // Issue.
  logic       is_made, is_inline, is_host, is_brief;
  logic [3:0] byte_lane;
  logic [2:0] args;
  logic [6:0] src_beats, dst_beats, beats;

  assign is_made   = fixed_q.opcode == fsh_spec_pkg::OP_GET ||
                     (fsh_spec_pkg::takers(fixed_q.opcode) != '0 && fixed_q.nargs == '0);
  assign is_inline = fixed_q.lspace == fsh_spec_pkg::SPACE_INLINE;
  assign is_host   = fixed_q.lspace == fsh_spec_pkg::SPACE_HOST && !is_brief;
  assign is_brief  = !memory_q;
  assign byte_lane = is_inline ? 4'd0 : moving_q.laddr[3:0];

  always_comb begin
    {args, src_beats, dst_beats, beats} = 'x;
    if (issue) begin
      args      = moving_q.first && !is_made ? fsh_fn_pkg::arg_beats(fixed_q.nargs) : 3'd0;
      src_beats = fsh_fn_pkg::pay_beats(byte_lane, n_q);
      dst_beats = fsh_fn_pkg::pay_beats(moving_q.raddr[3:0], n_q);
      beats     = {4'd0, args} + dst_beats + (is_made ? 7'd2 : 7'd1);
    end
  end

  always_comb begin
    {link_take_o, queue_take_o, loop_take_o} = '0;
    if (issue && fixed_q.loop) loop_take_o = {reply, !reply};
    for (int unsigned p = 0; p < PORTS; p++)
      if (issue && port_q[p] && !fixed_q.loop) begin
        link_take_o[p*4+:4]  = 4'(is_brief) << {reply, fixed_q.vcs[p]};
        queue_take_o[p*2+:2] = 2'(!is_brief) << reply;
      end
  end
  assign take_beats_o = beats;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pick: if (pick) state_q <= Prepare;
      Prepare: state_q <= ready ? Issue : Pick;
      default: state_q <= Pick;
    endcase
    if (rst_i) state_q <= Pick;
  end

  // Descriptors: a header and how its payload moves. In the following cycle an extra word may
  // follow: an argument beat generated here, or, for the other lane, the mark after which it too
  // has sent its part of the message.
  fsh_spec_pkg::hdr_t    hdr;
  fsh_seq_pkg::desc_t    desc;
  fsh_spec_pkg::getarg_t getarg;
  logic                  raw_q, mark_q, notify, half;
  logic [LANES-1:0]      push, brief_push, bulk_push;

  assign notify = fits_q && fixed_q.ack && fixed_q.opcode >= fsh_spec_pkg::OP_LIBRARY;
  assign half   = (moving_q.lanes & ~lane_q) != '0;

  always_ff @(posedge clk_i) begin
    raw_q  <= issue && is_made;
    mark_q <= issue && notify && half;
    if (rst_i) {raw_q, mark_q} <= '0;
  end

  always_comb begin  // unused in other cycles
    desc   = 'x;
    hdr    = '0;
    if (issue || mark_q || raw_q) begin
      hdr.opcode   = fixed_q.opcode;
      hdr.category = fixed_q.category;
      hdr.reply    = reply;
      hdr.vc       = (fixed_q.vcs & port_q) != '0;
      hdr.first    = moving_q.first;
      hdr.space    = fixed_q.rspace;
      hdr.dst      = 7'(fixed_q.dst);
      hdr.src      = node_i;
      hdr.nargs    = is_made ? 5'd4 : fixed_q.nargs;
      hdr.bytes    = n_q;
      hdr.tag      = 7'(fixed_q.tag);
      hdr.ack      = fixed_q.ack && !is_made && fixed_q.opcode < fsh_spec_pkg::OP_LIBRARY;
      hdr.status   = fixed_q.status;
      hdr.addr     = moving_q.raddr;
      hdr.total    = fixed_q.length;
      desc.word    = hdr;
      desc.raw     = raw_q;
      desc.mark    = mark_q;
      desc.get     = is_made && !raw_q;
      desc.port    = fixed_q.loop ? '0 : 6'(port_q);
      desc.notify  = notify;
      desc.half    = half;
      desc.args    = args;
      desc.host    = fixed_q.lspace == fsh_spec_pkg::SPACE_HOST;
      desc.beats   = raw_q ? '0 : dst_beats;
      desc.shift   = moving_q.raddr[3:0] - byte_lane;
      desc.alone   = moving_q.raddr[3:0] < byte_lane;
      desc.tail    = dst_beats + {6'd0, moving_q.raddr[3:0] < byte_lane} != src_beats;
    end
    getarg = hdr;
    if (raw_q) begin
      getarg.addr  = moving_q.laddr;
      getarg.space = fixed_q.lspace;
      desc.word    = getarg;
    end
  end

  // A mark is queued with the packets that need memory, like those it follows.
  assign push       = mark_q ? ~lane_q : lane_q & {LANES{issue || raw_q}};
  assign brief_push = push & {LANES{is_brief && !mark_q}};
  assign bulk_push  = push & {LANES{!is_brief || mark_q}};

  // Reads of the payload.
  logic [LANES-1:0]     mem_valid, mem_pop, mem_room, mem_err, host_valid, host_pop;
  logic [LANES*128-1:0] mem_data;
  logic [127:0]         host_data;
  logic                 host_err;

  fsh_seq_read i_read (
      .clk_i,
      .rst_i,
      .valid_i     (issue && !is_brief),
      .host_i      (is_host),
      .lane_i      (lane_q[1]),
      .beats_i     (src_beats),
      .beat_i      (source_q[47:4]),
      .ar_room_o   (ar_room),
      .mem_room_o  (mem_room),
      .host_room_o (host_room),
      .mem_arvalid_o,
      .mem_arready_i,
      .mem_araddr_o,
      .mem_arlen_o,
      .mem_rvalid_i,
      .mem_rdata0_i(mem_rdata_i[127:0]),
      .mem_rdata1_i(mem_rdata_i[255:128]),
      .mem_rerr_i,
      .host_arvalid_o,
      .host_arready_i,
      .host_araddr_o,
      .host_arlen_o,
      .host_arid_o,
      .host_rvalid_i,
      .host_rdata_i,
      .host_rid_i,
      .host_rerr_i,
      .mem_valid_o (mem_valid),
      .mem_ready_i (mem_pop),
      .mem_data0_o (mem_data[127:0]),
      .mem_data1_o (mem_data[255:128]),
      .mem_err_o   (mem_err),
      .host_valid_o(host_valid),
      .host_ready_i(host_pop),
      .host_data_o (host_data),
      .host_err_o  (host_err)
  );

  // Senders.
  logic [LANES-1:0]   send_busy /*verilator split_var*/, bulk_room /*verilator split_var*/;
  logic [LANES*2-1:0] rows_take /*verilator split_var*/;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    fsh_spec_pkg::ring_t entry;

    if (l == 0) begin : gen_first
      assign cpl0_o = entry;
    end else begin : gen_second
      assign cpl1_o = entry;
    end

    fsh_seq_lane #(
        .PORTS(PORTS),
        .MARKS(2 * (CONTEXTS - 1))  // one for each message longer than a packet
    ) i_lane (
        .clk_i,
        .rst_i,
        .cycle_i,
        .brief_push_i(brief_push[l]),
        .bulk_push_i (bulk_push[l]),
        .to_bulk_i   (memory_q || mark_q),
        .desc_i      (desc),
        .brief_room_o(brief_room[l]),
        .bulk_room_o (bulk_room[l]),
        .mem_valid_i (mem_valid[l]),
        .mem_data_i  (mem_data[l*128+:128]),
        .mem_err_i   (mem_err[l]),
        .mem_ready_o (mem_pop[l]),
        .host_valid_i(host_valid[l]),
        .host_data_i (host_data),
        .host_err_i  (host_err),
        .host_ready_o(host_pop[l]),
        .rows_valid_i,
        .rows_req_i,
        .rows_rep_i,
        .rows_ready_o(rows_take[l*2+:2]),
        .others_i,
        .pkt_valid_o (pkt_valid_o[l]),
        .pkt_port_o  (pkt_port_o[l*PORTS+:PORTS]),
        .pkt_ready_i (pkt_ready_i[l]),
        .pkt_last_o  (pkt_last_o[l]),
        .pkt_data_o  (pkt_data_o[l*128+:128]),
        .pkt_bad_o   (pkt_bad_o[l]),
        .queue_valid_o(queue_valid_o[l*PORTS+:PORTS]),
        .queue_o     (queue_o[l*fsh_seq_pkg::BEAT_W+:fsh_seq_pkg::BEAT_W]),
        .cpl_valid_o (cpl_valid_o[l]),
        .cpl_ready_i (cpl_ready_i[l]),
        .cpl_o       (entry),
        .busy_o      (send_busy[l])
    );
  end
  assign memory_room  = mem_room & bulk_room & {LANES{host_room && ar_room}};
  assign rows_ready_o = rows_take[1:0] | rows_take[3:2];
  assign busy_o = seq_active || state_q != Pick || raw_q || mark_q || send_busy != '0 ||
                  cpl_valid_o != '0;

  `FSH_ASSERT(assert_rows, (rows_take[1:0] & rows_take[3:2]) == '0)
endmodule

`default_nettype wire
