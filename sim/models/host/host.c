/* CPU cores. A core's private caches hold tags only: the directory drops a line from them the
 * moment another agent's write to it is performed, so a hit is never stale and contents are taken
 * from the store. A load is one sleep for as long as its level takes; the contents are those at its
 * end. */
#include "models/host/host.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "core/clock.h"
#include "core/pool.h"
#include "models/host/inbound.h"
#include "models/memory/bus_wait.h"
#include "models/memory/line_watch.h"

/* In the order of enum device_writes. */
static const char *const device_writes[] = {"last_level", "memory", NULL};

#define SPEC struct host_spec
static const struct param params[] = {
    PARAM_COUNT(cores, SPEC, "16", "1", "32", "CPU cores of a socket."),
    PARAM_FREQUENCY(clock, SPEC, "4GHz", "1MHz", "10GHz", "Clock of a core."),
    PARAM_NUMBER(instructions_per_cycle, SPEC, "2.0", "0.01", "16",
                 "Instructions a cycle that a core sustains on the network software."),
    PARAM_FREQUENCY(
        software_rate, SPEC, "8GHz", "1MHz", "100GHz",
        "Instructions a second, clock times instructions a cycle, of the core that the times of "
        "ranks' software (network libraries, runtimes) are told for; slower cores take longer in "
        "proportion."),
    PARAM_BYTES(l1_size, SPEC, "64KiB", "64B", "16MiB", "L1 data cache of a core."),
    PARAM_COUNT(l1_ways, SPEC, "2", "1", "1024", "Associativity of the L1."),
    PARAM_COUNT(l1_latency_cycles, SPEC, "2", "0", "100000", "Cycles from a load to an L1 hit."),
    PARAM_BYTES(l2_size, SPEC, "2MiB", "64B", "1GiB", "L2 of a core."),
    PARAM_COUNT(l2_ways, SPEC, "8", "1", "1024", "Associativity of the L2."),
    PARAM_COUNT(l2_latency_cycles, SPEC, "8", "0", "100000",
                "Further cycles from an L1 miss to an L2 hit."),
    PARAM_BYTES(l3_size, SPEC, "16MiB", "64B", "4GiB",
                "L3 shared by all cores, on the memory side."),
    PARAM_COUNT(l3_ways, SPEC, "16", "1", "1024", "Associativity of the L3."),
    PARAM_COUNT(l3_latency_cycles, SPEC, "20", "0", "100000",
                "Further cycles from an L2 miss to an L3 hit."),
    PARAM_ENUM(
        device_writes, SPEC, "last_level", device_writes,
        "Where what devices write over the bus lands: in the L3 (as with Intel's DDIO), or in memory."),
    PARAM_TIME(memory_latency, SPEC, "60ns", "0ns", "10us", "Host memory behind an L3 miss."),
    PARAM_RATE(memory_rate, SPEC, "153.6GB/s", "1MB/s", "100TB/s",
               "Bandwidth of host memory, all channels together."),
    PARAM_TIME(
        atomic_gap, SPEC, "0ns", "0ns", "100us",
        "Atomics of devices on one line of host memory follow one another at this distance."),
    PARAM_TIME(
        written_line, SPEC, "0ns", "0ns", "100us",
        "A device's read finds a line that a device has written no sooner than this after that write."),
    PARAM_TIME(
        bounced_line, SPEC, "0ns", "0ns", "100us",
        "A device's write of a line that a core has taken since a device last wrote it waits so long for the line; what "
        "devices send behind it is performed behind it."),
    PARAM_TIME(
        mesh_hop, SPEC, "0ns", "0ns", "1us",
        "More of it for each hop to that core, on a mesh of rows of 8 whose corner the bus is at."),
    PARAM_TIME(bus_latency, SPEC, "20ns", "0ns", "10us",
               "Between a core or host memory and the bus port, each way."),
    PARAM_COUNT(loads_in_flight, SPEC, "1", "1", "16",
                "Independent loads of host memory that a core keeps under way: its fill buffers."),
    PARAM_COUNT(device_loads_in_flight, SPEC, "1", "1", "16",
                "Independent loads of device memory over the bus that a core keeps under way."),
    PARAM_BYTES(uncached_load, SPEC, "8B", "1B", "64B",
                "What one load of device memory over the bus fetches."),
    PARAM_BYTES(combined_store, SPEC, "64B", "8B", "64B",
                "Up to how much stores to device memory are combined into one packet; 8 B is one "
                "store, as of a doorbell."),
    PARAM_TIME(directory_latency, SPEC, "60ns", "0ns", "10us",
               "APU: from a core to the directory, one way."),
    PARAM_COUNT(flops_per_cycle, SPEC, "8", "1", "1024",
                "Floating-point operations a cycle of a core in a vectorised loop."),
    PARAM_COUNT(bytes_per_cycle, SPEC, "64", "1", "4096",
                "Bytes a cycle between a core and its L1 in such a loop."),
    PARAM_TIME(parallel_region, SPEC, "1us", "0ns", "1ms",
               "Beginning and end of a loop that all cores share out: threads are woken and meet."),
    PARAM_POWER(active_power, SPEC, "10W", "1mW", "1kW", "Power of a core that executes."),
    PARAM_POWER(stalled_power, SPEC, "6W", "0mW", "1kW",
                "Power of a core that waits for memory or the bus."),
    PARAM_POWER(polling_power, SPEC, "8W", "0mW", "1kW",
                "Power of a core that polls, beside its waits."),
    PARAM_POWER(idle_power, SPEC, "3W", "0mW", "1kW",
                "Power of a core that has nothing to run: its clock stands."),
    PARAM_POWER(sleep_power, SPEC, "300mW", "0mW", "1kW",
                "Power of a core whose supply is switched off."),
};
#undef SPEC
PARAM_TABLE(host_params, "host", struct host_spec, params,
            "The host: CPU cores, their caches, host memory.");

struct core {
    struct cache *l1, *l2;
    int number; /* at the directory */
};

/* A store on its way to be seen. Records are reused. */
struct pending {
    struct host *host;
    int core; /* that stores */
    address at;
    size_t bytes;
    uint8_t data[CACHE_LINE_BYTES];
};

struct host_read;

struct host {
    struct sim *sim;
    const struct host_spec *spec;
    struct bus_path path; /* of a core to the bus */
    sim_time l1_latency_ps, l2_latency_ps;
    bool coherent_gpu;
    struct directory directory;
    struct core *cores;
    struct pool pending;
    struct inbound inbound;
    struct pool reads; /* struct host_read */
};

/* A device's read that waits for its line. */
struct host_read {
    struct host *host;
    struct bus_request *request;
};

static struct pending *new_pending(struct host *host)
{
    struct pending *pending = pool_take(&host->pending);
    pending->host = host;
    return pending;
}

static void free_pending(struct pending *pending)
{
    pool_give(&pending->host->pending, pending);
}

/* --- what comes in over the bus ----------------------------------------------------------------
 */

static void answer_read(struct host *host, struct bus_request *request)
{
    sim_time ready_ps = directory_access(&host->directory, request->at);
    store_read(host->directory.store, request->at, request->data, (size_t)request->bytes);
    bus_performed(host->path.bus, request, ready_ps + host->spec->bus_latency_ps);
}

/* A read that waited for its line. */
static void read_again(void *argument)
{
    struct host_read *read = argument;
    struct host *host = read->host;
    struct bus_request *request = read->request;
    pool_give(&host->reads, read);
    answer_read(host, request);
}

static void read_arrives(struct host *host, struct bus_request *request)
{
    sim_time wait_ps = request->is_flush ? 0 : inbound_read_wait(&host->inbound, request->at);
    if (wait_ps == 0) {
        answer_read(host, request);
        return;
    }
    struct host_read *read = pool_take(&host->reads);
    *read = (struct host_read){host, request};
    event_schedule(host->sim->events, sim_now(host->sim) + wait_ps, read_again, read);
}

static void perform_request(void *owner, struct bus_request *request)
{
    struct host *host = owner;
    struct directory *directory = &host->directory;
    if (request->op == BUS_WRITE) {
        if (host->spec->device_writes == DEVICE_WRITES_MEMORY)
            directory_pass_by(directory, request->at);
        else
            directory_access(directory, request->at);
        directory_write(directory, DIRECTORY_DEVICE, request->at, request->data,
                        (size_t)request->bytes);
        bus_performed(host->path.bus, request, 0);
        return;
    }
    if (request->op == BUS_READ) {
        read_arrives(host, request);
        return;
    }
    sim_time ready_ps = directory_access(directory, request->at);
    if (request->op == BUS_ATOMIC) {
        ready_ps += inbound_atomic_wait(&host->inbound, request->at);
        request->operand = directory_atomic(directory, DIRECTORY_DEVICE, request->at,
                                            request->atomic, request->operand, request->compare);
    }
    bus_performed(host->path.bus, request, ready_ps + host->spec->bus_latency_ps);
}

static void request_arrives(void *device, struct bus_request *request)
{
    struct host *host = device;
    inbound_arrives(&host->inbound, request);
}

/* --- start and end -----------------------------------------------------------------------------
 */

struct host *host_new(struct sim *sim, const struct host_spec *spec, struct bus *bus, int slot,
                      bool coherent_gpu)
{
    struct host *host = g_new0(struct host, 1);
    host->sim = sim;
    host->spec = spec;
    host->path = (struct bus_path){bus, slot, spec->bus_latency_ps, spec->bus_latency_ps, false};
    host->l1_latency_ps = cycles_ps(spec->l1_latency_cycles, spec->clock_Hz);
    host->l2_latency_ps = cycles_ps(spec->l2_latency_cycles, spec->clock_Hz);
    host->coherent_gpu = coherent_gpu;
    pool_init(&host->pending, sizeof(struct pending));
    pool_init(&host->reads, sizeof(struct host_read));
    host->inbound =
        (struct inbound){.sim = sim,
                         .directory = &host->directory,
                         .bounced_line_ps = spec->bounced_line_ps,
                         .mesh_hop_ps = spec->mesh_hop_ps,
                         .look_ps = host->l1_latency_ps + host->l2_latency_ps + spec->mesh_hop_ps,
                         .written_line_ps = spec->written_line_ps,
                         .atomic_gap_ps = spec->atomic_gap_ps,
                         .perform = perform_request,
                         .owner = host};
    inbound_init(&host->inbound);
    directory_init(&host->directory, sim, slot, spec->l3_size_bytes, spec->l3_ways,
                   cycles_ps(spec->l3_latency_cycles, spec->clock_Hz), spec->memory_latency_ps,
                   spec->memory_rate_Bps);
    host->cores = g_new0(struct core, (gsize)spec->cores);
    for (int64_t i = 0; i < spec->cores; i++) {
        host->cores[i].l1 = cache_new(spec->l1_size_bytes, spec->l1_ways, false);
        host->cores[i].l2 = cache_new(spec->l2_size_bytes, spec->l2_ways, false);
    }
    struct endpoint endpoint = {request_arrives, host, spec->bus_latency_ps};
    bus_attach(bus, slot, &endpoint);
    return host;
}

void host_free(struct host *host)
{
    if (host == NULL)
        return;
    for (int64_t i = 0; i < host->spec->cores; i++) {
        cache_free(host->cores[i].l1);
        cache_free(host->cores[i].l2);
    }
    g_free(host->cores);
    pool_clear(&host->pending);
    pool_clear(&host->reads);
    inbound_clear(&host->inbound);
    directory_clear(&host->directory);
    g_free(host);
}

const struct host_spec *host_spec_of(const struct host *host)
{
    return host->spec;
}

struct directory *host_directory(struct host *host)
{
    return &host->directory;
}

void host_thread_init(struct host_thread *thread, struct host *host, int64_t core,
                      struct process *process)
{
    check_always(core >= 0 && core < host->spec->cores, "CPU core %lld of %lld", (long long)core,
                 (long long)host->spec->cores);
    param_uses_all_but(&host->sim->uses, &host_params, "software_rate", "l3_size", "l3_ways",
                       "memory_latency", "memory_rate", "directory_latency", "flops_per_cycle",
                       "bytes_per_cycle", "parallel_region", "atomic_gap", "written_line",
                       "bounced_line", "mesh_hop", NULL);
    *thread = (struct host_thread){.host = host, .core = core, .process = process};
    struct core *own = &host->cores[core];
    own->number = directory_add_sharer(&host->directory, (int)core, own->l1, own->l2);
}

/* --- host memory -------------------------------------------------------------------------------
 */

/* Takes the line into both private caches of the core and returns what that takes. Of the line that this pushes out of
 * the L1 those who poll it are told: their next look takes longer. */
static sim_time fetch_into_caches(struct host_thread *thread, address at)
{
    struct host *host = thread->host;
    struct core *core = &host->cores[thread->core];
    cache_line line = at / CACHE_LINE_BYTES;
    sim_time time_ps = host->l1_latency_ps;
    if (cache_find(core->l1, line) != CACHE_MISS)
        return time_ps;
    time_ps += host->l2_latency_ps;
    if (cache_find(core->l2, line) == CACHE_MISS) {
        time_ps += directory_access(&host->directory, at);
        if (host->coherent_gpu)
            time_ps += 2 * host->spec->directory_latency_ps;
        directory_fill(&host->directory, core->number, line, NULL);
    }
    struct cache_victim victim;
    cache_insert(core->l1, line, &victim);
    if (victim.valid)
        line_watch_changed(&host->directory.watch, victim.line);
    return time_ps;
}

static bool is_own_memory(const struct host *host, address at)
{
    return address_slot(at) == host->path.slot;
}

static void store_is_seen(void *argument)
{
    struct pending *pending = argument;
    struct host *host = pending->host;
    inbound_core_writes(&host->inbound, pending->at);
    directory_write(&host->directory, pending->core, pending->at, pending->data, pending->bytes);
    free_pending(pending);
}

/* When a store issued now is seen by others: after the line has been made the core's own, which on
 * an APU takes the way to the directory if another cache holds it, and not before the stores ahead
 * of it. */
static sim_time next_visible_ps(struct host_thread *thread, address at)
{
    struct host *host = thread->host;
    sim_time seen_ps = process_now(thread->process) + fetch_into_caches(thread, at);
    if (host->coherent_gpu && directory_others_hold(&host->directory, (int)thread->core, at))
        seen_ps += host->spec->directory_latency_ps;
    if (seen_ps < thread->stores_visible_ps)
        seen_ps = thread->stores_visible_ps;
    thread->stores_visible_ps = seen_ps;
    return seen_ps;
}

/* --- device memory and registers over the bus --------------------------------------------------
 */

/* Uncached loads are not combined: each goes there and back on its own. */
static void load_over_bus(struct host_thread *thread, const struct memory_load *loads, size_t count)
{
    struct host *host = thread->host;
    struct bus_load under_way[LOADS_IN_FLIGHT_MAX];
    size_t step = (size_t)host->spec->uncached_load_bytes;
    size_t window = (size_t)host->spec->device_loads_in_flight, started = 0, finished = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t done = 0; done < loads[i].bytes; done += step) {
            size_t left = loads[i].bytes - done;
            if (started - finished == window)
                bus_path_finish_read(&under_way[finished++ % window], thread->process);
            bus_path_start_read(&host->path, thread->process, &host->sim->quiescence,
                                &under_way[started++ % window], loads[i].at + done,
                                (uint8_t *)loads[i].data + done, left < step ? left : step);
        }
    while (finished < started)
        bus_path_finish_read(&under_way[finished++ % window], thread->process);
}

static void store_over_bus(struct host_thread *thread, address at, const uint8_t *data,
                           size_t bytes)
{
    struct host *host = thread->host;
    size_t step = (size_t)host->spec->combined_store_bytes;
    process_sync(thread->process); /* stores do not wait: a row of them would run far ahead */
    for (size_t done = 0; done < bytes; done += step) {
        size_t part = bytes - done < step ? bytes - done : step;
        struct bus_request *request = bus_path_request(&host->path, BUS_WRITE, at + done, part);
        memcpy(request->data, data + done, part);
        sim_time leaves_ps = process_now(thread->process) + host->spec->bus_latency_ps;
        if (leaves_ps < thread->stores_visible_ps)
            leaves_ps = thread->stores_visible_ps;
        thread->stores_visible_ps = leaves_ps;
        bus_send(host->path.bus, request, leaves_ps - process_now(thread->process));
    }
}

/* --- what a thread calls -----------------------------------------------------------------------
 */

void host_thread_load(struct host_thread *thread, address at, void *data, size_t bytes)
{
    struct host *host = thread->host;
    if (!is_own_memory(host, at)) {
        load_over_bus(thread, &(struct memory_load){at, data, bytes}, 1);
        return;
    }
    process_sync(thread->process);
    process_sleep(thread->process, fetch_into_caches(thread, at));
    store_read(host->directory.store, at, data, bytes);
}

void host_thread_looks_ahead(struct host_thread *thread, const address *next, size_t count)
{
    thread->next_count = MIN(count, (size_t)thread->host->spec->loads_in_flight - 1);
    for (size_t i = 0; i < thread->next_count; i++)
        thread->next[i] = next[i];
}

/* When the line comes that the core has begun to fetch; 0: it has not, or it is there. */
static sim_time ahead_ps(const struct host_thread *thread, cache_line line)
{
    for (size_t i = 0; i < LOADS_IN_FLIGHT_MAX; i++)
        if (thread->ahead[i].line == line &&
            thread->ahead[i].ready_ps > process_now(thread->process))
            return thread->ahead[i].ready_ps;
    return 0;
}

/* Begins to fetch what comes next and is not in the L1, as far as fill buffers are free. */
static void fetch_ahead(struct host_thread *thread)
{
    size_t place = 0, most = (size_t)thread->host->spec->loads_in_flight - 1;
    sim_time now_ps = process_now(thread->process);
    for (size_t i = 0; i < thread->next_count; i++) {
        cache_line line = thread->next[i] / CACHE_LINE_BYTES;
        while (place < most && thread->ahead[place].ready_ps > now_ps)
            place++;
        if (place == most)
            return;
        if (cache_peek(thread->host->cores[thread->core].l1, line) == CACHE_MISS)
            thread->ahead[place] =
                (struct line_ahead){line, now_ps + fetch_into_caches(thread, thread->next[i])};
    }
}

/* A load by a poll: what it takes. */
static sim_time poll_ps(struct host_thread *thread, address at)
{
    sim_time load_ps = fetch_into_caches(thread, at);
    sim_time now_ps = process_now(thread->process);
    if (load_ps > thread->host->l1_latency_ps && thread->next_count > 0)
        fetch_ahead(thread);
    return MAX(load_ps, ahead_ps(thread, at / CACHE_LINE_BYTES) - now_ps);
}

static int16_t turn_of(const struct host_thread *thread)
{
    return (int16_t)(POLL_TURN_CORES + thread->core);
}

/* The rest of a poll, whose load takes so long. One that hits in the L1 has what stood there when it began: a device's
 * write that takes the line away meanwhile is seen by the next. */
static void poll_load(struct host_thread *thread, sim_time load_ps, address at, void *data,
                      size_t bytes)
{
    struct host *host = thread->host;
    bool is_hit = load_ps <= host->l1_latency_ps;
    if (is_hit)
        store_read(host->directory.store, at, data, bytes);
    process_sleep_until_turn(thread->process, process_now(thread->process) + load_ps,
                             turn_of(thread));
    if (!is_hit)
        store_read(host->directory.store, at, data, bytes);
}

void host_thread_poll(struct host_thread *thread, address at, void *data, size_t bytes,
                      enum poll_place from)
{
    struct host *host = thread->host;
    struct process *process = thread->process;
    if (!is_own_memory(host, at)) {
        load_over_bus(thread, &(struct memory_load){at, data, bytes}, 1);
        return;
    }
    if (from == POLL_WHOLE)
        process_sleep_until_turn(process, process_now(process), turn_of(thread));
    sim_time load_ps = poll_ps(thread, at);
    poll_load(thread, load_ps, at, data, bytes);
}

bool host_thread_poll_rhythm(const struct host_thread *thread, address at, sim_time loop_ps,
                             struct poll_rhythm *rhythm)
{
    const struct host *host = thread->host;
    sim_time period_ps = loop_ps + host->l1_latency_ps;
    *rhythm = (struct poll_rhythm){loop_ps, loop_ps, period_ps, turn_of(thread)};
    return is_own_memory(host, at) && host->l1_latency_ps > 0;
}

void host_thread_skip_polls(struct host_thread *thread, struct cached_line *lines, size_t count)
{
    cache_use_all(thread->host->cores[thread->core].l1, lines, count);
}

int64_t host_thread_loads_in_flight(const struct host_thread *thread, address at)
{
    const struct host_spec *spec = thread->host->spec;
    return is_own_memory(thread->host, at) ? spec->loads_in_flight : spec->device_loads_in_flight;
}

int64_t host_thread_load_bytes(const struct host_thread *thread, address at)
{
    return is_own_memory(thread->host, at) ? CACHE_LINE_BYTES
                                           : thread->host->spec->uncached_load_bytes;
}

/* The load has waited long enough at `ready_ps`; it retires behind those before it. */
static void retire(struct host_thread *thread, const struct memory_load *load, sim_time ready_ps)
{
    if (ready_ps > process_now(thread->process))
        process_sleep_until(thread->process, ready_ps);
    store_read(thread->host->directory.store, load->at, load->data, load->bytes);
}

void host_thread_load_all(struct host_thread *thread, const struct memory_load *loads, size_t count)
{
    if (count == 0)
        return;
    if (!is_own_memory(thread->host, loads[0].at)) {
        load_over_bus(thread, loads, count);
        return;
    }
    sim_time ready_ps[LOADS_IN_FLIGHT_MAX];
    process_sync(thread->process);
    size_t window = (size_t)thread->host->spec->loads_in_flight;
    for (size_t i = 0; i < count; i++) {
        if (i >= window)
            retire(thread, &loads[i - window], ready_ps[i % window]);
        ready_ps[i % window] =
            process_now(thread->process) + fetch_into_caches(thread, loads[i].at);
    }
    for (size_t i = count > window ? count - window : 0; i < count; i++)
        retire(thread, &loads[i], ready_ps[i % window]);
}

void host_thread_store(struct host_thread *thread, address at, const void *data, size_t bytes)
{
    struct host *host = thread->host;
    check_release(bytes <= CACHE_LINE_BYTES, "a store of %zu bytes", bytes);
    if (!is_own_memory(host, at)) {
        store_over_bus(thread, at, data, bytes);
        return;
    }
    process_sync(thread->process);
    struct pending *pending = new_pending(host);
    pending->core = (int)thread->core;
    pending->at = at;
    pending->bytes = bytes;
    memcpy(pending->data, data, bytes);
    event_schedule(host->sim->events, next_visible_ps(thread, at), store_is_seen, pending);
}

uint64_t host_thread_atomic(struct host_thread *thread, address at, enum atomic_op op,
                            uint64_t operand, uint64_t compare)
{
    struct host *host = thread->host;
    if (!is_own_memory(host, at))
        return bus_path_atomic(&host->path, thread->process, at, op, operand, compare);
    process_sync(thread->process);
    process_sleep_until(thread->process, next_visible_ps(thread, at));
    return directory_atomic(&host->directory, (int)thread->core, at, op, operand, compare);
}

sim_time host_thread_time_ps(const struct host_thread *thread, int64_t instructions)
{
    const struct host_spec *spec = thread->host->spec;
    return instructions_ps(instructions, spec->instructions_per_cycle, spec->clock_Hz);
}

void host_thread_execute(struct host_thread *thread, int64_t instructions)
{
    process_run_ahead(thread->process, host_thread_time_ps(thread, instructions));
}

bool host_thread_owns(const struct host_thread *thread, address at)
{
    return is_own_memory(thread->host, at);
}

/* --- waiting for a word ------------------------------------------------------------------------
 */

/* Where in the loop the thread is. */
enum loop_place { AT_LOOP, AT_LOAD };

struct host_waiter {
    struct line_watcher watcher; /* first: the waiter is found from it */
    struct host_thread *thread;
    const struct host_word_wait *wait;
    sim_time start_ps;     /* of its sleep */
    enum loop_place place; /* where it goes on */
};

/* The line of a sleeper changes, now. Polls whose load has begun before find nothing; one that begins at this very moment
 * finds it, as a poll comes after all else that happens at its time (and after those of cores with smaller numbers). */
static void wake_sleeper(struct host_waiter *waiter)
{
    struct host_thread *thread = waiter->thread;
    sim_time poll_ps = waiter->wait->loop_ps + thread->host->l1_latency_ps;
    sim_time first_ps = waiter->start_ps + waiter->wait->loop_ps;
    sim_time passed_ps = process_now(thread->process) - first_ps;
    sim_time polls = passed_ps > 0 ? (passed_ps + poll_ps - 1) / poll_ps : 0;
    waiter->place = AT_LOAD;
    poller_wakes(waiter->wait->poller);
    process_wake_until(thread->process, first_ps + polls * poll_ps, turn_of(thread));
}

static void line_changed(struct line_watcher *watcher)
{
    struct host_waiter *waiter = (struct host_waiter *)watcher;
    if (waiter->wait->poller->is_asleep)
        wake_sleeper(waiter);
}

/* The thread has looked in vain, in its own cache. Sleeps until the line changes. */
static void sleep_until_change(struct host_waiter *waiter)
{
    const struct host_word_wait *wait = waiter->wait;
    struct process *process = waiter->thread->process;
    waiter->start_ps = process_now(process);
    energy_alternate(wait->energy, waiter->start_ps, wait->looping, wait->loop_ps, wait->loading,
                     waiter->thread->host->l1_latency_ps);
    poller_sleeps(wait->poller);
    process_suspend(process, "a word to change");
}

/* The rest of a poll, from its place on, where it has its turn. */
static uint64_t look(struct host_waiter *waiter)
{
    struct host_thread *thread = waiter->thread;
    const struct host_word_wait *wait = waiter->wait;
    struct process *process = thread->process;
    uint64_t word;
    poller_begins(wait->poller);
    if (waiter->place == AT_LOOP) {
        energy_set_state(wait->energy, process_now(process), wait->looping);
        process_sleep_until_turn(process, process_now(process) + wait->loop_ps, turn_of(thread));
    }
    energy_set_state(wait->energy, process_now(process), wait->loading);
    poll_load(thread, fetch_into_caches(thread, wait->at), wait->at, &word, sizeof word);
    return word;
}

void host_thread_wait_word(struct host_thread *thread, const struct host_word_wait *wait)
{
    struct host *host = thread->host;
    struct host_waiter waiter = {
        .watcher.changed = line_changed, .thread = thread, .wait = wait, .place = AT_LOOP};
    cache_line line = wait->at / CACHE_LINE_BYTES;
    line_watch_add(&host->directory.watch, line, &waiter.watcher);
    while (!word_meets(wait->until, look(&waiter))) {
        bool is_cached = cache_peek(host->cores[thread->core].l1, line) != CACHE_MISS;
        waiter.place = AT_LOOP;
        poller_found_nothing(wait->poller);
        if (wait->skip && is_cached && host->l1_latency_ps > 0)
            sleep_until_change(&waiter);
    }
    poller_leaves(wait->poller);
    line_watch_remove(&host->directory.watch, &waiter.watcher);
}
