/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/affinity.h"

#include <errno.h>
#include <sched.h>

enum { FIRST_MASK_CPUS = 1024 };

int affinity_set(const struct id_list *cpus)
{
    if (cpus->count == 0) {
        return -EINVAL;
    }
    const size_t length = (size_t)cpus->ids[cpus->count - 1] + 1;
    cpu_set_t *mask = CPU_ALLOC(length);
    const size_t size = CPU_ALLOC_SIZE(length);
    if (mask == NULL) {
        return -ENOMEM;
    }
    CPU_ZERO_S(size, mask);
    for (size_t i = 0; i < cpus->count; i++) {
        CPU_SET_S((size_t)cpus->ids[i], size, mask);
    }
    const int result = sched_setaffinity(0, size, mask) == 0 ? 0 : -errno;
    CPU_FREE(mask);
    return result;
}

static int add_mask(struct id_list *cpus, const cpu_set_t *mask, size_t length, size_t size)
{
    for (size_t cpu = 0; cpu < length; cpu++) {
        if (CPU_ISSET_S(cpu, size, mask)) {
            const int error = id_list_add(cpus, (int)cpu);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

int affinity_get_of(pid_t pid, struct id_list *cpus)
{
    id_list_destroy(cpus);
    for (size_t length = FIRST_MASK_CPUS; length <= ID_LIST_MAX_ID + 1; length *= 2) {
        cpu_set_t *mask = CPU_ALLOC(length);
        const size_t size = CPU_ALLOC_SIZE(length);
        if (mask == NULL) {
            return -ENOMEM;
        }
        CPU_ZERO_S(size, mask);
        int result = sched_getaffinity(pid, size, mask) == 0 ? 0 : -errno;
        if (result == 0) {
            result = add_mask(cpus, mask, length, size);
        }
        CPU_FREE(mask);
        if (result != -EINVAL) {
            return result;
        }
    }
    return -EINVAL;
}

int affinity_get(struct id_list *cpus)
{
    return affinity_get_of(0, cpus);
}
