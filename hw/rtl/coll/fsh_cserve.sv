// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The places in which packets of the collective engine stand (fsh_cpost), and the
/// sequencer's reads of them: its ports to device memory lead through here.
/// Reads of a lane are answered in order: one of a place begins when all that the lane
/// has asked of memory is here, and the engine fills it no more; until it has ended no other is let
/// through; a beat a cycle for each lane. freed_o: a place has been read, with its last beat
/// (ends_i). busy_o, of registers: one is being read. Reset: none is.
module fsh_cserve #(
    localparam int unsigned LANES = fsh_spec_pkg::LANES,
    localparam int unsigned SLOTS = fsh_coll_pkg::PLACES,
    localparam int unsigned SW = fsh_coll_pkg::PLACE_W,
    localparam int unsigned LW = fsh_coll_pkg::PLINE_W,
    localparam int unsigned BW = fsh_coll_pkg::PBEAT_W
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    // The engine.
    input  wire logic               put_i,
    input  wire logic   [SW+LW-1:0] put_at_i,
    input  wire logic               fills_i,  // the place of put_at_i
    input  wire logic       [511:0] put_data_i,
    input  wire logic [SLOTS*BW-1:0] ends_i,
    output logic        [SLOTS-1:0] freed_o,
    // The sequencer's reads, and what of them is for memory.
    input  wire fsh_axi_pkg::mem_rd_req_t rd_req_i,
    output fsh_axi_pkg::mem_rd_rsp_t rd_rsp_o,
    output fsh_axi_pkg::mem_rd_req_t mem_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rsp_i,
    output logic                    busy_o
);
  // Beats of a line stand side by side in four memories.
  logic [LANES-1:0]       there, mine, free, room, asked, start, act_q, read, shown_q;
  logic [LANES-1:0]       none /*verilator split_var*/, last /*verilator split_var*/;
  logic [LANES*(SW+BW)-1:0] at_q;  // place and beat
  logic [3:0]             re;
  logic [4*(SW+LW)-1:0]   raddr;
  logic [LANES*2-1:0]     bank_q;  // of the beat that is shown

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    logic [127:0] rdata;

    fsh_ram #(
        .WIDTH(128),
        .DEPTH(SLOTS << LW)
    ) i_ram (
        .clk_i,
        .we_i   (put_i),
        .waddr_i(put_at_i),
        .wdata_i(put_data_i[b*128+:128]),
        .re_i   (re[b]),
        .raddr_i(raddr[b*(SW+LW)+:SW+LW]),
        .rdata_o(rdata)
    );
  end

  always_comb begin
    re      = '0;
    raddr   = '0;
    read    = '0;
    freed_o = '0;
    if (act_q != '0) begin
      read = act_q;
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
              at_q[l*(SW+BW)+:BW] == ends_i[i*BW+:BW]) freed_o[i] = 1'b1;
      end
    end
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [9:0] there_q;  // beats that memory owes
    logic [6:0] left_q;
    logic       asks;

    assign none[l] = there_q == '0;
    assign last[l] = left_q == 7'd1;
    assign asks    = asked[l] && mem_rsp_i.arready[l];

    always_ff @(posedge clk_i) begin
      if (asks || mem_rsp_i.rvalid[l])
        there_q <= there_q + (asks ? {2'd0, rd_req_i.arlen[l*8+:8]} + 10'd1 : 10'd0) -
                   10'(mem_rsp_i.rvalid[l]);
      if (read[l]) bank_q[l*2+:2] <= at_q[l*(SW+BW)+:2];
      if (start[l]) begin
        left_q                  <= rd_req_i.arlen[l*8+:7] + 7'd1;
        at_q[l*(SW+BW)+:SW+BW]  <= rd_req_i.araddr[l*40+4+:SW+BW];
      end else if (read[l]) begin
        left_q                  <= left_q - 7'd1;
        at_q[l*(SW+BW)+:BW]     <= at_q[l*(SW+BW)+:BW] + 1'b1;
      end
      if (rst_i) there_q <= '0;
    end

    `FSH_ASSERT(a_turn, !(shown_q[l] && mem_rsp_i.rvalid[l]))
  end

  // All lanes at once.
  for (genvar l = 0; l < LANES; l++) begin : gen_mine
    assign mine[l]  = rd_req_i.araddr[l*40+39];
    assign there[l] = none[l] &&
                      !(fills_i && rd_req_i.araddr[l*40+LW+6+:SW] == put_at_i[LW+:SW]);
  end
  assign free  = ~(act_q | shown_q);
  assign start = rd_req_i.arvalid & mine & free & there;
  assign asked = rd_req_i.arvalid & ~mine & free;
  assign room  = free & ((mine & there) | (~mine & mem_rsp_i.arready));

  always_ff @(posedge clk_i) begin
    act_q   <= start | (act_q & ~(read & last));
    shown_q <= read;
    if (rst_i) begin
      act_q   <= '0;
      shown_q <= '0;
    end
  end

  always_comb begin
    rd_rsp_o.arready = room;
    rd_rsp_o.rvalid  = mem_rsp_i.rvalid | shown_q;
    rd_rsp_o.rerr    = mem_rsp_i.rerr & ~shown_q;
    rd_rsp_o.rdata   = mem_rsp_i.rdata;
    for (int unsigned l = 0; l < LANES; l++) begin
      if (shown_q[l]) begin
        unique case (bank_q[l*2+:2])
          2'd0: rd_rsp_o.rdata[l*128+:128] = gen_bank[0].rdata;
          2'd1: rd_rsp_o.rdata[l*128+:128] = gen_bank[1].rdata;
          2'd2: rd_rsp_o.rdata[l*128+:128] = gen_bank[2].rdata;
          default: rd_rsp_o.rdata[l*128+:128] = gen_bank[3].rdata;
        endcase
      end
    end
  end

  assign mem_req_o = {asked, rd_req_i.arlen, rd_req_i.araddr};
  assign busy_o    = act_q != '0 || shown_q != '0;
endmodule

`default_nettype wire
