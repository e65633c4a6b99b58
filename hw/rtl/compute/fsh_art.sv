// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Automatic remote transfer, and the end of every command. Two contexts, array
/// (0) and mover (1), each with up to two commands of different parity; they end
/// in order. cfg_* gives a command at its start, before its extents.
/// Extents come in two streams, results (ext) and encoded operand (emt); a command
/// with results ends with the extent of ext marked last, a command with emit and
/// ENCODE with that of emt; NOP has none. SEND makes its own extent.
/// What is sent (emt if the command has emit or is ENCODE, else ext) is a stream
/// of values; each run of it without a gap is cut from its start in PUTs of
/// art_count values (at most MAX_MESSAGE), the last one shorter, each to every
/// node of art_mask but this one. A PUT leaves when its bytes are written.
/// When the streams ended and all PUTs are acknowledged: SIGNALs, COMPLETE, in
/// this order; then the command is over. The status is that of the
/// configuration, else the first that failed. Of the streams that are not sent
/// and without art extents are only awaited.
/// Reset forgets everything.
module fsh_art (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic           [7:0] node_i,
    // Commands by context.
    input  wire logic                 cfg_array_valid_i,
    output logic                      cfg_array_ready_o,  // room for this parity
    input  wire logic                 cfg_mover_valid_i,
    output logic                      cfg_mover_ready_o,
    input  fsh_spec_pkg::ccmd_t       cfg_array_i,
    input  fsh_spec_pkg::ccmd_t       cfg_mover_i,
    input  wire logic           [1:0] cfg_parity_i,
    input  wire logic           [7:0] cfg_status_i,
    // Extents of the array context.
    input  wire logic                 ext_valid_i,
    output logic                      ext_ready_o,
    input  fsh_cout_pkg::ext_t        ext_i,
    input  wire logic                 emt_valid_i,
    output logic                      emt_ready_o,
    input  fsh_cout_pkg::ext_t        emt_i,
    input  wire logic          [31:0] done_i,  // fsh_cwrite
    input  wire logic           [3:0] err_i,   // of array commands, index as fsh_cwrite
    // The node.
    output logic                      ccmd_valid_o,
    input  wire logic                 ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t       ccmd_o,
    input  wire logic                 ack_valid_i,
    input  wire logic           [3:0] ack_tag_i,
    input  wire logic           [3:0] ack_status_i,
    // What is still open, by context: index 2 * context + parity.
    output logic                [3:0] open_o,
    // For counters, NOPs left out: something is open; pulse: a command has ended.
    output logic                      work_o,
    output logic                      over_o,
    output logic                      sent_o,        // pulse: a PUT is handed over
    output logic               [23:0] sent_bytes_o,
    output logic                      busy_o  // state changes at the next edge
);
  localparam int unsigned MOST = fsh_spec_pkg::MAX_MESSAGE / 4;  // values of a PUT

  // By slot, 2 * context + parity: which streams are still to end, by bits
  // {own, emt, ext}; the status so far.
  logic [1:0]  take;
  logic [1:0]  send_ext_q, send_emt_q;  // by parity: this stream is sent
  logic [43:0] limit_q, own_limit_q;
  logic [3:0]  closed, none, bad;
  logic [3:0]  bad_status;
  logic [1:0]  turn_q;                  // by context: parity of the next command to end
  logic [7:0]  close_status;
  logic [1:0]  close_valid, close_ready;
  logic [3:0]  nop_q;
  logic        send_busy;

  // Slots are written one a cycle; array first.
  logic array_ready, mover_ready;

  assign array_ready = !open_o[{1'b0, cfg_parity_i[0]}];
  assign mover_ready = !open_o[{1'b1, cfg_parity_i[1]}] && !own_valid_q &&
                       !(cfg_array_valid_i && array_ready);
  assign cfg_array_ready_o = array_ready;
  assign cfg_mover_ready_o = mover_ready;
  assign take        = {cfg_mover_valid_i && mover_ready, cfg_array_valid_i && array_ready};

  // What a command of the array context has.
  logic       has_ext, has_emt, send_any;
  logic       is_send;

  function automatic logic [21:0] limit_of(input logic [23:0] count);
    limit_of = count > 24'(MOST) ? 22'(MOST) : count[21:0];
  endfunction

  assign has_ext  = cfg_array_i.op != fsh_spec_pkg::COP_NOP &&
                    cfg_array_i.op != fsh_spec_pkg::COP_ENCODE;
  assign has_emt  = cfg_array_i.op == fsh_spec_pkg::COP_ENCODE ||
                    (cfg_array_i.emit && (cfg_array_i.op == fsh_spec_pkg::COP_GEMM ||
                                          cfg_array_i.op == fsh_spec_pkg::COP_CONV));
  assign send_any = cfg_array_i.art;
  assign is_send  = cfg_mover_i.op == fsh_spec_pkg::COP_SEND;

  always_ff @(posedge clk_i) begin
    if (take[0]) begin
      send_ext_q[cfg_parity_i[0]] <= send_any && has_ext && !has_emt;
      send_emt_q[cfg_parity_i[0]] <= send_any && has_emt;
      limit_q[(cfg_parity_i[0]?22:0)+:22] <= limit_of(cfg_array_i.art_count);
    end
    if (take[1]) own_limit_q[(cfg_parity_i[1]?22:0)+:22] <= limit_of(cfg_mover_i.art_count);
  end

  // The one extent of SEND.
  logic        own_valid_q, own_ready, own_parity_q;
  logic [35:0] own_addr_q;
  logic [23:0] own_values_q;

  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      own_addr_q   <= {cfg_mover_i.x_addr, 4'd0};
      own_values_q <= cfg_mover_i.k;
      own_parity_q <= cfg_parity_i[1];
    end
    if (take[1] && is_send) own_valid_q <= 1'b1;
    else if (own_ready) own_valid_q <= 1'b0;
    if (rst_i) own_valid_q <= 1'b0;
  end

  // Streams: 0 results, 1 encoded operand, 2 mover.
  logic [1:0]  q_valid, q_ready, q_last, q_parity, q_busy;
  logic [71:0] q_addr;
  logic [43:0] q_values;
  logic [2:0]  piece_valid, piece_ready, piece_parity, cut_busy;
  logic [107:0] piece_addr;
  logic [65:0] piece_values;
  logic [5:0]  ended;  // by stream and parity

  for (genvar s = 0; s < 2; s++) begin : gen_stream
    logic ready;

    fsh_art_queue #(
        .DEPTH(s == 0 ? 64 : 16)
    ) i_queue (
        .clk_i,
        .rst_i,
        .valid_i (s == 0 ? ext_valid_i : emt_valid_i),
        .ready_o (ready),
        .ext_i   (s == 0 ? ext_i : emt_i),
        .done_i,
        .valid_o (q_valid[s]),
        .ready_i (q_ready[s]),
        .last_o  (q_last[s]),
        .parity_o(q_parity[s]),
        .addr_o  (q_addr[s*36+:36]),
        .values_o(q_values[s*22+:22]),
        .busy_o  (q_busy[s])
    );

    fsh_art_cut i_cut (
        .clk_i,
        .rst_i,
        .send_i        (s == 0 ? send_ext_q : send_emt_q),
        .limit_i       (limit_q),
        .valid_i       (q_valid[s]),
        .ready_o       (q_ready[s]),
        .last_i        (q_last[s]),
        .parity_i      (q_parity[s]),
        .addr_i        (q_addr[s*36+:36]),
        .values_i      ({2'd0, q_values[s*22+:22]}),
        .piece_valid_o (piece_valid[s]),
        .piece_ready_i (piece_ready[s]),
        .piece_parity_o(piece_parity[s]),
        .piece_addr_o  (piece_addr[s*36+:36]),
        .piece_values_o(piece_values[s*22+:22]),
        .end_o         (ended[s*2+:2]),
        .busy_o        (cut_busy[s])
    );
  end
  assign ext_ready_o = gen_stream[0].ready;
  assign emt_ready_o = gen_stream[1].ready;

  fsh_art_cut i_own (
      .clk_i,
      .rst_i,
      .send_i        (2'b11),
      .limit_i       (own_limit_q),
      .valid_i       (own_valid_q),
      .ready_o       (own_ready),
      .last_i        (1'b1),
      .parity_i      (own_parity_q),
      .addr_i        (own_addr_q),
      .values_i      (own_values_q),
      .piece_valid_o (piece_valid[2]),
      .piece_ready_i (piece_ready[2]),
      .piece_parity_o(piece_parity[2]),
      .piece_addr_o  (piece_addr[72+:36]),
      .piece_values_o(piece_values[44+:22]),
      .end_o         (ended[5:4]),
      .busy_o        (cut_busy[2])
  );

  // What is open. Index p: parity.
  for (genvar c = 0; c < 2; c++) begin : gen_context
    for (genvar p = 0; p < 2; p++) begin : gen_parity
      logic       open_q;
      logic [1:0] to_end_q;  // streams; mover: one
      logic [3:0] status_q;
      logic [1:0] first, over;

      if (c == 0) begin : gen_array
        assign first = {has_emt, has_ext};
        assign over  = {ended[2+p], ended[p]};
      end else begin : gen_mover
        assign first = {1'b0, is_send};
        assign over  = {1'b0, ended[4+p]};
      end

      always_ff @(posedge clk_i) begin
        to_end_q <= to_end_q & ~over;
        if (closed[2*c+p]) open_q <= 1'b0;
        if (status_q == fsh_spec_pkg::STATUS_OK) begin
          if (bad[2*c+p]) status_q <= bad_status;
          if (c == 0 && err_i[2*p+1]) status_q <= fsh_spec_pkg::STATUS_MEMORY;
          if (c == 0 && err_i[2*p]) status_q <= fsh_spec_pkg::STATUS_LOCAL_RANGE;
        end
        if (take[c] && cfg_parity_i[c] == (p == 1)) begin
          open_q   <= 1'b1;
          to_end_q <= first;
          status_q <= cfg_status_i[c*4+:4];
        end
        if (rst_i) begin
          open_q   <= 1'b0;
          to_end_q <= '0;
        end
      end
      assign open_o[2*c+p] = open_q;
    end

    // The older command of the context ends first.
    logic ripe0, ripe1;

    assign ripe0 = gen_parity[0].open_q && gen_parity[0].to_end_q == '0 && none[2*c];
    assign ripe1 = gen_parity[1].open_q && gen_parity[1].to_end_q == '0 && none[2*c+1];
    assign close_valid[c] = (turn_q[c] ? ripe1 : ripe0) && !closed[{c == 1, turn_q[c]}];
    assign close_status[c*4+:4] = turn_q[c] ? gen_parity[1].status_q : gen_parity[0].status_q;

    always_ff @(posedge clk_i) begin
      if (closed[2*c+:2] != '0) turn_q[c] <= !turn_q[c];
      if (rst_i) turn_q[c] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take[0]) nop_q[{1'b0, cfg_parity_i[0]}] <= cfg_array_i.op == fsh_spec_pkg::COP_NOP;
    if (take[1]) nop_q[{1'b1, cfg_parity_i[1]}] <= !is_send;
  end
  assign work_o = (open_o & ~nop_q) != '0;
  assign over_o = (close_ready[0] && !nop_q[{1'b0, turn_q[0]}]) ||
                  (close_ready[1] && !nop_q[{1'b1, turn_q[1]}]);

  fsh_art_send i_send (
      .clk_i,
      .rst_i,
      .node_i,
      .cfg_we_i      (take != '0),
      .cfg_slot_i    (take[0] ? {1'b0, cfg_parity_i[0]} : {1'b1, cfg_parity_i[1]}),
      .cfg_i         (take[0] ? cfg_array_i : cfg_mover_i),
      .piece_valid_i (piece_valid),
      .piece_ready_o (piece_ready),
      .piece_parity_i(piece_parity),
      .piece_addr_i  (piece_addr),
      .piece_values_i(piece_values),
      .close_valid_i (close_valid),
      .close_parity_i(turn_q),
      .close_status_i(close_status),
      .close_ready_o (close_ready),
      .closed_o      (closed),
      .none_o        (none),
      .ccmd_valid_o,
      .ccmd_ready_i,
      .ccmd_o,
      .ack_valid_i,
      .ack_tag_i,
      .ack_status_i,
      .bad_o         (bad),
      .bad_status_o  (bad_status),
      .sent_o,
      .sent_bytes_o,
      .busy_o        (send_busy)
  );

  assign busy_o = take != '0 || own_valid_q || q_busy != '0 || cut_busy != '0 || send_busy ||
                  err_i != '0;

  `FSH_ASSERT(a_ext, !ext_valid_i || open_o[{1'b0, ext_i.parity}])
  `FSH_ASSERT(a_emt, !emt_valid_i || open_o[{1'b0, emt_i.parity}])
endmodule

`default_nettype wire
