/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface that a job uses, and no other. Any thread; reads files.
 */
#ifndef FSH_INTERFACE_H
#define FSH_INTERFACE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* The address of an interface that is up; false: it has none of IP version 4. */
bool fsh_interface_address(const char *name, struct in_addr *address);

/* The names of all that have one, a blank before each. */
void fsh_interface_list(char *names, size_t room);

/* Its name, as FSHMEM_OFI_INTERFACE says: the loopback of a job on one host; on several
 * the only one that is up, or that of the default route. Where the setting names what is
 * no interface of IP (a provider's domain) and `ip` is set, as if it were not there.
 * False: err says why and what to set. */
bool fsh_interface_choose(bool several_hosts, bool ip, char *name, size_t room,
                          char *err, size_t errlen);

#endif
