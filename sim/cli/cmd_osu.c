/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim osu latency|bw|bibw|mbw_mr: a benchmark of the OSU suite, in the layout in which it
 * prints. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/shown.h"
#include "core/units.h"
#include "protocols/design.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "study/model/study.h"
#include "study/model/unread.h"
#include "study/run/workers.h"
#include "workloads/workloads.h"

#define SUITE_SIZES "1B:4MiB"
#define LEAST_BYTES 1
#define MOST_BYTES (INT64_C(1) << 30)
#define MOST_SIZES 64

/* Where the columns of the suite's programs end. */
#define SIZE_COLUMN 10
#define FIELD_COLUMN 18

struct benchmark {
    const char *name;
    const struct workload *workload;
    const char *title;
    const char *columns; /* after the size */
    bool has_window, has_pairs;
};
static const struct benchmark benchmarks[] = {
    {"latency", &osu_latency_workload, "Latency Test", "Latency (us)", false, false},
    {"bw", &osu_bandwidth_workload, "Bandwidth Test", "Bandwidth (MB/s)", true, false},
    {"bibw", &osu_bidirectional_workload, "Bi-Directional Bandwidth Test", "Bandwidth (MB/s)", true,
     false},
    {"mbw_mr", &osu_multi_pair_workload, "Multiple Bandwidth / Message Rate Test", "MB/s", true,
     true},
};

/* What was asked for, as text: parameters of the workload by name, NULL for its default. */
struct osu_request {
    const struct benchmark *benchmark;
    const char *machine;
    char *design, *placement, *buffers, *window, *pairs;
    const char *range; /* of sizes, as typed */
    int64_t sizes[MOST_SIZES];
    size_t size_count;
    gboolean exact;
    char **overrides;  /* of machine parameters; NULL: none */
    int given_workers; /* or WORKERS_NOT_GIVEN */
    unsigned workers;
};

/* --- sizes -------------------------------------------------------------------------------------- */

static bool add_size(struct osu_request *request, int64_t bytes, GError **error)
{
    char least[UNIT_TEXT_SIZE], most[UNIT_TEXT_SIZE];
    if (bytes < LEAST_BYTES || bytes > MOST_BYTES)
        return error_set(error, "--sizes %s: sizes are %s to %s", request->range,
                         unit_format(LEAST_BYTES, UNIT_BYTES, least),
                         unit_format(MOST_BYTES, UNIT_BYTES, most));
    if (request->size_count == MOST_SIZES)
        return error_set(error, "--sizes %s: at most %d sizes", request->range, MOST_SIZES);
    request->sizes[request->size_count++] = bytes;
    return true;
}

static bool read_size(const struct osu_request *request, const char *text, int64_t *bytes,
                      GError **error)
{
    if (unit_parse(text, UNIT_BYTES, bytes, error))
        return true;
    g_prefix_error(error, "--sizes %s: ", request->range);
    return false;
}

/* "8B:1MiB" */
static bool add_powers(struct osu_request *request, const char *from, const char *to,
                       GError **error)
{
    int64_t bytes, last;
    if (!read_size(request, from, &bytes, error) || !read_size(request, to, &last, error))
        return false;
    if (bytes > last)
        return error_set(error, "--sizes %s: the first is larger than the last", request->range);
    for (; bytes <= last; bytes *= 2) {
        if (!add_size(request, bytes, error))
            return false;
    }
    return true;
}

static bool choose_sizes(struct osu_request *request, GError **error)
{
    g_auto(GStrv) ends = g_strsplit(request->range, ":", -1);
    if (g_strv_length(ends) == 2)
        return add_powers(request, ends[0], ends[1], error);
    g_auto(GStrv) sizes = g_strsplit(request->range, ",", -1);
    for (char **size = sizes; *size; size++) {
        int64_t bytes;
        if (!read_size(request, *size, &bytes, error) || !add_size(request, bytes, error))
            return false;
    }
    return request->size_count > 0 || error_set(error, "--sizes: no size is given");
}

static bool choose_benchmark(struct osu_request *request, const char *name, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(benchmarks); i++) {
        if (strcmp(benchmarks[i].name, name) == 0)
            request->benchmark = &benchmarks[i];
    }
    if (!request->benchmark)
        return error_set(
            error, "there is no benchmark \"%s\"; accepted are latency, bw, bibw, mbw_mr", name);
    if (request->window && !request->benchmark->has_window)
        return error_set(error, "--window belongs to bw, bibw and mbw_mr");
    if (request->pairs && !request->benchmark->has_pairs)
        return error_set(error, "--pairs belongs to mbw_mr");
    return run_options_resolve_workers(request->given_workers, &request->workers, error);
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct osu_request *request, GError **error)
{
    const GOptionEntry entries[] = {
        {"design", 'd', 0, G_OPTION_ARG_STRING, &request->design,
         "Runtime, and how GPU data travel (default: openmpi-d; \"gpunetsim list designs\" has "
         "them all)",
         "DESIGN"},
        {"placement", 'p', 0, G_OPTION_ARG_STRING, &request->placement,
         "Where the ranks are: intra-socket, cross-socket, inter-node (default: intra-socket)",
         "PLACEMENT"},
        {"buffers", 'b', 0, G_OPTION_ARG_STRING, &request->buffers,
         "Memory of the messages: device, host (default: device)", "MEMORY"},
        {"machine", 'm', 0, G_OPTION_ARG_FILENAME, &request->machine,
         "Machine file, or a machine of the project (default: summit)", "MACHINE"},
        {"window", 'W', 0, G_OPTION_ARG_STRING, &request->window,
         "Messages of an iteration (default: 64)", "COUNT"},
        {"pairs", 0, 0, G_OPTION_ARG_STRING, &request->pairs,
         "Pairs that communicate at a time (default: 2)", "COUNT"},
        {"sizes", 0, 0, G_OPTION_ARG_STRING, &request->range,
         "Sizes of the messages: powers of two from one to another, such as 8B:1MiB, or a list, "
         "such as 8B,1000B,1MiB (default: 1B:4MiB)",
         "FROM:TO|SIZE,..."},
        COMMAND_SET(&request->overrides),
        {"exact", 0, 0, G_OPTION_ARG_NONE, &request->exact,
         "Simulate every iteration, even if they repeat", NULL},
        {"workers", 'j', 0, G_OPTION_ARG_INT, &request->given_workers,
         "Processes at a time (default: one per core)", "N"},
        {0},
    };
    return command_parse(command, argc, argv, entries, 1, 1, error) &&
           choose_benchmark(request, (*argv)[1], error) && choose_sizes(request, error);
}

/* The workload's spec with what was asked for. NULL and one sentence if that is bad; the caller
 * frees it with g_free. */
static void *make_spec(const struct osu_request *request, int64_t bytes, GError **error)
{
    const struct param_table *table = request->benchmark->workload->params;
    g_autofree char *size = g_strdup_printf("%" G_GINT64_FORMAT "B", bytes);
    const char *const values[][2] = {
        {"design", request->design ? request->design : "openmpi-d"},
        {"bytes", size},
        {"placement", request->placement},
        {"buffers", request->buffers},
        {"window", request->window},
        {"pairs", request->pairs},
        {"exact", request->exact ? "true" : NULL},
    };
    void *spec = g_malloc0(table->spec_size);
    param_set_defaults(table, spec);
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        if (!values[i][1] ||
            param_set_text(table, param_find(table, values[i][0]), spec, values[i][1], error))
            continue;
        g_free(spec);
        return NULL;
    }
    const struct design *design =
        (const void *)((char *)spec + param_find(table, "design")->offset);
    if (request->benchmark->workload->accepts(design, error))
        return spec;
    g_free(spec);
    return NULL;
}

/* --- running ---------------------------------------------------------------------------------- */

/* What comes back from the process of a size, a fork of this one: the columns after the size and what of the machine
 * was read for them, or why there are none. */
struct osu_answer {
    double columns[2];
    struct param_use uses;
    char failure[1000];
};

struct sizes {
    const struct osu_request *request;
    const struct machine *machine;
    size_t taken;
    struct osu_answer answers[MOST_SIZES];
};

static const struct workload_measure *find_measure(const struct workload_result *result,
                                                   const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->measures[i].name, name) == 0)
            return &result->measures[i];
    }
    return NULL;
}

/* Columns in the units of the suite: us, MB/s, messages/s. */
static void fill_answer(const struct workload_result *result, struct osu_answer *answer)
{
    const struct workload_measure *latency = find_measure(result, "latency");
    answer->uses = result->uses;
    if (latency) {
        answer->columns[0] = (double)latency->quantity / (double)PS_PER_US;
        return;
    }
    answer->columns[0] = (double)find_measure(result, "bandwidth")->quantity / 1e6;
    answer->columns[1] = find_measure(result, "messages_per_us")->ratio * 1e6;
}

static GBytes *run_size(void *context, size_t point, struct worker_link *link)
{
    const struct sizes *sizes = context;
    const struct osu_request *request = sizes->request;
    struct osu_answer answer = {0};
    struct workload_result result = {0};
    g_autofree void *spec = make_spec(request, request->sizes[point], NULL);
    g_autoptr(GError) error = NULL;
    (void)link;
    if (workload_run(request->benchmark->workload, &sizes->machine->spec, spec, 1, &result, &error))
        fill_answer(&result, &answer);
    else
        g_strlcpy(answer.failure, error->message, sizeof answer.failure);
    return g_bytes_new(&answer, sizeof answer);
}

static bool next_size(void *context, size_t *point)
{
    struct sizes *sizes = context;
    if (sizes->taken == sizes->request->size_count)
        return false;
    *point = sizes->taken++;
    return true;
}

static bool size_done(void *context, size_t point, const struct worker_outcome *outcome,
                      GError **error)
{
    struct sizes *sizes = context;
    const char *failure = outcome->failure;
    if (outcome->result) {
        memcpy(&sizes->answers[point], g_bytes_get_data(outcome->result, NULL),
               sizeof sizes->answers[point]);
        failure = sizes->answers[point].failure;
        if (!*failure)
            return true;
    }
    error_set_code(error, ERROR_RUN, "%" G_GINT64_FORMAT " bytes: %s", sizes->request->sizes[point],
                   failure);
    return false;
}

/* --- printing --------------------------------------------------------------------------------- */

static void print_number(double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    printf("%*s", FIELD_COLUMN, g_ascii_formatd(text, sizeof text, "%.2f", number));
}

static void print_head(const struct osu_request *request, const struct machine *machine)
{
    const struct benchmark *benchmark = request->benchmark;
    const char *memory =
        request->buffers && strcmp(request->buffers, "host") == 0 ? "HOST (H)" : "DEVICE (D)";
    shown_print(stdout, "# OSU MPI-CUDA %s (simulated by gpunetsim: %s, %s, %s)\n",
                benchmark->title, machine->name, request->design ? request->design : "openmpi-d",
                request->placement ? request->placement : "intra-socket");
    printf("# Send Buffer on %s and Receive Buffer on %s\n", memory, memory);
    if (benchmark->has_pairs)
        shown_print(stdout, "# [ pairs: %s ] [ window size: %s ]\n",
                    request->pairs ? request->pairs : "2",
                    request->window ? request->window : "64");
    printf("%-*s%*s", SIZE_COLUMN, "# Size", FIELD_COLUMN, benchmark->columns);
    if (benchmark->has_pairs)
        printf("%*s", FIELD_COLUMN, "Messages/s");
    putchar('\n');
}

static void print_sizes(const struct sizes *sizes)
{
    print_head(sizes->request, sizes->machine);
    for (size_t i = 0; i < sizes->request->size_count; i++) {
        printf("%-*" G_GINT64_FORMAT, SIZE_COLUMN, sizes->request->sizes[i]);
        print_number(sizes->answers[i].columns[0]);
        if (sizes->request->benchmark->has_pairs)
            print_number(sizes->answers[i].columns[1]);
        putchar('\n');
    }
}

/* Whether each parameter that was set could be read at some size. */
static bool all_is_read(const struct sizes *sizes, GError **error)
{
    struct param_use uses = {.count = 0};
    for (size_t i = 0; i < sizes->request->size_count; i++)
        param_use_join(&uses, &sizes->answers[i].uses);
    return unread_refuse(sizes->machine, &uses, error);
}

static bool run(const struct osu_request *request, GError **error)
{
    struct machine *machine =
        machine_load(request->machine, (const char *const *)request->overrides, error);
    if (!machine)
        return false;
    g_autofree void *spec = make_spec(request, request->sizes[0], error); /* may name its MPI */
    if (!spec) {
        machine_free(machine);
        return false;
    }
    g_autofree struct sizes *sizes = g_new0(struct sizes, 1);
    sizes->request = request;
    sizes->machine = machine;
    const struct workers_job job = {
        .context = sizes,
        .workers = request->workers,
        .run = run_size,
        .next = next_size,
        .done = size_done,
    };
    bool good = workers_run(&job, error) && all_is_read(sizes, error);
    if (good)
        print_sizes(sizes);
    machine_free(machine);
    return good;
}

int cmd_osu(const struct command *command, int argc, char **argv)
{
    struct osu_request request = {.machine = "summit",
                                  .design = NULL,
                                  .range = SUITE_SIZES,
                                  .given_workers = WORKERS_NOT_GIVEN};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) && run(&request, &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
