/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a worker, private to src/platform/worker*.c. All run inside the forked child. */
#ifndef NUMASWEEP_WORKER_PARTS_H
#define NUMASWEEP_WORKER_PARTS_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"
#include "numasweep/kernel.h"
#include "numasweep/visit.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* Everything that the loop touches, all of it placed on the cell's node. */
struct worker_memory {
    unsigned char *region; /* one mapping: samples, then the touched lines */
    size_t region_size;
    struct sample *samples; /* warm-up samples first */
    size_t sample_count;
    unsigned char *lines; /* NULL: no touch */
    void **first_line;    /* where the chain of lines begins */
    size_t line_count;
    uintptr_t stack_top;  /* an address in the topmost page that is not older than the binding */
    unsigned char *stack; /* the part of the stack that the loop uses */
    size_t stack_size;
    size_t page_size;
    unsigned char *displacement; /* only where lines cannot be flushed */
    size_t displacement_size;
};

struct worker {
    const struct visit_request *request;
    const struct id_list *cpus;
    const struct measurement_kernel *kernel;
    struct kernel_context context;
    struct worker_memory memory;
    struct placement placement;
    int bind_error;             /* negative errno of worker_bind_memory() */
    int64_t phase_ns;           /* sleep before the first warm-up */
    struct rusage usage_before; /* at both ends of the measuring, at the measuring's own priority */
    struct rusage usage_after;
};

/* worker_memory.c */
int worker_bind_memory(int node);
int worker_check_binding(struct worker *worker, struct failure *failure);
int worker_allocate(struct worker *worker, struct failure *failure);
/* See worker_rehearse(). */
void worker_rehearse_memory(void);
int worker_prove_memory(struct worker *worker, struct failure *failure);

/* worker_schedule.c */
void worker_reset_inherited(void);
int worker_pin(struct worker *worker, struct failure *failure);
int worker_set_policy(struct worker *worker, struct failure *failure);
int worker_check_policy_after(struct worker *worker, struct failure *failure);
void worker_return_to_normal(void);
void worker_read_mask_after(struct worker *worker);

/* worker_touch.c */
enum { TOUCH_STRIDE_BYTES = 256 };
const char *touch_eviction_name(void);
/* How much memory must be walked to displace the lines; 0 where they can be flushed. */
size_t touch_displacement_size(void);
/* Links `count` lines at TOUCH_STRIDE_BYTES into one cycle in random order; returns its first line. */
void **touch_link_lines(unsigned char *lines, size_t count, const size_t *order);
void touch_evict(const struct worker_memory *memory);
void touch_walk(void **first_line, size_t count);

/* worker_measure.c */
int worker_plan_sleeps(struct worker *worker, struct failure *failure);
void worker_read_clock_cost(struct worker *worker);
int worker_measure(struct worker *worker, struct failure *failure);

#endif
