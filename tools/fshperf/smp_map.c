/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds another rank's segment in this process, so that limits are measured on
 * the very memory that the library uses. GASNet has no call for this, but the
 * kernel's list of mappings tells: ranks of conduit smp map the same object.
 */
#include "smp.h"

#include <inttypes.h>

struct mapping {
    uintptr_t begin, end;
    struct smp_place place; /* of its start */
};

static bool next(FILE *maps, struct mapping *m)
{
    char line[512];
    unsigned major, minor;

    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line,
                   "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %x:%x %" SCNu64,
                   &m->begin, &m->end, &m->place.offset, &major, &minor,
                   &m->place.object) == 6 &&
            m->place.object != 0) {
            m->place.device = (uint64_t)major << 32 | minor;
            return true;
        }
    }
    return false;
}

bool smp_place_of(const void *addr, struct smp_place *place)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t at = (uintptr_t)addr;
    struct mapping m;
    bool found = false;

    while (maps && !found && next(maps, &m)) {
        if (at >= m.begin && at < m.end) {
            *place = m.place;
            place->offset += at - m.begin;
            found = true;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return found;
}

void *smp_place_here(const struct smp_place *place)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    struct mapping m;
    uintptr_t at = 0;

    while (maps && !at && next(maps, &m)) {
        if (m.place.device == place->device &&
            m.place.object == place->object &&
            place->offset >= m.place.offset &&
            place->offset - m.place.offset < m.end - m.begin) {
            at = m.begin + (uintptr_t)(place->offset - m.place.offset);
        }
    }
    if (maps) {
        fclose(maps);
    }
    return (void *)at;
}
