/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SELECTION_FORMS                                                                                 \
    "give numbers as in 0-3,8, or all, all:4 (each fourth), isolated, node:1, package:0, l3:2, "        \
    "core:5, "                                                                                          \
    "kind:0"

enum subject { SUBJECT_ALL, SUBJECT_ISOLATED, SUBJECT_NUMBERS };

struct object_class {
    const char *name;
    const char *plural;
    int (*number_of)(const struct topology_cpu *cpu);
};

/* One element between commas. */
struct element {
    enum subject subject;
    const struct object_class *object; /* for SUBJECT_NUMBERS, CPUs included */
    struct id_list numbers;
    size_t stride; /* for SUBJECT_ALL and SUBJECT_ISOLATED */
};

static int cpu_of(const struct topology_cpu *cpu)
{
    return cpu->cpu;
}

static int node_of(const struct topology_cpu *cpu)
{
    return cpu->node;
}

static int package_of(const struct topology_cpu *cpu)
{
    return cpu->package;
}

static int l3_of(const struct topology_cpu *cpu)
{
    return cpu->l3;
}

static int core_of(const struct topology_cpu *cpu)
{
    return cpu->core;
}

static int kind_of(const struct topology_cpu *cpu)
{
    return cpu->kind;
}

static const struct object_class cpu_class = {.name = "CPU", .plural = "CPUs", .number_of = cpu_of};

static const struct object_class object_classes[] = {
    {.name = "node", .plural = "nodes", .number_of = node_of},
    {.name = "package", .plural = "packages", .number_of = package_of},
    {.name = "l3", .plural = "L3 caches", .number_of = l3_of},
    {.name = "core", .plural = "cores", .number_of = core_of},
    {.name = "kind", .plural = "kinds", .number_of = kind_of},
};

static const struct object_class *find_object_class(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof object_classes / sizeof *object_classes; i++) {
        if (strlen(object_classes[i].name) == size && memcmp(object_classes[i].name, name, size) == 0) {
            return &object_classes[i];
        }
    }
    return NULL;
}

static int refuse_element(const char *text, struct failure *failure)
{
    return failure_set(failure, "CPUs", 0, "\"%.60s\" selects no CPUs; " SELECTION_FORMS, text);
}

static int parse_stride(const char *text, const char *colon, struct element *element,
                        struct failure *failure)
{
    if (colon == NULL) {
        return 0;
    }
    const char *const digits = colon + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 7 || digits[count] != '\0') {
        return refuse_element(text, failure);
    }
    const size_t stride = strtoul(digits, NULL, 10);
    if (stride == 0) {
        return failure_set(failure, "CPUs", 0, "\"%.60s\" has a stride of zero; " SELECTION_FORMS, text);
    }
    element->stride = stride;
    return 0;
}

static int parse_object(const char *text, const char *colon, struct element *element,
                        struct failure *failure)
{
    const struct object_class *object = NULL;
    if (colon != NULL) {
        object = find_object_class(text, (size_t)(colon - text));
    }
    if (object == NULL) {
        return refuse_element(text, failure);
    }
    element->subject = SUBJECT_NUMBERS;
    element->object = object;
    struct failure reason = {0};
    const int error = id_list_parse(colon + 1, &element->numbers, &reason);
    if (error == -EINVAL) {
        return failure_set(failure, "CPUs", 0, "\"%.60s\": %s", text, reason.text);
    }
    return error;
}

static int parse_element(const char *text, struct element *element, struct failure *failure)
{
    const char *const colon = strchr(text, ':');
    const size_t word = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (text[0] >= '0' && text[0] <= '9') {
        element->subject = SUBJECT_NUMBERS;
        element->object = &cpu_class;
        return id_list_parse(text, &element->numbers, failure);
    }
    if (word == strlen("all") && memcmp(text, "all", word) == 0) {
        element->subject = SUBJECT_ALL;
        return parse_stride(text, colon, element, failure);
    }
    if (word == strlen("isolated") && memcmp(text, "isolated", word) == 0) {
        element->subject = SUBJECT_ISOLATED;
        return parse_stride(text, colon, element, failure);
    }
    return parse_object(text, colon, element, failure);
}

/* What is done with each element of a text. */
typedef int (*element_action)(const struct element *element, void *context, struct failure *failure);

static int act_on_element(const char *text, size_t size, element_action act, void *context,
                          struct failure *failure)
{
    struct element element = {.stride = 1};
    char *const copy = strndup(text, size);
    int error = -ENOMEM;
    if (copy != NULL) {
        error = parse_element(copy, &element, failure);
    }
    if (error == 0) {
        error = act(&element, context, failure);
    }
    id_list_destroy(&element.numbers);
    free(copy);
    return error;
}

static int for_each_element(const char *text, element_action act, void *context, struct failure *failure)
{
    for (const char *start = text;; start++) {
        const size_t size = strcspn(start, ",");
        if (size == 0) {
            return failure_set(failure, "CPUs", 0, "\"%.60s\" %s; " SELECTION_FORMS, text,
                               text[0] == '\0' ? "is empty" : "has an empty element");
        }
        const int error = act_on_element(start, size, act, context, failure);
        if (error != 0 || start[size] == '\0') {
            return error;
        }
        start += size;
    }
}

static int accept_element(const struct element *element, void *context, struct failure *failure)
{
    (void)element;
    (void)context;
    (void)failure;
    return 0;
}

int cpu_selection_check(const char *text, struct failure *failure)
{
    return for_each_element(text, accept_element, NULL, failure);
}

/* The numbers of all objects of a class that have a CPU. */
static int list_objects(const struct object_class *object, const struct topology *topology,
                        struct id_list *numbers)
{
    for (size_t i = 0; i < topology->cpu_count; i++) {
        const int number = object->number_of(&topology->cpus[i]);
        const int error = number != TOPOLOGY_NONE ? id_list_add(numbers, number) : 0;
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int refuse_missing(const struct object_class *object, const struct id_list *missing,
                          const struct id_list *existing, struct failure *failure)
{
    char *const missing_text = id_list_format(missing);
    char *const existing_text = id_list_format(existing);
    const bool is_one = missing->count == 1;
    int error = -ENOMEM;
    if (missing_text != NULL && existing_text != NULL) {
        error = failure_set(failure, "CPUs", 0,
                            "--cpus: %s %.80s %s not exist; the machine's %s: %.120s",
                            is_one ? object->name : object->plural, missing_text, is_one ? "does" : "do",
                            object->plural, existing->count > 0 ? existing_text : "none");
    }
    free(missing_text);
    free(existing_text);
    return error;
}

static int refuse_without_cpu(const struct id_list *nodes, const struct id_list *existing,
                              struct failure *failure)
{
    char *const text = id_list_format(nodes);
    char *const existing_text = id_list_format(existing);
    const bool is_one = nodes->count == 1;
    int error = -ENOMEM;
    if (text != NULL && existing_text != NULL) {
        error = failure_set(failure, "CPUs", 0,
                            "--cpus: node%s %.80s %s no CPU; the nodes with CPUs are %.120s",
                            is_one ? "" : "s", text, is_one ? "has" : "have", existing_text);
    }
    free(text);
    free(existing_text);
    return error;
}

/* A node that is there, but has no CPU, is told as such where nothing worse is to be told. */
static int refuse(const struct object_class *object, const struct topology *topology,
                  const struct id_list *missing, const struct id_list *existing, struct failure *failure)
{
    struct id_list absent = {0};
    int error = 0;
    for (size_t i = 0; i < missing->count && error == 0; i++) {
        const bool is_there = object->number_of == node_of &&
                              topology_find_node(topology, missing->ids[i]) != NULL;
        error = is_there ? 0 : id_list_add(&absent, missing->ids[i]);
    }
    if (error == 0) {
        error = absent.count > 0 ? refuse_missing(object, &absent, existing, failure)
                                 : refuse_without_cpu(missing, existing, failure);
    }
    id_list_destroy(&absent);
    return error;
}

/* All that is missing of one class: of the first that misses any. */
struct absence {
    const struct topology *topology;
    const struct object_class *object;
    struct id_list existing;
    struct id_list missing;
};

static int collect_missing(const struct element *element, void *context, struct failure *failure)
{
    struct absence *const absence = context;
    struct id_list missing = {0};
    (void)failure;
    if (element->subject != SUBJECT_NUMBERS ||
        (absence->missing.count > 0 && absence->object != element->object)) {
        return 0;
    }
    if (absence->object != element->object) {
        id_list_destroy(&absence->existing);
        absence->object = element->object;
    }
    int error = absence->existing.count > 0
                    ? 0
                    : list_objects(element->object, absence->topology, &absence->existing);
    if (error == 0) {
        error = id_list_copy(&missing, &element->numbers);
    }
    if (error == 0) {
        error = id_list_subtract(&missing, &absence->existing);
    }
    if (error == 0) {
        error = id_list_union(&absence->missing, &missing);
    }
    id_list_destroy(&missing);
    return error;
}

static int check_existence(const char *text, const struct topology *topology, struct failure *failure)
{
    struct absence absence = {.topology = topology};
    int error = for_each_element(text, collect_missing, &absence, failure);
    if (error == 0 && absence.missing.count > 0) {
        error = refuse(absence.object, topology, &absence.missing, &absence.existing, failure);
    }
    id_list_destroy(&absence.existing);
    id_list_destroy(&absence.missing);
    return error;
}

static bool is_subject(const struct element *element, const struct topology_cpu *cpu)
{
    switch (element->subject) {
    case SUBJECT_ALL:
        return true;
    case SUBJECT_ISOLATED:
        return cpu->is_isolated;
    case SUBJECT_NUMBERS:
        break;
    }
    return id_list_contains(&element->numbers, element->object->number_of(cpu));
}

struct resolution {
    const struct topology *topology;
    struct id_list cpus;
};

static int resolve_element(const struct element *element, void *context, struct failure *failure)
{
    struct resolution *const resolution = context;
    const struct topology *const topology = resolution->topology;
    size_t matches = 0;
    int error = 0;
    for (size_t i = 0; error == 0 && i < topology->cpu_count; i++) {
        if (is_subject(element, &topology->cpus[i]) && matches++ % element->stride == 0) {
            error = id_list_add(&resolution->cpus, topology->cpus[i].cpu);
        }
    }
    if (error == 0 && matches == 0) {
        return failure_set(failure, "CPUs", 0,
                           "--cpus: no CPU of the machine is isolated (boot parameter isolcpus)");
    }
    return error;
}

int cpu_selection_resolve(const char *text, const struct topology *topology, struct id_list *cpus,
                          struct failure *failure)
{
    struct resolution resolution = {.topology = topology};
    int error = check_existence(text, topology, failure);
    if (error == 0) {
        error = for_each_element(text, resolve_element, &resolution, failure);
    }
    if (error != 0) {
        id_list_destroy(&resolution.cpus);
        return error;
    }
    id_list_destroy(cpus);
    *cpus = resolution.cpus;
    return 0;
}
