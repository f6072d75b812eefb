/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/sweep_warnings.h"

#include "numasweep/saturated.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { COARSE_CLOCK_NS = 1000 };

struct troubles {
    size_t measured;
    size_t policy_refused;
    int policy_errno;
    size_t not_bound;
    int memory_errno;
    size_t not_locked;
    size_t pages_elsewhere;
    size_t pages_unknown;
    size_t beside_coordinator;
    int64_t coarsest_ns;
    int64_t early;
    int64_t elsewhere;
};

static void count_visit(struct troubles *troubles, const struct visit *visit)
{
    const struct placement *placement = &visit->placement;
    if (visit->outcome != VISIT_MEASURED) {
        return;
    }
    troubles->measured++;
    if (placement->policy_errno != 0) {
        troubles->policy_refused++;
        troubles->policy_errno = placement->policy_errno;
    }
    if (placement->memory_errno != 0) {
        troubles->not_bound++;
        troubles->memory_errno = placement->memory_errno;
    }
    troubles->not_locked += !placement->memory_is_locked;
    troubles->pages_elsewhere += placement->memory_is_bound && placement->pages_unknown == 0 &&
                                 placement->pages_on_node != placement->pages_total;
    troubles->pages_unknown += placement->memory_is_bound && placement->pages_unknown > 0;
    troubles->beside_coordinator += placement->coordinator_distance == 2;
    if (placement->clock_resolution_ns > troubles->coarsest_ns) {
        troubles->coarsest_ns = placement->clock_resolution_ns;
    }
    troubles->early = saturated_add(troubles->early, placement->early_count);
    troubles->elsewhere = saturated_add(troubles->elsewhere, placement->elsewhere_count);
}

static const char *policy_cause(const struct sweep *sweep, int error)
{
    if (error == ENOSYS) {
        return "this looks like a sandbox that knows no real-time scheduling; only outside of it can it "
               "be had";
    }
    if (strcmp(environment_value(&sweep->environment, "effective_uid"), "0") == 0) {
        return "as root, the likely cause is a cgroup without a real-time budget (cpu.rt_runtime_us of "
               "RT group "
               "scheduling) or a container without CAP_SYS_NICE; 'numasweep check' tells more";
    }
    return "the likely cause is a missing right: give 'rtprio 98' in /etc/security/limits.conf and log "
           "in anew, or "
           "'setcap cap_sys_nice,cap_ipc_lock=ep' to the program; 'numasweep check' tells more";
}

static int warn_of_rights(struct sweep *sweep, const struct troubles *troubles)
{
    int error = 0;
    if (troubles->policy_refused > 0) {
        error = sweep_add_warning(
            sweep, "SCHED_FIFO was refused in %zu of %zu visits (%s), which ran as SCHED_OTHER: %s",
            troubles->policy_refused, troubles->measured, strerror(troubles->policy_errno),
            policy_cause(sweep, troubles->policy_errno));
    }
    if (error == 0 && troubles->not_bound > 0) {
        error = sweep_add_warning(
            sweep,
            "memory was not bound in %zu of %zu visits (%s), so that their columns do not tell where it "
            "was: %s",
            troubles->not_bound, troubles->measured, strerror(troubles->memory_errno),
            binding_refusal_cause(troubles->memory_errno));
    }
    if (error == 0 && troubles->not_locked > 0) {
        error = sweep_add_warning(
            sweep,
            "memory could not be locked in %zu of %zu visits: raise RLIMIT_MEMLOCK "
            "('memlock' in limits.conf) or give CAP_IPC_LOCK",
            troubles->not_locked, troubles->measured);
    }
    return error;
}

static int warn_of_samples(struct sweep *sweep, const struct troubles *troubles)
{
    int error = 0;
    if (troubles->pages_elsewhere > 0) {
        error = sweep_add_warning(sweep,
                                  "in %zu of %zu visits not all pages lay on the node of their column",
                                  troubles->pages_elsewhere, troubles->measured);
    }
    if (error == 0 && troubles->pages_unknown > 0) {
        error = sweep_add_warning(sweep,
                                  "in %zu of %zu visits it could not be read on which node the memory "
                                  "lay (move_pages), so that its binding is not proved",
                                  troubles->pages_unknown, troubles->measured);
    }
    if (error == 0 && troubles->coarsest_ns > COARSE_CLOCK_NS) {
        error = sweep_add_warning(sweep,
                                  "the clock has a resolution of %" PRId64
                                  " ns: nothing finer is measured; "
                                  "'numasweep check' names the clock source",
                                  troubles->coarsest_ns);
    }
    if (error == 0 && troubles->early > 0) {
        error = sweep_add_warning(
            sweep,
            "%" PRId64 " early wake-ups: sleeps that ended before their time, a defect of the "
            "platform's timers or clocks",
            troubles->early);
    }
    if (error == 0 && troubles->elsewhere > 0) {
        error = sweep_add_warning(sweep,
                                  "%" PRId64
                                  " samples were taken on another CPU than the row's and left out of "
                                  "every figure: a cpuset was changed or a CPU went offline",
                                  troubles->elsewhere);
    }
    if (error == 0 && troubles->beside_coordinator > 0) {
        error = sweep_add_warning(sweep,
                                  "in %zu of %zu visits the coordinator was on the measured CPU itself",
                                  troubles->beside_coordinator, troubles->measured);
    }
    return error;
}

/* A source that is read by a system call, or jumps, is in every figure. */
static int warn_of_clock(struct sweep *sweep)
{
    const struct environment_fact *source = environment_find(&sweep->environment, "clocksource");
    if (source == NULL || source->severity != FACT_WARNING) {
        return 0;
    }
    return sweep_add_warning(sweep, "the clock source is %s: %s", source->value,
                             source->advice != NULL ? source->advice : "it may be slow or coarse");
}

/* What the topology lacks or contradicts, rows and columns are built on. */
static int warn_of_topology(struct sweep *sweep)
{
    int error = 0;
    for (size_t i = 0; i < sweep->topology.disagreement_count && error == 0; i++) {
        error = sweep_add_warning(sweep, "topology: %s", sweep->topology.disagreements[i]);
    }
    return error;
}

int sweep_collect_warnings(struct sweep *sweep)
{
    struct troubles troubles = {0};
    for (size_t i = 0; i < sweep->visit_count; i++) {
        count_visit(&troubles, &sweep->visits[i]);
    }
    /* What rights the other program had is not known. */
    int error = sweep->imported_from == NULL ? warn_of_rights(sweep, &troubles) : 0;
    if (error == 0) {
        error = warn_of_topology(sweep);
    }
    if (error == 0) {
        error = warn_of_clock(sweep);
    }
    return error != 0 ? error : warn_of_samples(sweep, &troubles);
}
