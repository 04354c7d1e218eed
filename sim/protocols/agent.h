/* Agents: who executes. A work-group, a command processor's thread and a CPU core's thread run the same
 * protocol code; only what a load, a store, an atomic, an acquire, a release and an instruction cost
 * differs, and that is the device models' business. */
#ifndef GPUNETSIM_PROTOCOLS_AGENT_H
#define GPUNETSIM_PROTOCOLS_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/energy.h"
#include "models/node.h"

struct agent;

struct agent_ops {
    void (*load)(struct agent *agent, address at, void *data, size_t bytes);
    void (*load_all)(struct agent *agent, const struct memory_load *loads, size_t count);
    int64_t (*loads_in_flight)(struct agent *agent, address at);
    void (*store)(struct agent *agent, address at, const void *data, size_t bytes);
    void (*store_locked)(struct agent *agent, address at, const void *data, size_t bytes);
    uint64_t (*atomic)(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                       uint64_t compare);
    void (*acquire)(struct agent *agent, enum memory_scope scope);
    void (*release)(struct agent *agent, enum memory_scope scope);
    void (*execute)(struct agent *agent, int64_t instructions);
    void (*wait_word)(struct agent *agent, address at, struct word_condition until,
                      int64_t instructions, enum memory_scope scope, bool skip);
};

/* What a core does, as far as its power is concerned. */
enum agent_state {
    AGENT_ACTIVE,  /* executes what serves an operation */
    AGENT_POLLING, /* executes polls of queues, completions and mutexes */
    AGENT_STALLED, /* waits for a load, an atomic or a release in either */
    AGENT_IDLE,    /* has no thread to run: its clock stands */
    AGENT_SLEEP,   /* the same, without supply */
    AGENT_STATES,
};

/* "active", "polling", ... */
extern const char *const agent_state_names[AGENT_STATES];

struct agent {
    const struct agent_ops *ops;
    struct process *process;    /* whose time passes */
    struct poller poller;       /* for what it polls beside words (agent_wait_word) */
    struct energy_meter energy; /* of the core it is bound to; not kept for work-groups */
    enum agent_state work; /* what it does when it does not wait: AGENT_ACTIVE or AGENT_POLLING */
    union {
        struct work_group *work_group;
        struct cp_thread cp;
        struct host_thread host;
    };
};

/* Power of CPU cores and CPs is counted from the binding on, by state (ComPNet18 section 5.2:
 * energy of the network service threads; M-083). A GPU's is not (N-72).
 *
 * An agent for what runs in `process`: a work-group's program; a thread bound to a CP core; a
 * thread bound to a CPU core. */
void agent_init_work_group(struct agent *agent, struct work_group *wg);
void agent_init_cp(struct agent *agent, struct cp *cp, int64_t core, struct process *process);
void agent_init_host(struct agent *agent, struct host *host, int64_t core, struct process *process);

/* `bytes` <= 64 within one line. See models/gpu/memory_client.h and models/host/host.h for what waits
 * and what does not. */
static inline void agent_load(struct agent *agent, address at, void *data, size_t bytes)
{
    agent->ops->load(agent, at, data, bytes);
}
static inline uint64_t agent_load_word(struct agent *agent, address at)
{
    uint64_t word;
    agent->ops->load(agent, at, &word, sizeof word);
    return word;
}

/* `count` independent loads of one memory, overlapped as far as the agent can; and how many loads
 * of the memory of `at` that is (1 .. LOADS_IN_FLIGHT_MAX). */
static inline void agent_load_all(struct agent *agent, const struct memory_load *loads,
                                  size_t count)
{
    agent->ops->load_all(agent, loads, count);
}
static inline int64_t agent_loads_in_flight(struct agent *agent, address at)
{
    return agent->ops->loads_in_flight(agent, at);
}
static inline void agent_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    agent->ops->store(agent, at, data, bytes);
}
static inline void agent_store_word(struct agent *agent, address at, uint64_t word)
{
    agent->ops->store(agent, at, &word, sizeof word);
}

/* A store whose line stays in the L2 until a CP has accessed it, where agent and GPU can do that
 * (models/gpu/memory_client.h); else a plain store. For what a work-group tells a command processor. */
static inline void agent_store_locked(struct agent *agent, address at, const void *data,
                                      size_t bytes)
{
    agent->ops->store_locked(agent, at, data, bytes);
}
static inline uint64_t agent_atomic(struct agent *agent, address at, enum atomic_op op,
                                    uint64_t operand, uint64_t compare)
{
    return agent->ops->atomic(agent, at, op, operand, compare);
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

/* What a thread on a CPU or CP core does from now on: AGENT_ACTIVE at first, AGENT_POLLING; or
 * that it has come to its end and leaves its core, for AGENT_IDLE or AGENT_SLEEP. Returns what it
 * did before. */
enum agent_state agent_set_work(struct agent *agent, enum agent_state work);

static inline sim_time agent_now(const struct agent *agent)
{
    return process_now(agent->process);
}

#endif
