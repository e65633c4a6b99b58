/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx: mpirun of Open MPI, prterun, srun --mpi=pmix. Its library counts how often it
 * is opened, so that MPI in the same program has it, too; but closed by all, it cannot be
 * opened again: MPI_Init of Open MPI 4.1 fails then. See channel.h.
 */
#include "boot/channel.h"

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"

static struct {
    pmix_status_t (*init)(pmix_proc_t *proc, pmix_info_t info[], size_t n);
    pmix_status_t (*finalize)(const pmix_info_t info[], size_t n);
    pmix_status_t (*put)(pmix_scope_t scope, const char key[],
                         pmix_value_t *value);
    pmix_status_t (*commit)(void);
    pmix_status_t (*fence)(const pmix_proc_t procs[], size_t nprocs,
                           const pmix_info_t info[], size_t n);
    pmix_status_t (*get)(const pmix_proc_t *proc, const char key[],
                         const pmix_info_t info[], size_t n,
                         pmix_value_t **value);
    pmix_status_t (*abort)(int code, const char text[], pmix_proc_t procs[],
                           size_t nprocs);
    const char *(*error_string)(pmix_status_t status);
} pmix;

static const struct fsh_channel_function functions[] = {
    {"PMIx_Init", &pmix.init},
    {"PMIx_Finalize", &pmix.finalize},
    {"PMIx_Put", &pmix.put},
    {"PMIx_Commit", &pmix.commit},
    {"PMIx_Fence", &pmix.fence},
    {"PMIx_Get", &pmix.get},
    {"PMIx_Abort", &pmix.abort},
    {"PMIx_Error_string", &pmix.error_string},
    {NULL, NULL}};

static pmix_proc_t me;

static bool offered(void)
{
    const char *uri[] = {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4",
                         "PMIX_SERVER_URI3", "PMIX_SERVER_URI21",
                         "PMIX_SERVER_URI2"};

    if (getenv("PMIX_NAMESPACE") == NULL || getenv("PMIX_RANK") == NULL)
        return false;
    for (size_t i = 0; i < sizeof uri / sizeof uri[0]; i++)
        if (getenv(uri[i]) != NULL)
            return true;
    return false;
}

static bool succeeds(pmix_status_t status, const char *what)
{
    return status == PMIX_SUCCESS ||
           fsh_channel_fails("%s: %s", what, pmix.error_string(status));
}

static pmix_proc_t rank_of_job(uint32_t rank)
{
    pmix_proc_t proc = me;

    proc.rank = rank;
    return proc;
}

static bool get_number(const char *key, uint32_t *number)
{
    pmix_proc_t job = rank_of_job(PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;
    bool is;

    if (!succeeds(pmix.get(&job, key, NULL, 0, &value), key))
        return false;
    is = value->type == PMIX_UINT32;
    *number = value->data.uint32;
    free(value);
    return is || fsh_channel_fails("%s is no number of 32 bits", key);
}

/* As the launcher calls it; that is in the environment only, with some. */
static void name_host(char *name, size_t room)
{
    pmix_value_t *value = NULL;
    const char *said = getenv("PMIX_HOSTNAME");

    if (said != NULL) {
        snprintf(name, room, "%s", said);
    } else if (pmix.get(&me, PMIX_HOSTNAME, NULL, 0, &value) == PMIX_SUCCESS &&
               value->type == PMIX_STRING) {
        snprintf(name, room, "%s", value->data.string);
        free(value->data.string);
        free(value);
    } else {
        gethostname(name, room - 1);
    }
}

static void close_it(void)
{
    pmix.finalize(NULL, 0);
}

static bool open_it(struct fsh_channel_place *place)
{
    if (!fsh_channel_load("libpmix.so.2", functions,
                          "PMIx (Debian package libpmix2)") ||
        !succeeds(pmix.init(&me, NULL, 0), "PMIx_Init"))
        return false;
    place->rank = me.rank;
    if (!get_number(PMIX_JOB_SIZE, &place->size)) {
        close_it();
        return false;
    }
    if (!get_number(PMIX_LOCAL_SIZE, &place->here))
        place->here = 0;
    name_host(place->host, sizeof place->host);
    return true;
}

static bool put(const char *key, const void *bytes, size_t n)
{
    pmix_value_t value;

    memset(&value, 0, sizeof value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = (char *)(uintptr_t)bytes; /* copied */
    value.data.bo.size = n;
    return succeeds(pmix.put(PMIX_GLOBAL, key, &value), "PMIx_Put") &&
           succeeds(pmix.commit(), "PMIx_Commit");
}

static bool fence(void)
{
    pmix_proc_t job = rank_of_job(PMIX_RANK_WILDCARD);
    pmix_info_t collect;

    memset(&collect, 0, sizeof collect);
    snprintf(collect.key, sizeof collect.key, "%s", PMIX_COLLECT_DATA);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    return succeeds(pmix.fence(&job, 1, &collect, 1), "PMIx_Fence");
}

static bool get(uint32_t rank, const char *key, void *bytes, size_t n)
{
    pmix_proc_t proc = rank_of_job(rank);
    pmix_value_t *value = NULL;
    bool whole;
    pmix_status_t status = pmix.get(&proc, key, NULL, 0, &value);

    if (status == PMIX_ERR_NOT_FOUND)
        return fsh_channel_fails(
            "rank %u has not published %s; " FSH_CHANNEL_ONCE, rank, key);
    if (!succeeds(status, "PMIx_Get"))
        return false;
    whole = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == n;
    if (whole)
        memcpy(bytes, value->data.bo.bytes, n);
    if (value->type == PMIX_BYTE_OBJECT)
        free(value->data.bo.bytes);
    free(value);
    return whole || fsh_channel_fails("rank %u has published another size for "
                                      "%s: is it the same program?",
                                      rank, key);
}

static bool abort_job(int code, const char *why)
{
    return succeeds(pmix.abort(code, why, NULL, 0), "PMIx_Abort");
}

const struct fsh_channel_ops fsh_channel_pmix = {.name = "PMIx",
                                                 .offered = offered,
                                                 .open = open_it,
                                                 .put = put,
                                                 .fence = fence,
                                                 .get = get,
                                                 .abort = abort_job,
                                                 .close = close_it};
