/* SPDX-License-Identifier: BSD-3-Clause */
/* See bell.h. */
#include "conduit/smp/bell.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/smp/ring.h"

/* Where a rank's pipe is: its end in its process. */
struct card {
    int32_t pid, fd;
};

/* For reading, too: the end of its owner is then no error for who rings, and no
 * signal. */
static int open_bell(const struct card *card)
{
    char path[64];

    if (card->fd < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", card->pid, card->fd);
    return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void *make(uint32_t n, size_t each)
{
    void *array = calloc(n, each);

    if (array == NULL)
        fsh_fatal("conduit smp: no memory for the bells of %u ranks", n);
    return array;
}

void fsh_smp_bells_hang(struct fsh_smp_bells *bells, uint32_t rank,
                        uint32_t ranks, const uint32_t *index)
{
    struct card mine = {(int32_t)getpid(), -1}, *all = make(ranks, sizeof *all);
    uint32_t *deaf = make(ranks, sizeof *deaf), failed = 0;
    int ends[2];

    bells->to = make(ranks, sizeof *bells->to);
    bells->mine = -1;
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0) {
        bells->mine = ends[0];
        mine.fd = ends[1];
    }
    fsh_boot_exchange(&mine, sizeof mine, all);
    for (uint32_t r = 0; r < ranks; r++)
        bells->to[r] = -1;
    for (uint32_t r = 0; r < ranks; r++) {
        int fd = r == rank ? mine.fd : -1;

        if (index[r] == FSH_SMP_ELSEWHERE)
            continue;
        if (r != rank)
            fd = open_bell(&all[r]);
        bells->to[index[r]] = fd;
        failed |= fd < 0;
    }
    fsh_boot_exchange(&failed, sizeof failed, deaf);
    for (uint32_t r = 0; r < ranks; r++)
        bells->deaf |= index[r] != FSH_SMP_ELSEWHERE && deaf[r] != 0;
    free(deaf);
    free(all);
}

void fsh_smp_bells_hush(const struct fsh_smp_bells *bells)
{
    char rung[256];

    while (bells->mine >= 0 &&
           read(bells->mine, rung, sizeof rung) == (ssize_t)sizeof rung)
        ;
}
