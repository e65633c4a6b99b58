// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What an item of a step is about: which source, the packet's key here and at its receiver,
/// and the move that the data path does for it (fsh_coll_pkg::MOVE_*); how much it is
/// (fsh_csize), whether the descriptor is none (fsh_cwild), and what comes next (fsh_cnext).
/// Combinational, but for how much, move and line of memory, which are taken with size_i, that
/// lasts until sized_o.
module fsh_cabout #(
    parameter int unsigned LW = 4,
    parameter int unsigned NW = 15,
    parameter int unsigned CW = 2,
    parameter int unsigned SW = 7,
    parameter bit FP64 = 1'b1
) (
    input  wire logic          clk_i,
    input  wire logic          size_i,
    input  wire logic    [2:0] item_i,
    input  wire logic          out_i,     // it is the way out
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::colldesc_t desc_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic          has_own_i,
    input  wire logic   [31:0] addr_i,    // of the descriptor
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic [NW-1:0] packet_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic    [4:0] source_i,
    input  wire logic [CW-1:0] context_i,
    input  wire logic          flip_i,    // packet 0 is in the second half
    input  wire logic          was_own_i, // the value of the step before stands with operands
    input  wire logic    [3:0] row_i,
    input  wire logic          begun_i,
    input  wire logic [SW-1:0] slot_i,
    input  wire logic    [1:0] gen_i,
    input  wire logic          eager_i,
    output logic         [7:0] source_o,
    output fsh_coll_pkg::key_t in_key_o,
    output fsh_coll_pkg::key_t out_key_o,
    output fsh_coll_pkg::move_t move_o,
    output logic               sized_o,
    output logic               many_o,
    output logic               last_packet_o,
    output logic               last_source_o,
    output logic               near_o,
    output logic      [LW+6:0] bytes_o,
    output logic      [LW+2:0] lines_o,
    output logic               wild_o,
    // What comes after it (fsh_cnext).
    input  wire logic          failed_i,
    input  wire logic          step_over_i,
    input  wire logic          held_i,
    input  wire logic          led_i,
    output logic         [2:0] after_o,
    output logic      [NW-1:0] next_packet_o,
    output logic         [4:0] next_source_o
);
  logic [127:0]  sources;
  logic    [2:0] what_q;
  logic   [31:0] line_q, post_q;
  logic          next;  // the operand is that of the packet after packet_i
  logic   [18:0] first;  // line of the value that the packet begins with
  logic    [5:0] tail;
  fsh_spec_pkg::colladdr_t addr;

  fsh_csize #(
      .LINES(1 << LW)
  ) i_size (
      .clk_i,
      .size_i,
      .item_i,
      .desc_i,
      .packet_i,
      .source_i,
      .row_i,
      .ready_o(sized_o),
      .first_o(first),
      .many_o,
      .last_packet_o,
      .last_source_o,
      .near_o,
      .bytes_o,
      .lines_o,
      .tail_o (tail)
  );

  fsh_cwild #(
      .FP64(FP64)
  ) i_wild (
      .desc_i,
      .begun_i,
      .wild_o
  );

  fsh_cnext #(
      .NW(NW)
  ) i_next (
      .item_i,
      .has_own_i,
      .has_sources_i(desc_i.count != '0),
      .failed_i,
      .last_packet_i(last_packet_o),
      .last_source_i(last_source_o),
      .step_over_i,
      .held_i,
      .led_i,
      .packet_i,
      .source_i,
      .after_o,
      .packet_o     (next_packet_o),
      .source_o     (next_source_o)
  );

  assign sources   = {desc_i.sources1, desc_i.sources0};
  assign source_o  = out_i ? desc_i.dest : sources[8*source_i[3:0]+:8];
  assign in_key_o  = {source_o[fsh_coll_pkg::NODE_W-1:0], desc_i.job, desc_i.vp, desc_i.seq,
                      8'(packet_i)};
  assign out_key_o = {desc_i.dest[fsh_coll_pkg::NODE_W-1:0], desc_i.job, desc_i.dest_vp,
                      desc_i.dest_seq, 8'(packet_i)};

  assign next      = item_i == fsh_coll_pkg::ITEM_AHEAD;

  always_comb begin
    addr       = '0;
    addr.eager = eager_i;
    addr.job   = desc_i.job;
    addr.vp    = desc_i.dest_vp;
    addr.seq   = desc_i.dest_seq;
    {addr.high, addr.low} = 8'(packet_i);
  end

  always_ff @(posedge clk_i) begin
    if (size_i) begin
      line_q <= (item_i == fsh_coll_pkg::ITEM_OUT ? desc_i.store_addr : desc_i.own_addr) +
                32'(first);
      post_q <= desc_i.post_addr + 32'(first);
      if (item_i == fsh_coll_pkg::ITEM_FETCH) line_q <= addr_i;
      unique case (item_i)
        fsh_coll_pkg::ITEM_FETCH: what_q <= fsh_coll_pkg::MOVE_FETCH;
        fsh_coll_pkg::ITEM_OWN, fsh_coll_pkg::ITEM_AHEAD:
        what_q <= desc_i.given ? fsh_coll_pkg::MOVE_GIVE : fsh_coll_pkg::MOVE_LOAD;
        fsh_coll_pkg::ITEM_OUT:   what_q <= fsh_coll_pkg::MOVE_OUT;
        default: what_q <= desc_i.reduce && (has_own_i || source_i != '0) ?
                           fsh_coll_pkg::MOVE_FOLD : fsh_coll_pkg::MOVE_COPY;
      endcase
    end
  end

  always_comb begin
    move_o.what      = what_q;
    move_o.context_  = 8'(context_i);
    move_o.half      = packet_i[0] ^ next ^ flip_i ^ desc_i.again;
    move_o.own       = has_own_i && (item_i == fsh_coll_pkg::ITEM_OUT ? desc_i.count == '0 :
                                                                        source_i == '0);
    if (desc_i.again) move_o.own = was_own_i;
    move_o.lines     = 8'(lines_o);
    move_o.tail      = tail;
    move_o.addr      = line_q;
    move_o.packet    = {16'(slot_i), gen_i, eager_i, in_key_o};
    move_o.given     = sources;
    move_o.kind      = desc_i.kind;
    move_o.op        = desc_i.op;
    move_o.send      = desc_i.send;
    move_o.store     = desc_i.store && desc_i.bytes != '0;
    move_o.post      = desc_i.post && desc_i.bytes != '0;
    move_o.post_addr = post_q;
    move_o.dest      = desc_i.dest;
    move_o.key       = addr;
    move_o.bytes     = 16'(bytes_o);
    move_o.bfp       = desc_i.bfp && desc_i.bytes != '0;
  end
endmodule

`default_nettype wire
