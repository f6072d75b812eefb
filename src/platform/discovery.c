/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/discovery.h"

#include "discovery_parts.h"
#include "numasweep/affinity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* hwloc 2.9 never returns where sched_getaffinity() always fails. */
static int probe_affinity(struct failure *failure)
{
    struct id_list mask = {0};
    const int error = affinity_get(&mask);
    id_list_destroy(&mask);
    if (error != 0) {
        return failure_set(failure, "topology", -error,
                           "sched_getaffinity: %s: without it no CPU can be told from another",
                           strerror(-error));
    }
    return 0;
}

/* HWLOC_THISSYSTEM makes hwloc call any file this machine: then the kernel is asked. */
static int add_kernel_word(struct topology *topology, bool is_this_machine)
{
    int error = 0;
    if (is_this_machine && getenv("HWLOC_THISSYSTEM") != NULL) {
        error = discovery_compare_with_kernel(topology, &is_this_machine);
    }
    topology->is_this_machine = is_this_machine;
    if (error == 0 && is_this_machine) {
        error = discovery_add_sysfs(topology);
    }
    if (error == 0 && is_this_machine) {
        error = discovery_add_numa(topology);
    }
    return error;
}

static int discover_this(struct topology *topology, struct failure *failure)
{
    struct loaded_topology loaded = {0};
    int error = probe_affinity(failure);
    if (error == 0) {
        error = discovery_load_this(&loaded, failure);
    }
    if (error == 0) {
        error = discovery_from_xml_buffer(loaded.xml, loaded.xml_size, topology, failure);
    }
    free(loaded.xml);
    if (error != 0) {
        return error;
    }
    topology->is_without_x86 = loaded.is_without_x86;
    error = add_kernel_word(topology, loaded.is_this_machine);
    return error == 0
               ? 0
               : failure_set(failure, "topology", -error, "this machine's files: %s", strerror(-error));
}

static const char *describe_source(const char *source, const struct topology *topology)
{
    if (strcmp(source, "this") != 0) {
        return source;
    }
    return topology->is_this_machine ? "this machine" : "this machine as HWLOC_* variables describe it";
}

static int refuse_special_file(const char *source, const struct stat *status, struct failure *failure)
{
    if (S_ISDIR(status->st_mode)) {
        return failure_set(failure, "topology", 0, "--topology: %s is a directory, not an XML file",
                           source);
    }
    if (access(source, R_OK) != 0) {
        return failure_set(failure, "topology", 0, "--topology: %s: %s", source, strerror(errno));
    }
    if (S_ISREG(status->st_mode) && status->st_size == 0) {
        return failure_set(failure, "topology", 0, "--topology: %s is empty", source);
    }
    return 0;
}

static int discover_other(const char *source, struct topology *topology, struct failure *failure)
{
    struct stat status;
    if (stat(source, &status) != 0) {
        return discovery_from_synthetic(source, topology, failure);
    }
    const int error = refuse_special_file(source, &status, failure);
    return error != 0 ? error : discovery_from_xml_file(source, topology, failure);
}

int topology_discover(const char *source, struct topology *topology, struct failure *failure)
{
    *topology = (struct topology){0};
    int error = strcmp(source, "this") == 0 ? discover_this(topology, failure)
                                            : discover_other(source, topology, failure);
    if (error == 0) {
        topology->source = strdup(describe_source(source, topology));
        error = topology->source == NULL ? -ENOMEM : topology_set_fingerprint(topology);
        if (error != 0) {
            (void)failure_set(failure, "topology", -error, "out of memory");
        }
    }
    if (error != 0) {
        topology_destroy(topology);
    }
    return error;
}
