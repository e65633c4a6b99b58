// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What modules of the collective engine share (docs/03_developer/collective-engine.md).
package fsh_coll_pkg;
  /// Types and operations, as FSHMEM_INT32 ... and FSHMEM_SUM ... of fshmem_coll.h.
  localparam logic [2:0] TYPE_INT32 = 3'd0;
  localparam logic [2:0] TYPE_INT64 = 3'd1;
  localparam logic [2:0] TYPE_UINT32 = 3'd2;
  localparam logic [2:0] TYPE_UINT64 = 3'd3;
  localparam logic [2:0] TYPE_FLOAT = 3'd4;
  localparam logic [2:0] TYPE_DOUBLE = 3'd5;
  localparam logic [3:0] OP_SUM = 4'd0;
  localparam logic [3:0] OP_MIN = 4'd1;
  localparam logic [3:0] OP_MAX = 4'd2;
  localparam logic [3:0] OP_AND = 4'd4;
  localparam logic [3:0] OP_OR = 4'd5;
  localparam logic [3:0] OP_XOR = 4'd6;

  localparam int unsigned NODE_W = 6;  // as in fsh_spec_pkg
  localparam int unsigned KEY_W = NODE_W + 40;  // sender, address of the packet
  localparam int unsigned SOURCES = 16;  // of a descriptor

  /// A triggered descriptor.
  typedef struct packed {
    logic [63:0]  rsvd3;
    logic [31:0]  store_addr;  // where the value is kept, in units of 64 bytes
    logic [31:0]  own_addr;    // the local operand
    logic [127:0] sources;     // nodes in fold order, 8 bits each; or the value given
    logic [135:0] rsvd2;
    logic [23:0]  bytes;       // of the value
    logic [4:0]   rsvd1;
    logic [7:0]   dest_seq;
    logic [10:0]  dest_vp;
    logic [7:0]   dest;        // node the value is sent to
    logic [15:0]  cookie;      // of the completion
    logic         rsvd0;
    logic [3:0]   op;
    logic [2:0]   kind;        // type
    logic [4:0]   count;       // CPCount: sources
    logic [7:0]   seq;         // SeqID of the packets that trigger it
    logic [10:0]  vp;
    logic [7:0]   job;
    logic         rsvd;
    logic         send;
    logic         store;
    logic         reduce;
    logic         given;       // the value is in the descriptor
    logic         own;         // there is a local operand
    logic         tail;        // CT
    logic         head;        // CH
  } desc_t;

  /// Address of a packet in the engine's space.
  typedef struct packed {
    logic [7:0]  job;
    logic [10:0] vp;
    logic [7:0]  seq;
    logic [12:0] packet;
  } addr_t;

  /// Beside the STATUS of fsh_spec_pkg: a packet that did not come.
  localparam logic [3:0] STATUS_TIMEOUT = 4'd9;

  /// How a sequence ended: with which step of it, for want of which source.
  typedef struct packed {
    logic [15:0] cookie;
    logic [3:0]  status;  // STATUS of fsh_spec_pkg
    logic [7:0]  job;
    logic [7:0]  seq;
    logic [7:0]  source;  // node that it waited for, if it did
  } end_t;

  /// What fsh_cdata does with the packet of a context.
  localparam logic [2:0] MOVE_FETCH = 3'd0;  // a line of memory to the unit
  localparam logic [2:0] MOVE_LOAD = 3'd1;   // memory to the accumulator
  localparam logic [2:0] MOVE_GIVE = 3'd2;   // 16 bytes of the descriptor to it
  localparam logic [2:0] MOVE_COPY = 3'd3;   // a packet to it
  localparam logic [2:0] MOVE_FOLD = 3'd4;   // a packet combined with it, on the right
  localparam logic [2:0] MOVE_OUT = 3'd5;    // from it to memory, to the network

  /// Operations of fsh_hashbuf.
  localparam logic [1:0] HASH_LOOK = 2'd0;
  localparam logic [1:0] HASH_CLAIM = 2'd1;
  localparam logic [1:0] HASH_COMMIT = 2'd2;
  localparam logic [1:0] HASH_FREE = 2'd3;

  /// Is there such a reduction here? Products and pairs with an index are done in software.
  function automatic logic folds(input logic [2:0] kind, input logic [3:0] op);
    logic real_, order;
    real_ = kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
    order = op == OP_SUM || op == OP_MIN || op == OP_MAX;
    folds = real_ ? order : !kind[2] && (order || op == OP_AND || op == OP_OR || op == OP_XOR);
  endfunction
endpackage

`default_nettype wire
