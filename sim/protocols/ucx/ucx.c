/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx.h"

#include "protocols/ucx/ucx_parts.h"

PARAM_TABLE_OF(
    message_library_params, "message_library", struct ucx_spec, UCX_ROWS,
    "A library of tagged messages, eager and rendezvous. A machine has several, by name; a machine file adds "
    "one by name = message_library { from = \"ucx\", eager = \"64KiB\" }.");

const struct param_table ucx_params = {"ucx",
                                       "UCX: tagged sends and receives, eager and rendezvous.",
                                       message_library_params_rows,
                                       G_N_ELEMENTS(message_library_params_rows),
                                       sizeof(struct ucx_spec),
                                       &message_library_params};

#define NAME(capitals, name, ...) name,
const char *const ucx_count_names[UCX_COUNTS] = {UCX_COUNT_ROWS(NAME)};

/* Refuses more rails than a node has NICs: each rail is one NIC. */
static void refuse_rails(const struct ucx *ucx, const char *library)
{
    const struct job *job = ucx->job;
    int nics = topology_nic_count(&job->spec->node);
    if (job->has[JOB_OTHER_NODE] && UCX_READ(ucx, rails) > nics)
        sim_fail(job->sim,
                 "%s.rails is %lld, but a node has %d NIC%s (node.sockets times "
                 "node.nics_per_socket): a rail is a NIC",
                 library, (long long)ucx->spec->rails, nics, nics == 1 ? "" : "s");
}

static void note_stats(const struct ucx *ucx)
{
#define INFO(capitals, name, stat, description) {stat, "1", description},
    static const struct stat_info infos[UCX_COUNTS] = {UCX_COUNT_ROWS(INFO)};
    struct stat_registry *stats = ucx->job->sim->stats;
    for (int count = 0; count < UCX_COUNTS; count++)
        stat_sum_new(stats, "ucx", &infos[count], &ucx->workers->counts[count],
                     sizeof *ucx->workers, (size_t)ucx->job->count);
    stat_sum_new(stats, "ucx", STAT("sent_bytes", "B", "payload of the messages sent"),
                 &ucx->sent_bytes, 0, 1);
    stat_sum_new(stats, "ucx", STAT("received_bytes", "B", "payload of the messages received"),
                 &ucx->received_bytes, 0, 1);
}

struct ucx *ucx_new(struct job *job, const struct param_table *table)
{
    const struct ucx_spec *spec = machine_part(job->spec, table);
    struct ucx *ucx = g_new0(struct ucx, 1);
    ucx->job = job;
    ucx->spec = spec;
    ucx->used = param_use_of(&job->sim->uses, table);
    refuse_rails(ucx, table->component);
    ucx->rails = topology_nic_count(&job->spec->node);
    ucx->used_rails = (int32_t)MIN(spec->rails, ucx->rails);
    pool_init(&ucx->fragments, sizeof(struct fragment));
    pool_init(&ucx->messages, sizeof(struct ucx_message));
    pool_init(&ucx->receives, sizeof(struct ucx_receive));
    pool_init(&ucx->channels,
              sizeof(struct channel) + (size_t)ucx->used_rails * sizeof(struct queue_pair));
    ucx->workers = g_new0(struct ucx_worker, (gsize)job->count);
    for (int32_t rank = 0; rank < job->count; rank++) {
        ucx->workers[rank].ucx = ucx;
        ucx->workers[rank].process = &job->processes[rank];
    }
    note_stats(ucx);
    return ucx;
}

void ucx_drop_memory_type_cache(struct ucx *ucx)
{
    ucx->drops_memory_type_cache = true;
}

static void check_conservation(const struct ucx *ucx)
{
    int64_t in_flight_bytes = 0;
    LIST_EACH (const struct ucx_message, message, &ucx->messages_alive, link)
        if (!message->is_received)
            in_flight_bytes += message->source.bytes;
    check_always(ucx->sent_bytes == ucx->received_bytes + in_flight_bytes,
                 "%lld B sent, %lld B received, %lld B in flight", (long long)ucx->sent_bytes,
                 (long long)ucx->received_bytes, (long long)in_flight_bytes);
}

void ucx_free(struct ucx *ucx)
{
    if (!ucx)
        return;
    check_conservation(ucx);
    for (int32_t rank = 0; rank < ucx->job->count; rank++) {
        struct ucx_worker *worker = &ucx->workers[rank];
        match_clear(&worker->posted);
        match_clear(&worker->unexpected);
        map_clear(&worker->channels);
        map_clear(&worker->registrations);
    }
    pool_clear(&ucx->fragments);
    pool_clear(&ucx->messages);
    pool_clear(&ucx->receives);
    pool_clear(&ucx->channels);
    g_free(ucx->workers);
    g_free(ucx);
}

struct ucx_worker *ucx_worker(struct ucx *ucx, int32_t rank)
{
    return &ucx->workers[rank];
}

int64_t ucx_count(const struct ucx_worker *worker, enum ucx_count count)
{
    return worker->counts[count];
}

void ucx_tag_send(struct ucx_worker *worker, int32_t to, struct block block, uint64_t tag,
                  void *content, ucx_done_fn *done, void *argument)
{
    struct ucx *ucx = worker->ucx;
    check_release(to >= 0 && to < ucx->job->count, "rank %d sends to rank %d of %d",
                  worker->process->rank, to, ucx->job->count);
    struct channel *channel = worker_channel(worker, to);
    worker_spend(worker, UCX_READ(ucx, send_ps));
    worker_look_up(worker, block);
    struct ucx_message *message = message_new(worker, channel, block, tag, content);
    if (eager_fits(worker, channel, block)) {
        eager_send(message, channel);
        if (done)
            done(&(struct ucx_result){.source = worker->process->rank,
                                      .tag = tag,
                                      .bytes = block.bytes},
                 argument);
        return;
    }
    message->send_done = done;
    message->send_argument = argument;
    rendezvous_announce(message, channel);
}

/* The core compares the tag with the entry that it finds. */
static struct match_entry *find(struct ucx_worker *worker, const struct match_queue *queue,
                                uint64_t tag)
{
    struct match_entry *entry = match_find(queue, tag);
    if (entry)
        worker_spend(worker, UCX_MATCH_PS);
    return entry;
}

bool worker_match(struct ucx_worker *worker, struct ucx_message *message)
{
    struct ucx_receive *receive =
        (struct ucx_receive *)find(worker, &worker->posted, message->entry.tag);
    if (!receive) {
        worker->counts[UCX_UNEXPECTED]++;
        match_add(&worker->unexpected, &message->entry);
        return false;
    }
    match_remove(&worker->posted, &receive->entry);
    message_match(message, receive);
    worker_stage(worker, message->operation, STAGE_MATCHED);
    pool_give(&worker->ucx->receives, receive);
    return true;
}

/* `stage`: the stage that the message's operation has reached. */
static void receive_now(struct ucx_worker *worker, struct ucx_message *message,
                        const struct ucx_receive *receive, enum stage stage)
{
    worker_stage(worker, message->operation, stage);
    match_remove(&worker->unexpected, &message->entry);
    message_match(message, receive);
    if (message->is_eager)
        eager_matched(message);
    else
        rendezvous_matched(message);
}

static void start_receive(struct ucx_worker *worker, struct block block)
{
    worker_spend(worker, UCX_READ(worker->ucx, progress_ps));
    worker_look_up(worker, block);
}

static void receive_or_post(struct ucx_worker *worker, struct ucx_receive receive)
{
    start_receive(worker, receive.block);
    struct ucx_message *message =
        (struct ucx_message *)find(worker, &worker->unexpected, receive.entry.tag);
    if (message) {
        receive_now(worker, message, &receive, STAGE_LATE_RECEIVE);
        return;
    }
    struct ucx_receive *posted = pool_take(&worker->ucx->receives);
    *posted = receive;
    match_add(&worker->posted, &posted->entry);
}

void ucx_tag_receive(struct ucx_worker *worker, struct block block, uint64_t tag, ucx_done_fn *done,
                     void *argument)
{
    receive_or_post(
        worker,
        (struct ucx_receive){.entry.tag = tag, .block = block, .done = done, .argument = argument});
}

void ucx_get(struct ucx_worker *worker, struct block block, uint64_t tag, ucx_done_fn *done,
             void *argument)
{
    receive_or_post(
        worker,
        (struct ucx_receive){
            .entry.tag = tag, .block = block, .is_get = true, .done = done, .argument = argument});
}

bool ucx_tag_probe(struct ucx_worker *worker, uint64_t tag, struct ucx_result *result)
{
    const struct ucx_message *message =
        (const struct ucx_message *)find(worker, &worker->unexpected, tag);
    if (!message)
        return false;
    *result = (struct ucx_result){.source = message->from->process->rank,
                                  .tag = message->entry.tag,
                                  .bytes = message->source.bytes,
                                  .content = message->content};
    return true;
}

void ucx_tag_receive_probed(struct ucx_worker *worker, struct block block, uint64_t tag,
                            ucx_done_fn *done, void *argument)
{
    struct ucx_receive receive = {.block = block, .done = done, .argument = argument};
    struct match_entry *entry =
        match_find(&worker->unexpected, tag); /* the probe has found it: no time passes */
    check_release(entry, "rank %d receives a message with tag %#llx that no probe would find",
                  worker->process->rank, (unsigned long long)tag);
    start_receive(worker, block);
    receive_now(worker, (struct ucx_message *)entry, &receive, STAGE_MATCHED);
}

bool ucx_progress(struct ucx_worker *worker)
{
    cpu_settle(worker_cpu(worker));
    bool peer_found = fragment_take_copies(worker, &worker->peer_copies);
    bool host_found = fragment_take_copies(worker, &worker->host_copies);
    bool found = fragment_take_arrivals(worker) || peer_found || host_found;
    if (!found)
        worker_spend(worker, UCX_READ(worker->ucx, poll_ps));
    return found;
}

void ucx_wait(struct ucx_worker *worker)
{
    cpu_settle(worker_cpu(worker));
    if (fragment_waits(worker))
        return;
    worker->is_waiting = true;
    cpu_wait(worker_cpu(worker), "ucx");
    worker->is_waiting = false;
}
