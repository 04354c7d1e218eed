/* Lua at the edge: sandboxed states that read machine files and studies.
 *
 * A script sees the language's safe part (no os, io, debug, load, dofile, collectgarbage,
 * string.dump), `require` of files below the project's or the script's own folders, and the
 * project's words:
 *
 *   machine { ... }                          a machine from component tables (models/node.h)
 *   published(value, source) measured(value, source)
 *   estimated(value, low, high, why) fitted(value, low, high, claim_ids, why)
 *   study { title, machine, vary, where, trials, run, plot, claims }
 *   design { from = "comp-net", server = "gpu_warp", name = "..." }   a point on the axes of designs
 *   pow2("8B", "1MiB")  range(first, last, step)  quantity("1MiB"), its number in base units
 *   zip { ... }  random(count, { ... })  latin(count, { ... })    axes that advance together
 *   get_latency { ... }                      one function a workload (workloads/workload.h)
 *
 * Scripts have a memory limit and an instruction limit; a global that is read before it is set is
 * an error. Every error is a GError of one sentence: file:line, what was wrong, what is accepted.
 */
#ifndef GPUNETSIM_STUDY_MODEL_STUDY_H
#define GPUNETSIM_STUDY_MODEL_STUDY_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/units.h"
#include "models/node.h"
#include "workloads/workload.h"

#define SCRIPT_ERROR script_error_quark()
GQuark script_error_quark(void);
enum script_error {
    SCRIPT_ERROR_INPUT, /* bad use: the file, a value, the script's own error */
    SCRIPT_ERROR_RUN,   /* a point failed while it ran */
};

/* A value of an axis or a measure. */
enum script_value_kind { SCRIPT_TEXT, SCRIPT_NUMBER, SCRIPT_QUANTITY };
struct script_value {
    enum script_value_kind kind;
    enum unit_kind unit; /* SCRIPT_QUANTITY */
    int64_t quantity;    /* in base units */
    double number;
    char *text; /* SCRIPT_TEXT; and for the others as the user would write it */
};

/* The column of a value called `name`: "latency" as a time becomes "latency_us", and so "_bytes"
 * (unless the name ends in "bytes"), "_GBps", "_GHz", "_W", "_uJ"; counts, numbers and texts keep
 * their name. And its text in that column: exact, without unit, whatever the locale.
 * The caller frees both with g_free. */
char *script_column(const char *name, const struct script_value *value);
char *script_column_text(const struct script_value *value);

/* Where a number of a machine comes from; a row of `gpunetsim params`. */
enum source_kind {
    SOURCE_DEFAULT, /* not given: the parameter table's default */
    SOURCE_GIVEN,   /* a plain value, no source stated */
    SOURCE_PUBLISHED,
    SOURCE_MEASURED,
    SOURCE_ESTIMATED,
    SOURCE_FITTED,
};
struct provenance {
    char *path;  /* "gpu.l2_latency" */
    char *value; /* as a user would write it */
    enum source_kind kind;
    char *low, *high; /* estimated and fitted; else NULL */
    char *source;     /* source or why; NULL if none */
    char *claims;     /* fitted: "N-05 N-44"; else NULL */
    bool is_set;      /* by the study's own file or the command line, not by a file that it requires */
};

/* A machine as described, with the origin of every number in it. */
struct machine {
    char *name;
    struct machine_spec spec;
    GPtrArray *provenance; /* of struct provenance, in the order of the parameter tables */
};

/* How a study's figure is to be drawn. */
struct plot_spec {
    char *x, *y, *by; /* names of axes or measures; `by` may be NULL. Several y: "a,b" */
    char *over;       /* axis over which mean, least and most are shown, or NULL */
    char *panels;     /* axis with a small figure for each of its values, or NULL */
    char *style;      /* "lines", "loglog", ... (plot_lua.c) */
    char *title, *x_label, *y_label; /* NULL: derived from the columns */
};

/* Whether its x is a measure as its y is, a mark a point: styles "points" and "pareto". */
bool plot_is_scatter(const struct plot_spec *plot);

/* A claim that a study answers; evaluated by study_evaluate_claim. */
struct study_claim {
    char *id; /* "N-39" */
};

/* An axis has the distinct values that it takes. Axes of one group advance together, a step at a
 * time; `steps` says which of its values the axis has at each. */
struct axis {
    char *name;
    struct script_value *values;
    size_t count;
    size_t group; /* groups are numbered from 0, in the order of the axes */
    uint32_t *steps;
    size_t step_count;
};

/* A loaded study; the Lua state lives in it. */
struct study {
    char *path; /* as given */
    char *name; /* scenario name: the file's name without .lua */
    char *title;
    char *digest;      /* SHA-256 over the text of all its files, the overrides and
                          the named designs */
    struct axis *axes; /* those of the list part of `vary` as written, then the others by name, then
                          "trial" if there are trials */
    size_t axis_count;
    uint32_t *points; /* for each point, the number of its value on each axis */
    size_t point_count;
    struct plot_spec *plots;
    size_t plot_count;
    struct study_claim *claims;
    size_t claim_count;
    struct script_state *state;
};

/* One simulated point: the axis values in study order, then its measures. */
struct measure {
    char *name; /* "latency" */
    struct script_value value;
};
struct row {
    size_t *axis_index; /* for each axis the number of its value */
    struct measure *measures;
    size_t measure_count;
    char *failure; /* NULL, or why the point failed; no measures then */

    /* Parameters of the machine that the user set (provenance.is_set), paths separated by commas: those that the
     * point's workloads could read, and those that none of them could. NULL: none. */
    char *read, *unread;
    struct design *design; /* of the workload that it called last; NULL: none, or it was not run here */
    char *stats; /* if study_set_stats asks for them: lines of workload_observe; else NULL */
};
void row_free(struct row *row);

/* Makes it the row of a failed point; takes over `failure`. */
void row_fail(struct row *row, char *failure);

/* "nic.fetch_depth was set, but no queue of this run is fetched". The caller frees it with g_free. */
char *unread_sentence(const char *path);

/* Reads FILE. NULL and an error if it is not a good study. `overrides` ("nic.doorbell_latency=5ns",
 * NULL-ended, may be NULL) replace machine parameters in every point, or axes of all designs
 * ("design.polling_rounds=1"). */
struct study *study_load(const char *path, const char *const *overrides, GError **error);
void study_free(struct study *study);

/* The number of axis `axis`'s value in point `n`. Points are the combinations of the groups' steps,
 * the last group running fastest, without those that `where` drops. */
size_t study_axis_index(const struct study *study, size_t n, size_t axis);

/* The point's values by column, names sorted: {"bytes":"8","design":"dgpu"}. However a study orders
 * its axes and writes its values, it is the same text. The caller frees it with g_free. */
char *study_point_json(const struct study *study, size_t n);

/* The seed of point `n`. It depends on the trial alone: points that are to be compared draw the
 * same random numbers, and a study that adds points leaves the seeds of the others as they are. */
uint64_t study_point_seed(const struct study *study, size_t n, uint64_t master_seed);

/* A row for point `n`, still without measures. */
struct row *study_new_row(const struct study *study, size_t n);

/* Runs point `n` in this process, on its machine (study_machine), and returns its row; a point that
 * fails is a row with `failure`. */
struct row *study_run_point(struct study *study, size_t n, const struct machine *machine,
                            uint64_t master_seed);

/* What rehearsing a point gives. */
struct rehearsal {
    struct row *row;      /* if the point came to its end without results; else NULL */
    int64_t instructions; /* what it took is added */
    bool is_long;         /* that is more than one call of a script may take */
};

/* Runs point `n` on its machine as far as that goes without simulating: workloads check their
 * arguments, and where something of a result is needed the point is left. False and an error if
 * that shows a fault. */
bool study_rehearse_point(struct study *study, size_t n, const struct machine *machine,
                          struct rehearsal *rehearsal, GError **error);

/* One call of a workload, with everything that decides its result. */
struct workload_call {
    const char *workload;  /* its name */
    const char *machine;   /* machine_json */
    const char *arguments; /* of the workload, all of them, as JSON */
    uint64_t seed;
};

/* Who remembers results of workloads, so that none is simulated twice. Called while a point runs.
 */
struct workload_memory {
    /* True, with `result` filled, if the call's result is known. */
    bool (*recall)(void *context, const struct workload_call *call, struct workload_result *result);
    void (*keep)(void *context, const struct workload_call *call,
                 const struct workload_result *result);
    bool is_all; /* what it does not know is not simulated: the call fails */
    void *context;
};
/* From now on rows get the statistics of their simulations; nothing is remembered of workloads then. */
void study_set_stats(struct study *study, bool are_wanted);

/* NULL: nobody. The memory has to last as long as points are run. */
void study_set_memory(struct study *study, const struct workload_memory *memory);

/* The machine of point `n` (studies may vary it). The caller frees it with machine_free. */
struct machine *study_machine(struct study *study, size_t n, GError **error);

/* What a study says of one of its claims, given all rows. */
struct claim_answer {
    bool judged; /* the scenario itself says whether it holds */
    bool holds;
    bool has_number;
    double obtained; /* in the claim's unit */
    char *note;      /* may be NULL */
};
/* Calls the scenario's function for the claim. False and an error if that fails. */
bool study_evaluate_claim(struct study *study, const struct study_claim *claim,
                          struct row *const *rows, size_t row_count, struct claim_answer *answer,
                          GError **error);

/* Reads a machine file (a Lua file that returns a machine, or a function that makes one). */
struct machine *machine_load(const char *path, const char *const *overrides, GError **error);
void machine_free(struct machine *machine);

/* Every parameter with its value, by path: {"nodes":"2","host.cores":"4",...}. Equal texts are
 * equal machines, whatever their names and sources. The caller frees it with g_free. */
char *machine_json(const struct machine *machine);

/* `text` as a JSON string, with its quotes. The caller frees it with g_free. */
char *script_json_string(const char *text);

/* The folder of the project that a file belongs to: the nearest folder above it that holds
 * configs/; else $GPUNETSIM_ROOT; else two above the program's folder (build/release/gpunetsim) if
 * that holds configs/; else NULL. `require` looks in the script's folder, its parents up to the
 * first that holds configs/, and in the two others, in this order. Absolute; the caller frees it
 * with g_free. */
char *script_project_root(const char *path);

/* Parses FILE and runs its top level without running any point: true, or an error. */
bool script_check(const char *path, GError **error);

/* The same. The study that FILE describes is left in *study for the caller (study_free); NULL if it
 * describes a machine. */
bool script_read(const char *path, struct study **study, GError **error);

#endif
