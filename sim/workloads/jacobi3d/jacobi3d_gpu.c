/* SPDX-License-Identifier: BSD-3-Clause */
/* A block on its GPU: its streams and their operations (M-040, M-042, M-046, M-047, M-092, M-097, M-099, M-101).
 *
 * Packing waits for the update by an event, the update for unpacking by another; copies to and from the host have streams
 * of their own, with an event for each face, or go with the kernels that pack and unpack. */
#include "workloads/jacobi3d/jacobi3d.h"

enum { COMPUTE_PRIORITY = 0, URGENT_PRIORITY = -1 };

/* The operation of a graph's node. */
struct jacobi_node {
    struct jacobi_block *block;
    struct jacobi_work work;
    int parity;
};

static int parity_of(const struct jacobi_block *block)
{
    return (int)(block->iteration % 2);
}

/* --- ends ----------------------------------------------------------------------------------------- */

/* The exchange ends when its last face is unpacked; if kernels do more than unpacking, when they are launched. */
static void exchange_ends(struct jacobi_block *block, int parity, sim_time now_ps)
{
    block->run->sums.exchange_ps += now_ps - block->exchange_ps[parity];
    block->run->sums.exchanges++;
}

static void kernel_ended(struct jacobi_block *block, struct jacobi_work work, int parity)
{
    jacobi_field_kernel(block, work, parity);
    if (work.unpacked == 0 || work.updated != PART_NONE || block->run->spec->graph)
        return;
    block->unpacked_left[parity] -= __builtin_popcount(work.unpacked);
    if (block->unpacked_left[parity] == 0)
        exchange_ends(block, parity, sim_now(block->run->job->sim));
}

static void operation_ended(void *argument)
{
    struct jacobi_operation ended = *(struct jacobi_operation *)argument;
    pool_give(&ended.block->run->operations, argument);
    switch (ended.kind) {
    case KERNEL:
        kernel_ended(ended.block, ended.work, ended.parity);
        break;
    case TO_HOST:
        jacobi_field_to_host(ended.block, ended.face);
        break;
    case TO_DEVICE:
        jacobi_field_to_device(ended.block, ended.face);
        break;
    case FROM_NEIGHBOUR:
        jacobi_field_from_neighbour(ended.block, ended.face);
        break;
    }
}

static void node_ended(void *argument)
{
    const struct jacobi_node *node = argument;
    kernel_ended(node->block, node->work, node->parity);
}

/* The update has ended: its data can be packed. */
static void update_ended(void *argument)
{
    struct jacobi_block *block = argument;
    block->exchange_ps[parity_of(block)] = sim_now(block->run->job->sim);
}

static struct jacobi_operation *operation_new(struct jacobi_block *block,
                                              enum jacobi_operation_kind kind)
{
    struct jacobi_operation *operation = pool_take(&block->run->operations);
    *operation =
        (struct jacobi_operation){.block = block, .kind = kind, .parity = parity_of(block)};
    operation->completion.done = operation_ended;
    operation->completion.argument = operation;
    return operation;
}

/* --- calls ---------------------------------------------------------------------------------------- */

static void interpret(struct jacobi_block *block, sim_time duration_ps)
{
    if (duration_ps > 0)
        cpu_spend(jacobi_cpu(block), CPU_INTERPRETER, duration_ps);
}

static void launch_of(struct jacobi_block *block, struct cuda_stream *stream,
                      struct jacobi_work work, int parity)
{
    struct kernel kernel = jacobi_kernel(block->run, &block->pe->process->spec->gpu, work);
    struct jacobi_operation *operation = operation_new(block, KERNEL);
    operation->work = work;
    operation->parity = parity;
    if (block->run->runtime != NULL)
        interpret(block, messenger_launch_ps(block->run->runtime));
    cuda_launch(stream, jacobi_cpu(block), &kernel, &operation->completion);
}

static void launch(struct jacobi_block *block, struct cuda_stream *stream, struct jacobi_work work)
{
    launch_of(block, stream, work, parity_of(block));
}

/* Later work in `stream` waits for the present work in `first`. */
static void wait_for(struct jacobi_block *block, struct cuda_stream *stream,
                     struct cuda_stream *first, struct cuda_completion *event)
{
    if (stream == first)
        return;
    cuda_event_record(first, jacobi_cpu(block), event);
    cuda_stream_wait_event(stream, jacobi_cpu(block), event);
}

static struct block device_buffer(const struct jacobi_block *block, int face, bool is_receive)
{
    uint32_t id = 1 + (uint32_t)(block->number * FACES + face) * 2 + is_receive;
    return job_device_block(block->pe->process, id, jacobi_face_bytes(block->run, face));
}

/* Ids of host memory begin above those of GPU memory. */
#define HOST_IDS 0x20000000

struct block jacobi_gpu_buffer(const struct jacobi_block *block, int face, bool is_receive)
{
    struct block buffer = device_buffer(block, face, is_receive);
    if (!block->run->is_staged)
        return buffer;
    enum block_kind kind = is_receive ? messenger_staging_kind(block->run->runtime) : BLOCK_PINNED;
    uint32_t id = kind == BLOCK_PAGEABLE ? 0 : HOST_IDS + buffer.id;
    return job_host_block(block->pe->process, kind, id, buffer.bytes);
}

static void copy(struct jacobi_block *block, struct cuda_stream *stream, int face,
                 enum jacobi_operation_kind kind)
{
    struct jacobi_operation *operation = operation_new(block, kind);
    bool is_receive = kind == TO_DEVICE;
    struct block device = device_buffer(block, face, is_receive),
                 host = jacobi_gpu_buffer(block, face, is_receive);
    operation->face = face;
    interpret(block, messenger_cuda_call_ps(block->run->runtime));
    cuda_copy_async(stream, jacobi_cpu(block), is_receive ? device : host,
                    is_receive ? host : device, &operation->completion);
}

/* --- an iteration ---------------------------------------------------------------------------------- */

static bool packs_at_once(const struct jacobi3d_spec *spec)
{
    return spec->fusion == FUSION_A || spec->fusion == FUSION_B;
}

static bool unpacks_at_once(const struct jacobi3d_spec *spec)
{
    return spec->fusion == FUSION_UNPACK || spec->fusion == FUSION_B;
}

static bool unpacks_each(const struct jacobi3d_spec *spec)
{
    return !spec->graph && !unpacks_at_once(spec) && spec->fusion != FUSION_C;
}

static void pack_each(struct jacobi_block *block)
{
    for (int face = 0; face < FACES; face++) {
        if (!jacobi_has_face(block, face))
            continue;
        launch(block, block->comm, (struct jacobi_work){.packed = (uint8_t)(1 << face)});
        if (!block->run->is_staged)
            continue;
        wait_for(block, block->to_host, block->comm, &block->packed[face]);
        copy(block, block->to_host, face, TO_HOST);
    }
}

/* Copies all faces to the host, once the work in `stream` has packed them. */
static void copy_to_host(struct jacobi_block *block, struct cuda_stream *stream)
{
    wait_for(block, block->to_host, stream, &block->packed[0]);
    for (int face = 0; face < FACES; face++)
        if (jacobi_has_face(block, face))
            copy(block, block->to_host, face, TO_HOST);
}

static void pack(struct jacobi_block *block)
{
    if (!packs_at_once(block->run->spec) || block->faces == 0) {
        pack_each(block);
        return;
    }
    launch(block, block->comm, (struct jacobi_work){.packed = block->faces});
    if (block->run->is_staged)
        copy_to_host(block, block->comm);
}

void jacobi_gpu_pack_first(struct jacobi_block *block)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    bool is_later = jacobi_packs_apart(spec) && !jacobi_has_threads(spec);
    if (is_later || block->faces == 0)
        return;
    struct cuda_stream *stream = spec->graph ? block->graph : block->compute;
    launch(block, stream, (struct jacobi_work){.packed = block->faces});
}

struct cuda_stream *jacobi_gpu_pack(struct jacobi_block *block)
{
    const struct jacobi3d *run = block->run;
    block->unpacked_left[parity_of(block)] = block->face_count;
    block->exchange_ps[parity_of(block)] = cpu_now(jacobi_cpu(block));
    bool is_copied = run->is_staged && block->faces != 0;
    if (!jacobi_packs_apart(run->spec)) {
        struct cuda_stream *packs = run->spec->graph ? block->graph : block->compute;
        if (is_copied)
            copy_to_host(block, packs);
        return is_copied ? block->to_host : packs;
    }
    block->updated.done = update_ended;
    block->updated.argument = block;
    if (run->spec->check != FAULT_EARLY_PACK)
        wait_for(block, block->comm, block->compute, &block->updated);
    pack(block);
    return is_copied ? block->to_host : block->comm;
}

/* The stream whose kernel unpacks a face, alone or with other work. */
static struct cuda_stream *unpacking_stream(const struct jacobi_block *block)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    return spec->graph ? block->graph : spec->fusion == FUSION_C ? block->compute : block->comm;
}

void jacobi_gpu_take(struct jacobi_block *block, int face)
{
    const struct jacobi3d *run = block->run;
    if (run->is_staged) {
        copy(block, block->to_device, face, TO_DEVICE);
        wait_for(block, unpacking_stream(block), block->to_device, &block->copied[face]);
    }
    if (unpacks_each(run->spec))
        launch(block, block->comm, (struct jacobi_work){.unpacked = (uint8_t)(1 << face)});
}

static void update_by_graph(struct jacobi_block *block)
{
    exchange_ends(block, parity_of(block), cpu_now(jacobi_cpu(block)));
    cuda_graph_launch(block->graph, jacobi_cpu(block), block->graphs[parity_of(block)], NULL);
}

void jacobi_gpu_update(struct jacobi_block *block, enum jacobi_part part)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    struct jacobi_work work = {.updated = part};
    if (spec->graph) {
        update_by_graph(block);
        return;
    }
    if (spec->fusion == FUSION_C) {
        exchange_ends(block, parity_of(block), cpu_now(jacobi_cpu(block)));
        work.unpacked = work.packed = block->faces;
    } else if (part != PART_INTERIOR) {
        if (unpacks_at_once(spec) && block->faces != 0)
            launch(block, block->comm, (struct jacobi_work){.unpacked = block->faces});
        if (spec->check != FAULT_EARLY_UPDATE)
            wait_for(block, block->compute, block->comm, &block->unpacked);
    }
    if (spec->fusion == FUSION_UPDATE_PACK)
        work.packed = block->faces;
    launch(block, block->compute, work);
}

/* --- without a runtime ----------------------------------------------------------------------------- */

static struct jacobi_block *neighbour_of(const struct jacobi_block *block, int face)
{
    return &block->run->blocks[block->neighbours[face]];
}

/* Copies a face. `receiver`: the block that receives the face, or whose face goes to the host. */
static void move_face(struct jacobi_block *block, struct jacobi_block *receiver, int face,
                      enum jacobi_operation_kind kind, struct block to, struct block from)
{
    struct jacobi_operation *operation = operation_new(receiver, kind);
    operation->face = face;
    cuda_copy_async(block->comm, jacobi_cpu(block), to, from, &operation->completion);
}

void jacobi_gpu_give(struct jacobi_block *block, int face)
{
    struct block packed = device_buffer(block, face, false);
    if (block->run->is_staged) {
        move_face(block, block, face, TO_HOST, jacobi_gpu_buffer(block, face, false), packed);
        return;
    }
    struct jacobi_block *neighbour = neighbour_of(block, face);
    int there = block_face_opposite(face);
    move_face(block, neighbour, there, FROM_NEIGHBOUR, device_buffer(neighbour, there, true),
              packed);
}

void jacobi_gpu_fetch(struct jacobi_block *block, int face)
{
    struct block from =
        jacobi_gpu_buffer(neighbour_of(block, face), block_face_opposite(face), false);
    move_face(block, block, face, FROM_NEIGHBOUR, device_buffer(block, face, true), from);
}

/* --- streams and graphs ---------------------------------------------------------------------------- */

/* Lists the nodes of a graph for iterations of that parity, in order; packing is for the next iteration. */
static size_t list_nodes(struct jacobi_block *block, int parity, struct jacobi_node *nodes)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    const uint8_t all = block->faces;
    size_t count = 0;
    uint8_t merged = 0;
    if (spec->fusion == FUSION_C || spec->fusion == FUSION_UPDATE_PACK)
        merged = all;
    uint8_t unpacked_with = spec->fusion == FUSION_C ? all : 0;
    for (int face = 0; unpacked_with == 0 && face < FACES; face++) {
        uint8_t faces = unpacks_at_once(spec) ? all : (uint8_t)(all & 1 << face);
        if (faces != 0 && !(unpacks_at_once(spec) && face > 0))
            nodes[count++] = (struct jacobi_node){block, {.unpacked = faces}, parity};
    }
    nodes[count++] = (struct jacobi_node){
        block, {.unpacked = unpacked_with, .updated = PART_ALL, .packed = merged}, parity};
    for (int face = 0; merged == 0 && face < FACES; face++) {
        uint8_t faces = packs_at_once(spec) ? all : (uint8_t)(all & 1 << face);
        if (faces != 0 && !(packs_at_once(spec) && face > 0))
            nodes[count++] = (struct jacobi_node){block, {.packed = faces}, 1 - parity};
    }
    return count;
}

#define MOST_NODES (2 * FACES + 1)

void jacobi_gpu_iterate(struct jacobi_block *block)
{
    struct jacobi_node nodes[MOST_NODES];
    if (block->run->spec->graph) {
        update_by_graph(block);
        return;
    }
    block->unpacked_left[parity_of(block)] = block->face_count;
    if (block->run->spec->fusion == FUSION_C)
        exchange_ends(block, parity_of(block), cpu_now(jacobi_cpu(block)));
    size_t count = list_nodes(block, parity_of(block), nodes);
    for (size_t i = 0; i < count; i++)
        launch_of(block, block->compute, nodes[i].work, nodes[i].parity);
}

static void make_graphs(struct jacobi_block *block)
{
    block->nodes = g_new0(struct jacobi_node, 2 * MOST_NODES);
    for (int parity = 0; parity < 2; parity++) {
        struct jacobi_node *nodes = block->nodes + parity * MOST_NODES;
        struct cuda_graph_node kernels[MOST_NODES];
        size_t count = list_nodes(block, parity, nodes);
        for (size_t i = 0; i < count; i++)
            kernels[i] = (struct cuda_graph_node){
                .kernel = jacobi_kernel(block->run, &block->pe->process->spec->gpu, nodes[i].work),
                .done = node_ended,
                .argument = &nodes[i]};
        block->graphs[parity] =
            cuda_graph_new(block->run->job->cuda, jacobi_cpu(block), kernels, count);
    }
}

static void make_streams(struct jacobi_block *block)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    struct cuda_device *device = block->pe->process->device;
    int urgent = spec->priorities ? URGENT_PRIORITY : COMPUTE_PRIORITY;
    block->compute = cuda_stream_new(device, COMPUTE_PRIORITY);
    block->comm = cuda_stream_new(device, urgent);
    bool has_own = spec->optimised && block->run->is_staged;
    block->to_device = has_own ? cuda_stream_new(device, urgent) : block->comm;
    block->to_host = has_own ? cuda_stream_new(device, urgent) : block->comm;
    block->graph = spec->graph ? cuda_stream_new(device, COMPUTE_PRIORITY) : NULL;
}

/* Programs in Python use one stream for everything (M-124). */
static void use_one_stream(struct jacobi_block *block)
{
    struct cuda_stream *stream = block->pe->process->stream;
    block->compute = block->comm = block->to_device = block->to_host = block->graph = stream;
}

void jacobi_gpu_open(struct jacobi_block *block)
{
    const struct jacobi3d *run = block->run;
    if (!jacobi_has_threads(run->spec) && runtime_of(&run->spec->design)->interpreter_ps != NULL) {
        use_one_stream(block);
    } else {
        param_uses_only(&run->job->sim->uses, &cuda_params, "event_record", "event_wait", NULL);
        make_streams(block);
    }
    if (run->spec->graph)
        make_graphs(block);
}

void jacobi_gpu_finish(struct jacobi_block *block)
{
    struct cuda_stream *const streams[] = {block->compute, block->comm, block->to_device,
                                           block->to_host, block->graph};
    for (size_t i = 0; i < G_N_ELEMENTS(streams); i++)
        if (streams[i] != NULL)
            cuda_stream_synchronize(streams[i], jacobi_cpu(block));
}

void jacobi_gpu_close(struct jacobi_block *block)
{
    cuda_graph_free(block->graphs[0]);
    cuda_graph_free(block->graphs[1]);
    g_free(block->nodes);
}
