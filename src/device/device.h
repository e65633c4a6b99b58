/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device table: how conduit fpga reaches one node's hardware. Registers and
 * submission windows by posted, ordered 64-bit writes; a DMA window in host
 * memory that the device reads and writes; the segment, device memory mapped
 * into the owner. The conduit holds a lock around write bursts that belong
 * together; the device itself serialises nothing else.
 */
#ifndef FSH_DEVICE_H
#define FSH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_device; /* each device's own */

/* Memory the conduit may use; fixed after open. */
struct fsh_device_memory {
    unsigned char *dma; /* DMA window, offset 0 = HOST space address 0 */
    size_t dma_bytes;
    uint64_t dma_bus;       /* value for register HOST_BASE */
    unsigned char *segment; /* device memory mapped here */
    size_t segment_bytes;
    uint64_t segment_base; /* value for register SEG_BASE */
    bool simulated;
};

struct fsh_device_ops {
    const char *name;
    bool (*usable)(char *why, size_t whylen);
    /* Fatal with a message on failure. */
    struct fsh_device *(*open)(struct fsh_device_memory *mem);
    void (*close)(struct fsh_device *dev);
    /* Posted writes of n consecutive 64-bit words at register offset `off`;
     * arrive in order. All earlier stores of this thread to DMA window and
     * segment are visible to the device before the write is. */
    void (*write)(struct fsh_device *dev, uint32_t off, const uint64_t *words,
                  unsigned n);
    /* Can what is written from here on wait for work of other ranks? False at
     * first. A hint: the device may take no notice of it. */
    void (*patience)(struct fsh_device *dev, bool patient);
    /* Register read; waits for all earlier writes; bounded, fatal on time-out. */
    uint64_t (*read)(struct fsh_device *dev, uint32_t off);
    /* Count of device writes to the DMA window, for wait(). */
    uint32_t (*activity)(struct fsh_device *dev);
    /* Sleep until activity() != seen or max_ns passed. */
    void (*wait)(struct fsh_device *dev, uint32_t seen, uint64_t max_ns);
    /* Open the start gate of every node of the fabric at one cycle. */
    void (*open_gate)(struct fsh_device *dev);
};

extern const struct fsh_device_ops fsh_device_sim;

/* All devices, NULL-terminated, and look-up by name (NULL if unknown). */
extern const struct fsh_device_ops *const fsh_devices[];
const struct fsh_device_ops *fsh_device_find(const char *name);

#endif
