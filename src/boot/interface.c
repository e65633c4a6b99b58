/* SPDX-License-Identifier: BSD-3-Clause */
/* See interface.h. */
#include "boot/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"

#define SETTING "FSHMEM_OFI_INTERFACE"

static bool is_up(const struct ifaddrs *a)
{
    return a->ifa_addr != NULL && a->ifa_addr->sa_family == AF_INET &&
           (a->ifa_flags & IFF_UP) != 0;
}

bool fsh_interface_address(const char *name, struct in_addr *address)
{
    struct ifaddrs *all;
    bool found = false;

    if (getifaddrs(&all) != 0)
        return false;
    for (const struct ifaddrs *a = all; a != NULL && !found; a = a->ifa_next) {
        if (!is_up(a) || strcmp(a->ifa_name, name) != 0)
            continue;
        found = true;
        *address = ((const struct sockaddr_in *)(void *)a->ifa_addr)->sin_addr;
    }
    freeifaddrs(all);
    return found;
}

/* The one with the default route; false: none. */
static bool find_default(char *name, size_t room)
{
    FILE *f = fopen("/proc/net/route", "re");
    char line[256], interface[64];
    unsigned long to;
    bool found = false;

    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "%63s %lx", interface, &to) == 2 && to == 0) {
            snprintf(name, room, "%s", interface);
            found = true;
        }
    if (f != NULL)
        fclose(f);
    return found;
}

/* How many there are; their names, and the first of them. `away`: that lead to other
 * hosts. */
static unsigned list(bool away, char *name, size_t room, char *names,
                     size_t names_room)
{
    struct ifaddrs *all;
    unsigned n = 0;
    size_t at = 0;

    names[0] = '\0';
    if (getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        if (!is_up(a) || (away && ((a->ifa_flags & IFF_LOOPBACK) != 0 ||
                                   (a->ifa_flags & IFF_RUNNING) == 0)))
            continue;
        if (n++ == 0)
            snprintf(name, room, "%s", a->ifa_name);
        if (at < names_room)
            at += (size_t)snprintf(names + at, names_room - at, " %s",
                                   a->ifa_name);
    }
    freeifaddrs(all);
    return n;
}

void fsh_interface_list(char *names, size_t room)
{
    char first[64];

    list(false, first, sizeof first, names, room);
}

bool fsh_interface_choose(bool several_hosts, bool ip, char *name, size_t room,
                          char *err, size_t errlen)
{
    const char *said = fsh_option_str(SETTING);
    struct in_addr address;
    char names[256];
    unsigned n;

    if (strcmp(said, "auto") != 0 &&
        (!ip || fsh_interface_address(said, &address))) {
        snprintf(name, room, "%s", said);
        return true;
    }
    if (!several_hosts) {
        snprintf(name, room, "lo");
        return true;
    }
    n = list(true, name, room, names, sizeof names);
    if (n == 1 || (n > 1 && find_default(name, room)))
        return true;
    if (n == 0)
        snprintf(err, errlen,
                 "no network interface with an address of IP version 4 is up "
                 "that leads to other hosts (" SETTING ")");
    else
        snprintf(err, errlen,
                 "there are several network interfaces (%s) and no default "
                 "route; set " SETTING " to the one of the job",
                 names + 1);
    return false;
}
