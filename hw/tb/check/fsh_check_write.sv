// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Rules of AXI4 for the writes of N masters, master m in slice m of each vector: what is
/// offered stays until it is taken; a burst stays in its 4 KiB, has at most LONGEST beats,
/// all of them whole, and lies in the memory [base_i, base_i + size_i), of whose last beat
/// a part is enough (if size_i is 0, nobody has said yet where it is);
/// its last beat is marked, and no other; it is answered once, after its last beat; no more
/// than MAX of a master wait for their answer. Data may come before its address.
/// Looks on; nothing follows it. Reset forgets everything.
module fsh_check_write #(
    parameter int unsigned N       = 1,
    parameter int unsigned ADDR_W  = 40,
    parameter int unsigned BYTES   = 16,  // of a beat
    parameter int unsigned LONGEST = 65,  // beats
    parameter int unsigned MAX     = 32   // bursts
) (
    input wire logic                 clk_i,
    input wire logic                 rst_i,
    input wire logic    [ADDR_W-1:0] base_i,
    input wire logic    [ADDR_W-1:0] size_i,
    input wire logic         [N-1:0] awvalid_i,
    input wire logic         [N-1:0] awready_i,
    input wire logic  [N*ADDR_W-1:0] awaddr_i,
    input wire logic       [N*8-1:0] awlen_i,
    input wire logic         [N-1:0] wvalid_i,
    input wire logic         [N-1:0] wready_i,
    input wire logic [N*BYTES*8-1:0] wdata_i,
    input wire logic   [N*BYTES-1:0] wstrb_i,
    input wire logic         [N-1:0] wlast_i,
    input wire logic         [N-1:0] bvalid_i,
    input wire logic         [N-1:0] bready_i
);
  /*verilator no_inline_module*/  // messages name the instance
  localparam int unsigned LOW = $clog2(BYTES);
  localparam logic [ADDR_W:0] SPARE = {{ADDR_W + 1 - LOW{1'b0}}, {LOW{1'b1}}};
  localparam int unsigned SLOT_W = $clog2(MAX + 1);

  for (genvar m = 0; m < N; m++) begin : gen_master
    // Lengths: of bursts whose data has not ended, or, if behind_q is negative, of data
    // that is ahead of its address.
    logic [8:0]               length[2**SLOT_W];
    logic [SLOT_W-1:0]        head_q, tail_q;
    logic signed [SLOT_W+1:0] behind_q;  // addresses taken - bursts of data ended
    logic [SLOT_W:0]          open_q, whole_q;  // not answered; of these without data to come
    logic [8:0]               beat_q;
    logic                     aw_take, w_take, w_end, known, whole, b_take;
    logic [8:0]               asked, beats, expected;
    logic [ADDR_W-1:0]        addr;
    logic [12:0]              page_end;
    logic [ADDR_W:0]          range_end, memory_end;

    assign addr       = awaddr_i[m*ADDR_W+:ADDR_W];
    assign asked      = {1'b0, awlen_i[m*8+:8]} + 9'd1;
    assign page_end   = (13'(addr[11:LOW]) << LOW) + (13'(asked) << LOW);
    assign range_end  = {1'b0, addr} + ((ADDR_W+1)'(asked) << LOW);
    assign memory_end = ({1'b0, base_i} + {1'b0, size_i} + SPARE) >> LOW << LOW;
    assign aw_take    = awvalid_i[m] && awready_i[m];
    assign w_take     = wvalid_i[m] && wready_i[m];
    assign w_end      = w_take && wlast_i[m];
    assign b_take     = bvalid_i[m] && bready_i[m];
    assign beats      = beat_q + 9'd1;
    assign known      = behind_q > 0 || (behind_q == 0 && aw_take);
    assign expected   = behind_q > 0 ? length[head_q] : asked;

    // Whole with its last beat, or with its address if that comes later.
    assign whole      = behind_q < 0 ? aw_take : w_end && known;

    always_ff @(posedge clk_i) begin
      if (w_take) beat_q <= wlast_i[m] ? '0 : beats;
      if (aw_take != w_end) begin
        // One more in the row, of whichever is ahead, or one less.
        if (aw_take ? behind_q >= 0 : behind_q <= 0) begin
          length[tail_q] <= aw_take ? asked : beats;
          tail_q         <= tail_q + 1'b1;
        end else begin
          head_q <= head_q + 1'b1;
        end
        behind_q <= aw_take ? behind_q + (SLOT_W+2)'(1) : behind_q - (SLOT_W+2)'(1);
      end else if (aw_take && behind_q != 0) begin
        length[tail_q] <= behind_q > 0 ? asked : beats;
        tail_q         <= tail_q + 1'b1;
        head_q         <= head_q + 1'b1;
      end
      if (aw_take != b_take) open_q <= aw_take ? open_q + 1'b1 : open_q - 1'b1;
      if (whole != b_take) whole_q <= whole ? whole_q + 1'b1 : whole_q - 1'b1;
      if (rst_i) begin
        {head_q, tail_q, behind_q, open_q, whole_q, beat_q} <= '0;
      end
    end

    `FSH_STABLE(awvalid_i[m], awready_i[m], {asked, addr})
    `FSH_STABLE(wvalid_i[m], wready_i[m], {wlast_i[m], wstrb_i[m*BYTES+:BYTES],
                                           wdata_i[m*BYTES*8+:BYTES*8]})
    `FSH_ASSERT(aw_page, !awvalid_i[m] || page_end <= 13'd4096)
    `FSH_ASSERT(aw_length, !awvalid_i[m] || asked <= 9'(LONGEST))
    `FSH_ASSERT(aw_aligned, !awvalid_i[m] || size_i == '0 || addr[LOW-1:0] == '0)
    `FSH_ASSERT(aw_memory, !awvalid_i[m] || size_i == '0 ||
                           (addr >= base_i && range_end <= memory_end))
    `FSH_ASSERT(w_last, !w_take || !known || wlast_i[m] == (beats == expected))
    `FSH_ASSERT(w_longer, !w_take || beats <= 9'(LONGEST))
    `FSH_ASSERT(aw_shorter, !aw_take || behind_q >= 0 || asked == length[head_q])
    `FSH_ASSERT(b_asked, !b_take || whole_q != '0)
    `FSH_ASSERT(aw_many, open_q <= (SLOT_W+1)'(MAX))
    `FSH_ASSERT(w_many, behind_q >= -$signed((SLOT_W+2)'(MAX)))
  end
endmodule

`default_nettype wire
