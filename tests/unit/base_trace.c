/* SPDX-License-Identifier: BSD-3-Clause */
/* Records say how long what they tell took in 32 bits: what took longer ends when it
 * ended, and is as long as can be. */
#include "base/trace.h"

#include "check.h"

static void made(uint64_t ts, uint64_t now, uint64_t begin, uint32_t late)
{
    struct fsh_trace_record record = {.ts = ts};

    fsh_trace_made(&record, now);
    CHECK(record.ts == begin && record.late == late, "%llu + %u",
          (unsigned long long)record.ts, record.late);
}

int main(void)
{
    made(7, 7, 7, 0);
    made(7, 10, 7, 3);
    made(5, 5 + (uint64_t)UINT32_MAX, 5, UINT32_MAX);
    made(5, 6 + (uint64_t)UINT32_MAX, 6, UINT32_MAX);
    made(0, UINT64_C(1) << 40, (UINT64_C(1) << 40) - UINT32_MAX, UINT32_MAX);
    puts("trace: pass");
    return 0;
}
