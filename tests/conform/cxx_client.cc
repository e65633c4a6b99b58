// SPDX-License-Identifier: BSD-3-Clause
// A client in C++: handlers cast in the table, plain int arguments, names
// built by macros, all categories, put and get, barrier, BLOCKUNTIL.
#include "conform.h"

#include <gasnet_vis.h>

#include <algorithm>
#include <vector>

namespace {

enum { H_SHORT = 128, H_MEDIUM, H_LONG, H_DONE };

int done;

void h_short(gasnet_token_t token, int a)
{
    OK(gasnet_AMReplyShort1(token, H_DONE, a));
}

void h_medium(gasnet_token_t token, void *buf, size_t n, int a)
{
    CHECK_FILL(buf, n, static_cast<unsigned>(a));
    OK(gasnet_AMReplyShort1(token, H_DONE, a));
}

void h_done(gasnet_token_t token, int a)
{
    (void)token;
    CHECK_EQ(a, 3);
    conf_add(&done, 1);
}

gasnet_handlerentry_t table[] = {
    {H_SHORT, reinterpret_cast<void (*)()>(h_short)},
    {H_MEDIUM, reinterpret_cast<void (*)()>(h_medium)},
    {H_LONG, reinterpret_cast<void (*)()>(h_medium)},
    {H_DONE, reinterpret_cast<void (*)()>(h_done)}};

} // namespace

int main(int argc, char **argv)
{
    GASNET_BEGIN_FUNCTION();
    conf_start("cxx_client", &argc, &argv, table, CONF_COUNT(table), 1 << 20);
    std::vector<unsigned char> out(2000), back(2000);
    const std::size_t long_bytes =
        std::min(out.size(), gasnet_AMMaxLongRequest());
    conf_fill(out.data(), out.size(), 3);
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        const int before = conf_load(&done);
        unsigned char *dst = conf_addr(to) + conf.me * 4096;
        OK(gasnet_AMRequestShort1(to, H_SHORT, 3));
        OK(gasnet_AMRequestMedium1(to, H_MEDIUM, out.data(), 500, 3));
        OK(gasnet_AMRequestLong1(to, H_LONG, out.data(), long_bytes, dst, 3));
        CONF_WAIT(done, before + 3);
        gasnet_handle_t h =
            gasnet_put_nb(to, dst, out.data() + 1, out.size() - 1);
        gasnet_wait_syncnb(h);
        gasnet_get(back.data(), to, dst, out.size() - 1);
        CHECK_EQ(memcmp(back.data(), out.data() + 1, out.size() - 1), 0);
        gasnet_memvec_t far[1] = {{dst, out.size()}};
        gasnet_memvec_t near[2] = {{out.data() + 1000, out.size() - 1000},
                                   {out.data(), 1000}};
        gasnet_putv_bulk(to, 1, far, 2, near);
        gasnet_get(back.data(), to, dst, out.size() - 1000);
        CHECK_EQ(memcmp(back.data(), out.data() + 1000, out.size() - 1000), 0);
        gasnet_put_val(to, dst, 0x1234, 2);
        CHECK_EQ(gasnet_get_val(to, dst, 2), 0x1234);
    }
    gasnet_team_handle_t team = gasnet_coll_team_split(
        GASNET_TEAM_ALL, conf.me % 2, conf.me, nullptr);
    std::vector<int> all(gasnet_coll_team_size(team));
    int mine = static_cast<int>(conf.me) * 3;
    void *list[1] = {&mine};
    void *lists[1] = {all.data()};
    gasnet_coll_gather_allM(team, lists, list, sizeof mine,
                            GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC);
    for (int i = 0; i < static_cast<int>(all.size()); i++) {
        CHECK_EQ(all[i], gasnet_coll_team_rank2node(team, i) * 3);
    }
    conf_pass();
}
