// SPDX-License-Identifier: BSD-3-Clause
// Assertion macros of the node: the subset that Verilator and yosys both read.
//
// Include after the default_nettype line. Users have a clock clk_i and a reset
// rst_i; nothing is checked in reset. Verilator: -DFSH_CHECKED and --assert.
//
// FSH_ASSERT(name, expr)            expr holds at every clock edge
// FSH_STABLE(valid, ready, data)    what is offered stays until it is taken

`ifndef FSH_ASSERT_SVH
`define FSH_ASSERT_SVH

`ifdef FORMAL
`define FSH_ASSERT_ON
`elsif FSH_CHECKED
`define FSH_ASSERT_ON
`endif

// The default message of assert contains the instance path as a literal, so that no two instances
// of a module would share code: a checked model four times as large. $stop reports the line.
`ifdef FORMAL
`define FSH_ASSERT_FAILED(what) ;
`else
`define FSH_ASSERT_FAILED(what) \
  else begin \
    $c("VL_PRINTF(vlSelf->name());"); \
    $display(`": assertion what failed`"); \
    $stop; \
  end
`endif

`ifdef FSH_ASSERT_ON
`define FSH_ASSERT(name, expr) \
  always @(posedge clk_i) if (!rst_i) name: assert (expr) `FSH_ASSERT_FAILED(name)
`ifdef FORMAL
`define FSH_STABLE(valid, ready, data) \
  always @(posedge clk_i) \
    if (!rst_i && !$past(rst_i) && $past((valid) && !(ready))) \
      assert ((valid) && (data) == $past(data));
`else
// Registers instead of $past, which would sample before logic that depends on inputs has settled.
`define FSH_STABLE(valid, ready, data) \
  if (1) begin \
    logic stalled_q; \
    logic [$bits(data)-1:0] data_q; \
    always_ff @(posedge clk_i) begin \
      stalled_q <= !rst_i && (valid) && !(ready); \
      data_q    <= data; \
      if (!rst_i && stalled_q) assert ((valid) && (data) == data_q) `FSH_ASSERT_FAILED(stable) \
    end \
  end
`endif
`else
`define FSH_ASSERT(name, expr)
`define FSH_STABLE(valid, ready, data)
`endif

`endif
