/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/goal_model.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/error.h"
#include "script/views/views.h"

static const char *const distances[] = {
    "a GPU and itself",
    "GPUs of a socket",
    "GPUs of a node",
    "GPUs of the same number below a leaf switch",
    "GPUs of different numbers below a leaf switch",
    "GPUs below different leaf switches",
};

static void take_piece(struct loggp_model *model, const char *text)
{
    char *at = (char *)(gsize)text;
    int64_t distance = strtoll(at, &at, 10);
    uint32_t count = model->piece_count[distance]++;
    struct loggp_piece *piece;
    model->pieces[distance] =
        g_renew(struct loggp_piece, model->pieces[distance], model->piece_count[distance]);
    piece = &model->pieces[distance][count];
    piece->from_bytes = strtoull(at, &at, 10);
    piece->to_bytes = strtoull(at, &at, 10);
    piece->waits = strtoll(at, &at, 10) != 0;
    for (int i = 0; i < LOGGP_COSTS; i++) {
        piece->costs[i].fixed_ps = strtoll(at, &at, 10);
        piece->costs[i].byte_as = strtoll(at, &at, 10);
    }
}

struct loggp_model *goal_model_load(const char *path, GError **error)
{
    g_auto(GStrv) texts = views_texts("model", "numbers", g_variant_new("(^ay)", path), error);
    if (texts == NULL)
        return NULL;
    struct loggp_model *model = g_new0(struct loggp_model, 1);
    char *at = texts[0];
    model->gpus_per_node = (uint32_t)strtoul(at, &at, 10);
    model->gpus_per_socket = (uint32_t)strtoul(at, &at, 10);
    model->nodes_per_leaf = (uint32_t)strtoul(at, &at, 10);
    model->gpus_sharing = (uint32_t)strtoul(at, &at, 10);
    for (char **text = texts + 1; *text; text++)
        take_piece(model, *text);
    return model;
}

void goal_model_free(struct loggp_model *model)
{
    for (int i = 0; model && i < LOGGP_DISTANCES; i++)
        g_free(model->pieces[i]);
    g_free(model);
}

/* "8 to 8192 and 16384 to 1048576 B" of a distance. */
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

bool goal_model_check(const struct loggp_model *model, const char *path,
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
