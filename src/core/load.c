/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/load.h"

#include "numasweep/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int refuse(const char *text, struct failure *failure)
{
    return failure_set(
        failure, "options", 0,
        "\"%.60s\" is no load; there are: none, hogs[:N], node[:K]:hogs[:N], sibling[:N], with "
        "N workers for each CPU (1 to %d) and K the number of a node",
        text, LOAD_MOST_PER_CPU);
}

/* Takes "WORD" or "WORD:" from the front; false where another word stands there. */
static bool take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0 || ((*text)[length] != '\0' && (*text)[length] != ':')) {
        return false;
    }
    *text += length + ((*text)[length] == ':');
    return true;
}

/* What is left is a number or nothing; `text[-1]` tells a colon that nothing follows. */
static bool take_count(const char *text, int64_t *count)
{
    if (text[0] == '\0') {
        *count = 1;
        return text[-1] != ':';
    }
    return number_parse_int64(text, 1, LOAD_MOST_PER_CPU, count, NULL) == 0;
}

static bool take_node(const char **text, struct load *load)
{
    char number[16] = "";
    int64_t node = 0;
    const size_t length = strcspn(*text, ":");
    load->kind = LOAD_OWN_NODE;
    if (strncmp(*text, "hogs", 4) == 0) {
        return true;
    }
    if (length >= sizeof number || (*text)[length] != ':') {
        return false;
    }
    memcpy(number, *text, length);
    if (number_parse_int64(number, 0, ID_LIST_MAX_ID, &node, NULL) != 0) {
        return false;
    }
    *text += length + 1;
    load->kind = LOAD_NODE;
    load->node = (int)node;
    return true;
}

int load_parse(const char *text, struct load *load, struct failure *failure)
{
    const char *rest = text;
    *load = (struct load){.kind = LOAD_NONE};
    if (strcmp(text, "none") == 0) {
        return 0;
    }
    if (take_word(&rest, "sibling")) {
        load->kind = LOAD_SIBLING;
    } else if (take_word(&rest, "hogs")) {
        load->kind = LOAD_ALL;
    } else if (!take_word(&rest, "node") || !take_node(&rest, load) || !take_word(&rest, "hogs")) {
        return refuse(text, failure);
    }
    return take_count(rest, &load->per_cpu) ? 0 : refuse(text, failure);
}

const char *load_format(const struct load *load, char text[LOAD_TEXT_SIZE])
{
    static const char *const words[] = {"none", "hogs", "node", "node:hogs", "sibling"};
    const char *word = words[load->kind];
    char node[32];
    if (load->kind == LOAD_NODE) {
        (void)snprintf(node, sizeof node, "node:%d:hogs", load->node);
        word = node;
    }
    if (load->per_cpu > 1) {
        (void)snprintf(text, LOAD_TEXT_SIZE, "%s:%d", word, (int)load->per_cpu);
    } else {
        (void)snprintf(text, LOAD_TEXT_SIZE, "%s", word);
    }
    return text;
}

bool load_is_constant(const struct load *load)
{
    return load->kind != LOAD_OWN_NODE && load->kind != LOAD_SIBLING;
}

static bool is_in_node_of(const struct topology *topology, const struct id_list *measured, int node)
{
    for (size_t i = 0; i < measured->count && node != TOPOLOGY_NONE; i++) {
        const struct topology_cpu *cpu = topology_find_cpu(topology, measured->ids[i]);
        if (cpu != NULL && cpu->node == node) {
            return true;
        }
    }
    return false;
}

static bool is_sibling_of(const struct topology *topology, const struct id_list *measured,
                          const struct topology_cpu *candidate)
{
    if (id_list_contains(measured, candidate->cpu)) {
        return false;
    }
    for (size_t i = 0; i < measured->count; i++) {
        const struct topology_cpu *cpu = topology_find_cpu(topology, measured->ids[i]);
        if (cpu != NULL && cpu->core != TOPOLOGY_NONE && cpu->core == candidate->core) {
            return true;
        }
    }
    return false;
}

int64_t load_on_cpu(const struct load *load, const struct topology *topology,
                    const struct id_list *measured, int cpu)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    bool is_busy = false;
    if (found == NULL || found->state != CPU_ONLINE) {
        return 0;
    }
    switch (load->kind) {
    case LOAD_NONE:
        break;
    case LOAD_ALL:
        is_busy = true;
        break;
    case LOAD_NODE:
        is_busy = found->node == load->node;
        break;
    case LOAD_OWN_NODE:
        is_busy = is_in_node_of(topology, measured, found->node);
        break;
    case LOAD_SIBLING:
        is_busy = is_sibling_of(topology, measured, found);
        break;
    }
    return is_busy ? load->per_cpu : 0;
}

int load_check(const struct load *load, const struct topology *topology, const struct id_list *measured,
               const char *label, struct failure *failure)
{
    char text[LOAD_TEXT_SIZE];
    for (size_t i = 0; i < topology->cpu_count; i++) {
        if (load->kind == LOAD_NONE ||
            load_on_cpu(load, topology, measured, topology->cpus[i].cpu) > 0) {
            return 0;
        }
    }
    if (load->kind == LOAD_SIBLING) {
        return failure_set(
            failure, "load", 0,
            "--load %s: CPU %s has no SMT sibling that is online and not measured with it: "
            "choose CPUs that have one with --cpus, or another load",
            load_format(load, text), label);
    }
    return failure_set(failure, "load", 0, "--load %s: no CPU that may be used is in %s",
                       load_format(load, text),
                       load->kind == LOAD_NODE ? "that node" : "the node of the CPU under test");
}
