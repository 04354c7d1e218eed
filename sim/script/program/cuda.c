/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank may do with its GPU beside transfers: streams, copies, kernels, events (models/cuda). Calls cost its
 * core what they cost any caller. */
#include <lauxlib.h>

#include "script/program/program_parts.h"
#include "script/sandbox/library.h"
#include "script/values/values.h"

#define STREAM "gpunetsim.stream"
#define EVENT "gpunetsim.event"
#define MOST_STREAMS 64

struct program_stream {
    uint64_t party; /* its serial */
    struct cuda_stream *stream;
};

struct program_event {
    uint64_t party; /* its serial */
    struct cuda_completion completion;
};

struct job_process *rank_process(const struct program_party *party)
{
    struct job *job = world_job(party->run->world);
    return &job->processes[party->lua.place * party->run->program->names.groups + party->lua.group];
}

/* A rank of the caller's node, whose GPU and memory copies reach. */
static int64_t check_near(lua_State *L, const struct program_party *party, const char *key,
                          int64_t rank)
{
    const struct program_run *run = party->run;
    if (rank < 0 || rank >= program_places(run->program))
        script_fail(L, "%s is %lld; ranks are 0 to %lld", key, (long long)rank,
                    (long long)program_places(run->program) - 1);
    if (run->places[rank].node != run->places[party->lua.place].node)
        script_fail(L, "%s: rank %lld is on another node, where no copy engine reaches", key,
                    (long long)rank);
    return rank;
}

/* me:stream(priority, rank): one more stream of the rank's GPU, or of that of another rank of the node; of a priority (0 if not
 * given; less is sooner). */
static int new_stream(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    lua_Integer priority = luaL_optinteger(L, 2, 0);
    int64_t rank = check_near(L, party, "stream", luaL_optinteger(L, 3, party->lua.place));
    if (priority < -5 || priority > 0)
        script_fail(L, "a stream's priority is -5 to 0");
    if (party->streams++ == MOST_STREAMS)
        script_fail(L, "a rank makes at most %d streams", MOST_STREAMS);
    struct cuda_device *device =
        process->job->processes[rank * party->run->program->names.groups + party->lua.group].device;
    struct program_stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    *stream = (struct program_stream){party->lua.serial, cuda_stream_new(device, (int)priority)};
    library_set_metatable(L, STREAM, NULL);
    return 1;
}

struct cuda_stream *cuda_stream_at(lua_State *L, int index, const struct program_party *party,
                                   const struct job_process *process)
{
    if (lua_isnoneornil(L, index))
        return process->stream;
    const struct program_stream *stream = luaL_testudata(L, index, STREAM);
    if (stream == NULL || stream->party != party->lua.serial)
        script_fail(L, "stream has to be what this rank's me:stream() gave");
    return stream->stream;
}

static struct cuda_stream *stream_argument(lua_State *L, const struct program_party *party,
                                           const struct job_process *process)
{
    lua_pushliteral(L, "stream");
    lua_rawget(L, 2);
    struct cuda_stream *stream = cuda_stream_at(L, lua_gettop(L), party, process);
    lua_pop(L, 1);
    return stream;
}

static struct transfer_buffer buffer_argument(lua_State *L, const struct program_party *party,
                                              const char *key, int64_t *most)
{
    lua_pushstring(L, key);
    lua_rawget(L, 2);
    int number = lua_buffer_at(L, -1, &party->run->program->names, key);
    *most = MIN(*most, party->run->program->names.buffers[number].bytes);
    lua_pop(L, 1);
    return party->run->program->names.buffers[number].buffer;
}

/* Whose buffer it is: the caller's own, or that of another rank of its node. */
static int64_t rank_argument(lua_State *L, const struct program_party *party, const char *key)
{
    int64_t most = program_places(party->run->program) - 1;
    return check_near(L, party, key, party_whole(L, key, 0, most, party->lua.place));
}

/* me:copy { to, from, to_rank, from_rank, bytes, stream }: goes on in the stream. */
static int copy(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    int64_t most = INT64_MAX;
    struct transfer_buffer to = buffer_argument(L, party, "to", &most);
    struct transfer_buffer from = buffer_argument(L, party, "from", &most);
    int64_t bytes = party_quantity(L, "bytes", UNIT_BYTES, most);
    if (bytes < 1 || bytes > most)
        script_fail(L, "bytes: both buffers have 1 to %lld bytes", (long long)most);
    struct block to_block =
        transfer_block(party->lua.party, rank_argument(L, party, "to_rank"), to, bytes);
    struct block from_block =
        transfer_block(party->lua.party, rank_argument(L, party, "from_rank"), from, bytes);
    if (!block_is_device(to_block) && !block_is_device(from_block))
        script_fail(L,
                    "copy: both buffers are in host memory; a copy engine takes one in the GPU's");
    struct cuda_stream *stream = stream_argument(L, party, process);
    party_leave(&party->lua);
    cuda_copy_async(stream, &process->cpu, to_block, from_block, NULL);
    return 0;
}

/* What each work-group of a kernel does. */
static struct kernel kernel_argument(lua_State *L, const struct lua_party *party,
                                     const struct job_process *process)
{
    struct party_arguments with;
    party_read(L, party, ARGUMENTS(IN_FLIGHT, MIXED), &with);
    GError *error = NULL;
    int64_t bytes = party_quantity(L, "bytes", UNIT_BYTES, 0);
    struct kernel kernel = {.work_groups = party_whole(L, "work_groups", 1, 1 << 24, 1),
                            .threads = party_whole(L, "threads", 1, 1024, 64),
                            .work = {.flops = party_whole(L, "flops", 0, INT64_C(1) << 40, 0),
                                     .bytes = bytes,
                                     .memory_bytes = bytes,
                                     .latency_ps = party_quantity(L, "time", UNIT_TIME, 0),
                                     .in_flight_bytes = with.loop.in_flight_bytes,
                                     .is_mixed = with.loop.is_mixed}};
    if (!gpu_kernel_fits(&process->spec->gpu, &kernel, &error))
        script_fail_error(L, error);
    return kernel;
}

/* me:launch { work_groups, threads, flops, bytes, time, in_flight, mixed, stream }; or me:launch { graph }. Within the function of a
 * graph it is captured. */
static int launch(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    if (graph_launched(L, party, process))
        return 0;
    struct kernel kernel = kernel_argument(L, lua, process);
    if (party->captured != NULL) {
        graph_take(L, party, &kernel);
        return 0;
    }
    struct cuda_stream *stream = stream_argument(L, party, process);
    party_leave(&party->lua);
    cuda_launch(stream, &process->cpu, &kernel, NULL);
    return 0;
}

/* me:synchronise(stream) */
static int synchronise(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    struct cuda_stream *stream = cuda_stream_at(L, 2, party, process);
    party_leave(&party->lua);
    cuda_stream_synchronize(stream, &process->cpu);
    return 0;
}

/* me:sleeps(stream): who waits for it from now on sleeps until an interrupt instead of polling. */
static int sleeps(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    cuda_stream_sleeps(cuda_stream_at(L, 2, party, process));
    return 0;
}

void cuda_keep(lua_State *L)
{
    lua_getiuservalue(L, 1, 2);
    lua_pushvalue(L, -2);
    lua_append(L);
    lua_pop(L, 1);
}

/* me:event(stream): happens when all that is in the stream now has ended. Kept by the party's object, which CUDA tells. */
static int record_event(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    struct cuda_stream *stream = cuda_stream_at(L, 2, party, process);
    struct program_event *event = lua_newuserdatauv(L, sizeof *event, 0);
    *event = (struct program_event){.party = party->lua.serial};
    library_set_metatable(L, EVENT, NULL);
    cuda_keep(L);
    party_leave(&party->lua);
    cuda_event_record(stream, &process->cpu, &event->completion);
    return 1;
}

static struct program_event *event_at(lua_State *L, const struct program_party *party)
{
    struct program_event *event = luaL_testudata(L, 2, EVENT);
    if (event == NULL || event->party != party->lua.serial)
        script_fail(L, "it needs what this rank's me:event(stream) gave");
    return event;
}

/* me:wait_event(event, stream): what comes later in the stream waits for it. */
static int wait_event(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    struct program_event *event = event_at(L, party);
    struct cuda_stream *stream = cuda_stream_at(L, 3, party, process);
    party_leave(&party->lua);
    cuda_stream_wait_event(stream, &process->cpu, &event->completion);
    return 0;
}

/* me:query(event): whether it has happened. */
static int query_event(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    struct program_event *event = event_at(L, party);
    party_leave(&party->lua);
    bool has_happened = cuda_event_query(process->job->cuda, &process->cpu, &event->completion);
    lua_pushboolean(L, has_happened);
    return 1;
}

const struct party_operation cuda_operations[] = {
    {"stream", NEEDS_RANK, NO_ARGUMENTS, .call = new_stream},
    {"copy", NEEDS_RANK, ARGUMENTS(TO_BUFFER, FROM_BUFFER, TO_RANK, FROM_RANK, COPIED, ON_STREAM),
     .call = copy},
    {"launch", IN_GRAPH | NEEDS_RANK,
     ARGUMENTS(WORK_GROUPS, THREADS, KERNEL_FLOPS, COPIED, TIME, IN_FLIGHT, MIXED, ON_STREAM,
               OF_GRAPH),
     .call = launch},
    {"synchronise", NEEDS_RANK, NO_ARGUMENTS, .call = synchronise},
    {"sleeps", NEEDS_RANK, NO_ARGUMENTS, .call = sleeps},
    {"event", NEEDS_RANK, NO_ARGUMENTS, .call = record_event},
    {"wait_event", NEEDS_RANK, NO_ARGUMENTS, .call = wait_event},
    {"query", NEEDS_RANK, NO_ARGUMENTS, .call = query_event},
    {"graph", NEEDS_RANK, NO_ARGUMENTS, .call = graph_capture},
    {"tell", NEEDS_RANK, NO_ARGUMENTS, .call = thread_tell},
    {"wait_told", NEEDS_RANK, NO_ARGUMENTS, .call = thread_wait_told},
    {.name = NULL},
};
