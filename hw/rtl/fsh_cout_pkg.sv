// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Records between the units of the compute core that come after the array:
/// results, writes, automatic remote transfer. Addresses and leading dimensions
/// are segment offsets in units of 64 bytes where nothing else is said.
package fsh_cout_pkg;
  localparam int unsigned LANES = 4;         // AXI masters of 512 bits

  /// A tile in a bank of the array, ready to be drained. Accumulator of x group
  /// g and column group w (counted in the tile): w * x_groups + g.
  typedef struct packed {
    logic        first;       // of its command
    logic        last;        // of its command
    logic        parity;      // of its command
    logic        bank;
    logic        conv;
    logic        accumulate;
    logic        bias;
    logic        relu;
    logic [7:0]  x_groups;    // groups of 8: 1..128; CONV: rows * ceil(out_w / 8)
    logic [7:0]  w_groups;    // groups of 16 columns, x_groups * w_groups <= 128
    logic [23:0] row;         // first row, a multiple of 8; CONV: first row of the output
    logic [19:0] w_group;     // first column group
    logic [31:0] c_addr;
    logic [31:0] b_addr;
    logic [31:0] out_plane;
    logic [19:0] ldc;
    logic [23:0] m;
    logic [23:0] n;
    logic [15:0] out_w;
  } tile_t;

  /// A read of fsh_cread: lane l reads addr + l * stride if mask[l].
  typedef struct packed {
    logic [31:0] addr;
    logic [19:0] stride;
    logic [3:0]  mask;
  } read_t;

  /// Four beats of results inside fsh_cout: lane l goes to addr + l * stride if
  /// mask[l]; columns counts the valid ones of a beat.
  typedef struct packed {
    logic        second;   // half of what one read of the array gives
    logic        bank;
    logic [6:0]  index;
    logic        two;      // passes through the adders, of all quads of the tile
    logic        add_c;    // C was asked for
    logic        add_b;
    logic [7:0]  bias_at;  // where the bias of its columns is kept
    logic        over;     // last quad of the tile
    logic        mark;     // last quad of a group of extents
    logic        relu;
    logic        conv;
    logic        flat;     // one row: columns counts those of the last beat
    logic        parity;
    logic [4:0]  columns;
    logic [3:0]  mask;
    logic [19:0] stride;
    logic [31:0] addr;
  } quad_t;

  /// Extents of `rows` rows: bytes from addr, from addr + stride, ...
  typedef struct packed {
    logic        last;    // of the command: its last row
    logic        parity;
    logic [3:0]  rows;    // at least 1
    logic [19:0] stride;
    logic [13:0] bytes;   // of a row
    logic [31:0] addr;
  } group_t;

  /// Bytes of one command next to each other in memory, all handed to
  /// fsh_cwrite. They are written when done has reached `issued` on every lane.
  typedef struct packed {
    logic        last;    // nothing more of this command in this stream
    logic        parity;  // of the command
    logic [31:0] issued;  // by lane, modulo 256
    logic [23:0] bytes;   // a multiple of 4, may be 0
    logic [37:0] addr;    // in bytes, a multiple of 4
  } ext_t;
endpackage

`default_nettype wire
