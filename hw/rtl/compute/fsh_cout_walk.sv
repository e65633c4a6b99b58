// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Walks a tile: gives its quads in order, one a cycle, the groups of extents
/// behind them, and asks for C and the bias (first the bias, a beat a column
/// group, then C, quad by quad). Three cycles from a tile taken to its first
/// quad. Before the first quad of a command it waits until all results of
/// the commands before are written (C may be read or written again, on another
/// lane): drained_i, nothing is left in fsh_cout, then the counts of fsh_cwrite.
/// For each answer that will come, one entry in kind_*, in order:
/// {parity of the command, half of the bias memory, bias}.
/// Quads without a beat to write (columns beyond n) carry no mask. Reset: no tile.
module fsh_cout_walk (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                tile_valid_i,
    output logic                     tile_ready_o,
    input  fsh_cout_pkg::tile_t      tile_i,
    input  wire logic                hold_i,   // take no tile
    output logic                     start_o,  // a tile is taken
    output logic                     slot_o,   // half of the bias memory it will use
    input  wire logic                drained_i,
    input  wire logic         [31:0] issued_i,
    input  wire logic         [31:0] done_i,
    output logic                     quad_valid_o,
    input  wire logic                quad_ready_i,
    output fsh_cout_pkg::quad_t      quad_o,
    output logic                     group_valid_o,
    input  wire logic                group_ready_i,
    output fsh_cout_pkg::group_t     group_o,
    input  wire logic                c_room_i,  // for one more quad of C
    output logic                     c_ask_o,
    output logic                     req_valid_o,
    input  wire logic                req_ready_i,
    output fsh_cout_pkg::read_t      req_o,
    input  wire logic                kind_ready_i,
    output logic               [2:0] kind_o,
    output logic                     busy_o
);
  typedef enum logic [2:0] {
    Idle,
    Multiply,
    Base,
    Drain,
    Sample,
    Settle,
    Walk
  } state_e;
  state_e              state_q;
  fsh_cout_pkg::tile_t tile_q;
  logic                slot_q;
  logic [31:0]         by_row_q, by_group_q;  // products
  logic [31:0]         lo_q, row_q, plane_q;  // first lane; its row; its plane
  logic [22:0]         step_q;                // from row group to row group
  logic [23:0]         rem_q, rem_start_q;    // rows (pixels of the row) still to come
  logic [23:0]         col_q, col_start_q;    // columns still to come
  logic [11:0]         tile_cols_q;           // of this tile
  logic [7:0]          xg_q, wg_q;
  logic [6:0]          index_q;
  logic                half_q, go, pair_over, last_x, last_w, c_need, bias_go;
  logic [7:0]          bias_left_q;
  logic [31:0]         bias_addr_q, snap_q;
  logic [3:0]          settled_q, rows;
  logic [4:0]          columns;
  logic [3:0]          mask;

  assign tile_ready_o = state_q == Idle && bias_left_q == '0 && !hold_i;
  assign start_o      = tile_ready_o && tile_valid_i;
  assign slot_o       = !slot_q;

  // Where the quad lies.
  assign rows      = rem_q[23:3] != '0 ? 4'd8 : rem_q[3:0];
  assign columns   = col_q[23:4] != '0 ? 5'd16 : col_q[4:0];
  assign pair_over = half_q || rows <= 4'd4;
  assign last_x    = xg_q + 8'd1 == tile_q.x_groups;
  assign last_w    = wg_q + 8'd1 == tile_q.w_groups;

  always_comb begin
    for (int l = 0; l < 4; l++)
      mask[l] = columns != '0 && {1'b0, half_q, 2'(l)} < rows;
  end

  assign c_need        = tile_q.accumulate && mask != '0;
  assign group_valid_o = go && quad_o.mark;
  assign quad_valid_o  = go;
  assign c_ask_o       = go && c_need;
  assign go            = state_q == Walk && quad_ready_i && group_ready_i &&
                         (!c_need || (bias_left_q == '0 && c_room_i && req_ready_i &&
                                      kind_ready_i));
  assign bias_go       = bias_left_q != '0 && req_ready_i && kind_ready_i;

  always_comb begin
    quad_o.second  = half_q;
    quad_o.bank    = tile_q.bank;
    quad_o.index   = index_q;
    quad_o.two     = tile_q.accumulate && tile_q.bias;
    quad_o.add_c   = c_need;
    quad_o.add_b   = tile_q.bias && columns != '0;
    quad_o.bias_at = {slot_q, wg_q[6:0]};
    quad_o.over    = pair_over && last_x && last_w;
    quad_o.mark    = pair_over && (tile_q.conv || last_w);
    quad_o.relu    = tile_q.relu;
    quad_o.conv    = tile_q.conv;
    quad_o.flat    = 1'b0;
    quad_o.parity  = tile_q.parity;
    quad_o.columns = columns;
    quad_o.mask    = mask;
    quad_o.stride  = tile_q.conv ? 20'd1 : tile_q.ldc;
    quad_o.addr    = lo_q + (!half_q ? 32'd0 : tile_q.conv ? 32'd4 :
                             {10'd0, tile_q.ldc, 2'd0});
  end

  always_comb begin
    group_o.last   = tile_q.last && last_x && last_w;
    group_o.parity = tile_q.parity;
    group_o.rows   = tile_q.conv || rows == '0 ? 4'd1 : rows;
    group_o.stride = tile_q.ldc;
    group_o.addr   = tile_q.conv ? lo_q : row_q;
    group_o.bytes  = tile_q.conv ? (columns == '0 ? 14'd0 : {4'd0, rows, 6'd0}) :
                     rows == '0 ? 14'd0 : {tile_cols_q, 2'd0};
  end

  assign req_valid_o = bias_go || c_ask_o;
  assign kind_o      = {tile_q.parity, slot_q, bias_left_q != '0};
  always_comb begin
    req_o = {quad_o.addr, quad_o.stride, mask};
    if (bias_left_q != '0) req_o = {bias_addr_q, 20'd0, 4'b0001};
  end

  // Next place: of one of three steps, the sum.
  logic [31:0] from, by, next;
  logic        next_row, next_plane;

  assign next_plane = tile_q.conv && last_x;
  assign next_row   = tile_q.conv ? rem_q <= 24'd8 : last_w;

  always_comb begin
    from = lo_q;
    by   = tile_q.conv ? 32'd8 : 32'd1;
    if (next_row) begin
      from = row_q;
      by   = tile_q.conv ? {12'd0, tile_q.ldc} : {9'd0, step_q};
    end
    if (next_plane) begin
      from = plane_q;
      by   = tile_q.out_plane;
    end
    next = from + by;
  end

  // A tile's own numbers, in three steps.
  logic [23:0] group_col, after_col;

  assign group_col = {tile_q.w_group, 4'd0};
  assign after_col = tile_q.n - group_col;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (start_o) tile_q <= tile_i;
      end
      Multiply: begin
        by_row_q    <= 32'(tile_q.row * 32'(tile_q.ldc));
        by_group_q  <= tile_q.conv ? 32'(tile_q.w_group * tile_q.out_plane) :
                       {12'd0, tile_q.w_group};
        col_start_q <= tile_q.n > group_col ? after_col : '0;
        rem_start_q <= tile_q.conv ? {8'd0, tile_q.out_w} :
                       tile_q.m > tile_q.row ? tile_q.m - tile_q.row : '0;
        step_q      <= {tile_q.ldc, 3'd0};
      end
      Base: begin
        lo_q        <= tile_q.c_addr + by_row_q + by_group_q;
        row_q       <= tile_q.c_addr + by_row_q + by_group_q;
        plane_q     <= tile_q.c_addr + by_row_q + by_group_q;
        rem_q       <= rem_start_q;
        col_q       <= col_start_q;
        tile_cols_q <= col_start_q < {12'd0, tile_q.w_groups, 4'd0} ? col_start_q[11:0] :
                       {tile_q.w_groups, 4'd0};
        xg_q        <= '0;
        wg_q        <= '0;
        index_q     <= '0;
        half_q      <= 1'b0;
      end
      Walk: begin
        if (go && !pair_over) half_q <= 1'b1;
        if (go && pair_over) begin
          half_q <= 1'b0;
          lo_q   <= next;
          if (next_row || next_plane) row_q <= next;
          if (next_plane) plane_q <= next;
          if (tile_q.conv) begin
            xg_q    <= last_x ? '0 : xg_q + 8'd1;
            wg_q    <= last_x ? wg_q + 8'd1 : wg_q;
            index_q <= index_q + 7'd1;
            rem_q   <= last_x || next_row ? rem_start_q : rem_q - 24'd8;
            if (last_x) col_q <= col_q[23:4] != '0 ? col_q - 24'd16 : '0;
          end else begin
            wg_q    <= last_w ? '0 : wg_q + 8'd1;
            xg_q    <= last_w ? xg_q + 8'd1 : xg_q;
            index_q <= last_w ? xg_q[6:0] + 7'd1 : index_q + tile_q.x_groups[6:0];
            col_q   <= last_w ? col_start_q : col_q[23:4] != '0 ? col_q - 24'd16 : '0;
            if (last_w) rem_q <= rem_q[23:3] != '0 ? rem_q - 24'd8 : '0;
          end
        end
      end
      default: ;
    endcase
    if (state_q == Base) begin
      bias_addr_q <= tile_q.b_addr + {12'd0, tile_q.w_group};
    end else if (bias_go) begin
      bias_addr_q <= bias_addr_q + 32'd1;
    end
  end

  // Bias is read for column groups of the matrix only.
  logic [23:0] col_groups;

  assign col_groups = (col_start_q + 24'd15) >> 4;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (start_o) state_q <= Multiply;
      Multiply: state_q <= Base;
      Base: state_q <= tile_q.first && !(drained_i && issued_i == done_i) ? Drain : Walk;
      Drain: if (drained_i) state_q <= Sample;
      Sample: state_q <= Settle;
      Settle: if (settled_q == '1) state_q <= Walk;
      default: if (go && quad_o.over) state_q <= Idle;
    endcase
    if (start_o) slot_q <= !slot_q;
    if (state_q == Base) begin
      bias_left_q <= !tile_q.bias ? '0 : col_groups < {16'd0, tile_q.w_groups} ?
                     col_groups[7:0] : tile_q.w_groups;
    end else if (bias_go) begin
      bias_left_q <= bias_left_q - 8'd1;
    end
    if (state_q == Sample) begin
      snap_q    <= issued_i;
      settled_q <= '0;
    end
    for (int l = 0; l < 4; l++)
      if (state_q == Settle && done_i[l*8+:8] - snap_q[l*8+:8] < 8'd128) settled_q[l] <= 1'b1;
    if (rst_i) begin
      state_q     <= Idle;
      slot_q      <= 1'b0;
      bias_left_q <= '0;
    end
  end

  assign busy_o = state_q != Idle || bias_left_q != '0 || tile_valid_i;

  `FSH_ASSERT(a_quad, !quad_valid_o || quad_ready_i)
  `FSH_ASSERT(a_group, !group_valid_o || group_ready_i)
  `FSH_ASSERT(a_tile, !start_o || (tile_i.x_groups != '0 && tile_i.w_groups != '0 &&
                                   16'(tile_i.x_groups) * 16'(tile_i.w_groups) <= 16'd128))
endmodule

`default_nettype wire
