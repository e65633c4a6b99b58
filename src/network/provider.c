/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice of a provider; see provider.h.
 */
#include "network/provider.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "boot/boot.h"
#include "boot/interface.h"
#include "network/library.h"

#define API FI_VERSION(1, 17)
#define CAPS (FI_MSG | FI_MULTI_RECV)
/* What is done if a provider wants it. */
#define MODES (FI_CONTEXT | FI_CONTEXT2)
#define MR_MODES                                                        \
    (FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | \
     FI_MR_ENDPOINT)

#define INTERFACE "FSHMEM_OFI_INTERFACE"
#define PROVIDER "FSHMEM_OFI_PROVIDER"

/* In the order of preference; what is not here comes after, as reported. */
static const char *const preferred[] = {"net", "tcp"};
/* Those on which programs of tests/conform have run. */
static const char *const tried[] = {"net", "tcp;ofi_rxm", "net;ofi_rxm",
                                    "udp;ofi_rxd", "sockets"};

static struct fi_info *make_hints(const struct fsh_network_library *library,
                                  const char *provider, uint64_t caps)
{
    struct fi_info *hints = library->dupinfo(NULL);

    if (hints == NULL)
        return NULL;
    hints->caps = caps;
    hints->mode = MODES;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN; /* our lock */
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->mr_mode = MR_MODES;
    if (provider[0] != '\0')
        hints->fabric_attr->prov_name = strdup(provider);
    return hints;
}

/* Only what is in that domain: not all providers look at the name that they are given
 * (net in 1.17 then takes any interface). */
static struct fi_info *in_domain(const struct fsh_network_library *library,
                                 struct fi_info *all, const char *domain)
{
    struct fi_info **at = &all;

    while (*at != NULL) {
        struct fi_info *one = *at;

        if (one->domain_attr->name != NULL &&
            strcmp(one->domain_attr->name, domain) == 0) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = NULL;
        library->freeinfo(one);
    }
    return all;
}

/* A name of no interface that is up, nor of a domain. */
static void say_unknown(const char *name, char *why, size_t whylen)
{
    char names[256];

    fsh_interface_list(names, sizeof names);
    snprintf(why, whylen,
             "there is no network interface %s that is up and has an address "
             "of IP version 4, nor has a provider that can be used a domain of "
             "this name (" INTERFACE "); interfaces:%s",
             name, names);
}

/* What could be used, with the settings; NULL with the reason. Of an interface that
 * has no address of IP the name is that of a domain. */
static struct fi_info *ask(const struct fsh_network_library *library,
                           const char *provider, uint64_t caps, char *why,
                           size_t whylen)
{
    char interface[64], address[INET_ADDRSTRLEN];
    struct fi_info *hints, *all = NULL;
    struct in_addr in;
    bool has_address;
    int rc = -FI_ENOMEM;

    if (!fsh_interface_choose(fsh_boot_hosts() > 1, false, interface,
                              sizeof interface, why, whylen))
        return NULL;
    has_address = fsh_interface_address(interface, &in) &&
                  inet_ntop(AF_INET, &in, address, sizeof address) != NULL;
    hints = make_hints(library, provider, caps);

    if (hints != NULL) {
        if (!has_address)
            hints->domain_attr->name = strdup(interface);
        rc = library->getinfo(API, has_address ? address : NULL, NULL,
                              has_address ? FI_SOURCE | FI_NUMERICHOST : 0,
                              hints, &all);
        library->freeinfo(hints);
    }
    if (rc == 0 && !has_address)
        all = in_domain(library, all, interface);
    if (rc == 0 && all != NULL)
        return all;
    if (!has_address) {
        say_unknown(interface, why, whylen);
        return NULL;
    }
    snprintf(
        why, whylen,
        "libfabric has no provider%s%s with reliable datagrams%s messages%s "
        "on interface %s: %s (" PROVIDER ", " INTERFACE "; `fshinfo` has all)",
        provider[0] != '\0' ? " " : "", provider, caps & FI_RMA ? "," : " and",
        caps & FI_RMA ? " and remote memory access" : "", interface,
        library->strerror(-rc));
    return NULL;
}

static size_t place_of(const char *name)
{
    size_t n = sizeof preferred / sizeof preferred[0];

    for (size_t i = 0; i < n; i++)
        if (strcmp(preferred[i], name) == 0)
            return i;
    return n;
}

struct fi_info *fsh_network_provider(const struct fsh_network_library *library,
                                     bool any, char *why, size_t whylen)
{
    const char *name = fsh_option_str(PROVIDER);
    struct fi_info *all = ask(library, name, CAPS | FI_RMA, why, whylen);
    struct fi_info *best, *mine;

    if (all == NULL && any)
        all = ask(library, name, CAPS, why, whylen);
    best = all;
    if (all == NULL)
        return NULL;
    for (struct fi_info *i = all; i != NULL; i = i->next)
        if (place_of(i->fabric_attr->prov_name) <
            place_of(best->fabric_attr->prov_name))
            best = i;
    mine = library->dupinfo(best);
    library->freeinfo(all);
    if (mine == NULL)
        snprintf(why, whylen, "no memory for a provider");
    return mine;
}

/* ---- for tools ---- */

static bool is_among(const char *name, const struct fi_info *all)
{
    for (; all != NULL; all = all->next)
        if (strcmp(all->fabric_attr->prov_name, name) == 0)
            return true;
    return false;
}

static bool is_tried(const char *name)
{
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (strcmp(tried[i], name) == 0)
            return true;
    return false;
}

/* What the infos of a provider, from its first on, lack. */
static const char *lacks(const struct fi_info *first)
{
    const char *name = first->fabric_attr->prov_name;
    uint64_t caps = 0;
    bool has_type = false;

    for (const struct fi_info *i = first; i != NULL; i = i->next)
        if (strcmp(i->fabric_attr->prov_name, name) == 0 &&
            i->ep_attr->type == FI_EP_RDM) {
            has_type = true;
            caps |= i->caps;
        }
    if (!has_type)
        return "no reliable datagram endpoints by itself";
    if (!(caps & FI_MSG) || !(caps & FI_MULTI_RECV))
        return "no messages into buffers that several share";
    return "not on the interface that " INTERFACE " names";
}

bool fsh_network_providers(void (*cb)(void *arg, const char *name, bool usable,
                                      const char *why),
                           void *arg, char *why, size_t whylen)
{
    const struct fsh_network_library *library =
        fsh_network_library(why, whylen);
    struct fi_info *all = NULL, *usable, *chosen;
    char none[512];

    if (library == NULL)
        return false;
    if (library->getinfo(API, NULL, NULL, 0, NULL, &all) != 0)
        all = NULL;
    usable = ask(library, "", CAPS, none, sizeof none);
    chosen = fsh_network_provider(library, true, none, sizeof none);
    for (const struct fi_info *i = all; i != NULL; i = i->next) {
        const char *name = i->fabric_attr->prov_name;
        bool can = is_among(name, usable), seen = false;

        for (const struct fi_info *j = all; j != i && !seen; j = j->next)
            seen = strcmp(j->fabric_attr->prov_name, name) == 0;
        if (!seen)
            cb(arg, name, can,
               !can                     ? lacks(i)
               : is_among(name, chosen) ? "chosen"
               : is_tried(name)         ? ""
                                        : "untried");
    }
    library->freeinfo(all);
    library->freeinfo(usable);
    library->freeinfo(chosen);
    return true;
}
