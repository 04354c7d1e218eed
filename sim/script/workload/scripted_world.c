/* SPDX-License-Identifier: BSD-3-Clause */
/* run.*: the world that a file makes, and the measures that the world takes by itself. */
#include "core/event.h"
#include "core/simtime.h"
#include "protocols/shmem/service.h"
#include "script/values/values.h"
#include "script/workload/scripted_parts.h"

/* --- the world ---------------------------------------------------------------------------------- */

/* Reads the numbers of a list, a field of the table at stack index 1, at most `most`; returns how many there are. */
static int list_field(lua_State *L, const char *name, int64_t *numbers, int most)
{
    int count = 0;
    if (lua_getfield(L, 1, name) == LUA_TTABLE)
        for (; count < most && lua_geti(L, 2, count + 1) == LUA_TNUMBER; lua_settop(L, 2))
            numbers[count++] = lua_tointeger(L, -1);
    lua_settop(L, 1);
    return count;
}

/* Sets the buffers and signals that a file asks for, by number. */
static void set_names(lua_State *L, struct lua_world *names)
{
    int64_t bytes[LUA_BUFFERS], words[LUA_SIGNALS], host = lua_integer_field(L, 1, "host_buffer");
    names->buffer_count = list_field(L, "buffers", bytes, LUA_BUFFERS);
    names->signals_count = list_field(L, "signals", words, LUA_SIGNALS);
    for (int i = 0; i < names->buffer_count; i++) {
        names->buffers[i].bytes = bytes[i];
        names->buffers[i].memory = i + 1 == host ? TRANSFER_HOST : TRANSFER_PAYLOAD;
    }
    for (int i = 0; i < names->signals_count; i++)
        names->signals[i].words = words[i];
}

/* run.places(nodes, gpus_per_node): the GPUs that take part in run.world, unless these are two on a node each: a list of the node
 * of each, from index 0 on, and how many they are. A node of a kind with fewer GPUs gives all it has. */
static int name_places(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    g_free(run->places);
    run->places = world_places(run->machine, luaL_checkinteger(L, 1), "gpus_per_node",
                               luaL_checkinteger(L, 2), &run->place_count, &run->error);
    if (run->places == NULL)
        return scripted_fail(L);
    lua_createtable(L, (int)run->place_count, 1);
    for (int64_t i = 0; i < run->place_count; i++) {
        lua_pushinteger(L, run->places[i].node);
        lua_rawseti(L, -2, i);
    }
    lua_pushinteger(L, run->place_count);
    return 2;
}

/* Sets the GPUs that take part: those of run.places, or else two GPUs on a node each. */
static void set_places(lua_State *L, struct world_setup *setup)
{
    struct scripted *run = scripted_of(L);
    setup->places = run->places;
    setup->place_count = run->places != NULL ? run->place_count : 2;
    if (setup->place_count >= 2)
        return;
    error_set(&run->error, "it takes two GPUs at least");
    scripted_fail(L);
}

static void set_streams(lua_State *L, struct world_setup *setup)
{
    struct transfer_streams *streams = &scripted_of(L)->streams;
    *streams = (struct transfer_streams){.groups = lua_integer_field(L, 1, "streams"),
                                         .buffer_bytes = INT64_C(16) << 20,
                                         .lines = lua_integer_field(L, 1, "stream_lines")};
    setup->streams = streams;
}

/* run.world { groups, threads, ... }: fields of struct world_setup; bytes of each buffer (host_buffer:
 * the number of the buffer in host memory), how many words each party has of each of the signals, and a time by which packets
 * may come later than the machine says (packet_spread). */
static int make_world(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    struct world_setup setup = {.design = scripted_design(run),
                                .seed = run->seed,
                                .groups = lua_integer_field(L, 1, "groups"),
                                .threads = lua_integer_field(L, 1, "threads"),
                                .held_groups = lua_integer_field(L, 1, "held_groups"),
                                .queues = lua_integer_field(L, 1, "queues"),
                                .post = lua_integer_field(L, 1, "post"),
                                .nop_ps = lua_integer_field(L, 1, "nop"),
                                .served_places = lua_integer_field(L, 1, "served_places"),
                                .is_application = lua_flag_field(L, 1, "application"),
                                .in_kernel = lua_flag_field(L, 1, "in_kernel"),
                                .is_cooperative = lua_flag_field(L, 1, "cooperative"),
                                .has_channels = lua_flag_field(L, 1, "channels"),
                                .has_barrier = lua_flag_field(L, 1, "barrier")};
    set_places(L, &setup);
    if (lua_flag_field(L, 1, "streams"))
        set_streams(L, &setup);
    run->names.is_exact = true;
    run->names.places = setup.place_count;
    run->names.groups = MAX(setup.groups, 1);
    set_names(L, &run->names);
    run->machine_used = g_memdup2(run->machine, sizeof *run->machine);
    run->machine_used->nic.packet_spread_ps += lua_integer_field(L, 1, "packet_spread");
    run->world = lua_world_new(&run->names, run->machine_used, &setup, &run->error);
    if (run->world == NULL)
        return scripted_fail(L);
    run->cluster = world_cluster(run->world);
    run->sim = run->cluster->sim;
    return 0;
}

/* run.parties(function(me, place, group) ... end) */
static int run_parties(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    run->program = luaL_ref(L, LUA_REGISTRYINDEX);
    void **arguments = lua_newuserdatauv(L, (size_t)run->names.places * sizeof *arguments, 0);
    run->ends = lua_newuserdatauv(L, (size_t)run->names.places * sizeof *run->ends, 0);
    for (int64_t i = 0; i < run->names.places; i++) {
        arguments[i] = run;
        run->ends[i] = (struct place_end){.count = 0};
    }
    if (!world_run(run->world, scripted_party, arguments, &run->error))
        return scripted_fail(L);
    return 0;
}

/* run.measure_from(at), run.measure_to(at): the measured part begins or ends; run.reset(at): it begins, and earlier records are
 * forgotten. */
static int measure_from(lua_State *L)
{
    run_energy_begins(scripted_of(L)->cluster, luaL_checkinteger(L, 1));
    return 0;
}

static int measure_to(lua_State *L)
{
    run_energy_ends(scripted_of(L)->cluster, luaL_checkinteger(L, 1));
    return 0;
}

static int reset(lua_State *L)
{
    world_reset(scripted_of(L)->world, luaL_checkinteger(L, 1));
    return 0;
}

/* Resets statistics when counting begins while parties go on: their statistics are brought up to the present first. */
static int reset_statistics(lua_State *L)
{
    const struct scripted *run = scripted_of(L);
    world_settle(run->world);
    stat_reset(run->sim->stats, sim_now(run->sim));
    return 0;
}

/* run.count_streams(counter): counts the bytes that streaming work-groups move; run.end_streams(): ends these work-groups. */
static int count_streams(lua_State *L)
{
    scripted_of(L)->streams.streamed = scripted_counter_at(L, 1);
    return 0;
}

static int end_streams(lua_State *L)
{
    scripted_of(L)->streams.is_over = true;
    return 0;
}

/* A function to be called at a given time. */
struct later {
    struct scripted *run;
    int function; /* in the registry */
};

static void call_later(void *argument)
{
    const struct later *later = argument;
    struct scripted *run = later->run;
    lua_rawgeti(run->L, LUA_REGISTRYINDEX, later->function);
    lua_pushinteger(run->L, sim_now(run->sim));
    if (lua_pcall(run->L, 1, 0, 0) != LUA_OK)
        sim_fail(run->sim, "%s", lua_tostring(run->L, -1));
}

/* run.at(time, function(time) ... end): calls the function at that time; the call takes no party's time. */
static int at(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    struct later *later = lua_newuserdatauv(L, sizeof *later, 0);
    luaL_ref(L, LUA_REGISTRYINDEX); /* kept until the run ends */
    lua_settop(L, 2);
    *later = (struct later){run, luaL_ref(L, LUA_REGISTRYINDEX)};
    event_schedule(run->sim->events, luaL_checkinteger(L, 1), call_later, later);
    return 0;
}

/* --- measures of the world ------------------------------------------------------------------------- */

/* run.report(units): adds the measures that the world takes by itself (world_report). run.observe(units): adds only its energy
 * (workload_observe). */
static int report(lua_State *L)
{
    world_report(scripted_of(L)->world, luaL_checknumber(L, 1), scripted_of(L)->result);
    return 0;
}

static int observe(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    workload_observe(run->result, run->cluster, luaL_checknumber(L, 1));
    return 0;
}

/* run.check_events(): checks that two events of a stream can time the design. run.seen_by_events(): the time that they include
 * beside its kernel. */
static int check_events(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    if (!transfer_can_be_timed(scripted_design(run), &run->error))
        return scripted_fail(L);
    return 0;
}

static int seen_by_events(lua_State *L)
{
    lua_pushinteger(L, transfer_seen_by_events_ps(scripted_of(L)->world));
    return 1;
}

/* run.must_carry(bytes): fails if the machine could not carry the bytes in a run (machine_can_carry). */
static int must_carry(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    return machine_can_carry(run->machine, luaL_checknumber(L, 1), &run->error) ? 0
                                                                                : scripted_fail(L);
}

/* run.has_server(): whether a server polls the design's queues. */
static int has_server(lua_State *L)
{
    lua_pushboolean(L, design_has_poller(scripted_design(scripted_of(L))));
    return 1;
}

/* run.axis(name): the design's value on an axis. */
static int axis(lua_State *L)
{
    const struct param *param = param_find(&design_params, luaL_checkstring(L, 1));
    luaL_argcheck(L, param != NULL, 1, "there is no such axis");
    scripted_push_value(L, param, scripted_design(scripted_of(L)));
    return 1;
}

/* run.nodes_alike(): whether the machine's nodes are of one kind; run.is_interrupted(): whether its cores are interrupted. */
static int nodes_alike(lua_State *L)
{
    lua_pushboolean(L, machine_nodes_alike(scripted_of(L)->cluster->spec));
    return 1;
}

static int is_interrupted(lua_State *L)
{
    lua_pushboolean(L, scripted_of(L)->cluster->is_interrupted);
    return 1;
}

/* run.work_groups_at_once(threads): how many work-groups of a kernel run at once, on the kind of nodes where they are fewest. */
static int work_groups_at_once(lua_State *L)
{
    const struct machine_spec *machine = scripted_of(L)->machine;
    const struct kernel kernel = {.threads = luaL_checkinteger(L, 1)};
    struct machine_spec *own = lua_newuserdatauv(L, sizeof *own, 0);
    int64_t most = INT64_MAX;
    for (size_t kind = 0; kind <= machine->kind_count; kind++) {
        machine_spec_of_kind(machine, kind, own);
        most = MIN(most, gpu_kernel_occupancy(&own->gpu, &kernel));
    }
    lua_pushinteger(L, most);
    return 1;
}

/* run.first(component, parameter, node): the node's value; that of node 0 if no node is given. run.uses(component, parameter):
 * notes that the run reads the parameter. */
static int first_value(lua_State *L)
{
    const struct machine_spec *machine =
        cluster_spec(scripted_of(L)->cluster, luaL_optinteger(L, 3, 0));
    const struct param *param;
    struct machine_component component = scripted_component(L, machine, &param);
    scripted_push_value(L, param, (const char *)machine + component.offset);
    return 1;
}

static int uses(lua_State *L)
{
    const struct scripted *run = scripted_of(L);
    const struct param *param;
    struct machine_component component = scripted_component(L, run->machine, &param);
    param_uses_only(run->sim ? &run->sim->uses : &run->result->uses, component.table, param->name,
                    NULL);
    return 0;
}

/* run.transfer_time(bytes, rate) */
static int transfer_time(lua_State *L)
{
    lua_pushinteger(L, transfer_ps(luaL_checkinteger(L, 1), luaL_checkinteger(L, 2)));
    return 1;
}

/* run.service(): of the first place: the kernel's time as the host sees it, bytes of all queues, cores of its socket that its
 * service leaves free; locks that were taken and that were contended, and the mean wait. */
static int service(lua_State *L)
{
    const struct scripted *run = scripted_of(L);
    const struct service *own = world_service(run->world);
    const struct mutex_stats *locks = service_locks(own);
    lua_newtable(L);
    lua_set_integer(L, "kernel_time", world_kernel_ps(run->world));
    lua_set_integer(L, "queue_bytes", service_queue_bytes(own));
    lua_set_integer(L, "cores_left", cluster_cores_left(run->cluster, CORES_OF_HOST, 0, 0));
    lua_set_integer(L, "locks_taken", locks->taken->value);
    lua_set_integer(L, "locks_contended", locks->contended->value);
    lua_set_integer(L, "lock_wait", (int64_t)stat_mean(locks->wait));
    return 1;
}

/* run.state_times(): the time of its service in each state: active, polling, stalled, idle; to be called after run.report. */
static int state_times(lua_State *L)
{
    for (int state = 0; state < AGENT_STATES; state++)
        lua_pushnumber(L, scripted_of(L)->result->energy.state_ps[state]);
    return AGENT_STATES;
}

const luaL_Reg scripted_world_functions[] = {{"places", name_places},
                                             {"world", make_world},
                                             {"parties", run_parties},
                                             {"side", scripted_side},
                                             {"at", at},
                                             {"count_streams", count_streams},
                                             {"end_streams", end_streams},
                                             {"measure_from", measure_from},
                                             {"measure_to", measure_to},
                                             {"reset", reset},
                                             {"reset_statistics", reset_statistics},
                                             {"report", report},
                                             {"observe", observe},
                                             {"check_events", check_events},
                                             {"seen_by_events", seen_by_events},
                                             {"must_carry", must_carry},
                                             {"has_server", has_server},
                                             {"axis", axis},
                                             {"nodes_alike", nodes_alike},
                                             {"is_interrupted", is_interrupted},
                                             {"work_groups_at_once", work_groups_at_once},
                                             {"first", first_value},
                                             {"uses", uses},
                                             {"transfer_time", transfer_time},
                                             {"service", service},
                                             {"state_times", state_times},
                                             {NULL, NULL}};
