// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Hands over what fsh_art has to send, one job at a time, fair among the five
/// requesters: pieces of the three streams (0 results, 1 encoded operand,
/// 2 mover) become a PUT a node, and the ends of the two contexts (3 array,
/// 4 mover) SIGNALs and COMPLETE. A command is known by its slot,
/// 2 * context + parity. Three cycles a job and one a message; a PUT waits for
/// one of the 16 tags. Counts the PUTs in flight by slot.
/// closed_o: pulse, the messages at the end of a slot's command are handed over.
/// bad_o: pulse, a PUT of the slot failed with status bad_status_o.
/// Reset: nothing to send, all tags free.
module fsh_art_send (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic         [7:0] node_i,
    // Configuration of a slot.
    input  wire logic               cfg_we_i,
    input  wire logic         [1:0] cfg_slot_i,
    input  fsh_spec_pkg::ccmd_t     cfg_i,
    // Requesters.
    input  wire logic         [2:0] piece_valid_i,
    output logic              [2:0] piece_ready_o,
    input  wire logic         [2:0] piece_parity_i,
    input  wire logic       [107:0] piece_addr_i,    // 36 bits each, in values
    input  wire logic        [65:0] piece_values_i,  // 22 bits each
    input  wire logic         [1:0] close_valid_i,
    input  wire logic         [1:0] close_parity_i,
    input  wire logic         [7:0] close_status_i,
    output logic              [1:0] close_ready_o,  // pulse: taken
    output logic              [3:0] closed_o,
    output logic              [3:0] none_o,  // by slot: no PUT in flight
    // The node.
    output logic                    ccmd_valid_o,
    input  wire logic               ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t     ccmd_o,
    input  wire logic               ack_valid_i,
    input  wire logic         [3:0] ack_tag_i,
    input  wire logic         [3:0] ack_status_i,
    output logic              [3:0] bad_o,
    output logic              [3:0] bad_status_o,
    output logic                    sent_o,
    output logic             [23:0] sent_bytes_o,
    output logic                    busy_o
);
  localparam int unsigned TAGS = fsh_spec_pkg::COMPUTE_TAGS;
  localparam int unsigned TW = $clog2(TAGS);

  /// What a slot needs to know to send.
  typedef struct packed {
    logic [63:0] art_mask;
    logic [63:0] signal_mask;  // empty without signal
    logic [32:0] shift;        // from here to there, in 64 bytes, signed
    logic [5:0]  signal_event;
    logic        complete;
    logic [7:0]  complete_node;
    logic [10:0] cookie;
  } conf_t;

  typedef enum logic [1:0] {
    Pick,
    Load,
    Send,
    Complete
  } state_e;
  state_e      state_q;
  logic [4:0]  request, gnt;
  logic        pick, job_end_q;  // the end of a command, not a piece
  logic [1:0]  slot_q;
  logic [35:0] addr_q;
  logic [21:0] values_q;
  logic [39:0] raddr_q;
  logic [3:0]  status_q;
  logic [63:0] mask_q;           // nodes still to be served
  logic        out_free, go, tag_some;

  conf_t       conf_w, conf;
  (* ram_style = "distributed" *) logic [$bits(conf)-1:0] confs[4];
  logic [31:0] base;

  // The address of the stream that is sent. ENCODE sends what it emits.
  always_comb begin
    base = cfg_i.c_addr;
    if (cfg_i.emit || cfg_i.op == fsh_spec_pkg::COP_ENCODE) base = cfg_i.e_addr;
    if (cfg_i.op == fsh_spec_pkg::COP_SEND) base = cfg_i.x_addr;
    conf_w.art_mask      = cfg_i.art_mask;
    conf_w.signal_mask   = cfg_i.signal ? cfg_i.signal_mask : '0;
    conf_w.shift         = {1'b0, cfg_i.art_addr} - {1'b0, base};
    conf_w.signal_event  = cfg_i.signal_event;
    conf_w.complete      = cfg_i.complete;
    conf_w.complete_node = cfg_i.complete_node;
    conf_w.cookie        = cfg_i.cookie;
  end

  always_ff @(posedge clk_i) begin
    if (cfg_we_i) confs[cfg_slot_i] <= conf_w;
  end
  assign conf = confs[slot_q];

  assign request       = {close_valid_i, piece_valid_i};
  assign pick          = state_q == Pick && request != '0;
  assign piece_ready_o = gnt[2:0] & {3{pick}};
  assign close_ready_o = gnt[4:3] & {2{pick}};

  fsh_arb #(
      .N(5)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (request),
      .look_i(1'b1),
      .take_i(pick),
      .gnt_o (gnt)
  );

  // The lowest node of the mask: in each byte and among the bytes at once.
  logic [63:0] first;  // one-hot
  logic [7:0]  groups, lower;
  logic [fsh_spec_pkg::NODE_W-1:0] dst;

  always_comb begin
    first = '0;
    dst   = '0;
    for (int g = 0; g < 8; g++) groups[g] = mask_q[g*8+:8] != '0;
    for (int g = 0; g < 8; g++) begin
      lower = groups & ~(8'hff << g);
      for (int b = 0; b < 8; b++) begin
        if (lower == '0 && mask_q[g*8+b] && (mask_q[g*8+:8] & ~(8'hff << b)) == '0) begin
          first[g*8+b] = 1'b1;
          dst          = dst | fsh_spec_pkg::NODE_W'(g * 8 + b);
        end
      end
    end
  end

  // Tags, and whose PUT each is.
  logic [TAGS-1:0] free_q;
  logic   [TW-1:0] tag;
  (* ram_style = "distributed" *) logic [1:0] owners[TAGS];
  logic            ack_q;
  logic      [3:0] ack_status_q;
  logic      [1:0] ack_slot_q;

  always_comb begin
    tag = '0;
    for (int t = TAGS - 1; t >= 0; t--) if (free_q[t]) tag = TW'(t);
  end
  assign tag_some = free_q != '0;

  assign out_free = !ccmd_valid_o || ccmd_ready_i;
  assign go       = state_q == Send && mask_q != '0 && out_free && (job_end_q || tag_some);

  always_ff @(posedge clk_i) begin
    if (pick) begin
      job_end_q <= gnt[4:3] != '0;
      slot_q    <= {gnt[2] || gnt[4], (gnt[2:0] & piece_parity_i) != '0 ||
                    (gnt[4:3] & close_parity_i) != '0};
      status_q  <= gnt[4] ? close_status_i[7:4] : close_status_i[3:0];
      for (int s = 0; s < 3; s++) begin
        if (gnt[s]) begin
          addr_q   <= piece_addr_i[s*36+:36];
          values_q <= piece_values_i[s*22+:22];
        end
      end
    end
    if (state_q == Load) begin
      mask_q  <= job_end_q ? conf.signal_mask : conf.art_mask;
      raddr_q <= {2'd0, addr_q, 2'd0} + {conf.shift[32], conf.shift, 6'd0};
      if (!job_end_q && node_i < 8'(fsh_spec_pkg::MAX_NODES)) mask_q[node_i[5:0]] <= 1'b0;
    end
    if (go) mask_q <= mask_q & ~first;
  end

  always_ff @(posedge clk_i) begin
    closed_o <= '0;
    unique case (state_q)
      Pick: if (pick) state_q <= Load;
      Load: state_q <= Send;
      Send: if (mask_q == '0) state_q <= job_end_q ? Complete : Pick;
      default: begin
        if (!conf.complete || out_free) begin
          closed_o[slot_q] <= 1'b1;
          state_q          <= Pick;
        end
      end
    endcase
    if (rst_i) begin
      state_q  <= Pick;
      closed_o <= '0;
    end
  end

  // The message.
  always_ff @(posedge clk_i) begin
    if (go) begin
      ccmd_o.rsvd0  <= '0;
      ccmd_o.kind   <= job_end_q ? fsh_spec_pkg::EKIND_MESSAGE : fsh_spec_pkg::EKIND_PUT;
      ccmd_o.dst    <= 8'(dst);
      ccmd_o.tag    <= fsh_spec_pkg::TAG_W'(tag);
      ccmd_o.laddr  <= job_end_q ? {8'd1, 22'd0, conf.signal_event, fsh_spec_pkg::CMSG_SIGNAL} :
                       {2'd0, addr_q, 2'd0};
      ccmd_o.raddr  <= job_end_q ? '0 : raddr_q;
      ccmd_o.length <= job_end_q ? '0 : {values_q, 2'd0};
    end else if (state_q == Complete && out_free) begin
      ccmd_o       <= '0;
      ccmd_o.kind  <= fsh_spec_pkg::EKIND_MESSAGE;
      ccmd_o.dst   <= conf.complete_node;
      ccmd_o.laddr <= {4'd0, status_q, 17'd0, conf.cookie, fsh_spec_pkg::CMSG_COMPLETE};
    end
    if (out_free) ccmd_valid_o <= go || (state_q == Complete && conf.complete);
    sent_o <= go && !job_end_q;
    if (go) sent_bytes_o <= {values_q, 2'd0};
    if (rst_i) begin
      ccmd_valid_o <= 1'b0;
      sent_o       <= 1'b0;
    end
  end

  // PUTs in flight.
  logic [3:0] up, down;

  always_comb begin
    up   = '0;
    down = '0;
    up[slot_q]       = go && !job_end_q;
    down[ack_slot_q] = ack_q;
  end

  always_ff @(posedge clk_i) begin
    if (go && !job_end_q) owners[tag] <= slot_q;
  end

  always_ff @(posedge clk_i) begin
    ack_q <= ack_valid_i;
    if (ack_valid_i) begin
      ack_status_q      <= ack_status_i;
      ack_slot_q        <= owners[ack_tag_i];
      free_q[ack_tag_i] <= 1'b1;
    end
    if (go && !job_end_q) free_q[tag] <= 1'b0;
    if (rst_i) begin
      ack_q  <= 1'b0;
      free_q <= '1;
    end
  end

  assign bad_status_o = ack_status_q;
  for (genvar s = 0; s < 4; s++) begin : gen_slot
    logic [4:0] flying_q;

    assign none_o[s] = flying_q == '0;
    assign bad_o[s]  = down[s] && ack_status_q != fsh_spec_pkg::STATUS_OK;

    always_ff @(posedge clk_i) begin
      if (up[s] != down[s]) flying_q <= up[s] ? flying_q + 5'd1 : flying_q - 5'd1;
      if (rst_i) flying_q <= '0;
    end

    `FSH_ASSERT(a_flying, !down[s] || flying_q != '0)
  end

  // A piece that waits keeps its cutter busy.
  assign busy_o = (state_q == Pick && close_valid_i != '0) || state_q == Load || go ||
                  (state_q == Send && mask_q == '0) || state_q == Complete ||
                  (ccmd_valid_o && ccmd_ready_i) || ack_valid_i || ack_q ||
                  closed_o != '0 || sent_o;

  `FSH_ASSERT(a_ack, !ack_valid_i || !free_q[ack_tag_i])
  `FSH_STABLE(ccmd_valid_o, ccmd_ready_i, ccmd_o)
endmodule

`default_nettype wire
