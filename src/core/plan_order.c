/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan_internal.h"

#include "numasweep/random.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The domains of each row, as dense numbers, so that a batch is cut by a few array reads for each cell
 * looked at. Rows of one plan never share a CPU, and cells of one row always share their domains, so
 * that no two cells of a batch can meet on a CPU.
 *
 * How many cells each domain has left is kept from batch to batch of one round: as soon as every domain
 * that has cells left is taken, no further cell can fit, and the rest need not be looked at.
 */
struct plan_domains {
    size_t domain_count;
    size_t *row_first;   /* row_count + 1 positions in row_domains */
    size_t *row_domains; /* the domains of row 0, then those of row 1, ... */
    size_t *taken_in;    /* by domain: the batch that took it last */
    size_t *cells_left;  /* by domain: cells that are not yet in a batch, counted for each row domain */
    size_t live_count;   /* domains with cells left */
    size_t batch;
    const size_t *order; /* the round that is being cut, and where its next batch starts */
    size_t order_count;
    size_t next_start;
};

static int compare_numbers(const void *left, const void *right)
{
    const int a = *(const int *)left;
    const int b = *(const int *)right;
    return (a > b) - (a < b);
}

static enum row_level domain_level(enum concurrency concurrent)
{
    switch (concurrent) {
    case CONCURRENT_PACKAGE:
        return ROW_PACKAGE;
    case CONCURRENT_NODE:
        return ROW_NODE;
    case CONCURRENT_L3:
        return ROW_L3;
    case CONCURRENT_CORE:
        return ROW_CORE;
    case CONCURRENT_ONE:
    case CONCURRENT_ALL:
        break;
    }
    return ROW_MACHINE;
}

/* The distinct domain numbers of all measured CPUs, ascending. CPUs in none share the one called
 * TOPOLOGY_NONE: they may well lie side by side. */
static size_t list_domain_numbers(const struct plan *plan, const struct topology *topology, int *numbers)
{
    const enum row_level level = domain_level(plan->concurrent);
    size_t count = 0;
    for (size_t i = 0; i < topology->cpu_count; i++) {
        numbers[count++] = plan_object_number(level, &topology->cpus[i]);
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (distinct == 0 || numbers[distinct - 1] != numbers[i]) {
            numbers[distinct++] = numbers[i];
        }
    }
    return distinct;
}

static size_t domain_of_cpu(const struct plan *plan, const struct topology *topology, int cpu,
                            const int *numbers, size_t number_count)
{
    const struct topology_cpu *found = topology_find_cpu(topology, cpu);
    if (found == NULL) {
        return 0;
    }
    const int number = plan_object_number(domain_level(plan->concurrent), found);
    const int *position = bsearch(&number, numbers, number_count, sizeof *numbers, compare_numbers);
    return position != NULL ? (size_t)(position - numbers) : 0;
}

static void fill_row_domains(struct plan *plan, const struct topology *topology, const int *numbers,
                             size_t number_count)
{
    struct plan_domains *domains = plan->domains;
    size_t count = 0;
    for (size_t row = 0; row < plan->row_count; row++) {
        const struct id_list *cpus = &plan->rows[row].cpus;
        domains->row_first[row] = count;
        if (plan->concurrent == CONCURRENT_ALL) {
            domains->row_domains[count++] = row;
            continue;
        }
        for (size_t i = 0; i < cpus->count; i++) {
            const size_t domain = domain_of_cpu(plan, topology, cpus->ids[i], numbers, number_count);
            if (count == domains->row_first[row] || domains->row_domains[count - 1] != domain) {
                domains->row_domains[count++] = domain;
            }
        }
    }
    domains->row_first[plan->row_count] = count;
}

int plan_domains_create(struct plan *plan, const struct topology *topology)
{
    if (plan->concurrent == CONCURRENT_ONE) {
        return 0;
    }
    /* Each CPU is in one row at most, and a row without CPUs may still have a domain of its own. */
    const size_t most = topology->cpu_count + plan->row_count + 1;
    struct plan_domains *domains = calloc(1, sizeof *domains);
    int *numbers = calloc(most, sizeof *numbers);
    if (domains == NULL || numbers == NULL) {
        free(domains);
        free(numbers);
        return -ENOMEM;
    }
    plan->domains = domains;
    domains->row_first = calloc(plan->row_count + 1, sizeof *domains->row_first);
    domains->row_domains = calloc(most, sizeof *domains->row_domains);
    domains->taken_in = calloc(most, sizeof *domains->taken_in);
    domains->cells_left = calloc(most, sizeof *domains->cells_left);
    if (domains->row_first == NULL || domains->row_domains == NULL || domains->taken_in == NULL ||
        domains->cells_left == NULL) {
        free(numbers);
        return -ENOMEM;
    }
    const size_t number_count = list_domain_numbers(plan, topology, numbers);
    domains->domain_count = plan->concurrent == CONCURRENT_ALL ? plan->row_count : number_count;
    fill_row_domains(plan, topology, numbers, number_count);
    free(numbers);
    return 0;
}

void plan_domains_destroy(struct plan_domains *domains)
{
    if (domains == NULL) {
        return;
    }
    free(domains->row_first);
    free(domains->row_domains);
    free(domains->taken_in);
    free(domains->cells_left);
    free(domains);
}

int plan_round_order(const struct plan *plan, int64_t round, size_t *order)
{
    struct random_stream *stream = random_stream_create(plan->seed, RANDOM_ORDER, (uint64_t)round, 0);
    if (stream == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < plan->cell_count; i++) {
        order[i] = i;
    }
    random_stream_shuffle(stream, order, plan->cell_count);
    random_stream_destroy(stream);
    return 0;
}

static void count_cells_left(const struct plan *plan, const size_t *order, size_t count, size_t start)
{
    struct plan_domains *domains = plan->domains;
    domains->live_count = 0;
    for (size_t i = 0; i < domains->domain_count; i++) {
        domains->cells_left[i] = 0;
    }
    for (size_t i = start; i < count; i++) {
        const size_t row = plan->cells[order[i]].row;
        for (size_t k = domains->row_first[row]; k < domains->row_first[row + 1]; k++) {
            if (domains->cells_left[domains->row_domains[k]]++ == 0) {
                domains->live_count++;
            }
        }
    }
    domains->order = order;
    domains->order_count = count;
}

static bool is_row_free(const struct plan_domains *domains, size_t row)
{
    for (size_t k = domains->row_first[row]; k < domains->row_first[row + 1]; k++) {
        if (domains->taken_in[domains->row_domains[k]] == domains->batch) {
            return false;
        }
    }
    return true;
}

/* Returns how many domains were newly taken; `emptied` grows by those that have no cells left now. */
static size_t take_row(struct plan_domains *domains, size_t row, size_t *emptied)
{
    size_t taken = 0;
    for (size_t k = domains->row_first[row]; k < domains->row_first[row + 1]; k++) {
        const size_t domain = domains->row_domains[k];
        if (domains->taken_in[domain] != domains->batch) {
            domains->taken_in[domain] = domains->batch;
            taken++;
        }
        if (--domains->cells_left[domain] == 0) {
            (*emptied)++;
        }
    }
    return taken;
}

static void swap(size_t *a, size_t *b)
{
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

size_t plan_next_batch(const struct plan *plan, const struct topology *topology, size_t *order,
                       size_t count, size_t start)
{
    struct plan_domains *domains = plan->domains;
    (void)topology;
    if (start >= count) {
        return 0;
    }
    if (domains == NULL) {
        return 1;
    }
    if (start == 0 || order != domains->order || count != domains->order_count ||
        start != domains->next_start) {
        count_cells_left(plan, order, count, start);
    }
    domains->batch++;
    size_t batch_size = 0;
    size_t taken = 0;
    size_t emptied = 0;
    for (size_t i = start; i < count && taken < domains->live_count; i++) {
        const size_t row = plan->cells[order[i]].row;
        if (is_row_free(domains, row)) {
            taken += take_row(domains, row, &emptied);
            swap(&order[start + batch_size], &order[i]);
            batch_size++;
        }
    }
    domains->live_count -= emptied;
    domains->next_start = start + batch_size;
    return batch_size;
}
