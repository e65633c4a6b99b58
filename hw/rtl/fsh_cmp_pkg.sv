// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Records that the units of the compute core share.
package fsh_cmp_pkg;
  /// How four lanes of 64 bytes become operand blocks.
  typedef enum logic [1:0] {
    Direct,      // FP32, a lane is a block: four rows of an operand
    Transposed,  // FP32, a lane is one k of sixteen columns; four quads together
    Exponents,   // encoded: the exponents of a unit
    Mantissas    // encoded: sixteen blocks of a unit
  } mode_e;

  /// One read of the loader, for whom it comes back.
  typedef struct packed {
    logic        parity;  // of the command
    logic        is_w;
    logic [1:0]  mode;    // mode_e
    logic        store;   // into the operand buffer
    logic        emit;    // into memory, encoded
    logic        last;    // of its job
    logic        fin;     // the last that its command emits
    logic [4:0]  kvalid;  // values of a block that count
    logic [4:0]  nvalid;  // Transposed: columns that count
    logic [8:0]  word;    // where it goes in the operand buffer: word
    logic [1:0]  b;       // ... and four of its banks; Transposed: k / 4
    logic [31:0] unit;    // emit: address of the unit
    logic [1:0]  c4;      // chunk of the unit
    logic [3:0]  j;       // rows of the unit, by four; a multiple of 4 unless Direct
  } feed_t;

  /// One read of the element-wise unit (fsh_celem), for what it comes back.
  typedef struct packed {
    logic        parity;  // of the command; the place of feed_t's
    logic        second;  // gives a result, of what came four reads before
    logic        empty;   // SUM: nothing came before
    logic        first;   // SUM: what came before is the first row
    logic        fin;     // the last result of its command
    logic        over;    // the last read of its command
    logic [1:0]  at;      // of four
    logic [4:0]  columns; // of the last line, 1 to 16
    logic [3:0]  mask;    // lines of its result; none: nothing is written
    logic [31:0] addr;    // of its result
    logic [17:0] none;    // to the width of feed_t
  } elem_t;

  localparam int unsigned OPERAND_WORDS = 512;  // of an operand buffer
  localparam int unsigned UNIT_BEATS = 68;  // 64 rows, 4 chunks
  localparam int unsigned ENCODER = 4;  // stages of fsh_bfp_enc

  /// More than 2^24 - 64: what follows would not count them, rounded up.
  function automatic logic too_many(input logic [23:0] values);
    too_many = values[23:6] == '1 && values[5:0] != '0;
  endfunction

  /// Groups of 16 columns, or chunks of K, that so many values make. whole: up to
  /// whole units of 64, as encoded operands come.
  function automatic logic [20:0] sixteens(input logic [23:0] values, input logic whole);
    sixteens = 21'((values + (whole ? 24'd63 : 24'd15)) >> 4) & (whole ? ~21'd3 : '1);
  endfunction

  /// The same of groups of 8 rows.
  function automatic logic [20:0] eights(input logic [23:0] values, input logic whole);
    eights = 21'((values + (whole ? 24'd63 : 24'd7)) >> 3) & (whole ? ~21'd7 : '1);
  endfunction
endpackage

`default_nettype wire
