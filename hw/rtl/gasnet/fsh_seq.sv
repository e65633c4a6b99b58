// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// AM sequencer: turns commands into packets for both ports. Four messages at a
/// time, the contexts {channel, port}, packet by packet, round robin. Their
/// state stands in distributed RAM; one datapath serves them, a packet in three
/// cycles: Pick a context whose next packet has room everywhere; Prepare its
/// size and source; Issue it: reserve its room, read its data, describe it to
/// the port's sender (fsh_seq_send). What is issued always leaves, in order.
/// A packet ends at a multiple of the packet size of its destination address;
/// of a message over two ports every other packet takes the other port.
/// A zero-length message is one packet without payload; so is a GET, whose
/// argument beat tells where the data is to go, and any answer with an error. A
/// message to an engine without arguments in rows is of an engine: like a GET's
/// is its argument beat made, of laddr.
/// Five cycles from load to header at the output.
module fsh_seq (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic          [7:0] node_i,
    input  wire logic         [10:0] packet_i,
    input  wire logic         [39:0] seg_base_i,
    input  wire logic         [47:0] host_base_i,
    // Commands, for context {load_i.reply, load_port_i}, which must be free.
    output logic               [3:0] free_o,
    input  wire logic                load_valid_i,
    output logic                     load_ready_o,
    input  wire logic                load_port_i,
    input  wire logic                load_loop_i,
    input  wire logic                load_stripe_i,
    input  wire logic          [3:0] load_status_i,
    input  wire fsh_spec_pkg::cmd_t  load_i,
    // Argument and inline beats of host commands, by channel, and their port.
    input  wire logic          [1:0] rows_valid_i,
    input  wire logic          [1:0] rows_port_i,
    output logic               [1:0] rows_ready_o,
    input  wire logic        [127:0] rows_req_i,
    input  wire logic        [127:0] rows_rep_i,
    // Room at the links {port, channel} and at the loop, and what is taken.
    input  wire logic          [3:0] link_ok_i,
    input  wire logic          [1:0] loop_ok_i,
    output logic               [3:0] link_take_o,
    output logic               [1:0] loop_take_o,
    output logic               [6:0] take_beats_o,
    // Packets, by port; others_i: others want the port.
    input  wire logic          [1:0] others_i,
    output logic               [1:0] pkt_valid_o,
    output logic               [1:0] pkt_loop_o,
    input  wire logic          [1:0] pkt_ready_i,
    output logic               [1:0] pkt_last_o,
    output logic             [127:0] pkt0_data_o,
    output logic             [127:0] pkt1_data_o,
    output logic               [1:0] pkt_bad_o,  // with the last beat
    // Device memory, read side, by port.
    output logic               [1:0] mem_arvalid_o,
    input  wire logic          [1:0] mem_arready_i,
    output logic              [39:0] mem_araddr_o,
    output logic               [7:0] mem_arlen_o,
    input  wire logic          [1:0] mem_rvalid_i,
    input  wire logic        [127:0] mem_rdata0_i,
    input  wire logic        [127:0] mem_rdata1_i,
    input  wire logic          [1:0] mem_rerr_i,
    // Host memory, read side; the identifier is the port.
    output logic                     host_arvalid_o,
    input  wire logic                host_arready_i,
    output logic              [47:0] host_araddr_o,
    output logic               [7:0] host_arlen_o,
    output logic                     host_arid_o,
    input  wire logic                host_rvalid_i,
    input  wire logic        [127:0] host_rdata_i,
    input  wire logic                host_rid_i,
    input  wire logic                host_rerr_i,
    // Source read: entries for the completion ring, by port.
    output logic               [1:0] cpl_valid_o,
    input  wire logic          [1:0] cpl_ready_i,
    output fsh_spec_pkg::ring_t      cpl0_o,
    output fsh_spec_pkg::ring_t      cpl1_o,
    output logic               [1:0] stall_o,
    output logic                     busy_o
);
  localparam int unsigned DESC_DEPTH = 32;
  localparam int unsigned DESC_ROOM = DESC_DEPTH - 4;

  localparam int unsigned NODE_W = fsh_spec_pkg::NODE_W;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;

  // What of a message stays, and what changes from packet to packet.
  typedef struct packed {
    logic [3:0]        status;
    logic              loop;
    logic              stripe;
    logic [7:0]        opcode;
    logic [1:0]        category;
    logic              ack;
    logic [1:0]        rspace;
    logic [1:0]        lspace;
    logic [NODE_W-1:0] dst;
    logic [4:0]        nargs;
    logic [TAG_W-1:0]  tag;
    logic [23:0]       length;
  } fixed_t;
  typedef struct packed {
    logic        first;
    logic [39:0] raddr;
    logic [39:0] laddr;
    logic [23:0] left;
  } moving_t;

  typedef enum logic [1:0] {
    Pick,
    Prepare,
    Issue
  } state_e;
  state_e     state_q;
  logic [1:0] index_q, load_index;
  logic [3:0] at_q, load_at;  // the same, a bit a context: an indexed bit is a subtraction
  logic       reply, port;    // of the context picked

  // Contexts. The load writes when no packet is issued.
  fixed_t     fixed_q;
  moving_t    moving_in, moving_q;
  (* ram_style = "distributed" *) logic [$bits(fixed_q)-1:0] fixed_mem[4];
  (* ram_style = "distributed" *) logic [$bits(moving_q)-1:0] moving_mem[4];
  logic [3:0] active_q, loop_q, other_q;  // other: the next packet takes the other port
  logic       load, issue;
  logic [10:0] n_q;  // payload bytes of the packet

  assign load_index   = {load_i.reply, load_port_i};
  assign load_at      = 4'b0001 << load_index;
  assign load_ready_o = state_q != Issue;
  assign load         = load_valid_i && load_ready_o;
  assign issue        = state_q == Issue;
  assign free_o       = ~active_q;

  always_ff @(posedge clk_i) begin
    if (load)
      fixed_mem[load_index] <= {
        load_status_i, load_loop_i, load_stripe_i, load_i.opcode, load_i.category, load_i.ack,
        load_i.rspace, load_i.lspace, load_i.dst[NODE_W-1:0], load_i.nargs,
        load_i.tag[TAG_W-1:0], load_i.length
      };
  end

  always_comb begin
    moving_in.first = 1'b1;
    moving_in.raddr = load_i.raddr;
    moving_in.laddr = load_i.laddr;
    moving_in.left  = load_i.opcode == fsh_spec_pkg::OP_GET ||
                      load_status_i != fsh_spec_pkg::STATUS_OK ? 24'd0 : load_i.length;
    if (issue) begin
      moving_in.first = 1'b0;
      moving_in.raddr = moving_q.raddr + {29'd0, n_q};
      moving_in.laddr = moving_q.laddr + {29'd0, n_q};
      moving_in.left  = moving_q.left - {13'd0, n_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load || issue) moving_mem[issue ? index_q : load_index] <= moving_in;
  end

  // Pick.
  logic [3:0] goes1, can, link_ok, gnt;  // by context; goes1: to port 1
  logic [1:0] room, gnt_index;  // room: whatever a packet needs but its credit, by port
  logic       host_room, ar_room, pick;

  assign goes1 = other_q ^ 4'b1010;
  assign link_ok = (loop_q & {{2{loop_ok_i[1]}}, {2{loop_ok_i[0]}}}) |
                   (~loop_q & goes1 & {{2{link_ok_i[3]}}, {2{link_ok_i[2]}}}) |
                   (~loop_q & ~goes1 & {{2{link_ok_i[1]}}, {2{link_ok_i[0]}}});
  assign can     = active_q & link_ok & ((goes1 & {4{room[1]}}) | (~goes1 & {4{room[0]}}));

  fsh_arb #(
      .N(4)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (can),
      .take_i(pick),
      .gnt_o (gnt)
  );

  assign pick      = state_q == Pick && can != '0 && host_room && ar_room;
  assign gnt_index = {gnt[3] | gnt[2], gnt[3] | gnt[1]};

  always_ff @(posedge clk_i) begin
    if (pick) begin
      index_q  <= gnt_index;
      at_q     <= gnt;
      fixed_q  <= fixed_mem[gnt_index];
      moving_q <= moving_mem[gnt_index];
    end
  end

  assign reply = index_q[1];
  assign port  = index_q[0] ^ |(other_q & at_q);

  // Prepare: up to the next multiple of the packet size, a power of two.
  logic [10:0] reach;
  logic [11:0] both;
  logic        fits, fits_q, ends_q;
  logic [47:0] source_q;

  assign reach = (~moving_q.raddr[10:0] & (packet_i - 11'd1)) + 11'd1;
  assign both  = {1'b0, reach} + {1'b0, packet_i};
  assign fits  = moving_q.left <= {13'd0, reach};

  always_ff @(posedge clk_i) begin
    if (state_q == Prepare) begin
      n_q      <= fits ? moving_q.left[10:0] : reach;
      fits_q   <= fits;
      // The last packet of this port.
      ends_q   <= fits || (fixed_q.stripe && moving_q.left <= {12'd0, both});
      source_q <= (fixed_q.lspace == fsh_spec_pkg::SPACE_HOST ? host_base_i : {8'd0, seg_base_i}) +
                  {8'd0, moving_q.laddr};
    end
  end

  // Issue.
  logic               is_made, is_inline, is_host, is_mem, multi;
  logic [3:0]         lane;
  logic [2:0]         args;
  logic [6:0]         src_beats, dst_beats, beats;

  assign is_made   = fixed_q.opcode == fsh_spec_pkg::OP_GET ||
                     (fsh_spec_pkg::takers(fixed_q.opcode) != '0 && fixed_q.nargs == '0);
  assign is_inline = fixed_q.lspace == fsh_spec_pkg::SPACE_INLINE;
  assign is_host   = fixed_q.lspace == fsh_spec_pkg::SPACE_HOST && n_q != '0;
  assign is_mem    = fixed_q.lspace == fsh_spec_pkg::SPACE_SEGMENT && n_q != '0;
  assign multi     = !moving_q.first || !fits_q;
  assign lane      = is_inline ? 4'd0 : moving_q.laddr[3:0];

  always_comb begin
    args      = 'x;
    src_beats = 'x;
    dst_beats = 'x;
    beats     = 'x;
    if (issue) begin
      args      = moving_q.first && !is_made ? fsh_fn_pkg::arg_beats(fixed_q.nargs) : 3'd0;
      src_beats = fsh_fn_pkg::pay_beats(lane, n_q);
      dst_beats = fsh_fn_pkg::pay_beats(moving_q.raddr[3:0], n_q);
      beats     = {4'd0, args} + dst_beats + (is_made ? 7'd2 : 7'd1);
    end
  end

  assign link_take_o  = {port && reply, port && !reply, !port && reply, !port && !reply} &
                        {4{issue && !fixed_q.loop}};
  assign loop_take_o  = {reply, !reply} & {2{issue && fixed_q.loop}};
  assign take_beats_o = beats;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Pick: if (pick) state_q <= Prepare;
      Prepare: state_q <= Issue;
      default: begin
        state_q <= Pick;
        if (fits_q) active_q <= active_q & ~at_q;
        else if (fixed_q.stripe) other_q <= other_q ^ at_q;
      end
    endcase
    if (load) begin
      active_q <= active_q | load_at;
      loop_q   <= load_loop_i ? loop_q | load_at : loop_q & ~load_at;
      other_q  <= other_q & ~load_at;
    end
    if (rst_i) begin
      state_q  <= Pick;
      active_q <= '0;
    end
  end

  // Descriptors: a header and how its payload moves; an argument beat made here
  // follows as a word of its own, in the cycle after.
  fsh_spec_pkg::hdr_t    hdr;
  fsh_seq_pkg::desc_t    desc;
  fsh_spec_pkg::getarg_t getarg;
  logic                  raw_q, raw_port_q;
  logic [1:0]            desc_push, desc_room, desc_valid, desc_pop, desc_alone;
  logic [5:0]            desc_count0, desc_count1;
  fsh_seq_pkg::desc_t    desc0, desc1;

  always_ff @(posedge clk_i) begin
    raw_q <= issue && is_made;
    if (issue) raw_port_q <= port;
    if (rst_i) raw_q <= 1'b0;
  end

  // In other cycles nobody looks.
  always_comb begin
    desc   = 'x;
    hdr    = '0;
    getarg = '0;
    if (issue) begin
      hdr.opcode   = fixed_q.opcode;
      hdr.category = fixed_q.category;
      hdr.reply    = reply;
      hdr.multi    = multi;
      hdr.first    = moving_q.first;
      hdr.space    = fixed_q.rspace;
      hdr.dst      = 8'(fixed_q.dst);
      hdr.src      = node_i;
      hdr.nargs    = is_made ? 5'd4 : fixed_q.nargs;
      hdr.bytes    = n_q;
      hdr.tag      = 11'(fixed_q.tag);
      hdr.ack      = fixed_q.ack && !is_made && fixed_q.opcode < fsh_spec_pkg::OP_LIBRARY;
      hdr.status   = fixed_q.status;
      hdr.addr     = moving_q.raddr;
      hdr.total    = fixed_q.length;
      desc.word    = hdr;
      desc.raw     = 1'b0;
      desc.get     = is_made;
      desc.loop    = fixed_q.loop;
      desc.notify  = ends_q && fixed_q.ack && fixed_q.opcode >= fsh_spec_pkg::OP_LIBRARY;
      desc.half    = fixed_q.stripe;
      desc.args    = args;
      desc.lspace  = fixed_q.lspace;
      desc.beats   = dst_beats;
      desc.shift   = moving_q.raddr[3:0] - lane;
      desc.alone   = moving_q.raddr[3:0] < lane;
      desc.tail    = dst_beats + {6'd0, moving_q.raddr[3:0] < lane} != src_beats;
    end
    if (raw_q) begin
      getarg.addr  = moving_q.laddr;
      getarg.space = fixed_q.lspace;
      desc.word    = getarg;
      desc.raw     = 1'b1;
      desc.get     = 1'b0;
      desc.loop    = fixed_q.loop;
      desc.beats   = '0;
      desc.lspace  = fixed_q.lspace;
    end
  end

  assign desc_push = issue ? {port, !port} : raw_q ? {raw_port_q, !raw_port_q} : 2'b00;

  fsh_fifo #(
      .WIDTH($bits(desc)),
      .DEPTH(DESC_DEPTH)
  ) i_desc0 (
      .clk_i,
      .rst_i,
      .valid_i(desc_push[0]),
      .ready_o(desc_room[0]),
      .data_i (desc),
      .valid_o(desc_valid[0]),
      .ready_i(desc_pop[0]),
      .data_o (desc0),
      .count_o(desc_count0)
  );
  fsh_fifo #(
      .WIDTH($bits(desc)),
      .DEPTH(DESC_DEPTH)
  ) i_desc1 (
      .clk_i,
      .rst_i,
      .valid_i(desc_push[1]),
      .ready_o(desc_room[1]),
      .data_i (desc),
      .valid_o(desc_valid[1]),
      .ready_i(desc_pop[1]),
      .data_o (desc1),
      .count_o(desc_count1)
  );
  assign desc_alone = {desc_count1 == 6'd1, desc_count0 == 6'd1};

  // Reads of the payload.
  logic [1:0]   mem_valid, mem_pop, mem_room, host_valid, host_pop;
  logic [127:0] mem_data0, mem_data1, host_data;
  logic [1:0]   mem_err;
  logic         host_err;

  fsh_seq_read i_read (
      .clk_i,
      .rst_i,
      .valid_i     (issue && (is_mem || is_host)),
      .host_i      (is_host),
      .port_i      (port),
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
      .mem_rdata0_i,
      .mem_rdata1_i,
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
      .mem_data0_o (mem_data0),
      .mem_data1_o (mem_data1),
      .mem_err_o   (mem_err),
      .host_valid_o(host_valid),
      .host_ready_i(host_pop),
      .host_data_o (host_data),
      .host_err_o  (host_err)
  );

  assign room = mem_room & {desc_count1 <= 6'(DESC_ROOM), desc_count0 <= 6'(DESC_ROOM)};

  // Senders.
  logic [1:0] send_busy;
  logic [3:0] rows_take;

  fsh_seq_send i_send0 (
      .clk_i,
      .rst_i,
      .desc_valid_i(desc_valid[0]),
      .desc_alone_i(desc_alone[0]),
      .desc_i      (desc0),
      .desc_ready_o(desc_pop[0]),
      .mem_valid_i (mem_valid[0]),
      .mem_data_i  (mem_data0),
      .mem_err_i   (mem_err[0]),
      .mem_ready_o (mem_pop[0]),
      .host_valid_i(host_valid[0]),
      .host_data_i (host_data),
      .host_err_i  (host_err),
      .host_ready_o(host_pop[0]),
      .rows_valid_i(rows_valid_i & ~rows_port_i),
      .rows_req_i,
      .rows_rep_i,
      .rows_ready_o(rows_take[1:0]),
      .others_i    (others_i[0]),
      .pkt_valid_o (pkt_valid_o[0]),
      .pkt_loop_o  (pkt_loop_o[0]),
      .pkt_ready_i (pkt_ready_i[0]),
      .pkt_last_o  (pkt_last_o[0]),
      .pkt_data_o  (pkt0_data_o),
      .pkt_bad_o   (pkt_bad_o[0]),
      .cpl_valid_o (cpl_valid_o[0]),
      .cpl_ready_i (cpl_ready_i[0]),
      .cpl_o       (cpl0_o),
      .busy_o      (send_busy[0])
  );
  fsh_seq_send i_send1 (
      .clk_i,
      .rst_i,
      .desc_valid_i(desc_valid[1]),
      .desc_alone_i(desc_alone[1]),
      .desc_i      (desc1),
      .desc_ready_o(desc_pop[1]),
      .mem_valid_i (mem_valid[1]),
      .mem_data_i  (mem_data1),
      .mem_err_i   (mem_err[1]),
      .mem_ready_o (mem_pop[1]),
      .host_valid_i(host_valid[1]),
      .host_data_i (host_data),
      .host_err_i  (host_err),
      .host_ready_o(host_pop[1]),
      .rows_valid_i(rows_valid_i & rows_port_i),
      .rows_req_i,
      .rows_rep_i,
      .rows_ready_o(rows_take[3:2]),
      .others_i    (others_i[1]),
      .pkt_valid_o (pkt_valid_o[1]),
      .pkt_loop_o  (pkt_loop_o[1]),
      .pkt_ready_i (pkt_ready_i[1]),
      .pkt_last_o  (pkt_last_o[1]),
      .pkt_data_o  (pkt1_data_o),
      .pkt_bad_o   (pkt_bad_o[1]),
      .cpl_valid_o (cpl_valid_o[1]),
      .cpl_ready_i (cpl_ready_i[1]),
      .cpl_o       (cpl1_o),
      .busy_o      (send_busy[1])
  );
  assign rows_ready_o = rows_take[1:0] | rows_take[3:2];

  // A port stalls if a packet for it lacks only its credit.
  logic [3:0] lack;
  assign lack    = active_q & ~link_ok & ~loop_q;
  assign stall_o = {|(lack & goes1), |(lack & ~goes1)};
  assign busy_o  = active_q != '0 || state_q != Pick || raw_q || desc_valid != '0 ||
                   send_busy != '0 || cpl_valid_o != '0;

  `FSH_ASSERT(assert_free, !load || !active_q[load_index])
  `FSH_ASSERT(assert_desc_room, (desc_push & ~desc_room) == '0)
endmodule

`default_nettype wire
