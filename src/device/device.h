/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device table: how conduit fpga reaches one node's hardware. Registers and
 * submission windows by posted, ordered 64-bit writes; a DMA window in host
 * memory that the device reads and writes; the segment, device memory mapped
 * into the owner. Offsets are bytes, times nanoseconds. The conduit calls write,
 * patience, read and open_gate one at a time, under its lock; activity and wait are
 * for any thread. None of them polls or runs handlers, so handlers may lead to all.
 * A device that does not answer any more ends the job with a message (fsh_fatal).
 */
#ifndef FSH_DEVICE_H
#define FSH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_device; /* each device's own */

/* Memory the conduit may use; fixed after open. The device's: valid, and mapped
 * here, until close. */
struct fsh_device_memory {
    unsigned char *dma; /* DMA window, offset 0 = HOST space address 0 */
    size_t dma_bytes;
    uint64_t dma_bus;       /* value for register HOST_BASE */
    unsigned char *segment; /* device memory mapped here */
    size_t segment_bytes;
    uint64_t segment_base; /* value for register SEG_BASE */
    bool simulated;
};

/* Simulated time of the hosts, in cycles of the nodes' clock: this rank runs only
 * while the fabric stands at its clock, and no other rank runs meanwhile. Of its threads
 * one runs at a time, the one whose clock is least, or of those the one with the least
 * number; a thread gets its number with its first call here. */
struct fsh_device_clock {
    /* Begin: collective, once; returns at cycle 0. several: other threads of this rank
     * may come, too. */
    void (*begin)(struct fsh_device *dev, bool several);
    /* Let so many cycles pass; others run meanwhile. In a signal handler that has
     * interrupted a call here: nothing. */
    void (*spend)(struct fsh_device *dev, uint64_t cycles);
    /* The same, for a look whether something has come, or a wait for it (0): a rank
     * whose threads do only this goes on when others do something, or never. */
    void (*look)(struct fsh_device *dev, uint64_t cycles);
    /* It is about to do something by itself, when its time comes. In its turn. */
    void (*busy)(struct fsh_device *dev);
    /* This thread runs on return, and is counted: before other calls of the device. */
    void (*enter)(struct fsh_device *dev);
    /* It will block elsewhere: others run until it enters again, or nobody, and time
     * stands still. Does not wait. */
    void (*block)(struct fsh_device *dev);
    /* Is it one of those that run in turns, and has it the turn? */
    bool (*runs)(const struct fsh_device *dev);
    /* When the rank ends, this thread stops for good. */
    void (*daemon)(struct fsh_device *dev);
    /* How many threads have come, ever. */
    unsigned (*threads)(const struct fsh_device *dev);
    /* In the child of a fork: it takes no part. */
    void (*forked)(struct fsh_device *dev);
    /* Cycles since the begin; after the end those at the end. Never waits. */
    uint64_t (*now)(const struct fsh_device *dev);
    /* End: this rank runs freely again, and time does not wait for it. */
    void (*end)(struct fsh_device *dev);
};

struct fsh_device_ops {
    const char *name;                     /* as FSHMEM_DEVICE has it */
    const struct fsh_device_clock *clock; /* NULL: hosts have no such time */
    /* Can this device be used on this host, outside a job? If not, the reason and
     * the remedy are put in `why`. */
    bool (*usable)(char *why, size_t whylen);
    /* The device of this rank's node, after fsh_boot_init; fills in *mem. To be
     * given to close, once. Never NULL: fatal with a message on failure. */
    struct fsh_device *(*open)(struct fsh_device_memory *mem);
    /* Unmap its memory and free dev; nothing may use either from here on. What was
     * written still arrives. */
    void (*close)(struct fsh_device *dev);
    /* Posted writes of n consecutive 64-bit words at register offset `off`;
     * arrive in order. All earlier stores of this thread to DMA window and
     * segment are visible to the device before the write is. Does not wait for the
     * device, but for room where the device is behind. */
    void (*write)(struct fsh_device *dev, uint32_t off, const uint64_t *words,
                  unsigned n);
    /* Can what is written from here on wait for work of other ranks? False at
     * first. A hint: the device may take no notice of it. */
    void (*patience)(struct fsh_device *dev, bool patient);
    /* Register read; waits for all earlier writes and the answer: microseconds.
     * Bounded, fatal on time-out. */
    uint64_t (*read)(struct fsh_device *dev, uint32_t off);
    /* Count of device writes to the DMA window, for wait(); wraps. What a counted
     * one wrote is visible after the call. */
    uint32_t (*activity)(struct fsh_device *dev);
    /* Sleep until activity() != seen or max_ns passed (of simulated time, if the
     * hosts have it); may return early. 0: returns at once. */
    void (*wait)(struct fsh_device *dev, uint32_t seen, uint64_t max_ns);
    /* This rank waits in vain, and is about to fail: say on stderr what stands behind
     * the device, where that can be seen. Bounded: a second. Any thread. */
    void (*explain)(struct fsh_device *dev);
    /* Open the start gate of every node of the fabric at one cycle, after all that
     * this rank has written. Does not wait for it. */
    void (*open_gate)(struct fsh_device *dev);
};

extern const struct fsh_device_ops fsh_device_sim;

/* All devices, NULL-terminated, and look-up by name (NULL if unknown). Static. */
extern const struct fsh_device_ops *const fsh_devices[];
const struct fsh_device_ops *fsh_device_find(const char *name);

#endif
