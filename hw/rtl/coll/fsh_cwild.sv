// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Is a descriptor (colldesc) one that the engine can do? Combinational. begun_i: it is not
/// the first of its sequence.
module fsh_cwild #(
    parameter bit FP64 = 1'b1
) (
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::colldesc_t desc_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic                    begun_i,
    output logic                         wild_o
);
  logic has_own;

  assign has_own = desc_i.own || desc_i.given;

  // More than 1 << log bytes, without a carry chain.
  function automatic logic longer(input logic [23:0] bytes, input int unsigned log);
    longer = (bytes >> log) != '0 && bytes != 24'd1 << log;
  endfunction

  always_comb begin
    wild_o = desc_i.head == begun_i || desc_i.count > 5'(fsh_spec_pkg::COLL_SOURCES) ||
             (desc_i.own && desc_i.given) ||
             longer(desc_i.bytes, $clog2(fsh_spec_pkg::COLL_MOST)) ||
             (desc_i.given && (desc_i.count != '0 || longer(desc_i.bytes, 4)));
    if (desc_i.reduce) begin
      if (!fsh_coll_pkg::folds(desc_i.kind, desc_i.op)) wild_o = 1'b1;
      if (!FP64 && desc_i.kind == fsh_coll_pkg::TYPE_DOUBLE) wild_o = 1'b1;
    end else if (desc_i.count > 5'd1 || (desc_i.count == 5'd1 && desc_i.own)) begin
      wild_o = 1'b1;
    end
    if (desc_i.bfp && (desc_i.given || desc_i.count > 5'd1 || desc_i.bytes[1:0] != '0 ||
                       desc_i.kind != fsh_coll_pkg::TYPE_FLOAT ||
                       desc_i.op != fsh_coll_pkg::OP_SUM))
      wild_o = 1'b1;
    if (!has_own && desc_i.count == '0 && desc_i.bytes != '0 && !desc_i.again) wild_o = 1'b1;
    if (desc_i.again && (has_own || desc_i.count != '0 || desc_i.bfp || desc_i.reduce ||
                         desc_i.store || desc_i.post || !begun_i ||
                         longer(desc_i.bytes, $clog2(fsh_spec_pkg::MAX_PACKET))))
      wild_o = 1'b1;
    if (desc_i.eager && !fsh_coll_pkg::eager_vp(desc_i.dest_vp)) wild_o = 1'b1;
    if (desc_i.send && desc_i.dest[7:fsh_spec_pkg::NODE_W] != '0) wild_o = 1'b1;
    if ({desc_i.rsvd0, desc_i.rsvd1, desc_i.rsvd2, desc_i.rsvd3, desc_i.rsvd4} != '0)
      wild_o = 1'b1;
  end
endmodule

`default_nettype wire
