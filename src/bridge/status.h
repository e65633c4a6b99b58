/* SPDX-License-Identifier: BSD-3-Clause */
/* How a transfer over the bridge stands, for callers without libfabric's headers, too. */
#ifndef FSH_BRIDGE_STATUS_H
#define FSH_BRIDGE_STATUS_H

enum fsh_bridge_status {
    FSH_BRIDGE_OK,
    FSH_BRIDGE_PENDING,   /* begun and not ended */
    FSH_BRIDGE_ARGUMENT,  /* no such path or mode, or no bytes */
    FSH_BRIDGE_RANGE,     /* beyond card memory */
    FSH_BRIDGE_BUSY,      /* this client has a transfer that has not ended */
    FSH_BRIDGE_NO_MEMORY, /* here, or for a naive transfer at the server */
    FSH_BRIDGE_SILENT, /* no news within the limit; the client is of no use now */
    FSH_BRIDGE_NETWORK, /* the provider reported an error; neither */
    FSH_BRIDGE_DEVICE,  /* the card reported an error, or does not respond */
    FSH_BRIDGE_COMMAND  /* a command failed at the compute core */
};

#endif
