// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The smallest engine with all that an engine has, for tests and as an example: a
/// counter. A TOY message adds to it; the engine writes the new value to its own line of
/// the segment, PUTs it (8 bytes) to the sender's segment, and when that is done tells
/// its host (entry: tag is the low bits of the count, status that of the PUT). If asked
/// to, it then sends a message of its own to another node.
/// Answers: OK, counted; UNSUPPORTED, nothing to add; BUSY, while it is at work. It
/// never makes a message wait: its PUT is a request, whose way may lead through the queue
/// in which that message stands. Reset: nothing counted.
module fsh_toy #(
    parameter logic [39:0] LINE = 40'h0  // where its value stands in the segment
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    // Sink.
    input  wire logic                 msg_valid_i,
    output logic                      msg_ready_o,
    // verilator lint_off UNUSEDSIGNAL
    input  wire fsh_fn_pkg::msg_t     msg_i,  // answered or not, it is the same to it
    // verilator lint_on UNUSEDSIGNAL
    output logic                [3:0] msg_status_o,
    // Commands, and PUTs that are done.
    output logic                      ccmd_valid_o,
    input  wire logic                 ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t       ccmd_o,
    input  wire logic                 ack_valid_i,
    input  wire logic [fsh_spec_pkg::TAG_W-1:0] ack_tag_i,
    input  wire logic           [3:0] ack_status_i,
    // Entries for the host.
    output logic                      entry_valid_o,
    input  wire logic                 entry_ready_i,
    output fsh_spec_pkg::ring_t       entry_o,
    // Its line of device memory.
    output logic                      write_o,
    output logic               [39:0] addr_o,
    output logic               [63:0] data_o,
    output logic                      busy_o
);
  typedef enum logic [2:0] {
    Idle,
    Write,
    Put,
    Await,
    Tell,
    Pass
  } state_e;
  state_e             state_q;
  // verilator lint_off UNUSEDSIGNAL
  fsh_spec_pkg::toy_t toy, toy_q, onward;  // reserved bits among them
  // verilator lint_on UNUSEDSIGNAL
  logic [63:0]        count_q;
  logic [fsh_spec_pkg::NODE_W-1:0] src_q;
  logic [3:0]         status_q;
  logic [2:0]         tag_q;  // in turn, so that each is seen

  assign toy         = msg_i.args;
  assign msg_ready_o = 1'b1;
  always_comb begin
    msg_status_o = fsh_spec_pkg::STATUS_OK;
    if (toy.add == '0) msg_status_o = fsh_spec_pkg::STATUS_UNSUPPORTED;
    if (state_q != Idle) msg_status_o = fsh_spec_pkg::STATUS_BUSY;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        toy_q <= toy;
        src_q <= msg_i.src;
        if (msg_valid_i && toy.add != '0) begin
          count_q <= count_q + {48'd0, toy.add};
          state_q <= Write;
        end
      end
      Write: state_q <= Put;
      Put: if (ccmd_ready_i) state_q <= Await;
      Await: begin
        status_q <= ack_status_i;
        if (ack_valid_i) begin
          tag_q   <= tag_q + 3'd1;
          state_q <= Tell;
        end
      end
      Tell: if (entry_ready_i) state_q <= toy_q.pass ? Pass : Idle;
      default: if (ccmd_ready_i) state_q <= Idle;
    endcase
    if (rst_i) begin
      state_q <= Idle;
      count_q <= '0;
      tag_q   <= '0;
    end
  end

  // What it sends.
  always_comb begin
    onward      = '0;
    onward.add  = toy_q.add;
    onward.addr = toy_q.addr;
    ccmd_o      = '0;
    if (state_q == Pass) begin
      ccmd_o.kind  = fsh_spec_pkg::EKIND_MESSAGE;
      ccmd_o.dst   = 8'(toy_q.next);
      ccmd_o.laddr = onward[39:0];
    end else begin
      ccmd_o.kind   = fsh_spec_pkg::EKIND_PUT;
      ccmd_o.tag    = fsh_spec_pkg::TAG_W'(tag_q);
      ccmd_o.dst    = 8'(src_q);
      ccmd_o.laddr  = LINE;
      ccmd_o.raddr  = {18'd0, toy_q.addr, 6'd0};
      ccmd_o.length = 24'd8;
    end
  end
  assign ccmd_valid_o = state_q == Put || state_q == Pass;

  always_comb begin
    entry_o        = '0;
    entry_o.kind   = fsh_spec_pkg::CPL_TAGGED;
    entry_o.opcode = fsh_spec_pkg::OP_TOY;
    entry_o.status = status_q;
    entry_o.node   = 8'(src_q);
    entry_o.tag    = count_q[10:0];
  end
  assign entry_valid_o = state_q == Tell;

  assign write_o = state_q == Write;
  assign addr_o  = LINE;
  assign data_o  = count_q;
  assign busy_o  = state_q != Idle && state_q != Await;

  `FSH_ASSERT(assert_ack, !ack_valid_i || state_q == Await)
  `FSH_ASSERT(assert_tag, !ack_valid_i || ack_tag_i == fsh_spec_pkg::TAG_W'(tag_q))
endmodule

`default_nettype wire
