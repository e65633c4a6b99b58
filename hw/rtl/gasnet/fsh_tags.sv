// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The tag table: what each tag of this node is in use for, from the cycle in which the scheduler
/// accepts its command until its operation ends, so that receivers can recognise requested
/// answers. Both receivers share one read port, whose entry is available in the next cycle and
/// stays until the next read; they avoid conflicts themselves. The end of a tag waits while
/// commands are accepted (end_ready_o). After reset no tag is known to be free: the completion
/// unit ends them all.
module fsh_tags (
    input  wire logic                        clk_i,
    input  wire logic                        rst_i,
    // A command of the request channel is accepted; limit_i: end of its local range.
    input  wire logic                        valid_i,
    input  wire fsh_spec_pkg::cmd_t          cmd_i,
    input  wire logic                 [40:0] limit_i,
    input  wire logic                        end_valid_i,
    input  wire logic [fsh_spec_pkg::TAG_W-1:0] end_tag_i,
    output      logic                        end_ready_o,
    input  wire logic                  [1:0] re_i,
    input  wire logic [fsh_spec_pkg::TAG_W-1:0] tag0_i,
    input  wire logic [fsh_spec_pkg::TAG_W-1:0] tag1_i,
    output      fsh_fn_pkg::tag_t            tag_o,
    output      logic                        busy_o
);
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;
  logic             ended_q;
  logic [TAG_W-1:0] ended_tag_q;
  fsh_fn_pkg::tag_t entry;
  logic             is_get, set;

  assign is_get = cmd_i.opcode == fsh_spec_pkg::OP_GET;
  assign set    = valid_i && (cmd_i.ack || is_get) && cmd_i.opcode < fsh_spec_pkg::OP_LIBRARY;

  assign end_ready_o = !ended_q;
  assign busy_o      = ended_q;

  always_ff @(posedge clk_i) begin
    if (end_valid_i && !ended_q) begin
      ended_q     <= 1'b1;
      ended_tag_q <= end_tag_i;
    end else if (!set) begin
      ended_q <= 1'b0;
    end
    if (rst_i) ended_q <= 1'b0;
  end

  always_comb begin
    entry      = 'x;  // the rest is unused unless live
    entry.live = set;
    if (set) begin
      entry.get   = is_get;
      entry.node  = cmd_i.dst[fsh_spec_pkg::NODE_W-1:0];
      entry.host  = cmd_i.lspace == fsh_spec_pkg::SPACE_HOST;
      entry.addr  = cmd_i.laddr;
      entry.limit = limit_i;
    end
  end

  fsh_ram #(
      .WIDTH($bits(entry)),
      .DEPTH(fsh_spec_pkg::NUM_TAGS)
  ) i_ram (
      .clk_i,
      .we_i   (set || ended_q),
      .waddr_i(set ? cmd_i.tag[TAG_W-1:0] : ended_tag_q),
      .wdata_i(entry),
      .re_i   (re_i != '0),
      .raddr_i(re_i[0] ? tag0_i : tag1_i),
      .rdata_o(tag_o)
  );

  `FSH_ASSERT(assert_one_reader, re_i != 2'b11)
endmodule

`default_nettype wire
