/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk over runs drawn by chance: a workload, a design and a machine of configs/. What a run says that it reads of the machine
 * moves some measure when it is multiplied or divided by 2, 16 or 1,000, or set to the least or largest value; what it does not say moves
 * none. tests/workloads/test_param_use.c asks the first of each parameter once, in chosen runs; this asks it of each run.
 *
 * GPUNETSIM_DRAWS and GPUNETSIM_SEED say how many runs and which; GPUNETSIM_PER_RUN how many parameters of each are tried; GPUNETSIM_FROM
 * by what those that are not read are changed (0: twice, 3: a sixteenth). */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "../designs.h"
#include "../software_test.h"
#include "calls.h"
#include "core/rng.h"
#include "param_run.h"
#include "param_walk_programs.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "workloads/reach.h"
#include "workloads/workloads.h"

static const char *const machines[] = {"gcn3_node", "summit", "lassen",  "h200x2",
                                       "h200_cx7",  "mi300a", "gpu_host"};

/* What is drawn of a workload's arguments: each name with the values to choose from. */
static const struct subject {
    const struct workload *workload;
    const char *arguments, *design; /* the parameters that take one; NULL: none */
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
    {&osu_latency_workload,
     "bytes=8B|64KiB placement=intra-socket|inter-node pairs=2 iterations=3 warmup=1", "design"},
    {&osu_bandwidth_workload,
     "bytes=8B|64KiB|1MiB placement=intra-socket|cross-socket|inter-node window=1|8 iterations=2 warmup=1",
     "design"},
    {&osu_bandwidth_workload,
     "bytes=64KiB placement=intra-socket|inter-node both_ways=true window=4 iterations=2 warmup=1",
     "design"},
    {&osu_bandwidth_workload,
     "bytes=64KiB placement=intra-socket|inter-node window=4 pairs=1|2 iterations=2 warmup=1",
     "design"},
    {&jacobi2d_workload, "nodes=2 edge=64|256 iterations=2 warmup=1", "design"},
    {&jacobi3d_workload, "nodes=1|2 grid=32 odf=1|2 iterations=2 warmup=1", "design"},
    {&allreduce_workload, "nodes=2 bytes=100B|64KiB rings=1|3 warmup=0", "design"},
    {&moe_workload, "nodes=2 tokens=4 work_groups=2 repeats=1 warmup=0 packing=packed|token",
     "design"},
    {&l2_hit_rate_workload, "networking=2 streaming=0|2 warmup=2us duration=10us", "design"},
    {&perftest_workload,
     "operation=send_lat|write_lat|read_lat|send_bw|write_bw|read_bw memory=host|gpu bytes=8B|64KiB iterations=20",
     NULL},
    {&cuda_copy_workload,
     "direction=host-to-device|device-to-host|device-to-device memory=pinned|pageable bytes=1KiB|1MiB|64MiB window=1|4",
     NULL},
    {&cuda_copies_workload, "bytes=64KiB|1MiB", NULL},
    {&kernel_launch_workload, "kernels=1|3 measured=call|synchronize|period|back_to_back", NULL},
    {&gpu_operation_workload,
     "operation=load|store_release|store_fence|atomic memory=gpu|host work_groups=1|8", NULL},
    {&gpu_power_workload, "spinning=0|3 memory_rate=1TB/s", NULL},
    {&kernel_copy_workload, "work_groups=4|20 bytes=64KiB|4MiB", NULL},
    {&litmus_workload, "rounds=5 bytes=64B work_groups=1|2", "design"},
    {&flag_round_trip_workload, "partner=host|stream place=gpu|host pairs=1", NULL},
};

/* The same of what is written in Lua or GOAL. */
static const struct subject programs[] = {
    {&goal_subject,
     "pattern=ring:2,bytes=8|ring:4,bytes=65536,calc=1000|doubling:4,bytes=1048576|alltoall:3,bytes=4096,calc=500 "
     "placement=core|gpu|core,memory=gpu|gpu,memory=host|gpu,order=round-robin",
     "design"},
    {&program_subject, "body=signals|puts|compute|atomics|stores|messages|kernels|copies|threads",
     "design"},
};

#define COUNTS "a count: a run needs no more than its own"
#define CACHE "the run touches fewer lines than the smallest cache holds"
#define OUTSIDE "begins or ends what is measured, unless energy or the whole run is"

/* Parameters that rarely move anything where they are read, and why. All others move a measure in a quarter of the runs that read them, and
 * in some run of each workload whose runs read them. Of message libraries and MPIs the kind is named. */
static const struct {
    const char *path, *reason;
} silent[] = {
    {"nodes", COUNTS},
    {"node.sockets", COUNTS},
    {"node.gpus_per_socket", COUNTS},
    {"node.nics_per_socket", COUNTS},
    {"host.cores", COUNTS},
    {"cp.cores", COUNTS},
    {"smart_nic.cores", COUNTS},
    {"node.gpus_per_switch", "GPU and NIC stay as near to each other behind any switch"},
    {"bus.root_links", "a limit: one link is enough unless devices of a socket send at once"},
    {"gpu.work_groups_per_cu", "a limit: other compute units are free"},
    {"gpu.waves_per_cu", "a limit: other compute units are free"},
    {"gpu.lanes", "decides how many wavefronts a work-group is, of which there is room for more"},
    {"gpu.l1_size", CACHE},
    {"gpu.l1_ways", CACHE},
    {"gpu.l2_size", CACHE},
    {"gpu.l2_ways", CACHE},
    {"gpu.l2_model", CACHE},
    {"host.l1_size", CACHE},
    {"host.l1_ways", CACHE},
    {"host.l2_size", CACHE},
    {"host.l2_ways", CACHE},
    {"host.l3_size", CACHE},
    {"host.l3_ways", CACHE},
    {"cp.dcache_size", CACHE},
    {"cp.dcache_ways", CACHE},
    {"gpu.l2_locking", CACHE},
    {"gpu.peer_atomic_gap", "two accesses at a time have to meet at one line"},
    {"gpu.l2_banks", "two accesses at a time have to meet at one bank"},
    {"software.queue_entries", "a limit: posts under way are fewer"},
    {"transport.kind", "both kinds give a transfer the same time unless it shares a link"},
    {"message_library.segment", "differs where a message is longer than a segment"},
    {"cuda.call_serial", "two processes have to call for one GPU at once"},
    {"gpu.fence_gather", "two fences have to meet, or stores to be behind the bus"},
    {"host.mesh_hop", "a line whose home is near has no hops"},
    {"gpu.kernel_launch", OUTSIDE},
    {"gpu.kernel_end", OUTSIDE},
    {"gpu.device_fence", OUTSIDE},
    {"cuda.graph_instantiate", OUTSIDE},
    {"host_copy.page_fault",
     "of pages that are touched for the first time, mostly before what is measured"},
    {"cuda.map", OUTSIDE},
    {"gpu.simds_per_cu", "memory takes longer than the instructions, even four times as many"},
    {"noise.nodes", "interruptions are milliseconds apart: a short run seldom meets one"},
    {"software.exact", "must move nothing: counted polls are those that would find nothing"},
};

static long setting_of(const char *name, long otherwise)
{
    const char *text = g_getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static bool is_silent(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
        if (g_str_equal(silent[i].path, path))
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
    g_auto(GStrv) takers = g_strsplit(subject->design ? subject->design : "", " ", -1);
    for (char **taker = takers; *taker; taker++)
        g_string_append_printf(text, " %s=%s", *taker,
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

/* False if what was drawn, of these subjects, is refused. */
static bool draw_of(struct rng *rng, const struct subject *from, uint64_t count, struct draw *drawn)
{
    drawn->subject = &from[rng_below(rng, count)];
    drawn->machine_name = machines[rng_below(rng, G_N_ELEMENTS(machines))];
    drawn->arguments = draw_arguments(rng, drawn->subject);
    load_machine(drawn->machine_name, &drawn->machine);
    drawn->result =
        param_run(drawn->subject->workload, drawn->arguments, &drawn->machine, &drawn->uses);
    return !g_str_has_prefix(drawn->result, REFUSED);
}

static bool draw(struct rng *rng, struct draw *drawn)
{
    return draw_of(rng, subjects, G_N_ELEMENTS(subjects), drawn);
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
        static const double factors[] = {2, 0.5, 16, 1. / 16, 1000, 1. / 1000};
        for (size_t i = 0; i < G_N_ELEMENTS(factors); i++)
            g_ptr_array_add(texts, param_run_scaled(param, field, factors[i]));
        g_ptr_array_add(texts, g_strdup(param->low));
        g_ptr_array_add(texts, g_strdup(param->high));
    }
    g_ptr_array_add(texts, NULL);
    return (char **)g_ptr_array_free(texts, FALSE);
}

enum outcome { SAME, MOVED, NOT_TRIED };

/* What other values of one parameter do; the first that moves a measure is enough, and, of what the run reads, one that it refuses.
 * What it does not read it may refuse: that is said aloud, and is no result. */
static enum outcome outcome_of(const struct draw *drawn, struct machine_section section,
                               size_t number, bool is_read)
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
            param_run_within(drawn->subject->workload, drawn->arguments, &machine, NULL, 2);
        if (result == NULL) /* it took too long to tell */
            continue;
        if (!g_str_equal(result, drawn->result) && (is_read || !g_str_has_prefix(result, REFUSED)))
            return MOVED;
        outcome = SAME;
    }
    return outcome;
}

static char *path_of(struct machine_section section, size_t number)
{
    const char *name = section.table->params[number].name;
    const struct param_table *kind = section.table->kind;
    const char *outer = kind ? kind->component : section.outer;
    return outer ? g_strconcat(outer, ".", name, NULL) : g_strdup(name);
}

static int tell(const struct draw *drawn, const char *path, const char *what)
{
    g_printerr("# %s: %s; %s: %s { %s }\n", path, what, drawn->machine_name,
               drawn->subject->workload->name, drawn->arguments);
    return 1;
}

/* How many runs read a parameter, and in how many of them it moves something. */
struct tally {
    int reads, moves;
};

static void count(GHashTable *tallies, const char *key, bool moves)
{
    struct tally *tally = g_hash_table_lookup(tallies, key);
    if (tally == NULL) {
        tally = g_new0(struct tally, 1);
        g_hash_table_insert(tallies, g_strdup(key), tally);
    }
    tally->reads++;
    tally->moves += moves;
}

/* A sample of what the run says that it reads: by parameter, and by "WORKLOAD PARAMETER". */
static void walk_read(struct rng *rng, const struct draw *drawn, uint64_t per_run,
                      GHashTable *tallies)
{
    uint64_t all = 0;
    for (size_t i = 0; i < drawn->uses.count; i++)
        all += (uint64_t)__builtin_popcountll(drawn->uses.tables[i].used);
    for (size_t i = 0; i < machine_section_count(&drawn->machine); i++) {
        struct machine_section section = machine_section(&drawn->machine, i);
        for (size_t n = 0; n < section.table->count; n++) {
            g_autofree char *path = path_of(section, n);
            if (!param_is_used(&drawn->uses, section.table, n) || rng_below(rng, all) >= per_run ||
                is_silent(path))
                continue;
            enum outcome outcome = outcome_of(drawn, section, n, true);
            g_autofree char *key = g_strconcat(drawn->subject->workload->name, " ", path, NULL);
            if (outcome == NOT_TRIED)
                continue;
            count(tallies, path, outcome == MOVED);
            count(tallies, key, outcome == MOVED);
        }
    }
}

#define LEAST_READS 6 /* fewer say nothing; */
#define LEAST_READS_OF_WORKLOAD 8

static int judge(GHashTable *tallies)
{
    GHashTableIter all;
    gpointer key, value;
    int bad = 0;
    g_hash_table_iter_init(&all, tallies);
    while (g_hash_table_iter_next(&all, &key, &value)) {
        const struct tally *tally = value;
        bool is_of_workload = strchr(key, ' ') != NULL;
        if (tally->reads < (is_of_workload ? LEAST_READS_OF_WORKLOAD : LEAST_READS) ||
            (is_of_workload ? tally->moves > 0 : 4 * tally->moves >= tally->reads))
            continue;
        g_printerr("# %s: read by %d runs, and moves something in %d\n", (const char *)key,
                   tally->reads, tally->moves);
        bad++;
    }
    return bad;
}

/* Changes one parameter of a machine, if there is another value that it accepts: the first from number `from` on, in turn. */
static void change(struct machine_spec *machine, struct machine_section section, size_t number,
                   guint from)
{
    const struct param *param = &section.table->params[number];
    struct machine_spec before = *machine;
    g_auto(GStrv) values = other_values(param, machine_section_spec(machine, section));
    guint count = g_strv_length(values);
    for (guint i = 0; i < count; i++) {
        if (param_set_text(section.table, param, machine_section_spec(machine, section),
                           values[(from + i) % count], NULL) &&
            machine_spec_valid(machine, NULL))
            return;
        *machine = before;
    }
}

/* All that the run does not say that it reads, at once; then one by one, if something has moved. */
static int walk_unread(const struct draw *drawn, guint from)
{
    struct machine_spec machine = drawn->machine;
    int bad = 0;
    for (size_t i = 0; i < machine_section_count(&machine); i++) {
        struct machine_section section = machine_section(&machine, i);
        for (size_t n = 0; n < section.table->count; n++)
            if (!param_is_used(&drawn->uses, section.table, n))
                change(&machine, section, n, from);
    }
    g_autofree char *result = param_run(drawn->subject->workload, drawn->arguments, &machine, NULL);
    if (g_str_equal(result, drawn->result))
        return 0;
    for (size_t i = 0; i < machine_section_count(&machine); i++) {
        struct machine_section section = machine_section(&machine, i);
        for (size_t n = 0; n < section.table->count; n++) {
            g_autofree char *path = path_of(section, n);
            if (!param_is_used(&drawn->uses, section.table, n) &&
                outcome_of(drawn, section, n, false) == MOVED)
                bad += tell(drawn, path, "not read, and moves something");
        }
    }
    return bad || g_str_has_prefix(result, REFUSED)
               ? bad
               : tell(drawn, "together", "what is not read moves something");
}

/* What the run reads, reach_of_workload has allowed before it. */
static int walk_reach(const struct draw *drawn)
{
    const struct workload *workload = drawn->subject->workload;
    g_autofree void *spec = g_malloc0(workload->params->spec_size);
    struct param_use may = {.count = 0};
    int bad = 0;
    param_run_set_arguments(workload->params, spec, drawn->arguments);
    reach_of_workload(&drawn->machine, workload, spec, &may);
    for (size_t i = 0; i < drawn->uses.count; i++) {
        const struct param_table *table = drawn->uses.tables[i].table;
        for (size_t n = 0; n < table->count; n++)
            if (param_is_used(&drawn->uses, table, n) && !param_is_used(&may, table, n))
                bad += tell(drawn, table->params[n].name, "read, but not within reach");
    }
    return bad;
}

static void walk(const struct subject *from, uint64_t count, long draws)
{
    struct rng rng, sample;
    int bad = 0;
    long per_run = setting_of("GPUNETSIM_PER_RUN", 20);
    g_autoptr(GHashTable) tallies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    rng_init(&rng, (uint64_t)setting_of("GPUNETSIM_SEED", 1), "walk");
    rng_init(&sample, (uint64_t)setting_of("GPUNETSIM_SEED", 1), "sample");
    for (long i = 0; i < draws; i++) {
        struct draw drawn;
        while (!draw_of(&rng, from, count, &drawn))
            draw_free(&drawn);
        walk_read(&sample, &drawn, (uint64_t)per_run, tallies);
        bad += walk_unread(&drawn, (guint)setting_of("GPUNETSIM_FROM", 0));
        if (from == subjects)
            bad += walk_reach(&drawn);
        draw_free(&drawn);
    }
    bad += judge(tallies);
    g_assert_cmpint(bad, ==, 0);
}

static void test_walk(void)
{
    walk(subjects, G_N_ELEMENTS(subjects), setting_of("GPUNETSIM_DRAWS", 250));
}

static void test_programs(void)
{
    walk(programs, G_N_ELEMENTS(programs), setting_of("GPUNETSIM_DRAWS", 250) / 4);
}

/* --- ranks that send nothing --------------------------------------------------------------------- */

/* All that the run says that it reads. Returns how many of it move nothing. */
static int walk_silent_ranks(const char *body, const char *design)
{
    int bad = 0;
    struct draw drawn = {.subject = &programs[1], .machine_name = "summit"};
    drawn.arguments = g_strdup_printf("body=%s design=%s", body, design);
    load_machine(drawn.machine_name, &drawn.machine);
    drawn.result = param_run(drawn.subject->workload, drawn.arguments, &drawn.machine, &drawn.uses);
    for (size_t i = 0; i < machine_section_count(&drawn.machine); i++) {
        struct machine_section section = machine_section(&drawn.machine, i);
        for (size_t n = 0; n < section.table->count; n++) {
            g_autofree char *path = path_of(section, n);
            if (param_is_used(&drawn.uses, section.table, n) && !is_silent(path) &&
                outcome_of(&drawn, section, n, true) == SAME)
                bad += tell(&drawn, path, "read, and moves nothing");
        }
    }
    draw_free(&drawn);
    return bad;
}

/* A rank's runtime reads nothing where it passes no message. */
static void test_silent_ranks(void)
{
    static const char *const designs[] = {"openmpi-d", "charm-messaging", "ampi-d", "charm4py-d"};
    int bad = 0;
    static const char *const bodies[] = {"compute", "kernels", "copies", "threads"};
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(bodies); j++)
            bad += walk_silent_ranks(bodies[j], designs[i]);
    g_assert_cmpint(bad, ==, 0);
}

/* --- idle devices ------------------------------------------------------------------------------- */

/* Devices that are added, of which no party uses any, and the measures that tell of them. */
struct addition {
    const char *what, *measures; /* that tell of what rests: words of their names */
    const char *users; /* workloads that use all, or share those there are among their ranks */
    void (*add)(struct machine_spec *machine);
};

static void add_nodes(struct machine_spec *machine)
{
    machine->nodes += 3;
}

static void add_gpus(struct machine_spec *machine)
{
    machine->node.gpus_per_socket += 2;
}

/* No policy and no library uses the others. */
static void use_nearest_nic(struct machine_spec *machine)
{
    machine->node.nic_policy = NIC_NEAREST;
    for (size_t i = 0; i < machine_section_count(machine); i++) {
        struct machine_section section = machine_section(machine, i);
        if (section.table->kind == &message_library_params)
            param_run_set(section.table, machine_section_spec(machine, section), "rails", "1");
    }
}

#define MORE_NICS 2

static void add_nics(struct machine_spec *machine)
{
    machine->node.nics_per_socket += MORE_NICS;
}

static void add_host_cores(struct machine_spec *machine)
{
    machine->host.cores += 4;
}

/* Loops of the design `cpu` run on all cores. */
static bool adds_workers(const struct draw *drawn, const struct addition *addition)
{
    return addition->add == add_host_cores && param_run_has_word(drawn->arguments, "design=cpu");
}

/* Where there are as many NICs as GPUs, each GPU takes one of its own: then those that are added rest only if one GPU has all. */
static bool would_be_used(const struct draw *drawn, const struct addition *addition)
{
    const struct node_shape *node = &drawn->machine.node;
    return adds_workers(drawn, addition) ||
           (addition->add == add_nics && node->gpus_per_socket > 1 &&
            node->nics_per_socket + MORE_NICS >= node->gpus_per_socket);
}

static void add_cp_cores(struct machine_spec *machine)
{
    machine->cp.cores += 2;
}

static void add_smart_nic_cores(struct machine_spec *machine)
{
    machine->smart_nic.cores += 2;
}

static const struct addition additions[] = {
    {"nodes", "energy", "", add_nodes},
    /* the partner on the other socket has another number then, and so another phase: OSU's */
    {"GPUs", "energy", "jacobi3d osu_latency osu_bandwidth", add_gpus},
    {"NICs", "energy", "", add_nics},
    {"CPU cores", "energy cores_left", "", add_host_cores},
    {"cores of command processors", "energy cores_left", "", add_cp_cores},
    {"cores of SmartNICs", "energy", "", add_smart_nic_cores},
};

static bool changes_nothing(const struct draw *drawn, const struct addition *addition)
{
    struct machine_spec machine = drawn->machine;
    if (addition->add == add_nics)
        use_nearest_nic(&machine);
    g_autofree char *first = param_run(drawn->subject->workload, drawn->arguments, &machine, NULL);
    addition->add(&machine);
    g_autofree char *second = param_run(drawn->subject->workload, drawn->arguments, &machine, NULL);
    g_autofree char *before = param_run_without(first, addition->measures),
                    *after = param_run_without(second, addition->measures);
    return g_str_has_prefix(first, REFUSED) || g_str_equal(before, after);
}

/* What takes no part changes nothing but the energy of what rests. */
static void test_idle_devices(void)
{
    struct rng rng;
    int bad = 0;
    rng_init(&rng, (uint64_t)setting_of("GPUNETSIM_SEED", 1), "idle");
    for (long i = 0; i < setting_of("GPUNETSIM_DRAWS", 250); i++) {
        const struct addition *addition = &additions[i % (long)G_N_ELEMENTS(additions)];
        struct draw drawn;
        while (!draw(&rng, &drawn))
            draw_free(&drawn);
        if (!param_run_has_word(addition->users, drawn.subject->workload->name) &&
            !would_be_used(&drawn, addition) && !changes_nothing(&drawn, addition))
            bad += tell(&drawn, addition->what, "idle ones change a measure");
        draw_free(&drawn);
    }
    g_assert_cmpint(bad, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    program_subject_study(); /* once, and not in each child */
    param_run_once = true;
    g_test_add_func("/param_walk/parameters", test_walk);
    g_test_add_func("/param_walk/programs", test_programs);
    g_test_add_func("/param_walk/silent_ranks", test_silent_ranks);
    g_test_add_func("/param_walk/idle_devices", test_idle_devices);
    return g_test_run();
}
