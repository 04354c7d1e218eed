/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim goal TRACE | --generate PATTERN */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/chakra.h"
#include "cli/command.h"
#include "core/error.h"
#include "script/script.h"
#include "script/views/settings.h"
#include "script/views/views.h"
#include "study/model/machine.h"
#include "study/model/value.h"
#include "study/system/interrupt.h"
#include "workloads/goal/goal_costs.h"
#include "workloads/goal/goal_fault.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_model.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/interface/workload.h"

struct goal_request {
    char *trace;      /* NULL: the pattern */
    char *chakra;     /* --trace; NULL: as Chakra traces are by default */
    char *pattern;    /* NULL: the trace */
    char *costs;      /* NULL: the defaults */
    char *machine;    /* NULL: a LogGOPS machine, or the model */
    char *model;      /* of gpunetsim derive; NULL: a LogGOPS machine */
    char *transport;  /* NULL: as the machine file says */
    char *placement;  /* NULL: on cores */
    char *design;     /* NULL: the placement's */
    char **overrides; /* of machine parameters; NULL: none */
    gboolean ends, traffic, energy;
};

static bool check_request(const struct goal_request *request, GError **error)
{
    if (!request->trace == !request->pattern)
        return error_set(error, "goal takes either a TRACE or --generate PATTERN");
    if (request->chakra && !(request->trace && chakra_is(request->trace)))
        return error_set(error, "--trace belongs to Chakra traces");
    if (request->machine && request->costs)
        return error_set(error, "--loggp and --machine cannot be given together");
    if (request->model && (request->costs || request->machine))
        return error_set(error, "--model takes the place of --loggp and --machine");
    if (!request->machine && (request->transport || request->placement || request->design ||
                              request->overrides || request->traffic))
        return error_set(
            error, "--transport, --placement, --design, --set and --traffic belong to --machine");
    return true;
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct goal_request *request, GError **error)
{
    const GOptionEntry entries[] = {
        {"loggp", 0, 0, G_OPTION_ARG_STRING, &request->costs,
         "Costs of the LogGOPS machine, in ns and bytes or with units (default: " GOAL_COSTS_DEFAULT
         ")",
         "L=..,o=..,..."},
        {"generate", 0, 0, G_OPTION_ARG_STRING, &request->pattern,
         "Run a pattern: halo3d:XxYxZ, hierarchical:LxN, moe:GxN, train:TxExDxP, or ring, doubling, alltoall or "
         "permutation:RANKS; then "
         ",iterations=N,bytes=N,calc=NS,seed=N",
         "PATTERN"},
        {"ends", 0, 0, G_OPTION_ARG_NONE, &request->ends,
         "Print when each rank ends instead of the makespan", NULL},
        {"model", 0, 0, G_OPTION_ARG_FILENAME, &request->model,
         "Run on a model that gpunetsim derive wrote instead", "MODEL.lua"},
        {"machine", 'm', 0, G_OPTION_ARG_FILENAME, &request->machine,
         "Run on a machine of the project instead", "MACHINE"},
        {"transport", 0, 0, G_OPTION_ARG_STRING, &request->transport,
         "How the machine moves messages (default: as its file says)", "segment|flow"},
        {"placement", 0, 0, G_OPTION_ARG_STRING, &request->placement,
         "Where ranks are placed: gpu, core or both; then "
         ",memory=own|host|gpu,ranks_per_node=N,order=block|round-robin (default: core, of Chakra traces both; "
         "\"gpunetsim help placement\")",
         "PLACEMENT"},
        {"design", 'd', 0, G_OPTION_ARG_STRING, &request->design,
         "The design whose runtime carries messages (default: " GOAL_DESIGN ")", "DESIGN"},
        COMMAND_TRACE(&request->chakra),
        COMMAND_SET(&request->overrides),
        {"traffic", 0, 0, G_OPTION_ARG_NONE, &request->traffic,
         "Also print how many bytes took which path through the machine", NULL},
        {"energy", 0, 0, G_OPTION_ARG_NONE, &request->energy,
         "Also print the energy of the run by part, which a LogGOPS machine does not model", NULL},
        {0},
    };
    if (!command_parse(command, argc, argv, entries, 0, 1, error))
        return false;
    request->trace = *argc > 1 ? (*argv)[1] : NULL;
    return check_request(request, error);
}

/* --- what runs -------------------------------------------------------------------------------- */

/* A program from either source; one of the two is NULL. */
struct workload_program {
    struct goal_schedule *schedule;
    struct goal_pattern *pattern;
    struct loggp_program program;
    struct goal_source source;
};

/* When each rank ends. */
struct goal_ends {
    uint64_t *ticks; /* by rank */
    uint64_t ticks_per_ns;
};

/* Chakra traces have no lines, as patterns have none. */
static bool trace_open(struct workload_program *open, const struct goal_request *request,
                       const struct machine_spec *machine, GError **error)
{
    bool is_chakra = chakra_is(request->trace);
    open->schedule = is_chakra ? chakra_schedule(request->trace, request->chakra, machine, error)
                               : goal_read_file(request->trace, error);
    if (open->schedule)
        open->program = goal_schedule_program(open->schedule);
    open->source = (struct goal_source){request->trace, is_chakra ? NULL : open->schedule};
    return open->schedule != NULL;
}

static bool program_open(struct workload_program *open, const struct goal_request *request,
                         const struct machine_spec *machine, GError **error)
{
    struct goal_pattern_spec spec;
    if (request->trace)
        return trace_open(open, request, machine, error);
    if (!goal_pattern_parse(request->pattern, &spec, error))
        return false;
    open->pattern = goal_pattern_new(&spec);
    open->program = goal_pattern_program(open->pattern);
    open->source = (struct goal_source){request->pattern, NULL};
    return true;
}

static void program_close(struct workload_program *open)
{
    if (open->schedule)
        goal_schedule_free(open->schedule);
    if (open->pattern)
        goal_pattern_free(open->pattern);
}

/* --- on a LogGOPS machine --------------------------------------------------------------------- */

#define STEPS_BETWEEN_INTERRUPTS (1 << 20)

static bool run_loggp(const struct goal_request *request, const struct workload_program *open,
                      struct goal_ends *ends, GError **error)
{
    const struct loggp_program *program = &open->program;
    struct loggp_spec costs;
    if (!goal_costs_parse(request->costs ? request->costs : GOAL_COSTS_DEFAULT, &costs, error))
        return false;
    struct loggp *machine = loggp_new(&costs, program);
    if (request->trace && chakra_is(request->trace))
        loggp_wait_for_ends(machine);
    bool interrupted = false;
    while (!interrupted && loggp_run(machine, STEPS_BETWEEN_INTERRUPTS))
        interrupted = interrupt_pending(error);
    const struct loggp_fault fault = loggp_fault(machine);
    bool good = !interrupted &&
                goal_fault_fail(&fault, &open->source, LOGGP_LAST, costs.ticks_per_ns, error) &&
                goal_check_end(machine, &open->source, error);
    ends->ticks_per_ns = costs.ticks_per_ns;
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        ends->ticks[rank] = loggp_end(machine, rank);
    loggp_free(machine);
    return good;
}

static bool stopped(void)
{
    return interrupt_pending(NULL);
}

static bool run_model(const struct goal_request *request, const struct workload_program *open,
                      struct goal_ends *ends, GError **error)
{
    g_auto(GStrv) lines =
        views_texts("model", "numbers", g_variant_new("(^ay)", request->model), error);
    struct loggp_model *model = lines ? goal_model_parse((const char *const *)lines, error) : NULL;
    ends->ticks_per_ns = PS_PER_NS;
    bool good = model &&
                goal_model_run(model, request->model, &open->program, &open->source, stopped,
                               (int64_t *)ends->ticks, error) &&
                !interrupt_pending(error);
    goal_model_free(model);
    return good;
}

/* --- on a machine of the project -------------------------------------------------------------- */

static void print_traffic(const struct goal_machine_result *result)
{
    puts("path\tbytes");
    for (int path = 0; path < GOAL_PATHS; path++)
        printf("%s\t%" PRId64 "\n", goal_path_names[path], result->sent_bytes[path]);
}

/* Of a machine each part; of a LogGOPS machine (all zero) only that there is none. */
static void print_energy(const struct run_energy *energy, bool has_parts)
{
    struct workload_result result = {.count = 0};
    workload_add_run_energy(&result, energy);
    for (size_t i = 0; i < result.count; i++) {
        struct value value = value_of_measure(&result.measures[i]);
        g_autofree char *name = value_column(result.measures[i].name, &value);
        g_autofree char *text = value_column_text(&value);
        if (has_parts || strcmp(result.measures[i].name, "energy") == 0)
            printf("%s\t%s\n", name, text);
        value_clear(&value);
    }
}

static bool choose(const char *option, const char *chosen, const char *first, const char *second,
                   int *number, GError **error)
{
    *number = strcmp(chosen, second) == 0;
    if (*number || strcmp(chosen, first) == 0)
        return true;
    return error_set(error, "%s %s: accepted are %s and %s", option, chosen, first, second);
}

/* Chakra traces know which of their nodes are a GPU's. */
static const char *placement_of(const struct goal_request *request)
{
    if (request->placement)
        return request->placement;
    return request->trace && chakra_is(request->trace) ? "both" : "core";
}

static bool run_machine(const struct goal_request *request, const struct machine *machine,
                        const struct workload_program *open, struct goal_ends *ends, GError **error)
{
    uint32_t ranks = open->program.ranks;
    struct goal_placement placement;
    if (!goal_placement_parse(placement_of(request), request->design, &placement, error))
        return false;
    g_autofree sim_time *ends_ps = g_new0(sim_time, ranks);
    struct goal_machine_result result = {.ends_ps = ends_ps};
    bool good = goal_machine_run(&machine->spec, &placement, &open->program, &open->source, stopped,
                                 &result, error) &&
                settings_refuse(machine, &result.uses, error);
    if (good && request->traffic)
        print_traffic(&result);
    if (good && request->energy)
        print_energy(&result.energy, true);
    ends->ticks_per_ns = PS_PER_NS;
    for (uint32_t rank = 0; rank < ranks; rank++)
        ends->ticks[rank] = (uint64_t)ends_ps[rank];
    return good;
}

static struct machine *load_machine(const struct goal_request *request, GError **error)
{
    int kind = 0;
    if (request->transport &&
        !choose("--transport", request->transport, "flow", "segment", &kind, error))
        return NULL;
    struct machine *machine =
        machine_load(request->machine, (const char *const *)request->overrides, error);
    if (machine && request->transport)
        machine->spec.transport.kind = kind == 0 ? TRANSPORT_FLOW : TRANSPORT_SEGMENT;
    return machine;
}

/* --- what is printed -------------------------------------------------------------------------- */

/* A tick is a nanosecond or a picosecond. */
static void print_ns(uint64_t ticks, uint64_t ticks_per_ns)
{
    printf("%" PRIu64, ticks / ticks_per_ns);
    if (ticks % ticks_per_ns != 0)
        printf(".%03" PRIu64, ticks % ticks_per_ns);
}

static void print_ends(const struct goal_ends *ends, uint32_t ranks)
{
    puts("rank\tend_ns");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        printf("%u\t", rank);
        print_ns(ends->ticks[rank], ends->ticks_per_ns);
        putchar('\n');
    }
}

static void print_makespan(const struct goal_ends *ends, uint32_t ranks)
{
    uint64_t makespan = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        makespan = MAX(makespan, ends->ticks[rank]);
    fputs("makespan_ns\t", stdout);
    print_ns(makespan, ends->ticks_per_ns);
    putchar('\n');
}

static bool run_on(const struct goal_request *request, const struct machine *machine,
                   GError **error)
{
    struct workload_program open = {0};
    if (!program_open(&open, request, machine ? &machine->spec : NULL, error))
        return false;
    uint32_t ranks = open.program.ranks;
    g_autofree uint64_t *ticks = g_new0(uint64_t, ranks);
    struct goal_ends ends = {.ticks = ticks, .ticks_per_ns = 1};
    bool good = machine          ? run_machine(request, machine, &open, &ends, error)
                : request->model ? run_model(request, &open, &ends, error)
                                 : run_loggp(request, &open, &ends, error);
    program_close(&open);
    if (good && request->energy && !machine)
        print_energy(&(struct run_energy){.time_ps = 0}, false);
    if (good && request->ends)
        print_ends(&ends, ranks);
    else if (good)
        print_makespan(&ends, ranks);
    return good;
}

static bool run(const struct goal_request *request, GError **error)
{
    if (!request->machine)
        return run_on(request, NULL, error);
    struct machine *machine = load_machine(request, error);
    bool good = machine != NULL && run_on(request, machine, error);
    if (machine)
        machine_free(machine);
    return good;
}

int cmd_goal(const struct command *command, int argc, char **argv)
{
    struct goal_request request = {0};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) && run(&request, &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
