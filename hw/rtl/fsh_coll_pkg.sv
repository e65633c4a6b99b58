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

  // Those of fsh_spec_pkg, to which a package cannot refer in yosys 0.23.
  localparam int unsigned NODE_W = 6;
  localparam int unsigned SOURCES = 16;   // of a descriptor
  localparam int unsigned EAGER_VPS = 4;  // COLL_EAGER_VPS
  localparam int unsigned EAGER_W = NODE_W + 2;  // of a peer and an eager team

  /// Which packet: where it comes from (or goes to), and what it is there.
  typedef struct packed {
    logic [NODE_W-1:0] node;
    logic [7:0]        job;
    logic [10:0]       vp;
    logic [7:0]        seq;
    logic [7:0]        number;
  } key_t;
  localparam int unsigned KEY_W = NODE_W + 35;
  localparam int unsigned TEAM_W = 8 + 11;  // job, VP

  /// A message between engines: of whom, or to whom, in key.node.
  typedef struct packed {
    logic [3:0] op;  // COLLMSG of fsh_spec_pkg
    key_t       key;
  } note_t;
  localparam int unsigned NOTE_W = KEY_W + 4;

  /// How a sequence ended: with which step of it, for want of which source.
  typedef struct packed {
    logic [10:0] cookie;
    logic [3:0]  status;  // STATUS of fsh_spec_pkg
    logic [7:0]  step;
    logic [7:0]  source;  // node that it waited for, if it did
  } end_t;
  localparam int unsigned END_W = 31;

  /// A line of a packet that has come.
  typedef struct packed {
    logic         first;
    logic         last;
    logic         whole;  // of the last piece of its packet
    logic         eager;
    key_t         key;
    logic [3:0]   line;   // of the piece's first
    logic [10:0]  bytes;  // of the packet
    logic [511:0] data;
  } line_t;
  localparam int unsigned LINE_W = KEY_W + 4 + 4 + 11 + 512;

  /// What becomes of packets on arrival, for the counters: pulses, registers.
  typedef struct packed {
    logic kept;   // one is whole
    logic gone;   // a whole one has left
    logic stale;  // the slot of one was given up
    logic full;
    logic eager;
    logic twice;
    logic unclaimed;
  } fate_t;

  // Places for packets that go, their lines, and beats of 16 bytes.
  localparam int unsigned PLACES = 16;
  localparam int unsigned PLACE_W = 4;
  localparam int unsigned PLINE_W = 4;
  localparam int unsigned PBEAT_W = PLINE_W + 2;

  /// Bytes of a packet that is passed on before all of its lines are here, at most.
  localparam int unsigned SHORT = 256;

  /// What the engine is given (fsh_cengine); the answers go the other way.
  typedef struct packed {
    logic        tick;
    logic        run_valid;
    logic        note_valid;
    logic        rx_valid;
    logic        end_ready;
    logic        tell_ready;
    logic        tx_ready;
    logic        post_ready;
    logic [1:0]  head_valid;  // by lane: a packet begins to come
    logic [2*KEY_W-1:0] head_keys;
    logic [31:0] run_addr;
    note_t       note;
    line_t       rx;
  } into_t;

  /// Out of the engine.
  typedef struct packed {
    logic         run_ready;
    logic         ask_room;
    logic         rx_ready;
    fate_t        fate;
    logic         end_valid;
    logic         tell_valid;
    logic         tx_valid;
    logic         tx_last;
    logic         post_valid;
    logic         post_unit;  // whose memory master has its data
    logic [7:0]   tx_dest;
    logic [45:0]  tx_addr;  // colladdr, its lower bits
    logic [10:0]  tx_bytes;
    logic [31:0]  post_addr;  // a line of the DMA window
    end_t         ending;
    note_t        tell;
    logic [511:0] tx_data;
  } out_t;

  /// Place of a peer and a team in the tables of eager packets.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [EAGER_W-1:0] eager_index(input logic [NODE_W-1:0] node,
                                                     input logic [10:0] vp);
    eager_index = {vp[EAGER_W-NODE_W-1:0], node};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  /// Is a the number of an earlier packet than b's? They are less than 128 apart.
  function automatic logic earlier(input logic [7:0] a, input logic [7:0] b);
    earlier = 8'(a - b) > 8'd127;
  endfunction

  /// May a team with this VP at the receiver have eager packets?
  function automatic logic eager_vp(input logic [10:0] vp);
    eager_vp = vp < 11'(EAGER_VPS);
  endfunction

  /// Lines of FP32 in an encoded packet: with four times the values of another, 1020 bytes.
  localparam int unsigned BFP_LINES = 60;

  /// Items of a step, packet by packet.
  localparam logic [2:0] ITEM_FETCH = 3'd0;   // of the descriptor
  localparam logic [2:0] ITEM_OWN = 3'd1;     // the local operand
  localparam logic [2:0] ITEM_SOURCE = 3'd2;  // the packet of a source
  localparam logic [2:0] ITEM_OUT = 3'd3;     // the way out
  localparam logic [2:0] ITEM_SETTLE = 3'd4;  // all that was stored is written
  localparam logic [2:0] ITEM_AHEAD = 3'd5;   // the local operand of the next packet

  /// What fsh_cdata does for a packet of a context.
  localparam logic [2:0] MOVE_FETCH = 3'd0;  // a line of memory to the unit
  localparam logic [2:0] MOVE_LOAD = 3'd1;   // memory to the local operand
  localparam logic [2:0] MOVE_GIVE = 3'd2;   // 16 bytes of the descriptor to it
  localparam logic [2:0] MOVE_COPY = 3'd3;   // a packet to the result
  localparam logic [2:0] MOVE_FOLD = 3'd4;   // a packet combined with one of both, on the right
  localparam logic [2:0] MOVE_OUT = 3'd5;    // from one of both to memory, to the network

  /// A packet that is used: where it stands, whether it came eagerly, its key.
  typedef struct packed {
    logic [15:0] slot;
    logic [1:0]  gen;
    logic        eager;
    key_t        key;
  } spent_t;

  /// A move, with what belongs to it.
  typedef struct packed {
    logic [2:0]   what;
    logic [7:0]   context_;
    logic         half;     // of the context's
    logic         own;      // the local operand is read, not the result
    logic [7:0]   lines;
    logic [5:0]   tail;     // bytes in the last line, 0: 64
    logic [31:0]  addr;
    spent_t       packet;   // that is read, and what becomes of it then
    logic [127:0] given;
    logic [2:0]   kind;
    logic [3:0]   op;
    logic         send;
    logic         store;
    logic         post;     // to host memory
    logic [31:0]  post_addr;
    logic [7:0]   dest;
    logic [63:0]  key;      // colladdr
    logic [15:0]  bytes;    // to send
    logic         bfp;      // encoded on its way
  } move_t;

  /// What a look-up of a packet's key finds.
  typedef struct packed {
    logic        found;
    logic        made;   // it has a slot now
    logic        whole;
    logic        eager;  // it came without a grant
    logic [15:0] slot;
    logic [1:0]  gen;
    logic [15:0] bytes;  // in the packet
  } look_t;

  /// The packet that came last, and is still there: what a look-up finds.
  typedef struct packed {
    logic  valid;
    key_t  key;
    look_t look;
  } fresh_t;

  /// A slot is claimed for a key.
  typedef struct packed {
    logic        valid;
    logic [15:0] slot;
    key_t        key;
  } made_t;

  /// A step whose packets are claimed beside the items (fsh_crow), of context context_; tail: it
  /// is the sequence's last.
  typedef struct packed {
    logic        start;
    logic [7:0]  context_;
    logic [23:0] bytes;
    logic        bfp;
    logic        tail;
  } row_t;

  /// What becomes of it: claims are under way; the last one is made.
  typedef struct packed {
    logic       busy;
    logic       over;
    logic [7:0] context_;
    logic       tail;
  } rowed_t;

  /// What fsh_cdata says of the move that it is shown, and of those it was given.
  typedef struct packed {
    logic ready;      // it may start
    logic loading;    // the local operand of its half is still to come
    logic fetching;   // the last one of memory has lines to read
    logic fetched;    // here is one
  } path_t;

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
