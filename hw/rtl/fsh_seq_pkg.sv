// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the parts of the sequencer tell each other and the scheduler.
package fsh_seq_pkg;
  /// lspace of a command without payload of its own (SPACE_COLLECTIVE, which the windows
  /// refuse): arguments alone. Their payload, if there is any, is another command's, from a
  /// memory and with nargs: a message in two parts, whose packets come in any order.
  localparam logic [1:0] APART = 2'd2;

  /// Whether a channel has a context for a command that asks for order among its like,
  /// for a message longer than a packet, and for any other.
  typedef struct packed {
    logic ordered;
    logic bulk;
    logic brief;
  } free_t;

  /// One packet to send. word: its header, or (raw) a beat that follows it as
  /// it is. The rest belongs to a header: how many argument beats and payload
  /// beats follow, where the payload comes from, and how it is aligned.
  typedef struct packed {
    logic         raw;
    logic         get;     // a raw word follows
    logic         mark;    // nothing to send: the lane's part of a message has been sent
    logic [5:0]   port;    // that it takes, one-hot; none: it is for this node
    logic         notify;  // last packet here of a message whose source is wanted back
    logic         half;    // of a message over both lanes
    logic [2:0]   args;
    logic         host;    // payload from a memory: of the host
    logic [6:0]   beats;
    logic [3:0]   shift;
    logic         alone;
    logic         tail;
    logic [127:0] word;
  } desc_t;

  /// What is to be known of a packet before it is its turn.
  typedef struct packed {
    logic mark;
    logic host;  // its payload comes from host memory
  } ahead_t;

  /// A beat of a packet for queue qid {long, reply, vc} of a port. follow: beside a header,
  /// the beats behind it; bad: beside the last one, a memory answered the packet's read
  /// with an error.
  typedef struct packed {
    logic [2:0]   qid;
    logic [6:0]   follow;
    logic         last;
    logic         bad;
    logic [127:0] data;
  } beat_t;
  localparam int unsigned BEAT_W = 140;
endpackage

`default_nettype wire
