// SPDX-License-Identifier: BSD-3-Clause
// The checkers of AXI4, AXI4-Lite and links against traffic that keeps to the rules, in random
// order and with random stalls, and against each way to break one: that is found at once,
// and called by its name.
#include <deque>
#include "broken.h"
#include "links.h"
#include "lite.h"
#include "reads.h"
#include "writes.h"

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_check", argc, argv);
    unsigned long long count = 0;

    count += writes(test);
    count += reads(test);
    count += lite(test);
    count += links(test);
    return test.pass(count, "transactions and broken rules");
}
