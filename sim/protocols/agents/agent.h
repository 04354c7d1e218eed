/* SPDX-License-Identifier: BSD-3-Clause */
/* Agents execute protocol code. A work-group, a command processor's thread and a CPU core's thread run the same
 * protocol code; only what a load, a store, an atomic, an acquire, a release and an instruction cost
 * differs, and that is the device models' business.
 *
 * The kinds of agents that can serve are a table (AGENT_KINDS): a new kind is one file that defines a struct agent_kind, and
 * its line in the table. No other code asks of which kind an agent is. */
#pragma once

#include "core/agent_state.h"
#include "core/energy.h"
#include "core/observe.h"
#include "models/job.h"
#include "models/node.h"
#include "models/smart_nic/smart_nic.h"

struct agent;

struct agent_ops {
    bool is_metered; /* time in loads, polls and atomics counts as AGENT_STALLED */
    void (*load)(struct agent *agent, address at, void *data, size_t bytes);
    void (*load_all)(struct agent *agent, const struct memory_load *loads, size_t count);
    void (*poll)(struct agent *agent, address at, void *data, size_t bytes, enum poll_place from);
    int64_t (*loads_in_flight)(struct agent *agent, address at);
    /* as in models/host/host.h; NULL: the agent does not look ahead */
    void (*looks_ahead)(struct agent *agent, look_ahead_next *next, void *argument, size_t places);
    void (*looked)(struct agent *agent, bool found);
    void (*waited)(struct agent *agent);
    int64_t (*load_bytes)(struct agent *agent, address at);
    void (*store)(struct agent *agent, address at, const void *data, size_t bytes);
    void (*store_locked)(struct agent *agent, address at, const void *data, size_t bytes);
    uint64_t (*atomic)(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                       uint64_t compare);
    void (*acquire)(struct agent *agent, enum memory_scope scope);
    void (*release)(struct agent *agent, enum memory_scope scope);
    void (*execute)(struct agent *agent, int64_t instructions);
    void (*wait_word)(struct agent *agent, address at, struct word_condition until,
                      int64_t instructions, enum memory_scope scope, bool skip);
    /* NULL: words are waited for one after the other */
    void (*wait_words)(struct agent *agent, const address *at, size_t count,
                       struct word_condition until, int64_t instructions, bool skip);
    const struct agent_sweep_ops *sweep; /* NULL: each poll is made */
};

/* What an agent offers so that polls that find nothing are counted instead of simulated
 * (protocols/shmem/poll_sweep.h). */
struct agent_sweep_ops {
    bool (*rhythm)(struct agent *agent, address at, int64_t instructions,
                   struct poll_rhythm *rhythm);
    void (*watch)(struct agent *agent, address at, struct line_watcher *watcher);
    void (*unwatch)(struct agent *agent, struct line_watcher *watcher);
    /* Counts `polls` polls that would find nothing and cost as much as the last one; the last of them looked at `lines`,
     * `count` of them. */
    void (*skip)(struct agent *agent, struct cached_line *lines, size_t count, size_t polls);
};

struct agent {
    const struct agent_ops *ops;  /* NULL: not set up yet */
    struct process *process;      /* in which the agent's time passes */
    struct memory_client *memory; /* of an agent on a GPU (gpu_side.h) */
    struct energy_meter *energy;  /* of the agent's core; NULL for a kernel's own work-groups */
    enum agent_state work;        /* state outside of waits: AGENT_ACTIVE or AGENT_POLLING */
    struct poller poller;         /* for polls other than of words (agent_wait_word) */
    union {
        struct work_group *work_group;
        struct gpu_agent {
            struct work_group *work_group; /* of a resident kernel */
            struct memory_client memory;
            int64_t lanes; /* how many words one look covers */
        } gpu;
        struct cp_thread cp;
        struct host_thread host;
        struct smart_nic_thread smart_nic;
    };
};

/* --- kinds ------------------------------------------------------------------------------------- */

/* Where agents work: at a GPU of a machine, with what serves it. */
struct agent_place {
    struct cluster *cluster;
    struct site *site;
};

struct agent_thread;

/* A kind of agent that a design may name as its server, with everything that other parts of the program need to know
 * about it. */
struct agent_kind {
    const char *name; /* "host_thread" */
    const char *description;

    /* What explanations call several agents of the kind: "host threads". NULL for an initiator, whose queues nobody polls. */
    const char *threads;

    /* For each stage of an operation, why it takes long with this kind of agent. NULL: views/explain.lua makes the sentence from
     * `threads`, `memory` and the memory of the queues. */
    const char *reasons[STAGES];

    /* True: work-groups carry out their calls by themselves. Nobody polls for them, so there are no threads, and the fields
     * below are not set. */
    bool is_initiator;
    bool is_trigger; /* an initiator that only starts what host threads have posted beforehand */

    bool is_on_host;         /* a thread takes a CPU core from the application */
    bool is_on_gpu;          /* a thread takes a wavefront's place from the application */
    enum node_memory memory; /* the nearest memory, which holds mutexes between such threads */
    bool calls_runtime;      /* can copy queues in GPU memory by calls of the GPU's runtime */
    bool is_vector; /* looks at several queues in one step, and serves one after the other */

    enum core_pool pool; /* the cores that threads are bound to, one each; CORES_OF_NONE: none */

    /* The core on which a rank and its message-passing runtime run (models/job.h). NULL: the kind runs no ranks, for the
     * reason `no_rank`. */
    struct job_core (*rank_core)(const struct machine_spec *machine);
    const char *no_rank;

    /* Only for a kind without a pool, which for others says the same (agent_room, agent_power): how many threads of the kind a node
     * has room for, and the power that each draws in each state. */
    int64_t (*room)(const struct machine_spec *machine);
    void (*power)(const struct machine_spec *machine, int64_t power_mW[AGENT_STATES]);

    /* Makes `agent` the `number`th (0 .. room - 1) of its kind at `place`, run by `process`; its energy
     * is the caller's to set up. NULL for a kind that has a `start`. */
    void (*init)(struct agent *agent, struct agent_place place, int64_t number,
                 struct process *process);

    /* Starts a thread, now or as soon as its device has room. NULL: it starts now, as a process. */
    bool (*start)(struct agent_thread *thread, GError **error);

    /* Tells the agent, before it serves, how many queues it has. NULL: the number does not matter. */
    void (*serve_queues)(struct agent *agent, int64_t queues);
};

/* All kinds that serve. A new one is a file with its struct agent_kind NAME_kind, and its line here; from it comes
 * its value of a design's axis `server`, too (protocols/design.h). */
#define AGENT_KINDS(KIND)                                                                          \
    KIND(host_thread)                                                                              \
    KIND(command_processor)                                                                        \
    KIND(gpu_thread)                                                                               \
    KIND(gpu_warp)                                                                                 \
    KIND(smart_nic)                                                                                \
    KIND(initiator)                                                                                \
    KIND(nic_trigger)

/* Each kind, and the list of all kinds, which ends with NULL. */
#define AGENT_KIND_DECLARED(name) extern const struct agent_kind name##_kind;
AGENT_KINDS(AGENT_KIND_DECLARED)
#undef AGENT_KIND_DECLARED
extern const struct agent_kind *const agent_kinds[];

/* What a thread runs. It ends when this returns. */
typedef void agent_program(struct agent *agent, void *argument);

/* A thread that runs `program`. The caller fills in the first six fields and keeps the struct until the thread has ended. */
struct agent_thread {
    const struct agent_kind *kind;
    struct agent_place place;
    int64_t
        number; /* of the thread among those of its kind here; its core's where the kind has a pool */
    char name[64];
    agent_program *program;
    void *argument;

    struct agent agent;

    /* of a GPU's agent */
    struct kernel kernel;
    struct cache *registers; /* lines that it has loaded since its last acquire */
};

/* How many threads of the kind a node has room for, one for each core; and the power that each draws in each state. */
int64_t agent_room(const struct agent_kind *kind, const struct machine_spec *machine);
void agent_power(const struct agent_kind *kind, const struct machine_spec *machine,
                 int64_t power_mW[AGENT_STATES]);

/* Starts the thread. False, with one sentence, if its device has no room for it. Clear it in either case, once it has ended or
 * will never go on. */
bool agent_start(struct agent_thread *thread, GError **error);
void agent_thread_clear(struct agent_thread *thread);

/* Sets up `agent` to run in `process`; from now on its energy is counted by state (ComPNet18
 * section 5.2: energy of the network service threads; M-083): for kinds with an `init`. */
void agent_init(struct agent *agent, const struct agent_kind *kind, struct agent_place place,
                int64_t number, struct process *process);

/* Sets up a kernel's own work-group, which calls the library; its energy is not counted (N-72). */
void agent_init_work_group(struct agent *agent, struct work_group *wg);

/* For the file of a kind: starts to count energy; marks where a wait for memory begins and ends. */
void agent_count_energy(struct agent *agent, const struct agent_kind *kind,
                        struct agent_place place);
static inline void agent_stalls(struct agent *agent)
{
    energy_set_state(agent->energy, process_now(agent->process), AGENT_STALLED);
}
static inline void agent_resumes(struct agent *agent)
{
    energy_set_state(agent->energy, process_now(agent->process), agent->work);
}

/* The acquire and release of a core whose stores are seen in order, and that keeps no stale copies: they do nothing. */
void agent_fence_by_order(struct agent *agent, enum memory_scope scope);

/* As agent_wait_word, but each poll is simulated: for words across a bus, where loads meet other traffic. */
void agent_poll_each(struct agent *agent, address at, struct word_condition until,
                     int64_t instructions);

/* Why threads of a kernel run no ranks. */
#define GPU_AGENT_NO_RANK                                                                          \
    "threads of a kernel cannot run a rank: its runtime is C++ on a stack, with calls of the driver, for a core"

/* For kinds of agents on a GPU (gpu_agent.c): starts a thread as a resident kernel of one wavefront, which
 * takes its place beside other kernels and looks at `lanes` words together; how many such there may be;
 * their power, which is not counted. */
bool gpu_agent_start(struct agent_thread *thread, int64_t lanes, GError **error);
int64_t gpu_agent_room(const struct machine_spec *machine);
void gpu_agent_power(const struct machine_spec *machine, int64_t power_mW[AGENT_STATES]);

/* --- what protocol code calls ------------------------------------------------------------------ */

static inline void agent_access_begins(struct agent *agent)
{
    if (agent->ops->is_metered)
        agent_stalls(agent);
}
static inline void agent_access_ends(struct agent *agent)
{
    if (agent->ops->is_metered)
        agent_resumes(agent);
}

/* `bytes` <= 64 within one line. See models/gpu/memory_client.h and models/host/host.h for what waits
 * and what does not. */
static inline void agent_load(struct agent *agent, address at, void *data, size_t bytes)
{
    agent_access_begins(agent);
    agent->ops->load(agent, at, data, bytes);
    agent_access_ends(agent);
}
static inline uint64_t agent_load_word(struct agent *agent, address at)
{
    uint64_t word;
    agent_load(agent, at, &word, sizeof word);
    return word;
}

/* Loads `count` independent words of one memory, overlapped as far as the agent can; agent_loads_in_flight says how many loads
 * of the memory of `at` overlap (1 .. LOADS_IN_FLIGHT_MAX). */
static inline void agent_load_all(struct agent *agent, const struct memory_load *loads,
                                  size_t count)
{
    agent_access_begins(agent);
    agent->ops->load_all(agent, loads, count);
    agent_access_ends(agent);
}
static inline int64_t agent_loads_in_flight(struct agent *agent, address at)
{
    return agent->ops->loads_in_flight(agent, at);
}
/* The most bytes that one load of the memory of `at` brings: a line where the agent caches it, a few words elsewhere. */
static inline int64_t agent_load_bytes(struct agent *agent, address at)
{
    return agent->ops->load_bytes(agent, at);
}

/* A load that polls, one of many of the same place: as agent_load, but it never reads what an earlier load left in a cache that
 * is not coherent. Unless `from` is POLL_WHOLE it continues a poll that has already begun, at that point. */
static inline void agent_poll(struct agent *agent, address at, void *data, size_t bytes,
                              enum poll_place from)
{
    agent_access_begins(agent);
    agent->ops->poll(agent, at, data, bytes, from);
    agent_access_ends(agent);
}
static inline void agent_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    agent->ops->store(agent, at, data, bytes);
}
static inline void agent_store_word(struct agent *agent, address at, uint64_t word)
{
    agent->ops->store(agent, at, &word, sizeof word);
}

/* A store whose line stays in the L2 until a CP has accessed it, where agent and GPU support that (models/gpu/memory_client.h);
 * else a plain store. For words by which a work-group tells a command processor something. */
static inline void agent_store_locked(struct agent *agent, address at, const void *data,
                                      size_t bytes)
{
    agent->ops->store_locked(agent, at, data, bytes);
}
static inline uint64_t agent_atomic(struct agent *agent, address at, enum atomic_op op,
                                    uint64_t operand, uint64_t compare)
{
    agent_access_begins(agent);
    uint64_t old = agent->ops->atomic(agent, at, op, operand, compare);
    agent_access_ends(agent);
    return old;
}
static inline void agent_acquire(struct agent *agent, enum memory_scope scope)
{
    agent->ops->acquire(agent, scope);
}
static inline void agent_release(struct agent *agent, enum memory_scope scope)
{
    agent->ops->release(agent, scope);
}
static inline void agent_execute(struct agent *agent, int64_t instructions)
{
    agent->ops->execute(agent, instructions);
}

/* Polls the word at `at`, with `instructions` around each poll and an acquire at `scope`, until it
 * meets `until`. `skip`: polls that cannot find anything new are counted instead of made, where
 * the agent can tell; the trajectory is the same (models/gpu/poll_wait.h). */
static inline void agent_wait_word(struct agent *agent, address at, struct word_condition until,
                                   int64_t instructions, enum memory_scope scope, bool skip)
{
    agent->ops->wait_word(agent, at, until, instructions, scope, skip);
}

/* The same until `count` (1 .. WAIT_WORDS_MAX) words of one memory all meet `until`: an agent with lanes looks
 * at all of them in each poll. */
static inline void agent_wait_words(struct agent *agent, const address *at, size_t count,
                                    struct word_condition until, int64_t instructions,
                                    enum memory_scope scope, bool skip)
{
    if (agent->ops->wait_words != NULL)
        agent->ops->wait_words(agent, at, count, until, instructions, skip);
    else
        for (size_t i = 0; i < count; i++)
            agent_wait_word(agent, at[i], until, instructions, scope, skip);
}

/* Sets the state of a thread on a CPU or CP core from now on: AGENT_ACTIVE (at first), AGENT_POLLING, or AGENT_IDLE when the
 * thread has ended and leaves its core. Returns the state before. */
enum agent_state agent_set_work(struct agent *agent, enum agent_state work);

static inline sim_time agent_now(const struct agent *agent)
{
    return process_now(agent->process);
}
