/* SPDX-License-Identifier: BSD-3-Clause */
/* What NCCL's protocol Simple is made of, without NCCL: blocks of two GPUs send each other two slices and take two. 16 warps store a slice into
 * the other GPU's buffer while a warp of its own fences and sets the flag of the one before. */
#include "common.h"

#include <algorithm>

namespace
{
constexpr int movers = 512, threads = movers + 32, under_way = 8, blocks_most = 24, stamps = 12;
constexpr size_t first_packs = 4096, // of a first round, behind which both GPUs begin together
    most_packs = 64 << 10, buffer_packs = (size_t)blocks_most * 2 * most_packs;

struct ends { // of one GPU
    const uint4 *in;
    uint4 *out, *taken; // its own memory: what it sends, and what it takes
    uint4 *buffer, *peer_buffer;
    volatile uint64_t *flags, *peer_flags;
    uint64_t *times; // of each block
    uint64_t *parts; // nullptr, or when each block has ended each of its slices
};

struct what {
    const char *name;
    bool copies, gets,
        adds; // whether it also stores to its own memory what it sends; takes; adds own data to what it takes
};

__device__ uint64_t timer()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__device__ void meet(int name, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(count) : "memory");
}

/* Stores `packs` of 16 B, each warp 8 of a thread at a time, to up to two places. */
__device__ void move(const uint4 *from, const uint4 *also, uint4 *to, uint4 *other, size_t packs)
{
    constexpr size_t each = 32 * under_way;
    for (size_t i = threadIdx.x / 32 * each + threadIdx.x % 32; i < packs;
         i += movers / 32 * each) {
        uint4 values[under_way], more[under_way];
        for (int k = 0; k < under_way; k++)
            values[k] = __ldcg(from + i + 32 * k);
        for (int k = 0; k < under_way && also != nullptr; k++)
            more[k] = __ldcg(also + i + 32 * k);
        for (int k = 0; k < under_way && also != nullptr; k++)
            values[k].x ^= more[k].x;
        for (int k = 0; k < under_way && to != nullptr; k++)
            to[i + 32 * k] = values[k];
        for (int k = 0; k < under_way && other != nullptr; k++)
            other[i + 32 * k] = values[k];
    }
}

/* What each thread does between two slices: loads of a word, each of which gives the place of the next, from where the compiler keeps registers
 * that it has no room for, from shared memory, or from memory that the L1 does not keep; or it only waits. */
enum class between { nothing, local, shared, memory, wait };
constexpr int links = 8, words_most = 128; // loads; words of a thread
constexpr int parts_most = 24;             // slices of a block

struct chain {
    between kind;
    int words;           // how many a thread keeps
    size_t shared_bytes; // of a block, which the L1 then lacks
    int chunks;          // of two slices each that a kernel sends and takes, one behind the other
    const uint32_t *places; // where each word leads
    int wait_cycles;
};

/* The threads of a warp follow the same words, each thread its own. */
__device__ uint32_t follow(const chain &chain, const volatile uint32_t *local,
                           const volatile uint32_t *shared)
{
    uint32_t at = 0;
    for (int i = 0; i < links; i++)
        at = chain.kind == between::local    ? local[at]
             : chain.kind == between::shared ? shared[at]
                                             : __ldcg(chain.places + at);
    return at;
}

__global__ void __launch_bounds__(threads, 1)
    exchange_slices(ends at, size_t packs, what what, uint64_t before, int first_part, size_t apart,
                    chain chain)
{
    __shared__ uint32_t shared[words_most];
    __shared__ unsigned long long most[4];
    uint32_t local[words_most];
    for (int i = 0; chain.kind != between::nothing && i < chain.words; i++)
        ((volatile uint32_t *)local)[i] = shared[i] = chain.places[i];
    if (threadIdx.x < 4)
        most[threadIdx.x] = 0;
    __syncthreads();
    uint64_t *times = at.times + blockIdx.x * stamps;
    volatile uint64_t *flag = at.flags + 16 * blockIdx.x, *theirs = at.peer_flags + 16 * blockIdx.x;
    for (int part = first_part; part < 4 + 4 * chain.chunks;
         part++) { // sends and takes two slices, twice or more
        bool is_first = part < 4, gets = part / 2 % 2;
        size_t count = is_first ? first_packs : packs,
               slot = (blockIdx.x * 2 + part % 2) * most_packs,
               place = (blockIdx.x * 2 + part % 2) * apart;
        uint64_t step = before + part / 4 * 2 + part % 2 + 1;
        if (gets && !what.gets && !is_first)
            break;
        if (threadIdx.x < movers) {
            if (part > 4 && chain.kind == between::wait) {
                for (long long begin = clock64(); clock64() - begin < chain.wait_cycles;) {
                }
            } else if (part > 4 && chain.kind != between::nothing) {
                uint64_t begin = timer();
                uint32_t end = follow(chain, local, shared);
                if (end < words_most && threadIdx.x % 32 == 0)
                    atomicMax(&most[(part + 3) % 4], timer() - begin);
            }
            if (gets && threadIdx.x == 0)
                while (*flag < step) {
                }
            if (part == 4 && threadIdx.x == 0)
                times[0] = timer();
            meet(1, movers);
            if (gets)
                move(at.buffer + slot, what.adds ? at.in + place : nullptr, at.taken + place,
                     nullptr, count);
            else
                move(at.in + place, nullptr, what.copies ? at.out + place : nullptr,
                     at.peer_buffer + slot, count);
            if (at.parts != nullptr && threadIdx.x == 0)
                at.parts[blockIdx.x * parts_most + part - 4] = timer();
            if (!is_first && threadIdx.x == 0)
                times[gets ? part % 4 + 3 : 1 + part % 2 * 2] = timer();
        }
        meet(2, threads);
        if (!gets && threadIdx.x == movers) {
            asm volatile("fence.acq_rel.sys;" ::: "memory");
            *theirs = step;
            if (!is_first)
                times[2 + part % 2 * 2] = timer();
        }
    }
    meet(2, threads);
    if (threadIdx.x == 0)
        times[7] = timer();
    if (threadIdx.x < 3 && chain.kind != between::nothing)
        times[8 + threadIdx.x] = most[threadIdx.x];
}

/* `first_part`: 0, or 4 without the first round; `apart`: packs between slices of its own memory. */
void start(const ends &at, cudaStream_t stream, int blocks, int cluster, size_t packs,
           const what &what, uint64_t before, int first_part = 0, size_t apart = most_packs,
           const chain &chain = {between::nothing, 0, 0, 1, nullptr, 0})
{
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {(unsigned)cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.dynamicSmemBytes = chain.shared_bytes;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : 0;
    CUDA(cudaLaunchKernelEx(&config, exchange_slices, at, packs, what, before, first_part, apart,
                            chain));
}

/* Microseconds from the first block's start until the median block has done each thing, and until the last one has done all. */
void row(table &table, const ends at[2], cudaStream_t streams[2], int blocks, int cluster,
         size_t packs, const what &what, uint64_t *before)
{
    samples sums[8];
    for (int repeat = 0; repeat < 8; repeat++) {
        for (int gpu = 1; gpu >= 0; gpu--) {
            CUDA(cudaSetDevice(gpu));
            ends own = at[gpu];
            own.taken = own.out;
            start(own, streams[gpu], blocks, cluster, packs, what, *before);
        }
        for (int gpu = 0; gpu < 2; gpu++)
            CUDA(cudaStreamSynchronize(streams[gpu]));
        *before += 4;
        uint64_t first = UINT64_MAX;
        for (int block = 0; block < blocks; block++)
            first = std::min(first, at[0].times[block * stamps]);
        for (int i = 1; i < 8 && repeat > 0; i++) {
            samples of_blocks;
            for (int block = 0; block < blocks; block++)
                of_blocks.add(1e-3 * (double)(at[0].times[block * stamps + i] - first));
            sums[i].add(i == 7 ? of_blocks.quantile(1) : of_blocks.median());
        }
    }
    bool gets = what.gets;
    table.row("%s\t%d\t%d\t%zu\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", what.name, blocks,
              cluster, packs * sizeof(uint4), sums[1].median(), sums[2].median(), sums[3].median(),
              sums[4].median(), gets ? sums[5].median() : 0, gets ? sums[6].median() : 0,
              sums[7].median());
}
/* Where kernels that follow each other put things. */
struct way {
    const char *name;
    bool is_apart,
        takes_turns; // what it takes goes to an array of its own; every other kernel has other buffers
};

struct many { // what 20 kernels in a row are given
    what kind;
    way places;
    chain loads;
    int blocks;
    size_t packs;
};
constexpr const char *between_names[] = {"nothing", "local", "shared", "memory", "wait"};

/* Microseconds of each of 20 kernels in a row, which begin with their slices; and what the last one's loads between slices take. */
void row_of_many(table &table, const ends at[2], uint32_t *const places[2], cudaStream_t streams[2],
                 const many &it, uint64_t *before)
{
    constexpr int in_row = 20;
    samples times, gaps[3];
    for (int repeat = 0; repeat < 6; repeat++) {
        double begin = now_ns();
        for (int i = 0; i < in_row; i++, *before += 2 + 2 * (uint64_t)it.loads.chunks)
            for (int gpu = 0; gpu < 2; gpu++) {
                ends own = at[gpu];
                own.taken = it.places.is_apart ? own.taken : own.out;
                own.buffer += it.places.takes_turns ? i % 2 * buffer_packs : 0;
                own.peer_buffer += it.places.takes_turns ? i % 2 * buffer_packs : 0;
                CUDA(cudaSetDevice(gpu));
                start(own, streams[gpu], it.blocks, 4, it.packs, it.kind, *before, 4, it.packs,
                      {it.loads.kind, it.loads.words, it.loads.shared_bytes, it.loads.chunks,
                       places[gpu], 0});
            }
        for (int gpu = 0; gpu < 2; gpu++)
            CUDA(cudaStreamSynchronize(streams[gpu]));
        times.add(1e-3 * (now_ns() - begin) / in_row);
        uint64_t noted[stamps * blocks_most];
        CUDA(cudaMemcpy(noted, at[0].times, sizeof noted, cudaMemcpyDefault));
        for (int block = 0; block < it.blocks; block++)
            for (int gap = 0; gap < 3; gap++)
                gaps[gap].add(it.loads.kind == between::nothing
                                  ? 0
                                  : 1e-3 * (double)noted[block * stamps + 8 + gap]);
    }
    times.drop_first(1);
    table.row("%s\t%s\t%s\t%d\t%zu\t%d\t%d\t%zu\t%.2f\t%.2f\t%.2f\t%.2f", it.places.name,
              it.kind.name, between_names[(int)it.loads.kind], it.loads.words,
              it.loads.shared_bytes, it.loads.chunks, it.blocks, it.packs * sizeof(uint4),
              times.median(), gaps[0].median(), gaps[1].median(), gaps[2].median());
}

/* 20 kernels in a row as above, with waits of `wait_us` between slices: what each takes, and when each block of the last one ends its slices. */
struct apart_row {
    what kind;
    int blocks;
    size_t packs;
    int chunks;
    double wait_us;
};

void row_apart(table &table, struct table &each, const ends at[2], cudaStream_t streams[2],
               const apart_row &it, uint64_t *before)
{
    constexpr int in_row = 20;
    const int parts = 4 * it.chunks;
    const double cycles = cycles_per_ns(0);
    samples times, of_block[blocks_most], sent[3], all[3];
    for (int repeat = 0; repeat < 9; repeat++) {
        double begin = now_ns();
        for (int i = 0; i < in_row; i++, *before += 2 + 2 * (uint64_t)it.chunks)
            for (int gpu = 0; gpu < 2; gpu++) {
                ends own = at[gpu];
                own.buffer += i % 2 * buffer_packs;
                own.peer_buffer += i % 2 * buffer_packs;
                CUDA(cudaSetDevice(gpu));
                start(own, streams[gpu], it.blocks, it.blocks % 4 == 0 ? 4 : 1, it.packs, it.kind,
                      *before, 4, it.packs,
                      {it.wait_us > 0 ? between::wait : between::nothing, 0, 0, it.chunks, nullptr,
                       (int)(1e3 * it.wait_us * cycles)});
            }
        for (int gpu = 0; gpu < 2; gpu++)
            CUDA(cudaStreamSynchronize(streams[gpu]));
        if (repeat == 0)
            continue;
        times.add(1e-3 * (now_ns() - begin) / in_row);
        uint64_t noted[stamps * blocks_most], ended[parts_most * blocks_most];
        CUDA(cudaMemcpy(noted, at[0].times, sizeof noted, cudaMemcpyDefault));
        CUDA(cudaMemcpy(ended, at[0].parts, sizeof ended, cudaMemcpyDefault));
        samples first, last;
        for (int block = 0; block < it.blocks; block++) {
            uint64_t since = noted[0];
            for (int other = 1; other < it.blocks; other++)
                since = std::min(since, noted[other * stamps]);
            first.add(1e-3 * (double)(ended[block * parts_most + 1] - since));
            last.add(1e-3 * (double)(ended[block * parts_most + parts - 1] - since));
            of_block[block].add(first.values.back());
        }
        for (int i = 0; i < 3; i++) {
            sent[i].add(first.quantile(i / 2.0));
            all[i].add(last.quantile(i / 2.0));
        }
    }
    table.row("%s\t%d\t%zu\t%d\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", it.kind.name,
              it.blocks, it.packs * sizeof(uint4), it.chunks, it.wait_us, times.median(),
              sent[0].median(), sent[1].median(), sent[2].median(), all[0].median(),
              all[1].median(), all[2].median());
    for (int block = 0; block < it.blocks && it.chunks == 1 && it.wait_us == 0; block++)
        each.row("%s\t%d\t%zu\t%d\t%.2f\t%.2f\t%.2f", it.kind.name, it.blocks,
                 it.packs * sizeof(uint4), block, of_block[block].quantile(0),
                 of_block[block].median(), of_block[block].quantile(1));
}

constexpr what what_kinds[] = {{"send", false, false, false},
                               {"copy_send", true, false, false},
                               {"pass", false, true, false},
                               {"copy", true, true, false},
                               {"add", false, true, true}};

/* The same places on each GPU; and times that are noted in its memory, so that fences do not wait for the host. */
void rows_of_many(const std::string &folder, ends at[2], cudaStream_t streams[2], uint64_t *before)
{
    table table(
        folder, "slices_in_row",
        "the same kernels without a first round, 20 in a row, each block's own slices behind each other; again: what a GPU takes it stores where it\n"
        "stored what it sent; apart: to an array of its own; turns: also, every other kernel sends through other buffers; between: 8 loads of each\n"
        "thread between slices, each of which needs the last one, of `words` that it keeps; shared_bytes: of a block; chunks: of two slices sent and taken; each_us: time of one; then what these loads take (the median block's slowest warp)\n"
        "between two slices that are sent, between these and those that are taken, and between the latter; times are noted in the GPU's memory",
        "way what between words shared_bytes chunks blocks slice_bytes each_us sent_sent_us sent_taken_us taken_taken_us");
    uint32_t *places[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaFuncSetAttribute(exchange_slices, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  82 << 10));
        uint32_t leads_to[words_most];
        for (uint32_t i = 0; i < words_most; i++)
            leads_to[i] = (i * 5 + 3) % 16;
        places[gpu] = device_alloc<uint32_t>(words_most);
        CUDA(cudaMemcpy(places[gpu], leads_to, sizeof leads_to, cudaMemcpyHostToDevice));
        at[gpu].times = device_alloc<uint64_t>(stamps * blocks_most);
    }
    constexpr way ways[] = {{"again", false, false}, {"apart", true, false}, {"turns", true, true}};
    constexpr size_t kept = 82 << 10; // what NCCL's blocks have
    constexpr chain loads[] = {
        {between::nothing, 0, 0, 1, nullptr, 0},    {between::nothing, 0, kept, 1, nullptr, 0},
        {between::local, 16, 0, 1, nullptr, 0},     {between::local, 16, kept, 1, nullptr, 0},
        {between::local, 128, kept, 1, nullptr, 0}, {between::shared, 16, 0, 1, nullptr, 0},
        {between::memory, 16, 0, 1, nullptr, 0}};
    for (const what &kind : what_kinds)
        for (const way &way : ways)
            for (const chain &load : loads)
                for (int blocks : {4, 24})
                    for (size_t kib : {4, 44, 88, 176, 352, 704, 1024})
                        if (kind.gets && (&load == &loads[0] || &way == &ways[2]))
                            row_of_many(table, at, places, streams,
                                        {kind, way, load, blocks, kib << 6}, before);
    for (const what &kind :
         what_kinds) // as NCCL sends 4 MiB and more of a channel: chunks of 2 MiB
        for (chain load : loads)
            for (int chunks : {2, 4, 6}) {
                load.chunks = chunks;
                if (kind.gets && load.shared_bytes > 0)
                    row_of_many(table, at, places, streams, {kind, ways[2], load, 24, 1024 << 6},
                                before);
            }
}

void rows_apart(const std::string &folder, ends at[2], cudaStream_t streams[2], uint64_t *before)
{
    table table(
        folder, "slices_apart",
        "kernels of chunks of two slices sent and two taken, 20 in a row, with buffers by turns, whose threads wait `wait_us` between slices;\n"
        "each_us: time of one; then of the last one, from its first block's start, when the first, the median and the last block have stored their\n"
        "second slice, and have ended their last one",
        "what blocks slice_bytes chunks wait_us each_us sent_least_us sent_median_us sent_most_us all_least_us all_median_us all_most_us");
    struct table each(
        folder, "slices_of_blocks",
        "when each block of kernels of one chunk without waits has stored its second slice: least, median and most of eight kernels",
        "what blocks slice_bytes block least_us median_us most_us");
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        at[gpu].parts = device_alloc<uint64_t>(parts_most * blocks_most);
    }
    for (const what &kind : {what_kinds[2], what_kinds[3]})
        for (int blocks : {1, 4, 8, 16, 24})
            for (size_t kib : {44, 88, 176, 352, 1024})
                for (int chunks : {1, 2, 6})
                    for (double wait : {0.0, 0.2, 1.3, 4.8})
                        row_apart(table, each, at, streams, {kind, blocks, kib << 6, chunks, wait},
                                  before);
}
} // namespace

void probe_slices(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("slices       left out: these two GPUs cannot reach each other's memory");
        return;
    }
    ends at[2];
    cudaStream_t streams[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        at[gpu] = {device_alloc<uint4>(buffer_packs),
                   device_alloc<uint4>(buffer_packs),
                   device_alloc<uint4>(buffer_packs),
                   device_alloc<uint4>(2 * buffer_packs),
                   nullptr,
                   device_alloc<uint64_t>(16 * blocks_most),
                   nullptr,
                   pinned_alloc<uint64_t>(stamps * blocks_most),
                   nullptr};
        CUDA(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        at[gpu].peer_buffer = at[1 - gpu].buffer;
        at[gpu].peer_flags = at[1 - gpu].flags;
    }
    table table(
        folder, "slices",
        "each of `blocks` blocks of 512 threads and a warp for flags, on two GPUs at once, sends two slices of `slice_bytes` to the other GPU's\n"
        "buffer and takes two from its own; copy: what it sends it stores to its own memory, too; add: what it takes it adds to data of its own;\n"
        "send, copy_send: takes none. us from the first block's start until the median block has stored a slice, set its flag, taken one; all_us:\n"
        "until the last block has ended",
        "what blocks cluster slice_bytes stored_1_us flagged_1_us stored_2_us flagged_2_us took_1_us took_2_us all_us");
    uint64_t before = 0;
    for (const what &kind : what_kinds)
        for (int blocks : {4, 8, 16, 24})
            for (int cluster : {4, 1})
                for (size_t kib : {44, 88, 176, 352, 1024})
                    row(table, at, streams, blocks, cluster, kib << 6, kind, &before);
    rows_of_many(folder, at, streams, &before);
    rows_apart(folder, at, streams, &before);
    CUDA(cudaSetDevice(0));
}
