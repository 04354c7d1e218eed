#include "protocols/software.h"

static const char *const library_names[] = {"per-thread", "shared", NULL};

static const char *const completion_names[] = {"together", "by-context", NULL};
static const char *const quiet_names[] = {"counter", "entries", NULL};
static const char *const polling_names[] = {"loads", "runtime-call", NULL};

#define SPEC struct software_spec
static const struct param params[] = {
    PARAM_COUNT(queue_entries, SPEC, "64", "1", "65536", "Entries of a work-group's queue."),
    PARAM_BYTES(inline_limit, SPEC, "8B", "0B", "8B",
                "Payloads of puts below this travel in the queue entry."),
    PARAM_COUNT(
        polling_rounds, SPEC, "8", "1", "1000000",
        "Rounds over its queues that a service thread polls before it completes the blocking "
        "operations under way."),
    PARAM_ENUM(
        network_library, SPEC, "shared", library_names,
        "Several service threads have an interface to the NIC each, or share one, guarded by "
        "mutexes."),
    PARAM_ENUM(
        completion, SPEC, "together", completion_names,
        "After its polling rounds a service thread waits for all that it has issued and marks "
        "all blocking operations, or marks those whose context has nothing under way."),
    PARAM_ENUM(
        quiet_by, SPEC, "counter", quiet_names,
        "The library waits for a counter of completions, or takes completion entries one by one."),
    PARAM_ENUM(gpu_queue_polling, SPEC, "loads", polling_names,
               "A CPU thread polls queues in the memory of a GPU on the bus by loads, or copies "
               "their next entries to host memory by a call of the GPU's runtime, all at once."),
    PARAM_TIME(runtime_call, SPEC, "6us", "1us", "1ms",
               "Fixed time of a copy call of the GPU's runtime, without the bytes."),
    PARAM_FLAG(unused_cores_sleep, SPEC, "false",
               "Cores of service threads that have no queue are switched off, not only idle."),
    PARAM_FLAG(
        skip_polls, SPEC, "true",
        "Count polls that cannot find anything new instead of making them: the same results, "
        "sooner."),
    PARAM_COUNT(post_instructions, SPEC, "12", "0", "1000000",
                "Instructions of a wavefront that fill a queue entry."),
    PARAM_COUNT(wait_instructions, SPEC, "4", "0", "1000000",
                "Instructions of a wavefront around one poll of a status word."),
    PARAM_COUNT(poll_instructions, SPEC, "12", "1", "1000000",
                "Instructions of a service thread around one poll of a queue."),
    PARAM_COUNT(dispatch_instructions, SPEC, "40", "0", "1000000",
                "Instructions from a queue entry to the call into the SHMEM library."),
    PARAM_COUNT(put_instructions, SPEC, "200", "0", "1000000",
                "Instructions of the library's put, from its arguments to the doorbell."),
    PARAM_COUNT(get_instructions, SPEC, "200", "0", "1000000",
                "Instructions of the library's get, from its arguments to the doorbell."),
    PARAM_COUNT(complete_instructions, SPEC, "40", "0", "1000000",
                "Instructions that take one entry from the completion queue, or handle a counter."),
    PARAM_COUNT(mark_instructions, SPEC, "10", "0", "1000000",
                "Instructions that mark one queue entry complete."),
};
#undef SPEC
PARAM_TABLE(software_params, "software", struct software_spec, params,
            "The network software: its queues, and the instructions of each of its steps.");
