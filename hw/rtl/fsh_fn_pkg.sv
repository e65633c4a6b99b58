// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Functions and records that several blocks of the core share. Widths are
/// those of the packet header (fsh_spec_pkg).
package fsh_fn_pkg;
  // As in fsh_spec_pkg, to which a package cannot refer in yosys 0.23; where they are
  // not the same, lint finds that a node or a tag changes its width.
  localparam int unsigned NODE_W = 6;
  localparam int unsigned TAG_W = 6;
  localparam int unsigned MAX_PORTS = 6;
  localparam int unsigned SINK_W = 8;  // engines, at most (spec/generate.py)

  // A unit of what is counted of a message: the least payload of a packet.
  localparam int unsigned UNIT = 7;
  localparam int unsigned TOTAL_W = 24 - UNIT;

  /// What a packet counts for in its message: the units that its payload touches, which no
  /// other packet does, since all end at multiples of a unit. The first one, which knows
  /// where the message begins, counts more: so many that the sum is that of the message's
  /// whole units and three. None counts nothing. low: of the address of its first byte;
  /// stop: of that behind its last one.
  function automatic logic [3:0] units(input logic first, input logic [10:0] low,
                                       input logic [10:0] stop, input logic some,
                                       input logic [6:0] total);
    logic [7:0] sum;
    sum   = {1'b0, low[6:0]} + {1'b0, total};
    units = some ? stop[10:7] - low[10:7] + {3'd0, stop[6:0] != '0} : 4'd0;
    if (first) units = units + 4'd3 - {3'd0, sum[7]} - {3'd0, sum[6:0] != '0};
  endfunction

  /// Beats that `bytes` of payload take when the first stands in byte `lane`.
  function automatic logic [6:0] pay_beats(input logic [3:0] lane, input logic [10:0] bytes);
    logic [11:0] sum;
    sum = {8'd0, lane} + {1'b0, bytes} + 12'd15;
    pay_beats = (bytes == '0) ? 7'd0 : sum[10:4];
  endfunction

  /// Beats that `nargs` arguments take, four a beat.
  function automatic logic [2:0] arg_beats(input logic [4:0] nargs);
    logic [5:0] sum;
    sum = {1'b0, nargs} + 6'd3;
    arg_beats = sum[4:2];
  endfunction

  /// Beats that follow a header: arguments (first packet only) and payload.
  function automatic logic [6:0] hdr_follow(input logic first, input logic [4:0] nargs,
                                            input logic [3:0] lane, input logic [10:0] bytes);
    hdr_follow = {4'd0, first ? arg_beats(nargs) : 3'd0} + pay_beats(lane, bytes);
  endfunction

  /// How a node is reached: by these ports, with this vc bit on the link behind each. No
  /// port: it is this node.
  typedef struct packed {
    logic [MAX_PORTS-1:0] vcs;
    logic [MAX_PORTS-1:0] ports;
  } path_t;
  localparam int unsigned PATH_W = 2 * MAX_PORTS;

  /// A packet that is written, as receivers tell the completion unit.
  /// multi: of several, of which one is the first; units: what it counts for (units).
  typedef struct packed {
    logic [3:0]        units;
    logic              multi;
    logic              reply;
    logic              ack;    // a request that PUT_ACK answers, whatever its opcode
    logic [3:0]        status;
    logic [7:0]        opcode;
    logic [NODE_W-1:0] src;
    logic [TAG_W-1:0]  tag;
    logic [10:0]       bytes;
    logic [TOTAL_W-1:0] total;  // of its message, in whole units
  } evt_t;

  /// A GET this node serves: what to read of the segment, where its answer goes and
  /// how; bulk: it takes more than a packet; flag: into host memory.
  /// sink: it is no GET but a message to this engine, a bit each (fsh_spec_pkg::takers;
  /// none of those that the node has not). Its first two arguments are the low bits of
  /// {laddr, raddr} then; flag: it is to be answered.
  typedef struct packed {
    logic [SINK_W-1:0] sink;
    logic              flag;
    logic              bulk;
    path_t             path;
    logic [NODE_W-1:0] dst;
    logic [TAG_W-1:0]  tag;
    logic [39:0]       laddr;
    logic [39:0]       raddr;
    logic [23:0]       length;
  } get_t;

  /// A message to an engine.
  typedef struct packed {
    logic              ack;    // its sender gets the status
    logic [NODE_W-1:0] src;    // the node that sent it
    logic [63:0]       args;   // its first two arguments
  } msg_t;

  /// What is known of a tag of this node: whether an answer to come may use it, whose,
  /// and of a GET where its data may go: from addr to below limit.
  typedef struct packed {
    logic              live;
    logic              get;
    logic [NODE_W-1:0] node;
    logic              host;
    logic [39:0]       addr;
    logic [40:0]       limit;
  } tag_t;

  /// A beat as a receiver has it, for the collective engine; its data stands beside it.
  /// step: there is one that may be of a packet for the engine; mine: it is, from the cycle
  /// after its header (sop) on.
  typedef struct packed {
    logic step;
    logic sop;
    logic last;
    logic bad;
    logic mine;
  } coll_beat_t;
  localparam int unsigned COLL_BEAT_W = 5;

  /// What a receiver makes of a header (fsh_judge).
  typedef struct packed {
    logic        drop;     // nothing comes of it
    logic        refuse;   // nothing is written, somebody is told
    logic        served;   // to the queue of GETs and messages to engines
    logic        asked;    // a request that is answered by its tag
    logic        writes;   // its payload
    logic        to_host;  // a host-bound message
    logic        to_mem;   // payload to device memory
    logic        to_line;  // ... to the sender's credit line
    logic        to_slot;  // ... to its slot
    logic        to_coll;  // to the collective engine
    logic [3:0]  status;
  } verdict_t;
endpackage

`default_nettype wire
