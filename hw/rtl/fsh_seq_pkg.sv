// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the parts of the sequencer tell each other and the scheduler.
package fsh_seq_pkg;
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
    logic [1:0]   lspace;
    logic [6:0]   beats;
    logic [3:0]   shift;
    logic         alone;
    logic         tail;
    logic [127:0] word;
  } desc_t;

  /// A beat of a packet for the queue of a port. follow: beside a header, the beats behind
  /// it; bad: beside the last one, a memory answered the packet's read with an error.
  typedef struct packed {
    logic [6:0]   follow;
    logic         last;
    logic         bad;
    logic [127:0] data;
  } beat_t;
  localparam int unsigned BEAT_W = 137;
endpackage

`default_nettype wire
