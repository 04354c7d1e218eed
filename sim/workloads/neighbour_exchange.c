/* Work-groups of two nodes talk to each other from inside their kernels: ComPNet18 section 4.1, Fig 5.
 *
 * Nodes 0 and 1 run a kernel of `work_groups` work-groups each. Every work-group has one partner on the
 * other node; in each turn one puts `bytes` into the other's buffer and behind them a signal, and waits
 * for the other's. In a ping-pong node 0 puts first, in an exchange both do. Fig 5 is the ping-pong of one
 * work-group a node.
 *
 * A work-group can only answer when it runs. With more work-groups than fit, those that wait may be
 * waiting for such as have no room (section 4.1's deadlock, M-076): with partners in reverse order from
 * twice as many on as fit, with partners of the same number never.
 *
 * Signals are the turn's number, in two words in turn: a partner may be one turn ahead, not two, so no
 * signal is written over before it was seen. */
#include "workloads/intra_kernel.h"
#include "workloads/workload.h"

#define NODES 2

enum pattern { PATTERN_EXCHANGE, PATTERN_PING_PONG };
static const char *const pattern_names[] = {"exchange", "ping_pong", NULL};

enum partner { PARTNER_SAME, PARTNER_REVERSE };
static const char *const partner_names[] = {"same", "reverse", NULL};

struct neighbour_exchange_spec {
    struct design design;
    int64_t pattern, partner;
    int64_t bytes;
    int64_t work_groups;
    int64_t iterations, warmup;
    int64_t threads;
    int64_t service_threads;
    int64_t cooperative; /* flag */
};

#define SPEC struct neighbour_exchange_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that serves the puts."),
    PARAM_ENUM(pattern, SPEC, "exchange", pattern_names,
               "Exchange: both put, then wait. Ping-pong: node 1 puts when it has got node 0's."),
    PARAM_ENUM(partner, SPEC, "same", partner_names,
               "The partner on the other node: of the same number, or counted from the last one."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "8B", "1B", "1GiB", NULL,
     "Payload of a put; its signal comes on top.", NULL},
    PARAM_COUNT(work_groups, SPEC, "1", "1", "65536", "Work-groups of the kernel of a node."),
    PARAM_COUNT(iterations, SPEC, "100", "1", "1000000", "Turns that are measured."),
    PARAM_COUNT(warmup, SPEC, "4", "0", "1000000", "Turns before them that are not."),
    PARAM_COUNT(threads, SPEC, "64", "1", "1024", "Work-items of a work-group."),
    PARAM_COUNT(service_threads, SPEC, "0", "0", "64",
                "Service threads of a node; 0: as many as the design says."),
    PARAM_FLAG(cooperative, SPEC, "false",
               "Refuse the kernel unless all its work-groups run at the same time."),
};
#undef SPEC
static PARAM_TABLE(neighbour_exchange_params, "neighbour_exchange", struct neighbour_exchange_spec,
                   params,
                   "Work-groups of two nodes put to each other and wait for each other's signal.");

struct exchange_run {
    const struct neighbour_exchange_spec *spec;
    address buffers; /* of `stride` bytes for each work-group: the same on both nodes */
    address signals; /* two lines for each work-group, likewise */
    int64_t stride;
    struct stat_histogram *turns; /* of node 0 */
    sim_time first_ps, last_ps;   /* first call, last return, of node 0 */
    int64_t running, most_running;
};

struct exchange_side {
    struct exchange_run *run;
    int64_t node;
    struct service *service;
};

static address signal_of(const struct exchange_run *run, int64_t work_group, int64_t turn)
{
    return run->signals + (address)((2 * work_group + turn % 2) * CACHE_LINE_BYTES);
}

static int64_t partner_of(const struct neighbour_exchange_spec *spec, int64_t work_group)
{
    return spec->partner == PARTNER_SAME ? work_group : spec->work_groups - 1 - work_group;
}

static void send(struct exchange_side *side, struct device_context *context, int64_t partner, int64_t turn)
{
    const struct exchange_run *run = side->run;
    address buffer = run->buffers + (address)(partner * run->stride);
    device_put_signal(context, 1 - side->node, buffer, buffer, run->spec->bytes,
                      signal_of(run, partner, turn), (uint64_t)turn);
}

static void take_turn(struct exchange_side *side, struct device_context *context, int64_t turn)
{
    const struct neighbour_exchange_spec *spec = side->run->spec;
    int64_t own = context->work_group, partner = partner_of(spec, own);
    bool is_first = spec->pattern == PATTERN_EXCHANGE || side->node == 0;
    if (is_first)
        send(side, context, partner, turn);
    device_wait_until_from(context, signal_of(side->run, own, turn), COMPARE_EQUAL, (uint64_t)turn,
                           1 - side->node, partner);
    if (!is_first)
        send(side, context, partner, turn);
}

static void note_start(struct exchange_run *run, sim_time now_ps)
{
    if (run->running == 0 && run->most_running == 0)
        run->first_ps = now_ps;
    if (++run->running > run->most_running)
        run->most_running = run->running;
}

static void program(struct work_group *wg, void *argument)
{
    struct exchange_side *side = argument;
    struct exchange_run *run = side->run;
    struct device_context context;
    device_context_create(&context, side->service, wg);
    if (side->node == 0)
        note_start(run, process_now(wg->process));
    int64_t warmup = run->spec->warmup;
    for (int64_t turn = 1; turn <= warmup + run->spec->iterations; turn++) {
        sim_time start_ps = process_now(wg->process);
        if (side->node == 0 && wg->index == 0 && turn == warmup + 1)
            operation_log_reset(service_log(side->service));
        take_turn(side, &context, turn);
        if (side->node == 0 && turn > warmup)
            stat_record(run->turns, process_now(wg->process) - start_ps);
    }
    if (side->node == 0) {
        run->running--;
        run->last_ps = process_now(wg->process);
    }
}

static void report(const struct exchange_run *run, const struct intra_kernel *kernel,
                   struct workload_result *result)
{
    const struct stat_histogram *turns = run->turns;
    workload_add_quantity(result, "turn", UNIT_TIME, (int64_t)(turns->sum / turns->count));
    workload_add_quantity(result, "turn_min", UNIT_TIME, turns->minimum);
    workload_add_quantity(result, "turn_p50", UNIT_TIME, stat_quantile(turns, 0.5));
    workload_add_quantity(result, "turn_p99", UNIT_TIME, stat_quantile(turns, 0.99));
    workload_add_quantity(result, "turn_max", UNIT_TIME, turns->maximum);
    workload_add_quantity(result, "duration", UNIT_TIME, run->last_ps - run->first_ps);
    workload_add_quantity(result, "work_groups_at_once", UNIT_COUNT, run->most_running);
    intra_kernel_report(kernel, result);
}

static int64_t signal_bytes(const struct neighbour_exchange_spec *spec)
{
    return 2 * CACHE_LINE_BYTES * spec->work_groups;
}

static void prepare(struct exchange_run *run, const struct intra_kernel *kernel)
{
    static const struct stat_info turn_info = {"turn", "ps", "a turn with the partner"};
    const struct neighbour_exchange_spec *spec = run->spec;
    run->stride = symmetric_size(spec->bytes);
    run->turns = stat_histogram_new(kernel->sim->stats, "node0.kernel", &turn_info);
    run->buffers = symmetric_allocate(kernel->heap, run->stride * spec->work_groups, STORE_PAYLOAD);
    run->signals = symmetric_allocate(kernel->heap, signal_bytes(spec), STORE_FINE_GRAINED);
}

static bool run_neighbour_exchange(const struct machine_spec *machine, const void *argument,
                                   uint64_t seed, struct workload_result *result, char *why,
                                   size_t why_size)
{
    const struct neighbour_exchange_spec *spec = argument;
    struct intra_kernel kernel;
    struct intra_kernel_setup setup = {
        .design = &spec->design,
        .seed = seed,
        .kernels = NODES,
        .work_groups = spec->work_groups,
        .service_threads = spec->service_threads,
        .heap_bytes = symmetric_size(spec->bytes) * spec->work_groups + signal_bytes(spec)};
    if (!intra_kernel_start(&kernel, machine, &setup, why, why_size))
        return false;
    struct exchange_run run = {.spec = spec};
    prepare(&run, &kernel);
    struct exchange_side sides[NODES] = {{&run, 0, kernel.services[0]}, {&run, 1, kernel.services[1]}};
    struct intra_kernel_launch launch = {.work_groups = spec->work_groups,
                                         .threads = spec->threads,
                                         .is_cooperative = spec->cooperative,
                                         .program = program,
                                         .arguments = (void *[]){&sides[0], &sides[1]}};
    bool good = intra_kernel_run(&kernel, &launch, why, why_size);
    if (good)
        report(&run, &kernel, result);
    intra_kernel_end(&kernel);
    return good;
}

const struct workload neighbour_exchange_workload = {
    .name = "neighbour_exchange",
    .description = "Work-groups of two nodes put to each other and wait for each other's signal.",
    .params = &neighbour_exchange_params,
    .accepts = intra_kernel_accepts,
    .run = run_neighbour_exchange,
};
