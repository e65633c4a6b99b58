/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronising explicit and implicit operations, and access regions. Every try
 * polls once, unless it says nopoll. Client threads only.
 */
#include "base/log.h"
#include "gasnet/internal.h"

/* ---- explicit ---- */

/* Finish what is done and mark it; returns how many valid handles there were
 * and how many of them are left. */
static size_t sweep(gasnet_handle_t *handles, size_t n, size_t *left,
                    const char *call)
{
    size_t valid = 0;

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

static int try_all(gasnet_handle_t *handles, size_t n, const char *call)
{
    size_t left;

    sweep(handles, n, &left, call);
    return left == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

static int try_some(gasnet_handle_t *handles, size_t n, const char *call)
{
    size_t left, valid = sweep(handles, n, &left, call);

    return valid == 0 || left < valid ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    static const char call[] = "gasnet_wait_syncnb";
    struct fsh_wait wait = {0};

    while (!fsh_slot_finish(handle, call))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
}

int gasnet_try_syncnb_nopoll(gasnet_handle_t handle)
{
    return fsh_slot_finish(handle, "gasnet_try_syncnb_nopoll")
               ? GASNET_OK
               : GASNET_ERR_NOT_READY;
}

int gasnet_try_syncnb(gasnet_handle_t handle)
{
    fsh_gasnet_poll_once("gasnet_try_syncnb");
    return fsh_slot_finish(handle, "gasnet_try_syncnb") ? GASNET_OK
                                                        : GASNET_ERR_NOT_READY;
}

void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    static const char call[] = "gasnet_wait_syncnb_all";
    struct fsh_wait wait = {0};

    for (size_t i = 0; i < n; i++) {
        while (!fsh_slot_finish(handles[i], call))
            fsh_wait_step(&wait, call);
        handles[i] = GASNET_INVALID_HANDLE;
    }
    fsh_wait_end(&wait);
}

int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t n)
{
    return try_all(handles, n, "gasnet_try_syncnb_all_nopoll");
}

int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t n)
{
    fsh_gasnet_poll_once("gasnet_try_syncnb_all");
    return try_all(handles, n, "gasnet_try_syncnb_all");
}

void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    static const char call[] = "gasnet_wait_syncnb_some";
    struct fsh_wait wait = {0};

    while (try_some(handles, n, call) != GASNET_OK)
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
}

int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t n)
{
    return try_some(handles, n, "gasnet_try_syncnb_some_nopoll");
}

int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t n)
{
    fsh_gasnet_poll_once("gasnet_try_syncnb_some");
    return try_some(handles, n, "gasnet_try_syncnb_some");
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

    while (!implicit_done(self, which))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
}

static int try_nbi(const char *call, enum which which)
{
    struct fsh_thread *self = outside_region(call);

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

    if (self->region != 0)
        fsh_fatal("gasnet_begin_nbi_accessregion: called inside an access "
                  "region; they do not nest");
    self->region = fsh_slot_take(self) + 1;
}

gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    struct fsh_thread *self = fsh_thread_self();
    uint32_t region = self->region;

    if (region == 0)
        fsh_fatal("gasnet_end_nbi_accessregion: called without "
                  "gasnet_begin_nbi_accessregion");
    self->region = 0;
    return fsh_slot_close(self, region - 1);
}
