/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report of the trace that is standard input, to standard output: run.py makes the
 * traces. 1 with a message if it is none. The argument is the command it is of.
 */
#include <stdio.h>

#include "run.h"

int main(int argc, char **argv)
{
    struct run_job job = {.command = argc > 1 ? argv[1] : "", .seconds = 1};
    char err[200];
    struct run run;

    if (!run_read(&run, stdin, err, sizeof(err))) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    run_write(stdout, &run, &job);
    run_free(&run);
    return fflush(stdout) == 0 ? 0 : 1;
}
