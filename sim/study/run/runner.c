/* SPDX-License-Identifier: BSD-3-Clause */
/* From points to rows. The job has three kinds of functions (workers.h): those in a point's process have the script and no
 * store, those in this process have the store and run no script, and `build` has neither. */
#include "study/run/runner.h"

#include <string.h>
#include <sys/resource.h>

#include "core/error.h"
#include "core/json.h"
#include "fabric/platform.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/run/ground.h"
#include "study/store/pack.h"
#include "study/system/interrupt.h"
#include "study/table/version.h"

#define TRIED_POINTS 3 /* how many of the queued points are tried, to estimate costs */

struct running {
    struct study *study;
    const struct runner_options *options;
    char *version;
    size_t *queue; /* points to be run */
    size_t queued, taken;
    GPtrArray *rows;      /* struct row, by point; NULL: not known yet */
    gint64 start_us;      /* g_get_monotonic_time */
    size_t points, known; /* to be run or known; known before */
    size_t done, failed;

    /* when recalling: axes of points stored under another text of the study, with their failure ("": none); else NULL */
    GHashTable *other_texts;

    /* Used in the process of a point. */
    bool lacks;              /* a requested result is not known */
    bool has_one_machine;    /* all points have the same machine */
    struct machine *machine; /* NULL, with an error: the point has no machine */
    char *machine_json;      /* for a store; NULL: not made yet */
    GError *machine_error;
    enum point_traces traces; /* what the last point has left behind */
    struct worker_link *link;
};

/* --- in the process of a point ---------------------------------------------------------------- */

static GBytes *survey(void *context, size_t point)
{
    struct running *runner = context;
    struct machine *machine = study_machine(runner->study, point, NULL);
    GBytes *ground = machine ? ground_survey(machine) : NULL;
    machine_free(machine);
    return ground;
}

/* If nothing is simulated, no platform is needed. A process that runs several points may keep the machine. */
static bool load_machine(void *context, size_t point)
{
    struct running *runner = context;
    if (runner->machine && runner->has_one_machine)
        return true;
    machine_free(runner->machine);
    g_clear_pointer(&runner->machine_json, g_free);
    g_clear_error(&runner->machine_error);
    runner->machine = study_machine(runner->study, point, &runner->machine_error);
    return true;
}

/* Whether this process can provide the machine's platform: requests it, and gets the existing one or a new one. */
static bool has_room_for(const struct machine *machine)
{
    g_autoptr(GError) error = NULL;
    return machine_platform(&machine->spec, &error) ||
           !g_error_matches(error, ERROR_DOMAIN, ERROR_TAKEN);
}

/* Between points no run holds a platform, so it can be replaced by another one, unless SimGrid simulates it. */
static bool fits(void *context, size_t point)
{
    struct running *runner = context;
    load_machine(runner, point);
    return !runner->machine || has_room_for(runner->machine) || platform_drop();
}

static bool recall_call(void *context, const struct workload_call *call,
                        struct workload_result *result)
{
    struct running *runner = context;
    g_autofree char *key = store_call_key(call, runner->version);
    g_autoptr(GBytes) question = g_bytes_new(key, strlen(key) + 1);
    g_autoptr(GBytes) answer = worker_ask(runner->link, question);
    bool is_known = answer && unpack_result(answer, result);
    runner->lacks = runner->lacks || !is_known;
    return is_known;
}

static void keep_call(void *context, const struct workload_call *call,
                      const struct workload_result *result)
{
    const struct running *runner = context;
    g_autoptr(GBytes) packed = pack_result(result);
    g_autoptr(GBytes) news = pack_call(call, packed);
    worker_tell(runner->link, news);
}

/* The peak memory of this process so far. */
static uint64_t memory_held(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
}

/* The peak memory up to which a process may run another point: a larger heap would be fragmented and make the next point slower. */
#define MOST_HELD_BYTES ((uint64_t)512 << 20)

/* Whether a point that has ended well cannot influence another one in its process. With SimGrid it can, since SimGrid's clock
 * goes on. */
static bool left_nothing(const struct running *runner)
{
    return !platform_has_simgrid() && memory_held() <= MOST_HELD_BYTES &&
           study_left_nothing(runner->study);
}

/* The row of a point that has a machine. */
static struct row *run_on_machine(struct running *runner, size_t point)
{
    struct workload_memory memory = {recall_call, keep_call, runner->other_texts != NULL, runner};
    study_set_stats(runner->study, runner->options->with_stats);
    study_set_memory(runner->study, runner->options->remembers ? &memory : NULL);
    struct row *row = study_run_point(runner->study, point, runner->machine, runner->options->seed);
    if (!row->failure && !study_is_near_limit(runner->study))
        runner->traces = left_nothing(runner) ? POINT_LEFT_NONE : POINT_LEFT_TRACES;
    if (runner->options->remembers && !runner->machine_json)
        runner->machine_json = machine_json(runner->machine);
    return row;
}

static GBytes *run(void *context, size_t point, struct worker_link *link)
{
    struct running *runner = context;
    struct row *row;
    runner->link = link;
    runner->lacks = false;
    runner->traces = POINT_IS_DOUBTFUL;
    if (runner->machine)
        row = run_on_machine(runner, point);
    else
        row_fail(row = study_new_row(runner->study, point),
                 g_strdup(runner->machine_error->message));
    row->memory_bytes = memory_held();
    GBytes *result =
        runner->other_texts && runner->lacks
            ? g_bytes_new(NULL, 0)
            : pack_point(row, runner->machine ? runner->machine->name : NULL, runner->machine_json);
    row_free(row);
    return result;
}

static enum point_traces traces(void *context)
{
    const struct running *runner = context;
    return runner->traces;
}

/* --- in a worker ------------------------------------------------------------------------------ */

static void build(void *context, GBytes *ground)
{
    (void)context;
    ground_build(ground);
}

static bool lacks(void *context)
{
    (void)context;
    return platform_has_simgrid();
}

static void supply(void *context)
{
    (void)context;
    platform_prepare_simgrid();
}

/* --- in the process that keeps results -------------------------------------------------------- */

static bool next(void *context, size_t *point)
{
    struct running *runner = context;
    if (runner->taken == runner->queued)
        return false;
    *point = runner->queue[runner->taken++];
    return true;
}

static GBytes *answer(void *context, GBytes *question)
{
    const struct running *runner = context;
    struct store_call call;
    gsize length;
    if (!store_get(runner->options->store, STORED_CALL, g_bytes_get_data(question, &length), &call))
        return NULL;
    GBytes *result = g_bytes_ref(call.result);
    store_row_clear(STORED_CALL, &call);
    return result;
}

static bool hear(void *context, GBytes *news, GError **error)
{
    const struct running *runner = context;
    struct workload_call call;
    g_autoptr(GBytes) result = NULL;
    g_autoptr(GVariant) holder = NULL;
    if (!unpack_call(news, &call, &result, &holder))
        return true;
    g_autofree char *key = store_call_key(&call, runner->version);
    struct store_call kept = {.key = key,
                              .workload = (char *)(gsize)call.workload,
                              .arguments = (char *)(gsize)call.arguments,
                              .machine = (char *)(gsize)call.machine,
                              .seed = call.seed,
                              .version = runner->version,
                              .result = result};
    return store_put(runner->options->store, STORED_CALL, &kept, error);
}

/* The measures by column as JSON; NULL if there are none. */
static char *columns_json(const struct row *row)
{
    if (row->failure)
        return NULL;
    struct json json = {.text = g_string_new(NULL)};
    json_begin_object(&json, NULL);
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        g_autofree char *column = value_column(measure->name, &measure->value);
        g_autofree char *text = value_column_text(&measure->value);
        if (measure->value.kind == VALUE_TEXT)
            json_text(&json, column, value_is_absent(&measure->value) ? NULL : text);
        else
            json_number(&json, column, "%s", text);
    }
    json_end_object(&json);
    return g_string_free(json.text, FALSE);
}

static bool keep_point(const struct running *runner, size_t point, const struct row *row,
                       const struct worker_outcome *outcome, const char *machine_name,
                       const char *machine, GError **error)
{
    const struct study *study = runner->study;
    uint64_t seed = runner->options->seed;
    g_autofree char *key = store_point_key(study, point, seed, runner->version);
    g_autofree char *axes = study_point_json(study, point);
    g_autofree char *columns = columns_json(row);
    g_autoptr(GBytes) result = pack_row(row);
    struct store_point kept = {.key = key,
                               .study = study->name,
                               .digest = study->digest,
                               .axes = axes,
                               .seed = seed,
                               .version = runner->version,
                               .failure = row->failure,
                               .result = result,
                               .columns = columns,
                               .machine_name = (char *)(gsize)machine_name,
                               .machine = (char *)(gsize)machine,
                               .host = (char *)(gsize)g_get_host_name(),
                               .started_us = outcome->started_us,
                               .duration_us = outcome->duration_us};
    return store_put(runner->options->store, STORED_POINT, &kept, error);
}

static struct row *row_at(const struct running *runner, size_t point)
{
    return g_ptr_array_index(runner->rows, point);
}

static void tell_of(const struct running *runner, const char *event, const struct row *row,
                    gint64 point_us)
{
    const struct runner_options *options = runner->options;
    const struct runner_news news = {.event = event,
                                     .name = runner->study->name,
                                     .points = runner->points,
                                     .known = runner->known,
                                     .done = runner->done,
                                     .failed = runner->failed,
                                     .run_us = g_get_monotonic_time() - runner->start_us,
                                     .point_us = point_us,
                                     .row = row};
    if (options->tell)
        options->tell(options->tell_context, &news);
}

static void count_row(struct running *runner, size_t point, struct row *row)
{
    runner->rows->pdata[point] = row;
    runner->done++;
    runner->failed += row->failure != NULL;
}

/* Whether the first queued points did not all fail for one reason; the result is the same for any number of workers. */
static bool is_hopeful(const struct running *runner, GError **error)
{
    size_t first = runner->options->doubtful, alike = 0;
    if (first == 0 || runner->queued <= first)
        return true;
    const struct row *leader = row_at(runner, runner->queue[0]);
    for (size_t i = 0; leader && leader->failure && i < first; i++) {
        const struct row *row = row_at(runner, runner->queue[i]);
        alike += row && row->failure && strcmp(row->failure, leader->failure) == 0;
    }
    if (alike < first)
        return true;
    return error_set_code(
        error, ERROR_RUN,
        "the first %zu points all failed for one reason, so the other %zu were not "
        "run; --keep-going runs them: %s",
        first, runner->queued - first, leader->failure);
}

/* Fills in the row from the point's process; false if there is none. */
static bool take_row(const struct worker_outcome *outcome, struct row *row, char **machine_name,
                     char **machine)
{
    g_autoptr(GBytes) packed = NULL;
    return outcome->result && unpack_point(outcome->result, &packed, machine_name, machine, row) &&
           unpack_row(packed, row);
}

static bool done(void *context, size_t point, const struct worker_outcome *outcome, GError **error)
{
    struct running *runner = context;
    struct row *row = study_new_row(runner->study, point);
    g_autofree char *machine_name = NULL, *machine = NULL;
    if (!take_row(outcome, row, &machine_name, &machine))
        row->failure = g_strdup(outcome->failure ? outcome->failure : "what it gave is not a row");
    count_row(runner, point, row);
    tell_of(runner, "point", row, outcome->duration_us);
    bool is_kept = !runner->options->store ||
                   outcome->is_from_outside || /* the next sweep runs the point again */
                   keep_point(runner, point, row, outcome, machine_name, machine, error);
    return is_kept && is_hopeful(runner, error);
}

static void tell(void *context)
{
    tell_of(context, "asked", NULL, 0);
}

/* --- the plan --------------------------------------------------------------------------------- */

/* The stored row of a point; NULL: none. `axes`: the axes of all stored points. */
static struct row *recall_point(const struct running *runner, size_t point, GHashTable *axes)
{
    struct store_point kept;
    g_autofree char *own = study_point_json(runner->study, point);
    if (!g_hash_table_contains(axes, own))
        return NULL;
    g_autofree char *key =
        store_point_key(runner->study, point, runner->options->seed, runner->version);
    if (!store_get(runner->options->store, STORED_POINT, key, &kept))
        return NULL;
    struct row *row = study_new_row(runner->study, point);
    if (!unpack_row(kept.result, row))
        g_clear_pointer(&row, row_free);
    store_row_clear(STORED_POINT, &kept);
    return row;
}

static bool is_wanted(const struct runner_options *options, size_t point)
{
    return options->shards == 0 || point % options->shards == options->shard;
}

/* Whether the point failed only by what it was given, time or memory, and may be given more now. */
static bool ran_out(const struct row *row, const struct runner_options *options)
{
    g_autofree char *now = workers_took_longer(options->time_limit_us);
    bool by_time = g_str_has_prefix(row->failure, WORKERS_TOOK_LONGER);
    return by_time ? strcmp(row->failure, now) != 0
                   : strstr(row->failure, INTERRUPT_NO_MEMORY) != NULL;
}

/* Fills in the known rows, and queues the other points. False and an error if interrupted. */
static bool plan(struct running *runner, GError **error)
{
    const struct runner_options *options = runner->options;
    bool asks = options->store && options->redo != REDO_ALL && !options->with_stats;
    g_autoptr(GHashTable) axes =
        asks ? store_axes(options->store, runner->study->digest, options->seed, runner->version)
             : NULL;
    asks = axes && g_hash_table_size(axes) > 0;
    for (size_t point = 0; point < runner->study->point_count; point++) {
        if (interrupt_pending(error))
            return false;
        if (!is_wanted(options, point))
            continue;
        struct row *row = asks ? recall_point(runner, point, axes) : NULL;
        if (row && row->failure && (options->redo == REDO_FAILED || ran_out(row, options)))
            g_clear_pointer(&row, row_free);
        if (row) {
            count_row(runner, point, row);
            tell_of(runner, "known", row, 0);
        } else
            runner->queue[runner->queued++] = point;
    }
    return true;
}

static bool register_study(const struct running *runner, GError **error)
{
    const struct study *study = runner->study;
    struct store_study kept = {.digest = study->digest,
                               .version = runner->version,
                               .name = study->name,
                               .title = study->title,
                               .seed = runner->options->seed,
                               .points = study->point_count};
    /* variants have no fixed number of points */
    bool is_kept = runner->options->store && !study->changes;
    return !is_kept || store_put(runner->options->store, STORED_STUDY, &kept, error);
}

static void begin(struct running *runner, struct study *study, const struct runner_options *options)
{
    *runner = (struct running){.study = study,
                               .options = options,
                               .version = version_key(),
                               .queue = g_new(size_t, study->point_count),
                               .rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free)};
    g_ptr_array_set_size(runner->rows, (gint)study->point_count);
    runner->has_one_machine = study_has_one_machine(study);
    study_mark(study);
    runner->start_us = g_get_monotonic_time();
    tell_of(runner, "begin", NULL, 0);
}

static void end(struct running *runner)
{
    g_free(runner->queue);
    tell_of(runner, "end", NULL, 0);
}

static bool dispatch(struct running *runner, GError **error)
{
    const struct runner_options *options = runner->options;
    struct workers_job job = {.context = runner,
                              .workers = options->workers,
                              .time_limit_us = options->time_limit_us,
                              .memory_limit_bytes = options->memory_limit_bytes,
                              /* most variants have their own platform, so each builds it itself */
                              .survey =
                                  runner->study->changes || runner->has_one_machine ? NULL : survey,
                              .fits = fits,
                              .fits_alike = runner->has_one_machine,
                              .run = run,
                              .traces = traces,
                              .build = build,
                              .lacks = lacks,
                              .supply = supply,
                              .next = next,
                              .answer = options->store ? answer : NULL,
                              .hear = options->store ? hear : NULL,
                              .done = done,
                              .tell = tell};
    if (options->dispatch)
        return options->dispatch(options->dispatch_context, &job, error);
    return workers_run(&job, error);
}

/* Runs a few of the queued points, spread from the first to the last, and keeps no results. */
static bool try_queued(struct running *runner, GError **error)
{
    const struct runner_options *given = runner->options;
    struct runner_options options = *given;
    size_t queued = runner->queued, tried = MIN(queued, TRIED_POINTS);
    gint64 limit_us = (gint64)RUNNER_TRIED_S * G_USEC_PER_SEC;
    options.store = NULL;
    options.remembers = false;
    options.time_limit_us = options.time_limit_us ? MIN(options.time_limit_us, limit_us) : limit_us;
    options.doubtful = 0;
    options.dispatch = NULL;
    for (size_t i = 1; i < tried; i++)
        runner->queue[i] = runner->queue[i * (queued - 1) / (tried - 1)];
    runner->queued = tried;
    runner->options = &options;
    bool is_done = dispatch(runner, error);
    runner->options = given;
    return is_done;
}

/* Runs the queued points, and keeps their results. */
static bool run_queued(struct running *runner, GError **error)
{
    return register_study(runner, error) && dispatch(runner, error);
}

GPtrArray *runner_run(struct study *study, const struct runner_options *options, GError **error)
{
    struct running runner;
    begin(&runner, study, options);
    bool is_planned = plan(&runner, error);
    runner.known = runner.done;
    runner.points = runner.done + runner.queued;
    bool is_done = is_planned && (options->tries ? try_queued : run_queued)(&runner, error);
    end(&runner);
    if (!is_done && is_planned && options->was_interrupted && interrupt_pending(NULL)) {
        *options->was_interrupted = is_done = true;
        g_clear_error(error);
    }
    if (!is_done)
        g_clear_pointer(&runner.rows, g_ptr_array_unref);
    return runner.rows;
}

/* --- recalling -------------------------------------------------------------------------------- */

static bool note_point(void *context, const void *row)
{
    const struct store_point *point = row;
    struct running *runner = context;
    if (strcmp(point->study, runner->study->name) == 0 && point->seed == runner->options->seed &&
        strcmp(point->version, runner->version) == 0)
        g_hash_table_replace(runner->other_texts, g_strdup(point->axes),
                             g_strdup(point->failure ? point->failure : ""));
    return true;
}

/* How the point ended under another text of the study; NULL: it is not stored. */
static const char *other_end(const struct running *runner, size_t point)
{
    g_autofree char *axes = study_point_json(runner->study, point);
    return g_hash_table_lookup(runner->other_texts, axes);
}

/* Keeps in the queue only points that are stored under another text of the study. */
static void keep_known_queued(struct running *runner)
{
    size_t kept = 0;
    for (size_t i = 0; i < runner->queued; i++) {
        if (other_end(runner, runner->queue[i]))
            runner->queue[kept++] = runner->queue[i];
    }
    runner->queued = kept;
}

static bool take_recalled(void *context, size_t point, const struct worker_outcome *outcome,
                          GError **error)
{
    struct running *runner = context;
    struct row *row = study_new_row(runner->study, point);
    g_autofree char *machine_name = NULL, *machine = NULL;
    (void)error;
    bool is_row = take_row(outcome, row, &machine_name, &machine);
    const char *failure = other_end(runner, point);
    if (!is_row && *failure)
        row->failure = g_strdup(failure);
    if (is_row || *failure)
        count_row(runner, point, row);
    else
        row_free(row);
    return true;
}

/* Runs the study's script, with results of workloads only from the store. */
static bool recall_queued(struct running *runner, GError **error)
{
    struct workers_job job = {.context = runner,
                              .workers = runner->options->workers,
                              .fits = load_machine,
                              .fits_alike = runner->has_one_machine,
                              .run = run,
                              .traces = traces,
                              .next = next,
                              .answer = answer,
                              .done = take_recalled};
    keep_known_queued(runner);
    return runner->queued == 0 || workers_run(&job, error);
}

GPtrArray *runner_recall(struct study *study, const struct runner_options *options, GError **error)
{
    struct running runner;
    begin(&runner, study, options);
    bool is_planned = plan(&runner, error);
    runner.other_texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (is_planned && runner.queued > 0)
        is_planned = store_each(options->store, STORED_POINT, note_point, &runner, error);
    bool is_done = is_planned && recall_queued(&runner, error);
    g_hash_table_unref(runner.other_texts);
    end(&runner);
    if (!is_done)
        g_clear_pointer(&runner.rows, g_ptr_array_unref);
    return runner.rows;
}
