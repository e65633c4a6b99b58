// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Judges a header for a receiver: whether its access is permitted, and who is told if not. A
/// tagged request that is not permitted is refused: answered with its status.
/// A host-bound message out of range is delivered with its status; likewise a GET whose data
/// would exceed the requested range ends. Everything else that is wrong is dropped: a sender that
/// does not exist, or that is this node although the packet came from outside; a tag or length
/// that no node sends; an answer to nothing requested from that node (a bare error may come from
/// any node, namely where a request was terminated); an untagged request for which there is no
/// unit. A packet for another node has reached the maximum number of hops (fsh_parse).
/// Combinational; outputs are meaningful only with valid_i.
module fsh_judge (
    input  wire logic                   valid_i,
    input  wire logic             [7:0] node_i,
    input  wire logic             [7:0] nodes_i,
    input  wire logic            [39:0] seg_size_i,
    input  wire fsh_spec_pkg::hdr_t     hdr_i,
    input  wire logic            [40:0] end_i,   // of its payload; of what a GET reads
    input  wire logic                   loop_i,  // it comes from this node
    input  wire fsh_fn_pkg::tag_t       tag_i,   // for an answer
    output fsh_fn_pkg::verdict_t        verdict_o
);
  // Excluded from waves, so that a simulator keeps them in registers.
  /* verilator tracing_off */
  logic        is_put, is_get, is_msg, is_answer, is_reply, is_medium, is_unit, is_dead;
  logic        to_host, to_mem, has_pay, from_peer, fits, in_range, asked, drop, refuse, alien;
  logic        low, below_page, below_line, too_long, is_coll, asks_well, served;
  /* verilator tracing_on */

  localparam int unsigned PAGE = $clog2(fsh_spec_pkg::MAX_MEDIUM);
  localparam int unsigned LINE = $clog2(fsh_spec_pkg::BEAT_BYTES);
  localparam int unsigned PACKET = $clog2(fsh_spec_pkg::MAX_PACKET);

  always_comb begin
    {is_put, is_get, is_msg, is_answer, is_reply, is_medium, is_unit, is_dead} = 'x;
    {to_host, to_mem, has_pay, from_peer, fits, in_range, asked, drop, refuse, alien} = 'x;
    {low, below_page, below_line, too_long, is_coll, asks_well, served} = 'x;
    verdict_o = 'x;
    if (valid_i) begin
      is_put     = hdr_i.opcode == fsh_spec_pkg::OP_PUT;
      is_get     = hdr_i.opcode == fsh_spec_pkg::OP_GET;
      is_msg     = fsh_spec_pkg::takers(hdr_i.opcode) != '0;
      is_reply   = hdr_i.opcode == fsh_spec_pkg::OP_GET_REPLY;
      // A packet of the collective engine: no address and no answer.
      is_coll    = is_put && hdr_i.space == fsh_spec_pkg::SPACE_COLLECTIVE && !hdr_i.ack &&
                   !hdr_i.reply;
      is_answer  = is_reply || hdr_i.opcode == fsh_spec_pkg::OP_PUT_ACK;
      to_host    = hdr_i.opcode >= fsh_spec_pkg::OP_LIBRARY;
      is_medium  = to_host && hdr_i.category == fsh_spec_pkg::CAT_MEDIUM;
      is_unit    = is_put || is_get || is_msg || is_answer || to_host;
      is_dead    = {1'b0, hdr_i.dst} != node_i;
      to_mem     = hdr_i.space == fsh_spec_pkg::SPACE_SEGMENT && !is_medium;
      has_pay    = hdr_i.bytes != '0;
      asked      = (is_get || hdr_i.ack) && !to_host && !is_answer;

      // Ranges. A strict comparison is just a carry chain. fits: no burst crosses 4 KiB, and the
      // number of beats is correct.
      low        = end_i[40:PAGE+1] == '0;
      below_page = low && (!end_i[PAGE] || end_i[PAGE-1:0] == '0);
      below_line = low && end_i[PAGE:LINE+1] == '0 &&
                   (!end_i[LINE] || end_i[LINE-1:0] == '0);
      too_long   = hdr_i.bytes[PACKET] && hdr_i.bytes[PACKET-1:0] != '0;
      fits       = !too_long &&
                   (end_i[12] == hdr_i.addr[12] || end_i[11:0] == '0);

      if (is_medium) asks_well = fits && below_page;
      else if (to_mem) asks_well = (fits || is_get) && !(end_i > {1'b0, seg_size_i});
      else if (is_coll) asks_well = 1'b1;
      else asks_well = is_put && hdr_i.space == fsh_spec_pkg::SPACE_HOST && below_line;
      in_range = asks_well;
      if (is_reply)
        in_range = fits && hdr_i.space == {1'b0, tag_i.host} && !(hdr_i.addr < tag_i.addr) &&
                   !(end_i > tag_i.limit);
      if (is_get ? hdr_i.total == '0 : !has_pay) {asks_well, in_range} = '1;

      // Headers that no node sends, and answers that were not requested.
      from_peer = hdr_i.src[fsh_spec_pkg::NODE_W-1:0] == tag_i.node && is_reply == tag_i.get;
      alien     = !({1'b0, hdr_i.src} < nodes_i) || hdr_i.tag[6] ||
                  (!is_dead && ({1'b0, hdr_i.src} == node_i) != loop_i);
      if (to_host)
        drop = hdr_i.tag[5:4] != '0 || (hdr_i.nargs[4] && hdr_i.nargs[3:0] != '0) || is_dead ||
               hdr_i.category > fsh_spec_pkg::CAT_LONG ||
               (hdr_i.category == fsh_spec_pkg::CAT_SHORT && has_pay) || too_long;
      else if (is_answer)
        drop = !hdr_i.reply || is_dead || !tag_i.live || (has_pay && !is_reply) ||
               (!from_peer && (has_pay || hdr_i.status == fsh_spec_pkg::STATUS_OK));
      else
        drop = (hdr_i.reply && (asked || !is_put)) || ((is_dead || !is_unit) && !asked) ||
               (is_msg && is_dead && {1'b0, hdr_i.src} == node_i) ||  // its entry is meaningful
               ((is_get || is_msg) &&
                (!hdr_i.first || has_pay || fsh_fn_pkg::arg_beats(hdr_i.nargs) != 3'd1));
      drop   = drop || alien;
      refuse = (is_dead || !is_unit || !in_range) && !drop;
      // What is served is no reply: it does not wait for the tag's range.
      served = (is_get || is_msg) && !is_dead && asks_well && !drop;

      verdict_o.drop    = drop;
      verdict_o.refuse  = refuse;
      verdict_o.served  = served;
      verdict_o.asked   = asked;
      verdict_o.writes  = has_pay && !refuse && !drop && !is_coll;
      verdict_o.to_coll = is_coll && !refuse && !drop;
      verdict_o.to_host = to_host;
      verdict_o.to_mem  = to_mem;
      verdict_o.to_line = is_put && !to_mem;
      verdict_o.to_slot = is_medium;
      verdict_o.status  = is_dead ? fsh_spec_pkg::STATUS_BAD_NODE :
                          !is_unit ? fsh_spec_pkg::STATUS_UNSUPPORTED :
                          !in_range ? fsh_spec_pkg::STATUS_REMOTE_RANGE : hdr_i.status;
    end
  end
endmodule

`default_nettype wire
