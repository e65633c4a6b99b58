// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the two halves of the sequencer tell each other.
package fsh_seq_pkg;
  /// One packet to send. word: its header, or (raw) a beat that follows it as
  /// it is. The rest belongs to a header: how many argument beats and payload
  /// beats follow, where the payload comes from, and how it is aligned.
  typedef struct packed {
    logic         raw;
    logic         get;     // a raw word follows
    logic         loop;    // for this node
    logic         notify;  // last packet here of a message whose source is wanted back
    logic         half;    // of a message over both ports
    logic [2:0]   args;
    logic [1:0]   lspace;
    logic [6:0]   beats;
    logic [3:0]   shift;
    logic         alone;
    logic         tail;
    logic [127:0] word;
  } desc_t;
endpackage

`default_nettype wire
