/* SPDX-License-Identifier: BSD-3-Clause */
/* The SHMEM library under the service threads: non-blocking puts and gets as NIC commands, quiet
 * by the completion queue. It runs unmodified on whatever agent a thread is (ComPNet18 section
 * 4.1, 4.2.2; M-063); towards the NIC it synchronises at system scope (M-060).
 *
 * Threads have an interface to the NIC each, or share one (a design's nic_queue.sharers). A mutex guards the
 * work queue of a shared one, from the choice of a place to the doorbell (M-072). A quiet that waits for a
 * counter takes none, as in Sandia OpenSHMEM, and waits for all that its interface has issued by then, also by
 * other threads (M-133); one that takes entries from a shared event queue holds that queue's mutex. One
 * thread alone takes no mutexes. */
#pragma once

#include "protocols/agents/agent.h"
#include "protocols/design.h"
#include "protocols/shmem/mutex.h"

/* A work queue and a completion queue of a NIC, and who uses them. */
struct shmem_interface {
    struct observe *observe;
    struct nic *nic;
    struct software software;
    const struct design *design;
    const struct store *memory; /* that holds the completion queue */
    int queue;                  /* the NIC's number for it */
    address commands, completions;
    uint64_t entries;
    uint64_t issued, completed;
    uint64_t *outstanding; /* by thread: operations issued and not seen complete */
    int64_t threads;
    uint64_t *contexts; /* by context: likewise. Not its own */

    /* of a shared one */
    struct mutex issuing, completing;
    address issue_words, completion_words; /* a line each: what the mutexes guard */
};

/* Allocates queues of `entries` commands where `design` (which outlives them) keeps them at `site` and makes them known to its NIC;
 * with more than one thread (<= COOKIE_THREADS) mutexes in `agent_memory`, whose statistics are `stats`. `contexts`
 * are counters, all 0, one for each context that operations are issued for. Costs no simulated
 * time. */
void shmem_interface_init(struct shmem_interface *interface, struct cluster *cluster,
                          struct site *site, const struct design *design, uint64_t entries,
                          int64_t threads, enum node_memory agent_memory,
                          const struct mutex_stats *stats, uint64_t *contexts);
static inline void shmem_interface_clear(struct shmem_interface *interface)
{
    g_free(interface->outstanding);
}

/* One thread's use of an interface: the `thread`th of it. */
struct shmem {
    struct agent *agent;
    const struct design *design;
    struct shmem_interface *interface;
    int64_t thread;
    address self;   /* of a server that sends messages: where answers go (inbox.h) */
    bool is_fenced; /* its next command carries the NIC's fence flag */
};

/* Issues one operation of `context` (< COOKIE_CONTEXTS): put, put inline, get or atomic as the
 * command says; its cookie (< COOKIE_OPERATIONS) is the operation's number
 * (core/observe.h). Waits only for mutexes, and if the work queue is
 * full. */
void shmem_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command);

/* Issues `count` operations of one call and one doorbell: the library's instructions are those of the
 * first alone. Waits as shmem_issue_nbi does. */
struct shmem_issue {
    int64_t context;
    struct nic_command command;
};
void shmem_issue_all_nbi(struct shmem *shmem, const struct shmem_issue *issues, size_t count);

/* Counts an operation of `context` whose command another one has written: it is complete when the NIC says
 * so, as if it had been issued here. Returns its whole cookie. Waits if the completion queue is full. */
uint64_t shmem_count_nbi(struct shmem *shmem, int64_t context, uint64_t cookie);

/* Takes the completions that have come, at most `most` of them. */
void shmem_progress(struct shmem *shmem, int64_t most);

/* Whether it has issued something that it has not seen complete. */
static inline bool shmem_is_busy(const struct shmem *shmem)
{
    return shmem->interface->outstanding[shmem->thread] > 0;
}

/* Waits until everything that this thread has issued so far is complete. */
void shmem_quiet(struct shmem *shmem);
