// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Sending half of the sequencer: takes packet descriptors in order and gives
/// header, argument and payload beats. A packet starts when its first payload
/// beat is there, so that the link does not idle inside it; but when nothing
/// else wants the port and the payload is on its way from device memory, the
/// header leaves at once and hides in the read latency.
/// When the last beat of a message leaves whose source the host wants back, an
/// entry for the completion ring is given.
module fsh_seq_send #(
    parameter int unsigned DESC_WIDTH = 197
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_i,
    input  wire logic                       desc_valid_i,
    input  wire logic                       desc_alone_i,
    input  wire logic      [DESC_WIDTH-1:0] desc_i,
    output logic                            desc_ready_o,
    input  wire logic                       mem_valid_i,
    input  wire logic               [127:0] mem_data_i,
    output logic                            mem_ready_o,
    input  wire logic                       host_valid_i,
    input  wire logic               [127:0] host_data_i,
    output logic                            host_ready_o,
    input  wire logic                 [1:0] rows_valid_i,
    input  wire logic               [255:0] rows_data_i,
    output logic                      [1:0] rows_ready_o,
    input  wire logic                       others_i,
    output logic                            pkt_valid_o,
    output logic                            pkt_loop_o,
    input  wire logic                       pkt_ready_i,
    output logic                      [6:0] pkt_follow_o,
    output logic                    [127:0] pkt_data_o,
    output logic                            cpl_valid_o,
    input  wire logic                       cpl_ready_i,
    output fsh_spec_pkg::ring_t             cpl_o,
    output logic                            busy_o
);
  typedef enum logic [1:0] {
    Header,
    Args,
    Payload
  } state_e;
  state_e             state_q;
  fsh_spec_pkg::hdr_t hdr;
  logic [41:0]        getarg;
  logic [1:0]         lspace;
  logic [3:0]         lane;
  logic [6:0]         src_beats, dst_beats;
  logic [2:0]         args, args_left_q;
  logic               is_get, loop, notify, half, row_valid;
  logic [127:0]       row;
  logic               early, go, fire, last, load, src_valid, src_ready, al_valid, al_last;
  logic [127:0]       src_data, al_data;
  logic               inline_src, cpl_room, cpl_push;
  fsh_spec_pkg::ring_t cpl;

  assign {half, notify, loop, is_get, args, dst_beats, src_beats, lane, lspace, getarg, hdr} =
      desc_i;

  assign row        = hdr.reply ? rows_data_i[255:128] : rows_data_i[127:0];
  assign row_valid  = hdr.reply ? rows_valid_i[1] : rows_valid_i[0];
  assign inline_src = lspace == fsh_spec_pkg::SPACE_INLINE;
  assign src_valid  = inline_src ? row_valid :
                      lspace == fsh_spec_pkg::SPACE_HOST ? host_valid_i : mem_valid_i;
  assign src_data   = inline_src ? row :
                      lspace == fsh_spec_pkg::SPACE_HOST ? host_data_i : mem_data_i;

  assign early = lspace == fsh_spec_pkg::SPACE_SEGMENT && desc_alone_i && !others_i;
  assign go    = desc_valid_i && (!notify || cpl_room) && (dst_beats == '0 || src_valid || early);

  assign pkt_loop_o   = loop;
  assign pkt_follow_o = {4'd0, args} + dst_beats;

  always_comb begin
    unique case (state_q)
      Args: begin
        pkt_valid_o = is_get || row_valid;
        pkt_data_o  = is_get ? {86'd0, getarg} : row;
        last        = args_left_q == 3'd1 && dst_beats == '0;
      end
      Payload: begin
        pkt_valid_o = al_valid;
        pkt_data_o  = al_data;
        last        = al_last;
      end
      default: begin
        pkt_valid_o = go;
        pkt_data_o  = hdr;
        last        = args == '0 && dst_beats == '0;
      end
    endcase
  end

  assign fire         = pkt_valid_o && pkt_ready_i;
  assign desc_ready_o = fire && last;
  assign load         = state_q == Header && fire;

  always_ff @(posedge clk_i) begin
    if (load) args_left_q <= args;
    else if (state_q == Args && fire) args_left_q <= args_left_q - 3'd1;
    if (fire) begin
      if (last) state_q <= Header;
      else if (state_q == Header) state_q <= args != '0 ? Args : Payload;
      else if (state_q == Args && args_left_q == 3'd1) state_q <= Payload;
    end
    if (rst_i) state_q <= Header;
  end

  fsh_align i_align (
      .clk_i,
      .rst_i,
      .load_i     (load),
      .prime_i    (!inline_src),
      .src_lane_i (lane),
      .dst_lane_i (hdr.addr[3:0]),
      .src_beats_i(src_beats),
      .dst_beats_i(dst_beats),
      .src_valid_i(src_valid),
      .src_ready_o(src_ready),
      .src_data_i (src_data),
      .out_valid_o(al_valid),
      .out_ready_i(state_q == Payload && pkt_ready_i),
      .out_data_o (al_data),
      .out_last_o (al_last)
  );

  assign mem_ready_o  = src_ready && lspace == fsh_spec_pkg::SPACE_SEGMENT;
  assign host_ready_o = src_ready && lspace == fsh_spec_pkg::SPACE_HOST;
  assign rows_ready_o = {2{(src_ready && inline_src) || (state_q == Args && fire && !is_get)}} &
                        {hdr.reply, !hdr.reply};

  // Source read.
  always_comb begin
    cpl        = '0;
    cpl.kind   = fsh_spec_pkg::CPL_SLOT;
    cpl.reply  = hdr.reply;
    cpl.opcode = hdr.opcode;
    cpl.node   = hdr.dst;
    cpl.tag    = hdr.tag;
    cpl.half   = half;
  end

  assign cpl_push = desc_ready_o && notify;

  fsh_fifo #(
      .WIDTH(128),
      .DEPTH(4)
  ) i_cpl (
      .clk_i,
      .rst_i,
      .valid_i(cpl_push),
      .ready_o(cpl_room),
      .data_i (cpl),
      .valid_o(cpl_valid_o),
      .ready_i(cpl_ready_i),
      .data_o (cpl_o),
      .count_o()
  );

  assign busy_o = state_q != Header || desc_valid_i;

  `FSH_ASSERT(assert_cpl, !cpl_push || cpl_room)
endmodule

`default_nettype wire
