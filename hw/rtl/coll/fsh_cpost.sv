// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What the collective engine sends: packets stand here in one of SLOTS places until the
/// sequencer has read them, like any payload, through its ports to device memory, which
/// lead through here: addresses from 2^39 on are those places. So a packet is whole before
/// its command is given (ecmd, PACKET), and the sequencer never waits for the engine.
/// tell_*: messages for other engines; they and packets leave in order of their coming.
/// Reads of a lane are answered in order: one of a place begins when all that the lane
/// has asked of memory is here, and until it has ended no other is let through; a beat a
/// cycle for each lane. ack_*: a packet was refused: its place is free. Reset: none in use.
module fsh_cpost #(
    parameter int unsigned SLOTS = 4,
    localparam int unsigned LANES = fsh_spec_pkg::LANES,
    localparam int unsigned LW = $clog2(fsh_spec_pkg::MAX_PACKET / 64),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic        [39:0] seg_base_i,
    // The engine.
    input  wire logic               tx_valid_i,
    output logic                    tx_ready_o,
    input  wire logic               tx_last_i,
    input  wire logic         [7:0] tx_dest_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::colladdr_t tx_addr_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic      [LW+6:0] tx_bytes_i,
    input  wire logic       [511:0] tx_data_i,
    input  wire logic               tell_valid_i,
    output logic                    tell_ready_o,
    input  wire fsh_coll_pkg::note_t tell_i,
    // The node's commands.
    output logic                    ccmd_valid_o,
    input  wire logic               ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t     ccmd_o,
    input  wire logic               ack_valid_i,
    input  wire logic      [SW-1:0] ack_slot_i,
    // The sequencer's reads, and what of them is for memory.
    input  wire fsh_axi_pkg::mem_rd_req_t rd_req_i,
    output fsh_axi_pkg::mem_rd_rsp_t rd_rsp_o,
    output fsh_axi_pkg::mem_rd_req_t mem_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rsp_i,
    output logic                    busy_o
);
  localparam int unsigned BEATS = 4 << LW;  // of a place
  localparam int unsigned BW = $clog2(BEATS);

  // A packet to its place; its last beat is the one with which that is read.
  logic [SLOTS-1:0]    used_q, freed;
  logic [SLOTS*BW-1:0] ends_q;
  logic [SW-1:0]       slot_q;
  logic [LW-1:0]       line_q;
  logic [39:0]         base_q;
  logic                some, take, last, cmd_room, cmd_valid, told;
  fsh_spec_pkg::ecmd_t packet, message, cmd;
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::collkey_t key;
  /* verilator lint_on UNUSEDSIGNAL */

  assign some         = tx_bytes_i != '0;
  assign tx_ready_o   = cmd_room && !(some && used_q[slot_q]);
  assign take         = tx_valid_i && tx_ready_o;
  assign last         = take && tx_last_i;
  assign tell_ready_o = cmd_room && !(tx_valid_i && tx_last_i);
  assign told         = tell_valid_i && tell_ready_o;

  always_ff @(posedge clk_i) begin
    base_q <= {1'b1, 39'd0} - seg_base_i;
    if (take) line_q <= tx_last_i ? '0 : line_q + 1'b1;
    if (last && some) begin
      slot_q                 <= slot_q == SW'(SLOTS - 1) ? '0 : slot_q + 1'b1;
      ends_q[slot_q*BW+:BW]  <= BW'(fsh_fn_pkg::pay_beats(4'd0, tx_bytes_i) - 7'd1);
    end
    for (int unsigned i = 0; i < SLOTS; i++) begin
      if (freed[i] || (ack_valid_i && ack_slot_i == SW'(i))) used_q[i] <= 1'b0;
      if (last && some && slot_q == SW'(i)) used_q[i] <= 1'b1;
    end
    if (rst_i) begin
      line_q <= '0;
      slot_q <= '0;
      used_q <= '0;
    end
  end

  // Bases of segments are multiples of 4 KiB.
  always_comb begin
    packet        = '0;
    packet.kind   = fsh_spec_pkg::EKIND_PACKET;
    packet.dst    = tx_dest_i;
    packet.length = 24'(tx_bytes_i);
    packet.laddr  = base_q | (40'(slot_q) << (LW + 6));
    packet.raddr  = tx_addr_i[39:0];
    packet.tag    = tx_addr_i[45:40];
    key           = '0;
    key.op        = tell_i.op;
    key.job       = tell_i.key.job;
    key.vp        = tell_i.key.vp;
    key.seq       = tell_i.key.seq;
    key.number    = tell_i.key.number;
    message       = '0;
    message.kind  = fsh_spec_pkg::EKIND_MESSAGE;
    message.dst   = 8'(tell_i.key.node);
    message.laddr = key[39:0];
    cmd           = last ? packet : message;
  end

  fsh_fifo #(
      .WIDTH($bits(cmd)),
      .DEPTH(4)
  ) i_cmd (
      .clk_i,
      .rst_i,
      .valid_i(last || told),
      .ready_o(cmd_room),
      .data_i (cmd),
      .valid_o(cmd_valid),
      .ready_i(ccmd_ready_i),
      .data_o (ccmd_o),
      .count_o()
  );
  assign ccmd_valid_o = cmd_valid;

  // Reads. Beats of a line stand side by side in four memories.
  logic [LANES-1:0]       mine, free, start, act_q, read, shown_q, ends;
  logic [LANES*(SW+BW)-1:0] at_q;  // place and beat
  logic [3:0]             re;
  logic [4*(SW+LW)-1:0]   raddr;
  logic [511:0]           rdata;

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    fsh_ram #(
        .WIDTH(128),
        .DEPTH(SLOTS << LW)
    ) i_ram (
        .clk_i,
        .we_i   (take && some),
        .waddr_i({slot_q, line_q}),
        .wdata_i(tx_data_i[b*128+:128]),
        .re_i   (re[b]),
        .raddr_i(raddr[b*(SW+LW)+:SW+LW]),
        .rdata_o(rdata[b*128+:128])
    );
  end

  always_comb begin
    re    = '0;
    raddr = '0;
    read  = act_q;
    freed = '0;
    // Lanes that want the same memory: the first, and they never meet again.
    for (int unsigned l = 1; l < LANES; l++)
      for (int unsigned k = 0; k < l; k++)
        if (read[k] && at_q[k*(SW+BW)+:2] == at_q[l*(SW+BW)+:2]) read[l] = 1'b0;
    for (int unsigned l = 0; l < LANES; l++) begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (read[l] && at_q[l*(SW+BW)+:2] == 2'(b)) begin
          re[b] = 1'b1;
          raddr[b*(SW+LW)+:SW+LW] |= at_q[l*(SW+BW)+2+:SW+LW];
        end
      end
      for (int unsigned i = 0; i < SLOTS; i++)
        if (read[l] && at_q[l*(SW+BW)+BW+:SW] == SW'(i) &&
            at_q[l*(SW+BW)+:BW] == ends_q[i*BW+:BW]) freed[i] = 1'b1;
    end
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [9:0] there_q;  // beats that memory owes
    logic [6:0] left_q;
    logic [1:0] bank_q;
    logic       asks;

    assign mine[l]  = rd_req_i.araddr[l*40+39];
    assign free[l]  = !act_q[l] && !shown_q[l];
    assign start[l] = rd_req_i.arvalid[l] && mine[l] && free[l] && there_q == '0;
    assign ends[l]  = read[l] && left_q == 7'd1;
    assign asks     = mem_req_o.arvalid[l] && mem_rsp_i.arready[l];

    assign mem_req_o.arvalid[l] = rd_req_i.arvalid[l] && !mine[l] && free[l];
    assign rd_rsp_o.arready[l]  = mine[l] ? free[l] && there_q == '0 :
                                  free[l] && mem_rsp_i.arready[l];
    assign rd_rsp_o.rvalid[l]   = mem_rsp_i.rvalid[l] || shown_q[l];
    assign rd_rsp_o.rerr[l]     = mem_rsp_i.rerr[l] && !shown_q[l];
    assign rd_rsp_o.rdata[l*128+:128] = shown_q[l] ? rdata[bank_q*128+:128] :
                                        mem_rsp_i.rdata[l*128+:128];

    always_ff @(posedge clk_i) begin
      if (asks || mem_rsp_i.rvalid[l])
        there_q <= there_q + (asks ? {2'd0, rd_req_i.arlen[l*8+:8]} + 10'd1 : 10'd0) -
                   10'(mem_rsp_i.rvalid[l]);
      if (start[l]) begin
        left_q                  <= rd_req_i.arlen[l*8+:7] + 7'd1;
        at_q[l*(SW+BW)+:SW+BW]  <= rd_req_i.araddr[l*40+4+:SW+BW];
      end else if (read[l]) begin
        left_q                  <= left_q - 7'd1;
        at_q[l*(SW+BW)+:BW]     <= at_q[l*(SW+BW)+:BW] + 1'b1;
        bank_q                  <= at_q[l*(SW+BW)+:2];
      end
      if (start[l]) act_q[l] <= 1'b1;
      else if (ends[l]) act_q[l] <= 1'b0;
      shown_q[l] <= read[l];
      if (rst_i) begin
        act_q[l]   <= 1'b0;
        shown_q[l] <= 1'b0;
        there_q    <= '0;
      end
    end

    `FSH_ASSERT(a_turn, !(shown_q[l] && mem_rsp_i.rvalid[l]))
  end

  assign mem_req_o.araddr = rd_req_i.araddr;
  assign mem_req_o.arlen  = rd_req_i.arlen;
  assign busy_o           = cmd_valid || act_q != '0 || shown_q != '0 || tx_valid_i || tell_valid_i;
endmodule

`default_nettype wire
