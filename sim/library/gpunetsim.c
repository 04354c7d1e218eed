/* SPDX-License-Identifier: BSD-3-Clause */
#include "library/gpunetsim.h"

#include <glib.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "core/units.h"
#include "script/machine/designs.h"
#include "script/script.h"
#include "script/views/settings.h"
#include "study/model/select.h"
#include "study/model/study.h"
#include "study/run/runner.h"
#include "study/run/workers.h"
#include "study/store/pack.h"
#include "study/table/table.h"
#include "study/table/version.h"
#include "workloads/workloads.h"

#define NO_NAME "a name has to be given, not NULL"
#define NO_STUDY "there is no study; gpunetsim_study_open gives one"
#define NO_MACHINE "there is no machine; gpunetsim_machine_open gives one"

/* --- what all have in common ------------------------------------------------------------------ */

/* Scripts, interned names and forks are of the whole process: who opens, finds, runs or closes holds this. A lock of
 * pthreads is one that ThreadSanitizer sees. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t *take_turn(void)
{
    pthread_mutex_lock(&one_at_a_time);
    return &one_at_a_time;
}

static void end_turn(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

/* Until the end of the block. */
#define IN_TURN __attribute__((cleanup(end_turn), unused)) pthread_mutex_t *held = take_turn()

/* Hands an error over as a text, if the caller wants one. */
static void tell(char **text, GError *error)
{
    if (text)
        *text = error_sentence(error ? error->message : "it went wrong");
    g_clear_error(&error);
}

/* Tells that an argument which has to be there is NULL, or out of range; false. */
static bool refuse(char **text, const char *function, const char *what)
{
    GError *fault = NULL;
    error_set(&fault, "%s: %s", function, what);
    tell(text, fault);
    return false;
}

/* Named designs and workloads are the program's own, read once. */
static bool load_designs(GError **error)
{
    static bool are_loaded;
    g_autofree char *path = are_loaded ? NULL : home_path("configs/designs.lua", error);
    are_loaded = are_loaded || (path && designs_load(path, error) && workloads_load(error));
    return are_loaded;
}

const char *gpunetsim_version(void)
{
    static char *version;
    IN_TURN;
    if (!version) {
        struct table *table = version_table();
        version = g_strdup(table_cell(table, 0, 1));
        table_free(table);
    }
    return version;
}

void gpunetsim_free_text(char *text)
{
    g_free(text);
}

/* --- results ---------------------------------------------------------------------------------- */

struct gpunetsim_result {
    size_t count;
    char **names, **texts;
};

static struct gpunetsim_result *result_new(size_t count)
{
    struct gpunetsim_result *result = g_new0(struct gpunetsim_result, 1);
    result->names = g_new0(char *, count + 1);
    result->texts = g_new0(char *, count + 1);
    return result;
}

static void result_add(struct gpunetsim_result *result, const char *name, const struct value *value)
{
    result->names[result->count] = value_column(name, value);
    result->texts[result->count++] = value_column_text(value);
}

size_t gpunetsim_result_count(const struct gpunetsim_result *result)
{
    return result ? result->count : 0;
}

const char *gpunetsim_result_name(const struct gpunetsim_result *result, size_t number)
{
    return result && number < result->count ? result->names[number] : NULL;
}

const char *gpunetsim_result_text(const struct gpunetsim_result *result, size_t number)
{
    return result && number < result->count ? result->texts[number] : NULL;
}

double gpunetsim_result_value(const struct gpunetsim_result *result, const char *name, char **error)
{
    GError *fault = NULL;
    if (!result || !name) {
        refuse(error, __func__,
               !result ? "there is no result; the call before has failed" : NO_NAME);
        return NAN;
    }
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->names[i], name) != 0)
            continue;
        if (unit_is_number(result->texts[i]))
            return g_ascii_strtod(result->texts[i], NULL);
        error_set(&fault, "measure \"%s\" is the text \"%s\"", name, result->texts[i]);
        tell(error, fault);
        return NAN;
    }
    g_autofree char *rest =
        param_suggestion(name, (const char *const *)result->names, result->count);
    error_set(&fault, "there is no measure \"%s\"%s", name, rest);
    tell(error, fault);
    return NAN;
}

void gpunetsim_result_free(struct gpunetsim_result *result)
{
    if (!result)
        return;
    g_strfreev(result->names);
    g_strfreev(result->texts);
    g_free(result);
}

/* --- studies ---------------------------------------------------------------------------------- */

struct gpunetsim_study {
    struct study *study;
    struct row **rows; /* of the points that have been run; NULL: not yet */
};

struct gpunetsim_study *gpunetsim_study_open(const char *path, const char *const *settings,
                                             char **error)
{
    IN_TURN;
    GError *fault = NULL;
    if (!path && !refuse(error, __func__, NO_NAME))
        return NULL;
    struct study *study = load_designs(&fault) ? study_load(path, settings, &fault) : NULL;
    if (!study) {
        tell(error, fault);
        return NULL;
    }
    struct gpunetsim_study *opened = g_new0(struct gpunetsim_study, 1);
    opened->study = study;
    opened->rows = g_new0(struct row *, study->point_count);
    return opened;
}

static void forget_row(struct gpunetsim_study *study, size_t point)
{
    if (study->rows[point])
        row_free(study->rows[point]);
    study->rows[point] = NULL;
}

void gpunetsim_study_close(struct gpunetsim_study *study)
{
    IN_TURN;
    if (!study)
        return;
    for (size_t point = 0; point < study->study->point_count; point++)
        forget_row(study, point);
    g_free(study->rows);
    study_free(study->study);
    g_free(study);
}

const char *gpunetsim_study_title(const struct gpunetsim_study *study)
{
    return study ? study->study->title : NULL;
}

size_t gpunetsim_study_axis_count(const struct gpunetsim_study *study)
{
    return study ? study->study->axis_count : 0;
}

const char *gpunetsim_study_axis_name(const struct gpunetsim_study *study, size_t axis)
{
    return study && axis < study->study->axis_count ? study->study->axes[axis].name : NULL;
}

size_t gpunetsim_study_point_count(const struct gpunetsim_study *study)
{
    return study ? study->study->point_count : 0;
}

const char *gpunetsim_study_value(const struct gpunetsim_study *study, size_t point, size_t axis)
{
    if (!study || axis >= study->study->axis_count || point >= study->study->point_count)
        return NULL;
    return study->study->axes[axis].values[study_axis_index(study->study, point, axis)].text;
}

bool gpunetsim_study_find(const struct gpunetsim_study *study, const char *values, size_t *point,
                          char **error)
{
    IN_TURN;
    GError *fault = NULL;
    if (!study || !values || !point)
        return refuse(error, __func__, !study ? NO_STUDY : "values and point have to be given");
    g_autoptr(GArray) points = points_select(study->study, values, &fault);
    if (!points) {
        tell(error, fault);
        return false;
    }
    *point = g_array_index(points, guint, 0);
    return true;
}

static struct gpunetsim_result *result_of_row(const struct row *row)
{
    struct gpunetsim_result *result = result_new(row->measure_count);
    for (size_t i = 0; i < row->measure_count; i++)
        result_add(result, row->measures[i].name, &row->measures[i].value);
    return result;
}

/* Runs a point. When all points have been run, a setting that none of them has read is an error, as in the program. */
static const struct row *run_point(struct gpunetsim_study *study, size_t point, uint64_t seed,
                                   GError **error)
{
    size_t count = study->study->point_count;
    struct runner_options options = {.seed = seed, .workers = 1, .shard = point, .shards = count};
    if (point >= count) {
        error_set(error, "the study has %zu points, so there is no number %zu", count, point);
        return NULL;
    }
    g_autofree struct row **rows = runner_run(study->study, &options, error);
    if (!rows)
        return NULL;
    forget_row(study, point);
    study->rows[point] = rows[point];
    settings_judge(study->rows, count);
    if (!rows[point]->failure)
        return rows[point];
    error_set_code(error, ERROR_RUN, "%s", rows[point]->failure);
    return NULL;
}

struct gpunetsim_result *gpunetsim_study_run(struct gpunetsim_study *study, size_t point,
                                             uint64_t seed, char **error)
{
    IN_TURN;
    GError *fault = NULL;
    if (!study && !refuse(error, __func__, NO_STUDY))
        return NULL;
    const struct row *row = run_point(study, point, seed, &fault);
    if (!row)
        tell(error, fault);
    return row ? result_of_row(row) : NULL;
}

/* --- machines --------------------------------------------------------------------------------- */

struct gpunetsim_machine {
    struct machine *machine;
};

struct gpunetsim_machine *gpunetsim_machine_open(const char *path_or_name,
                                                 const char *const *settings, char **error)
{
    IN_TURN;
    GError *fault = NULL;
    if (!path_or_name && !refuse(error, __func__, NO_NAME))
        return NULL;
    g_autofree char *path = home_file(path_or_name, HOME_MACHINE, &fault);
    struct machine *machine =
        path && load_designs(&fault) ? machine_load(path, settings, &fault) : NULL;
    if (!machine) {
        tell(error, fault);
        return NULL;
    }
    struct gpunetsim_machine *opened = g_new0(struct gpunetsim_machine, 1);
    opened->machine = machine;
    return opened;
}

void gpunetsim_machine_close(struct gpunetsim_machine *machine)
{
    IN_TURN;
    if (machine)
        machine_free(machine->machine);
    g_free(machine);
}

/* NULL if there is none of this number. */
static const struct provenance *parameter(const struct gpunetsim_machine *machine, size_t number)
{
    bool is_there = machine && number < machine->machine->provenance->len;
    return is_there ? g_ptr_array_index(machine->machine->provenance, number) : NULL;
}

size_t gpunetsim_machine_parameter_count(const struct gpunetsim_machine *machine)
{
    return machine ? machine->machine->provenance->len : 0;
}

const char *gpunetsim_machine_parameter_name(const struct gpunetsim_machine *machine, size_t number)
{
    const struct provenance *found = parameter(machine, number);
    return found ? found->path : NULL;
}

const char *gpunetsim_machine_parameter_text(const struct gpunetsim_machine *machine, size_t number)
{
    const struct provenance *found = parameter(machine, number);
    return found ? found->value : NULL;
}

/* A call of a workload, in the process that makes it and in the one that simulates it. */
struct call {
    const struct machine *machine;
    const struct workload *workload;
    void *spec;
    uint64_t seed;
    bool is_taken;
    GBytes *packed; /* the result, or NULL */
    char *failure;
};

static GBytes *simulate(void *context, size_t point, struct worker_link *link)
{
    const struct call *call = context;
    struct workload_result result = {0};
    g_autoptr(GError) error = NULL;
    (void)point;
    if (workload_run(call->workload, &call->machine->spec, call->spec, call->seed, &result, &error))
        return pack_result(&result);
    g_autoptr(GBytes) failure = g_bytes_new(error->message, strlen(error->message) + 1);
    worker_tell(link, failure);
    return g_bytes_new(NULL, 0);
}

static bool next_call(void *context, size_t *point)
{
    struct call *call = context;
    bool is_left = !call->is_taken;
    *point = 0;
    call->is_taken = true;
    return is_left;
}

static bool hear_failure(void *context, GBytes *news, GError **error)
{
    struct call *call = context;
    (void)error;
    g_free(call->failure);
    call->failure = g_strdup(g_bytes_get_data(news, NULL));
    return true;
}

static bool take_result(void *context, size_t point, const struct worker_outcome *outcome,
                        GError **error)
{
    struct call *call = context;
    (void)point, (void)error;
    if (outcome->result)
        call->packed = g_bytes_ref(outcome->result);
    if (outcome->failure && !call->failure)
        call->failure = g_strdup(outcome->failure);
    return true;
}

static struct gpunetsim_result *result_of_call(const struct workload_result *measures)
{
    struct gpunetsim_result *result = result_new(measures->count);
    for (size_t i = 0; i < measures->count; i++) {
        const struct workload_measure *measure = &measures->measures[i];
        struct value value = value_of_measure(measure);
        result_add(result, measure->name, &value);
        value_clear(&value);
    }
    return result;
}

/* A setting that nothing has read is an error, as in the program. */
static struct gpunetsim_result *run_call(struct call *call, GError **error)
{
    struct workers_job job = {.context = call,
                              .workers = 1,
                              .run = simulate,
                              .next = next_call,
                              .hear = hear_failure,
                              .done = take_result};
    struct workload_result measures = {0};
    struct gpunetsim_result *result = NULL;
    bool is_run = workers_run(&job, error);
    if (is_run && !call->failure && call->packed && unpack_result(call->packed, &measures)) {
        if (settings_refuse(call->machine, &measures.uses, error))
            result = result_of_call(&measures);
    } else if (is_run)
        error_set_code(error, ERROR_RUN, "%s: %s", call->workload->name,
                       call->failure ? call->failure : "it ended without a result");
    g_clear_pointer(&call->packed, g_bytes_unref);
    g_free(call->failure);
    return result;
}

static const struct workload *find_workload(const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        if (strcmp((*workload)->name, name) == 0)
            return *workload;
        g_ptr_array_add(names, (gpointer)(gsize)(*workload)->name);
    }
    g_autofree char *rest = param_suggestion(name, (const char *const *)names->pdata, names->len);
    error_set(error, "there is no workload \"%s\"%s", name, rest);
    return NULL;
}

/* One "bytes=8B" into the workload's spec. */
static bool set_argument(const struct workload *workload, void *spec, const char *argument,
                         GError **error)
{
    const char *equals = strchr(argument, '=');
    g_autofree char *name = equals ? g_strndup(argument, (gsize)(equals - argument)) : NULL;
    const struct param *param = name ? param_find(workload->params, name) : NULL;
    if (!equals)
        return error_set(error, "\"%s\" is not PARAMETER=VALUE", argument);
    if (!param)
        return error_set(error, "%s has no parameter \"%s\"; `gpunetsim help %s` lists them",
                         workload->name, name, workload->name);
    return param_set_text(workload->params, param, spec, equals + 1, error);
}

static void note_unread(const char *name, bool is_read, void *unread)
{
    if (!is_read)
        *(const char **)unread = name;
}

static bool set_arguments(const struct workload *workload, void *spec, const char *const *arguments,
                          GError **error)
{
    const struct param *design = param_find(workload->params, "design");
    param_set_defaults(workload->params, spec);
    for (; arguments && *arguments; arguments++) {
        if (!set_argument(workload, spec, *arguments, error))
            return false;
    }
    const struct design *chosen =
        design ? (const void *)((const char *)spec + design->offset) : NULL;
    if (chosen && workload->accepts && !workload->accepts(chosen, error))
        return false;
    const char *unread = NULL;
    workload_note_arguments(workload, spec, note_unread, &unread);
    return !unread || error_set(error, "%s.%s was set, but nothing in this run reads it",
                                workload->name, unread);
}

struct gpunetsim_result *gpunetsim_machine_run(const struct gpunetsim_machine *machine,
                                               const char *workload, const char *const *arguments,
                                               uint64_t seed, char **error)
{
    IN_TURN;
    GError *fault = NULL;
    struct gpunetsim_result *result = NULL;
    if ((!machine || !workload) && !refuse(error, __func__, machine ? NO_NAME : NO_MACHINE))
        return NULL;
    const struct workload *found = find_workload(workload, &fault);
    g_autofree void *spec = found ? g_malloc0(found->params->spec_size) : NULL;
    if (found && set_arguments(found, spec, arguments, &fault)) {
        struct call call = {
            .machine = machine->machine, .workload = found, .spec = spec, .seed = seed};
        result = run_call(&call, &fault);
    }
    if (!result)
        tell(error, fault);
    return result;
}
