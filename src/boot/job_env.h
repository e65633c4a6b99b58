/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text by which a job travels to its processes: "key=value,key=value" in
 * one environment variable. Inside src/boot only.
 */
#ifndef FSH_JOB_ENV_H
#define FSH_JOB_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/job.h"

#define FSH_JOB_ENV "FSHMEM_JOB"
#define FSH_JOB_SIM_ENV "FSHMEM_SIM_JOB"

/* What a rank is told. Descriptors are -1 where the job has none. */
struct fsh_job_ticket {
    uint32_t rank;
    int page_fd, shared_fd, dram_fd, dma_fd, mmio_fd;
    int life_fd, abort_fd;
};

/* Value of key in text as a decimal number; false if it is not there or no
 * number. */
bool fsh_job_env_number(const char *text, const char *key, long long *value);
/* The same as a word, cut at len. */
bool fsh_job_env_word(const char *text, const char *key, char *word,
                      size_t len);

/* What `rank` of a job is told; life_fd: the descriptor whose end is the job's. */
struct fsh_job;
struct fsh_job_ticket fsh_job_ticket(const struct fsh_job *job, uint32_t rank,
                                     int life_fd);

/* A ticket as text of FSH_JOB_ENV, cut at len, and back; false: not one of these, or
 * a part is missing. */
void fsh_job_ticket_write(const struct fsh_job_ticket *ticket, char *text,
                          size_t len);
bool fsh_job_ticket_read(struct fsh_job_ticket *ticket, const char *text);

/* Set or clear FD_CLOEXEC; -1 is ignored. */
void fsh_job_cloexec(int fd, bool on);

/* Map the control page and check that it is one of this release. Returns NULL
 * with errno set (EINVAL: another release or no control page). */
struct fsh_job_page *fsh_job_map_page(int fd);

#endif
