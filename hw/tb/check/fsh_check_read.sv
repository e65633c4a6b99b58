// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Rules of AXI4 for the reads of N masters, master m in slice m of each vector: what is
/// offered stays until it is taken; a burst stays in its 4 KiB, has at most LONGEST beats,
/// all of them whole, and lies in the memory [base_i, base_i + size_i), of whose last beat
/// a part is enough (if size_i is 0, nobody has said yet where it is);
/// nothing is answered that was not asked; answers come in order, with the identifier of
/// their burst; no more than MAX beats of a master wait for their answer. All masters have
/// room for what they ask: an answer is taken in its cycle.
/// Looks on; nothing follows it. Reset forgets everything.
module fsh_check_read #(
    parameter int unsigned N       = 1,
    parameter int unsigned ADDR_W  = 40,
    parameter int unsigned BYTES   = 16,  // of a beat
    parameter int unsigned LONGEST = 65,  // beats
    parameter int unsigned MAX     = 512, // beats
    parameter bit          IDS     = 1'b0,
    parameter bit          ASIDE   = 1'b0  // the upper half of all addresses is no memory
) (
    input wire logic                clk_i,
    input wire logic                rst_i,
    input wire logic   [ADDR_W-1:0] base_i,
    input wire logic   [ADDR_W-1:0] size_i,
    input wire logic        [N-1:0] arvalid_i,
    input wire logic        [N-1:0] arready_i,
    input wire logic [N*ADDR_W-1:0] araddr_i,
    input wire logic      [N*8-1:0] arlen_i,
    input wire logic        [N-1:0] arid_i,
    input wire logic        [N-1:0] rvalid_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input wire logic        [N-1:0] rid_i  // with IDS
    /* verilator lint_on UNUSEDSIGNAL */
);
  /*verilator no_inline_module*/  // messages name the instance
  localparam int unsigned LOW = $clog2(BYTES);
  localparam logic [ADDR_W:0] SPARE = {{ADDR_W + 1 - LOW{1'b0}}, {LOW{1'b1}}};
  localparam int unsigned W = $clog2(MAX + 1);

  for (genvar m = 0; m < N; m++) begin : gen_master
    logic              take;
    logic [8:0]        asked;
    logic [W:0]        open_q;  // beats
    logic [ADDR_W-1:0] addr;
    logic [12:0]       page_end;
    logic [ADDR_W:0]   range_end, memory_end;

    assign addr       = araddr_i[m*ADDR_W+:ADDR_W];
    assign asked      = {1'b0, arlen_i[m*8+:8]} + 9'd1;
    assign page_end   = (13'(addr[11:LOW]) << LOW) + (13'(asked) << LOW);
    assign range_end  = {1'b0, addr} + ((ADDR_W+1)'(asked) << LOW);
    assign memory_end = ({1'b0, base_i} + {1'b0, size_i} + SPARE) >> LOW << LOW;
    assign take       = arvalid_i[m] && arready_i[m];

    always_ff @(posedge clk_i) begin
      if (take || rvalid_i[m])
        open_q <= open_q + (take ? (W+1)'(asked) : '0) - (W+1)'(rvalid_i[m]);
      if (rst_i) open_q <= '0;
    end

    `FSH_STABLE(arvalid_i[m], arready_i[m], {arid_i[m], asked, addr})
    `FSH_ASSERT(ar_page, !arvalid_i[m] || page_end <= 13'd4096)
    `FSH_ASSERT(ar_length, !arvalid_i[m] || asked <= 9'(LONGEST))
    `FSH_ASSERT(ar_aligned, !arvalid_i[m] || size_i == '0 || addr[LOW-1:0] == '0)
    `FSH_ASSERT(ar_memory, !arvalid_i[m] || size_i == '0 || (ASIDE && addr[ADDR_W-1]) ||
                           (addr >= base_i && range_end <= memory_end))
    `FSH_ASSERT(r_asked, !rvalid_i[m] || open_q != '0)
    `FSH_ASSERT(ar_many, open_q <= (W+1)'(MAX))

    if (IDS) begin : gen_ids
      logic [9:0]   burst[2**W];  // {id, beats}
      logic [W-1:0] head_q, tail_q;
      logic [8:0]   beat_q;

      always_ff @(posedge clk_i) begin
        if (take) begin
          burst[tail_q] <= {arid_i[m], asked};
          tail_q        <= tail_q + 1'b1;
        end
        if (rvalid_i[m]) begin
          beat_q <= beat_q + 9'd1;
          if (beat_q + 9'd1 == burst[head_q][8:0]) begin
            beat_q <= '0;
            head_q <= head_q + 1'b1;
          end
        end
        if (rst_i) {head_q, tail_q, beat_q} <= '0;
      end
      `FSH_ASSERT(r_id, !rvalid_i[m] || rid_i[m] == burst[head_q][9])
    end
  end
endmodule

`default_nettype wire
