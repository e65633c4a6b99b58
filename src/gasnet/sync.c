/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronises explicit and implicit operations, and access regions. Every try
 * polls once unless its name says nopoll. Client threads only.
 */
#include "base/log.h"
#include "gasnet/internal.h"

/* ---- explicit ---- */

/* Releases completed operations and overwrites their handles. Returns the
 * number of valid handles found, and how many are left. */
static size_t sweep(gasnet_handle_t *handles, size_t n, size_t *left,
                    const char *call)
{
    size_t valid = 0;

    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "handles", handles, n);
    *left = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        valid++;
        if (fsh_slot_finish(handles[i], call))
            handles[i] = GASNET_INVALID_HANDLE;
        else
            ++*left;
    }
    return valid;
}

int fsh_sync_try_all(gasnet_handle_t *handles, size_t n, const char *call)
{
    size_t left;

    sweep(handles, n, &left, call);
    return left == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int fsh_sync_try_some(gasnet_handle_t *handles, size_t n, const char *call)
{
    size_t left, valid = sweep(handles, n, &left, call);

    return valid == 0 || left < valid ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void fsh_sync_wait(gasnet_handle_t handle, const char *call)
{
    struct fsh_wait wait = {0};

    FSH_CALL(call);
    while (!fsh_slot_finish(handle, call))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

void fsh_sync_wait_all(gasnet_handle_t *handles, size_t n, const char *call)
{
    struct fsh_wait wait = {0};

    FSH_CALL(call);
    for (size_t i = 0; i < n; i++) {
        while (!fsh_slot_finish(handles[i], call))
            fsh_wait_step(&wait, call);
        handles[i] = GASNET_INVALID_HANDLE;
    }
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

void fsh_sync_wait_some(gasnet_handle_t *handles, size_t n, const char *call)
{
    struct fsh_wait wait = {0};

    FSH_CALL(call);
    while (fsh_sync_try_some(handles, n, call) != GASNET_OK)
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    fsh_sync_wait(handle, "gasnet_wait_syncnb");
}

int gasnet_try_syncnb_nopoll(gasnet_handle_t handle)
{
    static const char call[] = "gasnet_try_syncnb_nopoll";

    FSH_CALL(call);
    return fsh_slot_finish(handle, call) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

int gasnet_try_syncnb(gasnet_handle_t handle)
{
    static const char call[] = "gasnet_try_syncnb";

    FSH_CALL(call);
    fsh_gasnet_poll_once(call);
    return fsh_slot_finish(handle, call) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    static const char call[] = "gasnet_wait_syncnb_all";

    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "handles", handles, n);
    fsh_sync_wait_all(handles, n, call);
}

int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_try_syncnb_all_nopoll");
    return fsh_sync_try_all(handles, n, "gasnet_try_syncnb_all_nopoll");
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_try_syncnb_all");
    fsh_gasnet_poll_once("gasnet_try_syncnb_all");
    return fsh_sync_try_all(handles, n, "gasnet_try_syncnb_all");
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    fsh_sync_wait_some(handles, n, "gasnet_wait_syncnb_some");
}

int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_try_syncnb_some_nopoll");
    return fsh_sync_try_some(handles, n, "gasnet_try_syncnb_some_nopoll");
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    FSH_CALL("gasnet_try_syncnb_some");
    fsh_gasnet_poll_once("gasnet_try_syncnb_some");
    return fsh_sync_try_some(handles, n, "gasnet_try_syncnb_some");
}

/* ---- implicit ---- */

enum which { GETS = 1, PUTS = 2, BOTH = 3 };

static struct fsh_thread *outside_region(const char *call)
{
    struct fsh_thread *self = fsh_thread_self();

    if (self->region != 0)
        fsh_fatal("%s: called inside an access region (since "
                  "gasnet_begin_nbi_accessregion)",
                  call);
    return self;
}

static bool implicit_done(struct fsh_thread *self, enum which which)
{
    return (!(which & GETS) || fsh_event_done(&self->gets)) &&
           (!(which & PUTS) || fsh_event_done(&self->puts));
}

static void wait_nbi(const char *call, enum which which)
{
    struct fsh_thread *self = outside_region(call);
    struct fsh_wait wait = {0};

    FSH_CALL(call);
    while (!implicit_done(self, which))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

static int try_nbi(const char *call, enum which which)
{
    struct fsh_thread *self = outside_region(call);

    FSH_CALL(call);
    fsh_gasnet_poll_once(call);
    return implicit_done(self, which) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnbi_gets(void)
{
    wait_nbi("gasnet_wait_syncnbi_gets", GETS);
}

void gasnet_wait_syncnbi_puts(void)
{
    wait_nbi("gasnet_wait_syncnbi_puts", PUTS);
}

void gasnet_wait_syncnbi_all(void)
{
    wait_nbi("gasnet_wait_syncnbi_all", BOTH);
}

int gasnet_try_syncnbi_gets(void)
{
    return try_nbi("gasnet_try_syncnbi_gets", GETS);
}

int gasnet_try_syncnbi_puts(void)
{
    return try_nbi("gasnet_try_syncnbi_puts", PUTS);
}

int gasnet_try_syncnbi_all(void)
{
    return try_nbi("gasnet_try_syncnbi_all", BOTH);
}

void gasnet_begin_nbi_accessregion(void)
{
    struct fsh_thread *self = fsh_thread_self();

    FSH_CALL("gasnet_begin_nbi_accessregion");
    if (self->region != 0)
        fsh_fatal("gasnet_begin_nbi_accessregion: called inside an access "
                  "region; they do not nest");
    self->region = fsh_slot_take(self) + 1;
}

gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    struct fsh_thread *self = fsh_thread_self();
    uint32_t region = self->region;

    FSH_CALL("gasnet_end_nbi_accessregion");
    if (region == 0)
        fsh_fatal("gasnet_end_nbi_accessregion: called without "
                  "gasnet_begin_nbi_accessregion");
    self->region = 0;
    return fsh_slot_close(self, region - 1);
}
