/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/goal/goal_model.h"

#include <inttypes.h>

#include "core/error.h"
#include "core/simtime.h"

static const char *const distances[] = {
    "a GPU and itself",
    "GPUs of a socket",
    "GPUs of a node",
    "GPUs of the same number below a leaf switch",
    "GPUs of different numbers below a leaf switch",
    "GPUs below different leaf switches",
};

#define MOST INT64_C(0x4000000000000) /* 2^50: the largest size or cost */
#define NUMBERS (4 + 2 * LOGGP_COSTS) /* numbers of a piece */

/* Reads the `count` whole numbers of a line, each up to MOST. */
static bool take_numbers(const char *line, int64_t *numbers, int count)
{
    char *end = NULL;
    for (int i = 0; i < count; i++, line = end) {
        numbers[i] = g_ascii_strtoll(line, &end, 10);
        if (end == line || numbers[i] > MOST || numbers[i] < -MOST)
            return false;
    }
    return *line == '\0';
}

static bool take_shape(struct loggp_model *model, const char *line)
{
    int64_t of[5];
    if (!take_numbers(line, of, 5) || of[0] < 1 || of[0] > 65536 || of[1] < 1 || of[1] > of[0] ||
        of[2] < 0 || of[2] > 65536 || of[3] < 1 || of[3] > of[0] || of[4] < 0)
        return false;
    model->gpus_per_node = (uint32_t)of[0];
    model->gpus_per_socket = (uint32_t)of[1];
    model->nodes_per_leaf = (uint32_t)of[2];
    model->gpus_sharing = (uint32_t)of[3];
    model->kernel_ps = (uint64_t)of[4];
    return true;
}

static bool take_piece(struct loggp_model *model, const char *line)
{
    int64_t of[NUMBERS];
    if (!take_numbers(line, of, NUMBERS) || of[0] < 0 || of[0] >= LOGGP_DISTANCES || of[1] < 0 ||
        of[2] < of[1])
        return false;
    uint32_t count = model->piece_count[of[0]]++;
    struct loggp_piece *pieces = g_renew(struct loggp_piece, model->pieces[of[0]], count + 1);
    model->pieces[of[0]] = pieces;
    if (count > 0 && pieces[count - 1].to_bytes >= (uint64_t)of[1])
        return false;
    pieces[count] = (struct loggp_piece){(uint64_t)of[1], (uint64_t)of[2], of[3] != 0, {{0}}};
    for (int i = 0; i < LOGGP_COSTS; i++)
        pieces[count].costs[i] = (struct loggp_cost){of[4 + 2 * i], of[5 + 2 * i]};
    return true;
}

struct loggp_model *goal_model_parse(const char *const *lines, GError **error)
{
    struct loggp_model *model = g_new0(struct loggp_model, 1);
    bool good = lines[0] && take_shape(model, lines[0]);
    size_t at = 1;
    for (; good && lines[at]; at++)
        good = take_piece(model, lines[at]);
    if (good && at > 1)
        return model;
    goal_model_free(model);
    return error_set(error,
                     "a model is a line of the machine's shape, then one of numbers for each "
                     "piece, in the order of sizes"),
           NULL;
}

void goal_model_free(struct loggp_model *model)
{
    for (int i = 0; model && i < LOGGP_DISTANCES; i++)
        g_free(model->pieces[i]);
    g_free(model);
}

/* The sizes of a distance as text: "8 to 8192 and 16384 to 1048576 B". */
static char *sizes_text(const struct loggp_model *model, enum loggp_distance distance)
{
    GString *text = g_string_new(NULL);
    const struct loggp_piece *pieces = model->pieces[distance];
    for (uint32_t i = 0; i < model->piece_count[distance]; i++) {
        bool joins = i > 0 && pieces[i - 1].to_bytes + 1 == pieces[i].from_bytes;
        bool ends = i + 1 == model->piece_count[distance] ||
                    pieces[i].to_bytes + 1 != pieces[i + 1].from_bytes;
        if (!joins)
            g_string_append_printf(text, "%s%" PRIu64, i > 0 ? " and " : "", pieces[i].from_bytes);
        if (ends)
            g_string_append_printf(text, " to %" PRIu64, pieces[i].to_bytes);
    }
    return g_string_free(text, FALSE);
}

/* True unless the fault is LOGGP_OUTSIDE_MODEL; then an error that says what was sent, and what the model covers. */
static bool is_inside(const struct loggp_model *model, const char *path,
                      const struct loggp_fault *fault, const struct goal_source *source,
                      GError **error)
{
    if (fault->kind != LOGGP_OUTSIDE_MODEL)
        return true;
    enum loggp_distance distance = loggp_model_distance(model, fault->rank, fault->source);
    g_autofree char *sizes = sizes_text(model, distance);
    const struct goal_op *op =
        source->schedule ? goal_schedule_op(source->schedule, fault->rank, fault->id) : NULL;
    g_autofree char *place =
        op ? g_strdup_printf("%s:%u", source->name, op->line) : g_strdup(source->name);
    if (model->piece_count[distance] == 0)
        return error_set(error, "%s: rank %u sends to rank %u, and %s was not derived for %s",
                         place, fault->rank, fault->source, path, distances[distance]);
    return error_set(error,
                     "%s: rank %u sends %" PRIu64
                     " bytes to rank %u, and %s was derived for %s bytes between %s",
                     place, fault->rank, fault->bytes, fault->source, path, sizes,
                     distances[distance]);
}

#define STEPS_BETWEEN_STOPS (1 << 20)

bool goal_model_run(const struct loggp_model *model, const char *path,
                    const struct loggp_program *program, const struct goal_source *source,
                    bool (*stop)(void), int64_t *ends_ps, GError **error)
{
    struct loggp *machine = loggp_new_model(model, program);
    bool is_stopped = false;
    while (!is_stopped && loggp_run(machine, STEPS_BETWEEN_STOPS))
        is_stopped = stop && stop();
    const struct loggp_fault fault = loggp_fault(machine);
    bool good = !is_stopped && is_inside(model, path, &fault, source, error) &&
                goal_fault_fail(&fault, source, LOGGP_LAST, PS_PER_NS, error) &&
                goal_check_end(machine, source, error);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        ends_ps[rank] = (int64_t)loggp_end(machine, rank);
    loggp_free(machine);
    return good;
}
