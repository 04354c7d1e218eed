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

/* The cookie that travels with a NIC command and comes back in its completion: the thread of the
 * network library and the context that it was issued for, and the operation's number (core/observe.h).
 * This is the one place that says how it is laid out; the parts must fit the bits given here.
 *
 *   63          48 47          32 31                                   0
 *   |    thread    |   context    |              operation              |
 *
 * A thread is one of a service, or a work-group that serves itself. */
#define COOKIE_THREAD_BITS 16
#define COOKIE_CONTEXT_BITS 16
#define COOKIE_OPERATION_BITS OBSERVE_NUMBER_BITS
_Static_assert(COOKIE_THREAD_BITS + COOKIE_CONTEXT_BITS + COOKIE_OPERATION_BITS == 64,
               "the parts of a cookie fill its 64 bits");

/* The least number that does not fit. */
#define COOKIE_THREADS (UINT64_C(1) << COOKIE_THREAD_BITS)
#define COOKIE_CONTEXTS (UINT64_C(1) << COOKIE_CONTEXT_BITS)
#define COOKIE_OPERATIONS (UINT64_C(1) << COOKIE_OPERATION_BITS)

static inline uint64_t cookie_make(uint64_t thread, uint64_t context, uint64_t operation)
{
    return (thread << COOKIE_CONTEXT_BITS | context) << COOKIE_OPERATION_BITS | operation;
}

static inline uint64_t cookie_thread(uint64_t cookie)
{
    return cookie >> (COOKIE_CONTEXT_BITS + COOKIE_OPERATION_BITS);
}

static inline uint64_t cookie_context(uint64_t cookie)
{
    return cookie >> COOKIE_OPERATION_BITS & (COOKIE_CONTEXTS - 1);
}

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

/* --- order --------------------------------------------------------------------------------------
 *
 * Order among the commands of a library's user, as the design says (axes `order`, `fence`, `signal`): what a fence
 * does, and how a signal comes behind its payload.
 *
 *   signal      commands                                 what keeps the flag behind the data
 *   with_put    one; the NIC writes the word behind      the NIC and the way to memory
 *   after       put, put of the word                     the queue, if it keeps order; else nothing
 *   nic_fence   put, put of the word with a fence flag   the NIC, which waits for the put's acknowledgement
 *   chained     put, put of the word, chained to it      the NIC, which waits for that put's acknowledgement alone
 *   quiet       put, wait for its completion, put        the caller, who waits for all that it has under way
 *
 * The put of the word is an atomic on it with signal_by = atomic, as in NCCL's GIN (fetch-and-add: src/transport/net_ib/gin.cc),
 * or a message to the server there (shmem/inbox.h) with signal_by = server, as in NVSHMEM's IBRC with GDRCopy. */

/* Takes the signal out of `put` and makes `word` the command that puts it behind. False if the NIC writes the signal with the
 * put. */
bool order_split(const struct design *design, struct nic_command *put, struct nic_command *word);

/* Issues an operation as shmem_issue_nbi; a put with a signal as one or two commands. */
void order_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command);

/* Carries out a fence that the NIC or the queue's order provides. False if neither does: then the caller has to wait. */
bool order_fence(struct shmem *shmem);
