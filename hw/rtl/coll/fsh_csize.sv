// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// How much of a step is in hand: bytes and lines of its packet packet_i, of item AHEAD of
/// the one after it (of the last one what is left, behind it none), and whether it is the
/// last packet, the last source. What goes nowhere has no lines, an empty packet that goes
/// somewhere has one. Of an encoded packet lines and tail_o (bytes in the last line, 0: 64) are
/// those of FP32.
/// Registers, taken with size_i, which lasts until ready_o: two cycles for encoded packets,
/// whose first line (first_o) takes a multiplication, otherwise one.
module fsh_csize #(
    parameter int unsigned LINES = 16,
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned PW = LW + 6,
    localparam int unsigned NW = 25 - PW
) (
    input  wire logic          clk_i,
    input  wire logic          size_i,
    input  wire logic    [2:0] item_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::colldesc_t desc_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic [NW-1:0] packet_i,
    input  wire logic    [4:0] source_i,
    input  wire logic    [3:0] row_i,    // lines of a fetch
    output logic               ready_o,
    output logic        [18:0] first_o,  // line of the value that the packet begins with; now
    output logic               many_o,   // the step has several packets; now
    output logic               last_packet_o,
    output logic               last_source_o,
    output logic               near_o,    // two packets of the step are behind it, at most
    output logic        [PW:0] bytes_o,
    output logic      [LW+2:0] lines_o,
    output logic         [5:0] tail_o
);
  localparam logic [19:0] MOST = 20'(fsh_coll_pkg::BFP_LINES);

  logic [NW-1:0] whole, at;
  logic [23:0]   total;
  logic          partial, full, coded, some, twice_q, coded_q;
  logic [18:0]   first_q, total_q;
  logic [19:0]   left;  // lines, encoded
  logic [PW:0]   bytes_q;

  assign total   = desc_i.bytes;
  assign whole   = NW'(total >> PW);
  assign partial = total[PW-1:0] != '0;
  assign at      = packet_i + NW'(item_i == fsh_coll_pkg::ITEM_AHEAD);
  assign full    = at < whole;
  assign some    = desc_i.send || ((desc_i.store || desc_i.post) && total != '0);

  // During a fetch desc_i is what was there before.
  assign coded   = desc_i.bfp && total != '0 && item_i != fsh_coll_pkg::ITEM_FETCH;
  assign left    = {1'b0, total_q} - {1'b0, first_q};
  assign ready_o = !coded || twice_q;
  assign first_o = coded ? first_q : 19'(at) << LW;
  assign many_o  = total > (coded ? 24'(64 * fsh_coll_pkg::BFP_LINES) : 24'(1 << PW));
  // The lines of values, four blocks each, and a byte a block (fsh_cpack).
  assign bytes_o = coded_q ? {(LW + 1)'((lines_o + (LW + 3)'(3)) >> 2), lines_o[5:0]} : bytes_q;

  always_ff @(posedge clk_i) begin
    twice_q <= size_i && coded && !twice_q;
    first_q <= (19'(at) << 6) - (19'(at) << 2);
    total_q <= {1'b0, total[23:6]} + 19'(total[5:0] != '0);
  end

  always_ff @(posedge clk_i) begin
    if (size_i) begin
      last_packet_o <= !full || (at + 1'b1 == whole && !partial);
      near_o        <= at + NW'(3) >= whole;
      last_source_o <= source_i + 5'd1 >= desc_i.count;
      coded_q       <= coded;
      bytes_q       <= full ? (PW + 1)'(1 << PW) : {1'b0, total[PW-1:0]};
      tail_o        <= full ? '0 : total[5:0];
      lines_o       <= full ? (LW + 3)'(LINES) :
                       {3'b0, total[PW-1:6]} + (LW + 3)'(total[5:0] != '0);
      if (at > whole) lines_o <= '0;
      if (coded) begin
        last_packet_o <= left[19] || left <= MOST;
        near_o        <= left[19] || left <= 3 * MOST;
        tail_o        <= left[19] || left <= MOST ? total[5:0] : '0;
        lines_o       <= left[19] ? '0 : left > MOST ? (LW + 3)'(MOST) : left[LW+2:0];
      end
      if (item_i == fsh_coll_pkg::ITEM_FETCH) lines_o <= (LW + 3)'(row_i);
      if (item_i == fsh_coll_pkg::ITEM_OUT && !some) lines_o <= '0;
      if (item_i == fsh_coll_pkg::ITEM_OUT && some && total == '0) lines_o <= (LW + 3)'(1);
    end
  end
endmodule

`default_nettype wire
