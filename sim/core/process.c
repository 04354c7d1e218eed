/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes as coroutines on Boost.Context's two C functions.
 *
 * All data of a process lies in its one stack block, so that a wake-up touches one page:
 *
 *     base                                                                     base + pitch
 *     | canary (debug) | stack, growing downwards <- | struct process | name | colour |
 *
 * The colour is a gap of a different size in each block of a slab. Without it the same frames of all processes would compete
 * for the same few cache sets.
 *
 * A process that waits for time has one event pending, which resumes it; one that waits for a wake has none. */
#include "core/process.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/check.h"
#include "core/list.h"
#include "core/pages.h"
#include "core/rng.h"

#ifndef __has_feature /* clang's way to say what it compiles for; gcc defines macros */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

/* Boost.Context's C functions, which it declares to C++ only (boost/context/detail/fcontext.hpp). A
 * context is the stack pointer of a suspended stack; its registers lie right above. */
typedef void *fcontext_t;
typedef struct {
    fcontext_t fctx; /* of the jump's origin */
    void *data;      /* passed on by the jump's origin */
} transfer_t;
extern transfer_t jump_fcontext(fcontext_t to, void *data);
extern fcontext_t make_fcontext(void *top, size_t size, void (*fn)(transfer_t));

#ifdef UNDER_ASAN
#define DEFAULT_STACK_BYTES (256u << 10) /* red zones make frames several times as large */
#else
#define DEFAULT_STACK_BYTES (64u << 10)
#endif
#define SMALLEST_CLASS 13 /* 8 KiB */
#define CLASSES 32        /* class c has stacks of 2^(SMALLEST_CLASS + c) bytes */
#define SLAB_BYTES (4u << 20)

/* The part of a block beside its stack: struct process, name and colour share one page. */
#define EXTRA_BYTES 4096u
#define COLOURS 40u /* has no common divisor with COLOUR_STEP, so that each colour comes up */
#define COLOUR_STEP 17u
#define COLOUR_BYTES 64u
#define NAME_BYTES 256u
#define CACHE_LINE 64
#define FETCH_FRAME_LINES 4

#define CANARY_WORDS 8
#define CANARY UINT64_C(0x5afe57ac5afe57ac)

struct process {
    struct process_clock clock; /* must be first: process_clock() */
    fcontext_t context;         /* valid while it does not run */
    struct process_system *system;
    event_handle wake; /* the event that will resume it, if any is pending */
    const char *reason;
    sim_time since_ps;
    sim_time start_ps; /* its name and this time name its random stream */
    struct rng phases;
    bool has_stream;
    bool suspended; /* waits for process_wake */
    bool ended;
    uint8_t size_class;
    process_fn *fn;
    void *argument;
    char *base;            /* low end of its block */
    struct list_link link; /* alive: in order of creation; ended: the latest first */
    unsigned valgrind_id;
#ifdef UNDER_ASAN
    void *fake_stack;
#endif
#ifdef UNDER_TSAN
    void *fiber;
#endif
};

_Static_assert(offsetof(struct process, clock) == 0, "process_clock() points there");

/* The stacks of one size. */
struct stack_class {
    struct list free;        /* ended processes, the latest first */
    char *fresh, *fresh_end; /* part of the newest slab that was never used */
    unsigned colour;         /* of the next fresh block */
};

#define LARGEST_KEPT (2 * SLAB_BYTES)

struct process_system {
    struct event_queue *queue;
    const sim_time *now_ps; /* of the queue */
    struct process *current,
        *left;          /* the process at work now and the one before; NULL: the event loop */
    fcontext_t context; /* of the event loop, while a process runs */
    struct check_context *check;
    struct list processes; /* alive */
    size_t alive;
    bool draws_phases;
    uint64_t seed;  /* of phases */
    int64_t phases; /* drawn so far */
    struct stack_class classes[CLASSES];
    GArray *slabs;
#ifdef UNDER_ASAN
    const void *loop_stack; /* the event loop's stack and size */
    size_t loop_stack_bytes;
    void *loop_fake_stack;
#endif
#ifdef UNDER_TSAN
    void *loop_fiber;
#endif
};

static char *name_of(const struct process *process)
{
    return (char *)(uintptr_t)(process + 1);
}

/* The size of a process's stack: all of the block below the struct. */
static size_t stack_room(const struct process *process)
{
    return (size_t)((const char *)process - process->base);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static size_t class_stack_bytes(unsigned size_class)
{
    return (size_t)1 << (SMALLEST_CLASS + size_class);
}

static unsigned class_for(size_t stack_bytes)
{
    size_t wanted = stack_bytes ? stack_bytes : DEFAULT_STACK_BYTES;
    unsigned size_class = 0;
    check_release(wanted <= class_stack_bytes(CLASSES - 1), "a stack of %zu bytes was asked for",
                  stack_bytes);
    while (class_stack_bytes(size_class) < wanted)
        size_class++;
    return size_class;
}

/* Slabs of freed systems, kept for later ones: the run of a point makes several systems one after the other. */
static struct pages_keeper kept_slabs = {.most_bytes = PAGES_KEPT * (size_t)LARGEST_KEPT,
                                         .lock = PTHREAD_MUTEX_INITIALIZER};

static void keep_or_unmap(const struct pages_piece *slab)
{
    if (slab->bytes > LARGEST_KEPT || !pages_keep(&kept_slabs, slab->pages, slab->bytes))
        munmap(slab->pages, slab->bytes);
}

/* Pages take memory when they are touched; of huge pages one touch would take all. */
static void *map_slab(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check_always(memory != MAP_FAILED, "no memory for stacks: %s", g_strerror(errno));
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

static void slab_new(struct process_system *system, struct stack_class *stacks, size_t pitch)
{
    size_t bytes = pitch * (SLAB_BYTES > pitch ? SLAB_BYTES / pitch : 1);
    void *memory = pages_take_kept(&kept_slabs, bytes);
    if (memory == NULL)
        memory = map_slab(bytes);
    g_array_append_vals(system->slabs, &(struct pages_piece){memory, bytes}, 1);
    stacks->fresh = memory;
    stacks->fresh_end = stacks->fresh + bytes;
}

/* The address of the struct process in the fresh block that ends at `end`. */
static struct process *place_process(struct stack_class *stacks, char *end)
{
    stacks->colour = (stacks->colour + COLOUR_STEP) % COLOURS;
    char *place = end - (size_t)stacks->colour * COLOUR_BYTES - NAME_BYTES - sizeof(struct process);
    return (struct process *)(void *)(place - (uintptr_t)place % COLOUR_BYTES);
}

static struct process *block_take(struct process_system *system, unsigned size_class)
{
    struct stack_class *stacks = &system->classes[size_class];
    struct process *process = LIST_TAKE(&stacks->free, struct process, link);
    if (process)
        return process;
    size_t pitch = class_stack_bytes(size_class) + EXTRA_BYTES;
    if (stacks->fresh == stacks->fresh_end)
        slab_new(system, stacks, pitch);
    char *base = stacks->fresh;
    stacks->fresh += pitch;
    process = place_process(stacks, stacks->fresh);
    process->base = base;
    process->size_class = (uint8_t)size_class;
    return process;
}

static void block_give_back(struct process_system *system, struct process *process)
{
    struct stack_class *stacks = &system->classes[process->size_class];
    list_prepend(&stacks->free, &process->link);
}

/* --- overflow, in debug builds ---------------------------------------------------------------- */

static void stack_prepare(struct process *process)
{
#ifndef NDEBUG
    uint64_t *words = (uint64_t *)(void *)process->base;
    for (int i = 0; i < CANARY_WORDS; i++)
        words[i] = CANARY;
#endif
    (void)process;
}

/* The canary catches a stack that was too deep earlier, the bounds catch one that is too deep now. */
static void stack_check(const struct process *process)
{
#ifndef NDEBUG
    const uint64_t *words = (const uint64_t *)(const void *)process->base;
    const char *end = process->context;
    bool whole = end >= (const char *)(words + CANARY_WORDS) && end < (const char *)process;
    for (int i = 0; i < CANARY_WORDS; i++)
        whole = whole && words[i] == CANARY;
    check_debug(whole, "process %s overflowed its stack of %zu bytes", name_of(process),
                class_stack_bytes(process->size_class));
#endif
    (void)process;
}

/* --- telling sanitizers and valgrind ---------------------------------------------------------- */

static void announce_spawn(struct process *process)
{
#ifdef UNDER_TSAN
    process->fiber = __tsan_create_fiber(0);
#endif
    process->valgrind_id = VALGRIND_STACK_REGISTER(process->base, process);
}

/* Frames that have returned have cleared their marks in the stack's shadow memory; frames that never return have not. */
static void announce_end(struct process *process)
{
#ifdef UNDER_ASAN
    char *innermost = process->context;
    __asan_unpoison_memory_region(innermost, (size_t)((char *)process - innermost));
#endif
#ifdef UNDER_TSAN
    __tsan_destroy_fiber(process->fiber);
#endif
    VALGRIND_STACK_DEREGISTER(process->valgrind_id);
}

/* Called before control goes from `from` to `to` (NULL: the event loop), for ever if `from` has ended. */
static void announce_leave(struct process_system *system, struct process *from, struct process *to)
{
#ifdef UNDER_ASAN
    void **fake_stack = !from ? &system->loop_fake_stack : from->ended ? NULL : &from->fake_stack;
    __sanitizer_start_switch_fiber(fake_stack, to ? to->base : system->loop_stack,
                                   to ? stack_room(to) : system->loop_stack_bytes);
#endif
#ifdef UNDER_TSAN
    if (!from)
        system->loop_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to ? to->fiber : system->loop_fiber, 0);
#endif
    (void)system, (void)from, (void)to;
}

/* Called after control has come from `from` to `to`. */
static void announce_enter(struct process_system *system, struct process *from, struct process *to)
{
#ifdef UNDER_ASAN
    __sanitizer_finish_switch_fiber(to ? to->fake_stack : system->loop_fake_stack,
                                    from ? NULL : &system->loop_stack,
                                    from ? NULL : &system->loop_stack_bytes);
#endif
    (void)system, (void)from, (void)to;
}

/* --- switching -------------------------------------------------------------------------------- */

/* Control goes from the event loop to a process, then directly from process to process as long as the next event resumes one,
 * which saves half of the switches, and back to the loop. system->current has control (NULL: the loop); system->left had it
 * before. */

/* Keeps the context in which the process that left will go on; `context` came with the control. */
static inline void arrive(struct process_system *system, fcontext_t context)
{
    struct process *left = system->left;
    announce_enter(system, left, system->current);
    *(left ? &left->context : &system->context) = context;
    if (left)
        stack_check(left);
}

/* Gives control to `to` (NULL: the loop). Returns when control comes back. */
static inline void switch_to(struct process_system *system, struct process *to)
{
    system->left = system->current;
    system->current = to;
    announce_leave(system, system->left, to);
    transfer_t from = jump_fcontext(to ? to->context : system->context, system);
    arrive(system, from.fctx);
}

/* The first and last function of a process, on its own stack. */
static void process_main(transfer_t from)
{
    struct process_system *system = from.data;
    struct process *self = system->current;
    arrive(system, from.fctx);
    self->fn(self, self->argument);
    process_sync(self);
    self->ended = true;
    switch_to(system, NULL);
    check_always(!self->ended, "process %s was resumed after its end", name_of(self));
}

static void process_end(struct process *process)
{
    struct process_system *system = process->system;
    list_remove(&system->processes, &process->link);
    system->alive--;
    announce_end(process);
    block_give_back(system, process);
}

/* The process is about to go on. */
static inline void prepare_to_resume(struct process *process)
{
    process->wake = 0;
    process->suspended = false;
    if (process->system->check)
        process->system->check->component = name_of(process);
}

/* The event that lets a process go on, called by the event loop. */
static void process_resume(void *argument)
{
    struct process *process = argument;
    struct process_system *system = process->system;
    prepare_to_resume(process);
    switch_to(system, process);
    if (system->check)
        system->check->component = NULL;
    if (system->left->ended)
        process_end(system->left);
}

/* Gives control to others, without a change of self->wake, until process_resume is called for it. */
static inline void process_wait(struct process *self, const char *reason)
{
    struct process_system *system = self->system;
    check_debug(self == system->current, "process %s waits, but is not at work", name_of(self));
    self->reason = reason;
    self->since_ps = *system->now_ps;
    void *next = NULL;
    if (event_take_next(system->queue, process_resume, &next))
        prepare_to_resume(next);
    if (next != self)
        switch_to(system, next);
}

/* Prefetches the frames right below the struct process and, for deep stacks, the innermost frames with the registers that a
 * switch loads. The first step alone makes 30,000 processes a third faster. */
static void fetch_process(const void *argument, int step)
{
    const struct process *process = argument;
    if (step > 1)
        return;
    uintptr_t frames = step == 0 ? (uintptr_t)argument - FETCH_FRAME_LINES * CACHE_LINE
                                 : (uintptr_t)process->context;
    for (uintptr_t line = 0; line < FETCH_FRAME_LINES; line++)
        __builtin_prefetch((const void *)(frames + line * CACHE_LINE));
}

/* --- system ----------------------------------------------------------------------------------- */

struct process_system *process_system_new(struct event_queue *queue)
{
    struct process_system *system = g_new0(struct process_system, 1);
    system->queue = queue;
    system->now_ps = event_now_pointer(queue);
    system->slabs = g_array_new(FALSE, FALSE, sizeof(struct pages_piece));
    event_queue_fetch_by(queue, process_resume, fetch_process);
    return system;
}

void process_system_set_check(struct process_system *system, struct check_context *check)
{
    system->check = check;
}

void process_system_free(struct process_system *system)
{
    if (!system)
        return;
    check_always(!system->current, "process %s frees the system it runs in",
                 name_of(system->current));
    LIST_EACH (struct process, process, &system->processes, link) {
        event_cancel(system->queue, process->wake);
        announce_end(process);
    }
    for (guint i = 0; i < system->slabs->len; i++)
        keep_or_unmap(&g_array_index(system->slabs, struct pages_piece, i));
    g_array_free(system->slabs, TRUE);
    g_free(system);
}

struct process *process_spawn(struct process_system *system, const char *name, process_fn *fn,
                              void *argument, sim_time at_ps, size_t stack_bytes)
{
    size_t name_bytes = strlen(name) + 1;
    check_release(name_bytes <= NAME_BYTES, "a process's name has %zu letters: %s", name_bytes - 1,
                  name);
    struct process *process = block_take(system, class_for(stack_bytes));
    *process = (struct process){.clock = {.now_ps = system->now_ps, .shift_taken_ps = -1},
                                .system = system,
                                .base = process->base,
                                .size_class = process->size_class,
                                .fn = fn,
                                .argument = argument,
                                .reason = "start",
                                .since_ps = event_now(system->queue),
                                .start_ps = at_ps};
    memcpy(name_of(process), name, name_bytes);
    stack_prepare(process);
    announce_spawn(process);
    process->context = make_fcontext(process, stack_room(process), process_main);
    list_append(&system->processes, &process->link);
    system->alive++;
    process->wake = event_schedule(system->queue, at_ps, process_resume, process);
    return process;
}

/* --- phases ----------------------------------------------------------------------------------- */

void process_system_draw_phases(struct process_system *system, uint64_t seed)
{
    system->draws_phases = true;
    system->seed = seed;
}

int64_t process_system_phases(const struct process_system *system)
{
    return system->phases;
}

/* Makes the random stream from the name and the time: processes of one name, such as the work-groups of successive kernels,
 * begin at different times. */
static void make_stream(struct process *process)
{
    char path[NAME_BYTES + 32];
    g_snprintf(path, sizeof path, "%s.phases.%lld", name_of(process), (long long)process->start_ps);
    rng_init(&process->phases, process->system->seed, path);
    process->has_stream = true;
}

sim_time process_draw_phase(struct process *self, sim_time period_ps, sim_time earliest_ps)
{
    if (!self->system->draws_phases || period_ps == 0)
        return 0;
    if (!self->has_stream)
        make_stream(self);
    self->system->phases++;
    return earliest_ps + (sim_time)rng_below(&self->phases, (uint64_t)period_ps);
}

sim_time process_take_shift_over_bus(struct process *self)
{
    self->clock.shift_taken_ps = process_now(self);
    return process_take_shift(self);
}

/* --- waiting and waking ----------------------------------------------------------------------- */

void process_sleep_until(struct process *self, sim_time at_ps)
{
    self->clock.local_offset_ps = 0;
    if (event_pass_to(self->system->queue, at_ps))
        return;
    self->wake = event_schedule(self->system->queue, at_ps, process_resume, self);
    process_wait(self, "sleep");
}

void process_sleep(struct process *self, sim_time delay_ps)
{
    process_sleep_until(self, process_now(self) + delay_ps);
}

void process_sleep_until_turn(struct process *self, sim_time at_ps, int16_t turn)
{
    check_debug(turn >= 1 && turn < EVENT_LATE, "turn %d", (int)turn);
    self->clock.local_offset_ps = 0;
    if (event_pass_to(self->system->queue, at_ps))
        return;
    self->wake = event_schedule_priority(self->system->queue, at_ps, turn, process_resume, self);
    process_wait(self, "sleep");
}

void process_suspend(struct process *self, const char *reason)
{
    check_release(self->clock.local_offset_ps == 0, "process %s waits %lld ps ahead of time",
                  name_of(self), (long long)self->clock.local_offset_ps);
    self->suspended = true;
    process_wait(self, reason);
}

void process_wake(struct process *process)
{
    process_wake_until(process, *process->system->now_ps, EVENT_NORMAL);
}

void process_wake_until(struct process *process, sim_time at_ps, int16_t turn)
{
    check_release(process->suspended, "process %s was woken, but does not wait for it",
                  name_of(process));
    process->suspended = false;
    process->wake =
        event_schedule_priority(process->system->queue, at_ps, turn, process_resume, process);
}

void process_wake_at_once(struct process *process)
{
    check_release(process->suspended && process->system->current == NULL,
                  "process %s cannot be woken at once", name_of(process));
    process_resume(process);
}

/* --- asking ----------------------------------------------------------------------------------- */

const char *process_name(const struct process *process)
{
    return name_of(process);
}

size_t process_alive(const struct process_system *system)
{
    return system->alive;
}

void process_visit(const struct process_system *system, process_visit_fn *visit, void *argument)
{
    LIST_EACH (const struct process, process, &system->processes, link)
        visit(process, process->reason, process->since_ps, argument);
}
