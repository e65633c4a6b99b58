/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding of commands: every field is returned by the generated getters, reserved
 * bits are zero, arguments and inline payload are at the specified positions, and
 * commands that do not fit are reported as such.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conduit/fpga/command.h"
#include "check.h"

static int32_t args[FSH_MAX_ARGS];
static unsigned char data[FSH_MAX_PACKET];

static void check_body(const struct fsh_fpga_command *cmd,
                       const struct fsh_fpga_desc *d)
{
    const unsigned char *bytes = (const unsigned char *)cmd->words;
    size_t at = 32 + (d->nargs + 3u) / 4 * 16;

    CHECK(memcmp(bytes + 32, d->args, d->nargs * 4u) == 0, "arguments");
    for (size_t i = 32 + d->nargs * 4u; i < at; i++)
        CHECK(bytes[i] == 0, "padding of the arguments");
    if (d->lspace == FSH_SPACE_INLINE) {
        CHECK(memcmp(bytes + at, d->data, d->length) == 0, "payload");
        at += d->length;
    }
    CHECK(at <= cmd->entries * FSH_ENTRY_BYTES &&
              at + FSH_ENTRY_BYTES > cmd->entries * FSH_ENTRY_BYTES,
          "%u entries for %zu bytes", cmd->entries, at);
    /* What the host writes: whole rows, and none that the device leaves out. */
    CHECK(cmd->used == (at + 15) / 16 * 2, "%u words for %zu bytes", cmd->used,
          at);
}

static void check_command(const struct fsh_fpga_desc *d)
{
    struct fsh_fpga_command cmd;
    const uint64_t *w = cmd.words;
    bool in_line = d->lspace == FSH_SPACE_INLINE;

    memset(&cmd, 0xee, sizeof cmd);
    fsh_fpga_encode(&cmd, d);
    CHECK(fsh_cmd_opcode(w) == d->opcode, "opcode");
    CHECK(fsh_cmd_category(w) == d->category, "category");
    CHECK(fsh_cmd_reply(w) == d->reply, "reply");
    CHECK(fsh_cmd_ack(w) == d->ack, "ack");
    CHECK(fsh_cmd_ordered(w) == d->ordered, "ordered");
    CHECK(fsh_cmd_rspace(w) == d->rspace, "rspace");
    CHECK(fsh_cmd_lspace(w) == d->lspace, "lspace");
    CHECK(fsh_cmd_dst(w) == d->node, "dst");
    CHECK(fsh_cmd_nargs(w) == d->nargs, "nargs");
    CHECK(fsh_cmd_tag(w) == d->tag, "tag");
    CHECK(fsh_cmd_raddr(w) == d->raddr, "raddr");
    CHECK(fsh_cmd_laddr(w) == (in_line ? 0 : d->laddr), "laddr");
    CHECK(fsh_cmd_length(w) == d->length, "length");
    CHECK(fsh_cmd_entries(w) == cmd.entries - 1, "entries");
    CHECK(fsh_cmd_check(w) == FSH_CMD_CHECK, "check");
    CHECK((w[0] & ~FSH_CMD_USED_W0) == 0 && (w[2] & ~FSH_CMD_USED_W2) == 0 &&
              (w[3] & ~FSH_CMD_USED_W3) == 0,
          "reserved bits");
    check_body(&cmd, d);
}

static void check_fields(void)
{
    struct fsh_fpga_desc d = {.opcode = 255,
                              .category = FSH_CAT_LONG,
                              .reply = true,
                              .ack = true,
                              .ordered = true,
                              .rspace = FSH_SPACE_HOST,
                              .lspace = FSH_SPACE_HOST,
                              .node = 63,
                              .tag = 1023,
                              .nargs = 16,
                              .raddr = 0xfedcba9876,
                              .laddr = 0x123456789a,
                              .length = FSH_MAX_MESSAGE,
                              .args = args};

    check_command(&d);
    /* One flag at a time, so that none stands in for another. */
    struct fsh_fpga_desc z = {.opcode = 1, .args = args, .data = data};
    check_command(&z);
    z.reply = true;
    check_command(&z);
    z = (struct fsh_fpga_desc){.opcode = 1, .args = args, .ack = true};
    check_command(&z);
    z = (struct fsh_fpga_desc){.opcode = 1, .args = args, .ordered = true};
    check_command(&z);
}

static void check_inline(void)
{
    struct fsh_fpga_desc d = {.opcode = 128,
                              .category = FSH_CAT_MEDIUM,
                              .lspace = FSH_SPACE_INLINE,
                              .args = args,
                              .data = data};

    for (unsigned nargs = 0; nargs <= FSH_MAX_ARGS; nargs++) {
        for (unsigned n = 0; n <= FSH_MAX_PACKET; n++) {
            unsigned room = FSH_MAX_INLINE - (nargs + 3) / 4 * 16;
            CHECK(fsh_fpga_fits_inline(nargs, 0, n, FSH_MAX_PACKET) ==
                      (n <= room),
                  "%u bytes after %u arguments", n, nargs);
            CHECK(fsh_fpga_fits_inline(nargs, 0, n, FSH_MIN_PACKET) ==
                      (n <= FSH_MIN_PACKET && n <= room),
                  "%u bytes in small packets", n);
            if (n > room)
                continue;
            d.nargs = (uint8_t)nargs;
            d.length = n;
            check_command(&d);
        }
    }
    CHECK(fsh_fpga_fits_inline(0, 1000, 24, 1024), "end of a packet");
    CHECK(!fsh_fpga_fits_inline(0, 1000, 25, 1024), "over two packets");
    CHECK(fsh_fpga_fits_inline(0, 0x10000000ff, 1, 128), "last byte");
    CHECK(!fsh_fpga_fits_inline(0, 0x10000000ff, 2, 128), "one more");
    CHECK(!fsh_fpga_fits_inline(0, 0, (size_t)1 << 32, 1024), "4 GiB");
}

int main(void)
{
    for (unsigned i = 0; i < FSH_MAX_ARGS; i++)
        args[i] = (int32_t)(0x81000000u + i * 0x10101u);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + 1);
    check_fields();
    check_inline();
    CHECK(strcmp(fsh_fpga_op_name(FSH_OP_GET), "GET") == 0, "name");
    CHECK(strcmp(fsh_fpga_op_name(200), "active message") == 0, "name");
    CHECK(strcmp(fsh_fpga_status_name(FSH_STATUS_REMOTE_RANGE),
                 "REMOTE_RANGE") == 0,
          "name");
    CHECK(strcmp(fsh_fpga_status_name(99), "?") == 0, "name");
    puts("fpga_command: passed");
    return 0;
}
