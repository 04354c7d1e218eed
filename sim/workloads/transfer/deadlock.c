/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/transfer/deadlock.h"

#include <glib.h>

#include "core/error.h"
#include "core/units.h"

/* How many work-groups the report names: the others are usually alike. */
#define NAMED 3
#define CIRCLE_NAMED 6

/* The sender of the data for which a work-group waits. */
enum sender {
    SENDER_UNKNOWN,
    SENDER_WAITS,
    SENDER_NOT_DISPATCHED,
    SENDER_ENDED, /* the sender has ended or was never launched */
    SENDERS,
};

static const char *const sender_words[SENDERS] = {
    [SENDER_UNKNOWN] = "which nobody writes",
    [SENDER_WAITS] = "which waits itself",
    [SENDER_NOT_DISPATCHED] = "which is not dispatched for want of room",
    [SENDER_ENDED] = "which has ended or was never launched",
};

/* Text before the value with which a wait compares a word: "to be 1", "to be > 1". */
static const char *const comparison_words[COMPARISONS] = {"", "not ", "> ", ">= ", "< ", "<= "};

/* The work-groups of one node. */
struct wait_side {
    const struct kernel *kernel;
    GPtrArray *resident; /* const struct work_group, in the order of dispatch */
    GHashTable *by_index;
};

struct scene {
    const struct cluster *cluster;
    struct wait_side *sides; /* one for each node */
    GString *text;
    int64_t resident, by_sender[SENDERS];
    int named;
};

static void note_work_group(const struct work_group *wg, void *argument)
{
    struct wait_side *side = argument;
    g_ptr_array_add(side->resident, (gpointer)(uintptr_t)wg);
    g_hash_table_insert(side->by_index, GSIZE_TO_POINTER((gsize)wg->index),
                        (gpointer)(uintptr_t)wg);
}

static void look_at_node(struct scene *scene, int64_t node)
{
    const struct site *made = cluster_made_site(scene->cluster, node, 0);
    struct wait_side *side = &scene->sides[node];
    side->resident = g_ptr_array_new();
    side->by_index = g_hash_table_new(g_direct_hash, g_direct_equal);
    if (made == NULL)
        return;
    side->kernel = gpu_kernel(made->gpu);
    gpu_visit_work_groups(made->gpu, note_work_group, side);
    scene->resident += side->resident->len;
}

/* The running work-group that should send what `wg` waits for; else NULL. */
static const struct work_group *sender_of(const struct scene *scene, const struct work_group *wg)
{
    const struct word_wait *wait = &wg->wait;
    if (!wait->is_waiting || !wait->is_sender_known)
        return NULL;
    return g_hash_table_lookup(scene->sides[wait->sender_node].by_index,
                               GSIZE_TO_POINTER((gsize)wait->sender_work_group));
}

static enum sender kind_of_sender(const struct scene *scene, const struct work_group *wg)
{
    const struct word_wait *wait = &wg->wait;
    if (!wait->is_waiting || !wait->is_sender_known)
        return SENDER_UNKNOWN;
    if (sender_of(scene, wg) != NULL)
        return SENDER_WAITS;
    const struct kernel *kernel = scene->sides[wait->sender_node].kernel;
    bool is_to_come = kernel != NULL && wait->sender_work_group >= kernel->dispatched &&
                      wait->sender_work_group < kernel->work_groups;
    return is_to_come ? SENDER_NOT_DISPATCHED : SENDER_ENDED;
}

static uint64_t word_at(const struct site *node, address at)
{
    uint64_t word;
    struct device_memory *memory = gpu_memory(node->gpu);
    if (device_memory_serves(memory, at))
        device_memory_read(memory, at, &word, sizeof word);
    else
        store_read(host_directory(node->host)->store, at, &word, sizeof word);
    return word;
}

/* --- the text ---------------------------------------------------------------------------------- */

static void tell_wait(struct scene *scene, int64_t node, const struct work_group *wg)
{
    const struct word_wait *wait = &wg->wait;
    char since[UNIT_TEXT_SIZE];
    if (!wait->is_waiting || scene->named == NAMED)
        return;
    scene->named++;
    g_string_append_printf(
        scene->text,
        "\n  node%lld.wg%lld waits since %s for the word at %s:0x%llx to be %s%llu (it is %llu)",
        (long long)node, (long long)wg->index, unit_format(wait->since_ps, UNIT_TIME, since),
        address_slot(wait->at) == cluster_made_site(scene->cluster, node, 0)->gpu_slot ? "gpu"
                                                                                       : "host",
        (unsigned long long)address_offset(wait->at), comparison_words[wait->until.comparison],
        (unsigned long long)wait->until.value,
        (unsigned long long)word_at(cluster_made_site(scene->cluster, node, 0), wait->at));
    enum sender sender = kind_of_sender(scene, wg);
    if (wait->is_sender_known)
        g_string_append_printf(scene->text, ", from node%lld.wg%lld", (long long)wait->sender_node,
                               (long long)wait->sender_work_group);
    g_string_append_printf(scene->text, ", %s.", sender_words[sender]);
}

/* Follows the waits from `wg` until they reach a work-group that was visited before; NULL if they end. */
static const struct work_group *find_circle(const struct scene *scene, const struct work_group *wg)
{
    int64_t steps = 0;
    while (wg != NULL && steps++ < scene->resident)
        wg = sender_of(scene, wg);
    return wg;
}

static void tell_circle(struct scene *scene, const struct work_group *first)
{
    const struct work_group *wg = first;
    g_string_append(scene->text, "\n  A circle: ");
    for (int named = 0; named < CIRCLE_NAMED; named++) {
        g_string_append_printf(scene->text, "%s.wg%lld", gpu_path(wg->gpu), (long long)wg->index);
        wg = sender_of(scene, wg);
        g_string_append(scene->text, " -> ");
        if (wg == first) {
            g_string_append_printf(scene->text, "%s.wg%lld.", gpu_path(wg->gpu),
                                   (long long)wg->index);
            return;
        }
    }
    g_string_append(scene->text, "...");
}

static void tell_first_circle(struct scene *scene)
{
    for (int64_t node = 0; node < scene->cluster->spec->nodes; node++)
        for (guint i = 0; i < scene->sides[node].resident->len; i++) {
            const struct work_group *wg =
                find_circle(scene, g_ptr_array_index(scene->sides[node].resident, i));
            if (wg != NULL) {
                tell_circle(scene, wg);
                return;
            }
        }
}

static void tell_occupancy(struct scene *scene, int64_t node)
{
    const struct wait_side *side = &scene->sides[node];
    const struct site *site = cluster_made_site(scene->cluster, node, 0);
    if (side->kernel == NULL)
        return;
    g_string_append_printf(
        scene->text,
        "\n  node%lld.gpu: %u work-groups resident, %lld launched, %lld fit at once, %lld not "
        "dispatched, %lld ended.",
        (long long)node, side->resident->len, (long long)side->kernel->work_groups,
        (long long)gpu_room(site->gpu, side->kernel->threads),
        (long long)(side->kernel->work_groups - side->kernel->dispatched),
        (long long)side->kernel->ended);
}

/* Reports whether all work-groups of the largest kernel have room at once. */
static void tell_room(struct scene *scene)
{
    const struct kernel *kernel = NULL;
    const struct gpu *gpu = NULL;
    for (int64_t node = 0; node < scene->cluster->spec->nodes; node++) {
        const struct kernel *other = scene->sides[node].kernel;
        if (other == NULL || (kernel != NULL && other->work_groups <= kernel->work_groups))
            continue;
        kernel = other;
        gpu = cluster_made_site(scene->cluster, node, 0)->gpu;
    }
    const struct gpu_spec *spec = gpu_spec_of(gpu);
    int64_t waves = (kernel->threads + spec->lanes - 1) / spec->lanes;
    int64_t a_unit = spec->waves_per_cu / waves, units = spec->compute_units;
    int64_t resident = gpu_resident_waves(gpu);
    int64_t in_all = kernel->work_groups + (resident + waves - 1) / waves;
    int64_t waves_needed = (in_all + units - 1) / units * waves;
    int64_t units_needed = (in_all + a_unit - 1) / a_unit;
    g_string_append_printf(
        scene->text,
        "\n  To break it: %lld work-groups are resident all at once; for %lld make room with "
        "gpu.waves_per_cu = %lld or gpu.compute_units = %lld; cooperative = true refuses what does "
        "not fit.",
        (long long)gpu_room(gpu, kernel->threads), (long long)kernel->work_groups,
        (long long)waves_needed, (long long)units_needed);
}

static const char *cause_of(const struct scene *scene)
{
    if (scene->by_sender[SENDER_NOT_DISPATCHED] > 0)
        return "work-groups wait for work-groups that have no room";
    if (scene->by_sender[SENDER_ENDED] > 0)
        return "work-groups wait for work-groups that have ended or were never launched";
    if (scene->by_sender[SENDER_UNKNOWN] == 0)
        return "work-groups wait for each other in a circle";
    return "work-groups wait for words that nobody writes";
}

static void tell_remedy(struct scene *scene)
{
    if (scene->by_sender[SENDER_NOT_DISPATCHED] > 0)
        tell_room(scene);
    else if (scene->by_sender[SENDER_ENDED] + scene->by_sender[SENDER_UNKNOWN] > 0)
        g_string_append(scene->text, "\n  To break it: each wait needs a put of its value to its "
                                     "word, by a work-group that does not wait for it first.");
    else
        g_string_append(scene->text, "\n  To break it: one of a circle must send before it waits.");
}

static void count_senders(struct scene *scene)
{
    for (int64_t node = 0; node < scene->cluster->spec->nodes; node++)
        for (guint i = 0; i < scene->sides[node].resident->len; i++)
            scene->by_sender[kind_of_sender(scene,
                                            g_ptr_array_index(scene->sides[node].resident, i))]++;
}

static void tell(struct scene *scene)
{
    char now[UNIT_TEXT_SIZE];
    int64_t nodes = scene->cluster->spec->nodes;
    count_senders(scene);
    g_string_append_printf(scene->text, "deadlock at %s: %s; all %lld that run wait.",
                           unit_format(sim_now(scene->cluster->sim), UNIT_TIME, now),
                           cause_of(scene), (long long)scene->resident);
    for (int64_t node = 0; node < nodes && node < NAMED; node++)
        tell_occupancy(scene, node);
    for (int64_t node = 0; node < nodes; node++)
        for (guint i = 0; i < scene->sides[node].resident->len; i++)
            tell_wait(scene, node, g_ptr_array_index(scene->sides[node].resident, i));
    if (scene->resident > scene->named)
        g_string_append_printf(scene->text, "\n  And %lld more.",
                               (long long)(scene->resident - scene->named));
    tell_first_circle(scene);
    tell_remedy(scene);
}

void deadlock_explain(const struct cluster *cluster, GError **error)
{
    struct scene scene = {.cluster = cluster, .text = g_string_new(NULL)};
    scene.sides = g_new0(struct wait_side, (gsize)cluster->spec->nodes);
    for (int64_t node = 0; node < cluster->spec->nodes; node++)
        look_at_node(&scene, node);
    if (scene.resident > 0) {
        tell(&scene);
    } else {
        char *report = sim_deadlock_report(cluster->sim, 4);
        g_string_append_printf(scene.text, "deadlock: %s", report);
        g_free(report);
    }
    error_set(error, "%s", scene.text->str);
    for (int64_t node = 0; node < cluster->spec->nodes; node++) {
        g_ptr_array_unref(scene.sides[node].resident);
        g_hash_table_unref(scene.sides[node].by_index);
    }
    g_free(scene.sides);
    g_string_free(scene.text, TRUE);
}
