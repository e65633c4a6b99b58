// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Compute core of a node: two queues of commands (array, mover), loader, array,
/// results, automatic remote transfer. Commands stand in the segment; a RUN
/// message names them (fsh_csink takes it). The units and the way of a
/// command through them: hw/rtl/README.md.
/// All outputs to the node and to memory are functions of registers, so a simulator
/// may leave out the logic behind the inputs while clk_i rests. Read data
/// and write responses are always taken, in order on each lane; bursts have one
/// beat. idle_o: no state changes until an input does (a command that waits for
/// its event keeps nothing awake).
module fsh_compute (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic         [47:0] cycle_i,
    output logic                     idle_o,
    // The node and the sink (fsh_csink).
    input  wire logic          [7:0] node_i,
    input  wire logic         [39:0] seg_base_i,
    input  wire logic         [39:0] seg_size_i,
    input  wire logic                run_valid_i,
    input  wire logic                run_queue_i,
    input  wire logic          [7:0] run_count_i,
    input  wire logic         [31:0] run_addr_i,
    output logic               [1:0] run_room_o,
    input  wire logic                sig_valid_i,
    input  wire logic          [5:0] sig_event_i,
    input  wire logic          [7:0] sig_inc_i,
    input  wire logic                ack_valid_i,
    input  wire logic          [3:0] ack_tag_i,
    input  wire logic          [3:0] ack_status_i,
    output logic                     ccmd_valid_o,
    input  wire logic                ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t      ccmd_o,
    input  wire logic                cperf_clear_i,
    input  wire logic                cperf_read_i,
    input  wire logic          [3:0] cperf_word_i,
    output logic                     cperf_valid_o,
    output logic              [47:0] cperf_data_o,
    // Device memory.
    output fsh_axi_pkg::lane_req_t   mem_req_o,
    input  wire fsh_axi_pkg::lane_rsp_t mem_rsp_i,
    input  wire logic       [2047:0] mem_rdata_i  // apart: nobody packs it in every cycle
);
  localparam int unsigned LOOP = fsh_fp_pkg::ARRAY_LOOP;
  localparam int unsigned DRAIN = fsh_fp_pkg::ARRAY_DRAIN;
  localparam int unsigned SETTLE = 16 + 8 + fsh_fp_pkg::ARRAY_SETTLE;

  // Reads. Clients: operands, results, commands of the array, of the mover.
  logic [3:0]          req_valid, req_ready, rsp_valid;
  logic                feed_ready;
  logic [31:0]         load_addr, ask_addr, elem_addr;
  logic [19:0]         load_stride;
  logic [3:0]          load_mask, elem_mask;
  fsh_cmp_pkg::feed_t  load_meta, feed_meta, ask_meta;
  fsh_cmp_pkg::elem_t  elem_meta;
  logic                load_valid, elem_valid, elem_ready, elem_busy;
  fsh_cout_pkg::read_t out_req;
  logic [63:0]         cmd_addr;
  logic [39:0]         cmd_stride;
  logic [7:0]          cmd_mask;
  logic [2047:0]       rsp_data;
  logic [1:0]          rsp_err;
  logic                read_busy;

  fsh_cread #(
      .META($bits(load_meta))
  ) i_read (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .seg_size_i,
      .req_valid_i (req_valid),
      .req_ready_o (req_ready),
      .req_addr_i  ({cmd_addr, out_req.addr, ask_addr}),
      .req_stride_i({cmd_stride, out_req.stride, elem_busy ? 20'd1 : load_stride}),
      .req_mask_i  ({cmd_mask, out_req.mask, elem_busy ? elem_mask : load_mask}),
      .req_meta_i  (ask_meta),
      .rsp_valid_o (rsp_valid),
      .rsp_ready_i (elem_busy ? elem_ready : feed_ready),
      .rsp_data_o  (rsp_data),
      .rsp_err_o   (rsp_err),
      .rsp_meta_o  (feed_meta),
      .m_arvalid_o(mem_req_o.arvalid),
      .m_arready_i(mem_rsp_i.arready),
      .m_araddr_o (mem_req_o.araddr),
      .m_rvalid_i (mem_rsp_i.rvalid),
      .m_rdata_i  (mem_rdata_i),
      .m_rerr_i   (mem_rsp_i.rerr),
      .busy_o      (read_busy)
  );

  // Commands.
  logic [1:0]          cmd_valid, cmd_ready, cmd_parity;
  logic [7:0]          cmd_status;
  fsh_spec_pkg::ccmd_t array_cmd, mover_cmd;
  logic                queues_busy;

  fsh_cqueues i_queues (
      .clk_i,
      .rst_i,
      .run_valid_i ({run_valid_i && run_queue_i, run_valid_i && !run_queue_i}),
      .run_count_i,
      .run_addr_i,
      .room_o      (run_room_o),
      .req_valid_o (req_valid[3:2]),
      .req_ready_i (req_ready[3:2]),
      .req_addr_o  (cmd_addr),
      .req_stride_o(cmd_stride),
      .req_mask_o  (cmd_mask),
      .rsp_valid_i (rsp_valid[3:2]),
      .rsp_data_i  (rsp_data[1023:0]),
      .rsp_err_i   (rsp_err),
      .sig_valid_i,
      .sig_event_i,
      .sig_inc_i,
      .wait_valid_o(),
      .wait_event_o(),
      .wait_count_o(),
      .cmd_valid_o (cmd_valid),
      .cmd_ready_i (cmd_ready),
      .cmd_o       ({mover_cmd, array_cmd}),
      .cmd_parity_o(cmd_parity),
      .cmd_status_o(cmd_status),
      .busy_o      (queues_busy)
  );

  // A command goes at once to all that it concerns: the loader, the steps
  // (through a queue of two), the end of commands. One that is element-wise runs by
  // itself: the one before it has ended, and it ends before the next one begins.
  logic load_ready, step_room, art_array, art_mover, does, element, loads, steps, enter;
  logic       alone_q;
  logic [3:0] open;
  assign element = array_cmd.op == fsh_spec_pkg::COP_AXPY ||
                   array_cmd.op == fsh_spec_pkg::COP_GATE || array_cmd.op == fsh_spec_pkg::COP_SUM;
  assign does    = array_cmd.op != fsh_spec_pkg::COP_NOP;
  assign loads   = does && !element;
  assign steps   = loads && array_cmd.op != fsh_spec_pkg::COP_ENCODE;
  assign enter   = cmd_valid[0] && art_array && (!loads || load_ready) && (!steps || step_room) &&
                   (!(element || alone_q) || open[1:0] == '0);

  always_ff @(posedge clk_i) begin
    if (enter) alone_q <= element;
    if (rst_i) alone_q <= 1'b0;
  end
  assign cmd_ready = {art_mover, enter};

  logic                load_busy, w_release, x_release;
  logic [9:0]          w_words, x_words;

  fsh_cload i_load (
      .clk_i,
      .rst_i,
      .cmd_valid_i (enter && loads),
      .cmd_ready_o (load_ready),
      .cmd_i       (array_cmd),
      .cmd_parity_i(cmd_parity[0]),
      .req_valid_o (load_valid),
      .req_ready_i (req_ready[0]),
      .req_addr_o  (load_addr),
      .req_stride_o(load_stride),
      .req_mask_o  (load_mask),
      .req_meta_o  (load_meta),
      .w_release_i (w_release),
      .w_words_i   (w_words),
      .x_release_i (x_release),
      .x_words_i   (x_words),
      .busy_o      (load_busy)
  );

  // Operands.
  logic               emit_room, blk_valid, w_done, x_done, feed_busy, emit_busy;
  logic [543:0]       blocks;
  fsh_cmp_pkg::feed_t blk_meta;
  logic               exp_valid, exp_ready, exp_cmd, emt_valid, emt_ready;
  logic [31:0]        exp_addr, issued, done;
  logic [511:0]       exp_data;
  fsh_cout_pkg::ext_t emt, ext;

  fsh_cfeed i_feed (
      .clk_i,
      .rst_i,
      .valid_i    (rsp_valid[0] && !elem_busy),
      .ready_o    (feed_ready),
      .data_i     (rsp_data),
      .meta_i     (feed_meta),
      .emit_room_i(emit_room),
      .valid_o    (blk_valid),
      .blocks_o   (blocks),
      .meta_o     (blk_meta),
      .w_done_o   (w_done),
      .x_done_o   (x_done),
      .busy_o     (feed_busy)
  );

  fsh_cemit i_emit (
      .clk_i,
      .rst_i,
      .valid_i    (blk_valid),
      .blocks_i   (blocks),
      .meta_i     (blk_meta),
      .room_o     (emit_room),
      .exp_valid_o(exp_valid),
      .exp_ready_i(exp_ready),
      .exp_addr_o (exp_addr),
      .exp_data_o (exp_data),
      .exp_cmd_o  (exp_cmd),
      .emt_valid_o(emt_valid),
      .emt_ready_i(emt_ready),
      .emt_o      (emt),
      .issued_i   (issued),
      .done_i     (done),
      .busy_o     (emit_busy)
  );

  // Element-wise commands.
  logic                 el_valid, el_add, el_loop, el_quad_valid, el_room;
  logic [2047:0]        el_a;
  fsh_cout_pkg::quad_t  el_quad;
  fsh_cout_pkg::group_t el_group;

  fsh_celem i_elem (
      .clk_i,
      .rst_i,
      .cmd_valid_i (enter && element),
      .cmd_i       (array_cmd),
      .cmd_parity_i(cmd_parity[0]),
      .busy_o      (elem_busy),
      .req_valid_o (elem_valid),
      .req_ready_i (req_ready[0]),
      .req_addr_o  (elem_addr),
      .req_mask_o  (elem_mask),
      .req_meta_o  (elem_meta),
      .rsp_valid_i (rsp_valid[0]),
      .rsp_ready_o (elem_ready),
      .rsp_data_i  (rsp_data),
      .rsp_meta_i  (feed_meta),
      .room_i      (el_room),
      .valid_o     (el_valid),
      .add_o       (el_add),
      .loop_o      (el_loop),
      .a_o         (el_a),
      .quad_valid_o(el_quad_valid),
      .quad_o      (el_quad),
      .group_o     (el_group)
  );

  assign req_valid[0] = load_valid || elem_valid;
  assign ask_addr     = elem_busy ? elem_addr : load_addr;
  assign ask_meta     = elem_busy ? elem_meta : load_meta;

  // Steps.
  logic                step_cmd_valid, step_cmd_ready, step_cmd_parity, step_busy;
  fsh_spec_pkg::ccmd_t step_cmd;
  logic                step_valid, step_first, step_bank, compute, load, full;
  logic [6:0]          step_index;
  logic [1087:0]       x_blocks;
  logic [2175:0]       w_blocks;
  logic                tile_valid, tile_ready, tile_done;
  fsh_cout_pkg::tile_t tile;

  fsh_fifo #(
      .WIDTH(1025),
      .DEPTH(2)
  ) i_step_cmd (
      .clk_i,
      .rst_i,
      .valid_i(enter && steps),
      .ready_o(step_room),
      .data_i ({cmd_parity[0], array_cmd}),
      .valid_o(step_cmd_valid),
      .ready_i(step_cmd_ready),
      .data_o ({step_cmd_parity, step_cmd}),
      .count_o()
  );

  fsh_cstep #(
      .LOOP  (LOOP),
      .SETTLE(SETTLE)
  ) i_step (
      .clk_i,
      .rst_i,
      .cmd_valid_i (step_cmd_valid),
      .cmd_ready_o (step_cmd_ready),
      .cmd_i       (step_cmd),
      .cmd_parity_i(step_cmd_parity),
      .blk_valid_i (blk_valid),
      .blk_i       (blocks),
      .blk_meta_i  (blk_meta),
      .w_done_i    (w_done),
      .x_done_i    (x_done),
      .w_release_o (w_release),
      .w_words_o   (w_words),
      .x_release_o (x_release),
      .x_words_o   (x_words),
      .step_valid_o(step_valid),
      .step_first_o(step_first),
      .step_bank_o (step_bank),
      .step_index_o(step_index),
      .x_o         (x_blocks),
      .w_o         (w_blocks),
      .tile_valid_o(tile_valid),
      .tile_ready_i(tile_ready),
      .tile_o      (tile),
      .tile_done_i (tile_done),
      .compute_o   (compute),
      .full_o      (full),
      .load_o      (load),
      .busy_o      (step_busy)
  );

  // Array and results.
  logic          rd_valid, rd_bank, rd_back;
  logic [6:0]    rd_index;
  logic [4095:0] rd_data;

  fsh_array i_array (
      .clk_i,
      .rst_i,
      .step_valid_i(step_valid),
      .step_first_i(step_first),
      .step_bank_i (step_bank),
      .step_index_i(step_index),
      .x_i         (x_blocks),
      .w_i         (w_blocks),
      .rd_valid_i  (rd_valid),
      .rd_bank_i   (rd_bank),
      .rd_index_i  (rd_index),
      .rd_valid_o  (rd_back),
      .rd_data_o   (rd_data)
  );

  logic [3:0]    wr_valid, wr_ready, wr_cmd, out_err, write_err, load_err;
  logic [127:0]  wr_addr;
  logic [2047:0] wr_data;
  logic [63:0]   wr_strb;
  logic          ext_valid, ext_ready, out_busy, write_busy;

  fsh_cout #(
      .DRAIN(DRAIN)
  ) i_out (
      .clk_i,
      .rst_i,
      .tile_valid_i(tile_valid),
      .tile_ready_o(tile_ready),
      .tile_i      (tile),
      .tile_done_o (tile_done),
      .rd_valid_o  (rd_valid),
      .rd_bank_o   (rd_bank),
      .rd_index_o  (rd_index),
      .rd_valid_i  (rd_back),
      .rd_data_i   (rd_data),
      .req_valid_o (req_valid[1]),
      .req_ready_i (req_ready[1]),
      .req_o       (out_req),
      .rsp_valid_i (rsp_valid[1]),
      .rsp_data_i  (rsp_data),
      .rsp_err_i   (rsp_err),
      .wr_valid_o  (wr_valid),
      .wr_ready_i  (wr_ready),
      .wr_addr_o   (wr_addr),
      .wr_data_o   (wr_data),
      .wr_strb_o   (wr_strb),
      .wr_cmd_o    (wr_cmd),
      .issued_i    (issued),
      .done_i      (done),
      .ext_valid_o (ext_valid),
      .ext_ready_i (ext_ready),
      .ext_o       (ext),
      .el_valid_i  (el_valid),
      .el_add_i    (el_add),
      .el_loop_i   (el_loop),
      .el_a_i      (el_a),
      .el_b_i      (rsp_data),
      .el_quad_valid_i(el_quad_valid),
      .el_quad_i   (el_quad),
      .el_group_i  (el_group),
      .el_room_o   (el_room),
      .err_o       (out_err),
      .busy_o      (out_busy)
  );

  fsh_cwrite i_write (
      .clk_i,
      .rst_i,
      .seg_base_i,
      .seg_size_i,
      .wr_valid_i (wr_valid),
      .wr_ready_o (wr_ready),
      .wr_addr_i  (wr_addr),
      .wr_data_i  (wr_data),
      .wr_strb_i  (wr_strb),
      .wr_cmd_i   (wr_cmd),
      .exp_valid_i(exp_valid),
      .exp_ready_o(exp_ready),
      .exp_addr_i (exp_addr),
      .exp_data_i (exp_data),
      .exp_cmd_i  (exp_cmd),
      .issued_o   (issued),
      .done_o     (done),
      .err_o      (write_err),
      .m_awvalid_o(mem_req_o.awvalid),
      .m_awready_i(mem_rsp_i.awready),
      .m_awaddr_o (mem_req_o.awaddr),
      .m_wvalid_o (mem_req_o.wvalid),
      .m_wready_i (mem_rsp_i.wready),
      .m_wdata_o  (mem_req_o.wdata),
      .m_wstrb_o  (mem_req_o.wstrb),
      .m_bvalid_i (mem_rsp_i.bvalid),
      .m_berr_i   (mem_rsp_i.berr),
      .busy_o     (write_busy)
  );

  // The end of commands.
  logic       work, over, sent, art_busy;
  logic [23:0] sent_bytes;

  assign load_err = rsp_valid[0] && (elem_busy ? elem_ready : feed_ready)
                    ? (feed_meta.parity ? {rsp_err, 2'b00} : {2'b00, rsp_err}) : '0;

  fsh_art i_art (
      .clk_i,
      .rst_i,
      .node_i,
      .cfg_array_valid_i(enter),
      .cfg_array_ready_o(art_array),
      .cfg_mover_valid_i(cmd_valid[1]),
      .cfg_mover_ready_o(art_mover),
      .cfg_array_i (array_cmd),
      .cfg_mover_i (mover_cmd),
      .cfg_parity_i(cmd_parity),
      .cfg_status_i(cmd_status),
      .ext_valid_i (ext_valid),
      .ext_ready_o (ext_ready),
      .ext_i       (ext),
      .emt_valid_i (emt_valid),
      .emt_ready_o (emt_ready),
      .emt_i       (emt),
      .done_i      (done),
      .err_i       (out_err | write_err | load_err),
      .ccmd_valid_o,
      .ccmd_ready_i,
      .ccmd_o,
      .ack_valid_i,
      .ack_tag_i,
      .ack_status_i,
      .open_o      (open),
      .work_o      (work),
      .over_o      (over),
      .sent_o      (sent),
      .sent_bytes_o(sent_bytes),
      .busy_o      (art_busy)
  );

  // Counters. The array and the mover may begin in the same cycle; one command ends
  // at a time.
  logic begun, count_busy;

  assign begun = (enter && does) ||
                 (cmd_valid[1] && art_mover && mover_cmd.op != fsh_spec_pkg::COP_NOP);

  fsh_ccount i_count (
      .clk_i,
      .rst_i,
      .cycle_i,
      .start_i     (begun),
      .end_i       (over),
      .signal_i    (sig_valid_i),
      .compute_i   (compute),
      .load_i      (load),
      .full_i      (full),
      .transfer_i  (work && !compute && !load && !full),
      .sent_i      (sent),
      .sent_bytes_i(sent_bytes),
      .clear_i     (cperf_clear_i),
      .read_i      (cperf_read_i),
      .word_i      (cperf_word_i),
      .valid_o     (cperf_valid_o),
      .data_o      (cperf_data_o),
      .busy_o      (count_busy)
  );

  always_ff @(posedge clk_i) begin
    idle_o <= !(rst_i || elem_busy || read_busy || queues_busy || load_busy || feed_busy ||
                emit_busy || step_cmd_valid || step_busy || out_busy || write_busy || art_busy ||
                cmd_valid != '0 || run_valid_i || sig_valid_i || ack_valid_i || ccmd_valid_o ||
                mem_rsp_i.rvalid != '0 || mem_rsp_i.bvalid != '0 || count_busy);
  end

  `FSH_ASSERT(assert_work, !(compute || load || full) || work)
endmodule

`default_nettype wire
