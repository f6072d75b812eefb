/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a CPU is slow or fast: the counters of its own visits against those of its peers' visits, in the
 * same table and relation. Robust: medians over visits, distances in units of the peers' spread.
 */
#include "analysis_internal.h"
#include "numasweep/number.h"
#include "numasweep/saturated.h"
#include "numasweep/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cause must stand out as far as an outlier does among figures, nearly. */
static const double smallest_weight = 3;
static const double normal_mad = 1.4826;

struct visits {
    const struct visit **own;
    size_t own_count;
    const struct visit **peers;
    size_t peer_count;
    double *scratch;
    const struct environment *environment;
};

static bool is_in(const size_t *rows, size_t count, size_t row)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i] == row) {
            return true;
        }
    }
    return false;
}

static int kind_of(const struct report *report, size_t row)
{
    const struct topology_cpu *cpu = topology_find_cpu(&report->sweep->topology,
                                                       report->sweep->plan.rows[row].cpu);
    return cpu != NULL ? cpu->kind : TOPOLOGY_NONE;
}

/* Peers are of the kind of the subject, unless the subject is a kind. */
static int collect_visits(const struct report *report, const struct finding *finding,
                          struct visits *visits)
{
    const struct sweep *sweep = report->sweep;
    const struct finding_place *place = &finding->places[0];
    const bool is_kind = strcmp(finding->level, "kind") == 0;
    const int kind = kind_of(report, finding->rows[0]);
    visits->own = calloc(sweep->visit_count + 1, sizeof *visits->own);
    visits->peers = calloc(sweep->visit_count + 1, sizeof *visits->peers);
    visits->scratch = calloc(sweep->visit_count + 1, sizeof *visits->scratch);
    if (visits->own == NULL || visits->peers == NULL || visits->scratch == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < sweep->visit_count; i++) {
        const struct visit *visit = &sweep->visits[i];
        const struct plan_cell *cell = &sweep->plan.cells[visit->cell];
        if (visit->outcome != VISIT_MEASURED || visit->sample_count == 0 ||
            (sweep->plan.column_count > 1 && cell->is_local != (place->relation == ANALYSIS_LOCAL)) ||
            cell->arm * sweep->plan.timeout_count + cell->timeout != place->table) {
            continue;
        }
        if (is_in(finding->rows, finding->row_count, cell->row)) {
            visits->own[visits->own_count++] = visit;
        } else if (is_kind || kind_of(report, cell->row) == kind) {
            visits->peers[visits->peer_count++] = visit;
        }
    }
    return 0;
}

static double median_rate(const struct visits *visits, bool of_own, const char *name)
{
    const struct visit *const *list = of_own ? visits->own : visits->peers;
    const size_t count = of_own ? visits->own_count : visits->peer_count;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const double rate = analysis_rate(list[i], name, visits->environment);
        visits->scratch[known] = rate;
        known += isfinite(rate) ? 1 : 0;
    }
    return known > 0 ? median_of(visits->scratch, known) : (double)NAN;
}

static double peers_spread(const struct visits *visits, const char *name, double middle)
{
    size_t known = 0;
    for (size_t i = 0; i < visits->peer_count; i++) {
        const double rate = analysis_rate(visits->peers[i], name, visits->environment);
        visits->scratch[known] = fabs(rate - middle);
        known += isfinite(rate) ? 1 : 0;
    }
    return normal_mad * median_of(visits->scratch, known);
}

/* What a counter counts; a name that ends with ':' stands for all that begin with it. */
static const struct {
    const char *name;
    const char *noun;
} nouns[] = {
    {"involuntary_switches", "preemptions by other tasks"},
    {"major_faults", "page faults from disk"},
    {"minor_faults", "page faults"},
    {"migrations", "migrations"},
    {"steal_ms", "ms taken by the hypervisor"},
    {"softirq_ms", "ms of soft interrupts on its CPU"},
    {"sibling_busy_ms", "ms of work on its SMT sibling"},
    {"throttled:", "throttlings for heat of its "},
    {"cgroup_throttled", "throttlings of its cgroup"},
    {"smi", "system management interrupts"},
    {"irq:LOC", "local timer interrupts"},
    {"irq:RES", "rescheduling interrupts"},
    {"irq:CAL", "function call interrupts"},
    {"irq:TLB", "TLB shootdowns"},
    {"irq:", "interrupts of line "},
};

static void describe_delay(struct finding_cause *cause)
{
    char own[DURATION_TEXT_SIZE];
    char peers[DURATION_TEXT_SIZE];
    (void)snprintf(cause->text, sizeof cause->text,
                   "it was ready but waited %s a sample for the CPU, they waited %s",
                   duration_format_rough(saturated_from_double(cause->own), own),
                   duration_format_rough(saturated_from_double(cause->peers), peers));
}

static double entries_share(const struct visits *visits, bool of_own, const char *name)
{
    const struct visit *const *list = of_own ? visits->own : visits->peers;
    const size_t count = of_own ? visits->own_count : visits->peer_count;
    double entries = 0;
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < list[i]->counters.count; k++) {
            const struct counter *counter = &list[i]->counters.items[k];
            all += analysis_is_entries(counter->name) ? (double)counter->value : 0;
            entries += strcmp(counter->name, name) == 0 ? (double)counter->value : 0;
        }
    }
    return all > 0 ? entries / all : 0;
}

/* The state whose share differs most, weighted by how long it takes to leave. */
static void describe_idle(struct finding_cause *cause, const struct visits *visits,
                          const struct counter_set *names)
{
    double largest = -1;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i].name;
        if (!analysis_is_entries(name)) {
            continue;
        }
        const char *state = name + sizeof ANALYSIS_IDLE_PREFIX - 1;
        const size_t length = analysis_state_length(name);
        const double latency_us = analysis_exit_latency_us(visits->environment, state, length);
        const double own = entries_share(visits, true, name);
        const double peers = entries_share(visits, false, name);
        if (latency_us > 0 && fabs(own - peers) * latency_us > largest) {
            largest = fabs(own - peers) * latency_us;
            (void)snprintf(cause->text, sizeof cause->text,
                           "it spent %.0f %% of its sleeps in %.*s where they spent %.0f %%; %.*s takes "
                           "%.0f us to leave",
                           100 * own, (int)length, state, 100 * peers, (int)length, state, latency_us);
        }
    }
}

static void describe_clock(struct finding_cause *cause)
{
    if (strcmp(cause->name, analysis_clock_name) == 0) {
        (void)snprintf(cause->text, sizeof cause->text,
                       "its clock ran at %.0f %% of its base frequency, theirs at %.0f %%", cause->own,
                       cause->peers);
        return;
    }
    (void)snprintf(cause->text, sizeof cause->text, "its clock stood at %.2f GHz, theirs at %.2f GHz",
                   cause->own / 1e6, cause->peers / 1e6);
}

static void describe_counter(struct finding_cause *cause)
{
    const char *noun = cause->name;
    const char *rest = "";
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++) {
        const size_t length = strlen(nouns[i].name);
        const bool is_prefix = nouns[i].name[length - 1] == ':';
        if (strncmp(cause->name, nouns[i].name, length) == 0 &&
            (is_prefix || cause->name[length] == '\0')) {
            noun = nouns[i].noun;
            rest = cause->name + length;
            break;
        }
    }
    (void)snprintf(cause->text, sizeof cause->text, "it had %.3g %s%.40s a sample, they had %.3g",
                   cause->own, noun, rest, cause->peers);
}

static void describe(struct finding_cause *cause, const struct visits *visits,
                     const struct counter_set *names)
{
    if (strcmp(cause->name, "run_delay_ns") == 0) {
        describe_delay(cause);
        return;
    }
    if (strcmp(cause->name, analysis_exit_name) == 0) {
        describe_idle(cause, visits, names);
        return;
    }
    if (strcmp(cause->name, analysis_coordinator_name) == 0) {
        (void)snprintf(cause->text, sizeof cause->text,
                       "the coordinator sat on its core in %.0f %% of its visits, in %.0f %% of theirs",
                       100 * cause->own, 100 * cause->peers);
        return;
    }
    if (analysis_yardstick(cause->name).less_is_slow) {
        describe_clock(cause);
        return;
    }
    describe_counter(cause);
}

/* Times in idle states say what the entries say, and cycles alone nothing. */
static bool may_be_cause(const char *name)
{
    return strncmp(name, ANALYSIS_IDLE_PREFIX, sizeof ANALYSIS_IDLE_PREFIX - 1) != 0 &&
           strcmp(name, "voluntary_switches") != 0 && strcmp(name, "cgroup_throttled_us") != 0 &&
           strcmp(name, "aperf") != 0 && strcmp(name, "mperf") != 0;
}

static void consider(struct finding *finding, const struct visits *visits, const char *name,
                     const struct counter_set *names)
{
    struct finding_cause cause = {.own = median_rate(visits, true, name),
                                  .peers = median_rate(visits, false, name)};
    const struct analysis_yardstick yardstick = analysis_yardstick(name);
    (void)snprintf(cause.name, sizeof cause.name, "%s", name);
    const double difference = cause.own - cause.peers;
    const double more = yardstick.less_is_slow ? -difference : difference;
    const bool is_plausible = finding->direction == VERDICT_SLOW ? more > 0 : more < 0;
    const double smallest = yardstick.smallest + yardstick.smallest_share * fabs(cause.peers);
    /* Where either is not known, nothing is. */
    if (!isfinite(difference) || !is_plausible || fabs(difference) < smallest) {
        return;
    }
    const double spread = peers_spread(visits, name, cause.peers) +
                          yardstick.spread_share * fabs(cause.peers) + yardstick.smallest / 2;
    cause.weight = fabs(difference) / spread;
    if (cause.weight < smallest_weight) {
        return;
    }
    size_t position = finding->cause_count;
    while (position > 0 && finding->causes[position - 1].weight < cause.weight) {
        position--;
    }
    if (position == CAUSES_MOST) {
        return;
    }
    describe(&cause, visits, names);
    const size_t last = finding->cause_count < CAUSES_MOST ? finding->cause_count : CAUSES_MOST - 1;
    (void)memmove(&finding->causes[position + 1], &finding->causes[position],
                  (last - position) * sizeof finding->causes[0]);
    finding->causes[position] = cause;
    finding->cause_count = last + 1;
}

static int list_names(const struct visits *visits, struct counter_set *names)
{
    int error = 0;
    for (size_t i = 0; i < visits->own_count + visits->peer_count && error == 0; i++) {
        const struct visit *visit = i < visits->own_count ? visits->own[i]
                                                          : visits->peers[i - visits->own_count];
        for (size_t k = 0; k < visit->counters.count && error == 0; k++) {
            error = counter_set_add(names, visit->counters.items[k].name, 1);
        }
    }
    return error;
}

static int explain(const struct report *report, struct finding *finding)
{
    struct visits visits = {.environment = &report->sweep->environment};
    struct counter_set names = {0};
    int error = collect_visits(report, finding, &visits);
    if (error == 0) {
        error = list_names(&visits, &names);
    }
    if (error == 0 && visits.own_count > 0 && visits.peer_count > 0) {
        for (size_t i = 0; i < names.count; i++) {
            /* The processor's own counts say more than a look before and after. */
            const bool is_known_better = counter_is_level(names.items[i].name) &&
                                         counter_set_find(&names, "mperf") != NULL;
            if (may_be_cause(names.items[i].name) && !is_known_better) {
                consider(finding, &visits, names.items[i].name, &names);
            }
        }
        consider(finding, &visits, analysis_exit_name, &names);
        consider(finding, &visits, analysis_coordinator_name, &names);
        consider(finding, &visits, analysis_clock_name, &names);
    }
    counter_set_destroy(&names);
    free(visits.own);
    free(visits.peers);
    free(visits.scratch);
    return error;
}

int analysis_find_causes(const struct report *report, const struct analysis_values *values,
                         struct analysis *analysis)
{
    int error = 0;
    (void)values;
    for (size_t i = 0; i < analysis->finding_count && error == 0; i++) {
        const enum finding_type type = analysis->findings[i].type;
        if (type == FINDING_SLOW || type == FINDING_FAST || type == FINDING_DIFFER) {
            error = explain(report, &analysis->findings[i]);
        }
    }
    return error;
}
