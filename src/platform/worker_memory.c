/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/random.h"
#include "numasweep/topology.h"
#include "worker_parts.h"

#include <errno.h>
#include <numaif.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_BYTES = 16 * 1024, BITS_PER_WORD = 8 * sizeof(unsigned long), FIRST_MASK_NODES = 1024 };

/* A node mask for the memory-policy calls; `bits` are read by the operating system less one. */
struct node_mask {
    unsigned long *words;
    unsigned long bits;
};

static int node_mask_allocate(struct node_mask *mask, int highest_node)
{
    const size_t words = (size_t)highest_node / BITS_PER_WORD + 1;
    mask->words = calloc(words, sizeof *mask->words);
    mask->bits = words * BITS_PER_WORD;
    return mask->words == NULL ? -ENOMEM : 0;
}

static void node_mask_set(struct node_mask *mask, int node)
{
    mask->words[(size_t)node / BITS_PER_WORD] |= 1UL << ((size_t)node % BITS_PER_WORD);
}

static bool node_mask_is_only(const struct node_mask *mask, int node)
{
    for (size_t word = 0; word < mask->bits / BITS_PER_WORD; word++) {
        const unsigned long expected = word == (size_t)node / BITS_PER_WORD
                                           ? 1UL << ((size_t)node % BITS_PER_WORD)
                                           : 0;
        if (mask->words[word] != expected) {
            return false;
        }
    }
    return true;
}

/* 0, -EIO where something else is in force, or why it cannot be read. get_mempolicy(2) refuses a mask
 * shorter than the possible nodes, however few are online. */
static int read_policy_back(int node)
{
    for (int nodes = FIRST_MASK_NODES; nodes <= ID_LIST_MAX_ID + 1; nodes *= 2) {
        struct node_mask mask = {0};
        int mode = -1;
        if (node_mask_allocate(&mask, nodes - 1) != 0) {
            return -ENOMEM;
        }
        const int error = get_mempolicy(&mode, mask.words, mask.bits, NULL, 0) == 0 ? 0 : errno;
        const bool matches = mode == MPOL_BIND && node_mask_is_only(&mask, node);
        free(mask.words);
        if (error == 0) {
            return matches ? 0 : -EIO;
        }
        if (error != EINVAL) {
            return -error;
        }
    }
    return -EINVAL;
}

static int refuse_binding(struct worker *worker, int error, struct failure *failure)
{
    worker->placement.memory_errno = error;
    if (!worker->request->node_is_required) {
        return 0;
    }
    return failure_set(failure, "bind", error, "memory could not be bound to node %d: %s: %s",
                       worker->request->node, strerror(error), binding_refusal_cause(error));
}

int worker_bind_memory(int node)
{
    struct node_mask mask = {0};

    if (node == TOPOLOGY_NONE) {
        return 0;
    }
    if (node_mask_allocate(&mask, node) != 0) {
        return -ENOMEM;
    }
    node_mask_set(&mask, node);
    const int error = set_mempolicy(MPOL_BIND, mask.words, mask.bits + 1) == 0 ? 0 : -errno;
    free(mask.words);
    return error;
}

int worker_check_binding(struct worker *worker, struct failure *failure)
{
    const int node = worker->request->node;

    if (node == TOPOLOGY_NONE) {
        return 0;
    }
    if (worker->bind_error != 0) {
        return refuse_binding(worker, -worker->bind_error, failure);
    }
    const int error = read_policy_back(node);
    if (error == -EIO) {
        return failure_set(failure, "bind", EIO,
                           "the memory policy was accepted but reads back as something else");
    }
    /* Where reading it back is refused (filters of containers), move_pages() is the proof. */
    worker->placement.unknown |= error != 0 ? UNKNOWN_MEMORY_POLICY : 0;
    worker->placement.memory_is_bound = 1;
    return 0;
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static int link_lines(struct worker *worker)
{
    struct worker_memory *memory = &worker->memory;
    const struct visit_request *request = worker->request;
    size_t *order = malloc(memory->line_count * sizeof *order);
    struct random_stream *stream = random_stream_create(request->seed, RANDOM_CHAIN,
                                                        (uint64_t)request->round, request->cell);
    int error = -ENOMEM;
    if (order != NULL && stream != NULL) {
        for (size_t i = 0; i < memory->line_count; i++) {
            order[i] = i;
        }
        random_stream_shuffle(stream, order, memory->line_count);
        memory->first_line = touch_link_lines(memory->lines, memory->line_count, order);
        error = 0;
    }
    random_stream_destroy(stream);
    free(order);
    return error;
}

static int allocate_displacement(struct worker_memory *memory)
{
    const size_t size = touch_displacement_size();
    if (size == 0 || memory->lines == NULL) {
        return 0;
    }
    void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) {
        return -errno;
    }
    memset(area, 1, size);
    memory->displacement = area;
    memory->displacement_size = size;
    return 0;
}

/* All at once where the operating system can (Linux 5.14), a fault for each page otherwise. */
static void fault_in(unsigned char *start, size_t size)
{
    if (madvise(start, size, MADV_POPULATE_WRITE) != 0) {
        memset(start, 0, size);
    }
}

static int map_region(struct worker *worker)
{
    struct worker_memory *memory = &worker->memory;
    const size_t samples_size = round_up(memory->sample_count * sizeof(struct sample),
                                         memory->page_size);
    const size_t lines_size = round_up(memory->line_count * TOUCH_STRIDE_BYTES, memory->page_size);

    memory->region_size = samples_size + lines_size;
    if (memory->region_size == 0) {
        memory->region_size = memory->page_size;
    }
    void *region = mmap(NULL, memory->region_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (region == MAP_FAILED) {
        return -errno;
    }
    /* A huge page would be placed, counted and locked as one. */
    (void)madvise(region, memory->region_size, MADV_NOHUGEPAGE);
    memory->region = region;
    fault_in(memory->region, memory->region_size);
    memory->samples = region;
    if (memory->line_count > 0) {
        memory->lines = memory->region + samples_size;
    }
    return 0;
}

/* Written from top to bottom, so that the stack grows as far as the loop may use it. */
static void __attribute__((noinline)) fault_stack_in(size_t page_size)
{
    volatile unsigned char area[STACK_BYTES];
    for (size_t offset = sizeof area; offset > 0; offset -= offset < page_size ? offset : page_size) {
        area[offset - 1] = 0;
    }
}

/* The frames that the loop goes back to are in it: the outermost one begins in its topmost page. */
static void place_stack(struct worker_memory *memory)
{
    const uintptr_t top = round_up(memory->stack_top + 1, memory->page_size);

    fault_stack_in(memory->page_size);
    memory->stack_size = round_up(STACK_BYTES, memory->page_size);
    memory->stack = (unsigned char *)(top - memory->stack_size); /* NOLINT(performance-no-int-to-ptr) */
}

int worker_allocate(struct worker *worker, struct failure *failure)
{
    struct worker_memory *memory = &worker->memory;
    const struct visit_request *request = worker->request;

    memory->page_size = (size_t)sysconf(_SC_PAGESIZE);
    memory->sample_count = (size_t)(request->warmup_count + request->sample_count);
    memory->line_count = (size_t)request->touch_lines;
    int error = map_region(worker);
    if (error == 0 && memory->line_count > 0) {
        error = link_lines(worker);
    }
    if (error == 0) {
        error = allocate_displacement(memory);
    }
    if (error != 0) {
        return failure_set(failure, "allocate", -error, "memory for %zu samples and %zu lines: %s",
                           memory->sample_count, memory->line_count, strerror(-error));
    }
    place_stack(memory);
    worker->placement.memory_is_locked = mlock(memory->region, memory->region_size) == 0 &&
                                         mlock(memory->stack, memory->stack_size) == 0;
    return 0;
}

static void count_pages(struct worker *worker, void **pages, int *nodes, size_t count, int expected_node)
{
    struct placement *placement = &worker->placement;
    placement->pages_total = (int64_t)count;
    placement->pages_on_node = 0;
    placement->pages_unknown = 0;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = -1;
    }
    if (move_pages(0, count, pages, NULL, nodes, 0) != 0) {
        placement->pages_unknown = (int64_t)count;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        placement->pages_unknown += nodes[i] < 0;
        placement->pages_on_node += nodes[i] == expected_node;
    }
}

int worker_prove_memory(struct worker *worker, struct failure *failure)
{
    const struct worker_memory *memory = &worker->memory;
    const size_t region_pages = memory->region_size / memory->page_size;
    const size_t count = region_pages + memory->stack_size / memory->page_size;
    const int node = worker->request->node;
    void **pages = calloc(count, sizeof *pages);
    int *nodes = calloc(count, sizeof *nodes);
    int error = 0;

    if (pages == NULL || nodes == NULL) {
        error = failure_set(failure, "prove memory", ENOMEM, "no memory for the list of %zu pages",
                            count);
        goto clean_up;
    }
    for (size_t i = 0; i < count; i++) {
        pages[i] = i < region_pages ? memory->region + i * memory->page_size
                                    : memory->stack + (i - region_pages) * memory->page_size;
    }
    count_pages(worker, pages, nodes, count,
                worker->placement.memory_is_bound ? node : worker->placement.memory_node_before);
clean_up:
    free(nodes);
    free(pages);
    return error;
}

void worker_rehearse_memory(void)
{
    int node = 0;
    void *page = NULL;
    struct random_stream *stream = random_stream_create(0, RANDOM_CHAIN, 0, 0);
    size_t order[2] = {0, 1};
    if (stream != NULL) {
        random_stream_shuffle(stream, order, 2);
        (void)random_stream_between(stream, 0, 1);
    }
    random_stream_destroy(stream);
    /* Refused for their arguments, so that nothing changes. */
    (void)set_mempolicy(-1, NULL, 0);
    (void)read_policy_back(0);
    (void)move_pages(0, 0, &page, NULL, &node, 0);
}
