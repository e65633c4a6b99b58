// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Writes operand blocks to memory as encoded units: four blocks are a beat of
/// mantissas; the exponents of 64 rows of a chunk are a beat that follows the
/// last of their mantissas. A unit is announced when its last beat has gone, the
/// command's last one marked. One beat a cycle, two cycles between units.
/// room_o (a register) leaves room for all that may be on its way here.
module fsh_cemit (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               valid_i,
    input  wire logic       [543:0] blocks_i,
    input  wire fsh_cmp_pkg::feed_t meta_i,
    output logic                    room_o,
    // To fsh_cwrite.
    output logic                    exp_valid_o,
    input  wire logic               exp_ready_i,
    output logic             [31:0] exp_addr_o,
    output logic            [511:0] exp_data_o,
    output logic                    exp_cmd_o,
    // Units, each a run of bytes on its way to memory.
    output logic                    emt_valid_o,
    input  wire logic               emt_ready_i,
    output fsh_cout_pkg::ext_t      emt_o,
    input  wire logic        [31:0] issued_i,  // fsh_cwrite
    input  wire logic        [31:0] done_i,
    output logic                    busy_o
);
  localparam int unsigned DEPTH = 64;
  localparam int unsigned UNSEEN = 32;  // in the feed's stages and buffers
  localparam int unsigned WIDTH = 544 + 40;

  logic               valid, pop, room, exponents_q, open, ended_q, ready;
  logic [543:0]       blocks;
  logic [31:0]        unit;
  logic [1:0]         c4;
  logic [3:0]         j;
  logic               fin, parity, last_row;
  logic [511:0]       exps_q;
  logic [31:0]        exps;
  logic [6:0]         count;

  fsh_fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH),
      .BLOCK(1'b1)
  ) i_fifo (
      .clk_i,
      .rst_i,
      .valid_i(valid_i && meta_i.emit),
      .ready_o(room),
      .data_i ({blocks_i, meta_i.unit, meta_i.c4, meta_i.j, meta_i.fin, meta_i.parity}),
      .valid_o(valid),
      .ready_i(pop),
      .data_o ({blocks, unit, c4, j, fin, parity}),
      .count_o(count)
  );

  always_ff @(posedge clk_i) begin
    room_o <= count <= 7'(DEPTH - UNSEEN);
    if (rst_i) room_o <= 1'b0;
  end

  // The beat in front: mantissas, then perhaps the exponents. None while a unit
  // is being announced.
  assign open        = !ended_q && !emt_valid_o;
  assign ready       = exp_ready_i && open;
  assign last_row    = j == 4'd15;
  assign pop         = valid && ready && (exponents_q || !last_row);
  assign exp_valid_o = valid && open;
  assign exp_cmd_o   = parity;

  for (genvar l = 0; l < 4; l++) begin : gen_exps
    assign exps[l*8+:8] = blocks[l*136+128+:8];
  end

  always_comb begin
    exp_addr_o = 'x;
    exp_data_o = 'x;
    if (valid && exponents_q) begin
      exp_addr_o = unit + {30'd0, c4};
      exp_data_o = exps_q;
    end else if (valid) begin
      exp_addr_o = unit + 32'd4 + {26'd0, c4, j};
      for (int unsigned l = 0; l < 4; l++)
        for (int unsigned k = 0; k < 16; k++)
          exp_data_o[l*128+k*8+:8] = fsh_fp_pkg::man_store(blocks[l*136+k*8+:8]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid && ready) begin
      exponents_q <= last_row && !exponents_q;
      for (int unsigned r = 0; r < 16; r++)
        if (!exponents_q && j == 4'(r)) exps_q[r*32+:32] <= exps;
    end
    ended_q <= pop && last_row && c4 == 2'd3;
    if (pop) begin
      emt_o.last   <= fin;
      emt_o.parity <= parity;
      emt_o.addr   <= {unit, 6'd0};
      emt_o.bytes  <= 24'(fsh_cmp_pkg::UNIT_BEATS * 64);
    end
    // fsh_cwrite has counted the beat. While the unit waits, what is done takes the place
    // of what it waits for, since counts are modulo 256.
    for (int unsigned l = 0; l < 4; l++)
      if (done_i[l*8+:8] - emt_o.issued[l*8+:8] < 8'd128)
        emt_o.issued[l*8+:8] <= done_i[l*8+:8];
    if (ended_q) emt_o.issued <= issued_i;
    if (ended_q) emt_valid_o <= 1'b1;
    else if (emt_ready_i) emt_valid_o <= 1'b0;
    if (rst_i) begin
      exponents_q <= 1'b0;
      ended_q     <= 1'b0;
      emt_valid_o <= 1'b0;
    end
  end

  assign busy_o = valid || count != '0 || ended_q || emt_valid_o || (valid_i && meta_i.emit);

  `FSH_ASSERT(assert_room, !(valid_i && meta_i.emit) || room)
endmodule

`default_nettype wire
