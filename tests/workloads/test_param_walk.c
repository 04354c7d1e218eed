/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk over runs drawn by chance: a workload, a design and a machine of configs/. In each, what the run says that it reads of the
 * machine moves some measure when it is doubled or halved, or is in the list below with a reason; and what it does not say moves
 * none. tests/workloads/test_param_use.c asks the first of each parameter once, in chosen runs; this asks it of each run.
 *
 * GPUNETSIM_DRAWS and GPUNETSIM_SEED say how many runs and which; GPUNETSIM_PER_RUN how many parameters of each are tried. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "../designs.h"
#include "../software_test.h"
#include "core/rng.h"
#include "param_run.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "workloads/workloads.h"

static const char *const machines[] = {"gcn3_node", "summit", "lassen",  "h200x2",
                                       "h200_cx7",  "mi300a", "gpu_host"};

/* What is drawn of a workload's arguments: each name with the values to choose from. */
static const struct subject {
    const struct workload *workload;
    const char *arguments, *design; /* the parameter that takes a design; NULL: none */
} subjects[] = {
    {&get_latency_workload, "bytes=8B|4KiB|1MiB repeats=2|3", "design"},
    {&message_rate_workload, "warps=1|4 messages=8 bytes=8B|4KiB", "design"},
    {&all_to_all_workload, "nodes=2 bytes=8B|64KiB repeats=1", "design"},
    {&queue_service_workload, "operation=get|put|nop bytes=8B|4KiB work_groups=1|9 operations=4",
     "design"},
    {&neighbour_exchange_workload, "bytes=8B|64KiB work_groups=1|3 iterations=3 warmup=1",
     "design"},
    {&osu_latency_workload,
     "bytes=8B|4KiB|1MiB placement=intra-socket|cross-socket|inter-node buffers=device|host iterations=3 warmup=1",
     "design"},
    {&osu_multi_latency_workload,
     "bytes=8B|64KiB placement=intra-socket|inter-node pairs=2 iterations=3 warmup=1", "design"},
    {&osu_bandwidth_workload,
     "bytes=8B|64KiB|1MiB placement=intra-socket|cross-socket|inter-node window=1|8 iterations=2 warmup=1",
     "design"},
    {&osu_bidirectional_workload,
     "bytes=64KiB placement=intra-socket|inter-node window=4 iterations=2 warmup=1", "design"},
    {&osu_multi_pair_workload,
     "bytes=64KiB placement=intra-socket|inter-node window=4 pairs=1|2 iterations=2 warmup=1",
     "design"},
    {&ping_pong_fan_workload, "bytes=8B|64KiB partners=1|2 iterations=2 warmup=1", "design"},
    {&jacobi2d_workload, "nodes=2 edge=64|256 iterations=2 warmup=1", "design"},
    {&jacobi3d_workload, "nodes=1|2 grid=32 odf=1|2 iterations=2 warmup=1", "design"},
    {&allreduce_workload, "nodes=2 bytes=100B|64KiB rings=1|3 warmup=0", "design"},
    {&training_workload, "nodes=2 gradient=64KiB compute=10us", "design"},
    {&moe_workload, "nodes=2 tokens=4 work_groups=2 repeats=1 warmup=0 packing=packed|token",
     "design"},
    {&l2_hit_rate_workload, "networking=2 streaming=0|2 warmup=2us duration=10us", "design"},
    {&perftest_latency_workload, "operation=send|write|read memory=host|gpu bytes=8B|64KiB", NULL},
    {&perftest_bandwidth_workload,
     "operation=send|write|read memory=host|gpu bytes=64KiB iterations=20", NULL},
    {&cuda_copy_workload,
     "direction=host-to-device|device-to-host|device-to-device memory=pinned|pageable bytes=1KiB|1MiB|64MiB window=1|4",
     NULL},
    {&cuda_copies_workload, "bytes=64KiB|1MiB", NULL},
    {&kernel_launch_workload, "kernels=1|3 measured=call|synchronize|period|back_to_back", NULL},
    {&gpu_operation_workload,
     "operation=load|store_release|store_fence|atomic memory=gpu|host work_groups=1|8", NULL},
    {&gpu_power_workload, "spinning=0|3 memory_rate=1TB/s", NULL},
    {&kernel_copy_workload, "work_groups=4|20 bytes=64KiB|4MiB", NULL},
    {&flag_round_trip_workload, "partner=host|stream place=gpu|host pairs=1", NULL},
};

/* Read by a run, and yet without effect on what it measures: why. Each text has components with parameters, "nic: a b". */
static const struct {
    const char *reason, *paths[20];
} silent[] = {
    {"says what there is, of which a run may need less",
     {"node: sockets gpus_per_socket nics_per_socket gpu_link peer_link nic_policy", ": nodes",
      "host: cores", "cp: cores", "smart_nic: cores", "transport: kind",
      "network: topology sharing radix uplinks pod pod_uplinks routing"}},
    {"a capacity, a limit or a threshold that a run may be far from",
     {"gpu: compute_units work_groups_per_cu waves_per_cu lanes registers lds l1_size l1_ways l2_size l2_ways l2_banks l2_model "
      "l2_locking bus_allocates refresh_misses wave_in_flight simds_per_cu copy_rate mixed_rate memory_rate fence_reads_back",
      "host: l1_size l1_ways l2_size l2_ways l3_size l3_ways loads_in_flight device_loads_in_flight uncached_load "
      "memory_rate owned_at_once stores_under_way bytes_per_cycle device_writes",
      "cp: dcache_size dcache_ways private_data private_data_a_queue private_data_instructions loads_in_flight",
      "nic: fetch_depth packet_payload", "bus: max_payload root_links rate header",
      "nvlink: efficiency rate", "socket_link: efficiency rate",
      "cuda: inline_copy copy_chunk peer_chunk pageable_chunk both_ways_rate to_device_rate to_host_rate cross_socket_rate "
      "local_rate pageable_rate shared_rate",
      "*library: eager device_eager intra_node_eager intra_node_device_eager inline segment fragment fragments_in_flight "
      "fragments_on_wire gpu_direct rails",
      "*mpi: library", "charm: eager posted_receives", "ampi: zero_copy",
      "host_copy: kept mapped page page_fault",
      "software: queue_entries inline_limit unused_cores_sleep skip_polls"}},
    {"the least time between two of a kind, or what others at the same time cost",
     {"gpu: atomic_gap peer_atomic_gap l2_bank_cycles l1_port_cycles dispatch_gap fence_gather refresh port_spread",
      "host: atomic_gap atomic_turn written_line bounced_line mesh_hop", "nic: command_gap",
      "cuda: call_serial front_end_gap beside_kernel beside_copy graph_turn",
      "software: complete_instructions poll_instructions wait_instructions mark_instructions"}},
    {"may pass while something longer does",
     {"gpu: clock flops_per_instruction instruction_cycles device_fence system_fence memory_latency barrier_cycles bus_inbound "
      "bus_outbound l1_latency_cycles l2_latency_cycles",
      "host: clock software_rate flops_per_cycle memory_latency l1_latency_cycles l2_latency_cycles l3_latency_cycles instructions_per_cycle bus_latency",
      "bus: latency switch_latency", "cp: dcache_latency_cycles", "nvlink: latency",
      "socket_link: latency", "smart_nic: memory_latency bus_latency",
      "nic: doorbell_latency packet_header command_latency packet_latency", "network: latency rate",
      "cuda: front_end_host to_host_setup to_device_setup cross_socket_setup pageable_setup shared_setup",
      "*library: memory_type",
      "cuda: copy_setup copy_ahead to_host_ahead to_device_ahead inline_ahead kernel_ahead kernel_start "
      "kernel_launch event_record event_query graph_launch graph_node graph_node_start peer_setup synchronize copy_call event_edge",
      "*library: control registration_hit poll direct_setup same_socket_latency "
      "cross_socket_latency fragment_cost",
      "charm: callback header", "host_copy: allocate",
      "software: phases dispatch_instructions library_instructions command_instructions pack_instructions "
      "trigger_instructions"}},
    {"so little of it that no digit shows it", {"host: active_power"}},
    {"before what is measured", {"gpu: kernel_launch kernel_end", "cuda: map graph_instantiate"}},
};

static long setting_of(const char *name, long otherwise)
{
    const char *text = g_getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

/* Whether "COMPONENT: NAME NAME" has it; COMPONENT may be the kind of an instance, behind an asterisk. */
static bool has_path(const char *paths, const struct param_table *table, const char *component,
                     const char *name)
{
    g_auto(GStrv) sides = g_strsplit(paths, ":", 2);
    g_auto(GStrv) names = g_strsplit(g_strstrip(sides[1]), " ", -1);
    bool is_kind =
        sides[0][0] == '*' &&
        table->kind == (g_str_equal(sides[0], "*mpi") ? &mpi_params : &message_library_params);
    return (is_kind || g_str_equal(sides[0], component)) &&
           g_strv_contains((const char *const *)names, name);
}

static bool is_silent(struct machine_section section, const char *name)
{
    const char *component = section.outer ? section.outer : "";
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
        for (const char *const *paths = silent[i].paths; *paths; paths++)
            if (has_path(*paths, section.table, component, name))
                return true;
    return false;
}

/* --- drawing ------------------------------------------------------------------------------------ */

struct draw {
    const struct subject *subject;
    const char *machine_name;
    char *arguments;
    struct machine_spec machine;
    struct param_use uses;
    char *result;
};

static const char *one_of(struct rng *rng, char **texts)
{
    return texts[rng_below(rng, g_strv_length(texts))];
}

/* "bytes=8B|4KiB repeats=2" -> "bytes=4KiB repeats=2"; and a design, if the workload takes one. */
static char *draw_arguments(struct rng *rng, const struct subject *subject)
{
    g_auto(GStrv) words = g_strsplit(subject->arguments, " ", -1);
    GString *text = g_string_new(NULL);
    for (char **word = words; *word; word++) {
        g_auto(GStrv) sides = g_strsplit(*word, "=", 2);
        g_auto(GStrv) values = g_strsplit(sides[1], "|", -1);
        g_string_append_printf(text, "%s%s=%s", text->len ? " " : "", sides[0],
                               one_of(rng, values));
    }
    if (subject->design)
        g_string_append_printf(text, " %s=%s", subject->design,
                               designs_at(rng_below(rng, designs_count()))->name);
    return g_string_free(text, FALSE);
}

/* Two nodes of a machine of configs/. */
static void load_machine(const char *name, struct machine_spec *spec)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup_printf("%s/configs/%s.lua", g_getenv("GPUNETSIM_ROOT"), name);
    struct machine *machine = machine_load(path, NULL, &error);
    if (machine == NULL)
        g_error("%s", error->message);
    *spec = machine->spec;
    spec->nodes = 2;
    machine_free(machine);
}

/* False if what was drawn is refused. */
static bool draw(struct rng *rng, struct draw *drawn)
{
    drawn->subject = &subjects[rng_below(rng, G_N_ELEMENTS(subjects))];
    drawn->machine_name = machines[rng_below(rng, G_N_ELEMENTS(machines))];
    drawn->arguments = draw_arguments(rng, drawn->subject);
    load_machine(drawn->machine_name, &drawn->machine);
    drawn->result =
        param_run(drawn->subject->workload, drawn->arguments, &drawn->machine, &drawn->uses);
    return !g_str_has_prefix(drawn->result, REFUSED);
}

static void draw_free(struct draw *drawn)
{
    g_free(drawn->arguments);
    g_free(drawn->result);
}

/* --- changing ----------------------------------------------------------------------------------- */

/* Twice and half, or the other words; NULL-ended. */
static char **other_values(const struct param *param, const void *spec)
{
    GPtrArray *texts = g_ptr_array_new();
    const char *field = (const char *)spec + param->offset;
    if (!param_run_add_words(param, field, texts)) {
        g_ptr_array_add(texts, param_run_scaled(param, field, 2));
        g_ptr_array_add(texts, param_run_scaled(param, field, 0.5));
    }
    g_ptr_array_add(texts, NULL);
    return (char **)g_ptr_array_free(texts, FALSE);
}

enum outcome { SAME, MOVED, NOT_TRIED };

/* What other values of one parameter do; the first that moves a measure, or is refused by the run, is enough. */
static enum outcome outcome_of(const struct draw *drawn, struct machine_section section,
                               size_t number)
{
    const struct param *param = &section.table->params[number];
    struct machine_spec machine = drawn->machine;
    g_auto(GStrv) values = other_values(param, machine_section_spec(&machine, section));
    enum outcome outcome = NOT_TRIED;
    for (char **value = values; *value; value++) {
        machine = drawn->machine;
        void *spec = machine_section_spec(&machine, section);
        if (!param_set_text(section.table, param, spec, *value, NULL) ||
            !machine_spec_valid(&machine, NULL) ||
            memcmp(&machine, &drawn->machine, sizeof machine) == 0)
            continue;
        g_autofree char *result =
            param_run(drawn->subject->workload, drawn->arguments, &machine, NULL);
        if (!g_str_equal(result, drawn->result))
            return MOVED;
        outcome = SAME;
    }
    return outcome;
}

static char *path_of(struct machine_section section, size_t number)
{
    const char *name = section.table->params[number].name;
    return section.outer ? g_strconcat(section.outer, ".", name, NULL) : g_strdup(name);
}

static int tell(const struct draw *drawn, const char *path, const char *what)
{
    g_printerr("# %s: %s; %s: %s { %s }\n", path, what, drawn->machine_name,
               drawn->subject->workload->name, drawn->arguments);
    return 1;
}

/* A sample of what the run says that it reads. */
static int walk_read(struct rng *rng, const struct draw *drawn, uint64_t per_run)
{
    int bad = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < drawn->uses.count; i++)
        all += (uint64_t)__builtin_popcountll(drawn->uses.tables[i].used);
    for (size_t i = 0; i < machine_section_count(&drawn->machine); i++) {
        struct machine_section section = machine_section(&drawn->machine, i);
        for (size_t n = 0; n < section.table->count; n++) {
            g_autofree char *path = path_of(section, n);
            if (!param_is_used(&drawn->uses, section.table, n) || rng_below(rng, all) >= per_run ||
                is_silent(section, section.table->params[n].name))
                continue;
            if (outcome_of(drawn, section, n) == SAME)
                bad += tell(drawn, path, "read, and moves nothing");
        }
    }
    return bad;
}

/* Changes one parameter of a machine, if there is another value that it accepts. */
static void change(struct machine_spec *machine, struct machine_section section, size_t number)
{
    const struct param *param = &section.table->params[number];
    struct machine_spec before = *machine;
    g_auto(GStrv) values = other_values(param, machine_section_spec(machine, section));
    for (char **value = values; *value; value++) {
        if (param_set_text(section.table, param, machine_section_spec(machine, section), *value,
                           NULL) &&
            machine_spec_valid(machine, NULL))
            return;
        *machine = before;
    }
}

/* All that the run does not say that it reads, at once; then one by one, if something has moved. */
static int walk_unread(const struct draw *drawn)
{
    struct machine_spec machine = drawn->machine;
    int bad = 0;
    for (size_t i = 0; i < machine_section_count(&machine); i++) {
        struct machine_section section = machine_section(&machine, i);
        for (size_t n = 0; n < section.table->count; n++)
            if (!param_is_used(&drawn->uses, section.table, n))
                change(&machine, section, n);
    }
    g_autofree char *result = param_run(drawn->subject->workload, drawn->arguments, &machine, NULL);
    if (g_str_equal(result, drawn->result))
        return 0;
    for (size_t i = 0; i < machine_section_count(&machine); i++) {
        struct machine_section section = machine_section(&machine, i);
        for (size_t n = 0; n < section.table->count; n++) {
            g_autofree char *path = path_of(section, n);
            if (!param_is_used(&drawn->uses, section.table, n) &&
                outcome_of(drawn, section, n) == MOVED)
                bad += tell(drawn, path, "not read, and moves something");
        }
    }
    return bad ? bad : tell(drawn, "together", "what is not read moves something");
}

static void test_walk(void)
{
    struct rng rng;
    int bad = 0;
    long draws = setting_of("GPUNETSIM_DRAWS", 500),
         per_run = setting_of("GPUNETSIM_PER_RUN", 1000);
    rng_init(&rng, (uint64_t)setting_of("GPUNETSIM_SEED", 1), "walk");
    for (long i = 0; i < draws; i++) {
        struct draw drawn;
        while (!draw(&rng, &drawn))
            draw_free(&drawn);
        bad += walk_read(&rng, &drawn, (uint64_t)per_run);
        bad += walk_unread(&drawn);
        draw_free(&drawn);
    }
    g_assert_cmpint(bad, ==, 0);
}

/* The measures but energies, in which parts that rest have their power. */
static char *without_energy(const char *result)
{
    g_auto(GStrv) lines = g_strsplit(result, "\n", -1);
    GString *text = g_string_new(NULL);
    for (char **line = lines; *line; line++)
        if (strstr(*line, "energy") == NULL)
            g_string_append_printf(text, "%s\n", *line);
    return g_string_free(text, FALSE);
}

static bool is_same_on(const struct draw *drawn, const struct machine_spec *machine)
{
    g_autofree char *result = param_run(drawn->subject->workload, drawn->arguments, machine, NULL);
    g_autofree char *before = without_energy(drawn->result), *after = without_energy(result);
    return g_str_has_prefix(result, REFUSED) || g_str_equal(before, after);
}

/* Nodes that take no part change nothing. */
static void test_idle_nodes(void)
{
    struct rng rng;
    int bad = 0;
    rng_init(&rng, (uint64_t)setting_of("GPUNETSIM_SEED", 1), "idle");
    for (long i = 0; i < setting_of("GPUNETSIM_DRAWS", 500); i++) {
        struct draw drawn;
        while (!draw(&rng, &drawn))
            draw_free(&drawn);
        struct machine_spec machine = drawn.machine;
        machine.nodes = 5;
        if (!is_same_on(&drawn, &machine))
            bad += tell(&drawn, "nodes", "idle ones change a measure");
        draw_free(&drawn);
    }
    g_assert_cmpint(bad, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/param_walk/parameters", test_walk);
    g_test_add_func("/param_walk/idle_nodes", test_idle_nodes);
    return g_test_run();
}
