/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device interface: how conduit fpga reaches the hardware of one node. Registers
 * and submission windows take posted, ordered 64-bit writes; the DMA window is host
 * memory that the device reads and writes; the segment is device memory mapped into
 * its owner. Offsets are in bytes, times in nanoseconds. The conduit calls write,
 * patience, read and open_gate one at a time, under its lock; activity and wait may
 * be called on any thread. None of them polls or runs handlers, so handlers may cause
 * any of them. A device that stops responding ends the job with a message
 * (fsh_fatal).
 */
#ifndef FSH_DEVICE_H
#define FSH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_device; /* defined by each device */

/* Memory for the conduit, fixed after open. Owned by the device: valid, and
 * mapped here, until close. */
struct fsh_device_memory {
    unsigned char *dma; /* DMA window, offset 0 = HOST space address 0 */
    size_t dma_bytes;
    uint64_t dma_bus;       /* value for register HOST_BASE */
    unsigned char *segment; /* device memory mapped here */
    size_t segment_bytes;
    uint64_t segment_base; /* value for register SEG_BASE */
    bool simulated;
};

/* Simulated time of the hosts, in cycles of the nodes' clock. A rank runs only while
 * the fabric stands at its clock, and no other rank runs meanwhile. Of a rank's threads
 * one runs at a time: the one with the lowest clock, and among equals the lowest
 * number. Threads are numbered in the order of their first calls here. */
struct fsh_device_clock {
    /* Starts it: collective, once; returns at cycle 0. several: other threads of this
     * rank may join. */
    void (*begin)(struct fsh_device *dev, bool several);
    /* Lets this many cycles pass while others run. No effect in a signal handler that
     * interrupted a call here. */
    void (*spend)(struct fsh_device *dev, uint64_t cycles);
    /* The same for a check whether something has arrived, or a wait for it (0 cycles):
     * a rank all of whose threads only do this proceeds when others do something, or
     * never. */
    void (*look)(struct fsh_device *dev, uint64_t cycles);
    /* Declares that the thread will act on its own when its time comes. In its turn. */
    void (*busy)(struct fsh_device *dev);
    /* Returns when this thread has the turn; counts a new thread in. Call before other
     * device calls. */
    void (*enter)(struct fsh_device *dev);
    /* The thread will block elsewhere: others run until it enters again; if there are
     * none, time stands still. Does not wait. */
    void (*block)(struct fsh_device *dev);
    /* Whether it takes turns, and currently has the turn. */
    bool (*runs)(const struct fsh_device *dev);
    /* When the rank ends, this thread stops for good. */
    void (*daemon)(struct fsh_device *dev);
    /* The number of threads that have ever entered. */
    unsigned (*threads)(const struct fsh_device *dev);
    /* Call in the child of a fork: excludes it from simulated time. */
    void (*forked)(struct fsh_device *dev);
    /* Cycles since begin; constant after end. Never waits. */
    uint64_t (*now)(const struct fsh_device *dev);
    /* Ends it: this rank runs freely, and time does not wait for it. */
    void (*end)(struct fsh_device *dev);
};

struct fsh_device_ops {
    const char *name;                     /* as in FSHMEM_DEVICE */
    const struct fsh_device_clock *clock; /* NULL: no simulated time */
    /* Whether this device can be used on this host, outside a job. If not, `why` holds
     * the reason and the remedy. */
    bool (*usable)(char *why, size_t whylen);
    /* Opens the device of this rank's node, after fsh_boot_init; fills in *mem.
     * Pass the result to close, once. Never NULL: failures are fatal with a
     * message. */
    struct fsh_device *(*open)(struct fsh_device_memory *mem);
    /* Unmaps its memory and frees dev; neither may be used afterwards. Earlier writes
     * still arrive. */
    void (*close)(struct fsh_device *dev);
    /* Posts writes of n consecutive 64-bit words at register offset `off`; they arrive
     * in order. All earlier stores of this thread to DMA window and segment are visible
     * to the device first. Does not wait for the device, except for room when it falls
     * behind. */
    void (*write)(struct fsh_device *dev, uint32_t off, const uint64_t *words,
                  unsigned n);
    /* Whether later writes may be delayed in favour of other ranks' work.
     * Initially false. A hint that the device may ignore. */
    void (*patience)(struct fsh_device *dev, bool patient);
    /* Reads a register; waits for all earlier writes and the answer, which
     * takes microseconds. Bounded; a timeout is fatal. */
    uint64_t (*read)(struct fsh_device *dev, uint32_t off);
    /* Counts device writes to the DMA window, for wait(); wraps. The data of a counted
     * write is visible after the call. */
    uint32_t (*activity)(struct fsh_device *dev);
    /* Sleeps until activity() != seen, at most max_ns (of simulated time, if the hosts
     * have it; 0: returns at once). May return early. */
    void (*wait)(struct fsh_device *dev, uint32_t seen, uint64_t max_ns);
    /* This rank has waited in vain and is about to fail: prints the state behind the
     * device to stderr, where that is accessible. Bounded: a second. Any thread. */
    void (*explain)(struct fsh_device *dev);
    /* Opens the start gate of every node of the fabric at the same cycle, after all
     * earlier writes of this rank. Does not wait for it. */
    void (*open_gate)(struct fsh_device *dev);
};

extern const struct fsh_device_ops fsh_device_sim;

/* All devices, NULL-terminated, and lookup by name (NULL if unknown). Static. */
extern const struct fsh_device_ops *const fsh_devices[];
const struct fsh_device_ops *fsh_device_find(const char *name);

#endif
