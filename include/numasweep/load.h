/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPUs are kept busy while others are measured (--load). Pure. */
#ifndef NUMASWEEP_LOAD_H
#define NUMASWEEP_LOAD_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum load_kind {
    LOAD_NONE,
    LOAD_ALL,      /* all usable CPUs, those under test too */
    LOAD_NODE,     /* those of one node */
    LOAD_OWN_NODE, /* those of the node of the CPU under test, itself included */
    LOAD_SIBLING   /* the SMT siblings of the CPU under test */
};

enum { LOAD_TEXT_SIZE = 48, LOAD_MOST_PER_CPU = 64 };

struct load {
    enum load_kind kind;
    int node;        /* of LOAD_NODE */
    int64_t per_cpu; /* busy workers for each CPU; 0 with LOAD_NONE */
};

/* "none", "hogs[:N]", "node[:K]:hogs[:N]", "sibling[:N]". -EINVAL with a text that says what would do.
 */
int load_parse(const char *text, struct load *load, struct failure *failure);
/* The one text of a load: two loads are the same where their texts are. Returns text. */
const char *load_format(const struct load *load, char text[LOAD_TEXT_SIZE]);

/* Whether the load is the same whatever is measured. */
bool load_is_constant(const struct load *load);
/* How many busy workers `cpu` has while `measured` CPUs are. */
int64_t load_on_cpu(const struct load *load, const struct topology *topology,
                    const struct id_list *measured, int cpu);
/* -EINVAL where the topology does not have what the load needs for one of the measured sets (a row's
 * CPUs): the node, an SMT sibling outside of the set. */
int load_check(const struct load *load, const struct topology *topology, const struct id_list *measured,
               const char *label, struct failure *failure);

#endif
