/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One plain sentence for each finding, one for the whole, and the advice. */
#include "analysis_internal.h"
#include "numasweep/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURE_TEXT = 48 };

/* "80 us", "1.25 us", "-0.31 us": three digits. */
static const char *us_text(double value_ns, char text[FIGURE_TEXT])
{
    const double us = value_ns / 1000;
    const int digits = fabs(us) < 9.995 ? 2 : fabs(us) < 99.95 ? 1 : 0;
    (void)snprintf(text, FIGURE_TEXT, "%.*f", digits, us);
    return text;
}

static const char *p_text(double p, char text[FIGURE_TEXT])
{
    if (p < 0.001) {
        (void)snprintf(text, FIGURE_TEXT, "p < 0.001");
    } else {
        (void)snprintf(text, FIGURE_TEXT, "p = %.*f", p < 0.01 ? 4 : 3, p);
    }
    return text;
}

static const char *figure_words(enum analysis_figure figure)
{
    switch (figure) {
    case ANALYSIS_WAKE_P90:
        return "in wake's p90";
    case ANALYSIS_TOUCH_MEDIAN:
        return "in touch";
    default:
        return "in wake";
    }
}

static void print_where(const struct report *report, const struct finding *finding, FILE *stream)
{
    const struct plan *plan = &report->sweep->plan;
    const struct finding_place *place = &finding->places[0];
    (void)fprintf(stream, " %s", figure_words(place->figure));
    if (plan->column_count > 1) {
        (void)fprintf(stream, " with %s memory", analysis_relation_name(place->relation));
    }
    if (report->table_count > 1) {
        const struct report_table *table = &report->tables[place->table];
        char timeout[DURATION_TEXT_SIZE];
        (void)fprintf(stream, ", timeout %s",
                      duration_format(plan->timeouts_ns[table->timeout], timeout));
        if (plan->arm_count > 1) {
            (void)fprintf(stream, ", arm %s", plan->arms[table->arm].name);
        }
    }
    if (finding->place_count > 1) {
        (void)fprintf(stream, " (and in %zu more figure%s)", finding->place_count - 1,
                      finding->place_count == 2 ? "" : "s");
    }
}

static void print_size(const struct verdict_size *size, const char *than, FILE *stream)
{
    char estimate[FIGURE_TEXT];
    (void)fprintf(stream, "%s us", us_text(fabs(size->estimate_ns), estimate));
    if (size->has_share) {
        (void)fprintf(stream, " (%.0f %%)", 100 * fabs(size->share));
    }
    (void)fprintf(stream, " %s than %s", size->estimate_ns >= 0 ? "slower" : "faster", than);
}

static void print_evidence(const struct finding_place *place, FILE *stream)
{
    char low[FIGURE_TEXT];
    char high[FIGURE_TEXT];
    char p[FIGURE_TEXT];
    const double sign = place->size.estimate_ns >= 0 ? 1 : -1;
    const double one = sign * (sign > 0 ? place->size.low_ns : place->size.high_ns);
    const double other = sign * (sign > 0 ? place->size.high_ns : place->size.low_ns);
    (void)fprintf(stream, " in %zu of %zu rounds (%s..%s us, %s)", place->rounds_beyond,
                  place->rounds_measured, us_text(one, low), us_text(other, high), p_text(place->p, p));
}

static void print_causes(const struct finding *finding, FILE *stream)
{
    if (finding->cause_count == 0) {
        (void)fputs("; no counter that is read explains it", stream);
        return;
    }
    for (size_t i = 0; i < finding->cause_count; i++) {
        (void)fprintf(stream, "%s%s", i == 0 ? ": " : "; ", finding->causes[i].text);
    }
}

static bool is_housekeeping(const struct report *report, const struct finding *finding)
{
    const struct topology *topology = &report->sweep->topology;
    const struct plan_row *row = &report->sweep->plan.rows[finding->rows[0]];
    return finding->row_count == 1 && row->cpus.count == 1 && topology->cpu_count > 0 &&
           row->cpu == topology->cpus[0].cpu && finding->direction == VERDICT_SLOW;
}

static void print_flag(const struct report *report, const struct finding *finding, FILE *stream)
{
    (void)fprintf(stream, "%s is ", finding->subject);
    print_size(&finding->places[0].size, "its peers", stream);
    print_where(report, finding, stream);
    print_evidence(&finding->places[0], stream);
    print_causes(finding, stream);
    if (is_housekeeping(report, finding)) {
        (void)fputs("; it is the machine's first CPU, where Linux does its housekeeping", stream);
    }
}

/* Of a pair of rows the one that is not the subject; NULL where there are more. */
static char *name_other_side(const struct report *report, const struct finding *finding)
{
    const struct plan *plan = &report->sweep->plan;
    const struct plan_row *other = NULL;
    char *name = NULL;
    size_t count = 0;
    for (size_t row = 0; row < plan->row_count; row++) {
        if (plan->rows[row].state == ROW_PLANNED) {
            count++;
            other = row != finding->rows[0] ? &plan->rows[row] : other;
        }
    }
    if (count != 2 || other == NULL) {
        return NULL;
    }
    return asprintf(&name, "%s%s", plan->by == ROW_PU ? "CPU " : "", other->label) < 0 ? NULL : name;
}

/* Nobody can tell "A is slow" from "B is fast" by the figures; the evidence may. */
static void print_differing(const struct report *report, const struct finding *finding, FILE *stream)
{
    char *other = name_other_side(report, finding);
    (void)fprintf(stream, "%s is ", finding->subject);
    print_size(&finding->places[0].size, other != NULL ? other : "the other half", stream);
    free(other);
    print_where(report, finding, stream);
    print_evidence(&finding->places[0], stream);
    if (finding->cause_count > 0) {
        (void)fputs("; which side is the odd one cannot be told by the figures, but the evidence points "
                    "at it",
                    stream);
        print_causes(finding, stream);
    } else {
        (void)fputs("; which side is the odd one cannot be told, and no counter that is read differs",
                    stream);
    }
}

static void print_small(const struct report *report, const struct finding *finding, FILE *stream)
{
    (void)fprintf(stream, "%s is ", finding->subject);
    print_size(&finding->places[0].size, "its peers", stream);
    print_where(report, finding, stream);
    print_evidence(&finding->places[0], stream);
    (void)fputs(": real, but smaller than what counts as a flag", stream);
}

static void print_outlier(const struct report *report, const struct finding *finding, FILE *stream)
{
    const struct finding_place *place = &finding->places[0];
    (void)fprintf(stream, "%s stands out, not confirmed%s: ", finding->subject,
                  report->sweep->plan.round_count == 1 ? " (one round)" : "");
    print_size(&place->size, "its peers", stream);
    print_where(report, finding, stream);
    (void)fprintf(stream, ", %.1f times their spread", place->distance);
    if (place->rounds_needed > 0 && place->rounds_needed < VERDICT_ROUNDS_MANY) {
        (void)fprintf(stream, "; about %zu rounds would confirm it", place->rounds_needed);
    }
}

static int write_finding(const struct report *report, struct finding *finding)
{
    size_t size = 0;
    FILE *stream = open_memstream(&finding->sentence, &size);
    if (stream == NULL) {
        return -ENOMEM;
    }
    switch (finding->type) {
    case FINDING_SLOW:
    case FINDING_FAST:
        print_flag(report, finding, stream);
        break;
    case FINDING_DIFFER:
        print_differing(report, finding, stream);
        break;
    case FINDING_SMALL:
        print_small(report, finding, stream);
        break;
    case FINDING_STANDS_OUT:
        print_outlier(report, finding, stream);
        break;
    }
    return fclose(stream) == 0 ? 0 : -ENOMEM;
}

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *pattern, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, pattern);
    const int length = vasprintf(&text, pattern, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

static size_t count_differences(const struct analysis *analysis)
{
    size_t count = 0;
    for (size_t i = 0; i < analysis->finding_count; i++) {
        count += analysis->findings[i].type == FINDING_DIFFER;
    }
    return count;
}

static char *judge(const struct report *report, const struct analysis_values *values,
                   const struct analysis *analysis)
{
    const char *rows = report->sweep->plan.by == ROW_PU ? "CPU" : "row";
    switch (analysis->verdict.state) {
    case VERDICT_ONE_ROUND:
        return format("Not judged: one round. Nothing can be confirmed; %zu rounds could.",
                      analysis->verdict.rounds_needed);
    case VERDICT_TOO_FEW_ROUNDS:
        return format(
            "Not judged: %zu rounds are too few to confirm anything at an error rate of %g %%; "
            "%zu could.",
            values->round_count, 100 * analysis->level, analysis->verdict.rounds_needed);
    case VERDICT_TOO_FEW_UNITS:
        return format("Not judged: no %s has a peer to be compared with.", rows);
    case VERDICT_JUDGED:
        break;
    }
    const size_t differences = count_differences(analysis);
    if (differences > 0 && differences == analysis->slow_count + analysis->fast_count) {
        return format("%zu difference%s found between %zu %ss, at an error rate of %g %% for the whole "
                      "answer.",
                      differences, number_plural((int64_t)differences), values->unit_count, rows,
                      100 * analysis->level);
    }
    if (analysis->slow_count + analysis->fast_count > 0) {
        return format(
            "%zu slow and %zu fast found among %zu %ss, at an error rate of %g %% for the whole "
            "answer.",
            analysis->slow_count, analysis->fast_count, values->unit_count, rows, 100 * analysis->level);
    }
    return format("No slow or fast %s found among %zu, at an error rate of %g %% for the whole answer "
                  "(smallest p %.3g).",
                  rows, values->unit_count, 100 * analysis->level, analysis->verdict.smallest_p);
}

static int add_advice(struct analysis *analysis, char *sentence)
{
    char **advice = realloc(analysis->advice, (analysis->advice_count + 1) * sizeof *advice);
    if (advice == NULL || sentence == NULL) {
        free(sentence);
        analysis->advice = advice != NULL ? advice : analysis->advice;
        return -ENOMEM;
    }
    analysis->advice = advice;
    advice[analysis->advice_count] = sentence;
    analysis->advice_count++;
    return 0;
}

/* Timer and inter-processor interrupts cannot be moved away: they follow from what runs. */
static bool is_consequence(const char *name)
{
    static const char *const names[] = {"irq:LOC", "irq:RES", "irq:CAL", "irq:TLB"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_cause(const struct analysis *analysis, const char *prefix)
{
    for (size_t i = 0; i < analysis->finding_count; i++) {
        for (size_t k = 0; k < analysis->findings[i].cause_count; k++) {
            const char *name = analysis->findings[i].causes[k].name;
            if (strncmp(name, prefix, strlen(prefix)) == 0 && !is_consequence(name)) {
                return true;
            }
        }
    }
    return false;
}

static int advise(const struct analysis_values *values, struct analysis *analysis)
{
    static const struct {
        const char *cause;
        const char *sentence;
    } advices[] = {
        {"idle_exit_ns",
         "Measure once more with --dma-latency 0: if the difference goes, it was the idle "
         "states."},
        {"run_delay_ns",
         "Another task competes for that CPU: find it with 'ps -eLo psr,cls,rtprio,comm', "
         "or isolate the CPU (isolcpus, cpusets)."},
        {"involuntary_switches", "A task of higher priority preempts the worker: find it with 'ps -eLo "
                                 "psr,cls,rtprio,comm'."},
        {"irq:", "Move the interrupt away from that CPU (/proc/irq/N/smp_affinity, irqbalance)."},
        {"steal_ms", "The hypervisor runs others on that CPU: pin virtual CPUs to physical ones."},
        {"throttled:", "The processor throttles for heat: look at its cooling and power limits."},
        {"smi", "System management interrupts are the firmware's: look at its settings."},
        {COUNTER_LEVEL_PREFIX,
         "Its clock is slower: look at the governor and the power limits (cpupower frequency-info)."},
        {"sibling_busy_ms", "Its SMT sibling was busy: isolate both threads of the core."},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof advices / sizeof advices[0] && error == 0; i++) {
        if (has_cause(analysis, advices[i].cause)) {
            error = add_advice(analysis, strdup(advices[i].sentence));
        }
    }
    if (error == 0 && values->misplaced > 0) {
        error = add_advice(analysis,
                           format("%zu visit%s whose placement reads back as another one than asked for "
                                  "%s not compared.",
                                  values->misplaced, number_plural((int64_t)values->misplaced),
                                  values->misplaced == 1 ? "was" : "were"));
    }
    if (error == 0 && values->other_policies > 0) {
        error = add_advice(analysis,
                           format("%zu visits ran under another policy than most and were not compared.",
                                  values->other_policies));
    }
    return error;
}

int analysis_write_sentences(const struct report *report, const struct analysis_values *values,
                             struct analysis *analysis)
{
    int error = 0;
    for (size_t i = 0; i < analysis->finding_count && error == 0; i++) {
        error = write_finding(report, &analysis->findings[i]);
    }
    if (error != 0) {
        return error;
    }
    analysis->verdict_sentence = judge(report, values, analysis);
    return analysis->verdict_sentence == NULL ? -ENOMEM : advise(values, analysis);
}
