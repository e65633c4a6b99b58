/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All forms of put, get and memset. Each is one of three primitives (put, get,
 * memset) on an event: on the stack for blocking calls, in a slot for explicit
 * handles, in the thread's counters or access region for implicit ones. Client
 * threads only.
 */
#include "base/log.h"
#include "base/spin.h"
#include "gasnet/internal.h"

/* bulk: src must not change until the event is complete. */
static void do_put(const char *call, uint32_t node, void *dest, const void *src,
                   size_t n, bool bulk, struct fsh_event *event)
{
    fsh_call_about(node, n);
    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "src", src, n);
    /* An empty range may lie outside the segment, but the node must exist. */
    if (n == 0 && node < fsh_gasnet.nodes)
        return;
    fsh_check_range(call, node, dest, n);
    fsh_gasnet.ops->put(node, dest, src, n, bulk ? event : NULL, event);
}

static void do_get(const char *call, void *dest, uint32_t node, const void *src,
                   size_t n, struct fsh_event *event)
{
    fsh_call_about(node, n);
    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "dest", dest, n);
    if (n == 0 && node < fsh_gasnet.nodes)
        return;
    fsh_check_range(call, node, src, n);
    fsh_gasnet.ops->get(dest, node, src, n, event);
}

static void do_memset(const char *call, uint32_t node, void *dest, int val,
                      size_t n, struct fsh_event *event)
{
    fsh_call_about(node, n);
    if (n == 0 && node < fsh_gasnet.nodes)
        return;
    fsh_check_range(call, node, dest, n);
    fsh_memset_start(node, dest, val, n, event);
}

static void check_value(const char *call, size_t n)
{
    if (n < 1 || n > sizeof(gasnet_register_value_t))
        fsh_fatal("%s: nbytes is %zu, but a value has 1 to %zu bytes", call, n,
                  sizeof(gasnet_register_value_t));
}

/* The address of a value's low n bytes in memory order. */
static const char *low_bytes(const gasnet_register_value_t *value, size_t n)
{
#if defined(PLATFORM_ARCH_BIG_ENDIAN)
    return (const char *)(value + 1) - n;
#else
    (void)n;
    return (const char *)value;
#endif
}

/* ---- blocking ---- */

static void put_blocking(const char *call, uint32_t node, void *dest,
                         const void *src, size_t n)
{
    struct fsh_event event = {0};

    FSH_CALL(call);
    do_put(call, node, dest, src, n, true, &event);
    fsh_wait_put(&event, call, node, n);
}

void fsh_wait_put(struct fsh_event *event, const char *call, uint32_t node,
                  size_t n)
{
    if (fsh_event_done(event))
        fsh_call_done(call, n);
    else
        fsh_wait_event(event, call, node);
}

void fsh_wait_get(struct fsh_event *event, const char *call, uint32_t node,
                  size_t n)
{
    if (!fsh_event_done(event)) {
        fsh_wait_event(event, call, node);
        return;
    }
    /* A loop of gets may spin on a word of a rank that has no processor: yield. */
    if (fsh_poll_is_due(n))
        fsh_gasnet_poll_due(call, fsh_spin_crowded());
}

static void get_blocking(const char *call, void *dest, uint32_t node,
                         const void *src, size_t n)
{
    struct fsh_event event = {0};

    FSH_CALL(call);
    do_get(call, dest, node, src, n, &event);
    fsh_wait_get(&event, call, node, n);
}

void gasnet_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    put_blocking("gasnet_put", node, dest, src, nbytes);
}

void gasnet_put_bulk(gasnet_node_t node, void *dest, const void *src,
                     size_t nbytes)
{
    put_blocking("gasnet_put_bulk", node, dest, src, nbytes);
}

void gasnet_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    get_blocking("gasnet_get", dest, node, src, nbytes);
}

void gasnet_get_bulk(void *dest, gasnet_node_t node, const void *src,
                     size_t nbytes)
{
    get_blocking("gasnet_get_bulk", dest, node, src, nbytes);
}

void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    struct fsh_event event = {0};

    FSH_CALL("gasnet_memset");
    do_memset("gasnet_memset", node, dest, val, nbytes, &event);
    fsh_wait_put(&event, "gasnet_memset", node, nbytes);
}

void gasnet_put_val(gasnet_node_t node, void *dest,
                    gasnet_register_value_t value, size_t nbytes)
{
    check_value("gasnet_put_val", nbytes);
    put_blocking("gasnet_put_val", node, dest, low_bytes(&value, nbytes),
                 nbytes);
}

gasnet_register_value_t gasnet_get_val(gasnet_node_t node, const void *src,
                                       size_t nbytes)
{
    gasnet_register_value_t value = 0;

    check_value("gasnet_get_val", nbytes);
    get_blocking("gasnet_get_val", (char *)(uintptr_t)low_bytes(&value, nbytes),
                 node, src, nbytes);
    return value;
}

/* ---- explicit handle ---- */

static gasnet_handle_t put_nb(const char *call, uint32_t node, void *dest,
                              const void *src, size_t n, bool bulk)
{
    FSH_CALL(call);
    struct fsh_thread *self = fsh_thread_self();
    uint32_t index = fsh_slot_take(self);

    do_put(call, node, dest, src, n, bulk, &fsh_slot_at(index)->event);
    return fsh_slot_started(self, index, call, n);
}

static gasnet_handle_t get_nb(const char *call, void *dest, uint32_t node,
                              const void *src, size_t n)
{
    FSH_CALL(call);
    struct fsh_thread *self = fsh_thread_self();
    uint32_t index = fsh_slot_take(self);

    do_get(call, dest, node, src, n, &fsh_slot_at(index)->event);
    return fsh_slot_started(self, index, call, n);
}

gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, const void *src,
                              size_t nbytes)
{
    return put_nb("gasnet_put_nb", node, dest, src, nbytes, false);
}

gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest,
                                   const void *src, size_t nbytes)
{
    return put_nb("gasnet_put_nb_bulk", node, dest, src, nbytes, true);
}

gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                  gasnet_register_value_t value, size_t nbytes)
{
    check_value("gasnet_put_nb_val", nbytes);
    return put_nb("gasnet_put_nb_val", node, dest, low_bytes(&value, nbytes),
                  nbytes, false);
}

gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, const void *src,
                              size_t nbytes)
{
    return get_nb("gasnet_get_nb", dest, node, src, nbytes);
}

gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node,
                                   const void *src, size_t nbytes)
{
    return get_nb("gasnet_get_nb_bulk", dest, node, src, nbytes);
}

gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val,
                                 size_t nbytes)
{
    FSH_CALL("gasnet_memset_nb");
    struct fsh_thread *self = fsh_thread_self();
    uint32_t index = fsh_slot_take(self);

    do_memset("gasnet_memset_nb", node, dest, val, nbytes,
              &fsh_slot_at(index)->event);
    return fsh_slot_started(self, index, "gasnet_memset_nb", nbytes);
}

/* The value waits in the slot, so the handle stays open even if it has already
 * arrived. */
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, const void *src,
                                         size_t nbytes)
{
    struct fsh_thread *self = fsh_thread_self();
    uint32_t index;
    struct fsh_slot *slot;

    FSH_CALL("gasnet_get_nb_val");
    check_value("gasnet_get_nb_val", nbytes);
    index = fsh_slot_take(self);
    slot = fsh_slot_at(index);
    slot->value = 0;
    slot->is_value = true;
    do_get("gasnet_get_nb_val",
           (char *)(uintptr_t)low_bytes(&slot->value, nbytes), node, src,
           nbytes, &slot->event);
    return fsh_slot_handle(index);
}

gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    static const char call[] = "gasnet_wait_syncnb_valget";
    gasnet_register_value_t value;
    uint32_t index;
    struct fsh_slot *slot;
    struct fsh_wait wait = {0};

    FSH_CALL(call);
    slot = fsh_slot_find(handle, &index, call);
    if (slot == NULL)
        fsh_fatal("%s: handle %p has been synchronised before", call,
                  (void *)handle);
    if (FSH_GASNET_DEBUG && !slot->is_value)
        fsh_fatal("%s: handle %p is not one of gasnet_get_nb_val", call,
                  (void *)handle);
    while (!fsh_event_done(&slot->event))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    FSH_ASSERT(slot->is_value && slot->owner != NULL);
    value = slot->value;
    slot->is_value = false;
    fsh_slot_finish(handle, call);
    fsh_call_done(call, 0);
    return value;
}

/* ---- implicit handle ---- */

/* Ends a call that started an operation of n bytes on an event that other
 * operations may share. */
static void started(struct fsh_event *event, const char *call, size_t n)
{
    if (fsh_event_done(event))
        fsh_call_done(call, n);
}

static void put_nbi(const char *call, uint32_t node, void *dest,
                    const void *src, size_t n, bool bulk)
{
    struct fsh_event *event = fsh_event_implicit(fsh_thread_self(), true);

    FSH_CALL(call);
    do_put(call, node, dest, src, n, bulk, event);
    started(event, call, n);
}

static void get_nbi(const char *call, void *dest, uint32_t node,
                    const void *src, size_t n)
{
    struct fsh_event *event = fsh_event_implicit(fsh_thread_self(), false);

    FSH_CALL(call);
    do_get(call, dest, node, src, n, event);
    started(event, call, n);
}

void gasnet_put_nbi(gasnet_node_t node, void *dest, const void *src,
                    size_t nbytes)
{
    put_nbi("gasnet_put_nbi", node, dest, src, nbytes, false);
}

void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src,
                         size_t nbytes)
{
    put_nbi("gasnet_put_nbi_bulk", node, dest, src, nbytes, true);
}

void gasnet_put_nbi_val(gasnet_node_t node, void *dest,
                        gasnet_register_value_t value, size_t nbytes)
{
    check_value("gasnet_put_nbi_val", nbytes);
    put_nbi("gasnet_put_nbi_val", node, dest, low_bytes(&value, nbytes), nbytes,
            false);
}

void gasnet_get_nbi(void *dest, gasnet_node_t node, const void *src,
                    size_t nbytes)
{
    get_nbi("gasnet_get_nbi", dest, node, src, nbytes);
}

void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, const void *src,
                         size_t nbytes)
{
    get_nbi("gasnet_get_nbi_bulk", dest, node, src, nbytes);
}

void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    static const char call[] = "gasnet_memset_nbi";
    struct fsh_event *event = fsh_event_implicit(fsh_thread_self(), true);

    FSH_CALL(call);
    do_memset(call, node, dest, val, nbytes, event);
    started(event, call, nbytes);
}
