// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One copy of the route table: written through the registers, read combinationally; disabled
/// ports (ports_i) are masked out. While nobody looks at path_o (look_i is low) it is anything.
/// Distributed RAM; contents undefined until written.
module fsh_route #(
    parameter int unsigned PORTS = 2
) (
    input  wire logic                            clk_i,
    input  wire fsh_node_pkg::route_t            route_i,
    input  wire logic   [PORTS-1:0] ports_i,
    input  wire logic                            look_i,
    input  wire logic [fsh_spec_pkg::NODE_W-1:0] node_i,
    output fsh_fn_pkg::path_t                    path_o
);
  (* ram_style = "distributed" *) logic [2*PORTS-1:0] mem[fsh_spec_pkg::MAX_NODES];
  logic [PORTS-1:0] vcs, ports;

  always_ff @(posedge clk_i) begin
    if (route_i.we) mem[route_i.node] <= {route_i.vcs[PORTS-1:0], route_i.ports[PORTS-1:0]};
  end

  always_comb begin
    {vcs, ports} = 'x;
    path_o       = 'x;
    if (look_i) begin
      {vcs, ports}            = mem[node_i];
      path_o                  = '0;
      path_o.ports[PORTS-1:0] = ports & ports_i;
      path_o.vcs[PORTS-1:0]   = vcs;
    end
  end
endmodule

`default_nettype wire
