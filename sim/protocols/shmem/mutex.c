/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/mutex.h"

enum { MUTEX_FREE, MUTEX_TAKEN };

void mutex_stats_init(struct mutex_stats *stats, struct stat_registry *registry, const char *path)
{
    stats->taken = stat_counter_new(registry, path, STAT("locks_taken", "1", "mutexes taken"));
    stats->contended = stat_counter_new(
        registry, path,
        STAT("locks_contended", "1", "mutexes that were not free at the first attempt"));
    stats->wait = stat_histogram_new(
        registry, path, STAT("lock_wait", "ps", "time from the wish for a mutex to having it"));
}

static bool try_lock(struct mutex *mutex, struct agent *agent)
{
    return agent_atomic(agent, mutex->word, ATOMIC_SWAP, MUTEX_TAKEN, 0) == MUTEX_FREE;
}

void mutex_lock(struct mutex *mutex, struct agent *agent)
{
    struct software software = mutex->software;
    sim_time start_ps = agent_now(agent);
    if (!try_lock(mutex, agent)) {
        stat_count(mutex->stats.contended, 1);
        do
            agent_wait_word(agent, mutex->word, word_equals(MUTEX_FREE),
                            SOFTWARE_READ(software, poll_instructions), mutex->scope,
                            !SOFTWARE_READ(software, exact));
        while (!try_lock(mutex, agent));
    }
    agent_acquire(agent, mutex->scope);
    stat_count(mutex->stats.taken, 1);
    stat_record(mutex->stats.wait, agent_now(agent) - start_ps);
    check_release(!mutex->is_held, "a mutex is held by two");
    mutex->is_held = true;
}

void mutex_unlock(struct mutex *mutex, struct agent *agent)
{
    agent_release(agent, mutex->scope);
    mutex->is_held = false;
    agent_store_word(agent, mutex->word, MUTEX_FREE);
}
