/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading libfabric; see library.h.
 */
#include "network/library.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#define NAME "libfabric.so.1"
#define OLDEST FI_VERSION(1, 17)

static struct fsh_network_library library;

static bool find(void *handle, const char *name, void *function, char *why,
                 size_t whylen)
{
    /* As POSIX has it: object and function pointers look alike. */
    *(void **)function = dlsym(handle, name);
    if (*(void **)function != NULL)
        return true;
    snprintf(why, whylen, NAME " has no %s", name);
    return false;
}

static bool find_all(void *handle, char *why, size_t whylen)
{
    return find(handle, "fi_getinfo", &library.getinfo, why, whylen) &&
           find(handle, "fi_freeinfo", &library.freeinfo, why, whylen) &&
           find(handle, "fi_dupinfo", &library.dupinfo, why, whylen) &&
           find(handle, "fi_fabric", &library.fabric, why, whylen) &&
           find(handle, "fi_strerror", &library.strerror, why, whylen) &&
           find(handle, "fi_version", &library.version, why, whylen);
}

/* Of the process, which providers change when they are loaded: some catch signals,
 * one binds the thread to a processor and back to those it saw. */
struct before {
    struct sigaction action[NSIG];
    cpu_set_t cpus;
};

static void remember(struct before *b)
{
    for (int i = 1; i < NSIG; i++)
        sigaction(i, NULL, &b->action[i]);
    sched_getaffinity(0, sizeof b->cpus, &b->cpus);
}

static void restore(const struct before *b)
{
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &b->action[i], NULL); /* fails for those that may not */
    sched_setaffinity(0, sizeof b->cpus, &b->cpus);
}

/* All providers, which libfabric loads when it is first asked for any. */
static void load_providers(void)
{
    struct fi_info *info = NULL;

    library.getinfo(OLDEST, NULL, NULL, FI_PROV_ATTR_ONLY, NULL, &info);
    if (info != NULL)
        library.freeinfo(info);
}

static bool load_all(char *why, size_t whylen)
{
    void *handle = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
    uint32_t version;

    if (handle == NULL) {
        snprintf(why, whylen,
                 "%s; install libfabric (Debian package libfabric1)",
                 dlerror());
        return false;
    }
    if (!find_all(handle, why, whylen))
        return false;
    version = library.version();
    if (FI_VERSION_GE(version, OLDEST)) {
        load_providers();
        return true;
    }
    snprintf(why, whylen, NAME " is release %u.%u; 1.17 or later is needed",
             FI_MAJOR(version), FI_MINOR(version));
    return false;
}

static bool load(char *why, size_t whylen)
{
    struct before before;
    bool loaded;

    remember(&before);
    loaded = load_all(why, whylen);
    restore(&before);
    return loaded;
}

const struct fsh_network_library *fsh_network_library(char *why, size_t whylen)
{
    static bool loaded;

    loaded = loaded || load(why, whylen);
    return loaded ? &library : NULL;
}
