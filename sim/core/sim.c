/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation and its run: event queue, processes, statistics and observation under one roof. */
#include "core/sim.h"

#include <glib.h>
#include <stdarg.h>

#include "core/error.h"
#include "core/units.h"

struct sim *sim_new(uint64_t seed)
{
    struct sim *sim = g_new0(struct sim, 1);
    sim->seed = seed;
    sim->events = event_queue_new();
    sim->processes = process_system_new(sim->events);
    sim->stats = stat_registry_new();
    observe_init(&sim->observe);
    pool_init(&sim->meters, sizeof(struct energy_meter));
    quiescence_init(&sim->quiescence, sim->events);
    sim->check = (struct check_context){.now_ps = event_now_pointer(sim->events), .seed = seed};
    process_system_set_check(sim->processes, &sim->check);
    return sim;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    observe_clear(&sim->observe);
    pool_clear(&sim->meters);
    stat_registry_free(sim->stats);
    process_system_free(sim->processes);
    event_queue_free(sim->events);
    g_free(sim->failure);
    g_free(sim);
}

enum sim_end sim_run(struct sim *sim)
{
    const struct check_context *before = check_set_context(&sim->check);
    sim->stopped = false;
    event_run(sim->events);
    check_set_context(before);
    if (sim->quiescence.is_found)
        return SIM_DEADLOCK;
    if (sim->stopped)
        return SIM_STOPPED;
    if (event_pending(sim->events) > 0)
        return SIM_TOO_LONG;
    return process_alive(sim->processes) ? SIM_DEADLOCK : SIM_FINISHED;
}

void sim_stop(struct sim *sim)
{
    sim->stopped = true;
    event_stop(sim->events);
}

void sim_fail(struct sim *sim, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!sim->failure)
        sim->failure = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    sim_stop(sim);
}

bool sim_tell_end(const struct sim *sim, enum sim_end end, GError **error)
{
    if (sim->failure)
        error_set(error, "%s", sim->failure);
    else if (end == SIM_TOO_LONG)
        error_set(error, "%s", SIM_TOO_LONG_REASON);
    return sim->failure || end == SIM_TOO_LONG;
}

struct process_report {
    GString *text;
    int left; /* how many lines may still be written */
};

static void report_process(const struct process *process, const char *reason, sim_time since_ps,
                           void *argument)
{
    struct process_report *report = argument;
    char since[UNIT_TEXT_SIZE];
    if (report->left-- > 0)
        g_string_append_printf(report->text, "%s: waits for %s since %s\n", process_name(process),
                               reason, unit_format(since_ps, UNIT_TIME, since));
}

char *sim_deadlock_report(const struct sim *sim, int most)
{
    struct process_report report = {g_string_new(NULL), most};
    process_visit(sim->processes, report_process, &report);
    if (report.left < 0)
        g_string_append_printf(report.text, "and %d more\n", -report.left);
    return g_string_free(report.text, FALSE);
}
