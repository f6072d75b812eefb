/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPUs and nodes a text names on a machine: "0-3,8", "all", "node:1,package:0", "isolated". */
#ifndef NUMASWEEP_SELECTION_H
#define NUMASWEEP_SELECTION_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/topology.h"

/* A CPU selection is a comma-separated list of: numbers and ranges as in id_list.h, `all` (every CPU
 * that the topology knows, offline ones included, each to become a row), `isolated`, `all:N` and
 * `isolated:N` (each N-th of them in ascending order, from the lowest on), and `OBJECT:NUMBERS` with
 * OBJECT one of node, package, l3, core, kind (NUMBERS = one number or range, the list goes on after the
 * next comma). Checks the form alone, so that a bad text is refused before any topology is loaded.
 * -EINVAL with the failure filled. */
int cpu_selection_check(const char *text, struct failure *failure);

/* Resolves against a machine. A CPU or object that does not exist is -EINVAL: the failure names it and
 * what there is. Offline and disallowed CPUs are part of the result. */
int cpu_selection_resolve(const char *text, const struct topology *topology, struct id_list *cpus,
                          struct failure *failure);

/* Node texts: `all`, `local`, `none`, or a list of numbers. */
enum node_selection_kind { NODES_ALL, NODES_LOCAL, NODES_NONE, NODES_LIST };

struct node_selection {
    enum node_selection_kind kind;
    struct id_list nodes; /* for NODES_LIST */
};

void node_selection_destroy(struct node_selection *selection);
int node_selection_parse(const char *text, struct node_selection *selection, struct failure *failure);

/* Refuses (-EINVAL) listed nodes that do not exist or have no memory, naming those that have. A node
 * that has memory but lies outside the cpuset is no error here: its column says "not allowed". */
int node_selection_check(const struct node_selection *selection, const struct topology *topology,
                         struct failure *failure);

#endif
